/*
 * Traces as CSV whose header names columns and units; uringsim-trace(1) says which.  See text_trace.h.
 *
 *   time_us,op,file,offset,size
 *   0,write,"/srv/a, b",0,4096
 */
#include "src/input/input_error.h"
#include "src/input/text_trace.h"
#include <string.h>

enum { COLUMNS_MAX = 64, WORD_MAX_BYTES = 60 };

typedef enum { ROLE_TIME, ROLE_OP, ROLE_FILE, ROLE_OFFSET, ROLE_SIZE, ROLES, ROLE_OTHER = ROLES } Role;
static const char *const role_names[ROLES] = { "time", "op", "file", "offset", "size" };

/* Names of columns, without unit. */
static const struct {
  const char *name;
  Role role;
} names[] = {
  { "time", ROLE_TIME },     { "timestamp", ROLE_TIME }, { "stamp", ROLE_TIME },   { "arrival", ROLE_TIME },
  { "start", ROLE_TIME },    { "op", ROLE_OP },          { "operation", ROLE_OP }, { "type", ROLE_OP },
  { "action", ROLE_OP },     { "rw", ROLE_OP },          { "file", ROLE_FILE },    { "filename", ROLE_FILE },
  { "path", ROLE_FILE },     { "device", ROLE_FILE },    { "disk", ROLE_FILE },    { "volume", ROLE_FILE },
  { "offset", ROLE_OFFSET }, { "lba", ROLE_OFFSET },     { "size", ROLE_SIZE },    { "length", ROLE_SIZE },
  { "len", ROLE_SIZE },      { "bytes", ROLE_SIZE },
};

static const struct {
  const char *name;
  gboolean time;
  uint64_t factor; /* ns or bytes */
} units[] = {
  { "ns", TRUE, 1 },         { "us", TRUE, UR_US },     { "ms", TRUE, UR_MS },     { "s", TRUE, UR_S },
  { "sec", TRUE, UR_S },     { "seconds", TRUE, UR_S }, { "bytes", FALSE, 1 },     { "b", FALSE, 1 },
  { "sectors", FALSE, 512 }, { "kib", FALSE, 1 << 10 }, { "mib", FALSE, 1 << 20 }, { "pages", FALSE, 4096 },
};

static const struct {
  const char *name;
  IoOp op;
} ops[] = {
  { "read", IO_READ },
  { "r", IO_READ },
  { "write", IO_WRITE },
  { "w", IO_WRITE },
  { "trim", IO_TRIM },
  { "discard", IO_TRIM },
  { "t", IO_TRIM },
  { "d", IO_TRIM },
  { "sync", IO_SYNC },
  { "fsync", IO_SYNC },
  { "flush", IO_SYNC },
  { "f", IO_SYNC },
  { "s", IO_SYNC },
  { "datasync", IO_DATASYNC },
  { "fdatasync", IO_DATASYNC },
  { "sync_file_range", IO_SYNC_FILE_RANGE },
};

typedef struct {
  const char *text; /* in the line, or in `unquoted` */
  gsize length;
  gsize start; /* in `unquoted`, which moves while it grows */
} Field;

typedef struct {
  gboolean has_header;
  char separator;
  unsigned columns;
  unsigned at[ROLES]; /* column + 1; 0: there is none */
  uint64_t unit[ROLES];
  GString *unquoted, *others; /* `others`: columns that mean nothing here */
  Field field[COLUMNS_MAX];
} Csv;

/* ---- fields ---- */

static gboolean is_blank (char c) { return c == ' ' || c == '\t'; }

static char find_separator (const char *text, gsize length)
{
  gboolean quoted = FALSE, semicolon = FALSE;
  for (gsize i = 0; i < length; i++) {
    quoted ^= text[i] == '"';
    if (!quoted && text[i] == '\t') {
      return '\t';
    }
    semicolon |= !quoted && text[i] == ';';
  }
  return semicolon ? ';' : ',';
}

