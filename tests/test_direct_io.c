/* Direct I/O: what is submitted and what is punted, hashed or not, and under which lock, by file system, kernel and
 * state of the file; who waits for whom; the page cache beside it; libaio and psync. */
#include "model/direct_io.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* 32 channels; a read takes 100 us, a write 20 us. */
#define DEVICE "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000, Flush.Time=50000"

typedef enum { BLOCKS_WRITTEN, BLOCKS_UNWRITTEN, BLOCKS_NONE } Blocks; /* of file 0; NONE: it is empty */

/* `outcome` as fixture_outcomes(), `log` nullable. */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  Blocks blocks;
  const char *script, *outcome, *log;
} DirectRow;

/* `stamped`: file 0 needs no new time stamp. */
static Fixture *run_stamped (const DirectRow *row, const char *policy, int cache, const char *set, gboolean stamped)
{
  Fixture *fixture = fixture_new (policy ? policy : fixture_generation (row->kernel), row->fs, COSTS_FREE);
  WorkloadFile *file = g_ptr_array_index (fixture->workload->files, 0);
  g_autofree char *outcome = NULL;
  g_autofree char *name =
      g_strdup_printf ("%s, %s %u.%u", row->rule, row->fs, KERNEL_MAJOR (row->kernel), KERNEL_MINOR (row->kernel));

  fixture_set (fixture, DEVICE);
  if (set)
    fixture_set (fixture, set);
  fixture->setup.kernel = row->kernel;
  fixture->setup.cache = cache;
  file->unwritten = row->blocks == BLOCKS_UNWRITTEN;
  if (row->blocks == BLOCKS_NONE)
    file->size = 0;
  fixture_build (fixture);
  if (stamped)
    inode_time_updated (fixture_inode (fixture, 0));
  fixture_script (fixture, row->script);
  fixture_run (fixture, name);
  outcome = fixture_outcomes (fixture);
  ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s: %s, expected %s", name, outcome, row->outcome);
  if (row->log)
    fixture_check_log (fixture, name, row->log);
  return fixture;
}

static Fixture *run_row (const DirectRow *row, const char *policy, int cache, const char *set)
{
  return run_stamped (row, policy, cache, set, FALSE);
}

