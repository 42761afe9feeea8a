/*
 * iologs of version 1, as fio before 1.20 wrote them: lines "rw, offset, length", 0 a read and 1 a write, in bytes, on
 * one file that is not named, without times.  No first line says so, hence they are read on request only.
 */
#include "src/input/input_error.h"
#include "src/input/text_trace.h"
#include <string.h>

static gpointer v1_start (TextPass *pass)
{
  (void) pass;
  return g_new0 (char, 1);
}

static TextResult v1_line (gpointer state, TextPass *pass, const ByteLine *line, Io *ret_io, char **ret_problem)
{
  const char *p = line->text, *end = p + line->length;
  uint64_t value[3];
  unsigned n = 0;

  (void) state;
  while (p < end && g_ascii_isspace (*p)) {
    p++;
  }
  if (p == end || *p == '#' || *p == ';') {
    return TEXT_NOTHING;
  }
  for (; n < 3; n++) {
    const char *stop = p;
    while (stop < end && g_ascii_isdigit (*stop)) {
      stop++;
    }
    if (!text_parse_unsigned (p, (gsize) (stop - p), &value[n])) {
      break;
    }
    for (p = stop; p < end && g_ascii_isspace (*p); p++) {
    }
    if (n < 2 && (p == end || *p++ != ',')) {
      break;
    }
    for (; p < end && g_ascii_isspace (*p); p++) {
    }
  }
  if (n < 3 || p < end || value[0] > 1) {
    g_autofree char *found = input_quote (line->text, line->length, 60);
    *ret_problem =
        g_strdup_printf ("found \"%s\"; expected \"0, OFFSET, LENGTH\" of a read or \"1, OFFSET, LENGTH\" of "
                         "a write, in bytes",
                         found);
    return TEXT_DEFECT;
  }
  *ret_io = (Io){
    .op = value[0] ? IO_WRITE : IO_READ, .file = text_pass_only_file (pass), .offset = value[1], .length = value[2]
  };
  return TEXT_REQUEST;
}

static gboolean v1_finish (gpointer state, Trace *trace, GError **error)
{
  (void) state;
  (void) error;
  trace_add_text (trace->info.interpretation, "version", "1, as asked");
  trace->unsaid =
      g_strdup ("an iolog of version 1 does not say engine, flags, cache, files or times: all requests are on "
                "one file, as large as the highest end, buffered, and there are no syncs");
  return TRUE;
}

const TextFormat iolog_v1_format = {
  .name = "iolog-v1",
  .start = v1_start,
  .free = g_free,
  .line = v1_line,
  .finish = v1_finish,
};
