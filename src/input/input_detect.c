/*
 * What an input is, from its first bytes.  See input.h.
 */
#include "src/input/input.h"
#include "src/input/fio_plain_result.h"
#include "src/input/iolog_line.h"
#include "src/input/text_trace.h"
#include <string.h>

enum { LOOKED_AT = 16384 };

const char *input_kind_name (InputKind kind)
{
  static const char *const names[] = {
    [INPUT_FIO_JOB] = "fio job file",
    [INPUT_IOLOG] = "iolog",
    [INPUT_IOLOG_V1] = "iolog of version 1",
    [INPUT_CSV] = "CSV trace",
    [INPUT_STRACE] = "strace text",
    [INPUT_BLKTRACE] = "binary blktrace",
    [INPUT_BLKPARSE] = "blkparse text",
    [INPUT_TRACEPOINTS] = "kernel tracepoint text",
    [INPUT_FIO_JSON] = "fio JSON result",
    [INPUT_FIO_TERSE] = "terse result of fio",
    [INPUT_FIO_TEXT] = "text result of fio",
    [INPUT_FIO_HIST_LOG] = "fio log of histograms",
    [INPUT_FIO_LOG] = "fio latency, bandwidth or IOPS log",
    [INPUT_THROUGHPUT] = "file of throughput records",
    [INPUT_LOCK_SHARE] = "table of lock shares",
    [INPUT_UNKNOWN] = "unknown input",
  };
  return names[kind];
}

/* The next line of bytes[0..len); returns the start of the one behind it. */
static const char *next_line (const char *p, const char *end, const char **ret_start, const char **ret_end)
{
  const char *newline = memchr (p, '\n', (size_t) (end - p));
  const char *stop = newline ? newline : end;
  while (p < stop && g_ascii_isspace (*p)) {
    p++;
  }
  *ret_start = p;
  while (stop > p && g_ascii_isspace (stop[-1])) {
    stop--;
  }
  *ret_end = stop;
  return newline ? newline + 1 : end;
}

/* Digits with commas and blanks between: how many numbers?  0 if there is anything else. */
static unsigned count_columns (const char *p, const char *end)
{
  unsigned columns = 0;
  while (p < end) {
    if (!g_ascii_isdigit (*p)) {
      return 0;
    }
    columns++;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
      p += 2;
    }
    while (p < end && g_ascii_isxdigit (*p)) {
      p++;
    }
    if (p < end && *p++ != ',') {
      return 0;
    }
    while (p < end && *p == ' ') {
      p++;
    }
  }
  return columns;
}

/* Digits, perhaps with one `inner` between them; returns what follows, NULL if there is anything else. */
static const char *skip_number (const char *p, const char *end, char inner)
{
  const char *start = p;
  unsigned inners = 0;
  while (p < end && (g_ascii_isdigit (*p) || (*p == inner && p > start))) {
    inners += *p++ == inner;
  }
  if (p == start || inners != (inner != 0) || (p < end && *p != ' ')) {
    return NULL;
  }
  while (p < end && *p == ' ') {
    p++;
  }
  return p;
}

/* "8,0    0    4     0.000250000  4242  Q  WS ..." */
static gboolean is_blkparse (const char *p, const char *end)
{
  static const char inner[] = { ',', 0, 0, '.', 0 };
  for (unsigned i = 0; p && i < G_N_ELEMENTS (inner); i++) {
    p = skip_number (p, end, inner[i]);
  }
  return p != NULL && p < end;
}

static gboolean contains (const char *p, const char *end, const char *word)
{
  return memmem (p, (size_t) (end - p), word, strlen (word)) != NULL;
}

/* "fio-1234  [001] ...  123.456789: io_uring_submit_req: ..." */
static gboolean is_tracepoint (const char *p, const char *end)
{
  const char *cpu = memchr (p, '[', (size_t) (end - p));
  return cpu && end - cpu > 5 && g_ascii_isdigit (cpu[1]) && cpu[4] == ']' && contains (cpu, end, ": ");
}

/* {"batch": 1, "job": {"tool": ... on one line. */
static gboolean is_throughput (const char *p, const char *end)
{
  return contains (p, end, "\"job\"") && contains (p, end, "\"tool\"");
}

