/*
 * The narrated life of requests (explain.h): every event has words on every kernel, every stamp is one of the record,
 * and the tracepoints that are named are those that the run's own trace has, request by request.
 */
#include "model/simulation.h"
#include "src/output/explain.h"
#include "tests/random_run.h"
#include "tests/row.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <glib/gstdio.h>
#include <string.h>

#define RUNS 40u

static void test_words (void)
{
  static const unsigned kernels[] = { KERNEL (5, 1),  KERNEL (5, 3),  KERNEL (5, 4),  KERNEL (5, 5),  KERNEL (5, 8),
                                      KERNEL (5, 9),  KERNEL (5, 10), KERNEL (5, 15), KERNEL (5, 16), KERNEL (5, 18),
                                      KERNEL (5, 19), KERNEL (6, 1),  KERNEL (6, 18) };
  static const char *const file_systems[] = {
    "ext4", "ext4-journal", "xfs", "btrfs", "f2fs", "tmpfs", "block", "mine"
  };

  for (unsigned k = 0; k < G_N_ELEMENTS (kernels); k++) {
    for (unsigned event = 0; event < EXPLAIN_EVENTS; event++) {
      const ExplainWords *row = explain_words ((ExplainEvent) event, kernels[k]);

      ROW_CHECK (row && row->event == event && *row->words && g_str_has_suffix (row->words, "."), "event %u on %u",
                 event, kernels[k]);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS (file_systems); i++)
      for (IoOp op = 0; op < IO_OPS; op++)
        ROW_CHECK (g_str_has_suffix (explain_fs_function (file_systems[i], op, kernels[k]), "()"), "%s",
                   file_systems[i]);
  }
  CU_ASSERT_STRING_EQUAL (explain_fs_function ("xfs", IO_WRITE, KERNEL (6, 1)), "xfs_file_write_iter()");
  CU_ASSERT_STRING_EQUAL (explain_fs_function ("tmpfs", IO_WRITE, KERNEL (6, 5)), "generic_file_write_iter()");
  CU_ASSERT_STRING_EQUAL (explain_words (EXPLAIN_QUEUED_HASHED, KERNEL (5, 18))->function, "io_queue_async_work()");
  CU_ASSERT_STRING_EQUAL (explain_words (EXPLAIN_QUEUED_HASHED, KERNEL (5, 19))->function, "io_queue_iowq()");
}

/* What is told of each request: what its steps name, and what the trace showed of it before. */
typedef struct {
  GHashTable *traced, *named; /* stream << 40 | number -> GString of letters */
  ExplainContext context;
  unsigned lives, strange_stamps, disorder, differ;
} Listener;

static gpointer key_of (unsigned stream, uint64_t number) { return GSIZE_TO_POINTER ((gsize) stream << 40 | number); }

static void on_trace (const TraceEvent *event, void *data)
{
  Listener *listener = data;
  GString *letters;
  const char letter = event->kind == TRACE_SUBMIT_REQ         ? 's'
                      : event->kind == TRACE_QUEUE_ASYNC_WORK ? 'q'
                      : event->kind == TRACE_COMPLETE         ? 'c'
                                                              : 0;

  if (!letter)
    return;
  letters = g_hash_table_lookup (listener->traced, key_of (event->application, event->request));
  if (!letters) {
    letters = g_string_new (NULL);
    g_hash_table_insert (listener->traced, key_of (event->application, event->request), letters);
  }
  g_string_append_c (letters, letter);
}

static gboolean is_stamp (const RequestTimes *time, UrTime ns)
{
  const UrTime stamps[] = { time->prepared, time->submitted, time->attempt,     time->verdict,
                            time->queued,   time->started,   time->lock_wanted, time->lock_got,
                            time->done,     time->posted,    time->reaped };

  for (unsigned i = 0; i < G_N_ELEMENTS (stamps); i++)
    if (stamps[i] == ns)
      return TRUE;
  return FALSE;
}

