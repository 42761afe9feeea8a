/*
 * The request generator: against logs that fio wrote, and by its properties.
 */
#include "model/io_pattern.h"
#include "model/permutation.h"
#include "model/random_map.h"
#include "src/engine/random.h"
#include "src/input/fio_job.h"
#include "src/input/iolog.h"
#include "tests/row.h"
#include <math.h>
#include <string.h>

#define TRACES_DIR TEST_DATA_DIR "/../../traces"

/* ---- against fio ---- */

/* Reads DIRECTORY/NAME.fio; NULL after a failed check. */
static Workload *read_job (const char *directory, const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.fio", directory, name);
  g_autoptr (GError) error = NULL;
  const FioJobOptions options = { .files_exist = -1 };
  Workload *workload = workload_new ();
  ByteSource *source = byte_source_open (path, &error);
  const gboolean read = source && fio_job_read (source, &options, workload, &error);
  byte_source_unref (source);
  if (!ROW_CHECK (read && workload->jobs->len > 0, "%s: %s", name, row_error (error))) {
    workload_free (workload);
    return NULL;
  }
  return workload;
}

static Iolog *read_log (const char *directory, const char *name, const char *suffix)
{
  g_autofree char *path = g_strdup_printf ("%s/%s%s", directory, name, suffix);
  g_autoptr (GError) error = NULL;
  const IologOptions options = { 0 };
  ByteSource *source = byte_source_open (path, &error);
  Iolog *iolog = source ? iolog_open (source, &options, &error) : NULL;
  byte_source_unref (source);
  ROW_CHECK (iolog, "%s: %s", name, row_error (error));
  return iolog;
}

static gboolean same_io (const Io *a, const Io *b)
{
  return a->op == b->op && a->file == b->file &&
         (a->op > IO_TRIM || (a->offset == b->offset && a->length == b->length));
}

/* The first `n` requests of the source are those of the log (0: all of them, and no more). */
static void compare_with_log (const char *name, IoSource *source, Iolog *iolog, uint64_t n)
{
  g_autofree uint32_t *files = g_new (uint32_t, iolog_info (iolog)->files);
  for (uint32_t i = 0; i < iolog_info (iolog)->files; i++) {
    files[i] = i;
  }
  IologStream *stream = iolog_stream_new (iolog, 0, files, NULL);
  IoSource *log = iolog_stream_open (stream, NULL);
  Io wanted, got;
  uint64_t count = 0;
  gboolean same = TRUE;
  while (same && (n == 0 || count < n) && log->next (log, &wanted, NULL) > 0) {
    same = source->next (source, &got, NULL) > 0 && same_io (&wanted, &got);
    count++;
    ROW_CHECK (same,
               "%s: request %" G_GUINT64_FORMAT ": fio %s %u %" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT
               ", here %s %u %" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT,
               name, count, io_op_name (wanted.op), wanted.file, wanted.offset, wanted.length, io_op_name (got.op),
               got.file, got.offset, got.length);
  }
  if (same && n == 0) {
    ROW_CHECK (source->next (source, &got, NULL) == 0, "%s: goes on after fio's %" G_GUINT64_FORMAT, name, count);
  }
  ROW_CHECK (count > 0, "%s: nothing compared", name);
  io_source_free (log);
  iolog_stream_free (stream);
}

/* fio 3.33 seeds offsets and distributions differently from later versions. */
static void seeds_of_fio_3_33 (FioSeeds *seeds)
{
  fio_seeds_repeatable (seeds, 0, 1);
  seeds->seed[FIO_SEED_BLOCK] = 0xb1899bed;
  seeds->distribution = 1;
}

static void check_pattern (const char *name)
{
  g_autofree char *directory = g_strdup (TEST_DATA_DIR "/patterns");
  Workload *workload = read_job (directory, name);
  Iolog *iolog = read_log (directory, name, ".iolog.gz");
  if (workload && iolog) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, 0);
    g_autofree const char **names = g_new (const char *, job->files->len);
    FioSeeds seeds;
    for (unsigned i = 0; i < job->files->len; i++) {
      names[i] = ((WorkloadFile *) g_ptr_array_index (workload->files, i))->name;
    }
    seeds_of_fio_3_33 (&seeds);
    IoSource *source = io_pattern_open (&job->pattern, (const uint32_t *) (gpointer) job->files->data, names,
                                        job->files->len, job->time_based, job->engine != APPLICATION_PSYNC, &seeds);
    compare_with_log (name, source, iolog, 0);
    io_source_free (source);
  }
  workload_free (workload);
  iolog_unref (iolog);
}

