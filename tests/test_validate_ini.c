/* validate.ini: defaults, ranges, and what is refused. */
#include "src/input/validate_ini.h"
#include "model/kernel_version.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <string.h>

static ValidateIni *parse (const char *text, GError **error)
{
  return validate_ini_parse (text, strlen (text), "v.ini", error);
}

static void test_conditions (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ValidateIni) ini = parse ("[default]\npolicy=linux-6.18\nkernel=6.18\nmachine=m\ncpus=2\n"
                                       "[xfs-a]\nsubmitted=256\nworkers=3..6\ncpus=4\nnodes=2\n"
                                       "[b]\nfs=tmpfs\npolicy=linux-6.1\nkernel=6.1\n",
                                       &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (ini);
  const CaptureConditions *a = validate_ini_conditions (ini, "xfs-a");
  CU_ASSERT_STRING_EQUAL (a->policy, "linux-6.18");
  CU_ASSERT_STRING_EQUAL (a->machine, "m");
  CU_ASSERT_STRING_EQUAL (a->fs, "xfs");
  CU_ASSERT (a->kernel == KERNEL (6u, 18u) && a->cpus == 4 && a->nodes == 2);
  const CaptureRange *submitted = &a->count[CAPTURE_SUBMITTED], *workers = &a->count[CAPTURE_WORKERS];
  CU_ASSERT (submitted->given && !submitted->is_range && submitted->low == 256 && submitted->high == 256);
  CU_ASSERT (workers->given && workers->is_range && workers->low == 3 && workers->high == 6);
  CU_ASSERT (!a->count[CAPTURE_PUNTED].given);
  const CaptureConditions *b = validate_ini_conditions (ini, "b");
  CU_ASSERT_STRING_EQUAL (b->policy, "linux-6.1");
  CU_ASSERT_STRING_EQUAL (b->fs, "tmpfs");
  CU_ASSERT (b->kernel == KERNEL (6u, 1u) && b->cpus == 2 && b->nodes == 0);
  const CaptureConditions *other = validate_ini_conditions (ini, "ext4-c");
  CU_ASSERT_STRING_EQUAL (other->fs, "ext4");
  CU_ASSERT (other->cpus == 2 && !other->count[CAPTURE_WORKERS].given);
  g_autoptr (GPtrArray) names = validate_ini_names (ini);
  CU_ASSERT (names->len == 2 && !strcmp (names->pdata[0], "xfs-a") && !strcmp (names->pdata[1], "b"));
  g_autofree char *origin = validate_ini_origin (ini, "b"), *none = validate_ini_origin (ini, "ext4-c");
  CU_ASSERT_STRING_EQUAL (origin, "v.ini:11");
  CU_ASSERT_PTR_NULL (none);
}

static void test_refused (void)
{
  static const struct {
    const char *name, *text, *message;
    int code;
  } row[] = {
    { "unknown key", "[a]\npolicies=x\n", "v.ini:2: unknown key \"policies\"", VALIDATE_INI_ERROR_UNKNOWN_KEY },
    { "range backwards", "[a]\npunted=9..8\n", "v.ini:2: punted: found \"9..8\", expected a number",
      VALIDATE_INI_ERROR_VALUE },
    { "range of three", "[a]\npunted=1..2..3\n", "v.ini:2: punted", VALIDATE_INI_ERROR_VALUE },
    { "open range", "[a]\npunted=1..\n", "v.ini:2: punted", VALIDATE_INI_ERROR_VALUE },
    { "negative", "[a]\nhashed=-1\n", "v.ini:2: hashed", VALIDATE_INI_ERROR_VALUE },
    { "huge", "[a]\nworkers=99999999999\n", "v.ini:2: workers", VALIDATE_INI_ERROR_VALUE },
    { "switches neither asked nor shown", "[a]\nswitches=no\n", "v.ini:2: switches: found \"no\", expected asked or",
      VALIDATE_INI_ERROR_VALUE },
    { "no CPU", "[a]\ncpus=0\n", "v.ini:2:", VALIDATE_INI_ERROR_VALUE },
    { "kernel", "[a]\nkernel=six\n", "v.ini:2:", VALIDATE_INI_ERROR_VALUE },
    { "kernel without io_uring", "[default]\nkernel=4.19\n", "v.ini:2: kernel: found 4.19", VALIDATE_INI_ERROR_VALUE },
    { "group twice", "[a]\ncpus=1\n[a]\ncpus=2\n", "v.ini:3:", VALIDATE_INI_ERROR_SYNTAX },
    { "no group", "cpus=1\n", "v.ini:1:", VALIDATE_INI_ERROR_SYNTAX },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (ValidateIni) ini = parse (row[i].text, &error);
    ROW_CHECK (!ini && g_error_matches (error, VALIDATE_INI_ERROR, row[i].code) &&
                   strstr (error->message, row[i].message),
               "%s: %s", row[i].name, row_error (error));
  }
  g_autoptr (GError) error = NULL;
  ValidateIni *ini = validate_ini_load (TEST_DATA_DIR "/no-such-directory/validate.ini", &error);
  CU_ASSERT (!ini && g_error_matches (error, VALIDATE_INI_ERROR, VALIDATE_INI_ERROR_NOT_FOUND));
}

void register_validate_ini_tests (void)
{
  static CU_TestInfo tests[] = {
    { "conditions", test_conditions },
    { "refused", test_refused },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "validate_ini", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
