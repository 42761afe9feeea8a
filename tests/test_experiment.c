/* Experiments: the shipped ones say what was published, broken ones are refused, and Fitted= is held to. */
#include "model/data_path.h"
#include "model/experiment.h"
#include "model/file_system.h"
#include "model/kernel_version.h"
#include "model/policy.h"
#include "tests/expected.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <math.h>

#define EXPERIMENT_DATA TEST_DATA_DIR "/experiments"

static gboolean near (double a, double b) { return fabs (a - b) < 1e-9 * fabs (b) + 1e-12; }

/* Names in a row lead somewhere, and the machine keeps to Fitted=. */
static void check_parts (const Experiment *e)
{
  g_autoptr (GError) error = NULL;
  Machine *machine = machine_load (e->machine, &error);
  Machine *base = machine && machine->base_path ? machine_load (machine->base_path, &error) : NULL;

  if (ROW_CHECK (base, "%s: %s", e->name, row_error (error))) {
    ROW_CHECK (experiment_check_fitted (e, machine, base, &error), "%s: %s", e->name, row_error (error));
  }
  for (unsigned i = 0; i < e->n_rows; i++) {
    g_autoptr (GError) inner = NULL;
    Policy *policy = policy_load (e->rows[i].policy, &inner);
    FileSystem *fs = policy ? file_system_load (e->rows[i].fs, &inner) : NULL;

    ROW_CHECK (policy && fs, "%s %s: %s", e->name, e->rows[i].name, row_error (inner));
    ROW_CHECK (!fs || !machine || machine_file_system (machine, fs->cost_name), "%s %s: machine without costs of %s",
               e->name, e->rows[i].name, e->rows[i].fs);
    policy_free (policy);
    file_system_free (fs);
  }
  g_clear_pointer (&base, machine_free);
  g_clear_pointer (&machine, machine_free);
}

static void test_shipped (void)
{
  g_auto (GStrv) names = data_path_list ("experiments", ".experiment");

  ROW_CHECK (g_strv_length (names) >= 2, "%u shipped experiments", g_strv_length (names));
  for (char **name = names; *name; name++) {
    g_autoptr (GError) error = NULL;
    Experiment *e = experiment_load (*name, &error);

    if (!ROW_CHECK (e, "%s: %s", *name, row_error (error))) {
      continue;
    }
    ROW_CHECK (strcmp (e->name, *name) == 0 && e->n_rows > 1 && e->n_ratios, "%s", *name);
    ROW_CHECK (strstr (e->source, "https://"), "%s: %s", *name, e->source);
    check_parts (e);
    experiment_free (e);
  }
}

