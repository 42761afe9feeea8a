/*
 * One pass over an iolog: lines become requests with a file, an arrival, and all
 * rules checked (files added and opened, versions, time).  Used by the
 * first pass, which also counts and learns the names, and by each replay.
 */
#ifndef IOLOG_READER_H
#define IOLOG_READER_H

#include "src/input/iolog.h"
#include "src/input/iolog_names.h"

/* Where a log in the file starts. */
typedef struct {
  uint64_t offset, line;       /* of the line behind the version line */
  unsigned version;
  uint64_t ios[IO_OPS];        /* requests in it */
  uint64_t first_trim;         /* its line; 0: there is none */
  uint64_t first_stamp, last_stamp;      /* ns: smallest of its lines, largest of its requests */
} IologSegment;

typedef struct {
  Io       io;                 /* file: index into names; arrival: under asis or segment */
  uint64_t delay;              /* ns that this line alone adds */
  uint64_t stamp;              /* ns, as written; 0 without times */
  uint32_t segment;            /* from 0 */
} IologRecord;

typedef struct IologReader IologReader;

/* The first pass: names are added, `info` is filled, segments (element-type IologSegment, nullable) are listed. The
 * pointers must outlive the reader.  (transfer full) */
IologReader *iolog_reader_new_first (ByteSource *source, const IologOptions *options, IologNames *names,
                                     IologInfo *info, GArray *segments, GError **error);
/* A later pass over one segment (only_segment) or all.  (transfer full) */
IologReader *iolog_reader_new_again (ByteSource *source, const IologOptions *options, const IologNames *names,
                                     const IologSegment *only_segment, GError **error);
void         iolog_reader_free (IologReader *reader);          /* accepts NULL */
/* The next request: 1, 0 at the end, -1 with error set. */
int          iolog_reader_next (IologReader *reader, IologRecord *ret_record, GError **error);

#endif
