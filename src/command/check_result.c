/* uringsim check-result: can a pasted result be? */
#include "src/command/command.h"
#include "src/command/plausibility.h"
#include "src/input/fio_plain_result.h"
#include "src/input/fio_result.h"
#include "src/input/input.h"
#include "src/output/plausibility_report.h"

#include "model/key_file.h"

#include <stdio.h>
#include <string.h>

/* A result and its findings, kept until all are printed. */
typedef struct {
  char *name;
  GArray *findings; /* of PlausibilityFinding */
} Checked;

static void checked_clear (gpointer data)
{
  Checked *checked = data;

  g_free (checked->name);
  g_array_unref (checked->findings);
}

static GPtrArray *read_file (const char *path, GError **error)
{
  ByteSource *source = byte_source_open (path, error);
  GPtrArray *groups = NULL;

  const InputKind kind = source ? input_detect (source, error) : INPUT_UNKNOWN;

  if (source && !(error && *error)) {
    if (kind == INPUT_FIO_JSON) {
      groups = fio_results_read (source, error);
    } else if (kind == INPUT_FIO_TERSE) {
      groups = fio_terse_read (source, error);
    } else if (kind == INPUT_FIO_TEXT) {
      groups = fio_text_read (source, error);
    } else {
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                   "%s: found a %s, expected a result of fio (JSON, terse or its normal text)",
                   byte_source_name (source), input_kind_name (kind));
    }
  }
  byte_source_unref (source);
  return groups;
}

static gboolean add_file (GArray *all, const char *path, GError **error)
{
  g_autoptr (GPtrArray) groups = read_file (path, error);

  for (unsigned i = 0; groups && i < groups->len; i++) {
    const Measurement *group = groups->pdata[i];
    const Checked checked = { g_strdup_printf ("%s: %s", path, group->name ? group->name : "job"),
                              plausibility_measurement (group) };

    g_array_append_val (all, checked);
  }
  return groups != NULL;
}

/* "287K", "1.5M", "4096"; decimal thousands. */
static gboolean parse_number (const char *option, const char *text, double *ret, GError **error)
{
  static const struct {
    char letter;
    double factor;
  } suffixes[] = { { 'k', 1e3 }, { 'm', 1e6 }, { 'g', 1e9 } };
  g_autofree char *digits = g_strdup (text);
  double factor = 1;
  const gsize length = strlen (digits);

  for (unsigned i = 0; length > 1 && i < G_N_ELEMENTS (suffixes); i++) {
    if (g_ascii_tolower (digits[length - 1]) == suffixes[i].letter) {
      factor = suffixes[i].factor;
      digits[length - 1] = '\0';
      break;
    }
  }
  if (!key_file_parse_number (digits, ret) || *ret <= 0) {
    g_autofree char *quoted = key_file_quote (text);

    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--%s: found %s, expected a positive number, also with k, M or G (thousands)", option, quoted);
    return FALSE;
  }
  *ret *= factor;
  return TRUE;
}

static gboolean parse_size (const char *option, const char *text, double *ret, GError **error)
{
  uint64_t bytes;

  if (key_file_parse_bytes (text, &bytes) && bytes > 0) {
    *ret = (double) bytes;
    return TRUE;
  }
  g_autofree char *quoted = key_file_quote (text);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s: found %s, expected bytes, also with KiB, MiB or GiB",
               option, quoted);
  return FALSE;
}

/* The figures of the command line. */
static gboolean add_figures (GArray *all, const Options *options, GError **error)
{
  PlausibilityFigures figures = { .what = "figures",
                                  .slat = (double) options->slat,
                                  .clat = (double) options->clat,
                                  .lat = (double) options->lat,
                                  .iodepth = options->iodepth,
                                  .jobs = options->numjobs };
  Checked checked;

  if (!options->iops) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "check-result: expected a file or --iops with what else is known");
    return FALSE;
  }
  if (!parse_number ("iops", options->iops, &figures.iops, error) ||
      (options->bw && !parse_size ("bw", options->bw, &figures.bw_bytes, error)) ||
      (options->bs && !parse_size ("bs", options->bs, &figures.bs, error))) {
    return FALSE;
  }
  checked = (Checked){ g_strdup ("command line"), g_array_new (FALSE, FALSE, sizeof (PlausibilityFinding)) };
  g_array_set_clear_func (checked.findings, plausibility_finding_clear);
  plausibility_figures (&figures, checked.findings);
  g_array_append_val (all, checked);
  return TRUE;
}

/* Prints them; *ret_impossible: how many findings say so. */
static gboolean print (const Options *options, const GArray *all, unsigned *ret_impossible, GError **error)
{
  g_autofree PlausibilityReport *reports = g_new0 (PlausibilityReport, MAX (all->len, 1));
  g_autoptr (GPtrArray) arrays = g_ptr_array_new_with_free_func (g_free);

  *ret_impossible = 0;
  for (unsigned i = 0; i < all->len; i++) {
    const Checked *checked = &g_array_index (all, Checked, i);
    const char **texts = g_new (const char *, checked->findings->len + 1);
    gboolean *impossible = g_new (gboolean, checked->findings->len + 1);

    for (unsigned k = 0; k < checked->findings->len; k++) {
      const PlausibilityFinding *finding = &g_array_index (checked->findings, PlausibilityFinding, k);

      texts[k] = finding->text;
      impossible[k] = finding->impossible;
      *ret_impossible += finding->impossible;
    }
    g_ptr_array_add (arrays, texts);
    g_ptr_array_add (arrays, impossible);
    reports[i] = (PlausibilityReport){ checked->name, checked->findings->len, texts, impossible };
  }
  g_autofree char *text =
      options->format == FORMAT_JSON ? json_plausibility (reports, all->len) : text_plausibility (reports, all->len);
  return command_output (options, text, error);
}

CommandExit command_check_result (const Options *options, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Checked));
  unsigned impossible;

  g_array_set_clear_func (all, checked_clear);
  if (options->arguments->len && options->iops) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--iops: expected either files or figures");
    return EXIT_USAGE;
  }
  for (unsigned i = 0; i < options->arguments->len; i++) {
    if (!add_file (all, options->arguments->pdata[i], error)) {
      return EXIT_DATA;
    }
  }
  if (!options->arguments->len && !add_figures (all, options, error)) {
    return EXIT_USAGE;
  }
  if (!print (options, all, &impossible, error)) {
    return EXIT_IO;
  }
  return impossible ? EXIT_NEGATIVE : EXIT_DONE;
}
