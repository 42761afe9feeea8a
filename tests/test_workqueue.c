/* The workqueues of 5.1 to 5.4: how much runs at once, in which order it starts, and which requests are merged. */
#include "model/submit.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* A page takes 10 us and an fsync too; SLEEPS: writes sleep 50 us more, with the lock held. */
#define TEN_US "FileSystem ext4.WritePage=10000, FileSystem ext4.Fsync=10000"
#define SLEEPS "FileSystem ext4.SleepEvery=1, FileSystem ext4.Sleep=50000"

/* ---- limits ---- */

static void test_limits (void)
{
  static const struct {
    const char *policy, *queue;
    unsigned entries, cpus, limit;
  } rows[] = {
    { "linux-5.3", "default", 1, 8, 1 },
    { "linux-5.3", "default", 2, 8, 1 },
    { "linux-5.3", "default", 4, 8, 3 },
    { "linux-5.3", "default", 5, 8, 7 },
    { "linux-5.3", "default", 32, 64, 31 },
    { "linux-5.3", "default", 32, 8, 16 },
    { "linux-5.3", "default", 128, 1, 2 },
    { "linux-5.4", "default", 32, 8, 16 },
    { "linux-5.4", "write", 32, 8, 2 },
    { "linux-5.4", "write", 2, 1, 2 },
    { "write-workqueue-2", "default", 32, 8, 16 },
    { "write-workqueue-2", "write", 32, 64, 2 },
    { "linux-6.3", "default", 1, 8, 1 },
    { "linux-6.3", "default", 8, 1, 4 },
    { "linux-6.3", "default", 8, 16, 8 },
    { "linux-6.3", "default", 100, 16, 64 },
    { "hashed-2", "default", 32, 16, 2 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_FREE);
    unsigned limit = 0;
    Ring *ring;

    fixture->setup.cpus = rows[i].cpus;
    fixture_build (fixture);
    ring = ring_new (fixture->sim, NULL, &(RingSetup){ .entries = rows[i].entries, .sq_cpu = -1 });
    for (unsigned q = 0; q < fixture->policy->n_queues; q++)
      if (strcmp (fixture->policy->queues[q].name, rows[i].queue) == 0)
        limit = ring_max_workers (ring, &fixture->policy->queues[q]);
    ROW_CHECK (limit == rows[i].limit, "%s, queue %s, %u entries, %u CPUs: %u", rows[i].policy, rows[i].queue,
               rows[i].entries, rows[i].cpus, limit);
    fixture_free (fixture);
  }
}

/* ---- scripts ---- */

/* As in test_io_wq.c; contended: times that the lock of file 0 was not free. */
typedef struct {
  const char *rule, *policy, *set, *script;
  const char *started, *posted;
  unsigned parallel, contended;
} WqRow;

