/*
 * Inputs as bytes and lines.  See byte_stream.h.
 */
#include "src/input/byte_stream.h"
#include "src/input/input_error.h"
#include "src/input/unpack.h"
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 }; /* bytes asked from the kernel at a time; each stream holds one */

struct ByteSource {
  gatomicrefcount references;
  char *name;
  int fd;        /* -1: in memory */
  GBytes *bytes; /* (nullable) */
  uint64_t size;
  Packing packing;
  gboolean spooled;
  struct stat stat; /* at opening, to notice a change */
};

struct ByteStream {
  ByteSource *source;
  uint64_t position; /* of the next stored byte to read */
  /* unpacked bytes: buffer[start .. end) are unread */
  char *buffer;
  gsize capacity, start, end;
  uint64_t offset; /* in the unpacked data of buffer[start] */
  gboolean ended;  /* nothing follows buffer[end) */
  /* packed bytes */
  Unpacker *unpack; /* (nullable) */
  char *packed;
  gsize packed_start, packed_end;
  gboolean member_open, any_member, packed_ended;
  /* lines */
  uint64_t line;
  gboolean bom;
};

/* ---- opening ---- */

static gboolean fail (GError **error, InputError code, const char *name, const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean fail (GError **error, InputError code, const char *name, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, (int) code, "%s: %s", name, text);
  return FALSE;
}

static ByteSource *source_new (const char *name)
{
  ByteSource *source = g_new0 (ByteSource, 1);
  g_atomic_ref_count_init (&source->references);
  source->name = input_quote (name, strlen (name), 4096);
  source->fd = -1;
  return source;
}

/* Stored bytes from `position` on; 0 at the end, -1 with error set. */
static gssize read_stored (const ByteSource *source, uint64_t position, void *buffer, gsize len, GError **error)
{
  if (source->bytes) {
    gsize size;
    const char *data = g_bytes_get_data (source->bytes, &size);
    if (position >= size) {
      return 0;
    }
    len = MIN (len, size - position);
    memcpy (buffer, data + position, len);
    return (gssize) len;
  }
  for (;;) {
    const gssize n = pread (source->fd, buffer, len, (off_t) position);
    if (n >= 0) {
      return n;
    }
    if (errno != EINTR) {
      fail (error, INPUT_ERROR_IO, source->name, "reading failed: %s", g_strerror (errno));
      return -1;
    }
  }
}

/* By the first bytes: packed, and by what. */
static gboolean look_at_magic (ByteSource *source, GError **error)
{
  unsigned char magic[PACKING_MAGIC_MAX] = { 0 };
  if (read_stored (source, 0, magic, sizeof magic, error) < 0) {
    return FALSE;
  }
  if (!memcmp (magic, "BZh", 3)) {
    return fail (error, INPUT_ERROR_DATA, source->name,
                 "packed by bzip2, which is not unpacked here: bzip2 -dc FILE | ... -");
  }
  if (magic[0] == 0x78 && (magic[0] << 8 | magic[1]) % 31 == 0) { /* the head of a zlib stream */
    return fail (error, INPUT_ERROR_DATA, source->name,
                 "a log that fio packed (log_store_compressed), which only the fio that wrote it unpacks: "
                 "fio --inflate-log=FILE > LOG");
  }
  source->packing = packing_of (magic, sizeof magic);
  return TRUE;
}

static gboolean write_all (int fd, const char *data, gsize len)
{
  while (len > 0) {
    const gssize n = write (fd, data, len);
    if (n < 0 && errno != EINTR) {
      return FALSE;
    }
    if (n > 0) {
      data += n;
      len -= (gsize) n;
    }
  }
  return TRUE;
}

/* More than any trace that anybody would pipe; an endless stream must end somewhere. */
#define SPOOL_MAX ((uint64_t) 32 << 30)

/* Neither text nor packed: not worth keeping. blktrace's records are told apart later. */
static gboolean is_junk (const char *block, gsize len)
{
  const gboolean packed = packing_of (block, len) != PACKING_NONE;
  const gboolean blktrace = len >= 4 && (!memcmp (block + 1, "tae", 3) || !memcmp (block, "eat", 3));

  return !packed && !blktrace && memchr (block, '\0', MIN (len, 512)) != NULL;
}

