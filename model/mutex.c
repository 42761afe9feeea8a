/* See mutex.h.  Stands for kernel/locking/mutex.c. */
#include "model/mutex.h"

#include "model/cpu.h"

void mutex_init (Mutex *mutex, const char *name)
{
  *mutex = (Mutex){ 0 };
  g_strlcpy (mutex->name, name, sizeof mutex->name);
  osq_init (&mutex->osq);
  ur_level_init (&mutex->queued, 0, 0);
}

/* The price of writing the word: cheap while the line is in the own cache. */
static CostKey mutex_word (const Task *task, const Mutex *mutex)
{
  return mutex->last_cpu == task->cpu->id ? COST_LOCK_FAST : COST_LOCK_TRANSFER;
}

static inline void mutex_hold (Task *task, Mutex *mutex)
{
  g_assert (task->n_mutexes < TASK_MUTEXES);
  task->mutexes[task->n_mutexes++] = mutex;
}

/* Most often the last one taken. */
static inline void mutex_release (Task *task, Mutex *mutex)
{
  unsigned last = --task->n_mutexes, i = last;

  g_assert (last < TASK_MUTEXES);
  while (task->mutexes[i] != mutex)
    g_assert (i-- > 0);
  task->mutexes[i] = task->mutexes[last];
}

static inline void mutex_own (Task *task, Mutex *mutex)
{
  if (mutex->pickup)
    mutex->pickup = FALSE; /* it was handed over */
  else
    mutex_hold (task, mutex);
  mutex->owner = task;
  mutex->acquired_at = task_now (task);
  mutex->last_cpu = task->cpu->id;
}

static void mutex_got (Mutex *mutex, UrTime wanted)
{
  UrTime waited = mutex->acquired_at - wanted;

  mutex->count.acquired++;
  mutex->count.wait_total += waited;
  mutex->count.wait_max = MAX (mutex->count.wait_max, waited);
}

/* Nobody else has ever wanted it: no time need pass. */
static inline gboolean mutex_take_private (Task *task, Mutex *mutex)
{
  if (mutex->user != task) {
    if (mutex->user || mutex->shared)
      return FALSE;
    mutex->user = task;
  }
  mutex_own (task, mutex);
  mutex->count.acquired++;
  return TRUE;
}

/* From now on it is not private. */
static void mutex_share (Mutex *mutex)
{
  mutex->shared = TRUE;
  mutex->user = NULL;
}

/* __mutex_trylock_common() */
static gboolean mutex_try (Task *task, Mutex *mutex, gboolean handoff)
{
  if (mutex->owner && !(mutex->pickup && mutex->owner == task)) {
    if (handoff && !mutex->pickup && !mutex->handoff) {
      mutex->handoff = TRUE;
      mutex->count.handoffs++;
    }
    return FALSE;
  }
  mutex_own (task, mutex);
  return TRUE;
}

gboolean mutex_trylock (Task *task, Mutex *mutex)
{
  CostKey word;

  if (mutex_take_private (task, mutex))
    return TRUE;
  task_sync (task);
  mutex_share (mutex);
  word = mutex_word (task, mutex);
  if (sim_now (task->sim) < mutex->released_at || !mutex_try (task, mutex, FALSE)) {
    task_cost (task, COST_LOCK_TRANSFER);
    return FALSE;
  }
  task_cost (task, word);
  mutex_got (mutex, mutex->acquired_at);
  return TRUE;
}

/* mutex_optimistic_spin(): TRUE with the mutex taken.  The first waiter spins outside the queue. */
static gboolean mutex_optimistic_spin (Task *task, Mutex *mutex, gboolean waiter)
{
  OsqNode node;
  gboolean taken = FALSE;

  if (!waiter && (task->cpu->need_resched || (mutex->owner && !task_on_cpu (mutex->owner))))
    return FALSE; /* mutex_can_spin_on_owner() */
  if (!waiter && !osq_lock (task, &mutex->osq, &node, &mutex->count.spin_ns))
    return FALSE;
  for (;;) {
    gboolean past = mutex->n_waiters && !waiter;

    if (mutex_try (task, mutex, FALSE)) {
      mutex->count.steals += past;
      taken = TRUE;
      break;
    }
    if (!task_on_cpu (mutex->owner) || task_spin (task, &mutex->count.spin_ns, UR_TIME_NEVER) == SPIN_RESCHED)
      break;
  }
  if (!waiter)
    osq_unlock (&mutex->osq, &node);
  return taken;
}

void mutex_owner_off_cpu (Mutex *mutex)
{
  UrTime delay;

  if (!mutex->owner || (!mutex->osq.head && !mutex->first))
    return;
  delay = sim_cost (mutex->owner->sim, COST_LOCK_TRANSFER);
  osq_look (&mutex->osq, delay);
  if (mutex->first && mutex->first->task != mutex->owner)
    task_spin_finish (mutex->first->task, delay);
}

/* ---- sleeping ---- */

/* Work under wait_lock; its cost belongs to the slow path. */
static void mutex_wait_lock (Task *task, Mutex *mutex, CostKey cost)
{
  mutex->count.slowpath_ns += spinlock_hold (task, &mutex->wait_lock, sim_cost (task->sim, cost));
  task_sync (task);
}

static void mutex_add_waiter (Task *task, Mutex *mutex, MutexWaiter *waiter)
{
  if (mutex->last)
    mutex->last->next = waiter;
  else
    mutex->first = waiter;
  mutex->last = waiter;
  mutex->n_waiters++;
  ur_level_set (&mutex->queued, sim_now (task->sim), mutex->n_waiters);
}

