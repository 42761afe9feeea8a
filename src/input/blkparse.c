/*
 * Text of blkparse in its default form:
 *
 *   MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS [SECTOR + SECTORS] [COMMAND]
 *
 * Words are parted by blanks.  The summary at the end, which starts with "CPU0 (" or "Total (", is not read.
 */
#include "src/input/block_event.h"
#include "src/input/input_error.h"
#include <string.h>

enum { SECTOR_SHIFT = 9 };

typedef struct {
  BlockReader base;
  ByteStream *stream;
  TraceReading reading;
} Reader;

/* ---- words ---- */

typedef struct {
  const char *p, *end;
} Cursor;

static gboolean at_end (Cursor *cursor)
{
  while (cursor->p < cursor->end && (*cursor->p == ' ' || *cursor->p == '\t')) {
    cursor->p++;
  }
  return cursor->p == cursor->end;
}

static gboolean take_number (Cursor *cursor, uint64_t *ret_number)
{
  uint64_t number = 0;
  const char *start = cursor->p;
  while (cursor->p < cursor->end && g_ascii_isdigit (*cursor->p)) {
    if (__builtin_mul_overflow (number, 10, &number) ||
        __builtin_add_overflow (number, (uint64_t) (*cursor->p - '0'), &number)) {
      return FALSE;
    }
    cursor->p++;
  }
  *ret_number = number;
  return cursor->p > start;
}

static gboolean take_char (Cursor *cursor, char c)
{
  if (cursor->p == cursor->end || *cursor->p != c) {
    return FALSE;
  }
  cursor->p++;
  return TRUE;
}

/* A number that a blank or the end follows. */
static gboolean take_word_number (Cursor *cursor, uint64_t *ret_number)
{
  return !at_end (cursor) && take_number (cursor, ret_number) &&
         (cursor->p == cursor->end || *cursor->p == ' ' || *cursor->p == '\t');
}

static unsigned take_word (Cursor *cursor, const char **ret_word)
{
  at_end (cursor);
  *ret_word = cursor->p;
  while (cursor->p < cursor->end && *cursor->p != ' ' && *cursor->p != '\t') {
    cursor->p++;
  }
  return (unsigned) (cursor->p - *ret_word);
}

/* ---- fields ---- */

static gboolean take_device (Cursor *cursor, BlockEvent *event)
{
  uint64_t major, minor;
  if (at_end (cursor) || !take_number (cursor, &major) || !take_char (cursor, ',') || !take_number (cursor, &minor) ||
      major > UINT32_MAX || minor > UINT32_MAX) {
    return FALSE;
  }
  event->major = (uint32_t) major;
  event->minor = (uint32_t) minor;
  return TRUE;
}

static gboolean take_time (Cursor *cursor, BlockEvent *event)
{
  uint64_t seconds, nanoseconds;
  if (at_end (cursor) || !take_number (cursor, &seconds) || !take_char (cursor, '.')) {
    return FALSE;
  }
  const char *start = cursor->p;
  if (!take_number (cursor, &nanoseconds) || cursor->p - start != 9 || seconds > G_MAXINT64 / 1000000000 - 1) {
    return FALSE;
  }
  event->time = seconds * 1000000000 + nanoseconds;
  return TRUE;
}

static BlockAction action_of (const char *word, unsigned length)
{
  if (length != 1) {
    return BLOCK_OTHER; /* UT */
  }
  switch (*word) {
  case 'Q':
    return BLOCK_QUEUE;
  case 'D':
    return BLOCK_ISSUE;
  case 'C':
    return BLOCK_COMPLETE;
  case 'M':
  case 'F':
    return BLOCK_MERGE;
  case 'm':
    return BLOCK_NOTIFY;
  default:
    return BLOCK_OTHER;
  }
}

static gboolean is_action (const char *word, unsigned length)
{
  return length && length <= 2 && strchr ("ABCDFGIMPQRSTUXam", *word);
}

/* F for a flush before the data, D, W, R or N, then F for FUA and letters that do not matter here. */
static gboolean parse_rwbs (const char *word, unsigned length, BlockEvent *event)
{
  unsigned i = 0;
  if (length > 1 && word[0] == 'F') {
    event->flush = TRUE;
    i++;
  }
  if (i == length || !strchr ("DWRNF", word[i])) {
    return FALSE;
  }
  event->discard = word[i] == 'D';
  event->write = word[i] == 'W';
  event->flush |= word[i] == 'F';
  for (i++; i < length; i++) {
    if (!g_ascii_isupper (word[i])) {
      return FALSE;
    }
    event->fua |= word[i] == 'F';
  }
  return TRUE;
}

