/*
 * Throughput records: JSON lines, one measured job each.
 *
 *   {"batch": 1, "job": {"tool": "fio", "fs": "ext4", "rw": "randwrite", "bs": "4k", "qd": 8, "nj": 1, "files": 1,
 *    "direct": 0, "eng": "io_uring", "sqpoll": 0, "force_async": 0, "extra": ""}, "reps": 10,
 *    "iops": {"p50": N, "p80": N, "max": N, "min": N}, ...}
 *
 * tool "fio" has eng and extra; tool "wq" (see MEASURED_WQ) has workers instead and one job always.  Members that are
 * not listed here are skipped.  Blank lines are allowed.
 */
#ifndef THROUGHPUT_RECORD_H
#define THROUGHPUT_RECORD_H

#include "src/input/measurement.h"

/* Every record of the file, in order: INPUT_ERROR with FILE:LINE at the first that is malformed.
 * (transfer full) (element-type Measurement) */
GPtrArray *throughput_records_read (ByteSource *source, GError **error);

#endif
