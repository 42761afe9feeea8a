/* See chart_scale.h. */
#include "src/output/chart_scale.h"
#include "src/engine/portable_math.h"
#include <math.h>

enum { ALL_LABELS_DECADES = 3 }; /* a longer logarithmic scale is labelled at powers of 10 only */

/* Units of which the greatest that is not above the value is taken. */
static const struct {
  ChartUnit unit;
  double size;
  const char *name;
} units[] = {
  { UNIT_NS, 1e9, "s" },
  { UNIT_NS, 1e6, "ms" },
  { UNIT_NS, 1e3, "us" },
  { UNIT_NS, 1, "ns" },
  { UNIT_RATE, 1e6, "M" },
  { UNIT_RATE, 1e3, "k" },
  { UNIT_RATE, 1, "" },
  { UNIT_SHARE, 0.01, "%" },
  { UNIT_BYTES, 1024. * 1024 * 1024, "GiB" },
  { UNIT_BYTES, 1024. * 1024, "MiB" },
  { UNIT_BYTES, 1024, "KiB" },
  { UNIT_BYTES, 1, "B" },
  { UNIT_PLAIN, 1, "" },
};

static unsigned unit_of (ChartUnit unit, double value)
{
  unsigned found = 0;

  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (units[i].unit == unit) {
      found = i;
      if (value >= units[i].size * (1 - 1e-9)) {
        break;
      }
    }
  }
  return found;
}

/* At most four digits, none that says nothing: 0.25, 20, 1500. (transfer full) */
static char *short_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, fabs (value) < 1e6 ? "%.6g" : "%.4g", value));
}

static void add_tick (ChartScale *scale, double value, char *label)
{
  const ScaleTick tick = { chart_scale_position (scale, value), label };
  g_array_append_val (scale->ticks, tick);
}

/* With the unit that fits the value itself. */
static void add_own (ChartScale *scale, ChartUnit unit, double value)
{
  const unsigned i = unit_of (unit, value);
  g_autofree char *digits = short_number (value / units[i].size);

  add_tick (scale, value, g_strconcat (digits, *units[i].name ? " " : "", units[i].name, NULL));
}

/* The least of 1, 2, 5 times a power of 10 that is not below. */
static double nice_step (double value)
{
  static const double steps[] = { 1, 2, 5, 10 };
  double decade = 1;
  unsigned i = 0;

  while (decade > value) {
    decade /= 10;
  }
  while (decade * 10 <= value) {
    decade *= 10;
  }
  while (i < G_N_ELEMENTS (steps) - 1 && decade * steps[i] < value * (1 - 1e-9)) {
    i++;
  }
  return decade * steps[i];
}

static void init_linear (ChartScale *scale, ChartUnit unit, unsigned wanted)
{
  const double least = scale->low > 0 ? 0 : scale->low;
  const double span = scale->high > least ? scale->high - least : 1;
  const unsigned of = unit_of (unit, fmax (fabs (scale->high), fabs (least)));
  const double size = units[of].size, wish = nice_step (span / size / wanted);
  const double step = size * (unit == UNIT_PLAIN && span > 1 ? fmax (wish, 1) : wish); /* no fractions of things */

  scale->low = step * floor (least / step + 1e-9);
  scale->high = step * ceil ((least + span) / step - 1e-9);
  scale->unit = units[of].name;
  for (unsigned i = 0; i <= lround ((scale->high - scale->low) / step); i++) {
    const double value = scale->low + i * step;
    add_tick (scale, value, short_number (value / units[of].size));
  }
}

static void init_log (ChartScale *scale, ChartUnit unit)
{
  static const double steps[] = { 1, 2, 5 };
  double low = 1, value;
  unsigned i = 0;

  scale->low = fmax (scale->low, 1e-12);
  scale->high = fmax (scale->high, scale->low);
  while (low > scale->low) {
    low /= 10;
  }
  while (low * 10 <= scale->low) {
    low *= 10;
  }
  while (i < 2 && low * steps[i + 1] <= scale->low) {
    i++;
  }
  scale->low = low * steps[i];
  /* The upper bound: the first step that is not below. */
  double decade = low;
  unsigned k = i;
  for (value = scale->low; value < scale->high * (1 - 1e-9) || value <= scale->low; value = decade * steps[k]) {
    k = (k + 1) % 3;
    decade *= k == 0 ? 10 : 1;
  }
  scale->high = value;
  const gboolean all = scale->high / scale->low <= ur_pow (10, ALL_LABELS_DECADES);
  for (value = scale->low, decade = low; value <= scale->high * (1 + 1e-9); value = decade * steps[i]) {
    if (all || i == 0) {
      add_own (scale, unit, value);
    }
    i = (i + 1) % 3;
    decade *= i == 0 ? 10 : 1;
  }
}

static void init_log2 (ChartScale *scale, ChartUnit unit, unsigned wanted)
{
  double low = 1, high;
  unsigned n = 1, every, i = 0;

  scale->low = fmax (scale->low, 1e-12);
  while (low > scale->low) {
    low /= 2;
  }
  while (low * 2 <= scale->low) {
    low *= 2;
  }
  for (high = low; high < scale->high || n < 2; high *= 2) {
    n++;
  }
  scale->low = low;
  scale->high = high;
  every = (n + wanted - 1) / wanted;
  for (double value = low; value <= high; value *= 2, i++) {
    if (i % every == 0) {
      add_own (scale, unit, value);
    }
  }
}

/* 0, 50, 90, 99, 99.9 %, ... */
static void init_tail (ChartScale *scale)
{
  double above = 0.1;

  scale->low = 0;
  scale->high = CLAMP (scale->high, 0.9, 1 - 1e-7);
  scale->unit = "%";
  add_tick (scale, 0, g_strdup ("0"));
  add_tick (scale, 0.5, g_strdup ("50"));
  for (; above >= (1 - scale->high) * (1 - 1e-6); above /= 10) {
    add_tick (scale, 1 - above, short_number (100 * (1 - above)));
  }
}

void chart_scale_init (ChartScale *scale, ScaleKind kind, ChartUnit unit, double low, double high, unsigned wanted)
{
  *scale = (ChartScale){ .kind = kind, .low = low, .high = high, .unit = "" };
  scale->ticks = g_array_new (FALSE, FALSE, sizeof (ScaleTick));
  switch (kind) {
  case SCALE_LINEAR:
    init_linear (scale, unit, wanted);
    break;
  case SCALE_LOG:
    init_log (scale, unit);
    break;
  case SCALE_LOG2:
    init_log2 (scale, unit, wanted);
    break;
  case SCALE_TAIL:
    init_tail (scale);
    break;
  }
}

void chart_scale_clear (ChartScale *scale)
{
  for (unsigned i = 0; scale->ticks && i < scale->ticks->len; i++) {
    g_free (g_array_index (scale->ticks, ScaleTick, i).label);
  }
  g_clear_pointer (&scale->ticks, g_array_unref);
}

double chart_scale_position (const ChartScale *scale, double value)
{
  double position;

  switch (scale->kind) {
  case SCALE_LOG:
  case SCALE_LOG2:
    position = value <= scale->low ? 0 : ur_log (value / scale->low) / ur_log (scale->high / scale->low);
    break;
  case SCALE_TAIL:
    position = value >= scale->high ? 1 : value <= 0 ? 0 : ur_log (1 - value) / ur_log (1 - scale->high);
    break;
  default:
    position = (value - scale->low) / (scale->high - scale->low);
    break;
  }
  return CLAMP (position, 0, 1);
}
