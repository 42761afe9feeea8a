/* Objectives of a search: words to figures and limits; see objective.h. */
#include "src/command/objective.h"
#include "model/key_file.h"
#include "model/suggest.h"
#include "src/command/options.h"
#include "src/engine/portable_math.h"
#include "src/output/escape.h"
#include <string.h>

/* What a figure is called in an objective. */
static const struct {
  const char *name;
  Metric metric;
} figures[] = {
  { "iops", METRIC_IOPS },
  { "iops_read", METRIC_IOPS_READ },
  { "iops_write", METRIC_IOPS_WRITE },
  { "bw", METRIC_BANDWIDTH },
  { "bw_read", METRIC_BANDWIDTH_READ },
  { "bw_write", METRIC_BANDWIDTH_WRITE },
  { "slat", METRIC_SLAT },
  { "clat", METRIC_CLAT },
  { "lat", METRIC_LAT },
  { "p50", METRIC_LAT_P50 },
  { "p99", METRIC_LAT_P99 },
  { "p999", METRIC_LAT_P999 },
  { "elapsed", METRIC_ELAPSED },
  { "cpu_busy", METRIC_CPU_BUSY },
  { "cpus_busy", METRIC_CPUS_BUSY },
  { "contention", METRIC_CPU_SHARE_CONTENTION },
  { "spinning", METRIC_CPU_SHARE_SPINNING },
  { "switches", METRIC_CONTEXT_SWITCHES },
  { "workers", METRIC_WORKERS_ALIVE },
};

/* Units by what a figure is; NULL at the end of each. */
typedef struct {
  const char *name;
  double factor;
} Unit;
static const Unit rates[] = { { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { NULL, 0 } };
static const Unit bytes[] = { { "B", 1 }, { "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 }, { NULL, 0 } };
static const Unit times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 } };
static const Unit shares[] = { { "", 1 }, { "%", 0.01 }, { NULL, 0 } };
static const Unit counts[] = { { "", 1 }, { NULL, 0 } };

static const struct {
  const Unit *units;
  const char *expected;
} kinds[] = {
  [METRIC_RATE] = { rates, "a rate above 0, such as 200000 or 200k" },
  [METRIC_BYTES_RATE] = { bytes, "bytes a second above 0 with B, KiB, MiB or GiB" },
  [METRIC_TIME] = { times, "a time above 0 with ns, us, ms or s" },
  [METRIC_SHARE] = { shares, "a share above 0, such as 0.5 or 50%" },
  [METRIC_COUNT] = { counts, "a number above 0" },
};

G_GNUC_PRINTF (3, 4)
static gboolean refuse (GError **error, const char *found, const char *format, ...)
{
  g_autofree char *quoted = escape_text_short (found, -1, 60), *expected = NULL;
  va_list args;

  va_start (args, format);
  expected = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--objective: found \"%s\", expected %s", quoted, expected);
  return FALSE;
}

static gboolean read_figure (const char *name, Metric *ret_metric, GError **error)
{
  const char *names[G_N_ELEMENTS (figures) + 1] = { NULL };

  for (unsigned i = 0; i < G_N_ELEMENTS (figures); i++) {
    names[i] = figures[i].name;
    if (!strcmp (figures[i].name, name)) {
      *ret_metric = figures[i].metric;
      return TRUE;
    }
  }
  g_autofree char *list = g_strjoinv (", ", (char **) names), *phrase = suggest_phrase (name, names);
  return refuse (error, name, "one of %s%s", list, phrase);
}

static gboolean read_limit (const char *text, Metric metric, double *ret_limit, GError **error)
{
  const gsize digits = strspn (text, "0123456789.");
  g_autofree char *number = g_strndup (text, digits);
  const MetricUnit kind = metric_unit (metric);
  double value;

  if (key_file_parse_number (number, &value) && value > 0) {
    for (const Unit *unit = kinds[kind].units; unit->name; unit++) {
      if (!strcmp (text + digits, unit->name)) {
        *ret_limit = value * unit->factor;
        return TRUE;
      }
    }
  }
  return refuse (error, text, "%s", kinds[kind].expected);
}

