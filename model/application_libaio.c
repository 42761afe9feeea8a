/*
 * The libaio engine of the application.  Stands for fio's engines/libaio.c and fs/aio.c: a buffered
 * request is executed inside io_submit(2) and its event waits for io_getevents(2).
 */
#include "model/application.h"

#include "model/cpu.h"
#include "model/file_io.h"

void application_libaio_queue (Application *application, Request *request)
{
  request->work_next = NULL;
  if (application->queued_last)
    application->queued_last->work_next = request;
  else
    application->queued_first = request;
  application->queued_last = request;
}

void application_libaio_commit (Application *application)
{
  Task *task = application->task;
  Request *first = application->queued_first;

  application->queued = 0;
  application->queued_first = application->queued_last = NULL;
  task_enter_kernel (task);
  for (Request *request = first; request; request = request->work_next) {
    task_cost (task, COST_AIO_SUBMIT);
    request->time.attempt = task_now (task);
    file_io (task, request, FALSE);
    request->time.done = request->time.posted = task_now (task);
    request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
    sim_synchronous (application->sim, request);
    g_queue_push_tail_link (&application->finished, &request->link);
  }
  task_return_to_user (task);
  for (Request *request = first; request; request = request->work_next)
    request->time.issued = task_now (task);
}

void application_libaio_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  Task *task = application->task;
  unsigned got = 0;
  GList *link;

  (void) min; /* everything submitted has finished: there is nothing to wait for */
  (void) deadline;
  task_enter_kernel (task);
  for (unsigned i = 0; i < MIN (max, application->finished.length); i++)
    task_cost (task, COST_AIO_REAP);
  task_return_to_user (task);
  while (got < max && (link = g_queue_pop_head_link (&application->finished))) {
    application_reaped (application, link->data);
    got++;
  }
}
