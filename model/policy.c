/* Policies: from a chain of files to the list of rules in force. */
#include "model/policy_private.h"

#include "model/policy_expression_private.h"
#include "model/policy_plugin.h"
#include "model/suggest.h"

#include <string.h>

G_DEFINE_QUARK (policy - error - quark, policy_error)

/* Errors of key files come with these codes. */
G_STATIC_ASSERT ((int) POLICY_ERROR_NOT_FOUND == (int) KEY_FILE_NOT_FOUND);
G_STATIC_ASSERT ((int) POLICY_ERROR_SYNTAX == (int) KEY_FILE_SYNTAX);
G_STATIC_ASSERT ((int) POLICY_ERROR_UNKNOWN_KEY == (int) KEY_FILE_UNKNOWN_KEY);
G_STATIC_ASSERT ((int) POLICY_ERROR_VALUE == (int) KEY_FILE_VALUE);

#define RULE_PREFIX "Rule "
#define RULE_NUMBER_MAX 99999u
#define RETRY_PREFIX "retry:"
#define RETRIES_MAX 1000u

static const char *const head_keys[] = { "Name", "Title", "Kernel", "Base", "Source", "Account", NULL };
static const char *const rule_keys[] = { "Match", "Attempt", "OnAgain", "Post", NULL };
static const char *const posts[] = { "batch", "now", NULL };
static const char *const attempts[] = { "nonblock", "blocking", "trylock", "none", NULL };

const char *policy_attempt_name (PolicyAttempt attempt)
{
  g_return_val_if_fail (attempt < G_N_ELEMENTS (attempts) - 1, NULL);
  return attempts[attempt];
}

char *policy_on_again_text (const Policy *policy, const PolicyRule *rule)
{
  static const char *const names[] = {
    [ON_AGAIN_POLL] = "poll", [ON_AGAIN_CALLBACK] = "callback", [ON_AGAIN_FAIL] = "fail"
  };
  g_autofree char *retry = rule->retries ? g_strdup_printf (RETRY_PREFIX "%u,", rule->retries) : g_strdup ("");

  if (rule->attempt == ATTEMPT_BLOCKING) {
    return g_strdup ("-");
  }
  return rule->on_again == ON_AGAIN_QUEUE ? g_strconcat (retry, "queue:", policy->queues[rule->queue].name, NULL)
                                          : g_strconcat (retry, names[rule->on_again], NULL);
}

static void rule_clear (PolicyRule *rule)
{
  policy_expression_free (rule->match);
  g_free (rule->match_text);
  g_free (rule->origin);
  g_free (rule->policy);
}

static void draft_free (gpointer data)
{
  DraftRule *draft = data;

  rule_clear (&draft->rule);
  g_free (draft->queue_name);
  g_free (draft->group);
  g_free (draft);
}

/* ---- groups ---- */

/* N of "Rule N": decimal, no leading zero. */
static gboolean rule_number (const char *group, unsigned *ret_number)
{
  const char *digits = group + strlen (RULE_PREFIX);
  uint64_t number;

  if (!key_file_parse_integer (digits, &number) || number > RULE_NUMBER_MAX || (digits[0] == '0' && digits[1])) {
    return FALSE;
  }
  *ret_number = (unsigned) number;
  return TRUE;
}

