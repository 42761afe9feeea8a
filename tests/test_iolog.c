/*
 * iologs: lines, rules, times, orders, segments; the sample files with their exact facts.
 */
#include "src/input/input.h"
#include "src/input/iolog_line.h"
#include "src/input/iolog_names.h"
#include "tests/row.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA(name) TEST_DATA_DIR "/" name

static Iolog *open_path (const char *path, const IologOptions *options, GError **error)
{
  ByteSource *source = byte_source_open (path, error);
  Iolog *iolog = source ? iolog_open (source, options, error) : NULL;
  byte_source_unref (source);
  return iolog;
}

static Iolog *open_text (const char *text, gsize len, const IologOptions *options, GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("m", text, len, error);
  Iolog *iolog = source ? iolog_open (source, options, error) : NULL;
  byte_source_unref (source);
  return iolog;
}

/* ---- lines ---- */

static gboolean known_name (const char *name, unsigned length, gpointer data)
{
  const char *known = data;
  return strlen (known) == length && !memcmp (name, known, length);
}

static const struct {
  const char *line;
  unsigned version;
  const char *known; /* a name that was added */
  IologLineKind kind;
  IologAction action;
  const char *name;
  uint64_t time, offset, length;
} line_rows[] = {
  { "12 f add", 3, "", IOLOG_LINE_OK, IOLOG_ADD, "f", 12, 0, 0 },
  { "12 f read 4096 512", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f", 12, 4096, 512 },
  { "f read 4096 512", 2, "", IOLOG_LINE_OK, IOLOG_READ, "f", 0, 4096, 512 },
  { " \t12\t f\twrite   0\t512  ", 3, "", IOLOG_LINE_OK, IOLOG_WRITE, "f", 12, 0, 512 },
  { "1 f sync_file_range 0 0", 3, "", IOLOG_LINE_OK, IOLOG_SYNC_FILE_RANGE, "f", 1, 0, 0 },
  { "1 f syncfs 1 2", 3, "", IOLOG_LINE_OK, IOLOG_SYNCFS, "f", 1, 1, 2 },
  { "1 f datasync 7 0", 3, "", IOLOG_LINE_OK, IOLOG_DATASYNC, "f", 1, 7, 0 },
  { "f wait 500 0", 2, "", IOLOG_LINE_OK, IOLOG_WAIT, "f", 0, 500, 0 },
  { "18446744073709551615 f read 18446744073709551615 0", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f", UINT64_MAX, UINT64_MAX,
    0 },
  { "00000000000000000000012 f read 0000000000000000000000000512 1", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f", 12, 512,
    1 },
  { "1 f read 123456789012 1234567890123456789", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f", 1, 123456789012,
    1234567890123456789 },
  /* names with blanks, and names that are actions */
  { "5 my file add", 3, "", IOLOG_LINE_OK, IOLOG_ADD, "my file", 5, 0, 0 },
  { "5 my  file.bin read 0 4096", 3, "", IOLOG_LINE_OK, IOLOG_READ, "my  file.bin", 5, 0, 4096 },
  { "trtype=PCIe traddr=0000.05.00.0 ns=1 write 0 4096", 2, "", IOLOG_LINE_OK, IOLOG_WRITE,
    "trtype=PCIe traddr=0000.05.00.0 ns=1", 0, 0, 4096 },
  { "5 add open", 3, "", IOLOG_LINE_OK, IOLOG_OPEN, "add", 5, 0, 0 },
  { "5 read read 0 1", 3, "", IOLOG_LINE_OK, IOLOG_READ, "read", 5, 0, 1 },
  { "5 f read 0 1 read 2 3", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f read 0 1", 5, 2, 3 },
  { "5 f read 0 1 read 2 3", 3, "f", IOLOG_LINE_OK, IOLOG_READ, "f", 5, 0, 1 },
  { "5 f read 0 1 read 2 3", 3, "f read 0 1", IOLOG_LINE_OK, IOLOG_READ, "f read 0 1", 5, 2, 3 },
  { "5 a:b\\c add", 3, "", IOLOG_LINE_OK, IOLOG_ADD, "a:b\\c", 5, 0, 0 },
  { "5 f read 0 4096 extra junk", 3, "", IOLOG_LINE_OK, IOLOG_READ, "f", 5, 0, 4096 },
  /* no request */
  { "", 3, "", IOLOG_LINE_EMPTY, IOLOG_ADD, NULL, 0, 0, 0 },
  { " \t", 3, "", IOLOG_LINE_EMPTY, IOLOG_ADD, NULL, 0, 0, 0 },
  { "# comment", 3, "", IOLOG_LINE_EMPTY, IOLOG_ADD, NULL, 0, 0, 0 },
  { "  ; f read 0 1", 2, "", IOLOG_LINE_EMPTY, IOLOG_ADD, NULL, 0, 0, 0 },
  { "fio version 3 iolog", 3, "", IOLOG_LINE_VERSION, IOLOG_ADD, NULL, 0, 3, 0 },
  { "fio version 2 iolog and more", 3, "", IOLOG_LINE_VERSION, IOLOG_ADD, NULL, 0, 2, 0 },
  { "725 /d/sh.0.0 wfio version 3 iolog", 3, "", IOLOG_LINE_TORN, IOLOG_ADD, NULL, 0, 3, 0 },
  { "20 /w/j write 81fio version 2 iolog", 3, "", IOLOG_LINE_TORN, IOLOG_ADD, NULL, 0, 2, 0 },
  { "20 f write 0 4096 fio version 3 iolog", 3, "", IOLOG_LINE_TORN, IOLOG_ADD, NULL, 0, 3, 0 },
  /* broken */
  { "f add", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 f add", 2, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 f add", 2, "10 f", IOLOG_LINE_OK, IOLOG_ADD, "10 f", 0, 0, 0 },
  { "10 f READ 0 1", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 f read 0", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 f read 0 4k", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 f", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "10 add", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "-1 f add", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "1.5 f add", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
  { "1 f read 18446744073709551616 1", 3, "", IOLOG_LINE_BAD, IOLOG_ADD, NULL, 0, 0, 0 },
};

static void test_lines (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (line_rows); i++) {
    for (unsigned hinted = 0; hinted < 2; hinted++) {
      IologLine line = { 0 };
      const char *hint = hinted ? (line_rows[i].name ? line_rows[i].name : "f") : NULL;
      const IologLineKind kind =
          iolog_line_parse (line_rows[i].line, (unsigned) strlen (line_rows[i].line), line_rows[i].version, hint,
                            hint ? (unsigned) strlen (hint) : 0, known_name, (gpointer) line_rows[i].known, &line);
      if (!ROW_CHECK (kind == line_rows[i].kind, "\"%s\": kind %d", line_rows[i].line, kind)) {
        continue;
      }
      if (kind == IOLOG_LINE_OK) {
        ROW_CHECK (line.action == line_rows[i].action && line.name_length == strlen (line_rows[i].name) &&
                       !memcmp (line.name, line_rows[i].name, line.name_length) && line.time == line_rows[i].time,
                   "\"%s\": %s of \"%.*s\" at %" G_GUINT64_FORMAT, line_rows[i].line, iolog_action_name (line.action),
                   (int) line.name_length, line.name, line.time);
        ROW_CHECK (line.length == line_rows[i].length, "\"%s\": length %" G_GUINT64_FORMAT, line_rows[i].line,
                   line.length);
      }
      if (kind != IOLOG_LINE_EMPTY && kind != IOLOG_LINE_BAD) {
        ROW_CHECK (line.offset == line_rows[i].offset, "\"%s\": %" G_GUINT64_FORMAT, line_rows[i].line, line.offset);
      }
    }
  }
}

static void test_problems (void)
{
  static const struct {
    const char *line;
    unsigned version;
    const char *problem;
  } row[] = {
    { "f add", 3, "looks like version 2" },
    { "f read 0 4096", 3, "looks like version 2" },
    { "10 f read 0 4096", 2, "looks like version 3" },
    { "10 f READ 0 1", 3, "unknown action \"READ\"" },
    { "10 a b unlink 0 1", 3, "unknown action \"unlink\"" },
    { "10 f frob", 3, "unknown action \"frob\"" },
    { "10 f read 0", 3, "\"read\" without a length" },
    { "10 f read", 3, "\"read\" without offset and length" },
    { "10 f read -5 1", 3, "offset \"-5\" has a sign" },
    { "10 f read 0 -1", 3, "length \"-1\" has a sign" },
    { "10 f read 0x10 1", 3, "offset \"0x10\" is hexadecimal" },
    { "10 f read 0 4k", 3, "length \"4k\" has a suffix" },
    { "10 f read 0 4096.5", 3, "length \"4096.5\" has a fraction" },
    { "10 f read 0 99999999999999999999", 3, "passes 2^64-1" },
    { "10 my f read x 5", 3, "offset \"x\" is no number" },
    { "-10 f add", 3, "time \"-10\" has a sign" },
    { "1e3 f add", 3, "time \"1e3\" has a suffix" },
    { "10", 3, "too few words; expected TIME NAME ACTION" },
    { "f", 2, "too few words; expected NAME ACTION" },
    { "10 f \x1b[31m 0 1", 3, "unknown action \"\\x1b[31m\"" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *problem = iolog_line_problem (row[i].line, (unsigned) strlen (row[i].line), row[i].version);
    ROW_CHECK (strstr (problem, row[i].problem) && !strchr (problem, '\x1b'), "\"%s\": %s", row[i].line, problem);
  }
  g_autofree char *nul = iolog_line_problem ("10 f re\0ad 0 1", 14, 3);
  CU_ASSERT (strstr (nul, "NUL") != NULL);
}

static void test_name_table (void)
{
  IologNames names;
  iolog_names_init (&names);
  unsigned wrong = 0;
  for (unsigned pass = 0; pass < 2; pass++) {
    for (unsigned i = 0; i < 5000; i++) {
      g_autofree char *name = g_strdup_printf ("%s%u", i % 3 ? "/a/long/directory/name/" : "f", i);
      wrong += iolog_names_find (&names, name, (unsigned) strlen (name)) != (pass ? i : IOLOG_NAME_NONE);
      wrong += iolog_names_add (&names, name, (unsigned) strlen (name)) != i;
    }
  }
  ROW_CHECK (wrong == 0 && names.n == 5000, "%u wrong, %u names", wrong, names.n);
  iolog_names_clear (&names);
}

/* ---- samples ---- */

/* The facts of the sample files, from the notes they came with. */
static void test_samples (void)
{
  static const struct {
    const char *name;
    gboolean lenient;
    unsigned version;
    uint64_t lines, reads, read_bytes, writes, write_bytes, trims, trim_bytes, syncs, files, max_end, first_us, last_us,
        first_io_us, back_steps, segments, skipped;
  } row[] = {
    { "uring_mix.iolog", FALSE, 3, 273, 78, 389120, 129, 659456, 0, 0, 59, 2, 524288, 24, 14581, 982, 0, 1, 0 },
    { "uring_mix_v2.iolog", FALSE, 2, 273, 78, 389120, 129, 659456, 0, 0, 59, 2, 524288, 0, 0, 0, 0, 1, 0 },
    { "trim_then_datasync.iolog.gz", FALSE, 3, 163, 0, 0, 80, 327328, 64, 262144, 8, 3, 131072, 25, 94535, 563, 1, 2,
      0 },
    { "shared_torn.iolog", TRUE, 3, 776, 0, 0, 767, 3141632, 0, 0, 0, 2, 1572864, 0, 2508, 374, 2, 2, 2 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *path = g_strdup_printf (DATA ("traces/%s"), row[i].name);
    g_autoptr (GError) error = NULL;
    const IologOptions options = { .lenient = row[i].lenient };
    Iolog *iolog = open_path (path, &options, &error);
    if (!ROW_CHECK (iolog, "%s: %s", row[i].name, row_error (error))) {
      continue;
    }
    const IologInfo *info = iolog_info (iolog);
#define FACT(member, wanted) \
  ROW_CHECK (info->member == (wanted), "%s: " #member " %" G_GUINT64_FORMAT, row[i].name, (uint64_t) info->member)
    FACT (version, row[i].version);
    FACT (lines, row[i].lines);
    FACT (reads, row[i].reads);
    FACT (read_bytes, row[i].read_bytes);
    FACT (writes, row[i].writes);
    FACT (write_bytes, row[i].write_bytes);
    FACT (trims, row[i].trims);
    FACT (trim_bytes, row[i].trim_bytes);
    FACT (syncs, row[i].syncs);
    FACT (files, row[i].files);
    FACT (max_end, row[i].max_end);
    FACT (first_ns, row[i].first_us * 1000);
    FACT (last_ns, row[i].last_us * 1000);
    FACT (first_io_ns, row[i].first_io_us * 1000);
    FACT (back_steps, row[i].back_steps);
    FACT (segments, row[i].segments);
    FACT (skipped, row[i].skipped);
    FACT (waits, 0);
    FACT (has_times, row[i].version == 3);
#undef FACT
    CU_ASSERT (info->span_ns == info->last_ns - info->first_ns);
    iolog_unref (iolog);
  }
  g_autoptr (GError) error = NULL;
  const IologOptions strict = { 0 };
  CU_ASSERT (open_path (DATA ("traces/shared_torn.iolog"), &strict, &error) == NULL);
  ROW_CHECK (strstr (row_error (error), "shared_torn.iolog:200: "), "%s", row_error (error));
}

/* ---- broken files: the table of expectations that came with them ---- */

/* The number that `regex` captures in `text`, or -1. */
static gint64 captured (const char *text, const char *regex)
{
  g_autoptr (GRegex) compiled = g_regex_new (regex, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!compiled || !g_regex_match (compiled, text, 0, &match)) {
    return -1;
  }
  g_autofree char *number = g_match_info_fetch (match, 1);
  return g_ascii_strtoll (number, NULL, 10);
}

/* "ok: 2 writes, 32768 bytes, 1 file, 0 skipped ..." */
static void check_counts (const char *name, const char *expectation, const IologInfo *info)
{
  const struct {
    const char *regex;
    uint64_t found;
  } fact[] = {
    { "(\\d+) reads?\\b", info->reads },
    { "(\\d+) writes?\\b", info->writes },
    { "(\\d+) files?\\b", info->files },
    { "(\\d+) syncs?\\b", info->syncs },
    { "(\\d+) range syncs?\\b", info->range_syncs },
    { "(\\d+) segments?\\b", info->segments },
    { "back_steps=(\\d+)", info->back_steps },
    { "(?<!and )\\b(\\d+) (?:lines? )?skipped \\(", info->skipped },
    { "\\b(\\d+) skipped$", info->skipped },
    { "= (\\d+) us", info->duration_ns / 1000 },
    { "reads? (\\d+) bytes", info->read_bytes },
    { "writes? (\\d+) bytes", info->write_bytes },
    { "reads?, (\\d+) bytes", info->read_bytes },
    { "writes?, (\\d+) bytes", info->write_bytes },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (fact); i++) {
    const gint64 wanted = captured (expectation, fact[i].regex);
    ROW_CHECK (wanted < 0 || (uint64_t) wanted == fact[i].found, "%s: \"%s\": found %" G_GUINT64_FORMAT, name,
               fact[i].regex, fact[i].found);
  }
  if (strstr (expectation, "lines 5 and 7 skipped")) {
    ROW_CHECK (info->skipped == 2, "%s: %" G_GUINT64_FORMAT " skipped", name, info->skipped);
  }
  if (strstr (expectation, "warning")) {
    ROW_CHECK (info->warnings->len > 0, "%s: no warning", name);
  }
}

static void check_expectation (const char *name, const char *expectation, gboolean lenient)
{
  g_autofree char *path = g_strdup_printf (DATA ("bad/%s"), name);
  g_autoptr (GError) error = NULL;
  IologOptions options = { .lenient = lenient, .version = strstr (expectation, "forces v2") ? 2 : 0 };
  Iolog *iolog = open_path (path, &options, &error);
  const gint64 line = captured (expectation, "^error line (\\d+)");
  if (line >= 0) {
    g_autofree char *place = g_strdup_printf ("%s:%" G_GINT64_FORMAT ": ", name, line);
    ROW_CHECK (!iolog && strstr (row_error (error), place), "%s: %s", name, row_error (error));
    ROW_CHECK (g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA), "%s: code", name);
  } else if (ROW_CHECK (iolog, "%s, %s: %s", name, lenient ? "lenient" : "strict", row_error (error))) {
    check_counts (name, expectation, iolog_info (iolog));
  }
  iolog_unref (iolog);
}

static void test_broken_files (void)
{
  g_autofree char *text = NULL;
  unsigned rows = 0;
  CU_ASSERT_FATAL (g_file_get_contents (DATA ("bad/expectations.tsv"), &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines + 1; *line && **line; line++) {
    g_auto (GStrv) field = g_strsplit (*line, "\t", -1);
    CU_ASSERT_FATAL (g_strv_length (field) == 5);
    if (!g_str_has_prefix (field[1], "iolog")) {
      continue;
    }
    check_expectation (field[0], field[2], FALSE);
    check_expectation (field[0], strcmp (field[3], "same") ? field[3] : field[2], TRUE);
    rows++;
  }
  CU_ASSERT (rows == 10);
}

/* ---- rules ---- */

#define V3 "fio version 3 iolog\n"
#define V2 "fio version 2 iolog\n"
#define OPENED V3 "0 f add\n0 f open\n"

static void test_rules (void)
{
  static const struct {
    const char *name, *text;
    const char *strict;     /* part of the message, NULL: fine */
    gint64 lenient_skipped; /* -1: refused too */
  } row[] = {
    { "add twice", OPENED "1 f add\n2 f read 0 1\n", NULL, 0 },
    { "close and open again", OPENED "1 f close\n2 f open\n3 f read 0 1\n", NULL, 0 },
    { "open twice", OPENED "1 f open\n2 f read 0 1\n", "m:4: open of \"f\", which is open", 1 },
    { "open before add", V3 "0 f open\n2 f read 0 1\n", "m:2: open on \"f\" before its add line", 0 },
    { "close before add", OPENED "1 g close\n2 f read 0 1\n", "m:4: close of \"g\" before its add line", 1 },
    { "read of a closed file", OPENED "1 f close\n2 f read 0 1\n", "m:5: read on \"f\", which is not open", 0 },
    { "sync of an added file", V3 "0 f add\n1 f sync 0 0\n", "m:3: sync on \"f\", which is not open", 0 },
    { "added in another log", OPENED "1 f read 0 1\n" V3 "2 f read 0 1\n", "m:6: read on \"f\" before its add line",
      0 },
    { "end beyond 2^63", OPENED "1 f read 9223372036854775807 1\n2 f read 0 1\n",
      "m:4: offset 9223372036854775807 plus length 1", 1 },
    { "end at 2^63-1", OPENED "1 f read 9223372036854775806 1\n", NULL, 0 },
    { "end beyond 2^64", OPENED "1 f trim 18446744073709551615 2\n2 f read 0 1\n", "m:4: offset 1844", 1 },
    { "offset of a sync is stale", OPENED "1 f sync 18446744073709551615 18446744073709551615\n", NULL, 0 },
    { "length of 5 GiB", OPENED "1 f trim 0 5368709120\n", NULL, 0 },
    { "only syncs", OPENED "1 f sync 0 0\n", NULL, 0 },
    { "no request", OPENED "1 f close\n", "no request", -1 },
    { "version 4", "fio version 4 iolog\n0 f add\n", "m:1: unknown iolog version 4", -1 },
    { "version 1", "0, 0, 4096\n", "m:1: found \"0, 0, 4096\"; expected the version line", -1 },
    { "version 4 in the middle", OPENED "1 f read 0 1\nfio version 4 iolog\n", "m:5: unknown iolog version 4", 1 },
    { "blank before the version line", " " V3 "0 f add\n0 f open\n1 f read 0 1\n",
      "m:1: blanks before the version line", 0 },
    { "trailing words on the version line", "fio version 3 iolog 2\r\n0 f add\r\n0 f open\r\n1 f read 0 1\r\n", NULL,
      0 },
    { "time beyond 292 years", OPENED "9223372036854776 f read 0 1\n1 f read 0 1\n",
      "m:4: time 9223372036854776 us passes", 1 },
    { "version 2 in a version 3 log", OPENED "1 f read 0 1\n" V2 "f add\nf open\nf read 0 1\n", NULL, 0 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    for (unsigned lenient = 0; lenient < 2; lenient++) {
      g_autoptr (GError) error = NULL;
      const IologOptions options = { .lenient = lenient };
      Iolog *iolog = open_text (row[i].text, strlen (row[i].text), &options, &error);
      const char *refused = lenient ? (row[i].lenient_skipped < 0 ? row[i].strict : NULL) : row[i].strict;
      if (refused) {
        ROW_CHECK (!iolog && strstr (row_error (error), refused), "%s, lenient %u: %s", row[i].name, lenient,
                   row_error (error));
      } else if (ROW_CHECK (iolog, "%s, lenient %u: %s", row[i].name, lenient, row_error (error))) {
        const uint64_t skipped = iolog_info (iolog)->skipped;
        ROW_CHECK (skipped == (lenient ? (uint64_t) row[i].lenient_skipped : 0), "%s: %" G_GUINT64_FORMAT " skipped",
                   row[i].name, skipped);
        const uint64_t defects = iolog_info (iolog)->n_defects;
        ROW_CHECK (iolog_info (iolog)->defects->len == defects && defects >= skipped &&
                       (defects > 0) == (lenient && row[i].strict),
                   "%s: %" G_GUINT64_FORMAT " defects", row[i].name, defects);
      }
      iolog_unref (iolog);
    }
  }
}

static void test_limits (void)
{
  const IologOptions strict = { 0 }, lenient = { .lenient = TRUE };
  g_autoptr (GError) error = NULL;
  g_autofree char *long_name = g_strnfill (4090, 'n');
  g_autofree char *long_line = g_strdup_printf (OPENED "1 %s add\n2 f read 0 1\n", long_name);
  CU_ASSERT (open_text (long_line, strlen (long_line), &strict, &error) == NULL);
  ROW_CHECK (strstr (row_error (error), "m:4: a line of more than 4095 bytes"), "%s", row_error (error));
  Iolog *iolog = open_text (long_line, strlen (long_line), &lenient, NULL);
  CU_ASSERT (iolog && iolog_info (iolog)->skipped == 1 && iolog_info (iolog)->reads == 1);
  iolog_unref (iolog);
  g_clear_error (&error);

  GString *names = g_string_new (OPENED);
  for (unsigned i = 0; i <= IOLOG_FILES_LIMIT; i++) {
    g_string_append_printf (names, "1 n%u add\n", i);
  }
  g_string_append (names, "1 f read 0 1\n");
  CU_ASSERT (open_text (names->str, names->len, &lenient, &error) == NULL);
  ROW_CHECK (strstr (row_error (error), "different file names"), "%s", row_error (error));
  g_string_free (names, TRUE);
}

/* ---- times ---- */

/* "ARRIVAL_us op ..." of all requests of a stream. */
static char *arrivals (Iolog *iolog, unsigned stream_index, const IologReplay *replay)
{
  GString *all = g_string_new (NULL);
  g_autofree uint32_t *files = g_new0 (uint32_t, iolog_info (iolog)->files);
  IologStream *stream = iolog_stream_new (iolog, stream_index, files, replay);
  g_autoptr (GError) error = NULL;
  IoSource *source = iolog_stream_open (stream, &error);
  Io io;
  uint64_t n = 0;
  while (source && source->next (source, &io, &error) > 0) {
    g_string_append_printf (all, "%s%g", n ? " " : "", (double) io.arrival / 1000.0);
    n++;
  }
  ROW_CHECK (!error && n == stream->ios, "stream: %s, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, row_error (error),
             n, stream->ios);
  io_source_free (source);
  iolog_stream_free (stream);
  return g_string_free (all, FALSE);
}

#define R(time) #time " f read 0 1\n"
static const struct {
  const char *name, *text;
  IologOptions options;
  const char *arrivals; /* us; of the first stream */
} time_rows[] = {
  { "fio: no delay while the stamp before is 0", OPENED R (300000), { 0 }, "0" },
  { "fio: delay from 1 on", V3 "1 f add\n1 f open\n" R (300000), { 0 }, "299999" },
  { "fio: a backward step is the new reference",
    V3 "1 f add\n1 f open\n" R (300000) R (100000) R (300000),
    { 0 },
    "299999 299999 499999" },
  { "fio: other lines delay too", V3 "1 f add\n1 f open\n" R (10) "500 f close\n510 f open\n" R (520), { 0 }, "9 519" },
  { "segment: the first stamp may be 0",
    OPENED R (300000) R (100000) R (100005),
    { .order = IOLOG_ORDER_SEGMENT },
    "300000 300000 300005" },
  { "sort", OPENED R (300) R (100) R (200), { .order = IOLOG_ORDER_SORT }, "100 200 300" },
  { "sort keeps equal stamps in order",
    V3 "5 f add\n5 f open\n" R (9) R (7) R (9),
    { .order = IOLOG_ORDER_SORT },
    "2 4 4" },
  { "sort without need", V3 "5 f add\n5 f open\n" R (9) R (12), { .order = IOLOG_ORDER_SORT }, "4 7" },
  { "nanoseconds", V3 "1000 f add\n1000 f open\n" R (5000), { .unit = IOLOG_UNIT_NS }, "4" },
  { "milliseconds", V3 "1 f add\n1 f open\n" R (3), { .unit = IOLOG_UNIT_MS }, "2000" },
  { "two logs: the second behind the first",
    V3 "1 f add\n1 f open\n" R (11) V3 "100 f add\n101 f open\n" R (106),
    { 0 },
    "10 16" },
  { "two logs, sorted",
    V3 "1 f add\n1 f open\n" R (21) R (11) V3 "100 f add\n101 f open\n" R (106),
    { .order = IOLOG_ORDER_SORT },
    "10 20 26" },
  { "two logs: the first",
    V3 "1 f add\n1 f open\n" R (11) V3 "100 f add\n101 f open\n" R (106),
    { .segments = IOLOG_SEGMENTS_FIRST },
    "10" },
  { "two logs: in parallel",
    V3 "1 f add\n1 f open\n" R (11) V3 "100 f add\n101 f open\n" R (106),
    { .segments = IOLOG_SEGMENTS_PARALLEL },
    "10" },
  { "torn by a log of an unknown version: not the end of the first",
    OPENED R (1) "2 f wfio version 4 iolog\n" R (3),
    { .lenient = TRUE, .segments = IOLOG_SEGMENTS_FIRST },
    "0 2" },
  { "wait: milliseconds since the start",
    V2 "f add\nf open\nf read 0 1\nf wait 50 0\nf read 0 1\nf wait 200 0\nf wait 200 0\nf read 0 1\n",
    { 0 },
    "0 50000 200000" },
  { "wait: microseconds each",
    V2 "f add\nf open\nf wait 50 0\nf read 0 1\nf wait 200 0\nf read 0 1\n",
    { .wait = IOLOG_WAIT_REL_US },
    "0 200" },
  { "wait: milliseconds each",
    V2 "f add\nf open\nf wait 50 0\nf read 0 1\nf wait 200 0\nf read 0 1\n",
    { .wait = IOLOG_WAIT_REL_MS },
    "50000 250000" },
  { "wait in version 3 is left out", V3 "1 f add\n1 f open\n2 f wait 500 0\n" R (3), { 0 }, "2" },
  { "no times", V2 "f add\nf open\nf read 0 1\nf read 0 1\n", { 0 }, "0 0" },
};

static void test_times (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (time_rows); i++) {
    g_autoptr (GError) error = NULL;
    Iolog *iolog = open_text (time_rows[i].text, strlen (time_rows[i].text), &time_rows[i].options, &error);
    if (ROW_CHECK (iolog, "%s: %s", time_rows[i].name, row_error (error))) {
      g_autofree char *found = arrivals (iolog, 0, NULL);
      ROW_CHECK (!strcmp (found, time_rows[i].arrivals), "%s: %s", time_rows[i].name, found);
      if (time_rows[i].options.segments == IOLOG_SEGMENTS_SEQUENTIAL) {
        const char *last = strrchr (time_rows[i].arrivals, ' ');
        ROW_CHECK ((double) iolog_info (iolog)->duration_ns / 1000.0 == atof (last ? last : time_rows[i].arrivals),
                   "%s: duration %" G_GUINT64_FORMAT, time_rows[i].name, iolog_info (iolog)->duration_ns);
      }
      iolog_unref (iolog);
    }
  }
}

static void test_parallel (void)
{
  static const char text[] =
      V3 "1 f add\n1 f open\n" R (11) V3 "100 g add\n101 g open\n106 g write 0 8\n107 g sync 0 0\n" V3;
  const IologOptions options = { .segments = IOLOG_SEGMENTS_PARALLEL };
  Iolog *iolog = open_text (text, sizeof text - 1, &options, NULL);
  CU_ASSERT_FATAL (iolog != NULL && iolog_streams (iolog) == 3);
  CU_ASSERT (iolog_stream_ios (iolog, 0) == 1 && iolog_stream_ios (iolog, 1) == 2 && iolog_stream_ios (iolog, 2) == 0);
  static const char *const wanted[] = { "10", "6 7", "" };
  for (unsigned i = 0; i < 3; i++) {
    g_autofree char *found = arrivals (iolog, i, NULL);
    ROW_CHECK (!strcmp (found, wanted[i]), "stream %u: %s", i, found);
  }
  const IologReplay skip = { .skip = { [IO_SYNC] = TRUE } };
  g_autofree char *skipped = arrivals (iolog, 1, &skip);
  ROW_CHECK (!strcmp (skipped, "6"), "without sync: %s", skipped);
  iolog_unref (iolog);
}

static void test_replay_options (void)
{
  static const char text[] = V3 "1 f add\n1 f open\n" R (11) "21 f write 10000 512\n31 f sync 0 0\n" R (41);
  const IologOptions options = { 0 };
  Iolog *iolog = open_text (text, sizeof text - 1, &options, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (iolog);
  static const struct {
    const char *name;
    IologReplay replay;
    const char *arrivals;
  } row[] = {
    { "half the rate", { .time_scale = 50 }, "20 40 60 80" },
    { "twice the rate", { .time_scale = 200 }, "5 10 15 20" },
    { "no stall", { .no_stall = TRUE }, "0 0 0 0" },
    { "the gap of a skipped line is lost", { .skip = { [IO_SYNC] = TRUE } }, "10 20 30" },
    { "two skipped", { .skip = { [IO_WRITE] = TRUE, [IO_SYNC] = TRUE } }, "10 20" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *found = arrivals (iolog, 0, &row[i].replay);
    ROW_CHECK (!strcmp (found, row[i].arrivals), "%s: %s", row[i].name, found);
  }
  const uint32_t file = 7;
  const IologReplay moved = { .align = 4096, .scale = 2 };
  IologStream *stream = iolog_stream_new (iolog, 0, &file, &moved);
  IoSource *source = iolog_stream_open (stream, NULL);
  Io io;
  CU_ASSERT (source->next (source, &io, NULL) == 1 && source->next (source, &io, NULL) == 1);
  CU_ASSERT (io.file == 7 && io.offset == 4096 && io.length == 512);
  io_source_free (source);
  iolog_stream_free (stream);
  iolog_unref (iolog);
}

static void test_warnings (void)
{
  static const struct {
    const char *name, *text, *warning;
    IologOptions options;
  } row[] = {
    { "cut end", OPENED "1 f read 0 1", "no newline", { 0 } },
    { "CR LF", "fio version 3 iolog\r\n0 f add\r\n0 f open\r\n1 f read 0 1\r\n", "CR LF", { 0 } },
    { "byte order mark", "\xef\xbb\xbf" OPENED "1 f read 0 1\n", "byte order mark", { 0 } },
    { "trailing words", OPENED "1 f read 0 1 more\n", "1 lines have words behind", { 0 } },
    { "zero length", OPENED "1 f read 0 0\n", "1 requests of length 0", { 0 } },
    { "large length", OPENED "1 f trim 0 5000000000\n", "1 lengths of 4 GiB", { 0 } },
    { "syncfs", OPENED "1 f syncfs 0 0\n", "syncfs lines", { 0 } },
    { "wait in version 3", OPENED "1 f wait 5 0\n2 f read 0 1\n", "1 wait lines in a version 3 log", { 0 } },
    { "8 days", OPENED "1 f read 0 1\n700000000000 f read 0 1\n", "span 8.1 days", { 0 } },
    { "long gaps",
      OPENED "1 f read 0 1\n400000000 f read 0 1\n800000000 f read 0 1\n",
      "more than half of the gaps",
      { 0 } },
    { "not with the right unit",
      OPENED "1 f read 0 1\n400000000 f read 0 1\n800000000 f read 0 1\n",
      NULL,
      { .unit = IOLOG_UNIT_NS } },
    { "a clean log", OPENED "1 f read 0 1\n", NULL, { 0 } },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    Iolog *iolog = open_text (row[i].text, strlen (row[i].text), &row[i].options, &error);
    if (ROW_CHECK (iolog, "%s: %s", row[i].name, row_error (error))) {
      const GPtrArray *warnings = iolog_info (iolog)->warnings;
      ROW_CHECK (warnings->len == (row[i].warning ? 1 : 0), "%s: %u warnings", row[i].name, warnings->len);
      ROW_CHECK (!row[i].warning || (warnings->len && strstr (warnings->pdata[0], row[i].warning)), "%s: %s",
                 row[i].name, warnings->len ? (char *) warnings->pdata[0] : "");
      iolog_unref (iolog);
    }
  }
}

/* A log that changes between the first pass and a replay. */
static void test_changed (void)
{
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "log", NULL);
  g_autoptr (GError) error = NULL;
  const IologOptions options = { 0 };
  g_file_set_contents (path, OPENED "1 f read 0 1\n2 f read 0 1\n", -1, NULL);
  Iolog *iolog = open_path (path, &options, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (iolog);
  const uint32_t file = 0;
  IologStream *stream = iolog_stream_new (iolog, 0, &file, NULL);
  CU_ASSERT (truncate (path, 30) == 0);
  CU_ASSERT (iolog_stream_open (stream, &error) == NULL);
  ROW_CHECK (strstr (row_error (error), "changed"), "%s", row_error (error));
  iolog_stream_free (stream);
  iolog_unref (iolog);
  g_unlink (path);
  g_rmdir (directory);
}

static void test_words (void)
{
  IologWait wait;
  IologOrder order;
  IologSegments segments;
  IologUnit unit;
  CU_ASSERT (iolog_wait_parse ("rel-ms", &wait) && wait == IOLOG_WAIT_REL_MS && !iolog_wait_parse ("ms", &wait));
  CU_ASSERT (iolog_order_parse ("segment", &order) && order == IOLOG_ORDER_SEGMENT && !iolog_order_parse ("", &order));
  CU_ASSERT (iolog_segments_parse ("first", &segments) && segments == IOLOG_SEGMENTS_FIRST);
  CU_ASSERT (iolog_unit_parse ("ns", &unit) && unit == IOLOG_UNIT_NS && !iolog_unit_parse ("s", &unit));
  CU_ASSERT_STRING_EQUAL (iolog_segments_name (IOLOG_SEGMENTS_PARALLEL), "parallel");
}

void register_iolog_tests (void);
void register_iolog_tests (void)
{
  static CU_TestInfo tests[] = {
    { "lines", test_lines },
    { "what is wrong with a line", test_problems },
    { "table of names", test_name_table },
    { "sample files", test_samples },
    { "broken files", test_broken_files },
    { "rules", test_rules },
    { "limits", test_limits },
    { "arrivals", test_times },
    { "logs in parallel", test_parallel },
    { "replay options", test_replay_options },
    { "warnings", test_warnings },
    { "a log that changes", test_changed },
    { "words of the command line", test_words },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "iolog", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
