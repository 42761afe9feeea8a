/* Every shipped policy on a tiny workload: what becomes of the requests, and how many at a time. */
#include "model/data_path.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

enum { IOS = 64, DEPTH = 8, FILES = 4 };

/* Buffered writes or reads in random order, of `files` files, on a file system; cold: none of it is in memory. */
static RunResult *run_tiny (const char *policy, const char *fs, gboolean write, unsigned files, unsigned bs,
                            CacheState cache)
{
  g_autoptr (GError) error = NULL;
  Fixture *fixture = fixture_new (policy, fs, COSTS_SHIPPED);
  WorkloadJob *job = workload_add_job (fixture->workload);

  job->name = g_strdup ("tiny");
  job->engine = APPLICATION_IO_URING;
  job->iodepth = job->iodepth_low = DEPTH;
  for (uint32_t file = 0; file < files; file++) {
    g_array_append_val (job->files, file);
  }
  job->pattern.order = PATTERN_RANDOM;
  job->pattern.has_read = !write;
  job->pattern.has_write = write;
  job->pattern.size = FIXTURE_FILE_SIZE;
  job->pattern.number_ios = IOS;
  job->pattern.bs[write] = job->pattern.bs_max[write] = bs;
  fixture->setup.cache = cache;
  fixture->setup.nodes = 1;
  RunResult *result = simulation_run (&fixture->setup, &error);
  ROW_CHECK (result, "%s: %s", policy, row_error (error));
  fixture_free (fixture);
  return result;
}

/* "64 inline", "60 hashed, 4 inline". (transfer full) */
static char *outcomes_of (const RunResult *result)
{
  static const char *const names[OUTCOMES] = { [OUTCOME_INLINE] = "inline",
                                               [OUTCOME_PUNTED_HASHED] = "hashed",
                                               [OUTCOME_PUNTED_UNHASHED] = "unhashed",
                                               [OUTCOME_ASYNC] = "async",
                                               [OUTCOME_FAILED] = "failed" };
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < OUTCOMES; i++) {
    if (result->outcome[i]) {
      g_string_append_printf (text, "%s%d %s", text->len ? ", " : "", (int) result->outcome[i], names[i]);
    }
  }
  return g_string_free (text, FALSE);
}

/* `workers`: alive at most, -1: whatever. */
static void check (const char *policy, const char *what, RunResult *result, const char *outcomes, int workers)
{
  if (!result) {
    return;
  }
  g_autofree char *found = outcomes_of (result);
  ROW_CHECK (!strcmp (found, outcomes), "%s, %s: %s", policy, what, found);
  ROW_CHECK (workers < 0 || (int) result->workers.max_alive == workers, "%s, %s: %u workers", policy, what,
             result->workers.max_alive);
  run_result_free (result);
}

static void test_outcomes (void)
{
  static const struct {
    const char *policy, *rule;
    const char *writes; /* to one file of ext4, in memory */
    int writers;
    const char *xfs; /* the same on xfs, which has BUFFER_WASYNC from 6.0 on */
    const char *hits;
    int hit_workers;
    const char *misses;
    unsigned file_writers; /* workers at most of writes of half a page to four files, which wait for a read each */
  } rows[] = {
    { "linux-5.3", "one workqueue, as many kworkers as are needed", "64 unhashed", 3, "64 unhashed", "64 inline", 1,
      "64 unhashed", 8 },
    { "linux-5.4", "buffered writes on a second one, two at a time and a spare kworker", "64 unhashed", 3,
      "64 unhashed", "64 inline", 1, "64 unhashed", 3 },
    { "linux-5.10", "io-wq, hashed; buffered reads that miss need no worker", "64 hashed", 1, "64 hashed", "64 inline",
      1, "64 async", 5 },
    { "linux-5.15", "the same with workers that end when idle", "64 hashed", 1, "64 hashed", "64 inline", 0, "64 async",
      8 },
    { "linux-6.1", "xfs writes inline while its lock is free", "64 hashed", 1, "56 inline, 8 hashed", "64 inline", 0,
      "64 async", 8 },
    { "linux-6.3", "the same", "64 hashed", 1, "58 inline, 6 hashed", "64 inline", 0, "64 async", 8 },
    { "linux-6.18", "no worker that could only wait for the same inode", "64 hashed", 1, "58 inline, 6 hashed",
      "64 inline", 0, "64 async", 5 },
    { "write-workqueue-2", "two for buffered writes, the rest as 5.3", "64 unhashed", 3, "64 unhashed", "64 inline", 1,
      "64 unhashed", 3 },
    { "inline-buffered-write", "writes to their end in the submitter", "64 inline", 0, "64 inline", "64 inline", 0,
      "64 async", 0 },
    { "no-offload", "everything to its end in the submitter", "64 inline", 0, "64 inline", "64 inline", 0, "64 inline",
      0 },
    { "always-punt", "not even hits are tried", "64 hashed", 1, "64 hashed", "64 unhashed", 1, "64 unhashed", 8 },
    { "unhashed", "a worker for each", "64 unhashed", 1, "58 inline, 6 unhashed", "64 inline", 0, "64 async", 8 },
    { "hashed-2", "two workers for four files", "64 hashed", 1, "58 inline, 6 hashed", "64 inline", 0, "64 async", 2 },
    { "trylock-inline", "inline: nobody else holds the lock", "64 inline", 0, "64 inline", "64 inline", 0, "64 async",
      0 },
    { "busy-punt", "hits are queued, misses are not", "64 hashed", 1, "58 inline, 6 hashed", "64 unhashed", 1,
      "64 async", 8 },
    { "one-worker", "one worker for four files", "64 hashed", 1, "58 inline, 6 hashed", "64 inline", 0, "64 async", 1 },
  };
  g_auto (GStrv) shipped = data_path_list ("policies", ".policy");

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const char *policy = rows[i].policy;
    g_autofree char *rule = g_strdup_printf ("%s (%s)", policy, rows[i].rule);
    g_autofree char *files = NULL;

    check (rule, "writes", run_tiny (policy, "ext4", TRUE, 1, 4096, CACHE_DIRTY), rows[i].writes, rows[i].writers);
    check (rule, "writes on xfs", run_tiny (policy, "xfs", TRUE, 1, 4096, CACHE_DIRTY), rows[i].xfs, -1);
    check (rule, "reads that hit", run_tiny (policy, "ext4", FALSE, 1, 4096, CACHE_CLEAN), rows[i].hits,
           rows[i].hit_workers);
    check (rule, "reads that miss", run_tiny (policy, "ext4", FALSE, 1, 4096, CACHE_COLD), rows[i].misses, -1);
    RunResult *result = run_tiny (policy, "ext4", TRUE, FILES, 2048, CACHE_COLD);
    files = result ? outcomes_of (result) : NULL;
    ROW_CHECK (result && result->workers.max_alive == rows[i].file_writers, "%s, four files: %u workers, %s", rule,
               result ? result->workers.max_alive : 0, files);
    run_result_free (result);
  }
  for (char **name = shipped; *name; name++) {
    gboolean found = FALSE;

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
      found = found || !strcmp (*name, rows[i].policy);
    }
    ROW_CHECK (found, "%s is shipped and not in this table", *name);
  }
}

void register_shipped_policies_tests (void)
{
  CU_pSuite suite = fixture_suite ("shipped policies");

  fixture_test (suite, "what becomes of requests", test_outcomes);
}
