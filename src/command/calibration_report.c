/* Reports and machine files of fits; see calibration_report.h. */
#include "src/command/calibration_report.h"
#include "model/key_file.h"
#include "src/command/command.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/machine_file.h"
#include "src/version.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVED 0.1 /* a value that leaving a result out moves by more is named */

static const char suffix[] = ".machine";

/* ---- the report ---- */

typedef struct {
  ReportParameter *parameters;
  ReportResult *results;
  ReportLeftOut *left_out;
  GPtrArray *texts; /* of char *: what the others point to */
} Parts;

static const char *keep (Parts *parts, char *text)
{
  g_ptr_array_add (parts->texts, text);
  return text;
}

static const char *fate_name (FitFate fate)
{
  static const char *const names[] = { [FIT_FITTED] = "fitted",
                                       [FIT_NO_EFFECT] = "no effect",
                                       [FIT_TRADED] = "traded",
                                       [FIT_WEAK] = "weak",
                                       [FIT_TOO_MANY] = "too many" };
  return names[fate];
}

/* Why a value was not fitted. (transfer full) (nullable) */
static char *reason_of (const CalibrationOutcome *outcome, const FitEstimate *estimate)
{
  switch (estimate->fate) {
  case FIT_FITTED:
    return NULL;
  case FIT_NO_EFFECT:
    return g_strdup ("no result that is used depends on it");
  case FIT_TRADED:
    return estimate->traded_for >= 0
               ? g_strdup_printf ("does nearly the same as %s", outcome->parameters[estimate->traded_for].key)
               : g_strdup ("what it does, others that are fitted do together");
  case FIT_WEAK:
    return g_strdup_printf ("its effect (%.2f) is too small to tell it within a factor of %g", estimate->effect,
                            outcome->problem->within > 1 ? outcome->problem->within : FIT_FACTOR);
  case FIT_TOO_MANY:
    return g_strdup ("more values than results less one");
  }
  g_assert_not_reached ();
}

static void fill_parameters (const CalibrationOutcome *outcome, Parts *parts)
{
  const FitResult *result = outcome->result;

  parts->parameters = g_new0 (ReportParameter, result->n_parameters);
  for (unsigned j = 0; j < result->n_parameters; j++) {
    const CalibrationParameter *parameter = &outcome->parameters[j];
    const FitEstimate *estimate = &result->parameters[j];
    const gboolean fitted = estimate->fate == FIT_FITTED;
    char *reason = reason_of (outcome, estimate);
    parts->parameters[j] = (ReportParameter){
      .key = parameter->key,
      .base_text = keep (parts, calibration_parameter_format (parameter, parameter->base)),
      .value_text = keep (parts, calibration_parameter_format (parameter, estimate->value)),
      .low_text = keep (parts, calibration_parameter_format (parameter, estimate->low)),
      .high_text = keep (parts, calibration_parameter_format (parameter, estimate->high)),
      .base = parameter->base,
      .value = parameter->whole ? floor (estimate->value + 0.5) : estimate->value,
      .low = estimate->low,
      .high = estimate->high,
      .fitted = fitted,
      .at_bound = estimate->at_bound,
      .fate = fate_name (estimate->fate),
      .reason = reason ? keep (parts, reason) : NULL,
      .effect = estimate->effect,
      .strongest = estimate->strongest >= 0 ? outcome->names[estimate->strongest] : NULL,
    };
  }
}

/* The figure of a job at a point, over that of its reference. */
static double shown_figure (const CalibrationOutcome *outcome, unsigned job, const double *point)
{
  const int reference = outcome->jobs[job].reference;
  const double figure = calibration_bench_figure (outcome->bench, job, point);

  return reference < 0 ? figure : figure / calibration_bench_figure (outcome->bench, (unsigned) reference, point);
}

static double measured_figure (const CalibrationOutcome *outcome, unsigned job)
{
  const CalibrationJob *jobs = outcome->jobs;

  return jobs[job].reference < 0 ? jobs[job].measured : jobs[job].measured / jobs[jobs[job].reference].measured;
}

