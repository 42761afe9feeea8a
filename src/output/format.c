/* Numbers as text; see format.h.  "-" stands for a value that is not a number. */
#include "src/output/format.h"
#include "model/kernel_version.h"
#include <math.h>
#include <string.h>

char *format_fixed (double value, int decimals)
{
  char format[8], buffer[G_ASCII_DTOSTR_BUF_SIZE + 320];

  if (!isfinite (value)) {
    return g_strdup ("-");
  }
  g_snprintf (format, sizeof format, "%%.%df", CLAMP (decimals, 0, 9));
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, format, value));
}

/* Three significant digits, but never an exponent and all digits of what is above 1000. */
static char *three_digits (double value)
{
  const double size = fabs (value);

  return format_fixed (value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

char *format_time (double ns)
{
  static const struct {
    double limit, scale;
    const char *unit;
  } units[] = {
    { 999.5, 1, "ns" },
    { 999.5e3, 1e3, "us" },
    { 999.5e6, 1e6, "ms" },
    { HUGE_VAL, 1e9, "s" },
  };
  unsigned i = 0;

  if (!isfinite (ns)) {
    return g_strdup ("-");
  }
  while (fabs (ns) >= units[i].limit) {
    i++;
  }
  g_autofree char *digits = i == 0 ? format_fixed (ns, 0) : three_digits (ns / units[i].scale);
  return g_strconcat (digits, " ", units[i].unit, NULL);
}

char *format_us (double ns) { return ns == 0 ? g_strdup ("0") : three_digits (ns / 1e3); }

char *format_count (uint64_t value)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  GString *out = g_string_new (NULL);

  for (const char *p = digits; *p; p++) {
    if (p != digits && (digits + strlen (digits) - p) % 3 == 0) {
      g_string_append_c (out, ',');
    }
    g_string_append_c (out, *p);
  }
  return g_string_free (out, FALSE);
}

char *format_rate (double per_second)
{
  const double size = fabs (per_second);
  const double scale = size >= 999.5e3 ? 1e6 : size >= 999.5 ? 1e3 : 1;

  if (!isfinite (per_second)) {
    return g_strdup ("-");
  }
  g_autofree char *digits = three_digits (per_second / scale);
  return g_strconcat (digits, scale == 1e6 ? " M" : scale == 1e3 ? " k" : "", NULL);
}

char *format_share (double fraction)
{
  g_autofree char *digits = format_fixed (100 * fraction, 1);

  return isfinite (fraction) ? g_strconcat (digits, " %", NULL) : g_strdup ("-");
}

char *format_error (double fraction)
{
  g_autofree char *digits = format_fixed (100 * fraction, 1);

  return isfinite (fraction) ? g_strconcat (fraction >= 0 ? "+" : "", digits, " %", NULL) : g_strdup ("-");
}

char *format_bytes (double bytes)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  unsigned i = 0;

  while (bytes >= 1024 && i + 1 < G_N_ELEMENTS (units)) {
    bytes /= 1024;
    i++;
  }
  g_autofree char *digits = bytes == floor (bytes) ? format_fixed (bytes, 0) : three_digits (bytes);
  return g_strconcat (digits, " ", units[i], NULL);
}

char *format_kernel (unsigned kernel)
{
  return g_strdup_printf ("%u.%u", KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
}

char *format_ratio (double value, double half_width)
{
  g_autofree char *digits = format_fixed (value, fabs (value) >= 99.95 ? 1 : 3);

  if (half_width < 0 || !isfinite (half_width)) {
    return g_steal_pointer (&digits);
  }
  g_autofree char *width = format_fixed (half_width, fabs (value) >= 99.95 ? 1 : 3);
  return g_strconcat (digits, " +-", width, NULL);
}
