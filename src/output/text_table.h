/*
 * A table of text: cells are collected first, columns are as wide as their widest cell.
 *
 * Widths count characters of UTF-8.  Cells are printed as given: escape foreign names before.
 */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <glib.h>

typedef struct TextTable TextTable;

/* One letter per column: 'l' left, 'r' right.  (transfer full) */
TextTable *text_table_new (const char *alignment);
void       text_table_free (TextTable *table);        /* accepts NULL */
/* The next cell of the current row; a row is full after as many cells as there are columns. (transfer full: text) */
void       text_table_take (TextTable *table, char *text);
void       text_table_add (TextTable *table, const char *text);
/* The cells of the header row, one per column; shown above a row of dashes. */
void       text_table_header (TextTable *table, ...) G_GNUC_NULL_TERMINATED;
/* The same cell by cell. */
void       text_table_heading (TextTable *table, const char *text);
unsigned   text_table_rows (const TextTable *table);
/* Appends the whole table, every line beginning with `indent` blanks and ending without blanks.
 * Columns in which every cell is empty are left out. */
void       text_table_print (const TextTable *table, unsigned indent, GString *out);
/* Columns of the widest line, indent excluded. */
unsigned   text_table_width (const TextTable *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TextTable, text_table_free)

#endif
