/*
 * Inputs as bytes and lines: plain, packed, pipes; limits and damage.
 */
#include "src/input/byte_stream.h"
#include "src/input/input_error.h"
#include "src/input/unpack.h"
#include "tests/row.h"
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static GByteArray *gzip (const void *data, gsize len)
{
  g_autoptr (GConverter) packer = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  GByteArray *out = g_byte_array_new ();
  gsize used = 0;
  for (;;) {
    guint8 buffer[4096];
    gsize n, made;
    const GConverterResult result = g_converter_convert (packer, (const char *) data + used, len - used, buffer,
                                                         sizeof buffer, G_CONVERTER_INPUT_AT_END, &n, &made, NULL);
    used += n;
    g_byte_array_append (out, buffer, (guint) made);
    if (result != G_CONVERTER_CONVERTED) {
      return out;
    }
  }
}

/* One member, with a checksum. */
static GByteArray *pack (Packing packing, const void *data, gsize len)
{
  GByteArray *out;

  if (packing == PACKING_GZIP) {
    return gzip (data, len);
  }
  out = g_byte_array_new ();
  g_byte_array_set_size (out, (guint) MAX (lzma_stream_buffer_bound (len), ZSTD_compressBound (len)));
  if (packing == PACKING_XZ) {
    size_t made = 0;
    CU_ASSERT (lzma_easy_buffer_encode (1, LZMA_CHECK_CRC32, NULL, data, len, out->data, &made, out->len) == LZMA_OK);
    g_byte_array_set_size (out, (guint) made);
  } else {
    ZSTD_CCtx *context = ZSTD_createCCtx ();
    ZSTD_CCtx_setParameter (context, ZSTD_c_checksumFlag, 1);
    g_byte_array_set_size (out, (guint) ZSTD_compress2 (context, out->data, out->len, data, len));
    ZSTD_freeCCtx (context);
  }
  return out;
}

/* All lines as "text|" joined, with marks: '>' too long, '$' no newline, '^' CR. */
static char *lines_of (ByteSource *source, GError **error)
{
  GString *all = g_string_new (NULL);
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  int more = stream ? 1 : -1;
  uint64_t number = 0, offset = byte_stream_had_bom (stream) ? 3 : 0;
  while (stream && (more = byte_stream_next_line (stream, &line, error)) > 0) {
    CU_ASSERT (line.number == ++number);
    CU_ASSERT (line.offset >= offset && byte_stream_offset (stream) > line.offset);
    offset = byte_stream_offset (stream);
    g_autofree char *text = input_quote (line.text, line.length, 30);
    g_string_append_printf (all, "%s%s%s%s|", text, line.too_long ? ">" : "", line.has_newline ? "" : "$",
                            line.had_cr ? "^" : "");
  }
  byte_stream_free (stream);
  if (more < 0) {
    g_string_free (all, TRUE);
    return NULL;
  }
  return g_string_free (all, FALSE);
}

