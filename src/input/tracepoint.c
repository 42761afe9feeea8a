/*
 * From lines of kernel trace text to events of tasks, rings and requests.  See tracepoint.h.
 */
#include "src/input/tracepoint.h"
#include "src/input/input_error.h"
#include "src/input/tracepoint_line.h"
#include <string.h>

/* A request between its submission and its completion. */
typedef struct {
  uint64_t number;
  uint64_t address, user_data;
  gboolean has_address, has_user_data;
} Flight;

typedef struct {
  uint64_t id;
  unsigned number;
  uint64_t submitted;
  GHashTable *by_address, *by_user_data; /* of Flight; one of the two tables may miss it */
  GHashTable *flights;                   /* the owner: a set */
  Flight *latest;                        /* (nullable) submitted last, still in flight */
} RingState;

typedef struct {
  unsigned number;
  TaskRole role;
} TaskState;

struct TracepointReader {
  ByteSource *source;
  ByteStream *stream;
  uint64_t line;
  GHashTable *rings;        /* of RingState, by id */
  GHashTable *tasks_by_pid; /* pid -> number */
  GArray *tasks;            /* of TaskState */
  uint64_t in_flight;
  TracepointInfo info;
};

#define TRACEPOINT_NAME(id, name) name,
static const char *const names[] = { TRACEPOINTS (TRACEPOINT_NAME) };

const char *tracepoint_name (TracepointKind kind) { return names[kind]; }

static void ring_state_free (gpointer data)
{
  RingState *ring = data;
  g_hash_table_unref (ring->by_address);
  g_hash_table_unref (ring->by_user_data);
  g_hash_table_unref (ring->flights);
  g_free (ring);
}

TracepointReader *tracepoint_reader_new (ByteSource *source, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  if (!stream) {
    return NULL;
  }
  TracepointReader *reader = g_new0 (TracepointReader, 1);
  reader->source = byte_source_ref (source);
  reader->stream = stream;
  reader->rings = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, ring_state_free);
  reader->tasks_by_pid = g_hash_table_new (NULL, NULL);
  reader->tasks = g_array_new (FALSE, FALSE, sizeof (TaskState));
  return reader;
}

void tracepoint_reader_free (TracepointReader *reader)
{
  if (!reader) {
    return;
  }
  byte_stream_free (reader->stream);
  byte_source_unref (reader->source);
  g_hash_table_unref (reader->rings);
  g_hash_table_unref (reader->tasks_by_pid);
  g_array_unref (reader->tasks);
  g_free (reader);
}

static int fail (const TracepointReader *reader, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static int fail (const TracepointReader *reader, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", byte_source_name (reader->source),
               reader->line, text);
  return -1;
}

static int fail_field (const TracepointReader *reader, const TraceLine *line, const char *expected, GError **error)
{
  g_autofree char *quoted = input_quote (line->payload, strlen (line->payload), 60);
  return fail (reader, error, "%.*s: found \"%s\"; expected %s", (int) line->event_length, line->event, quoted,
               expected);
}

/* ---- tasks ---- */

static TaskRole role_of_name (const char *comm, gsize length)
{
  static const struct {
    const char *prefix;
    TaskRole role;
  } row[] = {
    { "iou-wrk-", TASK_ROLE_WORKER },
    { "io_wqe_worker-", TASK_ROLE_WORKER },
    { "iou-sqp-", TASK_ROLE_SQ_THREAD },
    { "io_uring-sq", TASK_ROLE_SQ_THREAD },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    const gsize n = strlen (row[i].prefix);
    if (length >= n && !memcmp (comm, row[i].prefix, n)) {
      return row[i].role;
    }
  }
  return TASK_ROLE_OTHER;
}

/* The number of a task.  A thread is shown under its maker's name until it has taken its own: the latest name that
 * says something counts, except that a worker of io-wq starts as a copy of the application or the sq_thread. */
static gboolean know_task (TracepointReader *reader, uint64_t pid, const char *comm, gsize length, unsigned *ret_task,
                           GError **error)
{
  const gpointer key = GSIZE_TO_POINTER (pid);
  gpointer known;
  if (!g_hash_table_lookup_extended (reader->tasks_by_pid, key, NULL, &known)) {
    if (reader->tasks->len >= TRACEPOINT_TASKS_MAX) {
      fail (reader, error, "more than %u tasks", TRACEPOINT_TASKS_MAX);
      return FALSE;
    }
    const TaskState state = { .number = reader->tasks->len, .role = TASK_ROLE_OTHER };
    known = GUINT_TO_POINTER (state.number);
    g_array_append_val (reader->tasks, state);
    g_hash_table_insert (reader->tasks_by_pid, key, known);
  }
  TaskState *state = &g_array_index (reader->tasks, TaskState, GPOINTER_TO_UINT (known));
  const TaskRole role = role_of_name (comm, length);
  if (role != TASK_ROLE_OTHER && state->role != TASK_ROLE_WORKER) {
    state->role = role;
  }
  *ret_task = state->number;
  return TRUE;
}

