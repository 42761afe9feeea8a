/*
 * What a check of files found: one finding a file, with the spot in it.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <glib.h>

typedef struct {
  char    *file;                  /* as the user named it */
  gboolean ok;
  char    *message;               /* ok: what the file holds; else "FILE:LINE[:COLUMN]: what is wrong" */
  unsigned line, column;          /* of the spot, from 1; 0: not known */
  char    *text;                  /* (nullable) that line as it is in the file */
} Finding;

/* (element-type Finding) */
char *text_findings (const GArray *findings);       /* (transfer full) */
char *json_findings (const GArray *findings);       /* (transfer full) */
/* For g_array_set_clear_func(). */
void  finding_clear (gpointer finding);

#endif
