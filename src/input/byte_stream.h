/*
 * Bytes of an input, whatever it came as: a plain file, packed by gzip, xz or zstd (unpack.h; also several
 * members one after the other), or standard input and other pipes, which are
 * spooled to an unlinked temporary file so that they can be read again.
 *
 * ByteSource is the input: open file descriptor, kind, size; immutable after
 * opening, so that many threads may read it at once.  ByteStream is one pass
 * over it with its own position and buffer; memory does not depend on the size.
 */
#ifndef BYTE_STREAM_H
#define BYTE_STREAM_H

#include <glib.h>
#include <stdint.h>

typedef struct ByteSource ByteSource;
typedef struct ByteStream ByteStream;

/* Longest line that ByteStream hands out, without its line end; longer ones come cut and marked. */
#define BYTE_STREAM_LINE_MAX 4095

/* Opens `path`, "-" for standard input.  Missing, unreadable, empty, a directory, bzip2:
 * INPUT_ERROR_DATA.  (transfer full) */
ByteSource *byte_source_open (const char *path, GError **error);
/* Bytes from memory, for tests and fuzzing; `bytes` are copied. (transfer full); NULL if they are empty or packed by
 * bzip2. */
ByteSource *byte_source_new_from_memory (const char *name, const void *bytes, gsize len, GError **error);
ByteSource *byte_source_ref (ByteSource *source);
void        byte_source_unref (ByteSource *source);        /* accepts NULL */
const char *byte_source_name (const ByteSource *source);   /* the path as given, "standard input" for "-" */
const char *byte_source_packing (const ByteSource *source);    /* "gzip", "xz", "zstd"; NULL: plain */
uint64_t    byte_source_size (const ByteSource *source);   /* bytes as stored (packed if it is) */

/* Copies up to `len` leading unpacked bytes to `buffer`; returns how many, -1 with error set. */
gssize byte_source_peek (const ByteSource *source, void *buffer, gsize len, GError **error);

/* A new pass from the start.  A file that changed since byte_source_open() is INPUT_ERROR_DATA.  (transfer full) */
ByteStream *byte_stream_new (ByteSource *source, GError **error);
void        byte_stream_free (ByteStream *stream);         /* accepts NULL */

/* Up to `len` bytes; returns how many, 0 at the end, -1 with error set.  Packed bytes that are damaged, cut off, need
 * more than 128 MiB, or unpack to more than 2000 times their size (and 256 MiB) are INPUT_ERROR_DATA,
 * "NAME:+OFFSET: ..." with the offset in the packed bytes. */
gssize byte_stream_read (ByteStream *stream, void *buffer, gsize len, GError **error);

/* One line of text.  Points into the stream's buffer: valid until the next call. */
typedef struct {
  const char *text;           /* not terminated */
  unsigned    length;         /* without "\n" or "\r\n"; at most BYTE_STREAM_LINE_MAX */
  gboolean    too_long;       /* the rest of the line was skipped */
  gboolean    has_newline;    /* FALSE only on a last line that is cut off */
  gboolean    had_cr;
  uint64_t    number;         /* from 1 */
  uint64_t    offset;         /* of its first byte in the unpacked data */
} ByteLine;

/* 1: *ret_line filled; 0: end; -1: error set.  Lines may hold NUL bytes; a UTF-8 byte order mark before the
 * first line is skipped. */
int      byte_stream_next_line (ByteStream *stream, ByteLine *ret_line, GError **error);
gboolean byte_stream_had_bom (const ByteStream *stream);
uint64_t byte_stream_offset (const ByteStream *stream);     /* of the next unread byte of the unpacked data */
/* Continues at the byte `offset` of the unpacked data, whose line has the number `line`: only forwards.  FALSE with
 * error set. */
gboolean byte_stream_skip_to (ByteStream *stream, uint64_t offset, uint64_t line, GError **error);

#endif