static const FitLeftOut *find_left_out (const FitResult *result, unsigned observation)
{
  for (unsigned i = 0; i < result->n_left_out; i++) {
    if (result->left_out[i].observation == observation) {
      return &result->left_out[i];
    }
  }
  return NULL;
}

static unsigned fill_results (const CalibrationOutcome *outcome, Parts *parts)
{
  const FitResult *result = outcome->result;
  g_autofree double *start = g_new (double, result->n_parameters), *point = g_new (double, result->n_parameters);
  unsigned n = 0;

  for (unsigned j = 0; j < result->n_parameters; j++) {
    start[j] = outcome->parameters[j].start;
    point[j] = result->parameters[j].value;
  }
  parts->results = g_new0 (ReportResult, outcome->n_jobs);
  for (unsigned i = 0; i < outcome->n_jobs; i++) {
    const FitLeftOut *left_out = find_left_out (result, i);
    if (!outcome->problem->scored[i]) {
      continue;
    }
    parts->results[n++] = (ReportResult){
      .number = i + 1,
      .name = outcome->names[i],
      .used = outcome->problem->used[i],
      .absolute = outcome->jobs[i].reference < 0,
      .measured = measured_figure (outcome, i),
      .before = shown_figure (outcome, i, start),
      .simulated = shown_figure (outcome, i, point),
      .error_before = result->start_errors[i],
      .error = result->errors[i],
      .has_left_out = left_out != NULL,
      .left_out_error = left_out ? left_out->error : 0,
      .sensitivity = outcome->problem->used[i] ? result->sensitivity + (gsize) i * result->n_parameters : NULL,
    };
  }
  return n;
}

static int compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Errors of the results that are used (1), predicted (0) or either (-1); those not known are left out. */
static ReportErrors errors_of (const ReportResult *results, unsigned n, int used)
{
  g_autofree double *after = g_new (double, MAX (n, 1)), *before = g_new (double, MAX (n, 1));
  unsigned count = 0;

  for (unsigned i = 0; i < n; i++) {
    if ((used < 0 || (int) results[i].used == used) && isfinite (results[i].error)) {
      after[count] = results[i].error;
      before[count++] = results[i].error_before;
    }
  }
  ReportErrors errors = {
    .n = count, .median = fit_median (after, NULL, count), .median_before = fit_median (before, NULL, count), .p90 = NAN
  };
  for (unsigned i = 0; i < count; i++) {
    after[i] = fit_relative (after[i]);
  }
  qsort (after, count, sizeof *after, compare_doubles);
  if (count) {
    errors.p90 = after[(unsigned) ceil (0.9 * count) - 1];
  }
  return errors;
}

/* "Scheduler.Switch 812, ..." of the values that moved. (transfer full) */
static char *moved_values (const CalibrationOutcome *outcome, const FitLeftOut *left_out)
{
  GString *out = g_string_new (NULL);

  for (unsigned j = 0; j < outcome->result->n_parameters; j++) {
    const double value = outcome->result->parameters[j].value;
    if (fabs (left_out->values[j] / value - 1) > MOVED) {
      g_autofree char *text = calibration_parameter_format (&outcome->parameters[j], left_out->values[j]);
      g_string_append_printf (out, "%s%s %s", out->len ? ", " : "", outcome->parameters[j].key, text);
    }
  }
  return g_string_free (out, FALSE);
}

static void fill_left_out (const CalibrationOutcome *outcome, double median, Parts *parts)
{
  const FitResult *result = outcome->result;

  parts->left_out = g_new0 (ReportLeftOut, result->n_left_out);
  for (unsigned i = 0; i < result->n_left_out; i++) {
    const FitLeftOut *left_out = &result->left_out[i];
    parts->left_out[i] = (ReportLeftOut){
      .name = outcome->names[left_out->observation],
      .error = left_out->error,
      .median = left_out->median,
      .change = left_out->median - median,
      .moved = (char *) keep (parts, moved_values (outcome, left_out)),
      .values = left_out->values,
    };
  }
}