/* Who sets up a ring, submits or waits is an application, unless its name says more. */
static void is_application (TracepointReader *reader, unsigned task)
{
  TaskState *state = &g_array_index (reader->tasks, TaskState, task);
  if (state->role == TASK_ROLE_OTHER) {
    state->role = TASK_ROLE_APPLICATION;
  }
}

/* ---- rings and requests ---- */

static RingState *know_ring (TracepointReader *reader, const TraceLine *line, GError **error)
{
  uint64_t id;
  if (trace_line_number (line->payload, "ring", 16, &id) <= 0) {
    fail_field (reader, line, "\"ring ADDRESS\"", error);
    return NULL;
  }
  RingState *ring = g_hash_table_lookup (reader->rings, &id);
  if (!ring) {
    const unsigned n = g_hash_table_size (reader->rings);
    if (n >= TRACEPOINT_RINGS_MAX) {
      fail (reader, error, "more than %u rings", TRACEPOINT_RINGS_MAX);
      return NULL;
    }
    ring = g_new0 (RingState, 1);
    ring->id = id;
    ring->number = n;
    ring->by_address = g_hash_table_new (g_int64_hash, g_int64_equal);
    ring->by_user_data = g_hash_table_new (g_int64_hash, g_int64_equal);
    ring->flights = g_hash_table_new_full (NULL, NULL, g_free, NULL);
    g_hash_table_insert (reader->rings, &ring->id, ring);
  }
  return ring;
}

/* Taken out of a table only if the table's entry is this one: another request may have taken the key over. */
static void forget_key (GHashTable *table, const uint64_t *key, const Flight *flight)
{
  if (g_hash_table_lookup (table, key) == flight) {
    g_hash_table_remove (table, key);
  }
}

static void end_flight (TracepointReader *reader, RingState *ring, Flight *flight)
{
  if (flight->has_address) {
    forget_key (ring->by_address, &flight->address, flight);
  }
  if (flight->has_user_data) {
    forget_key (ring->by_user_data, &flight->user_data, flight);
  }
  if (ring->latest == flight) {
    ring->latest = NULL;
  }
  reader->in_flight--;
  g_hash_table_remove (ring->flights, flight);
}

/* Address and user_data as far as the event prints them. -1 with error set. */
static int read_keys (const TracepointReader *reader, const TraceLine *line, Flight *ret, GError **error)
{
  int found = trace_line_number (line->payload, "req", 16, &ret->address);
  found = found ? found : trace_line_number (line->payload, "request", 16, &ret->address);
  if (found < 0) {
    return fail_field (reader, line, "a request's address in hexadecimal", error);
  }
  ret->has_address = found > 0;
  found = trace_line_number (line->payload, "user_data", 16, &ret->user_data);
  found = found ? found : trace_line_number (line->payload, "data", 16, &ret->user_data);
  if (found < 0) {
    return fail_field (reader, line, "user_data in hexadecimal", error);
  }
  ret->has_user_data = found > 0;
  return 0;
}

static int submit (TracepointReader *reader, const TraceLine *line, RingState *ring, Tracepoint *event, GError **error)
{
  Flight keys = { 0 };
  if (read_keys (reader, line, &keys, error) < 0) {
    return -1;
  }
  if (!keys.has_address && !keys.has_user_data) {
    return fail_field (reader, line, "\"req ADDRESS\" or \"user_data 0x...\"", error);
  }
  Flight *before = keys.has_address ? g_hash_table_lookup (ring->by_address, &keys.address)
                                    : g_hash_table_lookup (ring->by_user_data, &keys.user_data);
  if (before) {
    reader->info.unfinished++;
    end_flight (reader, ring, before);
  }
  if (reader->in_flight >= TRACEPOINT_FLIGHT_MAX) {
    return fail (reader, error, "more than %u requests without a completion", TRACEPOINT_FLIGHT_MAX);
  }
  keys.number = event->request = ring->submitted++;
  Flight *flight = g_memdup2 (&keys, sizeof keys);
  g_hash_table_add (ring->flights, flight);
  reader->in_flight++;
  if (flight->has_address) {
    g_hash_table_replace (ring->by_address, &flight->address, flight);
  }
  if (flight->has_user_data) {
    g_hash_table_replace (ring->by_user_data, &flight->user_data, flight);
  }
  ring->latest = flight;
  is_application (reader, event->task);
  return 1;
}

