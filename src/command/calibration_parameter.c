/* Values to fit; see calibration_parameter.h. */
#include "src/command/calibration_parameter.h"
#include "model/key_file.h"
#include "src/command/options.h"
#include "src/fit/fit.h"
#include "src/output/escape.h"
#include <math.h>
#include <string.h>

#define FS_PREFIX "FileSystem "

static void parameter_clear (gpointer data) { g_free (((CalibrationParameter *) data)->key); }

static GArray *parameters_new (void)
{
  GArray *parameters = g_array_new (FALSE, FALSE, sizeof (CalibrationParameter));

  g_array_set_clear_func (parameters, parameter_clear);
  return parameters;
}

/* LOW..HIGH */
static gboolean parse_range (const char *text, double *ret_low, double *ret_high)
{
  const char *dots = strstr (text, "..");
  g_autofree char *low = dots ? g_strndup (text, (gsize) (dots - text)) : NULL;

  return dots && key_file_parse_number (low, ret_low) && key_file_parse_number (dots + 2, ret_high) && *ret_low > 0 &&
         *ret_low < *ret_high;
}

static gboolean parse_one (const char *word, const Machine *machine, GArray *parameters, GError **error)
{
  const char *equals = strchr (word, '=');
  g_autofree char *key = equals ? g_strndup (word, (gsize) (equals - word)) : g_strdup (word);
  g_autofree char *shown = escape_text_short (word, -1, 60);
  CalibrationParameter parameter = { 0 };

  if (!machine_get_number (machine, key, &parameter.base, &parameter.whole, error)) {
    g_prefix_error (error, "--parameter: ");
    return FALSE;
  }
  for (unsigned i = 0; i < parameters->len; i++) {
    if (!strcmp (g_array_index (parameters, CalibrationParameter, i).key, key)) {
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--parameter: found %s twice, expected each key once",
                   key);
      return FALSE;
    }
  }
  if (equals &&
      (!parse_range (equals + 1, &parameter.low, &parameter.high) || (parameter.whole && parameter.low < 1))) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--parameter: found \"%s\", expected KEY=LOW..HIGH with %s LOW < HIGH", shown,
                 parameter.whole ? "1 <=" : "0 <");
    return FALSE;
  }
  if (!equals && parameter.base <= 0) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--parameter: %s is 0 on %s, which has no multiples: expected a range, %s=LOW..HIGH", key,
                 machine->name, key);
    return FALSE;
  }
  if (!equals) {
    parameter.low = parameter.base / CALIBRATION_RANGE;
    parameter.high = parameter.base * CALIBRATION_RANGE;
    parameter.low = parameter.whole ? MAX (parameter.low, 1) : parameter.low;
  }
  if (parameters->len >= FIT_PARAMETERS_MAX) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--parameter: expected at most %u", FIT_PARAMETERS_MAX);
    return FALSE;
  }
  const gboolean inside = parameter.low <= parameter.base && parameter.base <= parameter.high;
  parameter.start = inside ? parameter.base : sqrt (parameter.low * parameter.high);
  parameter.key = g_steal_pointer (&key);
  g_array_append_val (parameters, parameter);
  return TRUE;
}

GArray *calibration_parameters_parse (const GPtrArray *words, const Machine *machine, GError **error)
{
  g_autoptr (GArray) parameters = parameters_new ();

  for (unsigned i = 0; i < words->len; i++) {
    if (!parse_one (words->pdata[i], machine, parameters, error)) {
      return NULL;
    }
  }
  return g_steal_pointer (&parameters);
}

static void add_default (GArray *parameters, const char *key, const Machine *machine)
{
  /* A machine always has these keys; a file system of the jobs was asked for before. */
  parse_one (key, machine, parameters, NULL);
}

GArray *calibration_parameters_default (const Machine *machine, const GPtrArray *reads, const GPtrArray *writes)
{
  static const char *const common[] = {
    "CPU.Syscall",      "Application.Prepare", "Ring.Prepare",         "Ring.Punt",
    "Scheduler.Switch", "Scheduler.WakeLocal", "Scheduler.WakeRemote", "Scheduler.IdleExit",
    "Worker.Item",      "Worker.Fetch",        "Ring.TaskWork"
  };
  GArray *parameters = parameters_new ();

  for (unsigned i = 0; i < G_N_ELEMENTS (common); i++) {
    add_default (parameters, common[i], machine);
  }
  for (unsigned i = 0; i < writes->len; i++) {
    g_autofree char *key = g_strdup_printf (FS_PREFIX "%s.WritePage", (const char *) writes->pdata[i]);
    add_default (parameters, key, machine);
  }
  for (unsigned i = 0; i < reads->len; i++) {
    g_autofree char *key = g_strdup_printf (FS_PREFIX "%s.ReadPage", (const char *) reads->pdata[i]);
    add_default (parameters, key, machine);
  }
  return parameters;
}

char *calibration_parameter_format (const CalibrationParameter *parameter, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (digits, sizeof digits, parameter->whole ? "%.0f" : "%.4g", value));
}

char *calibration_parameter_file_system (const CalibrationParameter *parameter)
{
  const char *dot = strrchr (parameter->key, '.');

  if (!g_str_has_prefix (parameter->key, FS_PREFIX)) {
    return NULL;
  }
  return g_strndup (parameter->key + strlen (FS_PREFIX), (gsize) (dot - parameter->key) - strlen (FS_PREFIX));
}
