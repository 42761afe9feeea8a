/*
 * Spike: how should a simulated thread be written?
 *
 * The same M/M/1 queue (utilisation 0.9) three times, with the same draws:
 *   stackful   two coroutines, straight-line C
 *   stackless  the same two processes as state machines that return to the engine
 *   events     no processes: an arrival handler and a departure handler
 * All three must give the same mean time in the system to the last bit.  Prints ns
 * per customer, without and with fast-forward (ur_engine_try_advance()).
 * doc/engine.md records the outcome.
 *
 *   spike_processes [CUSTOMERS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/engine/coroutine.h"
#include "src/engine/engine.h"
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "tests/bench/bench.h"

#define RING 65536u /* waiting customers, a power of two */

typedef struct {
  UrEngine *engine;
  UrRandom arrivals, services;
  uint64_t customers, arrived, served;
  UrTime waiting[RING]; /* arrival times */
  uint32_t head, tail;
  gboolean fast_forward, server_asleep;
  UrTally stay;
  UrCoroutine *source, *server;
  int source_state, server_state;
} Queue;

static UrTime draw (UrRandom *random, double mean) { return (UrTime) (ur_random_exponential (random, mean) + 0.5); }

static UrTime next_gap (Queue *queue) { return draw (&queue->arrivals, 1000e3); }

static UrTime next_service (Queue *queue) { return draw (&queue->services, 900e3); }

static void join (Queue *queue)
{
  queue->waiting[queue->tail++ % RING] = ur_engine_now (queue->engine);
  queue->arrived++;
}

static void leave (Queue *queue)
{
  ur_tally_add (&queue->stay, (double) (ur_engine_now (queue->engine) - queue->waiting[queue->head++ % RING]));
  queue->served++;
}

static gboolean skip_to (Queue *queue, UrTime when)
{
  return queue->fast_forward && ur_engine_try_advance (queue->engine, when);
}

/* ---- stackful ---- */

static void resume (UrEngine *engine, void *data)
{
  (void) engine;
  ur_coroutine_resume (data);
}

static void hold (Queue *queue, UrCoroutine *self, UrTime duration)
{
  UrTime when = ur_engine_now (queue->engine) + duration;

  if (skip_to (queue, when))
    return;
  ur_engine_at (queue->engine, when, resume, self);
  ur_coroutine_suspend (self);
}

static void stackful_source (void *data)
{
  Queue *queue = data;

  while (queue->arrived < queue->customers) {
    hold (queue, queue->source, next_gap (queue));
    join (queue);
    if (queue->server_asleep) {
      queue->server_asleep = FALSE;
      ur_engine_at (queue->engine, ur_engine_now (queue->engine), resume, queue->server);
    }
  }
}

static void stackful_server (void *data)
{
  Queue *queue = data;

  while (queue->served < queue->customers) {
    if (queue->head == queue->tail) {
      queue->server_asleep = TRUE;
      ur_coroutine_suspend (queue->server);
    }
    hold (queue, queue->server, next_service (queue));
    leave (queue);
  }
}

static void run_stackful (Queue *queue)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  queue->source = ur_coroutine_new (pool, stackful_source, queue);
  queue->server = ur_coroutine_new (pool, stackful_server, queue);
  ur_engine_at (queue->engine, 0, resume, queue->source);
  ur_engine_at (queue->engine, 0, resume, queue->server);
  ur_engine_run (queue->engine, UR_TIME_NEVER);
  ur_coroutine_free (queue->source);
  ur_coroutine_free (queue->server);
  ur_coroutine_pool_free (pool);
}

/* ---- stackless: case labels inside the loops, all that lives across a wait is in the Queue ---- */

static void stackless_server (UrEngine *engine, void *data);

static void stackless_source (UrEngine *engine, void *data)
{
  Queue *queue = data;

  switch (queue->source_state) {
  case 0:
    while (queue->arrived < queue->customers) {
      UrTime when = ur_engine_now (engine) + next_gap (queue);
      if (!skip_to (queue, when)) {
        queue->source_state = 1;
        ur_engine_at (engine, when, stackless_source, queue);
        return;
      }
      /* fall through */
    case 1:
      join (queue);
      if (queue->server_asleep) {
        queue->server_asleep = FALSE;
        ur_engine_at (engine, ur_engine_now (engine), stackless_server, queue);
      }
    }
  }
}

