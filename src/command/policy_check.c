/* uringsim policy check FILE...: is it a policy, and if not, where is it wrong? */
#include "model/data_path.h"
#include "model/policy.h"
#include "src/command/policy_commands.h"
#include "src/output/findings.h"
#include <string.h>

/* Line `number` of the file that messages call `display`. (transfer full); NULL if it cannot be had */
static char *line_of (const char *display, unsigned number)
{
  static const char shipped[] = "policies/", suffix[] = ".policy";
  g_autofree char *text = NULL, *path = NULL;

  if (!g_file_get_contents (display, &text, NULL, NULL) && g_str_has_prefix (display, shipped) &&
      g_str_has_suffix (display, suffix)) {
    g_autofree char *name =
        g_strndup (display + strlen (shipped), strlen (display) - strlen (shipped) - strlen (suffix));
    path = data_path_find ("policies", name, suffix, NULL);
    if (path) {
      g_file_get_contents (path, &text, NULL, NULL);
    }
  }
  const char *line = text;
  for (unsigned i = 1; line && i < number; i++) {
    line = strchr (line, '\n');
    line = line ? line + 1 : NULL;
  }
  return line ? g_strndup (line, strcspn (line, "\r\n")) : NULL;
}

/* A number and a ':' at *text, which is moved behind it; 0 if there is none. */
static unsigned take_number (const char **text)
{
  const gsize digits = strspn (*text, "0123456789");
  const unsigned number = (unsigned) g_ascii_strtoull (*text, NULL, 10);

  if (!digits || digits > 9 || (*text)[digits] != ':') {
    return 0;
  }
  *text += digits + 1;
  return number;
}

/* Where the message points to: it begins with FILE:LINE[:COLUMN]:.  Without a column the value is meant, or else the
 * line from its beginning. */
static void find_spot (Finding *finding, gboolean value)
{
  for (const char *colon = strchr (finding->message, ':'); colon && !finding->line; colon = strchr (colon + 1, ':')) {
    const char *rest = colon + 1;
    const unsigned line = take_number (&rest);
    if (line) {
      g_autofree char *display = g_strndup (finding->message, (gsize) (colon - finding->message));
      finding->line = line;
      finding->column = take_number (&rest);
      finding->text = line_of (display, line);
    }
  }
  const char *equals = finding->text ? strchr (finding->text, '=') : NULL;
  if (equals && value && !finding->column) {
    finding->column = (unsigned) (equals - finding->text) + 2 + (unsigned) strspn (equals + 1, " \t");
  }
}

static void check_one (const char *file, Finding *finding)
{
  g_autoptr (GError) cause = NULL;
  Policy *policy = policy_load_with_knobs (file, &cause);

  *finding = (Finding){ .file = g_strdup (file), .ok = policy != NULL };
  if (!policy) {
    finding->message = g_strdup (cause->message);
    find_spot (finding, !g_error_matches (cause, POLICY_ERROR, POLICY_ERROR_UNKNOWN_KEY));
    return;
  }
  GString *knobs = g_string_new (NULL);
  for (unsigned i = 0; i < policy->n_knobs; i++) {
    const PolicyKnob *knob = &policy->knobs[i];
    g_string_append_printf (knobs, "%s[%s] %s",
                            i                      ? ", "
                            : policy->n_knobs == 1 ? "; knob: "
                                                   : "; knobs: ",
                            knob->name, knob->text);
  }
  g_autofree char *list = g_string_free (knobs, FALSE);
  finding->message =
      g_strdup_printf ("ok: %s, %u rule%s in force, %u queue%s, kernel %u.%u%s", policy->name, policy->n_rules,
                       policy->n_rules == 1 ? "" : "s", policy->n_queues, policy->n_queues == 1 ? "" : "s",
                       KERNEL_MAJOR (policy->kernel), KERNEL_MINOR (policy->kernel), list);
  policy_free (policy);
}

CommandExit policy_check (const Options *options, GError **error)
{
  const unsigned n = options->arguments->len;
  g_autoptr (GArray) findings = g_array_new (FALSE, TRUE, sizeof (Finding));
  unsigned wrong = 0;

  if (n == 0) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "policy check: found no file, expected FILE...");
    return EXIT_USAGE;
  }
  g_array_set_clear_func (findings, finding_clear);
  g_array_set_size (findings, n);
  for (unsigned i = 0; i < n; i++) {
    Finding *finding = &g_array_index (findings, Finding, i);
    check_one (options->arguments->pdata[i], finding);
    wrong += !finding->ok;
  }
  g_autofree char *text = options->format == FORMAT_JSON ? json_findings (findings) : text_findings (findings);
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  if (wrong) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "policy check: %u of %u file%s wrong", wrong, n,
                 n == 1 ? " is" : "s are");
    return EXIT_USAGE;
  }
  return EXIT_DONE;
}
