/* See rwsem.h.  Stands for kernel/locking/rwsem.c. */
#include "model/rwsem.h"

#include "model/cpu.h"
#include <string.h>

/* RWSEM_WAIT_TIMEOUT is DIV_ROUND_UP (HZ, 250) jiffies. */
#define RWSEM_WAIT (4 * UR_MS)
/* rwsem_rspin_threshold(): how long a writer spins on a lock that readers own. */
#define RWSEM_READER_SPIN (10 * UR_US)
#define RWSEM_READER_SPIN_EACH (UR_US / 2)
#define RWSEM_READER_SPIN_MAX 30
/* MAX_READERS_WAKEUP */
#define RWSEM_READERS_WAKEUP 256
/* Up to here the growth of the hold is fitted (32 jobs on one file; doc/locks.md); beyond, the model does not
 * extrapolate. */
#define RWSEM_CONTENDERS_KNOWN 31u

/* rwsem-xadd.c: no hand-off, no spinning on readers, sleepers woken up to the first writer. */
static gboolean rwsem_xadd (const Task *task) { return task->sim->kernel < KERNEL (5, 3); }
/* Readers spin as writers do, with a bit of their own to keep them from it. */
static gboolean rwsem_readers_spin (const Task *task)
{
  return task->sim->kernel >= KERNEL (5, 3) && task->sim->kernel < KERNEL (5, 11);
}
/* Readers take a lock that is free past those who wait for it. */
static gboolean rwsem_readers_steal (const Task *task) { return task->sim->kernel >= KERNEL (5, 11); }
/* Who gets the hand-off spins on the owner meanwhile. */
static gboolean rwsem_handoff_spins (const Task *task) { return task->sim->kernel >= KERNEL (5, 4); }
/* A writer that is woken in vain goes back to sleep without wait_lock. */
static gboolean rwsem_sleeps_on (const Task *task) { return task->sim->kernel < KERNEL (5, 16); }

/* When a waiter that queues now may ask for the hand-off: time_after (jiffies, timeout), so only once the jiffies have
 * gone past it.  At HZ=250 that is 4 to 8 ms from now, at HZ=1000 4 to 5 ms. */
static UrTime rwsem_timeout (const Task *task)
{
  UrTime tick = task->sim->setup->machine->tick;

  if (rwsem_xadd (task))
    return UR_TIME_NEVER;
  return (sim_now (task->sim) / tick + (RWSEM_WAIT + tick - 1) / tick + 1) * tick;
}

void rwsem_init (Rwsem *sem, const char *name)
{
  memset (sem, 0, sizeof *sem);
  g_strlcpy (sem->name, name, sizeof sem->name);
  osq_init (&sem->osq);
  ur_level_init (&sem->queued, 0, 0);
}

void rwsem_run (Task *task, const Rwsem *sem, UrTime ns)
{
  const Machine *machine = task->sim->setup->machine;
  unsigned contenders = MIN (rwsem_contenders (sem), RWSEM_CONTENDERS_KNOWN);

  if (contenders || sem->elsewhere)
    ns = (UrTime) ((double) ns * (1 + machine->kappa * contenders + (sem->elsewhere ? machine->hold_elsewhere : 0)));
  task_run (task, ns);
}

/* The price of writing the lock word: cheap while the line is in the own cache. */
static void rwsem_charge_word (Task *task, Rwsem *sem)
{
  task_cost (task, sem->last_cpu == task->cpu->id ? COST_LOCK_FAST : COST_LOCK_TRANSFER);
  sem->last_cpu = task->cpu->id;
}

static void rwsem_hold (Task *task, Rwsem *sem)
{
  g_assert (task->n_holds < TASK_RWSEMS);
  task->holds[task->n_holds++] = sem;
}

static void rwsem_release (Task *task, Rwsem *sem)
{
  for (unsigned i = 0; i < task->n_holds; i++)
    if (task->holds[i] == sem) {
      task->holds[i] = task->holds[--task->n_holds];
      return;
    }
  g_assert_not_reached ();
}

static void rwsem_own (Task *task, Rwsem *sem)
{
  g_assert (!sem->owner && !sem->readers);
  sem->owner = task;
  sem->elsewhere = sem->held_on && sem->held_on != task->cpu->id + 1;
  sem->held_on = task->cpu->id + 1;
  sem->last_reader = NULL;
  sem->nonspinnable = sem->reader_nonspinnable = FALSE;
  sem->acquired_at = sim_now (task->sim);
  rwsem_hold (task, sem);
}

