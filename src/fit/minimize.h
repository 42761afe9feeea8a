/*
 * The least value of a function of a few numbers within bounds, without derivatives: NLopt behind one call, so that
 * nothing else of the program knows the library.
 *
 * Methods: BOBYQA (Powell 2009; quadratic models by interpolation) for two numbers and more, which suits functions
 * that are smooth up to a little noise; Sbplx (Rowan 1990; Nelder-Mead on subspaces) for one number, where BOBYQA is
 * not defined, and for functions with steps; DIRECT-L (Gablonsky and Kelley 2001; dividing rectangles) to look at all
 * of the space before.  All are deterministic: the same function gives the same calls.
 * The function is called from the caller's thread only.
 */
#ifndef MINIMIZE_H
#define MINIMIZE_H

#include <glib.h>

typedef enum {
  MINIMIZE_CONVERGED,        /* no step larger than the tolerance helps */
  MINIMIZE_LIMIT,            /* max_evaluations */
  MINIMIZE_INTERRUPTED,
  MINIMIZE_FAILED,           /* error set: by `evaluate`, or MINIMIZE_ERROR */
} MinimizeEnd;

/* All pointers are borrowed for the length of the call. */
typedef struct {
  unsigned n;                        /* numbers, >= 1 */
  const double *low, *high;          /* bounds, low < high */
  double step;                       /* first step, in the unit of the numbers; at most a quarter of every range */
  double tolerance;                  /* the search ends when steps are smaller; 0 < tolerance < step */
  unsigned max_evaluations;          /* >= 1 */
  gboolean stepped;                  /* the function is constant between steps, or noisy: Sbplx */
  gboolean global;                   /* look everywhere: DIRECT-L; `step`, `tolerance` and the start do not count */
  /* The value at x, finite; FALSE with error set ends the search. */
  gboolean (*evaluate) (const double *x, double *ret_value, void *data, GError **error);
  void *data;
  const volatile gint *interrupt;    /* (nullable) non-zero: the search ends */
} MinimizeProblem;

#define MINIMIZE_ERROR (minimize_error_quark ())
GQuark minimize_error_quark (void);

/* `x`: the start (moved into the bounds if outside) on entry, the best point seen on return, whatever ended the
 * search; `ret_value` its value, infinity if none was seen; `ret_evaluations` (nullable) counts the calls. */
MinimizeEnd minimize (const MinimizeProblem *problem, double *x, double *ret_value, unsigned *ret_evaluations,
                      GError **error);

#endif
