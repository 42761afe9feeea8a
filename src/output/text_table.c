/* Tables of text; see text_table.h. */
#include "src/output/text_table.h"
#include <stdarg.h>
#include <string.h>

enum { GAP = 2 };

struct TextTable {
  char *alignment;
  unsigned n_columns;
  GPtrArray *header; /* of char *; empty: none */
  GPtrArray *cells;  /* of char *, row by row */
};

TextTable *text_table_new (const char *alignment)
{
  TextTable *table = g_new0 (TextTable, 1);

  table->alignment = g_strdup (alignment);
  table->n_columns = strlen (alignment);
  table->header = g_ptr_array_new_with_free_func (g_free);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  return table;
}

void text_table_free (TextTable *table)
{
  if (!table) {
    return;
  }
  g_free (table->alignment);
  g_ptr_array_unref (table->header);
  g_ptr_array_unref (table->cells);
  g_free (table);
}

void text_table_take (TextTable *table, char *text) { g_ptr_array_add (table->cells, text); }

void text_table_add (TextTable *table, const char *text) { text_table_take (table, g_strdup (text)); }

void text_table_heading (TextTable *table, const char *text)
{
  g_assert (table->header->len < table->n_columns);
  g_ptr_array_add (table->header, g_strdup (text));
}

void text_table_header (TextTable *table, ...)
{
  va_list args;
  const char *text;

  va_start (args, table);
  while ((text = va_arg (args, const char *))) {
    g_ptr_array_add (table->header, g_strdup (text));
  }
  va_end (args);
  g_assert (table->header->len == table->n_columns);
}

unsigned text_table_rows (const TextTable *table) { return table->cells->len / table->n_columns; }

static const char *cell (const TextTable *table, unsigned row, unsigned column)
{
  return table->cells->pdata[row * table->n_columns + column];
}

/* Width of each column, 0: the column is empty and left out. (transfer full) */
static unsigned *column_widths (const TextTable *table)
{
  unsigned *width = g_new0 (unsigned, table->n_columns);

  for (unsigned column = 0; column < table->n_columns; column++) {
    for (unsigned row = 0; row < text_table_rows (table); row++) {
      width[column] = MAX (width[column], (unsigned) g_utf8_strlen (cell (table, row, column), -1));
    }
    if (width[column] && table->header->len) {
      width[column] = MAX (width[column], (unsigned) g_utf8_strlen (table->header->pdata[column], -1));
    }
  }
  return width;
}

unsigned text_table_width (const TextTable *table)
{
  g_autofree unsigned *width = column_widths (table);
  unsigned sum = 0;

  for (unsigned column = 0; column < table->n_columns; column++) {
    sum += width[column] ? width[column] + (sum ? GAP : 0) : 0;
  }
  return sum;
}

static void append_blanks (GString *out, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    g_string_append_c (out, ' ');
  }
}

static void print_row (const TextTable *table, const unsigned *width, gpointer *cells, unsigned indent, GString *out)
{
  gboolean first = TRUE;

  append_blanks (out, indent);
  for (unsigned column = 0; column < table->n_columns; column++) {
    if (!width[column]) {
      continue;
    }
    const char *text = cells[column];
    const unsigned fill = width[column] - (unsigned) g_utf8_strlen (text, -1);
    append_blanks (out, first ? 0 : GAP);
    append_blanks (out, table->alignment[column] == 'r' ? fill : 0);
    g_string_append (out, text);
    append_blanks (out, table->alignment[column] == 'r' ? 0 : fill);
    first = FALSE;
  }
  while (out->len && out->str[out->len - 1] == ' ') {
    g_string_truncate (out, out->len - 1);
  }
  g_string_append_c (out, '\n');
}

void text_table_print (const TextTable *table, unsigned indent, GString *out)
{
  g_autofree unsigned *width = column_widths (table);

  g_assert (table->cells->len % table->n_columns == 0);
  if (table->header->len) {
    const unsigned dashes = text_table_width (table);
    print_row (table, width, table->header->pdata, indent, out);
    append_blanks (out, indent);
    for (unsigned i = 0; i < dashes; i++) {
      g_string_append_c (out, '-');
    }
    g_string_append_c (out, '\n');
  }
  for (unsigned row = 0; row < text_table_rows (table); row++) {
    print_row (table, width, table->cells->pdata + row * table->n_columns, indent, out);
  }
}
