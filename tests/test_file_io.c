/* File systems at work: what is done inline and what is punted, by file system and kernel; what it costs;
 * the page cache. */
#include "model/file_io.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* ---- decisions ---- */

/* policy NULL: the kernel's generation.  `outcome` has a letter for each request of the script. */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  const char *policy, *script, *outcome;
} Row;

#define ONE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap"
#define TWICE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap run:10 sqe:" request " submit:1 reap"
/* While another task holds the lock of file 0. */
#define HELD(lock, request) "L/1: " lock " run:100 unlock | S@1/0: ring:8 sqe:" request " submit:1 reap"

static Fixture *run_row (const Row *row, const char *set)
{
  Fixture *fixture = fixture_new (row->policy ? row->policy : fixture_generation (row->kernel), row->fs, COSTS_FREE);
  g_autofree char *outcome = NULL;
  g_autofree char *name =
      g_strdup_printf ("%s, %s %u.%u", row->rule, row->fs, KERNEL_MAJOR (row->kernel), KERNEL_MINOR (row->kernel));

  fixture->setup.kernel = row->kernel;
  if (set)
    fixture_set (fixture, set);
  fixture_build (fixture);
  fixture_script (fixture, row->script);
  fixture_run (fixture, name);
  outcome = fixture_outcomes (fixture);
  ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s: %s, expected %s", name, outcome, row->outcome);
  return fixture;
}

static void check_rows (const Row *rows, unsigned n, const char *set)
{
  for (unsigned i = 0; i < n; i++)
    fixture_free (run_row (&rows[i], set));
}
#define CHECK_ROWS(rows, set) check_rows (rows, G_N_ELEMENTS (rows), set)

/* The buffered rows: what an attempt does, by operation, file system and kernel. */
static void test_writes (void)
{
  static const Row rows[] = {
    { "buffered write", "ext4", KERNEL (5, 3), NULL, TWICE ("w0"), "UU" },
    { "buffered write", "ext4", KERNEL (5, 4), NULL, TWICE ("w0"), "UU" },
    { "buffered write", "ext4", KERNEL (5, 5), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "ext4", KERNEL (6, 1), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "ext4", KERNEL (6, 3), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "ext4", KERNEL (6, 18), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "xfs", KERNEL (5, 3), NULL, TWICE ("w0"), "UU" },
    { "buffered write", "xfs", KERNEL (5, 19), NULL, TWICE ("w0"), "HH" },
    { "buffered write, the first of a tick is punted", "xfs", KERNEL (6, 0), NULL, TWICE ("w0"), "Hi" },
    { "buffered write, the first of a tick is punted", "xfs", KERNEL (6, 18), NULL, TWICE ("w0"), "Hi" },
    { "buffered write", "btrfs", KERNEL (6, 0), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "btrfs", KERNEL (6, 1), NULL, TWICE ("w0"), "Hi" },
    { "buffered write", "f2fs", KERNEL (6, 4), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "f2fs", KERNEL (6, 5), NULL, TWICE ("w0"), "ii" },
    { "buffered write", "tmpfs", KERNEL (5, 10), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "tmpfs", KERNEL (6, 1), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "tmpfs", KERNEL (6, 18), NULL, TWICE ("w0"), "HH" },
    { "buffered write", "block", KERNEL (5, 10), NULL, TWICE ("w0"), "UU" },
    { "buffered write", "block", KERNEL (6, 1), NULL, TWICE ("w0"), "UU" },
    { "buffered write", "block", KERNEL (6, 18), NULL, TWICE ("w0"), "UU" },
    { "append at the end", "xfs", KERNEL (6, 1), NULL, "S@1: ring:8 sqe:w0 submit:1 reap sqe:w0@16384 submit:1 reap",
      "Hi" },
    { "beyond the end, leaving a gap", "xfs", KERNEL (6, 1), NULL,
      "S@1: ring:8 sqe:w0 submit:1 reap sqe:w0@16385 submit:1 reap", "HH" },
    { "a writer holds the lock", "xfs", KERNEL (6, 1), NULL, HELD ("write", "w0"), "H" },
    { "a reader holds the lock", "xfs", KERNEL (6, 1), NULL, HELD ("read", "w0"), "H" },
    { "IOSQE_ASYNC", "xfs", KERNEL (6, 1), NULL, TWICE ("aw0"), "HH" },
    { "IOSQE_ASYNC", "ext4", KERNEL (6, 1), NULL, ONE ("aw0"), "H" },
    { "IOSQE_ASYNC", "ext4", KERNEL (6, 18), NULL, ONE ("aw0"), "U" },
  };

  CHECK_ROWS (rows, NULL);
}

