/*
 * What one run of `calibrate` is made of, whether jobs are measured results or rows of an experiment.
 */
#ifndef CALIBRATION_RUN_H
#define CALIBRATION_RUN_H

#include "src/command/calibration_bench.h"
#include "src/command/command.h"
#include "src/command/experiment_case.h"
#include "src/fit/fit.h"

typedef struct {
  const Options *options;
  const char *base, *what;              /* what: of the jobs, "results" */
  GPtrArray *records;                   /* of Measurement (nullable) */
  RecordBench *record_bench;            /* (nullable) */
  ExperimentCase *experiment;           /* (nullable) */
  unsigned n_jobs;
  char **names;                         /* of the jobs, NULL-terminated */
  CalibrationJob *jobs;
  gboolean *used, *scored;
  double *deviation;
  GArray *parameters;                   /* of CalibrationParameter */
  FitParameter *fit_parameters;
  CalibrationBench *bench;
  GPtrArray *notes;                     /* of char * */
} Calibration;

/* Room for n_jobs of everything that belongs to a job. */
void calibration_allocate_jobs (Calibration *calibration, unsigned n_jobs);
void calibration_fill_fit_parameters (Calibration *calibration);

/* Everything up to the fit for options->experiment: its rows with a published figure are the jobs, its Fitted= keys (or
 * those of --parameter) the parameters.  FALSE with error set. */
gboolean calibration_open_experiment (Calibration *calibration, GError **error);
/* CalibrationBenchSetup.setup and .load of an experiment, with the Calibration as data. */
SimulationSetup calibration_experiment_setup (unsigned index, const RecordMachine *machine, const void *data);
Machine        *calibration_experiment_machine (unsigned index, const void *data, GError **error);

#endif
