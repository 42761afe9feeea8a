/* See submit.h. */
#include "model/submit.h"

#include "model/cancel.h"
#include "model/cpu.h"
#include "model/file_io.h"
#include "model/iopoll.h"
#include "model/link.h"
#include "model/policy_state.h"
#include "model/queue_owner.h"
#include "model/task_work.h"
#include "model/tctx.h"
#include "model/timeout.h"
#include "model/workqueue.h"

#include <errno.h>

/* Batches of more sqes than this are plugged: IO_PLUG_THRESHOLD. */
#define PLUG_THRESHOLD 2u
/* 5.9 to 5.15 also post inline completions every so many inside a batch. */
#define IO_COMPL_BATCH 32u

/* io_comp_state of 5.9: inline completions are collected.  Before, each is posted when it is there. */
static gboolean io_collects (const Ring *ring) { return ring->sim->kernel >= KERNEL (5, 9); }

static void io_queue_async (Task *task, Ring *ring, Request *request, unsigned queue)
{
  Workqueue *workqueue;

  task_cost (task, COST_PUNT);
  request->queue = queue;
  request->inode->last_outcome = LAST_PUNTED;
  if (!(workqueue = queue_owner_workqueue (ring, queue, request->inode))) {
    IoWq *wq = queue_owner_io_wq (task, ring, queue, request->inode);

    io_wq_prepare (wq, request);
    request->outcome = request->hashed ? OUTCOME_PUNTED_HASHED : OUTCOME_PUNTED_UNHASHED;
    policy_state_told (ring, request);
    sim_trace (task, TRACE_QUEUE_ASYNC_WORK, request, 0);
    io_wq_enqueue (task, wq, request);
  } else {
    request->hashed = FALSE;
    request->outcome = OUTCOME_PUNTED_UNHASHED;
    policy_state_told (ring, request);
    sim_trace (task, TRACE_QUEUE_ASYNC_WORK, request, 0);
    workqueue_queue_work (task, workqueue, request);
  }
}

static void io_fail (Task *task, Ring *ring, Request *request, int error)
{
  request->result = -error;
  request->outcome = OUTCOME_FAILED;
  request->inode->last_outcome = LAST_FAILED;
  policy_state_told (ring, request);
  request->time.done = task_now (task);
  ring_batch_add (ring, request);
}

