/* The application on io_uring: rings of its own choice, a CQ that is too small, malformed requests, submit_and_wait. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* Random writes of 4 KiB to file 0. */
static WorkloadJob *add_job (Fixture *fixture, unsigned iodepth, uint64_t ios)
{
  WorkloadJob *job = workload_add_job (fixture->workload);
  uint32_t file = 0;

  job->name = g_strdup ("job");
  job->engine = APPLICATION_IO_URING;
  job->iodepth = job->iodepth_low = iodepth;
  g_array_append_val (job->files, file);
  job->pattern.order = PATTERN_RANDOM;
  job->pattern.has_read = FALSE;
  job->pattern.has_write = TRUE;
  job->pattern.size = FIXTURE_FILE_SIZE;
  job->pattern.number_ios = ios;
  return job;
}

static gboolean has_note (const RunResult *result, const char *text)
{
  for (unsigned i = 0; i < result->notes->len; i++)
    if (strstr (g_ptr_array_index (result->notes, i), text))
      return TRUE;
  return FALSE;
}

/* A CQ of 8 with 1,024 in flight: every request is accounted for, in each era.  The end-of-run checks are part of
 * the run: submitted = completed = reaped + dropped. */
static void test_small_cq (void)
{
  static const struct {
    const char *rule, *policy, *kernel, *flags;
    unsigned sq_entries; /* with CQSIZE the CQ has 8, else twice the SQ */
    gboolean drops;
  } rows[] = {
    { "5.1 to 5.4 drop", "linux-5.3", "5.3", "", 4, TRUE },
    { "5.4 drops", "linux-5.4", "5.4", "", 4, TRUE },
    { "5.5 to 5.12: EBUSY", "linux-6.1", "5.5", "cqsize", 8, FALSE },
    { "5.12: EBUSY", "linux-6.1", "5.12", "cqsize", 8, FALSE },
    { "5.13: backlog, never refused", "linux-6.1", "5.13", "cqsize", 8, FALSE },
    { "6.1: backlog", "linux-6.1", "6.1", "cqsize", 8, FALSE },
    { "6.18: backlog", "linux-6.18", "6.18", "cqsize", 8, FALSE },
    { "6.18, inline: backlog", "no-offload", "6.18", "cqsize", 8, FALSE },
    { "6.18, DEFER_TASKRUN: backlog", "linux-6.18", "6.18", "cqsize,single-issuer,defer-taskrun", 8, FALSE },
    { "6.18, SQPOLL: backlog", "linux-6.18", "6.18", "cqsize,sqpoll", 8, FALSE },
    { "5.12, SQPOLL: EBUSY", "linux-6.1", "5.12", "cqsize,sqpoll", 8, FALSE },
    { "5.4, SQPOLL: drops", "linux-5.4", "5.4", "sqpoll", 4, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_SHIPPED);
    WorkloadJob *job = add_job (fixture, 1024, 4096);
    g_auto (GStrv) flags = g_strsplit (rows[i].flags, ",", -1);
    g_autofree char *kernel = g_strconcat ("kernel=", rows[i].kernel, NULL);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, kernel);
    job->ring = (RingOptions){ .given = TRUE, .sq_entries = rows[i].sq_entries, .cq_entries = 8 };
    for (char **flag = flags; *flag; flag++)
      ring_flags_set (&job->ring.flags, *flag);
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result, "%s: %s", rows[i].rule, row_error (error));
    if (result) {
      ROW_CHECK (result->cq_overflows > 0, "%s: no overflow", rows[i].rule);
      ROW_CHECK ((result->ios < 4096) == rows[i].drops, "%s: %d I/Os", rows[i].rule, (int) result->ios);
      ROW_CHECK (has_note (result, rows[i].drops ? "were dropped" : "backlog"), "%s: overflow is not said",
                 rows[i].rule);
      ROW_CHECK (has_note (result, "for ever") == rows[i].drops, "%s: the end is not said", rows[i].rule);
      run_result_free (result);
    }
    fixture_free (fixture);
  }
}

/* One of four malformed: all are submitted, one of four fails, whether or not it ends the batch. */
static void test_malformed (void)
{
  static const struct {
    const char *policy, *kernel, *flag;
  } rows[] = { { "linux-5.4", "5.4", NULL },
               { "linux-6.1", "5.10", NULL },
               { "linux-6.18", "6.18", NULL },
               { "linux-6.18", "6.18", "submit-all" },
               { "linux-6.18", "6.18", "sqpoll" } };

  for (unsigned i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i / 2].policy, "ext4", COSTS_SHIPPED);
    WorkloadJob *job = add_job (fixture, 16, 400);
    g_autofree char *kernel = g_strconcat ("kernel=", rows[i / 2].kernel, NULL);
    g_autofree char *row = g_strdup_printf ("%s %s", kernel, rows[i / 2].flag ? rows[i / 2].flag : "");
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, kernel);
    job->sqe.bad_every = 4;
    job->ring.given = i % 2;
    job->batch_submit = 8;
    if (i % 2 && rows[i / 2].flag)
      ring_flags_set (&job->ring.flags, rows[i / 2].flag);
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->outcome[OUTCOME_FAILED] == 100 && result->ios == 300, "%s: %d failed, %s", row,
               result ? (int) result->outcome[OUTCOME_FAILED] : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- system calls ---- */