static void stackless_server (UrEngine *engine, void *data)
{
  Queue *queue = data;

  switch (queue->server_state) {
  case 0:
    while (queue->served < queue->customers) {
      if (queue->head == queue->tail) {
        queue->server_asleep = TRUE;
        queue->server_state = 1;
        return;
      }
      /* fall through */
    case 1: {
      UrTime when = ur_engine_now (engine) + next_service (queue);
      if (!skip_to (queue, when)) {
        queue->server_state = 2;
        ur_engine_at (engine, when, stackless_server, queue);
        return;
      }
    }
      /* fall through */
    case 2:
      leave (queue);
    }
  }
}

static void run_stackless (Queue *queue)
{
  ur_engine_at (queue->engine, 0, stackless_source, queue);
  ur_engine_at (queue->engine, 0, stackless_server, queue);
  ur_engine_run (queue->engine, UR_TIME_NEVER);
}

/* ---- events ---- */

static void depart (UrEngine *engine, void *data)
{
  Queue *queue = data;

  leave (queue);
  if (queue->head != queue->tail)
    ur_engine_at (engine, ur_engine_now (engine) + next_service (queue), depart, queue);
}

static void arrive (UrEngine *engine, void *data)
{
  Queue *queue = data;

  join (queue);
  if (queue->tail - queue->head == 1)
    ur_engine_at (engine, ur_engine_now (engine) + next_service (queue), depart, queue);
  if (queue->arrived < queue->customers)
    ur_engine_at (engine, ur_engine_now (engine) + next_gap (queue), arrive, queue);
}

static void run_events (Queue *queue)
{
  ur_engine_at (queue->engine, next_gap (queue), arrive, queue);
  ur_engine_run (queue->engine, UR_TIME_NEVER);
}

/* ---- comparison ---- */

typedef struct {
  const char *name;
  void (*run) (Queue *queue);
  gboolean fast_forward;
  double best_ns, stay;
} Way;

static void measure (Way *way, uint64_t customers)
{
  Queue *queue = g_new0 (Queue, 1);

  queue->engine = ur_engine_new ();
  queue->customers = customers;
  queue->fast_forward = way->fast_forward;
  ur_random_init (&queue->arrivals, 1, "arrivals");
  ur_random_init (&queue->services, 1, "services");
  ur_tally_init (&queue->stay);
  double start = bench_now_ns ();
  way->run (queue);
  double elapsed = bench_now_ns () - start;
  way->best_ns = MIN (way->best_ns, elapsed / (double) customers);
  way->stay = queue->stay.mean;
  ur_engine_free (queue->engine);
  g_free (queue);
}

int main (int argc, char **argv)
{
  Way ways[] = {
    { "events", run_events, FALSE, 1e300, 0 },
    { "stackless", run_stackless, FALSE, 1e300, 0 },
    { "stackful", run_stackful, FALSE, 1e300, 0 },
    { "stackless, fast-forward", run_stackless, TRUE, 1e300, 0 },
    { "stackful, fast-forward", run_stackful, TRUE, 1e300, 0 },
  };
  uint64_t customers = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;

  if (customers == 0) {
    fprintf (stderr, "spike_processes: the number of customers must be positive\n");
    return 2;
  }
  for (int round = 0; round < 5; round++) /* interleaved, best of 5 */
    for (size_t i = 0; i < G_N_ELEMENTS (ways); i++)
      measure (&ways[i], customers);
  for (size_t i = 0; i < G_N_ELEMENTS (ways); i++) {
    printf ("mm1_%-24s %6.1f ns/customer  %.2fx stackless  mean stay %.4f ms\n", ways[i].name, ways[i].best_ns,
            ways[i].best_ns / ways[ways[i].fast_forward ? 3 : 1].best_ns, ways[i].stay / 1e6);
    if (ways[i].stay != ways[0].stay) {
      fprintf (stderr, "spike_processes: %s gives another result than events\n", ways[i].name);
      return 1;
    }
  }
  return 0;
}