/* "SECTOR + SECTORS", or nothing before the command.  FALSE: something else, or too large. */
static gboolean take_range (Cursor *cursor, BlockEvent *event)
{
  uint64_t sector, sectors;
  if (at_end (cursor) || !g_ascii_isdigit (*cursor->p)) {
    return TRUE;
  }
  if (!take_word_number (cursor, &sector) || at_end (cursor)) {
    return FALSE;
  }
  if (!take_char (cursor, '+')) {
    return event->action == BLOCK_COMPLETE || event->flush; /* an empty flush may print its sector alone */
  }
  if (!take_word_number (cursor, &sectors)) {
    return FALSE;
  }
  const uint64_t limit = UINT64_C (1) << (63 - SECTOR_SHIFT);
  if (sector >= limit || sectors >= limit - sector) {
    return FALSE;
  }
  event->offset = sector << SECTOR_SHIFT;
  event->bytes = sectors << SECTOR_SHIFT;
  return TRUE;
}

/* The number in the last brackets, without its sign; 0 if there is none. */
static int completion_error (const char *p, const char *end)
{
  Cursor cursor = { end, end };
  uint64_t number;
  while (cursor.p > p && cursor.p[-1] != '[') {
    cursor.p--;
  }
  if (cursor.p == p) {
    return 0;
  }
  take_char (&cursor, '-');
  return take_number (&cursor, &number) ? (int) MIN (number, G_MAXINT) : 0;
}

/* NULL, or what was expected. (static) */
static const char *parse (const char *text, unsigned length, BlockEvent *event)
{
  Cursor cursor = { text, text + length };
  uint64_t number;
  const char *word;
  *event = (BlockEvent){ 0 };
  if (memchr (text, '\0', length)) {
    return "a line without NUL bytes";
  }
  if (!take_device (&cursor, event)) {
    return "MAJOR,MINOR at its start";
  }
  if (!take_word_number (&cursor, &number) || !take_word_number (&cursor, &number)) {
    return "CPU and sequence number behind the device";
  }
  if (!take_time (&cursor, event)) {
    return "a time as SECONDS.NANOSECONDS with nine digits behind the point";
  }
  if (!take_word_number (&cursor, &number)) {
    return "a process id behind the time";
  }
  const unsigned action = take_word (&cursor, &word);
  if (!is_action (word, action)) {
    return "an action (Q, D, C, ...) behind the process id";
  }
  event->action = action_of (word, action);
  if (event->action == BLOCK_OTHER || event->action == BLOCK_NOTIFY) {
    return NULL;
  }
  const unsigned rwbs = take_word (&cursor, &word);
  if (!parse_rwbs (word, rwbs, event)) {
    return "letters such as R, WS or FWFS behind the action";
  }
  if (!take_range (&cursor, event)) {
    return "SECTOR + SECTORS, below 2^63 bytes";
  }
  if (event->action == BLOCK_COMPLETE) {
    event->error = completion_error (cursor.p, cursor.end);
  }
  return NULL;
}

/* ---- lines ---- */

static gboolean is_summary (const ByteLine *line)
{
  static const char cpu[] = "CPU", total[] = "Total (";
  return line->length > 5 && ((!memcmp (line->text, cpu, 3) && g_ascii_isdigit (line->text[3])) ||
                              (line->length >= 7 && !memcmp (line->text, total, 7)));
}

static gboolean is_blank (const ByteLine *line)
{
  for (unsigned i = 0; i < line->length; i++) {
    if (line->text[i] != ' ' && line->text[i] != '\t') {
      return FALSE;
    }
  }
  return TRUE;
}

static int next (BlockReader *base, BlockEvent *ret_event, GError **error)
{
  Reader *reader = (Reader *) base;
  ByteLine line;
  int more;
  while ((more = byte_stream_next_line (reader->stream, &line, error)) > 0) {
    if (is_blank (&line)) {
      continue;
    }
    if (is_summary (&line)) {
      return 0;
    }
    const char *expected = line.too_long ? "a line of at most 4095 bytes" : parse (line.text, line.length, ret_event);
    if (!expected) {
      ret_event->place = line.number;
      if (!line.has_newline && reader->reading.info) {
        trace_warn (reader->reading.info, "the last line has no newline: it may be cut");
      }
      return 1;
    }
    g_autofree char *place = g_strdup_printf ("%" G_GUINT64_FORMAT, line.number);
    g_autofree char *found = input_quote (line.text, line.length, 60);
    if (trace_defect (&reader->reading, place, g_strdup_printf ("found \"%s\"; expected %s", found, expected), error) <
        0) {
      return -1;
    }
  }
  return more;
}

static void free_reader (BlockReader *base)
{
  byte_stream_free (((Reader *) base)->stream);
  g_free (base);
}

BlockReader *blkparse_reader_new (ByteSource *source, gboolean lenient, TraceInfo *info, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  if (!stream) {
    return NULL;
  }
  Reader *reader = g_new0 (Reader, 1);
  reader->base = (BlockReader){ .next = next, .free = free_reader };
  reader->stream = stream;
  reader->reading = (TraceReading){ .name = byte_source_name (source), .lenient = lenient, .info = info };
  return &reader->base;
}
