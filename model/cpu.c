/* CPUs: see cpu.h.  Stands for kernel/sched/fair.c and idle. */
#include "model/cpu.h"

#include "model/fair.h"
#include "model/interrupt.h"

/* A task that ran less than this ago is cache-hot and is not pulled to another CPU: sysctl_sched_migration_cost. */
#define MIGRATION_COST (500 * UR_US)
/* Balance passes that respect that before one does not: sched_domain.cache_nice_tries. */
#define CACHE_NICE_TRIES 1
/* A CPU that usually idles shorter than this does not look for work elsewhere when it
 * goes idle: sysctl_sched_migration_cost up to 5.15, the measured cost of a balance pass (some us) later. */
#define NEWIDLE_COST_OLD MIGRATION_COST
#define NEWIDLE_COST_NEW (20 * UR_US)

void cpus_init (Simulation *sim)
{
  sim->cpus = g_new0 (Cpu, sim->n_cpus);
  sim->n_idle = sim->n_cpus;
  for (unsigned i = 0; i < sim->n_cpus; i++) {
    sim->cpus[i].sim = sim;
    sim->cpus[i].id = i;
    sim->cpus[i].node = i * sim->n_nodes / sim->n_cpus;
    sim->cpus[i].idle = sim->cpus[i].went_idle = TRUE;
    sim->cpus[i].average_idle = 2.0 * MIGRATION_COST;
  }
}

void cpus_free (Simulation *sim) { g_free (sim->cpus); }

static int64_t vruntime_after (uint64_t a, uint64_t b) { return (int64_t) (a - b); }

static void cpu_update_min_vruntime (Cpu *cpu)
{
  uint64_t floor;

  if (cpu->current && cpu->queue)
    floor = vruntime_after (cpu->current->vruntime, cpu->queue->vruntime) < 0 ? cpu->current->vruntime
                                                                              : cpu->queue->vruntime;
  else if (cpu->current)
    floor = cpu->current->vruntime;
  else if (cpu->queue)
    floor = cpu->queue->vruntime;
  else
    return;
  if (vruntime_after (floor, cpu->min_vruntime) > 0)
    cpu->min_vruntime = floor;
}

static gboolean cpu_packs (const Simulation *sim) { return sim->setup->machine->placement == PLACEMENT_PACK; }

/* For as long as `task` (nullable) has been the current one. */
static void cpu_update_util (Cpu *cpu, Task *task, UrTime since)
{
  UrTime now = sim_now (cpu->sim);

  pelt_update (&cpu->util, now, task != NULL);
  if (task) {
    pelt_update (&task->util, MAX (since, task->util.at), FALSE);
    pelt_update (&task->util, now, TRUE);
  }
}

void cpu_account (Cpu *cpu)
{
  Task *task = cpu->current;
  UrTime now = sim_now (cpu->sim), passed = now - cpu->booked, irq = cpu_irq_unbooked (cpu);

  if (cpu_packs (cpu->sim))
    cpu_update_util (cpu, task, cpu->booked);
  cpu->booked = now;
  cpu->irq += irq;
  if (!task) {
    cpu->idle_time += passed - irq;
    return;
  }
  fair_ran (cpu, task, passed);
  cpu->busy[task->class] += passed - irq;
  cpu_update_min_vruntime (cpu);
}

static void queue_insert (Cpu *cpu, Task *task)
{
  Task *before = NULL, *at = cpu->queue;

  while (at &&
         (vruntime_after (at->vruntime, task->vruntime) < 0 || (at->vruntime == task->vruntime && at->id < task->id))) {
    before = at;
    at = at->queue_next;
  }
  task->queue_prev = before;
  task->queue_next = at;
  if (at)
    at->queue_prev = task;
  if (before)
    before->queue_next = task;
  else
    cpu->queue = task;
  cpu->n_queued++;
}

static void queue_remove (Cpu *cpu, Task *task)
{
  if (task->queue_prev)
    task->queue_prev->queue_next = task->queue_next;
  else
    cpu->queue = task->queue_next;
  if (task->queue_next)
    task->queue_next->queue_prev = task->queue_prev;
  task->queue_next = task->queue_prev = NULL;
  cpu->n_queued--;
}

static unsigned cpu_load (const Cpu *cpu) { return cpu->n_queued + (cpu->current ? 1 : 0); }

static void cpu_arm_tick (Cpu *cpu);
static gboolean cpu_ticks_cost (const Cpu *cpu) { return cpu->sim->setup->machine->cost[COST_TICK_WORK].ns > 0; }

