/* Rings: batches, overflow, who posts and who is woken, task_work. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* ---- scripts on a ring ---- */

/* times: "a DONE POSTED, b DONE POSTED" (nullable). */
typedef struct {
  const char *rule, *policy, *set, *script, *log, *times;
} RingRow;

#define TEN_US "FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000"

static char *times (const Fixture *fixture)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *request = g_ptr_array_index (fixture->requests, i);

    g_string_append_printf (text, "%s%c ", i ? ", " : "", 'a' + i);
    fixture_append_us (text, request->time.done);
    g_string_append_c (text, ' ');
    fixture_append_us (text, request->time.posted);
  }
  return g_string_free (text, FALSE);
}

static Fixture *start_row (const RingRow *row, const char *set)
{
  Fixture *fixture = fixture_new (row->policy, "ext4", COSTS_FREE);

  fixture_set (fixture, set);
  if (row->set)
    fixture_set (fixture, row->set);
  fixture_build (fixture);
  fixture_script (fixture, row->script);
  return fixture;
}

static void check_row (Fixture *fixture, const RingRow *row)
{
  g_autofree char *text = NULL;

  fixture_run (fixture, row->rule);
  fixture_check_log (fixture, row->rule, row->log);
  text = times (fixture);
  ROW_CHECK (!row->times || strcmp (text, row->times) == 0, "%s: %s; expected %s", row->rule, text, row->times);
}

static void check_rows (const RingRow *rows, unsigned n, const char *set)
{
  for (unsigned i = 0; i < n; i++) {
    Fixture *fixture = start_row (&rows[i], set);

    check_row (fixture, &rows[i]);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows, set) check_rows (rows, G_N_ELEMENTS (rows), set)

static void test_batch (void)
{
  static const RingRow rows[] = {
    { "inline completions are posted together at the end of the batch", "linux-6.3", NULL,
      "S: ring:4 sqe:r0 sqe:r0 sqe:r0 submit reap", "S@30 reap abc", "a 10 30, b 20 30, c 30 30" },
    { "each takes its time under one lock", "linux-6.3", "Ring.CqeBatch=1000, Locks.Fast=25",
      "S: ring:4 sqe:r0 sqe:r0 sqe:r0 submit reap", "S@33.025 reap abc", "a 10 33.025, b 20 33.025, c 30 33.025" },
    { "without a lock on a DEFER_TASKRUN ring", "linux-6.3", "Ring.CqeBatch=1000, Locks.Fast=25",
      "S: ring:4,defer sqe:r0 sqe:r0 sqe:r0 submit reap", "S@33 reap abc", "a 10 33, b 20 33, c 30 33" },
    { "two batches, two ends", "linux-6.3", NULL, "S: ring:4 sqe:r0 submit sqe:r0 sqe:r0 submit reap", "S@30 reap abc",
      "a 10 10, b 20 30, c 30 30" },
    { "a blocking issue posts at once", "inline-buffered-write", NULL, "S: ring:4 sqe:w0 sqe:w0 submit reap",
      "S@20 reap ab", "a 10 10, b 20 20" },
    { "unless the rule says otherwise (Post=batch)", "no-offload", NULL, "S: ring:4 sqe:w0 sqe:w0 submit reap",
      "S@20 reap ab", "a 10 20, b 20 20" },
    { "its writes overtake earlier reads of the batch", "inline-buffered-write", NULL,
      "S: ring:4 sqe:r0 sqe:w0 sqe:r0 sqe:w0 submit reap", "S@40 reap bdac", "a 10 40, b 20 20, c 30 40, d 40 40" },
    { "without it the reads come first", "linux-6.3", "FileSystem ext4.ReadPage=0",
      "S: ring:4 sqe:r0 sqe:w0 sqe:r0 sqe:w0 submit:4 reap", "S@20 reap acbd", "a 0 0, b 10 10, c 0 0, d 20 20" },
  };

  CHECK_ROWS (rows, TEN_US);
}

/* Before 5.9 each is posted when it is there; 5.9 to 5.15 do not wait for the end of the batch with more than 32. */
static void test_long_batch (void)
{
  static const struct {
    const char *kernel;
    UrTime first; /* us: the first 32; 0: each by itself */
  } rows[] = {
    { "kernel=5.4", 0 },    { "kernel=5.8", 0 },    { "kernel=5.9", 320 },  { "kernel=5.11", 320 },
    { "kernel=5.12", 320 }, { "kernel=5.15", 320 }, { "kernel=5.16", 400 }, { "kernel=6.3", 400 },
  };
  GString *script = g_string_new ("S: ring:64");

  for (unsigned i = 0; i < 40; i++)
    g_string_append (script, " sqe:r0");
  g_string_append (script, " submit reap");
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const RingRow row = { rows[i].kernel, "linux-6.1", rows[i].kernel, script->str, NULL, NULL };
    Fixture *fixture = start_row (&row, TEN_US);

    fixture_run (fixture, rows[i].kernel);
    for (unsigned k = 0; k < 40; k++) {
      const Request *request = g_ptr_array_index (fixture->requests, k);

      ROW_CHECK (request->time.posted == (!rows[i].first ? 10 * (k + 1)
                                          : k < 32       ? rows[i].first
                                                         : 400) *
                                             UR_US,
                 "%s: request %u posted at %d", rows[i].kernel, k, (int) request->time.posted);
    }
    fixture_free (fixture);
  }
  g_string_free (script, TRUE);
}

