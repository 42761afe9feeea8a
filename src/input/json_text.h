/*
 * A JSON object within other text: programs write remarks before and after it, and several of them into one file.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "src/input/byte_stream.h"
#include <glib.h>

typedef struct {
  GString *text;               /* the object; nan and inf outside of strings are null */
  uint64_t line;               /* of its first byte */
  unsigned objects;            /* in the file */
  GPtrArray *remarks;          /* of char *: the first lines of other text that are not blank, at most 20 */
} JsonText;

/* The last object that begins with a line "{", or with the file.  At most `limit` unpacked bytes.  INPUT_ERROR_DATA if
 * there is none, or if it does not end.  (transfer full) */
JsonText *json_text_read (ByteSource *source, gsize limit, GError **error);
void      json_text_free (JsonText *text);        /* accepts NULL */
/* The line of the n-th (from 0) occurrence of `word`, the first of the object if there are fewer. */
uint64_t  json_text_line_of (const JsonText *text, const char *word, unsigned n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JsonText, json_text_free)

#endif
