/*
 * strace -f -ttt text of programs that read and write by system calls, as a trace.  See text_trace.h, strace_line.h.
 *
 * File descriptors are followed from open() on: positions of read() and write(), dup(), and what children share or
 * copy. A request arrives when its call starts, and is as long as what the call returned; calls that failed are none.
 */
#include "src/engine/histogram.h"
#include "src/input/input_error.h"
#include "src/input/strace_fds.h"
#include "src/input/strace_line.h"
#include <string.h>

enum { PROCESSES_MAX = 1 << 16, WAITING_MAX = 1 << 16 };

typedef struct {
  Descriptors *fds;
  GString *unfinished; /* arguments so far (nullable) */
  char *call;          /* its name */
  uint64_t time;       /* when it started */
  uint64_t place;      /* in the queue; UINT64_MAX: it has none */
} Process;

/* A request in the order of starts: calls that end later hold their place. */
typedef struct {
  gboolean done, dropped;
  Io io;
} Waiting;

typedef struct {
  TextPass *pass;
  StraceFiles files;
  GHashTable *processes; /* pid -> Process */
  gboolean broken;
  uint64_t broken_pid; /* whose line was broken off by news of strace */
  uint64_t main;       /* pid of the first process, once it is known */
  GArray *waiting;     /* of Waiting */
  guint head;
  uint64_t base; /* number of waiting[0] in all */
  /* facts */
  uint64_t calls, opens, failed, ends, unknown_fds, elsewhere, direct, buffered, synchronous, no_place;
  UrHistogram latency;
} Strace;

/* ---- processes ---- */

static void process_free (Strace *strace, Process *process)
{
  descriptors_unref (&strace->files, process->fds);
  if (process->unfinished) {
    g_string_free (process->unfinished, TRUE);
  }
  g_free (process->call);
  g_free (process);
}

/* `fds` is taken over. */
static Process *add_process (Strace *strace, uint64_t pid, Descriptors *fds)
{
  Process *process = g_new0 (Process, 1);
  process->fds = fds;
  process->place = UINT64_MAX;
  if (g_hash_table_size (strace->processes) >= PROCESSES_MAX) {
    text_pass_give_up (strace->pass, "more than %d processes at a time", PROCESSES_MAX);
  }
  g_hash_table_insert (strace->processes, g_memdup2 (&pid, sizeof pid), process);
  return process;
}

static gboolean is_clone (const char *name)
{
  return g_str_has_prefix (name, "clone") || !strcmp (name, "fork") || !strcmp (name, "vfork");
}

static Descriptors *childs_fds (Strace *strace, const Process *parent, gboolean shared)
{
  if (shared) {
    parent->fds->references++;
    return parent->fds;
  }
  return descriptors_copy (&strace->files, parent->fds);
}

/* A process that nobody has announced: the child of a clone() that has not come back. */
static Descriptors *fds_of_stranger (Strace *strace)
{
  GHashTableIter iter;
  gpointer value;
  const Process *parent = NULL;
  g_hash_table_iter_init (&iter, strace->processes);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Process *process = value;
    if (process->unfinished && is_clone (process->call) && (!parent || process->time < parent->time)) {
      parent = process;
    }
  }
  return parent ? childs_fds (strace, parent, strstr (parent->unfinished->str, "CLONE_FILES") != NULL)
                : descriptors_new ();
}

/* strace names processes only while there are several.  "[pid 7]" may be the one that had no name so far, but not if
 * that is about to have a child; a call that it resumes is surely its own. */
static Process *name_main (Strace *strace, uint64_t pid, gboolean resumes)
{
  static const uint64_t unnamed = 0;
  Process *first = g_hash_table_lookup (strace->processes, &unnamed);
  gpointer key;
  if (!first || (first->unfinished && is_clone (first->call) && !resumes)) {
    return NULL;
  }
  g_hash_table_steal_extended (strace->processes, &unnamed, &key, NULL);
  g_free (key);
  g_hash_table_insert (strace->processes, g_memdup2 (&pid, sizeof pid), first);
  strace->main = pid;
  return first;
}

static Process *find_process (Strace *strace, uint64_t pid, gboolean resumes)
{
  Process *process = g_hash_table_lookup (strace->processes, &pid);
  if (!process && pid == 0) {
    GHashTableIter iter;
    gpointer only;
    process = g_hash_table_lookup (strace->processes, &strace->main);
    g_hash_table_iter_init (&iter, strace->processes);
    if (!process && g_hash_table_size (strace->processes) == 1 && g_hash_table_iter_next (&iter, NULL, &only)) {
      process = only;
    }
  } else if (!process) {
    process = name_main (strace, pid, resumes);
  }
  return process ? process : add_process (strace, pid, fds_of_stranger (strace));
}

