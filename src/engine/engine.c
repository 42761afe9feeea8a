/*
 * The engine: the clock and the run loop around the event queue.
 */
#include "src/engine/engine.h"

#include "src/engine/event_queue.h"

struct UrEngine {
  struct UrEngineClock clock; /* first: ur_engine_now() and ur_engine_try_advance() read it */
  UrEventQueue queue;
  UrTime until;
  gboolean running, stopping, limit_known;
};
G_STATIC_ASSERT (G_STRUCT_OFFSET (UrEngine, clock) == 0);
G_STATIC_ASSERT (UR_ENGINE_MAX_PENDING == UR_SLOT_NONE);

UrEngine *ur_engine_new (void)
{
  UrEngine *engine = g_new0 (UrEngine, 1);

  ur_event_queue_init (&engine->queue);
  return engine;
}

void ur_engine_free (UrEngine *engine)
{
  if (engine == NULL)
    return;
  g_assert (!engine->running);
  ur_event_queue_clear (&engine->queue);
  g_free (engine);
}

/* clock.limit is 0 while it is not known: it is found only when a handler asks. */
static inline void forget_limit (UrEngine *engine)
{
  engine->clock.limit = 0;
  engine->limit_known = FALSE;
}

gboolean ur_engine_try_advance_slow (UrEngine *engine, UrTime when)
{
  UrTime limit = 0;

  if (engine->limit_known)
    return FALSE;
  if (engine->running && !engine->stopping && ur_event_queue_ready_is_empty (&engine->queue)) {
    limit = ur_event_queue_tree_next (&engine->queue);
    if (limit > engine->until)
      limit = engine->until == UR_TIME_NEVER ? UR_TIME_NEVER : engine->until + 1;
  }
  engine->clock.limit = limit;
  engine->limit_known = TRUE;
  return when < limit && ur_engine_try_advance (engine, when);
}

UrEventHandle ur_engine_at_priority (UrEngine *engine, UrTime when, unsigned priority, UrEventFn fn, void *data)
{
  g_assert (when >= engine->clock.now && when != UR_TIME_NEVER);
  g_assert (priority <= UR_PRIORITY_LAST);
  if (when < engine->clock.limit)
    engine->clock.limit = when;
  return ur_event_queue_insert (&engine->queue, engine->clock.now, when, priority, fn, data);
}

UrEventHandle ur_engine_at (UrEngine *engine, UrTime when, UrEventFn fn, void *data)
{
  g_assert (when >= engine->clock.now && when != UR_TIME_NEVER);
  if (when < engine->clock.limit)
    engine->clock.limit = when;
  return ur_event_queue_insert (&engine->queue, engine->clock.now, when, UR_PRIORITY_NORMAL, fn, data);
}

gboolean ur_engine_cancel (UrEngine *engine, UrEventHandle handle)
{
  if (!ur_event_queue_cancel (&engine->queue, handle))
    return FALSE;
  forget_limit (engine);
  return TRUE;
}

UrTime ur_engine_when (const UrEngine *engine, UrEventHandle handle)
{
  const UrEventQueue *queue = &engine->queue;
  uint32_t slot = (uint32_t) handle & UR_SLOT_NONE;

  if (handle == 0 || slot >= queue->n_slots || queue->slot[slot].handle != handle)
    return UR_TIME_NEVER;
  if (queue->slot[slot].ready_at != UR_NOT_READY)
    return engine->clock.now;
  return queue->tree[queue->n_slots + slot].time;
}

void ur_engine_run (UrEngine *engine, UrTime until)
{
  UrEventFn fn;
  void *data;
  UrTime time;

  g_assert (!engine->running && until >= engine->clock.now);
  engine->running = TRUE;
  engine->stopping = FALSE;
  engine->until = until;
  while (!engine->stopping) {
    if (G_UNLIKELY (!ur_event_queue_take (&engine->queue, until, &time, &fn, &data))) {
      if (time != UR_TIME_NEVER)
        engine->clock.now = until;
      break;
    }
    engine->clock.now = time;
    engine->clock.events++;
    forget_limit (engine);
    fn (engine, data);
  }
  engine->running = FALSE;
  forget_limit (engine);
}

void ur_engine_stop (UrEngine *engine)
{
  engine->stopping = TRUE;
  forget_limit (engine);
}

UrTime ur_engine_next (const UrEngine *engine)
{
  if (!ur_event_queue_ready_is_empty (&engine->queue))
    return engine->clock.now;
  return ur_event_queue_tree_next (&engine->queue);
}

uint64_t ur_engine_events (const UrEngine *engine) { return engine->clock.events; }

unsigned ur_engine_pending (const UrEngine *engine) { return engine->queue.n_pending; }
