/*
 * uringsim policy search FILE INPUT...: values for the knobs of a policy.
 *
 * A setting is tried by running the workload with the same seeds as every other one (common random numbers), so that
 * settings differ by what they do and not by luck.  Few settings are all tried.  Of many, DIRECT-L looks over the whole
 * space, Sbplx goes down from the best that was found, and at the end the neighbours of the best are tried, one
 * knob a step up or down, until none is better.  A setting that was tried is remembered and costs nothing again.
 */
#include "src/command/interrupt.h"
#include "src/command/knob_space.h"
#include "src/command/objective.h"
#include "src/command/policy_commands.h"
#include "src/command/search_file.h"
#include "src/fit/minimize.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include "src/output/search_report.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVALUATIONS = 128, DEFAULT_REPS = 4, FEW = 64, BATCH = 16, CALLS_PER_EVALUATION = 50 };

typedef struct {
  double value[POLICY_KNOBS_MAX];
  ReportEstimate metric[METRICS_N];
  double score;
  gboolean holds;
} Point;

typedef struct {
  const Options *options;
  const char *path;
  const Scenario *scenario;
  const Policy *policy; /* with its knobs */
  Objective *objective;
  unsigned reps, budget;
  GArray *points;    /* of Point, in the order in which they were tried */
  GHashTable *index; /* text of a setting to its place in points, from 1 */
  int best;          /* -1: none yet */
  GPtrArray *notes;  /* what the best setting's run says; NULL: none yet */
  gint stop;         /* for the optimiser: budget used up, or interrupted */
  gboolean interrupted;
} Search;

/* ---- trying settings ---- */

/* (transfer full) */
static char *key_of (const Search *search, const double *value)
{
  GString *key = g_string_new (NULL);

  for (unsigned i = 0; i < search->policy->n_knobs; i++) {
    g_autofree char *text = knob_text (&search->policy->knobs[i].range, value[i]);
    g_string_append_printf (key, "%s%s=%s", i ? ", " : "", search->policy->knobs[i].name, text);
  }
  return g_string_free (key, FALSE);
}

/* A policy of its own for a setting: runs of several are at work at one time. (transfer full) */
static Policy *policy_at (const Search *search, const double *value, GError **error)
{
  Policy *policy = policy_load_with_knobs (search->path, error);

  if (policy && policy->n_knobs != search->policy->n_knobs) { /* the file was changed meanwhile */
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "the policy file was changed while it was searched");
    g_clear_pointer (&policy, policy_free);
  }
  for (unsigned i = 0; policy && i < policy->n_knobs; i++) {
    policy_set_knob (policy, i, value[i]);
  }
  return policy;
}

static void add_point (Search *search, const double *value, RunSet *set, unsigned row)
{
  Point point = { .score = 0 };
  double means[METRICS_N];
  const ReportRun run = run_set_report (set, row);

  if (!run.result || run.metric[0].n < search->reps) { /* interrupted */
    return;
  }
  memcpy (point.value, value, search->policy->n_knobs * sizeof *value);
  memcpy (point.metric, run.metric, sizeof point.metric);
  for (unsigned i = 0; i < METRICS_N; i++) {
    means[i] = run.metric[i].mean;
  }
  point.score = objective_score (search->objective, means);
  point.holds = objective_holds (search->objective, means);
  g_array_append_val (search->points, point);
  g_hash_table_insert (search->index, key_of (search, value), GUINT_TO_POINTER (search->points->len));
  if (search->best < 0 || point.score < g_array_index (search->points, Point, search->best).score) {
    search->best = (int) search->points->len - 1;
    g_clear_pointer (&search->notes, g_ptr_array_unref);
    search->notes = scenario_notes (search->scenario, search->options, &run, 1);
  }
}

static void show_progress (const Search *search, guint64 of)
{
  if (search->options->quiet || !isatty (STDERR_FILENO) || search->best < 0) {
    return;
  }
  g_autofree char *key = key_of (search, g_array_index (search->points, Point, search->best).value);
  g_autofree char *shown = escape_text_short (key, -1, 80);
  fprintf (stderr, "\r\033[K%u of %" G_GUINT64_FORMAT " settings, best %s ", search->points->len, of, shown);
  fflush (stderr);
}

