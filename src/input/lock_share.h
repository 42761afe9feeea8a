/*
 * Tables of lock shares: how much of the busy CPU time of a job went into waiting for rwsems, as a profiler has it.
 *
 *   # comment
 *   JOB<tab>FILE SYSTEM<tab>BUSY PERCENT OF ALL CPUS<tab>PERCENT OF BUSY TIME IN RWSEM SPINNING AND SLOW PATHS
 *
 * JOB is a phrase of words, in any order behind the first: an engine of fio, or "ring" for the wq tool (MEASURED_WQ); a
 * direction of fio (randwrite); a size (4k); qdN; "N job(s)", "N worker(s)", "N file(s)" and "one file"; IOSQE_ASYNC,
 * SQPOLL, and "hashed" for what is not forced.  Left-out words mean randwrite, 4k, depth 1, one job on one file.  A
 * busy percentage in parentheses is a doubtful one.
 */
#ifndef LOCK_SHARE_H
#define LOCK_SHARE_H

#include "src/input/measurement.h"

/* Every row of the table, in order; INPUT_ERROR with FILE:LINE at the first that is malformed.
 * (transfer full) (element-type Measurement) */
GPtrArray *lock_shares_read (ByteSource *source, GError **error);

#endif