/* "max iops", "p99 < 1ms", blanks around the operator or not. */
static gboolean read_part (Objective *objective, const char *part, gboolean *seen_goal, GError **error)
{
  const gboolean max = g_str_has_prefix (part, "max "), min = g_str_has_prefix (part, "min ");
  const gsize word = strcspn (part, "<> ");
  g_autofree char *name = g_strndup (part, word);
  const char *sign = part + word + strspn (part + word, " ");
  ObjectiveLimit limit = { .at_least = *sign == '>', .strict = *sign && sign[1] != '=' };

  if (max || min) {
    if (*seen_goal) {
      return refuse (error, part, "one goal only, the rest being limits such as \"p99 < 1ms\"");
    }
    *seen_goal = TRUE;
    objective->maximise = max;
    return read_figure (part + strlen ("max "), &objective->goal, error);
  }
  if (!word || (*sign != '<' && *sign != '>')) {
    return refuse (error, part, "\"max FIGURE\", \"min FIGURE\" or a limit, \"FIGURE < NUMBER\" (also <=, >, >=)");
  }
  if (objective->n_limits == OBJECTIVE_LIMITS_MAX) {
    return refuse (error, part, "at most %d limits", OBJECTIVE_LIMITS_MAX);
  }
  sign += limit.strict ? 1 : 2;
  sign += strspn (sign, " ");
  if (!read_figure (name, &limit.metric, error) || !read_limit (sign, limit.metric, &limit.limit, error)) {
    return FALSE;
  }
  objective->limits[objective->n_limits++] = limit;
  return TRUE;
}

Objective *objective_parse (const char *text, GError **error)
{
  g_autoptr (Objective) objective = g_new0 (Objective, 1);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean seen_goal = FALSE;

  for (char **part = parts; *part; part++) {
    g_auto (GStrv) words = g_strsplit_set (*part, " \t\n", -1);
    GString *single = g_string_new (NULL);
    for (char **w = words; *w; w++) {
      g_string_append_printf (single, "%s%s", **w && single->len ? " " : "", *w);
    }
    g_free (*part);
    *part = g_string_free (single, FALSE);
    if (!read_part (objective, *part, &seen_goal, error)) {
      return NULL;
    }
  }
  if (!seen_goal) {
    refuse (error, text, "a goal in it, such as \"max iops\" or \"min p99\"");
    return NULL;
  }
  objective->text = g_strjoinv (", ", parts);
  return g_steal_pointer (&objective);
}

void objective_free (Objective *objective)
{
  if (objective) {
    g_free (objective->text);
    g_free (objective);
  }
}

static gboolean keeps (const ObjectiveLimit *limit, double value)
{
  return (limit->at_least ? value > limit->limit : value < limit->limit) || (!limit->strict && value == limit->limit);
}

gboolean objective_holds (const Objective *objective, const double metric[METRICS_N])
{
  for (unsigned i = 0; i < objective->n_limits; i++) {
    if (!keeps (&objective->limits[i], metric[objective->limits[i].metric])) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Logarithms, so that figures of any size weigh the same. */
static double size_of (double value) { return ur_log (CLAMP (value, 1e-12, 1e30)); }

double objective_score (const Objective *objective, const double metric[METRICS_N])
{
  enum { OUTSIDE = 1000 }; /* more than any size */
  const double goal = size_of (metric[objective->goal]);
  double off = 0;

  for (unsigned i = 0; i < objective->n_limits; i++) {
    const ObjectiveLimit *limit = &objective->limits[i];
    if (!keeps (limit, metric[limit->metric])) {
      off += OUTSIDE + ABS (size_of (metric[limit->metric]) - size_of (limit->limit));
    }
  }
  return off > 0 ? off : objective->maximise ? -goal : goal;
}