/* Tries `n` settings, `value` holds POLICY_KNOBS_MAX of each.  FALSE: error, or interrupted (then no error). */
static gboolean try_settings (Search *search, const double (*value)[POLICY_KNOBS_MAX], unsigned n, GError **error)
{
  g_autoptr (GPtrArray) policies = g_ptr_array_new_with_free_func ((GDestroyNotify) policy_free);
  g_autoptr (RunSet) set = run_set_new ();
  const Options *options = search->options;

  for (unsigned i = 0; i < n; i++) {
    Policy *policy = policy_at (search, value[i], error);
    if (!policy) {
      return FALSE;
    }
    g_ptr_array_add (policies, policy);
    const SimulationSetup setup = scenario_setup (search->scenario, options, policy, APPLICATION_IO_URING);
    run_set_add (set, &setup);
  }
  if (!run_set_run (set, options->seed, search->reps, options->threads, FALSE, error)) {
    if (n == 1) {
      g_autofree char *key = key_of (search, value[0]);
      g_prefix_error (error, "with %s: ", key);
    }
    return FALSE;
  }
  for (unsigned i = 0; i < n; i++) {
    add_point (search, value[i], set, i);
  }
  search->interrupted = run_set_interrupted (set);
  return !search->interrupted;
}

/* The score of a setting, tried if it was not; *ret_score is left alone if it cannot be tried any more. */
static gboolean score_of (Search *search, const double value[POLICY_KNOBS_MAX], double *ret_score, GError **error)
{
  g_autofree char *key = key_of (search, value);
  unsigned place = GPOINTER_TO_UINT (g_hash_table_lookup (search->index, key));
  g_autoptr (GError) cause = NULL;

  if (!place) {
    if (search->points->len >= search->budget) {
      search->stop = 1;
      return TRUE;
    }
    if (!try_settings (search, (const double (*)[POLICY_KNOBS_MAX]) value, 1, &cause)) {
      search->stop = 1;
      if (cause) {
        g_propagate_error (error, g_steal_pointer (&cause));
        return FALSE;
      }
      return TRUE;
    }
    place = search->points->len;
    show_progress (search, search->budget);
  }
  *ret_score = g_array_index (search->points, Point, place - 1).score;
  return TRUE;
}

/* ---- which settings ---- */

/* All of them, the last knob fastest. */
static gboolean search_all (Search *search, guint64 settings, GError **error)
{
  double batch[BATCH][POLICY_KNOBS_MAX] = { { 0 } };

  for (guint64 first = 0; first < settings; first += BATCH) {
    const unsigned n = (unsigned) MIN (BATCH, settings - first);
    for (unsigned i = 0; i < n; i++) {
      guint64 rest = first + i;
      for (unsigned k = search->policy->n_knobs; k > 0; k--) {
        const PolicyKnobRange *range = &search->policy->knobs[k - 1].range;
        batch[i][k - 1] = knob_step (range, rest % knob_settings (range));
        rest /= knob_settings (range);
      }
    }
    if (!try_settings (search, (const double (*)[POLICY_KNOBS_MAX]) batch, n, error)) {
      return FALSE;
    }
    show_progress (search, settings);
  }
  return TRUE;
}

static gboolean evaluate (const double *u, double *ret_value, void *data, GError **error)
{
  Search *search = data;
  double value[POLICY_KNOBS_MAX] = { 0 };

  for (unsigned i = 0; i < search->policy->n_knobs; i++) {
    value[i] = knob_at (&search->policy->knobs[i].range, u[i]);
  }
  return score_of (search, value, ret_value, error);
}

/* Steps of one knob from the best setting, until none is better. */
static gboolean search_neighbours (Search *search, GError **error)
{
  gboolean better = TRUE;

  while (better && !search->stop) {
    const int from = search->best;
    for (unsigned i = 0; i < 2 * search->policy->n_knobs && !search->stop; i++) {
      double value[POLICY_KNOBS_MAX], score;
      memcpy (value, g_array_index (search->points, Point, from).value, sizeof value);
      value[i / 2] = knob_next (&search->policy->knobs[i / 2].range, value[i / 2], i % 2 ? 1 : -1);
      if (!score_of (search, value, &score, error)) {
        return FALSE;
      }
    }
    better = search->best != from;
  }
  return TRUE;
}

