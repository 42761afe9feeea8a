/* uringsim trace without one of its parts. */
#include "model/suggest.h"
#include "src/command/trace_commands.h"
#include "src/output/escape.h"
#include <string.h>

CommandExit command_trace (const Options *options, GError **error)
{
  static const char *const names[] = { "info", "check", "convert", "cut", NULL };
  const char *name = options->arguments->len ? options->arguments->pdata[0] : NULL;
  g_autofree char *list = g_strjoinv (", ", (char **) names);

  if (!name) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "trace: found no arguments, expected one of %s, and FILE...", list);
    return EXIT_USAGE;
  }
  if (g_strv_contains (names, name)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "trace: found an option before %s, expected it behind",
                 name);
    return EXIT_USAGE;
  }
  g_autofree char *shown = escape_text_short (name, -1, 60), *phrase = suggest_phrase (name, names);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "trace: found \"%s\", expected one of %s%s", shown, list,
               phrase);
  return EXIT_USAGE;
}
