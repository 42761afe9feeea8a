/*
 * Options of fio that say what is issued: sizes, places, directions, distributions, files in turn.  See fio_options.h.
 */
#include "src/input/fio_options_private.h"

#include <string.h>

/* ---- sizes ---- */

static gboolean set_bs_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  uint64_t value;
  if (!setting_number_within (s, part, 1, FIO_JOB_BS_LIMIT, &value, error)) {
    return FALSE;
  }
  s->o->pattern.bs[direction] = s->o->pattern.bs_max[direction] = value;
  s->o->n_split[direction] = 0;
  return TRUE;
}

gboolean set_bs (Setting *s, GError **error) { return setting_for_directions (s, set_bs_of, error); }

static gboolean set_bsrange_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  g_autofree char *low = g_strdup (part);
  char *separator = strpbrk (low, "-:");
  uint64_t min, max;
  if (!separator) {
    return setting_refuse (s, error, "a range such as 4k-64k");
  }
  *separator = '\0';
  if (!setting_number_within (s, g_strstrip (low), 1, FIO_JOB_BS_LIMIT, &min, error) ||
      !setting_number_within (s, g_strstrip (separator + 1), 1, FIO_JOB_BS_LIMIT, &max, error)) {
    return FALSE;
  }
  s->o->pattern.bs[direction] = MIN (min, max);
  s->o->pattern.bs_max[direction] = MAX (min, max);
  s->o->n_split[direction] = 0;
  return TRUE;
}

gboolean set_bsrange (Setting *s, GError **error) { return setting_for_directions (s, set_bsrange_of, error); }

/* Sizes without a share get what the others leave, in equal parts.  FALSE if the shares pass 100 %. */
static gboolean share_out (PatternSplit *split, unsigned n, const gboolean *given)
{
  unsigned sum = 0, open = 0;
  for (unsigned i = 0; i < n; i++) {
    sum += given[i] ? split[i].percent : 0;
    open += !given[i];
  }
  if (sum > 100 || (!open && sum < 100)) {
    return FALSE;
  }
  for (unsigned i = 0; i < n; i++) {
    if (!given[i]) {
      split[i].percent = (100 - sum) / open;
    }
  }
  return TRUE;
}

/* fio sorts by share, and its draw runs through them in that order. */
static void sort_by_share (PatternSplit *split, unsigned n)
{
  for (unsigned i = 1; i < n; i++) {
    for (unsigned j = i; j > 0 && split[j].percent < split[j - 1].percent; j--) {
      const PatternSplit swap = split[j];
      split[j] = split[j - 1];
      split[j - 1] = swap;
    }
  }
}

static gboolean set_bssplit_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  g_auto (GStrv) entries = g_strsplit (part, ":", BSSPLIT_MAX + 1);
  const unsigned n = g_strv_length (entries);
  PatternSplit *split = s->o->split[direction];
  gboolean given[BSSPLIT_MAX];
  uint64_t min = UINT64_MAX, max = 0;
  if (n > BSSPLIT_MAX) {
    return setting_refuse (s, error, "at most 64 sizes");
  }
  for (unsigned i = 0; i < n; i++) {
    char *slash = strchr (entries[i], '/');
    uint64_t bs, percent = 0;
    if (slash) {
      *slash = '\0';
    }
    given[i] = slash && slash[1];
    if (!setting_number_within (s, g_strstrip (entries[i]), 1, FIO_JOB_BS_LIMIT, &bs, error) ||
        (given[i] && !setting_number_within (s, g_strstrip (slash + 1), 0, 100, &percent, error))) {
      return FALSE;
    }
    split[i] = (PatternSplit){ bs, (unsigned) percent };
    min = MIN (min, bs);
    max = MAX (max, bs);
  }
  if (!share_out (split, n, given)) {
    return setting_refuse (s, error, "SIZE/PERCENT:SIZE/PERCENT... whose shares add up to 100");
  }
  sort_by_share (split, n);
  s->o->n_split[direction] = n;
  s->o->pattern.bs[direction] = min;
  s->o->pattern.bs_max[direction] = max;
  return TRUE;
}

gboolean set_bssplit (Setting *s, GError **error) { return setting_for_directions (s, set_bssplit_of, error); }

