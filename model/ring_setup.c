/* See ring_setup.h. */
#include "model/ring_setup.h"

#include "model/kernel_version.h"

#include <string.h>

#define IORING_MAX_ENTRIES_BEFORE_5_4 4096u
#define IORING_MAX_ENTRIES 32768u

G_DEFINE_QUARK (ring - setup - error - quark, ring_setup_error)

/* X(member, name, bit of IORING_SETUP_*, first kernel) */
#define RING_FLAGS(X)                                   \
  X (sqpoll, "sqpoll", 1, KERNEL (5, 1))                \
  X (sq_aff, "sq-aff", 2, KERNEL (5, 1))                \
  X (iopoll, "iopoll", 0, KERNEL (5, 1))                \
  X (cqsize, "cqsize", 3, KERNEL (5, 5))                \
  X (clamp, "clamp", 4, KERNEL (5, 6))                  \
  X (attach_wq, "attach-wq", 5, KERNEL (5, 6))          \
  X (submit_all, "submit-all", 7, KERNEL (5, 18))       \
  X (coop_taskrun, "coop-taskrun", 8, KERNEL (5, 19))   \
  X (taskrun_flag, "taskrun-flag", 9, KERNEL (5, 19))   \
  X (single_issuer, "single-issuer", 12, KERNEL (6, 0)) \
  X (defer_taskrun, "defer-taskrun", 13, KERNEL (6, 1)) \
  X (hybrid_iopoll, "hybrid-iopoll", 17, KERNEL (6, 13))
static const struct {
  size_t offset;
  const char *name;
  unsigned bit, since;
} ring_flags[] = {
#define RING_FLAG(member, name, bit, since) { G_STRUCT_OFFSET (RingFlags, member), name, bit, since },
  RING_FLAGS (RING_FLAG)
};

static gboolean flag_is_set (const RingFlags *flags, unsigned i)
{
  return G_STRUCT_MEMBER (gboolean, flags, ring_flags[i].offset);
}

gboolean ring_flags_set (RingFlags *flags, const char *name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (ring_flags); i++)
    if (strcmp (name, ring_flags[i].name) == 0) {
      G_STRUCT_MEMBER (gboolean, flags, ring_flags[i].offset) = TRUE;
      return TRUE;
    }
  return FALSE;
}

unsigned ring_flags_set_bits (RingFlags *flags, unsigned bits)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (ring_flags); i++) {
    const unsigned mask = 1u << ring_flags[i].bit;

    G_STRUCT_MEMBER (gboolean, flags, ring_flags[i].offset) |= (bits & mask) != 0;
    bits &= ~mask;
  }
  return bits;
}

const char *const *ring_flag_names (void)
{
#define RING_FLAG_NAME(member, name, bit, since) name,
  static const char *const names[] = { RING_FLAGS (RING_FLAG_NAME) NULL };

  return names;
}

char *ring_flags_text (const RingFlags *flags)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < G_N_ELEMENTS (ring_flags); i++)
    if (flag_is_set (flags, i))
      g_string_append_printf (text, "%s%s", text->len ? "," : "", ring_flags[i].name);
  if (!text->len)
    g_string_append (text, "default");
  return g_string_free (text, FALSE);
}

static gboolean G_GNUC_PRINTF (2, 3) einval (GError **error, const char *format, ...)
{
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, RING_SETUP_ERROR, RING_SETUP_ERROR_EINVAL, "io_uring_setup answers EINVAL: %s", why);
  return FALSE;
}

static gboolean flags_known (const RingFlags *flags, unsigned kernel, GError **error)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (ring_flags); i++)
    if (flag_is_set (flags, i) && kernel < ring_flags[i].since)
      return einval (error, "kernel %u.%u does not know %s, which exists since %u.%u", KERNEL_MAJOR (kernel),
                     KERNEL_MINOR (kernel), ring_flags[i].name, KERNEL_MAJOR (ring_flags[i].since),
                     KERNEL_MINOR (ring_flags[i].since));
  return TRUE;
}

/* Which flags go together. */
static gboolean flags_fit (const RingFlags *flags, GError **error)
{
  if (flags->sqpoll && (flags->coop_taskrun || flags->taskrun_flag || flags->defer_taskrun))
    return einval (error, "coop-taskrun, taskrun-flag and defer-taskrun do not go with sqpoll");
  if (flags->sq_aff && !flags->sqpoll)
    return einval (error, "sq-aff needs sqpoll");
  if (flags->taskrun_flag && !flags->coop_taskrun && !flags->defer_taskrun)
    return einval (error, "taskrun-flag needs coop-taskrun or defer-taskrun");
  if (flags->defer_taskrun && !flags->single_issuer)
    return einval (error, "defer-taskrun needs single-issuer");
  if (flags->hybrid_iopoll && !flags->iopoll)
    return einval (error, "hybrid-iopoll needs iopoll");
  return TRUE;
}

/* roundup_pow_of_two() of 1..G_MAXINT32 */
static unsigned power_of_two (unsigned n)
{
  unsigned size = 1;

  while (size < n)
    size *= 2;
  return size;
}

/* A number of entries as asked for; 0 and too many are errors. */
static gboolean entries_fit (const char *what, unsigned given, unsigned max, gboolean clamp, unsigned *ret_entries,
                             GError **error)
{
  if (given == 0)
    return einval (error, "0 %s entries", what);
  if (given > max && !clamp)
    return einval (error, "%u %s entries, at most %u without clamp", given, what, max);
  *ret_entries = power_of_two (MIN (given, max));
  return TRUE;
}

gboolean ring_setup_check (const RingSetup *setup, unsigned kernel, RingSizes *ret_sizes, GError **error)
{
  const RingFlags *flags = &setup->flags;
  unsigned max = kernel < KERNEL (5, 4) ? IORING_MAX_ENTRIES_BEFORE_5_4 : IORING_MAX_ENTRIES;
  RingSizes sizes;

  if (!flags_known (flags, kernel, error) || !flags_fit (flags, error) ||
      !entries_fit ("SQ", setup->entries, max, flags->clamp, &sizes.sq_entries, error))
    return FALSE;
  sizes.cq_entries = 2 * sizes.sq_entries;
  if (flags->cqsize) {
    unsigned given = setup->cq_entries ? setup->cq_entries : sizes.sq_entries;

    if (!entries_fit ("CQ", given, 2 * max, flags->clamp, &sizes.cq_entries, error))
      return FALSE;
    if (sizes.cq_entries < sizes.sq_entries)
      return einval (error, "%u CQ entries are fewer than the %u of the SQ", sizes.cq_entries, sizes.sq_entries);
  }
  *ret_sizes = sizes;
  return TRUE;
}