static void drop_place (Strace *strace, uint64_t place)
{
  if (place != UINT64_MAX && place >= strace->base + strace->head) {
    g_array_index (strace->waiting, Waiting, place - strace->base).dropped = TRUE;
  }
}

static void end_process (Strace *strace, uint64_t pid)
{
  Process *process = g_hash_table_lookup (strace->processes, &pid);
  if (process) {
    drop_place (strace, process->place);
    g_hash_table_remove (strace->processes, &pid);
    process_free (strace, process);
  }
}

/* ---- requests ---- */

static const struct {
  const char *name;
  IoOp op;
  int offset; /* argument that says where; -1: the file's position, -2: none */
} io_calls[] = {
  { "read", IO_READ, -1 },   { "readv", IO_READ, -1 },         { "pread64", IO_READ, 3 },
  { "pread", IO_READ, 3 },   { "preadv", IO_READ, 3 },         { "preadv2", IO_READ, 3 },
  { "write", IO_WRITE, -1 }, { "writev", IO_WRITE, -1 },       { "pwrite64", IO_WRITE, 3 },
  { "pwrite", IO_WRITE, 3 }, { "pwritev", IO_WRITE, 3 },       { "pwritev2", IO_WRITE, 3 },
  { "fsync", IO_SYNC, -2 },  { "fdatasync", IO_DATASYNC, -2 }, { "sync_file_range", IO_SYNC_FILE_RANGE, -2 },
};

static int find_io_call (const char *name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (io_calls); i++) {
    if (!strcmp (name, io_calls[i].name)) {
      return (int) i;
    }
  }
  return -1;
}

static uint64_t new_place (Strace *strace)
{
  const Waiting waiting = { 0 };
  g_array_append_val (strace->waiting, waiting);
  return strace->base + strace->waiting->len - 1;
}

static void fill_place (Strace *strace, uint64_t place, const Io *io)
{
  if (place < strace->base + strace->head) {
    strace->no_place++; /* it was given up: too many others came meanwhile */
    place = new_place (strace);
  }
  g_array_index (strace->waiting, Waiting, place - strace->base) = (Waiting){ .done = TRUE, .io = *io };
}

static gboolean strace_ready (gpointer state, gboolean ended, Io *ret_io)
{
  Strace *strace = state;
  while (strace->head < strace->waiting->len) {
    const Waiting *first = &g_array_index (strace->waiting, Waiting, strace->head);
    if (!first->done && !first->dropped && !ended && strace->waiting->len - strace->head < WAITING_MAX) {
      return FALSE;
    }
    *ret_io = first->io;
    const gboolean done = first->done;
    strace->head++;
    if (strace->head == strace->waiting->len || strace->head == WAITING_MAX) {
      g_array_remove_range (strace->waiting, 0, strace->head);
      strace->base += strace->head;
      strace->head = 0;
    }
    if (done) {
      return TRUE;
    }
  }
  return FALSE;
}

static char *argument_problem (const char *name, const StraceCall *call, unsigned index, const char *expected)
{
  g_autofree char *found = index < call->n ? input_quote (call->arg[index], call->length[index], 40) : g_strdup ("");
  return g_strdup_printf ("%s(): argument %u is \"%s\"; expected %s", name, index + 1, found, expected);
}

/* Where a read or write was, and where the next one without an offset will be.  NULL, or what is wrong. */
static char *take_offset (int index, const StraceCall *call, OpenFile *open, Io *io)
{
  int64_t offset = -1;
  const int at = io_calls[index].offset;
  if (at >= 0 && (!strace_arg_number (call, (unsigned) at, &offset) || offset < -1)) {
    return argument_problem (io_calls[index].name, call, (unsigned) at, "an offset");
  }
  const gboolean moves = offset < 0;
  io->offset = moves ? open->position : (uint64_t) offset;
  if (open->append && io->op == IO_WRITE) {
    io->offset = open->file->end;
  }
  if (io->length > G_MAXINT64 - MIN (io->offset, G_MAXINT64)) {
    return g_strdup ("offset plus length passes 2^63-1, the end of the largest file");
  }
  const uint64_t end = io->offset + io->length;
  if (moves) {
    open->position = end;
  }
  if (io->op == IO_WRITE) {
    open->file->end = MAX (open->file->end, end);
  }
  return NULL;
}

