/* task_work: who is told of it and how, by kind of ring and of work, and when the owner runs it. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

/* A script on 4 CPUs where an item takes its owner 5 us, an IPI its sender 0.15 and its receiver 0.7; its log, and what
 * was counted. */
typedef struct {
  const char *rule, *set, *script, *log;
  uint64_t wakeups, ipis;
} NotifyRow;

static void check_row (const NotifyRow *row, const char *policy, unsigned workers)
{
  Fixture *fixture = fixture_new (policy, "ext4", COSTS_FREE);
  const SimulationCounters *count;

  fixture_set (fixture, "CPU.Count=4, Ring.TaskWork=5000, Scheduler.IpiSend=150, Scheduler.IpiReceive=700");
  if (row->set)
    fixture_set (fixture, row->set);
  fixture_build (fixture);
  count = &fixture->sim->count;
  fixture_script (fixture, row->script);
  fixture_run (fixture, row->rule);
  fixture_check_log (fixture, row->rule, row->log);
  ROW_CHECK (count->wakeups == row->wakeups && count->ipis == row->ipis, "%s: %d wake-ups, %d IPIs", row->rule,
             (int) count->wakeups, (int) count->ipis);
  ROW_CHECK (count->workers_created == workers, "%s: %u workers", row->rule, count->workers_created);
  fixture_free (fixture);
}

