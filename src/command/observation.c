/* What is seen in a stream of events; see observation.h. */
#include "src/command/observation.h"
#include <string.h>

enum {
  BATCHES = 2,          /* of a stream whose order is kept */
  STEPS_OF_REQUEST = 8, /* kept on average: more is no trace of a kernel */
  EXCERPT_BEFORE = 3,
  EXCERPT = 8,
};

/* An event of a submitter, for the order. */
typedef struct {
  char letter;
  gboolean punted; /* of a request that was queued before */
  uint64_t request;
} Step;

typedef struct {
  gboolean has_submitter;
  unsigned submitter; /* task */
  ObservedStream known;
  GArray *steps; /* of Step */
} Stream;

/* A request in flight. */
typedef struct {
  uint64_t key;
  unsigned n;
  char letters[OBSERVED_EVENTS_MAX + 2];
} Life;

typedef struct {
  gboolean seen;
  uint64_t switched_to, switched_from, posted;
  uint64_t late_to, late_from; /* switches since the last completion */
} Thread;

struct Observation {
  ObservedCounts counts;
  GArray *known;         /* of ObservedStream */
  GPtrArray *streams;    /* of Stream, by ring */
  GHashTable *lives;     /* of Life, by key */
  GHashTable *sequences; /* letters -> count */
  GArray *threads;       /* of Thread, by task */
  GArray *late;          /* of unsigned: the tasks that have late switches */
  gboolean started;
};

const char *observed_event_name (char letter)
{
  switch (letter) {
#define OBSERVED_EVENT_NAME(character, name) \
  case character:                            \
    return name;
    OBSERVED_EVENTS (OBSERVED_EVENT_NAME)
  }
  g_assert_not_reached ();
}

static void stream_free (gpointer data)
{
  Stream *stream = data;

  g_array_unref (stream->steps);
  g_free (stream);
}

Observation *observation_new (const ObservedStream *streams, unsigned n)
{
  Observation *observation = g_new0 (Observation, 1);

  g_return_val_if_fail (n > 0, NULL);
  observation->known = g_array_new (FALSE, FALSE, sizeof (ObservedStream));
  g_array_append_vals (observation->known, streams, n);
  observation->streams = g_ptr_array_new_with_free_func (stream_free);
  observation->lives = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  observation->sequences = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  observation->threads = g_array_new (FALSE, TRUE, sizeof (Thread));
  observation->late = g_array_new (FALSE, FALSE, sizeof (unsigned));
  return observation;
}

void observation_free (Observation *observation)
{
  if (!observation) {
    return;
  }
  g_array_unref (observation->known);
  g_ptr_array_unref (observation->streams);
  g_hash_table_unref (observation->lives);
  g_hash_table_unref (observation->sequences);
  g_array_unref (observation->threads);
  g_array_unref (observation->late);
  g_free (observation);
}

/* ---- collecting ---- */

static Thread *thread_of (Observation *observation, unsigned task)
{
  if (task >= observation->threads->len) {
    g_array_set_size (observation->threads, task + 1);
  }
  return &g_array_index (observation->threads, Thread, task);
}

static Stream *stream_of (Observation *observation, unsigned ring)
{
  while (observation->streams->len <= ring) {
    Stream *stream = g_new0 (Stream, 1);
    const unsigned index = MIN (observation->streams->len, observation->known->len - 1);
    stream->known = g_array_index (observation->known, ObservedStream, index);
    stream->steps = g_array_new (FALSE, FALSE, sizeof (Step));
    g_ptr_array_add (observation->streams, stream);
  }
  return observation->streams->pdata[ring];
}

static void count_sequence (Observation *observation, const char *letters)
{
  uint64_t *count = g_hash_table_lookup (observation->sequences, letters);

  if (!count && g_hash_table_size (observation->sequences) >= OBSERVED_SEQUENCES_MAX) {
    letters = "+";
    count = g_hash_table_lookup (observation->sequences, letters);
  }
  if (!count) {
    count = g_new0 (uint64_t, 1);
    g_hash_table_insert (observation->sequences, g_strdup (letters), count);
  }
  ++*count;
}

