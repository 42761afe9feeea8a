/* See policy_plugin.h. */
#include "model/policy_plugin.h"

#include "model/key_file.h"

#include <elf.h>
#include <errno.h>
#include <gmodule.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CHOICES_MAX = 64, RETRIES_MAX = 1000, TITLE_MAX = 200 };

G_STATIC_ASSERT ((int) URINGSIM_NONBLOCK == (int) ATTEMPT_NONBLOCK &&
                 (int) URINGSIM_BLOCKING == (int) ATTEMPT_BLOCKING);
G_STATIC_ASSERT ((int) URINGSIM_TRYLOCK == (int) ATTEMPT_TRYLOCK && (int) URINGSIM_NONE == (int) ATTEMPT_NONE);
G_STATIC_ASSERT ((int) URINGSIM_TO_QUEUE == (int) ON_AGAIN_QUEUE && (int) URINGSIM_POLL == (int) ON_AGAIN_POLL);
G_STATIC_ASSERT ((int) URINGSIM_CALLBACK == (int) ON_AGAIN_CALLBACK && (int) URINGSIM_FAIL == (int) ON_AGAIN_FAIL);

G_GNUC_PRINTF (3, 4)
static gboolean refuse (GError **error, const char *path, const char *format, ...)
{
  g_autofree char *message = NULL, *quoted = key_file_quote (path);
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, POLICY_ERROR, POLICY_ERROR_VALUE, "plug-in %s: %s", quoted, message);
  return FALSE;
}

/* A string of the table that is fit for a report. */
static gboolean check_text (const char *text, const char *what, const char *path, GError **error)
{
  if (!text || !*text || strnlen (text, TITLE_MAX + 1) > TITLE_MAX || !g_utf8_validate (text, -1, NULL)) {
    return refuse (error, path, "its %s is no text of 1 to %d bytes", what, TITLE_MAX);
  }
  for (const char *c = text; *c; c++) {
    if (g_ascii_iscntrl (*c)) {
      return refuse (error, path, "its %s holds a control character", what);
    }
  }
  return TRUE;
}

static gboolean check_table (const uringsim_policy *table, const char *path, GError **error)
{
  if (!table) {
    return refuse (error, path, "uringsim_policy_plugin() returned NULL");
  }
  if (table->abi != URINGSIM_POLICY_ABI) {
    return refuse (error, path, "built for ABI %d, this uringsim has ABI %d", table->abi, URINGSIM_POLICY_ABI);
  }
  if (!check_text (table->name, "name", path, error) || !check_text (table->title, "title", path, error) ||
      !check_text (table->base, "base", path, error)) {
    return FALSE;
  }
  if (!key_file_name_valid (table->name)) {
    return refuse (error, path, "its name is not made of letters, digits, '.', '_' and '-'");
  }
  if (!table->decide) {
    return refuse (error, path, "it has no decide()");
  }
  if (!table->choices || table->n_choices < 1 || table->n_choices > CHOICES_MAX) {
    return refuse (error, path, "it has %u choices, expected 1 to %d", table->choices ? table->n_choices : 0,
                   CHOICES_MAX);
  }
  return TRUE;
}

