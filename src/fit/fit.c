/* The order of work of a fit; see fit.h. */
#include "src/fit/fit.h"
#include "src/engine/portable_math.h"
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "src/fit/fit_private.h"
#include "src/fit/least_squares.h"
#include "src/fit/minimize.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };             /* of choosing and searching */
enum { EXPLORE_PER_NUMBER = 6 }; /* points around the start, before the first search */
#define EXPLORE_FACTOR 4.0
#define FIRST_STEP 0.5  /* of the first search, in logs */
#define LATER_STEP 0.1  /* of those that start near the optimum */
#define TOLERANCE 0.004 /* steps of less than half a percent say nothing */
#define BOUND_NEAR 0.01
#define Z95 1.96

double fit_relative (double error) { return isfinite (error) ? ur_exp (fabs (error)) - 1 : HUGE_VAL; }

static int compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double fit_median (const double *errors, const gboolean *wanted, unsigned n)
{
  g_autofree double *sorted = g_new (double, MAX (n, 1));
  unsigned count = 0;

  for (unsigned i = 0; i < n; i++) {
    if (!wanted || wanted[i]) {
      sorted[count++] = fit_relative (errors[i]);
    }
  }
  if (!count) {
    return NAN;
  }
  qsort (sorted, count, sizeof *sorted, compare_doubles);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Pseudo-Huber: bend^2 (sqrt (1 + (error / bend)^2) - 1), near error^2 / 2 for small errors. */
static double loss (double error)
{
  const double part = error / FIT_LOSS_BEND;

  return FIT_LOSS_BEND * FIT_LOSS_BEND * (sqrt (1 + part * part) - 1);
}

double fit_loss_weight (double error)
{
  const double part = error / FIT_LOSS_BEND;

  return 1 / sqrt (1 + part * part);
}

double *fit_scale (const Fit *fit, const double *errors)
{
  double *scale = g_new (double, fit->m);

  for (unsigned i = 0; i < fit->m; i++) {
    scale[i] = fit->weight[i] > 0 ? sqrt (fit->weight[i] * (errors ? fit_loss_weight (errors[i]) : 1)) : 0;
  }
  return scale;
}

gboolean fit_evaluate (Fit *fit, const double *points, unsigned n_points, const gboolean *wanted, double *ret_errors,
                       GError **error)
{
  const FitProblem *problem = fit->problem;
  g_autofree double *numbers = g_new (double, (gsize) n_points * fit->p);
  g_autoptr (GError) cause = NULL;

  for (unsigned i = 0; i < n_points * fit->p; i++) {
    /* Exactly what the caller gave as start and bounds comes back to it. */
    const unsigned j = i % fit->p;
    numbers[i] = points[i] == fit->start[j]  ? problem->parameters[j].start
                 : points[i] <= fit->low[j]  ? problem->parameters[j].low
                 : points[i] >= fit->high[j] ? problem->parameters[j].high
                                             : ur_exp (points[i]);
  }
  fit->result->evaluations += n_points;
  if (problem->evaluate (numbers, n_points, wanted, ret_errors, problem->data, &cause)) {
    return TRUE;
  }
  fit->interrupted = !cause;
  if (cause) {
    g_propagate_error (error, g_steal_pointer (&cause));
  }
  return FALSE;
}

static double objective (const Fit *fit, const double *weight, const double *errors)
{
  double sum = 0;

  for (unsigned i = 0; i < fit->m; i++) {
    sum += weight[i] > 0 ? weight[i] * loss (errors[i]) : 0;
  }
  return sum;
}

/* ---- one search ---- */

typedef struct {
  Fit *fit;
  const gboolean *fitted;
  const double *weight;
  double *point; /* all numbers, in logs */
  double *errors, *best_errors;
  gboolean *wanted;
  FitPhase phase;
  unsigned done;
  double best;
} Search;

static gboolean search_evaluate (const double *x, double *ret_value, void *data, GError **error)
{
  Search *search = data;
  const FitProblem *problem = search->fit->problem;
  unsigned k = 0;

  for (unsigned j = 0; j < search->fit->p; j++) {
    if (search->fitted[j]) {
      search->point[j] = x[k++];
    }
  }
  if (!fit_evaluate (search->fit, search->point, 1, search->wanted, search->errors, error)) {
    if (search->fit->interrupted) {
      *ret_value = HUGE_VAL; /* the interrupt ends the search before its next call */
      return TRUE;
    }
    return FALSE;
  }
  *ret_value = objective (search->fit, search->weight, search->errors);
  if (*ret_value < search->best) {
    search->best = *ret_value;
    memcpy (search->best_errors, search->errors, search->fit->m * sizeof *search->errors);
  }
  search->done++;
  if (problem->progress && search->phase == FIT_PHASE_SEARCH) {
    problem->progress (search->phase, search->done, problem->max_evaluations, search->best, problem->data);
  }
  return TRUE;
}

/* Moves the fitted numbers of `x` to the best point found from there. FALSE with error set if an evaluation failed. */
static gboolean search_from (Fit *fit, const gboolean *fitted, const double *weight, double step, FitPhase phase,
                             double *x, GError **error)
{
  const unsigned p = fit->p;
  g_autofree double *part = g_new (double, 3 * p), *point = g_memdup2 (x, p * sizeof *x);
  g_autofree double *errors = g_new0 (double, 2 * fit->m);
  g_autofree gboolean *wanted = g_new0 (gboolean, fit->m);
  Search search = { fit, fitted, weight, point, errors, errors + fit->m, wanted, phase, 0, HUGE_VAL };
  unsigned n = 0;
  double value;

  for (unsigned i = 0; i < fit->m; i++) {
    wanted[i] = weight[i] > 0;
  }
  for (unsigned j = 0; j < p; j++) {
    if (fitted[j]) {
      part[n] = x[j];
      part[p + n] = fit->low[j];
      part[2 * p + n] = fit->high[j];
      step = MIN (step, (fit->high[j] - fit->low[j]) / 4);
      n++;
    }
  }
  if (!n) {
    return TRUE;
  }
  const MinimizeProblem problem = { .n = n,
                                    .low = part + p,
                                    .high = part + 2 * p,
                                    .step = step,
                                    .tolerance = MIN (TOLERANCE, step / 4),
                                    .max_evaluations = fit->problem->max_evaluations,
                                    .evaluate = search_evaluate,
                                    .data = &search,
                                    .interrupt = fit->problem->interrupt };
  const MinimizeEnd end = minimize (&problem, part, &value, NULL, error);
  if (end == MINIMIZE_FAILED) {
    return FALSE;
  }
  fit->interrupted = fit->interrupted || end == MINIMIZE_INTERRUPTED;
  fit->result->limit = fit->result->limit || end == MINIMIZE_LIMIT;
  for (unsigned j = 0, k = 0; isfinite (value) && j < p; j++) {
    if (fitted[j]) {
      x[j] = part[k++];
    }
  }
  for (unsigned i = 0; isfinite (value) && phase == FIT_PHASE_SEARCH && i < fit->m; i++) {
    fit->result->errors[i] = wanted[i] ? search.best_errors[i] : NAN; /* until the whole is computed */
  }
  return TRUE;
}

/* ---- the whole ---- */

/* What is left per degree of freedom, not less than the floor; `ret_freedom`: degrees of freedom, at least 1. */
static double noise_left (const Fit *fit, const double *errors, unsigned *ret_freedom)
{
  double sum = 0, weights = 0;
  unsigned rows = 0, fitted = 0;

  for (unsigned i = 0; i < fit->m; i++) {
    if (fit->weight[i] > 0) {
      const double weight = fit->weight[i] * fit_loss_weight (errors[i]);
      sum += weight * errors[i] * errors[i];
      weights += weight;
      rows++;
    }
  }
  for (unsigned j = 0; j < fit->p; j++) {
    fitted += fit->fitted[j] != 0;
  }
  *ret_freedom = rows > fitted ? rows - fitted : 1;
  return MAX (FIT_NOISE_FLOOR, sqrt (sum / weights * rows / *ret_freedom));
}

/* Before the first search nobody knows what errors will stay, and only what is hopeless is dropped.  After one, what it
 * left is the noise; but a later fit of fewer numbers leaves more, and that is not noise. */
static void update_half_width (Fit *fit, unsigned round)
{
  unsigned freedom;

  if (!round) {
    fit->result->noise = FIT_NOISE_FLOOR;
    fit->half_width = Z95 * FIT_NOISE_FLOOR;
    return;
  }
  fit->result->noise = noise_left (fit, fit->result->errors, &freedom);
  const double half_width = fit->result->noise * ur_student_t (0.95, freedom);
  fit->half_width = round == 1 ? half_width : MIN (fit->half_width, half_width);
}

static void report_progress (const Fit *fit, FitPhase phase, unsigned done, unsigned of, double value)
{
  if (fit->problem->progress) {
    fit->problem->progress (phase, done, of, value, fit->problem->data);
  }
}

/* ---- where to start ---- */

/* Latin hypercube over a factor EXPLORE_FACTOR around the start, within the bounds: each number takes each of n parts
 * of its range once. */
static void fill_starts (const Fit *fit, double *points, unsigned n)
{
  const unsigned p = fit->p;
  g_autofree unsigned *part = g_new (unsigned, n);
  UrRandom random;

  ur_random_init (&random, fit->problem->seed, "fit.starts");
  for (unsigned j = 0; j < p; j++) {
    const double low = MAX (fit->low[j], fit->x[j] - ur_log (EXPLORE_FACTOR));
    const double high = MIN (fit->high[j], fit->x[j] + ur_log (EXPLORE_FACTOR));
    for (unsigned k = 0; k < n; k++) {
      part[k] = k;
    }
    for (unsigned k = n; k > 1; k--) {
      const unsigned other = (unsigned) ur_random_below (&random, k), swapped = part[k - 1];
      part[k - 1] = part[other];
      part[other] = swapped;
    }
    for (unsigned k = 0; k < n; k++) {
      const double place = low + (high - low) * (part[k] + ur_random_double (&random)) / n;
      points[k * p + j] = fit->fitted[j] ? place : fit->x[j];
    }
  }
}

/* The point that the sensitivities at x point to, not further than EXPLORE_FACTOR. */
static void fill_linear (const Fit *fit, double *point)
{
  const unsigned p = fit->p, m = fit->m;
  g_autofree double *a = g_new0 (double, (gsize) m *p), *wanted = g_new0 (double, m), *scale = fit_scale (fit, NULL);
  g_autofree double *move = g_new (double, p);

  for (unsigned i = 0; i < m; i++) {
    wanted[i] = scale[i] > 0 ? -fit->result->errors[i] : 0;
    for (unsigned j = 0; j < p; j++) {
      a[i * p + j] = fit->fitted[j] ? fit->result->sensitivity[i * p + j] : 0;
    }
  }
  least_squares_solve (a, m, p, wanted, scale, move);
  for (unsigned j = 0; j < p; j++) {
    const double far = ur_log (EXPLORE_FACTOR);
    point[j] = CLAMP (fit->x[j] + CLAMP (move[j], -far, far), fit->low[j], fit->high[j]);
  }
}

static int best_index (const double *values, unsigned n, int other_than)
{
  int best = -1;

  for (unsigned k = 0; k < n; k++) {
    if ((int) k != other_than && (best < 0 || values[k] < values[best])) {
      best = (int) k;
    }
  }
  return best;
}

/* The first search: rates switch from one regime to another, so that a search may end in the wrong one.  From the best
 * two of the start, the point that its sensitivities point to, and points all around.  FALSE if interrupted or with
 * error set. */
static gboolean search_around (Fit *fit, GError **error)
{
  const unsigned p = fit->p, m = fit->m, n = 2 + EXPLORE_PER_NUMBER * p;
  g_autofree double *points = g_new (double, (gsize) n *p), *errors = g_new0 (double, (gsize) n *m);
  g_autofree double *values = g_new (double, n), *best = g_memdup2 (fit->x, p * sizeof *best);
  g_autofree gboolean *wanted = g_new (gboolean, m);
  double least = fit->result->start_objective;

  memcpy (points, fit->x, p * sizeof *points);
  fill_linear (fit, points + p);
  fill_starts (fit, points + 2 * p, n - 2);
  for (unsigned i = 0; i < m; i++) {
    wanted[i] = fit->weight[i] > 0;
  }
  if (!fit_evaluate (fit, points, n, wanted, errors, error)) {
    return FALSE;
  }
  for (unsigned k = 0; k < n; k++) {
    values[k] = objective (fit, fit->weight, errors + (gsize) k * m);
  }
  const int first = best_index (values, n, -1), starts[] = { first, best_index (values, n, first) };
  for (unsigned s = 0; s < G_N_ELEMENTS (starts); s++) {
    g_autofree double *x = g_memdup2 (points + (gsize) starts[s] * p, p * sizeof *x);
    const gboolean whole = search_from (fit, fit->fitted, fit->weight, FIRST_STEP, FIT_PHASE_SEARCH, x, error);
    const double value = whole ? objective (fit, fit->weight, fit->result->errors) : HUGE_VAL;
    if (value < least) {
      least = value;
      memcpy (best, x, p * sizeof *best);
    }
    if (!whole || fit->interrupted) {
      memcpy (fit->x, best, p * sizeof *best);
      return FALSE;
    }
  }
  memcpy (fit->x, best, p * sizeof *best);
  return TRUE;
}

/* Chooses and searches until the set of fitted numbers stays.  What was fitted once and dropped is not tried again, so
 * that it ends.  FALSE if interrupted or with error set. */
static gboolean choose_and_search (Fit *fit, GError **error)
{
  const unsigned p = fit->p;
  g_autofree gboolean *may_fit = g_new (gboolean, p), *chosen = g_new0 (gboolean, p);
  FitResult *result = fit->result;

  for (unsigned j = 0; j < p; j++) {
    may_fit[j] = TRUE;
  }
  for (unsigned round = 0; round < ROUNDS; round++) {
    /* Large errors at the start are what the numbers are for; those that stay after a fit are outliers. */
    g_autofree double *scale = fit_scale (fit, round ? result->errors : NULL);
    gboolean same = TRUE;
    update_half_width (fit, round);
    report_progress (fit, FIT_PHASE_SENSITIVITY, round + 1, ROUNDS, objective (fit, fit->weight, result->errors));
    if (!fit_sensitivity (fit, fit->x, result->sensitivity, error)) {
      return FALSE;
    }
    fit_choose (fit, result->sensitivity, scale, fit->half_width, may_fit, chosen, result->parameters);
    for (unsigned j = 0; j < p; j++) {
      same = same && chosen[j] == fit->fitted[j];
      if (fit->fitted[j] && !chosen[j]) {
        may_fit[j] = FALSE;
        fit->x[j] = fit->start[j];
      }
      fit->fitted[j] = chosen[j];
    }
    if (same && round) {
      return TRUE;
    }
    /* From the best point once more, in smaller steps: the first search may have ended in noise. */
    if (!(round ? search_from (fit, fit->fitted, fit->weight, FIRST_STEP, FIT_PHASE_SEARCH, fit->x, error)
                : search_around (fit, error)) ||
        fit->interrupted || !search_from (fit, fit->fitted, fit->weight, LATER_STEP, FIT_PHASE_SEARCH, fit->x, error) ||
        fit->interrupted) {
      return FALSE;
    }
    if (!fit_evaluate (fit, fit->x, 1, NULL, result->errors, error)) {
      return FALSE;
    }
  }
  /* The set went on changing: the last choice was searched; its sensitivities are those before that search. */
  update_half_width (fit, ROUNDS);
  return TRUE;
}

/* The fit without one observation, from the optimum of all. FALSE if interrupted or with error set. */
static gboolean leave_out (Fit *fit, unsigned observation, FitLeftOut *left_out, GError **error)
{
  const unsigned p = fit->p, m = fit->m;
  g_autofree double *weight = g_memdup2 (fit->weight, m * sizeof *weight), *x = g_memdup2 (fit->x, p * sizeof *x);
  g_autofree double *errors = g_new0 (double, m), *scale = fit_scale (fit, fit->result->errors);
  g_autofree gboolean *chosen = g_new0 (gboolean, p);

  weight[observation] = scale[observation] = 0;
  fit_choose (fit, fit->result->sensitivity, scale, fit->half_width, fit->fitted, chosen, NULL);
  for (unsigned j = 0; j < p; j++) {
    if (fit->fitted[j] && !chosen[j]) { /* only this observation told it */
      x[j] = fit->start[j];
    }
  }
  const double step = fit->problem->all ? FIRST_STEP : LATER_STEP;
  if (!search_from (fit, chosen, weight, step, FIT_PHASE_LEAVE_ONE_OUT, x, error) || fit->interrupted ||
      !fit_evaluate (fit, x, 1, NULL, errors, error)) {
    return FALSE;
  }
  *left_out = (FitLeftOut){ .observation = observation,
                            .values = g_new (double, p),
                            .error = errors[observation],
                            .median = fit_median (errors, fit->problem->scored, m) };
  for (unsigned j = 0; j < p; j++) {
    left_out->values[j] = x[j] == fit->start[j] ? fit->problem->parameters[j].start : ur_exp (x[j]);
  }
  return TRUE;
}

static gboolean leave_one_out (Fit *fit, GError **error)
{
  FitResult *result = fit->result;

  result->left_out = g_new0 (FitLeftOut, fit->m);
  for (unsigned i = 0; i < fit->m; i++) {
    if (fit->weight[i] > 0) {
      report_progress (fit, FIT_PHASE_LEAVE_ONE_OUT, result->n_left_out + 1, result->n_used, result->objective);
      if (!leave_out (fit, i, &result->left_out[result->n_left_out], error)) {
        return FALSE;
      }
      result->n_left_out++;
    }
  }
  return TRUE;
}

/* Values, bounds and counts from the state of the fit. */
static void fill_result (Fit *fit)
{
  FitResult *result = fit->result;

  result->n_fitted = 0;
  for (unsigned j = 0; j < fit->p; j++) {
    FitEstimate *estimate = &result->parameters[j];
    const double range = fit->high[j] - fit->low[j];
    estimate->value = fit->x[j] == fit->start[j] ? fit->problem->parameters[j].start : ur_exp (fit->x[j]);
    estimate->low = estimate->high = estimate->value;
    estimate->at_bound = fit->fitted[j] && (fit->x[j] - fit->low[j] < BOUND_NEAR * range ||
                                            fit->high[j] - fit->x[j] < BOUND_NEAR * range);
    result->n_fitted += fit->fitted[j] != 0;
  }
  result->objective = objective (fit, fit->weight, result->errors);
  result->partial = fit->interrupted;
}

static gboolean run (Fit *fit, GError **error)
{
  FitResult *result = fit->result;

  if (!fit_evaluate (fit, fit->x, 1, NULL, result->start_errors, error)) {
    return FALSE;
  }
  memcpy (result->errors, result->start_errors, fit->m * sizeof *result->errors);
  result->start_objective = objective (fit, fit->weight, result->errors);
  if (!choose_and_search (fit, error)) {
    return FALSE;
  }
  fill_result (fit);
  fit_confidence (fit, result->sensitivity);
  return !fit->problem->leave_one_out || leave_one_out (fit, error);
}

static Fit *fit_new (const FitProblem *problem)
{
  const unsigned p = problem->n_parameters, m = problem->n_observations;
  Fit *fit = g_new0 (Fit, 1);
  FitResult *result = fit->result = g_new0 (FitResult, 1);

  fit->problem = problem;
  fit->within = problem->within > 1 ? problem->within : FIT_FACTOR;
  fit->p = result->n_parameters = p;
  fit->m = result->n_observations = m;
  fit->x = g_new (double, 4 * p);
  fit->low = fit->x + p;
  fit->high = fit->x + 2 * p;
  fit->start = fit->x + 3 * p;
  fit->fitted = g_new0 (gboolean, p);
  fit->weight = g_new0 (double, m);
  result->parameters = g_new0 (FitEstimate, p);
  result->start_errors = g_new (double, m);
  result->errors = g_new (double, m);
  result->sensitivity = g_new0 (double, (gsize) m *p);
  for (unsigned j = 0; j < p; j++) {
    const FitParameter *parameter = &problem->parameters[j];
    fit->x[j] = fit->start[j] = ur_log (parameter->start);
    fit->low[j] = ur_log (parameter->low);
    fit->high[j] = ur_log (parameter->high);
    result->parameters[j] = (FitEstimate){ .strongest = -1, .traded_for = -1, .fate = FIT_WEAK };
  }
  for (unsigned i = 0; i < m; i++) {
    const double luck = problem->luck ? problem->luck[i] : 0, floor = FIT_MODEL_ERROR * FIT_MODEL_ERROR;
    const double own = problem->deviation[i] * problem->deviation[i] + luck * luck;
    fit->weight[i] = problem->used[i] ? floor / (floor + own) : 0;
    result->n_used += problem->used[i] != 0;
    result->start_errors[i] = result->errors[i] = NAN;
  }
  return fit;
}

FitResult *fit_run (const FitProblem *problem, GError **error)
{
  g_return_val_if_fail (problem->n_parameters && problem->n_parameters <= FIT_PARAMETERS_MAX, NULL);
  g_return_val_if_fail (problem->n_observations && problem->n_observations <= FIT_OBSERVATIONS_MAX, NULL);
  Fit *fit = fit_new (problem);
  FitResult *result = fit->result;
  const gboolean whole = run (fit, error);

  if (!whole && fit->interrupted) {
    /* The best values so far; errors are those of the last complete step. */
    fill_result (fit);
  } else if (!whole) {
    g_clear_pointer (&result, fit_result_free);
  }
  g_free (fit->x);
  g_free (fit->fitted);
  g_free (fit->weight);
  g_free (fit);
  return result;
}

void fit_result_free (FitResult *result)
{
  if (!result) {
    return;
  }
  for (unsigned i = 0; i < result->n_left_out; i++) {
    g_free (result->left_out[i].values);
  }
  g_free (result->left_out);
  g_free (result->parameters);
  g_free (result->start_errors);
  g_free (result->errors);
  g_free (result->sensitivity);
  g_free (result);
}
