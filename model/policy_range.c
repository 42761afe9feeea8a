/*
 * Which values an expression can have: interval arithmetic over numbers, and every consistent assignment of
 * the truth variables.  This finds rules that can never match and rules that always do.
 */
#include "model/policy_expression_private.h"

#include <float.h>

#define BIT(variable) (G_GUINT64_CONSTANT (1) << (variable))

static const guint64 operations = BIT (POLICY_READ) | BIT (POLICY_WRITE) | BIT (POLICY_SYNC);
static const guint64 places = BIT (POLICY_APPEND) | BIT (POLICY_EXTEND) | BIT (POLICY_OVERWRITE);
static const guint64 modes = BIT (POLICY_BUFFERED) | BIT (POLICY_DIRECT);
static const guint64 truths =
    BIT (POLICY_READ) | BIT (POLICY_WRITE) | BIT (POLICY_SYNC) | BIT (POLICY_BUFFERED) | BIT (POLICY_DIRECT) |
    BIT (POLICY_REGULAR) | BIT (POLICY_FORCE_ASYNC) | BIT (POLICY_APPEND) | BIT (POLICY_EXTEND) |
    BIT (POLICY_OVERWRITE) | BIT (POLICY_SQ_THREAD) | BIT (POLICY_NOWAIT) | BIT (POLICY_WASYNC) | BIT (POLICY_RASYNC) |
    BIT (POLICY_DIO_PARALLEL) | BIT (POLICY_INODE_LOCKED) | BIT (POLICY_PAGE_RESIDENT) | BIT (POLICY_PAGE_DIRTY);

/* What the numbers can be, given the assignment of the truths and the comparisons that narrow them. */
typedef struct {
  guint64 truth;
  guint64 narrowed; /* bit per variable that has an entry below */
  Range range[POLICY_VARIABLE_COUNT];
} Facts;

static Range range_of_variable (PolicyVariable variable, const Facts *facts)
{
  if (truths & BIT (variable)) {
    double value = (facts->truth & BIT (variable)) != 0;

    return (Range){ value, value };
  }
  if (facts->narrowed & BIT (variable)) {
    return facts->range[variable];
  }
  switch (variable) {
  case POLICY_CACHE_DIRTY:
  case POLICY_SQE_LINK:
  case POLICY_SQE_DRAIN:
  case POLICY_SQE_FIXED_FILE:
    return (Range){ 0, 1 };
  case POLICY_INODE_LAST:
    return (Range){ 0, LAST_COUNT - 1 };
  case POLICY_SQ_ENTRIES:
    return (Range){ 1, 32768 };
  case POLICY_CPUS:
    return (Range){ 1, DBL_MAX };
  case POLICY_KERNEL:
    return (Range){ KERNEL (1, 0), KERNEL (99, 999) };
  default:
    return (Range){ 0, DBL_MAX };
  }
}

static gboolean surely_true (Range r) { return r.low > 0 || r.high < 0; }
static gboolean surely_false (Range r) { return r.low == 0 && r.high == 0; }

static Range truth_range (gboolean yes, gboolean no) { return (Range){ yes ? 1 : 0, no ? 0 : 1 }; }

/* The hull of the four corners. */
static Range corners (NodeKind kind, Range a, Range b)
{
  double corner[4] = { node_apply (kind, a.low, b.low), node_apply (kind, a.low, b.high),
                       node_apply (kind, a.high, b.low), node_apply (kind, a.high, b.high) };
  Range hull = { DBL_MAX, -DBL_MAX };

  for (unsigned i = 0; i < 4; i++) {
    hull.low = MIN (hull.low, corner[i]);
    hull.high = MAX (hull.high, corner[i]);
  }
  return hull;
}

