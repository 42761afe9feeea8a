/*
 * Where direct writes complete that may need the file system: the workqueue s_dio_done_wq ("dio/DEVICE"), bound to CPUs.
 * An item is executed on the CPU on which it was queued, that of the completion interrupt, by a kworker of that CPU.
 * Concurrency is managed: while a kworker of the CPU runs, no other is woken; one that sleeps in an item has the next
 * one woken; one idle kworker is kept in reserve.
 *
 * Stands for sb_init_dio_done_wq() of fs/super.c (fs/direct-io.c up to 6.0), iomap_dio_complete_work() of
 * fs/iomap/direct-io.c, and of kernel/workqueue.c: __queue_work(), wq_worker_sleeping(), wq_worker_running(),
 * worker_thread(), manage_workers(); 5.1 to 6.18.  All files of a run are on one file system: there is one.
 *
 * Left out: other work of the same pools; max_active (256 items of a CPU); kworkers that leave after 5 minutes.
 */
#ifndef DIO_WORKQUEUE_H
#define DIO_WORKQUEUE_H

#include "model/request.h"

/* Has `complete` (kworker, request) run in a kworker of `cpu`.  By an interrupt there, which is longer for it (task
 * NULL), or by a task. */
typedef void (*DioComplete) (Task *task, Request *request);
void     dio_queue_work (Simulation *sim, Task *task, Cpu *cpu, Request *request, DioComplete complete);
/* Items queued and not executed: 0 at the end of a run. */
unsigned dio_workqueue_pending (const Simulation *sim);
void     dio_workqueue_free (Simulation *sim);

#endif
