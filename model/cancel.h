/*
 * IORING_OP_ASYNC_CANCEL (5.5), by request.  Stands for io_try_cancel(), io_async_cancel_one(), io_req_task_cancel() of
 * io_uring/cancel.c and io_uring.c (fs/io_uring.c before 6.0), and for io_wq_cancel_cb() of io-wq.c; 5.5 to 6.18.
 *
 * Work that waits in io-wq is taken off its list and completes with ECANCELED; work that a worker executes is left
 * alone (a write to a regular file takes no notice of the signal) and the answer is EALREADY; what is neither there nor
 * a timeout gives ENOENT, so a request that waits in defer_list or in a chain cannot be cancelled.  At the end of a
 * ring bounded work is finished: the applications here wait for it anyway.
 */
#ifndef CANCEL_H
#define CANCEL_H

#include "model/ring.h"

/* 0, -EALREADY or -ENOENT. */
int  io_try_cancel (Task *task, Ring *ring, Request *target);
/* Task work: completes the request with the result it has (TaskWorkFn). */
void io_req_task_complete (Task *task, Ring *ring, Request *request);

#endif
