/* One capture; see capture.h. */
#include "src/command/capture.h"
#include "model/ring_setup.h"
#include "src/command/capture_trace.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include "src/output/escape.h"
#include <math.h>

/* What may differ: see doc/man/uringsim-validate.1.scd. */
enum { WORKERS_WITHIN = 1, BATCHES = 2, BATCHES_OF_RANGES = 1 };
static const double switches_within = 0.25;
/* So few switches more or less are a matter of ticks and other tasks, not of the way the requests take. */
static const double switches_slack = 6;

void capture_clear (ReportCapture *report)
{
  for (unsigned i = 0; i < report->n_sequences; i++) {
    g_strfreev (report->sequences[i].events);
  }
  g_free (report->sequences);
  g_free (report->counts);
  g_free (report->policy);
  g_free (report->machine);
  g_free (report->fs);
  g_free (report->not_modelled);
  g_free (report->order_real);
  g_free (report->order_simulated);
}

static void note (GPtrArray *notes, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);
static void note (GPtrArray *notes, const char *name, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (notes, g_strdup_printf ("%s: %s", name, text));
}

/* ---- the job ---- */

/* Is `word` one of the words of a name, which are separated by '-'? */
static gboolean name_says (const char *name, const char *word)
{
  g_auto (GStrv) words = g_strsplit (name, "-", -1);

  return g_strv_contains ((const char *const *) words, word);
}

/* Files of the job's size exist, written and synced; "append": none; "warm": also read, else as invalidate= says. */
static Workload *open_job (const char *directory, const char *name, const Scenario *scenario, unsigned cpus,
                           GError **error)
{
  g_autofree char *file = g_strconcat (name, ".fio", NULL);
  g_autofree char *path = g_build_filename (directory, file, NULL);
  const char *paths[] = { path, NULL };
  InputOptions input;

  input_options_init (&input);
  input.cpus = cpus ? cpus : scenario->machine->cpus;
  input.files_exist = !name_says (name, "append");
  input.cache = name_says (name, "warm") ? CACHE_CLEAN : -1;
  return input_open (paths, &input, error);
}

/* Who reads the message did not write the name on the command line. */
static void say_origin (const char *origin, GError **error)
{
  if (origin) {
    g_prefix_error (error, "%s: ", origin);
  }
}

static Scenario *open_scenario (const char *directory, const char *name, const CaptureConditions *conditions,
                                const Options *options, GError **error)
{
  g_autoptr (Scenario) scenario = g_new0 (Scenario, 1);
  const char *policy = options->policies->len ? options->policies->pdata[0]
                       : conditions->policy   ? conditions->policy
                                              : OPTIONS_DEFAULT_POLICY;
  const char *machine = options->machine      ? options->machine
                        : conditions->machine ? conditions->machine
                                              : OPTIONS_DEFAULT_MACHINE;
  const char *device = options->device ? options->device : OPTIONS_CAPTURE_DEVICE;

  scenario->policies = g_ptr_array_new_with_free_func ((GDestroyNotify) policy_free);
  scenario->replay = REPLAY_CLOSED;
  scenario->machine = scenario_load_machine (machine, options->set, error);
  if (!scenario->machine) {
    say_origin (options->machine ? NULL : conditions->machine_origin, error);
    return NULL;
  }
  scenario->device = scenario_load_device (device, options->set, error);
  if (!scenario->device) {
    return NULL;
  }
  scenario->file_system = file_system_load (conditions->fs, error);
  if (!scenario->file_system) {
    say_origin (conditions->fs_origin, error);
    return NULL;
  }
  const FileSystem *fs = scenario->file_system;
  if (!machine_file_system (scenario->machine, fs->cost_name ? fs->cost_name : fs->name)) {
    g_set_error (error, MACHINE_ERROR, 0, "machine %s has no costs for file system %s", scenario->machine->name,
                 fs->name);
    return NULL;
  }
  Policy *loaded = policy_load (policy, error);
  if (!loaded) {
    say_origin (options->policies->len ? NULL : conditions->policy_origin, error);
    return NULL;
  }
  g_ptr_array_add (scenario->policies, loaded);
  scenario->workload = open_job (directory, name, scenario, conditions->cpus, error);
  return scenario->workload ? g_steal_pointer (&scenario) : NULL;
}

/* ---- the two sides ---- */

