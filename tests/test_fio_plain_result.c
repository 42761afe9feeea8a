/*
 * Results of fio that are no JSON: beside the JSON of the same run, and broken ones.
 */
#include "src/input/fio_plain_result.h"
#include "src/input/fio_result.h"
#include "src/input/input.h"
#include "tests/row.h"
#include <math.h>
#include <string.h>

typedef GPtrArray *(*Reader) (ByteSource *source, GError **error);

static GPtrArray *read_sample (const char *name, Reader reader)
{
  g_autofree char *path = g_build_filename (TEST_DATA_DIR, "results", name, NULL);
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_open (path, &error);
  GPtrArray *groups = source ? reader (source, &error) : NULL;
  ROW_CHECK (groups, "%s: %s", name, row_error (error));
  byte_source_unref (source);
  return groups;
}

static gboolean near (double found, double expected, double relative, double absolute)
{
  return fabs (found - expected) <= absolute + relative * fabs (expected);
}

/* `unit`: ns of the last digit of latencies. */
static void check_latency (const char *what, const MeasuredLatency *found, const MeasuredLatency *expected, double unit)
{
  ROW_CHECK (
      near (found->mean, expected->mean, 0.0001, unit / 100) && near (found->stddev, expected->stddev, 0.001, unit),
      "%s: mean %g for %g, deviation %g for %g", what, found->mean, expected->mean, found->stddev, expected->stddev);
  ROW_CHECK (near ((double) found->min, (double) expected->min, 0.001, unit) &&
                 near ((double) found->max, (double) expected->max, 0.001, unit),
             "%s: %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, what, found->min, found->max);
  unsigned compared = 0;
  for (unsigned i = 0; found->percentile && expected->percentile && i < found->percentile->len; i++) {
    const MeasuredPercentile *row = &g_array_index (found->percentile, MeasuredPercentile, i);
    for (unsigned k = 0; k < expected->percentile->len; k++) {
      const MeasuredPercentile *other = &g_array_index (expected->percentile, MeasuredPercentile, k);
      if (row->percent == other->percent) {
        compared++;
        ROW_CHECK (near ((double) row->ns, (double) other->ns, 0.001, unit), "%s: p%g %" G_GUINT64_FORMAT, what,
                   row->percent, row->ns);
      }
    }
  }
  ROW_CHECK (!expected->percentile || !expected->percentile->len || compared >= 5, "%s: %u percentiles", what,
             compared);
}

static void check_op (const char *name, unsigned group, unsigned direction, const MeasuredOp *found,
                      const MeasuredOp *expected, double unit)
{
  g_autofree char *what =
      g_strdup_printf ("%s: group %u, %s", name, group, measured_direction_name ((MeasuredDirection) direction));
  /* Terse IOPS are whole numbers, and I/Os are not counted; the text has four figures of bandwidth. */
  ROW_CHECK (near (found->iops, expected->iops, 0, 1) && near (found->bw_bytes, expected->bw_bytes, 0.005, 1024),
             "%s: %g IOPS for %g, %g for %g", what, found->iops, expected->iops, found->bw_bytes, expected->bw_bytes);
  ROW_CHECK (near ((double) found->ios, (double) expected->ios, 0.001, 1), "%s: %" G_GUINT64_FORMAT " I/Os", what,
             found->ios);
  if (expected->ios) {
    check_latency (what, &found->slat, &expected->slat, unit);
    check_latency (what, &found->clat, &expected->clat, unit);
    check_latency (what, &found->lat, &expected->lat, unit);
  }
}

static void test_same_run (void)
{
  static const struct {
    const char *name, *json;
    Reader reader;
    double unit;
  } row[] = {
    { "v2.terse", "v2.json", fio_terse_read, 1000 },  { "v3.terse", "v3.json", fio_terse_read, 1000 },
    { "v4.terse", "v4.json", fio_terse_read, 1000 },  { "v5.terse", "v5.json", fio_terse_read, 1000 },
    { "normal.txt", "v3.json", fio_text_read, 1000 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GPtrArray) found = read_sample (row[i].name, row[i].reader);
    g_autoptr (GPtrArray) json = read_sample (row[i].json, fio_results_read);
    if (!found || !json || !ROW_CHECK (found->len == json->len, "%s: %u groups", row[i].name, found->len)) {
      continue;
    }
    for (unsigned k = 0; k < json->len; k++) {
      const Measurement *a = found->pdata[k], *b = json->pdata[k];
      ROW_CHECK (!strcmp (a->name, b->name) && a->has_ops && a->sections->len == 0, "%s: name %s", row[i].name,
                 a->name);
      ROW_CHECK (!g_strcmp0 (a->version, !strcmp (row[i].name, "v2.terse") ? NULL : "fio-3.33"), "%s: version %s",
                 row[i].name, a->version);
      for (unsigned direction = 0; direction < MEASURED_DIRECTIONS; direction++) {
        check_op (row[i].name, k, direction, &a->op[direction], &b->op[direction], row[i].unit);
      }
    }
  }
}

/* The counts of the rows, added up by another program. */
static void test_hist_logs (void)
{
  static const struct {
    const char *name;
    uint64_t reads, writes;
    double iops_reads, mean;
    uint64_t min;
  } row[] = {
    { "hist0_clat_hist.1.log.gz", 62, 65, 62 / 0.012, 105946.83870967742, 48896 },
    { "hist3_clat_hist.1.log", 144, 138, 144 / 0.017, 86524.44444444444, 70144 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GPtrArray) groups = read_sample (row[i].name, fio_hist_log_read);
    if (groups) {
      const Measurement *group = groups->pdata[0];
      const MeasuredOp *reads = &group->op[MEASURED_READ], *writes = &group->op[MEASURED_WRITE];
      ROW_CHECK (reads->ios == row[i].reads && reads->clat.bins->n == row[i].reads && writes->ios == row[i].writes,
                 "%s: %" G_GUINT64_FORMAT " reads, %" G_GUINT64_FORMAT " writes", row[i].name, reads->ios, writes->ios);
      ROW_CHECK (near (reads->iops, row[i].iops_reads, 0.001, 0), "%s: %g", row[i].name, reads->iops);
      ROW_CHECK (near (reads->clat.mean, row[i].mean, 1e-6, 0) && reads->clat.min == row[i].min,
                 "%s: min %" G_GUINT64_FORMAT ", mean %g", row[i].name, reads->clat.min, reads->clat.mean);
    }
  }
}

/* One count in one column: which latency, with which coarseness, of which fio. */
static void test_hist_bins (void)
{
  static const struct {
    const char *rule;
    unsigned columns, column;
    uint64_t ns;
  } row[] = {
    { "below 128 ns exactly", 1856, 100, 100 },
    { "above, the middle of the bin", 1856, 128, 129 },
    { "the last bin", 1856, 1855, ((uint64_t) 127 << 27) + ((uint64_t) 1 << 26) },
    { "two bins in one: the upper one stands for both", 928, 50, 101 },
    { "microseconds before 3.0", 1216, 100, 100 * 1000 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    GString *text = g_string_new ("7, 1, 4096");
    g_autoptr (GError) error = NULL;
    for (unsigned k = 0; k < row[i].columns; k++) {
      g_string_append (text, k == row[i].column ? ", 3" : ", 0");
    }
    ByteSource *source = byte_source_new_from_memory ("m", text->str, text->len, NULL);
    g_autoptr (GPtrArray) groups = fio_hist_log_read (source, &error);
    if (ROW_CHECK (groups, "%s: %s", row[i].rule, row_error (error))) {
      const MeasuredOp *op = &((const Measurement *) groups->pdata[0])->op[MEASURED_WRITE];
      ROW_CHECK (op->ios == 3 && op->clat.min == row[i].ns && op->clat.bins->bin[ur_histogram_bin_of (row[i].ns)] == 3,
                 "%s: %" G_GUINT64_FORMAT, row[i].rule, op->clat.min);
    }
    byte_source_unref (source);
    g_string_free (text, TRUE);
  }
}

/* ---- broken ones ---- */

/* The first line of a sample with the field number `field` (from 0) replaced; -1: none. */
static char *changed_line (const char *name, int field, const char *by)
{
  g_autofree char *path = g_build_filename (TEST_DATA_DIR, "results", name, NULL);
  g_autofree char *text = NULL;
  CU_ASSERT_FATAL (g_file_get_contents (path, &text, NULL, NULL));
  *strchr (text, '\n') = '\0';
  g_auto (GStrv) fields = g_strsplit (text, ";", -1);
  if (field >= 0) {
    g_free (fields[field]);
    fields[field] = g_strdup (by);
  }
  return g_strjoinv (";", fields);
}

static void test_terse_lines (void)
{
  static const struct {
    const char *rule;
    int field;
    const char *by, *name, *message; /* name NULL: refused */
  } row[] = {
    { "as it is", -1, NULL, "mixed", NULL },
    { "semicolons in the name", 2, "a;b;;c", "a;b;;c", NULL },
    { "an empty name", 2, "", "job", NULL },
    { "a name that looks like numbers", 2, "3;4", "3;4", NULL },
    { "a job that failed", 4, "5", NULL, "m:1: job \"mixed\" ended with error 5" },
    { "a group that is no number", 3, "x", NULL, "m:1: job \"mixed\": expected numbers of group and error" },
    { "IOPS that are no number", 7, "many", NULL, "m:1: field 8 is \"many\"; expected a number" },
    { "negative bandwidth", 6, "-5", NULL, "m:1: field 7 is \"-5\"" },
    { "a latency that is none", 15, "nan", NULL, "m:1: field 16 is \"nan\"; expected microseconds" },
    { "percentiles that go back", 20, "1.000000%=9", NULL, "m:1: field 21: percentile 1.000000 does not ascend" },
    { "a percentile is missing: no such line", 20, "x", NULL, "m: no terse line of fio" },
    { "another version", 0, "6", NULL, "m: no terse line of fio" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = changed_line ("v3.terse", row[i].field, row[i].by);
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m", text, strlen (text), NULL);
    g_autoptr (GPtrArray) groups = fio_terse_read (source, &error);
    if (row[i].message) {
      ROW_CHECK (!groups && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    } else if (ROW_CHECK (groups, "%s: %s", row[i].rule, row_error (error))) {
      const Measurement *group = groups->pdata[0];
      ROW_CHECK (!strcmp (group->name, row[i].name) && group->op[MEASURED_READ].ios, "%s: %s", row[i].rule,
                 group->name);
    }
    byte_source_unref (source);
  }
}

#define ENTRY "j: (groupid=0, jobs=1): err= 0: pid=1: now\n"
#define READS "  read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(40.0KiB/1msec)\n"
#define ISSUED "     issued rwts: total=10,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"

static void test_text_lines (void)
{
  static const struct {
    const char *rule, *text;
    double iops, mean;
    const char *message;
  } row[] = {
    { "IOPS by I/Os and time", ENTRY READS ISSUED, 10000, 0, NULL },
    { "IOPS as printed where they do not fit", ENTRY "  read: IOPS=12.3M, BW=1GiB/s (1GB/s)(40.0KiB/1msec)\n" ISSUED,
      12.3e6, 0, NULL },
    { "units of latency, letters for powers of 1000",
      ENTRY READS "    clat (msec): min=1, max=2k, avg=1.5k, stdev=.1\n" ISSUED, 10000, 1.5e9, NULL },
    { "a second job of the group is added", ENTRY READS ISSUED ENTRY READS ISSUED, 20000, 0, NULL },
    { "what is behind the jobs does not count", ENTRY READS ISSUED "Run status group 0 (all jobs):\n" READS, 10000, 0,
      NULL },
    { "latencies of syncs are no reads'",
      ENTRY READS "  fsync/fdatasync/sync_file_range:\n    clat (usec): min=1, max=2, avg=9, stdev=1\n" ISSUED, 10000,
      0, NULL },
    { "a job that failed", "j: (groupid=0, jobs=1): err= 5 (file:x): pid=1\n", 0, 0,
      "m:1: job \"j\" ended with error 5" },
    { "text of fio 2", ENTRY "  read : io=40KB, bw=39KB/s, iops=10000, runt= 1msec\n", 0, 0,
      "m:2: text of a fio before 3.0" },
    { "IOPS that are none", ENTRY "  read: IOPS=many, BW=1MiB/s\n", 0, 0, "m:2: found \"read: IOPS=many" },
    { "a bandwidth that is none", ENTRY "  read: IOPS=1, BW=1\n", 0, 0, "m:2: found" },
    { "percentiles that go back", ENTRY READS "    clat percentiles (usec):\n     |  1.00th=[    9],  5.00th=[    7]\n",
      0, 0, "m:4: found" },
    { "totals that are none", ENTRY READS "     issued rwts: total=x\n", 0, 0, "m:3: found" },
    { "no job", "fio-3.33\n", 0, 0, "m: no result in the text" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m", row[i].text, strlen (row[i].text), NULL);
    g_autoptr (GPtrArray) groups = fio_text_read (source, &error);
    if (row[i].message) {
      ROW_CHECK (!groups && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    } else if (ROW_CHECK (groups && groups->len == 1, "%s: %s", row[i].rule, row_error (error))) {
      const MeasuredOp *op = &((const Measurement *) groups->pdata[0])->op[MEASURED_READ];
      ROW_CHECK (near (op->iops, row[i].iops, 1e-9, 0) && near (op->clat.mean, row[i].mean, 1e-9, 0), "%s: %g, %g",
                 row[i].rule, op->iops, op->clat.mean);
    }
    byte_source_unref (source);
  }
}

static void test_hist_lines (void)
{
  static const struct {
    const char *rule, *text, *message;
  } row[] = {
    { "too few columns", "1, 0, 4096, 1, 2\n", "m:1: 5 columns; expected 3 and 1856 counts" },
    { "no number", "1, 0, x\n", "m:1: found something else than numbers and commas" },
    { "an empty column", "1,, 0\n", "m:1: found no number between two commas" },
    { "two numbers without a comma", "1 2, 0\n", "m:1: found something else" },
    { "a number beyond 2^64", "18446744073709551616, 0\n", "m:1: a number that passes 2^64-1" },
    { "no row", "\n\n", "no row" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m", row[i].text, strlen (row[i].text), NULL);
    g_autoptr (GPtrArray) groups = fio_hist_log_read (source, &error);
    ROW_CHECK (!groups && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    byte_source_unref (source);
  }
}

static void test_kinds (void)
{
  static const struct {
    const char *name;
    InputKind kind;
  } row[] = {
    { "v2.terse", INPUT_FIO_TERSE },
    { "v5.terse", INPUT_FIO_TERSE },
    { "normal.txt", INPUT_FIO_TEXT },
    { "v3.json", INPUT_FIO_JSON },
    { "hist0_clat_hist.1.log.gz", INPUT_FIO_HIST_LOG },
    { "jobs.fio", INPUT_FIO_JOB },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *path = g_build_filename (TEST_DATA_DIR, "results", row[i].name, NULL);
    ByteSource *source = byte_source_open (path, NULL);
    const InputKind kind = source ? input_detect (source, NULL) : INPUT_UNKNOWN;
    ROW_CHECK (kind == row[i].kind, "%s: %s", row[i].name, input_kind_name (kind));
    byte_source_unref (source);
  }
}

void register_fio_plain_result_tests (void);
void register_fio_plain_result_tests (void)
{
  static CU_TestInfo tests[] = {
    { "beside the JSON of the same run", test_same_run },
    { "logs of histograms", test_hist_logs },
    { "bins of histograms", test_hist_bins },
    { "terse lines", test_terse_lines },
    { "lines of text", test_text_lines },
    { "broken logs of histograms", test_hist_lines },
    { "detection", test_kinds },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "fio_plain_result", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
