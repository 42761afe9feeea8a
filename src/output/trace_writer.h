/*
 * Writes a trace, request by request: an iolog of version 2 or 3, or CSV.
 *
 *   time_ns,op,file,offset,bytes                 CSV: a header that names columns and units; names are quoted
 *
 * Time stamps of version 3 are whole microseconds from 1 on: fio, and its readers, take no delay from a stamp of 0.
 * A file appears under its name when it is finished, whole or not at all; FIFOs and devices are written to as they are.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "model/workload.h"

typedef enum { TRACE_WRITE_IOLOG_V3, TRACE_WRITE_IOLOG_V2, TRACE_WRITE_CSV } TraceWriteFormat;
#define TRACE_WRITE_WORDS "iolog-v3|iolog-v2|csv"

typedef struct TraceWriter TraceWriter;

/* `path` (nullable): standard output. (transfer full); NULL with a G_FILE_ERROR. */
TraceWriter *trace_writer_new (const char *path, TraceWriteFormat format, GError **error);
/* A file that requests are on: all of them before the first request. */
void         trace_writer_add_file (TraceWriter *writer, const char *name);
/* `name`: of its file. */
void         trace_writer_add (TraceWriter *writer, const char *name, const Io *io);
/* Closes the files in it and gives it its name.  FALSE with a G_FILE_ERROR, also if something could not be written. */
gboolean     trace_writer_finish (TraceWriter *writer, GError **error);
/* What is not finished is removed.  Accepts NULL. */
void         trace_writer_free (TraceWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TraceWriter, trace_writer_free)

#endif
