/* The decision table of the issue path: for an operation, a file and a range of kernels, what the NONBLOCK attempt does
 * and under which inode lock, where the request goes after EAGAIN, and which lock its worker takes.  All of it is
 * observed from outside: with a reader and with a writer holding the lock, a try-lock fails, a blocking lock
 * waits, and no lock at all does neither. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define ALWAYS 0
#define OPEN UINT_MAX
/* 32 channels; a read takes 100 us, a write 20 us. */
#define DEVICE "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000, Flush.Time=50000"
#define HELD_US 1000u

typedef enum { FILE_CLEAN, FILE_COLD, FILE_UNWRITTEN, FILE_EMPTY } FileState;

/* `request` as in scripts.  The columns: the attempt's result when the lock is free ("inline", "async" for a device or
 * page callback, "EAGAIN", "none": no attempt); its inode lock ("-", "T-S" and "T-X" try-locks, "S" and "X" blocking);
 * after EAGAIN ("-": does not happen with a file whose lock is all that can be in the way; "H", "U": hashed or not,
 * 'c': CONCURRENT; "F": failed; "wait": waits for the lock after all); the lock in the worker. */
typedef struct {
  const char *rule, *request;
  FileState state;
  const char *fs;
  unsigned since, until;
  const char *attempt, *attempt_lock, *after, *worker_lock;
} PathRow;

/* The kernels at whose edges rows are looked at. */
static const unsigned kernels[] = {
  KERNEL (5, 1),  KERNEL (5, 3),  KERNEL (5, 4),  KERNEL (5, 5),  KERNEL (5, 6),  KERNEL (5, 8),
  KERNEL (5, 9),  KERNEL (5, 10), KERNEL (5, 11), KERNEL (5, 12), KERNEL (5, 14), KERNEL (5, 15),
  KERNEL (5, 19), KERNEL (6, 0),  KERNEL (6, 1),  KERNEL (6, 2),  KERNEL (6, 3),  KERNEL (6, 4),
  KERNEL (6, 5),  KERNEL (6, 9),  KERNEL (6, 14), KERNEL (6, 15), KERNEL (6, 18),
};

/* A kernel that tries everything and punts nothing: what is left is the attempt. (transfer full): its path */
static char *attempt_only (void)
{
  g_autoptr (GError) error = NULL;
  const char *text = "[Policy]\nName=attempt-only\nTitle=attempt only\nBase=linux-6.1\nSource=a test\nAccount=a\\nb\n"
                     "[Rule 10]\nMatch=true\nAttempt=nonblock\nOnAgain=fail\n";
  char *path = NULL;
  int fd = g_file_open_tmp ("uringsim-XXXXXX.policy", &path, &error);

  if (fd < 0 || !g_file_set_contents (path, text, -1, &error))
    g_error ("%s", error->message);
  close (fd);
  return path;
}

/* One run: the request, with the lock of its file free or held for HELD_US (`hold` "read" or "write"). */
typedef struct {
  Outcome outcome;
  gboolean concurrent, touched, waited;
  int64_t result;
  unsigned acquired; /* times somebody else than the holder got the lock */
} Observation;

