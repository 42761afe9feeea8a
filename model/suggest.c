/* "did you mean": edit distance (optimal string alignment) with three rolling rows. */
#include "model/suggest.h"

#include <glib.h>
#include <string.h>

#define LONGEST 63u /* longer words are not compared */

static unsigned distance (const char *a, const char *b)
{
  size_t n = strlen (a), m = strlen (b);
  unsigned row[3][LONGEST + 2];

  if (n > LONGEST || m > LONGEST) {
    return G_MAXUINT;
  }
  for (unsigned j = 0; j <= m; j++) {
    row[0][j] = j;
  }
  for (unsigned i = 1; i <= n; i++) {
    unsigned *now = row[i % 3], *above = row[(i + 2) % 3], *above2 = row[(i + 1) % 3];
    char x = g_ascii_tolower (a[i - 1]);

    now[0] = i;
    for (unsigned j = 1; j <= m; j++) {
      char y = g_ascii_tolower (b[j - 1]);
      unsigned best = above[j - 1] + (x != y);

      best = MIN (best, MIN (above[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && x == g_ascii_tolower (b[j - 2]) && g_ascii_tolower (a[i - 2]) == y) {
        best = MIN (best, above2[j - 2] + 1);
      }
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

const char *suggest_nearest (const char *word, const char *const *candidates)
{
  unsigned limit = CLAMP ((unsigned) strlen (word) / 3, 1u, 3u), best = limit + 1;
  const char *nearest = NULL;

  for (; *candidates; candidates++) {
    unsigned d = distance (word, *candidates);

    if (d < best) {
      best = d;
      nearest = *candidates;
    }
  }
  return nearest;
}

char *suggest_phrase (const char *word, const char *const *candidates)
{
  const char *nearest = suggest_nearest (word, candidates);

  return nearest ? g_strdup_printf ("; did you mean \"%s\"?", nearest) : g_strdup ("");
}
