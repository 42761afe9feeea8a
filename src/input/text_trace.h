/*
 * Traces of lines of text as this program defines them or as tools print them: what the readers of iologs of version 1
 * (iolog_v1.c), CSV (csv_trace.c) and strace (strace_trace.c) share.
 *
 * A TextFormat says what one line stands for; the passes, their limits, defects and facts are here.
 */
#ifndef TEXT_TRACE_H
#define TEXT_TRACE_H

#include "src/input/trace.h"

/* One pass over the lines, the first or a later one. */
typedef struct TextPass TextPass;

typedef enum {
  TEXT_NOTHING,                /* a comment, a header, a line without a request */
  TEXT_REQUEST,                /* *ret_io filled */
  TEXT_DEFECT                  /* *ret_problem says what was found and what was expected (transfer full) */
} TextResult;

typedef struct {
  const char *name;            /* TraceInfo.format */
  gpointer  (*start) (TextPass *pass);           /* the state of one pass (transfer full) */
  void      (*free) (gpointer state);
  /* What the line stands for.  ret_io->arrival is the stamp as written, in ns; the pass makes it relative. */
  TextResult (*line) (gpointer state, TextPass *pass, const ByteLine *line, Io *ret_io, char **ret_problem);
  /* (nullable) Requests that lines before have left, in order: TRUE if *ret_io is filled.  `ended`: no line follows. */
  gboolean  (*ready) (gpointer state, gboolean ended, Io *ret_io);
  /* Facts and warnings of the format, and whether there are times, at the end of the first pass.  FALSE with error set:
   * it is no such trace. */
  gboolean  (*finish) (gpointer state, Trace *trace, GError **error);
} TextFormat;

/* INPUT_ERROR. (transfer full) */
Trace *text_trace_open (ByteSource *source, const TextFormat *format, gboolean lenient, GError **error);

/* ---- for formats ---- */

/* The number of a file name; beyond IOLOG_FILES_LIMIT names the pass ends with an error, and 0 is returned. */
uint32_t    text_pass_file (TextPass *pass, const char *name, gsize length);
/* The name of the only file of a trace that names none: that of the input. */
uint32_t    text_pass_only_file (TextPass *pass);
/* Whether it is the first pass, which counts. */
gboolean    text_pass_counts (const TextPass *pass);

/* Ends the pass with an error at the line, lenient or not. */
void        text_pass_give_up (TextPass *pass, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* A decimal number text[0..length), all of it; FALSE if it is none or passes 64 bits. */
gboolean    text_parse_unsigned (const char *text, gsize length, uint64_t *ret_value);
/* "12" or "12.345" in units of `unit_ns`, exact to the nanosecond, further digits dropped.  FALSE if it is none or passes
 * 2^63-1 ns. */
gboolean    text_parse_time (const char *text, gsize length, uint64_t unit_ns, uint64_t *ret_ns);

extern const TextFormat iolog_v1_format, csv_trace_format, strace_format;

/* Is text[0..length), without line end, the header of a CSV trace; a line of strace -ttt? */
gboolean csv_trace_is_header (const char *text, gsize length);
gboolean strace_is_line (const char *text, gsize length);

#endif