static gboolean check_groups (const KeyFile *file, GError **error)
{
  static const char *const known[] = { "Policy", "Rule N", "Queue NAME", "Worker", "Ring", NULL };

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i), *const * keys;
    unsigned number;
    gboolean ok;

    if (!policy_queue_group_keys (file, group, &keys, error)) {
      return FALSE;
    }

    if (g_str_has_prefix (group, RULE_PREFIX)) {
      if (!rule_number (group, &number)) {
        key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s]: expected [Rule N] with N from 0 to %u",
                            group, RULE_NUMBER_MAX);
        return FALSE;
      }
      ok = key_file_check_keys (file, group, rule_keys, error);
    } else if (keys) {
      ok = key_file_check_keys (file, group, keys, error);
    } else if (strcmp (group, "Policy") == 0) {
      ok = key_file_check_keys (file, group, head_keys, error);
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

/* Knobs stand in the policy's own file, and only where it is loaded for a search. */
static gboolean check_knobs (const Loader *l, const KeyFile *file, const char *group, const char *key,
                             const PolicyExpression *expression, GError **error)
{
  unsigned n;
  const PolicyKnobRange *knobs = policy_expression_knobs (expression, &n);

  if (n && file != l->chain->pdata[0]) {
    key_file_set_error_at (error, file, group, key, knobs[0].start + 1, KEY_FILE_VALUE,
                           "%s= has a knob (?LOW..HIGH); a base may have none", key);
    return FALSE;
  }
  if (n && !l->knobs) {
    key_file_set_error_at (error, file, group, key, knobs[0].start + 1, KEY_FILE_VALUE,
                           "%s= has a knob (?LOW..HIGH); use uringsim policy search to find its value", key);
    return FALSE;
  }
  return TRUE;
}

/* The value of an expression key; its errors become one line with the column. */
PolicyExpression *policy_get_expression (const Loader *l, const KeyFile *file, const char *group, const char *key,
                                         char **ret_text, GError **error)
{
  g_autofree char *text = NULL, *quoted = NULL;
  g_autoptr (GError) inner = NULL;
  PolicyExpression *expression;
  const char *message;
  unsigned column;

  if (!key_file_get_raw (file, group, key, &text, error)) {
    return NULL;
  }
  expression = policy_expression_parse (text, &inner);
  if (expression && !check_knobs (l, file, group, key, expression, error)) {
    policy_expression_free (expression);
    return NULL;
  }
  if (expression) {
    *ret_text = g_steal_pointer (&text);
    return expression;
  }
  quoted = key_file_quote (text);
  inner->message[strcspn (inner->message, "\n")] = '\0';
  /* A value is one line: "1:COLUMN: ...". */
  message = inner->message + strlen ("1:");
  column = (unsigned) g_ascii_strtoull (message, (char **) &message, 10);
  key_file_set_error_at (error, file, group, key, column, KEY_FILE_VALUE, "%s=%s%s", key, quoted, message);
  return NULL;
}

/* ---- rules ---- */

/* "retry:N" in front; *text is moved behind it and its comma. FALSE with error set. */
static gboolean read_retries (DraftRule *draft, const char **text, GError **error)
{
  g_autofree char *digits = NULL, *quoted = NULL;
  const char *start = *text + strlen (RETRY_PREFIX), *end;
  uint64_t retries;

  if (!g_str_has_prefix (*text, RETRY_PREFIX)) {
    return TRUE;
  }
  end = start + strcspn (start, ",");
  digits = g_strndup (start, (gsize) (end - start));
  if (!key_file_parse_integer (digits, &retries) || retries < 1 || retries > RETRIES_MAX) {
    quoted = key_file_quote (*text);
    key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                        "OnAgain=%s: expected retry:N with N from 1 to %u", quoted, RETRIES_MAX);
    return FALSE;
  }
  draft->rule.retries = (unsigned) retries;
  *text = *end ? end + 1 : "fail";
  return TRUE;
}

static gboolean read_on_again (DraftRule *draft, GError **error)
{
  static const struct {
    const char *name;
    PolicyOnAgain value;
  } others[] = {
    { "poll", ON_AGAIN_POLL },
    { "callback", ON_AGAIN_CALLBACK },
    { "fail", ON_AGAIN_FAIL },
  };
  g_autofree char *whole = NULL, *quoted = NULL;
  const char *text;

  if (draft->rule.attempt == ATTEMPT_BLOCKING && !key_file_has (draft->file, draft->group, "OnAgain")) {
    draft->rule.on_again = ON_AGAIN_FAIL;
    return TRUE;
  }
  if (!key_file_get_raw (draft->file, draft->group, "OnAgain", &whole, error)) {
    return FALSE;
  }
  text = whole;
  if (!read_retries (draft, &text, error)) {
    return FALSE;
  }
  if (g_str_has_prefix (text, "queue:") && text[6]) {
    draft->rule.on_again = ON_AGAIN_QUEUE;
    draft->queue_name = g_strdup (text + 6);
    return TRUE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (others); i++) {
    if (strcmp (text, others[i].name) == 0) {
      draft->rule.on_again = others[i].value;
      return TRUE;
    }
  }
  quoted = key_file_quote (whole);
  key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                      "OnAgain=%s: expected queue:NAME, poll, callback or fail, also with retry:N, in front", quoted);
  return FALSE;
}

