/*
 * What `trace info` and `trace check` print: facts under keys, sizes, how it was read, warnings and defects.
 */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include <glib.h>
#include <stdint.h>

typedef enum { REPORT_NUMBER, REPORT_REAL, REPORT_WORDS } ReportFactKind;
/* A key ends in "_ns" if the number is a time, in "_bytes" if it is a size: text shows those with units, too. */
typedef struct {
  const char *key;
  ReportFactKind kind;
  uint64_t number;
  double   real;
  const char *words;
} ReportFact;

typedef struct { uint64_t bytes, n; } ReportSize;

typedef struct {
  const char *file, *format;           /* format (nullable): could not be read at all */
  const ReportFact *facts; unsigned n_facts;
  const ReportSize *sizes; unsigned n_sizes;            /* most frequent first */
  const ReportFact *interpretation; unsigned n_interpretation;
  const GPtrArray *warnings, *defects; /* of char * */
  uint64_t n_defects;                  /* of which `defects` are the first */
} ReportTrace;

/* One trace is printed as an object, several as {"traces": [...]}. All are (transfer full). */
char *trace_info_json (const ReportTrace *traces, unsigned n);
char *trace_info_text (const ReportTrace *traces, unsigned n);
/* The defects alone. */
char *trace_check_json (const ReportTrace *traces, unsigned n);
char *trace_check_text (const ReportTrace *traces, unsigned n);

#endif
