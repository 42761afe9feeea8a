/* See workqueue.h. */
#include "model/workqueue.h"

#include "model/cpu.h"
#include "model/submit.h"

/* 8 readahead windows of 128 KiB. */
#define ASYNC_RUN_BYTES (8 * 32 * (uint64_t) PAGE_SIZE_BYTES)

typedef struct PoolWorkqueue PoolWorkqueue;
typedef struct Kworker Kworker;
struct Kworker {
  WorkerPool *pool;
  Task *task;
  Kworker *idle_next, *all_next;
};

/* worker_pool of the unbound attributes all rings share, on one node. */
struct WorkerPool {
  Simulation *sim;
  unsigned node;
  CpuMask cpus; /* where its workers may run, if there are several nodes */
  Spinlock lock;
  GQueue worklist; /* of Request: runnable */
  Kworker *idle, *all;
  unsigned n_idle, n_workers;
};

/* What max_active is compared with. */
typedef struct {
  unsigned nr_active;
  GQueue inactive; /* of Request: beyond max_active, FIFO */
} ActiveCount;

/* pool_workqueue: the workqueue's part on a node (6.6 to 6.8: of a CPU). */
struct PoolWorkqueue {
  Workqueue *workqueue;
  WorkerPool *pool;
  ActiveCount own, *count; /* count: own, or that of the first */
};

struct Workqueue {
  Ring *ring;
  unsigned max_active, n_running;
  gboolean per_cpu;
  unsigned n_pwqs;
  PoolWorkqueue *pwq;
};

static void kworker_body (Task *task, void *data);

static Kworker *kworker_create (WorkerPool *pool, Task *creator)
{
  Kworker *worker = g_new0 (Kworker, 1);
  char name[32];

  g_snprintf (name, sizeof name, "kworker/u%u:%u", pool->sim->n_cpus * 2 + pool->node, pool->n_workers++);
  worker->pool = pool;
  worker->all_next = pool->all;
  pool->all = worker;
  worker->task = task_new (pool->sim, name, TASK_CLASS_WORKER, -1, kworker_body, worker);
  if (pool->sim->n_nodes > 1)
    worker->task->allowed = &pool->cpus;
  sim_worker_created (pool->sim);
  task_start (worker->task, creator);
  return worker;
}

static void worker_pools_init (Simulation *sim)
{
  if (sim->kworkers)
    return;
  sim->kworkers = g_new0 (WorkerPool, sim->n_nodes);
  for (unsigned i = 0; i < sim->n_nodes; i++) {
    WorkerPool *pool = &sim->kworkers[i];

    pool->sim = sim;
    pool->node = i;
    for (unsigned cpu = 0; cpu < sim->n_cpus; cpu++)
      if (sim->cpus[cpu].node == i)
        cpu_mask_add (&pool->cpus, cpu);
    g_queue_init (&pool->worklist);
    kworker_create (pool, NULL); /* a pool starts with one */
  }
}

void worker_pools_free (Simulation *sim)
{
  for (unsigned i = 0; sim->kworkers && i < sim->n_nodes; i++) {
    Kworker *worker, *next;

    for (worker = sim->kworkers[i].all; worker; worker = next) {
      next = worker->all_next;
      g_free (worker);
    }
  }
  g_clear_pointer (&sim->kworkers, g_free);
}

Workqueue *workqueue_new (Ring *ring, const PolicyQueue *queue)
{
  Simulation *sim = ring->sim;
  Workqueue *workqueue = g_new0 (Workqueue, 1);

  worker_pools_init (sim);
  workqueue->ring = ring;
  workqueue->max_active = ring_max_workers (ring, queue);
  workqueue->per_cpu = sim->kernel >= KERNEL (6, 6) && sim->kernel < KERNEL (6, 9);
  workqueue->n_pwqs = workqueue->per_cpu ? sim->n_cpus : sim->n_nodes;
  workqueue->pwq = g_new0 (PoolWorkqueue, workqueue->n_pwqs);
  for (unsigned i = 0; i < workqueue->n_pwqs; i++) {
    PoolWorkqueue *pwq = &workqueue->pwq[i];

    pwq->workqueue = workqueue;
    pwq->pool = &sim->kworkers[workqueue->per_cpu ? sim->cpus[i].node : i];
    pwq->count = sim->kernel >= KERNEL (6, 9) ? &workqueue->pwq[0].own : &pwq->own;
    g_queue_init (&pwq->own.inactive);
  }
  return workqueue;
}

