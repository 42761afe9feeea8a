/*
 * The expressions of policy files: text to tree, by recursive descent over GScanner's tokens.
 * Constants are folded as the tree grows.
 */
#include "model/policy_expression_private.h"

#include "model/key_file.h"
#include "model/suggest.h"

#include <math.h>
#include <string.h>

#define VARIABLE_NAME(id, name, text) name,
#define VARIABLE_TEXT(id, name, text) text,
static const char *const variable_names[] = { POLICY_VARIABLES (VARIABLE_NAME) NULL };
static const char *const variable_texts[] = { POLICY_VARIABLES (VARIABLE_TEXT) };
/* What a word may be, for suggestions. */
#define OUTCOME_NAME(id, name) name,
static const char *const last_outcomes[] = { POLICY_LAST_OUTCOMES (OUTCOME_NAME) };
static const char *const all_words[] = { POLICY_VARIABLES (VARIABLE_NAME) POLICY_LAST_OUTCOMES (OUTCOME_NAME) "min",
                                         "max", "true", "false", NULL };

typedef enum {
  TOKEN_END,
  TOKEN_NUMBER,
  TOKEN_KNOB,
  TOKEN_WORD,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_COMMA,
  TOKEN_OPERATOR
} TokenKind;

typedef struct {
  TokenKind kind;
  NodeKind op;           /* TOKEN_OPERATOR; NODE_SUBTRACT is also the sign, NODE_NOT is "!" */
  char text[64];         /* as written */
  unsigned line, column; /* of its first byte, from 1 and 0 */
} Token;

typedef struct {
  const char *text;
  GScanner *scanner;
  Token now;
  Token operation; /* of the node that is added */
  PolicyExpression *expression;
  unsigned depth;
  GError **error;
} Parser;

const char *policy_variable_name (PolicyVariable variable)
{
  g_return_val_if_fail (variable < POLICY_VARIABLE_COUNT, NULL);
  return variable_names[variable];
}

const char *policy_variable_text (PolicyVariable variable)
{
  g_return_val_if_fail (variable < POLICY_VARIABLE_COUNT, NULL);
  return variable_texts[variable];
}

/* "line:column: message", the line, a caret. */
static gboolean fail_at (Parser *p, unsigned line, unsigned column, const char *message)
{
  const char *start = p->text;
  g_autofree char *shown = NULL, *before = NULL, *prefix = NULL;

  for (unsigned i = 1; i < line && strchr (start, '\n'); i++) {
    start = strchr (start, '\n') + 1;
  }
  column = MIN (column, (unsigned) strcspn (start, "\n"));
  prefix = g_strndup (start, column);
  before = g_strescape (prefix, NULL);
  g_free (prefix);
  prefix = g_strndup (start, strcspn (start, "\n"));
  shown = g_strescape (prefix, "\"");
  g_set_error (p->error, POLICY_ERROR, POLICY_ERROR_SYNTAX, "%u:%u: %s\n  %s\n  %*s^", line, column + 1, message, shown,
               (int) strlen (before), "");
  return FALSE;
}

static gboolean fail_here (Parser *p, const char *message) { return fail_at (p, p->now.line, p->now.column, message); }

static gboolean fail_expected (Parser *p, const char *what)
{
  g_autofree char *quoted = p->now.kind == TOKEN_END ? g_strdup ("the end") : key_file_quote (p->now.text);
  g_autofree char *message = g_strdup_printf ("expected %s, found %s", what, quoted);

  return fail_here (p, message);
}

/* ---- tokens ---- */

static const GScannerConfig scanner_config = {
  .cset_skip_characters = (char *) " \t\r\n",
  /* Digits start "identifiers" too: numbers with units, versions such as 6.10 and names with dots are one kind of
   * word to GScanner, whose own number scanner would follow the locale and refuse the units. */
  .cset_identifier_first = (char *) G_CSET_a_2_z G_CSET_A_2_Z "_0123456789.",
  .cset_identifier_nth = (char *) G_CSET_a_2_z G_CSET_A_2_Z "_0123456789.",
  .cpair_comment_single = (char *) "#\n",
  .case_sensitive = TRUE,
  .scan_identifier = TRUE,
  .scan_identifier_1char = TRUE,
  .char_2_token = TRUE,
};

