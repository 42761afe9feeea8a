/* Dirty limits, throttling, the flusher, eviction. */
#include "model/writeback.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <glib/gstdio.h>
#include <string.h>

#define PAGES(n) ((uint64_t) (n) *PAGE_SIZE_BYTES)

/* ---- pages ---- */

static void append_runs (GString *text, const GArray *runs)
{
  for (unsigned i = 0; i < runs->len; i++)
    g_string_append_printf (text, "%s%d+%d", text->len ? " " : "", (int) g_array_index (runs, PageRun, i).first,
                            (int) g_array_index (runs, PageRun, i).pages);
}

/* Steps: d N dirties page N; w N takes N pages to write; e N ends the writeback of page N; s N starts it. */
static void test_write_some (void)
{
  static const struct {
    const char *rule, *steps, *runs;
    unsigned dirty, writeback;
  } rows[] = {
    { "the flusher goes up from the start", "d9 d3 d100 w3", "3+1 9+1 100+1", 0, 0 },
    { "adjacent pages are one run", "d3 d4 d5 w9", "3+3", 0, 0 },
    { "no more than it was asked for, the first ones", "d9 d3 d100 w2", "3+1 9+1", 1, 0 },
    { "the next call goes on where the last one ended", "d1 d2 d3 w1 w2", "1+1 2+2", 0, 0 },
    { "pages dirtied behind it wait for the next round", "d1 d200 w1 d2 w1 w1", "1+1 200+1 2+1", 0, 0 },
    { "pages under writeback are passed over and stay dirty", "d1 d2 s1 w9", "2+1", 1, 1 },
    { "when it has ended they are written", "d1 d2 s1 w9 e1 w9", "2+1 1+1", 0, 0 },
    { "a range that was written out meanwhile is not found", "d1 o1 w9", "", 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (GStrv) steps = g_strsplit (rows[i].steps, " ", -1);
    g_autoptr (GString) text = g_string_new (NULL);
    PageTotals totals = { 0 };
    PageCache cache;

    page_cache_init (&cache, 0, CACHE_COLD, FALSE);
    cache.totals = &totals;
    for (char **step = steps; *step; step++) {
      uint64_t n = g_ascii_strtoull (*step + 1, NULL, 10);
      g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (PageRun));

      if (**step == 'd')
        page_cache_dirty (&cache, PAGES (n), 1);
      else if (**step == 's')
        page_cache_start_writeback (&cache, (PageRun){ n, 1 });
      else if (**step == 'e')
        page_cache_end_writeback (&cache, (PageRun){ n, 1 });
      else if (**step == 'o')
        g_array_unref (page_cache_write_out (&cache, PAGES (n), 1));
      else
        page_cache_write_some (&cache, n, runs);
      append_runs (text, runs);
    }
    ROW_CHECK (strcmp (text->str, rows[i].runs) == 0, "%s: %s", rows[i].rule, text->str);
    ROW_CHECK (totals.dirty == rows[i].dirty && totals.writeback == rows[i].writeback && cache.dirty == totals.dirty,
               "%s: %d dirty, %d under writeback", rows[i].rule, (int) totals.dirty, (int) totals.writeback);
    page_cache_clear (&cache);
  }
}

static gboolean page_is_there (PageCache *cache, uint64_t page)
{
  return page_cache_count (cache, PAGES (page), 1).missing == 0;
}

