/* The queues of a policy, [Queue NAME], and the defaults [Worker] and [Ring]: see policy.h. */
#include "model/policy_private.h"

#include "model/policy_expression_private.h"
#include "model/ring_setup.h"

#include <string.h>

#define IDLE_TIME_MIN 1e3 /* ns */
#define IDLE_TIME_MAX 1e12

/* In the order of QueueKey. */
static const char *const queue_keys[] = { "Kind",  "MaxWorkers", "Hash",     "Wake", "IdleTime",
                                          "Merge", "Per",        "Affinity", NULL };
/* Those that a queue can leave to [Worker]: from this one on. */
#define FIRST_WORKER_KEY QUEUE_KEY_WAKE
static const char *const ring_keys[] = { "SqThread", "SqIdle", "Flags", NULL };
static const char *const wakes[] = { "kernel", "always", "none-runs", "bucket-free", NULL };
static const char *const merges[] = { "kernel", "none", NULL };
static const char *const pers[] = { "kernel", "ring", "inode", "file", "system", NULL };
static const char *const kinds[] = { "io-wq", "workqueue", NULL };
static const char *const hashes[] = { "none", "inode", "file", "ring", NULL };

const char *policy_wake_name (QueueWake wake)
{
  g_return_val_if_fail (wake < G_N_ELEMENTS (wakes) - 1, NULL);
  return wakes[wake];
}

const char *policy_per_name (QueuePer per)
{
  g_return_val_if_fail (per < G_N_ELEMENTS (pers) - 1, NULL);
  return pers[per];
}

gboolean policy_queue_group_keys (const KeyFile *file, const char *group, const char *const **ret_keys, GError **error)
{
  *ret_keys = NULL;
  if (strcmp (group, "Ring") == 0) {
    *ret_keys = ring_keys;
  } else if (strcmp (group, "Worker") == 0) {
    *ret_keys = queue_keys + FIRST_WORKER_KEY;
  } else if (g_str_has_prefix (group, QUEUE_PREFIX)) {
    if (!key_file_name_valid (group + strlen (QUEUE_PREFIX))) {
      key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE,
                          "[%s]: expected [Queue NAME], NAME of letters, digits, '.', '_' and '-'", group);
      return FALSE;
    }
    *ret_keys = queue_keys;
  }
  return TRUE;
}

static gboolean check_max_workers (const KeyFile *file, const char *group, const PolicyExpression *expression,
                                   GError **error)
{
  double value;

  for (unsigned v = 0; v < POLICY_VARIABLE_COUNT; v++) {
    if (v != POLICY_SQ_ENTRIES && v != POLICY_CPUS && v != POLICY_KERNEL &&
        policy_expression_uses (expression, (PolicyVariable) v)) {
      key_file_set_error (error, file, group, "MaxWorkers", KEY_FILE_VALUE,
                          "MaxWorkers= is fixed when the ring is made: it can use sq_entries, cpus and kernel, not %s",
                          policy_variable_name ((PolicyVariable) v));
      return FALSE;
    }
  }
  const Node *root = &expression->nodes[expression->root];

  if (expression->n_averages) {
    key_file_set_error (
        error, file, group, "MaxWorkers", KEY_FILE_VALUE,
        "MaxWorkers= is fixed when the ring is made: it can use sq_entries, cpus and kernel, no average");
    return FALSE;
  }
  if (root->unit != UNIT_ANY && root->unit != UNIT_NUMBER) {
    key_file_set_error (error, file, group, "MaxWorkers", KEY_FILE_VALUE,
                        "MaxWorkers= is a number of workers, found %s", policy_unit_name ((PolicyUnit) root->unit));
    return FALSE;
  }
  if ((policy_expression_constant (expression, &value) && value < 1) ||
      (root->kind == NODE_KNOB && expression->knobs[root->a].low < 1)) {
    key_file_set_error (error, file, group, "MaxWorkers", KEY_FILE_VALUE,
                        "MaxWorkers= is less than 1: nobody would do the work");
    return FALSE;
  }
  return TRUE;
}

PolicyQueue *policy_find_queue (const Policy *policy, const char *name)
{
  for (unsigned i = 0; i < policy->n_queues; i++) {
    if (strcmp (policy->queues[i].name, name) == 0) {
      return &policy->queues[i];
    }
  }
  return NULL;
}

/* ---- keys ---- */

static gboolean has_key (const KeyFile *file, const char *group, QueueKey key)
{
  return key_file_has (file, group, queue_keys[key]);
}

static void note_origin (PolicyQueue *queue, const KeyFile *file, const char *group, QueueKey key)
{
  g_free (queue->key_origin[key]);
  queue->key_origin[key] = key_file_origin (file, group, queue_keys[key]);
}

