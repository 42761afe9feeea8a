/*
 * What must hold whatever is asked of the machine: 1,000 random small runs (random_run.h), each taken apart.
 *
 * Every run is made three times: once in small steps with somebody listening to every event, once as the program makes
 * it, which must give the same bytes, and once with another seed, which must not if costs vary.  What the listener saw
 * is compared with what the result says, so the model's own books are not the only witness.
 *
 * URINGSIM_TEST_RUNS=FIRST or FIRST-LAST picks runs; without it they are fewer in a build with AddressSanitizer.
 */
#include "tests/model_fixture.h"
#include "tests/random_run.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define RUNS 120u
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define RUNS 120u
#endif
#endif
#ifndef RUNS
#define RUNS 1000u
#endif

/* Longest time all CPUs may be idle with requests in flight: waits inside the file system are about 20 us each, the
 * default device takes some 100; a disk seeks, and a network disk flushes, in 10 ms and more. */
#define QUIET (5 * UR_MS)
#define QUIET_SLOW (100 * UR_MS)
/* A stream that runs for a time has no end of its own. */
#define COUNTED_MAX 20000u

/* ---- what the run asked for ---- */

typedef struct {
  uint64_t requests, pages; /* of all streams, if nothing cuts them short */
  UrTime waits;             /* time that may pass without anything to do */
  gboolean cut;             /* something may cut them short */
} Asked;

static void ask_job (const SimulationSetup *setup, const WorkloadJob *job, Asked *asked)
{
  g_autoptr (GError) error = NULL;
  IoSource *source = workload_open_job (setup->workload, job, setup->seed, &error);
  UrTime last = 0;
  unsigned counted = 0;
  Io io;

  while (counted++ < COUNTED_MAX && source->next (source, &io, &error) > 0) {
    asked->requests++;
    asked->pages += io.length / 4096 + 1;
    last = MAX (last, io.arrival);
    asked->waits += job->thinktime / MAX (job->thinktime_blocks, 1);
  }
  source->free (source);
  asked->waits += job->start_delay + last + (job->time_based ? job->runtime : 0);
  asked->cut |= job->runtime != 0;
}

static Asked ask (const SimulationSetup *setup)
{
  Asked asked = { .cut = setup->limit_ios || setup->limit_time };

  for (unsigned i = 0; i < setup->workload->jobs->len; i++)
    ask_job (setup, g_ptr_array_index (setup->workload->jobs, i), &asked);
  return asked;
}

/* ---- properties ---- */

/* Everything that was asked for happened once and has one outcome. */
static void check_conservation (const RandomRun *run, const Asked *asked, const Witness *witness,
                                const RunResult *result, const char *row)
{
  uint64_t outcomes = 0, ops = 0, failed = result->outcome[OUTCOME_FAILED];
  uint64_t dropped = run->kernel < KERNEL (5, 5) ? result->cq_overflows : 0;

  for (unsigned i = 0; i < OUTCOMES; i++)
    outcomes += result->outcome[i];
  for (unsigned i = 0; i < IO_OPS; i++)
    ops += result->op[i].ios;
  /* what failed may be among what was dropped */
  ROW_CHECK (ops == result->ios + result->syncs && outcomes <= ops + failed + dropped &&
                 outcomes >= ops + MAX (failed, dropped) &&
                 (!dropped || !failed ? outcomes == ops + failed + dropped : TRUE),
             "%d outcomes of %d I/Os and %d syncs, %d failed, %d dropped; %s", (int) outcomes, (int) result->ios,
             (int) result->syncs, (int) failed, (int) dropped, row);
  ROW_CHECK (run->may_fail || !failed, "nothing can fail: %d; %s", (int) failed, row);
  ROW_CHECK (asked->cut || dropped || outcomes == asked->requests, "%d of %d requests; %s", (int) outcomes,
             (int) asked->requests, row);
  ROW_CHECK (result->all.lat.n == result->ios && result->all.clat.n == result->ios, "latencies of all; %s", row);
  ROW_CHECK (run->may_overflow || !result->cq_overflows, "the CQ has room for all: %d; %s", (int) result->cq_overflows,
             row);
  ROW_CHECK (witness->count[TRACE_SCHED_WAKEUP] == result->wakeups, "%d wake-ups told, %d counted; %s",
             (int) witness->count[TRACE_SCHED_WAKEUP], (int) result->wakeups, row);
}

