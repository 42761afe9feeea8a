/* See collect.h. */
#include "model/collect.h"

#include "model/application.h"
#include "model/block_device.h"
#include "model/cpu.h"
#include "model/dio_workqueue.h"
#include "model/journal.h"
#include "model/life_private.h"
#include "model/queue_owner.h"
#include "model/sample.h"
#include "model/sq_thread.h"
#include "model/tctx.h"
#include "model/writeback.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Share of its span by which a timed replay may end late and still count as keeping up. */
#define KEEPS_UP 0.05

static const char *const outcome_names[] = { "inline", "punted_hashed", "punted_unhashed", "async", "failed" };
static const char *const phase_names[] = { "submit", "attempt", "punt",     "queue", "wakeup",
                                           "lock",   "service", "complete", "reap" };

const char *outcome_name (Outcome outcome)
{
  g_return_val_if_fail (outcome < OUTCOMES, NULL);
  return outcome_names[outcome];
}

const char *trace_event_name (TraceEventKind kind)
{
#define TRACE_EVENT_NAME(id, name) name,
  static const char *const names[] = { TRACE_EVENTS (TRACE_EVENT_NAME) };

  g_return_val_if_fail (kind < TRACE_EVENT_KINDS, NULL);
  return names[kind];
}

const char *result_task_name (ResultTask task)
{
  static const char *const names[] = { "application", "sq_thread", "worker", "flusher", "nobody" };

  g_return_val_if_fail (task < RESULT_TASKS, NULL);
  return names[task];
}

const char *phase_name (Phase phase)
{
  g_return_val_if_fail (phase < PHASES, NULL);
  return phase_names[phase];
}

void result_op_init (ResultOp *op)
{
  op->ios = op->bytes = 0;
  ur_histogram_init (&op->slat);
  ur_histogram_init (&op->clat);
  ur_histogram_init (&op->lat);
}

static void G_GNUC_PRINTF (2, 3) check_failed (Simulation *sim, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  sim_fail (sim, g_error_new_valist (SIMULATION_ERROR, SIMULATION_ERROR_CHECK, format, args));
  va_end (args);
}

static void check_requests (Simulation *sim)
{
  const SimulationCounters *count = &sim->count;
  uint64_t outcomes = 0;
  uint64_t dropped = sim->kernel < KERNEL (5, 5) ? count->cq_overflows : 0;
  uint64_t skipped = 0;

  for (unsigned i = 0; i < sim->rings->len; i++)
    skipped += ((const Ring *) g_ptr_array_index (sim->rings, i))->skipped.length;
  for (unsigned i = 0; i < OUTCOMES; i++)
    outcomes += count->outcome[i];
  if (count->submitted != outcomes || count->submitted != sim->issued)
    check_failed (sim,
                  "check: %" G_GUINT64_FORMAT " issued, %" G_GUINT64_FORMAT " submitted, %" G_GUINT64_FORMAT
                  " with an outcome",
                  sim->issued, count->submitted, outcomes);
  if (count->completed != count->submitted || count->reaped + dropped + skipped != count->completed)
    check_failed (sim,
                  "check: %" G_GUINT64_FORMAT " submitted, %" G_GUINT64_FORMAT " completed, %" G_GUINT64_FORMAT
                  " reaped, %" G_GUINT64_FORMAT " dropped",
                  count->submitted, count->completed, count->reaped, dropped);
  if (count->backwards)
    check_failed (sim, "check: %" G_GUINT64_FORMAT " stations of requests end before they begin", count->backwards);
  if (count->in_flight.level > 0)
    check_failed (sim, "check: %g requests still in flight", count->in_flight.level);
}

/* Nothing waits for something else in a ring. */
static void check_rings (Simulation *sim)
{
  for (unsigned i = 0; i < sim->rings->len; i++) {
    const Ring *ring = g_ptr_array_index (sim->rings, i);

    if (ring->link_head || ring->defer_list.length || ring->in_flight || ring->iopoll_list.length)
      check_failed (sim, "check: ring %u: %u requests in flight, %u deferred, %s", ring->id, ring->in_flight,
                    ring->defer_list.length, ring->link_head ? "a chain that was not ended" : "no chain");
  }
}

