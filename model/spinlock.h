/*
 * A spinlock as a FIFO server (qspinlock hands over in order and nobody sleeps): the
 * wait follows from when the lock becomes free (Lindley's recursion), so it needs no event.
 * A task whose charged time has not passed yet takes the lock ahead of its time; who comes in between takes the gap.
 *
 * Stands for queued_spin_lock_slowpath() of kernel/locking/qspinlock.c, 5.1 to 6.18; used for completion_lock,
 * acct->lock, an rwsem's wait_lock, a workqueue pool's lock.
 */
#ifndef SPINLOCK_H
#define SPINLOCK_H

#include "model/task.h"

typedef struct { UrTime free_at, gap_from, gap_until; unsigned last_cpu; } Spinlock;

/* Takes the lock, holds it for `held` ns of CPU time, and releases it: all of it is charged to the
 * task.  Returns what it cost, ns: the wait (counted as spinning), the transfer of the line, and `held`. */
UrTime spinlock_hold (Task *task, Spinlock *lock, UrTime held);
/* Whether a trylock would fail now. */
gboolean spinlock_is_taken (const Task *task, const Spinlock *lock);

#endif
