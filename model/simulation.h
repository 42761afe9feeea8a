/*
 * One run: a workload, under a policy, on a machine and a file system, with a seed.
 * A run is one object: no globals, many runs may live in one process and thread.
 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "model/decision.h"
#include "model/device.h"
#include "model/file_system.h"
#include "model/life.h"
#include "model/machine.h"
#include "model/policy.h"
#include "model/result.h"
#include "model/trace_event.h"
#include "model/workload.h"

/* Versions of fio that jobs may behave as, as SimulationSetup.fio_version. */
#define FIO_OLDEST KERNEL (3u, 33u)
#define FIO_NEWEST KERNEL (3u, 42u)

typedef enum {
  SIMULATION_ERROR_CONFIG,       /* policy, machine and workload do not fit together: exit 2 */
  SIMULATION_ERROR_SOURCE,       /* the workload's stream failed: exit 3 */
  SIMULATION_ERROR_DEADLOCK,     /* nothing can go on; the message says who waits for whom: exit 1 */
  SIMULATION_ERROR_CHECK,        /* an end-of-run check broke: internal, exit 70 */
} SimulationError;
#define SIMULATION_ERROR (simulation_error_quark ())
GQuark simulation_error_quark (void);

/* All pointers are borrowed for the length of the call and only read. */
typedef struct {
  const Workload   *workload;
  const Policy     *policy;
  const Machine    *machine;
  const FileSystem *file_system;
  const Device     *device;      /* below the file system */
  unsigned kernel;               /* 0: the policy's */
  int      engine;               /* ApplicationEngine, or -1: each job's own */
  unsigned cpus;                 /* 0: the machine's */
  unsigned fio_version;          /* KERNEL (major, minor) of the fio that the jobs behave as; 0: 3.42 */
  unsigned nodes;                /* NUMA nodes; 0: the machine's; never more than CPUs */
  unsigned iodepth;              /* 0: each job's own */
  int      sqpoll;               /* -1: each job's own, 0, 1 */
  int      cache;                /* CacheState, or -1: each file's own */
  ReplayMode replay;
  uint64_t seed;
  uint64_t limit_ios;            /* 0: all */
  UrTime   limit_time;           /* 0: no limit */
  const volatile gint *interrupt;    /* (nullable) checked now and then; non-zero: stop, result marked */
  TraceFn trace; void *trace_data;   /* (nullable) told of every event */
  DecisionFn decision; void *decision_data;        /* (nullable) told of every decision of the policy */
  const DecisionOther *other;    /* (nullable) */
  LifeFn life; void *life_data;      /* (nullable) told of every request when it is reaped */
  gboolean stage_percentiles;    /* also the 99th percentiles of stages: takes some time and memory */
  UrTime   interval;             /* between samples of the run over time; 0: none */
  gboolean new_process;          /* applications have just been started, as fio's jobs, which wait for each other, are not */
  gboolean traced;               /* the machine records these events itself and pays for it: CPU.Tracepoint each */
  void   (*progress) (uint64_t ios, UrTime now, void *data); void *progress_data;   /* (nullable) */
} SimulationSetup;

/* Runs it to the end.  (transfer full); NULL with error set. */
RunResult *simulation_run (const SimulationSetup *setup, GError **error);

#endif
