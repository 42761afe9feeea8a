/*
 * Requests that wait for others: chains (IOSQE_IO_LINK, IOSQE_IO_HARDLINK) and drains (IOSQE_IO_DRAIN).
 * Stands for io_submit_sqe()'s linking, io_submit_fail_init(), io_init_drain(), io_drain_req(), io_queue_deferred(),
 * io_disarm_next(), io_fail_links(), io_req_find_next(), io_queue_next() of io_uring/io_uring.c, fs/io_uring.c before
 * 6.0; 5.2 (drain), 5.3 (link), 5.5 (hard link) to 6.18.
 *
 * A chain is collected until a member without the flag, or the end of the batch, and then its head is queued.  The next
 * member starts after the one before has completed: up to 5.4 on the workqueue; up to 5.8 at once after one that was
 * done inline, else on io-wq; later through task_work of the ring's owner.  From 5.5 on, if the member before was done
 * by an io-wq worker that also posted it, in that worker (queued anew if it is hashed).  A member that fails or is
 * short cancels the rest of a soft chain with ECANCELED; a hard link goes on.
 *
 * A drain, and with it the chain it lies in, waits until everything that was submitted before it has completed; what
 * comes later queues behind it until it has been started.  Then they start: up to 5.4 on the workqueue, up to 5.9 on
 * io-wq, later through task_work; since 6.3 they are forced asynchronous there (c92fcfc2bab5; the flag is set since
 * 5.15 already).
 */
#ifndef LINK_H
#define LINK_H

#include "model/ring.h"

/* The sqe was taken from the SQ: what may be queued now, itself or the head of the chain it completes, or NULL. */
Request *io_link_sqe (Task *task, Ring *ring, Request *request);
/* The sqe was refused with request->prep_error.  FALSE: nothing more is to be done, it is the middle of a chain. */
gboolean io_link_fail_sqe (Task *task, Ring *ring, Request *request);
/* The batch is over: a chain that was not ended ends there.  The head if it may be queued, else NULL. */
Request *io_link_end (Task *task, Ring *ring);

/* The request has completed and was posted: its chain goes on or is cancelled.  Returns the next member if one may
 * start now; cancelled ones have been posted.  Lets no time pass. */
Request *io_req_find_next (Task *task, Ring *ring, Request *request);
/* Starts the next member; accepts NULL. */
void     io_queue_next (Task *task, Ring *ring, Request *next);
/* Starts what waited for completions. */
void     io_queue_deferred (Task *task, Ring *ring);

#endif
