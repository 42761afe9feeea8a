/*
 * Report of `validate` on throughput records as JSON.  Stable: records with job, measured, simulated and error, then
 * summary with n, median_error, p90_error, pairs and pairs_right; further keys follow those.
 */
#include "src/output/json_write.h"
#include "src/output/record_report.h"
#include "src/output/record_sections.h"

/* As it stands in the record. */
static void put_job (JsonBuilder *builder, const ReportRecordJob *job)
{
  json_open_object (builder, "job");
  json_put_string (builder, "tool", job->tool);
  json_put_string (builder, "fs", job->fs);
  json_put_string (builder, "rw", job->rw);
  json_put_string (builder, "bs", job->bs);
  json_put_int (builder, "qd", job->qd);
  if (job->engine) {
    json_put_int (builder, "nj", job->nj);
  }
  json_put_int (builder, "files", job->files);
  json_put_int (builder, "direct", job->direct);
  if (job->engine) {
    json_put_string (builder, "eng", job->engine);
  } else {
    json_put_int (builder, "workers", job->workers);
  }
  json_put_int (builder, "sqpoll", job->sqpoll);
  json_put_int (builder, "force_async", job->force_async);
  if (job->engine) {
    json_put_string (builder, "extra", job->extra);
  }
  json_builder_end_object (builder);
}

static void put_record (JsonBuilder *builder, const ReportRecord *record)
{
  json_open_object (builder, NULL);
  put_job (builder, record->subject.job);
  json_put_double (builder, "measured", record->measured);
  json_put_double (builder, "simulated", record->simulated.mean);
  json_put_double (builder, "error", record->error);
  if (record->simulated.half_width >= 0) {
    json_put_double (builder, "simulated_ci95", record->simulated.half_width);
  }
  json_put_int (builder, "batch", record->subject.batch);
  json_put_double (builder, "measured_iops", record->measured_iops);
  json_put_double (builder, "simulated_iops", record->simulated_iops.mean);
  json_put_bool (builder, "noisy", record->noisy);
  if (record->bimodal) {
    json_open_array (builder, "modes");
    for (unsigned mode = 0; mode < 2; mode++) {
      json_open_object (builder, NULL);
      json_put_double (builder, "measured", record->mode[mode]);
      json_put_double (builder, "error", record->mode_error[mode]);
      json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
}

static void put_errors (JsonBuilder *builder, const ReportErrors *errors)
{
  json_put_int (builder, "n", errors->n);
  json_put_double (builder, "median_error", errors->median);
  json_put_double (builder, "p90_error", errors->p90);
}

static void put_summary (JsonBuilder *builder, const ReportRecords *report)
{
  json_open_object (builder, "summary");
  put_errors (builder, &report->all);
  json_put_int (builder, "pairs", report->pairs);
  json_put_int (builder, "pairs_right", report->pairs_right);
  json_put_int (builder, "references", report->references);
  json_put_int (builder, "unreferenced", report->unreferenced);
  json_open_object (builder, "without_noisy");
  put_errors (builder, &report->steady);
  json_builder_end_object (builder);
  json_open_object (builder, "asked");
  json_put_double (builder, "max_median_error", report->max_median);
  json_put_double (builder, "max_p90_error", report->max_p90);
  json_put_double (builder, "min_pairs_right", report->min_pairs);
  json_builder_end_object (builder);
  json_put_bool (builder, "ok", report->ok);
  json_builder_end_object (builder);
}

char *json_report_records (const ReportRecords *report)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_open_array (builder, "records");
  for (unsigned i = 0; i < report->n_records; i++) {
    put_record (builder, &report->records[i]);
  }
  json_builder_end_array (builder);
  put_summary (builder, report);
  json_put_basis (builder, &report->basis);
  json_builder_end_object (builder);
  return json_finish (builder);
}