static void test_eviction (void)
{
  PageTotals totals = { 0 };
  PageCache a, b;

  page_cache_init (&a, PAGES (1000), CACHE_CLEAN, TRUE);
  page_cache_init (&b, 0, CACHE_COLD, FALSE);
  a.totals = b.totals = &totals;
  ROW_CHECK (totals.resident == 0, "pages of the start count when they are touched: %d", (int) totals.resident);
  page_cache_touch (&a, PAGES (0), 1);
  page_cache_touch (&a, PAGES (64), 1);
  ROW_CHECK (totals.resident == 128, "with their chunk: %d", (int) totals.resident);
  page_cache_dirty (&b, PAGES (0), PAGES (2));
  ROW_CHECK (totals.resident == 130 && totals.dirty == 2, "of all files: %d", (int) totals.resident);
  ROW_CHECK (page_cache_evict (&totals, 10) == 64 && !page_is_there (&a, 0) && page_is_there (&a, 64),
             "what came first goes first, all of them used once");
  page_cache_touch (&a, PAGES (64), 1);
  ROW_CHECK (page_cache_evict (&totals, 10) == 64 && totals.resident == 2, "what is dirty stays: %d",
             (int) totals.resident);
  page_cache_start_writeback (&b, (PageRun){ 0, 1 });
  g_array_unref (page_cache_write_out (&b, 0, UINT64_MAX));
  ROW_CHECK (page_cache_evict (&totals, 10) == 1 && page_is_there (&b, 0) && !page_is_there (&b, 1),
             "what is under writeback stays");
  ROW_CHECK (page_cache_count (&b, PAGES (1), 1).unread == 1, "what was evicted is on the device");
  page_cache_dirty (&b, PAGES (0), 1);
  ROW_CHECK (page_cache_is_redirtied (&b, 0, UINT64_MAX) && page_cache_is_redirtied (&b, 0, 1) &&
                 !page_cache_is_redirtied (&b, PAGES (1), 1),
             "dirty again under writeback");
  page_cache_clear (&a);
  page_cache_clear (&b);
}

static void test_second_chance (void)
{
  PageTotals totals = { 0 };
  PageCache cache;

  page_cache_init (&cache, 0, CACHE_COLD, FALSE);
  cache.totals = &totals;
  for (unsigned chunk = 0; chunk < 4; chunk++)
    page_cache_fill (&cache, PAGES (64 * chunk), 1);
  page_cache_evict (&totals, 1); /* chunk 0; all others have lost their mark */
  page_cache_fill (&cache, PAGES (64), 1);
  page_cache_evict (&totals, 1);
  ROW_CHECK (page_is_there (&cache, 64) && !page_is_there (&cache, 128), "who was used since is passed over");
  page_cache_drop_behind (&cache, PAGES (64), 1);
  page_cache_start_writeback (&cache, (PageRun){ 64, 1 });
  page_cache_end_writeback (&cache, (PageRun){ 64, 1 });
  ROW_CHECK (!page_is_there (&cache, 64) && totals.resident == 1, "dropped behind its writeback");
  page_cache_clear (&cache);
}

/* ---- limits and the flusher ---- */

static void test_limits (void)
{
  static const struct {
    const char *rule, *set;
    unsigned background, freerun, limit;
  } rows[] = {
    { "10 and 20 % of what is dirtyable, freerun between", "Memory.Size=500MiB, Memory.Used=100MiB", 10240, 15360,
      20480 },
    { "other ratios", "Memory.Size=400MiB, Memory.Used=0, Memory.DirtyBackgroundRatio=5, Memory.DirtyRatio=50", 5120,
      28160, 51200 },
    { "a background limit that is no lower counts as half",
      "Memory.Size=400MiB, Memory.Used=0, Memory.DirtyBackgroundRatio=20, Memory.DirtyRatio=20", 10240, 15360, 20480 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    const BdiWriteback *wb;

    fixture_set (fixture, rows[i].set);
    fixture_build (fixture);
    wb = fixture->sim->wb;
    ROW_CHECK (wb->bg_thresh == rows[i].background && wb->freerun == rows[i].freerun && wb->thresh == rows[i].limit,
               "%s: %d, %d, %d", rows[i].rule, (int) wb->bg_thresh, (int) wb->freerun, (int) wb->thresh);
    fixture_free (fixture);
  }
}

/* Freerun 15360, limit 20480, set point 17920 pages; a bandwidth at which the device's line is flat. */
static void test_position_ratio (void)
{
  static const struct {
    const char *rule;
    double dirty, ratio;
  } rows[] = {
    { "at freerun twice", 15360, 2 },      { "half way to the set point an eighth more", 16640, 1.125 },
    { "at the set point once", 17920, 1 }, { "half way to the limit an eighth less", 19200, 0.875 },
    { "at the limit nothing", 20480, 0 },  { "over it nothing", 30000, 0 },
  };
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);

  fixture_set (fixture, "Memory.Size=500MiB, Memory.Used=100MiB");
  fixture_build (fixture);
  fixture->sim->wb->write_bandwidth = 1e9;
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    double ratio = wb_position_ratio (fixture->sim->wb, rows[i].dirty);

    ROW_CHECK (ratio > rows[i].ratio - 0.002 && ratio < rows[i].ratio + 0.002, "%s: %g", rows[i].rule, ratio);
  }
  fixture->sim->wb->write_bandwidth = 100;
  ROW_CHECK (wb_position_ratio (fixture->sim->wb, 19200) < 0.25, "beyond the line of a slow device a quarter");
  fixture_free (fixture);
}