/* Two thirds of the budget for DIRECT-L; Sbplx starts at its best point and leaves a tenth for the neighbours. */
static gboolean search_some (Search *search, GError **error)
{
  const unsigned n = search->policy->n_knobs, budget = search->budget;
  double low[POLICY_KNOBS_MAX], high[POLICY_KNOBS_MAX], u[POLICY_KNOBS_MAX], value;
  MinimizeProblem problem = { .n = n,
                              .low = low,
                              .high = high,
                              .step = 0.1,
                              .tolerance = 0.002,
                              .max_evaluations = CALLS_PER_EVALUATION * budget,
                              .stepped = TRUE,
                              .global = TRUE,
                              .evaluate = evaluate,
                              .data = search,
                              .interrupt = &search->stop };

  for (unsigned i = 0; i < n; i++) {
    low[i] = 0;
    high[i] = 1;
    u[i] = 0.5;
  }
  search->budget = MAX (budget * 2 / 3, 1);
  if (minimize (&problem, u, &value, NULL, error) == MINIMIZE_FAILED) {
    return FALSE;
  }
  search->budget = MAX (budget * 9 / 10, 1);
  search->stop = search->interrupted;
  problem.global = FALSE;
  if (!search->stop && minimize (&problem, u, &value, NULL, error) == MINIMIZE_FAILED) {
    return FALSE;
  }
  search->budget = budget;
  search->stop = search->interrupted;
  return search->best < 0 || search_neighbours (search, error);
}

/* ---- the report ---- */

/* Most IOPS first, of as many the smallest p99. */
static int compare_points (gconstpointer a, gconstpointer b, gpointer data)
{
  const Search *search = data;
  const ReportEstimate *x = g_array_index (search->points, Point, *(const unsigned *) a).metric;
  const ReportEstimate *y = g_array_index (search->points, Point, *(const unsigned *) b).metric;
  const double more = x[METRIC_IOPS].mean - y[METRIC_IOPS].mean;
  const double later = x[METRIC_LAT_P99].mean - y[METRIC_LAT_P99].mean;

  return more > 0 ? -1 : more < 0 ? 1 : later < 0 ? -1 : later > 0 ? 1 : 0;
}

/* Indices of the points that no other one beats in both IOPS and p99; of equal ones the first. (transfer full) */
static GArray *find_front (Search *search)
{
  GArray *front = g_array_new (FALSE, FALSE, sizeof (unsigned));
  double least = G_MAXDOUBLE;

  for (unsigned i = 0; i < search->points->len; i++) {
    g_array_append_val (front, i);
  }
  g_array_sort_with_data (front, compare_points, search);
  unsigned kept = 0;
  for (unsigned i = 0; i < front->len; i++) {
    const unsigned index = g_array_index (front, unsigned, i);
    const double p99 = g_array_index (search->points, Point, index).metric[METRIC_LAT_P99].mean;
    if (p99 < least) {
      least = p99;
      g_array_index (front, unsigned, kept++) = index;
    }
  }
  g_array_set_size (front, kept);
  return front;
}

/* The texts of all knobs at a point. (transfer full) */
static GStrv texts_of (const Search *search, const Point *point)
{
  GStrv texts = g_new0 (char *, search->policy->n_knobs + 1);

  for (unsigned i = 0; i < search->policy->n_knobs; i++) {
    texts[i] = knob_text (&search->policy->knobs[i].range, point->value[i]);
  }
  return texts;
}

/* The policy file with the best setting; what is wrong with it then is a note. */
static gboolean write_policy (Search *search, const char *const *texts, GError **error)
{
  const Options *options = search->options;
  g_autofree char *comment = g_strdup_printf (
      "Setting found by uringsim policy search: %s%s%s", search->objective->text,
      g_array_index (search->points, Point, search->best).holds ? "" : " (no setting keeps the limits)",
      search->interrupted ? " (interrupted)" : "");
  g_autoptr (GError) wrong = NULL;

  if (!search_file_write (search->policy, texts, comment, options->write, error)) {
    return FALSE;
  }
  Policy *found = policy_load (options->write, &wrong);
  if (!found) {
    g_ptr_array_add (search->notes, g_strdup_printf ("The policy written cannot be used as it is: %s", wrong->message));
  }
  policy_free (found);
  return TRUE;
}

