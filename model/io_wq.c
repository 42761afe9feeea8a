/* See io_wq.h.  Stands for io_uring/io-wq.c. */
#include "model/io_wq.h"

#include "model/cpu.h"
#include "model/submit.h"
#include "model/task_work.h"

#define WORKER_IDLE_TIMEOUT (5 * UR_S)

struct IoWorker {
  IoWq *wq;
  Task *task;
  const Request *current; /* cur_work */
  gboolean on_free_list, timed_out;
  gboolean create_requested; /* one creation asked for at a time */
  IoWorker *free_next, *free_prev;
  IoWorker *all_next;
};

struct IoWq {
  Simulation *sim;
  Ring *ring;
  QueueHash hash;
  unsigned max_workers, nr_workers, nr_running; /* the bounded io_wq_acct */
  Spinlock lock;                                /* acct->lock */
  gboolean stalled;
  Request *first, *last;
  unsigned n_pending;
  Request *hash_tail[IO_WQ_BUCKETS]; /* last of the bucket's run on the list */
  uint64_t hash_map;                 /* buckets being executed */
  gboolean on_hash_wait;
  unsigned n_executing;
  IoWorker *free_list, *all;
  unsigned n_free;
  unsigned n_create_requests; /* create_worker_cb() pending with the owner */
};

IoWq *io_wq_new (Ring *ring, const PolicyQueue *queue)
{
  IoWq *wq = g_new0 (IoWq, 1);

  wq->sim = ring->sim;
  wq->ring = ring;
  wq->hash = queue->hash;
  wq->max_workers = ring_max_workers (ring, queue);
  return wq;
}

void io_wq_free (IoWq *wq)
{
  IoWorker *worker, *next;

  for (worker = wq ? wq->all : NULL; worker; worker = next) {
    next = worker->all_next;
    g_free (worker);
  }
  g_free (wq);
}

unsigned io_wq_pending (const IoWq *wq) { return wq->n_pending; }
unsigned io_wq_running (const IoWq *wq) { return wq->n_executing; }
unsigned io_wq_idle (const IoWq *wq) { return wq->n_free; }

/* io_prep_async_work(): which work is hashed.  On 6.18 an IOSQE_ASYNC write is not, because the file is
 * looked up later than the work is prepared; on 6.1 it is.  Both were seen in traces; where in between it changed is
 * not known, 6.4 is taken. */
void io_wq_prepare (const IoWq *wq, Request *request)
{
  Simulation *sim = wq->sim;
  const FileSystem *fs = sim->setup->file_system;

  request->hashed = wq->hash != HASH_NONE && fs->regular && request->io.op == IO_WRITE &&
                    !(request->direct && kernel_range_has (fs->dio_parallel_write, sim->kernel)) &&
                    !(request->force_async && sim->kernel >= KERNEL (6, 4));
  request->bucket = wq->hash == HASH_RING ? wq->ring->id % IO_WQ_BUCKETS : request->inode->bucket;
  request->concurrent =
      request->force_async ||
      (request->io.op >= IO_SYNC && sim->kernel >= KERNEL (6, 3)); /* what must block is forced asynchronous */
}

/* __io_acct_run_queue() */
static gboolean io_wq_has_work (const IoWq *wq) { return wq->first && !wq->stalled; }

/* io_wq_insert_work() */
static void io_wq_insert (IoWq *wq, Request *request)
{
  Request *after = request->hashed ? wq->hash_tail[request->bucket] : NULL;

  if (!after)
    after = wq->last;
  if (after) {
    request->work_next = after->work_next;
    after->work_next = request;
  } else {
    request->work_next = wq->first;
    wq->first = request;
  }
  if (after == wq->last)
    wq->last = request;
  if (request->hashed)
    wq->hash_tail[request->bucket] = request;
  wq->n_pending++;
}

static void free_list_push (IoWorker *worker)
{
  IoWq *wq = worker->wq;

  if (worker->on_free_list)
    return;
  worker->on_free_list = TRUE;
  worker->free_prev = NULL;
  worker->free_next = wq->free_list;
  if (wq->free_list)
    wq->free_list->free_prev = worker;
  wq->free_list = worker;
  wq->n_free++;
}

