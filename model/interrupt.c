/* See interrupt.h. */
#include "model/interrupt.h"

UrTime cpu_interrupt (Cpu *cpu, UrTime ns)
{
  Simulation *sim = cpu->sim;
  UrTime now = sim_now (sim);

  if (!cpu_in_interrupt (cpu)) {
    cpu_account (cpu); /* the handlers before this one are in the books: [irq_from, irq_until] is free for it */
    cpu->irq_from = now;
    if (cpu->idle && !cpu_is_polling (cpu))
      cpu->irq_from += cpu_exit_latency (cpu);
    else if (!cpu->idle && !cpu->current)
      cpu->irq_from = cpu->exit_at;
    cpu->irq_until = cpu->irq_from;
  }
  cpu->irq_until += ns;
  if (cpu->current) {
    task_delay (cpu->current, ns);
  } else if (cpu->exit_event) { /* on its way out of idle: who waits there comes after the handler */
    ur_engine_cancel (sim->engine, cpu->exit_event);
    cpu->exit_at = MAX (cpu->exit_at, cpu->irq_until);
    cpu->exit_event = ur_engine_at (sim->engine, cpu->exit_at, cpu_out_of_idle, cpu);
  }
  return cpu->irq_until;
}

void cpu_send_ipi (Task *from, Cpu *cpu)
{
  Simulation *sim = cpu->sim;

  sim->count.ipis++;
  task_cost (from, COST_IPI_SEND);
  cpu_interrupt (cpu, sim_cost (sim, COST_IPI_RECEIVE));
}

void cpu_send_ipi_from_interrupt (Cpu *from, Cpu *cpu)
{
  Simulation *sim = cpu->sim;

  sim->count.ipis++;
  cpu_interrupt (from, sim_cost (sim, COST_IPI_SEND));
  cpu_interrupt (cpu, sim_cost (sim, COST_IPI_RECEIVE));
}