/* What the listener was told: one completion for each submission, one entry into a queue for each punt.  Members of a
 * chain may be left out of both, and what fails in its preparation was never submitted. */
static void check_told (const RandomRun *run, const Witness *witness, const RunResult *result, const char *row)
{
  uint64_t seen[OUTCOMES] = { 0 }, submitted = witness->count[TRACE_SUBMIT_REQ];
  uint64_t completed = witness->count[TRACE_COMPLETE], queued = witness->count[TRACE_QUEUE_ASYNC_WORK], punted;

  for (unsigned i = 0; i < witness->seen->len; i++)
    seen[g_array_index (witness->seen, Seen, i).outcome]++;
  punted = seen[OUTCOME_PUNTED_HASHED] + seen[OUTCOME_PUNTED_UNHASHED];
  ROW_CHECK (witness->seen->len == completed, "%u completed requests, %d completions; %s", witness->seen->len,
             (int) completed, row);
  ROW_CHECK (completed <= submitted + result->outcome[OUTCOME_FAILED] &&
                 (run->may_fail || run->skips || submitted == completed),
             "%d submitted, %d completed, %d failed; %s", (int) submitted, (int) completed,
             (int) result->outcome[OUTCOME_FAILED], row);
  for (unsigned i = OUTCOME_PUNTED_HASHED; i <= OUTCOME_PUNTED_UNHASHED; i++)
    ROW_CHECK (run->skips ? seen[i] <= result->outcome[i] : seen[i] == result->outcome[i],
               "%s: %d seen, %d counted; %s", outcome_name (i), (int) seen[i], (int) result->outcome[i], row);
  ROW_CHECK (run->links || punted == queued, "%d punted, %d queued; %s", (int) punted, (int) queued, row);
}

/* The stations of a request come in their order; what was not punted was in no queue. */
static void check_stations (const Witness *witness, const char *row)
{
  for (unsigned i = 0; i < witness->seen->len; i++) {
    const Seen *seen = &g_array_index (witness->seen, Seen, i);
    const RequestTimes *t = &seen->time;
    gboolean punted = seen->outcome == OUTCOME_PUNTED_HASHED || seen->outcome == OUTCOME_PUNTED_UNHASHED;
    gboolean ok = t->prepared <= t->attempt && t->done <= t->posted && t->lock_wanted <= t->lock_got;

    if (punted)
      ok =
          ok && t->attempt <= t->verdict && t->verdict <= t->queued && t->queued <= t->started && t->started <= t->done;
    else
      ok = ok && !t->queued && !t->started && t->attempt <= t->done;
    if (t->lock_wanted)
      ok = ok && t->lock_got <= t->done && t->lock_wanted >= (punted ? t->started : t->attempt);
    if (!ROW_CHECK (ok, "stream %u, request %d goes backwards or skips a station; %s", seen->application,
                    (int) seen->number, row))
      return;
  }
}

/* Ordering guarantee: punted work of one bucket of one ring is executed in the order of its queueing, one at a time,
 * and its CQEs are posted in that order.  On several NUMA nodes the order holds from 6.4 on only, one at a time from
 * 5.12 on. */
