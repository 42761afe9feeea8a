/*
 * The file names of a log: numbered in order of appearance, found by their bytes.
 *
 * Adding happens in the first pass only; afterwards any number of threads may look names up.
 */
#ifndef IOLOG_NAMES_H
#define IOLOG_NAMES_H

#include <glib.h>
#include <stdint.h>

#define IOLOG_NAME_NONE UINT32_MAX

typedef struct {
  char    *text;               /* NUL-terminated */
  unsigned length;
  uint64_t hash;
  gboolean has_blank;          /* blanks or tabs in it */
  uint64_t end;                /* highest offset + length of an I/O on it */
} IologName;

typedef struct {
  IologName *name;             /* (array length=n) */
  uint32_t   n, allocated;
  uint32_t  *slot;             /* open addressing: index + 1, 0 is free; size a power of two, at most half full */
  uint32_t   slots;
} IologNames;

void     iolog_names_init (IologNames *names);
void     iolog_names_clear (IologNames *names);
/* IOLOG_NAME_NONE if there is no such name. */
uint32_t iolog_names_find (const IologNames *names, const char *text, unsigned length);
uint32_t iolog_names_add (IologNames *names, const char *text, unsigned length);     /* finds it if it is there */

#endif
