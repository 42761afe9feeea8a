/*
 * A measured result: what ran on a real machine, and what came out.
 *
 * Readers (throughput_record.h, lock_share.h, fio_result.h, fio_plain_result.h) make them; measurement_workload.h makes the job of one a
 * workload.  A job is kept as options of fio, whatever it was written as, so that one reader of options judges them
 * all. Rates are per second, times nanoseconds, shares fractions of 1.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "src/engine/histogram.h"
#include "src/input/byte_stream.h"
#include <glib.h>

/* Bounds of what comes from outside. */
#define MEASUREMENT_RECORDS_LIMIT 1024u      /* results of one file */
#define MEASUREMENT_RATE_LIMIT    1e12       /* I/Os per second */

/* What issued the requests. */
typedef enum {
  MEASURED_FIO,                /* fio: "fio" in records */
  MEASURED_WQ,                 /* a small liburing program: "wq" in records.  Ring set up without flags, every free slot
                                * refilled, io_uring_submit_and_wait(1), offsets drawn with replacement, no work of its
                                * own but reading the clock */
} MeasuredTool;

/* The job of a record as its few fields say it. */
typedef struct {
  MeasuredTool tool;
  char    *fs, *rw, *bs;       /* bs as fio writes it: "4k" */
  char    *engine;             /* fio's ioengine; "io_uring" for MEASURED_WQ */
  char    *extra;              /* further options of fio, words with blanks between; "" */
  unsigned qd, nj, files;      /* iodepth; numjobs, all on the same files; files of 64 MiB */
  unsigned workers;            /* IORING_REGISTER_IOWQ_MAX_WORKERS, bounded and unbounded: the records show that it held
                                * for forced requests, which 6.10 and later take as unbounded; 0: the kernel's */
  gboolean direct, sqpoll, force_async;
} MeasuredJob;

typedef struct { char *name, *value; } MeasuredOption;      /* value (nullable): the name alone was given */
/* A section of a job file: its name and options in order. */
typedef struct {
  char   *name;
  GArray *options;             /* of MeasuredOption */
} MeasuredSection;

/* I/Os per second over the repetitions of a job. */
typedef struct { double p50, p80, max, min; } MeasuredRate;

typedef enum { MEASURED_READ, MEASURED_WRITE, MEASURED_TRIM, MEASURED_DIRECTIONS } MeasuredDirection;
const char *measured_direction_name (MeasuredDirection direction);      /* "read", "write", "trim" */

/* A distribution of latencies, as far as it is known. */
typedef struct {
  uint64_t n;                  /* I/Os in it; 0: not measured */
  double   mean, stddev;
  uint64_t min, max;
  GArray  *percentile;         /* of MeasuredPercentile, ascending (nullable) */
  UrHistogram *bins;           /* counts of json+ in fio's own bins; its sums are unset (nullable) */
} MeasuredLatency;
typedef struct { double percent; uint64_t ns; } MeasuredPercentile;

/* Of one direction of a result of fio; ios 0: there was none. */
typedef struct {
  uint64_t ios;
  uint64_t bytes;              /* that were completed; 0 where the result does not say it */
  double   iops, bw_bytes;
  MeasuredLatency slat, clat, lat;
} MeasuredOp;

typedef struct {
  char    *file; unsigned line;     /* where it stands; file is fit for messages */
  unsigned batch;                   /* records of one batch were measured in turn on one day */
  MeasuredTool tool;
  char    *fs;                      /* (nullable) file system, where the result names it */
  char    *name;                    /* one line for tables */
  unsigned workers;                 /* as in MeasuredJob */
  MeasuredJob *job;                 /* (nullable) of a record */
  GPtrArray *sections;              /* of MeasuredSection */
  unsigned reps;                    /* repetitions behind the figures; 0: not said */
  MeasuredRate iops;                /* all 0: not measured */
  double   spin_share;              /* of busy CPU time in the spinning and slow paths of rwsems; < 0: not measured */
  double   busy_share;              /* of the time of all CPUs; < 0: not measured */
  gboolean busy_doubtful;           /* it stands in parentheses */
  gboolean has_ops; MeasuredOp op[MEASURED_DIRECTIONS];
  MeasuredOp mixed;                 /* all directions in one (unified_rw_reporting): then op has none */
  MeasuredOp sync;                  /* fsync, fdatasync and sync_file_range: ios and lat only */
  gboolean clat_garbage;            /* completion latencies of this fio under SQPOLL mean nothing; lat does */
  char    *version;                 /* (nullable) of fio */
  GPtrArray *warnings;              /* of char *: what the file says beside the result */
} Measurement;

void         measured_latency_clear (MeasuredLatency *latency);
/* Puts two sets together: moments exactly, bins if both have them, percentiles only if one set is empty.  `from` is taken
 * and cleared. */
void         measured_latency_add (MeasuredLatency *into, MeasuredLatency *from);
/* Marks completion latencies that cannot be: larger than the whole latency. */
void         measurement_doubt_clat (Measurement *measurement);

Measurement *measurement_new (const char *file, unsigned line);
void         measurement_free (Measurement *measurement);       /* accepts NULL */
void         measured_job_free (MeasuredJob *job);              /* accepts NULL */

MeasuredSection *measured_section_new (const char *name);
void             measured_section_free (MeasuredSection *section);
/* An option behind the others; `value` (nullable). */
void             measured_section_add (MeasuredSection *section, const char *name, const char *value);

/* Hands a job over: fills in job, fs, tool, workers, name and sections. (transfer full) */
void measurement_take_job (Measurement *measurement, MeasuredJob *job);
/* "fio io_uring randwrite 4k qd8 sqpoll": the job without its file system. (transfer full) */
char *measured_job_text (const MeasuredJob *job);
/* Is it the job that ratios refer to: fio, psync, randwrite of 4k, one job, one file, nothing else? */
gboolean measured_job_is_reference (const MeasuredJob *job);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Measurement, measurement_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MeasuredJob, measured_job_free)

#endif
