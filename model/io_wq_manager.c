/* The manager kthread of an io-wq, which made its workers from 5.5 to 5.11.  See io_wq.h.
 * Stands for fs/io-wq.c of 5.5 to 5.11: io_wq_manager(), io_wqe_need_worker(). */
#include "model/io_wq_private.h"

#define MANAGER_PERIOD UR_S

static gboolean io_wqe_has_cpus (const IoWqe *wqe) { return cpu_mask_next (&wqe->cpus, 0) < CPU_MASK_CPUS; }

/* Work that may run, nobody free, and one more allowed. */
static gboolean io_wqe_need_worker (const IoWqe *wqe, const IoWqAcct *acct)
{
  return !wqe->free_list && io_acct_has_work (acct) && acct->nr_workers < acct->max_workers;
}

static void manager_create (Task *task, IoWqe *wqe, IoWqAcct *acct)
{
  IoWorker *worker = create_io_worker (task, wqe, acct);

  worker->fixed = acct->nr_workers++ == 0 && acct->index == IO_WQ_ACCT_BOUND;
}

/* One worker per class and node in each pass, whichever class the work has: the list is one.  So bounded work gets an
 * unbounded worker too, which changes its class when it takes some, over the limit.  It looks before it goes to sleep
 * and not again: a wake-up that comes while it still runs is lost, and the next pass a second away. */
static void io_wq_manager_body (Task *task, void *data)
{
  IoWq *wq = data;

  for (unsigned i = 0; i < wq->n_wqes; i++)
    if (io_wqe_has_cpus (&wq->wqe[i]))
      manager_create (task, &wq->wqe[i], &wq->wqe[i].acct[IO_WQ_ACCT_BOUND]);
  for (;;) {
    for (unsigned i = 0; i < wq->n_wqes; i++) {
      IoWqe *wqe = &wq->wqe[i];
      gboolean fork_worker[IO_WQ_ACCT_NR];

      spinlock_hold (task, &wqe->lock, 0);
      task_sync (task);
      for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++)
        fork_worker[k] = io_wqe_need_worker (wqe, &wqe->acct[k]);
      for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++)
        if (fork_worker[k])
          manager_create (task, wqe, &wqe->acct[k]);
    }
    task_prepare_to_sleep (task);
    task->waits_for = "work for the manager of an io-wq";
    task_schedule (task, sim_now (task->sim) + MANAGER_PERIOD);
    task->waits_for = NULL;
  }
}

void io_wq_start_manager (IoWq *wq)
{
  wq->manager = task_new (wq->sim, "io_wq_manager", TASK_CLASS_WORKER, -1, io_wq_manager_body, wq);
  task_start (wq->manager, NULL);
}