/* A key whose value is one of `names`, if the group has it. */
static gboolean read_choice (PolicyQueue *queue, const KeyFile *file, const char *group, QueueKey key,
                             const char *const *names, unsigned *value, GError **error)
{
  if (!has_key (file, group, key)) {
    return TRUE;
  }
  note_origin (queue, file, group, key);
  return key_file_get_choice (file, group, queue_keys[key], names, value, error);
}

/* A time from 1 us to 1000 s, which is written as an expression without names. */
static gboolean read_time (const Loader *l, const KeyFile *file, const char *group, const char *key, UrTime *ret_time,
                           GError **error)
{
  g_autofree char *text = NULL;
  PolicyExpression *expression = policy_get_expression (l, file, group, key, &text, error);
  double ns = 0;
  const gboolean constant =
      expression && policy_expression_constant (expression, &ns) && policy_expression_unit (expression) == UNIT_TIME;

  policy_expression_free (expression);
  if (!text) {
    return FALSE;
  }
  if (!constant || ns < IDLE_TIME_MIN || ns > IDLE_TIME_MAX) {
    key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s=%s: expected a time from 1us to 1000s", key, text);
    return FALSE;
  }
  *ret_time = (UrTime) ns;
  return TRUE;
}

static gboolean read_affinity (PolicyQueue *queue, const KeyFile *file, const char *group, GError **error)
{
  g_autofree char *text = NULL, *quoted = NULL;

  if (!has_key (file, group, QUEUE_KEY_AFFINITY)) {
    return TRUE;
  }
  note_origin (queue, file, group, QUEUE_KEY_AFFINITY);
  if (!key_file_get_raw (file, group, "Affinity", &text, error)) {
    return FALSE;
  }
  g_clear_pointer (&queue->affinity_text, g_free);
  queue->affinity = (CpuMask){ 0 };
  if (strcmp (text, "any") == 0) {
    return TRUE;
  }
  if (!cpu_mask_parse (text, &queue->affinity, NULL)) {
    quoted = key_file_quote (text);
    key_file_set_error (error, file, group, "Affinity", KEY_FILE_VALUE,
                        "Affinity=%s: expected any or a list of CPUs below %u such as 0-3,8", quoted, CPU_MASK_CPUS);
    return FALSE;
  }
  queue->affinity_text = g_steal_pointer (&text);
  return TRUE;
}

/* What a queue or [Worker] may say about workers. */
static gboolean read_behaviour (const Loader *l, PolicyQueue *queue, const KeyFile *file, const char *group,
                                GError **error)
{
  unsigned wake = queue->wake, merge = queue->no_merge, per = queue->per;

  if (!read_choice (queue, file, group, QUEUE_KEY_WAKE, wakes, &wake, error) ||
      !read_choice (queue, file, group, QUEUE_KEY_MERGE, merges, &merge, error) ||
      !read_choice (queue, file, group, QUEUE_KEY_PER, pers, &per, error) ||
      !read_affinity (queue, file, group, error)) {
    return FALSE;
  }
  queue->wake = (QueueWake) wake;
  queue->no_merge = merge == 1;
  queue->per = (QueuePer) per;
  if (!has_key (file, group, QUEUE_KEY_IDLE_TIME)) {
    return TRUE;
  }
  note_origin (queue, file, group, QUEUE_KEY_IDLE_TIME);
  return read_time (l, file, group, "IdleTime", &queue->idle_time, error);
}

/* Keys that only one kind of queue has. */
static gboolean check_kind_keys (const KeyFile *file, const PolicyQueue *queue, const char *group, GError **error)
{
  const char *key = queue->kind == QUEUE_WORKQUEUE ? (queue->wake            ? "Wake"
                                                      : queue->idle_time     ? "IdleTime"
                                                      : queue->affinity_text ? "Affinity"
                                                                             : NULL)
                    : queue->no_merge              ? "Merge"
                                                   : NULL;

  if (!key) {
    return TRUE;
  }
  key_file_set_error (error, file, group, key_file_has (file, group, key) ? key : NULL,
                      (KeyFileErrorCode) POLICY_ERROR_RULES, "[%s]: %s= is for Kind=%s only", group, key,
                      kinds[queue->kind == QUEUE_WORKQUEUE ? QUEUE_IO_WQ : QUEUE_WORKQUEUE]);
  return FALSE;
}

/* ---- [Queue NAME] ---- */