/* Little's law: mean number in flight x time = sum of the times in flight. */
static void check_little (Simulation *sim)
{
  double area = ur_level_mean (&sim->count.in_flight, sim->finished) * (double) sim->finished;

  if (fabs (area - (double) sim->residence) > 1e-6 * ((double) sim->residence + 1) + 1)
    check_failed (sim,
                  "check: Little's law: mean in flight x time is %.0f ns, times in flight add up to %" G_GUINT64_FORMAT
                  " ns",
                  area, sim->residence);
}

static void check_rwsem (Simulation *sim, const Rwsem *sem)
{
  if (rwsem_is_locked (sem) || sem->n_waiters || sem->osq.n)
    check_failed (sim, "check: %s is held or waited for at the end (%s)", sem->name,
                  sem->owner ? sem->owner->name : "no writer");
}

static void check_locks (Simulation *sim)
{
  for (unsigned i = 0; i < sim->inodes->len; i++) {
    const Inode *inode = g_ptr_array_index (sim->inodes, i);

    check_rwsem (sim, &inode->rwsem);
    check_rwsem (sim, &inode->extents);
  }
}

/* An sq_thread spins on with its locks held when everything else is over. */
static void check_mutex (Simulation *sim, const Mutex *mutex)
{
  if (mutex->n_waiters || mutex->osq.n || mutex->handoff || mutex->pickup ||
      (mutex->owner && mutex->owner->class != TASK_CLASS_SQ_THREAD))
    check_failed (sim, "check: %s is held or waited for at the end (%s)", mutex->name,
                  mutex->owner ? mutex->owner->name : "nobody");
}

static void check_mutexes (Simulation *sim)
{
  for (unsigned i = 0; i < sim->rings->len; i++)
    check_mutex (sim, &((const Ring *) g_ptr_array_index (sim->rings, i))->uring_lock);
  for (unsigned i = 0; i < sim->sq_data->len; i++) {
    const SqData *sqd = g_ptr_array_index (sim->sq_data, i);

    if (!sqd->changing) /* else a ring is just being attached while the last stream ended elsewhere */
      check_mutex (sim, &sqd->lock);
  }
}

static void check_io_wq (Simulation *sim, const char *owner, const IoWq *wq)
{
  g_autofree char *wrong = wq ? io_wq_check (wq) : NULL;

  if (wrong)
    check_failed (sim, "check: io-wq of %s: %s", owner, wrong);
}

static void check_queue_set (Simulation *sim, const char *owner, const QueueSet *set)
{
  for (unsigned k = 0; set && k < set->n; k++)
    check_io_wq (sim, owner, set->io_wq[k]);
}

static void check_io_wqs (Simulation *sim)
{
  for (unsigned i = 0; i < sim->tasks->len; i++) {
    const Task *task = g_ptr_array_index (sim->tasks, i);

    for (unsigned k = 0; task->tctx && k < task->tctx->n_io_wq; k++)
      check_io_wq (sim, task->name, task->tctx->io_wq[k]);
  }
  for (unsigned i = 0; i < sim->rings->len; i++) {
    const Ring *ring = g_ptr_array_index (sim->rings, i);

    for (unsigned k = 0; k < sim->setup->policy->n_queues; k++)
      check_io_wq (sim, "a ring", ring->io_wq[k]);
  }
  for (unsigned i = 0; i < sim->inodes->len; i++)
    check_queue_set (sim, "a file", ((const Inode *) g_ptr_array_index (sim->inodes, i))->queues);
  check_queue_set (sim, "the system", sim->queues);
}

