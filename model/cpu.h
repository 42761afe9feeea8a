/*
 * CPUs: run queues, slices, placement, wake-up preemption, idling, interrupts.
 *
 * One run queue per CPU; who of it runs is decided in fair.c.  Stands for kernel/sched/core.c and the
 * placing half of kernel/sched/fair.c: select_task_rq_fair(), newidle_balance(), nohz_balancer_kick(); 5.1 to 6.18.
 * Placement=pack stands for guests that are booted with sched_vcpu_pack (no mainline kernel): what it does here is
 * what wake-ups traced in such a guest with Linux 6.18 did.
 * Left out: the sync wake-up (WF_SYNC; io_uring, io-wq, workqueues, locks, timers and block completion have none:
 * __wake_up(), wake_up_state(), wake_up_process(), wake_up_q()), caches shared by some CPUs only.
 *
 * An interrupt (interrupt.c) takes its time from whoever runs: the cost it interrupts ends later.  The time counts
 * as the CPU's irq time, and as run time of the interrupted task in the scheduler's eyes (its vruntime), which is the
 * kernel without CONFIG_IRQ_TIME_ACCOUNTING.
 */
#ifndef CPU_H
#define CPU_H

#include "model/pelt.h"
#include "model/task.h"

struct Cpu {
  Simulation *sim;
  unsigned id;
  unsigned node;                        /* NUMA node */
  Task *current;                        /* NULL: idle, or on its way out of idle */
  Task *queue; unsigned n_queued;       /* waiting tasks by (vruntime, id) */
  Task *delayed;                        /* asleep but still counted (fair.h) */
  uint64_t min_vruntime;
  gboolean need_resched;
  gboolean idle;                        /* nothing to run and nobody has kicked it */
  gboolean went_idle;                   /* idle, or kicked and still on its way out: its time is idle time */
  Task *last;                           /* ran here last; NULL after idling */
  UrTime idle_since; double average_idle;
  UrTime halts_at;                      /* idle: until then it polls need_resched on its way into the idle state */
  Pelt util;                            /* how busy it was lately; kept only where placement asks for it */
  UrTime exit_at; UrEventHandle exit_event;     /* kicked: when it is out of idle */
  gboolean ipi_pending;                /* one is on its way to it */
  UrTime irq_from, irq_until;           /* handlers occupy it there; what lies before `booked` is in `irq` */
  unsigned balance_failed;              /* ticks at which an idle CPU got nothing because all that waits is cache-hot */
  UrEventHandle tick;                   /* armed while somebody waits, or while it is busy if ticks cost anything */
  UrTime booked;                        /* until then its time is in the books below */
  UrTime busy[TASK_CLASSES], irq, spin, idle_time;
};

void cpus_init (Simulation *sim);
void cpus_free (Simulation *sim);
/* Closes the books at the end of the run. */
void cpus_settle (Simulation *sim);

/* May it run there? */
static inline gboolean task_allowed_on (const Task *task, unsigned cpu)
{
  return task->pinned >= 0 ? (unsigned) task->pinned % task->sim->n_cpus == cpu
                           : !task->allowed || cpu_mask_has (task->allowed, cpu);
}

/* Where a wakee goes; `waker_cpu` (nullable: an interrupt on its previous CPU). */
Cpu *cpu_select (Task *task, Cpu *waker_cpu);
typedef enum {
  ENQUEUE_WAKEUP,         /* with a sleeper's credit; may preempt */
  ENQUEUE_FORK,           /* a new task does not preempt (START_DEBIT, PLACE_DEADLINE_INITIAL) */
  ENQUEUE_MOVE,           /* moved from another CPU as it is */
} EnqueueReason;

/* Puts a task into the queue of `cpu`: kicks an idle CPU awake (it runs `delay` + idle exit later),
 * asks a busy one to reschedule if the wakee preempts: TRUE, and another CPU has to send it an IPI. */
gboolean cpu_enqueue (Cpu *cpu, Task *task, EnqueueReason reason, UrTime delay);
/* The current task is leaving: gives the CPU to the next. */
void cpu_pick_next (Cpu *cpu);
/* The current task would go on running: gives the CPU to whom it belongs now.  FALSE: the same task, and
 * nothing has changed for it. */
gboolean cpu_reschedule (Cpu *cpu);
/* The current task sleeps: it leaves the run queue, or stays on it delayed. */
void cpu_sleep_current (Cpu *cpu);
/* Wakes a delayed task where it is; TRUE as cpu_enqueue(). */
gboolean cpu_wake_delayed (Task *task);
/* Adds the time since the last call to the books: of the current task, of idleness, of interrupts. */
void cpu_account (Cpu *cpu);
/* It went idle just now and polls need_resched on its way into the idle state: no IPI is needed to wake it. */
gboolean cpu_is_polling (const Cpu *cpu);
/* For interrupt.c: an event, the CPU (data) is out of idle. */
void cpu_out_of_idle (UrEngine *engine, void *data);
/* What leaving the idle state takes now: ns, one draw. */
UrTime cpu_exit_latency (const Cpu *cpu);

#endif
