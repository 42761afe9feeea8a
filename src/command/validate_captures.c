/*
 * uringsim validate DIRECTORY: traces of a real kernel beside the same jobs simulated.
 *
 * A directory of captures holds NAME.fio, NAME.trace.gz for each and validate.ini.  No capture is known by name here.
 */
#include "src/command/capture.h"
#include "src/command/capture_trace.h"
#include "src/command/validate.h"
#include "src/input/input_error.h"
#include "src/output/escape.h"
#include <string.h>

static const char suffix[] = CAPTURE_TRACE_SUFFIX;

static int compare_names (gconstpointer a, gconstpointer b) { return strcmp (*(char *const *) a, *(char *const *) b); }

/* The captures of a directory, sorted. (transfer full) (element-type utf8) */
static GPtrArray *list_captures (const char *directory, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *shown = escape_text_short (directory, -1, 200);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, &cause);
  const char *file;

  if (!dir) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: cannot be read as a directory of captures: %s", shown,
                 cause->code == G_FILE_ERROR_NOENT ? "it does not exist" : "it is no directory or not readable");
    return NULL;
  }
  while ((file = g_dir_read_name (dir))) {
    if (g_str_has_suffix (file, suffix) && strlen (file) > strlen (suffix)) {
      g_autofree char *name = g_strndup (file, strlen (file) - strlen (suffix));
      if (!capture_trace_is_repetition (name)) {
        g_ptr_array_add (names, g_steal_pointer (&name));
      }
    }
  }
  if (!names->len) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: no captures found, expected NAME.fio and NAME%s for each, and validate.ini", shown, suffix);
    return NULL;
  }
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

/* A group of validate.ini without a trace is said, in case the name is a slip. */
static void note_missing (const ValidateIni *ini, const GPtrArray *names, GPtrArray *notes)
{
  g_autoptr (GPtrArray) groups = validate_ini_names (ini);

  for (unsigned i = 0; i < groups->len; i++) {
    const char *group = groups->pdata[i];
    if (!g_ptr_array_find_with_equal_func ((GPtrArray *) names, group, g_str_equal, NULL)) {
      g_autofree char *origin = validate_ini_origin (ini, group);
      g_ptr_array_add (notes, g_strdup_printf ("%s: [%s]: there is no %s%s", origin, group, group, suffix));
    }
  }
}

static gboolean compare_all (const char *directory, ValidateIni *ini, const GPtrArray *names, const Options *options,
                             ReportCapture *captures, ReportValidation *validation, GPtrArray *notes, GError **error)
{
  for (unsigned i = 0; i < names->len; i++) {
    const CaptureConditions *conditions = validate_ini_conditions (ini, names->pdata[i]);
    ReportCapture *capture = &captures[i];
    switch (capture_compare (directory, names->pdata[i], conditions, options, capture, notes, error)) {
    case CAPTURE_FAILED:
      return FALSE;
    case CAPTURE_INTERRUPTED:
      validation->interrupted = TRUE;
      return TRUE;
    case CAPTURE_DONE:
      break;
    }
    validation->n_captures = i + 1;
    validation->not_modelled += capture->not_modelled != NULL;
    validation->compared += capture->not_modelled == NULL;
    validation->ok += capture->ok;
  }
  return TRUE;
}

static CommandExit validate (const char *directory, const Options *options, ReportCapture *captures,
                             const GPtrArray *names, GError **error)
{
  g_autofree char *path = g_build_filename (directory, "validate.ini", NULL);
  g_autoptr (ValidateIni) ini = validate_ini_load (path, error);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  ReportValidation validation = { .seed = options->seed,
                                  .reps = options->reps ? options->reps : CAPTURE_DEFAULT_REPS,
                                  .captures = captures,
                                  .notes = notes };

  if (!ini) {
    return EXIT_USAGE;
  }
  note_missing (ini, names, notes);
  if (!compare_all (directory, ini, names, options, captures, &validation, notes, error)) {
    return EXIT_INTERNAL;
  }
  g_autofree char *text =
      options->format == FORMAT_JSON ? json_report_validation (&validation) : text_report_validation (&validation);
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  return validation.interrupted ? EXIT_INTERRUPTED : validation.ok == validation.compared ? EXIT_DONE : EXIT_NEGATIVE;
}

/* What validate.ini says, or what traces leave no choice about. */
static gboolean refuse_options (const Options *options, GError **error)
{
  const char *given = options->fs                 ? "--fs"
                      : options->cpus             ? "--cpus"
                      : options->cache >= 0       ? "--cache"
                      : options->limit_ios        ? "--limit-ios"
                      : options->thresholds_given ? "a threshold"
                                                  : NULL;

  if (given) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "%s means nothing for a directory of captures; expected a file of measured results with it", given);
  }
  return given == NULL;
}

CommandExit validate_captures (const char *directory, const Options *options, GError **error)
{
  if (!refuse_options (options, error)) {
    return EXIT_USAGE;
  }
  g_autoptr (GPtrArray) names = list_captures (directory, error);
  if (!names) {
    return EXIT_DATA;
  }
  g_autofree ReportCapture *captures = g_new0 (ReportCapture, names->len);
  const CommandExit status = validate (directory, options, captures, names, error);
  for (unsigned i = 0; i < names->len; i++) {
    capture_clear (&captures[i]);
  }
  return status;
}
