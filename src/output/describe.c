/*
 * Policies, machines, file systems and experiments as descriptions: every effective value and where it comes from.
 */
#include "model/policy_plugin.h"
#include "src/output/description.h"
#include "src/output/format.h"
#include <limits.h>
#include <math.h>

static void take_cell (Description *description, char *value)
{
  description_cell (description, value);
  g_free (value);
}

static void take_field (Description *description, const char *key, char *value)
{
  description_field (description, key, value);
  g_free (value);
}

static void field_kernel (Description *description, unsigned kernel)
{
  if (kernel) {
    take_field (description, "kernel", format_kernel (kernel));
  }
}

static void describe_rule (Description *d, const Policy *policy, const PolicyRule *rule)
{
  take_cell (d, g_strdup_printf ("%d", rule->number));
  description_cell (d, rule->match_text);
  description_cell (d, policy_attempt_name (rule->attempt));
  take_cell (d, policy_on_again_text (policy, rule));
  description_cell (d, rule->post_now ? "now" : "batch");
  description_cell (d, rule->origin);
}

/* [Ring], where there is one. */
static void describe_ring (Description *d, const PolicyRing *ring)
{
  if (!ring->origin) {
    return;
  }
  description_field (d, "ring_sq_thread",
                     ring->sq_thread == SQ_THREAD_AS_JOB ? "as the job says"
                     : ring->sq_thread == SQ_THREAD_YES  ? "yes"
                                                         : "no");
  take_field (d, "ring_sq_idle",
              ring->sq_idle ? g_strdup_printf ("%" G_GUINT64_FORMAT, ring->sq_idle) : g_strdup ("kernel"));
  description_field (d, "ring_flags", ring->flags_text ? ring->flags_text : "as fio sets them");
  description_field (d, "ring_origin", ring->origin);
}

Description *describe_policy (const Policy *policy)
{
  static const char *const kinds[] = { [QUEUE_IO_WQ] = "io-wq", [QUEUE_WORKQUEUE] = "workqueue" };
  static const char *const hashes[] = {
    [HASH_NONE] = "none", [HASH_INODE] = "inode", [HASH_FILE] = "file", [HASH_RING] = "ring"
  };
  Description *d = description_new ("policy");
  GString *bases = g_string_new (NULL);

  for (unsigned i = 0; i < policy->bases->len; i++) {
    g_string_append_printf (bases, "%s%s", i ? ", " : "", (const char *) policy->bases->pdata[i]);
  }
  description_field (d, "name", policy->name);
  description_field (d, "title", policy->title);
  field_kernel (d, policy->kernel);
  description_field (d, "kernel_origin", policy->kernel_origin);
  description_field (d, "bases", bases->str);
  description_field (d, "source", policy->source);
  description_field (d, "account", policy->account);
  description_field (d, "file", policy->path);
  describe_ring (d, &policy->ring);
  g_string_free (bases, TRUE);
  description_table (d, "rules", "number# match attempt on_again post origin");
  for (unsigned i = 0; policy->plugin && i < policy->plugin->n_choices; i++) {
    describe_rule (d, policy, &policy->plugin->choices[i]);
  }
  for (unsigned i = 0; i < policy->n_rules; i++) {
    describe_rule (d, policy, &policy->rules[i]);
  }
  description_table (
      d, "queues",
      "name kind max_workers hash wake idle_time merge per affinity kind_origin+ max_workers_origin+ hash_origin+ "
      "wake_origin+ idle_time_origin+ merge_origin+ per_origin+ affinity_origin+");
  for (unsigned i = 0; i < policy->n_queues; i++) {
    const PolicyQueue *queue = &policy->queues[i];
    description_cell (d, queue->name);
    description_cell (d, kinds[queue->kind]);
    description_cell (d, queue->max_workers_text);
    description_cell (d, hashes[queue->hash]);
    description_cell (d, queue->kind == QUEUE_IO_WQ ? policy_wake_name (queue->wake) : "-");
    take_cell (d, queue->idle_time ? g_strdup_printf ("%" G_GUINT64_FORMAT, queue->idle_time) : g_strdup ("kernel"));
    description_cell (d, queue->kind == QUEUE_IO_WQ ? "-" : queue->no_merge ? "none" : "kernel");
    description_cell (d, policy_per_name (queue->per));
    description_cell (d, queue->kind == QUEUE_IO_WQ ? queue->affinity_text ? queue->affinity_text : "any" : "-");
    for (unsigned key = 0; key < QUEUE_KEYS; key++) {
      description_cell (d, queue->key_origin[key]);
    }
  }
  return d;
}

