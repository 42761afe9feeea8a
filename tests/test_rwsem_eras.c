/* The inode lock by kernel: rwsem-xadd of 5.1 and 5.2; the rwsem of 5.3, its readers, its hand-off, its sleepers. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* A script on 8 CPUs without costs, what it leaves on each of some kernels, and what the lock counted (or a part of
 * that). */
typedef struct {
  const char *rule, *set, *script;
  struct {
    const char *kernels, *log, *counted;
  } outcome[4];
} EraRow;

static char *counted (const Rwsem *sem)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "contended %d sleeps %d steals %d handoffs %d spin ", (int) sem->count.contended,
                          (int) sem->count.sleeps, (int) sem->count.steals, (int) sem->count.handoffs);
  fixture_append_us (text, sem->count.spin_ns);
  g_string_append (text, " slow ");
  fixture_append_us (text, sem->count.slowpath_ns);
  return g_string_free (text, FALSE);
}

static void check_kernel (const EraRow *row, const char *kernel, const char *log, const char *expected)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
  g_autofree char *version = g_strdup_printf ("kernel=%s", kernel);
  g_autofree char *rule = g_strdup_printf ("%s: %s", kernel, row->rule);
  g_autofree char *text = NULL;

  fixture_set (fixture, "CPU.Count=8");
  fixture_set (fixture, version);
  if (row->set)
    fixture_set (fixture, row->set);
  fixture_build (fixture);
  fixture_script (fixture, row->script);
  fixture_run (fixture, rule);
  fixture_check_log (fixture, rule, log);
  text = counted (&fixture_inode (fixture, 0)->rwsem);
  ROW_CHECK (!expected || strstr (text, expected), "%s: %s; expected %s", rule, text, expected);
  fixture_free (fixture);
}

static void check_rows (const EraRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < G_N_ELEMENTS (rows[i].outcome) && rows[i].outcome[k].kernels; k++) {
      g_auto (GStrv) kernels = g_strsplit (rows[i].outcome[k].kernels, " ", -1);

      for (char **kernel = kernels; *kernel; kernel++)
        check_kernel (&rows[i], *kernel, rows[i].outcome[k].log, rows[i].outcome[k].counted);
    }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_readers (void)
{
  static const EraRow rows[] = {
    { "a reader spins on a running writer, or sleeps",
      NULL,
      "A/0: write run:10 unlock | B@1/1: read run:1 unlock",
      { { "5.2 5.11 6.18", "A@0 write, B@10 read", "sleeps 1 steals 0 handoffs 0 spin 0" },
        { "5.3 5.10", "A@0 write, B@10 read", "sleeps 0 steals 0 handoffs 0 spin 9" } } },
    { "but not on one that sleeps",
      NULL,
      "A/0: write sleep:10 unlock | B@1/1: read run:1 unlock",
      { { "5.2 5.3 5.10 5.11", "A@0 write, B@10 read", "sleeps 1 steals 0 handoffs 0 spin 0" } } },
    { "the lock is free, a writer is being woken: a reader takes it, or queues behind",
      "Scheduler.IdleExit=5000",
      "W/0: write sleep:10 unlock | X@1/1: write unlock | R@17/2: read run:10 unlock",
      { { "5.3 5.10 5.11 6.18", "W@5 write, R@22 read, X@37 write", "steals 1" },
        { "5.2", "W@5 write, X@25 write, R@30 read", "steals 0" } } },
    { "a reader holds it and a writer waits: another reader takes it, or queues behind",
      NULL,
      "A/0: read run:9000 unlock | Y@1/1: say:y | B/1: run:5000 write run:1 unlock | R@6000/2: read run:1 unlock",
      { { "5.3 5.10", "A@0 read, Y@5000 y, R@6000 read, B@9000 write", "steals 1" },
        { "5.2 5.11 6.18", "A@0 read, Y@5000 y, B@9000 write, R@9001 read", "steals 0" } } },
    { "but not if a writer has spun on them in vain",
      NULL,
      "A/0: read run:100 unlock | X@1/1: write run:5 unlock | R@50/2: read run:1 unlock",
      { { "5.3 5.10 5.11 6.18", "A@0 read, X@100 write, R@105 read", "sleeps 2 steals 0 handoffs 0 spin 10.5" } } },
    { "a writer that only spins keeps no reader out",
      NULL,
      "A/0: read run:9 unlock | X@1/1: write unlock | R@5/2: read run:5 unlock",
      { { "5.3 5.11 6.18", "A@0 read, R@5 read, X@10 write", "contended 1 sleeps 0" },
        { "5.2", "A@0 read, X@9 write, R@9 read", "contended 2 sleeps 2" } } },
    { "a reader takes a lock that is being handed to waiting readers",
      "Locks.RwsemWake=1000",
      "A/0: write sleep:10 unlock | R@1/1: read run:5 unlock | S@10.5/2: read run:5 unlock",
      { { "5.3 5.10 5.11 6.18", "A@0 write, R@11 read, S@12 read", "steals 1" },
        { "5.2", "A@0 write, S@11 read, R@11 read", "steals 0" } } },
    { "a release lets in all readers that wait, or those before the first writer",
      NULL,
      "W/0: write sleep:10 unlock | P@1/1: read run:5 unlock | X@2/2: write unlock | Q@3/3: read run:6 unlock "
      "| Y@4/4: write unlock | R@5/5: read run:1 unlock",
      { { "5.3 5.10 6.18", "W@0 write, P@10 read, Q@10 read, R@10 read, X@16 write, Y@16 write", NULL },
        { "5.1 5.2", "W@0 write, P@10 read, X@15 write, Q@15 read, Y@21 write, R@21 read", NULL } } },
    { "the try-lock fails while a writer waits, though readers hold it",
      NULL,
      "W/0: read sleep:100 unlock | X@1/1: write run:1 unlock | T@50/2: tryread",
      { { "5.2 5.3 5.10 5.11 6.18", "W@0 read, T@50 busy, X@100 write", NULL } } },
  };

  CHECK_ROWS (rows);
}