gboolean calibration_print (const CalibrationOutcome *outcome, const Options *options, GError **error)
{
  const FitResult *result = outcome->result;
  Parts parts = { .texts = g_ptr_array_new_with_free_func (g_free) };
  Options to_stdout = *options;

  fill_parameters (outcome, &parts);
  const unsigned n_results = fill_results (outcome, &parts);
  ReportCalibration report = {
    .base = keep (&parts, escape_text_short (outcome->base, -1, 100)),
    .output = options->output ? keep (&parts, escape_text_short (options->output, -1, 200)) : NULL,
    .what = outcome->what,
    .seed = options->seed,
    .reps = options->reps,
    .evaluations = result->evaluations,
    .runs = calibration_bench_runs (outcome->bench),
    .partial = result->partial,
    .limit = result->limit,
    .noise = result->noise,
    .n_parameters = result->n_parameters,
    .parameters = parts.parameters,
    .n_results = n_results,
    .results = parts.results,
    .used = errors_of (parts.results, n_results, 1),
    .predicted = errors_of (parts.results, n_results, 0),
    .all = errors_of (parts.results, n_results, -1),
    .n_left_out = result->n_left_out,
    .notes = outcome->notes,
  };
  fill_left_out (outcome, report.all.median, &parts);
  report.left_out = parts.left_out;
  g_autofree char *text =
      options->format == FORMAT_JSON ? json_report_calibration (&report) : text_report_calibration (&report);
  to_stdout.output = NULL; /* -o is the machine */
  const gboolean written = command_output (&to_stdout, text, error);
  g_free (parts.parameters);
  g_free (parts.results);
  g_free (parts.left_out);
  g_ptr_array_unref (parts.texts);
  return written;
}

/* ---- the machine file ---- */

/* NAME of [DIRECTORY/]NAME.machine. (transfer full) (nullable) */
static char *machine_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  if (!g_str_has_suffix (base, suffix)) {
    return NULL;
  }
  base[strlen (base) - strlen (suffix)] = '\0';
  return key_file_name_valid (base) ? g_steal_pointer (&base) : NULL;
}

gboolean calibration_check_output (const char *path, GError **error)
{
  g_autofree char *name = machine_name (path), *shown = escape_text_short (path, -1, 100);

  if (!name) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "-o: found \"%s\", expected NAME.machine, NAME being 1 to 63 of letters, digits, '.', '_' and '-'",
                 shown);
  }
  return name != NULL;
}

/* What [Machine] Base= says: a shipped machine's name, or where the file is. (transfer full) */
static char *base_reference (const char *base)
{
  return strchr (base, '/') || g_str_has_suffix (base, suffix) ? g_canonicalize_filename (base, NULL) : g_strdup (base);
}

static void value_clear (gpointer data)
{
  MachineFileValue *value = data;

  g_free (value->key);
  g_free (value->value);
  g_free (value->source);
}

static void add_value (GArray *values, char *key, char *value, char *source)
{
  const MachineFileValue added = { key, value, source };

  g_array_append_val (values, added);
}

static gboolean is_fitted (const CalibrationOutcome *outcome, const char *key)
{
  for (unsigned j = 0; j < outcome->result->n_parameters; j++) {
    if (outcome->result->parameters[j].fate == FIT_FITTED && !strcmp (outcome->parameters[j].key, key)) {
      return TRUE;
    }
  }
  return FALSE;
}

