/* The rules of io-wq that changed from version to version, and those that never did. */
#include "model/submit.h"
#include "model/tctx.h"
#include "tests/io_wq_rows.h"
#include "tests/unit.h"

#include <string.h>

static const char *policy_of (const char *kernel)
{
  unsigned minor = (unsigned) g_ascii_strtoull (kernel + 2, NULL, 10);

  return *kernel == '5' ? (minor < 12 ? "linux-5.10" : "linux-5.15") : minor < 3 ? "linux-6.1" : "linux-6.18";
}

/* What holds on every kernel, from 5.5 to 6.19. */
static void test_always (void)
{
  static const char *const kernels[] = {
    "5.5", "5.6", "5.10", "5.11", "5.12", "5.14", "5.15", "5.17", "5.18", "6.0",
    "6.1", "6.3", "6.4",  "6.5",  "6.14", "6.15", "6.16", "6.17", "6.18", "6.19",
  };
  static const WqRow rows[] = {
    { "same ring, same bucket: executed in order, one at a time", NULL, NULL,
      "S@100: ring:8 run:50 sqe:w0 sqe:w0 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd", "abcd", 1, 0 },
    { "the same with workers that sleep", NULL, SLEEPS,
      "S@100: ring:8 run:50 sqe:w0 submit run:3 sqe:w0 submit run:3 sqe:w0 sqe:w0 submit:4 reap", "0123", "abcd",
      "abcd", 1, 0 },
    { "a hashed item joins its run in the list", NULL, NULL,
      "S@100: ring:8 run:50 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "0123", "acbd", "acbd", 1, 0 },
    { "different files that collide: one at a time, in order", NULL, SLEEPS,
      "S@100: ring:8 run:50 sqe:w0 sqe:w1 sqe:w0 sqe:w1 submit:4 reap", "7723", "abcd", "abcd", 1, 0 },
    { "a run is taken whole; what comes meanwhile is a new run", NULL, NULL,
      "S@100: ring:8 run:50 sqe:w0 sqe:w0 sqe:w1 submit run:5 sqe:w0 sqe:w1 submit:5 reap", "0123", "abced", "abced", 1,
      0 },
  };

  for (unsigned k = 0; k < G_N_ELEMENTS (kernels); k++)
    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
      Fixture *fixture = fixture_new (policy_of (kernels[k]), "ext4", COSTS_FREE);
      g_autofree char *set = g_strdup_printf ("kernel=%s", kernels[k]);
      g_autofree char *started = NULL, *posted = NULL;

      fixture_set (fixture, TEN_US);
      fixture_set (fixture, set);
      if (rows[i].set)
        fixture_set (fixture, rows[i].set);
      fixture_build (fixture);
      wq_set_buckets (fixture, rows[i].buckets);
      fixture_script (fixture, rows[i].script);
      fixture_run (fixture, rows[i].rule);
      started = FIXTURE_ORDER (fixture, started);
      posted = FIXTURE_ORDER (fixture, posted);
      ROW_CHECK (strcmp (started, rows[i].started) == 0 && strcmp (posted, rows[i].posted) == 0,
                 "%s, %s: started %s, posted %s", kernels[k], rows[i].rule, started, posted);
      ROW_CHECK (fixture_parallel (fixture, -1) == rows[i].parallel, "%s, %s: %u at once", kernels[k], rows[i].rule,
                 fixture_parallel (fixture, -1));
      fixture_free (fixture);
    }
}

/* ---- enqueue ---- */

#define THEN_WRITES                                                                          \
  "submit:2 reap run:100 sqe:w0+10 submit run:10 sqe:w0 submit run:10 sqe:w0 submit run:10 " \
  "sqe:w0 submit:4 reap"

