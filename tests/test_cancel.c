/* Timeouts and cancellation. */
#include "model/timeout.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

#define TEN_US "CPU.Count=4, FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000"

static void test_nop (void)
{
  static const ScriptRow rows[] = {
    { "a NOP completes inline, with the batch", NULL, "S/0: ring:8 sqe:n sqe:r0 submit reap results",
      "S@10 reap ab, S@10 results a ok b ok" },
    { "linked", NULL, "S/0: ring:8 sqe:lr0 sqe:ln sqe:r0 submit:3 reap", "S@20 reap abc" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US);
}

static void test_timeout (void)
{
  static const ScriptRow rows[] = {
    { "its time is over: ETIME", NULL, "S/0: ring:8 sqe:t50 submit:1 reap results",
      "S@50 reap a, S@50 results a ETIME" },
    { "so many have completed: 0", NULL, "S/0: ring:8 sqe:t50/2 sqe:w0 sqe:w0 submit:3 reap results",
      "S@20 reap bca, S@20 results a ok b ok c ok" },
    { "not so many in its time", NULL, "S/0: ring:8 sqe:t15/2 sqe:w0 sqe:w0 submit:9 reap getevents:1 reap results",
      "S@15 reap ba, S@20 reap c, S@20 results a ETIME b ok c ok" },
    { "completions from before it do not count", NULL,
      "S/0: ring:8 sqe:r0 sqe:r0 submit:2 reap sqe:t50/1 submit sqe:r0 submit:2 reap results",
      "S@20 reap ab, S@30 reap dc, S@30 results a ok b ok c ok d ok" },
    { "its end ends a wait for more", NULL, "S/0: ring:8 sqe:t5 sqe:w0 submit:2 reap getevents:1 reap",
      "S@5 reap a, S@10 reap b" },
    { "two end with the same completion, and the time of the second is over while the first is seen to: each once",
      "Ring.TaskWorkAdd=20000", "S/0: ring:8 sqe:t100/1 sqe:t15/1 sqe:w0 submit:3 reap getevents:1 reap results",
      "S@30 reap ca, S@50 reap b, S@50 results a ok b ok c ok" },
    { "removed: ECANCELED, and the removal succeeds", NULL, "S/0: ring:8 sqe:t50 submit sqe:ma submit:2 reap results",
      "S@0 reap ba, S@0 results a ECANCELED b ok" },
    { "removed too late: ENOENT", NULL, "S/0: ring:8 sqe:t5 submit:1 reap sqe:ma submit:1 reap results",
      "S@5 reap a, S@5 reap b, S@5 results a ETIME b ENOENT" },
    { "5.3 does not know it", "kernel=5.3", "S/0: ring:8 sqe:t5 submit:1 reap results",
      "S@0 reap a, S@0 results a EINVAL" },
    { "5.4: TIMEOUT_REMOVE is not known yet", "kernel=5.4",
      "S/0: ring:8 sqe:t5 submit sqe:ma submit:1 reap getevents:1 "
      "reap results",
      "S@0 reap b, S@5 reap a, S@5 results a ETIME b EINVAL" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US);
}

static void test_link_timeout (void)
{
  static const ScriptRow rows[] = {
    { "what it is linked to completes first: the timeout is cancelled", NULL,
      "S/0: ring:8 sqe:lw0 sqe:x50 submit:2 reap results", "S@10 reap ab, S@10 results a ok b ECANCELED" },
    { "inline: also", NULL, "S/0: ring:8 sqe:lr0 sqe:x50 submit:2 reap results",
      "S@10 reap ab, S@10 results a ok b ECANCELED" },
    { "the chain goes on after both", NULL, "S/0: ring:8 sqe:lw0 sqe:lx50 sqe:r0 submit:3 reap results",
      "S@20 reap abc, S@20 results a ok b ECANCELED c ok" },
    { "its time is over while the request waits: that is cancelled, ETIME", NULL,
      "S/0: ring:8 sqe:w0+5 submit run:1 sqe:lw0 sqe:x20 submit:3 reap results",
      "S@50 reap cba, S@50 results a ok b ECANCELED c ETIME" },
    { "and the rest of the chain with it", NULL,
      "S/0: ring:8 sqe:w0+5 submit run:1 sqe:lw0 sqe:lx20 sqe:r1 submit:4 reap results",
      "S@50 reap cbda, S@50 results a ok b ECANCELED c ETIME d ECANCELED" },
    { "its time is over while a worker executes the request: EALREADY, the request goes on", NULL,
      "S/0: ring:8 sqe:lw0+5 sqe:x20 submit:2 reap results", "S@50 reap ba, S@50 results a ok b EALREADY" },
    { "linked to nothing: EINVAL", NULL, "S/0: ring:8 sqe:x20 submit:1 reap results",
      "S@0 reap a, S@0 results a EINVAL" },
    { "5.4 does not know it", "kernel=5.4", "S/0: ring:8 sqe:lr0 sqe:x20 submit:2 reap results",
      "S@0 reap ba, S@0 results a ECANCELED b EINVAL" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US);
}

static void test_cancel (void)
{
  static const ScriptRow rows[] = {
    { "work that waits: off the list, ECANCELED, and the cancel request succeeds", NULL,
      "S/0: ring:8 sqe:w0 submit run:1 sqe:w0 submit run:1 sqe:cb submit:3 reap results",
      "S@10 reap cba, S@10 results a ok b ECANCELED c ok" },
    { "work a worker has taken with the run it executes: neither on a list nor being executed, ENOENT", NULL,
      "S/0: ring:8 sqe:w0 sqe:w0 submit run:1 sqe:cb submit:3 reap results",
      "S@20 reap cab, S@20 results a ok b ok c ENOENT" },
    { "work that runs: EALREADY, and it is finished", NULL,
      "S/0: ring:8 sqe:w0 submit run:1 sqe:ca submit:2 reap results", "S@10 reap ba, S@10 results a ok b EALREADY" },
    { "work that is done: ENOENT", NULL, "S/0: ring:8 sqe:w0 submit:1 reap sqe:ca submit:1 reap results",
      "S@10 reap a, S@10 reap b, S@10 results a ok b ENOENT" },
    { "in the middle of a run of one bucket: the others stay", NULL,
      "S/0: ring:8 sqe:w0 submit run:1 sqe:w0 sqe:w0 sqe:w0 submit run:1 sqe:cc submit:5 reap results",
      "S@30 reap ecabd, S@30 results a ok b ok c ECANCELED d ok e ok" },
    { "a timeout", NULL, "S/0: ring:8 sqe:t50 submit sqe:ca submit:2 reap results",
      "S@0 reap ba, S@0 results a ECANCELED b ok" },
    { "a cancelled member cancels its chain", NULL,
      "S/0: ring:8 sqe:w0 submit run:1 sqe:lw0 sqe:r0 submit run:1 sqe:cb submit:4 reap results",
      "S@10 reap dbca, S@10 results a ok b ECANCELED c ECANCELED d ok" },
    { "5.4 does not know it", "kernel=5.4", "S/0: ring:8 sqe:w0 sqe:ca submit:2 reap results",
      "S@10 reap ba, S@10 results a ok b EINVAL" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US);
}

/* The request of a timeout has ended before its time was to start, and both slots may be something else by now. */
static void probe_reused (Fixture *fixture, gpointer data)
{
  static const struct {
    const char *rule;
    RequestOpcode opcode;
    int target; /* 0: none, 1: the request, 2: another */
    gboolean armed;
  } rows[] = {
    { "the request still runs: its time starts", REQUEST_LINK_TIMEOUT, 1, TRUE },
    { "the request has ended", REQUEST_LINK_TIMEOUT, 0, FALSE },
    { "the slot is a timeout of another request", REQUEST_LINK_TIMEOUT, 2, FALSE },
    { "the slot is a cancellation of that request", REQUEST_ASYNC_CANCEL, 1, FALSE },
  };

  (void) data;
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Request request = { .opcode = REQUEST_IO }, other = request;
    Request timeout = { .opcode = rows[i].opcode, .ring = fixture->ring, .delay = UR_MS };

    timeout.target = rows[i].target == 1 ? &request : rows[i].target ? &other : NULL;
    io_queue_linked_timeout (fixture->ring, &timeout, &request);
    ROW_CHECK ((timeout.timer != 0) == rows[i].armed, "%s", rows[i].rule);
    if (timeout.timer)
      ur_engine_cancel (fixture->sim->engine, timeout.timer);
  }
}

static void test_reused (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);

  fixture_build (fixture);
  fixture_at (fixture, 10 * UR_US, probe_reused, NULL);
  fixture_script (fixture, "S/0: ring:8 run:20");
  fixture_run (fixture, "reused slots");
  fixture_free (fixture);
}

/* DEFER_TASKRUN and the sq_thread: the same by their own task_work. */
static void test_owners (void)
{
  static const ScriptRow rows[] = {
    { "DEFER_TASKRUN: a timeout wakes who waits", NULL, "S/0: ring:8,defer sqe:t50 submit:1 reap", "S@50 reap a" },
    { "DEFER_TASKRUN: cancelled", NULL,
      "S/0: ring:8,defer sqe:w0 submit run:1 sqe:w0 submit run:1 sqe:cb submit:3 reap results",
      "S@10 reap cba, S@10 results a ok b ECANCELED c ok" },
    { "the sq_thread posts a timeout", NULL, "S/0: user ring:8,sqpoll,idle=4000 run:1000 sqe:t50 notify run:100 reap",
      "S@1100 reap a" },
    { "also out of its sleep", NULL, "S/0: user ring:8,sqpoll,idle=4000 run:1000 sqe:t9000 notify run:9100 reap",
      "S@10100 reap a" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.18", TEN_US);
}

void register_cancel_tests (void)
{
  CU_pSuite suite = fixture_suite ("timeouts and cancellation");

  fixture_test (suite, "NOP", test_nop);
  fixture_test (suite, "TIMEOUT", test_timeout);
  fixture_test (suite, "LINK_TIMEOUT", test_link_timeout);
  fixture_test (suite, "slots that are used again", test_reused);
  fixture_test (suite, "ASYNC_CANCEL", test_cancel);
  fixture_test (suite, "who completes them", test_owners);
}
