/*
 * Reports as JSON.  The keys and their order are an interface: they are tested, more may be added at the end of an
 * object, none is renamed.
 */
#include "src/output/format.h"
#include "src/output/json_write.h"
#include "src/output/report.h"
#include "src/version.h"

#include <math.h>

#define LOCKS_MAX 64u

static void put_estimate (JsonBuilder *builder, const char *name, ReportEstimate estimate)
{
  json_open_object (builder, name);
  json_put_double (builder, "mean", estimate.mean);
  if (estimate.half_width >= 0) {
    json_put_double (builder, "ci95", estimate.half_width);
  }
  json_put_int (builder, "reps", estimate.n);
  json_builder_end_object (builder);
}

static void put_histogram (JsonBuilder *builder, const char *name, const UrHistogram *histogram)
{
  static const struct {
    const char *key;
    double percent;
  } rows[] = {
    { "50", 50 }, { "90", 90 }, { "95", 95 }, { "99", 99 }, { "99.9", 99.9 }, { "99.99", 99.99 },
  };

  json_open_object (builder, name);
  json_put_double (builder, "mean", ur_histogram_mean (histogram));
  json_put_double (builder, "stddev", ur_histogram_stddev (histogram));
  json_put_int (builder, "min", histogram->n ? histogram->min : 0);
  json_put_int (builder, "max", histogram->max);
  json_open_object (builder, "percentiles");
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (ur_histogram_has_percentile (histogram, rows[i].percent)) {
      json_put_int (builder, rows[i].key, ur_histogram_percentile (histogram, rows[i].percent));
    }
  }
  json_builder_end_object (builder);
  json_put_int (builder, "n", histogram->n);
  json_builder_end_object (builder);
}

static void put_op (JsonBuilder *builder, const char *name, const ResultOp *op, UrTime measured_ns)
{
  const double seconds = measured_ns / 1e9;

  json_open_object (builder, name);
  json_put_int (builder, "ios", op->ios);
  json_put_double (builder, "iops", seconds > 0 ? op->ios / seconds : 0);
  json_put_double (builder, "bw_bytes", seconds > 0 ? op->bytes / seconds : 0);
  put_histogram (builder, "slat_ns", &op->slat);
  put_histogram (builder, "clat_ns", &op->clat);
  put_histogram (builder, "lat_ns", &op->lat);
  json_builder_end_object (builder);
}

/* The kinds of operation that occur; the three kinds of sync are one. */
static void put_ops (JsonBuilder *builder, const RunResult *result)
{
  static const IoOp syncs[] = { IO_SYNC, IO_DATASYNC, IO_SYNC_FILE_RANGE };
  g_autofree ResultOp *sync = g_new0 (ResultOp, 1);

  ur_histogram_init (&sync->slat);
  ur_histogram_init (&sync->clat);
  ur_histogram_init (&sync->lat);
  for (unsigned i = 0; i < G_N_ELEMENTS (syncs); i++) {
    const ResultOp *op = &result->op[syncs[i]];
    sync->ios += op->ios;
    sync->bytes += op->bytes;
    ur_histogram_merge (&sync->slat, &op->slat);
    ur_histogram_merge (&sync->clat, &op->clat);
    ur_histogram_merge (&sync->lat, &op->lat);
  }
  const struct {
    const char *name;
    const ResultOp *op;
  } rows[] = {
    { "read", &result->op[IO_READ] },
    { "write", &result->op[IO_WRITE] },
    { "sync", sync },
    { "trim", &result->op[IO_TRIM] },
  };
  json_open_object (builder, "ops");
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (rows[i].op->ios) {
      put_op (builder, rows[i].name, rows[i].op, result->measured_ns);
    }
  }
  json_builder_end_object (builder);
}

static void put_workers (JsonBuilder *builder, const RunResult *result)
{
  json_open_object (builder, "workers");
  json_put_int (builder, "created", result->workers.created);
  json_put_int (builder, "max_alive", result->workers.max_alive);
  json_put_double (builder, "mean_running", result->workers.mean_running);
  json_put_double (builder, "mean_spinning", result->workers.mean_spinning);
  json_put_double (builder, "mean_sleeping_on_lock", result->workers.mean_sleeping_on_lock);
  json_put_double (builder, "mean_idle", result->workers.mean_idle);
  json_builder_end_object (builder);
}

