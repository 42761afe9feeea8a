/*
 * Command-line options; see options.h.  OPTION_TABLE is the one place that knows them: parsing, ranges, suggestions and
 * help all come from it.
 */
#include "src/command/options.h"
#include "model/kernel_version.h"
#include "model/key_file.h"
#include "model/simulation.h"
#include "model/suggest.h"
#include "src/command/picture.h"
#include "src/input/fio_log.h"
#include "src/output/escape.h"
#include "src/output/event_log.h"
#include "src/output/trace_writer.h"
#include <stddef.h>
#include <string.h>

G_DEFINE_QUARK (uringsim - options - error - quark, options_error)

enum {
  SIMULATES = USER_RUN | USER_COMPARE,
  CHARTS = USER_CHART | USER_DEPTH,
  TRIES = SIMULATES | CHARTS | USER_SEARCH | USER_EXPLAIN,
  READS = TRIES | USER_TRACE | USER_CONVERT | USER_CUT,
  REPEATS = USER_RUN | USER_COMPARE | USER_REPRODUCE | USER_SEARCH | USER_DEPTH,
  ANYBODY = USER_RUN | USER_COMPARE | USER_REPRODUCE | USER_LIST | USER_SHOW | USER_VALIDATE | USER_CALIBRATE |
            USER_POLICY | USER_SEARCH | USER_TRACE | USER_CONVERT | USER_CUT | USER_DRAW | CHARTS | USER_EXPLAIN | USER_CHECK,
  REPORTS = ANYBODY & ~(USER_CONVERT | USER_CUT | USER_DRAW | CHARTS),
};

enum { PERCENT_MAX = 1000000 }; /* of the thresholds of validate */

typedef enum {
  TYPE_FLAG,     /* gboolean TRUE; `low` is the value stored in an int if `choices` is "value" */
  TYPE_COUNT,    /* unsigned: how often it is given */
  TYPE_VALUE,    /* int: stores `low` */
  TYPE_STRING,   /* char * */
  TYPE_LIST,     /* GPtrArray of char *, commas split */
  TYPE_COLLECT,  /* GPtrArray of char *, as given */
  TYPE_ENGINES,  /* GArray of ApplicationEngine */
  TYPE_UNSIGNED, /* unsigned, low..high */
  TYPE_UINT64,   /* uint64_t, low..high */
  TYPE_KERNEL,   /* unsigned, KERNEL (major, minor) */
  TYPE_FIO,      /* the same of fio, low..high */
  TYPE_TIME,     /* UrTime with a unit */
  TYPE_CHOICE,   /* int (an enum): index in `choices` */
  TYPE_RING,     /* RingChoice: --ring */
  TYPE_SQE,      /* RingChoice: --sqe */
} OptionType;

typedef struct {
  const char *name;
  char letter; /* 0: none */
  OptionType type;
  size_t offset;  /* in Options */
  unsigned users; /* OptionUser bits */
  uint64_t low, high;
  const char *choices;  /* "a|b|c" */
  const char *argument; /* for help */
  const char *help;
} OptionRow;

#define AT(member) offsetof (Options, member)

