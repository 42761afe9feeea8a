/*
 * Timing for the benchmark programs: wall-clock nanoseconds, best of several runs.
 */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/* The shortest of `rounds` calls of run(data), in ns. */
static inline double bench_best (int rounds, void (*run) (void *data), void *data)
{
  double best = 1e300;

  for (int i = 0; i < rounds; i++) {
    double start = bench_now_ns ();
    run (data);
    double elapsed = bench_now_ns () - start;
    best = elapsed < best ? elapsed : best;
  }
  return best;
}

#endif
