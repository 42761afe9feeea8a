/*
 * Traces of lines of text: iologs of version 1, CSV, strace.
 */
#include "src/input/input.h"
#include "src/input/strace_line.h"
#include "src/input/text_trace.h"
#include "tests/row.h"
#include <string.h>

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

static Trace *open_text (const TextFormat *format, const char *text, gboolean lenient, GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("m", text, strlen (text), error);
  Trace *trace = source ? text_trace_open (source, format, lenient, error) : NULL;
  byte_source_unref (source);
  return trace;
}

typedef struct {
  const char *rule, *text;
  gboolean lenient;
  const char *requests; /* NULL: refused */
  const char *message;  /* of the error, or of some warning */
} Row;

static void check_rows (const TextFormat *format, const Row *row, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Trace) trace = open_text (format, row[i].text, row[i].lenient, &error);
    if (!row[i].requests) {
      ROW_CHECK (!trace && error && strstr (error->message, row[i].message), "%s: %s", row[i].rule, row_error (error));
      continue;
    }
    if (!ROW_CHECK (trace, "%s: %s", row[i].rule, row_error (error))) {
      continue;
    }
    g_autofree char *found = requests (trace);
    gboolean warned = row[i].message == NULL;
    for (unsigned k = 0; k < trace->info.warnings->len; k++) {
      warned |= row[i].message && strstr (trace->info.warnings->pdata[k], row[i].message);
    }
    ROW_CHECK (!strcmp (found, row[i].requests), "%s: %s", row[i].rule, found);
    ROW_CHECK (warned, "%s: no such warning", row[i].rule);
    ROW_CHECK (trace->info.n_defects == trace->info.skipped, "%s: defects", row[i].rule);
  }
}

/* ---- version 1 ---- */

static void test_iolog_v1 (void)
{
  static const Row row[] = {
    { "0 is a read, 1 a write, then bytes", "0, 4096, 512\n1,0,8192\n", FALSE, "0:m:read:4096+512 0:m:write:0+8192",
      NULL },
    { "blank lines and comments", "\n# x\n; y\n0, 0, 1\n", FALSE, "0:m:read:0+1", NULL },
    { "blanks anywhere between", " 0 ,\t0 , 1 \r\n", FALSE, "0:m:read:0+1", "CR LF" },
    { "no other direction", "2, 0, 512\n", FALSE, NULL, "m:1: found \"2, 0, 512\"; expected" },
    { "no sign", "0, -1, 512\n", FALSE, NULL, "m:1: found" },
    { "no suffix", "0, 4k, 512\n", FALSE, NULL, "m:1: found" },
    { "no fourth number", "0, 0, 512, 1\n", FALSE, NULL, "m:1: found" },
    { "no second number missing", "0, 0\n", FALSE, NULL, "m:1: found" },
    { "no number above 2^64", "0, 18446744073709551616, 1\n", FALSE, NULL, "m:1: found" },
    { "no end above 2^63", "0, 9223372036854775807, 1\n", FALSE, NULL, "m:1: offset plus size passes 2^63-1" },
    { "lenient: the line is left out", "0, 4k, 512\n0, 0, 1\n", TRUE, "0:m:read:0+1", "1 defective lines" },
    { "nothing but defects", "0, 4k, 512\n", TRUE, NULL, "m: no request in 1 lines; the first defect: m:1: found" },
    { "a last line without newline", "0, 0, 1", FALSE, "0:m:read:0+1", "no newline" },
  };
  check_rows (&iolog_v1_format, row, G_N_ELEMENTS (row));
}

/* ---- CSV ---- */

#define HEAD "time_us,op,file,offset,size\n"

