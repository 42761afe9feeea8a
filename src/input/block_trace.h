/*
 * Block traces as workloads: the requests that reached a block device, from binary blktrace (also the parts of several
 * CPUs, merged by time) or the text of blkparse.
 *
 * A request arrives when it is queued (Q) or, if asked for, when it is issued to the driver (D); fio takes Q.
 * Discards are trims; a request that flushes first is a sync, and if it carries data a read or write behind it (fio
 * drops the data).  Requests of zero bytes that flush nothing are left out and counted.  Each device is a file.
 * Latencies are from Q to C and from D to C, found by device and offset: a merged request completes for all it holds.
 */
#ifndef BLOCK_TRACE_H
#define BLOCK_TRACE_H

#include "src/input/trace.h"

typedef enum { BLOCK_EVENT_QUEUE, BLOCK_EVENT_ISSUE } BlockArrival;

#define BLOCK_TRACE_SOURCES_LIMIT 1024u      /* files of a set */
#define BLOCK_TRACE_DEVICES_LIMIT 4096u
#define BLOCK_TRACE_OPEN_LIMIT    (1u << 16) /* requests in flight whose latency is kept */

/* `sources`: n files of one trace, referenced; `text`: of blkparse.  INPUT_ERROR. (transfer full) */
Trace *block_trace_open (ByteSource *const *sources, unsigned n, gboolean text, gboolean lenient, BlockArrival arrival,
                         GError **error);

#endif
