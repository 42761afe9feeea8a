/* See plausibility.h. */
#include "src/command/plausibility.h"

#include "src/input/fio_options.h"
#include "src/output/format.h"

#include <math.h>
#include <string.h>

/* Slack for rounding in what was printed. */
#define SLACK 0.02
/* fio adds means of three samples; a clock read may lie between. */
#define SUM_SLACK_NS 1000.0

void plausibility_finding_clear (gpointer finding) { g_free (((PlausibilityFinding *) finding)->text); }

static void G_GNUC_PRINTF (3, 4) find (GArray *findings, gboolean impossible, const char *format, ...)
{
  PlausibilityFinding finding = { .impossible = impossible };
  va_list args;

  va_start (args, format);
  finding.text = g_strdup_vprintf (format, args);
  va_end (args);
  g_array_append_val (findings, finding);
}

static gboolean near (double a, double b, double slack) { return fabs (a - b) <= slack * MAX (fabs (a), fabs (b)); }

/* Little: requests in flight are rate times latency, and no more than depth times jobs.  `in_flight` of all directions.
 */
static void check_little (const char *what, double rate, double latency, const char *of, double room, GArray *findings)
{
  const double in_flight = rate * latency / 1e9;
  g_autofree char *rate_text = format_rate (rate), *latency_text = format_time (latency);
  g_autofree char *flight = format_fixed (in_flight, 2), *most = format_fixed (room, 0);

  if (rate <= 0 || latency <= 0 || room <= 0) {
    return;
  }
  if (in_flight > room * (1 + SLACK)) {
    find (findings, TRUE,
          "%s: %s IOPS x %s of %s are %s requests in flight, but iodepth and jobs allow %s (Little's law)", what,
          rate_text, latency_text, of, flight, most);
  } else if (in_flight < 0.25 * room && room > 2) {
    find (findings, FALSE,
          "%s: only %s of %s requests are in flight on average (%s IOPS x %s of %s): it was not bound by its depth",
          what, flight, most, rate_text, latency_text, of);
  }
}

/* Bandwidth is rate times size; off by 1.024 or 1.0486 it is in the other kind of unit. */
static void check_bandwidth (const PlausibilityFigures *f, GArray *findings)
{
  static const struct {
    double factor;
    const char *text;
  } units[] = { { 1.024, "kB and KiB" },  { 1.048576, "MB and MiB" }, { 1.073741824, "GB and GiB" },
                { 1000, "kB and bytes" }, { 1024, "KiB and bytes" },  { 8, "bits and bytes" } };
  const double size = f->ios && f->bytes ? (double) f->bytes / (double) f->ios : f->bs;
  g_autofree char *size_text = format_bytes (size), *bw = format_bytes (f->bw_bytes),
                  *made = format_bytes (f->iops * size);

  if (f->iops <= 0 || f->bw_bytes <= 0 || size <= 0 || near (f->bw_bytes, f->iops * size, SLACK)) {
    return;
  }
  const double off = f->bw_bytes > f->iops * size ? f->bw_bytes / (f->iops * size) : f->iops * size / f->bw_bytes;

  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (near (off, units[i].factor, 0.004)) {
      find (findings, TRUE, "%s: %s/s is not the rate times %s (%s/s), but would be if %s were mixed up", f->what, bw,
            size_text, made, units[i].text);
      return;
    }
  }
  find (findings, TRUE, "%s: %s/s is not the rate times %s, which is %s/s", f->what, bw, size_text, made);
}

static void check_sum (const PlausibilityFigures *f, GArray *findings)
{
  const double sum = f->slat + f->clat;
  g_autofree char *slat = format_time (f->slat), *clat = format_time (f->clat), *lat = format_time (f->lat),
                  *both = format_time (sum);

  if (f->clat <= 0 || f->lat <= 0 || f->clat_garbage) {
    return;
  }
  if (f->clat > f->lat * (1 + SLACK) + SUM_SLACK_NS) {
    find (findings, TRUE, "%s: clat %s is more than lat %s, of which it is a part", f->what, clat, lat);
  } else if (f->slat > 0 && fabs (sum - f->lat) > SLACK * f->lat + SUM_SLACK_NS) {
    find (findings, TRUE, "%s: slat %s and clat %s make %s, but lat is %s", f->what, slat, clat, both, lat);
  }
}

void plausibility_figures (const PlausibilityFigures *f, GArray *findings)
{
  const double room = f->iodepth > 0 ? f->iodepth * MAX (f->jobs, 1) : 0;

  if (f->clat_garbage) {
    find (
        findings, FALSE,
        "%s: with sqthread_poll this fio stamps the issue of requests wrongly (before 3.36): clat and all that comes from it mean "
        "nothing; use lat",
        f->what);
  }
  check_bandwidth (f, findings);
  check_sum (f, findings);
  if (f->lat > 0) {
    check_little (f->what, f->iops, f->lat, "lat", room, findings);
  } else if (!f->clat_garbage) {
    check_little (f->what, f->iops, f->clat, "clat", room, findings);
  }
}

/* ---- a result of fio ---- */

