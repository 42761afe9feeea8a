/*
 * Runs the unit tests: all of them, or the subjects named on the command line.
 *
 *   unit [-l] [SUBJECT...]     -l: list the subjects
 *
 * Exit status 0 if every test passed, 1 if one failed, 2 if the tests could not be run.
 */
#include "tests/unit.h"
#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define UNIT_ROW(subject) { #subject, register_##subject##_tests },
static const struct {
  const char *name;
  void (*register_tests) (void);
} subjects[] = { UNIT_SUBJECTS (UNIT_ROW) };
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

static int list_subjects (void)
{
  for (int i = 0; i < N_SUBJECTS; i++) {
    puts (subjects[i].name);
  }
  return 0;
}

static int register_named (const char *name)
{
  for (int i = 0; i < N_SUBJECTS; i++) {
    if (!strcmp (subjects[i].name, name)) {
      subjects[i].register_tests ();
      return 1;
    }
  }
  fprintf (stderr, "unit: no subject \"%s\"; unit -l lists them\n", name);
  return 0;
}

int main (int argc, char **argv)
{
  if (argc == 2 && !strcmp (argv[1], "-l")) {
    return list_subjects ();
  }
  if (CU_initialize_registry () != CUE_SUCCESS) {
    fprintf (stderr, "unit: %s\n", CU_get_error_msg ());
    return 2;
  }
  for (int i = 1; i < argc; i++) {
    if (!register_named (argv[i])) {
      return 2;
    }
  }
  for (int i = 0; argc == 1 && i < N_SUBJECTS; i++) {
    subjects[i].register_tests ();
  }
  CU_basic_set_mode (CU_BRM_NORMAL);
  if (CU_basic_run_tests () != CUE_SUCCESS) {
    fprintf (stderr, "unit: %s\n", CU_get_error_msg ());
    return 2;
  }
  const unsigned failed = CU_get_number_of_tests_failed () + CU_get_number_of_suites_failed ();
  const unsigned run = CU_get_number_of_tests_run ();
  CU_cleanup_registry ();
  if (run == 0) {
    fprintf (stderr, "unit: no test was run\n");
    return 2;
  }
  return failed ? 1 : 0;
}
