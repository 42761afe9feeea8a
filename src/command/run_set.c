/* Simulations over threads; see run_set.h. */
#include "src/command/run_set.h"
#include "src/command/interrupt.h"
#include "src/engine/tally.h"
#include <stdio.h>
#include <unistd.h>

enum { PROGRESS_MS = 250 };

/* What is kept of a run whose result is not. */
typedef struct {
  gboolean done;
  double metric[METRICS_N];
} Sample;

struct RunSet {
  GArray *setups;      /* of SimulationSetup */
  GPtrArray *locks;    /* of const char *, by row: see run_set_watch_lock() */
  RunResult **results; /* by row */
  Sample *samples;     /* row * reps + repetition */
  GError **errors;     /* the same index */
  unsigned reps, runs;
  uint64_t seed;
  gint next;   /* atomic: the next run to start; in the order repetition, row */
  gint failed; /* atomic: no new run is started */
  gint ended;  /* atomic, for progress */
  GMutex lock;
  GCond all_over;
  unsigned threads_left; /* under the lock */
  uint64_t ios;          /* atomic by __atomic_*, for progress */
};

RunSet *run_set_new (void)
{
  RunSet *set = g_new0 (RunSet, 1);

  set->setups = g_array_new (FALSE, FALSE, sizeof (SimulationSetup));
  set->locks = g_ptr_array_new ();
  g_mutex_init (&set->lock);
  g_cond_init (&set->all_over);
  return set;
}

void run_set_free (RunSet *set)
{
  if (!set) {
    return;
  }
  for (unsigned row = 0; set->results && row < set->setups->len; row++) {
    run_result_free (set->results[row]);
  }
  for (unsigned i = 0; i < set->runs; i++) {
    g_clear_error (&set->errors[i]);
  }
  g_free (set->results);
  g_free (set->samples);
  g_free (set->errors);
  g_array_unref (set->setups);
  g_ptr_array_unref (set->locks);
  g_mutex_clear (&set->lock);
  g_cond_clear (&set->all_over);
  g_free (set);
}

unsigned run_set_add (RunSet *set, const SimulationSetup *setup)
{
  g_return_val_if_fail (!set->results, 0);
  g_array_append_val (set->setups, *setup);
  g_ptr_array_add (set->locks, NULL);
  return set->setups->len - 1;
}

void run_set_watch_lock (RunSet *set, unsigned row, const char *lock) { set->locks->pdata[row] = (gpointer) lock; }

typedef struct {
  RunSet *set;
  uint64_t counted; /* requests of this run that are in set->ios */
} Progress;

static void on_progress (uint64_t ios, UrTime now, void *data)
{
  Progress *progress = data;

  if (ios > progress->counted) {
    __atomic_fetch_add (&progress->set->ios, ios - progress->counted, __ATOMIC_RELAXED);
    progress->counted = ios;
  }
}

static void run_one (RunSet *set, unsigned row, unsigned rep)
{
  SimulationSetup setup = g_array_index (set->setups, SimulationSetup, row);
  const unsigned index = row * set->reps + rep;
  Sample *sample = &set->samples[index];
  Progress progress = { set, 0 };

  setup.seed = set->seed + rep;
  setup.interrupt = interrupt_flag ();
  setup.progress = on_progress;
  setup.progress_data = &progress;
  const gint64 start = g_get_monotonic_time ();
  RunResult *result = simulation_run (&setup, &set->errors[index]);
  if (!result) {
    g_atomic_int_set (&set->failed, 1);
    return;
  }
  result->wall_s = (g_get_monotonic_time () - start) / 1e6;
  sample->done = !result->interrupted;
  for (unsigned i = 0; i < METRICS_N; i++) {
    sample->metric[i] = metric_of (result, (Metric) i, set->locks->pdata[row]);
  }
  if (rep == 0) {
    set->results[row] = result;
  } else {
    run_result_free (result);
  }
}

static gpointer run_thread (gpointer data)
{
  RunSet *set = data;

  while (!g_atomic_int_get (&set->failed) && !*interrupt_flag ()) {
    const unsigned index = (unsigned) g_atomic_int_add (&set->next, 1);
    if (index >= set->runs) {
      break;
    }
    run_one (set, index % set->setups->len, index / set->setups->len);
    g_atomic_int_inc (&set->ended);
  }
  g_mutex_lock (&set->lock);
  set->threads_left--;
  g_cond_signal (&set->all_over);
  g_mutex_unlock (&set->lock);
  return NULL;
}

