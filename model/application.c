/* See application.h. */
#include "model/application.h"

#include "model/cpu.h"
#include "model/file_io.h"
#include "model/life_private.h"
#include "model/sample.h"
#include "model/sq_thread.h"

#include <errno.h>
#include <string.h>

#define REQUESTS_AT_ONE_MOMENT 1000000u
/* The kernel moves at most this much in one request. */
#define MAX_RW_COUNT 0x7ffff000u

struct AsyncEngine {
  void (*queue) (Application *, Request *);
  void (*commit) (Application *);
  void (*reap) (Application *, unsigned min, unsigned max, UrTime deadline);
};

/* Of x86 cores: 32 to 48 KiB. */
#define L1_CACHE_BYTES 32768u

static const AsyncEngine uring = { application_uring_queue, application_uring_commit, application_uring_reap };
static const AsyncEngine liburing = { application_uring_queue, application_uring_commit,
                                      application_uring_submit_and_reap };
static const AsyncEngine libaio = { application_libaio_queue, application_libaio_commit, application_libaio_reap };

static const AsyncEngine posixaio = { application_posixaio_queue, application_posixaio_commit,
                                      application_posixaio_reap };

static void application_body (Task *task, void *data);

/* How many requests may be in flight, and down to how many it reaps when they are.  fio_ioring_init() rounds the depth
 * up to a power of two after iodepth_low took its default from it: iodepth=24 fills up to 32 and drains to 24. */
static void application_set_depth (Application *application, unsigned asked)
{
  const WorkloadJob *job = application->job;
  gboolean rounds = application->engine == APPLICATION_IO_URING && !(job->ring.given && !job->ring.by_fio);

  application->iodepth_low = job->iodepth_low < job->iodepth ? MIN (job->iodepth_low, asked) : asked;
  application->iodepth = asked;
  if (rounds && (asked & (asked - 1)))
    application->iodepth = 1u << g_bit_storage (asked);
}

Application *application_new (Simulation *sim, const WorkloadJob *job)
{
  const SimulationSetup *setup = sim->setup;
  Application *application = g_new0 (Application, 1);

  application->sim = sim;
  application->job = job;
  application->number = sim->applications->len;
  application->engine = setup->engine >= 0 ? (ApplicationEngine) setup->engine : job->engine;
  application->sqpoll = application->engine == APPLICATION_IO_URING && application_wants_sqpoll (setup, job);
  application->submit_and_wait =
      application->engine == APPLICATION_IO_URING && !application->sqpoll && job->ring.given && !job->ring.by_fio;
  application->sqe_flags = (job->fixed_files ? SQE_FIXED_FILE : 0) | (job->fixed_buffers ? SQE_FIXED_BUFFER : 0);
  application_set_depth (application, application->engine == APPLICATION_PSYNC ? 1
                                      : setup->iodepth                         ? setup->iodepth
                                                                               : job->iodepth);
  g_queue_init (&application->finished);
  application->slots = g_new0 (Request, application->iodepth);
  application->free = g_new (Request *, application->iodepth);
  for (unsigned i = application->iodepth; i-- > 0;) {
    application->slots[i].application = application;
    application->slots[i].slot = i;
    application->slots[i].link.data = &application->slots[i];
    application->free[application->n_free++] = &application->slots[i];
  }
  if (application->engine == APPLICATION_PSYNC && setup->engine < 0 && job->seeks) {
    application->file_position = g_new (uint64_t, setup->workload->files->len);
    memset (application->file_position, 0xff, setup->workload->files->len * sizeof (uint64_t));
  }
  if (application_stamps_at_head (application))
    application->stamps = g_new0 (UrTime, application->iodepth);
  if (job->pattern.sync_range_every)
    application->ranges = g_new0 (WrittenRange, sim->inodes->len);
  application->task = task_new (sim, job->name, TASK_CLASS_APP, -1, application_body, application);
  if (!cpu_mask_is_empty (&job->cpus))
    application->task->allowed = &job->cpus;
  g_ptr_array_add (sim->applications, application);
  return application;
}