static void test_patterns_of_fio (void)
{
  g_autoptr (GDir) directory = g_dir_open (TEST_DATA_DIR "/patterns", 0, NULL);
  const char *name;
  unsigned checked = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL (directory);
  while ((name = g_dir_read_name (directory))) {
    if (g_str_has_suffix (name, ".fio")) {
      g_autofree char *base = g_strndup (name, strlen (name) - 4);
      check_pattern (base);
      checked++;
    }
  }
  ROW_CHECK (checked >= 30, "%u patterns", checked);
}

/* fio 3.42 on a real kernel: the jobs of traces/ draw what its logs say. */
static void test_captured_jobs (void)
{
  static const struct {
    const char *name;
    uint64_t requests; /* compared; 0: all */
  } row[] = {
    { "ext4-buffered-randwrite-qd8", 0 },     { "xfs-buffered-randwrite-qd8", 0 },
    { "ext4-buffered-randrw70-qd8-warm", 0 }, { "ext4-buffered-randwrite-qd32-4files", 0 },
    { "ext4-buffered-fsync8-qd8", 286 }, /* fio counts a sync in flight as an I/O, stops one short and starts anew */
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    Workload *workload = read_job (TRACES_DIR, row[i].name);
    Iolog *iolog = read_log (TRACES_DIR, row[i].name, ".iolog");
    if (workload && iolog) {
      g_autoptr (GError) error = NULL;
      IoSource *source = workload_open_job (workload, g_ptr_array_index (workload->jobs, 0), 1 + i, &error);
      compare_with_log (row[i].name, source, iolog, row[i].requests);
      io_source_free (source);
    }
    workload_free (workload);
    iolog_unref (iolog);
  }
}

/* The second job of a file has other offsets; these are from a captured run of two. */
static void test_second_clone (void)
{
  static const uint64_t wanted[] = { 978944, 585728, 970752, 1691648, 3457024, 2486272 };
  Workload *workload = workload_new ();
  for (unsigned i = 0; i < 2; i++) {
    WorkloadJob *job = workload_add_job (workload);
    const uint32_t file = workload_add_file (workload, "f.0", 4 << 20);
    g_array_append_val (job->files, file);
    job->pattern.order = PATTERN_RANDOM;
    job->pattern.size = 4 << 20;
  }
  IoSource *source = workload_open_job (workload, g_ptr_array_index (workload->jobs, 1), 1, NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS (wanted); i++) {
    Io io;
    ROW_CHECK (source->next (source, &io, NULL) == 1 && io.offset == wanted[i], "request %u at %" G_GUINT64_FORMAT, i,
               io.offset);
  }
  io_source_free (source);
  workload_free (workload);
}

/* ---- properties ---- */

static Pattern pattern (PatternOrder order, uint64_t size)
{
  Pattern p = { .order = order, .has_write = TRUE, .read_percent = 50, .random_map = TRUE, .size = size };
  for (unsigned i = 0; i < 3; i++) {
    p.bs[i] = p.bs_max[i] = 4096;
  }
  return p;
}

static IoSource *open_pattern (const Pattern *p, unsigned n_files, gboolean time_based, uint64_t seed)
{
  static const uint32_t files[] = { 0, 1, 2, 3 };
  static const char *const names[] = { "a", "b", "c", "d" };
  FioSeeds seeds;
  if (p->same_seed) {
    fio_seeds_repeatable (&seeds, p->random_seed, 1);
  } else {
    fio_seeds_random (&seeds, seed, 1);
  }
  return io_pattern_open (p, files, names, n_files, time_based, TRUE, &seeds);
}

static void check_once_per_pass (const char *what, const Pattern *p, uint64_t blocks)
{
  g_autofree unsigned char *seen = g_malloc0 (blocks);
  IoSource *source = open_pattern (p, 1, TRUE, 7);
  Io io;
  uint64_t repeats = 0;
  for (unsigned pass = 1; pass <= 3; pass++) {
    for (uint64_t i = 0; i < blocks; i++) {
      source->next (source, &io, NULL);
      repeats += io.offset / 4096 >= blocks || seen[io.offset / 4096]++ != pass - 1;
    }
  }
  ROW_CHECK (repeats == 0, "%s: %" G_GUINT64_FORMAT " blocks out of turn", what, repeats);
  io_source_free (source);
}

