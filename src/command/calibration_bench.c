/* Jobs on many machines; see calibration_bench.h. */
#include "src/command/calibration_bench.h"
#include "src/command/interrupt.h"
#include "src/command/scenario.h"
#include "src/engine/portable_math.h"
#include "src/engine/tally.h"
#include <math.h>
#include <string.h>

enum { SETTLE_REPS = 6, UNSETTLED_REPS = 4 }; /* the latter: of jobs that are only predicted */
#define NOTHING (-1e3)                        /* log of a figure that is 0, as the rate of a job that did nothing */

struct CalibrationBench {
  CalibrationBenchSetup setup;
  GHashTable *figures; /* "JOB VALUE VALUE..." -> double * */
  char **file_system;  /* of each parameter, NULL: of all */
  unsigned *reps;      /* of each job */
  unsigned runs;
};

CalibrationBench *calibration_bench_new (const CalibrationBenchSetup *setup)
{
  CalibrationBench *bench = g_new0 (CalibrationBench, 1);

  bench->setup = *setup;
  bench->figures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  bench->file_system = g_new0 (char *, setup->n_parameters);
  for (unsigned j = 0; j < setup->n_parameters; j++) {
    bench->file_system[j] = calibration_parameter_file_system (&setup->parameters[j]);
  }
  bench->reps = g_new (unsigned, setup->n_jobs);
  for (unsigned i = 0; i < setup->n_jobs; i++) {
    bench->reps[i] = setup->reps ? setup->reps : 1;
  }
  interrupt_install ();
  return bench;
}

void calibration_bench_free (CalibrationBench *bench)
{
  if (!bench) {
    return;
  }
  for (unsigned j = 0; j < bench->setup.n_parameters; j++) {
    g_free (bench->file_system[j]);
  }
  g_free (bench->file_system);
  g_free (bench->reps);
  g_hash_table_unref (bench->figures);
  g_free (bench);
}

unsigned calibration_bench_runs (const CalibrationBench *bench) { return bench->runs; }

/* What the outcome of a job depends on: all values but those of other file systems. (transfer full) */
static char *key_of (const CalibrationBench *bench, unsigned job, const double *point)
{
  const RecordMachine nowhere = { 0 };
  const FileSystem *fs = bench->setup.setup (job, &nowhere, bench->setup.data).file_system;
  const char *costs = fs->cost_name ? fs->cost_name : fs->name;
  GString *key = g_string_new (NULL);

  g_string_append_printf (key, "%u", job);
  for (unsigned j = 0; j < bench->setup.n_parameters; j++) {
    if (!bench->file_system[j] || !strcmp (bench->file_system[j], costs)) {
      g_autofree char *value = calibration_parameter_format (&bench->setup.parameters[j], point[j]);
      g_string_append_printf (key, " %s", value);
    }
  }
  return g_string_free (key, FALSE);
}

double calibration_bench_figure (const CalibrationBench *bench, unsigned job, const double *point)
{
  g_autofree char *key = key_of (bench, job, point);
  const double *figure = g_hash_table_lookup (bench->figures, key);

  return figure ? *figure : NAN;
}

/* The machine of a job at a point. (transfer full) */
static Machine *machine_at (const CalibrationBench *bench, unsigned job, const double *point, GError **error)
{
  Machine *machine = bench->setup.load ? bench->setup.load (job, bench->setup.data, error)
                                       : scenario_load_machine (bench->setup.base, bench->setup.set, error);

  for (unsigned j = 0; machine && j < bench->setup.n_parameters; j++) {
    const CalibrationParameter *parameter = &bench->setup.parameters[j];
    g_autofree char *value = calibration_parameter_format (parameter, point[j]);
    g_autofree char *assignment = g_strdup_printf ("%s=%s", parameter->key, value);
    if (!machine_set (machine, assignment, error)) {
      g_clear_pointer (&machine, machine_free);
    }
  }
  return machine;
}

/* ---- one batch of simulations over threads ---- */

typedef struct {
  unsigned job;
  const RecordMachine *machine;
  char *key;      /* borrowed from the table */
  double *figure; /* in the table */
  UrTally logs;   /* of the figure, over the seeds */
  GError *error;
  gboolean done;
} Task;

typedef struct {
  const CalibrationBench *bench;
  GArray *tasks; /* of Task */
  gint next;     /* atomic */
  gint failed;   /* atomic */
} Batch;

