/*
 * The engine: order of events, cancel, handles, until and stop, fast-forward, and
 * a differential test against a sorted list with random operations.
 */
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine.h"
#include "src/engine/event_queue.h"
#include "src/engine/random.h"
#include "tests/engine/check.h"
#include "tests/unit.h"

/* ---- order ---- */

typedef struct {
  char *text; /* what ran, one character an event */
  unsigned n;
} Log;

typedef struct {
  Log *log;
  char name;
} Mark;

static void mark (UrEngine *engine, void *data)
{
  Mark *self = data;

  (void) engine;
  self->log->text[self->log->n++] = self->name;
  self->log->text[self->log->n] = '\0';
}

typedef struct {
  UrTime when;
  unsigned priority;
} Scheduled;

static const struct {
  const char *name;
  Scheduled events[8]; /* named a, b, c... in the order they are scheduled */
  unsigned n;
  const char *order;
} orders[] = {
  { "by time", { { 30, 128 }, { 10, 128 }, { 20, 128 } }, 3, "bca" },
  { "same time: as scheduled", { { 10, 128 }, { 10, 128 }, { 10, 128 }, { 10, 128 } }, 4, "abcd" },
  { "same time: priority before sequence", { { 10, 128 }, { 10, 255 }, { 10, 0 }, { 10, 128 } }, 4, "cadb" },
  { "time before priority", { { 20, 0 }, { 10, 255 } }, 2, "ba" },
  { "at time 0", { { 0, 128 }, { 0, 0 }, { 0, 128 }, { 0, 255 }, { 0, 1 } }, 5, "beacd" },
  { "ready ring and tree mixed",
    { { 0, 200 }, { 0, 100 }, { 0, 200 }, { 0, 100 }, { 0, 255 }, { 0, 50 } },
    6,
    "fbdace" },
  { "huge times", { { UR_TIME_NEVER - 1, 128 }, { 1, 128 }, { UR_TIME_NEVER - 2, 128 } }, 3, "bca" },
};

static void test_order (void)
{
  for (size_t row = 0; row < G_N_ELEMENTS (orders); row++) {
    UrEngine *engine = ur_engine_new ();
    char text[16] = "";
    Log log = { text, 0 };
    Mark marks[8];

    for (unsigned i = 0; i < orders[row].n; i++) {
      marks[i] = (Mark){ &log, (char) ('a' + i) };
      ur_engine_at_priority (engine, orders[row].events[i].when, orders[row].events[i].priority, mark, &marks[i]);
    }
    ur_engine_run (engine, UR_TIME_NEVER);
    CHECK (strcmp (text, orders[row].order) == 0, "%s: ran %s, expected %s", orders[row].name, text, orders[row].order);
    CHECK (ur_engine_events (engine) == orders[row].n, "%s: count of events", orders[row].name);
    ur_engine_free (engine);
  }
}

/* Handlers that schedule at their own time: the new event takes its place among those still due. */
typedef struct {
  Log *log;
  char name;
  unsigned priority; /* of the child */
  Mark child;
} Parent;

static void parent (UrEngine *engine, void *data)
{
  Parent *self = data;

  self->log->text[self->log->n++] = self->name;
  ur_engine_at_priority (engine, ur_engine_now (engine), self->priority, mark, &self->child);
}

static void test_order_from_handlers (void)
{
  UrEngine *engine = ur_engine_new ();
  char text[16] = "";
  Log log = { text, 0 };
  Parent parents[3] = {
    { &log, 'a', UR_PRIORITY_LAST, { &log, 'x' } },
    { &log, 'b', UR_PRIORITY_NORMAL, { &log, 'y' } },
    { &log, 'c', UR_PRIORITY_FIRST, { &log, 'z' } },
  };

  for (int i = 0; i < 3; i++)
    ur_engine_at (engine, 100, parent, &parents[i]);
  ur_engine_run (engine, UR_TIME_NEVER);
  /* y comes behind c (same priority, later); z before y (smaller priority); x last of all. */
  CHECK (strcmp (text, "abczyx") == 0, "ran %s, expected abczyx", text);
  ur_engine_free (engine);
}

/* ---- cancel and handles ---- */