static Observation observe (const PathRow *row, unsigned kernel, const char *policy, const char *forced,
                            const char *hold)
{
  Fixture *fixture = fixture_new (policy ? policy : fixture_generation (kernel), row->fs, COSTS_FREE);
  WorkloadFile *file = g_ptr_array_index (fixture->workload->files, 0);
  g_autofree char *holder = hold ? g_strdup_printf ("L/1: %s run:%u unlock | ", hold, HELD_US) : g_strdup ("");
  g_autofree char *script =
      g_strdup_printf ("%sS@1/0: ring:8 sqe:%s%s submit:1 reap", holder, forced ? forced : "", row->request);
  const Request *request;
  Observation seen = { 0 };

  fixture_set (fixture, DEVICE ", Ring.AttemptRefused=100");
  for (unsigned i = 0; i < 3; i++) {
    g_autofree char *set =
        g_strdup_printf ("FileSystem %s.%sBefore=10", row->fs, (const char *[]){ "Read", "Write", "Direct" }[i]);

    fixture_set (fixture, set);
  }
  fixture->setup.kernel = kernel;
  fixture->setup.cache = row->state == FILE_CLEAN ? CACHE_CLEAN : CACHE_COLD;
  file->unwritten = row->state == FILE_UNWRITTEN;
  if (row->state == FILE_EMPTY)
    file->size = 0;
  fixture_build (fixture);
  inode_time_updated (fixture_inode (fixture, 0)); /* the time stamp has its own test */
  fixture_script (fixture, script);
  fixture_run (fixture, row->rule);
  request = g_ptr_array_index (fixture->requests, 0);
  seen.outcome = request->outcome;
  seen.concurrent = request->concurrent;
  seen.result = request->result;
  seen.touched = request->time.verdict > request->time.attempt;
  seen.waited = request->time.done >= (HELD_US - 1) * UR_US;
  seen.acquired = (unsigned) fixture_inode (fixture, 0)->rwsem.count.acquired - (hold != NULL);
  fixture_free (fixture);
  return seen;
}

/* The lock of an attempt or of a worker, from three runs. */
static const char *lock_of (const Observation *free, const Observation *reader, const Observation *writer)
{
  if (free->acquired == 0)
    return "-";
  if (reader->acquired && !reader->waited) /* beside a reader */
    return writer->waited ? "S" : "T-S";
  return reader->waited ? "X" : "T-X";
}

static const char *after_again (const Observation *seen)
{
  static const char *const names[][2] = { [OUTCOME_PUNTED_HASHED] = { "H", "Hc" },
                                          [OUTCOME_PUNTED_UNHASHED] = { "U", "Uc" },
                                          [OUTCOME_FAILED] = { "F", "F" },
                                          [OUTCOME_INLINE] = { "wait", "wait" },
                                          [OUTCOME_ASYNC] = { "wait", "wait" } };

  return names[seen->outcome][seen->concurrent];
}

static void check_row (const PathRow *row, unsigned kernel, const char *attempt_policy)
{
  Observation free = observe (row, kernel, NULL, NULL, NULL);
  Observation tried[3] = { observe (row, kernel, attempt_policy, NULL, NULL),
                           observe (row, kernel, attempt_policy, NULL, "read"),
                           observe (row, kernel, attempt_policy, NULL, "write") };
  /* a worker's: with IOSQE_ASYNC, or before that existed a blocking call in its place */
  Observation worker[3];
  gboolean punted = free.outcome == OUTCOME_PUNTED_HASHED || free.outcome == OUTCOME_PUNTED_UNHASHED;
  const char *attempt = free.outcome == OUTCOME_INLINE  ? "inline"
                        : free.outcome == OUTCOME_ASYNC ? "async"
                        : punted && !free.touched       ? "none"
                                                        : "EAGAIN";
  const char *lock = strcmp (attempt, "none") == 0 ? "-" : lock_of (&tried[0], &tried[1], &tried[2]);
  Observation again = punted || free.outcome == OUTCOME_FAILED ? free : observe (row, kernel, NULL, NULL, "write");
  const char *after = again.outcome == free.outcome && !punted && !again.waited ? "-" : after_again (&again);
  const char *worker_lock;
  static const char *const holds[] = { NULL, "read", "write" };
  gboolean ok;

  for (unsigned i = 0; i < 3; i++)
    worker[i] = observe (row, kernel, kernel < KERNEL (5, 6) ? "no-offload" : "always-punt", NULL, holds[i]);
  worker_lock = lock_of (&worker[0], &worker[1], &worker[2]);
  ok = strcmp (attempt, row->attempt) == 0 && strcmp (lock, row->attempt_lock) == 0 &&
       strcmp (after, row->after) == 0 && strcmp (worker_lock, row->worker_lock) == 0;
  ROW_CHECK (ok, "%s (%s), %s %u.%u: %s %s %s %s, expected %s %s %s %s", row->rule, row->request, row->fs,
             KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel), attempt, lock, after, worker_lock, row->attempt,
             row->attempt_lock, row->after, row->worker_lock);
}