static void check_rows (const NotifyRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    check_row (&rows[i], "linux-6.18", 0);
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_running (void)
{
  static const NotifyRow rows[] = {
    { "plain ring, the owner in user mode: one IPI a burst; it runs the list and goes on where it was", NULL,
      "S/0: user ring:4 run:100 say:end | P@10/1: free free free say:on", "P@10.15 on, S@115.7 end", 0, 1 },
    { "the next burst: another", NULL, "S/0: user ring:4 run:100 say:end | P@10/1: free run:40 free say:on",
      "P@50.3 on, S@111.4 end", 0, 2 },
    { "plain ring, the owner in the kernel: interrupted too, but it runs the list on its way back to user mode", NULL,
      "S/0: ring:4 run:100 say:kernel user say:end | P@10/1: free free", "S@100.7 kernel, S@110.7 end", 0, 1 },
    { "or when it enters the ring", NULL, "S/0: ring:4 run:100 submit say:in | P@10/1: free", "S@105.7 in", 0, 1 },
    { "the owner spins in user mode", NULL, "S/0: user ring:4 spin say:on | P@10/1: free", "S@15.7 done, S@15.7 on", 0,
      1 },
    { "the owner waits for its CPU: nobody is interrupted, it runs the list when it has it", NULL,
      "S/0: user ring:4 run:5000 say:end | B@1/0: user run:6000 | P@4500/1: free", "S@9005 end", 0, 0 },
    { "the owner's own CPU: none, and the list at its return", NULL, "S/0: ring:4 free run:10 say:kernel user say:end",
      "S@10 kernel, S@15 end", 0, 0 },
  };

  CHECK_ROWS (rows);
}

static void test_coop (void)
{
  static const NotifyRow rows[] = {
    { "COOP_TASKRUN: no IPI; the list at the next system call", NULL,
      "S/0: user ring:4,coop run:100 say:user submit say:end | P@10/1: free free", "S@100 user, S@110 end", 0, 0 },
    { "COOP_TASKRUN: or at the next interrupt of any kind", NULL,
      "S/0: user ring:4,coop run:100 say:end | P@10/1: free | I@30/2: interrupt:0,1", "S@106 end", 0, 0 },
    { "a tick is one", "Scheduler.TickWork=2000", "S/0: user ring:4,coop run:5000 say:end | P@10/1: free", "S@5007 end",
      0, 0 },
    { "TASKRUN_FLAG: IORING_SQ_TASKRUN until the list is run", NULL,
      "S/0: user ring:4,coop,taskrun taskrun run:100 taskrun submit taskrun | P@10/1: free",
      "S@0 -, S@100 taskrun, S@105 -", 0, 0 },
    { "without it never", NULL, "S/0: user ring:4,coop run:100 taskrun | P@10/1: free", "S@100 -", 0, 0 },
    { "TASKRUN_FLAG on a DEFER_TASKRUN ring: until the next GETEVENTS", NULL,
      "S/0: user ring:4,coop,taskrun,defer run:100 taskrun submit taskrun getevents:1 taskrun reap | P@10/1: worker:w0",
      "S@100 taskrun, S@100 taskrun, S@105 -, S@105 reap a", 0, 0 },
  };

  CHECK_ROWS (rows);
}

static void test_sleeping (void)
{
  static const NotifyRow rows[] = {
    { "who waits for completions is woken, runs the list, and waits on", NULL,
      "S/0: ring:4 getevents:1,100 say:end | P@10/1: free free", "S@100 end", 2, 1 },
    { "who sleeps uninterruptibly is not", NULL, "S/0: ring:4 sleep:100 say:up user say:end | P@10/1: free",
      "S@100 up, S@105 end", 1, 0 },
    { "nor a waiter on an inode's lock", NULL,
      "S/0: ring:4 run:5 write say:up user say:end unlock | W/2: write sleep:50 unlock | P@10/1: free",
      "W@0 write, S@50 write, S@50 up, S@55 end", 2, 1 },
    { "COOP_TASKRUN spares the IPI, not the wake-up", NULL, "S/0: ring:4,coop getevents:1,100 say:end | P@10/1: free",
      "S@100 end", 2, 1 },
    { "an interruptible sleep does not begin with a notification pending", NULL,
      "S/0: user ring:4,coop run:10 nap:100 say:up | P@5/1: free", "S@15 up", 0, 0 },
    { "and ends with one", NULL, "S/0: user ring:4,coop run:10 nap:100 say:up | P@50/1: free", "S@55 up", 1, 1 },
    { "an owner that was notified before does not fall asleep over it", NULL,
      "S/0: ring:4 run:10 getevents:1,20 say:end | P@5/1: free", "S@30.7 end", 1, 1 },
  };

  CHECK_ROWS (rows);
}

#define FIVE "worker:w0 worker:w0 worker:w0 worker:w0 worker:w0 "

/* DEFER_TASKRUN: a list of the ring, run by io_uring_enter(GETEVENTS) only. */
static void test_deferred (void)
{
  static const NotifyRow rows[] = {
    { "nobody waits: nobody is told, whatever the owner does", NULL,
      "S/0: user ring:4,coop,defer run:50 submit reap run:50 getevents:0 reap | P@10/1: worker:w0",
      "S@50 reap -, S@105 reap a", 0, 0 },
    { "from a worker: the first wakes who waits, though it wants more", NULL,
      "S/0: ring:4,coop,defer getevents:2 reap | P@10/1: worker:w0 run:20 worker:w0", "S@35 reap ab", 2, 2 },
    { "the next on the same list do not", NULL,
      "S/0: ring:4,coop,defer getevents:3 reap | P@10/1: worker:w0 worker:w0 run:1 worker:w0", "S@25 reap abc", 1, 1 },
    { "direct I/O, lazy: who waits is woken when as many are queued as it wants", NULL,
      "S/0: ring:4,coop,defer getevents:2 reap | P@10/1: irq:3,r0 run:20 irq:3,r0", "S@40 reap ab", 1, 1 },
    { "what is in the CQ counts", NULL,
      "S/0: ring:4,coop,defer run:10 getevents:2 reap | P@5/1: irq:3,r0 run:20 irq:3,r0", "S@30 reap ab", 1, 1 },
    { "a worker's wakes it at once, and takes the lazy ones along", NULL,
      "S/0: ring:4,coop,defer getevents:3,100 reap | P@10/1: irq:3,r0 worker:w0", "S@100 reap ab", 2, 1 },
    { "6.14: who waits runs 20 items of the list, the rest at the next entry", "kernel=6.14",
      "S/0: ring:64,coop,defer run:400 getevents:1 reap getevents:0 reap | P@1/1: " FIVE FIVE FIVE FIVE FIVE "run:1",
      "S@500 reap abcdefghijklmnopqrst, S@525 reap uvwxy", 0, 0 },
    { "6.14: more if it waits for more", "kernel=6.14",
      "S/0: ring:64,coop,defer run:400 getevents:22 reap getevents:0 reap | P@1/1: " FIVE FIVE FIVE FIVE FIVE "run:1",
      "S@510 reap abcdefghijklmnopqrstuv, S@525 reap wxy", 0, 0 },
    { "6.13: all", "kernel=6.13",
      "S/0: ring:64,coop,defer run:400 getevents:1 reap | P@1/1: " FIVE FIVE FIVE FIVE FIVE "run:1",
      "S@525 reap abcdefghijklmnopqrstuvwxy", 0, 0 },
    { "before 6.4 none is lazy", "kernel=6.3",
      "S/0: ring:4,coop,defer getevents:2 reap | P@10/1: irq:3,r0 run:20 irq:3,r0", "S@35 reap ab", 2, 2 },
  };

  CHECK_ROWS (rows);
}

/* Completions from interrupts on other rings. */
static void test_from_interrupts (void)
{
  static const NotifyRow rows[] = {
    { "the handler on the owner's CPU: no IPI; the owner runs the list when the handler is done",
      "Ring.TaskWorkAdd=1000", "S/0: user ring:4 run:100 reap | P@10/1: irq:0,r0", "S@106 reap a", 0, 0 },
    { "on another CPU: that one sends the IPI", NULL, "S/0: user ring:4 run:100 reap | P@10/1: irq:2,r0",
      "S@105.7 reap a", 0, 1 },
    { "COOP_TASKRUN: it does not", NULL, "S/0: user ring:4,coop run:100 submit reap | P@10/1: irq:2,r0", "S@105 reap a",
      0, 0 },
    { "COOP_TASKRUN, the owner's CPU: an interrupt is an interrupt", NULL,
      "S/0: user ring:4,coop run:100 reap | P@10/1: irq:0,r0", "S@105 reap a", 0, 0 },
    { "an interrupt while the owner is on its way back to user mode: it looks again before it gets there", NULL,
      "S/0: user ring:4 run:100 reap | F@10/1: free | P@14/1: irq:2,r0", "S@111.4 reap a", 0, 2 },
    { "who waits is woken", NULL, "S/0: ring:4 getevents:1 reap | P@10/1: irq:2,r0", "S@15 reap a", 1, 1 },
  };

  CHECK_ROWS (rows);
}

/* create_worker_cb(): a worker that sleeps over work in 6.3 asks the owner for another one.  A write takes 10 us and
 * then sleeps 100. */
static void test_creation (void)
{
  static const char set[] = "Ring.TaskWork=0, FileSystem ext4.WriteLocked=10000, FileSystem ext4.Sleep=100000, "
                            "FileSystem ext4.SleepEvery=1, Scheduler.ThreadCreate=3000";
  static const struct {
    NotifyRow row;
    unsigned workers;
  } rows[] = {
    { { "plain ring, the owner in user mode: TWA_SIGNAL", set,
        "S/0: user ring:8 sqe:w0 sqe:w1 submit run:50 say:on submit:2 reap", "S@56.7 on, S@126.7 reap ab", 3, 2 },
      2 },
    { { "COOP_TASKRUN: an IPI all the same", set,
        "S/0: user ring:8,coop sqe:w0 sqe:w1 submit run:50 say:on submit:2 reap", "S@56.7 on, S@126.7 reap ab", 3, 2 },
      2 },
    { { "DEFER_TASKRUN: not only with GETEVENTS", set,
        "S/0: user ring:8,coop,defer sqe:w0 sqe:w1 submit run:50 say:on submit:2 reap", "S@56.7 on, S@126.7 reap ab", 4,
        3 },
      2 },
    { { "in the kernel: later", set, "S/0: ring:8 sqe:w0 sqe:w1 submit kernel run:50 say:on submit:2 reap",
        "S@53.7 on, S@166.7 reap ab", 3, 2 },
      2 },
    { { "in its wait: woken", set, "S/0: ring:8,coop,defer sqe:w0 sqe:w1 submit:2 reap", "S@126 reap ab", 5, 3 }, 2 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (&rows[i].row, "linux-6.3", rows[i].workers);
}

void register_task_work_tests (void)
{
  CU_pSuite suite = fixture_suite ("task_work");

  fixture_test (suite, "a running owner", test_running);
  fixture_test (suite, "COOP_TASKRUN, TASKRUN_FLAG", test_coop);
  fixture_test (suite, "a sleeping owner", test_sleeping);
  fixture_test (suite, "DEFER_TASKRUN", test_deferred);
  fixture_test (suite, "creating workers", test_creation);
  fixture_test (suite, "from interrupts", test_from_interrupts);
}
