/* Queueing, taking and executing work: see io_wq.h.  Stands for io_uring/io-wq.c, 5.5 to 6.18. */
#include "model/io_wq.h"

#include "model/io_wq_private.h"
#include "model/queue_owner.h"
#include "model/submit.h"

#define WORKER_IDLE_TIMEOUT (5 * UR_S)

/* ---- an io-wq and its parts ---- */

static void io_wqe_init_acct (IoWqe *wqe, IoWqAcctIndex index, unsigned max_workers)
{
  IoWqAcct *acct = &wqe->acct[index];
  unsigned kernel = wqe->wq->kernel;

  acct->index = index;
  acct->max_workers = max_workers;
  acct->list = kernel < KERNEL (5, 15) ? &wqe->list : &acct->own;
  acct->lock = kernel < KERNEL (5, 18) ? &wqe->lock : &acct->own_lock;
  acct->workers_lock = kernel < KERNEL (6, 15) ? &wqe->lock : &acct->own_workers_lock;
}

static IoWqHash *io_wq_get_hash (IoWqHash **hash)
{
  if (!*hash) {
    *hash = g_new0 (IoWqHash, 1);
    (*hash)->refs = 1;
  }
  (*hash)->refs++;
  return *hash;
}

void io_wq_put_hash (IoWqHash *hash)
{
  if (hash && --hash->refs == 0)
    g_free (hash);
}

static void io_wqe_init (IoWq *wq, unsigned node, Ring *ring, unsigned queue)
{
  const PolicyQueue *policy = &wq->sim->setup->policy->queues[queue];
  IoWqe *wqe = &wq->wqe[node];

  wqe->wq = wq;
  wqe->node = node;
  if (io_wq_is_managed (wq) || queue_owner_is_shared (policy)) {
    wqe->hash = g_new0 (IoWqHash, 1);
    wqe->hash->refs = 1;
  } else {
    wqe->hash = io_wq_get_hash (&ring->hash[queue]);
  }
  io_wqe_init_acct (wqe, IO_WQ_ACCT_BOUND, ring_max_workers (ring, policy));
  io_wqe_init_acct (wqe, IO_WQ_ACCT_UNBOUND, IO_WQ_RLIMIT_NPROC);
}

IoWq *io_wq_new (Ring *ring, unsigned queue, Task *task)
{
  Simulation *sim = ring->sim;
  const PolicyQueue *policy = &sim->setup->policy->queues[queue];
  IoWq *wq = g_new0 (IoWq, 1);

  wq->use_refs = 1;
  wq->sim = sim;
  wq->kernel = sim->kernel;
  wq->hash_key = policy->hash;
  wq->wake = policy->wake;
  wq->idle_time = policy->idle_time ? policy->idle_time : WORKER_IDLE_TIMEOUT;
  wq->task = task;
  wq->shared = policy->per != PER_KERNEL;
  wq->affinity = policy->affinity_text ? &policy->affinity : NULL;
  wq->n_wqes = wq->kernel < KERNEL (6, 4) ? sim->n_nodes : 1;
  wq->wqe = g_new0 (IoWqe, wq->n_wqes);
  for (unsigned i = 0; i < wq->n_wqes; i++)
    io_wqe_init (wq, i, ring, queue);
  io_wq_cpu_affinity (wq, NULL);
  if (io_wq_is_managed (wq))
    io_wq_start_manager (wq);
  return wq;
}

IoWq *io_wq_get (IoWq *wq)
{
  wq->use_refs++;
  return wq;
}

void io_wq_free (IoWq *wq)
{
  IoWorker *worker, *next;

  if (!wq || --wq->use_refs)
    return;
  for (worker = wq->all; worker; worker = next) {
    next = worker->all_next;
    g_free (worker);
  }
  for (unsigned i = 0; i < wq->n_wqes; i++)
    io_wq_put_hash (wq->wqe[i].hash);
  g_free (wq->wqe);
  g_free (wq);
}

/* The lists of a wqe: one for both classes up to 5.14. */
static unsigned io_wqe_pending (const IoWqe *wqe) { return wqe->list.n + wqe->acct[0].own.n + wqe->acct[1].own.n; }

