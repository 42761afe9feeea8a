/*
 * An iolog as a Trace: its facts under the keys that all formats share.  See trace.h and iolog.h.
 */
#include "src/input/trace.h"
#include <string.h>

/* The files of the log are the trace's: one index for both. */
static IologStream *stream_of (Iolog *iolog, unsigned index)
{
  const uint64_t files = iolog_info (iolog)->files;
  g_autofree uint32_t *same = g_new (uint32_t, files);
  for (uint32_t i = 0; i < files; i++) {
    same[i] = i;
  }
  return iolog_stream_new (iolog, index, same, NULL);
}

/* The streams of the log, one after the other (IOLOG_SEGMENTS_PARALLEL has several). */
typedef struct {
  IoSource base;
  Iolog *iolog;
  IologStream *stream;
  IoSource *inner; /* (nullable) */
  unsigned next;   /* stream */
} IologPass;

static void close_stream (IologPass *pass)
{
  g_clear_pointer (&pass->inner, io_source_free);
  g_clear_pointer (&pass->stream, iolog_stream_free);
}

static gboolean open_stream (IologPass *pass, GError **error)
{
  pass->stream = stream_of (pass->iolog, pass->next++);
  pass->inner = iolog_stream_open (pass->stream, error);
  return pass->inner != NULL;
}

static int pass_next (IoSource *base, Io *ret_io, GError **error)
{
  IologPass *pass = (IologPass *) base;
  for (;;) {
    const int more = pass->inner->next (pass->inner, ret_io, error);
    if (more != 0 || pass->next == iolog_streams (pass->iolog)) {
      return more;
    }
    close_stream (pass);
    if (!open_stream (pass, error)) {
      return -1;
    }
  }
}

static void pass_free (IoSource *base)
{
  close_stream ((IologPass *) base);
  g_free (base);
}

static IoSource *pass_open (const Trace *trace, GError **error)
{
  IologPass *pass = g_new0 (IologPass, 1);
  pass->base = (IoSource){ .next = pass_next, .free = pass_free };
  pass->iolog = trace->data;
  if (!open_stream (pass, error)) {
    pass_free (&pass->base);
    return NULL;
  }
  return &pass->base;
}

static void add_facts (TraceInfo *info, const IologInfo *log, const IologOptions *how)
{
  GArray *facts = info->facts;
  trace_add_number (facts, "lines", log->lines);
  trace_add_number (facts, "datasyncs", log->datasyncs);
  trace_add_number (facts, "range_syncs", log->range_syncs);
  trace_add_number (facts, "fs_syncs", log->fs_syncs);
  trace_add_number (facts, "adds", log->adds);
  trace_add_number (facts, "opens", log->opens);
  trace_add_number (facts, "closes", log->closes);
  trace_add_number (facts, "last_ns", log->last_ns);
  trace_add_number (facts, "first_io_ns", log->first_io_ns);
  trace_add_number (facts, "duration_ns", log->duration_ns);
  if (log->version >= 3) {
    trace_add_text (info->interpretation, "time_unit", iolog_unit_name (how->unit));
    trace_add_text (info->interpretation, "order", iolog_order_name (how->order));
  } else if (log->waits) {
    trace_add_text (info->interpretation, "wait", iolog_wait_name (how->wait));
  }
  if (log->segments > 1) {
    trace_add_text (info->interpretation, "segments", iolog_segments_name (how->segments));
  }
  if (how->version) {
    trace_add_text (info->interpretation, "version", how->version == 2 ? "2, as asked" : "3, as asked");
  }
}

Trace *trace_new_from_iolog (Iolog *iolog, const char *name)
{
  const IologInfo *log = iolog_info (iolog);
  Trace *trace = trace_new (name, log->version == 2 ? "iolog-v2" : "iolog-v3");
  TraceInfo *info = &trace->info;
  for (uint32_t i = 0; i < log->files; i++) {
    const char *file = iolog_file_name (iolog, i);
    const uint32_t index = iolog_names_add (&trace->files, file, (unsigned) strlen (file));
    trace->files.name[index].end = iolog_file_end (iolog, i);
  }
  info->reads = log->reads;
  info->read_bytes = log->read_bytes;
  info->writes = log->writes;
  info->write_bytes = log->write_bytes;
  info->trims = log->trims;
  info->trim_bytes = log->trim_bytes;
  info->syncs = log->syncs;
  info->waits = log->waits;
  info->files = log->files;
  info->max_end = log->max_end;
  info->has_times = log->has_times;
  info->first_ns = log->first_ns;
  info->span_ns = log->span_ns;
  info->back_steps = log->back_steps;
  info->segments = log->segments;
  info->skipped = log->skipped;
  add_facts (info, log, iolog_options (iolog));
  for (unsigned i = 0; i < log->defects->len; i++) {
    trace_take_defect (info, g_strdup (log->defects->pdata[i]));
  }
  info->n_defects = log->n_defects;
  for (unsigned i = 0; i < log->warnings->len; i++) {
    trace_warn (info, "%s", (const char *) log->warnings->pdata[i]);
  }
  for (unsigned i = 0; i < iolog_streams (iolog); i++) {
    trace->ios += iolog_stream_ios (iolog, i);
  }
  trace->open = pass_open;
  trace->data = iolog_ref (iolog);
  trace->free_data = (GDestroyNotify) iolog_unref;
  return trace;
}
