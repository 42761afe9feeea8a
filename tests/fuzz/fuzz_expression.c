/* Fuzz target: expressions of policies, parsed and evaluated. */
#include "model/policy.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>

static double lookup (PolicyVariable variable, void *data) { return (double) variable * 1.5; }

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  g_autofree char *text = length ? g_strndup ((const char *) bytes, length) : g_strdup ("");
  g_autoptr (GError) error = NULL;
  PolicyExpression *expression = policy_expression_parse (text, &error);

  g_assert ((expression == NULL) == (error != NULL));
  if (expression) {
    g_assert (!isnan (policy_expression_eval (expression, lookup, NULL)));
    policy_expression_free (expression);
  }
  return 0;
}