/* At both ends of the range; rows of one rule and file system lie side by side and leave out no kernel. */
static void check_rows (const PathRow *rows, unsigned n)
{
  g_autofree char *policy = attempt_only ();

  for (unsigned i = 0; i < n; i++) {
    const PathRow *row = &rows[i], *before = i ? &rows[i - 1] : NULL;
    gboolean goes_on = before && strcmp (before->rule, row->rule) == 0 && strcmp (before->fs, row->fs) == 0;
    unsigned first = 0, last = G_N_ELEMENTS (kernels) - 1;

    ROW_CHECK (goes_on ? row->since == before->until : row->since == ALWAYS && (!before || before->until == OPEN),
               "%s, %s: no kernel is left out", row->rule, row->fs);
    while (kernels[first] < row->since)
      first++;
    while (kernels[last] >= row->until)
      last--;
    ROW_CHECK (first <= last, "%s, %s: an empty range", row->rule, row->fs);
    check_row (row, kernels[first], policy);
    if (first < last)
      check_row (row, kernels[last], policy);
  }
  g_unlink (policy);
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_buffered_writes (void)
{
#define RULE "buffered write of a page in the cache", "w0", FILE_CLEAN
  static const PathRow rows[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" },
    { RULE, "ext4", KERNEL (5, 5), OPEN, "EAGAIN", "-", "H", "X" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" },
    { RULE, "xfs", KERNEL (5, 5), KERNEL (6, 0), "EAGAIN", "-", "H", "X" },
    { RULE, "xfs", KERNEL (6, 0), OPEN, "inline", "T-X", "H", "X" },
    { RULE, "btrfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" },
    { RULE, "btrfs", KERNEL (5, 5), KERNEL (6, 1), "EAGAIN", "-", "H", "X" },
    { RULE, "btrfs", KERNEL (6, 1), OPEN, "inline", "T-X", "H", "X" },
    { RULE, "f2fs", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" },
    { RULE, "f2fs", KERNEL (5, 5), KERNEL (6, 5), "EAGAIN", "-", "H", "X" },
    { RULE, "f2fs", KERNEL (6, 5), OPEN, "inline", "T-X", "H", "X" },
    { RULE, "tmpfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" },
    { RULE, "tmpfs", KERNEL (5, 5), OPEN, "EAGAIN", "-", "H", "X" },
    { RULE, "block", ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "-" },
    { RULE, "block", KERNEL (5, 5), KERNEL (6, 15), "EAGAIN", "-", "U", "-" },
    { RULE, "block", KERNEL (6, 15), OPEN, "EAGAIN", "-", "U", "S" },
  };
#undef RULE
#define ROWS(rule, request, state, fs, h)                                       \
  { rule, request, state, fs, ALWAYS, KERNEL (5, 5), "EAGAIN", "-", "U", "X" }, \
  {                                                                             \
    rule, request, state, fs, KERNEL (5, 5), h, "EAGAIN", "-", "H", "X"         \
  }
  static const PathRow others[] = {
    ROWS ("buffered write with a registered file and buffer", "fgw0", FILE_CLEAN, "ext4", OPEN),
    ROWS ("buffered write of a page that is not in the cache", "w0", FILE_COLD, "xfs", KERNEL (6, 0)),
    { "buffered write of a page that is not in the cache", "w0", FILE_COLD, "xfs", KERNEL (6, 0), OPEN, "inline", "T-X",
      "H", "X" },
    ROWS ("buffered append", "w0", FILE_EMPTY, "xfs", KERNEL (6, 0)),
    { "buffered append", "w0", FILE_EMPTY, "xfs", KERNEL (6, 0), OPEN, "inline", "T-X", "H", "X" },
    ROWS ("buffered write beyond the end, leaving a gap", "w0@4", FILE_EMPTY, "xfs", KERNEL (6, 0)),
    { "buffered write beyond the end, leaving a gap", "w0@4", FILE_EMPTY, "xfs", KERNEL (6, 0), OPEN, "EAGAIN", "T-X",
      "H", "X" },
    ROWS ("buffered write of part of a block that must be read", "w0/512", FILE_COLD, "xfs", KERNEL (6, 0)),
    { "buffered write of part of a block that must be read", "w0/512", FILE_COLD, "xfs", KERNEL (6, 0), OPEN, "EAGAIN",
      "T-X", "H", "X" },
    ROWS ("buffered write of part of a block that is there", "w0/512", FILE_CLEAN, "xfs", KERNEL (6, 0)),
    { "buffered write of part of a block that is there", "w0/512", FILE_CLEAN, "xfs", KERNEL (6, 0), OPEN, "inline",
      "T-X", "H", "X" },
  };

  CHECK_ROWS (rows);
  CHECK_ROWS (others);
}

static void test_buffered_reads (void)
{
#define RULE "buffered read, page hit", "r0", FILE_CLEAN
  static const PathRow hits[] = {
    { RULE, "ext4", ALWAYS, OPEN, "inline", "-", "-", "-" },
    { RULE, "btrfs", ALWAYS, OPEN, "inline", "-", "-", "-" },
    { RULE, "f2fs", ALWAYS, OPEN, "inline", "-", "-", "-" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 9), "inline", "T-S", "U", "S" },
    { RULE, "xfs", KERNEL (5, 9), OPEN, "inline", "T-S", "wait", "S" },
    { RULE, "block", ALWAYS, KERNEL (6, 15), "inline", "-", "-", "-" },
    { RULE, "block", KERNEL (6, 15), OPEN, "inline", "S", "wait", "S" },
    { RULE, "tmpfs", ALWAYS, KERNEL (6, 5), "inline", "-", "-", "-" },
    { RULE, "tmpfs", KERNEL (6, 5), OPEN, "EAGAIN", "-", "U", "-" },
  };
#undef RULE
#define RULE "buffered read, page miss", "r0", FILE_COLD
  static const PathRow misses[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 9), "EAGAIN", "-", "U", "-" },
    { RULE, "ext4", KERNEL (5, 9), OPEN, "async", "-", "-", "-" },
    { RULE, "btrfs", ALWAYS, KERNEL (5, 9), "EAGAIN", "-", "U", "-" },
    { RULE, "btrfs", KERNEL (5, 9), OPEN, "async", "-", "-", "-" },
    { RULE, "f2fs", ALWAYS, KERNEL (5, 9), "EAGAIN", "-", "U", "-" },
    { RULE, "f2fs", KERNEL (5, 9), OPEN, "async", "-", "-", "-" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 9), "EAGAIN", "T-S", "U", "S" },
    { RULE, "xfs", KERNEL (5, 9), OPEN, "async", "T-S", "wait", "S" },
    { RULE, "block", ALWAYS, KERNEL (5, 9), "EAGAIN", "-", "U", "-" },
    { RULE, "block", KERNEL (5, 9), KERNEL (6, 15), "async", "-", "-", "-" },
    { RULE, "block", KERNEL (6, 15), OPEN, "async", "S", "wait", "S" },
  };