static void test_cancel (void)
{
  UrEngine *engine = ur_engine_new ();
  char text[16] = "";
  Log log = { text, 0 };
  Mark marks[6];
  UrEventHandle handle[6];

  for (int i = 0; i < 6; i++) {
    marks[i] = (Mark){ &log, (char) ('a' + i) };
    handle[i] = ur_engine_at (engine, i < 3 ? 0 : 100, mark, &marks[i]); /* three ready, three in the tree */
  }
  CHECK (ur_engine_pending (engine) == 6, "6 pending");
  CHECK (ur_engine_when (engine, handle[1]) == 0 && ur_engine_when (engine, handle[4]) == 100, "times by handle");
  CHECK (ur_engine_cancel (engine, handle[1]), "cancel in the middle of the ready ring");
  CHECK (ur_engine_cancel (engine, handle[4]), "cancel in the tree");
  CHECK (!ur_engine_cancel (engine, handle[1]), "a second cancel does nothing (ring)");
  CHECK (!ur_engine_cancel (engine, handle[4]), "a second cancel does nothing (tree)");
  CHECK (ur_engine_when (engine, handle[4]) == UR_TIME_NEVER, "time of a cancelled event");
  CHECK (ur_engine_pending (engine) == 4, "4 pending");
  ur_engine_run (engine, UR_TIME_NEVER);
  CHECK (strcmp (text, "acdf") == 0, "ran %s, expected acdf", text);
  CHECK (!ur_engine_cancel (engine, handle[0]), "an event that ran cannot be cancelled");
  CHECK (!ur_engine_cancel (engine, 0), "0 is no handle");
  CHECK (!ur_engine_cancel (engine, UINT64_MAX), "a handle that was never given out");
  ur_engine_free (engine);
}

static void test_handle_reuse (void)
{
  UrEngine *engine = ur_engine_new ();
  char text[4] = "";
  Log log = { text, 0 };
  Mark a = { &log, 'a' };
  GHashTable *seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  /* The slot comes back at once; no old handle may reach the new event. */
  for (int i = 0; i < 1000; i++) {
    UrEventHandle handle = ur_engine_at (engine, 1000, mark, &a), *key = g_new (UrEventHandle, 1);
    *key = handle;
    CHECK (handle != 0 && g_hash_table_add (seen, key), "handle %d is new", i);
    if (i < 999)
      ur_engine_cancel (engine, handle);
  }
  GHashTableIter iter;
  gpointer key;
  unsigned cancelled = 0;
  UrTime never = 0;
  g_hash_table_iter_init (&iter, seen);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    never += ur_engine_when (engine, *(UrEventHandle *) key) == UR_TIME_NEVER;
  CHECK (never == 999, "%u handles are stale, expected 999", (unsigned) never);
  g_hash_table_iter_init (&iter, seen);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    cancelled += ur_engine_cancel (engine, *(UrEventHandle *) key);
  CHECK (cancelled == 1 && ur_engine_pending (engine) == 0, "exactly the live one is cancelled");
  g_hash_table_destroy (seen);
  ur_engine_free (engine);
}

/* A handler that cancels itself, an event due at the same time, and one due later. */
typedef struct {
  UrEventHandle self, same, later;
  gboolean result[3];
} Killer;

static void kill_others (UrEngine *engine, void *data)
{
  Killer *killer = data;

  killer->result[0] = ur_engine_cancel (engine, killer->self);
  killer->result[1] = ur_engine_cancel (engine, killer->same);
  killer->result[2] = ur_engine_cancel (engine, killer->later);
}

static void test_cancel_from_handler (void)
{
  static const UrTime times[] = { 0, 50 }; /* ready ring, tree */

  for (size_t row = 0; row < G_N_ELEMENTS (times); row++) {
    UrEngine *engine = ur_engine_new ();
    char text[8] = "";
    Log log = { text, 0 };
    Mark a = { &log, 'a' }, b = { &log, 'b' }, c = { &log, 'c' };
    Killer killer = { 0 };

    killer.self = ur_engine_at (engine, times[row], kill_others, &killer);
    killer.same = ur_engine_at (engine, times[row], mark, &a);
    killer.later = ur_engine_at (engine, 60, mark, &b);
    ur_engine_at (engine, 70, mark, &c);
    ur_engine_run (engine, UR_TIME_NEVER);
    CHECK (!killer.result[0], "an event that runs cannot be cancelled (time %u)", (unsigned) times[row]);
    CHECK (killer.result[1] && killer.result[2], "the others can (time %u)", (unsigned) times[row]);
    CHECK (strcmp (text, "c") == 0, "ran %s, expected c", text);
    ur_engine_free (engine);
  }
}

