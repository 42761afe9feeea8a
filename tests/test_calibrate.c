/*
 * Calibration against the model itself: records simulated on a machine with known changes, fitted from the machine
 * without them.  The changes come back, and what the records cannot tell is named.  Also: the values given by options,
 * and machine files.
 */
#include "src/command/calibration_bench.h"
#include "src/fit/fit.h"
#include "src/input/throughput_record.h"
#include "src/output/machine_file.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- known machines come back ---- */

#define RECORD(fs, rw, qd, engine, extra)                                                                            \
  "{\"batch\": 1, \"job\": {\"tool\": \"fio\", \"fs\": \"" fs "\", \"rw\": \"" rw "\", \"bs\": \"4k\", \"qd\": " #qd \
  ", \"nj\": 1, \"files\": 1, \"direct\": 0, \"eng\": \"" engine "\", \"sqpoll\": 0, \"force_async\": " #extra       \
  ", \"extra\": \"\"}, \"reps\": 1, \"iops\": {\"p50\": 1, \"p80\": 1, \"max\": 1, \"min\": 1}}\n"
static const char records_text[] =
    RECORD ("xfs", "randwrite", 1, "psync", 0) RECORD ("xfs", "randwrite", 1, "io_uring", 0)
        RECORD ("xfs", "randwrite", 8, "io_uring", 0) RECORD ("xfs", "randread", 8, "libaio", 0)
            RECORD ("tmpfs", "randwrite", 1, "psync", 0) RECORD ("tmpfs", "randwrite", 32, "io_uring", 0)
                RECORD ("tmpfs", "randread", 32, "io_uring", 1) RECORD ("xfs", "randread", 1, "psync", 0);

typedef struct {
  const char *key;
  double low, high, factor; /* the true machine's value over the base's; 0: a value that cannot be told */
  FitFate fate;
} Change;
static const Change changes[] = {
  { "FileSystem xfs.WritePage", 50, 8000, 2.5, FIT_FITTED },
  { "FileSystem tmpfs.CopyPage", 10, 4000, 3, FIT_FITTED },
  { "Worker.Fetch", 90, 18000, 3, FIT_FITTED },
  { "FileSystem btrfs.WritePage", 50, 8000, 0, FIT_NO_EFFECT },
  { "Block.Interrupt", 50, 8000, 0, FIT_NO_EFFECT },
  { "Application.Prepare", 50, 6000, 2, FIT_FITTED },
  { "Application.Reap", 50, 5000, 0, FIT_TRADED }, /* once a request, as Prepare */
};
enum { CHANGES = G_N_ELEMENTS (changes) };

static SimulationSetup setup_of (unsigned index, const RecordMachine *machine, const void *data)
{
  return record_bench_setup (data, index, machine);
}

/* What the records need to be simulated. */
typedef struct {
  GPtrArray *records;
  RecordBench *records_bench;
  CalibrationJob jobs[16];
  CalibrationParameter parameters[CHANGES];
  FitParameter fit[CHANGES];
  GPtrArray *set;
} World;

static void world_init (World *world)
{
  ByteSource *source = byte_source_new_from_memory ("records", records_text, strlen (records_text), NULL);
  RecordConditions conditions;
  Machine *machine = machine_load ("x86-server", NULL);

  memset (world, 0, sizeof *world);
  world->records = throughput_records_read (source, NULL);
  byte_source_unref (source);
  CU_ASSERT_FATAL (world->records != NULL && world->records->len == 8 && machine != NULL);
  record_conditions_init (&conditions);
  conditions.limit_ios = 3000;
  world->records_bench = record_bench_new (world->records, &conditions, NULL);
  world->set = g_ptr_array_new ();
  for (unsigned i = 0; i < world->records->len; i++) {
    world->jobs[i] = (CalibrationJob){ .metric = METRIC_IOPS, .measured = 1, .reference = -1 };
  }
  for (unsigned j = 0; j < CHANGES; j++) {
    CalibrationParameter *parameter = &world->parameters[j];
    *parameter =
        (CalibrationParameter){ .key = (char *) changes[j].key, .low = changes[j].low, .high = changes[j].high };
    CU_ASSERT_TRUE (machine_get_number (machine, changes[j].key, &parameter->base, &parameter->whole, NULL));
    parameter->start = parameter->base;
    world->fit[j] = (FitParameter){ parameter->key, parameter->start, parameter->low, parameter->high };
  }
  machine_free (machine);
}

