/*
 * fio job files: sections, includes, variables.  See fio_job.h.
 *
 * A section is read as a list of lines; its options are then set in the order that fio uses: kb_base first, the others
 * as they stand.  fio_workload.c makes jobs of the values.
 */
#include "src/input/fio_job.h"
#include "src/input/fio_options.h"
#include "src/input/fio_workload.h"
#include "src/input/input_error.h"
#include <string.h>

enum { INCLUDE_DEPTH_MAX = 16, LINES_MAX = 1 << 16 };

typedef struct {
  char *key, *value; /* value (nullable) */
  char *file;        /* quoted */
  unsigned line;
} Setting;

typedef struct {
  const FioJobOptions *options;
  Workload *workload;
  GStringChunk *strings;
  FioWorkload *jobs; /* what makes jobs of sections (nullable): `visit` is told instead */
  FioJobVisit visit;
  gpointer visit_data;
  unsigned sections;
  JobOptions defaults; /* of the global sections so far */
  char *section;       /* (nullable) name of the current one */
  unsigned section_line;
  char *section_file;
  GArray *settings; /* of Setting, of the current section */
  unsigned lines;   /* of all files together */
} Reader;

static void clear_setting (gpointer data)
{
  Setting *setting = data;
  g_free (setting->key);
  g_free (setting->value);
  g_free (setting->file);
}

