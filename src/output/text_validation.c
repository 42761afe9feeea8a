/*
 * Report of `validate` as text: one line per capture, then what differs, then what was not simulated and why.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"
#include "src/output/validation.h"
#include "src/version.h"

enum { NAME_COLUMNS = 48 };

/* "256 | 256". (transfer full) */
static char *both_counts (uint64_t real, uint64_t simulated)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT, real, simulated);
}

static char *both_rates (const ReportCapture *capture)
{
  g_autofree char *real = capture->repetitions > 1 ? g_strdup_printf (" (%.2f..%.2f)", capture->real_switches_low,
                                                                      capture->real_switches_high)
                                                   : g_strdup ("");

  return g_strdup_printf ("%.2f%s | %.2f (%.2f..%.2f)", capture->real_switches, real, capture->simulated_switches,
                          capture->lowest_switches, capture->highest_switches);
}

static void print_table (const ReportValidation *validation, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrlrl");

  text_table_header (table, "capture", "requests", "submitted", "punted", "hashed", "workers", "order", "switches/IO",
                     "", NULL);
  for (unsigned i = 0; i < validation->n_captures; i++) {
    const ReportCapture *capture = &validation->captures[i];
    if (capture->not_modelled) {
      continue;
    }
    text_table_take (table, escape_text_short (capture->name, -1, NAME_COLUMNS));
    text_table_take (table, format_count (capture->requests));
    for (unsigned k = 0; k < capture->n_counts; k++) {
      text_table_take (table, both_counts (capture->counts[k].real, capture->counts[k].simulated));
    }
    text_table_add (table, capture->order);
    text_table_take (table, capture->has_switches ? both_rates (capture) : g_strdup ("-"));
    text_table_add (table, capture->ok ? "ok" : "NOT OK");
  }
  if (text_table_rows (table)) {
    g_string_append (out, "\nReal trace | simulated\n");
    text_table_print (table, 2, out);
  }
}

static void print_sequences (const ReportCapture *capture, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("rrl");

  text_table_header (table, "real", "simulated", "requests that show", NULL);
  for (unsigned i = 0; i < capture->n_sequences; i++) {
    const ReportSequence *sequence = &capture->sequences[i];
    if (sequence->real == sequence->simulated) {
      continue;
    }
    text_table_take (table, format_count (sequence->real));
    text_table_take (table, format_count (sequence->simulated));
    text_table_take (table, g_strjoinv (", ", sequence->events));
  }
  if (text_table_rows (table)) {
    text_table_print (table, 4, out);
  }
}

static void print_counts (const ReportCapture *capture, GString *out)
{
  for (unsigned i = 0; i < capture->n_counts; i++) {
    const ReportCount *count = &capture->counts[i];
    if (count->ok) {
      continue;
    }
    g_autofree char *range = count->low == count->high ? g_strdup_printf ("%" G_GUINT64_FORMAT, count->low)
                                                       : g_strdup_printf ("%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                                                                          count->low, count->high);
    g_string_append_printf (out, "    %s: simulated %" G_GUINT64_FORMAT ", expected %s\n", count->name,
                            count->simulated, range);
  }
}

static gboolean has_difference (const ReportCapture *capture)
{
  gboolean differs = !capture->ok;

  for (unsigned i = 0; i < capture->n_sequences; i++) {
    differs = differs || capture->sequences[i].real != capture->sequences[i].simulated;
  }
  return differs;
}

static void print_differences (const ReportCapture *capture, GString *out)
{
  g_autofree char *name = escape_text_short (capture->name, -1, NAME_COLUMNS);
  g_autofree char *kernel = format_kernel (capture->kernel);

  g_string_append_printf (out, "\n  %s (%s, kernel %s, %s, %u CPUs, %s)%s\n", name, capture->policy, kernel,
                          capture->machine, capture->cpus, capture->fs,
                          capture->sequences_asked ? "" : "; its counts vary on the real kernel, so may the sequences");
  print_sequences (capture, out);
  print_counts (capture, out);
  if (!capture->order_ok) {
    g_string_append_printf (out, "    order of the submitter in its first %s:\n",
                            capture->order_batches == 1 ? "batch" : "two batches");
    g_string_append_printf (out, "      real:      %s\n      simulated: %s\n", capture->order_real,
                            capture->order_simulated);
  }
  if (capture->has_switches && !capture->switches_ok) {
    g_string_append_printf (out, "    context switches per I/O: real %.3f, simulated %.3f (%.3f to %.3f)\n",
                            capture->real_switches, capture->simulated_switches, capture->lowest_switches,
                            capture->highest_switches);
  }
  if (capture->real_posted_by_worker != capture->simulated_posted_by_worker) {
    g_string_append_printf (
        out, "    completions posted by a worker: real %" G_GUINT64_FORMAT ", simulated %" G_GUINT64_FORMAT "\n",
        capture->real_posted_by_worker, capture->simulated_posted_by_worker);
  }
}

static void print_not_modelled (const ReportValidation *validation, GString *out)
{
  if (!validation->not_modelled) {
    return;
  }
  g_string_append (out, "\nNot modelled, neither right nor wrong\n");
  for (unsigned i = 0; i < validation->n_captures; i++) {
    const ReportCapture *capture = &validation->captures[i];
    if (capture->not_modelled) {
      g_autofree char *name = escape_text_short (capture->name, -1, NAME_COLUMNS);
      g_autofree char *reason = escape_text_short (capture->not_modelled, -1, 160);
      g_string_append_printf (out, "  %s: %s\n", name, reason);
    }
  }
}

char *text_report_validation (const ReportValidation *validation)
{
  GString *out = g_string_new (NULL);
  gboolean titled = FALSE;

  g_string_append_printf (out,
                          "uringsim %s (model %u), validate: real traces beside simulated ones, seed %" G_GUINT64_FORMAT
                          ", switches of %u seeds\n",
                          uringsim_version (), uringsim_model_version (), validation->seed, validation->reps);
  if (validation->interrupted) {
    g_string_append (out, "INTERRUPTED: only some captures were compared\n");
  }
  print_table (validation, out);
  for (unsigned i = 0; i < validation->n_captures; i++) {
    const ReportCapture *capture = &validation->captures[i];
    if (capture->not_modelled || !has_difference (capture)) {
      continue;
    }
    g_string_append (out, titled ? "" : "\nWhat differs\n");
    titled = TRUE;
    print_differences (capture, out);
  }
  print_not_modelled (validation, out);
  if (validation->notes->len) {
    g_string_append (out, "\nNotes\n");
    text_section_notes (validation->notes, out);
  }
  g_string_append_printf (out, "\n%u captures compared: %u ok, %u not; %u not modelled\n", validation->compared,
                          validation->ok, validation->compared - validation->ok, validation->not_modelled);
  return g_string_free (out, FALSE);
}
