/*
 * task_work: what has to run in the context of the ring's owner (the submitter, or the
 * sq_thread): posting completions, issuing requests that waited for others (link.h), freeing requests that a worker
 * finished (6.4+), creating workers.  Stands for io_uring/tw.c and what became it: io_req_normal_work_add(),
 * io_req_local_work_add(), tctx_task_work(), io_run_local_work(), io_sq_tw(), and create_worker_cb() of io-wq.c;
 * fs/io_uring.c before 6.0; 5.7 to 6.18 (before 5.12 the list is task_work_add()'s own).
 *
 * Who is told, and how.  The task has one list for all its rings; what comes first on it notifies:
 *   plain ring       TWA_SIGNAL: an IPI if the owner runs on another CPU, a wake-up if its sleep is interruptible
 *   COOP_TASKRUN     no IPI; the wake-up all the same
 *   SQPOLL           no IPI; a sq_thread that sleeps is woken, one that polls sees it
 *   TASKRUN_FLAG     besides, IORING_SQ_TASKRUN until the work is run
 *   a new worker     TWA_SIGNAL whatever the ring, and on a list of its own
 * A DEFER_TASKRUN ring has a list of its own for completions, which only io_uring_enter(GETEVENTS) runs.  Who waits
 * there is woken by the first completion from a worker; those of direct I/O may be lazy (6.4+): they wake it when as
 * many are queued as it still wants.
 */
#ifndef TASK_WORK_H
#define TASK_WORK_H

#include "model/io_wq.h"

/* Whether a worker hands its completions to the submitter (6.2+ on DEFER_TASKRUN and IOPOLL rings; 6.1 does not). */
gboolean task_work_posts (const Ring *ring);
/* A completion for the owner to post, from a worker. */
void     task_work_add_completion (Task *from, Ring *ring, Request *request);
/* The same from an interrupt on `cpu` (direct I/O, a page that was read). */
void     task_work_add_from_interrupt (Cpu *cpu, Ring *ring, Request *request);
/* Of direct I/O, from whoever ends it: an interrupt on `cpu` (from NULL) or a task.  fn as below, or NULL. */
void     task_work_add_done (Task *from, Cpu *cpu, Ring *ring, Request *request, TaskWorkFn fn);
/* fn (owner, ring, request) is to run in the owner, who is told at once: io_req_task_work_add() of a task, or with
 * `from` NULL of an interrupt on `cpu`. */
void     io_req_task_work_add (Task *from, Cpu *cpu, Ring *ring, Request *request, TaskWorkFn fn);
/* A request to be freed by the owner. */
void     task_work_add_free (Task *from, Ring *ring);
/* A worker to be created by `owner`, because `worker` (an IoWorker) went to sleep. */
void     task_work_add_create (Task *from, Task *owner, IoWorker *worker);
static inline gboolean task_work_pending (const Ring *ring)
{
  return ring->local_n || ring->frees || ring_owner (ring)->create_work;
}
/* Runs what is on the task's list, at most `budget` items; returns how many. */
unsigned task_work_run_list (Task *task, unsigned budget);
/* Runs the rest of the task's task_work, new workers, without a budget; returns how many. */
unsigned task_work_run_generic (Task *task);
/* Runs what is pending, at most `budget` items of the sq_thread: this ring's own list, then the task's.
 * Returns how many. */
unsigned task_work_run_budget (Task *task, Ring *ring, unsigned budget);
static inline unsigned task_work_run (Task *task, Ring *ring) { return task_work_run_budget (task, ring, G_MAXUINT); }

#endif