static void world_clear (World *world)
{
  record_bench_free (world->records_bench);
  g_ptr_array_unref (world->records);
  g_ptr_array_unref (world->set);
}

static CalibrationBench *bench_of (const World *world, uint64_t seed, unsigned reps, unsigned threads)
{
  const CalibrationBenchSetup setup = { .n_jobs = world->records->len,
                                        .jobs = world->jobs,
                                        .setup = setup_of,
                                        .data = world->records_bench,
                                        .base = "x86-server",
                                        .set = world->set,
                                        .n_parameters = CHANGES,
                                        .parameters = world->parameters,
                                        .seed = seed,
                                        .reps = reps,
                                        .threads = threads };
  return calibration_bench_new (&setup);
}

/* Lets the true machine run the records, with luck of its own; its rates become what was measured. */
static void measure (World *world)
{
  g_autoptr (CalibrationBench) bench = bench_of (world, 1000, 4, 1);
  double point[CHANGES], errors[16];

  for (unsigned j = 0; j < CHANGES; j++) {
    point[j] = world->parameters[j].base * (changes[j].factor > 0 ? changes[j].factor : 1);
  }
  CU_ASSERT_TRUE_FATAL (calibration_bench_evaluate (point, 1, NULL, errors, bench, NULL));
  for (unsigned i = 0; i < world->records->len; i++) {
    world->jobs[i].measured = exp (errors[i]);
  }
}

static FitResult *fit_world (World *world)
{
  static const gboolean used[16] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  static const double deviation[16] = { 0 };
  double luck[16], start[CHANGES];
  g_autoptr (CalibrationBench) bench = bench_of (world, 1, 0, 1);
  const FitProblem problem = { .n_parameters = CHANGES,
                               .parameters = world->fit,
                               .n_observations = world->records->len,
                               .used = used,
                               .deviation = deviation,
                               .luck = luck,
                               .max_evaluations = 300,
                               .seed = 1,
                               .evaluate = calibration_bench_evaluate,
                               .data = bench };

  for (unsigned j = 0; j < CHANGES; j++) {
    start[j] = world->fit[j].start;
  }
  CU_ASSERT_TRUE_FATAL (calibration_bench_settle (bench, start, NULL, luck, NULL));
  return fit_run (&problem, NULL);
}

static void test_known_machine (void)
{
  World world;

  world_init (&world);
  measure (&world);
  g_autoptr (FitResult) result = fit_world (&world);
  CU_ASSERT_FATAL (result != NULL);
  for (unsigned j = 0; j < CHANGES; j++) {
    const FitEstimate *estimate = &result->parameters[j];
    const double truth = world.parameters[j].base * (changes[j].factor > 0 ? changes[j].factor : 1);
    ROW_CHECK (estimate->fate == changes[j].fate, "%s: fate %d, expected %d", changes[j].key, estimate->fate,
               changes[j].fate);
    ROW_CHECK (fabs (estimate->value / truth - 1) < 0.12, "%s: %g, true %g", changes[j].key, estimate->value, truth);
    ROW_CHECK (fabs (log (truth / world.parameters[j].base)) > 0.5 || changes[j].factor == 0,
               "%s: the true machine differs enough for this test to fail", changes[j].key);
  }
  ROW_CHECK (result->parameters[6].traded_for == 5, "traded for %d", result->parameters[6].traded_for);
  ROW_CHECK (fit_median (result->errors, NULL, world.records->len) < 0.03, "%g",
             fit_median (result->errors, NULL, world.records->len));
  world_clear (&world);
}

