/* See submit.h. */
#include "model/submit.h"

#include "model/cpu.h"
#include "model/file_io.h"
#include "model/io_wq.h"
#include "model/task_work.h"
#include "model/workqueue.h"

#include <errno.h>

/* 5.12 to 5.15 also post inline completions every so many inside a batch. */
#define IO_COMPL_BATCH 32

/* What a policy's conditions see. */
typedef struct {
  Task *task;
  Ring *ring;
  const Request *request;
  unsigned remaining;
} PolicyContext;

static double lookup_queues (const Ring *ring, PolicyVariable variable)
{
  double sum = 0;

  for (unsigned i = 0; i < ring->sim->setup->policy->n_queues; i++) {
    const IoWq *io_wq = ring->io_wq[i];
    const Workqueue *workqueue = ring->workqueue[i];

    if (variable == POLICY_QUEUE_PENDING)
      sum += io_wq ? io_wq_pending (io_wq) : workqueue_pending (workqueue);
    else if (variable == POLICY_QUEUE_RUNNING)
      sum += io_wq ? io_wq_running (io_wq) : workqueue_running (workqueue);
    else
      sum += io_wq ? io_wq_idle (io_wq) : workqueue_idle (workqueue);
  }
  return sum;
}

static double lookup_pages (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  PageCache *pages = &request->inode->pages;
  PageCount count;
  double resident = 0, dirty = 0;

  if (variable == POLICY_CACHE_DIRTY) {
    for (unsigned i = 0; i < sim->inodes->len; i++) {
      const Inode *inode = g_ptr_array_index (sim->inodes, i);

      resident += (double) inode->pages.resident;
      dirty += (double) inode->pages.dirty;
    }
    return resident > 0 ? dirty / resident : 0;
  }
  count = page_cache_count (pages, request->io.offset, request->io.length);
  return variable == POLICY_PAGE_RESIDENT ? count.missing == 0 : count.clean == 0;
}

static double lookup_request (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  const FileSystem *fs = sim->setup->file_system;

  switch (variable) {
  case POLICY_READ:
    return request->io.op == IO_READ;
  case POLICY_WRITE:
    return request->io.op == IO_WRITE;
  case POLICY_SYNC:
    return request->io.op >= IO_SYNC;
  case POLICY_BUFFERED:
    return !request->direct;
  case POLICY_DIRECT:
    return request->direct;
  case POLICY_REGULAR:
    return fs->regular;
  case POLICY_FORCE_ASYNC:
    return request->force_async;
  case POLICY_SIZE:
    return (double) request->io.length;
  case POLICY_APPEND:
    return request->io.offset + request->io.length > request->inode->size;
  case POLICY_NOWAIT:
    return kernel_range_has (fs->nowait, sim->kernel);
  case POLICY_WASYNC:
    return kernel_range_has (fs->buffer_wasync, sim->kernel);
  case POLICY_RASYNC:
    return kernel_range_has (fs->buffer_rasync, sim->kernel);
  case POLICY_DIO_PARALLEL:
    return kernel_range_has (fs->dio_parallel_write, sim->kernel);
  case POLICY_INODE_LOCKED:
    return rwsem_is_locked (&request->inode->rwsem);
  case POLICY_INODE_WAITERS:
    return rwsem_contenders (&request->inode->rwsem);
  default:
    return lookup_pages (sim, request, variable);
  }
}

static double lookup (PolicyVariable variable, void *data)
{
  const PolicyContext *context = data;
  const Ring *ring = context->ring;
  const Simulation *sim = ring->sim;

  switch (variable) {
  case POLICY_SQ_THREAD:
    return ring->sq_thread != NULL;
  case POLICY_CPU_IDLE:
    return sim->n_idle;
  case POLICY_RING_IN_FLIGHT:
    return ring->in_flight;
  case POLICY_BATCH_REMAINING:
    return context->remaining;
  case POLICY_SQ_ENTRIES:
    return ring->sq_entries;
  case POLICY_CPUS:
    return sim->n_cpus;
  case POLICY_KERNEL:
    return sim->kernel;
  case POLICY_QUEUE_PENDING:
  case POLICY_QUEUE_RUNNING:
  case POLICY_WORKERS_IDLE:
    return lookup_queues (ring, variable);
  default:
    return lookup_request (sim, context->request, variable);
  }
}

static void io_queue_async (Task *task, Ring *ring, Request *request, unsigned queue)
{
  task_cost (task, COST_PUNT);
  if (ring->io_wq[queue]) {
    io_wq_prepare (ring->io_wq[queue], request);
    request->outcome = request->hashed ? OUTCOME_PUNTED_HASHED : OUTCOME_PUNTED_UNHASHED;
    sim_trace (task, TRACE_QUEUE_ASYNC_WORK, request, 0);
    io_wq_enqueue (task, ring->io_wq[queue], request);
  } else {
    request->hashed = FALSE;
    request->outcome = OUTCOME_PUNTED_UNHASHED;
    sim_trace (task, TRACE_QUEUE_ASYNC_WORK, request, 0);
    workqueue_queue_work (task, ring->workqueue[queue], request);
  }
}

static void io_fail (Task *task, Ring *ring, Request *request, int error)
{
  request->result = -error;
  request->outcome = OUTCOME_FAILED;
  request->time.done = task_now (task);
  ring_batch_add (ring, request);
}

