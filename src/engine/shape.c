/*
 * Shapes: a gamma distribution of mean 1 as 4096 equally likely values.
 *
 * Each value is the mean of the distribution over one of 4096 intervals of equal
 * probability, so the mean of the table is 1 by construction and its variance
 * lacks only the (tiny) variance within the intervals.
 *
 * With shape a = 1 / cv^2 and x = mean * e^v, the density of v is proportional to
 *   g(v) = exp (a (1 + v - e^v)),
 * which is smooth for every a.  It is summed over a grid by Gauss-Legendre
 * quadrature, and the edges of the intervals are found on the grid by Newton's
 * method.  The mean over an interval with edges s and t follows in closed form,
 *   1 - N (g(t) - g(s)) / (a Z),   Z = the integral of g,
 * because x f(x) has the antiderivative F(x) - x^a e^-x / gamma(a+1).
 */
#include "src/engine/random.h"

#include <math.h>

#include "src/engine/portable_math.h"

#define VALUES (1 << UR_SHAPE_BITS)
#define CELLS 2048
#define CUT 45.0 /* where g < e^-45 of its maximum counts as 0 */
#define MAX_CV 4.0

static double density (double shape, double v) { return ur_exp (shape * (1.0 + v - ur_exp (v))); }

/* Integral of the density over [from, to], Gauss-Legendre with 4 points. */
static double integrate (double shape, double from, double to)
{
  static const double node[2] = { 0.33998104358485626480, 0.86113631159405257522 };
  static const double weight[2] = { 0.65214515486254614263, 0.34785484513745385737 };
  double middle = 0.5 * (from + to), half = 0.5 * (to - from), sum = 0.0;

  for (int i = 0; i < 2; i++)
    sum += weight[i] * (density (shape, middle - half * node[i]) + density (shape, middle + half * node[i]));
  return half * sum;
}

/* Where the density has fallen to e^-CUT of its maximum (at v = 0), on the side of `sign`. */
static double find_cut (double shape, double sign)
{
  double inside = 0.0, outside = sign;

  while (shape * (1.0 + outside - ur_exp (outside)) > -CUT)
    outside *= 2.0;
  for (int i = 0; i < 40; i++) {
    double v = 0.5 * (inside + outside);
    if (shape * (1.0 + v - ur_exp (v)) > -CUT)
      inside = v;
    else
      outside = v;
  }
  return outside;
}

/* The v in the cell [from, from + width] with integral `target` from its left end. */
static double solve_in_cell (double shape, double from, double width, double target, double whole)
{
  double low = from, high = from + width, v = from + width * (target / whole);

  for (int i = 0; i < 30; i++) {
    double error = integrate (shape, from, v) - target;
    if (fabs (error) <= 1e-10 * whole) /* that is 1e-13 of the whole probability */
      break;
    if (error > 0.0)
      high = v;
    else
      low = v;
    v -= error / density (shape, v);
    if (!(v > low && v < high))
      v = 0.5 * (low + high);
  }
  return v;
}

/* Rounds to float, then moves single values by one unit in the last place until the mean is 1 again. */
static void round_table (UrShape *table, const double *value)
{
  double sum = 0.0;

  for (int i = 0; i < VALUES; i++) {
    table->quantile[i] = (float) value[i];
    sum += (double) table->quantile[i] - 1.0;
  }
  for (int i = 0; i < VALUES; i++) {
    int at = (int) ((unsigned) i * 2039u % VALUES); /* spread: 2039 is odd, so every index comes once */
    float old = table->quantile[at], moved = nextafterf (old, sum > 0.0 ? 0.0f : 2.0f * old + 1.0f);
    double change = (double) moved - (double) old;
    gboolean ordered =
        (at == 0 || moved >= table->quantile[at - 1]) && (at == VALUES - 1 || moved <= table->quantile[at + 1]);
    if (ordered && fabs (sum + change) < fabs (sum)) {
      table->quantile[at] = moved;
      sum += change;
    }
  }
}

static void fill_gamma (double shape, double *value)
{
  double low = find_cut (shape, -1.0), width = (find_cut (shape, 1.0) - low) / CELLS;
  double *cell = g_new (double, CELLS), total = 0.0, before = 0.0, last = 0.0;
  int at = 0;

  for (int i = 0; i < CELLS; i++)
    total += cell[i] = integrate (shape, low + i * width, low + (i + 1) * width);
  for (int i = 0; i < VALUES; i++) {
    double edge = 0.0; /* the density at the upper edge; 0 at the end of the range */
    if (i < VALUES - 1) {
      double target = total * ((i + 1.0) / VALUES);
      while (at < CELLS - 1 && before + cell[at] < target)
        before += cell[at++];
      edge = density (shape, solve_in_cell (shape, low + at * width, width, target - before, cell[at]));
    }
    /* Values below 1e-12, which only cv > 1 has, are rounding errors: let them not fall. */
    value[i] = MAX (i > 0 ? value[i - 1] : 0.0, 1.0 - VALUES * (edge - last) / (shape * total));
    last = edge;
  }
  g_free (cell);
}

UrShape *ur_shape_new_gamma (double cv)
{
  UrShape *table = g_new (UrShape, 1);
  double *value = g_new (double, VALUES);

  g_assert (cv >= 0.0 && cv <= MAX_CV);
  if (cv < 1e-6)
    for (int i = 0; i < VALUES; i++)
      value[i] = 1.0;
  else
    fill_gamma (1.0 / (cv * cv), value);
  round_table (table, value);
  g_free (value);
  return table;
}

void ur_shape_free (UrShape *shape) { g_free (shape); }

double ur_shape_mean (const UrShape *shape)
{
  double sum = 0.0;

  for (int i = 0; i < VALUES; i++)
    sum += (double) shape->quantile[i] - 1.0;
  return 1.0 + sum / VALUES;
}

double ur_shape_cv (const UrShape *shape)
{
  double mean = ur_shape_mean (shape), sum = 0.0;

  for (int i = 0; i < VALUES; i++)
    sum += ((double) shape->quantile[i] - mean) * ((double) shape->quantile[i] - mean);
  return sqrt (sum / VALUES) / mean;
}
