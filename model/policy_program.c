/*
 * Evaluation of policy expressions.  A tree becomes a program for a small stack machine with jumps for && and ||;
 * a truth variable and the jump that follows it are one instruction, since rules are mostly made of these.
 */
#include "model/policy_expression_private.h"

#include <float.h>

typedef enum {
  OP_END,
  OP_NUMBER,
  OP_VARIABLE,
  OP_AVERAGE,
  OP_NOT,
  OP_NEGATE,
  OP_TRUTH,
  OP_BINARY,
  OP_JUMP_IF_FALSE,          /* top is 0: leave 0 and jump; else drop it */
  OP_JUMP_IF_TRUE,           /* top is not 0: leave 1 and jump; else drop it */
  OP_VARIABLE_JUMP_IF_FALSE, /* the same with a variable instead of the top; its number is in value */
  OP_VARIABLE_JUMP_IF_TRUE,
  OP_NOT_VARIABLE_JUMP_IF_FALSE
} Operation;

/* Results stay finite, so that no comparison ever meets inf - inf. */
static double saturate (double value) { return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value; }

double node_apply (NodeKind kind, double a, double b)
{
  switch (kind) {
  case NODE_OR:
    return a != 0 || b != 0;
  case NODE_AND:
    return a != 0 && b != 0;
  case NODE_LESS:
    return a < b;
  case NODE_LESS_EQUAL:
    return a <= b;
  case NODE_GREATER:
    return a > b;
  case NODE_GREATER_EQUAL:
    return a >= b;
  case NODE_EQUAL:
    return a == b;
  case NODE_NOT_EQUAL:
    return a != b;
  case NODE_ADD:
    return saturate (a + b);
  case NODE_SUBTRACT:
    return saturate (a - b);
  case NODE_MULTIPLY:
    return saturate (a * b);
  case NODE_DIVIDE:
    return b == 0 ? 0 : saturate (a / b);
  case NODE_MIN:
    return a < b ? a : b;
  case NODE_MAX:
    return a > b ? a : b;
  case NODE_NOT:
    return a == 0;
  case NODE_NEGATE:
    return -a;
  case NODE_NUMBER:
  case NODE_VARIABLE:
  case NODE_AVERAGE:
  case NODE_KNOB:
    break;
  }
  g_return_val_if_reached (0);
}

static unsigned emit (PolicyExpression *e, Operation operation, unsigned argument, double value)
{
  e->program[e->n_instructions] =
      (Instruction){ .value = value, .operation = (uint16_t) operation, .argument = (uint16_t) argument };
  return e->n_instructions++;
}

static gboolean gives_truth (const Node *node)
{
  return node->kind == NODE_NOT || (node->kind >= NODE_OR && node->kind <= NODE_NOT_EQUAL);
}

static void compile (PolicyExpression *e, unsigned index);

/* a && b, a || b: the jump goes behind b. */
static void compile_short_circuit (PolicyExpression *e, const Node *node)
{
  const Node *a = &e->nodes[node->a];
  gboolean and = node->kind == NODE_AND;
  unsigned jump;

  if (a->kind == NODE_VARIABLE) {
    jump = emit (e, and? OP_VARIABLE_JUMP_IF_FALSE : OP_VARIABLE_JUMP_IF_TRUE, 0, a->variable);
  } else if (and&&a->kind == NODE_NOT && e->nodes[a->a].kind == NODE_VARIABLE) {
    jump = emit (e, OP_NOT_VARIABLE_JUMP_IF_FALSE, 0, e->nodes[a->a].variable);
  } else {
    compile (e, node->a);
    jump = emit (e, and? OP_JUMP_IF_FALSE : OP_JUMP_IF_TRUE, 0, 0);
  }
  compile (e, node->b);
  if (!gives_truth (&e->nodes[node->b])) {
    emit (e, OP_TRUTH, 0, 0);
  }
  e->program[jump].argument = (uint16_t) e->n_instructions;
}

static void compile (PolicyExpression *e, unsigned index)
{
  const Node *node = &e->nodes[index];

  switch (node->kind) {
  case NODE_NUMBER:
    emit (e, OP_NUMBER, 0, node->value);
    return;
  case NODE_VARIABLE:
    emit (e, OP_VARIABLE, node->variable, 0);
    return;
  case NODE_AVERAGE:
    emit (e, OP_AVERAGE, node->a, 0);
    return;
  case NODE_KNOB:
    emit (e, OP_NUMBER, node->a + 1u, 0);
    return;
  case NODE_NOT:
  case NODE_NEGATE:
    compile (e, node->a);
    emit (e, node->kind == NODE_NOT ? OP_NOT : OP_NEGATE, 0, 0);
    return;
  case NODE_AND:
  case NODE_OR:
    compile_short_circuit (e, node);
    return;
  default:
    compile (e, node->a);
    compile (e, node->b);
    emit (e, OP_BINARY, node->kind, 0);
  }
}

void policy_program_build (PolicyExpression *e)
{
  /* At most two instructions a node (the node and a jump or OP_TRUTH), and the end. */
  e->program = g_new (Instruction, 2 * e->n_nodes + 1);
  e->n_instructions = 0;
  compile (e, e->root);
  emit (e, OP_END, 0, 0);
}