typedef struct {
  unsigned waits, submitted;
  unsigned local; /* runs of DEFER_TASKRUN's list before the last submission */
} Heard;

static void hear (const TraceEvent *event, void *data)
{
  Heard *heard = data;

  heard->waits += event->kind == TRACE_CQRING_WAIT;
  heard->submitted += event->kind == TRACE_SUBMIT_REQ;
  heard->local += event->kind == TRACE_LOCAL_WORK_RUN && heard->submitted < 8;
}

/* With a ring of its own the application fills every free slot and submits and waits in one call, for one completion:
 * with costs of 0 but for the system call, the time is that of the calls. */
static void test_submit_and_wait (void)
{
  static const struct {
    const char *rule;
    gboolean given;
    unsigned iodepth;
    uint64_t ns;
  } rows[] = {
    { "fio at depth 1: a call to submit, none to wait, for each inline write", FALSE, 1, 8 * 100 },
    { "liburing at depth 1: one call each", TRUE, 1, 8 * 100 },
    { "fio at depth 4 with batches of 1: a call each", FALSE, 4, 8 * 100 },
    { "liburing at depth 4: four at a time", TRUE, 4, 2 * 100 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].iodepth, 8);
    g_autoptr (GError) error = NULL;
    Heard heard = { 0 };
    RunResult *result;

    fixture_set (fixture, "CPU.Syscall=100");
    job->ring.given = rows[i].given;
    fixture->setup.trace = hear;
    fixture->setup.trace_data = &heard;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    ROW_CHECK (heard.waits == (rows[i].given ? 8 / rows[i].iodepth : 0), "%s: %u waits", rows[i].rule, heard.waits);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Under SQPOLL fio polls the CQ in user space; a liburing program sleeps in the kernel until there is a completion. */
static void test_sqpoll_waits (void)
{
  for (unsigned given = 0; given < 2; given++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    WorkloadJob *job = add_job (fixture, 4, 40);
    g_autoptr (GError) error = NULL;
    Heard heard = { 0 };
    RunResult *result;

    job->sqpoll = TRUE;
    job->ring.given = given;
    job->ring.flags.sqpoll = TRUE;
    fixture->setup.trace = hear;
    fixture->setup.trace_data = &heard;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->ios == 40, "%s: %s", given ? "liburing" : "fio", row_error (error));
    ROW_CHECK (given ? heard.waits >= 10 : heard.waits == 0, "%s under SQPOLL waits %u times in the kernel",
               given ? "liburing" : "fio", heard.waits);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Four writes of 10 us each, prepared at 1, 2, 3 and 4 us, done by the sq_thread at 11, 21, 31 and 41 us; it takes the
 * first alone and the others together. */
static void test_fio_issue_times (void)
{
  static const struct {
    const char *rule;
    unsigned fio, iodepth;
    gboolean given, sqpoll;
    double clat, slat; /* us in all */
  } rows[] = {
    { "3.36: each is stamped when it is published", KERNEL (3, 36), 4, FALSE, TRUE, 10 + 19 + 28 + 37, 4 },
    { "no version: as 3.36", 0, 4, FALSE, TRUE, 10 + 19 + 28 + 37, 4 },
    { "3.34: while the head stands at the first it gets all four stamps, the others have none (the start of the job)",
      KERNEL (3, 34), 4, FALSE, TRUE, 7 + 21 + 31 + 41, 4 },
    { "3.35: as 3.34", KERNEL (3, 35), 4, FALSE, TRUE, 7 + 21 + 31 + 41, 4 },
    { "3.34 at depth 1: the head is at the only one", KERNEL (3, 34), 1, FALSE, TRUE, 40, 4 },
    { "3.34 without sqthread_poll: the call returns, at 11, 22, 33 and 44 us; reaped together", KERNEL (3, 34), 4,
      FALSE, FALSE, 33 + 22 + 11, 44 },
    { "3.34: a program written with liburing is no fio; it waits for the last three together", KERNEL (3, 34), 4, TRUE,
      TRUE, 10 + 39 + 38 + 37, 4 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("inline-buffered-write", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].iodepth, 4);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, "Application.Prepare=1000, FileSystem ext4.WritePage=10000");
    job->sqpoll = job->ring.flags.sqpoll = rows[i].sqpoll;
    job->ring.given = rows[i].given;
    fixture->setup.fio_version = rows[i].fio;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result, "%s: %s", rows[i].rule, row_error (error));
    if (result) {
      double clat = ur_histogram_mean (&result->all.clat) * 4e-3, slat = ur_histogram_mean (&result->all.slat) * 4e-3;

      ROW_CHECK (clat > rows[i].clat - 0.1 && clat < rows[i].clat + 0.1, "%s: clat %.3f us", rows[i].rule, clat);
      ROW_CHECK (slat > rows[i].slat - 0.1 && slat < rows[i].slat + 0.1, "%s: slat %.3f us", rows[i].rule, slat);
      run_result_free (result);
    }
    fixture_free (fixture);
  }
}