static const OptionRow option_table[] = {
  { "policy", 0, TYPE_LIST, AT (policies), SIMULATES | CHARTS | USER_EXPLAIN | USER_VALIDATE | USER_CALIBRATE, 0, 0,
    NULL, "NAME|FILE[,...]", "punting policy, a shipped one or a file (default " OPTIONS_DEFAULT_POLICY ")" },
  { "kernel", 0, TYPE_KERNEL, AT (kernel), TRIES | USER_VALIDATE | USER_CALIBRATE, 0, 0, NULL, "MAJOR.MINOR",
    "kernel version instead of the policy's" },
  { "engine", 0, TYPE_ENGINES, AT (engines), SIMULATES | CHARTS | USER_EXPLAIN, 0, 0, NULL, "NAME[,...]",
    "io_uring, libaio, psync or posixaio instead of the job's own" },
  { "no-baseline", 0, TYPE_FLAG, AT (no_baseline), USER_COMPARE, 0, 0, NULL, NULL,
    "do not add psync as the reference row" },
  { "machine", 0, TYPE_STRING, AT (machine), TRIES | USER_VALIDATE, 0, 0, NULL, "NAME|FILE",
    "machine with all costs (default " OPTIONS_DEFAULT_MACHINE ")" },
  { "fs", 0, TYPE_STRING, AT (fs), TRIES | USER_VALIDATE | USER_CALIBRATE, 0, 0, NULL, "NAME|FILE",
    "file system (default " OPTIONS_DEFAULT_FS ")" },
  { "device", 0, TYPE_STRING, AT (device), TRIES | USER_VALIDATE | USER_CALIBRATE, 0, 0, NULL, "NAME|FILE",
    "block device below the file system (default " OPTIONS_DEFAULT_DEVICE "; validate: " OPTIONS_CAPTURE_DEVICE ")" },
  { "base", 0, TYPE_STRING, AT (base), USER_CALIBRATE, 0, 0, NULL, "NAME|FILE",
    "machine whose values are fitted (default " OPTIONS_DEFAULT_MACHINE ")" },
  { "parameter", 0, TYPE_COLLECT, AT (parameters), USER_CALIBRATE, 0, 0, NULL, "KEY[=LOW..HIGH]",
    "a machine value to fit instead of the default set, e.g. CPU.Syscall; may be repeated" },
  { "use", 0, TYPE_COLLECT, AT (use), USER_CALIBRATE, 0, 0, NULL, "GLOB|LIST",
    "results to fit to, by name or number (1,4-6); the others are predicted (default: all are used)" },
  { "measure", 0, TYPE_STRING, AT (measure), USER_CALIBRATE, 0, 0, NULL, "DIRECTORY",
    "run the calibration jobs with fio there and write throughput records" },
  { "experiment", 0, TYPE_STRING, AT (experiment), USER_CALIBRATE, 0, 0, NULL, "NAME|FILE",
    "fit the Fitted= keys of an experiment to its published rows, with and without each row" },
  { "leave-one-out", 0, TYPE_FLAG, AT (leave_one_out), USER_CALIBRATE, 0, 0, NULL, NULL,
    "fit again without each of the results used" },
  { "within", 0, TYPE_UNSIGNED, AT (within), USER_CALIBRATE, 2, 100, NULL, "FACTOR",
    "fit values that the results tell within this factor either way, 95 % (default 2)" },
  { "absolute", 0, TYPE_FLAG, AT (absolute), USER_CALIBRATE, 0, 0, NULL, NULL,
    "compare rates, not their ratios to psync" },
  { "set", 0, TYPE_COLLECT, AT (set), REPEATS | USER_CHART | USER_EXPLAIN | USER_SHOW | USER_VALIDATE | USER_CALIBRATE,
    0, 0, NULL, "KEY=VALUE", "change one value of the machine or device, e.g. CPU.Count=4, noise=0, Read.Time=90000" },
  { "cpus", 0, TYPE_UNSIGNED, AT (cpus), TRIES | USER_VALIDATE | USER_CALIBRATE, 1, 1024, NULL, "N",
    "number of CPUs instead of the machine's" },
  { "iodepth", 0, TYPE_UNSIGNED, AT (iodepth), TRIES | USER_CHECK, 1, FIO_JOB_DEPTH_LIMIT, NULL, "N",
    "requests in flight instead of the job's (default for a trace 32)" },
  { "depths", 0, TYPE_LIST, AT (depths), USER_DEPTH, 0, 0, NULL, "N[,...]",
    "requests in flight, increasing (default 1,2,4,...,128)" },
  { "sqpoll", 0, TYPE_VALUE, AT (sqpoll), TRIES, 1, 0, NULL, NULL, "submit through the kernel's sq_thread" },
  { "no-sqpoll", 0, TYPE_VALUE, AT (sqpoll), TRIES, 0, 0, NULL, NULL, "submit by system call whatever the job says" },
  { "ring", 0, TYPE_RING, AT (ring), TRIES, 0, 0, NULL, "WORD[,...]",
    "fio (default), default, or set-up flags and sizes of every ring, e.g. submit-all,cq-entries=64" },
  { "sqe", 0, TYPE_SQE, AT (ring), TRIES, 0, 0, NULL, "WORD[,...]",
    "what the application marks its requests with, e.g. bad=100" },
  { "fio-version", 0, TYPE_FIO, AT (fio_version), TRIES | USER_VALIDATE, FIO_OLDEST, FIO_NEWEST, NULL, "3.MINOR",
    "behave as this fio: its issue times (3.34, 3.35) and when it repeats an fsync (default 3.42)" },
  { "replay", 0, TYPE_CHOICE, AT (replay), TRIES, 0, 0, "closed|timed|fast", "MODE",
    "closed, timed or fast (run: timed if the trace has times; compare: closed)" },
  { "time-scale", 0, TYPE_UNSIGNED, AT (input.time_scale), TRIES, 1, 1000000, NULL, "PERCENT",
    "speed of a timed replay in percent of the trace's: 50 doubles all gaps" },
  { "cache", 0, TYPE_CHOICE, AT (cache), TRIES | USER_VALIDATE | USER_CALIBRATE, 0, 0, "clean|dirty|cold", "STATE",
    "the files' pages at the start: clean, dirty or cold" },
  { "lenient", 0, TYPE_FLAG, AT (input.lenient), READS, 0, 0, NULL, NULL, "skip and count defective lines of inputs" },
  { "iolog-version", 0, TYPE_UNSIGNED, AT (input.iolog.version), READS, 2, 3, NULL, "N",
    "version of an iolog, 2 or 3, whatever its first line says" },
  { "iolog-v1", 0, TYPE_FLAG, AT (input.iolog_v1), READS, 0, 0, NULL, NULL,
    "lines of three numbers are an iolog of version 1: 0 (read) or 1 (write), offset, length" },
  { "iolog-time-unit", 0, TYPE_CHOICE, AT (input.iolog.unit), READS, 0, 0, "us|ns|ms", "UNIT",
    "unit of an iolog's time stamps: us (default), ns, ms" },
  { "wait", 0, TYPE_CHOICE, AT (input.iolog.wait), READS, 0, 0, "fio|rel-us|rel-ms", "MEANING",
    "wait lines of an iolog: fio (default), rel-us, rel-ms" },
  { "order", 0, TYPE_CHOICE, AT (input.iolog.order), READS, 0, 0, "asis|sort|segment", "RULE",
    "backward time stamps of an iolog: asis (default), sort, segment" },
  { "segments", 0, TYPE_CHOICE, AT (input.iolog.segments), READS, 0, 0, "sequential|parallel|first", "RULE",
    "several logs in one file: sequential (default), parallel, first" },
  { "as", 0, TYPE_CHOICE, AT (as), USER_CONVERT | USER_CUT, 0, 0, TRACE_WRITE_WORDS, "FORMAT",
    "what to write: iolog-v3 (default), iolog-v2, csv" },
  { "from", 0, TYPE_TIME, AT (from), USER_CUT, 0, 0, NULL, "TIME", "drop requests that arrive before, e.g. 500ms" },
  { "until", 0, TYPE_TIME, AT (until), USER_CUT, 0, 0, NULL, "TIME", "drop requests that arrive then or later" },
  { "op", 0, TYPE_LIST, AT (ops), USER_CUT, 0, 0, NULL, "OP[,...]",
    "keep these: read, write, trim, sync (of any kind), datasync, sync_file_range" },
  { "file", 0, TYPE_COLLECT, AT (files), USER_CUT, 0, 0, NULL, "GLOB",
    "keep requests on files whose whole name matches; may be repeated" },
  { "log-columns", 0, TYPE_CHOICE, AT (input.log_columns), READS, 0, 0, FIO_LOG_COLUMN_WORDS, "COLUMNS",
    "what a log of fio has beside time, value, direction and bs, e.g. offset+prio (default: found out)" },
  { "blk-event", 0, TYPE_CHOICE, AT (input.block_arrival), READS, 0, 0, "Q|D", "EVENT",
    "when a request of a block trace arrives: Q, queued (default), or D, issued to the driver" },
  { "iops", 0, TYPE_STRING, AT (iops), USER_CHECK, 0, 0, NULL, "N", "I/Os per second, e.g. 287K" },
  { "slat", 0, TYPE_TIME, AT (slat), USER_CHECK, 0, 0, NULL, "TIME", "mean submission latency, e.g. 1200ns" },
  { "clat", 0, TYPE_TIME, AT (clat), USER_CHECK, 0, 0, NULL, "TIME", "mean completion latency, e.g. 52760ns" },
  { "lat", 0, TYPE_TIME, AT (lat), USER_CHECK, 0, 0, NULL, "TIME", "mean latency in all" },
  { "bw", 0, TYPE_STRING, AT (bw), USER_CHECK, 0, 0, NULL, "BYTES", "bytes per second, e.g. 1123MiB" },
  { "bs", 0, TYPE_STRING, AT (bs), USER_CHECK, 0, 0, NULL, "BYTES", "bytes of a request, e.g. 4KiB" },
  { "numjobs", 0, TYPE_UNSIGNED, AT (numjobs), USER_CHECK, 1, 100000, NULL, "N", "jobs that ran at the same time (default 1)" },
  { "request", 0, TYPE_UINT64, AT (request), USER_EXPLAIN, 0, G_MAXUINT64 - 1, NULL, "N",
    "the request with this number of each stream, from 0" },
  { "first", 0, TYPE_UNSIGNED, AT (first), USER_EXPLAIN, 1, 10000, NULL, "K", "the first K that complete (default 3)" },
  { "slowest", 0, TYPE_UNSIGNED, AT (slowest), USER_EXPLAIN, 1, 10000, NULL, "K", "the K with the longest latency" },
  { "punted", 0, TYPE_FLAG, AT (punted), USER_EXPLAIN, 0, 0, NULL, NULL, "only requests that were handed to workers" },
  { "step", 0, TYPE_FLAG, AT (step), USER_EXPLAIN, 0, 0, NULL, NULL,
    "on a terminal: a step at a time, return goes on, q ends" },
  { "verbose", 'v', TYPE_COUNT, AT (verbose), USER_EXPLAIN, 0, 0, NULL, NULL,
    "also tracepoints and stages; -vv: the record's time stamps" },
  { "limit-ios", 0, TYPE_UINT64, AT (limit_ios), TRIES | USER_CUT | USER_VALIDATE | USER_CALIBRATE, 1, G_MAXUINT64,
    NULL, "N", "stop after N requests" },
  { "simulate-time", 0, TYPE_TIME, AT (simulate_time), TRIES, 0, 0, NULL, "TIME",
    "stop after this much simulated time, e.g. 500ms, 2s" },
  { "seed", 0, TYPE_UINT64, AT (seed), REPEATS | USER_CHART | USER_VALIDATE | USER_CALIBRATE, 0, G_MAXINT64, NULL, "N",
    "seed of all random streams (default 1)" },
  { "reps", 0, TYPE_UNSIGNED, AT (reps), REPEATS | USER_VALIDATE | USER_CALIBRATE, 1, 10000, NULL, "N",
    "seeds for confidence intervals (run 1, policy search 4, calibrate as many as needed, all others 8)" },
  { "threads", 0, TYPE_UNSIGNED, AT (threads), REPEATS | USER_CHART | USER_VALIDATE | USER_CALIBRATE, 1, 256, NULL, "N",
    "runs at the same time; the result is the same (default 1)" },
  { "max-median", 0, TYPE_UNSIGNED, AT (max_median), USER_VALIDATE, 0, PERCENT_MAX, NULL, "PERCENT",
    "measured results: largest median error that is ok (default 10)" },
  { "max-p90", 0, TYPE_UNSIGNED, AT (max_p90), USER_VALIDATE, 0, PERCENT_MAX, NULL, "PERCENT",
    "largest 90th percentile of the errors that is ok (default 30)" },
  { "min-pairs", 0, TYPE_UNSIGNED, AT (min_pairs), USER_VALIDATE, 0, 100, NULL, "PERCENT",
    "throughput records: share of pairs that must be in order (default 95)" },
  { "max-points", 0, TYPE_UNSIGNED, AT (max_points), USER_VALIDATE, 0, 100, NULL, "POINTS",
    "lock shares: largest difference that is ok, percentage points (default 6)" },
  { "timing", 0, TYPE_FLAG, AT (timing), SIMULATES, 0, 0, NULL, NULL, "print how fast the simulation itself was" },
  { "events", 0, TYPE_STRING, AT (events), USER_RUN, 0, 0, NULL, "FILE",
    "write what happened to FILE: trace text of the kernel, or if it ends in .json for Perfetto" },
  { "events-as", 0, TYPE_CHOICE, AT (events_as), USER_RUN, 0, 0, EVENT_LOG_WORDS, "FORMAT",
    "ftrace or chrome, whatever the name of FILE" },
  { "events-from", 0, TYPE_TIME, AT (events_from), USER_RUN, 0, 0, NULL, "TIME", "leave out what was before, e.g. 500us" },
  { "events-until", 0, TYPE_TIME, AT (events_until), USER_RUN, 0, 0, NULL, "TIME", "leave out what was then or later" },
  { "events-limit", 0, TYPE_UNSIGNED, AT (events_limit), USER_RUN, 1, 4096, NULL, "MIB",
    "cut the file of --events before it is longer (default 64)" },
  { "decisions", 0, TYPE_STRING, AT (decisions), USER_RUN, 0, 0, NULL, "FILE",
    "write a line for each decision of the policy: the rule, what it saw, the outcome (CSV)" },
  { "log", 0, TYPE_STRING, AT (log), USER_RUN, 0, 0, NULL, "PREFIX",
    "write what fio logs of each I/O: PREFIX_lat.1.log, _clat, _slat, _bw and _iops, by stream" },
  { "regret", 0, TYPE_UNSIGNED, AT (regret), USER_COMPARE, 1, 100000, NULL, "N",
    "instead of the comparison: what N sampled decisions lost against the other choice, by rule" },
  { "objective", 0, TYPE_STRING, AT (objective), USER_SEARCH, 0, 0, NULL, "\"[LIMIT, ...] GOAL\"",
    "what the search is after, e.g. \"p99 < 1ms, max iops\" (default \"max iops\")" },
  { "evaluations", 0, TYPE_UNSIGNED, AT (evaluations), USER_SEARCH, 1, 100000, NULL, "N",
    "settings to try at most, where there are more than 64 (default 128)" },
  { "write", 0, TYPE_STRING, AT (write), USER_SEARCH, 0, 0, NULL, "FILE.policy",
    "write the policy with the best setting" },
  { "format", 0, TYPE_CHOICE, AT (format), REPORTS, 0, 0, "text|json|fio-json|fio-json+|csv", "FORMAT",
    "text (default) or json; run and compare: also fio-json, fio-json+ or csv" },
  { "type", 'T', TYPE_CHOICE, AT (type), USER_DRAW | CHARTS, 0, 0, PICTURE_TYPE_WORDS, "TYPE",
    "svg, png, pdf or dot (default: as FILE ends, else the picture's own text)" },
  { "output", 'o', TYPE_STRING, AT (output), ANYBODY, 0, 0, NULL, "FILE", "write the result to FILE" },
  { "quiet", 'q', TYPE_FLAG, AT (quiet), ANYBODY, 0, 0, NULL, NULL, "no progress on the terminal" },
  { "help", 'h', TYPE_FLAG, AT (help), ANYBODY, 0, 0, NULL, NULL, "this text" },
};
enum { N_OPTIONS = G_N_ELEMENTS (option_table) };

