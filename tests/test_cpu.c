/* CPUs and tasks: sharing by slices, placement, preemption, costs of waking, balancing, sleeping, spinning. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

/* ---- sharing ---- */

static void test_sharing (void)
{
  static const ScriptRow rows[] = {
    { "two tasks get the CPU in turn, tick by tick", "CPU.Count=1",
      "A: user run:10000 say:end | B: user run:10000 say:end", "A@18000 end, B@20000 end" },
    { "three tasks", "CPU.Count=1", "A: user run:9000 say:end | B: user run:9000 say:end | C: user run:9000 say:end",
      "A@25000 end, B@26000 end, C@27000 end" },
    { "who has waited goes before who has run", "CPU.Count=1",
      "A: user run:10000 say:end | B@5000: user run:1000 say:end", "B@9000 end, A@11000 end" },
    { "in the kernel only cond_resched() gives way", "CPU.Count=1", "A: run:10000 say:end | B: user run:1000 say:end",
      "A@10000 end, B@11000 end" },
    { "cond_resched() gives way after the tick", "CPU.Count=1",
      "A: run:1000 resched repeat:9 say:end | B: run:1000 resched repeat:9 say:end", "A@18000 end, B@20000 end" },
    { "cond_resched() before the tick does nothing", "CPU.Count=1", "A: run:1000 resched say:end | B: say:end",
      "A@1000 end, B@1000 end" },
    { "yield gives way at once", "CPU.Count=1", "A: run:1000 yield say:end | B: run:10 say:end",
      "B@1010 end, A@1010 end" },
    { "yield alone goes on", "CPU.Count=1, Scheduler.Switch=1000", "A: run:10 yield say:end", "A@11 end" },
    { "the rest of an interrupted cost is kept", "CPU.Count=1, Scheduler.Switch=1000",
      "A: user run:5000 say:end | B: run:100 say:end", "B@4101 end, A@5103 end" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "kernel=6.3");
}

/* A slice is Slice x (1 + log2 of the CPUs), the factor at most 4, and it ends at a tick. */
static void test_slices (void)
{
  static const struct {
    unsigned cpus;
    UrTime tick, slice, length;
  } rows[] = {
    { 1, 250, 750, 750 },   { 2, 250, 750, 1500 },  { 3, 250, 750, 1500 },  { 4, 250, 750, 2250 },
    { 8, 250, 750, 3000 },  { 16, 250, 750, 3000 }, { 64, 250, 750, 3000 }, { 1, 1000, 750, 1000 },
    { 2, 1000, 750, 2000 }, { 1, 4000, 750, 4000 }, { 8, 4000, 750, 4000 }, { 8, 4000, 1001, 8000 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    g_autofree char *set = g_strdup_printf ("CPU.Count=%u, Scheduler.Tick=%u, Scheduler.Slice=%u", rows[i].cpus,
                                            (unsigned) rows[i].tick * 1000, (unsigned) rows[i].slice * 1000);
    g_autofree char *log = g_strdup_printf ("B@%u in", (unsigned) rows[i].length);

    fixture_set (fixture, set);
    fixture_build (fixture);
    fixture_script (fixture, "A/0: user run:20000 | B/0: say:in");
    fixture_run (fixture, set);
    fixture_check_log (fixture, set, log);
    fixture_free (fixture);
  }
}

/* ---- placement ---- */

static void test_spread (void)
{
  static const ScriptRow rows[] = {
    { "the previous CPU if it is idle", NULL, "T~2: wait cpu | W@10/1: wake:T", "W@10 slept, T@10 cpu2" },
    { "else another idle CPU", NULL, "T~2: wait cpu | X@5/2: run:100 | W@10/1: wake:T", "W@10 slept, T@10 cpu3" },
    { "else the waker's CPU if it has less to do", NULL,
      "T~2: wait cpu | A@5/0: run:100 | B@5/2: run:100 | C@5/2: run:100 | D@5/3: run:100 | W@5/1: run:5 wake:T",
      "W@10 slept, T@10 cpu1" },
    { "else the previous CPU", NULL,
      "T~2: wait cpu | A@5/0: run:100 | B@5/2: run:100 | D@5/3: run:100 | W@5/1: run:5 wake:T",
      "W@10 slept, T@105 cpu2" },
    { "a timer wakes on the previous CPU", NULL, "T~2: sleep:10 cpu", "T@10 cpu2" },
    { "a timer wakes on another idle CPU if that is busy", NULL, "T~2: sleep:10 cpu | X@5/2: run:100", "T@10 cpu3" },
    { "a pinned task waits for its CPU", NULL, "T/2: wait cpu | X@5/2: run:100 | W@10/1: wake:T",
      "W@10 slept, T@105 cpu2" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "CPU.Count=4");
}

/* util of a CPU that was idle and then runs for t: 1 - 2^(-t / 32 ms); 0.75 after 64 ms. */
static void test_pack (void)
{
  static const ScriptRow rows[] = {
    { "the waker's CPU while it has room, whatever is idle", NULL, "T~2: wait cpu | W@10/1: wake:T run:5",
      "W@10 slept, T@15 cpu1" },
    { "up to three quarters of a CPU", NULL, "T~2: wait cpu | W/1: run:63900 wake:T run:5",
      "W@63900 slept, T@63905 cpu1" },
    { "no longer", NULL, "T~2: wait cpu | W/1: run:64100 wake:T run:5", "W@64100 slept, T@64100 cpu2" },
    { "then another idle CPU if the previous one is busy", NULL,
      "T~2: wait cpu | X@5/2: run:100000 | W/1: run:64100 wake:T run:5", "W@64100 slept, T@64100 cpu3" },
    { "the wakee's own share counts if it comes from elsewhere", NULL,
      "T~2: run:16000 wait cpu | W@30/1: run:52000 wake:T run:5", "W@52030 slept, T@52030 cpu2" },
    { "and is in the CPU's already if not", NULL, "T~1: run:16000 wait cpu | W@16000/1: run:32000 wake:T run:5",
      "W@48000 slept, T@48005 cpu1" },
    { "a wakee takes its share along: there is room again where it was", NULL,
      "T~2: run:50000 wait | W@50010/1: wake:T run:5 | U~3: wait cpu | V@50020/2: run:30000 wake:U run:5",
      "W@50010 slept, V@80020 slept, U@80025 cpu2" },
    { "those apart meet again when there is", NULL,
      "T~2: wait wait cpu | W/1: run:70000 wake:T sleep:5000 wake:T run:5",
      "W@70000 slept, W@75000 slept, T@75005 cpu1" },
    { "and not before", NULL, "T~2: wait wait cpu | W/1: run:70000 wake:T sleep:1000 wake:T run:5",
      "W@70000 slept, W@71000 slept, T@71000 cpu2" },
    { "a pinned task is woken on its own", NULL, "T/2: wait cpu | W@10/1: wake:T run:5", "W@10 slept, T@10 cpu2" },
    { "a timer wakes on the previous CPU", NULL, "T~2: sleep:10 cpu | X@5/2: run:100", "T@105 cpu2" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "CPU.Count=4, Scheduler.Placement=pack, Scheduler.PackRoom=0.75");
}

/* ---- preemption ---- */

static void test_wakeup_preemption (void)
{
  static const ScriptRow rows[] = {
    { "CFS: a lead of the granularity is not enough", "kernel=6.5, CPU.Count=1",
      "T: sleep:1000 say:in | H: user run:20000", "T@4000 in" },
    { "CFS: more than the granularity preempts", "kernel=6.5, CPU.Count=1",
      "T: sleep:1000.001 say:in | H: user run:20000", "T@1000.001 in" },
    { "CFS: twice the granularity on 2 CPUs, not enough", "kernel=5.3, CPU.Count=2",
      "T/0: sleep:2000 say:in | H/0: user run:20000", "T@4000 in" },
    { "CFS: twice the granularity on 2 CPUs", "kernel=5.3, CPU.Count=2",
      "T/0: sleep:2000.001 say:in | H/0: user run:20000", "T@2000.001 in" },
    { "EEVDF: who has had no more than its share keeps the CPU (run to parity)", "kernel=6.6, CPU.Count=1",
      "T: sleep:2000 say:in | H: user run:20000", "T@4000 in" },
    { "EEVDF: who has had more gives way to one that is owed time", "kernel=6.6, CPU.Count=1",
      "H: run:1000 yield user run:20000 | T: run:10 sleep:90 say:in", "T@1100 in" },
    { "EEVDF: within its slice it keeps the CPU from an earlier deadline, as long as it is eligible",
      "kernel=6.6, CPU.Count=1", "X: run:6000 yield run:10 | H: user run:20000 | T: sleep:100 say:in", "T@12000 in" },
    { "EEVDF: not to one that is owed nothing", "kernel=6.6, CPU.Count=1",
      "H: run:1000 yield user run:20000 | T: run:1000 sleep:90 say:in", "T@4000 in" },
    { "a new task does not preempt, CFS", "kernel=6.5, CPU.Count=1", "H: user run:20000 | T@3000: say:in",
      "T@4000 in" },
    { "a new task does not preempt, EEVDF", "kernel=6.6, CPU.Count=1", "H: user run:20000 | T@3000: say:in",
      "T@4000 in" },
    { "CFS: a sleeper's credit is half a latency period", "kernel=6.5, CPU.Count=1",
      "T: sleep:9500 user run:20000 | H: user run:11000 say:end", "H@17500 end" },
    { "EEVDF: a sleeper gets no credit", "kernel=6.6, CPU.Count=1",
      "T: sleep:10000 user run:20000 | H: user run:13000 say:end", "H@17000 end" },
    { "6.11: what a sleeper owes it owes when it comes back", "kernel=6.11, CPU.Count=1",
      "T: run:1000 sleep:10000 say:in | H: user run:20000", "T@16000 in" },
    { "6.12: it is slept off (delayed dequeue)", "kernel=6.12, CPU.Count=1",
      "T: run:1000 sleep:10000 say:in | H: user run:20000", "T@12000 in" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "kernel=6.3");
}

static void test_preemption_points (void)
{
  static const ScriptRow rows[] = {
    { "user mode: at once", NULL, "T: sleep:2000 say:in | H: user run:3000 say:h", "T@2000 in, H@3000 h" },
    { "voluntary: at cond_resched()", NULL, "T: sleep:2000 say:in | H: run:1500 run:1500 resched say:h",
      "T@3000 in, H@3000 h" },
    { "voluntary: on the way back to user mode", NULL, "T: sleep:2000 say:in | H: run:2500 user run:500 say:h",
      "T@2500 in, H@3000 h" },
    { "voluntary: when it sleeps", NULL, "T: sleep:2000 say:in | H: run:2500 sleep:10 say:h", "T@2500 in, H@2510 h" },
    { "full: at once", "Scheduler.Preemption=full", "T: sleep:2000 say:in | H: run:3000 say:h", "T@2000 in, H@3000 h" },
    { "who wakes its own preemptor loses the CPU", NULL, "T: wait say:in | H: user run:2000 wake:T run:500 say:h",
      "H@2000 slept, T@2000 in, H@2500 h" },
    { "in the kernel it keeps it", NULL, "T: wait say:in | H: run:2000 wake:T run:500 say:h resched",
      "H@2000 slept, H@2500 h, T@2500 in" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "kernel=6.3, CPU.Count=1");
}

/* ---- costs ---- */

static void test_wakeup_costs (void)
{
  static const ScriptRow rows[] = {
    { "a start pays idle exit and switch", NULL, "T/0: say:in", "T@3.6 in" },
    { "remote, idle: the waker pays the IPI, the wakee idle exit and switch", NULL,
      "T/1: wait say:in | W/0: run:100 wake:T say:on", "W@104.6 slept, W@104.6 on, T@108.2 in" },
    { "remote, deeply idle", NULL, "T/1: wait say:in | W/0: run:600 wake:T", "W@604.6 slept, T@655.7 in" },
    { "remote, not yet deeply idle", NULL, "T/1: wait say:in | W/0: run:599.999 wake:T",
      "W@604.599 slept, T@608.199 in" },
    { "remote, busy: no IPI", NULL, "T/1: wait say:in | X@50/1: run:200 | W/0: run:100 wake:T",
      "W@104 slept, T@254.7 in" },
    { "own CPU: no idle exit", NULL, "T/0: wait say:in | W/0: run:100 wake:T say:on",
      "W@105.1 slept, W@105.1 on, T@106.2 in" },
    { "what the waker has charged already delays the wakee", NULL,
      "T/1: wait say:in | U/2: wait say:in | W/0: run:100 wake:T wake:U",
      "W@104.6 slept, W@105.6 slept, T@108.2 in, U@109.2 in" },
    { "a timer: its handler does the waking", NULL, "T/0: sleep:100 say:in", "T@107.6 in" },
    { "about to sleep: no switch", NULL, "T/1: prepare run:200 schedule | W/0: run:100 wake:T say:on",
      "W@104 slept, W@104 on, T@203.6 back" },
    { "awake: free of charge", NULL, "T/1: run:200 | W/0: run:100 wake:T say:on", "W@103.6 awake, W@103.6 on" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3",
                      "CPU.Count=4, Scheduler.WakeLocal=400, Scheduler.WakeRemote=1000, "
                      "Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=50000, Scheduler.IdleDeepAfter=600000, "
                      "Scheduler.Switch=1100");
}

/* do_idle(): need_resched is polled until the CPU is halted; who sets it meanwhile sends no IPI (set_nr_if_polling()).
 */
static void test_idle_entry (void)
{
  static const ScriptRow rows[] = {
    { "a wake-up on the way into idle waits for its end and the way back", NULL,
      "T/1: wait say:in | W@4/0: wake:T say:on", "W@9.3 slept, W@9.3 on, T@26 in" },
    { "so does one at its last moment", NULL, "T/1: wait say:in | W@9.6/0: wake:T say:on",
      "W@14.9 slept, W@14.9 on, T@26 in" },
    { "from then on it takes an IPI", NULL, "T/1: wait say:in | W@9.7/0: run:0.3 wake:T say:on",
      "W@16 slept, W@16 on, T@21 in" },
    { "a timer that fires meanwhile too", NULL, "T/1: sleep:5 say:in", "T@26 in" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3",
                      "CPU.Count=2, Scheduler.WakeLocal=300, Scheduler.WakeRemote=1000, Scheduler.IdleExit=5000, "
                      "Scheduler.IdleEntry=10000, Scheduler.IdleReturn=11000");
}

static void test_wakeup_counts (void)
{
  static const struct {
    const char *rule, *script;
    uint64_t wakeups, ipis, switches;
  } rows[] = {
    { "remote, idle", "T/1: wait | W/0: run:100 wake:T", 1, 1, 3 },
    { "remote, busy", "T/1: wait | X@50/1: run:200 | W/0: run:100 wake:T", 1, 0, 4 },
    { "own CPU", "T/0: wait | W/0: run:100 wake:T", 1, 0, 3 },
    { "a timer is an interrupt of that CPU itself", "T/0: sleep:100", 1, 0, 2 },
    { "awake", "T/1: run:200 | W/0: run:100 wake:T", 0, 0, 2 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    const SimulationCounters *count;

    fixture_build (fixture);
    count = &fixture->sim->count;
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (count->wakeups == rows[i].wakeups, "%s: %d wakeups", rows[i].rule, (int) count->wakeups);
    ROW_CHECK (count->ipis == rows[i].ipis, "%s: %d IPIs", rows[i].rule, (int) count->ipis);
    ROW_CHECK (count->context_switches == rows[i].switches, "%s: %d switches", rows[i].rule,
               (int) count->context_switches);
    fixture_free (fixture);
  }
}

/* ---- balancing ---- */

static void test_balancing (void)
{
  static const ScriptRow rows[] = {
    { "a CPU that runs empty pulls who waits", NULL, "A/0: run:10000 | C/1: run:1000 | B@1~0: cpu", "B@1000 cpu1" },
    { "not a pinned one", NULL, "A/0: run:10000 | C/1: run:1000 | B@1/0: cpu", "B@10000 cpu0" },
    { "not one that is cache-hot: it waits for the tick", NULL,
      "B~0: run:2000 yield cpu | A@1/0: run:10000 | C/1: run:2499", "B@4000 cpu1" },
    { "half a millisecond later it is cold", NULL, "B~0: run:2000 yield cpu | A@1/0: run:10000 | C/1: run:2500",
      "B@2500 cpu1" },
    { "from the longest queue", "CPU.Count=3",
      "A/0: run:10000 | D/2: run:10000 | C/1: run:1000 | B@1~0: cpu | E@2~2: cpu | F@3~2: run:1",
      "E@1000 cpu1, B@1000 cpu1" },
    { "5.15: not with short idle times", "kernel=5.15",
      "A/0: run:10000 | C/1: sleep:10 run:1 repeat:20 run:1000 | B@300~0: cpu", "B@4000 cpu1" },
    { "5.16: these are long enough", "kernel=5.16",
      "A/0: run:10000 | C/1: sleep:10 run:1 repeat:20 run:1000 | B@300~0: cpu", "B@1231 cpu1" },
    { "5.16: so are these", "kernel=5.16", "A/0: run:10000 | C/1: sleep:40 run:1 repeat:60 run:1000 | B@2600~0: cpu",
      "B@3501 cpu1" },
    { "5.16: not if they are always shorter than a balance pass", "kernel=5.16",
      "A/0: run:10000 | C/1: sleep:10 run:1 repeat:60 run:1000 | B@700~0: cpu", "B@4000 cpu1" },
    { "a tick moves who waits to an idle CPU", "Scheduler.Placement=pack",
      "X/1: run:10 | A~0: user run:10000 | B@1~0: cpu", "B@4000 cpu1" },
    { "not a pinned one", "Scheduler.Placement=pack", "A~0: user run:10000 | B@1/0: cpu", "B@4000 cpu0" },
    { "only what is cache-hot waits: an idle CPU gets it at the second tick", "Scheduler.Placement=pack",
      "X/1: run:10 | A~0: run:100 yield repeat:99 cpu | B~0: run:100 yield repeat:99 cpu",
      "B@14000 cpu0, A@14000 cpu1" },
    { "not if it is pinned", "Scheduler.Placement=pack",
      "A/0: run:100 yield repeat:99 cpu | B/0: run:100 yield repeat:99 cpu", "A@20000 cpu0, B@20000 cpu0" },
    { "a tick moves to a CPU with two fewer", NULL,
      "A/0: user run:20000 | X/1: user run:20000 | B@1~0: cpu | C@2~0: cpu", "C@4000 cpu0, B@8000 cpu1" },
    { "not to one with one fewer", NULL, "A/0: user run:20000 | X/1: user run:20000 | B@1~0: cpu", "B@4000 cpu0" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "CPU.Count=2, kernel=6.3");
}

/* ---- sleeping and spinning ---- */

static void test_sleeping (void)
{
  static const ScriptRow rows[] = {
    { "a wake-up between the test and the sleep is not lost", NULL, "P/0: prepare run:100 schedule | Q@50/1: wake:P",
      "Q@50 slept, P@100 back" },
    { "a wake-up before the test has no effect", NULL,
      "P/0: run:100 prepare schedule | Q@50/1: wake:P | R@200/1: wake:P", "Q@50 awake, R@200 slept, P@200 back" },
    { "the second waker finds it awake", NULL, "P/0: wait run:10 | Q@50/1: wake:P wake:P", "Q@50 slept, Q@50 awake" },
    { "nobody wakes: the deadline", NULL, "P/0: wait:100", "P@100 timeout" },
    { "woken before the deadline", NULL, "P/0: wait:100 | Q@50/1: wake:P", "Q@50 slept, P@50 woken" },
    { "the timer of an earlier wait does not end the next one", NULL, "P/0: wait:100 wait:100 | Q@50/1: wake:P",
      "Q@50 slept, P@50 woken, P@150 timeout" },
    { "nor does it delay an earlier deadline", NULL, "P/0: wait:1000 wait:10 | Q@50/1: wake:P",
      "Q@50 slept, P@50 woken, P@60 timeout" },
    { "nor does it end a wait without a deadline", NULL, "P/0: wait:100 wait say:up | Q@50/1: wake:P | R@300/1: wake:P",
      "Q@50 slept, P@50 woken, R@300 slept, P@300 up" },
    { "woken in time, run late", NULL, "P/0: wait:100 | X@10/0: run:190 | Q@50/1: wake:P", "Q@50 slept, P@200 woken" },
    { "timed out in time, run late", NULL, "P/0: wait:100 | X@10/0: run:190", "P@200 timeout" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "CPU.Count=2");
}

static void test_spinning (void)
{
  static const ScriptRow rows[] = {
    { "ended by another", NULL, "S/0: spin | F@30/1: finish:S", "S@30 done" },
    { "ended by its deadline", NULL, "S/0: spin:20 | F@30/1: finish:S", "S@20 done" },
    { "ended before its deadline, which then does nothing", NULL, "S/0: spin:40 run:100 say:x | F@30/1: finish:S",
      "S@30 done, S@130 x" },
    { "no time to spin", NULL, "S/0: spin:0", "S@0 done" },
    { "ended because the CPU is wanted", NULL, "S/0: spin say:x | X@10/0: run:1", "S@4000 resched, S@4000 x" },
    { "not begun if the CPU is wanted", NULL, "S/0: run:5000 spin | X@10/0: run:1", "S@5000 resched" },
    { "in user mode too it ends, and then gives way", NULL, "S/0: user spin yield say:x | X@10/0: run:1",
      "S@4000 resched, S@4001 x" },
    { "a task that does not spin is left alone", NULL, "S/0: run:50 spin:50 | F@30/1: finish:S", "S@100 done" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", "CPU.Count=2");
}

typedef struct {
  uint64_t account;
  UrTime until;
} Spin;

static void spin_body (Task *task, void *data)
{
  Spin *spin = data;

  task_run (task, 5 * UR_US);
  task_spin (task, &spin->account, spin->until);
  task_spin (task, NULL, spin->until + 10 * UR_US);
  task_run (task, 3 * UR_US);
  task_account_spin (task, 2 * UR_US);
}

static void test_spin_account (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
  Spin spin = { 0, 25 * UR_US };
  const Cpu *cpu;

  fixture_build (fixture);
  task_start (task_new (fixture->sim, "spinner", TASK_CLASS_WORKER, 3, spin_body, &spin), NULL);
  fixture_run (fixture, "spin account");
  cpu = &fixture->sim->cpus[3];
  ROW_CHECK (spin.account == 20 * UR_US, "the account got %d ns", (int) spin.account);
  ROW_CHECK (cpu->spin == 32 * UR_US, "the CPU spun %d ns", (int) cpu->spin);
  ROW_CHECK (cpu->busy[TASK_CLASS_WORKER] == 38 * UR_US, "busy %d ns", (int) cpu->busy[TASK_CLASS_WORKER]);
  ROW_CHECK (cpu->busy[TASK_CLASS_APP] == 0, "only as a worker");
  ROW_CHECK (cpu->idle_time == 0, "never idle after its start: %d ns", (int) cpu->idle_time);
  ROW_CHECK (fixture->sim->count.workers_spinning.max == 1 && fixture->sim->count.workers_spinning.level == 0,
             "the level of spinning workers went up and down");
  fixture_free (fixture);
}

/* ---- the books ---- */

static void append_random_steps (GString *script, UrRandom *random, unsigned tasks)
{
  static const char *const steps[] = { "resched", "yield", "user", "kernel" };
  unsigned n = 3 + (unsigned) ur_random_below (random, 15);

  for (unsigned i = 0; i < n; i++) {
    unsigned us = (unsigned) ur_random_below (random, 6000);

    switch (ur_random_below (random, 6)) {
    case 0:
      g_string_append_printf (script, " run:%u", us);
      break;
    case 1:
      g_string_append_printf (script, " sleep:%u", us);
      break;
    case 2:
      g_string_append_printf (script, " spin:%u", us / 4);
      break;
    case 3:
      g_string_append_printf (script, " wait:%u wake:t%u", us, (unsigned) ur_random_below (random, tasks));
      break;
    case 4:
      g_string_append_printf (script, " write run:%u unlock", us / 16);
      break;
    default:
      g_string_append_printf (script, " %s", steps[ur_random_below (random, G_N_ELEMENTS (steps))]);
    }
  }
}

/* Busy + idle = elapsed on every CPU, and every task ends: checked by fixture_run(). */
static void test_books (void)
{
  static const unsigned cpus[] = { 1, 2, 8 };
  static const char *const kernels[] = { "5.3", "6.3", "6.18" };

  for (unsigned i = 0; i < 90; i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    GString *script = g_string_new (NULL);
    UrRandom random;
    const char *placement, *preemption;
    unsigned tasks;
    g_autofree char *set = NULL;

    ur_random_init_indexed (&random, 1, "books", i);
    placement = ur_random_below (&random, 2) ? "pack" : "spread"; /* one draw a statement: the order is fixed */
    preemption = ur_random_below (&random, 2) ? "full" : "voluntary";
    tasks = 1 + (unsigned) ur_random_below (&random, 12);
    set = g_strdup_printf ("CPU.Count=%u, kernel=%s, Scheduler.Placement=%s, Scheduler.Preemption=%s", cpus[i % 3],
                           kernels[i / 3 % 3], placement, preemption);
    fixture_set (fixture, set);
    fixture_build (fixture);
    for (unsigned t = 0; t < tasks; t++) {
      g_string_append_printf (script, "%st%u", t ? "|" : "", t);
      if (ur_random_below (&random, 3) == 0)
        g_string_append_printf (script, "/%u", (unsigned) ur_random_below (&random, cpus[i % 3]));
      g_string_append_printf (script, ": sleep:%u", (unsigned) ur_random_below (&random, 3000));
      append_random_steps (script, &random, tasks);
    }
    fixture_script (fixture, script->str);
    fixture_run (fixture, set);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

void register_cpu_tests (void)
{
  CU_pSuite suite = fixture_suite ("cpu");

  fixture_test (suite, "tasks share a CPU", test_sharing);
  fixture_test (suite, "slices", test_slices);
  fixture_test (suite, "placement: spread", test_spread);
  fixture_test (suite, "placement: pack", test_pack);
  fixture_test (suite, "wake-up preemption", test_wakeup_preemption);
  fixture_test (suite, "preemption points", test_preemption_points);
  fixture_test (suite, "what a wake-up costs", test_wakeup_costs);
  fixture_test (suite, "what a wake-up counts", test_wakeup_counts);
  fixture_test (suite, "a wake-up on the way into idle", test_idle_entry);
  fixture_test (suite, "balancing", test_balancing);
  fixture_test (suite, "sleeping", test_sleeping);
  fixture_test (suite, "spinning", test_spinning);
  fixture_test (suite, "spin accounts", test_spin_account);
  fixture_test (suite, "busy and idle add up", test_books);
}