static gboolean fail_at (const char *file, unsigned line, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean fail_at (const char *file, unsigned line, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%u: %s", file, line, text);
  return FALSE;
}

/* ---- variables ---- */

/* ${NAME} from the environment; one that is not set is empty. */
static char *expand_environment (const char *text)
{
  GString *result = g_string_new (NULL);
  const char *start;
  while ((start = strstr (text, "${"))) {
    const char *end = strchr (start, '}');
    if (!end) {
      break;
    }
    g_autofree char *name = g_strndup (start + 2, (gsize) (end - start - 2));
    const char *value = g_getenv (name);
    g_string_append_len (result, text, start - text);
    g_string_append (result, value ? value : "");
    text = end + 1;
  }
  g_string_append (result, text);
  return g_string_free (result, FALSE);
}

/* "A op B op C" in whole numbers, from left to right, '*' and '/' first.  FALSE if it is anything else. */
static gboolean calculate (const char *text, uint64_t *ret_value)
{
  uint64_t sum = 0, product = 1;
  char op = '*', sign = '+';
  const char *p = text;
  for (;;) {
    char *end;
    while (g_ascii_isspace (*p)) {
      p++;
    }
    if (!g_ascii_isdigit (*p)) {
      return FALSE;
    }
    const uint64_t number = g_ascii_strtoull (p, &end, 10);
    if (op == '/' && number == 0) {
      return FALSE;
    }
    if (op == '*' ? __builtin_mul_overflow (product, number, &product) : (product /= number, FALSE)) {
      return FALSE;
    }
    for (p = end; g_ascii_isspace (*p); p++) {
    }
    if (*p == '*' || *p == '/') {
      op = *p++;
      continue;
    }
    if (sign == '+' ? __builtin_add_overflow (sum, product, &sum) : __builtin_sub_overflow (sum, product, &sum)) {
      return FALSE;
    }
    if (!*p) {
      *ret_value = sum;
      return TRUE;
    }
    if (*p != '+' && *p != '-') {
      return FALSE;
    }
    sign = *p++;
    product = 1;
    op = '*';
  }
}

static char *replace_all (char *text, const char *word, const char *by)
{
  g_auto (GStrv) parts = g_strsplit (text, word, -1);
  g_free (text);
  return g_strjoinv (by, parts);
}

/* $ncpus, $pagesize, $mb_memory, with arithmetic around them.  NULL with error set. */
static char *expand_keywords (const Reader *reader, char *text, const char *file, unsigned line, GError **error)
{
  if (!strstr (text, "$ncpus") && !strstr (text, "$pagesize") && !strstr (text, "$mb_memory")) {
    return text;
  }
  if (strstr (text, "$mb_memory") && !reader->options->memory) {
    fail_at (file, line, error, "$mb_memory: no size of memory is known here; expected a number");
    g_free (text);
    return NULL;
  }
  g_autofree char *cpus = g_strdup_printf ("%u", MAX (1, reader->options->cpus));
  g_autofree char *memory = g_strdup_printf ("%" G_GUINT64_FORMAT, reader->options->memory >> 20);
  text = replace_all (replace_all (text, "$ncpus", cpus), "$pagesize", "4096");
  text = replace_all (text, "$mb_memory", memory);
  uint64_t value;
  if (calculate (text, &value)) {
    g_free (text);
    text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  }
  workload_note (reader->workload, "%s:%u: $ncpus is %s, $pagesize is 4096, $mb_memory is %s", file, line, cpus,
                 memory);
  return text;
}

/* ---- sections ---- */

static gboolean apply (Reader *reader, JobOptions *options, gboolean kb_base, GError **error)
{
  for (unsigned i = 0; i < reader->settings->len; i++) {
    const Setting *s = &g_array_index (reader->settings, Setting, i);
    const OptionPlace place = { s->file, s->line, reader->options->lenient, reader->strings, reader->workload };
    const gboolean is_kb_base = strcmp (s->key, "kb_base") == 0;
    if (is_kb_base == kb_base && !job_options_set (options, s->key, s->value, &place, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean end_section (Reader *reader, GError **error)
{
  if (!reader->section) {
    return TRUE;
  }
  JobOptions options = reader->defaults;
  if (!apply (reader, &options, TRUE, error) || !apply (reader, &options, FALSE, error)) {
    return FALSE;
  }
  g_array_set_size (reader->settings, 0);
  if (g_str_has_prefix (reader->section, "global")) {
    /* a barrier belongs to the jobs that follow, one by one */
    reader->defaults = options;
    return TRUE;
  }
  const OptionPlace place = { reader->section_file, reader->section_line, reader->options->lenient, reader->strings,
                              reader->workload };
  reader->sections++;
  if (!reader->jobs) {
    reader->visit (reader->section, &options, reader->visit_data);
    return TRUE;
  }
  return fio_workload_add (reader->jobs, reader->section, &options, &place, error);
}

static gboolean start_section (Reader *reader, const char *line, const char *file, unsigned number, GError **error)
{
  const gsize length = strlen (line);
  if (line[length - 1] != ']') {
    g_autofree char *quoted = input_quote (line, length, 60);
    return fail_at (file, number, error, "section \"%s\" does not end in \"]\"", quoted);
  }
  if (length - 2 > 255 || length == 2) {
    return fail_at (file, number, error, "a section name of %u bytes; expected 1..255", (unsigned) length - 2);
  }
  if (!end_section (reader, error)) {
    return FALSE;
  }
  g_free (reader->section);
  g_free (reader->section_file);
  reader->section = g_strndup (line + 1, length - 2);
  reader->section_file = g_strdup (file);
  reader->section_line = number;
  return TRUE;
}

/* fio keeps blanks behind the "=": numbers then end before their suffix, and words are not known. */
static void note_blanks (Reader *reader, const char *value, const char *file, unsigned number)
{
  const char *bare = value + strspn (value, " \t");
  if (bare > value && bare[strspn (bare, "0123456789")]) {
    g_autofree char *quoted = input_quote (bare, strlen (bare), 40);
    workload_note (
        reader->workload,
        "%s:%u: blanks between \"=\" and \"%s\" are left out; fio reads a number there without its suffix, and "
        "refuses words",
        file, number, quoted);
  }
}

static gboolean option_line (Reader *reader, char *line, const char *file, unsigned number, GError **error)
{
  char *equals = strchr (line, '=');
  g_autofree char *value = NULL;
  if (equals) {
    *equals = '\0';
    note_blanks (reader, equals + 1, file, number);
    value = expand_keywords (reader, expand_environment (g_strstrip (equals + 1)), file, number, error);
    if (!value) {
      return FALSE;
    }
  }
  g_strchomp (line);
  if (!*line) {
    return fail_at (file, number, error, "a line that starts with \"=\"; expected OPTION=VALUE");
  }
  if (!reader->section) {
    g_autofree char *quoted = input_quote (line, strlen (line), 60);
    return fail_at (file, number, error, "option \"%s\" before any section; expected [global] or [JOB] first", quoted);
  }
  const Setting setting = { g_strdup (line), g_steal_pointer (&value), g_strdup (file), number };
  g_array_append_val (reader->settings, setting);
  return TRUE;
}

/* ---- lines and files ---- */

static gboolean read_file (Reader *reader, ByteSource *source, unsigned depth, GError **error);

/* `include FILE`: relative to the working directory, then to the including file. */
static gboolean include (Reader *reader, const char *name, const char *file, unsigned number, unsigned depth,
                         GError **error)
{
  g_autofree char *expanded = expand_environment (name);
  g_autofree char *quoted = input_quote (expanded, strlen (expanded), 200);
  if (!reader->section) {
    return fail_at (file, number, error, "include before any section; expected [global] or [JOB] first");
  }
  if (depth >= INCLUDE_DEPTH_MAX) {
    return fail_at (file, number, error, "include %s: more than %d files deep", quoted, INCLUDE_DEPTH_MAX);
  }
  g_autofree char *directory = g_path_get_dirname (file);
  g_autofree char *beside = g_build_filename (directory, expanded, NULL);
  GError *cause = NULL;
  const gboolean here = g_path_is_absolute (expanded) || g_file_test (expanded, G_FILE_TEST_EXISTS);
  ByteSource *source = strcmp (expanded, "-") ? byte_source_open (here ? expanded : beside, &cause) : NULL;
  if (!source) {
    fail_at (file, number, error, "include %s: %s", quoted,
             cause ? cause->message : "standard input cannot be included");
    g_clear_error (&cause);
    return FALSE;
  }
  const gboolean read = read_file (reader, source, depth + 1, error);
  byte_source_unref (source);
  return read;
}

static gboolean read_line (Reader *reader, char *line, const char *file, unsigned number, unsigned depth,
                           GError **error)
{
  g_strstrip (line);
  if (!*line || *line == ';' || *line == '#') {
    return TRUE;
  }
  if (*line == '[') {
    if (depth > 0) {
      return fail_at (file, number, error, "a section in an included file; expected options only");
    }
    return start_section (reader, line, file, number, error);
  }
  if (g_str_has_prefix (line, "include ") || g_str_has_prefix (line, "include\t")) {
    return include (reader, g_strchug (line + 8), file, number, depth, error);
  }
  return option_line (reader, line, file, number, error);
}

static gboolean read_file (Reader *reader, ByteSource *source, unsigned depth, GError **error)
{
  const char *name = byte_source_name (source);
  if (byte_source_size (source) > FIO_JOB_BYTES_LIMIT) {
    return fail_at (name, 1, error, "a job file of more than %u bytes", FIO_JOB_BYTES_LIMIT);
  }
  ByteStream *stream = byte_stream_new (source, error);
  if (!stream) {
    return FALSE;
  }
  ByteLine line;
  int more;
  while ((more = byte_stream_next_line (stream, &line, error)) > 0) {
    g_autofree char *text = g_strndup (line.text, line.length);
    const unsigned number = (unsigned) line.number;
    const gboolean read =
        line.too_long ? fail_at (name, number, error, "a line of more than %u bytes", BYTE_STREAM_LINE_MAX)
        : memchr (line.text, '\0', line.length) ? fail_at (name, number, error, "a NUL byte in the line; expected text")
        : number == 1 && byte_stream_had_bom (stream)
            ? fail_at (name, number, error, "a UTF-8 byte order mark, which fio refuses; expected plain text")
        : line.offset > FIO_JOB_BYTES_LIMIT ? fail_at (name, number, error, "more than %u bytes", FIO_JOB_BYTES_LIMIT)
        : ++reader->lines > LINES_MAX       ? fail_at (name, number, error, "more than %d lines", LINES_MAX)
                                            : read_line (reader, text, name, number, depth, error);
    if (!read) {
      more = -1;
      break;
    }
  }
  byte_stream_free (stream);
  return more == 0;
}

/* Reads it all; what `reader` has beside options, workload and jobs or visit is filled in. */
static gboolean read_job (Reader *reader, ByteSource *source, GError **error)
{
  reader->strings = g_string_chunk_new (4096);
  reader->settings = g_array_new (FALSE, FALSE, sizeof (Setting));
  g_array_set_clear_func (reader->settings, clear_setting);
  job_options_init (&reader->defaults);
  gboolean read = read_file (reader, source, 0, error) && end_section (reader, error);
  if (read && !reader->sections) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no job in it; expected a section such as [job]",
                 byte_source_name (source));
    read = FALSE;
  }
  fio_workload_free (reader->jobs);
  g_array_unref (reader->settings);
  g_string_chunk_free (reader->strings);
  g_free (reader->section);
  g_free (reader->section_file);
  return read;
}

gboolean fio_job_read (ByteSource *source, const FioJobOptions *options, Workload *workload, GError **error)
{
  Reader reader = { .options = options,
                    .workload = workload,
                    .jobs = fio_workload_new (workload, options, byte_source_name (source)) };

  return read_job (&reader, source, error);
}

gboolean fio_job_visit (ByteSource *source, const FioJobOptions *how, Workload *workload, FioJobVisit visit,
                        gpointer data, GError **error)
{
  Reader reader = { .options = how, .workload = workload, .visit = visit, .visit_data = data };

  return read_job (&reader, source, error);
}
