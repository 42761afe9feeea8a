/* Mutexes: fast path, spinning, sleeping, hand-off, what they count; and uring_lock over a batch. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include "model/collect.h"

#include <string.h>

/* A script on 8 CPUs without costs, and what mutex 0 counted (or a part of that). */
typedef struct {
  const char *rule, *set, *script, *log, *counted;
} MutexRow;

static void append_us (GString *text, const char *what, uint64_t ns)
{
  g_string_append_printf (text, " %s ", what);
  fixture_append_us (text, ns);
}

static char *counted (const Mutex *mutex)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "acquired %d contended %d sleeps %d steals %d handoffs %d", (int) mutex->count.acquired,
                          (int) mutex->count.contended, (int) mutex->count.sleeps, (int) mutex->count.steals,
                          (int) mutex->count.handoffs);
  append_us (text, "spin", mutex->count.spin_ns);
  append_us (text, "wait", mutex->count.wait_total);
  append_us (text, "max", mutex->count.wait_max);
  append_us (text, "hold", mutex->count.hold_ns);
  append_us (text, "slow", mutex->count.slowpath_ns);
  return g_string_free (text, FALSE);
}

static void check_rows (const MutexRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const MutexRow *row = &rows[i];
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    const Mutex *mutex = &fixture->mutex[0];
    g_autofree char *text = NULL;

    fixture_set (fixture, "CPU.Count=8");
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    text = counted (mutex);
    ROW_CHECK (!row->counted || strstr (text, row->counted), "%s: %s; expected %s", row->rule, text, row->counted);
    ROW_CHECK (!mutex->owner && !mutex->n_waiters && !mutex->osq.n && !mutex->handoff && !mutex->pickup,
               "%s: not free at the end", row->rule);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_fast_path (void)
{
  static const MutexRow rows[] = {
    { "one task only: its cost is part of what is done inside", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: mutex run:1 release mutex say:x release", "A@0 mutex, A@1 mutex, A@1 x",
      "acquired 2 contended 0 sleeps 0 steals 0 handoffs 0 spin 0 wait 0 max 0 hold 1 slow 0" },
    { "a second task: the word from another cache, then in its own", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: mutex release | B@5/1: mutex release mutex release", "A@0 mutex, B@5.06 mutex, B@5.085 mutex",
      "acquired 3 contended 0" },
    { "a try-lock takes what is free", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: trymutex release | B@5/1: trymutex release", "A@0 got, B@5.06 got", NULL },
    { "a failed try-lock pays for the line", "Locks.Fast=25, Locks.Transfer=60",
      "A/0: mutex run:10 release | B@5/1: trymutex", "A@0 mutex, B@5.06 busy", "acquired 1 contended 0" },
  };

  CHECK_ROWS (rows);
}

static void test_spinning (void)
{
  static const MutexRow rows[] = {
    { "the owner runs: spinning, and nobody sleeps", "Locks.Handover=250",
      "A/0: mutex run:10 release | B@1/1: mutex run:1 release", "A@0 mutex, B@10.25 mutex",
      "acquired 2 contended 1 sleeps 0 steals 0 handoffs 0 spin 9.25 wait 9.25 max 9.25 hold 11 slow 0" },
    { "the queue of spinners (OSQ) is first come, first served", NULL,
      "A/0: mutex run:10 release | B@3/1: mutex run:1 release | C@1/2: mutex run:1 release | D@2/3: mutex release",
      "A@0 mutex, C@10 mutex, D@11 mutex, B@11 mutex", NULL },
    { "need_resched ends spinning", NULL, "A/0: mutex run:9000 release | B@1/1: mutex release | Y@2/1: say:y run:1",
      "A@0 mutex, Y@4000 y, B@9000 mutex", "sleeps 1" },
    { "no spinning with need_resched set: it yields first, then queues up", NULL,
      "A/0: mutex run:9000 release | Y@1/1: say:y | B/1: run:5000 mutex release", "A@0 mutex, Y@5000 y, B@9000 mutex",
      "sleeps 1" },
    { "one that is not the first leaves the queue of spinners at need_resched; woken in vain it is handed the mutex",
      NULL,
      "A/0: mutex run:5000 release | B@1/1: mutex run:1 release | C@2/2: mutex release | Y@3/2: say:y "
      "| D@3/3: mutex run:1 release",
      "A@0 mutex, Y@4000 y, B@5000 mutex, C@5001 mutex, D@5001 mutex", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_sleeping (void)
{
  static const MutexRow rows[] = {
    { "the owner sleeps: no spinning", NULL, "A/0: mutex sleep:10 release | B@1/1: mutex run:1 release",
      "A@0 mutex, B@10 mutex",
      "acquired 2 contended 1 sleeps 1 steals 0 handoffs 0 spin 0 wait 9 max 9 hold 11 slow 0" },
    { "the owner goes to sleep: spinners queue up in order", NULL,
      "A/0: mutex run:5 sleep:10 release | B@1/1: mutex run:1 release | C@2/2: mutex run:1 release",
      "A@0 mutex, B@15 mutex, C@16 mutex", "sleeps 2" },
    { "the owner loses its CPU: no spinning", NULL,
      "A/0: mutex run:5000 resched run:10 release | X@1/0: run:100 | B@1/1: mutex release", "A@0 mutex, B@5110 mutex",
      "sleeps 1" },
    { "sleepers are FIFO", NULL,
      "A/0: mutex sleep:10 release | B@3/1: mutex sleep:1 release | C@1/2: mutex sleep:1 release "
      "| D@2/3: mutex release",
      "A@0 mutex, C@10 mutex, D@11 mutex, B@11 mutex", NULL },
    { "what a sleeping waiter costs",
      "Locks.RwsemQueue=300, Locks.RwsemWake=250, Scheduler.WakeRemote=1000, Scheduler.IdleExit=2500, "
      "Scheduler.Switch=1100",
      "A/0: mutex sleep:10 release say:on | B@1/1: mutex release", "A@3.6 mutex, A@18.45 on, B@22.05 mutex",
      "slow 2.65" },
  };

  CHECK_ROWS (rows);
}

/* A lets go at 10 and takes it again before B, who is being woken, is there at 12.5. */
#define SLOW_WAKE "Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500, Locks.Handover=250"

static void test_handoff (void)
{
  static const MutexRow rows[] = {
    { "a running task may take it before the first sleeper is there (steal)", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:1 release | B@1/1: mutex release", "A@2.5 mutex, A@15 mutex, B@17.5 mutex",
      "steals 1 handoffs 0" },
    { "woken once in vain: HANDOFF; he spins on the owner and gets it directly", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:5 release | B@1/1: mutex run:1 release",
      "A@2.5 mutex, A@15 mutex, B@20.25 mutex", "sleeps 1 steals 1 handoffs 1 spin 2.75" },
    { "with HANDOFF nobody may take it ahead of the first sleeper", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:5 release mutex release | B@1/1: mutex run:3 release",
      "A@2.5 mutex, A@15 mutex, B@20.25 mutex, A@23.5 mutex", "handoffs 1" },
    { "not even the head of the spinners", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:5 release | B@1/1: mutex run:3 release | C@14/2: mutex release",
      "A@2.5 mutex, A@15 mutex, B@20.25 mutex, C@23.5 mutex", "handoffs 1" },
    { "he sleeps again if the owner sleeps, and is handed it asleep (PICKUP)", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:5 sleep:10 release trymutex | B@1/1: mutex run:1 release",
      "A@2.5 mutex, A@15 mutex, A@32.5 busy, B@35 mutex", "sleeps 2 steals 1 handoffs 1" },
    { "at most one wake-up is in vain", SLOW_WAKE,
      "A/0: mutex sleep:10 release mutex run:5 release mutex run:5 release mutex run:5 release "
      "| B@1/1: mutex run:1 release",
      "A@2.5 mutex, A@15 mutex, B@20.25 mutex, A@21.5 mutex, A@26.5 mutex", "sleeps 1" },
  };

  CHECK_ROWS (rows);
}

/* A mutex that only one task uses lets no time pass: as many events as without it, whatever happens elsewhere. */
static void test_no_events (void)
{
  static const char *const scripts[] = {
    "A/0: run:1 run:1 repeat:100 | X/1: run:0.7 repeat:200",
    "A/0: mutex run:1 release mutex:1 run:1 release:1 repeat:100 | X/1: run:0.7 repeat:200",
  };
  uint64_t events[2];

  for (unsigned i = 0; i < 2; i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);

    fixture_build (fixture);
    fixture_script (fixture, scripts[i]);
    fixture_run (fixture, scripts[i]);
    events[i] = ur_engine_events (fixture->sim->engine);
    fixture_free (fixture);
  }
  ROW_CHECK (events[0] > 200 && events[0] == events[1], "%d events without, %d with", (int) events[0], (int) events[1]);
}

void register_mutex_tests (void)
{
  CU_pSuite suite = fixture_suite ("mutex");

  fixture_test (suite, "fast path", test_fast_path);
  fixture_test (suite, "spinning", test_spinning);
  fixture_test (suite, "sleeping", test_sleeping);
  fixture_test (suite, "hand-off", test_handoff);
  fixture_test (suite, "no events without a second task", test_no_events);
}
