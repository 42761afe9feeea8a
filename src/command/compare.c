/*
 * uringsim compare: the same workload and luck under several policies and engines.
 *
 * Rows are policies times engines in the order given.  The reference of the ratios is psync: a row of it if one was
 * asked for, else one that is added at the end; with --no-baseline the first row.
 */
#include "src/command/command.h"
#include "src/command/regret.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include "src/command/verdict.h"

enum { DEFAULT_REPS = 8 };

typedef struct {
  unsigned reference;
  gboolean baseline_added; /* the last row */
} Rows;

static gboolean jobs_are_psync (const Workload *workload)
{
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    if (((const WorkloadJob *) workload->jobs->pdata[i])->engine != APPLICATION_PSYNC) {
      return FALSE;
    }
  }
  return TRUE;
}

static Rows add_rows (RunSet *set, const Scenario *scenario, const Options *options)
{
  const unsigned n_engines = MAX (options->engines->len, 1);
  int psync_row = -1;

  for (unsigned i = 0; i < scenario->policies->len; i++) {
    for (unsigned k = 0; k < n_engines; k++) {
      const int engine = options->engines->len ? (int) g_array_index (options->engines, ApplicationEngine, k) : -1;
      const SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[i], engine);
      const unsigned row = run_set_add (set, &setup);
      if (psync_row < 0 && (engine == APPLICATION_PSYNC || (engine < 0 && jobs_are_psync (scenario->workload)))) {
        psync_row = (int) row;
      }
    }
  }
  if (options->no_baseline || psync_row >= 0) {
    return (Rows){ .reference = MAX (psync_row, 0) };
  }
  const SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], APPLICATION_PSYNC);
  return (Rows){ .reference = run_set_add (set, &setup), .baseline_added = TRUE };
}

/* The row's name in "ratio of IOPS to ...". (transfer full) */
static char *reference_name (const RunResult *result, gboolean baseline_added)
{
  return baseline_added || g_str_equal (result->engine, "psync")
             ? g_strdup (result->engine)
             : g_strdup_printf ("%s %s", result->policy, result->engine);
}

/* One per row that ran, in order; *ret_to is what their ratio_to points to. (transfer full) (element-type ReportRun) */
static GArray *collect (const RunSet *set, Rows rows, GArray *ret_rows, char **ret_to)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (ReportRun));
  RunResult *reference = run_set_result (set, rows.reference);

  *ret_to = reference ? reference_name (reference, rows.baseline_added) : NULL;
  for (unsigned row = 0; row < run_set_rows (set); row++) {
    ReportRun run = run_set_report (set, row);
    if (!run.result) {
      continue;
    }
    if (rows.baseline_added && row == rows.reference) {
      RunResult *result = run_set_result (set, row);
      g_strlcpy (result->policy, result->engine, sizeof result->policy); /* no policy takes part */
      run.baseline = TRUE;
    }
    run.ratio = run_set_ratio (set, row, rows.reference);
    run.ratio_to = *ret_to;
    g_array_append_val (runs, run);
    g_array_append_val (ret_rows, row);
  }
  return runs;
}

CommandExit command_compare (const Options *options, GError **error)
{
  g_autoptr (Scenario) scenario = scenario_open (options, REPLAY_CLOSED, error);
  g_autofree char *reference = NULL;

  if (!scenario) {
    return EXIT_USAGE;
  }
  if (options->regret) {
    return compare_regret (options, scenario, error);
  }
  const unsigned reps = options->reps ? options->reps : DEFAULT_REPS;
  g_autoptr (RunSet) set = run_set_new ();
  const Rows rows = add_rows (set, scenario, options);
  if (!run_set_run (set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (unsigned));
  g_autoptr (GArray) runs = collect (set, rows, indices, &reference);
  if (!runs->len) {
    return EXIT_INTERRUPTED;
  }
  const ReportRun *first = (const ReportRun *) (gpointer) runs->data;
  const VerdictConditions conditions = verdict_conditions (scenario, options);
  ReportVerdict verdict;
  const gboolean found =
      verdict_find (set, first, (const unsigned *) (gpointer) indices->data, runs->len, &conditions, &verdict);
  return command_report (options, "compare", scenario, set, reps, first, runs->len, found ? &verdict : NULL, error);
}