static gboolean resolve_queue (const Loader *l, DraftRule *draft, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *phrase = NULL, *quoted = NULL;
  const PolicyQueue *queue;

  if (!draft->queue_name) {
    return TRUE;
  }
  queue = policy_find_queue (l->policy, draft->queue_name);
  if (queue) {
    draft->rule.queue = (unsigned) (queue - l->policy->queues);
    return TRUE;
  }
  for (unsigned i = 0; i < l->policy->n_queues; i++) {
    g_ptr_array_add (names, l->policy->queues[i].name);
  }
  g_ptr_array_add (names, NULL);
  phrase = suggest_phrase (draft->queue_name, (const char *const *) names->pdata);
  quoted = key_file_quote (draft->queue_name);
  key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                      "there is no [Queue NAME] for queue %s%s", quoted, phrase);
  return FALSE;
}

static gboolean within_limits (Loader *l, const DraftRule *draft, GError **error)
{
  l->n_rules++;
  l->n_nodes += draft->rule.match->n_nodes;
  if (l->n_rules <= POLICY_RULES_MAX && l->n_nodes <= POLICY_NODES_MAX) {
    return TRUE;
  }
  key_file_set_error (error, draft->file, draft->group, NULL, KEY_FILE_VALUE,
                      "a policy and its bases may have %u rules, with %u names, numbers and operators in all",
                      POLICY_RULES_MAX, POLICY_NODES_MAX);
  return FALSE;
}

static DraftRule *read_rule (Loader *l, unsigned level, const char *group, GError **error)
{
  DraftRule *draft = g_new0 (DraftRule, 1);
  unsigned attempt = 0, number = 0;

  draft->file = l->chain->pdata[level];
  draft->level = level;
  draft->group = g_strdup (group);
  rule_number (group, &number);
  draft->rule.number = (int) number;
  draft->rule.origin = key_file_origin (draft->file, group, NULL);
  draft->rule.match = policy_get_expression (l, draft->file, group, "Match", &draft->rule.match_text, error);
  if (draft->rule.match) {
    PolicyRule *rule = &draft->rule;

    rule->facts_suffice = policy_expression_facts (rule->match, &rule->facts_asked, &rule->facts_wanted);
    rule->facts_skip = policy_expression_facts_skip (rule->match, rule->facts_asked, rule->facts_wanted);
  }
  if (draft->rule.match && within_limits (l, draft, error) &&
      key_file_get_name (draft->file, "Policy", "Name", &draft->rule.policy, error) &&
      key_file_get_choice (draft->file, group, "Attempt", attempts, &attempt, error)) {
    draft->rule.attempt = (PolicyAttempt) attempt;
    draft->rule.post_now = attempt == ATTEMPT_BLOCKING;
    if (key_file_has (draft->file, group, "Post")) {
      unsigned post = 0;

      if (!key_file_get_choice (draft->file, group, "Post", posts, &post, error)) {
        draft_free (draft);
        return NULL;
      }
      draft->rule.post_now = post == 1;
    }
    if (read_on_again (draft, error) && resolve_queue (l, draft, error) && policy_check_rule (draft, error)) {
      return draft;
    }
  }
  draft_free (draft);
  return NULL;
}

static gboolean has_number (const GPtrArray *drafts, int number)
{
  for (unsigned i = 0; i < drafts->len; i++) {
    if (((const DraftRule *) drafts->pdata[i])->rule.number == number) {
      return TRUE;
    }
  }
  return FALSE;
}

static int compare_drafts (gconstpointer a, gconstpointer b)
{
  const DraftRule *x = *(const DraftRule *const *) a, *y = *(const DraftRule *const *) b;

  return (x->rule.number > y->rule.number) - (x->rule.number < y->rule.number);
}

/* All rules of one file; those that a child replaced go to `replaced`. */
static gboolean read_rules_of (Loader *l, unsigned level, GPtrArray *replaced, GError **error)
{
  const KeyFile *file = l->chain->pdata[level];

  for (unsigned g = 0; g < key_file_n_groups (file); g++) {
    const char *group = key_file_group (file, g);
    DraftRule *draft;

    if (!g_str_has_prefix (group, RULE_PREFIX)) {
      continue;
    }
    draft = read_rule (l, level, group, error);
    if (!draft) {
      return FALSE;
    }
    g_ptr_array_add (has_number (l->drafts, draft->rule.number) ? replaced : l->drafts, draft);
  }
  return TRUE;
}

