/* Submission under policies: what their conditions see at the moment of decision, and what OnAgain= does. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A policy with one more rule, as a file. (transfer full): its path */
static char *policy_file (const char *base, const char *rule)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("[Policy]\nName=probe\nTitle=probe\nBase=%s\nSource=a test\n"
                                           "Account=one\\ntwo\n[Rule 10]\n%s\n",
                                           base, rule);
  char *path = NULL;
  int fd = g_file_open_tmp ("uringsim-XXXXXX.policy", &path, &error);

  if (fd < 0 || !g_file_set_contents (path, text, -1, &error))
    g_error ("%s", error->message);
  close (fd);
  return path;
}

static Fixture *policy_fixture (const char *base, const char *rule, const char *fs)
{
  g_autofree char *path = policy_file (base, rule);
  Fixture *fixture = fixture_new (path, fs, COSTS_FREE);

  g_unlink (path);
  return fixture;
}

/* ---- conditions ---- */

/* outcome: a letter for each request: inline if the condition was true, else punted, Hashed or Unhashed. */
typedef struct {
  const char *condition, *fs, *set, *script, *outcome;
} Row;

static void check_rows (const Row *rows, unsigned n, const char *base)
{
  for (unsigned i = 0; i < n; i++) {
    g_autofree char *rule = g_strdup_printf ("Match=%s\nAttempt=blocking", rows[i].condition);
    g_autofree char *row = g_strdup_printf ("%s, %s: %s", base, rows[i].condition, rows[i].script);
    Fixture *fixture = policy_fixture (base, rule, rows[i].fs ? rows[i].fs : "ext4");
    GString *outcome = g_string_new (NULL);

    fixture_set (fixture, "FileSystem ext4.WritePage=10000");
    if (rows[i].set)
      fixture_set (fixture, rows[i].set);
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, row);
    for (unsigned k = 0; k < fixture->requests->len; k++)
      g_string_append_c (outcome, "iHUaF"[((Request *) g_ptr_array_index (fixture->requests, k))->outcome]);
    ROW_CHECK (strcmp (outcome->str, rows[i].outcome) == 0, "%s: %s, expected %s", row, outcome->str, rows[i].outcome);
    g_string_free (outcome, TRUE);
    fixture_free (fixture);
  }
}

#define ONE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap"
#define TWICE(request) "S@1/0: ring:8 sqe:" request " submit:1 reap run:10 sqe:" request " submit:1 reap"

/* A rule that tries forced requests tries a NOP too, which is done then. */
static void test_forced_nop (void)
{
  static const struct {
    const char *rule, *outcome;
  } rows[] = { { "Match=force_async\nAttempt=nonblock\nOnAgain=queue:default", "i" },
               { "Match=force_async\nAttempt=none\nOnAgain=queue:default", "U" } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = policy_fixture ("linux-6.3", rows[i].rule, "ext4");
    g_autofree char *outcome = NULL;

    fixture_build (fixture);
    fixture_script (fixture, ONE ("an"));
    fixture_run (fixture, rows[i].rule);
    outcome = fixture_outcomes (fixture);
    ROW_CHECK (strcmp (outcome, rows[i].outcome) == 0, "%s: %s", rows[i].rule, outcome);
    fixture_free (fixture);
  }
}