static gboolean waits_for_device (const Workload *workload, const WorkloadJob *job)
{
  gboolean cold = FALSE;

  for (unsigned i = 0; i < job->files->len; i++) {
    const WorkloadFile *file = workload->files->pdata[g_array_index (job->files, uint32_t, i)];
    cold = cold || file->cache == CACHE_COLD;
  }
  return job->direct || (cold && job->pattern.has_read);
}

/* One for each job. (transfer full) */
static ObservedStream *observed_streams (const Workload *workload)
{
  ObservedStream *streams = g_new (ObservedStream, workload->jobs->len);

  for (unsigned i = 0; i < workload->jobs->len; i++) {
    const WorkloadJob *job = workload->jobs->pdata[i];
    /* How much the sq_thread finds when it looks is a race with the application, so are the moments of completions. */
    const gboolean free_moments = waits_for_device (workload, job) || job->sqpoll;
    streams[i] = (ObservedStream){ job->iodepth, job->files->len, free_moments };
  }
  return streams;
}

/* The rings as the program that was traced set them up: what installed versions of fio do differs. */
static void take_rings (const CaptureTrace *trace, Workload *workload, const char *name, GPtrArray *notes)
{
  const GArray *rings = trace->rings;
  unsigned unknown = 0;

  for (unsigned i = 0; i < workload->jobs->len && rings->len; i++) {
    WorkloadJob *job = workload->jobs->pdata[i];
    const CaptureRing *ring = &g_array_index (rings, CaptureRing, MIN (i, rings->len - 1));
    if (job->engine != APPLICATION_IO_URING || job->ring.given) {
      continue;
    }
    job->ring.given = job->ring.by_fio = TRUE;
    job->ring.sq_entries = ring->sq_entries;
    unknown |= ring_flags_set_bits (&job->ring.flags, ring->flags);
    job->ring.cq_entries = job->ring.flags.cqsize ? ring->cq_entries : 0;
    job->ring.flags.attach_wq = FALSE; /* a trace does not say with whom */
  }
  if (unknown) {
    note (notes, name, "its rings have set-up flags 0x%x, which are not modelled", unknown);
  }
}

/* Events of the model on their way to an observation. */
typedef struct {
  Observation *observation;
  GArray *roles; /* of TaskRole, by task */
} Simulated;

static const TracepointKind kind_of[TRACE_EVENT_KINDS] = {
  [TRACE_SUBMIT_REQ] = TRACEPOINT_SUBMIT,
  [TRACE_QUEUE_ASYNC_WORK] = TRACEPOINT_QUEUE_ASYNC_WORK,
  [TRACE_COMPLETE] = TRACEPOINT_COMPLETE,
  [TRACE_CQRING_WAIT] = TRACEPOINT_CQRING_WAIT,
  [TRACE_LOCAL_WORK_RUN] = TRACEPOINT_LOCAL_WORK_RUN,
  [TRACE_SCHED_SWITCH] = TRACEPOINT_SCHED_SWITCH,
  [TRACE_SCHED_WAKEUP] = TRACEPOINT_SCHED_WAKEUP,
};

static void on_event (const TraceEvent *event, void *data)
{
  Simulated *simulated = data;
  const gboolean sched = event->kind == TRACE_SCHED_SWITCH || event->kind == TRACE_SCHED_WAKEUP;
  const gboolean of_request = !sched && event->kind != TRACE_CQRING_WAIT && event->kind != TRACE_LOCAL_WORK_RUN;
  const Tracepoint point = {
    .kind = kind_of[event->kind],
    .time = event->time,
    .task = event->task,
    .other = event->task,
    .ring = event->application,
    .request = of_request ? event->request : TRACEPOINT_NO_REQUEST,
    .hashed = event->hashed,
    .count = event->count,
  };

  if (event->kind == TRACE_TASK_WORK_RUN ||
      event->kind == TRACE_CPU_IDLE) { /* one per round of an sq_thread; no event of ours */
    return;
  }
  if (event->task >= simulated->roles->len) {
    g_array_set_size (simulated->roles, event->task + 1);
  }
  g_array_index (simulated->roles, TaskRole, event->task) = event->worker      ? TASK_ROLE_WORKER
                                                            : event->submitter ? TASK_ROLE_APPLICATION
                                                                               : TASK_ROLE_OTHER;
  observation_add (simulated->observation, &point);
}

