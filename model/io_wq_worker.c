/* Workers of an io-wq: who is free, who is created, who leaves.  See io_wq.h.
 * Stands for io_uring/io-wq.c: create_io_worker(), io_init_new_worker(), io_wq_worker_sleeping(),
 * io_wq_worker_running(), io_queue_worker_create(), create_worker_cb(), io_worker_exit(); 5.5 to 6.18. */
#include "model/io_wq_private.h"

#include "model/submit.h"
#include "model/task_work.h"

#include <string.h>

/* ---- the free list ---- */

void free_list_push (IoWorker *worker)
{
  IoWqe *wqe = worker->wqe;

  if (worker->on_free_list)
    return;
  worker->on_free_list = TRUE;
  worker->free_prev = NULL;
  worker->free_next = wqe->free_list;
  if (wqe->free_list)
    wqe->free_list->free_prev = worker;
  wqe->free_list = worker;
  wqe->n_free++;
}

void free_list_remove (IoWorker *worker)
{
  IoWqe *wqe = worker->wqe;

  if (!worker->on_free_list)
    return;
  worker->on_free_list = FALSE;
  if (worker->free_prev)
    worker->free_prev->free_next = worker->free_next;
  else
    wqe->free_list = worker->free_next;
  if (worker->free_next)
    worker->free_next->free_prev = worker->free_prev;
  wqe->n_free--;
}

/* The one that went idle last comes first.  From 5.15 to 6.4 one that is awake already is passed over. */
gboolean io_wqe_activate_free_worker (Task *task, IoWqe *wqe, const IoWqAcct *acct)
{
  unsigned kernel = wqe->wq->kernel;
  gboolean must_sleep = kernel >= KERNEL (5, 15) && kernel < KERNEL (6, 5);

  for (IoWorker *worker = wqe->free_list; worker; worker = worker->free_next) {
    if (worker->acct != acct && !io_wq_is_managed (wqe->wq))
      continue;
    if (task_wake (task, worker->task) || !must_sleep)
      return TRUE;
  }
  return FALSE;
}

/* ---- the scheduler's hooks ---- */

/* io_wq_hash_defer(): the worker is inside an item of the bucket that the list starts with. */
static gboolean io_wq_hash_defer (const IoWorker *worker)
{
  const Request *next = worker->acct->list->first;

  return worker->current->hashed && next->hashed && next->bucket == worker->current->bucket;
}

/* Who makes workers of a shared io-wq: the owner of the request that the worker is at, else of the next one. */
static Task *io_wq_creator (const IoWorker *worker)
{
  if (G_LIKELY (!worker->wqe->wq->shared))
    return worker->wqe->wq->task;
  return ring_owner ((worker->current ? worker->current : worker->acct->list->first)->ring);
}

/* io_queue_worker_create(): the owner is asked; the worker to come counts as running from now on. */
static void io_queue_worker_create (Task *task, IoWorker *worker)
{
  if (worker->create_requested)
    return;
  worker->create_requested = TRUE;
  worker->create_acct = worker->acct;
  worker->acct->nr_running++;
  task_work_add_create (task, io_wq_creator (worker), worker);
}

void io_wq_dec_running (Task *task, IoWorker *worker)
{
  IoWqAcct *acct = worker->acct;
  unsigned kernel = worker->wqe->wq->kernel;

  if (kernel < KERNEL (5, 18)) {
    spinlock_hold (task, acct->lock, 0);
    task_sync (task);
  }
  if (--acct->nr_running)
    return;
  if (kernel >= KERNEL (6, 16) && !worker->current)
    return;
  if (kernel >= KERNEL (5, 18)) {
    spinlock_hold (task, acct->lock, 0);
    task_sync (task);
  }
  if (!io_acct_has_work (acct) || (kernel >= KERNEL (6, 16) && io_wq_hash_defer (worker)))
    return;
  if (kernel >= KERNEL (5, 12))
    io_queue_worker_create (task, worker);
  else if (!io_wqe_activate_free_worker (task, worker->wqe, acct))
    io_wq_create_worker (task, worker->wqe, acct);
}

static void io_wq_worker_sleeping (Task *task)
{
  IoWorker *worker = task->data;

  if (!worker->running)
    return;
  worker->running = FALSE;
  io_wq_dec_running (task, worker);
}

static void io_wq_worker_running (Task *task)
{
  IoWorker *worker = task->data;

  if (worker->running)
    return;
  worker->running = TRUE;
  worker->acct->nr_running++;
}

