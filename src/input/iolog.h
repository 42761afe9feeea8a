/*
 * fio's iolog, versions 2 and 3: what other programs asked of their files, one
 * line a request.
 *
 * Reading is done in two steps.  iolog_open() makes a first pass over the whole log:
 * it checks every line, counts, and learns the files.  Each run then streams the
 * log again through an IoSource; memory does not grow with the length of the log
 * (except under IOLOG_ORDER_SORT, up to a stated limit).
 *
 * An Iolog is immutable: many threads may replay it at once.
 */
#ifndef IOLOG_H
#define IOLOG_H

#include "model/workload.h"
#include "src/input/byte_stream.h"

/* How an amount of time in a v2 `wait` line is meant. */
typedef enum { IOLOG_WAIT_FIO, IOLOG_WAIT_REL_US, IOLOG_WAIT_REL_MS } IologWait;
/* What a time stamp smaller than the one before means. */
typedef enum { IOLOG_ORDER_ASIS, IOLOG_ORDER_SORT, IOLOG_ORDER_SEGMENT } IologOrder;
/* How several logs in one file (a second version line) are put together. */
typedef enum { IOLOG_SEGMENTS_SEQUENTIAL, IOLOG_SEGMENTS_PARALLEL, IOLOG_SEGMENTS_FIRST } IologSegments;
typedef enum { IOLOG_UNIT_US, IOLOG_UNIT_NS, IOLOG_UNIT_MS } IologUnit;

/* The words of the command line; FALSE if `word` is none of them. */
gboolean iolog_wait_parse (const char *word, IologWait *ret_wait);              /* fio rel-us rel-ms */
gboolean iolog_order_parse (const char *word, IologOrder *ret_order);           /* asis sort segment */
gboolean iolog_segments_parse (const char *word, IologSegments *ret_segments);  /* sequential parallel first */
gboolean iolog_unit_parse (const char *word, IologUnit *ret_unit);              /* us ns ms */
const char *iolog_wait_name (IologWait wait);
const char *iolog_order_name (IologOrder order);
const char *iolog_segments_name (IologSegments segments);
const char *iolog_unit_name (IologUnit unit);

/* All zero: strict, as fio reads it. */
typedef struct {
  gboolean lenient;            /* skip and count defective lines instead of failing */
  unsigned version;            /* 0: as the version line says; 2 or 3: whatever it says */
  IologWait wait;
  IologOrder order;
  IologSegments segments;
  IologUnit unit;              /* of v3 time stamps */
} IologOptions;

#define IOLOG_SORT_LIMIT   (G_GUINT64_CONSTANT (1) << 20)    /* requests that order sort holds, 56 bytes each */
#define IOLOG_FILES_LIMIT  (1u << 18)                        /* different file names */
#define IOLOG_NAME_LIMIT   4096u                             /* bytes of one name */
#define IOLOG_SEGMENTS_LIMIT 1024u                           /* streams of IOLOG_SEGMENTS_PARALLEL */
#define IOLOG_DEFECTS_KEPT 1000u

/* What the first pass learned: the keys of `trace info`. */
typedef struct {
  unsigned version;                   /* 2 or 3 */
  uint64_t lines;
  uint64_t reads, read_bytes, writes, write_bytes, trims, trim_bytes;
  uint64_t first_trim;                /* its line; 0: there is none */
  uint64_t syncs, datasyncs, range_syncs, fs_syncs;    /* `syncs` counts them all, the others are parts of it */
  uint64_t waits, adds, opens, closes;
  uint64_t files;                     /* different names */
  uint64_t max_end;                   /* highest offset + length */
  gboolean has_times;                 /* v3, or v2 with `wait` lines */
  uint64_t first_ns, last_ns, span_ns;  /* smallest and largest time stamp, and their distance; 0 if there are none */
  uint64_t first_io_ns;               /* stamp of the first request */
  uint64_t duration_ns;               /* arrival of the last request under the chosen order and composition */
  uint64_t back_steps;                /* stamps smaller than the one before, across segments too */
  uint64_t segments;                  /* version lines */
  uint64_t skipped;                   /* defective lines left out (lenient) */
  uint64_t implicit_files;            /* files used before add or open (lenient) */
  uint64_t zero_lengths, large_lengths, trailing_words, comments;
  gboolean cut_end, bom, crlf, leading_blank;
  GPtrArray *defects;                 /* of char *: "FILE:LINE: ..." of the first IOLOG_DEFECTS_KEPT lines that are
                                       * refused if strict: left out, or taken as meant */
  uint64_t n_defects;                 /* all of them */
  GPtrArray *warnings;                /* of char *, in fixed order */
} IologInfo;

typedef struct Iolog Iolog;

/* First pass.  A defect is INPUT_ERROR_DATA with "FILE:LINE:" (strict), as is a log without a request.
 * (transfer full) */
Iolog *iolog_open (ByteSource *source, const IologOptions *options, GError **error);
Iolog *iolog_ref (Iolog *iolog);
void   iolog_unref (Iolog *iolog);                       /* accepts NULL */
const IologInfo    *iolog_info (const Iolog *iolog);
const IologOptions *iolog_options (const Iolog *iolog);

/* Files, in order of appearance: index 0 .. info->files - 1. */
const char *iolog_file_name (const Iolog *iolog, uint32_t file);
uint64_t    iolog_file_end (const Iolog *iolog, uint32_t file);       /* highest offset + length on it */
/* Streams: 1, or one per segment under IOLOG_SEGMENTS_PARALLEL. */
unsigned    iolog_streams (const Iolog *iolog);
uint64_t    iolog_stream_ios (const Iolog *iolog, unsigned stream);   /* requests, syncs included */

/* How a replaying fio job changes the log (replay_* options); all zero: not at all. */
typedef struct {
  gboolean no_stall;           /* all arrivals are 0 */
  unsigned time_scale;         /* percent of the original rate; 0: 100 */
  uint64_t align;              /* offsets rounded down to a multiple; 0: none */
  uint64_t scale;              /* offsets divided by it; 0: 1 */
  gboolean skip[IO_OPS];       /* replay_skip; their gaps are lost */
} IologReplay;

/* What iolog_open_stream() needs: one stream of a log, its files mapped to those of a workload. */
typedef struct {
  Iolog      *iolog;           /* a reference */
  unsigned    stream;
  uint32_t   *files;           /* (array) by file of the log: index in the workload */
  IologReplay replay;
  uint64_t    ios;             /* requests after replay.skip */
} IologStream;

/* `files` is copied (info->files elements).  (transfer full) */
IologStream *iolog_stream_new (Iolog *iolog, unsigned stream, const uint32_t *files, const IologReplay *replay);
/* "FILE:LINE" of the first trim that the stream replays. (transfer full); NULL if there is none. */
char *iolog_stream_trims_at (const IologStream *stream);
void         iolog_stream_free (IologStream *stream);    /* accepts NULL */
/* The IoSourceOpen of a job whose closure is an IologStream.  INPUT_ERROR_DATA if the log changed
 * since iolog_open(). */
IoSource    *iolog_stream_open (gconstpointer stream, GError **error);

#endif
