/* See tctx.h.  Stands for io_uring/tctx.c. */
#include "model/tctx.h"

#include "model/cpu.h"
#include "model/queue_owner.h"

static IoUringTask *io_uring_alloc_task_context (Task *task, Ring *ring)
{
  IoUringTask *tctx = g_new0 (IoUringTask, 1);

  tctx->task = task;
  tctx->first = ring;
  tctx->n_io_wq = task->sim->setup->policy->n_queues;
  tctx->io_wq = g_new0 (IoWq *, tctx->n_io_wq);
  task->tctx = tctx;
  return tctx;
}

static IoUringTask *tctx_of (Task *task, Ring *ring)
{
  return task->tctx ? task->tctx : io_uring_alloc_task_context (task, ring);
}

void io_uring_add_tctx_node (Task *task, Ring *ring)
{
  IoUringTask *tctx = tctx_of (task, ring);

  if (tctx->n_rings++ == 0)
    for (unsigned i = 0; i < tctx->n_io_wq; i++)
      if (tctx->io_wq[i])
        io_wq_set_exit_on_idle (task, tctx->io_wq[i], FALSE);
}

void io_uring_del_tctx_node (Task *task, Ring *ring)
{
  IoUringTask *tctx = tctx_of (task, ring);

  g_assert (tctx->n_rings > 0);
  if (--tctx->n_rings || task->sim->kernel < KERNEL (6, 19))
    return;
  for (unsigned i = 0; i < tctx->n_io_wq; i++)
    if (tctx->io_wq[i])
      io_wq_set_exit_on_idle (task, tctx->io_wq[i], TRUE);
}

void io_uring_task_free (IoUringTask *tctx)
{
  if (!tctx)
    return;
  for (unsigned i = 0; i < tctx->n_io_wq; i++)
    io_wq_free (tctx->io_wq[i]);
  g_free (tctx->io_wq);
  g_free (tctx);
}

IoWq *io_uring_wq (Task *task, Ring *ring, unsigned queue)
{
  IoUringTask *tctx;

  if (ring->io_wq[queue])
    return ring->io_wq[queue];
  tctx = tctx_of (task, ring);
  if (!tctx->io_wq[queue]) { /* io_init_wq_offload() */
    IoWq *wq = tctx->io_wq[queue] = io_wq_new (tctx->first, queue, task);

    io_wq_max_workers (wq, (unsigned[]){ tctx->max_workers[0], tctx->max_workers[1] });
    io_wq_cpu_affinity (wq, cpu_mask_is_empty (&tctx->cpus) ? NULL : &tctx->cpus);
  }
  return tctx->io_wq[queue];
}

IoWq *io_uring_wq_peek (const Ring *ring, unsigned queue)
{
  const Task *owner = ring_owner (ring);

  if (ring->io_wq[queue])
    return ring->io_wq[queue];
  return owner && owner->tctx ? owner->tctx->io_wq[queue] : NULL;
}

void io_uring_register_iowq_max_workers (Task *task, Ring *ring, unsigned count[IO_WQ_ACCT_NR])
{
  IoUringTask *tctx = tctx_of (task, ring);
  unsigned old[IO_WQ_ACCT_NR] = { 0 };

  for (unsigned i = 0; i < tctx->n_io_wq; i++) {
    unsigned asked[IO_WQ_ACCT_NR] = { count[0], count[1] };

    const PolicyQueue *queue = &task->sim->setup->policy->queues[i];

    if (queue->kind != QUEUE_IO_WQ || queue->per == PER_INODE || queue->per == PER_FILE)
      continue;
    io_wq_max_workers (queue_owner_io_wq (task, ring, i, NULL), asked);
    for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++)
      old[k] = MAX (old[k], asked[k]);
  }
  for (unsigned k = 0; k < IO_WQ_ACCT_NR; k++) {
    tctx->max_workers[k] = count[k] ? count[k] : tctx->max_workers[k];
    count[k] = old[k];
  }
}

void io_uring_register_iowq_aff (Task *task, Ring *ring, const CpuMask *cpus)
{
  IoUringTask *tctx = tctx_of (task, ring);

  tctx->cpus = *cpus;
  for (unsigned i = 0; i < tctx->n_io_wq; i++)
    if (tctx->io_wq[i])
      io_wq_cpu_affinity (tctx->io_wq[i], cpu_mask_is_empty (cpus) ? NULL : cpus);
}
