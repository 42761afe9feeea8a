/*
 * Report of `reproduce` as text: what was published beside what is simulated, then why.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/report.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"
#include "src/version.h"

static const char *verdict (const ReportRatio *ratio)
{
  return ratio->ok ? "ok" : ratio->wrong_side ? "WRONG SIDE of 1" : "outside";
}

static void add_figure (TextTable *table, const char *row, const ReportRun *run, const char *what, char *published,
                        char *simulated, double error)
{
  text_table_add (table, row);
  text_table_add (table, run->result->policy);
  text_table_add (table, run->result->engine);
  text_table_add (table, what);
  text_table_take (table, published);
  text_table_take (table, simulated);
  text_table_take (table, published[0] == '-' ? g_strdup ("") : format_error (error));
}

static char *estimate_text (ReportEstimate estimate, char *(*format) (double) )
{
  g_autofree char *mean = format (estimate.mean);

  if (estimate.half_width < 0) {
    return g_steal_pointer (&mean);
  }
  g_autofree char *width = format (estimate.half_width);
  return g_strdup_printf ("%s +- %s", mean, width);
}

static void print_rows (const ReportExperiment *report, char *const *names, GString *out)
{
  const Experiment *experiment = report->experiment;
  g_autoptr (TextTable) table = text_table_new ("llllrrr");

  text_table_header (table, "row", "policy", "engine", "", "published", "simulated", "error", NULL);
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    const ExperimentRow *row = &experiment->rows[i];
    const ReportRun *run = &report->rows[i];
    add_figure (table, names[i], run, "IOPS", row->iops >= 0 ? format_rate (row->iops) : g_strdup ("-"),
                estimate_text (run->iops, format_rate), run->iops.mean / row->iops - 1);
    if (row->cpu_share_contention >= 0) {
      add_figure (table, names[i], run, "CPU share on locks", format_share (row->cpu_share_contention),
                  estimate_text (run->cpu_share_contention, format_share),
                  run->cpu_share_contention.mean / row->cpu_share_contention - 1);
    }
    if (row->clat_mean_ns >= 0) {
      add_figure (table, names[i], run, "clat mean", format_time (row->clat_mean_ns),
                  estimate_text (run->clat_ns, format_time), run->clat_ns.mean / row->clat_mean_ns - 1);
    }
  }
  text_table_print (table, 2, out);
}

static void print_ratios (const ReportExperiment *report, GString *out)
{
  const Experiment *experiment = report->experiment;
  g_autoptr (TextTable) table = text_table_new ("lrrrrl");

  text_table_header (table, "ratio", "published", "simulated", "error", "tolerance", "", NULL);
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    const ExperimentRatio *ratio = &experiment->ratios[i];
    text_table_add (table, ratio->name);
    text_table_take (table, format_fixed (ratio->published, 3));
    text_table_take (table, format_ratio (report->ratios[i].simulated, report->ratios[i].half_width));
    text_table_take (table, format_error (report->ratios[i].error));
    text_table_take (table, format_share (ratio->tolerance));
    text_table_add (table, verdict (&report->ratios[i]));
  }
  g_string_append_c (out, '\n');
  text_table_print (table, 2, out);
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
  g_autofree char *ios = format_count (first->ios);
  g_string_append_printf (out, "\n==== %s: %s\n", experiment->name, experiment->title);
  g_string_append_printf (out, "  published in %s\n", experiment->source);
  g_string_append_printf (out, "  machine %s, %u CPUs, file system %s, %s I/Os a run, %u seeds\n\n", first->machine,
                          first->cpus, first->fs, ios, report->reps);
  print_rows (report, names, out);
  print_ratios (report, out);
  text_section_paths (report->rows, names, experiment->n_rows, out);
  text_section_phases (report->rows, names, experiment->n_rows, out);
  text_section_locks (report->rows, names, experiment->n_rows, out);
  text_section_cpus (report->rows, names, experiment->n_rows, out);
  g_ptr_array_add (notes, g_strdup_printf ("Machine %s: %s", report->machine->name, report->machine->evidence));
  if (experiment->fitted && experiment->fitted[0]) {
    g_autofree char *keys = g_strjoinv (", ", experiment->fitted);
    g_ptr_array_add (notes, g_strdup_printf ("Fitted to this experiment: %s", keys));
  }
  if (experiment->note) {
    g_ptr_array_add (notes, g_strdup (experiment->note));
  }
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    if (experiment->rows[i].note && experiment->rows[i].note[0]) {
      g_ptr_array_add (notes, g_strdup_printf ("%s: %s", experiment->rows[i].name, experiment->rows[i].note));
    }
  }
  for (unsigned i = 0; report->notes && i < report->notes->len; i++) {
    g_ptr_array_add (notes, g_strdup (report->notes->pdata[i]));
  }
  g_string_append (out, "\nWhat this rests on\n");
  text_section_notes (notes, out);
  g_strfreev (names);
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
  g_string_append_printf (out, "\n%u ratios: %u within their tolerance, %u within 25 %%, %u on the wrong side of 1\n",
                          reproduction->ratios, reproduction->ok, reproduction->within_quarter,
                          reproduction->wrong_side);
  return g_string_free (out, FALSE);
}