static void on_life (const RequestLife *life, void *data)
{
  Listener *listener = data;
  ExplainedLife explained = { .life = *life, .executor_name = "x" };
  g_autoptr (GArray) steps = explain_steps (&explained, &listener->context);
  g_autofree char *text = explain_text (&explained, &listener->context);
  g_autoptr (GString) named = g_string_new (NULL);
  UrTime before = 0;

  listener->lives++;
  for (unsigned i = 0; i < steps->len; i++) {
    const ExplainStep *step = &g_array_index (steps, ExplainStep, i);

    listener->strange_stamps += !is_stamp (&life->time, step->time);
    listener->disorder += step->time < before;
    before = step->time;
    if (step->tracepoint)
      g_string_append_c (named, strstr (step->tracepoint, "submit")  ? 's'
                                : strstr (step->tracepoint, "queue") ? 'q'
                                                                     : 'c');
    ROW_CHECK (!strchr (step->text, '$'), "a name is left in \"%s\"", step->text);
  }
  g_hash_table_insert (listener->named, key_of (life->stream, life->number), g_steal_pointer (&named));
}

/* Requests that were told of, and whose trace is another one: compared at the end, as who posts a completion may be
 * ahead of who reaps it. */
static unsigned count_differing (const Listener *listener)
{
  GHashTableIter iter;
  gpointer key, value;
  unsigned n = 0;

  g_hash_table_iter_init (&iter, listener->named);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    const GString *traced = g_hash_table_lookup (listener->traced, key);

    n += traced && !g_string_equal (traced, value);
  }
  return n;
}

static void free_letters (gpointer letters) { g_string_free (letters, TRUE); }

static void check_run (const RandomRun *run, const char *directory, unsigned *ret_lives)
{
  g_autofree char *row = random_run_repeat (run);
  g_autoptr (GError) error = NULL;
  WordsRun words;
  RunResult *result;
  Listener listener = { .traced = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, free_letters),
                        .named = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, free_letters) };

  if (ROW_CHECK (words_run_open_random (&words, run, directory, &error), "%s; %s", row_error (error), row)) {
    listener.context = (ExplainContext){ .workload = words.setup.workload,
                                         .policy = words.setup.policy,
                                         .fs = words.setup.file_system->name,
                                         .kernel = run->kernel,
                                         .verbose = 2 };
    words.setup.trace = on_trace;
    words.setup.life = on_life;
    words.setup.trace_data = words.setup.life_data = &listener;
    result = simulation_run (&words.setup, &error);
    ROW_CHECK (result, "%s; %s", row_error (error), row);
    listener.differ = count_differing (&listener);
    ROW_CHECK (!listener.strange_stamps && !listener.disorder, "%u stamps that are no record's, %u out of order; %s",
               listener.strange_stamps, listener.disorder, row);
    /* what fails or has no CQE has other events */
    ROW_CHECK (run->may_fail || run->skips || !listener.differ, "%u of %u lives name other tracepoints; %s",
               listener.differ, listener.lives, row);
    *ret_lives += listener.lives;
    run_result_free (result);
  }
  words_run_clear (&words);
  g_hash_table_unref (listener.traced);
  g_hash_table_unref (listener.named);
}

static void test_random_lives (void)
{
  g_autofree char *directory = g_dir_make_tmp ("uringsim-explain-XXXXXX", NULL);
  unsigned lives = 0;

  for (unsigned i = 0; i < RUNS; i++) {
    g_autoptr (RandomRun) run = random_run_new (i * 11 + 3);

    check_run (run, directory, &lives);
    random_run_remove (run, directory);
  }
  CU_ASSERT (lives > 2000);
  g_rmdir (directory);
}

void register_explain_tests (void)
{
  CU_pSuite suite = CU_add_suite ("explain", NULL, NULL);

  CU_add_test (suite, "words for every event and kernel", test_words);
  CU_add_test (suite, "stamps and tracepoints of random runs", test_random_lives);
}
