/* See block_latency.h. */
#include "src/input/block_latency.h"
#include "src/input/block_trace.h"

typedef struct {
  uint64_t offset;
  uint32_t major, minor; /* up to here: the key */
  uint64_t bytes, queued, issued;
  gboolean has_issue;
} OpenRequest;

static guint hash (gconstpointer data)
{
  const OpenRequest *request = data;
  uint64_t mixed = (request->offset >> 9) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  mixed ^= ((uint64_t) request->major << 32 | request->minor) * G_GUINT64_CONSTANT (0xc2b2ae3d27d4eb4f);
  return (guint) (mixed >> 32);
}

static gboolean equal (gconstpointer a, gconstpointer b)
{
  const OpenRequest *one = a, *two = b;
  return one->offset == two->offset && one->major == two->major && one->minor == two->minor;
}

void block_latency_init (BlockLatency *latency)
{
  *latency = (BlockLatency){ .open = g_hash_table_new_full (hash, equal, g_free, NULL) };
  ur_histogram_init (&latency->total);
  ur_histogram_init (&latency->service);
}

void block_latency_clear (BlockLatency *latency) { g_clear_pointer (&latency->open, g_hash_table_unref); }

static void queue (BlockLatency *latency, const BlockEvent *event)
{
  if (g_hash_table_size (latency->open) >= BLOCK_TRACE_OPEN_LIMIT) {
    latency->lost++;
    return;
  }
  OpenRequest *request = g_new (OpenRequest, 1);
  *request = (OpenRequest){
    .offset = event->offset, .major = event->major, .minor = event->minor, .bytes = event->bytes, .queued = event->time
  };
  g_hash_table_replace (latency->open, request, request);
  latency->max_open = MAX (latency->max_open, g_hash_table_size (latency->open));
}

static void complete (BlockLatency *latency, const OpenRequest *request, uint64_t time)
{
  if (time >= request->queued) {
    ur_histogram_record (&latency->total, time - request->queued);
  }
  if (request->has_issue && time >= request->issued) {
    ur_histogram_record (&latency->service, time - request->issued);
  }
  g_hash_table_remove (latency->open, request);
}

void block_latency_add (BlockLatency *latency, const BlockEvent *event)
{
  if (event->bytes == 0) {
    return;
  }
  if (event->action == BLOCK_QUEUE) {
    queue (latency, event);
    return;
  }
  if (event->action != BLOCK_ISSUE && event->action != BLOCK_COMPLETE) {
    return;
  }
  OpenRequest key = { .offset = event->offset, .major = event->major, .minor = event->minor };
  const uint64_t end = event->offset + event->bytes;
  gboolean found = FALSE;
  while (key.offset < end) {
    OpenRequest *request = g_hash_table_lookup (latency->open, &key);
    if (!request) {
      break;
    }
    found = TRUE;
    key.offset += request->bytes;
    if (event->action == BLOCK_COMPLETE) {
      complete (latency, request, event->time);
    } else {
      request->issued = event->time;
      request->has_issue = TRUE;
    }
  }
  latency->unmatched += !found && event->action == BLOCK_COMPLETE;
}