/* What an interrupted run leaves in the lists are links inside the requests: nothing to free. */
void workqueue_free (Workqueue *workqueue)
{
  if (workqueue)
    g_free (workqueue->pwq);
  g_free (workqueue);
}

unsigned workqueue_pending (const Workqueue *workqueue)
{
  unsigned n = 0;

  for (unsigned i = 0; i < workqueue->n_pwqs; i++)
    n += workqueue->pwq[i].own.nr_active + workqueue->pwq[i].own.inactive.length;
  return n - workqueue->n_running;
}

unsigned workqueue_running (const Workqueue *workqueue) { return workqueue->n_running; }

unsigned workqueue_idle (const Workqueue *workqueue)
{
  const Simulation *sim = workqueue->ring->sim;
  unsigned n = 0;

  for (unsigned i = 0; i < sim->n_nodes; i++)
    n += sim->kworkers[i].n_idle;
  return n;
}

/* wake_up_worker(): the one that went idle last. */
static void wake_up_worker (Task *task, WorkerPool *pool)
{
  if (pool->idle)
    task_wake (task, pool->idle->task);
}

/* The list of the request's direction; NULL for what is neither read nor write. */
static AsyncList *async_list (Request *request)
{
  if (G_UNLIKELY (request->ring->sim->setup->policy->queues[request->queue].no_merge))
    return NULL;
  return request->io.op == IO_READ    ? &request->ring->pending_async[0]
         : request->io.op == IO_WRITE ? &request->ring->pending_async[1]
                                      : NULL;
}

/* io_async_list_note() up to 5.3: the run goes on where the last punted request of the file ended.  A run that
 * gets too long is forgotten, end and all. */
static gboolean async_list_note_end (AsyncList *list, const Request *request)
{
  uint64_t end = request->io.offset + request->io.length;
  gboolean continues = FALSE;

  if (list->inode == request->inode && request->io.offset == list->end) {
    continues = list->length + request->io.length <= ASYNC_RUN_BYTES;
    list->length = continues ? list->length + request->io.length : 0;
    end = continues ? end : 0;
  }
  if (list->inode != request->inode)
    list->length = 0;
  list->inode = request->inode;
  list->end = end;
  return continues;
}

/* io_should_merge() and io_async_list_note() of 5.4: any place inside the run, rounded to pages, and its end count; the
 * run is as long as all of its requests together. */
static gboolean async_list_note_inside (AsyncList *list, const Request *request)
{
  uint64_t offset = request->io.offset;

  if (list->inode == request->inode && offset >= list->start / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES &&
      offset <= (list->start + list->length + PAGE_SIZE_BYTES - 1) / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES &&
      list->length + request->io.length <= ASYNC_RUN_BYTES) {
    list->length += request->io.length;
    return TRUE;
  }
  list->inode = request->inode;
  list->start = offset;
  list->length = request->io.length;
  return FALSE;
}

/* TRUE if the request continues the noted run, which then grows. */
static gboolean async_list_note (const Simulation *sim, AsyncList *list, const Request *request)
{
  return sim->kernel < KERNEL (5, 4) ? async_list_note_end (list, request) : async_list_note_inside (list, request);
}

/* io_add_to_prev_work() */
static gboolean async_list_join (Task *task, Request *request)
{
  AsyncList *list = async_list (request);

  if (!list)
    return FALSE;
  task_sync (task); /* nothing may happen between the look at the count and the joining */
  if (async_list_note (task->sim, list, request) && list->active) {
    request->time.queued = sim_now (task->sim);
    g_queue_push_tail_link (&list->list, &request->link);
    return TRUE;
  }
  list->active++;
  return FALSE;
}

/* The part of io_sq_wq_submit_work() after the item itself: takes all that joined meanwhile for itself and
 * executes it one by one, until nothing has joined. */
