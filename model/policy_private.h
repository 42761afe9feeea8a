/* Inside of the policy loader: policy.c (files to rules) and policy_check.c (what a list of rules must satisfy). */
#ifndef POLICY_PRIVATE_H
#define POLICY_PRIVATE_H

#include "model/key_file.h"
#include "model/policy.h"

/* Limits over a policy and its bases; the checks in policy_check.c take time in proportion. */
#define POLICY_RULES_MAX 128u
#define POLICY_NODES_MAX 2048u        /* names, numbers and operators in all Match= */
#define POLICY_QUEUES_MAX 16u

/* A rule on its way from files into Policy.rules. */
typedef struct {
  PolicyRule rule;
  char *queue_name;                   /* NULL unless ON_AGAIN_QUEUE */
  unsigned level;                     /* 0: the policy itself, 1: its base, ... */
  const KeyFile *file; char *group;   /* for messages */
} DraftRule;

/*
 * Rules sorted by number, each with its queue resolved.  Refuses rules that can never match or can never be
 * reached because of rules of the same file or its bases; cuts the list after the first rule that always matches
 * (ret_length).  ret_closed is FALSE if there is none.
 */
gboolean policy_check_rules (const GPtrArray *drafts, unsigned *ret_length, gboolean *ret_closed, GError **error);
/* TRUE if the rule's Match= is always true. */
gboolean policy_rule_always (const PolicyRule *rule);
/* Policy.knobs, in the order of the file; `own` is the policy's file. */
gboolean policy_collect_knobs (Policy *policy, const KeyFile *own, GError **error);
void     policy_clear_knobs (Policy *policy);
/* What one rule may not say. */
gboolean policy_check_rule (const DraftRule *draft, GError **error);

#endif