static void test_reads (void)
{
  static const Row rows[] = {
    { "read, page hit", "ext4", KERNEL (5, 3), NULL, ONE ("r0"), "i" },
    { "read, page hit", "ext4", KERNEL (5, 10), NULL, ONE ("r0"), "i" },
    { "read, page hit", "ext4", KERNEL (6, 18), NULL, ONE ("r0"), "i" },
    { "read, page hit", "btrfs", KERNEL (6, 18), NULL, ONE ("r0"), "i" },
    { "read, page hit", "block", KERNEL (6, 1), NULL, ONE ("r0"), "i" },
    { "read, page hit", "xfs", KERNEL (5, 3), NULL, ONE ("r0"), "i" },
    { "read, page hit", "xfs", KERNEL (6, 18), NULL, ONE ("r0"), "i" },
    { "read, page hit, NOWAIT ignored", "tmpfs", KERNEL (6, 1), NULL, ONE ("r0"), "i" },
    { "read, page hit, NOWAIT ignored", "tmpfs", KERNEL (6, 4), NULL, ONE ("r0"), "i" },
    { "even hits are punted", "tmpfs", KERNEL (6, 5), NULL, ONE ("r0"), "U" },
    { "even hits are punted", "tmpfs", KERNEL (6, 18), NULL, ONE ("r0"), "U" },
    { "read, a writer holds the lock that it does not take", "ext4", KERNEL (6, 1), NULL, HELD ("write", "r0"), "i" },
    { "read, a reader holds the lock", "xfs", KERNEL (6, 1), NULL, HELD ("read", "r0"), "i" },
    { "read, a writer holds the lock, no asynchronous reads yet", "xfs", KERNEL (5, 8), NULL, HELD ("write", "r0"),
      "U" },
    { "read, a writer holds the lock: retried at once, blocking", "xfs", KERNEL (5, 9), NULL, HELD ("write", "r0"),
      "i" },
    { "read, a writer holds the lock: retried at once, blocking", "xfs", KERNEL (6, 18), NULL, HELD ("write", "r0"),
      "i" },
    { "IOSQE_ASYNC read", "ext4", KERNEL (6, 1), NULL, ONE ("ar0"), "U" },
    { "IOSQE_ASYNC read", "ext4", KERNEL (6, 18), NULL, ONE ("ar0"), "U" },
  };
  Fixture *fixture;
  const Request *request;

  CHECK_ROWS (rows, NULL);
  fixture = run_row (&rows[G_N_ELEMENTS (rows) - 3], NULL);
  request = g_ptr_array_index (fixture->requests, 0);
  ROW_CHECK (request->time.lock_wanted == 1 * UR_US && request->time.lock_got == 100 * UR_US &&
                 request->time.done == 100 * UR_US,
             "the submitter waited for the lock: %d", (int) request->time.done);
  fixture_free (fixture);
}

