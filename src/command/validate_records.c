/* uringsim validate FILE.jsonl: measured rates beside simulated ones. */
#include "src/command/record_score.h"
#include "src/command/validate.h"
#include "src/input/throughput_record.h"
#include "src/output/format.h"

/* What Done 1 of a fitted machine asks. */
enum { MEDIAN_PERCENT = 10, P90_PERCENT = 30, PAIRS_PERCENT = 95 };

static ReportRecordJob report_job (const MeasuredJob *job)
{
  const gboolean fio = job->tool == MEASURED_FIO;

  return (ReportRecordJob){
    .tool = fio ? "fio" : "wq",
    .fs = job->fs,
    .rw = job->rw,
    .bs = job->bs,
    .engine = fio ? job->engine : NULL,
    .extra = fio ? job->extra : NULL,
    .qd = job->qd,
    .nj = job->nj,
    .files = job->files,
    .workers = job->workers,
    .direct = job->direct,
    .sqpoll = job->sqpoll,
    .force_async = job->force_async,
  };
}

static RecordPoint *points_of (const ValidateRun *run)
{
  RecordPoint *points = g_new0 (RecordPoint, run->results->len);

  for (unsigned i = 0; i < run->results->len; i++) {
    const ReportEstimate iops = run_set_report (run->set, i).metric[METRIC_IOPS];
    points[i] = (RecordPoint){ run->results->pdata[i], iops.n > 0, iops.mean };
  }
  return points;
}

/* The simulated ratio is that of the mean rates; its interval is that of the seeds' ratios. */
static ReportRecord report_record (const ValidateRun *run, const RecordScore *score, const ReportRecordJob *job)
{
  const Measurement *record = run->results->pdata[score->index];
  const ReportEstimate ratio = run_set_ratio (run->set, score->index, score->reference);
  ReportRecord report = {
    .subject = validate_run_subject (run, score->index),
    .measured_iops = record->iops.p80,
    .simulated_iops = run_set_report (run->set, score->index).metric[METRIC_IOPS],
    .measured = score->measured,
    .simulated = { score->simulated, ratio.half_width, ratio.n },
    .error = score->error,
    .noisy = score->noisy,
    .bimodal = score->bimodal,
    .mode = { score->mode[0], score->mode[1] },
    .mode_error = { score->mode_error[0], score->mode_error[1] },
  };

  report.subject.job = job;
  return report;
}

/* How sure the simulated ratios are. */
static void note_confidence (const ReportRecord *records, unsigned n, GPtrArray *notes)
{
  g_autofree double *width = g_new (double, n + 1);
  unsigned known = 0;

  for (unsigned i = 0; i < n; i++) {
    if (records[i].simulated.half_width >= 0 && records[i].simulated.mean > 0) {
      width[known++] = records[i].simulated.half_width / records[i].simulated.mean;
    }
  }
  const RecordErrors widths = record_errors (width, known);
  if (known) {
    g_autofree char *median = format_share (widths.median_error), *p90 = format_share (widths.p90_error);
    g_autofree char *largest = format_share (width[known - 1]);
    g_ptr_array_add (notes,
                     g_strdup_printf ("95 %% confidence of the simulated ratios: +-%s at the median, +-%s at the "
                                      "90th percentile, +-%s at most.",
                                      median, p90, largest));
  }
}

static void note_references (const RecordScores *scores, GPtrArray *notes)
{
  g_ptr_array_add (notes,
                   g_strdup_printf ("Ratios are to fio psync randwrite 4k, one job on one file, of the same batch "
                                    "and file system; those %u rows are left out.",
                                    scores->references));
  if (scores->unreferenced) {
    g_ptr_array_add (notes, g_strdup_printf ("%u records have no such row in their batch and are not compared.",
                                             scores->unreferenced));
  }
}

static ReportErrors report_errors (const RecordErrors *errors)
{
  return (ReportErrors){ errors->n, errors->median_error, errors->p90_error };
}

static gboolean judge (const ReportRecords *report)
{
  return report->all.n && report->all.median <= report->max_median && report->all.p90 <= report->max_p90 &&
         report->pairs_right >= report->min_pairs * report->pairs;
}

static CommandExit report (ValidateRun *run, const char *file, GError **error)
{
  const Options *options = run->options;
  g_autofree RecordPoint *points = points_of (run);
  g_autoptr (RecordScores) scores = record_scores_new (points, run->results->len);
  g_autofree ReportRecord *records = g_new0 (ReportRecord, scores->scores->len + 1);
  g_autofree ReportRecordJob *jobs = g_new0 (ReportRecordJob, scores->scores->len + 1);

  for (unsigned i = 0; i < scores->scores->len; i++) {
    const RecordScore *score = &g_array_index (scores->scores, RecordScore, i);
    jobs[i] = report_job (((const Measurement *) run->results->pdata[score->index])->job);
    records[i] = report_record (run, score, &jobs[i]);
  }
  note_references (scores, run->notes);
  note_confidence (records, scores->scores->len, run->notes);
  ReportRecords all = {
    .basis = validate_run_basis (run, file),
    .n_records = scores->scores->len,
    .records = records,
    .all = report_errors (&scores->all),
    .steady = report_errors (&scores->steady),
    .references = scores->references,
    .unreferenced = scores->unreferenced,
    .pairs = scores->pairs,
    .pairs_right = scores->pairs_right,
    .max_median = validate_threshold (options->max_median, MEDIAN_PERCENT),
    .max_p90 = validate_threshold (options->max_p90, P90_PERCENT),
    .min_pairs = validate_threshold (options->min_pairs, PAIRS_PERCENT),
  };
  all.ok = judge (&all);
  g_autofree char *text = options->format == FORMAT_JSON ? json_report_records (&all) : text_report_records (&all);
  return validate_run_end (run, text, all.ok, error);
}

CommandExit validate_records (ByteSource *source, const Options *options, GError **error)
{
  ValidateRun run;
  RecordConditions defaults;

  record_conditions_init (&defaults);
  const gboolean ran = validate_run (&run, throughput_records_read (source, error), &defaults, options, error);
  const CommandExit status = ran ? report (&run, byte_source_name (source), error) : EXIT_INTERNAL;
  validate_run_clear (&run);
  return status;
}
