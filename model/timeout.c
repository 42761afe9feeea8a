/* See timeout.h. */
#include "model/timeout.h"

#include "model/cancel.h"
#include "model/cpu.h"
#include "model/submit.h"
#include "model/task_work.h"

#include <errno.h>

/* How many have completed, timeouts not counted. */
static uint64_t completions (const Ring *ring) { return ring->n_submitted - ring->in_flight - ring->cq_timeouts; }

/* io_kill_timeout(): off the list, and its time will not come. */
static void timeout_kill (Ring *ring, Request *request)
{
  ur_engine_cancel (ring->sim->engine, request->timer);
  g_queue_unlink (&ring->timeouts, &request->link);
}

static void timeout_end (Task *task, Ring *ring, Request *request, int error)
{
  timeout_kill (ring, request);
  request->result = -error;
  io_req_task_work_add (task, ring_owner (ring)->cpu, ring, request, io_req_task_complete);
}

/* The timer's interrupt. */
static void io_timeout_fn (UrEngine *engine, void *data)
{
  Request *request = data;

  (void) engine;
  timeout_end (NULL, request->ring, request, ETIME);
}

void io_timeout (Task *task, Ring *ring, Request *request)
{
  task_sync (task);
  request->time.verdict = sim_now (ring->sim);
  request->target_completions = request->count ? completions (ring) + request->count : 0;
  g_queue_push_tail_link (&ring->timeouts, &request->link);
  request->timer = ur_engine_at (ring->sim->engine, sim_now (ring->sim) + request->delay, io_timeout_fn, request);
}

int io_timeout_cancel (Task *task, Ring *ring, Request *target)
{
  task_sync (task);
  if (!g_queue_find (&ring->timeouts, target))
    return -ENOENT;
  timeout_end (task, ring, target, ECANCELED);
  return 0;
}

void io_flush_timeouts (Task *task, Ring *ring)
{
  GQueue due = G_QUEUE_INIT; /* collected before any time passes: others may end timeouts then */
  GList *link, *next;

  for (link = ring->timeouts.head; link; link = next) {
    Request *request = link->data;

    next = link->next;
    if (request->target_completions && completions (ring) >= request->target_completions) {
      timeout_kill (ring, request);
      request->result = 0;
      g_queue_push_tail_link (&due, link);
    }
  }
  while ((link = g_queue_pop_head_link (&due)))
    io_req_task_work_add (task, NULL, ring, link->data, io_req_task_complete);
}

/* ---- linked ---- */

Request *io_prep_linked_timeout (Request *request)
{
  Request *timeout = request->chain_next;

  if (!timeout || timeout->opcode != REQUEST_LINK_TIMEOUT)
    return NULL;
  timeout->target = request;
  request->linked_timeout = timeout;
  return timeout;
}

/* io_req_task_link_timeout() */
static void link_timeout_work (Task *task, Ring *ring, Request *timeout)
{
  int error = timeout->target ? io_try_cancel (task, ring, timeout->target) : 0;

  if (timeout->target)
    timeout->target->linked_timeout = NULL;
  timeout->result = error ? error : -ETIME;
  io_req_task_complete (task, ring, timeout);
}

/* The timer's interrupt: the timeout leaves the chain. */
static void io_link_timeout_fn (UrEngine *engine, void *data)
{
  Request *timeout = data;
  Ring *ring = timeout->ring;

  (void) engine;
  timeout->timer = 0;
  timeout->target->chain_next = timeout->chain_next;
  timeout->chain_next = NULL;
  io_req_task_work_add (NULL, ring_owner (ring)->cpu, ring, timeout, link_timeout_work);
}

void io_queue_linked_timeout (Ring *ring, Request *timeout, const Request *request)
{
  /* else the request has completed, and its timeout with it: an application may have prepared them anew meanwhile */
  if (timeout && timeout->opcode == REQUEST_LINK_TIMEOUT && timeout->target == request)
    timeout->timer =
        ur_engine_at (ring->sim->engine, sim_now (ring->sim) + timeout->delay, io_link_timeout_fn, timeout);
}

Request *io_disarm_linked_timeout (Ring *ring, Request *request)
{
  Request *timeout = request->linked_timeout;

  if (!timeout)
    return NULL;
  request->linked_timeout = NULL;
  timeout->target = NULL;
  if (request->chain_next != timeout) /* its interrupt was first */
    return NULL;
  ur_engine_cancel (ring->sim->engine, timeout->timer);
  request->chain_next = timeout->chain_next;
  timeout->chain_next = NULL;
  timeout->result = -ECANCELED;
  return timeout;
}
