/* uringsim list: names and titles of what is shipped. */
#include "model/data_path.h"
#include "src/command/command.h"
#include "src/command/kinds.h"

CommandExit command_list (const Options *options, GError **error)
{
  if (options->arguments->len != 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "list: found %u arguments, expected one of policies, machines, file-systems, devices, experiments",
                 options->arguments->len);
    return EXIT_USAGE;
  }
  const Kind *kind = kind_find (options->arguments->pdata[0], TRUE, error);
  if (!kind) {
    return EXIT_USAGE;
  }
  g_auto (GStrv) names = data_path_list (kind->directory, kind->suffix);
  if (!names || !names[0]) {
    g_set_error (
        error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
        "list: no %s found in the data directory; expected it in URINGSIM_DATADIR or where they were installed",
        kind->plural);
    return EXIT_USAGE;
  }
  g_autoptr (Description) description = description_new ("list");

  description_field (description, "kind", kind->plural);
  description_table (description, kind->directory, "name title");
  for (char **name = names; name && *name; name++) {
    g_autofree char *title = kind->title (*name, error);
    if (!title) {
      return EXIT_USAGE;
    }
    description_cell (description, *name);
    description_cell (description, title);
  }
  g_autofree char *text =
      options->format == FORMAT_JSON ? description_json (description) : description_text (description);
  return command_output (options, text, error) ? EXIT_DONE : EXIT_IO;
}
