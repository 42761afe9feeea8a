/*
 * What a trace looks like beyond its counts: sizes, gaps, order of offsets.  One pass over its requests.
 */
#ifndef TRACE_STATISTICS_H
#define TRACE_STATISTICS_H

#include "src/engine/histogram.h"
#include "src/input/trace.h"

typedef struct { uint64_t bytes, n; } TraceSize;

#define TRACE_SIZES_LIMIT 4096u    /* different sizes that are counted one by one */

typedef struct {
  uint64_t ios;                /* requests, syncs included */
  GArray  *sizes;              /* of TraceSize: reads, writes and trims by length, most frequent first, then smallest */
  uint64_t other_sizes;        /* requests of sizes beyond TRACE_SIZES_LIMIT */
  UrHistogram gaps;            /* ns between arrivals, ios - 1 of them; empty without times */
  double   rate;               /* requests per second of the span of arrivals; 0: not known */
  uint64_t sequential;         /* requests that start where the one before on the same file ended */
  uint64_t ranged;             /* reads, writes and trims but the first of each file: what `sequential` is a share of */
} TraceStatistics;

/* NULL with error set. (transfer full) */
TraceStatistics *trace_statistics_new (Trace *trace, GError **error);
void             trace_statistics_free (TraceStatistics *statistics);      /* accepts NULL */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TraceStatistics, trace_statistics_free)

#endif
