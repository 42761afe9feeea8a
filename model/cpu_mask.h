/*
 * A set of CPUs, as sched_setaffinity(2) takes it.  Stands for struct cpumask (include/linux/cpumask.h; 5.1 to
 * 6.18), at most 1024 CPUs.
 */
#ifndef CPU_MASK_H
#define CPU_MASK_H

#include <glib.h>

#define CPU_MASK_CPUS 1024u

typedef struct { guint64 word[CPU_MASK_CPUS / 64]; } CpuMask;

static inline gboolean cpu_mask_has (const CpuMask *mask, unsigned cpu)
{
  return cpu < CPU_MASK_CPUS && (mask->word[cpu / 64] >> cpu % 64 & 1);
}
static inline void cpu_mask_add (CpuMask *mask, unsigned cpu)
{
  g_assert (cpu < CPU_MASK_CPUS);
  mask->word[cpu / 64] |= (guint64) 1 << cpu % 64;
}
gboolean cpu_mask_is_empty (const CpuMask *mask);
/* The lowest CPU of the set that is at least `from`; CPU_MASK_CPUS if there is none. */
unsigned cpu_mask_next (const CpuMask *mask, unsigned from);

typedef enum { CPU_MASK_ERROR_SYNTAX } CpuMaskError;
#define CPU_MASK_ERROR (cpu_mask_error_quark ())
GQuark   cpu_mask_error_quark (void);
/* The kernel's list format: "0-3,8".  FALSE with error set if it is none, or names a CPU from CPU_MASK_CPUS up. */
gboolean cpu_mask_parse (const char *list, CpuMask *ret_mask, GError **error);

#endif
