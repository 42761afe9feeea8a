/*
 * Submission: from the SQ ring to the attempt, and from EAGAIN to a queue.
 * Stands for io_submit_sqes(), io_submit_sqe(), io_queue_sqe(), io_queue_async(), io_queue_iowq(),
 * io_wq_submit_work() of io_uring/io_uring.c, and io_uring_enter(2); 5.1 to 6.18.
 * Which way a request goes is asked of the policy (model/policy.h).
 */
#ifndef SUBMIT_H
#define SUBMIT_H

#include "model/ring.h"

/* The system call: submits up to `to_submit` sqes, then waits for `min_complete` CQEs (of no more than the CQ holds) if
 * `getevents`.  Returns how many it submitted; if fewer than asked for, because one failed, it has not waited (5.5+).
 * -EBUSY: 5.5 to 5.12 with a backlog that does not fit into the CQ: nothing was submitted, reap first.
 * -EEXIST: a SINGLE_ISSUER ring of another task. */
int      io_uring_enter (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents);
/* The same, waiting until `deadline` at most (IORING_ENTER_EXT_ARG). */
int      io_uring_enter_timeout (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents,
                                 UrTime deadline);
/* Submits up to n sqes as one batch.  One that fails to be prepared ends it unless SUBMIT_ALL (5.18+); it has a CQE
 * with its error and counts as submitted.  Returns how many, or -EBUSY as above.
 * The caller holds uring_lock (the sq_thread: from 5.6 on). */
int      io_submit_sqes (Task *task, Ring *ring, unsigned n);
/* Hands a request to the queue its rule names, without an attempt; where it names none, to the owner's task_work. */
void     io_queue_iowq (Task *task, Ring *ring, Request *request);
/* Task work: issues a request that waited for others (a TaskWorkFn). */
void     io_req_task_submit (Task *task, Ring *ring, Request *request);
/* A worker executes the request, blocking, and completes it: do_work and free_work of an io-wq.  Returns the next
 * member of its chain, prepared with io_wq_prepare(), if it is for a worker too: the same one executes it unless it is
 * hashed. */
Request *io_wq_submit_work (Task *task, Request *request);
/* Book-keeping of worker threads, for both kinds of queue. */
void     sim_worker_created (Simulation *sim);
void     sim_worker_exited (Simulation *sim);

#endif
