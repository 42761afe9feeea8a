/* "did you mean": the nearest of a list of names, by edit distance. */
#ifndef SUGGEST_H
#define SUGGEST_H

/* The candidate nearest to `word` (insertions, deletions, substitutions and swapped neighbours count 1,
 * letter case does not), or NULL if none is near: at most a third of the word, at least 1, at most 3.
 * The first of equals wins.  `candidates` ends with NULL.  (transfer none) */
const char *suggest_nearest (const char *word, const char *const *candidates);
/* "; did you mean \"X\"?", or "" if nothing is near.  (transfer full) */
char       *suggest_phrase (const char *word, const char *const *candidates);

#endif
