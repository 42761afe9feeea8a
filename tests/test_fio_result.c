/* Results of fio: options, groups, latencies, and what is refused. */
#include "src/input/fio_result.h"
#include "src/input/input_error.h"
#include "src/input/measurement_workload.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <math.h>
#include <string.h>

/* A result with these global options and jobs; the first line is "{". */
#define RESULT(global, jobs) \
  "{\n\"fio version\": \"fio-3.42\",\n\"global options\": {" global "},\n\"jobs\": [" jobs "]}\n"
#define JOB(name, group, options, write)                                                         \
  "{\"jobname\": \"" name "\", \"groupid\": " group ", \"error\": 0, \"job options\": {" options \
  "},\n\"write\": {" write "}}"
#define WRITES(ios, iops, more) "\"total_ios\": " ios ", \"iops\": " iops ", \"bw_bytes\": 4096, \"runtime\": 500" more
#define LATENCY(n, mean, more) "{\"N\": " n ", \"mean\": " mean ", \"stddev\": 0, \"min\": 1, \"max\": 90" more "}"

static GPtrArray *read_text (const char *text, GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("r.json", text, strlen (text), error);
  GPtrArray *groups = source ? fio_results_read (source, error) : NULL;

  byte_source_unref (source);
  return groups;
}

static GPtrArray *must_read (const char *text)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *groups = read_text (text, &error);

  ROW_CHECK (groups != NULL, "%s", row_error (error));
  CU_ASSERT_FATAL (groups != NULL);
  return groups;
}

static char *options_of (const Measurement *group, unsigned index)
{
  const MeasuredSection *section = group->sections->pdata[index];
  GString *text = g_string_new (section->name);

  for (unsigned i = 0; i < section->options->len; i++) {
    const MeasuredOption *option = &g_array_index (section->options, MeasuredOption, i);
    g_string_append_printf (text, " %s%s%s", option->name, option->value ? "=" : "",
                            option->value ? option->value : "");
  }
  return g_string_free (text, FALSE);
}

static void test_options (void)
{
  static const struct {
    const char *rule, *text, *options;
  } row[] = {
    { "the job's options follow the global ones", RESULT ("\"rw\": \"write\"", JOB ("a", "0", "\"bs\": \"4k\"", "")),
      "a rw=write bs=4k" },
    { "blanks around a value do not belong to it, an empty one is none",
      RESULT ("\"rw\": \" write \"", JOB ("a", "0", "\"group_reporting\": \"\"", "")), "a rw=write group_reporting" },
    { "name and description are no options of the run",
      RESULT ("", JOB ("a", "0", "\"name\": \"x\", \"rw\": \"read\", \"description\": \"y\"", "")), "a rw=read" },
    { "a job that ran for its runtime is time_based",
      RESULT ("\"runtime\": \"500ms\"", JOB ("a", "0", "", WRITES ("5", "10", ""))), "a runtime=500ms time_based" },
    { "one that ended before is not", RESULT ("\"runtime\": \"2\"", JOB ("a", "0", "", WRITES ("5", "10", ""))),
      "a runtime=2" },
    { "global options alone are enough", "{\n\"global options\": {\"rw\": \"read\"}, \"jobs\": [{\"jobname\": \"a\"}]}",
      "a rw=read" },
    { "text around it is skipped",
      "note: both\n{\n\"jobs\": [{\"jobname\": \"a\", \"job options\": {\"rw\": \"read\"}}]}\nRun status\n",
      "a rw=read" },
    { "of several results the last counts",
      RESULT ("", JOB ("a", "0", "\"rw\": \"read\"", "")) RESULT ("", JOB ("b", "0", "\"rw\": \"write\"", "")),
      "b rw=write" },
    { "an escaped quote, and braces, do not end a string",
      RESULT ("\"filename\": \"a\\\\\\\"}{\"", JOB ("a", "0", "", "")), "a filename=a\\\"}{" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GPtrArray) groups = must_read (row[i].text);
    g_autofree char *options = options_of (groups->pdata[0], 0);
    ROW_CHECK (!strcmp (options, row[i].options), "%s: %s", row[i].rule, options);
  }
}