/* ---- creation and exit ---- */

IoWorker *create_io_worker (Task *task, IoWqe *wqe, IoWqAcct *acct)
{
  IoWq *wq = wqe->wq;
  IoWorker *worker;
  char name[32];

  wq->n_creating++;
  if (task) {
    task_cost (task, COST_THREAD_CREATE);
    task_sync (task);
  }
  wq->n_creating--;
  if (io_wq_is_managed (wq))
    g_snprintf (name, sizeof name, "io_wqe_worker-%u/%u", acct->index, wqe->node);
  else
    g_snprintf (name, sizeof name, "iou-wrk-%u", wq->task->id);
  worker = g_new0 (IoWorker, 1);
  worker->wqe = wqe;
  worker->acct = acct;
  worker->running = !io_wq_is_managed (wq); /* else from its first instruction on */
  worker->all_next = wq->all;
  wq->all = worker;
  worker->task = task_new (wq->sim, name, TASK_CLASS_WORKER, -1, io_worker_body, worker);
  worker->task->on_sleeping = io_wq_worker_sleeping;
  worker->task->on_running = io_wq_worker_running;
  if (wqe->bound) {
    worker->cpus = wqe->cpus;
    worker->task->allowed = &worker->cpus;
  }
  sim_worker_created (wq->sim);
  free_list_push (worker); /* io_init_new_worker(): free until it takes something */
  task_start (worker->task, task);
  return worker;
}

void io_wq_create_worker (Task *task, IoWqe *wqe, IoWqAcct *acct)
{
  if (acct->nr_workers >= acct->max_workers)
    return;
  if (io_wq_is_managed (wqe->wq)) {
    task_wake (task, wqe->wq->manager);
    return;
  }
  acct->nr_workers++;
  acct->nr_running++;
  create_io_worker (task, wqe, acct);
}

void io_wq_create_worker_cb (Task *task, IoWorker *worker)
{
  IoWqe *wqe = worker->wqe;
  IoWqAcct *acct = worker->create_acct;

  task_sync (task);
  worker->create_requested = FALSE;
  if ((wqe->wq->kernel >= KERNEL (6, 17) && io_wqe_activate_free_worker (task, wqe, acct)) ||
      acct->nr_workers >= acct->max_workers) {
    acct->nr_running--;
    return;
  }
  acct->nr_workers++; /* nr_running was raised by who asked */
  create_io_worker (task, wqe, acct);
}

void io_worker_exit (Task *task, IoWorker *worker)
{
  IoWq *wq = worker->wqe->wq;

  free_list_remove (worker);
  worker->acct->nr_workers--;
  worker->running = FALSE;
  worker->task->on_sleeping = worker->task->on_running = NULL;
  if (io_wq_is_managed (wq)) {
    worker->acct->nr_running--;
  } else {
    io_wq_dec_running (task, worker);
  }
  sim_worker_exited (wq->sim);
}

/* ---- limits and affinity ---- */

void io_wq_max_workers (IoWq *wq, unsigned count[IO_WQ_ACCT_NR])
{
  for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++) {
    unsigned asked = MIN (count[k], IO_WQ_RLIMIT_NPROC), old = io_wq_limit (wq, k);

    for (unsigned i = 0; asked && i < wq->n_wqes; i++)
      wq->wqe[i].acct[k].max_workers = asked;
    count[k] = old;
  }
}

void io_wq_cpu_affinity (IoWq *wq, const CpuMask *cpus)
{
  const Simulation *sim = wq->sim;

  cpus = cpus ? cpus : wq->affinity;
  for (unsigned i = 0; i < wq->n_wqes; i++) {
    IoWqe *wqe = &wq->wqe[i];

    wqe->bound = cpus || wq->n_wqes > 1;
    memset (&wqe->cpus, 0, sizeof wqe->cpus);
    for (unsigned cpu = 0; cpu < sim->n_cpus; cpu++)
      if (cpus ? cpu_mask_has (cpus, cpu) : wq->n_wqes == 1 || sim->cpus[cpu].node == wqe->node)
        cpu_mask_add (&wqe->cpus, cpu);
  }
}

void io_wq_set_exit_on_idle (Task *task, IoWq *wq, gboolean enable)
{
  wq->exit_on_idle = enable;
  for (IoWorker *worker = enable ? wq->all : NULL; worker; worker = worker->all_next)
    if (worker->task->state != TASK_DEAD)
      task_wake (task, worker->task);
}
