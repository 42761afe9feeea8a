/* Tables shared by the text reports; see text_sections.h. */
#include "src/output/text_sections.h"
#include "model/page_cache.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/text_table.h"
#include <string.h>

enum { COLUMNS = 100, INDENT = 2 };

static void print_titled (const TextTable *table, const char *title, GString *out)
{
  g_string_append_printf (out, "\n%s\n", title);
  text_table_print (table, INDENT, out);
}

static void take_count (TextTable *table, uint64_t count)
{
  text_table_take (table, count ? format_count (count) : g_strdup (""));
}

void text_section_paths (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrrrrr");

  text_table_header (table, "", "inline", "hashed", "unhashed", "async", "failed", "workers", "switches", "wake-ups",
                     "lock share", NULL);
  for (unsigned i = 0; i < n; i++) {
    const RunResult *result = runs[i].result;
    const double ios = MAX (result->ios, 1);
    text_table_add (table, names[i]);
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
      take_count (table, result->outcome[outcome]);
    }
    text_table_take (table, format_count (result->workers.created));
    text_table_take (table, format_fixed (result->context_switches / ios, 2));
    text_table_take (table, format_fixed (result->wakeups / ios, 2));
    text_table_take (table, result->n_locks ? format_share (result->lock[0].cpu_share_contention) : g_strdup ("-"));
  }
  print_titled (table, "Which way the requests went (switches and wake-ups per I/O; lock share of busy CPU time)", out);
}

void text_section_phases (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrrrrrr");

  text_table_header (table, "", phase_name (PHASE_SUBMIT), phase_name (PHASE_ATTEMPT), phase_name (PHASE_PUNT),
                     phase_name (PHASE_QUEUE), phase_name (PHASE_WAKEUP), phase_name (PHASE_LOCK),
                     phase_name (PHASE_SERVICE), phase_name (PHASE_COMPLETE), phase_name (PHASE_REAP), "total", NULL);
  for (unsigned i = 0; i < n; i++) {
    const RunResult *result = runs[i].result;
    text_table_add (table, names[i]);
    for (int phase = 0; phase < PHASES; phase++) {
      text_table_take (table, result->phase[phase].n ? format_us (result->phase[phase].mean) : g_strdup ("-"));
    }
    text_table_take (table, format_us (result->phase_total));
  }
  print_titled (table, "Where the time of one request went, from prepared to reaped (mean over all requests, us)", out);
}

/* Means per acquisition say more than totals; the totals are in the JSON. */
void text_section_locks (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) locks = text_table_new ("llrrrrrrrr");
  g_autoptr (TextTable) workers = text_table_new ("lrrrrrrr");

  text_table_header (locks, "", "lock", "acquired", "contended", "wait", "max", "hold", "spin", "slow", "share", NULL);
  text_table_header (workers, "", "created", "most alive", "running", "spinning", "asleep", "idle", "sleeps/IO", NULL);
  for (unsigned i = 0; i < n; i++) {
    const RunResult *result = runs[i].result;
    if (!result->n_locks) {
      continue;
    }
    const ResultLock *lock = &result->lock[0];
    const double acquired = MAX (lock->acquired, 1), contended = MAX (lock->contended, 1);
    text_table_add (locks, names[i]);
    text_table_take (locks, escape_text_short (lock->name, -1, 20));
    text_table_take (locks, format_count (lock->acquired));
    text_table_take (locks, format_count (lock->contended));
    text_table_take (locks, lock->contended ? format_us (lock->wait_total / contended) : g_strdup ("-"));
    text_table_take (locks, lock->contended ? format_us (lock->wait_max) : g_strdup ("-"));
    text_table_take (locks, format_us (lock->hold_ns / acquired));
    text_table_take (locks, format_us (lock->spin_ns / acquired));
    text_table_take (locks, format_us (lock->slowpath_ns / acquired));
    text_table_take (locks, format_share (lock->cpu_share_contention));
    if (result->workers.created) {
      text_table_add (workers, names[i]);
      text_table_take (workers, format_count (result->workers.created));
      text_table_take (workers, format_count (result->workers.max_alive));
      text_table_take (workers, format_fixed (result->workers.mean_running, 2));
      text_table_take (workers, format_fixed (result->workers.mean_spinning, 2));
      text_table_take (workers, format_fixed (result->workers.mean_sleeping_on_lock, 2));
      text_table_take (workers, format_fixed (result->workers.mean_idle, 2));
      text_table_take (workers, format_fixed (lock->sleeps / acquired, 2));
    }
  }
  if (text_table_rows (locks)) {
    print_titled (locks,
                  "The most contended lock (us; wait per contended, the rest per acquisition; share of busy CPU)", out);
  }
  if (text_table_rows (workers)) {
    print_titled (workers, "What the workers did (mean number of them; a workqueue keeps one more in reserve)", out);
  }
}