static void test_conditions (void)
{
  static const Row rows[] = {
    { "write && size >= 8KiB", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0+2 submit:2 reap", "Hi" },
    { "append", NULL, NULL, "S@1: ring:8 sqe:w0@16383 sqe:w0@16384 submit:2 reap", "Hi" },
    { "append", NULL, NULL, "S@1: ring:8 sqe:w0@16383+2 submit:1 reap", "H" }, /* extends, does not append */
    { "extend", NULL, NULL, "S@1: ring:8 sqe:w0@16383 sqe:w0@16383+2 submit:2 reap", "Hi" },
    { "write && overwrite", NULL, NULL, "S@1: ring:8 sqe:w0@16383+2 sqe:w0@16383 submit:2 reap", "Hi" },
    { "sqe.link", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:lw0 sqe:w0 submit:3 reap", "HiH" },
    { "force_async", NULL, NULL, "S@1: ring:8 sqe:an sqe:n submit:2 reap", "ii" }, /* NOPs, which never block */
    { "write", NULL, NULL, "S@1: ring:8 sqe:an sqe:n submit:2 reap", "Ui" },
    { "sqe.drain", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:dw0 submit:2 reap", "Hi" },
    { "sqe.fixed_file", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:fw0 submit:2 reap", "Hi" },
    { "write && file.writers == 0", NULL, NULL, ONE ("w0"), "i" },
    { "write && inode.last_outcome == punted", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 sqe:w1 submit:4 reap",
      "HiHH" },
    { "write && inode.last_outcome == inline", NULL, NULL, "S@1: ring:8 sqe:r0 sqe:w0 submit:2 reap", "ii" },
    { "write && inode.last_outcome == none", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 sqe:w1 submit:3 reap", "iHi" },
    /* The first sample is the average: 4 KiB; then 8 KiB after 1 of 10 us: 4.4 KiB; after another 30 us: 7.8 KiB. */
    { "write && ewma(size, 10us) > 4.2KiB", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0+2 submit:2 reap", "HH" },
    { "write && ewma(size, 10us) > 4.2KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:1 sqe:w0+2 submit:2 reap",
      "Hi" },
    { "write && ewma(size, 10us) > 4.5KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:1 sqe:w0+2 submit:2 reap",
      "HH" },
    { "write && ewma(size, 10us) > 7KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:30 sqe:w0+2 submit:2 reap", "Hi" },
    { "write && ewma(size, 10us) > 7KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:30 sqe:w1+2 submit:2 reap", "Hi" },
    { "write && inode_ewma(size, 10us) > 7KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:9 sqe:w1+2 submit:2 reap",
      "Hi" },
    { "write && inode_ewma(size, 10us) > 7KiB", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:9 sqe:w0+2 submit:2 reap",
      "HH" },
    { "sync", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:s0 submit:2 reap", "Hi" },
    { "write && buffered && !direct", NULL, NULL, ONE ("w0"), "i" },
    { "write && regular", NULL, NULL, ONE ("w0"), "i" },
    { "write && regular", "block", NULL, ONE ("w0"), "U" },
    { "force_async", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:aw0 submit:2 reap", "Hi" },
    { "write && sq_thread", NULL, NULL, ONE ("w0"), "H" },
    { "write && sq_thread", NULL, NULL, "S@1: user ring:4,sqpoll,idle=4000 sqe:w0 notify run:100 reap", "i" },
    { "write && fs.nowait", NULL, NULL, ONE ("w0"), "i" },
    { "write && fs.nowait", "tmpfs", NULL, ONE ("w0"), "H" },
    { "write && fs.wasync", NULL, NULL, ONE ("w0"), "H" },
    { "write && fs.wasync", "f2fs", "kernel=6.5", ONE ("w0"), "i" },
    { "write && fs.rasync", NULL, NULL, ONE ("w0"), "i" },
    { "write && fs.rasync", NULL, "kernel=5.8", ONE ("w0"), "H" },
    { "write && fs.dio_parallel", NULL, "kernel=6.3", ONE ("w0"), "H" },
    { "write && fs.dio_parallel", NULL, "kernel=6.4", ONE ("w0"), "i" },
    { "write && inode.locked", NULL, NULL, ONE ("w0"), "H" },
    { "write && inode.locked", NULL, NULL, "L/1: write run:50 unlock | " ONE ("w0"), "i" },
    { "write && inode.waiters >= 1", NULL, NULL, "L/1: write run:50 unlock | " ONE ("w0"), "H" },
    { "write && inode.waiters >= 1", NULL, NULL, "L/1: write run:50 unlock | M@0.5/2: write unlock | " ONE ("w0"),
      "i" },
    { "write && inode.waiters >= 1", NULL, NULL, "L/1: write sleep:50 unlock | M@0.5/2: write unlock | " ONE ("w0"),
      "i" },
    { "write && page.resident", NULL, NULL, "S@1: ring:8 sqe:w0@16384 sqe:w0 submit:2 reap", "Hi" },
    { "write && page.dirty", NULL, NULL, TWICE ("w0"), "Hi" },
    { "write && page.dirty", NULL, NULL, "S@1: ring:8 sqe:w0 submit:1 reap sqe:w0+2 submit:1 reap", "HH" },
    { "write && cache.dirty_ratio > 0", NULL, NULL, TWICE ("w0"), "Hi" },
    { "write && cache.dirty_ratio > 0.5", NULL, NULL, TWICE ("w0"), "HH" },
    { "write && queue.pending >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 submit:2 reap", "Hi" },
    { "write && queue.pending >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap", "HH" },
    { "write && queue.running >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap", "Hi" },
    { "write && queue.running >= 1", NULL, NULL, TWICE ("w0"), "HH" },
    { "write && workers.idle >= 1", NULL, NULL, TWICE ("w0"), "Hi" },
    { "write && workers.idle >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap", "HH" },
    { "write && cpu.idle == 15", NULL, NULL, ONE ("w0"), "i" },
    { "write && cpu.idle == 15", NULL, NULL, "X/3: run:100 | " ONE ("w0"), "H" },
    { "write && ring.in_flight > 1", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 submit:2 reap", "Hi" },
    { "write && ring.in_flight > 1", NULL, NULL, TWICE ("w0"), "HH" },
    { "write && batch.remaining == 0", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 sqe:w0 submit:3 reap", "HHi" },
    { "write && sq_entries == 8", NULL, NULL, ONE ("w0"), "i" },
    { "write && cpus == 3", NULL, NULL, ONE ("w0"), "H" },
    { "write && cpus == 3", NULL, "CPU.Count=3", ONE ("w0"), "i" },
    { "write && kernel >= kernel(6.3)", NULL, NULL, ONE ("w0"), "i" },
    { "write && kernel >= kernel(6.3)", NULL, "kernel=6.2", ONE ("w0"), "H" },
  };
  static const Row workqueues[] = {
    { "write && queue.pending >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 sqe:w0 submit:2 reap", "Ui" },
    { "write && queue.running >= 1", NULL, NULL, "S@1: ring:8 sqe:w0 submit run:5 sqe:w0 submit:2 reap", "Ui" },
    { "write && queue.running >= 1", NULL, NULL, TWICE ("w0"), "UU" },
    { "write && workers.idle >= 2", NULL, NULL, TWICE ("w0"), "Ui" },
  };

  check_rows (rows, G_N_ELEMENTS (rows), "linux-6.3");
  check_rows (workqueues, G_N_ELEMENTS (workqueues), "linux-5.3");
}

/* ---- what happens after EAGAIN ---- */

static void test_on_again_fail (void)
{
  Fixture *fixture = policy_fixture ("linux-6.3", "Match=write\nAttempt=nonblock\nOnAgain=fail", "ext4");
  const Request *write, *read;

  fixture_build (fixture);
  fixture_script (fixture, "S@1: ring:8 sqe:w0 sqe:r0 submit:2 reap");
  fixture_run (fixture, "OnAgain=fail");
  fixture_check_log (fixture, "OnAgain=fail", "S@1 reap ab");
  write = g_ptr_array_index (fixture->requests, 0);
  read = g_ptr_array_index (fixture->requests, 1);
  ROW_CHECK (write->outcome == OUTCOME_FAILED && write->result == -EAGAIN, "the write: %d", (int) write->result);
  ROW_CHECK (read->outcome == OUTCOME_INLINE && read->result == 4096, "the read: %d", (int) read->result);
  ROW_CHECK (fixture->sim->count.outcome[OUTCOME_FAILED] == 1, "counted as failed");
  fixture_free (fixture);
}

/* retry:N attempts again, each time at its cost, and takes what follows when none succeeds. */
static void test_on_again_retry (void)
{
  static const struct {
    const char *rule, *on_again, *outcome;
    UrTime verdict;
  } rows[] = {
    /* The lock is held for 25 us; an attempt that fails takes 10 us. */
    { "free at the third further attempt", "retry:3,queue:default", "i", 40000 },
    { "one less", "retry:2,queue:default", "H", 30000 },
    { "as many as it takes, no more", "retry:1000,queue:default", "i", 40000 },
    { "none: queued at once", "queue:default", "H", 10000 },
    { "alone: fails", "retry:1", "F", 20000 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *rule = g_strconcat ("Match=write\nAttempt=trylock\nOnAgain=", rows[i].on_again, NULL);
    Fixture *fixture = policy_fixture ("linux-6.3", rule, "ext4");
    g_autofree char *outcomes = NULL;
    const Request *request;

    fixture_set (fixture, "Ring.AttemptLocked=10000, FileSystem ext4.WritePage=10000");
    fixture_build (fixture);
    fixture_script (fixture, "L/1: write run:25 unlock | S/0: ring:8 sqe:w0 submit:1 reap");
    fixture_run (fixture, rows[i].rule);
    outcomes = fixture_outcomes (fixture);
    request = g_ptr_array_index (fixture->requests, 0);
    ROW_CHECK (strcmp (outcomes, rows[i].outcome) == 0, "%s: %s", rows[i].rule, outcomes);
    ROW_CHECK (request->time.verdict == rows[i].verdict, "%s: verdict at %d", rows[i].rule,
               (int) request->time.verdict);
    fixture_free (fixture);
  }
}

/* Ways that do not exist for the request are an error of the configuration that names the rule. */
static void test_on_again_errors (void)
{
  static const struct {
    const char *rule, *message;
  } rows[] = {
    { "Match=write\nAttempt=nonblock\nOnAgain=poll", "rule 10: OnAgain=poll does not apply to a write of a file" },
    { "Match=sync\nAttempt=nonblock\nOnAgain=poll", "rule 10: OnAgain=poll does not apply to a sync of a file" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = policy_fixture ("linux-6.3", rows[i].rule, "ext4");
    const GError *error;

    fixture_build (fixture);
    fixture_script (fixture, "S@1: ring:8 sqe:w0 sqe:s0 submit");
    ur_engine_run (fixture->sim->engine, UR_TIME_NEVER);
    error = fixture->sim->error;
    ROW_CHECK (g_error_matches (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG) &&
                   strstr (error->message, rows[i].message),
               "%s: %s", rows[i].rule, row_error (error));
    fixture_free (fixture);
  }
}

/* ---- what a queue does ---- */

/* One worker is busy with a write, another idle, when three more writes of the same file come. */
#define BUSY_BUCKET                                                                                                     \
  "S@1: ring:8 sqe:ar1 sqe:ar1 submit:2 reap sqe:w0+10 submit run:10 sqe:w0 submit run:10 sqe:w0 submit run:10 sqe:w0 " \
  "submit:4 reap"
/* Two workers, then nothing to do for 300 us. */
#define TWO_THEN_NONE "S@1: ring:8 sqe:ar1 sqe:ar1 submit:2 reap run:300"

static void test_queue_keys (void)
{
  static const struct {
    const char *rule, *base, *keys, *script;
    unsigned futile, created, alive;
  } rows[] = {
    { "kernel, 6.3: each wakes the idle worker", "linux-6.3", "Wake=kernel", BUSY_BUCKET, 3, 2, 2 },
    { "always", "linux-6.3", "Wake=always", BUSY_BUCKET, 3, 2, 2 },
    { "none-runs", "linux-6.3", "Wake=none-runs", BUSY_BUCKET, 0, 2, 2 },
    { "bucket-free", "linux-6.3", "Wake=bucket-free", BUSY_BUCKET, 0, 2, 2 },
    { "workers stay for 5 s", "linux-6.3", "Hash=inode", TWO_THEN_NONE, 0, 2, 2 },
    { "IdleTime: the first leaves, the last stays", "linux-6.3", "IdleTime=100us", TWO_THEN_NONE, 0, 2, 1 },
    { "longer than the pause", "linux-6.3", "IdleTime=1ms", TWO_THEN_NONE, 0, 2, 2 },
    { "5.3: a continuation joins the one before", "linux-5.3", "Merge=kernel",
      "S@1: ring:8 sqe:w0@0 sqe:w0@1 submit:2 reap", 1, 2, 2 },
    { "Merge=none: each is queued", "linux-5.3", "Merge=none", "S@1: ring:8 sqe:w0@0 sqe:w0@1 submit:2 reap", 1, 3, 3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *rule =
        g_strdup_printf ("Match=direct\nAttempt=nonblock\nOnAgain=queue:default\n[Queue default]\n%s", rows[i].keys);
    Fixture *fixture = policy_fixture (rows[i].base, rule, "ext4");
    const unsigned *alive;

    fixture_set (fixture, "FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000");
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    alive = &fixture->sim->count.workers_alive;
    ROW_CHECK (fixture->sim->count.futile_wakeups == rows[i].futile, "%s: %d in vain", rows[i].rule,
               (int) fixture->sim->count.futile_wakeups);
    ROW_CHECK (fixture->sim->count.workers_created == rows[i].created && *alive == rows[i].alive,
               "%s: %u workers created, %u alive", rows[i].rule, (unsigned) fixture->sim->count.workers_created,
               *alive);
    fixture_free (fixture);
  }
}

/* ---- malformed sqes ---- */

static void test_malformed (void)
{
  static const ScriptRow rows[] = {
    { "a failing sqe ends the batch and has its CQE; the rest stays in the SQ for the next call", NULL,
      "S: ring:4 sqe:r0 sqe:br0 sqe:r0 sqe:r0 submit reap submit reap",
      "S@20 submitted 2, S@20 reap ab, S@60 reap cd" },
    { "a call whose batch ended early does not wait", NULL, "S: ring:4 sqe:br0 sqe:r0 submit:2 reap submit:1 reap",
      "S@0 submitted 1, S@0 reap a, S@20 reap b" },
    { "the last one: the call is complete", NULL, "S: ring:4 sqe:r0 sqe:br0 submit:2 reap", "S@20 reap ab" },
    { "SUBMIT_ALL: the batch goes on", NULL, "S: ring:4,submit-all sqe:r0 sqe:br0 sqe:r0 submit:3 reap",
      "S@40 reap abc" },
    { "5.5: it ends the batch", "kernel=5.5", "S: ring:4 sqe:br0 sqe:r0 submit reap submit reap",
      "S@0 submitted 1, S@0 reap a, S@20 reap b" },
    { "5.4: it does not", "kernel=5.4", "S: ring:4 sqe:br0 sqe:r0 submit reap", "S@20 reap ab" },
    { "the sq_thread takes the rest in its next round", NULL,
      "S/0: user ring:4,sqpoll,idle=4000 run:100 sqe:br0 sqe:r0 notify run:100 reap", "S@200 reap ab" },
  };

  FIXTURE_CHECK_ROWS (rows, "no-offload", "FileSystem ext4.ReadPage=20000");
}

static void test_single_issuer (void)
{
  static const ScriptRow rows[] = {
    { "SINGLE_ISSUER: EEXIST for another task; the sqe stays for its own", NULL,
      "S: ring:4,single-issuer run:20 submit reap | T@10: sqe:r0 submit", "T@10 EEXIST, S@40 reap a" },
    { "other rings: any task", NULL, "S: ring:4 run:20 | T@10: sqe:r0 submit reap", "T@30 reap a" },
  };

  FIXTURE_CHECK_ROWS (rows, "no-offload", "FileSystem ext4.ReadPage=20000");
}

/* ---- system calls ---- */

/* What a call costs that submits a write which is refused, and one that waits for it. */
static void test_call_costs (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
  const Request *first, *second;

  fixture_set (fixture, "CPU.Syscall=200, Ring.Prepare=150, Ring.AttemptRefused=100, Ring.Punt=250, Ring.Wait=1000, "
                        "Ring.CqeSingle=70, FileSystem ext4.WritePage=10000");
  fixture_build (fixture);
  fixture_script (fixture, "S: ring:8 sqe:w0 submit say:on run:5 sqe:w1 submit getevents:2 reap getevents:0 say:off");
  fixture_run (fixture, "costs of a call");
  fixture_check_log (fixture, "costs of a call", "S@0.7 on, S@20.84 reap ab, S@21.04 off");
  first = g_ptr_array_index (fixture->requests, 0);
  second = g_ptr_array_index (fixture->requests, 1);
  ROW_CHECK (first->time.attempt == 350 && first->time.verdict == 450 && first->time.queued == 700,
             "the first: %d %d %d", (int) first->time.attempt, (int) first->time.verdict, (int) first->time.queued);
  ROW_CHECK (second->time.attempt == 6050 && second->time.queued == 6400, "the second: %d %d",
             (int) second->time.attempt, (int) second->time.queued);
  ROW_CHECK (first->time.started == 700 && first->time.done == 10700 && first->time.posted == 10770 &&
                 second->time.started == 10770 && second->time.posted == 20840,
             "the worker: %d %d %d %d", (int) first->time.started, (int) first->time.posted, (int) second->time.started,
             (int) second->time.posted);
  fixture_free (fixture);
}

/* Registered files and buffers save their part of Ring.Prepare, and never more than there is. */
static void test_fixed (void)
{
  static const struct {
    const char *rule, *set;
    unsigned flags;
    UrTime ns;
  } rows[] = {
    { "neither", NULL, 0, 100 },
    { "a registered file", NULL, SQE_FIXED_FILE, 70 },
    { "a registered buffer", NULL, SQE_FIXED_BUFFER, 80 },
    { "both", NULL, SQE_FIXED_FILE | SQE_FIXED_BUFFER, 50 },
    { "more than there is", "Ring.Prepare=20", SQE_FIXED_FILE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("no-offload", "ext4", COSTS_FREE);
    WorkloadJob *job = workload_add_job (fixture->workload);
    g_autoptr (GError) error = NULL;
    uint32_t file = 0;
    RunResult *result;

    fixture_set (fixture, "Ring.Prepare=100, Ring.FixedFileSaves=30, Ring.FixedBufferSaves=20");
    if (rows[i].set)
      fixture_set (fixture, rows[i].set);
    job->name = g_strdup ("job");
    job->engine = APPLICATION_IO_URING;
    job->fixed_files = (rows[i].flags & SQE_FIXED_FILE) != 0;
    job->fixed_buffers = (rows[i].flags & SQE_FIXED_BUFFER) != 0;
    g_array_append_val (job->files, file);
    job->pattern.size = FIXTURE_FILE_SIZE;
    job->pattern.number_ios = 1;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result && result->sim_ns == rows[i].ns, "%s: %d ns, %s", rows[i].rule,
               result ? (int) result->sim_ns : -1, row_error (error));
    run_result_free (result);
    fixture_free (fixture);
  }
}

void register_submit_tests (void)
{
  CU_pSuite suite = fixture_suite ("submit");

  fixture_test (suite, "what conditions see", test_conditions);
  fixture_test (suite, "forced NOPs", test_forced_nop);
  fixture_test (suite, "OnAgain=fail", test_on_again_fail);
  fixture_test (suite, "OnAgain=retry:N", test_on_again_retry);
  fixture_test (suite, "OnAgain= that does not apply", test_on_again_errors);
  fixture_test (suite, "keys of a queue", test_queue_keys);
  fixture_test (suite, "malformed sqes", test_malformed);
  fixture_test (suite, "who may submit", test_single_issuer);
  fixture_test (suite, "registered files and buffers", test_fixed);
  fixture_test (suite, "costs of a call", test_call_costs);
}
