/*
 * The sq_thread (SQPOLL): submits what the application publishes, runs task_work, spins
 * while there is or was work within the idle time, then sets NEED_WAKEUP and sleeps.
 * One ring per thread here.  Stands for io_sq_thread() of io_uring/sqpoll.c (5.12 to 6.18)
 * and fs/io_uring.c (5.4).
 */
#ifndef SQ_THREAD_H
#define SQ_THREAD_H

#include "model/ring.h"

/* Starts the thread of a ring. */
void sq_thread_start (Ring *ring, Task *creator);
/* The application published its tail: the thread sees it, or is woken by io_uring_enter(SQ_WAKEUP). */
void sq_thread_notify (Task *application, Ring *ring);

#endif
