/* See ring.h. */
#include "model/ring.h"

#include "model/io_wq.h"
#include "model/iopoll.h"
#include "model/link.h"
#include "model/queue_owner.h"
#include "model/task_work.h"
#include "model/timeout.h"
#include "model/workqueue.h"

#define LOCAL_WORK_MAX 20u

Ring *ring_new (Simulation *sim, Application *application, const RingSetup *setup)
{
  const Policy *policy = sim->setup->policy;
  Ring *ring = g_new0 (Ring, 1);
  char name[32];
  RingSizes sizes;

  if (!ring_setup_check (setup, sim->kernel, &sizes, NULL))
    g_assert_not_reached ();
  ring->sim = sim;
  ring->id = sim->rings->len;
  g_snprintf (name, sizeof name, "uring_lock:%u", ring->id);
  mutex_init (&ring->uring_lock, name);
  ring->application = application;
  ring->flags = setup->flags;
  ring->attach = setup->attach;
  ring->sq_cpu = setup->sq_cpu;
  ring->sq_idle = setup->sq_idle ? setup->sq_idle : UR_S;
  ring->sq_entries = sizes.sq_entries;
  ring->cq_entries = sizes.cq_entries;
  ring->sq = g_new0 (Request *, ring->sq_entries);
  ring->cq = g_new0 (Request *, ring->cq_entries);
  if (setup->flags.iopoll)
    io_iopoll_init (ring);
  g_queue_init (&ring->overflow);
  g_queue_init (&ring->dropped);
  g_queue_init (&ring->defer_list);
  g_queue_init (&ring->skipped);
  g_queue_init (&ring->timeouts);
  g_queue_init (&ring->pending_async[0].list);
  g_queue_init (&ring->pending_async[1].list);
  ring->io_wq = g_new0 (IoWq *, policy->n_queues);
  ring->hash = g_new0 (IoWqHash *, policy->n_queues);
  ring->workqueue = g_new0 (Workqueue *, policy->n_queues);
  for (unsigned i = 0; i < policy->n_queues; i++) {
    if (queue_owner_is_shared (&policy->queues[i]))
      continue;
    if (policy->queues[i].kind == QUEUE_WORKQUEUE)
      ring->workqueue[i] = workqueue_new (ring, &policy->queues[i]);
    else if (sim->kernel < KERNEL (5, 12))
      ring->io_wq[i] = sim->kernel >= KERNEL (5, 6) && ring->attach && policy->queues[i].per == PER_KERNEL
                           ? io_wq_get (ring->attach->io_wq[i])
                           : io_wq_new (ring, i, NULL);
  }
  g_ptr_array_add (sim->rings, ring);
  return ring;
}

void ring_free (Ring *ring)
{
  for (unsigned i = 0; i < ring->sim->setup->policy->n_queues; i++) {
    io_wq_free (ring->io_wq[i]);
    io_wq_put_hash (ring->hash[i]);
    workqueue_free (ring->workqueue[i]);
  }
  g_free (ring->memory);
  g_free (ring->decision);
  g_free (ring->io_wq);
  g_free (ring->hash);
  g_free (ring->workqueue);
  g_free (ring->sq);
  g_free (ring->cq);
  g_free (ring);
}

void ring_sq_push (Ring *ring, Request *request)
{
  g_assert (!ring_sq_full (ring));
  ring->sq[ring->sq_tail++ & (ring->sq_entries - 1)] = request;
}

Request *ring_cq_pop (Ring *ring)
{
  if (ring->cq_head == ring->cq_tail)
    return NULL;
  if (G_UNLIKELY (ring->overflow.length) && ring->sq_thread) /* it waits for room (EBUSY) */
    task_spin_finish (ring->sq_thread, sim_cost (ring->sim, COST_SQ_LOOP));
  return ring->cq[ring->cq_head++ & (ring->cq_entries - 1)];
}

static gboolean ring_cq_full (const Ring *ring) { return ring_cq_ready (ring) == ring->cq_entries; }

gboolean ring_flush_overflow (Ring *ring)
{
  while (G_UNLIKELY (ring->overflow.length)) {
    if (ring_cq_full (ring))
      return FALSE;
    ring->cq[ring->cq_tail++ & (ring->cq_entries - 1)] = g_queue_pop_head_link (&ring->overflow)->data;
  }
  return TRUE;
}

/* req_set_fail(), kiocb_done(): whether it fails its chain; one that fails has a CQE whatever its flags. */
static void ring_note_failure (Request *request)
{
  request->failed |=
      request->result < 0 || (request->io.op <= IO_WRITE && (uint64_t) request->result < request->io.length);
  if (request->failed && (request->sqe_flags & SQE_CQE_SKIP)) {
    request->sqe_flags &= ~(unsigned) SQE_CQE_SKIP;
    request->skip_links = TRUE;
  }
  request->silent = (request->sqe_flags & SQE_CQE_SKIP) != 0;
}

void ring_fill_cqe (Task *task, Ring *ring, Request *request)
{
  Simulation *sim = ring->sim;

  request->time.posted = sim_now (sim);
  ring->in_flight--;
  ring->cq_timeouts += request->opcode == REQUEST_TIMEOUT;
  sim->count.completed++;
  sim->count.outcome[request->outcome]++;
  if (G_UNLIKELY (request->silent)) {
    g_queue_push_tail_link (&ring->skipped, &request->link);
    return;
  }
  sim_trace (task, TRACE_COMPLETE, request, 0);
  if (!ring_cq_full (ring) && !ring->overflow.length) {
    ring->cq[ring->cq_tail++ & (ring->cq_entries - 1)] = request;
    return;
  }
  sim->count.cq_overflows++;
  g_queue_push_tail_link (sim->kernel >= KERNEL (5, 5) ? &ring->overflow : &ring->dropped, &request->link);
}