static void test_random_map_covers (void)
{
  static const uint64_t blocks[] = { 1, 2, 3, 63, 64, 65, 1000, 4096, 5000 };
  for (unsigned i = 0; i < G_N_ELEMENTS (blocks); i++) {
    g_autofree char *what = g_strdup_printf ("%" G_GUINT64_FORMAT " blocks", blocks[i]);
    const Pattern p = pattern (PATTERN_RANDOM, blocks[i] * 4096);
    check_once_per_pass (what, &p, blocks[i]);
  }
}

/* Above the limit a permutation takes the place of the map: still each block once, in another order each pass. */
static void test_large_map (void)
{
  enum { PULLED = 2000000 };
  const uint64_t blocks = 2 * IO_PATTERN_MAP_LIMIT;
  g_autofree unsigned char *seen = g_malloc0 (blocks);
  const Pattern p = pattern (PATTERN_RANDOM, blocks * 4096);
  IoSource *source = open_pattern (&p, 1, TRUE, 3);
  uint64_t repeats = 0, upper = 0;
  Io io;
  for (unsigned i = 0; i < PULLED; i++) {
    source->next (source, &io, NULL);
    repeats += io.offset / 4096 >= blocks || seen[io.offset / 4096]++;
    upper += io.offset / 4096 >= blocks / 2;
  }
  ROW_CHECK (repeats == 0, "%" G_GUINT64_FORMAT " repeats", repeats);
  ROW_CHECK (fabs ((double) upper / PULLED - 0.5) < 0.005, "%" G_GUINT64_FORMAT " in the upper half", upper);
  io_source_free (source);
}

static void test_permutation (void)
{
  static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 10007, 65536, 65537 };
  for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const uint64_t n = sizes[i];
    g_autofree unsigned char *seen = g_malloc0 (n);
    uint64_t bad = 0, differ = 0;
    Permutation one, two;
    permutation_init (&one, n, 1);
    permutation_init (&two, n, 2);
    for (uint64_t k = 0; k < n; k++) {
      const uint64_t value = permutation_map (&one, k);
      bad += value >= n || seen[value]++;
      differ += value != permutation_map (&two, k);
    }
    ROW_CHECK (bad == 0, "n = %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " bad", n, bad);
    ROW_CHECK (n < 16 || differ > n / 2, "n = %" G_GUINT64_FORMAT ": keys give the same order", n);
  }
  Permutation large;
  permutation_init (&large, UINT64_MAX, 5);
  ROW_CHECK (permutation_map (&large, 0) != permutation_map (&large, 1), "n = 2^64-1");
}

/* The pyramid against a plain array. */
static void test_map_operations (void)
{
  static const uint64_t sizes[] = { 1, 64, 65, 4096, 4097, 9000 };
  UrRandom random;
  ur_random_init (&random, 1, "test");
  for (unsigned s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const uint64_t n = sizes[s];
    g_autofree unsigned char *taken = g_malloc0 (n);
    RandomMap *map = random_map_new (n);
    uint64_t left = n, wrong = 0;
    while (left > 0) {
      const uint64_t at = ur_random_below (&random, n), want = 1 + ur_random_below (&random, 100);
      uint64_t expected = 0, next = at;
      for (uint64_t k = at; k < n && k < at + want && !taken[k]; k++) {
        expected++;
      }
      wrong += random_map_is_free (map, at) != !taken[at];
      if (taken[at]) {
        do {
          next = next + 1 < n ? next + 1 : 0;
        } while (taken[next]);
        wrong += random_map_next_free (map, at) != next;
      } else {
        wrong += random_map_take (map, at, want) != expected;
        memset (taken + at, 1, expected);
        left -= expected;
      }
    }
    wrong += random_map_next_free (map, 0) != RANDOM_MAP_NONE || random_map_is_free (map, n);
    random_map_reset (map);
    wrong +=
        !random_map_is_free (map, n - 1) || random_map_take (map, n - 1, 5) != 1 || random_map_take (map, n, 1) != 0;
    ROW_CHECK (wrong == 0, "%" G_GUINT64_FORMAT " blocks: %" G_GUINT64_FORMAT " wrong", n, wrong);
    random_map_free (map);
  }
}

static uint64_t checksum (const Pattern *p, uint64_t seed, unsigned requests)
{
  IoSource *source = open_pattern (p, 1, TRUE, seed);
  uint64_t sum = 0;
  Io io;
  for (unsigned i = 0; i < requests; i++) {
    source->next (source, &io, NULL);
    sum = sum * 31 + io.offset + (uint64_t) io.op;
  }
  io_source_free (source);
  return sum;
}

