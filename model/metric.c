/* Figures of a run by name; see metric.h. */
#include "model/metric.h"

#include <string.h>

static const struct {
  const char *key, *json, *heading;
  MetricUnit unit;
} metrics[] = {
#define METRIC_ROW(id, key, json, heading, unit, text) [id] = { key, json, heading, unit },
  METRICS (METRIC_ROW)
};

const char *metric_key (Metric metric) { return metrics[metric].key; }

const char *metric_json (Metric metric) { return metrics[metric].json; }

const char *metric_heading (Metric metric) { return metrics[metric].heading; }

MetricUnit metric_unit (Metric metric) { return metrics[metric].unit; }

const char *const *metric_keys (void)
{
#define METRIC_KEY(id, key, json, heading, unit, text) key,
  static const char *const keys[] = { METRICS (METRIC_KEY) NULL };

  return keys;
}

static double per_second (const RunResult *result, double n)
{
  return result->measured_ns ? n * 1e9 / result->measured_ns : 0;
}

static double contention (const RunResult *result, const char *lock)
{
  double sum = 0;

  if (!lock) {
    return result->n_locks ? result->lock[0].cpu_share_contention : 0;
  }
  for (unsigned i = 0; i < result->n_locks; i++) {
    sum += g_str_has_prefix (result->lock[i].name, lock) ? result->lock[i].cpu_share_contention : 0;
  }
  return sum;
}

double metric_of (const RunResult *result, Metric metric, const char *lock)
{
  switch (metric) {
  case METRIC_IOPS:
    return result->iops;
  case METRIC_IOPS_READ:
    return per_second (result, result->op[IO_READ].ios);
  case METRIC_IOPS_WRITE:
    return per_second (result, result->op[IO_WRITE].ios);
  case METRIC_BANDWIDTH:
    return result->bw_bytes;
  case METRIC_BANDWIDTH_READ:
    return per_second (result, result->op[IO_READ].bytes);
  case METRIC_BANDWIDTH_WRITE:
    return per_second (result, result->op[IO_WRITE].bytes);
  case METRIC_SLAT:
    return ur_histogram_mean (&result->all.slat);
  case METRIC_CLAT:
    return ur_histogram_mean (&result->all.clat);
  case METRIC_LAT:
    return ur_histogram_mean (&result->all.lat);
  case METRIC_LAT_P50:
    return (double) ur_histogram_percentile (&result->all.lat, 50);
  case METRIC_LAT_P99:
    return (double) ur_histogram_percentile (&result->all.lat, 99);
  case METRIC_LAT_P999:
    return (double) ur_histogram_percentile (&result->all.lat, 99.9);
  case METRIC_IN_FLIGHT:
    return result->iops * ur_histogram_mean (&result->all.lat) / 1e9;
  case METRIC_CPU_SHARE_CONTENTION:
    return contention (result, lock);
  case METRIC_CPU_SHARE_SPINNING:
    return result->cpu.busy > 0 ? result->cpu.spin / result->cpu.busy : 0;
  case METRIC_CPU_BUSY:
    return result->cpu.busy;
  case METRIC_CPUS_BUSY:
    return result->cpu.busy * result->cpus;
  case METRIC_CONTEXT_SWITCHES:
    return result->ios ? (double) result->context_switches / result->ios : 0;
  case METRIC_WORKERS_ALIVE:
    return result->workers.max_alive;
  case METRIC_ELAPSED:
    return (double) result->sim_ns;
  case METRICS_N:
    break;
  }
  g_return_val_if_reached (0);
}
