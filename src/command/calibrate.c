/*
 * uringsim calibrate: values of a machine fitted to measured results.
 *
 * Which results are fitted to, and which values are moved, is said by options; src/fit decides which values the results
 * can tell and finds them, the bench simulates, and calibration_report.c prints and writes what came out.
 */
#include "model/key_file.h"
#include "src/command/calibration.h"
#include "src/command/calibration_report.h"
#include "src/command/command.h"
#include "src/command/interrupt.h"
#include "src/command/measure.h"
#include "src/input/fio_result.h"
#include "src/input/throughput_record.h"
#include "src/output/escape.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_EVALUATIONS = 600 };
enum { DEFAULT_IOS = 20000 }; /* of a run: hundreds of points are simulated */

static void calibration_free (Calibration *calibration)
{
  calibration_bench_free (calibration->bench);
  record_bench_free (calibration->record_bench);
  experiment_case_free (calibration->experiment);
  g_clear_pointer (&calibration->parameters, g_array_unref);
  g_clear_pointer (&calibration->records, g_ptr_array_unref);
  g_clear_pointer (&calibration->notes, g_ptr_array_unref);
  g_strfreev (calibration->names);
  g_free (calibration->jobs);
  g_free (calibration->used);
  g_free (calibration->scored);
  g_free (calibration->deviation);
  g_free (calibration->fit_parameters);
  g_free (calibration);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Calibration, calibration_free)

/* ---- results ---- */

/* (transfer full) (element-type Measurement) */
static GPtrArray *read_file (const char *path, GError **error)
{
  g_autoptr (GError) cause = NULL;
  ByteSource *source = byte_source_open (path, error);
  const InputKind kind = source ? input_detect (source, &cause) : INPUT_UNKNOWN;
  GPtrArray *records = NULL;

  if (cause) {
    g_propagate_error (error, g_steal_pointer (&cause));
  } else if (kind == INPUT_FIO_JSON) {
    records = fio_results_read (source, error);
  } else if (kind == INPUT_THROUGHPUT) {
    records = throughput_records_read (source, error);
  } else if (source) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: found %s, expected throughput records or a JSON result of fio", byte_source_name (source),
                 input_kind_name (kind));
  }
  byte_source_unref (source);
  return records;
}

/* I/Os per second: p80 of repetitions, or the sum of what fio says. */
static double rate_of (const Measurement *record)
{
  double rate = record->iops.p80;

  for (unsigned d = 0; record->iops.p80 <= 0 && record->has_ops && d < MEASURED_DIRECTIONS; d++) {
    rate += record->op[d].iops;
  }
  return rate;
}

static gboolean read_results (Calibration *calibration, GError **error)
{
  const GPtrArray *paths = calibration->options->arguments;

  for (unsigned i = 0; i < paths->len; i++) {
    GPtrArray *records = read_file (paths->pdata[i], error);
    if (!records) {
      return FALSE;
    }
    g_ptr_array_extend_and_steal (calibration->records, records);
    if (calibration->records->len > FIT_OBSERVATIONS_MAX) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "found more than %u results in all", FIT_OBSERVATIONS_MAX);
      return FALSE;
    }
  }
  return TRUE;
}

/* The psync job of the same file, batch and file system. -1: none. */
static int find_reference (const Calibration *calibration, const Measurement *record)
{
  for (unsigned i = 0; i < calibration->records->len; i++) {
    const Measurement *other = calibration->records->pdata[i];
    if (other->job && measured_job_is_reference (other->job) && other->batch == record->batch &&
        !g_strcmp0 (other->fs, record->fs) && !g_strcmp0 (other->file, record->file)) {
      return (int) i;
    }
  }
  return -1;
}

/* Standard deviation of log (rate): the spread p50..max is taken for four of them. */
static double deviation_of (const Measurement *record)
{
  return record->iops.p50 > 0 && record->iops.max > record->iops.p50 ? log (record->iops.max / record->iops.p50) / 4
                                                                     : 0;
}

void calibration_allocate_jobs (Calibration *calibration, unsigned n_jobs)
{
  calibration->n_jobs = n_jobs;
  calibration->names = g_new0 (char *, n_jobs + 1);
  calibration->jobs = g_new0 (CalibrationJob, n_jobs);
  calibration->deviation = g_new0 (double, n_jobs);
  calibration->used = g_new0 (gboolean, n_jobs);
  calibration->scored = g_new0 (gboolean, n_jobs);
}