static void async_list_run (Task *task, AsyncList *list)
{
  GQueue mine;
  GList *link;

  task_sync (task);
  while (list->list.length) {
    mine = list->list;
    g_queue_init (&list->list);
    task_cost (task, COST_LOCK_TRANSFER);
    while ((link = g_queue_pop_head_link (&mine)))
      io_wq_submit_work (task, link->data);
    task_sync (task);
  }
  list->active--;
}

void workqueue_queue_work (Task *task, Workqueue *workqueue, Request *request)
{
  PoolWorkqueue *pwq = &workqueue->pwq[workqueue->per_cpu ? task->cpu->id : task->cpu->node];
  WorkerPool *pool = pwq->pool;

  if (async_list_join (task, request))
    return;
  spinlock_hold (task, &pool->lock, sim_cost (pool->sim, COST_WORKQUEUE_QUEUE));
  task_sync (task);
  request->time.queued = sim_now (pool->sim);
  request->pwq = pwq;
  if (pwq->count->nr_active >= workqueue->max_active) {
    g_queue_push_tail_link (&pwq->count->inactive, &request->link);
    return;
  }
  pwq->count->nr_active++;
  g_queue_push_tail_link (&pool->worklist, &request->link);
  wake_up_worker (task, pool);
}

static void leave_idle (Kworker *worker)
{
  WorkerPool *pool = worker->pool;

  for (Kworker **at = &pool->idle; *at; at = &(*at)->idle_next)
    if (*at == worker) {
      *at = worker->idle_next;
      pool->n_idle--;
      return;
    }
}

static void enter_idle (Kworker *worker)
{
  worker->idle_next = worker->pool->idle;
  worker->pool->idle = worker;
  worker->pool->n_idle++;
}

/* pwq_dec_nr_in_flight(): the oldest item beyond max_active becomes runnable; on another node (6.9) somebody has to be
 * woken for it. */
static void pwq_dec_nr_in_flight (Task *task, PoolWorkqueue *pwq)
{
  ActiveCount *count = pwq->count;
  GList *link;

  count->nr_active--;
  pwq->workqueue->n_running--;
  link = g_queue_pop_head_link (&count->inactive);
  if (link) {
    WorkerPool *pool = ((Request *) link->data)->pwq->pool;

    count->nr_active++;
    g_queue_push_tail_link (&pool->worklist, link);
    if (pool != pwq->pool)
      wake_up_worker (task, pool);
  }
}

static void process_one_work (Task *task, WorkerPool *pool)
{
  Request *request = g_queue_pop_head_link (&pool->worklist)->data;
  PoolWorkqueue *pwq = request->pwq;
  AsyncList *list;
  SimulationCounters *count = &pool->sim->count;

  pwq->workqueue->n_running++;
  ur_level_set (&count->workers_running, sim_now (pool->sim), count->workers_running.level + 1);
  if (pool->worklist.length) /* unbound workers chain the execution of what is pending */
    wake_up_worker (task, pool);
  task_cost (task, COST_WORKQUEUE_ITEM);
  if (request->cpu != task->cpu->id)
    task_cost (task, COST_WORKER_FETCH);
  list = async_list (request);
  io_wq_submit_work (task, request); /* from here on the request may be in use again */
  if (list)
    async_list_run (task, list);
  task_cond_resched (task);
  spinlock_hold (task, &pool->lock, 0);
  task_sync (task);
  pwq_dec_nr_in_flight (task, pwq);
  ur_level_set (&count->workers_running, sim_now (pool->sim), count->workers_running.level - 1);
}

/* worker_thread() */
static void kworker_body (Task *task, void *data)
{
  Kworker *worker = data;
  WorkerPool *pool = worker->pool;

  task_cost (task, COST_THREAD_START);
  for (;;) {
    spinlock_hold (task, &pool->lock, sim_cost (pool->sim, COST_WORKER_SCAN));
    task_sync (task);
    leave_idle (worker);
    if (pool->worklist.length && pool->n_idle == 0) { /* manage_workers(): keep one in reserve */
      task_cost (task, COST_THREAD_CREATE);
      task_sync (task);
      if (pool->n_idle == 0)
        kworker_create (pool, task);
    }
    if (!pool->worklist.length)
      pool->sim->count.futile_wakeups++;
    while (pool->worklist.length)
      process_one_work (task, pool);
    enter_idle (worker);
    task_prepare_to_sleep (task);
    task->waits_for = "work of a workqueue";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}
