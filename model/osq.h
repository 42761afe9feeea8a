/*
 * The queue of optimistic spinners (an MCS lock): first come, first served, at most one spinner per CPU, and only
 * the head looks at the lock they all want.  Who spins leaves the queue when its CPU is wanted by somebody
 * else.  Stands for kernel/locking/osq_lock.c, 5.1 to 6.18; used by rwsem.c and mutex.c.
 * Left out: that an interior spinner also leaves when the vCPU before it is preempted.
 */
#ifndef OSQ_H
#define OSQ_H

#include "model/task.h"

/* One spinner, on its stack. */
/* What is counted of a sleeping lock, in the words of `perf lock contention`; times in ns, waits from wanted to got. */
typedef struct {
  uint64_t acquired, contended, wait_total, wait_max, spin_ns, slowpath_ns, hold_ns, sleeps, handoffs, steals;
  ResultLockPair pair[RESULT_TASKS][RESULT_NOBODY];
} LockCounters;
G_STATIC_ASSERT ((int) TASK_CLASSES == (int) RESULT_NOBODY && (int) TASK_CLASS_FLUSHER == (int) RESULT_FLUSHER);

/* A wait has begun while `holder` (nullable) had the lock: the kind of the holder, for lock_wait_ended(). */
static inline ResultTask lock_holder_kind (const Task *holder) { return holder ? (ResultTask) holder->class : RESULT_NOBODY; }
static inline void lock_wait_ended (LockCounters *count, ResultTask holder, const Task *waiter, UrTime waited)
{
  count->pair[holder][waiter->class].n++;
  count->pair[holder][waiter->class].wait_ns += waited;
}

typedef struct OsqNode OsqNode;
struct OsqNode { Task *task; OsqNode *next, *prev; };

typedef struct {
  OsqNode *head, *tail; unsigned n;
  UrLevel spinning;                     /* their number over time */
} Osq;

void     osq_init (Osq *osq);
/* Joins the queue and spins until at its head: TRUE; FALSE, and out of the queue, if the CPU is wanted before that.
 * `account` (nullable) gets the time spun, ns. */
gboolean osq_lock (Task *task, Osq *osq, OsqNode *node, uint64_t *account);
/* Leaves the head; the next one has the word to itself a line transfer later. */
void     osq_unlock (Osq *osq, OsqNode *node);
/* Lets the head look at the lock again after `delay`, if there is one. */
static inline void osq_look (const Osq *osq, UrTime delay) { if (osq->head) task_spin_finish (osq->head->task, delay); }

#endif
