/* See cancel.h. */
#include "model/cancel.h"

#include "model/queue_owner.h"
#include "model/task_work.h"
#include "model/tctx.h"
#include "model/timeout.h"

#include <errno.h>

void io_req_task_complete (Task *task, Ring *ring, Request *request)
{
  request->time.done = task_now (task);
  if (!request->time.attempt)
    request->time.attempt = request->time.done;
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_ASYNC;
  ring_batch_add (ring, request);
}

/* io_async_cancel_one(): what waits is run as cancelled, and completes by task_work. */
static int io_async_cancel_one (Task *task, Ring *ring, Request *target)
{
  IoWq *wq = queue_owner_io_wq_peek (ring, target->queue, target->inode);

  switch (wq ? io_wq_cancel (task, wq, target) : IO_WQ_CANCEL_NOTFOUND) {
  case IO_WQ_CANCEL_OK:
    target->result = -ECANCELED;
    target->time.started = task_now (task);
    io_req_task_work_add (task, NULL, ring, target, io_req_task_complete);
    return 0;
  case IO_WQ_CANCEL_RUNNING:
    return -EALREADY;
  default:
    return -ENOENT;
  }
}

int io_try_cancel (Task *task, Ring *ring, Request *target)
{
  int error;

  if (target->time.posted)
    return -ENOENT;
  error = io_async_cancel_one (task, ring, target);
  return error == -ENOENT ? io_timeout_cancel (task, ring, target) : error;
}