/* Returns the next member of its chain if that is to be issued at once: 5.5 to 5.8 (io_put_req_find_next()). */
static Request *io_done_inline (Task *task, Ring *ring, Request *request, gboolean post_now)
{
  Request *next;

  request->time.done = request->time.verdict = task_now (task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
  request->inode->last_outcome = request->result < 0 ? LAST_FAILED : LAST_INLINE;
  policy_state_told (ring, request);
  if (!post_now && io_collects (ring)) {
    ring_batch_add (ring, request);
    return NULL;
  }
  next = ring_post (task, ring, request); /* post_now: issued with issue_flags = 0, no COMPLETE_DEFER */
  if (!io_collects (ring) && ring->sim->kernel >= KERNEL (5, 5))
    return next;
  io_queue_next (task, ring, next);
  return NULL;
}

/* io_req_rw_complete(): what the file system has left to its caller (OverwriteByCaller=), then the completion. */
static void io_req_rw_complete (Task *task, Ring *ring, Request *request)
{
  request->dio_complete (task, request);
  request->time.done = task_now (task);
  ring_post_local (task, ring, request);
}

/* io_complete_rw(): the device is done with it, or the file system too; by an interrupt or a task. */
static void io_complete_rw (Request *request, Task *task, Cpu *cpu)
{
  gboolean left = !request->dio_ended; /* ->dio_complete is set */

  request->time.done = task ? task_now (task) : sim_now (request->ring->sim);
  task_work_add_done (task, cpu, request->ring, request, left ? io_req_rw_complete : NULL);
}

/* io_async_buf_retry(): the page has been read; tried once more, and queued if it is refused again. */
static void io_read_retry (Task *task, Ring *ring, Request *request)
{
  if (file_io (task, request, TRUE) != FILE_IO_DONE) {
    if (ring->sim->setup->policy->n_queues)
      io_queue_async (task, ring, request, 0);
    else
      io_fail (task, ring, request, EAGAIN);
    return;
  }
  request->time.done = task_now (task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_ASYNC;
  ring_batch_add (ring, request);
}

/* io_rw_should_retry(): at once, and now locks may block; a page that must be read is waited for by a callback. */
static Request *io_read_waitq (Task *task, Ring *ring, Request *request)
{
  request->task_work = io_read_retry;
  if (file_io_waitq (task, request) == FILE_IO_QUEUED) {
    request->outcome = OUTCOME_ASYNC;
    request->inode->last_outcome = LAST_ASYNC;
    policy_state_told (ring, request);
    return NULL;
  }
  return io_done_inline (task, ring, request, FALSE);
}

static Request *io_again (Task *task, Ring *ring, Request *request, const PolicyRule *rule)
{
  if (G_UNLIKELY (request->nowait && rule->attempt != ATTEMPT_NONE)) { /* REQ_F_NOWAIT: never punted */
    request->result = io_fixup_rw_res (request, EAGAIN);
    if (request->result > 0)
      return io_done_inline (task, ring, request, FALSE);
    io_fail (task, ring, request, EAGAIN);
    return NULL;
  }
  switch (rule->on_again) {
  case ON_AGAIN_QUEUE:
    io_queue_async (task, ring, request, rule->queue);
    break;
  case ON_AGAIN_FAIL:
    io_fail (task, ring, request, EAGAIN);
    break;
  case ON_AGAIN_CALLBACK:
    if (request->io.op == IO_READ && !request->direct)
      return io_read_waitq (task, ring, request);
    /* fall through */
  default:
    sim_fail (ring->sim,
              g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                           "%s: rule %d: OnAgain=%s does not apply to a %s of a file", rule->origin, rule->number,
                           rule->on_again == ON_AGAIN_POLL ? "poll" : "callback", io_op_name (request->io.op)));
    io_fail (task, ring, request, EAGAIN);
  }
  return NULL;
}

static FileIoResult io_attempt (Task *task, Request *request, PolicyAttempt attempt)
{
  switch (attempt) {
  case ATTEMPT_NONBLOCK:
    return file_io (task, request, TRUE);
  case ATTEMPT_BLOCKING:
    request->may_wait = TRUE;
    return file_io (task, request, request->nowait);
  case ATTEMPT_TRYLOCK:
    return file_io_trylock (task, request);
  default:
    request->again = AGAIN_NO_TRY;
    return FILE_IO_AGAIN_EARLY;
  }
}

/* io_issue_sqe() of a read, write or fsync, and what becomes of EAGAIN. */
static Request *io_issue_file (Task *task, Ring *ring, Request *request, unsigned remaining)
{
  PolicyState state = { ring, request, remaining };
  const PolicyRule *rule = policy_state_decide (&state);
  FileIoResult result;
  int error;

  request->time.attempt = task_now (task);
  if (G_UNLIKELY (ring->flags.iopoll && !request->polled)) {
    request->time.verdict = request->time.attempt;
    io_fail (task, ring, request, EOPNOTSUPP);
    return NULL;
  }
  error = file_rw_flags_error (ring->sim, request);
  if (G_UNLIKELY (error)) {
    request->time.verdict = request->time.attempt;
    io_fail (task, ring, request, error);
    return NULL;
  }
  result = io_attempt (task, request, rule->attempt);
  for (unsigned i = 0; i < rule->retries && (result == FILE_IO_AGAIN || result == FILE_IO_AGAIN_EARLY); i++)
    result = io_attempt (task, request, rule->attempt);
  request->time.verdict = task_now (task);
  if (result == FILE_IO_QUEUED) {
    request->outcome = OUTCOME_ASYNC;
    request->inode->last_outcome = LAST_ASYNC;
    policy_state_told (ring, request);
    if (G_UNLIKELY (request->polled))
      io_iopoll_req_issued (task, ring, request);
    return NULL;
  }
  if (result == FILE_IO_DONE)
    return io_done_inline (task, ring, request, rule->post_now);
  return io_again (task, ring, request, rule);
}

/* A NOP with IOSQE_ASYNC, where the policy queues such requests. */
static gboolean io_nop_is_queued (Ring *ring, Request *request, unsigned remaining, unsigned *ret_queue)
{
  PolicyState state = { ring, request, remaining };
  const PolicyRule *rule;

  if (request->opcode != REQUEST_NOP || !request->force_async)
    return FALSE;
  rule = policy_decide (ring->sim->setup->policy, policy_state_lookup, &state);
  *ret_queue = rule->queue;
  return rule->attempt == ATTEMPT_NONE && rule->on_again == ON_AGAIN_QUEUE;
}

/* io_issue_sqe() of what is on no file. */
static Request *io_issue_other (Task *task, Ring *ring, Request *request, unsigned remaining)
{
  unsigned queue;

  request->time.attempt = task_now (task);
  if (G_UNLIKELY (io_nop_is_queued (ring, request, remaining, &queue))) {
    request->time.verdict = request->time.attempt;
    request->again = AGAIN_NO_TRY;
    io_queue_async (task, ring, request, queue);
    return NULL;
  }
  switch (request->opcode) {
  case REQUEST_TIMEOUT:
    io_timeout (task, ring, request);
    return NULL;
  case REQUEST_TIMEOUT_REMOVE:
    request->result = io_timeout_cancel (task, ring, request->target);
    break;
  case REQUEST_ASYNC_CANCEL:
    request->result = io_try_cancel (task, ring, request->target);
    break;
  default:
    request->result = 0;
  }
  return io_done_inline (task, ring, request, FALSE);
}

static void io_queue_sqe (Task *task, Ring *ring, Request *request, unsigned remaining)
{
  while (request) {
    Request *timeout = G_UNLIKELY (request->chain_next != NULL) ? io_prep_linked_timeout (request) : NULL;
    const Request *issued = request;

    if (G_LIKELY (request->opcode == REQUEST_IO))
      request = io_issue_file (task, ring, request, remaining);
    else
      request = io_issue_other (task, ring, request, remaining);
    if (G_UNLIKELY (timeout != NULL)) {
      task_sync (task);
      io_queue_linked_timeout (ring, timeout, issued);
    }
  }
}

void io_queue_iowq (Task *task, Ring *ring, Request *request)
{
  PolicyState state = { ring, request, 0 };
  const PolicyRule *rule = policy_state_decide (&state);

  if (rule->on_again != ON_AGAIN_QUEUE || request->opcode != REQUEST_IO) { /* a policy that never queues it */
    /* not here: who completes the one before may be in the middle of its batch */
    io_req_task_work_add (task, NULL, ring, request, io_req_task_submit);
    return;
  }
  request->time.attempt = request->time.verdict = task_now (task);
  request->again = AGAIN_DEFERRED;
  io_queue_linked_timeout (ring, io_prep_linked_timeout (request), request);
  io_queue_async (task, ring, request, rule->queue);
}

void io_req_task_submit (Task *task, Ring *ring, Request *request)
{
  if (ring->sim->kernel < KERNEL (6, 3)) /* the flag is not looked at again */
    request->force_async = FALSE;
  io_queue_sqe (task, ring, request, 0);
}

/* The opcode's prep: what this kernel does not know, and a link timeout that is linked to nothing. */
static int io_opcode_error (const Ring *ring, const Request *request)
{
  static const unsigned since[] = { [REQUEST_TIMEOUT] = KERNEL (5, 4),
                                    [REQUEST_TIMEOUT_REMOVE] = KERNEL (5, 5),
                                    [REQUEST_LINK_TIMEOUT] = KERNEL (5, 5),
                                    [REQUEST_ASYNC_CANCEL] = KERNEL (5, 5) };

  if (ring->sim->kernel < since[request->opcode])
    return EINVAL;
  if (request->opcode == REQUEST_LINK_TIMEOUT && (!ring->link_last || ring->link_last->opcode == REQUEST_LINK_TIMEOUT))
    return EINVAL;
  return 0;
}

/* Which flags of the sqe this kernel does not know, or not together (io_init_req()). */
static int io_flags_error (const Ring *ring, const Request *request)
{
  static const struct {
    unsigned flag, since;
  } flags[] = { { SQE_DRAIN, KERNEL (5, 2) },
                { SQE_LINK, KERNEL (5, 3) },
                { SQE_HARDLINK, KERNEL (5, 5) },
                { SQE_CQE_SKIP, KERNEL (5, 17) } };

  for (unsigned i = 0; i < G_N_ELEMENTS (flags); i++)
    if ((request->sqe_flags & flags[i].flag) && ring->sim->kernel < flags[i].since)
      return EINVAL;
  return (request->sqe_flags & SQE_DRAIN) && (request->sqe_flags & SQE_CQE_SKIP) ? EOPNOTSUPP : 0;
}

/* io_init_req(): what an IOPOLL ring refuses, all but NOP, reads and writes. */
static gboolean io_is_not_polled (const Request *request)
{
  return request->opcode == REQUEST_IO ? request->io.op > IO_WRITE : request->opcode != REQUEST_NOP;
}

/* io_init_req() and the opcode's prep: TRUE if they refuse it. */
static gboolean io_prep_fails (const Ring *ring, Request *request)
{
  if (G_UNLIKELY (ring->flags.iopoll && !request->prep_error && io_is_not_polled (request)))
    request->prep_error = EINVAL;
  if (G_UNLIKELY (request->force_async && ring->sim->kernel < KERNEL (5, 6) && !request->prep_error))
    request->prep_error = EINVAL; /* IOSQE_ASYNC is not known yet */
  if (G_LIKELY (!request->prep_error && !request->sqe_flags && request->opcode == REQUEST_IO))
    return FALSE;
  if (!request->prep_error)
    request->prep_error = io_flags_error (ring, request);
  if (!request->prep_error)
    request->prep_error = io_opcode_error (ring, request);
  return request->prep_error != 0;
}

/* Preparing one sqe: a registered file is not looked up, a registered buffer not imported. */
static void io_prep_cost (Task *task, const Request *request)
{
  Simulation *sim = task->sim;
  UrTime ns = sim_cost (sim, COST_PREP), saved = 0;

  if (request->sqe_flags & SQE_FIXED_FILE)
    saved += sim_cost (sim, COST_FIXED_FILE_SAVES);
  if (request->sqe_flags & SQE_FIXED_BUFFER)
    saved += sim_cost (sim, COST_FIXED_BUFFER_SAVES);
  task_run (task, ns - MIN (ns, saved));
}

/* io_submit_sqe(): FALSE if the sqe is malformed and that is nothing for its chain to see to. */
static gboolean io_submit_sqe (Task *task, Ring *ring, Request *request, unsigned remaining)
{
  io_prep_cost (task, request);
  request->time.submitted = task_now (task);
  request->cpu = task->cpu->id;
  request->ki_complete = io_complete_rw;
  if (G_UNLIKELY (ring->flags.iopoll))
    io_iopoll_prepare (request);
  ring->in_flight++;
  request->sequence = ring->n_submitted++;
  ring->sim->count.submitted++;
  if (G_UNLIKELY (io_prep_fails (ring, request)))
    return !io_link_fail_sqe (task, ring, request);
  sim_trace (task, TRACE_SUBMIT_REQ, request, 0);
  if (G_UNLIKELY ((request->sqe_flags & (SQE_LINKS | SQE_DRAIN)) || ring->link_head || ring->drain_active))
    request = io_link_sqe (task, ring, request);
  if (request)
    io_queue_sqe (task, ring, request, remaining);
  return TRUE;
}

/* io_submit_state_end(): a chain that the batch did not end ends here. */
static void io_submit_state_end (Task *task, Ring *ring)
{
  Request *head = io_link_end (task, ring);

  if (head)
    io_queue_sqe (task, ring, head, 0);
  ring_batch_flush (task, ring);
}

/* Whether a failing sqe ends its batch: 5.1 to 5.4 went on. */
static gboolean io_failure_ends_batch (const Ring *ring)
{
  return ring->sim->kernel >= KERNEL (5, 5) && !ring->flags.submit_all;
}

int io_submit_sqes (Task *task, Ring *ring, unsigned n)
{
  Simulation *sim = ring->sim;
  unsigned submitted = 0;
  BlockPlug plug;

  if (G_UNLIKELY (ring->overflow.length) && sim->kernel < KERNEL (5, 13) && !ring_flush_overflow (ring))
    return -EBUSY;
  n = MIN (n, ring_sq_ready (ring));
  if (n > PLUG_THRESHOLD)
    block_start_plug (task, &plug);
  while (submitted < n) {
    Request *request = ring->sq[(ring->sq_head + submitted) & (ring->sq_entries - 1)];

    submitted++;
    if (!io_submit_sqe (task, ring, request, n - submitted) && io_failure_ends_batch (ring))
      break;
    if (G_UNLIKELY (sim->kernel < KERNEL (5, 16)) && ring->batch_n >= (io_collects (ring) ? IO_COMPL_BATCH : 1))
      ring_batch_flush (task, ring);
  }
  io_submit_state_end (task, ring);
  if (n > PLUG_THRESHOLD)
    block_finish_plug (task, &plug);
  if (submitted) {
    task_sync (task);
    ring->sq_head += submitted;
    if (ring->polled) /* room in the SQ for an application that polls */
      task_spin_finish (ring->submitter, sim_cost (sim, COST_APP_POLL));
  }
  return (int) submitted;
}

int io_uring_enter (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents)
{
  return io_uring_enter_timeout (task, ring, to_submit, min_complete, getevents, UR_TIME_NEVER);
}

static int io_uring_do_enter (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents,
                              UrTime deadline)
{
  int submitted = 0;

  if (ring->flags.single_issuer && task != ring->submitter && !ring->sq_thread)
    return -EEXIST;
  if (to_submit) {
    mutex_lock (task, &ring->uring_lock);
    submitted = io_submit_sqes (task, ring, to_submit);
    mutex_unlock (task, &ring->uring_lock);
    if (submitted < 0 || ((unsigned) submitted < to_submit && ring->sim->kernel >= KERNEL (5, 5)))
      return submitted;
  }
  if (getevents) {
    min_complete = MIN (min_complete, ring->cq_entries);
    task_sync (task);
    if (to_submit || !min_complete ||
        ring->flags.iopoll) /* io_run_local_work_locked(); io_cqring_wait() does it anyway */
      task_work_run_budget (task, ring, ring_local_budget (ring, min_complete, TRUE));
    if (ring->flags.iopoll && !ring->sq_thread)
      io_iopoll_check (task, ring, min_complete, deadline);
    else if (min_complete)
      ring_wait (task, ring, min_complete, deadline);
    else
      ring_flush_overflow (ring);
  }
  return submitted;
}

int io_uring_enter_timeout (Task *task, Ring *ring, unsigned to_submit, unsigned min_complete, gboolean getevents,
                            UrTime deadline)
{
  int result;

  task_enter_kernel (task);
  if (!ring->flags.defer_taskrun)
    task_work_run (task, ring);
  result = io_uring_do_enter (task, ring, to_submit, min_complete, getevents, deadline);
  if (!ring->flags.defer_taskrun)
    task_work_run (task, ring);
  task_return_to_user (task);
  return result;
}

/* The next member of a chain after one that a worker has done, from a queue of this number: work for the same io-wq. */
static Request *io_wq_linked (Task *task, Ring *ring, Request *next, unsigned queue)
{
  if (queue_owner_workqueue_peek (ring, queue, next->inode) || next->opcode != REQUEST_IO) { /* up to 5.4 */
    io_queue_next (task, ring, next);
    return NULL;
  }
  next->time.attempt = next->time.verdict = next->time.queued = task_now (task);
  next->queue = queue;
  next->chained = TRUE;
  io_queue_linked_timeout (ring, io_prep_linked_timeout (next), next);
  io_wq_prepare (queue_owner_io_wq (ring_owner (ring), ring, queue, next->inode), next);
  next->outcome = next->hashed ? OUTCOME_PUNTED_HASHED : OUTCOME_PUNTED_UNHASHED;
  return next;
}

/* io_file_get_fixed(), io_find_buf_node(): who resolves a fixed file or buffer outside uring_lock takes it.  That is a
 * worker only if nobody has tried before it, and from when on it is done at issue: files in 6.4 (as in
 * io_wq_prepare()), buffers in 6.15. */
static void io_resolve_fixed (Task *task, Ring *ring, const Request *request)
{
  unsigned late = ring->sim->kernel < KERNEL (6, 4)    ? 0
                  : ring->sim->kernel < KERNEL (6, 15) ? SQE_FIXED_FILE
                                                       : SQE_FIXED_FILE | SQE_FIXED_BUFFER;

  if (G_LIKELY (!(request->sqe_flags & late) || !request->concurrent) || request->opcode == REQUEST_NOP)
    return;
  mutex_lock (task, &ring->uring_lock);
  mutex_unlock (task, &ring->uring_lock);
}

Request *io_wq_submit_work (Task *task, Request *request)
{
  Ring *ring = request->ring;
  unsigned queue = request->queue;
  FileIoResult result;
  Request *next;

  request->time.started = task_now (task);
  sim_progress (ring->sim);
  request->time.queue_wakeup = task_wakeup_within (task, request->time.queued, request->time.started);
  io_resolve_fixed (task, ring, request);
  result = request->opcode == REQUEST_NOP ? FILE_IO_DONE : file_io (task, request, request->nowait);
  if (result == FILE_IO_QUEUED) {
    if (G_UNLIKELY (ring->flags.iopoll)) /* nobody completes it before it is on the list */
      io_iopoll_req_issued (task, ring, request);
    return NULL; /* and the request may be gone */
  }
  if (G_UNLIKELY (result != FILE_IO_DONE))
    request->result = io_fixup_rw_res (request, EAGAIN);
  if (request->result < 0)
    request->outcome = OUTCOME_FAILED;
  request->time.done = task_now (task);
  if (task_work_posts (ring)) {
    task_work_add_completion (task, ring, request);
    return NULL;
  }
  next = ring_post (task, ring, request);
  if (ring->sim->kernel >= KERNEL (6, 4))
    task_work_add_free (task, ring);
  return next ? io_wq_linked (task, ring, next, queue) : NULL;
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
