/*
 * Report of `validate` on lock shares as JSON: shares with name, fs, measured, simulated (of busy CPU time) and points;
 * summary with n, ok and largest_points.
 */
#include "src/output/json_write.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"

static void put_share (JsonBuilder *builder, const ReportShare *share)
{
  json_open_object (builder, NULL);
  json_put_string (builder, "name", share->subject.name);
  json_put_string (builder, "fs", share->subject.fs);
  json_put_double (builder, "measured", share->measured);
  json_put_double (builder, "simulated", share->simulated.mean);
  json_put_double (builder, "points", share->points);
  json_put_bool (builder, "ok", share->ok);
  if (share->simulated.half_width >= 0) {
    json_put_double (builder, "simulated_ci95", share->simulated.half_width);
  }
  if (share->measured_busy >= 0) {
    json_put_double (builder, "measured_busy", share->measured_busy);
  }
  json_put_double (builder, "simulated_busy", share->simulated_busy.mean);
  json_builder_end_object (builder);
}

char *json_report_shares (const ReportShares *report)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_open_array (builder, "shares");
  for (unsigned i = 0; i < report->n_shares; i++) {
    put_share (builder, &report->shares[i]);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "summary");
  json_put_int (builder, "n", report->n_shares);
  json_put_int (builder, "ok", report->n_ok);
  json_put_double (builder, "largest_points", report->largest_points);
  json_put_double (builder, "max_points", report->max_points);
  json_builder_end_object (builder);
  json_put_basis (builder, &report->basis);
  json_builder_end_object (builder);
  return json_finish (builder);
}
