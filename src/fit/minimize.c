/* NLopt behind one call; see minimize.h. */
#include "src/fit/minimize.h"
#include <math.h>
#include <nlopt.h>
#include <string.h>

G_DEFINE_QUARK (uringsim - minimize - error - quark, minimize_error)

typedef struct {
  const MinimizeProblem *problem;
  nlopt_opt opt;
  double *best;
  double best_value;
  unsigned evaluations;
  GError *error;
} Search;

/* NLopt's objective: keeps the best point itself, since a forced stop does not promise to return it. */
static double objective (unsigned n, const double *x, double *gradient, void *data)
{
  Search *search = data;
  const MinimizeProblem *problem = search->problem;
  double value = HUGE_VAL;

  if (search->error || (problem->interrupt && *problem->interrupt)) {
    nlopt_force_stop (search->opt);
    return HUGE_VAL;
  }
  search->evaluations++;
  if (!problem->evaluate (x, &value, problem->data, &search->error)) {
    nlopt_force_stop (search->opt);
    return HUGE_VAL;
  }
  if (value < search->best_value) {
    search->best_value = value;
    memcpy (search->best, x, n * sizeof *x);
  }
  return value;
}

static MinimizeEnd end_of (const Search *search, nlopt_result result)
{
  switch (result) {
  case NLOPT_SUCCESS:
  case NLOPT_STOPVAL_REACHED:
  case NLOPT_FTOL_REACHED:
  case NLOPT_XTOL_REACHED:
  case NLOPT_ROUNDOFF_LIMITED: /* the noise is larger than what a step gains */
    return MINIMIZE_CONVERGED;
  case NLOPT_MAXEVAL_REACHED:
  case NLOPT_MAXTIME_REACHED:
    return MINIMIZE_LIMIT;
  case NLOPT_FORCED_STOP:
    return search->error ? MINIMIZE_FAILED : MINIMIZE_INTERRUPTED;
  default:
    return MINIMIZE_FAILED;
  }
}

MinimizeEnd minimize (const MinimizeProblem *problem, double *x, double *ret_value, unsigned *ret_evaluations,
                      GError **error)
{
  g_return_val_if_fail (problem->n && problem->max_evaluations, MINIMIZE_FAILED);
  g_return_val_if_fail (problem->global || problem->tolerance > 0, MINIMIZE_FAILED);
  const nlopt_algorithm algorithm = problem->global                      ? NLOPT_GN_DIRECT_L
                                    : problem->n < 2 || problem->stepped ? NLOPT_LN_SBPLX
                                                                         : NLOPT_LN_BOBYQA;
  g_autofree double *start = g_new (double, problem->n);
  Search search = { .problem = problem, .best = x, .best_value = HUGE_VAL };
  double last;

  search.opt = nlopt_create (algorithm, problem->n);
  g_assert (search.opt);
  for (unsigned i = 0; i < problem->n; i++) {
    start[i] = x[i] = CLAMP (x[i], problem->low[i], problem->high[i]);
  }
  nlopt_set_min_objective (search.opt, objective, &search);
  nlopt_set_lower_bounds (search.opt, problem->low);
  nlopt_set_upper_bounds (search.opt, problem->high);
  if (!problem->global) {
    nlopt_set_initial_step1 (search.opt, problem->step);
    nlopt_set_xtol_abs1 (search.opt, problem->tolerance);
  }
  nlopt_set_maxeval (search.opt, (int) MIN (problem->max_evaluations, (unsigned) G_MAXINT));
  const nlopt_result result = nlopt_optimize (search.opt, start, &last);
  MinimizeEnd end = end_of (&search, result);
  nlopt_destroy (search.opt);
  if (search.error) {
    g_propagate_error (error, search.error);
    end = MINIMIZE_FAILED;
  } else if (end == MINIMIZE_FAILED) {
    g_set_error (error, MINIMIZE_ERROR, result, "the search for the best values failed: NLopt result %d (%s)", result,
                 nlopt_result_to_string (result));
  }
  *ret_value = search.best_value;
  if (ret_evaluations) {
    *ret_evaluations = search.evaluations;
  }
  return end;
}