static void check_hashed_order (const SimulationSetup *setup, const Witness *witness, const char *row)
{
  unsigned kernel = setup->kernel ? setup->kernel : setup->policy->kernel;
  gboolean one_node = setup->machine->nodes == 1, ordered = one_node || kernel >= KERNEL (6, 4);
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL); /* of Seen, by stream and bucket; only looked up */

  for (unsigned i = 0; i < witness->seen->len; i++) {
    Seen *seen = &g_array_index (witness->seen, Seen, i), *before;
    gpointer key = GUINT_TO_POINTER (seen->application * 64 + seen->bucket + 1);

    if (seen->outcome != OUTCOME_PUNTED_HASHED)
      continue;
    before = g_hash_table_lookup (last, key);
    g_hash_table_insert (last, key, seen);
    if (before && !ROW_CHECK ((!ordered || before->time.queued <= seen->time.queued) &&
                                  ((!one_node && kernel < KERNEL (5, 12)) || before->time.done <= seen->time.started),
                              "stream %u, bucket %u: requests %d and %d overtake or overlap; %s", seen->application,
                              seen->bucket, (int) before->number, (int) seen->number, row))
      return;
  }
}

/* No more in flight than the depths allow, no more locking of inodes than an attempt and an execution each,
 * twice that if a page has to be read in between. */
static void check_bounds (const SimulationSetup *setup, const RunResult *result, const char *row)
{
  double in_flight = result->iops * ur_histogram_mean (&result->all.lat) / 1e9;
  uint64_t depth = 0, acquired = 0, requests = 0;

  for (unsigned i = 0; i < setup->workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (setup->workload->jobs, i);
    int engine = setup->engine >= 0 ? setup->engine : (int) job->engine;

    uint64_t asked = setup->iodepth ? setup->iodepth : job->iodepth;

    /* fio's io_uring engine has a power of two of slots */
    while (engine == APPLICATION_IO_URING && !job->ring.given && (asked & (asked - 1)))
      asked++;
    depth += engine == APPLICATION_PSYNC ? 1 : asked;
  }
  for (unsigned i = 0; i < OUTCOMES; i++)
    requests += result->outcome[i];
  for (unsigned i = 0; i < result->n_locks; i++)
    if (g_str_has_prefix (result->lock[i].name, "inode:"))
      acquired += result->lock[i].acquired;
  ROW_CHECK (in_flight <= (double) depth * 1.001, "%g in flight, %d allowed; %s", in_flight, (int) depth, row);
  ROW_CHECK (acquired <= (setup->cache == CACHE_COLD ? 4 : 2) * requests, "%d times locked; %s", (int) acquired, row);
}

/* The stations add up to the time from prepared to reaped. */
static void check_phases (const SimulationSetup *setup, const RunResult *result, const char *row)
{
  double sum = 0, mean = ur_histogram_mean (&result->all.lat);

  for (unsigned i = 0; i < PHASES; i++) {
    ROW_CHECK (result->phase[i].mean >= 0, "phase %s is %g; %s", phase_name (i), result->phase[i].mean, row);
    sum += result->phase[i].mean;
  }
  ROW_CHECK (ABS (sum - result->phase_total) <= 1e-6 * sum, "phases %g, in all %g; %s", sum, result->phase_total, row);
  for (unsigned i = 0; i < setup->workload->jobs->len; i++)
    if (setup->engine == APPLICATION_PSYNC ||
        ((const WorkloadJob *) g_ptr_array_index (setup->workload->jobs, i))->engine == APPLICATION_PSYNC)
      return; /* its latency starts when the call is made */
  ROW_CHECK (result->all.slat.sum + result->all.clat.sum == result->all.lat.sum, "slat + clat = lat; %s", row);
  if (!result->syncs && !result->outcome[OUTCOME_FAILED]) /* the phases include them, the latencies do not */
    ROW_CHECK (ABS (sum - mean) <= 1e-6 * mean + 1e-6, "phases %g, latency %g; %s", sum, mean, row);
}

