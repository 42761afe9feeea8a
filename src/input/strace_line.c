/* See strace_line.h. */
#include "src/input/strace_line.h"
#include "src/input/text_trace.h"
#include <string.h>

/* ---- lines ---- */

static const char *skip_blanks (const char *p, const char *end)
{
  while (p < end && *p == ' ') {
    p++;
  }
  return p;
}

static const char *skip_digits (const char *p, const char *end)
{
  while (p < end && g_ascii_isdigit (*p)) {
    p++;
  }
  return p;
}

/* "[pid  123] " or "123 "; NULL if there is no process id that is a number. */
static const char *read_pid (const char *p, const char *end, uint64_t *ret_pid)
{
  static const char bracket[] = "[pid ";
  const gboolean brackets = (gsize) (end - p) > strlen (bracket) && !memcmp (p, bracket, strlen (bracket));
  const char *start = brackets ? skip_blanks (p + strlen (bracket), end) : p;
  const char *stop = skip_digits (start, end);
  if (!brackets && (stop == start || stop == end || *stop == '.')) {
    return p;
  }
  if (!text_parse_unsigned (start, (gsize) (stop - start), ret_pid) || stop == end || *stop != (brackets ? ']' : ' ')) {
    return NULL;
  }
  return skip_blanks (stop + 1, end);
}

static gboolean starts (const char *p, const char *end, const char *word)
{
  return (gsize) (end - p) >= strlen (word) && !memcmp (p, word, strlen (word));
}

static const char *skip_name (const char *p, const char *end)
{
  while (p < end && (g_ascii_isalnum (*p) || *p == '_')) {
    p++;
  }
  return p;
}

/* "<... NAME resumed>REST" */
static StraceKind read_resumed (const char *p, const char *end, StraceLine *line)
{
  static const char resumed[] = " resumed>";
  line->name = p + strlen ("<... ");
  const char *stop = skip_name (line->name, end);
  if (stop == line->name || !starts (stop, end, resumed)) {
    return STRACE_BAD;
  }
  line->name_length = (gsize) (stop - line->name);
  line->args = skip_blanks (stop + strlen (resumed), end);
  line->args_length = (gsize) (end - line->args);
  return STRACE_RESUMED;
}

/* Where an unfinished call breaks off, NULL if it does not.  Without -o the news of a new process may follow it. */
static const char *find_break (const char *p, const char *end)
{
  static const char *const marks[] = { "<unfinished ...>", "strace: Process " };
  for (unsigned i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *found = p, *last = NULL;
    while ((found = memmem (found, (gsize) (end - found), marks[i], strlen (marks[i])))) {
      last = found++;
    }
    if (last && (i == 0 ? last + strlen (marks[i]) == end : starts (end - strlen (" attached"), end, " attached"))) {
      return last;
    }
  }
  return NULL;
}

StraceKind strace_line_parse (const char *text, gsize length, StraceLine *ret_line)
{
  const char *p = text, *end = text + length;
  *ret_line = (StraceLine){ 0 };
  while (end > p && end[-1] == ' ') {
    end--;
  }
  if (starts (p, end, "strace: ")) {
    return STRACE_REMARK;
  }
  p = read_pid (p, end, &ret_line->pid);
  const char *stop = p;
  while (stop && stop < end && (g_ascii_isdigit (*stop) || *stop == '.')) {
    stop++;
  }
  if (!p || stop == end || *stop != ' ' || !memchr (p, '.', (gsize) (stop - p)) ||
      !text_parse_time (p, (gsize) (stop - p), UR_S, &ret_line->time)) {
    return STRACE_BAD;
  }
  p = skip_blanks (stop, end);
  if (starts (p, end, "<... ")) {
    return read_resumed (p, end, ret_line);
  }
  if (starts (p, end, "+++ ")) {
    return STRACE_EXITED;
  }
  if (starts (p, end, "--- ")) {
    return STRACE_REMARK;
  }
  ret_line->name = p;
  stop = skip_name (p, end);
  if (stop == p || stop == end || *stop != '(') {
    return STRACE_BAD;
  }
  ret_line->name_length = (gsize) (stop - p);
  ret_line->args = stop + 1;
  stop = find_break (ret_line->args, end);
  ret_line->args_length = (gsize) ((stop ? stop : end) - ret_line->args);
  ret_line->broken = stop && *stop == 's';
  return stop ? STRACE_UNFINISHED : STRACE_CALL;
}

gboolean strace_is_line (const char *text, gsize length)
{
  StraceLine line;
  const StraceKind kind = strace_line_parse (text, length, &line);
  return kind != STRACE_BAD && line.time > 0 && (kind != STRACE_CALL || memchr (line.args, ')', line.args_length));
}

/* ---- calls ---- */

/* Behind the string that starts at p; `end` if it does not end. */
static const char *skip_string (const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++) {
    p += *p == '\\' && p + 1 < end;
  }
  return p < end ? p + 1 : end;
}

/* Behind whatever starts at p and may hold commas and brackets without meaning: a string, a comment, the path of a file
 * descriptor. */
