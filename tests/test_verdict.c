/*
 * The verdict (verdict.h): what binds a run, what its time is made of, which pair is compared; on results made by hand,
 * so that each number is known.
 */
#include "src/command/verdict.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* 8 requests in flight for a second, 100,000 I/Os: 10 us each; stages in us. */
static RunResult *result_new (const double us[PHASES], Outcome outcome)
{
  RunResult *result = g_new0 (RunResult, 1);

  result->ios = 100000;
  result->sim_ns = result->measured_ns = UR_S;
  result->iops = 1e5;
  result->cpus = 4;
  result->outcome[outcome] = result->ios;
  result->cpu.busy = 0.5;
  for (unsigned i = 0; i < PHASES; i++) {
    result->phase[i].mean = 1000 * us[i];
    result->phase[i].n = result->ios;
    result->phase_total += result->phase[i].mean;
  }
  return result;
}

static void test_binding (void)
{
  /* submit attempt punt queue wakeup lock service complete reap */
  static const struct {
    const char *rule;
    double us[PHASES];
    Outcome outcome;
    double sq_thread, running, waiters;
    uint64_t hold, device_ios;
    Binding binds;
    Part most; /* the largest part, and its us */
    double us_of_most;
  } rows[] = {
    { "they wait for the one worker: what it does besides the file system is hand-off",
      { 1, 0.1, 0.3, 60, 0, 0, 4, 1, 13 },
      OUTCOME_PUNTED_HASHED,
      0,
      1,
      0,
      0,
      0,
      BINDS_WORKERS,
      PART_HAND_OFF,
      6 },
    { "two workers take half of the time each",
      { 1, 0.1, 0.3, 60, 0, 0, 16, 1, 1 },
      OUTCOME_PUNTED_UNHASHED,
      0,
      2,
      0,
      0,
      0,
      BINDS_WORKERS,
      PART_FILE_SYSTEM,
      8 },
    { "workers that all wait for the lock: the lock; 4 us of hold are 2 us without 30 contenders",
      { 1, 0.1, 0.3, 60, 0, 10, 4, 1, 1 },
      OUTCOME_PUNTED_UNHASHED,
      0,
      31,
      30,
      400 * UR_MS,
      0,
      BINDS_LOCK,
      PART_LOCK,
      8 },
    { "they wait for their turn in the batch: the submitter",
      { 60, 0, 0, 0, 0, 0, 7, 0, 1 },
      OUTCOME_INLINE,
      0,
      0,
      0,
      0,
      0,
      BINDS_SUBMITTER,
      PART_FILE_SYSTEM,
      7 },
    { "with an sq_thread it is that",
      { 60, 0, 0, 0, 0, 0, 3, 0, 1 },
      OUTCOME_INLINE,
      0.2,
      0,
      0,
      0,
      0,
      BINDS_SQ_THREAD,
      PART_SUBMISSION,
      7 },
    { "and who reaps too slowly is the application",
      { 1, 0, 0, 0, 0, 0, 3, 0, 60 },
      OUTCOME_INLINE,
      0.2,
      0,
      0,
      0,
      0,
      BINDS_APPLICATION,
      PART_APPLICATION,
      10 },
    { "without one, who reaps is who submits",
      { 1, 0, 0, 0, 0, 0, 3, 0, 60 },
      OUTCOME_INLINE,
      0,
      0,
      0,
      0,
      0,
      BINDS_SUBMITTER,
      PART_SUBMISSION,
      7 },
    { "they are at the device",
      { 1, 0, 0, 0, 0, 0, 60, 0, 1 },
      OUTCOME_ASYNC,
      0,
      0,
      0,
      0,
      100000,
      BINDS_DEVICE,
      PART_DEVICE,
      10 },
    { "one at a time: its latency, with the way to a worker and back",
      { 0.5, 0.1, 0.3, 1, 4, 0, 3, 0.5, 0.6 },
      OUTCOME_PUNTED_HASHED,
      0,
      1,
      0,
      0,
      0,
      BINDS_NOTHING,
      PART_HAND_OFF,
      5.8 },
  };

  const VerdictConditions conditions = { .kappa = 1.0 / 30 };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    RunResult *result = result_new (rows[i].us, rows[i].outcome);
    ResultLock lock = {
      .name = "inode:0", .acquired = 100000, .hold_ns = rows[i].hold, .mean_queued = rows[i].waiters
    };
    double sum = 0;
    Part most = PART_APPLICATION;

    result->cpu.sq_thread = rows[i].sq_thread;
    result->workers.mean_running = rows[i].running;
    result->lock = rows[i].hold ? &lock : NULL;
    result->n_locks = rows[i].hold != 0;
    result->device.used = rows[i].device_ios != 0;
    result->device.channels = 8;
    result->device.busy_channels = (double) rows[i].device_ios / 12500; /* of 100,000: all */
    Operation operation = verdict_operation (result, &conditions);

    for (unsigned part = 0; part < PARTS; part++) {
      sum += operation.part[part];
      most = operation.part[part] > operation.part[most] ? (Part) part : most;
    }
    ROW_CHECK (operation.binds == rows[i].binds, "%s: %s", rows[i].rule, binding_text (operation.binds));
    ROW_CHECK (fabs (sum - operation.time) < 1e-6 && operation.time == 10000, "%s: %g ns of %g", rows[i].rule, sum,
               operation.time);
    ROW_CHECK (most == rows[i].most && fabs (operation.part[most] - 1000 * rows[i].us_of_most) < 1, "%s: %s, %g ns",
               rows[i].rule, part_text (most), operation.part[most]);
    g_free (result);
  }
}