/* What cannot be read twice is copied to a temporary file that has no name any more. */
static gboolean spool (ByteSource *source, int from, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) cause = NULL;
  const int fd = g_file_open_tmp (NULL, &path, &cause);
  if (fd < 0) {
    return fail (error, INPUT_ERROR_IO, source->name, "no temporary file to keep it in: %s", cause->message);
  }
  unlink (path);
  source->fd = fd;
  source->spooled = TRUE;
  g_autofree char *block = g_malloc (BLOCK);
  uint64_t kept = 0;
  for (;;) {
    const gssize n = read (from, block, BLOCK);
    if (n == 0) {
      return TRUE;
    }
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail (error, INPUT_ERROR_IO, source->name, "reading failed: %s", g_strerror (errno));
    }
    if (kept == 0 && is_junk (block, (gsize) n)) {
      return fail (error, INPUT_ERROR_DATA, source->name, "binary data");
    }
    kept += (uint64_t) n;
    if (kept > SPOOL_MAX) {
      return fail (error, INPUT_ERROR_DATA, source->name, "more than 32 GiB from a pipe or device; expected a file");
    }
    if (!write_all (fd, block, (gsize) n)) {
      return fail (error, INPUT_ERROR_IO, source->name, "no room to keep it in a temporary file: %s",
                   g_strerror (errno));
    }
  }
}

static gboolean open_path (ByteSource *source, const char *path, GError **error)
{
  const gboolean standard_input = !strcmp (path, "-");
  const int fd = standard_input ? STDIN_FILENO : open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    return fail (error, INPUT_ERROR_DATA, source->name, "cannot be opened: %s", g_strerror (errno));
  }
  source->fd = standard_input ? -1 : fd;
  if (fstat (fd, &source->stat) < 0) {
    return fail (error, INPUT_ERROR_DATA, source->name, "cannot be read: %s", g_strerror (errno));
  }
  if (S_ISDIR (source->stat.st_mode)) {
    return fail (error, INPUT_ERROR_DATA, source->name, "is a directory; expected a file");
  }
  if (standard_input && S_ISREG (source->stat.st_mode) && lseek (fd, 0, SEEK_CUR) == 0) {
    source->fd = fcntl (fd, F_DUPFD_CLOEXEC, 3);
  } else if (standard_input || !S_ISREG (source->stat.st_mode)) {
    const gboolean spooled = spool (source, fd, error);
    if (!standard_input) {
      close (fd);
    }
    if (!spooled) {
      return FALSE;
    }
    fstat (source->fd, &source->stat);
  }
  source->size = (uint64_t) source->stat.st_size;
  if (source->size == 0) {
    return fail (error, INPUT_ERROR_DATA, source->name, "is empty");
  }
  return look_at_magic (source, error);
}

ByteSource *byte_source_open (const char *path, GError **error)
{
  ByteSource *source = source_new (strcmp (path, "-") ? path : "standard input");
  if (!open_path (source, path, error)) {
    byte_source_unref (source);
    return NULL;
  }
  return source;
}

ByteSource *byte_source_new_from_memory (const char *name, const void *bytes, gsize len, GError **error)
{
  ByteSource *source = source_new (name);
  source->bytes = g_bytes_new (bytes, len);
  source->size = len;
  if (len == 0) {
    fail (error, INPUT_ERROR_DATA, source->name, "is empty");
  }
  if (len == 0 || !look_at_magic (source, error)) {
    byte_source_unref (source);
    return NULL;
  }
  return source;
}

ByteSource *byte_source_ref (ByteSource *source)
{
  g_atomic_ref_count_inc (&source->references);
  return source;
}

void byte_source_unref (ByteSource *source)
{
  if (source && g_atomic_ref_count_dec (&source->references)) {
    if (source->fd >= 0) {
      close (source->fd);
    }
    g_clear_pointer (&source->bytes, g_bytes_unref);
    g_free (source->name);
    g_free (source);
  }
}

const char *byte_source_name (const ByteSource *source) { return source->name; }

const char *byte_source_packing (const ByteSource *source) { return packing_name (source->packing); }

uint64_t byte_source_size (const ByteSource *source) { return source->size; }

