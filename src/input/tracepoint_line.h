/*
 * One line of kernel trace text, cut into its parts; see tracepoint.h.
 */
#ifndef TRACEPOINT_LINE_H
#define TRACEPOINT_LINE_H

#include "src/engine/engine.h"

typedef enum { TRACE_LINE_EVENT, TRACE_LINE_NOTHING, TRACE_LINE_LOST, TRACE_LINE_BAD } TraceLineKind;

/* Points into the line. */
typedef struct {
  const char *comm; gsize comm_length;    /* may hold anything */
  uint64_t    pid;
  UrTime      time;
  const char *event; gsize event_length;  /* without the system in front */
  const char *payload;                    /* up to the NUL that ends the line */
  uint64_t    lost;                       /* TRACE_LINE_LOST: events, 0 if no number is given */
} TraceLine;

/* `line` ends with a NUL and holds no other. */
TraceLineKind trace_line_parse (const char *line, TraceLine *ret_line);

/* The word behind KEY ("ring 00ab,", "pid=7"), up to a comma or blank: FALSE if the key is not there.  Keys are whole
 * words; of several the first counts. */
gboolean trace_line_field (const char *payload, const char *key, const char **ret_word, gsize *ret_length);
/* The same as a number, decimal or hexadecimal ("0x" is optional with base 16). 1: found; 0: not there; -1: it is no
 * number. */
int      trace_line_number (const char *payload, const char *key, unsigned base, uint64_t *ret_value);

#endif