/* The rule that closes a list which nothing else closes: the last rule of the nearest base that has one. */
static DraftRule *take_closing_rule (GPtrArray *replaced)
{
  int best = -1;

  for (unsigned i = 0; i < replaced->len; i++) {
    const DraftRule *draft = replaced->pdata[i];

    if (policy_rule_always (&draft->rule) &&
        (best < 0 || draft->level < ((DraftRule *) replaced->pdata[best])->level)) {
      best = (int) i;
    }
  }
  return best < 0 ? NULL : g_ptr_array_steal_index (replaced, (guint) best);
}

static gboolean read_rules (Loader *l, GError **error)
{
  g_autoptr (GPtrArray) replaced = g_ptr_array_new_with_free_func (draft_free);
  unsigned length;
  gboolean closed;

  for (unsigned level = 0; level < l->chain->len; level++) {
    if (!read_rules_of (l, level, replaced, error)) {
      return FALSE;
    }
  }
  g_ptr_array_sort (l->drafts, compare_drafts);
  if (!policy_check_rules (l->drafts, &length, &closed, error)) {
    return FALSE;
  }
  if (!closed) {
    DraftRule *closing = take_closing_rule (replaced);

    if (!closing) {
      key_file_set_error (error, l->chain->pdata[0], "Policy", NULL, (KeyFileErrorCode) POLICY_ERROR_RULES,
                          "no rule matches every request; close the list with a rule that has Match=true");
      return FALSE;
    }
    g_ptr_array_add (l->drafts, closing);
    length = l->drafts->len;
  }
  l->policy->rules = g_new0 (PolicyRule, length);
  for (unsigned i = 0; i < length; i++) {
    DraftRule *draft = l->drafts->pdata[i];

    l->policy->rules[i] = draft->rule;
    draft->rule = (PolicyRule){ 0 };
    l->policy->n_rules++;
  }
  return TRUE;
}

/* Numbers the averages of the rules in force. */
static gboolean collect_averages (Loader *l, GError **error)
{
  Policy *policy = l->policy;

  policy->averages = g_new0 (const PolicyAverage *, POLICY_AVERAGES_MAX);
  for (unsigned i = 0; i < policy->n_rules; i++) {
    unsigned n;
    const PolicyAverage *averages = policy_expression_averages (policy->rules[i].match, &n);

    if (policy->n_averages + n > POLICY_AVERAGES_MAX) {
      key_file_set_error (error, l->chain->pdata[0], "Policy", NULL, KEY_FILE_VALUE,
                          "a policy and its bases may have %u averages in all", POLICY_AVERAGES_MAX);
      return FALSE;
    }
    policy_expression_number_averages (policy->rules[i].match, policy->n_averages);
    for (unsigned k = 0; k < n; k++) {
      policy->averages[policy->n_averages++] = &averages[k];
    }
  }
  return TRUE;
}

/* ---- the whole ---- */

static gboolean get_optional (const KeyFile *file, const char *key, char **ret_value, GError **error)
{
  return !key_file_has (file, "Policy", key) || key_file_get_text (file, "Policy", key, ret_value, error);
}

static gboolean read_head (Loader *l, GError **error)
{
  const KeyFile *own = l->chain->pdata[0];
  Policy *policy = l->policy;

  policy->path = g_strdup (key_file_path (own));
  policy->bases = g_ptr_array_new_with_free_func (g_free);
  for (unsigned i = 0; i < l->chain->len; i++) {
    const KeyFile *file = l->chain->pdata[i];
    char *name = NULL;

    if (!check_groups (file, error) || !key_file_get_name (file, "Policy", "Name", &name, error)) {
      return FALSE;
    }
    if (i == 0) {
      policy->name = name;
    } else {
      g_ptr_array_add (policy->bases, name);
    }
    if (!policy->kernel && key_file_has (file, "Policy", "Kernel")) {
      if (!key_file_get_kernel (file, "Policy", "Kernel", &policy->kernel, error)) {
        return FALSE;
      }
      policy->kernel_origin = key_file_origin (file, "Policy", "Kernel");
    }
  }
  if (!policy->kernel) {
    key_file_set_error (error, own, "Policy", NULL, KEY_FILE_VALUE, "neither this policy nor its bases give Kernel=");
    return FALSE;
  }
  return key_file_get_line (own, "Policy", "Title", &policy->title, error) &&
         get_optional (own, "Source", &policy->source, error) && get_optional (own, "Account", &policy->account, error);
}

