/* What the kinds of measured results share; see validate.h. */
#include "src/command/validate.h"
#include <string.h>

/* Notes are many and alike: each once, and no more than these. */
enum { NOTES_MAX = 30 };

double validate_threshold (unsigned given, unsigned percent)
{
  return (given == THRESHOLD_DEFAULT ? percent : given) / 100.0;
}

static void set_conditions (ValidateRun *run, const RecordConditions *defaults)
{
  const Options *options = run->options;

  run->conditions = *defaults;
  run->conditions.policy = options->policies->len ? options->policies->pdata[0] : defaults->policy;
  run->conditions.device = options->device ? options->device : defaults->device;
  run->conditions.fs = options->fs ? options->fs : defaults->fs;
  run->conditions.set = options->set;
  run->conditions.kernel = options->kernel;
  run->conditions.cpus = options->cpus;
  run->conditions.cache = options->cache >= 0 ? options->cache : defaults->cache;
  run->conditions.limit_ios = options->limit_ios ? options->limit_ios : defaults->limit_ios;
}

static gboolean load (ValidateRun *run, GError **error)
{
  const Options *options = run->options;
  const char *machine = options->machine ? options->machine : OPTIONS_DEFAULT_MACHINE;

  run->machine = scenario_load_machine (machine, options->set, error);
  if (!run->machine) {
    return FALSE;
  }
  record_machine_init (&run->both, run->machine);
  run->bench = record_bench_new (run->results, &run->conditions, error);
  return run->bench && record_bench_check_machine (run->bench, run->machine, error);
}

static void add_note (ValidateRun *run, const char *text)
{
  if (run->notes->len < NOTES_MAX && !g_ptr_array_find_with_equal_func (run->notes, text, g_str_equal, NULL)) {
    g_ptr_array_add (run->notes, g_strdup (text));
  }
}

static void collect_notes (ValidateRun *run)
{
  g_autofree char *evidence = g_strdup_printf ("Machine %s: %s", run->machine->name, run->machine->evidence);

  add_note (run, evidence);
  for (unsigned i = 0; i < run->results->len; i++) {
    const Workload *workload = record_bench_workload (run->bench, i);
    const RunResult *result = run_set_result (run->set, i);
    for (unsigned k = 0; k < workload->notes->len; k++) {
      add_note (run, workload->notes->pdata[k]);
    }
    for (unsigned k = 0; k < workload->ignored_options->len; k++) {
      g_autofree char *ignored = g_strconcat ("Left out: ", (char *) workload->ignored_options->pdata[k], NULL);
      add_note (run, ignored);
    }
    for (unsigned k = 0; result && result->notes && k < result->notes->len; k++) {
      add_note (run, result->notes->pdata[k]);
    }
  }
}

gboolean validate_run (ValidateRun *run, GPtrArray *results, const RecordConditions *defaults, const Options *options,
                       GError **error)
{
  *run = (ValidateRun){ .options = options,
                        .results = results,
                        .reps = options->reps ? options->reps : VALIDATE_DEFAULT_REPS,
                        .notes = g_ptr_array_new_with_free_func (g_free) };
  if (!results) {
    return FALSE;
  }
  set_conditions (run, defaults);
  if (!load (run, error)) {
    return FALSE;
  }
  run->set = run_set_new ();
  for (unsigned i = 0; i < results->len; i++) {
    const SimulationSetup setup = record_bench_setup (run->bench, i, &run->both);
    run_set_watch_lock (run->set, run_set_add (run->set, &setup), "inode:");
  }
  if (!run_set_run (run->set, options->seed, run->reps, options->threads, !options->quiet, error)) {
    return FALSE;
  }
  collect_notes (run);
  return TRUE;
}

void validate_run_clear (ValidateRun *run)
{
  run_set_free (run->set);
  record_bench_free (run->bench);
  g_clear_pointer (&run->machine, machine_free);
  g_clear_pointer (&run->results, g_ptr_array_unref);
  g_ptr_array_unref (run->notes);
}

static const char *cache_words (int cache)
{
  return cache == CACHE_DIRTY   ? "resident and dirty"
         : cache == CACHE_CLEAN ? "resident and clean"
         : cache == CACHE_COLD  ? "not in the page cache"
                                : "as the options of the job say";
}

ReportBasis validate_run_basis (const ValidateRun *run, const char *file)
{
  const Policy *policy = record_bench_policy (run->bench);

  return (ReportBasis){
    .file = file,
    .machine = run->machine,
    .policy = policy->name,
    .kernel = run->conditions.kernel ? run->conditions.kernel : policy->kernel,
    .cpus = run->conditions.cpus ? run->conditions.cpus : run->machine->cpus,
    .cache = cache_words (run->conditions.cache),
    .seed = run->options->seed,
    .limit_ios = run->conditions.limit_ios,
    .reps = run->reps,
    .notes = run->notes,
    .interrupted = run_set_interrupted (run->set),
  };
}

ReportSubject validate_run_subject (const ValidateRun *run, unsigned index)
{
  const Measurement *result = run->results->pdata[index];

  return (ReportSubject){ .name = result->name, .fs = result->fs, .batch = result->batch };
}

CommandExit validate_run_end (const ValidateRun *run, const char *text, gboolean ok, GError **error)
{
  if (!command_output (run->options, text, error)) {
    return EXIT_IO;
  }
  return run_set_interrupted (run->set) ? EXIT_INTERRUPTED : ok ? EXIT_DONE : EXIT_NEGATIVE;
}
