/* Dispatch, exit codes, help and output of subcommands; see command.h. */
#include "src/command/command.h"
#include "src/command/verdict.h"
#include "model/data_path.h"
#include "model/device.h"
#include "model/experiment.h"
#include "model/file_system.h"
#include "model/machine.h"
#include "model/policy.h"
#include "model/simulation.h"
#include "model/suggest.h"
#include "src/input/validate_ini.h"
#include "src/output/fio_json.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include "src/version.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

G_DEFINE_QUARK (uringsim - command - error - quark, command_error)

static CommandExit exit_of_simulation (int code)
{
  switch (code) {
  case SIMULATION_ERROR_CONFIG:
    return EXIT_USAGE;
  case SIMULATION_ERROR_SOURCE:
    return EXIT_DATA;
  case SIMULATION_ERROR_DEADLOCK:
    return EXIT_NEGATIVE;
  default:
    return EXIT_INTERNAL;
  }
}

CommandExit command_exit_of (const GError *error)
{
  if (error->domain == SIMULATION_ERROR) {
    return exit_of_simulation (error->code);
  }
  if (error->domain == INPUT_ERROR) {
    return (CommandExit) input_error_exit_code (error);
  }
  if (error->domain == COMMAND_ERROR) {
    return error->code == COMMAND_ERROR_WRITE ? EXIT_IO : EXIT_DATA;
  }
  /* Everything else that can go wrong is a name, an option or a configuration file. */
  if (error->domain == OPTIONS_ERROR || error->domain == POLICY_ERROR || error->domain == MACHINE_ERROR ||
      error->domain == FILE_SYSTEM_ERROR || error->domain == DEVICE_ERROR || error->domain == EXPERIMENT_ERROR ||
      error->domain == G_FILE_ERROR || error->domain == G_KEY_FILE_ERROR || error->domain == VALIDATE_INI_ERROR) {
    return EXIT_USAGE;
  }
  return EXIT_INTERNAL;
}

static gboolean write_stream (FILE *stream, const char *name, const char *bytes, gsize size, GError **error)
{
  errno = 0;
  if (fwrite (bytes, 1, size, stream) != size || fflush (stream) == EOF) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "%s: %s", name, g_strerror (errno ? errno : EIO));
    return FALSE;
  }
  return TRUE;
}

gboolean command_output (const Options *options, const char *text, GError **error)
{
  return command_output_bytes (options, text, strlen (text), error);
}

gboolean command_output_bytes (const Options *options, const char *bytes, gsize size, GError **error)
{
  if (!options->output) {
    return write_stream (stdout, "standard output", bytes, size, error);
  }
  const int failure = output_stream_write (options->output, bytes, size);
  if (failure) {
    g_autofree char *name = escape_text_short (options->output, -1, 200);
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "-o %s: %s", name, g_strerror (failure));
  }
  return !failure;
}

/* In the format that was asked for. (transfer full) */
static char *write_report (const Options *options, const Report *report)
{
  switch (options->format) {
  case FORMAT_JSON:
    return json_report (report);
  case FORMAT_FIO_JSON:
  case FORMAT_FIO_JSON_PLUS:
    return fio_json_report (report, options->format == FORMAT_FIO_JSON_PLUS);
  case FORMAT_CSV:
    return csv_report (report);
  default:
    return text_report (report);
  }
}

CommandExit command_report (const Options *options, const char *command, const Scenario *scenario, const RunSet *set,
                            unsigned reps, const ReportRun *runs, unsigned n_runs, const ReportVerdict *verdict,
                            GError **error)
{
  const VerdictConditions conditions = verdict_conditions (scenario, options);
  g_autofree Operation *operations = verdict_operations (runs, n_runs, &conditions);
  g_autoptr (GPtrArray) notes = scenario_notes (scenario, options, runs, n_runs);
  const Report report = {
    .command = command,
    .seed = options->seed,
    .reps = reps,
    .workload = scenario->workload,
    .machine = scenario->machine,
    .replay = scenario->replay,
    .notes = notes,
    .timing = options->timing,
    .interrupted = run_set_interrupted (set),
    .n_runs = n_runs,
    .runs = runs,
    .operations = operations,
    .verdict = verdict,
  };
  g_autofree char *text = write_report (options, &report);
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  if (report.interrupted) {
    return EXIT_INTERRUPTED;
  }
  for (unsigned i = 0; i < n_runs; i++) {
    const RunResult *result = runs[i].result;
    if (result->all_failed) {
      fprintf (stderr, "uringsim: policy %s, engine %s: every request failed; the report says with what\n",
               result->policy, result->engine);
      return EXIT_NEGATIVE;
    }
  }
  return EXIT_DONE;
}

static const Command *find_row (const Command *commands, const char *name)
{
  for (const Command *command = commands; command->name; command++) {
    if (!strcmp (command->name, name)) {
      return command;
    }
  }
  return NULL;
}

