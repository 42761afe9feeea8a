/* Latencies of a fio result; see fio_result_latency.h. */
#include "src/input/fio_result_latency.h"
#include "src/input/input_error.h"
#include <string.h>

enum { PERCENTILES_MAX = 64 };
static const double ns_max = 1e19;

static uint64_t to_ns (double value) { return value <= 0 ? 0 : value < 1e18 ? (uint64_t) value : (uint64_t) 1e18; }

/* A member's name as a number. */
static gboolean number_of_name (const char *text, double max, double *ret)
{
  char *end = NULL;
  const double value = g_ascii_isdigit (*text) ? g_ascii_strtod (text, &end) : -1;

  *ret = value;
  return end && !*end && value >= 0 && value <= max;
}

static gboolean bad_name (const char *what, const char *name, JsonPlace place, GError **error)
{
  g_autofree char *quoted = input_quote (name, strlen (name), 40);

  return json_fail (place, error, "%s: found \"%s\"; expected numbers as names", what, quoted);
}

static int compare_percentiles (gconstpointer a, gconstpointer b)
{
  const double left = ((const MeasuredPercentile *) a)->percent, right = ((const MeasuredPercentile *) b)->percent;

  return (left > right) - (left < right);
}

/* NULL with error set; an array without rows where there is no such member. */
static GArray *read_percentiles (JsonObject *object, JsonPlace place, GError **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (MeasuredPercentile));

  if (!json_object_has_member (object, "percentile")) {
    return g_steal_pointer (&found);
  }
  JsonObject *list = json_read_member (object, "percentile", place, error);
  g_autoptr (GList) names = list ? json_object_get_members (list) : NULL;
  for (const GList *item = names; item; item = item->next) {
    MeasuredPercentile row;
    double ns = 0;
    if (!number_of_name (item->data, 100, &row.percent) || found->len >= PERCENTILES_MAX) {
      bad_name ("percentile", item->data, place, error);
      return NULL;
    }
    if (!json_read_number (list, item->data, 0, ns_max, place, &ns, error)) {
      return NULL;
    }
    row.ns = to_ns (ns);
    g_array_append_val (found, row);
  }
  g_array_sort (found, compare_percentiles);
  for (unsigned i = 1; i < found->len; i++) { /* a curve that goes back is none */
    if (g_array_index (found, MeasuredPercentile, i).ns < g_array_index (found, MeasuredPercentile, i - 1).ns) {
      json_fail (place, error, "percentile: found a smaller latency at a higher percentage; expected ascending ones");
      return NULL;
    }
  }
  return list ? g_steal_pointer (&found) : NULL;
}

/* Counts by ns; *ret NULL where there is no such member. */
static gboolean read_bins (JsonObject *object, JsonPlace place, UrHistogram **ret, GError **error)
{
  *ret = NULL;
  if (!json_object_has_member (object, "bins")) {
    return TRUE;
  }
  JsonObject *list = json_read_member (object, "bins", place, error);
  g_autoptr (GList) names = list ? json_object_get_members (list) : NULL;
  g_autofree UrHistogram *bins = g_new (UrHistogram, 1);
  ur_histogram_init (bins);
  for (const GList *item = names; item; item = item->next) {
    double ns, count = 0;
    if (!number_of_name (item->data, ns_max, &ns)) {
      return bad_name ("bins", item->data, place, error);
    }
    if (!json_read_number (list, item->data, 0, 1e15, place, &count, error)) {
      return FALSE;
    }
    bins->bin[ur_histogram_bin_of (to_ns (ns))] += (uint64_t) count;
    bins->n += (uint64_t) count;
  }
  if (list && bins->n) {
    *ret = g_steal_pointer (&bins);
  }
  return list != NULL;
}

static gboolean read_latency (JsonObject *object, uint64_t ios, JsonPlace place, MeasuredLatency *ret, GError **error)
{
  /* The minimum of no samples is 2^64 - 1 in old versions, which comes as -1. */
  double n = (double) ios, mean = 0, stddev = 0, min = 0, max = 0;

  if (!json_read_optional (object, "N", 0, 1e15, place, &n, error) ||
      !json_read_optional (object, "mean", 0, ns_max, place, &mean, error) ||
      !json_read_optional (object, "stddev", 0, ns_max, place, &stddev, error) ||
      !json_read_optional (object, "min", -1, ns_max, place, &min, error) ||
      !json_read_optional (object, "max", 0, ns_max, place, &max, error)) {
    return FALSE;
  }
  *ret = (MeasuredLatency){ .n = max > 0 ? (uint64_t) n : 0, /* before 3.18 there is no N */
                            .mean = mean,
                            .stddev = stddev,
                            .min = to_ns (min),
                            .max = to_ns (max) };
  ret->percentile = read_percentiles (object, place, error);
  return ret->percentile && read_bins (object, place, &ret->bins, error);
}

gboolean fio_result_latency_add (JsonObject *direction, const char *name, uint64_t ios, gboolean first, JsonPlace place,
                                 MeasuredLatency *latency, GError **error)
{
  MeasuredLatency found = { 0 };

  if (!json_object_has_member (direction, name)) {
    return TRUE;
  }
  JsonObject *object = json_read_member (direction, name, place, error);
  const gboolean ok = object && read_latency (object, ios, place, &found, error);
  if (ok && first) {
    measured_latency_clear (latency);
  }
  if (ok) {
    measured_latency_add (latency, &found);
  } else {
    measured_latency_clear (&found);
  }
  return ok;
}
