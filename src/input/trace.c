/*
 * Traces of any format: counts, facts, streams.  See trace.h.
 */
#include "src/input/trace.h"
#include "src/input/input_error.h"

static void clear_fact (gpointer data) { g_free (((TraceFact *) data)->text); }

static GArray *facts_new (void)
{
  GArray *facts = g_array_new (FALSE, TRUE, sizeof (TraceFact));
  g_array_set_clear_func (facts, clear_fact);
  return facts;
}

void trace_add_number (GArray *facts, const char *key, uint64_t number)
{
  const TraceFact fact = { .key = key, .number = number };
  g_array_append_val (facts, fact);
}

void trace_add_text (GArray *facts, const char *key, const char *text)
{
  const TraceFact fact = { .key = key, .text = g_strdup (text) };
  g_array_append_val (facts, fact);
}

Trace *trace_new (const char *name, const char *format)
{
  Trace *trace = g_new0 (Trace, 1);
  g_atomic_ref_count_init (&trace->references);
  trace->name = g_strdup (name);
  trace->info.format = g_strdup (format);
  trace->info.facts = facts_new ();
  trace->info.interpretation = facts_new ();
  trace->info.defects = g_ptr_array_new_with_free_func (g_free);
  trace->info.warnings = g_ptr_array_new_with_free_func (g_free);
  iolog_names_init (&trace->files);
  return trace;
}

Trace *trace_ref (Trace *trace)
{
  g_atomic_ref_count_inc (&trace->references);
  return trace;
}

void trace_unref (Trace *trace)
{
  if (!trace || !g_atomic_ref_count_dec (&trace->references)) {
    return;
  }
  if (trace->free_data) {
    trace->free_data (trace->data);
  }
  iolog_names_clear (&trace->files);
  g_array_unref (trace->info.facts);
  g_array_unref (trace->info.interpretation);
  g_ptr_array_unref (trace->info.defects);
  g_ptr_array_unref (trace->info.warnings);
  g_free (trace->info.format);
  g_free (trace->trims_at);
  g_free (trace->refusal);
  g_free (trace->unsaid);
  g_free (trace->name);
  g_free (trace);
}

void trace_count (Trace *trace, const Io *io)
{
  TraceInfo *info = &trace->info;
  trace->ios++;
  switch (io->op) {
  case IO_READ:
    info->reads++;
    info->read_bytes += io->length;
    break;
  case IO_WRITE:
    info->writes++;
    info->write_bytes += io->length;
    break;
  case IO_TRIM:
    info->trims++;
    info->trim_bytes += io->length;
    break;
  default:
    info->syncs++;
    return;
  }
  IologName *file = &trace->files.name[io->file];
  file->end = MAX (file->end, io->offset + io->length);
  info->max_end = MAX (info->max_end, file->end);
}

void trace_take_defect (TraceInfo *info, char *text)
{
  info->n_defects++;
  if (info->defects->len < TRACE_DEFECTS_KEPT) {
    g_ptr_array_add (info->defects, text);
  } else {
    g_free (text);
  }
}

int trace_defect (const TraceReading *reading, const char *place, char *text, GError **error)
{
  if (!reading->lenient) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%s: %s", reading->name, place, text);
  } else if (reading->info) {
    reading->info->skipped++;
    trace_take_defect (reading->info, g_strdup_printf ("%s:%s: %s", reading->name, place, text));
  }
  g_free (text);
  return reading->lenient ? 0 : -1;
}

void trace_warn (TraceInfo *info, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_ptr_array_add (info->warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* ---- streams ---- */

TraceStream *trace_stream_new (Trace *trace, const uint32_t *files, unsigned time_scale)
{
  TraceStream *stream = g_new0 (TraceStream, 1);
  stream->trace = trace_ref (trace);
  stream->files = g_memdup2 (files, trace->files.n * sizeof *files);
  stream->time_scale = time_scale;
  return stream;
}

void trace_stream_free (TraceStream *stream)
{
  if (stream) {
    trace_unref (stream->trace);
    g_free (stream->files);
    g_free (stream);
  }
}

typedef struct {
  IoSource base;
  const TraceStream *stream;
  IoSource *pass;
} MappedSource;

static int mapped_next (IoSource *base, Io *ret_io, GError **error)
{
  MappedSource *source = (MappedSource *) base;
  const int more = source->pass->next (source->pass, ret_io, error);
  if (more > 0) {
    const unsigned scale = source->stream->time_scale;
    ret_io->file = source->stream->files[ret_io->file];
    if (scale && scale != 100) {
      const unsigned __int128 scaled = (unsigned __int128) ret_io->arrival * 100 / scale;
      ret_io->arrival = (uint64_t) MIN (scaled, (unsigned __int128) G_MAXINT64);
    }
  }
  return more;
}

static void mapped_free (IoSource *base)
{
  io_source_free (((MappedSource *) base)->pass);
  g_free (base);
}

IoSource *trace_stream_open (gconstpointer closure, GError **error)
{
  const TraceStream *stream = closure;
  IoSource *pass = stream->trace->open (stream->trace, error);
  if (!pass) {
    return NULL;
  }
  MappedSource *source = g_new0 (MappedSource, 1);
  source->base = (IoSource){ .next = mapped_next, .free = mapped_free };
  source->stream = stream;
  source->pass = pass;
  return &source->base;
}
