/* Searches over policies: knobs of a file, the settings they have, objectives, and the file that is written. */
#include "src/command/knob_space.h"
#include "src/command/objective.h"
#include "src/command/options.h"
#include "src/command/search_file.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <glib/gstdio.h>
#include <string.h>

#define POLICY_DATA TEST_DATA_DIR "/policies"

/* ---- knobs of a policy ---- */

static double look_up (PolicyVariable variable, void *data)
{
  const double *size = data;

  return variable == POLICY_SIZE ? *size : variable == POLICY_WRITE ? 1 : 0;
}

/* A file's knobs come in the order of the file, with name, text and place; they stand at LOW until they are set. */
static void test_knobs (void)
{
  static const struct {
    const char *name, *text;
    unsigned line, column;
  } rows[] = {
    { "Queue few MaxWorkers", "?1..4", 8, 22 },
    { "Rule 10 Match", "?4KiB..64KiB", 11, 24 },
    { "Rule 10 Match#2", "?1ms..2ms", 11, 60 },
    { "Rule 10 Match#3", "?0.5..8", 11, 73 },
  };
  g_autoptr (GError) error = NULL;
  Policy *policy = policy_load_with_knobs (POLICY_DATA "/y_knobs.policy", &error);
  double size = 8192;

  if (!ROW_CHECK (policy, "%s", row_error (error))) {
    return;
  }
  CU_ASSERT_EQUAL_FATAL (policy->n_knobs, G_N_ELEMENTS (rows));
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const PolicyKnob *knob = &policy->knobs[i];
    ROW_CHECK (!strcmp (knob->name, rows[i].name), "%s: %s", rows[i].name, knob->name);
    ROW_CHECK (!strcmp (knob->text, rows[i].text), "%s: %s", rows[i].name, knob->text);
    ROW_CHECK (knob->line == rows[i].line && knob->column == rows[i].column, "%s: %u:%u", rows[i].name, knob->line,
               knob->column);
  }
  CU_ASSERT_EQUAL (policy_decide (policy, look_up, &size)->number, 1000); /* 8 KiB is more than 4 */
  policy_set_knob (policy, 1, 16384);
  CU_ASSERT_EQUAL (policy_decide (policy, look_up, &size)->number, 10);
  CU_ASSERT_EQUAL (policy->averages[0]->tau, 1e6);
  policy_set_knob (policy, 2, 1.5e6);
  CU_ASSERT_EQUAL (policy->averages[0]->tau, 1.5e6);
  for (unsigned i = 0; i < policy->n_queues; i++) {
    if (!strcmp (policy->queues[i].name, "few")) {
      CU_ASSERT_EQUAL (policy_queue_max_workers (&policy->queues[i], 32, 8, KERNEL (5, 3)), 1);
      policy_set_knob (policy, 0, 3);
      CU_ASSERT_EQUAL (policy_queue_max_workers (&policy->queues[i], 32, 8, KERNEL (5, 3)), 3);
    }
  }
  policy_free (policy);
}

/* ---- settings ---- */

/* Whole knobs step by LOW's unit and have each step its share; others have four digits; what is written is what was
 * tried. */
