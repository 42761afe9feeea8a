/* The states that requests of a run pass, how many take each way, and how long each step takes; see draw.h. */
#include "src/output/dot.h"
#include "src/output/draw.h"
#include "src/output/escape.h"
#include "src/output/format.h"

enum { TITLE_COLUMNS = 60 };

static const char *const lane_titles[OUTCOMES] = {
  [OUTCOME_INLINE] = "done in the submitter",
  [OUTCOME_PUNTED_HASHED] = "punted, serialised by hash",
  [OUTCOME_PUNTED_UNHASHED] = "punted, not hashed",
  [OUTCOME_ASYNC] = "completed by device, page or poll callback",
  [OUTCOME_FAILED] = "failed",
};

typedef struct {
  const RunResult *result;
  Dot *dot;
  uint64_t requests; /* of all outcomes */
  double time;       /* of all of them, ns: what widths are shares of */
} Flow;

/* An edge of one step: how many requests, which share, the mean time of those that took it; its width says which share
 * of all time was spent there. */
static void step (const Flow *flow, const char *from, const char *to, double n, double sum)
{
  g_autofree char *count = format_count ((uint64_t) (n + 0.5)), *time = format_time (n > 0 ? sum / n : 0);
  g_autofree char *share = format_share (flow->requests ? n / flow->requests : 0);
  g_autofree char *label = g_strdup_printf ("    %s (%s)\n    %s", count, share, time);
  g_autofree char *width = format_fixed (0.6 + 8 * (flow->time > 0 ? sum / flow->time : 0), 1);
  g_autofree char *attributes = g_strdup_printf ("penwidth=%s", width);

  dot_edge (flow->dot, from, to, label, attributes);
}

/* The time that requests of a class spent in a stage, all together. */
static double spent (const Flow *flow, unsigned outcome, Phase phase)
{
  return flow->result->stage[outcome][phase].mean * flow->result->outcome[outcome];
}

static double spent_by_all (const Flow *flow, Phase phase)
{
  double sum = 0;

  for (unsigned i = 0; i < OUTCOMES; i++) {
    sum += spent (flow, i, phase);
  }
  return sum;
}

/* (transfer full) */
static char *lane_id (const char *state, unsigned outcome)
{
  return g_strdup_printf ("%s-%s", state, outcome_name ((Outcome) outcome));
}

/* The states of one outcome class and the steps into, in and out of it. */
static void draw_lane (const Flow *flow, unsigned outcome)
{
  const double n = flow->result->outcome[outcome];
  const gboolean punted = outcome == OUTCOME_PUNTED_HASHED || outcome == OUTCOME_PUNTED_UNHASHED;
  g_autofree char *refused = lane_id ("refused", outcome);
  g_autofree char *queued = lane_id ("queued", outcome), *begun = lane_id ("begun", outcome);
  g_autofree char *locked = lane_id ("locked", outcome), *done = lane_id ("done", outcome);

  if (punted) {
    g_autofree char *label = g_strdup_printf ("%s:\nEAGAIN, or not tried", lane_titles[outcome]);
    dot_node (flow->dot, refused, label, "shape=box");
    dot_node (flow->dot, queued, "on a queue", "shape=box, peripheries=2");
    dot_node (flow->dot, begun, "taken by a worker", "shape=box");
    dot_node (flow->dot, locked, "past the inode lock", "shape=box");
  } else {
    g_autofree char *label = g_strdup_printf ("%s:\npast the inode lock", lane_titles[outcome]);
    dot_node (flow->dot, locked, label, "shape=box");
  }
  dot_node (flow->dot, done, "done", "shape=box, style=bold");
  if (punted) {
    step (flow, "attempted", refused, n, spent (flow, outcome, PHASE_ATTEMPT));
    step (flow, refused, queued, n, spent (flow, outcome, PHASE_PUNT));
    step (flow, queued, begun, n, spent (flow, outcome, PHASE_QUEUE));
  }
  step (flow, punted ? begun : "attempted", locked, n, spent (flow, outcome, PHASE_LOCK));
  step (flow, locked, done, n, spent (flow, outcome, PHASE_SERVICE));
  step (flow, done, "posted", n, spent (flow, outcome, PHASE_COMPLETE));
}

char *draw_flow (const char *name, const RunResult *result)
{
  g_autofree char *policy = escape_text_short (result->policy, -1, TITLE_COLUMNS), *wake = NULL;
  Flow flow = { .result = result };

  for (unsigned i = 0; i < OUTCOMES; i++) {
    flow.requests += result->outcome[i];
    for (unsigned k = 0; k < PHASES; k++) {
      flow.time += spent (&flow, i, (Phase) k);
    }
  }
  wake = format_time (flow.requests ? spent_by_all (&flow, PHASE_WAKEUP) / flow.requests : 0);
  g_autofree char *title =
      g_strdup_printf ("%s, %s: where requests go and their time\n(count, share, mean time; width: share of all time; "
                       "wake-ups, %s a request, are in no step)\n ",
                       policy, result->engine, wake);
  g_autoptr (Dot) dot = dot_new (name, title, "rankdir=TB, nodesep=0.6, ranksep=0.45");
  flow.dot = dot;
  dot_node (dot, "prepared", "prepared by the application", "shape=oval");
  dot_node (dot, "attempted", "issued", "shape=hexagon");
  step (&flow, "prepared", "attempted", flow.requests, spent_by_all (&flow, PHASE_SUBMIT));
  for (unsigned i = 0; i < OUTCOMES; i++) {
    if (result->outcome[i]) {
      draw_lane (&flow, i);
    }
  }
  dot_node (dot, "posted", "completion posted", "shape=box");
  dot_node (dot, "reaped", "reaped by the application", "shape=oval");
  step (&flow, "posted", "reaped", flow.requests, spent_by_all (&flow, PHASE_REAP));
  return dot_text (dot);
}
