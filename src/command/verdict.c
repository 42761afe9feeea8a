/* See verdict.h. */
#include "src/command/verdict.h"

#include <math.h>
#include <string.h>

/* A run with fewer requests in flight is one of latency: nobody queues. */
#define ALONE 1.5
#define TIE 0.005
/* With less than this share of its depth in flight a workload that has a pace of its own keeps up with it. */
#define KEPT_UP 0.9
/* doc/locks.md: the hold grows with so many contenders, and no further. */
#define CONTENDERS_KNOWN 31.0

static double stage (const RunResult *result, Phase phase) { return result->phase[phase].mean; }

static double requests (const RunResult *result)
{
  double n = 0;

  for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
    n += (double) result->outcome[outcome];
  }
  return n;
}

static double punted_share (const RunResult *result)
{
  const double n = requests (result);

  return n > 0 ? (double) (result->outcome[OUTCOME_PUNTED_HASHED] + result->outcome[OUTCOME_PUNTED_UNHASHED]) / n : 0;
}

/* CPU time of an I/O without polling, with or without spinning on locks, ns. */
static double cpu_per_io (const RunResult *result, gboolean spinning)
{
  const double time = (double) result->sim_ns * result->cpus;
  double used = MAX (result->cpu.busy - result->cpu.spin, 0) * time;

  for (unsigned i = 0; spinning && i < result->n_locks; i++) {
    used += (double) result->lock[i].spin_ns;
  }
  return result->ios ? used / (double) result->ios : 0;
}

static gboolean is_inode (const ResultLock *lock) { return g_str_has_prefix (lock->name, "inode:"); }

/* The inode lock for which most is waited. */
static const ResultLock *busiest_lock (const RunResult *result)
{
  const ResultLock *best = NULL;

  for (unsigned i = 0; i < result->n_locks; i++) {
    const ResultLock *lock = &result->lock[i];

    if (is_inode (lock) &&
        (!best || lock->mean_spinning + lock->mean_queued > best->mean_spinning + best->mean_queued)) {
      best = lock;
    }
  }
  return best;
}

/* The hold of the lock as it would be without others pulling at its lines; `kappa` of the machine. */
static double quiet_hold (const ResultLock *lock, double kappa)
{
  const double contenders = MIN (lock->mean_spinning + lock->mean_queued, CONTENDERS_KNOWN);

  return lock->acquired ? (double) lock->hold_ns / (double) lock->acquired / (1 + kappa * contenders) : 0;
}

/* How many acquisitions of one lock it takes to make an I/O: less than 1 if several inodes share the work. */
static double acquisitions (const RunResult *result, const ResultLock *lock)
{
  return result->ios ? (double) lock->acquired / (double) result->ios : 0;
}

/* A device that could serve more at the same time is a delay, and binds nobody. */
static gboolean device_is_busy (const ResultDevice *device)
{
  return device->used && (device->busy_channels >= 0.7 * device->channels || device->queued >= 0.5);
}

/* Where most requests are, of the places where they wait for their turn. */
static Binding find_binding (const RunResult *result, double *ret_queue)
{
  const gboolean sq_thread = result->cpu.sq_thread > 0;
  const double rate = requests (result) / MAX ((double) result->sim_ns, 1);
  const ResultLock *lock = busiest_lock (result);
  double in_lock = lock ? lock->mean_spinning + lock->mean_queued : 0;
  const struct {
    Binding binding;
    double n;
  } places[] = {
    { sq_thread ? BINDS_SQ_THREAD : BINDS_SUBMITTER, stage (result, PHASE_SUBMIT) * rate },
    { BINDS_WORKERS, stage (result, PHASE_QUEUE) * rate },
    { BINDS_LOCK, in_lock },
    { BINDS_APPLICATION, stage (result, PHASE_REAP) * rate },
    { device_is_busy (&result->device) ? BINDS_DEVICE : BINDS_NOTHING,
      result->device.used ? stage (result, PHASE_SERVICE) * rate : 0 },
  };
  Binding best = BINDS_NOTHING;

  *ret_queue = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS (places); i++) {
    if (places[i].n > *ret_queue) {
      *ret_queue = places[i].n;
      best = places[i].binding;
    }
  }
  /* Who waits for a lock holds up those behind it: a queue in front of workers that all wait for one lock is the
   * lock's. */
  if (best == BINDS_WORKERS && in_lock >= 1) {
    best = BINDS_LOCK;
  }
  if (result->phase_total * rate < ALONE) {
    best = BINDS_NOTHING;
  }
  /* Without an sq_thread who reaps is who submits. */
  return best == BINDS_APPLICATION && !sq_thread ? BINDS_SUBMITTER : best;
}

/* One server does all of it: `known` parts, and the rest is `rest`. */
static void give_rest (Operation *operation, Part rest)
{
  double known = 0;

  for (unsigned part = 0; part < PARTS; part++) {
    known += operation->part[part];
  }
  if (known > operation->time && known > 0) { /* several servers share it */
    for (unsigned part = 0; part < PARTS; part++) {
      operation->part[part] *= operation->time / known;
    }
    known = operation->time;
  }
  operation->part[rest] += operation->time - known;
}