gssize byte_source_peek (const ByteSource *source, void *buffer, gsize len, GError **error)
{
  g_autoptr (GError) cause = NULL;
  ByteStream *stream = byte_stream_new ((ByteSource *) source, error);
  gsize have = 0;
  gssize n = stream ? 1 : -1;
  while (stream && n > 0 && have < len) {
    n = byte_stream_read (stream, (char *) buffer + have, len - have, &cause);
    have += n > 0 ? (gsize) n : 0;
  }
  byte_stream_free (stream);
  if (cause && have == 0) {
    g_propagate_error (error, g_steal_pointer (&cause));
  }
  return have > 0 ? (gssize) have : n;
}

/* ---- one pass ---- */

static gboolean is_unchanged (const ByteSource *source)
{
  struct stat now;
  if (source->bytes || source->spooled) {
    return TRUE;
  }
  return fstat (source->fd, &now) == 0 && now.st_size == source->stat.st_size &&
         now.st_mtim.tv_sec == source->stat.st_mtim.tv_sec && now.st_mtim.tv_nsec == source->stat.st_mtim.tv_nsec;
}

ByteStream *byte_stream_new (ByteSource *source, GError **error)
{
  if (!is_unchanged (source)) {
    fail (error, INPUT_ERROR_DATA, source->name, "changed while it was in use; expected the file that was first read");
    return NULL;
  }
  ByteStream *stream = g_new0 (ByteStream, 1);
  stream->source = byte_source_ref (source);
  stream->capacity = BLOCK + BYTE_STREAM_LINE_MAX + 2;
  stream->buffer = g_malloc (stream->capacity);
  if (source->packing != PACKING_NONE) {
    stream->unpack = unpacker_new (source->packing);
    stream->packed = g_malloc (BLOCK);
  }
  return stream;
}

void byte_stream_free (ByteStream *stream)
{
  if (stream) {
    unpacker_free (stream->unpack);
    g_free (stream->packed);
    g_free (stream->buffer);
    byte_source_unref (stream->source);
    g_free (stream);
  }
}

/* More packed bytes behind those that are unread. */
static gboolean read_packed (ByteStream *stream, GError **error)
{
  const gsize left = stream->packed_end - stream->packed_start;
  memmove (stream->packed, stream->packed + stream->packed_start, left);
  stream->packed_start = 0;
  stream->packed_end = left;
  const gssize n = read_stored (stream->source, stream->position, stream->packed + left, BLOCK - left, error);
  if (n < 0) {
    return FALSE;
  }
  stream->packed_ended = n == 0;
  stream->packed_end += (gsize) n;
  stream->position += (uint64_t) n;
  return TRUE;
}

