/* Tests of src/output: escaping, numbers, tables, and the two report writers on a result filled in by hand. */
#include "model/kernel_version.h"
#include "src/output/description.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/report.h"
#include "src/output/text_table.h"
#include "tests/unit.h"
#include <CUnit/Basic.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Compares, says what differs, frees `got`. */
static void check_text (const char *row, char *got, const char *expected)
{
  if (g_strcmp0 (got, expected)) {
    fprintf (stderr, "\n  %s: got \"%s\", expected \"%s\"\n", row, got, expected);
    CU_FAIL ("text differs");
  } else {
    CU_PASS ("text");
  }
  g_free (got);
}

static void test_escape (void)
{
  static const struct {
    const char *row, *bytes;
    gssize len;
    const char *expected;
  } rows[] = {
    { "plain", "/data/file.0", -1, "/data/file.0" },
    { "empty", "", -1, "" },
    { "null", NULL, -1, "" },
    { "terminal escape", "a\033[31mred", -1, "a\\x1b[31mred" },
    { "newline and tab", "a\nb\tc\r", -1, "a\\nb\\tc\\r" },
    { "backslash", "a\\x1b", -1, "a\\\\x1b" },
    { "NUL inside", "a\0b", 3, "a\\x00b" },
    { "not UTF-8", "a\xff\xc3(", -1, "a\\xff\\xc3(" },
    { "cut UTF-8", "a\xe2\x82", -1, "a\\xe2\\x82" },
    { "UTF-8 kept", "\xc3\xa4\xe2\x82\xac", -1, "\xc3\xa4\xe2\x82\xac" },
    { "C1 control",
      "a\xc2\x9b"
      "31m",
      -1, "a\\x9b31m" },
    { "right-to-left override",
      "a\xe2\x80\xae"
      "b",
      -1, "a\\u{202e}b" },
    { "zero width no-break space",
      "\xef\xbb\xbf"
      "x",
      -1, "\\u{feff}x" },
    { "length respected", "abcdef", 3, "abc" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    check_text (rows[i].row, escape_text (rows[i].bytes, rows[i].len), rows[i].expected);
  }
  check_text ("short fits", escape_text_short ("abcdefgh", -1, 8), "abcdefgh");
  check_text ("short cut", escape_text_short ("abcdefghijklmnop", -1, 11), "abcd...mnop");
}

static void test_format (void)
{
  check_text ("ns", format_time (0), "0 ns");
  check_text ("ns rounds", format_time (999.4), "999 ns");
  check_text ("us", format_time (1234), "1.23 us");
  check_text ("us two", format_time (39149), "39.1 us");
  check_text ("us three", format_time (391490), "391 us");
  check_text ("ms edge", format_time (999600), "1.00 ms");
  check_text ("s", format_time (3e9), "3.00 s");
  check_text ("long", format_time (3e12), "3000 s");
  check_text ("not a number", format_time (NAN), "-");
  check_text ("count", format_count (0), "0");
  check_text ("count 3", format_count (999), "999");
  check_text ("count 4", format_count (1234567), "1,234,567");
  check_text ("count max", format_count (UINT64_MAX), "18,446,744,073,709,551,615");
  check_text ("rate", format_rate (560123), "560 k");
  check_text ("rate M", format_rate (1234567), "1.23 M");
  check_text ("rate small", format_rate (87.25), "87.2");
  check_text ("rate plain", format_rate (1532), "1.53 k");
  check_text ("share", format_share (0.4816), "48.2 %");
  check_text ("error", format_error (-0.031), "-3.1 %");
  check_text ("error plus", format_error (0.5), "+50.0 %");
  check_text ("bytes", format_bytes (4096), "4 KiB");
  check_text ("bytes MiB", format_bytes (17301504.0), "16.5 MiB");
  check_text ("kernel", format_kernel (KERNEL (6, 18)), "6.18");
  check_text ("ratio", format_ratio (1.8512, 0.0234), "1.851 +-0.023");
  check_text ("ratio alone", format_ratio (1.8512, -1), "1.851");
}

static void test_table (void)
{
  g_autoptr (TextTable) table = text_table_new ("lrl");
  GString *out = g_string_new (NULL);

  text_table_header (table, "name", "n", "empty", NULL);
  text_table_add (table, "a");
  text_table_add (table, "1");
  text_table_add (table, "");
  text_table_add (table, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
  text_table_add (table, "100");
  text_table_add (table, "");
  text_table_print (table, 2, out);
  CU_ASSERT_EQUAL (text_table_rows (table), 2);
  CU_ASSERT_EQUAL (text_table_width (table), 10);
  check_text ("table", g_string_free (out, FALSE),
              "  name     n\n"
              "  ----------\n"
              "  a        1\n"
              "  \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4  100\n");
}

/* ---- a result with a known value everywhere ---- */

static RunResult *result_new (const char *policy, const char *engine, uint64_t ios)
{
  RunResult *result = g_new0 (RunResult, 1);
  ResultOp *ops[] = { &result->all,   &result->op[0], &result->op[1], &result->op[2],
                      &result->op[3], &result->op[4], &result->op[5] };

  for (unsigned i = 0; i < G_N_ELEMENTS (ops); i++) {
    ur_histogram_init (&ops[i]->slat);
    ur_histogram_init (&ops[i]->clat);
    ur_histogram_init (&ops[i]->lat);
  }
  g_strlcpy (result->policy, policy, sizeof result->policy);
  g_strlcpy (result->engine, engine, sizeof result->engine);
  g_strlcpy (result->machine, "generic-8cpu", sizeof result->machine);
  g_strlcpy (result->fs, "ext4", sizeof result->fs);
  result->kernel = KERNEL (6, 3);
  result->seed = 1;
  result->cpus = 8;
  result->ios = ios;
  result->bytes = ios * 4096;
  result->sim_ns = result->measured_ns = ios * 2500;
  result->iops = 400000;
  result->bw_bytes = 400000.0 * 4096;
  for (uint64_t i = 0; i < ios; i++) {
    ur_histogram_record (&result->all.slat, 1000 + i);
    ur_histogram_record (&result->all.clat, 20000 + i);
    ur_histogram_record (&result->all.lat, 21000 + i);
  }
  result->all.ios = ios;
  result->all.bytes = result->bytes;
  result->op[IO_WRITE] = result->all;
  result->outcome[OUTCOME_PUNTED_HASHED] = ios;
  for (int i = 0; i < PHASES; i++) {
    result->phase[i].mean = 1000.0 * (i + 1);
    result->phase[i].n = ios;
  }
  result->workers.created = 2;
  result->workers.max_alive = 2;
  result->workers.mean_running = 0.9;
  result->context_switches = ios / 2;
  result->wakeups = ios / 4;
  result->n_locks = 1;
  result->lock = g_new0 (ResultLock, 1);
  g_strlcpy (result->lock->name, "inode:0", sizeof result->lock->name);
  result->lock->acquired = ios;
  result->lock->contended = ios / 2;
  result->lock->wait_total = ios * 700;
  result->lock->wait_max = 9000;
  result->lock->spin_ns = ios * 500;
  result->lock->hold_ns = ios * 1500;
  result->lock->cpu_share_contention = 0.48;
  result->cpu.busy = 0.25;
  result->cpu.idle = 0.75;
  result->cpu.app = 0.1;
  result->cpu.workers = 0.15;
  result->events = 12345;
  result->wall_s = 0.5;
  result->notes = g_ptr_array_new_with_free_func (g_free);
  return result;
}

static const char hostile[] = "trace\033[2J\"<name>\n";

typedef struct {
  Workload *workload;
  Machine machine;
  GPtrArray *notes;
  ReportRun runs[2];
  Report report;
} Sample;

static Sample *sample_new (uint64_t ios)
{
  Sample *sample = g_new0 (Sample, 1);

  sample->workload = workload_new ();
  sample->workload->source_name = g_strdup (hostile);
  sample->workload->format = g_strdup ("iolog-v3");
  g_ptr_array_add (sample->workload->ignored_options, g_strdup ("norandommap"));
  sample->machine = (Machine){ .name = (char *) "generic-8cpu", .evidence = (char *) "assumed" };
  sample->notes = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (sample->notes, g_strdup (hostile));
  sample->runs[0] = (ReportRun){ .result = result_new ("linux-6.3", "io_uring", ios),
                                 .metric = { [METRIC_IOPS] = { 400000, 1000, 8 }, [METRIC_CLAT] = { 20000, 10, 8 } },
                                 .ratio = { 1.5, 0.01, 8 },
                                 .ratio_to = "psync" };
  sample->runs[1] = (ReportRun){ .result = result_new ("psync", "psync", ios),
                                 .baseline = TRUE,
                                 .metric = { [METRIC_IOPS] = { NAN, -1, 1 } },
                                 .ratio = { 1, 0, 8 },
                                 .ratio_to = "psync" };
  sample->report = (Report){ .command = "compare",
                             .seed = 7,
                             .reps = 8,
                             .workload = sample->workload,
                             .machine = &sample->machine,
                             .notes = sample->notes,
                             .n_runs = 2,
                             .runs = sample->runs };
  return sample;
}

static void sample_free (Sample *sample)
{
  run_result_free ((RunResult *) sample->runs[0].result);
  run_result_free ((RunResult *) sample->runs[1].result);
  g_ptr_array_unref (sample->notes);
  workload_free (sample->workload);
  g_free (sample);
}

/* Names of an object's members in order, joined by blanks. (transfer full) */
static char *member_names (JsonObject *object)
{
  g_autoptr (GList) members = json_object_get_members (object);
  GString *names = g_string_new (NULL);

  for (const GList *item = members; item; item = item->next) {
    g_string_append_printf (names, "%s%s", names->len ? " " : "", (const char *) item->data);
  }
  return g_string_free (names, FALSE);
}

static void check_prefix (const char *row, char *got, const char *prefix)
{
  if (!g_str_has_prefix (got, prefix)) {
    fprintf (stderr, "\n  %s: got \"%s\", expected it to begin with \"%s\"\n", row, got, prefix);
    CU_FAIL ("member order");
  } else {
    CU_PASS ("member order");
  }
  g_free (got);
}

static JsonParser *parse (const char *text)
{
  JsonParser *parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  if (!json_parser_load_from_data (parser, text, -1, &error)) {
    fprintf (stderr, "\n  %s\n", error->message);
    CU_FAIL_FATAL ("not JSON");
  }
  return parser;
}

static void test_json_report (void)
{
  Sample *sample = sample_new (256);
  g_autofree char *text = json_report (&sample->report);
  g_autoptr (JsonParser) parser = parse (text);
  JsonObject *top = json_node_get_object (json_parser_get_root (parser));
  JsonArray *runs = json_object_get_array_member (top, "runs");
  JsonObject *run = json_array_get_object_element (runs, 0);
  JsonObject *clat = json_object_get_object_member (run, "clat_ns");

  check_prefix ("top", member_names (top), "uringsim seed runs");
  check_prefix ("run", member_names (run),
                "policy engine machine fs ios iops bw_bytes sim_ns slat_ns clat_ns lat_ns ops "
                "outcome workers context_switches wakeups locks cpu sim kernel locks_left_out ratio");
  check_prefix ("histogram", member_names (clat), "mean stddev min max percentiles");
  check_prefix ("percentiles of 256 samples", member_names (json_object_get_object_member (clat, "percentiles")),
                "50 90 95 99");
  CU_ASSERT_FALSE (json_object_has_member (json_object_get_object_member (clat, "percentiles"), "99.9"));
  check_text ("ops", member_names (json_object_get_object_member (run, "ops")), "write");
  check_text ("outcome", member_names (json_object_get_object_member (run, "outcome")),
              "inline punted_hashed punted_unhashed async failed");
  check_prefix ("workers", member_names (json_object_get_object_member (run, "workers")), "created max_alive");
  check_prefix ("lock", member_names (json_array_get_object_element (json_object_get_array_member (run, "locks"), 0)),
                "name acquired contended wait_ns spin_ns hold_ns slowpath_ns cpu_share_spinning cpu_share_contention");
  check_text ("cpu", member_names (json_object_get_object_member (run, "cpu")),
              "count busy idle spin app sq_thread workers flusher irq");
  check_text ("ratio", member_names (json_object_get_object_member (run, "ratio")), "to mean ci95 reps");
  CU_ASSERT_EQUAL (json_object_get_int_member (run, "ios"), 256);
  CU_ASSERT_EQUAL (json_object_get_int_member (top, "seed"), 7);
  CU_ASSERT_EQUAL (json_object_get_int_member (json_object_get_object_member (run, "outcome"), "punted_hashed"), 256);
  CU_ASSERT_DOUBLE_EQUAL (json_object_get_double_member (clat, "mean"), 20127.5, 1e-6);
  /* What is no number is null, foreign bytes survive as a string, and there is no timing unless asked for. */
  JsonObject *second = json_array_get_object_element (runs, 1);
  CU_ASSERT_TRUE (json_object_get_null_member (
      json_object_get_object_member (json_object_get_object_member (second, "over_seeds"), "iops"), "mean"));
  CU_ASSERT_STRING_EQUAL (json_object_get_string_member (top, "workload"), hostile);
  CU_ASSERT_PTR_NULL (strchr (text, '\033'));
  CU_ASSERT_FALSE (json_object_has_member (run, "timing"));
  sample_free (sample);
}

static void test_json_timing (void)
{
  Sample *sample = sample_new (100000);

  sample->report.timing = TRUE;
  g_autofree char *text = json_report (&sample->report);
  g_autoptr (JsonParser) parser = parse (text);
  JsonObject *top = json_node_get_object (json_parser_get_root (parser));
  JsonObject *run = json_array_get_object_element (json_object_get_array_member (top, "runs"), 0);
  check_text ("timing", member_names (json_object_get_object_member (run, "timing")), "wall_s ios_per_wall_s");
  check_text (
      "all percentiles",
      member_names (json_object_get_object_member (json_object_get_object_member (run, "lat_ns"), "percentiles")),
      "50 90 95 99 99.9 99.99");
  sample_free (sample);
}

static void check_lines (const char *text, unsigned limit)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (char **line = lines; *line; line++) {
    if (g_utf8_strlen (*line, -1) > (glong) limit) {
      fprintf (stderr, "\n  longer than %u columns: %s\n", limit, *line);
      CU_FAIL ("line too long");
    }
    if (g_str_has_suffix (*line, " ")) {
      fprintf (stderr, "\n  blanks at the end: \"%s\"\n", *line);
      CU_FAIL ("trailing blanks");
    }
  }
  CU_PASS ("lines");
}

static void test_text_report (void)
{
  Sample *sample = sample_new (256);
  g_autofree char *text = text_report (&sample->report);

  check_lines (text, 100);
  CU_ASSERT_PTR_NULL (strchr (text, '\033'));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "trace\\x1b[2J\"<name>\\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "1.500 +-0.010"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "psync (baseline)"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "inode:0"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "norandommap"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "48.0 %"));
  CU_ASSERT_PTR_NULL (strstr (text, "INTERRUPTED"));
  sample->report.interrupted = TRUE;
  g_autofree char *partial = text_report (&sample->report);
  CU_ASSERT_PTR_NOT_NULL (strstr (partial, "INTERRUPTED"));
  sample_free (sample);
}

/* A 99th percentile of 20 samples would be a guess: "-". */
static void test_text_run (void)
{
  Sample *sample = sample_new (20);

  sample->report.command = "run";
  sample->report.n_runs = 1;
  sample->report.timing = TRUE;
  g_autofree char *text = text_report (&sample->report);
  check_lines (text, 100);
  const char *row = strstr (text, "  write  clat");
  CU_ASSERT_PTR_NOT_NULL_FATAL (row);
  g_autofree char *line = g_strndup (row, strcspn (row, "\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (line, " -  "));
  CU_ASSERT_PTR_NOT_NULL (strstr (line, "20.0 us"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "over 8 seeds"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "Speed of the simulation"));
  sample_free (sample);
}

static void test_reproduction (void)
{
  Sample *sample = sample_new (256);
  char *no_set[] = { NULL }, *set[] = { (char *) "CPU.Syscall=900", NULL };
  ExperimentRow rows[] = {
    { .name = (char *) "many",
      .policy = (char *) "linux-6.3",
      .fs = (char *) "ext4",
      .set = no_set,
      .left_out_error = -0.123 },
    { .name = (char *) "two", .policy = (char *) "psync", .fs = (char *) "xfs", .set = set, .left_out_error = NAN },
  };
  ExperimentRatio ratios[] = {
    { (char *) "two / many", 1, { 1 }, 1, { 0 }, METRIC_IOPS, METRIC_IOPS, 1.85, 0.25, 1.3875, 2.3125 },
    { (char *) "wrong", 1, { 0 }, 1, { 1 }, METRIC_IOPS, METRIC_IOPS, 1.85, 0.25, 1.3875, 2.3125 },
    { (char *) "said", 1, { 0 }, 0, { 0 }, METRIC_CLAT, METRIC_CLAT, -1, -1, 4, INFINITY },
  };
  const ReportRatio got[] = { { 1.9, 0.02, 0.027, TRUE, FALSE },
                              { 0.9, 0.02, -0.51, FALSE, TRUE },
                              { 5, -1, NAN, TRUE, FALSE } };
  const Experiment experiment = { .name = (char *) "some-experiment",
                                  .title = (char *) "A title",
                                  .source = (char *) "a mail",
                                  .machine = (char *) "m",
                                  .fitted = no_set,
                                  .stated = set,
                                  .n_rows = 2,
                                  .rows = rows,
                                  .n_ratios = 3,
                                  .ratios = ratios };
  const ReportExperiment report = {
    .experiment = &experiment, .machine = &sample->machine, .reps = 8, .rows = sample->runs, .ratios = got
  };
  const ReportSpread spread = { (char *) "CPU.Syscall", 200, 900, "some-experiment", "another" };
  for (unsigned i = 0; i < METRICS_N; i++) {
    rows[0].published[i] = rows[1].published[i] = EXPERIMENT_UNSET;
  }
  rows[0].published[METRIC_IOPS] = 200000;
  rows[0].published[METRIC_CPU_SHARE_CONTENTION] = 0.5;
  const ReportReproduction total = { .seed = 1,
                                     .n_spreads = 1,
                                     .spreads = &spread,
                                     .n_experiments = 1,
                                     .experiments = &report,
                                     .ratios = 2,
                                     .ok = 1,
                                     .within_quarter = 1,
                                     .wrong_side = 1 };
  g_autofree char *text = text_report_reproduction (&total);
  g_autofree char *json = json_report_reproduction (&total);
  g_autoptr (JsonParser) parser = parse (json);
  JsonObject *top = json_node_get_object (json_parser_get_root (parser));
  JsonObject *first = json_array_get_object_element (json_object_get_array_member (top, "experiments"), 0);
  JsonObject *row = json_array_get_object_element (json_object_get_array_member (first, "rows"), 0);
  JsonObject *ratio = json_array_get_object_element (json_object_get_array_member (first, "ratios"), 0);

  check_lines (text, 100);
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "WRONG SIDE of 1"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "2 ratios: 1 within their tolerance, 1 within 25 %, 1 on the wrong side of 1"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "CPU share on locks"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "file system ext4, xfs"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "-12.3 %"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "in words"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, ">= 4.000"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "Set for two: CPU.Syscall=900"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "CPU.Syscall    200  some-experiment   900  another     4.5"));
  check_prefix ("experiment", member_names (first), "name source machine rows ratios ok");
  check_prefix ("row", member_names (row), "name policy engine published simulated");
  check_text ("published", member_names (json_object_get_object_member (row, "published")),
              "iops cpu_share_contention");
  check_prefix ("simulated", member_names (json_object_get_object_member (row, "simulated")), "iops");
  check_prefix ("ratio", member_names (ratio), "name published simulated tolerance ok");
  check_prefix ("summary", member_names (json_object_get_object_member (top, "summary")), "ratios ok wrong_side");
  sample_free (sample);
}

static void test_description (void)
{
  g_autoptr (Description) description = description_new ("machine");

  description_field (description, "name", "a\033b");
  description_field (description, "absent", NULL);
  description_table (description, "costs", "key ns#");
  description_cell (description, "CPU.Syscall");
  description_cell (description, "600");
  description_cell (description, "CPU.Noise");
  description_cell (description, "0.15");
  check_text ("text", description_text (description),
              "name  a\\x1bb\n"
              "\ncosts\n"
              "  key            ns\n"
              "  CPU.Syscall   600\n"
              "  CPU.Noise    0.15\n");
  g_autofree char *json = description_json (description);
  g_autoptr (JsonParser) parser = parse (json);
  JsonObject *top = json_node_get_object (json_parser_get_root (parser));
  JsonObject *machine = json_object_get_object_member (top, "machine");
  JsonArray *costs = json_object_get_array_member (machine, "costs");
  CU_ASSERT_EQUAL (json_object_get_int_member (json_array_get_object_element (costs, 0), "ns"), 600);
  CU_ASSERT_DOUBLE_EQUAL (json_object_get_double_member (json_array_get_object_element (costs, 1), "ns"), 0.15, 1e-12);
}

void register_output_tests (void)
{
  CU_pSuite suite = CU_add_suite ("output", NULL, NULL);

  CU_add_test (suite, "escaping", test_escape);
  CU_add_test (suite, "numbers", test_format);
  CU_add_test (suite, "tables", test_table);
  CU_add_test (suite, "JSON: keys, order, no NaN", test_json_report);
  CU_add_test (suite, "JSON: timing and percentiles", test_json_timing);
  CU_add_test (suite, "text: comparison", test_text_report);
  CU_add_test (suite, "text: one run", test_text_run);
  CU_add_test (suite, "reproduction", test_reproduction);
  CU_add_test (suite, "descriptions", test_description);
}
