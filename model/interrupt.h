/*
 * Interrupts: time taken from whoever runs on a CPU, and the inter-processor interrupts (IPIs) of wake-ups and
 * notifications.  Stands for irq_enter()/irq_exit(), the timer tick, smp_send_reschedule(), kick_process() of
 * kernel/softirq.c, kernel/sched/core.c and arch/x86 (5.1 to 6.18).
 *
 * A handler runs at once on a busy CPU, after the exit latency on an idle one, after the handler before it
 * if one is running.  It cannot be preempted.  An idle CPU goes on idling afterwards unless somebody was woken there.
 * Its time counts as irq, never as the task's or as spinning, but the scheduler charges it to the task (cpu.h).
 *
 * Who pays for an IPI.  To a busy CPU: the sender Scheduler.IpiSend, the receiver Scheduler.IpiReceive, after
 * Scheduler.IpiLatency; if the CPU has gone idle by then, it comes out of idle for it first.  To an idle CPU: all are
 * part of Scheduler.WakeRemote and Scheduler.IdleExit, and nothing is added.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include "model/cpu.h"

/* A handler (hard interrupt and softirq) of ns on `cpu`, from now on.  Returns when it is done: what it does to others
 * should be scheduled for then. */
UrTime   cpu_interrupt (Cpu *cpu, UrTime ns);
/* An IPI from `from` to a CPU that is running somebody.  The sender is charged, the receiver interrupted. */
void     cpu_send_ipi (Task *from, Cpu *cpu);
/* The same by a handler. */
void     cpu_send_ipi_from_interrupt (Cpu *from, Cpu *cpu);

/* The part of [booked, now] in which handlers ran. */
static inline UrTime cpu_irq_unbooked (const Cpu *cpu)
{
  UrTime from, until;

  if (G_LIKELY (cpu->irq_until <= cpu->booked))
    return 0;
  from = MAX (cpu->booked, cpu->irq_from);
  until = MIN (sim_now (cpu->sim), cpu->irq_until);
  return from < until ? until - from : 0;
}
/* ns of handlers up to now. */
static inline UrTime cpu_irq_time (const Cpu *cpu) { return cpu->irq + cpu_irq_unbooked (cpu); }
static inline gboolean cpu_in_interrupt (const Cpu *cpu) { return cpu->irq_until > sim_now (cpu->sim); }
/* How long they will go on. */
static inline UrTime cpu_interrupt_left (const Cpu *cpu)
{
  return cpu_in_interrupt (cpu) ? cpu->irq_until - sim_now (cpu->sim) : 0;
}

#endif
