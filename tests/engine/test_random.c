/*
 * Random streams: published vectors, independence of streams, distributions, shapes.
 *
 * All seeds are fixed, so a test passes or fails for good; the bounds are those of a
 * statistical test at about 4 standard deviations.
 */
#include <string.h>

#include "src/engine/portable_math.h"
#include "src/engine/random.h"
#include "src/engine/ziggurat_table.h"
#include "tests/engine/check.h"
#include "tests/unit.h"

/* Output of the authors' xoshiro256starstar.c from the state 1, 2, 3, 4, as other libraries test it, too. */
static const uint64_t xoshiro_vector[] = {
  11520,
  0,
  1509978240,
  UINT64_C (1215971899390074240),
  UINT64_C (1216172134540287360),
  UINT64_C (607988272756665600),
  UINT64_C (16172922978634559625),
  UINT64_C (8476171486693032832),
  UINT64_C (10595114339597558777),
  UINT64_C (2904607092377533576),
};

/* Output of Vigna's splitmix64.c. */
static const struct {
  uint64_t seed, output[5];
} splitmix_vectors[] = {
  { 1234567,
    { UINT64_C (6457827717110365317), UINT64_C (3203168211198807973), UINT64_C (9817491932198370423),
      UINT64_C (4593380528125082431), UINT64_C (16408922859458223821) } },
  { 0,
    { UINT64_C (0xe220a8397b1dcdaf), UINT64_C (0x6e789e6aa1b965f4), UINT64_C (0x06c45d188009454f),
      UINT64_C (0xf88bb8a8724c81ec), UINT64_C (0x1b39896a51a8749b) } },
};

static void test_vectors (void)
{
  static const uint64_t state[4] = { 1, 2, 3, 4 };
  UrRandom random;

  ur_random_init_raw (&random, state);
  for (size_t i = 0; i < G_N_ELEMENTS (xoshiro_vector); i++)
    CHECK (ur_random_u64 (&random) == xoshiro_vector[i], "xoshiro256** output %zu", i);
  for (size_t row = 0; row < G_N_ELEMENTS (splitmix_vectors); row++) {
    uint64_t counter = splitmix_vectors[row].seed;
    for (size_t i = 0; i < 5; i++)
      CHECK (ur_random_splitmix (&counter) == splitmix_vectors[row].output[i], "SplitMix64 row %zu output %zu", row, i);
  }
}

/* What a named stream gives must never change: results of old runs depend on it. */
static void test_frozen_streams (void)
{
  UrRandom random;

  ur_random_init (&random, 1, "device");
  CHECK (ur_random_u64 (&random) == UINT64_C (0xc509a673966c8a14), "stream \"device\" of seed 1");
  ur_random_init_indexed (&random, 1, "worker", 3);
  CHECK (ur_random_u64 (&random) == UINT64_C (0x4f0e072f15af29a7), "stream \"worker\":3 of seed 1");
  ur_random_init (&random, 7, "distributions");
  CHECK (ur_random_exponential (&random, 1.0) == 0x1.32ed084992dc7p-1, "exponential");
  CHECK (ur_random_normal (&random) == 0x1.21fca78600a7ep-2, "normal");
  CHECK (ur_random_gamma (&random, 2.5) == 0x1.2cd3d790a3616p+1, "gamma");
  CHECK (ur_random_gamma (&random, 0.5) == 0x1.3aa045cd05f26p+1, "gamma of a shape below 1");
}

typedef struct {
  const char *name;
  uint64_t seed;
  gboolean indexed;
  uint64_t index;
} Stream;

static const Stream streams[] = {
  { "a", 1, FALSE, 0 },          { "a", 2, FALSE, 0 }, { "b", 1, FALSE, 0 },   { "ab", 1, FALSE, 0 },
  { "ba", 1, FALSE, 0 },         { "", 1, FALSE, 0 },  { "", 0, FALSE, 0 },    { "a", 0, FALSE, 0 },
  { "a", UINT64_MAX, FALSE, 0 }, { "a", 1, TRUE, 0 },  { "a", 1, TRUE, 1 },    { "a", 1, TRUE, UINT64_MAX },
  { "a", 2, TRUE, 0 },           { "b", 1, TRUE, 0 },  { "a:0", 1, FALSE, 0 }, { "", 1, TRUE, 97 },
  { "\xc3\xa4", 1, FALSE, 0 },
};

static void init_stream (UrRandom *random, const Stream *stream)
{
  if (stream->indexed)
    ur_random_init_indexed (random, stream->seed, stream->name, stream->index);
  else
    ur_random_init (random, stream->seed, stream->name);
}

