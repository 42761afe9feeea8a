/*
 * What the writers are given: runs that are over, with what is known about them from the other seeds.
 *
 * A command fills these in and owns everything they point to; the writers only read.  All computing (means, intervals,
 * ratios, verdicts) is done before.
 */
#ifndef REPORT_H
#define REPORT_H

#include "model/experiment.h"
#include "model/machine.h"
#include "model/result.h"
#include "model/workload.h"

/* A mean over seeds with the half width of its 95 % confidence interval; half_width < 0: one seed, not known. */
typedef struct {
  double mean, half_width;
  unsigned n;                       /* seeds; 0: nothing to say */
} ReportEstimate;

/* One row: the run with the printed seed, and the means over all seeds. */
typedef struct {
  const RunResult *result;
  gboolean baseline;                /* added by the program, not asked for */
  ReportEstimate metric[METRICS_N]; /* by Metric */
  ReportEstimate ratio;             /* of IOPS to the reference row, paired by seed; n = 0: none */
  const char *ratio_to;             /* the reference row's name */
} ReportRun;

/* The server in front of which requests pile up. */
typedef enum {
  BINDS_NOTHING,        /* no request waits for another: the latency of one is all there is */
  BINDS_APPLICATION, BINDS_SUBMITTER, BINDS_SQ_THREAD, BINDS_WORKERS, BINDS_LOCK, BINDS_DEVICE, BINDS_ARRIVALS, BINDS
} Binding;
/* What the time of one I/O at that server is made of. */
typedef enum {
  PART_APPLICATION, PART_SUBMISSION, PART_HAND_OFF, PART_LOCK, PART_FILE_SYSTEM, PART_DEVICE, PART_ARRIVALS, PARTS
} Part;

typedef struct {
  Binding  binds;
  double   time;                    /* ns between completions: 1 / IOPS */
  double   part[PARTS];             /* ns; add up to it */
  double   queue;                   /* requests that wait there, mean */
  double   bound_lock, bound_cpu, bound_device;     /* IOPS that each would allow alone; 0: it is not used */
} Operation;

typedef struct {
  unsigned faster, slower;          /* indices into Report.runs */
  ReportEstimate ratio;             /* of IOPS, paired by seed */
  gboolean tie;                     /* the interval holds 1, or the ratio is within 0.5 % of it */
  double   percentile;              /* 99.9, 99 or 50: the highest that both have samples for; 0: none */
  double   tail;                    /* faster / slower at it */
  double   cpu;                     /* faster / slower: CPU time per I/O, busy less polling */
  Part     cause;                   /* what shrinks most per I/O */
  double   saved, of;               /* ns: by how much, and of which time per I/O of the slower run */
  gboolean kernels_differ;
  gboolean arrivals;                /* both keep up with the pace of the workload: only latencies differ */
} ReportVerdict;

typedef struct {
  const char *command;              /* "run", "compare" */
  uint64_t seed;
  unsigned reps;
  const Workload *workload;
  const Machine *machine;
  ReplayMode replay;
  const GPtrArray *notes;           /* of char * */
  gboolean timing;                  /* wall-clock figures wanted */
  gboolean interrupted;
  unsigned n_runs;
  const ReportRun *runs;
  const Operation *operations;      /* by run (nullable) */
  const ReportVerdict *verdict;     /* (nullable) */
} Report;

typedef struct {
  double simulated, half_width;
  double error;                     /* simulated / published - 1; NAN: nothing published */
  gboolean ok, wrong_side;          /* within its limits; on the other side of 1 than published */
} ReportRatio;

/* A fitted key and its least and greatest value in the experiments of this report, base machines included. */
typedef struct {
  char    *key;
  double   least, most;
  const char *least_in, *most_in;   /* experiments */
} ReportSpread;

typedef struct {
  const Experiment *experiment;
  const Machine *machine;
  unsigned reps;
  const ReportRun *rows;            /* experiment->n_rows */
  const ReportRatio *ratios;        /* experiment->n_ratios */
  const GPtrArray *notes;           /* of char * */
  gboolean ok;
} ReportExperiment;

typedef struct {
  uint64_t seed;
  unsigned n_experiments;
  const ReportExperiment *experiments;
  unsigned ratios, ok, within_quarter, wrong_side;   /* within_quarter: of those that were published as a number */
  unsigned n_spreads; const ReportSpread *spreads;   /* of more than REPORT_SPREAD_LIMIT */
  gboolean interrupted;
} ReportReproduction;
#define REPORT_SPREAD_LIMIT 2.0

/* Everything as one text, ending in a newline. (transfer full) */
char *text_report (const Report *report);
char *text_report_reproduction (const ReportReproduction *reproduction);
char *json_report (const Report *report);
char *json_report_reproduction (const ReportReproduction *reproduction);

const char *replay_name (ReplayMode mode);

/* ---- text_verdict.c ---- */
/* One sentence to quote. (transfer full) */
char *verdict_sentence (const ReportRun *runs, const ReportVerdict *verdict);
const char *binding_text (Binding binding);
const char *part_text (Part part);

#endif
