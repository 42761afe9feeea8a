/* The sq_thread: sleep and wake-up, batches, task_work, several rings, locks, and what differs between versions. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include "model/sq_thread.h"

#include <string.h>

#define TEN_US "FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000"

/* A machine with 4 CPUs. (transfer full) */
static Fixture *start (const char *policy, const char *set, const char *also, const char *script)
{
  Fixture *fixture = fixture_new (policy, "ext4", COSTS_FREE);

  fixture_set (fixture, "CPU.Count=4");
  if (set)
    fixture_set (fixture, set);
  if (also)
    fixture_set (fixture, also);
  fixture_build (fixture);
  fixture_script (fixture, script);
  return fixture;
}

static const SqData *sqd_of (const Fixture *fixture, unsigned n)
{
  g_assert (n < fixture->sim->sq_data->len);
  return g_ptr_array_index (fixture->sim->sq_data, n);
}

static const Ring *ring_of (const Fixture *fixture, unsigned n)
{
  g_assert (n < fixture->sim->rings->len);
  return g_ptr_array_index (fixture->sim->rings, n);
}

/* ---- going to sleep ---- */

typedef struct {
  unsigned asked;
  gboolean asleep;        /* the first sq_thread, without work */
  unsigned flags;         /* rings with NEED_WAKEUP */
  gboolean locked, owner; /* its sqd->lock, by it */
} Look;

static void look (Fixture *fixture, gpointer data)
{
  const SqData *sqd = sqd_of (fixture, 0);
  Look *at = data;

  at->asked++;
  at->asleep = sqd->waiting && sqd->thread->state == TASK_SLEEPING;
  at->locked = sqd->lock.owner != NULL;
  at->owner = mutex_is_owner (&sqd->lock, sqd->thread);
  at->flags = 0;
  for (unsigned i = 0; i < fixture->sim->rings->len; i++)
    at->flags += ring_of (fixture, i)->need_wakeup;
}

/* The worker spins on the lock of file 2 until 4500, then sleeps with work on the list: the sq_thread makes another
 * one, whose write ends after the time that is asked about. */
#define MAKES_A_WORKER                                                                                               \
  "X/2: write:2 run:4500 sleep:9000 unlock:2 | A@1/0: user ring:4,sqpoll,idle=4000,cpu=3 run:100 sqe:w2 sqe:w1+900 " \
  "notify run:20000 reap"