static void check_cpus (Simulation *sim)
{
  for (unsigned i = 0; i < sim->n_cpus; i++) {
    const Cpu *cpu = &sim->cpus[i];
    UrTime busy = cpu->irq;

    for (unsigned class = 0; class < TASK_CLASSES; class ++)
      busy += cpu->busy[class];
    if (busy + cpu->idle_time != sim->finished)
      check_failed (sim,
                    "check: CPU %u: busy %" G_GUINT64_FORMAT " + idle %" G_GUINT64_FORMAT
                    " ns is not %" G_GUINT64_FORMAT " ns",
                    i, busy, cpu->idle_time, sim->finished);
    if (cpu->spin > busy)
      check_failed (sim, "check: CPU %u: spun %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " ns busy", i, cpu->spin,
                    busy);
  }
}

/* What is counted over all files is what they have. */
static void check_cache (Simulation *sim)
{
  uint64_t dirty = 0, writeback = 0;

  for (unsigned i = 0; i < sim->inodes->len; i++) {
    const Inode *inode = g_ptr_array_index (sim->inodes, i);

    if (!inode->pages.totals)
      continue;
    dirty += inode->pages.dirty_touched;
    writeback += inode->pages.writeback;
    if (inode->pages.dirty_touched && !inode->wb_list && !inode->wb_visited)
      check_failed (sim, "check: %s has dirty pages and is on no list of the flusher", inode->rwsem.name);
  }
  if (dirty != sim->wb->pages.dirty || writeback != sim->wb->pages.writeback)
    check_failed (sim,
                  "check: %" G_GUINT64_FORMAT " pages dirty and %" G_GUINT64_FORMAT
                  " under writeback, counted %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
                  dirty, writeback, sim->wb->pages.dirty, sim->wb->pages.writeback);
}

static void check_device (Simulation *sim)
{
  if (dio_workqueue_pending (sim))
    check_failed (sim, "check: %u direct writes wait for a kworker at the end", dio_workqueue_pending (sim));
  for (unsigned i = 0; i < sim->inodes->len; i++) {
    const Inode *inode = g_ptr_array_index (sim->inodes, i);

    if (inode->direct || inode->direct_waiters->len || inode->writeback_waiters->len)
      check_failed (sim, "check: %s: %u direct requests under way, %u wait for them, %u for writeback at the end",
                    inode->rwsem.name, inode->direct, inode->direct_waiters->len, inode->writeback_waiters->len);
  }
}

static void check_journal (Simulation *sim)
{
  g_autofree char *wrong = journal_check (sim->journal);

  if (wrong)
    check_failed (sim, "check: journal: %s", wrong);
}

void sim_check (Simulation *sim)
{
  check_requests (sim);
  check_rings (sim);
  check_little (sim);
  check_locks (sim);
  check_io_wqs (sim);
  check_mutexes (sim);
  check_cpus (sim);
  check_device (sim);
  check_cache (sim);
  check_journal (sim);
}

static double share (double part, double whole) { return whole > 0 ? part / whole : 0; }

static double collect_cpu (const Simulation *sim, RunResult *result)
{
  double total = (double) sim->finished * sim->n_cpus, busy = 0, class[TASK_CLASSES] = { 0 }, spin = 0, irq = 0;

  for (unsigned i = 0; i < sim->n_cpus; i++) {
    spin += (double) sim->cpus[i].spin;
    irq += (double) sim->cpus[i].irq;
    for (unsigned c = 0; c < TASK_CLASSES; c++)
      class[c] += (double) sim->cpus[i].busy[c];
  }
  for (unsigned c = 0; c < TASK_CLASSES; c++)
    busy += class[c];
  busy += irq;
  result->cpu.busy = share (busy, total);
  result->cpu.idle = 1 - result->cpu.busy;
  result->cpu.spin = share (spin, total);
  result->cpu.app = share (class[TASK_CLASS_APP], total);
  result->cpu.sq_thread = share (class[TASK_CLASS_SQ_THREAD], total);
  result->cpu.workers = share (class[TASK_CLASS_WORKER], total);
  result->cpu.flusher = share (class[TASK_CLASS_FLUSHER], total);
  result->cpu.irq = share (irq, total);
  return busy;
}

