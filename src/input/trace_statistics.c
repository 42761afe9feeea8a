/* See trace_statistics.h. */
#include "src/input/trace_statistics.h"

typedef struct {
  TraceStatistics *statistics;
  GHashTable *index; /* length -> place in sizes + 1 */
  uint64_t *end;     /* by file; UINT64_MAX before its first request */
  uint64_t first, last;
  unsigned last_place; /* of the size before, which is often the next one's, too */
} Count;

static void count_size (Count *count, uint64_t length)
{
  GArray *sizes = count->statistics->sizes;
  if (count->last_place < sizes->len && g_array_index (sizes, TraceSize, count->last_place).bytes == length) {
    g_array_index (sizes, TraceSize, count->last_place).n++;
    return;
  }
  const uint64_t key = length;
  const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (count->index, &key));
  if (place) {
    count->last_place = place - 1;
    g_array_index (sizes, TraceSize, place - 1).n++;
  } else if (sizes->len < TRACE_SIZES_LIMIT) {
    const TraceSize size = { length, 1 };
    g_array_append_val (sizes, size);
    count->last_place = sizes->len - 1;
    g_hash_table_insert (count->index, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (sizes->len));
  } else {
    count->statistics->other_sizes++;
  }
}

static void count_io (Count *count, const Io *io, gboolean has_times)
{
  TraceStatistics *statistics = count->statistics;
  if (statistics->ios++ == 0) {
    count->first = io->arrival;
  } else if (has_times) {
    ur_histogram_record (&statistics->gaps, io->arrival >= count->last ? io->arrival - count->last : 0);
  }
  count->last = io->arrival;
  if (io->op > IO_TRIM) {
    return;
  }
  count_size (count, io->length);
  uint64_t *end = &count->end[io->file];
  if (*end != UINT64_MAX) {
    statistics->ranged++;
    statistics->sequential += io->offset == *end;
  }
  *end = io->offset + io->length;
}

static int compare_sizes (gconstpointer a, gconstpointer b)
{
  const TraceSize *one = a, *two = b;
  if (one->n != two->n) {
    return one->n > two->n ? -1 : 1;
  }
  return one->bytes < two->bytes ? -1 : one->bytes > two->bytes;
}

TraceStatistics *trace_statistics_new (Trace *trace, GError **error)
{
  g_autoptr (TraceStatistics) statistics = g_new0 (TraceStatistics, 1);
  g_autoptr (GHashTable) index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree uint64_t *end = g_new (uint64_t, trace->files.n + 1);
  Count count = { .statistics = statistics, .index = index, .end = end };
  IoSource *source = trace->open (trace, error);
  Io io;
  int more = -1;

  statistics->sizes = g_array_new (FALSE, FALSE, sizeof (TraceSize));
  ur_histogram_init (&statistics->gaps);
  for (uint32_t i = 0; i < trace->files.n; i++) {
    end[i] = UINT64_MAX;
  }
  while (source && (more = source->next (source, &io, error)) > 0) {
    count_io (&count, &io, trace->info.has_times);
  }
  io_source_free (source);
  if (more < 0) {
    return NULL;
  }
  if (trace->info.has_times && count.last > count.first) {
    statistics->rate = (double) (statistics->ios - 1) * 1e9 / (double) (count.last - count.first);
  }
  g_array_sort (statistics->sizes, compare_sizes);
  return g_steal_pointer (&statistics);
}

void trace_statistics_free (TraceStatistics *statistics)
{
  if (statistics) {
    g_clear_pointer (&statistics->sizes, g_array_unref);
    g_free (statistics);
  }
}
