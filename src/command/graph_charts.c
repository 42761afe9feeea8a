/* uringsim graph cdf and graph depth: charts of runs; see graph_commands.h. */
#include "src/command/graph_commands.h"
#include "src/command/picture.h"
#include "model/key_file.h"
#include "src/engine/histogram.h"
#include "src/output/chart.h"
#include "src/output/draw.h"
#include "src/output/escape.h"
#include <string.h>

enum { DEPTH_REPS = 4, DEPTHS_MAX = 32, SERIES_MAX = 16 };

/* Rows of a chart: policies times engines, as compare has them, times variants of each. */
typedef struct {
  Scenario *scenario;
  RunSet *set;
  unsigned n_series, n_variants;
} ChartRuns;

static void chart_runs_clear (ChartRuns *runs)
{
  g_clear_pointer (&runs->set, run_set_free);
  g_clear_pointer (&runs->scenario, scenario_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ChartRuns, chart_runs_clear)

static unsigned engines_n (const Options *options) { return MAX (options->engines->len, 1); }

/* Adds the row of series `i` with another depth (0: as it is). */
static void add_row (ChartRuns *runs, const Options *options, unsigned i, unsigned depth)
{
  const unsigned k = i % engines_n (options);
  const int engine = options->engines->len ? (int) g_array_index (options->engines, ApplicationEngine, k) : -1;
  SimulationSetup setup =
      scenario_setup (runs->scenario, options, runs->scenario->policies->pdata[i / engines_n (options)], engine);

  if (depth) {
    setup.iodepth = depth;
  }
  run_set_add (runs->set, &setup);
}

/* Runs them; EXIT_DONE if every row has a result. */
static CommandExit run_rows (ChartRuns *runs, const Options *options, const unsigned *depths, unsigned n_depths,
                             unsigned reps, GError **error)
{
  if (!(runs->scenario = scenario_open (options, REPLAY_CLOSED, error))) {
    return EXIT_USAGE;
  }
  runs->n_series = runs->scenario->policies->len * engines_n (options);
  runs->n_variants = MAX (n_depths, 1);
  if (runs->n_series > SERIES_MAX) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "graph: found %u lines, expected at most %u",
                 runs->n_series, (unsigned) SERIES_MAX);
    return EXIT_USAGE;
  }
  runs->set = run_set_new ();
  for (unsigned i = 0; i < runs->n_series; i++) {
    for (unsigned k = 0; k < runs->n_variants; k++) {
      add_row (runs, options, i, depths ? depths[k] : 0);
    }
  }
  if (!run_set_run (runs->set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  return run_set_interrupted (runs->set) ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* The line of a series: its policy, with the engine where there are several. (transfer full) */
static char *series_name (const ChartRuns *runs, const Options *options, const RunResult *result)
{
  g_autofree char *policy = escape_text_short (result->policy, -1, 60);

  return options->engines->len > 1 || (options->engines->len && runs->scenario->policies->len == 1)
             ? g_strdup_printf ("%s, %s", policy, result->engine)
             : g_steal_pointer (&policy);
}

/* What the runs have in common. (transfer full) */
static char *subtitle (const ChartRuns *runs, const RunResult *result, const char *more)
{
  g_autofree char *source = escape_text_short (runs->scenario->workload->source_name, -1, 50);

  return g_strdup_printf ("%s; machine %s, %s, %u CPUs%s", source, result->machine, result->fs, result->cpus, more);
}

static void free_series (GArray *series)
{
  for (unsigned i = 0; i < series->len; i++) {
    ChartSeries *row = &g_array_index (series, ChartSeries, i);
    g_free ((char *) row->name);
    g_free ((ChartPoint *) row->points);
  }
  g_array_unref (series);
}

static void add_series (GArray *series, char *name, GArray *points, gboolean steps)
{
  const unsigned n = points->len;
  const ChartSeries row = {
    .name = name, .steps = steps, .n = n, .points = (ChartPoint *) (gpointer) g_array_free (points, FALSE)
  };

  g_array_append_val (series, row);
}

/* ---- flow ---- */

CommandExit graph_flow_command (const Options *options, GError **error)
{
  g_auto (ChartRuns) runs = { 0 };

  if (options->policies->len > 1 || options->engines->len > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "graph flow: draws one policy and engine, found several");
    return EXIT_USAGE;
  }
  const CommandExit status = run_rows (&runs, options, NULL, 0, 1, error);
  if (status != EXIT_DONE) {
    return status;
  }
  g_autofree char *dot = draw_flow ("flow", run_set_result (runs.set, 0));
  return picture_write_graph (options, dot, error);
}

/* ---- distribution of latencies ---- */

/* The share of requests that took no longer than each latency that occurs. (transfer full) */
static GArray *distribution (const UrHistogram *histogram)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (ChartPoint));
  uint64_t below = 0;

  for (unsigned bin = 0; bin < UR_HISTOGRAM_BINS; bin++) {
    if (histogram->bin[bin]) {
      const double x = CLAMP (ur_histogram_bin_middle (bin), histogram->min, histogram->max);
      if (!points->len) {
        const ChartPoint start = { MAX (x, 1), 0, 0 };
        g_array_append_val (points, start);
      }
      below += histogram->bin[bin];
      /* The last one is the greatest that was seen, not one that none exceeds. */
      const ChartPoint point = { MAX (x, 1), (below == histogram->n ? below - 0.5 : below) / (double) histogram->n, 0 };
      g_array_append_val (points, point);
    }
  }
  return points;
}

