/*
 * The workload of the benchmarks: one stream of random 4 KiB writes to one file of 1 GiB that is in memory and dirty.
 */
#ifndef TESTS_BENCH_RANDOM_WRITES_H
#define TESTS_BENCH_RANDOM_WRITES_H

#include "model/workload.h"

/* (transfer full) */
static inline Workload *random_writes (ApplicationEngine engine, unsigned iodepth, gboolean sqpoll, uint64_t ios)
{
  Workload *workload = workload_new ();
  WorkloadJob *job = workload_add_job (workload);
  uint32_t file = workload_add_file (workload, "file", (uint64_t) 1 << 30);

  ((WorkloadFile *) workload->files->pdata[file])->cache = CACHE_DIRTY;
  g_free (job->name);
  job->name = g_strdup ("randwrite");
  job->engine = engine;
  job->iodepth = job->iodepth_low = iodepth;
  job->sqpoll = sqpoll;
  g_array_append_val (job->files, file);
  job->pattern.order = PATTERN_RANDOM;
  job->pattern.has_read = FALSE;
  job->pattern.has_write = TRUE;
  job->pattern.size = (uint64_t) 1 << 30;
  job->pattern.io_size = ios * 4096;
  job->pattern.number_ios = ios;
  return workload;
}

#endif
