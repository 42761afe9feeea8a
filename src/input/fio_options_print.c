/*
 * What the options of a section come to, as text.  See fio_options.h.
 */
#include "src/input/fio_options_private.h"

#define NUMBER G_GUINT64_FORMAT

static void put (GString *text, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void put (GString *text, const char *name, const char *format, ...)
{
  va_list arguments;
  g_string_append_printf (text, "%s=", name);
  va_start (arguments, format);
  g_string_append_vprintf (text, format, arguments);
  va_end (arguments);
  g_string_append_c (text, '\n');
}

static void put_three (GString *text, const char *name, const uint64_t value[3])
{
  put (text, name, "%" NUMBER ",%" NUMBER ",%" NUMBER, value[0], value[1], value[2]);
}

/* ---- patterns ---- */

static void print_rw (const JobOptions *o, GString *text)
{
  const Pattern *p = &o->pattern;
  static const char *const names[] = { "", "read", "write", "rw", "trim", "", "trimwrite", "" };
  const char *random = p->order == PATTERN_RANDOM ? "rand" : "";
  const char *name = names[(p->has_read ? 1 : 0) + (p->has_write ? 2 : 0) + (p->has_trim ? 4 : 0)];
  if (p->random_run) {
    put (text, "rw", "%s%s:%u", random, name, p->random_run);
  } else if (p->sequential_add) {
    put (text, "rw", "%s:%" G_GINT64_FORMAT, name, p->sequential_add);
  } else {
    put (text, "rw", "%s%s", random, name);
  }
}

/* Sizes: one for each direction, or ranges, or shares. */
static void print_sizes (const JobOptions *o, GString *text)
{
  const Pattern *p = &o->pattern;
  g_autoptr (GString) range = g_string_new (NULL);
  gboolean ranges = FALSE;
  for (unsigned i = 0; i < 3; i++) {
    ranges |= p->bs_max[i] > p->bs[i];
    g_string_append_printf (range, "%s%" NUMBER "-%" NUMBER, i ? "," : "", p->bs[i], p->bs_max[i]);
  }
  if (ranges) {
    put (text, "bsrange", "%s", range->str);
  } else {
    put_three (text, "bs", p->bs);
  }
  put_three (text, "ba", p->align);
  if (!o->n_split[0] && !o->n_split[1] && !o->n_split[2]) {
    return;
  }
  g_autoptr (GString) split = g_string_new (NULL);
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned k = 0; k < o->n_split[i]; k++) {
      g_string_append_printf (split, "%s%" NUMBER "/%u", k ? ":" : "", o->split[i][k].bs, o->split[i][k].percent);
    }
    g_string_append (split, i < 2 ? "," : "");
  }
  put (text, "bssplit", "%s", split->str);
}

static void print_zones (const JobOptions *o, GString *text)
{
  g_autoptr (GString) zones = g_string_new (NULL);
  for (unsigned i = 0; i < 3; i++) {
    unsigned before = 0;
    uint64_t end = 0;
    for (unsigned k = 0; k < o->n_zone[i]; k++) {
      g_string_append_printf (zones, "%s%u/%" NUMBER, k ? ":" : "", o->zone[i][k].percent - before,
                              o->zone[i][k].end - end);
      before = o->zone[i][k].percent;
      end = o->zone[i][k].end;
    }
    g_string_append (zones, i < 2 ? "," : "");
  }
  put (text, "random_distribution", "%s:%s", o->pattern.distribution == DISTRIBUTION_ZONED ? "zoned" : "zoned_abs",
       zones->str);
}

