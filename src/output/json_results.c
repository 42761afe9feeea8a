/*
 * Report of `validate` on results of fio as JSON: results with name, op, iops, bw_bytes (measured, simulated, error),
 * the latencies, and the demerit figure; summary with n, median_error, p90_error and median_demerit.
 */
#include "src/output/json_write.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"

/* What is not known is null. */
static void put_known (JsonBuilder *builder, const char *name, double value)
{
  if (value >= 0) {
    json_put_double (builder, name, value);
  } else {
    json_builder_set_member_name (builder, name);
    json_builder_add_null_value (builder);
  }
}

static void put_pair (JsonBuilder *builder, const char *name, ReportPair pair)
{
  json_open_object (builder, name);
  put_known (builder, "measured", pair.measured);
  put_known (builder, "simulated", pair.simulated);
  json_builder_end_object (builder);
}

static void put_distribution (JsonBuilder *builder, const ReportResult *result)
{
  json_open_object (builder, "distribution");
  json_put_string (builder, "of", result->latency);
  put_pair (builder, "mean_ns", result->mean);
  put_pair (builder, "50", result->p50);
  put_pair (builder, "99", result->p99);
  put_pair (builder, "99.9", result->p999);
  put_known (builder, "demerit_ns", result->demerit);
  put_known (builder, "demerit_of_mean", result->demerit_share);
  json_builder_end_object (builder);
}

static void put_result (JsonBuilder *builder, const ReportResult *result)
{
  json_open_object (builder, NULL);
  json_put_string (builder, "name", result->subject.name);
  json_put_string (builder, "op", result->op);
  json_open_object (builder, "iops");
  json_put_double (builder, "measured", result->measured_iops);
  json_put_double (builder, "simulated", result->simulated_iops.mean);
  json_put_double (builder, "error", result->error);
  if (result->simulated_iops.half_width >= 0) {
    json_put_double (builder, "simulated_ci95", result->simulated_iops.half_width);
  }
  json_builder_end_object (builder);
  put_pair (builder, "bw_bytes", result->bw_bytes);
  put_pair (builder, "lat_mean_ns", result->lat_mean);
  put_distribution (builder, result);
  json_builder_end_object (builder);
}

char *json_report_results (const ReportResults *report)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_open_array (builder, "results");
  for (unsigned i = 0; i < report->n_results; i++) {
    put_result (builder, &report->results[i]);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "summary");
  json_put_int (builder, "n", report->errors.n);
  json_put_double (builder, "median_error", report->errors.median);
  json_put_double (builder, "p90_error", report->errors.p90);
  put_known (builder, "median_demerit", report->median_demerit);
  json_open_object (builder, "asked");
  json_put_double (builder, "max_median_error", report->max_median);
  json_put_double (builder, "max_p90_error", report->max_p90);
  json_builder_end_object (builder);
  json_put_bool (builder, "ok", report->ok);
  json_builder_end_object (builder);
  json_put_basis (builder, &report->basis);
  json_builder_end_object (builder);
  return json_finish (builder);
}
