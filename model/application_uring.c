/*
 * The io_uring engine of the application.  Stands for fio's engines/io_uring.c (3.33 to 3.42), and for a program
 * written with liburing (io_uring_submit_and_wait(), src/queue.c) if the job describes its ring.  liburing looks at the
 * SQ flags: while IORING_SQ_TASKRUN or IORING_SQ_CQ_OVERFLOW (5.8) is set, a submission asks for completions too
 * (GETEVENTS).
 *
 * Issue times: when the submit call returns, or with sqthread_poll when the tail is published.  fio 3.34 (commit
 * c011bf1292f1) and 3.35 take them for the wrong requests with sqthread_poll, 3.36 (10bad6b9a15f) is right again.
 *
 * EBUSY (5.5 to 5.12 with a backlog): it reaps what is there and tries again.  A batch that ended at a malformed sqe:
 * it submits the rest.  Completions dropped by a full CQ (before 5.5): it waits for them for ever, so its stream ends
 * once nothing else is to come.
 */
#include "model/application.h"

#include "model/cpu.h"
#include "model/sq_thread.h"
#include "model/submit.h"
#include "model/tctx.h"

#include <errno.h>

/* fio 3.33 and later: CQSIZE (CQ as large as the SQ), and what the kernel has of COOP_TASKRUN, SINGLE_ISSUER and
 * DEFER_TASKRUN; with sqthread_poll SQPOLL and CQSIZE only; with hipri IOPOLL too. */
static RingFlags fio_ring_flags (unsigned kernel, gboolean sqpoll, gboolean hipri)
{
  RingFlags flags = {
    .sqpoll = sqpoll,
    .iopoll = hipri,
    .cqsize = kernel >= KERNEL (5, 5),
    .coop_taskrun = !sqpoll && kernel >= KERNEL (5, 19),
    .single_issuer = !sqpoll && kernel >= KERNEL (6, 0),
    .defer_taskrun = !sqpoll && kernel >= KERNEL (6, 1),
  };

  return flags;
}

gboolean application_wants_sqpoll (const SimulationSetup *setup, const WorkloadJob *job)
{
  const PolicySqThread policy = setup->policy ? setup->policy->ring.sq_thread : SQ_THREAD_AS_JOB;

  if (setup->sqpoll >= 0)
    return setup->sqpoll;
  return job->ring.given ? job->ring.flags.sqpoll : policy != SQ_THREAD_AS_JOB ? policy == SQ_THREAD_YES : job->sqpoll;
}

/* Flags of a ring of which nothing is known: the policy's, else fio's. */
static RingFlags default_ring_flags (const SimulationSetup *setup, const WorkloadJob *job, unsigned kernel,
                                     gboolean sqpoll)
{
  RingFlags flags = fio_ring_flags (kernel, sqpoll, job->hipri), asked;

  if (!setup->policy || !setup->policy->ring.flags_given)
    return flags;
  asked = setup->policy->ring.flags;
  asked.iopoll = flags.iopoll;
  asked.cqsize = flags.cqsize;
  return asked;
}

