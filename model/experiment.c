/* Experiments: the file, its head and its ratios; rows are in experiment_row.c. */
#include "model/experiment_private.h"

#include "model/suggest.h"

#include <math.h>
#include <string.h>

G_DEFINE_QUARK (experiment - error - quark, experiment_error)

#define RATIO_PREFIX "Ratio "
#define HEAD EXPERIMENT_HEAD

static const char *const head_keys[] = { "Name",   "Title",  "Source", "Machine",
                                         "Fitted", "Stated", "Note",   EXPERIMENT_RUN_KEYS,
                                         NULL };
static const char *const ratio_keys[] = { "Numerator", "Denominator", "Metric", "DenominatorMetric",
                                          "Published", "Tolerance",   "Min",    "Max",
                                          NULL };

static gboolean check_groups (const KeyFile *file, GError **error)
{
  static const char *const known[] = { HEAD, "Row NAME", "Ratio NAME", NULL };

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    gboolean ok;

    if (strcmp (group, HEAD) == 0) {
      ok = key_file_check_keys (file, group, head_keys, error);
    } else if (g_str_has_prefix (group, EXPERIMENT_ROW_PREFIX) &&
               key_file_name_valid (group + strlen (EXPERIMENT_ROW_PREFIX))) {
      ok = experiment_check_row_keys (file, group, error);
    } else if (g_str_has_prefix (group, RATIO_PREFIX)) {
      ok = key_file_check_keys (file, group, ratio_keys, error);
    } else {
      key_file_unknown_group (file, group, known, error);
      ok = FALSE;
    }
    if (!ok) {
      return FALSE;
    }
  }
  return TRUE;
}

static unsigned count_groups (const KeyFile *file, const char *prefix)
{
  unsigned n = 0;

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    n += g_str_has_prefix (key_file_group (file, i), prefix);
  }
  return n;
}

/* ---- ratios ---- */

static gboolean find_row (const Experiment *e, const KeyFile *file, const char *group, const char *key,
                          const char *name, unsigned *ret_row, GError **error)
{
  g_autofree char *quoted = NULL, *phrase = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (unsigned i = 0; i < e->n_rows; i++) {
    if (strcmp (e->rows[i].name, name) == 0) {
      *ret_row = i;
      return TRUE;
    }
    g_ptr_array_add (names, e->rows[i].name);
  }
  g_ptr_array_add (names, NULL);
  quoted = key_file_quote (name);
  phrase = suggest_phrase (name, (const char *const *) names->pdata);
  key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s=%s: there is no such [Row NAME]%s", key, quoted,
                      phrase);
  return FALSE;
}

/* "ROW;ROW": no row twice, so never more than there are rows. */
static gboolean read_sum (const Experiment *e, const KeyFile *file, const char *group, const char *key, unsigned *rows,
                          unsigned *ret_n, GError **error)
{
  g_auto (GStrv) names = experiment_read_list (file, group, key, error);

  if (!names) {
    return FALSE;
  }
  for (*ret_n = 0; names[*ret_n]; ++*ret_n) {
    if (!find_row (e, file, group, key, names[*ret_n], &rows[*ret_n], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean read_metric (const KeyFile *file, const char *group, const char *key, Metric *metric, GError **error)
{
  unsigned index;

  if (!key_file_has (file, group, key)) {
    return TRUE;
  }
  if (!key_file_get_choice (file, group, key, metric_keys (), &index, error)) {
    return FALSE;
  }
  *metric = (Metric) index;
  return TRUE;
}

/* Tolerance= about Published=, or Min= and Max=, of which one may be left out. */
static gboolean read_limits (ExperimentRatio *ratio, const KeyFile *file, const char *group, GError **error)
{
  const gboolean range = key_file_has (file, group, "Min") || key_file_has (file, group, "Max");

  ratio->published = ratio->tolerance = EXPERIMENT_UNSET;
  ratio->least = 0;
  ratio->most = INFINITY;
  if (!experiment_read_number (file, group, "Published", 1e-6, 1e6, &ratio->published, error) ||
      !experiment_read_number (file, group, "Tolerance", 1e-6, 10, &ratio->tolerance, error) ||
      !experiment_read_number (file, group, "Min", 0, 1e9, &ratio->least, error) ||
      !experiment_read_number (file, group, "Max", 0, 1e9, &ratio->most, error)) {
    return FALSE;
  }
  if (range == (ratio->tolerance >= 0)) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s] needs Tolerance=, or Min= or Max=%s", group,
                        range ? ", not both" : "");
    return FALSE;
  }
  if (!range && ratio->published < 0) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s] lacks Published=", group);
    return FALSE;
  }
  if (!range) {
    ratio->least = ratio->published * (1 - ratio->tolerance);
    ratio->most = ratio->published * (1 + ratio->tolerance);
  }
  if (ratio->least > ratio->most ||
      (ratio->published >= 0 && (ratio->published < ratio->least || ratio->published > ratio->most))) {
    key_file_set_error (error, file, group, range ? "Min" : "Tolerance", KEY_FILE_VALUE,
                        "[%s]: the limits leave nothing or leave out the published ratio", group);
    return FALSE;
  }
  return TRUE;
}

