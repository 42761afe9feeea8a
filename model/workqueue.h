/*
 * The unbound workqueues of 5.1 to 5.4: every ring has its own workqueue with max_active,
 * all of them share one pool of kworkers per NUMA node.  No concurrency
 * management: each item up to max_active is runnable at once and gets a kworker of its own, in order; the rest waits
 * in order.  max_active counts per node of the CPU that queues (per CPU from 6.6 to 6.8, over all from 6.9 on).
 *
 * Sequential requests do not contend: while work of the same direction is under way, a request that
 * continues the run of its ring is appended to a list (pending_async[]) that the active worker
 * executes one by one, up to 8 readahead windows.  5.4 lets any position inside the
 * noted run count as its continuation; before, the run goes on from the end of whatever was punted last.
 *
 * Stands for kernel/workqueue.c: __queue_work(), insert_work(), worker_thread(), process_one_work(),
 * pwq_dec_nr_in_flight(), manage_workers(); and for fs/io_uring.c of 5.1 to 5.4: io_sq_wq_submit_work(),
 * io_async_list_note(), io_add_to_prev_work().
 *
 * Left out: kworkers that leave after 5 minutes; pools by cache (6.6).
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

/* The pools of a simulation, made with its first workqueue. */
void       worker_pools_free (Simulation *sim);

#endif
