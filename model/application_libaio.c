/*
 * The libaio engine of the application.  Stands for fio's engines/libaio.c (3.33 to 3.42) and fs/aio.c (5.1 to 6.18): a
 * buffered request is executed inside io_submit(2), a direct one goes to the device and its event comes from the
 * interrupt (aio_complete()); io_getevents(2) sleeps until there are enough.
 */
#include "model/application.h"

#include "model/cpu.h"
#include "model/file_io.h"

#include <errno.h>

/* Batches of more iocbs than this are plugged. */
#define AIO_PLUG_THRESHOLD 2u

void application_libaio_queue (Application *application, Request *request)
{
  request->work_next = NULL;
  if (application->queued_last)
    application->queued_last->work_next = request;
  else
    application->queued_first = request;
  application->queued_last = request;
}

/* aio_complete() */
static void aio_complete (Request *request, Task *task, Cpu *cpu)
{
  Application *application = request->application;

  request->time.done = request->time.posted = task ? task_now (task) : sim_now (application->sim);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_ASYNC;
  sim_synchronous (application->sim, request);
  g_queue_push_tail_link (&application->finished, &request->link);
  if (application->aio_wanted && application->finished.length >= application->aio_wanted)
    block_wake (task, cpu, application->task);
}

/* io_submit_one() */
static void aio_submit (Application *application, Request *request)
{
  Task *task = application->task;
  FileIoResult result;
  int error = file_rw_flags_error (task->sim, request);

  task_cost (task, COST_AIO_SUBMIT);
  request->ki_complete = aio_complete;
  request->time.attempt = task_now (task);
  result = error ? FILE_IO_AGAIN_EARLY : file_io (task, request, request->nowait);
  if (result == FILE_IO_QUEUED)
    return;
  if (result != FILE_IO_DONE)
    request->result = result == FILE_IO_AGAIN ? io_fixup_rw_res (request, EAGAIN) : -EOPNOTSUPP;
  request->time.done = request->time.posted = task_now (task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
  sim_synchronous (application->sim, request);
  g_queue_push_tail_link (&application->finished, &request->link);
}

void application_libaio_commit (Application *application)
{
  Task *task = application->task;
  Request *first = application->queued_first;
  unsigned n = application->queued;
  BlockPlug plug;

  application->queued = 0;
  application->queued_first = application->queued_last = NULL;
  task_enter_kernel (task);
  if (n > AIO_PLUG_THRESHOLD)
    block_start_plug (task, &plug);
  for (Request *request = first; request; request = request->work_next)
    aio_submit (application, request);
  if (n > AIO_PLUG_THRESHOLD)
    block_finish_plug (task, &plug);
  task_return_to_user (task);
  for (Request *request = first; request; request = request->work_next)
    request->time.issued = task_now (task);
}

void application_libaio_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  Task *task = application->task;
  unsigned got = 0;
  GList *link;

  task_enter_kernel (task);
  task_sync (task);
  min = MIN (min, application_in_flight (application));
  while (application->finished.length < min && sim_now (application->sim) < deadline) { /* read_events() */
    task_prepare_to_sleep (task);
    application->aio_wanted = min;
    task->waits_for = "an event in io_getevents()";
    task_schedule (task, deadline);
    task->waits_for = NULL;
    application->aio_wanted = 0;
  }
  for (unsigned i = 0; i < MIN (max, application->finished.length); i++)
    task_cost (task, COST_AIO_REAP);
  task_return_to_user (task);
  while (got < max && (link = g_queue_pop_head_link (&application->finished))) {
    application_reaped (application, link->data);
    got++;
  }
}
