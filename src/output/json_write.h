/*
 * Helpers over JsonBuilder: one call per member, no value that is not valid JSON.
 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <json-glib/json-glib.h>
#include <stdint.h>

/* NULL: null; bytes that are not UTF-8 are replaced. */
void json_put_string (JsonBuilder *builder, const char *name, const char *value);
void json_put_int (JsonBuilder *builder, const char *name, uint64_t value);            /* above INT64_MAX: INT64_MAX */
void json_put_double (JsonBuilder *builder, const char *name, double value);           /* not finite: null */
void json_put_bool (JsonBuilder *builder, const char *name, gboolean value);
/* An array of strings. (element-type utf8) */
void json_put_strings (JsonBuilder *builder, const char *name, const GPtrArray *values);
/* name NULL: an array's element. */
void json_open_object (JsonBuilder *builder, const char *name);
void json_open_array (JsonBuilder *builder, const char *name);
/* The builder's document as indented text with a newline at its end; frees the builder. (transfer full) */
char *json_finish (JsonBuilder *builder);

#endif
