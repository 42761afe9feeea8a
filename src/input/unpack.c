/* See unpack.h. */
#include "src/input/unpack.h"

#include <gio/gio.h>
#include <lzma.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define XZ_MEMORY_MAX (UINT64_C (128) << 20)
#define ZSTD_WINDOW_LOG_MAX 27

static const struct {
  const char *name;
  guchar magic[PACKING_MAGIC_MAX];
  gsize magic_len;
  gboolean padding;
} packings[PACKINGS] = {
  [PACKING_GZIP] = { "gzip", { 0x1f, 0x8b }, 2, TRUE },
  [PACKING_XZ] = { "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, TRUE },
  [PACKING_ZSTD] = { "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, FALSE },
};

Packing packing_of (const void *head, gsize len)
{
  const guchar *bytes = head;

  for (unsigned p = PACKING_NONE + 1; p < PACKINGS; p++) {
    if (len >= packings[p].magic_len && memcmp (bytes, packings[p].magic, packings[p].magic_len) == 0) {
      return (Packing) p;
    }
  }
  /* A skippable frame of zstd, as pzstd writes them in front: 0x184d2a50 to 0x184d2a5f. */
  return len >= 4 && bytes[0] >= 0x50 && bytes[0] <= 0x5f && memcmp (bytes + 1, "\x2a\x4d\x18", 3) == 0 ? PACKING_ZSTD
                                                                                                        : PACKING_NONE;
}

const char *packing_name (Packing packing) { return packings[packing].name; }

gboolean packing_has_padding (Packing packing) { return packings[packing].padding; }

struct Unpacker {
  Packing packing;
  GConverter *zlib;   /* PACKING_GZIP */
  lzma_stream lzma;   /* PACKING_XZ */
  ZSTD_DStream *zstd; /* PACKING_ZSTD */
};

static void start_lzma (Unpacker *unpacker)
{
  const lzma_stream fresh = LZMA_STREAM_INIT;

  unpacker->lzma = fresh;
  if (lzma_stream_decoder (&unpacker->lzma, XZ_MEMORY_MAX, 0) != LZMA_OK) {
    g_error ("no memory for an xz decoder");
  }
}

Unpacker *unpacker_new (Packing packing)
{
  Unpacker *unpacker = g_new0 (Unpacker, 1);

  unpacker->packing = packing;
  if (packing == PACKING_GZIP) {
    unpacker->zlib = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  } else if (packing == PACKING_XZ) {
    start_lzma (unpacker);
  } else {
    unpacker->zstd = ZSTD_createDStream ();
    if (!unpacker->zstd) {
      g_error ("no memory for a zstd decoder");
    }
    ZSTD_DCtx_setParameter (unpacker->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
  }
  return unpacker;
}

void unpacker_free (Unpacker *unpacker)
{
  if (!unpacker) {
    return;
  }
  g_clear_object (&unpacker->zlib);
  if (unpacker->packing == PACKING_XZ) {
    lzma_end (&unpacker->lzma);
  }
  ZSTD_freeDStream (unpacker->zstd); /* accepts NULL */
  g_free (unpacker);
}

void unpacker_reset (Unpacker *unpacker)
{
  if (unpacker->zlib) {
    g_converter_reset (unpacker->zlib);
  } else if (unpacker->packing == PACKING_XZ) {
    lzma_end (&unpacker->lzma);
    start_lzma (unpacker);
  } else {
    ZSTD_DCtx_reset (unpacker->zstd, ZSTD_reset_session_only);
  }
}

static UnpackResult step_gzip (Unpacker *unpacker, const void *in, gsize in_len, gboolean at_end, void *out,
                               gsize out_len, gsize *ret_used, gsize *ret_made)
{
  g_autoptr (GError) cause = NULL;
  const GConverterResult result =
      g_converter_convert (unpacker->zlib, in, in_len, out, out_len,
                           at_end ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS, ret_used, ret_made, &cause);

  if (result != G_CONVERTER_ERROR) {
    return result == G_CONVERTER_FINISHED ? UNPACK_MEMBER_ENDS : UNPACK_GOES_ON;
  }
  return g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT) ? UNPACK_STARVED : UNPACK_DAMAGED;
}

static UnpackResult step_xz (Unpacker *unpacker, const void *in, gsize in_len, void *out, gsize out_len,
                             gsize *ret_used, gsize *ret_made)
{
  lzma_stream *stream = &unpacker->lzma;
  lzma_ret result;

  stream->next_in = in;
  stream->avail_in = in_len;
  stream->next_out = out;
  stream->avail_out = out_len;
  result = lzma_code (stream, LZMA_RUN);
  *ret_used = in_len - stream->avail_in;
  *ret_made = out_len - stream->avail_out;
  if (result == LZMA_STREAM_END) {
    return UNPACK_MEMBER_ENDS;
  }
  if (result == LZMA_MEMLIMIT_ERROR) {
    return UNPACK_TOO_LARGE;
  }
  if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
    return UNPACK_DAMAGED;
  }
  return *ret_used || *ret_made ? UNPACK_GOES_ON : UNPACK_STARVED;
}

static UnpackResult step_zstd (Unpacker *unpacker, const void *in, gsize in_len, void *out, gsize out_len,
                               gsize *ret_used, gsize *ret_made)
{
  ZSTD_inBuffer from = { in, in_len, 0 };
  ZSTD_outBuffer to = { out, out_len, 0 };
  const size_t left = ZSTD_decompressStream (unpacker->zstd, &to, &from);

  *ret_used = from.pos;
  *ret_made = to.pos;
  if (ZSTD_isError (left)) {
    return ZSTD_getErrorCode (left) == ZSTD_error_frameParameter_windowTooLarge ? UNPACK_TOO_LARGE : UNPACK_DAMAGED;
  }
  if (left == 0) {
    return UNPACK_MEMBER_ENDS;
  }
  return from.pos || to.pos ? UNPACK_GOES_ON : UNPACK_STARVED;
}

UnpackResult unpacker_step (Unpacker *unpacker, const void *in, gsize in_len, gboolean at_end, void *out, gsize out_len,
                            gsize *ret_used, gsize *ret_made)
{
  *ret_used = *ret_made = 0;
  if (unpacker->zlib) {
    return step_gzip (unpacker, in, in_len, at_end, out, out_len, ret_used, ret_made);
  }
  return unpacker->zstd ? step_zstd (unpacker, in, in_len, out, out_len, ret_used, ret_made)
                        : step_xz (unpacker, in, in_len, out, out_len, ret_used, ret_made);
}