static void put_lock (JsonBuilder *builder, const ResultLock *lock)
{
  json_open_object (builder, NULL);
  json_put_string (builder, "name", lock->name);
  json_put_int (builder, "acquired", lock->acquired);
  json_put_int (builder, "contended", lock->contended);
  json_open_object (builder, "wait_ns");
  json_put_int (builder, "total", lock->wait_total);
  json_put_double (builder, "avg", lock->contended ? (double) lock->wait_total / lock->contended : 0);
  json_put_int (builder, "max", lock->wait_max);
  json_builder_end_object (builder);
  json_put_int (builder, "spin_ns", lock->spin_ns);
  json_put_int (builder, "hold_ns", lock->hold_ns);
  json_put_int (builder, "slowpath_ns", lock->slowpath_ns);
  json_put_double (builder, "cpu_share_spinning", lock->cpu_share_spinning);
  json_put_double (builder, "cpu_share_contention", lock->cpu_share_contention);
  json_put_int (builder, "sleeps", lock->sleeps);
  json_put_int (builder, "handoffs", lock->handoffs);
  json_put_int (builder, "steals", lock->steals);
  json_put_double (builder, "mean_spinning", lock->mean_spinning);
  json_put_double (builder, "mean_queued", lock->mean_queued);
  json_builder_end_object (builder);
}

static void put_locks_left_out (JsonBuilder *builder, const RunResult *result)
{
  json_put_int (builder, "locks_left_out", result->n_locks - MIN (result->n_locks, LOCKS_MAX));
}

/* The most contended ones: there are as many as files at least. */
static void put_locks (JsonBuilder *builder, const RunResult *result)
{
  const unsigned n = MIN (result->n_locks, LOCKS_MAX);

  json_open_array (builder, "locks");
  for (unsigned i = 0; i < n; i++) {
    put_lock (builder, &result->lock[i]);
  }
  json_builder_end_array (builder);
}

static void put_cpu (JsonBuilder *builder, const RunResult *result)
{
  json_open_object (builder, "cpu");
  json_put_int (builder, "count", result->cpus);
  json_put_double (builder, "busy", result->cpu.busy);
  json_put_double (builder, "idle", result->cpu.idle);
  json_put_double (builder, "spin", result->cpu.spin);
  json_put_double (builder, "app", result->cpu.app);
  json_put_double (builder, "sq_thread", result->cpu.sq_thread);
  json_put_double (builder, "workers", result->cpu.workers);
  json_put_double (builder, "flusher", result->cpu.flusher);
  json_put_double (builder, "irq", result->cpu.irq);
  json_builder_end_object (builder);
}

static void put_phases (JsonBuilder *builder, const RunResult *result)
{
  json_open_object (builder, "phases_ns");
  for (int i = 0; i < PHASES; i++) {
    if (result->phase[i].n) {
      json_open_object (builder, phase_name (i));
      json_put_double (builder, "mean", result->phase[i].mean);
      json_put_int (builder, "n", result->phase[i].n);
      json_builder_end_object (builder);
    }
  }
  json_builder_end_object (builder);
}

/* What design and users rely on, in that order; put_run_more() has the rest. */
static void put_run (JsonBuilder *builder, const ReportRun *run, gboolean timing)
{
  const RunResult *result = run->result;

  json_put_string (builder, "policy", result->policy);
  json_put_string (builder, "engine", result->engine);
  json_put_string (builder, "machine", result->machine);
  json_put_string (builder, "fs", result->fs);
  json_put_int (builder, "ios", result->ios);
  json_put_double (builder, "iops", result->iops);
  json_put_double (builder, "bw_bytes", result->bw_bytes);
  json_put_int (builder, "sim_ns", result->sim_ns);
  put_histogram (builder, "slat_ns", &result->all.slat);
  put_histogram (builder, "clat_ns", &result->all.clat);
  put_histogram (builder, "lat_ns", &result->all.lat);
  put_ops (builder, result);
  json_open_object (builder, "outcome");
  for (int i = 0; i < OUTCOMES; i++) {
    json_put_int (builder, outcome_name (i), result->outcome[i]);
  }
  json_builder_end_object (builder);
  put_workers (builder, result);
  json_put_int (builder, "context_switches", result->context_switches);
  json_put_int (builder, "wakeups", result->wakeups);
  put_locks (builder, result);
  put_cpu (builder, result);
  json_open_object (builder, "sim");
  json_put_int (builder, "events", result->events);
  json_builder_end_object (builder);
  if (timing) {
    json_open_object (builder, "timing");
    json_put_double (builder, "wall_s", result->wall_s);
    json_put_double (builder, "ios_per_wall_s", result->wall_s > 0 ? result->ios / result->wall_s : 0);
    json_builder_end_object (builder);
  }
}