unsigned io_wq_pending (const IoWq *wq)
{
  unsigned n = 0;

  for (unsigned i = 0; i < wq->n_wqes; i++)
    n += io_wqe_pending (&wq->wqe[i]);
  return n;
}

unsigned io_wq_running (const IoWq *wq) { return wq->n_executing; }

unsigned io_wq_idle (const IoWq *wq)
{
  unsigned n = 0;

  for (unsigned i = 0; i < wq->n_wqes; i++)
    n += wq->wqe[i].n_free;
  return n;
}

unsigned io_wq_limit (const IoWq *wq, IoWqAcctIndex index) { return wq->wqe[0].acct[index].max_workers; }

/* ---- which work is hashed ---- */

/* IOSQE_ASYNC: nobody has looked the file up when the work is prepared, from 6.10 on ("drop ->prep_async()", which took
 * io_req_prep_async() and its early look-up away).  A registered file never was looked up there; that it is not on
 * 6.18 was seen in traces, and that it is on 6.1; where in between that changed is not known, 6.4 is taken. */
static gboolean io_work_has_no_file (const Simulation *sim, const Request *request)
{
  return request->force_async && request->opcode == REQUEST_IO &&
         sim->kernel >= (request->sqe_flags & SQE_FIXED_FILE ? KERNEL (6, 4) : KERNEL (6, 10));
}

/* Writes to regular files are ("only hash regular files", in 5.5 itself), on IOPOLL rings (5.10) whatever goes to one.
 * Direct writes are not if the file system can do them in parallel (6.4), nor what has no file yet. */
static gboolean io_work_is_hashed (const Simulation *sim, const Request *request)
{
  const FileSystem *fs = sim->setup->file_system;
  gboolean write = request->io.op == IO_WRITE;

  if (request->unbound)
    return FALSE;
  if (!fs->regular || io_work_has_no_file (sim, request))
    return FALSE;
  if (request->ring && request->ring->flags.iopoll && sim->kernel >= KERNEL (5, 10))
    return TRUE;
  return write && !(request->direct && kernel_range_has (fs->dio_parallel_write, sim->kernel));
}

void io_wq_prepare (const IoWq *wq, Request *request)
{
  Simulation *sim = wq->sim;

  if (io_work_has_no_file (sim, request) && request->io.op <= IO_WRITE) /* it might be a socket */
    request->unbound = TRUE;
  request->hashed = wq->hash_key != HASH_NONE && request->opcode == REQUEST_IO && io_work_is_hashed (sim, request);
  request->bucket = wq->hash_key == HASH_RING ? request->ring->id % IO_WQ_BUCKETS : request->inode->bucket;
  request->concurrent =
      request->force_async ||
      (request->io.op >= IO_SYNC && sim->kernel >= KERNEL (6, 3)); /* what must block is forced asynchronous */
}

/* ---- queueing ---- */

/* io_wq_insert_work() */
static void io_wq_insert_work (IoWqe *wqe, IoWorkList *list, Request *request)
{
  Request *after = request->hashed ? wqe->hash_tail[request->bucket] : NULL;

  if (!after)
    after = list->last;
  if (after) {
    request->work_next = after->work_next;
    after->work_next = request;
  } else {
    request->work_next = list->first;
    list->first = request;
  }
  if (after == list->last)
    list->last = request;
  if (request->hashed)
    wqe->hash_tail[request->bucket] = request;
  list->n++;
}

/* io_worker_spin_for_work() of 5.5 (36c2f9223e84, removed in 5.6 by 3030fd4cb783): after work up to 1000 looks at the
 * list, without its lock, until there is some or somebody else wants the CPU.  The worker counts as running. */
static gboolean io_wq_spins (const IoWq *wq) { return wq->kernel == KERNEL (5, 5); }