static void test_csv (void)
{
  static const Row row[] = {
    { "columns by their names", HEAD "10,write,a,0,512\n12,read,b,512,4096\n", FALSE,
      "0:a:write:0+512 2000:b:read:512+4096", NULL },
    { "columns in another order, and semicolons", "size;offset;file;op;time_ms\n1;2;a;r;5\n3;4;a;w;6\n", FALSE,
      "0:a:read:2+1 1000000:a:write:4+3", NULL },
    { "tabs; commas are then part of a name", "op\tfile\toffset\tsize\nr\ta,b\t0\t1\n", FALSE, "0:a,b:read:0+1", NULL },
    { "units in brackets, capitals, other words for the same",
      "Timestamp (s),Operation,Path,LBA (sectors),Length [KiB]\n"
      "0.5,R,a,3,4\n1.000000001,W,a,0,1\n",
      FALSE, "0:a:read:1536+4096 500000001:a:write:0+1024", NULL },
    { "fractions below a nanosecond are dropped", "time_ns,op,offset,size\n1.9,r,0,1\n3.1,r,0,1\n", FALSE,
      "0:m:read:0+1 2:m:read:0+1", NULL },
    { "quotes, doubled within", HEAD "0,write,\"a \"\"b\"\", c\",0,1\n", FALSE, "0:a \"b\", c:write:0+1", NULL },
    { "an empty name in quotes is none", HEAD "0,write,\"\",0,1\n", FALSE, NULL, "m:2: file \"\"; expected a name" },
    { "blanks around fields", HEAD " 0 , write , a b , 0 , 1 \n", FALSE, "0:a b:write:0+1", NULL },
    { "no file column: one file", "op,offset,size\nread,0,1\n", FALSE, "0:m:read:0+1", NULL },
    { "syncs need no place", HEAD "0,fsync,a,,\n0,fdatasync,a,,\n0,sync_file_range,a,1,2\n", FALSE,
      "0:a:sync:0+0 0:a:datasync:0+0 0:a:sync_file_range:0+0", NULL },
    { "a trim", HEAD "0,discard,a,0,512\n", FALSE, "0:a:trim:0+512", NULL },
    { "further columns are named", "op,offset,size,pid,latency_us\nread,0,1,7,8\n", FALSE, "0:m:read:0+1",
      "not used: \"pid\", \"latency_us\"" },
    { "comments and blank lines", "# made by x\n\n" HEAD "\n# y\n0,r,a,0,1\n", FALSE, "0:a:read:0+1", NULL },
    { "a byte order mark", "\xef\xbb\xbf" HEAD "0,r,a,0,1\n", FALSE, "0:a:read:0+1", "byte order mark" },
    { "time backwards", HEAD "5,r,a,0,1\n3,r,a,1,1\n6,r,a,2,1\n", FALSE, "0:a:read:0+1 0:a:read:1+1 1000:a:read:2+1",
      "time goes backwards 1 times" },
    { "a time without unit", "time,op,offset,size\n0,r,0,1\n", FALSE, NULL,
      "m:1: column \"time\" does not say its unit; expected time_ns, time_us, time_ms or time_s" },
    { "a column is missing", "time_us,op,size\n0,r,1\n", TRUE, NULL, "m:1: the header names no column offset" },
    { "two of a kind", "op,rw,offset,size\nr,r,0,1\n", FALSE, NULL, "m:1: column \"rw\" is a second one of the op" },
    { "a field too few", HEAD "0,r,a,0\n", FALSE, NULL, "m:2: 4 fields in \"0,r,a,0\"; expected 5, as in the header" },
    { "a field too many", HEAD "0,r,a,0,1,2\n", FALSE, NULL, "m:2: 6 fields" },
    { "a quote that does not end", HEAD "0,r,\"a,0,1\n", FALSE, NULL, "expected a second quote around the field" },
    { "text behind a quote", HEAD "0,r,\"a\"b,0,1\n", FALSE, NULL, "expected the separator behind a quoted field" },
    { "an unknown operation", HEAD "0,append,a,0,1\n", FALSE, NULL, "m:2: op \"append\"; expected read, write" },
    { "a sign", HEAD "0,r,a,-1,1\n", FALSE, NULL, "m:2: offset \"-1\"; expected an unsigned decimal number" },
    { "a fraction of a byte", HEAD "0,r,a,0,1.5\n", FALSE, NULL, "m:2: size \"1.5\"" },
    { "an offset beyond 2^64 by its unit", "op,offset_sectors,size\nr,36028797018963968,1\n", FALSE, NULL,
      "m:2: offset \"36028797018963968\"" },
    { "an end beyond 2^63", HEAD "0,r,a,9223372036854775807,1\n", FALSE, NULL, "m:2: offset plus size passes 2^63-1" },
    { "a time of 300 years", "time_s,op,offset,size\n9467280000,r,0,1\n", FALSE, NULL, "m:2: time \"9467280000\"" },
    { "lenient: defects are left out", HEAD "0,r,a,0,1\nx,r,a,0,1\n0,r,a\n9,w,a,1,1\n", TRUE,
      "0:a:read:0+1 9000:a:write:1+1", "2 defective lines" },
  };
  check_rows (&csv_trace_format, row, G_N_ELEMENTS (row));
}

