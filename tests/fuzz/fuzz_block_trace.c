/* Fuzz target: binary blktrace and blkparse text, strict and lenient; what opens must stream to its end. */
#include "src/input/block_trace.h"
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
    g_assert (io.file < trace->files.n && io.arrival >= last && io.offset <= G_MAXINT64);
    g_assert (io.op > IO_TRIM || io.offset + io.length <= trace->files.name[io.file].end);
    last = io.arrival;
    n++;
  }
  g_assert_no_error (error);
  g_assert (n == trace->ios);
  source->free (source);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  for (unsigned i = 0; i < 8; i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("input", bytes, length, &error);
    Trace *trace =
        source ? block_trace_open (&source, 1, (i & 1) != 0, (i & 2) != 0, (BlockArrival) (i / 4), &error) : NULL;

    g_assert ((trace == NULL) == (error != NULL));
    g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
    if (trace) {
      g_assert (trace->info.n_defects == trace->info.skipped && ((i & 2) || trace->info.skipped == 0));
      stream_all (trace);
    }
    trace_unref (trace);
    byte_source_unref (source);
  }
  return 0;
}