/* 64 MiB of memory: background at 1638 pages, freerun up to 2457, limit 3276.  A device of one channel. */
#define SMALL "Memory.Size=64MiB, Memory.Used=0, Device.Synchronous=no, Device.Channels=1, Write.Time=1000"
/* 1000 pages a second: 4 MiB. */
#define SLOW SMALL ", Write.Bandwidth=4096000, Write.Burst=0, Device.MaxTransfer=4096"

/* 100 pages a second. */
#define SLOWER SMALL ", Write.Bandwidth=409600, Write.Burst=0, Device.MaxTransfer=4096"

typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  const char *set, *script, *outcome;
  unsigned flushed_min, flushed_max, pauses_min, pauses_max;
  unsigned longest_min, longest_max; /* ms */
  gboolean dirty;                    /* the files, at the start */
} FlushRow;

static void check_flush_row (const FlushRow *row)
{
  Fixture *fixture = fixture_new (fixture_generation (row->kernel), row->fs, COSTS_FREE);
  g_autofree char *outcome = NULL;
  const BdiWriteback *wb;
  unsigned longest;

  fixture_set (fixture, row->set);
  fixture->setup.kernel = row->kernel;
  if (row->dirty)
    fixture->setup.cache = CACHE_DIRTY;
  fixture_build (fixture);
  fixture_script (fixture, row->script);
  fixture_run (fixture, row->rule);
  wb = fixture->sim->wb;
  outcome = fixture_outcomes (fixture);
  longest = (unsigned) (wb->longest_pause / UR_MS);
  ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s: %s", row->rule, outcome);
  ROW_CHECK (wb->flushed >= row->flushed_min && wb->flushed <= row->flushed_max, "%s: %d flushed", row->rule,
             (int) wb->flushed);
  ROW_CHECK (wb->pauses >= row->pauses_min && wb->pauses <= row->pauses_max, "%s: %d pauses", row->rule,
             (int) wb->pauses);
  ROW_CHECK (longest >= row->longest_min && longest <= row->longest_max, "%s: longest pause %u ms", row->rule, longest);
  ROW_CHECK ((wb->flusher != NULL) == (row->flushed_max > 0), "%s: a flusher only if it has work", row->rule);
  fixture_free (fixture);
}

static const FlushRow flush_rows[] = {
  { "below the background limit nothing happens", "ext4", KERNEL (6, 18), SMALL, "S@1: call:w0+1600", "i", 0, 0, 0, 0,
    0, 0, FALSE },
  { "over it the flusher writes until below", "ext4", KERNEL (6, 18), SMALL, "S@1: call:w0+2000 sleep:100000", "i", 362,
    2000, 0, 0, 0, 0, FALSE },
  { "dirty pages again count once", "ext4", KERNEL (6, 18), SMALL, "S@1: call:w0+1000 call:w0+1000", "ii", 0, 0, 0, 0,
    0, 0, FALSE },
  { "after 30 s they are written whatever their number", "ext4", KERNEL (6, 18), SMALL,
    "S@1: call:w0+10 sleep:35000000", "i", 10, 10, 0, 0, 0, 0, FALSE },
  { "not before", "ext4", KERNEL (6, 18), SMALL, "S@1: call:w0+10 sleep:29000000", "i", 0, 0, 0, 0, 0, 0, FALSE },
  { "another age", "ext4", KERNEL (6, 18), SMALL ", Memory.DirtyExpire=3000000000, Memory.DirtyWriteback=1000000000",
    "S@1: call:w0+10 sleep:4000000", "i", 10, 10, 0, 0, 0, 0, FALSE },
  { "never, if nobody looks", "ext4", KERNEL (6, 18), SMALL ", Memory.DirtyWriteback=0",
    "S@1: call:w0+10 sleep:99000000", "i", 0, 0, 0, 0, 0, 0, FALSE },
  { "tmpfs is not written", "tmpfs", KERNEL (6, 18), SMALL, "S@1: call:w0+4000 sleep:99000000", "i", 0, 0, 0, 0, 0, 0,
    FALSE },
  { "over freerun a write pauses after pages, some jiffies", "ext4", KERNEL (6, 18), SLOW, "S@1: call:w0+5000", "i",
    1500, 5000, 10, 10000, 8, 204, FALSE },
  { "or before them", "xfs", KERNEL (6, 18), SLOW, "S@1: call:w0+5000", "i", 1500, 5000, 10, 10000, 8, 204, FALSE },
  { "over the limit: 200 ms and the rest of a jiffy, again and again", "ext4", KERNEL (6, 18), SLOWER,
    "S@1: call:r0+4000 call:w0+20@16384", "ii", 800, 4000, 10, 1000, 200, 204, TRUE },
  { "NOWAIT: an attempt is refused, and a worker pauses", "xfs", KERNEL (6, 18), SLOW,
    "S@1/0: call:r0+4000 call:w0@16384 ring:8 sqe:w0+40@16385 submit say:on submit:1 reap", "iiH", 100, 4000, 1, 100, 4,
    204, TRUE },
};

