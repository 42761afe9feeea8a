/* Steps of scripts about time, sleep, CPUs and locks.  See model_fixture.h. */
#include "tests/fixture_private.h"

#include "model/interrupt.h"

/* ---- time, sleep, CPU ---- */

static void step_run (Actor *actor, const Step *step)
{
  task_run (actor->task, script_us (step->text));
  task_sync (actor->task);
}

static void step_hold (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  rwsem_run (actor->task, &fixture_inode (actor->fixture, 0)->rwsem, script_us (step->text));
  task_sync (actor->task);
}

static void step_sleep (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  task_prepare_to_sleep (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + script_us (step->text));
}

static void step_nap (Actor *actor, const Step *step)
{
  task_enter_kernel (actor->task);
  task_sync (actor->task);
  task_prepare_to_sleep_interruptible (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + script_us (step->text));
  task_return_to_user (actor->task);
  task_sync (actor->task);
}

static void step_wait (Actor *actor, const Step *step)
{
  gboolean woken;

  task_sync (actor->task);
  task_prepare_to_sleep (actor->task);
  woken = task_schedule (actor->task, actor_deadline (actor, step->text));
  if (*step->text)
    actor_log (actor, woken ? "woken" : "timeout");
}

static void step_prepare (Actor *actor, const Step *step)
{
  (void) step;
  task_prepare_to_sleep (actor->task);
}

static void step_schedule (Actor *actor, const Step *step)
{
  (void) step;
  task_schedule (actor->task, UR_TIME_NEVER);
  actor_log (actor, "back");
}

static void step_wake (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor_log (actor, task_wake (actor->task, fixture_task (actor->fixture, step->text)) ? "slept" : "awake");
}

static void step_resched (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  task_cond_resched (actor->task);
}

static void step_yield (Actor *actor, const Step *step)
{
  (void) step;
  task_yield (actor->task);
}

static void step_interrupt (Actor *actor, const Step *step)
{
  g_auto (GStrv) words = g_strsplit (step->text, ",", 3);
  Cpu *cpu = &actor->task->sim->cpus[g_ascii_strtoull (words[0], NULL, 10)];

  task_sync (actor->task);
  cpu_interrupt (cpu, script_us (words[1]));
  if (words[2])
    task_wake_from_interrupt (cpu, fixture_task (actor->fixture, words[2]));
}

static void step_user (Actor *actor, const Step *step)
{
  (void) step;
  task_return_to_user (actor->task);
}

static void step_kernel (Actor *actor, const Step *step)
{
  (void) step;
  actor->task->user_mode = FALSE;
}

static void step_spin (Actor *actor, const Step *step)
{
  SpinEnd end = task_spin (actor->task, NULL, actor_deadline (actor, step->text));

  actor_log (actor, end == SPIN_DONE ? "done" : "resched");
}

static void step_finish (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  task_spin_finish (fixture_task (actor->fixture, step->text), 0);
}

static void step_say (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor_log (actor, step->text);
}

static void step_cpu (Actor *actor, const Step *step)
{
  g_autofree char *text = g_strdup_printf ("cpu%u", actor->task->cpu->id);

  (void) step;
  task_sync (actor->task);
  actor_log (actor, text);
}

/* To another CPU, as a balancer would: the task is pinned to it and goes to sleep for a moment. */
static void step_move (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor->task->pinned = (int) step_number (step);
  task_prepare_to_sleep (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + 1);
}

static void step_repeat (Actor *actor, const Step *step)
{
  if (actor->repeated++ < step_number (step))
    actor->at = 0;
}

/* ---- locks ---- */

static Rwsem *lock_of (Actor *actor, const Step *step)
{
  return &fixture_inode (actor->fixture, step_number (step))->rwsem;
}

static void step_write (Actor *actor, const Step *step)
{
  rwsem_down_write (actor->task, lock_of (actor, step));
  actor_log (actor, "write");
}

static void step_read (Actor *actor, const Step *step)
{
  rwsem_down_read (actor->task, lock_of (actor, step));
  actor_log (actor, "read");
}

static void step_trywrite (Actor *actor, const Step *step)
{
  actor_log (actor, rwsem_down_write_trylock (actor->task, lock_of (actor, step)) ? "got" : "busy");
}

static void step_tryread (Actor *actor, const Step *step)
{
  actor_log (actor, rwsem_down_read_trylock (actor->task, lock_of (actor, step)) ? "got" : "busy");
}

static void step_unlock (Actor *actor, const Step *step)
{
  Rwsem *sem = lock_of (actor, step);

  if (sem->owner == actor->task)
    rwsem_up_write (actor->task, sem);
  else
    rwsem_up_read (actor->task, sem);
}

static Mutex *mutex_of (Actor *actor, const Step *step)
{
  g_assert (step_number (step) < FIXTURE_MUTEXES);
  return &actor->fixture->mutex[step_number (step)];
}

static void step_mutex (Actor *actor, const Step *step)
{
  mutex_lock (actor->task, mutex_of (actor, step));
  actor_log (actor, "mutex");
}

static void step_trymutex (Actor *actor, const Step *step)
{
  actor_log (actor, mutex_trylock (actor->task, mutex_of (actor, step)) ? "got" : "busy");
}

static void step_release (Actor *actor, const Step *step) { mutex_unlock (actor->task, mutex_of (actor, step)); }

const StepKind fixture_cpu_steps[] = {
  { "run", step_run },
  { "hold", step_hold },
  { "sleep", step_sleep },
  { "nap", step_nap },
  { "wait", step_wait },
  { "prepare", step_prepare },
  { "schedule", step_schedule },
  { "wake", step_wake },
  { "resched", step_resched },
  { "yield", step_yield },
  { "interrupt", step_interrupt },
  { "user", step_user },
  { "kernel", step_kernel },
  { "spin", step_spin },
  { "finish", step_finish },
  { "say", step_say },
  { "cpu", step_cpu },
  { "move", step_move },
  { "repeat", step_repeat },
  { "write", step_write },
  { "read", step_read },
  { "trywrite", step_trywrite },
  { "tryread", step_tryread },
  { "unlock", step_unlock },
  { "mutex", step_mutex },
  { "trymutex", step_trymutex },
  { "release", step_release },
  { NULL, NULL },
};
