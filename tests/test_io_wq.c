/* io-wq: what is hashed, the order of hashed work, how many workers there are and which of them work. */
#include "model/tctx.h"
#include "tests/io_wq_rows.h"
#include "tests/unit.h"

#include <string.h>

/* ---- which work is hashed, which is concurrent ---- */

static void test_prepare (void)
{
  static const struct {
    const char *rule, *fs;
    unsigned kernel;
    IoOp op;
    gboolean force_async, direct;
    QueueHash hash;
    gboolean hashed, concurrent;
  } rows[] = {
    { "a write", "ext4", KERNEL (6, 3), IO_WRITE, FALSE, FALSE, HASH_INODE, TRUE, FALSE },
    { "a write, 6.18", "ext4", KERNEL (6, 18), IO_WRITE, FALSE, FALSE, HASH_INODE, TRUE, FALSE },
    { "a write, tmpfs", "tmpfs", KERNEL (6, 18), IO_WRITE, FALSE, FALSE, HASH_INODE, TRUE, FALSE },
    { "a read", "ext4", KERNEL (6, 3), IO_READ, FALSE, FALSE, HASH_INODE, FALSE, FALSE },
    { "fsync up to 6.2: not concurrent", "ext4", KERNEL (6, 2), IO_SYNC, FALSE, FALSE, HASH_INODE, FALSE, FALSE },
    { "fsync from 6.3 on", "ext4", KERNEL (6, 3), IO_SYNC, FALSE, FALSE, HASH_INODE, FALSE, TRUE },
    { "sync_file_range from 6.3 on", "ext4", KERNEL (6, 3), IO_SYNC_FILE_RANGE, FALSE, FALSE, HASH_INODE, FALSE, TRUE },
    { "fdatasync from 6.3 on", "ext4", KERNEL (6, 3), IO_DATASYNC, FALSE, FALSE, HASH_INODE, FALSE, TRUE },
    { "IOSQE_ASYNC write, 6.1", "ext4", KERNEL (6, 1), IO_WRITE, TRUE, FALSE, HASH_INODE, TRUE, TRUE },
    { "IOSQE_ASYNC write, 6.18", "ext4", KERNEL (6, 18), IO_WRITE, TRUE, FALSE, HASH_INODE, FALSE, TRUE },
    { "IOSQE_ASYNC read, 6.1", "ext4", KERNEL (6, 1), IO_READ, TRUE, FALSE, HASH_INODE, FALSE, TRUE },
    { "a write to a block device", "block", KERNEL (6, 3), IO_WRITE, FALSE, FALSE, HASH_INODE, FALSE, FALSE },
    { "a direct write, ext4, 6.3", "ext4", KERNEL (6, 3), IO_WRITE, FALSE, TRUE, HASH_INODE, TRUE, FALSE },
    { "a direct write, ext4, 6.4: parallel", "ext4", KERNEL (6, 4), IO_WRITE, FALSE, TRUE, HASH_INODE, FALSE, FALSE },
    { "a direct write, btrfs, 6.4: never parallel", "btrfs", KERNEL (6, 4), IO_WRITE, FALSE, TRUE, HASH_INODE, TRUE,
      FALSE },
    { "5.5: regular files only", "block", KERNEL (5, 5), IO_WRITE, FALSE, FALSE, HASH_INODE, FALSE, FALSE },
    { "5.5: direct ones too", "ext4", KERNEL (5, 5), IO_WRITE, FALSE, TRUE, HASH_INODE, TRUE, FALSE },
    { "5.5: no reads", "ext4", KERNEL (5, 5), IO_READ, FALSE, FALSE, HASH_INODE, FALSE, FALSE },
    { "5.10: a direct write", "ext4", KERNEL (5, 10), IO_WRITE, FALSE, TRUE, HASH_INODE, TRUE, FALSE },
    { "IOSQE_ASYNC write, 5.10", "ext4", KERNEL (5, 10), IO_WRITE, TRUE, FALSE, HASH_INODE, TRUE, TRUE },
    { "IOSQE_ASYNC write, 5.15", "ext4", KERNEL (5, 15), IO_WRITE, TRUE, FALSE, HASH_INODE, TRUE, TRUE },
    { "a policy without hashing", "ext4", KERNEL (6, 3), IO_WRITE, FALSE, FALSE, HASH_NONE, FALSE, FALSE },
    { "a policy that hashes by ring", "ext4", KERNEL (6, 3), IO_WRITE, FALSE, FALSE, HASH_RING, TRUE, FALSE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", rows[i].fs, COSTS_FREE);
    Request request = { .io = { .op = rows[i].op, .length = 4096 },
                        .force_async = rows[i].force_async,
                        .direct = rows[i].direct };
    Ring *ring;

    fixture->setup.kernel = rows[i].kernel;
    fixture->policy->queues[0].hash = rows[i].hash;
    fixture_build (fixture);
    ring = ring_new (fixture->sim, NULL, &(RingSetup){ .entries = 8, .sq_cpu = -1 });
    request.inode = fixture_inode (fixture, 2);
    request.inode->bucket = 17;
    request.ring = ring;
    io_wq_prepare (io_uring_wq (task_new (fixture->sim, "T", TASK_CLASS_APP, -1, NULL, NULL), ring, 0), &request);
    ROW_CHECK (request.hashed == rows[i].hashed, "%s: hashed %d", rows[i].rule, request.hashed);
    ROW_CHECK (request.concurrent == rows[i].concurrent, "%s: concurrent %d", rows[i].rule, request.concurrent);
    ROW_CHECK (!request.hashed || request.bucket == (rows[i].hash == HASH_RING ? ring->id : 17), "%s: bucket %u",
               rows[i].rule, request.bucket);
    fixture_free (fixture);
  }
}

/* IOSQE_ASYNC: whether the file is looked up before the work is prepared. */
static void test_unknown_file (void)
{
  static const struct {
    const char *rule, *fs;
    unsigned kernel;
    IoOp op;
    unsigned sqe_flags;
    gboolean hashed, unbound;
  } rows[] = {
    { "IOSQE_ASYNC write, 6.9: its file is looked up first", "ext4", KERNEL (6, 9), IO_WRITE, 0, TRUE, FALSE },
    { "IOSQE_ASYNC write, 6.10: its file is not known: not hashed, unbounded", "ext4", KERNEL (6, 10), IO_WRITE, 0,
      FALSE, TRUE },
    { "IOSQE_ASYNC read, 6.9: bounded", "ext4", KERNEL (6, 9), IO_READ, 0, FALSE, FALSE },
    { "IOSQE_ASYNC read, 6.10: unbounded", "ext4", KERNEL (6, 10), IO_READ, 0, FALSE, TRUE },
    { "IOSQE_ASYNC fsync, 6.10: bounded, it is none of the operations of sockets", "ext4", KERNEL (6, 10), IO_SYNC, 0,
      FALSE, FALSE },
    { "IOSQE_ASYNC write to a block device, 6.10: unbounded too", "block", KERNEL (6, 10), IO_WRITE, 0, FALSE, TRUE },
    { "IOSQE_ASYNC write, registered file, 6.3", "ext4", KERNEL (6, 3), IO_WRITE, SQE_FIXED_FILE, TRUE, FALSE },
    { "IOSQE_ASYNC write, registered file, 6.4", "ext4", KERNEL (6, 4), IO_WRITE, SQE_FIXED_FILE, FALSE, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", rows[i].fs, COSTS_FREE);
    Request request = { .io = { .op = rows[i].op, .length = 4096 },
                        .force_async = TRUE,
                        .sqe_flags = rows[i].sqe_flags };
    Ring *ring;

    fixture->setup.kernel = rows[i].kernel;
    fixture_build (fixture);
    ring = ring_new (fixture->sim, NULL, &(RingSetup){ .entries = 8, .sq_cpu = -1 });
    request.inode = fixture_inode (fixture, 2);
    request.ring = ring;
    io_wq_prepare (io_uring_wq (task_new (fixture->sim, "T", TASK_CLASS_APP, -1, NULL, NULL), ring, 0), &request);
    ROW_CHECK (request.hashed == rows[i].hashed, "%s: hashed %d", rows[i].rule, request.hashed);
    ROW_CHECK (request.unbound == rows[i].unbound, "%s: unbounded %d", rows[i].rule, request.unbound);
    fixture_free (fixture);
  }
}

/* ---- scripts ---- */

static void test_order (void)
{
  static const WqRow rows[] = {
    { "one file: first in, first out, one at a time", "linux-6.3", NULL,
      "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "one file, workers that sleep: the same", "linux-6.3", SLEEPS,
      "S@1: ring:8 sqe:w0 sqe:w0+3 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "a hashed item joins its run in the list", "linux-6.3", NULL,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "0123", "acbd", "acbd", 1, 1 },
    { "unhashed items keep their place between runs", "linux-6.3 on block", NULL,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "a run is taken whole, what comes meanwhile is a new run", "linux-6.3", NULL,
      "S@1: ring:8 sqe:w0 sqe:w0 sqe:w1 submit run:5 sqe:w0 sqe:w1 submit:5 reap", "0123", "abced", "abced", 1, 1 },
    { "colliding files are one run", "linux-6.3", NULL, "S@1: ring:8 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "5523",
      "abcd", "abcd", 1, 1 },
  };

  WQ_CHECK_ROWS (rows);
}

static void test_parallel (void)
{
  static const WqRow rows[] = {
    { "files in different buckets: in parallel once a worker sleeps", "linux-6.3", SLEEPS,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit:4 reap", "0123", "abcd", "abcd", 4, 4 },
    { "as long as none sleeps one worker is enough", "linux-6.3", NULL,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "up to the limit", "hashed-2", SLEEPS, "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit:4 reap", "0123", "abcd",
      "abcd", 2, 2 },
    { "files that collide: one at a time", "linux-6.18", SLEEPS,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "7723", "abcd", "abcd", 1, 1 },
    { "without hashing one file is written by several workers at once", "unhashed", SLEEPS,
      "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd", "abcd", 4, 4 },
    { "forced reads: each a worker of its own", "linux-6.3", NULL,
      "S@1: ring:8 sqe:ar0 sqe:ar0 sqe:ar0 sqe:ar0 submit:4 reap", "0123", "abcd", "abcd", 4, 4 },
    { "a limit of one", "linux-6.3", NULL,
      "S@1: ring:1 sqe:ar0 submit sqe:ar0 submit sqe:ar0 submit getevents:2 reap getevents:1 reap", "0123", "abc",
      "abc", 1, 1 },
    { "IOSQE_ASYNC writes, 6.1: hashed, many workers, one works", "linux-6.1", NULL,
      "S@1: ring:8 sqe:aw0 sqe:aw0 sqe:aw0 sqe:aw0 submit:4 reap", "0123", "abcd", "abcd", 1, 4 },
    { "IOSQE_ASYNC writes, 6.18: several enter one inode", "linux-6.18", NULL,
      "S@1: ring:8 sqe:aw0 submit run:.001 sqe:aw0 submit run:.001 sqe:aw0 submit run:.001 sqe:aw0 submit:4 reap",
      "0123", "abcd", "abcd", 4, 4 },
    { "a new worker is free until it takes something, and awake: 6.5 creates no other", "linux-6.18", NULL,
      "S@1: ring:8 sqe:aw0 sqe:aw0 sqe:aw0 sqe:aw0 submit:4 reap", "0123", "abcd", "abcd", 1, 1 },
    { "before, it counted only if it had to be woken", "unhashed", "kernel=6.3",
      "S@1: ring:8 sqe:aw0 sqe:aw0 sqe:aw0 sqe:aw0 submit:4 reap", "0123", "abcd", "abcd", 4, 4 },
    { "fsync up to 6.2: no worker of its own", "linux-6.1", "kernel=6.2",
      "S@1: ring:8 sqe:s0 sqe:s0 sqe:s0 submit:3 reap", "0123", "abc", "abc", 1, 1 },
    { "fsync from 6.3 on: each a worker of its own, beside a write of the file", "linux-6.3", NULL,
      "S@1: ring:8 sqe:w0 sqe:s0 sqe:s0 submit:3 reap", "0123", "abc", "abc", 3, 3 },
    { "fsync, up to the limit", "hashed-2", NULL, "S@1: ring:8 sqe:s0 sqe:s0 sqe:s0 sqe:s0 submit:4 reap", "0123",
      "abcd", "abcd", 2, 2 },
  };

  WQ_CHECK_ROWS (rows);
}

static void test_hash_by_ring (void)
{
  static const WqRow row = { "hashed by ring: all files are one bucket",
                             "linux-6.18",
                             SLEEPS,
                             "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit:4 reap",
                             "0123",
                             "abcd",
                             "abcd",
                             1,
                             1 };

  fixture_free (wq_run_row (&row, HASH_RING));
}

/* Who asks for another worker when one goes to sleep inside an item, and who does not. */
static void test_creation (void)
{
  static const WqRow rows[] = {
    { "6.15: a worker that sleeps asks for another, though the list has its own bucket only", "linux-6.18",
      "kernel=6.15, " SLEEPS, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap", "0123", "ab", "ab", 1, 2 },
    { "6.16: not then", "linux-6.18", "kernel=6.16, " SLEEPS, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap",
      "0123", "ab", "ab", 1, 1 },
    { "6.16: for another bucket", "linux-6.18", "kernel=6.16, " SLEEPS,
      "S@1: ring:8 sqe:w0 submit run:5 sqe:w1 submit:2 reap", "0123", "ab", "ab", 2, 2 },
    { "6.16: for unhashed work", "linux-6.18", "kernel=6.16, FileSystem ext4.Fsync=10000, " SLEEPS,
      "S@1: ring:8 sqe:w0 submit run:5 sqe:s0 submit:2 reap", "0123", "ab", "ba", 2, 2 },
    { "who queues while every worker sleeps makes one", "linux-6.18", SLEEPS,
      "S@1: ring:8 sqe:w0 submit run:20 sqe:w1 submit:2 reap", "0123", "ab", "ab", 2, 2 },
    { "also for the same bucket, in vain", "linux-6.18", SLEEPS,
      "S@1: ring:8 sqe:w0 submit run:20 sqe:w0 submit:2 reap", "0123", "ab", "ab", 1, 2 },
    { "who queues while a worker runs does not", "linux-6.18", NULL,
      "S@1: ring:8 sqe:w0+3 submit run:20 sqe:w1 submit:2 reap", "0123", "ab", "ab", 1, 1 },
    { "one at a time: who has asked does not ask again before the owner has run", "linux-6.3", SLEEPS,
      "S@1: ring:8 sqe:w0 sqe:w1 sqe:w2 sqe:w3 submit kernel run:1000 submit:4 reap", "0123", "abcd", "abcd", 1, 2 },
    { "then it may", "linux-6.3", SLEEPS,
      "S@1: user ring:8 sqe:w0 sqe:w1 submit run:200 submit:2 reap run:100 sqe:w0 submit run:1 sqe:w1 submit run:1 "
      "sqe:w2 submit:3 reap",
      "0123", "abcde", "abcde", 3, 3 },
    { "queueing clears STALLED: work that may run starts though the rest of the list waits for a bucket", "linux-6.18",
      NULL,
      "S@1: ring:8 sqe:s1 submit run:.001 sqe:s2 submit:2 reap run:100 sqe:w0+5 submit run:1 sqe:w0 submit run:5 "
      "sqe:s1 submit:3 reap",
      "0123", "abced", "abecd", 2, 2 },
    { "a free worker is woken before one is made", "linux-6.18", NULL,
      "S@1: ring:8 sqe:w0 submit:1 reap run:100 sqe:w1 submit:1 reap", "0123", "ab", "ab", 1, 1 },
    { "spinning for the lock is running: no new worker", "linux-6.18", NULL,
      "L/0: write run:50 unlock | S@1/1: ring:8 sqe:w0 submit run:5 sqe:w1 submit:2 reap", "0123", "ab", "ab", 1, 1 },
    { "sleeping for the lock is not", "linux-6.18", NULL,
      "L/0: write sleep:50 unlock | S@1/1: ring:8 sqe:w0 submit run:5 sqe:w1 submit:2 reap", "0123", "ab", "ba", 2, 2 },
  };

  WQ_CHECK_ROWS (rows);
}

/* An enqueue to a busy bucket wakes an idle worker, which finds nothing. */
static void test_futile_wakeups (void)
{
  static const struct {
    WqRow row;
    uint64_t futile;
  } rows[] = {
    { { "none with one worker", "linux-6.3", NULL,
        "S@1: ring:8 sqe:w0+10 submit run:10 sqe:w0 submit run:10 sqe:w0 submit:3 reap", "0123", "abc", "abc", 1, 1 },
      0 },
    { { "each enqueue to the busy bucket; not the end of its run, as whose flag is clear has nobody to wake",
        "linux-6.3", NULL,
        "S@1: ring:8 sqe:ar1 sqe:ar1 submit:2 reap sqe:w0+10 submit run:10 sqe:w0 submit run:10 sqe:w0 submit run:10 "
        "sqe:w0 submit:4 reap",
        "0123", "abcdef", "abcdef", 2, 2 },
      3 },
    { { "none if the woken worker has work of another bucket", "linux-6.3", NULL,
        "S@1: ring:8 sqe:ar1 sqe:ar1 submit:2 reap sqe:w0+10 submit run:10 sqe:w1 submit:2 reap", "0123", "abcd",
        "abdc", 2, 2 },
      0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = wq_run_row (&rows[i].row, HASH_NONE);

    ROW_CHECK (fixture->sim->count.futile_wakeups == rows[i].futile, "%s: %d in vain", rows[i].row.rule,
               (int) fixture->sim->count.futile_wakeups);
    fixture_free (fixture);
  }
}

/* ---- who works, who is idle, who leaves ---- */

typedef struct {
  char running[16];
  unsigned alive, pending, executing, idle;
} Pool;

static void look (Fixture *fixture, gpointer data)
{
  Pool *pool = data;
  const IoWq *wq = io_uring_wq_peek (fixture->ring, 0);
  unsigned n = 0, worker = 0;

  for (unsigned i = 0; i < fixture->sim->tasks->len; i++) {
    const Task *task = g_ptr_array_index (fixture->sim->tasks, i);

    if (task->class == TASK_CLASS_WORKER) {
      worker++;
      if (task->state == TASK_RUNNING)
        pool->running[n++] = (char) ('0' + worker);
    }
  }
  pool->running[n] = '\0';
  pool->alive = fixture->sim->count.workers_alive;
  pool->pending = io_wq_pending (wq);
  pool->executing = io_wq_running (wq);
  pool->idle = io_wq_idle (wq);
}

/* The state at a time: which workers run (by order of creation), how many there are, what the queue counts. */
static const struct {
  const char *rule, *policy, *script;
  double at;
  Pool pool;
} pool_rows[] = {
  { "three work",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    5,
    { "123", 3, 0, 3, 0 } },
  { "the first is done",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    15,
    { "23", 3, 0, 2, 1 } },
  { "all are idle",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    35,
    { "", 3, 0, 0, 3 } },
  { "the last to become idle is woken",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 "
    "submit:3 run:100 sqe:ar3 submit:4 reap",
    135,
    { "3", 3, 0, 1, 2 } },
  { "another order",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+3 submit run:.001 sqe:aw1+1 submit run:.001 sqe:aw2+2 "
    "submit:3 run:100 sqe:ar3 submit:4 reap",
    135,
    { "1", 3, 0, 1, 2 } },
  { "then the one before",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+3 submit run:.001 sqe:aw1+1 submit run:.001 sqe:aw2+2 "
    "submit:3 run:100 sqe:ar3 submit run:1 sqe:ar3 submit:5 reap",
    135,
    { "13", 3, 0, 2, 1 } },
  { "work beyond the limit is pending",
    "hashed-2",
    "S@1: ring:8 sqe:ar3 submit run:.001 sqe:ar3 submit run:.001 sqe:ar3 sqe:ar3 submit:4 reap",
    5,
    { "12", 2, 2, 2, 0 } },
  { "a run that was taken is not pending",
    "linux-6.3",
    "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 submit:3 reap",
    5,
    { "1", 1, 0, 1, 0 } },
  { "idle for less than 5 s: all stay",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    5000010.999,
    { "", 3, 0, 0, 3 } },
  { "idle for 5 s: the first leaves",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    5000012,
    { "", 2, 0, 0, 2 } },
  { "the next too",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    5000022,
    { "", 1, 0, 0, 1 } },
  { "the last one stays",
    "linux-6.18",
    "S@1: ring:8 sqe:aw0+1 submit run:.001 sqe:aw1+2 submit run:.001 sqe:aw2+3 submit:3 reap",
    60000000,
    { "", 1, 0, 0, 1 } },
  { "work starts the 5 s again",
    "linux-6.18",
    "S@1: ring:8 sqe:ar3 submit run:.001 sqe:ar3 submit:2 run:3000000 sqe:ar3 submit run:1 sqe:ar3 submit:4 reap",
    7999999,
    { "", 2, 0, 0, 2 } },
};

static void test_pool (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (pool_rows); i++) {
    Fixture *fixture = fixture_new (pool_rows[i].policy, "ext4", COSTS_FREE);
    const Pool *expected = &pool_rows[i].pool;
    Pool pool = { "not looked at", 0, 0, 0, 0 };

    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    fixture_script (fixture, pool_rows[i].script);
    fixture_at (fixture, (UrTime) (pool_rows[i].at * 1000), look, &pool);
    fixture_run (fixture, pool_rows[i].rule);
    ROW_CHECK (strcmp (pool.running, expected->running) == 0 && pool.alive == expected->alive, "%s: %s of %u run",
               pool_rows[i].rule, pool.running, pool.alive);
    ROW_CHECK (pool.pending == expected->pending && pool.executing == expected->executing &&
                   pool.idle == expected->idle,
               "%s: pending %u, executing %u, idle %u", pool_rows[i].rule, pool.pending, pool.executing, pool.idle);
    fixture_free (fixture);
  }
}

/* Two enqueues at once with two workers idle: up to 6.4 each wakes one; later the first worker, still on the free list,
 * counts as woken by the second enqueue too. */
static void test_woken_twice (void)
{
  static const struct {
    const char *kernel, *running;
  } rows[] = { { "kernel=6.4", "12" }, { "kernel=6.5", "2" } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    Pool pool = { "not looked at", 0, 0, 0, 0 };

    fixture_set (fixture, TEN_US);
    fixture_set (fixture, rows[i].kernel);
    fixture_build (fixture);
    fixture_script (fixture,
                    "S@1: ring:8 sqe:ar0 submit run:.001 sqe:ar1 submit:2 reap run:100 sqe:ar2 sqe:ar3 submit:2 reap");
    fixture_at (fixture, 115 * UR_US, look, &pool);
    fixture_run (fixture, rows[i].kernel);
    ROW_CHECK (strcmp (pool.running, rows[i].running) == 0, "%s: %s run", rows[i].kernel, pool.running);
    fixture_free (fixture);
  }
}

/* ---- costs ---- */

/* What a punt costs whom, from the machine's own figures: depth 1, the worker idle or yet to be made. */
static void test_costs (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
  const MachineValue *cost = fixture->machine->cost;
  const Request *first, *second;
  UrTime scan, item;

  fixture_set (fixture, "FileSystem ext4.SleepEvery=0, Scheduler.IdleExitDeep=2500");
  fixture_build (fixture);
  fixture_script (fixture, "S/0: user ring:1,coop,defer sqe:w0 submit:1 reap run:100 sqe:w0 submit:1 reap");
  fixture_run (fixture, "costs of a punt");
  first = g_ptr_array_index (fixture->requests, 0);
  second = g_ptr_array_index (fixture->requests, 1);
  scan = cost[COST_LOCK_TRANSFER].ns + cost[COST_WORKER_SCAN].ns;
  item = cost[COST_WORKER_ITEM].ns + cost[COST_WORKER_FETCH].ns;
  ROW_CHECK (first->time.verdict - first->time.attempt == cost[COST_ATTEMPT_REFUSED].ns,
             "the attempt is refused: %d ns", (int) (first->time.verdict - first->time.attempt));
  ROW_CHECK (first->time.queued - first->time.verdict == cost[COST_PUNT].ns + cost[COST_LOCK_FAST].ns,
             "the punt: %d ns", (int) (first->time.queued - first->time.verdict));
  ROW_CHECK (first->time.started - first->time.queued == cost[COST_THREAD_CREATE].ns + cost[COST_IDLE_EXIT].ns +
                                                             cost[COST_SWITCH].ns + cost[COST_THREAD_START].ns + scan +
                                                             item,
             "a worker is made: %d ns", (int) (first->time.started - first->time.queued));
  ROW_CHECK (second->time.started - second->time.queued == 2 * cost[COST_LOCK_TRANSFER].ns + cost[COST_WAKE_REMOTE].ns +
                                                               cost[COST_IDLE_EXIT].ns + cost[COST_SWITCH].ns + scan +
                                                               item,
             "a worker is woken: %d ns", (int) (second->time.started - second->time.queued));
  ROW_CHECK (second->time.posted - second->time.done == cost[COST_TASK_WORK_ADD].ns + cost[COST_WAKE_REMOTE].ns +
                                                            cost[COST_IDLE_EXIT].ns + cost[COST_SWITCH].ns +
                                                            cost[COST_WAIT_WOKEN].ns + cost[COST_TASK_WORK].ns +
                                                            cost[COST_CQE_BATCH].ns,
             "the submitter is woken and posts: %d ns", (int) (second->time.posted - second->time.done));
  fixture_free (fixture);
}

/* ---- many requests at random ---- */

/* Hashed work of a bucket starts in the order in which it was queued, one after the other. */
static void check_buckets (const Fixture *fixture, const char *row)
{
  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *one = g_ptr_array_index (fixture->requests, i);

    ROW_CHECK (one->time.posted && one->time.reaped, "%s: request %u is complete", row, i);
    for (unsigned k = 0; k < i; k++) {
      const Request *before = g_ptr_array_index (fixture->requests, k);

      if (one->hashed && before->hashed && one->bucket == before->bucket)
        ROW_CHECK (before->time.queued <= one->time.queued && before->time.done <= one->time.started,
                   "%s: requests %u and %u of bucket %u", row, k, i, one->bucket);
    }
  }
}

static void append_requests (GString *script, UrRandom *random)
{
  static const char *const kinds[] = { "w", "w", "w", "w", "r", "s", "aw", "ar" };
  unsigned left = 20 + (unsigned) ur_random_below (random, 32);

  g_string_append_printf (script, "S@1: user ring:64%s", ur_random_below (random, 2) ? ",coop,defer" : "");
  for (unsigned n = left; n > 0; n--) {
    const char *kind = kinds[ur_random_below (random, G_N_ELEMENTS (kinds))];
    unsigned file = (unsigned) ur_random_below (random, FIXTURE_FILES);

    g_string_append_printf (script, " sqe:%s%u+%u", kind, file, 1 + (unsigned) ur_random_below (random, 4));
    if (ur_random_below (random, 3) == 0)
      g_string_append_printf (script, " submit run:%u", (unsigned) ur_random_below (random, 60));
  }
  g_string_append_printf (script, " submit:%u reap", left);
}

static void test_random (void)
{
  static const char *const policies[] = { "linux-6.1", "linux-6.3", "linux-6.18", "hashed-2", "always-punt" };
  static const char *const kernels[] = { "6.1", "6.3", "6.5", "6.15", "6.16", "6.18" };

  for (unsigned i = 0; i < 90; i++) {
    Fixture *fixture = fixture_new (policies[i % G_N_ELEMENTS (policies)], "ext4", COSTS_SHIPPED);
    GString *script = g_string_new (NULL);
    UrRandom random;
    char buckets[FIXTURE_FILES + 1] = { 0 };
    unsigned cpus;
    g_autofree char *set = NULL;

    ur_random_init_indexed (&random, 1, "io-wq", i);
    cpus = 1u << ur_random_below (&random, 4);
    set = g_strdup_printf ("CPU.Count=%u, kernel=%s, FileSystem ext4.SleepEvery=%u", cpus,
                           kernels[i % G_N_ELEMENTS (kernels)], (unsigned) ur_random_below (&random, 10));
    for (unsigned k = 0; k < FIXTURE_FILES; k++)
      buckets[k] = (char) ('0' + ur_random_below (&random, 4));
    fixture_set (fixture, set);
    fixture_build (fixture);
    wq_set_buckets (fixture, buckets);
    append_requests (script, &random);
    fixture_script (fixture, script->str);
    fixture_run (fixture, set);
    check_buckets (fixture, set);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

void register_io_wq_tests (void)
{
  CU_pSuite suite = fixture_suite ("io-wq");

  fixture_test (suite, "which work is hashed", test_prepare);
  fixture_test (suite, "forced work on a file that is not known yet", test_unknown_file);
  fixture_test (suite, "order", test_order);
  fixture_test (suite, "parallel", test_parallel);
  fixture_test (suite, "hashed by ring", test_hash_by_ring);
  fixture_test (suite, "creation of workers", test_creation);
  fixture_test (suite, "futile wake-ups", test_futile_wakeups);
  fixture_test (suite, "the pool", test_pool);
  fixture_test (suite, "who counts as woken", test_woken_twice);
  fixture_test (suite, "costs of a punt", test_costs);
  fixture_test (suite, "one at a time at random", test_random);
}