static Range binary (NodeKind kind, Range a, Range b)
{
  switch (kind) {
  case NODE_AND:
    return truth_range (surely_true (a) && surely_true (b), surely_false (a) || surely_false (b));
  case NODE_OR:
    return truth_range (surely_true (a) || surely_true (b), surely_false (a) && surely_false (b));
  case NODE_LESS:
    return truth_range (a.high < b.low, a.low >= b.high);
  case NODE_LESS_EQUAL:
    return truth_range (a.high <= b.low, a.low > b.high);
  case NODE_GREATER:
    return truth_range (a.low > b.high, a.high <= b.low);
  case NODE_GREATER_EQUAL:
    return truth_range (a.low >= b.high, a.high < b.low);
  case NODE_EQUAL:
    return truth_range (a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
  case NODE_NOT_EQUAL:
    return truth_range (a.high < b.low || b.high < a.low, a.low == a.high && b.low == b.high && a.low == b.low);
  case NODE_DIVIDE:
    if (b.low <= 0 && b.high >= 0) {
      return (Range){ -DBL_MAX, DBL_MAX };
    }
    return corners (kind, a, b);
  default:
    return corners (kind, a, b);
  }
}

static Range range_of (const PolicyExpression *e, unsigned index, const Facts *facts)
{
  const Node *node = &e->nodes[index];
  Range a;

  switch (node->kind) {
  case NODE_NUMBER:
    return (Range){ node->value, node->value };
  case NODE_VARIABLE:
    return range_of_variable ((PolicyVariable) node->variable, facts);
  case NODE_KNOB:
    return (Range){ e->knobs[node->a].low, e->knobs[node->a].high };
  case NODE_AVERAGE: /* of anything, at any time */
    return (Range){ -DBL_MAX, DBL_MAX };
  case NODE_NOT:
    a = range_of (e, node->a, facts);
    return truth_range (surely_false (a), surely_true (a));
  case NODE_NEGATE:
    a = range_of (e, node->a, facts);
    return (Range){ -a.high, -a.low };
  default:
    return binary ((NodeKind) node->kind, range_of (e, node->a, facts), range_of (e, node->b, facts));
  }
}

/*
 * Narrows the variables by what must hold for the tree to be true: "variable < number" and the like, joined by &&.
 * FALSE if nothing is left of one of them.
 */
static gboolean narrow (const PolicyExpression *e, unsigned index, Facts *facts)
{
  const Node *node = &e->nodes[index], *variable = &e->nodes[node->a], *number = &e->nodes[node->b];
  NodeKind kind = (NodeKind) node->kind;
  Range range;

  if (kind == NODE_AND) {
    return narrow (e, node->a, facts) && narrow (e, node->b, facts);
  }
  if (kind < NODE_LESS || kind > NODE_EQUAL) {
    return TRUE;
  }
  if (variable->kind == NODE_NUMBER) { /* 4 < size is size > 4 */
    static const NodeKind mirrored[] = { NODE_GREATER, NODE_GREATER_EQUAL, NODE_LESS, NODE_LESS_EQUAL, NODE_EQUAL };
    const Node *swap = variable;

    variable = number;
    number = swap;
    kind = mirrored[kind - NODE_LESS];
  }
  if (variable->kind != NODE_VARIABLE || number->kind != NODE_NUMBER || (truths & BIT (variable->variable))) {
    return TRUE;
  }
  range = range_of_variable ((PolicyVariable) variable->variable, facts);
  if (kind != NODE_GREATER && kind != NODE_GREATER_EQUAL) {
    range.high = MIN (range.high, number->value);
  }
  if (kind != NODE_LESS && kind != NODE_LESS_EQUAL) {
    range.low = MAX (range.low, number->value);
  }
  facts->range[variable->variable] = range;
  facts->narrowed |= BIT (variable->variable);
  if (kind == NODE_LESS) {
    return range.low < number->value;
  }
  if (kind == NODE_GREATER) {
    return range.high > number->value;
  }
  return range.low <= range.high;
}

Range policy_range_under (const PolicyExpression *expression, guint64 truth)
{
  Facts facts = { .truth = truth };
  Range range = range_of (expression, expression->root, &facts);

  if (range.low == 0 && range.high > 0 && !narrow (expression, expression->root, &facts)) {
    return (Range){ 0, 0 };
  }
  return range;
}

static gboolean consistent (guint64 truth, guint64 variables)
{
  guint64 operation = truth & operations, mode = truth & modes;

  if (operation & (operation - 1)) {
    return FALSE;
  }
  if (mode == modes) {
    return FALSE;
  }
  /* It ends beyond the end of the file, which is also called append, or lies inside. */
  if ((truth & BIT (POLICY_OVERWRITE)) && (truth & places) != BIT (POLICY_OVERWRITE)) {
    return FALSE;
  }
  if ((variables & BIT (POLICY_OVERWRITE)) && (variables & places) != BIT (POLICY_OVERWRITE) && !(truth & places)) {
    return FALSE;
  }
  if ((variables & BIT (POLICY_APPEND)) && (variables & BIT (POLICY_EXTEND)) &&
      !(truth & BIT (POLICY_APPEND)) != !(truth & BIT (POLICY_EXTEND))) {
    return FALSE;
  }
  return mode != 0 || (variables & modes) != modes;
}

void policy_range_each (guint64 variables, gboolean (*visit) (guint64 truth, void *data), void *data)
{
  guint64 used = variables & truths, truth = 0;

  do { /* all subsets of `used` */
    if (consistent (truth, used) && !visit (truth, data)) {
      return;
    }
    truth = (truth - used) & used;
  } while (truth);
}