/* fsync: always a worker's; until 6.2 after an attempt in vain. */
static void test_syncs (void)
{
  static const struct {
    Row row;
    UrTime attempt;
  } rows[] = {
    { { "fsync", "ext4", KERNEL (5, 3), NULL, ONE ("s0"), "U" }, 100 },
    { { "fsync", "ext4", KERNEL (5, 4), NULL, ONE ("s0"), "U" }, 100 },
    { { "fsync", "ext4", KERNEL (6, 1), NULL, ONE ("s0"), "U" }, 100 },
    { { "fsync", "xfs", KERNEL (6, 2), NULL, ONE ("s0"), "U" }, 100 },
    { { "fsync", "ext4", KERNEL (6, 3), NULL, ONE ("s0"), "U" }, 0 },
    { { "fsync", "xfs", KERNEL (6, 18), NULL, ONE ("s0"), "U" }, 0 },
    { { "fsync", "tmpfs", KERNEL (6, 18), NULL, ONE ("s0"), "U" }, 0 },
    { { "fsync, while a writer holds the lock", "ext4", KERNEL (6, 18), NULL, HELD ("write", "s0"), "U" }, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = run_row (&rows[i].row, "Ring.AttemptRefused=100");
    const RequestTimes *time = &((Request *) g_ptr_array_index (fixture->requests, 0))->time;

    ROW_CHECK (time->verdict - time->attempt == rows[i].attempt, "%s %u: attempt took %d ns", rows[i].row.rule,
               rows[i].row.kernel, (int) (time->verdict - time->attempt));
    ROW_CHECK (time->done < 100 * UR_US, "%s %u: it waits for no lock", rows[i].row.rule, rows[i].row.kernel);
    fixture_free (fixture);
  }
}

static void test_policies (void)
{
  static const Row rows[] = {
    { "blocking, inline", "ext4", KERNEL (6, 3), "inline-buffered-write", TWICE ("w0"), "ii" },
    { "blocking, inline, whatever the time stamp", "xfs", KERNEL (6, 3), "inline-buffered-write", TWICE ("w0"), "ii" },
    { "blocking, inline, waits for the lock", "ext4", KERNEL (6, 3), "inline-buffered-write", HELD ("write", "w0"),
      "i" },
    { "forced requests are not touched", "ext4", KERNEL (6, 3), "inline-buffered-write", ONE ("aw0"), "H" },
    { "fsync is not touched", "ext4", KERNEL (6, 3), "inline-buffered-write", ONE ("s0"), "U" },
    { "fsync inline", "ext4", KERNEL (6, 3), "no-offload", ONE ("s0"), "i" },
    { "even hits are punted", "ext4", KERNEL (6, 3), "always-punt", ONE ("r0"), "U" },
    { "writes hashed", "ext4", KERNEL (6, 3), "always-punt", ONE ("w0"), "H" },
    { "writes unhashed", "ext4", KERNEL (6, 3), "unhashed", ONE ("w0"), "U" },
    { "the lock is free", "ext4", KERNEL (6, 3), "trylock-inline", ONE ("w0"), "i" },
    { "the lock is taken", "ext4", KERNEL (6, 3), "trylock-inline", HELD ("write", "w0"), "H" },
    { "the lock is taken by a reader", "ext4", KERNEL (6, 3), "trylock-inline", HELD ("read", "w0"), "H" },
    { "workqueues hash nothing", "ext4", KERNEL (5, 3), "write-workqueue-2", TWICE ("w0"), "UU" },
  };

  CHECK_ROWS (rows, NULL);
}

/* Time stamps go by ticks of 4 ms: the batch that meets a new one is punted.  Then a worker holds the lock, and
 * try-locks fail until its queue is empty. */
static void test_ticks (void)
{
  static const Row rows[] = {
    { "the first batch of a tick is punted, later ones are inline", "xfs", KERNEL (6, 3), NULL,
      "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 submit:3 reap run:100 sqe:w0 sqe:w0 submit:2 reap run:4000 sqe:w0 sqe:w0 "
      "submit:2 reap run:100 sqe:w0 submit:1 reap",
      "HHHiiHHi" },
    { "each file has its own stamp", "xfs", KERNEL (6, 3), NULL,
      "S@1: ring:8 sqe:w0 submit:1 reap sqe:w0 submit:1 reap sqe:w1 submit:1 reap sqe:w1 submit:1 reap", "HiHi" },
    { "cascade: what comes before the worker is done is punted too", "xfs", KERNEL (6, 3), NULL,
      "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit run:9 sqe:w0 submit run:9 sqe:w0 submit:4 reap", "HHHH" },
    { "the worker has caught up: inline", "xfs", KERNEL (6, 3), NULL,
      "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit run:9 sqe:w0 submit run:30 sqe:w0 submit:4 reap", "HHHi" },
    { "other files are not held up", "xfs", KERNEL (6, 3), NULL,
      "S@1: ring:8 sqe:w1 submit:1 reap sqe:w0 submit run:2 sqe:w0 submit sqe:w1 submit:3 reap", "HHHi" },
    { "where stamps do not block the lock decides alone", "f2fs", KERNEL (6, 5), NULL,
      "S@1: ring:8 sqe:w0 sqe:w0 submit:2 reap run:4000 sqe:w0 submit:1 reap", "iii" },
  };

  CHECK_ROWS (rows, "FileSystem xfs.WritePage=10000, FileSystem f2fs.WritePage=10000");
}

/* ---- costs ---- */

typedef enum { STAMP = 1, CLEAN = 2, MISSING = 4 } Extra;

/* What a blocking write takes, from the machine's figures for the file system. */
static UrTime write_cost (const Fixture *fixture, const char *fs, unsigned pages, unsigned extra)
{
  const MachineValue *cost = machine_file_system (fixture->machine, fs)->cost;
  UrTime each = cost[FS_COST_WRITE_PAGE].ns + cost[FS_COST_COPY_PAGE].ns;

  if (extra & CLEAN)
    each += cost[FS_COST_DIRTY_FIRST].ns;
  if (extra & MISSING)
    each += cost[FS_COST_PAGE_ADD].ns;
  return cost[FS_COST_WRITE_BEFORE].ns + cost[FS_COST_WRITE_LOCKED].ns + pages * each + cost[FS_COST_WRITE_AFTER].ns +
         (extra & STAMP ? cost[FS_COST_TIME_STAMP].ns : 0) + 2 * fixture->machine->cost[COST_LOCK_FAST].ns;
}

static void test_write_costs (void)
{
  static const char *const fs[] = { "ext4", "xfs", "tmpfs", "btrfs", "f2fs" };
  static const struct {
    const char *rule;
    unsigned pages, extra;
  } writes[] = {
    { "a page, clean, the first of the tick", 1, STAMP | CLEAN },
    { "the same again, dirty", 1, 0 },
    { "four pages, clean", 4, CLEAN },
    { "two of them again", 2, 0 },
    { "three pages beyond the end", 3, CLEAN | MISSING },
    { "the same again", 3, 0 },
    { "a page in the next tick", 1, STAMP },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (fs); i++) {
    Fixture *fixture = fixture_new ("inline-buffered-write", fs[i], COSTS_SHIPPED);
    g_autofree char *set = g_strdup_printf ("FileSystem %s.SleepEvery=0", fs[i]);

    fixture_set (fixture, set);
    fixture_build (fixture);
    fixture_script (fixture, "S/0: ring:8 sqe:w0 sqe:w0 sqe:w0@4+4 sqe:w0@5+2 sqe:w0@16384+3 sqe:w0@16384+3 "
                             "submit:6 reap run:4000 sqe:w0 submit:1 reap");
    fixture_run (fixture, fs[i]);
    for (unsigned k = 0; k < G_N_ELEMENTS (writes); k++) {
      const RequestTimes *time = &((Request *) g_ptr_array_index (fixture->requests, k))->time;
      unsigned extra = writes[k].extra;
      UrTime expected;

      if (fixture->file_system->in_memory && !(extra & MISSING))
        extra &= ~(unsigned) CLEAN; /* its pages are never clean */
      expected = write_cost (fixture, fs[i], writes[k].pages, extra);

      ROW_CHECK (time->done - time->attempt == expected, "%s: %s: %d ns, expected %d", fs[i], writes[k].rule,
                 (int) (time->done - time->attempt), (int) expected);
    }
    ROW_CHECK (fixture_inode (fixture, 0)->size == FIXTURE_FILE_SIZE + 3 * PAGE_SIZE_BYTES, "%s: i_size grows", fs[i]);
    fixture_free (fixture);
  }
}

static void test_other_costs (void)
{
  static const char *const fs[] = { "ext4", "xfs", "tmpfs" };

  for (unsigned i = 0; i < G_N_ELEMENTS (fs); i++) {
    Fixture *fixture = fixture_new ("no-offload", fs[i], COSTS_SHIPPED);
    const MachineValue *cost;
    const Request *read, *sync, *past;
    UrTime locks;

    fixture_build (fixture);
    cost = machine_file_system (fixture->machine, fs[i])->cost;
    locks = fixture->file_system->read_lock == LOCK_NONE ? 0 : 2 * fixture->machine->cost[COST_LOCK_FAST].ns;
    fixture_script (fixture, "S/0: ring:8 sqe:r0+3 sqe:s0 sqe:r0@16383+4 submit:3 reap");
    fixture_run (fixture, fs[i]);
    read = g_ptr_array_index (fixture->requests, 0);
    sync = g_ptr_array_index (fixture->requests, 1);
    past = g_ptr_array_index (fixture->requests, 2);
    ROW_CHECK (read->time.done - read->time.attempt ==
                   cost[FS_COST_READ_BEFORE].ns + locks + 3 * (cost[FS_COST_READ_PAGE].ns + cost[FS_COST_COPY_PAGE].ns),
               "%s: read %d ns", fs[i], (int) (read->time.done - read->time.attempt));
    ROW_CHECK (sync->time.done - sync->time.attempt == cost[FS_COST_FSYNC].ns, "%s: fsync %d ns", fs[i],
               (int) (sync->time.done - sync->time.attempt));
    ROW_CHECK (read->result == 3 * 4096 && sync->result == 0 && past->result == 4096, "%s: results %d %d %d", fs[i],
               (int) read->result, (int) sync->result, (int) past->result);
    fixture_free (fixture);
  }
}

/* CopyPage is for 4 KiB; what is copied of a page costs its share. */
static void test_part_of_a_page (void)
{
  static const struct {
    const char *rule, *script, *log;
  } rows[] = {
    { "a read of 512 bytes", "A: call:r0/512 say:x", "A@0.512 512, A@0.512 x" },
    { "a write of 512 bytes", "A: call:w0/512 say:x", "A@0.512 512, A@0.512 x" },
    { "a read of a page and a part of the next", "A: call:r0/5000 say:x", "A@5 5000, A@5 x" },
    { "a write of three pages", "A: call:w0+3 say:x", "A@12.288 12288, A@12.288 x" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);

    fixture_set (fixture, "FileSystem ext4.CopyPage=4096");
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    fixture_check_log (fixture, rows[i].rule, rows[i].log);
    fixture_free (fixture);
  }
}

/* Writes that share the lock: not those that extend the file. */
static void test_shared_writes (void)
{
  static const struct {
    const char *rule, *script, *log;
  } rows[] = {
    { "inside the file, beside a reader", "A/0: read run:100 unlock | B@1/1: call:w0", "A@0 read, B@1 4096" },
    { "beyond the end, alone", "A/0: read run:100 unlock | B@1/1: call:w0@16384", "A@0 read, B@100 4096" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "xfs-shared-writes", COSTS_FREE);

    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    fixture_check_log (fixture, rows[i].rule, rows[i].log);
    fixture_free (fixture);
  }
}

/* A blocking write of ext4 sleeps once in SleepEvery, with the lock held. */
static void test_sleeping_writes (void)
{
  Fixture *fixture = fixture_new ("inline-buffered-write", "ext4", COSTS_FREE);
  GString *script = g_string_new ("S: ring:64");
  const Rwsem *sem;

  fixture_set (fixture, "FileSystem ext4.SleepEvery=4, FileSystem ext4.Sleep=1000000");
  fixture_build (fixture);
  for (unsigned i = 0; i < 40; i++)
    g_string_append (script, " sqe:w0");
  g_string_append (script, " submit:40 reap");
  fixture_script (fixture, script->str);
  fixture_run (fixture, "sleeping writes");
  g_string_free (script, TRUE);
  sem = &fixture_inode (fixture, 0)->rwsem;
  ROW_CHECK (sem->count.hold_ns % UR_MS == 0 && sem->count.hold_ns >= 4 * UR_MS && sem->count.hold_ns <= 17 * UR_MS,
             "held %d us in 40 writes, expected about 10 sleeps of 1 ms", (int) (sem->count.hold_ns / 1000));
  fixture_free (fixture);
}

/* One that must not wait does not. */
static void test_nowait_writes (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "f2fs", COSTS_FREE);
  const Rwsem *sem;

  fixture_set (fixture, "kernel=6.5, FileSystem f2fs.SleepEvery=1, FileSystem f2fs.Sleep=1000000");
  fixture_build (fixture);
  fixture_script (fixture, "S: ring:8 sqe:w0 sqe:w0 sqe:w0 submit:3 reap");
  fixture_run (fixture, "writes under NOWAIT");
  sem = &fixture_inode (fixture, 0)->rwsem;
  ROW_CHECK (sem->count.acquired == 3 && sem->count.hold_ns == 0, "held %d ns", (int) sem->count.hold_ns);
  fixture_free (fixture);
}