/* The request an event speaks of.  Before addresses were printed at submission, the first event with one is the latest
 * request's, as it comes from the attempt. */
static Flight *find_flight (RingState *ring, const Flight *keys)
{
  Flight *flight = keys->has_address ? g_hash_table_lookup (ring->by_address, &keys->address) : NULL;
  if (!flight && keys->has_user_data) {
    flight = g_hash_table_lookup (ring->by_user_data, &keys->user_data);
    if (flight && flight->has_address && keys->has_address && flight->address != keys->address) {
      return NULL;
    }
  }
  if (!flight && !keys->has_user_data && ring->latest && !ring->latest->has_address) {
    flight = ring->latest;
  }
  if (flight && keys->has_address && !flight->has_address) {
    flight->address = keys->address;
    flight->has_address = TRUE;
    g_hash_table_replace (ring->by_address, &flight->address, flight);
  }
  return flight;
}

static int of_request (TracepointReader *reader, const TraceLine *line, RingState *ring, Tracepoint *event,
                       GError **error)
{
  Flight keys = { 0 };
  if (read_keys (reader, line, &keys, error) < 0) {
    return -1;
  }
  event->request = TRACEPOINT_NO_REQUEST;
  if (event->kind == TRACEPOINT_QUEUE_ASYNC_WORK) {
    event->hashed = strstr (line->payload, "hashed queue") != NULL;
    if (!event->hashed && !strstr (line->payload, "normal queue")) {
      return fail_field (reader, line, "\"hashed queue\" or \"normal queue\"", error);
    }
  }
  if (keys.has_address && keys.address == 0) { /* a CQE that belongs to no request */
    return 1;
  }
  Flight *flight = find_flight (ring, &keys);
  if (!flight) {
    reader->info.strays++;
    return 1;
  }
  event->request = flight->number;
  if (event->kind == TRACEPOINT_COMPLETE) {
    end_flight (reader, ring, flight);
  }
  return 1;
}

static int count_of (const TracepointReader *reader, const TraceLine *line, const char *key, Tracepoint *event,
                     GError **error)
{
  uint64_t count;
  if (trace_line_number (line->payload, key, 10, &count) <= 0 || count > UINT32_MAX) {
    g_autofree char *expected = g_strdup_printf ("\"%s NUMBER\"", key);
    return fail_field (reader, line, expected, error);
  }
  event->count = (unsigned) count;
  return 1;
}

/* 32768 SQ entries are the kernel's own limit; what is printed otherwise is no size. */
static int create (TracepointReader *reader, const TraceLine *line, Tracepoint *event, GError **error)
{
  uint64_t sq, cq, flags;
  const int got_sq = trace_line_number (line->payload, "sq size", 10, &sq);
  const int got_cq = trace_line_number (line->payload, "cq size", 10, &cq);
  const int got_flags = trace_line_number (line->payload, "flags", 16, &flags);

  is_application (reader, event->task);
  if (got_sq < 0 || got_cq < 0 || got_flags < 0 || (got_sq && sq > 32768) || (got_cq && cq > 65536) ||
      (got_flags && flags > UINT32_MAX)) {
    return fail_field (reader, line, "\"sq size NUMBER, cq size NUMBER, flags 0xNUMBER\"", error);
  }
  if (got_sq && got_cq && got_flags) {
    event->sq_entries = (unsigned) sq;
    event->cq_entries = (unsigned) cq;
    event->flags = (unsigned) flags;
  }
  return 1;
}

static int read_ring_event (TracepointReader *reader, const TraceLine *line, Tracepoint *event, GError **error)
{
  RingState *ring = know_ring (reader, line, error);
  if (!ring) {
    return -1;
  }
  event->ring = ring->number;
  event->request = TRACEPOINT_NO_REQUEST;
  switch (event->kind) {
  case TRACEPOINT_CREATE:
    return create (reader, line, event, error);
  case TRACEPOINT_SUBMIT:
    return submit (reader, line, ring, event, error);
  case TRACEPOINT_CQRING_WAIT:
    is_application (reader, event->task);
    return count_of (reader, line, "min_events", event, error);
  case TRACEPOINT_LOCAL_WORK_RUN:
    return count_of (reader, line, "count", event, error);
  default:
    return of_request (reader, line, ring, event, error);
  }
}