static gboolean set_align_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  return setting_number_within (s, part, 0, FIO_JOB_BS_LIMIT, &s->o->pattern.align[direction], error);
}

gboolean set_align (Setting *s, GError **error) { return setting_for_directions (s, set_align_of, error); }

static gboolean is_percent (const char *value) { return value && *value && value[strlen (value) - 1] == '%'; }

/* "12%": of 1..max. */
static gboolean parse_percent (Setting *s, unsigned max, unsigned *ret_percent, GError **error)
{
  g_autofree char *digits = g_strndup (s->value, strlen (s->value) - 1);
  uint64_t value;
  if (!setting_number_within (s, digits, 1, max, &value, error)) {
    return FALSE;
  }
  *ret_percent = (unsigned) value;
  return TRUE;
}

gboolean set_size (Setting *s, GError **error)
{
  if (is_percent (s->value)) {
    s->o->pattern.size = 0;
    return parse_percent (s, 100, &s->o->size_percent, error);
  }
  s->o->size_percent = 0;
  return setting_number_within (s, s->value ? s->value : "", 1, FIO_JOB_SIZE_LIMIT, &s->o->pattern.size, error);
}

gboolean set_io_size (Setting *s, GError **error)
{
  if (is_percent (s->value)) {
    g_autofree char *digits = g_strndup (s->value, strlen (s->value) - 1);
    return setting_number_within (s, digits, 1, 100, &s->o->io_size_percent, error);
  }
  s->o->io_size_percent = 0;
  return setting_number_within (s, s->value ? s->value : "", 0, FIO_JOB_SIZE_LIMIT, &s->o->pattern.io_size, error);
}

gboolean set_filesize (Setting *s, GError **error)
{
  if (is_percent (s->value) || (s->value && strpbrk (s->value, "-:,"))) {
    return setting_refuse (s, error, "bytes: shares and ranges of file sizes are not modelled");
  }
  return setting_number_within (s, s->value ? s->value : "", 1, FIO_JOB_SIZE_LIMIT, &s->o->filesize, error);
}

gboolean set_offset (Setting *s, GError **error)
{
  s->o->pattern.offset = s->o->offset_percent = 0;
  if (is_percent (s->value) && strcmp (s->value, "0%")) {
    return parse_percent (s, 100, &s->o->offset_percent, error);
  }
  return is_percent (s->value) ||
         setting_number_within (s, s->value ? s->value : "", 0, FIO_JOB_SIZE_LIMIT, &s->o->pattern.offset, error);
}

gboolean set_offset_increment (Setting *s, GError **error)
{
  s->o->offset_increment = s->o->offset_increment_percent = 0;
  if (is_percent (s->value) && strcmp (s->value, "0%")) {
    return parse_percent (s, 100, &s->o->offset_increment_percent, error);
  }
  return is_percent (s->value) ||
         setting_number_within (s, s->value ? s->value : "", 0, FIO_JOB_SIZE_LIMIT, &s->o->offset_increment, error);
}

/* ---- patterns ---- */

gboolean set_rw (Setting *s, GError **error)
{
  static const struct {
    const char *name;
    PatternOrder order;
    gboolean read, write, trim;
  } modes[] = {
    { "read", PATTERN_SEQUENTIAL, TRUE, FALSE, FALSE },     { "write", PATTERN_SEQUENTIAL, FALSE, TRUE, FALSE },
    { "trim", PATTERN_SEQUENTIAL, FALSE, FALSE, TRUE },     { "rw", PATTERN_SEQUENTIAL, TRUE, TRUE, FALSE },
    { "readwrite", PATTERN_SEQUENTIAL, TRUE, TRUE, FALSE }, { "trimwrite", PATTERN_SEQUENTIAL, FALSE, TRUE, TRUE },
    { "randread", PATTERN_RANDOM, TRUE, FALSE, FALSE },     { "randwrite", PATTERN_RANDOM, FALSE, TRUE, FALSE },
    { "randtrim", PATTERN_RANDOM, FALSE, FALSE, TRUE },     { "randrw", PATTERN_RANDOM, TRUE, TRUE, FALSE },
    { "randtrimwrite", PATTERN_RANDOM, FALSE, TRUE, TRUE },
  };
  g_autofree char *name = g_strdup (s->value ? s->value : "");
  char *more = strchr (name, ':');
  if (more) {
    *more++ = '\0';
  }
  Pattern *p = &s->o->pattern;
  for (unsigned i = 0; i < G_N_ELEMENTS (modes); i++) {
    if (strcmp (g_strstrip (name), modes[i].name)) {
      continue;
    }
    p->order = modes[i].order;
    p->has_read = modes[i].read;
    p->has_write = modes[i].write;
    p->has_trim = modes[i].trim;
    s->o->rw_line = s->place->line;
    p->random_run = 0;
    p->sequential_add = 0;
    if (!more || !*g_strstrip (more)) {
      return TRUE;
    }
    const gboolean backwards = *more == '-' && p->order == PATTERN_SEQUENTIAL;
    uint64_t value;
    if (!setting_number_within (s, backwards ? more + 1 : more, 0,
                                p->order == PATTERN_RANDOM ? UINT32_MAX : FIO_JOB_SIZE_LIMIT, &value, error)) {
      return FALSE;
    }
    if (p->order == PATTERN_RANDOM) {
      p->random_run = (unsigned) value;
    } else {
      p->sequential_add = backwards ? -(int64_t) value : (int64_t) value;
    }
    return TRUE;
  }
  return setting_refuse (s, error,
                         "read, write, trim, rw, trimwrite, randread, randwrite, randtrim, randrw or randtrimwrite");
}