/* A file that could write asynchronously but has no NOWAIT: tried up to 6.4, refused from 6.5 on. */
static void test_wasync_without_nowait (void)
{
  static const struct {
    const char *kernel;
    Outcome outcome;
  } rows[] = {
    { "kernel=6.4", OUTCOME_INLINE },
    { "kernel=6.5", OUTCOME_PUNTED_HASHED },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "tmpfs", COSTS_FREE);

    fixture_set (fixture, rows[i].kernel);
    fixture->file_system->buffer_wasync = (KernelRange){ 0, UINT_MAX };
    fixture_build (fixture);
    fixture_script (fixture, "S: ring:8 sqe:w0 submit:1 reap");
    fixture_run (fixture, rows[i].kernel);
    ROW_CHECK (fixture->sim->count.outcome[rows[i].outcome] == 1, "%s", rows[i].kernel);
    fixture_free (fixture);
  }
}

/* Where the page cache is all there is nothing is ever clean. */
static void test_fsync_in_memory (void)
{
  Fixture *fixture = fixture_new ("no-offload", "tmpfs", COSTS_FREE);

  fixture_build (fixture);
  fixture_script (fixture, "S: ring:8 sqe:w0+3 sqe:s0 submit:2 reap");
  fixture_run (fixture, "fsync, tmpfs");
  ROW_CHECK (fixture_inode (fixture, 0)->pages.dirty == fixture_inode (fixture, 0)->pages.resident, "%d dirty",
             (int) fixture_inode (fixture, 0)->pages.dirty);
  fixture_free (fixture);
}

