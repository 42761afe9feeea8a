/* Spinlocks as FIFO servers: order, hand-over, time ahead; completion_lock, the locks of an io-wq. */
#include "model/io_wq_private.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

typedef struct {
  Spinlock lock;
  unsigned n;
  UrTime took[8], at[8];
} Held;

static void spinlock_body (Task *task, void *data)
{
  Held *held = data;
  unsigned n = held->n++;

  task_sync (task);
  held->took[n] = spinlock_hold (task, &held->lock, 100);
  held->at[n] = task_now (task);
}

/* First in, first out: each waits for all that came before, spinning; the line's transfer is part of the hold. */
static void test_fifo (void)
{
  static const unsigned contenders[] = { 1, 2, 3, 8 };

  for (unsigned k = 0; k < G_N_ELEMENTS (contenders); k++) {
    unsigned n = contenders[k];
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    Held held = { .n = 0 };
    uint64_t spin = 0, waited = 0;

    fixture_set (fixture, "CPU.Count=8, Locks.Fast=25, Locks.Transfer=60");
    fixture_build (fixture);
    for (unsigned i = 0; i < n; i++)
      task_start (task_new (fixture->sim, "holder", TASK_CLASS_APP, (int) i, spinlock_body, &held), NULL);
    fixture_run (fixture, "spinlock");
    for (unsigned i = 0; i < n; i++) {
      UrTime expected = 125 + i * 160;

      ROW_CHECK (held.took[i] == expected && held.at[i] == expected, "holder %u of %u: took %d", i, n,
                 (int) held.took[i]);
      spin += fixture->sim->cpus[i].spin;
      waited += i ? 125 + (i - 1) * 160 : 0;
    }
    ROW_CHECK (spin == waited, "%u spun %d ns", n, (int) spin);
    fixture_free (fixture);
  }
}

typedef struct {
  Spinlock lock;
  UrTime ahead_at, ahead_took, between_took;
} Ahead;

static void ahead_body (Task *task, void *data)
{
  Ahead *ahead = data;

  task_run (task, 1000);
  ahead->ahead_took = spinlock_hold (task, &ahead->lock, 100);
  ahead->ahead_at = task_now (task);
}

static void between_body (Task *task, void *data)
{
  Ahead *ahead = data;

  task_run (task, 300);
  task_sync (task);
  ahead->between_took = spinlock_hold (task, &ahead->lock, 100);
}

/* A task whose charged time has not passed takes the lock ahead of its time: nobody waits for it before then. */
static void test_spinlock_ahead (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
  Ahead ahead = { .ahead_at = 0 };

  fixture_set (fixture, "CPU.Count=8");
  fixture_build (fixture);
  task_start (task_new (fixture->sim, "ahead", TASK_CLASS_APP, 0, ahead_body, &ahead), NULL);
  task_start (task_new (fixture->sim, "between", TASK_CLASS_APP, 1, between_body, &ahead), NULL);
  fixture_run (fixture, "spinlock ahead of time");
  ROW_CHECK (ahead.ahead_took == 100 && ahead.ahead_at == 1100, "ahead: %d at %d", (int) ahead.ahead_took,
             (int) ahead.ahead_at);
  ROW_CHECK (ahead.between_took == 100, "in between: %d", (int) ahead.between_took);
  fixture_free (fixture);
}

/* completion_lock: who posts one completion waits for all that came before; a line from another CPU costs its transfer.
 */
