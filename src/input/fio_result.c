/* Results of fio.  See fio_result.h; formats are those of fio 3.0 to 3.42. */
#include "src/input/fio_result.h"
#include "src/input/fio_job.h"
#include "src/input/fio_result_latency.h"
#include "src/input/input_error.h"
#include "src/input/json_read.h"
#include "src/input/json_text.h"
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 255, OPTION_MAX_BYTES = 4096, OPTIONS_MAX = 512, GROUPS_MAX = 4096 };

typedef struct {
  const char *file;
  const JsonText *text;
  JsonObject *top;
  const char *version; /* (nullable) "fio-3.33" */
  GPtrArray *groups;   /* of Measurement */
  GArray *group_ids;   /* of unsigned, of them */
} Reader;

/* ---- options ---- */

/* A text of the result as it may stand in messages and names. (transfer full) (nullable) */
static char *quoted_member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  const char *text = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;

  return text ? input_quote (text, strlen (text), NAME_MAX_BYTES) : NULL;
}

/* Names of jobs and remarks are no options of a run. */
static gboolean is_said_elsewhere (const char *name) { return !strcmp (name, "name") || !strcmp (name, "description"); }

static gboolean add_options (JsonObject *options, MeasuredSection *section, JsonPlace place, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (options);

  for (const GList *item = names; item; item = item->next) {
    JsonNode *node = json_object_get_member (options, item->data);
    const char *value = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
    if (!value || strlen (value) > OPTION_MAX_BYTES || strlen (item->data) > NAME_MAX_BYTES ||
        section->options->len >= OPTIONS_MAX) {
      g_autofree char *quoted = input_quote (item->data, strlen (item->data), 60);
      return json_fail (place, error, "option \"%s\": expected a text of up to %d bytes, and at most %d options",
                        quoted, OPTION_MAX_BYTES, OPTIONS_MAX);
    }
    if (!is_said_elsewhere (item->data)) {
      g_autofree char *bare = g_strstrip (g_strdup (value));
      measured_section_add (section, item->data, *bare ? bare : NULL);
    }
  }
  return TRUE;
}

static const char *option_value (const MeasuredSection *section, const char *name)
{
  for (unsigned i = section->options->len; i > 0; i--) {
    const MeasuredOption *option = &g_array_index (section->options, MeasuredOption, i - 1);
    if (!strcmp (option->name, name)) {
      return option->value;
    }
  }
  return NULL;
}

/* Whether the job ran until its runtime was over; options without value, as time_based, are not in the result. */
static gboolean ran_whole_runtime (JsonObject *job, const MeasuredSection *section)
{
  static const char *const directions[] = { "read", "write", "trim" };
  const char *text =
      option_value (section, "runtime") ? option_value (section, "runtime") : option_value (section, "timeout");
  uint64_t asked = 0;
  double longest = 0;

  if (!text || !fio_time_parse (text, UR_S, &asked, NULL)) {
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (directions); i++) {
    JsonNode *node = json_object_get_member (job, directions[i]);
    double runtime = 0;
    if (node && JSON_NODE_HOLDS_OBJECT (node) &&
        json_read_optional (json_node_get_object (node), "runtime", 0, 1e12, (JsonPlace){ "", 0 }, &runtime, NULL)) {
      longest = MAX (longest, runtime);
    }
  }
  return longest * UR_MS >= 0.95 * (double) asked;
}

/* Global options, then the job's own; either may be missing.  If both are, the job cannot be run again. */
static MeasuredSection *read_section (const Reader *reader, JsonObject *job, const char *name, JsonPlace place,
                                      GError **error)
{
  MeasuredSection *section = measured_section_new (name);
  JsonObject *holder[] = { reader->top, job };
  static const char *const member[] = { "global options", "job options" };
  gboolean ok = TRUE;

  for (unsigned i = 0; ok && i < G_N_ELEMENTS (holder); i++) {
    if (json_object_has_member (holder[i], member[i])) {
      JsonObject *options = json_read_member (holder[i], member[i], place, error);
      ok = options && add_options (options, section, place, error);
    }
  }
  if (!ok) {
    measured_section_free (section);
    return NULL;
  }
  if (ran_whole_runtime (job, section)) {
    measured_section_add (section, "time_based", NULL);
  }
  return section;
}

