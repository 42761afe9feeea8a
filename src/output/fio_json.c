/*
 * A report as fio's JSON: what `fio --output-format=json` (or json+) of 3.33 writes, so that whatever reads that reads
 * this. Each run is a job; what fio has no word for is under "uringsim".  Integers are integers, other numbers have six
 * decimals, directions without requests are there with zeros.  What a simulation does not have (page faults, wall-clock
 * time, samples of bandwidth, shares of depths) is 0; "uringsim": {"not_recorded": [...]} lists it.
 */
#include "src/output/fio_json.h"

#include "src/output/format.h"
#include "src/version.h"

#include <json-glib/json-glib.h>
#include <math.h>

/* fio's own list, as it prints them. */
static const double percents[] = { 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99 };

/* ---- a writer of members ---- */

typedef struct {
  GString *out;
  unsigned depth;
  gboolean first; /* of its object or array */
} Writer;

static void next_member (Writer *w, const char *name)
{
  g_string_append_printf (w->out, "%s\n%*s", w->first ? "" : ",", (int) w->depth * 2, "");
  w->first = FALSE;
  if (name) {
    g_string_append_printf (w->out, "\"%s\" : ", name);
  }
}

static void open (Writer *w, const char *name, char bracket)
{
  next_member (w, name);
  g_string_append_c (w->out, bracket);
  w->depth++;
  w->first = TRUE;
}

static void shut (Writer *w, char bracket)
{
  w->depth--;
  g_string_append_printf (w->out, "\n%*s%c", (int) w->depth * 2, "", bracket);
  w->first = FALSE;
}

static void put_int (Writer *w, const char *name, uint64_t value)
{
  next_member (w, name);
  g_string_append_printf (w->out, "%" G_GUINT64_FORMAT, value);
}

static void put_float (Writer *w, const char *name, double value)
{
  g_autofree char *text = format_fixed (isfinite (value) ? value : 0, 6);

  next_member (w, name);
  g_string_append (w->out, text);
}

static void put_string (Writer *w, const char *name, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  JsonNode *node = json_node_init_string (json_node_alloc (), valid);
  g_autofree char *text = json_to_string (node, FALSE);

  json_node_unref (node);
  next_member (w, name);
  g_string_append (w->out, text);
}

/* ---- latencies ---- */

static void put_latency (Writer *w, const char *name, const UrHistogram *histogram, gboolean percentiles, gboolean bins)
{
  open (w, name, '{');
  put_int (w, "min", histogram->n ? histogram->min : 0);
  put_int (w, "max", histogram->max);
  put_float (w, "mean", ur_histogram_mean (histogram));
  put_float (w, "stddev", ur_histogram_stddev (histogram));
  put_int (w, "N", histogram->n);
  if (percentiles && histogram->n) {
    open (w, "percentile", '{');
    for (unsigned i = 0; i < G_N_ELEMENTS (percents); i++) {
      g_autofree char *key = format_fixed (percents[i], 6);

      put_int (w, key, ur_histogram_percentile (histogram, percents[i]));
    }
    shut (w, '}');
  }
  if (bins && histogram->n) {
    open (w, "bins", '{');
    for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++) {
      if (histogram->bin[i]) {
        g_autofree char *key = g_strdup_printf ("%" G_GUINT64_FORMAT, ur_histogram_bin_middle (i));

        put_int (w, key, histogram->bin[i]);
      }
    }
    shut (w, '}');
  }
  shut (w, '}');
}

/* Shares, in percent, of requests whose clat is at most the bound and more than the one before, and no less than
 * `from`. */
static void put_shares (Writer *w, const char *name, const UrHistogram *histogram, uint64_t unit, gboolean open_end)
{
  static const unsigned bounds[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000 };
  const unsigned n = open_end ? 11 : 10;
  uint64_t low = unit == 1 ? 0 : unit; /* less is in the smaller unit's table */
  double rest = 0;

  open (w, name, '{');
  for (unsigned k = 0; k < n; k++) {
    const uint64_t high = bounds[k] * unit;
    g_autofree char *key = g_strdup_printf ("%u", bounds[k]);
    uint64_t count = 0;

    for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++) {
      const uint64_t middle = ur_histogram_bin_middle (i);

      count += middle >= low && middle < high ? histogram->bin[i] : 0;
      rest += k == n - 1 && middle >= high ? (double) histogram->bin[i] : 0;
    }
    put_float (w, key, histogram->n ? 100.0 * (double) count / (double) histogram->n : 0);
    low = high;
  }
  if (open_end) {
    put_float (w, ">=2000", histogram->n ? 100.0 * rest / (double) histogram->n : 0);
  }
  shut (w, '}');
}

