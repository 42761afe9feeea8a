/* Whole runs: outcomes, times that can be computed by hand, seeds, limits, groups, interruption, errors, deadlock.
 * Random configurations: test_properties.c. */
#include "model/application.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

static uint64_t outcomes (const RunResult *result)
{
  uint64_t sum = 0;

  for (unsigned i = 0; i < OUTCOMES; i++)
    sum += result->outcome[i];
  return sum;
}

/* ---- outcomes ---- */

static void test_outcomes (void)
{
  static const struct {
    const char *policy, *fs;
    ApplicationEngine engine;
    int in, hashed, unhashed;
  } rows[] = {
    { "linux-5.3", "ext4", APPLICATION_IO_URING, 0, 0, 256 },
    { "linux-5.4", "ext4", APPLICATION_IO_URING, 0, 0, 256 },
    { "linux-6.1", "ext4", APPLICATION_IO_URING, 0, 256, 0 },
    { "linux-6.3", "ext4", APPLICATION_IO_URING, 0, 256, 0 },
    { "linux-6.18", "ext4", APPLICATION_IO_URING, 0, 256, 0 },
    { "write-workqueue-2", "ext4", APPLICATION_IO_URING, 0, 0, 256 },
    { "inline-buffered-write", "ext4", APPLICATION_IO_URING, 256, 0, 0 },
    { "no-offload", "ext4", APPLICATION_IO_URING, 256, 0, 0 },
    { "always-punt", "ext4", APPLICATION_IO_URING, 0, 256, 0 },
    { "hashed-2", "ext4", APPLICATION_IO_URING, 0, 256, 0 },
    { "unhashed", "ext4", APPLICATION_IO_URING, 0, 0, 256 },
    { "trylock-inline", "ext4", APPLICATION_IO_URING, 256, 0, 0 },
    { "linux-6.3", "tmpfs", APPLICATION_IO_URING, 0, 256, 0 },
    { "linux-6.3", "block", APPLICATION_IO_URING, 0, 0, 256 },
    { "linux-6.3", "ext4", APPLICATION_LIBAIO, 256, 0, 0 },
    { "linux-6.3", "ext4", APPLICATION_PSYNC, 256, 0, 0 },
    { "linux-5.3", "ext4", APPLICATION_PSYNC, 256, 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int sqpoll = 0; sqpoll < 2; sqpoll++) {
      Fixture *fixture = fixture_new (rows[i].policy, rows[i].fs, COSTS_SHIPPED);
      g_autofree char *row =
          g_strdup_printf ("%s, %s, engine %d, sqpoll %d", rows[i].policy, rows[i].fs, (int) rows[i].engine, sqpoll);
      RunResult *result;

      fixture_add_job (fixture, rows[i].engine, 8, 256);
      fixture->setup.sqpoll = sqpoll;
      result = fixture_run_whole (fixture, row);
      ROW_CHECK (result->ios == 256 && result->op[IO_WRITE].ios == 256 && result->bytes == 256 * 4096, "%s: %d I/Os",
                 row, (int) result->ios);
      ROW_CHECK ((int) result->outcome[OUTCOME_INLINE] == rows[i].in &&
                     (int) result->outcome[OUTCOME_PUNTED_HASHED] == rows[i].hashed &&
                     (int) result->outcome[OUTCOME_PUNTED_UNHASHED] == rows[i].unhashed && outcomes (result) == 256,
                 "%s: inline %d, hashed %d, unhashed %d", row, (int) result->outcome[OUTCOME_INLINE],
                 (int) result->outcome[OUTCOME_PUNTED_HASHED], (int) result->outcome[OUTCOME_PUNTED_UNHASHED]);
      ROW_CHECK (strcmp (result->policy, rows[i].policy) == 0 && strcmp (result->fs, rows[i].fs) == 0 &&
                     strcmp (result->engine, application_engine_name (rows[i].engine)) == 0 &&
                     strcmp (result->machine, "x86-server") == 0 && result->seed == 1 && result->cpus == 16,
                 "%s: names", row);
      run_result_free (result);
      fixture_free (fixture);
    }
}

/* fio's engine sync: lseek() where a request does not follow on the last of its file, at the first of all too. */
static void test_engine_sync (void)
{
  static const struct {
    const char *rule;
    gboolean seeks;
    PatternOrder order;
    int engine; /* of --engine; -1: the job's own */
    unsigned calls;
  } rows[] = {
    { "psync, random", FALSE, PATTERN_RANDOM, -1, 64 },
    { "sync, random: two calls each", TRUE, PATTERN_RANDOM, -1, 128 },
    { "sync, sequential: the first only", TRUE, PATTERN_SEQUENTIAL, -1, 65 },
    { "another engine instead of it", TRUE, PATTERN_RANDOM, APPLICATION_PSYNC, 64 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    WorkloadJob *job = fixture_add_job (fixture, APPLICATION_PSYNC, 1, 64);
    RunResult *result;

    fixture_set (fixture, "CPU.Syscall=1000");
    job->seeks = rows[i].seeks;
    job->pattern.order = rows[i].order;
    fixture->setup.engine = rows[i].engine;
    result = fixture_run_whole (fixture, rows[i].rule);
    ROW_CHECK (result->sim_ns == rows[i].calls * UR_US, "%s: %d ns", rows[i].rule, (int) result->sim_ns);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Hashed work of one ring meets nobody at the lock; a workqueue's does. */
static void test_contention (void)
{
  static const struct {
    const char *policy;
    gboolean contended;
    unsigned workers;
  } rows[] = {
    { "linux-5.3", TRUE, 34 },
    { "write-workqueue-2", TRUE, 3 },
    { "linux-6.18", FALSE, 4 },
    { "inline-buffered-write", FALSE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_SHIPPED);
    RunResult *result;

    fixture_add_job (fixture, APPLICATION_IO_URING, 32, 2000);
    result = fixture_run_whole (fixture, rows[i].policy);
    ROW_CHECK (result->n_locks == FIXTURE_FILES && strcmp (result->lock[0].name, "inode:0") == 0,
               "%s: %u locks, %s first", rows[i].policy, result->n_locks, result->lock[0].name);
    ROW_CHECK (result->lock[0].acquired == 2000 && (result->lock[0].contended > 0) == rows[i].contended,
               "%s: contended %d of %d", rows[i].policy, (int) result->lock[0].contended,
               (int) result->lock[0].acquired);
    ROW_CHECK (result->workers.created <= rows[i].workers && (result->workers.created > 0) == (rows[i].workers > 0),
               "%s: %u workers", rows[i].policy, result->workers.created);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Depth 8 on one file of ext4, as it was seen on real kernels: one worker on 6.18; up to 6.4 one that has been woken
 * but does not run yet does not count, and up to 6.15 one that goes to sleep while the submitter queues asks for
 * another. */
static void test_worker_counts (void)
{
  static const struct {
    const char *policy;
    unsigned cpus, least, most;
  } rows[] = {
    { "linux-6.1", 1, 1, 4 },  { "linux-6.1", 2, 1, 8 },  { "linux-6.1", 4, 1, 8 },
    { "linux-6.18", 1, 1, 1 }, { "linux-6.18", 2, 1, 1 }, { "linux-6.18", 4, 1, 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_SHIPPED);
      RunResult *result;

      fixture_set (fixture, "noise=0.15, FileSystem ext4.SleepEvery=0");
      fixture->setup.cpus = rows[i].cpus;
      fixture->setup.seed = seed;
      fixture_add_job (fixture, APPLICATION_IO_URING, 8, 256);
      result = fixture_run_whole (fixture, rows[i].policy);
      ROW_CHECK (result->workers.created >= rows[i].least && result->workers.created <= rows[i].most,
                 "%s, %u CPUs, seed %u: %u workers", rows[i].policy, rows[i].cpus, (unsigned) seed,
                 result->workers.created);
      ROW_CHECK (result->lock[0].contended == 0, "%s, %u CPUs: nobody waits for the lock", rows[i].policy,
                 rows[i].cpus);
      run_result_free (result);
      fixture_free (fixture);
    }
}

/* ---- times that follow from the machine ---- */

/* One application, depth 1, sequential writes of a page each: every cycle is the sum of its costs. */
static void test_cycle_costs (void)
{
  static const ApplicationEngine engines[] = { APPLICATION_PSYNC, APPLICATION_LIBAIO, APPLICATION_IO_URING };
  enum { IOS = 100 };

  for (unsigned i = 0; i < G_N_ELEMENTS (engines); i++) {
    Fixture *fixture = fixture_new ("inline-buffered-write", "ext4", COSTS_SHIPPED);
    const MachineValue *cost = fixture->machine->cost, *fs;
    const char *name = application_engine_name (engines[i]);
    WorkloadJob *job = fixture_add_job (fixture, engines[i], 1, IOS);
    UrTime write, cycle, start;
    RunResult *result;

    job->pattern.order = PATTERN_SEQUENTIAL;
    fixture_set (fixture, "FileSystem ext4.SleepEvery=0, FileSystem ext4.TimeStamp=0");
    fs = machine_file_system (fixture->machine, "ext4")->cost;
    write = fs[FS_COST_WRITE_BEFORE].ns + fs[FS_COST_WRITE_LOCKED].ns + fs[FS_COST_WRITE_PAGE].ns +
            fs[FS_COST_COPY_PAGE].ns + fs[FS_COST_DIRTY_FIRST].ns + fs[FS_COST_WRITE_AFTER].ns +
            2 * cost[COST_LOCK_FAST].ns;
    cycle = cost[COST_APP_PREPARE].ns + cost[COST_SYSCALL].ns + write + cost[COST_APP_REAP].ns;
    if (engines[i] == APPLICATION_LIBAIO)
      cycle += cost[COST_AIO_SUBMIT].ns + cost[COST_SYSCALL].ns + cost[COST_AIO_REAP].ns;
    if (engines[i] == APPLICATION_IO_URING)
      cycle += cost[COST_PREP].ns + cost[COST_CQE_SINGLE].ns + cost[COST_LOCK_FAST].ns;
    start = cost[COST_IDLE_EXIT].ns + cost[COST_SWITCH].ns;
    result = fixture_run_whole (fixture, name);
    ROW_CHECK (result->sim_ns == start + IOS * cycle, "%s: %d ns, expected %d + %d x %d", name, (int) result->sim_ns,
               (int) start, IOS, (int) cycle);
    ROW_CHECK (result->all.lat.min == result->all.lat.max, "%s: all alike, %d to %d ns", name,
               (int) result->all.lat.min, (int) result->all.lat.max);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* force_async=N: every Nth request of the stream has IOSQE_ASYNC. */
static void test_force_async (void)
{
  static const struct {
    const char *rule;
    unsigned every;
    ApplicationEngine engine;
    unsigned punted; /* of 12 */
  } rows[] = {
    { "none", 0, APPLICATION_IO_URING, 0 },          { "all", 1, APPLICATION_IO_URING, 12 },
    { "every fourth", 4, APPLICATION_IO_URING, 3 },  { "fewer than that", 13, APPLICATION_IO_URING, 0 },
    { "not of io_uring", 1, APPLICATION_LIBAIO, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "f2fs", COSTS_FREE); /* whose writes are done inline */
    RunResult *result;

    fixture_add_job (fixture, rows[i].engine, 1, 12)->force_async = rows[i].every;
    if ((result = fixture_run_whole (fixture, rows[i].rule)))
      ROW_CHECK (result->outcome[OUTCOME_PUNTED_UNHASHED] == rows[i].punted &&
                     result->outcome[OUTCOME_INLINE] == 12 - rows[i].punted,
                 "force_async, %s: %d punted", rows[i].rule, (int) result->outcome[OUTCOME_PUNTED_UNHASHED]);
    run_result_free (result);
    fixture_free (fixture);
  }
}

static void test_think_time (void)
{
  static const struct {
    const char *rule;
    ReplayMode replay;
    unsigned blocks;
    UrTime least, most;
  } rows[] = {
    { "after every I/O", REPLAY_CLOSED, 1, 1000, 1400 },
    { "after every fourth", REPLAY_CLOSED, 4, 250, 600 },
    { "left out under fast", REPLAY_FAST, 1, 0, 300 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    WorkloadJob *job = fixture_add_job (fixture, APPLICATION_PSYNC, 1, 100);
    RunResult *result;

    job->thinktime = 10 * UR_US;
    job->thinktime_blocks = rows[i].blocks;
    fixture->setup.replay = rows[i].replay;
    fixture_set (fixture, "Scheduler.IdleExit=0, Scheduler.Switch=0, FileSystem ext4.SleepEvery=0");
    result = fixture_run_whole (fixture, rows[i].rule);
    ROW_CHECK (result->sim_ns >= rows[i].least * UR_US && result->sim_ns < rows[i].most * UR_US, "%s: %d us",
               rows[i].rule, (int) (result->sim_ns / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- seeds ---- */

/* What two runs must have in common to be the same run. */
static gboolean same_result (const RunResult *one, const RunResult *other)
{
  RunResult a = *one, b = *other;

  a.lock = b.lock = NULL;
  a.periods = b.periods = a.samples = b.samples = NULL;
  a.notes = b.notes = NULL;
  a.wall_s = b.wall_s = 0;
  if (one->periods->len != other->periods->len ||
      (one->periods->len &&
       memcmp (one->periods->data, other->periods->data, one->periods->len * sizeof (ResultPeriod))))
    return FALSE;
  return memcmp (&a, &b, sizeof a) == 0 && memcmp (one->lock, other->lock, one->n_locks * sizeof *one->lock) == 0;
}

static Fixture *seed_fixture (const char *policy, uint64_t seed)
{
  Fixture *fixture = fixture_new (policy, "ext4", COSTS_SHIPPED);
  WorkloadJob *job = fixture_add_job (fixture, APPLICATION_IO_URING, 16, 500);

  job->pattern.has_read = TRUE;
  job->pattern.same_seed = FALSE;
  fixture_set (fixture, "noise=0.15, CPU.Count=4");
  fixture->setup.seed = seed;
  return fixture;
}

static void test_seeds (void)
{
  static const char *const policies[] = { "linux-5.3", "linux-6.3", "linux-6.18", "inline-buffered-write" };

  for (unsigned i = 0; i < G_N_ELEMENTS (policies); i++) {
    Fixture *one = seed_fixture (policies[i], 1), *two = seed_fixture (policies[i], 2);
    RunResult *first = fixture_run_whole (one, policies[i]), *again = fixture_run_whole (one, policies[i]),
              *other = fixture_run_whole (two, policies[i]);

    ROW_CHECK (same_result (first, again), "%s: the same seed gives the same numbers", policies[i]);
    ROW_CHECK (!same_result (first, other) && first->sim_ns != other->sim_ns &&
                   memcmp (&first->all.clat, &other->all.clat, sizeof first->all.clat),
               "%s: another seed, others", policies[i]);
    run_result_free (first);
    run_result_free (again);
    run_result_free (other);
    fixture_free (one);
    fixture_free (two);
  }
}

static gpointer run_in_thread (gpointer data) { return simulation_run (data, NULL); }

/* Runs share nothing: two at a time give what one gives. */
static void test_threads (void)
{
  Fixture *fixture = seed_fixture ("linux-6.3", 7);
  RunResult *alone = fixture_run_whole (fixture, "alone"), *together[2];
  GThread *threads[2];

  for (unsigned i = 0; i < 2; i++)
    threads[i] = g_thread_new (NULL, run_in_thread, &fixture->setup);
  for (unsigned i = 0; i < 2; i++) {
    together[i] = g_thread_join (threads[i]);
    ROW_CHECK (together[i] && same_result (alone, together[i]), "thread %u", i);
    run_result_free (together[i]);
  }
  run_result_free (alone);
  fixture_free (fixture);
}

/* ---- limits ---- */

static void test_limits (void)
{
  static const struct {
    const char *rule;
    uint64_t limit_ios;
    UrTime limit_time, runtime;
    gboolean time_based;
    uint64_t ios_min, ios_max;
    UrTime time_min, time_max; /* us */
  } rows[] = {
    { "none", 0, 0, 0, FALSE, 1000, 1000, 500, 10000 },
    { "requests", 100, 0, 0, FALSE, 100, 100, 50, 1000 },
    { "more requests than there are", 100000, 0, 0, FALSE, 1000, 1000, 500, 10000 },
    { "simulated time", 0, 500 * UR_US, 0, FALSE, 10, 999, 500, 600 },
    { "runtime of the job", 0, 0, 500 * UR_US, FALSE, 10, 999, 500, 600 },
    { "runtime is an upper limit", 0, 0, UR_S, FALSE, 1000, 1000, 500, 10000 },
    { "time_based: over again until the runtime is over", 0, 0, 20 * UR_MS, TRUE, 2000, 50000, 20000, 20100 },
  };
  static const ApplicationEngine engines[] = { APPLICATION_PSYNC, APPLICATION_LIBAIO, APPLICATION_IO_URING };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (unsigned e = 0; e < G_N_ELEMENTS (engines); e++) {
      Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
      WorkloadJob *job = fixture_add_job (fixture, engines[e], 4, 1000);
      RunResult *result;

      job->runtime = rows[i].runtime;
      job->time_based = rows[i].time_based;
      fixture->setup.limit_ios = rows[i].limit_ios;
      fixture->setup.limit_time = rows[i].limit_time;
      result = fixture_run_whole (fixture, rows[i].rule);
      ROW_CHECK (result->ios >= rows[i].ios_min && result->ios <= rows[i].ios_max, "%s, %s: %d I/Os", rows[i].rule,
                 result->engine, (int) result->ios);
      ROW_CHECK (result->sim_ns >= rows[i].time_min * UR_US && result->sim_ns <= rows[i].time_max * UR_US,
                 "%s, %s: %d us", rows[i].rule, result->engine, (int) (result->sim_ns / UR_US));
      ROW_CHECK (!result->interrupted, "%s, %s: this is the end", rows[i].rule, result->engine);
      run_result_free (result);
      fixture_free (fixture);
    }
}

/* ---- interruption ---- */

typedef struct {
  gint flag;
  unsigned calls;
  uint64_t ios;
} Interrupt;

static void interrupt_later (uint64_t ios, UrTime now, void *data)
{
  Interrupt *interrupt = data;

  (void) now;
  interrupt->ios = ios;
  if (++interrupt->calls == 3)
    g_atomic_int_set (&interrupt->flag, 1);
}

static void test_interrupt (void)
{
  static const char *const policies[] = { "linux-5.3", "linux-6.3", "inline-buffered-write" };

  for (unsigned i = 0; i < G_N_ELEMENTS (policies); i++) {
    Fixture *fixture = fixture_new (policies[i], "ext4", COSTS_SHIPPED);
    WorkloadJob *job = fixture_add_job (fixture, APPLICATION_IO_URING, 8, 0);
    Interrupt interrupt = { 0, 0, 0 };
    RunResult *result;

    job->time_based = TRUE;
    job->runtime = 100 * UR_S;
    fixture->setup.interrupt = &interrupt.flag;
    fixture->setup.progress = interrupt_later;
    fixture->setup.progress_data = &interrupt;
    result = fixture_run_whole (fixture, policies[i]);
    ROW_CHECK (result->interrupted && interrupt.calls == 3, "%s: stopped after %u looks", policies[i], interrupt.calls);
    ROW_CHECK (result->ios > 0 && result->ios == interrupt.ios && result->sim_ns < UR_S, "%s: %d I/Os in %d us",
               policies[i], (int) result->ios, (int) (result->sim_ns / UR_US));
    ROW_CHECK (outcomes (result) >= result->ios && result->iops > 0, "%s: what is there is right", policies[i]);
    run_result_free (result);
    interrupt = (Interrupt){ 1, 10, 0 };
    result = fixture_run_whole (fixture, policies[i]);
    ROW_CHECK (result->interrupted && result->ios == 0 && interrupt.calls == 10, "%s: from the start: nothing",
               policies[i]);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- groups ---- */

static void test_groups (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
  UrTime ended = 0;
  Simulation *sim;

  for (unsigned i = 0; i < 4; i++) {
    WorkloadJob *job = fixture_add_job (fixture, i % 2 ? APPLICATION_IO_URING : APPLICATION_PSYNC, 4, 50 + 50 * i);

    job->group = i / 2 * 2; /* 0, 0, 2, 2: nobody is in group 1 */
  }
  ((WorkloadJob *) g_ptr_array_index (fixture->workload->jobs, 0))->start_delay = 300 * UR_US;
  fixture_build (fixture);
  sim = fixture->sim;
  application_start (g_ptr_array_index (sim->applications, 0));
  application_start (g_ptr_array_index (sim->applications, 1));
  sim->group = 1;
  CU_ASSERT_TRUE (sim_drive (sim));
  CU_ASSERT_PTR_NULL (sim->error);
  for (unsigned i = 0; i < 4; i++) {
    const Application *application = g_ptr_array_index (sim->applications, i);

    ROW_CHECK (application->ended > application->started, "job %u ran", i);
    if (i < 2)
      ended = MAX (ended, application->ended);
    else
      ROW_CHECK (application->started >= ended && application->started < ended + 50 * UR_US,
                 "job %u starts at %d ns, when the first group has ended at %d ns", i, (int) application->started,
                 (int) ended);
  }
  ROW_CHECK (((Application *) g_ptr_array_index (sim->applications, 0))->started >= 300 * UR_US, "startdelay");
  ROW_CHECK (sim->count.reaped == 50 + 100 + 150 + 200, "all I/Os: %d", (int) sim->count.reaped);
  fixture_free (fixture);
}

/* ---- errors ---- */

typedef void (*Spoil) (Fixture *fixture, WorkloadJob *job);

static void spoil_depth (Fixture *fixture, WorkloadJob *job)
{
  (void) fixture;
  job->iodepth = 0;
}

static void spoil_costs (Fixture *fixture, WorkloadJob *job)
{
  (void) job;
  g_free (fixture->file_system->cost_name);
  fixture->file_system->cost_name = g_strdup ("nosuchfs");
}

static void spoil_trim (Fixture *fixture, WorkloadJob *job)
{
  (void) fixture;
  job->pattern.has_trim = TRUE;
  job->pattern.has_write = FALSE;
}

/* What does not fit together is said before or during the run, and nothing is lost. */
static void test_errors (void)
{
  static const struct {
    const char *rule;
    Spoil spoil;
    const char *message;
  } rows[] = {
    { "no depth", spoil_depth, "job \"job0\": iodepth is 0" },
    { "no costs", spoil_costs, "[FileSystem nosuchfs]" },
    { "a discard", spoil_trim, "discards are not modelled" },
  };
  static const ApplicationEngine engines[] = { APPLICATION_PSYNC, APPLICATION_LIBAIO, APPLICATION_IO_URING };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (unsigned e = 0; e < G_N_ELEMENTS (engines); e++) {
      Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
      g_autoptr (GError) error = NULL;

      rows[i].spoil (fixture, fixture_add_job (fixture, engines[e], 4, 100));
      ROW_CHECK (!simulation_run (&fixture->setup, &error), "%s, engine %u: no result", rows[i].rule, e);
      ROW_CHECK (g_error_matches (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG) &&
                     strstr (error->message, rows[i].message),
                 "%s, engine %u: %s", rows[i].rule, e, row_error (error));
      fixture_free (fixture);
    }
}

/* The SQ has at most 32768 entries, 4096 before 5.4. */
static void test_depth_limits (void)
{
  static const struct {
    const char *policy;
    ApplicationEngine engine;
    unsigned iodepth;
    gboolean ok;
  } rows[] = {
    { "linux-5.3", APPLICATION_IO_URING, 4096, TRUE },   { "linux-5.3", APPLICATION_IO_URING, 4097, FALSE },
    { "linux-5.4", APPLICATION_IO_URING, 32768, TRUE },  { "linux-5.4", APPLICATION_IO_URING, 32769, FALSE },
    { "linux-6.18", APPLICATION_IO_URING, 32768, TRUE }, { "linux-6.18", APPLICATION_IO_URING, 1000000000, FALSE },
    { "linux-5.3", APPLICATION_LIBAIO, 40000, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_SHIPPED);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_add_job (fixture, rows[i].engine, rows[i].iodepth, 10);
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK ((result != NULL) == rows[i].ok, "%s, depth %u: %s", rows[i].policy, rows[i].iodepth, row_error (error));
    ROW_CHECK (rows[i].ok || g_error_matches (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG), "%s, depth %u: %s",
               rows[i].policy, rows[i].iodepth, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* A run in which nothing can go on names who waits for what, held by whom. */
static void test_deadlock (void)
{
  static const struct {
    const char *rule, *script, *first, *second;
  } rows[] = {
    { "two locks in opposite order", "A/0: write:0 sleep:10 write:1 | B@1/1: write:1 write:0",
      "A#0 sleeps, waiting for inode:1 held by B", "B#1 sleeps, waiting for inode:0 held by A" },
    { "spinning on each other", "A/0: write:0 run:10 write:1 | B/1: write:1 run:10 write:0",
      "A#0 runs, waiting for inode:1 held by B", "B#1 runs, waiting for inode:0 held by A" },
    { "a lock that is never given back", "A/0: write:2 | B@1/1: write:2 | C@2/2: write:2 ", "B#1", "C#2" },
    { "readers hold it", "A/0: read:0 wait | B@1/1: write:0", "A#0 sleeps",
      "B#1 sleeps, waiting for inode:0 held by readers" },
    { "a completion that never comes", "S: ring:4 getevents:1",
      "S#0 sleeps, waiting for a completion in io_cqring_wait()", "deadlock at " },
    { "everybody is named", "S: ring:4 getevents:1 | T: wait", "S#0 sleeps", "T#1 sleeps" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    const GError *error;

    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    CU_ASSERT_TRUE (sim_drive (fixture->sim));
    error = fixture->sim->error;
    ROW_CHECK (g_error_matches (error, SIMULATION_ERROR, SIMULATION_ERROR_DEADLOCK), "%s: %s", rows[i].rule,
               row_error (error));
    ROW_CHECK (strstr (row_error (error), rows[i].first) && strstr (row_error (error), rows[i].second), "%s: %s",
               rows[i].rule, row_error (error));
    fixture_free (fixture);
  }
}

static void test_empty (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
  RunResult *result = fixture_run_whole (fixture, "no jobs");

  CU_ASSERT_EQUAL (result->ios, 0);
  CU_ASSERT_EQUAL (outcomes (result), 0);
  run_result_free (result);
  fixture_free (fixture);
}

void register_simulation_tests (void)
{
  CU_pSuite suite = fixture_suite ("simulation");

  fixture_test (suite, "outcomes", test_outcomes);
  fixture_test (suite, "engine sync", test_engine_sync);
  fixture_test (suite, "contention", test_contention);
  fixture_test (suite, "workers of one hashed file", test_worker_counts);
  fixture_test (suite, "the costs of a cycle", test_cycle_costs);
  fixture_test (suite, "force_async", test_force_async);
  fixture_test (suite, "think time", test_think_time);
  fixture_test (suite, "seeds", test_seeds);
  fixture_test (suite, "threads", test_threads);
  fixture_test (suite, "limits", test_limits);
  fixture_test (suite, "interruption", test_interrupt);
  fixture_test (suite, "groups run one after the other", test_groups);
  fixture_test (suite, "what does not fit", test_errors);
  fixture_test (suite, "the largest depth", test_depth_limits);
  fixture_test (suite, "deadlock", test_deadlock);
  fixture_test (suite, "no jobs", test_empty);
}
