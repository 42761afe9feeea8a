/*
 * Report of `calibrate` as text: values fitted and how sure they are, values left alone and why, errors of every result
 * before and after, and what leaving one out changes.
 */
#include "src/output/calibration.h"
#include "src/output/format.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"
#include "src/version.h"
#include <math.h>

enum { SENSITIVITY_COLUMNS = 14 }; /* wider tables are not read */

/* simulated / measured - 1, signed. (transfer full) */
static char *error_text (double error) { return isfinite (error) ? format_error (exp (error) - 1) : g_strdup ("-"); }

static char *figure_text (const ReportResult *result, double figure)
{
  if (!isfinite (figure)) {
    return g_strdup ("-");
  }
  return result->absolute ? format_rate (figure) : format_fixed (figure, 3);
}

static unsigned count_fitted (const ReportCalibration *calibration)
{
  unsigned fitted = 0;

  for (unsigned j = 0; j < calibration->n_parameters; j++) {
    fitted += calibration->parameters[j].fitted;
  }
  return fitted;
}

static void print_fitted (const ReportCalibration *calibration, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("rlrrrlrl");
  unsigned number = 0;

  text_table_header (table, "", "value", "base", "fitted", "95 % interval", "", "effect", "strongest on", NULL);
  for (unsigned j = 0; j < calibration->n_parameters; j++) {
    const ReportParameter *parameter = &calibration->parameters[j];
    if (!parameter->fitted) {
      continue;
    }
    text_table_take (table, g_strdup_printf ("%u", ++number));
    text_table_add (table, parameter->key);
    text_table_add (table, parameter->base_text);
    text_table_add (table, parameter->value_text);
    text_table_take (table, g_strdup_printf ("%s .. %s", parameter->low_text, parameter->high_text));
    text_table_add (table, parameter->at_bound ? "at its bound" : "");
    text_table_take (table, format_fixed (parameter->effect, 2));
    text_table_add (table, parameter->strongest ? parameter->strongest : "");
  }
  if (number) {
    g_string_append (
        out, "\nFitted (effect: by how many percent a result moves if the value moves by 1 %, root mean square)\n");
    text_table_print (table, 2, out);
  }
}

static void print_kept (const ReportCalibration *calibration, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrl");

  text_table_header (table, "value", "base", "why", NULL);
  for (unsigned j = 0; j < calibration->n_parameters; j++) {
    const ReportParameter *parameter = &calibration->parameters[j];
    if (!parameter->fitted) {
      text_table_add (table, parameter->key);
      text_table_add (table, parameter->value_text);
      text_table_add (table, parameter->reason ? parameter->reason : "");
    }
  }
  if (text_table_rows (table)) {
    g_string_append (out, "\nNot identified by these results, left at the base's value\n");
    text_table_print (table, 2, out);
  }
}

static void print_results (const ReportCalibration *calibration, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("rllrrrrrr");

  text_table_header (table, "", "result", "", "measured", "base", "error", "fitted", "error", "left out", NULL);
  for (unsigned i = 0; i < calibration->n_results; i++) {
    const ReportResult *result = &calibration->results[i];
    text_table_take (table, g_strdup_printf ("%u", result->number));
    text_table_add (table, result->name);
    text_table_add (table, result->used ? "used" : "predicted");
    text_table_take (table, figure_text (result, result->measured));
    text_table_take (table, figure_text (result, result->before));
    text_table_take (table, error_text (result->error_before));
    text_table_take (table, figure_text (result, result->simulated));
    text_table_take (table, error_text (result->error));
    text_table_take (table, result->has_left_out ? error_text (result->left_out_error) : g_strdup (""));
  }
  g_string_append (out, "\nResults, measured and simulated with the base's values and with the fitted ones\n");
  text_table_print (table, 2, out);
}

