/*
 * A process for the tests and benchmarks of the engine: a coroutine that can let
 * simulated time pass, sleep, and be woken.  The simulated machine has richer
 * tasks of its own (model/task.h); this is the smallest thing that carries the
 * textbook queues.
 */
#ifndef TESTS_ENGINE_PROCESS_H
#define TESTS_ENGINE_PROCESS_H

#include "src/engine/coroutine.h"
#include "src/engine/engine.h"

typedef struct {
  UrEngine *engine;
  UrCoroutine *coroutine;
  gboolean asleep;
} Process;

static inline void process_resume (UrEngine *engine, void *data)
{
  (void) engine;
  ur_coroutine_resume (((Process *) data)->coroutine);
}

/* Starts fn(data) at the current time, after the events already due. */
static inline void process_start (Process *process, UrEngine *engine, UrCoroutinePool *pool, UrCoroutineFn fn,
                                  void *data)
{
  *process = (Process) { .engine = engine, .coroutine = ur_coroutine_new (pool, fn, data) };
  ur_engine_at (engine, ur_engine_now (engine), process_resume, process);
}

static inline void process_hold (Process *process, UrTime duration)
{
  UrTime when = ur_engine_now (process->engine) + duration;

  if (ur_engine_try_advance (process->engine, when))
    return;
  ur_engine_at (process->engine, when, process_resume, process);
  ur_coroutine_suspend (process->coroutine);
}

static inline void process_sleep (Process *process)
{
  process->asleep = TRUE;
  ur_coroutine_suspend (process->coroutine);
}

/* No effect on a process that is not asleep. */
static inline void process_wake (Process *process)
{
  if (!process->asleep)
    return;
  process->asleep = FALSE;
  ur_engine_at (process->engine, ur_engine_now (process->engine), process_resume, process);
}

#endif