/* Bits of two streams that agree: half of them, for every pair of different streams. */
static void test_streams_differ (void)
{
  enum { WORDS = 4000 };

  for (size_t a = 0; a < G_N_ELEMENTS (streams); a++) {
    for (size_t b = a; b < G_N_ELEMENTS (streams); b++) {
      UrRandom x, y;
      uint64_t equal_bits = 0;
      init_stream (&x, &streams[a]);
      init_stream (&y, &streams[b]);
      for (int i = 0; i < WORDS; i++)
        equal_bits += (uint64_t) __builtin_popcountll (~(ur_random_u64 (&x) ^ ur_random_u64 (&y)));
      double share = (double) equal_bits / (64.0 * WORDS);
      if (a == b)
        CHECK (share == 1.0, "stream %zu is the same when opened again", a);
      else
        CHECK (fabs (share - 0.5) < 4.5 * 0.5 / sqrt (64.0 * WORDS), "streams %zu and %zu: %g of the bits agree", a, b,
               share);
    }
  }
}

/* Neighbouring seeds and indices: correlation of the uniform draws. */
static void test_neighbours_uncorrelated (void)
{
  enum { DRAWS = 20000 };

  for (uint64_t i = 0; i < 20; i++) {
    UrRandom x, y;
    double product = 0.0;
    if (i < 10) {
      ur_random_init (&x, i, "disk");
      ur_random_init (&y, i + 1, "disk");
    } else {
      ur_random_init_indexed (&x, 1, "disk", i);
      ur_random_init_indexed (&y, 1, "disk", i + 1);
    }
    for (int j = 0; j < DRAWS; j++)
      product += (ur_random_double (&x) - 0.5) * (ur_random_double (&y) - 0.5);
    double correlation = 12.0 * product / DRAWS;
    CHECK (fabs (correlation) < 4.0 / sqrt (DRAWS), "pair %u: correlation %g", (unsigned) i, correlation);
  }
}

/* Chi-square of draws below n against n equal cells; plain modulo or truncation would fail for the large n. */
static void test_below (void)
{
  static const struct {
    uint64_t n;
    unsigned cells;
    const char *name;
  } rows[] = {
    { 1, 1, "1" },
    { 2, 2, "2" },
    { 3, 3, "3" },
    { 10, 10, "10" },
    { 97, 97, "97" },
    { 1000, 1000, "1000" },
    /* 3 * 2^62: without rejection one third of the values would come up twice as often. */
    { UINT64_C (3) << 62, 12, "3 * 2^62" },
    { (UINT64_C (1) << 63) + 1, 16, "2^63 + 1" },
    { UINT64_MAX, 16, "2^64 - 1" },
  };
  enum { DRAWS = 200000 };
  UrRandom random;

  ur_random_init (&random, 1, "below");
  for (size_t row = 0; row < G_N_ELEMENTS (rows); row++) {
    unsigned count[1000] = { 0 };
    double square = 0.0, expected = (double) DRAWS / rows[row].cells, freedom = rows[row].cells - 1.0;
    for (int i = 0; i < DRAWS; i++) {
      uint64_t value = ur_random_below (&random, rows[row].n);
      if (value >= rows[row].n) {
        CHECK (FALSE, "n = %s: a value out of range", rows[row].name);
        break;
      }
      count[rows[row].n <= 1000 ? value : value / (rows[row].n / rows[row].cells + 1)]++;
    }
    for (unsigned i = 0; i < rows[row].cells; i++)
      square += (count[i] - expected) * (count[i] - expected) / expected;
    CHECK (square <= freedom + 4.0 * sqrt (2.0 * freedom) + 1e-9, "n = %s: chi-square %.1f with %g degrees of freedom",
           rows[row].name, square, freedom);
  }
}

/* The residue classes that a biased method would favour: value mod 3 with n = 3 * 2^62. */
static void test_below_residues (void)
{
  enum { DRAWS = 300000 };
  unsigned count[3] = { 0 };
  UrRandom random;

  ur_random_init (&random, 1, "residues");
  for (int i = 0; i < DRAWS; i++)
    count[ur_random_below (&random, UINT64_C (3) << 62) % 3]++;
  for (int i = 0; i < 3; i++)
    CHECK_NEAR (count[i], DRAWS / 3.0, 4.0 * sqrt (DRAWS * 2.0 / 9.0), "values of one residue");
}

/* ---- distributions: mean, variance, third and fourth moment ---- */

