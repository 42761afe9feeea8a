/*
 * Report of `validate` on throughput records as text: one line per record, those of a disturbed machine once more, and
 * one line that sums up.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"

enum { NAME_COLUMNS = 56 };

static const char *remark (const ReportRecord *record)
{
  return record->bimodal ? "two modes" : record->noisy ? "noisy" : "";
}

static void add_record (TextTable *table, const ReportRecord *record)
{
  text_table_take (table, g_strdup_printf ("%u", record->subject.batch));
  text_table_take (table, escape_text_short (record->subject.fs, -1, 16));
  text_table_take (table, escape_text_short (record->subject.name, -1, NAME_COLUMNS));
  text_table_take (table, format_rate (record->measured_iops));
  text_table_take (table, format_rate (record->simulated_iops.mean));
  text_table_take (table, format_fixed (record->measured, 3));
  text_table_take (table, format_ratio (record->simulated.mean, record->simulated.half_width));
  text_table_take (table, format_share (record->error));
  text_table_add (table, remark (record));
}

static void print_records (const ReportRecords *report, gboolean noisy, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("rllrrrrrl");

  text_table_header (table, "batch", "fs", "job", "IOPS", "simulated", "to psync", "simulated", "error", "", NULL);
  for (unsigned i = 0; i < report->n_records; i++) {
    if (!noisy || report->records[i].noisy) {
      add_record (table, &report->records[i]);
    }
  }
  if (text_table_rows (table)) {
    g_string_append (out, noisy ? "\nNoisy: p80 of the repetitions more than 10 % above their median\n" : "\n");
    text_table_print (table, 2, out);
  }
}

static void print_modes (const ReportRecords *report, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrrrrr");

  text_table_header (table, "fs", "job", "simulated", "usual run", "error", "best run", "error", NULL);
  for (unsigned i = 0; i < report->n_records; i++) {
    const ReportRecord *record = &report->records[i];
    if (record->bimodal) {
      text_table_take (table, escape_text_short (record->subject.fs, -1, 16));
      text_table_take (table, escape_text_short (record->subject.name, -1, NAME_COLUMNS));
      text_table_take (table, format_ratio (record->simulated.mean, record->simulated.half_width));
      for (unsigned mode = 0; mode < 2; mode++) {
        text_table_take (table, format_fixed (record->mode[mode], 3));
        text_table_take (table, format_share (record->mode_error[mode]));
      }
    }
  }
  if (text_table_rows (table)) {
    g_string_append (out, "\nTwo modes: submitter and worker on one CPU, or on two; the nearer counts\n");
    text_table_print (table, 2, out);
  }
}

static char *errors_text (const ReportErrors *errors)
{
  g_autofree char *median = format_share (errors->median), *p90 = format_share (errors->p90);

  return errors->n ? g_strdup_printf ("median error %s, 90th percentile %s", median, p90)
                   : g_strdup ("none to take a median of");
}

static void print_summary (const ReportRecords *report, GString *out)
{
  g_autofree char *all = errors_text (&report->all), *steady = errors_text (&report->steady);
  g_autofree char *right = format_share (report->pairs ? (double) report->pairs_right / report->pairs : 0);
  g_autofree char *median = format_share (report->max_median), *p90 = format_share (report->max_p90);
  g_autofree char *pairs = format_share (report->min_pairs);

  g_string_append_printf (out, "\nWithout noisy ones, %u records: %s\n", report->steady.n, steady);
  g_string_append_printf (out, "Asked: median at most %s, 90th percentile at most %s, pairs at least %s\n", median, p90,
                          pairs);
  g_string_append_printf (out, "%u records compared: %s; %u of %u pairs in order (%s): %s\n", report->all.n, all,
                          report->pairs_right, report->pairs, right, report->ok ? "ok" : "NOT OK");
}

char *text_report_records (const ReportRecords *report)
{
  GString *out = g_string_new (NULL);

  text_section_basis (&report->basis, "measured rates beside simulated ones", out);
  print_records (report, FALSE, out);
  print_modes (report, out);
  print_records (report, TRUE, out);
  text_section_basis_notes (&report->basis, out);
  print_summary (report, out);
  return g_string_free (out, FALSE);
}
