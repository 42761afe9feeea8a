/*
 * Logarithm, exponential and log-gamma that give the same bits on every machine.
 *
 * The C library's log() and exp() differ in the last bit between versions and
 * even between processors (with and without fused multiply-add).  Results of a
 * simulation must not, so everything that reaches a draw or a report uses these:
 * only + - * / and sqrt, which IEEE 754 defines exactly.  Compile without
 * contraction of a * b + c (-ffp-contract=off).
 */
#ifndef UR_PORTABLE_MATH_H
#define UR_PORTABLE_MATH_H

/* Natural logarithm, error below 2 units in the last place; x > 0, finite and normal (asserted). */
double ur_log (double x);
/* e to the x, error below 2 units in the last place; 0 below -708, infinity above 709. */
double ur_exp (double x);
/* x to the y; x > 0.  Relative error about 1e-16 * (1 + |y log x|). */
double ur_pow (double x, double y);
/* ln (gamma (x)); x > 0.  Error below 2e-14 * max (1, |result|). */
double ur_lgamma (double x);

#endif
