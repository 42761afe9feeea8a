/* See trace_writer.h. */
#include "src/output/trace_writer.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include <errno.h>
#include <stdio.h>

struct TraceWriter {
  TraceWriteFormat format;
  char *path; /* NULL: standard output */
  OutputStream output;
  int failure;      /* errno of the first write that failed */
  GPtrArray *files; /* of char *: names */
  uint64_t last;    /* us: stamp of the last request */
  GString *line;
};

static void set_error (GError **error, const char *path, int number)
{
  g_autofree char *shown = path ? escape_text_short (path, -1, 200) : g_strdup ("standard output");

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "%s: %s", shown, g_strerror (number));
}

static void put_line (TraceWriter *writer)
{
  g_string_append_c (writer->line, '\n');
  if (!writer->failure && fwrite (writer->line->str, 1, writer->line->len, writer->output.stream) != writer->line->len) {
    writer->failure = errno ? errno : EIO;
  }
}

TraceWriter *trace_writer_new (const char *path, TraceWriteFormat format, GError **error)
{
  static const char *const heads[] = { [TRACE_WRITE_IOLOG_V3] = "fio version 3 iolog",
                                       [TRACE_WRITE_IOLOG_V2] = "fio version 2 iolog",
                                       [TRACE_WRITE_CSV] = "time_ns,op,file,offset,bytes" };
  g_autoptr (TraceWriter) writer = g_new0 (TraceWriter, 1);

  writer->format = format;
  writer->path = g_strdup (path);
  writer->files = g_ptr_array_new_with_free_func (g_free);
  writer->line = g_string_new (heads[format]);
  writer->last = 1;
  if (!path) {
    writer->output.stream = stdout;
  } else if ((writer->failure = output_stream_open (&writer->output, path))) {
    set_error (error, path, writer->failure);
    return NULL;
  }
  put_line (writer);
  return g_steal_pointer (&writer);
}

static void put_file_line (TraceWriter *writer, const char *name, const char *action)
{
  if (writer->format == TRACE_WRITE_CSV) {
    return;
  }
  g_string_truncate (writer->line, 0);
  if (writer->format == TRACE_WRITE_IOLOG_V3) {
    g_string_append_printf (writer->line, "%" G_GUINT64_FORMAT " ", writer->last);
  }
  g_string_append_printf (writer->line, "%s %s", name, action);
  put_line (writer);
}

void trace_writer_add_file (TraceWriter *writer, const char *name)
{
  g_ptr_array_add (writer->files, g_strdup (name));
  put_file_line (writer, name, "add");
  put_file_line (writer, name, "open");
}

/* As RFC 4180 has it: between quotes, quotes doubled. */
static void append_quoted (GString *line, const char *text)
{
  g_string_append_c (line, '"');
  for (; *text; text++) {
    g_string_append_len (line, "\"\"", *text == '"' ? 2 : 0);
    if (*text != '"') {
      g_string_append_c (line, *text);
    }
  }
  g_string_append_c (line, '"');
}

void trace_writer_add (TraceWriter *writer, const char *name, const Io *io)
{
  GString *line = writer->line;
  const uint64_t stamp = io->arrival / UR_US + 1;

  g_string_truncate (line, 0);
  if (writer->format == TRACE_WRITE_CSV) {
    g_string_append_printf (line, "%" G_GUINT64_FORMAT ",%s,", (uint64_t) io->arrival, io_op_name (io->op));
    append_quoted (line, name);
    g_string_append_printf (line, ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, io->offset, io->length);
  } else {
    writer->last = MAX (writer->last, stamp);
    if (writer->format == TRACE_WRITE_IOLOG_V3) {
      g_string_append_printf (line, "%" G_GUINT64_FORMAT " ", stamp);
    }
    g_string_append_printf (line, "%s %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, name, io_op_name (io->op),
                            io->offset, io->length);
  }
  put_line (writer);
}

gboolean trace_writer_finish (TraceWriter *writer, GError **error)
{
  for (unsigned i = 0; i < writer->files->len; i++) {
    put_file_line (writer, writer->files->pdata[i], "close");
  }
  if (writer->output.stream == stdout) {
    if (fflush (stdout) != 0 && !writer->failure) {
      writer->failure = errno;
    }
    writer->output.stream = NULL;
  } else {
    writer->failure = output_stream_finish (&writer->output, writer->failure);
  }
  if (writer->failure) {
    set_error (error, writer->path, writer->failure);
  }
  return !writer->failure;
}

void trace_writer_free (TraceWriter *writer)
{
  if (!writer) {
    return;
  }
  if (writer->output.stream != stdout) {
    output_stream_clear (&writer->output);
  }
  g_ptr_array_unref (writer->files);
  g_string_free (writer->line, TRUE);
  g_free (writer->path);
  g_free (writer);
}