/* fsync leaves the pages of its file clean, and only those. */
static void test_fsync_cleans (void)
{
  Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);

  fixture_build (fixture);
  fixture_script (fixture, "S: ring:8 sqe:w0+3 sqe:w1+2 sqe:s0 submit:3 reap");
  fixture_run (fixture, "fsync");
  ROW_CHECK (fixture_inode (fixture, 0)->pages.dirty == 0 && fixture_inode (fixture, 1)->pages.dirty == 2,
             "%d and %d dirty", (int) fixture_inode (fixture, 0)->pages.dirty,
             (int) fixture_inode (fixture, 1)->pages.dirty);
  fixture_free (fixture);
}

/* ---- the page cache ---- */

#define KIB ((uint64_t) 1024)
#define CHUNK ((uint64_t) 32768) /* pages of one chunk of the implementation */

typedef struct {
  unsigned pages, missing, clean;
} Counts;

static gboolean counts_are (const PageCount *count, Counts expected)
{
  return count->pages == expected.pages && count->missing == expected.missing && count->clean == expected.clean;
}

/* Pages that an fsync writes out. */
static uint64_t write_out_all (PageCache *cache)
{
  g_autoptr (GArray) runs = page_cache_write_out (cache, 0, UINT64_MAX);
  uint64_t pages = 0;

  for (unsigned i = 0; i < runs->len; i++)
    pages += g_array_index (runs, PageRun, i).pages;
  return pages;
}

