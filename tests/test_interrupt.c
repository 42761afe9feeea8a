/* Interrupts and IPIs: whose time they take, where they are counted, who pays for which part of a wake-up. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include "model/interrupt.h"

#include <string.h>

/* A script on 4 CPUs without costs, its log, and the books of CPU 0 and 1. */
typedef struct {
  const char *rule, *set, *script, *log, *books;
} InterruptRow;

static char *books (const Simulation *sim)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < 2; i++) {
    const Cpu *cpu = &sim->cpus[i];

    g_string_append_printf (text, "%scpu%u irq ", i ? "; " : "", i);
    fixture_append_us (text, cpu->irq);
    g_string_append (text, " app ");
    fixture_append_us (text, cpu->busy[TASK_CLASS_APP]);
    g_string_append (text, " spin ");
    fixture_append_us (text, cpu->spin);
  }
  g_string_append_printf (text, "; ipis %u", (unsigned) sim->count.ipis);
  return g_string_free (text, FALSE);
}

static void check_rows (const InterruptRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const InterruptRow *row = &rows[i];
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    g_autofree char *text = NULL;

    fixture_set (fixture, "CPU.Count=4");
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    text = books (fixture->sim);
    ROW_CHECK (!row->books || strstr (text, row->books), "%s: %s; expected %s", row->rule, text, row->books);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_time (void)
{
  static const InterruptRow rows[] = {
    { "an interrupt is taken from whoever runs there: its cost ends later", NULL,
      "A/0: run:10 say:end | I@4/1: interrupt:0,3", "A@13 end", "cpu0 irq 3 app 10 spin 0" },
    { "not from who runs elsewhere", NULL, "A/0: run:10 say:end | B/2: run:10 say:end | I@4/1: interrupt:2,3",
      "A@10 end, B@13 end", "cpu0 irq 0 app 10" },
    { "two in a row", NULL, "A/0: run:10 say:end | I@4/1: interrupt:0,3 run:4 interrupt:0,2", "A@15 end",
      "cpu0 irq 5 app 10" },
    { "one that comes while another is served is served after it", NULL,
      "A/0: run:10 say:end | I@4/1: interrupt:0,3 run:1 interrupt:0,2", "A@15 end", "cpu0 irq 5 app 10" },
    { "one that is not over at the end of the run counts as far as it got", NULL,
      "A/0: run:5 | I@4/1: run:3 interrupt:0,9 run:2", "", "cpu0 irq 2 app 5 spin 0; cpu1 irq 0 app 5" },
    { "a handler is not preempted: who gets the CPU meanwhile starts after it", "Scheduler.Switch=1000",
      "A/0: user run:5000 say:end | B@10/0: say:in | I@3990/1: interrupt:0,15", "B@4007 in, A@5018 end",
      "cpu0 irq 15 app 5003" },
    { "the scheduler charges it to the task on which it fell", NULL,
      "A/0: run:100 yield say:a | B/0: run:1000 yield say:b | I@50/1: interrupt:0,2000", "B@3100 b, A@3100 a",
      "cpu0 irq 2000 app 1100" },
  };

  CHECK_ROWS (rows);
}

static void test_spinning (void)
{
  static const InterruptRow rows[] = {
    { "a spinner that is told during a handler sees it afterwards", NULL,
      "A/0: spin | I@4/1: interrupt:0,5 run:1 finish:A", "A@9 done", "cpu0 irq 5 app 4 spin 4" },
    { "a handler before that delays nothing, and is not spinning", NULL,
      "A/0: spin | I@4/1: interrupt:0,5 run:10 finish:A", "A@14 done", "cpu0 irq 5 app 9 spin 9" },
    { "an interrupted lock owner holds longer; the spinner's handler is not on the lock's account",
      "Locks.Handover=250", "A/0: write run:10 unlock | B@1/1: write unlock | I@5/2: interrupt:0,2 interrupt:1,3",
      "A@0 write, B@12.25 write", "cpu0 irq 2 app 10 spin 0; cpu1 irq 3 app 8.25 spin 8.25" },
  };

  CHECK_ROWS (rows);
}

static void test_idle (void)
{
  static const InterruptRow rows[] = {
    { "an idle CPU wakes up for it, and idles again", "Scheduler.IdleExit=2000", "I@4/1: interrupt:0,3 run:10", "",
      "cpu0 irq 3 app 0" },
    { "who is put there meanwhile starts when the handler is done", "Scheduler.IdleExit=2000, Scheduler.Switch=1000",
      "I/1: interrupt:0,3 run:1 | A@4/0: say:in", "A@9 in", "cpu0 irq 3 app 1" },
    { "without a second exit latency", "Scheduler.IdleExit=2000", "I/1: interrupt:0,3 | A@3/0: say:in", "A@7 in",
      NULL },
    { "afterwards it is as idle as before", "Scheduler.IdleExit=2000", "I/1: interrupt:0,3 | A@20/0: say:in", "A@22 in",
      NULL },
    { "a CPU on its way out of idle serves it before who is waiting", "Scheduler.IdleExit=5000",
      "I/1: run:1 interrupt:0,4 | A@4/0: say:in", "A@13 in", "cpu0 irq 4 app 0" },
    { "a deeper state counts from the handler on",
      "Scheduler.IdleExit=2000, Scheduler.IdleExitDeep=50000, Scheduler.IdleDeepAfter=100000",
      "I/1: run:95 interrupt:0,3 | A@150/0: say:in", "A@152 in", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_wake_ups (void)
{
  static const char costs[] = "Scheduler.WakeLocal=400, Scheduler.WakeRemote=1000, Scheduler.IdleExit=2000, "
                              "Scheduler.IpiSend=150, Scheduler.IpiReceive=700";
  const InterruptRow rows[] = {
    { "to an idle CPU: the IPI is part of the waker's cost and of the exit latency", costs,
      "S/0: wait say:up | W@1/1: wake:S say:on", "W@4 slept, W@4 on, S@6 up",
      "cpu0 irq 0 app 0 spin 0; cpu1 irq 0 app 1 spin 0; ipis 1" },
    { "to a busy CPU whose task is not preempted: none", costs,
      "S/0: wait say:up | W@1/1: run:20 wake:S say:on | A@10/0: run:30", "W@23.4 slept, W@23.4 on, S@42 up",
      "cpu0 irq 0 app 30 spin 0; cpu1 irq 0 app 20.4 spin 0; ipis 0" },
    { "to a busy CPU whose task is preempted: the sender pays, the CPU is interrupted", costs,
      "S/0: wait say:up | W@1/1: run:9000 wake:S say:on | A@10/0: user run:20000 say:end",
      "W@9003.55 slept, W@9003.55 on, S@9003.7 up, A@20012.7 end",
      "cpu0 irq 0.7 app 20000 spin 0; cpu1 irq 0 app 9000.55 spin 0; ipis 1" },
    { "on the waker's own CPU: none", costs, "S/0: wait say:up | W@1/0: run:1 wake:S say:on",
      "W@3.4 slept, W@3.4 on, S@3.4 up", "cpu0 irq 0 app 1.4 spin 0; cpu1 irq 0 app 0 spin 0; ipis 0" },
    { "a handler that wakes a task of its CPU: it is longer, and nobody sends an IPI", costs,
      "S/0: wait say:up | I@10/1: interrupt:0,3,S", "S@17.4 up",
      "cpu0 irq 3.4 app 0 spin 0; cpu1 irq 0 app 0 spin 0; ipis 0" },
    { "a handler that wakes a task for another CPU", costs, "S/0: wait say:up | I@10/1: interrupt:2,3,S", "S@20 up",
      "cpu0 irq 0 app 0 spin 0; cpu1 irq 0 app 0 spin 0; ipis 1" },
    { "a time-out is an interrupt of the CPU it was armed on", costs, "S/0: wait:10 | B/1: run:1", "S@14.4 timeout",
      "cpu0 irq 0.4 app 0" },
  };

  CHECK_ROWS (rows);
}

/* An IPI needs 3 us to get to CPU 0. */
static void test_on_its_way (void)
{
  static const char costs[] = "Scheduler.IpiSend=150, Scheduler.IpiReceive=700, Scheduler.IpiLatency=3000, "
                              "Scheduler.IdleEntry=5000, Scheduler.IdleReturn=1000";
  const InterruptRow rows[] = {
    { "until then the other CPU goes on", costs, "S/0: user ring:4 spin say:on | P@10/1: free say:sent",
      "P@10.15 sent, S@13.7 done, S@13.7 on", "cpu0 irq 0.7 app 13 spin 13; cpu1 irq 0 app 0.15 spin 0; ipis 1" },
    { "a second one finds it on its way", costs, "S/0: ring:4,defer ring:4 run:100 | P@10/1: free run:1 free say:sent",
      "P@11.15 sent", "cpu0 irq 0.7 app 100 spin 0; cpu1 irq 0 app 1.15 spin 0; ipis 1" },
    { "the CPU has gone idle: it halts, and comes back for it", costs,
      "S/0: ring:4 run:12 sleep:500 | P@10/1: free | A@14/0: say:in", "A@18.7 in",
      "cpu0 irq 0.7 app 12 spin 0; cpu1 irq 0 app 0.15 spin 0; ipis 1" },
    { "so does one that somebody has been put on meanwhile", costs,
      "S/0: ring:4 run:12 sleep:500 | P@10/1: free | A@12.5/0: say:in", "A@18 in",
      "cpu0 irq 0.7 app 12 spin 0; cpu1 irq 0 app 0.15 spin 0; ipis 1" },
  };

  CHECK_ROWS (rows);
}

static void test_tick (void)
{
  static const InterruptRow rows[] = {
    { "a busy CPU is interrupted at every tick, an idle one is not", "Scheduler.TickWork=2000",
      "A/0: run:12000 say:end", "A@12006 end", "cpu0 irq 6 app 12000 spin 0; cpu1 irq 0 app 0" },
    { "after an idle stretch at the next multiple of the tick", "Scheduler.TickWork=2000",
      "A/0: run:3999 sleep:100 run:10 say:end sleep:3000 run:900 say:end", "A@4109 end, A@8011 end",
      "cpu0 irq 2 app 4909" },
    { "and somebody who waits gets the CPU after it", "Scheduler.TickWork=2000",
      "A/0: user run:5000 say:end | B@10/0: say:in", "B@4002 in, A@5002 end", "cpu0 irq 2 app 5000" },
  };

  CHECK_ROWS (rows);
}

void register_interrupt_tests (void)
{
  CU_pSuite suite = fixture_suite ("interrupt");

  fixture_test (suite, "time", test_time);
  fixture_test (suite, "spinning", test_spinning);
  fixture_test (suite, "idle", test_idle);
  fixture_test (suite, "wake-ups", test_wake_ups);
  fixture_test (suite, "on its way", test_on_its_way);
  fixture_test (suite, "tick", test_tick);
}