static void print_errors (const char *what, const ReportErrors *errors, GString *out)
{
  if (!errors->n) {
    return;
  }
  g_autofree char *median = format_share (errors->median), *p90 = format_share (errors->p90);
  g_autofree char *before = format_share (errors->median_before);
  g_string_append_printf (out, "  %u %s: median error %s (base %s), 90 %% within %s\n", errors->n, what, median, before,
                          p90);
}

static void print_sensitivity (const ReportCalibration *calibration, GString *out)
{
  const unsigned fitted = count_fitted (calibration);
  g_autofree char *alignment = g_strnfill (fitted + 2, 'r');

  if (!fitted || fitted > SENSITIVITY_COLUMNS) {
    return;
  }
  alignment[1] = 'l';
  g_autoptr (TextTable) table = text_table_new (alignment);
  text_table_add (table, "");
  text_table_add (table, "");
  for (unsigned j = 0; j < fitted; j++) {
    text_table_take (table, g_strdup_printf ("(%u)", j + 1));
  }
  for (unsigned i = 0; i < calibration->n_results; i++) {
    const ReportResult *result = &calibration->results[i];
    if (!result->sensitivity) {
      continue;
    }
    text_table_take (table, g_strdup_printf ("%u", result->number));
    text_table_add (table, result->name);
    for (unsigned j = 0; j < calibration->n_parameters; j++) {
      if (calibration->parameters[j].fitted) {
        text_table_take (table, format_fixed (result->sensitivity[j], 2));
      }
    }
  }
  g_string_append (out, "\nPercent by which a result moves if a value (numbered as above) moves by 1 %\n");
  text_table_print (table, 2, out);
}

static void print_left_out (const ReportCalibration *calibration, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrl");

  if (!calibration->n_left_out) {
    return;
  }
  text_table_header (table, "without", "its error", "median of all", "change", "values that move by more than 10 %",
                     NULL);
  for (unsigned i = 0; i < calibration->n_left_out; i++) {
    const ReportLeftOut *left_out = &calibration->left_out[i];
    text_table_add (table, left_out->name);
    text_table_take (table, error_text (left_out->error));
    text_table_take (table, format_share (left_out->median));
    text_table_take (table, g_strdup_printf ("%+.1f points", left_out->change * 100));
    text_table_add (table, left_out->moved);
  }
  g_string_append (out, "\nFitted without one of the results\n");
  text_table_print (table, 2, out);
}

char *text_report_calibration (const ReportCalibration *calibration)
{
  GString *out = g_string_new (NULL);
  g_autofree char *noise = format_share (exp (calibration->noise) - 1);
  g_autofree char *runs = calibration->reps ? g_strdup_printf (", %u seeds each", calibration->reps) : g_strdup ("");

  g_string_append_printf (
      out, "uringsim %s (model %u), calibrate: base %s, %u %s used of %u, seed %" G_GUINT64_FORMAT "%s\n",
      uringsim_version (), uringsim_model_version (), calibration->base, calibration->used.n, calibration->what,
      calibration->n_results, calibration->seed, runs);
  if (calibration->partial) {
    g_string_append (out, "PARTIAL: interrupted; the best values until then, without what was to follow\n");
  }
  if (calibration->limit) {
    g_string_append (out, "A search ended at its largest number of steps: the values may not be the best\n");
  }
  g_string_append_printf (
      out, "%u of %u values fitted, %u points, %u simulations; error left per degree of freedom %s\n",
      count_fitted (calibration), calibration->n_parameters, calibration->evaluations, calibration->runs, noise);
  print_fitted (calibration, out);
  print_kept (calibration, out);
  print_results (calibration, out);
  print_errors ("used", &calibration->used, out);
  print_errors ("predicted", &calibration->predicted, out);
  print_errors ("in all", &calibration->all, out);
  print_sensitivity (calibration, out);
  print_left_out (calibration, out);
  if (calibration->output) {
    g_string_append_printf (out, "\nWritten: %s\n", calibration->output);
  }
  if (calibration->notes->len) {
    g_string_append (out, "\nNotes\n");
    text_section_notes (calibration->notes, out);
  }
  return g_string_free (out, FALSE);
}