void application_free (Application *application)
{
  if (application->source)
    application->source->free (application->source);
  application_posixaio_free (application->posixaio);
  g_free (application->ranges);
  g_free (application->slots);
  g_free (application->stamps);
  g_free (application->file_position);
  g_free (application->free);
  g_free (application);
}

void application_start (Application *application)
{
  application->sim->applications_running++;
  task_start (application->task, NULL);
}

static gboolean application_reopen (Application *application)
{
  GError *error = NULL;

  if (application->source)
    application->source->free (application->source);
  application->source = workload_open_job (application->sim->setup->workload, application->job,
                                           application->sim->setup->seed + application->pass++, &error);
  if (!application->source)
    sim_fail (application->sim, error);
  else
    application_pace_source (application);
  return application->source != NULL;
}

UrTime application_measured_from (const Application *application)
{
  UrTime ramp = application->job->ramp_time;

  return ramp < UR_TIME_NEVER - application->started ? application->started + ramp : UR_TIME_NEVER;
}

/* When the stream has to stop whatever it is doing: --simulate-time, runtime=. */
static UrTime application_end (const Application *application)
{
  UrTime limit = application->sim->setup->limit_time, runtime = application->job->runtime;
  UrTime end = limit ? limit : UR_TIME_NEVER, from = application_measured_from (application);

  return runtime ? MIN (end, runtime < UR_TIME_NEVER - from ? from + runtime : UR_TIME_NEVER) : end;
}

static gboolean application_time_is_up (const Application *application)
{
  const Simulation *sim = application->sim;

  /* All streams share the count, so it is read at its time: a stream that runs ahead would take the whole limit. */
  if (sim->setup->limit_ios && sim->applications->len > 1)
    task_sync (application->task);
  return task_now (application->task) >= application_end (application) ||
         (sim->setup->limit_ios && sim->issued >= sim->setup->limit_ios) || sim->error;
}

/* should_fsync() up to fio 3.37, where a queued sync counts from its completion on: it is issued again and again until
 * then, and left out if the last completion was one. */
static gboolean application_counts_completed_syncs (const Application *application)
{
  unsigned version = application->sim->setup->fio_version;

  return version && version < KERNEL (3, 38) && application->job->pattern.has_write && !application->job->open_source &&
         (application->engine == APPLICATION_IO_URING || application->engine == APPLICATION_POSIXAIO);
}

/* Puts the last sync, or the next of the stream, into `pending`; as IoSource.next(). */
static int application_fetch (Application *application, GError **error)
{
  gboolean old = application_counts_completed_syncs (application);
  int got;

  if (old && application->last_was_sync && !application->completed_sync) {
    application->pending = application->last_sync;
    return 1;
  }
  do
    got = application->source->next (application->source, &application->pending, error);
  while (old && got > 0 && application->pending.op > IO_TRIM && application->completed_sync);
  return got;
}

/* Fills application->pending; FALSE at the end. */
static gboolean application_next (Application *application)
{
  GError *error = NULL;
  int got;

  if (application->chain_left && application->has_pending)
    return TRUE; /* a chain that was begun is finished whatever the time */
  if (application->exhausted || application_time_is_up (application))
    return FALSE;
  if (application->has_pending)
    return TRUE;
  got = application_fetch (application, &error);
  if (got == 0 && application->job->time_based && application->job->runtime && application_reopen (application))
    got = application_fetch (application, &error);
  if (got < 0)
    sim_fail (application->sim, error);
  if (got > 0 && application->paced && application_time_is_up (application)) /* rate_ddir(): DDIR_TIMEOUT */
    got = 0;
  application->exhausted = got <= 0;
  application->has_pending = got > 0;
  return got > 0;
}

/* With all costs at 0 a job that runs for a time would never end. */
static void application_check_time_passes (Application *application)
{
  UrTime now = task_now (application->task);

  if (now != application->moment) {
    application->moment = now;
    application->at_moment = 0;
  } else if (++application->at_moment > REQUESTS_AT_ONE_MOMENT) {
    sim_fail (application->sim,
              g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                           "job \"%s\": %u requests at %" G_GUINT64_FORMAT " ns: no time passes on machine "
                           "%s; expected costs above 0",
                           application->job->name, REQUESTS_AT_ONE_MOMENT, now,
                           application->sim->setup->machine->name));
  }
}

