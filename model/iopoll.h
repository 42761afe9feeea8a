/*
 * IORING_SETUP_IOPOLL: completions that are looked for instead of announced by interrupts.
 *
 * Stands for io_rw_init_file(), io_complete_rw_iopoll(), io_iopoll_req_issued(), io_iopoll_check(), io_do_iopoll() and,
 * for HYBRID_IOPOLL (6.13), io_hybrid_uring_poll() of io_uring/rw.c and io_uring.c, blk_mq_poll(); 5.1 to 6.18.
 *
 *   - Only reads and writes with O_DIRECT: on any other file they fail with EOPNOTSUPP; other opcodes but NOP are
 *     refused when the sqe is prepared (EINVAL).
 *   - What was issued joins a list, under uring_lock: a worker takes it for that.
 *   - io_uring_enter(GETEVENTS) looks at the device's queue under uring_lock until there are enough completions,
 *     spinning as long as nobody else wants the CPU; an sq_thread looks once a round and does not spin.
 *   - A run of requests that are done, from the first one on the list that is, is completed together.
 *   - HYBRID_IOPOLL: the first look at a request sleeps half of the shortest time that any took so far.
 * All polled requests are on the one queue of the one device, so spinning is always allowed.  A device without poll
 * queues (Poll=no) interrupts as usual, and the poller sees it; from 6.12 on it fails polled requests with EOPNOTSUPP.
 */
#ifndef IOPOLL_H
#define IOPOLL_H

#include "model/ring.h"

/* A ring with the flag: before its first request. */
void io_iopoll_init (Ring *ring);
/* io_rw_init_file(): marks the request as polled, unless its file cannot be polled for. */
void io_iopoll_prepare (Request *request);
/* It has been given to the device. */
void io_iopoll_req_issued (Task *task, Ring *ring, Request *request);
/* io_iopoll_check(): until `min` CQEs are ready, somebody else wants the CPU, or `deadline`. */
void io_iopoll_check (Task *task, Ring *ring, unsigned min, UrTime deadline);
/* Looks for completions once, under uring_lock: for the sq_thread. */
void io_do_iopoll (Task *task, Ring *ring);

#endif