static CommandExit report (Search *search, guint64 settings, GError **error)
{
  const Policy *policy = search->policy;
  const unsigned n = search->points->len;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autofree SearchPoint *points = g_new0 (SearchPoint, n);
  g_autoptr (GArray) front = find_front (search);
  SearchKnob knobs[POLICY_KNOBS_MAX];

  for (unsigned i = 0; i < policy->n_knobs; i++) {
    knobs[i] = (SearchKnob){ policy->knobs[i].name, policy->knobs[i].text, policy->knobs[i].origin };
  }
  for (unsigned i = 0; i < n; i++) {
    const Point *point = &g_array_index (search->points, Point, i);
    g_ptr_array_add (texts, texts_of (search, point));
    points[i] =
        (SearchPoint){ .values = texts->pdata[i], .metric = point->metric, .holds = point->holds, .front = FALSE };
  }
  for (unsigned i = 0; i < front->len; i++) {
    points[g_array_index (front, unsigned, i)].front = TRUE;
  }
  if (search->options->write && !write_policy (search, points[search->best].values, error)) {
    return EXIT_IO;
  }
  const SearchReport result = {
    .policy = policy->name,
    .path = search->path,
    .objective = search->objective->text,
    .machine = search->scenario->machine->name,
    .seed = search->options->seed,
    .reps = search->reps,
    .n_knobs = policy->n_knobs,
    .knobs = knobs,
    .exhaustive = settings <= FEW,
    .settings = settings,
    .n_points = n,
    .points = points,
    .best = (unsigned) search->best,
    .n_front = front->len,
    .front = (const unsigned *) (gpointer) front->data,
    .goal = search->objective->goal,
    .written = search->options->write,
    .notes = search->notes,
    .interrupted = search->interrupted,
  };
  g_autofree char *text = search->options->format == FORMAT_JSON ? json_search (&result) : text_search (&result);
  if (!command_output (search->options, text, error)) {
    return EXIT_IO;
  }
  return search->interrupted ? EXIT_INTERRUPTED : points[search->best].holds ? EXIT_DONE : EXIT_NEGATIVE;
}

static CommandExit search_and_report (Search *search, GError **error)
{
  const guint64 settings = knob_space_settings (search->policy);
  g_autoptr (GError) cause = NULL;
  CommandExit status = EXIT_INTERRUPTED;

  search->points = g_array_new (FALSE, TRUE, sizeof (Point));
  search->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  search->best = -1;
  const gboolean ok = settings <= FEW ? search_all (search, settings, &cause) : search_some (search, &cause);
  if (!search->options->quiet && isatty (STDERR_FILENO)) {
    fputs ("\r\033[K", stderr);
  }
  if (!ok && cause) {
    g_propagate_error (error, g_steal_pointer (&cause));
    status = EXIT_INTERNAL;
  } else if (search->best >= 0) {
    status = report (search, settings, error);
  }
  g_array_unref (search->points);
  g_hash_table_unref (search->index);
  g_clear_pointer (&search->notes, g_ptr_array_unref);
  return status;
}

CommandExit policy_search (const Options *options, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), none = g_ptr_array_new ();
  Options rest = *options; /* as for run, without the policy */

  if (options->arguments->len < 2) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "policy search: found %u argument%s, expected FILE.policy INPUT...", options->arguments->len,
                 options->arguments->len == 1 ? "" : "s");
    return EXIT_USAGE;
  }
  for (unsigned i = 1; i < options->arguments->len; i++) {
    g_ptr_array_add (inputs, options->arguments->pdata[i]);
  }
  rest.arguments = inputs;
  rest.policies = none;
  Search search = { .options = &rest,
                    .path = options->arguments->pdata[0],
                    .reps = options->reps ? options->reps : DEFAULT_REPS,
                    .budget = options->evaluations ? options->evaluations : EVALUATIONS };
  g_autoptr (Objective) objective = objective_parse (options->objective ? options->objective : "max iops", error);
  Policy *policy = objective ? policy_load_with_knobs (search.path, error) : NULL;
  if (policy && !policy->n_knobs) {
    g_autofree char *quoted = escape_text_short (search.path, -1, 200);
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "policy search: %s has no knobs; write ?LOW..HIGH where a number is to be found", quoted);
    g_clear_pointer (&policy, policy_free);
  }
  if (policy && rest.write && !search_file_may_write (policy, rest.write, error)) {
    g_clear_pointer (&policy, policy_free);
  }
  if (policy && output_same_file (rest.write, rest.output)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--write: found the file of -o, expected another");
    g_clear_pointer (&policy, policy_free);
  }
  g_autoptr (Scenario) scenario = policy ? scenario_open (&rest, REPLAY_CLOSED, error) : NULL;
  CommandExit status = EXIT_USAGE;
  if (scenario) {
    search.objective = objective;
    search.policy = policy;
    search.scenario = scenario;
    status = search_and_report (&search, error);
  }
  policy_free (policy);
  return status;
}
