/* Policy expressions: values, what is folded, what is refused and where the caret stands, and that nothing is asked for
 * in vain. */
#include "model/policy_expression_private.h"
#include "src/engine/random.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <string.h>

#define SYNTAX(id, name, text) name,
static const char *const names[] = { POLICY_VARIABLES (SYNTAX) };

/* A request: 64 KiB buffered write, 16 entries, 4 CPUs; counts what was asked. */
typedef struct {
  double value[POLICY_VARIABLE_COUNT];
  unsigned asked[POLICY_VARIABLE_COUNT], total;
} Request;

static double look_up (PolicyVariable variable, void *data)
{
  Request *request = data;

  request->asked[variable]++;
  request->total++;
  return request->value[variable];
}

static void fill_request (Request *request)
{
  memset (request, 0, sizeof *request);
  request->value[POLICY_WRITE] = 1;
  request->value[POLICY_BUFFERED] = 1;
  request->value[POLICY_SIZE] = 65536;
  request->value[POLICY_SQ_ENTRIES] = 16;
  request->value[POLICY_CPUS] = 4;
  request->value[POLICY_KERNEL] = KERNEL (6, 3);
  request->value[POLICY_CACHE_DIRTY] = 0.25;
}

static const struct {
  const char *text;
  double value;
} value_rows[] = {
  { "true", 1 },
  { "false", 0 },
  { "1", 1 },
  { "0.5", 0.5 },
  { " 7 ", 7 },
  { "1 + 2 * 3", 7 },
  { "(1 + 2) * 3", 9 },
  { "10 - 4 - 3", 3 },
  { "12 / 3 / 2", 2 },
  { "-3 + 5", 2 },
  { "--3", 3 },
  { "2 - -3", 5 },
  { "1 / 4", 0.25 },
  { "4KiB", 4096 },
  { "1MiB", 1048576 },
  { "1GiB", 1073741824 },
  { "2us", 2000 },
  { "3ms", 3000000 },
  { "1s", 1e9 },
  { "5ns", 5 },
  { "1.5KiB", 1536 },
  { "8B", 8 },
  { "kernel(6.3)", 6003 },
  { "kernel(6.18)", 6018 },
  { "kernel(6.3) < kernel(6.18)", 1 },
  { "kernel >= kernel(6.3)", 1 },
  { "kernel < kernel(6.3)", 0 },
  { "1 < 2", 1 },
  { "2 < 1", 0 },
  { "2 <= 2", 1 },
  { "3 <= 2", 0 },
  { "2 > 1", 1 },
  { "1 > 2", 0 },
  { "2 >= 2", 1 },
  { "1 >= 2", 0 },
  { "2 == 2", 1 },
  { "2 == 3", 0 },
  { "2 != 3", 1 },
  { "2 != 2", 0 },
  { "!0", 1 },
  { "!5", 0 },
  { "!!5", 1 },
  { "1 && 2", 1 },
  { "1 && 0", 0 },
  { "0 || 0", 0 },
  { "0 || 7", 1 },
  { "1 || 0 && 0", 1 },
  { "(1 || 0) && 0", 0 },
  { "min(3, 4)", 3 },
  { "max(3, 4)", 4 },
  { "max(1, min(sq_entries - 1, 2*cpus))", 8 },
  { "min(sq_entries, 4*cpus)", 16 },
  { "min(cpus, 1) + max(cpus, 9)", 10 },
  { "write", 1 },
  { "read", 0 },
  { "!read", 1 },
  { "write && buffered", 1 },
  { "write && direct", 0 },
  { "read || direct || write", 1 },
  { "read || direct", 0 },
  { "!write || buffered", 1 },
  { "!write && buffered", 0 },
  { "write && !read && size", 1 },
  { "write && size", 1 },
  { "read || size", 1 },
  { "size > 4KiB", 1 },
  { "4KiB > size", 0 },
  { "size == 64KiB && cache.dirty_ratio < 0.5", 1 },
  { "write && buffered && !force_async", 1 },
  { "(write && size > 128KiB) || (buffered && size <= 64KiB)", 1 },
  { "size / read", 0 },
  { "1 + (write && read)", 1 },
  { "-size < 0", 1 },
  { "!(read || direct) && !(sync || append)", 1 },
  { "write == buffered", 1 },
  { "inode.last_outcome == none", 1 },
  { "inode.last_outcome == punted", 0 },
  { "failed > inline", 1 },
  { "true || read", 1 },
  { "read && false", 0 },
  { "size*0", 0 },
};

