/*
 * Can a measured result be?  Laws that hold whatever ran: Little's law, sums of latencies, order of percentiles, counts, units.
 */
#ifndef PLAUSIBILITY_H
#define PLAUSIBILITY_H

#include "src/input/measurement.h"

typedef struct {
  gboolean impossible;              /* else odd: it can be, but is not what it looks like */
  char    *text;
} PlausibilityFinding;
void plausibility_finding_clear (gpointer finding);      /* for g_array_set_clear_func() */

/* What is known; 0: it is not.  Rates per second, times in ns. */
typedef struct {
  const char *what;                 /* "write" */
  uint64_t ios, bytes;
  double   iops, bw_bytes, slat, clat, lat;
  double   iodepth, jobs, bs;
  gboolean clat_garbage;            /* of a fio that stamps wrongly under SQPOLL */
} PlausibilityFigures;

/* Adds what is wrong with the figures of one direction. */
void plausibility_figures (const PlausibilityFigures *figures, GArray *findings);
/* All of a result of fio. (transfer full) (element-type PlausibilityFinding) */
GArray *plausibility_measurement (const Measurement *measurement);

#endif
