/*
 * Units in the expressions of policy files: a size is not compared with a time, a kernel version not with a bare
 * number.  A literal without a unit goes with every quantity.
 */
#include "model/policy_expression_private.h"

static const char *const names[] = {
  [UNIT_ANY] = "a bare number", [UNIT_NUMBER] = "a number without a unit", [UNIT_BYTES] = "a size in bytes",
  [UNIT_TIME] = "a time",       [UNIT_KERNEL] = "a kernel version",        [UNIT_OUTCOME] = "an outcome",
};

const char *policy_unit_name (PolicyUnit unit)
{
  g_return_val_if_fail (unit < G_N_ELEMENTS (names), NULL);
  return names[unit];
}

PolicyUnit policy_variable_unit (PolicyVariable variable)
{
  switch (variable) {
  case POLICY_SIZE:
    return UNIT_BYTES;
  case POLICY_KERNEL:
    return UNIT_KERNEL;
  case POLICY_INODE_LAST:
    return UNIT_OUTCOME;
  default:
    return UNIT_NUMBER;
  }
}

/* Kernel versions and outcomes are compared with their own kind and nothing else is done with them. */
static gboolean only_compared (PolicyUnit unit) { return unit == UNIT_KERNEL || unit == UNIT_OUTCOME; }

static gboolean is_plain (PolicyUnit unit) { return unit == UNIT_ANY || unit == UNIT_NUMBER; }

gboolean policy_unit_combine (NodeKind kind, PolicyUnit a, PolicyUnit b, PolicyUnit *ret_unit)
{
  switch (kind) {
  case NODE_OR:
  case NODE_AND:
  case NODE_NOT:
    *ret_unit = UNIT_NUMBER;
    return TRUE;
  case NODE_NEGATE:
    *ret_unit = a;
    return !only_compared (a);
  case NODE_MULTIPLY:
    *ret_unit = is_plain (a) ? MAX (a, b) : is_plain (b) ? a : UNIT_ANY;
    return !only_compared (a) && !only_compared (b);
  case NODE_DIVIDE:
    *ret_unit = is_plain (b) ? MAX (a, b) : a == b ? UNIT_NUMBER : UNIT_ANY;
    return !only_compared (a) && !only_compared (b);
  case NODE_ADD:
  case NODE_SUBTRACT:
    if (only_compared (a)) {
      return FALSE;
    }
    break;
  default:
    break;
  }
  if (a != b && !(a == UNIT_ANY && !only_compared (b)) && !(b == UNIT_ANY && !only_compared (a))) {
    return FALSE;
  }
  *ret_unit = kind >= NODE_LESS && kind <= NODE_NOT_EQUAL ? UNIT_NUMBER : MAX (a, b);
  return TRUE;
}

char *policy_unit_complaint (PolicyUnit a, PolicyUnit b)
{
  const gboolean version = a == UNIT_KERNEL || b == UNIT_KERNEL, outcome = a == UNIT_OUTCOME || b == UNIT_OUTCOME;

  if (a == b) {
    return g_strdup_printf ("%s can only be compared with another", names[a]);
  }
  return g_strdup_printf ("%s and %s do not go together%s", names[a], names[b],
                          version   ? "; a version is written kernel(6.3)"
                          : outcome ? "; an outcome is none, inline, punted, async or failed"
                                    : "");
}
