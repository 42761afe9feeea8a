/* What a list of rules must satisfy: no rule without effect, no attempt that contradicts its match. */
#include "model/policy_private.h"

#include "model/policy_expression_private.h"

#include <string.h>

#define BIT(variable) (G_GUINT64_CONSTANT (1) << (variable))

static gboolean may_be_true (Range r) { return !(r.low == 0 && r.high == 0); }
static gboolean surely_true (Range r) { return r.low > 0 || r.high < 0; }

/* ---- one rule ---- */

typedef struct {
  const PolicyExpression *match;
  gboolean outside, always;
} OneRule;

static gboolean visit_always (guint64 truth, void *data)
{
  OneRule *one = data;

  one->always = surely_true (policy_range_under (one->match, truth));
  return one->always;
}

gboolean policy_rule_always (const PolicyRule *rule)
{
  OneRule one = { rule->match, FALSE, TRUE };

  policy_range_each (rule->match->variables, visit_always, &one);
  return one.always;
}

/* Can it match anything but a buffered read? */
static gboolean visit_outside (guint64 truth, void *data)
{
  OneRule *one = data;

  if ((truth & BIT (POLICY_READ)) && !(truth & BIT (POLICY_DIRECT))) {
    return TRUE;
  }
  one->outside = may_be_true (policy_range_under (one->match, truth));
  return !one->outside;
}

gboolean policy_check_rule (const DraftRule *draft, GError **error)
{
  const PolicyRule *rule = &draft->rule;
  OneRule one = { rule->match, FALSE, FALSE };

  if (rule->attempt == ATTEMPT_NONE && rule->on_again != ON_AGAIN_QUEUE && rule->on_again != ON_AGAIN_FAIL) {
    key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                        "Attempt=none goes to a queue (or fail): poll and callback need an attempt that said EAGAIN");
    return FALSE;
  }
  if (rule->retries && (rule->attempt == ATTEMPT_NONE || rule->attempt == ATTEMPT_BLOCKING)) {
    key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                        "retry:%u needs an attempt that can say EAGAIN: Attempt=nonblock or trylock", rule->retries);
    return FALSE;
  }
  if (rule->on_again != ON_AGAIN_CALLBACK) {
    return TRUE;
  }
  policy_range_each (rule->match->variables | BIT (POLICY_READ) | BIT (POLICY_BUFFERED) | BIT (POLICY_DIRECT),
                     visit_outside, &one);
  if (one.outside) {
    key_file_set_error (error, draft->file, draft->group, "OnAgain", KEY_FILE_VALUE,
                        "OnAgain=callback exists for buffered reads only, and Match= lets other requests in");
  }
  return !one.outside;
}

/* ---- the list ---- */

/* A set of rules of the list. */
typedef struct {
  guint64 bits[(POLICY_RULES_MAX + 63) / 64];
} RuleSet;

static void set_add (RuleSet *set, unsigned i) { set->bits[i / 64] |= BIT (i % 64); }
static gboolean set_has (const RuleSet *set, unsigned i) { return (set->bits[i / 64] & BIT (i % 64)) != 0; }

typedef struct {
  const GPtrArray *drafts;
  gboolean matches[POLICY_RULES_MAX], reached[POLICY_RULES_MAX];
  RuleSet hidden_by[POLICY_RULES_MAX]; /* the rules before it that match whenever it may */
} Reach;

/*
 * Under one assignment: which rules may match, and which of these come before all that surely do.  A rule counts
 * only against rules of its own file and of files above: a child may well hide its base's rules.
 */
static gboolean visit_list (guint64 truth, void *data)
{
  Reach *reach = data;
  RuleSet sure = { { 0 } };
  int covered = -1; /* the level furthest from the policy itself that has surely matched so far */
  gboolean done = TRUE;

  for (unsigned i = 0; i < reach->drafts->len; i++) {
    const DraftRule *draft = reach->drafts->pdata[i];
    Range range = policy_range_under (draft->rule.match, truth);

    if (may_be_true (range)) {
      reach->matches[i] = TRUE;
      if (covered < (int) draft->level) {
        reach->reached[i] = TRUE;
      }
      for (unsigned word = 0; word < G_N_ELEMENTS (sure.bits); word++) {
        reach->hidden_by[i].bits[word] &= sure.bits[word];
      }
    }
    if (surely_true (range)) {
      covered = MAX (covered, (int) draft->level);
      set_add (&sure, i);
    }
    done = done && reach->reached[i];
  }
  return !done;
}

static void unreachable (const Reach *reach, unsigned i, GError **error)
{
  const DraftRule *draft = reach->drafts->pdata[i];
  unsigned by = 0;

  while (by < i &&
         !(set_has (&reach->hidden_by[i], by) && ((DraftRule *) reach->drafts->pdata[by])->level >= draft->level)) {
    by++;
  }
  if (by < i) {
    const DraftRule *hides = reach->drafts->pdata[by];

    key_file_set_error (error, draft->file, draft->group, NULL, (KeyFileErrorCode) POLICY_ERROR_RULES,
                        "[%s] can never be reached: [%s] (%s) matches whatever it would", draft->group, hides->group,
                        hides->rule.origin);
  } else {
    key_file_set_error (error, draft->file, draft->group, NULL, (KeyFileErrorCode) POLICY_ERROR_RULES,
                        "[%s] can never be reached: the rules before it together match whatever it would",
                        draft->group);
  }
}

static gboolean check_reach (const Reach *reach, GError **error)
{
  for (unsigned i = 0; i < reach->drafts->len; i++) {
    const DraftRule *draft = reach->drafts->pdata[i];

    if (!reach->matches[i]) {
      g_autofree char *quoted = key_file_quote (draft->rule.match_text);

      key_file_set_error (error, draft->file, draft->group, "Match", (KeyFileErrorCode) POLICY_ERROR_RULES,
                          "[%s] can never match: %s is always false", draft->group, quoted);
      return FALSE;
    }
    if (!reach->reached[i]) {
      unreachable (reach, i, error);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean policy_check_rules (const GPtrArray *drafts, unsigned *ret_length, gboolean *ret_closed, GError **error)
{
  g_autofree Reach *reach = g_new0 (Reach, 1);
  guint64 variables = 0;

  g_return_val_if_fail (drafts->len <= POLICY_RULES_MAX, FALSE);
  reach->drafts = drafts;
  memset (reach->hidden_by, 0xff, sizeof reach->hidden_by);
  for (unsigned i = 0; i < drafts->len; i++) {
    variables |= ((const DraftRule *) drafts->pdata[i])->rule.match->variables;
  }
  policy_range_each (variables, visit_list, reach);
  if (!check_reach (reach, error)) {
    return FALSE;
  }
  *ret_length = drafts->len;
  *ret_closed = FALSE;
  for (unsigned i = 0; i < drafts->len && !*ret_closed; i++) {
    if (policy_rule_always (&((const DraftRule *) drafts->pdata[i])->rule)) {
      *ret_length = i + 1;
      *ret_closed = TRUE;
    }
  }
  return TRUE;
}
