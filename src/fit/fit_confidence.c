/*
 * How sure the fitted numbers are; see fit.h, step 6.
 *
 * Residuals of a fit are smaller than the errors behind them, most so for an observation that alone tells a number:
 * each is divided by sqrt (1 - leverage), and goes into one pool.  A resample gives every observation an error drawn
 * from the pool (Efron 1979: bootstrap of residuals, which does not leave a number without its only observation, as
 * leaving out observations of a dozen would) and moves what was measured within its own spread and what was computed
 * within its luck; the numbers follow by least squares over the sensitivities, which hold near the optimum. Percentiles
 * are stretched by Student's t over the normal quantile: a dozen errors do not know their own size well.  Bounds are
 * kept.
 */
#include "src/engine/portable_math.h"
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "src/fit/fit_private.h"
#include "src/fit/least_squares.h"
#include <math.h>
#include <stdlib.h>

#define ALONE 0.95 /* leverage from which on an observation's residual says nothing about its error */
#define Z95 1.959964

static int compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The columns of the fitted numbers and the rows with weight. */
typedef struct {
  unsigned rows, columns;
  unsigned *row, *column; /* which they were */
  double *a, *scale;
  unsigned n_pool;
  double *pool; /* errors as said above, times scale, less their mean */
} Reduced;

static void fill_pool (Reduced *reduced, const double *errors)
{
  g_autofree double *leverage = g_new (double, MAX (reduced->rows, 1));
  double mean = 0;

  reduced->pool = g_new (double, MAX (reduced->rows, 1));
  least_squares_leverage (reduced->a, reduced->rows, reduced->columns, reduced->scale, leverage);
  for (unsigned i = 0; i < reduced->rows; i++) {
    if (leverage[i] < ALONE) {
      const double error = errors[reduced->row[i]] * reduced->scale[i] / sqrt (1 - leverage[i]);
      reduced->pool[reduced->n_pool++] = error;
      mean += error;
    }
  }
  for (unsigned i = 0; i < reduced->n_pool; i++) {
    reduced->pool[i] -= mean / reduced->n_pool;
  }
}

static Reduced reduce (const Fit *fit, const double *sensitivity, const double *scale)
{
  Reduced reduced = { .row = g_new (unsigned, fit->m), .column = g_new (unsigned, fit->p) };

  for (unsigned i = 0; i < fit->m; i++) {
    if (scale[i] > 0) {
      reduced.row[reduced.rows++] = i;
    }
  }
  for (unsigned j = 0; j < fit->p; j++) {
    if (fit->fitted[j]) {
      reduced.column[reduced.columns++] = j;
    }
  }
  reduced.a = g_new (double, MAX ((gsize) reduced.rows * reduced.columns, 1));
  reduced.scale = g_new (double, MAX (reduced.rows, 1));
  for (unsigned i = 0; i < reduced.rows; i++) {
    for (unsigned j = 0; j < reduced.columns; j++) {
      reduced.a[i * reduced.columns + j] = sensitivity[reduced.row[i] * fit->p + reduced.column[j]];
    }
    reduced.scale[i] = scale[reduced.row[i]];
  }
  fill_pool (&reduced, fit->result->errors);
  return reduced;
}

static void reduced_clear (Reduced *reduced)
{
  g_free (reduced->row);
  g_free (reduced->column);
  g_free (reduced->a);
  g_free (reduced->scale);
  g_free (reduced->pool);
}

/* One resample: the numbers' moves from the optimum, in logs. */
static void resample (const Fit *fit, const Reduced *reduced, UrRandom *random, double *wanted, double *ret_moves)
{
  for (unsigned i = 0; i < reduced->rows; i++) {
    const double drawn = reduced->n_pool ? reduced->pool[ur_random_below (random, reduced->n_pool)] : 0;
    const double measured = fit->problem->deviation[reduced->row[i]];
    const double luck = fit->problem->luck ? fit->problem->luck[reduced->row[i]] : 0;
    wanted[i] = drawn / reduced->scale[i] + sqrt (measured * measured + luck * luck) * ur_random_normal (random);
  }
  least_squares_solve (reduced->a, reduced->rows, reduced->columns, wanted, reduced->scale, ret_moves);
}

void fit_confidence (Fit *fit, const double *sensitivity)
{
  g_autofree double *weights = fit_scale (fit, fit->result->errors);
  Reduced reduced = reduce (fit, sensitivity, weights);
  g_autofree double *moves = g_new0 (double, (gsize) FIT_BOOTSTRAPS *MAX (reduced.columns, 1));
  g_autofree double *one = g_new (double, MAX (reduced.columns, 1));
  g_autofree double *wanted = g_new (double, MAX (reduced.rows, 1));
  const double stretch = reduced.rows > reduced.columns ? ur_student_t (0.95, reduced.rows - reduced.columns) / Z95 : 1;
  UrRandom random;

  ur_random_init (&random, fit->problem->seed, "fit.bootstrap");
  for (unsigned b = 0; reduced.columns && b < FIT_BOOTSTRAPS; b++) {
    resample (fit, &reduced, &random, wanted, one);
    for (unsigned j = 0; j < reduced.columns; j++) {
      moves[j * FIT_BOOTSTRAPS + b] = one[j] * stretch;
    }
  }
  for (unsigned j = 0; j < reduced.columns; j++) {
    const unsigned number = reduced.column[j];
    FitEstimate *estimate = &fit->result->parameters[number];
    double *column = moves + (gsize) j * FIT_BOOTSTRAPS;
    qsort (column, FIT_BOOTSTRAPS, sizeof *column, compare_doubles);
    const double low = fit->x[number] + column[(unsigned) (FIT_BOOTSTRAPS * 0.025)];
    const double high = fit->x[number] + column[(unsigned) (FIT_BOOTSTRAPS * 0.975)];
    /* The optimum lies inside, even of a pool that leans to one side. */
    estimate->low = ur_exp (CLAMP (MIN (low, fit->x[number]), fit->low[number], fit->high[number]));
    estimate->high = ur_exp (CLAMP (MAX (high, fit->x[number]), fit->low[number], fit->high[number]));
  }
  reduced_clear (&reduced);
}
