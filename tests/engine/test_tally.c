/*
 * Tallies, Student's t against tables, time-weighted levels.
 */
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "tests/engine/check.h"
#include "tests/unit.h"

/* Two-sided quantiles as printed in statistical tables, 3 or 4 decimals; the last digit may be rounded. */
static const struct {
  double level;
  uint64_t df;
  double t, tolerance;
} quantiles[] = {
  { 0.95, 1, 12.7062, 5e-5 },
  { 0.95, 2, 4.3027, 5e-5 },
  { 0.95, 3, 3.1824, 5e-5 },
  { 0.95, 4, 2.7764, 5e-5 },
  { 0.95, 5, 2.5706, 5e-5 },
  { 0.95, 7, 2.3646, 5e-5 },
  { 0.95, 9, 2.2622, 5e-5 },
  { 0.95, 10, 2.2281, 5e-5 },
  { 0.95, 20, 2.0860, 5e-5 },
  { 0.95, 30, 2.0423, 5e-5 },
  { 0.95, 60, 2.0003, 5e-5 },
  { 0.95, 120, 1.9799, 5e-5 },
  { 0.99, 1, 63.657, 5e-4 },
  { 0.99, 2, 9.9248, 5e-5 },
  { 0.99, 5, 4.0321, 5e-5 },
  { 0.99, 7, 3.4995, 5e-5 },
  { 0.99, 10, 3.1693, 5e-5 },
  { 0.99, 30, 2.7500, 5e-5 },
  { 0.99, 120, 2.6174, 5e-5 },
  { 0.90, 1, 6.3138, 5e-5 },
  { 0.90, 10, 1.8125, 5e-5 },
  { 0.90, 29, 1.6991, 5e-5 },
  { 0.999, 10, 4.587, 5e-4 },
  { 0.50, 1, 1.0, 1e-9 },
  { 0.80, 4, 1.533, 5e-4 },
  /* infinitely many: the normal distribution */
  { 0.95, UINT64_MAX, 1.959963984540, 1e-8 },
  { 0.99, UINT64_MAX, 2.575829303549, 1e-8 },
  { 0.95, 1000000, 1.959963984540 + 2.3722e-6, 1e-8 }, /* z + (z^3 + z) / (4 df) */
  { 0.0, 5, 0.0, 0.0 },
};

static void test_student (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (quantiles); i++) {
    double t = ur_student_t (quantiles[i].level, quantiles[i].df);
    CHECK (fabs (t - quantiles[i].t) <= quantiles[i].tolerance, "level %g, df %" G_GUINT64_FORMAT ": %.9g, not %.9g",
           quantiles[i].level, quantiles[i].df, t, quantiles[i].t);
  }
  /* Closed forms: df 1 is the Cauchy distribution, df 2 has t = p sqrt (2 / (1 - p^2)). */
  for (double p = 0.05; p < 0.9999; p += 0.05) {
    CHECK_NEAR (ur_student_t (p, 1) / tan (p * G_PI / 2), 1.0, 1e-9, "df 1");
    CHECK_NEAR (ur_student_t (p, 2) / (p * sqrt (2.0 / (1.0 - p * p))), 1.0, 1e-9, "df 2");
  }
  /* No step where the method changes. */
  CHECK_NEAR (ur_student_t (0.95, 20001), ur_student_t (0.95, 20000), 1e-8, "df 20000 and 20001");
}

static void test_tally (void)
{
  static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
  UrTally tally;

  ur_tally_init (&tally);
  CHECK (tally.n == 0 && ur_tally_stddev (&tally) == 0.0 && ur_tally_half_width (&tally, 0.95) == 0.0, "empty");
  ur_tally_add (&tally, 3.0);
  CHECK (tally.mean == 3.0 && ur_tally_stddev (&tally) == 0.0, "one value");
  CHECK (ur_tally_half_width (&tally, 0.95) == 0.0, "one value has no interval");
  ur_tally_init (&tally);
  for (size_t i = 0; i < G_N_ELEMENTS (values); i++)
    ur_tally_add (&tally, values[i]);
  CHECK (tally.n == 8 && tally.min == 2.0 && tally.max == 9.0, "count, minimum, maximum");
  CHECK_NEAR (tally.mean, 5.0, 1e-15, "mean");
  CHECK_NEAR (ur_tally_stddev (&tally), sqrt (32.0 / 7.0), 1e-14, "deviation");
  CHECK_NEAR (ur_tally_half_width (&tally, 0.95), 2.364624 * sqrt (32.0 / 7.0 / 8.0), 1e-5, "half width");
}

/* Of 2000 intervals around means of 8 normal values, as many hold the true mean as the level says. */
static void test_coverage (void)
{
  static const double levels[] = { 0.5, 0.9, 0.95, 0.99 };
  enum { ROUNDS = 2000 };
  UrRandom random;
  unsigned hits[G_N_ELEMENTS (levels)] = { 0 };

  ur_random_init (&random, 1, "coverage");
  for (int round = 0; round < ROUNDS; round++) {
    UrTally tally;
    ur_tally_init (&tally);
    for (int i = 0; i < 8; i++)
      ur_tally_add (&tally, 10.0 + 3.0 * ur_random_normal (&random));
    for (size_t i = 0; i < G_N_ELEMENTS (levels); i++)
      hits[i] += fabs (tally.mean - 10.0) <= ur_tally_half_width (&tally, levels[i]);
  }
  for (size_t i = 0; i < G_N_ELEMENTS (levels); i++) {
    double deviation = sqrt (levels[i] * (1.0 - levels[i]) / ROUNDS);
    CHECK_NEAR ((double) hits[i] / ROUNDS, levels[i], 3.5 * deviation, "coverage");
  }
}

static void test_level (void)
{
  UrLevel level;

  ur_level_init (&level, 100, 2.0);
  CHECK (ur_level_mean (&level, 100) == 2.0, "no time has passed");
  CHECK (ur_level_mean (&level, 150) == 2.0, "constant");
  ur_level_set (&level, 110, 5.0); /* 2 for 10 */
  ur_level_set (&level, 110, 4.0); /* 5 for 0, but it is the maximum */
  ur_level_set (&level, 130, 0.0); /* 4 for 20 */
  CHECK_NEAR (ur_level_mean (&level, 130), (2.0 * 10 + 4.0 * 20) / 30, 1e-15, "mean");
  CHECK_NEAR (ur_level_mean (&level, 200), 1.0, 1e-15, "mean at a later time");
  CHECK (level.max == 5.0, "maximum");
}

void register_tally_tests (void)
{
  CU_pSuite suite = check_new_suite ("tally");

  check_add_test (suite, "Student's t against tables", test_student);
  check_add_test (suite, "tally", test_tally);
  check_add_test (suite, "coverage of confidence intervals", test_coverage);
  check_add_test (suite, "level", test_level);
}
