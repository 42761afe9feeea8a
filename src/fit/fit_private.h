/* What the parts of the fit share: the state of one fit_run(). */
#ifndef FIT_PRIVATE_H
#define FIT_PRIVATE_H

#include "src/fit/fit.h"

typedef struct {
  const FitProblem *problem;
  FitResult *result;
  unsigned p, m;                /* numbers, observations */
  double *x;                    /* logs of the numbers: the best so far */
  double *low, *high, *start;   /* logs */
  gboolean *fitted;             /* of each number */
  double *weight;               /* of each observation, from its deviation; 0 if not used */
  double within;
  double half_width;            /* see fit_choose(): by the fit with the least noise per degree of freedom so far */
  gboolean interrupted;
} Fit;

/* fit_identify.c */

/* Sensitivities at x of the observations with weight, [m * p]; rows of others are 0.  FALSE if interrupted (see
 * fit->interrupted) or with error set. */
gboolean fit_sensitivity (Fit *fit, const double *x, double *ret_sensitivity, GError **error);
/* Chooses among the numbers with may_fit[] by step 3 of fit.h; `half_width`: of the 95 % interval of the error that one
 * must expect of an observation.
 * `scale`: square roots of the weights.  Fills fate, effect, strongest and traded_for of `estimates` (nullable). */
void fit_choose (const Fit *fit, const double *sensitivity, const double *scale, double half_width,
                 const gboolean *may_fit, gboolean *ret_fitted, FitEstimate *estimates);

/* fit_confidence.c */

/* The interval of each fitted number, step 6 of fit.h. */
void fit_confidence (Fit *fit, const double *sensitivity);

/* fit.c */

/* Errors of the observations with wanted[] set at n_points points given in logs. */
gboolean fit_evaluate (Fit *fit, const double *points, unsigned n_points, const gboolean *wanted, double *ret_errors,
                       GError **error);
/* Weight that the loss leaves to an error: 1 for small ones. */
double fit_loss_weight (double error);
/* Square roots of the observations' weights times those of the loss at `errors` (nullable). (transfer full) */
double *fit_scale (const Fit *fit, const double *errors);

#endif
