/* What makes data durable: commits and who shares them, O_SYNC and O_DSYNC, sync_file_range, RWF_DONTCACHE, stable
 * pages. */
#include "model/journal.h"
#include "model/writeback.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* A read takes 100 us, a write 20, a FLUSH 50; FUA is there. */
#define DEVICE "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000, Flush.Time=50000"

/* `reads`, `writes`, `flushes`: requests to the device. */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  const char *set, *script, *outcome, *log;
  unsigned reads, writes, flushes, commits;
} SyncRow;

static Fixture *run_row (const SyncRow *row, CacheState cache)
{
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
  ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s, %s: %s, expected %s", row->rule, row->fs, outcome, row->outcome);
  ROW_CHECK (count->requests[BLOCK_READ] == row->reads && count->requests[BLOCK_WRITE] == row->writes &&
                 count->requests[BLOCK_FLUSH] == row->flushes && fixture->sim->journal->commits == row->commits,
             "%s, %s: %u reads, %u writes, %u flushes, %u commits", row->rule, row->fs,
             (unsigned) count->requests[BLOCK_READ], (unsigned) count->requests[BLOCK_WRITE],
             (unsigned) count->requests[BLOCK_FLUSH], (unsigned) fixture->sim->journal->commits);
  if (row->log)
    fixture_check_log (fixture, row->rule, row->log);
  return fixture;
}

static void check_rows (const SyncRow *rows, unsigned n, CacheState cache)
{
  for (unsigned i = 0; i < n; i++)
    fixture_free (run_row (&rows[i], cache));
}
#define CHECK_ROWS(rows, cache) check_rows (rows, G_N_ELEMENTS (rows), cache)

#define WRITE_AND_SYNC(name, time, file) name "@" time ": call:w" file " call:s" file