/* Whether request `number`, counted from 0, is one of every `every`. */
static gboolean is_nth (uint64_t number, unsigned every) { return every && (number + 1) % every == 0; }

/* What --sqe says about it; the flags of chains come with application_link(). */
static void application_mark (const Application *application, Request *request)
{
  const SqeOptions *sqe = &application->job->sqe;

  request->opcode = sqe->nop && application->engine == APPLICATION_IO_URING ? REQUEST_NOP : REQUEST_IO;
  request->bytes_done = 0;
  request->prep_error = is_nth (request->number, sqe->bad_every) ? EINVAL : 0;
  request->sqe_flags = application->sqe_flags | (is_nth (request->number, sqe->drain_every) ? SQE_DRAIN : 0);
  request->failed = request->skip_links = request->silent = request->may_be_silent = FALSE;
  request->chain_next = NULL;
}

/* Makes the request a member of a chain; the last one of a stream ends its chain. */
static void application_link (Application *application, Request *request)
{
  const SqeOptions *sqe = &application->job->sqe;

  if (sqe->link < 2)
    return;
  if (!application->chain_left)
    application->chain_left = sqe->link;
  application->chain_left--;
  if (!application->chain_left || !application_next (application)) {
    application->chain_left = 0;
    return;
  }
  request->sqe_flags |= sqe->hard ? SQE_HARDLINK : SQE_LINK;
  if (sqe->cqe_skip) {
    request->sqe_flags |= SQE_CQE_SKIP;
    request->may_be_silent = TRUE;
    application->n_silent++;
  }
}

/* fio's first_write and last_write of each file: what a sync_file_range() is for. */
static void application_range_done (Application *application, const Request *request)
{
  WrittenRange *range = &application->ranges[request->io.file];

  if (request->io.op == IO_WRITE) {
    range->first = range->end ? MIN (range->first, request->io.offset) : request->io.offset;
    range->end = MAX (range->end, request->io.offset + request->io.length);
  } else if (request->io.op > IO_TRIM) {
    *range = (WrittenRange){ 0, 0 };
  }
}

/* fio_ioring_prep(), do_sync_file_range(): what has been written since the last sync.  A trace does not say. */
static void application_sync_range (Application *application, Request *request)
{
  const WrittenRange *range = application->ranges ? &application->ranges[request->io.file] : NULL;

  request->sync_range = application->job->sync_range ? application->job->sync_range : SYNC_RANGE_ALL;
  if (!range)
    return;
  request->io.offset = range->first;
  request->io.length = range->end - range->first;
  if (!request->io.length)
    request->sync_range = 0; /* nothing was written: fio does not call it */
}

/* small_content_scramble() of fio: two cache lines of each block of 512 bytes are written before each write
 * (scramble_buffers=1, the default).  A small buffer's lines are still in the first-level cache: part of Prepare. */
static void application_scramble (Application *application, const Request *request)
{
  uint64_t blocks = request->io.length / 512;

  if (G_LIKELY (request->io.op != IO_WRITE || request->io.length <= L1_CACHE_BYTES || application->submit_and_wait))
    return;
  task_run (application->task, blocks * sim_cost (application->sim, COST_APP_SCRAMBLE));
}