static void run_task (const CalibrationBench *bench, Task *task)
{
  SimulationSetup setup = bench->setup.setup (task->job, task->machine, bench->setup.data);
  double sum = 0;

  ur_tally_init (&task->logs);
  for (unsigned rep = 0; rep < bench->reps[task->job]; rep++) {
    setup.seed = bench->setup.seed + rep;
    setup.interrupt = interrupt_flag ();
    RunResult *result = simulation_run (&setup, &task->error);
    if (!result) {
      return;
    }
    const gboolean interrupted = result->interrupted;
    const CalibrationJob *job = &bench->setup.jobs[task->job];
    const double figure = metric_of (result, job->metric, job->lock);
    sum += figure;
    ur_tally_add (&task->logs, figure > 0 ? ur_log (figure) : NOTHING);
    run_result_free (result);
    if (interrupted) {
      return;
    }
  }
  *task->figure = sum / bench->reps[task->job];
  task->done = TRUE;
}

static gpointer batch_thread (gpointer data)
{
  Batch *batch = data;

  while (!g_atomic_int_get (&batch->failed) && !*interrupt_flag ()) {
    const unsigned index = (unsigned) g_atomic_int_add (&batch->next, 1);
    if (index >= batch->tasks->len) {
      break;
    }
    Task *task = &g_array_index (batch->tasks, Task, index);
    run_task (batch->bench, task);
    if (task->error) {
      g_atomic_int_set (&batch->failed, 1);
    }
  }
  return NULL;
}

/* FALSE with the error of the first task that failed, or without if interrupted. */
static gboolean run_batch (CalibrationBench *bench, GArray *tasks, GError **error)
{
  Batch batch = { .bench = bench, .tasks = tasks };
  const unsigned n_threads = MIN (bench->setup.threads, tasks->len);
  g_autofree GThread **thread = g_new0 (GThread *, MAX (n_threads, 1));
  gboolean whole = TRUE;

  for (unsigned i = 1; i < n_threads; i++) {
    thread[i] = g_thread_new ("calibrate", batch_thread, &batch);
  }
  batch_thread (&batch);
  for (unsigned i = 1; i < n_threads; i++) {
    g_thread_join (thread[i]);
  }
  for (unsigned i = 0; i < tasks->len; i++) {
    Task *task = &g_array_index (tasks, Task, i);
    bench->runs += task->done ? bench->reps[task->job] : 0;
    if (task->error && whole) {
      g_propagate_error (error, g_steal_pointer (&task->error));
    }
    g_clear_error (&task->error);
    whole = whole && task->done;
    if (!task->done) {
      g_hash_table_remove (bench->figures, task->key);
    }
  }
  return whole;
}

typedef struct {
  RecordMachine both;
  Machine *machine;
} KeptMachine;

static void kept_machine_free (gpointer data)
{
  machine_free (((KeptMachine *) data)->machine);
  g_free (data);
}

/* Takes a machine over and returns it for both tools. */
static const RecordMachine *keep_machine (GPtrArray *machines, Machine *machine)
{
  KeptMachine *kept = g_new (KeptMachine, 1);

  kept->machine = machine;
  record_machine_init (&kept->both, machine);
  g_ptr_array_add (machines, kept);
  return &kept->both;
}

/* Adds what is not known yet of a job at a point. */
static void add_task (CalibrationBench *bench, GArray *tasks, unsigned job, const double *point,
                      const RecordMachine *machine)
{
  char *key = key_of (bench, job, point);

  if (g_hash_table_contains (bench->figures, key)) {
    g_free (key);
    return;
  }
  double *figure = g_new (double, 1);
  *figure = NAN;
  g_hash_table_insert (bench->figures, key, figure);
  const Task task = { .job = job, .machine = machine, .key = key, .figure = figure };
  g_array_append_val (tasks, task);
}

static double log_figure (const CalibrationBench *bench, unsigned job, const double *point)
{
  const double figure = calibration_bench_figure (bench, job, point);

  return figure > 0 ? ur_log (figure) : NOTHING;
}

static double error_at (const CalibrationBench *bench, unsigned job, const double *point)
{
  const CalibrationJob *jobs = bench->setup.jobs;
  double error = log_figure (bench, job, point) - ur_log (jobs[job].measured);

  if (jobs[job].reference >= 0) {
    const unsigned reference = (unsigned) jobs[job].reference;
    error -= log_figure (bench, reference, point) - ur_log (jobs[reference].measured);
  }
  return error;
}