/* A timer armed and cancelled over and over must not leave anything behind. */
static void test_cancel_leaves_nothing (void)
{
  UrEventQueue queue;

  ur_event_queue_init (&queue);
  uint32_t slots = queue.n_slots, ring = queue.ready_mask;
  for (unsigned i = 0; i < 100000; i++) {
    UrEventHandle timer = ur_event_queue_insert (&queue, i, i + 5 * UR_S, 128, NULL, NULL);
    UrEventHandle keep = ur_event_queue_insert (&queue, i, i, 128, NULL, NULL);
    UrEventHandle now = ur_event_queue_insert (&queue, i, i, 128, NULL, NULL);
    UrEventHandle last = ur_event_queue_insert (&queue, i, i, 128, NULL, NULL);
    gboolean all = ur_event_queue_cancel (&queue, now) && ur_event_queue_cancel (&queue, timer) &&
                   ur_event_queue_cancel (&queue, i % 2 ? keep : last) &&
                   ur_event_queue_cancel (&queue, i % 2 ? last : keep);
    if (!all || !ur_event_queue_ready_is_empty (&queue) || queue.ready_dead != 0) {
      CHECK (FALSE, "round %u leaves an entry behind", i);
      break;
    }
  }
  CHECK (queue.n_slots == slots && queue.ready_mask == ring && queue.n_pending == 0, "nothing grew");
  ur_event_queue_clear (&queue);
}

/* Tombstones in the middle of the ready ring are dropped instead of growing it without bound,
 * and the events that move then are still the ones their handles name. */
static void test_ready_ring_is_bounded (void)
{
  enum { ROUNDS = 10000, KEPT = 20 };
  UrEventQueue queue;
  UrEventHandle kept[KEPT], last = 0;
  UrTime time;
  UrEventFn fn;
  void *data;

  ur_event_queue_init (&queue);
  for (uintptr_t i = 0; i < ROUNDS; i++) {
    if (i % (ROUNDS / KEPT) == 0)
      kept[i / (ROUNDS / KEPT)] = ur_event_queue_insert (&queue, 7, 7, 128, NULL, (void *) (i / (ROUNDS / KEPT)));
    UrEventHandle next = ur_event_queue_insert (&queue, 7, 7, 128, NULL, (void *) 99);
    ur_event_queue_cancel (&queue, last); /* neither at the head nor at the tail */
    last = next;
  }
  ur_event_queue_cancel (&queue, last);
  CHECK (queue.n_pending == KEPT, "%u events are left, not %u", queue.n_pending, KEPT);
  CHECK (queue.ready_mask == 63, "the ring has grown to %u entries", queue.ready_mask + 1);
  for (uintptr_t i = 0; i < KEPT; i += 2)
    CHECK (ur_event_queue_cancel (&queue, kept[i]), "event %u is still there", (unsigned) i);
  for (uintptr_t i = 1; i < KEPT; i += 2)
    CHECK (ur_event_queue_take (&queue, 7, &time, &fn, &data) && (uintptr_t) data == i, "event %u is next",
           (unsigned) i);
  CHECK (!ur_event_queue_take (&queue, 7, &time, &fn, &data), "nothing else");
  ur_event_queue_clear (&queue);
}

/* ---- until and stop ---- */

static void stop (UrEngine *engine, void *data)
{
  mark (engine, data);
  ur_engine_stop (engine);
}