/* vruntimes are relative to their CPU's minimum: carry the difference over. */
static void cpu_adopt (Cpu *cpu, Task *task)
{
  if (task->cpu != cpu) {
    if (cpu_packs (cpu->sim)) {
      cpu_account (task->cpu);
      cpu_account (cpu);
      pelt_move (&task->util, &task->cpu->util, &cpu->util, sim_now (cpu->sim));
    }
    task->vruntime += cpu->min_vruntime - task->cpu->min_vruntime;
    task->cpu = cpu;
  }
}

gboolean cpu_is_polling (const Cpu *cpu) { return cpu->idle && sim_now (cpu->sim) < cpu->halts_at; }

UrTime cpu_exit_latency (const Cpu *cpu)
{
  Simulation *sim = cpu->sim;
  UrTime since = MAX (cpu->idle_since, cpu->irq_until);
  gboolean deep = sim_now (sim) - since >= sim->setup->machine->idle_deep_after;

  return sim_cost (sim, deep ? COST_IDLE_EXIT_DEEP : COST_IDLE_EXIT);
}

void cpu_out_of_idle (UrEngine *engine, void *data)
{
  Cpu *cpu = data;

  (void) engine;
  cpu->exit_event = 0;
  cpu_pick_next (cpu);
}

static void cpu_kick (Cpu *cpu, UrTime delay)
{
  Simulation *sim = cpu->sim;
  UrTime now = sim_now (sim), idled = now - cpu->idle_since;
  gboolean polling = cpu_is_polling (cpu);

  cpu->idle = FALSE;
  sim->n_idle--;
  cpu->average_idle += (MIN ((double) idled, 2.0 * MIGRATION_COST) - cpu->average_idle) / 8;
  if (polling)
    cpu->exit_at = MAX (MAX (now + delay, cpu->halts_at), cpu->irq_until) + sim_cost (sim, COST_IDLE_RETURN);
  else if (cpu_in_interrupt (cpu)) /* it is awake, or about to be: it goes on when the handler is done */
    cpu->exit_at = MAX (now + delay, cpu->irq_until);
  else
    cpu->exit_at = now + delay + cpu_exit_latency (cpu);
  cpu->exit_event = ur_engine_at (sim->engine, cpu->exit_at, cpu_out_of_idle, cpu);
}

static gboolean cpu_check_preempt (Cpu *cpu, const Task *task)
{
  if (cpu->need_resched || !fair_preempts (cpu, task))
    return FALSE;
  cpu->need_resched = TRUE;
  task_resched (cpu->current);
  return TRUE;
}

gboolean cpu_enqueue (Cpu *cpu, Task *task, EnqueueReason reason, UrTime delay)
{
  cpu_adopt (cpu, task);
  cpu_account (cpu);
  if (reason == ENQUEUE_FORK && cpu_packs (cpu->sim) && task->forked)
    pelt_fork (&task->util, &cpu->util, sim_now (cpu->sim));
  fair_place (cpu, task, reason);
  queue_insert (cpu, task);
  if (cpu->idle) {
    cpu_kick (cpu, delay);
  } else if (cpu->current) {
    cpu_arm_tick (cpu);
    if (reason == ENQUEUE_WAKEUP)
      return cpu_check_preempt (cpu, task);
  }
  return FALSE;
}

static void list_remove (Task **list, Task *task)
{
  while (*list != task)
    list = &(*list)->queue_next;
  *list = task->queue_next;
  task->queue_next = task->queue_prev = NULL;
}

void cpu_sleep_current (Cpu *cpu)
{
  Task *task = cpu->current;

  cpu_account (cpu);
  task->last_ran = sim_now (cpu->sim);
  task->delayed = fair_sleeps (cpu, task);
  cpu->current = NULL;
  if (task->delayed) {
    task->queue_next = cpu->delayed;
    cpu->delayed = task;
  }
}

static void cpu_drop_delayed (Cpu *cpu, Task *task)
{
  list_remove (&cpu->delayed, task);
  task->delayed = FALSE;
  task->vlag = 0; /* it has slept off what it owed */
}

gboolean cpu_wake_delayed (Task *task)
{
  Cpu *cpu = task->cpu;
  gboolean zero;

  zero = fair_lag_is_positive (cpu, task); /* before update_curr(): with what the current task had when last counted */
  cpu_account (cpu);
  list_remove (&cpu->delayed, task);
  task->delayed = FALSE;
  if (zero)
    fair_zero_lag (cpu, task);
  queue_insert (cpu, task);
  if (!cpu->current)
    return FALSE;
  cpu_arm_tick (cpu);
  return cpu_check_preempt (cpu, task);
}

/* An idle CPU on which the task may run. */
static Cpu *cpu_find_idle (const Task *task, unsigned from)
{
  Simulation *sim = task->sim;

  for (unsigned i = 0; sim->n_idle && i < sim->n_cpus; i++) {
    Cpu *cpu = &sim->cpus[(from + i) % sim->n_cpus];

    if (cpu->idle && task_allowed_on (task, cpu->id))
      return cpu;
  }
  return NULL;
}

