/* See interrupt.h. */
#include "model/interrupt.h"

/* A handler of ns; after those before it, or at `start` if there are none. */
static UrTime cpu_interrupt_at (Cpu *cpu, UrTime start, UrTime ns)
{
  Simulation *sim = cpu->sim;

  if (!cpu_in_interrupt (cpu)) {
    cpu_account (cpu); /* the handlers before this one are in the books: [irq_from, irq_until] is free for it */
    cpu->irq_from = cpu->irq_until = start;
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

UrTime cpu_interrupt (Cpu *cpu, UrTime ns)
{
  UrTime start = sim_now (cpu->sim);

  if (cpu->idle && !cpu_is_polling (cpu) && !cpu_in_interrupt (cpu))
    start += cpu_exit_latency (cpu);
  else if (!cpu->idle && !cpu->current)
    start = cpu->exit_at;
  return cpu_interrupt_at (cpu, start, ns);
}

/* A CPU that has gone idle meanwhile is on its way into the halt, which the interrupt ends. */
static void ipi_arrives (UrEngine *engine, void *data)
{
  Cpu *cpu = data;
  UrTime now = sim_now (cpu->sim);

  (void) engine;
  cpu->ipi_pending = FALSE;
  cpu_interrupt_at (cpu, cpu->current ? now : MAX (now, cpu->halts_at), sim_cost (cpu->sim, COST_IPI_RECEIVE));
}

/* One that is on its way already is enough: they have one vector. */
static void cpu_ipi (Cpu *cpu, UrTime sent)
{
  Simulation *sim = cpu->sim;

  if (sim->setup->machine->ipi_latency == 0) {
    cpu_interrupt (cpu, sim_cost (sim, COST_IPI_RECEIVE));
  } else if (!cpu->ipi_pending) {
    cpu->ipi_pending = TRUE;
    ur_engine_at (sim->engine, sent + sim->setup->machine->ipi_latency, ipi_arrives, cpu);
  }
}

void cpu_send_ipi (Task *from, Cpu *cpu)
{
  UrTime sent = task_now (from);

  cpu->sim->count.ipis++;
  task_cost (from, COST_IPI_SEND);
  cpu_ipi (cpu, sent);
}

void cpu_send_ipi_from_interrupt (Cpu *from, Cpu *cpu)
{
  Simulation *sim = cpu->sim;

  sim->count.ipis++;
  cpu_interrupt (from, sim_cost (sim, COST_IPI_SEND));
  cpu_ipi (cpu, sim_now (sim));
}
