/* Readers against writers on one inode: who takes the lock decides whether reads get anywhere (fs/xfs/xfs_file.c
 * against filemap_read() of other file systems). */
#include "model/application.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#define JOBS 8u
#define FILE_SIZE ((uint64_t) 4 << 30) /* far more than the writers fill */
#define READ_TIME "625000"             /* ns, a network disk */

typedef enum { PAGES_RESIDENT, PAGES_COLD } Pages;

static void add_jobs (Fixture *fixture, gboolean write)
{
  for (unsigned i = 0; i < JOBS; i++) {
    WorkloadJob *job = workload_add_job (fixture->workload);
    uint32_t file = 0;

    job->name = g_strdup_printf ("%s%u", write ? "write" : "read", i);
    job->engine = APPLICATION_PSYNC;
    job->runtime = 200 * UR_MS;
    job->time_based = TRUE;
    g_array_append_val (job->files, file);
    job->pattern.order = PATTERN_RANDOM;
    job->pattern.has_read = !write;
    job->pattern.has_write = write;
    job->pattern.size = FILE_SIZE;
  }
}

/* How many reads end in 200 ms of eight readers, alone or with eight writers on the same file. */
static uint64_t reads (const char *fs, Pages pages, gboolean with_writers, uint64_t *ret_writes)
{
  Fixture *fixture = fixture_new ("linux-6.18", fs, COSTS_SHIPPED);
  WorkloadFile *file = g_ptr_array_index (fixture->workload->files, 0);
  g_autoptr (GError) error = NULL;
  RunResult *result;
  uint64_t n = 0;

  fixture_set (fixture, "kernel=6.0, Read.Time=" READ_TIME);
  file->size = FILE_SIZE;
  file->cache = pages == PAGES_COLD ? CACHE_COLD : CACHE_CLEAN;
  add_jobs (fixture, FALSE);
  if (with_writers)
    add_jobs (fixture, TRUE);
  result = simulation_run (&fixture->setup, &error);
  ROW_CHECK (result, "%s: %s", fs, row_error (error));
  if (result) {
    n = result->op[IO_READ].ios;
    *ret_writes = result->op[IO_WRITE].ios;
    run_result_free (result);
  }
  fixture_free (fixture);
  return n;
}

/* Share of the reads alone that is left beside writers, percent. */
static void test_starvation (void)
{
  static const struct {
    const char *rule, *fs;
    Pages pages;
    double at_least, at_most;
  } rows[] = {
    { "XFS, pages resident: writers that spin starve readers that sleep", "xfs", PAGES_RESIDENT, 0, 5 },
    { "XFS, reads from the device with the lock held: a few a time-out", "xfs", PAGES_COLD, 0, 25 },
    { "reads without the lock: not starved", "xfs-unlocked-reads", PAGES_RESIDENT, 90, 110 },
    { "writes that share the lock: reads not starved", "xfs-shared-writes", PAGES_RESIDENT, 80, 110 },
    { "ext4 reads without the lock: not starved", "ext4", PAGES_RESIDENT, 90, 110 },
    { "ext4 reads from the device without the lock: not starved", "ext4", PAGES_COLD, 90, 110 },
    { "btrfs reads without the lock: not starved", "btrfs", PAGES_RESIDENT, 90, 110 },
    { "tmpfs reads without the lock: not starved", "tmpfs", PAGES_RESIDENT, 90, 110 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    uint64_t none, writes;
    double alone = (double) reads (rows[i].fs, rows[i].pages, FALSE, &none);
    double left = 100 * (double) reads (rows[i].fs, rows[i].pages, TRUE, &writes) / alone;

    ROW_CHECK (none == 0 && alone > 0 && writes > 0, "%s: %.0f reads alone, %d writes", rows[i].rule, alone,
               (int) writes);
    ROW_CHECK (left >= rows[i].at_least && left <= rows[i].at_most, "%s: %.2f %% of the reads are left", rows[i].rule,
               left);
  }
}

void register_readers_writers_tests (void)
{
  CU_pSuite suite = fixture_suite ("readers against writers");

  fixture_test (suite, "starvation", test_starvation);
}