/* A second character that belongs to the first is taken with it. */
static gboolean take_second (Parser *p, char second)
{
  GTokenType type = g_scanner_peek_next_token (p->scanner);

  if (type != (GTokenType) second || p->scanner->next_line != p->scanner->line ||
      p->scanner->next_position != p->scanner->position + 1) {
    return FALSE;
  }
  g_scanner_get_next_token (p->scanner);
  p->now.text[1] = second;
  p->now.text[2] = '\0';
  return TRUE;
}

/* ?LOW..HIGH: the word behind the '?' belongs to it. */
static gboolean next_knob (Parser *p)
{
  Token *t = &p->now;

  if (g_scanner_peek_next_token (p->scanner) != G_TOKEN_IDENTIFIER) {
    return fail_here (p, "expected a knob, ?LOW..HIGH, such as ?1..64 or ?4KiB..64KiB");
  }
  g_scanner_get_next_token (p->scanner);
  const size_t length = strlen (p->scanner->value.v_identifier);

  if (length >= sizeof t->text || p->scanner->line != t->line || p->scanner->position != t->column + 1 + length) {
    return fail_here (p, "expected a knob, ?LOW..HIGH, without blanks and of at most 62 characters");
  }
  t->kind = TOKEN_KNOB;
  g_strlcpy (t->text, p->scanner->value.v_identifier, sizeof t->text);
  return TRUE;
}

static gboolean next_operator (Parser *p, char c)
{
  Token *t = &p->now;

  t->kind = TOKEN_OPERATOR;
  switch (c) {
  case '(':
    t->kind = TOKEN_OPEN;
    return TRUE;
  case ')':
    t->kind = TOKEN_CLOSE;
    return TRUE;
  case ',':
    t->kind = TOKEN_COMMA;
    return TRUE;
  case '+':
    t->op = NODE_ADD;
    return TRUE;
  case '-':
    t->op = NODE_SUBTRACT;
    return TRUE;
  case '*':
    t->op = NODE_MULTIPLY;
    return TRUE;
  case '/':
    t->op = NODE_DIVIDE;
    return TRUE;
  case '?':
    return next_knob (p);
  case '<':
    t->op = take_second (p, '=') ? NODE_LESS_EQUAL : NODE_LESS;
    return TRUE;
  case '>':
    t->op = take_second (p, '=') ? NODE_GREATER_EQUAL : NODE_GREATER;
    return TRUE;
  case '!':
    t->op = take_second (p, '=') ? NODE_NOT_EQUAL : NODE_NOT;
    return TRUE;
  case '=':
    t->op = NODE_EQUAL;
    return take_second (p, '=') || fail_here (p, "\"=\" is not an operator; did you mean \"==\"?");
  case '&':
    t->op = NODE_AND;
    return take_second (p, '&') || fail_here (p, "\"&\" is not an operator; did you mean \"&&\"?");
  case '|':
    t->op = NODE_OR;
    return take_second (p, '|') || fail_here (p, "\"|\" is not an operator; did you mean \"||\"?");
  default:
    return fail_expected (p, "a number, a name, an operator or a parenthesis");
  }
}