/* Lays the keys of one [Queue NAME] over what the bases said. */
static gboolean read_queue (const Loader *l, const KeyFile *file, const char *group, GError **error)
{
  Policy *policy = l->policy;
  const char *name = group + strlen (QUEUE_PREFIX);
  PolicyQueue *queue = policy_find_queue (policy, name);
  unsigned kind, hash;

  if (!queue) {
    if (policy->n_queues == POLICY_QUEUES_MAX) {
      key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "more than %u queues", POLICY_QUEUES_MAX);
      return FALSE;
    }
    queue = &policy->queues[policy->n_queues++];
    queue->name = g_strdup (name);
  }
  g_free (queue->origin);
  queue->origin = key_file_origin (file, group, NULL);
  kind = queue->kind;
  hash = queue->hash;
  if (!read_choice (queue, file, group, QUEUE_KEY_KIND, kinds, &kind, error) ||
      !read_choice (queue, file, group, QUEUE_KEY_HASH, hashes, &hash, error)) {
    return FALSE;
  }
  queue->kind = (QueueKind) kind;
  queue->hash = (QueueHash) hash;
  if (has_key (file, group, QUEUE_KEY_MAX_WORKERS)) {
    note_origin (queue, file, group, QUEUE_KEY_MAX_WORKERS);
    policy_expression_free (queue->max_workers);
    g_clear_pointer (&queue->max_workers_text, g_free);
    queue->max_workers = policy_get_expression (l, file, group, "MaxWorkers", &queue->max_workers_text, error);
    if (!queue->max_workers || !check_max_workers (file, group, queue->max_workers, error)) {
      return FALSE;
    }
  }
  return read_behaviour (l, queue, file, group, error);
}

static gboolean check_queue (const KeyFile *file, const PolicyQueue *queue, GError **error)
{
  g_autofree char *group = g_strconcat (QUEUE_PREFIX, queue->name, NULL);

  if (!queue->key_origin[QUEUE_KEY_KIND] || !queue->max_workers) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s] lacks %s=", group,
                        queue->key_origin[QUEUE_KEY_KIND] ? "MaxWorkers" : "Kind");
    return FALSE;
  }
  if (queue->kind == QUEUE_WORKQUEUE && queue->hash != HASH_NONE) {
    key_file_set_error (error, file, group, "Hash", (KeyFileErrorCode) POLICY_ERROR_RULES,
                        "[%s]: a workqueue does not hash; Hash=%s needs Kind=io-wq", group, hashes[queue->hash]);
    return FALSE;
  }
  return check_kind_keys (file, queue, group, error);
}

void policy_queue_clear (PolicyQueue *queue)
{
  g_free (queue->name);
  policy_expression_free (queue->max_workers);
  g_free (queue->max_workers_text);
  g_free (queue->affinity_text);
  g_free (queue->origin);
  for (unsigned key = 0; key < QUEUE_KEYS; key++) {
    g_free (queue->key_origin[key]);
  }
}

/* ---- [Worker] ---- */

/* Gives the queue what [Worker] says and the queue does not, as far as its kind has it. */
static void fill_queue (PolicyQueue *queue, const PolicyQueue *defaults)
{
  for (unsigned key = FIRST_WORKER_KEY; key < QUEUE_KEYS; key++) {
    gboolean fits = key == QUEUE_KEY_PER || (key == QUEUE_KEY_MERGE) == (queue->kind == QUEUE_WORKQUEUE);

    if (queue->key_origin[key] || !defaults->key_origin[key] || !fits) {
      continue;
    }
    queue->key_origin[key] = g_strdup (defaults->key_origin[key]);
    if (key == QUEUE_KEY_WAKE) {
      queue->wake = defaults->wake;
    } else if (key == QUEUE_KEY_IDLE_TIME) {
      queue->idle_time = defaults->idle_time;
    } else if (key == QUEUE_KEY_MERGE) {
      queue->no_merge = defaults->no_merge;
    } else if (key == QUEUE_KEY_PER) {
      queue->per = defaults->per;
    } else {
      queue->affinity = defaults->affinity;
      queue->affinity_text = g_strdup (defaults->affinity_text);
    }
  }
}

