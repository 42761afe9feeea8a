/* The inside of an io-wq, for the files io_wq*.c: see io_wq.h.
 * Stands for struct io_wq, io_wqe (up to 6.3), io_wq_acct and io_worker of io-wq.c, 5.5 to 6.18. */
#ifndef IO_WQ_PRIVATE_H
#define IO_WQ_PRIVATE_H

#include "model/cpu.h"
#include "model/io_wq.h"

typedef struct IoWqe IoWqe;

typedef struct { Request *first, *last; unsigned n; gboolean stalled; } IoWorkList;

/* io_wq_acct */
typedef struct {
  IoWqAcctIndex index;
  IoWorkList own, *list;                /* list: own, or the wqe's */
  Spinlock own_lock, *lock;             /* of the list; own_lock or the wqe's */
  Spinlock own_workers_lock, *workers_lock;     /* of nr_workers and the free list; the wqe's up to 6.14 */
  unsigned max_workers, nr_workers, nr_running;
} IoWqAcct;

/* Which buckets are being executed, and whose lists have nothing but such work. */
struct IoWqHash {
  unsigned refs;
  uint64_t map;
  Spinlock wait_lock;                   /* wait.lock: of the queue; from 5.15 on clearing a bit takes it too */
  IoWqe *waiting;                       /* wait queue: the last to join is first */
};

struct IoWqe {
  IoWq *wq;
  unsigned node;
  CpuMask cpus; gboolean bound;         /* where its workers may run; bound FALSE: anywhere */
  Spinlock lock;
  IoWorkList list;
  IoWqAcct acct[IO_WQ_ACCT_NR];
  Request *hash_tail[IO_WQ_BUCKETS];    /* last of the bucket's run on the list */
  IoWqHash *hash;
  gboolean on_hash_wait; IoWqe *hash_next;
  IoWorker *free_list; unsigned n_free;
};

struct IoWorker {
  IoWqe *wqe;
  IoWqAcct *acct;
  Task *task;
  CpuMask cpus;                         /* its affinity, if it has one */
  const Request *current;               /* cur_work */
  gboolean fixed;                       /* 5.5 to 5.11: never leaves */
  gboolean running;                     /* IO_WORKER_F_RUNNING: counted in nr_running */
  gboolean on_free_list, timed_out;
  gboolean spinning;                    /* 5.5: looks for new work before it goes idle */
  gboolean create_requested;            /* create_state: one creation asked for at a time */
  IoWqAcct *create_acct; IoWorker *create_next;
  IoWorker *free_next, *free_prev;
  IoWorker *all_next;
};

struct IoWq {
  unsigned use_refs;
  Simulation *sim;
  QueueHash hash_key;
  QueueWake wake; UrTime idle_time;     /* of the queue */
  Task *task;                           /* owner, who makes its workers; NULL from 5.5 to 5.11 */
  gboolean shared;                      /* Per= of the policy: whose request wants a worker makes it */
  const CpuMask *affinity;              /* of the policy; NULL: any */
  Task *manager;                        /* then only */
  unsigned kernel;
  unsigned n_wqes; IoWqe *wqe;
  IoWorker *all;
  unsigned n_executing;
  unsigned n_creating;                  /* calls of create_io_worker() under way */
  gboolean exit_on_idle;
};

static inline gboolean io_acct_has_work (const IoWqAcct *acct) { return acct->list->first && !acct->list->stalled; }
static inline gboolean io_wq_is_managed (const IoWq *wq) { return wq->kernel < KERNEL (5, 12); }

/* io_wqe_enqueue() */
void     io_wqe_enqueue (Task *task, IoWqe *wqe, Request *request);
/* io_wq_worker() */
void     io_worker_body (Task *task, void *data);

/* ---- io_wq_worker.c ---- */
void     free_list_push (IoWorker *worker);
void     free_list_remove (IoWorker *worker);
/* io_acct_activate_free_worker(): FALSE if there is none to wake. */
gboolean io_wqe_activate_free_worker (Task *task, IoWqe *wqe, const IoWqAcct *acct);
/* io_wqe_wake_worker() up to 5.14, io_wq_create_worker() from 5.15 on: if there may be one more, sees to it. */
void     io_wq_create_worker (Task *task, IoWqe *wqe, IoWqAcct *acct);
/* create_io_worker(): nr_workers and (from 5.12 on) nr_running are counted by the caller.  `task` (nullable) pays. */
IoWorker *create_io_worker (Task *task, IoWqe *wqe, IoWqAcct *acct);
/* io_wq_dec_running(), in the worker's context. */
void     io_wq_dec_running (Task *task, IoWorker *worker);
void     io_worker_exit (Task *task, IoWorker *worker);

/* ---- io_wq_manager.c ---- */
void     io_wq_start_manager (IoWq *wq);

#endif