/* A field between quotes, from the first one on, quotes in it doubled; returns what follows, NULL if the last quote is
 * missing. */
static const char *read_quoted (Csv *csv, const char *p, const char *end, Field *field)
{
  *field = (Field){ .start = csv->unquoted->len };
  for (p++; p < end; p++) {
    if (*p == '"' && (p + 1 == end || p[1] != '"')) {
      field->length = csv->unquoted->len - field->start;
      return p + 1;
    }
    p += *p == '"';
    g_string_append_c (csv->unquoted, *p);
  }
  return NULL;
}

/* Splits a line; blanks around fields do not count.  NULL, or what was expected. (static) */
static const char *split (Csv *csv, const char *p, const char *end, unsigned *ret_n)
{
  guint64 quoted = 0; /* bit i: field i */
  unsigned n = 0;
  g_string_truncate (csv->unquoted, 0);
  for (;;) {
    if (n == COLUMNS_MAX) {
      return "at most 64 columns";
    }
    Field *field = &csv->field[n];
    while (p < end && is_blank (*p) && *p != csv->separator) {
      p++;
    }
    if (p < end && *p == '"') {
      p = read_quoted (csv, p, end, field);
      if (!p) {
        return "a second quote around the field";
      }
      quoted |= (guint64) 1 << n;
      while (p < end && is_blank (*p) && *p != csv->separator) {
        p++;
      }
      if (p < end && *p != csv->separator) {
        return "the separator behind a quoted field";
      }
    } else {
      const char *stop = memchr (p, csv->separator, (gsize) (end - p));
      stop = stop ? stop : end;
      *field = (Field){ .text = p, .length = (gsize) (stop - p) };
      while (field->length && is_blank (field->text[field->length - 1])) {
        field->length--;
      }
      p = stop;
    }
    n++;
    if (p == end) {
      break;
    }
    p++;
  }
  for (unsigned i = 0; i < n; i++) {
    if (quoted >> i & 1) {
      csv->field[i].text = csv->unquoted->str + csv->field[i].start;
    }
  }
  *ret_n = n;
  return NULL;
}

/* ---- the header ---- */

/* "Time (us)", "time_us": lower case, one '_' for what is neither letter nor digit. */
static char *normalized (const Field *field)
{
  GString *word = g_string_new (NULL);
  for (gsize i = 0; i < field->length && word->len < WORD_MAX_BYTES; i++) {
    const char c = field->text[i];
    if (g_ascii_isalnum (c)) {
      g_string_append_c (word, g_ascii_tolower (c));
    } else if (word->len && word->str[word->len - 1] != '_') {
      g_string_append_c (word, '_');
    }
  }
  while (word->len && word->str[word->len - 1] == '_') {
    g_string_truncate (word, word->len - 1);
  }
  return g_string_free (word, FALSE);
}

static Role role_of (const char *word)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (names); i++) {
    if (!strcmp (word, names[i].name)) {
      return names[i].role;
    }
  }
  return ROLE_OTHER;
}

/* The role of a column, and the factor of its unit, 0 if it names none. */
static Role understand (char *word, uint64_t *ret_unit)
{
  *ret_unit = 0;
  const Role whole = role_of (word);
  char *mark = strrchr (word, '_');
  if (whole != ROLE_OTHER || !mark) {
    return whole;
  }
  *mark = '\0';
  const Role role = role_of (word);
  const gboolean time = role == ROLE_TIME;
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (!strcmp (mark + 1, units[i].name) && units[i].time == time) {
      *ret_unit = units[i].factor;
      return time || role == ROLE_OFFSET || role == ROLE_SIZE ? role : ROLE_OTHER;
    }
  }
  return ROLE_OTHER;
}

