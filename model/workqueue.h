/*
 * The unbound workqueues of 5.1 to 5.4: every ring has its own workqueue with max_active,
 * all of them share one pool of kworkers (one NUMA node).  No concurrency
 * management: each item up to max_active is runnable at once and gets a kworker of its own.
 *
 * Sequential requests do not contend: while work of the same direction is under way, a request that
 * continues the run of its ring is appended to a list (pending_async[]) that the active worker
 * executes one by one, up to 8 readahead windows.  5.4 lets any position inside the
 * noted run count as its continuation.
 *
 * Stands for kernel/workqueue.c: __queue_work(), insert_work(), worker_thread(), process_one_work(),
 * pwq_dec_nr_in_flight(), manage_workers(); and for fs/io_uring.c of 5.1 to 5.4: io_sq_wq_submit_work(),
 * io_async_list_note(), io_add_to_prev_work().
 */
#ifndef WORKQUEUE_H
#define WORKQUEUE_H

#include "model/ring.h"

Workqueue *workqueue_new (Ring *ring, const PolicyQueue *queue);
void       workqueue_free (Workqueue *workqueue);      /* accepts NULL */
void       workqueue_queue_work (Task *task, Workqueue *workqueue, Request *request);
unsigned   workqueue_pending (const Workqueue *workqueue);
unsigned   workqueue_running (const Workqueue *workqueue);
unsigned   workqueue_idle (const Workqueue *workqueue);

/* The pool of a simulation, made with its first workqueue. */
void       worker_pool_free (Simulation *sim);

#endif