/* ---- a job ---- */

static uint64_t runtime_ms (const RunResult *result) { return MAX ((result->measured_ns + 500000) / 1000000, 1); }

static void put_direction (Writer *w, const RunResult *result, IoOp op, gboolean bins)
{
  static const char *const zeros[] = { "bw_min", "bw_max" };
  const ResultOp *row = &result->op[op];
  const double seconds = (double) result->measured_ns / 1e9;
  const double rate = seconds > 0 ? (double) row->bytes / seconds : 0;

  open (w, io_op_name (op), '{');
  put_int (w, "io_bytes", row->bytes);
  put_int (w, "io_kbytes", row->bytes / 1024);
  put_int (w, "bw_bytes", (uint64_t) rate);
  put_int (w, "bw", (uint64_t) (rate / 1024));
  put_float (w, "iops", seconds > 0 ? (double) row->ios / seconds : 0);
  put_int (w, "runtime", row->ios ? runtime_ms (result) : 0);
  put_int (w, "total_ios", row->ios);
  put_int (w, "short_ios", 0);
  put_int (w, "drop_ios", 0);
  put_latency (w, "slat_ns", &row->slat, FALSE, FALSE);
  put_latency (w, "clat_ns", &row->clat, TRUE, bins);
  put_latency (w, "lat_ns", &row->lat, FALSE, FALSE);
  for (unsigned i = 0; i < G_N_ELEMENTS (zeros); i++) {
    put_int (w, zeros[i], 0);
  }
  put_float (w, "bw_agg", 0);
  put_float (w, "bw_mean", 0);
  put_float (w, "bw_dev", 0);
  put_int (w, "bw_samples", 0);
  put_int (w, "iops_min", 0);
  put_int (w, "iops_max", 0);
  put_float (w, "iops_mean", 0);
  put_float (w, "iops_stddev", 0);
  put_int (w, "iops_samples", 0);
  shut (w, '}');
}

static void put_sync (Writer *w, const RunResult *result, gboolean bins)
{
  UrHistogram lat;

  ur_histogram_init (&lat);
  for (unsigned op = IO_SYNC; op < IO_OPS; op++) {
    ur_histogram_merge (&lat, &result->op[op].lat);
  }
  open (w, "sync", '{');
  put_int (w, "total_ios", result->syncs);
  put_latency (w, "lat_ns", &lat, TRUE, bins);
  shut (w, '}');
}

static void put_table (Writer *w, const char *name, const char *const *keys)
{
  open (w, name, '{');
  for (; *keys; keys++) {
    put_float (w, *keys, 0);
  }
  shut (w, '}');
}

static void put_own (Writer *w, const ReportRun *run)
{
  static const char *const left_out[] = { "bw_min..bw_samples",
                                          "iops_min..iops_samples",
                                          "iodepth_level",
                                          "iodepth_submit",
                                          "iodepth_complete",
                                          "usr_cpu",
                                          "majf",
                                          "minf",
                                          "timestamp",
                                          "disk_util" };
  const RunResult *result = run->result;
  g_autofree char *kernel = format_kernel (result->kernel);

  open (w, "uringsim", '{');
  put_string (w, "policy", result->policy);
  put_string (w, "engine", result->engine);
  put_string (w, "kernel", kernel);
  put_string (w, "machine", result->machine);
  put_string (w, "fs", result->fs);
  put_int (w, "seed", result->seed);
  for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
    put_int (w, outcome_name ((Outcome) outcome), result->outcome[outcome]);
  }
  put_float (w, "iops_mean_of_seeds", run->metric[METRIC_IOPS].n ? run->metric[METRIC_IOPS].mean : result->iops);
  put_float (w, "iops_ci95", MAX (run->metric[METRIC_IOPS].half_width, 0));
  open (w, "not_recorded", '[');
  for (unsigned i = 0; i < G_N_ELEMENTS (left_out); i++) {
    put_string (w, NULL, left_out[i]);
  }
  shut (w, ']');
  shut (w, '}');
}

