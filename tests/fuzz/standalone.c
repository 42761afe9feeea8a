/*
 * A fuzzer without a special compiler: known inputs, then mutations of them, for some seconds.
 *
 *   fuzz-TARGET [-t SECONDS] [-s SEED] [-n INPUTS] FILE|DIRECTORY...
 *
 * The same seed gives the same inputs.  The input in work is kept in ./fuzz-TARGET.input, so that a crash leaves it
 * behind; it is removed at the end.  Ten seconds on one input count as a hang (SIGALRM).
 */
#include "src/engine/random.h"
#include "tests/fuzz/fuzz.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INPUT_MAX = 64 * 1024, HANG_SECONDS = 10 };

typedef struct {
  GPtrArray *corpus; /* of GBytes */
  UrRandom random;
  uint8_t *input; /* mapped file of INPUT_MAX bytes */
  size_t length;
  int file;
} Fuzzer;

static void add_path (GPtrArray *corpus, const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  char *text;
  gsize length;

  if (directory) {
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    const char *name;
    while ((name = g_dir_read_name (directory))) {
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
    }
    g_ptr_array_sort_with_data (names, (GCompareDataFunc) (void (*) (void)) g_strcmp0, NULL);
    for (unsigned i = 0; i < names->len; i++) {
      add_path (corpus, names->pdata[i]);
    }
  } else if (g_file_get_contents (path, &text, &length, NULL)) {
    g_ptr_array_add (corpus, g_bytes_new_take (text, MIN (length, INPUT_MAX)));
  }
}

static size_t below (Fuzzer *fuzzer, size_t n) { return n ? (size_t) ur_random_below (&fuzzer->random, n) : 0; }

/* Replaces `cut` bytes at `at` by `n` bytes, as far as there is room. */
static void paste (Fuzzer *fuzzer, size_t at, size_t cut, const void *bytes, size_t n)
{
  cut = MIN (cut, fuzzer->length - at);
  n = MIN (n, INPUT_MAX - (fuzzer->length - cut));
  memmove (fuzzer->input + at + n, fuzzer->input + at + cut, fuzzer->length - at - cut);
  memcpy (fuzzer->input + at, bytes, n);
  fuzzer->length = fuzzer->length - cut + n;
}

static void mutate (Fuzzer *fuzzer)
{
  static const char *const words[] = {
    "0",
    "-1",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1e9",
    "0x10",
    "4k",
    "\n",
    "\r\n",
    "=",
    "[",
    "]",
    "#",
    "%",
    "(",
    ")",
    "((((((((",
    "&&",
    "||",
    "\t",
    " ",
    "\xff",
    "\xef\xbb\xbf",
    ":",
    ",",
    "/",
    "..",
  };
  const size_t at = below (fuzzer, fuzzer->length + 1);
  uint8_t copy[256];

  switch (below (fuzzer, 7)) {
  case 0:
    if (at < fuzzer->length) {
      fuzzer->input[at] ^= (uint8_t) (1u << below (fuzzer, 8));
    }
    break;
  case 1:
    if (at < fuzzer->length) {
      fuzzer->input[at] = (uint8_t) below (fuzzer, 256);
    }
    break;
  case 2:
    paste (fuzzer, at, 1 + below (fuzzer, 64), "", 0);
    break;
  case 3: {
    const char *word = words[below (fuzzer, G_N_ELEMENTS (words))];
    paste (fuzzer, at, below (fuzzer, 4), word, strlen (word));
    break;
  }
  case 4: {
    const size_t from = below (fuzzer, fuzzer->length + 1), n = 1 + below (fuzzer, sizeof copy);
    memcpy (copy, fuzzer->input + from, MIN (n, fuzzer->length - from));
    paste (fuzzer, at, 0, copy, MIN (n, fuzzer->length - from));
    break;
  }
  case 5: {
    gsize length;
    const uint8_t *other = g_bytes_get_data (fuzzer->corpus->pdata[below (fuzzer, fuzzer->corpus->len)], &length);
    const size_t from = below (fuzzer, length + 1), n = 1 + below (fuzzer, 256), cut = below (fuzzer, 32);
    paste (fuzzer, at, cut, other + from, MIN (n, length - from));
    break;
  }
  default:
    fuzzer->length = at;
    break;
  }
}

static void run_input (Fuzzer *fuzzer)
{
  /* Exactly as many bytes as the input has, so that a read beyond them is seen; the mapped file is cut to them too. */
  g_autofree uint8_t *bytes = g_memdup2 (fuzzer->input, fuzzer->length);

  if (ftruncate (fuzzer->file, (off_t) fuzzer->length) || ftruncate (fuzzer->file, INPUT_MAX)) {
    perror ("fuzz: ftruncate");
    exit (2);
  }
  alarm (HANG_SECONDS);
  LLVMFuzzerTestOneInput (bytes, fuzzer->length);
  alarm (0);
}

static void load (Fuzzer *fuzzer, GBytes *bytes)
{
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);

  fuzzer->length = length;
  if (length) {
    memcpy (fuzzer->input, data, length);
  }
}

int main (int argc, char **argv)
{
  Fuzzer fuzzer = { .corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref) };
  uint64_t seed = 1, limit = UINT64_MAX, inputs = 0;
  double seconds = 5;
  int option;

  while ((option = getopt (argc, argv, "t:s:n:")) != -1) {
    switch (option) {
    case 't':
      seconds = g_ascii_strtod (optarg, NULL);
      break;
    case 's':
      seed = g_ascii_strtoull (optarg, NULL, 10);
      break;
    case 'n':
      limit = g_ascii_strtoull (optarg, NULL, 10);
      break;
    default:
      return 2;
    }
  }
  for (int i = optind; i < argc; i++) {
    add_path (fuzzer.corpus, argv[i]);
  }
  if (!fuzzer.corpus->len) {
    fprintf (stderr, "usage: %s [-t SECONDS] [-s SEED] [-n INPUTS] FILE|DIRECTORY...\n", argv[0]);
    return 2;
  }
  g_autofree char *name = g_path_get_basename (argv[0]);
  g_autofree char *path = g_strconcat (name, ".input", NULL);
  fuzzer.file = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fuzzer.file < 0 || ftruncate (fuzzer.file, INPUT_MAX)) {
    perror (path);
    return 2;
  }
  fuzzer.input = mmap (NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fuzzer.file, 0);
  if (fuzzer.input == MAP_FAILED) {
    perror (path);
    return 2;
  }
  ur_random_init (&fuzzer.random, seed, "fuzz");
  for (unsigned i = 0; i < fuzzer.corpus->len; i++, inputs++) {
    load (&fuzzer, fuzzer.corpus->pdata[i]);
    run_input (&fuzzer);
  }
  const gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_TIME_SPAN_SECOND);
  while (inputs < limit && g_get_monotonic_time () < end) {
    load (&fuzzer, fuzzer.corpus->pdata[below (&fuzzer, fuzzer.corpus->len)]);
    for (size_t n = 1 + below (&fuzzer, 6); n > 0; n--) {
      mutate (&fuzzer);
    }
    run_input (&fuzzer);
    inputs++;
  }
  munmap (fuzzer.input, INPUT_MAX);
  close (fuzzer.file);
  unlink (path);
  printf ("%s: %" G_GUINT64_FORMAT " inputs, no failure\n", name, inputs);
  g_ptr_array_unref (fuzzer.corpus);
  return 0;
}
