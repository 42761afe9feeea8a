/*
 * From a fit to what is printed and written: the report of `calibrate`, and its machine file.
 */
#ifndef CALIBRATION_REPORT_H
#define CALIBRATION_REPORT_H

#include "src/command/calibration_bench.h"
#include "src/command/options.h"
#include "src/fit/fit.h"
#include "src/output/calibration.h"

/* A fit with all it was made of; everything is borrowed. */
typedef struct {
  const char *what;                     /* "results" */
  const char *base;
  const CalibrationBench *bench;
  const FitProblem *problem;
  const FitResult *result;
  unsigned n_jobs; const CalibrationJob *jobs;
  char *const *names;                   /* of the jobs, fit for a terminal */
  const CalibrationParameter *parameters;
  const GPtrArray *notes;               /* of char * */
} CalibrationOutcome;

/* Prints it as options say. */
gboolean calibration_print (const CalibrationOutcome *outcome, const Options *options, GError **error);

/* Is `path` NAME.machine with a NAME that a machine may have?  OPTIONS_ERROR. */
gboolean calibration_check_output (const char *path, GError **error);
/* Writes the fitted machine to options->output as a whole or not at all. */
gboolean calibration_write (const CalibrationOutcome *outcome, const Options *options, GError **error);

#endif
