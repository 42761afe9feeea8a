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
  FileSystem *fs = machine ? file_system_load (e->fs, &error) : NULL;
  Machine *base = machine && machine->base_path ? machine_load (machine->base_path, &error) : NULL;

  ROW_CHECK (machine && fs && machine_file_system (machine, fs->cost_name), "%s: %s", e->name, row_error (error));
  if (base) {
    ROW_CHECK (experiment_check_fitted (e, machine, base, &error), "%s: %s", e->name, row_error (error));
  }
  for (unsigned i = 0; i < e->n_rows; i++) {
    g_autoptr (GError) inner = NULL;
    Policy *policy = policy_load (e->rows[i].policy, &inner);

    ROW_CHECK (policy, "%s %s: %s", e->name, e->rows[i].name, row_error (inner));
    ROW_CHECK (!policy || policy->kernel == e->kernel, "%s %s: another kernel", e->name, e->rows[i].name);
    policy_free (policy);
  }
  machine_free (base);
  machine_free (machine);
  file_system_free (fs);
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
      double quotient = e->rows[ratio->numerator].iops / e->rows[ratio->denominator].iops;

      ROW_CHECK (near (ratio->published, rows[i].published) && near (ratio->tolerance, rows[i].tolerance), "%s",
                 rows[i].ratio);
      ROW_CHECK (fabs (quotient - ratio->published) < 0.001, "%s: the rows give %g", rows[i].ratio, quotient);
    }
    experiment_free (e);
  }
}

static void test_fields (void)
{
  Experiment *e = experiment_load (EXPERIMENT_DATA "/y_rows.experiment", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (e);
  CU_ASSERT (e->kernel == KERNEL (5, 3) && e->ios == 1000 && e->cache == CACHE_DIRTY && e->iodepth == 16 &&
             e->sqpoll == 1);
  CU_ASSERT (g_str_has_suffix (e->workload_path, "/experiments/job.fio"));
  CU_ASSERT_EQUAL_FATAL (g_strv_length (e->fitted), 2);
  CU_ASSERT_STRING_EQUAL (e->fitted[1], "FileSystem ext4.WritePage");
  CU_ASSERT_EQUAL_FATAL (e->n_rows, 3);
  CU_ASSERT (e->rows[0].iops == 100 && e->rows[0].bw_bytes == 4194304 && e->rows[0].clat_mean_ns == 2109);
  CU_ASSERT (e->rows[0].cpu_share_contention == 0.5 && e->rows[0].engine == -1 && e->rows[0].sqpoll == -1);
  CU_ASSERT_STRING_EQUAL (e->rows[0].note, "a note");
  CU_ASSERT (e->rows[1].engine == APPLICATION_PSYNC && e->rows[1].sqpoll == 0 && e->rows[1].iops == EXPERIMENT_UNSET);
  CU_ASSERT (e->rows[1].bw_bytes == EXPERIMENT_UNSET && e->rows[1].clat_mean_ns == EXPERIMENT_UNSET &&
             !e->rows[1].note);
  CU_ASSERT (e->rows[2].engine == APPLICATION_LIBAIO && e->rows[2].cpu_share_contention == EXPERIMENT_UNSET);
  CU_ASSERT (e->n_ratios == 2 && e->ratios[1].numerator == 2 && e->ratios[1].denominator == 1);
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
    { "fitted-one", "Locks.HoldPerContender", 1, "Fitted= names 1 keys; an experiment of 1 rows may fit 0" },
    { "fitted-one", "Locks.HoldPerContender;CPU.Count", 3,
      "Fitted= names \"CPU.Count\", which machine fitted-one does not change" },
    { "fitted-one", "Locks.HoldPerContender;Fs", 2, "an experiment of 2 rows may fit 1" },
    { "fitted-two", "CPU.Count;FileSystem ext4.WritePage", 3, NULL },
    { "fitted-two", "CPU.Count;FileSystem ext4.WritePage", 2,
      "Fitted= names 2 keys; an experiment of 2 rows may fit 1" },
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
    Experiment *e = experiment_load (EXPERIMENT_DATA "/y_rows.experiment", NULL);
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
  CU_add_test (suite, "broken files", test_broken);
  CU_add_test (suite, "Fitted=", test_fitted);
}
