/* uringsim trace info and trace check: see trace_commands.h. */
#include "src/command/trace_commands.h"
#include "src/input/trace_statistics.h"
#include "src/output/trace_report.h"

/* What a ReportTrace of one input points into. */
typedef struct {
  Trace *trace;
  GPtrArray *defects; /* of an input that cannot be read at all (nullable) */
  GArray *facts, *interpretation, *sizes;
  char *file;
} Finding;

static void finding_free (gpointer data)
{
  Finding *finding = data;
  trace_unref (finding->trace);
  g_clear_pointer (&finding->defects, g_ptr_array_unref);
  g_array_unref (finding->facts);
  g_array_unref (finding->interpretation);
  g_array_unref (finding->sizes);
  g_free (finding->file);
  g_free (finding);
}

static Finding *finding_new (const char *file)
{
  Finding *finding = g_new0 (Finding, 1);
  finding->facts = g_array_new (FALSE, TRUE, sizeof (ReportFact));
  finding->interpretation = g_array_new (FALSE, TRUE, sizeof (ReportFact));
  finding->sizes = g_array_new (FALSE, TRUE, sizeof (ReportSize));
  finding->file = g_strdup (file);
  return finding;
}

static void add_number (GArray *facts, const char *key, uint64_t number)
{
  const ReportFact fact = { .key = key, .number = number };
  g_array_append_val (facts, fact);
}

static void add_real (GArray *facts, const char *key, double real)
{
  const ReportFact fact = { .key = key, .kind = REPORT_REAL, .real = real };
  g_array_append_val (facts, fact);
}

static void add_facts (GArray *facts, const GArray *more)
{
  for (unsigned i = 0; i < more->len; i++) {
    const TraceFact *fact = &g_array_index (more, TraceFact, i);
    const ReportFact report = {
      .key = fact->key, .kind = fact->text ? REPORT_WORDS : REPORT_NUMBER, .number = fact->number, .words = fact->text
    };
    g_array_append_val (facts, report);
  }
}

static void add_info (GArray *facts, const TraceInfo *info)
{
  const struct {
    const char *key;
    uint64_t number;
  } rows[] = {
    { "reads", info->reads },           { "read_bytes", info->read_bytes },
    { "writes", info->writes },         { "write_bytes", info->write_bytes },
    { "trims", info->trims },           { "trim_bytes", info->trim_bytes },
    { "syncs", info->syncs },           { "waits", info->waits },
    { "files", info->files },           { "max_end", info->max_end },
    { "first_ns", info->first_ns },     { "span_ns", info->span_ns },
    { "back_steps", info->back_steps }, { "segments", info->segments },
    { "skipped", info->skipped },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    add_number (facts, rows[i].key, rows[i].number);
  }
  add_facts (facts, info->facts);
}

static gboolean add_statistics (Finding *finding, GError **error)
{
  g_autoptr (TraceStatistics) statistics = trace_statistics_new (finding->trace, error);
  GArray *facts = finding->facts;
  if (!statistics) {
    return FALSE;
  }
  if (statistics->gaps.n) {
    add_number (facts, "gap_mean_ns", (uint64_t) ur_histogram_mean (&statistics->gaps));
    add_number (facts, "gap_p50_ns", ur_histogram_percentile (&statistics->gaps, 50));
    add_number (facts, "gap_max_ns", statistics->gaps.max);
  }
  if (statistics->rate > 0) {
    add_real (facts, "requests_per_second", statistics->rate);
  }
  add_number (facts, "sequential", statistics->sequential);
  if (statistics->ranged) {
    add_real (facts, "sequential_share", (double) statistics->sequential / (double) statistics->ranged);
  }
  for (unsigned i = 0; i < statistics->sizes->len; i++) {
    const TraceSize *size = &g_array_index (statistics->sizes, TraceSize, i);
    const ReportSize report = { size->bytes, size->n };
    g_array_append_val (finding->sizes, report);
  }
  if (statistics->other_sizes) {
    add_number (facts, "other_sizes", statistics->other_sizes);
  }
  return TRUE;
}

