/* Inside of PolicyExpression, shared by policy_expression.c (text to tree), policy_program.c
 * (tree to program, evaluation), policy_unit.c (what goes with what) and policy_range.c (which values a tree can have). */
#ifndef POLICY_EXPRESSION_PRIVATE_H
#define POLICY_EXPRESSION_PRIVATE_H

#include "model/policy.h"

#define EXPRESSION_TEXT_MAX 4096u   /* bytes */
#define EXPRESSION_NODES_MAX 512u
#define EXPRESSION_DEPTH_MAX 64u    /* nested operators, also the largest stack of a program */

typedef enum {
  NODE_NUMBER, NODE_VARIABLE, NODE_NOT, NODE_NEGATE, NODE_OR, NODE_AND,
  NODE_LESS, NODE_LESS_EQUAL, NODE_GREATER, NODE_GREATER_EQUAL, NODE_EQUAL, NODE_NOT_EQUAL,
  NODE_ADD, NODE_SUBTRACT, NODE_MULTIPLY, NODE_DIVIDE, NODE_MIN, NODE_MAX,
  NODE_AVERAGE,           /* a leaf: number of the average in a, whose x is an expression of its own */
  NODE_KNOB               /* a leaf: number of the knob in a; any value of its range until one is set */
} NodeKind;

/* What a value counts; UNIT_ANY: a literal without a unit, which goes with numbers, bytes and times. */
typedef enum { UNIT_ANY, UNIT_NUMBER, UNIT_BYTES, UNIT_TIME, UNIT_KERNEL, UNIT_OUTCOME } PolicyUnit;

typedef struct {
  double value;           /* NODE_NUMBER */
  uint8_t kind;           /* NodeKind */
  uint8_t variable;       /* NODE_VARIABLE */
  uint8_t unit;           /* PolicyUnit */
  uint16_t a, b;          /* operands: indices into nodes */
} Node;

/* One instruction of the program, see policy_program.c.  OP_NUMBER has the knob whose value it is, counted from 1, or
 * 0 in argument. */
typedef struct { double value; uint16_t operation, argument; } Instruction;

struct PolicyExpression {
  unsigned n_nodes, root; Node *nodes;
  unsigned n_instructions; Instruction *program;
  unsigned n_averages, first_average; PolicyAverage *averages;
  unsigned n_knobs; PolicyKnobRange *knobs;     /* not in the x of an average: its nodes count those of the whole */
  guint64 variables;      /* bit per PolicyVariable used, not counting those inside averages */
};

double node_apply (NodeKind kind, double a, double b);
/* Fills program and n_instructions; knobs stand at 0. */
void   policy_program_build (PolicyExpression *expression);

/* What an expression that is a conjunction asks of POLICY_FACTS; TRUE if that is all it asks. */
gboolean policy_expression_facts (const PolicyExpression *expression, uint64_t *ret_asked, uint64_t *ret_wanted);
/* How many instructions at its start test these facts only. */
unsigned policy_expression_facts_skip (const PolicyExpression *expression, uint64_t asked, uint64_t wanted);
/* policy_expression_eval() from the instruction with this number on. */
double policy_expression_eval_from (const PolicyExpression *expression, unsigned start, PolicyLookup lookup, void *data);

/* ---- policy_unit.c ---- */
PolicyUnit  policy_variable_unit (PolicyVariable variable);
/* The unit of what an operator makes of its operands (a unary one: a == b); FALSE if they do not go together. */
gboolean    policy_unit_combine (NodeKind kind, PolicyUnit a, PolicyUnit b, PolicyUnit *ret_unit);
/* What is wrong then. (transfer full) */
char       *policy_unit_complaint (PolicyUnit a, PolicyUnit b);
const char *policy_unit_name (PolicyUnit unit);
/* Of the whole. */
static inline PolicyUnit policy_expression_unit (const PolicyExpression *expression)
{
  return (PolicyUnit) expression->nodes[expression->root].unit;
}

/* The values an expression can have. */
typedef struct { double low, high; } Range;
/* `truth`: one bit per PolicyVariable that is a truth value and set; the others are clear.
 * Numbers range over all they can be. */
Range  policy_range_under (const PolicyExpression *expression, guint64 truth);

/* Calls `visit` for every consistent assignment of the truth variables in `variables` (a request has one operation
 * and is buffered or direct), until it returns FALSE. */
void   policy_range_each (guint64 variables, gboolean (*visit) (guint64 truth, void *data), void *data);

#endif