static void test_groups (void)
{
  g_autoptr (GPtrArray) groups = must_read (
      RESULT ("", JOB ("a", "0", "\"numjobs\": \"2\"", WRITES ("10", "100", "")) ",\n" JOB (
                      "a", "0", "\"numjobs\": \"2\"",
                      WRITES ("30", "300", "")) ",\n" JOB ("b", "0", "",
                                                           WRITES ("1", "7", "")) ",\n" JOB ("c", "1", "",
                                                                                             WRITES ("2", "2", ""))));
  CU_ASSERT_EQUAL_FATAL (groups->len, 2);
  const Measurement *first = groups->pdata[0], *second = groups->pdata[1];
  CU_ASSERT_EQUAL (first->sections->len, 2); /* clones are one section */
  CU_ASSERT_STRING_EQUAL (first->name, "a, b");
  CU_ASSERT (first->op[MEASURED_WRITE].ios == 41 && first->op[MEASURED_WRITE].iops == 407);
  CU_ASSERT (first->op[MEASURED_WRITE].bw_bytes == 3 * 4096 && first->op[MEASURED_READ].ios == 0);
  CU_ASSERT (second->op[MEASURED_WRITE].ios == 2 && !strcmp (second->name, "c") && second->line == 10);
}

#define PERCENTILES ", \"percentile\": {\"99.000000\": 80, \"50.000000\": 20}"
#define BINS ", \"bins\": {\"10\": 3, \"80\": 1}"

static void test_latencies (void)
{
  g_autoptr (GPtrArray) groups = must_read (
      RESULT ("", JOB ("a", "0", "", WRITES ("4", "1", ", \"clat_ns\": " LATENCY ("4", "27.5", PERCENTILES BINS)))));
  const MeasuredLatency *clat = &((const Measurement *) groups->pdata[0])->op[MEASURED_WRITE].clat;
  CU_ASSERT (clat->n == 4 && clat->mean == 27.5 && clat->min == 1 && clat->max == 90);
  CU_ASSERT_EQUAL_FATAL (clat->percentile->len, 2);
  CU_ASSERT (g_array_index (clat->percentile, MeasuredPercentile, 0).percent == 50); /* ascending */
  CU_ASSERT (g_array_index (clat->percentile, MeasuredPercentile, 1).ns == 80);
  CU_ASSERT_PTR_NOT_NULL_FATAL (clat->bins);
  CU_ASSERT (clat->bins->n == 4 && clat->bins->bin[10] == 3 && clat->bins->bin[80] == 1);
}