static gboolean is_punted (const Life *life) { return strpbrk (life->letters, "hn") != NULL; }

/* Ring and request in one number: 16 bits are more rings than a reader knows. */
static uint64_t key_of (const Tracepoint *event)
{
  return (uint64_t) event->ring << 48 | (event->request & (((uint64_t) 1 << 48) - 1));
}

static Life *life_of (Observation *observation, const Tracepoint *event)
{
  const uint64_t key = key_of (event);
  Life *life = g_hash_table_lookup (observation->lives, &key);

  if (!life) {
    life = g_new0 (Life, 1);
    life->key = key;
    g_hash_table_insert (observation->lives, &life->key, life);
  }
  return life;
}

static void end_life (Observation *observation, Life *life)
{
  count_sequence (observation, life->letters);
  observation->counts.punted += is_punted (life);
  observation->counts.hashed += strchr (life->letters, 'h') != NULL;
  g_hash_table_remove (observation->lives, &life->key);
}

static char letter_of (const Tracepoint *event)
{
  switch (event->kind) {
  case TRACEPOINT_SUBMIT:
    return 's';
  case TRACEPOINT_QUEUE_ASYNC_WORK:
    return event->hashed ? 'h' : 'n';
  case TRACEPOINT_TASK_ADD:
    return 'a';
  case TRACEPOINT_POLL_ARM:
    return 'p';
  case TRACEPOINT_COMPLETE:
    return 'c';
  default:
    return 0;
  }
}

/* Kept until the stream has submitted what the order is about. */
static void add_step (Stream *stream, const Tracepoint *event, char letter, gboolean punted)
{
  if (letter == 's' && !stream->has_submitter) {
    stream->has_submitter = TRUE;
    stream->submitter = event->task;
  }
  const guint n = stream->steps->len;
  const gboolean over = (n > 0 && g_array_index (stream->steps, Step, n - 1).letter == 0) ||
                        n >= (guint64) BATCHES * STEPS_OF_REQUEST * stream->known.depth;
  if (!stream->has_submitter || event->task != stream->submitter || over) {
    return;
  }
  Step step = { .letter = letter, .punted = punted, .request = event->request };
  if (letter == 's' && event->request >= (uint64_t) BATCHES * stream->known.depth) {
    step.letter = 0;
  }
  g_array_append_val (stream->steps, step);
}

static Thread *late_thread (Observation *observation, unsigned task)
{
  Thread *thread = thread_of (observation, task);

  if (!thread->late_to && !thread->late_from) {
    g_array_append_val (observation->late, task);
  }
  return thread;
}

static void add_switch (Observation *observation, const Tracepoint *event)
{
  observation->counts.has_switches = TRUE;
  if (observation->started) {
    late_thread (observation, event->task)->late_from++;
    late_thread (observation, event->other)->late_to++;
  }
}

/* A completion: the switches before it count. */
static void settle_switches (Observation *observation)
{
  for (unsigned i = 0; i < observation->late->len; i++) {
    Thread *thread = thread_of (observation, g_array_index (observation->late, unsigned, i));
    thread->switched_to += thread->late_to;
    thread->switched_from += thread->late_from;
    thread->late_to = thread->late_from = 0;
  }
  g_array_set_size (observation->late, 0);
}

static void add_request_event (Observation *observation, const Tracepoint *event, char letter)
{
  Life *life = life_of (observation, event);

  add_step (stream_of (observation, event->ring), event, letter, is_punted (life));
  if (life->n < OBSERVED_EVENTS_MAX || letter == 'c') {
    life->letters[life->n] = letter;
    life->n += letter != 'c';
  } else {
    life->letters[life->n] = '+';
  }
  if (letter == 's') {
    observation->counts.submitted++;
    observation->started = TRUE;
  }
  if (letter != 'c') {
    return;
  }
  thread_of (observation, event->task)->posted++;
  settle_switches (observation);
  end_life (observation, life);
}

