/*
 * The sq_thread (SQPOLL): submits what applications publish, runs task_work, spins while there is or was work
 * within the idle time, then sets NEED_WAKEUP and sleeps.  Stands for io_sq_thread(), __io_sq_thread(), io_sq_tw(),
 * io_sq_offload_create(), io_sq_thread_park() of io_uring/sqpoll.c and, before 6.0, fs/io_uring.c; 5.1 to 6.18.
 *
 * By version
 *   rings     one a thread before 5.10; later ATTACH_WQ shares it.  More than one: at most 8 sqes of each a round; the
 *             ring attached last comes first; the longest idle time counts
 *   name      io_uring-sq, a kernel thread that borrows the submitter's address space (5.1 to 5.11): up to 5.4 until it
 *             sleeps, up to 5.10 until it finds nothing to do, in 5.11 for one round; iou-sqp-TID later
 *   locks     uring_lock over a batch from 5.5 on (before, only IOPOLL needs it); sqd->lock all the time but while it
 *             yields, sleeps or lets somebody change the list of rings (in 5.10 and 5.11 it stands for kthread_park())
 *   task_work from 5.7 on when nothing was submitted, from 5.11 on every round; from 5.12 on it counts as work;
 *             8 items a round from 6.9, 32 from 6.16, what is left first the next time; then generic
 *             task_work (new workers), which from 6.9 on does not count as work
 *   EBUSY     a backlog of completions (5.5 to 5.12) stops the thread until a completion or the application wakes it
 *   wake-ups  a posted completion wakes a sleeping thread before 5.16; being woken restarts the idle time from 5.10 on,
 *             before only work does
 *
 * The idle time is counted in jiffies: the thread sleeps when the jiffy of its last work plus the idle time is over.
 * Left out: that a new thread of 5.1 to 5.4 and of 5.12 and later sleeps at once if it finds nothing; creds, NAPI;
 * rounds without work while it spins are not simulated one by one.
 */
#ifndef SQ_THREAD_H
#define SQ_THREAD_H

#include "model/ring.h"

/* struct io_sq_data: one thread and its rings. */
struct SqData {
  Simulation *sim;
  unsigned id;
  Mutex lock;
  Task *thread;
  GPtrArray *rings;                     /* of Ring, in the order in which they are served */
  UrTime idle;                          /* the longest of its rings */
  unsigned park_pending;                /* somebody wants to change the list */
  unsigned n_closed;                    /* rings on the list that are closed */
  unsigned changing;                    /* tasks from that wish until they have released the lock */
  gboolean waiting;                     /* the thread is on sqd->wait: asleep for want of work, or parked */
  gboolean has_mm;                      /* before 5.12: it has borrowed the address space */
};

/* The thread for a ring: that of `ring->attach` from 5.10 on if it has one, or a new one, made by `creator`. */
void sq_thread_start (Ring *ring, Task *creator);
/* The ring is closed: its thread forgets it, and ends with its last one. */
void sq_thread_finish (Task *task, Ring *ring);
/* The application published its tail: the thread sees it, or is woken by io_uring_enter(SQ_WAKEUP). */
void sq_thread_notify (Task *application, Ring *ring);
/* Sleeps until there is room in the SQ: io_uring_enter(SQ_WAIT), 5.10 and later. */
void sq_thread_wait_room (Task *application, Ring *ring);
void sq_data_free (SqData *sqd);

#endif