static void put_device (JsonBuilder *builder, const ResultDevice *device)
{
  json_open_object (builder, "device");
  json_put_string (builder, "name", device->name);
  json_put_int (builder, "reads", device->reads);
  json_put_int (builder, "writes", device->writes);
  json_put_int (builder, "flushes", device->flushes);
  json_put_int (builder, "merged", device->merged);
  json_put_int (builder, "tag_waits", device->tag_waits);
  json_put_double (builder, "busy_channels", device->busy_channels);
  json_put_double (builder, "queued", device->queued);
  json_builder_end_object (builder);
}

static void put_cache (JsonBuilder *builder, const ResultCache *cache)
{
  json_open_object (builder, "cache");
  json_put_int (builder, "dirty_pages", cache->dirty);
  json_put_int (builder, "writeback_pages", cache->writeback);
  json_put_int (builder, "max_dirty_pages", cache->max_dirty);
  json_put_int (builder, "limit_pages", cache->limit);
  json_put_int (builder, "background_limit_pages", cache->background_limit);
  json_put_int (builder, "pauses", cache->pauses);
  json_put_int (builder, "throttled_ns", cache->throttled);
  json_put_int (builder, "longest_pause_ns", cache->longest_pause);
  json_put_int (builder, "flushed_pages", cache->flushed);
  json_put_int (builder, "evicted_pages", cache->evicted);
  json_put_int (builder, "dropped_pages", cache->dropped);
  json_builder_end_object (builder);
}

static void put_journal (JsonBuilder *builder, const ResultJournal *journal)
{
  json_open_object (builder, "journal");
  json_put_int (builder, "syncs", journal->syncs);
  json_put_int (builder, "asked", journal->asked);
  json_put_int (builder, "joined", journal->joined);
  json_put_int (builder, "clean", journal->clean);
  json_put_int (builder, "commits", journal->commits);
  json_put_int (builder, "flushes", journal->flushes);
  json_put_int (builder, "flushes_shared", journal->flushes_shared);
  json_builder_end_object (builder);
}