/* The values that are no costs, in the words of the file. (transfer full) */
static char *scalar_text (const Machine *machine, const char *name, const MachineValue *value)
{
  if (g_str_equal (name, "CPU.Noise")) {
    return format_fixed (machine->noise, 3);
  }
  if (g_str_equal (name, "CPU.Slowdown")) {
    return format_fixed (machine->slowdown, 2);
  }
  if (g_str_equal (name, "Locks.HoldPerContender")) {
    return format_fixed (machine->kappa, 4);
  }
  if (g_str_equal (name, "Locks.HoldElsewhere")) {
    return format_fixed (machine->hold_elsewhere, 3);
  }
  if (g_str_equal (name, "Scheduler.PackRoom")) {
    return format_fixed (machine->pack_room, 3);
  }
  if (g_str_equal (name, "Scheduler.Placement")) {
    return g_strdup (machine->placement == PLACEMENT_PACK ? "pack" : "spread");
  }
  if (g_str_equal (name, "Scheduler.Preemption")) {
    return g_strdup (machine->preemption == PREEMPT_FULL ? "full" : "voluntary");
  }
  return g_strdup_printf ("%" G_GUINT64_FORMAT, value->ns);
}

static const char *scalar_unit (const char *name)
{
  static const char *const in_ns[] = { "Scheduler.Tick",
                                       "Scheduler.Slice",
                                       "Scheduler.IdleDeepAfter",
                                       "Scheduler.IdleEntry",
                                       "Memory.DirtyExpire",
                                       "Memory.DirtyWriteback",
                                       NULL };
  static const char *const in_bytes[] = { "CPU.CacheSize", "Memory.Size", "Memory.Used", NULL };

  return g_strv_contains (in_ns, name) ? "ns" : g_strv_contains (in_bytes, name) ? "bytes" : "";
}

static void add_cost (Description *d, char *name, const MachineValue *value, const char *meaning)
{
  take_cell (d, name);
  take_cell (d, g_strdup_printf ("%" G_GUINT64_FORMAT, value->ns));
  description_cell (d, meaning);
  description_cell (d, value->source);
  description_cell (d, value->origin);
}

Description *describe_machine (const Machine *machine)
{
  Description *d = description_new ("machine");
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (machine->scalar_source), (GCompareFunc) g_strcmp0);

  description_field (d, "name", machine->name);
  description_field (d, "title", machine->title);
  description_field (d, "evidence", machine->evidence);
  description_field (d, "file", machine->path);
  description_table (d, "settings", "key value unit source+ origin+");
  for (const GList *item = names; item; item = item->next) {
    const MachineValue *value = g_hash_table_lookup (machine->scalar_source, item->data);
    description_cell (d, item->data);
    take_cell (d, scalar_text (machine, item->data, value));
    description_cell (d, scalar_unit (item->data));
    description_cell (d, value->source);
    description_cell (d, value->origin);
  }
  description_table (d, "costs", "key ns# meaning source+ origin+");
  for (int i = 0; i < COSTS; i++) {
    add_cost (d, g_strdup_printf ("%s.%s", machine_cost_group (i), machine_cost_key (i)), &machine->cost[i],
              machine_cost_text (i));
  }
  for (unsigned k = 0; k < machine->file_systems->len; k++) {
    const MachineFileSystem *fs = machine->file_systems->pdata[k];
    for (int i = 0; i < FS_COSTS; i++) {
      add_cost (d, g_strdup_printf ("FileSystem %s.%s", fs->name, machine_file_system_cost_key (i)), &fs->cost[i],
                machine_file_system_cost_text (i));
    }
  }
  return d;
}

