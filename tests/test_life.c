/*
 * The life of requests (life.h) and the run over time (sample.h): what is told of each request against what the report
 * says of all, over random runs of all policies, kernels and engines.
 */
#include "model/simulation.h"
#include "tests/random_run.h"
#include "tests/row.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <glib/gstdio.h>

#define RUNS 60u

/* What a listener adds up. */
typedef struct {
  uint64_t told[OUTCOMES], wrong, backwards, ios, lat_sum;
  UrTime stage[OUTCOMES][PHASES];
  UrTime last;
} Heard;

static void hear (const RequestLife *life, void *data)
{
  Heard *heard = data;
  const RequestTimes *time = &life->time;
  UrTime sum = 0;

  for (unsigned phase = 0; phase < PHASES; phase++) {
    sum += life->stage[phase];
    heard->stage[life->outcome][phase] += life->stage[phase];
  }
  heard->wrong += sum != time->reaped - time->prepared; /* to the nanosecond */
  heard->backwards += time->reaped < time->posted || time->posted < time->done || time->done < time->attempt;
  heard->told[life->outcome]++;
  if (life->outcome != OUTCOME_FAILED && life->io.op <= IO_TRIM) {
    heard->ios++;
    heard->lat_sum += time->reaped - (life->synchronous ? time->issued : time->prepared);
  }
}

static void check_stages (const Heard *heard, const RunResult *result, const char *row)
{
  for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
    for (unsigned phase = 0; phase < PHASES; phase++) {
      double mean = heard->told[outcome] ? (double) heard->stage[outcome][phase] / (double) heard->told[outcome] : 0;

      ROW_CHECK (ABS (mean - result->stage[outcome][phase].mean) <= 1e-9 * mean, "%s of %s: %g, told %g; %s",
                 phase_name (phase), outcome_name (outcome), result->stage[outcome][phase].mean, mean, row);
      ROW_CHECK (!result->stage[outcome][phase].n || result->stage[outcome][phase].p99 >= 0, "%s", row);
    }
}

static void check_samples (const RunResult *result, const char *row)
{
  const ResultSample *before = NULL;

  ROW_CHECK (result->samples->len > 0, "no samples; %s", row);
  for (unsigned i = 0; i < result->samples->len; i++) {
    const ResultSample *sample = &g_array_index (result->samples, ResultSample, i);
    UrTime busy = sample->irq;

    for (unsigned kind = 0; kind < RESULT_NOBODY; kind++)
      busy += sample->busy[kind];
    ROW_CHECK (busy <= result->cpus * sample->time + result->cpus, "more busy than there is time; %s", row);
    ROW_CHECK (sample->workers_running <= sample->workers_alive, "%u workers run, %u are there; %s",
               sample->workers_running, sample->workers_alive, row);
    ROW_CHECK (!before || (sample->time >= before->time && sample->ios >= before->ios && sample->irq >= before->irq),
               "sample %u goes back; %s", i, row);
    before = sample;
  }
  ROW_CHECK (before && before->ios == result->ios && before->time == result->sim_ns,
             "the last sample is not the end; %s", row);
}

static void check_run (const RandomRun *run, const char *directory)
{
  g_autofree char *row = random_run_repeat (run);
  g_autoptr (GError) error = NULL;
  WordsRun words;
  RunResult *result, *plain;
  Heard heard = { .wrong = 0 };
  uint64_t n = 0, all = 0;

  if (ROW_CHECK (words_run_open_random (&words, run, directory, &error), "%s; %s", row_error (error), row)) {
    plain = simulation_run (&words.setup, NULL);
    words.setup.life = hear;
    words.setup.life_data = &heard;
    words.setup.stage_percentiles = TRUE;
    words.setup.interval = 50 * UR_US;
    result = simulation_run (&words.setup, &error);
    if (ROW_CHECK (result && plain, "%s; %s", row_error (error), row)) {
      ROW_CHECK (result->sim_ns == plain->sim_ns && result->events == plain->events && result->ios == plain->ios,
                 "listening changed the run; %s", row);
      for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
        n += heard.told[outcome];
        all += result->outcome[outcome];
      }
      ROW_CHECK (heard.wrong == 0 && heard.backwards == 0, "%u of %u lives do not add up; %s", (unsigned) heard.wrong,
                 (unsigned) n, row);
      ROW_CHECK (n <= all && heard.ios == result->ios && heard.lat_sum == result->all.lat.sum,
                 "told of %u, reported %u; %s", (unsigned) heard.ios, (unsigned) result->ios, row);
      check_stages (&heard, result, row);
      check_samples (result, row);
    }
    run_result_free (result);
    run_result_free (plain);
  }
  words_run_clear (&words);
}

static void test_random_lives (void)
{
  g_autofree char *directory = g_dir_make_tmp ("uringsim-life-XXXXXX", NULL);

  for (unsigned i = 0; i < RUNS; i++) {
    g_autoptr (RandomRun) run = random_run_new (i * 7);

    check_run (run, directory);
    random_run_remove (run, directory);
  }
  g_rmdir (directory);
}

void register_life_tests (void)
{
  CU_pSuite suite = CU_add_suite ("life", NULL, NULL);

  CU_add_test (suite, "random runs, told request by request", test_random_lives);
}
