/* See io_log.h. */
#include "src/output/io_log.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include <errno.h>
#include <stdio.h>

#define WORD(id, word) word,
static const char *const kinds[IO_LOG_KIND_COUNT] = { IO_LOG_KINDS (WORD) };
#undef WORD

typedef struct {
  char *path;
  OutputStream output;
  int failure; /* errno of the first write that failed */
} LogFile;

struct IoLog {
  unsigned n;
  LogFile *file; /* [n]: IO_LOG_KIND_COUNT of each stream */
};

static void set_error (GError **error, const LogFile *file, int number)
{
  g_autofree char *shown = escape_text_short (file->path, -1, 200);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "--log %s: %s", shown, g_strerror (number));
}

IoLog *io_log_new (const char *prefix, unsigned streams, GError **error)
{
  g_return_val_if_fail (streams && streams <= IO_LOG_STREAMS_MAX, NULL);
  g_autoptr (IoLog) log = g_new0 (IoLog, 1);

  log->file = g_new0 (LogFile, streams * IO_LOG_KIND_COUNT);
  for (; log->n < streams * IO_LOG_KIND_COUNT; log->n++) {
    LogFile *file = &log->file[log->n];

    file->path =
        g_strdup_printf ("%s_%s.%u.log", prefix, kinds[log->n % IO_LOG_KIND_COUNT], log->n / IO_LOG_KIND_COUNT + 1);
    const int failure = output_stream_open (&file->output, file->path);
    if (failure) {
      set_error (error, file, failure);
      g_free (file->path);
      return NULL;
    }
  }
  return g_steal_pointer (&log);
}

static void put (LogFile *file, const RequestLife *life, uint64_t value)
{
  const uint64_t ms = (life->time.reaped - life->measured_from) / UR_MS;

  if (fprintf (file->output.stream,
               "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %d, %" G_GINT64_FORMAT ", %" G_GUINT64_FORMAT ", 0\n", ms,
               value, (int) life->io.op, life->result, life->io.offset) < 0 &&
      !file->failure) {
    file->failure = errno ? errno : EIO;
  }
}

/* The latencies are those that the result has (application.c). */
void io_log_add (const RequestLife *life, void *data)
{
  IoLog *log = data;
  const RequestTimes *time = &life->time;

  if (life->io.op > IO_TRIM || life->outcome == OUTCOME_FAILED || time->reaped < life->measured_from) {
    return;
  }
  const UrTime clat = time->reaped > time->issued ? time->reaped - time->issued : 0;
  LogFile *file = &log->file[life->stream * IO_LOG_KIND_COUNT];

  g_assert (life->stream < log->n / IO_LOG_KIND_COUNT);
  put (&file[IO_LOG_LAT], life, time->reaped - (life->synchronous ? time->issued : time->prepared));
  put (&file[IO_LOG_CLAT], life, clat);
  if (!life->synchronous) {
    put (&file[IO_LOG_SLAT], life, time->issued > time->prepared ? time->issued - time->prepared : 0);
  }
  put (&file[IO_LOG_BW], life, clat ? (uint64_t) life->result * 1000000 / clat : 0);
  put (&file[IO_LOG_IOPS], life, 1);
}

gboolean io_log_finish (IoLog *log, GError **error)
{
  for (unsigned i = 0; i < log->n; i++) {
    LogFile *file = &log->file[i];

    file->failure = output_stream_finish (&file->output, file->failure);
    if (file->failure) {
      set_error (error, file, file->failure);
      return FALSE;
    }
  }
  return TRUE;
}

void io_log_free (IoLog *log)
{
  if (!log) {
    return;
  }
  for (unsigned i = 0; i < log->n; i++) {
    output_stream_clear (&log->file[i].output);
    g_free (log->file[i].path);
  }
  g_free (log->file);
  g_free (log);
}