static gboolean same_sums (const ExperimentRatio *ratio)
{
  return ratio->metric == ratio->metric_below && ratio->n_above == ratio->n_below &&
         memcmp (ratio->above, ratio->below, ratio->n_above * sizeof *ratio->above) == 0;
}

static gboolean read_ratio (const Experiment *e, ExperimentRatio *ratio, const KeyFile *file, const char *group,
                            GError **error)
{
  ratio->name = g_strdup (group + strlen (RATIO_PREFIX));
  ratio->metric = METRIC_IOPS;
  if (!key_file_has (file, group, "Numerator")) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s] lacks Numerator=", group);
    return FALSE;
  }
  if (!read_sum (e, file, group, "Numerator", ratio->above, &ratio->n_above, error) ||
      !read_sum (e, file, group, "Denominator", ratio->below, &ratio->n_below, error) ||
      !read_metric (file, group, "Metric", &ratio->metric, error)) {
    return FALSE;
  }
  ratio->metric_below = ratio->metric;
  if (!read_metric (file, group, "DenominatorMetric", &ratio->metric_below, error)) {
    return FALSE;
  }
  if (!ratio->n_above || same_sums (ratio)) {
    key_file_set_error (error, file, group, ratio->n_above ? "Denominator" : "Numerator", KEY_FILE_VALUE,
                        ratio->n_above ? "a ratio of a row to itself" : "Numerator=: expected a row");
    return FALSE;
  }
  return read_limits (ratio, file, group, error);
}

gboolean experiment_ratio_has_side (const ExperimentRatio *ratio)
{
  return ratio->n_below && ratio->published >= 0 && fabs (ratio->published - 1) > EXPERIMENT_TIE;
}

/* ---- the head ---- */

static gboolean read_rows (Experiment *e, const ExperimentRow *base, const KeyFile *file, GError **error)
{
  unsigned rows = count_groups (file, EXPERIMENT_ROW_PREFIX), ratios = count_groups (file, RATIO_PREFIX);

  if (!rows || rows > EXPERIMENT_ROWS_MAX || ratios > EXPERIMENT_ROWS_MAX) {
    key_file_set_error (error, file, NULL, NULL, KEY_FILE_VALUE,
                        "expected 1 to %u [Row NAME] groups and at most %u ratios, found %u and %u",
                        EXPERIMENT_ROWS_MAX, EXPERIMENT_ROWS_MAX, rows, ratios);
    return FALSE;
  }
  e->rows = g_new0 (ExperimentRow, rows);
  e->ratios = g_new0 (ExperimentRatio, ratios);
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);

    if (g_str_has_prefix (group, EXPERIMENT_ROW_PREFIX) &&
        !experiment_read_row (&e->rows[e->n_rows++], base, file, group, e->path, error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);

    if (g_str_has_prefix (group, RATIO_PREFIX) && !read_ratio (e, &e->ratios[e->n_ratios++], file, group, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean read_head (Experiment *e, const KeyFile *file, GError **error)
{
  if (!key_file_get_name (file, HEAD, "Name", &e->name, error) ||
      !key_file_get_line (file, HEAD, "Title", &e->title, error) ||
      !key_file_get_line (file, HEAD, "Source", &e->source, error) ||
      !key_file_get_line (file, HEAD, "Machine", &e->machine, error) ||
      (key_file_has (file, HEAD, "Note") && !key_file_get_line (file, HEAD, "Note", &e->note, error))) {
    return FALSE;
  }
  e->fitted = experiment_read_list (file, HEAD, "Fitted", error);
  e->stated = e->fitted ? experiment_read_list (file, HEAD, "Stated", error) : NULL;
  return e->stated != NULL;
}

static gboolean read_file (Experiment *e, const KeyFile *file, GError **error)
{
  ExperimentRow base;
  gboolean ok;

  experiment_row_init (&base);
  ok = check_groups (file, error) && read_head (e, file, error) &&
       experiment_read_run (&base, file, HEAD, e->path, error) && read_rows (e, &base, file, error);
  experiment_row_clear (&base);
  return ok;
}

Experiment *experiment_load (const char *name_or_path, GError **error)
{
  KeyFile *file = key_file_load_named ("experiments", name_or_path, ".experiment", EXPERIMENT_ERROR, error);
  Experiment *e;
  gboolean ok;

  if (!file) {
    return NULL;
  }
  e = g_new0 (Experiment, 1);
  e->path = g_strdup (key_file_path (file));
  ok = read_file (e, file, error);
  key_file_free (file);
  if (ok) {
    return e;
  }
  experiment_free (e);
  return NULL;
}

void experiment_free (Experiment *e)
{
  if (!e) {
    return;
  }
  for (unsigned i = 0; i < e->n_rows; i++) {
    experiment_row_clear (&e->rows[i]);
  }
  for (unsigned i = 0; i < e->n_ratios; i++) {
    g_free (e->ratios[i].name);
  }
  g_free (e->rows);
  g_free (e->ratios);
  g_strfreev (e->fitted);
  g_strfreev (e->stated);
  g_free (e->note);
  g_free (e->name);
  g_free (e->title);
  g_free (e->source);
  g_free (e->machine);
  g_free (e->path);
  g_free (e);
}