static gboolean same_section (const MeasuredSection *a, const MeasuredSection *b)
{
  gboolean same = !strcmp (a->name, b->name) && a->options->len == b->options->len;

  for (unsigned i = 0; same && i < a->options->len; i++) {
    const MeasuredOption *left = &g_array_index (a->options, MeasuredOption, i);
    const MeasuredOption *right = &g_array_index (b->options, MeasuredOption, i);
    same = !strcmp (left->name, right->name) && !g_strcmp0 (left->value, right->value);
  }
  return same;
}

/* Clones of a job come one by one unless group_reporting is on: a section that is there already is not added. */
static void take_section (Measurement *group, MeasuredSection *section)
{
  for (unsigned i = 0; i < group->sections->len; i++) {
    if (same_section (group->sections->pdata[i], section)) {
      measured_section_free (section);
      return;
    }
  }
  g_ptr_array_add (group->sections, section);
}

/* ---- figures ---- */

static gboolean add_op (JsonObject *job, const char *name, JsonPlace place, MeasuredOp *op, GError **error)
{
  double ios = 0, iops = 0, bytes = 0, bw = -1, bw_kib = 0;

  if (!json_object_has_member (job, name)) {
    return TRUE;
  }
  JsonObject *object = json_read_member (job, name, place, error);
  if (!object || !json_read_optional (object, "total_ios", 0, 1e15, place, &ios, error) ||
      !json_read_optional (object, "io_bytes", 0, 1e18, place, &bytes, error) ||
      !json_read_optional (object, "iops", 0, MEASUREMENT_RATE_LIMIT, place, &iops, error) ||
      !json_read_optional (object, "bw_bytes", 0, 1e18, place, &bw, error) ||
      !json_read_optional (object, "bw", 0, 1e15, place, &bw_kib, error)) {
    return FALSE;
  }
  if (ios == 0) {
    return TRUE;
  }
  const gboolean first = op->ios == 0;
  op->ios += (uint64_t) ios;
  op->bytes += (uint64_t) bytes;
  op->iops += iops;
  op->bw_bytes += bw >= 0 ? bw : bw_kib * 1024;
  return fio_result_latency_add (object, "slat_ns", (uint64_t) ios, first, place, &op->slat, error) &&
         fio_result_latency_add (object, "clat_ns", (uint64_t) ios, first, place, &op->clat, error) &&
         fio_result_latency_add (object, "lat_ns", (uint64_t) ios, first, place, &op->lat, error);
}

/* fio 3.33 counts only fsync in total_ios, all kinds in the latency. */
static gboolean add_sync (JsonObject *job, JsonPlace place, MeasuredOp *op, GError **error)
{
  double ios = 0;

  if (!json_object_has_member (job, "sync")) {
    return TRUE;
  }
  JsonObject *object = json_read_member (job, "sync", place, error);
  if (!object || !json_read_optional (object, "total_ios", 0, 1e15, place, &ios, error) ||
      !fio_result_latency_add (object, "lat_ns", (uint64_t) ios, op->lat.n == 0, place, &op->lat, error)) {
    return FALSE;
  }
  op->ios = MAX (op->ios + (uint64_t) ios, op->lat.n);
  return TRUE;
}

/* "fio-3.33" before 3.36; what is no release is taken as new. */
static gboolean is_before (const char *version, unsigned major, unsigned minor)
{
  unsigned found_major = 0, found_minor = 0;

  return version && sscanf (version, "fio-%3u.%3u", &found_major, &found_minor) == 2 &&
         (found_major < major || (found_major == major && found_minor < minor));
}

/* Completion latencies under sqthread_poll count from the start of fio, or worse, before 3.36. */
static void mark_garbage (const Reader *reader, Measurement *group)
{
  for (unsigned i = 0; i < group->sections->len; i++) {
    const char *sqpoll = option_value (group->sections->pdata[i], "sqthread_poll");
    group->clat_garbage |= sqpoll && !strcmp (sqpoll, "1") && is_before (reader->version, 3, 36);
  }
  measurement_doubt_clat (group);
}

/* ---- jobs and groups ---- */

static Measurement *find_group (Reader *reader, unsigned id, unsigned line)
{
  for (unsigned i = 0; i < reader->groups->len; i++) {
    if (g_array_index (reader->group_ids, unsigned, i) == id) {
      return reader->groups->pdata[i];
    }
  }
  Measurement *group = measurement_new (reader->file, line);
  group->has_ops = TRUE;
  group->tool = MEASURED_FIO;
  group->version = reader->version ? g_strdup (reader->version) : NULL;
  g_ptr_array_add (reader->groups, group);
  g_array_append_val (reader->group_ids, id);
  return group;
}