static void print_distribution (const JobOptions *o, GString *text)
{
  static const char *const names[] = {
    [DISTRIBUTION_ZIPF] = "zipf", [DISTRIBUTION_PARETO] = "pareto", [DISTRIBUTION_NORMAL] = "normal"
  };
  const Pattern *p = &o->pattern;
  if (p->distribution == DISTRIBUTION_UNIFORM) {
    put (text, "random_distribution", "random");
  } else if (p->distribution >= DISTRIBUTION_ZONED) {
    print_zones (o, text);
  } else if (p->center > 0) {
    put (text, "random_distribution", "%s:%g:%g", names[p->distribution], p->theta, p->center);
  } else {
    put (text, "random_distribution", "%s:%g", names[p->distribution], p->theta);
  }
}

/* A size in bytes, or as a share. */
static void print_share (GString *text, const char *name, uint64_t bytes, uint64_t percent)
{
  if (percent) {
    put (text, name, "%" NUMBER "%%", percent);
  } else if (bytes) {
    put (text, name, "%" NUMBER, bytes);
  }
}

static void print_pattern (const JobOptions *o, GString *text)
{
  const Pattern *p = &o->pattern;
  print_rw (o, text);
  print_sizes (o, text);
  print_share (text, "size", p->size, o->size_percent);
  print_share (text, "io_size", p->io_size, o->io_size_percent);
  print_share (text, "filesize", o->filesize, 0);
  print_share (text, "offset", p->offset, o->offset_percent);
  print_share (text, "offset_increment", o->offset_increment, o->offset_increment_percent);
  print_distribution (o, text);
  put (text, "percentage_random", "%u,%u,%u", 100 - p->sequential_percent[0], 100 - p->sequential_percent[1],
       100 - p->sequential_percent[2]);
  put (text, "norandommap", "%d", !p->random_map);
}

/* ---- the rest ---- */

static void print_others (const JobOptions *o, GString *text)
{
  static const char *const syncs[] = { [SYNC_NONE] = "none", [SYNC_DATA] = "dsync", [SYNC_ALL] = "sync" };
  put (text, "ioengine", "%s", application_engine_name (o->engine));
  put (text, "sync", "%s", syncs[o->sync]);
  put (text, "iodepth_batch_complete_min", "%u", o->complete_min);
  put (text, "startdelay", "%" NUMBER, o->start_delay / UR_US);
  put_three (text, "rate", o->rate);
  put_three (text, "rate_iops", o->rate_iops);
  put (text, "rate_process", "%s", o->rate_poisson ? "poisson" : "linear");
  put (text, "thinktime_blocks_type", "%s", o->thinktime_issue ? "issue" : "complete");
  if (o->sqpoll_cpu_set) {
    put (text, "sqthread_poll_cpu", "%u", o->sqpoll_cpu);
  }
  for (unsigned i = IO_READ; i <= IO_SYNC; i++) {
    if (o->replay_skip[i]) {
      put (text, "replay_skip", "%s", io_op_name ((IoOp) i));
    }
  }
}

void job_options_print (const JobOptions *options, GString *text)
{
  unsigned n;
  const Option *table = job_options_table (&n);
  print_pattern (options, text);
  for (unsigned i = 0; i < n; i++) {
    const Option *option = &table[i];
    const char *value = (const char *) options + option->at;
    if (option->kind == KIND_FUNCTION || (i && option->at == table[i - 1].at)) {
      continue; /* below, or an alias of the one before */
    }
    if (option->kind == KIND_COUNT) {
      put (text, option->name, "%u", *(const unsigned *) (gconstpointer) value);
    } else if (option->kind == KIND_BYTES) {
      put (text, option->name, "%" NUMBER, *(const uint64_t *) (gconstpointer) value);
    } else if (option->kind == KIND_TIME) {
      put (text, option->name, "%" NUMBER, *(const uint64_t *) (gconstpointer) value / UR_US);
    } else if (option->kind != KIND_STRING) {
      put (text, option->name, "%d", *(const gboolean *) (gconstpointer) value);
    } else if (*(const char *const *) (gconstpointer) value) {
      put (text, option->name, "%s", *(const char *const *) (gconstpointer) value);
    }
  }
  print_others (options, text);
}
