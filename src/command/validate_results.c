/* uringsim validate RESULT.json: rates and latencies that fio measured beside simulated ones. */
#include "src/command/demerit.h"
#include "src/command/record_score.h"
#include "src/command/validate.h"
#include "src/input/fio_plain_result.h"
#include "src/input/fio_result.h"

enum { MEDIAN_PERCENT = 10, P90_PERCENT = 30, DEFAULT_IOS = 200000 };

static const Metric rate_metric[] = { METRIC_IOPS_READ, METRIC_IOPS_WRITE };
static const Metric bandwidth_metric[] = { METRIC_BANDWIDTH_READ, METRIC_BANDWIDTH_WRITE };

/* Of trims there is no metric: the first seed's. */
static ReportEstimate first_seed (const RunResult *result, double amount)
{
  return (
      ReportEstimate){ .mean = result->sim_ns ? amount * 1e9 / (double) result->sim_ns : 0, .half_width = -1, .n = 1 };
}

static ReportEstimate estimate_of (const ReportRun *run, MeasuredDirection direction, const Metric *metric,
                                   double amount)
{
  return direction == MEASURED_TRIM ? first_seed (run->result, amount) : run->metric[metric[direction]];
}

static double simulated_at (const UrHistogram *histogram, double percent)
{
  return ur_histogram_has_percentile (histogram, percent) ? (double) ur_histogram_percentile (histogram, percent) : -1;
}

/* fio says a percentile it was asked for; else the curve does, if enough I/Os are behind it. */
static double measured_at (const MeasuredLatency *latency, const LatencyCurve *curve, double percent)
{
  return curve && (double) latency->n * (100 - percent) / 100 >= 1 ? latency_curve_at (curve, percent) : -1;
}

static double mean_of (const UrHistogram *histogram) { return histogram->n ? ur_histogram_mean (histogram) : -1; }

static void compare_latency (const MeasuredLatency *measured, const UrHistogram *simulated, ReportResult *report)
{
  g_autoptr (LatencyCurve) left = latency_curve_measured (measured), right = latency_curve_simulated (simulated);

  report->mean = (ReportPair){ measured->n ? measured->mean : -1, mean_of (simulated) };
  report->p50 = (ReportPair){ measured_at (measured, left, 50), simulated_at (simulated, 50) };
  report->p99 = (ReportPair){ measured_at (measured, left, 99), simulated_at (simulated, 99) };
  report->p999 = (ReportPair){ measured_at (measured, left, 99.9), simulated_at (simulated, 99.9) };
  report->demerit = report->demerit_share = -1;
  if (left && right && measured->n) {
    report->demerit = demerit (left, right);
    report->demerit_share = measured->mean > 0 ? report->demerit / measured->mean : -1;
  }
}

static ReportResult compare (const ValidateRun *run, unsigned index, MeasuredDirection direction)
{
  const Measurement *group = run->results->pdata[index];
  const MeasuredOp *op = &group->op[direction];
  const ReportRun simulated = run_set_report (run->set, index);
  const ResultOp *side = &simulated.result->op[direction]; /* IoOp has reads, writes and trims in the same order */
  ReportResult report = {
    .subject = validate_run_subject (run, index),
    .op = measured_direction_name (direction),
    .measured_iops = op->iops,
    .simulated_iops = estimate_of (&simulated, direction, rate_metric, (double) side->ios),
    .latency = group->clat_garbage ? "lat" : "clat",
    .lat_mean = { op->lat.n ? op->lat.mean : -1, mean_of (&side->lat) },
  };

  report.error = op->iops > 0 ? record_error (op->iops, report.simulated_iops.mean) : 0;
  report.bw_bytes.measured = op->bw_bytes;
  report.bw_bytes.simulated = estimate_of (&simulated, direction, bandwidth_metric, (double) side->bytes).mean;
  compare_latency (group->clat_garbage ? &op->lat : &op->clat, group->clat_garbage ? &side->lat : &side->clat, &report);
  return report;
}

static void note_group (const Measurement *group, GPtrArray *notes)
{
  for (unsigned i = 0; i < group->warnings->len; i++) {
    g_ptr_array_add (notes, g_strdup (group->warnings->pdata[i]));
  }
  if (!group->op[MEASURED_READ].ios && !group->op[MEASURED_WRITE].ios && !group->op[MEASURED_TRIM].ios) {
    g_ptr_array_add (notes,
                     g_strdup_printf ("%s: its result has no reads, writes or trims (unified_rw_reporting?); it is "
                                      "not compared.",
                                      group->name));
  }
  if (group->clat_garbage) {
    g_ptr_array_add (notes,
                     g_strdup_printf ("%s: its clat means nothing (sqthread_poll before fio 3.36, or larger than "
                                      "lat); lat is compared.",
                                      group->name));
  }
}