/* The published figures, and that each ratio is the quotient of its rows. */
static void test_published (void)
{
  static const struct {
    const char *experiment, *ratio;
    double published, tolerance;
  } rows[] = {
    { "axboe-2019", "two workers / many", 1.85, 0.10 },  { "luhongfei-2023", "inline / punt", 1.951, 0.10 },
    { "luhongfei-2023", "punt / psync", 0.886, 0.10 },   { "luhongfei-2023", "inline / psync", 1.728, 0.15 },
    { "luhongfei-2023", "libaio / psync", 0.765, 0.10 }, { "luhongfei-2023", "inline / libaio", 2.258, 0.15 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Experiment *e = experiment_load (rows[i].experiment, NULL);
    const ExperimentRatio *ratio = NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    for (unsigned r = 0; r < e->n_ratios; r++) {
      if (strcmp (e->ratios[r].name, rows[i].ratio) == 0) {
        ratio = &e->ratios[r];
      }
    }
    if (ROW_CHECK (ratio, "%s", rows[i].ratio)) {
      double quotient =
          e->rows[ratio->above[0]].published[METRIC_IOPS] / e->rows[ratio->below[0]].published[METRIC_IOPS];

      ROW_CHECK (near (ratio->published, rows[i].published) && near (ratio->tolerance, rows[i].tolerance), "%s",
                 rows[i].ratio);
      ROW_CHECK (fabs (quotient - ratio->published) < 0.001, "%s: the rows give %g", rows[i].ratio, quotient);
    }
    experiment_free (e);
  }
}

/* A row that says nothing about how it is run has what [Experiment] says. */
static void check_inherited (const ExperimentRow *row)
{
  CU_ASSERT (row->kernel == KERNEL (5, 3) && row->ios == 1000 && row->cache == CACHE_DIRTY && row->iodepth == 16);
  CU_ASSERT (row->sqpoll == 1 && row->engine == -1 && row->cpus == 0 && row->runtime == 0);
  CU_ASSERT (!row->device && !row->ring && !row->sqe && g_strv_length (row->set) == 1);
  CU_ASSERT_STRING_EQUAL (row->set[0], "Memory.Size=4GiB");
  CU_ASSERT_STRING_EQUAL (row->fs, "ext4");
  CU_ASSERT_STRING_EQUAL (row->policy, "linux-5.3");
  CU_ASSERT (g_str_has_suffix (row->workload_path, "/experiments/job.fio"));
}

/* Every key of a run may be a row's own; Set= comes after that of [Experiment]. */
static void check_own (const ExperimentRow *row)
{
  CU_ASSERT (row->kernel == KERNEL (6, 1) && row->ios == 50 && row->cache == CACHE_COLD && row->iodepth == 4);
  CU_ASSERT (row->sqpoll == 0 && row->engine == APPLICATION_IO_URING && row->cpus == 4);
  CU_ASSERT (row->runtime == 20 * UR_MS && row->fio_version == KERNEL (3, 35));
  CU_ASSERT_STRING_EQUAL (row->fs, "xfs");
  CU_ASSERT_STRING_EQUAL (row->policy, "linux-6.1");
  CU_ASSERT_STRING_EQUAL (row->device, "hdd");
  CU_ASSERT_STRING_EQUAL (row->ring, "default,cq-entries=64");
  CU_ASSERT_STRING_EQUAL (row->sqe, "async");
  CU_ASSERT (g_strv_length (row->set) == 3);
  CU_ASSERT_STRING_EQUAL (row->set[2], "CPU.Syscall=300");
  CU_ASSERT (g_str_has_suffix (row->workload_path, "/experiments/other.fio"));
}

static void test_fields (void)
{
  Experiment *e = experiment_load (EXPERIMENT_DATA "/y_rows.experiment", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (e);
  CU_ASSERT_EQUAL_FATAL (e->n_rows, 4);
  CU_ASSERT (g_strv_length (e->fitted) == 2 && g_strv_length (e->stated) == 1);
  CU_ASSERT_STRING_EQUAL (e->fitted[1], "FileSystem ext4.WritePage");
  CU_ASSERT_STRING_EQUAL (e->stated[0], "Memory.Size");
  check_inherited (&e->rows[0]);
  check_own (&e->rows[3]);
  CU_ASSERT_STRING_EQUAL (e->rows[0].note, "a note");
  CU_ASSERT_STRING_EQUAL (e->rows[0].lock, "inode:");
  CU_ASSERT (near (e->rows[0].left_out_error, -0.25) && isnan (e->rows[1].left_out_error));
  CU_ASSERT (e->rows[1].engine == APPLICATION_PSYNC && e->rows[1].sqpoll == 0 && !e->rows[1].note && !e->rows[1].lock);
  CU_ASSERT (e->rows[2].engine == APPLICATION_LIBAIO);
  experiment_free (e);
}

/* Every metric is read by its own key, and one that is not given is unset. */
static void test_metrics (void)
{
  static const double values[METRICS_N] = {
    [METRIC_IOPS] = 100,
    [METRIC_IOPS_READ] = 60,
    [METRIC_IOPS_WRITE] = 40,
    [METRIC_BANDWIDTH] = 4194304,
    [METRIC_BANDWIDTH_READ] = 3145728,
    [METRIC_BANDWIDTH_WRITE] = 1048576,
    [METRIC_SLAT] = 900,
    [METRIC_CLAT] = 2109,
    [METRIC_LAT] = 3009,
    [METRIC_LAT_P50] = 2900,
    [METRIC_LAT_P99] = 9100,
    [METRIC_LAT_P999] = 12000,
    [METRIC_IN_FLIGHT] = 7.5,
    [METRIC_CPU_SHARE_CONTENTION] = 0.5,
    [METRIC_CPU_SHARE_SPINNING] = 0.4,
    [METRIC_CPU_BUSY] = 0.9,
    [METRIC_CPUS_BUSY] = 14.4,
    [METRIC_CONTEXT_SWITCHES] = 2.25,
    [METRIC_WORKERS_ALIVE] = 31,
    [METRIC_ELAPSED] = 9283000000.0,
  };
  Experiment *e = experiment_load (EXPERIMENT_DATA "/y_rows.experiment", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (e);
  for (unsigned i = 0; i < METRICS_N; i++) {
    ROW_CHECK (near (e->rows[0].published[i], values[i]), "%s: %g", metric_key ((Metric) i), e->rows[0].published[i]);
    ROW_CHECK (e->rows[1].published[i] == EXPERIMENT_UNSET, "%s", metric_key ((Metric) i));
  }
  experiment_free (e);
}

/* Tolerance about the published ratio, limits of one or two sides, sums, other metrics, no denominator; and which of
 * them say on which side of 1 they are. */
static void test_ratios (void)
{
  static const struct {
    const char *rule;
    unsigned n_above, n_below;
    Metric metric, below;
    double published, least, most;
    gboolean side;
  } rows[] = {
    { "tolerance, both limits above 1", 1, 1, METRIC_IOPS, METRIC_IOPS, 1.5, 1.35, 1.65, TRUE },
    { "tolerance, both limits below 1", 1, 1, METRIC_IOPS, METRIC_IOPS, 0.5, 0.45, 0.55, TRUE },
    { "published within 3 % of 1: no side", 1, 1, METRIC_IOPS, METRIC_IOPS, 0.98, 0.931, 1.029, FALSE },
    { "least only, said in words: no side", 1, 1, METRIC_IOPS, METRIC_IOPS, -1, 1, INFINITY, FALSE },
    { "least and most of a published ratio of latencies", 1, 1, METRIC_LAT, METRIC_LAT, 2, 1.5, 3, TRUE },
    { "sum of two rows", 2, 1, METRIC_IOPS_READ, METRIC_IOPS_READ, 2, 1.8, 2.2, TRUE },
    { "one row alone: a figure, no side", 1, 0, METRIC_CPU_BUSY, METRIC_CPU_BUSY, 0.5, 0, 0.6, FALSE },
    { "two metrics of one row", 1, 1, METRIC_WORKERS_ALIVE, METRIC_IN_FLIGHT, 38, 4, INFINITY, TRUE },
    { "a tolerance that reaches over 1 takes no side away, below 1", 1, 1, METRIC_IOPS, METRIC_IOPS, 0.96, 0.864, 1.056,
      TRUE },
    { "and above 1", 1, 1, METRIC_IOPS, METRIC_IOPS, 1.1, 0.88, 1.32, TRUE },
  };
  Experiment *e = experiment_load (EXPERIMENT_DATA "/y_rows.experiment", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (e);
  CU_ASSERT_EQUAL_FATAL (e->n_ratios, G_N_ELEMENTS (rows));
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const ExperimentRatio *ratio = &e->ratios[i];

    ROW_CHECK (ratio->n_above == rows[i].n_above && ratio->n_below == rows[i].n_below, "%s: rows", rows[i].rule);
    ROW_CHECK (ratio->metric == rows[i].metric && ratio->metric_below == rows[i].below, "%s: metric", rows[i].rule);
    ROW_CHECK (near (ratio->published, rows[i].published) && near (ratio->least, rows[i].least), "%s", rows[i].rule);
    ROW_CHECK (isinf (rows[i].most) ? isinf (ratio->most) : near (ratio->most, rows[i].most), "%s: %g", rows[i].rule,
               ratio->most);
    ROW_CHECK (experiment_ratio_has_side (ratio) == rows[i].side, "%s: side", rows[i].rule);
  }
  CU_ASSERT (e->ratios[0].above[0] == 0 && e->ratios[0].below[0] == 1);
  CU_ASSERT (e->ratios[5].above[0] == 0 && e->ratios[5].above[1] == 2 && e->ratios[5].below[0] == 1);
  experiment_free (e);
}

static gboolean load_and_free (const char *path, GError **error)
{
  Experiment *e = experiment_load (path, error);

  experiment_free (e);
  return e != NULL;
}

static void test_broken (void)
{
  static const char *const codes[] = { "not-found", "syntax", "unknown-key", "value" };

  expected_check (EXPERIMENT_DATA, load_and_free, EXPERIMENT_ERROR, codes);
}

/* What Set= and Cpus= change is named, and counts unless the source states it or the rows differ in it. */
static void test_set (void)
{
  static const struct {
    const char *rule, *fitted, *stated, *set, *last_set;
    unsigned last_cpus;
    const char *message;
  } rows[] = {
    { "fitted in all rows", "Read.Time", "", "Read.Time=9", "Read.Time=9", 0, NULL },
    { "named nowhere", "", "", "Read.Time=9", "Read.Time=9", 0,
      "Set= or Cpus= changes Read.Time, which neither Fitted= nor Stated= names" },
    { "stated", "", "Read.Time", "Read.Time=9", "Read.Time=9", 0, NULL },
    { "stated: the rows differ in it", "", "Read.Time", "Read.Time=9", "Read.Time=7", 0, NULL },
    { "fitted, another value in one row", "Read.Time", "", "Read.Time=9", "Read.Time=7", 0,
      "Read.Time is fitted and differs from row to row" },
    { "fitted, one row without", "Read.Time", "", "Read.Time=9", "", 0,
      "Read.Time is fitted and differs from row to row" },
    { "Cpus= is CPU.Count", "", "CPU.Count", "", "", 4, NULL },
    { "Cpus= named nowhere", "", "", "", "", 4, "changes CPU.Count, which neither" },
    { "fitted keys of Set= count", "Read.Time;Write.Time", "", "Read.Time=9;Write.Time=8", "Read.Time=9;Write.Time=8",
      0, "an experiment of 2 published rows may fit 1" },
    { "a device and a file system chosen to fit need no value", "Device", "", "", "", 0, NULL },
  };
  Machine *base = machine_load ("x86-server", NULL), *machine = machine_load (EXPERIMENT_DATA "/none.machine", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (base);
  CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Experiment *e = experiment_load (EXPERIMENT_DATA "/y_fitted.experiment", NULL);
    g_autoptr (GError) error = NULL;
    unsigned n_rows;

    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    g_strfreev (e->fitted);
    g_strfreev (e->stated);
    e->fitted = g_strsplit (rows[i].fitted, ";", -1);
    e->stated = g_strsplit (rows[i].stated, ";", -1);
    for (unsigned r = 0; r < 2; r++) {
      g_strfreev (e->rows[r].set);
      e->rows[r].set = g_strsplit (r ? rows[i].last_set : rows[i].set, ";", -1);
    }
    e->rows[1].cpus = rows[i].last_cpus;
    n_rows = e->n_rows;
    e->n_rows = 2;
    ROW_CHECK (experiment_check_fitted (e, machine, base, &error) == !rows[i].message, "%s: %s", rows[i].rule,
               row_error (error));
    ROW_CHECK (!rows[i].message || strstr (row_error (error), rows[i].message), "%s: %s", rows[i].rule,
               row_error (error));
    e->n_rows = n_rows;
    experiment_free (e);
  }
  machine_free (machine);
  machine_free (base);
}

/* Keys of machines, file systems and devices have a value to compare. */
static void test_key_values (void)
{
  static const struct {
    const char *key;
    gboolean known;
    double value;
  } rows[] = {
    { "CPU.Count", TRUE, 16 },
    { "Locks.HoldPerContender", TRUE, 0.033 },
    { "CPU.Syscall", TRUE, 200 },
    { "CPU.Noise", TRUE, 0.15 },
    { "FileSystem xfs.PageAdd", TRUE, 1450 },
    { "Read.Time", TRUE, 110 },
    { "CPU.Sycall", FALSE, 0 },
    { "Fs", FALSE, 0 },
    { "FileSystem zfs.PageAdd", FALSE, 0 },
    { "Memory.Size", TRUE, 17179869184.0 },
  };
  Machine *machine = machine_load ("x86-server", NULL);
  Device *device = device_load ("ram-disk", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
  CU_ASSERT_PTR_NOT_NULL_FATAL (device);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    double value = 0;

    ROW_CHECK (experiment_key_value (rows[i].key, machine, device, &value) == rows[i].known &&
                   near (value, rows[i].value),
               "%s: %g", rows[i].key, value);
  }
  CU_ASSERT (!experiment_key_value ("Read.Time", machine, NULL, &(double){ 0 }));
  device_free (device);
  machine_free (machine);
}

/* The limits of design: rows - 1, at most 3, and no change that is not named. */
static void test_fitted (void)
{
  static const struct {
    const char *machine, *fitted;
    unsigned rows;
    const char *message;
  } rows[] = {
    { "fitted-one", "Locks.HoldPerContender", 3, NULL },
    { "fitted-one", "Locks.HoldPerContender", 2, NULL },
    { "fitted-one", "Locks.HoldPerContender;Fs", 3, NULL },
    { "fitted-one", "", 3, "machine fitted-one changes Locks.HoldPerContender, which Fitted= does not name" },
    { "fitted-one", "Locks.HoldPerContender", 1, "Fitted= names 1 keys; an experiment of 1 published rows may fit 0" },
    { "fitted-one", "Locks.HoldPerContender;CPU.Count", 3,
      "Fitted= names \"CPU.Count\", which machine fitted-one does not change" },
    { "fitted-one", "Locks.HoldPerContender;Fs", 2, "an experiment of 2 published rows may fit 1" },
    { "fitted-two", "CPU.Count;FileSystem ext4.WritePage", 3, NULL },
    { "fitted-two", "CPU.Count;FileSystem ext4.WritePage", 2,
      "Fitted= names 2 keys; an experiment of 2 published rows may fit 1" },
    { "fitted-two", "CPU.Count", 3, "changes FileSystem ext4.WritePage" },
    { "fitted-two", "FileSystem ext4.WritePage", 3, "changes CPU.Count" },
    { "fitted-two", "a;b;c;d", 10, "may fit 3 (rows - 1, at most 3)" },
    { "fitted-same", "", 3, "changes Scheduler.Switch" },
    { "fitted-same", "Scheduler.Switch", 3, NULL },
  };
  Machine *base = machine_load ("x86-server", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (base);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_strdup_printf (EXPERIMENT_DATA "/%s.machine", rows[i].machine);
    Experiment *e = experiment_load (EXPERIMENT_DATA "/y_fitted.experiment", NULL);
    Machine *machine = machine_load (path, NULL);
    g_autoptr (GError) error = NULL;
    unsigned n_rows;

    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
    g_strfreev (e->fitted);
    e->fitted = g_strsplit (rows[i].fitted, ";", -1);
    n_rows = e->n_rows;
    e->n_rows = rows[i].rows;
    ROW_CHECK (experiment_check_fitted (e, machine, base, &error) == !rows[i].message, "row %u: %s", i,
               row_error (error));
    ROW_CHECK (!rows[i].message || strstr (row_error (error), rows[i].message), "row %u: %s", i, row_error (error));
    e->n_rows = n_rows;
    experiment_free (e);
    machine_free (machine);
  }
  machine_free (base);
}

void register_experiment_tests (void)
{
  CU_pSuite suite = CU_add_suite ("experiment", NULL, NULL);

  CU_add_test (suite, "shipped experiments load", test_shipped);
  CU_add_test (suite, "published figures", test_published);
  CU_add_test (suite, "fields", test_fields);
  CU_add_test (suite, "metrics", test_metrics);
  CU_add_test (suite, "ratios", test_ratios);
  CU_add_test (suite, "broken files", test_broken);
  CU_add_test (suite, "Fitted=", test_fitted);
  CU_add_test (suite, "Set= and Stated=", test_set);
  CU_add_test (suite, "values of keys", test_key_values);
}
