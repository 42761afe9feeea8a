/* See fair.h.  Stands for kernel/sched/fair.c. */
#include "model/fair.h"

static gboolean fair_is_eevdf (const Simulation *sim) { return sim->kernel >= KERNEL (6, 6); }

UrTime fair_slice (const Simulation *sim)
{
  unsigned factor = MIN (1 + (g_bit_storage (sim->n_cpus) - 1), 4); /* sysctl_sched_tunable_scaling */

  return sim->setup->machine->slice * factor;
}

static int64_t ahead (uint64_t a, uint64_t b) { return (int64_t) (a - b); }

/* avg_vruntime(): the mean vruntime of all on the run queue, `current` (nullable) and the delayed included,
 * relative to min_vruntime; *ret_n: how many they are. */
static int64_t fair_average (const Cpu *cpu, const Task *current, unsigned *ret_n)
{
  int64_t sum = 0;
  unsigned n = 0;

  for (const Task *task = cpu->queue; task; task = task->queue_next, n++)
    sum += ahead (task->vruntime, cpu->min_vruntime);
  for (const Task *task = cpu->delayed; task; task = task->queue_next, n++)
    sum += ahead (task->vruntime, cpu->min_vruntime);
  if (current) {
    sum += ahead (current->vruntime, cpu->min_vruntime);
    n++;
  }
  *ret_n = n;
  return n ? sum / (int64_t) n : 0;
}

static int64_t fair_lag (const Cpu *cpu, const Task *current, const Task *task)
{
  unsigned n;
  int64_t limit = 2 * (int64_t) fair_slice (cpu->sim);
  int64_t lag = fair_average (cpu, current, &n) - ahead (task->vruntime, cpu->min_vruntime);

  return CLAMP (lag, -limit, limit);
}

void fair_ran (Cpu *cpu, Task *task, UrTime ran)
{
  task->vruntime += ran;
  if (ahead (task->vruntime, task->vdeadline) >= 0) { /* update_deadline() */
    task->vdeadline = task->vruntime + fair_slice (cpu->sim);
    task->slice_used = TRUE;
  }
}

static void fair_place_cfs (Cpu *cpu, Task *task, EnqueueReason reason)
{
  UrTime slice = fair_slice (cpu->sim);
  uint64_t floor = cpu->min_vruntime - 4 * slice; /* half a latency period of 8 slices */

  if (reason == ENQUEUE_FORK)
    task->vruntime = cpu->min_vruntime + slice; /* START_DEBIT */
  else if (reason == ENQUEUE_WAKEUP && ahead (task->vruntime, floor) < 0)
    task->vruntime = floor;
}

void fair_place (Cpu *cpu, Task *task, EnqueueReason reason)
{
  UrTime slice = fair_slice (cpu->sim);
  int64_t average, lag = reason == ENQUEUE_FORK ? 0 : task->vlag;
  unsigned n;

  if (!fair_is_eevdf (cpu->sim)) {
    fair_place_cfs (cpu, task, reason);
    return;
  }
  average = fair_average (cpu, cpu->current, &n);
  if (n)
    lag = lag * (int64_t) (n + 1) / (int64_t) n; /* joining moves the average */
  else
    lag = 0;
  task->vruntime = cpu->min_vruntime + (uint64_t) (average - lag);
  task->vdeadline = task->vruntime + (reason == ENQUEUE_FORK ? slice / 2 : slice);
}

gboolean fair_sleeps (Cpu *cpu, Task *task)
{
  if (!fair_is_eevdf (cpu->sim))
    return FALSE;
  task->vlag = fair_lag (cpu, task, task);
  return cpu->sim->kernel >= KERNEL (6, 12) && task->vlag < 0 && cpu->queue;
}

void fair_leaves (Cpu *cpu, Task *task) { task->vlag = fair_lag (cpu, cpu->current, task); }

gboolean fair_lag_is_positive (const Cpu *cpu, const Task *task) { return fair_lag (cpu, cpu->current, task) > 0; }

void fair_zero_lag (Cpu *cpu, Task *task)
{
  task->vlag = 0;
  fair_place (cpu, task, ENQUEUE_WAKEUP);
}

/* pick_eevdf() */
static Task *fair_pick_eevdf (const Cpu *cpu, Task *current)
{
  Task *best = NULL;
  unsigned n;
  int64_t average = fair_average (cpu, current, &n);

  if (current && ahead (current->vruntime, cpu->min_vruntime) > average)
    current = NULL;
  if (current && ahead (current->vprotected, current->vruntime) > 0)
    return current; /* RUN_TO_PARITY */
  for (unsigned list = 0; list < 2; list++)
    for (Task *task = list ? cpu->delayed : cpu->queue; task; task = task->queue_next)
      if (ahead (task->vruntime, cpu->min_vruntime) <= average &&
          (!best || ahead (task->vdeadline, best->vdeadline) < 0))
        best = task;
  if (current && (!best || ahead (current->vdeadline, best->vdeadline) <= 0))
    best = current;
  return best;
}

Task *fair_pick (Cpu *cpu, Task *previous)
{
  if (fair_is_eevdf (cpu->sim))
    return fair_pick_eevdf (cpu, previous);
  if (!cpu->queue || (previous && ahead (previous->vruntime, cpu->queue->vruntime) < 0))
    return previous;
  return cpu->queue;
}

gboolean fair_preempts (Cpu *cpu, const Task *task)
{
  int64_t granularity = (int64_t) fair_slice (cpu->sim) * 4 / 3;

  if (fair_is_eevdf (cpu->sim))
    return fair_pick_eevdf (cpu, cpu->current) == task;
  return ahead (cpu->current->vruntime, task->vruntime) > granularity;
}

gboolean fair_slice_is_over (const Cpu *cpu)
{
  const Task *task = cpu->current;

  if (fair_is_eevdf (cpu->sim))
    return task->slice_used;
  return sim_now (cpu->sim) - task->slice_since >= fair_slice (cpu->sim);
}
