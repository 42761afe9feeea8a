/*
 * A trace of any format: what it holds (the keys of `trace info`), its files, and a stream of its requests.
 *
 * Opening makes a first pass that checks and counts; each stream is a pass of its own, whose memory does not grow with
 * the length of the trace.  A Trace is immutable: many threads may stream it at once.
 */
#ifndef TRACE_H
#define TRACE_H

#include "model/workload.h"
#include "src/input/byte_stream.h"
#include "src/input/iolog.h"
#include "src/input/iolog_names.h"

/* One more thing that a format knows: a number, or words. */
typedef struct {
  const char *key;             /* as in JSON */
  char       *text;            /* (nullable): a number */
  uint64_t    number;
} TraceFact;

typedef struct {
  char    *format;             /* "iolog-v3", ... */
  uint64_t reads, read_bytes, writes, write_bytes, trims, trim_bytes, syncs, waits;
  uint64_t files, max_end;     /* max_end: highest offset + length */
  gboolean has_times;          /* else first_ns and span_ns are 0 */
  uint64_t first_ns, span_ns;  /* smallest stamp; distance to the largest */
  uint64_t back_steps, segments, skipped;
  GArray    *facts;            /* of TraceFact, in fixed order */
  GArray    *interpretation;   /* of TraceFact: how it was read */
  GPtrArray *defects;          /* of char *: the first defects, "FILE:LINE: ..."; what strict refuses */
  uint64_t   n_defects;        /* all of them */
  GPtrArray *warnings;         /* of char *, in fixed order */
} TraceInfo;

void trace_add_number (GArray *facts, const char *key, uint64_t number);
void trace_add_text (GArray *facts, const char *key, const char *text);

typedef struct Trace Trace;
struct Trace {
  gatomicrefcount references;
  char      *name;             /* of the input, for messages */
  TraceInfo  info;
  IologNames files;            /* index 0 .. info.files - 1 */
  uint64_t   ios;              /* requests that a stream hands out */
  char      *trims_at;         /* "FILE:LINE" of the first trim (nullable) */
  gboolean   direct;           /* its requests are below the page cache */
  char      *refusal;          /* why it cannot be simulated (nullable): it can */
  char      *unsaid;           /* what the format does not say about its files, for notes */
  /* What the format fills in (nullable: it has no requests): a pass over them with the trace's own file indices. */
  IoSource *(*open) (const Trace *trace, GError **error);
  gpointer   data;             /* of the format */
  GDestroyNotify free_data;
};

/* For readers: an empty trace. (transfer full) */
Trace *trace_new (const char *name, const char *format);
Trace *trace_ref (Trace *trace);
void   trace_unref (Trace *trace);                   /* accepts NULL */
/* For readers: counts a request in info, files and ios. */
void   trace_count (Trace *trace, const Io *io);
/* For readers: keeps a defect for info. `text` is taken over. */
void   trace_take_defect (TraceInfo *info, char *text);
void   trace_warn (TraceInfo *info, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* How a pass treats defects. */
typedef struct {
  const char *name;            /* of the input */
  gboolean    lenient;
  TraceInfo  *info;            /* (nullable): a later pass */
} TraceReading;
/* A defect at `place` ("LINE" or "+BYTE"): an error if strict (-1), else counted as skipped and listed (0). `text` is
 * taken over. */
int trace_defect (const TraceReading *reading, const char *place, char *text, GError **error);

#define TRACE_DEFECTS_KEPT 1000u

/* An iolog as a Trace; `iolog` is referenced. Streams of it come one after the other. (transfer full) */
Trace *trace_new_from_iolog (Iolog *iolog, const char *name);

/* Kernel trace text (tracepoint.h): facts about its requests, without a stream of them.  INPUT_ERROR. (transfer full) */
Trace *trace_new_from_tracepoints (ByteSource *source, GError **error);

/* One stream of a trace, its files mapped to those of a workload: the closure of trace_stream_open(). */
typedef struct {
  Trace    *trace;             /* a reference */
  uint32_t *files;             /* (array) by file of the trace: index in the workload */
  unsigned  time_scale;        /* percent of the original rate; 0: 100 */
} TraceStream;

/* `files` is copied. (transfer full) */
TraceStream *trace_stream_new (Trace *trace, const uint32_t *files, unsigned time_scale);
void         trace_stream_free (TraceStream *stream);       /* accepts NULL */
/* The IoSourceOpen of a job. */
IoSource    *trace_stream_open (gconstpointer stream, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trace, trace_unref)

#endif