#undef RULE

  CHECK_ROWS (hits);
  CHECK_ROWS (misses);
}

static void test_direct_reads (void)
{
#define RULE "direct read", "or0", FILE_COLD
  static const PathRow rows[] = {
    { RULE, "ext4", ALWAYS, OPEN, "async", "T-S", "U", "S" },  { RULE, "xfs", ALWAYS, OPEN, "async", "T-S", "U", "S" },
    { RULE, "btrfs", ALWAYS, OPEN, "async", "T-S", "U", "S" }, { RULE, "f2fs", ALWAYS, OPEN, "async", "T-S", "U", "S" },
    { RULE, "block", ALWAYS, OPEN, "async", "-", "-", "-" },
  };
#undef RULE

  CHECK_ROWS (rows);
}

static void test_direct_writes (void)
{
#define RULE "direct write, aligned overwrite", "ow0", FILE_COLD
  static const PathRow overwrites[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "async", "T-S", "U", "S" },
    { RULE, "ext4", KERNEL (5, 5), KERNEL (6, 4), "async", "T-S", "H", "S" },
    { RULE, "ext4", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 5), "async", "T-S", "U", "S" },
    { RULE, "xfs", KERNEL (5, 5), KERNEL (6, 4), "async", "T-S", "H", "S" },
    { RULE, "xfs", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
    { RULE, "block", ALWAYS, OPEN, "async", "-", "-", "-" },
  };