/* ---- strace ---- */

#define OPEN "1.0 openat(AT_FDCWD, \"a\", O_RDWR) = 3\n"

static void test_strace (void)
{
  static const Row row[] = {
    { "reads and writes follow the position", OPEN "1.1 read(3, \"x\", 512) = 512\n1.2 write(3, \"y\", 10) = 10\n",
      FALSE, "0:a:read:0+512 100000000:a:write:512+10", NULL },
    { "what was returned counts, not what was asked",
      OPEN "1.1 read(3, \"x\", 512) = 100\n1.2 read(3, \"\", 512) = 0\n"
           "1.3 read(3, \"\", 9) = -1 EIO (Input/output error)\n1.4 read(3, \"x\", 9) = 9\n",
      FALSE, "0:a:read:0+100 300000000:a:read:100+9", NULL },
    { "offsets do not move it",
      OPEN "1.1 pwrite64(3, \"x\", 4096, 8192) = 4096\n1.1 pread64(3, \"x\", 1, 5) = 1\n"
           "1.1 read(3, \"x\", 1) = 1\n",
      FALSE, "0:a:write:8192+4096 0:a:read:5+1 0:a:read:0+1", NULL },
    { "vectors",
      OPEN "1.1 pwritev(3, [{iov_base=\"a)\\\"],\", iov_len=8}, {iov_base=\"b\", iov_len=4}], 2, 100) = 12\n"
           "1.1 readv(3, [{iov_base=\"\", iov_len=8}], 1) = 8\n1.1 pwritev2(3, [], 1, -1, RWF_DSYNC) = 4\n",
      FALSE, "0:a:write:100+12 0:a:read:0+8 0:a:write:8+4", NULL },
    { "lseek", OPEN "1.1 lseek(3, -4096, SEEK_END) = 4096\n1.1 read(3, \"\", 5) = 5\n", FALSE, "0:a:read:4096+5",
      NULL },
    { "syncs", OPEN "1.1 fsync(3) = 0\n1.1 fdatasync(3) = 0\n1.1 sync_file_range(3, 0, 0, SYNC_FILE_RANGE_WRITE) = 0\n",
      FALSE, "0:a:sync:0+0 0:a:datasync:0+0 0:a:sync_file_range:0+0", NULL },
    { "a duplicate shares the position",
      OPEN "1.1 dup2(3, 7) = 7\n1.1 read(3, \"\", 5) = 5\n1.1 close(3) = 0\n"
           "1.1 read(7, \"\", 6) = 6\n1.1 fcntl(7, F_DUPFD_CLOEXEC, 3) = 3\n1.1 read(3, \"\", 1) = 1\n",
      FALSE, "0:a:read:0+5 0:a:read:5+6 0:a:read:11+1", NULL },
    { "a second open does not",
      OPEN "1.1 read(3, \"\", 5) = 5\n1.1 open(\"a\", O_RDONLY) = 4\n1.1 read(4, \"\", 6) = 6\n", FALSE,
      "0:a:read:0+5 0:a:read:0+6", NULL },
    { "appending goes to the end",
      "1.0 open(\"a\", O_WRONLY|O_CREAT|O_TRUNC|O_APPEND, 0666) = 3\n"
      "1.1 write(3, \"\", 5) = 5\n1.1 lseek(3, 0, SEEK_SET) = 0\n1.1 write(3, \"\", 6) = 6\n",
      FALSE, "0:a:write:0+5 0:a:write:5+6", NULL },
    { "a closed descriptor is none", OPEN "1.1 read(3, \"\", 5) = 5\n1.1 close(3) = 0\n1.1 read(3, \"\", 6) = 6\n",
      FALSE, "0:a:read:0+5", NULL },
    { "nor is one that became a socket",
      OPEN "1.1 read(3, \"\", 5) = 5\n1.2 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n"
           "1.1 read(3, \"\", 6) = 6\n",
      FALSE, "0:a:read:0+5", NULL },
    { "nor one of before the trace", OPEN "1.1 write(1, \"\", 5) = 5\n1.1 read(3, \"\", 6) = 6\n", FALSE,
      "0:a:read:0+6", NULL },
    { "unless strace says its path (-y)", "1.1 write(1</tmp/o>, \"\", 5) = 5\n1.1 write(1</tmp/o>, \"\", 6) = 6\n",
      FALSE, "0:/tmp/o:write:0+5 0:/tmp/o:write:5+6", NULL },
    { "a relative name below what -y says",
      "1.0 openat(AT_FDCWD</srv>, \"a\", O_RDWR) = 3</srv/a>\n"
      "1.1 read(3</srv/a>, \"\", 6) = 6\n",
      FALSE, "0:/srv/a:read:0+6", NULL },
    { "a fork copies descriptors and shares positions",
      "7 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 fork() = 8\n8 1.2 read(3, \"\", 5) = 5\n8 1.3 close(3) = 0\n"
      "7 1.4 read(3, \"\", 6) = 6\n8 1.5 read(3, \"\", 7) = 7\n",
      FALSE, "0:a:read:0+5 200000000:a:read:5+6", NULL },
    { "threads share descriptors",
      "7 1.0 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8\n"
      "8 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 read(3, \"\", 5) = 5\n8 1.2 close(3) = 0\n7 1.3 read(3, \"\", 6) = 6\n",
      FALSE, "0:a:read:0+5", NULL },
    { "a child that runs before its clone() comes back",
      "7 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 clone3({flags=CLONE_VM|CLONE_FILES, exit_signal=0}, 88 <unfinished ...>\n"
      "8 1.2 read(3, \"\", 5) = 5\n7 1.3 <... clone3 resumed>) = 8\n8 1.4 close(3) = 0\n7 1.5 read(3, \"\", 6) = 6\n",
      FALSE, "0:a:read:0+5", NULL },
    { "execve closes what is marked",
      "1.0 open(\"a\", O_RDWR|O_CLOEXEC) = 3\n1.0 open(\"b\", O_RDWR) = 4\n"
      "1.1 execve(\"/bin/x\", [\"x\"], 0x7ffe /* 3 vars */) = 0\n1.2 read(3, \"\", 1) = 1\n1.3 read(4, \"\", 1) = 1\n",
      FALSE, "0:b:read:0+1", NULL },
    { "requests are in order of their starts",
      "7 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 clone(flags=CLONE_FILES) = 8\n7 1.2 pwrite64(3, \"x\", 1, 0 <unfinished ...>\n"
      "8 1.3 pread64(3,  <unfinished ...>\n7 1.4 <... pwrite64 resumed>) = 1\n8 1.5 fsync(3) = 0\n"
      "8 1.6 <... pread64 resumed>\"y\", 2, 9) = 2\n7 1.7 fsync(3) = 0\n",
      FALSE, "0:a:write:0+1 100000000:a:read:9+2 300000000:a:sync:0+0 500000000:a:sync:0+0", NULL },
    { "one that resumes after others that started later",
      "7 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 clone(flags=CLONE_FILES) = 8\n7 1.2 pwrite64(3, \"x\", 1, 0 <unfinished ...>\n"
      "8 1.3 pread64(3, \"y\", 2, 9) = 2\n7 1.4 <... pwrite64 resumed>) = 1\n",
      FALSE, "0:a:write:0+1 100000000:a:read:9+2", NULL },
    { "one that never comes back is none",
      "7 1.0 open(\"a\", O_RDWR) = 3\n7 1.1 clone(flags=CLONE_FILES) = 8\n7 1.2 pwrite64(3, \"x\", 1, 0 <unfinished ...>\n"
      "8 1.3 pread64(3, \"y\", 2, 9) = 2\n7 1.4 +++ killed by SIGKILL +++\n",
      FALSE, "0:a:read:9+2", NULL },
    { "the first process has no name until there are two",
      OPEN "1.1 clone(flags=CLONE_FILES) = 8\nstrace: Process 8 attached\n[pid     8] 1.2 read(3, \"\", 5) = 5\n"
           "[pid     7] 1.3 read(3, \"\", 6) = 6\n[pid     8] 1.4 +++ exited with 0 +++\n1.5 read(3, \"\", 7) = 7\n",
      FALSE, "0:a:read:0+5 100000000:a:read:5+6 300000000:a:read:11+7", NULL },
    { "news in the middle of a line",
      OPEN
      "1.1 clone(child_stack=NULL, flags=CLONE_FILESstrace: Process 8 attached\n) = 8\n[pid 8] 1.2 read(3, \"\", 5) = "
      "5\n",
      FALSE, "0:a:read:0+5", NULL },
    { "signals and ends are no calls",
      OPEN "1.1 --- SIGALRM {si_signo=SIGALRM} ---\n1.2 fsync(3) = 0\n"
           "1.3 exit_group(0) = ?\n1.4 +++ exited with 0 +++\n",
      FALSE, "0:a:sync:0+0", NULL },
    { "names are unescaped, but for control characters",
      "1.0 open(\"\\303\\244\\\"\\n\", O_RDWR) = 3\n1.1 fsync(3) = 0\n", FALSE, "0:\xc3\xa4\"\\n:sync:0+0", NULL },
    { "mapped files are said",
      OPEN "1.1 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0) = 0x7f0000000000\n"
           "1.2 fsync(3) = 0\n",
      FALSE, "0:a:sync:0+0", "1 calls of mmap" },
    { "synchronous files are said", "1.0 open(\"a\", O_RDWR|O_DSYNC) = 3\n1.2 fsync(3) = 0\n", FALSE, "0:a:sync:0+0",
      "O_SYNC or O_DSYNC" },
    { "an offset that is none", OPEN "1.1 pread64(3, \"x\", 1, y) = 1\n", FALSE, NULL,
      "m:2: pread64(): argument 4 is \"y\"; expected an offset" },
    { "an offset beyond 2^63", OPEN "1.1 pread64(3, \"x\", 2, 9223372036854775806) = 2\n", FALSE, NULL,
      "m:2: offset plus length passes 2^63-1" },
    { "a call without an end", OPEN "1.1 read(3, \"x\n", FALSE, NULL, "m:2: read(3, \\\"x: expected arguments" },
    { "a line without a time", OPEN "read(3, \"x\", 1) = 1\n", FALSE, NULL,
      "m:2: found \"read(3, \\\"x\\\", 1) = 1\"; "
      "expected a line of strace -f -ttt" },
    { "lenient: the line is left out", OPEN "read(3, \"x\", 1) = 1\n1.1 fsync(3) = 0\n", TRUE, "0:a:sync:0+0",
      "1 defective lines" },
  };
  check_rows (&strace_format, row, G_N_ELEMENTS (row));
}

