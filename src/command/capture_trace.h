/*
 * The real side of a capture: its trace, and further traces of the same job on the same kernel if there are any, which
 * tell how much the kernel itself varies from run to run.
 *
 *   NAME.trace.gz                        the trace whose requests are compared one by one
 *   NAME.r2.trace.gz, NAME.r3.trace.gz   repetitions
 */
#ifndef CAPTURE_TRACE_H
#define CAPTURE_TRACE_H

#include "src/command/observation.h"
#include "src/input/validate_ini.h"

#define CAPTURE_TRACE_SUFFIX ".trace.gz"

typedef struct { unsigned sq_entries, cq_entries, flags; } CaptureRing;

typedef struct {
  GPtrArray *all;                               /* of Observation, the first one first */
  const Observation *first;
  unsigned n;                                   /* traces, with the first */
  uint64_t low[CAPTURE_COUNT_KINDS], high[CAPTURE_COUNT_KINDS];
  double   switches, switches_low, switches_high;     /* per I/O: mean, extremes */
  TracepointInfo info;                          /* of the first */
  GArray  *rings;                               /* of CaptureRing, those the first trace shows being set up */
} CaptureTrace;

/* Is this the name of a repetition (NAME.rN, without the suffix)? */
gboolean capture_trace_is_repetition (const char *name);
uint64_t capture_trace_count (const Observation *observation, CaptureCount count);
/* Context switches per submitted request. */
double   capture_trace_switches (const Observation *observation);
/* Reads them all. `streams`: see observation.h. (transfer full); NULL with INPUT_ERROR. */
CaptureTrace *capture_trace_open (const char *directory, const char *name, const ObservedStream *streams,
                                  unsigned n_streams, GError **error);
void     capture_trace_free (CaptureTrace *trace);             /* accepts NULL */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CaptureTrace, capture_trace_free)

#endif