static void add_name (Measurement *group, const char *name)
{
  g_autofree char *before = group->name;

  if (before && strstr (before, name)) {
    group->name = g_steal_pointer (&before);
  } else {
    group->name = before ? g_strconcat (before, ", ", name, NULL) : g_strdup (name);
  }
}

static gboolean read_job (Reader *reader, JsonNode *node, unsigned index, GError **error)
{
  const JsonPlace place = { reader->file, json_text_line_of (reader->text, "\"jobname\"", index) };
  unsigned id = 0, failed = 0;

  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    return json_fail (place, error, "job %u is no object", index);
  }
  JsonObject *job = json_node_get_object (node);
  g_autofree char *name = quoted_member (job, "jobname");
  if (!json_read_unsigned (job, "groupid", TRUE, 0, GROUPS_MAX, place, &id, error) ||
      !json_read_unsigned (job, "error", TRUE, 0, 100000, place, &failed, error)) {
    return FALSE;
  }
  if (failed) {
    return json_fail (place, error, "job \"%s\" ended with error %u; expected a job that ran to its end",
                      name ? name : "", failed);
  }
  MeasuredSection *section = read_section (reader, job, name ? name : "job", place, error);
  if (!section) {
    return FALSE;
  }
  Measurement *group = find_group (reader, id, (unsigned) place.line);
  take_section (group, section);
  add_name (group, name ? name : "job");
  for (unsigned direction = 0; direction < MEASURED_DIRECTIONS; direction++) {
    if (!add_op (job, measured_direction_name ((MeasuredDirection) direction), place, &group->op[direction], error)) {
      return FALSE;
    }
  }
  return add_op (job, "mixed", place, &group->mixed, error) && add_sync (job, place, &group->sync, error);
}

static gboolean read_jobs (Reader *reader, GError **error)
{
  const JsonPlace place = { reader->file, reader->text->line };
  JsonNode *node = json_object_get_member (reader->top, "jobs");

  if (!node || !JSON_NODE_HOLDS_ARRAY (node)) {
    return json_fail (place, error, "no \"jobs\"; expected the result of fio --output-format=json");
  }
  JsonArray *jobs = json_node_get_array (node);
  const unsigned n = json_array_get_length (jobs);
  if (n == 0 || n > FIO_RESULT_JOBS_LIMIT) {
    return json_fail (place, error, "%u jobs; expected 1 to %u", n, FIO_RESULT_JOBS_LIMIT);
  }
  for (unsigned i = 0; i < n; i++) {
    if (!read_job (reader, json_array_get_element (jobs, i), i, error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < reader->groups->len; i++) {
    mark_garbage (reader, reader->groups->pdata[i]);
  }
  return TRUE;
}

GPtrArray *fio_results_read (ByteSource *source, GError **error)
{
  const char *file = byte_source_name (source);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (unsigned));
  g_autoptr (JsonText) text = json_text_read (source, FIO_RESULT_BYTES_LIMIT, error);
  const JsonPlace place = { file, text ? text->line : 1 };
  g_autoptr (JsonNode) node = text ? json_read_object (text->text->str, text->text->len, place, error) : NULL;

  if (!node) {
    return NULL;
  }
  JsonObject *top = json_node_get_object (node);
  g_autofree char *version = quoted_member (top, "fio version");
  Reader reader = { file, text, top, version, groups, ids };
  if (is_before (version, 3, 0)) {
    json_fail (place, error, "a result of %s; expected fio 3.0 or later, whose latencies are in ns", version);
    return NULL;
  }
  if (!read_jobs (&reader, error)) {
    return NULL;
  }
  for (unsigned i = 0; i < text->remarks->len; i++) {
    g_autofree char *remark = input_quote (text->remarks->pdata[i], strlen (text->remarks->pdata[i]), 120);
    const gboolean died = strstr (remark, "got signal=") != NULL;
    g_ptr_array_add (((Measurement *) groups->pdata[0])->warnings,
                     g_strdup_printf ("%s: text beside the result: \"%s\"%s", file, remark,
                                      died ? ": a job died, and its figures are missing or of a part" : ""));
  }
  return g_steal_pointer (&groups);
}