static void test_commits (void)
{
  static const SyncRow rows[] = {
    { "jbd2: data, blocks, FLUSH, record", "ext4", KERNEL (6, 18), NULL, WRITE_AND_SYNC ("S", "1", "0"), "ii",
      "S@1 4096, S@111 0", 0, 3, 1, 1 },
    { "a record without FUA is followed by a FLUSH", "ext4", KERNEL (6, 18), "Cache.Fua=no",
      WRITE_AND_SYNC ("S", "1", "0"), "ii", "S@1 4096, S@161 0", 0, 3, 2, 1 },
    { "no volatile cache: no FLUSH", "ext4", KERNEL (6, 18), "Cache.Volatile=no", WRITE_AND_SYNC ("S", "1", "0"), "ii",
      "S@1 4096, S@61 0", 0, 3, 0, 1 },
    { "XFS: one log buffer", "xfs", KERNEL (6, 18), NULL, WRITE_AND_SYNC ("S", "1", "0"), "ii", "S@1 4096, S@91 0", 0,
      2, 1, 1 },
    { "btrfs: log trees, FLUSH, super block", "btrfs", KERNEL (6, 18), NULL, WRITE_AND_SYNC ("S", "1", "0"), "ii",
      "S@1 4096, S@111 0", 0, 3, 1, 1 },
    { "f2fs: the node, FLUSH", "f2fs", KERNEL (6, 18), NULL, WRITE_AND_SYNC ("S", "1", "0"), "ii", "S@1 4096, S@91 0",
      0, 2, 1, 1 },
    { "ext4 without a journal: the inode, FLUSH", "ext4-nojournal", KERNEL (6, 18), NULL,
      WRITE_AND_SYNC ("S", "1", "0"), "ii", "S@1 4096, S@91 0", 0, 2, 1, 1 },
    { "a second fsync with nothing changed: a FLUSH only", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0 call:s0",
      "iii", "S@1 4096, S@111 0, S@161 0", 0, 3, 2, 1 },
    { "a second fsync with nothing changed: a FLUSH only", "xfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0 call:s0",
      "iii", "S@1 4096, S@91 0, S@141 0", 0, 2, 2, 1 },
    { "btrfs: a second one does nothing at all", "btrfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0 call:s0", "iii",
      "S@1 4096, S@111 0, S@111 0", 0, 3, 1, 1 },
    { "f2fs: a second one does nothing at all", "f2fs", KERNEL (6, 18), NULL, "S@1: call:w0 call:s0 call:s0", "iii",
      "S@1 4096, S@91 0, S@91 0", 0, 2, 1, 1 },
    { "an overwrite is no change for fdatasync", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:y0", "ii",
      "S@1 4096, S@71 0", 0, 1, 1, 0 },
    { "but for a file system that never overwrites", "btrfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:y0", "ii",
      "S@1 4096, S@111 0", 0, 3, 1, 1 },
    { "new blocks are a change for fdatasync", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0@16400 call:y0 call:y0",
      "iii", "S@1 4096, S@111 0, S@161 0", 0, 3, 2, 1 },
    { "fdatasync is enough for what it commits: fsync finds only the time stamp's transaction gone", "ext4",
      KERNEL (6, 18), NULL, "S@1: call:w0@16400 call:y0 call:s0", "iii", "S@1 4096, S@111 0, S@161 0", 0, 3, 2, 1 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

/* Who shares what. */
static void test_group_commit (void)
{
  static const SyncRow rows[] = {
    { "four syncs of four files at one time: one commit, one FLUSH", "ext4", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@1: call:w1 call:s1 | C@1: call:w2 call:s2 | D@1: call:w3 call:s3", "iiiiiiii", NULL, 0,
      6, 1, 1 },
    { "a change before the commit: a sync joins it; its FLUSH was sent before the data ended: one of its own", "ext4",
      KERNEL (6, 18), NULL, "A@1: call:w0 call:s0 | B@0: call:w1 sleep:60 call:s1", "iiii",
      "B@0 4096, A@1 4096, A@111 0, B@161 0", 0, 4, 2, 1 },
    { "joined before its FLUSH: none of its own", "ext4", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@0: call:w1 sleep:10 call:s1", "iiii", "B@0 4096, A@1 4096, A@111 0, B@111 0", 0, 4, 1,
      1 },
    { "a change during a commit is for the next one", "ext4", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@60: call:w1 call:s1", "iiii", "A@1 4096, B@60 4096, A@111 0, B@201 0", 0, 6, 2, 2 },
    { "all that come during a commit share the next one", "ext4", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@60: call:w1 call:s1 | C@70: call:w2 call:s2 | D@80: call:w3 call:s3", "iiiiiiii",
      "A@1 4096, B@60 4096, C@70 4096, D@80 4096, A@111 0, B@201 0, C@201 0, D@201 0", 0, 8, 2, 2 },
    { "fdatasync shares as fsync does", "ext4", KERNEL (6, 18), NULL,
      "A@1: call:w0@16400 call:y0 | B@60: call:w1@16400 call:y1 | C@70: call:w2@16400 call:y2", "iiiiii",
      "A@1 4096, B@60 4096, C@70 4096, A@111 0, B@201 0, C@201 0", 0, 7, 2, 2 },
    { "the XFS log: the same", "xfs", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@60: call:w1 call:s1 | C@65: call:w2 call:s2", "iiiiii",
      "A@1 4096, B@60 4096, C@65 4096, A@91 0, B@161 0, C@161 0", 0, 5, 2, 2 },
    { "btrfs: the first to come commits for those who wait", "btrfs", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@60: call:w1 call:s1 | C@65: call:w2 call:s2", "iiiiii",
      "A@1 4096, B@60 4096, C@65 4096, A@111 0, B@201 0, C@201 0", 0, 7, 2, 2 },
    { "f2fs: a node each; the second and third share a FLUSH", "f2fs", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@11: call:w1 call:s1 | C@15: call:w2 call:s2", "iiiiii",
      "A@1 4096, B@11 4096, C@15 4096, A@91 0, B@141 0, C@141 0", 0, 6, 2, 3 },
    { "a block device: nothing but the FLUSH, shared likewise", "block", KERNEL (6, 18), NULL,
      "A@1: call:w0 call:s0 | B@11: call:w1 call:s1 | C@15: call:w2 call:s2", "iiiiii",
      "A@1 4096, B@11 4096, C@15 4096, A@71 0, B@121 0, C@121 0", 0, 3, 2, 0 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

static void test_synced_writes (void)
{
  static const SyncRow rows[] = {
    { "O_DSYNC: the page, FLUSH; an overwrite needs no commit", "ext4", KERNEL (6, 18), NULL, "S@1: call:ew0", "i",
      "S@71 4096", 0, 1, 1, 0 },
    { "O_SYNC: the time stamp is committed too", "ext4", KERNEL (6, 18), NULL, "S@1: call:pw0", "i", "S@111 4096", 0, 3,
      1, 1 },
    { "its own range only", "ext4", KERNEL (6, 18), "Cache.Volatile=no", "S@1: call:w0@5 call:ew0@9", "ii",
      "S@1 4096, S@21 4096", 0, 1, 0, 0 },
    { "the inode lock is not held meanwhile", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: call:ew0 | T@11/1: write say:in unlock", "i", "T@11 write, T@11 in, S@71 4096", 0, 1, 1, 0 },
    { "another's writeback elsewhere is not waited for", "ext4", KERNEL (6, 18), "Cache.Volatile=no",
      "S@1/0: call:ew0@1 | T@16/1: call:ew0@9", "ii", "S@21 4096, T@36 4096", 0, 2, 0, 0 },
    { "parallel writers of one file overlap: all but the first share a FLUSH", "ext4", KERNEL (6, 1), NULL,
      "A@1: call:ew0@1 | B@2: call:ew0@3 | C@3: call:ew0@5 | D@4: call:ew0@7", "iiii",
      "A@71 4096, C@121 4096, B@121 4096, D@121 4096", 0, 4, 2, 0 },
    { "one hashed worker: one after the other", "ext4", KERNEL (6, 1), NULL,
      "S@1/0: ring:8 sqe:ew0@1 sqe:ew0@3 sqe:ew0@5 sqe:ew0@7 submit:4 reap", "HHHH", "S@281 reap abcd", 0, 4, 4, 0 },
    { "rings of two tasks: two workers, which overlap", "ext4", KERNEL (6, 1), "Cache.Volatile=no",
      "S@1/0: ring:8 sqe:ew0@1 sqe:ew0@3 submit:2 reap | T@1/1: ring:8 sqe:ew0@5 sqe:ew0@7 submit:2 reap", "HHHH", NULL,
      0, 4, 0, 0 },
    { "taken with NOWAIT all the same: the submitter waits", "xfs", KERNEL (6, 1), NULL,
      "S@1/0: ring:8 sqe:w0@50 submit:1 reap sqe:ew0 submit say:on submit:1 reap", "Hi",
      "S@1 reap a, S@71 on, S@71 reap b", 0, 1, 1, 0 },
    { "tmpfs: nothing to do", "tmpfs", KERNEL (6, 1), NULL, "S@1: call:pw0", "i", "S@1 4096", 0, 0, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

static void test_synced_direct_writes (void)
{
  static const SyncRow rows[] = {
    { "direct, O_DSYNC: an overwrite is one FUA write", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:oew0 submit say:on submit:1 reap", "a", "S@1 on, S@21 reap a", 0, 1, 0, 0 },
    { "without FUA a kworker flushes", "ext4", KERNEL (6, 18), "Cache.Fua=no",
      "S@1/0: ring:8 sqe:oew0 submit say:on submit:1 reap", "a", "S@1 on, S@71 reap a", 0, 1, 1, 0 },
    { "direct, O_SYNC: a kworker commits", "ext4", KERNEL (6, 18), NULL,
      "S@1/0: ring:8 sqe:opw0 submit say:on submit:1 reap", "a", "S@1 on, S@111 reap a", 0, 3, 1, 1 },
    { "direct, O_DSYNC, after a change that is not committed yet: no FUA", "ext4", KERNEL (6, 18), NULL,
      "S@1: call:ow0@16384 call:oew0", "ii", "S@21 4096, S@131 4096", 0, 4, 1, 1 },
    { "who waits for a direct write syncs it with its lock", "ext4", KERNEL (6, 18), "Cache.Fua=no",
      "S@1/0: call:oew0 | T@31/1: write say:in unlock", "i", "S@71 4096, T@71 write, T@71 in", 0, 1, 1, 0 },
    { "a block device always asks for FUA", "block", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:opw0 submit:1 reap", "a",
      "S@21 reap a", 0, 1, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_COLD);
}

static void test_sync_file_range (void)
{
  static const SyncRow rows[] = {
    { "WRITE starts writing and does not wait", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:z0/2 sleep:30", "ii",
      "S@1 4096, S@1 0", 0, 1, 0, 0 },
    { "WAIT_AFTER waits; neither commit nor FLUSH", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:z0/6", "ii",
      "S@1 4096, S@21 0", 0, 1, 0, 0 },
    { "WAIT_BEFORE waits for what is under way, and writes nothing", "ext4", KERNEL (6, 18), NULL,
      "S@1: call:w0@1 call:z0/2 call:w0@9 call:z0/1", "iiii", "S@1 4096, S@1 0, S@1 4096, S@21 0", 0, 1, 0, 0 },
    { "only its range", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0@1 call:w0@3 call:z0+2@2", "iii",
      "S@1 4096, S@1 4096, S@21 0", 0, 1, 0, 0 },
    { "and for a page of a sweep that went from the highest pages back to the lowest", "ext4", KERNEL (6, 18), NULL,
      "S@1: call:w0@1 call:w0@200 flush:1 sleep:30 call:w0@2 flush:2 call:z0@2/1", "iiii",
      "S@1 4096, S@1 4096, S@31 4096, S@51 0", 0, 3, 0, 0 },
    { "always punted", "ext4", KERNEL (6, 18), NULL, "S@1/0: call:w0 ring:8 sqe:z0 submit say:on submit:1 reap", "iU",
      "S@1 4096, S@1 on, S@21 reap b", 0, 1, 0, 0 },
    { "always punted, before 6.3 after an attempt", "ext4", KERNEL (6, 1), NULL,
      "S@1/0: call:w0 ring:8 sqe:z0 submit:1 reap", "iU", "S@1 4096, S@21 reap b", 0, 1, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

static void test_stable_pages (void)
{
  static const SyncRow rows[] = {
    { "a page under writeback may be written", "ext4", KERNEL (6, 18), NULL, "S@1: call:w0 call:z0/2 call:w0 sleep:30",
      "iii", "S@1 4096, S@1 0, S@1 4096", 0, 1, 0, 0 },
    { "not on a device with checksums or parity: it is waited for", "ext4", KERNEL (6, 18), "Device.StableWrites=yes",
      "S@1: call:w0 call:z0/2 call:w0", "iii", "S@1 4096, S@1 0, S@21 4096", 0, 1, 0, 0 },
    { "nor on btrfs", "btrfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:z0/2 call:w0", "iii",
      "S@1 4096, S@1 0, S@21 4096", 0, 1, 0, 0 },
    { "nor a page that a sweep reached after it had gone back to the lowest pages", "btrfs", KERNEL (6, 18), NULL,
      "S@1: call:w0@1 call:w0@200 flush:1 sleep:30 call:w0@2 flush:2 call:w0@2", "iiii",
      "S@1 4096, S@1 4096, S@31 4096, S@51 4096", 0, 3, 0, 0 },
    { "other pages are free", "btrfs", KERNEL (6, 18), NULL, "S@1: call:w0 call:z0/2 call:w0@7 sleep:30", "iii",
      "S@1 4096, S@1 0, S@1 4096", 0, 1, 0, 0 },
    { "the lock is held meanwhile", "btrfs", KERNEL (6, 18), NULL,
      "S@1/0: call:w0 call:z0/2 call:w0 | T@6/1: write say:in unlock", "iii",
      "S@1 4096, S@1 0, S@21 4096, T@21 write, T@21 in", 0, 1, 0, 0 },
    { "NOWAIT waits too: the submitter sleeps", "btrfs", KERNEL (6, 1), NULL,
      "S@1/0: ring:8 call:w0 call:z0/2 sqe:w0 submit say:on submit:1 reap", "iii",
      "S@1 4096, S@1 0, S@21 on, S@21 reap c", 0, 1, 0, 0 },
  };

  CHECK_ROWS (rows, CACHE_CLEAN);
}

/* ---- RWF_DONTCACHE ---- */

static void test_dontcache (void)
{
  static const struct {
    SyncRow row;
    CacheState cache;
    unsigned page, missing, dropped; /* of file 0 at the end: is this page gone; pages dropped */
  } rows[] = {
    { { "a page that it adds is written at once and gone afterwards", "ext4", KERNEL (6, 18), NULL,
        "S@1: call:qw0@20000 sleep:30", "i", "S@1 4096", 0, 1, 0, 0 },
      CACHE_CLEAN,
      20000,
      1,
      1 },
    { { "a page that was there is written at once and stays", "ext4", KERNEL (6, 18), NULL, "S@1: call:qw0@9 sleep:30",
        "i", "S@1 4096", 0, 1, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "a plain write keeps it", "xfs", KERNEL (6, 18), NULL, "S@1: call:qw0@20000 call:w0@20000 sleep:30", "ii",
        "S@1 4096, S@1 4096", 0, 1, 0, 0 },
      CACHE_CLEAN,
      20000,
      0,
      0 },
    { { "with O_DSYNC it waits, and they are gone too", "ext4", KERNEL (6, 18), "Cache.Volatile=no", "S@1: call:eqw0@9",
        "i", "S@21 4096", 0, 1, 0, 0 },
      CACHE_COLD,
      9,
      1,
      1 },
    { { "a page that is read in goes after the copy", "ext4", KERNEL (6, 18), NULL, "S@1: call:qr0@9 call:qr0@9", "ii",
        "S@101 4096, S@201 4096", 2, 0, 0, 0 },
      CACHE_COLD,
      9,
      1,
      2 },
    { { "one that was there stays", "ext4", KERNEL (6, 18), NULL, "S@1: call:qr0@9", "i", "S@1 4096", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "by a callback: the same", "xfs", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:qr0@9 submit:1 reap", "a",
        "S@101 reap a", 1, 0, 0, 0 },
      CACHE_COLD,
      9,
      1,
      1 },
    { { "ext4 before 6.17: EOPNOTSUPP", "ext4", KERNEL (6, 16), NULL, "S@1/0: ring:8 sqe:qw0 submit:1 reap results",
        "F", "S@1 reap a, S@1 results a EOPNOTSUPP", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "XFS before 6.15: EOPNOTSUPP", "xfs", KERNEL (6, 14), NULL, "S@1/0: ring:8 sqe:qr0 submit:1 reap results", "F",
        "S@1 reap a, S@1 results a EOPNOTSUPP", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "XFS from 6.15 on", "xfs", KERNEL (6, 15), NULL, "S@1/0: ring:8 sqe:qr0 submit:1 reap results", "i",
        "S@1 reap a, S@1 results a ok", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "btrfs, block devices: never", "block", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:qw0 submit:1 reap results",
        "F", "S@1 reap a, S@1 results a EOPNOTSUPP", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
    { { "btrfs, block devices: never", "btrfs", KERNEL (6, 18), NULL, "S@1/0: ring:8 sqe:qw0 submit:1 reap results",
        "F", "S@1 reap a, S@1 results a EOPNOTSUPP", 0, 0, 0, 0 },
      CACHE_CLEAN,
      9,
      0,
      0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = run_row (&rows[i].row, rows[i].cache);
    PageCount count = page_cache_count (&fixture_inode (fixture, 0)->pages, rows[i].page * PAGE_SIZE_BYTES, 1);

    ROW_CHECK (count.missing == rows[i].missing && fixture->sim->wb->dropped == rows[i].dropped,
               "%s: missing %u, dropped %u", rows[i].row.rule, count.missing, (unsigned) fixture->sim->wb->dropped);
    fixture_free (fixture);
  }
}

/* Who writes pays the submission; who drops them pays that. */
static void test_costs (void)
{
  static const ScriptRow rows[] = {
    { "RWF_DONTCACHE: the writer takes the page and submits it",
      DEVICE ", Memory.WritebackPage=3000, Block.Submit=2000, Block.Dispatch=1000", "S@1: call:qw0@20000 sleep:30",
      "S@7 4096" },
    { "a plain write does not", DEVICE ", Memory.WritebackPage=3000, Block.Submit=2000", "S@1: call:w0@20000",
      "S@1 4096" },
    { "fsync, then who commits", DEVICE ", FileSystem ext4.Fsync=5000, FileSystem ext4.Commit=7000",
      "S@1: call:w0 call:s0 call:s0", "S@1 4096, S@123 0, S@178 0" },
    { "O_DSYNC costs an fsync", DEVICE ", FileSystem ext4.Fsync=5000", "S@1: call:ew0", "S@76 4096" },
    { "who reads past the cache drops the page", "Memory.EvictPage=4000", "S@1: call:qr0@20000 call:qr0",
      "S@1 0, S@1 4096" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.18", "kernel=6.18");
}

void register_fsync_tests (void)
{
  CU_pSuite suite = fixture_suite ("fsync");

  fixture_test (suite, "commits", test_commits);
  fixture_test (suite, "group commit", test_group_commit);
  fixture_test (suite, "synced writes", test_synced_writes);
  fixture_test (suite, "synced direct writes", test_synced_direct_writes);
  fixture_test (suite, "sync_file_range", test_sync_file_range);
  fixture_test (suite, "stable pages", test_stable_pages);
  fixture_test (suite, "RWF_DONTCACHE", test_dontcache);
  fixture_test (suite, "costs", test_costs);
}
