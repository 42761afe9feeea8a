/* The decision tree of a policy; see draw.h. */
#include "model/policy_plugin.h"
#include "src/output/dot.h"
#include "src/output/draw.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include <string.h>

enum { LABEL_COLUMNS = 34, ORIGIN_COLUMNS = 60, TITLE_COLUMNS = 90 };

/* A place in a file, on a line of its own. */
static void append_origin (GString *label, const char *origin)
{
  if (origin) {
    g_autofree char *text = escape_text_short (origin, -1, ORIGIN_COLUMNS);
    g_string_append_printf (label, "\n(%s)", text);
  }
}

static void append_wrapped (GString *label, const char *text, unsigned columns)
{
  g_autofree char *escaped = escape_text (text, -1), *wrapped = dot_wrap (escaped, columns);
  g_string_append (label, wrapped);
}

/* ---- queues ---- */

static const char *hash_text (const PolicyQueue *queue)
{
  static const char *const texts[] = { [HASH_NONE] = "nothing is serialised",
                                       [HASH_INODE] = "writes serialised by inode",
                                       [HASH_FILE] = "writes serialised by file",
                                       [HASH_RING] = "writes serialised by ring" };
  return texts[queue->hash];
}

/* The identifier of a queue's node. (transfer full) */
static char *queue_id (const Policy *policy, unsigned queue)
{
  return g_strconcat ("queue-", policy->queues[queue].name, NULL);
}

static void draw_queue (Dot *dot, const Policy *policy, unsigned i)
{
  const PolicyQueue *queue = &policy->queues[i];
  g_autofree char *id = queue_id (policy, i), *name = escape_text_short (queue->name, -1, LABEL_COLUMNS);
  g_autoptr (GString) label = g_string_new (NULL);

  g_string_append_printf (label, "queue %s: %s\nworkers: ", name,
                          queue->kind == QUEUE_IO_WQ ? "io-wq" : "kernel workqueue");
  append_wrapped (label, queue->max_workers_text, LABEL_COLUMNS);
  append_origin (label, queue->key_origin[QUEUE_KEY_MAX_WORKERS]);
  g_string_append_printf (label, "\n%s", hash_text (queue));
  append_origin (label, queue->key_origin[QUEUE_KEY_HASH]);
  if (queue->per != PER_KERNEL) {
    g_string_append_printf (label, "\none for each %s", policy_per_name (queue->per));
    append_origin (label, queue->key_origin[QUEUE_KEY_PER]);
  }
  if (queue->wake != WAKE_KERNEL) {
    g_string_append_printf (label, "\nwakes: %s", policy_wake_name (queue->wake));
    append_origin (label, queue->key_origin[QUEUE_KEY_WAKE]);
  }
  if (queue->idle_time) {
    g_autofree char *time = format_time (queue->idle_time);
    g_string_append_printf (label, "\nidle workers leave after %s", time);
    append_origin (label, queue->key_origin[QUEUE_KEY_IDLE_TIME]);
  }
  if (queue->no_merge) {
    g_string_append (label, "\nsequential requests are not joined");
    append_origin (label, queue->key_origin[QUEUE_KEY_MERGE]);
  }
  if (queue->affinity_text) {
    g_string_append (label, "\nworkers on CPUs ");
    append_wrapped (label, queue->affinity_text, LABEL_COLUMNS);
    append_origin (label, queue->key_origin[QUEUE_KEY_AFFINITY]);
  }
  dot_node (dot, id, label->str, "shape=box, peripheries=2");
}

/* ---- what follows an attempt ---- */

typedef enum { END_DONE, END_POLL, END_CALLBACK, END_FAIL, ENDS } End;

static const struct {
  const char *id, *label;
} ends[ENDS] = {
  [END_DONE] = { "done", "completed in the submitter" },
  [END_POLL] = { "poll", "armed: tried again\nwhen the file is ready" },
  [END_CALLBACK] = { "callback", "waits for its pages;\na page callback goes on" },
  [END_FAIL] = { "fail", "fails with EAGAIN" },
};

static End end_of (PolicyOnAgain on_again)
{
  return on_again == ON_AGAIN_POLL ? END_POLL : on_again == ON_AGAIN_CALLBACK ? END_CALLBACK : END_FAIL;
}

