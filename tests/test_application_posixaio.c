/* The posixaio engine: which helper threads glibc makes, what they do at one time, and who is woken. */
#include "model/application.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* Writes of a page to `files` files in turn. */
static WorkloadJob *add_job (Fixture *fixture, unsigned files, unsigned iodepth, uint64_t ios)
{
  WorkloadJob *job = workload_add_job (fixture->workload);

  job->name = g_strdup ("job");
  job->engine = APPLICATION_POSIXAIO;
  job->iodepth = job->iodepth_low = iodepth;
  for (unsigned i = 0; i < files; i++) {
    g_autofree char *name = g_strdup_printf ("aio%u", i);
    uint32_t file = workload_add_file (fixture->workload, name, FIXTURE_FILE_SIZE);

    g_array_append_val (job->files, file);
  }
  job->pattern.has_read = FALSE;
  job->pattern.has_write = TRUE;
  job->pattern.size = FIXTURE_FILE_SIZE * files;
  job->pattern.number_ios = ios;
  return job;
}

static RunResult *run (Fixture *fixture, const char *row)
{
  g_autoptr (GError) error = NULL;
  RunResult *result = simulation_run (&fixture->setup, &error);

  ROW_CHECK (result, "%s: %s", row, row_error (error));
  return result;
}

static void test_helpers (void)
{
  static const struct {
    const char *rule;
    unsigned files, iodepth, ios;
    const char *set;
    UrTime us; /* a write takes 10 */
  } rows[] = {
    { "one file: one after the other, whatever the depth", 1, 16, 16, NULL, 160 },
    { "four files: four at a time", 4, 16, 16, NULL, 40 },
    { "four files at depth 2: two at a time", 4, 2, 16, NULL, 80 },
    { "no more than 20 threads: the rest waits for one", 21, 21, 21, "CPU.Count=30", 20 },
    { "20 files: all at once", 20, 20, 20, "CPU.Count=30", 10 },
    { "one CPU", 4, 16, 16, "CPU.Count=1", 160 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    RunResult *result;

    fixture_set (fixture, "FileSystem ext4.WritePage=10000");
    if (rows[i].set)
      fixture_set (fixture, rows[i].set);
    add_job (fixture, rows[i].files, rows[i].iodepth, rows[i].ios);
    if ((result = run (fixture, rows[i].rule)))
      ROW_CHECK (result->sim_ns == rows[i].us * UR_US && result->ios == rows[i].ios &&
                     result->outcome[OUTCOME_ASYNC] == rows[i].ios,
                 "%s: %d us, %d requests, %d asynchronous", rows[i].rule, (int) (result->sim_ns / UR_US),
                 (int) result->ios, (int) result->outcome[OUTCOME_ASYNC]);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* An idle helper is used again for a second, then it is gone. */
static void test_idle (void)
{
  static const struct {
    const char *rule;
    UrTime thinktime;
    unsigned created;
  } rows[] = {
    { "within a second: the same thread", 900 * UR_MS, 1 },
    { "later: a new one each time", 1100 * UR_MS, 3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, 1, 1, 3);
    RunResult *result;

    fixture_set (fixture, "Scheduler.ThreadCreate=1000000"); /* 1 ms, to count them */
    job->thinktime = rows[i].thinktime;
    if ((result = run (fixture, rows[i].rule)))
      ROW_CHECK (result->sim_ns == 3 * rows[i].thinktime + rows[i].created * UR_MS, "%s: %d us", rows[i].rule,
                 (int) (result->sim_ns / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* The costs of one request: the list, the thread, the call, the helper's list, the wake-up of who waits. */
static void test_costs (void)
{
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
  RunResult *result;

  fixture_set (fixture,
               "FileSystem ext4.WritePage=10000, Application.PosixAioQueue=100, Application.PosixAioHandle=200");
  fixture_set (fixture, "Scheduler.ThreadCreate=3000, Scheduler.ThreadStart=5000, Application.Prepare=400");
  add_job (fixture, 1, 1, 2);
  if ((result = run (fixture, "costs")))
    ROW_CHECK (result->sim_ns == 2 * (400 + 100 + 10000 + 200) + 3000 + 5000 && result->op[IO_WRITE].lat.min == 10700,
               "%d ns, least %d", (int) result->sim_ns, (int) result->op[IO_WRITE].lat.min);
  run_result_free (result);
  fixture_free (fixture);
}

/* Syncs wait in the same list; what needs the device makes the helper sleep, not the job. */
static void test_device (void)
{
  static const struct {
    const char *rule;
    unsigned files;
    gboolean direct;
    unsigned fsync_every;
    UrTime us; /* a page is written in 20 us */
  } rows[] = {
    { "direct writes to one file: one at a time", 1, TRUE, 0, 160 },
    { "to four files: four at a time", 4, TRUE, 0, 40 },
    { "an fsync after every fourth write of the page cache, in its turn: pages, journal, commit record", 1, FALSE, 4, 60 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].files, 8, 8);
    RunResult *result;

    fixture_set (fixture, "Device.Synchronous=no, Device.Channels=32, Write.Time=20000, Cache.Volatile=no");
    fixture->setup.cache = CACHE_COLD;
    job->direct = rows[i].direct;
    job->pattern.fsync_every = rows[i].fsync_every;
    if ((result = run (fixture, rows[i].rule)))
      ROW_CHECK (result->sim_ns == rows[i].us * UR_US && result->op[IO_WRITE].ios == 8, "%s: %d us, %d writes",
                 rows[i].rule, (int) (result->sim_ns / UR_US), (int) result->op[IO_WRITE].ios);
    run_result_free (result);
    fixture_free (fixture);
  }
}

void register_application_posixaio_tests (void)
{
  CU_pSuite suite = fixture_suite ("application, posixaio");

  fixture_test (suite, "helper threads", test_helpers);
  fixture_test (suite, "idle helpers", test_idle);
  fixture_test (suite, "costs", test_costs);
  fixture_test (suite, "the device", test_device);
}