static const char *skip_piece (const char *p, const char *end)
{
  if (*p == '"') {
    return skip_string (p, end);
  }
  if (*p == '/' && p + 1 < end && p[1] == '*') {
    const char *stop = memmem (p + 2, (gsize) (end - p - 2), "*/", 2);
    return stop ? stop + 2 : end;
  }
  if (*p == '<' && p + 1 < end && p[1] != '<' && p[-1] != '<') {
    const char *stop = memchr (p, '>', (gsize) (end - p));
    return stop ? stop + 1 : p + 1;
  }
  return p + 1;
}

static void add_arg (StraceCall *call, const char *start, const char *stop)
{
  while (start < stop && *start == ' ') {
    start++;
  }
  while (stop > start && stop[-1] == ' ') {
    stop--;
  }
  if (call->n < STRACE_ARGS_MAX && (call->n || start < stop)) {
    call->arg[call->n] = start;
    call->length[call->n++] = (gsize) (stop - start);
  }
}

static gboolean parse_signed (const char *text, gsize length, int64_t *ret_value)
{
  const gboolean negative = length && *text == '-';
  uint64_t value;
  if (!text_parse_unsigned (text + negative, length - negative, &value) || value > G_MAXINT64) {
    return FALSE;
  }
  *ret_value = negative ? -(int64_t) value : (int64_t) value;
  return TRUE;
}

/* ") = 4096 <0.000012>": what is behind the bracket. */
static void read_result (const char *p, const char *end, StraceCall *call)
{
  p = skip_blanks (p, end);
  if (p == end || *p != '=') {
    return;
  }
  p = skip_blanks (p + 1, end);
  const char *stop = p + (p < end && *p == '-');
  stop = skip_digits (stop, end);
  call->has_result = (stop == end || *stop != 'x') && parse_signed (p, (gsize) (stop - p), &call->result);
  if (end > stop && end[-1] == '>') {
    const char *open = memrchr (stop, '<', (gsize) (end - stop));
    call->has_duration = open && text_parse_time (open + 1, (gsize) (end - 1 - (open + 1)), UR_S, &call->duration);
  }
}

gboolean strace_call_parse (const char *args, gsize length, StraceCall *ret_call)
{
  const char *p = args, *end = args + length, *start = args;
  unsigned depth = 0;
  *ret_call = (StraceCall){ 0 };
  while (p < end) {
    if (depth == 0 && (*p == ',' || *p == ')')) {
      add_arg (ret_call, start, p);
      if (*p == ')') {
        read_result (p + 1, end, ret_call);
        return TRUE;
      }
      start = ++p;
      continue;
    }
    if (*p == '(' || *p == '[' || *p == '{') {
      depth++;
    } else if (*p == ')' || *p == ']' || *p == '}') {
      depth -= depth > 0;
    }
    p = p == args && *p == '<' ? p + 1 : skip_piece (p, end);
  }
  return FALSE;
}

gboolean strace_arg_number (const StraceCall *call, unsigned index, int64_t *ret_value)
{
  if (index >= call->n) {
    return FALSE;
  }
  const char *path = memchr (call->arg[index], '<', call->length[index]);
  return parse_signed (call->arg[index], path ? (gsize) (path - call->arg[index]) : call->length[index], ret_value);
}

gboolean strace_arg_contains (const StraceCall *call, unsigned index, const char *word)
{
  return index < call->n && memmem (call->arg[index], call->length[index], word, strlen (word));
}

/* Octal, hexadecimal and letters, as in C.  Control characters stay escaped: names are written to logs of lines.
 * (transfer full) */
static char *unescape (const char *p, const char *end)
{
  GString *text = g_string_new (NULL);
  while (p < end) {
    if (*p != '\\' || p + 1 == end) {
      g_string_append_c (text, *p++);
      continue;
    }
    static const char letters[] = "n\nt\tr\rv\vf\fa\ab\b";
    const char *start = p++;
    unsigned value = 0, digits = 0;
    if (*p == 'x') {
      for (p++; p < end && digits < 2 && g_ascii_isxdigit (*p); p++, digits++) {
        value = value * 16 + (unsigned) g_ascii_xdigit_value (*p);
      }
    } else if (*p >= '0' && *p <= '7') {
      for (; p < end && digits < 3 && *p >= '0' && *p <= '7'; p++, digits++) {
        value = value * 8 + (unsigned) (*p - '0');
      }
    } else {
      value = (unsigned char) *p;
      for (unsigned i = 0; letters[i]; i += 2) {
        value = letters[i] == *p ? (unsigned char) letters[i + 1] : value;
      }
      p++;
    }
    if (value < 0x20 || value == 0x7f) {
      g_string_append_len (text, start, p - start);
    } else {
      g_string_append_c (text, (char) value);
    }
  }
  return g_string_free (text, FALSE);
}

char *strace_arg_string (const StraceCall *call, unsigned index)
{
  if (index >= call->n || call->length[index] < 2 || *call->arg[index] != '"') {
    return NULL;
  }
  const char *end = call->arg[index] + call->length[index];
  const char *stop = skip_string (call->arg[index], end);
  return stop == end && end[-1] == '"' ? unescape (call->arg[index] + 1, end - 1) : NULL;
}

char *strace_arg_path (const StraceCall *call, unsigned index)
{
  if (index >= call->n) {
    return NULL;
  }
  const char *end = call->arg[index] + call->length[index];
  const char *path = memchr (call->arg[index], '<', call->length[index]);
  return path && end - path > 2 && path[1] == '/' && end[-1] == '>' ? unescape (path + 1, end - 1) : NULL;
}
