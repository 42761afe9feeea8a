/*
 * The event log (event_log.h): trace text that the project's own reader of kernel traces reads back to the same
 * requests, ways and latencies; and a file for Perfetto in which all that begins ends, and which stays below its limit.
 */
#include "src/input/tracepoint.h"
#include "src/output/event_log.h"
#include "tests/row.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <glib/gstdio.h>
#include <string.h>

/* What the run itself told. */
typedef struct {
  EventLog *log;
  uint64_t lives, queued, hashed, time; /* time: from the attempt to the completion, over all */
} Told;

static void on_life (const RequestLife *life, void *data)
{
  Told *told = data;

  told->lives++;
  told->queued += life->time.queued != 0;
  told->hashed += life->time.queued && life->hashed;
  told->time += life->time.posted - life->time.attempt;
  event_log_add_life (life, told->log);
}

static void on_event (const TraceEvent *event, void *data) { event_log_add (event, ((Told *) data)->log); }

/* Runs the words with a log; its text. (transfer full) */
static char *run_logged (const char *const *words, const EventLogOptions *options, Told *told, UrTime *ret_cut)
{
  g_autofree char *directory = g_dir_make_tmp ("uringsim-events-XXXXXX", NULL),
                  *path = g_build_filename (directory, "log", NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  WordsRun run;
  RunResult *result;

  *told = (Told){ .lives = 0 };
  CU_ASSERT_FATAL (words_run_open (&run, words, &error));
  told->log = event_log_new (path, options, run.setup.workload, &error);
  CU_ASSERT_FATAL (told->log != NULL);
  run.setup.trace = on_event;
  run.setup.life = on_life;
  run.setup.trace_data = run.setup.life_data = told;
  result = simulation_run (&run.setup, &error);
  CU_ASSERT_FATAL (result != NULL);
  CU_ASSERT (event_log_finish (told->log, result, ret_cut, &error));
  CU_ASSERT (g_file_get_contents (path, &text, NULL, &error));
  event_log_free (told->log);
  run_result_free (result);
  words_run_clear (&run);
  g_unlink (path);
  g_rmdir (directory);
  return text;
}

/* Requests, punts and times of the text, as a reader of real traces finds them. */
static void read_back (const char *text, const Told *told, const char *row)
{
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_new_from_memory ("t", text, strlen (text), &error);
  g_autoptr (TracepointReader) reader = source ? tracepoint_reader_new (source, &error) : NULL;
  g_autoptr (GHashTable) begun = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  uint64_t submitted = 0, queued = 0, hashed = 0, complete = 0, time = 0;
  Tracepoint event;
  int more = -1;

  while (reader && (more = tracepoint_reader_next (reader, &event, &error)) > 0) {
    const gint64 id = (gint64) ((uint64_t) event.ring << 40 | event.request);
    const UrTime *since = g_hash_table_lookup (begun, &id);

    if (event.kind == TRACEPOINT_SUBMIT) {
      g_hash_table_insert (begun, g_memdup2 (&id, sizeof id), g_memdup2 (&event.time, sizeof event.time));
      submitted++;
    } else if (event.kind == TRACEPOINT_QUEUE_ASYNC_WORK) {
      queued++;
      hashed += event.hashed;
    } else if (event.kind == TRACEPOINT_COMPLETE && since) {
      complete++;
      time += event.time - *since;
    }
  }
  ROW_CHECK (more == 0, "%s: %s", row, row_error (error));
  ROW_CHECK (submitted == told->lives && complete == told->lives, "%s: %u submitted, %u complete of %u", row,
             (unsigned) submitted, (unsigned) complete, (unsigned) told->lives);
  ROW_CHECK (queued == told->queued && hashed == told->hashed, "%s: %u queued, %u hashed of %u, %u", row,
             (unsigned) queued, (unsigned) hashed, (unsigned) told->queued, (unsigned) told->hashed);
  ROW_CHECK (time == told->time, "%s: %u ns of %u", row, (unsigned) time, (unsigned) told->time);
  ROW_CHECK (reader && tracepoint_reader_info (reader)->strays == 0 &&
                 tracepoint_reader_info (reader)->unknown <= told->lives,
             "%s: strays", row);
  byte_source_unref (source);
}

static const char job[] = TEST_DATA_DIR "/../../traces/ext4-buffered-randwrite-qd32-4files.fio";

static void test_ftrace (void)
{
  static const char *const policies[] = { "linux-5.3", "linux-5.10", "linux-5.15",
                                          "linux-6.3", "linux-6.18", "inline-buffered-write",
                                          "unhashed" };

  for (unsigned i = 0; i < G_N_ELEMENTS (policies); i++) {
    const char *const words[] = { job, "--policy", policies[i], NULL };
    const EventLogOptions options = { EVENT_LOG_FTRACE, 0, 0, 64 << 20 };
    Told told;
    UrTime cut;
    g_autofree char *text = run_logged (words, &options, &told, &cut);

    CU_ASSERT (cut == 0 && told.lives > 200);
    read_back (text, &told, policies[i]);
  }
}

/* Only what lies in the window, and no more than the limit. */
static void test_window_and_limit (void)
{
  const char *const words[] = { job, "--policy", "linux-6.18", NULL };
  EventLogOptions options = { EVENT_LOG_FTRACE, 200 * UR_US, 400 * UR_US, 64 << 20 };
  Told told;
  UrTime cut;
  g_autofree char *window = run_logged (words, &options, &told, &cut);

  CU_ASSERT (cut == 0 && strstr (window, " 0.0002") && strstr (window, " 0.0003"));
  CU_ASSERT (!strstr (window, " 0.0001") && !strstr (window, " 0.0004"));
  for (unsigned format = EVENT_LOG_FTRACE; format <= EVENT_LOG_CHROME; format++) {
    options = (EventLogOptions){ (EventLogFormat) format, 0, 0, 20000 };
    g_autofree char *text = run_logged (words, &options, &told, &cut);

    ROW_CHECK (cut > 0 && strlen (text) <= 20000 && strlen (text) > 15000, "%u bytes, cut at %u",
               (unsigned) strlen (text), (unsigned) cut);
    ROW_CHECK (g_str_has_suffix (text, format == EVENT_LOG_CHROME ? "\n]}\n" : "\n"), "%s", text + strlen (text) - 10);
  }
}

void register_event_log_tests (void)
{
  CU_pSuite suite = CU_add_suite ("event_log", NULL, NULL);

  CU_add_test (suite, "trace text read back", test_ftrace);
  CU_add_test (suite, "window and limit", test_window_and_limit);
}
