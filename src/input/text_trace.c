/*
 * The passes over traces of lines of text.  See text_trace.h.
 */
#include "src/input/text_trace.h"
#include "src/input/input_error.h"
#include <string.h>

#define COUNT G_GUINT64_FORMAT

typedef struct {
  ByteSource *source;
  const TextFormat *format;
  gboolean lenient;
} TextTrace;

struct TextPass {
  IoSource base;
  const Trace *trace;
  const TextTrace *text;
  IologNames *growing; /* (nullable): a later pass */
  ByteStream *stream;
  TraceReading reading;
  gpointer state;
  gboolean ended, has_first, crlf, cut_end;
  uint64_t lines, first, last; /* stamps of requests */
  uint64_t zero_lengths;
  GError *failure; /* of a format */
};

/* ---- for formats ---- */

void text_pass_give_up (TextPass *pass, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (!pass->failure) {
    g_set_error (&pass->failure, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" COUNT ": %s", pass->reading.name, pass->lines,
                 text);
  }
}

uint32_t text_pass_file (TextPass *pass, const char *name, gsize length)
{
  const uint32_t file = iolog_names_find (&pass->trace->files, name, (unsigned) length);
  if (file != IOLOG_NAME_NONE) {
    return file;
  }
  if (!pass->growing) {
    text_pass_give_up (pass, "the trace changed while it was in use");
    return 0;
  }
  if (pass->growing->n >= IOLOG_FILES_LIMIT) {
    text_pass_give_up (pass, "more than %u different file names", IOLOG_FILES_LIMIT);
    return 0;
  }
  return iolog_names_add (pass->growing, name, (unsigned) length);
}

uint32_t text_pass_only_file (TextPass *pass)
{
  return text_pass_file (pass, pass->reading.name, MIN (strlen (pass->reading.name), IOLOG_NAME_LIMIT));
}

gboolean text_pass_counts (const TextPass *pass) { return pass->growing != NULL; }

gboolean text_parse_unsigned (const char *text, gsize length, uint64_t *ret_value)
{
  uint64_t value = 0;
  for (gsize i = 0; i < length; i++) {
    if (!g_ascii_isdigit (text[i]) || __builtin_mul_overflow (value, 10u, &value) ||
        __builtin_add_overflow (value, (uint64_t) (text[i] - '0'), &value)) {
      return FALSE;
    }
  }
  *ret_value = value;
  return length > 0;
}

gboolean text_parse_time (const char *text, gsize length, uint64_t unit_ns, uint64_t *ret_ns)
{
  const char *point = memchr (text, '.', length);
  const gsize whole_length = point ? (gsize) (point - text) : length;
  uint64_t whole, fraction = 0, unit = unit_ns;
  if (!text_parse_unsigned (text, whole_length, &whole) || __builtin_mul_overflow (whole, unit_ns, &whole) ||
      (point && whole_length + 1 == length)) {
    return FALSE;
  }
  for (gsize i = whole_length + 1; i < length; i++) {
    if (!g_ascii_isdigit (text[i])) {
      return FALSE;
    }
    unit /= 10;
    fraction += (uint64_t) (text[i] - '0') * unit;
  }
  return !__builtin_add_overflow (whole, fraction, ret_ns) && *ret_ns <= G_MAXINT64;
}

/* ---- one pass ---- */

static int defect (TextPass *pass, char *problem, GError **error)
{
  g_autofree char *place = g_strdup_printf ("%" COUNT, pass->lines);
  return trace_defect (&pass->reading, place, problem, error);
}

/* What no format may hand out: NULL, or why not. */
static const char *check_request (const Io *io)
{
  if (io->arrival > G_MAXINT64) {
    return "a time that passes 292 years; expected a smaller one";
  }
  if (io->offset > G_MAXINT64 || io->length > G_MAXINT64 - io->offset) {
    return "offset plus size passes 2^63-1, the end of the largest file";
  }
  return NULL;
}

/* From the stamp as written to the arrival: never before the request before. */
static void take_request (TextPass *pass, Io *io)
{
  const uint64_t stamp = io->arrival;
  TraceInfo *info = pass->reading.info;
  if (!pass->has_first) {
    pass->first = pass->last = stamp;
    pass->has_first = TRUE;
    if (info) {
      info->first_ns = stamp;
    }
  }
  if (info) {
    info->back_steps += stamp < pass->last;
    const uint64_t largest = MAX (info->first_ns + info->span_ns, stamp);
    info->first_ns = MIN (info->first_ns, stamp);
    info->span_ns = largest - info->first_ns;
    pass->zero_lengths += io->op <= IO_TRIM && io->length == 0;
    if (io->op == IO_TRIM && !pass->trace->trims_at) {
      ((Trace *) pass->trace)->trims_at = g_strdup_printf ("%s:%" COUNT, pass->reading.name, pass->lines);
    }
  }
  pass->last = MAX (pass->last, stamp);
  io->arrival = pass->last - pass->first;
}