static gboolean next_token (Parser *p)
{
  GTokenType type = g_scanner_get_next_token (p->scanner);
  unsigned length = 1;
  Token *t = &p->now;

  if (type == G_TOKEN_EOF) {
    t->kind = TOKEN_END;
    t->text[0] = '\0';
    t->line = p->scanner->line;
    t->column = p->scanner->position;
    return TRUE;
  }
  if (type == G_TOKEN_IDENTIFIER) {
    length = (unsigned) strlen (p->scanner->value.v_identifier);
    g_strlcpy (t->text, p->scanner->value.v_identifier, sizeof t->text);
  } else {
    t->text[0] = type < G_TOKEN_NONE ? (char) type : '?';
    t->text[1] = '\0';
  }
  t->line = p->scanner->line;
  t->column = p->scanner->position >= length ? p->scanner->position - length : 0;
  if (type != G_TOKEN_IDENTIFIER) {
    return next_operator (p, type < G_TOKEN_NONE ? (char) type : '\0'); /* '\0': no character of its own */
  }
  if (length >= sizeof t->text) {
    return fail_here (p, "a word of more than 63 characters");
  }
  t->kind = g_ascii_isdigit (t->text[0]) || t->text[0] == '.' ? TOKEN_NUMBER : TOKEN_WORD;
  return TRUE;
}

/* ---- tree ---- */

static gboolean add_node (Parser *p, Node node, unsigned *ret_index)
{
  PolicyExpression *e = p->expression;
  const Node *a = &e->nodes[node.a], *b = &e->nodes[node.b];
  gboolean leaf =
      node.kind == NODE_NUMBER || node.kind == NODE_VARIABLE || node.kind == NODE_AVERAGE || node.kind == NODE_KNOB;
  gboolean unary = node.kind == NODE_NOT || node.kind == NODE_NEGATE;

  if (e->n_nodes == EXPRESSION_NODES_MAX) {
    return fail_here (p, "the expression is too long");
  }
  if (!leaf) {
    PolicyUnit unit;

    if (!policy_unit_combine ((NodeKind) node.kind, (PolicyUnit) a->unit, (PolicyUnit) b->unit, &unit)) {
      g_autofree char *complaint = policy_unit_complaint ((PolicyUnit) a->unit, (PolicyUnit) b->unit);

      return fail_at (p, p->operation.line, p->operation.column, complaint);
    }
    node.unit = (uint8_t) unit;
  }
  if (!leaf && a->kind == NODE_NUMBER && (unary || b->kind == NODE_NUMBER)) {
    if (node.kind == NODE_DIVIDE && b->value == 0) {
      return fail_here (p, "division by zero");
    }
    node = (Node){ .kind = NODE_NUMBER,
                   .unit = node.unit,
                   .value = node_apply ((NodeKind) node.kind, a->value, b->value) };
  } else if (node.kind == NODE_AND || node.kind == NODE_OR) {
    /* "true || x", "x && false": x has no effect. */
    double decides = node.kind == NODE_OR;

    if ((a->kind == NODE_NUMBER && (a->value != 0) == decides) ||
        (b->kind == NODE_NUMBER && (b->value != 0) == decides)) {
      node = (Node){ .kind = NODE_NUMBER, .unit = node.unit, .value = decides };
    }
  }
  e->nodes[e->n_nodes] = node;
  *ret_index = e->n_nodes++;
  return TRUE;
}

static gboolean parse_or (Parser *p, unsigned *ret_index);

typedef struct {
  const char *suffix;
  double factor;
  PolicyUnit unit;
} Suffix;

/* A number with or without a unit. */
static gboolean read_number (const char *text, double *ret_value, const Suffix **ret_suffix)
{
  static const Suffix units[] = {
    { "", 1, UNIT_ANY },
    { "B", 1, UNIT_BYTES },
    { "KiB", 1024, UNIT_BYTES },
    { "MiB", 1048576, UNIT_BYTES },
    { "GiB", 1073741824, UNIT_BYTES },
    { "ns", 1, UNIT_TIME },
    { "us", 1e3, UNIT_TIME },
    { "ms", 1e6, UNIT_TIME },
    { "s", 1e9, UNIT_TIME },
  };
  size_t digits = strspn (text, "0123456789.");
  g_autofree char *number = g_strndup (text, digits);
  double value;

  if (key_file_parse_number (number, &value)) {
    for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
      if (strcmp (text + digits, units[i].suffix) == 0) {
        *ret_value = value * units[i].factor;
        *ret_suffix = &units[i];
        return TRUE;
      }
    }
  }
  return FALSE;
}

