/* Key files: what is scanned, the strict values, and that every complaint names its line.  Also the suggestions. */
#include "model/data_path.h"
#include "model/key_file.h"
#include "model/kernel_version.h"
#include "model/suggest.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <glib/gstdio.h>
#include <string.h>

static GQuark domain (void) { return g_quark_from_static_string ("key-file-test"); }

static KeyFile *parse (const char *text, GError **error)
{
  return key_file_parse (text, strlen (text), "f", domain (), error);
}

static void test_scan (void)
{
  static const char text[] = "# comment\n\n[One]\r\nA=1\r\n  B = two words # comment\nC=a#b\nD=#only a comment\n; = "
                             "3\n[Two words]  # comment\nA=x";
  g_autoptr (GError) error = NULL;
  KeyFile *file = parse (text, &error);
  char *value = NULL;

  if (!ROW_CHECK (file, "%s", row_error (error))) {
    return;
  }
  CU_ASSERT_EQUAL (key_file_n_groups (file), 2);
  CU_ASSERT_STRING_EQUAL (key_file_group (file, 0), "One");
  CU_ASSERT_STRING_EQUAL (key_file_group (file, 1), "Two words");
  CU_ASSERT_EQUAL (key_file_n_keys (file, "One"), 5);
  CU_ASSERT_STRING_EQUAL (key_file_key (file, "One", 4), ";");
  CU_ASSERT_EQUAL (key_file_n_keys (file, "Three"), 0);
  CU_ASSERT_EQUAL (key_file_line (file, "One", NULL), 3);
  CU_ASSERT_EQUAL (key_file_line (file, "One", "A"), 4);
  CU_ASSERT_EQUAL (key_file_line (file, "One", "B"), 5);
  CU_ASSERT_EQUAL (key_file_line (file, "Two words", "A"), 10);
  CU_ASSERT_EQUAL (key_file_line (file, "Two words", "B"), 0);
  CU_ASSERT (key_file_has (file, "One", "A") && !key_file_has (file, "One", "Z") &&
             !key_file_has (file, "Three", NULL));
  CU_ASSERT (key_file_get_line (file, "One", "B", &value, NULL));
  CU_ASSERT_STRING_EQUAL (value, "two words");
  g_clear_pointer (&value, g_free);
  CU_ASSERT (key_file_get_raw (file, "One", "C", &value, NULL));
  CU_ASSERT_STRING_EQUAL (value, "a#b");
  g_clear_pointer (&value, g_free);
  CU_ASSERT_FALSE (key_file_get_raw (file, "One", "D", &value, &error));
  CU_ASSERT_STRING_EQUAL (row_error (error), "f:7: D= is empty");
  value = key_file_origin (file, "Two words", "A");
  CU_ASSERT_STRING_EQUAL (value, "f:10");
  g_free (value);
  key_file_free (file);
}

static void test_scan_errors (void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "", "f:1: empty file" },
    { "# nothing\n\n", "f:1: empty file" },
    { "A=1\n", "f:1: expected a group, [Name], before anything else: \"A=1\"" },
    { "[G]\nA\n", "f:2: expected Key=value, [Group] or # comment: \"A\"" },
    { "[G]\n=1\n", "f:2: expected Key=value" },
    { "[G]\nA B=1\n", "f:2: a key is one word: \"A B\"" },
    { "[G]\nA[de]=1\n", "f:2: a key is one word" },
    { "[G]\nA=1\nB=2\nA=3\n", "f:4: key \"A\" of [G] was given in line 2 already" },
    { "[G]\nA=1\n[H]\nA=1\n[G]\n", "f:5: group \"G\" was given in line 1 already" },
    { "[]\n", "f:1: expected a group" },
    { "[G\nA=1\n", "f:1: expected a group, [Name]: \"[G\"" },
    { "[G]]\n", "f:1: expected a group" },
    { "[G]x\n", "f:1: expected a group" },
    { "[\n", "f:1: expected a group" },
    { "[G]\nA=\033[2J\n", "f:2: control character: \"A=\\033[2J\"" },
    { "[G]\nA=\xc2\x9b\n", "f:2: control character" },
    { "[G]\n\nA=\xff\n", "f:3: not UTF-8 text" },
    { "[G]\nlong long long long long long long long long long long long long long long\n", "long long ...\"" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    KeyFile *file = parse (rows[i].text, &error);

    ROW_CHECK (!file, "row %u was accepted", i);
    ROW_CHECK (error && error->domain == domain () && error->code == KEY_FILE_SYNTAX, "row %u", i);
    ROW_CHECK (strstr (row_error (error), rows[i].message), "row %u: %s", i, row_error (error));
    key_file_free (file);
  }
  g_autoptr (GError) error = NULL;
  CU_ASSERT_PTR_NULL (key_file_parse ("[G]\nA=\0B\n", 9, "f", domain (), &error));
  CU_ASSERT_STRING_EQUAL (row_error (error), "f:2: not UTF-8 text");
}

