/*
 * Graphs in Graphviz's language.
 *
 * Nodes and edges are printed in the order in which they are added.  `attributes` is a list in DOT's own syntax, written
 * by the program ("shape=box, style=bold") and printed as it is; NULL: none.  Identifiers and labels may hold
 * anything and are quoted.  A label's lines are separated by '\n'; names from outside go through escape_text_short()
 * before, and what is not printable here all the same comes out as '?'.  Every node and edge has an id= of its own,
 * NAME-IDENTIFIER or NAME-FROM-TO, by which it can be told in SVG.
 */
#ifndef DOT_H
#define DOT_H

#include <glib.h>

typedef struct Dot Dot;

/* A directed graph; `title` is printed above it. (transfer full) */
Dot  *dot_new (const char *name, const char *title, const char *attributes);
void  dot_free (Dot *dot);              /* accepts NULL */
void  dot_node (Dot *dot, const char *id, const char *label, const char *attributes);
void  dot_edge (Dot *dot, const char *from, const char *to, const char *label, const char *attributes);
/* What is added up to dot_end() stands in one frame. */
void  dot_begin_frame (Dot *dot, const char *id, const char *label, const char *attributes);
/* What is added up to dot_end() has one rank. */
void  dot_begin_rank (Dot *dot);
void  dot_end (Dot *dot);
/* The whole text. (transfer full) */
char *dot_text (const Dot *dot);

/* `text` in lines of at most `columns` characters, broken at blanks where it has some. (transfer full) */
char *dot_wrap (const char *text, unsigned columns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Dot, dot_free)

#endif