static gboolean fill_jobs (Calibration *calibration, GError **error)
{
  const GPtrArray *records = calibration->records;
  unsigned alone = 0;

  calibration_allocate_jobs (calibration, records->len);
  for (unsigned i = 0; i < records->len; i++) {
    const Measurement *record = records->pdata[i];
    const int reference = calibration->options->absolute ? -1 : find_reference (calibration, record);
    g_autofree char *name = g_strdup_printf ("%s %s", record->fs ? record->fs : "", record->name);
    calibration->names[i] = escape_text_short (g_strstrip (name), -1, 100);
    if (rate_of (record) <= 0) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%u: found no rate, expected iops", record->file,
                   record->line);
      return FALSE;
    }
    calibration->jobs[i] =
        (CalibrationJob){ .metric = METRIC_IOPS, .measured = rate_of (record), .reference = reference };
    calibration->scored[i] = reference != (int) i;
    calibration->deviation[i] = deviation_of (record);
    if (reference >= 0) {
      const double other = deviation_of (records->pdata[reference]);
      calibration->deviation[i] = sqrt (calibration->deviation[i] * calibration->deviation[i] + other * other);
    }
    alone += reference < 0;
  }
  if (alone && !calibration->options->absolute) {
    g_ptr_array_add (calibration->notes,
                     g_strdup_printf ("%u of the results have no psync job (randwrite 4k) of the same file system "
                                      "beside them: their rates are compared, not ratios",
                                      alone));
  }
  return TRUE;
}

/* ---- --use ---- */

/* "1,4-6": marks these; FALSE if it is no such list. */
static gboolean mark_numbers (Calibration *calibration, const char *word, gboolean *ret_marked, gboolean *ret_in_range)
{
  g_auto (GStrv) parts = g_strsplit (word, ",", -1);

  *ret_in_range = TRUE;
  for (char **part = parts; *part; part++) {
    const char *dash = strchr (*part, '-');
    g_autofree char *low = dash ? g_strndup (*part, (gsize) (dash - *part)) : g_strdup (*part);
    uint64_t first, last;
    if (!key_file_parse_integer (low, &first) || !key_file_parse_integer (dash ? dash + 1 : low, &last)) {
      return FALSE;
    }
    if (first < 1 || first > last || last > calibration->records->len) {
      *ret_in_range = FALSE;
      continue;
    }
    for (uint64_t i = first; i <= last; i++) {
      calibration->used[i - 1] = *ret_marked = TRUE;
    }
  }
  return TRUE;
}

static gboolean mark_word (Calibration *calibration, const char *word, GError **error)
{
  g_autofree char *shown = escape_text_short (word, -1, 100);
  gboolean marked = FALSE, in_range = TRUE;

  if (!mark_numbers (calibration, word, &marked, &in_range)) {
    for (unsigned i = 0; i < calibration->records->len; i++) {
      if (calibration->scored[i] && g_pattern_match_simple (word, calibration->names[i])) {
        calibration->used[i] = marked = TRUE;
      }
    }
  }
  if (!marked || !in_range) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--use: found \"%s\", expected numbers from 1 to %u, or a pattern such as \"%s\"", shown,
                 calibration->records->len, calibration->names[0]);
    return FALSE;
  }
  return TRUE;
}

static gboolean choose_used (Calibration *calibration, GError **error)
{
  const GPtrArray *use = calibration->options->use;
  unsigned n = 0;

  for (unsigned i = 0; i < use->len; i++) {
    if (!mark_word (calibration, use->pdata[i], error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < calibration->records->len; i++) {
    if (calibration->used[i] && !calibration->scored[i]) {
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                   "--use: found result %u (%s), to which others are related, expected another; see --absolute", i + 1,
                   calibration->names[i]);
      return FALSE;
    }
    calibration->used[i] = use->len ? calibration->used[i] : calibration->scored[i];
    n += calibration->used[i];
  }
  if (n < 2) {
    g_set_error (error, use->len ? OPTIONS_ERROR : INPUT_ERROR,
                 use->len ? (int) OPTIONS_ERROR_VALUE : (int) INPUT_ERROR_DATA,
                 "found %u result%s to fit to, expected at least 2 beside the psync jobs they are related to", n,
                 n == 1 ? "" : "s");
    return FALSE;
  }
  return TRUE;
}

/* ---- values ---- */

static void add_once (GPtrArray *names, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL)) {
    g_ptr_array_add (names, (char *) name);
  }
}

