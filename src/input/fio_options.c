/*
 * The table of fio's options.  See fio_options.h.
 */
#include "src/input/fio_options_private.h"
#include "src/input/fio_ignored.h"
#include "src/input/input_error.h"
#include <stddef.h>
#include <string.h>

/* ---- messages ---- */

gboolean job_options_fail (const OptionPlace *place, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%u: %s", place->file, place->line, text);
  return FALSE;
}

gboolean setting_refuse (Setting *s, GError **error, const char *expected)
{
  g_autofree char *value = s->value ? input_quote (s->value, strlen (s->value), 60) : NULL;
  return value ? job_options_fail (s->place, error, "%s=%s; expected %s", s->option->name, value, expected)
               : job_options_fail (s->place, error, "%s without a value; expected %s", s->option->name, expected);
}

/* The cause, with place and option in front. */
gboolean setting_refuse_cause (Setting *s, GError **error, GError *cause)
{
  job_options_fail (s->place, error, "%s: %s", s->option->name, cause->message);
  g_error_free (cause);
  return FALSE;
}

static gboolean number (Setting *s, const char *text, uint64_t *ret_value, GError **error)
{
  gboolean unusual;
  GError *cause = NULL;
  if (!fio_number_parse (text, s->o->kb_base, s->place->lenient, ret_value, &unusual, &cause)) {
    return setting_refuse_cause (s, error, cause);
  }
  if (unusual) {
    g_autofree char *quoted = input_quote (text, strlen (text), 60);
    workload_note (s->place->workload, "%s:%u: %s=%s is read as %" G_GUINT64_FORMAT ", as fio does", s->place->file,
                   s->place->line, s->option->name, quoted, *ret_value);
  }
  return TRUE;
}

gboolean setting_number_within (Setting *s, const char *text, uint64_t min, uint64_t max, uint64_t *ret_value,
                                GError **error)
{
  if (!number (s, text, ret_value, error)) {
    return FALSE;
  }
  if (*ret_value < min || *ret_value > max) {
    return job_options_fail (s->place, error,
                             "%s=%" G_GUINT64_FORMAT "; expected %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT,
                             s->option->name, *ret_value, min, max);
  }
  return TRUE;
}

/* Calls `set` for each of the three directions with its part of "read,write,trim": a missing later part repeats
 * the one before, an empty one keeps the default. */
