/*
 * Report of `reproduce` as text: what was published beside what is simulated, then why.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/report.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"
#include "src/version.h"

#include <math.h>

static const char *verdict (const ReportRatio *ratio)
{
  return ratio->ok ? "ok" : ratio->wrong_side ? "WRONG SIDE of 1" : "outside";
}

static char *figure_text (Metric metric, double value)
{
  switch (metric_unit (metric)) {
  case METRIC_RATE:
    return format_rate (value);
  case METRIC_BYTES_RATE: {
    g_autofree char *bytes = format_bytes (value);
    return g_strconcat (bytes, "/s", NULL);
  }
  case METRIC_TIME:
    return format_time (value);
  case METRIC_SHARE:
    return format_share (value);
  case METRIC_COUNT:
    break;
  }
  return format_fixed (value, value < 100 ? 2 : 0);
}

static char *estimate_text (Metric metric, ReportEstimate estimate)
{
  g_autofree char *mean = figure_text (metric, estimate.mean);

  if (estimate.half_width < 0) {
    return g_steal_pointer (&mean);
  }
  g_autofree char *width = figure_text (metric, estimate.half_width);
  return g_strdup_printf ("%s +- %s", mean, width);
}

/* What a fit and the left-out error of a row are about: the first of these that was published. */
static Metric leading_metric (const ExperimentRow *row)
{
  for (unsigned i = 0; i < METRICS_N; i++) {
    if (row->published[i] >= 0) {
      return (Metric) i;
    }
  }
  return METRIC_IOPS;
}

static void add_figure (TextTable *table, const char *name, const ExperimentRow *row, const ReportRun *run,
                        Metric metric)
{
  const double published = row->published[metric];
  const gboolean leading = metric == leading_metric (row);

  text_table_add (table, leading ? name : "");
  text_table_add (table, leading ? run->result->policy : "");
  text_table_add (table, leading ? run->result->engine : "");
  text_table_add (table, metric_heading (metric));
  text_table_take (table, published >= 0 ? figure_text (metric, published) : g_strdup ("-"));
  text_table_take (table, estimate_text (metric, run->metric[metric]));
  text_table_take (table, published > 0 ? format_error (run->metric[metric].mean / published - 1) : g_strdup (""));
  text_table_take (table, leading && !isnan (row->left_out_error) ? format_error (row->left_out_error) : g_strdup (""));
}

static void print_rows (const ReportExperiment *report, char *const *names, GString *out)
{
  const Experiment *experiment = report->experiment;
  g_autoptr (TextTable) table = text_table_new ("llllrrrr");

  text_table_header (table, "row", "policy", "engine", "", "published", "simulated", "error", "left out", NULL);
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    const ExperimentRow *row = &experiment->rows[i];

    for (unsigned metric = 0; metric < METRICS_N; metric++) {
      if (row->published[metric] >= 0 || metric == (unsigned) leading_metric (row)) {
        add_figure (table, names[i], row, &report->rows[i], (Metric) metric);
      }
    }
  }
  text_table_print (table, 2, out);
}

static char *limits_text (const ExperimentRatio *ratio)
{
  g_autofree char *least = format_fixed (ratio->least, 3);
  g_autofree char *most = isinf (ratio->most) ? NULL : format_fixed (ratio->most, 3);

  if (ratio->tolerance >= 0) {
    return format_share (ratio->tolerance);
  }
  return !most              ? g_strconcat (">= ", least, NULL)
         : ratio->least > 0 ? g_strconcat (least, " to ", most, NULL)
                            : g_strconcat ("<= ", most, NULL);
}

static void print_ratios (const ReportExperiment *report, GString *out)
{
  const Experiment *experiment = report->experiment;
  g_autoptr (TextTable) table = text_table_new ("lrrrrl");

  text_table_header (table, "ratio", "published", "simulated", "error", "tolerance", "", NULL);
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    const ExperimentRatio *ratio = &experiment->ratios[i];
    const ReportRatio *got = &report->ratios[i];

    text_table_add (table, ratio->name);
    text_table_take (table, ratio->published >= 0 ? format_fixed (ratio->published, 3) : g_strdup ("in words"));
    text_table_take (table, format_ratio (got->simulated, got->half_width));
    text_table_take (table, isnan (got->error) ? g_strdup ("") : format_error (got->error));
    text_table_take (table, limits_text (ratio));
    text_table_add (table, verdict (got));
  }
  if (experiment->n_ratios) {
    g_string_append_c (out, '\n');
    text_table_print (table, 2, out);
  }
}

/* ---- what the experiment says itself ---- */

/* The rows with the same Set= as row `i`; "all rows" if these are all, NULL if an earlier row spoke for it.
 * (transfer full) */
static char *rows_alike (const Experiment *experiment, unsigned i)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (unsigned k = 0; k < experiment->n_rows; k++) {
    if (g_strv_equal ((const char *const *) experiment->rows[i].set, (const char *const *) experiment->rows[k].set)) {
      if (k < i) {
        return NULL;
      }
      g_ptr_array_add (names, experiment->rows[k].name);
    }
  }
  if (names->len == experiment->n_rows) {
    return g_strdup ("all rows");
  }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

