/* Checks of table-driven tests: a failure says which row it was, and what was found. */
#ifndef ROW_H
#define ROW_H

#include <CUnit/CUnit.h>
#include <glib.h>

/* ROW_CHECK (condition, format, ...): CUnit's assertion with a message of one's own. */
#define ROW_CHECK(condition, ...) row_check (!!(condition), #condition, __FILE__, __LINE__, __VA_ARGS__)

/* For the message of a row: what the error says. */
static inline const char *row_error (const GError *error) { return error ? error->message : "no error"; }

static inline gboolean G_GNUC_PRINTF (5, 6)
    row_check (gboolean ok, const char *condition, const char *file, unsigned line, const char *format, ...)
{
  g_autofree char *row = NULL, *message = NULL;
  va_list args;

  va_start (args, format);
  row = g_strdup_vprintf (format, args);
  va_end (args);
  message = g_strdup_printf ("%s [%s]", condition, row);
  CU_assertImplementation (ok ? CU_TRUE : CU_FALSE, line, message, file, "", CU_FALSE);
  return ok;
}

#endif
