/*
 * Whose queue takes a punted request: for Per= of a policy (policy.h) the ring's, the submitting task's, the inode's or one of
 * the whole system.
 *
 * What kernels have: an io-wq per ring from 5.5 to 5.11 (io_wq_create() in io_uring_setup()), per task since 5.12
 * (tctx.h), a workqueue per ring before (5.1 to 5.4).  The others are what-if: an io-wq made so works as any other;
 * since 5.12 its workers are made by the task whose request asks for one more.
 */
#ifndef QUEUE_OWNER_H
#define QUEUE_OWNER_H

#include "model/ring.h"

/* Queues of one owner, by number of the policy's queue; each NULL until it is used. */
typedef struct QueueSet { unsigned n; IoWq **io_wq; Workqueue **workqueue; } QueueSet;

void       queue_set_free (QueueSet *set);               /* accepts NULL */

/* The io-wq for a request that `task` hands to a queue; made at its first use.  `inode` may be NULL if the queue is not
 * one per inode. */
IoWq      *queue_owner_io_wq (Task *task, Ring *ring, unsigned queue, Inode *inode);
/* The one there is, NULL if it has not been used. */
IoWq      *queue_owner_io_wq_peek (const Ring *ring, unsigned queue, const Inode *inode);
Workqueue *queue_owner_workqueue (Ring *ring, unsigned queue, Inode *inode);
Workqueue *queue_owner_workqueue_peek (const Ring *ring, unsigned queue, const Inode *inode);

/* Per=inode or file, Per=system: the queue is no ring's. */
gboolean   queue_owner_is_shared (const PolicyQueue *queue);

#endif
