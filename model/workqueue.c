/* See workqueue.h. */
#include "model/workqueue.h"

#include "model/cpu.h"
#include "model/submit.h"

/* 8 readahead windows of 128 KiB. */
#define ASYNC_RUN_PAGES (8 * 32)

typedef struct Kworker Kworker;
struct Kworker {
  WorkerPool *pool;
  Task *task;
  Kworker *idle_next, *all_next;
};

/* worker_pool of the unbound attributes all rings share. */
struct WorkerPool {
  Simulation *sim;
  Spinlock lock;
  GQueue worklist; /* of Request: runnable */
  Kworker *idle, *all;
  unsigned n_idle, n_workers;
};

struct Workqueue {
  Ring *ring;
  unsigned max_active, nr_active, n_running;
  GQueue inactive; /* of Request: beyond max_active, FIFO */
};

static void kworker_body (Task *task, void *data);

static Kworker *kworker_create (WorkerPool *pool, Task *creator)
{
  Kworker *worker = g_new0 (Kworker, 1);
  char name[32];

  g_snprintf (name, sizeof name, "kworker/u%u:%u", pool->sim->n_cpus * 2, pool->n_workers++);
  worker->pool = pool;
  worker->all_next = pool->all;
  pool->all = worker;
  worker->task = task_new (pool->sim, name, TASK_CLASS_WORKER, -1, kworker_body, worker);
  sim_worker_created (pool->sim);
  task_start (worker->task, creator);
  return worker;
}

static WorkerPool *worker_pool (Simulation *sim)
{
  if (!sim->kworkers) {
    sim->kworkers = g_new0 (WorkerPool, 1);
    sim->kworkers->sim = sim;
    g_queue_init (&sim->kworkers->worklist);
    kworker_create (sim->kworkers, NULL); /* a pool starts with one */
  }
  return sim->kworkers;
}

void worker_pool_free (Simulation *sim)
{
  Kworker *worker, *next;

  if (!sim->kworkers)
    return;
  for (worker = sim->kworkers->all; worker; worker = next) {
    next = worker->all_next;
    g_free (worker);
  }
  g_clear_pointer (&sim->kworkers, g_free);
}

Workqueue *workqueue_new (Ring *ring, const PolicyQueue *queue)
{
  Workqueue *workqueue = g_new0 (Workqueue, 1);

  workqueue->ring = ring;
  workqueue->max_active = ring_max_workers (ring, queue);
  g_queue_init (&workqueue->inactive);
  worker_pool (ring->sim);
  return workqueue;
}

/* What an interrupted run leaves in the lists are links inside the requests: nothing to free. */
void workqueue_free (Workqueue *workqueue) { g_free (workqueue); }

unsigned workqueue_pending (const Workqueue *workqueue)
{
  return workqueue->nr_active - workqueue->n_running + workqueue->inactive.length;
}

unsigned workqueue_running (const Workqueue *workqueue) { return workqueue->n_running; }
unsigned workqueue_idle (const Workqueue *workqueue) { return workqueue->ring->sim->kworkers->n_idle; }

/* wake_up_worker(): the one that went idle last. */
static void wake_up_worker (Task *task, WorkerPool *pool)
{
  if (pool->idle)
    task_wake (task, pool->idle->task);
}

/* The list of the request's direction; NULL for what is neither read nor write. */
static AsyncList *async_list (Request *request)
{
  return request->io.op == IO_READ    ? &request->ring->pending_async[0]
         : request->io.op == IO_WRITE ? &request->ring->pending_async[1]
                                      : NULL;
}

/* io_async_list_note(), io_should_merge(): TRUE if the request continues the noted run, which then grows. */
static gboolean async_list_note (const Simulation *sim, AsyncList *list, const Request *request)
{
  uint64_t offset = request->io.offset, end = offset + request->io.length;
  uint64_t pages = request->io.length / PAGE_SIZE_BYTES;
  gboolean continues = list->inode == request->inode && offset == list->end;

  if (sim->kernel >= KERNEL (5, 4))
    continues = list->inode == request->inode && offset >= list->start / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES &&
                offset <= (list->end + PAGE_SIZE_BYTES - 1) / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES;
  if (continues && list->pages + pages <= ASYNC_RUN_PAGES) {
    list->pages += pages;
    list->end = MAX (end, sim->kernel >= KERNEL (5, 4) ? list->end : 0);
    return TRUE;
  }
  list->inode = request->inode;
  list->pages = 0;
  list->start = offset;
  list->end = end;
  return FALSE;
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
  WorkerPool *pool = worker_pool (workqueue->ring->sim);

  if (async_list_join (task, request))
    return;
  spinlock_hold (task, &pool->lock, sim_cost (pool->sim, COST_WORKQUEUE_QUEUE));
  task_sync (task);
  request->time.queued = sim_now (pool->sim);
  request->workqueue = workqueue;
  if (workqueue->nr_active >= workqueue->max_active) {
    g_queue_push_tail_link (&workqueue->inactive, &request->link);
    return;
  }
  workqueue->nr_active++;
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

/* pwq_dec_nr_in_flight(): the oldest item beyond max_active becomes runnable. */
static void workqueue_done_one (WorkerPool *pool, Workqueue *workqueue)
{
  GList *link;

  workqueue->nr_active--;
  workqueue->n_running--;
  link = g_queue_pop_head_link (&workqueue->inactive);
  if (link) {
    workqueue->nr_active++;
    g_queue_push_tail_link (&pool->worklist, link);
  }
}

static void process_one_work (Task *task, WorkerPool *pool)
{
  Request *request = g_queue_pop_head_link (&pool->worklist)->data;
  Workqueue *workqueue = request->workqueue;
  AsyncList *list;
  SimulationCounters *count = &pool->sim->count;

  workqueue->n_running++;
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
  workqueue_done_one (pool, workqueue);
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