/* The CPU with the shortest queue on which the task may run, the next after its last one first.  An affinity that no
 * online CPU is in counts for nothing: select_fallback_rq(). */
static Cpu *cpu_fallback (const Task *task)
{
  Simulation *sim = task->sim;
  Cpu *best = NULL;

  for (unsigned i = 0; i < sim->n_cpus; i++) {
    Cpu *cpu = &sim->cpus[(task->cpu->id + i) % sim->n_cpus];

    if (task_allowed_on (task, cpu->id) && (!best || cpu_load (cpu) < cpu_load (best)))
      best = cpu;
  }
  return best ? best : task->cpu;
}

/* Placement=pack: the waker's CPU was not so busy lately that it could not serve the wakee as well. */
static gboolean cpu_has_room (const Cpu *cpu, const Task *task)
{
  UrTime now = sim_now (cpu->sim);
  Pelt util = cpu->util;

  pelt_update (&util, now, cpu->current != NULL);
  if (task->cpu != cpu)
    util.util += pelt_util (&task->util, now);
  return util.util < cpu->sim->setup->machine->pack_room;
}

Cpu *cpu_select (Task *task, Cpu *waker_cpu)
{
  Simulation *sim = task->sim;
  Cpu *previous = task->cpu, *idle;

  if (task->pinned >= 0)
    return &sim->cpus[(unsigned) task->pinned % sim->n_cpus];
  if (task->allowed) {
    if (!task_allowed_on (task, previous->id))
      previous = cpu_fallback (task);
    if (waker_cpu && !task_allowed_on (task, waker_cpu->id))
      waker_cpu = NULL;
  }
  if (cpu_packs (sim) && waker_cpu && cpu_has_room (waker_cpu, task))
    return waker_cpu;
  if (previous->idle)
    return previous;
  idle = cpu_find_idle (task, previous->id + 1);
  if (idle)
    return idle;
  return waker_cpu && cpu_load (waker_cpu) < cpu_load (previous) ? waker_cpu : previous;
}

static gboolean task_can_move (const Task *task)
{
  return task->pinned < 0 && sim_now (task->sim) - task->last_ran >= MIGRATION_COST;
}

/* The first that may move, to CPU `to` if that is given. */
static Task *cpu_movable (const Cpu *cpu, const Cpu *to)
{
  Task *task = cpu->queue;

  while (task && !(task_can_move (task) && (!to || task_allowed_on (task, to->id))))
    task = task->queue_next;
  return task;
}

/* Out of the queue for another CPU, with what it is owed. */
static void cpu_take (Cpu *from, Task *task)
{
  fair_leaves (from, task);
  queue_remove (from, task);
}

/* A CPU with nothing left to run takes a waiting task from the longest queue. */
static void cpu_newidle_balance (Cpu *cpu)
{
  Simulation *sim = cpu->sim;
  UrTime least = sim->kernel < KERNEL (5, 16) ? NEWIDLE_COST_OLD : NEWIDLE_COST_NEW;
  Cpu *busiest = NULL;
  Task *task;

  if (cpu->average_idle < (double) least)
    return;
  for (unsigned i = 0; i < sim->n_cpus; i++) {
    Cpu *other = &sim->cpus[i];

    if (other != cpu && other->current && other->n_queued && (!busiest || other->n_queued > busiest->n_queued) &&
        cpu_movable (other, cpu))
      busiest = other;
  }
  if (!busiest)
    return;
  task = cpu_movable (busiest, cpu);
  cpu_take (busiest, task);
  cpu_adopt (cpu, task);
  fair_place (cpu, task, ENQUEUE_MOVE);
  queue_insert (cpu, task);
}

/* Who is to run; `previous` still wants to.  Delayed tasks that are picked have slept off their debt: they go. */
static Task *cpu_choose (Cpu *cpu, Task *previous)
{
  Task *task;

  while ((task = fair_pick (cpu, previous)) && task->delayed)
    cpu_drop_delayed (cpu, task);
  return task;
}

static void cpu_run (Cpu *cpu, Task *task)
{
  cpu->current = task;
  task->vprotected = task->vdeadline;
  task->slice_used = FALSE;
  task_dispatched (task, task != cpu->last);
  cpu->last = task;
  if (cpu->n_queued || cpu_ticks_cost (cpu))
    cpu_arm_tick (cpu);
  cpu_update_min_vruntime (cpu);
}

