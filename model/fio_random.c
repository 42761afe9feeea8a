/*
 * fio's random numbers: generators, seeds, skewed distributions.  See fio_random.h.
 */
#include "model/fio_random.h"
#include "src/engine/random.h"
#include <math.h>
#include <string.h>

/* A component of a Tausworthe generator must not start below its bound: its leading bits would all be 0. */
static uint64_t at_least (uint64_t value, uint64_t bound) { return value < bound ? value + bound : value; }

enum { SEED_START = 53, WARM_UP = 6 }; /* fio's first multiplier input, and draws thrown away */

void fio_random_init (FioRandom *random, uint64_t seed)
{
  static const uint32_t bound[3] = { 1, 7, 15 };
  uint32_t x = SEED_START;
  for (unsigned i = 0; i < 3; i++) {
    x = (uint32_t) at_least ((uint32_t) (x * 69069u ^ (uint32_t) seed), bound[i]);
    random->s[i] = x;
  }
  for (unsigned i = 0; i < WARM_UP; i++) {
    fio_random_u32 (random);
  }
}

/* ---- seeds ---- */

#define SEED_FACTOR G_GUINT64_CONSTANT (0x9e370001) /* near the golden ratio of 2^32 */
enum { DEFAULT_RANDSEED = 0x89 };

void fio_seeds_repeatable (FioSeeds *seeds, uint64_t randseed, unsigned number)
{
  uint64_t x = randseed ? randseed : DEFAULT_RANDSEED;
  for (unsigned i = 0; i < 4; i++) {
    x *= SEED_FACTOR;
  }
  for (unsigned i = 0; i <= FIO_SEED_POISSON3; i++) {
    const uint64_t seed = x * number + i;
    if (i < FIO_SEEDS) {
      seeds->seed[i] = seed;
    } else if (i == FIO_SEED_ZONE) {
      seeds->zone = seed;
    } else if (i >= FIO_SEED_POISSON) {
      seeds->poisson[i == FIO_SEED_POISSON ? 0 : i - FIO_SEED_ZONE] = seed;
    }
    x *= SEED_FACTOR;
  }
  seeds->distribution = number * seeds->seed[FIO_SEED_BLOCK];
}

void fio_seeds_random (FioSeeds *seeds, uint64_t seed, unsigned number)
{
  UrRandom random;
  ur_random_init_indexed (&random, seed, "pattern", number);
  for (unsigned i = 0; i < FIO_SEEDS; i++) {
    seeds->seed[i] = ur_random_u64 (&random);
  }
  seeds->distribution = ur_random_u64 (&random);
  seeds->zone = ur_random_u64 (&random);
  for (unsigned i = 0; i < G_N_ELEMENTS (seeds->poisson); i++) {
    seeds->poisson[i] = ur_random_u64 (&random);
  }
}

/* ---- skewed distributions ---- */

static const uint64_t scatter = G_GUINT64_CONSTANT (0x61c8864680b583eb); /* 2^64 (1 - golden ratio), as Knuth 6.4 */

static void skew_init (FioSkew *skew, uint64_t n, uint32_t seed)
{
  memset (skew, 0, sizeof *skew);
  skew->n = n;
  fio_random_init (&skew->random, seed);
}

/* zipf and pareto: the first draw shifts the whole distribution, unless its centre was given. */
static void skew_shift (FioSkew *skew, double center)
{
  const uint32_t draw = fio_random_u32 (&skew->random);
  skew->offset = center > 0 ? (uint32_t) ((double) skew->n * center) : draw;
}

/* The sum of 1 / i^theta over i = 1 .. n: term by term as fio does it, and past 2^20 by Euler and Maclaurin, whose
 * error is below 1e-15 there. */
static double zeta (uint64_t n, double theta)
{
  enum { TERMS = 1 << 20 };
  double sum = 0;
  for (uint64_t i = 1; i <= MIN (n, TERMS); i++) {
    sum += pow (1.0 / (double) i, theta);
  }
  if (n > TERMS) {
    const double from = TERMS, to = (double) n;
    sum += (pow (to, 1.0 - theta) - pow (from, 1.0 - theta)) / (1.0 - theta) +
           (pow (to, -theta) - pow (from, -theta)) / 2.0;
  }
  return sum;
}

void fio_skew_init_zipf (FioSkew *skew, uint64_t n, double theta, double center, uint32_t seed)
{
  enum { TERMS_MAX = 10000000 }; /* fio stops there, whatever n is */
  skew_init (skew, n, seed);
  skew_shift (skew, center);
  skew->kind = FIO_ZIPF;
  skew->theta = theta;
  skew->zeta_n = zeta (MIN (n, TERMS_MAX), theta);
  const double zeta_2 = 1.0 + pow (0.5, theta);
  skew->second = zeta_2;
  skew->alpha = 1.0 / (1.0 - theta);
  skew->eta = (1.0 - pow (2.0 / (double) n, 1.0 - theta)) / (1.0 - zeta_2 / skew->zeta_n);
}