/* (transfer full) */
static char *range_text (KernelRange range)
{
  g_autofree char *since = format_kernel (range.since), *until = format_kernel (range.until);

  if (range.since >= range.until) {
    return g_strdup ("never");
  }
  if (range.until == UINT_MAX) {
    return range.since == 0 ? g_strdup ("always") : g_strconcat (since, "+", NULL);
  }
  return range.since == 0 ? g_strconcat ("before ", until, NULL) : g_strdup_printf ("%s to before %s", since, until);
}

static const char *const modes[] = { [LOCK_NONE] = "none", [LOCK_SHARED] = "shared", [LOCK_EXCLUSIVE] = "exclusive" };

static void describe_direct (Description *d, const FileSystem *fs)
{
  description_field (d, "direct_read_lock", modes[fs->direct.read]);
  description_field (d, "direct_write_lock", modes[fs->direct.write]);
  description_field (d, "direct_extend_lock", modes[fs->direct.extend]);
  description_field (d, "direct_extend_waits_for_device", fs->direct.extend_waits ? "yes" : "no");
  take_field (d, "direct_unwritten_as_overwrite", range_text (fs->direct.unwritten));
  take_field (d, "direct_nowait_allocates", range_text (fs->direct.allocate));
  take_field (d, "direct_unaligned_overwrite", range_text (fs->direct.unaligned));
  description_field (d, "buffered_write_waits_for_direct", fs->direct.buffered_waits ? "yes" : "no");
}

Description *describe_file_system (const FileSystem *fs)
{
  Description *d = description_new ("file_system");

  description_field (d, "name", fs->name);
  description_field (d, "title", fs->title);
  description_field (d, "source", fs->source);
  take_field (d, "nowait", range_text (fs->nowait));
  take_field (d, "buffer_rasync", range_text (fs->buffer_rasync));
  take_field (d, "buffer_wasync", range_text (fs->buffer_wasync));
  take_field (d, "dio_parallel_write", range_text (fs->dio_parallel_write));
  take_field (d, "large_folios", range_text (fs->large_folios));
  description_field (d, "read_lock", modes[fs->read_lock]);
  description_field (d, "write_lock", modes[fs->write_lock]);
  take_field (d, "buffered_locks_taken", range_text (fs->locks_taken));
  description_field (d, "regular_files", fs->regular ? "yes" : "no");
  description_field (d, "balance_dirty_pages", fs->balance_at_end ? "after the copy" : "before the copy");
  description_field (d, "time_stamp_refuses_nowait", fs->timestamp_blocks ? "yes" : "no");
  take_field (d, "dont_cache", range_text (fs->dont_cache));
  description_field (d, "stable_pages", fs->stable_pages ? "yes" : "no");
  description_field (d, "journal", journal_kind_name (fs->journal));
  description_field (d, "in_memory", fs->in_memory ? "yes" : "no");
  describe_direct (d, fs);
  description_field (d, "costs", fs->cost_name);
  description_field (d, "file", fs->path);
  return d;
}

/* A value in the unit of its key, as the file would have it. (transfer full) */
static char *device_value_text (const Device *device, DeviceKey key)
{
  double number = device_number (device, key);

  switch (device_key_unit (key)) {
  case DEVICE_YESNO:
    return g_strdup (number != 0 ? "yes" : "no");
  case DEVICE_NUMBER:
    return format_fixed (number, 3);
  default:
    return g_strdup_printf ("%.0f", number);
  }
}

Description *describe_device (const Device *device)
{
  static const char *const units[] = {
    [DEVICE_NS] = "ns", [DEVICE_COUNT] = "", [DEVICE_BYTES] = "bytes", [DEVICE_NUMBER] = "", [DEVICE_YESNO] = ""
  };
  Description *d = description_new ("device");

  description_field (d, "name", device->name);
  description_field (d, "title", device->title);
  description_field (d, "evidence", device->evidence);
  description_field (d, "file", device->path);
  description_table (d, "values", "key value unit meaning source+ origin+");
  for (unsigned i = 0; i < DEVICE_VALUES_N; i++) {
    take_cell (d, g_strdup_printf ("%s.%s", device_key_group (i), device_key_name (i)));
    take_cell (d, device_value_text (device, i));
    description_cell (d, units[device_key_unit (i)]);
    description_cell (d, device_key_text (i));
    description_cell (d, device->value[i].source);
    description_cell (d, device->value[i].origin);
  }
  return d;
}

