/* uringsim policy without one of its parts. */
#include "src/command/policy_commands.h"
#include "model/suggest.h"
#include "src/output/escape.h"
#include <string.h>

CommandExit command_policy (const Options *options, GError **error)
{
  static const char *const names[] = { "check", "search", NULL };
  const char *name = options->arguments->len ? options->arguments->pdata[0] : NULL;

  if (!name) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "policy: found no arguments, expected check FILE... or search FILE INPUT...");
    return EXIT_USAGE;
  }
  if (g_strv_contains (names, name)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "policy: found an option before %s, expected it behind",
                 name);
    return EXIT_USAGE;
  }
  g_autofree char *shown = escape_text_short (name, -1, 60), *phrase = suggest_phrase (name, names);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "policy: found \"%s\", expected check or search%s", shown,
               phrase);
  return EXIT_USAGE;
}
