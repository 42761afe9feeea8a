/* Report of `validate` on lock shares as text. */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"
#include "src/output/text_table.h"
#include <math.h>

static char *share_text (ReportEstimate share)
{
  g_autofree char *mean = format_share (share.mean);

  if (share.half_width < 0) {
    return g_steal_pointer (&mean);
  }
  g_autofree char *width = format_fixed (100 * share.half_width, 1);
  return g_strdup_printf ("%s +-%s", mean, width);
}

static char *busy_text (const ReportShare *share)
{
  g_autofree char *busy = format_share (share->measured_busy);

  return share->busy_doubtful ? g_strdup_printf ("(%s)", busy) : g_steal_pointer (&busy);
}

static char *points_text (double points)
{
  g_autofree char *digits = format_fixed (points, 1);

  return g_strconcat (points >= 0 ? "+" : "", digits, NULL);
}

char *text_report_shares (const ReportShares *report)
{
  GString *out = g_string_new (NULL);
  g_autoptr (TextTable) table = text_table_new ("llrrrrrl");
  g_autofree char *largest = format_fixed (report->largest_points, 1), *asked = format_fixed (report->max_points, 0);

  text_section_basis (&report->basis, "measured shares of CPU time spent on locks beside simulated ones", out);
  text_table_header (table, "fs", "job", "CPUs busy", "simulated", "in rwsems", "simulated", "points", "", NULL);
  for (unsigned i = 0; i < report->n_shares; i++) {
    const ReportShare *share = &report->shares[i];
    text_table_take (table, escape_text_short (share->subject.fs, -1, 16));
    text_table_take (table, escape_text_short (share->subject.name, -1, 56));
    text_table_take (table, busy_text (share));
    text_table_take (table, format_share (share->simulated_busy.mean));
    text_table_take (table, format_share (share->measured));
    text_table_take (table, share_text (share->simulated));
    text_table_take (table, points_text (share->points));
    text_table_add (table, share->ok ? "ok" : "NOT OK");
  }
  g_string_append_c (out, '\n');
  text_table_print (table, 2, out);
  text_section_basis_notes (&report->basis, out);
  g_string_append_printf (out, "\n%u lock shares compared: %u within %s percentage points, largest difference %s: %s\n",
                          report->n_shares, report->n_ok, asked, largest, report->ok ? "ok" : "NOT OK");
  return g_string_free (out, FALSE);
}