static int compare_locks (const void *a, const void *b)
{
  const ResultLock *left = a, *right = b;
  uint64_t l = left->spin_ns + left->slowpath_ns + left->wait_total,
           r = right->spin_ns + right->slowpath_ns + right->wait_total;

  return l != r ? (l < r) - (l > r) : strcmp (left->name, right->name);
}

static ResultLock *collect_lock (const Simulation *sim, const char *name, const LockCounters *count, const Osq *osq,
                                 const UrLevel *queued, ResultLock *lock)
{
  g_strlcpy (lock->name, name, sizeof lock->name);
  lock->acquired = count->acquired;
  lock->contended = count->contended;
  lock->wait_total = count->wait_total;
  lock->wait_max = count->wait_max;
  lock->spin_ns = count->spin_ns;
  lock->slowpath_ns = count->slowpath_ns;
  lock->hold_ns = count->hold_ns;
  lock->sleeps = count->sleeps;
  lock->handoffs = count->handoffs;
  lock->steals = count->steals;
  memcpy (lock->pair, count->pair, sizeof lock->pair);
  lock->mean_spinning = ur_level_mean (&osq->spinning, sim->finished);
  lock->mean_queued = ur_level_mean (queued, sim->finished);
  return lock + 1;
}

static ResultLock *collect_rwsem (const Simulation *sim, const Rwsem *sem, ResultLock *lock)
{
  return collect_lock (sim, sem->name, &sem->count, &sem->osq, &sem->queued, lock);
}

/* A mutex is worth a line only if somebody has waited for it. */
static ResultLock *collect_mutex (const Simulation *sim, const Mutex *mutex, ResultLock *lock)
{
  if (!mutex->count.contended)
    return lock;
  return collect_lock (sim, mutex->name, &mutex->count, &mutex->osq, &mutex->queued, lock);
}

/* Means of the stages over all requests, and over those of each outcome. */
static void collect_stages (const Simulation *sim, RunResult *result)
{
  const SimulationCounters *count = &sim->count;

  for (unsigned phase = 0; phase < PHASES; phase++) {
    double sum = 0;

    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
      const double of_outcome = (double) count->phase[outcome][phase].sum;

      sum += of_outcome;
      result->phase[phase].n += count->phase[outcome][phase].n;
      result->stage[outcome][phase].mean = share (of_outcome, (double) count->ended[outcome]);
      result->stage[outcome][phase].n = count->phase[outcome][phase].n;
      result->stage[outcome][phase].p99 = life_stage_p99 (sim, (Outcome) outcome, (Phase) phase);
      result->stage_total[outcome] += result->stage[outcome][phase].mean;
    }
    result->phase[phase].mean = share (sum, (double) count->reaped);
    result->phase_total += result->phase[phase].mean;
  }
}

static void collect_locks (const Simulation *sim, RunResult *result, double busy)
{
  ResultLock *lock;

  result->lock = g_new0 (ResultLock, MAX (2 * sim->inodes->len + sim->rings->len + sim->sq_data->len, 1));
  lock = result->lock;
  for (unsigned i = 0; i < sim->inodes->len; i++) {
    const Inode *inode = g_ptr_array_index (sim->inodes, i);

    lock = collect_rwsem (sim, &inode->rwsem, lock);
    if (inode->extents.count.contended) /* else not worth a line */
      lock = collect_rwsem (sim, &inode->extents, lock);
  }
  for (unsigned i = 0; i < sim->rings->len; i++)
    lock = collect_mutex (sim, &((const Ring *) g_ptr_array_index (sim->rings, i))->uring_lock, lock);
  for (unsigned i = 0; i < sim->sq_data->len; i++)
    lock = collect_mutex (sim, &((const SqData *) g_ptr_array_index (sim->sq_data, i))->lock, lock);
  result->n_locks = (unsigned) (lock - result->lock);
  for (unsigned i = 0; i < result->n_locks; i++) {
    lock = &result->lock[i];
    lock->cpu_share_spinning = share ((double) lock->spin_ns, busy);
    lock->cpu_share_contention = share ((double) (lock->spin_ns + lock->slowpath_ns), busy);
  }
  qsort (result->lock, result->n_locks, sizeof *result->lock, compare_locks);
}

