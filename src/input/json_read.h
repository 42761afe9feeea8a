/*
 * JSON from outside, read with care: depth and size are bounded before anything is parsed, and every member is looked
 * at before it is taken.
 *
 * A place is "FILE:LINE" and what the value belongs to; errors are INPUT_ERROR_DATA and name both.
 */
#ifndef JSON_READ_H
#define JSON_READ_H

#include <json-glib/json-glib.h>
#include <stdint.h>

#define JSON_READ_DEPTH_LIMIT 32u

typedef struct { const char *file; uint64_t line; } JsonPlace;

/* "FILE:LINE: ..."; returns FALSE. */
gboolean json_fail (JsonPlace place, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* The object that `text` is.  NULL with error set. (transfer full) */
JsonNode *json_read_object (const char *text, gsize length, JsonPlace place, GError **error);

/* A member by name.  Missing or of another kind or outside of low..high: FALSE with error set.  The optional forms
 * leave *ret as it is if the member is missing or null. */
gboolean json_read_number (JsonObject *object, const char *name, double low, double high, JsonPlace place, double *ret,
                           GError **error);
gboolean json_read_optional (JsonObject *object, const char *name, double low, double high, JsonPlace place,
                             double *ret, GError **error);
/* A whole number. */
gboolean json_read_unsigned (JsonObject *object, const char *name, gboolean optional, unsigned low, unsigned high,
                             JsonPlace place, unsigned *ret, GError **error);
/* A text of 1..max bytes of printable ASCII (empty if `optional`); *ret (transfer full). */
gboolean json_read_text (JsonObject *object, const char *name, gboolean optional, unsigned max, JsonPlace place,
                         char **ret, GError **error);
/* (transfer none); NULL with error set. */
JsonObject *json_read_member (JsonObject *object, const char *name, JsonPlace place, GError **error);

#endif