/* In 4 KiB pages, as "cache". */
static void put_periods (JsonBuilder *builder, const GArray *periods)
{
  json_open_array (builder, "phases");
  for (unsigned i = 0; i < periods->len; i++) {
    const ResultPeriod *period = &g_array_index (periods, ResultPeriod, i);
    json_open_object (builder, NULL);
    json_put_string (builder, "name", period->name);
    json_put_int (builder, "from_ns", period->from);
    json_put_int (builder, "to_ns", period->to);
    json_put_int (builder, "ios", period->ios);
    json_put_double (builder, "iops", period->iops);
    json_put_double (builder, "bw_bytes", period->bw_bytes);
    json_put_int (builder, "written_pages", period->written_pages);
    json_put_double (builder, "dirty_pages", period->dirty_pages);
    json_put_int (builder, "dirty_pages_end", period->dirty_pages_end);
    json_put_double (builder, "throttled", period->throttled);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void put_run_more (JsonBuilder *builder, const ReportRun *run)
{
  const RunResult *result = run->result;
  g_autofree char *kernel = format_kernel (result->kernel);

  json_put_string (builder, "kernel", kernel);
  put_locks_left_out (builder, result);
  if (run->baseline) {
    json_put_bool (builder, "baseline", TRUE);
  }
  if (run->ratio.n) {
    json_open_object (builder, "ratio");
    json_put_string (builder, "to", run->ratio_to);
    json_put_double (builder, "mean", run->ratio.mean);
    if (run->ratio.half_width >= 0) {
      json_put_double (builder, "ci95", run->ratio.half_width);
    }
    json_put_int (builder, "reps", run->ratio.n);
    json_builder_end_object (builder);
  }
  if (run->metric[METRIC_IOPS].n) {
    json_open_object (builder, "over_seeds");
    put_estimate (builder, "iops", run->metric[METRIC_IOPS]);
    put_estimate (builder, "clat_ns", run->metric[METRIC_CLAT]);
    put_estimate (builder, "cpu_share_contention", run->metric[METRIC_CPU_SHARE_CONTENTION]);
    json_builder_end_object (builder);
  }
  if (result->device.used) {
    put_device (builder, &result->device);
  }
  if (result->cache.used) {
    put_cache (builder, &result->cache);
  }
  if (result->journal.used) {
    put_journal (builder, &result->journal);
  }
  if (result->periods && result->periods->len) {
    put_periods (builder, result->periods);
  }
  put_phases (builder, result);
  json_put_int (builder, "ipis", result->ipis);
  json_put_int (builder, "futile_wakeups", result->futile_wakeups);
  json_put_int (builder, "measured_ns", result->measured_ns);
  json_put_int (builder, "syncs", result->syncs);
  json_put_int (builder, "cq_overflows", result->cq_overflows);
  json_put_int (builder, "short_writes", result->short_writes);
  if (result->interrupted) {
    json_put_bool (builder, "interrupted", TRUE);
  }
  json_put_strings (builder, "notes", result->notes);
}

/* Parts as they are called in the report, ns per I/O; bounds in IOPS. */
static void put_operation (JsonBuilder *builder, const Operation *operation)
{
  json_open_object (builder, "operation");
  json_put_string (builder, "binds", binding_text (operation->binds));
  json_put_double (builder, "ns_per_io", operation->time);
  json_open_object (builder, "parts_ns");
  for (unsigned part = 0; part < PARTS; part++) {
    json_put_double (builder, part_text ((Part) part), operation->part[part]);
  }
  json_builder_end_object (builder);
  json_put_double (builder, "lock_alone_iops", operation->bound_lock);
  json_put_double (builder, "cpus_alone_iops", operation->bound_cpu);
  json_put_double (builder, "device_alone_iops", operation->bound_device);
  json_builder_end_object (builder);
}

static void put_verdict (JsonBuilder *builder, const Report *report)
{
  const ReportVerdict *verdict = report->verdict;
  g_autofree char *sentence = verdict_sentence (report->runs, verdict);

  json_open_object (builder, "verdict");
  json_put_string (builder, "sentence", sentence);
  json_put_int (builder, "faster", verdict->faster);
  json_put_int (builder, "slower", verdict->slower);
  put_estimate (builder, "ratio", verdict->ratio);
  json_put_bool (builder, "tie", verdict->tie);
  json_put_bool (builder, "arrival_bound", verdict->arrivals);
  json_put_double (builder, "tail_percentile", verdict->percentile);
  json_put_double (builder, "tail_ratio", verdict->tail);
  json_put_double (builder, "cpu_per_io_ratio", verdict->cpu);
  if (!verdict->tie && !verdict->arrivals && verdict->saved > 0) {
    json_put_string (builder, "cause", part_text (verdict->cause));
    json_put_double (builder, "saved_ns", verdict->saved);
    json_put_double (builder, "of_ns", verdict->of);
  }
  json_builder_end_object (builder);
}

char *json_report (const Report *report)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "seed", report->seed);
  json_open_array (builder, "runs");
  for (unsigned i = 0; i < report->n_runs; i++) {
    json_open_object (builder, NULL);
    put_run (builder, &report->runs[i], report->timing);
    put_run_more (builder, &report->runs[i]);
    if (report->operations) {
      put_operation (builder, &report->operations[i]);
    }
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  if (report->verdict) {
    put_verdict (builder, report);
  }
  json_put_string (builder, "command", report->command);
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "reps", report->reps);
  json_put_string (builder, "workload", report->workload->source_name);
  json_put_string (builder, "format", report->workload->format);
  json_put_string (builder, "replay", replay_name (report->replay));
  json_put_string (builder, "machine_evidence", report->machine->evidence);
  json_put_strings (builder, "notes", report->notes);
  json_put_strings (builder, "interpretation", report->workload->notes);
  json_put_strings (builder, "ignored_options", report->workload->ignored_options);
  json_put_bool (builder, "interrupted", report->interrupted);
  json_builder_end_object (builder);
  return json_finish (builder);
}

static void put_published (JsonBuilder *builder, const ExperimentRow *row)
{
  json_open_object (builder, "published");
  for (unsigned i = 0; i < METRICS_N; i++) {
    if (row->published[i] >= 0) {
      json_put_double (builder, metric_json ((Metric) i), row->published[i]);
    }
  }
  json_builder_end_object (builder);
}

