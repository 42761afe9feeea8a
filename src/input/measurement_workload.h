/*
 * The job of a measured result as a workload: its options are read as those of a job file, so that what is known,
 * ignored or refused there is so here.
 */
#ifndef MEASUREMENT_WORKLOAD_H
#define MEASUREMENT_WORKLOAD_H

#include "model/workload.h"
#include "src/input/measurement.h"

/* `cache`: of all files, CacheState, or -1: as the job's options say.  `exist`: the files of a record were laid out
 * before; else fio's rules.  `cpus`: $ncpus.  Options that are not known: INPUT_ERROR with the result's place.
 * (transfer full) */
Workload *measurement_workload (const Measurement *measurement, int cache, unsigned cpus, GError **error);

#endif
