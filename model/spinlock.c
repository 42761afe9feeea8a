#include "model/spinlock.h"

#include "model/cpu.h"

UrTime
spinlock_hold (Task *task, Spinlock *lock, UrTime held)
{
  UrTime now = task_now (task);
  UrTime wait = lock->free_at > now ? lock->free_at - now : 0;
  UrTime took = sim_cost (task->sim, lock->last_cpu == task->cpu->id ? COST_LOCK_FAST : COST_LOCK_TRANSFER) + held;

  lock->last_cpu = task->cpu->id;
  lock->free_at = now + wait + took;
  task_account_spin (task, wait);
  task_run (task, wait + took);
  return wait + took;
}
