/* Fuzz target: kernel trace text, and validate.ini; whatever a trace holds, its events keep the reader's promises. */
#include "src/input/input_error.h"
#include "src/input/tracepoint.h"
#include "src/input/validate_ini.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static void read_trace (ByteSource *source)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TracepointReader) reader = tracepoint_reader_new (source, &error);
  Tracepoint event;
  uint64_t events = 0, line = 0;
  int got = -1;

  while (reader && (got = tracepoint_reader_next (reader, &event, &error)) > 0) {
    events++;
    g_assert (event.kind < TRACEPOINT_KINDS && event.kind != TRACEPOINT_SUBMIT_SQE && event.line > line);
    g_assert (event.task < tracepoint_reader_tasks (reader) && event.other < tracepoint_reader_tasks (reader));
    g_assert (event.ring < TRACEPOINT_RINGS_MAX);
    g_assert (event.kind != TRACEPOINT_SUBMIT || event.request != TRACEPOINT_NO_REQUEST);
    line = event.line;
  }
  g_assert ((got < 0) == (error != NULL));
  g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
  g_assert (got < 0 || tracepoint_reader_info (reader)->events == events);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_new_from_memory ("input.trace", bytes, length, NULL);

  if (source) {
    read_trace (source);
    byte_source_unref (source);
  }
  g_autoptr (ValidateIni) ini = validate_ini_parse ((const char *) bytes, length, "validate.ini", &error);
  g_assert ((ini == NULL) == (error != NULL));
  g_assert (!error || error->domain == VALIDATE_INI_ERROR);
  if (ini) {
    g_autoptr (GPtrArray) names = validate_ini_names (ini);
    for (unsigned i = 0; i < names->len; i++) {
      const CaptureConditions *conditions = validate_ini_conditions (ini, names->pdata[i]);
      g_assert (conditions->fs && conditions->count[CAPTURE_WORKERS].low <= conditions->count[CAPTURE_WORKERS].high);
    }
  }
  return 0;
}
