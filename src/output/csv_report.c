/* A report as CSV: one line for each run.  Empty: not known, or too few samples. */
#include "src/output/fio_json.h"
#include "src/output/format.h"

#include <string.h>

typedef void (*ColumnFn) (const ReportRun *run, GString *out);

/* Quoted where it must be. */
static void put_text (const char *text, GString *out)
{
  if (!text[strcspn (text, ",\"\r\n")]) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (; *text; text++) {
    g_string_append_c (out, *text);
    if (*text == '"') {
      g_string_append_c (out, '"');
    }
  }
  g_string_append_c (out, '"');
}

static void put_fixed (double value, unsigned digits, GString *out)
{
  g_autofree char *text = format_fixed (value, digits);

  g_string_append (out, text);
}

static void put_count (uint64_t count, GString *out) { g_string_append_printf (out, "%" G_GUINT64_FORMAT, count); }

static void put_percentile (const UrHistogram *histogram, double percent, GString *out)
{
  if (ur_histogram_has_percentile (histogram, percent)) {
    put_count (ur_histogram_percentile (histogram, percent), out);
  }
}

#define COLUMN(name, body) \
  static void column_##name (const ReportRun *run, GString *out) \
  { \
    const RunResult *result G_GNUC_UNUSED = run->result; \
    body; \
  }
COLUMN (policy, put_text (result->policy, out))
COLUMN (engine, put_text (result->engine, out))
COLUMN (kernel, g_autofree char *kernel = format_kernel (result->kernel); put_text (kernel, out))
COLUMN (machine, put_text (result->machine, out))
COLUMN (fs, put_text (result->fs, out))
COLUMN (cpus, put_count (result->cpus, out))
COLUMN (seed, put_count (result->seed, out))
COLUMN (seeds, put_count (MAX (run->metric[METRIC_IOPS].n, 1), out))
COLUMN (baseline, put_count ((uint64_t) run->baseline, out))
COLUMN (ios, put_count (result->ios, out))
COLUMN (sim_ns, put_count (result->sim_ns, out))
COLUMN (iops, put_fixed (run->metric[METRIC_IOPS].n ? run->metric[METRIC_IOPS].mean : result->iops, 3, out))
COLUMN (iops_ci95, if (run->metric[METRIC_IOPS].n > 1) put_fixed (run->metric[METRIC_IOPS].half_width, 3, out))
COLUMN (ratio, if (run->ratio.n) put_fixed (run->ratio.mean, 6, out))
COLUMN (ratio_ci95, if (run->ratio.n > 1) put_fixed (run->ratio.half_width, 6, out))
COLUMN (bw_bytes, put_fixed (result->bw_bytes, 0, out))
COLUMN (slat_mean_ns, put_fixed (ur_histogram_mean (&result->all.slat), 3, out))
COLUMN (clat_mean_ns, put_fixed (ur_histogram_mean (&result->all.clat), 3, out))
COLUMN (lat_mean_ns, put_fixed (ur_histogram_mean (&result->all.lat), 3, out))
COLUMN (lat_p50_ns, put_percentile (&result->all.lat, 50, out))
COLUMN (lat_p99_ns, put_percentile (&result->all.lat, 99, out))
COLUMN (lat_p99_9_ns, put_percentile (&result->all.lat, 99.9, out))
COLUMN (lat_max_ns, put_count (result->all.lat.max, out))
COLUMN (inline_ios, put_count (result->outcome[OUTCOME_INLINE], out))
COLUMN (punted_hashed, put_count (result->outcome[OUTCOME_PUNTED_HASHED], out))
COLUMN (punted_unhashed, put_count (result->outcome[OUTCOME_PUNTED_UNHASHED], out))
COLUMN (async_ios, put_count (result->outcome[OUTCOME_ASYNC], out))
COLUMN (failed, put_count (result->outcome[OUTCOME_FAILED], out))
COLUMN (workers_created, put_count (result->workers.created, out))
COLUMN (workers_max, put_count (result->workers.max_alive, out))
COLUMN (context_switches, put_count (result->context_switches, out))
COLUMN (wakeups, put_count (result->wakeups, out))
COLUMN (cpu_busy, put_fixed (result->cpu.busy, 6, out))
COLUMN (cpu_spin, put_fixed (result->cpu.spin, 6, out))
COLUMN (lock_share, put_fixed (result->n_locks ? result->lock[0].cpu_share_contention : 0, 6, out))
#undef COLUMN

#define COLUMNS(X) \
  X (policy) X (engine) X (kernel) X (machine) X (fs) X (cpus) X (seed) X (seeds) X (baseline) X (ios) X (sim_ns) X (iops) \
  X (iops_ci95) X (ratio) X (ratio_ci95) X (bw_bytes) X (slat_mean_ns) X (clat_mean_ns) X (lat_mean_ns) X (lat_p50_ns) \
  X (lat_p99_ns) X (lat_p99_9_ns) X (lat_max_ns) X (inline_ios) X (punted_hashed) X (punted_unhashed) X (async_ios) \
  X (failed) X (workers_created) X (workers_max) X (context_switches) X (wakeups) X (cpu_busy) X (cpu_spin) X (lock_share)
#define COLUMN_ROW(name) { #name, column_##name },
static const struct {
  const char *name;
  ColumnFn put;
} columns[] = { COLUMNS (COLUMN_ROW) };

char *csv_report (const Report *report)
{
  GString *out = g_string_new (NULL);

  for (unsigned k = 0; k < G_N_ELEMENTS (columns); k++) {
    g_string_append_printf (out, "%s%s", k ? "," : "", columns[k].name);
  }
  g_string_append (out, "\r\n");
  for (unsigned i = 0; i < report->n_runs; i++) {
    for (unsigned k = 0; k < G_N_ELEMENTS (columns); k++) {
      if (k) {
        g_string_append_c (out, ',');
      }
      columns[k].put (&report->runs[i], out);
    }
    g_string_append (out, "\r\n");
  }
  return g_string_free (out, FALSE);
}
