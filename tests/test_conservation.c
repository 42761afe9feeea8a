/* Random small configurations: whatever is asked of the machine, nothing is lost, the books balance, and a run can be
 * repeated. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

#define RUNS 200

static const char *const policies[] = {
  "linux-5.3",
  "linux-5.4",
  "write-workqueue-2",
  "linux-6.1",
  "linux-6.3",
  "linux-6.18",
  "inline-buffered-write",
  "no-offload",
  "always-punt",
  "hashed-2",
  "unhashed",
  "trylock-inline",
};
static const char *const file_systems[] = { "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "block" };
static const char *const kernels[] = {
  "6.0", "6.1", "6.2", "6.4", "6.5", "6.6", "6.9", "6.12", "6.15", "6.16", "6.18",
};

static unsigned below (UrRandom *random, unsigned n) { return (unsigned) ur_random_below (random, n); }

static gboolean one_in (UrRandom *random, unsigned n) { return below (random, n) == 0; }

static void random_pattern (UrRandom *random, Pattern *pattern)
{
  pattern->order = one_in (random, 3) ? PATTERN_SEQUENTIAL : PATTERN_RANDOM;
  pattern->has_write = !one_in (random, 5);
  pattern->has_read = !pattern->has_write || one_in (random, 3);
  pattern->read_percent = below (random, 101);
  pattern->bs[0] = pattern->bs[1] = (uint64_t) 4096 << below (random, 4);
  pattern->bs_max[0] = pattern->bs_max[1] = pattern->bs[0];
  pattern->size = (uint64_t) 1 << (18 + below (random, 8));
  pattern->number_ios = 1 + below (random, 150);
  pattern->fsync_every = one_in (random, 4) ? 1 + below (random, 20) : 0;
  pattern->fdatasync_every = one_in (random, 8) ? 1 + below (random, 20) : 0;
  pattern->same_seed = one_in (random, 2);
}

/* A job, and as often as fio's numjobs says. (element in `workload`) */
static void random_job (UrRandom *random, Fixture *fixture, unsigned group)
{
  WorkloadJob *job = workload_add_job (fixture->workload);
  unsigned files = 1 + below (random, FIXTURE_FILES);

  job->name = g_strdup ("job");
  job->engine = (ApplicationEngine) below (random, 2 * APPLICATION_ENGINES);
  if (job->engine >= APPLICATION_ENGINES)
    job->engine = APPLICATION_IO_URING;
  job->iodepth = 1 + (one_in (random, 4) ? below (random, 64) : below (random, 8));
  job->iodepth_low = 1 + below (random, job->iodepth);
  job->batch_submit = 1 + below (random, job->iodepth);
  job->batch_complete_min = below (random, job->iodepth + 1);
  job->batch_complete_max = 1 + below (random, job->iodepth);
  job->sqpoll = one_in (random, 4);
  job->sqpoll_cpu = one_in (random, 2) ? 0 : -1;
  job->force_async = one_in (random, 6);
  job->start_delay = one_in (random, 4) ? below (random, 300) * UR_US : 0;
  job->runtime = one_in (random, 5) ? (1 + below (random, 500)) * UR_US : 0;
  job->time_based = job->runtime && one_in (random, 2);
  job->thinktime = one_in (random, 5) ? below (random, 40) * UR_US : 0;
  job->thinktime_blocks = 1 + below (random, 8);
  job->group = group;
  for (uint32_t i = 0; i < files; i++) {
    g_array_append_val (job->files, i);
  }
  random_pattern (random, &job->pattern);
}