static GArray *default_parameters (const Calibration *calibration, const Machine *machine)
{
  g_autoptr (GPtrArray) reads = g_ptr_array_new (), writes = g_ptr_array_new ();
  const RecordMachine nowhere = { 0 };

  for (unsigned i = 0; i < calibration->records->len; i++) {
    const SimulationSetup setup = record_bench_setup (calibration->record_bench, i, &nowhere);
    const char *name = setup.file_system->cost_name ? setup.file_system->cost_name : setup.file_system->name;
    for (unsigned k = 0; calibration->used[i] && k < setup.workload->jobs->len; k++) {
      const WorkloadJob *job = setup.workload->jobs->pdata[k];
      if (job->pattern.has_read) {
        add_once (reads, name);
      }
      if (job->pattern.has_write) {
        add_once (writes, name);
      }
    }
  }
  return calibration_parameters_default (machine, reads, writes);
}

void calibration_fill_fit_parameters (Calibration *calibration)
{
  calibration->fit_parameters = g_new0 (FitParameter, calibration->parameters->len);
  for (unsigned j = 0; j < calibration->parameters->len; j++) {
    const CalibrationParameter *parameter = &g_array_index (calibration->parameters, CalibrationParameter, j);
    calibration->fit_parameters[j] =
        (FitParameter){ parameter->key, parameter->start, parameter->low, parameter->high };
  }
}

static gboolean choose_parameters (Calibration *calibration, GError **error)
{
  const Options *options = calibration->options;
  Machine *machine = scenario_load_machine (calibration->base, options->set, error);

  if (!machine) {
    return FALSE;
  }
  if (record_bench_check_machine (calibration->record_bench, machine, error)) {
    calibration->parameters = options->parameters->len
                                  ? calibration_parameters_parse (options->parameters, machine, error)
                                  : default_parameters (calibration, machine);
  }
  machine_free (machine);
  if (!calibration->parameters) {
    return FALSE;
  }
  calibration_fill_fit_parameters (calibration);
  return TRUE;
}

/* ---- the whole ---- */

static SimulationSetup setup_of (unsigned index, const RecordMachine *machine, const void *data)
{
  return record_bench_setup (data, index, machine);
}

static void print_progress (FitPhase phase, unsigned done, unsigned of, double objective, void *data)
{
  static const char *const phases[] = { [FIT_PHASE_SENSITIVITY] = "sensitivities, round",
                                        [FIT_PHASE_SEARCH] = "search, step",
                                        [FIT_PHASE_LEAVE_ONE_OUT] = "without one, fit" };

  fprintf (stderr, "\r\033[K%s %u of at most %u, objective %.4f, %u simulations ", phases[phase], done, of, objective,
           calibration_bench_runs (data));
  fflush (stderr);
}

static CalibrationBench *new_bench (const Calibration *calibration)
{
  const Options *options = calibration->options;
  const CalibrationBenchSetup setup = {
    .n_jobs = calibration->n_jobs,
    .jobs = calibration->jobs,
    .setup = calibration->experiment ? calibration_experiment_setup : setup_of,
    .load = calibration->experiment ? calibration_experiment_machine : NULL,
    .data = calibration->experiment ? (const void *) calibration : calibration->record_bench,
    .base = calibration->base,
    .set = options->set,
    .n_parameters = calibration->parameters->len,
    .parameters = (const CalibrationParameter *) calibration->parameters->data,
    .seed = options->seed,
    .reps = options->reps,
    .threads = options->threads,
  };

  return calibration_bench_new (&setup);
}

