/* Inside of the policy loader: policy.c (files to rules), policy_queue.c (queues and defaults) and policy_check.c (what a
 * list of rules must satisfy). */
#ifndef POLICY_PRIVATE_H
#define POLICY_PRIVATE_H

#include "model/key_file.h"
#include "model/policy.h"

/* Limits over a policy and its bases; the checks in policy_check.c take time in proportion. */
#define POLICY_RULES_MAX 128u
#define POLICY_NODES_MAX 2048u        /* names, numbers and operators in all Match= */
#define POLICY_QUEUES_MAX 16u
#define QUEUE_PREFIX "Queue "

/* One policy while it is being read. */
typedef struct {
  const GPtrArray *chain;    /* of KeyFile, the policy first */
  GPtrArray *drafts;         /* of DraftRule */
  gboolean knobs;            /* allowed */
  unsigned n_rules, n_nodes; /* read so far, replaced ones too */
  Policy *policy;
} Loader;

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
/* The value of an expression key and its text; errors are one line with the column.  (transfer full) */
PolicyExpression *policy_get_expression (const Loader *l, const KeyFile *file, const char *group, const char *key,
                                         char **ret_text, GError **error);

/* ---- policy_queue.c: [Queue NAME], [Worker], [Ring] of all files of the chain ---- */
/* The known keys of such a group, ending with NULL; NULL if it is no such group.  FALSE with error set if its name is bad. */
gboolean policy_queue_group_keys (const KeyFile *file, const char *group, const char *const **ret_keys, GError **error);
gboolean policy_read_queues (Loader *l, GError **error);
PolicyQueue *policy_find_queue (const Policy *policy, const char *name);
gboolean policy_check_queues_used (const Loader *l, GError **error);
/* Whether the policy's kernel sets up a ring as [Ring] says. */
gboolean policy_check_ring (const Loader *l, GError **error);
void     policy_queue_clear (PolicyQueue *queue);

/* What one rule may not say. */
gboolean policy_check_rule (const DraftRule *draft, GError **error);

#endif