static void free_list_remove (IoWorker *worker)
{
  IoWq *wq = worker->wq;

  if (!worker->on_free_list)
    return;
  worker->on_free_list = FALSE;
  if (worker->free_prev)
    worker->free_prev->free_next = worker->free_next;
  else
    wq->free_list = worker->free_next;
  if (worker->free_next)
    worker->free_next->free_prev = worker->free_prev;
  wq->n_free--;
}

/* io_acct_activate_free_worker(): the one that went idle last comes first. */
static gboolean io_wq_activate_free_worker (Task *task, IoWq *wq)
{
  for (IoWorker *worker = wq->free_list; worker; worker = worker->free_next)
    if (task_wake (task, worker->task) || wq->sim->kernel >= KERNEL (6, 5))
      return TRUE;
  return FALSE;
}

static void io_worker_body (Task *task, void *data);
static void io_worker_sleeping (Task *task);
static void io_worker_running (Task *task);

/* create_io_worker(): by `task`, which pays for it. */
static void io_wq_create_worker (Task *task, IoWq *wq)
{
  Simulation *sim = wq->sim;
  IoWorker *worker;
  char name[32];

  if (wq->nr_workers >= wq->max_workers)
    return;
  wq->nr_workers++;
  wq->nr_running++;
  task_cost (task, COST_THREAD_CREATE);
  task_sync (task);
  g_snprintf (name, sizeof name, "iou-wrk-%u", ring_owner (wq->ring)->id);
  worker = g_new0 (IoWorker, 1);
  worker->wq = wq;
  worker->all_next = wq->all;
  wq->all = worker;
  worker->task = task_new (sim, name, TASK_CLASS_WORKER, -1, io_worker_body, worker);
  worker->task->on_sleeping = io_worker_sleeping;
  worker->task->on_running = io_worker_running;
  sim_worker_created (sim);
  free_list_push (worker); /* io_init_new_worker(): free until it takes something */
  task_start (worker->task, task);
}

void io_wq_enqueue (Task *task, IoWq *wq, Request *request)
{
  gboolean woke;

  spinlock_hold (task, &wq->lock, 0);
  task_sync (task);
  request->time.queued = sim_now (wq->sim);
  io_wq_insert (wq, request);
  wq->stalled = FALSE;
  woke = io_wq_activate_free_worker (task, wq);
  if (!woke && (request->concurrent || wq->nr_running == 0))
    io_wq_create_worker (task, wq);
}

/* io_wq_dec_running() from the scheduler's hook. */
static void io_worker_sleeping (Task *task)
{
  IoWorker *worker = task->data;
  IoWq *wq = worker->wq;

  wq->nr_running--;
  if (wq->nr_running || !io_wq_has_work (wq))
    return;
  if (wq->sim->kernel >= KERNEL (6, 16) && (!worker->current || (worker->current->hashed && wq->first->hashed &&
                                                                 wq->first->bucket == worker->current->bucket)))
    return; /* io_wq_hash_defer() */
  if (worker->create_requested)
    return;
  worker->create_requested = TRUE;
  wq->n_create_requests++;
  task_work_add_create (task, wq->ring);
}

static void io_worker_running (Task *task)
{
  IoWorker *worker = task->data;

  worker->wq->nr_running++;
}

void io_wq_create_workers_cb (Task *task, IoWq *wq)
{
  unsigned n = wq->n_create_requests;

  wq->n_create_requests = 0;
  for (IoWorker *worker = wq->all; worker; worker = worker->all_next)
    worker->create_requested = FALSE;
  while (n-- > 0)
    if (wq->sim->kernel < KERNEL (6, 18) || !io_wq_activate_free_worker (task, wq))
      io_wq_create_worker (task, wq);
}

/* Cuts [from .. to] out of the list; `before` precedes it or is NULL. */
static void io_wq_cut (IoWq *wq, Request *before, Request *from, Request *to)
{
  unsigned n = 1;

  for (Request *at = from; at != to; at = at->work_next)
    n++;
  if (before)
    before->work_next = to->work_next;
  else
    wq->first = to->work_next;
  if (wq->last == to)
    wq->last = before;
  to->work_next = NULL;
  wq->n_pending -= n;
}

/* io_get_next_work(): the first item that may run; a hashed one comes with its whole run.
 * *ret_busy: some bucket was skipped because it is busy. */
