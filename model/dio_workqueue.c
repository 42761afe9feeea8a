/* See dio_workqueue.h. */
#include "model/dio_workqueue.h"

#include "model/cpu.h"
#include "model/interrupt.h"

typedef struct DioWorker DioWorker;

/* worker_pool of a CPU, as far as it executes these items. */
struct DioPool {
  Simulation *sim;
  unsigned cpu;
  Spinlock lock;
  GQueue worklist; /* of Request, by link */
  DioWorker *idle, *all;
  unsigned n_idle, n_workers;
  unsigned nr_running; /* workers that have an item and do not sleep in it */
};

struct DioWorker {
  DioPool *pool;
  Task *task;
  gboolean busy, running; /* has left the idle list; counted in nr_running */
  DioWorker *idle_next, *all_next;
};

static void worker_body (Task *task, void *data);

/* wq_worker_sleeping(): inside an item. */
static void worker_sleeping (Task *task)
{
  DioWorker *worker = task->data;
  DioPool *pool = worker->pool;

  if (!worker->running)
    return;
  worker->running = FALSE;
  if (--pool->nr_running == 0 && pool->worklist.length && pool->idle)
    task_wake (task, pool->idle->task);
}

static void worker_running (Task *task)
{
  DioWorker *worker = task->data;

  if (!worker->busy || worker->running)
    return;
  worker->running = TRUE;
  worker->pool->nr_running++;
}

static void worker_enter_idle (DioWorker *worker)
{
  worker->idle_next = worker->pool->idle;
  worker->pool->idle = worker;
  worker->pool->n_idle++;
}

static void worker_leave_idle (DioWorker *worker)
{
  for (DioWorker **at = &worker->pool->idle; *at; at = &(*at)->idle_next)
    if (*at == worker) {
      *at = worker->idle_next;
      worker->pool->n_idle--;
      return;
    }
}

static void worker_create (DioPool *pool, Task *creator)
{
  DioWorker *worker = g_new0 (DioWorker, 1);
  char name[32];

  g_snprintf (name, sizeof name, "kworker/%u:%u", pool->cpu, pool->n_workers++);
  worker->pool = pool;
  worker->all_next = pool->all;
  pool->all = worker;
  worker->task = task_new (pool->sim, name, TASK_CLASS_FLUSHER, (int) pool->cpu, worker_body, worker);
  worker->task->on_sleeping = worker_sleeping;
  worker->task->on_running = worker_running;
  worker_enter_idle (worker); /* free until it looks */
  task_start (worker->task, creator);
}

static DioPool *pool_of (Simulation *sim, unsigned cpu)
{
  if (!sim->dio_pools)
    sim->dio_pools = g_new0 (DioPool, sim->n_cpus);
  if (!sim->dio_pools[cpu].sim) {
    sim->dio_pools[cpu].sim = sim;
    sim->dio_pools[cpu].cpu = cpu;
    g_queue_init (&sim->dio_pools[cpu].worklist);
  }
  return &sim->dio_pools[cpu];
}

void dio_queue_work (Simulation *sim, Task *task, Cpu *cpu, Request *request, DioComplete complete)
{
  DioPool *pool = pool_of (sim, task ? task->cpu->id : cpu->id);
  UrTime ns = sim_cost (sim, COST_WORKQUEUE_QUEUE);

  if (task) {
    task_run (task, ns);
    task_sync (task);
  } else {
    cpu_interrupt (cpu, ns);
  }
  request->dio_complete = complete;
  g_queue_push_tail_link (&pool->worklist, &request->link);
  if (!pool->all) /* a kernel that has been up has them */
    worker_create (pool, NULL);
  else if (pool->nr_running == 0 && pool->idle)
    block_wake (task, cpu, pool->idle->task);
}

unsigned dio_workqueue_pending (const Simulation *sim)
{
  unsigned n = 0;

  for (unsigned i = 0; sim->dio_pools && i < sim->n_cpus; i++)
    n += sim->dio_pools[i].worklist.length;
  return n;
}

void dio_workqueue_free (Simulation *sim)
{
  for (unsigned i = 0; sim->dio_pools && i < sim->n_cpus; i++) {
    DioWorker *worker, *next;

    for (worker = sim->dio_pools[i].all; worker; worker = next) {
      next = worker->all_next;
      g_free (worker);
    }
  }
  g_clear_pointer (&sim->dio_pools, g_free);
}

/* manage_workers(): one idle worker in reserve for the time when this one sleeps. */
static void keep_reserve (Task *task, DioPool *pool)
{
  if (!pool->worklist.length || pool->n_idle)
    return;
  task_cost (task, COST_THREAD_CREATE);
  task_sync (task);
  if (!pool->n_idle)
    worker_create (pool, task);
}

/* need_more_worker() */
static gboolean need_more_worker (const DioPool *pool) { return pool->worklist.length && pool->nr_running == 0; }

static void execute (Task *task, DioWorker *worker)
{
  DioPool *pool = worker->pool;

  worker_leave_idle (worker);
  keep_reserve (task, pool);
  worker->busy = TRUE;
  worker_running (task);
  while (pool->worklist.length && pool->nr_running <= 1) { /* keep_working() */
    Request *request = g_queue_pop_head_link (&pool->worklist)->data;

    task_cost (task, COST_WORKQUEUE_ITEM);
    request->dio_complete (task, request); /* from here on the request may be in use again */
    task_cond_resched (task);
    spinlock_hold (task, &pool->lock, 0);
    task_sync (task);
  }
  worker->busy = FALSE;
  if (worker->running)
    pool->nr_running--;
  worker->running = FALSE;
  worker_enter_idle (worker);
}

/* worker_thread() */
static void worker_body (Task *task, void *data)
{
  DioWorker *worker = data;
  DioPool *pool = worker->pool;

  for (;;) {
    spinlock_hold (task, &pool->lock, sim_cost (pool->sim, COST_WORKER_SCAN));
    task_sync (task);
    if (need_more_worker (pool))
      execute (task, worker);
    task_prepare_to_sleep (task);
    task->waits_for = "direct writes that have ended";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}
