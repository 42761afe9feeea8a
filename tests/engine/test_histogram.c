/*
 * The histogram: fio's bins, exact moments, percentiles, merging.
 */
#include <string.h>

#include "src/engine/histogram.h"
#include "src/engine/random.h"
#include "tests/engine/check.h"
#include "tests/unit.h"

/* fio's rule: values below 128 exactly; else the top bit and the 6 bits below it; middle = start + width / 2. */
static const struct {
  uint64_t value;
  unsigned bin;
  uint64_t middle;
} bins[] = {
  { 0, 0, 0 },
  { 1, 1, 1 },
  { 63, 63, 63 },
  { 64, 64, 64 },
  { 127, 127, 127 },
  { 128, 128, 129 },
  { 129, 128, 129 },
  { 130, 129, 131 },
  { 254, 191, 255 },
  { 255, 191, 255 },
  { 256, 192, 258 },
  { 259, 192, 258 },
  { 260, 193, 262 },
  { 511, 255, 510 },
  { 512, 256, 516 },
  { 1000, 317, 1004 },
  { 1024, 320, 1032 },
  { 4095, 447, 4080 },
  { 4096, 448, 4128 },
  { 10000, 526, 10048 },
  { 1000000, 954, 1003520 },
  { 123456789, 1397, 123207680 },
  { UINT64_C (1) << 33, 1792, UINT64_C (8657043456) },
  { (UINT64_C (1) << 34) - 1, 1855, UINT64_C (17112760320) },
  { UINT64_C (1) << 34, 1855, UINT64_C (17112760320) },
  { UINT64_C (1) << 50, 1855, UINT64_C (17112760320) },
  { UINT64_MAX, 1855, UINT64_C (17112760320) },
};

static void test_bins (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (bins); i++) {
    unsigned bin = ur_histogram_bin_of (bins[i].value);
    CHECK (bin == bins[i].bin, "value %" G_GUINT64_FORMAT ": bin %u, expected %u", bins[i].value, bin, bins[i].bin);
    CHECK (ur_histogram_bin_middle (bin) == bins[i].middle, "value %" G_GUINT64_FORMAT ": middle", bins[i].value);
  }
}

/* Every bin contains its own middle, bins follow each other without gaps, and the middle is off by at most 1/128. */
static void test_bin_bounds (void)
{
  unsigned wrong = 0;

  for (unsigned bin = 0; bin < UR_HISTOGRAM_BINS; bin++)
    wrong += ur_histogram_bin_of (ur_histogram_bin_middle (bin)) != bin;
  CHECK (wrong == 0, "%u middles lie outside their bins", wrong);

  UrRandom random;
  ur_random_init (&random, 1, "bins");
  for (int i = 0; i < 200000; i++) {
    uint64_t value = ur_random_u64 (&random) >> (30 + i % 34); /* all magnitudes below 2^34 */
    unsigned bin = ur_histogram_bin_of (value);
    double middle = (double) ur_histogram_bin_middle (bin), error = fabs (middle - (double) value);
    wrong += error > (double) value / 128.0 || (value < 128 && error > 0.0);
    wrong += ur_histogram_bin_of (value + 1) - bin > 1; /* the same or the next */
  }
  CHECK (wrong == 0, "%u values off by more than 1/128, or gaps", wrong);
}

/*
 * A real run: the completion latencies (ns) of 78 reads as fio 3.33 logged them, and what
 * its json+ output said of the same run: bins, moments and percentiles.
 */