void observation_add (Observation *observation, const Tracepoint *event)
{
  const char letter = letter_of (event);

  thread_of (observation, event->task)->seen = TRUE;
  thread_of (observation, event->other)->seen = TRUE;
  if (letter) {
    if (event->request != TRACEPOINT_NO_REQUEST) {
      add_request_event (observation, event, letter);
    }
  } else if (event->kind == TRACEPOINT_SCHED_SWITCH) {
    add_switch (observation, event);
  }
}

void observation_end (Observation *observation, TaskRole (*role) (unsigned task, gconstpointer data),
                      gconstpointer data)
{
  ObservedCounts *counts = &observation->counts;
  uint64_t to = 0, from = 0;
  g_autoptr (GList) open = g_hash_table_get_values (observation->lives);

  for (GList *item = open; item; item = item->next) {
    end_life (observation, item->data);
  }
  for (unsigned task = 0; task < observation->threads->len; task++) {
    const Thread *thread = &g_array_index (observation->threads, Thread, task);
    const TaskRole is = thread->seen ? role (task, data) : TASK_ROLE_OTHER;
    counts->workers += is == TASK_ROLE_WORKER;
    counts->posted_by_worker += is == TASK_ROLE_WORKER ? thread->posted : 0;
    to += is != TASK_ROLE_OTHER ? thread->switched_to : 0;
    from += is != TASK_ROLE_OTHER ? thread->switched_from : 0;
  }
  counts->switches = MAX (to, from);
}

const ObservedCounts *observation_counts (const Observation *observation) { return &observation->counts; }

uint64_t observation_sequence (const Observation *observation, const char *letters)
{
  const uint64_t *count = g_hash_table_lookup (observation->sequences, letters);

  return count ? *count : 0;
}

static int compare_letters (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *observation_sequences (const Observation *a, const Observation *b)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer letters;

  g_hash_table_iter_init (&iter, a->sequences);
  while (g_hash_table_iter_next (&iter, &letters, NULL)) {
    g_ptr_array_add (all, g_strdup (letters));
  }
  g_hash_table_iter_init (&iter, b->sequences);
  while (g_hash_table_iter_next (&iter, &letters, NULL)) {
    if (!observation_sequence (a, letters)) {
      g_ptr_array_add (all, g_strdup (letters));
    }
  }
  g_ptr_array_sort (all, compare_letters);
  return all;
}

/* ---- order ---- */

/* The steps until `batches` times the depth were submitted; with `settled`, without completions that hang on a worker
 * or a device.
 * (transfer full) (element-type Step) */
static GArray *steps_of (const Stream *stream, unsigned batches, gboolean settled)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (Step));

  for (unsigned i = 0; i < stream->steps->len; i++) {
    const Step *step = &g_array_index (stream->steps, Step, i);
    if (step->letter == 0 || (step->letter == 's' && step->request >= (uint64_t) batches * stream->known.depth)) {
      break;
    }
    if (!settled || step->letter != 'c' || !(step->punted || stream->known.device)) {
      g_array_append_val (steps, *step);
    }
  }
  return steps;
}

static gboolean step_equal (const GArray *a, const GArray *b, unsigned i)
{
  const Step *x = &g_array_index (a, Step, i), *y = &g_array_index (b, Step, i);

  return x->letter == y->letter && x->request == y->request;
}

/* Index of the first difference; the length of both if there is none. */
static unsigned first_difference (const GArray *a, const GArray *b)
{
  unsigned i = 0;

  while (i < a->len && i < b->len && step_equal (a, b, i)) {
    i++;
  }
  return i;
}

static gboolean steps_equal (const GArray *a, const GArray *b)
{
  return a->len == b->len && first_difference (a, b) == a->len;
}

static unsigned submitted_before_completion (const GArray *steps)
{
  unsigned n = 0;

  for (unsigned i = 0; i < steps->len && g_array_index (steps, Step, i).letter != 'c'; i++) {
    n += g_array_index (steps, Step, i).letter == 's';
  }
  return n;
}

