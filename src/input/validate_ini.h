/*
 * validate.ini of a directory of captures: what each capture was taken on, and what was counted over repetitions.
 *
 *   [default]                 for all captures that do not say otherwise
 *   policy=linux-6.18         a shipped policy or a path
 *   kernel=6.18
 *   machine=vm-6.18           a shipped machine or a path
 *   cpus=2
 *   switches=shown            context switches are not asked for (else: asked)
 *   [NAME]                    the capture NAME.fio, NAME.trace.gz
 *   fs=xfs                    else the first word of NAME, up to its first '-'
 *   nodes=2
 *   submitted=256             counts: a number, or MIN..MAX where the kernel itself varied from run to run
 *   workers=3..6
 *
 * Read through model/key_file.h: nothing is ignored, errors start with FILE:LINE.
 */
#ifndef VALIDATE_INI_H
#define VALIDATE_INI_H

#include <glib.h>
#include <stdint.h>

typedef enum {
  VALIDATE_INI_ERROR_NOT_FOUND, VALIDATE_INI_ERROR_SYNTAX, VALIDATE_INI_ERROR_UNKNOWN_KEY, VALIDATE_INI_ERROR_VALUE,
} ValidateIniError;
#define VALIDATE_INI_ERROR (validate_ini_error_quark ())
GQuark validate_ini_error_quark (void);

/* X(enumerator, key) */
#define CAPTURE_COUNTS(X) \
  X (CAPTURE_SUBMITTED, "submitted") \
  X (CAPTURE_PUNTED,    "punted") \
  X (CAPTURE_HASHED,    "hashed") \
  X (CAPTURE_WORKERS,   "workers")
#define CAPTURE_COUNT_ENUM(id, name) id,
typedef enum { CAPTURE_COUNTS (CAPTURE_COUNT_ENUM) CAPTURE_COUNT_KINDS } CaptureCount;
const char *capture_count_name (CaptureCount count);

typedef struct {
  gboolean given;
  gboolean is_range;            /* written as MIN..MAX */
  uint64_t low, high;           /* inclusive */
} CaptureRange;

/* What the file says of one capture, [default] included. */
typedef struct {
  char *policy, *machine;       /* NULL: not said */
  char *fs;                     /* never NULL */
  char *policy_origin, *machine_origin, *fs_origin;   /* "FILE:LINE" of each; NULL: not said */
  unsigned kernel;              /* KERNEL (a, b); 0: not said */
  unsigned cpus, nodes;         /* 0: not said */
  gboolean switches_shown;      /* context switches are printed, but do not decide: another machine than the trace's */
  CaptureRange count[CAPTURE_COUNT_KINDS];
} CaptureConditions;

typedef struct ValidateIni ValidateIni;

/* (transfer full); NULL with VALIDATE_INI_ERROR. */
ValidateIni *validate_ini_load (const char *path, GError **error);
/* The same from memory, for tests. */
ValidateIni *validate_ini_parse (const char *text, gsize length, const char *display, GError **error);
void         validate_ini_free (ValidateIni *ini);                 /* accepts NULL */

/* The conditions of the capture `name`; valid as long as `ini`.  Without a group of its own: those of [default]. */
const CaptureConditions *validate_ini_conditions (ValidateIni *ini, const char *name);
/* Names of the captures that have a group, in the order of the file. (transfer container) (element-type utf8) */
GPtrArray *validate_ini_names (const ValidateIni *ini);
/* "FILE:LINE" of a capture's group. (transfer full); NULL without one. */
char *validate_ini_origin (const ValidateIni *ini, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ValidateIni, validate_ini_free)

#endif
