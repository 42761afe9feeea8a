/*
 * Traces of all formats: the sample files with their exact facts, block traces in both byte orders and as sets, the
 * text of blkparse, statistics.
 */
#include "src/input/block_trace.h"
#include "src/input/fio_log.h"
#include "src/input/fio_log_row.h"
#include "src/input/input.h"
#include "src/input/trace_statistics.h"
#include "tests/row.h"
#include <glib/gstdio.h>
#include <string.h>

#define DATA(name) TEST_DATA_DIR "/" name

static Trace *open_path (const char *path, gboolean lenient, GError **error)
{
  const char *paths[] = { path, NULL };
  InputOptions options;
  input_options_init (&options);
  options.lenient = lenient;
  return input_open_trace (paths, &options, NULL, error);
}

/* A number of the trace by its key in JSON; G_MAXUINT64 if there is none. */
static uint64_t fact (const Trace *trace, const char *key)
{
  const TraceInfo *info = &trace->info;
  const struct {
    const char *key;
    uint64_t number;
  } rows[] = {
    { "reads", info->reads },       { "read_bytes", info->read_bytes },
    { "writes", info->writes },     { "write_bytes", info->write_bytes },
    { "trims", info->trims },       { "trim_bytes", info->trim_bytes },
    { "syncs", info->syncs },       { "files", info->files },
    { "max_end", info->max_end },   { "first_ns", info->first_ns },
    { "span_ns", info->span_ns },   { "back_steps", info->back_steps },
    { "segments", info->segments }, { "skipped", info->skipped },
    { "ios", trace->ios },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!strcmp (rows[i].key, key)) {
      return rows[i].number;
    }
  }
  for (unsigned i = 0; i < info->facts->len; i++) {
    const TraceFact *row = &g_array_index (info->facts, TraceFact, i);
    if (!strcmp (row->key, key)) {
      return row->number;
    }
  }
  return G_MAXUINT64;
}

/* "reads=78 syncs=59 ...", each of which must hold. */
static void check_facts (const char *name, const Trace *trace, const char *wanted)
{
  g_auto (GStrv) words = g_strsplit (wanted, " ", -1);
  for (char **word = words; *word; word++) {
    char *equals = strchr (*word, '=');
    CU_ASSERT_FATAL (equals != NULL);
    *equals = '\0';
    const uint64_t found = fact (trace, *word), expected = g_ascii_strtoull (equals + 1, NULL, 10);
    ROW_CHECK (found == expected, "%s: %s is %" G_GUINT64_FORMAT ", expected %" G_GUINT64_FORMAT, name, *word, found,
               expected);
  }
}

/* ---- samples: the facts in the notes they came with ---- */

#define MIX                                                                                                    \
  "reads=78 read_bytes=389120 writes=129 write_bytes=659456 trims=0 syncs=59 files=2 adds=2 opens=2 closes=2 " \
  "lines=273 segments=1 back_steps=0 skipped=0 max_end=524288"
#define QUEUE                                                                                        \
  "reads=2 read_bytes=4608 writes=3 write_bytes=16384 trims=1 trim_bytes=1048576 syncs=2 flushes=2 " \
  "zero_length=1 records=15 notifications=2 completions=2 errors=0 files=2 first_ns=1000000 "        \
  "span_ns=3000999 max_end=8998130057216 skipped=0 back_steps=0"