/* NULL, or what is wrong with the header. (transfer full) */
static char *take_column (Csv *csv, unsigned column)
{
  const Field *field = &csv->field[column];
  g_autofree char *word = normalized (field), *found = input_quote (field->text, field->length, WORD_MAX_BYTES);
  uint64_t unit;
  const Role role = understand (word, &unit);
  if (role == ROLE_OTHER) {
    g_string_append_printf (csv->others, "%s\"%s\"", csv->others->len ? ", " : "", found);
    return NULL;
  }
  if (csv->at[role]) {
    return g_strdup_printf ("column \"%s\" is a second one of the %s", found, role_names[role]);
  }
  if (role == ROLE_TIME && !unit) {
    return g_strdup_printf ("column \"%s\" does not say its unit; expected time_ns, time_us, time_ms or time_s", found);
  }
  csv->at[role] = column + 1;
  csv->unit[role] = unit ? unit : 1;
  return NULL;
}

static char *read_header (Csv *csv, const char *text, gsize length)
{
  csv->separator = find_separator (text, length);
  const char *expected = split (csv, text, text + length, &csv->columns);
  if (expected) {
    return g_strdup_printf ("the header: expected %s", expected);
  }
  for (unsigned i = 0; i < csv->columns; i++) {
    char *problem = take_column (csv, i);
    if (problem) {
      return problem;
    }
  }
  static const Role needed[] = { ROLE_OP, ROLE_OFFSET, ROLE_SIZE };
  for (unsigned i = 0; i < G_N_ELEMENTS (needed); i++) {
    if (!csv->at[needed[i]]) {
      return g_strdup_printf ("the header names no column %s; expected op, offset and size, and perhaps time and file",
                              role_names[needed[i]]);
    }
  }
  csv->has_header = TRUE;
  return NULL;
}

static Csv *csv_new (void)
{
  Csv *csv = g_new0 (Csv, 1);
  csv->unquoted = g_string_new (NULL);
  csv->others = g_string_new (NULL);
  return csv;
}

static void csv_free (gpointer state)
{
  Csv *csv = state;
  g_string_free (csv->unquoted, TRUE);
  g_string_free (csv->others, TRUE);
  g_free (csv);
}

gboolean csv_trace_is_header (const char *text, gsize length)
{
  Csv *csv = csv_new ();
  csv->separator = find_separator (text, length);
  gboolean has_role[ROLES + 1] = { FALSE };
  if (!split (csv, text, text + length, &csv->columns)) {
    for (unsigned i = 0; i < csv->columns; i++) {
      g_autofree char *word = normalized (&csv->field[i]);
      uint64_t unit;
      has_role[understand (word, &unit)] = TRUE;
    }
  }
  csv_free (csv);
  return has_role[ROLE_OP] && (has_role[ROLE_OFFSET] || has_role[ROLE_SIZE]);
}

/* ---- lines ---- */

static const Field *field_of (const Csv *csv, Role role) { return &csv->field[csv->at[role] - 1]; }

static gboolean parse_op (const Field *field, IoOp *ret_op)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (ops); i++) {
    if (strlen (ops[i].name) == field->length && !g_ascii_strncasecmp (field->text, ops[i].name, field->length)) {
      *ret_op = ops[i].op;
      return TRUE;
    }
  }
  return FALSE;
}

static char *expected_field (const Csv *csv, Role role, const char *expected)
{
  const Field *field = field_of (csv, role);
  g_autofree char *found = input_quote (field->text, field->length, WORD_MAX_BYTES);
  return g_strdup_printf ("%s \"%s\"; expected %s", role_names[role], found, expected);
}

static gboolean parse_bytes (const Csv *csv, Role role, uint64_t *ret_bytes)
{
  const Field *field = field_of (csv, role);
  return text_parse_unsigned (field->text, field->length, ret_bytes) &&
         !__builtin_mul_overflow (*ret_bytes, csv->unit[role], ret_bytes);
}