Request *application_prepare (Application *application)
{
  Simulation *sim = application->sim;
  Request *request;

  g_assert (application->n_free && application->has_pending);
  application_check_time_passes (application);
  request = application->free[--application->n_free];
  application->has_pending = FALSE;
  sim->issued++;
  sim_progress (sim);
  request->io = application->pending;
  request->io.length = MIN (request->io.length, MAX_RW_COUNT);
  application->last_was_sync = request->io.op > IO_TRIM;
  if (application->last_was_sync)
    application->last_sync = request->io;
  application->wrote |= request->io.op == IO_WRITE;
  request->number = application->n_prepared++;
  request->inode = g_ptr_array_index (sim->inodes, request->io.file);
  request->ring = application->ring;
  request->in_flight = TRUE;
  request->force_async =
      is_nth (request->number, application->job->force_async) && application->engine == APPLICATION_IO_URING;
  request->direct = application->job->direct;
  request->nowait = application->job->nowait && request->io.op <= IO_WRITE;
  request->sync = request->io.op == IO_WRITE ? application->job->sync : SYNC_NONE;
  request->dontcache = application->job->dontcache && request->io.op <= IO_WRITE;
  if (request->io.op == IO_SYNC_FILE_RANGE)
    application_sync_range (application, request);
  request->ki_complete = NULL;
  request->task_work = NULL;
  request->polled = FALSE;
  request->hashed = request->concurrent = request->unbound = FALSE;
  application_mark (application, request);
  request->result = 0;
  request->again = AGAIN_NONE;
  request->may_wait = request->chained = FALSE;
  request->executor = NULL;
  request->lock_holder = RESULT_NOBODY;
  memset (&request->time, 0, sizeof request->time);
  request->time.prepared = task_now (application->task);
  request->entered = sim_now (sim);
  ur_level_set (&sim->count.in_flight, request->entered, sim->count.in_flight.level + 1);
  task_cost (application->task, COST_APP_PREPARE);
  application_scramble (application, request);
  return request;
}

static void result_op_add (ResultOp *op, const Request *request, gboolean synchronous)
{
  const RequestTimes *time = &request->time;
  UrTime start = synchronous ? time->issued : time->prepared;

  op->ios++;
  op->bytes += request->result > 0 ? (uint64_t) request->result : 0;
  if (!synchronous)
    ur_histogram_record (&op->slat, time->issued > time->prepared ? time->issued - time->prepared : 0);
  ur_histogram_record (&op->clat, time->reaped > time->issued ? time->reaped - time->issued : 0);
  ur_histogram_record (&op->lat, time->reaped - start);
}

void application_reaped (Application *application, Request *request)
{
  Simulation *sim = application->sim;
  gboolean synchronous = application->engine == APPLICATION_PSYNC;

  request->time.reaped = task_now (application->task);
  request->time.reap_wakeup = task_wakeup_within (application->task, request->time.posted, request->time.reaped);
  task_cost (application->task, COST_APP_REAP);
  application->n_silent -= request->may_be_silent;
  application->blocks_done += request->io.op <= IO_TRIM;
  application->completed_sync = request->io.op > IO_TRIM;
  if (application->ranges)
    application_range_done (application, request);
  if (G_UNLIKELY (application->stamps != NULL))
    request->time.issued = application->stamps[request->slot];
  else if (!request->time.issued) /* it completed while its batch was still being handed over */
    request->time.issued = request->time.reaped;
  sim->count.reaped++;
  sim_progress (sim);
  ur_level_set (&sim->count.in_flight, sim_now (sim), sim->count.in_flight.level - 1);
  life_ended (application, request);
  if (G_UNLIKELY (request->outcome == OUTCOME_FAILED) && !sim->count.first_error)
    sim->count.first_error = (int) -request->result;
  request->in_flight = FALSE;
  if (request->outcome != OUTCOME_FAILED && /* what fails is no throughput */
      (G_LIKELY (!application->job->ramp_time) || request->time.reaped >= application_measured_from (application)))
    result_op_add (&sim->op[request->io.op], request, synchronous);
  if (G_UNLIKELY (sim_now (sim) >= sim->timeline->next))
    sim_timeline_add (sim);
  if (G_UNLIKELY (sim_now (sim) >= sim->next_sample))
    sample_take (sim);
  sim->residence += sim_now (sim) - request->entered;
  application->free[application->n_free++] = request;
}

void application_lost (Application *application, Request *request)
{
  Simulation *sim = application->sim;

  request->in_flight = FALSE;
  ur_level_set (&sim->count.in_flight, sim_now (sim), sim->count.in_flight.level - 1);
  sim->residence += sim_now (sim) - request->entered;
  application->free[application->n_free++] = request;
}

void application_sleep_until (Application *application, UrTime when)
{
  Task *task = application->task;

  when = MIN (when, application_end (application));

  do { /* a notification ends the sleep; the system call is restarted after its task_work */
    task_enter_kernel (task);
    task_sync (task);
    if (sim_now (task->sim) < when) {
      task_prepare_to_sleep_interruptible (task);
      task->waits_for = "its next arrival";
      task_schedule (task, when);
      task->waits_for = NULL;
    }
    task_return_to_user (task);
  } while (sim_now (task->sim) < when);
}

