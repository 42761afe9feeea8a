/*
 * A mutex: a ring's uring_lock, the lock of an sq_thread's rings (sqd->lock).
 *
 * A word with the owner and three flags, taken by the fast path; a queue of spinners (osq.h) of which the head looks at
 * the word while the owner runs; a FIFO list of sleepers.  A release wakes the first sleeper, who competes with the
 * spinners; woken once without success he sets HANDOFF and spins himself, outside the queue, and the next
 * release gives the mutex to him directly (PICKUP): at most one wake-up is in vain.  Stands for
 * kernel/locking/mutex.c, 5.1 to 6.18 (the same rules all along): __mutex_lock_common(), __mutex_trylock_common(),
 * mutex_optimistic_spin(), __mutex_unlock_slowpath(), __mutex_handoff().
 * Left out: wait/wound mutexes, interruptible sleeps, that a spinner leaves when the owner's vCPU is preempted.
 *
 * Cost.  As long as one task only has ever wanted the mutex, taking and releasing it costs nothing and lets no time
 * pass: the two atomics on a line in the own cache are part of Ring.Prepare, Ring.TaskWork and Ring.SqThreadLoop.  The
 * owner may then be ahead of the simulated time; who comes in between waits until it has released the mutex in its
 * own time.  From the second task on the word costs Locks.Fast or Locks.Transfer, and waiting what waiting for an
 * rwsem costs (Locks.Handover, RwsemQueue, RwsemWake).
 */
#ifndef MUTEX_H
#define MUTEX_H

#include "model/osq.h"
#include "model/spinlock.h"

/* One sleeper, on its stack. */
typedef struct MutexWaiter MutexWaiter;
struct MutexWaiter { Task *task; MutexWaiter *next; };

struct Mutex {
  char name[32];
  Task *owner;
  gboolean handoff, pickup;             /* MUTEX_FLAG_HANDOFF, _PICKUP; WAITERS is n_waiters > 0 */
  MutexWaiter *first, *last; unsigned n_waiters;
  Osq osq;
  Spinlock wait_lock;
  Task *user; gboolean shared;          /* who took it first, until somebody else wants it too */
  unsigned last_cpu;                    /* who wrote the word last */

  UrTime acquired_at, released_at;      /* the current hold, the last one; may lie ahead while it is not shared */
  LockCounters count;
  UrLevel queued;
};

void     mutex_init (Mutex *mutex, const char *name);
void     mutex_lock (Task *task, Mutex *mutex);
/* Takes it if it is free, or handed over to `task`; never waits. */
gboolean mutex_trylock (Task *task, Mutex *mutex);
/* By the owner. */
void     mutex_unlock (Task *task, Mutex *mutex);
static inline gboolean mutex_is_owner (const Mutex *mutex, const Task *task)
{
  return mutex->owner == task && !mutex->pickup;
}
/* For task.c: the owner lost its CPU or sleeps; who spins on it gives up. */
void     mutex_owner_off_cpu (Mutex *mutex);

#endif
