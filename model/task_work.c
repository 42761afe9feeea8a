/* See task_work.h. */
#include "model/task_work.h"

#include "model/interrupt.h"
#include "model/io_wq.h"

gboolean task_work_posts (const Ring *ring)
{
  return (ring->flags.defer_taskrun || ring->flags.iopoll) && ring->sim->kernel >= KERNEL (6, 2);
}

/* Work on the task's list, as against the DEFER_TASKRUN ring's own. */
static gboolean task_work_normal (const Ring *ring)
{
  return ring->frees || (ring->local_n && !ring->flags.defer_taskrun);
}

static void tctx_link (Task *owner, Ring *ring)
{
  Ring **end = &owner->task_works;

  if (ring->task_works)
    return;
  while (*end)
    end = &(*end)->task_works_next;
  *end = ring;
  ring->task_works = TRUE;
  ring->task_works_next = NULL;
}

static void tctx_run_all (Task *task);

static void tctx_notify (Task *from, Cpu *handler, Task *owner, gboolean kick)
{
  owner->on_notify = tctx_run_all;
  task_notify (from, handler, owner, kick);
  if (owner->class == TASK_CLASS_SQ_THREAD) /* it polls */
    task_spin_finish (owner, sim_cost (owner->sim, COST_SQ_LOOP));
}

/* io_req_normal_work_add() */
static void tctx_add (Task *from, Cpu *handler, Ring *ring)
{
  Task *owner = ring_owner (ring);
  gboolean was_empty = owner->task_works == NULL;

  tctx_link (owner, ring);
  if (!was_empty)
    return;
  ring->taskrun = ring->flags.taskrun_flag;
  tctx_notify (from, handler, owner, !ring->sq_thread && !ring->flags.coop_taskrun);
}

static void local_push (Ring *ring, Request *request)
{
  request->work_next = NULL;
  if (ring->local_last)
    ring->local_last->work_next = request;
  else
    ring->local_first = request;
  ring->local_last = request;
  ring->local_n++;
}

static Request *local_pop (Ring *ring)
{
  Request *request = ring->local_first;

  ring->local_first = request->work_next;
  if (!ring->local_first)
    ring->local_last = NULL;
  ring->local_n--;
  return request;
}

/* io_req_local_work_add() */
static void local_add (Task *from, Cpu *handler, Ring *ring, Request *request, gboolean lazy)
{
  gboolean enough;

  local_push (ring, request);
  if (ring->local_n == 1)
    ring->taskrun = ring->flags.taskrun_flag;
  enough = ring_cq_ready (ring) + ring->local_n >= ring->wait_nr;
  if (!ring->waiter || (lazy && !enough))
    return;
  if (from)
    task_wake (from, ring->waiter);
  else
    task_wake_from_interrupt (handler, ring->waiter);
}

static void task_work_add (Task *from, Cpu *handler, Ring *ring, Request *request, gboolean lazy)
{
  if (ring->flags.defer_taskrun) {
    local_add (from, handler, ring, request, lazy);
  } else {
    local_push (ring, request);
    tctx_add (from, handler, ring);
  }
}

void task_work_add_completion (Task *from, Ring *ring, Request *request)
{
  task_cost (from, COST_TASK_WORK_ADD);
  task_sync (from);
  request->task_work = NULL;
  task_work_add (from, NULL, ring, request, FALSE);
}

void io_req_task_work_add (Task *from, Cpu *cpu, Ring *ring, Request *request, TaskWorkFn fn)
{
  if (from) {
    task_cost (from, COST_TASK_WORK_ADD);
    task_sync (from);
  } else {
    cpu_interrupt (cpu, sim_cost (ring->sim, COST_TASK_WORK_ADD));
  }
  request->task_work = fn;
  task_work_add (from, cpu, ring, request, FALSE);
}

void task_work_add_done (Task *from, Cpu *cpu, Ring *ring, Request *request, TaskWorkFn fn)
{
  if (from) {
    task_cost (from, COST_TASK_WORK_ADD);
    task_sync (from);
  } else {
    cpu_interrupt (cpu, sim_cost (ring->sim, COST_TASK_WORK_ADD));
  }
  request->task_work = fn;
  /* What waits for this request, a member of its chain or what is deferred behind a drain, can only be started by who
   * runs it: no lazy wake. */
  task_work_add (from, cpu, ring, request,
                 ring->sim->kernel >= KERNEL (6, 4) && !request->chain_next && g_queue_is_empty (&ring->defer_list));
}