static gboolean takes_value (const OptionRow *row)
{
  return row->type != TYPE_FLAG && row->type != TYPE_VALUE && row->type != TYPE_COUNT;
}

static gboolean collects (const OptionRow *row)
{
  return row->type == TYPE_LIST || row->type == TYPE_COLLECT || row->type == TYPE_ENGINES;
}

G_GNUC_PRINTF (4, 5)
static gboolean value_error (const OptionRow *row, const char *value, GError **error, const char *expected, ...)
{
  va_list args;

  va_start (args, expected);
  g_autofree char *text = g_strdup_vprintf (expected, args);
  va_end (args);
  g_autofree char *quoted = escape_text_short (value, -1, 60);
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s: found \"%s\", expected %s", row->name, quoted, text);
  return FALSE;
}

static gboolean store_list (const OptionRow *row, GPtrArray *list, const char *value, GError **error)
{
  g_auto (GStrv) words = g_strsplit (value, ",", -1);

  if (!*words) {
    return value_error (row, value, error, "names separated by single commas");
  }
  for (char **word = words; *word; word++) {
    g_strstrip (*word);
    if (!**word) {
      return value_error (row, value, error, "names separated by single commas");
    }
  }
  for (char **word = words; *word; word++) {
    g_ptr_array_add (list, g_strdup (*word));
  }
  return TRUE;
}

