/*
 * Random streams and distributions.
 */
#include "src/engine/random.h"

#include <math.h>

#include "src/engine/portable_math.h"
#include "src/engine/ziggurat_table.h"

__extension__ typedef unsigned __int128 Product;

/* SplitMix64: the counter step and the mixing function (a bijection). */
#define GOLDEN UINT64_C (0x9e3779b97f4a7c15)

static uint64_t mix (uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t ur_random_splitmix (uint64_t *state) { return mix (*state += GOLDEN); }

void ur_random_init_raw (UrRandom *random, const uint64_t state[4])
{
  for (int i = 0; i < 4; i++)
    random->s[i] = state[i];
}

static uint64_t absorb (uint64_t hash, uint64_t word) { return mix ((hash ^ word) + GOLDEN); }

/* The bytes of the name one after the other, then its end (a word that is no byte). */
static uint64_t hash_stream (uint64_t seed, const char *name)
{
  uint64_t hash = mix (seed + GOLDEN);

  for (const char *p = name; *p != '\0'; p++)
    hash = absorb (hash, (unsigned char) *p);
  return absorb (hash, 256);
}

static void fill_state (UrRandom *random, uint64_t hash)
{
  for (int i = 0; i < 4; i++) /* at most one of the four words can be 0 */
    random->s[i] = ur_random_splitmix (&hash);
}

void ur_random_init (UrRandom *random, uint64_t seed, const char *name)
{
  fill_state (random, hash_stream (seed, name));
}

void ur_random_init_indexed (UrRandom *random, uint64_t seed, const char *name, uint64_t index)
{
  fill_state (random, absorb (absorb (hash_stream (seed, name), 257), index));
}

uint64_t ur_random_below (UrRandom *random, uint64_t n)
{
  g_assert (n >= 1);
  Product product = (Product) ur_random_u64 (random) * n;

  if ((uint64_t) product < n) {
    uint64_t threshold = -n % n; /* 2^64 mod n: the low words that would come up once too often */
    while ((uint64_t) product < threshold)
      product = (Product) ur_random_u64 (random) * n;
  }
  return (uint64_t) (product >> 64);
}

/* (0,1): never 0, so that a logarithm exists. */
static double open_double (UrRandom *random) { return ((double) (ur_random_u64 (random) >> 12) + 0.5) * 0x1.0p-52; }

/* A point of a layer, then the few that may lie above the curve are looked at: 99 of 100 draws need no logarithm. */
double ur_random_exponential (UrRandom *random, double mean)
{
  const double *edge = ur_ziggurat_edge;

  for (;;) {
    uint64_t bits = ur_random_u64 (random);
    unsigned layer = (unsigned) (bits % UR_ZIGGURAT_LAYERS);
    double x = (double) (bits >> 11) * 0x1.0p-53 * edge[layer];
    if (G_LIKELY (x < edge[layer + 1]))
      return mean * x;
    if (layer == 0) /* beyond r the distribution looks the same again */
      return mean * (edge[1] - ur_log (open_double (random)));
    double low = ur_exp (-edge[layer]), high = ur_exp (-edge[layer + 1]);
    if (low + ur_random_double (random) * (high - low) < ur_exp (-x))
      return mean * x;
  }
}

/* Marsaglia's polar method; the second deviate is dropped, so that a draw depends on nothing but the state. */
double ur_random_normal (UrRandom *random)
{
  double x, y, square;

  do {
    x = 2.0 * ur_random_double (random) - 1.0;
    y = 2.0 * ur_random_double (random) - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square < 1e-300);
  return x * sqrt (-2.0 * ur_log (square) / square);
}

double ur_random_gamma (UrRandom *random, double shape)
{
  double boost = 1.0;

  g_assert (shape > 0.0);
  if (shape < 1.0) {
    boost = ur_exp (ur_log (open_double (random)) / shape);
    shape += 1.0;
  }
  const double d = shape - 1.0 / 3, c = 1.0 / sqrt (9.0 * d);
  for (;;) {
    double x, v;
    do {
      x = ur_random_normal (random);
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    double u = open_double (random);
    if (u < 1.0 - 0.0331 * x * x * x * x || ur_log (u) < 0.5 * x * x + d * (1.0 - v + ur_log (v)))
      return boost * d * v;
  }
}