static void test_values (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (value_rows); i++) {
    g_autoptr (GError) error = NULL;
    PolicyExpression *expression = policy_expression_parse (value_rows[i].text, &error);
    Request request;
    double value;

    if (!ROW_CHECK (expression, "%s: %s", value_rows[i].text, row_error (error))) {
      continue;
    }
    fill_request (&request);
    value = policy_expression_eval (expression, look_up, &request);
    ROW_CHECK (value == value_rows[i].value, "%s gave %g, expected %g", value_rows[i].text, value, value_rows[i].value);
    policy_expression_free (expression);
  }
}

static void test_constants (void)
{
  static const struct {
    const char *text;
    gboolean constant;
    double value;
  } rows[] = {
    { "true", TRUE, 1 },
    { "1 + 2", TRUE, 3 },
    { "min(2, 3) * 4", TRUE, 8 },
    { "write", FALSE, 0 },
    { "write || true", TRUE, 1 },
    { "false && write", TRUE, 0 },
    { "write && true", FALSE, 0 },
    { "size * 0", FALSE, 0 },
    { "!(1 > 2)", TRUE, 1 },
    { "kernel(5.4) > kernel(5.3)", TRUE, 1 },
    { "kernel > kernel(5.3)", FALSE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PolicyExpression *expression = policy_expression_parse (rows[i].text, NULL);
    double value = -1;

    CU_ASSERT_PTR_NOT_NULL_FATAL (expression);
    ROW_CHECK (policy_expression_constant (expression, &value) == rows[i].constant, "%s", rows[i].text);
    if (rows[i].constant) {
      ROW_CHECK (value == rows[i].value, "%s gave %g", rows[i].text, value);
    }
    policy_expression_free (expression);
  }
}

/* A variable behind && or || is asked for only if it matters. */
static void test_short_circuit (void)
{
  static const struct {
    const char *text;
    unsigned lookups;
    PolicyVariable last;
    unsigned last_asked;
  } rows[] = {
    { "read && size > 1", 1, POLICY_SIZE, 0 },
    { "write && size > 1", 2, POLICY_SIZE, 1 },
    { "write || size > 1", 1, POLICY_SIZE, 0 },
    { "!write && size > 1", 1, POLICY_SIZE, 0 },
    { "(size < 1 || read) && cpus > 1", 2, POLICY_CPUS, 0 },
    { "(size > 1 || read) && cpus > 1", 2, POLICY_CPUS, 1 },
    { "true", 0, POLICY_SIZE, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PolicyExpression *expression = policy_expression_parse (rows[i].text, NULL);
    Request request;

    CU_ASSERT_PTR_NOT_NULL_FATAL (expression);
    fill_request (&request);
    policy_expression_eval (expression, look_up, &request);
    ROW_CHECK (request.total == rows[i].lookups, "%s asked %u times", rows[i].text, request.total);
    ROW_CHECK (request.asked[rows[i].last] == rows[i].last_asked, "%s", rows[i].text);
    policy_expression_free (expression);
  }
}

static void test_errors (void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "", "1:1: expected a value, found the end" },
    { "write &&", "1:9: expected a value, found the end" },
    { "write && bufered",
      "1:10: unknown variable \"bufered\"; did you mean \"buffered\"?\n  write && bufered\n           ^" },
    { "inode.loked", "1:1: unknown variable \"inode.loked\"; did you mean \"inode.locked\"?" },
    { "frobnicate", "1:1: unknown variable \"frobnicate\"\n" },
    { "write & read", "1:7: \"&\" is not an operator; did you mean \"&&\"?" },
    { "write && & read", "1:10: \"&\" is not an operator" },
    { "write | read", "did you mean \"||\"?" },
    { "write = 1", "did you mean \"==\"?" },
    { "write & & read", "1:7: \"&\" is not an operator" },
    { "(write", "1:7: expected an operator or \")\", found the end" },
    { "write)", "1:6: expected an operator or the end, found \")\"" },
    { "write read", "1:7: expected an operator or the end, found \"read\"" },
    { "1 < 2 < 3", "1:7: comparisons do not chain" },
    { "1 == 1 == 1", "comparisons do not chain" },
    { "min(1)", "1:6: expected \",\" (min and max take two values)" },
    { "min(1, 2, 3)", "1:9: expected \")\"" },
    { "sqrt(2)", "1:1: unknown function" },
    { "write && ewma(size)", "1:19: expected \",\" (an average takes a value and a time)" },
    { "ewma(size, cpus)", "1:1: the time of an average is a constant" },
    { "ewma(size, 0)", "at least 1 ns, such as 10ms" },
    { "ewma(4KiB, 1ms)", "1:1: the average of a constant" },
    { "size > inode_ewma(ewma(size, 1ms), 1s)", "1:8: an average of an average" },
    { "inode.last_outcome == inlin", "did you mean \"inline\"?" },
    { "write && size > 4ms",
      "1:15: a size in bytes and a time do not go together\n  write && size > 4ms\n                ^" },
    { "inode.waiters > 4KiB", "1:15: a number without a unit and a size in bytes do not go together" },
    { "size < 4KiB + 1us", "1:13: a size in bytes and a time do not go together" },
    { "write && max(size, 1s) > 1", "1:10: a size in bytes and a time" },
    { "ewma(size, 1ms) > 1ms", "1:17: a size in bytes and a time" },
    { "size == write", "1:6: a size in bytes and a number without a unit" },
    { "size / cpus == 10us", "1:13: a size in bytes and a time" },
    { "2 * size == 10us", "1:10: a size in bytes and a time" },
    { "-size == 10us", "1:7: a size in bytes and a time" },
    { "kernel > 6.3", "1:8: a kernel version and a bare number do not go together; a version is written kernel(6.3)" },
    { "kernel + kernel(6.3)", "1:8: a kernel version can only be compared with another" },
    { "inode.last_outcome == 2", "1:20: an outcome and a bare number do not go together; an outcome is none, inline," },
    { "failed - inline", "1:8: an outcome can only be compared with another" },
    { "-kernel", "1:1: a kernel version can only be compared" },
    { "size > punted", "1:6: a size in bytes and an outcome" },
    { "size < ?1us..64KiB", "1:8: the range of a knob is from a size to a time" },
    { "cpus < ?1KiB..64KiB", "1:6: a number without a unit and a size in bytes" },
    { "ewma(size, 4KiB) > 1", "1:1: the time of an average is a constant of at least 1 ns, such as 10ms" },
    { "ewma(size, 1000) > 1", "1:1: the time of an average" },
    { "kernel(6)", "1:8: expected a kernel version" },
    { "kernel(6.)", "expected a kernel version" },
    { "kernel(6.3.1)", "expected a kernel version" },
    { "kernel(write)", "expected a kernel version" },
    { "1 / 0", "division by zero" },
    { "1 / (2 - 2)", "division by zero" },
    { "4kb", "expected a number, also with KiB" },
    { "1.2.3", "expected a number" },
    { "0x10", "expected a number" },
    { ".5", "expected a number" },
    { "99999999999999999999999999999999999999999999999", "expected a number" },
    { "\"write\"", "1:1: expected a number, a name, an operator or a parenthesis, found \"\\\"\"" },
    { "write # comment", "expected a number, a name, an operator" },
    { "write /* x */", "1:8: expected a value, found \"*\"" },
    { "write \x1b[31m", "expected ASCII text" },
    { "wr\xc3\xaete", "1:3: expected ASCII text" },
    { "write && \n bufered", "2:2: unknown variable \"bufered\"; did you mean \"buffered\"?\n   bufered\n   ^" },
    { "true || bufered", "1:9: unknown variable" },
    { "a23456789012345678901234567890123456789012345678901234567890123456789", "a word of more than 63 characters" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    PolicyExpression *expression = policy_expression_parse (rows[i].text, &error);

    ROW_CHECK (!expression, "%s was accepted", rows[i].text);
    ROW_CHECK (error && error->domain == POLICY_ERROR && error->code == POLICY_ERROR_SYNTAX, "%s", rows[i].text);
    ROW_CHECK (error && strstr (error->message, rows[i].message), "%s gave: %s", rows[i].text, row_error (error));
    policy_expression_free (expression);
  }
}

/* Text of `n` copies of `piece` between `before` and `after`. */
static char *repeat (const char *before, const char *piece, unsigned n, const char *middle, const char *piece_after,
                     const char *after)
{
  GString *text = g_string_new (before);

  for (unsigned i = 0; i < n; i++) {
    g_string_append (text, piece);
  }
  g_string_append (text, middle);
  for (unsigned i = 0; i < n; i++) {
    g_string_append (text, piece_after);
  }
  g_string_append (text, after);
  return g_string_free (text, FALSE);
}

static void test_limits (void)
{
  static const struct {
    const char *what, *piece;
    unsigned n;
    const char *middle, *after;
    gboolean ok;
  } rows[] = {
    { "63 parentheses", "(", 63, "write", ")", TRUE },
    { "64 parentheses", "(", 64, "write", ")", FALSE },
    { "10000 parentheses", "(", 2000, "write", ")", FALSE },
    { "70 parentheses", "(", 70, "write", ")", FALSE },
    { "50 nots", "!", 50, "write", "", TRUE },
    { "1000 nots", "!", 1000, "write", "", FALSE },
    { "200 terms", "write && ", 200, "write", "", TRUE },
    { "600 terms", "read+", 600, "write", "", FALSE },
    { "5000 bytes", " ", 5000, "write", "", FALSE },
    { "right-deep sums", "1-(size-", 25, "1", ")", TRUE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = repeat ("", rows[i].piece, rows[i].n, rows[i].middle, rows[i].after, "");
    g_autoptr (GError) error = NULL;
    PolicyExpression *expression = policy_expression_parse (text, &error);

    ROW_CHECK ((expression != NULL) == rows[i].ok, "%s: %s", rows[i].what, row_error (error));
    if (expression) {
      Request request;

      fill_request (&request);
      policy_expression_eval (expression, look_up, &request);
    }
    policy_expression_free (expression);
  }
}

/* Every variable parses, is asked for under its own number, and has a text. */
static void test_variables (void)
{
  for (unsigned v = 0; v < POLICY_VARIABLE_COUNT; v++) {
    PolicyExpression *expression = policy_expression_parse (names[v], NULL);
    Request request;

    CU_ASSERT_PTR_NOT_NULL_FATAL (expression);
    CU_ASSERT_STRING_EQUAL (policy_variable_name ((PolicyVariable) v), names[v]);
    CU_ASSERT (policy_variable_text ((PolicyVariable) v)[0] != '\0');
    fill_request (&request);
    request.value[v] = 41 + v;
    ROW_CHECK (policy_expression_eval (expression, look_up, &request) == 41 + v, "%s", names[v]);
    ROW_CHECK (request.asked[v] == 1 && request.total == 1, "%s", names[v]);
    ROW_CHECK (policy_expression_uses (expression, (PolicyVariable) v), "%s", names[v]);
    ROW_CHECK (!policy_expression_uses (expression, (PolicyVariable) ((v + 1) % POLICY_VARIABLE_COUNT)), "%s",
               names[v]);
    policy_expression_free (expression);
  }
}

/* ---- random expressions: the program, the tree and the range agree ---- */

static void grow (GString *text, UrRandom *random, unsigned depth)
{
  static const char *const operators[] = { " && ", " || ", " < ", " <= ", " > ", " >= ",
                                           " == ", " != ", " + ", " - ",  " * ", " / " };
  static const char *const numbers[] = { "0", "1", "2", "4096", "0.5", "16", "65536", "1000000" };
  unsigned choice = (unsigned) ur_random_below (random, depth ? 10 : 3);

  if (choice == 0) {
    g_string_append (text, numbers[ur_random_below (random, G_N_ELEMENTS (numbers))]);
  } else if (choice < 3) {
    const unsigned v = (unsigned) ur_random_below (random, POLICY_VARIABLE_COUNT);

    /* What has a unit becomes a number first. */
    g_string_append (text, v == POLICY_SIZE         ? "(size / 1B)"
                           : v == POLICY_KERNEL     ? "(kernel > kernel(6.3))"
                           : v == POLICY_INODE_LAST ? "(inode.last_outcome >= inline)"
                                                    : names[v]);
  } else if (choice == 3) {
    g_string_append (text, ur_random_below (random, 3) ? "!(" : "-(");
    grow (text, random, depth - 1);
    g_string_append (text, ")");
  } else if (choice == 4) {
    g_string_append (text, ur_random_below (random, 2) ? "min(" : "max(");
    grow (text, random, depth - 1);
    g_string_append (text, ", ");
    grow (text, random, depth - 1);
    g_string_append (text, ")");
  } else {
    g_string_append (text, "(");
    grow (text, random, depth - 1);
    g_string_append (text, operators[ur_random_below (random, G_N_ELEMENTS (operators))]);
    grow (text, random, depth - 1);
    g_string_append (text, ")");
  }
}

/* Truth variables get 0 or 1, numbers something that they can be; returns the mask of set truths. */
static guint64 random_request (Request *request, UrRandom *random)
{
  static const double values[] = { 1, 2, 3, 16, 4096, 65536, 1000000 };
  guint64 truth = 0;

  memset (request, 0, sizeof *request);
  for (unsigned v = 0; v < POLICY_VARIABLE_COUNT; v++) {
    gboolean number = v == POLICY_SIZE || v == POLICY_INODE_WAITERS || (v >= POLICY_CACHE_DIRTY && v <= POLICY_KERNEL);

    if (!number) {
      request->value[v] = (double) ur_random_below (random, 2);
      truth |= request->value[v] != 0 ? G_GUINT64_CONSTANT (1) << v : 0;
    } else if (v == POLICY_CACHE_DIRTY) {
      request->value[v] = ur_random_double (random);
    } else if (v == POLICY_KERNEL) {
      request->value[v] = KERNEL (6, (unsigned) ur_random_below (random, 19));
    } else {
      request->value[v] = values[ur_random_below (random, v == POLICY_SQ_ENTRIES ? 5 : G_N_ELEMENTS (values))];
    }
  }
  return truth;
}

static double walk (const PolicyExpression *e, unsigned index, const Request *request)
{
  const Node *node = &e->nodes[index];

  if (node->kind == NODE_NUMBER) {
    return node->value;
  }
  return node->kind == NODE_VARIABLE
             ? request->value[node->variable]
             : node_apply ((NodeKind) node->kind, walk (e, node->a, request), walk (e, node->b, request));
}

static void test_random (void)
{
  unsigned parsed = 0;
  UrRandom random;

  ur_random_init (&random, 1, "expressions");
  for (unsigned i = 0; i < 4000; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GError) error = NULL;
    PolicyExpression *e;

    grow (text, &random, 1 + (unsigned) ur_random_below (&random, 5));
    e = policy_expression_parse (text->str, &error);
    if (!e) { /* the only thing that can be wrong with them */
      ROW_CHECK (strstr (row_error (error), "division by zero"), "%s: %s", text->str, row_error (error));
      continue;
    }
    parsed++;
    for (unsigned n = 0; n < 8; n++) {
      Request request;
      guint64 truth = random_request (&request, &random);
      double value = policy_expression_eval (e, look_up, &request), reference = walk (e, e->root, &request);
      Range range = policy_range_under (e, truth);

      ROW_CHECK (value == reference, "%s: program %g, tree %g", text->str, value, reference);
      ROW_CHECK (value >= range.low && value <= range.high, "%s: %g is not in %g to %g", text->str, value, range.low,
                 range.high);
    }
    policy_expression_free (e);
  }
  ROW_CHECK (parsed > 3000, "%u expressions", parsed);
}

/* What can be said without a request: comparisons joined by && narrow the numbers. */
static void test_ranges (void)
{
  static const struct {
    const char *text;
    double low, high;
  } rows[] = {
    { "size > 0", 0, 1 },
    { "size >= 0", 1, 1 },
    { "size < 0", 0, 0 },
    { "cpus >= 1", 1, 1 },
    { "sq_entries > 32768", 0, 0 },
    { "kernel < kernel(1.0)", 0, 0 },
    { "cache.dirty_ratio <= 1", 1, 1 },
    { "size > 4 && size < 8", 0, 1 },
    { "size > 8 && size < 4", 0, 0 },
    { "size >= 4 && size < 4", 0, 0 },
    { "size <= 4 && size > 4", 0, 0 },
    { "size >= 4 && size <= 4", 0, 1 },
    { "size == 5 && size > 4", 0, 1 },
    { "size == 4 && size > 4", 0, 0 },
    { "size == 4 && 5 == size", 0, 0 },
    { "4 >= size && 5 <= size", 0, 0 },
    { "4 > size && 3 < size", 0, 1 },
    { "size > 8 && (size < 4 || cpus > 2)", 0, 1 },
    { "size > 8 || size < 4", 0, 1 },
    { "-size > 0", 0, 0 },
    { "2 - cpus > 1", 0, 0 },
    { "min(size, 4) > 4", 0, 0 },
    { "max(size, 4) >= 4", 1, 1 },
    { "cpus / 2 >= 0.5", 1, 1 },
    { "cpus * 2", 2, G_MAXDOUBLE },
    { "read && !read", 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PolicyExpression *e = policy_expression_parse (rows[i].text, NULL);
    Range range;

    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    range = policy_range_under (e, 0);
    ROW_CHECK (range.low == rows[i].low && range.high == rows[i].high, "%s: %g to %g", rows[i].text, range.low,
               range.high);
    policy_expression_free (e);
  }
}

static gboolean count_assignment (guint64 truth, void *data)
{
  unsigned *count = data;

  (*count)++;
  ROW_CHECK (!(truth >> POLICY_READ & 1 && truth >> POLICY_WRITE & 1), "%" G_GUINT64_FORMAT, truth);
  return TRUE;
}

/* A request has at most one operation and one of buffered and direct. */
static void test_assignments (void)
{
  static const struct {
    const char *text;
    unsigned count;
  } rows[] = {
    { "size > 1", 1 },
    { "read", 2 },
    { "read || write", 3 },
    { "read || write || sync", 4 },
    { "buffered", 2 },
    { "buffered || direct", 2 },
    { "read || write || buffered || direct", 6 },
    { "append && regular && inode.locked", 8 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PolicyExpression *e = policy_expression_parse (rows[i].text, NULL);
    unsigned count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL (e);
    policy_range_each (e->variables, count_assignment, &count);
    ROW_CHECK (count == rows[i].count, "%s: %u", rows[i].text, count);
    policy_expression_free (e);
  }
}

void register_policy_expression_tests (void)
{
  CU_pSuite suite = CU_add_suite ("policy expression", NULL, NULL);

  CU_add_test (suite, "values", test_values);
  CU_add_test (suite, "constants are folded", test_constants);
  CU_add_test (suite, "short circuit", test_short_circuit);
  CU_add_test (suite, "errors", test_errors);
  CU_add_test (suite, "limits", test_limits);
  CU_add_test (suite, "variables", test_variables);
  CU_add_test (suite, "random expressions", test_random);
  CU_add_test (suite, "ranges", test_ranges);
  CU_add_test (suite, "assignments", test_assignments);
}