static gboolean store_engines (const OptionRow *row, GArray *engines, const char *value, GError **error)
{
  g_auto (GStrv) words = g_strsplit (value, ",", -1);

  for (char **word = words; *word; word++) {
    ApplicationEngine engine;
    g_strstrip (*word);
    if (!application_engine_parse (*word, &engine)) {
      return value_error (row, *word, error, "io_uring, libaio, psync or posixaio");
    }
    for (unsigned i = 0; i < engines->len; i++) {
      if (g_array_index (engines, ApplicationEngine, i) == engine) {
        return value_error (row, *word, error, "each engine once");
      }
    }
    g_array_append_val (engines, engine);
  }
  return engines->len ? TRUE : value_error (row, value, error, "io_uring, libaio, psync or posixaio");
}

static gboolean store_number (const OptionRow *row, void *place, const char *value, GError **error)
{
  uint64_t number;

  if (!key_file_parse_integer (value, &number) || number < row->low || number > row->high) {
    return value_error (row, value, error, "a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, row->low,
                        row->high);
  }
  if (row->type == TYPE_UNSIGNED) {
    *(unsigned *) place = (unsigned) number;
  } else {
    *(uint64_t *) place = number;
  }
  return TRUE;
}

static gboolean store_time (const OptionRow *row, UrTime *place, const char *value, GError **error)
{
  static const struct {
    const char *unit;
    UrTime ns;
  } units[] = { { "ns", 1 }, { "us", UR_US }, { "ms", UR_MS }, { "s", UR_S } };

  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (!g_str_has_suffix (value, units[i].unit)) {
      continue;
    }
    g_autofree char *digits = g_strndup (value, strlen (value) - strlen (units[i].unit));
    uint64_t number;
    if (key_file_parse_integer (digits, &number) && number > 0 && number <= G_MAXINT64 / units[i].ns) {
      *place = number * units[i].ns;
      return TRUE;
    }
  }
  return value_error (row, value, error, "a positive whole number with a unit: ns, us, ms or s");
}