static void note_limits (const ValidateRun *run)
{
  g_ptr_array_add (run->notes,
                   g_strdup_printf ("A result does not name its file system or device: %s on %s was simulated (--fs, "
                                    "--device).",
                                    run->conditions.fs ? run->conditions.fs : OPTIONS_DEFAULT_FS,
                                    run->conditions.device));
  g_ptr_array_add (
      run->notes,
      run->conditions.job
          ? g_strdup_printf ("The jobs are those of %s.", record_bench_workload (run->bench, 0)->source_name)
          : g_strdup ("fio leaves options without a value (norandommap, stonewall) out of its results, and with "
                      "group_reporting all sections of a group but the first; jobs of one group are taken to "
                      "run together, and for their whole runtime if they did.  A job file given beside the "
                      "result says it all."));
  for (unsigned i = 0; i < run->results->len; i++) {
    note_group (run->results->pdata[i], run->notes);
  }
}

/* One row for each direction of a group that was simulated. (transfer full) (element-type ReportResult) */
static GArray *compare_all (const ValidateRun *run)
{
  GArray *results = g_array_new (FALSE, FALSE, sizeof (ReportResult));

  for (unsigned i = 0; i < run->results->len; i++) {
    const Measurement *group = run->results->pdata[i];
    for (unsigned direction = 0; direction < MEASURED_DIRECTIONS; direction++) {
      if (group->op[direction].ios && run_set_report (run->set, i).metric[METRIC_IOPS].n) {
        const ReportResult row = compare (run, i, (MeasuredDirection) direction);
        g_array_append_val (results, row);
      }
    }
  }
  return results;
}

static void sum_up (const GArray *results, ReportResults *all)
{
  g_autofree double *error = g_new (double, results->len + 1), *apart = g_new (double, results->len + 1);
  unsigned known = 0;

  for (unsigned i = 0; i < results->len; i++) {
    const ReportResult *row = &g_array_index (results, ReportResult, i);
    error[i] = row->error;
    if (row->demerit_share >= 0) {
      apart[known++] = row->demerit_share;
    }
  }
  const RecordErrors errors = record_errors (error, results->len);
  all->errors = (ReportErrors){ errors.n, errors.median_error, errors.p90_error };
  all->median_demerit = known ? record_errors (apart, known).median_error : -1;
  all->ok = errors.n && errors.median_error <= all->max_median && errors.p90_error <= all->max_p90;
}

static CommandExit report (ValidateRun *run, const char *file, GError **error)
{
  const Options *options = run->options;
  g_autoptr (GArray) results = compare_all (run);
  ReportResults all = {
    .n_results = results->len,
    .results = (const ReportResult *) (gpointer) results->data,
    .max_median = validate_threshold (options->max_median, MEDIAN_PERCENT),
    .max_p90 = validate_threshold (options->max_p90, P90_PERCENT),
  };

  note_limits (run);
  all.basis = validate_run_basis (run, file);
  sum_up (results, &all);
  g_autofree char *text = options->format == FORMAT_JSON ? json_report_results (&all) : text_report_results (&all);
  return validate_run_end (run, text, all.ok, error);
}

static GPtrArray *read_results (ByteSource *source, InputKind kind, GError **error)
{
  return kind == INPUT_FIO_TERSE      ? fio_terse_read (source, error)
         : kind == INPUT_FIO_TEXT     ? fio_text_read (source, error)
         : kind == INPUT_FIO_HIST_LOG ? fio_hist_log_read (source, error)
                                      : fio_results_read (source, error);
}

CommandExit validate_results (ByteSource *source, InputKind kind, const char *job, const Options *options,
                              GError **error)
{
  ValidateRun run;
  RecordConditions defaults;

  record_conditions_init (&defaults);
  defaults.cache = -1;
  defaults.job = job;
  defaults.limit_ios = DEFAULT_IOS;
  const gboolean ran = validate_run (&run, read_results (source, kind, error), &defaults, options, error);
  const CommandExit status = ran ? report (&run, byte_source_name (source), error) : EXIT_INTERNAL;
  validate_run_clear (&run);
  return status;
}
