/* Fields and tables as text or JSON; see description.h. */
#include "src/output/description.h"
#include "src/output/escape.h"
#include "src/output/json_write.h"
#include "src/output/text_table.h"
#include "src/version.h"
#include <string.h>

typedef struct {
  char *key, *value;
} Field;

typedef struct {
  char *name;
  char **keys; /* with their mark */
  unsigned n_columns;
  GPtrArray *cells; /* of char * */
} Table;

struct Description {
  char *kind;
  GPtrArray *fields; /* of Field */
  GPtrArray *tables; /* of Table */
};

static void field_free (gpointer data)
{
  Field *field = data;

  g_free (field->key);
  g_free (field->value);
  g_free (field);
}

static void table_free (gpointer data)
{
  Table *table = data;

  g_free (table->name);
  g_strfreev (table->keys);
  g_ptr_array_unref (table->cells);
  g_free (table);
}

Description *description_new (const char *kind)
{
  Description *description = g_new0 (Description, 1);

  description->kind = g_strdup (kind);
  description->fields = g_ptr_array_new_with_free_func (field_free);
  description->tables = g_ptr_array_new_with_free_func (table_free);
  return description;
}

void description_free (Description *description)
{
  if (!description) {
    return;
  }
  g_free (description->kind);
  g_ptr_array_unref (description->fields);
  g_ptr_array_unref (description->tables);
  g_free (description);
}

void description_field (Description *description, const char *key, const char *value)
{
  if (value && *value) {
    Field *field = g_new0 (Field, 1);
    field->key = g_strdup (key);
    field->value = g_strdup (value);
    g_ptr_array_add (description->fields, field);
  }
}

void description_table (Description *description, const char *name, const char *keys)
{
  Table *table = g_new0 (Table, 1);

  table->name = g_strdup (name);
  table->keys = g_strsplit (keys, " ", -1);
  table->n_columns = g_strv_length (table->keys);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (description->tables, table);
}

void description_cell (Description *description, const char *value)
{
  Table *table = description->tables->pdata[description->tables->len - 1];

  g_ptr_array_add (table->cells, g_strdup (value ? value : ""));
}

static gboolean is_number_column (const char *key) { return g_str_has_suffix (key, "#"); }

static gboolean is_long_column (const char *key) { return g_str_has_suffix (key, "+"); }

static char *plain_key (const char *key)
{
  return g_strndup (key, strlen (key) - (is_number_column (key) || is_long_column (key) ? 1 : 0));
}

/* A table of the short columns, with a heading. (transfer full) */
static TextTable *short_columns (const Table *table)
{
  GString *alignment = g_string_new (NULL);

  for (unsigned column = 0; column < table->n_columns; column++) {
    if (!is_long_column (table->keys[column])) {
      g_string_append_c (alignment, is_number_column (table->keys[column]) ? 'r' : 'l');
    }
  }
  TextTable *text = text_table_new (alignment->str);
  g_string_free (alignment, TRUE);
  for (unsigned column = 0; column < table->n_columns; column++) {
    if (!is_long_column (table->keys[column])) {
      text_table_take (text, plain_key (table->keys[column]));
    }
  }
  for (unsigned i = 0; i < table->cells->len; i++) {
    if (!is_long_column (table->keys[i % table->n_columns])) {
      text_table_take (text, escape_text (table->cells->pdata[i], -1));
    }
  }
  return text;
}

/* Long columns follow their row, one line each. */
static void append_long_columns (const Table *table, unsigned row, GString *out)
{
  for (unsigned column = 0; column < table->n_columns; column++) {
    const char *value = table->cells->pdata[row * table->n_columns + column];
    if (is_long_column (table->keys[column]) && *value) {
      g_autofree char *key = plain_key (table->keys[column]);
      g_autofree char *escaped = escape_text (value, -1);
      g_string_append_printf (out, "      %s: %s\n", key, escaped);
    }
  }
}

static void table_to_text (const Table *table, GString *out)
{
  g_autoptr (TextTable) text = short_columns (table);
  GString *printed = g_string_new (NULL);

  text_table_print (text, 2, printed);
  g_auto (GStrv) lines = g_strsplit (printed->str, "\n", -1);
  g_string_append_printf (out, "\n%s\n", table->name);
  for (unsigned i = 0; lines[i] && *lines[i]; i++) {
    g_string_append_printf (out, "%s\n", lines[i]);
    if (i > 0) {
      append_long_columns (table, i - 1, out);
    }
  }
  g_string_free (printed, TRUE);
}

char *description_text (const Description *description)
{
  GString *out = g_string_new (NULL);
  g_autoptr (TextTable) fields = text_table_new ("ll");

  for (unsigned i = 0; i < description->fields->len; i++) {
    const Field *field = description->fields->pdata[i];
    g_auto (GStrv) lines = g_strsplit (field->value, "\n", -1);
    for (unsigned k = 0; lines[k]; k++) {
      text_table_add (fields, k ? "" : field->key);
      text_table_take (fields, escape_text (lines[k], -1));
    }
  }
  text_table_print (fields, 0, out);
  for (unsigned i = 0; i < description->tables->len; i++) {
    table_to_text (description->tables->pdata[i], out);
  }
  return g_string_free (out, FALSE);
}

static void put_cell (JsonBuilder *builder, const char *key, const char *value)
{
  g_autofree char *plain = plain_key (key);

  if (!is_number_column (key)) {
    json_put_string (builder, plain, value);
  } else if (!*value) {
    json_put_string (builder, plain, NULL);
  } else if (strspn (value, "0123456789") == strlen (value)) {
    json_put_int (builder, plain, g_ascii_strtoull (value, NULL, 10));
  } else {
    json_put_double (builder, plain, g_ascii_strtod (value, NULL));
  }
}

char *description_json (const Description *description)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_open_object (builder, description->kind);
  for (unsigned i = 0; i < description->fields->len; i++) {
    const Field *field = description->fields->pdata[i];
    json_put_string (builder, field->key, field->value);
  }
  for (unsigned i = 0; i < description->tables->len; i++) {
    const Table *table = description->tables->pdata[i];
    json_open_array (builder, table->name);
    for (unsigned k = 0; k + table->n_columns <= table->cells->len; k += table->n_columns) {
      json_open_object (builder, NULL);
      for (unsigned column = 0; column < table->n_columns; column++) {
        put_cell (builder, table->keys[column], table->cells->pdata[k + column]);
      }
      json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_builder_end_object (builder);
  return json_finish (builder);
}