static TaskRole role_in_model (unsigned task, gconstpointer data)
{
  return g_array_index (((const Simulated *) data)->roles, TaskRole, task);
}

/* NULL with error set, or with *ret_status CAPTURE_INTERRUPTED. */
static Observation *observe_simulation (const Scenario *scenario, const CaptureConditions *conditions,
                                        const Options *options, uint64_t seed, CaptureStatus *ret_status,
                                        ReportCapture *report, GError **error)
{
  g_autoptr (GArray) roles = g_array_new (FALSE, TRUE, sizeof (TaskRole));
  g_autofree ObservedStream *streams = observed_streams (scenario->workload);
  g_autoptr (Observation) observation = observation_new (streams, scenario->workload->jobs->len);
  Simulated simulated = { observation, roles };
  SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], -1);
  g_autoptr (RunSet) set = run_set_new ();

  setup.kernel = options->kernel ? options->kernel : conditions->kernel;
  setup.cpus = conditions->cpus;
  setup.nodes = conditions->nodes;
  setup.trace = on_event;
  setup.trace_data = &simulated;
  setup.traced = TRUE;
  report->kernel = setup.kernel ? setup.kernel : setup.policy->kernel;
  report->cpus = setup.cpus ? setup.cpus : setup.machine->cpus;
  run_set_add (set, &setup);
  *ret_status = CAPTURE_FAILED;
  if (!run_set_run (set, seed, 1, 1, !options->quiet, error)) {
    return NULL;
  }
  const RunResult *result = run_set_result (set, 0);
  if (!result || result->interrupted) {
    *ret_status = CAPTURE_INTERRUPTED;
    return NULL;
  }
  observation_end (observation, role_in_model, &simulated);
  *ret_status = CAPTURE_DONE;
  return g_steal_pointer (&observation);
}

/* What varies from seed to seed. */
typedef struct {
  unsigned n;
  double sum, lowest, highest; /* context switches per I/O */
  GArray *workers;             /* of uint64_t */
} Spread;

static void spread_add (Spread *spread, const Observation *simulated)
{
  const ObservedCounts *counts = observation_counts (simulated);
  const double switches = capture_trace_switches (simulated);

  spread->lowest = spread->n ? MIN (spread->lowest, switches) : switches;
  spread->highest = spread->n ? MAX (spread->highest, switches) : switches;
  spread->sum += switches;
  spread->n++;
  g_array_append_val (spread->workers, counts->workers);
}

static int compare_numbers (gconstpointer a, gconstpointer b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return x < y ? -1 : x > y;
}

/* The rest of the seeds; `first` is what the first one showed. */
static gboolean observe_spread (const Scenario *scenario, const CaptureConditions *conditions, const Options *options,
                                const Observation *first, Spread *spread, CaptureStatus *ret_status,
                                ReportCapture *report, GError **error)
{
  const unsigned reps = options->reps ? options->reps : CAPTURE_DEFAULT_REPS;

  spread_add (spread, first);
  for (unsigned i = 1; i < reps; i++) {
    g_autoptr (Observation) simulated =
        observe_simulation (scenario, conditions, options, options->seed + i, ret_status, report, error);
    if (!simulated) {
      return FALSE;
    }
    spread_add (spread, simulated);
  }
  g_array_sort (spread->workers, compare_numbers);
  return TRUE;
}

/* ---- comparing ---- */