/* Timed replay: nothing before its time; completions are reaped meanwhile.  FALSE: the time is up before. */
static gboolean application_await_arrival (Application *application, const AsyncEngine *engine)
{
  UrTime due = application->started + application->pending.arrival;
  UrTime now = task_now (application->task);

  if (now < due && engine && application->queued)
    engine->commit (application);
  while (engine && application_in_flight (application) && task_now (application->task) < due)
    engine->reap (application, 1, 1, due);
  if (task_now (application->task) < due)
    application_sleep_until (application, due);
  if (application_time_is_up (application))
    return FALSE;
  now = task_now (application->task);
  application->late = now > due ? now - due : 0;
  application->late_total += application->late;
  application->last_due = due;
  application->n_timed++;
  return TRUE;
}

/* io_u_quiesce() */
void application_quiesce (Application *application)
{
  const AsyncEngine *engine = application->async;

  if (engine && application->queued)
    engine->commit (application);
  while (engine && application_in_flight (application))
    engine->reap (application, 1, application_in_flight (application), UR_TIME_NEVER);
}

/* usec_spin() */
void application_spin_until (Application *application, UrTime when)
{
  Task *task = application->task;

  when = MIN (when, application_end (application));
  while (task_now (task) < when)
    if (task_spin (task, NULL, when) == SPIN_RESCHED)
      task_yield (task);
}

/* wait_for_completions(): with the depth used up, down to iodepth_low. */
static void application_drain_to_low (Application *application, const AsyncEngine *engine)
{
  const WorkloadJob *job = application->job;
  unsigned min = MAX (MIN (job->batch_complete_min, application->iodepth), 1);

  do {
    unsigned want = MIN (min, application_in_flight (application));

    engine->reap (application, want, MAX (job->batch_complete_max, want), UR_TIME_NEVER);
  } while (application_in_flight (application) > application->iodepth_low);
}

/* in_flight_overlap(): whether the next request covers bytes of one in flight.  Offsets are compared, files are not. */
static gboolean application_overlaps (const Application *application)
{
  const Io *io = &application->pending;

  if (io->op > IO_TRIM || !application_in_flight (application))
    return FALSE;
  for (unsigned i = 0; i < application->iodepth; i++) {
    const Request *other = &application->slots[i];

    if (other->in_flight && other->io.op <= IO_TRIM && io->offset < other->io.offset + other->io.length &&
        other->io.offset < io->offset + io->length)
      return TRUE;
  }
  return FALSE;
}

/* The system call: preadv2() and its like, fsync(). */
static void application_psync_call (Task *task, Request *request)
{
  int error = file_rw_flags_error (task->sim, request);

  if (error)
    request->result = -error;
  else
    switch (file_io (task, request, request->nowait)) {
    case FILE_IO_AGAIN_EARLY: /* a write of a file that does not know how */
      request->result = -EOPNOTSUPP;
      break;
    case FILE_IO_AGAIN:
      request->result = io_fixup_rw_res (request, EAGAIN);
      break;
    default:
      break;
    }
}

/* fio_syncio_prep() of engines/sync.c. */
static void application_seek (Application *application, const Io *io)
{
  uint64_t *position = &application->file_position[io->file];

  if (io->op > IO_TRIM)
    return;
  if (*position != io->offset) {
    task_enter_kernel (application->task);
    task_return_to_user (application->task);
  }
  *position = io->offset + io->length;
}