gboolean set_rwmixwrite (Setting *s, GError **error)
{
  uint64_t value;
  if (!setting_number_within (s, s->value ? s->value : "", 0, 100, &value, error)) {
    return FALSE;
  }
  s->o->pattern.read_percent = 100 - (unsigned) value;
  return TRUE;
}

gboolean set_norandommap (Setting *s, GError **error)
{
  (void) error;
  s->o->pattern.random_map = s->value && !strcmp (s->value, "0");
  return TRUE;
}

static gboolean set_percentage_random_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  uint64_t value;
  if (!setting_number_within (s, part, 0, 100, &value, error)) {
    return FALSE;
  }
  s->o->pattern.sequential_percent[direction] = 100 - (unsigned) value;
  return TRUE;
}

gboolean set_percentage_random (Setting *s, GError **error)
{
  return setting_for_directions (s, set_percentage_random_of, error);
}

static gboolean parse_double (const char *text, double min, double max, double *ret_value)
{
  char *end;
  const double value = g_ascii_strtod (text, &end);
  *ret_value = value;
  return end != text && !*end && value >= min && value <= max;
}

/* Shares without a value get what the others leave, in equal parts.  FALSE if they do not add up to 100. */
static gboolean complete_shares (uint64_t *share, const gboolean *given, unsigned n)
{
  uint64_t sum = 0, open = 0;
  for (unsigned i = 0; i < n; i++) {
    sum += given[i] ? share[i] : 0;
    open += !given[i];
  }
  if (sum > 100 || (!open && sum < 100)) {
    return FALSE;
  }
  for (unsigned i = 0; i < n; i++) {
    share[i] = given[i] ? share[i] : (100 - sum) / open;
  }
  return TRUE;
}

/* ACCESS/SIZE:ACCESS/SIZE...: shares of the requests and of the region, or with zoned_abs sizes in bytes. */
static gboolean set_zones_of (Setting *s, unsigned direction, const char *part, GError **error)
{
  const gboolean absolute = s->o->pattern.distribution == DISTRIBUTION_ZONED_ABS;
  g_auto (GStrv) entries = g_strsplit (part, ":", ZONE_SPLIT_MAX + 1);
  const unsigned n = g_strv_length (entries);
  uint64_t access[ZONE_SPLIT_MAX], size[ZONE_SPLIT_MAX], sum = 0, end = 0;
  gboolean has_access[ZONE_SPLIT_MAX], has_size[ZONE_SPLIT_MAX];
  if (n > ZONE_SPLIT_MAX) {
    return setting_refuse (s, error, "at most 256 zones");
  }
  for (unsigned i = 0; i < n; i++) {
    char *slash = strchr (entries[i], '/');
    if (slash) {
      *slash = '\0';
    }
    has_access[i] = *g_strstrip (entries[i]) != '\0';
    has_size[i] = slash && *g_strstrip (slash + 1);
    if ((has_access[i] && !setting_number_within (s, entries[i], 0, 100, &access[i], error)) ||
        (has_size[i] &&
         !setting_number_within (s, g_strstrip (slash + 1), 1, absolute ? FIO_JOB_SIZE_LIMIT / ZONE_SPLIT_MAX : 100,
                                 &size[i], error))) {
      return FALSE;
    }
    if (absolute && !has_size[i]) {
      return setting_refuse (s, error, "a size behind the '/' of every zone");
    }
  }
  if (!complete_shares (access, has_access, n) || (!absolute && !complete_shares (size, has_size, n))) {
    return setting_refuse (s, error, "ACCESS/SIZE:ACCESS/SIZE... whose shares add up to 100");
  }
  for (unsigned i = 0; i < n; i++) {
    sum += access[i];
    end += size[i];
    s->o->zone[direction][i] = (PatternZone){ (unsigned) sum, end };
  }
  s->o->n_zone[direction] = n;
  return TRUE;
}