/* What options changed of the base is part of the machine that was fitted; the last of several counts. */
static void add_settings (const CalibrationOutcome *outcome, const Options *options, GArray *values)
{
  if (options->cpus) {
    add_value (values, g_strdup ("CPU.Count"), g_strdup_printf ("%u", options->cpus),
               g_strdup ("assumed: --cpus of uringsim calibrate"));
  }
  for (unsigned i = 0; i < options->set->len; i++) {
    const char *word = options->set->pdata[i], *equals = strchr (word, '=');
    g_autofree char *key = g_strndup (word, (gsize) (equals - word));
    gboolean last = !is_fitted (outcome, key) && !(options->cpus && !strcmp (key, "CPU.Count"));
    for (unsigned k = i + 1; k < options->set->len; k++) {
      const char *other = options->set->pdata[k];
      last = last && strncmp (other, word, (gsize) (equals - word) + 1) != 0;
    }
    if (last) {
      char *full = strcmp (key, "noise") ? g_strdup (key) : g_strdup ("CPU.Noise");
      add_value (values, full, g_strdup (equals + 1), g_strdup ("assumed: --set of uringsim calibrate"));
    }
  }
}

static void add_fitted (const CalibrationOutcome *outcome, unsigned n_used, GArray *values)
{
  const FitResult *result = outcome->result;

  for (unsigned j = 0; j < result->n_parameters; j++) {
    const CalibrationParameter *parameter = &outcome->parameters[j];
    const FitEstimate *estimate = &result->parameters[j];
    if (estimate->fate != FIT_FITTED) {
      continue;
    }
    g_autofree char *low = calibration_parameter_format (parameter, estimate->low);
    g_autofree char *high = calibration_parameter_format (parameter, estimate->high);
    g_autofree char *base = calibration_parameter_format (parameter, parameter->base);
    char *source =
        result->partial
            ? g_strdup_printf ("fitted: partial, the fit was interrupted (%u %s; base %s)", n_used, outcome->what, base)
            : g_strdup_printf ("fitted: to %u %s (95 %% CI %s..%s; base %s)%s", n_used, outcome->what, low, high, base,
                               estimate->at_bound ? ", at its bound" : "");
    add_value (values, g_strdup (parameter->key), calibration_parameter_format (parameter, estimate->value), source);
  }
}

static GPtrArray *comments_of (const CalibrationOutcome *outcome)
{
  GPtrArray *comments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (comments, g_strdup_printf ("Made by uringsim calibrate, version %s, model %u.", uringsim_version (),
                                              uringsim_model_version ()));
  if (outcome->result->partial) {
    g_ptr_array_add (comments, g_strdup ("PARTIAL: the fit was interrupted; these are the best values until then."));
  }
  g_ptr_array_add (comments, g_strdup_printf ("Fitted to these %s; all others are predictions:", outcome->what));
  for (unsigned i = 0; i < outcome->n_jobs; i++) {
    if (outcome->problem->used[i]) {
      g_ptr_array_add (comments, g_strdup_printf ("  %u: %s", i + 1, outcome->names[i]));
    }
  }
  return comments;
}

gboolean calibration_write (const CalibrationOutcome *outcome, const Options *options, GError **error)
{
  const FitResult *result = outcome->result;
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (MachineFileValue));
  g_autoptr (GPtrArray) comments = comments_of (outcome);
  g_autofree char *name = machine_name (options->output), *base = base_reference (outcome->base);

  g_array_set_clear_func (values, value_clear);
  add_settings (outcome, options, values);
  add_fitted (outcome, result->n_used, values);
  const double median = fit_median (result->errors, outcome->problem->used, outcome->n_jobs);
  g_autofree char *share = format_share (median), *shown = escape_text_short (outcome->base, -1, 60);
  g_autofree char *title = g_strdup_printf ("%s fitted to %u %s", shown, result->n_used, outcome->what);
  g_autofree char *evidence = g_strdup_printf ("%s%u values fitted to %u %s (median error %s), the others from %s",
                                               result->partial ? "PARTIAL, interrupted: " : "", result->n_fitted,
                                               result->n_used, outcome->what, share, shown);
  const MachineFile file = { .name = name,
                             .base = base,
                             .title = title,
                             .evidence = evidence,
                             .comments = comments,
                             .n_values = values->len,
                             .values = (const MachineFileValue *) values->data };
  g_autofree char *text = machine_file_text (&file);
  return command_output (options, text, error);
}