static gboolean read_worker_defaults (const Loader *l, PolicyQueue *defaults, GError **error)
{
  for (unsigned i = l->chain->len; i > 0; i--) {
    const KeyFile *file = l->chain->pdata[i - 1];

    if (key_file_has (file, "Worker", NULL) && !read_behaviour (l, defaults, file, "Worker", error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- [Ring] ---- */

static gboolean read_ring_flags (PolicyRing *ring, const KeyFile *file, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autofree char *text = NULL, *quoted = NULL;

  if (!key_file_get_raw (file, "Ring", "Flags", &text, error)) {
    return FALSE;
  }
  ring->flags = (RingFlags){ 0 };
  words = g_strsplit (text, ",", -1);
  for (unsigned i = 0; words[i]; i++) {
    if (strcmp (words[i], "none") == 0 && !words[1]) {
      continue;
    }
    if (!ring_flags_set (&ring->flags, words[i]) || ring->flags.sqpoll || ring->flags.sq_aff || ring->flags.cqsize ||
        ring->flags.iopoll || ring->flags.hybrid_iopoll) {
      quoted = key_file_quote (words[i]);
      key_file_set_error (error, file, "Ring", "Flags", KEY_FILE_VALUE,
                          "Flags=: found %s, expected none or words of attach-wq, clamp, coop-taskrun, defer-taskrun, "
                          "single-issuer, submit-all, taskrun-flag",
                          quoted);
      return FALSE;
    }
  }
  ring->flags_given = TRUE;
  g_free (ring->flags_text);
  ring->flags_text = g_steal_pointer (&text);
  return TRUE;
}

static gboolean read_ring (const Loader *l, PolicyRing *ring, GError **error)
{
  for (unsigned i = l->chain->len; i > 0; i--) {
    const KeyFile *file = l->chain->pdata[i - 1];
    gboolean sq_thread;

    if (!key_file_has (file, "Ring", NULL)) {
      continue;
    }
    g_free (ring->origin);
    ring->origin = key_file_origin (file, "Ring", NULL);
    if (key_file_has (file, "Ring", "SqThread")) {
      if (!key_file_get_boolean (file, "Ring", "SqThread", &sq_thread, error)) {
        return FALSE;
      }
      ring->sq_thread = sq_thread ? SQ_THREAD_YES : SQ_THREAD_NO;
    }
    if ((key_file_has (file, "Ring", "SqIdle") && !read_time (l, file, "Ring", "SqIdle", &ring->sq_idle, error)) ||
        (key_file_has (file, "Ring", "Flags") && !read_ring_flags (ring, file, error))) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean policy_check_ring (const Loader *l, GError **error)
{
  const KeyFile *own = l->chain->pdata[0];
  const PolicyRing *ring = &l->policy->ring;
  RingSetup setup = { .entries = 1, .flags = ring->flags, .sq_cpu = -1 };
  RingSizes sizes;
  g_autoptr (GError) cause = NULL;

  if (ring->sq_thread == SQ_THREAD_NO && key_file_has (own, "Ring", "SqIdle")) {
    key_file_set_error (error, own, "Ring", "SqIdle", (KeyFileErrorCode) POLICY_ERROR_RULES,
                        "SqIdle= is of the sq_thread, and SqThread=no");
    return FALSE;
  }
  setup.flags.sqpoll = ring->sq_thread == SQ_THREAD_YES;
  if (!ring->flags_given || ring_setup_check (&setup, l->policy->kernel, &sizes, &cause)) {
    return TRUE;
  }
  const gboolean here = key_file_has (own, "Ring", "Flags");

  key_file_set_error (error, own, here ? "Ring" : "Policy", here ? "Flags" : NULL,
                      (KeyFileErrorCode) POLICY_ERROR_RULES, "Flags=%s on Linux %u.%u: %s", ring->flags_text,
                      KERNEL_MAJOR (l->policy->kernel), KERNEL_MINOR (l->policy->kernel), cause->message);
  return FALSE;
}

/* ---- all of it ---- */

gboolean policy_read_queues (Loader *l, GError **error)
{
  Policy *policy = l->policy;
  PolicyQueue defaults = { 0 };
  gboolean ok;

  policy->queues = g_new0 (PolicyQueue, POLICY_QUEUES_MAX);
  for (unsigned i = l->chain->len; i > 0; i--) {
    const KeyFile *file = l->chain->pdata[i - 1];

    for (unsigned g = 0; g < key_file_n_groups (file); g++) {
      const char *group = key_file_group (file, g);

      if (g_str_has_prefix (group, QUEUE_PREFIX) && !read_queue (l, file, group, error)) {
        return FALSE;
      }
    }
  }
  ok = read_worker_defaults (l, &defaults, error);
  for (unsigned i = 0; ok && i < policy->n_queues; i++) {
    fill_queue (&policy->queues[i], &defaults);
    ok = check_queue (l->chain->pdata[0], &policy->queues[i], error);
  }
  policy_queue_clear (&defaults);
  return ok && read_ring (l, &policy->ring, error);
}

/* A queue that this file writes down and no rule names is a mistake. */
gboolean policy_check_queues_used (const Loader *l, GError **error)
{
  const KeyFile *own = l->chain->pdata[0];

  for (unsigned q = 0; q < l->policy->n_queues; q++) {
    g_autofree char *group = g_strconcat (QUEUE_PREFIX, l->policy->queues[q].name, NULL);
    gboolean used = !key_file_has (own, group, NULL);

    for (unsigned i = 0; !used && i < l->policy->n_rules; i++) {
      used = l->policy->rules[i].on_again == ON_AGAIN_QUEUE && l->policy->rules[i].queue == q;
    }
    if (!used) {
      key_file_set_error (error, own, group, NULL, (KeyFileErrorCode) POLICY_ERROR_RULES, "no rule uses [%s]", group);
      return FALSE;
    }
  }
  return TRUE;
}
