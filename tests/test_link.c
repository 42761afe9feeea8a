/* Requests that wait for others: chains, hard chains, drains, completions without a CQE. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* done: when each request was done, us, in the order they were made (nullable). */
typedef struct {
  const char *rule, *policy, *set, *script, *log, *done;
} LinkRow;

#define TEN_US "CPU.Count=4, FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000"

static char *done_times (const Fixture *fixture)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < fixture->requests->len; i++) {
    if (i)
      g_string_append_c (text, ' ');
    fixture_append_us (text, ((const Request *) g_ptr_array_index (fixture->requests, i))->time.done);
  }
  return g_string_free (text, FALSE);
}

static void check_rows (const LinkRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const LinkRow *row = &rows[i];
    Fixture *fixture = fixture_new (row->policy, "ext4", COSTS_FREE);
    g_autofree char *done = NULL;

    fixture_set (fixture, TEN_US);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    done = done_times (fixture);
    ROW_CHECK (!row->done || strcmp (done, row->done) == 0, "%s: done at %s; expected %s", row->rule, done, row->done);
    fixture_free (fixture);
  }
}
#define CHECK(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_chains (void)
{
  static const LinkRow rows[] = {
    { "two files, no link: workers do them at the same time", "linux-6.3", NULL,
      "S/0: ring:8 sqe:aw0 sqe:aw1 submit:2 reap", "S@10 reap ab", "10 10" },
    { "linked: the next starts after the one before has completed", "linux-6.3", NULL,
      "S/0: ring:8 sqe:law0 sqe:aw1 submit:2 reap", "S@20 reap ab", "10 20" },
    { "a chain is queued with its last sqe; what comes after it does not wait", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lr0 sqe:lr0 sqe:r0 sqe:r0 submit:4 reap", "S@40 reap adbc", "10 30 40 20" },
    { "the end of the batch ends a chain", "linux-6.3", NULL, "S/0: ring:8 sqe:lr0 submit:1 reap sqe:r0 submit:1 reap",
      "S@10 reap a, S@20 reap b", "10 20" },
    { "inline: the next by task_work of the owner", "linux-6.3", NULL, "S/0: ring:8 sqe:lr0 sqe:r0 submit reap",
      "S@20 reap ab", "10 20" },
    { "5.9: the same", "linux-6.1", "kernel=5.9", "S/0: ring:8 sqe:lr0 sqe:lr0 sqe:r0 sqe:r0 submit:4 reap",
      "S@40 reap adbc", "10 30 40 20" },
    { "5.8: inline: the next at once, before the rest of the batch", "linux-6.1", "kernel=5.8",
      "S/0: ring:8 sqe:lr0 sqe:lr0 sqe:r0 sqe:r0 submit:4 reap", "S@40 reap abcd", "10 20 30 40" },
    { "5.5: the same", "linux-6.1", "kernel=5.5", "S/0: ring:8 sqe:lr0 sqe:lr0 sqe:r0 sqe:r0 submit:4 reap",
      "S@40 reap abcd", "10 20 30 40" },
    { "a member that is punted after an inline one", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lr0 sqe:lw0 sqe:r0 submit:3 reap", "S@30 reap abc", "10 20 30" },
    { "5.4: on the workqueue", "linux-5.4", NULL, "S/0: ring:8 sqe:lw0 sqe:lw1 sqe:w2 submit:3 reap", "S@30 reap abc",
      "10 20 30" },
    { "5.4: an inline one too", "linux-5.4", NULL, "S/0: ring:8 sqe:lr0 sqe:r0 submit:2 reap", "S@20 reap ab",
      "10 20" },
    { "5.2 does not know IO_LINK: EINVAL", "linux-5.3", "kernel=5.2",
      "S/0: ring:8 sqe:lr0 sqe:r0 submit:2 reap results", "S@10 reap ab, S@10 results a EINVAL b ok", NULL },
    { "5.4 does not know IO_HARDLINK: EINVAL", "linux-5.4", NULL, "S/0: ring:8 sqe:hr0 sqe:r0 submit:2 reap results",
      "S@10 reap ab, S@10 results a EINVAL b ok", NULL },
    { "DEFER_TASKRUN: the submitter posts and starts the next", "linux-6.18", NULL,
      "S/0: ring:8,defer sqe:lw0 sqe:lw1 sqe:w2 submit:3 reap", "S@30 reap abc", "10 20 30" },
    { "the sq_thread starts the next", "linux-6.18", NULL,
      "S/0: user ring:8,sqpoll,idle=4000 run:1000 sqe:lr0 sqe:r0 notify run:100 reap", "S@1100 reap ab", "1010 1020" },
  };

  CHECK (rows);
}

/* Who does the next member when the device did the one before: the submitter, by task_work, from 5.9 on; io-wq before.
 */
static void test_after_device (void)
{
  static const struct {
    const char *rule, *kernel, *outcomes;
  } rows[] = {
    { "5.8: after a direct read the next is queued to io-wq", "kernel=5.8", "aU" },
    { "5.9: it is issued by task_work", "kernel=5.9", "ai" },
    { "6.1: the same", "kernel=6.1", "ai" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.1", "ext4", COSTS_FREE);
    g_autofree char *outcomes = NULL;

    fixture_set (fixture, TEN_US ", Device.Synchronous=no, Read.Time=50000");
    fixture_set (fixture, rows[i].kernel);
    fixture_build (fixture);
    fixture_script (fixture, "S/0: ring:8 sqe:lor0 sqe:r0 submit:2 reap");
    fixture_run (fixture, rows[i].rule);
    fixture_check_log (fixture, rows[i].rule, "S@60 reap ab");
    outcomes = fixture_outcomes (fixture);
    ROW_CHECK (strcmp (outcomes, rows[i].outcomes) == 0, "%s: %s", rows[i].rule, outcomes);
    fixture_free (fixture);
  }
}

/* Who does the next member when a worker did the one before. */
static void test_worker (void)
{
  static const struct {
    const char *rule, *policy, *script;
    unsigned attempts; /* in the submitter, of the second */
    gboolean queued;   /* the second was queued by itself: a hashed one */
  } rows[] = {
    { "not hashed: the same worker, without an attempt", "linux-6.18", "S/0: ring:8 sqe:law0 sqe:r0 submit:2 reap", 0,
      FALSE },
    { "hashed: queued anew", "linux-6.18", "S/0: ring:8 sqe:lw0 sqe:w0 submit:2 reap", 0, TRUE },
    { "DEFER_TASKRUN: by task_work, with an attempt", "linux-6.18", "S/0: ring:8,defer sqe:lw0 sqe:r0 submit:2 reap", 1,
      FALSE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_FREE);
    const Request *second;

    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    fixture_script (fixture, rows[i].script);
    fixture_run (fixture, rows[i].rule);
    second = g_ptr_array_index (fixture->requests, 1);
    ROW_CHECK (second->time.done == 20 * UR_US, "%s: done at %d", rows[i].rule, (int) second->time.done);
    ROW_CHECK ((second->outcome == OUTCOME_INLINE) == (rows[i].attempts == 1), "%s: outcome %d", rows[i].rule,
               (int) second->outcome);
    ROW_CHECK (second->hashed == rows[i].queued, "%s: hashed %d", rows[i].rule, second->hashed);
    ROW_CHECK (fixture->sim->count.workers_created <= 2, "%s: %u workers", rows[i].rule,
               fixture->sim->count.workers_created);
    fixture_free (fixture);
  }
}

static void test_failures (void)
{
  static const LinkRow rows[] = {
    { "a short member cancels the rest", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lr0@16384 sqe:lr0 sqe:r0 submit:3 reap results",
      "S@0 reap abc, S@0 results a short b ECANCELED c ECANCELED", NULL },
    { "in the middle", "linux-6.3", NULL, "S/0: ring:8 sqe:lr0 sqe:lr0@16384 sqe:r0 submit:3 reap results",
      "S@10 reap abc, S@10 results a ok b short c ECANCELED", NULL },
    { "the last one cancels nobody", "linux-6.3", NULL, "S/0: ring:8 sqe:lr0 sqe:r0@16384 sqe:r0 submit:3 reap results",
      "S@20 reap acb, S@20 results a ok b short c ok", NULL },
    { "a hard link goes on", "linux-6.3", NULL, "S/0: ring:8 sqe:hr0@16384 sqe:hr0 sqe:r0 submit:3 reap results",
      "S@20 reap abc, S@20 results a short b ok c ok", NULL },
    { "a hard link, then a soft one", "linux-6.3", NULL,
      "S/0: ring:8 sqe:hr0@16384 sqe:lr0@16384 sqe:r0 submit:3 reap results",
      "S@0 reap abc, S@0 results a short b short c ECANCELED", NULL },
    { "5.4: the same", "linux-5.4", NULL, "S/0: ring:8 sqe:lr0@16384 sqe:lr0 sqe:r0 submit:3 reap results",
      "S@0 reap abc, S@0 results a short b ECANCELED c ECANCELED", NULL },
    { "a worker's failure", "linux-6.3", NULL, "S/0: ring:8 sqe:alr0@16384 sqe:w0 submit:2 reap results",
      "S@0 reap ab, S@0 results a short b ECANCELED", NULL },
    { "5.15: a malformed member does not break the chain, but none of it starts; it ends the batch with the chain",
      "linux-6.3", "kernel=5.15", "S/0: ring:8 sqe:lr0 sqe:lbr0 sqe:r0 sqe:r0 submit reap submit reap results",
      "S@10 reap abcd, S@10 reap -, S@10 results a ECANCELED b EINVAL c ECANCELED d ok", NULL },
    { "the last member malformed: it ends the batch", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lr0 sqe:br0 sqe:r0 submit reap submit reap results",
      "S@0 submitted 2, S@0 reap ab, S@10 reap c, S@10 results a ECANCELED b EINVAL c ok", NULL },
    { "SUBMIT_ALL: it does not", "linux-6.3", NULL, "S/0: ring:8,submit-all sqe:lr0 sqe:br0 sqe:r0 submit reap results",
      "S@10 reap abc, S@10 results a ECANCELED b EINVAL c ok", NULL },
    { "a hard chain does not go on after a malformed head", "linux-6.3", NULL,
      "S/0: ring:8 sqe:hbr0 sqe:hr0 sqe:r0 submit reap results",
      "S@0 reap abc, S@0 results a EINVAL b ECANCELED c ECANCELED", NULL },
    { "5.14: a malformed member ends the batch, and the chain with it", "linux-6.3", "kernel=5.14",
      "S/0: ring:8 sqe:lr0 sqe:lbr0 sqe:r0 submit reap submit reap results",
      "S@0 submitted 2, S@0 reap ba, S@10 reap c, S@10 results a ECANCELED b EINVAL c ok", NULL },
  };

  CHECK (rows);
}

static void test_cqe_skip (void)
{
  static const LinkRow rows[] = {
    { "success has no CQE", "linux-6.3", NULL, "S/0: ring:8 sqe:lkr0 sqe:lkr0 sqe:r0 submit:1 reap results",
      "S@30 reap c, S@30 results a ok b ok c ok", NULL },
    { "a failure has one, and then the rest of the chain has none", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lkr0@16384 sqe:lkr0 sqe:r0 submit:1 reap results",
      "S@0 reap a, S@0 results a short b ECANCELED c ECANCELED", NULL },
    { "a failure of one that does not skip: the rest have one, whatever they asked for", "linux-6.3", NULL,
      "S/0: ring:8 sqe:lr0@16384 sqe:lkr0 sqe:r0 submit:1 reap results",
      "S@0 reap abc, S@0 results a short b ECANCELED c ECANCELED", NULL },
    { "without a chain", "linux-6.3", NULL, "S/0: ring:8 sqe:kr0 sqe:r0 submit:1 reap", "S@20 reap b", NULL },
    { "5.16: EINVAL", "linux-6.3", "kernel=5.16", "S/0: ring:8 sqe:kr0 submit:1 reap results",
      "S@0 reap a, S@0 results a EINVAL", NULL },
    { "with IO_DRAIN: EOPNOTSUPP", "linux-6.3", NULL, "S/0: ring:8 sqe:kdr0 submit:1 reap results",
      "S@0 reap a, S@0 results a EOPNOTSUPP", NULL },
  };

  CHECK (rows);
}

static void test_drain (void)
{
  static const LinkRow rows[] = {
    { "no drain: an fsync runs beside earlier writes", "linux-6.3", "FileSystem ext4.Fsync=1000",
      "S/0: ring:8 sqe:w0 sqe:s0 submit:2 reap", "S@10 reap ba", "10 1" },
    { "a drain waits until everything before it has completed", "linux-6.3", "FileSystem ext4.Fsync=1000",
      "S/0: ring:8 sqe:w0 sqe:w0 sqe:ds0 submit:3 reap", "S@21 reap abc", "10 20 21" },
    { "nothing before it: it starts", "linux-6.3", NULL, "S/0: ring:8 sqe:dr0 submit:1 reap", "S@10 reap a", "10" },
    { "what comes later queues behind it, though it could start", "linux-6.3", NULL,
      "S/0: ring:8 sqe:w0 sqe:dr1 sqe:r2 submit:3 reap", "S@20 reap abc", "10 20 20" },
    { "also in a later batch", "linux-6.3", NULL, "S/0: ring:8 sqe:w0 sqe:dr1 submit sqe:r2 submit:3 reap",
      "S@20 reap abc", "10 20 20" },
    { "later ones start when the drain has started, they do not wait for its end", "linux-6.3", NULL,
      "S/0: ring:8 sqe:w0 sqe:dr1+3 sqe:r2 submit:3 reap", "S@40 reap acb", "10 40 20" },
    { "6.2: through task_work, one after the other in the submitter", "linux-6.3", "kernel=6.2",
      "S/0: ring:8 sqe:w0 sqe:dr1+3 sqe:r2 submit:3 reap", "S@50 reap abc", "10 40 50" },
    { "5.4: on the workqueue", "linux-5.4", NULL, "S/0: ring:8 sqe:w0 sqe:dr1+3 sqe:r2 submit:3 reap", "S@40 reap acb",
      "10 40 20" },
    { "two drains: the second waits for the first", "linux-6.3", NULL,
      "S/0: ring:8 sqe:w0 sqe:dr1 sqe:dr2 submit:3 reap", "S@30 reap abc", "10 20 30" },
    { "in the middle of a chain: the whole chain waits, and what comes after it waits for it", "linux-6.3", NULL,
      "S/0: ring:8 sqe:w0 sqe:lr1 sqe:dr1 sqe:r2 submit:4 reap", "S@40 reap abcd", "10 20 30 40" },
    { "a drain that fails is a completion", "linux-6.3", NULL,
      "S/0: ring:8 sqe:w0 sqe:dr1@16384 sqe:r2 submit:3 reap results", "S@20 reap abc, S@20 results a ok b short c ok",
      NULL },
    { "DEFER_TASKRUN: completions that the submitter posts release it (one worker: since 6.5 it counts as woken twice)",
      "linux-6.18", NULL, "S/0: ring:8,defer sqe:w0 sqe:dw1 sqe:r2 submit:3 reap", "S@30 reap abc", "10 20 30" },
    { "5.1 does not know it", "linux-5.3", "kernel=5.1", "S/0: ring:8 sqe:dr0 submit:1 reap results",
      "S@0 reap a, S@0 results a EINVAL", NULL },
  };

  CHECK (rows);
}

/* A chain of 100, in each era: one at a time, in order. */
static void test_long_chain (void)
{
  static const struct {
    const char *policy, *flags;
  } rows[] = { { "linux-5.4", "" },        { "linux-6.1", "" },       { "linux-6.3", "" },        { "linux-6.18", "" },
               { "linux-6.18", ",defer" }, { "linux-6.18", ",coop" }, { "no-offload", ",defer" }, { "unhashed", "" } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_FREE);
    g_autofree char *row = g_strconcat (rows[i].policy, rows[i].flags, NULL);
    GString *script = g_string_new (NULL);

    g_string_append_printf (script, "S/0: ring:128%s", rows[i].flags);
    for (unsigned k = 0; k < 100; k++)
      g_string_append_printf (script, " sqe:%sw%u", k < 99 ? "l" : "", k % 4);
    g_string_append (script, " submit:100 reap");
    fixture_set (fixture, TEN_US);
    fixture_build (fixture);
    fixture_script (fixture, script->str);
    fixture_run (fixture, row);
    for (unsigned k = 0; k < 100; k++) {
      const Request *request = g_ptr_array_index (fixture->requests, k);

      ROW_CHECK (request->time.done == (k + 1) * 10 * UR_US && request->result == PAGE_SIZE_BYTES,
                 "%s: member %u is done at %d", row, k, (int) request->time.done);
    }
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

void register_link_tests (void)
{
  CU_pSuite suite = fixture_suite ("links and drains");

  fixture_test (suite, "chains", test_chains);
  fixture_test (suite, "a chain in a worker", test_worker);
  fixture_test (suite, "after a device", test_after_device);
  fixture_test (suite, "failing members", test_failures);
  fixture_test (suite, "completions without a CQE", test_cqe_skip);
  fixture_test (suite, "drains", test_drain);
  fixture_test (suite, "a chain of 100", test_long_chain);
}