static void rwsem_add_reader (Task *task, Rwsem *sem)
{
  if (sem->readers++ == 0) {
    sem->acquired_at = sim_now (task->sim);
    if (sem->osq.head) /* who spins sees that readers own it, and does not spin for long */
      osq_look (&sem->osq, sim_cost (task->sim, COST_LOCK_TRANSFER));
  }
  sem->last_reader = task;
  if (rwsem_readers_spin (task)) /* __rwsem_set_reader_owned() kept the readers' bit only */
    sem->nonspinnable = FALSE;
  rwsem_hold (task, sem);
}

static void rwsem_got (Task *task, Rwsem *sem, UrTime wanted)
{
  UrTime waited = sim_now (task->sim) - wanted;

  sem->count.acquired++;
  sim_progress (task->sim);
  sem->count.wait_total += waited;
  sem->count.wait_max = MAX (sem->count.wait_max, waited);
}

gboolean rwsem_down_write_trylock (Task *task, Rwsem *sem)
{
  task_sync (task);
  if (rwsem_is_locked (sem) || sem->n_waiters) {
    task_cost (task, COST_LOCK_TRANSFER);
    return FALSE;
  }
  rwsem_own (task, sem);
  rwsem_charge_word (task, sem);
  rwsem_got (task, sem, sim_now (task->sim));
  return TRUE;
}

gboolean rwsem_down_read_trylock (Task *task, Rwsem *sem)
{
  task_sync (task);
  if (sem->owner || sem->n_waiters || sem->handoff) {
    task_cost (task, COST_LOCK_TRANSFER);
    return FALSE;
  }
  rwsem_add_reader (task, sem);
  rwsem_charge_word (task, sem);
  rwsem_got (task, sem, sim_now (task->sim));
  return TRUE;
}

/* Optimistic spinning. */

static gboolean rwsem_is_nonspinnable (const Rwsem *sem, gboolean write)
{
  return write ? sem->nonspinnable : sem->reader_nonspinnable;
}

/* rwsem_can_spin_on_owner() */
static gboolean rwsem_can_spin (const Task *task, const Rwsem *sem, gboolean write)
{
  if (task->cpu->need_resched || rwsem_is_nonspinnable (sem, write))
    return FALSE;
  if (sem->owner)
    return task_on_cpu (sem->owner);
  return !sem->last_reader || !rwsem_xadd (task);
}

static UrTime rwsem_reader_spin_limit (const Task *task, const Rwsem *sem)
{
  return sim_now (task->sim) + RWSEM_READER_SPIN + RWSEM_READER_SPIN_EACH * MIN (sem->readers, RWSEM_READER_SPIN_MAX);
}

/* rwsem_try_write_lock_unqueued(), rwsem_try_read_lock_unqueued(): past the waiters, not past a hand-off. */
static gboolean rwsem_try_unqueued (Task *task, Rwsem *sem, gboolean write)
{
  if (sem->owner || sem->handoff || (write && sem->readers))
    return FALSE;
  sem->count.steals += sem->n_waiters > 0;
  if (write)
    rwsem_own (task, sem);
  else
    rwsem_add_reader (task, sem);
  sem->last_cpu = task->cpu->id;
  return TRUE;
}

/* rwsem_optimistic_spin(): TRUE with the lock taken. */
static gboolean rwsem_optimistic_spin (Task *task, Rwsem *sem, gboolean write)
{
  OsqNode node;
  UrTime reader_limit = UR_TIME_NEVER;
  gboolean taken;

  if (!rwsem_can_spin (task, sem, write))
    return FALSE;
  if (!osq_lock (task, &sem->osq, &node, &sem->count.spin_ns))
    return FALSE;
  while (!(taken = rwsem_try_unqueued (task, sem, write))) {
    if (rwsem_is_nonspinnable (sem, write) || (sem->owner && !task_on_cpu (sem->owner)))
      break;
    if (sem->readers && write) {
      if (rwsem_xadd (task))
        break;
      if (reader_limit == UR_TIME_NEVER)
        reader_limit = rwsem_reader_spin_limit (task, sem);
      if (sim_now (task->sim) >= reader_limit) { /* in vain; nobody else shall try */
        sem->nonspinnable = sem->reader_nonspinnable = TRUE;
        break;
      }
    } else {
      reader_limit = UR_TIME_NEVER;
    }
    if (task_spin (task, &sem->count.spin_ns, reader_limit) == SPIN_RESCHED)
      break;
  }
  osq_unlock (&sem->osq, &node);
  return taken;
}