gboolean setting_for_directions (Setting *s,
                                 gboolean (*set) (Setting *s, unsigned direction, const char *part, GError **error),
                                 GError **error)
{
  if (!s->value || !*s->value) {
    return setting_refuse (s, error, "a value, or three for read, write and trim with commas between");
  }
  g_auto (GStrv) parts = g_strsplit (s->value, ",", 4);
  const char *part = parts[0];
  for (unsigned i = 0, given = g_strv_length (parts); i < 3; i++) {
    part = i < given ? g_strstrip (parts[i]) : part;
    if (*part && !set (s, i, part, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- engines and the rest ---- */

static gboolean set_engine (Setting *s, GError **error)
{
  static const char *const sync_engines[] = { "sync", "vsync", "pvsync", "pvsync2", NULL };
  const char *value = s->value ? s->value : "";
  s->o->seeks = g_str_equal (value, "sync");
  s->o->has_rw_flags = !strcmp (value, "io_uring") || !strcmp (value, "pvsync2");
  if (application_engine_parse (value, &s->o->engine)) {
    return TRUE;
  }
  if (g_strv_contains (sync_engines, value)) {
    s->o->engine = APPLICATION_PSYNC;
    workload_note (s->place->workload, "ioengine=%s is simulated as psync: one system call for each request%s", value,
                   s->o->seeks ? ", and an lseek() where it does not follow on the last" : "");
    return TRUE;
  }
  return setting_refuse (
      s, error, "io_uring, libaio, posixaio, psync, or sync, vsync, pvsync, pvsync2, which are simulated as psync");
}

/* sync=: none, sync or dsync. */
static gboolean set_sync (Setting *s, GError **error)
{
  static const struct {
    const char *name;
    SyncMode mode;
  } modes[] = {
    { "none", SYNC_NONE }, { "0", SYNC_NONE }, { "sync", SYNC_ALL }, { "1", SYNC_ALL }, { "dsync", SYNC_DATA }
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (modes); i++) {
    if (!g_strcmp0 (s->value, modes[i].name)) {
      s->o->sync = modes[i].mode;
      return TRUE;
    }
  }
  return setting_refuse (s, error, "none, sync or dsync");
}

/* sync_file_range=FLAG[,FLAG...][:N] */
static gboolean set_sync_range (Setting *s, GError **error)
{
  static const struct {
    const char *name;
    SyncRangeFlags flag;
  } flags[] = { { "wait_before", SYNC_RANGE_WAIT_BEFORE },
                { "write", SYNC_RANGE_WRITE },
                { "wait_after", SYNC_RANGE_WAIT_AFTER } };
  g_autofree char *text = g_strdup (s->value ? s->value : "");
  char *colon = strrchr (text, ':');
  uint64_t every = 1;
  unsigned found = 0;

  if (colon) {
    *colon = '\0';
    if (!setting_number_within (s, g_strstrip (colon + 1), 0, UINT32_MAX, &every, error)) {
      return FALSE;
    }
  }
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (char **word = words; *word; word++) {
    unsigned i = 0;
    while (i < G_N_ELEMENTS (flags) && strcmp (g_strstrip (*word), flags[i].name)) {
      i++;
    }
    if (i == G_N_ELEMENTS (flags)) {
      return setting_refuse (s, error,
                             "wait_before, write, wait_after with commas between, then perhaps a colon and a number");
    }
    found |= flags[i].flag;
  }
  s->o->sync_range = found;
  s->o->pattern.sync_range_every = (unsigned) every;
  return TRUE;
}

static gboolean set_bool_value (Setting *s, gboolean *ret_value, GError **error)
{
  if (!g_strcmp0 (s->value, "0") || !g_strcmp0 (s->value, "1")) {
    *ret_value = *s->value == '1';
    return TRUE;
  }
  return setting_refuse (s, error, "0 or 1");
}

/* native (the default), posix and truncate give a new file its size; none and keep do not. */
static gboolean set_fallocate (Setting *s, GError **error)
{
  static const char *const reserving[] = { "native", "posix", "truncate", "1", NULL };
  static const char *const not_reserving[] = { "none", "keep", "0", NULL };

  s->o->fallocate_given = TRUE;
  s->o->size_reserved = s->value && g_strv_contains (reserving, s->value);
  if (s->o->size_reserved || (s->value && g_strv_contains (not_reserving, s->value))) {
    return TRUE;
  }
  return setting_refuse (s, error, "none, native, posix, keep or truncate");
}

static gboolean set_buffered (Setting *s, GError **error)
{
  gboolean buffered = FALSE;
  if (!set_bool_value (s, &buffered, error)) {
    return FALSE;
  }
  s->o->direct = !buffered;
  return TRUE;
}

static gboolean set_kb_base (Setting *s, GError **error)
{
  if (g_strcmp0 (s->value, "1024") && g_strcmp0 (s->value, "1000")) {
    return setting_refuse (s, error, "1024 or 1000");
  }
  s->o->kb_base = !strcmp (s->value, "1000") ? 1000 : 1024;
  return TRUE;
}

static gboolean set_start_delay (Setting *s, GError **error)
{
  g_autofree char *low = g_strdup (s->value ? s->value : "");
  char *separator = strchr (low, '-');
  GError *cause = NULL;
  if (separator) {
    *separator = '\0';
    workload_ignored (s->place->workload, "%s:%u: startdelay is a range: its start is taken; can change results",
                      s->place->file, s->place->line);
  }
  return fio_time_parse (g_strstrip (low), UR_S, &s->o->start_delay, &cause) || setting_refuse_cause (s, error, cause);
}

static gboolean set_rate_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  return setting_number_within (s, part, 0, FIO_JOB_SIZE_LIMIT, &s->o->rate[direction], error);
}

static gboolean set_rate (Setting *s, GError **error) { return setting_for_directions (s, set_rate_of, error); }

static gboolean set_rate_iops_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  return setting_number_within (s, part, 0, UINT32_MAX, &s->o->rate_iops[direction], error);
}

static gboolean set_rate_iops (Setting *s, GError **error)
{
  return setting_for_directions (s, set_rate_iops_of, error);
}

/* One of two names. */
static gboolean set_either (Setting *s, const char *off, const char *on, gboolean *ret_on, GError **error)
{
  g_autofree char *expected = g_strdup_printf ("%s or %s", off, on);
  *ret_on = !g_strcmp0 (s->value, on);
  return *ret_on || !g_strcmp0 (s->value, off) ? TRUE : setting_refuse (s, error, expected);
}

static gboolean set_rate_process (Setting *s, GError **error)
{
  return set_either (s, "linear", "poisson", &s->o->rate_poisson, error);
}

static gboolean set_thinktime_type (Setting *s, GError **error)
{
  return set_either (s, "complete", "issue", &s->o->thinktime_issue, error);
}

static gboolean set_complete_min (Setting *s, GError **error)
{
  uint64_t value;
  if (!setting_number_within (s, s->value ? s->value : "", 0, FIO_JOB_DEPTH_LIMIT, &value, error)) {
    return FALSE;
  }
  s->o->complete_min = (unsigned) value;
  s->o->complete_min_set = TRUE;
  return TRUE;
}

static gboolean set_sqpoll_cpu (Setting *s, GError **error)
{
  uint64_t value;
  if (!setting_number_within (s, s->value ? s->value : "", 0, 65535, &value, error)) {
    return FALSE;
  }
  s->o->sqpoll_cpu = (unsigned) value;
  s->o->sqpoll_cpu_set = TRUE;
  return TRUE;
}

static gboolean set_cpus_allowed (Setting *s, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (s->value ? s->value : "", ",", -1);
  g_autofree char *list = NULL;

  for (char **part = parts; *part; part++) {
    g_strstrip (*part);
  }
  list = g_strjoinv (",", parts);
  if (!cpu_mask_parse (list, &s->o->cpus, NULL) || cpu_mask_is_empty (&s->o->cpus)) {
    return setting_refuse (s, error, "CPUs below 1024 such as 0-3,8");
  }
  return TRUE;
}

static gboolean set_cpumask (Setting *s, GError **error)
{
  uint64_t mask;
  if (!setting_number_within (s, s->value ? s->value : "", 1, INT32_MAX, &mask, error)) {
    return FALSE;
  }
  s->o->cpus = (CpuMask){ .word = { mask } };
  return TRUE;
}

static gboolean set_cpus_policy (Setting *s, GError **error)
{
  return set_either (s, "shared", "split", &s->o->cpus_split, error);
}

static gboolean set_replay_skip (Setting *s, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (s->value ? s->value : "", ",:", -1);
  memset (s->o->replay_skip, 0, sizeof s->o->replay_skip);
  for (char **word = words; *word; word++) {
    g_strstrip (*word);
    const IoOp op = !strcmp (*word, "read")    ? IO_READ
                    : !strcmp (*word, "write") ? IO_WRITE
                    : !strcmp (*word, "trim")  ? IO_TRIM
                    : !strcmp (*word, "sync")  ? IO_SYNC
                                               : IO_OPS;
    if (op == IO_OPS) {
      return setting_refuse (s, error, "a list of read, write, trim and sync");
    }
    s->o->replay_skip[op] = TRUE;
  }
  return TRUE;
}

static gboolean set_zonemode (Setting *s, GError **error)
{
  return g_strcmp0 (s->value, "none") ? setting_refuse (s, error, "none: zones are not modelled") : TRUE;
}

static gboolean refuse_option (Setting *s, GError **error)
{
  return job_options_fail (s->place, error, "%s: %s; expected a job without it", s->option->name, s->option->remark);
}

/* ---- the table ---- */

#define AT(member) offsetof (JobOptions, member)
#define COUNT(name, member, min, max)                   \
  {                                                     \
    name, KIND_COUNT, AT (member), min, max, NULL, NULL \
  }
#define BYTES(name, member, min, max)                   \
  {                                                     \
    name, KIND_BYTES, AT (member), min, max, NULL, NULL \
  }
#define TIME(name, member, unit)                      \
  {                                                   \
    name, KIND_TIME, AT (member), unit, 0, NULL, NULL \
  }
#define BOOL(name, member)                         \
  {                                                \
    name, KIND_BOOL, AT (member), 0, 0, NULL, NULL \
  }
#define SWITCH(name, member)                         \
  {                                                  \
    name, KIND_SWITCH, AT (member), 0, 0, NULL, NULL \
  }
#define STRING(name, member)                         \
  {                                                  \
    name, KIND_STRING, AT (member), 0, 0, NULL, NULL \
  }
#define FUNCTION(name, function)                 \
  {                                              \
    name, KIND_FUNCTION, 0, 0, 0, function, NULL \
  }
#define REFUSED(name, why)                           \
  {                                                  \
    name, KIND_FUNCTION, 0, 0, 0, refuse_option, why \
  }

static const Option options_table[] = {
  /* what is issued */
  FUNCTION ("rw", set_rw),
  FUNCTION ("readwrite", set_rw),
  FUNCTION ("bs", set_bs),
  FUNCTION ("blocksize", set_bs),
  FUNCTION ("bsrange", set_bsrange),
  FUNCTION ("blocksize_range", set_bsrange),
  FUNCTION ("bssplit", set_bssplit),
  FUNCTION ("blockalign", set_align),
  FUNCTION ("ba", set_align),
  SWITCH ("bs_unaligned", pattern.bs_unaligned),
  SWITCH ("blocksize_unaligned", pattern.bs_unaligned),
  FUNCTION ("size", set_size),
  FUNCTION ("io_size", set_io_size),
  FUNCTION ("io_limit", set_io_size),
  FUNCTION ("filesize", set_filesize),
  FUNCTION ("offset", set_offset),
  FUNCTION ("fileoffset", set_offset),
  FUNCTION ("offset_increment", set_offset_increment),
  BYTES ("offset_align", offset_align, 0, FIO_JOB_SIZE_LIMIT),
  BYTES ("number_ios", pattern.number_ios, 0, G_MAXINT64),
  COUNT ("loops", pattern.loops, 0, UINT32_MAX),
  COUNT ("rwmixread", pattern.read_percent, 0, 100),
  FUNCTION ("rwmixwrite", set_rwmixwrite),
  FUNCTION ("random_distribution", set_distribution),
  FUNCTION ("percentage_random", set_percentage_random),
  BOOL ("randrepeat", pattern.same_seed),
  BYTES ("randseed", pattern.random_seed, 0, UINT64_MAX),
  FUNCTION ("norandommap", set_norandommap),
  COUNT ("fsync", pattern.fsync_every, 0, UINT32_MAX),
  COUNT ("fdatasync", pattern.fdatasync_every, 0, UINT32_MAX),
  FUNCTION ("sync_file_range", set_sync_range),
  FUNCTION ("sync", set_sync),
  COUNT ("uncached", uncached, 0, INT32_MAX),
  BOOL ("end_fsync", end_fsync),
  BOOL ("fsync_on_close", fsync_on_close),
  /* on which files */
  STRING ("filename", filename),
  STRING ("directory", directory),
  STRING ("filename_format", filename_format),
  COUNT ("nrfiles", nrfiles, 1, FIO_JOB_FILES_LIMIT),
  COUNT ("nr_files", nrfiles, 1, FIO_JOB_FILES_LIMIT),
  FUNCTION ("file_service_type", set_file_service),
  BOOL ("invalidate", invalidate),
  BOOL ("pre_read", pre_read),
  BOOL ("overwrite", overwrite),
  FUNCTION ("fallocate", set_fallocate),
  BOOL ("file_append", file_append),
  /* by whom */
  FUNCTION ("ioengine", set_engine),
  COUNT ("numjobs", numjobs, 1, FIO_JOB_CLONES_LIMIT),
  COUNT ("iodepth", iodepth, 1, FIO_JOB_DEPTH_LIMIT),
  COUNT ("iodepth_batch", batch_submit, 0, FIO_JOB_DEPTH_LIMIT),
  COUNT ("iodepth_batch_submit", batch_submit, 0, FIO_JOB_DEPTH_LIMIT),
  COUNT ("iodepth_low", iodepth_low, 0, FIO_JOB_DEPTH_LIMIT),
  FUNCTION ("iodepth_batch_complete", set_complete_min),
  FUNCTION ("iodepth_batch_complete_min", set_complete_min),
  COUNT ("iodepth_batch_complete_max", complete_max, 0, FIO_JOB_DEPTH_LIMIT),
  BOOL ("direct", direct),
  FUNCTION ("buffered", set_buffered),
  FUNCTION ("kb_base", set_kb_base),
  SWITCH ("sqthread_poll", sqpoll),
  FUNCTION ("sqthread_poll_cpu", set_sqpoll_cpu),
  FUNCTION ("cpus_allowed", set_cpus_allowed),
  FUNCTION ("cpumask", set_cpumask),
  FUNCTION ("cpus_allowed_policy", set_cpus_policy),
  SWITCH ("hipri", hipri),
  SWITCH ("fixedbufs", fixed_buffers),
  SWITCH ("registerfiles", fixed_files),
  COUNT ("force_async", force_async, 0, UINT32_MAX),
  BOOL ("nowait", nowait),
  BOOL ("serialize_overlap", serialize_overlap),
  /* when */
  TIME ("runtime", runtime, UR_S),
  TIME ("timeout", runtime, UR_S),
  TIME ("ramp_time", ramp_time, UR_S),
  SWITCH ("time_based", time_based),
  FUNCTION ("startdelay", set_start_delay),
  SWITCH ("stonewall", stonewall),
  SWITCH ("wait_for_previous", stonewall),
  STRING ("wait_for", wait_for),
  TIME ("thinktime", thinktime, UR_US),
  COUNT ("thinktime_blocks", thinktime_blocks, 1, UINT32_MAX),
  FUNCTION ("thinktime_blocks_type", set_thinktime_type),
  TIME ("thinktime_spin", thinktime_spin, UR_US),
  TIME ("thinktime_iotime", thinktime_iotime, UR_S),
  FUNCTION ("rate", set_rate),
  FUNCTION ("rate_iops", set_rate_iops),
  FUNCTION ("rate_process", set_rate_process),
  BOOL ("rate_ignore_thinktime", rate_ignore_thinktime),
  /* replay */
  STRING ("read_iolog", read_iolog),
  STRING ("replay_redirect", replay_redirect),
  BOOL ("replay_no_stall", replay_no_stall),
  COUNT ("replay_time_scale", replay_time_scale, 1, 1000000),
  BYTES ("replay_align", replay_align, 0, FIO_JOB_SIZE_LIMIT),
  BYTES ("replay_scale", replay_scale, 1, FIO_JOB_SIZE_LIMIT),
  FUNCTION ("replay_skip", set_replay_skip),

  /* known, but what they ask for is not modelled and would be something else altogether */
  FUNCTION ("zonemode", set_zonemode),
  REFUSED ("fill_device", "filling a device is not modelled"),
  REFUSED ("sprandom", "its pattern is not modelled"),
  REFUSED ("profile", "profiles are not modelled"),
  REFUSED ("merge_blktrace_file", "blktrace replay is not modelled"),
};

const Option *job_options_table (unsigned *ret_n)
{
  *ret_n = G_N_ELEMENTS (options_table);
  return options_table;
}

static const Option *find_option (const char *name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (options_table); i++) {
    if (!strcmp (name, options_table[i].name)) {
      return &options_table[i];
    }
  }
  return NULL;
}

char **job_options_names (void)
{
  g_auto (GStrv) ignored = fio_ignored_names ();
  GPtrArray *names = g_ptr_array_new ();
  for (unsigned i = 0; i < G_N_ELEMENTS (options_table); i++) {
    g_ptr_array_add (names, g_strdup (options_table[i].name));
  }
  for (char **name = ignored; *name; name++) {
    g_ptr_array_add (names, g_strdup (*name));
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static gboolean unknown_option (const char *key, const OptionPlace *place, GError **error)
{
  g_auto (GStrv) names = job_options_names ();
  g_autofree char *quoted = input_quote (key, strlen (key), 60);
  g_autofree char *lower = g_ascii_strdown (key, -1);
  const char *nearest = input_nearest (lower, (const char *const *) names);
  return nearest ? job_options_fail (place, error, "unknown option \"%s\"; did you mean \"%s\"?", quoted, nearest)
                 : job_options_fail (place, error, "unknown option \"%s\"; expected an option of fio", quoted);
}

static void note_ignored (const char *key, const char *value, const char *effect, const OptionPlace *place)
{
  g_autofree char *quoted = value ? input_quote (value, strlen (value), 40) : NULL;
  workload_ignored (place->workload, "%s%s%s (%s:%u)%s%s", key, quoted ? "=" : "", quoted ? quoted : "", place->file,
                    place->line, effect ? ": can change results: " : "", effect ? effect : "");
}

/* Stores a value of one of the plain kinds. */
static gboolean set_plain (Setting *s, GError **error)
{
  const Option *option = s->option;
  char *target = (char *) s->o + option->at;
  const char *text = s->value ? s->value : "";
  GError *cause = NULL;
  uint64_t value;
  switch (option->kind) {
  case KIND_COUNT:
    if (!setting_number_within (s, text, option->min, option->max, &value, error)) {
      return FALSE;
    }
    *(unsigned *) (gpointer) target = (unsigned) value;
    return TRUE;
  case KIND_BYTES:
    return setting_number_within (s, text, option->min, option->max, (uint64_t *) (gpointer) target, error);
  case KIND_TIME:
    return fio_time_parse (text, option->min, (uint64_t *) (gpointer) target, &cause) ||
           setting_refuse_cause (s, error, cause);
  case KIND_BOOL:
    return set_bool_value (s, (gboolean *) (gpointer) target, error);
  case KIND_SWITCH:
    *(gboolean *) (gpointer) target = TRUE;
    return !s->value || set_bool_value (s, (gboolean *) (gpointer) target, error);
  default:
    if (!s->value) {
      return setting_refuse (s, error, "a name");
    }
    *(const char **) (gpointer) target = *s->value ? g_string_chunk_insert (s->place->strings, s->value) : NULL;
    return TRUE;
  }
}

gboolean job_options_set (JobOptions *options, const char *key, const char *value, const OptionPlace *place,
                          GError **error)
{
  const Option *option = find_option (key);
  const char *effect;
  if (!option && fio_option_is_ignored (key, &effect)) {
    note_ignored (key, value, effect, place);
    return TRUE;
  }
  if (!option) {
    return unknown_option (key, place, error);
  }
  Setting setting = { options, option, value, place };
  return option->kind == KIND_FUNCTION ? option->set (&setting, error) : set_plain (&setting, error);
}

void job_options_init (JobOptions *options)
{
  memset (options, 0, sizeof *options);
  options->kb_base = 1024;
  options->engine = APPLICATION_PSYNC;
  options->pattern.order = PATTERN_SEQUENTIAL;
  options->pattern.has_read = TRUE;
  options->pattern.read_percent = 50;
  options->pattern.random_map = options->pattern.same_seed = TRUE;
  for (unsigned i = 0; i < 3; i++) {
    options->pattern.bs[i] = options->pattern.bs_max[i] = 4096;
  }
  options->numjobs = options->iodepth = options->batch_submit = options->complete_min = 1;
  options->invalidate = options->size_reserved = TRUE;
  options->replay_time_scale = 100;
  options->replay_scale = 1;
}