static void test_page_counts (void)
{
  static const struct {
    const char *rule;
    uint64_t size;
    CacheState state;
    uint64_t offset, length;
    Counts before, after;
  } rows[] = {
    { "nothing", 64 * KIB, CACHE_CLEAN, 0, 0, { 0, 0, 0 }, { 0, 0, 0 } },
    { "a page, clean", 64 * KIB, CACHE_CLEAN, 0, 4 * KIB, { 1, 0, 1 }, { 1, 0, 0 } },
    { "a page, dirty", 64 * KIB, CACHE_DIRTY, 0, 4 * KIB, { 1, 0, 0 }, { 1, 0, 0 } },
    { "a page, cold", 64 * KIB, CACHE_COLD, 0, 4 * KIB, { 1, 1, 1 }, { 1, 0, 0 } },
    { "a byte at the end of a page and one of the next", 64 * KIB, CACHE_CLEAN, 4095, 2, { 2, 0, 2 }, { 2, 0, 0 } },
    { "a byte", 64 * KIB, CACHE_CLEAN, 8191, 1, { 1, 0, 1 }, { 1, 0, 0 } },
    { "across the end", 64 * KIB, CACHE_CLEAN, 60 * KIB, 12 * KIB, { 3, 2, 3 }, { 3, 0, 0 } },
    { "beyond the end", 64 * KIB, CACHE_DIRTY, 640 * KIB, 8 * KIB, { 2, 2, 2 }, { 2, 0, 0 } },
    { "the last page in part", 64 * KIB + 1, CACHE_CLEAN, 64 * KIB, 4 * KIB, { 1, 0, 1 }, { 1, 0, 0 } },
    { "across a chunk, resident",
      256 * KIB * KIB,
      CACHE_CLEAN,
      (CHUNK - 2) * 4 * KIB,
      16 * KIB,
      { 4, 0, 4 },
      { 4, 0, 0 } },
    { "across a chunk, at the end",
      CHUNK * 4 * KIB,
      CACHE_DIRTY,
      (CHUNK - 2) * 4 * KIB,
      16 * KIB,
      { 4, 2, 2 },
      { 4, 0, 0 } },
    { "an empty file", 0, CACHE_CLEAN, 0, 4 * KIB, { 1, 1, 1 }, { 1, 0, 0 } },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PageCache cache;
    PageCount before, marked, after;
    uint64_t resident, dirty;

    page_cache_init (&cache, rows[i].size, rows[i].state, TRUE);
    resident = cache.resident;
    dirty = cache.dirty;
    before = page_cache_count (&cache, rows[i].offset, rows[i].length);
    marked = page_cache_dirty (&cache, rows[i].offset, rows[i].length);
    after = page_cache_count (&cache, rows[i].offset, rows[i].length);
    ROW_CHECK (counts_are (&before, rows[i].before) && memcmp (&marked, &before, sizeof marked) == 0,
               "%s: %u pages, %u missing, %u clean", rows[i].rule, before.pages, before.missing, before.clean);
    ROW_CHECK (counts_are (&after, rows[i].after), "%s, written: %u pages, %u missing, %u clean", rows[i].rule,
               after.pages, after.missing, after.clean);
    ROW_CHECK (cache.resident == resident + before.missing && cache.dirty == dirty + before.clean,
               "%s: %d resident, %d dirty", rows[i].rule, (int) cache.resident, (int) cache.dirty);
    ROW_CHECK (write_out_all (&cache) == dirty + before.clean && cache.dirty == 0 &&
                   page_cache_count (&cache, rows[i].offset, rows[i].length).clean == before.pages &&
                   page_cache_count (&cache, rows[i].offset, rows[i].length).missing == 0,
               "%s: an fsync cleans", rows[i].rule);
    page_cache_clear (&cache);
  }
}