static void test_lines (void)
{
  static const struct {
    const char *name, *bytes;
    int len;
    const char *lines;
  } row[] = {
    { "two lines", "a\nb\n", -1, "a|b|" },
    { "last line without newline", "a\nb", -1, "a|b$|" },
    { "only a newline", "\n", -1, "|" },
    { "empty lines", "\n\na\n\n", -1, "||a||" },
    { "CR LF", "a\r\nb\r\n", -1, "a^|b^|" },
    { "CR inside", "a\rb\n", -1, "a\\x0db|" },
    { "NUL inside", "a\0b\nc", 5, "a\\x00b|c$|" },
    { "byte order mark",
      "\xef\xbb\xbf"
      "a\nb\n",
      -1, "a|b|" },
    { "only a byte order mark", "\xef\xbb\xbf", -1, "" },
    { "byte order mark later",
      "a\n\xef\xbb\xbf"
      "b\n",
      -1, "a|\\xef\\xbb\\xbfb|" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    const gsize len = row[i].len < 0 ? strlen (row[i].bytes) : (gsize) row[i].len;
    for (unsigned z = 0; z < PACKINGS; z++) {
      g_autoptr (GByteArray) packed = z ? pack ((Packing) z, row[i].bytes, len) : NULL;
      g_autoptr (GError) error = NULL;
      ByteSource *source = z ? byte_source_new_from_memory ("m", packed->data, packed->len, &error)
                             : byte_source_new_from_memory ("m", row[i].bytes, len, &error);
      g_autofree char *lines = source ? lines_of (source, &error) : NULL;
      ROW_CHECK (lines && !strcmp (lines, row[i].lines), "%s %s: %s, %s", row[i].name,
                 z ? packing_name ((Packing) z) : "", lines, row_error (error));
      ROW_CHECK (source && byte_source_packing (source) == packing_name ((Packing) z), "%s", row[i].name);
      byte_source_unref (source);
    }
  }
}

/* Lines of every length around the limit and around the ends of the buffer. */
static void test_lengths (void)
{
  static const unsigned lengths[] = {
    0, 1, 4094, 4095, 4096, 4097, 8191, 65535, 65536, 65537, 262144, 300000, 1000000
  };
  for (unsigned cr = 0; cr < 2; cr++) {
    GString *text = g_string_new (NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (lengths); i++) {
      g_autofree char *fill = g_strnfill (lengths[i], (char) ('a' + i));
      g_string_append_printf (text, "%s%s\n", fill, cr ? "\r" : "");
    }
    ByteSource *source = byte_source_new_from_memory ("m", text->str, text->len, NULL);
    ByteStream *stream = byte_stream_new (source, NULL);
    ByteLine line;
    for (unsigned i = 0; i < G_N_ELEMENTS (lengths); i++) {
      const gboolean too_long = lengths[i] > BYTE_STREAM_LINE_MAX;
      ROW_CHECK (byte_stream_next_line (stream, &line, NULL) == 1, "length %u", lengths[i]);
      ROW_CHECK (line.too_long == too_long && line.length == (too_long ? BYTE_STREAM_LINE_MAX : lengths[i]),
                 "length %u: %u%s", lengths[i], line.length, line.too_long ? " too long" : "");
      ROW_CHECK (line.length == 0 ||
                     (line.text[0] == (char) ('a' + i) && line.text[line.length - 1] == (char) ('a' + i)),
                 "length %u: text", lengths[i]);
    }
    CU_ASSERT (byte_stream_next_line (stream, &line, NULL) == 0);
    CU_ASSERT (byte_stream_next_line (stream, &line, NULL) == 0);
    byte_stream_free (stream);
    byte_source_unref (source);
    g_string_free (text, TRUE);
  }
}

/* Many lines of changing length, against splitting at newlines; and the same from the middle. */
static void test_many_lines (void)
{
  GString *text = g_string_new (NULL);
  for (unsigned i = 0; i < 60000; i++) {
    g_string_append_printf (text, "%u %.*s\n", i, (int) (i * 7 % 41),
                            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  }
  for (unsigned z = 0; z < PACKINGS; z++) {
    g_autoptr (GByteArray) packed = z ? pack ((Packing) z, text->str, text->len) : NULL;
    ByteSource *source = z ? byte_source_new_from_memory ("m", packed->data, packed->len, NULL)
                           : byte_source_new_from_memory ("m", text->str, text->len, NULL);
    ByteStream *stream = byte_stream_new (source, NULL);
    ByteLine line;
    uint64_t wrong = 0, middle = 0;
    unsigned n = 0;
    while (byte_stream_next_line (stream, &line, NULL) > 0) {
      wrong += g_ascii_strtoull (line.text, NULL, 10) != n ||
               line.length != (unsigned) snprintf (NULL, 0, "%u ", n) + n * 7 % 41;
      middle = ++n == 40000 ? byte_stream_offset (stream) : middle;
    }
    ROW_CHECK (n == 60000 && wrong == 0, "%s: %u lines, %" G_GUINT64_FORMAT " wrong",
               z ? packing_name ((Packing) z) : "plain", n, wrong);
    byte_stream_free (stream);
    stream = byte_stream_new (source, NULL);
    CU_ASSERT (byte_stream_skip_to (stream, middle, 40001, NULL));
    CU_ASSERT (byte_stream_next_line (stream, &line, NULL) == 1 && line.number == 40001 &&
               !strncmp (line.text, "40000 ", 6));
    byte_stream_free (stream);
    byte_source_unref (source);
  }
  g_string_free (text, TRUE);
}

static void append_packed (Packing packing, GByteArray *to, const char *text)
{
  g_autoptr (GByteArray) member = pack (packing, text, strlen (text));
  g_byte_array_append (to, member->data, member->len);
}

/* Several members one after the other are one file; so is padding with zeros, but for zstd.  Cut and damaged ones are
 * not. */
static void test_members_of (Packing packing)
{
  const char *kind = packing_name (packing);
  g_autoptr (GByteArray) two = g_byte_array_new ();
  append_packed (packing, two, "a\nb");
  append_packed (packing, two, "");
  append_packed (packing, two, "c\nd\n");
  const guint good = two->len;
  static const guint8 zeros[5] = { 0 };
  g_byte_array_append (two, zeros, sizeof zeros);
  const struct {
    const char *name;
    int cut, damage_at;
    const char *tail, *lines, *message;
  } row[] = {
    { "three members", 0, -1, "", "a|bc|d|", NULL },
    { "cut by the checksum", 3, -1, "", NULL, "cut off" },
    { "cut in the last member", packing == PACKING_ZSTD ? 10 : 20, -1, "", NULL, "cut off" },
    { "bytes behind", 0, -1, "trailing", NULL, "after packed data" },
    { "one byte behind", 0, -1, "x", NULL, "after packed data" },
    { "damaged checksum", 0, packing == PACKING_ZSTD ? -2 : -6, "", NULL, "damaged" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, two->data,
                         row[i].cut             ? good - (guint) row[i].cut
                         : row[i].damage_at < 0 ? good
                                                : two->len);
    if (row[i].damage_at < -1) {
      bytes->data[bytes->len + (guint) row[i].damage_at] ^= 0x55;
    }
    g_byte_array_append (bytes, (const guint8 *) row[i].tail, (guint) strlen (row[i].tail));
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m.gz", bytes->data, bytes->len, &error);
    g_autofree char *lines = lines_of (source, &error);
    ROW_CHECK (!g_strcmp0 (lines, row[i].lines), "%s, %s: %s", kind, row[i].name, lines);
    ROW_CHECK (row[i].message ? error && strstr (error->message, row[i].message) && strstr (error->message, "m.gz:+")
                              : !error,
               "%s, %s: %s", kind, row[i].name, row_error (error));
    byte_source_unref (source);
  }
  g_autoptr (GError) error = NULL;
  ByteSource *padded = byte_source_new_from_memory ("m", two->data, two->len, NULL);
  g_autofree char *lines = lines_of (padded, &error);
  if (packing_has_padding (packing)) {
    ROW_CHECK (!g_strcmp0 (lines, "a|bc|d|"), "%s, padded with zeros: %s", kind, lines);
  } else {
    ROW_CHECK (error && strstr (error->message, "bytes that are not zstd"), "%s, zeros behind: %s", kind,
               row_error (error));
  }
  byte_source_unref (padded);
}

static void test_members (void)
{
  for (unsigned packing = PACKING_NONE + 1; packing < PACKINGS; packing++) {
    test_members_of ((Packing) packing);
  }
}

/* An unpacker that would need more memory than an input may cost. */
static void test_window (void)
{
  static const guint8 zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x98, 0x01, 0x00, 0x00 }; /* window of 2^29 bytes */
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_new_from_memory ("m", zstd, sizeof zstd, NULL);
  g_autofree char *lines = lines_of (source, &error);

  ROW_CHECK (!lines && error && strstr (error->message, "more than 128 MiB"), "%s", row_error (error));
  byte_source_unref (source);
}

/* What unpacks to 256 MiB is read; what then still swells 2000 times is given up. */
static void test_swelling (void)
{
  enum { MIB = 1 << 20 };
  g_autofree char *zeros = g_malloc0 (MIB);
  for (unsigned mib = 256; mib <= 257; mib++) {
    g_autoptr (GByteArray) packed = g_byte_array_new ();
    g_autoptr (GError) error = NULL;
    GByteArray *one = pack (PACKING_ZSTD, zeros, MIB);
    for (unsigned i = 0; i < mib; i++) {
      g_byte_array_append (packed, one->data, one->len);
    }
    g_byte_array_unref (one);
    ByteSource *source = byte_source_new_from_memory ("m", packed->data, packed->len, NULL);
    ByteStream *stream = byte_stream_new (source, NULL);
    gssize n;
    while ((n = byte_stream_read (stream, zeros, MIB, &error)) > 0) {
    }
    ROW_CHECK (mib == 256 ? n == 0 : n < 0 && strstr (error->message, "unpacks to more than 2000 times its size"),
               "%u MiB: %s", mib, row_error (error));
    byte_stream_free (stream);
    byte_source_unref (source);
  }
}

static void test_refused (void)
{
  static const struct {
    const char *name, *bytes;
    gsize len;
    const char *message;
  } row[] = {
    { "empty", "", 0, "is empty" },
    { "bzip2", "BZh91AY", 7, "bzip2 -dc" },
    { "a log that fio packed", "\x78\x9c\x63\x60", 4, "fio --inflate-log=FILE" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m", row[i].bytes, row[i].len, &error);
    ROW_CHECK (!source && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message),
               "%s: %s", row[i].name, row_error (error));
    byte_source_unref (source);
  }
}

static void check_open (const char *what, const char *path, const char *message)
{
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_open (path, &error);
  ROW_CHECK (!source && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) && strstr (error->message, message),
             "%s: %s", what, row_error (error));
  byte_source_unref (source);
}