/* As many packed bytes as the magic of a member has, unless the end is near. */
static gboolean refill_packed (ByteStream *stream, GError **error)
{
  while (!stream->packed_ended && stream->packed_end - stream->packed_start < PACKING_MAGIC_MAX) {
    if (!read_packed (stream, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* The place is that of the packed bytes that come next. */
static void G_GNUC_PRINTF (3, 4) fail_packed (const ByteStream *stream, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:+%" G_GUINT64_FORMAT ": %s", stream->source->name,
               stream->position - (stream->packed_end - stream->packed_start), what);
}

/* Between two members: 1 another one starts, 0 the end, -1 error. */
static int next_member (ByteStream *stream, GError **error)
{
  const Packing packing = stream->source->packing;

  for (;;) {
    if (!refill_packed (stream, error)) {
      return -1;
    }
    if (stream->packed_start == stream->packed_end) {
      return 0;
    }
    const char *head = stream->packed + stream->packed_start;
    if (packing_of (head, stream->packed_end - stream->packed_start) == packing) {
      if (stream->any_member) {
        unpacker_reset (stream->unpack);
      }
      stream->member_open = stream->any_member = TRUE;
      return 1;
    }
    if (*head != 0 || !packing_has_padding (packing)) {
      fail_packed (stream, error, "bytes that are not %s after packed data", packing_name (packing));
      return -1;
    }
    stream->packed_start++;
  }
}

/* The bytes that are there do not suffice: 1 there are more now, 0 there are none, -1 error. */
static int feed (ByteStream *stream, GError **error)
{
  if (stream->packed_ended || stream->packed_end - stream->packed_start == BLOCK) {
    return 0;
  }
  return read_packed (stream, error) ? 1 : -1;
}

/* The text of requests packs to a hundredth at most: what unpacks to this much more is a trap. */
#define SWELL_MAX 2000
#define SWELL_FROM ((uint64_t) 256 << 20) /* bytes */

static gboolean swells (const ByteStream *stream, gsize made)
{
  const uint64_t unpacked = stream->offset + (stream->end - stream->start) + made;
  return unpacked > SWELL_FROM && unpacked / SWELL_MAX > stream->position;
}

static gssize unpack_some (ByteStream *stream, char *buffer, gsize len, GError **error)
{
  const char *name = packing_name (stream->source->packing);

  for (;;) {
    if (!stream->member_open) {
      const int member = next_member (stream, error);
      if (member <= 0) {
        return member;
      }
    }
    if (!refill_packed (stream, error)) {
      return -1;
    }
    gsize used, made;
    const UnpackResult result =
        unpacker_step (stream->unpack, stream->packed + stream->packed_start, stream->packed_end - stream->packed_start,
                       stream->packed_ended, buffer, len, &used, &made);
    stream->packed_start += used;
    if (result == UNPACK_STARVED) {
      const int more = feed (stream, error);
      if (more < 0) {
        return -1;
      }
      if (more > 0) {
        continue;
      }
      fail_packed (stream, error, "the %s data end too early; the file is cut off", name);
      return -1;
    }
    if (result == UNPACK_DAMAGED || result == UNPACK_TOO_LARGE) {
      fail_packed (stream, error, result == UNPACK_DAMAGED ? "damaged %s data" : "%s data that need more than 128 MiB",
                   name);
      return -1;
    }
    if (result == UNPACK_MEMBER_ENDS) {
      stream->member_open = FALSE;
    }
    if (made > 0 && swells (stream, made)) {
      fail_packed (stream, error, "unpacks to more than %d times its size; expected a trace, no trap", SWELL_MAX);
      return -1;
    }
    if (made > 0) {
      return (gssize) made;
    }
  }
}

/* Fresh bytes behind buffer[end); the buffer must have room. 0: end, -1: error. */
static gssize fill (ByteStream *stream, GError **error)
{
  const gsize room = MIN (stream->capacity - stream->end, (gsize) BLOCK);
  gssize n;
  if (stream->unpack) {
    n = unpack_some (stream, stream->buffer + stream->end, room, error);
  } else {
    n = read_stored (stream->source, stream->position, stream->buffer + stream->end, room, error);
    if (n > 0) {
      stream->position += (uint64_t) n;
    } else if (n == 0 && stream->position < stream->source->size) {
      fail (error, INPUT_ERROR_DATA, stream->source->name,
            "became shorter while it was read: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes", stream->position,
            stream->source->size);
      return -1;
    }
  }
  if (n > 0) {
    stream->end += (gsize) n;
  }
  stream->ended = n == 0;
  return n;
}

gssize byte_stream_read (ByteStream *stream, void *buffer, gsize len, GError **error)
{
  if (len == 0) {
    return 0;
  }
  if (stream->start == stream->end) {
    stream->start = stream->end = 0;
    const gssize n = stream->ended ? 0 : fill (stream, error);
    if (n <= 0) {
      return n;
    }
  }
  len = MIN (len, stream->end - stream->start);
  memcpy (buffer, stream->buffer + stream->start, len);
  stream->start += len;
  stream->offset += len;
  return (gssize) len;
}

/* ---- lines ---- */

static void consume (ByteStream *stream, gsize n)
{
  stream->start += n;
  stream->offset += n;
}

/* Drops the rest of a line that is too long.  FALSE with error set. */
static gboolean skip_line (ByteStream *stream, ByteLine *line, GError **error)
{
  for (;;) {
    char *end = memchr (stream->buffer + stream->start, '\n', stream->end - stream->start);
    if (end) {
      consume (stream, (gsize) (end + 1 - (stream->buffer + stream->start)));
      line->has_newline = TRUE;
      return TRUE;
    }
    consume (stream, stream->end - stream->start);
    if (stream->ended) {
      return TRUE;
    }
    /* The start of the line stays where it is: line->text points to it. */
    const gsize kept = BYTE_STREAM_LINE_MAX;
    stream->start = stream->end = kept;
    if (fill (stream, error) < 0) {
      return FALSE;
    }
  }
}

/* The unread bytes to the front, and more behind them. */
static gssize refill (ByteStream *stream, GError **error)
{
  memmove (stream->buffer, stream->buffer + stream->start, stream->end - stream->start);
  stream->end -= stream->start;
  stream->start = 0;
  return fill (stream, error);
}

static int next_line_slowly (ByteStream *stream, ByteLine *ret_line, GError **error);

int byte_stream_next_line (ByteStream *stream, ByteLine *ret_line, GError **error)
{
  const char *text = stream->buffer + stream->start;
  const char *end = memchr (text, '\n', stream->end - stream->start);
  const gsize length = (gsize) (end - text);
  if (!end || length > BYTE_STREAM_LINE_MAX || (length > 0 && end[-1] == '\r') || stream->line == 0) {
    return next_line_slowly (stream, ret_line, error);
  }
  ret_line->text = text;
  ret_line->length = (unsigned) length;
  ret_line->too_long = ret_line->had_cr = FALSE;
  ret_line->has_newline = TRUE;
  ret_line->number = ++stream->line;
  ret_line->offset = stream->offset;
  consume (stream, length + 1);
  return 1;
}

/* The first line, and lines that end in CR LF, are cut by the end of the buffer, or too long. */
static int next_line_slowly (ByteStream *stream, ByteLine *ret_line, GError **error)
{
  ByteLine line = { .number = stream->line + 1 };
  gsize looked_at = 0;
  for (;;) {
    const gsize have = stream->end - stream->start;
    if (stream->line == 0 && !stream->bom && have >= 3 && !memcmp (stream->buffer + stream->start, "\xef\xbb\xbf", 3)) {
      stream->bom = TRUE;
      consume (stream, 3);
      continue;
    }
    const char *text = stream->buffer + stream->start;
    const char *end = memchr (text + looked_at, '\n', have - looked_at);
    line.offset = stream->offset;
    line.text = text;
    if (end || stream->ended) {
      gsize length = end ? (gsize) (end - text) : have;
      if (!end && length == 0) {
        return 0;
      }
      line.has_newline = end != NULL;
      consume (stream, length + line.has_newline);
      if (length > 0 && text[length - 1] == '\r') {
        line.had_cr = TRUE;
        length--;
      }
      line.too_long = length > BYTE_STREAM_LINE_MAX;
      line.length = (unsigned) MIN (length, (gsize) BYTE_STREAM_LINE_MAX);
      break;
    }
    if (have > BYTE_STREAM_LINE_MAX + 1) {
      memmove (stream->buffer, text, have);
      stream->start = 0;
      stream->end = have;
      line.text = stream->buffer;
      line.too_long = TRUE;
      line.length = BYTE_STREAM_LINE_MAX;
      if (!skip_line (stream, &line, error)) {
        return -1;
      }
      break;
    }
    looked_at = have;
    if (refill (stream, error) < 0) {
      return -1;
    }
  }
  stream->line++;
  *ret_line = line;
  return 1;
}

gboolean byte_stream_had_bom (const ByteStream *stream) { return stream->bom; }

uint64_t byte_stream_offset (const ByteStream *stream) { return stream->offset; }

gboolean byte_stream_skip_to (ByteStream *stream, uint64_t offset, uint64_t line, GError **error)
{
  g_return_val_if_fail (offset >= stream->offset, FALSE);
  if (!stream->unpack && offset > stream->offset + (stream->end - stream->start)) {
    stream->start = stream->end = 0;
    stream->offset = stream->position = offset;
  }
  while (stream->offset < offset) {
    const gsize n = (gsize) MIN (offset - stream->offset, (uint64_t) (stream->end - stream->start));
    consume (stream, n);
    if (stream->offset < offset) {
      stream->start = stream->end = 0;
      const gssize more = stream->ended ? 0 : fill (stream, error);
      if (more < 0) {
        return FALSE;
      }
      if (more == 0) {
        return fail (error, INPUT_ERROR_DATA, stream->source->name, "became shorter while it was read");
      }
    }
  }
  stream->line = line - 1;
  return TRUE;
}
