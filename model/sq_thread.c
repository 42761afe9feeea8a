/* See sq_thread.h. */
#include "model/sq_thread.h"

#include "model/cpu.h"
#include "model/iopoll.h"
#include "model/submit.h"
#include "model/task_work.h"

/* IORING_SQPOLL_CAP_ENTRIES_VALUE: sqes of one ring a round, if there are several. */
#define SQPOLL_CAP_ENTRIES 8u

/* IORING_TW_CAP_ENTRIES_VALUE: task_work items a round. */
static unsigned sq_thread_budget (const Simulation *sim)
{
  return sim->kernel < KERNEL (6, 9) ? G_MAXUINT : sim->kernel < KERNEL (6, 16) ? 8 : 32;
}

static gboolean sq_thread_is_kthread (const SqData *sqd) { return sqd->sim->kernel < KERNEL (5, 12); }

static uint64_t sq_jiffies (const SqData *sqd) { return sim_now (sqd->sim) / sqd->sim->setup->machine->tick; }

/* jiffies + sq_thread_idle */
static uint64_t sq_thread_timeout (const SqData *sqd)
{
  UrTime tick = sqd->sim->setup->machine->tick;

  return sq_jiffies (sqd) + (sqd->idle + tick - 1) / tick;
}

/* A kernel thread borrows the submitter's address space (kthread_use_mm()) and gives it back. */
static void sq_thread_use_mm (Task *task, SqData *sqd)
{
  if (!sq_thread_is_kthread (sqd) || sqd->has_mm)
    return;
  sqd->has_mm = TRUE;
  task_cost (task, COST_USE_MM);
}

static void sq_thread_drop_mm (SqData *sqd) { sqd->has_mm = FALSE; /* its cost is part of the borrowing */ }

/* Entries it may submit: none while completions wait for room in the CQ. */
static unsigned sq_thread_entries (const Ring *ring)
{
  unsigned kernel = ring->sim->kernel;
  gboolean busy = ring->overflow.length && kernel >= KERNEL (5, 5) && kernel < KERNEL (5, 13) &&
                  ring_cq_ready (ring) == ring->cq_entries;

  return busy ? 0 : ring_sq_ready (ring);
}

static gboolean sq_thread_ring_has_work (const Ring *ring)
{
  return sq_thread_entries (ring) || ring->iopoll_list.length;
}

/* __io_sq_thread(): TRUE if it submitted something or polls for completions. */
static gboolean sq_thread_ring (Task *task, SqData *sqd, Ring *ring, gboolean cap_entries)
{
  gboolean lock = ring->iopoll_list.length || sqd->sim->kernel >= KERNEL (5, 5);
  unsigned n;
  int submitted = 0;

  task_cost (task, COST_SQ_LOOP);
  task_sync (task);
  if (!sq_thread_ring_has_work (ring))
    return FALSE;
  n = sq_thread_entries (ring);
  sq_thread_use_mm (task, sqd);
  if (lock)
    mutex_lock (task, &ring->uring_lock);
  if (ring->iopoll_list.length)
    io_do_iopoll (task, ring);
  if (n)
    submitted = io_submit_sqes (task, ring, cap_entries ? MIN (n, SQPOLL_CAP_ENTRIES) : n);
  if (lock)
    mutex_unlock (task, &ring->uring_lock);
  if (n && ring->sq_waiter)
    task_wake (task, ring->sq_waiter);
  return submitted > 0 || ring->iopoll_list.length;
}

static gboolean sq_thread_rings (Task *task, SqData *sqd)
{
  gboolean did = FALSE;

  for (unsigned i = 0; i < sqd->rings->len; i++)
    did |= sq_thread_ring (task, sqd, g_ptr_array_index (sqd->rings, i), sqd->rings->len > 1);
  return did;
}

/* io_sq_tw(): what is on the thread's list, then generic task_work.  TRUE: it counts as work.  The thread has none
 * before 5.7: what is on the list there are completions of the device, which those kernels post in the interrupt. */
static gboolean sq_thread_task_work (Task *task, SqData *sqd, gboolean submitted)
{
  unsigned kernel = sqd->sim->kernel, done, generic;

  if (kernel >= KERNEL (5, 7) && kernel < KERNEL (5, 11) && submitted)
    return FALSE;
  done = task_work_run_list (task, sq_thread_budget (sqd->sim));
  if (kernel >= KERNEL (6, 9) || done)
    sim_trace (task, TRACE_TASK_WORK_RUN, NULL, done);
  generic = task_work_run_generic (task);
  return kernel >= KERNEL (5, 12) && (done || (generic && kernel < KERNEL (6, 9)));
}

