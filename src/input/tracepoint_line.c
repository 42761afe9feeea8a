/*
 * Lines of kernel trace text.  See tracepoint_line.h.
 */
#include "src/input/tracepoint_line.h"
#include <string.h>

enum { FRACTION_DIGITS = 9, SECONDS_DIGITS = 10, PID_DIGITS = 9 };

static const char *skip_blanks (const char *p)
{
  while (*p == ' ' || *p == '\t') {
    p++;
  }
  return p;
}

static const char *skip_digits (const char *p)
{
  while (g_ascii_isdigit (*p)) {
    p++;
  }
  return p;
}

/* "123.456789: "; returns what follows, NULL if it is no time. */
static const char *parse_time (const char *p, UrTime *ret_time)
{
  const char *point = skip_digits (p);
  if (point == p || point - p > SECONDS_DIGITS || *point != '.') {
    return NULL;
  }
  const char *end = skip_digits (point + 1);
  const gsize digits = (gsize) (end - point - 1);
  if (digits < 1 || digits > FRACTION_DIGITS || end[0] != ':') {
    return NULL;
  }
  uint64_t fraction = g_ascii_strtoull (point + 1, NULL, 10);
  for (gsize i = digits; i < FRACTION_DIGITS; i++) {
    fraction *= 10;
  }
  *ret_time = g_ascii_strtoull (p, NULL, 10) * UR_S + fraction;
  return skip_blanks (end + 1);
}

/* From "[001] d..1. 123.456: " on, `p` at the bracket. */
static const char *parse_cpu_and_time (const char *p, UrTime *ret_time)
{
  const char *end = skip_digits (p + 1);
  if (end == p + 1 || *end != ']') {
    return NULL;
  }
  p = skip_blanks (end + 1);
  const char *rest = parse_time (p, ret_time);
  if (rest) {
    return rest;
  }
  const gsize flags = strcspn (p, " \t"); /* irqs-off, need-resched, ...: a word of 4 to 6 characters */
  return flags >= 4 && flags <= 6 ? parse_time (skip_blanks (p + flags), ret_time) : NULL;
}

/* The task in line[0 .. end): the PID is read from the right, the name may be anything. */
static gboolean parse_task (const char *line, const char *end, TraceLine *ret)
{
  while (end > line && g_ascii_isspace (end[-1])) {
    end--;
  }
  if (end > line && end[-1] == ')') { /* the thread group, with record-tgid */
    while (end > line && end[-1] != '(') {
      end--;
    }
    while (end > line && (end[-1] == '(' || g_ascii_isspace (end[-1]))) {
      end--;
    }
  }
  const char *digits = end;
  while (digits > line && g_ascii_isdigit (digits[-1])) {
    digits--;
  }
  if (digits == line || digits == end || end - digits > PID_DIGITS) {
    return FALSE;
  }
  ret->pid = g_ascii_strtoull (digits, NULL, 10);
  const char *separator = digits - 1;
  if (*separator == '/') { /* perf: PID/TID */
    const char *group = separator;
    while (group > line && g_ascii_isdigit (group[-1])) {
      group--;
    }
    if (group == separator || group == line) {
      return FALSE;
    }
    separator = group - 1;
  }
  if (*separator != '-' && *separator != ' ' && *separator != '\t') {
    return FALSE;
  }
  ret->comm = skip_blanks (line);
  ret->comm_length = separator > ret->comm ? (gsize) (separator - ret->comm) : 0;
  while (ret->comm_length > 0 && ret->comm[ret->comm_length - 1] == ' ') {
    ret->comm_length--;
  }
  return TRUE;
}

static const char *event_word_end (const char *p)
{
  while (g_ascii_isalnum (*p) || *p == '_') {
    p++;
  }
  return p;
}

/* "EVENT: payload" or "SYSTEM:EVENT: payload". */
static gboolean parse_event (const char *p, TraceLine *ret)
{
  const char *end = event_word_end (p);
  if (end > p && end[0] == ':' && (g_ascii_isalnum (end[1]) || end[1] == '_')) {
    p = end + 1;
    end = event_word_end (p);
  }
  if (end == p || *end != ':') {
    return FALSE;
  }
  ret->event = p;
  ret->event_length = (gsize) (end - p);
  ret->payload = skip_blanks (end + 1);
  return TRUE;
}

/* "CPU:1 [LOST 17 EVENTS]", also without a number. */
static gboolean parse_lost (const char *p, TraceLine *ret)
{
  if (!g_str_has_prefix (p, "CPU:")) {
    return FALSE;
  }
  const char *end = skip_digits (p + 4);
  const char *mark = skip_blanks (end);
  if (end == p + 4 || !g_str_has_prefix (mark, "[LOST ")) {
    return FALSE;
  }
  mark += strlen ("[LOST ");
  ret->lost = g_ascii_isdigit (*mark) ? g_ascii_strtoull (mark, NULL, 10) : 0;
  return g_str_has_prefix (skip_blanks (skip_digits (mark)), "EVENTS]");
}

TraceLineKind trace_line_parse (const char *line, TraceLine *ret_line)
{
  const char *start = skip_blanks (line);
  if (*start == '\0' || *start == '#' || g_str_has_prefix (start, "cpus=") || g_str_has_prefix (start, "version =")) {
    return TRACE_LINE_NOTHING;
  }
  if (parse_lost (start, ret_line)) {
    return TRACE_LINE_LOST;
  }
  for (const char *bracket = strchr (line, '['); bracket; bracket = strchr (bracket + 1, '[')) {
    const char *event = parse_cpu_and_time (bracket, &ret_line->time);
    if (event && parse_task (line, bracket, ret_line) && parse_event (event, ret_line)) {
      return TRACE_LINE_EVENT;
    }
  }
  return TRACE_LINE_BAD;
}

gboolean trace_line_field (const char *payload, const char *key, const char **ret_word, gsize *ret_length)
{
  const gsize length = strlen (key);
  for (const char *p = strstr (payload, key); p; p = strstr (p + 1, key)) {
    const gboolean starts = p == payload || p[-1] == ' ' || p[-1] == ',';
    if (starts && (p[length] == ' ' || p[length] == '=')) {
      *ret_word = skip_blanks (p + length + 1);
      *ret_length = strcspn (*ret_word, ", \t");
      return TRUE;
    }
  }
  return FALSE;
}

int trace_line_number (const char *payload, const char *key, unsigned base, uint64_t *ret_value)
{
  const char *word;
  gsize length;
  if (!trace_line_field (payload, key, &word, &length)) {
    return 0;
  }
  const gboolean prefix = base == 16 && length > 2 && word[0] == '0' && word[1] == 'x';
  word += prefix ? 2 : 0;
  length -= prefix ? 2 : 0;
  if (length == 0 || length > (base == 16 ? 16u : 19u)) {
    return -1;
  }
  uint64_t value = 0;
  for (gsize i = 0; i < length; i++) {
    const int digit = base == 16 ? g_ascii_xdigit_value (word[i]) : g_ascii_digit_value (word[i]);
    if (digit < 0) {
      return -1;
    }
    value = value * base + (unsigned) digit;
  }
  *ret_value = value;
  return 1;
}