static const uint64_t fio_values[] = {
  306705, 306705, 348997, 348997, 52104,  144963, 228795, 220851, 224093, 177729, 134143, 247932, 395116,
  597187, 550462, 545447, 143874, 102785, 157535, 164985, 268268, 234383, 460450, 222605, 244383, 238364,
  314311, 478137, 466286, 552654, 547384, 511493, 506656, 160095, 153266, 413309, 101968, 184643, 166601,
  207978, 130145, 168678, 160404, 192727, 173701, 173701, 161376, 86662,  86662,  196727, 149789, 140121,
  157799, 157799, 219667, 96285,  96285,  98808,  150094, 150094, 145572, 73981,  142176, 70109,  106982,
  78875,  138121, 138121, 205563, 194115, 101558, 101558, 132498, 172879, 172879, 190725, 242531, 289517,
};
static const struct {
  uint64_t middle, count;
} fio_bins[] = {
  { 51968, 1 },  { 70144, 1 },  { 74240, 1 },  { 79360, 1 },  { 86528, 2 },  { 96768, 2 },  { 98816, 1 },
  { 101888, 3 }, { 102912, 1 }, { 107008, 1 }, { 130560, 1 }, { 132096, 1 }, { 134144, 1 }, { 138240, 2 },
  { 140288, 1 }, { 142336, 1 }, { 144384, 2 }, { 146432, 1 }, { 150528, 3 }, { 152576, 1 }, { 156672, 1 },
  { 158720, 2 }, { 160768, 3 }, { 164864, 1 }, { 166912, 1 }, { 168960, 1 }, { 173056, 4 }, { 177152, 1 },
  { 185344, 1 }, { 191488, 1 }, { 193536, 2 }, { 197632, 1 }, { 205824, 1 }, { 207872, 1 }, { 220160, 2 },
  { 222208, 1 }, { 224256, 1 }, { 228352, 1 }, { 234496, 1 }, { 238592, 1 }, { 242688, 1 }, { 244736, 1 },
  { 248832, 1 }, { 268288, 1 }, { 288768, 1 }, { 305152, 2 }, { 313344, 1 }, { 350208, 2 }, { 395264, 1 },
  { 411648, 1 }, { 460800, 1 }, { 464896, 1 }, { 477184, 1 }, { 505856, 1 }, { 509952, 1 }, { 544768, 2 },
  { 552960, 2 }, { 593920, 1 },
};
static const struct {
  double percent;
  uint64_t value;
} fio_percentiles[] = {
  { 1, 51968 },   { 5, 79360 },     { 10, 96768 },    { 20, 132096 },    { 30, 146432 },    { 40, 160768 },
  { 50, 173056 }, { 60, 197632 },   { 70, 234496 },   { 80, 305152 },    { 90, 477184 },    { 95, 544768 },
  { 99, 593920 }, { 99.5, 593920 }, { 99.9, 593920 }, { 99.95, 593920 }, { 99.99, 593920 },
};

static void test_against_fio (void)
{
  UrHistogram histogram;
  uint64_t total = 0;

  ur_histogram_init (&histogram);
  for (size_t i = 0; i < G_N_ELEMENTS (fio_values); i++)
    ur_histogram_record (&histogram, fio_values[i]);
  CHECK (histogram.n == 78 && histogram.min == 52104 && histogram.max == 597187, "count, minimum, maximum");
  CHECK_NEAR (ur_histogram_mean (&histogram), 224075.935897, 1e-6, "mean");
  CHECK_NEAR (ur_histogram_stddev (&histogram), 136424.520675, 1e-6, "deviation");
  for (size_t i = 0; i < G_N_ELEMENTS (fio_bins); i++) {
    uint64_t count = histogram.bin[ur_histogram_bin_of (fio_bins[i].middle)];
    CHECK (count == fio_bins[i].count, "bin %" G_GUINT64_FORMAT, fio_bins[i].middle);
    CHECK (ur_histogram_bin_middle (ur_histogram_bin_of (fio_bins[i].middle)) == fio_bins[i].middle,
           "fio's key %" G_GUINT64_FORMAT " is a middle", fio_bins[i].middle);
    total += count;
  }
  CHECK (total == 78, "all values are in fio's bins");
  for (size_t i = 0; i < G_N_ELEMENTS (fio_percentiles); i++) {
    uint64_t expected = CLAMP (fio_percentiles[i].value, histogram.min, histogram.max);
    CHECK (ur_histogram_percentile (&histogram, fio_percentiles[i].percent) == expected, "percentile %g",
           fio_percentiles[i].percent);
  }
}

static void test_moments (void)
{
  UrHistogram histogram;

  ur_histogram_init (&histogram);
  CHECK (ur_histogram_mean (&histogram) == 0.0 && ur_histogram_stddev (&histogram) == 0.0, "empty");
  CHECK (ur_histogram_percentile (&histogram, 50) == 0 && histogram.min == UINT64_MAX, "empty");
  ur_histogram_record (&histogram, 5);
  CHECK (ur_histogram_mean (&histogram) == 5.0 && ur_histogram_stddev (&histogram) == 0.0, "one value");
  CHECK (ur_histogram_percentile (&histogram, 0) == 5 && ur_histogram_percentile (&histogram, 100) == 5, "one value");
  ur_histogram_record (&histogram, 8);
  CHECK_NEAR (ur_histogram_stddev (&histogram), sqrt (4.5), 1e-15, "two values");

  /* A tiny deviation on a large mean, where sums of squares in doubles would lose everything. */
  ur_histogram_init (&histogram);
  for (int i = 0; i < 1000; i++)
    ur_histogram_record (&histogram, UINT64_C (5000000000000) + (uint64_t) (i % 2));
  CHECK_NEAR (ur_histogram_stddev (&histogram), 0.5 * sqrt (1000.0 / 999.0), 1e-12, "deviation 0.5 at 5e12");

  /* A sum that does not divide. */
  ur_histogram_init (&histogram);
  for (uint64_t i = 1; i <= 10; i++)
    ur_histogram_record (&histogram, i * i);
  CHECK_NEAR (ur_histogram_mean (&histogram), 38.5, 1e-15, "mean of the first 10 squares");
  CHECK_NEAR (ur_histogram_stddev (&histogram), sqrt ((25333.0 - 10 * 38.5 * 38.5) / 9), 1e-12, "their deviation");

  /* Sums that pass 64 and 128 bits stay at their limits instead of wrapping. */
  ur_histogram_init (&histogram);
  for (int i = 0; i < 5; i++)
    ur_histogram_record (&histogram, UINT64_MAX - (uint64_t) i);
  CHECK (histogram.sum == UINT64_MAX && histogram.squares_high == UINT64_MAX, "sums stop at their limits");
  CHECK (ur_histogram_stddev (&histogram) >= 0.0 && histogram.n == 5, "still usable");
  CHECK (ur_histogram_percentile (&histogram, 50) == UINT64_MAX - 4, "the last bin is clamped to the minimum");
}

