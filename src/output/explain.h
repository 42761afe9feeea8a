/*
 * The life of single requests in sentences, each with its time, the kernel function it stands for, and the reason.  All
 * wording is in one table keyed by event and kernel (explain_words.c).
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "model/life.h"
#include "model/policy.h"
#include "model/workload.h"

/* What can be said to happen to a request, in the order in which it can. */
typedef enum {
  EXPLAIN_PREPARED, EXPLAIN_CALLED, EXPLAIN_SUBMITTED, EXPLAIN_SUBMITTED_BY_SQ_THREAD, EXPLAIN_AIO_SUBMITTED,
  EXPLAIN_AIO_QUEUED, EXPLAIN_AIO_STARTED,
  EXPLAIN_DEFERRED, EXPLAIN_ATTEMPTED, EXPLAIN_BLOCKING, EXPLAIN_NOT_TRIED, EXPLAIN_REFUSED, EXPLAIN_QUEUED_HASHED, EXPLAIN_QUEUED, EXPLAIN_QUEUED_WORKQUEUE,
  EXPLAIN_STARTED, EXPLAIN_STARTED_KWORKER, EXPLAIN_CHAINED, EXPLAIN_LOCK_WANTED, EXPLAIN_LOCK_GOT, EXPLAIN_DONE, EXPLAIN_DONE_ASYNC,
  EXPLAIN_FAILED, EXPLAIN_MALFORMED, EXPLAIN_CANCELLED, EXPLAIN_NOTHING_TO_DO, EXPLAIN_POSTED_BATCH, EXPLAIN_POSTED, EXPLAIN_RETURNED, EXPLAIN_REAPED, EXPLAIN_EVENTS
} ExplainEvent;

/* A copy of a RequestLife that outlives the run. */
typedef struct { RequestLife life; char executor_name[32]; } ExplainedLife;

typedef struct {
  ExplainEvent event;
  UrTime   time;
  const char *function;             /* static; of this kernel; "" where none stands for it */
  const char *tracepoint;           /* static: the event that the kernel's tracer shows there; NULL: none */
  char    *text;                    /* the sentence */
} ExplainStep;

typedef struct {
  const Workload *workload;
  const Policy   *policy;
  const char *fs;                   /* name of the file system */
  unsigned kernel;
  unsigned verbose;                 /* 0; 1: tracepoints and stages; 2: every time stamp of the record */
} ExplainContext;

/* In order of time, at least EXPLAIN_PREPARED and EXPLAIN_REAPED. (transfer full) (element-type ExplainStep) */
GArray *explain_steps (const ExplainedLife *life, const ExplainContext *context);
/* One request: a line that names it, then its steps. (transfer full) */
char   *explain_text (const ExplainedLife *life, const ExplainContext *context);
/* {"request": ..., "steps": [...]} of each. (transfer full) */
char   *explain_json (const ExplainedLife *lives, unsigned n, const ExplainContext *context);

/* ---- explain_words.c ---- */
typedef struct {
  ExplainEvent event;
  unsigned since, until;            /* KERNEL (a, b), both inclusive; 0: any */
  const char *function;             /* "$op": io_write() or its like; "$vfs": vfs_write(); "$fs": the file system's */
  const char *tracepoint;           /* (nullable) */
  const char *words;                /* with $name for what explain.c knows */
} ExplainWords;
/* The row for an event on a kernel; there is one for each. */
const ExplainWords *explain_words (ExplainEvent event, unsigned kernel);
/* The file system's function for an operation on that kernel, e.g. "ext4_file_write_iter()"; static. */
const char *explain_fs_function (const char *fs, IoOp op, unsigned kernel);

#endif