static void test_writers (void)
{
  static const EraRow rows[] = {
    { "a writer spins on readers, or sleeps",
      NULL,
      "A/0: read run:5 unlock | W@1/1: write unlock",
      { { "5.1 5.2", "A@0 read, W@5 write", "sleeps 1 steals 0 handoffs 0 spin 0" },
        { "5.3 5.10 6.18", "A@0 read, W@5 write", "sleeps 0 steals 0 handoffs 0 spin 4" } } },
    { "a writer spins on a running writer",
      NULL,
      "A/0: write run:5 unlock | W@1/1: write unlock",
      { { "5.1 5.3 6.18", "A@0 write, W@5 write", "sleeps 0 steals 0 handoffs 0 spin 4" } } },
    { "the hand-off after 4 jiffies at HZ=1000, or none ever",
      "Scheduler.Tick=1000000",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write run:1 unlock | C@12/2: write run:3000 unlock "
      "| D@20/3: write run:3000 unlock | E@30/4: write run:1000 unlock | F@6020/5: write unlock",
      { { "5.1 5.2", "A@0 write, C@15 write, D@3015 write, E@6015 write, F@7015 write, B@7015 write", "handoffs 0" },
        { "5.3 5.4 6.18", "A@0 write, C@15 write, D@3015 write, E@6015 write, B@7015 write, F@7016 write",
          "handoffs 1" } } },
    { "who gets the hand-off sleeps on, or spins on the owner",
      "Scheduler.Tick=1000000, Locks.Handover=250, Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@13/2: write run:5000 unlock "
      "| D@20/3: write run:10 unlock",
      { { "5.3", "A@2.5 write, C@20.25 write, D@5020.5 write, B@5033 write", "handoffs 1" },
        { "5.4 5.10 5.16 6.18", "A@2.5 write, C@20.25 write, D@5020.5 write, B@5030.75 write", "handoffs 1" } } },
    { "a writer that is woken in vain takes wait_lock before it sleeps on, or not",
      "Locks.RwsemQueue=1000",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:5 unlock",
      { { "5.3 5.15", "A@0 write, C@15 write, B@21 write", "sleeps 2 steals 1 handoffs 0 spin 3 slow 2" },
        { "5.16 6.18", "A@0 write, C@15 write, B@21 write", "sleeps 2 steals 1 handoffs 0 spin 3 slow 3" } } },
    { "a release wakes the first waiter, or nobody if one spins and wait_lock is taken",
      "Locks.RwsemQueue=5000",
      "A/0: write sleep:8 run:10 unlock | X@1/2: write run:1 unlock | B@10/1: write run:20 unlock "
      "| R@14/3: read run:1 unlock",
      { { "5.1 5.2", "A@0 write, B@18 write, X@43 write, R@44 read", "sleeps 2" },
        { "5.11 6.18", "A@0 write, B@18 write, X@43 write, R@44 read", "sleeps 3" } } },
  };

  CHECK_ROWS (rows);
}

