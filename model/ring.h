/*
 * One io_uring instance: SQ and CQ rings, who waits on them, and where work that
 * cannot be done at once goes.  Stands for io_ring_ctx of io_uring/io_uring.c:
 * io_get_cqe(), io_cqring_event_overflow(), io_cqring_wait(), io_req_complete_post(),
 * __io_submit_flush_completions(); fs/io_uring.c before 6.0; 5.1 to 6.18.
 *
 * sq.head is published once per batch.  Inline completions are posted together at its end, before 5.9 each at once.
 * A full CQ: before 5.5 the entry is dropped and counted; later it goes to a backlog in order, flushed when there is
 * room and the application enters to wait.  5.5 to 5.12 refuse submission with EBUSY while the backlog does not fit;
 * that 5.11 to 6.1 also end a wait then is never seen, for the CQ is full and any wait is satisfied.
 */
#ifndef RING_H
#define RING_H

#include "model/mutex.h"
#include "model/request.h"
#include "model/ring_setup.h"

typedef struct IoWq IoWq;
typedef struct IoWqHash IoWqHash;
typedef struct Workqueue Workqueue;
typedef struct SqData SqData;

/* pending_async[READ, WRITE] of 5.1 to 5.4: the sequential run last punted, and who waits to join its worker. */
typedef struct {
  const Inode *inode; uint64_t start, end, length;      /* bytes; start and length as 5.4 counts them, end before */
  unsigned active;                      /* cnt: work of this direction queued or running */
  GQueue list;                          /* of Request */
} AsyncList;

struct Ring {
  Simulation *sim;
  unsigned id;
  Application *application;
  RingFlags flags;
  Task *submitter;                      /* the application's task */
  Ring *attach;                         /* ATTACH_WQ: shares that ring's io-wq (5.6 to 5.11), its sq_thread (5.10+) */
  Task *sq_thread; SqData *sq_data;     /* NULL without SQPOLL; may be shared by several rings */
  int sq_cpu; UrTime sq_idle;           /* sq_thread_cpu (-1: any), sq_thread_idle */

  unsigned sq_entries, cq_entries;
  Request **sq; uint32_t sq_head, sq_tail;   /* free-running, masked */
  Request **cq; uint32_t cq_head, cq_tail;
  GQueue overflow;                      /* of Request, by link: the backlog of 5.5+ */
  GQueue dropped;                       /* of Request, by link: dropped by a full CQ before 5.5 (cq_overflow) */
  gboolean need_wakeup;                 /* IORING_SQ_NEED_WAKEUP */
  gboolean closed;                      /* the application has closed it: its sq_thread forgets it */
  Task *sq_waiter;                      /* in io_sqpoll_wait_sq(): wants room in the SQ */
  GQueue iopoll_list;                   /* IOPOLL, of Request, by link: given to the device, not yet completed */
  UrTime hybrid_poll_time;              /* HYBRID_IOPOLL: the shortest run of a request so far */

  Mutex uring_lock;                     /* over a whole batch, over a run of task_work */
  Spinlock completion_lock;
  Task *waiter; uint32_t wait_nr;       /* in io_cqring_wait(): CQEs it wants ready */
  gboolean polled;                      /* the application busy-polls the CQ in user space */

  Request *batch_first, *batch_last; unsigned batch_n;       /* inline completions of the batch being submitted */
  Request *local_first, *local_last; unsigned local_n;       /* DEFER_TASKRUN: completions the submitter must post */
  unsigned frees;                       /* task_work for the owner: requests to free (6.4+) */
  gboolean taskrun;                     /* IORING_SQ_TASKRUN, with TASKRUN_FLAG: there is some */
  gboolean task_works; Ring *task_works_next;   /* on the owner's list */

  AsyncList pending_async[2];
  PolicyMemory *memory;                 /* averages of the policy (nullable) */
  const Request *decided; Decision *decision;   /* decided about and not yet told; NULL unless decisions are logged */

  unsigned in_flight;                   /* submitted, CQE not posted */
  uint64_t n_submitted;
  Request *link_head, *link_last;       /* submit_state.link: the chain being collected (link.h) */
  gboolean drain_active, drain_next;
  GQueue defer_list;                    /* of Request, by link: a drain and what came after it */
  GQueue timeouts; unsigned cq_timeouts;     /* of Request, by link; how many have ended */
  GQueue skipped;                       /* of Request, by link: completed without a CQE, not yet known to be */
  /* One each per queue of the policy, or NULL.  io_wq: 5.5 to 5.11; later it is the submitting task's (tctx.h), and
   * only the hash of buckets being executed is the ring's. */
  Workqueue **workqueue; IoWq **io_wq; IoWqHash **hash;
};

/* The set-up must be one ring_setup_check() accepts. (transfer none: the simulation owns it) */
Ring    *ring_new (Simulation *sim, Application *application, const RingSetup *setup);
void     ring_free (Ring *ring);
/* The task whose context task_work of this ring needs: the sq_thread or the submitter. */
static inline Task *ring_owner (const Ring *ring) { return ring->sq_thread ? ring->sq_thread : ring->submitter; }

static inline unsigned ring_sq_ready (const Ring *ring) { return ring->sq_tail - ring->sq_head; }
static inline gboolean ring_sq_full (const Ring *ring) { return ring_sq_ready (ring) == ring->sq_entries; }
static inline unsigned ring_cq_ready (const Ring *ring) { return ring->cq_tail - ring->cq_head; }

/* A queue's MaxWorkers= for this ring. */
static inline unsigned ring_max_workers (const Ring *ring, const PolicyQueue *queue)
{
  return policy_queue_max_workers (queue, ring->sq_entries, ring->sim->n_cpus, ring->sim->kernel);
}

/* Application side: no cost, no time. */
void     ring_sq_push (Ring *ring, Request *request);
Request *ring_cq_pop (Ring *ring);       /* NULL if empty */

/* Posts one completion under completion_lock, from any context, and wakes who waits for it.  Returns the next member of
 * its chain if one may start now (the caller sees to it), else NULL. */
Request *ring_post (Task *task, Ring *ring, Request *request);
/* Remembers an inline completion of the batch; posts all of them with one lock. */
void     ring_batch_add (Ring *ring, Request *request);
void     ring_batch_flush (Task *task, Ring *ring);
/* Posts completions by the submitter itself, for which nobody else needs to be told. */
void     ring_post_local (Task *task, Ring *ring, Request *request);
/* io_cqring_wait(): sleeps until `min` CQEs are ready or the deadline has passed, running task_work meanwhile. */
void     ring_wait (Task *task, Ring *ring, unsigned min, UrTime deadline);
unsigned ring_local_budget (const Ring *ring, unsigned min, gboolean entry);
/* io_fill_cqe_req(): the CQE alone, for who holds the lock and wakes the waiter. */
void     ring_fill_cqe (Task *task, Ring *ring, Request *request);
/* Moves the backlog into the CQ as far as it has room.  FALSE: some is left. */
gboolean ring_flush_overflow (Ring *ring);

#endif