static void test_samples (void)
{
  static const struct {
    const char *name, *path;
    gboolean lenient;
    const char *format, *facts, *sizes;
  } row[] = {
    { "a v3 log", DATA ("traces/uring_mix.iolog"), FALSE, "iolog-v3",
      MIX " first_ns=24000 last_ns=14581000 first_io_ns=982000", "4096x168 8192x33 16384x4 12288x2" },
    { "the same without times", DATA ("traces/uring_mix_v2.iolog"), FALSE, "iolog-v2", MIX " first_ns=0 span_ns=0",
      "4096x168 8192x33 16384x4 12288x2" },
    { "two logs in one file, gzip", DATA ("traces/trim_then_datasync.iolog.gz"), FALSE, "iolog-v3",
      "lines=163 segments=2 trims=64 trim_bytes=262144 writes=80 write_bytes=327328 syncs=8 datasyncs=8 files=3 "
      "back_steps=1 first_ns=25000 last_ns=94535000",
      NULL },
    { "a torn log, lenient", DATA ("traces/shared_torn.iolog"), TRUE, "iolog-v3",
      "lines=776 writes=767 write_bytes=3141632 skipped=2 files=2 segments=2", "4096x767" },
    { "a block trace: queued requests, flush with data as both, zero bytes left out",
      DATA ("traces/queue.blktrace.bin"), FALSE, "blktrace",
      QUEUE " latencies=3 latency_max_ns=500000 latency_min_ns=348500 services=1 service_mean_ns=496000",
      "4096x3 512x1 8192x1 1048576x1" },
    { "a log of completion latencies", DATA ("traces/uring_mix_clat.1.log"), FALSE, "fio-log",
      "rows=207 reads=78 read_bytes=389120 writes=129 write_bytes=659456 trims=0 syncs=0 first_ns=0 span_ns=12000000 "
      "value_min_ns=1224 value_max_ns=772984 value_sum_ns=49889012 repeats=32",
      "4096x168 8192x33 16384x4 12288x2" },
    { "a log of submission latencies", DATA ("traces/uring_mix_slat.1.log"), FALSE, "fio-log",
      "rows=207 reads=78 read_bytes=389120 writes=129 write_bytes=659456 value_min_ns=1148 value_max_ns=366757 "
      "value_sum_ns=6768263",
      NULL },
    { "a block trace with a record of another version, lenient", DATA ("bad/b11_version6.bin"), TRUE, "blktrace",
      "writes=3 write_bytes=12288 reads=1 read_bytes=4096 skipped=1", "4096x4" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_path (row[i].path, row[i].lenient, &error);
    if (!ROW_CHECK (trace, "%s: %s", row[i].name, row_error (error))) {
      continue;
    }
    ROW_CHECK (!strcmp (trace->info.format, row[i].format), "%s: %s", row[i].name, trace->info.format);
    check_facts (row[i].name, trace, row[i].facts);
    g_autoptr (TraceStatistics) statistics = trace_statistics_new (trace, &error);
    ROW_CHECK (statistics && statistics->ios == trace->ios, "%s: %s", row[i].name, row_error (error));
    GString *sizes = g_string_new (NULL);
    for (unsigned k = 0; statistics && k < statistics->sizes->len; k++) {
      const TraceSize *size = &g_array_index (statistics->sizes, TraceSize, k);
      g_string_append_printf (sizes, "%s%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT, k ? " " : "", size->bytes, size->n);
    }
    ROW_CHECK (!row[i].sizes || !strcmp (sizes->str, row[i].sizes), "%s: sizes %s", row[i].name, sizes->str);
    g_string_free (sizes, TRUE);
  }
}

/* ---- requests as text ---- */

/* "ARRIVAL:FILE:OP:OFFSET+LENGTH ..." of all requests. */
static char *requests (const Trace *trace)
{
  GString *all = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  IoSource *source = trace->open (trace, &error);
  Io io;
  int more = -1;
  while (source && (more = source->next (source, &io, &error)) > 0) {
    g_string_append_printf (all, "%s%" G_GUINT64_FORMAT ":%s:%s:%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT,
                            all->len ? " " : "", io.arrival, trace->files.name[io.file].text, io_op_name (io.op),
                            io.offset, io.length);
  }
  ROW_CHECK (more == 0, "%s", row_error (error));
  io_source_free (source);
  return g_string_free (all, FALSE);
}

#define QUEUE_REQUESTS                                                                                        \
  "0:8,0:read:1048576+4096 250000:8,0:write:2097152+8192 251500:8,0:write:2105344+4096 1000000:8,0:sync:0+0 " \
  "1500000:8,0:trim:4398046511104+1048576 2000000:8,0:sync:0+0 2000000:8,0:write:8998130053120+4096 "         \
  "3000999:8,16:read:6320640+512"

static Trace *open_block (const char *bytes, gsize len, gboolean text, gboolean lenient, BlockArrival arrival,
                          GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("m", bytes, len, error);
  Trace *trace = source ? block_trace_open (&source, 1, text, lenient, arrival, error) : NULL;
  byte_source_unref (source);
  return trace;
}

/* Turns the byte order of every field around. */
static void swap_records (char *bytes, gsize len)
{
  static const unsigned sizes[] = { 4, 4, 8, 8, 4, 4, 4, 4, 4, 2, 2 };
  gsize at = 0;
  while (at + 48 <= len) {
    const unsigned payload = (unsigned char) bytes[at + 46] | (unsigned) (unsigned char) bytes[at + 47] << 8;
    for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
      for (unsigned k = 0; k < sizes[i] / 2; k++) {
        const char byte = bytes[at + k];
        bytes[at + k] = bytes[at + sizes[i] - 1 - k];
        bytes[at + sizes[i] - 1 - k] = byte;
      }
      at += sizes[i];
    }
    at += payload;
  }
}

static void test_byte_orders (void)
{
  g_autofree char *bytes = NULL;
  gsize len;
  CU_ASSERT_FATAL (g_file_get_contents (DATA ("traces/queue.blktrace.bin"), &bytes, &len, NULL));
  for (unsigned big = 0; big < 2; big++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_block (bytes, len, FALSE, FALSE, BLOCK_EVENT_QUEUE, &error);
    if (ROW_CHECK (trace, "big endian %u: %s", big, row_error (error))) {
      g_autofree char *found = requests (trace);
      check_facts (big ? "big endian" : "little endian", trace, QUEUE);
      ROW_CHECK (!strcmp (found, QUEUE_REQUESTS), "big endian %u: %s", big, found);
    }
    swap_records (bytes, len);
  }
}

/* One file for each CPU: merged by time, whatever the order of the arguments. */
static void test_sets (void)
{
  g_autofree char *bytes = NULL, *directory = g_dir_make_tmp ("uringsim-XXXXXX", NULL);
  gsize len;
  CU_ASSERT_FATAL (g_file_get_contents (DATA ("traces/queue.blktrace.bin"), &bytes, &len, NULL));
  GString *part[3] = { g_string_new (NULL), g_string_new (NULL), g_string_new (NULL) };
  unsigned n = 0;
  for (gsize at = 0; at < len; n++) {
    const gsize size = 48 + (gsize) (unsigned char) bytes[at + 46];
    g_string_append_len (part[n % 3], bytes + at, (gssize) size);
    at += size;
  }
  char *path[3];
  for (unsigned i = 0; i < 3; i++) {
    path[i] = g_strdup_printf ("%s/t.blktrace.%u", directory, i);
    CU_ASSERT (g_file_set_contents (path[i], part[i]->str, (gssize) part[i]->len, NULL));
    g_string_free (part[i], TRUE);
  }
  const char *paths[] = { path[2], DATA ("traces/uring_mix.iolog"), path[0], path[1], NULL };
  g_autoptr (GPtrArray) groups = input_group_paths (paths);
  CU_ASSERT_FATAL (groups->len == 2);
  CU_ASSERT (g_strv_length (groups->pdata[0]) == 3 && g_strv_length (groups->pdata[1]) == 1);
  InputOptions options;
  input_options_init (&options);
  g_autoptr (GError) error = NULL;
  g_autoptr (Trace) trace = input_open_trace (groups->pdata[0], &options, NULL, &error);
  if (ROW_CHECK (trace, "%s", row_error (error))) {
    g_autofree char *found = requests (trace);
    check_facts ("set", trace, QUEUE);
    ROW_CHECK (!strcmp (found, QUEUE_REQUESTS), "set: %s", found);
  }
  for (unsigned i = 0; i < 3; i++) {
    g_unlink (path[i]);
    g_free (path[i]);
  }
  g_rmdir (directory);
}

/* ---- broken records ---- */

static void test_broken_records (void)
{
  g_autofree char *bytes = NULL;
  gsize len;
  CU_ASSERT_FATAL (g_file_get_contents (DATA ("traces/queue.blktrace.bin"), &bytes, &len, NULL));
  static const struct {
    const char *name;
    unsigned at, value; /* a byte that is changed; at 0: none */
    unsigned cut;       /* bytes cut off at the end */
    const char *strict; /* part of the message, NULL: fine */
    const char *lenient;
  } row[] = {
    { "a cut last record is left out", 0, 0, 10, NULL, "reads=1 skipped=0" },
    { "a record whose payload is cut is left out", 0, 0, 754 - 270, NULL, "reads=1 records=4" },
    { "another version", 120, 6, 0, "m:+120: record of version 6; expected 7", "reads=1 skipped=1" },
    { "no magic: the next record that has one is read", 121, 'x', 0, "m:+120: record starts with 07 78 61 65",
      "reads=1 writes=3 skipped=1" },
    { "a sector beyond 2^63 bytes", 120 + 23, 0x80, 0, "m:+120: sector or time beyond", "reads=1 skipped=1" },
    { "a time beyond 2^63", 120 + 15, 0x80, 0, "m:+120: sector or time beyond", "reads=1 skipped=1" },
    { "a cgroup id before the payload: the action is the same", 120 + 29, 1, 0, NULL, "reads=2 skipped=0" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    for (unsigned lenient = 0; lenient < 2; lenient++) {
      g_autofree char *changed = g_memdup2 (bytes, len);
      g_autoptr (GError) error = NULL;
      if (row[i].at) {
        changed[row[i].at] = (char) row[i].value;
      }
      g_autoptr (Trace) trace = open_block (changed, len - row[i].cut, FALSE, lenient, BLOCK_EVENT_QUEUE, &error);
      if (row[i].strict && !lenient) {
        ROW_CHECK (!trace && strstr (row_error (error), row[i].strict), "%s: %s", row[i].name, row_error (error));
      } else if (ROW_CHECK (trace, "%s, lenient %u: %s", row[i].name, lenient, row_error (error))) {
        check_facts (row[i].name, trace, row[i].lenient);
        ROW_CHECK (!row[i].cut || trace->info.warnings->len >= 1, "%s: no warning", row[i].name);
        ROW_CHECK (trace->info.n_defects == trace->info.skipped, "%s: defects", row[i].name);
      }
    }
  }
}

/* ---- blkparse ---- */

#define LINE(time, action_and_range) "  8,0    1        4     0." time "  4242  " action_and_range "\n"

static void test_blkparse_lines (void)
{
  static const struct {
    const char *rule, *text;
    gboolean issue;
    const char *requests; /* NULL: refused */
    const char *message;
  } row[] = {
    { "sectors are 512 bytes", LINE ("000000001", "Q  WS 4096 + 16 [fio]"), FALSE, "0:8,0:write:2097152+8192", NULL },
    { "arrivals count from the first request",
      LINE ("000001000", "Q   R 0 + 8 [fio]") LINE ("000003500", "Q   R 8 + 8 [fio]"), FALSE,
      "0:8,0:read:0+4096 2500:8,0:read:4096+4096", NULL },
    { "an empty flush has no sector", LINE ("000000001", "Q  FN [fio]"), FALSE, "0:8,0:sync:0+0", NULL },
    { "a flush without other letters", LINE ("000000001", "Q  FW [fio]"), FALSE, "0:8,0:sync:0+0", NULL },
    { "a flush with data is both", LINE ("000000001", "Q FWFS 8 + 8 [jbd2/sda1-8]"), FALSE,
      "0:8,0:sync:0+0 0:8,0:write:4096+4096", NULL },
    { "FUA is no flush", LINE ("000000001", "Q WFS 8 + 8 [x]"), FALSE, "0:8,0:write:4096+4096", NULL },
    { "a discard", LINE ("000000001", "Q   D 8 + 8 [x]"), FALSE, "0:8,0:trim:4096+4096", NULL },
    { "a command with blanks and brackets", LINE ("000000001", "Q   R 8 + 8 [a [b] c]"), FALSE, "0:8,0:read:4096+4096",
      NULL },
    { "only what is queued counts",
      LINE ("000000001", "G   R 8 + 8 [x]") LINE ("000000002", "P   N [x]") LINE ("000000003", "Q   R 8 + 8 [x]")
          LINE ("000000004", "U   N [x] 3") LINE ("000000005", "UT  N [x] 1") LINE ("000000006", "D   R 8 + 8 [x]")
              LINE ("000000007", "C   R 8 + 8 [0]") LINE ("000000008", "m   N message + text"),
      FALSE, "0:8,0:read:4096+4096", NULL },
    { "issued requests on demand: merged as the driver saw them",
      LINE ("000000001", "Q   R 8 + 8 [x]") LINE ("000000002", "Q   R 16 + 8 [x]")
          LINE ("000000003", "M   R 16 + 8 [x]") LINE ("000000009", "D   R 8 + 16 [x]"),
      TRUE, "0:8,0:read:4096+8192", NULL },
    { "the summary is not read", LINE ("000000001", "Q   R 8 + 8 [x]") "CPU0 (8,0):\n Reads Queued: 1\n", FALSE,
      "0:8,0:read:4096+4096", NULL },
    { "the summary of all", LINE ("000000001", "Q   R 8 + 8 [x]") "\nTotal (8,0):\nrubbish\n", FALSE,
      "0:8,0:read:4096+4096", NULL },
    { "time does not go back", LINE ("000005000", "Q   R 8 + 8 [x]") LINE ("000004000", "Q   R 8 + 8 [x]"), FALSE,
      "0:8,0:read:4096+4096 0:8,0:read:4096+4096", NULL },
    { "no device", "8 0 1 0.000000001 1 Q R 8 + 8 [x]\n", FALSE, NULL, "m:1: found \"8 0 1" },
    { "time without nanoseconds", "8,0 0 1 0.001 1 Q R 8 + 8 [x]\n", FALSE, NULL, "nine digits" },
    { "an action that does not exist", LINE ("000000001", "Z   R 8 + 8 [x]"), FALSE, NULL, "expected an action" },
    { "no direction", LINE ("000000001", "Q   8 + 8 [x]"), FALSE, NULL, "expected letters" },
    { "a sector without a length", LINE ("000000001", "Q   R 8 [x]"), FALSE, NULL, "expected SECTOR + SECTORS" },
    { "a range beyond 2^63 bytes", LINE ("000000001", "Q   R 18014398509481983 + 8 [x]"), FALSE, NULL,
      "expected SECTOR + SECTORS" },
    { "completions alone are no requests", LINE ("000000001", "C   R 8 + 8 [0]"), FALSE, NULL,
      "no request in 1 lines" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_block (row[i].text, strlen (row[i].text), TRUE, FALSE,
                                          row[i].issue ? BLOCK_EVENT_ISSUE : BLOCK_EVENT_QUEUE, &error);
    if (!row[i].requests) {
      ROW_CHECK (!trace && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    } else if (ROW_CHECK (trace, "%s: %s", row[i].rule, row_error (error))) {
      g_autofree char *found = requests (trace);
      ROW_CHECK (!strcmp (found, row[i].requests), "%s: %s", row[i].rule, found);
    }
  }
}

static void test_latencies (void)
{
  static const struct {
    const char *rule, *text, *facts;
  } row[] = {
    { "from queue and from issue to completion",
      LINE ("000001000", "Q   R 8 + 8 [x]") LINE ("000003000", "D   R 8 + 8 [x]") LINE ("000010000", "C   R 8 + 8 [0]"),
      "latencies=1 latency_mean_ns=9000 services=1 service_mean_ns=7000 max_in_flight=1 completions=1 errors=0" },
    { "merged requests complete together",
      LINE ("000001000", "Q   R 8 + 8 [x]") LINE ("000002000", "Q   R 16 + 8 [x]")
          LINE ("000010000", "C   R 8 + 16 [0]"),
      "latencies=2 latency_mean_ns=8500 latency_min_ns=8000 latency_max_ns=9000 max_in_flight=2" },
    { "one merged in front, too",
      LINE ("000001000", "Q   R 16 + 8 [x]") LINE ("000002000", "Q   R 8 + 8 [x]")
          LINE ("000010000", "C   R 8 + 16 [0]"),
      "latencies=2 latency_min_ns=8000 latency_max_ns=9000" },
    { "the same sector of another device is another request",
      LINE ("000001000", "Q   R 8 + 8 [x]") "  8,1 0 1 0.000002000 1 C R 8 + 8 [0]\n" LINE ("000005000",
                                                                                            "C   R 8 + 8 [-5]"),
      "latencies=1 latency_mean_ns=4000 completions=2 errors=1" },
    { "an error code stands on its own line",
      LINE ("000001000", "Q   R 8 + 8 [x]") LINE ("000003000", "C   R 8 + 8 [") "8,0 0 1 0.000004000 1 Q R 8 + 8 [x]\n",
      "completions=1 errors=0" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_block (row[i].text, strlen (row[i].text), TRUE, FALSE, BLOCK_EVENT_QUEUE, &error);
    if (ROW_CHECK (trace, "%s: %s", row[i].rule, row_error (error))) {
      check_facts (row[i].rule, trace, row[i].facts);
    }
  }
}

/* ---- logs of fio ---- */

static void test_log_columns (void)
{
  static const struct {
    const char *rule, *line, *forms; /* forms that fit, "" for none; NULL: refused */
  } row[] = {
    { "four columns: fio before 3.18", "0, 100, 0, 4096", "none" },
    { "a fifth above 1 is an offset", "0, 100, 1, 4096, 8192", "offset" },
    { "a fifth of 0 or 1 may be the priority flag", "0, 100, 1, 4096, 1", "offset prio" },
    { "hexadecimal is a priority", "0, 100, 1, 4096, 0x4001", "prio" },
    { "six columns with an offset", "0, 306705, 0, 4096, 438272, 0", "offset+prio" },
    { "six columns with an issue time", "0, 306705, 0, 4096, 0, 123456", "prio+issue" },
    { "the maximum of a window is at least its mean", "500, 100, 200, 1, 0, 0", "max+prio" },
    { "the maximum of a window is not below its mean", "500, 200, 100, 1, 0, 0", "" },
    { "seven columns", "0, 100, 2, 4096, 8192, 0, 55555", "offset+prio+issue" },
    { "seven columns with a maximum", "500, 100, 200, 1, 0, 0, 0x4001", "max+offset+prio" },
    { "eight columns", "500, 100, 200, 1, 0, 0, 0, 0", "max+offset+prio+issue" },
    { "no direction 3", "0, 100, 3, 4096", "" },
    { "blanks and tabs do not matter", " 0 ,100,\t0 , 4096 ", "none" },
    { "three columns", "0, 100, 0", NULL },
    { "nine columns: a histogram", "0, 0, 4096, 0, 0, 0, 0, 0, 0", NULL },
    { "a sign", "0, -1, 0, 4096", NULL },
    { "beyond 64 bits", "0, 18446744073709551616, 0, 4096", NULL },
    { "a comma at the end", "0, 100, 0, 4096,", NULL },
    { "no comma", "0, 100, 0 4096", NULL },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    FioLogColumns columns;
    const char *expected = fio_log_parse (row[i].line, (unsigned) strlen (row[i].line), &columns);
    if (!ROW_CHECK (!expected == !!row[i].forms, "%s: %s", row[i].rule, expected ? expected : "taken") || expected) {
      continue;
    }
    const unsigned mask = fio_log_forms (&columns);
    GString *forms = g_string_new (NULL);
    for (unsigned k = 0; k < FIO_LOG_FORMS; k++) {
      if (mask >> k & 1) {
        g_string_append_printf (forms, "%s%s", forms->len ? " " : "", fio_log_form_name (k));
      }
    }
    ROW_CHECK (!strcmp (forms->str, row[i].forms), "%s: \"%s\"", row[i].rule, forms->str);
    g_string_free (forms, TRUE);
  }
}

static Trace *open_log (const char *name, const char *text, gboolean lenient, unsigned columns, GError **error)
{
  ByteSource *source = byte_source_new_from_memory (name, text, strlen (text), error);
  Trace *trace = source ? fio_log_open (source, lenient, columns, error) : NULL;
  byte_source_unref (source);
  return trace;
}

static void test_logs (void)
{
  enum { AUTO = 0, OFFSET = 2, PRIO = 3 };
  static const struct {
    const char *rule, *name, *text;
    unsigned columns;
    const char *requests; /* NULL: refused with `message`; "-": not replayed, with it */
    const char *message;
  } row[] = {
    { "a request arrives its latency before its completion, which is in the middle of a millisecond", "d/j_lat.1.log",
      "1, 400000, 0, 4096, 8192, 0\n", AUTO, "1100000:d/j:read:8192+4096", NULL },
    { "requests come in the order of their arrival, not of their completion", "j_clat.1.log",
      "1, 100000, 0, 512, 512, 0\n1, 900000, 1, 512, 1024, 0\n", AUTO, "600000:j:write:1024+512 1400000:j:read:512+512",
      NULL },
    { "of equal arrivals the earlier line is first", "j_clat.1.log", "1, 5, 0, 512, 512, 0\n1, 5, 1, 512, 1024, 0\n",
      AUTO, "1499995:j:read:512+512 1499995:j:write:1024+512", NULL },
    { "an issue time is exact", "j_clat.1.log", "9, 77, 2, 512, 512, 0, 123456\n", AUTO, "123456:j:trim:512+512",
      NULL },
    { "a latency longer than the time begins at 0", "j_lat.1.log", "0, 700000, 0, 512, 512, 0\n", AUTO,
      "0:j:read:512+512", NULL },
    { "a bandwidth of one request tells its latency", "j_bw.1.log", "1, 28036, 0, 4096, 512, 0\n", AUTO,
      "1353903:j:read:512+4096", NULL },
    { "one line decides the columns of all", "j_lat.1.log", "0, 1, 0, 512, 0\n0, 1, 0, 512, 512\n", AUTO,
      "499999:j:read:0+512 499999:j:read:512+512", NULL },
    { "what may be offset or priority is asked for", "j_lat.1.log", "0, 1, 0, 512, 0\n0, 1, 0, 512, 1\n", AUTO, NULL,
      "may be offset or prio; expected --log-columns" },
    { "and taken as said", "j_lat.1.log", "0, 1, 0, 512, 0\n0, 1, 0, 512, 1\n", OFFSET,
      "499999:j:read:0+512 499999:j:read:1+512", NULL },
    { "without offsets there is nothing to replay", "j_lat.1.log", "0, 1, 0, 512, 0\n", PRIO, "-",
      "without offsets cannot be replayed" },
    { "an averaged log holds no requests", "j_lat.1.log", "500, 1, 0, 0, 0\n1000, 1, 1, 0, 0\n", AUTO, "-",
      "averaged log" },
    { "an averaged log with maxima", "j_lat.1.log", "500, 1, 3, 1, 0, 0\n", AUTO, "-", "averaged log" },
    { "a line of other columns", "j_lat.1.log", "0, 1, 0, 512, 512, 0\n0, 1, 0, 512\n", AUTO, NULL,
      "j_lat.1.log:2: found \"0, 1, 0, 512\"; expected the columns of the other lines" },
    { "an end beyond 2^63", "j_lat.1.log", "0, 1, 0, 512, 9223372036854775807, 0\n", AUTO, NULL,
      "offset plus size below 2^63" },
    { "a time beyond 292 years", "j_lat.1.log", "9223372036854775, 1, 0, 512, 512, 0\n", AUTO, NULL,
      "times below 2^63 ns" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_log (row[i].name, row[i].text, FALSE, row[i].columns, &error);
    if (!row[i].requests) {
      ROW_CHECK (!trace && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    } else if (!ROW_CHECK (trace, "%s: %s", row[i].rule, row_error (error))) {
      continue;
    } else if (!strcmp (row[i].requests, "-")) {
      ROW_CHECK (trace->refusal && strstr (trace->refusal, row[i].message), "%s: %s", row[i].rule, trace->refusal);
    } else {
      g_autofree char *found = requests (trace);
      ROW_CHECK (!strcmp (found, row[i].requests) && !trace->refusal, "%s: %s", row[i].rule, found);
    }
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (Trace) trace =
      open_log ("j_lat.1.log", "0, 1, 0, 512, 512, 0\nrubbish\n\n0, 1, 0, 512\n0, 2, 1, 512, 0, 1", TRUE, 0, &error);
  if (ROW_CHECK (trace, "%s", row_error (error))) {
    check_facts ("lenient", trace, "rows=2 skipped=2 reads=1 writes=1 value_sum_ns=3");
    CU_ASSERT (trace->info.defects->len == 2 && trace->info.warnings->len == 1);
  }
}

/* ---- as a workload ---- */

static void test_workload (void)
{
  static const char text[] = LINE ("000001000", "Q   R 8 + 8 [x]") LINE ("000003000", "Q   W 16 + 8 [x]");
  g_autofree char *directory = g_dir_make_tmp ("uringsim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "b.txt", NULL);
  CU_ASSERT (g_file_set_contents (path, text, -1, NULL));
  const char *paths[] = { path, NULL };
  InputOptions options;
  input_options_init (&options);
  options.time_scale = 50;
  g_autoptr (GError) error = NULL;
  Workload *workload = input_open (paths, &options, &error);
  if (ROW_CHECK (workload, "%s", row_error (error))) {
    const WorkloadJob *job = workload->jobs->pdata[0];
    const WorkloadFile *file = workload->files->pdata[0];
    CU_ASSERT (workload->has_times && job->direct && job->source_ios == 2 && job->trims_at == NULL);
    CU_ASSERT (file->size == 24 * 512 && !strcmp (file->name, "8,0"));
    IoSource *source = workload_open_job (workload, job, 1, &error);
    Io io;
    CU_ASSERT_FATAL (source != NULL);
    CU_ASSERT (source->next (source, &io, &error) == 1 && io.op == IO_READ && io.arrival == 0);
    CU_ASSERT (source->next (source, &io, &error) == 1 && io.op == IO_WRITE && io.arrival == 4000);
    CU_ASSERT (source->next (source, &io, &error) == 0);
    io_source_free (source);
  }
  workload_free (workload);
  g_unlink (path);
  g_rmdir (directory);
}

void register_trace_tests (void);
void register_trace_tests (void)
{
  static CU_TestInfo tests[] = {
    { "samples", test_samples },
    { "byte orders", test_byte_orders },
    { "sets of files", test_sets },
    { "broken records", test_broken_records },
    { "lines of blkparse", test_blkparse_lines },
    { "latencies of block traces", test_latencies },
    { "columns of fio's logs", test_log_columns },
    { "logs of fio", test_logs },
    { "a block trace as a workload", test_workload },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "trace", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