/* Facts below a node that must hold for it to be true; FALSE if they do not suffice. */
static gboolean node_facts (const PolicyExpression *e, unsigned index, uint64_t *asked, uint64_t *wanted)
{
  const Node *node = &e->nodes[index], *negated = node->kind == NODE_NOT ? &e->nodes[node->a] : NULL;
  const Node *variable = negated ? negated : node;
  gboolean first, second;

  if (node->kind == NODE_AND) {
    first = node_facts (e, node->a, asked, wanted);
    second = node_facts (e, node->b, asked, wanted);
    return first && second;
  }
  if (variable->kind != NODE_VARIABLE || !(POLICY_BIT (variable->variable) & POLICY_FACTS)) {
    return node->kind == NODE_NUMBER && node->value != 0;
  }
  if (*asked & POLICY_BIT (variable->variable)) {
    return !(*wanted & POLICY_BIT (variable->variable)) == (negated != NULL); /* said twice, perhaps contradicting */
  }
  *asked |= POLICY_BIT (variable->variable);
  *wanted |= negated ? 0 : POLICY_BIT (variable->variable);
  return TRUE;
}

int policy_expression_variable (const PolicyExpression *expression)
{
  const Node *root = &expression->nodes[expression->root];

  return root->kind == NODE_VARIABLE ? root->variable : -1;
}

gboolean policy_expression_facts (const PolicyExpression *expression, uint64_t *ret_asked, uint64_t *ret_wanted)
{
  *ret_asked = *ret_wanted = 0;
  return node_facts (expression, expression->root, ret_asked, ret_wanted);
}

void policy_expression_set_knob (PolicyExpression *expression, unsigned knob, double value)
{
  for (unsigned i = 0; i < expression->n_instructions; i++) {
    if (expression->program[i].operation == OP_NUMBER && expression->program[i].argument == knob + 1) {
      expression->program[i].value = value;
    }
  }
  for (unsigned i = 0; i < expression->n_averages; i++) {
    PolicyAverage *average = &expression->averages[i];

    policy_expression_set_knob (average->x, knob, value);
    if (average->tau_knob == (int) knob) {
      average->tau = value;
    }
  }
}

unsigned policy_expression_facts_skip (const PolicyExpression *expression, uint64_t asked, uint64_t wanted)
{
  unsigned n;

  for (n = 0; n < expression->n_instructions; n++) {
    const Instruction *i = &expression->program[n];
    uint64_t bit = i->operation == OP_VARIABLE_JUMP_IF_FALSE || i->operation == OP_NOT_VARIABLE_JUMP_IF_FALSE
                       ? POLICY_BIT ((unsigned) i->value)
                       : 0;

    if (!(bit & asked) || !(bit & wanted) != (i->operation == OP_NOT_VARIABLE_JUMP_IF_FALSE)) {
      break;
    }
  }
  return n;
}

double policy_expression_eval (const PolicyExpression *expression, PolicyLookup lookup, void *data)
{
  return policy_expression_eval_from (expression, 0, lookup, data);
}

double policy_expression_eval_from (const PolicyExpression *expression, unsigned start, PolicyLookup lookup, void *data)
{
  double stack[EXPRESSION_DEPTH_MAX + 2], *top = stack;
  const Instruction *program = expression->program;

  *top = 0;
  for (const Instruction *i = program + start;; i++) {
    switch ((Operation) i->operation) {
    case OP_END:
      return *top;
    case OP_NUMBER:
      *++top = i->value;
      break;
    case OP_VARIABLE:
      *++top = lookup ((PolicyVariable) i->argument, data);
      break;
    case OP_AVERAGE:
      *++top = lookup ((PolicyVariable) (POLICY_VARIABLE_COUNT + expression->first_average + i->argument), data);
      break;
    case OP_NOT:
      *top = *top == 0;
      break;
    case OP_NEGATE:
      *top = -*top;
      break;
    case OP_TRUTH:
      *top = *top != 0;
      break;
    case OP_BINARY:
      top--;
      *top = node_apply ((NodeKind) i->argument, top[0], top[1]);
      break;
    case OP_JUMP_IF_FALSE:
      if (*top == 0) {
        i = program + i->argument - 1;
      } else {
        top--;
      }
      break;
    case OP_JUMP_IF_TRUE:
      if (*top != 0) {
        *top = 1;
        i = program + i->argument - 1;
      } else {
        top--;
      }
      break;
    case OP_VARIABLE_JUMP_IF_FALSE:
      if (lookup ((PolicyVariable) i->value, data) == 0) {
        *++top = 0;
        i = program + i->argument - 1;
      }
      break;
    case OP_VARIABLE_JUMP_IF_TRUE:
      if (lookup ((PolicyVariable) i->value, data) != 0) {
        *++top = 1;
        i = program + i->argument - 1;
      }
      break;
    case OP_NOT_VARIABLE_JUMP_IF_FALSE:
      if (lookup ((PolicyVariable) i->value, data) != 0) {
        *++top = 0;
        i = program + i->argument - 1;
      }
      break;
    }
  }
}
