/* What the tables and setters of fio's options share.  Only for src/input/fio_options*.c. */
#ifndef FIO_OPTIONS_PRIVATE_H
#define FIO_OPTIONS_PRIVATE_H

#include "src/input/fio_options.h"

typedef struct Option Option;
typedef struct {
  JobOptions *o;
  const Option *option;
  const char *value; /* (nullable) */
  const OptionPlace *place;
} Setting;
typedef gboolean (*OptionFn) (Setting *setting, GError **error);

typedef enum {
  KIND_COUNT,  /* unsigned, min..max */
  KIND_BYTES,  /* uint64_t with suffix, min..max */
  KIND_TIME,   /* uint64_t ns; min is the default unit */
  KIND_BOOL,   /* gboolean: 0 or 1 */
  KIND_SWITCH, /* gboolean: set by its name alone */
  KIND_STRING,
  KIND_FUNCTION
} OptionKind;

struct Option {
  const char *name;
  OptionKind kind;
  size_t at; /* offset in JobOptions */
  uint64_t min, max;
  OptionFn set;
  const char *remark; /* why it is refused */
};

/* All options that are applied, aliases behind the name they stand for. */
const Option *job_options_table (unsigned *ret_n);

/* "OPTION=VALUE; expected ..." with the place in front; returns FALSE. */
gboolean setting_refuse (Setting *s, GError **error, const char *expected);
/* The cause, with place and option in front. (transfer full): `cause` */
gboolean setting_refuse_cause (Setting *s, GError **error, GError *cause);
gboolean setting_number_within (Setting *s, const char *text, uint64_t min, uint64_t max, uint64_t *ret_value,
                                GError **error);
/* Calls `set` for each of the three directions with its part of "read,write,trim": a missing later part repeats
 * the one before, an empty one keeps the default. */
gboolean setting_for_directions (Setting *s,
                                 gboolean (*set) (Setting *s, unsigned direction, const char *part, GError **error),
                                 GError **error);

/* fio_option_patterns.c: what is issued. */
gboolean set_bs (Setting *s, GError **error);
gboolean set_bsrange (Setting *s, GError **error);
gboolean set_bssplit (Setting *s, GError **error);
gboolean set_align (Setting *s, GError **error);
gboolean set_size (Setting *s, GError **error);
gboolean set_io_size (Setting *s, GError **error);
gboolean set_filesize (Setting *s, GError **error);
gboolean set_offset (Setting *s, GError **error);
gboolean set_offset_increment (Setting *s, GError **error);
gboolean set_rw (Setting *s, GError **error);
gboolean set_rwmixwrite (Setting *s, GError **error);
gboolean set_norandommap (Setting *s, GError **error);
gboolean set_percentage_random (Setting *s, GError **error);
gboolean set_distribution (Setting *s, GError **error);
gboolean set_file_service (Setting *s, GError **error);

#endif
