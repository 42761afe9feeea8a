/* See fio_log_row.h. */
#include "src/input/fio_log_row.h"
#include "src/input/fio_log.h"

typedef struct {
  const char *name;
  gboolean has_max, has_offset, has_prio, has_issue;
} Form;

static const Form forms[FIO_LOG_FORMS] = {
#define FIO_LOG_FORM(...) { __VA_ARGS__ },
  FIO_LOG_COLUMNS (FIO_LOG_FORM)
#undef FIO_LOG_FORM
};

gboolean fio_log_form_has_offset (unsigned form) { return forms[form].has_offset; }

gboolean fio_log_form_has_max (unsigned form) { return forms[form].has_max; }

gboolean fio_log_form_has_issue (unsigned form) { return forms[form].has_issue; }

const char *fio_log_form_name (unsigned form) { return forms[form].name; }

/* ---- text ---- */

/* Digits, or 0x and hexadecimal digits; returns what follows, NULL if there is no number or it passes 64 bits. */
static const char *parse_number (const char *p, const char *end, uint64_t *ret_number, gboolean *ret_hex)
{
  const unsigned base = end - p > 2 && p[0] == '0' && p[1] == 'x' ? 16 : 10;
  const char *start = p += base == 16 ? 2 : 0;
  uint64_t number = 0;
  while (p < end && (base == 16 ? g_ascii_isxdigit (*p) : g_ascii_isdigit (*p))) {
    if (__builtin_mul_overflow (number, (uint64_t) base, &number) ||
        __builtin_add_overflow (number, (uint64_t) g_ascii_xdigit_value (*p), &number)) {
      return NULL;
    }
    p++;
  }
  *ret_number = number;
  *ret_hex = base == 16;
  return p > start ? p : NULL;
}

static const char *skip_blanks (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t')) {
    p++;
  }
  return p;
}

const char *fio_log_parse (const char *text, unsigned length, FioLogColumns *ret_columns)
{
  const char *p = text, *end = text + length;
  *ret_columns = (FioLogColumns){ 0 };
  for (;;) {
    gboolean hex;
    uint64_t number;
    p = parse_number (skip_blanks (p, end), end, &number, &hex);
    if (!p) {
      return "unsigned numbers below 2^64 with commas between";
    }
    if (ret_columns->n == FIO_LOG_COLUMNS_MAX) {
      return "at most 8 columns (a histogram log, write_hist_log, is no list of requests)";
    }
    ret_columns->hex |= (unsigned) hex << ret_columns->n;
    ret_columns->value[ret_columns->n++] = number;
    p = skip_blanks (p, end);
    if (p == end) {
      return ret_columns->n < 4 ? "at least time, value, direction and bs" : NULL;
    }
    if (*p++ != ',') {
      return "unsigned numbers below 2^64 with commas between";
    }
  }
}

/* ---- forms ---- */

static unsigned columns_of (const Form *form)
{
  return 4u + (unsigned) form->has_max + (unsigned) form->has_offset + (unsigned) form->has_prio +
         (unsigned) form->has_issue;
}

static gboolean fits (const FioLogColumns *columns, const Form *form)
{
  if (columns->n != columns_of (form)) {
    return FALSE;
  }
  const unsigned direction = form->has_max ? 3 : 2, prio = direction + 2 + (unsigned) form->has_offset;
  if (columns->value[direction] > 2 || (columns->hex & ~(form->has_prio ? 1u << prio : 0))) {
    return FALSE;
  }
  if (form->has_prio && !(columns->hex >> prio & 1) && columns->value[prio] > 1) {
    return FALSE; /* the flag of the real-time class, unless log_prio prints it in hexadecimal */
  }
  /* The maximum of a window stands in averaged logs only, which have neither sizes nor offsets. */
  return !form->has_max || (columns->value[1] <= columns->value[2] && columns->value[4] == 0 &&
                            (!form->has_offset || columns->value[5] == 0));
}

unsigned fio_log_forms (const FioLogColumns *columns)
{
  unsigned mask = 0;
  for (unsigned i = 0; i < FIO_LOG_FORMS; i++) {
    mask |= (unsigned) fits (columns, &forms[i]) << i;
  }
  return mask;
}

void fio_log_row (const FioLogColumns *columns, unsigned form, FioLogRow *ret_row)
{
  const Form *row = &forms[form];
  const unsigned direction = row->has_max ? 3 : 2;
  *ret_row = (FioLogRow){ .time = columns->value[0],
                          .value = columns->value[1],
                          .max = row->has_max ? columns->value[2] : 0,
                          .direction = (unsigned) columns->value[direction],
                          .bs = columns->value[direction + 1],
                          .offset = row->has_offset ? columns->value[direction + 2] : 0,
                          .issue = row->has_issue ? columns->value[columns->n - 1] : 0 };
}
