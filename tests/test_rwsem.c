/* The inode lock: fast path, spinning, sleeping, stealing, hand-off, readers, statistics. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* A script on 8 CPUs without costs, and what the lock counted (or a part of that). */
typedef struct {
  const char *rule, *set, *script, *log, *counted;
} LockRow;

static void append_us (GString *text, const char *what, uint64_t ns)
{
  g_string_append_printf (text, " %s %g", what, (double) ns / 1000);
}

static char *counted (const Rwsem *sem)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "acquired %d contended %d sleeps %d steals %d handoffs %d", (int) sem->count.acquired,
                          (int) sem->count.contended, (int) sem->count.sleeps, (int) sem->count.steals,
                          (int) sem->count.handoffs);
  append_us (text, "spin", sem->count.spin_ns);
  append_us (text, "wait", sem->count.wait_total);
  append_us (text, "max", sem->count.wait_max);
  append_us (text, "hold", sem->count.hold_ns);
  append_us (text, "slow", sem->count.slowpath_ns);
  return g_string_free (text, FALSE);
}

static void check_rows (const LockRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const LockRow *row = &rows[i];
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    g_autofree char *text = NULL;

    fixture_set (fixture, "CPU.Count=8");
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    text = counted (&fixture_inode (fixture, 0)->rwsem);
    ROW_CHECK (!row->counted || strstr (text, row->counted), "%s: %s; expected %s", row->rule, text, row->counted);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

/* ---- writers ---- */

static void test_fast_path (void)
{
  static const LockRow rows[] = {
    { "free: one word in the own cache", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: write run:1 unlock write say:x unlock", "A@0.025 write, A@1.075 write, A@1.075 x",
      "acquired 2 contended 0 sleeps 0 steals 0 handoffs 0 spin 0 wait 0 max 0 hold 1.05 slow 0" },
    { "free: one word from another cache", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: write unlock | B@5/1: write unlock write unlock", "A@0.025 write, B@5.06 write, B@5.11 write", NULL },
    { "try-lock: the same price", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: trywrite unlock | B@5/1: trywrite unlock trywrite unlock", "A@0.025 got, B@5.06 got, B@5.11 got", NULL },
    { "a failed try-lock pays for the line", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: write run:10 unlock | B@5/1: trywrite tryread", "A@0.025 write, B@5.06 busy, B@5.12 busy", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_spinning (void)
{
  static const LockRow rows[] = {
    { "one spinner: the hand-over, and nobody sleeps", "Locks.Handover=250",
      "A/0: write run:10 unlock | B@1/1: write run:1 unlock", "A@0 write, B@10.25 write",
      "acquired 2 contended 1 sleeps 0 steals 0 handoffs 0 spin 9.25 wait 9.25 max 9.25 hold 11 slow 0" },
    { "three spinners: the same hand-over each, first come first served", "Locks.Handover=250",
      "A/0: write run:10 unlock | B@1/1: write run:1 unlock | C@2/2: write run:1 unlock | D@3/3: write run:1 unlock",
      "A@0 write, B@10.25 write, C@11.5 write, D@12.75 write",
      "acquired 4 contended 3 sleeps 0 steals 0 handoffs 0 spin 28.5 wait 28.5 max 9.75 hold 13 slow 0" },
    { "first come first served whatever the order of the tasks", NULL,
      "A/0: write run:10 unlock | B@4/1: write run:1 unlock | C@2/2: write run:1 unlock | D@3/3: write run:1 unlock",
      "A@0 write, C@10 write, D@11 write, B@12 write", NULL },
    { "who lets go and wants it back at once is faster than a spinner", "Locks.Handover=250",
      "A/0: write run:10 unlock write run:1 unlock | B@1/1: write run:1 unlock", "A@0 write, A@10 write, B@11.25 write",
      NULL },
    { "need_resched ends the spinning of the first", NULL,
      "A/0: write run:5000 unlock | B@1/1: write unlock | Y@2/1: say:y", "A@0 write, Y@4000 y, B@5000 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 3999 wait 4999 max 4999 hold 5000 slow 0" },
    { "need_resched takes one out of the middle; it is overtaken", NULL,
      "A/0: write run:5000 unlock | B@1/1: write run:1 unlock | C@2/2: write unlock | Y@3/2: say:y "
      "| D@3/3: write run:1 unlock",
      "A@0 write, Y@4000 y, B@5000 write, D@5001 write, C@5002 write", NULL },
    { "no spinning with need_resched set", NULL,
      "A/0: write run:9000 unlock | Y@1/1: say:y | B/1: run:5000 write unlock", "A@0 write, Y@5000 y, B@9000 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 4000 max 4000 hold 9000 slow 0" },
  };

  CHECK_ROWS (rows);
}

static void test_sleeping (void)
{
  static const LockRow rows[] = {
    { "the owner sleeps: no spinning", NULL, "A/0: write sleep:10 unlock | B@1/1: write run:1 unlock",
      "A@0 write, B@10 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 9 max 9 hold 11 slow 0" },
    { "the owner goes to sleep: all spinners queue up in order", NULL,
      "A/0: write run:5 sleep:10 unlock | B@1/1: write run:1 unlock | C@2/2: write run:1 unlock | D@3/3: write unlock",
      "A@0 write, B@15 write, C@16 write, D@17 write", NULL },
    { "the owner loses its CPU", NULL,
      "A/0: write run:5000 resched run:10 unlock | X@1/0: run:100 | B@1/1: write unlock", "A@0 write, B@5110 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 4999 wait 5109 max 5109 hold 5110 slow 0" },
    { "an owner that waits for its CPU does not run either", NULL,
      "A/0: write run:5000 resched run:10 unlock | X@1/0: run:100 | B@5050/1: write unlock", "A@0 write, B@5110 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 60 max 60 hold 5110 slow 0" },
    { "what a sleeping waiter costs",
      "Locks.RwsemQueue=300, Locks.RwsemWake=250, Scheduler.WakeRemote=1000, "
      "Scheduler.IdleExit=2500, Scheduler.Switch=1100",
      "A/0: write sleep:10 unlock say:on | B@1/1: write unlock", "A@3.6 write, A@18.45 on, B@22.35 write",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 17.75 max 17.75 hold 13.6 slow 2.95" },
    { "an unlock wakes the first waiter only", NULL,
      "A/0: write sleep:10 unlock | B@1/1: write run:10 unlock | C@2/2: write run:10 unlock",
      "A@0 write, B@10 write, C@20 write", "sleeps 2 steals 0" },
    { "a woken writer loses to a spinner and stays in the list", NULL,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:1 unlock",
      "A@0 write, C@15 write, B@16 write",
      "acquired 3 contended 2 sleeps 2 steals 1 handoffs 0 spin 3 wait 18 max 15 hold 16 slow 0" },
  };

  CHECK_ROWS (rows);
}

/* The first waiter, woken in vain, reserves the lock when the jiffies are past those 4 ms after it queued. */
#define HZ_1000 "Scheduler.Tick=1000000"

static void test_handoff (void)
{
  static const LockRow rows[] = {
    { "nobody steals after the hand-off", HZ_1000,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write run:1 unlock | C@12/2: write run:3000 unlock "
      "| D@20/3: write run:3000 unlock | E@30/4: write run:1000 unlock | F@6020/5: write unlock",
      "A@0 write, C@15 write, D@3015 write, E@6015 write, B@7015 write, F@7016 write",
      "acquired 6 contended 5 sleeps 3 steals 3 handoffs 1 spin 10979 wait 16993 max 7014 hold 7016 slow 0" },
    { "not before jiffy 5 at HZ=1000, if it queued in jiffy 0", HZ_1000,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:4984 unlock "
      "| D@20/3: write run:10 unlock | E@30/4: write run:10 unlock",
      "A@0 write, C@15 write, D@4999 write, E@5009 write, B@5019 write", NULL },
    { "in jiffy 5", HZ_1000,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:4986 unlock "
      "| D@20/3: write run:10 unlock | E@30/4: write run:10 unlock",
      "A@0 write, C@15 write, D@5001 write, B@5011 write, E@5011 write", NULL },
    { "not before jiffy 2 at HZ=250: 8 ms after queueing at its start", "Scheduler.Tick=4000000",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:7984 unlock "
      "| D@20/3: write run:10 unlock | E@30/4: write run:10 unlock",
      "A@0 write, C@15 write, D@7999 write, E@8009 write, B@8019 write", NULL },
    { "in jiffy 2: 4 ms after queueing at the end of jiffy 0", "Scheduler.Tick=4000000",
      "A/0: run:3980 write sleep:10 run:5 unlock | B@3981/1: write unlock | C@3992/2: write run:4006 unlock "
      "| D@4000/3: write run:10 unlock | E@4010/4: write run:10 unlock",
      "A@3980 write, C@3995 write, D@8001 write, B@8011 write, E@8011 write", NULL },
    { "the beneficiary spins, and the hand-over is as short as for a spinner",
      HZ_1000 ", Locks.Handover=250, Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@13/2: write run:5000 unlock "
      "| D@20/3: write run:10 unlock",
      "A@2.5 write, C@20.25 write, D@5020.5 write, B@5030.75 write", NULL },
    { "a jiffy if that is longer than 4 ms", "Scheduler.Tick=10000000",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:10000 unlock "
      "| D@20/3: write run:9986 unlock | E@30/4: write run:10 unlock | F@40/5: write unlock",
      "A@0 write, C@15 write, D@10015 write, E@20001 write, B@20011 write, F@20011 write", "handoffs 1" },
    { "it does not spin on an owner that sleeps", HZ_1000,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write unlock | C@12/2: write run:5000 unlock "
      "| D@20/3: write run:1 sleep:10 unlock",
      "A@0 write, C@15 write, D@5015 write, B@5026 write",
      "acquired 4 contended 3 sleeps 3 steals 2 handoffs 1 spin 4999 wait 10023 max 5025 hold 5026 slow 0" },
    { "a reader at the head: writers steal from it, until the time-out",
      HZ_1000 ", Locks.RwsemWake=1000, Locks.Handover=250",
      "A/0: write sleep:10 run:5 unlock | R@1/1: read unlock | C@12/2: write run:5000 unlock "
      "| D@20/3: write run:10 unlock | E@30/4: write unlock",
      "A@0 write, C@15.25 write, D@5015.5 write, R@5026.5 read, E@5026.75 write", "handoffs 1" },
    { "readers get it: who spins sees them, gives up after 10.5 us and queues, and the next reader behind it",
      HZ_1000 ", Locks.RwsemWake=1000, Locks.Handover=250",
      "A/0: write sleep:10 run:5 unlock | R@1/1: read run:100 unlock | C@12/2: write run:5000 unlock "
      "| D@20/3: write run:10 unlock | E@30/4: write unlock | S@5100/5: read unlock",
      "A@0 write, C@15.25 write, D@5015.5 write, R@5026.5 read, E@5127.5 write, S@5128.5 read", "handoffs 1" },
    { "nor does one take it that comes while it is on its way to the beneficiary",
      HZ_1000 ", Locks.Handover=100000, Scheduler.IdleExit=200000, Scheduler.IdleExitDeep=200000",
      "A/0: write sleep:10 run:5 unlock | B@1/1: write run:10 unlock | C@212/2: write run:5000 unlock "
      "| D@1000/3: write run:1000 unlock | N@500/5: run:5950 write unlock | Y@1500/5: say:y",
      "A@200 write, C@515 write, D@5615 write, Y@6650 y, B@6715 write, N@6925 write", "handoffs 1" },
    { "the next waiter is not the beneficiary", HZ_1000,
      "A/0: write sleep:10 run:5 unlock | B@1/1: write run:1 unlock | G@2/6: write unlock "
      "| C@12/2: write run:5000 unlock | D@20/3: write run:10 unlock",
      "A@0 write, C@15 write, D@5015 write, B@5025 write, G@5026 write", "steals 2 handoffs 1" },
  };

  CHECK_ROWS (rows);
}

/* ---- readers ---- */

static void test_readers (void)
{
  static const LockRow rows[] = {
    { "readers share", NULL, "A/0: read run:10 unlock | B@1/1: read run:10 unlock | C@2/2: read run:1 unlock",
      "A@0 read, B@1 read, C@2 read",
      "acquired 3 contended 0 sleeps 0 steals 0 handoffs 0 spin 0 wait 0 max 0 hold 11 slow 0" },
    { "a reader does not spin on a writer", NULL, "A/0: write run:10 unlock | B@1/1: read run:1 unlock",
      "A@0 write, B@10 read",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 9 max 9 hold 11 slow 0" },
    { "a reader at the head: all readers of the list are granted, writers skipped", NULL,
      "W/0: write sleep:10 unlock | P@1/1: read run:5 unlock | X@2/2: write unlock | Q@3/3: read run:6 unlock "
      "| Y@4/4: write unlock | R@5/5: read run:1 unlock",
      "W@0 write, P@10 read, Q@10 read, R@10 read, X@16 write, Y@16 write", NULL },
    { "a writer at the head: it alone", NULL,
      "W/0: write sleep:10 unlock | X@1/2: write run:5 unlock | P@2/1: read run:5 unlock | Q@3/3: read unlock",
      "W@0 write, X@10 write, P@15 read, Q@15 read", NULL },
    { "a granted reader holds the lock before it runs", "Scheduler.IdleExit=2500",
      "W/0: write sleep:10 unlock | P@1/1: read unlock | T@13.5/2: trywrite", "W@2.5 write, T@16 busy, P@17.5 read",
      NULL },
    { "readers hold, a writer waits: the next reader queues", NULL,
      "A/0: read run:100 unlock | B/1: read run:100 unlock | W@1/2: write run:10 unlock | C@50/3: read unlock",
      "A@0 read, B@0 read, W@100 write, C@110 read", NULL },
    { "free, a writer is on its way: a reader steals", "Scheduler.IdleExit=2500",
      "A/0: write sleep:10 unlock | W@1/1: write unlock | R@13.5/2: read run:20 unlock",
      "A@2.5 write, R@16 read, W@38.5 write", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_trylocks (void)
{
  static const LockRow rows[] = {
    { "write: a writer holds", NULL, "A/0: write run:10 unlock | T@5/1: trywrite", "A@0 write, T@5 busy", NULL },
    { "write: a reader holds", NULL, "A/0: read run:10 unlock | T@5/1: trywrite", "A@0 read, T@5 busy", NULL },
    { "write: free, but somebody waits in the list", "Scheduler.IdleExit=2500",
      "A/0: write sleep:10 unlock | B@1/1: write unlock | T@13.5/2: trywrite", "A@2.5 write, T@16 busy, B@17.5 write",
      NULL },
    { "write: free", NULL, "T@5/1: trywrite unlock", "T@5 got", NULL },
    { "read: a writer holds", NULL, "A/0: write run:10 unlock | T@5/1: tryread", "A@0 write, T@5 busy", NULL },
    { "read: a reader holds", NULL, "A/0: read run:10 unlock | T@5/1: tryread unlock", "A@0 read, T@5 got", NULL },
    { "read: a reader holds, a writer spins", NULL,
      "A/0: read run:10 unlock | W@1/1: write unlock | T@5/2: tryread unlock", "A@0 read, T@5 got, W@10 write", NULL },
    { "read: a reader holds, a writer waits in the list", NULL,
      "A/0: read run:100 unlock | W@1/1: write unlock | T@50/2: tryread", "A@0 read, T@50 busy, W@100 write", NULL },
    { "read: free, but a writer waits in the list", "Scheduler.IdleExit=2500",
      "A/0: write sleep:10 unlock | B@1/1: write unlock | T@13.5/2: tryread", "A@2.5 write, T@16 busy, B@17.5 write",
      NULL },
    { "a failed one is not counted", NULL, "A/0: write run:10 unlock | T@5/1: trywrite tryread",
      "A@0 write, T@5 busy, T@5 busy",
      "acquired 1 contended 0 sleeps 0 steals 0 handoffs 0 spin 0 wait 0 max 0 hold 10 slow 0" },
  };

  CHECK_ROWS (rows);
}

/* A writer spins on readers for 10 us and half a microsecond for each, of which 30 count; then it sleeps. */
static void test_reader_spin_limit (void)
{
  static const struct {
    unsigned readers;
    UrTime spins;
  } rows[] = {
    { 1, 10500 }, { 2, 11000 }, { 10, 15000 }, { 29, 24500 }, { 30, 25000 }, { 31, 25000 }, { 40, 25000 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    GString *script = g_string_new ("W@1/63: write unlock");
    const Rwsem *sem;

    fixture_set (fixture, "CPU.Count=64");
    fixture_build (fixture);
    for (unsigned k = 0; k < rows[i].readers; k++)
      g_string_append_printf (script, "|R%u/%u: read run:100 unlock", k, k);
    fixture_script (fixture, script->str);
    fixture_run (fixture, script->str);
    sem = &fixture_inode (fixture, 0)->rwsem;
    ROW_CHECK (sem->count.spin_ns == rows[i].spins, "%u readers: spun %d ns", rows[i].readers,
               (int) sem->count.spin_ns);
    ROW_CHECK (sem->count.sleeps == 1 && sem->count.wait_total == 99 * UR_US, "%u readers: then it slept",
               rows[i].readers);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
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

/* Who has waited for readers in vain leaves a mark: nobody else tries, until they are gone. */
static void test_nonspinnable (void)
{
  static const LockRow rows[] = {
    { "the next writer does not spin", NULL, "A/0: read run:100 unlock | W@1/1: write unlock | X@50/2: write unlock",
      "A@0 read, W@100 write, X@100 write", "spin 10.5 wait 149" },
    { "who is in the queue of spinners leaves it", NULL,
      "A/0: read run:100 unlock | W@1/1: write unlock | X@2/2: write unlock", "A@0 read, W@100 write, X@100 write",
      "spin 20 " },
    { "later ones do again", NULL,
      "A/0: read run:100 unlock | W@1/1: write run:10 unlock | B@105/0: read run:5 unlock | X@112/2: write unlock",
      "A@0 read, W@100 write, B@110 read, X@115 write", "spin 13.5" },
    { "the last reader to leave ends it: who comes then may take the lock before the writer that is being woken",
      "Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500, Locks.RwsemQueue=300",
      "A/0: read run:100 unlock | W@1/1: write unlock | X@101/2: write unlock",
      "A@2.5 read, X@103.5 write, W@105.3 write", "steals 1" },
  };

  CHECK_ROWS (rows);
}

/* At most 256 readers are granted by one wake-up (MAX_READERS_WAKEUP); the next unlock takes the rest. */
static void test_reader_batch (void)
{
  static const struct {
    unsigned readers, first;
  } rows[] = { { 200, 200 }, { 256, 256 }, { 257, 256 }, { 300, 256 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    GString *script = g_string_new ("W/15: write sleep:100 unlock");
    Seen seen = { 0, 0 };

    fixture_build (fixture);
    for (unsigned k = 0; k < rows[i].readers; k++)
      g_string_append_printf (script, "|R%u@1/%u: read run:10 unlock", k, k % 8);
    fixture_script (fixture, script->str);
    fixture_at (fixture, 105 * UR_US, look, &seen);
    fixture_run (fixture, "readers wait");
    ROW_CHECK (seen.readers == rows[i].first && seen.waiters == rows[i].readers - rows[i].first,
               "%u readers: %u hold, %u wait", rows[i].readers, seen.readers, seen.waiters);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

/* ---- the price of contention ---- */

static void test_kappa (void)
{
  static const LockRow rows[] = {
    { "no contenders", NULL, "A/0: write hold:10 unlock say:x", "A@0 write, A@10 x", NULL },
    { "one spinner", NULL, "A/0: write run:2 hold:10 unlock | B@1/1: write unlock", "A@0 write, B@13 write", NULL },
    { "three spinners", NULL,
      "A/0: write run:2 hold:10 unlock | B@1/1: write unlock | C@1/2: write unlock | D@1/3: write unlock",
      "A@0 write, B@15 write, C@15 write, D@15 write", NULL },
    { "a spinner and a sleeper", NULL,
      "A/0: write sleep:5 run:2 hold:10 unlock | B@1/1: write unlock | C@6/2: write unlock",
      "A@0 write, C@19 write, B@19 write", NULL },
    { "only while it is held for the work: other time is not lengthened", NULL,
      "A/0: write run:10 unlock | B@1/1: write unlock", "A@0 write, B@10 write", NULL },
    { "0 switches it off", "Locks.HoldPerContender=0", "A/0: write run:2 hold:10 unlock | B@1/1: write unlock",
      "A@0 write, B@12 write", NULL },
  };
  LockRow with[G_N_ELEMENTS (rows)];

  memcpy (with, rows, sizeof rows);
  for (unsigned i = 0; i < G_N_ELEMENTS (with); i++)
    if (!with[i].set)
      with[i].set = "Locks.HoldPerContender=0.1";
  CHECK_ROWS (with);
}

/* What the owner writes is in the caches of the CPU that held the lock last. */
static void test_elsewhere (void)
{
  static const LockRow rows[] = {
    { "the first holder, and the same CPU again", "Locks.HoldElsewhere=0.5",
      "A/0: write hold:10 unlock write hold:10 unlock say:x", "A@0 write, A@10 write, A@20 x", NULL },
    { "another CPU's hold is longer, the next on that CPU is not", "Locks.HoldElsewhere=0.5",
      "A/0: write hold:10 unlock | B@20/1: write hold:10 unlock say:x write hold:10 unlock say:y",
      "A@0 write, B@20 write, B@35 x, B@35 write, B@45 y", NULL },
    { "back again it is longer again", "Locks.HoldElsewhere=0.5",
      "A/0: write hold:10 unlock | B@20/1: write hold:10 unlock | A2@40/0: write hold:10 unlock say:x",
      "A@0 write, B@20 write, A2@40 write, A2@55 x", NULL },
    { "it adds to what contenders cost", "Locks.HoldElsewhere=0.5, Locks.HoldPerContender=0.1",
      "A/0: write hold:10 unlock | B@20/1: write run:2 hold:10 unlock | C@21/0: write unlock",
      "A@0 write, B@20 write, C@38 write", NULL },
  };

  CHECK_ROWS (rows);
}

/* The growth is known up to 31 contenders: more do not count. */
static void test_kappa_ends (void)
{
  static const struct {
    unsigned waiters;
    UrTime end;
  } rows[] = { { 30, 2000 + 40000 }, { 31, 2000 + 41000 }, { 32, 2000 + 41000 }, { 100, 2000 + 41000 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    GString *script = g_string_new ("A/7: write sleep:2 hold:10 unlock say:x");
    g_autofree char *log = NULL;

    fixture_set (fixture, "CPU.Count=8, Locks.HoldPerContender=0.1");
    fixture_build (fixture);
    for (unsigned k = 0; k < rows[i].waiters; k++)
      g_string_append_printf (script, "|W%u@1/%u: write unlock", k, k % 7);
    fixture_script (fixture, script->str);
    fixture_run (fixture, "many contenders");
    log = g_strdup_printf ("A@%u x", (unsigned) rows[i].end / 1000);
    ROW_CHECK (strstr (fixture->log->str, log), "%u waiters: %s; expected %s", rows[i].waiters, fixture->log->str, log);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

/* ---- many tasks at once ---- */

typedef struct {
  Rwsem *sem;
  unsigned writers, readers;
  unsigned violations, acquisitions;
  UrTime waited, written; /* by the tasks' own watches */
} Shared;

typedef struct {
  Shared *shared;
  UrRandom random;
  unsigned rounds;
  gboolean reads;
} Contender;

static void contend_inside (Task *task, Contender *contender, gboolean write)
{
  Shared *shared = contender->shared;
  UrTime from = sim_now (task->sim);

  shared->acquisitions++;
  shared->violations += shared->writers > 0 || (write && shared->readers > 0);
  *(write ? &shared->writers : &shared->readers) += 1;
  rwsem_run (task, shared->sem, ur_random_below (&contender->random, 3 * UR_US));
  task_sync (task);
  if (ur_random_below (&contender->random, 20) == 0) {
    task_prepare_to_sleep (task);
    task_schedule (task, sim_now (task->sim) + ur_random_below (&contender->random, 50 * UR_US));
  }
  if (ur_random_below (&contender->random, 50) == 0)
    task_run (task, ur_random_below (&contender->random, 5 * UR_MS));
  task_cond_resched (task);
  task_sync (task);
  *(write ? &shared->writers : &shared->readers) -= 1;
  if (write)
    shared->written += sim_now (task->sim) - from;
}

static void contender_body (Task *task, void *data)
{
  Contender *contender = data;
  Shared *shared = contender->shared;

  for (unsigned i = 0; i < contender->rounds; i++) {
    gboolean write = !contender->reads || ur_random_below (&contender->random, 2);
    UrTime from;

    task_sync (task);
    from = sim_now (task->sim);
    if (write)
      rwsem_down_write (task, shared->sem);
    else
      rwsem_down_read (task, shared->sem);
    shared->waited += sim_now (task->sim) - from;
    contend_inside (task, contender, write);
    if (write)
      rwsem_up_write (task, shared->sem);
    else
      rwsem_up_read (task, shared->sem);
    task_run (task, ur_random_below (&contender->random, 4 * UR_US));
    task_cond_resched (task);
  }
}

static void stress (unsigned cpus, unsigned tasks, gboolean reads, const char *preemption)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
  g_autofree char *row = g_strdup_printf ("CPU.Count=%u, Scheduler.Preemption=%s, noise=0.3", cpus, preemption);
  g_autofree Contender *contenders = g_new0 (Contender, tasks);
  Shared shared = { .sem = NULL };

  fixture_set (fixture, row);
  fixture->setup.seed = cpus * 100 + tasks;
  fixture_build (fixture);
  shared.sem = &fixture_inode (fixture, 0)->rwsem;
  for (unsigned i = 0; i < tasks; i++) {
    contenders[i] = (Contender){ .shared = &shared, .rounds = 100, .reads = reads };
    ur_random_init_indexed (&contenders[i].random, fixture->setup.seed, "contender", i);
    task_start (task_new (fixture->sim, "contender", TASK_CLASS_APP, -1, contender_body, &contenders[i]), NULL);
  }
  fixture_run (fixture, row);
  for (unsigned i = 0; i < fixture->sim->tasks->len; i++)
    ROW_CHECK (((Task *) g_ptr_array_index (fixture->sim->tasks, i))->state == TASK_DEAD, "%s: task %u ends", row, i);
  ROW_CHECK (shared.violations == 0, "%s, %u tasks: %u times not alone", row, tasks, shared.violations);
  ROW_CHECK (shared.acquisitions == tasks * 100 && shared.sem->count.acquired == tasks * 100, "%s: acquired %d", row,
             (int) shared.sem->count.acquired);
  ROW_CHECK (!rwsem_is_locked (shared.sem) && !rwsem_contenders (shared.sem) && !shared.sem->handoff, "%s: free", row);
  ROW_CHECK (shared.sem->count.wait_total == shared.waited, "%s: waited %d of %d", row,
             (int) shared.sem->count.wait_total, (int) shared.waited);
  ROW_CHECK (reads || shared.sem->count.hold_ns == shared.written, "%s: held %d of %d", row,
             (int) shared.sem->count.hold_ns, (int) shared.written);
  ROW_CHECK (shared.sem->count.contended <= shared.sem->count.acquired &&
                 shared.sem->count.spin_ns <= shared.sem->count.wait_total &&
                 shared.sem->count.wait_max <= shared.sem->count.wait_total,
             "%s: counts fit", row);
  ROW_CHECK (tasks == 1 || shared.sem->count.contended > 0, "%s: contended", row);
  fixture_free (fixture);
}

static void test_stress (void)
{
  static const unsigned cpus[] = { 1, 2, 3, 8 }, tasks[] = { 1, 2, 5, 16 };
  static const char *const preemption[] = { "voluntary", "full" };

  for (unsigned c = 0; c < G_N_ELEMENTS (cpus); c++)
    for (unsigned t = 0; t < G_N_ELEMENTS (tasks); t++)
      for (unsigned p = 0; p < G_N_ELEMENTS (preemption); p++) {
        stress (cpus[c], tasks[t], FALSE, preemption[p]);
        stress (cpus[c], tasks[t], TRUE, preemption[p]);
      }
}

void register_rwsem_tests (void)
{
  CU_pSuite suite = fixture_suite ("rwsem");

  fixture_test (suite, "fast path", test_fast_path);
  fixture_test (suite, "spinning writers", test_spinning);
  fixture_test (suite, "sleeping writers", test_sleeping);
  fixture_test (suite, "hand-off", test_handoff);
  fixture_test (suite, "readers", test_readers);
  fixture_test (suite, "try-locks", test_trylocks);
  fixture_test (suite, "spinning on readers", test_reader_spin_limit);
  fixture_test (suite, "nonspinnable", test_nonspinnable);
  fixture_test (suite, "readers are woken together", test_reader_batch);
  fixture_test (suite, "contenders lengthen the hold", test_kappa);
  fixture_test (suite, "a hold that another CPU had before", test_elsewhere);
  fixture_test (suite, "up to a number", test_kappa_ends);
  fixture_test (suite, "many tasks, one at a time", test_stress);
}