static const char *option_of (const Measurement *measurement, const char *name)
{
  const char *value = NULL;

  for (unsigned i = 0; i < measurement->sections->len; i++) {
    const MeasuredSection *section = measurement->sections->pdata[i];

    for (unsigned k = 0; k < section->options->len; k++) {
      const MeasuredOption *option = &g_array_index (section->options, MeasuredOption, k);

      if (g_str_equal (option->name, name)) {
        value = option->value;
      }
    }
  }
  return value;
}

static double count_of (const char *text)
{
  return text ? (double) g_ascii_strtoull (g_strchug ((char *) text), NULL, 10) : 0;
}

/* Synchronous engines have one request in flight whatever iodepth says. */
static double depth_of (const Measurement *measurement)
{
  const char *engine = option_of (measurement, "ioengine");
  const double depth = count_of (option_of (measurement, "iodepth"));
  static const char *const synchronous[] = { "psync", "sync", "pvsync", "pvsync2", "vsync", "mmap", NULL };

  return !engine || g_strv_contains (synchronous, engine) ? 1 : MAX (depth, 1);
}

static void check_latency (const char *what, const char *kind, const MeasuredLatency *latency, uint64_t ios,
                           GArray *findings)
{
  uint64_t before = 0, n = 0;

  if (!latency->n) {
    return;
  }
  if (ios && latency->n > ios) {
    find (findings, TRUE, "%s: %s has %" G_GUINT64_FORMAT " samples of %" G_GUINT64_FORMAT " I/Os", what, kind,
          latency->n, ios);
  }
  if ((double) latency->min > latency->mean + 1 || latency->mean > (double) latency->max + 1) {
    find (findings, TRUE,
          "%s: the mean of %s, %.0f ns, is not between its least and its greatest, %" G_GUINT64_FORMAT
          " and %" G_GUINT64_FORMAT,
          what, kind, latency->mean, latency->min, latency->max);
  }
  for (unsigned i = 0; latency->percentile && i < latency->percentile->len; i++) {
    const MeasuredPercentile *row = &g_array_index (latency->percentile, MeasuredPercentile, i);

    if (row->ns < before) {
      find (findings, TRUE, "%s: percentile %g of %s is less than the one before it", what, row->percent, kind);
      break;
    }
    before = row->ns;
  }
  if (before > latency->max + latency->max / 64 + 1) {
    find (findings, TRUE, "%s: a percentile of %s, %" G_GUINT64_FORMAT " ns, is more than its maximum", what, kind,
          before);
  }
  for (unsigned i = 0; latency->bins && i < UR_HISTOGRAM_BINS; i++) {
    n += latency->bins->bin[i];
  }
  if (latency->bins && n != latency->n) {
    find (findings, TRUE, "%s: the bins of %s hold %" G_GUINT64_FORMAT " samples, N is %" G_GUINT64_FORMAT, what, kind,
          n, latency->n);
  }
}

static void check_op (const Measurement *measurement, const MeasuredOp *op, const char *what, GArray *findings)
{
  const PlausibilityFigures figures = { .what = what,
                                        .ios = op->ios,
                                        .bytes = op->bytes,
                                        .iops = op->iops,
                                        .bw_bytes = op->bw_bytes,
                                        .slat = op->slat.n ? op->slat.mean : 0,
                                        .clat = op->clat.n ? op->clat.mean : 0,
                                        .lat = op->lat.n ? op->lat.mean : 0,
                                        .iodepth = depth_of (measurement),
                                        .jobs = MAX (count_of (option_of (measurement, "numjobs")),
                                                     (double) measurement->sections->len),
                                        .clat_garbage = measurement->clat_garbage };

  if (!op->ios) {
    return;
  }
  plausibility_figures (&figures, findings);
  check_latency (what, "slat", &op->slat, op->ios, findings);
  if (!measurement->clat_garbage) {
    check_latency (what, "clat", &op->clat, op->ios, findings);
  }
  check_latency (what, "lat", &op->lat, op->ios, findings);
}

GArray *plausibility_measurement (const Measurement *measurement)
{
  GArray *findings = g_array_new (FALSE, FALSE, sizeof (PlausibilityFinding));
  double in_flight = 0, room = depth_of (measurement) *
                               MAX (count_of (option_of (measurement, "numjobs")), (double) measurement->sections->len);
  unsigned directions = 0;

  g_array_set_clear_func (findings, plausibility_finding_clear);
  for (unsigned i = 0; measurement->has_ops && i < MEASURED_DIRECTIONS; i++) {
    const MeasuredOp *op = &measurement->op[i];

    check_op (measurement, op, measured_direction_name ((MeasuredDirection) i), findings);
    in_flight += op->ios ? op->iops * op->lat.mean / 1e9 : 0;
    directions += op->ios != 0;
  }
  check_op (measurement, &measurement->mixed, "mixed", findings);
  if (directions > 1 && in_flight > room * (1 + SLACK)) {
    find (findings, TRUE,
          "all directions: %.2f requests in flight on average, but iodepth and jobs allow %.0f (Little's law)",
          in_flight, room);
  }
  return findings;
}
