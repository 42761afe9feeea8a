/* Kinds of data files; see kinds.h. */
#include "src/command/kinds.h"
#include "model/data_path.h"
#include "model/key_file.h"
#include "model/suggest.h"
#include "src/command/options.h"
#include "src/command/scenario.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include <string.h>

static Description *show_policy (const char *name, const GPtrArray *set, GError **error)
{
  Policy *policy = policy_load_with_knobs (name, error);
  Description *description = policy ? describe_policy (policy) : NULL;

  g_clear_pointer (&policy, policy_free);
  return description;
}

static Description *show_machine (const char *name, const GPtrArray *set, GError **error)
{
  Machine *machine = scenario_load_machine (name, set, error);
  Description *description = machine ? describe_machine (machine) : NULL;

  g_clear_pointer (&machine, machine_free);
  return description;
}

static Description *show_file_system (const char *name, const GPtrArray *set, GError **error)
{
  FileSystem *fs = file_system_load (name, error);
  Description *description = fs ? describe_file_system (fs) : NULL;

  g_clear_pointer (&fs, file_system_free);
  return description;
}

static Description *show_device (const char *name, const GPtrArray *set, GError **error)
{
  Device *device = scenario_load_device (name, set, error);
  Description *description = device ? describe_device (device) : NULL;

  g_clear_pointer (&device, device_free);
  return description;
}

static Description *show_experiment (const char *name, const GPtrArray *set, GError **error)
{
  Experiment *experiment = experiment_load (name, error);
  Description *description = experiment ? describe_experiment (experiment) : NULL;

  g_clear_pointer (&experiment, experiment_free);
  return description;
}

static char *title_policy (const char *name, GError **error)
{
  Policy *policy = policy_load (name, error);

  if (!policy) {
    return NULL;
  }
  g_autofree char *kernel = format_kernel (policy->kernel);
  char *title = g_strdup_printf ("%s (kernel %s)", policy->title ? policy->title : "", kernel);
  policy_free (policy);
  return title;
}

static char *title_machine (const char *name, GError **error)
{
  Machine *machine = machine_load (name, error);
  char *title = machine ? g_strdup (machine->title ? machine->title : "") : NULL;

  g_clear_pointer (&machine, machine_free);
  return title;
}

static char *title_file_system (const char *name, GError **error)
{
  FileSystem *fs = file_system_load (name, error);
  char *title = fs ? g_strdup (fs->title ? fs->title : "") : NULL;

  g_clear_pointer (&fs, file_system_free);
  return title;
}

static char *title_device (const char *name, GError **error)
{
  Device *device = device_load (name, error);
  char *title = device ? g_strdup (device->title) : NULL;

  g_clear_pointer (&device, device_free);
  return title;
}

static char *title_experiment (const char *name, GError **error)
{
  Experiment *experiment = experiment_load (name, error);
  char *title = experiment ? g_strdup (experiment->title ? experiment->title : "") : NULL;

  g_clear_pointer (&experiment, experiment_free);
  return title;
}

static const Kind kinds[] = {
  { "policy", "policies", "policies", ".policy", show_policy, title_policy },
  { "machine", "machines", "machines", ".machine", show_machine, title_machine },
  { "file-system", "file-systems", "file_systems", ".fs", show_file_system, title_file_system },
  { "device", "devices", "devices", ".device", show_device, title_device },
  { "experiment", "experiments", "experiments", ".experiment", show_experiment, title_experiment },
};

const Kind *kind_find (const char *word, gboolean plural, GError **error)
{
  const char *names[G_N_ELEMENTS (kinds) + 1] = { NULL };

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++) {
    names[i] = plural ? kinds[i].plural : kinds[i].name;
    if (!strcmp (word, kinds[i].name) || !strcmp (word, kinds[i].plural)) {
      return &kinds[i];
    }
  }
  g_autofree char *list = g_strjoinv (", ", (char **) names);
  g_autofree char *quoted = escape_text_short (word, -1, 60);
  g_autofree char *near = suggest_phrase (word, names);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "unknown kind \"%s\", expected one of %s%s", quoted, list,
               near);
  return NULL;
}
