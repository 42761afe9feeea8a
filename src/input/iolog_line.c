/*
 * One line of an iolog.  See iolog_line.h.
 *
 * The parser has a quick way for the lines that fio writes, and a thorough one for everything else.
 * Neither needs more than a few hundred bytes of stack: streams are read from coroutines.
 */
#include "src/input/iolog_line.h"
#include "src/input/input_error.h"
#include <string.h>

typedef struct {
  const char *text;
  unsigned length;
} Word;

static const Word action_words[IOLOG_ACTIONS] = {
#define IOLOG_ACTION_WORD(name, word) { word, sizeof word - 1 },
  IOLOG_ACTIONS_LIST (IOLOG_ACTION_WORD)
#undef IOLOG_ACTION_WORD
};

const char *iolog_action_name (IologAction action) { return action_words[action].text; }

static inline gboolean is_blank (char c) { return c == ' ' || c == '\t'; }

static inline IologAction find_action (const char *text, unsigned length)
{
  switch (length) {
  case 5:
    if (!memcmp (text, "write", 5)) {
      return IOLOG_WRITE;
    }
    return memcmp (text, "close", 5) ? IOLOG_ACTIONS : IOLOG_CLOSE;
  case 4:
    if (!memcmp (text, "read", 4)) {
      return IOLOG_READ;
    }
    break;
  default:
    break;
  }
  for (unsigned i = 0; i < IOLOG_ACTIONS; i++) {
    if (action_words[i].length == length && !memcmp (text, action_words[i].text, length)) {
      return (IologAction) i;
    }
  }
  return IOLOG_ACTIONS;
}

/* The digits at the start of eight bytes, all at once and without a branch on how many they are: *ret_n of them, 0..8.
 */
static inline uint64_t leading_digits (const char *p, unsigned *ret_n)
{
  uint64_t word;
  memcpy (&word, p, 8);
  word = GUINT64_FROM_LE (word) ^ G_GUINT64_CONSTANT (0x3030303030303030); /* a digit is 0..9 now */
  const uint64_t others =
      ((word + G_GUINT64_CONSTANT (0x7676767676767676)) | word) & G_GUINT64_CONSTANT (0x8080808080808080);
  const unsigned n = others ? (unsigned) __builtin_ctzll (others) / 8 : 8;
  *ret_n = n;
  if (n == 0) {
    return 0;
  }
  word <<= 8 * (8 - n);                                                       /* zeros in front */
  word = (word * 10 + (word >> 8)) & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff); /* pairs, fours, all eight */
  word = (word * 100 + (word >> 16)) & G_GUINT64_CONSTANT (0x0000ffff0000ffff);
  return (word * 10000 + (word >> 32)) & 0xffffffff;
}

/* Digits up to a blank or the end.  NULL if there is anything else or the number passes 64 bits, else behind it. */
static const char *parse_number_slowly (const char *p, const char *end, uint64_t *ret_value)
{
  const char *start = p;
  uint64_t value = 0;
  for (; p < end && g_ascii_isdigit (*p); p++) {
    if (__builtin_mul_overflow (value, 10, &value) || __builtin_add_overflow (value, (uint64_t) (*p - '0'), &value)) {
      return NULL;
    }
  }
  if (p == start || (p < end && !is_blank (*p))) {
    return NULL;
  }
  *ret_value = value;
  return p;
}

