/* Latencies of a fio result: means, percentiles, bins.  Only for src/input/fio_result.c. */
#ifndef FIO_RESULT_LATENCY_H
#define FIO_RESULT_LATENCY_H

#include "src/input/json_read.h"
#include "src/input/measurement.h"

/* Adds member `name` (slat_ns, ...) of a direction's object, of `ios` I/Os, to what other jobs of the group had;
 * `first`: there was none.  A missing member adds nothing.  FALSE with error set. */
gboolean fio_result_latency_add (JsonObject *direction, const char *name, uint64_t ios, gboolean first, JsonPlace place,
                                 MeasuredLatency *latency, GError **error);

#endif
