/*
 * IORING_OP_TIMEOUT (5.4), TIMEOUT_REMOVE and LINK_TIMEOUT (5.5).  Stands for io_uring/timeout.c: io_timeout(),
 * io_timeout_fn(), io_flush_timeouts(), io_timeout_cancel(), io_prep_linked_timeout(), io_queue_linked_timeout(),
 * io_link_timeout_fn(), io_req_task_link_timeout(), io_disarm_linked_timeout(); fs/io_uring.c before 6.0; up to 6.18.
 *
 * A timeout completes with ETIME when its time is over, with 0 when so many others have completed since it was issued,
 * with ECANCELED when it is removed.  Any that ends ends a wait in io_uring_enter() too.  A link timeout is a
 * member of a chain: its time starts when the member before it has been issued; if that completes first the timeout
 * is cancelled, else it tries to cancel it and ends with ETIME, or with EALREADY if that was running and goes on.
 *
 * The timer is an interrupt on the owner's CPU; the rest is task_work, on every kernel (before 5.12 the interrupt
 * posted the CQE itself).
 */
#ifndef TIMEOUT_H
#define TIMEOUT_H

#include "model/ring.h"

/* Issues a timeout: it is on the ring's list now. */
void     io_timeout (Task *task, Ring *ring, Request *request);
/* Removes a timeout from the list, which completes with ECANCELED: 0; -ENOENT if it is not on it. */
int      io_timeout_cancel (Task *task, Ring *ring, Request *target);
/* Requests have completed: timeouts that waited for so many end. */
void     io_flush_timeouts (Task *task, Ring *ring);

/* Before a request is issued: the timeout linked to it, NULL if there is none; afterwards its time starts, unless the
 * request, which is only compared with, has ended meanwhile. */
Request *io_prep_linked_timeout (Request *request);
void     io_queue_linked_timeout (Ring *ring, Request *timeout, const Request *request);
/* The request has completed: its timeout, out of the chain and cancelled, NULL if there is none or it is over. */
Request *io_disarm_linked_timeout (Ring *ring, Request *request);

#endif