static void check_rows (const WqRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const WqRow *row = &rows[i];
    Fixture *fixture = fixture_new (row->policy, "ext4", COSTS_FREE);
    g_autofree char *started = NULL, *posted = NULL;
    unsigned contended;

    fixture_set (fixture, TEN_US);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    started = FIXTURE_ORDER (fixture, started);
    posted = FIXTURE_ORDER (fixture, posted);
    contended = (unsigned) fixture_inode (fixture, 0)->rwsem.count.contended;
    ROW_CHECK (!row->started || strcmp (started, row->started) == 0, "%s: started %s", row->rule, started);
    ROW_CHECK (!row->posted || strcmp (posted, row->posted) == 0, "%s: posted %s", row->rule, posted);
    ROW_CHECK (fixture_parallel (fixture, -1) == row->parallel, "%s: %u at once", row->rule,
               fixture_parallel (fixture, -1));
    ROW_CHECK (contended == row->contended, "%s: contended %u times", row->rule, contended);
    for (unsigned r = 0; r < fixture->requests->len; r++) {
      const Request *request = g_ptr_array_index (fixture->requests, r);

      ROW_CHECK (!request->hashed && request->outcome == OUTCOME_PUNTED_UNHASHED, "%s: request %u", row->rule, r);
    }
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_parallel (void)
{
  static const WqRow rows[] = {
    { "5.3: sq_entries - 1 at once, the rest as they finish, all on one lock", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@10 sqe:w0@20 sqe:w0@30 sqe:w0@40 sqe:w0@50 sqe:w0@60 sqe:w0@70 submit:8 reap",
      "abcdefgh", NULL, 7, 6 },
    { "5.3: twice the CPUs", "linux-5.3", "CPU.Count=2, " SLEEPS,
      "S@1: ring:16 sqe:w0@0 sqe:w0@10 sqe:w0@20 sqe:w0@30 sqe:w0@40 sqe:w0@50 sqe:w0@60 sqe:w0@70 submit:8 reap",
      "abcdefgh", NULL, 4, 7 },
    { "5.3: fsync shares the queue", "linux-5.3", NULL, "S@1: ring:2 sqe:w0 sqe:s1 submit:2 reap", "ab", "ab", 1, 0 },
    { "started in order, finished as they are done", "linux-5.3", NULL,
      "S@1: ring:4 sqe:w0+5 sqe:w1+1 sqe:w2+3 submit:3 reap", "abc", "bca", 3, 0 },
    { "5.4: two buffered writes, over all files, and an fsync beside them", "linux-5.4", NULL,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 sqe:s0 submit:5 reap", "abecd", "abecd", 3, 0 },
    { "5.4: the order of the writes", "linux-5.4", NULL,
      "S@1: ring:8 sqe:w0+3 sqe:w1+1 sqe:w2+1 sqe:w3+1 submit:4 reap", "abcd", "bcad", 2, 0 },
    { "5.4: an fsync does not wait for a write of its file", "linux-5.4", NULL,
      "S@1: ring:8 sqe:w0+3 sqe:s0 submit:2 reap", "ab", "ba", 2, 0 },
    { "the mail of 2019 on 5.3: the same", "write-workqueue-2", NULL,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 sqe:s0 submit:5 reap", "abecd", "abecd", 3, 0 },
  };

  CHECK_ROWS (rows);
}

static void test_merging (void)
{
  static const WqRow rows[] = {
    { "5.3: an exact continuation joins the active worker", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@1 sqe:w0@2 sqe:w0@3 submit:4 reap", "abcd", "abcd", 1, 0 },
    { "5.3: random writes do not", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@20 sqe:w0@10 sqe:w0@30 submit:4 reap", "abcd", "abcd", 4, 3 },
    { "5.3: nor a gap", "linux-5.3", NULL, "S@1: ring:8 sqe:w0@0 sqe:w0@2 submit:2 reap", "ab", "ab", 2, 1 },
    { "5.3: nor another file at the same place", "linux-5.3", NULL, "S@1: ring:8 sqe:w0@0 sqe:w1@1 submit:2 reap", "ab",
      "ab", 2, 0 },
    { "5.3: nor a place inside the run", "linux-5.3", NULL, "S@1: ring:8 sqe:w0@0+3 sqe:w0@1 submit:2 reap", "ab", "ab",
      2, 1 },
    { "5.4: that does", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@0+3 sqe:w0@1 submit:2 reap", "ab", "ab", 1, 0 },
    { "5.4: and the start of the run", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@5+3 sqe:w0@5 submit:2 reap", "ab", "ab",
      1, 0 },
    { "5.4: and its end", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@5+3 sqe:w0@8 submit:2 reap", "ab", "ab", 1, 0 },
    { "5.4: not what lies beyond", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@5+3 sqe:w0@9 submit:2 reap", "ab", "ab", 2,
      1 },
    { "5.4: not what lies before", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@5+3 sqe:w0@4 submit:2 reap", "ab", "ab", 2,
      1 },
    { "5.4: not another file", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@5+3 sqe:w1@6 submit:2 reap", "ab", "ba", 2, 0 },
    { "5.3: as long as the run is at most 8 x 32 pages", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@1+200 sqe:w0@201+56 submit:3 reap", "abc", "abc", 1, 0 },
    { "5.3: a page more starts another", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@1+200 sqe:w0@201+57 submit:3 reap", "acb", NULL, 2, 1 },
    { "5.4: the same limit", "linux-5.4", NULL, "S@1: ring:8 sqe:w0@0 sqe:w0@1+200 sqe:w0@201+57 submit:3 reap", "acb",
      NULL, 2, 1 },
    { "what comes when the worker is done is queued, not lost", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 submit run:50 sqe:w0@1 submit:2 reap", "ab", "ab", 1, 0 },
    { "what joins while the joined ones run is taken too", "linux-5.3", NULL,
      "S@1: ring:8 sqe:w0@0 sqe:w0@1 submit run:15 sqe:w0@2 submit:3 reap", "abc", "abc", 1, 0 },
    { "fsync joins nothing", "linux-5.3", NULL, "S@1: ring:8 sqe:w0@0 sqe:s0 submit:2 reap", "ab", "ab", 2, 0 },
  };

  CHECK_ROWS (rows);
}

/* The pool keeps one idle worker in reserve, and reuses who is idle. */
static void test_pool (void)
{
  static const struct {
    const char *rule, *script;
    unsigned created;
  } rows[] = {
    { "a pool starts with one worker", "S@1: ring:8", 1 },
    { "one at work, one in reserve", "S@1: ring:8 sqe:w0 submit:1 reap", 2 },
    { "the same two", "S@1: ring:8 sqe:w0 submit:1 reap run:100 sqe:w0 submit:1 reap", 2 },
    { "four at work, one in reserve", "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit:4 reap", 5 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-5.3", "ext4", COSTS_FREE);

    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (fixture->sim->count.workers_created == rows[i].created, "%s: %u", rows[i].rule,
               fixture->sim->count.workers_created);
    fixture_free (fixture);
  }
}

/* ---- many requests at random ---- */

static unsigned count_parallel_writes (const Fixture *fixture)
{
  unsigned most = 0;

  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *at = g_ptr_array_index (fixture->requests, i);
    unsigned n = 0;

    for (unsigned k = 0; k < fixture->requests->len; k++) {
      const Request *other = g_ptr_array_index (fixture->requests, k);

      n += at->io.op == IO_WRITE && other->io.op == IO_WRITE && other->time.started <= at->time.started &&
           other->time.done > at->time.started;
    }
    most = MAX (most, n);
  }
  return most;
}

static void append_requests (GString *script, UrRandom *random, unsigned entries)
{
  unsigned n = 10 + (unsigned) ur_random_below (random, 40), unsent = 0;

  g_string_append_printf (script, "S: user ring:%u", entries);
  for (unsigned i = 0; i < n; i++) {
    unsigned file = (unsigned) ur_random_below (random, FIXTURE_FILES), page = (unsigned) ur_random_below (random, 8);

    if (ur_random_below (random, 6) == 0)
      g_string_append_printf (script, " sqe:s%u", file);
    else
      g_string_append_printf (script, " sqe:w%u@%u+%u", file, page, 1 + (unsigned) ur_random_below (random, 3));
    if (++unsent == entries || ur_random_below (random, 3) == 0) {
      g_string_append_printf (script, " submit run:%u", (unsigned) ur_random_below (random, 30));
      unsent = 0;
    }
  }
  g_string_append_printf (script, " submit:%u reap", n);
}

static void test_random (void)
{
  static const char *const policies[] = { "linux-5.3", "linux-5.4", "write-workqueue-2" };

  for (unsigned i = 0; i < 60; i++) {
    const char *policy = policies[i % G_N_ELEMENTS (policies)];
    Fixture *fixture = fixture_new (policy, "ext4", COSTS_SHIPPED);
    GString *script = g_string_new (NULL);
    UrRandom random;
    unsigned entries, cpus, limit;
    g_autofree char *set = NULL;

    ur_random_init_indexed (&random, 1, "workqueue", i);
    entries = 32u << ur_random_below (&random, 2);
    cpus = 1u << ur_random_below (&random, 4);
    limit = strcmp (policy, "linux-5.3") ? 2 : MIN (entries - 1, 2 * cpus);
    set =
        g_strdup_printf ("CPU.Count=%u, FileSystem ext4.SleepEvery=%u", cpus, (unsigned) ur_random_below (&random, 10));
    fixture_set (fixture, set);
    fixture_build (fixture);
    append_requests (script, &random, entries);
    fixture_script (fixture, script->str);
    fixture_run (fixture, set);
    ROW_CHECK (count_parallel_writes (fixture) <= limit, "%s, %s: %u writes at once", policy, set,
               count_parallel_writes (fixture));
    for (unsigned r = 0; r < fixture->requests->len; r++)
      ROW_CHECK (((Request *) g_ptr_array_index (fixture->requests, r))->time.reaped, "%s, %s: request %u", policy, set,
                 r);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

void register_workqueue_tests (void)
{
  CU_pSuite suite = fixture_suite ("workqueue");

  fixture_test (suite, "limits", test_limits);
  fixture_test (suite, "how much runs at once", test_parallel);
  fixture_test (suite, "sequential requests are merged", test_merging);
  fixture_test (suite, "the pool", test_pool);
  fixture_test (suite, "random requests", test_random);
}
