/*
 * Calibrating to what others published: the rows of an experiment are the results, its Fitted= keys the values.
 *
 * Each row with a published figure is one observation: its rate, else its bandwidth, else a latency.  As many keys as
 * there are rows less one are fitted whatever the rows can tell, since the experiment says that they were: what counts
 * is each row's error when it was left out.
 */
#include "src/command/calibration.h"
#include "src/output/escape.h"
#include <string.h>

/* What a row is judged by; METRICS_N: nothing. */
static Metric metric_of_row (const ExperimentRow *row)
{
  static const Metric order[] = { METRIC_IOPS,           METRIC_IOPS_READ,       METRIC_IOPS_WRITE, METRIC_BANDWIDTH,
                                  METRIC_BANDWIDTH_READ, METRIC_BANDWIDTH_WRITE, METRIC_CLAT,       METRIC_LAT,
                                  METRIC_SLAT,           METRIC_ELAPSED };

  for (unsigned i = 0; i < G_N_ELEMENTS (order); i++) {
    if (row->published[order[i]] > 0) {
      return order[i];
    }
  }
  return METRICS_N;
}

static void fill_rows (Calibration *calibration)
{
  const Experiment *experiment = calibration->experiment->experiment;

  calibration_allocate_jobs (calibration, experiment->n_rows);
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    const ExperimentRow *row = &experiment->rows[i];
    const Metric metric = metric_of_row (row);
    calibration->names[i] = escape_text_short (row->name, -1, 60);
    if (metric == METRICS_N) {
      calibration->jobs[i] = (CalibrationJob){ .metric = METRIC_IOPS, .measured = 1, .reference = (int) i };
      g_ptr_array_add (calibration->notes,
                       g_strdup_printf ("row %s: no rate, bandwidth or latency was published; it is "
                                        "not fitted to",
                                        calibration->names[i]));
      continue;
    }
    calibration->jobs[i] =
        (CalibrationJob){ .metric = metric, .lock = row->lock, .measured = row->published[metric], .reference = -1 };
    calibration->used[i] = calibration->scored[i] = TRUE;
  }
}

/* Fitted= keys that are numbers of the machine; others are said to stay. */
static gboolean fill_parameters (Calibration *calibration, GError **error)
{
  const Options *options = calibration->options;
  const Experiment *experiment = calibration->experiment->experiment;
  const Machine *own = calibration->experiment->scenarios[0]->machine;
  Machine *base = machine_load (own->base_path ? own->base_path : experiment->machine, error);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  double value;
  gboolean whole;

  if (!base) {
    return FALSE;
  }
  for (char **key = experiment->fitted; !options->parameters->len && *key; key++) {
    if (machine_get_number (base, *key, &value, &whole, NULL)) {
      g_ptr_array_add (words, *key);
    } else {
      g_ptr_array_add (calibration->notes,
                       g_strdup_printf ("%s is no cost, time or factor of the machine: it stays as it is", *key));
    }
  }
  if (!options->parameters->len && !words->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--experiment: none of the Fitted= keys of %s is a cost, a time or a factor of the machine; expected "
                 "--parameter KEY",
                 experiment->name);
  } else {
    calibration->parameters =
        calibration_parameters_parse (options->parameters->len ? options->parameters : words, base, error);
  }
  machine_free (base);
  return calibration->parameters != NULL;
}

gboolean calibration_open_experiment (Calibration *calibration, GError **error)
{
  const Options *options = calibration->options;
  unsigned n = 0;

  if (options->arguments->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "--experiment: found %u results, expected none",
                 options->arguments->len);
    return FALSE;
  }
  calibration->experiment = experiment_case_open (options->experiment, options, error);
  if (!calibration->experiment) {
    return FALSE;
  }
  fill_rows (calibration);
  for (unsigned i = 0; i < calibration->n_jobs; i++) {
    n += calibration->used[i];
  }
  if (n < 2) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--experiment: %s has %u row%s with a published rate or latency, expected at least 2",
                 calibration->experiment->experiment->name, n, n == 1 ? "" : "s");
    return FALSE;
  }
  calibration->base = calibration->experiment->experiment->machine;
  calibration->what = "rows";
  if (!fill_parameters (calibration, error)) {
    return FALSE;
  }
  if (calibration->parameters->len >= n) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--experiment: found %u values to fit to %u rows of %s, expected at most rows less one",
                 calibration->parameters->len, n, calibration->experiment->experiment->name);
    return FALSE;
  }
  calibration_fill_fit_parameters (calibration);
  return TRUE;
}

SimulationSetup calibration_experiment_setup (unsigned index, const RecordMachine *machine, const void *data)
{
  const Calibration *calibration = data;

  SimulationSetup setup = experiment_case_setup (calibration->experiment, index, calibration->options, &machine->fio);

  setup.limit_ios = calibration->options->limit_ios ? calibration->options->limit_ios : setup.limit_ios;
  return setup;
}

Machine *calibration_experiment_machine (unsigned index, const void *data, GError **error)
{
  const Calibration *calibration = data;
  g_autoptr (GPtrArray) set = g_ptr_array_new ();

  for (char **word = calibration->experiment->experiment->rows[index].set; *word; word++) {
    g_ptr_array_add (set, *word);
  }
  for (unsigned i = 0; i < calibration->options->set->len; i++) {
    g_ptr_array_add (set, calibration->options->set->pdata[i]);
  }
  return scenario_load_machine (calibration->base, set, error);
}
