/* See link.h. */
#include "model/link.h"

#include "model/submit.h"
#include "model/task_work.h"
#include "model/timeout.h"

#include <errno.h>

/* ---- collecting a chain ---- */

/* req_fail_link_node(): it will complete with this when the chain is queued. */
static void fail_link_node (Request *request, int error)
{
  request->failed = TRUE;
  request->result = -error;
}

/* Adds it to the chain being collected, if there is one or it starts one: NULL while that goes on. */
static Request *link_collect (Ring *ring, Request *request)
{
  gboolean more = (request->sqe_flags & SQE_LINKS) != 0;

  if (!ring->link_head) {
    if (!more)
      return request;
    ring->link_head = ring->link_last = request;
    return NULL;
  }
  ring->link_last->chain_next = request;
  ring->link_last = request;
  if (more)
    return NULL;
  request = ring->link_head;
  ring->link_head = ring->link_last = NULL;
  return request;
}

/* io_req_defer_failed(): the head completes with its error, a hard link no longer holds the rest. */
static void link_defer_failed (Task *task, Ring *ring, Request *head)
{
  head->sqe_flags = (head->sqe_flags & ~(unsigned) SQE_HARDLINK) | SQE_LINK;
  head->outcome = OUTCOME_FAILED;
  head->time.attempt = head->time.verdict = head->time.done = task_now (task);
  ring_batch_add (ring, head);
}

/* ---- drains ---- */

/* io_init_drain(): in the middle of a chain its head waits, and so does what comes after the chain. */
static void init_drain (Ring *ring)
{
  ring->drain_active = TRUE;
  if (ring->link_head) {
    ring->link_head->sqe_flags |= SQE_DRAIN;
    ring->drain_next = TRUE;
  }
}

static gboolean req_need_defer (const Ring *ring, const Request *request)
{
  return (request->sqe_flags & SQE_DRAIN) && ring->n_submitted - ring->in_flight < request->sequence;
}

/* io_drain_req(): TRUE if it was put aside. */
static gboolean drain_req (Task *task, Ring *ring, Request *request)
{
  gboolean by_task_work = ring->sim->kernel >= KERNEL (5, 15);

  task_sync (task);
  if (req_need_defer (ring, request) || ring->defer_list.length) {
    g_queue_push_tail_link (&ring->defer_list, &request->link);
    return TRUE;
  }
  ring->drain_active = FALSE;
  if (by_task_work)
    io_req_task_work_add (task, NULL, ring, request, io_req_task_submit);
  return by_task_work;
}

static void queue_deferred_one (Task *task, Ring *ring, Request *request)
{
  if (ring->sim->kernel < KERNEL (5, 10))
    io_queue_iowq (task, ring, request);
  else
    io_req_task_work_add (task, NULL, ring, request, io_req_task_submit);
}

void io_queue_deferred (Task *task, Ring *ring)
{
  while (ring->defer_list.length && !req_need_defer (ring, ring->defer_list.head->data))
    queue_deferred_one (task, ring, g_queue_pop_head_link (&ring->defer_list)->data);
}

/* ---- submission ---- */

/* A whole chain, or a request of its own: what may be queued now. */
static Request *link_ready (Task *task, Ring *ring, Request *head)
{
  if (head->failed) {
    link_defer_failed (task, ring, head);
    return NULL;
  }
  return ring->drain_active && drain_req (task, ring, head) ? NULL : head;
}

Request *io_link_sqe (Task *task, Ring *ring, Request *request)
{
  if (ring->drain_next && !ring->link_head) {
    ring->drain_next = FALSE;
    ring->drain_active = TRUE;
    request->sqe_flags |= SQE_DRAIN;
  }
  if (request->sqe_flags & SQE_DRAIN)
    init_drain (ring);
  if (ring->drain_active && ring->sim->kernel >= KERNEL (6, 3))
    request->force_async = TRUE;
  request = link_collect (ring, request);
  return request ? link_ready (task, ring, request) : NULL;
}

gboolean io_link_fail_sqe (Task *task, Ring *ring, Request *request)
{
  Request *head = ring->link_head;

  fail_link_node (request, request->prep_error);
  if (head && !head->failed)
    fail_link_node (head, ECANCELED);
  if (ring->sim->kernel < KERNEL (5, 15)) { /* it completes by itself, the chain so far at the end of the batch */
    link_defer_failed (task, ring, request);
    return TRUE;
  }
  request = link_collect (ring, request);
  if (!request)
    return FALSE;
  link_defer_failed (task, ring, request);
  return TRUE;
}

Request *io_link_end (Task *task, Ring *ring)
{
  Request *head = ring->link_head;

  if (!head)
    return NULL;
  ring->link_head = ring->link_last = NULL;
  return link_ready (task, ring, head);
}

/* ---- completion ---- */

/* A member that never runs, or a timeout that is not needed, completes at once. */
static void cancel_link (Task *task, Ring *ring, Request *link)
{
  link->sqe_flags &= ~(unsigned) SQE_CQE_SKIP;
  link->outcome = OUTCOME_FAILED;
  link->time.attempt = link->time.verdict = link->time.done = sim_now (ring->sim);
  ring_fill_cqe (task, ring, link);
  task_cost (task, COST_CQE_BATCH);
}

/* io_fail_links() */
static void fail_links (Task *task, Ring *ring, const Request *failed, Request *link)
{
  Request *next;

  for (; link; link = next) {
    next = link->chain_next;
    link->chain_next = NULL;
    if (!link->failed)
      fail_link_node (link, ECANCELED);
    link->silent = failed->skip_links;
    cancel_link (task, ring, link);
  }
}

Request *io_req_find_next (Task *task, Ring *ring, Request *request)
{
  Request *timeout = io_disarm_linked_timeout (ring, request);
  Request *next = request->chain_next;

  if (timeout)
    cancel_link (task, ring, timeout);
  request->chain_next = NULL;
  if (!next || !request->failed || (request->sqe_flags & SQE_HARDLINK))
    return next;
  fail_links (task, ring, request, next);
  return NULL;
}

void io_queue_next (Task *task, Ring *ring, Request *next)
{
  if (!next)
    return;
  if (ring->sim->kernel < KERNEL (5, 9)) /* io_put_req(): io_queue_async_work(); c40f63790ec9 made it task_work */
    io_queue_iowq (task, ring, next);
  else
    io_req_task_work_add (task, NULL, ring, next, io_req_task_submit);
}