/* Two workers are idle; the first write makes one busy, the others follow: who is woken for them, in vain. */
static void test_enqueue_wakes (void)
{
  static const char reads[] = "S@1: ring:8 sqe:ar1 submit run:.001 sqe:ar1 " THEN_WRITES;
  static const char syncs[] = "S@1: ring:8 sqe:s1 submit run:.001 sqe:s1 " THEN_WRITES; /* forced reads are unbounded */
  static const struct {
    const char *kernel, *script;
    uint64_t futile;
  } rows[] = {
    { "5.14", reads, 0 }, /* a worker runs: nobody is woken */
    { "5.15", reads, 3 }, { "6.1", reads, 3 }, { "6.4", reads, 3 }, { "6.5", reads, 3 }, { "6.18", syncs, 3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *set = g_strdup_printf ("kernel=%s", rows[i].kernel);
    const WqRow row = {
      rows[i].kernel, policy_of (rows[i].kernel), set, rows[i].script, "0123", "abcdef", "abcdef", 2, 2
    };
    Fixture *fixture = wq_run_row (&row, HASH_NONE);

    ROW_CHECK (fixture->sim->count.futile_wakeups == rows[i].futile, "%s: %d in vain", rows[i].kernel,
               (int) fixture->sim->count.futile_wakeups);
    fixture_free (fixture);
  }
}

/* Two enqueues in the time one worker takes to wake up (5 us): up to 6.4 it does not count as woken by the second,
 * and as it does not run yet a second worker is made; up to 5.14 and from 6.5 on it counts. */
static void test_enqueue_twice (void)
{
  static const struct {
    const char *kernel;
    unsigned workers;
  } rows[] = { { "5.14", 1 }, { "5.15", 2 }, { "6.1", 2 }, { "6.4", 2 }, { "6.5", 1 }, { "6.18", 1 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *set = g_strdup_printf ("kernel=%s, Scheduler.IdleExit=5000", rows[i].kernel);
    const WqRow row = { rows[i].kernel,
                        policy_of (rows[i].kernel),
                        set,
                        "S@1/0: ring:8 sqe:w0 submit:1 reap run:100 sqe:w0 submit run:1 sqe:w0 submit:2 reap",
                        "0123",
                        "abc",
                        "abc",
                        1,
                        rows[i].workers };

    fixture_free (wq_run_row (&row, HASH_NONE));
  }
}

/* ---- 5.5: spinning for work ---- */

/* A worker has done a write; 20 or 100 us later the next one comes.  Who spins takes it without a wake-up. */
static void test_spin_for_work (void)
{
  static const struct {
    const char *rule, *kernel, *script, *buckets;
    uint64_t wakeups; /* of the application and, if it sleeps, of the worker */
    UrTime spun;
  } rows[] = {
    { "5.5: what comes while it spins is taken without a wake-up", "5.5",
      "S@1: ring:8 sqe:w0 submit:1 reap run:20 sqe:w0 submit:1 reap run:1", "0123", 2, 20000 },
    { "5.5: spinning ends and it sleeps", "5.5", "S@1: ring:8 sqe:w0 submit:1 reap run:100 sqe:w0 submit:1 reap run:1",
      "0123", 3, 40000 },
    { "5.6: it sleeps at once", "5.6", "S@1: ring:8 sqe:w0 submit:1 reap run:20 sqe:w0 submit:1 reap run:1", "0123", 3,
      0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *set = g_strdup_printf ("kernel=%s, Worker.SpinForWork=40000", rows[i].kernel);
    const WqRow row = { rows[i].rule, "linux-5.10", set, rows[i].script, rows[i].buckets, "ab", "ab", 1, 1 };
    Fixture *fixture = wq_run_row (&row, HASH_NONE);
    UrTime spun = 0;

    for (unsigned cpu = 0; cpu < fixture->sim->n_cpus; cpu++)
      spun += fixture->sim->cpus[cpu].spin;
    ROW_CHECK (spun >= rows[i].spun && spun < rows[i].spun + 5000, "%s: spun for %d ns", rows[i].rule, (int) spun);
    ROW_CHECK (fixture->sim->count.wakeups == rows[i].wakeups, "%s: %d wake-ups", rows[i].rule,
               (int) fixture->sim->count.wakeups);
    fixture_free (fixture);
  }
}

/* ---- the race of 5.18 to 6.15 ---- */

/* The worker looks for the last time at some moment after its write, and its sleeping hook looks 2 us later
 * (Worker.Idle). Work that is queued in between, and wakes the worker (two transfers of 1 us after the insertion) only
 * after the hook's look, makes the hook ask for another worker.  Under one lock (up to 5.17) only the wait for the lock
 * is left, and if the hook does not ask for a worker without work (6.16), none is made; nor if the wake-up comes first.
 */
static unsigned race_workers (const char *kernel, unsigned cpus, double wait)
{
  Fixture *fixture = fixture_new (policy_of (kernel), "ext4", COSTS_FREE);
  g_autofree char *set =
      g_strdup_printf ("kernel=%s, Locks.Transfer=1000, Worker.Idle=2000, CPU.Count=%u", kernel, cpus);
  g_autofree char *script = g_strdup_printf ("S@1~0: ring:8 sqe:w0 submit run:%.1f sqe:w1 submit:2 reap", wait);
  unsigned workers;

  fixture_set (fixture, TEN_US);
  fixture_set (fixture, set);
  fixture_build (fixture);
  wq_set_buckets (fixture, "0123");
  fixture_script (fixture, script);
  fixture_run (fixture, kernel);
  workers = fixture->sim->count.workers_created;
  fixture_free (fixture);
  return workers;
}

static void test_race (void)
{
  static const struct {
    const char *kernel;
    unsigned cpus;
    unsigned least, most; /* moments of 79 */
  } rows[] = {
    { "5.15", 2, 1, 3 }, { "5.17", 2, 1, 3 }, { "5.18", 2, 4, 8 }, { "6.1", 2, 4, 8 }, { "6.3", 2, 4, 8 },
    { "6.15", 2, 4, 8 }, { "6.16", 2, 0, 0 }, { "6.18", 2, 0, 0 }, { "6.1", 1, 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    unsigned one = 0, two = 0, more = 0;

    for (double wait = 0.5; wait < 40; wait += 0.5) {
      unsigned workers = race_workers (rows[i].kernel, rows[i].cpus, wait);

      one += workers == 1;
      two += workers == 2;
      more += workers > 2;
    }
    ROW_CHECK (more == 0 && one > 0 && two >= rows[i].least && two <= rows[i].most,
               "%s on %u CPUs: of 79 moments %u make a second worker, %u none", rows[i].kernel, rows[i].cpus, two, one);
  }
}

/* ---- creation ---- */

static void test_creation (void)
{
  static const WqRow rows[] = {
    { "who has been asked for counts as running: queueing makes no other meanwhile", "linux-6.1", SLEEPS,
      "S@1/0: user ring:8 sqe:w0 sqe:w1 submit run:40 kernel sqe:w2 submit:3 reap", "0123", "abc", "abc", 3, 3 },
    { "6.16: a hashed worker that sleeps defers to itself", "linux-6.18", "kernel=6.16, " SLEEPS,
      "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit run:200 submit:2 reap", "0123", "ab", "ab", 1, 1 },
    { "6.17: the owner wakes a free worker instead of making one", "linux-6.18",
      "kernel=6.17, FileSystem ext4.SleepEvery=2, FileSystem ext4.Sleep=50000",
      "S@1: ring:8 sqe:s1 submit run:.001 sqe:s1 submit:2 reap run:100 sqe:w0 submit run:15 sqe:w1 sqe:w2 submit:3 "
      "reap",
      "0123", NULL, NULL, 2, 2 },
    { "CONCURRENT: each enqueue without a free worker makes one", "linux-6.18", NULL,
      "S@1: ring:8 sqe:ar0 submit run:.001 sqe:ar0 submit run:.001 sqe:ar0 submit:3 reap", "0123", "abc", "abc", 3, 3 },
    { "also one that only waits for its bucket (6.1); once it sleeps it is woken instead", "linux-6.1", NULL,
      "S@1: ring:8 sqe:aw0 submit run:.001 sqe:aw0 submit run:.001 sqe:aw0 submit:3 reap", "0123", "abc", "abc", 1, 2 },
  };

  WQ_CHECK_ROWS (rows);
}

/* ---- cancelling ---- */

static void test_cancel (void)
{
  static const struct {
    const char *rule, *script, *log;
  } rows[] = {
    { "pending", "S@1: ring:8 sqe:w0 sqe:w1 submit iowq-cancel:b submit:2 reap", "S@1 cancelled, S@11 reap ba" },
    { "running", "S@1: ring:8 sqe:w0 sqe:w1 submit run:5 iowq-cancel:a submit:2 reap", "S@6 running, S@21 reap ab" },
    { "of a run that was taken", "S@1: ring:8 sqe:w0 sqe:w0 submit run:5 iowq-cancel:b submit:2 reap",
      "S@6 not found, S@21 reap ab" },
    { "done", "S@1: ring:8 sqe:w0 submit:1 reap iowq-cancel:a", "S@11 reap a, S@11 not found" },
    { "the tail of a run: what follows joins what is left",
      "S@1: ring:8 sqe:w1 submit run:5 sqe:w0 sqe:w0 iowq-cancel:a sqe:w1 submit iowq-cancel:c sqe:w0 submit:5 reap",
      "S@6 running, S@6 cancelled, S@41 reap cabed" },
    { "the only one of a run: the next starts a run of its own",
      "S@1: ring:8 sqe:w1 submit run:5 sqe:w0 submit iowq-cancel:b sqe:w1 sqe:w0 submit:4 reap",
      "S@6 cancelled, S@31 reap bacd" },
    { "the head of a run", "S@1: ring:8 sqe:w1 submit run:5 sqe:w0 sqe:w0 submit iowq-cancel:b sqe:w0 submit:4 reap",
      "S@6 cancelled, S@31 reap bacd" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);

    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    wq_set_buckets (fixture, "0123");
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    fixture_check_log (fixture, rows[i].rule, rows[i].log);
    fixture_free (fixture);
  }
}

/* ---- edges ---- */

/* 64 files in 64 buckets drawn at random, so that some collide and some are empty: two writes each, queued file by
 * file, on machines from 1 to 256 CPUs, with workers that sleep in every write. */
static void check_buckets (const Fixture *fixture, const char *row)
{
  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *one = g_ptr_array_index (fixture->requests, i);

    for (unsigned k = 0; k < i; k++) {
      const Request *before = g_ptr_array_index (fixture->requests, k);

      if (one->inode->bucket == before->inode->bucket)
        ROW_CHECK (before->time.done <= one->time.started, "%s: requests %u and %u of bucket %u", row, k, i,
                   one->inode->bucket);
    }
    ROW_CHECK (one->time.reaped && one->hashed, "%s: request %u is reaped", row, i);
  }
}

static void edge_body (Task *task, void *data)
{
  Fixture *fixture = data;
  Ring *ring = fixture->ring = ring_new (fixture->sim, NULL, &(RingSetup){ .entries = 128, .sq_cpu = -1 });
  Request *request;
  unsigned reaped = 0;

  ring->submitter = task;
  task_run (task, 100 * UR_US); /* the manager has made its first worker */
  task_sync (task);
  for (unsigned i = 0; i < 128; i++) {
    request = g_new0 (Request, 1);
    request->io = (Io){ .file = i % 64, .op = IO_WRITE, .length = 4096 };
    request->inode = fixture_inode (fixture, i % 64);
    request->ring = ring;
    request->link.data = request;
    request->time.prepared = task_now (task);
    fixture->sim->issued++;
    g_ptr_array_add (fixture->requests, request);
    ring_sq_push (ring, request);
  }
  io_uring_enter (task, ring, 128, 128, TRUE);
  task_sync (task);
  while ((request = ring_cq_pop (ring))) {
    request->time.reaped = sim_now (fixture->sim);
    fixture->sim->count.reaped++;
    reaped++;
  }
  ROW_CHECK (reaped == 128, "%u reaped", reaped);
  ur_engine_stop (fixture->sim->engine);
}

static void test_64_files (void)
{
  static const char *const kernels[] = { "5.10", "5.15", "6.1", "6.18" };
  static const unsigned cpus[] = { 1, 4, 256 }, limits[] = { 0, 1 };

  for (unsigned i = 0; i < G_N_ELEMENTS (kernels) * 6; i++) {
    const char *kernel = kernels[i / 6];
    Fixture *fixture = fixture_new (policy_of (kernel), "ext4", COSTS_SHIPPED);
    unsigned n_cpus = cpus[i % 3], limit = limits[i / 3 % 2], most, parallel;
    g_autofree char *set =
        g_strdup_printf ("kernel=%s, CPU.Count=%u, FileSystem ext4.SleepEvery=1, FileSystem ext4.Sleep=50000, "
                         "Scheduler.IdleExitDeep=2500",
                         kernel, n_cpus);
    UrRandom random;

    fixture_set (fixture, set);
    for (unsigned k = FIXTURE_FILES; k < 64; k++) {
      g_autofree char *name = g_strdup_printf ("file%u", k);

      workload_add_file (fixture->workload, name, FIXTURE_FILE_SIZE);
    }
    fixture_build (fixture);
    ur_random_init_indexed (&random, i, "buckets", 0);
    for (unsigned k = 0; k < 64; k++)
      fixture_inode (fixture, k)->bucket = (unsigned) ur_random_below (&random, IO_WQ_BUCKETS);
    if (limit) {
      policy_expression_free (fixture->policy->queues[0].max_workers);
      fixture->policy->queues[0].max_workers = policy_expression_parse ("1", NULL);
    }
    task_start (task_new (fixture->sim, "S", TASK_CLASS_APP, -1, edge_body, fixture), NULL);
    fixture_run (fixture, set);
    check_buckets (fixture, set);
    most = limit ? 1 : MIN (64, 4 * n_cpus);
    if (*kernel == '5' && kernel[2] == '1' && kernel[3] == '0')
      most = 64; /* unbounded workers take bounded work: see test_io_wq_manager.c */
    parallel = fixture_parallel (fixture, -1);
    ROW_CHECK (fixture->requests->len == 128 && parallel <= most && (limit || parallel > 1), "%s, limit %u: %u at once",
               set, limit, parallel);
    ROW_CHECK (fixture->sim->count.workers_max_alive <= MAX (most, limit ? 1 : 4 * n_cpus), "%s, limit %u: %u workers",
               set, limit, fixture->sim->count.workers_max_alive);
    fixture_free (fixture);
  }
}

void register_io_wq_eras_tests (void)
{
  CU_pSuite suite = fixture_suite ("io-wq by version");

  fixture_test (suite, "what never changed", test_always);
  fixture_test (suite, "enqueue: who is woken", test_enqueue_wakes);
  fixture_test (suite, "enqueue: twice before it is awake", test_enqueue_twice);
  fixture_test (suite, "spinning for work", test_spin_for_work);
  fixture_test (suite, "the race of 5.18 to 6.15", test_race);
  fixture_test (suite, "creation", test_creation);
  fixture_test (suite, "cancelling", test_cancel);
  fixture_test (suite, "64 files, collisions, 1 to 256 CPUs, a limit of one", test_64_files);
}