static const char *attempt_text (PolicyAttempt attempt)
{
  static const char *const texts[] = { [ATTEMPT_NONBLOCK] = "try without blocking",
                                       [ATTEMPT_BLOCKING] = "run to its end, may block",
                                       [ATTEMPT_TRYLOCK] = "try if the inode lock is free",
                                       [ATTEMPT_NONE] = "do not try" };
  return texts[attempt];
}

/* The attempt of a rule and the edges out of it. */
static void draw_attempt (Dot *dot, const Policy *policy, const PolicyRule *rule, const char *id, gboolean *used)
{
  const char *refused = rule->attempt == ATTEMPT_NONE ? "always" : "EAGAIN";

  if (rule->attempt != ATTEMPT_NONE) {
    dot_edge (dot, id, ends[END_DONE].id, "done", "style=dashed");
    used[END_DONE] = TRUE;
  }
  if (rule->retries) {
    g_autofree char *again = g_strdup_printf ("EAGAIN: again, %u time%s", rule->retries, rule->retries == 1 ? "" : "s");
    dot_edge (dot, id, id, again, NULL);
  }
  if (rule->attempt == ATTEMPT_BLOCKING) {
    return;
  }
  if (rule->on_again == ON_AGAIN_QUEUE) {
    g_autofree char *queue = queue_id (policy, rule->queue);
    dot_edge (dot, id, queue, refused, NULL);
    return;
  }
  dot_edge (dot, id, ends[end_of (rule->on_again)].id, refused, NULL);
  used[end_of (rule->on_again)] = TRUE;
}

/* (transfer full) */
static char *attempt_label (const PolicyRule *rule)
{
  return rule->attempt == ATTEMPT_NONE ? g_strdup (attempt_text (rule->attempt))
                                       : g_strdup_printf ("%s\ncompletion posted %s", attempt_text (rule->attempt),
                                                          rule->post_now ? "at once" : "with the batch");
}

/* ---- rules ---- */

/* Identifier of a node of a rule. (transfer full) */
static char *rule_id (const char *kind, const PolicyRule *rule)
{
  return g_strdup_printf ("%s-%d", kind, rule->number);
}

/* The plug-in's choices, then the rules of files. */
static gboolean is_choice (const Policy *policy, unsigned i) { return policy->plugin && i < policy->plugin->n_choices; }

static unsigned n_rows (const Policy *policy)
{
  return policy->n_rules + (policy->plugin ? policy->plugin->n_choices : 0);
}

static const PolicyRule *row (const Policy *policy, unsigned i)
{
  return is_choice (policy, i) ? &policy->plugin->choices[i]
                               : &policy->rules[i - (policy->plugin ? policy->plugin->n_choices : 0)];
}

static gboolean always (const PolicyRule *rule)
{
  double value;

  return policy_expression_constant (rule->match, &value) && value != 0;
}

static void draw_condition (Dot *dot, const PolicyRule *rule, const char *id)
{
  g_autoptr (GString) label = g_string_new (NULL);

  g_string_append_printf (label, "Rule %d\n", rule->number);
  if (always (rule)) {
    g_string_append (label, "all others");
  } else {
    append_wrapped (label, rule->match_text, LABEL_COLUMNS);
    g_string_append_c (label, '?');
  }
  append_origin (label, rule->origin);
  dot_node (dot, id, label->str, always (rule) ? "shape=box, style=rounded" : "shape=hexagon, margin=\"0.02,0.04\"");
}

/* The column of conditions: start, plug-in, rules, one below the other. */
static void draw_conditions (Dot *dot, const Policy *policy)
{
  const char *previous = "request";
  g_autofree char *last = NULL;

  dot_begin_rank (dot);
  dot_node (dot, "request", "a request is issued", "shape=oval");
  if (policy->plugin) {
    g_autofree char *label = escape_text_short (policy->path, -1, ORIGIN_COLUMNS);
    g_autofree char *whole = g_strconcat ("the plug-in decides\n", label, NULL);
    dot_node (dot, "plugin", whole, "shape=hexagon, style=bold");
    dot_edge (dot, previous, "plugin", NULL, "weight=9");
    previous = "plugin";
  }
  for (unsigned i = 0; i < policy->n_rules; i++) {
    g_autofree char *id = rule_id ("rule", &policy->rules[i]);
    const char *no = i ? "no" : policy->plugin ? "else" : NULL;
    draw_condition (dot, &policy->rules[i], id);
    dot_edge (dot, previous, id, no, "weight=9");
    g_free (last);
    last = g_steal_pointer (&id);
    previous = last;
  }
  dot_end (dot);
}