static void test_files (void)
{
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "a\nb", NULL);
  check_open ("missing", path, "cannot be opened: ");
  check_open ("a directory", directory, "is a directory");
  g_file_set_contents (path, "", 0, NULL);
  check_open ("an empty file", path, "is empty");
  g_autoptr (GError) error = NULL;
  g_file_set_contents (path, "one\ntwo\n", -1, NULL);
  ByteSource *source = byte_source_open (path, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (source);
  CU_ASSERT (g_str_has_suffix (byte_source_name (source), "/a\\x0ab")); /* no control bytes in messages */
  char head[6];
  CU_ASSERT (byte_source_peek (source, head, sizeof head, NULL) == 6 && !memcmp (head, "one\ntw", 6));
  for (unsigned pass = 0; pass < 2; pass++) {
    g_autofree char *lines = lines_of (source, &error);
    ROW_CHECK (!g_strcmp0 (lines, "one|two|"), "pass %u: %s", pass, lines);
  }
  /* Another size or time: not the file any more. */
  const int fd = open (path, O_WRONLY | O_APPEND);
  CU_ASSERT (write (fd, "three\n", 6) == 6);
  close (fd);
  CU_ASSERT (byte_stream_new (source, &error) == NULL && error && strstr (error->message, "changed"));
  byte_source_unref (source);
  g_unlink (path);
  g_rmdir (directory);
}