/* Whether the thread is asleep with NEED_WAKEUP set at a time (us). */
static void test_idle (void)
{
  static const struct {
    const char *rule, *set, *script;
    double at;
    gboolean asleep;
  } rows[] = {
    { "idle time in jiffies: it spins while jiffies <= timeout", NULL, "S/0: user ring:4,sqpoll,idle=4000 run:9000",
      7999, FALSE },
    { "and sleeps in the next jiffy", NULL, "S/0: user ring:4,sqpoll,idle=4000 run:9000", 8001, TRUE },
    { "rounded up to jiffies", NULL, "S/0: user ring:4,sqpoll,idle=4001 run:13000", 11999, FALSE },
    { "rounded up to jiffies, over", NULL, "S/0: user ring:4,sqpoll,idle=4001 run:13000", 12001, TRUE },
    { "the jiffy is the machine's tick", "Scheduler.Tick=1000000", "S/0: user ring:4,sqpoll,idle=4000 run:9000", 5001,
      TRUE },
    { "0 is a second", NULL, "S/0: user ring:4,sqpoll run:1009000", 1003999, FALSE },
    { "0 is a second, over", NULL, "S/0: user ring:4,sqpoll run:1009000", 1004001, TRUE },
    { "work restarts it", NULL, "S/0: user ring:4,sqpoll,idle=8000 run:5000 sqe:r0 notify spin reap run:12000", 15999,
      FALSE },
    { "from the work on", NULL, "S/0: user ring:4,sqpoll,idle=8000 run:5000 sqe:r0 notify spin reap run:12000", 16001,
      TRUE },
    { "5.12: being woken restarts it", "kernel=5.12", "S/0: user ring:4,sqpoll,idle=4000 run:9000 notify run:9000",
      15999, FALSE },
    { "5.9: only work does", "kernel=5.9", "S/0: user ring:4,sqpoll,idle=4000 run:9000 notify run:9000", 9001, TRUE },
    { "5.4: only work does", "kernel=5.4", "S/0: user ring:4,sqpoll,idle=4000 run:9000 notify run:9000", 9001, TRUE },
    { "6.4: task_work (a request to free) counts as work and restarts it", NULL,
      "S/0: user ring:4,sqpoll,idle=4000 sqe:w0+500 notify run:14000 reap", 9500, FALSE },
    { "6.4: task_work wakes it", NULL, "S/0: user ring:4,sqpoll,idle=4000 run:9000 | F@8500/1: free", 8600, FALSE },
    { "6.3: the worker frees its request, so it sleeps", "kernel=6.3",
      "S/0: user ring:4,sqpoll,idle=4000 sqe:w0+500 notify run:14000 reap", 9500, TRUE },
    { "5.15: a posted completion wakes it", "kernel=5.15",
      "S/0: user ring:4,sqpoll,idle=4000 sqe:w0+850 notify run:14000 reap", 9500, FALSE },
    { "5.16: it does not", "kernel=5.16", "S/0: user ring:4,sqpoll,idle=4000 sqe:w0+850 notify run:14000 reap", 9500,
      TRUE },
    { "6.8: generic task_work (making a worker) counts as work", "kernel=6.8", MAKES_A_WORKER, 9000, FALSE },
    { "6.9: it does not", "kernel=6.9", MAKES_A_WORKER, 9000, TRUE },
    { "several rings: the longest idle time counts", NULL,
      "S/0: user ring:4,sqpoll,idle=4000,cpu=3 run:20000 | T@1/1: user ring:4,sqpoll,idle=12000,attach=0 run:20000",
      15999, FALSE },
    { "several rings: the longest idle time, over", NULL,
      "S/0: user ring:4,sqpoll,idle=4000,cpu=3 run:20000 | T@1/1: user ring:4,sqpoll,idle=12000,attach=0 run:20000",
      16001, TRUE },
    { "and a ring that is closed counts no more", NULL,
      "S/0: user ring:4,sqpoll,idle=4000,cpu=3 run:20000 | T@1/1: user ring:4,sqpoll,idle=12000,attach=0 run:100 close",
      8001, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", TEN_US ", kernel=6.4", rows[i].set, rows[i].script);
    Look at = { 0 };

    fixture_at (fixture, (UrTime) (rows[i].at * 1000), look, &at);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (at.asked == 1 && at.asleep == rows[i].asleep, "%s: %s", rows[i].rule, at.asleep ? "asleep" : "awake");
    fixture_free (fixture);
  }
}

/* NEED_WAKEUP stands on every ring while the thread sleeps, and on none while it runs. */
static void test_need_wakeup (void)
{
  static const struct {
    double at;
    unsigned flags;
  } rows[] = { { 7900, 0 }, { 8100, 3 }, { 8990, 3 }, { 9100, 0 } };
  const char *rings = "A/0: user ring:4,sqpoll,idle=4000,cpu=3 run:9000 sqe:r0 notify spin reap run:200 "
                      "| B@1/1: user ring:4,sqpoll,idle=4000,attach=0 run:9500 "
                      "| C@2/2: user ring:4,sqpoll,idle=4000,attach=0 run:9500";

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.18", TEN_US, NULL, rings);
    Look at = { 0 };

    fixture_at (fixture, (UrTime) (rows[i].at * 1000), look, &at);
    fixture_run (fixture, "NEED_WAKEUP on every ring");
    ROW_CHECK (at.asked == 1 && at.flags == rows[i].flags, "at %g us: %u rings with NEED_WAKEUP", rows[i].at, at.flags);
    fixture_free (fixture);
  }
}

/* Whenever the tail is published around the time at which the thread goes to sleep, it is seen: by the look behind the
 * barrier or by the wake-up. */
static void test_no_lost_publication (void)
{
  for (unsigned ns = 7999500; ns < 8001500; ns += 50) {
    g_autofree char *row = g_strdup_printf ("published at %u ns", ns);
    g_autofree char *script =
        g_strdup_printf ("A/0: user ring:4,sqpoll,idle=4000 run:%u.%03u sqe:r0 notify spin reap", ns / 1000, ns % 1000);
    Fixture *fixture = start ("linux-6.18", TEN_US ", Ring.SqThreadLoop=100, CPU.Syscall=200", NULL, script);
    const Request *request;

    fixture_run (fixture, row);
    request = g_ptr_array_index (fixture->requests, 0);
    ROW_CHECK (request->time.posted >= ns + 10000 && request->time.posted < ns + 10000 + 1000, "%s: done at %d", row,
               (int) request->time.posted);
    fixture_free (fixture);
  }
}

/* ---- submitting ---- */

