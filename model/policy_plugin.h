/*
 * Policies in C: a shared object that the user names is loaded with GModule and asked for its table, see
 * uringsim-policy.h.  It becomes a Policy whose base is a policy of the usual kind.
 */
#ifndef POLICY_PLUGIN_H
#define POLICY_PLUGIN_H

#include "model/policy.h"
#include "model/uringsim-policy.h"

#define POLICY_PLUGIN_SUFFIX ".so"

struct PolicyPlugin {
  const uringsim_policy *table;
  unsigned n_choices; PolicyRule *choices;      /* number: from 0 */
};

/* `path` is opened as it is, nowhere searched for.  (transfer full); NULL with POLICY_ERROR.  The object stays loaded
 * until the program ends. */
Policy *policy_plugin_load (const char *path, GError **error);
void    policy_plugin_free (PolicyPlugin *plugin);              /* accepts NULL */

#endif