/* What was there at the start is in large folios and untouched; what is added later is neither. */
static void test_large_and_untouched (void)
{
  PageCache cache;
  PageCount count;

  page_cache_init (&cache, 8 * PAGE_SIZE_BYTES, CACHE_CLEAN, TRUE);
  page_cache_touch (&cache, 0, 2 * PAGE_SIZE_BYTES);
  count = page_cache_count (&cache, 0, 8 * PAGE_SIZE_BYTES);
  ROW_CHECK (count.large == 8 && count.untouched == 6, "resident: %u large, %u untouched", count.large,
             count.untouched);
  page_cache_dirty (&cache, 7 * PAGE_SIZE_BYTES, 2 * PAGE_SIZE_BYTES);
  count = page_cache_count (&cache, 6 * PAGE_SIZE_BYTES, 4 * PAGE_SIZE_BYTES);
  ROW_CHECK (count.missing == 1 && count.large == 2 && count.untouched == 1,
             "one added: %u missing, %u large, %u untouched", count.missing, count.large, count.untouched);
  page_cache_clear (&cache);
}

/* A write walks the buffers of the folio it falls into: the larger that is, the longer. */
static void test_folio_sizes (void)
{
  static const struct {
    const char *rule, *fs, *kernel;
    uint64_t folio;
    UrTime ns;
  } rows[] = {
    { "as readahead makes them: 2 MiB", "ext4", "kernel=6.18", 0, 8192 },
    { "written in pieces of 1 MiB", "ext4", "kernel=6.18", 1048576, 3112 },
    { "in pieces of 64 KiB", "ext4", "kernel=6.18", 65536, 348 },
    { "no large folios before 6.16", "ext4", "kernel=6.15", 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", rows[i].fs, COSTS_FREE);
    WorkloadJob *job = workload_add_job (fixture->workload);
    g_autoptr (GError) error = NULL;
    uint32_t file = 0;
    RunResult *result;

    fixture_set (fixture, "FileSystem ext4.LargeFolio=8192");
    fixture_set (fixture, rows[i].kernel);
    ((WorkloadFile *) g_ptr_array_index (fixture->workload->files, 0))->folio = rows[i].folio;
    job->name = g_strdup ("job");
    job->engine = APPLICATION_PSYNC;
    g_array_append_val (job->files, file);
    job->pattern.has_read = FALSE;
    job->pattern.has_write = TRUE;
    job->pattern.size = FIXTURE_FILE_SIZE;
    job->pattern.number_ios = 1;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Pages that were never looked at are cleaned too. */
static void test_clean_untouched (void)
{
  PageCache cache;
  PageCount count;

  page_cache_init (&cache, 4 * CHUNK * PAGE_SIZE_BYTES, CACHE_DIRTY, TRUE);
  page_cache_dirty (&cache, 0, PAGE_SIZE_BYTES);
  ROW_CHECK (write_out_all (&cache) == 4 * CHUNK, "all pages were dirty");
  count = page_cache_count (&cache, 3 * CHUNK * PAGE_SIZE_BYTES, 2 * PAGE_SIZE_BYTES);
  ROW_CHECK (count.pages == 2 && count.clean == 2 && count.missing == 0, "%u of %u clean, %u missing", count.clean,
             count.pages, count.missing);
  page_cache_clear (&cache);
}

#define MODEL_PAGES 600u

/* Against a plain array of flags. */
static void check_random_cache (UrRandom *random, CacheState state)
{
  gboolean resident[MODEL_PAGES] = { 0 }, dirty[MODEL_PAGES] = { 0 };
  gboolean large[MODEL_PAGES] = { 0 }, touched[MODEL_PAGES] = { 0 };
  uint64_t first = CHUNK - MODEL_PAGES / 2; /* the window lies across a chunk */
  PageCache cache;

  page_cache_init (&cache, CHUNK * PAGE_SIZE_BYTES, state, TRUE);
  for (unsigned i = 0; i < MODEL_PAGES / 2; i++) {
    resident[i] = large[i] = state != CACHE_COLD;
    dirty[i] = state == CACHE_DIRTY;
  }
  for (unsigned round = 0; round < 300; round++) {
    unsigned from = (unsigned) ur_random_below (random, MODEL_PAGES), n = 1 + (unsigned) ur_random_below (random, 20);
    gboolean write = ur_random_below (random, 2) != 0, touch = write || ur_random_below (random, 2) != 0;
    PageCount expected = { 0 }, count;

    if (ur_random_below (random, 40) == 0) {
      write_out_all (&cache);
      memset (dirty, 0, sizeof dirty);
    }
    n = MIN (n, MODEL_PAGES - from);
    for (unsigned i = from; i < from + n; i++) {
      expected.pages++;
      expected.missing += !resident[i];
      expected.clean += !dirty[i];
      expected.large += large[i];
      expected.untouched += resident[i] && !touched[i];
      touched[i] |= touch;
      resident[i] |= write;
      dirty[i] |= write;
    }
    count = (write   ? page_cache_dirty
             : touch ? page_cache_touch
                     : page_cache_count) (&cache, (first + from) * PAGE_SIZE_BYTES, (uint64_t) n * PAGE_SIZE_BYTES);
    ROW_CHECK (memcmp (&count, &expected, offsetof (PageCount, unread)) == 0, "state %d, round %u: %u+%u", (int) state,
               round, from, n);
  }
  page_cache_clear (&cache);
}

static void test_random_cache (void)
{
  static const CacheState states[] = { CACHE_CLEAN, CACHE_DIRTY, CACHE_COLD };
  UrRandom random;

  ur_random_init (&random, 1, "page cache");
  for (unsigned i = 0; i < 12; i++)
    check_random_cache (&random, states[i % 3]);
}

/* ---- inodes ---- */

static void test_buckets (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
  unsigned count[64] = { 0 }, least = UINT_MAX, most = 0, moved = 0;

  fixture_build (fixture);
  for (uint32_t i = 0; i < 6400; i++) {
    Inode *inode = inode_new (fixture->sim, i, 4096, CACHE_CLEAN, TRUE, 0),
          *again = inode_new (fixture->sim, i, 0, CACHE_COLD, TRUE, 0);

    CU_ASSERT_FATAL (inode->bucket < 64);
    CU_ASSERT_EQUAL (inode->bucket, again->bucket);
    count[inode->bucket]++;
    inode_free (again);
    fixture->setup.seed = 2;
    again = inode_new (fixture->sim, i, 0, CACHE_COLD, TRUE, 0);
    moved += again->bucket != inode->bucket;
    fixture->setup.seed = 1;
    inode_free (again);
    inode_free (inode);
  }
  for (unsigned i = 0; i < 64; i++) {
    least = MIN (least, count[i]);
    most = MAX (most, count[i]);
  }
  ROW_CHECK (least > 60 && most < 140, "buckets have %u to %u of 6400 inodes", least, most);
  ROW_CHECK (moved > 6000, "another seed moves %u of 6400", moved);
  fixture_free (fixture);
}

void register_file_io_tests (void)
{
  CU_pSuite suite = fixture_suite ("file I/O");

  fixture_test (suite, "buffered writes: inline or punted", test_writes);
  fixture_test (suite, "buffered reads: inline or punted", test_reads);
  fixture_test (suite, "fsync", test_syncs);
  fixture_test (suite, "policies that are no kernel", test_policies);
  fixture_test (suite, "time stamps and cascades", test_ticks);
  fixture_test (suite, "what a write costs", test_write_costs);
  fixture_test (suite, "what reads and fsync cost", test_other_costs);
  fixture_test (suite, "part of a page", test_part_of_a_page);
  fixture_test (suite, "writes that share the lock", test_shared_writes);
  fixture_test (suite, "writes that sleep", test_sleeping_writes);
  fixture_test (suite, "writes under NOWAIT do not", test_nowait_writes);
  fixture_test (suite, "WASYNC without NOWAIT", test_wasync_without_nowait);
  fixture_test (suite, "fsync cleans", test_fsync_cleans);
  fixture_test (suite, "fsync in memory", test_fsync_in_memory);
  fixture_test (suite, "page counts", test_page_counts);
  fixture_test (suite, "pages that were never touched", test_clean_untouched);
  fixture_test (suite, "large folios and first touches", test_large_and_untouched);
  fixture_test (suite, "sizes of folios", test_folio_sizes);
  fixture_test (suite, "random pages", test_random_cache);
  fixture_test (suite, "hash buckets", test_buckets);
}