/* "JOB\tFILE SYSTEM\tPERCENT\tPERCENT", the first percentage perhaps in parentheses. */
static gboolean is_lock_share (const char *p, const char *end)
{
  unsigned tabs = 0;
  for (const char *c = p; c < end; c++) {
    tabs += *c == '\t';
    if (tabs >= 2 && *c != '\t' && !g_ascii_isdigit (*c) && !strchr (".()", *c)) {
      return FALSE;
    }
  }
  return tabs == 3;
}

static InputKind kind_of_line (const char *p, const char *end)
{
  uint64_t version;
  if (iolog_line_is_version (p, (unsigned) (end - p), &version)) {
    return INPUT_IOLOG;
  }
  if (strace_is_line (p, (gsize) (end - p))) {
    return INPUT_STRACE;
  }
  if (*p == '[') {
    return INPUT_FIO_JOB;
  }
  if (*p == '{') {
    return is_throughput (p, end) ? INPUT_THROUGHPUT : INPUT_FIO_JSON;
  }
  if (fio_terse_is_line (p, (gsize) (end - p))) {
    return INPUT_FIO_TERSE;
  }
  if (fio_hist_log_is_start (p, (gsize) (end - p))) {
    return INPUT_FIO_HIST_LOG;
  }
  if (csv_trace_is_header (p, (gsize) (end - p))) {
    return INPUT_CSV;
  }
  if (is_lock_share (p, end)) {
    return INPUT_LOCK_SHARE;
  }
  const unsigned columns = count_columns (p, end);
  if (columns >= 3) {
    return columns == 3 ? INPUT_IOLOG_V1 : INPUT_FIO_LOG;
  }
  if (is_blkparse (p, end)) {
    return INPUT_BLKPARSE;
  }
  if (is_tracepoint (p, end)) {
    return INPUT_TRACEPOINTS;
  }
  return INPUT_UNKNOWN;
}

/* "name=value" or one word that could be a switch. */
static gboolean looks_like_option (const char *p, const char *end)
{
  const char *start = p;
  while (p < end && (g_ascii_islower (*p) || g_ascii_isdigit (*p) || *p == '_' || *p == '-')) {
    p++;
  }
  while (p > start && p < end && *p == ' ') {
    p++;
  }
  return p > start && p < end && *p == '=';
}

static InputKind detect (const char *bytes, gsize len)
{
  static const char blktrace_little[] = "\x07tae", blktrace_big[] = "eat\x07";
  const char *p = bytes, *end = bytes + len, *start, *stop;
  if (len >= 4 && (!memcmp (p, blktrace_little, 4) || !memcmp (p, blktrace_big, 4))) {
    return INPUT_BLKTRACE;
  }
  if (len >= 3 && !memcmp (p, "\xef\xbb\xbf", 3)) {
    p += 3;
  }
  InputKind first = INPUT_UNKNOWN;
  gboolean has_comment = FALSE, has_option = FALSE;
  for (unsigned line = 0; p < end; line++) {
    p = next_line (p, end, &start, &stop);
    if (start == stop) {
      continue;
    }
    if (*start == '#' && contains (start, stop, "tracer:")) {
      return INPUT_TRACEPOINTS;
    }
    if (*start == '#' || *start == ';') {
      has_comment = TRUE;
      continue;
    }
    first = kind_of_line (start, stop);
    has_option = looks_like_option (start, stop);
    break;
  }
  if (first != INPUT_UNKNOWN) {
    return first;
  }
  if (contains (bytes, end, "\n{") && contains (bytes, end, "\"fio version\"")) {
    return INPUT_FIO_JSON;
  }
  if (contains (bytes, end, ": (g=0): rw=") ||
      (contains (bytes, end, ": (groupid=") && contains (bytes, end, "err="))) {
    return INPUT_FIO_TEXT;
  }
  if (has_option || (has_comment && p == end)) {
    return INPUT_FIO_JOB;
  }
  return contains (bytes, end, "\n[") && contains (bytes, end, "=") ? INPUT_FIO_JOB : INPUT_UNKNOWN;
}

InputKind input_detect (const ByteSource *source, GError **error)
{
  g_autofree char *bytes = g_malloc (LOOKED_AT);
  const gssize n = byte_source_peek (source, bytes, LOOKED_AT, error);
  if (n == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: is empty", byte_source_name (source));
  }
  return n > 0 ? detect (bytes, (gsize) n) : INPUT_UNKNOWN;
}