/* Errors do not depend on how many simulations run at the same time, nor on what was simulated before. */
static void test_threads (void)
{
  enum { POINTS = 3 };
  World world;
  double points[POINTS * CHANGES], errors[2][POINTS * 16], luck[2][16];

  world_init (&world);
  measure (&world);
  for (unsigned k = 0; k < POINTS; k++) {
    for (unsigned j = 0; j < CHANGES; j++) {
      points[k * CHANGES + j] = world.parameters[j].base * (1 + 0.3 * ((j + k) % POINTS));
    }
  }
  for (unsigned t = 0; t < 2; t++) {
    g_autoptr (CalibrationBench) bench = bench_of (&world, 1, 0, t ? 3 : 1);
    CU_ASSERT_TRUE_FATAL (calibration_bench_settle (bench, points, NULL, luck[t], NULL));
    if (t) {
      CU_ASSERT_TRUE_FATAL (calibration_bench_evaluate (points + CHANGES, 1, NULL, errors[t], bench, NULL));
    }
    CU_ASSERT_TRUE_FATAL (calibration_bench_evaluate (points, POINTS, NULL, errors[t], bench, NULL));
  }
  CU_ASSERT_EQUAL (memcmp (errors[0], errors[1], POINTS * world.records->len * sizeof (double)), 0);
  CU_ASSERT_EQUAL (memcmp (luck[0], luck[1], world.records->len * sizeof (double)), 0);
  ROW_CHECK (errors[0][0] != errors[0][world.records->len], "points differ");
  world_clear (&world);
}

/* Errors of ratios: a machine twice as slow in everything has the ratios of the other. */
static void test_reference (void)
{
  World world;
  double errors[2][16];

  world_init (&world);
  measure (&world);
  for (unsigned k = 0; k < 2; k++) {
    for (unsigned i = 0; i < world.records->len; i++) {
      world.jobs[i].measured *= k ? 2 : 1;
      world.jobs[i].reference = i < 4 || i == 7 ? 0 : 4;
    }
    g_autoptr (CalibrationBench) bench = bench_of (&world, 1, 1, 1);
    double point[CHANGES];
    for (unsigned j = 0; j < CHANGES; j++) {
      point[j] = world.parameters[j].base;
    }
    CU_ASSERT_TRUE_FATAL (calibration_bench_evaluate (point, 1, NULL, errors[k], bench, NULL));
    CU_ASSERT_EQUAL (errors[k][0], 0);
    CU_ASSERT_EQUAL (errors[k][4], 0);
  }
  for (unsigned i = 0; i < world.records->len; i++) {
    ROW_CHECK (fabs (errors[0][i] - errors[1][i]) < 1e-9, "record %u: %g and %g", i, errors[0][i], errors[1][i]);
  }
  world_clear (&world);
}

/* ---- values from options ---- */

static void test_parameters (void)
{
  static const struct {
    const char *rule, *words; /* separated by ";" */
    const char *message;      /* (nullable) what the error says */
    double start, low, high;  /* of the first */
  } rows[] = {
    { "an eighth to eight times the base", "CPU.Syscall", NULL, 200, 25, 1600 },
    { "never below 1 ns", "Ring.FixedBufferSaves", NULL, 15, 1.875, 120 },
    { "a range", "CPU.Syscall=100..300", NULL, 200, 100, 300 },
    { "the base outside the range: the middle is the start", "CPU.Syscall=400..900", NULL, 600, 400, 900 },
    { "a factor", "Locks.HoldPerContender=0.01..0.1", NULL, 0.033, 0.01, 0.1 },
    { "a range upside down", "CPU.Syscall=300..100", "--parameter: found \"CPU.Syscall=300..100\", expected", 0, 0, 0 },
    { "0 has no logarithm", "CPU.Syscall=0..100", "with 1 <= LOW < HIGH", 0, 0, 0 },
    { "half a nanosecond", "CPU.Syscall=0.5..100", "with 1 <= LOW < HIGH", 0, 0, 0 },
    { "no number", "CPU.Syscall=a..b", "with 1 <= LOW < HIGH", 0, 0, 0 },
    { "no range", "CPU.Syscall=100", "with 1 <= LOW < HIGH", 0, 0, 0 },
    { "0 has no multiples", "FileSystem xfs.LargeFolio", "is 0 on x86-server, which has no multiples", 0, 0, 0 },
    { "0 with a range", "FileSystem xfs.LargeFolio=10..1000", NULL, 100, 10, 1000 },
    { "twice", "CPU.Syscall;CPU.Syscall=1..2", "found CPU.Syscall twice", 0, 0, 0 },
    { "a slip", "CPU.Sycall", "did you mean \"CPU.Syscall\"?", 0, 0, 0 },
    { "a count", "CPU.Count", "not a count", 0, 0, 0 },
  };
  Machine *machine = machine_load ("x86-server", NULL);

  CU_ASSERT_FATAL (machine != NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
    g_auto (GStrv) parts = g_strsplit (rows[i].words, ";", -1);
    g_autoptr (GError) error = NULL;
    for (char **part = parts; *part; part++) {
      g_ptr_array_add (words, g_strdup (*part));
    }
    g_autoptr (GArray) found = calibration_parameters_parse (words, machine, &error);
    ROW_CHECK ((found == NULL) == (rows[i].message != NULL), "%s: %s", rows[i].rule, row_error (error));
    if (found) {
      const CalibrationParameter *first = &g_array_index (found, CalibrationParameter, 0);
      ROW_CHECK (fabs (first->start - rows[i].start) < 1e-9 && first->low == rows[i].low && first->high == rows[i].high,
                 "%s: %g in %g..%g", rows[i].rule, first->start, first->low, first->high);
    } else {
      ROW_CHECK (rows[i].message && strstr (error->message, rows[i].message), "%s: %s", rows[i].rule,
                 row_error (error));
    }
  }
  machine_free (machine);
}

