/* Fuzz target: packed inputs; all passes over one give the same bytes or the same error, as lines and as bytes. */
#include "src/input/byte_stream.h"
#include "src/input/input_error.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

enum { BYTES_MAX = 4 << 20 }; /* unpacked; small bombs must not take the time */

static uint64_t read_bytes (ByteSource *source, GError **error)
{
  char block[777];
  ByteStream *stream = byte_stream_new (source, error);
  gssize n;

  while ((n = byte_stream_read (stream, block, sizeof block, error)) > 0 && byte_stream_offset (stream) < BYTES_MAX) {
  }
  const uint64_t total = byte_stream_offset (stream);
  byte_stream_free (stream);
  return total;
}

static uint64_t read_lines (ByteSource *source, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  uint64_t lines = 0;

  while (byte_stream_next_line (stream, &line, error) > 0 && byte_stream_offset (stream) < BYTES_MAX) {
    g_assert (line.length <= BYTE_STREAM_LINE_MAX && line.number == ++lines);
  }
  const uint64_t total = byte_stream_offset (stream);
  byte_stream_free (stream);
  return total;
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  g_autoptr (GError) refused = NULL;
  ByteSource *source = byte_source_new_from_memory ("input", bytes, length, &refused);

  g_assert ((source == NULL) == (refused != NULL));
  if (source) {
    g_autoptr (GError) in_bytes = NULL, in_lines = NULL;
    const uint64_t total = read_bytes (source, &in_bytes), of_lines = read_lines (source, &in_lines);

    if (total < BYTES_MAX && of_lines < BYTES_MAX) {
      g_assert (!g_strcmp0 (in_bytes ? in_bytes->message : NULL, in_lines ? in_lines->message : NULL));
      g_assert (in_bytes || total == of_lines);
    }
    g_assert (!in_bytes || (in_bytes->domain == INPUT_ERROR && !strpbrk (in_bytes->message, "\033\n")));
    byte_source_unref (source);
  }
  return 0;
}