void fio_skew_init_pareto (FioSkew *skew, uint64_t n, double h, double center, uint32_t seed)
{
  skew_init (skew, n, seed);
  skew_shift (skew, center);
  skew->kind = FIO_PARETO;
  skew->power = log (h) / log (1.0 - h);
}

void fio_skew_init_normal (FioSkew *skew, uint64_t n, double percent, double center, uint32_t seed)
{
  skew_init (skew, n, seed);
  skew->kind = FIO_NORMAL;
  if (percent > 0) {
    skew->deviation = MIN ((uint64_t) ceil ((double) n * percent / 100.0), n / 2);
  }
  if (center > 0) {
    const double shift = (double) n * (center - 0.5);
    skew->offset = shift >= 0 ? (uint64_t) shift : n - MIN (n, (uint64_t) -shift);
  }
}

static uint64_t next_zipf (FioSkew *skew)
{
  const double u = fio_random_u32 (&skew->random) / (double) UINT32_MAX;
  const double z = u * skew->zeta_n;
  if (z < 1.0) {
    return 0;
  }
  if (z < skew->second) {
    return 1;
  }
  return (uint64_t) ((double) skew->n * pow (skew->eta * u - skew->eta + 1.0, skew->alpha));
}

/* The mean of twelve uniform draws, spread once more by one uniform draw of the deviation's width. */
static uint64_t next_normal (FioSkew *skew)
{
  enum { DRAWS = 12 };
  uint64_t sum = 0;
  for (unsigned i = 0; i < DRAWS; i++) {
    sum += fio_random_u32 (&skew->random) % (skew->n + 1);
  }
  sum = (sum + DRAWS - 1) / DRAWS;
  if (skew->deviation) {
    int64_t spread = (int64_t) fio_random_below (&skew->random, skew->deviation) - (int64_t) (skew->deviation / 2);
    while (spread != 0 && (uint64_t) spread + sum >= skew->n) {
      spread /= 2;
    }
    sum += (uint64_t) spread;
  }
  return sum;
}

uint64_t fio_skew_next (FioSkew *skew)
{
  uint64_t value;
  switch (skew->kind) {
  case FIO_ZIPF:
    value = next_zipf (skew);
    break;
  case FIO_PARETO: {
    const double u = fio_random_u32 (&skew->random) / (double) UINT32_MAX;
    value = (uint64_t) ((double) (skew->n - 1) * pow (u, skew->power));
    break;
  }
  default:
    value = next_normal (skew);
    break;
  }
  return (value * scatter + skew->offset) % skew->n;
}

/* Bob Jenkins' lookup3 (public domain, 2006), in fio's variant: of each full group of twelve bytes only three are mixed
 * in. */
static uint32_t name_hash (const char *name)
{
  size_t left = strlen (name);
  const unsigned char *k = (const unsigned char *) name;
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
  uint32_t a = 0x61c88647u + (uint32_t) left, b = a, c = a;
  for (; left > 12; left -= 12, k += 12) {
    a += k[0];
    b += k[4];
    c += k[8];
    a -= c;
    a ^= ROTATE (c, 4);
    c += b;
    b -= a;
    b ^= ROTATE (a, 6);
    a += c;
    c -= b;
    c ^= ROTATE (b, 8);
    b += a;
    a -= c;
    a ^= ROTATE (c, 16);
    c += b;
    b -= a;
    b ^= ROTATE (a, 19);
    a += c;
    c -= b;
    c ^= ROTATE (b, 4);
    b += a;
  }
  if (left == 0) {
    return c;
  }
  uint32_t word[3] = { 0, 0, 0 };
  for (size_t i = 0; i < left; i++) {
    word[i / 4] |= (uint32_t) k[i] << (8 * (i % 4));
  }
  a += word[0];
  b += word[1];
  c += word[2];
  c ^= b;
  c -= ROTATE (b, 14);
  a ^= c;
  a -= ROTATE (c, 11);
  b ^= a;
  b -= ROTATE (a, 25);
  c ^= b;
  c -= ROTATE (b, 16);
  a ^= c;
  a -= ROTATE (c, 4);
  b ^= a;
  b -= ROTATE (a, 14);
  c ^= b;
  c -= ROTATE (b, 24);
#undef ROTATE
  return c;
}

uint32_t fio_skew_seed (const FioSeeds *seeds, const char *file_name)
{
  return (uint32_t) (name_hash (file_name) * seeds->distribution);
}
