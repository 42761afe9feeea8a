/*
 * Packed inputs: gzip, xz and zstd behind one interface.  A packed file is one or more members (gzip members, xz
 * streams, zstd frames) one after the other; each begins with a magic number.  The work is done by zlib through GIO, liblzma and
 * libzstd.  Memory is bounded: an xz stream that needs more than 128 MiB and a zstd frame with a window of more than 128 MiB
 * are refused.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <glib.h>

typedef enum { PACKING_NONE, PACKING_GZIP, PACKING_XZ, PACKING_ZSTD, PACKINGS } Packing;

/* How many leading bytes packing_of() wants to see. */
#define PACKING_MAGIC_MAX 6u
/* By the first bytes of a member. */
Packing     packing_of (const void *head, gsize len);
const char *packing_name (Packing packing);      /* "gzip"; NULL for PACKING_NONE */
/* Zeros between and behind members are padding. */
gboolean    packing_has_padding (Packing packing);

typedef struct Unpacker Unpacker;
Unpacker *unpacker_new (Packing packing);         /* one of the three (transfer full) */
void      unpacker_free (Unpacker *unpacker);     /* accepts NULL */
/* Before each member but the first. */
void      unpacker_reset (Unpacker *unpacker);

typedef enum {
  UNPACK_GOES_ON,       /* something was used or made */
  UNPACK_MEMBER_ENDS,
  UNPACK_STARVED,       /* it needs more input than it was given */
  UNPACK_DAMAGED,
  UNPACK_TOO_LARGE      /* needs more memory than it may have */
} UnpackResult;
/* Unpacks from `in` to `out`; ret_used and ret_made say how far it came.  `at_end`: nothing follows `in`. */
UnpackResult unpacker_step (Unpacker *unpacker, const void *in, gsize in_len, gboolean at_end, void *out, gsize out_len,
                            gsize *ret_used, gsize *ret_made);

#endif