/* A machine, a policy and jobs. (transfer full) */
static Fixture *random_fixture (unsigned number, char **ret_row)
{
  UrRandom random;
  unsigned cpus, jobs, group = 0;
  const char *policy, *fs, *noise, *placement, *preemption;
  Fixture *fixture;
  g_autofree char *set = NULL;

  ur_random_init_indexed (&random, 1, "conservation", number);
  policy = policies[number % G_N_ELEMENTS (policies)];
  fs = file_systems[below (&random, G_N_ELEMENTS (file_systems))];
  cpus = 1 + below (&random, 8);
  fixture = fixture_new (policy, fs, COSTS_SHIPPED);
  noise = one_in (&random, 3) ? "0" : "0.2"; /* one draw a statement: the order is fixed */
  placement = one_in (&random, 3) ? "pack" : "spread";
  preemption = one_in (&random, 3) ? "full" : "voluntary";
  set = g_strdup_printf ("noise=%s, Scheduler.Placement=%s, Scheduler.Preemption=%s, FileSystem %s.SleepEvery=%u",
                         noise, placement, preemption, fs, below (&random, 40));
  fixture_set (fixture, set);
  fixture->setup.cpus = cpus;
  fixture->setup.seed = number + 1;
  if (KERNEL_MAJOR (fixture->policy->kernel) == 6 && one_in (&random, 2)) {
    g_autofree char *kernel = g_strconcat ("kernel=", kernels[below (&random, G_N_ELEMENTS (kernels))], NULL);

    fixture_set (fixture, kernel);
  }
  fixture->setup.cache = one_in (&random, 3) ? CACHE_DIRTY : CACHE_CLEAN;
  fixture->setup.limit_ios = one_in (&random, 8) ? 1 + below (&random, 100) : 0;
  fixture->setup.limit_time = one_in (&random, 8) ? (1 + below (&random, 1000)) * UR_US : 0;
  jobs = 1 + below (&random, 4);
  for (unsigned i = 0; i < jobs; i++) {
    random_job (&random, fixture, group);
    group += one_in (&random, 3);
  }
  *ret_row = g_strdup_printf ("run %u: %s, %s, kernel %u, %u CPUs, %s, %u jobs", number, policy, fs,
                              fixture->setup.kernel, cpus, set, jobs);
  return fixture;
}

static unsigned total_depth (const Workload *workload)
{
  unsigned depth = 0;

  for (unsigned i = 0; i < workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, i);

    depth += job->engine == APPLICATION_PSYNC ? 1 : job->iodepth;
  }
  return depth;
}

/* Requests that a job's stream has. */
static uint64_t count_requests (const Fixture *fixture, const WorkloadJob *job)
{
  g_autoptr (GError) error = NULL;
  IoSource *source = workload_open_job (fixture->workload, job, fixture->setup.seed, &error);
  uint64_t n = 0;
  Io io;

  while (source->next (source, &io, &error) > 0)
    n++;
  source->free (source);
  return n;
}

/* Requests of all jobs if nothing cuts them short, else UINT64_MAX. */
static uint64_t expected_requests (const Fixture *fixture)
{
  uint64_t n = 0;

  if (fixture->setup.limit_ios || fixture->setup.limit_time)
    return UINT64_MAX;
  for (unsigned i = 0; i < fixture->workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (fixture->workload->jobs, i);

    if (job->runtime)
      return UINT64_MAX;
    n += count_requests (fixture, job);
  }
  return n;
}

/* The stations of a request add up to its life, and so do submission and completion latency. */
static void check_latencies (const Fixture *fixture, const RunResult *result, const char *row)
{
  double mean = ur_histogram_mean (&result->all.lat), sum = 0;

  for (unsigned i = 0; i < fixture->workload->jobs->len; i++)
    if (((const WorkloadJob *) g_ptr_array_index (fixture->workload->jobs, i))->engine == APPLICATION_PSYNC)
      return; /* has no submission latency; its life starts when it is issued */
  ROW_CHECK (result->all.slat.sum + result->all.clat.sum == result->all.lat.sum, "%s: slat + clat = lat", row);
  if (result->syncs)
    return; /* the stations include them */
  for (unsigned i = 0; i < PHASES; i++)
    sum += result->phase[i].mean;
  ROW_CHECK (ABS (sum - mean) <= 1e-6 * mean, "%s: stations %g, latency %g", row, sum, mean);
}