static void io_done_inline (Task *task, Ring *ring, Request *request, gboolean post_now)
{
  request->time.done = request->time.verdict = task_now (task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
  if (post_now)
    ring_post (task, ring, request); /* issued with issue_flags = 0: no COMPLETE_DEFER */
  else
    ring_batch_add (ring, request);
}

static void io_again (Task *task, Ring *ring, Request *request, const PolicyRule *rule)
{
  switch (rule->on_again) {
  case ON_AGAIN_QUEUE:
    io_queue_async (task, ring, request, rule->queue);
    break;
  case ON_AGAIN_FAIL:
    io_fail (task, ring, request, EAGAIN);
    break;
  case ON_AGAIN_CALLBACK:
    if (request->io.op == IO_READ) { /* io_rw_should_retry(): at once, and now locks may block */
      file_io (task, request, FALSE);
      io_done_inline (task, ring, request, FALSE);
      break;
    }
    /* fall through */
  default:
    sim_fail (ring->sim,
              g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                           "%s: rule %d: OnAgain=%s does not apply to a %s of a file", rule->origin, rule->number,
                           rule->on_again == ON_AGAIN_POLL ? "poll" : "callback", io_op_name (request->io.op)));
    io_fail (task, ring, request, EAGAIN);
  }
}

static void io_queue_sqe (Task *task, Ring *ring, Request *request, unsigned remaining)
{
  PolicyContext context = { task, ring, request, remaining };
  const PolicyRule *rule = policy_decide (ring->sim->setup->policy, lookup, &context);
  FileIoResult result = FILE_IO_AGAIN_EARLY;

  request->time.attempt = task_now (task);
  if (rule->attempt == ATTEMPT_NONBLOCK)
    result = file_io (task, request, TRUE);
  else if (rule->attempt == ATTEMPT_BLOCKING)
    result = file_io (task, request, FALSE);
  else if (rule->attempt == ATTEMPT_TRYLOCK)
    result = file_io_trylock (task, request);
  request->time.verdict = task_now (task);
  if (result == FILE_IO_DONE)
    io_done_inline (task, ring, request, rule->post_now);
  else
    io_again (task, ring, request, rule);
}

unsigned io_submit_sqes (Task *task, Ring *ring, unsigned n)
{
  Simulation *sim = ring->sim;
  unsigned submitted = 0;

  n = MIN (n, ring_sq_ready (ring));
  for (; submitted < n; submitted++) {
    Request *request = ring->sq[(ring->sq_head + submitted) & (ring->sq_entries - 1)];

    task_cost (task, COST_PREP);
    ring->in_flight++;
    sim->count.submitted++;
    sim_trace (task, TRACE_SUBMIT_REQ, request, 0);
    io_queue_sqe (task, ring, request, n - submitted - 1);
    if (ring->batch_n >= IO_COMPL_BATCH && sim->kernel >= KERNEL (5, 12) && sim->kernel < KERNEL (5, 16))
      ring_batch_flush (task, ring);
  }
  ring_batch_flush (task, ring);
  if (submitted) {
    task_sync (task);
    ring->sq_head += submitted;
    if (ring->polled) /* room in the SQ for an application that polls */
      task_spin_finish (ring->submitter, sim_cost (sim, COST_APP_POLL));
  }
  return submitted;
}

void io_uring_enter (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents)
{
  io_uring_enter_timeout (task, ring, to_submit, min_complete, getevents, UR_TIME_NEVER);
}

void io_uring_enter_timeout (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents,
                             UrTime deadline)
{
  task_enter_kernel (task);
  if (!ring->flags.defer_taskrun)
    task_work_run (task, ring);
  if (to_submit)
    io_submit_sqes (task, ring, to_submit);
  if (getevents) {
    task_sync (task);
    task_work_run_budget (task, ring, ring_local_budget (ring, min_complete, TRUE));
    if (min_complete)
      ring_wait (task, ring, min_complete, deadline);
  }
  if (!ring->flags.defer_taskrun)
    task_work_run (task, ring);
  task_return_to_user (task);
}

void io_wq_submit_work (Task *task, Request *request)
{
  Ring *ring = request->ring;

  request->time.started = task_now (task);
  sim_progress (ring->sim);
  request->time.queue_wakeup = task_wakeup_within (task, request->time.queued, request->time.started);
  file_io (task, request, FALSE);
  if (request->result < 0)
    request->outcome = OUTCOME_FAILED;
  request->time.done = task_now (task);
  if (task_work_posts (ring)) {
    task_work_add_completion (task, ring, request);
  } else {
    ring_post (task, ring, request);
    if (ring->sim->kernel >= KERNEL (6, 4))
      task_work_add_free (task, ring);
  }
}

void sim_worker_created (Simulation *sim)
{
  sim->count.workers_created++;
  sim->count.workers_alive++;
  ur_level_set (&sim->count.workers_alive_level, sim_now (sim), sim->count.workers_alive);
  sim->count.workers_max_alive = MAX (sim->count.workers_max_alive, sim->count.workers_alive);
}

void sim_worker_exited (Simulation *sim)
{
  sim->count.workers_alive--;
  ur_level_set (&sim->count.workers_alive_level, sim_now (sim), sim->count.workers_alive);
}