static gboolean store_choice (const OptionRow *row, int *place, const char *value, GError **error)
{
  g_auto (GStrv) words = g_strsplit (row->choices, "|", -1);

  for (int i = 0; words[i]; i++) {
    if (!strcmp (words[i], value)) {
      *place = i;
      return TRUE;
    }
  }
  g_autofree char *list = g_strjoinv (", ", words);
  return value_error (row, value, error, "one of %s", list);
}

static gboolean store_ring (const OptionRow *row, RingChoice *choice, const char *value, GError **error)
{
  g_autofree char *word = NULL, *expected = NULL;
  gboolean ok = row->type == TYPE_RING ? ring_options_parse (choice, value, &word, &expected)
                                       : sqe_options_parse (choice, value, &word, &expected);

  return ok || value_error (row, word, error, "%s", expected);
}

static gboolean store (const OptionRow *row, Options *options, const char *value, GError **error)
{
  void *place = (char *) options + row->offset;

  switch (row->type) {
  case TYPE_FLAG:
    *(gboolean *) place = TRUE;
    return TRUE;
  case TYPE_COUNT:
    ++*(unsigned *) place;
    return TRUE;
  case TYPE_VALUE:
    *(int *) place = (int) row->low;
    return TRUE;
  case TYPE_STRING:
    if (!*value) {
      return value_error (row, value, error, "a name or a path");
    }
    g_free (*(char **) place);
    *(char **) place = g_strdup (value);
    return TRUE;
  case TYPE_LIST:
    return store_list (row, *(GPtrArray **) place, value, error);
  case TYPE_COLLECT:
    g_ptr_array_add (*(GPtrArray **) place, g_strdup (value));
    return TRUE;
  case TYPE_ENGINES:
    return store_engines (row, *(GArray **) place, value, error);
  case TYPE_UNSIGNED:
  case TYPE_UINT64:
    return store_number (row, place, value, error);
  case TYPE_KERNEL:
    return (key_file_parse_kernel (value, place) && *(unsigned *) place >= KERNEL (5u, 1u)) ||
           value_error (row, value, error, "MAJOR.MINOR from 5.1 on, the first with io_uring");
  case TYPE_FIO:
    return (key_file_parse_kernel (value, place) && *(unsigned *) place >= row->low &&
            *(unsigned *) place <= row->high) ||
           value_error (row, value, error, "%u.%u to %u.%u", KERNEL_MAJOR ((unsigned) row->low),
                        KERNEL_MINOR ((unsigned) row->low), KERNEL_MAJOR ((unsigned) row->high),
                        KERNEL_MINOR ((unsigned) row->high));
  case TYPE_TIME:
    return store_time (row, place, value, error);
  case TYPE_CHOICE:
    return store_choice (row, place, value, error);
  case TYPE_RING:
  case TYPE_SQE:
    return store_ring (row, place, value, error);
  }
  g_assert_not_reached ();
}