/* The part of the service in which the device was waited for: all of what goes on without a task, and of reads done by
 * one as long as the device was busy for each. */
static double device_service (const RunResult *result)
{
  const gboolean asynchronous = result->outcome[OUTCOME_ASYNC] * 2 > (uint64_t) requests (result);
  const ResultDevice *device = &result->device;
  const double service = stage (result, PHASE_SERVICE);

  if (!device->used || asynchronous) {
    return device->used ? service : 0;
  }
  return device->reads && !device->writes
             ? MIN (service, device->busy_channels * (double) result->sim_ns / (double) result->ios)
             : 0;
}

static void split_latency (Operation *operation, const RunResult *result)
{
  const double device = device_service (result);
  const double punted = punted_share (result);

  operation->part[PART_SUBMISSION] = stage (result, PHASE_SUBMIT) + stage (result, PHASE_ATTEMPT);
  operation->part[PART_HAND_OFF] = stage (result, PHASE_PUNT) + stage (result, PHASE_QUEUE) +
                                   stage (result, PHASE_WAKEUP) + punted * stage (result, PHASE_COMPLETE);
  operation->part[PART_LOCK] = stage (result, PHASE_LOCK);
  operation->part[PART_DEVICE] = device;
  operation->part[PART_FILE_SYSTEM] =
      stage (result, PHASE_SERVICE) - device + (1 - punted) * stage (result, PHASE_COMPLETE);
  operation->part[PART_APPLICATION] = stage (result, PHASE_REAP);
  give_rest (operation, PART_APPLICATION); /* between two requests */
}

/* What the task that submits, application or sq_thread, does for an I/O. */
static void split_submitter (Operation *operation, const RunResult *result)
{
  const double punted = punted_share (result), inline_share = 1 - punted;

  operation->part[PART_FILE_SYSTEM] = inline_share * stage (result, PHASE_SERVICE);
  operation->part[PART_LOCK] = inline_share * stage (result, PHASE_LOCK);
  operation->part[PART_HAND_OFF] = stage (result, PHASE_ATTEMPT) + stage (result, PHASE_PUNT);
  give_rest (operation, PART_SUBMISSION);
}

static void split_workers (Operation *operation, const RunResult *result)
{
  const double workers = MAX (result->workers.mean_running, 1), punted = MAX (punted_share (result), 1e-9);

  operation->part[PART_FILE_SYSTEM] = stage (result, PHASE_SERVICE) / workers * MIN (1, punted);
  operation->part[PART_LOCK] = stage (result, PHASE_LOCK) / workers * MIN (1, punted);
  give_rest (operation, PART_HAND_OFF);
}

static void split_lock (Operation *operation, const RunResult *result, double kappa)
{
  const ResultLock *lock = busiest_lock (result);

  operation->part[PART_FILE_SYSTEM] = quiet_hold (lock, kappa) * acquisitions (result, lock);
  give_rest (operation, PART_LOCK);
}

static void find_bounds (Operation *operation, const RunResult *result, double kappa)
{
  const ResultLock *lock = busiest_lock (result);
  const double cpu = cpu_per_io (result, FALSE),
               hold = lock ? quiet_hold (lock, kappa) * acquisitions (result, lock) : 0;
  const double device = (double) (result->device.reads + result->device.writes);

  operation->bound_lock = hold > 0 ? 1e9 / hold : 0;
  operation->bound_cpu = cpu > 0 ? 1e9 * result->cpus / cpu : 0;
  if (result->device.used && device > 0 && result->device.busy_channels > 0 && result->device.channels) {
    operation->bound_device = result->iops * result->device.channels / result->device.busy_channels;
  }
}

Operation verdict_operation (const RunResult *result, const VerdictConditions *conditions)
{
  const double kappa = conditions->kappa;
  Operation operation = { .binds = BINDS_NOTHING };

  if (!result->ios || result->iops <= 0) {
    return operation;
  }
  operation.time = 1e9 / result->iops;
  operation.binds = find_binding (result, &operation.queue);
  if (conditions->paced_depth > 0 &&
      result->phase_total * requests (result) / (double) result->sim_ns < KEPT_UP * conditions->paced_depth) {
    operation.binds = BINDS_ARRIVALS;
  }
  switch (operation.binds) {
  case BINDS_WORKERS:
    split_workers (&operation, result);
    break;
  case BINDS_LOCK:
    split_lock (&operation, result, kappa);
    break;
  case BINDS_SUBMITTER:
  case BINDS_SQ_THREAD:
    split_submitter (&operation, result);
    break;
  case BINDS_APPLICATION:
    give_rest (&operation, PART_APPLICATION);
    break;
  case BINDS_DEVICE:
    give_rest (&operation, PART_DEVICE);
    break;
  case BINDS_ARRIVALS:
    give_rest (&operation, PART_ARRIVALS);
    break;
  default:
    split_latency (&operation, result);
  }
  find_bounds (&operation, result, kappa);
  return operation;
}