typedef struct {
  unsigned readers, waiters;
} Seen;

static void look (Fixture *fixture, gpointer data)
{
  const Rwsem *sem = &fixture_inode (fixture, 0)->rwsem;
  Seen *seen = data;

  seen->readers = sem->readers;
  seen->waiters = sem->n_waiters;
}

/* One release lets in at most 256 readers from 5.3 on, any number before. */
static void test_reader_batch (void)
{
  static const struct {
    const char *kernel;
    unsigned readers, first;
  } rows[] = { { "kernel=5.2", 300, 300 }, { "kernel=5.3", 300, 256 }, { "kernel=5.10", 256, 256 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    GString *script = g_string_new ("W/15: write sleep:100 unlock");
    Seen seen = { 0, 0 };

    fixture_set (fixture, rows[i].kernel);
    fixture_build (fixture);
    for (unsigned k = 0; k < rows[i].readers; k++)
      g_string_append_printf (script, "|R%u@1/%u: read run:10 unlock", k, k % 8);
    fixture_script (fixture, script->str);
    fixture_at (fixture, 105 * UR_US, look, &seen);
    fixture_run (fixture, "readers wait");
    ROW_CHECK (seen.readers == rows[i].first && seen.waiters == rows[i].readers - rows[i].first,
               "%s, %u readers: %u hold, %u wait", rows[i].kernel, rows[i].readers, seen.readers, seen.waiters);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

/* Writers and readers in great disorder, on every kind of kernel: nobody is left behind (fixture_run() says so). */
static void test_disorder (void)
{
  static const char *const kernels[] = { "5.1", "5.3", "5.4", "5.10", "5.11", "5.16", "6.18" };

  for (unsigned i = 0; i < G_N_ELEMENTS (kernels); i++)
    for (unsigned round = 0; round < 6; round++) {
      Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
      g_autofree char *set = g_strdup_printf ("kernel=%s, CPU.Count=%u", kernels[i], 2 + 3 * (round % 3));
      GString *script = g_string_new (NULL);
      const Rwsem *sem;

      fixture_set (fixture, set);
      fixture_build (fixture);
      for (unsigned k = 0; k < 24; k++)
        g_string_append_printf (script, "%sT%u@%u: %s run:%u %s unlock user run:2 kernel repeat:40", k ? "|" : "", k,
                                k * round, (k * 7 + round) % 3 ? "write" : "read", 1 + k % 4,
                                (k + round) % 5 ? "" : "sleep:30");
      fixture_script (fixture, script->str);
      fixture_run (fixture, set);
      sem = &fixture_inode (fixture, 0)->rwsem;
      ROW_CHECK (sem->count.acquired == 24 * 41, "%s: %d acquired", set, (int) sem->count.acquired);
      g_string_free (script, TRUE);
      fixture_free (fixture);
    }
}

void register_rwsem_eras_tests (void)
{
  CU_pSuite suite = fixture_suite ("rwsem by kernel");

  fixture_test (suite, "readers", test_readers);
  fixture_test (suite, "writers", test_writers);
  fixture_test (suite, "readers at a time", test_reader_batch);
  fixture_test (suite, "disorder", test_disorder);
}