static int find_long (const char *name, gsize length)
{
  for (int i = 0; i < N_OPTIONS; i++) {
    if (strlen (option_table[i].name) == length && !strncmp (option_table[i].name, name, length)) {
      return i;
    }
  }
  return -1;
}

static int find_letter (char letter)
{
  for (int i = 0; i < N_OPTIONS; i++) {
    if (option_table[i].letter == letter) {
      return i;
    }
  }
  return -1;
}

/* An option that is not in the table, or belongs to other commands. */
static void unknown_option (OptionUser user, int found, const char *word, GError **error)
{
  g_autofree char *quoted = escape_text_short (word, -1, 60);

  if (found >= 0) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_UNKNOWN, "option %s does not belong to this command; see --help",
                 quoted);
    return;
  }
  const char *names[N_OPTIONS + 1];
  unsigned n = 0;
  for (int i = 0; i < N_OPTIONS; i++) {
    if (option_table[i].users & user) {
      names[n++] = option_table[i].name;
    }
  }
  names[n] = NULL;
  const char *equals = strchr (word, '=');
  g_autofree char *bare = g_strndup (word, equals ? (gsize) (equals - word) : strlen (word));
  const char *near = g_str_has_prefix (bare, "--") ? suggest_nearest (bare + 2, names) : NULL;
  g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_UNKNOWN, "unknown option %s%s%s%s", quoted,
               near ? "; did you mean --" : "; see --help", near ? near : "", near ? "?" : "");
}