typedef enum { INTEGER, BYTES, NUMBER, BOOLEAN, KERNEL_VERSION, NAME, CHOICE, LINE, TEXT } Getter;

/* A value through one getter: what it gave as text, or NULL. */
static char *get (const char *value, Getter getter, GError **error)
{
  static const char *const choices[] = { "spread", "pack", NULL };
  g_autofree char *text = g_strdup_printf ("[G]\nK=%s\n", value);
  KeyFile *file = parse (text, error);
  char *result = NULL;
  uint64_t integer;
  unsigned index;
  gboolean yes;
  double number;

  if (!file) {
    return NULL;
  }
  if (getter == INTEGER && key_file_get_integer (file, "G", "K", 1, 1000000, &integer, error)) {
    result = g_strdup_printf ("%" G_GUINT64_FORMAT, integer);
  } else if (getter == BYTES && key_file_get_bytes (file, "G", "K", 0, UINT64_MAX, &integer, error)) {
    result = g_strdup_printf ("%" G_GUINT64_FORMAT, integer);
  } else if (getter == NUMBER && key_file_get_number (file, "G", "K", 0, 2.5, &number, error)) {
    result = g_strdup_printf ("%g", number);
  } else if (getter == BOOLEAN && key_file_get_boolean (file, "G", "K", &yes, error)) {
    result = g_strdup (yes ? "1" : "0");
  } else if (getter == KERNEL_VERSION && key_file_get_kernel (file, "G", "K", &index, error)) {
    result = g_strdup_printf ("%u", index);
  } else if (getter == CHOICE && key_file_get_choice (file, "G", "K", choices, &index, error)) {
    result = g_strdup_printf ("%u", index);
  } else if (getter == NAME) {
    key_file_get_name (file, "G", "K", &result, error);
  } else if (getter == LINE) {
    key_file_get_line (file, "G", "K", &result, error);
  } else if (getter == TEXT) {
    key_file_get_text (file, "G", "K", &result, error);
  }
  key_file_free (file);
  return result;
}

