/*
 * What `policy search` found: the best setting of a policy's knobs, and the settings between which throughput and
 * latency have to be traded.
 */
#ifndef SEARCH_REPORT_H
#define SEARCH_REPORT_H

#include "src/output/report.h"

typedef struct {
  const char *name, *range, *origin;
} SearchKnob;

/* A setting that was tried. */
typedef struct {
  const char *const *values;        /* one text a knob */
  const ReportEstimate *metric;     /* METRICS_N */
  gboolean holds;                   /* keeps the limits of the objective */
  gboolean front;                   /* no other setting tried has more IOPS and no larger p99, or the reverse */
} SearchPoint;

typedef struct {
  const char *policy, *path, *objective, *machine;
  uint64_t seed;
  unsigned reps;
  unsigned n_knobs; const SearchKnob *knobs;
  gboolean exhaustive;
  uint64_t settings;                /* that there are; UINT64_MAX: too many to count, or knobs with decimals */
  unsigned n_points; const SearchPoint *points;     /* in the order in which they were tried */
  unsigned best;                    /* index of a point */
  unsigned n_front; const unsigned *front;          /* indices of points, most IOPS first */
  Metric   goal;
  const char *written;              /* (nullable) the policy file written */
  const GPtrArray *notes;           /* of char * */
  gboolean interrupted;
} SearchReport;

char *text_search (const SearchReport *report);       /* (transfer full) */
char *json_search (const SearchReport *report);       /* (transfer full) */

#endif
