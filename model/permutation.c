/*
 * A keyed permutation in constant memory.  See permutation.h.
 */
#include "model/permutation.h"

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of x. */
static inline uint64_t mix (uint64_t x)
{
  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ x >> 31;
}

void permutation_init (Permutation *permutation, uint64_t n, uint64_t key)
{
  g_assert (n >= 1);
  permutation->n = n;
  permutation->half_bits = 1;
  while (permutation->half_bits < 32 && ((n - 1) >> (2 * permutation->half_bits)) != 0) {
    permutation->half_bits++;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (permutation->key); i++) {
    permutation->key[i] = mix (key + (i + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));
  }
}

uint64_t permutation_map (const Permutation *permutation, uint64_t index)
{
  const unsigned bits = permutation->half_bits;
  const uint64_t mask = (G_GUINT64_CONSTANT (1) << bits) - 1;
  uint64_t x = index;
  do {
    uint64_t left = x >> bits, right = x & mask;
    for (unsigned i = 0; i < G_N_ELEMENTS (permutation->key); i++) {
      const uint64_t next = left ^ (mix (right ^ permutation->key[i]) & mask);
      left = right;
      right = next;
    }
    x = left << bits | right;
  } while (x >= permutation->n);
  return x;
}
