/* Tasks: see task.h.  Stands for schedule(), try_to_wake_up(), cond_resched(). */
#include "model/task.h"

#include "model/block_device.h"
#include "model/cpu.h"
#include "model/interrupt.h"
#include "model/mutex.h"
#include "model/rwsem.h"
#include "model/tctx.h"

static void task_run_done (UrEngine *engine, void *data);

static gboolean task_preemptible (const Task *task)
{
  return task->user_mode || task->sim->setup->machine->preemption == PREEMPT_FULL;
}

static void task_main (void *data)
{
  Task *task = data;

  task->body (task, task->data);
  task_sync (task);
  cpu_account (task->cpu);
  task->state = TASK_DEAD;
  task->cpu->current = NULL;
  cpu_pick_next (task->cpu);
}

Task *task_new (Simulation *sim, const char *name, TaskClass class, int pinned, TaskBody body, void *data)
{
  Task *task = g_new0 (Task, 1);

  task->sim = sim;
  g_strlcpy (task->name, name, sizeof task->name);
  task->id = sim->tasks->len;
  task->class = class;
  task->state = TASK_SLEEPING;
  task->pinned = pinned;
  task->body = body;
  task->data = data;
  task->deadline = UR_TIME_NEVER;
  task->nr_dirtied_pause = NR_DIRTIED_PAUSE;
  task->coroutine = ur_coroutine_new (sim->stacks, task_main, task);
  task->cpu = &sim->cpus[pinned >= 0 ? (unsigned) pinned % sim->n_cpus : 0];
  g_ptr_array_add (sim->tasks, task);
  return task;
}

void task_free (Task *task)
{
  ur_coroutine_free (task->coroutine);
  io_uring_task_free (task->tctx);
  g_slist_free (task->create_work);
  g_free (task);
}

void task_start (Task *task, Task *creator)
{
  Cpu *near = creator ? creator->cpu : NULL;

  if (near && task->pinned < 0)
    task->cpu = near;
  task->forked = creator || task->sim->setup->new_process;
  task->state = TASK_RUNNABLE;
  cpu_enqueue (cpu_select (task, near), task, ENQUEUE_FORK, creator ? creator->owed : 0);
}

static void task_run_done (UrEngine *engine, void *data)
{
  Task *task = data;

  (void) engine;
  task->run_event = 0;
  ur_coroutine_resume (task->coroutine);
}

/* The CPU is wanted by somebody else and may be taken here: TRUE if it was, with what is owed still to come. */
static gboolean task_preempted (Task *task)
{
  if (!task_preemptible (task))
    return FALSE;
  task->remaining = task->owed;
  task->owed = 0;
  if (cpu_reschedule (task->cpu))
    return TRUE;
  task->owed = task->remaining;
  task->remaining = 0;
  return FALSE;
}

static void task_book_spin (Task *task)
{
  task->cpu->spin += task->spin_owed;
  task->spin_owed = 0;
}

/* Lets the time until `end` pass, without an event if the clock can be moved. */
static inline void task_pass_until (Task *task, UrTime end)
{
  task->owed = 0;
  if (!ur_engine_try_advance (task->sim->engine, end)) {
    task->run_end = end;
    task->run_event = ur_engine_at (task->sim->engine, end, task_run_done, task);
    ur_coroutine_suspend (task->coroutine);
  }
  task_book_spin (task);
}

/* Lets what is owed pass. */
static void task_pass_once (Task *task)
{
  if (task->cpu->need_resched && task_preempted (task)) {
    ur_coroutine_suspend (task->coroutine);
    task_book_spin (task);
  } else {
    task_pass_until (task, task_now (task));
  }
}

/* exit_to_user_mode_loop(): the task_work of a notified task; it is in the kernel meanwhile. */
static void task_exit_to_user (Task *task)
{
  task->user_mode = FALSE;
  task_sync (task);
  while (task->notify_signal && task->on_notify) {
    task->on_notify (task);
    task_cond_resched (task);
    task_sync (task); /* before the last look, from which on interrupts are off */
  }
  task->user_mode = TRUE;
}

