/*
 * A request, from the application's slot to the reaped CQE.  Stands for struct io_kiocb with its struct kiocb and
 * struct io_wq_work (fs/io_uring.c, from 6.0 on include/linux/io_uring_types.h), before 5.5 with a work_struct;
 * 5.1 to 6.18.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include "model/block_device.h"
#include "model/inode.h"
#include "model/life.h"
#include "model/request_opcode.h"

/* sqe->flags, and what an opcode says of its buffer.  IOSQE_ASYNC is force_async. */
typedef enum {
  SQE_LINK = 1 << 0, SQE_HARDLINK = 1 << 1, SQE_DRAIN = 1 << 2, SQE_CQE_SKIP = 1 << 3,
  SQE_FIXED_FILE = 1 << 4, SQE_FIXED_BUFFER = 1 << 5,
} SqeFlags;
#define SQE_LINKS (SQE_LINK | SQE_HARDLINK)

typedef void (*TaskWorkFn) (Task *task, Ring *ring, Request *request);

struct Request {
  Io io;
  RequestOpcode opcode;
  Inode *inode;
  Ring *ring;             /* NULL: a synchronous engine */
  Application *application;
  unsigned slot;          /* of the application */
  unsigned cpu;           /* where it was submitted: its cache lines are there */
  uint64_t number;        /* in its stream, from 0 */
  gboolean force_async, direct;
  gboolean in_flight;     /* from the application's point of view: IO_U_F_FLIGHT */
  gboolean nowait;        /* RWF_NOWAIT: EAGAIN is the answer, nobody waits for it */
  SyncMode sync;          /* of a write: IOCB_DSYNC, IOCB_SYNC */
  gboolean dontcache;     /* RWF_DONTCACHE */
  unsigned sync_range;    /* SyncRangeFlags of a sync_file_range() */
  unsigned sqe_flags;     /* SqeFlags */
  int prep_error;         /* errno with which its preparation fails (a malformed sqe); 0: it is well-formed */
  int64_t result;         /* bytes, or -errno */
  uint64_t bytes_done;    /* of a buffered write, by an attempt that was short: the rest begins there */
  Outcome outcome;
  gboolean failed;        /* REQ_F_FAIL: an error or a short transfer of one in a chain, or that may skip its CQE */
  gboolean skip_links;    /* REQ_F_SKIP_LINK_CQES: it was to skip its CQE and failed: the rest of the chain has none */
  gboolean silent;        /* it has no CQE */
  gboolean may_be_silent; /* the application asked for that */
  Request *chain_next;    /* req->link: the next member of its chain */
  uint64_t sequence;      /* of the ring's requests before it */
  /* Timeouts and cancellation (timeout.h, cancel.h). */
  UrTime delay;           /* TIMEOUT, LINK_TIMEOUT: ns */
  unsigned count;         /* TIMEOUT: completions that end it; 0: none do */
  uint64_t target_completions;
  Request *target;        /* ASYNC_CANCEL, TIMEOUT_REMOVE: which one; LINK_TIMEOUT: the member before, while it runs */
  Request *linked_timeout;     /* of this request, while it runs */
  UrEventHandle timer;
  TaskWorkFn task_work;   /* io_task_work.func; NULL: post it */
  /* struct io_wq_work */
  gboolean hashed, concurrent;
  gboolean unbound;       /* IO_WQ_WORK_UNBOUND: on neither a regular file nor a block device (set by who makes it), or on
                           * nobody knows which (io_wq_prepare()) */
  unsigned bucket;
  unsigned queue;         /* of the policy: where it was queued */
  Request *work_next;
  /* struct work_struct */
  struct PoolWorkqueue *pwq;
  GList link;             /* in a workqueue's list, or in one of completions without a CQE; data: the request */
  UrTime entered;         /* counted as in flight since */
  /* When it does not end in the call (EIOCBQUEUED). */
  void (*ki_complete) (Request *request, Task *task, Cpu *cpu);   /* by `task`, or an interrupt on `cpu` (task NULL).
                                         * NULL: is_sync_kiocb(), the caller waits */
  Bio bio;                /* of a direct request */
  gboolean polled;        /* IOCB_HIPRI */
  gboolean iopoll_completed, iopoll_slept; UrTime iopoll_start;   /* iopoll.c */
  gboolean dio_submitting, dio_ended, dio_overwrite, dio_converts, dio_sync; Task *dio_waiter;     /* direct_io.c */
  /* IOCB_DIO_CALLER_COMP: what is left to do in the task; of dio_workqueue.h: in the kworker. */
  void (*dio_complete) (Task *task, Request *request);
  gboolean aio_busy, aio_awaited;                         /* application_posixaio.c */
  /* For its life (life.h). */
  gboolean chained;       /* a worker has it from the member of its chain before it */
  gboolean may_wait;      /* its attempt in the submitter was one that may wait */
  AgainReason again;      /* why its last attempt in the submitter was refused */
  const Task *executor;   /* who did it: the submitter, or a worker */
  uint8_t lock_holder;    /* LifeHolder: who had the inode lock when it was wanted */
  RequestTimes time;
};

#endif