static gboolean parse_number (Parser *p, unsigned *ret_index)
{
  double value;
  const Suffix *suffix;

  if (!read_number (p->now.text, &value, &suffix)) {
    return fail_expected (p, "a number, also with KiB, MiB, GiB, ns, us, ms or s");
  }
  return add_node (p, (Node){ .kind = NODE_NUMBER, .unit = (uint8_t) suffix->unit, .value = value }, ret_index) &&
         next_token (p);
}

/* ?LOW..HIGH */
static gboolean parse_knob (Parser *p, unsigned *ret_index)
{
  PolicyExpression *e = p->expression;
  const char *dots = strstr (p->now.text, "..");
  const Suffix *high_suffix, *suffix;
  g_autofree char *low = dots ? g_strndup (p->now.text, (gsize) (dots - p->now.text)) : NULL;
  PolicyKnobRange knob = { .start = p->now.column, .length = (unsigned) strlen (p->now.text) + 1 };

  if (!dots || !read_number (dots + 2, &knob.high, &high_suffix) || !read_number (low, &knob.low, &suffix)) {
    return fail_here (p, "expected a knob, ?LOW..HIGH, two numbers, such as ?1..64 or ?4KiB..64KiB");
  }
  if (suffix->unit != high_suffix->unit && suffix->unit != UNIT_ANY && high_suffix->unit != UNIT_ANY) {
    return fail_here (p, "the range of a knob is from a size to a time");
  }
  if (knob.low >= knob.high) {
    return fail_here (p, "the range of a knob is empty: LOW is not less than HIGH");
  }
  if (e->n_knobs == POLICY_KNOBS_MAX) {
    return fail_here (p, "too many knobs");
  }
  knob.unit = suffix->factor;
  g_strlcpy (knob.suffix, suffix->suffix, sizeof knob.suffix);
  knob.whole = !strchr (low, '.') && !strchr (dots + 2, '.');
  e->knobs = g_renew (PolicyKnobRange, e->knobs, e->n_knobs + 1);
  e->knobs[e->n_knobs] = knob;
  const Node node = { .kind = NODE_KNOB,
                      .unit = (uint8_t) MAX (suffix->unit, high_suffix->unit),
                      .a = (uint16_t) e->n_knobs++ };

  return add_node (p, node, ret_index) && next_token (p);
}

static gboolean skip (Parser *p, TokenKind kind, const char *what)
{
  if (p->now.kind != kind) {
    return fail_expected (p, what);
  }
  return next_token (p);
}

/* min(a, b), max(a, b) */
static gboolean parse_function (Parser *p, const Token *word, NodeKind kind, unsigned *ret_index)
{
  unsigned a, b;

  if (!next_token (p) || !parse_or (p, &a) || !skip (p, TOKEN_COMMA, "\",\" (min and max take two values)") ||
      !parse_or (p, &b)) {
    return FALSE;
  }
  p->operation = *word;
  return add_node (p, (Node){ .kind = (uint8_t) kind, .a = (uint16_t) a, .b = (uint16_t) b }, ret_index) &&
         skip (p, TOKEN_CLOSE, "\")\"");
}

/* kernel(6.3) */
static gboolean parse_kernel (Parser *p, unsigned *ret_index)
{
  unsigned kernel;

  if (!next_token (p)) {
    return FALSE;
  }
  if (p->now.kind != TOKEN_NUMBER || !key_file_parse_kernel (p->now.text, &kernel)) {
    return fail_expected (p, "a kernel version, kernel(MAJOR.MINOR)");
  }
  return next_token (p) &&
         add_node (p, (Node){ .kind = NODE_NUMBER, .unit = UNIT_KERNEL, .value = kernel }, ret_index) &&
         skip (p, TOKEN_CLOSE, "\")\"");
}

static unsigned measure (const PolicyExpression *e, unsigned index, guint64 *variables);

