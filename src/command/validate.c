/*
 * uringsim validate: what a real machine did beside the same simulated.
 *
 * A directory holds captures; a file is one of measured results, recognised by what is in it.
 */
#include "src/command/validate.h"
#include <string.h>

static CommandExit validate_file (const char *path, const char *job, const Options *options, GError **error)
{
  g_autoptr (GError) cause = NULL;
  ByteSource *source = byte_source_open (path, error);
  const InputKind kind = source ? input_detect (source, &cause) : INPUT_UNKNOWN;
  CommandExit status = EXIT_DATA;

  const gboolean plain = kind == INPUT_FIO_TERSE || kind == INPUT_FIO_TEXT || kind == INPUT_FIO_HIST_LOG;

  if (source && !cause && job && kind != INPUT_FIO_JSON && !plain) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "validate: a job file can only stand beside a result of fio, found a %s", input_kind_name (kind));
    status = EXIT_USAGE;
  } else if (source && !cause && plain && !job) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "validate: a %s does not say the options of its jobs; expected their job file behind it",
                 input_kind_name (kind));
    status = EXIT_USAGE;
  } else if (cause) {
    g_propagate_error (error, g_steal_pointer (&cause));
  } else if (kind == INPUT_THROUGHPUT) {
    status = validate_records (source, options, error);
  } else if (kind == INPUT_LOCK_SHARE) {
    status = validate_shares (source, options, error);
  } else if (kind == INPUT_FIO_JSON || plain) {
    status = validate_results (source, kind, job, options, error);
  } else if (source) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: looks like %s %s; expected a result of fio, throughput records, lock shares, or a directory of "
                 "captures",
                 byte_source_name (source), kind == INPUT_IOLOG || kind == INPUT_UNKNOWN ? "an" : "a",
                 input_kind_name (kind));
  }
  byte_source_unref (source);
  return status;
}

CommandExit command_validate (const Options *options, GError **error)
{
  if (options->arguments->len != 1 && options->arguments->len != 2) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "validate: found %u arguments, expected one directory or file, or a result of fio and its job file",
                 options->arguments->len);
    return EXIT_USAGE;
  }
  if (options->policies->len > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--policy: validate takes one, found %u",
                 options->policies->len);
    return EXIT_USAGE;
  }
  const char *path = options->arguments->pdata[0];
  const gboolean is_file =
      !strcmp (path, "-") || (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_DIR));
  const char *job = options->arguments->len == 2 ? options->arguments->pdata[1] : NULL;
  if (job && !is_file) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "validate: found 2 arguments, expected one directory, or a result of fio and its job file");
    return EXIT_USAGE;
  }
  return is_file ? validate_file (path, job, options, error) : validate_captures (path, options, error);
}
