/*
 * Reports of `run` and `compare` as text: the answer first, then the reason, then what it rests on.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/report.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"
#include "src/version.h"

const char *replay_name (ReplayMode mode)
{
  static const char *const names[] = { [REPLAY_CLOSED] = "closed", [REPLAY_TIMED] = "timed", [REPLAY_FAST] = "fast" };

  return names[mode];
}

/* A percentile, or "-" if there are too few samples to say it. */
static char *percentile_text (const UrHistogram *histogram, double percent)
{
  return ur_histogram_has_percentile (histogram, percent) ? format_time (ur_histogram_percentile (histogram, percent))
                                                          : g_strdup ("-");
}

static gboolean engines_differ (const Report *report)
{
  for (unsigned i = 1; i < report->n_runs; i++) {
    if (!g_str_equal (report->runs[i].result->engine, report->runs[0].result->engine)) {
      return TRUE;
    }
  }
  return FALSE;
}

/* What the lines of all tables are called: the policy, with the engine where they differ. (transfer full) */
static char **run_names (const Report *report)
{
  char **names = g_new0 (char *, report->n_runs + 1);
  const gboolean with_engine = engines_differ (report);

  for (unsigned i = 0; i < report->n_runs; i++) {
    const RunResult *result = report->runs[i].result;
    g_autofree char *policy = escape_text_short (result->policy, -1, 28);
    if (report->runs[i].baseline) {
      names[i] = g_strdup_printf ("%s (baseline)", result->engine);
    } else if (with_engine && !g_str_equal (result->engine, "io_uring")) {
      names[i] = g_strdup_printf ("%s %s", policy, result->engine);
    } else {
      names[i] = g_steal_pointer (&policy);
    }
  }
  return names;
}

static void print_head (const Report *report, GString *out)
{
  const RunResult *first = report->runs[0].result;
  g_autofree char *source = escape_text_short (report->workload->source_name, -1, 50);
  g_autofree char *kernel = format_kernel (first->kernel);
  g_autofree char *ios = format_count (first->ios);

  g_string_append_printf (out, "uringsim %s (model %u), %s: simulated, not measured\n", uringsim_version (),
                          uringsim_model_version (), report->command);
  g_string_append_printf (out, "  workload  %s (%s), %s I/Os, replay %s\n", source, report->workload->format, ios,
                          replay_name (report->replay));
  g_string_append_printf (out, "  machine   %s, %u CPUs, file system %s", first->machine, first->cpus, first->fs);
  if (report->n_runs == 1) {
    g_string_append_printf (out, ", policy %s, kernel %s, engine %s", first->policy, kernel, first->engine);
  }
  g_string_append_printf (out, "\n  seed      %" G_GUINT64_FORMAT, report->seed);
  if (report->reps > 1) {
    g_string_append_printf (out, "; IOPS and ratios: mean and 95 %% confidence interval of %u seeds", report->reps);
  }
  g_string_append_c (out, '\n');
  if (report->interrupted) {
    g_string_append (out, "  INTERRUPTED: the figures are right but cover only the part that was simulated\n");
  }
}

static void print_verdict (const Report *report, GString *out)
{
  if (report->verdict) {
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

    g_ptr_array_add (lines, verdict_sentence (report->runs, report->verdict));
    g_string_append (out, "\nVerdict\n");
    text_section_notes (lines, out);
  }
}

/* A mean with its interval, or the one value there is. */
static char *estimate_text (const ReportEstimate *estimate, double single)
{
  if (estimate->n < 2) {
    return format_rate (single);
  }
  g_autofree char *mean = format_rate (estimate->mean);
  g_autofree char *width = format_rate (estimate->half_width);
  return g_strdup_printf ("%s +- %s", mean, width);
}

static void print_comparison (const Report *report, char *const *names, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrrrrrr");

  text_table_header (table, "", "engine", "kernel", "IOPS", "ratio", "lat mean", "lat p50", "lat p99", NULL);
  for (unsigned i = 0; i < report->n_runs; i++) {
    const ReportRun *run = &report->runs[i];
    text_table_add (table, names[i]);
    text_table_add (table, run->result->engine);
    text_table_take (table, format_kernel (run->result->kernel));
    text_table_take (table, estimate_text (&run->metric[METRIC_IOPS], run->result->iops));
    text_table_take (table, run->ratio.n ? format_ratio (run->ratio.mean, run->ratio.half_width) : g_strdup (""));
    text_table_take (table, format_time (ur_histogram_mean (&run->result->all.lat)));
    text_table_take (table, percentile_text (&run->result->all.lat, 50));
    text_table_take (table, percentile_text (&run->result->all.lat, 99));
  }
  const char *to = report->n_runs && report->runs[0].ratio_to ? report->runs[0].ratio_to : NULL;
  if (to) {
    g_autofree char *name = escape_text (to, -1);
    g_string_append_printf (out, "\nThroughput (ratio of IOPS to %s, same workload and luck)\n", name);
  } else {
    g_string_append (out, "\nThroughput\n");
  }
  text_table_print (table, 2, out);
}

