/* Small dense least squares by Gram-Schmidt; see least_squares.h. */
#include "src/fit/least_squares.h"
#include <math.h>
#include <string.h>

/* A column is explained by others if less than this part of its length is left. */
#define EXPLAINED 1e-10

static double dot (const double *a, const double *b, unsigned n)
{
  double sum = 0;

  for (unsigned i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void take_column (const double *a, unsigned rows, unsigned columns, unsigned column, const double *scale,
                         double *ret_column)
{
  for (unsigned i = 0; i < rows; i++) {
    ret_column[i] = a[i * columns + column] * (scale ? scale[i] : 1);
  }
}

/* Takes from `vector` what lies along the orthonormal rows of `basis`, twice, as rounding demands; adds the parts to
 * `ret_parts` (nullable). */
static void remove_basis (double *vector, unsigned n, const double *basis, unsigned n_basis, double *ret_parts)
{
  for (unsigned pass = 0; pass < 2; pass++) {
    for (unsigned k = 0; k < n_basis; k++) {
      const double part = dot (vector, basis + k * n, n);
      for (unsigned i = 0; i < n; i++) {
        vector[i] -= part * basis[k * n + i];
      }
      if (ret_parts) {
        ret_parts[k] += part;
      }
    }
  }
}

/* Appends the direction of `vector` to the basis unless nothing is left of it; returns the length that was left. */
static double extend_basis (double *vector, unsigned n, double *basis, unsigned *n_basis, double *ret_parts)
{
  const double before = sqrt (dot (vector, vector, n));

  remove_basis (vector, n, basis, *n_basis, ret_parts);
  const double left = sqrt (dot (vector, vector, n));
  if (left <= before * EXPLAINED || left == 0) {
    return 0;
  }
  for (unsigned i = 0; i < n; i++) {
    basis[*n_basis * n + i] = vector[i] / left;
  }
  (*n_basis)++;
  return left;
}

void least_squares_solve (const double *a, unsigned rows, unsigned columns, const double *b, const double *scale,
                          double *ret_x)
{
  g_autofree double *basis = g_new0 (double, (gsize) rows *columns), *r = g_new0 (double, (gsize) columns *columns);
  g_autofree double *vector = g_new (double, rows), *rest = g_new (double, rows);
  g_autofree int *index = g_new (int, columns); /* of the column's direction in the basis; -1: none */
  unsigned n_basis = 0;

  /* r: column j = sum over k of r[k * columns + j] * basis[k] */
  for (unsigned j = 0; j < columns; j++) {
    g_autofree double *parts = g_new0 (double, columns);
    take_column (a, rows, columns, j, scale, vector);
    const double left = extend_basis (vector, rows, basis, &n_basis, parts);
    index[j] = left > 0 ? (int) n_basis - 1 : -1;
    for (unsigned k = 0; k < n_basis; k++) {
      r[k * columns + j] = left > 0 && k == n_basis - 1 ? left : parts[k];
    }
  }
  for (unsigned i = 0; i < rows; i++) {
    rest[i] = b[i] * (scale ? scale[i] : 1);
  }
  memset (ret_x, 0, columns * sizeof *ret_x);
  for (unsigned j = columns; j-- > 0;) {
    if (index[j] < 0) {
      continue;
    }
    const unsigned k = (unsigned) index[j];
    double value = dot (rest, basis + k * rows, rows);
    for (unsigned later = j + 1; later < columns; later++) {
      value -= r[k * columns + later] * ret_x[later];
    }
    ret_x[j] = value / r[k * columns + j];
  }
}

double least_squares_remaining (const double *a, unsigned rows, unsigned columns, unsigned column,
                                const gboolean *others, const double *scale)
{
  g_autofree double *basis = g_new0 (double, (gsize) rows *columns), *vector = g_new (double, rows);
  unsigned n_basis = 0;

  for (unsigned j = 0; j < columns; j++) {
    if (j != column && others[j]) {
      take_column (a, rows, columns, j, scale, vector);
      extend_basis (vector, rows, basis, &n_basis, NULL);
    }
  }
  take_column (a, rows, columns, column, scale, vector);
  remove_basis (vector, rows, basis, n_basis, NULL);
  return sqrt (dot (vector, vector, rows));
}

void least_squares_leverage (const double *a, unsigned rows, unsigned columns, const double *scale,
                             double *ret_leverage)
{
  g_autofree double *basis = g_new0 (double, (gsize) rows *columns), *vector = g_new (double, rows);
  unsigned n_basis = 0;

  for (unsigned j = 0; j < columns; j++) {
    take_column (a, rows, columns, j, scale, vector);
    extend_basis (vector, rows, basis, &n_basis, NULL);
  }
  for (unsigned i = 0; i < rows; i++) {
    ret_leverage[i] = 0;
    for (unsigned k = 0; k < n_basis; k++) {
      ret_leverage[i] += basis[k * rows + i] * basis[k * rows + i];
    }
  }
}

double least_squares_length (const double *a, unsigned rows, unsigned columns, unsigned column, const double *scale)
{
  g_autofree double *vector = g_new (double, rows);

  take_column (a, rows, columns, column, scale, vector);
  return sqrt (dot (vector, vector, rows));
}

double least_squares_cosine (const double *a, unsigned rows, unsigned columns, unsigned first, unsigned second,
                             const double *scale)
{
  g_autofree double *x = g_new (double, rows), *y = g_new (double, rows);

  take_column (a, rows, columns, first, scale, x);
  take_column (a, rows, columns, second, scale, y);
  const double lengths = sqrt (dot (x, x, rows)) * sqrt (dot (y, y, rows));
  return lengths > 0 ? dot (x, y, rows) / lengths : 0;
}