static void collect_workers (const Simulation *sim, RunResult *result)
{
  const SimulationCounters *count = &sim->count;
  double busy = ur_level_mean (&count->workers_running, sim->finished);

  result->workers.created = count->workers_created;
  result->workers.max_alive = count->workers_max_alive;
  result->workers.mean_spinning = ur_level_mean (&count->workers_spinning, sim->finished);
  result->workers.mean_sleeping_on_lock = ur_level_mean (&count->workers_on_lock, sim->finished);
  result->workers.mean_running = MAX (busy - result->workers.mean_spinning - result->workers.mean_sleeping_on_lock, 0);
  result->workers.mean_idle = MAX (ur_level_mean (&count->workers_alive_level, sim->finished) - busy, 0);
}

/* A timed replay that is not behind at its end was limited by its arrivals. */
static void collect_arrivals (const Simulation *sim, RunResult *result)
{
  UrTime late = 0, behind = 0, span = 0;
  uint64_t timed = 0;

  for (unsigned i = 0; i < sim->applications->len; i++) {
    const Application *application = g_ptr_array_index (sim->applications, i);

    if (!application->n_timed)
      continue;
    timed += application->n_timed;
    late += application->late_total;
    behind = MAX (behind, application->late);
    span = MAX (span, application->last_due - application->started);
  }
  if (timed && (double) behind <= KEEPS_UP * (double) span)
    g_ptr_array_add (result->notes,
                     g_strdup_printf ("arrival-bound: requests start %.0f ns late on average, the last one "
                                      "%" G_GUINT64_FORMAT " ns; compare latencies",
                                      share ((double) late, (double) timed), behind));
  else if (timed)
    g_ptr_array_add (result->notes, g_strdup_printf ("behind its arrivals: the last request starts %" G_GUINT64_FORMAT
                                                     " ns late; compare throughput",
                                                     behind));
}

/* What a full CQ did. */
static void collect_overflow (const Simulation *sim, RunResult *result)
{
  if (!sim->count.cq_overflows)
    return;
  if (sim->kernel >= KERNEL (5, 5)) {
    g_ptr_array_add (result->notes,
                     g_strdup_printf ("%" G_GUINT64_FORMAT " completions found the CQ full and waited in "
                                      "the kernel's backlog",
                                      sim->count.cq_overflows));
    return;
  }
  g_ptr_array_add (result->notes,
                   g_strdup_printf ("%" G_GUINT64_FORMAT " completions found the CQ full and were dropped, "
                                    "as kernels before 5.5 do",
                                    sim->count.cq_overflows));
  for (unsigned i = 0; i < sim->applications->len; i++) {
    const Application *application = g_ptr_array_index (sim->applications, i);

    if (application->stranded)
      g_ptr_array_add (result->notes,
                       g_strdup_printf ("job \"%s\": from %" G_GUINT64_FORMAT " ns on it waits for dropped completions "
                                        "for ever; its stream ends there",
                                        application->job->name, application->stranded));
  }
}

/* Said only if it was used. */
static void collect_device (const Simulation *sim, RunResult *result)
{
  const BlockCounters *count = block_counters (sim->device);
  const Device *device = block_device (sim->device);
  ResultDevice *to = &result->device;

  g_strlcpy (to->name, device->name, sizeof to->name);
  to->reads = count->requests[BLOCK_READ];
  to->writes = count->requests[BLOCK_WRITE];
  to->flushes = count->requests[BLOCK_FLUSH];
  to->merged = count->merged;
  to->tag_waits = count->tag_waits;
  to->busy_channels = ur_level_mean (&count->busy, sim->finished);
  to->queued = ur_level_mean (&count->queued, sim->finished);
  to->channels = (unsigned) device_number (device, DEVICE_CHANNELS);
  to->used = to->reads + to->writes + to->flushes > 0;
  if (to->used)
    g_ptr_array_add (result->notes, g_strdup_printf ("Device %s: %s", device->name, device->evidence));
}