/* Adds what is not known of a job and its reference at a point; `machines`: of RecordMachine, kept until all is run. */
static gboolean add_job (CalibrationBench *bench, GArray *tasks, GPtrArray *machines, unsigned job, const double *point,
                         const RecordMachine *shared, GError **error)
{
  const int reference = bench->setup.jobs[job].reference;
  const unsigned both[] = { job, reference >= 0 ? (unsigned) reference : job };

  for (unsigned i = 0; i < G_N_ELEMENTS (both); i++) {
    const RecordMachine *machine = shared;
    if (isnan (calibration_bench_figure (bench, both[i], point)) && !machine) {
      Machine *own = machine_at (bench, both[i], point, error);
      if (!own) {
        return FALSE;
      }
      machine = keep_machine (machines, own);
    }
    add_task (bench, tasks, both[i], point, machine);
  }
  return TRUE;
}

/* Simulates what is not known yet; tells the tasks it took. */
static gboolean simulate (CalibrationBench *bench, const double *points, unsigned n_points, const gboolean *wanted,
                          GArray *tasks, GError **error)
{
  const unsigned p = bench->setup.n_parameters;
  g_autoptr (GPtrArray) machines = g_ptr_array_new_with_free_func (kept_machine_free);

  for (unsigned k = 0; k < n_points; k++) {
    const RecordMachine *shared = NULL;
    if (!bench->setup.load) {
      Machine *machine = machine_at (bench, 0, points + k * p, error);
      if (!machine) {
        return FALSE;
      }
      shared = keep_machine (machines, machine);
    }
    for (unsigned i = 0; i < bench->setup.n_jobs; i++) {
      if ((!wanted || wanted[i]) && !add_job (bench, tasks, machines, i, points + k * p, shared, error)) {
        return FALSE;
      }
    }
  }
  return run_batch (bench, tasks, error);
}

gboolean calibration_bench_evaluate (const double *points, unsigned n_points, const gboolean *wanted,
                                     double *ret_errors, void *data, GError **error)
{
  CalibrationBench *bench = data;
  const unsigned p = bench->setup.n_parameters, m = bench->setup.n_jobs;
  g_autoptr (GArray) tasks = g_array_new (FALSE, FALSE, sizeof (Task));

  if (!simulate (bench, points, n_points, wanted, tasks, error)) {
    return FALSE;
  }
  for (unsigned k = 0; k < n_points; k++) {
    for (unsigned i = 0; i < m; i++) {
      if (!wanted || wanted[i]) {
        ret_errors[k * m + i] = error_at (bench, i, points + k * p);
      }
    }
  }
  return TRUE;
}

gboolean calibration_bench_settle (CalibrationBench *bench, const double *point, const gboolean *wanted,
                                   double *ret_luck, GError **error)
{
  const unsigned m = bench->setup.n_jobs;
  g_autoptr (GArray) tasks = g_array_new (FALSE, FALSE, sizeof (Task));
  g_autofree double *alone = g_new0 (double, m);

  for (unsigned i = 0; i < m; i++) {
    bench->reps[i] = SETTLE_REPS;
  }
  if (!simulate (bench, point, 1, wanted, tasks, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < m; i++) {
    bench->reps[i] = bench->setup.reps ? bench->setup.reps : UNSETTLED_REPS;
  }
  for (unsigned k = 0; k < tasks->len; k++) {
    const Task *task = &g_array_index (tasks, Task, k);
    const double deviation = ur_tally_stddev (&task->logs), parts = deviation / CALIBRATION_LUCK;
    if (!bench->setup.reps) {
      bench->reps[task->job] = (unsigned) CLAMP (ceil (parts * parts), 1, CALIBRATION_REPS_MAX);
    }
    alone[task->job] = deviation / sqrt (bench->reps[task->job]);
  }
  /* What was simulated with other numbers of seeds is forgotten. */
  g_hash_table_remove_all (bench->figures);
  for (unsigned i = 0; i < m; i++) {
    const int reference = bench->setup.jobs[i].reference;
    const double other = reference >= 0 && reference != (int) i ? alone[reference] : 0;
    ret_luck[i] = reference == (int) i ? 0 : sqrt (alone[i] * alone[i] + other * other);
  }
  return TRUE;
}
