/*
 * Histogram in fio's layout: recording, merging, percentiles.
 */
#include "src/engine/histogram.h"

#include <math.h>
#include <string.h>

#define GROUP_BITS 6
#define GROUP_SIZE (1u << GROUP_BITS)

void ur_histogram_init (UrHistogram *histogram)
{
  memset (histogram, 0, sizeof *histogram);
  histogram->min = UINT64_MAX;
}

__extension__ typedef unsigned __int128 Wide;

static Wide get_squares (const UrHistogram *histogram)
{
  return (Wide) histogram->squares_high << 64 | histogram->squares_low;
}

static void add_sums (UrHistogram *histogram, uint64_t sum, Wide squares)
{
  Wide total;

  if (__builtin_add_overflow (histogram->sum, sum, &histogram->sum))
    histogram->sum = UINT64_MAX;
  if (__builtin_add_overflow (get_squares (histogram), squares, &total))
    total = ~(Wide) 0;
  histogram->squares_high = (uint64_t) (total >> 64);
  histogram->squares_low = (uint64_t) total;
}

/* Below 2 * GROUP_SIZE the value itself; above, `shift` low bits are dropped until 7 bits are left. */
unsigned ur_histogram_bin_of (uint64_t value_ns)
{
  if (value_ns < 2 * GROUP_SIZE)
    return (unsigned) value_ns;
  unsigned shift = 63 - GROUP_BITS - (unsigned) __builtin_clzll (value_ns);
  unsigned bin = (shift << GROUP_BITS) + (unsigned) (value_ns >> shift);
  return MIN (bin, UR_HISTOGRAM_BINS - 1);
}

uint64_t ur_histogram_bin_middle (unsigned bin)
{
  g_assert (bin < UR_HISTOGRAM_BINS);
  if (bin < 2 * GROUP_SIZE)
    return bin;
  unsigned shift = (bin >> GROUP_BITS) - 1;
  uint64_t low = (uint64_t) (GROUP_SIZE + bin % GROUP_SIZE) << shift;
  return low + ((uint64_t) 1 << (shift - 1));
}

void ur_histogram_record (UrHistogram *histogram, uint64_t value_ns)
{
  histogram->n++;
  histogram->min = MIN (histogram->min, value_ns);
  histogram->max = MAX (histogram->max, value_ns);
  add_sums (histogram, value_ns, (Wide) value_ns * value_ns);
  histogram->bin[ur_histogram_bin_of (value_ns)]++;
}

void ur_histogram_merge (UrHistogram *into, const UrHistogram *from)
{
  into->n += from->n;
  into->min = MIN (into->min, from->min);
  into->max = MAX (into->max, from->max);
  add_sums (into, from->sum, get_squares (from));
  for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++)
    into->bin[i] += from->bin[i];
}

double ur_histogram_mean (const UrHistogram *histogram)
{
  return histogram->n == 0 ? 0.0 : (double) histogram->sum / (double) histogram->n;
}

/*
 * The sum of squared deviations is squares - sum^2 / n.  With sum = q n + r it is
 * (squares - q sum) - r sum / n, where the first part is an exact integer and no
 * larger than what is left of it by more than the rounding of the mean.
 */
double ur_histogram_stddev (const UrHistogram *histogram)
{
  const uint64_t n = histogram->n;

  if (n < 2)
    return 0.0;
  Wide q = histogram->sum / n, r = histogram->sum % n;
  Wide rest = r * histogram->sum, deviations = get_squares (histogram) - q * histogram->sum;
  if (deviations < rest / n) /* only after the sums stopped at their limits */
    return 0.0;
  double m2 = (double) (deviations - rest / n) - (double) (uint64_t) (rest % n) / (double) n;
  return sqrt (MAX (m2, 0.0) / (double) (n - 1));
}

uint64_t ur_histogram_percentile (const UrHistogram *histogram, double percent)
{
  const double wanted = percent / 100.0 * (double) histogram->n;
  uint64_t below = 0;

  for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++) {
    below += histogram->bin[i];
    if (below > 0 && (double) below >= wanted)
      return CLAMP (ur_histogram_bin_middle (i), histogram->min, histogram->max);
  }
  return histogram->n == 0 ? 0 : histogram->max;
}

gboolean ur_histogram_has_percentile (const UrHistogram *histogram, double percent)
{
  /* The tolerance is for decimals such as 99.9, which lie a little off. */
  return (double) histogram->n * (100.0 - percent) / 100.0 >= 1.0 - 1e-9;
}