static void print_progress (RunSet *set)
{
  fprintf (stderr, "\r%d of %u runs, %.1f million I/Os simulated ", g_atomic_int_get (&set->ended), set->runs,
           __atomic_load_n (&set->ios, __ATOMIC_RELAXED) / 1e6);
  fflush (stderr);
}

static void wait_for_threads (RunSet *set, gboolean progress)
{
  gboolean shown = FALSE;

  g_mutex_lock (&set->lock);
  while (set->threads_left) {
    const gint64 deadline = g_get_monotonic_time () + PROGRESS_MS * G_TIME_SPAN_MILLISECOND;
    if (!g_cond_wait_until (&set->all_over, &set->lock, deadline) && progress) {
      print_progress (set);
      shown = TRUE;
    }
  }
  g_mutex_unlock (&set->lock);
  if (shown) {
    fputs ("\r\033[K", stderr);
  }
}

/* The runs are started repetition by repetition; the first that failed in that order is the same with any number of
 * threads. */
static gboolean first_error (RunSet *set, GError **error)
{
  for (unsigned i = 0; i < set->runs; i++) {
    GError **found = &set->errors[i % set->setups->len * set->reps + i / set->setups->len];
    if (*found) {
      g_propagate_error (error, g_steal_pointer (found));
      return FALSE;
    }
  }
  return TRUE;
}

gboolean run_set_run (RunSet *set, uint64_t seed, unsigned reps, unsigned threads, gboolean progress, GError **error)
{
  g_return_val_if_fail (set->setups->len && reps && threads && !set->results, FALSE);
  set->seed = seed;
  set->reps = reps;
  set->runs = set->setups->len * reps;
  set->results = g_new0 (RunResult *, set->setups->len);
  set->samples = g_new0 (Sample, set->runs);
  set->errors = g_new0 (GError *, set->runs);
  set->threads_left = MIN (threads, set->runs);
  g_autofree GThread **thread = g_new0 (GThread *, set->threads_left);
  const unsigned n_threads = set->threads_left;

  interrupt_install ();
  for (unsigned i = 0; i < n_threads; i++) {
    thread[i] = g_thread_new ("run", run_thread, set);
  }
  wait_for_threads (set, progress && isatty (STDERR_FILENO));
  for (unsigned i = 0; i < n_threads; i++) {
    g_thread_join (thread[i]);
  }
  return first_error (set, error);
}

unsigned run_set_rows (const RunSet *set) { return set->setups->len; }

RunResult *run_set_result (const RunSet *set, unsigned row) { return set->results[row]; }

gboolean run_set_interrupted (const RunSet *set) { return *interrupt_flag () != 0; }

static ReportEstimate estimate_of (const UrTally *tally)
{
  return (ReportEstimate){ tally->mean, tally->n >= 2 ? ur_tally_half_width (tally, 0.95) : -1, (unsigned) tally->n };
}

ReportRun run_set_report (const RunSet *set, unsigned row)
{
  ReportRun run = { .result = set->results[row] };

  for (unsigned i = 0; i < METRICS_N; i++) {
    UrTally tally;

    ur_tally_init (&tally);
    for (unsigned rep = 0; rep < set->reps; rep++) {
      const Sample *sample = &set->samples[row * set->reps + rep];
      if (sample->done) {
        ur_tally_add (&tally, sample->metric[i]);
      }
    }
    run.metric[i] = estimate_of (&tally);
  }
  return run;
}

/* FALSE: a row has no run with this seed. */
static gboolean sum_of (const RunSet *set, RunSetSum sum, unsigned rep, double *ret_sum)
{
  *ret_sum = 0;
  for (unsigned i = 0; i < sum.n; i++) {
    const Sample *sample = &set->samples[sum.rows[i] * set->reps + rep];

    if (!sample->done) {
      return FALSE;
    }
    *ret_sum += sample->metric[sum.metric];
  }
  return TRUE;
}

ReportEstimate run_set_quotient (const RunSet *set, RunSetSum above, RunSetSum below)
{
  UrTally ratio;

  ur_tally_init (&ratio);
  for (unsigned rep = 0; rep < set->reps; rep++) {
    double numerator, denominator;

    if (sum_of (set, above, rep, &numerator) && sum_of (set, below, rep, &denominator) &&
        (!below.n || denominator > 0)) {
      ur_tally_add (&ratio, below.n ? numerator / denominator : numerator);
    }
  }
  return estimate_of (&ratio);
}

ReportEstimate run_set_ratio (const RunSet *set, unsigned numerator, unsigned denominator)
{
  return run_set_quotient (set, (RunSetSum){ &numerator, 1, METRIC_IOPS }, (RunSetSum){ &denominator, 1, METRIC_IOPS });
}