/* Eight writes through an SQ of two: three calls that only submit, 20 us each, while workers are done after 10 us. */
static void test_needs_enter (void)
{
  static const struct {
    const char *rule;
    gboolean taskrun_flag, runs;
  } rows[] = {
    { "liburing: a submission that sees IORING_SQ_TASKRUN asks for completions too", TRUE, TRUE },
    { "without TASKRUN_FLAG only waiting does", FALSE, FALSE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, 8, 8);
    g_autoptr (GError) error = NULL;
    Heard heard = { 0 };
    RunResult *result;

    fixture_set (fixture, "CPU.Count=4, CPU.Syscall=20000, FileSystem ext4.WritePage=10000");
    job->ring.given = job->ring.flags.single_issuer = job->ring.flags.defer_taskrun = TRUE;
    job->ring.flags.taskrun_flag = rows[i].taskrun_flag;
    job->ring.sq_entries = 2;
    fixture->setup.trace = hear;
    fixture->setup.trace_data = &heard;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && (heard.local > 0) == rows[i].runs, "%s: %u runs, %s", rows[i].rule, heard.local,
               row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Two jobs, each one write at a time that takes the CPU for 10 us. */
static void test_cpus_allowed (void)
{
  static const struct {
    const char *rule;
    int first, second; /* the CPU of each job, -1: any */
    uint64_t ns;
  } rows[] = {
    { "each job on a CPU", -1, -1, 80000 },
    { "cpus_allowed: both on one CPU take turns", 1, 1, 160000 },
    { "cpus_allowed: each on its own", 1, 2, 80000 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, "Application.Prepare=10000");
    for (unsigned k = 0; k < 2; k++) {
      WorkloadJob *job = add_job (fixture, 1, 8);
      int cpu = k ? rows[i].second : rows[i].first;

      job->engine = APPLICATION_PSYNC;
      if (cpu >= 0)
        cpu_mask_add (&job->cpus, (unsigned) cpu);
    }
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

static void test_refused_rings (void)
{
  static const struct {
    const char *flags, *message;
    unsigned iodepth;
  } rows[] = {
    { "defer-taskrun", "job \"job\": io_uring_setup answers EINVAL: defer-taskrun needs single-issuer", 8 },
    { NULL, "job \"job\": iodepth 40000: io_uring_setup answers EINVAL: 40000 SQ entries", 40000 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].iodepth, 8);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    if (rows[i].flags) {
      job->ring.given = TRUE;
      ring_flags_set (&job->ring.flags, rows[i].flags);
    }
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (!result && g_error_matches (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG) &&
                   g_str_has_prefix (error->message, rows[i].message),
               "%s: %s", rows[i].message, row_error (error));
    fixture_free (fixture);
  }
}

/* The sizes of the first system calls, as runs of submissions between completions. */
enum { CALLS = 16 };
typedef struct {
  unsigned size[CALLS], n;
  gboolean open;
} Calls;

static void count_calls (const TraceEvent *event, void *data)
{
  Calls *calls = data;

  if (event->kind == TRACE_COMPLETE)
    calls->open = FALSE;
  if (event->kind != TRACE_SUBMIT_REQ)
    return;
  calls->n += !calls->open;
  calls->open = TRUE;
  if (calls->n <= CALLS)
    calls->size[calls->n - 1]++;
}

static void test_depth_and_batches (void)
{
  static const struct {
    const char *rule;
    unsigned iodepth, low, batch;
    gboolean given;
    unsigned sizes[CALLS];
  } rows[] = {
    /* Captured with fio 3.33 on Linux 6.18. */
    { "depth 24: 32 slots, drained to 24; a commit by getevents begins no new batch",
      24,
      24,
      6,
      FALSE,
      { 6, 6, 6, 6, 6, 2, 4, 4, 2, 6, 6, 2, 4, 4, 2, 6 } },
    { "depth 32 is a power of two: once full, one at a time",
      32,
      32,
      8,
      FALSE,
      { 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
    { "iodepth_low counts from the depth as given",
      6,
      3,
      6,
      FALSE,
      { 6, 2, 4, 1, 5, 5, 1, 4, 2, 3, 3, 2, 4, 1, 5, 5 } },
    { "12 are 16, drained to 5", 12, 5, 4, FALSE, { 4, 4, 4, 4, 4, 4, 3, 1, 4, 4, 2, 2, 4, 4, 1, 3 } },
    { "a liburing program has as many slots as it says",
      6,
      6,
      1,
      TRUE,
      { 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 } },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_SHIPPED);
    WorkloadJob *job = add_job (fixture, rows[i].iodepth, 512);
    g_autoptr (GError) error = NULL;
    Calls calls = { 0 };
    RunResult *result;

    job->iodepth_low = rows[i].low;
    job->batch_submit = rows[i].batch;
    job->ring.given = rows[i].given;
    fixture->setup.trace = count_calls;
    fixture->setup.trace_data = &calls;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->ios == 512, "%s: %s", rows[i].rule, row_error (error));
    for (unsigned k = 0; k < CALLS; k++)
      ROW_CHECK (calls.size[k] == rows[i].sizes[k], "%s: call %u has %u", rows[i].rule, k, calls.size[k]);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* fsync=4 with 16 writes and depth 4: when the fourth write is issued the others have completed or not. */
static void test_repeated_syncs (void)
{
  static const struct {
    const char *rule;
    unsigned fio, low, high;
    ApplicationEngine engine;
  } rows[] = {
    { "3.38: one after each fourth write, none after the last", KERNEL (3, 38), 3, 3, APPLICATION_IO_URING },
    { "the default is 3.42", 0, 3, 3, APPLICATION_IO_URING },
    { "3.37: issued again while writes complete before it, at most one for each of the depth", KERNEL (3, 37), 4, 12,
      APPLICATION_IO_URING },
    { "3.37, libaio: a system call that is over when it returns", KERNEL (3, 37), 3, 3, APPLICATION_LIBAIO },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_SHIPPED);
    WorkloadJob *job = add_job (fixture, 4, 16);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    job->engine = rows[i].engine;
    job->pattern.fsync_every = 4;
    fixture->setup.fio_version = rows[i].fio;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result != NULL, "%s: %s", rows[i].rule, row_error (error));
    if (result) {
      uint64_t syncs = result->op[IO_SYNC].ios;

      ROW_CHECK (result->op[IO_WRITE].ios == 16, "%s: %d writes", rows[i].rule, (int) result->op[IO_WRITE].ios);
      ROW_CHECK (syncs >= rows[i].low && syncs <= rows[i].high, "%s: %d syncs", rows[i].rule, (int) syncs);
      run_result_free (result);
    }
    fixture_free (fixture);
  }
}

/* scramble_buffers of fio touches each block of a write; what stays in the first-level cache is part of Prepare. */
static void test_scramble (void)
{
  static const struct {
    const char *rule;
    uint64_t bytes;
    gboolean read, liburing;
    UrTime ns;
  } rows[] = {
    { "64 KiB are 128 blocks", 65536, FALSE, FALSE, 1280 },
    { "32 KiB stay in the cache", 32768, FALSE, FALSE, 0 },
    { "a read is not scrambled", 65536, TRUE, FALSE, 0 },
    { "nor are the buffers of another program", 65536, FALSE, TRUE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, 1, 1);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, "Application.Scramble=10");
    job->pattern.has_read = rows[i].read;
    job->pattern.has_write = !rows[i].read;
    for (unsigned k = 0; k < 3; k++)
      job->pattern.bs[k] = job->pattern.bs_max[k] = rows[i].bytes;
    job->ring.given = rows[i].liburing;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

void register_application_uring_tests (void)
{
  CU_pSuite suite = fixture_suite ("the application's rings");

  fixture_test (suite, "a CQ of 8 with 1,024 in flight", test_small_cq);
  fixture_test (suite, "malformed requests", test_malformed);
  fixture_test (suite, "submit and wait", test_submit_and_wait);
  fixture_test (suite, "depth and batches", test_depth_and_batches);
  fixture_test (suite, "issue times of fio 3.34 and 3.35", test_fio_issue_times);
  fixture_test (suite, "syncs of older fios", test_repeated_syncs);
  fixture_test (suite, "scrambled buffers", test_scramble);
  fixture_test (suite, "the SQ flags", test_needs_enter);
  fixture_test (suite, "waiting under SQPOLL", test_sqpoll_waits);
  fixture_test (suite, "CPUs of a job", test_cpus_allowed);
  fixture_test (suite, "rings that are refused", test_refused_rings);
}
