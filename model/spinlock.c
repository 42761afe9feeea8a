/* See spinlock.h. */
#include "model/spinlock.h"

#include "model/cpu.h"

UrTime spinlock_hold (Task *task, Spinlock *lock, UrTime held)
{
  UrTime now = task_now (task), wait;
  UrTime took = sim_cost (task->sim, lock->last_cpu == task->cpu->id ? COST_LOCK_FAST : COST_LOCK_TRANSFER) + held;

  lock->last_cpu = task->cpu->id;
  if (MAX (now, lock->gap_from) + took <= lock->gap_until) {
    wait = lock->gap_from > now ? lock->gap_from - now : 0;
    lock->gap_from = now + wait + took;
  } else {
    wait = lock->free_at > now ? lock->free_at - now : 0;
    if (wait == 0 && task->owed) { /* taken ahead of its time: until then others may have it */
      lock->gap_from = lock->free_at;
      lock->gap_until = now;
    }
    lock->free_at = now + wait + took;
  }
  task_account_spin (task, wait);
  task_run (task, wait + took);
  return wait + took;
}

gboolean spinlock_is_taken (const Task *task, const Spinlock *lock)
{
  UrTime now = task_now (task);

  return now < lock->free_at && !(now >= lock->gap_from && now < lock->gap_until);
}