void text_section_cpus (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrrrrr");

  text_table_header (table, "", "CPUs", "busy", "idle", "spinning", "app", "sq_thread", "workers", "flusher", "irq",
                     NULL);
  for (unsigned i = 0; i < n; i++) {
    const RunResult *result = runs[i].result;
    const double shares[] = {
      result->cpu.busy,      result->cpu.idle,    result->cpu.spin,    result->cpu.app,
      result->cpu.sq_thread, result->cpu.workers, result->cpu.flusher, result->cpu.irq,
    };
    text_table_add (table, names[i]);
    text_table_take (table, format_count (result->cpus));
    for (unsigned k = 0; k < G_N_ELEMENTS (shares); k++) {
      text_table_take (table, k >= 2 && shares[k] == 0 ? g_strdup ("") : format_share (shares[k]));
    }
  }
  print_titled (table, "What the CPUs did (share of all CPU time; spinning, on locks or polling, lies inside busy)",
                out);
}

static void take_pages (TextTable *table, double pages)
{
  text_table_take (table, pages > 0 ? format_bytes (pages * PAGE_SIZE_BYTES) : g_strdup (""));
}

static void take_time (TextTable *table, UrTime ns) { text_table_take (table, ns ? format_time (ns) : g_strdup ("")); }

void text_section_cache (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrrrrrr");

  text_table_header (table, "", "dirty", "writeback", "most", "limit", "flushed", "evicted", "dropped", "pauses",
                     "paused", "longest", NULL);
  for (unsigned i = 0; i < n; i++) {
    const ResultCache *cache = &runs[i].result->cache;
    if (!cache->used) {
      continue;
    }
    text_table_add (table, names[i]);
    take_pages (table, cache->dirty);
    take_pages (table, cache->writeback);
    take_pages (table, cache->max_dirty);
    take_pages (table, cache->limit);
    take_pages (table, cache->flushed);
    take_pages (table, cache->evicted);
    take_pages (table, cache->dropped);
    take_count (table, cache->pauses);
    take_time (table, cache->throttled);
    take_time (table, cache->longest_pause);
  }
  if (text_table_rows (table)) {
    print_titled (table,
                  "The page cache (dirty and under writeback at the end; the most of both; pauses of writers, in all)",
                  out);
  }
}

void text_section_journal (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("lrrrrrrr");

  text_table_header (table, "", "syncs", "asked", "joined", "clean", "commits", "flushes", "shared", NULL);
  for (unsigned i = 0; i < n; i++) {
    const ResultJournal *journal = &runs[i].result->journal;
    if (!journal->used) {
      continue;
    }
    text_table_add (table, names[i]);
    take_count (table, journal->syncs);
    take_count (table, journal->asked);
    take_count (table, journal->joined);
    take_count (table, journal->clean);
    take_count (table, journal->commits);
    take_count (table, journal->flushes);
    take_count (table, journal->flushes_shared);
  }
  if (text_table_rows (table)) {
    print_titled (
        table, "Syncs (asked for a commit, joined another's, found nothing to commit) and the device's FLUSHes", out);
  }
}

void text_section_periods (const ReportRun *runs, char *const *names, unsigned n, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrrrrrrr");

  text_table_header (table, "", "phase", "from", "to", "IOPS", "bytes/s", "written/s", "dirty", "paused", NULL);
  for (unsigned i = 0; i < n; i++) {
    const GArray *periods = runs[i].result->periods;
    for (unsigned k = 0; periods && k < periods->len; k++) {
      const ResultPeriod *period = &g_array_index (periods, ResultPeriod, k);
      const double seconds = (period->to - period->from) / 1e9;
      text_table_add (table, k ? "" : names[i]);
      text_table_add (table, period->name);
      text_table_take (table, format_time (period->from));
      text_table_take (table, format_time (period->to));
      text_table_take (table, format_rate (period->iops));
      text_table_take (table, format_bytes (period->bw_bytes));
      take_pages (table, seconds > 0 ? period->written_pages / seconds : 0);
      take_pages (table, period->dirty_pages);
      text_table_take (table, period->throttled > 0 ? format_share (period->throttled) : g_strdup (""));
    }
  }
  if (text_table_rows (table)) {
    print_titled (table, "Phases of the run (dirty: mean, under writeback too; paused: share of time some writer was)",
                  out);
  }
}

void text_section_notes (const GPtrArray *notes, GString *out)
{
  for (unsigned i = 0; notes && i < notes->len; i++) {
    g_autofree char *text = escape_text (notes->pdata[i], -1);
    g_auto (GStrv) words = g_strsplit (text, " ", -1);
    unsigned column = 3;

    g_string_append (out, "  *");
    for (char **word = words; *word; word++) {
      const unsigned width = g_utf8_strlen (*word, -1);
      if (column + 1 + width > COLUMNS && column > 4) {
        g_string_append (out, "\n   ");
        column = 3;
      }
      g_string_append_printf (out, " %s", *word);
      column += 1 + width;
    }
    g_string_append_c (out, '\n');
  }
}
