/* Settings of knobs; see knob_space.h. */
#include "src/command/knob_space.h"
#include "src/engine/portable_math.h"
#include <math.h>
#include <string.h>

#define BY_FACTORS 100 /* HIGH / LOW from which on a range is divided by factors */
enum { FRACTION = 100 };

guint64 knob_settings (const PolicyKnobRange *range)
{
  const double steps = floor ((range->high - range->low) / range->unit) + 1;

  return !range->whole || steps > 1e18 ? G_MAXUINT64 : (guint64) steps;
}

guint64 knob_space_settings (const Policy *policy)
{
  guint64 all = 1;

  for (unsigned i = 0; i < policy->n_knobs; i++) {
    const guint64 n = knob_settings (&policy->knobs[i].range);
    if (n > G_MAXUINT64 / all) {
      return G_MAXUINT64;
    }
    all *= n;
  }
  return all;
}

static double between (double low, double high, double u)
{
  return low > 0 && high / low >= BY_FACTORS ? low * ur_exp (u * ur_log (high / low)) : low + u * (high - low);
}

/* What the text of a number with decimals says: four digits. */
static double four_digits (const PolicyKnobRange *range, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE + 32];

  g_ascii_formatd (text, sizeof text, "%.3e", value / range->unit);
  g_ascii_formatd (text, sizeof text, "%.10f", g_ascii_strtod (text, NULL));
  return CLAMP (g_ascii_strtod (text, NULL) * range->unit, range->low, range->high);
}

double knob_at (const PolicyKnobRange *range, double u)
{
  if (!range->whole) {
    return four_digits (range, between (range->low, range->high, u));
  }
  /* Every step has its own piece of 0..1: the last one ends a unit above HIGH. */
  const double steps = (double) knob_settings (range);
  const double value = between (range->low, range->low + steps * range->unit, u);
  return range->low + CLAMP (floor ((value - range->low) / range->unit), 0, steps - 1) * range->unit;
}

double knob_step (const PolicyKnobRange *range, guint64 i) { return range->low + (double) i * range->unit; }

double knob_next (const PolicyKnobRange *range, double value, int direction)
{
  const double step = range->whole ? range->unit : (range->high - range->low) / FRACTION;
  const double top = range->whole ? knob_step (range, knob_settings (range) - 1) : range->high;
  const double next = CLAMP (value + direction * step, range->low, top);

  return range->whole ? next : four_digits (range, next);
}

char *knob_text (const PolicyKnobRange *range, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE + 32];

  g_ascii_formatd (text, sizeof text, range->whole ? "%.0f" : "%.10f", value / range->unit);
  if (strchr (text, '.')) {
    gsize n = strlen (text);
    while (text[n - 1] == '0') {
      n--;
    }
    text[text[n - 1] == '.' ? n - 1 : n] = '\0';
  }
  return g_strconcat (text, range->suffix, NULL);
}