void rwsem_owner_off_cpu (Rwsem *sem)
{
  if (!sem->owner)
    return;
  if (sem->osq.head)
    osq_look (&sem->osq, sim_cost (sem->owner->sim, COST_LOCK_TRANSFER));
  if (sem->handoff && sem->first) /* the beneficiary spins outside the queue */
    task_spin_finish (sem->first->task, sim_cost (sem->owner->sim, COST_LOCK_TRANSFER));
}

/* Sleeping. */

static void rwsem_queue (Task *task, Rwsem *sem, RwsemWaiter *waiter)
{
  if (sem->last)
    sem->last->next = waiter;
  else
    sem->first = waiter;
  sem->last = waiter;
  sem->n_waiters++;
  ur_level_set (&sem->queued, sim_now (task->sim), sem->n_waiters);
}

static void rwsem_dequeue (Task *task, Rwsem *sem, RwsemWaiter *waiter)
{
  RwsemWaiter *before = NULL;

  for (RwsemWaiter *at = sem->first; at != waiter; at = at->next)
    before = at;
  if (before)
    before->next = waiter->next;
  else {
    sem->first = waiter->next;
    sem->handoff = FALSE; /* it was for this one */
  }
  if (sem->last == waiter)
    sem->last = before;
  sem->n_waiters--;
  ur_level_set (&sem->queued, sim_now (task->sim), sem->n_waiters);
}

/* Work under wait_lock; its cost belongs to the slow path. */
static void rwsem_wait_lock (Task *task, Rwsem *sem, CostKey cost)
{
  sem->count.slowpath_ns += spinlock_hold (task, &sem->wait_lock, sim_cost (task->sim, cost));
  task_sync (task);
}

typedef enum { WAKE_ANY, WAKE_READERS } WakeType;

static void rwsem_grant (Task *task, Rwsem *sem, RwsemWaiter *waiter)
{
  rwsem_dequeue (task, sem, waiter);
  waiter->granted = TRUE;
  rwsem_add_reader (waiter->task, sem);
  task_wake (task, waiter->task);
}

/* All readers of the list, skipping writers; before 5.3 those before the first writer, however many. */
static void rwsem_grant_readers (Task *task, Rwsem *sem)
{
  unsigned woken = 0;
  RwsemWaiter *next;

  for (RwsemWaiter *waiter = sem->first; waiter; waiter = next) {
    next = waiter->next;
    if (!rwsem_xadd (task) && woken == RWSEM_READERS_WAKEUP)
      break;
    if (!waiter->write) {
      rwsem_grant (task, sem, waiter);
      woken++;
    } else if (rwsem_xadd (task)) {
      break;
    }
  }
  sem->handoff = FALSE; /* nobody needs to force writers to give way */
}

/* rwsem_mark_wake() and wake_up_q(): the first waiter, or readers if it reads. */
static void rwsem_wake (Task *task, Rwsem *sem, WakeType type)
{
  RwsemWaiter *waiter;
  UrTime before;

  rwsem_wait_lock (task, sem, COST_RWSEM_WAKE);
  waiter = sem->first;
  if (!waiter)
    return;
  before = task->owed;
  if (waiter->write) {
    if (type == WAKE_ANY)
      task_wake (task, waiter->task);
  } else if (!sem->owner) {
    rwsem_grant_readers (task, sem);
  } else if (sim_now (task->sim) >= waiter->timeout && !sem->handoff) { /* a writer stole it */
    sem->handoff = TRUE;
    sem->count.handoffs++;
  }
  sem->count.slowpath_ns += task->owed - before;
}

/* rwsem_cond_wake_waiter(): somebody who has just joined the list looks whether those before it can go on. */
static void rwsem_cond_wake (Task *task, Rwsem *sem)
{
  if (sem->owner)
    return;
  if (!sem->readers)
    sem->nonspinnable = FALSE;
  if (!sem->first->write || !sem->readers) /* a writer at the head waits for the readers to leave */
    rwsem_wake (task, sem, sem->readers ? WAKE_READERS : WAKE_ANY);
}