#undef RULE
#define RULE "direct write that extends the file", "ow0", FILE_EMPTY
  static const PathRow extending[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "ext4", KERNEL (5, 5), KERNEL (6, 4), "EAGAIN", "T-X", "H", "X" },
    { RULE, "ext4", KERNEL (6, 4), OPEN, "EAGAIN", "T-X", "U", "X" },
    { RULE, "btrfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "btrfs", KERNEL (5, 5), OPEN, "EAGAIN", "T-X", "H", "X" },
  };
#undef RULE
#define RULE "direct write into preallocated blocks without data", "ow0", FILE_UNWRITTEN
  static const PathRow unwritten[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "ext4", KERNEL (5, 5), KERNEL (6, 3), "EAGAIN", "T-X", "H", "X" },
    { RULE, "ext4", KERNEL (6, 3), KERNEL (6, 4), "async", "T-S", "H", "S" },
    { RULE, "ext4", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 5), "async", "T-S", "U", "S" },
    { RULE, "xfs", KERNEL (5, 5), KERNEL (6, 4), "async", "T-S", "H", "S" },
    { RULE, "xfs", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
  };
#undef RULE
#define RULE "direct write of part of a block, overwrite", "ow0/512", FILE_COLD
  static const PathRow unaligned[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "ext4", KERNEL (5, 5), KERNEL (6, 4), "EAGAIN", "T-X", "H", "X" },
    { RULE, "ext4", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "xfs", KERNEL (5, 5), KERNEL (5, 12), "EAGAIN", "T-X", "H", "X" },
    { RULE, "xfs", KERNEL (5, 12), KERNEL (6, 4), "async", "T-S", "H", "S" },
    { RULE, "xfs", KERNEL (6, 4), OPEN, "async", "T-S", "U", "S" },
  };
#undef RULE
#define RULE "direct write of part of a block without data", "ow0/512", FILE_UNWRITTEN
  static const PathRow zeroing[] = {
    { RULE, "ext4", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "ext4", KERNEL (5, 5), KERNEL (6, 4), "EAGAIN", "T-X", "H", "X" },
    { RULE, "ext4", KERNEL (6, 4), OPEN, "EAGAIN", "T-X", "U", "X" },
    { RULE, "xfs", ALWAYS, KERNEL (5, 5), "EAGAIN", "T-X", "U", "X" },
    { RULE, "xfs", KERNEL (5, 5), KERNEL (6, 4), "EAGAIN", "T-X", "H", "X" },
    { RULE, "xfs", KERNEL (6, 4), OPEN, "EAGAIN", "T-X", "U", "X" },
  };
#undef RULE

  CHECK_ROWS (overwrites);
  CHECK_ROWS (extending);
  CHECK_ROWS (unwritten);
  CHECK_ROWS (unaligned);
  CHECK_ROWS (zeroing);
}

