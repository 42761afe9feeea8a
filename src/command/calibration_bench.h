/*
 * Jobs simulated again and again on machines that differ in a few values: what `calibrate` asks of the model.
 *
 * A job is anything that can be run and has one measured figure: a throughput record, a result of fio, a row of an
 * experiment.  Each is simulated with the same seeds at every point, so that points differ by their values only; what
 * was simulated once is remembered.  Values are rounded as a machine file writes them before they are used: errors are
 * those of the file.
 */
#ifndef CALIBRATION_BENCH_H
#define CALIBRATION_BENCH_H

#include "model/metric.h"
#include "model/simulation.h"
#include "src/command/calibration_parameter.h"
#include "src/command/record_scenario.h"

/* One job.  Its error is log (simulated / measured). */
typedef struct {
  Metric   metric;
  const char *lock;             /* (nullable) see metric_of() */
  double   measured;
  int      reference;           /* job by whose figure both are divided; -1: none */
} CalibrationJob;

/* What the bench is made of; borrowed until it is freed. */
typedef struct {
  unsigned n_jobs; const CalibrationJob *jobs;
  /* One run of job `index` on a machine; the seed is overwritten.  From any thread. */
  SimulationSetup (*setup) (unsigned index, const RecordMachine *machine, const void *data);
  /* (nullable) The machine of a job before the parameters are set, where jobs differ in it. (transfer full) */
  Machine *(*load) (unsigned index, const void *data, GError **error);
  const void *data;
  const char *base;             /* machine of all jobs, without `load` */
  const GPtrArray *set;         /* of char *: KEY=VALUE laid over it before the parameters */
  unsigned n_parameters; const CalibrationParameter *parameters;
  uint64_t seed;
  unsigned reps;                /* seeds of each job; 0: see calibration_bench_settle() */
  unsigned threads;
} CalibrationBenchSetup;

/* With as many seeds, up to a limit, the rate of a job varies by chance by no more than this (standard deviation). */
#define CALIBRATION_LUCK 0.02
#define CALIBRATION_REPS_MAX 12u

typedef struct CalibrationBench CalibrationBench;
CalibrationBench *calibration_bench_new (const CalibrationBenchSetup *setup);
void              calibration_bench_free (CalibrationBench *bench);      /* accepts NULL */

/* Simulates the jobs with wanted[] set (and their references) with a few seeds at `point`, chooses the number of seeds
 * of each job if none was given, and tells how much the error of each varies by chance with them.  Before the first
 * calibration_bench_evaluate().  FALSE as there. */
gboolean calibration_bench_settle (CalibrationBench *bench, const double *point, const gboolean *wanted,
                                   double *ret_luck, GError **error);
/* FitProblem.evaluate with the bench as data: FALSE without error if SIGINT or SIGTERM came. */
gboolean calibration_bench_evaluate (const double *points, unsigned n_points, const gboolean *wanted,
                                     double *ret_errors, void *bench, GError **error);
/* The mean figure of a job at a point, simulated before (then it is remembered); NaN if it was not. */
double   calibration_bench_figure (const CalibrationBench *bench, unsigned job, const double *point);
unsigned calibration_bench_runs (const CalibrationBench *bench);         /* simulations so far */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CalibrationBench, calibration_bench_free)

#endif
