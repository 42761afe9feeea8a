/* Fuzz target: logs of fio, strict and lenient, columns found out and given; what opens must stream to its end. */
#include "src/input/fio_log.h"
#include "src/input/fio_log_row.h"
#include "src/input/input_error.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static void stream_all (Trace *trace)
{
  g_autoptr (GError) error = NULL;
  IoSource *source = trace->open (trace, &error);
  uint64_t n = 0, last = 0;
  int got = 0;
  Io io;

  g_assert_no_error (error);
  while ((got = source->next (source, &io, &error)) > 0) {
    g_assert (io.file == 0 && io.arrival >= last && io.op <= IO_TRIM);
    g_assert (io.offset + io.length <= trace->files.name[0].end);
    last = io.arrival;
    n++;
  }
  g_assert_no_error (error);
  g_assert (n == trace->ios);
  source->free (source);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  for (unsigned columns = 0; columns <= FIO_LOG_FORMS; columns++) {
    g_autoptr (GError) error = NULL;
    static const char *const names[] = { "j_clat.1.log", "j_bw.1.log", "j_iops.1.log" };
    ByteSource *source = byte_source_new_from_memory (names[columns % 3], bytes, length, &error);
    Trace *trace = source ? fio_log_open (source, length & 1, columns, &error) : NULL;

    g_assert ((trace == NULL) == (error != NULL));
    g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
    if (trace && trace->open) {
      stream_all (trace);
    }
    trace_unref (trace);
    byte_source_unref (source);
  }
  return 0;
}