static void test_syncs (void)
{
  static const struct {
    const char *rule, *request;
  } ops[] = { { "fsync", "s0" }, { "fdatasync", "y0" }, { "sync_file_range", "z0" } };
  static const char *const fs[] = { "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "block" };

  for (unsigned i = 0; i < G_N_ELEMENTS (ops); i++)
    for (unsigned k = i ? 3 : 0; k < G_N_ELEMENTS (fs); k++) {
      const PathRow rows[] = {
        { ops[i].rule, ops[i].request, FILE_CLEAN, fs[k], ALWAYS, KERNEL (6, 3), "EAGAIN", "-", "U", "-" },
        { ops[i].rule, ops[i].request, FILE_CLEAN, fs[k], KERNEL (6, 3), OPEN, "none", "-", "Uc", "-" },
      };

      CHECK_ROWS (rows);
    }
}

/* ---- flags of single requests, and what is on no file ---- */

/* `outcomes` as fixture_outcomes(), `log` with what "results" says (nullable). */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  CacheState cache;
  const char *script, *outcomes, *log;
} FlagRow;

static void check_flag_rows (const FlagRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    Fixture *fixture = fixture_new (fixture_generation (rows[i].kernel), rows[i].fs, COSTS_FREE);
    g_autofree char *outcomes = NULL;

    fixture_set (fixture, DEVICE);
    fixture->setup.kernel = rows[i].kernel;
    fixture->setup.cache = (int) rows[i].cache;
    fixture_build (fixture);
    inode_time_updated (fixture_inode (fixture, 0));
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    outcomes = fixture_outcomes (fixture);
    ROW_CHECK (strcmp (outcomes, rows[i].outcomes) == 0, "%s, %s %u: %s, expected %s", rows[i].rule, rows[i].fs,
               rows[i].kernel, outcomes, rows[i].outcomes);
    if (rows[i].log)
      fixture_check_log (fixture, rows[i].rule, rows[i].log);
    fixture_free (fixture);
  }
}
#define CHECK_FLAG_ROWS(rows) check_flag_rows (rows, G_N_ELEMENTS (rows))

#define ONE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap results"
#define HELD(lock, request) "L/1: " lock " run:300 unlock | " ONE (request)

static void test_forced (void)
{
  static const FlagRow rows[] = {
    { "IOSQE_ASYNC before it existed: EINVAL", "ext4", KERNEL (5, 5), CACHE_CLEAN, ONE ("aw0"), "F",
      "S@1 reap a, S@1 results a EINVAL" },
    { "IOSQE_ASYNC, a write: hashed as long as the file is looked up first", "ext4", KERNEL (5, 6), CACHE_CLEAN,
      ONE ("aw0"), "H", NULL },
    { "IOSQE_ASYNC, a write: hashed as long as the file is looked up first", "xfs", KERNEL (6, 1), CACHE_CLEAN,
      ONE ("aw0"), "H", NULL },
    { "IOSQE_ASYNC, a write: not hashed any more", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("aw0"), "U", NULL },
    { "IOSQE_ASYNC, a direct write", "ext4", KERNEL (6, 18), CACHE_COLD, ONE ("aow0"), "U", NULL },
    { "IOSQE_ASYNC, a read that would hit", "ext4", KERNEL (5, 6), CACHE_CLEAN, ONE ("ar0"), "U", NULL },
    { "IOSQE_ASYNC, a read that would hit", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("ar0"), "U", NULL },
    { "IOSQE_ASYNC, a NOP before it existed: EINVAL", "ext4", KERNEL (5, 5), CACHE_CLEAN, ONE ("an"), "F", NULL },
    { "IOSQE_ASYNC, a NOP: queued, never hashed", "ext4", KERNEL (5, 6), CACHE_CLEAN, ONE ("an"), "U",
      "S@1 reap a, S@1 results a ok" },
    { "IOSQE_ASYNC, a NOP: queued, never hashed", "ext4", KERNEL (6, 1), CACHE_CLEAN, ONE ("an"), "U", NULL },
    { "IOSQE_ASYNC, a NOP: queued, never hashed", "xfs", KERNEL (6, 18), CACHE_CLEAN, ONE ("an"), "U", NULL },
    { "a NOP without: inline", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("n"), "i", NULL },
    { "IOSQE_ASYNC, an fsync", "ext4", KERNEL (6, 1), CACHE_CLEAN, ONE ("as0"), "U", NULL },
  };

  CHECK_FLAG_ROWS (rows);
}

