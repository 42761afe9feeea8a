/*
 * A corpus of inputs of all kinds, tests/data/conformance: files named y_ are read in strict mode, those named n_ are
 * refused.  Its file "expectations" says what is found in each, strict and lenient; every file must be in it.
 */
#include "src/input/fio_result.h"
#include "src/input/input.h"
#include "tests/row.h"
#include <string.h>

#define CORPUS TEST_DATA_DIR "/conformance/"

typedef struct {
  GString *facts;      /* "NAME=VALUE " */
  GPtrArray *warnings; /* of char * */
} Found;

static void found_init (Found *found)
{
  found->facts = g_string_new (" ");
  found->warnings = g_ptr_array_new_with_free_func (g_free);
}

static void found_clear (Found *found)
{
  g_string_free (found->facts, TRUE);
  g_ptr_array_unref (found->warnings);
}

static void add (Found *found, const char *name, uint64_t value)
{
  g_string_append_printf (found->facts, "%s=%" G_GUINT64_FORMAT " ", name, value);
}

static void take_trace (const Trace *trace, Found *found)
{
  const TraceInfo *info = &trace->info;
  add (found, "reads", info->reads);
  add (found, "read_bytes", info->read_bytes);
  add (found, "writes", info->writes);
  add (found, "write_bytes", info->write_bytes);
  add (found, "trims", info->trims);
  add (found, "trim_bytes", info->trim_bytes);
  add (found, "syncs", info->syncs);
  add (found, "waits", info->waits);
  add (found, "files", info->files);
  add (found, "max_end", info->max_end);
  add (found, "first_ns", info->first_ns);
  add (found, "span_ns", info->span_ns);
  add (found, "back_steps", info->back_steps);
  add (found, "segments", info->segments);
  add (found, "skipped", info->skipped);
  for (unsigned i = 0; i < info->facts->len; i++) {
    const TraceFact *fact = &g_array_index (info->facts, TraceFact, i);
    if (!fact->text) {
      add (found, fact->key, fact->number);
    }
  }
  for (unsigned i = 0; i < info->warnings->len; i++) {
    g_ptr_array_add (found->warnings, g_strdup (info->warnings->pdata[i]));
  }
}

static void take_op (unsigned group, const char *name, const MeasuredOp *op, Found *found)
{
  g_autofree char *ios = g_strdup_printf ("%u.%s.ios", group, name),
                  *bytes = g_strdup_printf ("%u.%s.bytes", group, name),
                  *mean = g_strdup_printf ("%u.%s.clat_mean_ns", group, name);
  add (found, ios, op->ios);
  add (found, bytes, op->bytes);
  add (found, mean, (uint64_t) (op->clat.mean + 0.5));
}

static void take_results (const GPtrArray *groups, Found *found)
{
  add (found, "groups", groups->len);
  for (unsigned i = 0; i < groups->len; i++) {
    const Measurement *group = groups->pdata[i];
    for (unsigned direction = 0; direction < MEASURED_DIRECTIONS; direction++) {
      take_op (i, measured_direction_name ((MeasuredDirection) direction), &group->op[direction], found);
    }
    take_op (i, "mixed", &group->mixed, found);
    take_op (i, "sync", &group->sync, found);
    for (unsigned k = 0; k < group->warnings->len; k++) {
      g_ptr_array_add (found->warnings, g_strdup (group->warnings->pdata[k]));
    }
  }
}

/* Reads an input of any kind.  FALSE with error set. */
static gboolean read_input (const char *path, gboolean lenient, Found *found, GError **error)
{
  ByteSource *source = byte_source_open (path, error);
  const InputKind kind = source ? input_detect (source, NULL) : INPUT_UNKNOWN;
  gboolean read = FALSE;
  if (kind == INPUT_FIO_JSON) {
    g_autoptr (GPtrArray) groups = fio_results_read (source, error);
    read = groups != NULL;
    if (read) {
      take_results (groups, found);
    }
  } else if (source) {
    const char *paths[] = { path, NULL };
    InputOptions options;
    input_options_init (&options);
    options.lenient = lenient;
    g_autoptr (Trace) trace = input_open_trace (paths, &options, NULL, error);
    read = trace != NULL;
    if (read) {
      take_trace (trace, found);
    }
  }
  byte_source_unref (source);
  return read;
}

/* "reads=1 files=2 | part of a warning" */
static void check_facts (const char *name, const char *mode, const char *expected, const Found *found)
{
  g_auto (GStrv) parts = g_strsplit (expected, " | ", 2);
  g_auto (GStrv) words = g_strsplit (parts[0], " ", -1);
  for (char **word = words; *word; word++) {
    g_autofree char *fact = g_strdup_printf (" %s ", *word);
    ROW_CHECK (strstr (found->facts->str, fact), "%s, %s: expected %s, found%s", name, mode, *word, found->facts->str);
  }
  gboolean warned = parts[1] == NULL;
  for (unsigned i = 0; parts[1] && i < found->warnings->len; i++) {
    warned |= strstr (found->warnings->pdata[i], parts[1]) != NULL;
  }
  ROW_CHECK (warned, "%s, %s: no warning with \"%s\"", name, mode, parts[1]);
}

static void check (const char *name, gboolean lenient, const char *expected)
{
  g_autofree char *path = g_strconcat (CORPUS, name, NULL);
  g_autoptr (GError) error = NULL;
  const char *mode = lenient ? "lenient" : "strict";
  const gboolean refused = g_str_has_prefix (expected, "error ");
  Found found;
  found_init (&found);
  const gboolean read = read_input (path, lenient, &found, &error);
  if (refused) {
    ROW_CHECK (!read && strstr (row_error (error), expected + strlen ("error ")), "%s, %s: %s", name, mode,
               row_error (error));
    ROW_CHECK (error && error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n"), "%s: %s", name,
               row_error (error));
  } else if (ROW_CHECK (read, "%s, %s: %s", name, mode, row_error (error))) {
    check_facts (name, mode, expected, &found);
  }
  found_clear (&found);
}

static void test_corpus (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  CU_ASSERT_FATAL (g_file_get_contents (CORPUS "expectations", &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    if (**line == '#' || !**line) {
      continue;
    }
    g_auto (GStrv) field = g_strsplit (*line, "\t", -1);
    if (!ROW_CHECK (g_strv_length (field) == 3, "%s: %u fields", *line, g_strv_length (field))) {
      continue;
    }
    ROW_CHECK (g_str_has_prefix (field[0], g_str_has_prefix (field[1], "error ") ? "n_" : "y_"), "%s: its name",
               field[0]);
    check (field[0], FALSE, field[1]);
    check (field[0], TRUE, strcmp (field[2], "same") ? field[2] : field[1]);
    g_hash_table_add (known, g_strdup (field[0]));
  }
  g_autoptr (GDir) directory = g_dir_open (CORPUS, 0, NULL);
  const char *name;
  unsigned files = 0;
  while (directory && (name = g_dir_read_name (directory))) {
    const gboolean listed = !strcmp (name, "expectations") || g_hash_table_contains (known, name);
    ROW_CHECK (listed, "%s: it is not in expectations", name);
    files++;
  }
  ROW_CHECK (files >= 60, "%u files", files);
}

void register_conformance_tests (void);
void register_conformance_tests (void)
{
  static CU_TestInfo tests[] = { { "corpus", test_corpus }, CU_TEST_INFO_NULL };
  static CU_SuiteInfo suites[] = { { .pName = "conformance", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