/* The tree below `root` as an expression of its own. (transfer full) */
static PolicyExpression *subexpression (const PolicyExpression *e, unsigned root)
{
  PolicyExpression *x = g_new0 (PolicyExpression, 1);

  x->n_nodes = e->n_nodes;
  x->nodes = g_memdup2 (e->nodes, e->n_nodes * sizeof *e->nodes);
  x->root = root;
  measure (x, root, &x->variables);
  policy_program_build (x);
  return x;
}

/* ewma(x, tau), inode_ewma(x, tau) */
static gboolean parse_average (Parser *p, const Token *word, unsigned *ret_index)
{
  PolicyExpression *e = p->expression;
  unsigned before = e->n_averages, x, tau;

  if (!next_token (p) || !parse_or (p, &x) || !skip (p, TOKEN_COMMA, "\",\" (an average takes a value and a time)") ||
      !parse_or (p, &tau) || !skip (p, TOKEN_CLOSE, "\")\"")) {
    return FALSE;
  }
  const int tau_knob = e->nodes[tau].kind == NODE_KNOB ? e->nodes[tau].a : -1;
  const double tau_low = tau_knob >= 0 ? e->knobs[tau_knob].low : e->nodes[tau].value;

  if ((tau_knob < 0 && e->nodes[tau].kind != NODE_NUMBER) || tau_low < 1 || e->nodes[tau].unit != UNIT_TIME) {
    return fail_at (p, word->line, word->column, "the time of an average is a constant of at least 1 ns, such as 10ms");
  }
  if (e->nodes[x].kind == NODE_NUMBER || e->nodes[x].kind == NODE_KNOB) {
    return fail_at (p, word->line, word->column, "the average of a constant");
  }
  if (e->n_averages > before) {
    return fail_at (p, word->line, word->column, "an average of an average");
  }
  if (e->n_averages == POLICY_AVERAGES_MAX) {
    return fail_at (p, word->line, word->column, "too many averages");
  }
  e->averages = g_renew (PolicyAverage, e->averages, e->n_averages + 1);
  e->averages[e->n_averages++] = (PolicyAverage){
    .x = subexpression (e, x), .tau = tau_low, .tau_knob = tau_knob, .by_inode = word->text[0] == 'i'
  };
  return add_node (p, (Node){ .kind = NODE_AVERAGE, .unit = e->nodes[x].unit, .a = (uint16_t) before }, ret_index);
}

/* true, false, and what inode.last_outcome can be. */
static gboolean word_value (const char *word, Node *node)
{
  for (unsigned i = 0; i < LAST_COUNT; i++) {
    if (strcmp (word, last_outcomes[i]) == 0) {
      *node = (Node){ .kind = NODE_NUMBER, .unit = UNIT_OUTCOME, .value = i };
      return TRUE;
    }
  }
  *node = (Node){ .kind = NODE_NUMBER, .unit = UNIT_NUMBER, .value = word[0] == 't' };
  return strcmp (word, "true") == 0 || strcmp (word, "false") == 0;
}

static gboolean parse_word (Parser *p, unsigned *ret_index)
{
  Node constant;
  Token word = p->now;
  g_autofree char *phrase = NULL, *quoted = NULL, *message = NULL;

  if (!next_token (p)) {
    return FALSE;
  }
  if (p->now.kind == TOKEN_OPEN) {
    if (strcmp (word.text, "min") == 0 || strcmp (word.text, "max") == 0) {
      return parse_function (p, &word, word.text[1] == 'i' ? NODE_MIN : NODE_MAX, ret_index);
    }
    if (strcmp (word.text, "kernel") == 0) {
      return parse_kernel (p, ret_index);
    }
    if (strcmp (word.text, "ewma") == 0 || strcmp (word.text, "inode_ewma") == 0) {
      return parse_average (p, &word, ret_index);
    }
    return fail_at (
        p, word.line, word.column,
        "unknown function; there are min(a, b), max(a, b), kernel(6.3), ewma(x, tau) and inode_ewma(x, tau)");
  }
  if (word_value (word.text, &constant)) {
    return add_node (p, constant, ret_index);
  }
  for (unsigned v = 0; v < POLICY_VARIABLE_COUNT; v++) {
    if (strcmp (word.text, variable_names[v]) == 0) {
      const PolicyUnit unit = policy_variable_unit ((PolicyVariable) v);

      return add_node (p, (Node){ .kind = NODE_VARIABLE, .unit = (uint8_t) unit, .variable = (uint8_t) v }, ret_index);
    }
  }
  phrase = suggest_phrase (word.text, all_words);
  quoted = key_file_quote (word.text);
  message = g_strdup_printf ("unknown variable %s%s", quoted, phrase);
  return fail_at (p, word.line, word.column, message);
}

