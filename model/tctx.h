/*
 * What a task that uses io_uring has beside its rings: since 5.12 its io-wq, one per queue of the policy.
 * Stands for io_uring_task of io_uring/tctx.c, 5.12 to 6.18 (one rule of 6.19): io_uring_alloc_task_context(),
 * io_init_wq_offload(), __io_uring_add_tctx_node(), io_uring_del_tctx_node(); and for io_register_iowq_max_workers(),
 * io_register_iowq_aff() of io_uring/register.c.
 *
 * Limits come from the task's first ring, and so does the object that says which buckets are being
 * executed (IoWqHash): two tasks that submit to one ring share it, two tasks with a ring each
 * do not, and then only the inode's lock serialises their writes to one file.  With SQPOLL the task is the sq_thread.
 * From 5.5 to 5.11 the io-wq belongs to the ring instead (Ring.io_wq): the functions here find either.
 *
 * Left out: a thread that registers a ring with other flags after its first use of io_uring.
 */
#ifndef TCTX_H
#define TCTX_H

#include "model/io_wq.h"

struct IoUringTask {
  Task *task;
  Ring *first;                          /* gives limits and hash; a ring lives as long as the simulation */
  unsigned n_rings;                     /* open ones */
  unsigned max_workers[IO_WQ_ACCT_NR];  /* IORING_REGISTER_IOWQ_MAX_WORKERS; 0: as the policy says */
  CpuMask  cpus;                        /* IORING_REGISTER_IOWQ_AFF; empty: any */
  IoWq   **io_wq; unsigned n_io_wq;     /* one per queue, each NULL until it is used */
};

/* `task` uses `ring` from now on. */
void  io_uring_add_tctx_node (Task *task, Ring *ring);
/* It closed it.  6.19 and later: without a ring its workers leave as soon as they are idle. */
void  io_uring_del_tctx_node (Task *task, Ring *ring);
void  io_uring_task_free (IoUringTask *tctx);      /* accepts NULL */

/* The io-wq of a queue for what `task` submits to `ring`; made at its first use. */
IoWq *io_uring_wq (Task *task, Ring *ring, unsigned queue);
/* The io-wq that the ring's owner uses for a queue; NULL as long as it has none.  For policies. */
IoWq *io_uring_wq_peek (const Ring *ring, unsigned queue);

/* IORING_REGISTER_IOWQ_MAX_WORKERS (5.15): {bounded, unbounded}, 0 leaves one as it is; the old limits come back.  Up
 * to 6.3 per node.  Workers beyond a lower limit leave when they have been idle for 5 s. */
void  io_uring_register_iowq_max_workers (Task *task, Ring *ring, unsigned count[IO_WQ_ACCT_NR]);
/* IORING_REGISTER_IOWQ_AFF (5.14): where workers made from now on may run. */
void  io_uring_register_iowq_aff (Task *task, Ring *ring, const CpuMask *cpus);

#endif