CommandExit graph_cdf_command (const Options *options, GError **error)
{
  g_auto (ChartRuns) runs = { 0 };
  const CommandExit status = run_rows (&runs, options, NULL, 0, 1, error);

  if (status != EXIT_DONE) {
    return status;
  }
  GArray *series = g_array_new (FALSE, FALSE, sizeof (ChartSeries));
  for (unsigned i = 0; i < runs.n_series; i++) {
    const RunResult *result = run_set_result (runs.set, i);
    add_series (series, series_name (&runs, options, result), distribution (&result->all.lat), TRUE);
  }
  g_autofree char *under = subtitle (&runs, run_set_result (runs.set, 0), "");
  const Chart chart = { .title = "Share of requests that take no longer",
                        .subtitle = under,
                        .x = { "latency, from issue to reaping", UNIT_NS, SCALE_LOG },
                        .y = { "requests", UNIT_SHARE, SCALE_TAIL },
                        .n_series = series->len,
                        .series = (const ChartSeries *) (gpointer) series->data };
  g_autofree char *svg = chart_svg (&chart);
  free_series (series);
  return picture_write_chart (options, svg, error);
}

/* ---- throughput against depth ---- */

static gboolean read_depths (const Options *options, unsigned *depths, unsigned *ret_n, GError **error)
{
  static const unsigned standard[] = { 1, 2, 4, 8, 16, 32, 64, 128 };

  *ret_n = options->depths->len;
  if (!*ret_n) {
    memcpy (depths, standard, sizeof standard);
    *ret_n = G_N_ELEMENTS (standard);
    return TRUE;
  }
  for (unsigned i = 0; i < options->depths->len; i++) {
    uint64_t depth;
    if (options->depths->len > DEPTHS_MAX || !key_file_parse_integer (options->depths->pdata[i], &depth) || depth < 1 ||
        depth > FIO_JOB_DEPTH_LIMIT || (i && depth <= depths[i - 1])) {
      g_autofree char *shown = escape_text_short (options->depths->pdata[i], -1, 60);
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                   "--depths: found \"%s\", expected up to %u whole numbers from 1 to %u, increasing", shown,
                   (unsigned) DEPTHS_MAX, (unsigned) FIO_JOB_DEPTH_LIMIT);
      return FALSE;
    }
    depths[i] = (unsigned) depth;
  }
  return TRUE;
}

CommandExit graph_depth_command (const Options *options, GError **error)
{
  unsigned depths[DEPTHS_MAX], n_depths;
  const unsigned reps = options->reps ? options->reps : DEPTH_REPS;
  g_auto (ChartRuns) runs = { 0 };

  if (!read_depths (options, depths, &n_depths, error)) {
    return EXIT_USAGE;
  }
  const CommandExit status = run_rows (&runs, options, depths, n_depths, reps, error);
  if (status != EXIT_DONE) {
    return status;
  }
  GArray *series = g_array_new (FALSE, FALSE, sizeof (ChartSeries));
  for (unsigned i = 0; i < runs.n_series; i++) {
    GArray *points = g_array_new (FALSE, FALSE, sizeof (ChartPoint));
    for (unsigned k = 0; k < n_depths; k++) {
      const ReportRun run = run_set_report (runs.set, i * n_depths + k);
      const ReportEstimate *iops = &run.metric[METRIC_IOPS];
      const ChartPoint point = { depths[k], iops->mean, iops->half_width };
      g_array_append_val (points, point);
    }
    add_series (series, series_name (&runs, options, run_set_result (runs.set, i * n_depths)), points, FALSE);
  }
  g_autofree char *of = reps > 1 ? g_strdup_printf ("; %u seeds, bars: 95 %%", reps) : g_strdup ("");
  g_autofree char *under = subtitle (&runs, run_set_result (runs.set, 0), of);
  const Chart chart = { .title = "Throughput against depth",
                        .subtitle = under,
                        .x = { "requests in flight (iodepth)", UNIT_PLAIN, SCALE_LOG2 },
                        .y = { "IOPS", UNIT_RATE, SCALE_LINEAR },
                        .n_series = series->len,
                        .series = (const ChartSeries *) (gpointer) series->data };
  g_autofree char *svg = chart_svg (&chart);
  free_series (series);
  return picture_write_chart (options, svg, error);
}