/* The descriptor of the first argument; one of before the trace if strace says its path. */
static Descriptor *descriptor_of (Strace *strace, Process *process, const StraceCall *call)
{
  int64_t fd;
  if (!strace_arg_number (call, 0, &fd)) {
    return NULL;
  }
  Descriptor *descriptor = descriptors_find (process->fds, fd);
  char *path = descriptor ? NULL : strace_arg_path (call, 0);
  if (path) {
    OpenFile *open = open_file_new (&strace->files, path);
    open->references++;
    descriptors_put (&strace->files, process->fds, fd, open, FALSE);
    open_file_unref (open);
    descriptor = descriptors_find (process->fds, fd);
  }
  return descriptor;
}

/* A call that ended, at its place in the order of starts. NULL, or what is wrong with it. */
static char *take_request (Strace *strace, Process *process, int index, const StraceCall *call, uint64_t time,
                           uint64_t place)
{
  Descriptor *descriptor = descriptor_of (strace, process, call);
  const IoOp op = io_calls[index].op;
  char *problem = NULL;
  gboolean is_request = FALSE;
  if (!descriptor) {
    strace->unknown_fds++;
  } else if (!call->has_result || call->result < 0) {
    strace->failed++;
  } else if (op <= IO_TRIM && call->result == 0) {
    strace->ends++;
  } else {
    OpenFile *open = descriptor->open;
    Io io = { .arrival = time, .op = op, .length = op <= IO_TRIM ? (uint64_t) call->result : 0 };
    problem = op <= IO_TRIM ? take_offset (index, call, open, &io) : NULL;
    is_request = !problem;
    if (is_request) {
      if (open->file->index == IOLOG_NAME_NONE) {
        open->file->index =
            text_pass_file (strace->pass, open->file->path, MIN (strlen (open->file->path), IOLOG_NAME_LIMIT));
      }
      io.file = open->file->index;
      strace->direct += op <= IO_TRIM && open->direct;
      strace->buffered += op <= IO_TRIM && !open->direct;
      if (call->has_duration) {
        ur_histogram_record (&strace->latency, call->duration);
      }
      fill_place (strace, place == UINT64_MAX ? new_place (strace) : place, &io);
    }
  }
  if (!is_request) {
    drop_place (strace, place);
  }
  return problem;
}

/* ---- other calls ---- */

static char *absolute_path (const StraceCall *call, unsigned index)
{
  g_autofree char *path = strace_arg_string (call, index);
  g_autofree char *directory = path && *path != '/' && index > 0 ? strace_arg_path (call, index - 1) : NULL;
  return directory ? g_build_filename (directory, path, NULL) : g_steal_pointer (&path);
}

static void take_open (Strace *strace, Process *process, const char *name, const StraceCall *call)
{
  const unsigned at = g_str_has_prefix (name, "openat") ? 1 : 0;
  const unsigned flags = at + 1;
  const gboolean create = !strcmp (name, "creat");
  char *path = absolute_path (call, at);
  if (!path || !*path || strace_arg_contains (call, flags, "O_DIRECTORY")) {
    descriptors_remove (&strace->files, process->fds, call->result);
    g_free (path);
    return;
  }
  OpenFile *open = open_file_new (&strace->files, path);
  open->references = 1;
  open->append = strace_arg_contains (call, flags, "O_APPEND");
  open->direct = strace_arg_contains (call, flags, "O_DIRECT");
  strace->synchronous += strace_arg_contains (call, flags, "O_SYNC") || strace_arg_contains (call, flags, "O_DSYNC");
  if (create || strace_arg_contains (call, flags, "O_TRUNC")) {
    open->file->end = 0;
  }
  strace->opens++;
  descriptors_put (&strace->files, process->fds, call->result, open, strace_arg_contains (call, flags, "O_CLOEXEC"));
  open_file_unref (open);
}

static void take_dup (Strace *strace, Process *process, const StraceCall *call, gboolean close_on_exec)
{
  int64_t fd;
  Descriptor *descriptor = strace_arg_number (call, 0, &fd) ? descriptors_find (process->fds, fd) : NULL;
  if (!descriptor) {
    descriptors_remove (&strace->files, process->fds, call->result);
  } else if (fd != call->result) {
    descriptors_put (&strace->files, process->fds, call->result, descriptor->open, close_on_exec);
  }
}

