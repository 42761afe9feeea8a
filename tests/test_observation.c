/* What is seen in a stream of events: sequences, counts, order, switches. */
#include "src/command/observation.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <string.h>

/* Tasks of the tests: 0 is the application, 1 and 2 are workers, 3 is a stranger. */
static TaskRole role (unsigned task, gconstpointer data)
{
  static const TaskRole roles[] = { TASK_ROLE_APPLICATION, TASK_ROLE_WORKER, TASK_ROLE_WORKER, TASK_ROLE_OTHER };
  return roles[task];
}

/*
 * Events in words: a letter of OBSERVED_EVENTS with a request ("s0 h0 c0"), "@1" behind it for another task than 0;
 * ">12" is a switch from task 1 to task 2.
 */
static Observation *observe_device (const char *text, unsigned depth, unsigned files, gboolean device)
{
  static const TracepointKind kinds[] = {
    ['s'] = TRACEPOINT_SUBMIT,   ['h'] = TRACEPOINT_QUEUE_ASYNC_WORK, ['n'] = TRACEPOINT_QUEUE_ASYNC_WORK,
    ['a'] = TRACEPOINT_TASK_ADD, ['p'] = TRACEPOINT_POLL_ARM,         ['c'] = TRACEPOINT_COMPLETE
  };
  const ObservedStream stream = { depth, files, device };
  Observation *observation = observation_new (&stream, 1);
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (char **word = words; *word && **word; word++) {
    const char *at = strchr (*word, '@');
    Tracepoint event = { .request = TRACEPOINT_NO_REQUEST };
    if (**word == '>') {
      event.kind = TRACEPOINT_SCHED_SWITCH;
      event.task = (unsigned) g_ascii_digit_value ((*word)[1]);
      event.other = (unsigned) g_ascii_digit_value ((*word)[2]);
    } else {
      event.kind = kinds[(unsigned char) **word];
      event.hashed = **word == 'h';
      event.request = g_ascii_strtoull (*word + 1, NULL, 10);
      event.task = event.other = at ? (unsigned) g_ascii_digit_value (at[1]) : 0;
    }
    observation_add (observation, &event);
  }
  observation_end (observation, role, NULL);
  return observation;
}

static Observation *observe (const char *text, unsigned depth, unsigned files)
{
  return observe_device (text, depth, files, FALSE);
}