static gboolean parse_primary (Parser *p, unsigned *ret_index)
{
  switch (p->now.kind) {
  case TOKEN_NUMBER:
    return parse_number (p, ret_index);
  case TOKEN_KNOB:
    return parse_knob (p, ret_index);
  case TOKEN_WORD:
    return parse_word (p, ret_index);
  case TOKEN_OPEN:
    return next_token (p) && parse_or (p, ret_index) && skip (p, TOKEN_CLOSE, "an operator or \")\"");
  default:
    return fail_expected (p, "a value");
  }
}

static gboolean parse_unary (Parser *p, unsigned *ret_index)
{
  gboolean ok;

  if (++p->depth > EXPRESSION_DEPTH_MAX) {
    return fail_here (p, "nested too deeply");
  }
  if (p->now.kind == TOKEN_OPERATOR && (p->now.op == NODE_NOT || p->now.op == NODE_SUBTRACT)) {
    uint8_t kind = p->now.op == NODE_NOT ? NODE_NOT : NODE_NEGATE;
    const Token sign = p->now;
    unsigned a;

    ok = next_token (p) && parse_unary (p, &a);
    p->operation = sign;
    ok = ok && add_node (p, (Node){ .kind = kind, .a = (uint16_t) a, .b = (uint16_t) a }, ret_index);
  } else {
    ok = parse_primary (p, ret_index);
  }
  p->depth--;
  return ok;
}

/* Left-associative operators of one level; `first` to `last` in NodeKind. */
static gboolean parse_level (Parser *p, gboolean (*operand) (Parser *, unsigned *), NodeKind first, NodeKind last,
                             unsigned *ret_index)
{
  unsigned a, b;

  if (!operand (p, &a)) {
    return FALSE;
  }
  while (p->now.kind == TOKEN_OPERATOR && p->now.op >= first && p->now.op <= last) {
    Node node = { .kind = (uint8_t) p->now.op };
    const Token sign = p->now;

    if (!next_token (p) || !operand (p, &b)) {
      return FALSE;
    }
    p->operation = sign;
    node.a = (uint16_t) a;
    node.b = (uint16_t) b;
    if (!add_node (p, node, &a)) {
      return FALSE;
    }
    if (first == NODE_LESS && p->now.kind == TOKEN_OPERATOR && p->now.op >= first && p->now.op <= last) {
      return fail_here (p, "comparisons do not chain; write a < b && b < c");
    }
  }
  *ret_index = a;
  return TRUE;
}

static gboolean parse_term (Parser *p, unsigned *r)
{
  return parse_level (p, parse_unary, NODE_MULTIPLY, NODE_DIVIDE, r);
}
static gboolean parse_sum (Parser *p, unsigned *r) { return parse_level (p, parse_term, NODE_ADD, NODE_SUBTRACT, r); }
static gboolean parse_comparison (Parser *p, unsigned *r)
{
  return parse_level (p, parse_sum, NODE_LESS, NODE_NOT_EQUAL, r);
}
static gboolean parse_and (Parser *p, unsigned *r) { return parse_level (p, parse_comparison, NODE_AND, NODE_AND, r); }
static gboolean parse_or (Parser *p, unsigned *r) { return parse_level (p, parse_and, NODE_OR, NODE_OR, r); }

