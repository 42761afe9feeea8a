/*
 * fio's per-I/O logs (write_lat_log, write_bw_log, write_iops_log) as traces: one line a request that completed, or, in
 * an averaged log, one line a window.
 *
 *   TIME, VALUE, [MAX,] DIRECTION, BS [, OFFSET] [, PRIO] [, ISSUE]
 *
 * TIME is milliseconds since the job's start.  Which columns there are depends on version and options of fio and is
 * nowhere written: every line must fit, and if more than one form fits them all, the caller has to say which.
 * A log names no file: all requests are on one.  Syncs are never logged.
 */
#ifndef FIO_LOG_H
#define FIO_LOG_H

#include "src/input/trace.h"

/* X(name, has MAX, OFFSET, PRIO, ISSUE): the words of --log-columns for what stands beside the four columns that all
 * have.  fio 2.x to 3.17: none, offset; 3.18: with prio; 3.37: max (log_window_value=both); 3.38: issue. */
#define FIO_LOG_COLUMNS(X) \
  X ("none", 0, 0, 0, 0) X ("offset", 0, 1, 0, 0) X ("prio", 0, 0, 1, 0) X ("offset+prio", 0, 1, 1, 0) \
  X ("prio+issue", 0, 0, 1, 1) X ("offset+prio+issue", 0, 1, 1, 1) X ("max+prio", 1, 0, 1, 0) \
  X ("max+offset+prio", 1, 1, 1, 0) X ("max+prio+issue", 1, 0, 1, 1) X ("max+offset+prio+issue", 1, 1, 1, 1)
#define FIO_LOG_COLUMN_WORDS \
  "auto|none|offset|prio|offset+prio|prio+issue|offset+prio+issue|max+prio|max+offset+prio|max+prio+issue|" \
  "max+offset+prio+issue"

#define FIO_LOG_WINDOW  (1u << 16)     /* requests that may complete before one that was submitted earlier */
#define FIO_LOG_REPEATS (1u << 18)     /* different requests among which repeated ones are counted */

/* `columns`: 0: find out, else 1 + index in FIO_LOG_COLUMNS.  The kind of values (latency, ...) is taken from
 * the name.  INPUT_ERROR. (transfer full) */
Trace *fio_log_open (ByteSource *source, gboolean lenient, unsigned columns, GError **error);

#endif
