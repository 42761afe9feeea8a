/*
 * Results of fio: --output-format=json and json+, from version 3.0 on.
 *
 * A result carries the options of its jobs, and so is enough to run them again, but for what fio leaves out: options
 * without a value (norandommap, stonewall, time_based), and with group_reporting all sections of a group but the first.
 * Jobs of one group ran together; time_based is taken as set where a job ran for its whole runtime.
 *
 * Text around the JSON is skipped; of several objects in one file (--status-interval) the last counts; nan and inf of
 * old versions are as if they were missing.
 */
#ifndef FIO_RESULT_H
#define FIO_RESULT_H

#include "src/input/measurement.h"

#define FIO_RESULT_BYTES_LIMIT (32u << 20)   /* of the unpacked file */
#define FIO_RESULT_JOBS_LIMIT  1024u

/* One Measurement for each group, in order: figures are sums over its jobs, latencies are merged (percentiles only
 * where there is one job, or bins).  A job that ended with an error, one without options: INPUT_ERROR.
 * (transfer full) (element-type Measurement) */
GPtrArray *fio_results_read (ByteSource *source, GError **error);

#endif
