/* See cpu_mask.h.  Stands for cpumask_next(), cpulist_parse(). */
#include "model/cpu_mask.h"

G_DEFINE_QUARK (cpu - mask - error - quark, cpu_mask_error)

unsigned cpu_mask_next (const CpuMask *mask, unsigned from)
{
  while (from < CPU_MASK_CPUS && !cpu_mask_has (mask, from))
    from++;
  return from;
}

gboolean cpu_mask_is_empty (const CpuMask *mask) { return cpu_mask_next (mask, 0) == CPU_MASK_CPUS; }

/* One CPU number at *text, which moves behind it. */
static gboolean parse_cpu (const char **text, unsigned *ret_cpu)
{
  unsigned cpu = 0;

  if (!g_ascii_isdigit (**text))
    return FALSE;
  for (; g_ascii_isdigit (**text) && cpu < CPU_MASK_CPUS; (*text)++)
    cpu = cpu * 10 + (unsigned) g_ascii_digit_value (**text);
  *ret_cpu = cpu;
  return cpu < CPU_MASK_CPUS;
}

gboolean cpu_mask_parse (const char *list, CpuMask *ret_mask, GError **error)
{
  CpuMask mask = { { 0 } };
  const char *at = list;

  for (;;) {
    unsigned first, last;

    if (!parse_cpu (&at, &first))
      break;
    last = first;
    if (*at == '-' && (at++, !parse_cpu (&at, &last)))
      break;
    if (last < first)
      break;
    for (unsigned cpu = first; cpu <= last; cpu++)
      cpu_mask_add (&mask, cpu);
    if (*at == '\0') {
      *ret_mask = mask;
      return TRUE;
    }
    if (*at++ != ',')
      break;
  }
  g_autofree char *shown = g_strescape (list, NULL);
  g_set_error (error, CPU_MASK_ERROR, CPU_MASK_ERROR_SYNTAX,
               "\"%.60s\" is no list of CPUs; expected CPUs from 0 to %u such as 0-3,8", shown, CPU_MASK_CPUS - 1);
  return FALSE;
}
