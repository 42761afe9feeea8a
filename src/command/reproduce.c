/*
 * uringsim reproduce: the shipped experiments, published figures beside simulated ones.
 *
 * An experiment is data: rows that differ in policy or engine, and ratios between rows.  None is known by name here.
 */
#include "model/data_path.h"
#include "model/experiment.h"
#include "src/command/command.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include <math.h>

enum { DEFAULT_REPS = 8 };

/* One experiment with all it needs, and where its rows are in the run set. */
typedef struct {
  Experiment *experiment;
  Scenario *scenario; /* one policy per row */
  unsigned first_row;
  ReportRun *rows;
  ReportRatio *ratios;
  GPtrArray *notes;
} Case;

static void case_free (gpointer data)
{
  Case *item = data;

  scenario_free (item->scenario);
  g_clear_pointer (&item->experiment, experiment_free);
  g_clear_pointer (&item->notes, g_ptr_array_unref);
  g_free (item->rows);
  g_free (item->ratios);
  g_free (item);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Case, case_free)

static Scenario *open_scenario (const Experiment *experiment, const Options *options, GError **error)
{
  g_autoptr (Scenario) scenario = g_new0 (Scenario, 1);
  const char *paths[] = { experiment->workload_path, NULL };
  InputOptions input = options->input;

  scenario->policies = g_ptr_array_new_with_free_func ((GDestroyNotify) policy_free);
  scenario->replay = REPLAY_CLOSED;
  scenario->machine = scenario_load_machine (experiment->machine, options->set, error);
  scenario->device = scenario->machine ? scenario_load_device (OPTIONS_DEFAULT_DEVICE, options->set, error) : NULL;
  if (!scenario->device) {
    return NULL;
  }
  scenario->file_system = file_system_load (experiment->fs, error);
  if (!scenario->file_system) {
    return NULL;
  }
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    Policy *policy = policy_load (experiment->rows[i].policy, error);
    if (!policy) {
      g_prefix_error (error, "%s: row %s: ", experiment->path, experiment->rows[i].name);
      return NULL;
    }
    g_ptr_array_add (scenario->policies, policy);
  }
  input.cpus = scenario->machine->cpus;
  input.iodepth = experiment->iodepth;
  input.cache = experiment->cache;
  scenario->workload = input_open (paths, &input, error);
  return scenario->workload ? g_steal_pointer (&scenario) : NULL;
}

static Case *case_open (const char *name, const Options *options, RunSet *set, GError **error)
{
  g_autoptr (Case) item = g_new0 (Case, 1);

  item->experiment = experiment_load (name, error);
  if (!item->experiment) {
    return NULL;
  }
  item->scenario = open_scenario (item->experiment, options, error);
  if (!item->scenario) {
    return NULL;
  }
  for (unsigned i = 0; i < item->experiment->n_rows; i++) {
    const ExperimentRow *row = &item->experiment->rows[i];
    SimulationSetup setup = scenario_setup (item->scenario, options, item->scenario->policies->pdata[i], row->engine);
    setup.kernel = item->experiment->kernel;
    setup.sqpoll = row->sqpoll >= 0 ? row->sqpoll : item->experiment->sqpoll;
    setup.cache = item->experiment->cache;
    setup.iodepth = item->experiment->iodepth;
    setup.limit_ios = item->experiment->ios;
    const unsigned index = run_set_add (set, &setup);
    item->first_row = i ? item->first_row : index;
  }
  return g_steal_pointer (&item);
}

static gboolean case_complete (const Case *item, const RunSet *set)
{
  for (unsigned i = 0; i < item->experiment->n_rows; i++) {
    const RunResult *result = run_set_result (set, item->first_row + i);
    if (!result || result->interrupted) {
      return FALSE;
    }
  }
  return TRUE;
}

static ReportRatio judge (const ExperimentRatio *ratio, ReportEstimate simulated)
{
  const double error = simulated.mean / ratio->published - 1;
  const gboolean wrong_side =
      (ratio->published > 1 && simulated.mean <= 1) || (ratio->published < 1 && simulated.mean >= 1);

  return (ReportRatio){ .simulated = simulated.mean,
                        .half_width = simulated.half_width,
                        .error = error,
                        .wrong_side = wrong_side,
                        .ok = !wrong_side && fabs (error) <= ratio->tolerance };
}

static ReportExperiment report_case (Case *item, const RunSet *set, const Options *options, unsigned reps,
                                     ReportReproduction *total)
{
  const Experiment *experiment = item->experiment;
  gboolean ok = TRUE;

  item->rows = g_new0 (ReportRun, experiment->n_rows);
  item->ratios = g_new0 (ReportRatio, experiment->n_ratios);
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    item->rows[i] = run_set_report (set, item->first_row + i);
  }
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    const ExperimentRatio *ratio = &experiment->ratios[i];
    const ReportEstimate simulated =
        run_set_ratio (set, item->first_row + ratio->numerator, item->first_row + ratio->denominator);
    item->ratios[i] = judge (ratio, simulated);
    ok = ok && item->ratios[i].ok;
    total->ratios++;
    total->ok += item->ratios[i].ok;
    total->wrong_side += item->ratios[i].wrong_side;
    total->within_quarter += !item->ratios[i].wrong_side && fabs (item->ratios[i].error) <= 0.25;
  }
  item->notes = scenario_notes (item->scenario, options, item->rows, experiment->n_rows);
  return (ReportExperiment){
    .experiment = experiment,
    .machine = item->scenario->machine,
    .reps = reps,
    .rows = item->rows,
    .ratios = item->ratios,
    .notes = item->notes,
    .ok = ok,
  };
}

/* The experiments named, or all there are. (transfer full) (element-type Case) */
static GPtrArray *open_cases (const Options *options, RunSet *set, GError **error)
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (case_free);
  g_auto (GStrv) all = options->arguments->len ? NULL : data_path_list ("experiments", ".experiment");

  for (unsigned i = 0; all ? all[i] != NULL : i < options->arguments->len; i++) {
    Case *item = case_open (all ? all[i] : options->arguments->pdata[i], options, set, error);
    if (!item) {
      return NULL;
    }
    g_ptr_array_add (cases, item);
  }
  if (!cases->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "no experiment found: the data directory has none");
    return NULL;
  }
  return g_steal_pointer (&cases);
}

CommandExit command_reproduce (const Options *options, GError **error)
{
  g_autoptr (RunSet) set = run_set_new ();
  g_autoptr (GPtrArray) cases = open_cases (options, set, error);
  const unsigned reps = options->reps ? options->reps : DEFAULT_REPS;

  if (!cases) {
    return EXIT_USAGE;
  }
  if (!run_set_run (set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  g_autofree ReportExperiment *experiments = g_new0 (ReportExperiment, cases->len);
  ReportReproduction total = { .seed = options->seed, .experiments = experiments };
  total.interrupted = run_set_interrupted (set);
  for (unsigned i = 0; i < cases->len; i++) {
    if (case_complete (cases->pdata[i], set)) {
      experiments[total.n_experiments++] = report_case (cases->pdata[i], set, options, reps, &total);
    }
  }
  g_autofree char *text =
      options->format == FORMAT_JSON ? json_report_reproduction (&total) : text_report_reproduction (&total);
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  return total.interrupted ? EXIT_INTERRUPTED : total.ok == total.ratios ? EXIT_DONE : EXIT_NEGATIVE;
}