/* "prev_comm=A prev_pid=1 ... ==> next_comm=B next_pid=2 ...": the names may hold anything, the last "next_pid=" is the
 * kernel's.  "comm=A pid=1 prio=..." likewise. */
static int read_sched_event (TracepointReader *reader, const TraceLine *line, Tracepoint *event, GError **error)
{
  const gboolean is_switch = event->kind == TRACEPOINT_SCHED_SWITCH;
  const char *pid_key = is_switch ? " next_pid=" : " pid=", *comm_key = is_switch ? "next_comm=" : "comm=";
  const char *from = is_switch ? g_strrstr (line->payload, "==> ") : line->payload;
  const char *comm = from ? strstr (from, comm_key) : NULL;
  const char *pid = comm ? g_strrstr (comm, pid_key) : NULL;
  const char *digits = pid ? pid + strlen (pid_key) : NULL;
  if (!digits || !g_ascii_isdigit (*digits) || strspn (digits, "0123456789") > 9) {
    return fail_field (reader, line, is_switch ? "\"==> next_comm=NAME next_pid=NUMBER\"" : "\"comm=NAME pid=NUMBER\"",
                       error);
  }
  comm += strlen (comm_key);
  const gsize length = pid > comm ? (gsize) (pid - comm) : 0;
  event->request = TRACEPOINT_NO_REQUEST;
  return know_task (reader, g_ascii_strtoull (digits, NULL, 10), comm, length, &event->other, error) ? 1 : -1;
}

/* 1: an event to hand out; 0: to be skipped. */
static int read_event (TracepointReader *reader, const TraceLine *line, Tracepoint *event, GError **error)
{
  unsigned kind = 0;
  while (kind < TRACEPOINT_KINDS &&
         (strlen (names[kind]) != line->event_length || memcmp (names[kind], line->event, line->event_length))) {
    kind++;
  }
  reader->info.lines++;
  if (kind == TRACEPOINT_KINDS) {
    reader->info.unknown++;
    return 0;
  }
  *event = (Tracepoint){ .kind = kind == TRACEPOINT_SUBMIT_SQE ? TRACEPOINT_SUBMIT : (TracepointKind) kind,
                         .time = line->time,
                         .line = reader->line };
  if (!know_task (reader, line->pid, line->comm, line->comm_length, &event->task, error)) {
    return -1;
  }
  event->other = event->task;
  reader->info.events++;
  return kind == TRACEPOINT_SCHED_SWITCH || kind == TRACEPOINT_SCHED_WAKEUP
             ? read_sched_event (reader, line, event, error)
             : read_ring_event (reader, line, event, error);
}

int tracepoint_reader_next (TracepointReader *reader, Tracepoint *ret_event, GError **error)
{
  ByteLine bytes;
  int got;
  while ((got = byte_stream_next_line (reader->stream, &bytes, error)) > 0) {
    char text[BYTE_STREAM_LINE_MAX + 1];
    TraceLine line;
    reader->line = bytes.number;
    memcpy (text, bytes.text, bytes.length);
    text[bytes.length] = '\0';
    const gboolean nul = strlen (text) != bytes.length;
    const TraceLineKind kind = nul ? TRACE_LINE_BAD : trace_line_parse (text, &line);
    if (kind == TRACE_LINE_BAD) {
      g_autofree char *quoted = input_quote (bytes.text, bytes.length, 60);
      return fail (reader, error, "found \"%s\"; expected a line of a kernel trace: COMM-PID [CPU] TIME: EVENT: FIELDS",
                   quoted);
    }
    if (kind == TRACE_LINE_LOST) {
      reader->info.lost += MAX (line.lost, 1);
    } else if (kind == TRACE_LINE_EVENT) {
      const int read = read_event (reader, &line, ret_event, error);
      if (read) {
        return read;
      }
    }
  }
  return got;
}

const TracepointInfo *tracepoint_reader_info (const TracepointReader *reader) { return &reader->info; }

unsigned tracepoint_reader_tasks (const TracepointReader *reader) { return reader->tasks->len; }

TaskRole tracepoint_reader_role (const TracepointReader *reader, unsigned task)
{
  return g_array_index (reader->tasks, TaskState, task).role;
}