static Request *io_wq_next_work (IoWq *wq, gboolean *ret_busy)
{
  Request *before = NULL;

  *ret_busy = FALSE;
  for (Request *request = wq->first; request;) {
    Request *tail = request;

    if (request->hashed) {
      uint64_t bit = (uint64_t) 1 << request->bucket;

      tail = wq->hash_tail[request->bucket];
      if (!(wq->hash_map & bit)) {
        wq->hash_map |= bit;
        wq->hash_tail[request->bucket] = NULL;
        io_wq_cut (wq, before, request, tail);
        return request;
      }
      *ret_busy = TRUE;
    } else {
      io_wq_cut (wq, before, request, request);
      return request;
    }
    before = tail;
    request = tail->work_next;
  }
  return NULL;
}

static void worker_set_busy (IoWorker *worker, gboolean busy)
{
  SimulationCounters *count = &worker->wq->sim->count;
  UrTime now = sim_now (worker->wq->sim);

  ur_level_set (&count->workers_running, now, count->workers_running.level + (busy ? 1 : -1));
}

/* The bucket is free again; who waited for it may look. */
static void io_wq_unhash (Task *task, IoWq *wq, unsigned bucket)
{
  wq->hash_map &= ~((uint64_t) 1 << bucket);
  wq->stalled = FALSE;
  if (wq->on_hash_wait) {
    wq->on_hash_wait = FALSE;
    io_wq_activate_free_worker (task, wq);
  }
}

static void io_worker_run (Task *task, IoWorker *worker, Request *request)
{
  IoWq *wq = worker->wq;
  gboolean hashed = request->hashed;
  unsigned bucket = request->bucket;
  Request *next;

  free_list_remove (worker);
  task_cancel_sleep (task);
  worker_set_busy (worker, TRUE);
  for (; request; request = next) {
    next = request->work_next;
    task_cond_resched (task);
    worker->current = request;
    wq->n_executing++;
    task_cost (task, COST_WORKER_ITEM);
    io_wq_submit_work (task, request);
    wq->n_executing--;
    worker->current = NULL;
  }
  if (hashed) {
    task_sync (task);
    io_wq_unhash (task, wq, bucket);
  }
  worker_set_busy (worker, FALSE);
}

/* io_worker_handle_work(): FALSE if nothing could be taken. */
static gboolean io_worker_handle_work (Task *task, IoWorker *worker)
{
  IoWq *wq = worker->wq;
  gboolean busy = FALSE;
  Request *request;

  spinlock_hold (task, &wq->lock, sim_cost (wq->sim, COST_WORKER_SCAN));
  task_sync (task);
  request = io_wq_has_work (wq) ? io_wq_next_work (wq, &busy) : NULL;
  if (!request) {
    if (busy) { /* io_wait_on_hash(); nothing can happen between the look and this, so no second look is needed */
      wq->stalled = TRUE;
      wq->on_hash_wait = TRUE;
    }
    return FALSE;
  }
  io_worker_run (task, worker, request);
  return TRUE;
}

static void io_worker_exit (Task *task, IoWorker *worker)
{
  (void) task;
  free_list_remove (worker);
  worker->wq->nr_workers--;
  worker->wq->nr_running--;
  sim_worker_exited (worker->wq->sim);
}

/* io_wq_worker().  Taking work leaves the worker in TASK_RUNNING, so that the first schedule() after work only offers the
 * CPU to others; the list is looked at once more with the worker on the free list, where whoever queues work finds it,
 * before it really sleeps. */
static void io_worker_body (Task *task, void *data)
{
  IoWorker *worker = data;
  IoWq *wq = worker->wq;
  gboolean woken = FALSE;

  for (;;) {
    gboolean worked = FALSE;
    UrTime awake_at = task->awake_at;

    task_prepare_to_sleep (task);
    while (io_wq_has_work (wq))
      worked |= io_worker_handle_work (task, worker);
    if (woken && !worked)
      wq->sim->count.futile_wakeups++;
    task_cost (task, COST_WORKER_SCAN);
    task_sync (task);
    if (worker->timed_out && wq->nr_workers > 1) {
      task_cancel_sleep (task);
      io_worker_exit (task, worker);
      return;
    }
    free_list_push (worker);
    task->waits_for = "work of an io-wq";
    worker->timed_out = !task_schedule (task, sim_now (wq->sim) + WORKER_IDLE_TIMEOUT);
    task->waits_for = NULL;
    woken = !worker->timed_out && task->awake_at != awake_at;
  }
}
