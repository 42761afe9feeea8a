/*
 * A keyed permutation of 0 .. n-1 in constant memory: every number once, in an order that the
 * key decides.  A balanced Feistel network over the next even power of two, four
 * rounds, walked until the result lies below n (at most four steps on average).
 *
 * For random maps that would be too large to hold: see io_pattern.h.
 */
#ifndef PERMUTATION_H
#define PERMUTATION_H

#include <glib.h>
#include <stdint.h>

typedef struct {
  uint64_t n;
  unsigned half_bits;
  uint64_t key[4];
} Permutation;

void     permutation_init (Permutation *permutation, uint64_t n, uint64_t key);    /* n >= 1 */
uint64_t permutation_map (const Permutation *permutation, uint64_t index);         /* index < n */

#endif