typedef enum { UNIFORM, EXPONENTIAL, NORMAL, GAMMA } Kind;

static const struct {
  const char *name;
  Kind kind;
  double parameter, mean, variance, skewness, excess;
} distributions[] = {
  { "uniform", UNIFORM, 0, 0.5, 1.0 / 12, 0, -1.2 },
  { "exponential, mean 1", EXPONENTIAL, 1, 1, 1, 2, 6 },
  { "exponential, mean 250", EXPONENTIAL, 250, 250, 62500, 2, 6 },
  { "normal", NORMAL, 0, 0, 1, 0, 0 },
  { "gamma 0.3", GAMMA, 0.3, 0.3, 0.3, 3.6514837, 20 },
  { "gamma 1", GAMMA, 1, 1, 1, 2, 6 },
  { "gamma 4", GAMMA, 4, 4, 4, 1, 1.5 },
  { "gamma 44.4", GAMMA, 44.4444444, 44.4444444, 44.4444444, 0.3, 0.135 },
};

static double draw (UrRandom *random, Kind kind, double parameter)
{
  switch (kind) {
  case UNIFORM:
    return ur_random_double (random);
  case EXPONENTIAL:
    return ur_random_exponential (random, parameter);
  case NORMAL:
    return ur_random_normal (random);
  default:
    return ur_random_gamma (random, parameter);
  }
}

static void test_distributions (void)
{
  enum { DRAWS = 400000 };

  for (size_t row = 0; row < G_N_ELEMENTS (distributions); row++) {
    double mean = distributions[row].mean, deviation = sqrt (distributions[row].variance);
    double sum[4] = { 0 };
    UrRandom random;
    ur_random_init_indexed (&random, 1, "moments", row);
    for (int i = 0; i < DRAWS; i++) {
      double z = (draw (&random, distributions[row].kind, distributions[row].parameter) - mean) / deviation;
      sum[0] += z;
      sum[1] += z * z;
      sum[2] += z * z * z;
      sum[3] += z * z * z * z;
    }
    /* The standard error of the variance needs the fourth moment; the others are given room for heavy tails. */
    double excess = distributions[row].excess, skewness = distributions[row].skewness;
    CHECK_NEAR (sum[0] / DRAWS, 0.0, 4.0 / sqrt (DRAWS), distributions[row].name);
    CHECK_NEAR (sum[1] / DRAWS, 1.0, 4.0 * sqrt ((excess + 2.0) / DRAWS), distributions[row].name);
    CHECK_NEAR (sum[2] / DRAWS, skewness, 0.02 + 0.05 * skewness, distributions[row].name);
    CHECK_NEAR (sum[3] / DRAWS - 3.0, excess, 0.05 + 0.15 * fabs (excess), distributions[row].name);
  }
}

/* Draws against the distribution function in 50 equally likely cells: finds a dent that moments do not show. */
static void test_exponential_cells (void)
{
  enum { DRAWS = 1000000, CELLS = 50 };
  unsigned count[CELLS] = { 0 };
  double square = 0.0, beyond = 0.0, expected = (double) DRAWS / CELLS;
  UrRandom random;

  ur_random_init (&random, 1, "cells");
  for (int i = 0; i < DRAWS; i++) {
    double x = ur_random_exponential (&random, 1.0);
    count[MIN ((int) (CELLS * -expm1 (-x)), CELLS - 1)]++;
    beyond += x > ur_ziggurat_edge[1]; /* the tail */
  }
  for (int i = 0; i < CELLS; i++)
    square += (count[i] - expected) * (count[i] - expected) / expected;
  CHECK (square < 49.0 + 4.0 * sqrt (98.0), "chi-square %.1f with 49 degrees of freedom", square);
  double tail = DRAWS * exp (-ur_ziggurat_edge[1]);
  CHECK_NEAR (beyond, tail, 4.0 * sqrt (tail), "draws in the tail");
}

static void test_ziggurat_table (void)
{
  const double *edge = ur_ziggurat_edge;
  double r = edge[1], area = r * exp (-r) + exp (-r);
  double worst = fabs (edge[0] * exp (-r) / area - 1.0);

  for (int i = 1; i < UR_ZIGGURAT_LAYERS; i++)
    worst = MAX (worst, fabs (edge[i] * (exp (-edge[i + 1]) - exp (-edge[i])) / area - 1.0));
  CHECK (worst < 2e-13, "areas differ by %g", worst);
  CHECK_NEAR (r, 7.69711747013104972, 1e-14, "start of the tail (Marsaglia and Tsang 2000)");
  CHECK (edge[UR_ZIGGURAT_LAYERS] == 0.0, "the top layer ends at 0");
}