static void test_pipe (void)
{
  int ends[2];
  CU_ASSERT_FATAL (pipe (ends) == 0);
  CU_ASSERT (write (ends[1], "a\nb\n", 4) == 4);
  close (ends[1]);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", ends[0]);
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_open (path, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (source);
  for (unsigned pass = 0; pass < 2; pass++) {
    g_autofree char *lines = lines_of (source, &error);
    ROW_CHECK (!g_strcmp0 (lines, "a|b|"), "pass %u: %s", pass, lines);
  }
  byte_source_unref (source);
  close (ends[0]);
}

static void test_quote (void)
{
  g_autofree char *quoted = input_quote ("a\x1b[1m\n\t\"\\\xc3\xa4\x7f", 12, 100);
  CU_ASSERT_STRING_EQUAL (quoted, "a\\x1b[1m\\x0a\\t\\\"\\\\\\xc3\\xa4\\x7f");
  g_autofree char *cut = input_quote ("abcdef", 6, 3);
  CU_ASSERT_STRING_EQUAL (cut, "abc...");
  static const char *const words[] = { "iodepth", "ioengine", "bs", NULL };
  CU_ASSERT_STRING_EQUAL (input_nearest ("iodeth", words), "iodepth");
  CU_ASSERT_STRING_EQUAL (input_nearest ("ba", words), "bs");
  CU_ASSERT_PTR_NULL (input_nearest ("something", words));
}

void register_byte_stream_tests (void);
void register_byte_stream_tests (void)
{
  static CU_TestInfo tests[] = {
    { "lines", test_lines },
    { "lengths of lines", test_lengths },
    { "many lines", test_many_lines },
    { "members of packed files", test_members },
    { "memory of unpackers", test_window },
    { "packed files that swell", test_swelling },
    { "refused by magic", test_refused },
    { "files", test_files },
    { "pipe", test_pipe },
    { "quoting and nearest words", test_quote },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "byte_stream", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