RingSetup application_ring_setup (const SimulationSetup *simulation, const WorkloadJob *job, unsigned kernel,
                                  unsigned iodepth)
{
  const gboolean sqpoll = application_wants_sqpoll (simulation, job);
  const RingOptions *options = &job->ring;
  RingSetup setup = {
    .entries = options->given && options->sq_entries ? options->sq_entries : iodepth,
    .cq_entries = options->cq_entries,
    .flags = options->given ? options->flags : default_ring_flags (simulation, job, kernel, sqpoll),
    .sq_cpu = job->sqpoll_cpu,
    .sq_idle = options->given || !simulation->policy ? options->sq_idle : simulation->policy->ring.sq_idle,
  };

  setup.flags.sqpoll = sqpoll;
  return setup;
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

/* ATTACH_WQ: with the first ring of the workload that asks for it too and has or has not an sq_thread like this one. */
static Ring *application_uring_attach (const Simulation *sim, const RingFlags *flags)
{
  for (unsigned i = 0; flags->attach_wq && i < sim->rings->len; i++) {
    Ring *ring = g_ptr_array_index (sim->rings, i);

    if (ring->flags.attach_wq && ring->flags.sqpoll == flags->sqpoll)
      return ring;
  }
  return NULL;
}

void application_uring_setup (Application *application)
{
  RingSetup setup = application_ring_setup (application->sim->setup, application->job, application->sim->kernel,
                                            application->iodepth);

  if (application->job->ring.given && !setup.flags.sq_aff)
    setup.sq_cpu = -1;
  setup.attach = application_uring_attach (application->sim, &setup.flags);
  application->ring = ring_new (application->sim, application, &setup);
  application->ring->submitter = application->task;
  application->ring->polled = application->sqpoll;
  if (application->sqpoll)
    sq_thread_start (application->ring, application->task);
  application_uring_register (application->ring, &application->job->ring);
}

/* Takes what is in the CQ, at most `max`, and what is known to be done without a CQE; returns how many. */
static unsigned application_uring_pop (Application *application, unsigned max)
{
  Ring *ring = application->ring;
  Request *request;
  GList *link;
  unsigned got = 0;

  while (got < max && (request = ring_cq_pop (ring))) {
    application_reaped (application, request);
    got++;
  }
  while (got < max && (link = g_queue_pop_head_link (&ring->skipped))) {
    application_reaped (application, link->data);
    got++;
  }
  return got;
}

/* Whether it may sleep for room in the SQ.  In 5.10 to 5.12 not with more in flight than the CQ holds: the sq_thread
 * would wait for room in the CQ (EBUSY), and both for ever. */
static gboolean application_uring_may_wait (const Application *application)
{
  unsigned kernel = application->sim->kernel;

  return application->job->ring.sq_wait && kernel >= KERNEL (5, 10) &&
         (kernel >= KERNEL (5, 13) || application_in_flight (application) <= application->ring->cq_entries);
}

/* Waits until the sq_thread has left room for n entries: it publishes its head at the end of its batch only. */
static void application_uring_await_room (Application *application, unsigned n)
{
  Ring *ring = application->ring;

  task_sync (application->task);
  while (ring->sq_entries - ring_sq_ready (ring) < n) {
    if (ring->overflow.length && application_uring_pop (application, G_MAXUINT)) /* or it was refused: EBUSY */
      ring_flush_overflow (ring);
    else if (application_uring_may_wait (application))
      sq_thread_wait_room (application->task, ring);
    else if (task_spin (application->task, NULL, UR_TIME_NEVER) == SPIN_RESCHED)
      task_yield (application->task);
    task_sync (application->task);
  }
}

/* Published one by one, but a chain as a whole: the sq_thread would end it where it ends. */
static void application_uring_publish (Application *application, Request *request)
{
  Ring *ring = application->ring;

  if (!application->queued_first) { /* no chain, or its first member */
    application_uring_await_room (application, 1 + application->chain_left);
    application->queued_first = application->queued_last = request;
  } else {
    application->queued_last->work_next = request;
    application->queued_last = request;
    task_sync (application->task);
  }
  request->work_next = NULL;
  if (application->chain_left)
    return;
  for (Request *next; (request = application->queued_first); application->queued_first = next) {
    next = request->work_next;
    request->time.issued = sim_now (application->sim);
    ring_sq_push (ring, request);
  }
  application->queued_last = NULL;
  sq_thread_notify (application->task, ring);
}

void application_uring_queue (Application *application, Request *request)
{
  Ring *ring = application->ring;

  if (application->sqpoll) {
    application_uring_publish (application, request);
    return;
  }
  if (ring->sq_entries - ring_sq_ready (ring) < 1 + application->chain_left)
    application_uring_commit (application); /* io_uring_get_sqe() has none: submit, then there is room */
  ring_sq_push (ring, request);
}

/* One system call with all that is queued.  Returns how many completions it had to reap to be let in. */
static unsigned application_uring_enter (Application *application, unsigned min, gboolean getevents, UrTime deadline)
{
  Ring *ring = application->ring;
  uint32_t from = ring->sq_head;
  int submitted = io_uring_enter_timeout (application->task, ring, application->queued, min, getevents, deadline);

  if (submitted == -EBUSY)
    return application_uring_pop (application, G_MAXUINT);
  g_assert (submitted >= 0);
  application->queued -= (unsigned) submitted;
  for (int i = 0; i < submitted; i++) /* fio stamps a batch when the call returns */
    ring->sq[(from + (unsigned) i) & (ring->sq_entries - 1)]->time.issued = task_now (application->task);
  return 0;
}

/* cq_ring_needs_enter() of liburing: the kernel has completions that only an entry with GETEVENTS brings. */
static gboolean application_uring_needs_enter (const Ring *ring)
{
  return ring->flags.iopoll || ring->taskrun || (ring->overflow.length && ring->sim->kernel >= KERNEL (5, 8));
}

gboolean application_stamps_at_head (const Application *application)
{
  unsigned version = application->sim->setup->fio_version;

  return version >= KERNEL (3, 34) && version <= KERNEL (3, 35) && application->sqpoll && !application->job->ring.given;
}

/* fio_ioring_commit() and fio_ioring_queued() of 3.34 and 3.35: as many slots of the SQ as were queued get the time of
 * now, from the kernel's head on.  They are the new requests only if the sq_thread has taken all that was there before
 * and nothing since; else a new one keeps the stamp of its slot's last use, and an old one gets another. */
static void application_uring_stamp_at_head (Application *application)
{
  const Ring *ring = application->ring;

  for (unsigned i = 0; i < application->queued; i++) {
    const Request *request = ring->sq[(ring->sq_head + i) & (ring->sq_entries - 1)];

    if (request)
      application->stamps[request->slot] = task_now (application->task);
  }
}

void application_uring_commit (Application *application)
{
  if (application->stamps) {
    task_sync (application->task);
    application_uring_stamp_at_head (application);
  }
  if (application->sqpoll)
    application->queued = 0; /* published one by one */
  while (application->queued)
    application_uring_enter (application, 0,
                             !application->submit_and_wait || application_uring_needs_enter (application->ring),
                             UR_TIME_NEVER);
}

/* How much of what is submitted can still complete. */
static unsigned application_uring_awaited (const Application *application)
{
  return application_in_flight (application) - application->queued - application->ring->dropped.length;
}

/* For how many CQEs to wait if it wants `min` requests and `can_come` may complete. */
static unsigned application_uring_want (const Application *application, unsigned min, unsigned can_come)
{
  unsigned silent = MIN (application->n_silent, can_come - 1);

  return can_come ? MIN (min, can_come - silent) : 0;
}

/* All that it waits for was dropped. */
static void application_uring_strand (Application *application)
{
  GList *link;

  task_sync (application->task);
  while ((link = g_queue_pop_head_link (&application->ring->dropped)))
    application_lost (application, link->data);
  application->stranded = sim_now (application->sim);
  application->exhausted = TRUE;
}

/* Lets time pass until there is something to reap: min of it, as far as so many can come. */
static void application_uring_wait (Application *application, unsigned min, UrTime deadline)
{
  Ring *ring = application->ring;
  Task *task = application->task;

  const RingOptions *options = &application->job->ring;

  /* liburing waits in the kernel, fio does not */
  if (!application->sqpoll || (options->given && !options->by_fio)) {
    io_uring_enter_timeout (task, ring, 0,
                            application_uring_want (application, min, application_uring_awaited (application)), TRUE,
                            deadline);
    return;
  }
  ring_flush_overflow (ring);
  task_sync (task);
  if (ring_cq_ready (ring))
    return;
  task->waits_for = "a completion, polling the CQ";
  if (task_spin (task, NULL, deadline) == SPIN_RESCHED)
    task_yield (task);
  task->waits_for = NULL;
}

void application_uring_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  Task *task = application->task;
  unsigned got = 0;

  task_sync (task);
  for (;;) {
    got += application_uring_pop (application, max - got);
    if (got >= min || task_now (task) >= deadline)
      return;
    if (application_uring_awaited (application) == 0 && !ring_cq_ready (application->ring)) {
      application_uring_strand (application);
      return;
    }
    application_uring_wait (application, min - got, deadline);
  }
}

/* io_uring_submit_and_wait(min), then everything that is there. */
void application_uring_submit_and_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  unsigned got = 0;

  (void) max;
  while (application->queued) {
    unsigned can_come = application->queued + application_uring_awaited (application);

    got += application_uring_enter (application, application_uring_want (application, min, can_come), TRUE, deadline);
  }
  application_uring_reap (application, got < min ? min - got : 0, G_MAXUINT, deadline);
}