static void test_completion_lock (void)
{
  static const ScriptRow rows[] = {
    { "one poster, the line in its own cache after the first", NULL,
      "S/0: ring:8 run:9 reap | P@1/1: post:w0 say:p post:w0 say:q", "P@2.06 p, P@3.085 q, S@9 reap ab" },
    { "three at once: in the order of their coming", NULL,
      "S/0: ring:8 run:9 reap | P@1/1: post:w0 say:p | Q@1/2: post:w0 say:q | R@1/3: post:w0 say:r",
      "P@2.06 p, Q@3.12 q, R@4.18 r, S@9 reap abc" },
    { "an inline batch is one holder", NULL, "S/0: ring:8 sqe:r0 sqe:r0 submit reap run:2 reap | P/1: post:w0 say:p",
      "S@0.065 reap ab, P@1.125 p, S@2.065 reap c" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3",
                      "CPU.Count=4, Locks.Fast=25, Locks.Transfer=60, Ring.CqeSingle=1000, Ring.CqeBatch=20");
}

/* The lock of a list of work: a new worker scans the list for 5 us, and who queues meanwhile waits. */
static void test_acct_lock (void)
{
  static const ScriptRow rows[] = {
    { "who queues waits for who scans the list", NULL,
      "S/0: ring:8 sqe:ar0 submit run:1 sqe:ar0 submit say:queued getevents:2 reap", "S@5 queued, S@10 reap ab" },
    { "from 5.18 on a list of each class has its own lock", "kernel=5.18",
      "S/0: ring:8 sqe:ar0 submit run:1 sqe:aur0 submit say:queued getevents:2 reap", "S@1 queued, S@6 reap ab" },
    { "before, the wqe's lock is that of both", "kernel=5.17",
      "S/0: ring:8 sqe:ar0 submit run:1 sqe:aur0 submit say:queued getevents:2 reap", "S@5 queued, S@15 reap ab" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.1", "CPU.Count=4, Worker.Scan=5000");
}

static UrTime lock_free_at (const Spinlock *lock) { return lock->free_at; }

/* The wait queue of a hash: from 5.15 on whoever clears a bucket's bit holds its lock; up to 5.11 the wqe's lock. */
static void test_hash_lock (void)
{
  static const struct {
    const char *rule, *kernel;
    gboolean hash, wqe;
  } rows[] = {
    { "6.18: the end of a hashed run takes the lock of the hash's wait queue", "kernel=6.18", TRUE, FALSE },
    { "5.15: the same", "kernel=5.15", TRUE, TRUE },
    { "5.14: it clears the bit without", "kernel=5.14", FALSE, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.1", "ext4", COSTS_FREE);
    const IoWqHash *hash;

    fixture_set (fixture, "CPU.Count=4, FileSystem ext4.WritePage=10000");
    fixture_set (fixture, rows[i].kernel);
    fixture_build (fixture);
    fixture_script (fixture, "S/0: ring:8 sqe:w0 submit:1 reap");
    fixture_run (fixture, rows[i].rule);
    hash = fixture->ring->hash[0];
    ROW_CHECK ((lock_free_at (&hash->wait_lock) > 0) == rows[i].hash, "%s: last held until %d", rows[i].rule,
               (int) lock_free_at (&hash->wait_lock));
    fixture_free (fixture);
  }
}

/* Two io-wqs and one bucket: whenever the second worker finds it busy, around the end of the first one's run, it is
 * either on the wait queue when that is woken, or sees the bit cleared when it has the lock. */
static void test_no_lost_bucket (void)
{
  for (unsigned ns = 9000; ns < 10400; ns += 20) {
    g_autofree char *row = g_strdup_printf ("queued at %u ns", ns);
    g_autofree char *script = g_strdup_printf (
        "A/0: ring:8 sqe:w0 submit run:100 submit:2 reap | B/1: run:%u.%03u sqe:w0 submit", ns / 1000, ns % 1000);
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    const Request *second;

    fixture_set (fixture, "CPU.Count=4, FileSystem ext4.WritePage=10000, Locks.Fast=25, Locks.Transfer=60");
    fixture_build (fixture);
    fixture_script (fixture, script);
    fixture_run (fixture, row);
    second = g_ptr_array_index (fixture->requests, 1);
    ROW_CHECK (second->time.started >= 10000 && second->time.started < MAX (ns, 10000) + 1000, "%s: started at %d", row,
               (int) second->time.started);
    fixture_free (fixture);
  }
}

void register_spinlock_tests (void)
{
  CU_pSuite suite = fixture_suite ("spinlock");

  fixture_test (suite, "first in, first out", test_fifo);
  fixture_test (suite, "ahead of time", test_spinlock_ahead);
  fixture_test (suite, "completion_lock", test_completion_lock);
  fixture_test (suite, "acct->lock", test_acct_lock);
  fixture_test (suite, "hash->wait.lock", test_hash_lock);
  fixture_test (suite, "no bucket is waited for in vain", test_no_lost_bucket);
}