static void test_until (void)
{
  UrEngine *engine = ur_engine_new ();
  char text[16] = "";
  Log log = { text, 0 };
  Mark a = { &log, 'a' }, b = { &log, 'b' }, c = { &log, 'c' };

  CHECK (ur_engine_next (engine) == UR_TIME_NEVER, "nothing pending");
  ur_engine_run (engine, 5);
  CHECK (ur_engine_now (engine) == 0, "no event left: the clock stays at the last one");
  ur_engine_at (engine, 10, mark, &a);
  ur_engine_at (engine, 20, mark, &b);
  ur_engine_at (engine, 30, mark, &c);
  ur_engine_run (engine, 9);
  CHECK (ur_engine_now (engine) == 9 && log.n == 0 && ur_engine_next (engine) == 10, "before the first event");
  ur_engine_run (engine, 20);
  CHECK (ur_engine_now (engine) == 20 && strcmp (text, "ab") == 0, "an event at `until` runs");
  ur_engine_run (engine, 25);
  CHECK (ur_engine_now (engine) == 25 && log.n == 2 && ur_engine_pending (engine) == 1, "between events");
  ur_engine_run (engine, 1000);
  CHECK (ur_engine_now (engine) == 30 && log.n == 3, "no event left: the clock stays at the last one");
  ur_engine_free (engine);
  ur_engine_free (NULL);
}

static void test_stop (void)
{
  UrEngine *engine = ur_engine_new ();
  char text[16] = "";
  Log log = { text, 0 };
  Mark a = { &log, 'a' }, b = { &log, 'b' }, c = { &log, 'c' };

  ur_engine_at (engine, 10, mark, &a);
  ur_engine_at (engine, 20, stop, &b);
  ur_engine_at (engine, 20, mark, &c);
  ur_engine_run (engine, 100);
  CHECK (strcmp (text, "ab") == 0 && ur_engine_now (engine) == 20, "stops after the handler, the clock stays");
  CHECK (ur_engine_pending (engine) == 1, "the rest is still pending");
  ur_engine_stop (engine);
  ur_engine_run (engine, 100);
  CHECK (strcmp (text, "abc") == 0, "a stop outside a run has no effect on the next");
  ur_engine_free (engine);
}

/* ---- fast-forward ---- */

typedef struct {
  UrTime target; /* asked for by the handler at time 100 */
  UrTime other;  /* another pending event, UR_TIME_NEVER for none */
  UrTime until;
  gboolean stop;
  gboolean cancel_other; /* cancelled by the handler before it asks */
  gboolean add_now;      /* the handler schedules an event at its own time before it asks */
  gboolean expected;
  const char *name;
} Advance;

static const Advance advances[] = {
  { 150, UR_TIME_NEVER, UR_TIME_NEVER, FALSE, FALSE, FALSE, TRUE, "nothing else pending" },
  { 150, 151, UR_TIME_NEVER, FALSE, FALSE, FALSE, TRUE, "other event just after" },
  { 150, 150, UR_TIME_NEVER, FALSE, FALSE, FALSE, FALSE, "other event at the same time" },
  { 150, 120, UR_TIME_NEVER, FALSE, FALSE, FALSE, FALSE, "other event before" },
  { 150, 120, UR_TIME_NEVER, FALSE, TRUE, FALSE, TRUE, "other event before, but cancelled" },
  { 150, UR_TIME_NEVER, 150, FALSE, FALSE, FALSE, TRUE, "just at until" },
  { 151, UR_TIME_NEVER, 150, FALSE, FALSE, FALSE, FALSE, "past until" },
  { 150, 200, 149, FALSE, FALSE, FALSE, FALSE, "past until, other event later" },
  { 150, UR_TIME_NEVER, UR_TIME_NEVER, TRUE, FALSE, FALSE, FALSE, "stop asked for" },
  { 150, UR_TIME_NEVER, UR_TIME_NEVER, FALSE, FALSE, TRUE, FALSE, "an event at the current time is due" },
  { 100, UR_TIME_NEVER, UR_TIME_NEVER, FALSE, FALSE, FALSE, TRUE, "to the current time" },
  { 100, 100, UR_TIME_NEVER, FALSE, FALSE, FALSE, FALSE, "to the current time, another event due" },
};

typedef struct {
  const Advance *row;
  UrEventHandle other;
  gboolean result, second;
  UrTime now;
} AdvanceState;

static void ignore (UrEngine *engine, void *data)
{
  (void) engine;
  (void) data;
}

static void ask (UrEngine *engine, void *data)
{
  AdvanceState *state = data;

  if (state->row->cancel_other)
    ur_engine_cancel (engine, state->other);
  if (state->row->stop)
    ur_engine_stop (engine);
  if (state->row->add_now)
    ur_engine_at (engine, ur_engine_now (engine), ignore, NULL);
  state->result = ur_engine_try_advance (engine, state->row->target);
  state->now = ur_engine_now (engine);
  /* What was answered must not depend on being asked again. */
  state->second = ur_engine_try_advance (engine, state->now);
}