static void test_rwf_nowait (void)
{
  static const FlagRow rows[] = {
    { "RWF_NOWAIT: what need not wait is done", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("ir0"), "i",
      "S@1 reap a, S@1 results a ok" },
    { "RWF_NOWAIT: EAGAIN is its completion, a miss starts nothing", "ext4", KERNEL (6, 18), CACHE_COLD, ONE ("ir0"),
      "F", "S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: the same on 5.1", "ext4", KERNEL (5, 1), CACHE_COLD, ONE ("ir0"), "F",
      "S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: a buffered write of ext4 always fails", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("iw0"), "F",
      "S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: one of xfs is tried", "xfs", KERNEL (6, 18), CACHE_CLEAN, ONE ("iw0"), "i",
      "S@1 reap a, S@1 results a ok" },
    { "RWF_NOWAIT: and fails if the lock is taken", "xfs", KERNEL (6, 18), CACHE_CLEAN, HELD ("read", "iw0"), "F",
      "L@0 read, S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: a read of xfs does not wait for the lock", "xfs", KERNEL (6, 18), CACHE_CLEAN, HELD ("write", "ir0"),
      "F", "L@0 write, S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: a direct write", "ext4", KERNEL (6, 18), CACHE_COLD, ONE ("iow0"), "a",
      "S@21 reap a, S@21 results a ok" },
    { "RWF_NOWAIT: a direct write, lock taken", "ext4", KERNEL (6, 18), CACHE_COLD, HELD ("write", "iow0"), "F",
      "L@0 write, S@1 reap a, S@1 results a EAGAIN" },
    { "RWF_NOWAIT: a file that does not know NOWAIT", "tmpfs", KERNEL (6, 1), CACHE_CLEAN, ONE ("ir0"), "F",
      "S@1 reap a, S@1 results a EOPNOTSUPP" },
    { "RWF_NOWAIT and IOSQE_ASYNC: a worker, which does not wait either", "ext4", KERNEL (6, 18), CACHE_COLD,
      ONE ("air0"), "F", "S@1 reap a, S@1 results a EAGAIN" },
  };

  CHECK_FLAG_ROWS (rows);
}

static void test_nop (void)
{
  static const FlagRow rows[] = {
    { "NOP: inline", "ext4", KERNEL (5, 1), CACHE_CLEAN, ONE ("n"), "i", NULL },
    { "NOP: inline", "ext4", KERNEL (6, 18), CACHE_CLEAN, ONE ("n"), "i", NULL },
    { "NOP: inline, whoever holds a lock", "xfs", KERNEL (6, 1), CACHE_CLEAN, HELD ("write", "n"), "i", NULL },
  };

  CHECK_FLAG_ROWS (rows);
}

/* What else makes a buffered write under NOWAIT fail, and what does not. */
static void test_nowait_conditions (void)
{
  static const FlagRow rows[] = {
    { "a page that another request is reading is locked", "xfs", KERNEL (6, 18), CACHE_COLD,
      "S@1/0: ring:8 sqe:r0@9 sqe:w0@9 submit:2 reap", "aH", NULL },
    { "the page beside it is not", "xfs", KERNEL (6, 18), CACHE_COLD, "S@1/0: ring:8 sqe:r0@9 sqe:w0@10 submit:2 reap",
      "ai", NULL },
    { "btrfs: a page that is being read", "btrfs", KERNEL (6, 18), CACHE_COLD,
      "S@1/0: ring:8 sqe:r0@9 sqe:w0@9 submit:2 reap", "aH", NULL },
    { "a page under writeback needs no waiting for without stable pages", "xfs", KERNEL (6, 18), CACHE_CLEAN,
      "S@1/0: ring:8 sqe:w0 sqe:s0 submit run:5 sqe:w0 submit:3 reap", "iUi", NULL },
    { "a writer waits for the lock that readers hold", "xfs", KERNEL (6, 18), CACHE_CLEAN,
      "L/1: read run:300 unlock | M@0.5/2: write unlock | " ONE ("w0"), "H", NULL },
    { "one write of the file was punted: until its worker is done the next ones are too", "xfs", KERNEL (6, 18),
      CACHE_COLD, "S@1/0: ring:8 sqe:w0/512@9 submit run:10 sqe:w0@20 submit run:200 sqe:w0@21 submit:3 reap", "HHi",
      NULL },
    { "other files are not concerned", "xfs", KERNEL (6, 18), CACHE_COLD,
      "S@1/0: ring:8 sqe:w1 submit:1 reap sqe:w0/512@9 submit run:10 sqe:w1@20 submit:2 reap", "HHi", NULL },
  };

  CHECK_FLAG_ROWS (rows);
}

