/*
 * Reports as fio's JSON and as CSV: what they say is what was simulated, read back by the reader of fio's results.
 */
#include "src/input/fio_result.h"
#include "src/output/fio_json.h"
#include "tests/row.h"
#include "tests/unit.h"
#include "tests/watched_run.h"

#include <math.h>
#include <string.h>

static RunResult *run_words (WordsRun *words, const char *const *list)
{
  g_autoptr (GError) error = NULL;
  RunResult *result = words_run_open (words, list, &error) ? simulation_run (&words->setup, &error) : NULL;

  ROW_CHECK (result, "%s", row_error (error));
  CU_ASSERT_FATAL (result != NULL);
  return result;
}

static void check_latency (const MeasuredLatency *got, const UrHistogram *is, const char *what)
{
  ROW_CHECK (got->n == is->n && fabs (got->mean - ur_histogram_mean (is)) < 1e-5 &&
                 fabs (got->stddev - ur_histogram_stddev (is)) < 1e-5,
             "%s: %u, mean %g", what, (unsigned) got->n, got->mean);
  ROW_CHECK (!is->n || (got->min == is->min && got->max == is->max), "%s: %u..%u", what, (unsigned) got->min,
             (unsigned) got->max);
  for (unsigned i = 0; got->percentile && i < got->percentile->len; i++) {
    const MeasuredPercentile *row = &g_array_index (got->percentile, MeasuredPercentile, i);

    ROW_CHECK (row->ns == ur_histogram_percentile (is, row->percent), "%s: %g %%", what, row->percent);
  }
  if (got->bins) {
    ROW_CHECK (!memcmp (got->bins->bin, is->bin, sizeof is->bin), "%s: bins", what);
  }
}

static void test_read_back (void)
{
  static const char job[] = TEST_DATA_DIR "/../../traces/ext4-buffered-randrw70-qd8-warm.fio";
  const char *const list[] = { job, "--policy", "linux-6.3", "--limit-ios", "250", NULL };
  WordsRun words;
  RunResult *result = run_words (&words, list);
  const ReportRun run = { .result = result };
  const Report report = { .workload = words.setup.workload, .n_runs = 1, .runs = &run };
  g_autofree char *text = fio_json_report (&report, TRUE);
  ByteSource *source = byte_source_new_from_memory ("r.json", text, strlen (text), NULL);
  g_autoptr (GError) error = NULL;
  GPtrArray *groups = fio_results_read (source, &error);

  if (ROW_CHECK (groups && groups->len == 1, "%s", row_error (error))) {
    const Measurement *got = groups->pdata[0];

    for (unsigned op = MEASURED_READ; op <= MEASURED_WRITE; op++) {
      const ResultOp *is = &result->op[op];

      ROW_CHECK (is->ios > 30 && got->op[op].ios == is->ios, "%s: %u", io_op_name (op), (unsigned) got->op[op].ios);
      ROW_CHECK (fabs (got->op[op].iops - (double) is->ios * 1e9 / (double) result->measured_ns) < 1e-3, "%s: %g",
                 io_op_name (op), got->op[op].iops);
      check_latency (&got->op[op].slat, &is->slat, "slat");
      check_latency (&got->op[op].clat, &is->clat, "clat");
      check_latency (&got->op[op].lat, &is->lat, "lat");
      CU_ASSERT (got->op[op].clat.bins != NULL && got->op[op].clat.percentile->len == 17);
    }
  }
  if (groups) {
    g_ptr_array_unref (groups);
  }
  byte_source_unref (source);
  run_result_free (result);
  words_run_clear (&words);
}

/* Names with commas and quotes stay one field. */
static void test_csv (void)
{
  RunResult *result = g_new0 (RunResult, 1);
  const ReportRun run = { .result = result };
  const Report report = { .n_runs = 1, .runs = &run };

  ur_histogram_init (&result->all.slat);
  ur_histogram_init (&result->all.clat);
  ur_histogram_init (&result->all.lat);
  g_strlcpy (result->policy, "a,\"b\"", sizeof result->policy);
  result->iops = 1234.5678;
  g_autofree char *text = csv_report (&report);
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);

  CU_ASSERT (g_strv_length (lines) == 3 && !*lines[2]);
  CU_ASSERT (g_str_has_prefix (lines[0], "policy,engine,kernel,"));
  ROW_CHECK (g_str_has_prefix (lines[1], "\"a,\"\"b\"\"\",") && strstr (lines[1], ",1234.568,"), "%s", lines[1]);
  g_free (result);
}

void register_fio_json_tests (void)
{
  CU_pSuite suite = CU_add_suite ("fio_json", NULL, NULL);

  CU_add_test (suite, "fio's JSON read back", test_read_back);
  CU_add_test (suite, "CSV", test_csv);
}