static void check_result (const Fixture *fixture, const RunResult *result, const char *row)
{
  uint64_t outcomes = 0, acquired = 0, expected = expected_requests (fixture), ops = 0;
  double parts = result->cpu.app + result->cpu.sq_thread + result->cpu.workers + result->cpu.flusher + result->cpu.irq;

  for (unsigned i = 0; i < OUTCOMES; i++)
    outcomes += result->outcome[i];
  for (unsigned i = 0; i < IO_OPS; i++)
    ops += result->op[i].ios;
  for (unsigned i = 0; i < result->n_locks; i++)
    acquired += result->lock[i].acquired;
  ROW_CHECK (outcomes == result->ios + result->syncs && ops == outcomes, "%s: %d outcomes of %d I/Os and %d syncs", row,
             (int) outcomes, (int) result->ios, (int) result->syncs);
  ROW_CHECK (result->outcome[OUTCOME_FAILED] == 0 && result->cq_overflows == 0, "%s: %d failed", row,
             (int) result->outcome[OUTCOME_FAILED]);
  ROW_CHECK (expected == UINT64_MAX || outcomes == expected, "%s: %d requests, expected %d", row, (int) outcomes,
             (int) expected);
  ROW_CHECK (result->all.lat.n == result->ios && result->all.clat.n == result->ios, "%s: latencies of all", row);
  ROW_CHECK (result->cpu.busy >= 0 && result->cpu.busy <= 1 && ABS (parts - result->cpu.busy) < 1e-9 &&
                 ABS (result->cpu.busy + result->cpu.idle - 1) < 1e-9 && result->cpu.spin <= result->cpu.busy + 1e-9,
             "%s: busy %g of which %g", row, result->cpu.busy, parts);
  ROW_CHECK (result->iops * ur_histogram_mean (&result->all.lat) / 1e9 <= total_depth (fixture->workload) * 1.001,
             "%s: %g in flight, %u allowed", row, result->iops * ur_histogram_mean (&result->all.lat) / 1e9,
             total_depth (fixture->workload));
  ROW_CHECK (acquired <= 2 * result->ios, "%s: %d times locked", row, (int) acquired); /* tried, then written */
  ROW_CHECK (result->workers.max_alive <= result->workers.created && result->futile_wakeups <= result->wakeups + 1,
             "%s: %u workers", row, result->workers.created);
}

static gboolean same_result (const RunResult *one, const RunResult *other)
{
  RunResult a = *one, b = *other;

  a.lock = b.lock = NULL;
  a.notes = b.notes = NULL;
  return memcmp (&a, &b, sizeof a) == 0 && memcmp (one->lock, other->lock, one->n_locks * sizeof *one->lock) == 0;
}

/* Submitted = completed = reaped, no lock held, Little's law, CPU time: simulation_run() checks all that and would
 * return an error. */
static void test_random_runs (void)
{
  for (unsigned i = 0; i < RUNS; i++) {
    g_autofree char *row = NULL;
    g_autoptr (GError) error = NULL;
    Fixture *fixture = random_fixture (i, &row);
    RunResult *result = simulation_run (&fixture->setup, &error), *again;

    if (ROW_CHECK (result, "%s: %s", row, row_error (error))) {
      check_result (fixture, result, row);
      check_latencies (fixture, result, row);
      if (i % 8 == 0) {
        again = simulation_run (&fixture->setup, NULL);
        ROW_CHECK (again && same_result (result, again), "%s: again", row);
        run_result_free (again);
      }
    }
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* More work, or the same with fewer CPUs, never takes less time without noise: a few pairs that cannot be otherwise. */
static void test_monotone (void)
{
  static const char *const rows[] = { "linux-5.3", "linux-6.3", "inline-buffered-write" };
  static const unsigned ios[] = { 50, 100, 200, 400, 800 };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    UrTime before = 0;

    for (unsigned k = 0; k < G_N_ELEMENTS (ios); k++) {
      Fixture *fixture = fixture_new (rows[i], "ext4", COSTS_SHIPPED);
      WorkloadJob *job = workload_add_job (fixture->workload);
      g_autoptr (GError) error = NULL;
      uint32_t file = 0;
      RunResult *result;

      job->name = g_strdup ("job");
      job->engine = APPLICATION_IO_URING;
      job->iodepth = job->iodepth_low = 8;
      g_array_append_val (job->files, file);
      job->pattern.has_read = FALSE;
      job->pattern.has_write = TRUE;
      job->pattern.size = FIXTURE_FILE_SIZE;
      job->pattern.number_ios = ios[k];
      result = simulation_run (&fixture->setup, &error);
      ROW_CHECK (result && result->ios == ios[k] && result->sim_ns > before, "%s, %u I/Os: %d ns after %d ns", rows[i],
                 ios[k], result ? (int) result->sim_ns : 0, (int) before);
      before = result ? result->sim_ns : before;
      run_result_free (result);
      fixture_free (fixture);
    }
  }
}

void register_conservation_tests (void)
{
  CU_pSuite suite = fixture_suite ("conservation");

  fixture_test (suite, "random runs", test_random_runs);
  fixture_test (suite, "more takes longer", test_monotone);
}
