/* Distance of distributions; see demerit.h. */
#include "src/command/demerit.h"
#include <math.h>

/* Corners of the curve: `share` ascends from 0 to 1. A step is two corners with the same share. */
typedef struct {
  double share, ns;
} Corner;

struct LatencyCurve {
  GArray *corners; /* of Corner */
};

static void add_corner (LatencyCurve *curve, double share, double ns)
{
  const Corner corner = { share, ns };
  g_array_append_val (curve->corners, corner);
}

static LatencyCurve *curve_new (void)
{
  LatencyCurve *curve = g_new (LatencyCurve, 1);

  curve->corners = g_array_new (FALSE, FALSE, sizeof (Corner));
  return curve;
}

void latency_curve_free (LatencyCurve *curve)
{
  if (curve) {
    g_array_unref (curve->corners);
    g_free (curve);
  }
}

/* Steps: all I/Os of a bin took its middle, within min..max. */
static LatencyCurve *curve_of_bins (const UrHistogram *histogram, uint64_t min, uint64_t max)
{
  LatencyCurve *curve = curve_new ();
  uint64_t below = 0;

  for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++) {
    if (histogram->bin[i]) {
      const double ns = (double) CLAMP (ur_histogram_bin_middle (i), min, max);
      add_corner (curve, (double) below / (double) histogram->n, ns);
      below += histogram->bin[i];
      add_corner (curve, (double) below / (double) histogram->n, ns);
    }
  }
  return curve;
}

static LatencyCurve *curve_of_percentiles (const MeasuredLatency *latency)
{
  LatencyCurve *curve = curve_new ();
  double ns = (double) latency->min;

  add_corner (curve, 0, ns);
  for (unsigned i = 0; i < latency->percentile->len; i++) {
    const MeasuredPercentile *row = &g_array_index (latency->percentile, MeasuredPercentile, i);
    ns = MAX (ns, (double) row->ns);
    add_corner (curve, row->percent / 100, ns);
  }
  add_corner (curve, 1, MAX (ns, (double) latency->max));
  return curve;
}

LatencyCurve *latency_curve_measured (const MeasuredLatency *latency)
{
  if (latency->bins) {
    return curve_of_bins (latency->bins, latency->min, MAX (latency->min, latency->max));
  }
  return latency->percentile && latency->percentile->len ? curve_of_percentiles (latency) : NULL;
}

LatencyCurve *latency_curve_simulated (const UrHistogram *histogram)
{
  return histogram->n ? curve_of_bins (histogram, histogram->min, histogram->max) : NULL;
}

static const Corner *corner_at (const LatencyCurve *curve, unsigned i)
{
  return &g_array_index (curve->corners, Corner, i);
}

/* On the line from corner i to the next. */
static double between (const LatencyCurve *curve, unsigned i, double share)
{
  const Corner *a = corner_at (curve, i), *b = corner_at (curve, i + 1);

  return b->share > a->share ? a->ns + (b->ns - a->ns) * (share - a->share) / (b->share - a->share) : b->ns;
}

double latency_curve_at (const LatencyCurve *curve, double percent)
{
  const double share = percent / 100 * (1 - 1e-12); /* on a step: its lower side, whatever the decimals */

  for (unsigned i = 0; i + 1 < curve->corners->len; i++) {
    if (corner_at (curve, i + 1)->share >= share) {
      return between (curve, i, share);
    }
  }
  return corner_at (curve, curve->corners->len - 1)->ns;
}

/* Integral over a piece in which both curves are straight of the square of their distance: from d0 to d1. */
static double square_of_piece (double d0, double d1, double width) { return width * (d0 * d0 + d0 * d1 + d1 * d1) / 3; }

double demerit (const LatencyCurve *a, const LatencyCurve *b)
{
  unsigned i = 0, k = 0;
  double from = 0, sum = 0;

  while (i + 1 < a->corners->len && k + 1 < b->corners->len) {
    const double to = MIN (corner_at (a, i + 1)->share, corner_at (b, k + 1)->share);
    if (to > from) {
      sum += square_of_piece (between (a, i, from) - between (b, k, from), between (a, i, to) - between (b, k, to),
                              to - from);
      from = to;
    }
    if (corner_at (a, i + 1)->share <= to) {
      i++;
    }
    if (k + 1 < b->corners->len && corner_at (b, k + 1)->share <= to) {
      k++;
    }
  }
  return sqrt (sum);
}
