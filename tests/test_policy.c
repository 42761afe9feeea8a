/* Policies: shipped ones load and decide as their generation does, files merge as they should, broken ones are refused.
 */
#include "model/data_path.h"
#include "model/policy.h"
#include "src/engine/random.h"
#include "tests/expected.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <glib/gstdio.h>

#define POLICY_DATA TEST_DATA_DIR "/policies"

static Policy *load (const char *name)
{
  g_autoptr (GError) error = NULL;
  Policy *policy = policy_load (name, &error);

  ROW_CHECK (policy, "%s: %s", name, row_error (error));
  return policy;
}

static void test_shipped (void)
{
  g_auto (GStrv) names = data_path_list ("policies", ".policy");

  ROW_CHECK (g_strv_length (names) >= 12, "%u shipped policies", g_strv_length (names));
  for (char **name = names; *name; name++) {
    Policy *policy = load (*name);

    if (!policy) {
      continue;
    }
    ROW_CHECK (strcmp (policy->name, *name) == 0, "%s calls itself %s", *name, policy->name);
    ROW_CHECK (policy->title && policy->source && policy->account, "%s has title, source, account", *name);
    ROW_CHECK (policy->account && strchr (policy->account, '\n'), "%s: two lines of account", *name);
    ROW_CHECK (policy->kernel >= KERNEL (5, 1) && policy->kernel_origin, "%s: kernel", *name);
    ROW_CHECK (policy->n_rules >= 1 && policy->n_queues >= 1, "%s: %u rules", *name, policy->n_rules);
    for (unsigned i = 0; i < policy->n_rules; i++) {
      ROW_CHECK (policy->rules[i].origin && policy->rules[i].policy && policy->rules[i].match_text, "%s rule %u", *name,
                 i);
    }
    policy_free (policy);
  }
}

/* ---- decisions ---- */

typedef struct {
  guint64 truth;
  double size, kernel;
} Request;
#define IS(variable) (G_GUINT64_CONSTANT (1) << (variable))
#define BUFFERED_WRITE (IS (POLICY_WRITE) | IS (POLICY_BUFFERED) | IS (POLICY_REGULAR))
#define BUFFERED_READ (IS (POLICY_READ) | IS (POLICY_BUFFERED) | IS (POLICY_REGULAR))
#define DIRECT_WRITE (IS (POLICY_WRITE) | IS (POLICY_DIRECT) | IS (POLICY_REGULAR))

static double look_up (PolicyVariable variable, void *data)
{
  const Request *request = data;

  if (variable == POLICY_SIZE) {
    return request->size;
  }
  return variable == POLICY_KERNEL ? request->kernel : (double) ((request->truth >> variable) & 1);
}