/* One option word at argv[i]; returns how many words it took, 0 with error set. */
static int parse_option (Options *options, OptionUser user, gboolean *seen, int argc, char **argv, int i,
                         GError **error)
{
  const char *word = argv[i];
  const gboolean is_long = g_str_has_prefix (word, "--");
  const char *equals = is_long ? strchr (word, '=') : NULL;
  const int index =
      is_long ? find_long (word + 2, equals ? (gsize) (equals - word - 2) : strlen (word + 2)) : find_letter (word[1]);
  const char *value = equals ? equals + 1 : !is_long && word[1] && word[2] ? word + 2 : NULL;
  int used = 1;

  if (index < 0 || !(option_table[index].users & user)) {
    unknown_option (user, index, word, error);
    return 0;
  }
  const OptionRow *row = &option_table[index];
  /* -vv is -v twice */
  if (row->type == TYPE_COUNT && value && !is_long && strspn (value, (char[]){ row->letter, 0 }) == strlen (value)) {
    *(unsigned *) ((char *) options + row->offset) += (unsigned) strlen (value);
    value = NULL;
  }
  if (!takes_value (row) && value) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s takes no value", row->name);
    return 0;
  }
  if (takes_value (row) && !value) {
    if (i + 1 >= argc) {
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s: expected %s after it", row->name, row->argument);
      return 0;
    }
    value = argv[i + 1];
    used = 2;
  }
  if (seen[index] && !collects (row) && takes_value (row)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s is given twice", row->name);
    return 0;
  }
  seen[index] = TRUE;
  return store (row, options, value, error) ? used : 0;
}

