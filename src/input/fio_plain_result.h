/*
 * Results of fio that are no JSON: its terse lines (--minimal, --output-format=terse, versions 2 to 5), its normal text
 * (from 3.0 on), and logs of histograms (write_hist_log).
 *
 * None of them says the options of its jobs, so that a job file must stand beside it to run them again: the sections of
 * the Measurement are empty.
 */
#ifndef FIO_PLAIN_RESULT_H
#define FIO_PLAIN_RESULT_H

#include "src/input/measurement.h"

#define FIO_PLAIN_GROUPS_LIMIT 1024u

/* One Measurement for each group, in order of appearance; figures of several lines of one group are sums.  Terse lines do
 * not count I/Os: MeasuredOp.ios is IOPS times runtime, exact to one part in IOPS.  Lines that are no terse result
 * (descriptions, messages) are skipped.  INPUT_ERROR. (transfer full) (element-type Measurement) */
GPtrArray *fio_terse_read (ByteSource *source, GError **error);
/* The same of the text that fio prints. IOPS are I/Os by runtime where that agrees with the four figures printed. */
GPtrArray *fio_text_read (ByteSource *source, GError **error);
/* One Measurement: I/Os of each direction by completion latency (clat.bins), rates over the time of the last row.  How
 * coarse the bins are (log_hist_coarseness) is told by the number of columns; fio before 3.0 counts in microseconds. */
GPtrArray *fio_hist_log_read (ByteSource *source, GError **error);

/* Whether the line can be the first of each kind. */
gboolean   fio_terse_is_line (const char *text, gsize length);
gboolean   fio_hist_log_is_start (const char *text, gsize length);

#endif
