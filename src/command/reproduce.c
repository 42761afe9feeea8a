/*
 * uringsim reproduce: the shipped experiments, published figures beside simulated ones.
 *
 * An experiment is data: rows that differ in policy, engine or anything else, and ratios between rows.  None is known
 * by name here.
 */
#include "model/data_path.h"
#include "src/command/command.h"
#include "src/command/experiment_case.h"
#include "src/command/run_set.h"
#include <math.h>

enum { DEFAULT_REPS = 8 };

/* One experiment and where its rows are in the run set. */
typedef struct {
  ExperimentCase *opened;
  unsigned first_row;
  ReportRun *rows;
  ReportRatio *ratios;
  GPtrArray *notes;
} Case;

static void case_free (gpointer data)
{
  Case *item = data;

  experiment_case_free (item->opened);
  g_clear_pointer (&item->notes, g_ptr_array_unref);
  g_free (item->rows);
  g_free (item->ratios);
  g_free (item);
}

static Case *case_open (const char *name, const Options *options, RunSet *set, GError **error)
{
  ExperimentCase *opened = experiment_case_open (name, options, error);
  Case *item;

  if (!opened) {
    return NULL;
  }
  item = g_new0 (Case, 1);
  item->opened = opened;
  for (unsigned i = 0; i < opened->experiment->n_rows; i++) {
    const SimulationSetup setup = experiment_case_setup (opened, i, options, NULL);
    const unsigned index = run_set_add (set, &setup);

    run_set_watch_lock (set, index, opened->experiment->rows[i].lock);
    item->first_row = i ? item->first_row : index;
  }
  return item;
}

static gboolean case_complete (const Case *item, const RunSet *set)
{
  for (unsigned i = 0; i < item->opened->experiment->n_rows; i++) {
    const RunResult *result = run_set_result (set, item->first_row + i);
    if (!result || result->interrupted) {
      return FALSE;
    }
  }
  return TRUE;
}

static ReportRatio judge (const ExperimentRatio *ratio, ReportEstimate simulated)
{
  const gboolean side = experiment_ratio_has_side (ratio);
  const gboolean wrong_side =
      side && ((ratio->published > 1 && simulated.mean <= 1) || (ratio->published < 1 && simulated.mean >= 1));

  return (ReportRatio){ .simulated = simulated.mean,
                        .half_width = simulated.half_width,
                        .error = ratio->published >= 0 ? simulated.mean / ratio->published - 1 : NAN,
                        .wrong_side = wrong_side,
                        .ok = !wrong_side && simulated.mean >= ratio->least && simulated.mean <= ratio->most };
}

static ReportEstimate simulate_ratio (const Case *item, const RunSet *set, const ExperimentRatio *ratio)
{
  unsigned above[EXPERIMENT_ROWS_MAX], below[EXPERIMENT_ROWS_MAX];

  for (unsigned i = 0; i < ratio->n_above; i++) {
    above[i] = item->first_row + ratio->above[i];
  }
  for (unsigned i = 0; i < ratio->n_below; i++) {
    below[i] = item->first_row + ratio->below[i];
  }
  return run_set_quotient (set, (RunSetSum){ above, ratio->n_above, ratio->metric },
                           (RunSetSum){ below, ratio->n_below, ratio->metric_below });
}

/* The notes of all rows, each once. */
static GPtrArray *collect_notes (const Case *item, const Options *options)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (unsigned i = 0; i < item->opened->experiment->n_rows; i++) {
    Options row_options = *options;
    g_autoptr (GPtrArray) own = NULL;

    row_options.cache = item->opened->experiment->rows[i].cache;
    row_options.kernel = item->opened->experiment->rows[i].kernel;
    own = scenario_notes (item->opened->scenarios[i], &row_options, &item->rows[i], 1);
    for (unsigned k = 0; k < own->len; k++) {
      if (!g_hash_table_contains (seen, own->pdata[k])) {
        g_ptr_array_add (notes, g_strdup (own->pdata[k]));
        g_hash_table_add (seen, notes->pdata[notes->len - 1]);
      }
    }
  }
  return notes;
}

static ReportExperiment report_case (Case *item, const RunSet *set, const Options *options, unsigned reps,
                                     ReportReproduction *total)
{
  const Experiment *experiment = item->opened->experiment;
  gboolean ok = TRUE;

  item->rows = g_new0 (ReportRun, experiment->n_rows);
  item->ratios = g_new0 (ReportRatio, experiment->n_ratios);
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    item->rows[i] = run_set_report (set, item->first_row + i);
  }
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    const ExperimentRatio *ratio = &experiment->ratios[i];

    item->ratios[i] = judge (ratio, simulate_ratio (item, set, ratio));
    ok = ok && item->ratios[i].ok;
    total->ratios++;
    total->ok += item->ratios[i].ok;
    total->wrong_side += item->ratios[i].wrong_side;
    total->within_quarter += !item->ratios[i].wrong_side && fabs (item->ratios[i].error) <= 0.25;
  }
  item->notes = collect_notes (item, options);
  return (ReportExperiment){
    .experiment = experiment,
    .machine = item->opened->scenarios[0]->machine,
    .reps = reps,
    .rows = item->rows,
    .ratios = item->ratios,
    .notes = item->notes,
    .ok = ok,
  };
}

/* ---- costs that differ between experiments ---- */

static void widen (ReportSpread *spread, double value, const char *where)
{
  if (!spread->least_in || value < spread->least) {
    spread->least = value;
    spread->least_in = where;
  }
  if (!spread->most_in || value > spread->most) {
    spread->most = value;
    spread->most_in = where;
  }
}

/* A key's value in the first row of an experiment; of a device only if it is the one of `item`. */
static gboolean value_of (const char *key, const ExperimentCase *item, const ExperimentCase *other, double *ret_value)
{
  const Device *device = other->scenarios[0]->device;
  const gboolean same = g_str_equal (device->name, item->scenarios[0]->device->name);

  return experiment_key_value (key, other->scenarios[0]->machine, same ? device : NULL, ret_value);
}

/* Every fitted cost of every experiment, over all of them: those that leave it alone have the base's value.  The number
 * of CPUs is no cost. */
static GArray *find_spreads (const GPtrArray *cases)
{
  GArray *spreads = g_array_new (FALSE, FALSE, sizeof (ReportSpread));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (unsigned i = 0; i < cases->len; i++) {
    const Case *item = cases->pdata[i];

    for (char **key = item->opened->experiment->fitted; *key; key++) {
      ReportSpread spread = { .key = *key };

      if (g_str_equal (*key, "CPU.Count") || !g_hash_table_add (seen, *key)) {
        continue;
      }
      for (unsigned k = 0; k < cases->len; k++) {
        const ExperimentCase *other = ((const Case *) cases->pdata[k])->opened;
        double value;

        if (value_of (*key, item->opened, other, &value)) {
          widen (&spread, value, other->experiment->name);
        }
      }
      if (spread.most > REPORT_SPREAD_LIMIT * spread.least) {
        g_array_append_val (spreads, spread);
      }
    }
  }
  return spreads;
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
  g_autoptr (GArray) spreads = find_spreads (cases);
  ReportReproduction total = { .seed = options->seed, .experiments = experiments };
  total.interrupted = run_set_interrupted (set);
  total.n_spreads = spreads->len;
  total.spreads = (const ReportSpread *) (gpointer) spreads->data;
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
