/* uringsim compare --regret N: what each rule's decisions lost against the other choice.  See src/output/regret.h. */
#include "src/command/regret.h"
#include "src/engine/tally.h"
#include "src/output/regret.h"

enum { RUN_IOS = 4096, HORIZON = 256, CHUNK = 16 };

/* One decision of the run that was looked at. */
typedef struct {
  const PolicyRule *rule;
  Outcome outcome;
  unsigned stream;
  uint64_t number;
} Made;

/* Decisions of one rule with one kind of outcome. */
typedef struct {
  RegretRow row;
  GArray *places; /* of unsigned: indices of Made, in order */
  PolicyRule other;
  UrTally time, latency;
} Kind;

static void kind_clear (gpointer data) { g_array_unref (((Kind *) data)->places); }

static void on_decision (const Decision *decision, void *data)
{
  const Made made = { decision->rule, decision->outcome, decision->stream, decision->number };

  g_array_append_val ((GArray *) data, made);
}

/* The other choice: into a queue, or here and blocking. */
static PolicyRule other_choice (const PolicyRule *rule, gboolean inline_done)
{
  PolicyRule other = {
    .number = rule->number, .post_now = TRUE, .attempt = ATTEMPT_BLOCKING, .on_again = ON_AGAIN_FAIL
  };

  if (inline_done) {
    other.attempt = ATTEMPT_NONE;
    other.on_again = ON_AGAIN_QUEUE;
    other.queue = rule->on_again == ON_AGAIN_QUEUE ? rule->queue : 0;
    other.post_now = FALSE;
  }
  return other;
}

/* Sorts the decisions into kinds; returns how many have no other choice. */
static uint64_t find_kinds (const GArray *made, const Policy *policy, GArray *kinds)
{
  uint64_t one_way = 0;

  for (unsigned i = 0; i < made->len; i++) {
    const Made *decision = &g_array_index (made, Made, i);
    const gboolean inline_done = decision->outcome == OUTCOME_INLINE;
    unsigned k = 0;
    if (decision->outcome == OUTCOME_ASYNC || (inline_done && !policy->n_queues)) {
      one_way++;
      continue;
    }
    while (k < kinds->len && !(g_array_index (kinds, Kind, k).row.rule == decision->rule &&
                               g_array_index (kinds, Kind, k).row.inline_done == inline_done)) {
      k++;
    }
    if (k == kinds->len) {
      Kind kind = { .row = { .rule = decision->rule, .inline_done = inline_done },
                    .places = g_array_new (FALSE, FALSE, sizeof (unsigned)),
                    .other = other_choice (decision->rule, inline_done) };
      ur_tally_init (&kind.time);
      ur_tally_init (&kind.latency);
      g_array_append_val (kinds, kind);
    }
    Kind *kind = &g_array_index (kinds, Kind, k);
    g_array_append_val (kind->places, i);
    kind->row.decisions++;
  }
  return one_way;
}

static double latencies (const RunResult *result)
{
  return ur_histogram_mean (&result->all.lat) * (double) result->ios;
}

/* The decisions `places[first..first+n)` of a kind, each run twice. FALSE: error, or interrupted (then no error). */
static gboolean measure (const SimulationSetup *base, const GArray *made, Kind *kind, const unsigned *places,
                         unsigned n, const Options *options, GError **error)
{
  DecisionOther other[CHUNK];
  g_autoptr (RunSet) set = run_set_new ();

  for (unsigned i = 0; i < n; i++) {
    const Made *decision = &g_array_index (made, Made, places[i]);
    SimulationSetup setup = *base;
    setup.decision = NULL;
    setup.limit_ios = (uint64_t) places[i] + 1 + HORIZON;
    run_set_add (set, &setup);
    other[i] = (DecisionOther){ decision->stream, decision->number, &kind->other };
    setup.other = &other[i];
    run_set_add (set, &setup);
  }
  if (!run_set_run (set, options->seed, 1, options->threads, FALSE, error) || run_set_interrupted (set)) {
    return FALSE;
  }
  for (unsigned i = 0; i < n; i++) {
    const RunResult *as_was = run_set_result (set, 2 * i), *otherwise = run_set_result (set, 2 * i + 1);
    ur_tally_add (&kind->time, (double) as_was->sim_ns - (double) otherwise->sim_ns);
    ur_tally_add (&kind->latency, latencies (as_was) - latencies (otherwise));
  }
  return TRUE;
}

