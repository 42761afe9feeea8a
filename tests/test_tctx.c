/* Who owns an io-wq: the task from 5.12 on, the ring before; which hash, limits and CPUs it has. */
#include "model/tctx.h"
#include "tests/io_wq_rows.h"
#include "tests/unit.h"

#include <string.h>

/* ---- whose workers, whose hash ---- */

/* contended: times that the lock of file 0 was not free; owners: tasks with an io-wq that was used. */
typedef struct {
  const char *rule, *policy, *set, *script;
  unsigned parallel, workers, contended, owners;
} OwnerRow;

static unsigned count_owners (const Fixture *fixture)
{
  unsigned n = 0;

  for (unsigned i = 0; i < fixture->sim->tasks->len; i++) {
    const Task *task = g_ptr_array_index (fixture->sim->tasks, i);

    n += task->tctx && task->tctx->io_wq[0];
  }
  return n;
}

static void test_owner (void)
{
  static const OwnerRow rows[] = {
    { "two rings of one task: one io-wq, limits of the first", "linux-5.15", NULL,
      "S@1: ring:1 sqe:ar0 submit:1 reap ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit:3 reap",
      1, 1, 0, 1 },
    { "and on 6.18", "linux-6.18", NULL,
      "S@1: ring:1 sqe:s0 submit:1 reap ring:8 sqe:s0 submit run:.001 sqe:s0 submit run:.001 sqe:s0 submit:3 reap",
      1, 1, 0, 1 },
    { "5.10: one io-wq per ring, each with its limit", "linux-5.10", NULL,
      "S@1: ring:1 sqe:ar0 submit:1 reap ring:8 run:10 sqe:ar0 submit run:1 sqe:ar0 submit run:1 sqe:ar0 submit:3 reap",
      3, 4, 0, 0 },
    { "two tasks, two rings, one file: two hashes, both write, the inode's lock serialises", "linux-6.18", SLEEPS,
      "A@1/0: ring:8 sqe:w0 sqe:w0 submit:2 reap | B@2/1: ring:8 sqe:w0 sqe:w0 submit:2 reap", 2, 2, 2, 2 },
    { "the same on 5.15", "linux-5.15", SLEEPS,
      "A@1/0: ring:8 sqe:w0 sqe:w0 submit:2 reap | B@2/1: ring:8 sqe:w0 sqe:w0 submit:2 reap", 2, 2, 2, 2 },
    { "two tasks on one ring: two io-wqs, one hash, one writes at a time", "linux-6.18", SLEEPS,
      "A@1/0: ring:8 sqe:w0 sqe:w0 submit run:1000 submit:4 reap | B@20/1: sqe:w0 submit run:1 sqe:w0 submit", 1, 2, 0,
      2 },
    { "5.10: two tasks on one ring: one io-wq", "linux-5.10", SLEEPS,
      "A@1/0: ring:8 run:10 sqe:w0 sqe:w0 submit run:1000 submit:4 reap | B@30/1: sqe:w0 submit run:1 sqe:w0 submit", 1,
      3, 0, 0 },
    { "5.6 to 5.11, ATTACH_WQ: two rings share io-wq and hash", "linux-5.10", NULL,
      "A@1/0: ring:8 run:20 sqe:w0+3 submit:1 reap | B@2/1: ring:8,attach=0 run:20 sqe:w0+3 submit:1 reap", 1, 1, 0,
      0 },
    { "without it they do not", "linux-5.10", NULL,
      "A@1/0: ring:8 run:20 sqe:w0+3 submit:1 reap | B@2/1: ring:8 run:20 sqe:w0+3 submit:1 reap", 2, 2, 1, 0 },
    { "with SQPOLL the sq_thread owns it", "linux-6.18", NULL,
      "S/0: ring:4,sqpoll,idle=10000 run:50 sqe:w0 notify run:100 reap", 1, 1, 0, 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const WqRow row = { rows[i].rule, rows[i].policy, rows[i].set,      rows[i].script, "0123",
                        NULL,         NULL,           rows[i].parallel, rows[i].workers };
    Fixture *fixture = wq_run_row (&row, HASH_NONE);
    unsigned contended = (unsigned) fixture_inode (fixture, 0)->rwsem.count.contended;

    ROW_CHECK (contended == rows[i].contended, "%s: contended %u times", rows[i].rule, contended);
    ROW_CHECK (count_owners (fixture) == rows[i].owners, "%s: %u owners", rows[i].rule, count_owners (fixture));
    if (fixture->ring->sq_thread)
      ROW_CHECK (fixture->ring->sq_thread->tctx->io_wq[0] && !fixture->ring->submitter->tctx, "%s: the sq_thread",
                 rows[i].rule);
    fixture_free (fixture);
  }
}

/* What one task waits for, a worker of the other does: the end of a run wakes who waits for the bucket, whoever owns
 * him. */
static void test_hash_wake (void)
{
  static const WqRow rows[] = {
    { "a worker of another io-wq waits for the bucket and gets it at once", "linux-6.18", NULL,
      "A@1/0: ring:8 sqe:w0+3 submit run:1000 submit:2 reap | B@5/3: sqe:w0 submit", "0123", "ab", "ab", 1, 2 },
    { "its other work runs meanwhile", "linux-6.18", NULL,
      "A@1/0: ring:8 sqe:w0+3 submit run:1000 submit:3 reap | B@5/3: sqe:w0 sqe:w1 submit", "0123", "acb", "cab", 2,
      2 },
    { "three wait", "linux-6.18", NULL,
      "A@1/0: ring:8 sqe:w0+3 submit run:1000 submit:4 reap | B@5/3: sqe:w0 submit | C@6/4: sqe:w0 submit | "
      "D@7/5: sqe:w0 submit",
      "0123", NULL, NULL, 1, 4 },
  };
  Fixture *fixture;
  const Request *first, *second;

  WQ_CHECK_ROWS (rows);
  fixture = wq_run_row (&rows[0], HASH_NONE);
  first = g_ptr_array_index (fixture->requests, 0);
  second = g_ptr_array_index (fixture->requests, 1);
  ROW_CHECK (second->time.started == first->time.done, "%" G_GUINT64_FORMAT " ns later",
             second->time.started - first->time.done);
  fixture_free (fixture);
}

/* ---- IORING_REGISTER_IOWQ_MAX_WORKERS ---- */

#define FOUR_READS "sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit:4 reap"
/* From 6.10 on forced reads are unbounded. */
#define FOUR_SYNCS "sqe:s0 submit run:.001 sqe:s0 submit run:.001 sqe:s0 submit run:.001 sqe:s0 submit:4 reap"
#define FOUR_UNBOUNDED \
  "sqe:uar0 submit run:.001 sqe:uar0 submit run:.001 sqe:uar0 submit run:.001 sqe:uar0 submit:4 reap"

static void test_max_workers (void)
{
  static const struct {
    const char *rule, *policy, *set, *script, *log;
    unsigned parallel, workers;
  } rows[] = {
    { "a lower limit", "linux-6.18", NULL, "S@1: ring:8 iowq:2 " FOUR_SYNCS, "S@1 was 8:63000, S@21.001 reap abcd", 2,
      2 },
    { "5.15", "linux-5.15", NULL, "S@1: ring:8 iowq:2 " FOUR_READS, "S@1 was 8:63000, S@21.001 reap abcd", 2, 2 },
    { "a higher limit than the ring's entries", "linux-6.18", NULL, "S@1: ring:2 iowq:3 " FOUR_SYNCS,
      "S@1 was 2:63000, S@21 reap abcd", 3, 3 },
    { "0 leaves it as it is", "linux-6.18", NULL, "S@1: ring:8 iowq:0:1 " FOUR_SYNCS,
      "S@1 was 8:63000, S@11.003 reap abcd", 4, 4 },
    { "the old values come back", "linux-6.18", NULL, "S@1: ring:8 iowq:3:5 iowq:0:0 iowq:4 iowq:0",
      "S@1 was 8:63000, "
      "S@1 was 3:5, S@1 was 3:5, S@1 was 4:5",
      0, 0 },
    { "unbounded: not the ring's entries", "linux-6.18", NULL, "S@1: ring:2 " FOUR_UNBOUNDED, "S@11.003 reap abcd", 4,
      4 },
    { "unbounded: its own limit", "linux-6.18", NULL, "S@1: ring:8 iowq:0:2 " FOUR_UNBOUNDED,
      "S@1 was 8:63000, S@21.001 reap abcd", 2, 2 },
    { "the classes do not share workers", "linux-6.18", NULL,
      "S@1: ring:8 iowq:1:1 sqe:s0 submit run:.001 sqe:uar0 submit run:.001 sqe:s0 sqe:uar0 submit:4 reap",
      "S@1 was 8:63000, S@21.001 reap abcd", 2, 2 },
    { "never more than RLIMIT_NPROC", "linux-6.18", NULL, "S@1: ring:8 iowq:100000:100000 iowq:0",
      "S@1 was 8:63000, "
      "S@1 was 63000:63000",
      0, 0 },
    { "before the first use of a queue too", "linux-6.18", NULL, "S@1: ring:8 iowq:1 " FOUR_SYNCS,
      "S@1 was 8:63000, S@41 reap abcd", 1, 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const WqRow row = { rows[i].rule, rows[i].policy, rows[i].set,      rows[i].script, "0123",
                        NULL,         NULL,           rows[i].parallel, rows[i].workers };
    Fixture *fixture = wq_run_row (&row, HASH_NONE);

    fixture_check_log (fixture, rows[i].rule, rows[i].log);
    fixture_free (fixture);
  }
}

/* ---- how many live, and where they run ---- */

typedef struct {
  unsigned alive, idle;
  char cpus[32]; /* of the workers that run */
} Pool;

static void look (Fixture *fixture, gpointer data)
{
  Pool *pool = data;
  GString *cpus = g_string_new (NULL);

  pool->alive = fixture->sim->count.workers_alive;
  pool->idle = io_wq_idle (io_uring_wq_peek (fixture->ring, 0));
  for (unsigned i = 0; i < fixture->sim->n_cpus; i++) {
    const Task *task = fixture->sim->cpus[i].current;

    if (task && task->class == TASK_CLASS_WORKER)
      g_string_append_printf (cpus, "%s%u", cpus->len ? " " : "", i);
  }
  g_strlcpy (pool->cpus, cpus->str, sizeof pool->cpus);
  g_string_free (cpus, TRUE);
}

static const struct {
  const char *rule, *policy, *set, *script;
  double at;
  Pool pool;
} pool_rows[] = {
  { "a lower limit kills nobody", "linux-6.18", NULL, "S@1: ring:8 " FOUR_READS " iowq:1", 1000, { 4, 4, "" } },
  { "they leave when they have been idle for 5 s",
    "linux-6.18",
    NULL,
    "S@1: ring:8 " FOUR_READS " iowq:1",
    5000100,
    { 1, 1, "" } },
  { "6.18: without a ring the last one stays",
    "linux-6.18",
    NULL,
    "S@1: ring:8 " FOUR_READS " leave",
    9000000,
    { 1, 1, "" } },
  { "6.19: without a ring all leave at once",
    "linux-6.18",
    "kernel=6.19",
    "S@1: ring:8 " FOUR_READS " leave",
    100,
    { 0, 0, "" } },
  { "6.19: with another ring they stay",
    "linux-6.18",
    "kernel=6.19",
    "S@1: ring:8 ring:8 " FOUR_READS " leave",
    100,
    { 4, 4, "" } },
  { "6.19: a new ring ends it",
    "linux-6.18",
    "kernel=6.19",
    "S@1: ring:8 " FOUR_READS " leave run:10 ring:8 sqe:ar0 submit:1 reap",
    100,
    { 1, 1, "" } },
  { "workers run where they may", "linux-6.18", NULL, "S@1/0: ring:8 aff:5-8 " FOUR_READS, 5, { 4, 0, "5 6 7 8" } },
  { "and share a CPU if there is but one", "linux-6.18", NULL, "S@1/0: ring:8 aff:7 " FOUR_READS, 5, { 2, 1, "7" } },
  { "5.15, two nodes: the mask counts instead of the node",
    "linux-5.15",
    "CPU.Nodes=2",
    "S@1/0: ring:8 aff:12-15 " FOUR_READS,
    5,
    { 4, 0, "12 13 14 15" } },
  { "with SQPOLL those of the sq_thread",
    "linux-6.18",
    NULL,
    "S@1/0: ring:8,sqpoll,idle=10000 aff:9 run:50 sqe:ar0 notify run:100 reap",
    55,
    { 1, 0, "9" } },
  { "6.3: the last one leaves too when it is where it may not be",
    "linux-6.18",
    NULL,
    "S@1/0: ring:8 sqe:ar0 submit:1 reap aff:9",
    6000000,
    { 0, 0, "" } },
  { "6.2: it stays", "linux-6.1", "kernel=6.2", "S@1/0: ring:8 sqe:ar0 submit:1 reap aff:9", 6000000, { 1, 1, "" } },
  { "two nodes: workers of the submitter's",
    "linux-6.1",
    "CPU.Nodes=2",
    "S@1/0: ring:8 " FOUR_READS,
    5,
    { 4, 0, "1 2 3 4" } },
  { "and on the other node", "linux-6.1", "CPU.Nodes=2", "S@1/15: ring:8 " FOUR_READS, 5, { 4, 0, "8 9 10 11" } },
  { "they wait for a CPU of their node", "linux-6.1", "CPU.Nodes=8", "S@1/0: ring:8 " FOUR_READS, 5, { 4, 2, "0 1" } },
};

static void test_pool (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (pool_rows); i++) {
    Fixture *fixture = fixture_new (pool_rows[i].policy, "ext4", COSTS_FREE);
    const Pool *expected = &pool_rows[i].pool;
    Pool pool = { 99, 99, "" };

    fixture_set (fixture, TEN_US);
    if (pool_rows[i].set)
      fixture_set (fixture, pool_rows[i].set);
    fixture_build (fixture);
    fixture_script (fixture, pool_rows[i].script);
    fixture_at (fixture, (UrTime) (pool_rows[i].at * 1000), look, &pool);
    fixture_run (fixture, pool_rows[i].rule);
    ROW_CHECK (pool.alive == expected->alive && pool.idle == expected->idle && strcmp (pool.cpus, expected->cpus) == 0,
               "%s: %u alive, %u idle, on CPUs %s", pool_rows[i].rule, pool.alive, pool.idle, pool.cpus);
    fixture_free (fixture);
  }
}

/* ---- NUMA ---- */

static void test_nodes (void)
{
  static const WqRow rows[] = {
    { "up to 6.3 a limit per node: A's node and B's node have two workers each", "hashed-2", "CPU.Nodes=2, kernel=6.3",
      "A@1/0: ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit run:1 submit:3 reap | "
      "B@1.5/8: ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit:3 reap",
      "0123", NULL, NULL, 4, 4 },
    { "one ring, its task moves: limits count on each node", "hashed-2", "CPU.Nodes=2, kernel=6.3",
      "A@1~0: ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit move:8 sqe:ar0 submit run:.001 "
      "sqe:ar0 submit run:.001 sqe:ar0 submit:6 reap",
      "0123", NULL, NULL, 4, 4 },
    { "6.4: they do not", "hashed-2", "CPU.Nodes=2, kernel=6.4",
      "A@1~0: ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit move:8 sqe:ar0 submit run:.001 "
      "sqe:ar0 submit run:.001 sqe:ar0 submit:6 reap",
      "0123", "abcdef", "abcdef", 2, 2 },
    { "order per node: hashed work of one file comes out of order when the submitter moves", "linux-6.1", "CPU.Nodes=2",
      "A@1~0: ring:8 sqe:w0+3 submit run:1 sqe:w1 sqe:w0 submit run:1 move:8 sqe:w0 submit:4 reap", "0123", "abdc",
      "abdc", 2, 2 },
    { "6.4: in order", "linux-6.3", "CPU.Nodes=2, kernel=6.4",
      "A@1~0: ring:8 sqe:w0+3 submit run:1 sqe:w1 sqe:w0 submit run:1 move:8 sqe:w0 submit:4 reap", "0123", "abcd",
      "abcd", 1, 1 },
    { "5.3: max_active per node", "linux-5.3", "CPU.Nodes=2",
      "A@1~0: ring:2 sqe:w0 sqe:w1 submit move:8 sqe:w2 sqe:w3 submit:4 reap", "0123", "acbd", "acbd", 2, 4 },
    { "6.9: over all nodes", "linux-5.3", "CPU.Nodes=2, kernel=6.9",
      "A@1~0: ring:2 sqe:w0 sqe:w1 submit move:8 sqe:w2 sqe:w3 submit:4 reap", "0123", "abcd", "abcd", 1, 4 },
    { "6.6: per CPU", "linux-5.3", "kernel=6.6",
      "A@1~0: ring:2 sqe:w0 sqe:w1 submit move:8 sqe:w2 sqe:w3 submit:4 reap", "0123", "acbd", "acbd", 2, 3 },
  };

  WQ_CHECK_ROWS (rows);
}

void register_tctx_tests (void)
{
  CU_pSuite suite = fixture_suite ("tctx");

  fixture_test (suite, "who owns an io-wq", test_owner);
  fixture_test (suite, "a shared hash", test_hash_wake);
  fixture_test (suite, "limits", test_max_workers);
  fixture_test (suite, "who lives and runs where", test_pool);
  fixture_test (suite, "nodes", test_nodes);
}