static void io_worker_spin_for_work (Task *task, IoWorker *worker)
{
  task_sync (task);
  if (io_acct_has_work (worker->acct))
    return;
  worker->spinning = TRUE;
  task_spin (task, NULL, sim_now (task->sim) + sim_cost (task->sim, COST_WORKER_SPIN));
  worker->spinning = FALSE;
}

/* The list has work again: who spins sees it when the line has come over.  Lock, list and flags are on that line, and
 * the looks of who spins take it away from `task` between its accesses. */
static void io_wq_end_spins (Task *task, const IoWqe *wqe)
{
  gboolean any = FALSE;

  for (IoWorker *worker = io_wq_spins (wqe->wq) ? wqe->wq->all : NULL; worker; worker = worker->all_next)
    if (worker->spinning && worker->wqe == wqe) {
      task_spin_finish (worker->task, sim_cost (wqe->wq->sim, COST_LOCK_TRANSFER));
      any = TRUE;
    }
  for (unsigned access = 0; any && access < 3; access++)
    task_cost (task, COST_LOCK_TRANSFER);
}

/* Whether somebody who runs now will see to new work; `busy`: its bucket is being executed. */
static gboolean io_wq_leaves_it (const IoWq *wq, const IoWqAcct *acct, gboolean concurrent, gboolean busy)
{
  switch (wq->wake) {
  case WAKE_ALWAYS:
    return FALSE;
  case WAKE_BUCKET_FREE:
    return busy;
  case WAKE_NONE_RUNS:
    return !concurrent && acct->nr_running;
  default:
    return wq->kernel < KERNEL (5, 15) && !concurrent && acct->nr_running;
  }
}

void io_wqe_enqueue (Task *task, IoWqe *wqe, Request *request)
{
  const IoWq *wq = wqe->wq;
  IoWqAcct *acct = &wqe->acct[request->unbound ? IO_WQ_ACCT_UNBOUND : IO_WQ_ACCT_BOUND];
  gboolean busy, concurrent = request->concurrent; /* it may be done, and in use again, before the last look at it */

  spinlock_hold (task, acct->lock, 0);
  task_sync (task);
  request->time.queued = sim_now (wq->sim);
  busy = request->hashed && (wqe->hash->map >> request->bucket & 1);
  io_wq_insert_work (wqe, acct->list, request);
  acct->list->stalled = FALSE;
  io_wq_end_spins (task, wqe);
  if (io_wq_leaves_it (wq, acct, concurrent, busy))
    return;
  if (wq->kernel >= KERNEL (5, 18) && wqe->free_list) { /* the head of the list and the worker: lines it wrote last */
    task_cost (task, COST_LOCK_TRANSFER);
    task_cost (task, COST_LOCK_TRANSFER);
    task_sync (task);
  }
  if (!io_wqe_activate_free_worker (task, wqe, acct) && (concurrent || acct->nr_running == 0))
    io_wq_create_worker (task, wqe, acct);
}

void io_wq_enqueue (Task *task, IoWq *wq, Request *request)
{
  io_wqe_enqueue (task, &wq->wqe[wq->n_wqes > 1 ? task->cpu->node : 0], request);
}

/* ---- taking ---- */

/* Cuts [from .. to] out of the list; `before` precedes it or is NULL. */
static void io_wq_cut (IoWorkList *list, Request *before, Request *from, Request *to)
{
  unsigned n = 1;

  for (Request *at = from; at != to; at = at->work_next)
    n++;
  if (before)
    before->work_next = to->work_next;
  else
    list->first = to->work_next;
  if (list->last == to)
    list->last = before;
  to->work_next = NULL;
  list->n -= n;
}

/* io_get_next_work(): the first item that may run; a hashed one comes with its whole run.
 * *ret_busy: the first bucket that was skipped because it is busy, or -1. */
