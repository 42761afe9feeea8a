/*
 * The random numbers of fio, as the application draws them: L'Ecuyer's combined
 * Tausworthe generator (Mathematics of Computation 65, 1996, 203-213), fio's
 * way of seeding it, and its three skewed distributions.  Stands for fio's lib/rand.c, lib/zipf.c, lib/gauss.c and the
 * seeding in init.c (td_fill_rand_seeds()), 3.35 to 3.42.
 *
 * With fio's own seeds (randrepeat=1, the default) a job draws exactly what fio
 * 3.35 and later draws: the same offsets, sizes and directions in the same order.  Otherwise
 * the seeds come from the run's stream "pattern", as fio takes them from the system.
 */
#ifndef FIO_RANDOM_H
#define FIO_RANDOM_H

#include <glib.h>
#include <stdint.h>

typedef struct { uint32_t s[3]; } FioRandom;        /* 32 bits, period about 2^88 */

void fio_random_init (FioRandom *random, uint64_t seed);       /* the low 32 bits of the seed count */

static inline uint32_t fio_random_u32 (FioRandom *r)
{
  uint32_t *s = r->s;
  s[0] = (s[0] & 0xfffffffeu) << 12 ^ ((s[0] << 13) ^ s[0]) >> 19;
  s[1] = (s[1] & 0xfffffff8u) << 4 ^ ((s[1] << 2) ^ s[1]) >> 25;
  s[2] = (s[2] & 0xfffffff0u) << 17 ^ ((s[2] << 3) ^ s[2]) >> 11;
  return s[0] ^ s[1] ^ s[2];
}

/* floor (n * u), u uniform on [0,1): one draw, computed in double as fio does. */
static inline uint64_t fio_random_below (FioRandom *r, uint64_t n)
{
  return (uint64_t) ((double) n * (fio_random_u32 (r) * 0x1.0p-32));
}
/* 1 .. 100. */
static inline unsigned fio_random_percent (FioRandom *r)
{
  return 1 + (unsigned) fio_random_below (r, 100);
}

/* What the streams of a job are seeded with; a stream each, so that one does not shift another. The numbers are
 * fio's; those between belong to things that are not modelled. */
typedef enum {
  FIO_SEED_READ_SIZE = 0, FIO_SEED_WRITE_SIZE = 1, FIO_SEED_TRIM_SIZE = 2, FIO_SEED_MIX = 4, FIO_SEED_FILE = 5,
  FIO_SEED_BLOCK = 6, FIO_SEED_SEQUENTIAL = 10, FIO_SEEDS = 11,
  FIO_SEED_POISSON = 15, FIO_SEED_ZONE = 16, FIO_SEED_POISSON2 = 17, FIO_SEED_POISSON3 = 18
} FioSeed;
struct FioSeeds {
  uint64_t seed[FIO_SEEDS];        /* by FioSeed, up to FIO_SEED_SEQUENTIAL */
  uint64_t zone, poisson[3];
  uint64_t distribution;           /* factor of the seed of each file's skewed distribution */
};
typedef struct FioSeeds FioSeeds;

/* fio's seeds for its job number `number` (from 1, clones counted) under randseed (0: fio's default, 0x89). */
void fio_seeds_repeatable (FioSeeds *seeds, uint64_t randseed, unsigned number);
/* Seeds from the run: stream "pattern":number of `seed`. */
void fio_seeds_random (FioSeeds *seeds, uint64_t seed, unsigned number);

/* Block numbers 0 .. n-1, skewed.  `center` is the place of the hottest block as a share of n, 0: fio's default
 * (scattered by a hash). */
typedef struct {
  enum { FIO_ZIPF, FIO_PARETO, FIO_NORMAL } kind;
  FioRandom random;
  uint64_t  n, offset;
  double    theta, zeta_n, alpha, eta, second;      /* zipf */
  double    power;                                  /* pareto */
  uint64_t  deviation;                              /* normal, blocks */
} FioSkew;

/* O(min (n, 2^20)) once: the sum of 1/i^theta.  theta != 1, n >= 1. */
void     fio_skew_init_zipf (FioSkew *skew, uint64_t n, double theta, double center, uint32_t seed);
void fio_skew_init_pareto (FioSkew *skew, uint64_t n, double h, double center, uint32_t seed); /* 0 < h < 1 */
void     fio_skew_init_normal (FioSkew *skew, uint64_t n, double percent, double center, uint32_t seed);
uint64_t fio_skew_next (FioSkew *skew);
/* The seed of a file's distribution: a hash of its name, times seeds->distribution. */
uint32_t fio_skew_seed (const FioSeeds *seeds, const char *file_name);

#endif
