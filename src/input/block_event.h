/*
 * Events of a block device as blktrace records them, whatever they were written as; and the readers that make them:
 * blktrace.c (binary records) and blkparse.c (text).
 *
 * Streaming: a reader holds a buffer and no more.  Times are nanoseconds since the start of the trace, offsets bytes.
 */
#ifndef BLOCK_EVENT_H
#define BLOCK_EVENT_H

#include "src/input/trace.h"

/* Those actions that matter here; all others are BLOCK_OTHER. */
typedef enum {
  BLOCK_OTHER,
  BLOCK_QUEUE,                 /* Q: handed to the block layer */
  BLOCK_ISSUE,                 /* D: handed to the driver, merged ones as one */
  BLOCK_COMPLETE,              /* C */
  BLOCK_MERGE,                 /* M, F: joins a request that is queued */
  BLOCK_NOTIFY                 /* a name, a message: no I/O */
} BlockAction;

typedef struct {
  BlockAction action;
  uint64_t time;
  uint64_t offset, bytes;
  uint32_t major, minor;
  gboolean write, discard, flush, fua;   /* flush: before the data, if there is any; none of the first two: a read */
  int      error;              /* of a completion; 0: done */
  uint64_t place;              /* line, or byte offset of the record */
} BlockEvent;

typedef struct BlockReader BlockReader;
struct BlockReader {
  int  (*next) (BlockReader *reader, BlockEvent *ret_event, GError **error);   /* 1, 0 at the end, -1 with error set */
  void (*free) (BlockReader *reader);
};

/* `info`: where defects are listed, the last record if it is cut, and the count of records (nullable: a later pass).
 * It must outlive the reader. (transfer full); NULL with error set. */
BlockReader *blktrace_reader_new (ByteSource *source, gboolean lenient, TraceInfo *info, GError **error);
BlockReader *blkparse_reader_new (ByteSource *source, gboolean lenient, TraceInfo *info, GError **error);

#endif