static void test_try_advance (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (advances); i++) {
    const Advance *row = &advances[i];
    UrEngine *engine = ur_engine_new ();
    AdvanceState state = { row, 0, FALSE, FALSE, 0 };

    CHECK (!ur_engine_try_advance (engine, 0), "%s: FALSE outside a run", row->name);
    ur_engine_at (engine, 100, ask, &state);
    if (row->other != UR_TIME_NEVER)
      state.other = ur_engine_at (engine, row->other, ignore, NULL);
    ur_engine_run (engine, row->until);
    CHECK (state.result == row->expected, "%s: %d, expected %d", row->name, state.result, row->expected);
    CHECK (state.now == (row->expected ? row->target : 100), "%s: clock at %u", row->name, (unsigned) state.now);
    if (row->expected)
      CHECK (state.second, "%s: standing still right after", row->name);
    ur_engine_free (engine);
  }
}

/* A chain of costs gives the same clock readings with and without fast-forward. */
typedef struct {
  UrTime step, last;
  unsigned left;
  gboolean forward;
  UrTime sum;
} Chain;

static void chain (UrEngine *engine, void *data)
{
  Chain *self = data;

  for (;;) {
    self->sum = self->sum * 31 + ur_engine_now (engine);
    self->last = ur_engine_now (engine);
    if (self->left-- == 0)
      return;
    UrTime when = ur_engine_now (engine) + self->step;
    if (!self->forward || !ur_engine_try_advance (engine, when)) {
      ur_engine_at (engine, when, chain, self);
      return;
    }
  }
}

static void test_advance_changes_nothing (void)
{
  UrTime sum[2], now[2];
  uint64_t events[2];

  for (int forward = 0; forward < 2; forward++) {
    UrEngine *engine = ur_engine_new ();
    Chain chains[3] = { { 7, 0, 500, forward, 0 }, { 11, 0, 400, forward, 0 }, { 1000, 0, 20, forward, 0 } };
    for (int i = 0; i < 3; i++)
      ur_engine_at (engine, 0, chain, &chains[i]);
    ur_engine_run (engine, UR_TIME_NEVER);
    sum[forward] = chains[0].sum ^ chains[1].sum ^ chains[2].sum;
    now[forward] = ur_engine_now (engine);
    events[forward] = ur_engine_events (engine);
    ur_engine_free (engine);
  }
  CHECK (sum[0] == sum[1] && now[0] == now[1] && now[0] == 20000, "clock readings are the same");
  CHECK (events[0] == events[1] && events[0] == 923, "%u and %u events, expected 923", (unsigned) events[0],
         (unsigned) events[1]);
}

/* ---- against a sorted list ---- */

enum { N_MODEL = 400 };

typedef struct Token Token;
typedef struct {
  UrTime when;
  unsigned priority, serial;
  UrEventHandle handle;
  Token *token;
} ModelEvent;

typedef struct {
  UrRandom random;
  ModelEvent list[N_MODEL]; /* pending, in no order */
  unsigned n, serial, target, budget;
  unsigned errors, runs, cancels, advances;
} Model;

struct Token {
  Model *model;
  unsigned serial;
};

static int precedes (const ModelEvent *a, const ModelEvent *b)
{
  if (a->when != b->when)
    return a->when < b->when;
  if (a->priority != b->priority)
    return a->priority < b->priority;
  return a->serial < b->serial;
}

static unsigned model_first (const Model *model)
{
  unsigned first = 0;

  for (unsigned i = 1; i < model->n; i++)
    if (precedes (&model->list[i], &model->list[first]))
      first = i;
  return first;
}

static void model_step (UrEngine *engine, void *data);