static void note_settings (const Experiment *experiment, GPtrArray *notes)
{
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    char **set = experiment->rows[i].set;
    g_autofree char *rows = *set ? rows_alike (experiment, i) : NULL, *all = g_strjoinv ("; ", set);

    if (rows) {
      g_ptr_array_add (notes, g_strdup_printf ("Set for %s: %s", rows, all));
    }
  }
}

static void note_keys (GPtrArray *notes, const char *what, char **keys)
{
  g_autofree char *all = g_strjoinv (", ", keys);

  if (*keys) {
    g_ptr_array_add (notes, g_strdup_printf ("%s: %s", what, all));
  }
}

static void note_experiment (const ReportExperiment *report, GPtrArray *notes)
{
  const Experiment *experiment = report->experiment;

  g_ptr_array_add (notes, g_strdup_printf ("Machine %s: %s", report->machine->name, report->machine->evidence));
  note_keys (notes, "Fitted to this experiment", experiment->fitted);
  note_keys (notes, "Not fitted, but as the source says or as the rows differ", experiment->stated);
  note_settings (experiment, notes);
  if (experiment->note) {
    g_ptr_array_add (notes, g_strdup (experiment->note));
  }
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    if (experiment->rows[i].note && experiment->rows[i].note[0]) {
      g_ptr_array_add (notes, g_strdup_printf ("%s: %s", experiment->rows[i].name, experiment->rows[i].note));
    }
  }
}

/* "xfs", or "xfs, ext4" where rows differ. */
static char *file_systems_text (const Experiment *experiment)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (unsigned i = 0; i < experiment->n_rows; i++) {
    if (!g_ptr_array_find_with_equal_func (names, experiment->rows[i].fs, g_str_equal, NULL)) {
      g_ptr_array_add (names, experiment->rows[i].fs);
    }
  }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

static void print_experiment (const ReportExperiment *report, GString *out)
{
  const Experiment *experiment = report->experiment;
  const RunResult *first = report->rows[0].result;
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  char **names = g_new0 (char *, experiment->n_rows + 1);

  for (unsigned i = 0; i < experiment->n_rows; i++) {
    names[i] = escape_text_short (experiment->rows[i].name, -1, 24);
  }
  g_autofree char *file_systems = file_systems_text (experiment);
  g_string_append_printf (out, "\n==== %s: %s\n", experiment->name, experiment->title);
  g_string_append_printf (out, "  published in %s\n", experiment->source);
  g_string_append_printf (out, "  machine %s, %u CPUs, file system %s, %u seeds\n\n", first->machine, first->cpus,
                          file_systems, report->reps);
  print_rows (report, names, out);
  print_ratios (report, out);
  text_section_paths (report->rows, names, experiment->n_rows, out);
  text_section_phases (report->rows, names, experiment->n_rows, out);
  text_section_locks (report->rows, names, experiment->n_rows, out);
  text_section_cpus (report->rows, names, experiment->n_rows, out);
  note_experiment (report, notes);
  for (unsigned i = 0; report->notes && i < report->notes->len; i++) {
    g_ptr_array_add (notes, g_strdup (report->notes->pdata[i]));
  }
  g_string_append (out, "\nWhat this rests on\n");
  text_section_notes (notes, out);
  g_strfreev (names);
}

static void print_spreads (const ReportReproduction *reproduction, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrlrlr");

  text_table_header (table, "key", "least", "in", "most", "in", "factor", NULL);
  for (unsigned i = 0; i < reproduction->n_spreads; i++) {
    const ReportSpread *spread = &reproduction->spreads[i];

    text_table_add (table, spread->key);
    text_table_take (table, format_fixed (spread->least, spread->least < 10 ? 3 : 0));
    text_table_add (table, spread->least_in);
    text_table_take (table, format_fixed (spread->most, spread->most < 10 ? 3 : 0));
    text_table_add (table, spread->most_in);
    text_table_take (table, spread->least > 0 ? format_fixed (spread->most / spread->least, 1) : g_strdup ("-"));
  }
  if (reproduction->n_spreads) {
    g_string_append (out, "\nFitted keys that differ by more than a factor of 2 between experiments\n");
    text_table_print (table, 2, out);
  }
}

char *text_report_reproduction (const ReportReproduction *reproduction)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (
      out, "uringsim %s (model %u), reproduce: published figures beside simulated ones, seed %" G_GUINT64_FORMAT "\n",
      uringsim_version (), uringsim_model_version (), reproduction->seed);
  if (reproduction->interrupted) {
    g_string_append (out, "INTERRUPTED: the figures cover only the part that was simulated\n");
  }
  for (unsigned i = 0; i < reproduction->n_experiments; i++) {
    print_experiment (&reproduction->experiments[i], out);
  }
  print_spreads (reproduction, out);
  g_string_append_printf (out, "\n%u ratios: %u within their tolerance, %u within 25 %%, %u on the wrong side of 1\n",
                          reproduction->ratios, reproduction->ok, reproduction->within_quarter,
                          reproduction->wrong_side);
  return g_string_free (out, FALSE);
}