/* An interrupt took it out of user mode: it runs its task_work, then goes on with what is left. */
static void task_mend (Task *task)
{
  UrTime rest = task->rest;

  task->broken = FALSE;
  task->rest = 0;
  task_exit_to_user (task);
  task->owed = rest;
}

/* It has passed, but interrupts took it out of user mode meanwhile. */
static void task_mend_all (Task *task)
{
  do {
    task_mend (task);
    if (task->owed)
      task_pass_once (task);
  } while (task->broken);
}

void task_pass (Task *task)
{
  if (G_UNLIKELY (task->cpu->need_resched))
    task_pass_once (task);
  else
    task_pass_until (task, task_now (task));
  if (G_UNLIKELY (task->broken))
    task_mend_all (task);
}

/* The one timer of a task, for spins and sleeps with a deadline.  It is left armed when the
 * wait ends early and looks at the deadline when it fires: most waits never see it. */
static void task_timer_fired (UrEngine *engine, void *data)
{
  Task *task = data;

  task->timer = 0;
  if (task->deadline == UR_TIME_NEVER)
    return;
  if (task->deadline > ur_engine_now (engine)) {
    task->timer_at = task->deadline;
    task->timer = ur_engine_at (engine, task->deadline, task_timer_fired, task);
  } else if (task->state == TASK_SLEEPING) {
    task->timed_out = TRUE;
    task_wake_from_interrupt (task->cpu, task);
  } else {
    task_spin_finish (task, 0);
  }
}

static void task_arm (Task *task, UrTime deadline)
{
  UrEngine *engine = task->sim->engine;

  task->deadline = deadline;
  if (deadline == UR_TIME_NEVER || (task->timer && task->timer_at <= deadline))
    return;
  if (task->timer)
    ur_engine_cancel (engine, task->timer);
  task->timer_at = deadline;
  task->timer = ur_engine_at (engine, deadline, task_timer_fired, task);
}

static void task_level_spinning (Task *task, int change)
{
  UrLevel *level = &task->sim->count.workers_spinning;

  if (task->class == TASK_CLASS_WORKER)
    ur_level_set (level, sim_now (task->sim), level->level + change);
}

void task_account_spin (Task *task, UrTime ns) { task->spin_owed += ns; /* booked once it has passed */ }

UrTime task_spun (const Task *task)
{
  return sim_now (task->sim) - task->spin_since - (cpu_irq_time (task->cpu) - task->spin_irq);
}

SpinEnd task_spin (Task *task, uint64_t *account, UrTime deadline)
{
  UrTime spun;

  task_sync (task);
  if (task->cpu->need_resched)
    return SPIN_RESCHED;
  if (deadline <= sim_now (task->sim))
    return SPIN_DONE;
  task->spinning = TRUE;
  task->spin_ending = FALSE;
  task->spin_end = SPIN_DONE;
  task->spin_since = sim_now (task->sim);
  task->spin_irq = cpu_irq_time (task->cpu);
  task_arm (task, deadline);
  task_level_spinning (task, 1);
  ur_coroutine_suspend (task->coroutine);
  task_level_spinning (task, -1);
  task->spinning = FALSE;
  task->deadline = UR_TIME_NEVER;
  spun = task_spun (task);
  task->cpu->spin += spun;
  if (account)
    *account += spun;
  if (G_UNLIKELY (task->broken))
    task_mend (task);
  return task->spin_end;
}

static void task_spin_ends (Task *task, SpinEnd end, UrTime delay)
{
  if (!task->spinning || task->spin_ending)
    return;
  task->spin_ending = TRUE;
  task->spin_end = end;
  task->run_end = MAX (sim_now (task->sim) + delay, task->cpu->irq_until);
  task->run_event = ur_engine_at (task->sim->engine, task->run_end, task_run_done, task);
}

