/*
 * io-wq: io_uring's own worker pool.  Work to regular files that is hashed runs one at a
 * time per bucket, in order; a worker takes a whole run of one bucket and executes it
 * back to back.  Stands for io_uring/io-wq.c, 5.12 to 6.18 (one accounting class: all work
 * here is bounded): io_wq_enqueue(), io_wq_insert_work(), io_get_next_work(), io_worker_handle_work(),
 * io_wq_worker(), io_wq_worker_sleeping(), io_wq_worker_running(), create_worker_cb().
 *
 * By version: up to 6.4 a free worker that is already awake does not count as woken; up to 6.15
 * a worker that goes to sleep with work on the list asks for another one whatever it was doing
 * (6.16: only from inside an item, and not if the list starts with the same bucket); 6.18: a free worker is
 * woken before one is created.
 */
#ifndef IO_WQ_H
#define IO_WQ_H

#include "model/ring.h"

#define IO_WQ_BUCKETS 64

typedef struct IoWorker IoWorker;

IoWq    *io_wq_new (Ring *ring, const PolicyQueue *queue);
void     io_wq_free (IoWq *wq);                     /* accepts NULL */
/* Sets hashed and bucket of the request as io_prep_async_work() does on this kernel. */
void     io_wq_prepare (const IoWq *wq, Request *request);
void     io_wq_enqueue (Task *task, IoWq *wq, Request *request);
/* Task work of the owner (create_worker_cb()): workers that went to sleep asked for others. */
void     io_wq_create_workers_cb (Task *task, IoWq *wq);
/* For policies: work on the list, being executed, workers without work. */
unsigned io_wq_pending (const IoWq *wq);
unsigned io_wq_running (const IoWq *wq);
unsigned io_wq_idle (const IoWq *wq);

#endif
