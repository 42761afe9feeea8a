/*
 * Speed of the engine's parts, one line each: name, ns, unit.  Best of 5.
 *
 *   bench_engine [-q]     -q: a tenth of the work
 */
#include <stdio.h>
#include <string.h>

#include "src/engine/coroutine.h"
#include "src/engine/engine.h"
#include "src/engine/histogram.h"
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "tests/bench/bench.h"
#include "tests/engine/process.h"

enum { ROUNDS = 5, N_STEPS = 1 << 16 };

static void report (const char *name, double ns, const char *unit)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  printf ("%-28s %8s ns/%s\n", name, g_ascii_formatd (text, sizeof text, "%.2f", ns), unit);
}

/* ---- hold: run the first event, schedule one later; exponential increments drawn beforehand ---- */

typedef struct {
  uint32_t step[N_STEPS];
  uint64_t left, count;
  unsigned pending;
} Hold;

static void hold_event (UrEngine *engine, void *data)
{
  Hold *hold = data;

  if (hold->left-- == 0) {
    ur_engine_stop (engine);
    return;
  }
  ur_engine_at (engine, ur_engine_now (engine) + hold->step[hold->left % N_STEPS], hold_event, hold);
}

static void run_hold (void *data)
{
  Hold *hold = data;
  UrEngine *engine = ur_engine_new ();

  hold->left = hold->count;
  for (unsigned i = 0; i < hold->pending; i++)
    ur_engine_at (engine, hold->step[i % N_STEPS], hold_event, hold);
  ur_engine_run (engine, UR_TIME_NEVER);
  ur_engine_free (engine);
}

static void bench_hold (uint64_t scale)
{
  static const unsigned pending[] = { 16, 64, 1024, 16384 };
  Hold *hold = g_new0 (Hold, 1);
  UrRandom random;

  ur_random_init (&random, 1, "steps");
  for (int i = 0; i < N_STEPS; i++)
    hold->step[i] = 1 + (uint32_t) ur_random_exponential (&random, 1e6);
  hold->count = 1000000 * scale;
  for (size_t i = 0; i < G_N_ELEMENTS (pending); i++) {
    char name[32];
    hold->pending = pending[i];
    g_snprintf (name, sizeof name, "hold_%u", pending[i]);
    report (name, bench_best (ROUNDS, run_hold, hold) / (double) hold->count, "hold");
  }
  g_free (hold);
}

/* ---- the other ways an event can go ---- */

typedef struct {
  uint64_t left, count;
  UrEngine *engine;
} Counter;

static void ready_event (UrEngine *engine, void *data)
{
  Counter *counter = data;

  if (counter->left-- > 0)
    ur_engine_at (engine, ur_engine_now (engine), ready_event, counter);
}

static void run_ready (void *data)
{
  Counter *counter = data;
  UrEngine *engine = ur_engine_new ();

  counter->left = counter->count;
  ur_engine_at (engine, 0, ready_event, counter);
  ur_engine_run (engine, UR_TIME_NEVER);
  ur_engine_free (engine);
}

static void ignore (UrEngine *engine, void *data)
{
  (void) engine;
  (void) data;
}

/* A 5 s timer armed and cancelled, with 64 other events pending. */
static void run_timer (void *data)
{
  Counter *counter = data;
  UrEngine *engine = ur_engine_new ();

  for (unsigned i = 0; i < 64; i++)
    ur_engine_at (engine, UR_S * i, ignore, NULL);
  for (uint64_t i = 0; i < counter->count; i++)
    ur_engine_cancel (engine, ur_engine_at (engine, 5 * UR_S + i, ignore, NULL));
  ur_engine_free (engine);
}

static void advance_event (UrEngine *engine, void *data)
{
  Counter *counter = data;

  for (uint64_t i = 0; i < counter->count; i++)
    if (!ur_engine_try_advance (engine, ur_engine_now (engine) + 10))
      g_error ("fast-forward refused");
}

static void run_advance (void *data)
{
  UrEngine *engine = ur_engine_new ();

  ur_engine_at (engine, 0, advance_event, data);
  ur_engine_at (engine, UR_TIME_NEVER - 1, ignore, NULL);
  ur_engine_run (engine, UR_TIME_NEVER - 2);
  ur_engine_free (engine);
}

/* ---- coroutines: 64 of them in turn, resumed from an event handler's place ---- */

typedef struct {
  UrCoroutine *coroutine[64];
  uint64_t count;
} Switches;
typedef struct {
  Switches *all;
  int index;
} Switcher;

static void switch_body (void *data)
{
  Switcher *self = data;

  for (;;)
    ur_coroutine_suspend (self->all->coroutine[self->index]);
}

static void run_switches (void *data)
{
  Switches *switches = data;

  for (uint64_t i = 0; i < switches->count; i++)
    ur_coroutine_resume (switches->coroutine[i % 64]);
}

static void bench_switch (uint64_t scale)
{
  Switches switches = { .count = 1000000 * scale };
  Switcher switcher[64];
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  for (int i = 0; i < 64; i++) {
    switcher[i] = (Switcher){ &switches, i };
    switches.coroutine[i] = ur_coroutine_new (pool, switch_body, &switcher[i]);
  }
  report ("coroutine_switch_pair", bench_best (ROUNDS, run_switches, &switches) / (double) switches.count, "pair");
  for (int i = 0; i < 64; i++)
    ur_coroutine_free (switches.coroutine[i]);
  ur_coroutine_pool_free (pool);
}