/* A program with two threads and a child, really run under strace 6.1: with -o, and without, where strace writes its
 * news among the calls. The same requests come out, and facts that were counted by other means. */
static void test_strace_samples (void)
{
  g_autofree char *first = NULL;
  static const char *const names[] = { "threads.strace", "threads-stderr.strace" };
  for (unsigned i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (TEST_DATA_DIR, "traces", names[i], NULL);
    const char *paths[] = { path, NULL };
    InputOptions options;
    g_autoptr (GError) error = NULL;
    input_options_init (&options);
    g_autoptr (Trace) trace = input_open_trace (paths, &options, NULL, &error);
    if (!ROW_CHECK (trace, "%s: %s", names[i], row_error (error))) {
      continue;
    }
    const TraceInfo *info = &trace->info;
    ROW_CHECK (!strcmp (info->format, "strace") && info->writes == 10 && info->write_bytes == 32888 &&
                   info->reads == 8 && info->syncs == 7 && info->files == 3,
               "%s: %" G_GUINT64_FORMAT " reads, %" G_GUINT64_FORMAT " writes", names[i], info->reads, info->writes);
    g_autofree char *found = requests (trace);
    ROW_CHECK (strstr (found, ":read:4096+512 ") && strstr (found, ":read:5120+512 ") &&
                   strstr (found, ":log:write:10+10"),
               "%s: %s", names[i], found);
    ROW_CHECK (strstr (found, ":read:0+1000 ") && strstr (found, ":read:1000+24 "),
               "%s: a position shared with a child: %s", names[i], found);
  }
}

