/* io-wq of 5.5 to 5.11: one per ring, whose workers a manager kthread makes. */
#include "model/tctx.h"
#include "tests/io_wq_rows.h"
#include "tests/unit.h"

#define MAKES "Scheduler.ThreadCreate=20000"

static void test_rules (void)
{
  static const WqRow rows[] = {
    { "a bounded worker exists from the start", "linux-5.10", MAKES, "S@100: ring:8 run:50", "0123", "", "", 0, 1 },
    { "one per node", "linux-5.10", "CPU.Nodes=4", "S@100: ring:8 run:50", "0123", "", "", 0, 4 },
    { "one per ring", "linux-5.10", NULL, "S@100: ring:8 | T@200: ring:8 run:50", "0123", "", "", 0, 2 },
    { "hashed work of one file: in order by that one", "linux-5.10", MAKES,
      "S@100: ring:8 run:100 sqe:w0 sqe:w0 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "while it runs, queueing wakes nobody", "linux-5.10", NULL,
      "S@100: ring:8 run:100 sqe:w0 submit run:5 sqe:w1 submit:2 reap", "0123", "ab", "ab", 1, 1 },
    { "when it sleeps in an item, its hook wakes the manager, which makes one of each class", "linux-5.10",
      MAKES ", " SLEEPS, "S@100: ring:8 run:100 sqe:w0 submit run:5 sqe:w1 submit:2 reap", "0123", "ab", "ab", 2, 3 },
    { "who queues while it sleeps wakes the manager", "linux-5.10", MAKES ", " SLEEPS,
      "S@100: ring:8 run:100 sqe:w0 submit run:20 sqe:w1 submit:2 reap", "0123", "ab", "ab", 2, 3 },
    { "also for the same bucket, in vain", "linux-5.10", MAKES ", " SLEEPS,
      "S@100: ring:8 run:100 sqe:w0 submit run:20 sqe:w0 submit:2 reap", "0123", "ab", "ab", 1, 3 },
    { "one worker per class in each pass", "linux-5.10", MAKES,
      "S@100: ring:8 run:100 sqe:ar0+9 submit run:1 sqe:ar0+9 sqe:uar0+9 submit run:60 submit:3 reap", "0123", "abc",
      "abc", 3, 3 },
    { "a wake-up while the manager makes workers is lost; the unbounded one wakes it again when it changes its class",
      "linux-5.10", MAKES ", FileSystem ext4.ReadPage=1000000000",
      "S@100: ring:8 run:100 sqe:ar0+9 submit run:1 sqe:ar0+9 submit run:10 sqe:ar0+9 submit run:10 sqe:ar0+9 "
      "submit:4 reap",
      "0123", "abcd", "abcd", 4, 5 },
    { "the limit is of bounded workers: the unbounded one that came along takes bounded work beyond it", "linux-5.10",
      "FileSystem ext4.ReadPage=1000000000",
      "S@100: ring:2 run:100 sqe:ar0 submit run:1 sqe:ar0 submit run:1 sqe:ar0 submit run:1 getevents:2 "
      "reap getevents:1 reap",
      "0123", "abc", "abc", 3, 3 },
    { "5.5 hashes writes to regular files", "linux-5.10", "kernel=5.5",
      "S@100: ring:8 run:100 sqe:w0 sqe:w1 sqe:w0 submit:3 reap", "0123", "acb", "acb", 1, 1 },
    { "but not to block devices", "linux-5.10 on block", "kernel=5.5",
      "S@100: ring:8 run:100 sqe:w0 sqe:w1 sqe:w0 submit:3 reap", "0123", "abc", "abc", 1, 1 },
    { "IOSQE_ASYNC writes are hashed", "linux-5.10", NULL,
      "S@100: ring:8 run:100 sqe:aw0 sqe:aw0 sqe:aw0 submit:3 reap", "0123", "abc", "abc", 1, 1 },
  };

  WQ_CHECK_ROWS (rows);
}

/* A pass that finds work on the list makes nobody if a worker is free, though that one is still waking up: whatever
 * lies between the two. */
static void test_none_while_free (void)
{
  for (unsigned ns = 0; ns < 16000; ns += 500) {
    g_autofree char *row = g_strdup_printf ("queued at %u ns", 1000000000 + ns);
    g_autofree char *script =
        g_strdup_printf ("S/0: ring:8 run:%u.%03u sqe:w0 submit:1 reap", 1000000 + ns / 1000, ns % 1000);
    Fixture *fixture = fixture_new ("linux-5.10", "ext4", COSTS_FREE);

    fixture_set (fixture, "CPU.Count=8, Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500");
    fixture_build (fixture);
    fixture_script (fixture, script);
    fixture_run (fixture, row);
    ROW_CHECK (fixture->sim->count.workers_created == 1, "%s: %u workers", row, fixture->sim->count.workers_created);
    fixture_free (fixture);
  }
}

/* Beyond the limit nobody wakes the manager, but it looks once a second, and makes an unbounded worker for whatever is
 * on the list. */
static void test_period (void)
{
  Fixture *fixture = fixture_new ("linux-5.10", "ext4", COSTS_FREE);
  const Request *second;

  fixture_set (fixture, MAKES ", FileSystem ext4.ReadPage=1000000000");
  fixture_build (fixture);
  fixture_script (fixture,
                  "S@100: ring:1 run:100 sqe:ar0+9 submit run:1 sqe:ar0 submit getevents:1 reap getevents:1 reap");
  fixture_run (fixture, "once a second");
  second = g_ptr_array_index (fixture->requests, 1);
  ROW_CHECK (second->time.started >= UR_S && second->time.started <= UR_S + UR_MS,
             "the second starts at %" G_GUINT64_FORMAT " ns", second->time.started);
  fixture_free (fixture);
}

typedef struct {
  unsigned alive, idle;
} Pool;

static void look (Fixture *fixture, gpointer data)
{
  Pool *pool = data;

  pool->alive = fixture->sim->count.workers_alive;
  pool->idle = io_wq_idle (io_uring_wq_peek (fixture->ring, 0));
}

static void test_idle_exit (void)
{
  static const char script[] = "S@100: ring:8 run:100 sqe:ar0 sqe:ar0 submit run:1 sqe:ar0 submit:3 reap";
  static const struct {
    const char *rule;
    double at;
    Pool pool;
  } rows[] = {
    { "those that were made are idle", 1000, { 3, 3 } },
    { "for 5 s", 5000200, { 3, 3 } },
    { "then all leave but the fixed one", 5000400, { 1, 1 } },
    { "which never does", 60000000, { 1, 1 } },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-5.10", "ext4", COSTS_FREE);
    Pool pool = { 99, 99 };

    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    fixture_script (fixture, script);
    fixture_at (fixture, (UrTime) (rows[i].at * 1000), look, &pool);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (pool.alive == rows[i].pool.alive && pool.idle == rows[i].pool.idle, "%s: %u alive, %u idle",
               rows[i].rule, pool.alive, pool.idle);
    fixture_free (fixture);
  }
}

void register_io_wq_manager_tests (void)
{
  CU_pSuite suite = fixture_suite ("io-wq, 5.5 to 5.11");

  fixture_test (suite, "rules", test_rules);
  fixture_test (suite, "none while a worker is free", test_none_while_free);
  fixture_test (suite, "once a second", test_period);
  fixture_test (suite, "who leaves", test_idle_exit);
}
