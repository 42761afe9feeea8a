/*
 * From paths to a Workload: finds out by content what each input is, and hands
 * it to its reader.
 *
 * Read: fio job files, iologs (v2, v3), logs of fio, binary blktrace and the text of blkparse, plain or gzip, "-" for
 * standard input.
 * Everything else is an error that says what the input looks like.
 */
#ifndef INPUT_H
#define INPUT_H

#include "model/workload.h"
#include "src/input/fio_job.h"
#include "src/input/input_error.h"
#include "src/input/iolog.h"
#include "src/input/trace.h"

typedef enum {
  INPUT_FIO_JOB, INPUT_IOLOG, INPUT_IOLOG_V1, INPUT_CSV, INPUT_STRACE, INPUT_BLKTRACE, INPUT_BLKPARSE, INPUT_TRACEPOINTS, INPUT_FIO_JSON,
  INPUT_FIO_TERSE, INPUT_FIO_TEXT, INPUT_FIO_HIST_LOG, INPUT_FIO_LOG, INPUT_THROUGHPUT, INPUT_LOCK_SHARE, INPUT_UNKNOWN
} InputKind;
const char *input_kind_name (InputKind kind);      /* "fio job file", "iolog", ... */

/* Start from input_options_init(). */
typedef struct {
  gboolean lenient;            /* of every reader */
  IologOptions iolog;          /* lenient is taken from above */
  gboolean iolog_v1;           /* three numbers a line are an iolog of version 1 */
  int      log_columns;        /* of fio_log_open() */
  int      block_arrival;      /* BlockArrival: which event of a block trace is an arrival */
  int      engine;             /* ApplicationEngine; -1: io_uring for a trace, the job's own for a job file */
  unsigned iodepth;            /* 0: 32 for a trace, the job's own for a job file */
  int      cache;              /* CacheState; -1: clean for a trace, as the job says for a job file */
  int      files_exist;        /* job files: -1 by fio's rules, 0 none, 1 all with their full size */
  int      replay;             /* ReplayMode; -1: closed, or what the job file asks for */
  unsigned time_scale;         /* percent of the original rate; 0: 100 */
  unsigned cpus;               /* $ncpus in job files; 0: 1 */
  uint64_t memory;             /* bytes, for $mb_memory in job files; 0: not known */
} InputOptions;
void input_options_init (InputOptions *options);

/* Reads all inputs (paths: NULL-terminated, at least one) into one workload: each trace is a stream of its own, all
 * together; each job file starts when the ones before it have ended, as with fio.  INPUT_ERROR.  (transfer full) */
Workload *input_open (const char *const *paths, const InputOptions *options, GError **error);

/* What the input is, from its first bytes. */
InputKind input_detect (const ByteSource *source, GError **error);   /* INPUT_UNKNOWN with error: cannot be read */

/* The paths (NULL-terminated) as inputs: binary files STEM.blktrace.N of one STEM are one.  (transfer full)
 * (element-type GStrv) */
GPtrArray *input_group_paths (const char *const *paths);

/* One trace, for `trace info` and its like: an element of the groups above.  A job file is an error.  *ret_is_trace
 * (nullable): whether it was found to be a trace, perhaps a defective one. (transfer full) */
Trace *input_open_trace (const char *const *paths, const InputOptions *options, gboolean *ret_is_trace,
                         GError **error);

#endif