void task_work_add_from_interrupt (Cpu *cpu, Ring *ring, Request *request)
{
  task_work_add_done (NULL, cpu, ring, request, NULL);
}

void task_work_add_free (Task *from, Ring *ring)
{
  task_cost (from, COST_TASK_WORK_ADD);
  task_sync (from);
  ring->frees++;
  tctx_add (from, NULL, ring);
}

void task_work_add_create (Task *from, Task *owner, IoWorker *worker)
{
  task_cost (from, COST_TASK_WORK_ADD);
  task_sync (from);
  owner->create_work = g_slist_append (owner->create_work, worker);
  tctx_notify (from, NULL, owner, TRUE);
}

/* The items of the list of requests. */
static unsigned run_requests (Task *task, Ring *ring, unsigned budget)
{
  unsigned done = 0;

  while (done < budget && ring->local_n) {
    Request *request = local_pop (ring);

    task_cost (task, COST_TASK_WORK);
    if (G_UNLIKELY (request->task_work != NULL))
      request->task_work (task, ring, request);
    else
      ring_post_local (task, ring, request);
    if (++done == budget || !ring->local_n)
      ring_batch_flush (task, ring); /* which may add the next members of chains */
  }
  if (done && ring->flags.defer_taskrun)
    sim_trace (task, TRACE_LOCAL_WORK_RUN, NULL, done);
  return done;
}

static unsigned run_frees (Task *task, Ring *ring, unsigned budget)
{
  unsigned done = 0;

  for (; done < budget && ring->frees; done++) {
    ring->frees--;
    task_cost (task, COST_TASK_WORK);
  }
  return done;
}

/* What a ring has left to its owner, under uring_lock: what is on the task's list (normal), or a DEFER_TASKRUN ring's
 * own. */
static unsigned ring_run (Task *task, Ring *ring, unsigned budget, gboolean normal)
{
  gboolean work = ring->local_n || (normal && ring->frees), locked;
  unsigned done;

  if (!work || !budget)
    return 0;
  locked = !mutex_is_owner (&ring->uring_lock, task);
  if (locked)
    mutex_lock (task, &ring->uring_lock);
  done = normal == !ring->flags.defer_taskrun ? run_requests (task, ring, budget) : 0;
  if (normal)
    done += run_frees (task, ring, budget - done);
  if (locked)
    mutex_unlock (task, &ring->uring_lock);
  return done;
}

/* create_worker_cb(): no budget. */
unsigned task_work_run_generic (Task *task)
{
  unsigned done = 0;

  for (; task->create_work; done++) {
    IoWorker *worker = task->create_work->data;

    task->create_work = g_slist_delete_link (task->create_work, task->create_work);
    io_wq_create_worker_cb (task, worker);
  }
  return done;
}

/* tctx_task_work_run(); what the budget leaves over comes first the next time (retry_list). */
unsigned task_work_run_list (Task *task, unsigned budget)
{
  unsigned done = 0, rings = 0;

  for (const Ring *ring = task->task_works; ring; ring = ring->task_works_next)
    rings++;
  task->notify_signal = FALSE;
  while (rings-- > 0) {
    Ring *ring = task->task_works;

    task->task_works = ring->task_works_next; /* from here on new work of this ring joins the list again */
    ring->task_works = ring->taskrun = FALSE;
    done += ring_run (task, ring, budget - done, TRUE);
    if (task_work_normal (ring))
      tctx_link (task, ring);
  }
  if (task->task_works)
    task->notify_signal = TRUE;
  return done;
}

static unsigned tctx_run (Task *task, unsigned budget)
{
  unsigned done = task_work_run_list (task, budget);

  return done + task_work_run_generic (task);
}

static void tctx_run_all (Task *task) { tctx_run (task, G_MAXUINT); }

unsigned task_work_run_budget (Task *task, Ring *ring, unsigned budget)
{
  unsigned done = 0;

  if (ring->flags.defer_taskrun) {
    ring->taskrun = FALSE;
    done = ring_run (task, ring, budget, FALSE);
  }
  if (task->task_works || task->create_work)
    done += tctx_run (task, budget - done);
  return done;
}