static gboolean is_within (gpointer fd, gpointer descriptor, gpointer data)
{
  const int64_t *range = data;
  (void) descriptor;
  return GPOINTER_TO_INT (fd) >= range[0] && GPOINTER_TO_INT (fd) <= range[1];
}

static gboolean closes_on_exec (gpointer fd, gpointer descriptor, gpointer data)
{
  (void) fd;
  (void) data;
  return ((Descriptor *) descriptor)->close_on_exec;
}

static void take_execve (Strace *strace, Process *process)
{
  if (process->fds->references > 1) { /* shared no more */
    Descriptors *own = descriptors_copy (&strace->files, process->fds);
    descriptors_unref (&strace->files, process->fds);
    process->fds = own;
  }
  descriptors_remove_if (&strace->files, process->fds, closes_on_exec, NULL);
}

static void take_clone (Strace *strace, Process *process, const StraceCall *call)
{
  gboolean shared = FALSE;
  const uint64_t child = (uint64_t) call->result;
  for (unsigned i = 0; i < call->n; i++) {
    shared |= strace_arg_contains (call, i, "CLONE_FILES");
  }
  if (child && !g_hash_table_contains (strace->processes, &child)) {
    add_process (strace, child, childs_fds (strace, process, shared));
  }
}

static void take_fcntl (Strace *strace, Process *process, const StraceCall *call)
{
  int64_t fd;
  if (strace_arg_contains (call, 1, "F_DUPFD")) {
    take_dup (strace, process, call, strace_arg_contains (call, 1, "CLOEXEC"));
  } else if (strace_arg_contains (call, 1, "F_SETFD") && strace_arg_number (call, 0, &fd)) {
    Descriptor *descriptor = descriptors_find (process->fds, fd);
    if (descriptor) {
      descriptor->close_on_exec = strace_arg_contains (call, 2, "FD_CLOEXEC");
    }
  }
}

static void take_close (Strace *strace, Process *process, const char *name, const StraceCall *call)
{
  int64_t range[2];
  if (!strace_arg_number (call, 0, &range[0])) {
    return;
  }
  if (!strcmp (name, "close")) {
    descriptors_remove (&strace->files, process->fds, range[0]);
  } else if (!strace_arg_contains (call, 2, "CLOEXEC")) {
    if (!strace_arg_number (call, 1, &range[1])) {
      range[1] = G_MAXINT64;
    }
    descriptors_remove_if (&strace->files, process->fds, is_within, range);
  }
}

static void take_lseek (Process *process, const StraceCall *call)
{
  int64_t fd;
  Descriptor *descriptor = strace_arg_number (call, 0, &fd) ? descriptors_find (process->fds, fd) : NULL;
  if (descriptor && !strace_arg_contains (call, 2, "SEEK_DATA") && !strace_arg_contains (call, 2, "SEEK_HOLE")) {
    descriptor->open->position = (uint64_t) call->result;
    if (strace_arg_contains (call, 2, "SEEK_END") && call->n > 1 && call->length[1] == 1 && *call->arg[1] == '0') {
      descriptor->open->file->end = (uint64_t) call->result;
    }
  } else if (descriptor) {
    descriptor->open->position = (uint64_t) call->result;
  }
}

/* Calls whose result is a descriptor that is no file. */
static gboolean makes_other_fd (const char *name)
{
  static const char *const names[] = { "socket",         "accept",        "accept4",
                                       "epoll_create",   "epoll_create1", "eventfd",
                                       "eventfd2",       "signalfd4",     "timerfd_create",
                                       "pidfd_open",     "inotify_init1", "memfd_create",
                                       "io_uring_setup", "userfaultfd",   NULL };
  return g_strv_contains (names, name);
}

/* Calls that move data of files in ways that are not followed. */
static gboolean moves_elsewhere (const char *name)
{
  static const char *const names[] = { "mmap",           "sendfile", "copy_file_range", "splice", "io_submit",
                                       "io_uring_enter", NULL };
  return g_strv_contains (names, name);
}

