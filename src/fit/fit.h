/*
 * Fitting a few positive numbers to observations: which of them the observations can tell, their values, how sure they
 * are, and what would have come out without each observation.
 *
 * The caller knows what the numbers mean and computes the errors, log (computed / observed), of each observation at
 * given numbers; here is only the arithmetic.  Everything is done in logarithms: a cost that is twice too high is as
 * wrong as one that is half of what it should be.
 *
 * The order of work (fit_run):
 *   1. errors at the start values;
 *   2. sensitivities there: d error / d log (number), by central differences;
 *   3. a number is fitted if the observations tell it within a factor `within` either way (95 %, Student's t),
 *      all others being fitted as well; of those that fail this, the one with the least effect is dropped, and so
 *      on; never more numbers than observations - 1, nor more than `most`.  What is dropped keeps its start value;
 *   4. the least sum of weight * loss (error) over the observations used, where the loss is quadratic for small and
 *      linear for large errors (beyond FIT_LOSS_BEND), and an observation that was itself measured with a spread
 *      counts less.  Searched from the two best of a few dozen points around the start;
 *   5. steps 2 to 4 again at the values found, with the errors that are left as the measure of noise, until the
 *      set of fitted numbers stays;
 *   6. a bootstrap: observations get errors drawn from those that are left, measured values move within their spread,
 *      and the numbers follow by the sensitivities; its 2.5 and 97.5 percentiles are the confidence interval.
 * Same problem and seed: the same result, bit by bit.
 */
#ifndef FIT_H
#define FIT_H

#include <glib.h>
#include <stdint.h>

#define FIT_FACTOR 2.0          /* the default of FitProblem.within */
#define FIT_LOSS_BEND 0.3       /* error (log) from which on the loss grows linearly */
#define FIT_NOISE_FLOOR 0.02    /* errors (log) that are left are never taken for less */
#define FIT_MODEL_ERROR 0.05    /* what a model is off anyway: an observation with this spread has half the weight */
#define FIT_BOOTSTRAPS 2000u
#define FIT_PARAMETERS_MAX 64u
#define FIT_OBSERVATIONS_MAX 4096u

typedef struct {
  const char *name;
  double start, low, high;      /* 0 < low < high; low <= start <= high */
} FitParameter;

typedef enum { FIT_PHASE_SENSITIVITY, FIT_PHASE_SEARCH, FIT_PHASE_LEAVE_ONE_OUT } FitPhase;

/* All pointers are borrowed for the length of the call. */
typedef struct {
  unsigned n_parameters; const FitParameter *parameters;
  unsigned n_observations;
  const gboolean *used;         /* of each observation: fitted to; the others are only predicted */
  const gboolean *scored;       /* (nullable) counted in medians; default: all */
  const double *deviation;      /* of each: standard deviation of the log of what was measured; 0: exact */
  const double *luck;           /* (nullable) of each: standard deviation of the error as it is computed, by chance;
                                 * sensitivities that this explains are taken for none */
  double within;                /* > 1: numbers are fitted if told within this factor; 0: FIT_FACTOR */
  unsigned most;                /* fit at most so many numbers; 0: no limit but the observations */
  gboolean all;                 /* fit every number that has an effect, whatever the observations tell */
  gboolean leave_one_out;
  unsigned max_evaluations;     /* of one search */
  uint64_t seed;                /* of the bootstrap */
  /* For each of n_points points (n_parameters numbers each) the error of each observation with wanted[] set, at
   * ret_errors[point * n_observations + observation].  Must not depend on what was computed before, nor on the
   * other points of the call.  FALSE with error set, or without if interrupted. */
  gboolean (*evaluate) (const double *points, unsigned n_points, const gboolean *wanted, double *ret_errors,
                        void *data, GError **error);
  void (*progress) (FitPhase phase, unsigned done, unsigned of, double objective, void *data);  /* (nullable) */
  void *data;
  const volatile gint *interrupt;       /* (nullable) */
} FitProblem;

typedef enum {
  FIT_FITTED,
  FIT_NO_EFFECT,                /* no observation depends on it */
  FIT_TRADED,                   /* another number explains what it does: see `traded_for` */
  FIT_WEAK,                     /* it has an effect, but too small against the errors that are left */
  FIT_TOO_MANY,                 /* as many numbers as the observations or `most` allow are fitted already */
} FitFate;

typedef struct {
  double value;                 /* the start value unless fitted */
  double low, high;             /* 95 % confidence interval; of numbers not fitted: value, value */
  FitFate fate;
  gboolean at_bound;            /* fitted, and within 1 % of a bound: the optimum may lie beyond */
  double effect;                /* root mean square of d error / d log (number) over the observations used */
  int strongest;                /* observation with the largest one; -1: none */
  int traded_for;               /* number of the parameter that does nearly the same; -1: none */
} FitEstimate;

typedef struct {
  unsigned observation;
  double *values;               /* n_parameters */
  double error;                 /* of the observation left out */
  double median;                /* median of exp |error| - 1 over all scored observations */
} FitLeftOut;

typedef struct {
  unsigned n_parameters, n_observations, n_used, n_fitted;
  FitEstimate *parameters;
  double *start_errors, *errors;        /* of all observations, at the start and at the values */
  double *sensitivity;                  /* [observation * n_parameters + parameter] at the values; used ones only */
  double start_objective, objective;
  double noise;                         /* the errors that are left, per degree of freedom; >= FIT_NOISE_FLOOR */
  unsigned evaluations;                 /* points at which errors were computed */
  gboolean partial;                     /* interrupted: the best values seen so far; intervals, sensitivities and
                                         * errors of predicted observations may be missing (low = high = value, NaN) */
  gboolean limit;                       /* a search ended at max_evaluations */
  unsigned n_left_out; FitLeftOut *left_out;
} FitResult;

/* (transfer full); NULL with error set if an evaluation failed.  If interrupted before the first errors are known,
 * the result is partial and errors are NaN. */
FitResult *fit_run (const FitProblem *problem, GError **error);
void       fit_result_free (FitResult *result);         /* accepts NULL */

/* exp |error| - 1: the size of an error as validate defines it. */
double fit_relative (double error);
/* Median of that over the observations with wanted[] set (NULL: all); NaN if there is none. */
double fit_median (const double *errors, const gboolean *wanted, unsigned n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FitResult, fit_result_free)

#endif
