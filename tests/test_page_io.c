/* Between page cache and device: cold reads and who waits for them, readahead, partial writes, writing out, fsync. */
#include "model/page_io.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* 32 channels; a read takes 100 us, a write 20 us, a FLUSH 50 us. */
#define DEVICE "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000, Flush.Time=50000"

/* `reads`, `writes`, `flushes`: requests to the device. */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  const char *set, *script, *outcome, *log;
  unsigned reads, writes, flushes;
} PageRow;

static void check_rows (const PageRow *rows, unsigned n, CacheState cache)
{
  for (unsigned i = 0; i < n; i++) {
    const PageRow *row = &rows[i];
    Fixture *fixture = fixture_new (fixture_generation (row->kernel), row->fs, COSTS_FREE);
    g_autofree char *outcome = NULL;
    const BlockCounters *count;

    fixture_set (fixture, DEVICE);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture->setup.kernel = row->kernel;
    fixture->setup.cache = (int) cache;
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    outcome = fixture_outcomes (fixture);
    count = block_counters (fixture->sim->device);
    ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s: %s, expected %s", row->rule, outcome, row->outcome);
    ROW_CHECK (count->requests[BLOCK_READ] == row->reads && count->requests[BLOCK_WRITE] == row->writes &&
                   count->requests[BLOCK_FLUSH] == row->flushes,
               "%s: %u reads, %u writes, %u flushes", row->rule, (unsigned) count->requests[BLOCK_READ],
               (unsigned) count->requests[BLOCK_WRITE], (unsigned) count->requests[BLOCK_FLUSH]);
    fixture_check_log (fixture, row->rule, row->log);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows, cache) check_rows (rows, G_N_ELEMENTS (rows), cache)

static void test_cold_reads (void)
{
  static const PageRow rows[] = {
    { "read, page miss, before 5.9: punted unhashed", "ext4", KERNEL (5, 8), NULL,
      "S@1/0: ring:8 sqe:r0@9 submit:1 reap", "U", "S@101 reap a", 1, 0, 0 },
    { "read, page miss, from 5.9: readahead starts inline, a callback completes it, no worker", "ext4", KERNEL (5, 9),
      NULL, "S@1/0: ring:8 sqe:r0@9 submit say:on submit:1 reap", "a", "S@1 on, S@101 reap a", 1, 0, 0 },
    { "read, page miss", "xfs", KERNEL (6, 18), NULL, "S@1/0: ring:8,defer sqe:r0@9 submit:1 reap", "a", "S@101 reap a",
      1, 0, 0 },
    { "read, page miss", "btrfs", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:r0@9 submit:1 reap", "a", "S@101 reap a", 1,
      0, 0 },
    { "read, page miss, block device", "block", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:r0@9 submit:1 reap", "a",
      "S@101 reap a", 1, 0, 0 },
    { "tmpfs has no pages that are not there", "tmpfs", KERNEL (6, 1), NULL, "S@1/0: ring:8 sqe:r0@9 submit:1 reap",
      "i", "S@1 reap a", 0, 0, 0 },
    { "two readers of one page: one read", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:r0@9 sqe:r0@9 submit:2 reap", "aa", "S@101 reap ab", 1, 0, 0 },
    { "afterwards it is a hit", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:r0@9 submit:1 reap sqe:r0@9 submit:1 reap", "ai", "S@101 reap a, S@101 reap b", 1, 0, 0 },
    { "a read of several pages reads what is missing, in one piece", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:r0+4@9 submit:1 reap", "a", "S@101 reap a", 1, 0, 0 },
    { "around a page that is there: two pieces", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:r0@20 submit:1 reap sqe:r0+3@19 submit:1 reap", "aa", "S@101 reap a, S@201 reap b", 3, 0, 0 },
    { "IOSQE_ASYNC: a worker sleeps for the page", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:ar0@9 submit:1 reap", "U", "S@101 reap a", 1, 0, 0 },
    { "a lock that is taken again when the page is there: to a worker", "xfs", KERNEL (6, 18), NULL,
      "L@50/1: write run:100 unlock | S@1/0: ring:8 sqe:r0@9 submit:1 reap", "U", "L@50 write, S@150 reap a", 1, 0, 0 },
    { "a call sleeps", "ext4", KERNEL (6, 18), NULL, "S@1: call:r0@9", "i", "S@101 4096", 1, 0, 0 },
    { "another task's read is waited for", "ext4", KERNEL (6, 18), NULL, "S@1/0: call:r0@9 | T@51/1: call:r0@9", "ii",
      "S@101 4096, T@101 4096", 1, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_COLD);
}

/* Sequential: 128 KiB at once, and the next before it is needed. */
static void test_readahead (void)
{
  static const PageRow rows[] = {
    { "the first read at 0 is sequential: a window of 32 pages", "ext4", KERNEL (6, 18), NULL,
      "S@1: call:r0 call:r0@20", "ii", "S@101 4096, S@101 4096", 1, 0, 0 },
    { "past the first request of a window the next is started", "ext4", KERNEL (6, 18), NULL,
      "S@1: call:r0 call:r0@1 run:200 call:r0@2 call:r0@40", "iiii", "S@101 4096, S@101 4096, S@301 4096, S@301 4096",
      2, 0, 0 },
    { "a random read reads itself only", "ext4", KERNEL (6, 18), NULL, "S@1: call:r0@100 call:r0@102", "ii",
      "S@101 4096, S@201 4096", 2, 0, 0 },
    { "not beyond the end of the file", "ext4", KERNEL (6, 18), NULL, "S@1: call:r0@16382 call:r0@16383", "ii",
      "S@101 4096, S@201 4096", 2, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_COLD);
}

static void test_partial_writes (void)
{
  static const PageRow rows[] = {
    { "part of a page that is not there: read first, with the lock held", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: call:w0/512@9 | T@11/1: call:w0@30", "ii", "S@101 512, T@101 4096", 1, 0, 0 },
    { "a whole page is not read", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0@9", "i", "S@1 4096", 0, 0, 0 },
    { "nor one that is there", "ext4", KERNEL (6, 18), NULL, "S@1: call:r0@9 call:w0/512@9", "ii",
      "S@101 4096, S@101 512", 1, 0, 0 },
    { "NOWAIT: refused, hashed", "xfs", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:w0@50 submit:1 reap sqe:w0/512@9 submit:1 reap", "HH", "S@1 reap a, S@101 reap b", 1, 0, 0 },
    { "a page on its way in is locked: a write of all of it waits too", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: call:r0@9 | T@11/1: call:w0@9", "ii", "S@101 4096, T@101 4096", 1, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_COLD);
}

static void test_fsync (void)
{
  static const PageRow rows[] = {
    { "nothing to write: FLUSH only", "ext4", KERNEL (6, 18), NULL, "S@1: call:s0", "i", "S@51 0", 0, 0, 1 },
    { "not even that without a volatile cache", "ext4", KERNEL (6, 18), "Cache.Volatile=no", "S@1: call:s0", "i",
      "S@1 0", 0, 0, 0 },
    { "dirty pages in runs, all at once, then the journal's blocks, FLUSH, the commit record", "ext4", KERNEL (6, 18),
      NULL, "S@1: call:w0@3 call:w0@4 call:w0@9 call:s0", "iiii", "S@1 4096, S@1 4096, S@1 4096, S@111 0", 0, 4, 1 },
    { "a second one has nothing to commit", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0 call:s0", "iii",
      "S@1 4096, S@111 0, S@161 0", 0, 3, 2 },
    { "fdatasync commits only if the size changed", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:y0", "ii",
      "S@1 4096, S@71 0", 0, 1, 1 },
    { "as it did here", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0@16384 call:y0", "ii", "S@1 4096, S@111 0", 0, 3,
      1 },
    { "two at once both wait for the pages, and share the commit", "ext4", KERNEL (6, 18), "Cache.Volatile=no",
      "S@1/0: call:w0 call:s0 | T@11/1: call:s0", "iii", "S@1 4096, S@61 0, T@61 0", 0, 3, 0 },
    { "a block device has no metadata", "block", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0", "ii", "S@1 4096, S@71 0",
      0, 1, 1 },
    { "tmpfs: nothing at all", "tmpfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0", "ii", "S@1 4096, S@1 0", 0, 0,
      0 },
    { "punted: the worker sleeps and the submitter goes on", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:s0 submit say:on submit:1 reap", "U", "S@1 on, S@51 reap a", 0, 0, 1 },
    { "an fsync is not held by the plug of its batch", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,defer sqe:or0 sqe:or0@9 sqe:s0 submit:3 reap", "aaU", "S@101 reap cab", 2, 0, 1 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

/* A worker that sleeps in an fsync does not keep others from running: they are created, up to the limit. */
static void test_fsync_workers (void)
{
  static const struct {
    const char *rule;
    unsigned kernel;
    const char *script;
    unsigned workers;
  } rows[] = {
    { "6.3: each is CONCURRENT and gets a worker", KERNEL (6, 3), "S@1/0: ring:8 sqe:s0 sqe:s1 sqe:s2 submit:3 reap",
      3 },
    { "6.1: the sleeping one lets the next be created", KERNEL (6, 1),
      "S@1/0: ring:8 sqe:s0 sqe:s1 sqe:s2 submit:3 reap", 3 },
    { "a write beside it gets one too", KERNEL (6, 18), "S@1/0: ring:8 sqe:s0 submit run:10 sqe:w1 submit:2 reap", 2 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (fixture_generation (rows[i].kernel), "ext4", COSTS_FREE);

    fixture_set (fixture, DEVICE ", CPU.Count=2");
    fixture->setup.kernel = rows[i].kernel;
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (fixture->sim->count.workers_created == rows[i].workers, "%s: %u workers", rows[i].rule,
               fixture->sim->count.workers_created);
    fixture_free (fixture);
  }
}

/* What is written out: runs in ascending order, each page once. */
static void test_runs (void)
{
  static const struct {
    const char *rule;
    unsigned long pages[8]; /* dirtied, ended by G_MAXULONG */
    const char *runs;
  } rows[] = {
    { "none", { G_MAXULONG }, "" },
    { "neighbours in one run, in any order", { 5, 3, 4, G_MAXULONG }, "3+3" },
    { "twice dirty, once written", { 7, 7, G_MAXULONG }, "7+1" },
    { "over the edge of a chunk", { 64, 63, 128, G_MAXULONG }, "63+2 128+1" },
    { "far apart", { 1000000, 2, G_MAXULONG }, "2+1 1000000+1" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (unsigned again = 0; again < 2; again++) {
      PageCache cache;
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GArray) runs = NULL;

      page_cache_init (&cache, 0, CACHE_COLD, FALSE);
      for (unsigned round = 0; round <= again; round++) {
        for (unsigned k = 0; rows[i].pages[k] != G_MAXULONG; k++)
          page_cache_dirty (&cache, rows[i].pages[k] * PAGE_SIZE_BYTES, 1);
        g_clear_pointer (&runs, g_array_unref);
        runs = page_cache_write_out (&cache, 0, UINT64_MAX);
      }
      for (unsigned k = 0; k < runs->len; k++)
        g_string_append_printf (text, "%s%d+%d", k ? " " : "", (int) g_array_index (runs, PageRun, k).first,
                                (int) g_array_index (runs, PageRun, k).pages);
      ROW_CHECK (strcmp (text->str, rows[i].runs) == 0, "%s: %s", rows[i].rule, text->str);
      ROW_CHECK (cache.dirty == 0, "%s: %d dirty", rows[i].rule, (int) cache.dirty);
      if (rows[i].pages[0] != G_MAXULONG)
        ROW_CHECK (page_cache_count (&cache, rows[i].pages[0] * PAGE_SIZE_BYTES, 1).written == 1, "%s: holds data",
                   rows[i].rule);
      page_cache_clear (&cache);
    }
}

/* Filling, dropping, and what must be read. */
static void test_states (void)
{
  PageCache cache;
  PageCount count;

  page_cache_init (&cache, 16 * PAGE_SIZE_BYTES, CACHE_COLD, TRUE);
  count = page_cache_count (&cache, 0, 20 * PAGE_SIZE_BYTES);
  CU_ASSERT_EQUAL (count.missing, 20);
  CU_ASSERT_EQUAL (count.unread, 16); /* beyond the end is nothing */
  page_cache_fill (&cache, 0, 4 * PAGE_SIZE_BYTES);
  CU_ASSERT_EQUAL (page_cache_count (&cache, 0, 16 * PAGE_SIZE_BYTES).unread, 12);
  CU_ASSERT_EQUAL (cache.resident, 4);
  page_cache_dirty (&cache, 0, 2 * PAGE_SIZE_BYTES);
  page_cache_drop (&cache, PAGE_SIZE_BYTES, 2 * PAGE_SIZE_BYTES);
  CU_ASSERT_EQUAL (cache.resident, 2);
  CU_ASSERT_EQUAL (cache.dirty, 1);
  page_cache_set_written (&cache, 17 * PAGE_SIZE_BYTES, 1);
  CU_ASSERT_EQUAL (page_cache_count (&cache, 16 * PAGE_SIZE_BYTES, 4 * PAGE_SIZE_BYTES).unread, 1);
  page_cache_clear (&cache);
  page_cache_init (&cache, 16 * PAGE_SIZE_BYTES, CACHE_COLD, FALSE);
  CU_ASSERT_EQUAL (page_cache_count (&cache, 0, 16 * PAGE_SIZE_BYTES).unread, 0); /* allocated, never written */
  page_cache_clear (&cache);
}

void register_page_io_tests (void)
{
  CU_pSuite suite = fixture_suite ("page I/O");

  fixture_test (suite, "cold reads", test_cold_reads);
  fixture_test (suite, "readahead", test_readahead);
  fixture_test (suite, "partial writes", test_partial_writes);
  fixture_test (suite, "fsync", test_fsync);
  fixture_test (suite, "workers of fsync", test_fsync_workers);
  fixture_test (suite, "runs written out", test_runs);
  fixture_test (suite, "states of pages", test_states);
}
