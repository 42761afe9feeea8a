/*
 * Figures of a run that have a name: what experiments publish and what ratios are made of.
 */
#ifndef METRIC_H
#define METRIC_H

#include "model/result.h"

typedef enum { METRIC_RATE, METRIC_BYTES_RATE, METRIC_TIME, METRIC_SHARE, METRIC_COUNT } MetricUnit;

/* X(enumerator, key in experiment files, key in JSON, heading, unit, what it is). */
#define METRICS(X) \
  X (METRIC_IOPS, "Iops", "iops", "IOPS", METRIC_RATE, "requests a second, reads, writes and trims") \
  X (METRIC_IOPS_READ, "IopsRead", "iops_read", "read IOPS", METRIC_RATE, "reads a second") \
  X (METRIC_IOPS_WRITE, "IopsWrite", "iops_write", "write IOPS", METRIC_RATE, "writes a second") \
  X (METRIC_BANDWIDTH, "Bandwidth", "bw_bytes", "bandwidth", METRIC_BYTES_RATE, "bytes a second") \
  X (METRIC_BANDWIDTH_READ, "BandwidthRead", "bw_bytes_read", "read bandwidth", METRIC_BYTES_RATE, \
     "bytes read a second") \
  X (METRIC_BANDWIDTH_WRITE, "BandwidthWrite", "bw_bytes_write", "write bandwidth", METRIC_BYTES_RATE, \
     "bytes written a second") \
  X (METRIC_SLAT, "SlatMean", "slat_ns", "slat mean", METRIC_TIME, "fio's slat, ns") \
  X (METRIC_CLAT, "ClatMean", "clat_ns", "clat mean", METRIC_TIME, "fio's clat, ns") \
  X (METRIC_LAT, "LatMean", "lat_ns", "lat mean", METRIC_TIME, "fio's lat, ns") \
  X (METRIC_LAT_P50, "LatP50", "lat_p50_ns", "lat p50", METRIC_TIME, "median of fio's lat, ns") \
  X (METRIC_LAT_P99, "LatP99", "lat_p99_ns", "lat p99", METRIC_TIME, "its 99th percentile") \
  X (METRIC_LAT_P999, "LatP999", "lat_p999_ns", "lat p99.9", METRIC_TIME, "its 99.9th percentile") \
  X (METRIC_IN_FLIGHT, "InFlight", "in_flight", "in flight", METRIC_COUNT, \
     "mean number of requests in flight by Little's law, Iops times LatMean") \
  X (METRIC_CPU_SHARE_CONTENTION, "CpuShareContention", "cpu_share_contention", "CPU share on locks", METRIC_SHARE, \
     "CPU time spent on a lock's contention by all CPU time: of the most contended lock, or of those of Lock=") \
  X (METRIC_CPU_SHARE_SPINNING, "CpuShareSpinning", "cpu_share_spinning", "CPU share spinning", METRIC_SHARE, \
     "CPU time spent spinning for any lock by all CPU time") \
  X (METRIC_CPU_BUSY, "CpuBusy", "cpu_busy", "CPU share busy", METRIC_SHARE, "busy time by the time of all CPUs") \
  X (METRIC_CPUS_BUSY, "CpusBusy", "cpus_busy", "CPUs busy", METRIC_COUNT, "mean number of busy CPUs") \
  X (METRIC_CONTEXT_SWITCHES, "ContextSwitchesPerIo", "context_switches_per_io", "switches an I/O", METRIC_COUNT, \
     "context switches of all tasks by requests") \
  X (METRIC_WORKERS_ALIVE, "WorkersAlive", "workers_max_alive", "workers alive", METRIC_COUNT, \
     "the most io-wq workers or kworkers that lived at one time") \
  X (METRIC_ELAPSED, "Elapsed", "elapsed_ns", "elapsed", METRIC_TIME, "how long the run took, ns")

#define METRIC_ENUM(id, key, json, heading, unit, text) id,
typedef enum { METRICS (METRIC_ENUM) METRICS_N } Metric;

const char *metric_key (Metric metric);
const char *metric_json (Metric metric);
const char *metric_heading (Metric metric);
MetricUnit  metric_unit (Metric metric);
/* All keys, NULL at the end. */
const char *const *metric_keys (void);
/* `lock`: what the names of the locks of METRIC_CPU_SHARE_CONTENTION start with; NULL: the most contended one.
 * 0 where a run has no such requests or locks. */
double metric_of (const RunResult *result, Metric metric, const char *lock);

#endif