static void test_percentiles (void)
{
  static const struct {
    double percent;
    uint64_t expected;
  } rows[] = {
    { 0, 1 }, { 1, 1 }, { 1.5, 2 }, { 50, 50 }, { 50.01, 51 }, { 99, 99 }, { 99.9, 100 }, { 100, 100 },
  };
  UrHistogram histogram;

  ur_histogram_init (&histogram);
  for (uint64_t i = 1; i <= 100; i++) /* each value in a bin of its own */
    ur_histogram_record (&histogram, i);
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    uint64_t value = ur_histogram_percentile (&histogram, rows[i].percent);
    CHECK (value == rows[i].expected, "%g %%: %u, expected %u", rows[i].percent, (unsigned) value,
           (unsigned) rows[i].expected);
  }
  /* The middle of a wide bin lies outside min..max when all values are at one end of it. */
  ur_histogram_init (&histogram);
  ur_histogram_record (&histogram, 1000001);
  CHECK (ur_histogram_percentile (&histogram, 50) == 1000001, "not outside min..max");
}

static void test_has_percentile (void)
{
  static const struct {
    uint64_t n;
    double percent;
    gboolean expected;
  } rows[] = {
    { 0, 50, FALSE },       { 1, 50, FALSE },       { 2, 50, TRUE },       { 99, 99, FALSE },
    { 100, 99, TRUE },      { 999, 99.9, FALSE },   { 1000, 99.9, TRUE },  { 9999, 99.99, FALSE },
    { 10000, 99.99, TRUE }, { 1999, 99.95, FALSE }, { 2000, 99.95, TRUE }, { 1000000, 100, FALSE },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    UrHistogram histogram;
    ur_histogram_init (&histogram);
    histogram.n = rows[i].n;
    CHECK (ur_histogram_has_percentile (&histogram, rows[i].percent) == rows[i].expected, "n %u, %g %%",
           (unsigned) rows[i].n, rows[i].percent);
  }
}

/* Parts merged in any order equal the whole, bit for bit. */
static void test_merge (void)
{
  UrHistogram whole, forward, backward, part[7];
  UrRandom random;

  ur_random_init (&random, 1, "merge");
  ur_histogram_init (&whole);
  ur_histogram_init (&forward);
  ur_histogram_init (&backward);
  for (int i = 0; i < 7; i++) {
    ur_histogram_init (&part[i]);
    for (int j = 0; j < 1000 * i; j++) { /* the first one is empty */
      uint64_t value = (uint64_t) ur_random_exponential (&random, 50000.0);
      ur_histogram_record (&part[i], value);
      ur_histogram_record (&whole, value);
    }
  }
  for (int i = 0; i < 7; i++) {
    ur_histogram_merge (&forward, &part[i]);
    ur_histogram_merge (&backward, &part[6 - i]);
  }
  CHECK (memcmp (&whole, &forward, sizeof whole) == 0, "merged in order");
  CHECK (memcmp (&whole, &backward, sizeof whole) == 0, "merged in reverse");
  CHECK_NEAR (ur_histogram_mean (&whole), 50000.0, 2000.0, "mean of the exponential");
  CHECK_NEAR (ur_histogram_stddev (&whole), 50000.0, 2000.0, "its deviation");
}

void register_histogram_tests (void)
{
  CU_pSuite suite = check_new_suite ("histogram");

  check_add_test (suite, "bins", test_bins);
  check_add_test (suite, "bounds of the bins", test_bin_bounds);
  check_add_test (suite, "against a run of fio", test_against_fio);
  check_add_test (suite, "moments", test_moments);
  check_add_test (suite, "percentiles", test_percentiles);
  check_add_test (suite, "percentiles without enough samples", test_has_percentile);
  check_add_test (suite, "merge", test_merge);
}