static void test_sequences (void)
{
  static const struct {
    const char *name, *text, *sequences;
  } row[] = {
    { "inline", "s0 c0 s1 c1", "sc=2" },
    { "each way", "s0 h0 s1 n1 s2 p2 a2 c2 c0@1 c1@2", "shc=1 snc=1 spac=1" },
    { "not completed", "s0 h0 s1", "s=1 sh=1" },
    { "nothing", "", "" },
    { "too long", "s0 p0 a0 p0 a0 p0 a0 p0 a0 p0 a0 p0 a0 p0 a0 p0 a0 c0", "spapapapapapapac=1" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (Observation) observation = observe (row[i].text, 8, 1);
    g_autoptr (GPtrArray) all = observation_sequences (observation, observation);
    GString *found = g_string_new (NULL);
    for (unsigned k = 0; k < all->len; k++) {
      g_string_append_printf (found, "%s%s=%" G_GUINT64_FORMAT, k ? " " : "", (char *) all->pdata[k],
                              observation_sequence (observation, all->pdata[k]));
    }
    ROW_CHECK (!strcmp (found->str, row[i].sequences), "%s: %s", row[i].name, found->str);
    g_string_free (found, TRUE);
  }
}

static void test_counts (void)
{
  static const struct {
    const char *name, *text;
    ObservedCounts expected;
  } row[] = {
    { "punted both ways",
      "s0 h0 s1 n1 s2 c2 c0@1 c1@1",
      { .submitted = 3, .punted = 2, .hashed = 1, .workers = 1, .posted_by_worker = 2 } },
    { "an idle worker is seen, too",
      "s0 h0 >01 >12 c0@1",
      { .submitted = 1,
        .punted = 1,
        .hashed = 1,
        .workers = 2,
        .posted_by_worker = 1,
        .switches = 2,
        .has_switches = TRUE } },
    { "strangers do not count", "s0 >03 >30 c0", { .submitted = 1, .switches = 1, .has_switches = TRUE } },
    { "one side only", "s0 >03 >03 c0", { .submitted = 1, .switches = 2, .has_switches = TRUE } },
    { "before the first submission and after the last completion",
      ">30 s0 c0 >03 >30",
      { .submitted = 1, .has_switches = TRUE } },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (Observation) observation = observe (row[i].text, 8, 1);
    const ObservedCounts *found = observation_counts (observation), *want = &row[i].expected;
    ROW_CHECK (found->submitted == want->submitted && found->punted == want->punted && found->hashed == want->hashed,
               "%s", row[i].name);
    ROW_CHECK (found->workers == want->workers && found->posted_by_worker == want->posted_by_worker, "%s", row[i].name);
    ROW_CHECK (found->switches == want->switches && found->has_switches == want->has_switches,
               "%s: %" G_GUINT64_FORMAT " switches", row[i].name, found->switches);
  }
}

static void test_order (void)
{
  static const struct {
    const char *name, *real, *simulated;
    unsigned files, batches;
    ObservedOrder expected;
  } row[] = {
    { "the same", "s0 c0 s1 c1", "s0 c0 s1 c1", 1, 2, ORDER_SAME },
    { "inline completions at the batch end", "s0 s1 c0 c1", "s0 c0 s1 c1", 1, 2, ORDER_DIFFERENT },
    { "after the second batch", "s0 s1 s2 s3 s4 c0", "s0 s1 s2 s3 s4 c4", 1, 2, ORDER_SAME },
    { "in the second batch", "s0 c0 s1 c1 s2 c2 s3 c3", "s0 c0 s1 c1 s2 s3 c2 c3", 1, 2, ORDER_DIFFERENT },
    { "but only the first is asked", "s0 c0 s1 c1 s2 c2 s3 c3", "s0 c0 s1 c1 s2 s3 c2 c3", 1, 1, ORDER_SAME },
    { "punted ones reaped later", "s0 h0 s1 h1 c0 s2 h2 c1", "s0 h0 s1 h1 c0 c1 s2 h2", 1, 2, ORDER_EQUIVALENT },
    { "reaped before the batch is full", "s0 h0 s1 h1 c0 c1", "s0 h0 c0 s1 h1 c1", 1, 2, ORDER_DIFFERENT },
    { "hashed out of order", "s0 h0 s1 h1 c0 c1", "s0 h0 s1 h1 c1 c0", 1, 2, ORDER_DIFFERENT },
    { "hashed out of order, of two files", "s0 h0 s1 h1 c0 c1", "s0 h0 s1 h1 c1 c0", 2, 2, ORDER_EQUIVALENT },
    { "unhashed out of order", "s0 n0 s1 n1 c0 c1", "s0 n0 s1 n1 c1 c0", 1, 2, ORDER_EQUIVALENT },
    { "posted by a worker or by the submitter", "s0 h0 s1 h1 c0@1 c1@1", "s0 h0 s1 h1 c0 c1", 1, 2, ORDER_DIFFERENT },
    { "hashed or not", "s0 h0 c0@1", "s0 n0 c0@1", 1, 2, ORDER_DIFFERENT },
    { "nothing at all", "s0 c0", "", 1, 2, ORDER_DIFFERENT },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (Observation) real = observe (row[i].real, 2, row[i].files);
    g_autoptr (Observation) simulated = observe (row[i].simulated, 2, row[i].files);
    g_autofree char *a = NULL, *b = NULL;
    const ObservedOrder found = observation_compare_order (real, simulated, row[i].batches, FALSE, &a, &b);
    ROW_CHECK (found == row[i].expected, "%s: %d: %s | %s", row[i].name, found, a, b);
    ROW_CHECK ((found == ORDER_SAME) == (a == NULL) && (a == NULL) == (b == NULL), "%s", row[i].name);
  }
}

/* Where the number submitted before the first completion varies on the real kernel, it may vary here, and only it. */
static void test_any_early (void)
{
  static const struct {
    const char *name, *real, *simulated;
    unsigned early;
    ObservedOrder expected;
  } row[] = {
    { "reaped before the batch is full", "s0 h0 s1 h1 c0 c1", "s0 h0 c0 s1 h1 c1", 1, ORDER_EQUIVALENT },
    { "hashed out of order is still wrong", "s0 h0 s1 h1 c0 c1", "s0 h0 s1 h1 c1 c0", 2, ORDER_DIFFERENT },
    { "nothing completed", "s0 h0 s1 h1 c0 c1", "s0 h0 s1 h1", 2, ORDER_DIFFERENT },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (Observation) real = observe (row[i].real, 2, 1), simulated = observe (row[i].simulated, 2, 1);
    g_autofree char *a = NULL, *b = NULL;
    const ObservedOrder found = observation_compare_order (real, simulated, 2, TRUE, &a, &b);
    ROW_CHECK (found == row[i].expected, "%s: %d", row[i].name, found);
    ROW_CHECK (observation_early (simulated, 0, 2) == row[i].early, "%s: %u", row[i].name,
               observation_early (simulated, 0, 2));
    ROW_CHECK (observation_streams (real) == 1 && observation_early (real, 7, 2) == 0, "%s", row[i].name);
  }
}

/* What comes from a device comes when that is done, but what is submitted before the first completion is the same. */
static void test_order_of_device (void)
{
  static const struct {
    const char *name, *real, *simulated;
    gboolean device;
    ObservedOrder expected;
  } row[] = {
    { "out of order", "s0 s1 c1 c0", "s0 s1 c0 c1", TRUE, ORDER_EQUIVALENT },
    { "out of order, but inline", "s0 s1 c1 c0", "s0 s1 c0 c1", FALSE, ORDER_DIFFERENT },
    { "before the batch is full", "s0 s1 c0 c1", "s0 c0 s1 c1", TRUE, ORDER_DIFFERENT },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (Observation) real = observe_device (row[i].real, 2, 1, row[i].device);
    g_autoptr (Observation) simulated = observe_device (row[i].simulated, 2, 1, row[i].device);
    g_autofree char *a = NULL, *b = NULL;
    const ObservedOrder found = observation_compare_order (real, simulated, 2, FALSE, &a, &b);
    ROW_CHECK (found == row[i].expected, "%s: %d: %s | %s", row[i].name, found, a, b);
  }
}

void register_observation_tests (void)
{
  static CU_TestInfo tests[] = {
    { "sequences", test_sequences },
    { "counts", test_counts },
    { "order", test_order },
    { "how many before the first completion", test_any_early },
    { "order of what comes from a device", test_order_of_device },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "observation", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