/* Of two jobs: 2 I/Os of mean 10 and 6 of mean 30; bins add up, percentiles do not. */
static void test_merge (void)
{
  g_autoptr (GPtrArray) groups = must_read (RESULT (
      "", JOB ("a", "0", "", WRITES ("2", "1", ", \"clat_ns\": " LATENCY ("2", "10", PERCENTILES BINS))) "," JOB (
              "b", "0", "", WRITES ("6", "1", ", \"clat_ns\": " LATENCY ("6", "30", PERCENTILES BINS)))));
  const MeasuredLatency *clat = &((const Measurement *) groups->pdata[0])->op[MEASURED_WRITE].clat;
  CU_ASSERT_EQUAL (clat->n, 8);
  CU_ASSERT_DOUBLE_EQUAL (clat->mean, 25, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL (clat->stddev, sqrt (600 / 7.0), 1e-9);
  CU_ASSERT_PTR_NULL (clat->percentile);
  CU_ASSERT (clat->bins && clat->bins->n == 8 && clat->bins->bin[10] == 6);
}

static void test_garbage (void)
{
#define SQPOLL(version, clat, lat)                         \
  "{\n\"fio version\": \"" version "\", \"jobs\": [" JOB ( \
      "a", "0", "\"sqthread_poll\": \"1\"", WRITES ("4", "1", ", \"clat_ns\": " clat ", \"lat_ns\": " lat)) "]}"
  static const struct {
    const char *rule, *text;
    gboolean garbage;
  } row[] = {
    { "sqthread_poll before 3.36", SQPOLL ("fio-3.35", LATENCY ("4", "10", ""), LATENCY ("4", "20", "")), TRUE },
    { "from 3.36 on it is right", SQPOLL ("fio-3.36", LATENCY ("4", "10", ""), LATENCY ("4", "20", "")), FALSE },
    { "but a completion longer than the whole is not",
      SQPOLL ("fio-3.36", LATENCY ("4", "30", ""), LATENCY ("4", "20", "")), TRUE },
    { "an unknown version is taken as new", SQPOLL ("fio-git", LATENCY ("4", "10", ""), LATENCY ("4", "20", "")),
      FALSE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GPtrArray) groups = must_read (row[i].text);
    ROW_CHECK (((const Measurement *) groups->pdata[0])->clat_garbage == row[i].garbage, "%s", row[i].rule);
  }
}

static void test_refused (void)
{
  static const struct {
    const char *rule, *text, *message;
  } row[] = {
    { "no object", "nothing\n", "r.json:1: no JSON object" },
    { "cut off", "x\n{\n\"jobs\": [{", "r.json:2: a JSON object that does not end" },
    { "no jobs", "{\n\"fio version\": \"fio-3.33\"}", "r.json:1: no \"jobs\"" },
    { "no job in them", "{\n\"jobs\": []}", "0 jobs; expected 1 to 1024" },
    { "a job is an object", "{\n\"jobs\": [7]}", "job 0 is no object" },
    { "an option is a text", RESULT ("", JOB ("a", "0", "\"bs\": 4", "")), "option \"bs\": expected a text" },
    { "a job that failed", "{\n\"jobs\": [{\"jobname\": \"a\", \"error\": 28, \"job options\": {}}]}",
      "job \"a\" ended with error 28" },
    { "fio 2 counts in us", "{\n\"fio version\": \"fio-2.21\", \"jobs\": []}",
      "a result of fio-2.21; expected fio 3.0" },
    { "a rate is a number", RESULT ("", JOB ("a", "0", "", "\"total_ios\": 1, \"iops\": \"x\"")), "\"iops\": found" },
    { "the second job has its line", RESULT ("", JOB ("a", "0", "", "") ",\n" JOB ("b", "-1", "", "")),
      "r.json:6: \"groupid\": found -1" },
    { "percentiles have numbers as names",
      RESULT ("", JOB ("a", "0", "",
                       WRITES ("4", "1", ", \"clat_ns\": " LATENCY ("4", "1", ", \"percentile\": {\"x\": 1}")))),
      "percentile: found \"x\"" },
    { "percentiles ascend",
      RESULT ("",
              JOB ("a", "0", "",
                   WRITES ("4", "1", ", \"clat_ns\": " LATENCY ("4", "1", ", \"percentile\": {\"9\": 5, \"10\": 1}")))),
      "a smaller latency at a higher percentage" },
    { "bins have ns as names",
      RESULT ("",
              JOB ("a", "0", "", WRITES ("4", "1", ", \"clat_ns\": " LATENCY ("4", "1", ", \"bins\": {\"-1\": 1}")))),
      "bins: found \"-1\"" },
    { "bins are counted from 0 on",
      RESULT ("",
              JOB ("a", "0", "", WRITES ("4", "1", ", \"clat_ns\": " LATENCY ("4", "1", ", \"bins\": {\"1\": -1}")))),
      "\"1\": found -1" },
    { "nesting is bounded", "{\n\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1}", "nested more than 32 deep" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) groups = read_text (row[i].text, &error);
    ROW_CHECK (!groups && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message) && !strpbrk (error->message, "\033\n"),
               "%s: %s", row[i].rule, row_error (error));
  }
}

/* What old versions write for no samples is as if it were missing. */
static void test_not_finite (void)
{
  g_autoptr (GPtrArray) groups = must_read (RESULT (
      "\"rw\": \"nan\"",
      JOB ("a", "0", "",
           WRITES ("4", "1", ", \"clat_ns\": {\"min\": 18446744073709551615, \"mean\": -nan, \"stddev\": nan}"))));
  const Measurement *group = groups->pdata[0];
  g_autofree char *options = options_of (group, 0);
  CU_ASSERT_EQUAL (group->op[MEASURED_WRITE].clat.n, 0);
  CU_ASSERT_STRING_EQUAL (options, "a rw=nan"); /* not within a string */
}

static void test_workload (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) groups = must_read (RESULT (
      "\"size\": \"4m\", \"runtime\": \"500ms\"",
      JOB ("a", "0", "\"numjobs\": \"2\", \"rw\": \"randwrite\", \"invalidate\": \"0\"", WRITES ("5", "10", ""))));
  Workload *workload = measurement_workload (groups->pdata[0], -1, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (workload);
  CU_ASSERT (workload->jobs->len == 2 && workload->files->len == 2);
  const WorkloadJob *job = workload->jobs->pdata[1];
  CU_ASSERT (job->time_based && job->runtime == 500 * UR_MS && job->engine == APPLICATION_PSYNC && job->clone == 1);
  CU_ASSERT_EQUAL (((const WorkloadFile *) workload->files->pdata[0])->cache, CACHE_CLEAN);
  workload_free (workload);
}

void register_fio_result_tests (void)
{
  static CU_TestInfo tests[] = {
    { "options", test_options },       { "groups", test_groups },     { "latencies", test_latencies },
    { "merge", test_merge },           { "garbage", test_garbage },   { "refused", test_refused },
    { "not finite", test_not_finite }, { "workload", test_workload }, CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "fio_result", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