static void add_latency (TextTable *table, const char *op, const char *kind, const UrHistogram *histogram)
{
  static const double percents[] = { 50, 90, 99, 99.9 };

  if (!histogram->n) {
    return;
  }
  text_table_add (table, op);
  text_table_add (table, kind);
  text_table_take (table, format_time (ur_histogram_mean (histogram)));
  text_table_take (table, format_time (ur_histogram_stddev (histogram)));
  text_table_take (table, format_time (histogram->min));
  for (unsigned i = 0; i < G_N_ELEMENTS (percents); i++) {
    text_table_take (table, percentile_text (histogram, percents[i]));
  }
  text_table_take (table, format_time (histogram->max));
}

static void print_operations (const ReportRun *run, GString *out)
{
  const RunResult *result = run->result;
  const double seconds = result->measured_ns / 1e9;
  g_autoptr (TextTable) rates = text_table_new ("lrrrr");
  g_autoptr (TextTable) latencies = text_table_new ("llrrrrrrrr");

  text_table_header (rates, "", "I/Os", "IOPS", "bytes", "bytes/s", NULL);
  text_table_header (latencies, "", "", "mean", "stddev", "min", "p50", "p90", "p99", "p99.9", "max", NULL);
  for (int op = 0; op < IO_OPS; op++) {
    const ResultOp *row = &result->op[op];
    if (!row->ios) {
      continue;
    }
    text_table_add (rates, io_op_name (op));
    text_table_take (rates, format_count (row->ios));
    text_table_take (rates, format_rate (seconds > 0 ? row->ios / seconds : 0));
    text_table_take (rates, row->bytes ? format_bytes (row->bytes) : g_strdup (""));
    text_table_take (rates, row->bytes && seconds > 0 ? format_bytes (row->bytes / seconds) : g_strdup (""));
    add_latency (latencies, io_op_name (op), "slat", &row->slat);
    add_latency (latencies, io_op_name (op), "clat", &row->clat);
    add_latency (latencies, io_op_name (op), "lat", &row->lat);
  }
  g_autofree char *time = format_time (result->measured_ns);
  g_string_append_printf (out, "\nThroughput over %s of simulated time\n", time);
  text_table_print (rates, 2, out);
  if (run->metric[METRIC_IOPS].n > 1) {
    g_autofree char *mean = format_rate (run->metric[METRIC_IOPS].mean);
    g_autofree char *width = format_rate (run->metric[METRIC_IOPS].half_width);
    g_string_append_printf (out, "  over %u seeds: %s +- %s IOPS (95 %% confidence)\n", run->metric[METRIC_IOPS].n,
                            mean, width);
  }
  g_string_append (out, "\nLatency\n");
  text_table_print (latencies, 2, out);
}

static void print_timing (const Report *report, char *const *names, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrr");

  text_table_header (table, "", "wall time", "I/Os per s", "events", "events per s", NULL);
  for (unsigned i = 0; i < report->n_runs; i++) {
    const RunResult *result = report->runs[i].result;
    text_table_add (table, names[i]);
    text_table_take (table, format_time (result->wall_s * 1e9));
    text_table_take (table, format_rate (result->wall_s > 0 ? result->ios / result->wall_s : 0));
    text_table_take (table, format_count (result->events));
    text_table_take (table, format_rate (result->wall_s > 0 ? result->events / result->wall_s : 0));
  }
  g_string_append (out, "\nSpeed of the simulation itself\n");
  text_table_print (table, 2, out);
}

static void print_foot (const Report *report, GString *out)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (notes, g_strdup_printf ("Machine %s: %s", report->machine->name, report->machine->evidence));
  for (unsigned i = 0; report->notes && i < report->notes->len; i++) {
    g_ptr_array_add (notes, g_strdup (report->notes->pdata[i]));
  }
  for (unsigned i = 0; i < report->workload->notes->len; i++) {
    g_ptr_array_add (notes, g_strdup (report->workload->notes->pdata[i]));
  }
  if (report->workload->ignored_options->len) {
    GString *names = g_string_new ("Options of the job without effect here:");
    for (unsigned i = 0; i < report->workload->ignored_options->len; i++) {
      const char *name = report->workload->ignored_options->pdata[i];
      g_string_append_printf (names, "%s %s", i ? "," : "", name);
    }
    g_ptr_array_add (notes, g_string_free (names, FALSE));
  }
  g_string_append (out, "\nWhat this rests on\n");
  text_section_notes (notes, out);
}

char *text_report (const Report *report)
{
  GString *out = g_string_new (NULL);
  g_auto (GStrv) names = run_names (report);

  print_head (report, out);
  print_verdict (report, out);
  if (report->n_runs == 1) {
    print_operations (&report->runs[0], out);
  } else {
    print_comparison (report, names, out);
  }
  if (report->operations) {
    text_section_binding (report, names, out);
  }
  text_section_paths (report->runs, names, report->n_runs, out);
  text_section_phases (report->runs, names, report->n_runs, out);
  text_section_locks (report->runs, names, report->n_runs, out);
  text_section_cpus (report->runs, names, report->n_runs, out);
  text_section_cache (report->runs, names, report->n_runs, out);
  text_section_journal (report->runs, names, report->n_runs, out);
  text_section_periods (report->runs, names, report->n_runs, out);
  if (report->timing) {
    print_timing (report, names, out);
  }
  print_foot (report, out);
  return g_string_free (out, FALSE);
}
