/*
 * Numbers and times of fio job files.  See fio_job.h; the table of suffixes is in the tests.
 */
#include "src/input/fio_job.h"
#include "src/input/input_error.h"
#include <string.h>

static gboolean fail (GError **error, const char *format, const char *text)
{
  g_autofree char *quoted = input_quote (text, strlen (text), 60);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, format, quoted);
  return FALSE;
}

/* Digits, decimal or 0x; *ret_end behind them.  FALSE with error set. */
static gboolean parse_digits (const char *text, uint64_t *ret_value, const char **ret_end, GError **error)
{
  if (*text == '-' || *text == '+') {
    return fail (error, "\"%s\" has a sign; expected a number such as 4k", text);
  }
  const gboolean hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && g_ascii_isxdigit (text[2]);
  const unsigned base = hex ? 16 : 10;
  const char *p = hex ? text + 2 : text;
  if (!g_ascii_isxdigit (*p) || (!hex && !g_ascii_isdigit (*p))) {
    return fail (error,
                 *text ? "\"%s\" is no number; expected one such as 4k" : "no value%s; expected a number such as 4k",
                 text);
  }
  uint64_t value = 0;
  for (; hex ? g_ascii_isxdigit (*p) : g_ascii_isdigit (*p); p++) {
    if (__builtin_mul_overflow (value, base, &value) ||
        __builtin_add_overflow (value, (uint64_t) g_ascii_xdigit_value (*p), &value)) {
      return fail (error, "\"%s\" passes 2^64-1", text);
    }
  }
  *ret_value = value;
  *ret_end = p;
  return TRUE;
}

/* The factor of a suffix, 0 if it is none.  *ret_unusual: "ki" and "kib", which fio reads the other way round. */
static uint64_t suffix_factor (const char *suffix, unsigned kb_base, gboolean *ret_unusual)
{
  static const char units[] = "kmgtp";
  g_autofree char *lower = g_ascii_strdown (suffix, -1);
  *ret_unusual = FALSE;
  if (!*lower || !strcmp (lower, "b")) {
    return 1;
  }
  const char *unit = strchr (units, *lower);
  if (!unit) {
    return 0;
  }
  const char *rest = lower + 1;
  unsigned base = kb_base;
  if (!strcmp (rest, "ib")) {
    base = kb_base == 1000 ? 1024 : 1000;
    *ret_unusual = TRUE;
  } else if (!strcmp (rest, "i")) {
    *ret_unusual = TRUE;
  } else if (*rest && strcmp (rest, "b")) {
    return 0;
  }
  uint64_t factor = 1;
  for (gssize i = 0; i <= unit - units; i++) {
    factor *= base;
  }
  return factor;
}

gboolean fio_number_parse (const char *text, unsigned kb_base, gboolean lenient, uint64_t *ret_value,
                           gboolean *ret_unusual, GError **error)
{
  uint64_t value;
  const char *suffix;
  *ret_unusual = FALSE;
  if (!parse_digits (text, &value, &suffix, error)) {
    return FALSE;
  }
  uint64_t factor = suffix_factor (suffix, kb_base, ret_unusual);
  if (factor == 0) {
    if (!lenient) {
      return fail (error,
                   *suffix == '.' ? "\"%s\" has a fraction, which fio drops; expected a whole number"
                                  : "\"%s\" has an unknown suffix; expected k, m, g, t or p",
                   text);
    }
    /* fio looks at the first letter only, and gives no error for one that it does not know */
    const char first[2] = { *suffix, 0 };
    factor = suffix_factor (first, kb_base, ret_unusual);
    factor = factor ? factor : 1;
    *ret_unusual = TRUE;
  }
  if (__builtin_mul_overflow (value, factor, ret_value)) {
    return fail (error, "\"%s\" passes 2^64-1", text);
  }
  return TRUE;
}

gboolean fio_time_parse (const char *text, uint64_t unit_ns, uint64_t *ret_ns, GError **error)
{
  static const struct {
    const char *suffix;
    uint64_t ns;
  } units[] = {
    { "d", 86400 * UR_S }, { "day", 86400 * UR_S }, { "h", 3600 * UR_S }, { "hour", 3600 * UR_S },
    { "m", 60 * UR_S },    { "min", 60 * UR_S },    { "s", UR_S },        { "sec", UR_S },
    { "ms", UR_MS },       { "msec", UR_MS },       { "us", UR_US },      { "usec", UR_US },
  };
  uint64_t value;
  const char *suffix;
  if (!parse_digits (text, &value, &suffix, error)) {
    return FALSE;
  }
  uint64_t factor = *suffix ? 0 : unit_ns;
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (!g_ascii_strcasecmp (suffix, units[i].suffix)) {
      factor = units[i].ns;
    }
  }
  if (factor == 0) {
    return fail (error,
                 *suffix == '.' ? "\"%s\" has a fraction, which fio drops; expected a whole number"
                                : "\"%s\" has an unknown unit; expected us, ms, s, m, h or d",
                 text);
  }
  if (__builtin_mul_overflow (value, factor, ret_ns) || *ret_ns > G_MAXINT64) {
    return fail (error, "\"%s\" passes 292 years", text);
  }
  return TRUE;
}
