/*
 * Measured results as simulations: the job of each as a workload on its file system, ready to run on any machine.
 *
 * `validate` and `calibrate` share this.  A bench is immutable once made: many threads may simulate its results at
 * once, each with machines of its own.
 */
#ifndef RECORD_SCENARIO_H
#define RECORD_SCENARIO_H

#include "model/simulation.h"
#include "src/input/measurement.h"

/* Requests simulated of a record, unless its 0.4 s are over before.  With fewer the first milliseconds count too
 * much, in which the scheduler has not yet spread two jobs over two CPUs. */
#define RECORD_DEFAULT_IOS 100000u

/* Start from record_conditions_init(). */
typedef struct {
  const char *policy, *device;      /* linux-6.18; virtio-disk, what is below the file systems */
  const char *fs;                   /* (nullable) instead of the results' own; needed where they name none */
  const char *job;                  /* (nullable) a job file instead of the results' options: its groups are theirs,
                                     * in order */
  const GPtrArray *set;             /* (nullable) KEY=VALUE: those of the device are applied, others skipped */
  unsigned kernel;                  /* 0: the policy's */
  unsigned cpus;                    /* 0: the machine's */
  int      cache;                   /* CacheState of all files; -1: as the options of the job say */
  uint64_t limit_ios;               /* 0: as long as the job runs */
} RecordConditions;
/* Pages resident and dirty: of records it is not known how many were dirty when a run began. */
void record_conditions_init (RecordConditions *conditions);

typedef struct RecordBench RecordBench;
/* `records` (element-type Measurement) and what `conditions` points to stay with the caller.  Errors of the readers;
 * those of a job name its place.  (transfer full) */
RecordBench *record_bench_new (const GPtrArray *records, const RecordConditions *conditions, GError **error);
void         record_bench_free (RecordBench *bench);        /* accepts NULL */
const Workload *record_bench_workload (const RecordBench *bench, unsigned index);
const Policy   *record_bench_policy (const RecordBench *bench);

/* A machine for both tools: fio's costs are the machine's own, the wq tool only reads the clock.  Both borrow
 * everything from `machine`: make it anew after machine_set().  */
typedef struct { Machine fio, wq; } RecordMachine;
void record_machine_init (RecordMachine *ret_machine, const Machine *machine);
/* Has the machine costs for the file systems of all results?  MACHINE_ERROR. */
gboolean record_bench_check_machine (const RecordBench *bench, const Machine *machine, GError **error);

/* One run of result `index`; the seed is left 0.  Borrows from bench and machine. */
SimulationSetup record_bench_setup (const RecordBench *bench, unsigned index, const RecordMachine *machine);

/* Mean rate of result `index`, I/Os per second, over the seeds seed .. seed + reps - 1.  FALSE with the error of
 * simulation_run(). */
gboolean record_bench_simulate (const RecordBench *bench, unsigned index, const RecordMachine *machine, uint64_t seed,
                                unsigned reps, double *ret_iops, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RecordBench, record_bench_free)

#endif
