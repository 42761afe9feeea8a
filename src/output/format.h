/*
 * Numbers as people read them, the same in every locale.  All results are (transfer full).
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <glib.h>
#include <stdint.h>

/* Three significant digits with a unit: "812 ns", "39.1 us", "1.20 ms", "3.00 s". */
char *format_time (double ns);
/* The same without the unit, in microseconds: "0.812", "39.1", "1200". */
char *format_us (double ns);
/* 1234567 -> "1,234,567". */
char *format_count (uint64_t value);
/* A rate in three digits: "560 k", "1.23 M", "87.2". */
char *format_rate (double per_second);
/* 0.482 -> "48.2 %". */
char *format_share (double fraction);
/* Signed, for errors: 0.031 -> "+3.1 %". */
char *format_error (double fraction);
char *format_fixed (double value, int decimals);
/* Bytes in binary units: "4 KiB", "16.5 MiB". */
char *format_bytes (double bytes);
/* KERNEL (6, 3) -> "6.3". */
char *format_kernel (unsigned kernel);
/* "1.85 +-0.02", or "1.85" if the half width is not known (negative). */
char *format_ratio (double value, double half_width);

#endif