/* The command of the first words, which may be two. */
static const Command *find_command (const Command *commands, char **words, int *ret_n_words)
{
  g_autofree char *two = words[1] ? g_strconcat (words[0], " ", words[1], NULL) : NULL;
  const Command *part = two && !strchr (words[0], ' ') ? find_row (commands, two) : NULL;

  *ret_n_words = part ? 2 : 1;
  return part ? part : strchr (words[0], ' ') ? NULL : find_row (commands, words[0]);
}

static void append_row (GString *out, const Command *command)
{
  g_string_append_printf (out, "  %-13s  %-24s %s\n", command->name, command->arguments, command->summary);
}

static char *program_help (const Command *commands)
{
  GString *out = g_string_new (
      "uringsim simulates I/O through io_uring and says which punting policy wins, by how much, and why.\n\n"
      "Usage: uringsim COMMAND [OPTION...] [ARGUMENT...]\n\n");

  for (const Command *command = commands; command->name; command++) {
    if (command->arguments) {
      append_row (out, command);
    }
  }
  g_string_append (out,
                   "\nuringsim COMMAND --help lists the options of a command; uringsim --version prints the version.\n"
                   "Exit status: 0 done, 1 the answer is negative, 2 usage or configuration, 3 bad input data,\n"
                   "4 the result could not be written, 70 internal error, 130 interrupted.\n");
  return g_string_free (out, FALSE);
}

/* Of a command that is nothing without one of its parts. */
static char *parts_help (const Command *commands, const Command *whole)
{
  GString *out = g_string_new (NULL);
  g_autofree char *prefix = g_strconcat (whole->name, " ", NULL);

  g_string_append_printf (out, "Usage: uringsim %s PART [OPTION...] ARGUMENT...\n\n%s:\n\n", whole->name,
                          whole->summary);
  for (const Command *command = commands; command->name; command++) {
    if (g_str_has_prefix (command->name, prefix)) {
      append_row (out, command);
    }
  }
  g_string_append_printf (out, "\nuringsim %s PART --help lists the options of a part.\n", whole->name);
  return g_string_free (out, FALSE);
}

static char *command_help (const Command *commands, const Command *command)
{
  g_autofree char *options = options_help (command->user);

  if (!command->arguments) {
    return parts_help (commands, command);
  }
  return g_strdup_printf ("Usage: uringsim %s [OPTION...] %s\n\n%s\n\nOptions:\n%s", command->name, command->arguments,
                          command->help, options);
}

static int fail (const GError *error)
{
  const CommandExit status = command_exit_of (error);

  fprintf (stderr, "uringsim: %s%s\n", status == EXIT_INTERNAL ? "internal error: " : "", error->message);
  return status;
}

static int usage_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
static int usage_error (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "uringsim: %s\n", text);
  return EXIT_USAGE;
}

static int unknown_command (const Command *commands, const char *word)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *quoted = escape_text_short (word, -1, 60);

  for (const Command *command = commands; command->name; command++) {
    if (!strchr (command->name, ' ')) {
      g_ptr_array_add (names, (char *) command->name);
    }
  }
  g_ptr_array_add (names, NULL);
  const char *near = suggest_nearest (word, (const char *const *) names->pdata);
  if (near) {
    return usage_error ("unknown command \"%s\"; did you mean \"%s\"?", quoted, near);
  }
  g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
  return usage_error ("unknown command \"%s\"; expected one of %s", quoted, list);
}

/* Text that is the answer itself, as help is: goes to stdout. */
static int print_answer (const char *text)
{
  g_autoptr (GError) error = NULL;

  return write_stream (stdout, "standard output", text, strlen (text), &error) ? EXIT_DONE : fail (error);
}

static int run_command (const Command *commands, const Command *command, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Options) options = options_parse (command->user, argc, argv, &error);

  if (!options) {
    return fail (error);
  }
  if (options->help) {
    g_autofree char *help = command_help (commands, command);
    return print_answer (help);
  }
  const CommandExit status = command->run (options, &error);
  return error ? fail (error) : (int) status;
}

int command_main (const Command *commands, int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : NULL;

  if (!word) {
    return usage_error ("no command given; uringsim --help lists them");
  }
  if (!strcmp (word, "--version")) {
    g_autofree char *text = g_strdup_printf ("uringsim %s (model %u, %s)\n", uringsim_version (),
                                             uringsim_model_version (), uringsim_git_id ());
    return print_answer (text);
  }
  const gboolean help = !strcmp (word, "--help") || !strcmp (word, "-h") || !strcmp (word, "help");
  if (help && (argc == 2 || argv[2][0] == '-')) {
    g_autofree char *text = program_help (commands);
    return print_answer (text);
  }
  int n_words;
  const Command *command = find_command (commands, argv + (help ? 2 : 1), &n_words);
  if (!command) {
    if (word[0] == '-' && !help) {
      g_autofree char *quoted = escape_text_short (word, -1, 60);
      return usage_error ("unknown option %s before the command; uringsim --help lists the commands", quoted);
    }
    return unknown_command (commands, help ? argv[2] : word);
  }
  if (help) {
    g_autofree char *text = command_help (commands, command);
    return print_answer (text);
  }
  return run_command (commands, command, argc - 1 - n_words, argv + 1 + n_words);
}
