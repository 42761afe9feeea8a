/*
 * Binary blktrace: records of 48 bytes with a payload behind each, in the byte order of the machine that wrote them
 * (format: struct blk_io_trace of linux/blktrace_api.h, version 7).
 *
 * One reader reads one file: what blkparse -d wrote, or one CPU's part of a set.
 */
#include "src/input/block_event.h"
#include "src/input/input_error.h"
#include <string.h>

enum { HEADER = 48, RECORD_VERSION = 7, SECTOR_SHIFT = 9 };
#define MAGIC 0x65617400u /* "eat", and the version in the low byte */

typedef struct {
  BlockReader base;
  ByteStream *stream;
  TraceReading reading;
  gboolean big, decided;
  uint64_t offset; /* of the current record */
} Reader;

/* ---- fields ---- */

static uint64_t get (const Reader *reader, const unsigned char *bytes, unsigned size)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++) {
    value = value << 8 | bytes[reader->big ? i : size - 1 - i];
  }
  return value;
}

static BlockAction action_of (unsigned word)
{
  static const BlockAction actions[] = {
    [1] = BLOCK_QUEUE, [2] = BLOCK_MERGE, [3] = BLOCK_MERGE, [7] = BLOCK_ISSUE, [8] = BLOCK_COMPLETE
  };
  word &= ~0x100u; /* a cgroup id stands at the start of the payload */
  return word < G_N_ELEMENTS (actions) ? actions[word] : BLOCK_OTHER;
}

enum { IS_WRITE = 1 << 1, IS_FLUSH = 1 << 2, IS_NOTIFY = 1 << 10, IS_DISCARD = 1 << 13, IS_FUA = 1 << 15 };

/* FALSE: the sector is beyond the end of any device. */
static gboolean decode (const Reader *reader, const unsigned char *header, BlockEvent *event)
{
  const uint32_t action = (uint32_t) get (reader, header + 28, 4), device = (uint32_t) get (reader, header + 36, 4);
  const unsigned category = action >> 16;
  const uint64_t sector = get (reader, header + 16, 8);
  *event = (BlockEvent){ .action = category & IS_NOTIFY ? BLOCK_NOTIFY : action_of (action & 0xffff),
                         .time = get (reader, header + 8, 8),
                         .offset = sector << SECTOR_SHIFT,
                         .bytes = get (reader, header + 24, 4),
                         .major = device >> 20,
                         .minor = device & 0xfffff,
                         .write = (category & IS_WRITE) != 0,
                         .discard = (category & IS_DISCARD) != 0,
                         .flush = (category & IS_FLUSH) != 0,
                         .fua = (category & IS_FUA) != 0,
                         .error = (int) get (reader, header + 44, 2),
                         .place = reader->offset };
  return sector < (UINT64_C (1) << (63 - SECTOR_SHIFT)) - (UINT64_C (1) << 23) && event->time <= G_MAXINT64;
}

/* ---- records ---- */

/* As many bytes as there are, at most `len`; -1 with error set. */
static gssize read_all (Reader *reader, unsigned char *bytes, gsize len, GError **error)
{
  gsize have = 0;
  while (have < len) {
    const gssize n = byte_stream_read (reader->stream, bytes + have, len - have, error);
    if (n < 0) {
      return -1;
    }
    if (n == 0) {
      break;
    }
    have += (gsize) n;
  }
  return (gssize) have;
}

static int defect (Reader *reader, char *text, GError **error)
{
  g_autofree char *place = g_strdup_printf ("+%" G_GUINT64_FORMAT, reader->offset);
  return trace_defect (&reader->reading, place, text, error);
}

static void cut_end (Reader *reader, uint64_t bytes)
{
  if (reader->reading.info) {
    trace_warn (reader->reading.info, "the last record is cut at byte %" G_GUINT64_FORMAT ": left out",
                reader->offset + bytes);
  }
}

/* Moves on in `header` until it starts with a magic number.  1: found; 0: end; -1: error set. */
static int resynchronise (Reader *reader, unsigned char *header, GError **error)
{
  do {
    memmove (header, header + 1, HEADER - 1);
    reader->offset++;
    const gssize n = read_all (reader, header + HEADER - 1, 1, error);
    if (n <= 0) {
      return (int) n;
    }
  } while ((get (reader, header, 4) & ~0xffu) != MAGIC);
  return 1;
}

/* 1, 0 or -1. */
static int skip_payload (Reader *reader, unsigned len, GError **error)
{
  unsigned char payload[4096];
  while (len) {
    const gssize n = read_all (reader, payload, MIN (len, sizeof payload), error);
    if (n < 0) {
      return -1;
    }
    if (n == 0) {
      return 0;
    }
    len -= (unsigned) n;
  }
  return 1;
}

/* The header of the next record.  1; 0 at the end; -1 with error set. */
static int next_header (Reader *reader, unsigned char *header, GError **error)
{
  reader->offset = byte_stream_offset (reader->stream);
  const gssize n = read_all (reader, header, HEADER, error);
  if (n < HEADER) {
    if (n > 0) {
      cut_end (reader, (uint64_t) n);
    }
    return n < 0 ? -1 : 0;
  }
  if (!reader->decided) {
    reader->big = header[0] == 0x65;
    reader->decided = TRUE;
  }
  if ((get (reader, header, 4) & ~0xffu) == MAGIC) {
    return 1;
  }
  char *text = g_strdup_printf ("record starts with %02x %02x %02x %02x; expected \"eat\" and version %d in the byte "
                                "order of the first",
                                header[0], header[1], header[2], header[3], RECORD_VERSION);
  return defect (reader, text, error) < 0 ? -1 : resynchronise (reader, header, error);
}

static int next (BlockReader *base, BlockEvent *ret_event, GError **error)
{
  Reader *reader = (Reader *) base;
  unsigned char header[HEADER];
  int more;
  while ((more = next_header (reader, header, error)) > 0) {
    const unsigned version = (unsigned) (get (reader, header, 4) & 0xff);
    const int skipped = skip_payload (reader, (unsigned) get (reader, header + 46, 2), error);
    if (skipped < 0) {
      return -1;
    }
    if (version != RECORD_VERSION) {
      if (defect (reader, g_strdup_printf ("record of version %u; expected %d", version, RECORD_VERSION), error) < 0) {
        return -1;
      }
    } else if (!decode (reader, header, ret_event)) {
      if (defect (reader, g_strdup ("sector or time beyond 2^63 bytes or nanoseconds"), error) < 0) {
        return -1;
      }
    } else {
      if (skipped == 0) {
        cut_end (reader, byte_stream_offset (reader->stream) - reader->offset);
      }
      return skipped;
    }
  }
  return more;
}

static void free_reader (BlockReader *base)
{
  byte_stream_free (((Reader *) base)->stream);
  g_free (base);
}

BlockReader *blktrace_reader_new (ByteSource *source, gboolean lenient, TraceInfo *info, GError **error)
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
