/*
 * Portable elementary functions: plain series on a reduced argument.
 */
#include "src/engine/portable_math.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts; the high part has 20 trailing zero bits, so that k * high is exact for |k| < 2^20. */
#define LN2_HIGH 0x1.62e42fefp-1
#define LN2_LOW 0x1.473de6af278edp-34

static uint64_t bits_of (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static double double_of (uint64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* x = 2^k m with sqrt(1/2) <= m < sqrt(2); ln m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172. */
double ur_log (double x)
{
  const uint64_t sqrt_half = UINT64_C (0x3fe6a09e667f3bcd);
  uint64_t bits = bits_of (x);

  g_assert (bits >= UINT64_C (0x0010000000000000) && bits < UINT64_C (0x7ff0000000000000));
  int64_t k = (int64_t) (bits - sqrt_half) >> 52;
  double m = double_of (bits - ((uint64_t) k << 52));
  double f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z;
  /* Odd and even terms apart: two short chains instead of a long one. */
  double even = w * (1.0 / 5 + w * (1.0 / 9 + w * (1.0 / 13 + w * (1.0 / 17 + w * (1.0 / 21)))));
  double odd = z * (1.0 / 3 + w * (1.0 / 7 + w * (1.0 / 11 + w * (1.0 / 15 + w * (1.0 / 19)))));
  /* 2 s = f - s f, which keeps the leading term exact. */
  double tail = 2.0 * s * (even + odd) - s * f;
  return (double) k * LN2_HIGH + (f + (tail + (double) k * LN2_LOW));
}

/* x = k ln 2 + r, |r| <= 0.347; Taylor series to r^14, in four short chains. */
double ur_exp (double x)
{
  if (x < -708.0)
    return 0.0;
  if (x > 709.0)
    return INFINITY;
  double k = floor (x * 1.4426950408889634 + 0.5);
  double r = (x - k * LN2_HIGH) - k * LN2_LOW, s = r * r, q = s * s;
  double low = (1.0 / 2 + r * (1.0 / 6)) + s * (1.0 / 24 + r * (1.0 / 120));
  double middle = (1.0 / 720 + r * (1.0 / 5040)) + s * (1.0 / 40320 + r * (1.0 / 362880));
  double high = (1.0 / 3628800 + r * (1.0 / 39916800)) + s * (1.0 / 479001600 + r * (1.0 / 6227020800));
  double p = low + q * (middle + q * (high + q * (1.0 / 87178291200)));
  return (1.0 + (r + s * p)) * double_of ((uint64_t) ((int64_t) k + 1023) << 52);
}

double ur_pow (double x, double y) { return ur_exp (y * ur_log (x)); }

/* Stirling's series at x >= 12, reached by gamma (x) = gamma (x + 1) / x. */
double ur_lgamma (double x)
{
  const double half_log_two_pi = 0.91893853320467274178;
  double product = 1.0;

  g_assert (x > 0.0);
  for (; x < 12.0; x += 1.0)
    product *= x;
  double y = 1.0 / x, z = y * y;
  double series =
      y * (1.0 / 12 -
           z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z / 156))))));
  return (x - 0.5) * ur_log (x) - x + half_log_two_pi + series - ur_log (product);
}