/* ---- elementary functions ---- */

static void test_portable_math (void)
{
  UrRandom random;
  double worst_log = 0.0, worst_exp = 0.0, worst_gamma = 0.0, worst_pow = 0.0;

  ur_random_init (&random, 1, "math");
  for (int i = 0; i < 100000; i++) {
    double u = ur_random_double (&random);
    double x = i % 3 == 0 ? 0.5 + u : i % 3 == 1 ? exp (600.0 * (u - 0.5)) : 1.0 + (u - 0.5) * 1e-6;
    long double exact = logl ((long double) x);
    if (exact != 0.0L)
      worst_log = MAX (worst_log, (double) fabsl ((ur_log (x) - exact) / exact));
    double y = 1400.0 * (u - 0.5);
    worst_exp = MAX (worst_exp, (double) fabsl ((ur_exp (y) - expl ((long double) y)) / expl ((long double) y)));
    double z = 0.01 + (i % 2 ? 5.0 : 5000.0) * u;
    worst_gamma = MAX (worst_gamma, fabs (ur_lgamma (z) - lgamma (z)) / MAX (1.0, fabs (lgamma (z))));
    worst_pow = MAX (worst_pow, fabs (ur_pow (0.5 + u, 20.0 * u) / pow (0.5 + u, 20.0 * u) - 1.0));
  }
  CHECK (worst_log < 4.5e-16, "log: relative error %g", worst_log);
  CHECK (worst_exp < 4.5e-16, "exp: relative error %g", worst_exp);
  CHECK (worst_gamma < 2e-14, "lgamma: relative error %g", worst_gamma);
  CHECK (worst_pow < 1e-14, "pow: relative error %g", worst_pow);
  CHECK (ur_log (1.0) == 0.0 && ur_exp (0.0) == 1.0, "exact values");
  CHECK (ur_exp (-1000.0) == 0.0 && ur_exp (1000.0) == INFINITY, "out of range");
}

/* The bits, not only the value: another machine must give the same. */
static void test_frozen_math (void)
{
  uint64_t hash = 0;

  for (int i = 1; i <= 10000; i++) {
    double values[3] = { ur_log (i * 0.37), ur_exp (i * 0.05 - 250.0), ur_lgamma (i * 0.11) };
    for (int j = 0; j < 3; j++) {
      uint64_t bits;
      memcpy (&bits, &values[j], sizeof bits);
      hash = (hash ^ bits) * UINT64_C (0x100000001b3);
    }
  }
  CHECK (hash == UINT64_C (0x4dbc47389cb93efe), "hash of log, exp and lgamma: 0x%" G_GINT64_MODIFIER "x", hash);
}

/* ---- shapes ---- */

static const struct {
  double cv;
  const char *name;
  double cv_loss;
} shapes[] = {
  /* cv_loss: how much of the cv the means over 4096 intervals may lose, relative. */
  { 0.0, "constant", 0.0 }, { 0.001, "cv 0.001", 3e-4 }, { 0.05, "cv 0.05", 3e-5 }, { 0.15, "cv 0.15", 3e-5 },
  { 0.5, "cv 0.5", 1e-4 },  { 1.0, "cv 1", 2e-4 },       { 2.0, "cv 2", 6e-4 },     { 4.0, "cv 4", 2e-3 },
};

static void test_shapes (void)
{
  for (size_t row = 0; row < G_N_ELEMENTS (shapes); row++) {
    UrShape *shape = ur_shape_new_gamma (shapes[row].cv);
    unsigned falling = 0, negative = 0;
    CHECK_NEAR (ur_shape_mean (shape), 1.0, 1e-9, shapes[row].name);
    CHECK_NEAR (ur_shape_cv (shape), shapes[row].cv, shapes[row].cv * shapes[row].cv_loss, shapes[row].name);
    for (int i = 1; i < 1 << UR_SHAPE_BITS; i++)
      falling += shape->quantile[i] < shape->quantile[i - 1];
    for (int i = 0; i < 1 << UR_SHAPE_BITS; i++)
      negative += !(shape->quantile[i] >= 0.0f);
    CHECK (falling == 0 && negative == 0, "%s: the table rises from 0", shapes[row].name);
    ur_shape_free (shape);
  }
  ur_shape_free (NULL);
}