static char **event_names (const char *letters)
{
  GPtrArray *names = g_ptr_array_new ();

  for (const char *letter = letters; *letter; letter++) {
    g_ptr_array_add (names, g_strdup (observed_event_name (*letter)));
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* `simulated` (nullable): only the real side is known. */
static void compare_sequences (const Observation *real, const Observation *simulated, ReportCapture *report)
{
  g_autoptr (GPtrArray) all = observation_sequences (real, simulated ? simulated : real);

  report->sequences = g_new0 (ReportSequence, all->len);
  report->n_sequences = all->len;
  report->sequences_ok = TRUE;
  for (unsigned i = 0; i < all->len; i++) {
    ReportSequence *sequence = &report->sequences[i];
    sequence->events = event_names (all->pdata[i]);
    sequence->real = observation_sequence (real, all->pdata[i]);
    sequence->simulated = simulated ? observation_sequence (simulated, all->pdata[i]) : 0;
    report->sequences_ok = report->sequences_ok && sequence->real == sequence->simulated;
  }
}

/* Against validate.ini; workers may be one more or less, and are asked even if it says nothing. */
static gboolean compare_counts (const CaptureTrace *real, const Observation *simulated, const Spread *spread,
                                const CaptureConditions *conditions, ReportCapture *report, GPtrArray *notes)
{
  gboolean ok = TRUE;

  report->n_counts = CAPTURE_COUNT_KINDS;
  report->counts = g_new0 (ReportCount, CAPTURE_COUNT_KINDS);
  for (unsigned i = 0; i < CAPTURE_COUNT_KINDS; i++) {
    const CaptureRange *range = &conditions->count[i];
    ReportCount *count = &report->counts[i];
    const gboolean workers = i == CAPTURE_WORKERS;
    *count = (ReportCount){ .name = capture_count_name (i),
                            .given = range->given || workers || real->n > 1,
                            .ok = TRUE,
                            .real = capture_trace_count (real->first, (CaptureCount) i),
                            .simulated = capture_trace_count (simulated, (CaptureCount) i) };
    if (workers) {
      count->simulated = g_array_index (spread->workers, uint64_t, spread->n / 2);
    }
    count->low = range->given ? range->low : real->low[i];
    count->high = range->given ? range->high : real->high[i];
    if (count->real < count->low || count->real > count->high) {
      note (notes, report->name,
            "validate.ini allows %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
            " %s, but its own trace shows %" G_GUINT64_FORMAT,
            count->low, count->high, count->name, count->real);
    }
    if (workers) {
      count->low -= MIN (count->low, WORKERS_WITHIN);
      count->high += WORKERS_WITHIN;
    }
    count->ok = !count->given || (count->simulated >= count->low && count->simulated <= count->high);
    ok = ok && count->ok;
  }
  return ok;
}

/* Does the number of requests submitted before the first completion lie where the real kernel had it, and does that
 * vary from run to run? */
static gboolean early_varies (const CaptureTrace *real, const Observation *simulated, unsigned batches)
{
  gboolean varies = FALSE;

  for (unsigned i = 0; i < observation_streams (simulated); i++) {
    const unsigned here = observation_early (simulated, i, batches);
    unsigned low = G_MAXUINT, high = 0;
    for (unsigned k = 0; k < real->n; k++) {
      const unsigned there = observation_early (real->all->pdata[k], i, batches);
      low = MIN (low, there);
      high = MAX (high, there);
    }
    if (here < low || here > high) {
      return FALSE;
    }
    varies = varies || low < high;
  }
  return varies;
}

/* Beside each trace until one shows that order; else what differs from the first. */
static void compare_order (const CaptureTrace *real, const Observation *simulated, ReportCapture *report)
{
  static const char *const words[] = {
    [ORDER_SAME] = "same", [ORDER_EQUIVALENT] = "equivalent", [ORDER_DIFFERENT] = "different"
  };
  ObservedOrder order = ORDER_DIFFERENT;

  report->order_batches = report->sequences_asked ? BATCHES : BATCHES_OF_RANGES;
  const gboolean any_early = early_varies (real, simulated, report->order_batches);
  for (unsigned i = 0; i < real->n && order == ORDER_DIFFERENT; i++) {
    g_autofree char *a = NULL, *b = NULL;
    order = observation_compare_order (real->all->pdata[i], simulated, report->order_batches, any_early, &a, &b);
    if (i == 0 || order != ORDER_DIFFERENT) {
      g_free (report->order_real);
      g_free (report->order_simulated);
      report->order_real = g_steal_pointer (&a);
      report->order_simulated = g_steal_pointer (&b);
    }
  }
  report->order = words[order];
  report->order_ok = order != ORDER_DIFFERENT;
}

/* The mean of the seeds is near the real figure, or one of them came as far: a single capture is one draw, too. */
static void compare_switches (const CaptureTrace *real, const Spread *spread, const CaptureConditions *conditions,
                              ReportCapture *report)
{
  const ObservedCounts *a = observation_counts (real->first);

  report->has_switches = a->has_switches;
  report->real_switches = real->switches;
  report->real_switches_low = real->switches_low;
  report->real_switches_high = real->switches_high;
  report->simulated_switches = spread->sum / spread->n;
  report->lowest_switches = spread->lowest;
  report->highest_switches = spread->highest;
  report->switches_within =
      fabs (report->simulated_switches - report->real_switches) <= switches_within * report->real_switches;
  const gboolean seen = real->switches_high >= spread->lowest && real->switches_low <= spread->highest;
  const gboolean few =
      fabs (report->simulated_switches - report->real_switches) * MAX (a->submitted, 1) <= switches_slack;
  report->switches_ok = !a->has_switches || conditions->switches_shown || report->switches_within || seen || few;
}

/* Did the counts that decide a request's sequence vary on the real kernel? */
static gboolean varies (const CaptureTrace *real, const CaptureRange *range, CaptureCount count)
{
  return range[count].given ? range[count].is_range : real->low[count] != real->high[count];
}

static void compare (const CaptureTrace *real, const Observation *simulated, const Spread *spread,
                     const CaptureConditions *conditions, ReportCapture *report, GPtrArray *notes)
{
  const CaptureRange *range = conditions->count;

  report->sequences_asked = !varies (real, range, CAPTURE_SUBMITTED) && !varies (real, range, CAPTURE_PUNTED) &&
                            !varies (real, range, CAPTURE_HASHED);
  compare_sequences (real->first, simulated, report);
  const gboolean counts_ok = compare_counts (real, simulated, spread, conditions, report, notes);
  compare_order (real, simulated, report);
  compare_switches (real, spread, conditions, report);
  report->real_posted_by_worker = observation_counts (real->first)->posted_by_worker;
  report->simulated_posted_by_worker = observation_counts (simulated)->posted_by_worker;
  report->ok =
      counts_ok && (report->sequences_ok || !report->sequences_asked) && report->order_ok && report->switches_ok;
}

static void note_trace (const TracepointInfo *info, ReportCapture *report, GPtrArray *notes)
{
  report->lost = info->lost;
  report->unknown = info->unknown;
  report->strays = info->strays;
  if (info->lost) {
    note (notes, report->name, "the trace lost %" G_GUINT64_FORMAT " events: its counts are too small", info->lost);
  }
  if (info->strays || info->unfinished) {
    note (notes, report->name,
          "%" G_GUINT64_FORMAT " events belong to no submission of the trace, %" G_GUINT64_FORMAT
          " requests were submitted again before they completed",
          info->strays, info->unfinished);
  }
}

CaptureStatus capture_compare (const char *directory, const char *name, const CaptureConditions *conditions,
                               const Options *options, ReportCapture *report, GPtrArray *notes, GError **error)
{
  g_autoptr (GError) cause = NULL;
  CaptureStatus status = CAPTURE_FAILED;

  report->name = name;
  g_autoptr (Scenario) scenario = open_scenario (directory, name, conditions, options, error);
  if (!scenario) {
    return CAPTURE_FAILED;
  }
  g_autofree ObservedStream *streams = observed_streams (scenario->workload);
  g_autoptr (CaptureTrace) real = capture_trace_open (directory, name, streams, scenario->workload->jobs->len, error);
  if (!real) {
    return CAPTURE_FAILED;
  }
  take_rings (real, scenario->workload, name, notes);
  report->requests = observation_counts (real->first)->submitted;
  report->repetitions = real->n;
  report->policy = g_strdup (((const Policy *) scenario->policies->pdata[0])->name);
  report->machine = g_strdup (scenario->machine->name);
  report->fs = g_strdup (scenario->file_system->name);
  g_autoptr (GArray) workers = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  Spread spread = { .workers = workers };
  g_autoptr (Observation) simulated =
      observe_simulation (scenario, conditions, options, options->seed, &status, report, &cause);
  if (simulated && observe_spread (scenario, conditions, options, simulated, &spread, &status, report, &cause)) {
    compare (real, simulated, &spread, conditions, report, notes);
  } else if (g_error_matches (cause, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG)) {
    report->not_modelled = g_strdup (cause->message);
    compare_sequences (real->first, NULL, report);
    status = CAPTURE_DONE;
  } else {
    if (cause) {
      g_autofree char *shown = escape_text_short (name, -1, 100);
      g_propagate_prefixed_error (error, g_steal_pointer (&cause), "%s: ", shown);
    }
    return status;
  }
  note_trace (&real->info, report, notes);
  return status;
}
