/*
 * Histogram of nanoseconds in fio's log-linear layout, so that bins equal the
 * bins of fio's json+: 29 groups of 64; values below 128 exactly, above that the
 * top bit and the six bits below it, relative error of the middle <= 1/128.
 * Values of 2^34 and above fall into the last group, as fio's do.
 * Mean, deviation, minimum and maximum are exact: sums are kept as integers, so
 * that merging in any order gives the same bits.
 */
#ifndef UR_HISTOGRAM_H
#define UR_HISTOGRAM_H

#include <glib.h>
#include <stdint.h>

#define UR_HISTOGRAM_GROUPS 29
#define UR_HISTOGRAM_BINS   (UR_HISTOGRAM_GROUPS * 64)

typedef struct {
  uint64_t n, min, max;                 /* min is UINT64_MAX while n == 0 */
  uint64_t sum;                         /* ns; stays at UINT64_MAX once it would pass it */
  uint64_t squares_high, squares_low;   /* 128-bit sum of squares, ns^2; likewise */
  uint64_t bin[UR_HISTOGRAM_BINS];
} UrHistogram;

void     ur_histogram_init (UrHistogram *histogram);
void     ur_histogram_record (UrHistogram *histogram, uint64_t value_ns);
void     ur_histogram_merge (UrHistogram *into, const UrHistogram *from);
double   ur_histogram_mean (const UrHistogram *histogram);       /* 0 if empty */
double   ur_histogram_stddev (const UrHistogram *histogram);     /* sample deviation (n-1); 0 if n < 2 */
/* Smallest bin middle with at least `percent` % (0..100) of the samples at or below it, never
 * outside min..max. 0 if empty. */
uint64_t ur_histogram_percentile (const UrHistogram *histogram, double percent);
unsigned ur_histogram_bin_of (uint64_t value_ns);
uint64_t ur_histogram_bin_middle (unsigned bin);
/* TRUE if n is large enough to say the percentile: at least one sample is expected above it,
 * n * (100 - percent) / 100 >= 1. */
gboolean ur_histogram_has_percentile (const UrHistogram *histogram, double percent);

#endif
