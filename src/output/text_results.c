/* Report of `validate` on results of fio as text: rates, then latencies. */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"
#include "src/output/text_table.h"

enum { NAME_COLUMNS = 40 };

static void add_subject (TextTable *table, const ReportResult *result)
{
  text_table_take (table, escape_text_short (result->subject.name, -1, NAME_COLUMNS));
  text_table_add (table, result->op);
}

static char *bandwidth (double bytes)
{
  g_autofree char *text = format_bytes (bytes);

  return g_strconcat (text, "/s", NULL);
}

static void print_rates (const ReportResults *report, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrrrrr");

  text_table_header (table, "job", "op", "IOPS", "simulated", "error", "bandwidth", "simulated", NULL);
  for (unsigned i = 0; i < report->n_results; i++) {
    const ReportResult *result = &report->results[i];
    g_autofree char *mean = format_rate (result->simulated_iops.mean);
    const double width = result->simulated_iops.half_width;
    g_autofree char *half = width >= 0 ? format_rate (width) : NULL;
    add_subject (table, result);
    text_table_take (table, format_rate (result->measured_iops));
    text_table_take (table, half ? g_strdup_printf ("%s +-%s", mean, half) : g_steal_pointer (&mean));
    text_table_take (table, format_share (result->error));
    text_table_take (table, bandwidth (result->bw_bytes.measured));
    text_table_take (table, bandwidth (result->bw_bytes.simulated));
  }
  g_string_append_c (out, '\n');
  text_table_print (table, 2, out);
}

static char *time_text (double ns) { return ns >= 0 ? format_time (ns) : g_strdup ("-"); }

static char *pair_text (ReportPair pair)
{
  g_autofree char *measured = time_text (pair.measured), *simulated = time_text (pair.simulated);

  return pair.measured < 0 && pair.simulated < 0 ? g_strdup ("-") : g_strdup_printf ("%s | %s", measured, simulated);
}

static char *demerit_text (const ReportResult *result)
{
  g_autofree char *ns = time_text (result->demerit), *share = format_share (result->demerit_share);

  return result->demerit < 0 ? g_strdup ("-") : g_strdup_printf ("%s, %s", ns, share);
}

static void print_latencies (const ReportResults *report, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrlrrrrr");

  text_table_header (table, "job", "op", "lat mean", "", "mean", "50 %", "99 %", "99.9 %", "demerit, of the mean",
                     NULL);
  for (unsigned i = 0; i < report->n_results; i++) {
    const ReportResult *result = &report->results[i];
    add_subject (table, result);
    text_table_take (table, pair_text (result->lat_mean));
    text_table_add (table, result->latency);
    text_table_take (table, pair_text (result->mean));
    text_table_take (table, pair_text (result->p50));
    text_table_take (table, pair_text (result->p99));
    text_table_take (table, pair_text (result->p999));
    text_table_take (table, demerit_text (result));
  }
  g_string_append (out, "\nLatencies, measured | simulated\n");
  text_table_print (table, 2, out);
}

char *text_report_results (const ReportResults *report)
{
  GString *out = g_string_new (NULL);
  g_autofree char *median = format_share (report->errors.median), *p90 = format_share (report->errors.p90);
  g_autofree char *max_median = format_share (report->max_median), *max_p90 = format_share (report->max_p90);
  g_autofree char *apart = report->median_demerit >= 0 ? format_share (report->median_demerit) : g_strdup ("not known");

  text_section_basis (&report->basis, "a result of fio beside the simulation", out);
  if (report->n_results) {
    print_rates (report, out);
    print_latencies (report, out);
  }
  text_section_basis_notes (&report->basis, out);
  g_string_append_printf (out, "\nAsked: median error of IOPS at most %s, 90th percentile at most %s\n", max_median,
                          max_p90);
  g_string_append_printf (out,
                          "%u results compared: IOPS median error %s, 90th percentile %s; median demerit of latencies "
                          "%s: %s\n",
                          report->n_results, median, p90, apart, report->ok ? "ok" : "NOT OK");
  return g_string_free (out, FALSE);
}
