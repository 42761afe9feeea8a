/* Small dense least squares, and what other columns leave of one. */
#include "src/fit/least_squares.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <math.h>

static void test_solve (void)
{
  static const struct {
    const char *name;
    unsigned rows, columns;
    double a[12], b[4], scale[4], x[3];
  } row[] = {
    { "as many equations as numbers", 2, 2, { 2, 1, 1, 3 }, { 4, 7 }, { 1, 1 }, { 1, 2 } },
    { "mean of four", 4, 1, { 1, 1, 1, 1 }, { 1, 2, 3, 6 }, { 1, 1, 1, 1 }, { 3 } },
    { "a row without weight does not count", 4, 1, { 1, 1, 1, 1 }, { 1, 2, 3, 600 }, { 1, 1, 1, 0 }, { 2 } },
    { "weights are squares of the scale", 2, 1, { 1, 1 }, { 0, 5 }, { 1, 2 }, { 4 } },
    { "a straight line", 4, 2, { 1, 0, 1, 1, 1, 2, 1, 3 }, { 1, 3, 5, 7 }, { 1, 1, 1, 1 }, { 1, 2 } },
    { "a column like the first gets 0", 3, 3, { 1, 2, 0, 1, 2, 1, 1, 2, 2 }, { 1, 2, 3 }, { 1, 1, 1 }, { 1, 0, 1 } },
    { "a column of zeros gets 0", 2, 2, { 0, 1, 0, 1 }, { 3, 3 }, { 1, 1 }, { 0, 3 } },
    { "more numbers than equations", 1, 2, { 2, 1 }, { 4 }, { 1 }, { 2, 0 } },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    double x[3];
    least_squares_solve (row[i].a, row[i].rows, row[i].columns, row[i].b, row[i].scale, x);
    for (unsigned k = 0; k < row[i].columns; k++) {
      ROW_CHECK (fabs (x[k] - row[i].x[k]) < 1e-9, "%s: x[%u] = %g", row[i].name, k, x[k]);
    }
  }
}

static void test_remaining (void)
{
  /* columns: 0 and 1 orthogonal, 2 = 3 * 0, 3 = 0 + 1 at 45 degrees, 4 zero */
  static const double a[] = { 1, 0, 3, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0 };
  static const struct {
    const char *name;
    unsigned column;
    gboolean others[5];
    double left;
  } row[] = {
    { "nothing else: its length", 2, { FALSE, FALSE, FALSE, FALSE, FALSE }, 3 },
    { "its own flag does not count", 2, { FALSE, FALSE, TRUE, FALSE, FALSE }, 3 },
    { "orthogonal: all of it", 1, { TRUE, FALSE, TRUE, FALSE, FALSE }, 2 },
    { "a multiple: nothing", 2, { TRUE, FALSE, FALSE, FALSE, FALSE }, 0 },
    { "at 45 degrees: one leg", 3, { TRUE, FALSE, FALSE, FALSE, FALSE }, 1 },
    { "two together explain it", 3, { TRUE, TRUE, FALSE, FALSE, FALSE }, 0 },
    { "zero", 4, { TRUE, TRUE, TRUE, TRUE, FALSE }, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    const double left = least_squares_remaining (a, 3, 5, row[i].column, row[i].others, NULL);
    ROW_CHECK (fabs (left - row[i].left) < 1e-12, "%s: %g", row[i].name, left);
  }
  CU_ASSERT_DOUBLE_EQUAL (least_squares_cosine (a, 3, 5, 0, 3, NULL), sqrt (0.5), 1e-12);
  CU_ASSERT_DOUBLE_EQUAL (least_squares_cosine (a, 3, 5, 0, 1, NULL), 0, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL (least_squares_cosine (a, 3, 5, 0, 4, NULL), 0, 0);
  CU_ASSERT_DOUBLE_EQUAL (least_squares_length (a, 3, 5, 3, (double[]){ 2, 1, 1 }), sqrt (5), 1e-12);
}

static void test_leverage (void)
{
  /* the second number is told by the last row alone */
  static const double a[] = { 1, 0, 1, 0, 1, 0, 0, 2 };
  static const double expected[] = { 1 / 3., 1 / 3., 1 / 3., 1 };
  double leverage[4];

  least_squares_leverage (a, 4, 2, NULL, leverage);
  for (unsigned i = 0; i < 4; i++) {
    ROW_CHECK (fabs (leverage[i] - expected[i]) < 1e-12, "row %u: %g", i, leverage[i]);
  }
}

void register_least_squares_tests (void)
{
  CU_pSuite suite = CU_add_suite ("least squares", NULL, NULL);

  CU_add_test (suite, "solve", test_solve);
  CU_add_test (suite, "remaining", test_remaining);
  CU_add_test (suite, "leverage", test_leverage);
}