static void test_flusher (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (flush_rows); i++)
    check_flush_row (&flush_rows[i]);
}

/* Who is throttled holds the inode lock, and others sleep. */
static void test_pause_under_lock (void)
{
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
  const Rwsem *sem;
  UrTime throttled;

  fixture_set (fixture, SLOW);
  fixture_build (fixture);
  fixture_script (fixture, "S@1/0: call:w0+5000 | T@1000000/1: write unlock | U@1000000/2: call:w1");
  fixture_run (fixture, "pause under the lock");
  sem = &fixture_inode (fixture, 0)->rwsem;
  throttled = fixture->sim->wb->throttled;
  ROW_CHECK (throttled > UR_S && sem->count.hold_ns >= throttled, "the owner slept for %d ms of %d ms",
             (int) (throttled / UR_MS), (int) (sem->count.hold_ns / UR_MS));
  ROW_CHECK (sem->count.sleeps >= 1 && sem->count.wait_max > 200 * UR_MS, "the other slept: %d, %d ms",
             (int) sem->count.sleeps, (int) (sem->count.wait_max / UR_MS));
  ROW_CHECK (fixture_inode (fixture, 1)->rwsem.count.wait_max == 0, "another file's lock is free");
  fixture_free (fixture);
}

/* ---- whole runs ---- */

#define RUN_SET \
  "--set noise=0 --set Memory.Size=192MiB --set Memory.Used=64MiB --set Write.Bandwidth=20MiB --set Write.Burst=0 "
#define RUN_JOB \
  "[j]\nrw=randwrite\nbs=4k\nsize=1g\niodepth=32\nioengine=io_uring\nnorandommap\ntime_based\nruntime=12\n"