static Policy *load (const char *name_or_path, gboolean knobs, GError **error)
{
  if (g_str_has_suffix (name_or_path, POLICY_PLUGIN_SUFFIX)) {
    return policy_plugin_load (name_or_path, error);
  }
  g_autoptr (GPtrArray) chain =
      key_file_load_chain ("policies", name_or_path, ".policy", "Policy", POLICY_ERROR, error);
  g_autoptr (GPtrArray) drafts = g_ptr_array_new_with_free_func (draft_free);
  Loader loader = { .chain = chain, .drafts = drafts, .knobs = knobs };

  if (!chain) {
    return NULL;
  }
  loader.policy = g_new0 (Policy, 1);
  if (read_head (&loader, error) && policy_read_queues (&loader, error) && read_rules (&loader, error) &&
      policy_check_queues_used (&loader, error) && policy_check_ring (&loader, error) &&
      collect_averages (&loader, error) && policy_collect_knobs (loader.policy, chain->pdata[0], error)) {
    return loader.policy;
  }
  policy_free (loader.policy);
  return NULL;
}

Policy *policy_load (const char *name_or_path, GError **error) { return load (name_or_path, FALSE, error); }

Policy *policy_load_with_knobs (const char *name_or_path, GError **error) { return load (name_or_path, TRUE, error); }

void policy_free (Policy *policy)
{
  if (!policy) {
    return;
  }
  for (unsigned i = 0; i < policy->n_rules; i++) {
    rule_clear (&policy->rules[i]);
  }
  for (unsigned i = 0; i < policy->n_queues; i++) {
    policy_queue_clear (&policy->queues[i]);
  }
  g_free (policy->ring.origin);
  g_free (policy->ring.flags_text);
  policy_clear_knobs (policy);
  g_free (policy->rules);
  g_free (policy->averages);
  g_free (policy->queues);
  if (policy->bases) {
    g_ptr_array_unref (policy->bases);
  }
  policy_plugin_free (policy->plugin);
  g_free (policy->name);
  g_free (policy->title);
  g_free (policy->source);
  g_free (policy->account);
  g_free (policy->path);
  g_free (policy->kernel_origin);
  g_free (policy);
}

/* ---- use ---- */

typedef struct {
  unsigned sq_entries, cpus, kernel;
} RingFacts;

static double look_up_ring (PolicyVariable variable, void *data)
{
  const RingFacts *facts = data;

  switch (variable) {
  case POLICY_SQ_ENTRIES:
    return facts->sq_entries;
  case POLICY_CPUS:
    return facts->cpus;
  case POLICY_KERNEL:
    return facts->kernel;
  default:
    g_return_val_if_reached (0);
  }
}

unsigned policy_queue_max_workers (const PolicyQueue *queue, unsigned sq_entries, unsigned cpus, unsigned kernel)
{
  RingFacts facts = { sq_entries, cpus, kernel };
  double value = policy_expression_eval (queue->max_workers, look_up_ring, &facts);

  return value >= 1 ? (unsigned) MIN (value, 65536.0) : 1;
}

const PolicyRule *policy_decide (const Policy *policy, PolicyLookup lookup, void *data)
{
  unsigned last = policy->n_rules - 1;

  for (unsigned i = 0; i < last; i++) {
    if (policy_expression_eval (policy->rules[i].match, lookup, data) != 0) {
      return &policy->rules[i];
    }
  }
  return &policy->rules[last];
}

const PolicyRule *policy_decide_by_facts (const Policy *policy, uint64_t facts, PolicyLookup lookup, void *data)
{
  const PolicyRule *rule = policy->rules, *last = rule + policy->n_rules - 1;

  for (; rule < last; rule++) {
    if ((facts & rule->facts_asked) == rule->facts_wanted &&
        (rule->facts_suffice || policy_expression_eval_from (rule->match, rule->facts_skip, lookup, data) != 0)) {
      return rule;
    }
  }
  return last;
}
