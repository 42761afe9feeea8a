/*
 * From the options of a job section to the jobs and files of a workload: fio's
 * rules for clones, groups, depths, file names, sizes, and what exists at the start.
 */
#ifndef FIO_WORKLOAD_H
#define FIO_WORKLOAD_H

#include "src/input/fio_options.h"

typedef struct FioWorkload FioWorkload;

/* `path`: of the job file, for traces named beside it.  Its jobs start behind all that the workload has.
 * (transfer full) */
FioWorkload *fio_workload_new (Workload *workload, const FioJobOptions *options, const char *path);
void         fio_workload_free (FioWorkload *jobs);       /* accepts NULL */
/* Adds the clones of one section. */
gboolean     fio_workload_add (FioWorkload *jobs, const char *name, const JobOptions *options, const OptionPlace *place,
                               GError **error);

#endif