/* Variables in the tree below `index` (folding leaves dead nodes behind), and its depth. */
static unsigned measure (const PolicyExpression *e, unsigned index, guint64 *variables)
{
  const Node *node = &e->nodes[index];
  unsigned a, b;

  if (node->kind == NODE_NUMBER || node->kind == NODE_AVERAGE || node->kind == NODE_KNOB) {
    return 1;
  }
  if (node->kind == NODE_VARIABLE) {
    *variables |= G_GUINT64_CONSTANT (1) << node->variable;
    return 1;
  }
  a = measure (e, node->a, variables);
  b = node->kind == NODE_NOT || node->kind == NODE_NEGATE ? 0 : measure (e, node->b, variables) + 1;
  return MAX (a, b);
}

static gboolean check_text (Parser *p)
{
  size_t n = strlen (p->text);

  if (n > EXPRESSION_TEXT_MAX) {
    g_set_error (p->error, POLICY_ERROR, POLICY_ERROR_SYNTAX, "1:1: an expression of more than %u bytes",
                 EXPRESSION_TEXT_MAX);
    return FALSE;
  }
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char) p->text[i];

    if ((c < ' ' && !strchr ("\t\r\n", c)) || c > '~') {
      return fail_at (p, 1, (unsigned) i, "expected ASCII text");
    }
  }
  return TRUE;
}

PolicyExpression *policy_expression_parse (const char *text, GError **error)
{
  PolicyExpression *e = g_new0 (PolicyExpression, 1);
  Parser p = { .text = text, .expression = e, .error = error };
  gboolean ok = check_text (&p);

  if (ok) {
    e->nodes = g_new (Node, EXPRESSION_NODES_MAX);
    e->nodes[0] = (Node){ .kind = NODE_NUMBER };
    p.scanner = g_scanner_new (&scanner_config);
    g_scanner_input_text (p.scanner, text, (guint) strlen (text));
    ok = next_token (&p) && parse_or (&p, &e->root) &&
         (p.now.kind == TOKEN_END || fail_expected (&p, "an operator or the end"));
    g_scanner_destroy (p.scanner);
  }
  if (ok && measure (e, e->root, &e->variables) > EXPRESSION_DEPTH_MAX) {
    ok = fail_at (&p, 1, 0, "nested too deeply");
  }
  if (!ok) {
    policy_expression_free (e);
    return NULL;
  }
  e->nodes = g_renew (Node, e->nodes, e->n_nodes);
  policy_program_build (e);
  for (unsigned i = 0; i < e->n_knobs; i++) {
    policy_expression_set_knob (e, i, e->knobs[i].low);
  }
  return e;
}

void policy_expression_free (PolicyExpression *expression)
{
  if (!expression) {
    return;
  }
  for (unsigned i = 0; i < expression->n_averages; i++) {
    policy_expression_free (expression->averages[i].x);
  }
  g_free (expression->averages);
  g_free (expression->knobs);
  g_free (expression->nodes);
  g_free (expression->program);
  g_free (expression);
}

gboolean policy_expression_constant (const PolicyExpression *expression, double *ret_value)
{
  const Node *root = &expression->nodes[expression->root];

  if (root->kind != NODE_NUMBER) {
    return FALSE;
  }
  if (ret_value) {
    *ret_value = root->value;
  }
  return TRUE;
}

gboolean policy_expression_uses (const PolicyExpression *expression, PolicyVariable variable)
{
  return (expression->variables >> variable & 1) != 0;
}

const PolicyAverage *policy_expression_averages (const PolicyExpression *expression, unsigned *ret_n)
{
  *ret_n = expression->n_averages;
  return expression->averages;
}

const PolicyKnobRange *policy_expression_knobs (const PolicyExpression *expression, unsigned *ret_n)
{
  *ret_n = expression->n_knobs;
  return expression->knobs;
}

void policy_expression_number_averages (PolicyExpression *expression, unsigned first)
{
  expression->first_average = first;
}
