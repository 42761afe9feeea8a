/*
 * The fair class: which task of a run queue has the CPU.  All tasks have equal weight, so
 * vruntime is CPU time.
 *
 * Before 6.6 CFS: smallest vruntime first; a sleeper comes back with up to half a latency period of
 * credit and preempts if it leads by more than the wake-up granularity.
 *
 * From 6.6 EEVDF: of the tasks that have had no more than their share (eligible: vruntime not above the
 * average), the one with the earliest deadline; a task keeps its lag while it sleeps, and one that owes
 * time stays in the queue until it does not (delayed dequeue, 6.12); who runs keeps the CPU for its slice as
 * long as it is eligible (run to parity), so a wakee preempts only a task that has had more than its share.
 *
 * Stands for kernel/sched/fair.c: place_entity(), update_entity_lag(), entity_eligible(), pick_eevdf(),
 * check_preempt_wakeup_fair(), update_deadline(), requeue_delayed_entity() (which looks at the lag before
 * update_curr(), so that what the waker has just run does not count: seen on a running 6.18); 5.1 to 6.18.
 */
#ifndef FAIR_H
#define FAIR_H

#include "model/cpu.h"

/* The base slice: 0.75 ms x (1 + log2(CPUs), at most 4). */
UrTime   fair_slice (const Simulation *sim);
/* Adds CPU time to the current task. */
void     fair_ran (Cpu *cpu, Task *task, UrTime ran);
/* Gives a task that is about to join the queue its place on the time line. */
void     fair_place (Cpu *cpu, Task *task, EnqueueReason reason);
/* The current task goes to sleep.  TRUE: it stays in the queue, delayed. */
gboolean fair_sleeps (Cpu *cpu, Task *task);
/* A waiting task leaves for another CPU. */
void     fair_leaves (Cpu *cpu, Task *task);
/* A task on the queue, delayed or not, has had less than its share. */
gboolean fair_lag_is_positive (const Cpu *cpu, const Task *task);
/* A delayed task is woken that does not owe time any more: DELAY_ZERO, it starts even. */
void     fair_zero_lag (Cpu *cpu, Task *task);
/* Whether a task that just joined the queue takes the CPU from the current one. */
gboolean fair_preempts (Cpu *cpu, const Task *task);
/* The task to run next: from the queue, or `previous` (nullable), which still wants the CPU and is not in the queue.
 * A delayed task may come out: it has to leave the queue, and the question be asked again. */
Task    *fair_pick (Cpu *cpu, Task *previous);
/* At a tick: the current task has used up its slice and somebody waits. */
gboolean fair_slice_is_over (const Cpu *cpu);

#endif