/* A request and what becomes of its chain: returns the next member if one may start now. */
static Request *ring_complete (Task *task, Ring *ring, Request *request)
{
  if (G_LIKELY (!(request->sqe_flags & (SQE_LINKS | SQE_CQE_SKIP)))) {
    ring_fill_cqe (task, ring, request);
    return NULL;
  }
  ring_note_failure (request);
  ring_fill_cqe (task, ring, request);
  return io_req_find_next (task, ring, request);
}

/* __io_commit_cqring_flush(): who waited for completions. */
static void ring_committed (Task *task, Ring *ring)
{
  if (G_UNLIKELY (ring->timeouts.length))
    io_flush_timeouts (task, ring);
  if (G_UNLIKELY (ring->defer_list.length))
    io_queue_deferred (task, ring);
}

/* io_cqring_ev_posted(): who waits looks at the condition; who polls in user space sees the tail.  Before 5.16 it
 * also wakes a sq_thread that sleeps. */
static void ring_posted (Task *task, Ring *ring)
{
  if (ring->waiter && ring->waiter != task && ring_cq_ready (ring) >= ring->wait_nr)
    task_wake (task, ring->waiter);
  if (ring->need_wakeup && ring->sim->kernel < KERNEL (5, 16))
    task_wake (task, ring->sq_thread);
  if (ring->polled)
    task_spin_finish (ring->submitter, sim_cost (ring->sim, COST_APP_POLL));
  ring_committed (task, ring);
}

Request *ring_post (Task *task, Ring *ring, Request *request)
{
  Request *next;

  spinlock_hold (task, &ring->completion_lock, sim_cost (ring->sim, COST_CQE_SINGLE));
  task_sync (task);
  next = ring_complete (task, ring, request);
  ring_posted (task, ring);
  return next;
}

void ring_post_local (Task *task, Ring *ring, Request *request)
{
  Request *next;

  task_cost (task, COST_CQE_BATCH);
  task_sync (task);
  next = ring_complete (task, ring, request);
  if (task != ring->submitter) /* the sq_thread does it for somebody else */
    ring_posted (task, ring);
  else
    ring_committed (task, ring);
  io_queue_next (task, ring, next);
}

void ring_batch_add (Ring *ring, Request *request)
{
  request->work_next = NULL;
  if (ring->batch_last)
    ring->batch_last->work_next = request;
  else
    ring->batch_first = request;
  ring->batch_last = request;
  ring->batch_n++;
}

static void ring_batch_flush_once (Task *task, Ring *ring)
{
  Request *request = ring->batch_first, *next, *chain = NULL, **chain_tail = &chain;
  UrTime held = 0;

  for (unsigned i = 0; i < ring->batch_n; i++)
    held += sim_cost (ring->sim, COST_CQE_BATCH);
  if (task_work_posts (ring)) /* lock-free: only the submitter posts */
    task_run (task, held);
  else
    spinlock_hold (task, &ring->completion_lock, held);
  task_sync (task);
  ring->batch_first = ring->batch_last = NULL;
  ring->batch_n = 0;
  for (; request; request = next) {
    Request *member;

    next = request->work_next;
    member = ring_complete (task, ring, request);
    if (G_UNLIKELY (member)) {
      *chain_tail = member;
      chain_tail = &member->work_next;
      member->work_next = NULL;
    }
  }
  ring_posted (task, ring);
  for (; chain; chain = next) {
    next = chain->work_next;
    io_queue_next (task, ring, chain);
  }
}

void ring_batch_flush (Task *task, Ring *ring)
{
  while (ring->batch_first) /* what is linked may be executed at once and be the next batch */
    ring_batch_flush_once (task, ring);
}

/* How much deferred work one entry to the kernel, or one wake-up in it that wants `min` completions, runs
 * (io_run_local_work(), IO_LOCAL_TW_DEFAULT_MAX): all of it before 6.14. */
unsigned ring_local_budget (const Ring *ring, unsigned min, gboolean entry)
{
  if (!ring->flags.defer_taskrun || ring->sim->kernel < KERNEL (6, 14))
    return G_MAXUINT;
  return entry ? MAX (LOCAL_WORK_MAX, min) : min;
}

void ring_wait (Task *task, Ring *ring, unsigned min, UrTime deadline)
{
  unsigned budget = ring_local_budget (ring, min, TRUE), cq_timeouts = ring->cq_timeouts;

  task_cost (task, COST_WAIT);
  sim_trace (task, TRACE_CQRING_WAIT, NULL, min);
  ring->wait_nr = min;
  for (;;) {
    task_prepare_to_sleep_interruptible (task);
    ring->waiter = task;
    task_work_run_budget (task, ring, budget);
    ring_flush_overflow (ring);
    if (ring_cq_ready (ring) >= min || ring->cq_timeouts != cq_timeouts || sim_now (ring->sim) >= deadline)
      break;
    task->waits_for = "a completion in io_cqring_wait()";
    task_schedule (task, deadline);
    task->waits_for = NULL;
    task_cost (task, COST_WAIT_WOKEN);
    budget = ring_local_budget (ring, min, FALSE);
  }
  task_cancel_sleep (task);
  ring->waiter = NULL;
}
