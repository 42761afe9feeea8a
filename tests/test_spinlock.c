/* Spinlocks as FIFO servers: order, hand-over, time ahead; completion_lock. */
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

void register_spinlock_tests (void)
{
  CU_pSuite suite = fixture_suite ("spinlock");

  fixture_test (suite, "first in, first out", test_fifo);
  fixture_test (suite, "ahead of time", test_spinlock_ahead);
  fixture_test (suite, "completion_lock", test_completion_lock);
}