static void count_ready (Fixture *fixture, gpointer data) { *(unsigned *) data = ring_sq_ready (fixture->ring); }

/* sq.head is published once, after the whole batch. */
static void test_sq_head (void)
{
  static const struct {
    const char *policy;
    UrTime at;
    unsigned ready;
  } rows[] = {
    { "inline-buffered-write", 1, 4 },
    { "inline-buffered-write", 15, 4 },
    { "inline-buffered-write", 39, 4 },
    { "inline-buffered-write", 41, 0 },
    { "linux-6.3", 1, 0 },
    { "linux-6.3", 39, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const RingRow row = { rows[i].policy,
                          rows[i].policy,
                          NULL,
                          "S: ring:4 sqe:w0 sqe:w0 sqe:w0 sqe:w0 submit:4 reap",
                          "S@40 reap abcd",
                          NULL };
    Fixture *fixture = start_row (&row, TEN_US);
    unsigned ready = 99;

    fixture_at (fixture, rows[i].at * UR_US, count_ready, &ready);
    check_row (fixture, &row);
    ROW_CHECK (ready == rows[i].ready, "%s at %d us: %u entries still in the SQ", rows[i].policy, (int) rows[i].at,
               ready);
    fixture_free (fixture);
  }
}

static void test_overflow (void)
{
  static const struct {
    RingRow row;
    uint64_t overflows;
  } rows[] = {
    { { "5.4: what does not fit is dropped", "linux-5.4", NULL,
        "S: ring:1 post:w0 post:w0 post:w0 post:w0 reap post:w0 reap", "S@0 reap ab, S@0 reap e", NULL },
      2 },
    { { "5.5: it is kept until there is room and the application waits", "linux-6.3", "kernel=5.5",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 post:w0 reap reap getevents:1 reap",
        "S@0 reap ab, S@0 reap -, S@0 reap cd", NULL },
      2 },
    { { "5.5: in order: later ones join the backlog though there is room", "linux-6.3", "kernel=5.5",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 reap post:w0 reap getevents:1 reap",
        "S@0 reap ab, S@0 reap -, S@0 reap cd", NULL },
      2 },
    { { "5.5: as much as fits", "linux-6.3", "kernel=5.5",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 post:w0 post:w0 reap getevents:1 reap getevents:1 reap",
        "S@0 reap ab, S@0 reap cd, S@0 reap e", NULL },
      3 },
    { { "5.12: with a backlog that does not fit submission is refused (EBUSY) until the application has reaped",
        "linux-6.3", "kernel=5.12", "S: ring:2,cqsize post:w0 post:w0 post:w0 sqe:r0 submit:1 reap submit:1 reap",
        "S@0 EBUSY, S@0 reap ab, S@10 reap cd", NULL },
      1 },
    { { "5.5: the same", "linux-6.3", "kernel=5.5",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 sqe:r0 submit:1 reap submit:1 reap",
        "S@0 EBUSY, S@0 reap ab, S@10 reap cd", NULL },
      1 },
    { { "5.12: a backlog that fits is flushed first, and nothing is refused", "linux-6.3", "kernel=5.12",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 reap sqe:r0 submit reap", "S@0 reap ab, S@10 reap cd", NULL },
      1 },
    { { "5.13: submission is never refused; the order is kept", "linux-6.3", "kernel=5.13",
        "S: ring:2,cqsize post:w0 post:w0 post:w0 sqe:r0 submit reap getevents:1 reap", "S@10 reap ab, S@10 reap cd",
        NULL },
      2 },
    { { "5.4: submission is never refused; the entry is dropped", "linux-5.4", NULL,
        "S: ring:1 post:w0 post:w0 post:w0 sqe:r0 submit:1 reap", "S@10 reap ab", NULL },
      2 },
    { { "a wait for more than the CQ holds is one for a full CQ", "linux-6.3", NULL,
        "S: ring:2,cqsize post:w0 post:w0 post:w0 getevents:9 reap getevents:1 reap", "S@0 reap ab, S@0 reap c", NULL },
      1 },
    { { "twice the SQ is large enough for a full SQ and as much in flight", "linux-6.3", NULL,
        "S: ring:2 post:w0 post:w0 post:w0 post:w0 reap", "S@0 reap abcd", NULL },
      0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start_row (&rows[i].row, TEN_US ", CPU.Count=2");

    check_row (fixture, &rows[i].row);
    ROW_CHECK (fixture->sim->count.cq_overflows == rows[i].overflows, "%s: %d overflows", rows[i].row.rule,
               (int) fixture->sim->count.cq_overflows);
    fixture_free (fixture);
  }
}

/* ---- waiting ---- */

static void test_waiting (void)
{
  static const struct {
    RingRow row;
    uint64_t wakeups;
  } rows[] = {
    { { "woken when as many as asked for are there, not before", "linux-6.3", NULL,
        "S/0: ring:8 getevents:3 reap | P@1/1: post:w0 run:1 post:w0 run:1 post:w0", "S@3 reap abc", NULL },
      1 },
    { { "one is enough if one was asked for", "linux-6.3", NULL, "S/0: ring:8 getevents:1 reap | P@1/1: post:w0",
        "S@1 reap a", NULL },
      1 },
    { { "enough are there: no sleep", "linux-6.3", NULL, "S/0: ring:8 run:10 getevents:2 reap | P@1/1: post:w0 post:w0",
        "S@10 reap ab", NULL },
      0 },
    { { "what is there counts", "linux-6.3", NULL,
        "S/0: ring:8 run:10 getevents:2 reap | P@1/1: post:w0 run:20 post:w0", "S@21 reap ab", NULL },
      1 },
    { { "the deadline", "linux-6.3", NULL, "S/0: ring:8 getevents:3,50 reap | P@1/1: post:w0", "S@50 reap a", NULL },
      1 },
    { { "6.3, no DEFER_TASKRUN: the worker posts each, one wake-up", "linux-6.3", NULL,
        "S/0: ring:8 sqe:w0 sqe:w0 sqe:w0 submit:3 reap", "S@30 reap abc", "a 10 10, b 20 20, c 30 30" },
      1 },
    { { "6.3, DEFER_TASKRUN: what a worker finished wakes the waiter each time, and it posts", "linux-6.3", NULL,
        "S/0: ring:8,coop,defer sqe:w0 sqe:w0 sqe:w0 submit:3 reap", "S@30 reap abc", "a 10 10, b 20 20, c 30 30" },
      3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start_row (&rows[i].row, TEN_US ", CPU.Count=4");

    check_row (fixture, &rows[i].row);
    ROW_CHECK (fixture->sim->count.wakeups == rows[i].wakeups, "%s: %d wake-ups", rows[i].row.rule,
               (int) fixture->sim->count.wakeups);
    fixture_free (fixture);
  }
}

/* Who posts a punted completion, by kernel and ring. */
static void test_who_posts (void)
{
  static const RingRow rows[] = {
    { "6.1: the worker, on DEFER_TASKRUN rings too", "linux-6.3", "kernel=6.1",
      "S/0: user ring:4,coop,defer sqe:w0 submit run:100 getevents:1 reap", "S@100 reap a", "a 10 10" },
    { "6.2: the submitter, when it enters to wait", "linux-6.3", "kernel=6.2",
      "S/0: user ring:4,coop,defer sqe:w0 submit run:100 getevents:1 reap", "S@100 reap a", "a 10 100" },
    { "6.18: the submitter", "linux-6.18", NULL, "S/0: user ring:4,coop,defer sqe:w0 submit run:100 getevents:1 reap",
      "S@100 reap a", "a 10 100" },
    { "6.18: a system call without GETEVENTS does not run them", "linux-6.18", NULL,
      "S/0: user ring:4,coop,defer sqe:w0 submit run:100 submit reap run:50 getevents:1 reap",
      "S@100 reap -, S@150 reap a", "a 10 150" },
    { "6.18: the worker, on other rings", "linux-6.18", NULL, "S/0: user ring:4,coop sqe:w0 submit run:100 reap",
      "S@100 reap a", "a 10 10" },
    { "6.18: the worker, under SQPOLL", "linux-6.18", NULL,
      "S/0: user ring:4,sqpoll,idle=4000 sqe:w0 notify run:100 reap", "S@100 reap a", "a 10 10" },
    { "5.4: the worker", "linux-5.4", NULL, "S/0: user ring:4 sqe:w0 submit run:100 reap", "S@100 reap a", "a 10 10" },
  };

  CHECK_ROWS (rows, TEN_US ", CPU.Count=4");
}

/* Requests left for the owner to free: one notification per burst, by kind of ring.  (Where the owner waits, the
 * deadline wakes it once more.) */
static void test_notification (void)
{
  static const struct {
    const char *rule, *script;
    uint64_t wakeups, ipis;
  } rows[] = {
    { "plain, the owner runs elsewhere: one interrupt a burst", "S/0: user ring:4 run:100 | P@10/1: free free free", 0,
      1 },
    { "plain, the owner is ready on the same CPU: none", "S/1: ring:4 run:10 yield run:10 | P@5/1: free free", 0, 0 },
    { "plain, the owner waits: one wake-up a burst", "S/0: ring:4 getevents:1,100 | P@10/1: free free free", 2, 1 },
    { "plain, the owner has run them: the next burst wakes again",
      "S/0: ring:4 getevents:1,100 | P@10/1: free free run:10 free", 3, 2 },
    { "COOP_TASKRUN, the owner waits: it is woken all the same",
      "S/0: ring:4,coop getevents:1,100 | P@10/1: free free free", 2, 1 },
    { "COOP_TASKRUN, the owner runs: no interrupt", "S/0: user ring:4,coop run:100 | P@10/1: free free free", 0, 0 },
    { "the sq_thread is awake: nothing", "S/0: user ring:4,sqpoll,idle=4000 run:100 | P@10/1: free free", 0, 0 },
    { "the sq_thread sleeps: one wake-up", "S/0: user ring:4,sqpoll,idle=4000 run:9500 | P@9000/1: free free", 1, 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    const SimulationCounters *count;

    fixture_set (fixture, "CPU.Count=4");
    fixture_build (fixture);
    count = &fixture->sim->count;
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (count->wakeups == rows[i].wakeups && count->ipis == rows[i].ipis, "%s: %d wake-ups, %d IPIs",
               rows[i].rule, (int) count->wakeups, (int) count->ipis);
    fixture_free (fixture);
  }
}

void register_ring_tests (void)
{
  CU_pSuite suite = fixture_suite ("ring");

  fixture_test (suite, "a batch", test_batch);
  fixture_test (suite, "a long batch", test_long_batch);
  fixture_test (suite, "sq.head is published per batch", test_sq_head);
  fixture_test (suite, "overflow", test_overflow);
  fixture_test (suite, "waiting", test_waiting);
  fixture_test (suite, "who posts", test_who_posts);
  fixture_test (suite, "task_work notifies", test_notification);
}