static Options *options_new (void)
{
  Options *options = g_new0 (Options, 1);

  options->arguments = g_ptr_array_new_with_free_func (g_free);
  options->policies = g_ptr_array_new_with_free_func (g_free);
  options->engines = g_array_new (FALSE, FALSE, sizeof (ApplicationEngine));
  options->set = g_ptr_array_new_with_free_func (g_free);
  options->parameters = g_ptr_array_new_with_free_func (g_free);
  options->use = g_ptr_array_new_with_free_func (g_free);
  options->depths = g_ptr_array_new_with_free_func (g_free);
  options->ops = g_ptr_array_new_with_free_func (g_free);
  options->files = g_ptr_array_new_with_free_func (g_free);
  options->sqpoll = options->replay = options->cache = options->type = -1;
  options->seed = 1;
  options->request = G_MAXUINT64;
  options->events_as = -1;
  options->events_limit = 64;
  options->threads = 1;
  options->max_median = options->max_p90 = options->min_pairs = options->max_points = THRESHOLD_DEFAULT;
  ring_choice_init (&options->ring);
  input_options_init (&options->input);
  return options;
}

static void set_defaults (Options *options)
{
  if (!options->policies->len) {
    g_ptr_array_add (options->policies, g_strdup (OPTIONS_DEFAULT_POLICY));
  }
  if (!options->machine) {
    options->machine = g_strdup (OPTIONS_DEFAULT_MACHINE);
  }
  if (!options->fs) {
    options->fs = g_strdup (OPTIONS_DEFAULT_FS);
  }
  if (!options->device) {
    options->device = g_strdup (OPTIONS_DEFAULT_DEVICE);
  }
}

Options *options_parse (OptionUser user, int argc, char **argv, GError **error)
{
  g_autoptr (Options) options = options_new ();
  gboolean seen[N_OPTIONS] = { FALSE };
  gboolean only_arguments = FALSE;

  for (int i = 0; i < argc;) {
    if (only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
      g_ptr_array_add (options->arguments, g_strdup (argv[i++]));
    } else if (!strcmp (argv[i], "--")) {
      only_arguments = TRUE;
      i++;
    } else {
      const int used = parse_option (options, user, seen, argc, argv, i, error);
      if (!used) {
        return NULL;
      }
      i += used;
    }
  }
  options->thresholds_given = options->max_median != THRESHOLD_DEFAULT || options->max_p90 != THRESHOLD_DEFAULT ||
                              options->min_pairs != THRESHOLD_DEFAULT || options->max_points != THRESHOLD_DEFAULT;
  if (options->format > FORMAT_JSON && !(user & (USER_RUN | USER_COMPARE))) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--format: fio-json and csv are for run and compare; expected text or json");
    return NULL;
  }
  if (options->seed > (uint64_t) G_MAXINT64 - MAX (options->reps, 10000)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--seed: found %" G_GUINT64_FORMAT ", expected room for --reps above it", options->seed);
    return NULL;
  }
  if (user != USER_VALIDATE && user != USER_CALIBRATE) { /* these know better what was not given */
    set_defaults (options);
  }
  return g_steal_pointer (&options);
}

void options_free (Options *options)
{
  if (!options) {
    return;
  }
  g_ptr_array_unref (options->arguments);
  g_ptr_array_unref (options->policies);
  g_array_unref (options->engines);
  g_ptr_array_unref (options->set);
  g_ptr_array_unref (options->parameters);
  g_ptr_array_unref (options->use);
  g_ptr_array_unref (options->depths);
  g_ptr_array_unref (options->ops);
  g_ptr_array_unref (options->files);
  g_free (options->base);
  g_free (options->measure);
  g_free (options->experiment);
  g_free (options->machine);
  g_free (options->fs);
  g_free (options->device);
  g_free (options->output);
  g_free (options->events);
  g_free (options->iops);
  g_free (options->bw);
  g_free (options->bs);
  g_free (options->decisions);
  g_free (options->log);
  g_free (options->objective);
  g_free (options->write);
  g_free (options);
}

char *options_help (OptionUser user)
{
  GString *out = g_string_new (NULL);

  for (int i = 0; i < N_OPTIONS; i++) {
    const OptionRow *row = &option_table[i];
    if (!(row->users & user)) {
      continue;
    }
    g_autofree char *left =
        row->letter ? g_strdup_printf ("-%c, --%s %s", row->letter, row->name, row->argument ? row->argument : "")
                    : g_strdup_printf ("    --%s %s", row->name, row->argument ? row->argument : "");
    g_string_append_printf (out, "  %-32s %s\n", g_strchomp (left), row->help);
  }
  return g_string_free (out, FALSE);
}