/* It leaves user mode when the handler is done. */
static void task_break (Task *task)
{
  UrTime handled = sim_now (task->sim) + cpu_interrupt_left (task->cpu);

  task->broken = TRUE;
  if (task->spinning) {
    task_spin_finish (task, 0);
  } else if (task->run_event) {
    ur_engine_cancel (task->sim->engine, task->run_event);
    task->rest += task->run_end - handled;
    task->run_end = handled;
    task->run_event = ur_engine_at (task->sim->engine, handled, task_run_done, task);
  }
}

void task_delay (Task *task, UrTime ns)
{
  if (task->run_event) {
    ur_engine_cancel (task->sim->engine, task->run_event);
    task->run_end += ns;
    task->run_event = ur_engine_at (task->sim->engine, task->run_end, task_run_done, task);
  } else if (!task->spinning) { /* it is the one that acts: the time passes with its next task_sync() */
    task->owed += ns;
  }
  if (task->notify_signal && task->user_mode)
    task_break (task);
}

void task_spin_finish (Task *task, UrTime delay) { task_spin_ends (task, SPIN_DONE, delay); }

void task_resched (Task *task)
{
  if (task->spinning) {
    task_spin_ends (task, SPIN_RESCHED, 0);
  } else if (task->run_event && task_preemptible (task)) {
    task->remaining = task->run_end - sim_now (task->sim) - cpu_interrupt_left (task->cpu);
    if (cpu_reschedule (task->cpu)) {
      ur_engine_cancel (task->sim->engine, task->run_event);
      task->run_event = 0;
    } else {
      task->remaining = 0;
    }
  }
}

void task_dispatched (Task *task, gboolean switched)
{
  UrTime remaining = task->remaining, delay = remaining + cpu_interrupt_left (task->cpu);

  task->state = TASK_RUNNING;
  task->slice_since = sim_now (task->sim);
  task->remaining = 0;
  task->switch_ns = 0;
  if (switched) {
    task->switch_ns = sim_cost (task->sim, COST_SWITCH);
    task->sim->count.context_switches++;
    sim_trace (task, TRACE_SCHED_SWITCH, NULL, 0);
    delay += task->switch_ns;
  }
  task->run_end = sim_now (task->sim) + delay;
  task->run_event = ur_engine_at (task->sim->engine, task->run_end, task_run_done, task);
  if (task->notify_signal && task->user_mode) { /* schedule() was on its way back to user mode */
    task->broken = TRUE;
    task->rest += remaining;
    ur_engine_cancel (task->sim->engine, task->run_event);
    task->run_end -= remaining;
    task->run_event = ur_engine_at (task->sim->engine, task->run_end, task_run_done, task);
  }
}

void task_off_cpu (Task *task)
{
  for (unsigned i = 0; i < task->n_holds; i++)
    rwsem_owner_off_cpu (task->holds[i]);
  for (unsigned i = 0; i < task->n_mutexes; i++)
    mutex_owner_off_cpu (task->mutexes[i]);
}

void task_prepare_to_sleep (Task *task)
{
  task->prepared = TRUE;
  task->interruptible = FALSE;
}

void task_prepare_to_sleep_interruptible (Task *task) { task->prepared = task->interruptible = TRUE; }

void task_cancel_sleep (Task *task) { task->prepared = FALSE; }

static void task_hook_running (Task *task)
{
  if (task->hooked_asleep && task->on_running)
    task->on_running (task);
  task->hooked_asleep = FALSE;
}