static const struct {
  Getter getter;
  const char *value, *result, *message;
} value_rows[] = {
  { INTEGER, "1", "1", NULL },
  { INTEGER, "1000000", "1000000", NULL },
  { INTEGER, "007", "7", NULL },
  { INTEGER, "0", NULL, "f:2: K=\"0\": expected an integer from 1 to 1000000" },
  { INTEGER, "1000001", NULL, "from 1 to 1000000" },
  { INTEGER, "-1", NULL, "expected an integer" },
  { INTEGER, "+1", NULL, "expected an integer" },
  { INTEGER, "1.5", NULL, "expected an integer" },
  { INTEGER, "1e3", NULL, "expected an integer" },
  { INTEGER, "0x10", NULL, "expected an integer" },
  { INTEGER, "1 000", NULL, "expected an integer" },
  { INTEGER, "18446744073709551617", NULL, "expected an integer" },
  { INTEGER, "4us", NULL, "expected an integer" },
  { BYTES, "0", "0", NULL },
  { BYTES, "512B", "512", NULL },
  { BYTES, "4KiB", "4096", NULL },
  { BYTES, "4 KiB", "4096", NULL },
  { BYTES, "3MiB", "3145728", NULL },
  { BYTES, "2GiB", "2147483648", NULL },
  { BYTES, "1TiB", "1099511627776", NULL },
  { BYTES, "18446744073709551615", "18446744073709551615", NULL },
  { BYTES, "18446744073709551615KiB", NULL, "expected bytes (B, KiB, MiB, GiB, TiB)" },
  { BYTES, "16777216TiB", NULL, "expected bytes" },
  { BYTES, "4kB", NULL, "expected bytes" },
  { BYTES, "4k", NULL, "expected bytes" },
  { BYTES, "KiB", NULL, "expected bytes" },
  { NUMBER, "0.15", "0.15", NULL },
  { NUMBER, "2.5", "2.5", NULL },
  { NUMBER, "1e-3", "0.001", NULL },
  { NUMBER, "2.51", NULL, "f:2: K=\"2.51\": expected a number from 0 to 2.5" },
  { NUMBER, "-0.1", NULL, "expected a number" },
  { NUMBER, "nan", NULL, "expected a number" },
  { NUMBER, "inf", NULL, "expected a number" },
  { NUMBER, "1e999", NULL, "expected a number" },
  { NUMBER, "0,15", NULL, "expected a number" },
  { NUMBER, "0x1", NULL, "expected a number" },
  { BOOLEAN, "yes", "1", NULL },
  { BOOLEAN, "true", "1", NULL },
  { BOOLEAN, "no", "0", NULL },
  { BOOLEAN, "false", "0", NULL },
  { BOOLEAN, "Yes", NULL, "expected yes or no" },
  { BOOLEAN, "1", NULL, "expected yes or no" },
  { KERNEL_VERSION, "6.3", "6003", NULL },
  { KERNEL_VERSION, "6.18", "6018", NULL },
  { KERNEL_VERSION, "6", NULL, "expected a kernel version" },
  { KERNEL_VERSION, "6.", NULL, "expected a kernel version" },
  { KERNEL_VERSION, ".3", NULL, "expected a kernel version" },
  { KERNEL_VERSION, "6.3.1", NULL, "expected a kernel version" },
  { KERNEL_VERSION, "0.9", NULL, "expected a kernel version" },
  { KERNEL_VERSION, "6.1000", NULL, "expected a kernel version" },
  { KERNEL_VERSION, "4294967302.3", NULL, "expected a kernel version" },
  { NAME, "x86-server.2_a", "x86-server.2_a", NULL },
  { NAME, "-x", NULL, "expected a name" },
  { NAME, ".x", NULL, "expected a name" },
  { NAME, "a/b", NULL, "expected a name" },
  { NAME, "a b", NULL, "expected a name" },
  { NAME, "a23456789012345678901234567890123456789012345678901234567890123",
    "a23456789012345678901234567890123456789012345678901234567890123", NULL },
  { NAME, "a234567890123456789012345678901234567890123456789012345678901234", NULL, "expected a name" },
  { CHOICE, "pack", "1", NULL },
  { CHOICE, "pak", NULL, "expected one of spread, pack; did you mean \"pack\"?" },
  { CHOICE, "other", NULL, "expected one of spread, pack" },
  { LINE, "plain text", "plain text", NULL },
  { LINE, "a\\sb\\\\c", "a b\\c", NULL },
  { LINE, "a\\nb", NULL, "expected one line of text" },
  { LINE, "a\\tb", NULL, "expected one line of text" },
  { LINE, "a\\xb", NULL, "expected text with no escapes but" },
  { TEXT, "a\\nb", "a\nb", NULL },
  { TEXT, "a\\rb", NULL, "expected text without control characters" },
  { TEXT, "caf\xc3\xa9", "caf\xc3\xa9", NULL },
};

static void test_values (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (value_rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *result = get (value_rows[i].value, value_rows[i].getter, &error);

    ROW_CHECK (g_strcmp0 (result, value_rows[i].result) == 0, "%s gave %s (%s)", value_rows[i].value,
               result ? result : "nothing", row_error (error));
    ROW_CHECK (!result == !!error, "%s: either a value or an error", value_rows[i].value);
    if (value_rows[i].message) {
      ROW_CHECK (strstr (row_error (error), value_rows[i].message), "%s: %s", value_rows[i].value, row_error (error));
      ROW_CHECK (g_error_matches (error, domain (), KEY_FILE_VALUE), "%s", value_rows[i].value);
    }
  }
}

