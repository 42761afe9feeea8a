/* Tests of the graphs written for Graphviz: what is quoted, and the decision tree of a policy. */
#include "src/output/dot.h"
#include "src/output/draw.h"
#include "tests/unit.h"
#include <CUnit/Basic.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static void check_has (const char *row, const char *text, const char *expected)
{
  if (!strstr (text, expected)) {
    fprintf (stderr, "\n  %s: \"%s\" is not in\n%s", row, expected, text);
    CU_FAIL ("text is missing");
  } else {
    CU_PASS ("text");
  }
}

static void test_quoting (void)
{
  static const struct {
    const char *row, *label, *expected;
  } rows[] = {
    { "plain", "inode:0", "label=\"inode:0\"" },
    { "a quote ends no string", "a\", URL=\"x", "label=\"a\\\", URL=\\\"x\"" },
    { "a backslash starts no escape", "\\N\\G", "label=\"\\\\N\\\\G\"" },
    { "no character reference", "&lt;b&gt;", "label=\"&amp;lt;b&amp;gt;\"" },
    { "no tag: a quoted label is text", "<script>", "label=\"<script>\"" },
    { "lines", "a\nb", "label=\"a\\nb\"" },
    { "control characters", "a\033[31mb\r", "label=\"a?[31mb?\"" },
    { "UTF-8 kept", "\xc3\xa4", "label=\"\xc3\xa4\"" },
    { "invalid UTF-8 made valid", "a\xff", "label=\"a\xef\xbf\xbd\"" },
    { "empty", "", "label=\"\"" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (Dot) dot = dot_new ("g", "t", NULL);
    dot_node (dot, "n", rows[i].label, NULL);
    dot_edge (dot, rows[i].label, "n", NULL, NULL);
    g_autofree char *text = dot_text (dot);
    check_has (rows[i].row, text, rows[i].expected);
    /* The same as an identifier. */
    check_has (rows[i].row, text, rows[i].expected + strlen ("label="));
    CU_ASSERT_TRUE (g_utf8_validate (text, -1, NULL));
  }
}

static void test_structure (void)
{
  g_autoptr (Dot) dot = dot_new ("g", "t", "rankdir=LR");

  dot_begin_frame (dot, "f", "frame", "style=dotted");
  dot_begin_rank (dot);
  dot_node (dot, "a", "A", "shape=box");
  dot_end (dot);
  dot_end (dot);
  dot_edge (dot, "a", "b", "x", NULL);
  g_autofree char *text = dot_text (dot);
  CU_ASSERT_STRING_EQUAL (
      text, "digraph \"g\" {\n"
            "  graph [label=\"t\", labelloc=t, id=\"g\", fontname=\"Helvetica\", fontsize=14, rankdir=LR];\n"
            "  node [fontname=\"Helvetica\", fontsize=11];\n"
            "  edge [fontname=\"Helvetica\", fontsize=10];\n"
            "  subgraph \"cluster_f\" {\n"
            "    graph [label=\"frame\", id=\"g-f\", style=dotted];\n"
            "    { rank=same;\n"
            "      \"a\" [label=\"A\", id=\"g-a\", shape=box];\n"
            "    }\n"
            "  }\n"
            "  \"a\" -> \"b\" [label=\"x\", id=\"g-a-b\"];\n"
            "}\n");
}

static void test_wrap (void)
{
  static const struct {
    const char *row, *text;
    unsigned columns;
    const char *expected;
  } rows[] = {
    { "fits", "a b", 3, "a b" },
    { "breaks before the word that does not fit", "aa bb cc", 5, "aa bb\ncc" },
    { "a long word stands alone", "a bbbbbbb c", 3, "a\nbbbbbbb\nc" },
    { "characters count, not bytes", "\xc3\xa4\xc3\xa4 b", 4, "\xc3\xa4\xc3\xa4 b" },
    { "empty", "", 3, "" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *got = dot_wrap (rows[i].text, rows[i].columns);
    if (strcmp (got, rows[i].expected)) {
      fprintf (stderr, "\n  %s: got \"%s\", expected \"%s\"\n", rows[i].row, got, rows[i].expected);
      CU_FAIL ("text differs");
    }
  }
}

/* The drawing of a policy in a file. */
static char *draw_file (const char *contents)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("uringsim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "p.policy", NULL);
  char *text = NULL;

  g_file_set_contents (path, contents, -1, NULL);
  Policy *policy = policy_load_with_knobs (path, &error);
  if (policy) {
    text = draw_policy (policy);
    policy_free (policy);
  } else {
    fprintf (stderr, "\n  %s\n", error->message);
  }
  g_unlink (path);
  g_rmdir (directory);
  return text;
}

static void test_policy (void)
{
  g_autofree char *text = draw_file ("[Policy]\nName=p\nBase=linux-6.3\nTitle=A \"title\" & more\n"
                                     "[Rule 10]\nMatch=write && buffered\nAttempt=trylock\nOnAgain=retry:2,queue:wr\n"
                                     "[Rule 20]\nMatch=read && direct\nAttempt=nonblock\nOnAgain=poll\n"
                                     "[Rule 30]\nMatch=sync\nAttempt=blocking\n"
                                     "[Rule 40]\nMatch=sqe.link\nAttempt=none\nOnAgain=fail\n"
                                     "[Queue wr]\nKind=io-wq\nMaxWorkers=?1..8\nHash=file\nWake=always\nPer=inode\n");
  static const struct {
    const char *row, *expected;
  } rows[] = {
    { "the title is quoted", "\\nA \\\"title\\\" &amp; more\\n" },
    { "a rule with its condition and place", "Rule 10\\nwrite &amp;&amp; buffered?\\n(" },
    { "rules are tried in order", "\"rule-10\" -> \"rule-20\" [label=\"no\"" },
    { "after the child's come those of the base", "\"rule-40\" -> \"rule-100\" [label=\"no\"" },
    { "where it comes from", "(policies/linux-6.1.policy:" },
    { "a match goes to the attempt", "\"rule-10\" -> \"attempt-10\" [label=\"yes\"" },
    { "the attempt is said", "\"attempt-10\" [label=\"try if the inode lock is free" },
    { "retries", "\"attempt-10\" -> \"attempt-10\" [label=\"EAGAIN: again, 2 times\"" },
    { "then the queue", "\"attempt-10\" -> \"queue-wr\" [label=\"EAGAIN\"" },
    { "poll", "\"attempt-20\" -> \"poll\" [label=\"EAGAIN\"" },
    { "callback", "\"attempt-300\" -> \"callback\" [label=\"EAGAIN\"" },
    { "no attempt", "\"attempt-40\" -> \"fail\" [label=\"always\"" },
    { "what blocks is done in the end", "\"attempt-30\" -> \"done\" [label=\"done\"" },
    { "its completion", "run to its end, may block\\ncompletion posted at once" },
    { "the last rule asks nothing", "\"rule-1000\" -> \"attempt-1000\" [id=" },
    { "a knob as written", "workers: ?1..8\\n(" },
    { "the keys of a queue", "one for each inode\\n(" },
    { "how it wakes", "wakes: always\\n(" },
    { "the queue of the base", "queue default: io-wq\\nworkers: min(sq_entries, 4*cpus)" },
  };

  CU_ASSERT_PTR_NOT_NULL_FATAL (text);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    check_has (rows[i].row, text, rows[i].expected);
  }
  CU_ASSERT_PTR_NULL (strstr (text, "\"attempt-30\" -> \"fail\"")); /* blocking never says EAGAIN */
  CU_ASSERT_PTR_NULL (strstr (text, "\"attempt-40\" -> \"done\"")); /* nothing was tried */
}

void register_dot_tests (void)
{
  CU_pSuite suite = CU_add_suite ("dot", NULL, NULL);

  CU_add_test (suite, "labels and identifiers are quoted", test_quoting);
  CU_add_test (suite, "frames, ranks, ids", test_structure);
  CU_add_test (suite, "lines are broken at blanks", test_wrap);
  CU_add_test (suite, "the decision tree of a policy", test_policy);
}