/* ---- M/M/1 as two processes, utilisation 0.9, with the stay of every customer in a histogram ---- */

enum { RING = 65536 };

typedef struct {
  UrEngine *engine;
  Process source, server;
  UrRandom arrivals, services;
  UrHistogram stay;
  uint64_t count, arrived, served;
  UrTime waiting[RING];
} Station;

static void station_source (void *data)
{
  Station *station = data;

  while (station->arrived < station->count) {
    process_hold (&station->source, (UrTime) ur_random_exponential (&station->arrivals, 1000e3));
    station->waiting[station->arrived++ % RING] = ur_engine_now (station->engine);
    process_wake (&station->server);
  }
}

static void station_server (void *data)
{
  Station *station = data;

  while (station->served < station->count) {
    if (station->served == station->arrived)
      process_sleep (&station->server);
    process_hold (&station->server, (UrTime) ur_random_exponential (&station->services, 900e3));
    ur_histogram_record (&station->stay, ur_engine_now (station->engine) - station->waiting[station->served++ % RING]);
  }
}

static void run_station (void *data)
{
  Station *station = data;
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  station->engine = ur_engine_new ();
  station->arrived = station->served = 0;
  station->source.asleep = station->server.asleep = FALSE;
  ur_random_init (&station->arrivals, 1, "arrivals");
  ur_random_init (&station->services, 1, "services");
  ur_histogram_init (&station->stay);
  process_start (&station->source, station->engine, pool, station_source, station);
  process_start (&station->server, station->engine, pool, station_server, station);
  ur_engine_run (station->engine, UR_TIME_NEVER);
  ur_coroutine_free (station->source.coroutine);
  ur_coroutine_free (station->server.coroutine);
  ur_coroutine_pool_free (pool);
  ur_engine_free (station->engine);
}

static void bench_station (uint64_t scale)
{
  Station *station = g_new0 (Station, 1);

  station->count = 1000000 * scale;
  report ("mm1_processes", bench_best (ROUNDS, run_station, station) / (double) station->count, "customer");
  g_free (station);
}

/* ---- draws and records ---- */

typedef struct {
  UrRandom random;
  UrShape *shape;
  UrHistogram histogram;
  uint64_t count;
  volatile double sink;
} Draws;

static void run_u64 (void *data)
{
  Draws *draws = data;
  uint64_t sum = 0;

  for (uint64_t i = 0; i < draws->count; i++)
    sum += ur_random_u64 (&draws->random);
  draws->sink = (double) sum;
}

static void run_exponential (void *data)
{
  Draws *draws = data;
  double sum = 0.0;

  for (uint64_t i = 0; i < draws->count; i++)
    sum += ur_random_exponential (&draws->random, 1.0);
  draws->sink = sum;
}

static void run_shape (void *data)
{
  Draws *draws = data;
  double sum = 0.0;

  for (uint64_t i = 0; i < draws->count; i++)
    sum += ur_shape_draw (draws->shape, &draws->random);
  draws->sink = sum;
}

static void run_record (void *data)
{
  Draws *draws = data;

  for (uint64_t i = 0; i < draws->count; i++)
    ur_histogram_record (&draws->histogram, ur_random_u64 (&draws->random) >> 44);
}

static void run_shape_new (void *data)
{
  (void) data;
  ur_shape_free (ur_shape_new_gamma (0.15));
}

static void bench_draws (uint64_t scale)
{
  static const struct {
    const char *name;
    void (*run) (void *data);
    const char *unit;
  } rows[] = {
    { "random_u64", run_u64, "draw" },
    { "random_exponential", run_exponential, "draw" },
    { "shape_draw", run_shape, "draw" },
    { "histogram_record", run_record, "record" },
  };
  Draws *draws = g_new0 (Draws, 1);

  draws->count = 2000000 * scale;
  draws->shape = ur_shape_new_gamma (0.15);
  ur_random_init (&draws->random, 1, "draws");
  ur_histogram_init (&draws->histogram);
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    report (rows[i].name, bench_best (ROUNDS, rows[i].run, draws) / (double) draws->count, rows[i].unit);
  report ("shape_new", bench_best (ROUNDS, run_shape_new, NULL), "table");
  ur_shape_free (draws->shape);
  g_free (draws);
}

int main (int argc, char **argv)
{
  gboolean quick = argc == 2 && strcmp (argv[1], "-q") == 0;
  uint64_t scale = quick ? 1 : 10;
  Counter counter = { .count = 1000000 * scale };

  if (argc > 2 || (argc == 2 && !quick)) {
    fputs ("usage: bench_engine [-q]\n", stderr);
    return 2;
  }
  bench_hold (scale);
  report ("ready_event", bench_best (ROUNDS, run_ready, &counter) / (double) counter.count, "event");
  report ("timer_arm_cancel", bench_best (ROUNDS, run_timer, &counter) / (double) counter.count, "pair");
  report ("fast_forward", bench_best (ROUNDS, run_advance, &counter) / (double) counter.count, "step");
  bench_switch (scale);
  bench_station (scale);
  bench_draws (scale);
  return 0;
}
