/*
 * The discrete-event engine: a clock, an event queue, and nothing of Linux.
 *
 * Time is nanoseconds in a uint64_t.  Events are served in a total order: time,
 * then priority (smaller first), then the order in which they were scheduled.
 * Same calls in, same order out, on any machine: no pointer, wall clock or
 * locale takes part.
 *
 * One UrEngine belongs to one thread; several engines may live in one process.
 * Scheduling allocates nothing once the queue has reached its largest size.
 */
#ifndef UR_ENGINE_H
#define UR_ENGINE_H

#include <glib.h>
#include <stdint.h>

typedef uint64_t UrTime;                 /* nanoseconds of simulated time */
#define UR_TIME_NEVER UINT64_MAX
#define UR_US ((UrTime) 1000)
#define UR_MS ((UrTime) 1000000)
#define UR_S  ((UrTime) 1000000000)

typedef struct UrEngine UrEngine;

/* An event handler.  Runs on the engine's own stack; may schedule, cancel, and
 * resume a coroutine, and must return. */
typedef void (*UrEventFn) (UrEngine *engine, void *data);

/* Names a scheduled event; 0 is never a valid handle.  A handle stays safe to
 * cancel after its event has run (the call then does nothing). */
typedef uint64_t UrEventHandle;

enum { UR_PRIORITY_FIRST = 0, UR_PRIORITY_NORMAL = 128, UR_PRIORITY_LAST = 255 };

UrEngine *ur_engine_new (void);                       /* clock at 0 */
void      ur_engine_free (UrEngine *engine);          /* accepts NULL; pending events are dropped */

/* Schedules fn(engine, data) at `when` (>= now and before UR_TIME_NEVER, asserted) with
 * UR_PRIORITY_NORMAL.  At most UR_ENGINE_MAX_PENDING events may be pending at once (aborts). */
UrEventHandle ur_engine_at (UrEngine *engine, UrTime when, UrEventFn fn, void *data);
/* The same with a priority, 0..255. */
UrEventHandle ur_engine_at_priority (UrEngine *engine, UrTime when, unsigned priority, UrEventFn fn, void *data);
#define UR_ENGINE_MAX_PENDING ((1u << 24) - 1)

/* TRUE if the event was still pending and now will not run.  Its entry is removed at once. */
gboolean ur_engine_cancel (UrEngine *engine, UrEventHandle handle);
/* Time of the event behind the handle, UR_TIME_NEVER if it ran (or runs now) or was cancelled. */
UrTime   ur_engine_when (const UrEngine *engine, UrEventHandle handle);

/* Runs events until none is left, ur_engine_stop() was called, or the next event lies after
 * `until` (>= now).  In the last case the clock then stands at `until`; in the others it stays
 * at the last event.  Not from inside a handler. */
void ur_engine_run (UrEngine *engine, UrTime until);
/* Makes the current run return after the current handler; no effect outside a run. */
void ur_engine_stop (UrEngine *engine);

/* The time of the next pending event, UR_TIME_NEVER if there is none. */
UrTime ur_engine_next (const UrEngine *engine);

uint64_t ur_engine_events (const UrEngine *engine);   /* handlers run, plus successful ur_engine_try_advance() */
unsigned ur_engine_pending (const UrEngine *engine);

/* The head of every engine: read it through the functions below, which are inline
 * because they are the hottest of all. */
struct UrEngineClock {
  UrTime now;
  UrTime limit;                         /* the first time the clock may not move to without an event; 0 if not known */
  uint64_t events;
};

static inline UrTime ur_engine_now (const UrEngine *engine)
{
  return ((const struct UrEngineClock *) engine)->now;
}

/* The rest of ur_engine_try_advance(), for when the limit has to be found first. */
gboolean ur_engine_try_advance_slow (UrEngine *engine, UrTime when);

/* Moves the clock to `when` (>= now) without an event, if nothing could have observed the
 * difference: a run is going on, no event is pending at or before `when`, `when` does not
 * pass the `until` of the run, and no stop was asked for.  FALSE leaves everything as it
 * was: the caller then schedules an event.
 * This is how consecutive costs of one task merge into none. */
static inline gboolean ur_engine_try_advance (UrEngine *engine, UrTime when)
{
  struct UrEngineClock *clock = (struct UrEngineClock *) engine;

  if (when >= clock->limit)
    return ur_engine_try_advance_slow (engine, when);
  g_assert (when >= clock->now);
  clock->now = when;
  clock->events++;
  return TRUE;
}

#endif