static Request *io_get_next_work (IoWqe *wqe, IoWorkList *list, int *ret_busy)
{
  Request *before = NULL;

  *ret_busy = -1;
  for (Request *request = list->first; request;) {
    Request *tail = request;

    if (request->hashed) {
      uint64_t bit = (uint64_t) 1 << request->bucket;

      tail = wqe->hash_tail[request->bucket];
      if (!(wqe->hash->map & bit)) {
        wqe->hash->map |= bit;
        wqe->hash_tail[request->bucket] = NULL;
        io_wq_cut (list, before, request, tail);
        return request;
      }
      if (*ret_busy < 0)
        *ret_busy = (int) request->bucket;
    } else {
      io_wq_cut (list, before, request, request);
      return request;
    }
    before = tail;
    request = tail->work_next;
  }
  return NULL;
}

/* io_wait_on_hash(): TRUE if the bucket became free meanwhile. */
static gboolean io_wait_on_hash (Task *task, IoWqe *wqe, unsigned bucket)
{
  IoWqHash *hash = wqe->hash;

  if (io_wq_is_managed (wqe->wq)) /* bits under the wqe's lock, and nobody waits for them */
    return FALSE;
  spinlock_hold (task, &hash->wait_lock, 0);
  task_sync (task);
  if (wqe->on_hash_wait)
    return FALSE;
  if (!(hash->map & (uint64_t) 1 << bucket))
    return TRUE;
  wqe->on_hash_wait = TRUE;
  wqe->hash_next = hash->waiting;
  hash->waiting = wqe;
  return FALSE;
}

/* io_wq_hash_wake(): a class whose flag is clear has nobody to wake, for instance that of the worker that has
 * just cleared it: it is the first to look.  Up to 5.14 with one list it wakes whoever is free. */
static void io_wq_hash_wake (Task *task, IoWqe *wqe)
{
  wqe->on_hash_wait = FALSE;
  for (unsigned i = 0; i < IO_WQ_ACCT_NR; i++) {
    IoWqAcct *acct = &wqe->acct[i];

    if (!acct->list->stalled && wqe->wq->kernel >= KERNEL (5, 15))
      continue;
    acct->list->stalled = FALSE;
    io_wqe_activate_free_worker (task, wqe, acct);
    if (wqe->wq->kernel < KERNEL (5, 15))
      return;
  }
}

/* The bucket is free again; who waited for it may look. */
static void io_wq_unhash (Task *task, IoWorker *worker, unsigned bucket)
{
  const IoWq *wq = worker->wqe->wq;
  IoWqHash *hash = worker->wqe->hash;
  IoWqe *waiting, *next;

  if (io_wq_is_managed (wq))
    spinlock_hold (task, worker->acct->lock, 0);
  else if (wq->kernel >= KERNEL (5, 15))
    spinlock_hold (task, &hash->wait_lock, 0);
  task_sync (task);
  hash->map &= ~((uint64_t) 1 << bucket);
  worker->acct->list->stalled = FALSE;
  if (io_acct_has_work (worker->acct))
    io_wq_end_spins (task, worker->wqe);
  if (!hash->waiting)
    return;
  spinlock_hold (task, &hash->wait_lock, 0); /* wake_up() */
  task_sync (task);
  waiting = hash->waiting;
  hash->waiting = NULL;
  for (; waiting; waiting = next) {
    next = waiting->hash_next;
    io_wq_hash_wake (task, waiting);
  }
}

/* ---- executing ---- */

static void worker_set_busy (IoWorker *worker, gboolean busy)
{
  SimulationCounters *count = &worker->wqe->wq->sim->count;
  UrTime now = sim_now (worker->wqe->wq->sim);

  ur_level_set (&count->workers_running, now, count->workers_running.level + (busy ? 1 : -1));
}

/* __io_worker_busy(): from 5.5 to 5.11 a worker changes its class with the work it takes. */
static void io_worker_busy (Task *task, IoWorker *worker, const Request *request)
{
  IoWqAcct *acct = &worker->wqe->acct[request->unbound ? IO_WQ_ACCT_UNBOUND : IO_WQ_ACCT_BOUND];

  free_list_remove (worker);
  task_cancel_sleep (task);
  if (acct == worker->acct)
    return;
  worker->acct->nr_workers--;
  if (--worker->acct->nr_running == 0 && io_acct_has_work (acct) &&
      !io_wqe_activate_free_worker (task, worker->wqe, worker->acct))
    io_wq_create_worker (task, worker->wqe, worker->acct);
  worker->acct = acct;
  acct->nr_workers++;
  acct->nr_running++;
}