static void take_other (Strace *strace, Process *process, const char *name, const StraceCall *call)
{
  int64_t fd;
  if (!call->has_result || call->result < 0) {
    if (moves_elsewhere (name) && !strcmp (name, "mmap") && strace_arg_number (call, 4, &fd)) {
      strace->elsewhere += descriptors_find (process->fds, fd) && strace_arg_contains (call, 3, "MAP_SHARED");
    }
    return;
  }
  if (!strcmp (name, "open") || !strcmp (name, "creat") || g_str_has_prefix (name, "openat")) {
    take_open (strace, process, name, call);
  } else if (!strcmp (name, "close") || !strcmp (name, "close_range")) {
    take_close (strace, process, name, call);
  } else if (!strcmp (name, "lseek") || !strcmp (name, "_llseek")) {
    take_lseek (process, call);
  } else if (g_str_has_prefix (name, "dup")) {
    take_dup (strace, process, call, strace_arg_contains (call, 2, "O_CLOEXEC"));
  } else if (g_str_has_prefix (name, "fcntl")) {
    take_fcntl (strace, process, call);
  } else if (is_clone (name)) {
    take_clone (strace, process, call);
  } else if (!strcmp (name, "execve") || !strcmp (name, "execveat")) {
    take_execve (strace, process);
  } else if (makes_other_fd (name)) {
    descriptors_remove (&strace->files, process->fds, call->result);
  } else if (moves_elsewhere (name)) {
    strace->elsewhere++;
  }
}

/* ---- lines ---- */

static char *take_call (Strace *strace, Process *process, const char *name, const char *args, gsize length,
                        uint64_t time, uint64_t place)
{
  StraceCall call;
  const int index = find_io_call (name);
  strace->calls++;
  if (!strace_call_parse (args, length, &call)) {
    drop_place (strace, place);
    g_autofree char *found = input_quote (args, length, 60);
    return index >= 0 ? g_strdup_printf ("%s(%s: expected arguments, \")\" and a result", name, found) : NULL;
  }
  if (index >= 0) {
    return take_request (strace, process, index, &call, time, place);
  }
  take_other (strace, process, name, &call);
  return NULL;
}

/* A call that goes on later.  Those that may become a request of a file keep their place in the order. */
static void take_unfinished (Strace *strace, Process *process, const StraceLine *line)
{
  if (process->unfinished) {
    g_string_free (process->unfinished, TRUE);
    drop_place (strace, process->place);
  }
  g_free (process->call);
  process->call = g_strndup (line->name, line->name_length);
  process->unfinished = g_string_new_len (line->args, (gssize) line->args_length);
  process->time = line->time;
  process->place = UINT64_MAX;
  if (find_io_call (process->call) >= 0) {
    StraceCall call;
    g_autofree char *closed = g_strdup_printf ("%s)", process->unfinished->str);
    if (strace_call_parse (closed, strlen (closed), &call) && descriptor_of (strace, process, &call)) {
      process->place = new_place (strace);
    }
  }
}

static char *take_resumed (Strace *strace, Process *process, const StraceLine *line)
{
  if (!process->unfinished || strlen (process->call) != line->name_length ||
      memcmp (process->call, line->name, line->name_length)) {
    return NULL; /* it began before the trace */
  }
  GString *args = g_steal_pointer (&process->unfinished);
  const uint64_t place = process->place;
  process->place = UINT64_MAX;
  g_string_append_len (args, line->args, (gssize) line->args_length);
  char *problem = take_call (strace, process, process->call, args->str, args->len, process->time, place);
  g_string_free (args, TRUE);
  return problem;
}

/* The rest of a line that news of strace broke off. */
static StraceKind read_rest (Strace *strace, const ByteLine *text, StraceLine *line)
{
  const uint64_t *pid =
      g_hash_table_contains (strace->processes, &strace->broken_pid) ? &strace->broken_pid : &strace->main;
  const Process *process = g_hash_table_lookup (strace->processes, pid);
  if (!process || !process->unfinished) {
    return STRACE_BAD;
  }
  *line = (StraceLine){ .pid = *pid,
                        .name = process->call,
                        .name_length = strlen (process->call),
                        .args = text->text,
                        .args_length = text->length };
  return STRACE_RESUMED;
}