/* A workload with a pace of its own binds where its depth is not used up. */
static void test_arrivals (void)
{
  static const double us[PHASES] = { 1, 0.1, 0.3, 60, 0, 0, 4, 1, 13 }; /* 7.94 in flight */
  RunResult *result = result_new (us, OUTCOME_PUNTED_HASHED);

  result->workers.mean_running = 1;
  for (unsigned depth = 8; depth <= 32; depth += 24) {
    const Operation operation = verdict_operation (result, &(const VerdictConditions){ 0.03, depth });

    ROW_CHECK (operation.binds == (depth == 8 ? BINDS_WORKERS : BINDS_ARRIVALS), "depth %u: %s", depth,
               binding_text (operation.binds));
    ROW_CHECK (operation.part[PART_ARRIVALS] == (depth == 8 ? 0 : operation.time), "depth %u", depth);
  }
  g_free (result);
}

static void test_nothing (void)
{
  RunResult *result = g_new0 (RunResult, 1);
  Operation operation = verdict_operation (result, &(const VerdictConditions){ .kappa = 0.03 });

  CU_ASSERT (operation.time == 0 && operation.binds == BINDS_NOTHING); /* a run without I/Os has no verdict */
  g_free (result);
}

static void test_sentence (void)
{
  static const struct {
    const char *rule;
    ReportVerdict verdict;
    const char *sentence;
  } rows[] = {
    { "who, how much, the price, why",
      { 1, 0, { 1.95, 0.02, 8 }, FALSE, 99.9, 3.1, 0.5, PART_HAND_OFF, 1600, 3500, FALSE, FALSE },
      "`fast` does 1.95x the IOPS of `slow` (95 % CI 1.93-1.97); p99.9 is 3.10x worse; CPU time per I/O is 0.50x; the gain is "
      "less hand-off to workers, 1.60 us of 3.50 us per I/O." },
    { "no more than noise",
      { 1, 0, { 1.01, 0.02, 8 }, TRUE, 99, 1.0, 0, PART_LOCK, 100, 3500, FALSE, FALSE },
      "`fast` and `slow` do the same number of IOPS (ratio, 95 % CI 0.99-1.03); p99 is the same." },
    { "too few samples for a tail, one seed",
      { 1, 0, { 2, -1, 1 }, FALSE, 0, 0, 0, PART_LOCK, 0, 3500, FALSE, FALSE },
      "`fast` does 2.00x the IOPS of `slow` (one seed: no confidence interval)." },
    { "both keep up with the pace",
      { 1, 0, { 1.0, 0.01, 8 }, TRUE, 99, 0.5, 0, PART_LOCK, 100, 3500, FALSE, TRUE },
      "`fast` and `slow` both keep up with the pace of the workload, which sets their IOPS: compare latencies (ratio, 95 % CI "
      "0.99-1.01); p99 of `fast` is 2.00x better." },
    { "whole kernels",
      { 1, 0, { 2, 0.1, 8 }, FALSE, 0, 0, 0, PART_LOCK, 0, 3500, TRUE, FALSE },
      "`fast` (kernel 6.18) does 2.00x the IOPS of `slow` (kernel 6.3) (95 % CI 1.90-2.10)." },
  };
  RunResult *slow = g_new0 (RunResult, 1), *fast = g_new0 (RunResult, 1);
  const ReportRun runs[] = { { .result = slow }, { .result = fast } };

  g_strlcpy (slow->policy, "slow", sizeof slow->policy);
  g_strlcpy (fast->policy, "fast", sizeof fast->policy);
  g_strlcpy (slow->engine, "io_uring", sizeof slow->engine);
  g_strlcpy (fast->engine, "io_uring", sizeof fast->engine);
  slow->kernel = KERNEL (6, 3);
  fast->kernel = KERNEL (6, 18);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *sentence = verdict_sentence (runs, &rows[i].verdict);

    ROW_CHECK (!strcmp (sentence, rows[i].sentence), "%s: %s", rows[i].rule, sentence);
  }
  g_free (slow);
  g_free (fast);
}

void register_verdict_tests (void)
{
  CU_pSuite suite = CU_add_suite ("verdict", NULL, NULL);

  CU_add_test (suite, "what binds a run", test_binding);
  CU_add_test (suite, "a pace of its own", test_arrivals);
  CU_add_test (suite, "a run without I/Os", test_nothing);
  CU_add_test (suite, "the sentence", test_sentence);
}
