/* See task_work.h. */
#include "model/task_work.h"

#include "model/cpu.h"

gboolean task_work_posts (const Ring *ring) { return ring->flags.defer_taskrun && ring->sim->kernel >= KERNEL (6, 2); }

void task_work_add_completion (Task *from, Ring *ring, Request *request)
{
  task_cost (from, COST_TASK_WORK_ADD);
  task_sync (from);
  request->work_next = NULL;
  if (ring->local_last)
    ring->local_last->work_next = request;
  else
    ring->local_first = request;
  ring->local_last = request;
  ring->local_n++;
  if (ring->waiter && ring_cq_ready (ring) + ring->local_n >= ring->wait_nr)
    task_wake (from, ring->waiter);
}

/* The first item on an empty list notifies the owner. */
static void task_work_notify (Task *from, Ring *ring, gboolean was_empty)
{
  Task *owner = ring_owner (ring);

  if (!was_empty)
    return;
  if (ring->sq_thread) {
    task_spin_finish (owner, sim_cost (ring->sim, COST_SQ_LOOP));
    task_wake (from, owner);
  } else if (owner->state == TASK_SLEEPING || owner->prepared) {
    task_wake (from, owner); /* COOP_TASKRUN spares the interrupt, not the wake-up */
  } else if (!ring->flags.coop_taskrun && owner->cpu != from->cpu) {
    ring->sim->count.ipis++; /* the sender's part; the owner runs the list at its next system call */
    task_cost (from, COST_WAKE_LOCAL);
  }
}

void task_work_add_free (Task *from, Ring *ring)
{
  gboolean was_empty = !task_work_pending (ring);

  task_cost (from, COST_TASK_WORK_ADD);
  ring->frees++;
  task_work_notify (from, ring, was_empty);
}

void task_work_add_create (Task *from, Task *owner, IoWorker *worker)
{
  task_cost (from, COST_TASK_WORK_ADD);
  owner->create_work = g_slist_append (owner->create_work, worker);
  task_spin_finish (owner, sim_cost (owner->sim, COST_SQ_LOOP));
  task_wake (from, owner); /* always TWA_SIGNAL */
}

unsigned task_work_run_budget (Task *task, Ring *ring, unsigned budget)
{
  gboolean locked = (ring->local_n || ring->frees) && !mutex_is_owner (&ring->uring_lock, task);
  unsigned done = 0;

  if (locked)
    mutex_lock (task, &ring->uring_lock);
  while (done < budget && ring->local_n) {
    Request *request = ring->local_first;

    ring->local_first = request->work_next;
    if (!ring->local_first)
      ring->local_last = NULL;
    ring->local_n--;
    task_cost (task, COST_TASK_WORK);
    ring_post_local (task, ring, request);
    done++;
  }
  if (done)
    sim_trace (task, TRACE_LOCAL_WORK_RUN, NULL, done);
  while (done < budget && ring->frees) {
    ring->frees--;
    task_cost (task, COST_TASK_WORK);
    done++;
  }
  if (locked)
    mutex_unlock (task, &ring->uring_lock);
  while (task->create_work) { /* generic task_work: no budget */
    IoWorker *worker = task->create_work->data;

    task->create_work = g_slist_delete_link (task->create_work, task->create_work);
    io_wq_create_worker_cb (task, worker);
    done++;
  }
  return done;
}