static TextResult strace_line (gpointer state, TextPass *pass, const ByteLine *text, Io *ret_io, char **ret_problem)
{
  Strace *strace = state;
  StraceLine line;
  (void) pass;
  (void) ret_io;
  if (text->length == 0) {
    return TEXT_NOTHING;
  }
  StraceKind kind = strace_line_parse (text->text, text->length, &line);
  if (kind == STRACE_BAD && strace->broken) {
    kind = read_rest (strace, text, &line);
  }
  strace->broken = line.broken;
  strace->broken_pid = line.pid;
  if (kind == STRACE_BAD) {
    g_autofree char *found = input_quote (text->text, text->length, 60);
    *ret_problem =
        g_strdup_printf ("found \"%s\"; expected a line of strace -f -ttt: [PID] SECONDS.MICROSECONDS CALL(...) "
                         "= RESULT",
                         found);
    return TEXT_DEFECT;
  }
  if (kind == STRACE_REMARK) {
    return TEXT_NOTHING;
  }
  if (kind == STRACE_EXITED) {
    end_process (strace, line.pid);
    return TEXT_NOTHING;
  }
  Process *process = find_process (strace, line.pid, kind == STRACE_RESUMED);
  if (kind == STRACE_UNFINISHED) {
    take_unfinished (strace, process, &line);
  } else if (kind == STRACE_RESUMED) {
    *ret_problem = take_resumed (strace, process, &line);
  } else {
    g_autofree char *name = g_strndup (line.name, line.name_length);
    *ret_problem = take_call (strace, process, name, line.args, line.args_length, line.time, UINT64_MAX);
  }
  return *ret_problem ? TEXT_DEFECT : TEXT_NOTHING;
}

/* ---- passes ---- */

static gpointer strace_start (TextPass *pass)
{
  Strace *strace = g_new0 (Strace, 1);
  strace->pass = pass;
  strace_files_init (&strace->files, pass);
  strace->processes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  strace->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  ur_histogram_init (&strace->latency);
  return strace;
}

static void strace_free (gpointer state)
{
  Strace *strace = state;
  GHashTableIter iter;
  gpointer process;
  g_hash_table_iter_init (&iter, strace->processes);
  while (g_hash_table_iter_next (&iter, NULL, &process)) {
    process_free (strace, process);
  }
  g_hash_table_unref (strace->processes);
  strace_files_clear (&strace->files);
  g_array_unref (strace->waiting);
  g_free (strace);
}

static void add_warnings (const Strace *strace, TraceInfo *info)
{
  if (strace->elsewhere) {
    trace_warn (info,
                "%" G_GUINT64_FORMAT
                " calls of mmap, sendfile, copy_file_range, splice, io_submit or io_uring_enter may "
                "move data of files; they are not followed",
                strace->elsewhere);
  }
  if (strace->synchronous) {
    trace_warn (info, "%" G_GUINT64_FORMAT " files are opened with O_SYNC or O_DSYNC; they are replayed without",
                strace->synchronous);
  }
  if (strace->direct && strace->buffered) {
    trace_warn (info,
                "%" G_GUINT64_FORMAT " requests are on files opened with O_DIRECT; they are replayed buffered, as the "
                "other %" G_GUINT64_FORMAT,
                strace->direct, strace->buffered);
  }
  if (strace->no_place) {
    trace_warn (info, "%" G_GUINT64_FORMAT " calls took longer than %d others; they arrive too late", strace->no_place,
                WAITING_MAX);
  }
}

static gboolean strace_finish (gpointer state, Trace *trace, GError **error)
{
  const Strace *strace = state;
  TraceInfo *info = &trace->info;
  GArray *facts = info->facts;
  (void) error;
  info->has_times = TRUE;
  trace_add_number (facts, "calls", strace->calls);
  trace_add_number (facts, "opens", strace->opens);
  trace_add_number (facts, "failed", strace->failed);
  trace_add_number (facts, "ends", strace->ends);
  trace_add_number (facts, "unknown_fds", strace->unknown_fds);
  if (strace->latency.n) {
    trace_add_number (facts, "latencies", strace->latency.n);
    trace_add_number (facts, "latency_mean_ns", (uint64_t) ur_histogram_mean (&strace->latency));
    trace_add_number (facts, "latency_min_ns", strace->latency.min);
    trace_add_number (facts, "latency_max_ns", strace->latency.max);
  }
  trace_add_text (info->interpretation, "arrival", "start of the system call");
  trace->direct = strace->direct > 0 && strace->buffered == 0;
  trace->unsaid =
      g_strdup ("strace does not say cache or sizes of files: all processes and threads are one stream, files "
                "as large as the highest end");
  add_warnings (strace, info);
  return TRUE;
}

const TextFormat strace_format = {
  .name = "strace",
  .start = strace_start,
  .free = strace_free,
  .line = strace_line,
  .ready = strace_ready,
  .finish = strace_finish,
};