static void check_cpu (const RunResult *result, const char *row)
{
  double parts = result->cpu.app + result->cpu.sq_thread + result->cpu.workers + result->cpu.flusher + result->cpu.irq;
  uint64_t punted = result->outcome[OUTCOME_PUNTED_HASHED] + result->outcome[OUTCOME_PUNTED_UNHASHED];

  ROW_CHECK (result->cpu.busy >= 0 && result->cpu.busy <= 1 + 1e-9 && ABS (parts - result->cpu.busy) < 1e-9 &&
                 ABS (result->cpu.busy + result->cpu.idle - 1) < 1e-9 && result->cpu.spin <= result->cpu.busy + 1e-9,
             "busy %g of which %g; %s", result->cpu.busy, parts, row);
  ROW_CHECK (result->workers.max_alive <= result->workers.created, "%u workers of %u; %s", result->workers.max_alive,
             result->workers.created, row);
  /* also counts a worker that was told of work while it was about to sleep, which is no wake-up */
  ROW_CHECK (result->futile_wakeups <= result->wakeups + result->workers.created + punted,
             "%d of %d wake-ups futile; %s", (int) result->futile_wakeups, (int) result->wakeups, row);
  ROW_CHECK (result->ipis <= result->wakeups + result->ios + result->syncs, "%d IPIs; %s", (int) result->ipis, row);
}

/* No wake-up is lost: while requests are in flight the machine is never idle for long, and the whole takes no longer
 * than a slow machine needs. */
static void check_liveness (const RandomRun *run, const SimulationSetup *setup, const Asked *asked,
                            const Witness *witness, const RunResult *result, const char *row)
{
  UrTime work = asked->requests * UR_MS + asked->pages * 20 * UR_US, bound;
  unsigned jobs = setup->workload->jobs->len;

  bound = work + 100 * UR_MS + (run->slow ? asked->requests * 100 * UR_MS : 0);
  bound += asked->requests * 4 * jobs * 4 * UR_MS / result->cpus; /* polling tasks keep a CPU for a tick each */
  ROW_CHECK (witness->quiet <= (run->slow ? QUIET_SLOW : QUIET), "idle for %d us at %d us with requests in flight; %s",
             (int) (witness->quiet / UR_US), (int) (witness->quiet_at / UR_US), row);
  ROW_CHECK (result->sim_ns <= bound + asked->waits, "it takes %d ms, expected %d ms at most; %s",
             (int) (result->sim_ns / UR_MS), (int) ((bound + asked->waits) / UR_MS), row);
  ROW_CHECK (!result->all.lat.n || result->all.lat.max <= bound, "a request takes %d ms, expected %d ms at most; %s",
             (int) (result->all.lat.max / UR_MS), (int) (bound / UR_MS), row);
}

/* ---- repetition ---- */

/* As the program prints it. */
static char *result_text (const Scenario *scenario, const RunResult *result)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  ReportRun run = { .result = result, .metric = { [METRIC_IOPS] = { result->iops, -1, 1 } } };
  Report report = {
    .command = "run",
    .seed = result->seed,
    .reps = 1,
    .workload = scenario->workload,
    .machine = scenario->machine,
    .replay = scenario->replay,
    .notes = notes,
    .n_runs = 1,
    .runs = &run,
  };

  return json_report (&report);
}

static void check_repetition (const Scenario *scenario, const SimulationSetup *setup, RunResult *result, gboolean noise,
                              const char *row)
{
  g_autoptr (GError) error = NULL;
  SimulationSetup luck = *setup;
  RunResult *again = simulation_run (setup, &error), *other;
  g_autofree char *first = NULL, *second = NULL;

  if (!ROW_CHECK (again, "again: %s; %s", row_error (error), row))
    return;
  result->events = again->events; /* costs merge into fewer events when nobody stops the clock */
  first = result_text (scenario, result);
  second = result_text (scenario, again);
  ROW_CHECK (g_str_equal (first, second), "the same bytes, watched or not; %s\n%s\n%s", row, first, second);
  ROW_CHECK (memcmp (&result->all, &again->all, sizeof result->all) == 0 &&
                 memcmp (result->op, again->op, sizeof result->op) == 0,
             "the same latencies; %s", row);
  run_result_free (again);
  luck.seed += 1000000;
  other = simulation_run (&luck, &error);
  if (ROW_CHECK (other, "another seed: %s; %s", row_error (error), row) && noise && other->ios > 1)
    ROW_CHECK (other->sim_ns != result->sim_ns || other->all.lat.sum != result->all.lat.sum,
               "another seed, other times; %s", row);
  run_result_free (other);
}

