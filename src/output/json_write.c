/* Helpers over JsonBuilder; see json_write.h. */
#include "src/output/json_write.h"
#include <math.h>

void json_put_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  if (value) {
    g_autofree char *valid = g_utf8_make_valid (value, -1);
    json_builder_add_string_value (builder, valid);
  } else {
    json_builder_add_null_value (builder);
  }
}

void json_put_int (JsonBuilder *builder, const char *name, uint64_t value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) MIN (value, (uint64_t) G_MAXINT64));
}

void json_put_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (value)) {
    json_builder_add_double_value (builder, value);
  } else {
    json_builder_add_null_value (builder);
  }
}

void json_put_bool (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

void json_put_strings (JsonBuilder *builder, const char *name, const GPtrArray *values)
{
  json_open_array (builder, name);
  for (unsigned i = 0; values && i < values->len; i++) {
    g_autofree char *valid = g_utf8_make_valid (values->pdata[i], -1);
    json_builder_add_string_value (builder, valid);
  }
  json_builder_end_array (builder);
}

void json_open_object (JsonBuilder *builder, const char *name)
{
  if (name) {
    json_builder_set_member_name (builder, name);
  }
  json_builder_begin_object (builder);
}

void json_open_array (JsonBuilder *builder, const char *name)
{
  if (name) {
    json_builder_set_member_name (builder, name);
  }
  json_builder_begin_array (builder);
}

char *json_finish (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autoptr (JsonGenerator) generator = json_generator_new ();

  json_generator_set_pretty (generator, TRUE);
  json_generator_set_indent (generator, 2);
  json_generator_set_root (generator, root);
  g_autofree char *text = json_generator_to_data (generator, NULL);
  g_object_unref (builder);
  return g_strconcat (text, "\n", NULL);
}