static ReportTrace report_of (const Finding *finding)
{
  ReportTrace report = { .file = finding->file,
                         .facts = (const ReportFact *) finding->facts->data,
                         .n_facts = finding->facts->len,
                         .sizes = (const ReportSize *) finding->sizes->data,
                         .n_sizes = finding->sizes->len,
                         .interpretation = (const ReportFact *) finding->interpretation->data,
                         .n_interpretation = finding->interpretation->len,
                         .defects = finding->defects,
                         .n_defects = finding->defects ? finding->defects->len : 0 };
  if (finding->trace) {
    const TraceInfo *info = &finding->trace->info;
    report.format = info->format;
    report.warnings = info->warnings;
    report.defects = info->defects;
    report.n_defects = info->n_defects;
  }
  return report;
}

static CommandExit print (const Options *options, const GPtrArray *findings,
                          char *(*json) (const ReportTrace *, unsigned), char *(*text) (const ReportTrace *, unsigned),
                          GError **error)
{
  g_autofree ReportTrace *reports = g_new (ReportTrace, findings->len);
  for (unsigned i = 0; i < findings->len; i++) {
    reports[i] = report_of (findings->pdata[i]);
  }
  g_autofree char *out = options->format == FORMAT_JSON ? json (reports, findings->len) : text (reports, findings->len);
  return command_output (options, out, error) ? EXIT_DONE : EXIT_IO;
}

GPtrArray *trace_inputs (const Options *options, const char *part, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  if (!options->arguments->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "trace %s: found no file, expected at least one, or \"-\" for standard input", part);
    return NULL;
  }
  for (unsigned i = 0; i < options->arguments->len; i++) {
    g_ptr_array_add (paths, options->arguments->pdata[i]);
  }
  g_ptr_array_add (paths, NULL);
  return input_group_paths ((const char *const *) paths->pdata);
}

CommandExit trace_info_command (const Options *options, GError **error)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (finding_free);
  g_autoptr (GPtrArray) inputs = trace_inputs (options, "info", error);
  if (!inputs) {
    return EXIT_USAGE;
  }
  for (unsigned i = 0; i < inputs->len; i++) {
    const char *const *paths = inputs->pdata[i];
    g_autofree char *name = g_strjoinv (", ", (char **) paths);
    Finding *finding = finding_new (name);
    g_ptr_array_add (findings, finding);
    finding->trace = input_open_trace (paths, &options->input, NULL, error);
    if (!finding->trace) {
      return EXIT_DATA;
    }
    add_info (finding->facts, &finding->trace->info);
    add_facts (finding->interpretation, finding->trace->info.interpretation);
    if (finding->trace->open && !add_statistics (finding, error)) {
      return EXIT_DATA;
    }
  }
  return print (options, findings, trace_info_json, trace_info_text, error);
}

CommandExit trace_check_command (const Options *options, GError **error)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (finding_free);
  g_autoptr (GPtrArray) inputs = trace_inputs (options, "check", error);
  InputOptions input = options->input;
  gboolean ok = TRUE;
  if (!inputs) {
    return EXIT_USAGE;
  }
  input.lenient = TRUE; /* to find all defects, not the first */
  for (unsigned i = 0; i < inputs->len; i++) {
    const char *const *paths = inputs->pdata[i];
    g_autofree char *name = g_strjoinv (", ", (char **) paths);
    g_autoptr (GError) cause = NULL;
    gboolean is_trace;
    Finding *finding = finding_new (name);
    g_ptr_array_add (findings, finding);
    finding->trace = input_open_trace (paths, &input, &is_trace, &cause);
    if (!finding->trace && (!is_trace || !g_error_matches (cause, INPUT_ERROR, INPUT_ERROR_DATA))) {
      g_propagate_error (error, g_steal_pointer (&cause));
      return EXIT_DATA;
    }
    if (!finding->trace) {
      finding->defects = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (finding->defects, g_strdup (cause->message));
    }
    ok = ok && finding->trace && finding->trace->info.n_defects == 0;
  }
  const CommandExit status = print (options, findings, trace_check_json, trace_check_text, error);
  return status != EXIT_DONE || ok ? status : EXIT_NEGATIVE;
}