/* ---- machine files ---- */

/* Whatever stands in names and sources, the file is read again as it was meant. */
static void test_machine_file (void)
{
  g_autoptr (GPtrArray) comments = g_ptr_array_new ();
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "uringsim-test-XXXXXX.machine", NULL);
  const MachineFileValue values[] = {
    { (char *) "CPU.Syscall", (char *) "321", (char *) "fitted: to 3 results (95 % CI 1..2; base 200)" },
    { (char *) "FileSystem xfs.WritePage", (char *) "77", (char *) "fitted: a \\ b # c\n[CPU]" },
    { (char *) "CPU.Count", (char *) "3", (char *) "assumed: --cpus" },
    { (char *) "Locks.HoldPerContender", (char *) "0.04125", (char *) "fitted: x" },
  };
  const MachineFile file = { "mine", "x86-server", " a title # not a comment", "evidence\ttext", comments, 4, values };
  const int descriptor = g_mkstemp (path);
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (comments, (char *) "one\n[Ring]");
  g_autofree char *text = machine_file_text (&file);
  CU_ASSERT_TRUE_FATAL (descriptor >= 0 && g_file_set_contents (path, text, -1, NULL));
  g_close (descriptor, NULL);
  Machine *machine = machine_load (path, &error);
  if (ROW_CHECK (machine, "%s", row_error (error))) {
    const MachineFileSystem *xfs = machine_file_system (machine, "xfs");
    ROW_CHECK (machine->cost[COST_SYSCALL].ns == 321, "Syscall %" G_GUINT64_FORMAT, machine->cost[COST_SYSCALL].ns);
    ROW_CHECK (machine->cpus == 3 && machine->kappa == 0.04125, "%u %g", machine->cpus, machine->kappa);
    ROW_CHECK (xfs->cost[FS_COST_WRITE_PAGE].ns == 77, "WritePage");
    ROW_CHECK (!strcmp (xfs->cost[FS_COST_WRITE_PAGE].source, "fitted: a \\ b  c [CPU]"), "%s",
               xfs->cost[FS_COST_WRITE_PAGE].source);
    ROW_CHECK (!strcmp (machine->title, " a title  not a comment"), "\"%s\"", machine->title);
    machine_free (machine);
  }
  g_unlink (path);
}

void register_calibrate_tests (void)
{
  CU_pSuite suite = CU_add_suite ("calibrate", NULL, NULL);

  CU_add_test (suite, "a known machine comes back", test_known_machine);
  CU_add_test (suite, "threads", test_threads);
  CU_add_test (suite, "ratios", test_reference);
  CU_add_test (suite, "values from options", test_parameters);
  CU_add_test (suite, "machine files", test_machine_file);
}