static void test_seeds (void)
{
  Pattern p = pattern (PATTERN_RANDOM, 1 << 20);
  CU_ASSERT (checksum (&p, 1, 1000) == checksum (&p, 1, 1000));
  CU_ASSERT (checksum (&p, 1, 1000) != checksum (&p, 2, 1000));
  p.same_seed = TRUE;
  CU_ASSERT (checksum (&p, 1, 1000) == checksum (&p, 2, 1000));
  const uint64_t usual = checksum (&p, 1, 1000);
  p.random_seed = 12345;
  CU_ASSERT (checksum (&p, 1, 1000) != usual);
}

/* Counts of requests by op of a pattern that ends; sizes in *ret_bytes. */
static void count_ops (const Pattern *p, unsigned n_files, uint64_t counts[IO_OPS], uint64_t *ret_bytes,
                       uint64_t per_file[4])
{
  IoSource *source = open_pattern (p, n_files, FALSE, 9);
  Io io;
  memset (counts, 0, IO_OPS * sizeof *counts);
  memset (per_file, 0, 4 * sizeof *per_file);
  *ret_bytes = 0;
  while (source->next (source, &io, NULL) > 0) {
    counts[io.op]++;
    per_file[io.file]++;
    *ret_bytes += io.length;
  }
  CU_ASSERT (source->next (source, &io, NULL) == 0); /* the end stays the end */
  io_source_free (source);
}

static void test_counts (void)
{
  uint64_t counts[IO_OPS], bytes, per_file[4];
  Pattern p = pattern (PATTERN_SEQUENTIAL, 1 << 20);
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (counts[IO_WRITE] == 256 && bytes == 1 << 20 && counts[IO_SYNC] == 0);

  p.fsync_every = 8; /* none after the last write */
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (counts[IO_WRITE] == 256 && counts[IO_SYNC] == 31);
  p.fdatasync_every = 4; /* fsync wins where both fall together */
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (counts[IO_SYNC] == 31 && counts[IO_DATASYNC] == 32);

  p = pattern (PATTERN_RANDOM, 1 << 20);
  p.number_ios = 100;
  count_ops (&p, 4, counts, &bytes, per_file);
  CU_ASSERT (counts[IO_WRITE] == 100);
  CU_ASSERT (per_file[0] == 25 && per_file[1] == 25 && per_file[2] == 25 && per_file[3] == 25);

  p = pattern (PATTERN_RANDOM, 16 << 20);
  p.has_read = TRUE;
  p.read_percent = 70;
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (counts[IO_READ] + counts[IO_WRITE] == 4096);
  ROW_CHECK (fabs ((double) counts[IO_READ] / 4096 - 0.7) < 0.03, "%" G_GUINT64_FORMAT " reads", counts[IO_READ]);

  p.io_size = 40 << 20; /* more than one pass */
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 40 << 20);
  p.io_size = 1 << 20;
  p.loops = 3;
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 3 << 20);
}

static void test_impossible (void)
{
  uint64_t counts[IO_OPS], bytes, per_file[4];
  Pattern p = pattern (PATTERN_RANDOM, 0);
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 0);
  p = pattern (PATTERN_RANDOM, 4095);
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 0);
  p = pattern (PATTERN_SEQUENTIAL, 1 << 20);
  p.has_write = FALSE;
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 0);
  p = pattern (PATTERN_SEQUENTIAL, 1 << 20);
  p.bs[1] = 0;
  count_ops (&p, 1, counts, &bytes, per_file);
  CU_ASSERT (bytes == 0);
  IoSource *source = open_pattern (&p, 0, TRUE, 1);
  Io io;
  CU_ASSERT (source->next (source, &io, NULL) == 0);
  io_source_free (source);
}

/* Without a map offsets are uniform; the chi-square of 64 cells stays below its 0.999 quantile (103 at 63 degrees). */
static void test_uniform (void)
{
  enum { CELLS = 64, DRAWS = 64000 };
  unsigned cell[CELLS] = { 0 };
  Pattern p = pattern (PATTERN_RANDOM, CELLS * 4096);
  p.random_map = FALSE;
  IoSource *source = open_pattern (&p, 1, TRUE, 4);
  Io io;
  for (unsigned i = 0; i < DRAWS; i++) {
    source->next (source, &io, NULL);
    cell[io.offset / 4096]++;
  }
  double chi_square = 0;
  for (unsigned i = 0; i < CELLS; i++) {
    const double expected = (double) DRAWS / CELLS;
    chi_square += (cell[i] - expected) * (cell[i] - expected) / expected;
  }
  ROW_CHECK (chi_square < 103, "chi-square %.1f", chi_square);
  io_source_free (source);
}

