/* The io_uring engine of the application.  Stands for fio's engines/io_uring.c. */
#include "model/application.h"

#include "model/cpu.h"
#include "model/sq_thread.h"
#include "model/submit.h"
#include "model/tctx.h"

/* fio 3.33 and later: CQSIZE (CQ as large as the SQ), and what the kernel has of COOP_TASKRUN, SINGLE_ISSUER and
 * DEFER_TASKRUN; with sqthread_poll SQPOLL and CQSIZE only. */
static RingFlags fio_ring_flags (const Application *application)
{
  unsigned kernel = application->sim->kernel;
  gboolean plain = !application->sqpoll;
  RingFlags flags = {
    .sqpoll = application->sqpoll,
    .cqsize = kernel >= KERNEL (5, 5),
    .coop_taskrun = plain && kernel >= KERNEL (5, 19),
    .single_issuer = plain && kernel >= KERNEL (6, 0),
    .defer_taskrun = plain && kernel >= KERNEL (6, 1),
  };

  return flags;
}

/* io_uring_register() right after the set-up, for whoever submits. */
static void application_uring_register (Ring *ring, const RingOptions *options)
{
  Task *owner = ring_owner (ring);

  io_uring_add_tctx_node (owner, ring);
  if (options->iowq_max_workers[0] || options->iowq_max_workers[1])
    io_uring_register_iowq_max_workers (owner, ring,
                                        (unsigned[]){ options->iowq_max_workers[0], options->iowq_max_workers[1] });
  if (!cpu_mask_is_empty (&options->iowq_cpus))
    io_uring_register_iowq_aff (owner, ring, &options->iowq_cpus);
}

void application_uring_setup (Application *application)
{
  const RingOptions *options = &application->job->ring;
  RingSetup setup = {
    .entries = options->given && options->sq_entries ? options->sq_entries : application->iodepth,
    .cq_entries = options->cq_entries,
    .flags = options->given ? options->flags : fio_ring_flags (application),
    .sq_cpu = application->job->sqpoll_cpu,
    .sq_idle = options->sq_idle,
  };

  application->ring = ring_new (application->sim, application, &setup);
  application->ring->submitter = application->task;
  application->ring->polled = application->sqpoll;
  if (application->sqpoll)
    sq_thread_start (application->ring, application->task);
  application_uring_register (application->ring, options);
}

void application_uring_queue (Application *application, Request *request)
{
  Ring *ring = application->ring;

  if (!application->sqpoll) {
    ring_sq_push (ring, request);
    return;
  }
  task_sync (application->task);
  while (ring_sq_full (ring)) /* the sq_thread publishes its head at the end of its batch only */
    if (task_spin (application->task, NULL, UR_TIME_NEVER) == SPIN_RESCHED)
      task_yield (application->task);
  request->time.issued = sim_now (application->sim);
  ring_sq_push (ring, request);
  sq_thread_notify (application->task, ring);
}

void application_uring_commit (Application *application)
{
  Ring *ring = application->ring;
  unsigned n = application->queued;

  application->queued = 0;
  if (application->sqpoll)
    return; /* published one by one */
  application->stamp_from = ring->sq_head;
  io_uring_enter (application->task, ring, n, 0, TRUE);
  for (unsigned i = 0; i < n; i++) /* fio stamps a batch when the call returns */
    ring->sq[(application->stamp_from + i) & (ring->sq_entries - 1)]->time.issued = task_now (application->task);
}

void application_uring_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  Ring *ring = application->ring;
  Task *task = application->task;
  unsigned got = 0;

  task_sync (task);
  for (;;) {
    Request *request;

    while (got < max && (request = ring_cq_pop (ring))) {
      application_reaped (application, request);
      got++;
    }
    if (got >= min || task_now (task) >= deadline)
      return;
    if (!application->sqpoll) {
      io_uring_enter_timeout (task, ring, 0, min - got, TRUE, deadline);
      continue;
    }
    ring_flush_overflow (ring);
    task_sync (task);
    if (ring_cq_ready (ring))
      continue;
    task->waits_for = "a completion, polling the CQ";
    if (task_spin (task, NULL, deadline) == SPIN_RESCHED)
      task_yield (task);
    task->waits_for = NULL;
  }
}