static void check_rows (const DirectRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    fixture_free (run_row (&rows[i], NULL, CACHE_COLD, NULL));
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

#define ONE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap"
/* The second after the first, in the same tick. */
#define TWICE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap run:10 sqe:" request " submit:1 reap"
#define HELD(lock, request) "L/1: " lock " run:300 unlock | S@1/0: ring:8 sqe:" request " submit:1 reap"

/* ---- where a write ends ---- */

/* Three writes that the device ends at 21 us, interrupts on CPU 0; an item of a workqueue takes 10 us, and the end of a
 * direct request 5 us. */
static void test_ends (void)
{
#define THREE(request) "S@1/0: ring:8 sqe:" request "@1 sqe:" request "@2 sqe:" request "@3 submit:3 reap"
  static const char ends[] =
      "Worker.WorkqueueItem=10000, FileSystem ext4.DirectDone=5000, FileSystem xfs.DirectDone=5000, "
      "FileSystem block.DirectDone=5000";
  static const DirectRow rows[] = {
    { "reads end in the interrupt, one after the other", "xfs", KERNEL (6, 1), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:or0@1 sqe:or0@2 submit:2 reap", "aa", "S@111 reap ab" },
    { "writes end in the one kworker of that CPU that runs, an item and an end each", "xfs", KERNEL (6, 1),
      BLOCKS_WRITTEN, THREE ("ow0"), "aaa", "S@66 reap abc" },
    { "6.17: the same", "xfs", KERNEL (6, 17), BLOCKS_WRITTEN, THREE ("ow0"), "aaa", "S@66 reap abc" },
    { "6.18: overwrites end in the interrupt", "xfs", KERNEL (6, 18), BLOCKS_WRITTEN, THREE ("ow0"), "aaa",
      "S@36 reap abc" },
    { "6.18: what is more than an overwrite ends in a kworker", "ext4", KERNEL (6, 18), BLOCKS_UNWRITTEN, THREE ("ow0"),
      "aaa", "S@66 reap abc" },
    { "ext4: with iomap from 5.5 on", "ext4", KERNEL (5, 5), BLOCKS_WRITTEN, THREE ("ow0"), "aaa", "S@66 reap abc" },
    { "ext4: before, in the interrupt", "ext4", KERNEL (5, 4), BLOCKS_WRITTEN, THREE ("ow0"), "aaa", "S@36 reap abc" },
    { "a block device has no file system to wait for", "block", KERNEL (6, 1), BLOCKS_WRITTEN, THREE ("ow0"), "aaa",
      "S@36 reap abc" },
    { "who waits for its write ends it without a kworker", "xfs", KERNEL (6, 1), BLOCKS_WRITTEN, "S@1/0: call:ow0@1",
      "i", "S@26 4096" },
    { "deferred to the caller: its task_work ends them", "xfs-caller-comp", KERNEL (6, 5), BLOCKS_WRITTEN,
      THREE ("ow0"), "aaa", "S@36 reap abc" },
    { "deferred to the caller, but not blocks without data: they need the kworker", "xfs-caller-comp", KERNEL (6, 5),
      BLOCKS_UNWRITTEN, THREE ("ow0"), "aaa", "S@66 reap abc" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    fixture_free (run_stamped (&rows[i], NULL, CACHE_COLD, ends, TRUE));
}

/* Whose CPU time the end is: us of it on CPU 0, where the interrupts are. */
static void test_who_ends (void)
{
  static const struct {
    const char *rule, *fs;
    double app, worker, irq;
  } rows[] = { { "a kworker", "xfs", 0, 3 * 15, 0 },
               { "the caller", "xfs-caller-comp", 3 * 5, 0, 0 },
               { "the interrupt", "block", 0, 0, 3 * 5 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const DirectRow row = { rows[i].rule, rows[i].fs, KERNEL (6, 5), BLOCKS_WRITTEN, THREE ("ow0"), "aaa", NULL };
    Fixture *fixture = run_stamped (&row, NULL, CACHE_COLD,
                                    "Worker.WorkqueueItem=10000, FileSystem xfs.DirectDone=5000, "
                                    "FileSystem block.DirectDone=5000",
                                    TRUE);
    const Cpu *cpu = &fixture->sim->cpus[0];

    ROW_CHECK ((double) cpu->busy[TASK_CLASS_APP] == rows[i].app * 1e3 &&
                   (double) cpu->busy[TASK_CLASS_FLUSHER] == rows[i].worker * 1e3 &&
                   (double) cpu->irq == rows[i].irq * 1e3,
               "%s: %d, %d, %d ns", rows[i].rule, (int) cpu->busy[TASK_CLASS_APP], (int) cpu->busy[TASK_CLASS_FLUSHER],
               (int) cpu->irq);
    fixture_free (fixture);
  }
}

/* While a kworker has an item nobody is woken for the next one: writes that end 2 us apart, items of 10 us. */
static void test_one_kworker (void)
{
  static const struct {
    const char *rule, *script, *log;
    uint64_t wakeups;
  } rows[] = {
    { "one item: one kworker, which wakes the submitter", "S@1/0: ring:8 sqe:ow0@1 submit:1 reap", "S@36 reap a", 1 },
    { "others come while it runs: it goes on, the one in reserve sleeps",
      "S@1/0: ring:8 sqe:ow0@1 submit:1 reap run:100 sqe:ow0@2 submit run:2 sqe:ow0@3 submit run:2 sqe:ow0@4 submit:3 "
      "reap",
      "S@36 reap a, S@201 reap bcd", 3 },
    { "several at once: the same", "S@1/0: ring:8 sqe:ow0@1 sqe:ow0@2 sqe:ow0@3 submit:3 reap", "S@66 reap abc", 1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const DirectRow row = { rows[i].rule,   "xfs",          KERNEL (6, 1),
                            BLOCKS_WRITTEN, rows[i].script, i == 1 ? "aaaa" : i ? "aaa" : "a",
                            rows[i].log };
    Fixture *fixture =
        run_stamped (&row, NULL, CACHE_COLD, "Worker.WorkqueueItem=10000, FileSystem xfs.DirectDone=5000", TRUE);
    unsigned kworkers = 0;

    for (unsigned k = 0; k < fixture->sim->tasks->len; k++)
      kworkers += g_str_has_prefix (((const Task *) g_ptr_array_index (fixture->sim->tasks, k))->name, "kworker/0:");
    ROW_CHECK (kworkers == 2, "%s: %u kworkers, expected one and one in reserve", rows[i].rule, kworkers);
    ROW_CHECK (fixture->sim->count.wakeups == rows[i].wakeups, "%s: %d wake-ups", rows[i].rule,
               (int) fixture->sim->count.wakeups);
    fixture_free (fixture);
  }
}

static void test_reads (void)
{
  static const DirectRow rows[] = {
    { "direct read: submits its bio", "ext4", KERNEL (5, 10), BLOCKS_WRITTEN, ONE ("or0"), "a", "S@101 reap a" },
    { "direct read: submits its bio", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0"), "a", "S@101 reap a" },
    { "direct read: submits its bio", "xfs", KERNEL (6, 1), BLOCKS_WRITTEN, ONE ("or0"), "a", "S@101 reap a" },
    { "direct read: submits its bio", "btrfs", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0"), "a", "S@101 reap a" },
    { "direct read: submits its bio", "block", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0"), "a", "S@101 reap a" },
    { "direct read: shared lock, a reader does not matter", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      HELD ("read", "or0"), "a", NULL },
    { "direct read: a writer holds the lock, punted unhashed", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      HELD ("write", "or0"), "U", NULL },
    { "direct read: a writer holds the lock, punted unhashed", "xfs", KERNEL (6, 1), BLOCKS_WRITTEN,
      HELD ("write", "or0"), "U", NULL },
    { "direct read of a block device: no lock", "block", KERNEL (6, 18), BLOCKS_WRITTEN, HELD ("write", "or0"), "a",
      NULL },
    { "direct read of blocks without data: zeros, no device", "ext4", KERNEL (6, 18), BLOCKS_UNWRITTEN, ONE ("or0"),
      "i", "S@1 reap a" },
    { "direct read past the end", "ext4", KERNEL (6, 18), BLOCKS_NONE, ONE ("or0"), "i", "S@1 reap a" },
    { "not a multiple of a sector: EINVAL", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0/100"), "F", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_writes (void)
{
  static const DirectRow rows[] = {
    { "direct write, aligned overwrite: submits", "ext4", KERNEL (5, 10), BLOCKS_WRITTEN, TWICE ("ow0"), "aa", NULL },
    { "direct write, aligned overwrite: submits", "ext4", KERNEL (6, 1), BLOCKS_WRITTEN, TWICE ("ow0"), "aa", NULL },
    { "direct write, aligned overwrite: submits", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, TWICE ("ow0"), "aa",
      "S@21 reap a, S@51 reap b" },
    { "direct write, overwrite: shared lock, taken: punted and hashed before 6.4", "ext4", KERNEL (6, 3),
      BLOCKS_WRITTEN, HELD ("write", "ow0"), "H", NULL },
    { "direct write, overwrite: shared lock, taken: punted unhashed from 6.4", "ext4", KERNEL (6, 4), BLOCKS_WRITTEN,
      HELD ("write", "ow0"), "U", NULL },
    { "direct write, overwrite: a reader does not matter", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, HELD ("read", "ow0"),
      "a", NULL },
    { "direct write into allocated blocks without data: EAGAIN, hashed, on 6.1", "ext4", KERNEL (6, 1),
      BLOCKS_UNWRITTEN, ONE ("ow0"), "H", NULL },
    { "direct write into allocated blocks without data: submits from 6.3", "ext4", KERNEL (6, 3), BLOCKS_UNWRITTEN,
      ONE ("ow0"), "a", NULL },
    { "direct write into allocated blocks without data: submits", "ext4", KERNEL (6, 18), BLOCKS_UNWRITTEN,
      TWICE ("ow0"), "aa", NULL },
    { "once written it is an overwrite", "ext4", KERNEL (6, 1), BLOCKS_UNWRITTEN, TWICE ("ow0"), "Ha", NULL },
    { "direct write beyond the end: punted unhashed from 6.4", "ext4", KERNEL (6, 18), BLOCKS_NONE, ONE ("ow0"), "U",
      NULL },
    { "direct write beyond the end: punted and hashed before", "ext4", KERNEL (6, 1), BLOCKS_NONE, ONE ("ow0"), "H",
      NULL },
    { "direct write into a hole: punted", "ext4", KERNEL (6, 18), BLOCKS_NONE,
      "S@1/0: ring:8 sqe:ow0@4 submit:1 reap sqe:ow0@1 submit:1 reap", "UU", NULL },
    { "direct write of part of a block that holds data: submits from 6.4", "ext4", KERNEL (6, 4), BLOCKS_WRITTEN,
      ONE ("ow0/512"), "a", NULL },
    { "direct write of part of a block that holds data: punted before", "ext4", KERNEL (6, 3), BLOCKS_WRITTEN,
      ONE ("ow0/512"), "H", NULL },
    { "direct write of part of a block without data: punted", "ext4", KERNEL (6, 18), BLOCKS_UNWRITTEN, ONE ("ow0/512"),
      "U", NULL },
    { "direct write, first of a tick: the time stamp refuses it, hashed before 6.4", "xfs", KERNEL (6, 1),
      BLOCKS_WRITTEN, TWICE ("ow0"), "Ha", NULL },
    { "direct write, first of a tick: the time stamp refuses it, unhashed from 6.4", "xfs", KERNEL (6, 18),
      BLOCKS_WRITTEN, TWICE ("ow0"), "Ua", NULL },
    { "direct write into allocated blocks: submits", "xfs", KERNEL (6, 18), BLOCKS_UNWRITTEN, TWICE ("ow0"), "Ua",
      NULL },
    { "direct write that needs blocks at the end: refused, done under the shared lock", "xfs", KERNEL (6, 18),
      BLOCKS_NONE, "L/1: read run:300 unlock | S@1/0: ring:8 sqe:ow0 submit:1 reap sqe:ow0@1 submit:1 reap", "UU",
      "L@0 read, S@21 reap a, S@41 reap b" },
    { "direct write beyond the end, leaving a gap: refused, exclusive", "xfs", KERNEL (6, 18), BLOCKS_NONE,
      "L/1: read run:300 unlock | S@1/0: ring:8 sqe:ow0@4 submit:1 reap", "U", "L@0 read, S@320 reap a" },
    { "direct write of part of a block, overwrite: submits", "xfs", KERNEL (6, 18), BLOCKS_WRITTEN, TWICE ("ow0/512"),
      "Ua", NULL },
    { "direct write of part of a block without data: refused", "xfs", KERNEL (6, 18), BLOCKS_UNWRITTEN,
      "S@1/0: ring:8 sqe:ow0@1 submit:1 reap sqe:ow0/512 submit:1 reap", "UU", NULL },
    { "direct write inside the file: submits, blocks are allocated inline", "btrfs", KERNEL (6, 18), BLOCKS_WRITTEN,
      TWICE ("ow0"), "Ha", NULL },
    { "direct write that extends: exclusive, hashed", "btrfs", KERNEL (6, 18), BLOCKS_NONE,
      "S@1/0: ring:8 sqe:ow0 submit:1 reap sqe:ow0@1 submit:1 reap", "HH", NULL },
    { "direct write of a block device: no lock, not hashed", "block", KERNEL (6, 1), BLOCKS_WRITTEN,
      HELD ("write", "ow0"), "a", NULL },
    { "IOSQE_ASYNC", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, "S@1/0: ring:8 sqe:aow0 submit:1 reap", "U", NULL },
  };

  CHECK_ROWS (rows);
}

/* A worker that waits for the device with the lock held keeps others out; one that does not lets them in. */
static void test_waiting_under_the_lock (void)
{
  static const DirectRow rows[] = {
    { "ext4 beyond the end: one at a time, each until the device is done", "ext4", KERNEL (6, 18), BLOCKS_NONE,
      "S@1/0: ring:8 sqe:ow0 sqe:ow0@1 sqe:ow0@2 submit:3 reap", "UUU", "S@61 reap abc" },
    { "6.1, allocated blocks: exclusive, but the device is not waited for", "ext4", KERNEL (6, 1), BLOCKS_UNWRITTEN,
      "S@1/0: ring:8 sqe:ow0 sqe:ow0@1 sqe:ow0@2 submit:3 reap", "HHH", "S@21 reap abc" },
    { "what it does not wait for the submitter completes, not the worker", "xfs", KERNEL (6, 1), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:ow0 sqe:ow0@1 sqe:ow0@2 submit:3 reap", "HHH", "S@21 reap abc" },
    { "part of a block: drains what is under way", "ext4", KERNEL (6, 18), BLOCKS_UNWRITTEN,
      "S@1/0: ring:8 sqe:ow0@1 sqe:ow0/512 submit:2 reap", "aU", "S@41 reap ab" },
    { "a buffered write waits for direct requests under way", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:ow0@1 sqe:w0@9 submit:2 reap", "aH", "S@21 reap ba" },
  };

  CHECK_ROWS (rows);
}

/* What a write needs is asked again under the lock that it waited for. */
static void test_asked_again (void)
{
  static const DirectRow rows[] = {
    { "beyond the end when it starts, inside it when it has the lock: the device is not waited for under it", "ext4",
      KERNEL (6, 18), BLOCKS_NONE,
      "A/0: call:ow0+4 | S@1/1: ring:8 sqe:aow0 submit run:5 getevents:1 reap | "
      "L@21/2: write say:has unlock",
      "iU", "A@20 16384, L@21 write, L@21 has, S@40 reap b" },
    { "beside it: still beyond the end, waited for", "ext4", KERNEL (6, 18), BLOCKS_NONE,
      "A/0: call:ow0 | S@1/1: ring:8 sqe:aow0@1 submit run:5 getevents:1 reap | "
      "L@21/2: write say:has unlock",
      "iU", "A@20 4096, L@40 write, L@40 has, S@40 reap b" },
  };

  CHECK_ROWS (rows);
}

/* Pages in the cache are in the way of NOWAIT. */
static void test_page_cache (void)
{
  static const struct {
    DirectRow row;
    CacheState cache;
    const char *set;
    unsigned resident_less, writes; /* pages dropped, requests to the device */
  } rows[] = {
    { { "a clean page refuses a NOWAIT write, which drops it", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, TWICE ("ow0"),
        "Ua", NULL },
      CACHE_CLEAN,
      NULL,
      1,
      2 },
    { { "a dirty page is written out first", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("ow0"), "U", "S@41 reap a" },
      CACHE_DIRTY,
      NULL,
      1,
      2 },
    { { "a clean page does not matter to a read", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0"), "a", NULL },
      CACHE_CLEAN,
      NULL,
      0,
      0 },
    { { "a dirty page refuses a NOWAIT read and is written out", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, ONE ("or0"),
        "U", "S@121 reap a" },
      CACHE_DIRTY,
      NULL,
      0,
      1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = run_row (&rows[i].row, NULL, (int) rows[i].cache, rows[i].set);
    const PageCache *pages = &fixture_inode (fixture, 0)->pages;
    const BlockCounters *count = block_counters (fixture->sim->device);

    ROW_CHECK (pages->resident == FIXTURE_FILE_SIZE / PAGE_SIZE_BYTES - rows[i].resident_less, "%s: %u resident",
               rows[i].row.rule, (unsigned) pages->resident);
    ROW_CHECK (count->requests[BLOCK_WRITE] == rows[i].writes, "%s: %u writes", rows[i].row.rule,
               (unsigned) count->requests[BLOCK_WRITE]);
    fixture_free (fixture);
  }
}

/* No tag: a block device passes NOWAIT on, a file system does not. */
static void test_tags (void)
{
  static const DirectRow rows[] = {
    { "a block device: EAGAIN, punted unhashed", "block", KERNEL (6, 18), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:or0 sqe:or0@9 submit:2 reap", "aU", "S@201 reap ab" },
    { "a file: the submitter sleeps for the tag", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:or0 sqe:or0@9 submit reap say:on getevents:1 reap", "aa",
      "S@101 reap a, S@101 on, S@201 reap b" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    fixture_free (run_row (&rows[i], NULL, CACHE_COLD, "Device.QueueDepth=1"));
}

/* Batches of more than two sqes are plugged: contiguous requests merge. */
static void test_plug (void)
{
  static const struct {
    DirectRow row;
    unsigned requests;
  } rows[] = {
    { { "two sqes: no plug", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, "S@1/0: ring:8 sqe:or0 sqe:or0@1 submit:2 reap",
        "aa", NULL },
      2 },
    { { "three: one request", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
        "S@1/0: ring:8 sqe:or0 sqe:or0@1 sqe:or0@2 submit:3 reap", "aaa", "S@101 reap abc" },
      1 },
    { { "not contiguous", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
        "S@1/0: ring:8 sqe:or0 sqe:or0@8 sqe:or0@16 submit:3 reap", "aaa", NULL },
      3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = run_row (&rows[i].row, NULL, CACHE_COLD, NULL);

    ROW_CHECK (block_counters (fixture->sim->device)->requests[BLOCK_READ] == rows[i].requests, "%s: %u requests",
               rows[i].row.rule, (unsigned) block_counters (fixture->sim->device)->requests[BLOCK_READ]);
    fixture_free (fixture);
  }
}

/* Who is told, and how: every kind of ring. */
static void test_rings (void)
{
  static const DirectRow rows[] = {
    { "DEFER_TASKRUN: woken when as many as it waits for are there", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      "S@1/0: ring:8,defer sqe:or0 run:10 sqe:or0@9 submit:2 reap", "aa", "S@111 reap ab" },
    { "a plain ring", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN, "S@1/0: ring:8 sqe:or0 submit:1 reap", "a",
      "S@101 reap a" },
    { "a synchronous driver: done in the submit call", "ext4", KERNEL (6, 18), BLOCKS_WRITTEN,
      "S@1/0: ring:8 sqe:or0 submit reap", "i", "S@101 reap a" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    fixture_free (run_row (&rows[i], NULL, CACHE_COLD, i == 2 ? "Device.Synchronous=yes" : NULL));
}

/* A device that takes no bio that must not wait (brd up to 6.2): what is punted because of it. */
static void test_device_nowait (void)
{
  static const struct {
    const char *rule, *fs, *request;
    unsigned kernel;
    CacheState cache;
    Outcome outcome;
  } rows[] = {
    { "a direct read of the device is punted", "block", "or0", KERNEL (6, 2), CACHE_COLD, OUTCOME_PUNTED_UNHASHED },
    { "so it is on later kernels", "block", "or0", KERNEL (6, 18), CACHE_COLD, OUTCOME_PUNTED_UNHASHED },
    { "a cached read of the device is punted too", "block", "r0", KERNEL (6, 18), CACHE_CLEAN,
      OUTCOME_PUNTED_UNHASHED },
    { "6.4: a cached read of a file on it is punted", "ext4", "r0", KERNEL (6, 4), CACHE_CLEAN,
      OUTCOME_PUNTED_UNHASHED },
    { "6.5: the file system answers for itself", "ext4", "r0", KERNEL (6, 5), CACHE_CLEAN, OUTCOME_INLINE },
    { "6.5: a direct read still reaches the device", "ext4", "or0", KERNEL (6, 5), CACHE_COLD,
      OUTCOME_PUNTED_UNHASHED },
    { "tmpfs has no device", "tmpfs", "r0", KERNEL (6, 4), CACHE_CLEAN, OUTCOME_INLINE },
  };

  for (unsigned i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    const unsigned row = i / 2;
    const gboolean capable = i % 2; /* the same with a device that can: inline */
    Fixture *fixture = fixture_new (fixture_generation (rows[row].kernel), rows[row].fs, COSTS_FREE);
    g_autofree char *script = g_strdup_printf ("S@1/0: ring:8 sqe:%s submit:1 reap", rows[row].request);

    fixture_set (fixture, capable ? "Device.NoWait=yes" : "Device.NoWait=no");
    fixture->setup.kernel = rows[row].kernel;
    fixture->setup.cache = rows[row].cache;
    fixture_build (fixture);
    fixture_script (fixture, script);
    fixture_run (fixture, rows[row].rule);
    ROW_CHECK (((const Request *) g_ptr_array_index (fixture->requests, 0))->outcome ==
                   (capable ? OUTCOME_INLINE : rows[row].outcome),
               "%s, NoWait=%d", rows[row].rule, capable);
    fixture_free (fixture);
  }
}

/* Block.FixedBufferSaves is taken off DirectLocked for a registered buffer, and never more than that. */
static void test_fixed_buffer (void)
{
  static const struct {
    const char *rule, *set;
    gboolean fixed;
    UrTime ns;
  } rows[] = {
    { "pages are pinned", "Block.FixedBufferSaves=60", FALSE, 100 },
    { "those of a registered buffer are not", "Block.FixedBufferSaves=60", TRUE, 40 },
    { "more than there is", "Block.FixedBufferSaves=160", TRUE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    WorkloadJob *job = workload_add_job (fixture->workload);
    g_autoptr (GError) error = NULL;
    uint32_t file = 0;
    RunResult *result;

    fixture_set (fixture, "FileSystem ext4.DirectLocked=100");
    fixture_set (fixture, rows[i].set);
    fixture->setup.cache = CACHE_COLD;
    job->name = g_strdup ("job");
    job->engine = APPLICATION_IO_URING;
    job->direct = TRUE;
    job->fixed_buffers = rows[i].fixed;
    g_array_append_val (job->files, file);
    job->pattern.size = FIXTURE_FILE_SIZE;
    job->pattern.has_read = TRUE;
    job->pattern.number_ios = 1;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Synchronous calls wait. */
static void test_calls (void)
{
  static const ScriptRow rows[] = {
    { "a direct read call", DEVICE, "S@1: call:or0", "S@101 4096" },
    { "a direct write call", DEVICE, "S@1: call:ow0+2", "S@21 8192" },
    { "two readers at once", DEVICE, "S@1/0: call:or0 | T@1/1: call:or0@9", "S@101 4096, T@101 4096" },
    { "not a multiple of a sector", DEVICE, "S@1: call:or0/100", "S@1 -22" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.18", "noise=0");
}

/* The engines: as many at once as the depth, and the device is the limit. */
static void test_engines (void)
{
  static const struct {
    const char *rule;
    ApplicationEngine engine;
    unsigned iodepth;
    Outcome outcome;
    unsigned ms; /* for 400 reads of 100 us */
  } rows[] = {
    { "psync: one at a time", APPLICATION_PSYNC, 1, OUTCOME_INLINE, 40 },
    { "libaio: waits in io_getevents()", APPLICATION_LIBAIO, 4, OUTCOME_ASYNC, 10 },
    { "io_uring", APPLICATION_IO_URING, 4, OUTCOME_ASYNC, 10 },
    { "libaio, deeper than the device has channels", APPLICATION_LIBAIO, 64, OUTCOME_ASYNC, 5 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    WorkloadJob *job = workload_add_job (fixture->workload);
    uint32_t file = 0;
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, DEVICE ", Device.Channels=8, Application.Prepare=1");
    fixture->setup.cache = CACHE_COLD;
    job->name = g_strdup ("job");
    job->engine = rows[i].engine;
    job->iodepth = job->iodepth_low = rows[i].iodepth;
    job->direct = TRUE;
    job->pattern.order = PATTERN_RANDOM;
    job->pattern.has_read = TRUE;
    job->pattern.has_write = FALSE;
    for (unsigned op = 0; op < 3; op++)
      job->pattern.bs[op] = job->pattern.bs_max[op] = 4096;
    job->pattern.size = FIXTURE_FILE_SIZE;
    job->pattern.random_map = TRUE;
    job->pattern.number_ios = 400;
    g_array_append_val (job->files, file);
    result = simulation_run (&fixture->setup, &error);
    if (ROW_CHECK (result, "%s: %s", rows[i].rule, row_error (error))) {
      ROW_CHECK (result->outcome[rows[i].outcome] == 400, "%s: %u", rows[i].rule,
                 (unsigned) result->outcome[rows[i].outcome]);
      ROW_CHECK (result->sim_ns >= rows[i].ms * UR_MS && result->sim_ns < rows[i].ms * UR_MS * 21 / 20,
                 "%s: %" G_GUINT64_FORMAT " ns", rows[i].rule, result->sim_ns);
      ROW_CHECK (result->device.used && result->device.reads == 400, "%s: %u reads", rows[i].rule,
                 (unsigned) result->device.reads);
    }
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Blocks without data: converted at the end, one write of a file after the other; split before on ext4 up to 6.2. */
static void test_conversion (void)
{
  static const char set[] = "FileSystem ext4.Split=30000, FileSystem ext4.Convert=10000, FileSystem xfs.Convert=10000, "
                            "Worker.WorkqueueItem=1000";
  static const DirectRow rows[] = {
    { "conversions one after the other", "ext4", KERNEL (6, 3), BLOCKS_UNWRITTEN,
      "A/0: call:ow0 | B/1: call:ow0@1 | C/2: call:ow0@2", "iii", "A@30 4096, B@40 4096, C@50 4096" },
    { "conversions one after the other", "xfs", KERNEL (6, 1), BLOCKS_UNWRITTEN, "A/0: call:ow0 | B/1: call:ow0@1", "ii",
      "A@30 4096, B@40 4096" },
    { "blocks with data: none", "ext4", KERNEL (6, 3), BLOCKS_WRITTEN, "A/0: call:ow0 | B/1: call:ow0@1", "ii",
      "A@20 4096, B@20 4096" },
    { "none the second time", "ext4", KERNEL (6, 3), BLOCKS_UNWRITTEN, "A/0: call:ow0 call:ow0", "ii",
      "A@30 4096, A@50 4096" },
    { "a read converts nothing", "ext4", KERNEL (6, 3), BLOCKS_UNWRITTEN, "A/0: call:ow0 call:or0", "ii",
      "A@30 4096, A@130 4096" },
    { "exclusive lock: split before, and the next one waits", "ext4", KERNEL (6, 2), BLOCKS_UNWRITTEN,
      "A/0: call:ow0 | B/1: call:ow0@1", "ii", "A@60 4096, B@120 4096" },
    { "no split where it is shared", "ext4", KERNEL (6, 3), BLOCKS_UNWRITTEN, "A/0: call:ow0", "i", "A@30 4096" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    fixture_free (run_stamped (&rows[i], NULL, CACHE_COLD, set, TRUE));
}

void register_direct_io_tests (void)
{
  CU_pSuite suite = fixture_suite ("direct I/O");

  fixture_test (suite, "where a write ends", test_ends);
  fixture_test (suite, "who ends it", test_who_ends);
  fixture_test (suite, "one kworker at a time", test_one_kworker);
  fixture_test (suite, "blocks without data", test_conversion);
  fixture_test (suite, "reads", test_reads);
  fixture_test (suite, "writes", test_writes);
  fixture_test (suite, "waiting under the lock", test_waiting_under_the_lock);
  fixture_test (suite, "asked again under the lock", test_asked_again);
  fixture_test (suite, "the page cache beside it", test_page_cache);
  fixture_test (suite, "tags", test_tags);
  fixture_test (suite, "plug of a batch", test_plug);
  fixture_test (suite, "rings", test_rings);
  fixture_test (suite, "device without NOWAIT", test_device_nowait);
  fixture_test (suite, "registered buffers", test_fixed_buffer);
  fixture_test (suite, "synchronous calls", test_calls);
  fixture_test (suite, "engines", test_engines);
}
