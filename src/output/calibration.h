/*
 * What the writers of `calibrate` are given: a fit that is over, in words and numbers.
 *
 * The command fills these in and owns everything they point to; texts are fit for a terminal.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <glib.h>
#include <stdint.h>

/* One machine value. */
typedef struct {
  const char *key;
  const char *base_text, *value_text, *low_text, *high_text;    /* as a machine file has them */
  double   base, value, low, high;
  gboolean fitted, at_bound;
  const char *fate;                 /* for JSON: "fitted", "no effect", ... */
  const char *reason;               /* (nullable) why it was not fitted, in words */
  double   effect;                  /* root mean square of d log (result) / d log (value) */
  const char *strongest;            /* (nullable) result that depends on it most */
} ReportParameter;

/* One measured result.  Ratios to the reference, or rates; errors are logs of simulated over measured. */
typedef struct {
  unsigned number;                  /* from 1, as --use counts */
  const char *name;
  gboolean used;                    /* fitted to; else predicted */
  gboolean absolute;                /* not a ratio */
  double   measured, before, simulated;
  double   error_before, error;     /* NaN: not known */
  gboolean has_left_out; double left_out_error;
  const double *sensitivity;        /* of each parameter; used ones only (nullable) */
} ReportResult;

typedef struct {
  unsigned n;
  double   median, p90;             /* of max (s/m, m/s) - 1 */
  double   median_before;
} ReportErrors;

typedef struct {
  const char *name;                 /* of the result left out */
  double   error, median, change;   /* its own (log); median of all; that less the median with all */
  char    *moved;                   /* values that changed by more than 10 %, in words; "" */
  const double *values;             /* of each parameter */
} ReportLeftOut;

typedef struct {
  const char *base, *output;        /* output (nullable): the machine file written */
  const char *what;                 /* "results" or "rows of axboe-2019" */
  uint64_t seed;
  unsigned reps;                    /* seeds of each result; 0: as many as its luck asks for */
  unsigned evaluations, runs;
  gboolean partial, limit;
  double   noise;                   /* error (log) that is left per degree of freedom */
  unsigned n_parameters; const ReportParameter *parameters;
  unsigned n_results; const ReportResult *results;
  ReportErrors used, predicted, all;
  unsigned n_left_out; const ReportLeftOut *left_out;
  const GPtrArray *notes;           /* of char * */
} ReportCalibration;

/* (transfer full) */
char *text_report_calibration (const ReportCalibration *calibration);
char *json_report_calibration (const ReportCalibration *calibration);

#endif
