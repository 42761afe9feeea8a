/*
 * io-wq: io_uring's own worker pool.  Work to regular files that is hashed runs one at a
 * time per bucket, in order; a worker takes a whole run of one bucket and executes it
 * back to back.  Stands for fs/io-wq.c and io_uring/io-wq.c, 5.5 to 6.18, and what 6.19 changes for idle workers:
 * io_wq_enqueue(), io_wq_insert_work(), io_get_next_work(), io_worker_handle_work(), io_wait_on_hash(),
 * io_wq_hash_wake(), io_wq_worker(), and (in io_wq_worker.c) io_wq_worker_sleeping(), io_wq_worker_running(),
 * io_queue_worker_create(), create_worker_cb(), io_wq_max_workers(), io_wq_cpu_affinity(), io_wq_cancel_cb();
 * io_wq_manager() of 5.5 to 5.11 in io_wq_manager.c.
 *
 * By version:
 *   owner        5.5 to 5.11 the ring, whose workers are kthreads made by a manager; later the submitting task
 *                (tctx.h), whose workers are its threads, made by itself
 *   wqe          up to 6.3 one per NUMA node: work goes to that of the submitter's CPU, and its workers stay on the
 *                node; limits and order hold per node.  From 6.4 on there is one
 *   list         up to 5.14 one per wqe for both classes, from 5.15 on one per class; the lock is the wqe's up to 5.17,
 *                from 5.18 on the list's own, so that a worker can look between the insertion and the wake-up
 *   enqueue      up to 5.14 wakes somebody only if the work is concurrent or no worker runs; from 5.15 on always
 *   free worker  5.15 to 6.4: one that is awake already does not count as woken; before and after it does
 *   IOSQE_ASYNC  from 6.10 on the file is not known when the work is prepared: such reads and writes are not hashed, and
 *                unbounded
 *   hash         5.5 to 5.11 per wqe; later the ring's, shared by the tasks that submit to it
 *   sleeping     up to 6.15 a worker that goes to sleep with work on the list and nobody running asks for another one
 *                whatever it was doing; 6.16: only from inside an item, and not if the list starts with the same
 *                bucket; 6.17: a free worker is woken before one is created
 *   idle         a worker leaves after 5 s unless it is the last one of its class (5.5 to 5.11: the fixed one of its
 *                node); 6.3: also the last one if it is on a CPU where it may not be any more; 6.19: at once if its
 *                task has no ring left
 *
 * Left out: failing and retried creation (6.14); the manager thread that 5.12 still had beside workers that are threads
 * of the task (gone in 5.13, 685fe7feedb9): 5.12 is modelled as 5.13; the item of unhashed work that clears bucket 0 up
 * to 6.14.
 */
#ifndef IO_WQ_H
#define IO_WQ_H

#include "model/cpu_mask.h"
#include "model/ring.h"

#define IO_WQ_BUCKETS 64
/* RLIMIT_NPROC, the limit of unbounded workers: 16 GiB of memory give about that much. */
#define IO_WQ_RLIMIT_NPROC 63000u

typedef enum { IO_WQ_ACCT_BOUND, IO_WQ_ACCT_UNBOUND, IO_WQ_ACCT_NR } IoWqAcctIndex;
typedef struct IoWorker IoWorker;
typedef struct IoWqHash IoWqHash;

/* The io-wq of a queue of the policy, with limits and hash from `ring`; `task` owns it, or if NULL the ring. */
IoWq    *io_wq_new (Ring *ring, unsigned queue, Task *task);
/* One user more: a ring set up with ATTACH_WQ (5.6 to 5.11).  Each calls io_wq_free(), which accepts NULL. */
IoWq    *io_wq_get (IoWq *wq);
void     io_wq_free (IoWq *wq);
/* Gives up a ring's hold on its hash; accepts NULL. */
void     io_wq_put_hash (IoWqHash *hash);
/* Sets hashed, bucket and concurrent of the request as io_prep_async_work() does on this kernel. */
void     io_wq_prepare (const IoWq *wq, Request *request);
void     io_wq_enqueue (Task *task, IoWq *wq, Request *request);
/* Task work of the owner, create_worker_cb(): one worker went to sleep and asked for another. */
void     io_wq_create_worker_cb (Task *task, IoWorker *worker);
/* New limits, 0: as before; the old ones come back. */
void     io_wq_max_workers (IoWq *wq, unsigned count[IO_WQ_ACCT_NR]);
/* Where workers made from now on may run; NULL: anywhere (up to 6.3: on their node). */
void     io_wq_cpu_affinity (IoWq *wq, const CpuMask *cpus);
/* IO_WQ_BIT_EXIT_ON_IDLE */
void     io_wq_set_exit_on_idle (Task *task, IoWq *wq, gboolean enable);

typedef enum { IO_WQ_CANCEL_OK, IO_WQ_CANCEL_RUNNING, IO_WQ_CANCEL_NOTFOUND } IoWqCancel;
/* io_wq_cancel_cb() for one request: OK took it off its list (the caller completes it), RUNNING left it alone. */
IoWqCancel io_wq_cancel (Task *task, IoWq *wq, Request *request);

/* For policies: work on the lists, being executed, workers without work. */
unsigned io_wq_pending (const IoWq *wq);
unsigned io_wq_running (const IoWq *wq);
unsigned io_wq_idle (const IoWq *wq);
/* The limit of a class, on one node. */
unsigned io_wq_limit (const IoWq *wq, IoWqAcctIndex index);
/* An end-of-run check: what is wrong with the counts, NULL if nothing is. (transfer full) */
char    *io_wq_check (const IoWq *wq);

#endif
