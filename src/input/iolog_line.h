/*
 * One line of an iolog.
 *
 *   version 2:   NAME ACTION [OFFSET LENGTH]
 *   version 3:   TIME NAME ACTION [OFFSET LENGTH]
 *
 * Words are parted by blanks and tabs.  A NAME may hold blanks, since ACTION is one of a few words and the numbers
 * come last: where two readings are possible, the one with a known name wins.
 */
#ifndef IOLOG_LINE_H
#define IOLOG_LINE_H

#include <glib.h>
#include <stdint.h>

#define IOLOG_ACTIONS_LIST(X) \
  X (ADD, "add") X (OPEN, "open") X (CLOSE, "close") \
  X (READ, "read") X (WRITE, "write") X (TRIM, "trim") X (SYNC, "sync") X (DATASYNC, "datasync") \
  X (SYNC_FILE_RANGE, "sync_file_range") X (SYNCFS, "syncfs") X (WAIT, "wait")
typedef enum {
#define IOLOG_ACTION_ENUM(name, word) IOLOG_##name,
  IOLOG_ACTIONS_LIST (IOLOG_ACTION_ENUM)
#undef IOLOG_ACTION_ENUM
  IOLOG_ACTIONS
} IologAction;
const char *iolog_action_name (IologAction action);
/* With OFFSET and LENGTH. */
static inline gboolean iolog_action_is_io (IologAction action)
{
  return action >= IOLOG_READ;
}

typedef struct {
  IologAction action;
  uint64_t    time;            /* as written; 0 in version 2 */
  const char *name;            /* points into the line */
  unsigned    name_length;
  uint64_t    offset, length;  /* as written; 0 on file lines */
  gboolean    trailing;        /* words behind the last field, which fio leaves out of account */
  gboolean    is_hint;         /* the name is the one that was expected */
} IologLine;

typedef enum {
  IOLOG_LINE_OK,
  IOLOG_LINE_EMPTY,            /* blank, or a comment: '#' or ';' first */
  IOLOG_LINE_VERSION,          /* "fio version N iolog": N in line->offset */
  IOLOG_LINE_TORN,             /* such a line starts in the middle of this one: N in line->offset */
  IOLOG_LINE_BAD
} IologLineKind;

/* Whether a name has been seen before. */
typedef gboolean (*IologKnown) (const char *name, unsigned length, gpointer data);

/* `text` without line end.  `hint`: the name that is expected (nullable), only to be quicker.  IOLOG_LINE_BAD: call
 * iolog_line_problem() for the reason. */
IologLineKind iolog_line_parse (const char *text, unsigned length, unsigned version, const char *hint,
                                unsigned hint_length, IologKnown known, gpointer data, IologLine *ret_line);
/* What is wrong with a line that iolog_line_parse() refused: what was found and what was expected.  (transfer full) */
char *iolog_line_problem (const char *text, unsigned length, unsigned version);
/* TRUE if the line is "fio version N iolog" with anything behind it. */
gboolean iolog_line_is_version (const char *text, unsigned length, uint64_t *ret_version);

#endif