/* One item: returns the next of its chain if that is to be done, hashed or not. */
static Request *io_worker_do_work (Task *task, IoWorker *worker, Request *request)
{
  IoWq *wq = worker->wqe->wq;
  Request *linked;

  task_cond_resched (task);
  worker->current = request;
  wq->n_executing++;
  task_cost (task, COST_WORKER_ITEM);
  if (request->cpu != task->cpu->id)
    task_cost (task, COST_WORKER_FETCH);
  linked = io_wq_submit_work (task, request);
  wq->n_executing--;
  worker->current = NULL;
  return linked;
}

/* The second half of io_worker_handle_work(): a run, and what is linked to its items. */
static void io_worker_run (Task *task, IoWorker *worker, Request *request)
{
  io_worker_busy (task, worker, request);
  worker_set_busy (worker, TRUE);
  while (request) {
    Request *next_hashed = request->work_next, *linked;
    gboolean ends_run = request->hashed && !next_hashed;
    unsigned bucket = request->bucket;

    linked = io_worker_do_work (task, worker, request); /* from here on the request may be in use again */
    request = next_hashed;
    if (!request && linked && !linked->hashed) {
      request = linked;
      request->work_next = NULL;
      request->time.queued = task_now (task);
      linked = NULL;
    }
    if (linked)
      io_wqe_enqueue (task, worker->wqe, linked);
    if (ends_run)
      io_wq_unhash (task, worker, bucket);
  }
  task_sync (task);
  worker_set_busy (worker, FALSE);
}

/* io_acct_run_queue() and the first half of io_worker_handle_work(), under the list's lock: FALSE if nothing could be
 * taken. */
static gboolean io_worker_handle_work (Task *task, IoWorker *worker, UrTime scan)
{
  IoWqe *wqe = worker->wqe;
  IoWqAcct *acct = worker->acct;
  int busy = -1;
  Request *request;

  spinlock_hold (task, acct->lock, scan);
  task_sync (task);
  request = io_acct_has_work (acct) ? io_get_next_work (wqe, acct->list, &busy) : NULL;
  if (!request) {
    if (busy < 0)
      return FALSE;
    acct->list->stalled = TRUE;
    if (!io_wait_on_hash (task, wqe, (unsigned) busy))
      return FALSE;
    acct->list->stalled = FALSE; /* look again */
    return TRUE;
  }
  io_worker_run (task, worker, request);
  return TRUE;
}

/* Whether a worker that has nothing to do leaves. */
static gboolean io_worker_may_leave (const IoWorker *worker)
{
  const IoWq *wq = worker->wqe->wq;

  if (wq->exit_on_idle)
    return TRUE;
  if (!worker->timed_out)
    return FALSE;
  if (io_wq_is_managed (wq))
    return !worker->fixed;
  return worker->acct->nr_workers > 1 || (wq->kernel >= KERNEL (6, 3) && worker->wqe->bound &&
                                          !cpu_mask_has (&worker->wqe->cpus, worker->task->cpu->id));
}

/*
 * io_wq_worker().  After work it goes once round without sleeping: schedule() finds it runnable, as taking work made
 * it.  So it is on the free list already when it looks for the last time before it sleeps, and who queues after that
 * look finds it there.  What is left is the time between that look and the one of the scheduler's hook.
 */