static const struct {
  const char *policy, *what;
  guint64 truth;
  PolicyAttempt attempt;
  PolicyOnAgain on_again;
  const char *queue;
  int rule;
} decisions[] = {
  { "linux-5.3", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.3", "buffered read", BUFFERED_READ, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.4", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "write", 200 },
  { "linux-5.4", "direct write", DIRECT_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.4", "fsync", IS (POLICY_SYNC), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "write-workqueue-2", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "write", 10 },
  { "write-workqueue-2", "buffered read", BUFFERED_READ, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.10", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.10", "direct write", DIRECT_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.10", "buffered read, RASYNC (5.9)", BUFFERED_READ | IS (POLICY_RASYNC), ATTEMPT_NONBLOCK,
    ON_AGAIN_CALLBACK, NULL, 300 },
  { "linux-5.10", "fsync", IS (POLICY_SYNC), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.10", "forced write (5.6)", BUFFERED_WRITE | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE,
    "default", 100 },
  { "linux-5.15", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.15", "fsync", IS (POLICY_SYNC), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-5.15", "forced write", BUFFERED_WRITE | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default",
    100 },
  { "linux-6.1", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-6.1", "buffered read, RASYNC", BUFFERED_READ | IS (POLICY_RASYNC), ATTEMPT_NONBLOCK, ON_AGAIN_CALLBACK, NULL,
    300 },
  { "linux-6.1", "buffered read, no RASYNC", BUFFERED_READ, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-6.1", "fsync", IS (POLICY_SYNC), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "linux-6.1", "forced write", BUFFERED_WRITE | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default",
    100 },
  { "linux-6.1", "forced read", BUFFERED_READ | IS (POLICY_RASYNC) | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE,
    ON_AGAIN_QUEUE, "default", 100 },
  { "linux-6.3", "fsync", IS (POLICY_SYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default", 200 },
  { "linux-6.18", "fsync", IS (POLICY_SYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default", 200 },
  { "linux-6.18", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "inline-buffered-write", "buffered write", BUFFERED_WRITE, ATTEMPT_BLOCKING, ON_AGAIN_FAIL, NULL, 10 },
  { "inline-buffered-write", "direct write", DIRECT_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "inline-buffered-write", "forced write", BUFFERED_WRITE | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE,
    "default", 100 },
  { "inline-buffered-write", "fsync", IS (POLICY_SYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default", 200 },
  { "no-offload", "fsync", IS (POLICY_SYNC), ATTEMPT_BLOCKING, ON_AGAIN_FAIL, NULL, 10 },
  { "no-offload", "forced fsync", IS (POLICY_SYNC) | IS (POLICY_FORCE_ASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default",
    100 },
  { "always-punt", "buffered read", BUFFERED_READ | IS (POLICY_RASYNC), ATTEMPT_NONE, ON_AGAIN_QUEUE, "default", 10 },
  { "trylock-inline", "buffered write", BUFFERED_WRITE, ATTEMPT_TRYLOCK, ON_AGAIN_QUEUE, "default", 10 },
  { "unhashed", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { "hashed-2", "buffered write", BUFFERED_WRITE, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default", 1000 },
  { POLICY_DATA "/y_replaces_closing_rule.policy", "write", BUFFERED_WRITE, ATTEMPT_BLOCKING, ON_AGAIN_FAIL, NULL,
    1000 },
  { POLICY_DATA "/y_replaces_closing_rule.policy", "trim", IS (POLICY_DIRECT), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE,
    "default", 1000 },
  { POLICY_DATA "/y_replaces_rule.policy", "fsync", IS (POLICY_SYNC), ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "default",
    1000 },
  { POLICY_DATA "/y_replaces_rule.policy", "fsync", IS (POLICY_SYNC) | IS (POLICY_SQ_THREAD), ATTEMPT_BLOCKING,
    ON_AGAIN_FAIL, NULL, 200 },
  { POLICY_DATA "/y_adaptive.policy", "write", BUFFERED_WRITE, ATTEMPT_TRYLOCK, ON_AGAIN_QUEUE, "slow", 5 },
  { POLICY_DATA "/y_adaptive.policy", "write, locked", BUFFERED_WRITE | IS (POLICY_INODE_LOCKED), ATTEMPT_BLOCKING,
    ON_AGAIN_FAIL, NULL, 10 },
  { POLICY_DATA "/y_adaptive.policy", "read", BUFFERED_READ, ATTEMPT_NONBLOCK, ON_AGAIN_QUEUE, "slow", 20 },
};

static void test_decisions (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (decisions); i++) {
    Policy *policy = load (decisions[i].policy);
    Request request = { decisions[i].truth, 4096, 0 };
    const PolicyRule *rule;

    if (!policy) {
      continue;
    }
    request.kernel = policy->kernel;
    rule = policy_decide (policy, look_up, &request);
    ROW_CHECK (rule->attempt == decisions[i].attempt, "%s, %s: %s", decisions[i].policy, decisions[i].what,
               policy_attempt_name (rule->attempt));
    ROW_CHECK (rule->on_again == decisions[i].on_again, "%s, %s: %d", decisions[i].policy, decisions[i].what,
               rule->on_again);
    ROW_CHECK (rule->number == decisions[i].rule, "%s, %s: rule %d", decisions[i].policy, decisions[i].what,
               rule->number);
    if (decisions[i].queue && rule->on_again == ON_AGAIN_QUEUE) {
      ROW_CHECK (strcmp (policy->queues[rule->queue].name, decisions[i].queue) == 0, "%s, %s: %s", decisions[i].policy,
                 decisions[i].what, policy->queues[rule->queue].name);
    }
    policy_free (policy);
  }
}

/* For any truth of the conditions, who knows the facts of a request beforehand finds the rule that all look-ups find.
 */
static void test_facts (void)
{
  static const char *const own[] = { POLICY_DATA "/y_replaces_rule.policy", POLICY_DATA "/y_adaptive.policy",
                                     POLICY_DATA "/y_facts.policy" };
  g_auto (GStrv) names = data_path_list ("policies", ".policy");
  UrRandom random;
  unsigned suffice = 0, skip = 0, different = 0, last = 0;

  ur_random_init (&random, 1, "facts");
  for (unsigned n = 0; n < g_strv_length (names) + G_N_ELEMENTS (own); n++) {
    Policy *policy = load (n < g_strv_length (names) ? names[n] : own[n - g_strv_length (names)]);

    for (unsigned i = 0; i < policy->n_rules; i++) {
      suffice += policy->rules[i].facts_suffice;
      skip += policy->rules[i].facts_skip;
    }
    for (unsigned i = 0; i < 2000; i++) {
      Request request = { .truth = ur_random_u64 (&random), .size = (double) (ur_random_u64 (&random) % 65536) };
      const PolicyRule *rule = policy_decide (policy, look_up, &request);

      ROW_CHECK (policy_decide_by_facts (policy, request.truth & POLICY_FACTS, look_up, &request) == rule,
                 "%s: rule %d", policy->name, rule->number);
      different += (unsigned) rule->number != last;
      last = (unsigned) rule->number;
    }
    policy_free (policy);
  }
  CU_ASSERT (suffice > 20 && skip > 10 && different > 1000); /* the short ways were taken, with all kinds of ends */
}

/* What is left of the list after merging, replacing and cutting behind the rule that always matches. */
static void test_lengths (void)
{
  static const struct {
    const char *policy;
    unsigned rules;
  } rows[] = {
    { "linux-5.3", 1 },
    { "linux-6.3", 4 },
    { "linux-6.18", 4 },
    { "inline-buffered-write", 5 },
    { "always-punt", 1 },
    { POLICY_DATA "/y_replaces_rule.policy", 4 },
    { POLICY_DATA "/y_replaces_closing_rule.policy", 5 },
    { POLICY_DATA "/y_adaptive.policy", 3 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Policy *policy = load (rows[i].policy);

    ROW_CHECK (policy && policy->n_rules == rows[i].rules, "%s: %u rules", rows[i].policy,
               policy ? policy->n_rules : 0);
    policy_free (policy);
  }
}

static void test_queues (void)
{
  static const struct {
    const char *policy, *queue;
    QueueKind kind;
    QueueHash hash;
    unsigned sq_entries, cpus, workers;
  } rows[] = {
    { "linux-5.3", "default", QUEUE_WORKQUEUE, HASH_NONE, 32, 56, 31 },
    { "linux-5.3", "default", QUEUE_WORKQUEUE, HASH_NONE, 32, 4, 8 },
    { "linux-5.3", "default", QUEUE_WORKQUEUE, HASH_NONE, 1, 1, 1 },
    { "linux-5.3", "default", QUEUE_WORKQUEUE, HASH_NONE, 2, 1, 1 },
    { "linux-5.4", "write", QUEUE_WORKQUEUE, HASH_NONE, 32, 56, 2 },
    { "write-workqueue-2", "write", QUEUE_WORKQUEUE, HASH_NONE, 32, 56, 2 },
    { "write-workqueue-2", "default", QUEUE_WORKQUEUE, HASH_NONE, 32, 56, 31 },
    { "linux-5.10", "default", QUEUE_IO_WQ, HASH_INODE, 128, 2, 8 },
    { "linux-5.15", "default", QUEUE_IO_WQ, HASH_INODE, 4, 2, 4 },
    { "linux-6.1", "default", QUEUE_IO_WQ, HASH_INODE, 128, 2, 8 },
    { "linux-6.18", "default", QUEUE_IO_WQ, HASH_INODE, 8, 16, 8 },
    { "linux-6.18", "default", QUEUE_IO_WQ, HASH_INODE, 1, 1, 1 },
    { "unhashed", "default", QUEUE_IO_WQ, HASH_NONE, 128, 2, 8 },
    { "hashed-2", "default", QUEUE_IO_WQ, HASH_INODE, 128, 64, 2 },
    { POLICY_DATA "/y_inline_comments.policy", "slow", QUEUE_IO_WQ, HASH_NONE, 2, 1, 1 },
    { POLICY_DATA "/y_inline_comments.policy", "slow", QUEUE_IO_WQ, HASH_NONE, 32, 1, 8 },
    { POLICY_DATA "/y_adaptive.policy", "slow", QUEUE_IO_WQ, HASH_FILE, 2, 16, 8 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Policy *policy = load (rows[i].policy);
    gboolean found = FALSE;

    for (unsigned q = 0; policy && q < policy->n_queues; q++) {
      const PolicyQueue *queue = &policy->queues[q];
      unsigned workers;

      if (strcmp (queue->name, rows[i].queue) != 0) {
        continue;
      }
      found = TRUE;
      workers = policy_queue_max_workers (queue, rows[i].sq_entries, rows[i].cpus, policy->kernel);
      ROW_CHECK (workers == rows[i].workers, "%s %s %u entries %u CPUs: %u", rows[i].policy, rows[i].queue,
                 rows[i].sq_entries, rows[i].cpus, workers);
      ROW_CHECK (queue->kind == rows[i].kind && queue->hash == rows[i].hash, "%s %s", rows[i].policy, rows[i].queue);
    }
    ROW_CHECK (found, "%s has no queue %s", rows[i].policy, rows[i].queue);
    policy_free (policy);
  }
}

/* ---- inheritance ---- */

static void test_origins (void)
{
  Policy *policy = load ("hashed-2");

  CU_ASSERT_PTR_NOT_NULL_FATAL (policy);
  CU_ASSERT_EQUAL_FATAL (policy->bases->len, 2);
  CU_ASSERT_STRING_EQUAL (policy->bases->pdata[0], "linux-6.3");
  CU_ASSERT_STRING_EQUAL (policy->bases->pdata[1], "linux-6.1");
  CU_ASSERT (policy->kernel == KERNEL (6, 3) && g_str_has_prefix (policy->kernel_origin, "policies/linux-6.3.policy:"));
  CU_ASSERT (g_str_has_prefix (policy->queues[0].key_origin[QUEUE_KEY_KIND], "policies/linux-6.1.policy:"));
  CU_ASSERT (g_str_has_prefix (policy->queues[0].key_origin[QUEUE_KEY_MAX_WORKERS], "policies/hashed-2.policy:"));
  CU_ASSERT (g_str_has_prefix (policy->queues[0].key_origin[QUEUE_KEY_HASH], "policies/linux-6.1.policy:"));
  CU_ASSERT_STRING_EQUAL (policy->rules[0].policy, "linux-6.1");
  CU_ASSERT_STRING_EQUAL (policy->rules[1].policy, "linux-6.3");
  policy_free (policy);
  policy = load (POLICY_DATA "/y_adaptive.policy");
  CU_ASSERT_PTR_NOT_NULL_FATAL (policy);
  CU_ASSERT_STRING_EQUAL (policy->rules[1].origin, POLICY_DATA "/y_inline_comments.policy:6");
  CU_ASSERT_STRING_EQUAL (policy->rules[0].origin, POLICY_DATA "/y_adaptive.policy:7");
  policy_free (policy);
}

static gboolean load_and_free (const char *path, GError **error)
{
  Policy *policy = policy_load (path, error);

  policy_free (policy);
  return policy != NULL;
}

static void test_broken_cases (void)
{
  static const char *const codes[] = { "not-found", "syntax", "unknown-key", "value", "rules" };

  expected_check (POLICY_DATA, load_and_free, POLICY_ERROR, codes);
}

/* ---- files made here: long chains, many rules, large files ---- */

static void write_file (const char *directory, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  CU_ASSERT_TRUE_FATAL (g_file_set_contents (path, text, -1, NULL));
}

static void remove_directory (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (directory, name, NULL);

    g_unlink (path);
  }
  g_rmdir (directory);
}

static void test_chains (void)
{
  static const struct {
    unsigned files;
    gboolean ok;
  } rows[] = { { 2, TRUE }, { 8, TRUE }, { 9, FALSE }, { 20, FALSE } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *directory = g_dir_make_tmp ("policy-XXXXXX", NULL);
    g_autofree char *first = g_build_filename (directory, "p0.policy", NULL);
    g_autoptr (GError) error = NULL;
    gboolean ok;

    for (unsigned n = 0; n < rows[i].files; n++) {
      g_autofree char *name = g_strdup_printf ("p%u.policy", n);
      g_autofree char *text = n + 1 < rows[i].files
                                  ? g_strdup_printf ("[Policy]\nName=p%u\nTitle=t\nBase=p%u.policy\n", n, n + 1)
                                  : g_strdup_printf ("[Policy]\nName=p%u\nTitle=t\nBase=linux-5.3\n", n);

      if (n + 1 == rows[i].files) { /* the root stands alone, so that the chain has just these files */
        g_free (text);
        text = g_strdup_printf ("[Policy]\nName=p%u\nTitle=t\nKernel=6.3\n[Rule 1]\nMatch=true\nAttempt=blocking\n", n);
      }
      write_file (directory, name, text);
    }
    ok = load_and_free (first, &error);
    ROW_CHECK (ok == rows[i].ok, "%u files: %s", rows[i].files, row_error (error));
    ROW_CHECK (ok || (strstr (row_error (error), "more than 8 files in a chain of Base=") &&
                      strstr (row_error (error), "p7.policy -> ")),
               "%u files: %s", rows[i].files, row_error (error));
    remove_directory (directory);
  }
}

/* A policy of `rules` rules, each `match`, then the closing one. */
static char *many_rules (unsigned rules, const char *match)
{
  GString *text = g_string_new ("[Policy]\nName=many\nTitle=t\nKernel=6.3\n");

  for (unsigned i = 0; i < rules; i++) {
    g_string_append_printf (text, "[Rule %u]\nMatch=%s && size == %u\nAttempt=blocking\n", i + 1, match, i);
  }
  g_string_append (text, "[Rule 9999]\nMatch=true\nAttempt=nonblock\nOnAgain=fail\n");
  return g_string_free (text, FALSE);
}

static void test_sizes (void)
{
  static const struct {
    unsigned rules;
    const char *match, *message;
  } rows[] = {
    { 100, "write", NULL },
    { 127, "write", NULL },
    { 128, "write", "may have 128 rules" },
    { 400, "write", "may have 128 rules" },
    { 600, "write", "too many groups" },
    { 60,
      "write && buffered && regular && append && sq_thread && fs.nowait && fs.wasync && fs.rasync && page.dirty && "
      "page.resident && inode.locked && fs.dio_parallel",
      NULL },
    { 100,
      "write && buffered && regular && append && sq_thread && fs.nowait && fs.wasync && fs.rasync && page.dirty && "
      "page.resident && inode.locked && fs.dio_parallel",
      "2048 names, numbers and operators" },
  };
  g_autofree char *directory = g_dir_make_tmp ("policy-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "many.policy", NULL);
  g_autofree char *large = g_strnfill (1024 * 1024 + 1, '#');
  g_autoptr (GError) error = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = many_rules (rows[i].rules, rows[i].match);
    g_autoptr (GError) inner = NULL;
    gboolean ok;

    write_file (directory, "many.policy", text);
    ok = load_and_free (path, &inner);
    ROW_CHECK (ok == !rows[i].message, "%u rules: %s", rows[i].rules, row_error (inner));
    ROW_CHECK (ok || strstr (inner->message, rows[i].message), "%u rules: %s", rows[i].rules, row_error (inner));
  }
  write_file (directory, "many.policy", large);
  CU_ASSERT_FALSE (load_and_free (path, &error));
  ROW_CHECK (error && strstr (error->message, "larger than 1 MiB"), "%s", row_error (error));
  remove_directory (directory);
}

static void test_not_found (void)
{
  static const struct {
    const char *name, *message;
  } rows[] = {
    { "linux-6.33", "did you mean \"linux-6.3\"?" },
    { "linux-6.33", "linux-5.3, linux-5.4, linux-6.1" },
    { "inline", "\"inline\": no such name among the shipped policies; there are: always-punt" },
    { "", "\"\": no such name" },
    { "..", "\"..\": no such name" },
    { "./none.policy", "\"./none.policy\": No such file" },
    { "none.policy", "\"none.policy\": No such file" },
    { POLICY_DATA "/", "not a regular file" },
    { "a\033[31mb", "\"a\\033[31mb\"" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;

    CU_ASSERT_FALSE (load_and_free (rows[i].name, &error));
    ROW_CHECK (g_error_matches (error, POLICY_ERROR, POLICY_ERROR_NOT_FOUND), "%s", rows[i].name);
    ROW_CHECK (error && strstr (error->message, rows[i].message), "%s: %s", rows[i].name, row_error (error));
  }
}

void register_policy_tests (void)
{
  CU_pSuite suite = CU_add_suite ("policy", NULL, NULL);

  CU_add_test (suite, "shipped policies load", test_shipped);
  CU_add_test (suite, "decisions", test_decisions);
  CU_add_test (suite, "decisions by facts known beforehand", test_facts);
  CU_add_test (suite, "lengths", test_lengths);
  CU_add_test (suite, "queues", test_queues);
  CU_add_test (suite, "origins", test_origins);
  CU_add_test (suite, "broken files", test_broken_cases);
  CU_add_test (suite, "chains of bases", test_chains);
  CU_add_test (suite, "sizes", test_sizes);
  CU_add_test (suite, "names that are not there", test_not_found);
}
