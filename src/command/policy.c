/* uringsim policy: check and search, on policy files. */
#include "src/command/policy_commands.h"
#include "model/suggest.h"
#include "src/output/escape.h"
#include <string.h>

CommandExit command_policy (const Options *options, GError **error)
{
  static const struct {
    const char *name;
    CommandExit (*run) (const Options *options, GError **error);
  } rows[] = { { "check", policy_check } };
  static const char *const names[] = { "check", NULL };

  if (options->arguments->len < 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "policy: found no arguments, expected check FILE...");
    return EXIT_USAGE;
  }
  const char *name = options->arguments->pdata[0];
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!strcmp (rows[i].name, name)) {
      return rows[i].run (options, error);
    }
  }
  g_autofree char *shown = escape_text_short (name, -1, 60), *phrase = suggest_phrase (name, names);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "policy: found \"%s\", expected check%s", shown, phrase);
  return EXIT_USAGE;
}