/* A request that is over when its system call returns. */
static void application_call (Application *application, Request *request)
{
  Task *task = application->task;
  IoOp op = request->io.op;

  if (application->file_position)
    application_seek (application, &request->io);
  request->time.issued = task_now (task);
  task_enter_kernel (task);
  request->time.attempt = task_now (task);
  application_psync_call (task, request);
  request->time.done = request->time.posted = task_now (task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
  sim_synchronous (application->sim, request);
  task_return_to_user (task);
  application_issued (application, op, request->io.length);
  application_reaped (application, request);
  application_think (application, op);
}

/* do_io() for engines that keep several requests in flight. */
static void application_run_async (Application *application, const AsyncEngine *engine)
{
  const WorkloadJob *job = application->job;
  gboolean timed = application->sim->setup->replay == REPLAY_TIMED && job->open_source;
  unsigned room = application->engine == APPLICATION_IO_URING ? MAX (job->sqe.link, 1) : 1;
  unsigned batch = application->submit_and_wait ? G_MAXUINT : MIN (MAX (job->batch_submit, 1), application->iodepth);

  application->async = engine;
  while (application_next (application)) {
    Request *request;
    Io io;

    if (timed && !application_await_arrival (application, engine))
      break;
    while (job->serialize_overlap && !application->chain_left && application_overlaps (application)) {
      if (application->queued)
        engine->commit (application);
      application_drain_to_low (application, engine);
    }
    request = application_prepare (application);
    io = request->io;
    if (engine == &libaio && io.op > IO_WRITE) { /* do_io_u_sync(): fsync(2), once the others are handed over */
      if (application->queued)
        engine->commit (application);
      application_call (application, request);
      continue;
    }
    if (application->engine == APPLICATION_IO_URING)
      application_link (application, request);
    engine->queue (application, request);
    application->queued++;
    application->batched++;
    application_issued (application, io.op, io.length);
    if (application->chain_left)
      continue;
    if (application->batched >= batch) {
      engine->commit (application);
      application->batched = 0;
    }
    /* td_io_getevents() commits, too, but does not begin a new batch. */
    while (application->n_free < room && application_in_flight (application)) {
      if (application->queued && !application->submit_and_wait)
        engine->commit (application);
      application_drain_to_low (application, engine);
    }
    application_think (application, io.op);
  }
  if (application->queued)
    engine->commit (application);
  while (application_in_flight (application))
    engine->reap (application, application_in_flight (application), application_in_flight (application), UR_TIME_NEVER);
}

/* psync: one pread, pwrite or fsync at a time. */
static void application_run_psync (Application *application)
{
  gboolean timed = application->sim->setup->replay == REPLAY_TIMED && application->job->open_source;

  while (application_next (application)) {
    Request *request;

    if (timed && !application_await_arrival (application, NULL))
      break;
    request = application_prepare (application);
    application_call (application, request);
  }
}

/* end_fsync, fsync_on_close: fio_file_fsync() on each file.  They are no requests of the job. */
static void application_end_sync (Application *application)
{
  const WorkloadJob *job = application->job;
  Task *task = application->task;

  for (unsigned i = 0; job->end_fsync && application->wrote && !application->last_was_sync && i < job->files->len;
       i++) {
    Request request = { .io = { .file = g_array_index (job->files, uint32_t, i), .op = IO_SYNC } };

    request.inode = g_ptr_array_index (application->sim->inodes, request.io.file);
    task_enter_kernel (task);
    file_io (task, &request, FALSE);
    task_return_to_user (task);
  }
}

static void application_body (Task *task, void *data)
{
  Application *application = data;

  task->user_mode = TRUE;
  application->started = sim_now (task->sim) + application->job->start_delay;
  if (application->job->start_delay)
    application_sleep_until (application, application->started);
  if (application->engine == APPLICATION_IO_URING)
    application_uring_setup (application);
  application_pace_start (application);
  if (application_reopen (application)) {
    if (application->engine == APPLICATION_IO_URING)
      application_run_async (application, application->submit_and_wait ? &liburing : &uring);
    else if (application->engine == APPLICATION_LIBAIO)
      application_run_async (application, &libaio);
    else if (application->engine == APPLICATION_POSIXAIO) {
      application->posixaio = application_posixaio_new (application);
      application_run_async (application, &posixaio);
    } else
      application_run_psync (application);
    application_end_sync (application);
  }
  task_sync (task);
  application->ended = sim_now (task->sim);
  sim_application_ended (application->sim);
  if (application->sqpoll && !application->sim->ended) /* others go on: its sq_thread must not */
    sq_thread_finish (task, application->ring);
}
