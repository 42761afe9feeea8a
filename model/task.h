/*
 * A task: one simulated thread (application, sq_thread, worker).  Its body is
 * straight-line C on a coroutine; everything it does costs CPU time, and only the
 * task that is current on a CPU makes progress.
 *
 * Time.  task_run() charges CPU time to the task without letting it pass;
 * task_sync() lets all charged time pass.  A task calls task_sync() before it reads
 * or writes anything that others see, so costs between two such points merge into
 * one event, or into none (ur_engine_try_advance) if nobody else is due earlier.
 *
 * Sleeping follows the kernel's pattern, so that no wake-up is lost:
 *     task_prepare_to_sleep (t);  if (!condition) task_schedule (t, deadline);
 *
 * Notification (TIF_NOTIFY_SIGNAL): task_notify() asks a task to run its task_work.  It does so at its next way back to
 * user mode: at once if an interrupt finds it there, later if it is in the kernel; an interruptible sleep ends.
 *
 * Stands for task_struct, schedule(), try_to_wake_up(), cond_resched() of
 * kernel/sched/core.c, set_notify_signal() and kick_process(), exit_to_user_mode_loop() (5.1 to 6.18).
 */
#ifndef TASK_H
#define TASK_H

#include "model/cpu_mask.h"
#include "model/pelt.h"
#include "model/sim.h"

/* WORKER: of io_uring's queues; FLUSHER: kworkers of the file system, that is the flusher and dio_workqueue.h. */
typedef enum { TASK_CLASS_APP, TASK_CLASS_SQ_THREAD, TASK_CLASS_WORKER, TASK_CLASS_FLUSHER, TASK_CLASSES } TaskClass;
typedef enum { TASK_RUNNING, TASK_RUNNABLE, TASK_SLEEPING, TASK_DEAD } TaskState;
typedef enum { SPIN_DONE, SPIN_RESCHED } SpinEnd;
typedef void (*TaskBody) (Task *task, void *data);

#define TASK_RWSEMS 4                     /* rwsems one task may hold at a time */
#define NR_DIRTIED_PAUSE 32u              /* of a new task */
#define TASK_MUTEXES 4                    /* mutexes: uring_lock, sqd->lock and what is handed over meanwhile */

struct Task {
  Simulation *sim;
  char name[32];
  unsigned id;                            /* order of creation; breaks ties */
  TaskClass class;
  TaskState state;
  UrCoroutine *coroutine;
  TaskBody body; void *data;

  Cpu *cpu;                               /* runs there, waits there, or ran there last */
  int pinned;                             /* CPU number, -1: any */
  const CpuMask *allowed;                 /* (nullable: any) affinity; whoever sets it keeps it */
  gboolean user_mode;                     /* preemptible at once, as in user space */
  UrTime owed;                            /* charged, not yet passed */
  UrTime remaining;                       /* cost left over when it lost the CPU */
  UrEventHandle run_event; UrTime run_end;
  UrTime slice_since, last_ran;
  UrTime switch_ns;                       /* cost of its last switch-in */
  uint64_t vruntime, vdeadline, vprotected;   /* fair.c: CPU time had; end of the slice; keeps the CPU until then */
  int64_t vlag;                           /* what it was owed when it went to sleep */
  Pelt util;                              /* as Cpu.util */
  gboolean forked;                        /* new: how busy it will be is not known but guessed */
  gboolean slice_used, delayed;           /* delayed: asleep, but still on the run queue */

  UrTime spin_owed;                       /* of what is owed, busy-waiting */
  gboolean spinning; gboolean spin_ending; UrTime spin_since, spin_irq;   /* spin_irq: the CPU's irq time then */
  uint64_t *spin_account;                 /* (nullable) also counts the spinning, e.g. a lock's spin_ns */
  SpinEnd spin_end;

  UrTime woken_at, awake_at;              /* its last wake-up: the call; when it ran again */
  gboolean prepared;                      /* between task_prepare_to_sleep() and the sleep: a wake-up clears it */
  gboolean interruptible;                 /* this sleep: a notification ends it */
  gboolean timed_out;
  UrTime deadline; UrEventHandle timer; UrTime timer_at;

  Rwsem *holds[TASK_RWSEMS]; unsigned n_holds;
  Mutex *mutexes[TASK_MUTEXES]; unsigned n_mutexes;
  const char *waits_for; const void *waits_on;      /* for the deadlock report; waits_on: if it is "rwsem" or "mutex" */

  gboolean notify_signal;                 /* TIF_NOTIFY_SIGNAL: it has task_work to run */
  gboolean broken; UrTime rest;           /* an interrupt took it out of user mode for that; what it had left to do */
  void (*on_notify) (Task *task);         /* runs it and clears notify_signal */
  Ring *task_works;                       /* rings with work for it, linked by task_works_next */