void sim_timeline_add (Simulation *sim)
{
  const BdiWriteback *wb = sim->wb;
  TimelineSlice slice = { .until = sim_now (sim),
                          .written = wb->written,
                          .paused = writeback_paused (wb),
                          .dirty = wb->pages.dirty + wb->pages.writeback };

  for (unsigned i = 0; i < IO_SYNC; i++) {
    slice.ios += sim->op[i].ios;
    slice.bytes += sim->op[i].bytes;
  }
  timeline_add (sim->timeline, &slice);
}

static void collect_cache (Simulation *sim, RunResult *result)
{
  const BdiWriteback *wb = sim->wb;

  result->cache = (ResultCache){ .used = wb->pauses || wb->flushed || wb->evicted || wb->dropped,
                                 .dirty = wb->pages.dirty,
                                 .writeback = wb->pages.writeback,
                                 .max_dirty = MAX (wb->max_dirty, wb->pages.dirty + wb->pages.writeback),
                                 .limit = wb->thresh,
                                 .background_limit = wb->bg_thresh,
                                 .pauses = wb->pauses,
                                 .flushed = wb->flushed,
                                 .evicted = wb->evicted,
                                 .dropped = wb->dropped,
                                 .throttled = wb->throttled,
                                 .longest_pause = wb->longest_pause };
  sim_timeline_add (sim);
  sample_take (sim);
  result->samples = g_steal_pointer (&sim->samples);
  result->lock_wait = sim->lock_wait;
  result->lock_hold = sim->lock_hold;
  result->periods = timeline_phases (sim->timeline);
}

/* What a request of the model can fail with. (transfer full) */
static char *error_name (int error)
{
  static const struct {
    int error;
    const char *name;
  } names[] = { { EAGAIN, "EAGAIN" },       { EINVAL, "EINVAL" }, { EOPNOTSUPP, "EOPNOTSUPP" },
                { ECANCELED, "ECANCELED" }, { ENOENT, "ENOENT" }, { EALREADY, "EALREADY" },
                { ETIME, "ETIME" } };

  for (unsigned i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].error == error)
      return g_strdup (names[i].name);
  return g_strdup_printf ("errno %d", error);
}

static void collect_journal (const Simulation *sim, RunResult *result)
{
  const Journal *journal = sim->journal;
  const BlockCounters *count = block_counters (sim->device);

  result->journal = (ResultJournal){ .used = journal->syncs > 0,
                                     .syncs = journal->syncs,
                                     .asked = journal->asked,
                                     .joined = journal->joined,
                                     .clean = journal->clean,
                                     .commits = journal->commits,
                                     .flushes = count->requests[BLOCK_FLUSH],
                                     .flushes_shared = count->flushes_shared };
}

static void collect_notes (const Simulation *sim, RunResult *result)
{
  collect_arrivals (sim, result);
  collect_overflow (sim, result);
  collect_device (sim, result);
  if (result->measured_ns < result->sim_ns)
    g_ptr_array_add (result->notes,
                     g_strdup_printf ("ramp_time: what completed in the first %" G_GUINT64_FORMAT
                                      " ns is in no rate and no latency; paths, locks, CPUs and phases cover it too",
                                      result->sim_ns - result->measured_ns));
  if (result->outcome[OUTCOME_FAILED]) {
    g_autofree char *error = error_name (result->first_error);

    g_ptr_array_add (result->notes,
                     g_strdup_printf (result->all_failed ? "every request failed (%" G_GUINT64_FORMAT
                                                           "), the first with %s: no figure here says anything"
                                                         : "%" G_GUINT64_FORMAT
                                                           " requests failed, the first with %s, and count in no rate "
                                                           "or latency",
                                      result->outcome[OUTCOME_FAILED], error));
  }
}

/* Reads, writes and trims together. */
static void collect_all (RunResult *result)
{
  result_op_init (&result->all);
  for (unsigned i = 0; i < IO_SYNC; i++) {
    const ResultOp *op = &result->op[i];

    result->all.ios += op->ios;
    result->all.bytes += op->bytes;
    ur_histogram_merge (&result->all.slat, &op->slat);
    ur_histogram_merge (&result->all.clat, &op->clat);
    ur_histogram_merge (&result->all.lat, &op->lat);
  }
}

