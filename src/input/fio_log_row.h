/*
 * One line of a fio log, and which forms of it fit.  See fio_log.h.
 */
#ifndef FIO_LOG_ROW_H
#define FIO_LOG_ROW_H

#include <glib.h>
#include <stdint.h>

enum { FIO_LOG_COLUMNS_MAX = 8, FIO_LOG_FORMS = 10 };

typedef struct {
  unsigned n;                  /* columns */
  uint64_t value[FIO_LOG_COLUMNS_MAX];
  unsigned hex;                /* bit i: column i is written 0x... */
} FioLogColumns;

typedef struct {
  uint64_t time;               /* ms */
  uint64_t value, max;         /* max: 0 if there is none */
  unsigned direction;          /* 0 read, 1 write, 2 trim */
  uint64_t bs, offset, issue;  /* 0 if there is none */
} FioLogRow;

/* NULL, or what was expected. (static) */
const char *fio_log_parse (const char *text, unsigned length, FioLogColumns *ret_columns);
/* Bit i: form i (index in FIO_LOG_COLUMNS) can be meant. */
unsigned    fio_log_forms (const FioLogColumns *columns);
void        fio_log_row (const FioLogColumns *columns, unsigned form, FioLogRow *ret_row);

gboolean    fio_log_form_has_offset (unsigned form);
gboolean    fio_log_form_has_max (unsigned form);
gboolean    fio_log_form_has_issue (unsigned form);
const char *fio_log_form_name (unsigned form);

#endif