/* The column of attempts, in the order of their rules. */
static void draw_attempt_nodes (Dot *dot, const Policy *policy)
{
  g_autofree char *last = NULL;

  dot_begin_rank (dot);
  for (unsigned i = 0; i < n_rows (policy); i++) {
    const PolicyRule *rule = row (policy, i);
    g_autofree char *id = rule_id (is_choice (policy, i) ? "choice" : "attempt", rule), *label = attempt_label (rule);
    dot_node (dot, id, label, "shape=box");
    if (last) {
      dot_edge (dot, last, id, NULL, "style=invis");
    }
    g_free (last);
    last = g_steal_pointer (&id);
  }
  dot_end (dot);
}

static void draw_attempts (Dot *dot, const Policy *policy, gboolean *used)
{
  draw_attempt_nodes (dot, policy);
  for (unsigned i = 0; i < n_rows (policy); i++) {
    const PolicyRule *rule = row (policy, i);
    const gboolean choice = is_choice (policy, i);
    g_autofree char *from = choice ? g_strdup ("plugin") : rule_id ("rule", rule);
    g_autofree char *id = rule_id (choice ? "choice" : "attempt", rule);
    g_autofree char *label = choice ? g_strdup_printf ("choice %d", rule->number) : g_strdup ("yes");
    dot_edge (dot, from, id, !choice && always (rule) ? NULL : label, NULL);
    draw_attempt (dot, policy, rule, id, used);
  }
}

/* (transfer full) */
static char *title_of (const Policy *policy)
{
  g_autoptr (GString) title = g_string_new (NULL);
  g_autofree char *kernel = format_kernel (policy->kernel), *name = escape_text_short (policy->name, -1, TITLE_COLUMNS);

  g_string_append_printf (title, "Policy %s: kernel %s", name, kernel);
  for (unsigned i = 0; i < policy->bases->len; i++) {
    g_autofree char *base = escape_text_short (policy->bases->pdata[i], -1, TITLE_COLUMNS);
    g_string_append_printf (title, "%s%s", i ? ", " : "; inherits ", base);
  }
  if (policy->title) {
    g_string_append_c (title, '\n');
    append_wrapped (title, policy->title, TITLE_COLUMNS);
  }
  g_string_append (title, "\n ");
  return g_string_free (g_steal_pointer (&title), FALSE);
}

/* [Ring], where there is one. */
static void draw_ring (Dot *dot, const PolicyRing *ring)
{
  g_autoptr (GString) label = g_string_new ("rings");

  if (!ring->origin) {
    return;
  }
  if (ring->sq_thread != SQ_THREAD_AS_JOB) {
    g_string_append (label, ring->sq_thread == SQ_THREAD_YES ? "\nwith an sq_thread" : "\nwithout sq_thread");
  }
  if (ring->sq_idle) {
    g_autofree char *time = format_time (ring->sq_idle);
    g_string_append_printf (label, "\nsq_thread sleeps after %s", time);
  }
  if (ring->flags_text) {
    g_string_append (label, "\nset up with ");
    append_wrapped (label, ring->flags_text, LABEL_COLUMNS);
  }
  append_origin (label, ring->origin);
  dot_node (dot, "ring", label->str, "shape=note");
}

char *draw_policy (const Policy *policy)
{
  g_autofree char *title = title_of (policy);
  g_autoptr (Dot) dot = dot_new ("policy", title, "rankdir=LR, nodesep=0.3, ranksep=0.6");
  gboolean used[ENDS] = { FALSE };

  draw_conditions (dot, policy);
  draw_attempts (dot, policy, used);
  draw_ring (dot, &policy->ring);
  for (unsigned i = 0; i < policy->n_queues; i++) {
    draw_queue (dot, policy, i);
  }
  for (unsigned i = 0; i < ENDS; i++) {
    if (used[i]) {
      dot_node (dot, ends[i].id, ends[i].label, "shape=oval");
    }
  }
  return dot_text (dot);
}
