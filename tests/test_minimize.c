/* The search for a least value: bounds, methods, ends. */
#include "src/fit/minimize.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <math.h>

typedef struct {
  double (*function) (const double *x);
  unsigned calls, fail_at, interrupt_at;
  gint interrupt;
} Probe;

static gboolean evaluate (const double *x, double *ret_value, void *data, GError **error)
{
  Probe *probe = data;

  probe->calls++;
  if (probe->calls == probe->fail_at) {
    g_set_error (error, MINIMIZE_ERROR, 7, "call %u", probe->calls);
    return FALSE;
  }
  if (probe->calls == probe->interrupt_at) {
    probe->interrupt = 1;
  }
  *ret_value = probe->function (x);
  return TRUE;
}

static double bowl (const double *x)
{
  const double a = x[0] - 1, b = x[1] + 2;
  return 3 * a * a + b * b + a * b;
}
static double valley (const double *x) { return 100 * pow (x[1] - x[0] * x[0], 2) + pow (1 - x[0], 2); }
static double line (const double *x) { return fabs (x[0] - 0.5); }
static double outside (const double *x) { return pow (x[0] - 20, 2) + pow (x[1] - 1, 2); }
static double steps (const double *x) { return pow (floor (x[0] * 20) / 20 - 1, 2) + pow (floor (x[1] * 20) / 20, 2); }

static void test_minima (void)
{
  static const struct {
    const char *name;
    double (*function) (const double *x);
    unsigned n;
    gboolean stepped;
    double x[2], near;
  } row[] = {
    { "two numbers, smooth", bowl, 2, FALSE, { 1, -2 }, 0.01 },
    { "a curved valley", valley, 2, FALSE, { 1, 1 }, 0.05 },
    { "one number", line, 1, FALSE, { 0.5 }, 0.01 },
    { "the minimum lies beyond a bound", outside, 2, FALSE, { 5, 1 }, 0.01 },
    { "steps", steps, 2, TRUE, { 1.025, 0.025 }, 0.08 },
  };
  static const double low[] = { -5, -5 }, high[] = { 5, 5 };

  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    Probe probe = { .function = row[i].function };
    const MinimizeProblem problem = { .n = row[i].n,
                                      .low = low,
                                      .high = high,
                                      .step = 0.5,
                                      .tolerance = 0.0005,
                                      .max_evaluations = 2000,
                                      .stepped = row[i].stepped,
                                      .evaluate = evaluate,
                                      .data = &probe };
    double x[2] = { -1, 3 }, value;
    unsigned evaluations;
    g_autoptr (GError) error = NULL;
    const MinimizeEnd end = minimize (&problem, x, &value, &evaluations, &error);
    ROW_CHECK (end == MINIMIZE_CONVERGED, "%s: end %d, %s", row[i].name, end, row_error (error));
    ROW_CHECK (evaluations == probe.calls, "%s: %u of %u", row[i].name, evaluations, probe.calls);
    ROW_CHECK (value == row[i].function (x), "%s: the value is that of the point", row[i].name);
    for (unsigned k = 0; k < row[i].n; k++) {
      ROW_CHECK (fabs (x[k] - row[i].x[k]) <= row[i].near, "%s: x[%u] = %g", row[i].name, k, x[k]);
    }
  }
}

static void test_ends (void)
{
  static const struct {
    const char *name;
    unsigned fail_at, interrupt_at, max;
    MinimizeEnd end;
    unsigned calls; /* 0: any */
  } row[] = {
    { "an error of the function ends it", 9, 0, 2000, MINIMIZE_FAILED, 9 },
    { "an error at once", 1, 0, 2000, MINIMIZE_FAILED, 1 },
    { "an interrupt ends it after that call", 0, 9, 2000, MINIMIZE_INTERRUPTED, 9 },
    { "no more calls than allowed", 0, 0, 12, MINIMIZE_LIMIT, 12 },
  };
  static const double low[] = { -5, -5 }, high[] = { 5, 5 };

  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    Probe probe = { valley, 0, row[i].fail_at, row[i].interrupt_at, 0 };
    const MinimizeProblem problem = { .n = 2,
                                      .low = low,
                                      .high = high,
                                      .step = 0.5,
                                      .tolerance = 0.0005,
                                      .max_evaluations = row[i].max,
                                      .evaluate = evaluate,
                                      .data = &probe,
                                      .interrupt = &probe.interrupt };
    double x[2] = { -1, 3 }, value;
    g_autoptr (GError) error = NULL;
    const MinimizeEnd end = minimize (&problem, x, &value, NULL, &error);
    ROW_CHECK (end == row[i].end, "%s: end %d", row[i].name, end);
    ROW_CHECK ((error != NULL) == (end == MINIMIZE_FAILED), "%s: %s", row[i].name, row_error (error));
    ROW_CHECK (probe.calls == row[i].calls, "%s: %u calls", row[i].name, probe.calls);
    ROW_CHECK (probe.calls < 2 || value <= valley ((double[]){ -1, 3 }), "%s: not worse than the start", row[i].name);
    ROW_CHECK (!isfinite (value) || value == valley (x), "%s: the best point is kept", row[i].name);
  }
}

void register_minimize_tests (void)
{
  CU_pSuite suite = CU_add_suite ("minimize", NULL, NULL);

  CU_add_test (suite, "minima", test_minima);
  CU_add_test (suite, "ends", test_ends);
}
