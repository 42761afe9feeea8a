/*
 * The read/write semaphore of an inode (i_rwsem): a word that can be taken and stolen,
 * a queue of spinners (osq.h) of which only the head looks at the word, and a
 * FIFO list of sleepers.  Stands for kernel/locking/rwsem.c, 5.3 to 6.18, and rwsem-xadd.c, 5.1 and 5.2:
 * down_write() with rwsem_optimistic_spin() and rwsem_down_write_slowpath(), down_read()
 * with rwsem_down_read_slowpath(), up_write(), up_read(), rwsem_mark_wake(), rwsem_cond_wake_waiter().
 *
 * What changed between them:
 *   5.1, 5.2    no hand-off; writers do not spin on readers, nor on a lock that readers owned last; a release wakes
 *               readers up to the first writer, and nobody if somebody spins and wait_lock is taken
 *   from 5.3    the hand-off bit once the jiffies are past the 4 ms after queueing (4 to 8 ms at HZ=250); writers spin on
 *               readers for 10 to 25 us; a release wakes all readers (256)
 *   5.3 - 5.10  readers spin and steal too, unless a writer has spun on readers in vain since a writer had the lock
 *   from 5.4    who gets the hand-off spins on the owner
 *   from 5.11   readers do not spin; they steal if nobody holds the lock
 *   from 5.16   a writer that is woken in vain takes wait_lock before it sleeps again
 *
 * Two costs of contention, kept apart (doc/locks.md): handing the lock over is a constant;
 * the *hold* grows by Machine.kappa per contender (spinning or queued, 31 at most), because waiters
 * pull at cache lines that the holder needs: charge work inside the lock with rwsem_run().
 */
#ifndef RWSEM_H
#define RWSEM_H

#include "model/osq.h"
#include "model/spinlock.h"

typedef struct RwsemWaiter RwsemWaiter;
struct RwsemWaiter {
  Task *task;
  gboolean write, granted;              /* granted: a reader whose count was added by the waker */
  UrTime timeout;                       /* from here on it may ask for the hand-off */
  RwsemWaiter *next;
};

struct Rwsem {
  char name[32];
  Task *owner;                          /* writer */
  unsigned readers;
  gboolean handoff;                     /* reserved for the first waiter */
  /* RWSEM_NONSPINNABLE, for writers and (5.3 to 5.10) for readers: readers held it too long to spin for. */
  gboolean nonspinnable, reader_nonspinnable;
  Task *last_reader;                    /* who set the owner word last, if a reader; NULL: a writer had it since */
  RwsemWaiter *first, *last; unsigned n_waiters;
  Osq osq;
  Spinlock wait_lock;
  unsigned last_cpu;                    /* who wrote the word last */
  unsigned held_on;                     /* CPU of the last writer that owned it, plus 1; 0: nobody yet */
  gboolean elsewhere;                   /* the owner is on another CPU than the one before it */

  UrTime acquired_at;                   /* of the current hold: writer, or first of the readers */
  LockCounters count;
  UrLevel queued;
};

void     rwsem_init (Rwsem *sem, const char *name);
void     rwsem_down_write (Task *task, Rwsem *sem);
void     rwsem_down_read (Task *task, Rwsem *sem);
/* As under NOWAIT: fails on anything that is not plainly free; never waits. */
gboolean rwsem_down_write_trylock (Task *task, Rwsem *sem);
gboolean rwsem_down_read_trylock (Task *task, Rwsem *sem);
void     rwsem_up_write (Task *task, Rwsem *sem);
void     rwsem_up_read (Task *task, Rwsem *sem);
/* Charges work done while holding: ns x (1 + kappa x contenders), of which at most 31 count. */
void     rwsem_run (Task *task, const Rwsem *sem, UrTime ns);
static inline unsigned rwsem_contenders (const Rwsem *sem) { return sem->osq.n + sem->n_waiters; }
static inline gboolean rwsem_is_locked (const Rwsem *sem) { return sem->owner || sem->readers; }
/* For task.c: the owner lost its CPU or sleeps; who spins on it gives up. */
void     rwsem_owner_off_cpu (Rwsem *sem);

#endif