static CommandExit fit_and_report (Calibration *calibration, GError **error)
{
  const Options *options = calibration->options;
  const gboolean progress = !options->quiet && isatty (STDERR_FILENO);
  calibration->bench = new_bench (calibration);
  g_autofree double *luck = g_new0 (double, calibration->n_jobs);
  g_autofree double *start = g_new (double, calibration->parameters->len);
  const FitProblem problem = {
    .n_parameters = calibration->parameters->len,
    .parameters = calibration->fit_parameters,
    .n_observations = calibration->n_jobs,
    .used = calibration->used,
    .scored = calibration->scored,
    .deviation = calibration->deviation,
    .luck = luck,
    .within = options->within,
    .all = calibration->experiment != NULL,
    .leave_one_out = options->leave_one_out || calibration->experiment,
    .max_evaluations = MAX_EVALUATIONS,
    .seed = options->seed,
    .evaluate = calibration_bench_evaluate,
    .progress = progress ? print_progress : NULL,
    .data = calibration->bench,
    .interrupt = interrupt_flag (),
  };
  g_autoptr (FitResult) result = NULL;
  for (unsigned j = 0; j < calibration->parameters->len; j++) {
    start[j] = calibration->fit_parameters[j].start;
  }
  if (!calibration_bench_settle (calibration->bench, start, calibration->used, luck, error)) {
    return *interrupt_flag () ? EXIT_INTERRUPTED : EXIT_INTERNAL;
  }
  result = fit_run (&problem, error);
  if (progress) {
    fputs ("\r\033[K", stderr);
  }
  if (!result) {
    return EXIT_INTERNAL;
  }
  const CalibrationOutcome outcome = {
    .what = calibration->what,
    .base = calibration->base,
    .bench = calibration->bench,
    .problem = &problem,
    .result = result,
    .n_jobs = calibration->n_jobs,
    .jobs = calibration->jobs,
    .names = calibration->names,
    .parameters = (const CalibrationParameter *) calibration->parameters->data,
    .notes = calibration->notes,
  };
  if ((options->output && !calibration_write (&outcome, options, error)) ||
      !calibration_print (&outcome, options, error)) {
    return EXIT_IO;
  }
  return result->partial ? EXIT_INTERRUPTED : result->n_fitted ? EXIT_DONE : EXIT_NEGATIVE;
}

static gboolean check_options (const Options *options, GError **error)
{
  if (!options->arguments->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "calibrate: no result given, expected files with throughput records");
    return FALSE;
  }
  if (options->policies->len > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--policy: calibrate takes one, found %u",
                 options->policies->len);
    return FALSE;
  }
  for (unsigned i = 0; i < options->set->len; i++) {
    if (device_has_group (options->set->pdata[i])) {
      g_autofree char *shown = escape_text_short (options->set->pdata[i], -1, 60);
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                   "--set: found \"%s\" of a device, expected a value of the machine; --device takes a file", shown);
      return FALSE;
    }
  }
  return TRUE;
}

CommandExit command_calibrate (const Options *options, GError **error)
{
  g_autoptr (Calibration) calibration = g_new0 (Calibration, 1);
  RecordConditions conditions;

  calibration->options = options;
  calibration->base = options->base ? options->base : OPTIONS_DEFAULT_MACHINE;
  calibration->records = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  calibration->notes = g_ptr_array_new_with_free_func (g_free);
  if (options->measure) {
    return measure (options, error);
  }
  calibration->what = "results";
  if (options->output && !calibration_check_output (options->output, error)) {
    return EXIT_USAGE;
  }
  if (options->experiment) {
    return calibration_open_experiment (calibration, error) ? fit_and_report (calibration, error) : EXIT_USAGE;
  }
  if (!check_options (options, error)) {
    return EXIT_USAGE;
  }
  record_conditions_init (&conditions);
  conditions.policy = options->policies->len ? options->policies->pdata[0] : conditions.policy;
  conditions.device = options->device ? options->device : conditions.device;
  conditions.fs = options->fs;
  conditions.kernel = options->kernel;
  conditions.cpus = options->cpus;
  conditions.cache = options->cache >= 0 ? options->cache : conditions.cache;
  conditions.limit_ios = options->limit_ios ? options->limit_ios : DEFAULT_IOS;
  if (!read_results (calibration, error) || !fill_jobs (calibration, error) || !choose_used (calibration, error)) {
    return EXIT_DATA;
  }
  calibration->record_bench = record_bench_new (calibration->records, &conditions, error);
  if (!calibration->record_bench || !choose_parameters (calibration, error)) {
    return EXIT_USAGE;
  }
  return fit_and_report (calibration, error);
}