/* How much of the run is in no rate: of each stonewall group the shortest ramp_time of its streams, as far as it got.
 */
static UrTime ramped (const Simulation *sim)
{
  UrTime all = 0;

  for (unsigned group = 0; group <= sim->last_group; group++) {
    UrTime shortest = UR_TIME_NEVER;

    for (unsigned i = 0; i < sim->applications->len; i++) {
      const Application *application = g_ptr_array_index (sim->applications, i);
      UrTime left = sim->finished > application->started ? sim->finished - application->started : 0;

      if (application->job->group == group)
        shortest = MIN (shortest, MIN (application->job->ramp_time, left));
    }
    all += shortest == UR_TIME_NEVER ? 0 : shortest;
  }
  return MIN (all, sim->finished);
}

/* "mixed" if streams differ. */
static const char *engine_name (const SimulationSetup *setup)
{
  const GPtrArray *jobs = setup->workload->jobs;
  const WorkloadJob *first = jobs->len ? g_ptr_array_index (jobs, 0) : NULL;

  if (setup->engine >= 0 || !first)
    return application_engine_name ((ApplicationEngine) MAX (setup->engine, 0));
  for (unsigned i = 1; i < jobs->len; i++)
    if (((const WorkloadJob *) g_ptr_array_index (jobs, i))->engine != first->engine)
      return "mixed";
  return application_engine_name (first->engine);
}

RunResult *sim_collect (Simulation *sim, gboolean interrupted)
{
  const SimulationSetup *setup = sim->setup;
  const SimulationCounters *count = &sim->count;
  RunResult *result = g_new0 (RunResult, 1);
  UrTime measured = sim->finished - ramped (sim);
  double seconds = (double) measured / UR_S;

  g_strlcpy (result->policy, setup->policy->name, sizeof result->policy);
  g_strlcpy (result->engine, engine_name (setup), sizeof result->engine);
  g_strlcpy (result->machine, setup->machine->name, sizeof result->machine);
  g_strlcpy (result->fs, setup->file_system->name, sizeof result->fs);
  result->kernel = sim->kernel;
  result->seed = setup->seed;
  result->cpus = sim->n_cpus;
  memcpy (result->op, sim->op, sizeof result->op);
  collect_all (result);
  for (unsigned i = IO_SYNC; i < IO_OPS; i++)
    result->syncs += sim->op[i].ios;
  result->ios = result->all.ios;
  result->bytes = result->all.bytes;
  result->sim_ns = sim->finished;
  result->measured_ns = measured;
  result->iops = share ((double) result->ios, seconds);
  result->bw_bytes = share ((double) result->bytes, seconds);
  memcpy (result->outcome, count->outcome, sizeof result->outcome);
  collect_stages (sim, result);
  result->short_writes = count->short_writes;
  result->first_error = count->first_error;
  result->all_failed = result->outcome[OUTCOME_FAILED] && !result->ios && !result->syncs;
  result->context_switches = count->context_switches;
  result->wakeups = count->wakeups;
  result->ipis = count->ipis;
  result->futile_wakeups = count->futile_wakeups;
  result->cq_overflows = count->cq_overflows;
  result->events = ur_engine_events (sim->engine);
  result->interrupted = interrupted;
  result->notes = g_ptr_array_new_with_free_func (g_free);
  collect_workers (sim, result);
  collect_locks (sim, result, collect_cpu (sim, result));
  collect_cache (sim, result);
  collect_journal (sim, result);
  collect_notes (sim, result);
  return result;
}

void run_result_free (RunResult *result)
{
  if (!result)
    return;
  g_free (result->lock);
  if (result->samples)
    g_array_unref (result->samples);
  if (result->periods)
    g_array_unref (result->periods);
  if (result->notes)
    g_ptr_array_unref (result->notes);
  g_free (result);
}
