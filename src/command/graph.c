/* uringsim graph without one of its parts, and graph policy; see graph_commands.h. */
#include "src/command/graph_commands.h"
#include "model/suggest.h"
#include "src/command/picture.h"
#include "src/output/draw.h"
#include "src/output/escape.h"

CommandExit command_graph (const Options *options, GError **error)
{
  static const char *const names[] = { "policy", "flow", "cdf", "depth", NULL };
  const char *name = options->arguments->len ? options->arguments->pdata[0] : NULL;
  g_autofree char *list = g_strjoinv (", ", (char **) names);

  if (!name) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "graph: found no arguments, expected %s", list);
  } else if (g_strv_contains (names, name)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "graph: found an option before %s, expected it behind",
                 name);
  } else {
    g_autofree char *shown = escape_text_short (name, -1, 60), *phrase = suggest_phrase (name, names);
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "graph: found \"%s\", expected %s%s", shown, list,
                 phrase);
  }
  return EXIT_USAGE;
}

CommandExit graph_policy_command (const Options *options, GError **error)
{
  if (options->arguments->len != 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "graph policy: found %u arguments, expected one policy, a name or a file", options->arguments->len);
    return EXIT_USAGE;
  }
  Policy *policy = policy_load_with_knobs (options->arguments->pdata[0], error);
  if (!policy) {
    return EXIT_USAGE;
  }
  g_autofree char *dot = draw_policy (policy);
  policy_free (policy);
  return picture_write_graph (options, dot, error);
}
