/*
 * Random numbers: one named stream per component, all split from one seed, so
 * that a change in one component leaves every other draw the same (common
 * random numbers).  Generator: xoshiro256** 1.0 (Blackman and Vigna, 2018),
 * seeded by SplitMix64 over the seed and the name.
 */
#ifndef UR_RANDOM_H
#define UR_RANDOM_H

#include <glib.h>
#include <stdint.h>

typedef struct { uint64_t s[4]; } UrRandom;

/* State straight from four words (reference vectors). */
void ur_random_init_raw (UrRandom *random, const uint64_t state[4]);
/* The stream `name` (any bytes, NUL-terminated) of run `seed`. */
void ur_random_init (UrRandom *random, uint64_t seed, const char *name);
/* The stream `name`:`index` of run `seed`. */
void ur_random_init_indexed (UrRandom *random, uint64_t seed, const char *name, uint64_t index);

static inline uint64_t ur_random_rotl (uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t ur_random_u64 (UrRandom *r)
{
  const uint64_t result = ur_random_rotl (r->s[1] * 5, 7) * 9;
  const uint64_t t = r->s[1] << 17;
  r->s[2] ^= r->s[0]; r->s[3] ^= r->s[1]; r->s[1] ^= r->s[2]; r->s[0] ^= r->s[3];
  r->s[2] ^= t; r->s[3] = ur_random_rotl (r->s[3], 45);
  return result;
}
/* The next output of SplitMix64 with this counter (used for seeding; Steele, Lea and Flood 2014). */
uint64_t ur_random_splitmix (uint64_t *state);
/* [0,1), 53 bits. */
static inline double ur_random_double (UrRandom *r) { return (double) (ur_random_u64 (r) >> 11) * 0x1.0p-53; }
/* Uniform over 0 .. n-1 without bias (Lemire 2019); n >= 1. */
uint64_t ur_random_below (UrRandom *random, uint64_t n);
/* The same bits on every machine: see portable_math.h. */
double   ur_random_exponential (UrRandom *random, double mean);
double   ur_random_normal (UrRandom *random);                    /* mean 0, deviation 1 */
double   ur_random_gamma (UrRandom *random, double shape);       /* scale 1; shape > 0; Marsaglia and Tsang 2000 */

/* A distribution of mean 1 as a table of equally likely quantiles: one draw is one
 * u64 and one load.  The table mean is exactly 1 to rounding. */
typedef struct UrShape UrShape;
/* Gamma with the given coefficient of variation, 0..4 (asserted; 0 = constant 1). (transfer full) */
UrShape *ur_shape_new_gamma (double cv);
void     ur_shape_free (UrShape *shape);
double   ur_shape_mean (const UrShape *shape);
double   ur_shape_cv (const UrShape *shape);
#define UR_SHAPE_BITS 12
struct UrShape { float quantile[1 << UR_SHAPE_BITS]; };
static inline double ur_shape_draw (const UrShape *shape, UrRandom *random)
{
  return (double) shape->quantile[ur_random_u64 (random) >> (64 - UR_SHAPE_BITS)];
}

#endif
