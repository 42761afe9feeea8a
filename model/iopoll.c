/* See iopoll.h. */
#include "model/iopoll.h"

#include "model/cpu.h"
#include "model/task_work.h"

/* io_complete_rw_iopoll() */
static void io_complete_rw_iopoll (Request *request, Task *task, Cpu *cpu)
{
  Simulation *sim = request->ring->sim;

  (void) cpu;
  if (task) /* that of another ring, perhaps: its owner sees it when this has taken its time */
    task_sync (task);
  request->iopoll_completed = TRUE;
  request->time.done = sim_now (sim);
  if (!task) /* by an interrupt after all */
    block_poll_kick (sim->device);
}

void io_iopoll_prepare (Request *request)
{
  request->polled = request->direct;
  if (!request->direct)
    return;
  request->iopoll_completed = request->iopoll_slept = FALSE;
  request->iopoll_start = sim_now (request->ring->sim);
  request->ki_complete = io_complete_rw_iopoll;
}

void io_iopoll_req_issued (Task *task, Ring *ring, Request *request)
{
  gboolean locked = mutex_is_owner (&ring->uring_lock, task);

  if (!locked)
    mutex_lock (task, &ring->uring_lock);
  task_sync (task);
  g_queue_push_tail_link (&ring->iopoll_list, &request->link);
  if (locked)
    return;
  if (ring->sq_thread) /* a worker issued it: the thread may sleep */
    task_wake (task, ring->sq_thread);
  mutex_unlock (task, &ring->uring_lock);
}

/* io_hybrid_iopoll_delay() */
static UrTime io_hybrid_delay (Task *task, Ring *ring, Request *request)
{
  UrTime from = sim_now (ring->sim);

  if (!ring->flags.hybrid_iopoll || request->iopoll_slept || ring->hybrid_poll_time == UR_TIME_NEVER)
    return 0;
  request->iopoll_slept = TRUE;
  task_prepare_to_sleep (task);
  task->waits_for = "half of a polled request's time";
  task_schedule (task, from + ring->hybrid_poll_time / 2);
  task->waits_for = NULL;
  task_sync (task);
  return sim_now (ring->sim) - from;
}

static void io_hybrid_learn (Ring *ring, const Request *request, UrTime slept)
{
  UrTime ran = sim_now (ring->sim) - request->iopoll_start - slept;

  if (ring->flags.hybrid_iopoll)
    ring->hybrid_poll_time = MIN (ring->hybrid_poll_time, ran);
}

static Request *first_on (GQueue *list) { return list->head ? list->head->data : NULL; }

/* The first request on the list that is done; NULL if none is. */
static GList *first_completed (Ring *ring)
{
  GList *link = ring->iopoll_list.head;

  while (link && !((const Request *) link->data)->iopoll_completed)
    link = link->next;
  return link;
}

/* The run of requests that are done from there on: CQEs. */
static unsigned io_iopoll_complete (Task *task, Ring *ring, GList *link)
{
  unsigned n = 0;

  while (link && ((const Request *) link->data)->iopoll_completed) {
    Request *request = link->data;

    link = link->next;
    g_queue_unlink (&ring->iopoll_list, &request->link);
    ring_batch_add (ring, request);
    n++;
  }
  if (n)
    ring_batch_flush (task, ring);
  return n;
}

/* io_do_iopoll(): returns how many it completed. */
static unsigned io_poll_once (Task *task, Ring *ring, gboolean spin)
{
  Simulation *sim = ring->sim;
  Request *request = first_on (&ring->iopoll_list);
  UrTime slept;

  if (!request)
    return 0;
  task_sync (task);
  slept = request->iopoll_completed ? 0 : io_hybrid_delay (task, ring, request);
  while (!first_completed (ring)) {
    block_poll (task, sim->device);
    if (first_completed (ring) || !spin || !block_poll_spin (task, sim->device))
      break;
  }
  if (first_on (&ring->iopoll_list) == request)
    io_hybrid_learn (ring, request, slept);
  return io_iopoll_complete (task, ring, first_completed (ring));
}

void io_do_iopoll (Task *task, Ring *ring) { io_poll_once (task, ring, FALSE); }

void io_iopoll_init (Ring *ring)
{
  g_queue_init (&ring->iopoll_list);
  ring->hybrid_poll_time = UR_TIME_NEVER;
}

void io_iopoll_check (Task *task, Ring *ring, unsigned min, UrTime deadline)
{
  unsigned found = 0;

  mutex_lock (task, &ring->uring_lock);
  task_sync (task);
  ring_flush_overflow (ring);
  while (ring_cq_ready (ring) == 0 || found) {
    uint32_t tail = ring->cq_tail;

    if (!ring->iopoll_list.length || task_work_pending (ring)) { /* some requests do not go through the list */
      mutex_unlock (task, &ring->uring_lock);
      task_work_run (task, ring);
      mutex_lock (task, &ring->uring_lock);
      if (tail != ring->cq_tail || !ring->iopoll_list.length)
        break;
    }
    found += io_poll_once (task, ring, min > 0);
    if (found >= min || task->cpu->need_resched || task_now (task) >= deadline)
      break;
  }
  mutex_unlock (task, &ring->uring_lock);
}
