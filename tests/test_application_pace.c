/* When the application issues: rates, thinking times, syncs at the end, RWF_NOWAIT by the synchronous engines. */
#include "model/application.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* A job whose requests cost nothing but what a row sets, with the same luck as the others. */
static WorkloadJob *add_job (Fixture *fixture, ApplicationEngine engine, unsigned iodepth, uint64_t ios)
{
  WorkloadJob *job = fixture_add_job (fixture, engine, iodepth, ios);

  job->pattern.same_seed = TRUE;
  return job;
}

/* ---- rates ---- */

static void test_rates (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    unsigned iodepth;
    uint64_t rate, rate_iops;
    UrTime thinktime;
    unsigned blocks;
    gboolean ignore;
    UrTime ms; /* for 100 requests of 4 KiB */
  } rows[] = {
    { "rate_iops: one every ms, the first at once", APPLICATION_PSYNC, 1, 0, 1000, 0, 0, FALSE, 99 },
    { "rate: bytes", APPLICATION_PSYNC, 1, 4096000, 0, 0, 0, FALSE, 99 },
    { "rate wins over rate_iops", APPLICATION_PSYNC, 1, 8192000, 1000, 0, 0, FALSE, 49 },
    { "io_uring at any depth", APPLICATION_IO_URING, 8, 0, 1000, 0, 0, FALSE, 99 },
    { "libaio", APPLICATION_LIBAIO, 8, 0, 1000, 0, 0, FALSE, 99 },
    { "what thinking costs is caught up, but for the last time", APPLICATION_PSYNC, 1, 0, 1000, 5 * UR_MS, 20, FALSE,
      99 + 5 },
    { "unless thinking does not count: all of it but a block, to go on at once", APPLICATION_PSYNC, 1, 0, 1000,
      5 * UR_MS, 20, TRUE, 99 + 4 * 4 + 5 },
    { "no rate", APPLICATION_PSYNC, 1, 0, 0, 0, 0, FALSE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].engine, rows[i].iodepth, 100);
    RunResult *result;

    job->rate[IO_WRITE] = rows[i].rate;
    job->rate_iops[IO_WRITE] = rows[i].rate_iops;
    job->thinktime = rows[i].thinktime;
    job->thinktime_blocks = rows[i].blocks;
    job->rate_ignore_thinktime = rows[i].ignore;
    if ((result = fixture_run_whole (fixture, rows[i].rule)))
      ROW_CHECK (result->ios == 100 && result->sim_ns / UR_MS == rows[i].ms, "%s: %d requests, %d us", rows[i].rule,
                 (int) result->ios, (int) (result->sim_ns / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* rate_process=poisson: the gaps that fio draws; seen in a log of fio 3.33 with these options (its sleeps end a bit
 * late). */
static void test_poisson (void)
{
  static const struct {
    unsigned ios;
    UrTime us;
  } rows[] = { { 1, 0 }, { 2, 1571 }, { 10, 6505 }, { 11, 7578 }, { 12, 7809 }, { 13, 8520 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, APPLICATION_PSYNC, 1, rows[i].ios);
    RunResult *result;

    job->rate_iops[IO_WRITE] = 1000;
    job->rate_poisson = TRUE;
    if ((result = fixture_run_whole (fixture, "poisson")))
      ROW_CHECK (result->sim_ns == rows[i].us * UR_US, "request %u at %d us", rows[i].ios,
                 (int) (result->sim_ns / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Reads and writes with rates of their own: who is behind goes first, whatever rwmixread says. */
static void test_mixed_rates (void)
{
  static const struct {
    const char *rule;
    unsigned read_percent;
    uint64_t read_iops, write_iops;
    unsigned reads, writes; /* in 200 ms */
  } rows[] = {
    { "both at their rate", 50, 1000, 250, 200, 50 },
    { "both at their rate, though the mix is another", 90, 500, 500, 100, 100 },
    { "only reads: the other rate does not exist", 100, 1000, 250, 200, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, APPLICATION_IO_URING, 4, 0);
    RunResult *result;

    fixture_set (fixture, "Application.Prepare=1000");
    job->pattern.has_read = TRUE;
    job->pattern.read_percent = rows[i].read_percent;
    job->rate_iops[IO_READ] = rows[i].read_iops;
    job->rate_iops[IO_WRITE] = rows[i].write_iops;
    job->time_based = TRUE;
    job->runtime = 200 * UR_MS;
    if ((result = fixture_run_whole (fixture, rows[i].rule)))
      ROW_CHECK (ABS ((int) result->op[IO_READ].ios - (int) rows[i].reads) <= 2 &&
                     ABS ((int) result->op[IO_WRITE].ios - (int) rows[i].writes) <= 2,
                 "%s: %d reads, %d writes", rows[i].rule, (int) result->op[IO_READ].ios,
                 (int) result->op[IO_WRITE].ios);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Who only changes the direction waits for nothing: 4 reads of 100 us at a time all the while. */
static void test_change_of_direction (void)
{
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
  WorkloadJob *job = add_job (fixture, APPLICATION_IO_URING, 4, 0);
  RunResult *result;

  fixture_set (fixture, "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000");
  fixture->setup.cache = CACHE_COLD;
  job->direct = TRUE;
  job->pattern.has_read = TRUE;
  job->pattern.read_percent = 50;
  job->rate_iops[IO_WRITE] = 10;
  job->time_based = TRUE;
  job->runtime = 50 * UR_MS;
  if ((result = fixture_run_whole (fixture, "change of direction")))
    ROW_CHECK (result->op[IO_READ].ios >= 1990 && result->op[IO_READ].ios <= 2004 && result->op[IO_WRITE].ios == 1,
               "%d reads, %d writes", (int) result->op[IO_READ].ios, (int) result->op[IO_WRITE].ios);
  run_result_free (result);
  fixture_free (fixture);
}

/* ---- thinking ---- */

static void test_thinktime (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    unsigned iodepth, blocks;
    gboolean issue;
    UrTime spin, iotime;
    UrTime us, busy_us; /* 16 writes that take 1 us each, thinking 10 us */
  } rows[] = {
    { "after every block", APPLICATION_PSYNC, 1, 1, FALSE, 0, 0, 16 + 160, 16 },
    { "every four", APPLICATION_PSYNC, 1, 4, FALSE, 0, 0, 16 + 40, 16 },
    { "blocks are counted when they are reaped: the depth comes on top", APPLICATION_IO_URING, 4, 4, FALSE, 0, 0,
      16 + 30, 16 },
    { "or when they are issued", APPLICATION_IO_URING, 4, 4, TRUE, 0, 0, 16 + 40, 16 },
    { "the first part may be busy", APPLICATION_PSYNC, 1, 4, FALSE, 4 * UR_US, 0, 16 + 40, 16 + 16 },
    { "all of it", APPLICATION_PSYNC, 1, 4, FALSE, 50 * UR_US, 0, 16 + 40, 16 + 40 },
    { "iotime: after so long", APPLICATION_PSYNC, 1, 0, FALSE, 0, 8 * UR_US, 16 + 20, 16 },
    { "iotime and blocks: whichever comes first", APPLICATION_PSYNC, 1, 4, FALSE, 0, 8 * UR_US, 16 + 40, 16 },
    { "iotime and blocks: whichever comes first", APPLICATION_PSYNC, 1, 100, FALSE, 0, 8 * UR_US, 16 + 20, 16 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].engine, rows[i].iodepth, 16);
    RunResult *result;

    fixture_set (fixture, "FileSystem ext4.WritePage=1000");
    job->thinktime = 10 * UR_US;
    job->thinktime_blocks = rows[i].blocks;
    job->thinktime_issue = rows[i].issue;
    job->thinktime_spin = rows[i].spin;
    job->thinktime_iotime = rows[i].iotime;
    if ((result = fixture_run_whole (fixture, rows[i].rule))) {
      double busy = result->cpu.busy * result->cpus * (double) result->sim_ns / UR_US;

      ROW_CHECK (result->sim_ns == rows[i].us * UR_US, "%s: %d ns", rows[i].rule, (int) result->sim_ns);
      ROW_CHECK ((int) (busy + 0.5) == (int) rows[i].busy_us, "%s: %f us busy", rows[i].rule, busy);
    }
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- the end ---- */

static void test_end_fsync (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    gboolean end_fsync, reads;
    unsigned fsync_every;
    UrTime us; /* a page is written in 20 us, so are the journal's blocks and its record; FLUSH takes 50 */
  } rows[] = {
    { "none", APPLICATION_PSYNC, FALSE, FALSE, 0, 0 },
    { "end_fsync: all pages, commit, FLUSH", APPLICATION_PSYNC, TRUE, FALSE, 0, 110 },
    { "end_fsync with io_uring: a system call", APPLICATION_IO_URING, TRUE, FALSE, 0, 110 },
    { "a job that wrote nothing", APPLICATION_PSYNC, TRUE, TRUE, 0, 0 },
    { "an fsync in between, after which nothing of the metadata changes within the tick", APPLICATION_PSYNC, TRUE,
      FALSE, 2, 180 },
    { "an fsync in between: libaio does it in a system call of its own", APPLICATION_LIBAIO, TRUE, FALSE, 2, 180 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].engine, 4, 4);
    RunResult *result;

    fixture_set (fixture, "Device.Synchronous=no, Device.Channels=32, Write.Time=20000, Flush.Time=50000");
    job->pattern.has_read = rows[i].reads;
    job->pattern.has_write = !rows[i].reads;
    job->pattern.fsync_every = rows[i].fsync_every;
    job->end_fsync = rows[i].end_fsync;
    if ((result = fixture_run_whole (fixture, rows[i].rule)))
      ROW_CHECK (result->sim_ns == rows[i].us * UR_US && result->op[IO_SYNC].ios == (rows[i].fsync_every ? 1 : 0),
                 "%s: %d us, %d syncs", rows[i].rule, (int) (result->sim_ns / UR_US), (int) result->op[IO_SYNC].ios);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- RWF_NOWAIT ---- */

static void test_nowait (void)
{
  static const struct {
    const char *rule, *fs;
    ApplicationEngine engine;
    gboolean reads;
    CacheState cache;
    unsigned ok, failed; /* of 8 */
  } rows[] = {
    { "reads that hit", "ext4", APPLICATION_PSYNC, TRUE, CACHE_CLEAN, 8, 0 },
    { "reads that miss", "ext4", APPLICATION_PSYNC, TRUE, CACHE_COLD, 0, 8 },
    { "reads that miss", "ext4", APPLICATION_LIBAIO, TRUE, CACHE_COLD, 0, 8 },
    { "reads that miss", "ext4", APPLICATION_IO_URING, TRUE, CACHE_COLD, 0, 8 },
    { "writes of ext4", "ext4", APPLICATION_PSYNC, FALSE, CACHE_CLEAN, 0, 8 },
    { "writes of ext4", "ext4", APPLICATION_LIBAIO, FALSE, CACHE_CLEAN, 0, 8 },
    { "writes of ext4", "ext4", APPLICATION_IO_URING, FALSE, CACHE_CLEAN, 0, 8 },
    { "writes of xfs, of which each needs a time stamp that nobody sets", "xfs", APPLICATION_PSYNC, FALSE, CACHE_CLEAN,
      0, 8 },
    { "writes of f2fs", "f2fs", APPLICATION_PSYNC, FALSE, CACHE_CLEAN, 8, 0 },
    { "a file that does not know NOWAIT", "tmpfs", APPLICATION_PSYNC, TRUE, CACHE_CLEAN, 0, 8 },
    { "a file that does not know NOWAIT", "tmpfs", APPLICATION_LIBAIO, TRUE, CACHE_CLEAN, 0, 8 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", rows[i].fs, COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].engine, 4, 8);
    RunResult *result;

    fixture->setup.cache = (int) rows[i].cache;
    job->pattern.has_read = rows[i].reads;
    job->pattern.has_write = !rows[i].reads;
    job->nowait = TRUE;
    if ((result = fixture_run_whole (fixture, rows[i].rule)))
      ROW_CHECK (result->ios == rows[i].ok && result->outcome[OUTCOME_FAILED] == rows[i].failed, "%s, %s: %d ok, %d",
                 rows[i].rule, rows[i].fs, (int) result->ios, (int) result->outcome[OUTCOME_FAILED]);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- ramp_time, serialize_overlap ---- */

static void test_ramp_time (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    UrTime ramp[2], runtime, start; /* ms; ramp of each job, G_MAXUINT: there is no second one */
    unsigned group;                 /* of the second */
    uint64_t ios;
    UrTime ms, measured;
  } rows[] = {
    { "none: all counts", APPLICATION_PSYNC, { 0, G_MAXUINT }, 0, 0, 0, 100, 99, 99 },
    { "what completes in it counts in no rate, what was asked for is not more",
      APPLICATION_PSYNC,
      { 50, G_MAXUINT },
      0,
      0,
      0,
      50,
      99,
      49 },
    { "io_uring", APPLICATION_IO_URING, { 50, G_MAXUINT }, 0, 0, 0, 50, 99, 49 },
    { "runtime begins after it, and nothing begins at its end",
      APPLICATION_PSYNC,
      { 30, G_MAXUINT },
      20,
      0,
      0,
      20,
      50,
      20 },
    { "it begins when the job starts", APPLICATION_PSYNC, { 50, G_MAXUINT }, 0, 10, 0, 50, 109, 59 },
    { "it is longer than the run", APPLICATION_PSYNC, { 500, G_MAXUINT }, 0, 0, 0, 0, 99, 0 },
    { "beside a job without: rates are over the whole run", APPLICATION_PSYNC, { 50, 0 }, 0, 0, 0, 150, 99, 99 },
    { "of two the shorter", APPLICATION_PSYNC, { 50, 20 }, 0, 0, 0, 130, 99, 79 },
    { "one after the other: both", APPLICATION_PSYNC, { 50, 20 }, 0, 0, 1, 130, 198, 128 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    RunResult *result;

    for (unsigned k = 0; k < 2 && rows[i].ramp[k] != G_MAXUINT; k++) {
      WorkloadJob *job = add_job (fixture, rows[i].engine, 1, 100);

      job->rate_iops[IO_WRITE] = 1000;
      job->ramp_time = rows[i].ramp[k] * UR_MS;
      job->runtime = rows[i].runtime * UR_MS;
      job->start_delay = rows[i].start * UR_MS;
      job->group = k ? rows[i].group : 0;
    }
    fixture_set (fixture, "Application.Prepare=1");
    result = fixture_run_whole (fixture, rows[i].rule);
    if (result) {
      ROW_CHECK (result->ios == rows[i].ios && result->all.lat.n == rows[i].ios, "%s: %u I/Os", rows[i].rule,
                 (unsigned) result->ios);
      ROW_CHECK (result->outcome[OUTCOME_INLINE] + result->outcome[OUTCOME_PUNTED_HASHED] >= rows[i].ios,
                 "%s: paths are counted for all", rows[i].rule);
      ROW_CHECK ((result->sim_ns + UR_MS / 2) / UR_MS == rows[i].ms &&
                     (result->measured_ns + UR_MS / 2) / UR_MS == rows[i].measured,
                 "%s: %u of %u ms", rows[i].rule, (unsigned) (result->measured_ns / UR_MS),
                 (unsigned) (result->sim_ns / UR_MS));
      ROW_CHECK (!rows[i].measured || ABS (result->iops - (double) result->ios * 1e9 / (double) result->measured_ns) <
                                          1e-6 * result->iops,
                 "%s: %g IOPS", rows[i].rule, result->iops);
    }
    run_result_free (result);
    fixture_free (fixture);
  }
}

static void test_serialize_overlap (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    gboolean serialize;
    uint64_t blocks; /* in each file */
    unsigned files;
    uint64_t us; /* for 12 direct writes of 100 us, depth 4 */
  } rows[] = {
    { "one block: four at a time without it", APPLICATION_IO_URING, FALSE, 1, 1, 300 },
    { "one block: one at a time with it", APPLICATION_IO_URING, TRUE, 1, 1, 1200 },
    { "libaio", APPLICATION_LIBAIO, TRUE, 1, 1, 1200 },
    { "posixaio", APPLICATION_POSIXAIO, TRUE, 1, 1, 1200 },
    { "blocks that do not overlap", APPLICATION_IO_URING, TRUE, 4, 1, 300 },
    { "the same offsets of two files: offsets are compared, files are not", APPLICATION_IO_URING, TRUE, 1, 2, 1200 },
    { "three blocks: no more than three at a time", APPLICATION_IO_URING, TRUE, 3, 1, 400 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "block", COSTS_FREE);
    WorkloadJob *job = add_job (fixture, rows[i].engine, 4, 12);
    RunResult *result;

    for (uint32_t file = 1; file < rows[i].files; file++)
      g_array_append_val (job->files, file);
    job->direct = TRUE;
    job->serialize_overlap = rows[i].serialize;
    job->pattern.order = PATTERN_SEQUENTIAL;
    job->pattern.size = rows[i].blocks * rows[i].files * 4096;
    job->pattern.loops = (unsigned) (12 / (rows[i].blocks * rows[i].files));
    fixture->setup.cache = CACHE_COLD;
    fixture_set (fixture, "Device.Synchronous=no, Device.Channels=32, Write.Time=100000");
    result = fixture_run_whole (fixture, rows[i].rule);
    if (result)
      ROW_CHECK (result->ios == 12 && result->sim_ns / UR_US == rows[i].us, "%s: %u I/Os in %u us", rows[i].rule,
                 (unsigned) result->ios, (unsigned) (result->sim_ns / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

void register_application_pace_tests (void)
{
  CU_pSuite suite = fixture_suite ("application, pace");

  fixture_test (suite, "ramp_time", test_ramp_time);
  fixture_test (suite, "serialize_overlap", test_serialize_overlap);
  fixture_test (suite, "rates", test_rates);
  fixture_test (suite, "poisson", test_poisson);
  fixture_test (suite, "rates of reads and writes", test_mixed_rates);
  fixture_test (suite, "a change of direction", test_change_of_direction);
  fixture_test (suite, "thinking time", test_thinktime);
  fixture_test (suite, "sync at the end", test_end_fsync);
  fixture_test (suite, "RWF_NOWAIT", test_nowait);
}