gboolean cpu_reschedule (Cpu *cpu)
{
  Task *previous = cpu->current, *next;

  cpu_account (cpu);
  cpu->need_resched = FALSE;
  next = cpu_choose (cpu, previous);
  if (next == previous) {
    previous->slice_used = FALSE;
    previous->slice_since = sim_now (cpu->sim);
    previous->vprotected = previous->vdeadline;
    return FALSE;
  }
  previous->state = TASK_RUNNABLE;
  previous->last_ran = sim_now (cpu->sim);
  cpu->current = NULL;
  queue_remove (cpu, next);
  queue_insert (cpu, previous);
  task_off_cpu (previous);
  cpu_run (cpu, next);
  return TRUE;
}

/* Part of the way out of idle, the tick's restart, counts as run time of who comes in. */
static void cpu_util_of_return (Cpu *cpu, Task *task)
{
  UrTime ns = cpu->sim->setup->machine->cost[COST_IDLE_RETURN].ns;

  task->util.util = pelt_util (&task->util, sim_now (cpu->sim));
  task->util.at = sim_now (cpu->sim);
  pelt_credit (&task->util, ns);
  pelt_credit (&cpu->util, ns);
}

void cpu_pick_next (Cpu *cpu)
{
  Simulation *sim = cpu->sim;
  Task *task;

  cpu_account (cpu);
  if (!cpu->queue && !cpu->went_idle)
    cpu_newidle_balance (cpu);
  cpu->need_resched = FALSE;
  task = cpu_choose (cpu, NULL);
  if (!task) {
    if (!cpu->went_idle) {
      cpu->idle_since = sim_now (sim);
      cpu->halts_at = cpu->idle_since + sim->setup->machine->idle_entry;
    }
    cpu->went_idle = cpu->idle = TRUE;
    cpu->last = NULL;
    sim->n_idle++;
    if (G_UNLIKELY (sim->setup->trace != NULL))
      sim_trace_idle (sim, cpu->id);
    return;
  }
  if (cpu->went_idle && cpu_packs (sim))
    cpu_util_of_return (cpu, task);
  cpu->went_idle = FALSE;
  queue_remove (cpu, task);
  cpu_run (cpu, task);
}

/* Where a waiting task may go: an idle CPU, or one with at least two fewer. */
static Cpu *cpu_balance_target (const Cpu *cpu, const Task *task)
{
  Simulation *sim = cpu->sim;
  Cpu *to = cpu_find_idle (task, cpu->id + 1);

  for (unsigned i = 0; !to && i < sim->n_cpus; i++) {
    Cpu *other = &sim->cpus[(cpu->id + 1 + i) % sim->n_cpus];

    if (cpu_load (other) + 2 <= cpu_load (cpu) && task_allowed_on (task, other->id))
      to = other;
  }
  return to;
}

/* Evens out queues at a tick (nohz_balancer_kick(), rebalance_domains()): hot tasks move only to an idle CPU, and only
 * if others did not for some ticks. */
static void cpu_tick_balance (Cpu *cpu)
{
  Task *task;
  Cpu *to = NULL;

  for (task = cpu->queue; task; task = task->queue_next)
    if (task_can_move (task) && (to = cpu_balance_target (cpu, task)))
      break;
  if (!to) {
    for (task = cpu->queue; task; task = task->queue_next)
      if (task->pinned < 0 && (to = cpu_find_idle (task, cpu->id + 1)))
        break;
    if (to && ++cpu->balance_failed <= CACHE_NICE_TRIES)
      to = NULL;
  }
  if (!to)
    return;
  cpu->balance_failed = 0;
  cpu_take (cpu, task);
  cpu_enqueue (to, task, ENQUEUE_MOVE, 0);
}

static void cpu_tick (UrEngine *engine, void *data)
{
  Cpu *cpu = data;

  (void) engine;
  cpu->tick = 0;
  if (!cpu->current)
    return;
  if (cpu_ticks_cost (cpu)) {
    cpu_interrupt (cpu, sim_cost (cpu->sim, COST_TICK_WORK));
    cpu_arm_tick (cpu);
  }
  if (!cpu->n_queued)
    return;
  cpu_account (cpu);
  cpu_tick_balance (cpu);
  if (!cpu->n_queued)
    return;
  cpu_arm_tick (cpu);
  if (fair_slice_is_over (cpu) && !cpu->need_resched) {
    cpu->need_resched = TRUE;
    task_resched (cpu->current);
  }
}

static void cpu_arm_tick (Cpu *cpu)
{
  UrTime tick = cpu->sim->setup->machine->tick;

  if (!cpu->tick)
    cpu->tick = ur_engine_at (cpu->sim->engine, (sim_now (cpu->sim) / tick + 1) * tick, cpu_tick, cpu);
}

void cpus_settle (Simulation *sim)
{
  for (unsigned i = 0; i < sim->n_cpus; i++) {
    Cpu *cpu = &sim->cpus[i];

    cpu_account (cpu);
    if (cpu->current && cpu->current->spinning)
      cpu->spin += task_spun (cpu->current);
  }
}
