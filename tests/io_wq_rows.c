/* See io_wq_rows.h. */
#include "tests/io_wq_rows.h"

#include <string.h>

void wq_set_buckets (Fixture *fixture, const char *buckets)
{
  for (unsigned i = 0; i < FIXTURE_FILES; i++)
    fixture_inode (fixture, i)->bucket = (unsigned) g_ascii_digit_value (buckets[i]);
}

Fixture *wq_run_row (const WqRow *row, QueueHash hash)
{
  g_auto (GStrv) names = g_strsplit (row->policy, " on ", 2);
  Fixture *fixture = fixture_new (names[0], names[1] ? names[1] : "ext4", COSTS_FREE);
  g_autofree char *started = NULL, *posted = NULL;

  fixture_set (fixture, TEN_US);
  if (row->set)
    fixture_set (fixture, row->set);
  if (hash != HASH_NONE)
    fixture->policy->queues[0].hash = hash;
  fixture_build (fixture);
  wq_set_buckets (fixture, row->buckets);
  fixture_script (fixture, row->script);
  fixture_run (fixture, row->rule);
  started = FIXTURE_ORDER (fixture, started);
  posted = FIXTURE_ORDER (fixture, posted);
  ROW_CHECK (!row->started || strcmp (started, row->started) == 0, "%s: started %s", row->rule, started);
  ROW_CHECK (!row->posted || strcmp (posted, row->posted) == 0, "%s: posted %s", row->rule, posted);
  ROW_CHECK (fixture_parallel (fixture, -1) == row->parallel, "%s: %u at once", row->rule,
             fixture_parallel (fixture, -1));
  ROW_CHECK (fixture->sim->count.workers_created == row->workers, "%s: %u workers", row->rule,
             fixture->sim->count.workers_created);
  return fixture;
}

void wq_check_rows (const WqRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    fixture_free (wq_run_row (&rows[i], HASH_NONE));
}
