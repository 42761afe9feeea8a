/*
 * What the writers of `validate` are given for measured results: figures, measured and simulated, with verdicts.
 *
 * As in report.h the command fills these in and owns what they point to; nothing is computed by the writers.
 */
#ifndef RECORD_REPORT_H
#define RECORD_REPORT_H

#include "src/output/report.h"

/* What all reports of measured results begin with. */
typedef struct {
  const char *file;
  const Machine *machine;
  const char *policy;
  unsigned kernel, cpus;
  const char *cache;                /* pages at the start, in words */
  uint64_t seed, limit_ios;
  unsigned reps;                    /* seeds of each */
  const GPtrArray *notes;           /* of char * */
  gboolean interrupted;
} ReportBasis;

/* One result as it is named. */
typedef struct {
  const char *name, *fs;            /* one line without the file system; fs (nullable) */
  unsigned batch;
  const struct ReportRecordJob *job;    /* (nullable) of a record */
} ReportSubject;

/* The job of a record, member for member. */
typedef struct ReportRecordJob {
  const char *tool, *fs, *rw, *bs;
  const char *engine, *extra;       /* of fio; NULL for the wq tool */
  unsigned qd, nj, files, workers;  /* nj 0: not said; workers: of the wq tool */
  gboolean direct, sqpoll, force_async;
} ReportRecordJob;

typedef struct {
  ReportSubject subject;
  double measured_iops;             /* p80 */
  ReportEstimate simulated_iops;
  double measured;                  /* ratio to psync */
  ReportEstimate simulated;
  double error;
  gboolean noisy, bimodal;
  double mode[2], mode_error[2];    /* if bimodal */
} ReportRecord;

typedef struct { unsigned n; double median, p90; } ReportErrors;

typedef struct {
  ReportBasis basis;
  unsigned n_records; const ReportRecord *records;
  ReportErrors all, steady;         /* steady: without noisy ones */
  unsigned references, unreferenced, pairs, pairs_right;
  double max_median, max_p90, min_pairs;    /* what is asked, as fractions */
  gboolean ok;
} ReportRecords;

/* A share of busy CPU time that locks took. */
typedef struct {
  ReportSubject subject;
  double measured; ReportEstimate simulated;            /* shares of busy CPU time */
  double measured_busy; ReportEstimate simulated_busy;  /* of the time of all CPUs; measured_busy < 0: not known */
  gboolean busy_doubtful;
  double points;                    /* simulated less measured, percentage points */
  gboolean ok;
} ReportShare;

typedef struct {
  ReportBasis basis;
  unsigned n_shares; const ReportShare *shares;
  unsigned n_ok;
  double largest_points;            /* without sign */
  double max_points;                /* what is asked */
  gboolean ok;
} ReportShares;

/* A figure on both sides; negative: not known, or not enough I/Os to say it. */
typedef struct { double measured, simulated; } ReportPair;

/* One direction of a group of jobs of fio. */
typedef struct {
  ReportSubject subject;
  const char *op;                   /* "read", "write", "trim" */
  double measured_iops; ReportEstimate simulated_iops;
  double error;                     /* of IOPS, max (s/m, m/s) - 1 */
  ReportPair bw_bytes;
  ReportPair lat_mean;              /* ns, from prepared to reaped */
  const char *latency;              /* whose distribution is compared: "clat", or "lat" */
  ReportPair mean, p50, p99, p999;  /* ns, of it */
  double demerit;                   /* ns; negative: the distribution is not known */
  double demerit_share;             /* of the measured mean */
} ReportResult;

typedef struct {
  ReportBasis basis;
  unsigned n_results; const ReportResult *results;
  ReportErrors errors;              /* of IOPS */
  double median_demerit;            /* share of the mean; negative: none known */
  double max_median, max_p90;       /* what is asked, as fractions */
  gboolean ok;
} ReportResults;

/* (transfer full) */
char *text_report_results (const ReportResults *report);
char *json_report_results (const ReportResults *report);
char *text_report_shares (const ReportShares *report);
char *json_report_shares (const ReportShares *report);
char *text_report_records (const ReportRecords *report);
char *json_report_records (const ReportRecords *report);

#endif