static void rwsem_sleep (Task *task, Rwsem *sem)
{
  UrLevel *level = &task->sim->count.workers_on_lock;
  gboolean worker = task->class == TASK_CLASS_WORKER;

  task->waits_for = "rwsem";
  task->waits_on = sem;
  if (worker)
    ur_level_set (level, sim_now (task->sim), level->level + 1);
  sem->count.sleeps++;
  task_schedule (task, UR_TIME_NEVER);
  sem->count.slowpath_ns += task->switch_ns;
  if (worker)
    ur_level_set (level, sim_now (task->sim), level->level - 1);
  task->waits_for = NULL;
}

/* rwsem_try_write_lock(): under wait_lock; a queued writer takes the lock, or reserves it after its time-out. */
static gboolean rwsem_try_write_lock (Task *task, Rwsem *sem, RwsemWaiter *waiter)
{
  gboolean first = sem->first == waiter;

  if (sem->handoff && !first)
    return FALSE;
  if (rwsem_is_locked (sem)) {
    if (first && !sem->handoff && sim_now (task->sim) >= waiter->timeout) {
      sem->handoff = TRUE;
      sem->count.handoffs++;
    }
    return FALSE;
  }
  sem->count.steals += !first;
  rwsem_dequeue (task, sem, waiter);
  rwsem_own (task, sem);
  sem->last_cpu = task->cpu->id;
  return TRUE;
}

/* Sleeps until there is something to try for. */
static void rwsem_sleep_writer (Task *task, Rwsem *sem, const RwsemWaiter *waiter)
{
  for (;;) {
    gboolean first = sem->first == waiter;

    task_prepare_to_sleep (task);
    if (!rwsem_is_locked (sem) && !(sem->handoff && !first)) {
      task_cancel_sleep (task);
      return;
    }
    rwsem_sleep (task, sem);
    first = sem->first == waiter;
    if (!rwsem_sleeps_on (task) || !rwsem_is_locked (sem) ||
        (first && (sem->handoff || sim_now (task->sim) >= waiter->timeout)))
      break;
  }
  rwsem_wait_lock (task, sem, COST_RWSEM_QUEUE);
}

static void rwsem_down_write_slowpath (Task *task, Rwsem *sem)
{
  RwsemWaiter waiter = { .task = task, .write = TRUE };
  gboolean taken;

  task->waits_for = "rwsem"; /* spinning too */
  task->waits_on = sem;
  taken = rwsem_optimistic_spin (task, sem, TRUE);
  task->waits_for = NULL;
  if (taken)
    return;
  rwsem_wait_lock (task, sem, COST_RWSEM_QUEUE);
  waiter.timeout = rwsem_timeout (task);
  rwsem_queue (task, sem, &waiter);
  if (sem->first != &waiter && (sem->readers || !rwsem_xadd (task)))
    rwsem_cond_wake (task, sem);
  while (!rwsem_try_write_lock (task, sem, &waiter)) {
    if (sem->handoff && sem->first == &waiter && rwsem_handoff_spins (task) && sem->owner && task_on_cpu (sem->owner) &&
        task_spin (task, &sem->count.spin_ns, UR_TIME_NEVER) == SPIN_DONE)
      continue; /* the beneficiary spins on the owner */
    rwsem_sleep_writer (task, sem, &waiter);
  }
}

static void rwsem_waited (Task *task, Rwsem *sem, ResultTask holder, UrTime waited)
{
  lock_wait_ended (&sem->count, holder, task, waited);
  ur_histogram_record (&task->sim->lock_wait, waited);
}

void rwsem_down_write (Task *task, Rwsem *sem)
{
  ResultTask holder;
  UrTime wanted;

  task_sync (task);
  wanted = sim_now (task->sim);
  if (!rwsem_is_locked (sem) && !sem->n_waiters && !sem->handoff) {
    rwsem_own (task, sem);
    rwsem_charge_word (task, sem);
  } else {
    holder = lock_holder_kind (sem->owner ? sem->owner : sem->readers ? sem->last_reader : NULL);
    sem->count.contended++;
    rwsem_down_write_slowpath (task, sem);
    rwsem_waited (task, sem, holder, sim_now (task->sim) - wanted);
  }
  rwsem_got (task, sem, wanted);
}