/* The completions of hashed requests. (transfer full) (element-type Step) */
static GArray *hashed_completions (const GArray *steps)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Step));
  g_autoptr (GHashTable) hashed = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (unsigned i = 0; i < steps->len; i++) {
    Step *step = &g_array_index (steps, Step, i);
    if (step->letter == 'h') {
      g_hash_table_add (hashed, &step->request);
    } else if (step->letter == 'c' && g_hash_table_contains (hashed, &step->request)) {
      g_array_append_val (found, *step);
    }
  }
  return found;
}

static gboolean equivalent (const Stream *real, const Stream *simulated, const GArray *a, const GArray *b,
                            unsigned batches, gboolean any_early)
{
  g_autoptr (GArray) settled_a = steps_of (real, batches, TRUE), settled_b = steps_of (simulated, batches, TRUE);
  g_autoptr (GArray) hashed_a = hashed_completions (a), hashed_b = hashed_completions (b);

  return steps_equal (settled_a, settled_b) &&
         (any_early || submitted_before_completion (a) == submitted_before_completion (b)) &&
         (hashed_a->len > 0) == (hashed_b->len > 0) &&
         (real->known.files > 1 || first_difference (hashed_a, hashed_b) == MIN (hashed_a->len, hashed_b->len));
}

static const char *step_name (char letter)
{
  return letter == 's' ? "submit" : letter == 'h' ? "hash" : letter == 'n' ? "queue" : observed_event_name (letter);
}

static char *excerpt (const GArray *steps, unsigned at)
{
  const unsigned from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
  GString *text = g_string_new (from > 0 ? "... " : "");

  for (unsigned i = from; i < steps->len && i < from + EXCERPT; i++) {
    const Step *step = &g_array_index (steps, Step, i);
    g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT, i > from ? ", " : "", step_name (step->letter),
                            step->request);
  }
  g_string_append (text, steps->len > from + EXCERPT ? ", ..." : " (end)");
  return g_string_free (text, FALSE);
}

unsigned observation_streams (const Observation *observation) { return observation->streams->len; }

unsigned observation_early (const Observation *observation, unsigned stream, unsigned batches)
{
  if (stream >= observation->streams->len) {
    return 0;
  }
  g_autoptr (GArray) steps = steps_of (observation->streams->pdata[stream], batches, FALSE);
  return submitted_before_completion (steps);
}

ObservedOrder observation_compare_order (const Observation *real, const Observation *simulated, unsigned batches,
                                         gboolean any_early, char **ret_real, char **ret_simulated)
{
  ObservedOrder order = ORDER_SAME;
  const unsigned n = MAX (real->streams->len, simulated->streams->len);
  g_autoptr (GArray) no_steps = g_array_new (FALSE, FALSE, sizeof (Step));
  const Stream nothing = { .known = { .depth = 1, .files = 1 }, .steps = no_steps };

  *ret_real = *ret_simulated = NULL;
  for (unsigned i = 0; i < n; i++) {
    const Stream *a = i < real->streams->len ? real->streams->pdata[i] : &nothing;
    const Stream *b = i < simulated->streams->len ? simulated->streams->pdata[i] : &nothing;
    g_autoptr (GArray) steps_a = steps_of (a, batches, FALSE), steps_b = steps_of (b, batches, FALSE);
    if (steps_equal (steps_a, steps_b)) {
      continue;
    }
    const ObservedOrder found =
        equivalent (a, b, steps_a, steps_b, batches, any_early) ? ORDER_EQUIVALENT : ORDER_DIFFERENT;
    if (found > order) {
      const unsigned at = first_difference (steps_a, steps_b);
      order = found;
      g_free (*ret_real);
      g_free (*ret_simulated);
      *ret_real = excerpt (steps_a, at);
      *ret_simulated = excerpt (steps_b, at);
    }
  }
  return order;
}