static void model_add (Model *model, UrEngine *engine)
{
  static const unsigned priorities[] = { 0, 127, 128, 128, 128, 255 };
  Token *token = g_new (Token, 1);
  ModelEvent event = { .serial = model->serial++ };
  unsigned kind = (unsigned) ur_random_below (&model->random, 4);
  UrTime delay = kind == 0   ? 0
                 : kind == 1 ? ur_random_below (&model->random, 4)
                 : kind == 2 ? ur_random_below (&model->random, 1000)
                             : ur_random_below (&model->random, 5 * UR_S);

  event.when = ur_engine_now (engine) + delay;
  event.priority = priorities[ur_random_below (&model->random, G_N_ELEMENTS (priorities))];
  *token = (Token){ model, event.serial };
  event.token = token;
  if (event.priority == UR_PRIORITY_NORMAL)
    event.handle = ur_engine_at (engine, event.when, model_step, token);
  else
    event.handle = ur_engine_at_priority (engine, event.when, event.priority, model_step, token);
  model->list[model->n++] = event;
}

static void model_cancel (Model *model, UrEngine *engine)
{
  ModelEvent *victim = &model->list[ur_random_below (&model->random, model->n)];

  model->errors += ur_engine_when (engine, victim->handle) != victim->when;
  model->errors += !ur_engine_cancel (engine, victim->handle);
  model->errors += ur_engine_cancel (engine, victim->handle);
  g_free (victim->token);
  *victim = model->list[--model->n];
  model->cancels++;
}

static void model_advance (Model *model, UrEngine *engine)
{
  UrTime when = ur_engine_now (engine) + ur_random_below (&model->random, 3);
  UrTime next = model->n > 0 ? model->list[model_first (model)].when : UR_TIME_NEVER;
  gboolean moved = ur_engine_try_advance (engine, when);

  model->errors += moved != (when < next);
  model->errors += moved && ur_engine_now (engine) != when;
  model->advances += (unsigned) moved;
}

/* Runs as an event: must be the one that the list says, at its time; then random operations. */
static void model_step (UrEngine *engine, void *data)
{
  Token *token = data;
  Model *model = token->model;
  unsigned first = model_first (model);

  model->errors +=
      model->n == 0 || model->list[first].serial != token->serial || model->list[first].when != ur_engine_now (engine);
  g_free (token);
  if (model->n > 0) {
    UrEventHandle handle = model->list[first].handle;
    model->errors += ur_engine_cancel (engine, handle);
    model->list[first] = model->list[--model->n];
  }
  model->runs++;
  model->errors += ur_engine_pending (engine) != model->n;
  if (model->budget == 0)
    return;
  model->budget--;
  for (unsigned operations = (unsigned) ur_random_below (&model->random, 6); operations > 0; operations--) {
    unsigned kind = (unsigned) ur_random_below (&model->random, 8);
    if (kind < 4 && model->n < model->target)
      model_add (model, engine);
    else if (kind == 4 && model->n > 1)
      model_cancel (model, engine);
    else if (kind >= 6)
      model_advance (model, engine);
    UrTime next = model->n > 0 ? model->list[model_first (model)].when : UR_TIME_NEVER;
    model->errors += ur_engine_next (engine) != next;
  }
  while (model->n < 2)
    model_add (model, engine);
}

static void test_against_list (void)
{
  static const unsigned targets[] = { 3, 20, N_MODEL };

  for (size_t i = 0; i < G_N_ELEMENTS (targets); i++) {
    UrEngine *engine = ur_engine_new ();
    Model *model = g_new0 (Model, 1);

    ur_random_init_indexed (&model->random, 1, "against-list", i);
    model->target = targets[i];
    model->budget = 20000;
    model_add (model, engine);
    ur_engine_run (engine, UR_TIME_NEVER);
    CHECK (model->errors == 0, "up to %u pending: %u disagreements with the list", targets[i], model->errors);
    CHECK (model->runs >= 20000 && model->n == 0, "up to %u pending: everything ran", targets[i]);
    CHECK (model->cancels > 1000 && model->advances > 100, "up to %u pending: %u cancels and %u advances were tried",
           targets[i], model->cancels, model->advances);
    g_free (model);
    ur_engine_free (engine);
  }
}