void io_worker_body (Task *task, void *data)
{
  IoWorker *worker = data;
  Simulation *sim = worker->wqe->wq->sim;
  gboolean woken = FALSE, worked = FALSE;

  task_cost (task, COST_THREAD_START);
  if (!worker->running) { /* io_worker_start() of 5.5 to 5.11 */
    worker->running = TRUE;
    worker->acct->nr_running++;
  }
  for (;;) {
    UrTime awake_at = task->awake_at;
    UrTime scan;

    if (worked && io_wq_spins (worker->wqe->wq))
      io_worker_spin_for_work (task, worker);
    scan = worked ? 0 : sim_cost (sim, COST_WORKER_SCAN); /* the second look finds the line in the own cache */

    worked = FALSE;
    task_prepare_to_sleep (task);
    while (io_worker_handle_work (task, worker, scan)) {
      worked = TRUE;
      scan = sim_cost (sim, COST_WORKER_SCAN);
    }
    if (woken && !worked)
      sim->count.futile_wakeups++;
    spinlock_hold (task, worker->acct->workers_lock, 0);
    task_sync (task);
    if (io_worker_may_leave (worker)) {
      task_cancel_sleep (task);
      io_worker_exit (task, worker);
      return;
    }
    free_list_push (worker);
    if (!worked)
      task_cost (task, COST_WORKER_IDLE);
    task_sync (task);
    task->waits_for = "work of an io-wq";
    worker->timed_out = !task_schedule (task, sim_now (sim) + worker->wqe->wq->idle_time);
    task->waits_for = NULL;
    woken = !worker->timed_out && task->awake_at != awake_at;
  }
}

/* ---- cancelling ---- */

/* io_wq_remove_pending() */
static gboolean io_wq_remove_pending (IoWqe *wqe, IoWorkList *list, Request *request)
{
  Request *before = NULL, *at = list->first;

  while (at && at != request) {
    before = at;
    at = at->work_next;
  }
  if (!at)
    return FALSE;
  if (request->hashed && wqe->hash_tail[request->bucket] == request)
    wqe->hash_tail[request->bucket] = before && before->hashed && before->bucket == request->bucket ? before : NULL;
  io_wq_cut (list, before, request, request);
  return TRUE;
}

IoWqCancel io_wq_cancel (Task *task, IoWq *wq, Request *request)
{
  for (unsigned i = 0; i < wq->n_wqes; i++)
    for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++) {
      IoWqAcct *acct = &wq->wqe[i].acct[k];

      if (k && acct->list == acct[-1].list) /* up to 5.14 */
        continue;
      spinlock_hold (task, acct->lock, 0);
      task_sync (task);
      if (io_wq_remove_pending (&wq->wqe[i], acct->list, request))
        return IO_WQ_CANCEL_OK;
    }
  for (const IoWorker *worker = wq->all; worker; worker = worker->all_next)
    if (worker->current == request)
      return IO_WQ_CANCEL_RUNNING;
  return IO_WQ_CANCEL_NOTFOUND;
}

/* ---- the end of a run ---- */

/* Workers may be on their way: the counts are held against what they must at least or at most be. */
char *io_wq_check (const IoWq *wq)
{
  unsigned alive = 0, running[IO_WQ_ACCT_NR] = { 0 }, counted[IO_WQ_ACCT_NR] = { 0 };
  unsigned members[IO_WQ_ACCT_NR] = { 0 }, nr_workers[IO_WQ_ACCT_NR] = { 0 };

  for (const IoWorker *worker = wq->all; worker; worker = worker->all_next) {
    alive += worker->task->state != TASK_DEAD;
    running[worker->acct->index] += worker->running;
    members[worker->acct->index] += worker->task->on_running != NULL; /* it has not left */
  }
  for (unsigned i = 0; i < wq->n_wqes; i++)
    for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++) {
      counted[k] += wq->wqe[i].acct[k].nr_running;
      nr_workers[k] += wq->wqe[i].acct[k].nr_workers;
    }
  if (io_wq_pending (wq))
    return g_strdup_printf ("%u work pending", io_wq_pending (wq));
  if (wq->n_executing > alive || io_wq_idle (wq) > alive)
    return g_strdup_printf ("%u workers, %u execute work, %u are free", alive, wq->n_executing, io_wq_idle (wq));
  for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++) {
    if (running[k] > counted[k])
      return g_strdup_printf ("%u workers run, %u are counted", running[k], counted[k]);
    if (members[k] > nr_workers[k] || nr_workers[k] > members[k] + wq->n_creating)
      return g_strdup_printf ("a class has %u workers, %u are counted", members[k], nr_workers[k]);
  }
  return NULL;
}