static void test_known_keys (void)
{
  static const char *const known[] = { "Name", "Title", NULL };
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "[G]\nName=1\nTitle=2\n", NULL },
    { "[G]\nName=1\nTitel=2\n", "f:3: unknown key \"Titel\" in [G]; did you mean \"Title\"?" },
    { "[G]\nQuux=1\n", "f:2: unknown key \"Quux\" in [G]; expected one of Name, Title" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    KeyFile *file = parse (rows[i].text, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL (file);
    ROW_CHECK (key_file_check_keys (file, "G", known, &error) == !rows[i].message, "row %u", i);
    if (rows[i].message) {
      ROW_CHECK (strcmp (row_error (error), rows[i].message) == 0, "row %u: %s", i, row_error (error));
      ROW_CHECK (g_error_matches (error, domain (), KEY_FILE_UNKNOWN_KEY), "row %u", i);
    }
    key_file_free (file);
  }
}

static void test_suggest (void)
{
  static const char *const words[] = { "buffered", "write", "read", "inode.locked", "inode.waiters", NULL };
  static const struct {
    const char *word, *nearest;
  } rows[] = {
    { "buffered", "buffered" },
    { "bufered", "buffered" },
    { "bufferd", "buffered" },
    { "bfufered", "buffered" },
    { "BUFFERED", "buffered" },
    { "wirte", "write" },
    { "wrote", "write" },
    { "raed", "read" },
    { "inode.loked", "inode.locked" },
    { "cache", NULL },
    { "", NULL },
    { "x", NULL },
    { "writexyz", NULL },
    { "a234567890123456789012345678901234567890123456789012345678901234567890", NULL },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const char *nearest = suggest_nearest (rows[i].word, words);

    ROW_CHECK (g_strcmp0 (nearest, rows[i].nearest) == 0, "%s: %s", rows[i].word, nearest ? nearest : "none");
  }
}

/* The search path: $URINGSIM_DATADIR wins; names are sorted and only of the right kind. */
static void test_data_path (void)
{
  static const char *const files[] = { "b.policy",        "a.policy", "c.machine",
                                       "bad name.policy", ".policy",  ".hidden.policy" };
  g_autofree char *directory = g_dir_make_tmp ("data-XXXXXX", NULL),
                  *kind = g_build_filename (directory, "policies", NULL);
  g_autofree char *before = g_strdup (g_getenv ("URINGSIM_DATADIR")), *found = NULL, *expected = NULL;
  g_auto (GStrv) names = NULL;
  g_autoptr (GError) error = NULL;

  CU_ASSERT_EQUAL_FATAL (g_mkdir (kind, 0700), 0);
  for (unsigned i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (kind, files[i], NULL);

    CU_ASSERT_TRUE_FATAL (g_file_set_contents (path, "x", 1, NULL));
  }
  g_setenv ("URINGSIM_DATADIR", directory, TRUE);
  names = data_path_list ("policies", ".policy");
  if (ROW_CHECK (g_strv_length (names) == 2, "%u names", g_strv_length (names))) {
    CU_ASSERT (strcmp (names[0], "a") == 0 && strcmp (names[1], "b") == 0);
  }
  found = data_path_find ("policies", "b", ".policy", NULL);
  expected = g_build_filename (kind, "b.policy", NULL);
  CU_ASSERT_EQUAL (g_strcmp0 (found, expected), 0);
  CU_ASSERT_PTR_NULL (data_path_find ("policies", "linux-6.3", ".policy", &error));
  ROW_CHECK (strstr (row_error (error), "\"linux-6.3\": no such name among the shipped policies; there are: a, b"),
             "%s", row_error (error));
  if (before) {
    g_setenv ("URINGSIM_DATADIR", before, TRUE);
  } else {
    g_unsetenv ("URINGSIM_DATADIR");
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (kind, files[i], NULL);

    g_unlink (path);
  }
  g_rmdir (kind);
  g_rmdir (directory);
}

void register_key_file_tests (void)
{
  CU_pSuite suite = CU_add_suite ("key file", NULL, NULL);

  CU_add_test (suite, "scanning", test_scan);
  CU_add_test (suite, "scanning errors", test_scan_errors);
  CU_add_test (suite, "values", test_values);
  CU_add_test (suite, "known keys", test_known_keys);
  CU_add_test (suite, "suggestions", test_suggest);
  CU_add_test (suite, "data path", test_data_path);
}