/* 1: a request; 0: none in this line; -1: error set. */
static int read_line (TextPass *pass, const ByteLine *line, Io *ret_io, GError **error)
{
  char *problem = NULL;
  pass->lines = line->number;
  pass->crlf |= line->had_cr;
  pass->cut_end |= !line->has_newline;
  if (line->too_long) {
    return defect (pass, g_strdup_printf ("a line of more than %u bytes", BYTE_STREAM_LINE_MAX), error);
  }
  if (memchr (line->text, '\0', line->length)) {
    return defect (pass, g_strdup ("a NUL byte in the line; expected text"), error);
  }
  TextResult result = pass->text->format->line (pass->state, pass, line, ret_io, &problem);
  const char *refused = result == TEXT_REQUEST ? check_request (ret_io) : NULL;
  if (refused) {
    problem = g_strdup (refused);
    result = TEXT_DEFECT;
  }
  if (pass->failure) {
    g_free (problem);
    g_propagate_error (error, g_steal_pointer (&pass->failure));
    return -1;
  }
  return result == TEXT_DEFECT ? defect (pass, problem, error) : result == TEXT_REQUEST;
}

static int pass_next (IoSource *base, Io *ret_io, GError **error)
{
  TextPass *pass = (TextPass *) base;
  const TextFormat *format = pass->text->format;
  for (;;) {
    ByteLine line;
    if (format->ready && format->ready (pass->state, pass->ended, ret_io)) {
      take_request (pass, ret_io);
      return 1;
    }
    if (pass->ended) {
      return 0;
    }
    const int more = byte_stream_next_line (pass->stream, &line, error);
    if (more < 0) {
      return -1;
    }
    pass->ended = more == 0;
    const int found = more ? read_line (pass, &line, ret_io, error) : 0;
    if (found > 0) {
      take_request (pass, ret_io);
    }
    if (found != 0) {
      return found;
    }
  }
}

static void pass_free (IoSource *base)
{
  TextPass *pass = (TextPass *) base;
  if (pass->state) {
    pass->text->format->free (pass->state);
  }
  byte_stream_free (pass->stream);
  g_clear_error (&pass->failure);
  g_free (pass);
}

static TextPass *pass_new (const Trace *trace, TraceInfo *info, GError **error)
{
  const TextTrace *text = trace->data;
  ByteStream *stream = byte_stream_new (text->source, error);
  if (!stream) {
    return NULL;
  }
  TextPass *pass = g_new0 (TextPass, 1);
  pass->base = (IoSource){ .next = pass_next, .free = pass_free };
  pass->trace = trace;
  pass->text = text;
  pass->growing = info ? (IologNames *) &trace->files : NULL;
  pass->stream = stream;
  pass->reading = (TraceReading){ .name = byte_source_name (text->source), .lenient = text->lenient, .info = info };
  pass->state = text->format->start (pass);
  return pass;
}

static IoSource *pass_open (const Trace *trace, GError **error)
{
  TextPass *pass = pass_new (trace, NULL, error);
  return pass ? &pass->base : NULL;
}

/* ---- the first pass ---- */

static void add_warnings (const TextPass *pass, TraceInfo *info)
{
  if (byte_stream_had_bom (pass->stream)) {
    trace_warn (info, "a UTF-8 byte order mark at the start was skipped");
  }
  if (pass->crlf) {
    trace_warn (info, "lines end in CR LF");
  }
  if (pass->cut_end) {
    trace_warn (info, "the last line has no newline: it may be cut, and its last number with it");
  }
  if (pass->zero_lengths) {
    trace_warn (info, "%" COUNT " requests of length 0", pass->zero_lengths);
  }
  if (info->skipped) {
    trace_warn (info, "%" COUNT " defective lines were left out", info->skipped);
  }
  if (info->back_steps) {
    trace_warn (info, "time goes backwards %" COUNT " times; a request arrives no earlier than the one before",
                info->back_steps);
  }
}

static gboolean first_pass (Trace *trace, const TextTrace *text, GError **error)
{
  TraceInfo *info = &trace->info;
  TextPass *pass = pass_new (trace, info, error);
  Io io;
  int more = pass ? 1 : -1;
  while (more > 0 && (more = pass_next (&pass->base, &io, error)) > 0) {
    trace_count (trace, &io);
  }
  if (more == 0) {
    trace_add_number (info->facts, "lines", pass->lines);
    info->files = trace->files.n;
    info->segments = 1;
    if (!text->format->finish (pass->state, trace, error)) {
      more = -1;
    }
  }
  if (more == 0 && trace->ios == 0) {
    g_autofree char *first = info->defects->len
                                 ? g_strdup_printf ("; the first defect: %s", (char *) info->defects->pdata[0])
                                 : g_strdup ("");
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no request in %" COUNT " lines%s", trace->name, pass->lines,
                 first);
    more = -1;
  }
  if (more == 0) {
    if (!info->has_times) {
      info->first_ns = info->span_ns = info->back_steps = 0;
    }
    add_warnings (pass, info);
  }
  if (pass) {
    pass_free (&pass->base);
  }
  return more == 0;
}

static void text_trace_free (gpointer data)
{
  byte_source_unref (((TextTrace *) data)->source);
  g_free (data);
}

Trace *text_trace_open (ByteSource *source, const TextFormat *format, gboolean lenient, GError **error)
{
  g_autoptr (Trace) trace = trace_new (byte_source_name (source), format->name);
  TextTrace *text = g_new0 (TextTrace, 1);
  text->source = byte_source_ref (source);
  text->format = format;
  text->lenient = lenient;
  trace->data = text;
  trace->free_data = text_trace_free;
  trace->open = pass_open;
  return first_pass (trace, text, error) ? g_steal_pointer (&trace) : NULL;
}