static void put_row (JsonBuilder *builder, const ExperimentRow *row, const ReportRun *run)
{
  const RunResult *result = run->result;

  json_open_object (builder, NULL);
  json_put_string (builder, "name", row->name);
  json_put_string (builder, "policy", result->policy);
  json_put_string (builder, "engine", result->engine);
  put_published (builder, row);
  json_open_object (builder, "simulated");
  for (unsigned i = 0; i < METRICS_N; i++) {
    json_put_double (builder, metric_json ((Metric) i), run->metric[i].mean);
  }
  json_put_double (builder, "iops_ci95", MAX (run->metric[METRIC_IOPS].half_width, 0));
  json_put_int (builder, "reps", run->metric[METRIC_IOPS].n);
  json_builder_end_object (builder);
  json_put_double (builder, "left_out_error", row->left_out_error);
  json_put_string (builder, "fs", row->fs);
  json_open_array (builder, "set");
  for (char **assignment = row->set; assignment && *assignment; assignment++) {
    json_builder_add_string_value (builder, *assignment);
  }
  json_builder_end_array (builder);
  put_locks (builder, result);
  put_locks_left_out (builder, result);
  put_workers (builder, result);
  put_phases (builder, result);
  json_builder_end_object (builder);
}

/* null: no such limit, or nothing published as a number. */
static void put_ratio (JsonBuilder *builder, const ExperimentRatio *ratio, const ReportRatio *got)
{
  json_open_object (builder, NULL);
  json_put_string (builder, "name", ratio->name);
  json_put_double (builder, "published", ratio->published >= 0 ? ratio->published : NAN);
  json_put_double (builder, "simulated", got->simulated);
  json_put_double (builder, "tolerance", ratio->tolerance >= 0 ? ratio->tolerance : NAN);
  json_put_bool (builder, "ok", got->ok);
  json_put_double (builder, "error", got->error);
  json_put_double (builder, "ci95", MAX (got->half_width, 0));
  json_put_bool (builder, "wrong_side", got->wrong_side);
  json_put_double (builder, "min", ratio->least);
  json_put_double (builder, "max", ratio->most);
  json_put_string (builder, "metric", metric_json (ratio->metric));
  json_builder_end_object (builder);
}

static void put_experiment (JsonBuilder *builder, const ReportExperiment *report)
{
  const Experiment *experiment = report->experiment;

  json_open_object (builder, NULL);
  json_put_string (builder, "name", experiment->name);
  json_put_string (builder, "source", experiment->source);
  json_put_string (builder, "machine", experiment->machine);
  json_open_array (builder, "rows");
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    put_row (builder, &experiment->rows[i], &report->rows[i]);
  }
  json_builder_end_array (builder);
  json_open_array (builder, "ratios");
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    put_ratio (builder, &experiment->ratios[i], &report->ratios[i]);
  }
  json_builder_end_array (builder);
  json_put_bool (builder, "ok", report->ok);
  json_put_string (builder, "title", experiment->title);
  json_open_array (builder, "fitted");
  for (char **key = experiment->fitted; key && *key; key++) {
    json_builder_add_string_value (builder, *key);
  }
  json_builder_end_array (builder);
  json_put_strings (builder, "notes", report->notes);
  json_builder_end_object (builder);
}

static void put_spreads (JsonBuilder *builder, const ReportReproduction *reproduction)
{
  json_open_array (builder, "fitted_apart");
  for (unsigned i = 0; i < reproduction->n_spreads; i++) {
    const ReportSpread *spread = &reproduction->spreads[i];

    json_open_object (builder, NULL);
    json_put_string (builder, "key", spread->key);
    json_put_double (builder, "least", spread->least);
    json_put_string (builder, "least_in", spread->least_in);
    json_put_double (builder, "most", spread->most);
    json_put_string (builder, "most_in", spread->most_in);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

char *json_report_reproduction (const ReportReproduction *reproduction)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_open_array (builder, "experiments");
  for (unsigned i = 0; i < reproduction->n_experiments; i++) {
    put_experiment (builder, &reproduction->experiments[i]);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "summary");
  json_put_int (builder, "ratios", reproduction->ratios);
  json_put_int (builder, "ok", reproduction->ok);
  json_put_int (builder, "wrong_side", reproduction->wrong_side);
  json_put_int (builder, "within_25_percent", reproduction->within_quarter);
  json_builder_end_object (builder);
  put_spreads (builder, reproduction);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "seed", reproduction->seed);
  json_put_bool (builder, "interrupted", reproduction->interrupted);
  json_builder_end_object (builder);
  return json_finish (builder);
}