static inline __attribute__ ((always_inline)) const char *parse_number (const char *p, const char *end,
                                                                        uint64_t *ret_value)
{
  static const uint32_t power[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
  unsigned n, more;
  if (end - p <= 8) {
    return parse_number_slowly (p, end, ret_value);
  }
  const uint64_t value = leading_digits (p, &n);
  if (n < 8) {
    *ret_value = value;
    return n > 0 && is_blank (p[n]) ? p + n : NULL;
  }
  if (end - p <= 16) {
    return parse_number_slowly (p, end, ret_value);
  }
  const uint64_t rest = leading_digits (p + 8, &more);
  if (more == 8) {
    return parse_number_slowly (p, end, ret_value);
  }
  *ret_value = value * power[more] + rest;
  return is_blank (p[8 + more]) ? p + 8 + more : NULL;
}

static inline const char *skip_blanks (const char *p, const char *end)
{
  while (p < end && is_blank (*p)) {
    p++;
  }
  return p;
}

static inline const char *skip_word (const char *p, const char *end)
{
  while (p < end && !is_blank (*p)) {
    p++;
  }
  return p;
}

/* ACTION [OFFSET LENGTH].  Returns what follows the last field, NULL if it does not fit. */
static inline const char *parse_action (const char *p, const char *end, IologLine *line)
{
  const char *action = p;
  p = skip_word (p, end);
  line->action = find_action (action, (unsigned) (p - action));
  line->offset = line->length = 0;
  if (line->action == IOLOG_ACTIONS) {
    return NULL;
  }
  if (iolog_action_is_io (line->action)) {
    p = parse_number (skip_blanks (p, end), end, &line->offset);
    if (!p) {
      return NULL;
    }
    p = parse_number (skip_blanks (p, end), end, &line->length);
    if (!p) {
      return NULL;
    }
  }
  return skip_blanks (p, end);
}

/* Fields from left to right, NAME one word.  Returns what follows the last field, NULL if it does not fit. */
static const char *parse_left (const char *p, const char *end, unsigned version, IologLine *line)
{
  line->time = 0;
  if (version >= 3) {
    p = parse_number (p, end, &line->time);
    if (!p) {
      return NULL;
    }
    p = skip_blanks (p, end);
  }
  line->name = p;
  p = skip_word (p, end);
  line->name_length = (unsigned) (p - line->name);
  return parse_action (skip_blanks (p, end), end, line);
}

/* As parse_left() for a line with the name that is expected and nothing behind the last field. */
static inline gboolean parse_hinted (const char *p, const char *end, unsigned version, const char *hint,
                                     unsigned hint_length, IologLine *line)
{
  line->time = 0;
  if (version >= 3) {
    p = parse_number (p, end, &line->time);
    if (!p) {
      return FALSE;
    }
    p = skip_blanks (p, end);
  }
  if (end - p <= hint_length || !is_blank (p[hint_length]) || memcmp (p, hint, hint_length)) {
    return FALSE;
  }
  line->name = p;
  line->name_length = hint_length;
  return parse_action (skip_blanks (p + hint_length, end), end, line) == end;
}

/* The word that ends at or before `p`; length 0 if there is none behind `start`. */
static Word word_before (const char *start, const char *p)
{
  while (p > start && is_blank (p[-1])) {
    p--;
  }
  const char *end = p;
  while (p > start && !is_blank (p[-1])) {
    p--;
  }
  return (Word){ p, (unsigned) (end - p) };
}

/* Fields from right to left: NAME is all that is left over. */
static gboolean parse_right (const char *p, const char *end, unsigned version, IologLine *line)
{
  line->time = 0;
  if (version >= 3) {
    p = parse_number (p, end, &line->time);
    if (!p) {
      return FALSE;
    }
    p = skip_blanks (p, end);
  }
  const Word last = word_before (p, end);
  const Word second = word_before (p, last.text), third = word_before (p, second.text);
  const char *name_end;
  line->offset = line->length = 0;
  line->action = find_action (third.text, third.length);
  if (line->action < IOLOG_ACTIONS && iolog_action_is_io (line->action) &&
      parse_number (second.text, second.text + second.length, &line->offset) &&
      parse_number (last.text, last.text + last.length, &line->length)) {
    name_end = third.text;
  } else {
    line->offset = line->length = 0;
    line->action = find_action (last.text, last.length);
    if (line->action == IOLOG_ACTIONS || iolog_action_is_io (line->action)) {
      return FALSE;
    }
    name_end = last.text;
  }
  while (name_end > p && is_blank (name_end[-1])) {
    name_end--;
  }
  line->name = p;
  line->name_length = (unsigned) (name_end - p);
  return line->name_length > 0;
}

gboolean iolog_line_is_version (const char *text, unsigned length, uint64_t *ret_version)
{
  static const char start[] = "fio version ", finish[] = " iolog";
  const unsigned n = sizeof start - 1;
  if (length <= n || memcmp (text, start, n)) {
    return FALSE;
  }
  const char *p = text + n, *end = text + length;
  const char *digits_end = memchr (p, ' ', (size_t) (end - p));
  if (!digits_end || !parse_number (p, digits_end, ret_version)) {
    return FALSE;
  }
  return (size_t) (end - digits_end) >= sizeof finish - 1 && !memcmp (digits_end, finish, sizeof finish - 1);
}

/* A version line that starts inside this one. */
static gboolean find_torn (const char *text, unsigned length, uint64_t *ret_version)
{
  const char *p = text, *end = text + length;
  while (p < end && (p = memchr (p, 'f', (size_t) (end - p)))) {
    if (iolog_line_is_version (p, (unsigned) (end - p), ret_version)) {
      return TRUE;
    }
    p++;
  }
  return FALSE;
}

/* A version 2 reading whose first words are a number and a name is one of version 3, unless it was added as it is. */
static gboolean is_really_version_3 (const char *p, const char *end, const IologLine *line, IologKnown known,
                                     gpointer data)
{
  IologLine other;
  uint64_t number;
  const char *word_end = skip_word (p, end);
  return parse_number (p, word_end, &number) && parse_right (p, end, 3, &other) &&
         !(known && known (line->name, line->name_length, data));
}

static IologLineKind parse_thoroughly (const char *p, const char *end, unsigned version, IologKnown known,
                                       gpointer data, IologLine *ret_line)
{
  IologLine left = { 0 }, right = { 0 };
  const char *rest = memchr (p, '\0', (size_t) (end - p)) ? NULL : parse_left (p, end, version, &left);
  const gboolean has_left = rest && left.name_length > 0;
  gboolean has_right = !memchr (p, '\0', (size_t) (end - p)) && parse_right (p, end, version, &right);
  uint64_t torn;
  if ((!has_right || (has_left && rest < end)) && find_torn (p, (unsigned) (end - p), &torn)) {
    ret_line->offset = torn;
    return IOLOG_LINE_TORN;
  }
  if (has_right && version == 2 && !has_left && is_really_version_3 (p, end, &right, known, data)) {
    return IOLOG_LINE_BAD;
  }
  if (has_left && has_right && right.name_length != left.name_length && known &&
      !known (right.name, right.name_length, data) && known (left.name, left.name_length, data)) {
    has_right = FALSE;
  }
  if (has_right) {
    *ret_line = right;
    return IOLOG_LINE_OK;
  }
  if (has_left) {
    *ret_line = left;
    ret_line->trailing = rest < end;
    return IOLOG_LINE_OK;
  }
  return IOLOG_LINE_BAD;
}

IologLineKind iolog_line_parse (const char *text, unsigned length, unsigned version, const char *hint,
                                unsigned hint_length, IologKnown known, gpointer data, IologLine *ret_line)
{
  const char *end = text + length;
  const char *p = skip_blanks (text, end);
  ret_line->trailing = ret_line->is_hint = FALSE;
  if (hint && parse_hinted (p, end, version, hint, hint_length, ret_line)) {
    ret_line->is_hint = TRUE;
    return IOLOG_LINE_OK;
  }
  if (p == end || *p == '#' || *p == ';') {
    return IOLOG_LINE_EMPTY;
  }
  if (*p == 'f' && iolog_line_is_version (p, (unsigned) (end - p), &ret_line->offset)) {
    return IOLOG_LINE_VERSION;
  }
  const char *rest = parse_left (p, end, version, ret_line);
  if (rest == end && ret_line->name_length > 0 && !memchr (ret_line->name, '\0', ret_line->name_length)) {
    return IOLOG_LINE_OK;
  }
  return parse_thoroughly (p, end, version, known, data, ret_line);
}

/* ---- what is wrong ---- */

static char *quote (Word word) { return input_quote (word.text, word.length, 40); }

/* Why a word is no number, as the end of a sentence. */
static const char *number_problem (Word word)
{
  unsigned digits = 0;
  if (word.length && (word.text[0] == '-' || word.text[0] == '+')) {
    return "has a sign";
  }
  while (digits < word.length && g_ascii_isdigit (word.text[digits])) {
    digits++;
  }
  if (digits == word.length) {
    return "passes 2^64-1";
  }
  if (digits == 1 && word.text[0] == '0' && (word.text[1] == 'x' || word.text[1] == 'X')) {
    return "is hexadecimal";
  }
  if (digits > 0 && word.text[digits] == '.') {
    return "has a fraction";
  }
  return digits > 0 ? "has a suffix" : "is no number";
}

static gboolean is_number (Word word)
{
  uint64_t value;
  return word.length > 0 && parse_number (word.text, word.text + word.length, &value) != NULL;
}

static char *describe_number (const char *field, Word word)
{
  g_autofree char *text = quote (word);
  return g_strdup_printf ("%s \"%s\" %s; expected an unsigned decimal number", field, text, number_problem (word));
}

/* The action of an I/O line is known, its numbers are not. */
static char *describe_numbers (IologAction action, const char *p, const char *end)
{
  p = skip_blanks (p, end);
  const Word offset = { p, (unsigned) (skip_word (p, end) - p) };
  p = skip_blanks (offset.text + offset.length, end);
  const Word length = { p, (unsigned) (skip_word (p, end) - p) };
  if (offset.length == 0 || length.length == 0) {
    return g_strdup_printf ("\"%s\" without %s; expected OFFSET LENGTH behind it", iolog_action_name (action),
                            offset.length ? "a length" : "offset and length");
  }
  return is_number (offset) ? describe_number ("length", length) : describe_number ("offset", offset);
}

/* TRUE if the line fits the other version and does not look like this one. */
static gboolean fits_version (const char *p, const char *end, unsigned version)
{
  IologLine line;
  const gboolean starts_with_number =
      g_ascii_isdigit (*p) || ((*p == '-' || *p == '+') && p + 1 < end && g_ascii_isdigit (p[1]));
  return (version == 3) == starts_with_number && parse_right (p, end, version, &line);
}

char *iolog_line_problem (const char *text, unsigned length, unsigned version)
{
  const char *end = text + length, *p = skip_blanks (text, end);
  if (memchr (text, '\0', length)) {
    return g_strdup ("a NUL byte in the line; expected text");
  }
  if (fits_version (p, end, version == 2 ? 3 : 2)) {
    return g_strdup_printf ("the line looks like version %u in a version %u log", version == 2 ? 3 : 2, version);
  }
  if (version >= 3) {
    const Word time = { p, (unsigned) (skip_word (p, end) - p) };
    if (!is_number (time)) {
      return describe_number ("time", time);
    }
    p = skip_blanks (time.text + time.length, end);
  }
  const char *name_end = skip_word (p, end);
  const char *second = skip_blanks (name_end, end);
  const Word action = { second, (unsigned) (skip_word (second, end) - second) };
  if (action.length == 0) {
    return g_strdup_printf ("too few words; expected %sNAME ACTION", version >= 3 ? "TIME " : "");
  }
  const IologAction known = find_action (action.text, action.length);
  if (known < IOLOG_ACTIONS && iolog_action_is_io (known)) {
    return describe_numbers (known, action.text + action.length, end);
  }
  const Word last = word_before (p, end), middle = word_before (p, last.text), third = word_before (p, middle.text);
  const IologAction before = third.length ? find_action (third.text, third.length) : IOLOG_ACTIONS;
  if (before < IOLOG_ACTIONS && iolog_action_is_io (before)) {
    return describe_numbers (before, third.text + third.length, end);
  }
  const gboolean has_numbers = third.length > 0 && third.text > p && is_number (last) && is_number (middle);
  g_autofree char *word = quote (has_numbers ? third : action);
  return g_strdup_printf ("unknown action \"%s\"; expected add, open, close, read, write, trim, sync, datasync, "
                          "sync_file_range, syncfs or wait",
                          word);
}