/* ---- runs ---- */

static void check_run (const RandomRun *run, const char *directory)
{
  g_autofree char *row = random_run_repeat (run);
  g_autoptr (GError) error = NULL;
  const SimulationSetup *setup;
  WordsRun words;
  Witness witness;
  RunResult *result;
  Asked asked;

  if (ROW_CHECK (words_run_open_random (&words, run, directory, &error), "%s; %s", row_error (error), row)) {
    setup = &words.setup;
    asked = ask (setup);
    witness_init (&witness);
    result = run_watched (setup, &witness, &error);
    if (ROW_CHECK (result, "%s; %s", row_error (error), row)) {
      check_conservation (run, &asked, &witness, result, row);
      check_told (run, &witness, result, row);
      check_stations (&witness, row);
      if (!run->direct) /* what a worker hands to the device is done when that likes */
        check_hashed_order (setup, &witness, row);
      check_bounds (setup, result, row);
      check_phases (setup, result, row);
      check_cpu (result, row);
      check_liveness (run, setup, &asked, &witness, result, row);
      check_repetition (words.scenario, setup, result, run->noise, row);
    }
    run_result_free (result);
    witness_clear (&witness);
  }
  words_run_clear (&words);
}

static void test_random_runs (void)
{
  const char *range = g_getenv ("URINGSIM_TEST_RUNS");
  unsigned first = 0, last = RUNS - 1;
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("uringsim-XXXXXX", &error);

  if (!ROW_CHECK (directory, "%s", row_error (error)))
    return;
  if (range) {
    int n = sscanf (range, "%u-%u", &first, &last);

    ROW_CHECK (n >= 1, "URINGSIM_TEST_RUNS=%s, expected FIRST or FIRST-LAST", range);
    last = n == 1 ? first : last;
  }
  for (unsigned i = first; i <= last; i++) {
    g_autoptr (RandomRun) run = random_run_new (i);

    check_run (run, directory);
    random_run_remove (run, directory);
  }
  g_rmdir (directory);
}

/* More work never takes less time without noise: a few pairs that cannot be otherwise. */
static void test_monotone (void)
{
  static const char *const rows[] = { "linux-5.3", "linux-6.3", "inline-buffered-write" };
  static const unsigned ios[] = { 50, 100, 200, 400, 800 };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    UrTime before = 0;

    for (unsigned k = 0; k < G_N_ELEMENTS (ios); k++) {
      Fixture *fixture = fixture_new (rows[i], "ext4", COSTS_SHIPPED);
      WorkloadJob *job = workload_add_job (fixture->workload);
      g_autoptr (GError) error = NULL;
      uint32_t file = 0;
      RunResult *result;

      job->name = g_strdup ("job");
      job->engine = APPLICATION_IO_URING;
      job->iodepth = job->iodepth_low = 8;
      g_array_append_val (job->files, file);
      job->pattern.has_read = FALSE;
      job->pattern.has_write = TRUE;
      job->pattern.size = FIXTURE_FILE_SIZE;
      job->pattern.number_ios = ios[k];
      result = simulation_run (&fixture->setup, &error);
      ROW_CHECK (result && result->ios == ios[k] && result->sim_ns > before, "%s, %u I/Os: %d ns after %d ns", rows[i],
                 ios[k], result ? (int) result->sim_ns : 0, (int) before);
      before = result ? result->sim_ns : before;
      run_result_free (result);
      fixture_free (fixture);
    }
  }
}

void register_properties_tests (void)
{
  CU_pSuite suite = fixture_suite ("properties");

  fixture_test (suite, "random runs", test_random_runs);
  fixture_test (suite, "more takes longer", test_monotone);
}