/* NULL, or what is wrong with the row. (transfer full) */
static char *read_row (Csv *csv, TextPass *pass, Io *io)
{
  static const char number[] = "an unsigned decimal number below 2^64 bytes";
  *io = (Io){ 0 };
  if (!parse_op (field_of (csv, ROLE_OP), &io->op)) {
    return expected_field (csv, ROLE_OP, "read, write, trim, sync, datasync or sync_file_range");
  }
  if (io->op <= IO_TRIM && !parse_bytes (csv, ROLE_OFFSET, &io->offset)) {
    return expected_field (csv, ROLE_OFFSET, number);
  }
  if (io->op <= IO_TRIM && !parse_bytes (csv, ROLE_SIZE, &io->length)) {
    return expected_field (csv, ROLE_SIZE, number);
  }
  if (csv->at[ROLE_TIME]) {
    const Field *time = field_of (csv, ROLE_TIME);
    uint64_t stamp;
    if (!text_parse_time (time->text, time->length, csv->unit[ROLE_TIME], &stamp)) {
      return expected_field (csv, ROLE_TIME, "an unsigned decimal number below 292 years, with or without a fraction");
    }
    io->arrival = stamp;
  }
  if (!csv->at[ROLE_FILE]) {
    io->file = text_pass_only_file (pass);
    return NULL;
  }
  const Field *file = field_of (csv, ROLE_FILE);
  if (!file->length) {
    return expected_field (csv, ROLE_FILE, "a name");
  }
  io->file = text_pass_file (pass, file->text, file->length);
  return NULL;
}

static gpointer csv_start (TextPass *pass)
{
  (void) pass;
  return csv_new ();
}

static TextResult csv_line (gpointer state, TextPass *pass, const ByteLine *line, Io *ret_io, char **ret_problem)
{
  Csv *csv = state;
  const char *p = line->text, *end = p + line->length;
  unsigned n;
  while (p < end && is_blank (*p)) {
    p++;
  }
  if (p == end || *p == '#') {
    return TEXT_NOTHING;
  }
  if (!csv->has_header) {
    *ret_problem = read_header (csv, line->text, line->length);
    if (*ret_problem) {
      text_pass_give_up (pass, "%s", *ret_problem);
    }
    return *ret_problem ? TEXT_DEFECT : TEXT_NOTHING;
  }
  const char *expected = split (csv, line->text, end, &n);
  if (expected || n != csv->columns) {
    g_autofree char *found = input_quote (line->text, line->length, WORD_MAX_BYTES);
    *ret_problem = expected
                       ? g_strdup_printf ("found \"%s\"; expected %s", found, expected)
                       : g_strdup_printf ("%u fields in \"%s\"; expected %u, as in the header", n, found, csv->columns);
    return TEXT_DEFECT;
  }
  *ret_problem = read_row (csv, pass, ret_io);
  return *ret_problem ? TEXT_DEFECT : TEXT_REQUEST;
}

static gboolean csv_finish (gpointer state, Trace *trace, GError **error)
{
  const Csv *csv = state;
  TraceInfo *info = &trace->info;
  const char *separator = csv->separator == '\t' ? "tab" : csv->separator == ';' ? "semicolon" : "comma";
  (void) error;
  info->has_times = csv->at[ROLE_TIME] != 0;
  trace_add_text (info->interpretation, "separator", separator);
  if (info->has_times) {
    trace_add_number (info->interpretation, "time_unit_ns", csv->unit[ROLE_TIME]);
  }
  trace_add_number (info->interpretation, "offset_unit", csv->unit[ROLE_OFFSET]);
  trace_add_number (info->interpretation, "size_unit", csv->unit[ROLE_SIZE]);
  if (csv->others->len) {
    trace_warn (info, "columns that are not used: %s", csv->others->str);
  }
  trace->unsaid =
      g_strdup ("CSV does not say engine, flags or cache: requests are buffered, files as large as the highest "
                "end");
  return TRUE;
}

const TextFormat csv_trace_format = {
  .name = "csv",
  .start = csv_start,
  .free = csv_free,
  .line = csv_line,
  .finish = csv_finish,
};
