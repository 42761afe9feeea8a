/* Fuzz target: iologs of version 1, CSV and strace text, strict and lenient; what opens must stream to its end. */
#include "src/input/input_error.h"
#include "src/input/text_trace.h"
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
    g_assert (io.file < trace->files.n && io.arrival >= last && io.arrival <= G_MAXINT64);
    g_assert (io.op > IO_TRIM || io.offset + io.length <= trace->files.name[io.file].end);
    g_assert (io.op <= IO_TRIM || io.offset + io.length == 0);
    last = io.arrival;
    n++;
  }
  g_assert_no_error (error);
  g_assert (n == trace->ios);
  source->free (source);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  static const TextFormat *const formats[] = { &iolog_v1_format, &csv_trace_format, &strace_format };
  for (unsigned i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("input", bytes, length, &error);
    Trace *trace = source ? text_trace_open (source, formats[i / 2], i & 1, &error) : NULL;

    g_assert ((trace == NULL) == (error != NULL));
    g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
    if (trace) {
      g_assert (trace->info.n_defects == trace->info.skipped && ((i & 1) || trace->info.skipped == 0));
      stream_all (trace);
    }
    trace_unref (trace);
    byte_source_unref (source);
  }
  return 0;
}