static void test_submits (void)
{
  static const ScriptRow rows[] = {
    { "awake: seen after a round, no system call", NULL,
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify say:on spin reap",
      "S@1002.5 on, S@1012.7 done, S@1012.7 reap a" },
    { "asleep: the application enters the kernel to wake it (SQ_WAKEUP)", NULL,
      "S/0: user ring:4,sqpoll,idle=4000 run:9000 sqe:r0 notify say:on spin reap",
      "S@9003.7 on, S@9016.8 done, S@9016.8 reap a" },
    { "woken and still awake: no second system call", NULL,
      "S/0: user ring:4,sqpoll,idle=4000 run:9000 sqe:r0 notify spin reap sqe:r0 notify say:on spin reap",
      "S@9016.8 done, S@9016.8 reap a, S@9016.8 on, S@9027 done, S@9027 reap b" },
    { "all that is in the SQ is one batch", NULL,
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 sqe:r0 sqe:r0 notify spin reap",
      "S@1032.7 done, S@1032.7 reap abc" },
    { "what comes while it submits is the next batch", NULL,
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify run:5 sqe:r0 sqe:r0 notify spin reap spin reap",
      "S@1012.7 done, S@1012.7 reap a, S@1032.8 done, S@1032.8 reap bc" },
    { "5.4: as many as there are", "kernel=5.4",
      "S/0: user ring:16,sqpoll,idle=8000 run:1000 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 "
      "sqe:r0 notify run:95 spin reap",
      "S@1102.7 done, S@1102.7 reap abcdefghij" },
    { "one ring: no cap", NULL,
      "S/0: user ring:16,sqpoll,idle=8000 run:1000 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 "
      "sqe:r0 notify spin reap",
      "S@1102.7 done, S@1102.7 reap abcdefghij" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3",
                      TEN_US ", CPU.Count=4, CPU.Syscall=200, Scheduler.WakeRemote=1000, Scheduler.IdleExit=2500, "
                             "Scheduler.IdleExitDeep=3000, Ring.SqThreadLoop=100");
}

/* A policy that issues without NONBLOCK blocks the thread, all its rings and what they need it for. */
static void test_blocked (void)
{
  static const ScriptRow rows[] = {
    { "a blocking issue keeps it from the rest", NULL,
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:w0+4 sqe:r0 notify spin reap spin reap",
      "S@1040 done, S@1040 reap a, S@1050 done, S@1050 reap b" },
    { "blocked inside an issue: its other rings stop", NULL,
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:w0 notify spin reap "
      "| B@1/1: user ring:4,sqpoll,idle=8000,attach=0 run:1099 sqe:r1 notify spin reap",
      "X@900 write, A@1410 done, A@1410 reap a, B@1420 done, B@1420 reap b" },
    { "blocked: task_work of its other rings waits too", "kernel=6.4",
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:w0 notify spin reap "
      "run:500 | B@1/1: user ring:4,sqpoll,idle=8000,attach=0 run:1399",
      "X@900 write, A@1410 done, A@1410 reap a" },
    { "blocked: it holds uring_lock, and who else needs the ring waits", NULL,
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:w0 notify spin reap "
      "| B@1100/1: uringlock uringunlock",
      "X@900 write, A@1410 done, A@1410 reap a, B@1410 uring_lock" },
    { "not blocked: a ring is attached though task_work is pending", "kernel=6.4",
      "A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 | F@99.9/2: free | B@100/1: user ring:4,sqpoll,attach=0 "
      "say:attached",
      "B@100 attached" },
    { "blocked: it holds sqd->lock, so no ring can be attached", NULL,
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:w0 notify spin reap "
      "| B@1100/1: user ring:4,sqpoll,attach=0 say:attached",
      "X@900 write, A@1410 done, A@1410 reap a, B@1410 attached" },
    { "5.4: it does not hold uring_lock while it submits", "kernel=5.4",
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:w0 notify spin reap "
      "| B@1100/1: uringlock uringunlock",
      "X@900 write, B@1100 uring_lock, A@1410 done, A@1410 reap a" },
    { "a policy that does not block lets them go on", "kernel=6.18",
      "X@900/2: write sleep:500 unlock | A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:1000 sqe:r0 notify spin reap "
      "| B@1/1: user ring:4,sqpoll,idle=8000,attach=0 run:1099 sqe:r1 notify spin reap",
      "X@900 write, A@1010 done, A@1010 reap a, B@1110 done, B@1110 reap b" },
  };

  FIXTURE_CHECK_ROWS (rows, "inline-buffered-write", TEN_US ", CPU.Count=4");
}

/* What a worker needs uring_lock for: a fixed file, or buffer, that nobody has resolved before it. */
static void test_worker_lock (void)
{
  static const ScriptRow rows[] = {
    { "6.4: IOSQE_ASYNC on a fixed file", "kernel=6.4",
      "S/0: ring:4 sqe:afr0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@110 reap a" },
    { "6.3: it was resolved before", "kernel=6.3",
      "S/0: ring:4 sqe:afr0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@100 reap a" },
    { "6.4: so it is after an attempt", "kernel=6.4",
      "S/0: ring:4 sqe:fw0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@100 reap a" },
    { "6.4: not with a normal file", "kernel=6.4",
      "S/0: ring:4 sqe:ar0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@100 reap a" },
    { "6.4: fsync is forced asynchronous too", "kernel=6.4, FileSystem ext4.Fsync=10000",
      "S/0: ring:4 sqe:fs0 submit uringlock run:100 uringunlock getevents:1 reap", "S@0 uring_lock, S@110 reap a" },
    { "6.15: IOSQE_ASYNC with a fixed buffer", "kernel=6.15",
      "S/0: ring:4 sqe:agr0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@110 reap a" },
    { "6.14: it was resolved before", "kernel=6.14",
      "S/0: ring:4 sqe:agr0 submit uringlock run:100 uringunlock "
      "getevents:1 reap",
      "S@0 uring_lock, S@100 reap a" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US ", CPU.Count=4");
}

/* EBUSY: nothing is submitted while a backlog of completions does not fit into the CQ. */
static void test_busy (void)
{
  static const ScriptRow rows[] = {
    { "5.5 to 5.12: a backlog stops it until the application has reaped", "kernel=5.12",
      "S/0: ring:2,cqsize,sqpoll,idle=8000 post:w0 post:w0 post:w0 sqe:r0 notify run:100 reap run:100 reap",
      "S@100 reap ab, S@200 reap cd" },
    { "5.13: it goes on", "kernel=5.13",
      "S/0: ring:2,cqsize,sqpoll,idle=8000 post:w0 post:w0 post:w0 sqe:r0 notify run:100 say:x reap getevents:1 reap",
      "S@100 x, S@100 reap ab, S@100 reap cd" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US ", CPU.Count=4");
}

/* ---- several rings ---- */

/* Twelve reads of 10 us in each of three rings, all there when the thread is woken. */
#define TWELVE "sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0 sqe:r0"
#define THREE_RINGS                                                                      \
  "A/0: user ring:16,sqpoll,idle=4000,cpu=3 run:9000 " TWELVE " run:1000 reap "          \
  "| B@1/1: user ring:16,sqpoll,idle=4000,attach=0 run:8999.1 " TWELVE " run:1000 reap " \
  "| C@2/2: user ring:16,sqpoll,idle=4000,attach=0 run:8998.2 " TWELVE " notify run:1000 reap"

static UrTime posted (const Fixture *fixture, unsigned request)
{
  return ((const Request *) g_ptr_array_index (fixture->requests, request))->time.posted;
}

/* When the 1st, 8th, 9th and 12th request of each ring is posted, us after 9000.2 */
static void test_cap (void)
{
  static const struct {
    const char *rule, *kernel;
    int posted[3][4];
    unsigned threads;
  } rows[] = {
    { "more than one ring: 8 entries of each a round, the ring attached last first",
      "kernel=6.18",
      { { 240, 240, 360, 360 }, { 160, 160, 320, 320 }, { 80, 80, 280, 280 } },
      1 },
    { "the same from 5.10 on",
      "kernel=5.10",
      { { 240, 240, 360, 360 }, { 160, 160, 320, 320 }, { 80, 80, 280, 280 } },
      1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", TEN_US, rows[i].kernel, THREE_RINGS);

    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (fixture->sim->sq_data->len == rows[i].threads, "%s: %u threads", rows[i].rule,
               fixture->sim->sq_data->len);
    ROW_CHECK (fixture->sim->count.submitted == 36 && fixture->sim->count.reaped == 36, "%s: %d of 36 submitted",
               rows[i].rule, (int) fixture->sim->count.submitted);
    for (unsigned ring = 0; ring < 3; ring++) {
      static const unsigned which[] = { 0, 7, 8, 11 };

      for (unsigned k = 0; k < 4; k++) {
        UrTime at = posted (fixture, ring * 12 + which[k]);

        ROW_CHECK (at == 9000200 + (UrTime) rows[i].posted[ring][k] * UR_US, "%s: ring %u, request %u at %d ns",
                   rows[i].rule, ring, which[k], (int) at);
      }
    }
    fixture_free (fixture);
  }
}

/* Which thread serves a second ring. */
static void test_attach (void)
{
  static const struct {
    const char *rule, *kernel, *script;
    unsigned threads, rings; /* rings of the first */
    const char *name;
  } rows[] = {
    { "ATTACH_WQ and SQPOLL: one thread", "kernel=6.18",
      "A/0: user ring:4,sqpoll run:10 | B@1/1: user ring:4,sqpoll,attach=0 run:10", 1, 2, "iou-sqp-0" },
    { "from 5.10 on", "kernel=5.10", "A/0: user ring:4,sqpoll run:10 | B@1/1: user ring:4,sqpoll,attach=0 run:10", 1, 2,
      "io_uring-sq" },
    { "before 5.10 each has its own", "kernel=5.9",
      "A/0: user ring:4,sqpoll run:10 | B@1/1: user ring:4,sqpoll,attach=0 run:10", 2, 1, "io_uring-sq" },
    { "without ATTACH_WQ each has its own", "kernel=6.18",
      "A/0: user ring:4,sqpoll run:10 | B@1/1: user ring:4,sqpoll run:10", 2, 1, "iou-sqp-0" },
    { "a ring without SQPOLL has none", "kernel=6.18", "A/0: user ring:4,sqpoll run:10 | B@1/1: ring:4,attach=0 run:10",
      1, 1, "iou-sqp-0" },
    { "the kernel thread up to 5.11", "kernel=5.11", "A/0: user ring:4,sqpoll run:10", 1, 1, "io_uring-sq" },
    { "the submitter's thread from 5.12 on", "kernel=5.12", "A/0: user ring:4,sqpoll run:10", 1, 1, "iou-sqp-0" },
    { "a ring that is closed leaves the list", "kernel=6.18",
      "A/0: user ring:4,sqpoll,cpu=3 run:10 | B@1/1: user ring:4,sqpoll,attach=0 run:1 close run:1", 1, 1,
      "iou-sqp-0" },
    { "but not while another ring is being attached", "kernel=6.18, Ring.SqThreadLoop=5000",
      "A/0: user ring:4,sqpoll,cpu=3 run:10 close | B@12/1: user ring:4,sqpoll,attach=0 sqe:n notify run:100 reap", 1,
      1, "iou-sqp-0" },
    { "the thread ends with its last ring", "kernel=6.18", "A/0: user ring:4,sqpoll run:10 close run:10", 1, 0,
      "iou-sqp-0" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", NULL, rows[i].kernel, rows[i].script);
    const SqData *sqd;

    fixture_run (fixture, rows[i].rule);
    sqd = sqd_of (fixture, 0);
    ROW_CHECK (fixture->sim->sq_data->len == rows[i].threads && sqd->rings->len == rows[i].rings,
               "%s: %u threads, the first with %u rings", rows[i].rule, fixture->sim->sq_data->len, sqd->rings->len);
    ROW_CHECK (strcmp (sqd->thread->name, rows[i].name) == 0, "%s: %s", rows[i].rule, sqd->thread->name);
    ROW_CHECK ((sqd->thread->state == TASK_DEAD) == (rows[i].rings == 0), "%s: state %d", rows[i].rule,
               (int) sqd->thread->state);
    fixture_free (fixture);
  }
}

/* Three streams of 500 requests each, as whole runs: with ATTACH_WQ one thread does all of them, and the books
 * balance (simulation_run() checks). */
static void test_three_streams (void)
{
  static const struct {
    const char *rule, *policy, *kernel;
    gboolean attach;
    unsigned threads; /* at most so many CPUs' time */
  } rows[] = {
    { "three rings on one sq_thread", "linux-6.18", NULL, TRUE, 1 },
    { "three rings on one sq_thread, blocking issue", "inline-buffered-write", NULL, TRUE, 1 },
    { "three rings on one sq_thread, 5.10", "linux-6.3", "kernel=5.10", TRUE, 1 },
    { "three rings, three threads", "linux-6.18", NULL, FALSE, 3 },
    { "5.9 has no shared sq_thread", "linux-6.3", "kernel=5.9", TRUE, 3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, "ext4", COSTS_SHIPPED);
    g_autoptr (GError) error = NULL;
    RunResult *result;

    fixture_set (fixture, "CPU.Count=8");
    if (rows[i].kernel)
      fixture_set (fixture, rows[i].kernel);
    for (uint32_t n = 0; n < 3; n++) {
      WorkloadJob *job = workload_add_job (fixture->workload);

      job->name = g_strdup ("job");
      job->engine = APPLICATION_IO_URING;
      job->iodepth = job->iodepth_low = 16;
      job->sqpoll = job->ring.given = job->ring.flags.sqpoll = TRUE;
      job->ring.flags.attach_wq = rows[i].attach;
      job->ring.sq_wait = n == 1;
      g_array_append_val (job->files, n);
      job->pattern.order = PATTERN_RANDOM;
      job->pattern.has_write = TRUE;
      job->pattern.has_read = n == 2;
      job->pattern.read_percent = 50;
      job->pattern.size = FIXTURE_FILE_SIZE;
      job->pattern.number_ios = 500;
    }
    result = simulation_run (&fixture->setup, &error);
    if (ROW_CHECK (result, "%s: %s", rows[i].rule, row_error (error))) {
      double cpus = result->cpu.sq_thread * 8;

      ROW_CHECK (result->ios == 1500, "%s: %d requests", rows[i].rule, (int) result->ios);
      ROW_CHECK (cpus <= rows[i].threads + 1e-9 && cpus > rows[i].threads - 0.9, "%s: %g CPUs for sq_threads",
                 rows[i].rule, cpus);
    }
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* ---- locks and CPUs ---- */

/* sqd->lock is the thread's all the time but while it yields and sleeps. */
static void test_sqd_lock (void)
{
  static const struct {
    const char *rule, *script;
    double at;
    gboolean owner, locked;
  } rows[] = {
    { "held while it spins", "A/0: user ring:4,sqpoll,idle=4000 run:9000", 2000, TRUE, TRUE },
    { "held while it submits", "A/0: user ring:4,sqpoll,idle=4000 run:1000 sqe:r0 notify run:1000 reap", 1005, TRUE,
      TRUE },
    { "not while it sleeps", "A/0: user ring:4,sqpoll,idle=4000 run:9000", 8500, FALSE, FALSE },
    { "not after it has yielded at need_resched", "A/0: user ring:4,sqpoll,idle=40000,cpu=1 run:9000 | X@1/1: run:9000",
      5000, FALSE, FALSE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", TEN_US, NULL, rows[i].script);
    Look at = { 0 };

    fixture_at (fixture, (UrTime) (rows[i].at * 1000), look, &at);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (at.owner == rows[i].owner && at.locked == rows[i].locked, "%s: %s", rows[i].rule,
               at.owner    ? "held"
               : at.locked ? "held by somebody else"
                           : "free");
    fixture_free (fixture);
  }
}

/* cond_resched() once a round, whether there was work or not. */
static void test_yields (void)
{
  static const ScriptRow rows[] = {
    { "with work in every round it gives way between two of them", NULL,
      "A/0: user ring:4,sqpoll,idle=40000,cpu=1 sqe:r0+900 notify run:5000 sqe:r0+900 notify run:30000 reap "
      "| X@1/1: say:x run:1000",
      "X@9000 x, A@35000 reap ab" },
    { "without, at the tick", NULL, "A/0: user ring:4,sqpoll,idle=40000,cpu=1 run:30000 | X@1/1: say:x run:1000",
      "X@4000 x" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US ", CPU.Count=4");
}

static void test_affinity (void)
{
  static const struct {
    const char *rule, *script;
    int cpu; /* -1: any but 0 and 1, where others run */
  } rows[] = {
    { "SQ_AFF: on sq_thread_cpu, whoever runs there", "A/0: user ring:4,sqpoll,cpu=1 run:9000 | X@1/1: run:9000", 1 },
    { "without SQ_AFF: where a CPU is idle", "A/0: user ring:4,sqpoll run:9000 | X@0/1: run:9000", -1 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", NULL, NULL, rows[i].script);
    const Task *thread;

    fixture_run (fixture, rows[i].rule);
    thread = sqd_of (fixture, 0)->thread;
    ROW_CHECK (rows[i].cpu >= 0 ? thread->cpu->id == (unsigned) rows[i].cpu : thread->cpu->id > 1, "%s: on CPU %u",
               rows[i].rule, thread->cpu->id);
    fixture_free (fixture);
  }
}

static void stop (Fixture *fixture, gpointer data)
{
  *(unsigned *) data = sqd_of (fixture, 0)->rings->len;
  ur_engine_stop (fixture->sim->engine);
}

/* Parked it sleeps uninterruptibly: with task_work that comes meanwhile it would else take sqd->lock again before who
 * parked it sees it free, for ever. */
static void test_parked (void)
{
  for (unsigned ns = 9800; ns < 10600; ns += 50) {
    g_autofree char *row = g_strdup_printf ("parked at 10 us, task_work at %u ns", ns);
    g_autofree char *script = g_strdup_printf ("A/0: user ring:4,sqpoll,idle=8000,cpu=3 run:100 | F@%u.%03u/2: free | "
                                               "B@10/1: user ring:4,sqpoll,attach=0 run:1",
                                               ns / 1000, ns % 1000);
    Fixture *fixture =
        start ("linux-6.3", "kernel=6.4, Locks.Fast=25, Locks.Transfer=60, Locks.Handover=250", NULL, script);
    unsigned rings = 0;

    fixture_at (fixture, 200 * UR_US, stop, &rings);
    fixture_run (fixture, row);
    ROW_CHECK (rings == 2, "%s: %u rings", row, rings);
    fixture_free (fixture);
  }
}

/* ---- room in the SQ ---- */

static void test_room (void)
{
  static const ScriptRow rows[] = {
    { "SQ_WAIT: sleeps until a batch is consumed", "Scheduler.IdleExit=2500, Scheduler.IdleExitDeep=2500",
      "S/0: ring:2,sqpoll,idle=8000 run:1000 sqe:r0 sqe:r0 notify room say:room sleep:10 reap",
      "S@1025 room, S@1037.5 reap ab" },
    { "SQ_WAIT: returns at once if there is room", NULL,
      "S/0: ring:2,sqpoll,idle=8000 run:1000 sqe:r0 notify room say:room sleep:20 reap", "S@1000 room, S@1020 reap a" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US ", CPU.Count=4");
}

/* ---- task_work ---- */

/* For every ring. */
static void queue_frees (Fixture *fixture, gpointer data)
{
  for (unsigned i = 0; i < fixture->sim->rings->len; i++)
    ((Ring *) g_ptr_array_index (fixture->sim->rings, i))->frees = *(const unsigned *) data;
}

static void count_frees (Fixture *fixture, gpointer data)
{
  unsigned *left = data;

  for (unsigned i = 0; i < fixture->sim->rings->len; i++)
    left[i] = ring_of (fixture, i)->frees;
}

/* task_work items per round: all before 6.9, then 8, from 6.16 on 32; what is left comes next. */
static void test_budget (void)
{
  static const struct {
    const char *kernel;
    unsigned left[2]; /* after one round, after two */
  } rows[] = {
    { "kernel=6.4", { 0, 0 } },    { "kernel=6.8", { 0, 0 } },  { "kernel=6.9", { 32, 24 } },
    { "kernel=6.15", { 32, 24 } }, { "kernel=6.16", { 8, 0 } }, { "kernel=6.18", { 8, 0 } },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = start ("linux-6.3", "Ring.SqThreadLoop=10000, Ring.TaskWork=0", rows[i].kernel,
                              "S/0: ring:4,sqpoll,idle=4000 run:10000 | P@10000/1: free");
    unsigned queued = 40, left[2] = { 99, 99 };

    fixture_at (fixture, 10005 * UR_US, queue_frees, &queued); /* it is awake and on its way to the list */
    fixture_at (fixture, 10015 * UR_US, count_frees, &left[0]);
    fixture_at (fixture, 10025 * UR_US, count_frees, &left[1]);
    fixture_script (fixture, "Q@10030/2: run:1");
    fixture_run (fixture, rows[i].kernel);
    for (unsigned k = 0; k < 2; k++)
      ROW_CHECK (left[k] == rows[i].left[k], "%s: %u of 40 left after round %u", rows[i].kernel, left[k], k + 1);
    fixture_free (fixture);
  }
}

/* The budget is one for all rings, and the ring at which it ended begins the next round. */
static void test_budget_rings (void)
{
  static const unsigned expected[3][2] = { { 10, 2 }, { 4, 0 }, { 0, 0 } };
  Fixture *fixture = start ("linux-6.3", "Ring.SqThreadLoop=5000", "kernel=6.9",
                            "A/0: user ring:4,sqpoll,idle=4000,cpu=3 run:10009 free run:100 "
                            "| B@1/1: user ring:4,sqpoll,idle=4000,attach=0 run:9999 free");
  unsigned queued = 10, left[3][2];

  fixture_at (fixture, 10010 * UR_US, queue_frees, &queued); /* both are on their way to the list */
  for (unsigned i = 0; i < 3; i++)
    fixture_at (fixture, (10017 + i * 10) * UR_US, count_frees, left[i]);
  fixture_run (fixture, "budget of two rings");
  for (unsigned i = 0; i < 3; i++)
    ROW_CHECK (left[i][0] == expected[i][0] && left[i][1] == expected[i][1], "round %u: %u and %u items left", i + 1,
               left[i][0], left[i][1]);
  fixture_free (fixture);
}

/* ---- borrowed address space ---- */

static void test_use_mm (void)
{
  static const ScriptRow rows[] = {
    { "5.4: borrowed once until it sleeps", "kernel=5.4",
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify spin run:5 sqe:r0 notify spin reap",
      "S@1015 done, S@1030 done, S@1030 reap ab" },
    { "5.4: again after it slept", "kernel=5.4",
      "S/0: user ring:4,sqpoll,idle=4000 run:1000 sqe:r0 notify spin run:9000 sqe:r0 notify spin reap",
      "S@1015 done, S@10030 done, S@10030 reap ab" },
    { "5.9: given back when there is nothing to do", "kernel=5.9",
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify spin run:5 sqe:r0 notify spin reap",
      "S@1015 done, S@1035 done, S@1035 reap ab" },
    { "5.9: kept from one batch to the next", "kernel=5.9",
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify run:5 sqe:r0 notify spin spin reap",
      "S@1015 done, S@1025 done, S@1025 reap ab" },
    { "5.11: for one round", "kernel=5.11",
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify run:5 sqe:r0 notify spin spin reap",
      "S@1015 done, S@1030 done, S@1030 reap ab" },
    { "5.12: a thread of the process needs none", "kernel=5.12",
      "S/0: user ring:4,sqpoll,idle=8000 run:1000 sqe:r0 notify spin reap", "S@1010 done, S@1010 reap a" },
  };

  FIXTURE_CHECK_ROWS (rows, "linux-6.3", TEN_US ", CPU.Count=4, Ring.UseMm=5000");
}

/* ---- io_uring_task_work_run ---- */

static void count_run (const TraceEvent *event, void *data)
{
  unsigned *count = data; /* with items, empty */

  if (event->kind == TRACE_TASK_WORK_RUN)
    count[event->count == 0]++;
}

static void test_task_work_run (void)
{
  static const struct {
    const char *kernel;
    gboolean empty;
  } rows[] = { { "kernel=6.8", FALSE }, { "kernel=6.9", TRUE }, { "kernel=6.18", TRUE } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);
    unsigned count[2] = { 0, 0 };

    fixture_set (fixture, "CPU.Count=4");
    fixture_set (fixture, rows[i].kernel);
    fixture->setup.trace = count_run;
    fixture->setup.trace_data = count;
    fixture_build (fixture);
    fixture_script (fixture, "S/0: user ring:4,sqpoll,idle=8000,cpu=3 run:100 | F@50/1: free");
    fixture_run (fixture, rows[i].kernel);
    ROW_CHECK (count[0] == 1 && (count[1] > 0) == rows[i].empty, "%s: %u runs, %u empty", rows[i].kernel, count[0],
               count[1]);
    fixture_free (fixture);
  }
}

void register_sq_thread_tests (void)
{
  CU_pSuite suite = fixture_suite ("sq_thread");

  fixture_test (suite, "idle time", test_idle);
  fixture_test (suite, "NEED_WAKEUP", test_need_wakeup);
  fixture_test (suite, "no publication is lost", test_no_lost_publication);
  fixture_test (suite, "submits", test_submits);
  fixture_test (suite, "blocked inside an issue", test_blocked);
  fixture_test (suite, "workers and uring_lock", test_worker_lock);
  fixture_test (suite, "a backlog of completions", test_busy);
  fixture_test (suite, "8 entries of each ring", test_cap);
  fixture_test (suite, "ATTACH_WQ", test_attach);
  fixture_test (suite, "three streams", test_three_streams);
  fixture_test (suite, "sqd->lock", test_sqd_lock);
  fixture_test (suite, "parked", test_parked);
  fixture_test (suite, "need_resched", test_yields);
  fixture_test (suite, "SQ_AFF", test_affinity);
  fixture_test (suite, "SQ_WAIT", test_room);
  fixture_test (suite, "task_work budget", test_budget);
  fixture_test (suite, "task_work budget of several rings", test_budget_rings);
  fixture_test (suite, "borrowed address space", test_use_mm);
  fixture_test (suite, "io_uring_task_work_run", test_task_work_run);
}
