/* See picture.h. */
#include "src/command/picture.h"
#include "src/output/escape.h"
#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const char *const type_names[PICTURE_TYPES] = {
  [PICTURE_SVG] = "svg", [PICTURE_PNG] = "png", [PICTURE_DOT] = "dot", [PICTURE_PDF] = "pdf"
};

gboolean picture_type (const Options *options, PictureType standard, PictureType *ret_type, GError **error)
{
  const char *end = options->output ? strrchr (options->output, '.') : NULL;

  if (options->type >= 0) {
    *ret_type = (PictureType) options->type;
    return TRUE;
  }
  for (unsigned i = 0; end && i < PICTURE_TYPES; i++) {
    if (!strcmp (end + 1, type_names[i])) {
      *ret_type = (PictureType) i;
      return TRUE;
    }
  }
  if (end && !strchr (end, '/')) {
    g_autofree char *shown = escape_text_short (options->output, -1, 60);
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "-o: found \"%s\", expected a name that ends in .svg, .png, .dot or .pdf, or -T", shown);
    return FALSE;
  }
  *ret_type = standard;
  return TRUE;
}

/* A file without a name that holds the text, to be read from its start; -1 with error set.  (A pipe would break under a
 * program that does not read it.) */
static int open_text (const char *text, GError **error)
{
  g_autofree char *path = NULL;
  const int fd = g_file_open_tmp ("uringsim-XXXXXX", &path, error);
  const char *rest = text;
  gsize left = strlen (text);

  if (fd < 0) {
    return -1;
  }
  g_unlink (path);
  while (left) {
    const gssize written = write (fd, rest, left);
    if (written < 0 && errno != EINTR) {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "temporary file: %s", g_strerror (errno));
      close (fd);
      return -1;
    }
    rest += MAX (written, 0);
    left -= (gsize) MAX (written, 0);
  }
  lseek (fd, 0, SEEK_SET);
  return fd;
}

/* What the program that has ended says; FALSE with error set unless it is a picture. */
static gboolean check_ended (GSubprocess *process, const char *name, GBytes *picture, GBytes *messages, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (messages, &size);
  const char *end = size ? memchr (text, '\n', size) : NULL;

  if (g_subprocess_get_successful (process) && g_bytes_get_size (picture) > 0) {
    return TRUE;
  }
  g_autofree char *line = escape_text_short (text, end ? end - text : (gssize) size, 120);
  g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "%s failed: %s", name, line);
  return FALSE;
}

GBytes *picture_convert (const char *const *arguments, const char *input, GError **error)
{
  g_autofree char *program = g_find_program_in_path (arguments[0]);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GBytes) out = NULL, messages = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);

  if (!program) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "there is no program %s here", arguments[0]);
    return NULL;
  }
  const int fd = open_text (input, &cause);
  if (fd >= 0) {
    g_subprocess_launcher_take_stdin_fd (launcher, fd);
    process = g_subprocess_launcher_spawnv (launcher, arguments, &cause);
  }
  if (!process || !g_subprocess_communicate (process, NULL, NULL, &out, &messages, &cause)) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "%s: %s", arguments[0], cause->message);
    return NULL;
  }
  return check_ended (process, arguments[0], out, messages, error) ? g_steal_pointer (&out) : NULL;
}

/* The picture as its own text, since the program failed; `cause` is completed with where it is. */
static CommandExit keep_text (const Options *options, const char *text, PictureType own, const GError *cause,
                              GError **error)
{
  g_autoptr (GError) failure = NULL;
  Options beside = *options;
  g_autofree char *name = options->output ? g_strconcat (options->output, ".", type_names[own], NULL) : NULL;
  g_autofree char *shown = name ? escape_text_short (name, -1, 200) : g_strdup ("standard output");

  beside.output = name;
  if (command_output (&beside, text, &failure)) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "the picture is not drawn: %s; it is in %s, as %s",
                 cause->message, shown, own == PICTURE_DOT ? "DOT" : "SVG");
  } else {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "the picture is not drawn: %s; %s", cause->message,
                 failure->message);
  }
  return EXIT_IO;
}

/* Writes `text`, a picture of type `own`, as `type`, to which the program turns it. */
static CommandExit convert_and_write (const Options *options, const char *text, PictureType own, PictureType type,
                                      const char *const *arguments, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (type == own) {
    return command_output (options, text, error) ? EXIT_DONE : EXIT_IO;
  }
  g_autoptr (GBytes) picture = picture_convert (arguments, text, &cause);
  if (!picture) {
    return keep_text (options, text, own, cause, error);
  }
  gsize size;
  const char *bytes = g_bytes_get_data (picture, &size);
  return command_output_bytes (options, bytes, size, error) ? EXIT_DONE : EXIT_IO;
}

CommandExit picture_write_graph (const Options *options, const char *dot, GError **error)
{
  PictureType type;

  if (!picture_type (options, PICTURE_DOT, &type, error)) {
    return EXIT_USAGE;
  }
  g_autofree char *option = g_strconcat ("-T", type_names[type], NULL);
  const char *const arguments[] = { "dot", option, NULL };
  return convert_and_write (options, dot, PICTURE_DOT, type, arguments, error);
}

CommandExit picture_write_chart (const Options *options, const char *svg, GError **error)
{
  PictureType type;

  if (!picture_type (options, PICTURE_SVG, &type, error)) {
    return EXIT_USAGE;
  }
  if (type == PICTURE_DOT) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "-T: found dot, expected svg, png or pdf: a chart is no graph");
    return EXIT_USAGE;
  }
  const char *const arguments[] = { "rsvg-convert", "-f", type_names[type], NULL };
  return convert_and_write (options, svg, PICTURE_SVG, type, arguments, error);
}
