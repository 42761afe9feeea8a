/* See queue_owner.h. */
#include "model/queue_owner.h"

#include "model/tctx.h"
#include "model/workqueue.h"

static const PolicyQueue *policy_queue (const Ring *ring, unsigned queue)
{
  return &ring->sim->setup->policy->queues[queue];
}

gboolean queue_owner_is_shared (const PolicyQueue *queue) { return queue->per >= PER_INODE; }

static gboolean is_by_inode (const PolicyQueue *queue) { return queue->per == PER_INODE || queue->per == PER_FILE; }

static QueueSet *queue_set (QueueSet **set, unsigned n)
{
  if (!*set) {
    *set = g_new0 (QueueSet, 1);
    (*set)->n = n;
    (*set)->io_wq = g_new0 (IoWq *, n);
    (*set)->workqueue = g_new0 (Workqueue *, n);
  }
  return *set;
}

void queue_set_free (QueueSet *set)
{
  for (unsigned i = 0; set && i < set->n; i++) {
    io_wq_free (set->io_wq[i]);
    workqueue_free (set->workqueue[i]);
  }
  if (set) {
    g_free (set->io_wq);
    g_free (set->workqueue);
  }
  g_free (set);
}

/* The queues of the inode or the system, as the queue says; NULL if there are none yet. */
static const QueueSet *shared_peek (const Ring *ring, unsigned queue, const Inode *inode)
{
  return is_by_inode (policy_queue (ring, queue)) ? inode ? inode->queues : NULL : ring->sim->queues;
}

static QueueSet *shared_set (Ring *ring, unsigned queue, Inode *inode)
{
  unsigned n = ring->sim->setup->policy->n_queues;

  return queue_set (is_by_inode (policy_queue (ring, queue)) ? &inode->queues : &ring->sim->queues, n);
}

/* The io-wq of a ring, an inode or the system, which has no task of its own. */
static IoWq *shared_io_wq (Task *task, Ring *ring, unsigned queue, IoWq **io_wq)
{
  if (!*io_wq) {
    *io_wq = io_wq_new (ring, queue, ring->sim->kernel < KERNEL (5, 12) ? NULL : task);
    if (task->tctx) /* what it registered before */
      io_wq_max_workers (*io_wq, (unsigned[]){ task->tctx->max_workers[0], task->tctx->max_workers[1] });
    if (task->tctx && !cpu_mask_is_empty (&task->tctx->cpus))
      io_wq_cpu_affinity (*io_wq, &task->tctx->cpus);
  }
  return *io_wq;
}

IoWq *queue_owner_io_wq (Task *task, Ring *ring, unsigned queue, Inode *inode)
{
  const PolicyQueue *policy = policy_queue (ring, queue);

  if (G_UNLIKELY (queue_owner_is_shared (policy)))
    return shared_io_wq (task, ring, queue, &shared_set (ring, queue, inode)->io_wq[queue]);
  if (G_UNLIKELY (policy->per == PER_RING))
    return shared_io_wq (task, ring, queue, &ring->io_wq[queue]);
  return ring->io_wq[queue] ? ring->io_wq[queue] : io_uring_wq (task, ring, queue);
}

IoWq *queue_owner_io_wq_peek (const Ring *ring, unsigned queue, const Inode *inode)
{
  const PolicyQueue *policy = policy_queue (ring, queue);

  if (G_UNLIKELY (queue_owner_is_shared (policy))) {
    const QueueSet *set = shared_peek (ring, queue, inode);

    return set ? set->io_wq[queue] : NULL;
  }
  return ring->io_wq[queue] || policy->per == PER_RING ? ring->io_wq[queue] : io_uring_wq_peek (ring, queue);
}

Workqueue *queue_owner_workqueue (Ring *ring, unsigned queue, Inode *inode)
{
  const PolicyQueue *policy = policy_queue (ring, queue);
  QueueSet *set;

  if (G_LIKELY (policy->kind != QUEUE_WORKQUEUE || !queue_owner_is_shared (policy)))
    return ring->workqueue[queue];
  set = shared_set (ring, queue, inode);
  if (!set->workqueue[queue])
    set->workqueue[queue] = workqueue_new (ring, policy);
  return set->workqueue[queue];
}

Workqueue *queue_owner_workqueue_peek (const Ring *ring, unsigned queue, const Inode *inode)
{
  const PolicyQueue *policy = policy_queue (ring, queue);
  const QueueSet *set;

  if (policy->kind != QUEUE_WORKQUEUE || !queue_owner_is_shared (policy))
    return ring->workqueue[queue];
  set = shared_peek (ring, queue, inode);
  return set ? set->workqueue[queue] : NULL;
}