static gboolean set_zones (Setting *s, GError **error)
{
  Setting zones = *s;
  s->o->pattern.distribution = g_str_has_prefix (s->value, "zoned_abs") ? DISTRIBUTION_ZONED_ABS : DISTRIBUTION_ZONED;
  memset (s->o->n_zone, 0, sizeof s->o->n_zone);
  zones.value = strchr (s->value, ':');
  if (!zones.value || !*++zones.value) {
    return setting_refuse (s, error, "zones behind the colon: ACCESS/SIZE:ACCESS/SIZE...");
  }
  return setting_for_directions (&zones, set_zones_of, error);
}

gboolean set_distribution (Setting *s, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (s->value ? s->value : "", ":", 4);
  const unsigned n = g_strv_length (parts);
  Pattern *p = &s->o->pattern;
  const char *name = n ? parts[0] : "";
  p->center = 0;
  if (!strcmp (name, "random")) {
    p->distribution = DISTRIBUTION_UNIFORM;
    return TRUE;
  }
  if (!strcmp (name, "zoned") || !strcmp (name, "zoned_abs")) {
    return set_zones (s, error);
  }
  const gboolean good_center = n < 3 || (n == 3 && parse_double (parts[2], 0.0, 1.0, &p->center));
  if (!good_center) {
    return setting_refuse (s, error, "a centre of 0..1 behind the second colon");
  }
  p->center = n == 3 ? MAX (p->center, 1e-12) : 0; /* 0 itself stands for fio's default */
  if (!strcmp (name, "zipf")) {
    p->distribution = DISTRIBUTION_ZIPF;
    p->theta = 1.1;
    return n < 2 || (parse_double (parts[1], 0.01, 10.0, &p->theta) && p->theta != 1.0)
               ? TRUE
               : setting_refuse (s, error, "zipf:THETA with a theta of 0.01..10 other than 1");
  }
  if (!strcmp (name, "pareto")) {
    p->distribution = DISTRIBUTION_PARETO;
    p->theta = 0.2;
    return n < 2 || (parse_double (parts[1], 0.0001, 0.9999, &p->theta))
               ? TRUE
               : setting_refuse (s, error, "pareto:H with an H above 0 and below 1");
  }
  if (!strcmp (name, "normal")) {
    p->distribution = DISTRIBUTION_NORMAL;
    p->theta = 0;
    return n < 2 || parse_double (parts[1], 0.0, 100.0, &p->theta)
               ? TRUE
               : setting_refuse (s, error, "normal:DEVIATION with a deviation of 0..100 percent");
  }
  return setting_refuse (s, error, "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:... or zoned_abs:...");
}

gboolean set_file_service (Setting *s, GError **error)
{
  static const char *const names[] = { "roundrobin", "sequential", "random" };
  g_autofree char *name = g_strdup (s->value ? s->value : "");
  char *more = strchr (name, ':');
  if (more) {
    *more++ = '\0';
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (names); i++) {
    if (!strcmp (name, names[i])) {
      uint64_t ios = 0;
      if (more && !setting_number_within (s, more, 1, UINT32_MAX, &ios, error)) {
        return FALSE;
      }
      s->o->pattern.file_service = (FileService) i;
      s->o->pattern.file_service_ios = (unsigned) ios;
      return TRUE;
    }
  }
  return setting_refuse (s, error, "roundrobin, sequential or random (zipf, pareto and normal are not modelled)");
}