/* Sequence numbers run out after 2^32 events: order must survive the renumbering. */
static void test_renumbering (void)
{
  enum { N = 300 };
  static const unsigned points[] = { 1, 5, N / 2, N - 40, N - 1 }; /* how many are pending when it happens */

  for (size_t row = 0; row < G_N_ELEMENTS (points); row++) {
    UrEventQueue queue;
    UrTime time;
    UrEventFn fn;
    void *data;
    ur_event_queue_init (&queue);
    queue.sequence = ((uint64_t) 1 << UR_SEQUENCE_BITS) - points[row];
    /* Odd ones at the current time (ready ring), even ones later (tree). */
    for (uintptr_t i = 0; i < N; i++)
      ur_event_queue_insert (&queue, 5, i % 2 ? 5 : 9, 128, NULL, (void *) i);
    CHECK (queue.sequence == N, "after %u: the next sequence number is %u", points[row], (unsigned) queue.sequence);
    for (uintptr_t i = 0; i < N; i++) {
      uintptr_t expected = i < N / 2 ? 2 * i + 1 : 2 * (i - N / 2);
      if (!ur_event_queue_take (&queue, UR_TIME_NEVER, &time, &fn, &data) || (uintptr_t) data != expected) {
        CHECK (FALSE, "after %u: event %u out of order", points[row], (unsigned) i);
        break;
      }
    }
    CHECK (!ur_event_queue_take (&queue, UR_TIME_NEVER, &time, &fn, &data), "empty at the end");
    CHECK (time == UR_TIME_NEVER, "no next time");
    ur_event_queue_clear (&queue);
  }
}

/* The same with an event just taken whose leaf is still in the tree. */
static void test_renumbering_in_handler (void)
{
  UrEventQueue queue;
  UrTime time;
  UrEventFn fn;
  void *data;

  ur_event_queue_init (&queue);
  for (uintptr_t i = 0; i < 10; i++)
    ur_event_queue_insert (&queue, 0, 10, 128, NULL, (void *) i);
  CHECK (ur_event_queue_take (&queue, 10, &time, &fn, &data) && data == NULL, "the first");
  queue.sequence = (uint64_t) 1 << UR_SEQUENCE_BITS;
  ur_event_queue_insert (&queue, 10, 11, 0, NULL, (void *) 10);
  for (uintptr_t i = 1; i <= 10; i++)
    CHECK (ur_event_queue_take (&queue, 11, &time, &fn, &data) && (uintptr_t) data == i, "event %u", (unsigned) i);
  CHECK (queue.n_pending == 0, "empty at the end");
  ur_event_queue_clear (&queue);
}

/* More events than the first allocation, scheduled from outside and from a handler. */
static void test_growth (void)
{
  enum { N = 5000 };
  UrEngine *engine = ur_engine_new ();
  char *text = g_new0 (char, 2 * N + 1);
  Log log = { text, 0 };
  Mark a = { &log, 'a' }, b = { &log, 'b' };

  for (int i = 0; i < N; i++) {
    ur_engine_at (engine, (UrTime) (N - i), mark, &a);
    ur_engine_at (engine, 0, mark, &b);
  }
  CHECK (ur_engine_pending (engine) == 2 * N, "all pending");
  ur_engine_run (engine, UR_TIME_NEVER);
  CHECK (strspn (text, "b") == N && strspn (text + N, "a") == N, "the ready ones first");
  CHECK (ur_engine_now (engine) == N, "the last one last");
  g_free (text);
  ur_engine_free (engine);
}

void register_engine_tests (void)
{
  CU_pSuite suite = check_new_suite ("engine");

  check_add_test (suite, "order: time, priority, sequence", test_order);
  check_add_test (suite, "order of events scheduled by handlers", test_order_from_handlers);
  check_add_test (suite, "cancel", test_cancel);
  check_add_test (suite, "cancel from a handler", test_cancel_from_handler);
  check_add_test (suite, "handles are never reused", test_handle_reuse);
  check_add_test (suite, "cancel leaves nothing behind", test_cancel_leaves_nothing);
  check_add_test (suite, "the ready ring is bounded", test_ready_ring_is_bounded);
  check_add_test (suite, "until", test_until);
  check_add_test (suite, "stop", test_stop);
  check_add_test (suite, "fast-forward rules", test_try_advance);
  check_add_test (suite, "fast-forward changes nothing", test_advance_changes_nothing);
  check_add_test (suite, "against a sorted list", test_against_list);
  check_add_test (suite, "renumbering", test_renumbering);
  check_add_test (suite, "renumbering while an event runs", test_renumbering_in_handler);
  check_add_test (suite, "growth", test_growth);
}