static RunResult *run_words (const char *words, const char *job)
{
  g_autofree char *directory = g_dir_make_tmp ("uringsim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "job.fio", NULL);
  g_autofree char *line = g_strconcat ("-q ", words, " ", path, NULL);
  g_auto (GStrv) list = NULL;
  g_autoptr (GError) error = NULL;
  RunResult *result = NULL;
  WordsRun run = { .options = NULL };

  if (ROW_CHECK (g_file_set_contents (path, job, -1, NULL) && g_shell_parse_argv (line, NULL, &list, NULL) &&
                     words_run_open (&run, (const char *const *) list, &error),
                 "%s: %s", words, row_error (error)))
    result = simulation_run (&run.setup, &error);
  ROW_CHECK (result, "%s: %s", words, row_error (error));
  words_run_clear (&run);
  g_unlink (path);
  g_rmdir (directory);
  return result;
}

/* Filling the cache, then a steady state in which the device decides. */
static void check_phases (const char *rule, const RunResult *result, double device)
{
  const GArray *phases = result->periods;
  const ResultPeriod *first, *last;

  if (!ROW_CHECK (phases->len >= 2, "%s: %d phases", rule, (int) phases->len))
    return;
  first = &g_array_index (phases, ResultPeriod, 0);
  last = &g_array_index (phases, ResultPeriod, phases->len - 1);
  ROW_CHECK (strcmp (first->name, "fill") == 0 && strcmp (last->name, "steady") == 0, "%s: from %s to %s", rule,
             first->name, last->name);
  ROW_CHECK (first->throttled == 0 && first->bw_bytes > 10 * device, "%s: fills at %.0f MiB/s, paused %g", rule,
             first->bw_bytes / 1048576, first->throttled);
  ROW_CHECK (last->throttled > 0.5 && ABS (last->bw_bytes - device) < 0.05 * device,
             "%s: steady at %.2f MiB/s, paused %g", rule, last->bw_bytes / 1048576, last->throttled);
  ROW_CHECK (ABS ((double) PAGES (last->written_pages) - last->bw_bytes * (double) (last->to - last->from) / UR_S) <
                 0.05 * (double) PAGES (last->written_pages),
             "%s: as much is written as made dirty", rule);
  ROW_CHECK (last->to == result->sim_ns, "%s: up to the end", rule);
}

/* Over the limit every policy is as fast as the device; whoever is throttled is what differs. */
static void test_convergence (void)
{
  static const struct {
    const char *rule, *words;
    double stall_min, stall_max;   /* longest slat, ms */
    double submit_min, submit_max; /* mean time until the attempt, ms */
  } rows[] = {
    { "punted: submission goes on", "--policy linux-6.18 --fs ext4", 0, 1, 0, 0.1 },
    { "punted with an sq_thread", "--policy linux-6.18 --fs ext4 --sqpoll", 0, 1, 0, 0.1 },
    { "unhashed: several dirtiers", "--policy unhashed --fs ext4", 0, 12, 0, 0.1 },
    { "workqueue of two", "--policy linux-5.4 --fs ext4", 0, 1, 0, 0.1 },
    { "xfs: the attempt gets EAGAIN", "--policy linux-6.18 --fs xfs", 0, 1, 0, 0.1 },
    { "inline: the submitter stalls", "--policy inline-buffered-write --fs ext4", 20, 205, 0, 0.1 },
    { "inline: the sq_thread stalls", "--policy inline-buffered-write --fs ext4 --sqpoll", 20, 205, 1, 100 },
  };
  const double device = 20.0 * 1024 * 1024;

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *words = g_strconcat (RUN_SET, rows[i].words, NULL);
    RunResult *result = run_words (words, RUN_JOB);
    double rate, stall, submit;

    if (!result)
      continue;
    /* what has filled the cache is not the device's doing */
    rate = ((double) result->bytes - (double) PAGES (result->cache.dirty + result->cache.writeback)) /
           ((double) result->sim_ns / UR_S);
    submit = result->phase[PHASE_SUBMIT].mean / UR_MS;
    stall = (double) result->op[IO_WRITE].slat.max / UR_MS;
    ROW_CHECK (rate > device * 0.95 && rate < device * 1.05, "%s: %.2f MiB/s", rows[i].rule, rate / 1048576);
    ROW_CHECK (stall >= rows[i].stall_min && stall <= rows[i].stall_max, "%s: longest slat %.1f ms", rows[i].rule,
               stall);
    ROW_CHECK (submit >= rows[i].submit_min && submit <= rows[i].submit_max, "%s: %.3f ms until the attempt",
               rows[i].rule, submit);
    ROW_CHECK (result->cache.pauses > 10 && result->cache.longest_pause <= 205 * UR_MS && result->cpu.flusher > 0,
               "%s: %d pauses", rows[i].rule, (int) result->cache.pauses);
    check_phases (rows[i].rule, result, device);
    run_result_free (result);
  }
}

void register_writeback_tests (void)
{
  CU_pSuite suite = fixture_suite ("writeback");

  fixture_test (suite, "what the flusher takes", test_write_some);
  fixture_test (suite, "eviction", test_eviction);
  fixture_test (suite, "second chance", test_second_chance);
  fixture_test (suite, "limits", test_limits);
  fixture_test (suite, "position ratio", test_position_ratio);
  fixture_test (suite, "flusher and pauses", test_flusher);
  fixture_test (suite, "a pause under the inode lock", test_pause_under_lock);
  fixture_test (suite, "convergence to the device", test_convergence);
}