static gboolean job_has_pace (const WorkloadJob *job)
{
  gboolean pace = job->thinktime != 0;

  for (unsigned i = 0; i < 3; i++) {
    pace |= job->rate[i] || job->rate_iops[i];
  }
  return pace;
}

Operation *verdict_operations (const ReportRun *runs, unsigned n_runs, const VerdictConditions *conditions)
{
  Operation *operations = g_new0 (Operation, n_runs);

  for (unsigned i = 0; i < n_runs; i++) {
    operations[i] = verdict_operation (runs[i].result, conditions);
  }
  return operations;
}

VerdictConditions verdict_conditions (const Scenario *scenario, const Options *options)
{
  VerdictConditions conditions = { .kappa = scenario->machine->kappa };
  gboolean paced = FALSE;

  for (unsigned i = 0; i < scenario->workload->jobs->len; i++) {
    const WorkloadJob *job = scenario->workload->jobs->pdata[i];

    paced |=
        job->open_source ? scenario->replay == REPLAY_TIMED : scenario->replay != REPLAY_FAST && job_has_pace (job);
    conditions.paced_depth += options->iodepth ? options->iodepth : job->iodepth;
  }
  conditions.paced_depth = paced ? conditions.paced_depth : 0;
  return conditions;
}

/* ---- the pair ---- */

static double mean_iops (const ReportRun *run)
{
  return run->metric[METRIC_IOPS].n ? run->metric[METRIC_IOPS].mean : run->result->iops;
}

/* The fastest run but `without`, added baselines only if `baselines`; -1: none. */
static int fastest (const ReportRun *runs, unsigned n, int without, gboolean baselines)
{
  int best = -1;

  for (unsigned i = 0; i < n; i++) {
    if ((int) i != without && runs[i].baseline == baselines && runs[i].result->ios &&
        (best < 0 || mean_iops (&runs[i]) > mean_iops (&runs[best]))) {
      best = (int) i;
    }
  }
  return best;
}

/* The two to compare, in any order. */
static gboolean find_pair (const ReportRun *runs, unsigned n, int *ret_a, int *ret_b)
{
  *ret_a = fastest (runs, n, -1, FALSE);
  if (*ret_a < 0) {
    return FALSE;
  }
  *ret_b = *ret_a == 0 || runs[0].baseline || !runs[0].result->ios ? fastest (runs, n, *ret_a, FALSE) : 0;
  if (*ret_b < 0) {
    *ret_b = fastest (runs, n, *ret_a, TRUE);
  }
  return *ret_b >= 0;
}

static void find_price (const RunResult *faster, const RunResult *slower, ReportVerdict *verdict)
{
  static const double percents[] = { 99.9, 99, 50 };
  const double cpu = cpu_per_io (slower, TRUE);

  for (unsigned i = 0; i < G_N_ELEMENTS (percents); i++) {
    const UrHistogram *one = &faster->all.lat, *other = &slower->all.lat;

    if (ur_histogram_has_percentile (one, percents[i]) && ur_histogram_has_percentile (other, percents[i])) {
      verdict->percentile = percents[i];
      verdict->tail = (double) ur_histogram_percentile (one, percents[i]) /
                      MAX ((double) ur_histogram_percentile (other, percents[i]), 1);
      break;
    }
  }
  verdict->cpu = cpu > 0 ? cpu_per_io (faster, TRUE) / cpu : 0;
}

gboolean verdict_find (const RunSet *set, const ReportRun *runs, const unsigned *rows, unsigned n_runs,
                       const VerdictConditions *conditions, ReportVerdict *ret_verdict)
{
  g_autofree Operation *operations = verdict_operations (runs, n_runs, conditions);
  int a, b;

  if (!find_pair (runs, n_runs, &a, &b)) {
    return FALSE;
  }
  if (mean_iops (&runs[a]) < mean_iops (&runs[b])) {
    const int swap = a;

    a = b;
    b = swap;
  }
  *ret_verdict = (ReportVerdict){ .faster = (unsigned) a,
                                  .slower = (unsigned) b,
                                  .ratio = run_set_ratio (set, rows[a], rows[b]),
                                  .kernels_differ = runs[a].result->kernel != runs[b].result->kernel,
                                  .of = operations[b].time };
  const ReportEstimate *ratio = &ret_verdict->ratio;

  ret_verdict->tie = fabs (ratio->mean - 1) <= MAX (TIE, ratio->half_width);
  ret_verdict->arrivals = operations[a].binds == BINDS_ARRIVALS && operations[b].binds == BINDS_ARRIVALS;
  find_price (runs[a].result, runs[b].result, ret_verdict);
  for (unsigned part = 0; part < PARTS; part++) {
    const double saved = operations[b].part[part] - operations[a].part[part];

    if (saved > ret_verdict->saved) {
      ret_verdict->saved = saved;
      ret_verdict->cause = (Part) part;
    }
  }
  /* What shrinks by more than all of it does has partly come back elsewhere, or belongs to a server that the faster run
   * does not wait for. */
  ret_verdict->saved = MIN (ret_verdict->saved, operations[b].time - operations[a].time);
  return TRUE;
}
