/* The verdict in words, and the table of what binds each run. */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/report.h"
#include "src/output/text_sections.h"
#include "src/output/text_table.h"

/* A tie whose confidence interval is wider says nothing. */
#define TOLD_APART 0.05

const char *binding_text (Binding binding)
{
  static const char *const texts[BINDS] = {
    [BINDS_NOTHING] = "nothing (latency)",
    [BINDS_APPLICATION] = "application",
    [BINDS_SUBMITTER] = "submitter",
    [BINDS_SQ_THREAD] = "sq_thread",
    [BINDS_WORKERS] = "workers",
    [BINDS_LOCK] = "inode lock",
    [BINDS_DEVICE] = "device",
    [BINDS_ARRIVALS] = "arrivals",
  };

  return texts[binding];
}

const char *part_text (Part part)
{
  static const char *const texts[PARTS] = {
    [PART_APPLICATION] = "work of the application itself",
    [PART_SUBMISSION] = "submitting, waking and reaping",
    [PART_HAND_OFF] = "hand-off to workers",
    [PART_LOCK] = "contention for the inode lock",
    [PART_FILE_SYSTEM] = "work in the file system",
    [PART_DEVICE] = "time of the device",
    [PART_ARRIVALS] = "waiting for the next arrival",
  };

  return texts[part];
}

static const char *run_name (const ReportRun *run)
{
  return run->baseline || !g_str_equal (run->result->engine, "io_uring") ? run->result->engine : run->result->policy;
}

/* "`policy`", with the kernel if kernels differ. (transfer full) */
static char *quoted_name (const ReportRun *run, const ReportRun *other, gboolean with_kernel)
{
  const gboolean both = g_str_equal (run_name (run), run_name (other)); /* only the other word tells them apart */
  g_autofree char *words =
      both ? g_strdup_printf ("%s %s", run->result->policy, run->result->engine) : g_strdup (run_name (run));
  g_autofree char *name = escape_text_short (words, -1, 60);
  g_autofree char *kernel = format_kernel (run->result->kernel);

  return with_kernel ? g_strdup_printf ("`%s` (kernel %s)", name, kernel) : g_strdup_printf ("`%s`", name);
}

/* `of`: " of `policy`", whose price it is where no run is the subject of the sentence; else "". */
static void add_price (const ReportVerdict *verdict, const char *of, GString *out)
{
  if (verdict->percentile) {
    g_autofree char *percent = format_fixed (verdict->percentile, verdict->percentile == 99.9 ? 1 : 0);
    g_autofree char *by = format_fixed (verdict->tail >= 1 ? verdict->tail : 1 / MAX (verdict->tail, 1e-9), 2);

    if (verdict->tail > 0.95 && verdict->tail < 1.05) {
      g_string_append_printf (out, "; p%s is the same", percent);
    } else {
      g_string_append_printf (out, "; p%s%s is %sx %s", percent, of, by, verdict->tail > 1 ? "worse" : "better");
    }
  }
  if (verdict->cpu > 0) {
    g_autofree char *cpu = format_fixed (verdict->cpu, 2);

    g_string_append_printf (out, "; CPU time per I/O%s is %sx", of, cpu);
  }
}

char *verdict_sentence (const ReportRun *runs, const ReportVerdict *verdict)
{
  GString *out = g_string_new (NULL);
  g_autofree char *faster = quoted_name (&runs[verdict->faster], &runs[verdict->slower], verdict->kernels_differ);
  g_autofree char *slower = quoted_name (&runs[verdict->slower], &runs[verdict->faster], verdict->kernels_differ);
  g_autofree char *ratio = format_fixed (verdict->ratio.mean, 2);
  g_autofree char *of_faster = g_strdup_printf (" of %s", faster);

  if (verdict->arrivals) {
    g_string_append_printf (
        out, "%s and %s both keep up with the pace of the workload, which sets their IOPS: compare latencies", faster,
        slower);
  } else if (verdict->tie) {
    g_string_append_printf (out, "%s and %s %s", faster, slower,
                            verdict->ratio.half_width > TOLD_APART ? "cannot be told apart by their IOPS"
                                                                   : "do the same number of IOPS");
  } else {
    g_string_append_printf (out, "%s does %sx the IOPS of %s", faster, ratio, slower);
  }
  if (verdict->ratio.n > 1) {
    g_autofree char *low = format_fixed (verdict->ratio.mean - verdict->ratio.half_width, 2);
    g_autofree char *high = format_fixed (verdict->ratio.mean + verdict->ratio.half_width, 2);

    g_string_append_printf (out, " (%s95 %% CI %s-%s)", verdict->tie || verdict->arrivals ? "ratio, " : "", low, high);
  } else {
    g_string_append (out, " (one seed: no confidence interval)");
  }
  add_price (verdict, verdict->tie || verdict->arrivals ? of_faster : "", out);
  if (!verdict->tie && !verdict->arrivals && verdict->saved > 0) {
    g_autofree char *saved = format_time (verdict->saved);
    g_autofree char *of = format_time (verdict->of);

    g_string_append_printf (out, "; the gain is less %s, %s of %s per I/O", part_text (verdict->cause), saved, of);
  }
  g_string_append_c (out, '.');
  return g_string_free (out, FALSE);
}

static char *bound_text (double bound) { return bound > 0 ? format_rate (bound) : g_strdup ("-"); }

static char *part_cell (double ns) { return ns >= 0.5 ? format_us (ns) : g_strdup ("-"); }

void text_section_binding (const Report *report, char *const *names, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("llrrrrrrrrrr");

  text_table_header (table, "", "binds", "per I/O", "applic.", "submit", "hand-off", "lock", "file sys", "device",
                     "lock alone", "CPUs alone", "device alone", NULL);
  for (unsigned i = 0; i < report->n_runs; i++) {
    const Operation *operation = &report->operations[i];

    text_table_add (table, names[i]);
    text_table_add (table, binding_text (operation->binds));
    text_table_take (table, format_us (operation->time));
    for (unsigned part = 0; part < PART_ARRIVALS; part++) {
      text_table_take (table, part_cell (operation->part[part]));
    }
    text_table_take (table, bound_text (operation->bound_lock));
    text_table_take (table, bound_text (operation->bound_cpu));
    text_table_take (table, bound_text (operation->bound_device));
  }
  g_string_append (
      out, "\nWhat binds each run, what it does per I/O (us), and what other resources would allow alone (IOPS)\n");
  text_table_print (table, 2, out);
}
