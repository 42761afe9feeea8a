/* uringsim show: the effective values of one policy, machine, file system or experiment, and where each comes from. */
#include "src/command/command.h"
#include "src/command/kinds.h"
#include <string.h>

CommandExit command_show (const Options *options, GError **error)
{
  if (options->arguments->len != 2) {
    g_set_error (
        error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
        "show: found %u arguments, expected a kind (policy, machine, file-system, device, experiment) and a name "
        "or file",
        options->arguments->len);
    return EXIT_USAGE;
  }
  const Kind *kind = kind_find (options->arguments->pdata[0], FALSE, error);
  if (!kind) {
    return EXIT_USAGE;
  }
  if (options->set->len && strcmp (kind->name, "machine")) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--set: only a machine has values to set, found %s",
                 kind->name);
    return EXIT_USAGE;
  }
  g_autoptr (Description) description = kind->describe (options->arguments->pdata[1], options->set, error);
  if (!description) {
    return EXIT_USAGE;
  }
  g_autofree char *text =
      options->format == FORMAT_JSON ? description_json (description) : description_text (description);
  return command_output (options, text, error) ? EXIT_DONE : EXIT_IO;
}