static void mutex_remove_waiter (Task *task, Mutex *mutex, MutexWaiter *waiter)
{
  MutexWaiter *before = NULL;

  for (MutexWaiter *at = mutex->first; at != waiter; at = at->next)
    before = at;
  if (before)
    before->next = waiter->next;
  else
    mutex->first = waiter->next;
  if (mutex->last == waiter)
    mutex->last = before;
  mutex->n_waiters--;
  ur_level_set (&mutex->queued, sim_now (task->sim), mutex->n_waiters);
}

static void mutex_sleep (Task *task, Mutex *mutex)
{
  UrLevel *level = &task->sim->count.workers_on_lock;
  gboolean worker = task->class == TASK_CLASS_WORKER;

  if (worker)
    ur_level_set (level, sim_now (task->sim), level->level + 1);
  mutex->count.sleeps++;
  task_schedule (task, UR_TIME_NEVER);
  mutex->count.slowpath_ns += task->switch_ns;
  if (worker)
    ur_level_set (level, sim_now (task->sim), level->level - 1);
}

/* What need_resched asks for is done before queueing up, not while holding a place. */
static void mutex_spun_in_vain (Task *task)
{
  if (task->cpu->need_resched) {
    task_cancel_sleep (task);
    task_yield (task);
  }
}

static void mutex_wait (Task *task, Mutex *mutex)
{
  MutexWaiter waiter = { .task = task };

  mutex_wait_lock (task, mutex, COST_RWSEM_QUEUE);
  if (mutex_try (task, mutex, FALSE)) {
    mutex->count.steals += mutex->n_waiters > 0;
    return;
  }
  mutex_add_waiter (task, mutex, &waiter);
  task_prepare_to_sleep (task);
  while (!mutex_try (task, mutex, FALSE)) {
    gboolean first;

    mutex_sleep (task, mutex);
    first = mutex->first == &waiter;
    task_prepare_to_sleep (task);
    if (mutex_try (task, mutex, first) || (first && mutex_optimistic_spin (task, mutex, TRUE)))
      break;
    if (first)
      mutex_spun_in_vain (task);
    mutex_wait_lock (task, mutex, COST_RWSEM_QUEUE);
  }
  task_cancel_sleep (task);
  mutex_remove_waiter (task, mutex, &waiter);
}

static void mutex_lock_slowpath (Task *task, Mutex *mutex)
{
  mutex->count.contended++;
  task->waits_for = "mutex";
  task->waits_on = mutex;
  while (sim_now (task->sim) < mutex->released_at) /* held by the one user so far, who is ahead of the time */
    if (task_spin (task, &mutex->count.spin_ns, mutex->released_at) == SPIN_RESCHED)
      task_yield (task);
  if (!mutex_optimistic_spin (task, mutex, FALSE)) {
    mutex_spun_in_vain (task);
    mutex_wait (task, mutex);
  }
  task->waits_for = NULL;
  sim_progress (task->sim);
}

void mutex_lock (Task *task, Mutex *mutex)
{
  UrTime wanted;

  g_assert (!mutex_is_owner (mutex, task));
  if (mutex_take_private (task, mutex))
    return;
  task_sync (task);
  mutex_share (mutex);
  wanted = sim_now (task->sim);
  if (wanted >= mutex->released_at && !mutex->owner && !mutex->n_waiters) {
    CostKey word = mutex_word (task, mutex);

    mutex_own (task, mutex);
    task_cost (task, word);
  } else {
    const ResultTask holder = lock_holder_kind (mutex->owner);

    mutex_lock_slowpath (task, mutex);
    lock_wait_ended (&mutex->count, holder, task, mutex->acquired_at - wanted);
  }
  mutex_got (mutex, wanted);
}

/* __mutex_unlock_slowpath(): there are sleepers; `handoff` as the flag was when the mutex was given up. */
static void mutex_unlock_slowpath (Task *task, Mutex *mutex, gboolean handoff)
{
  UrTime before;
  Task *next;

  mutex_wait_lock (task, mutex, COST_RWSEM_WAKE);
  if (!mutex->first)
    return;
  before = task->owed;
  next = mutex->first->task;
  if (handoff) { /* __mutex_handoff() */
    mutex->handoff = FALSE;
    mutex->pickup = TRUE;
    mutex->owner = next;
    mutex_hold (next, mutex);
    task_spin_finish (next, sim_cost (task->sim, COST_RWSEM_HANDOVER));
    osq_look (&mutex->osq, sim_cost (task->sim, COST_LOCK_TRANSFER));
  }
  task_wake (task, next);
  mutex->count.slowpath_ns += task->owed - before;
}

void mutex_unlock (Task *task, Mutex *mutex)
{
  gboolean handoff;

  if (mutex->shared)
    task_sync (task);
  g_assert (mutex_is_owner (mutex, task));
  mutex->released_at = task_now (task);
  mutex->count.hold_ns += mutex->released_at - mutex->acquired_at;
  mutex_release (task, mutex);
  handoff = mutex->handoff;
  if (!handoff) { /* with it the mutex stays taken until it is handed over */
    mutex->owner = NULL;
    if (mutex->osq.head)
      osq_look (&mutex->osq, sim_cost (task->sim, COST_RWSEM_HANDOVER));
  }
  if (mutex->n_waiters)
    mutex_unlock_slowpath (task, mutex, handoff);
}