static gboolean measure_kind (const SimulationSetup *base, const GArray *made, Kind *kind, unsigned samples,
                              const Options *options, GError **error)
{
  const unsigned there_are = kind->places->len, n = MIN (samples, there_are);
  g_autofree unsigned *places = g_new (unsigned, n);

  for (unsigned i = 0; i < n; i++) { /* evenly over the run, from the middle of each part */
    const uint64_t place = ((uint64_t) 2 * i + 1) * there_are / (2 * n);
    places[i] = g_array_index (kind->places, unsigned, place);
  }
  for (unsigned first = 0; first < n; first += CHUNK) {
    if (!measure (base, made, kind, places + first, MIN (CHUNK, n - first), options, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static ReportEstimate estimate_of (const UrTally *tally)
{
  return (ReportEstimate){ tally->mean, ur_tally_half_width (tally, 0.95), (unsigned) tally->n };
}

static int compare_rows (gconstpointer a, gconstpointer b)
{
  const RegretRow *x = a, *y = b;

  return (x->time_ns.mean < y->time_ns.mean) - (x->time_ns.mean > y->time_ns.mean);
}

/* FALSE: error, or interrupted (then no error, and what was sampled counts). */
static gboolean regret_of (const SimulationSetup *base, RegretPolicy *regret, const Options *options, GError **error)
{
  g_autoptr (GArray) made = g_array_new (FALSE, FALSE, sizeof (Made));
  g_autoptr (GArray) kinds = g_array_new (FALSE, FALSE, sizeof (Kind));
  SimulationSetup setup = *base;
  gboolean ok = TRUE;

  g_array_set_clear_func (kinds, kind_clear);
  setup.seed = options->seed;
  setup.decision = on_decision;
  setup.decision_data = made;
  RunResult *result = simulation_run (&setup, error);
  if (!result) {
    return FALSE;
  }
  regret->ios = result->ios;
  regret->one_way = find_kinds (made, base->policy, kinds);
  run_result_free (result);
  for (unsigned i = 0; ok && i < kinds->len; i++) {
    ok = measure_kind (base, made, &g_array_index (kinds, Kind, i), MAX (options->regret / kinds->len, 1), options,
                       error);
  }
  for (unsigned i = 0; i < kinds->len; i++) {
    Kind *kind = &g_array_index (kinds, Kind, i);
    kind->row.time_ns = estimate_of (&kind->time);
    kind->row.latency_ns = estimate_of (&kind->latency);
    g_array_append_val (regret->rows, kind->row);
  }
  g_array_sort (regret->rows, compare_rows);
  return ok;
}

CommandExit compare_regret (const Options *options, const Scenario *scenario, GError **error)
{
  const unsigned n = scenario->policies->len;
  g_autofree RegretPolicy *policies = g_new0 (RegretPolicy, n);
  Regret regret = {
    .seed = options->seed, .samples = options->regret, .horizon = HORIZON, .n = n, .policies = policies
  };
  g_autoptr (GError) cause = NULL;

  for (unsigned i = 0; i < options->engines->len; i++) {
    const ApplicationEngine engine = g_array_index (options->engines, ApplicationEngine, i);
    if (engine != APPLICATION_IO_URING) {
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--regret: only io_uring has a policy, found --engine %s",
                   application_engine_name (engine));
      return EXIT_USAGE;
    }
  }
  for (unsigned i = 0; i < n; i++) {
    policies[i] = (RegretPolicy){ .policy = scenario->policies->pdata[i],
                                  .engine = "io_uring",
                                  .rows = g_array_new (FALSE, FALSE, sizeof (RegretRow)) };
  }
  for (unsigned i = 0; i < n && !cause && !regret.interrupted; i++) {
    SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[i], APPLICATION_IO_URING);
    setup.limit_ios = options->limit_ios ? options->limit_ios : RUN_IOS;
    regret.interrupted = !regret_of (&setup, &policies[i], options, &cause) && !cause;
  }
  g_autofree char *text = cause ? NULL : options->format == FORMAT_JSON ? json_regret (&regret) : text_regret (&regret);
  for (unsigned i = 0; i < n; i++) {
    g_array_unref (policies[i].rows);
  }
  if (cause) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return EXIT_INTERNAL;
  }
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  return regret.interrupted ? EXIT_INTERRUPTED : EXIT_DONE;
}