static gboolean find_queue (const Policy *base, const char *name, unsigned *ret_queue)
{
  for (unsigned i = 0; name && i < base->n_queues; i++) {
    if (strcmp (base->queues[i].name, name) == 0) {
      *ret_queue = i;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean take_choice (const Policy *base, const uringsim_choice *choice, PolicyRule *rule, const char *path,
                             GError **error)
{
  const gboolean refusable = choice->attempt == URINGSIM_NONBLOCK || choice->attempt == URINGSIM_TRYLOCK;

  if (choice->attempt < URINGSIM_NONBLOCK || choice->attempt > URINGSIM_NONE || choice->on_again < URINGSIM_TO_QUEUE ||
      choice->on_again > URINGSIM_FAIL || choice->post < URINGSIM_POST_DEFAULT || choice->post > URINGSIM_POST_NOW) {
    return refuse (error, path, "choice %d: attempt %d, on_again %d, post %d: one of them is no value of its kind",
                   rule->number, choice->attempt, choice->on_again, choice->post);
  }
  if (choice->retries > RETRIES_MAX || (choice->retries && !refusable)) {
    return refuse (error, path, "choice %d: %u retries, expected 0 to %d, and 0 unless its attempt can be refused",
                   rule->number, choice->retries, RETRIES_MAX);
  }
  if (choice->attempt == URINGSIM_NONE && choice->on_again != URINGSIM_TO_QUEUE && choice->on_again != URINGSIM_FAIL) {
    return refuse (error, path, "choice %d: without an attempt there is only a queue or failing", rule->number);
  }
  rule->attempt = (PolicyAttempt) choice->attempt;
  rule->on_again = choice->attempt == URINGSIM_BLOCKING ? ON_AGAIN_FAIL : (PolicyOnAgain) choice->on_again;
  if (rule->on_again == ON_AGAIN_QUEUE && !find_queue (base, choice->queue, &rule->queue)) {
    g_autofree char *quoted = choice->queue ? key_file_quote (choice->queue) : g_strdup ("NULL");
    return refuse (error, path, "choice %d: its base %s has no queue %.100s", rule->number,
                   (const char *) base->bases->pdata[0], quoted);
  }
  rule->retries = choice->retries;
  rule->post_now =
      choice->post == URINGSIM_POST_NOW || (choice->post == URINGSIM_POST_DEFAULT && rule->attempt == ATTEMPT_BLOCKING);
  return TRUE;
}

/* Its choices, as rules. */
static gboolean take_choices (Policy *policy, const uringsim_policy *table, const char *path, GError **error)
{
  PolicyPlugin *plugin = policy->plugin = g_new0 (PolicyPlugin, 1);

  plugin->table = table;
  plugin->choices = g_new0 (PolicyRule, table->n_choices);
  for (unsigned i = 0; i < table->n_choices; i++) {
    PolicyRule *rule = &plugin->choices[i];

    plugin->n_choices++;
    rule->number = (int) i;
    rule->match_text = g_strdup_printf ("decide() is %u", i);
    rule->origin = key_file_quote (path);
    rule->policy = g_strdup (table->name);
    if (!take_choice (policy, &table->choices[i], rule, path, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- the file ---- */

/* The dynamic loader maps what the headers promise, and dies of SIGBUS where the file ends before that. */
static gboolean segments_whole (FILE *stream, const ElfW (Ehdr) * header, guint64 size, const char *path,
                                GError **error)
{
  if (header->e_phentsize != sizeof (ElfW (Phdr)) || header->e_phoff > size ||
      (size - header->e_phoff) / sizeof (ElfW (Phdr)) < header->e_phnum ||
      fseeko (stream, (off_t) header->e_phoff, SEEK_SET)) {
    return refuse (error, path, "cut off or damaged: its %" G_GUINT64_FORMAT " bytes end before its program headers",
                   size);
  }
  for (unsigned i = 0; i < header->e_phnum; i++) {
    ElfW (Phdr) segment;

    if (fread (&segment, sizeof segment, 1, stream) != 1) {
      return refuse (error, path, "its program headers cannot be read");
    }
    if (segment.p_type != PT_NULL && segment.p_filesz &&
        (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) {
      return refuse (error, path,
                     "cut off or damaged: it has %" G_GUINT64_FORMAT
                     " bytes, its program headers speak of %" G_GUINT64_FORMAT,
                     size, (guint64) segment.p_offset + segment.p_filesz);
    }
  }
  return TRUE;
}

static gboolean check_stream (FILE *stream, const char *path, GError **error)
{
  ElfW (Ehdr) header = { 0 };
  struct stat status;

  if (fstat (fileno (stream), &status) || fread (header.e_ident, 1, EI_NIDENT, stream) != EI_NIDENT ||
      memcmp (header.e_ident, ELFMAG, SELFMAG) != 0) {
    return refuse (error, path, "cannot be loaded: it is no shared object (ELF)");
  }
  if (header.e_ident[EI_CLASS] != (sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
    return refuse (error, path, "cannot be loaded: it is for machines of %u bits",
                   header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32);
  }
  rewind (stream);
  if (fread (&header, sizeof header, 1, stream) != 1) {
    return refuse (error, path, "cut off or damaged: its %" G_GUINT64_FORMAT " bytes end inside of its header",
                   (guint64) status.st_size);
  }
  if (header.e_type != ET_DYN) {
    return refuse (error, path, "cannot be loaded: it is no shared object; cc -shared -fPIC makes one");
  }
  return segments_whole (stream, &header, (guint64) status.st_size, path, error);
}

static gboolean check_file (const char *path, GError **error)
{
  FILE *stream = fopen (path, "rb");

  if (!stream) {
    return refuse (error, path, "%s", g_strerror (errno));
  }
  const gboolean whole = check_stream (stream, path, error);
  fclose (stream);
  return whole;
}

static const uringsim_policy *open_table (const char *path, GError **error)
{
  g_autofree char *whole = NULL;
  const uringsim_policy *(*get) (void) = NULL;
  GModule *module;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    g_autofree char *quoted = key_file_quote (path);
    g_set_error (error, POLICY_ERROR, POLICY_ERROR_NOT_FOUND, "plug-in %s: no such file", quoted);
    return NULL;
  }
  if (!check_file (path, error)) {
    return NULL;
  }
  whole = g_canonicalize_filename (path, NULL); /* with a '/', so that no search path counts */
  module = g_module_open (whole, G_MODULE_BIND_LOCAL);
  if (!module) {
    g_autofree char *why = key_file_quote (g_module_error ());
    refuse (error, path, "cannot be loaded: %.300s", why);
    return NULL;
  }
  g_module_make_resident (module);
  if (!g_module_symbol (module, "uringsim_policy_plugin", (gpointer *) &get) || !get) {
    refuse (error, path, "it has no symbol uringsim_policy_plugin");
    return NULL;
  }
  const uringsim_policy *table = get ();
  return check_table (table, path, error) ? table : NULL;
}

Policy *policy_plugin_load (const char *path, GError **error)
{
  g_autoptr (GError) inner = NULL;
  const uringsim_policy *table = open_table (path, error);

  if (!table) {
    return NULL;
  }
  if (g_str_has_suffix (table->base, POLICY_PLUGIN_SUFFIX)) {
    refuse (error, path, "its base is a plug-in, expected a policy file or a shipped policy");
    return NULL;
  }
  Policy *policy = policy_load (table->base, &inner);
  if (!policy) {
    refuse (error, path, "its base: %s", inner->message);
    return NULL;
  }
  g_ptr_array_insert (policy->bases, 0, policy->name);
  policy->name = g_strdup (table->name);
  g_free (policy->title);
  policy->title = g_strdup (table->title);
  g_free (policy->path);
  policy->path = g_strdup (path);
  if (!take_choices (policy, table, path, error)) {
    policy_free (policy);
    return NULL;
  }
  return policy;
}

void policy_plugin_free (PolicyPlugin *plugin)
{
  if (!plugin) {
    return;
  }
  for (unsigned i = 0; i < plugin->n_choices; i++) {
    g_free (plugin->choices[i].match_text);
    g_free (plugin->choices[i].origin);
    g_free (plugin->choices[i].policy);
  }
  g_free (plugin->choices);
  g_free (plugin);
}
