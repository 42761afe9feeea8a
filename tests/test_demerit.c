/* Curves of latencies and their distance, on distributions made by hand. */
#include "src/command/demerit.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>

/* "10x3 20x1": three of 10 ns, one of 20 ns. */
static void fill (UrHistogram *histogram, const char *text)
{
  g_auto (GStrv) word = g_strsplit (text, " ", -1);

  ur_histogram_init (histogram);
  for (unsigned i = 0; word[i]; i++) {
    char *times;
    const guint64 ns = g_ascii_strtoull (word[i], &times, 10);
    for (unsigned k = (unsigned) atoi (times + 1); k; k--) {
      ur_histogram_record (histogram, ns);
    }
  }
}

static void test_demerit (void)
{
  static const struct {
    const char *rule, *a, *b;
    double apart;
  } row[] = {
    { "equal distributions", "10x3 20x1", "10x3 20x1", 0 },
    { "equal in shares, not in numbers", "10x3 20x1", "10x30 20x10", 0 },
    { "a shift is its own distance", "10x3 20x1", "15x3 25x1", 5 },
    { "half of them 10 apart", "10x4", "10x2 20x2", 7.0710678118654755 },
    { "a tenth 100 apart", "10x10", "10x9 110x1", 31.622776601683793 },
    { "steps at different shares", "10x1 20x3", "10x3 20x1", 7.0710678118654755 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    UrHistogram a, b;
    fill (&a, row[i].a);
    fill (&b, row[i].b);
    g_autoptr (LatencyCurve) left = latency_curve_simulated (&a), right = latency_curve_simulated (&b);
    const double there = demerit (left, right), back = demerit (right, left);
    ROW_CHECK (fabs (there - row[i].apart) < 1e-9 && fabs (back - there) < 1e-9, "%s: %g, back %g", row[i].rule, there,
               back);
  }
}

static void test_percentiles (void)
{
  UrHistogram histogram;
  fill (&histogram, "10x50 20x49 100x1");
  g_autoptr (LatencyCurve) curve = latency_curve_simulated (&histogram);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 50), 10, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 51), 20, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 99), 20, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 99.9), 100, 1e-9);
  ur_histogram_init (&histogram);
  CU_ASSERT_PTR_NULL (latency_curve_simulated (&histogram));
}

/* From percentiles: straight from the minimum over them to the maximum. */
static void test_measured (void)
{
  const MeasuredPercentile row[] = { { 50, 100 }, { 100, 200 } };
  MeasuredLatency latency = { .n = 10, .min = 0, .max = 200, .percentile = g_array_new (FALSE, FALSE, sizeof *row) };
  CU_ASSERT_PTR_NULL (latency_curve_measured (&latency));
  g_array_append_vals (latency.percentile, row, 2);
  g_autoptr (LatencyCurve) curve = latency_curve_measured (&latency);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 50), 100, 1e-6);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 25), 50, 1e-6);
  CU_ASSERT_DOUBLE_EQUAL (latency_curve_at (curve, 100), 200, 1e-6);
  /* Uniform from 0 to 200 against 100 always: the deviation of the uniform distribution, 200 / sqrt (12). */
  UrHistogram constant;
  fill (&constant, "100x4");
  g_autoptr (LatencyCurve) flat = latency_curve_simulated (&constant);
  CU_ASSERT_DOUBLE_EQUAL (demerit (curve, flat), 200 / sqrt (12), 1e-9);
  /* Bins go before percentiles. */
  UrHistogram bins;
  fill (&bins, "100x4");
  latency.bins = &bins;
  latency.min = latency.max = 100;
  g_autoptr (LatencyCurve) binned = latency_curve_measured (&latency);
  CU_ASSERT_DOUBLE_EQUAL (demerit (binned, flat), 0, 1e-9);
  g_array_unref (latency.percentile);
}

void register_demerit_tests (void)
{
  static CU_TestInfo tests[] = {
    { "demerit", test_demerit },
    { "percentiles", test_percentiles },
    { "measured", test_measured },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "demerit", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
