/* The knobs of a policy: numbers that its file leaves open as ?LOW..HIGH, for a search to find. */
#include "model/policy_private.h"

#include "model/policy_expression_private.h"

/* Adds the knobs of one key. */
static gboolean add_knobs (GArray *knobs, const KeyFile *own, const char *group, const char *key,
                           PolicyExpression *expression, GError **error)
{
  g_autofree char *value = NULL;

  if (!expression->n_knobs) {
    return TRUE;
  }
  if (knobs->len + expression->n_knobs > POLICY_KNOBS_MAX) {
    key_file_set_error (error, own, group, key, KEY_FILE_VALUE, "a policy may have %u knobs (?LOW..HIGH) in all",
                        POLICY_KNOBS_MAX);
    return FALSE;
  }
  if (!key_file_get_raw (own, group, key, &value, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < expression->n_knobs; i++) {
    const PolicyKnobRange *range = &expression->knobs[i];
    const PolicyKnob knob = {
      .name = i ? g_strdup_printf ("%s %s#%u", group, key, i + 1) : g_strdup_printf ("%s %s", group, key),
      .text = g_strndup (value + range->start, range->length),
      .origin = key_file_origin (own, group, key),
      .range = *range,
      .expression = expression,
      .index = i,
      .line = key_file_line (own, group, key),
      .column = key_file_column (own, group, key) + range->start,
    };
    g_array_append_val (knobs, knob);
  }
  return TRUE;
}

static int compare_places (gconstpointer a, gconstpointer b)
{
  const PolicyKnob *x = a, *y = b;
  const guint64 left = (guint64) x->line << 32 | x->column, right = (guint64) y->line << 32 | y->column;

  return (left > right) - (left < right);
}

gboolean policy_collect_knobs (Policy *policy, const KeyFile *own, GError **error)
{
  GArray *knobs = g_array_new (FALSE, TRUE, sizeof (PolicyKnob));
  gboolean ok = TRUE;

  for (unsigned i = 0; ok && i < policy->n_rules; i++) {
    g_autofree char *group = g_strdup_printf ("Rule %d", policy->rules[i].number);
    ok = add_knobs (knobs, own, group, "Match", policy->rules[i].match, error);
  }
  for (unsigned i = 0; ok && i < policy->n_queues; i++) {
    g_autofree char *group = g_strconcat ("Queue ", policy->queues[i].name, NULL);
    ok = add_knobs (knobs, own, group, "MaxWorkers", policy->queues[i].max_workers, error);
  }
  g_array_sort (knobs, compare_places);
  policy->n_knobs = knobs->len;
  policy->knobs = (PolicyKnob *) (gpointer) g_array_free (knobs, FALSE);
  return ok;
}

void policy_clear_knobs (Policy *policy)
{
  for (unsigned i = 0; i < policy->n_knobs; i++) {
    g_free (policy->knobs[i].name);
    g_free (policy->knobs[i].text);
    g_free (policy->knobs[i].origin);
  }
  g_clear_pointer (&policy->knobs, g_free);
  policy->n_knobs = 0;
}

void policy_set_knob (Policy *policy, unsigned knob, double value)
{
  g_return_if_fail (knob < policy->n_knobs);
  policy_expression_set_knob (policy->knobs[knob].expression, policy->knobs[knob].index, value);
}