  /* io-wq's scheduler hooks: about to sleep, running again (io_wq_worker_sleeping, io_wq_worker_running). */
  void (*on_sleeping) (Task *task);
  void (*on_running) (Task *task);
  gboolean hooked_asleep;
  GSList *create_work;                    /* task_work: of IoWorker, who ask for another one (task_work_add_create()) */
  IoUringTask *tctx;                      /* its context of io_uring (tctx.h); NULL before its first use */

  unsigned nr_dirtied, nr_dirtied_pause;  /* pages made dirty since its last pause; when to look again (writeback.h) */
  int64_t dirty_paused_when;              /* jiffies: when that pause ended */

  struct BlockPlug *plug;                 /* requests for the block device not handed over yet (nullable) */

  Task *queue_next, *queue_prev;          /* run queue of its CPU */
};

/* Reports an event in the context of `task` to SimulationSetup.trace, if somebody listens. */
static inline void sim_trace (Task *task, TraceEventKind kind, const Request *request, unsigned count)
{
  if (G_UNLIKELY (task->sim->traced))
    sim_trace_event (task, kind, request, count);
}

/* A new task, not yet runnable. `pinned` -1: any CPU. (transfer none: the simulation owns it) */
Task *task_new (Simulation *sim, const char *name, TaskClass class, int pinned, TaskBody body, void *data);
/* Makes a new task runnable; `creator` (nullable) is the task that made it: placement starts from its CPU. */
void  task_start (Task *task, Task *creator);
void  task_free (Task *task);

/* Charges CPU time. */
static inline void task_run (Task *task, UrTime ns) { task->owed += ns; }
static inline void task_cost (Task *task, CostKey key) { task->owed += sim_cost (task->sim, key); }
/* Lets the charged time pass; others may have acted when it returns. */
void  task_pass (Task *task);
static inline void task_sync (Task *task)
{
  if (task->owed)
    task_pass (task);
}
/* The task's own clock: simulated time plus what is charged. */
static inline UrTime task_now (const Task *task) { return sim_now (task->sim) + task->owed; }

/* Spins on its CPU until task_spin_end(), or until the CPU is wanted by somebody else
 * (SPIN_RESCHED; at once if it is already).  `account` (nullable) gets the time too.
 * `deadline`: SPIN_DONE at that time at the latest (UR_TIME_NEVER: none). */
SpinEnd task_spin (Task *task, uint64_t *account, UrTime deadline);
/* Ends another task's spin after `delay`; does nothing if it does not spin. */
void  task_spin_finish (Task *task, UrTime delay);
/* How long it has spun by now, interrupts excluded. */
UrTime task_spun (const Task *task);
/* Counts ns of busy-waiting that was charged with task_run(). */
void  task_account_spin (Task *task, UrTime ns);

/* set_current_state() before the condition is looked at a last time. */
void  task_prepare_to_sleep (Task *task);
/* TASK_INTERRUPTIBLE: task_notify() ends this sleep too, and it does not begin while notify_signal is set. */
void  task_prepare_to_sleep_interruptible (Task *task);
void  task_cancel_sleep (Task *task);
/* Sleeps unless it was woken since task_prepare_to_sleep().  FALSE if the deadline passed. */
gboolean task_schedule (Task *task, UrTime deadline);
/* Wakes `task`; the waker (nullable: nobody) pays.  TRUE if it slept or was about to. */
gboolean task_wake (Task *waker, Task *task);
/* The same from an interrupt on `cpu`, which is longer for it. */
gboolean task_wake_from_interrupt (Cpu *cpu, Task *task);
/* There is task_work for `task`: sets notify_signal, ends an interruptible sleep, and with `kick` sends an IPI if it
 * runs on another CPU; nothing if it was set.  By a task or an interrupt on `handler` (the other one is NULL). */
void  task_notify (Task *from, Cpu *handler, Task *task, gboolean kick);
/* How much of [from, to] its last wake-up took, from the call until it ran: ns. */
static inline UrTime task_wakeup_within (const Task *task, UrTime from, UrTime to)
{
  UrTime since = MAX (from, task->woken_at), until = MIN (to, task->awake_at);

  return since < until ? until - since : 0;
}
/* Gives the CPU away if somebody else should have it. */
void  task_cond_resched (Task *task);
/* Gives the CPU to the next in the queue, if there is one. */
void  task_yield (Task *task);
/* System call boundaries. */
void  task_enter_kernel (Task *task);
void  task_return_to_user (Task *task);
static inline gboolean task_on_cpu (const Task *task) { return task->state == TASK_RUNNING; }

/* For cpu.c: the task has the CPU from now on; it lost it. */
void  task_dispatched (Task *task, gboolean switched);
void  task_off_cpu (Task *task);
/* For interrupt.c: what it is doing takes ns longer, and an interrupt in user mode is a way to its task_work. */
void  task_delay (Task *task, UrTime ns);
/* For cpu.c: takes the CPU from a running task at once if it may be preempted here, else it notices later. */
void  task_resched (Task *task);

#endif