/* rw= of what was done; the order of a trace's requests is not known here, so it is not called random. */
static const char *rw_word (const WorkloadJob *job, const RunResult *result)
{
  const gboolean reads = result->op[IO_READ].ios != 0, writes = result->op[IO_WRITE].ios != 0;
  const gboolean random = !job->open_source && job->pattern.order == PATTERN_RANDOM;

  if (reads && writes) {
    return random ? "randrw" : "rw";
  }
  return reads ? random ? "randread" : "read" : random ? "randwrite" : "write";
}

/* Of the first job: what readers of fio's results look for. */
static void put_options (Writer *w, const Report *report, const RunResult *result)
{
  const WorkloadJob *job = report->workload->jobs->pdata[0];
  g_autofree char *iodepth = g_strdup_printf ("%u", job->iodepth);
  g_autofree char *numjobs = g_strdup_printf ("%u", report->workload->jobs->len);
  g_autofree char *bs = g_strdup_printf ("%" G_GUINT64_FORMAT, result->ios ? result->bytes / result->ios : 0);

  open (w, "job options", '{');
  put_string (w, "ioengine", result->engine);
  put_string (w, "rw", rw_word (job, result));
  put_string (w, "bs", bs);
  put_string (w, "iodepth", iodepth);
  put_string (w, "numjobs", numjobs);
  put_string (w, "direct", job->direct ? "1" : "0");
  shut (w, '}');
}

static void put_job (Writer *w, const Report *report, unsigned index, gboolean bins)
{
  static const char *const levels[] = { "1", "2", "4", "8", "16", "32", ">=64", NULL };
  static const char *const batches[] = { "0", "4", "8", "16", "32", "64", ">=64", NULL };
  const ReportRun *run = &report->runs[index];
  const RunResult *result = run->result;
  g_autofree char *name = g_strdup_printf ("%s %s", result->policy, result->engine);

  open (w, NULL, '{');
  put_string (w, "jobname", run->baseline ? result->engine : name);
  put_int (w, "groupid", index);
  put_int (w, "error", (uint64_t) result->first_error);
  put_int (w, "eta", 0);
  put_int (w, "elapsed", (result->sim_ns + UR_S - 1) / UR_S);
  put_options (w, report, result);
  put_direction (w, result, IO_READ, bins);
  put_direction (w, result, IO_WRITE, bins);
  put_direction (w, result, IO_TRIM, bins);
  put_sync (w, result, bins);
  put_int (w, "job_runtime", runtime_ms (result));
  put_float (w, "usr_cpu", 0);
  put_float (w, "sys_cpu", 100 * result->cpu.app * result->cpus);
  put_int (w, "ctx", result->context_switches);
  put_int (w, "majf", 0);
  put_int (w, "minf", 0);
  put_table (w, "iodepth_level", levels);
  put_table (w, "iodepth_submit", batches);
  put_table (w, "iodepth_complete", batches);
  put_shares (w, "latency_ns", &result->all.clat, 1, FALSE);
  put_shares (w, "latency_us", &result->all.clat, 1000, FALSE);
  put_shares (w, "latency_ms", &result->all.clat, 1000000, TRUE);
  put_int (w, "latency_depth", 0);
  put_int (w, "latency_target", 0);
  put_float (w, "latency_percentile", 100);
  put_int (w, "latency_window", 0);
  put_own (w, run);
  shut (w, '}');
}

char *fio_json_report (const Report *report, gboolean bins)
{
  Writer w = { .out = g_string_new ("{"), .depth = 1, .first = TRUE };
  g_autofree char *version = g_strdup_printf ("uringsim-%s", uringsim_version ());

  put_string (&w, "fio version", version);
  put_int (&w, "timestamp", 0);
  put_int (&w, "timestamp_ms", 0);
  put_string (&w, "time", "simulated");
  open (&w, "global options", '{');
  shut (&w, '}');
  open (&w, "jobs", '[');
  for (unsigned i = 0; i < report->n_runs; i++) {
    put_job (&w, report, i, bins);
  }
  shut (&w, ']');
  open (&w, "disk_util", '[');
  shut (&w, ']');
  g_string_append (w.out, "\n}\n");
  return g_string_free (w.out, FALSE);
}
