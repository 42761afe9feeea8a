/*
 * CUnit assertions with a formatted message, so that a failing table row says which it was.
 */
#ifndef TESTS_ENGINE_CHECK_H
#define TESTS_ENGINE_CHECK_H

#include <CUnit/CUnit.h>
#include <glib.h>
#include <math.h>

#include "tests/row.h"

/* CHECK (n == 3, "row %s: n is %d", row->name, n) */
#define CHECK(...) ROW_CHECK (__VA_ARGS__)

/* |value - expected| <= tolerance, all doubles; the message says all three. */
#define CHECK_NEAR(value, expected, tolerance, what) \
  do { \
    double check_value = (value), check_expected = (expected), check_tolerance = (tolerance); \
    CHECK (fabs (check_value - check_expected) <= check_tolerance, "%s: %.12g, expected %.12g within %.3g", \
           what, check_value, check_expected, check_tolerance); \
  } while (0)

/* Creates a suite or stops the program: a suite that is missing must not look like success. */
static inline CU_pSuite check_new_suite (const char *name)
{
  CU_pSuite suite = CU_add_suite (name, NULL, NULL);

  if (suite == NULL)
    g_error ("suite %s: %s", name, CU_get_error_msg ());
  return suite;
}

static inline void check_add_test (CU_pSuite suite, const char *name, CU_TestFunc test)
{
  if (CU_add_test (suite, name, test) == NULL)
    g_error ("test %s: %s", name, CU_get_error_msg ());
}

#endif