/* cv 1 is the exponential distribution: the mean between two quantiles in closed form. */
static void test_shape_exponential (void)
{
  enum { N = 1 << UR_SHAPE_BITS };
  UrShape *shape = ur_shape_new_gamma (1.0);
  double worst = 0.0;

  for (int i = 0; i < N; i++) {
    double a = 1.0 - (double) i / N, b = 1.0 - (i + 1.0) / N; /* survival at the edges; mean of -ln over [b, a] */
    double mean = N * ((a - a * log (a)) - (b > 0.0 ? b - b * log (b) : 0.0));
    worst = MAX (worst, fabs (shape->quantile[i] / mean - 1.0));
  }
  CHECK (worst < 5e-7, "relative error %g", worst);
  ur_shape_free (shape);
}

/* Quantiles of gamma with cv 0.15 (a = 44.44), against draws by the method of Marsaglia and Tsang. */
static void test_shape_against_draws (void)
{
  enum { DRAWS = 200000, N = 1 << UR_SHAPE_BITS };
  static const double parts[] = { 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99 };
  UrShape *shape = ur_shape_new_gamma (0.15);
  double a = 1.0 / (0.15 * 0.15);
  UrRandom random;

  for (size_t i = 0; i < G_N_ELEMENTS (parts); i++) {
    double edge = shape->quantile[(int) (parts[i] * N)];
    unsigned below = 0;
    ur_random_init_indexed (&random, 1, "shape", i);
    for (int j = 0; j < DRAWS; j++)
      below += ur_random_gamma (&random, a) / a < edge;
    double deviation = sqrt (parts[i] * (1.0 - parts[i]) / DRAWS);
    CHECK_NEAR ((double) below / DRAWS, parts[i], 4.0 * deviation + 1.0 / N, "part below");
  }
  ur_shape_free (shape);
}

static void test_shape_draw (void)
{
  enum { DRAWS = 400000 };
  UrShape *shape = ur_shape_new_gamma (0.15);
  UrRandom random, copy;
  double sum = 0.0, square = 0.0;

  ur_random_init (&random, 1, "shape");
  for (int i = 0; i < DRAWS; i++) {
    double x = ur_shape_draw (shape, &random);
    sum += x;
    square += (x - 1.0) * (x - 1.0);
  }
  CHECK_NEAR (sum / DRAWS, 1.0, 4.0 * 0.15 / sqrt (DRAWS), "mean of the draws");
  CHECK_NEAR (sqrt (square / DRAWS), 0.15, 4.0 * 0.15 / sqrt (2.0 * DRAWS), "their cv");
  copy = random;
  ur_shape_draw (shape, &random);
  ur_random_u64 (&copy);
  CHECK (memcmp (&copy, &random, sizeof copy) == 0, "one draw is one u64");
  ur_shape_free (shape);
}

static void test_frozen_shapes (void)
{
  uint64_t hash = 0;

  for (size_t row = 0; row < G_N_ELEMENTS (shapes); row++) {
    UrShape *shape = ur_shape_new_gamma (shapes[row].cv);
    for (int i = 0; i < 1 << UR_SHAPE_BITS; i++) {
      uint32_t bits;
      memcpy (&bits, &shape->quantile[i], sizeof bits);
      hash = (hash ^ bits) * UINT64_C (0x100000001b3);
    }
    ur_shape_free (shape);
  }
  CHECK (hash == UINT64_C (0xe101f08621617d29), "hash of the tables: 0x%" G_GINT64_MODIFIER "x", hash);
}

void register_random_tests (void)
{
  CU_pSuite suite = check_new_suite ("random");

  check_add_test (suite, "published vectors", test_vectors);
  check_add_test (suite, "streams stay what they are", test_frozen_streams);
  check_add_test (suite, "streams differ", test_streams_differ);
  check_add_test (suite, "neighbouring streams", test_neighbours_uncorrelated);
  check_add_test (suite, "below: chi-square", test_below);
  check_add_test (suite, "below: residues", test_below_residues);
  check_add_test (suite, "distributions", test_distributions);
  check_add_test (suite, "exponential: cells and tail", test_exponential_cells);
  check_add_test (suite, "ziggurat table", test_ziggurat_table);
  check_add_test (suite, "elementary functions", test_portable_math);
  check_add_test (suite, "elementary functions: bits", test_frozen_math);
  check_add_test (suite, "shapes", test_shapes);
  check_add_test (suite, "shape of cv 1 is exponential", test_shape_exponential);
  check_add_test (suite, "shape against draws", test_shape_against_draws);
  check_add_test (suite, "draws from a shape", test_shape_draw);
  check_add_test (suite, "shapes: bits", test_frozen_shapes);
}
