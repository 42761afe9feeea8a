/*
 * The file names of a log.  See iolog_names.h.
 */
#include "src/input/iolog_names.h"
#include <string.h>

void iolog_names_init (IologNames *names)
{
  memset (names, 0, sizeof *names);
  names->slots = 16;
  names->slot = g_new0 (uint32_t, names->slots);
}

void iolog_names_clear (IologNames *names)
{
  for (uint32_t i = 0; i < names->n; i++) {
    g_free (names->name[i].text);
  }
  g_free (names->name);
  g_free (names->slot);
  memset (names, 0, sizeof *names);
}

/* Eight bytes at a time, multiplied and folded. */
static uint64_t hash_bytes (const char *text, unsigned length)
{
  uint64_t hash = length * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), word;
  for (; length >= 8; text += 8, length -= 8) {
    memcpy (&word, text, 8);
    hash = (hash ^ word) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy (&word, text, length);
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return hash ^ hash >> 29;
}

static gboolean is_name (const IologName *name, const char *text, unsigned length, uint64_t hash)
{
  return name->hash == hash && name->length == length && !memcmp (name->text, text, length);
}

uint32_t iolog_names_find (const IologNames *names, const char *text, unsigned length)
{
  const uint64_t hash = hash_bytes (text, length);
  for (uint32_t i = (uint32_t) hash & (names->slots - 1);; i = (i + 1) & (names->slots - 1)) {
    if (names->slot[i] == 0) {
      return IOLOG_NAME_NONE;
    }
    if (is_name (&names->name[names->slot[i] - 1], text, length, hash)) {
      return names->slot[i] - 1;
    }
  }
}

static void put_in_slot (IologNames *names, uint32_t index)
{
  uint32_t i = (uint32_t) names->name[index].hash & (names->slots - 1);
  while (names->slot[i]) {
    i = (i + 1) & (names->slots - 1);
  }
  names->slot[i] = index + 1;
}

uint32_t iolog_names_add (IologNames *names, const char *text, unsigned length)
{
  const uint32_t known = iolog_names_find (names, text, length);
  if (known != IOLOG_NAME_NONE) {
    return known;
  }
  if (names->n == names->allocated) {
    names->allocated = MAX (16, names->allocated * 2);
    names->name = g_renew (IologName, names->name, names->allocated);
  }
  const uint32_t index = names->n++;
  names->name[index] = (IologName){
    .text = g_strndup (text, length),
    .length = length,
    .hash = hash_bytes (text, length),
    .has_blank = memchr (text, ' ', length) || memchr (text, '\t', length),
  };
  if (names->n * 2 > names->slots) {
    names->slots *= 2;
    g_free (names->slot);
    names->slot = g_new0 (uint32_t, names->slots);
    for (uint32_t i = 0; i < names->n; i++) {
      put_in_slot (names, i);
    }
  } else {
    put_in_slot (names, index);
  }
  return index;
}
