/* A request (io_kiocb), from the application's slot to the reaped CQE. */
#ifndef REQUEST_H
#define REQUEST_H

#include "model/inode.h"

/* When each thing happened, ns; 0: it did not. */
typedef struct {
  UrTime prepared;        /* the application starts to fill it in */
  UrTime issued;          /* fio's issue time: the submit call returned, or the tail was published to the sq_thread */
  UrTime attempt;         /* issue in the submitter starts */
  UrTime verdict;         /* done, or EAGAIN */
  UrTime queued;          /* on a queue's list */
  UrTime started;         /* taken by a worker */
  UrTime lock_wanted, lock_got;   /* the inode lock of the attempt that did the work */
  UrTime done;            /* the operation is finished */
  UrTime posted;          /* its CQE is visible */
  UrTime reaped;          /* the application has it */
  /* ns of queued -> started and of posted -> reaped in which who was to act was being woken */
  UrTime queue_wakeup, reap_wakeup;
} RequestTimes;

struct Request {
  Io io;
  Inode *inode;
  Ring *ring;             /* NULL: a synchronous engine */
  Application *application;
  unsigned slot;          /* of the application */
  unsigned cpu;           /* where it was submitted: its cache lines are there */
  uint64_t number;        /* in its stream, from 0 */
  gboolean force_async, direct;
  int prep_error;         /* errno with which its preparation fails (a malformed sqe); 0: it is well-formed */
  int64_t result;         /* bytes, or -errno */
  Outcome outcome;
  /* struct io_wq_work */
  gboolean hashed, concurrent;
  gboolean unbound;       /* IO_WQ_WORK_UNBOUND: on neither a regular file nor a block device; whoever makes it sets it */
  unsigned bucket;
  Request *work_next;
  /* struct work_struct */
  struct Workqueue *workqueue;
  GList link;             /* in a workqueue's list, or in one of completions without a CQE; data is the request itself */
  UrTime entered;         /* counted as in flight since */
  RequestTimes time;
};

#endif
