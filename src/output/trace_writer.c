/* See trace_writer.h. */
#include "src/output/trace_writer.h"
#include "src/output/escape.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct TraceWriter {
  TraceWriteFormat format;
  char *path, *temporary; /* NULL: not to be renamed */
  FILE *stream;           /* NULL: finished */
  int failure;            /* errno of the first write that failed */
  GPtrArray *files;       /* of char *: names */
  uint64_t last;          /* us: stamp of the last request */
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
  if (!writer->failure && fwrite (writer->line->str, 1, writer->line->len, writer->stream) != writer->line->len) {
    writer->failure = errno ? errno : EIO;
  }
}

/* Opens writer->stream: a temporary file beside what `path` stands for, or that itself if it is no regular file. */
static gboolean open_stream (TraceWriter *writer, const char *path)
{
  struct stat status;
  const gboolean exists = stat (path, &status) == 0;

  if (exists && !S_ISREG (status.st_mode)) {
    errno = S_ISDIR (status.st_mode) ? EISDIR : 0;
    writer->stream = errno ? NULL : fopen (path, "w");
    return writer->stream != NULL;
  }
  char *target = exists ? realpath (path, NULL) : NULL; /* a symbolic link stays one */
  writer->path = g_strdup (target ? target : path);
  free (target);
  writer->temporary = g_strconcat (writer->path, ".XXXXXX", NULL);
  const int fd = g_mkstemp_full (writer->temporary, O_RDWR, 0666);
  writer->stream = fd >= 0 ? fdopen (fd, "w") : NULL;
  if (!writer->stream && fd >= 0) {
    const int number = errno;
    close (fd);
    g_unlink (writer->temporary);
    errno = number;
  }
  return writer->stream != NULL;
}

TraceWriter *trace_writer_new (const char *path, TraceWriteFormat format, GError **error)
{
  static const char *const heads[] = { [TRACE_WRITE_IOLOG_V3] = "fio version 3 iolog",
                                       [TRACE_WRITE_IOLOG_V2] = "fio version 2 iolog",
                                       [TRACE_WRITE_CSV] = "time_ns,op,file,offset,bytes" };
  g_autoptr (TraceWriter) writer = g_new0 (TraceWriter, 1);

  writer->format = format;
  writer->files = g_ptr_array_new_with_free_func (g_free);
  writer->line = g_string_new (heads[format]);
  writer->last = 1;
  if (!path) {
    writer->stream = stdout;
  } else if (!open_stream (writer, path)) {
    set_error (error, path, errno);
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
  if ((writer->stream == stdout ? fflush (stdout) : fclose (writer->stream)) != 0 && !writer->failure) {
    writer->failure = errno;
  }
  writer->stream = NULL;
  if (writer->temporary && !writer->failure && g_rename (writer->temporary, writer->path) != 0) {
    writer->failure = errno;
  }
  if (writer->failure) {
    if (writer->temporary) {
      g_unlink (writer->temporary);
    }
    set_error (error, writer->path, writer->failure);
  }
  return !writer->failure;
}

void trace_writer_free (TraceWriter *writer)
{
  if (!writer) {
    return;
  }
  if (writer->stream && writer->stream != stdout) {
    fclose (writer->stream);
    if (writer->temporary) {
      g_unlink (writer->temporary);
    }
  }
  g_ptr_array_unref (writer->files);
  g_string_free (writer->line, TRUE);
  g_free (writer->temporary);
  g_free (writer->path);
  g_free (writer);
}
