/* Ratios, errors and pairs of measured rates; see record_score.h. */
#include "src/command/record_score.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double record_error (double measured, double simulated)
{
  return simulated > 0 ? MAX (simulated / measured, measured / simulated) - 1 : (double) INFINITY;
}

static int compare_doubles (const void *a, const void *b)
{
  const double left = *(const double *) a, right = *(const double *) b;

  return (left > right) - (left < right);
}

RecordErrors record_errors (double *error, unsigned n)
{
  RecordErrors errors = { .n = n };

  if (n) {
    qsort (error, n, sizeof *error, compare_doubles);
    errors.median_error = n % 2 ? error[n / 2] : (error[n / 2 - 1] + error[n / 2]) / 2;
    errors.p90_error = error[(9 * n + 9) / 10 - 1];
  }
  return errors;
}

static gboolean together (const RecordPoint *a, const RecordPoint *b)
{
  return a->record->batch == b->record->batch && !g_strcmp0 (a->record->fs, b->record->fs);
}

static gboolean is_reference (const RecordPoint *point)
{
  return point->simulated_known && point->record->job && measured_job_is_reference (point->record->job);
}

/* The first reference of its batch and file system, -1: none. */
static int reference_of (const RecordPoint *points, unsigned n, unsigned index)
{
  for (unsigned i = 0; i < n; i++) {
    if (is_reference (&points[i]) && together (&points[i], &points[index])) {
      return (int) i;
    }
  }
  return -1;
}

static gboolean is_bimodal (const Measurement *record)
{
  return record->tool == MEASURED_WQ && record->job && record->job->qd == 1 &&
         record->iops.max > RECORD_BIMODAL * record->iops.p80;
}

static RecordScore score_of (const RecordPoint *points, unsigned index, unsigned reference)
{
  const RecordPoint *point = &points[index], *psync = &points[reference];
  const MeasuredRate *iops = &point->record->iops;
  RecordScore score = { .index = index,
                        .reference = reference,
                        .measured = iops->p80 / psync->record->iops.p80,
                        .simulated = psync->simulated_iops > 0 ? point->simulated_iops / psync->simulated_iops : 0,
                        .noisy = iops->p80 > RECORD_NOISY * iops->p50,
                        .bimodal = is_bimodal (point->record) };

  score.mode[0] = score.measured;
  score.mode[1] = iops->max / psync->record->iops.p80;
  for (unsigned mode = 0; mode < 2; mode++) {
    score.mode_error[mode] = record_error (score.mode[mode], score.simulated);
  }
  const unsigned nearer = score.bimodal && score.mode_error[1] < score.mode_error[0];
  score.measured = score.mode[nearer];
  score.error = score.mode_error[nearer];
  return score;
}

/* Does the simulation put two rates in the order measured?  A job of two modes may stand in either. */
static gboolean ordered (const RecordPoint *a, const RecordPoint *b)
{
  const gboolean first = a->simulated_iops > b->simulated_iops, second = b->simulated_iops > a->simulated_iops;
  const double low_a = a->record->iops.p80, low_b = b->record->iops.p80;
  const double high_a = is_bimodal (a->record) ? a->record->iops.max : low_a;
  const double high_b = is_bimodal (b->record) ? b->record->iops.max : low_b;

  return (first && high_a > low_b) || (second && high_b > low_a);
}

static void count_pairs (const RecordPoint *points, unsigned n, RecordScores *scores)
{
  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = i + 1; k < n; k++) {
      const RecordPoint *a = &points[i], *b = &points[k];
      if (!a->simulated_known || !b->simulated_known || !together (a, b)) {
        continue;
      }
      const double slower = MIN (a->record->iops.p80, b->record->iops.p80);
      const double faster = MAX (a->record->iops.p80, b->record->iops.p80);
      if (faster > RECORD_PAIR * slower) {
        scores->pairs++;
        scores->pairs_right += ordered (a, b);
      }
    }
  }
}

static RecordErrors errors_of (const GArray *scores, gboolean steady)
{
  g_autofree double *error = g_new (double, scores->len + 1);
  unsigned n = 0;

  for (unsigned i = 0; i < scores->len; i++) {
    const RecordScore *score = &g_array_index (scores, RecordScore, i);
    if (!steady || !score->noisy) {
      error[n++] = score->error;
    }
  }
  return record_errors (error, n);
}

RecordScores *record_scores_new (const RecordPoint *points, unsigned n)
{
  RecordScores *scores = g_new0 (RecordScores, 1);

  scores->scores = g_array_new (FALSE, FALSE, sizeof (RecordScore));
  for (unsigned i = 0; i < n; i++) {
    if (!points[i].simulated_known) {
      continue;
    }
    const int reference = reference_of (points, n, i);
    if (is_reference (&points[i])) {
      scores->references++;
    } else if (reference < 0) {
      scores->unreferenced++;
    } else {
      const RecordScore score = score_of (points, i, (unsigned) reference);
      g_array_append_val (scores->scores, score);
    }
  }
  scores->all = errors_of (scores->scores, FALSE);
  scores->steady = errors_of (scores->scores, TRUE);
  count_pairs (points, n, scores);
  return scores;
}

void record_scores_free (RecordScores *scores)
{
  if (scores) {
    g_array_unref (scores->scores);
    g_free (scores);
  }
}
