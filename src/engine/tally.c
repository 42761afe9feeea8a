/*
 * Tallies, Student's t and time-weighted levels.
 */
#include "src/engine/tally.h"

#include <math.h>

#include "src/engine/portable_math.h"

void ur_tally_init (UrTally *tally) { *tally = (UrTally){ .min = INFINITY, .max = -INFINITY }; }

/* Welford's update. */
void ur_tally_add (UrTally *tally, double value)
{
  double off = value - tally->mean;

  tally->n++;
  tally->mean += off / (double) tally->n;
  tally->m2 += off * (value - tally->mean);
  tally->min = MIN (tally->min, value);
  tally->max = MAX (tally->max, value);
}

double ur_tally_stddev (const UrTally *tally)
{
  return tally->n < 2 ? 0.0 : sqrt (tally->m2 / (double) (tally->n - 1));
}

double ur_tally_half_width (const UrTally *tally, double level)
{
  if (tally->n < 2)
    return 0.0;
  return ur_student_t (level, tally->n - 1) * ur_tally_stddev (tally) / sqrt ((double) tally->n);
}

/* Continued fraction of the incomplete beta function (Lentz's method), for x < (a + 1) / (a + b + 2). */
static double beta_fraction (double a, double b, double x)
{
  double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;

  for (int m = 1; m <= 1000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / (1.0 + even * d);
    c = 1.0 + even / c;
    h *= d * c;
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / (1.0 + odd * d);
    c = 1.0 + odd / c;
    h *= d * c;
    if (fabs (d * c - 1.0) < 1e-15)
      break;
  }
  return h;
}

/* P(|T| > t) with df degrees of freedom: the regularised incomplete beta function
 * I_x(df/2, 1/2) at x = df / (df + t^2). */
static double student_outside (double t, double df)
{
  double a = 0.5 * df, b = 0.5, x = df / (df + t * t), y = t * t / (df + t * t);

  if (y <= 0.0)
    return 1.0;
  double front = ur_exp (ur_lgamma (a + b) - ur_lgamma (a) - ur_lgamma (b) + a * ur_log (x) + b * ur_log (y));
  if (x < (a + 1.0) / (a + b + 2.0))
    return front * beta_fraction (a, b, x) / a;
  return 1.0 - front * beta_fraction (b, a, y) / b;
}

static double solve_student (double level, double df)
{
  double low = 0.0, high = 1.0;

  while (student_outside (high, df) > 1.0 - level && high < 1e15)
    high *= 2.0;
  for (int i = 0; i < 100 && high - low > 1e-14 * high; i++) {
    double t = 0.5 * (low + high);
    if (student_outside (t, df) > 1.0 - level)
      low = t;
    else
      high = t;
  }
  return 0.5 * (low + high);
}

double ur_student_t (double level, uint64_t df)
{
  const uint64_t large = 20000;

  g_assert (df >= 1 && level >= 0.0 && level < 1.0);
  if (level <= 0.0)
    return 0.0;
  if (df <= large)
    return solve_student (level, (double) df);
  /* t is a smooth function of h = 1 / df: the parabola through three values of it, on the way to h = 0. */
  double h = 1.0 / (double) df, node[3], t = 0.0;
  for (int i = 0; i < 3; i++)
    node[i] = (double) (1 << i) / (double) large;
  for (int i = 0; i < 3; i++) {
    double u = node[(i + 1) % 3], v = node[(i + 2) % 3];
    double weight = (h - u) * (h - v) / ((node[i] - u) * (node[i] - v));
    t += weight * solve_student (level, (double) (large >> i));
  }
  return t;
}

void ur_level_init (UrLevel *level, UrTime now, double value)
{
  *level = (UrLevel){ .since = now, .start = now, .level = value, .max = value };
}

double ur_level_mean (const UrLevel *level, UrTime now)
{
  if (now == level->start)
    return level->level;
  return (level->area + level->level * (double) (now - level->since)) / (double) (now - level->start);
}