static void test_settings (void)
{
  static const struct {
    const char *rule, *knob;
    guint64 settings;
    double u;
    const char *text;
    int direction;
    const char *next;
  } rows[] = {
    { "the first step", "?1..64", 64, 0, "1", -1, "1" },
    { "the last step", "?1..64", 64, 1, "64", 1, "64" },
    { "every step has the same share", "?1..4", 4, 0.26, "2", 1, "3" },
    { "steps are LOW's unit", "?4KiB..64KiB", 61, 0.5, "34KiB", -1, "33KiB" },
    { "a rest below a step is left out", "?1KiB..4100B", 4, 1, "4KiB", 1, "4KiB" },
    { "wide ranges go by factors", "?1..10000", 10000, 0.5, "100", 1, "101" },
    { "from 0 on there are no factors", "?0..1000", 1001, 0.5, "500", 1, "501" },
    { "with decimals: four digits", "?0.0..1.0", G_MAXUINT64, 1 / 3.0, "0.3333", 1, "0.3433" },
    { "with decimals in a unit", "?0.5ms..2ms", G_MAXUINT64, 0.5, "1.25ms", 1, "1.265ms" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PolicyExpression *e = policy_expression_parse (rows[i].knob, NULL);
    unsigned n;
    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    const PolicyKnobRange *range = policy_expression_knobs (e, &n);
    const double value = knob_at (range, rows[i].u);
    g_autofree char *text = knob_text (range, value);
    g_autofree char *next = knob_text (range, knob_next (range, value, rows[i].direction));
    PolicyExpression *written = policy_expression_parse (text, NULL);
    double read = -1;

    ROW_CHECK (knob_settings (range) == rows[i].settings, "%s", rows[i].rule);
    ROW_CHECK (!strcmp (text, rows[i].text), "%s: %s", rows[i].rule, text);
    ROW_CHECK (!strcmp (next, rows[i].next), "%s: next %s", rows[i].rule, next);
    ROW_CHECK (written && policy_expression_constant (written, &read) && read == value, "%s: %.17g, written %.17g",
               rows[i].rule, value, read);
    policy_expression_free (written);
    policy_expression_free (e);
  }
}

/* ---- objectives ---- */

static void test_objectives (void)
{
  static const struct {
    const char *text;
    const char *message; /* NULL: it is one */
  } rows[] = {
    { "max iops", NULL },
    { "min p99", NULL },
    { "p99<1ms,max iops", NULL },
    { "p99 <= 1ms, cpu_busy < 50%, iops >= 200k, min p999", NULL },
    { "bw > 100MiB, min lat", NULL },
    { "max iosp", "did you mean \"iops\"?" },
    { "max iops, min p99", "one goal only" },
    { "p99 < 1ms", "a goal in it" },
    { "p99 < 1, max iops", "a time above 0 with" },
    { "iops > 1ms, min p99", "a rate above 0" },
    { "p99 < 0ms, max iops", "a time above 0 with" },
    { "p99 = 1ms, max iops", "or a limit" },
    { "max iops,", "or a limit" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Objective) objective = objective_parse (rows[i].text, &error);

    ROW_CHECK (!objective == (rows[i].message != NULL), "%s: %s", rows[i].text, row_error (error));
    ROW_CHECK (!rows[i].message || (error && strstr (error->message, rows[i].message)), "%s: %s", rows[i].text,
               row_error (error));
    ROW_CHECK (!error || g_error_matches (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE), "%s", rows[i].text);
  }
}

/* Of two settings the better one has the smaller score. */
static void test_scores (void)
{
  static const struct {
    const char *rule, *objective;
    double iops, p99, worse_iops, worse_p99;
    gboolean holds, worse_holds;
  } rows[] = {
    { "more is better", "max iops", 2e5, 1e6, 1e5, 1e3, TRUE, TRUE },
    { "less is better", "min p99", 1e5, 1e3, 2e5, 1e6, TRUE, TRUE },
    { "keeping a limit counts more than any goal", "p99 < 1ms, max iops", 1, 999999, 9e9, 1000001, TRUE, FALSE },
    { "nearer to the limit", "p99 < 1ms, max iops", 1, 2e6, 9e9, 3e6, FALSE, FALSE },
    { "one limit missed is better than two", "p99 < 1ms, iops > 100k, min p99", 1, 1e5, 99999, 1000001, FALSE, FALSE },
    { "< is strict", "p99 < 1ms, max iops", 1, 999999, 1, 1000000, TRUE, FALSE },
    { "<= is not", "p99 <= 1ms, max iops", 2, 1000000, 1, 1000000, TRUE, TRUE },
    { ">= is not strict", "iops >= 100k, min p99", 100000, 1, 99999, 1, TRUE, FALSE },
    { "nothing done is finite, and worst", "max iops", 1e-3, 1, 0, 1, TRUE, TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (Objective) objective = objective_parse (rows[i].objective, NULL);
    double better[METRICS_N] = { [METRIC_IOPS] = rows[i].iops, [METRIC_LAT_P99] = rows[i].p99 };
    double worse[METRICS_N] = { [METRIC_IOPS] = rows[i].worse_iops, [METRIC_LAT_P99] = rows[i].worse_p99 };

    CU_ASSERT_PTR_NOT_NULL_FATAL (objective);
    ROW_CHECK (objective_score (objective, better) < objective_score (objective, worse), "%s: %g, %g", rows[i].rule,
               objective_score (objective, better), objective_score (objective, worse));
    ROW_CHECK (objective_holds (objective, better) == rows[i].holds, "%s", rows[i].rule);
    ROW_CHECK (objective_holds (objective, worse) == rows[i].worse_holds, "%s", rows[i].rule);
  }
}

/* ---- the file ---- */

/* Every knob is replaced in its place, everything else stays byte for byte, and the result is a policy. */
static void test_written (void)
{
  static const char *const texts[] = { "2", "16KiB", "1.5ms", "0.75" };
  g_autofree char *directory = g_dir_make_tmp ("uringsim-search-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "found.policy", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;
  Policy *policy = policy_load_with_knobs (POLICY_DATA "/y_knobs.policy", &error);

  CU_ASSERT_PTR_NOT_NULL_FATAL (policy);
  ROW_CHECK (!search_file_may_write (policy, policy->path, NULL), "not over the file with the knobs");
  ROW_CHECK (!search_file_may_write (policy, "found.txt", NULL), "a policy's name ends in .policy");
  ROW_CHECK (search_file_may_write (policy, path, &error), "%s", row_error (error));
  ROW_CHECK (search_file_write (policy, texts, "found", path, &error), "%s", row_error (error));
  g_assert_true (g_file_get_contents (policy->path, &before, NULL, NULL));
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  GString *expected = g_string_new (before);
  for (unsigned i = 0; i < policy->n_knobs; i++) {
    g_string_replace (expected, policy->knobs[i].text, texts[i], 1);
  }
  g_string_prepend (expected, "# found\n");
  ROW_CHECK (!strcmp (after, expected->str), "%s", after);
  Policy *found = policy_load (path, &error);
  ROW_CHECK (found && !found->n_knobs, "%s", row_error (error));
  g_string_free (expected, TRUE);
  policy_free (found);
  policy_free (policy);
  g_unlink (path);
  g_rmdir (directory);
}

void register_policy_search_tests (void)
{
  CU_pSuite suite = CU_add_suite ("policy search", NULL, NULL);

  CU_add_test (suite, "knobs of a policy", test_knobs);
  CU_add_test (suite, "settings", test_settings);
  CU_add_test (suite, "objectives", test_objectives);
  CU_add_test (suite, "scores", test_scores);
  CU_add_test (suite, "the file written", test_written);
}
