/* Fuzz target: iologs, strict and lenient, in every order and composition; what opens must stream to its end. */
#include "src/input/input_error.h"
#include "src/input/iolog.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

enum { IOS_MAX = 100000 };

static void stream_all (Iolog *iolog, unsigned index)
{
  const IologReplay replay = { .align = 4096 };
  g_autofree uint32_t *files = g_new0 (uint32_t, iolog_info (iolog)->files + 1);
  IologStream *stream = iolog_stream_new (iolog, index, files, &replay);
  g_autoptr (GError) error = NULL;
  IoSource *source = iolog_stream_open (stream, &error);
  uint64_t n = 0;
  int got = 0;
  Io io;

  g_assert_no_error (error);
  while (n < IOS_MAX && (got = source->next (source, &io, &error)) > 0) {
    n++;
  }
  g_assert_no_error (error);
  g_assert (n == IOS_MAX || (got == 0 && n == iolog_stream_ios (iolog, index)));
  source->free (source);
  iolog_stream_free (stream);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  for (unsigned i = 0; i < 6; i++) {
    const IologOptions options = { .lenient = i & 1,
                                   .order = (IologOrder) (i % 3),
                                   .segments = (IologSegments) (i / 2) };
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("input.iolog", bytes, length, &error);
    Iolog *iolog = source ? iolog_open (source, &options, &error) : NULL;

    g_assert ((iolog == NULL) == (error != NULL));
    g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
    for (unsigned k = 0; iolog && k < MIN (iolog_streams (iolog), 8); k++) {
      stream_all (iolog, k);
    }
    iolog_unref (iolog);
    byte_source_unref (source);
  }
  return 0;
}
