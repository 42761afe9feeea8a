/* uringsim validate lock-share.tsv: measured shares of CPU time spent on the inode lock beside simulated ones. */
#include "src/command/validate.h"
#include "src/input/lock_share.h"
#include <math.h>

enum { POINTS = 6 };

/* Of the rows that were simulated; returns how many. */
static unsigned fill_shares (const ValidateRun *run, double max_points, ReportShare *shares)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->results->len; i++) {
    const Measurement *row = run->results->pdata[i];
    const ReportRun simulated = run_set_report (run->set, i);
    const ReportEstimate share = simulated.metric[METRIC_CPU_SHARE_CONTENTION];
    if (!share.n) {
      continue;
    }
    const double points = 100 * (share.mean - row->spin_share);
    shares[n++] = (ReportShare){
      .subject = validate_run_subject (run, i),
      .measured = row->spin_share,
      .simulated = share,
      .measured_busy = row->busy_share,
      .simulated_busy = simulated.metric[METRIC_CPU_BUSY],
      .busy_doubtful = row->busy_doubtful,
      .points = points,
      .ok = fabs (points) <= max_points,
    };
  }
  return n;
}

static CommandExit report (ValidateRun *run, const char *file, GError **error)
{
  const Options *options = run->options;
  const double max_points = options->max_points == THRESHOLD_DEFAULT ? POINTS : options->max_points;
  g_autofree ReportShare *shares = g_new0 (ReportShare, run->results->len);
  ReportShares all = { .basis = validate_run_basis (run, file), .shares = shares, .max_points = max_points };

  all.n_shares = fill_shares (run, max_points, shares);
  for (unsigned i = 0; i < all.n_shares; i++) {
    all.n_ok += shares[i].ok;
    all.largest_points = MAX (all.largest_points, fabs (shares[i].points));
  }
  all.ok = all.n_shares && all.n_ok == all.n_shares;
  g_autofree char *text = options->format == FORMAT_JSON ? json_report_shares (&all) : text_report_shares (&all);
  return validate_run_end (run, text, all.ok, error);
}

CommandExit validate_shares (ByteSource *source, const Options *options, GError **error)
{
  ValidateRun run;
  RecordConditions defaults;

  record_conditions_init (&defaults);
  const gboolean ran = validate_run (&run, lock_shares_read (source, error), &defaults, options, error);
  const CommandExit status = ran ? report (&run, byte_source_name (source), error) : EXIT_INTERNAL;
  validate_run_clear (&run);
  return status;
}
