/*
 * What fio logs of each I/O (write_lat_log, write_bw_log, write_iops_log, log_offset=1, nothing averaged), in the
 * columns of fio 3.33, written while the run goes on:
 *
 *   TIME ms since the job's start, VALUE, DIRECTION (0 read, 1 write, 2 trim), BS bytes, OFFSET bytes, PRIO 0
 *
 * VALUE: ns of latency; KB/s for bandwidth (bytes * 1000000 / ns of clat); 1 for IOPS.  Files PREFIX_KIND.N.log, N the
 * number of the stream from 1; KIND as in IO_LOG_KINDS.  As with fio, syncs and what failed are in none, and a
 * synchronous engine has no slat.
 */
#ifndef IO_LOG_H
#define IO_LOG_H

#include "model/life.h"

/* X(enumerator, KIND) */
#define IO_LOG_KINDS(X) \
  X (IO_LOG_LAT, "lat") X (IO_LOG_CLAT, "clat") X (IO_LOG_SLAT, "slat") X (IO_LOG_BW, "bw") X (IO_LOG_IOPS, "iops")
#define IO_LOG_ENUM(id, word) id,
typedef enum { IO_LOG_KINDS (IO_LOG_ENUM) IO_LOG_KIND_COUNT } IoLogKind;

#define IO_LOG_STREAMS_MAX 128u        /* each has its files open */

typedef struct IoLog IoLog;

/* `streams`: 1 .. IO_LOG_STREAMS_MAX. (transfer full); NULL with a G_FILE_ERROR, and no file is left. */
IoLog   *io_log_new (const char *prefix, unsigned streams, GError **error);
/* A LifeFn; `log` is the IoLog. */
void     io_log_add (const RequestLife *life, void *log);
/* Closes the files and gives them their names; those behind one that fails do not appear.  FALSE: G_FILE_ERROR. */
gboolean io_log_finish (IoLog *log, GError **error);
/* What is not finished is removed.  Accepts NULL. */
void     io_log_free (IoLog *log);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IoLog, io_log_free)

#endif