/* ---- limits ---- */

/* More names than a simulation could have files: an error that lenient mode does not get around. */
static void test_too_many_names (void)
{
  GString *text = g_string_new ("op,file,offset,size\n");
  for (unsigned i = 0; i <= IOLOG_FILES_LIMIT; i++) {
    g_string_append_printf (text, "r,f%u,0,1\n", i);
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (Trace) trace = open_text (&csv_trace_format, text->str, TRUE, &error);
  ROW_CHECK (!trace && strstr (row_error (error), "m:262146: more than 262144 different file names"), "%s",
             row_error (error));
  g_string_truncate (text, text->len - strlen ("r,f262144,0,1\n"));
  g_clear_error (&error);
  g_autoptr (Trace) all = open_text (&csv_trace_format, text->str, FALSE, &error);
  ROW_CHECK (all && all->info.files == IOLOG_FILES_LIMIT, "%s", row_error (error));
  g_string_free (text, TRUE);
}

/* A line that is longer than a line may be, among others. */
static void test_long_line (void)
{
  g_autofree char *fill = g_strnfill (1 << 20, 'x');
  g_autofree char *text = g_strdup_printf ("op,file,offset,size\nr,%s,0,1\nr,a,0,1\n", fill);
  g_autoptr (GError) error = NULL;
  g_autoptr (Trace) trace = open_text (&csv_trace_format, text, FALSE, &error);
  ROW_CHECK (!trace && strstr (row_error (error), "m:2: a line of more than 4095 bytes"), "%s", row_error (error));
  g_autoptr (Trace) lenient = open_text (&csv_trace_format, text, TRUE, NULL);
  ROW_CHECK (lenient && lenient->ios == 1 && lenient->info.skipped == 1, "lenient");
}

/* ---- what a line is ---- */

static void test_detect (void)
{
  static const struct {
    const char *text;
    InputKind kind;
  } row[] = {
    { "0, 0, 4096\n", INPUT_IOLOG_V1 },
    { "time_us,op,file,offset,size\n", INPUT_CSV },
    { "# made by x\noffset;rw;length\n", INPUT_CSV },
    { "op,when\n", INPUT_UNKNOWN },
    { "1700000000.123456 execve(\"/bin/x\", [\"x\"], 0x7ffe /* 3 vars */) = 0\n", INPUT_STRACE },
    { "[pid  12] 1700000000.123456 read(3,  <unfinished ...>\n", INPUT_STRACE },
    { "12 1700000000.123456 +++ exited with 0 +++\n", INPUT_STRACE },
    { "[pid]\nrw=read\n", INPUT_FIO_JOB },
    { "12:00:00 read(3, \"\", 1) = 1\n", INPUT_UNKNOWN },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    ByteSource *source = byte_source_new_from_memory ("m", row[i].text, strlen (row[i].text), NULL);
    const InputKind kind = input_detect (source, NULL);
    ROW_CHECK (kind == row[i].kind, "%s: %s", row[i].text, input_kind_name (kind));
    byte_source_unref (source);
  }
}

static void test_parse_time (void)
{
  static const struct {
    const char *text;
    uint64_t unit, ns;
    gboolean ok;
  } row[] = {
    { "0", 1, 0, TRUE },
    { "1.5", 1000, 1500, TRUE },
    { "1.000000001", UR_S, 1000000001, TRUE },
    { "1.0000000019", UR_S, 1000000001, TRUE },
    { "9223372036.854775807", UR_S, G_MAXINT64, TRUE },
    { "9223372036.854775808", UR_S, 0, FALSE },
    { "18446744073709551615", UR_S, 0, FALSE },
    { "", 1, 0, FALSE },
    { ".", 1, 0, FALSE },
    { "1.", 1, 0, FALSE },
    { ".5", 1000, 0, FALSE },
    { "1e3", 1, 0, FALSE },
    { "-1", 1, 0, FALSE },
    { "1.5.5", 1000, 0, FALSE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    uint64_t ns = 0;
    const gboolean ok = text_parse_time (row[i].text, strlen (row[i].text), row[i].unit, &ns);
    ROW_CHECK (ok == row[i].ok && (!ok || ns == row[i].ns), "%s: %" G_GUINT64_FORMAT, row[i].text, ns);
  }
}

void register_text_trace_tests (void);
void register_text_trace_tests (void)
{
  static CU_TestInfo tests[] = {
    { "iolog version 1", test_iolog_v1 },
    { "CSV", test_csv },
    { "strace", test_strace },
    { "strace samples", test_strace_samples },
    { "too many names", test_too_many_names },
    { "a long line", test_long_line },
    { "detection", test_detect },
    { "times", test_parse_time },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "text_trace", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