static void take_published (Description *d, double value, int decimals)
{
  take_cell (d, value >= 0 ? format_fixed (value, decimals) : NULL);
}

static char *ratio_side (const Experiment *experiment, const unsigned *rows, unsigned n, Metric metric)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < n; i++) {
    g_string_append_printf (text, "%s%s", i ? " + " : "", experiment->rows[rows[i]].name);
  }
  if (n && metric != METRIC_IOPS) {
    g_string_append_printf (text, " (%s)", metric_key (metric));
  }
  return g_string_free (text, FALSE);
}

/* The keys of [Row NAME] that say how it is run, but for those that have columns. */
static char *row_settings (const ExperimentRow *row)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *set = g_strjoinv ("; ", row->set);

  if (row->device) {
    g_ptr_array_add (parts, g_strconcat ("device ", row->device, NULL));
  }
  if (row->iodepth) {
    g_ptr_array_add (parts, g_strdup_printf ("iodepth %u", row->iodepth));
  }
  if (row->cpus) {
    g_ptr_array_add (parts, g_strdup_printf ("%u CPUs", row->cpus));
  }
  if (row->ring) {
    g_ptr_array_add (parts, g_strconcat ("ring ", row->ring, NULL));
  }
  if (row->sqe) {
    g_ptr_array_add (parts, g_strconcat ("sqe ", row->sqe, NULL));
  }
  if (*set) {
    g_ptr_array_add (parts, g_steal_pointer (&set));
  }
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **) parts->pdata);
}

static void describe_rows (Description *d, const Experiment *experiment)
{
  description_table (d, "rows",
                     "name policy fs engine sq_thread iops# bw_bytes# clat_ns# cpu_share_contention# settings+ "
                     "workload+ note+");
  for (unsigned i = 0; i < experiment->n_rows; i++) {
    const ExperimentRow *row = &experiment->rows[i];
    description_cell (d, row->name);
    description_cell (d, row->policy);
    description_cell (d, row->fs);
    description_cell (d, row->engine >= 0 ? application_engine_name ((ApplicationEngine) row->engine) : "the job's");
    description_cell (d, row->sqpoll < 0 ? "the job's" : row->sqpoll ? "yes" : "no");
    take_published (d, row->published[METRIC_IOPS], 0);
    take_published (d, row->published[METRIC_BANDWIDTH], 0);
    take_published (d, row->published[METRIC_CLAT], 0);
    take_published (d, row->published[METRIC_CPU_SHARE_CONTENTION], 2);
    take_cell (d, row_settings (row));
    description_cell (d, row->workload_path);
    description_cell (d, row->note);
  }
}

Description *describe_experiment (const Experiment *experiment)
{
  Description *d = description_new ("experiment");
  g_autofree char *fitted = g_strjoinv ("; ", experiment->fitted), *stated = g_strjoinv ("; ", experiment->stated);

  description_field (d, "name", experiment->name);
  description_field (d, "title", experiment->title);
  description_field (d, "source", experiment->source);
  description_field (d, "machine", experiment->machine);
  description_field (d, "fitted", fitted);
  description_field (d, "stated", stated);
  description_field (d, "note", experiment->note);
  description_field (d, "file", experiment->path);
  describe_rows (d, experiment);
  description_table (d, "ratios", "name numerator denominator published# min# max#");
  for (unsigned i = 0; i < experiment->n_ratios; i++) {
    const ExperimentRatio *ratio = &experiment->ratios[i];
    description_cell (d, ratio->name);
    take_cell (d, ratio_side (experiment, ratio->above, ratio->n_above, ratio->metric));
    take_cell (d, ratio_side (experiment, ratio->below, ratio->n_below, ratio->metric_below));
    take_published (d, ratio->published, 3);
    take_published (d, ratio->least, 3);
    take_published (d, isinf (ratio->most) ? -1 : ratio->most, 3);
  }
  return d;
}