/* rwsem_down_read_slowpath() up to where it queues: TRUE with the lock taken. */
static gboolean rwsem_read_unqueued (Task *task, Rwsem *sem)
{
  Task *last_reader = sem->last_reader;
  gboolean taken = FALSE;

  if (rwsem_readers_steal (task)) /* only as the first: a stream of readers must not starve who sleeps */
    return !sem->readers && rwsem_try_unqueued (task, sem, FALSE);
  if (!rwsem_readers_spin (task) || !rwsem_can_spin (task, sem, FALSE))
    return FALSE;
  task->waits_for = "rwsem";
  task->waits_on = sem;
  taken = rwsem_optimistic_spin (task, sem, FALSE);
  if (!taken && sem->last_reader && sem->last_reader != last_reader) /* rwsem_reader_phase_trylock() */
    taken = rwsem_try_unqueued (task, sem, FALSE);
  task->waits_for = NULL;
  return taken;
}

static void rwsem_down_read_slowpath (Task *task, Rwsem *sem)
{
  RwsemWaiter waiter = { .task = task };

  sem->count.contended++;
  if (rwsem_read_unqueued (task, sem)) {
    rwsem_charge_word (task, sem);
    if (sem->first && !sem->first->write && (sem->readers == 1 || rwsem_readers_spin (task)))
      rwsem_wake (task, sem, WAKE_READERS);
    return;
  }
  rwsem_wait_lock (task, sem, COST_RWSEM_QUEUE);
  if (!sem->owner && !sem->n_waiters) {
    rwsem_add_reader (task, sem);
    return;
  }
  waiter.timeout = rwsem_timeout (task);
  rwsem_queue (task, sem, &waiter);
  rwsem_cond_wake (task, sem);
  while (!waiter.granted) {
    task_prepare_to_sleep (task);
    rwsem_sleep (task, sem);
  }
}

void rwsem_down_read (Task *task, Rwsem *sem)
{
  ResultTask holder;
  UrTime wanted;

  task_sync (task);
  wanted = sim_now (task->sim);
  if (!sem->owner && !sem->handoff && !sem->n_waiters) {
    rwsem_add_reader (task, sem);
    rwsem_charge_word (task, sem);
  } else {
    holder = lock_holder_kind (sem->owner ? sem->owner : sem->readers ? sem->last_reader : NULL);
    rwsem_down_read_slowpath (task, sem);
    rwsem_waited (task, sem, holder, sim_now (task->sim) - wanted);
  }
  rwsem_got (task, sem, wanted);
}

/* A hold ends: that of a writer, or of readers together. */
static void rwsem_held (Task *task, Rwsem *sem)
{
  UrTime held = sim_now (task->sim) - sem->acquired_at;

  sem->count.hold_ns += held;
  if (rwsem_contenders (sem))
    ur_histogram_record (&task->sim->lock_hold, held);
}

/* The word became free: who spins on it sees it after the hand-over; then the first sleeper is woken. */
static void rwsem_freed (Task *task, Rwsem *sem)
{
  Simulation *sim = task->sim;

  if (sem->handoff && sem->first && sem->first->task->spinning)
    task_spin_finish (sem->first->task, sim_cost (sim, COST_RWSEM_HANDOVER));
  else if (sem->osq.head)
    osq_look (&sem->osq, sim_cost (sim, COST_RWSEM_HANDOVER));
  task_cost (task, COST_LOCK_FAST);
  if (!sem->n_waiters)
    return;
  if (rwsem_xadd (task) && sem->osq.head && spinlock_is_taken (task, &sem->wait_lock))
    return; /* rwsem_wake() of then: a spinner will try for the lock in any case, and its unlock wakes */
  rwsem_wake (task, sem, WAKE_ANY);
}

void rwsem_up_write (Task *task, Rwsem *sem)
{
  task_sync (task);
  g_assert (sem->owner == task);
  rwsem_held (task, sem);
  sem->owner = NULL;
  rwsem_release (task, sem);
  rwsem_freed (task, sem);
}

void rwsem_up_read (Task *task, Rwsem *sem)
{
  task_sync (task);
  g_assert (sem->readers > 0);
  rwsem_release (task, sem);
  if (--sem->readers == 0) {
    if (sem->n_waiters)
      sem->nonspinnable = FALSE;
    rwsem_held (task, sem);
    rwsem_freed (task, sem);
  } else {
    task_cost (task, COST_LOCK_TRANSFER);
    sem->last_cpu = task->cpu->id;
  }
}