/* The hottest block of zipf:1.2 over n blocks has the share 1 / zeta. */
static void test_zipf_share (void)
{
  enum { BLOCKS = 1000, DRAWS = 100000 };
  unsigned cell[BLOCKS] = { 0 }, hottest = 0;
  double sum = 0;
  Pattern p = pattern (PATTERN_RANDOM, BLOCKS * 4096);
  p.distribution = DISTRIBUTION_ZIPF;
  p.theta = 1.2;
  IoSource *source = open_pattern (&p, 1, TRUE, 4);
  Io io;
  for (unsigned i = 0; i < DRAWS; i++) {
    source->next (source, &io, NULL);
    cell[io.offset / 4096]++;
  }
  for (unsigned i = 0; i < BLOCKS; i++) {
    hottest = MAX (hottest, cell[i]);
    sum += pow (i + 1, -1.2);
  }
  ROW_CHECK (fabs ((double) hottest / DRAWS - 1 / sum) < 0.01, "share %.4f, expected %.4f", (double) hottest / DRAWS,
             1 / sum);
  io_source_free (source);
}

/* The tail of the sum is not added term by term; a large n must agree with the whole sum. */
static void test_zeta (void)
{
  FioSkew skew;
  double sum = 0;
  const uint64_t n = 3000000;
  for (uint64_t i = 1; i <= n; i++) {
    sum += pow (1.0 / (double) i, 0.9);
  }
  fio_skew_init_zipf (&skew, n, 0.9, 0, 1);
  ROW_CHECK (fabs (skew.zeta_n - sum) < 1e-9 * sum, "%.12f, expected %.12f", skew.zeta_n, sum);
}

static void test_max_ios (void)
{
  Pattern p = pattern (PATTERN_RANDOM, 10000);
  CU_ASSERT (io_pattern_max_ios (&p) == 3);
  p.loops = 2;
  CU_ASSERT (io_pattern_max_ios (&p) == 6);
  p.number_ios = 5;
  CU_ASSERT (io_pattern_max_ios (&p) == 10);
  p.io_size = UINT64_MAX;
  p.number_ios = 0;
  p.loops = UINT32_MAX;
  p.bs[0] = 1;
  CU_ASSERT (io_pattern_max_ios (&p) == UINT64_MAX);
}

static void test_names (void)
{
  ApplicationEngine engine = APPLICATION_ENGINES;
  CU_ASSERT_STRING_EQUAL (io_op_name (IO_SYNC_FILE_RANGE), "sync_file_range");
  for (unsigned i = 0; i < APPLICATION_ENGINES; i++) {
    CU_ASSERT (application_engine_parse (application_engine_name ((ApplicationEngine) i), &engine) && engine == i);
  }
  CU_ASSERT (!application_engine_parse ("mmap", &engine));
}

static void test_workload (void)
{
  Workload *workload = workload_new ();
  CU_ASSERT (workload_add_file (workload, "a", 10) == 0);
  CU_ASSERT (workload_add_file (workload, "b", 5) == 1);
  CU_ASSERT (workload_add_file (workload, "a", 7) == 0);
  CU_ASSERT (workload_add_file (workload, "b", 9) == 1);
  CU_ASSERT (((WorkloadFile *) workload->files->pdata[0])->size == 10);
  CU_ASSERT (((WorkloadFile *) workload->files->pdata[1])->size == 9);
  workload_note (workload, "n %d", 1);
  workload_note (workload, "n %d", 1);
  workload_note (workload, "n %d", 2);
  CU_ASSERT (workload->notes->len == 2);
  workload_free (workload);
  workload_free (NULL);
}

void register_io_pattern_tests (void);
void register_io_pattern_tests (void)
{
  static CU_TestInfo tests[] = {
    { "patterns that fio 3.33 logged", test_patterns_of_fio },
    { "jobs that fio 3.42 ran", test_captured_jobs },
    { "second clone", test_second_clone },
    { "random map: each block once per pass", test_random_map_covers },
    { "large map: each block once", test_large_map },
    { "permutation", test_permutation },
    { "random map against a plain array", test_map_operations },
    { "seeds", test_seeds },
    { "counts", test_counts },
    { "impossible patterns", test_impossible },
    { "uniform without a map", test_uniform },
    { "zipf share", test_zipf_share },
    { "zeta of a large n", test_zeta },
    { "largest number of requests", test_max_ios },
    { "names", test_names },
    { "workload", test_workload },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "io_pattern", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
