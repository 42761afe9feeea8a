/*
 * task_work: what has to run in the context of the ring's owner (the submitter, or the
 * sq_thread): posting completions on DEFER_TASKRUN rings, freeing requests that a worker
 * finished (6.4+), creating workers.  Stands for io_uring/tw.c, io_req_task_work_add(),
 * io_req_local_work_add(), io_run_local_work(), io_sq_tw(), create_worker_cb().
 *
 * Notification: DEFER_TASKRUN wakes a waiter when as many items as it waits for are queued;
 * COOP_TASKRUN and the sq_thread need no interrupt; a plain ring interrupts its owner once
 * per burst (TWA_SIGNAL).
 */
#ifndef TASK_WORK_H
#define TASK_WORK_H

#include "model/io_wq.h"

/* Whether a worker hands its completions to the submitter (6.2+ on DEFER_TASKRUN rings; 6.1 does not). */
gboolean task_work_posts (const Ring *ring);
/* A completion for the submitter to post. */
void     task_work_add_completion (Task *from, Ring *ring, Request *request);
/* A request to be freed by the owner. */
void     task_work_add_free (Task *from, Ring *ring);
/* A worker to be created by `owner`, because `worker` (an IoWorker) went to sleep. */
void     task_work_add_create (Task *from, Task *owner, IoWorker *worker);
static inline gboolean task_work_pending (const Ring *ring)
{
  return ring->local_n || ring->frees || ring_owner (ring)->create_work;
}
/* Runs what is pending, at most `budget` items of the sq_thread; returns how many. */
unsigned task_work_run_budget (Task *task, Ring *ring, unsigned budget);
static inline unsigned task_work_run (Task *task, Ring *ring) { return task_work_run_budget (task, ring, G_MAXUINT); }

#endif