/* Async buffered reads: NOWAIT is cleared in the second try, so it sleeps on locks; the callback's retry does not. */
static void test_async_reads (void)
{
  static const FlagRow rows[] = {
    { "a miss behind a writer: the submitter sleeps for the lock, then a callback", "xfs", KERNEL (6, 18), CACHE_COLD,
      "L/1: write run:300 unlock | S@1/0: ring:8 sqe:r0@9 submit say:on submit:1 reap", "a",
      "L@0 write, S@300 on, S@400 reap a" },
    { "a hit behind a writer: the submitter sleeps for the lock", "xfs", KERNEL (5, 9), CACHE_CLEAN,
      "L/1: write run:300 unlock | S@1/0: ring:8 sqe:r0@9 submit say:on submit:1 reap", "i",
      "L@0 write, S@300 on, S@300 reap a" },
    { "before 5.9 a worker sleeps", "xfs", KERNEL (5, 8), CACHE_CLEAN,
      "L/1: write run:300 unlock | S@1/0: ring:8 sqe:r0@9 submit say:on submit:1 reap", "U",
      "L@0 write, S@1 on, S@300 reap a" },
    { "the callback's own try finds the lock taken: to a worker", "xfs", KERNEL (6, 18), CACHE_COLD,
      "L@50/1: write run:100 unlock | S@1/0: ring:8 sqe:r0@9 submit:1 reap", "U", "L@50 write, S@150 reap a" },
    { "ext4 takes no lock: a writer does not matter", "ext4", KERNEL (6, 18), CACHE_COLD,
      "L/1: write run:300 unlock | S@1/0: ring:8 sqe:r0@9 submit:1 reap", "a", "L@0 write, S@101 reap a" },
    { "a page that is already on its way: waited for by a callback too", "ext4", KERNEL (6, 18), CACHE_COLD,
      "S@1/0: ring:8 sqe:r0@9 sqe:r0@9 submit:2 reap", "aa", "S@101 reap ab" },
    { "some pages there, some not", "ext4", KERNEL (6, 18), CACHE_COLD,
      "S@1/0: ring:8 sqe:r0@9 submit:1 reap sqe:r0+2@9 submit:1 reap", "aa", "S@101 reap a, S@201 reap b" },
  };

  CHECK_FLAG_ROWS (rows);
}

void register_issue_path_tests (void)
{
  CU_pSuite suite = fixture_suite ("issue path");

  fixture_test (suite, "buffered writes", test_buffered_writes);
  fixture_test (suite, "buffered reads", test_buffered_reads);
  fixture_test (suite, "direct reads", test_direct_reads);
  fixture_test (suite, "direct writes", test_direct_writes);
  fixture_test (suite, "syncs", test_syncs);
  fixture_test (suite, "IOSQE_ASYNC", test_forced);
  fixture_test (suite, "RWF_NOWAIT", test_rwf_nowait);
  fixture_test (suite, "NOP", test_nop);
  fixture_test (suite, "buffered writes under NOWAIT", test_nowait_conditions);
  fixture_test (suite, "asynchronous buffered reads", test_async_reads);
}
