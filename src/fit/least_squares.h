/*
 * Least squares on small dense matrices, and how much of one column the others explain.
 *
 * Matrices are by rows: a[row * columns + column].  Sizes are a few dozen, so everything is Gram-Schmidt with
 * reorthogonalisation in plain loops: the same bits on every machine.
 */
#ifndef LEAST_SQUARES_H
#define LEAST_SQUARES_H

#include <glib.h>

/* The x with the least |diag (scale) (a x - b)|; scale (nullable: ones).  A column that the columns before it explain
 * to rounding gets 0. */
void least_squares_solve (const double *a, unsigned rows, unsigned columns, const double *b, const double *scale,
                          double *ret_x);

/* How much each row draws the solution to itself: the diagonal of the projection on the columns, 0..1; the sum is the
 * number of independent columns. */
void least_squares_leverage (const double *a, unsigned rows, unsigned columns, const double *scale,
                             double *ret_leverage);

/* What is left of the length of column `column` when the best combination of the columns in `others` (one flag a
 * column; its own flag is ignored) is taken away; `scale` as above. */
double least_squares_remaining (const double *a, unsigned rows, unsigned columns, unsigned column,
                                const gboolean *others, const double *scale);

/* Length of a column, and cosine of the angle between two (0 if one is zero). */
double least_squares_length (const double *a, unsigned rows, unsigned columns, unsigned column, const double *scale);
double least_squares_cosine (const double *a, unsigned rows, unsigned columns, unsigned first, unsigned second,
                             const double *scale);

#endif
