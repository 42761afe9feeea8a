/*
 * How far two distributions of latencies are apart: the demerit figure of Ruemmler and Wilkes ("An introduction to disk
 * drive modeling", IEEE Computer 27(3), 1994), the root mean square of the horizontal distance between their curves.
 *
 * A curve gives the latency that a share of the I/Os does not pass.
 */
#ifndef DEMERIT_H
#define DEMERIT_H

#include "src/input/measurement.h"

typedef struct LatencyCurve LatencyCurve;
/* From bins if there are, else from percentiles, between which the curve is straight; it begins at the minimum and
 * ends at the maximum.  NULL if neither is known. (transfer full) */
LatencyCurve *latency_curve_measured (const MeasuredLatency *latency);
/* NULL if it is empty. (transfer full) */
LatencyCurve *latency_curve_simulated (const UrHistogram *histogram);
void          latency_curve_free (LatencyCurve *curve);        /* accepts NULL */
/* ns that `percent` of the I/Os do not pass; for measured curves fio's own figure if it gives that percentile. */
double        latency_curve_at (const LatencyCurve *curve, double percent);
/* Root mean square distance, ns. */
double        demerit (const LatencyCurve *a, const LatencyCurve *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LatencyCurve, latency_curve_free)

#endif