static gboolean sq_thread_work_pending (const SqData *sqd)
{
  return sqd->thread->task_works || sqd->thread->create_work;
}

static gboolean sq_thread_has_work (const SqData *sqd)
{
  for (unsigned i = 0; i < sqd->rings->len; i++)
    if (sq_thread_ring_has_work (g_ptr_array_index (sqd->rings, i)))
      return TRUE;
  return sqd->park_pending || sqd->n_closed || sq_thread_work_pending (sqd);
}

/* Gives the CPU to who should have it, without the lock. */
static void sq_thread_resched (Task *task, SqData *sqd)
{
  if (!task->cpu->need_resched)
    return;
  mutex_unlock (task, &sqd->lock);
  task_yield (task);
  mutex_lock (task, &sqd->lock);
}

/* On sqd->wait. */
static void sq_thread_prepare_to_wait (Task *task, SqData *sqd, gboolean interruptible)
{
  if (interruptible)
    task_prepare_to_sleep_interruptible (task);
  else
    task_prepare_to_sleep (task);
  sqd->waiting = TRUE;
  task_sync (task);
}

static void sq_thread_finish_wait (Task *task, SqData *sqd)
{
  task_cancel_sleep (task);
  sqd->waiting = FALSE;
}

/* io_sqd_handle_event(): lets go of the list of rings until nobody wants to change it. */
static void sq_thread_parked (Task *task, SqData *sqd)
{
  mutex_unlock (task, &sqd->lock);
  sq_thread_prepare_to_wait (task, sqd, FALSE);
  if (sqd->park_pending) {
    task->waits_for = "the end of its being parked";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
  sq_thread_finish_wait (task, sqd);
  mutex_lock (task, &sqd->lock);
}

/* Sets NEED_WAKEUP on one ring after the other and looks again behind a full barrier. */
static gboolean sq_thread_may_sleep (Task *task, SqData *sqd)
{
  for (unsigned i = 0; i < sqd->rings->len; i++) {
    Ring *ring = g_ptr_array_index (sqd->rings, i);

    ring->need_wakeup = TRUE;
    task_sync (task);
    if (sq_thread_ring_has_work (ring))
      return FALSE;
  }
  return TRUE;
}

static void sq_thread_sleep (Task *task, SqData *sqd)
{
  sq_thread_drop_mm (sqd);
  sq_thread_prepare_to_wait (task, sqd, TRUE);
  if (!sqd->park_pending && !sqd->n_closed && !sq_thread_work_pending (sqd)) {
    if (sq_thread_may_sleep (task, sqd)) {
      mutex_unlock (task, &sqd->lock);
      task->waits_for = "a wake-up of the sq_thread";
      task_schedule (task, UR_TIME_NEVER);
      task->waits_for = NULL;
      mutex_lock (task, &sqd->lock);
    }
    for (unsigned i = 0; i < sqd->rings->len; i++)
      ((Ring *) g_ptr_array_index (sqd->rings, i))->need_wakeup = FALSE;
  }
  sq_thread_finish_wait (task, sqd);
}

/* Nothing to do: spins until somebody has something, or the idle time is over. */
static void sq_thread_spin (Task *task, SqData *sqd, uint64_t timeout)
{
  if (sqd->sim->kernel >= KERNEL (5, 5))
    sq_thread_drop_mm (sqd);
  if (task_spin (task, NULL, (timeout + 1) * sqd->sim->setup->machine->tick) == SPIN_DONE)
    return;
  mutex_unlock (task, &sqd->lock);
  task_yield (task);
  mutex_lock (task, &sqd->lock);
}

static void sqd_update_thread_idle (SqData *sqd)
{
  sqd->idle = 0;
  for (unsigned i = 0; i < sqd->rings->len; i++)
    sqd->idle = MAX (sqd->idle, ((const Ring *) g_ptr_array_index (sqd->rings, i))->sq_idle);
}

/* io_sq_thread_finish(): done by the thread itself, for nobody waits for it. */
static void sq_thread_forget_closed (SqData *sqd)
{
  for (unsigned i = sqd->rings->len; i-- > 0;)
    if (((const Ring *) g_ptr_array_index (sqd->rings, i))->closed)
      g_ptr_array_remove_index (sqd->rings, i);
  sqd->n_closed = 0;
  sqd_update_thread_idle (sqd);
}

static void sq_thread_body (Task *task, void *data)
{
  SqData *sqd = data;
  unsigned kernel = sqd->sim->kernel;
  uint64_t timeout = sq_thread_timeout (sqd);

  mutex_lock (task, &sqd->lock);
  while (sqd->rings->len || sqd->park_pending) { /* a ring that is being attached keeps it */
    gboolean did;

    if (sqd->n_closed) {
      sq_thread_forget_closed (sqd);
      timeout = sq_thread_timeout (sqd);
      continue;
    }
    if (sqd->park_pending) {
      sq_thread_parked (task, sqd);
      timeout = sq_thread_timeout (sqd);
      continue;
    }
    did = sq_thread_rings (task, sqd);
    if (kernel >= KERNEL (5, 11))
      sq_thread_drop_mm (sqd);
    did |= sq_thread_task_work (task, sqd, did);
    if (did)
      timeout = sq_thread_timeout (sqd);
    sq_thread_resched (task, sqd);
    task_sync (task);
    if (sq_thread_has_work (sqd))
      continue;
    if (sq_jiffies (sqd) <= timeout) {
      sq_thread_spin (task, sqd, timeout);
      continue;
    }
    sq_thread_sleep (task, sqd);
    if (kernel >= KERNEL (5, 10))
      timeout = sq_thread_timeout (sqd);
  }
  mutex_unlock (task, &sqd->lock);
}

/* ---- the list of rings ---- */

static void sq_thread_kick (Task *from, SqData *sqd)
{
  task_spin_finish (sqd->thread, sim_cost (sqd->sim, COST_SQ_LOOP));
  if (sqd->waiting)
    task_wake (from, sqd->thread);
}

/* io_sq_thread_park(): the list may be changed. */
static void sq_thread_park (Task *task, SqData *sqd)
{
  sqd->park_pending++;
  sqd->changing++;
  if (sqd->thread)
    sq_thread_kick (task, sqd);
  mutex_lock (task, &sqd->lock);
}

static void sq_thread_unpark (Task *task, SqData *sqd)
{
  sqd->park_pending--;
  mutex_unlock (task, &sqd->lock);
  sqd->changing--;
  if (sqd->thread)
    sq_thread_kick (task, sqd);
}

static SqData *sq_data_new (Simulation *sim)
{
  SqData *sqd = g_new0 (SqData, 1);
  char name[32];

  sqd->sim = sim;
  sqd->id = sim->sq_data->len;
  sqd->rings = g_ptr_array_new ();
  g_snprintf (name, sizeof name, "sqd:%u", sqd->id);
  mutex_init (&sqd->lock, name);
  g_ptr_array_add (sim->sq_data, sqd);
  return sqd;
}

void sq_data_free (SqData *sqd)
{
  g_ptr_array_unref (sqd->rings);
  g_free (sqd);
}

void sq_thread_start (Ring *ring, Task *creator)
{
  Simulation *sim = ring->sim;
  Ring *attach = sim->kernel >= KERNEL (5, 10) ? ring->attach : NULL;
  SqData *sqd = attach && attach->sq_data ? attach->sq_data : NULL;
  char name[32];

  if (sqd && sqd->rings->len) {
    ring->sq_data = sqd;
    ring->sq_thread = sqd->thread;
    sq_thread_park (creator, sqd);
    g_ptr_array_insert (sqd->rings, 0, ring);
    sqd_update_thread_idle (sqd);
    sq_thread_unpark (creator, sqd);
    return;
  }
  ring->sq_data = sqd = sq_data_new (sim);
  g_ptr_array_add (sqd->rings, ring);
  sqd_update_thread_idle (sqd);
  if (sq_thread_is_kthread (sqd))
    g_strlcpy (name, "io_uring-sq", sizeof name);
  else
    g_snprintf (name, sizeof name, "iou-sqp-%u", creator->id);
  sqd->thread = task_new (sim, name, TASK_CLASS_SQ_THREAD, ring->sq_cpu, sq_thread_body, sqd);
  ring->sq_thread = sqd->thread;
  task_start (sqd->thread, creator);
}

void sq_thread_finish (Task *task, Ring *ring)
{
  ring->sq_data->n_closed++;
  ring->closed = TRUE;
  sq_thread_kick (task, ring->sq_data);
}

/* ---- the application's side ---- */

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

/* io_sqpoll_wait_sq() */
void sq_thread_wait_room (Task *application, Ring *ring)
{
  task_enter_kernel (application);
  task_sync (application);
  while (ring_sq_full (ring)) {
    task_prepare_to_sleep (application);
    ring->sq_waiter = application;
    application->waits_for = "room in the SQ";
    task_schedule (application, UR_TIME_NEVER);
    application->waits_for = NULL;
  }
  ring->sq_waiter = NULL;
  task_return_to_user (application);
}
