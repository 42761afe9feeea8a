/*
 * Which numbers the observations can tell; see fit.h, steps 2 and 3.
 *
 * With sensitivities J (one column a number) and noise s, the standard error of number j, all others being fitted as
 * well, is s / |what is left of column j when the other columns are taken away|.  Two numbers that do the same leave
 * nothing of each other.
 */
#include "src/engine/portable_math.h"
#include "src/fit/fit_private.h"
#include "src/fit/least_squares.h"
#include <math.h>
#include <string.h>

#define STEP 0.15       /* of a central difference, in logs: 16 % up and 14 % down */
#define NO_EFFECT 1e-3  /* a number whose doubling changes no error by more than this has none */
#define SAME_EFFECT 0.9 /* cosine from which on two numbers do nearly the same */
#define Z95 1.96

gboolean fit_sensitivity (Fit *fit, const double *x, double *ret_sensitivity, GError **error)
{
  const unsigned p = fit->p, m = fit->m;
  g_autofree double *points = g_new (double, (gsize) 2 * p * p), *width = g_new (double, p);
  g_autofree double *errors = g_new0 (double, (gsize) 2 * p * m);
  g_autofree gboolean *wanted = g_new0 (gboolean, m);

  for (unsigned j = 0; j < p; j++) {
    double *down = points + (gsize) 2 * j * p, *up = down + p;
    memcpy (down, x, p * sizeof *x);
    memcpy (up, x, p * sizeof *x);
    down[j] = MAX (x[j] - STEP, fit->low[j]);
    up[j] = MIN (x[j] + STEP, fit->high[j]);
    width[j] = up[j] - down[j];
  }
  for (unsigned i = 0; i < m; i++) {
    wanted[i] = fit->weight[i] > 0;
  }
  if (!fit_evaluate (fit, points, 2 * p, wanted, errors, error)) {
    return FALSE;
  }
  memset (ret_sensitivity, 0, (gsize) m * p * sizeof *ret_sensitivity);
  for (unsigned i = 0; i < m; i++) {
    for (unsigned j = 0; wanted[i] && j < p; j++) {
      const double change = errors[(2 * j + 1) * m + i] - errors[2 * j * m + i];
      /* Two independent draws differ by more than this in one of twenty cases. */
      const double luck = fit->problem->luck ? Z95 * sqrt (2) * fit->problem->luck[i] : 0;
      ret_sensitivity[i * p + j] = fabs (change) > luck ? change / width[j] : 0;
    }
  }
  return TRUE;
}

static unsigned count (const gboolean *flags, unsigned n)
{
  unsigned set = 0;

  for (unsigned i = 0; i < n; i++) {
    set += flags[i] != 0;
  }
  return set;
}

/* The number that does most nearly what `column` does. -1: none nearly. */
static int same_effect (const Fit *fit, const double *sensitivity, const double *scale, const gboolean *fitted,
                        unsigned column)
{
  double nearest = SAME_EFFECT;
  int found = -1;

  for (unsigned j = 0; j < fit->p; j++) {
    if (j != column && fitted[j]) {
      const double cosine = fabs (least_squares_cosine (sensitivity, fit->m, fit->p, column, j, scale));
      if (cosine > nearest) {
        nearest = cosine;
        found = (int) j;
      }
    }
  }
  return found;
}

static void fill_effect (const Fit *fit, const double *sensitivity, const double *scale, unsigned j,
                         FitEstimate *estimate)
{
  double sum = 0, largest = 0;
  unsigned n = 0;

  estimate->strongest = -1;
  for (unsigned i = 0; i < fit->m; i++) {
    if (scale[i] > 0) { /* not the one that is left out */
      const double value = fabs (sensitivity[i * fit->p + j]);
      sum += value * value;
      n++;
      if (value > largest) {
        largest = value;
        estimate->strongest = (int) i;
      }
    }
  }
  estimate->effect = n ? sqrt (sum / n) : 0;
}

/* How many numbers may be fitted at most. */
static unsigned most_fitted (const Fit *fit, unsigned rows)
{
  const unsigned most = rows ? rows - 1 : 0;

  return fit->problem->most ? MIN (most, fit->problem->most) : most;
}

/* Which of the fitted numbers should be dropped first: of those that are badly told, or of all if there are too many,
 * the one with the smallest effect, of equal ones the last.  -1: none. */
static int worst_number (const Fit *fit, const double *sensitivity, const double *scale, const double *length,
                         double shortest, gboolean too_many, const gboolean *fitted, gboolean *ret_badly_told)
{
  int worst = -1;

  *ret_badly_told = FALSE;
  for (unsigned j = 0; j < fit->p; j++) {
    if (!fitted[j]) {
      continue;
    }
    const double left = least_squares_remaining (sensitivity, fit->m, fit->p, j, fitted, scale);
    const gboolean bad = left < shortest;
    if (bad && !*ret_badly_told) {
      *ret_badly_told = TRUE;
      worst = -1;
    }
    if ((bad || (too_many && !*ret_badly_told)) && (worst < 0 || length[j] <= length[worst])) {
      worst = (int) j;
    }
  }
  return worst;
}

/* The numbers that have an effect at all; fills that part of the estimates (nullable). */
static void choose_effective (const Fit *fit, const double *sensitivity, const double *scale, const gboolean *may_fit,
                              gboolean *ret_fitted, FitEstimate *estimates)
{
  for (unsigned j = 0; j < fit->p; j++) {
    FitEstimate effect = { 0 };
    fill_effect (fit, sensitivity, scale, j, &effect);
    const double largest = effect.strongest < 0 ? 0 : fabs (sensitivity[(unsigned) effect.strongest * fit->p + j]);
    const gboolean none = largest * ur_log (2) < NO_EFFECT;
    ret_fitted[j] = may_fit[j] && !none;
    if (estimates) {
      estimates[j].effect = effect.effect;
      estimates[j].strongest = none ? -1 : effect.strongest;
      if (none || may_fit[j]) { /* else it was dropped before, and keeps the reason */
        estimates[j].traded_for = -1;
        estimates[j].fate = none ? FIT_NO_EFFECT : FIT_FITTED;
      }
    }
  }
}

void fit_choose (const Fit *fit, const double *sensitivity, const double *scale, double half_width,
                 const gboolean *may_fit, gboolean *ret_fitted, FitEstimate *estimates)
{
  const unsigned p = fit->p;
  const double shortest = half_width / ur_log (fit->within); /* what must be left of a column */
  g_autofree double *length = g_new (double, p);
  gboolean badly_told;
  unsigned rows = 0;

  choose_effective (fit, sensitivity, scale, may_fit, ret_fitted, estimates);
  for (unsigned j = 0; j < p; j++) {
    length[j] = least_squares_length (sensitivity, fit->m, p, j, scale);
  }
  for (unsigned i = 0; i < fit->m; i++) {
    rows += scale[i] > 0;
  }
  while (!fit->problem->all) {
    const gboolean too_many = count (ret_fitted, p) > most_fitted (fit, rows);
    const int worst = worst_number (fit, sensitivity, scale, length, shortest, too_many, ret_fitted, &badly_told);
    if (worst < 0) {
      break;
    }
    ret_fitted[worst] = FALSE;
    if (estimates) {
      const gboolean alone = length[worst] < shortest; /* weak even if nothing else were fitted */
      estimates[worst].traded_for =
          alone || !badly_told ? -1 : same_effect (fit, sensitivity, scale, ret_fitted, (unsigned) worst);
      estimates[worst].fate = !badly_told ? FIT_TOO_MANY : alone ? FIT_WEAK : FIT_TRADED;
    }
  }
}