gboolean task_schedule (Task *task, UrTime deadline)
{
  Cpu *cpu;

  if (task->plug)
    block_flush_plug (task, task->sim->device); /* sched_submit_work() */
  if (task->prepared && task->on_sleeping) {
    task->hooked_asleep = TRUE;
    task->on_sleeping (task);
  }
  task_sync (task);
  if (task->interruptible && task->notify_signal) /* signal_pending_state() */
    task->prepared = FALSE;
  if (!task->prepared) { /* schedule() all the same: somebody else may have the better claim */
    task_yield (task);
    task_hook_running (task);
    return TRUE;
  }
  task->prepared = FALSE;
  task->timed_out = FALSE;
  if (deadline <= sim_now (task->sim)) {
    task_hook_running (task);
    return FALSE;
  }
  cpu = task->cpu;
  task->state = TASK_SLEEPING;
  task_arm (task, deadline);
  cpu_sleep_current (cpu);
  task_off_cpu (task);
  cpu_pick_next (cpu);
  ur_coroutine_suspend (task->coroutine);
  task->awake_at = sim_now (task->sim);
  task->deadline = UR_TIME_NEVER;
  task_hook_running (task);
  return !task->timed_out;
}

/* try_to_wake_up(): by a task, or from an interrupt on `handler` (nullable). */
static gboolean task_wake_up (Task *waker, Cpu *handler, Task *task)
{
  Simulation *sim = task->sim;
  Cpu *near = waker ? waker->cpu : handler, *cpu = task->cpu;
  gboolean kick = FALSE, resched;
  UrTime cost, delay;

  if (task->state != TASK_SLEEPING) {
    if (!task->prepared)
      return FALSE;
    task->prepared = FALSE; /* it was about to: it will not sleep */
    if (waker)
      task_cost (waker, COST_WAKE_LOCAL);
    return TRUE;
  }
  sim->count.wakeups++;
  sim_trace (task, TRACE_SCHED_WAKEUP, NULL, 0);
  task->woken_at = waker ? task_now (waker) : sim_now (sim);
  if (!task->delayed) {
    cpu = cpu_select (task, near);
    kick = cpu->idle && cpu != near && !cpu_is_polling (cpu);
  }
  sim->count.ipis += kick;
  cost = sim_cost (sim, kick ? COST_WAKE_REMOTE : COST_WAKE_LOCAL);
  if (waker)
    task_run (waker, cost);
  delay = waker ? waker->owed : handler ? cpu_interrupt (handler, cost) - sim_now (sim) : 0;
  task->state = TASK_RUNNABLE;
  resched = task->delayed ? cpu_wake_delayed (task) : cpu_enqueue (cpu, task, ENQUEUE_WAKEUP, delay);
  if (resched && waker && cpu != near)
    cpu_send_ipi (waker, cpu);
  return TRUE;
}

gboolean task_wake (Task *waker, Task *task) { return task_wake_up (waker, NULL, task); }

gboolean task_wake_from_interrupt (Cpu *cpu, Task *task) { return task_wake_up (NULL, cpu, task); }

void task_notify (Task *from, Cpu *handler, Task *task, gboolean kick)
{
  if (task->notify_signal)
    return;
  task->notify_signal = TRUE;
  if (task->interruptible && (task->state == TASK_SLEEPING || task->prepared))
    task_wake_up (from, handler, task);
  else if (kick && from && task_on_cpu (task) && task->cpu != from->cpu)
    cpu_send_ipi (from, task->cpu);
  else if (handler && task->cpu->current == task) { /* the handler's own CPU: it is on its way back to user mode */
    if (task->cpu == handler)
      cpu_interrupt (handler, 0);
    else if (kick)
      cpu_send_ipi_from_interrupt (handler, task->cpu);
  }
}

void task_yield (Task *task)
{
  Cpu *cpu;

  task_sync (task);
  cpu = task->cpu;
  if (cpu->n_queued == 0)
    cpu->need_resched = FALSE;
  else if (cpu_reschedule (cpu))
    ur_coroutine_suspend (task->coroutine);
}

void task_cond_resched (Task *task)
{
  if (task->cpu->need_resched)
    task_yield (task);
}

void task_enter_kernel (Task *task)
{
  task->user_mode = FALSE;
  task_cost (task, COST_SYSCALL);
}

void task_return_to_user (Task *task)
{
  task_cond_resched (task);
  if (task->notify_signal)
    task_exit_to_user (task);
  task->user_mode = TRUE;
}
