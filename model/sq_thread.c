/* See sq_thread.h. */
#include "model/sq_thread.h"

#include "model/cpu.h"
#include "model/submit.h"
#include "model/task_work.h"

/* task_work items per round: IORING_TW_CAP_ENTRIES_VALUE, 8 from 6.9, 32 from about 6.16; no cap before. */
static unsigned sq_thread_budget (const Simulation *sim)
{
  return sim->kernel < KERNEL (6, 9) ? G_MAXUINT : sim->kernel < KERNEL (6, 16) ? 8 : 32;
}

/* __io_sq_thread() and io_sq_tw() for the one ring: TRUE if there was something to do. */
static gboolean sq_thread_round (Task *task, Ring *ring)
{
  int submitted = 0;
  unsigned ran;

  task_cost (task, COST_SQ_LOOP);
  task_sync (task);
  if (ring_sq_ready (ring)) {
    mutex_lock (task, &ring->uring_lock);
    submitted = io_submit_sqes (task, ring, ring_sq_ready (ring)); /* EBUSY: later */
    mutex_unlock (task, &ring->uring_lock);
  }
  ran = task_work_run_budget (task, ring, sq_thread_budget (ring->sim));
  return submitted > 0 || ran;
}

/* The idle time is measured in jiffies. */
static UrTime sq_thread_timeout (const Simulation *sim, UrTime idle)
{
  UrTime tick = sim->setup->machine->tick;

  return (sim_now (sim) / tick + (idle + tick - 1) / tick) * tick;
}

static void sq_thread_sleep (Task *task, Ring *ring)
{
  task_prepare_to_sleep_interruptible (task);
  ring->need_wakeup = TRUE;
  task_sync (task);
  if (ring_sq_ready (ring) || task_work_pending (ring)) {
    task_cancel_sleep (task);
  } else {
    task->waits_for = "a wake-up of the sq_thread";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
  ring->need_wakeup = FALSE;
}

static void sq_thread_body (Task *task, void *data)
{
  Ring *ring = data;
  Simulation *sim = ring->sim;
  UrTime timeout = sq_thread_timeout (sim, ring->sq_idle);

  for (;;) {
    if (sq_thread_round (task, ring))
      timeout = sq_thread_timeout (sim, ring->sq_idle);
    task_cond_resched (task);
    task_sync (task);
    if (ring_sq_ready (ring) || task_work_pending (ring))
      continue;
    if (sim_now (sim) <= timeout) {
      if (task_spin (task, NULL, timeout + 1) == SPIN_RESCHED)
        task_yield (task);
      continue;
    }
    sq_thread_sleep (task, ring);
    timeout = sq_thread_timeout (sim, ring->sq_idle);
  }
}

void sq_thread_start (Ring *ring, Task *creator)
{
  char name[32];

  g_snprintf (name, sizeof name, "iou-sqp-%u", creator->id);
  ring->sq_thread = task_new (ring->sim, name, TASK_CLASS_SQ_THREAD, ring->sq_cpu, sq_thread_body, ring);
  task_start (ring->sq_thread, creator);
}

void sq_thread_notify (Task *application, Ring *ring)
{
  if (ring->need_wakeup) {
    task_enter_kernel (application);
    task_sync (application);
    task_wake (application, ring->sq_thread);
    task_return_to_user (application);
  } else {
    task_spin_finish (ring->sq_thread, sim_cost (ring->sim, COST_SQ_LOOP));
  }
}
