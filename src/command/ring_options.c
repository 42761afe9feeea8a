/* See ring_options.h. */
#include "src/command/ring_options.h"

#include "model/key_file.h"
#include "model/ring_setup.h"
#include "src/output/format.h"

#include <string.h>

#define ENTRIES_MAX 1048576u
#define EVERY_MAX 1000000u
#define WORKERS_MAX 1000000u

void ring_choice_init (RingChoice *choice) { *choice = (RingChoice){ .sq_cpu = -1 }; }

/* "name=N" with N in low..high. */
static gboolean number_word (const char *word, const char *name, unsigned low, unsigned high, unsigned *ret_number)
{
  uint64_t number;

  if (!g_str_has_prefix (word, name) || word[strlen (name)] != '=' ||
      !key_file_parse_integer (word + strlen (name) + 1, &number) || number < low || number > high)
    return FALSE;
  *ret_number = (unsigned) number;
  return TRUE;
}

/* "name=TIME" with a unit. */
static gboolean time_word (const char *word, const char *name, UrTime *ret_time)
{
  static const struct {
    const char *unit;
    UrTime ns;
  } units[] = { { "ns", 1 }, { "us", UR_US }, { "ms", UR_MS }, { "s", UR_S } };

  if (!g_str_has_prefix (word, name) || word[strlen (name)] != '=') {
    return FALSE;
  }
  word += strlen (name) + 1;
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    uint64_t number;
    g_autofree char *digits = NULL;

    if (!g_str_has_suffix (word, units[i].unit)) {
      continue;
    }
    digits = g_strndup (word, strlen (word) - strlen (units[i].unit));
    if (key_file_parse_integer (digits, &number) && number > 0 && number <= G_MAXINT64 / units[i].ns) {
      *ret_time = number * units[i].ns;
      return TRUE;
    }
  }
  return FALSE;
}

/* "max-workers=N[:M]": bounded and unbounded, 0 or left out as they are. */
static gboolean max_workers_word (const char *word, unsigned *ret_count)
{
  static const char prefix[] = "max-workers=";
  uint64_t bounded, unbounded = 0;
  g_auto (GStrv) counts = NULL;

  if (!g_str_has_prefix (word, prefix)) {
    return FALSE;
  }
  counts = g_strsplit (word + strlen (prefix), ":", -1);
  if (!counts[0] || !key_file_parse_integer (counts[0], &bounded) || bounded > WORKERS_MAX ||
      (counts[1] && (!key_file_parse_integer (counts[1], &unbounded) || unbounded > WORKERS_MAX || counts[2])) ||
      bounded + unbounded == 0) {
    return FALSE;
  }
  ret_count[0] = (unsigned) bounded;
  ret_count[1] = (unsigned) unbounded;
  return TRUE;
}

/* "iowq-cpus=0-3+8": a list of CPUs, joined by plus signs because commas separate the words. */
static gboolean iowq_cpus_word (const char *word, CpuMask *ret_cpus)
{
  static const char prefix[] = "iowq-cpus=";
  g_autofree char *list = NULL;

  if (!g_str_has_prefix (word, prefix) || strchr (word, ',')) {
    return FALSE;
  }
  list = g_strdelimit (g_strdup (word + strlen (prefix)), "+", ',');
  return cpu_mask_parse (list, ret_cpus, NULL);
}

/* What the task registers for its io-wq, whoever sets up the ring. */
static gboolean io_wq_word (RingChoice *choice, const char *word)
{
  return max_workers_word (word, choice->ring.iowq_max_workers) || iowq_cpus_word (word, &choice->ring.iowq_cpus);
}

static gboolean ring_word (RingChoice *choice, const char *word)
{
  RingOptions *ring = &choice->ring;
  unsigned cpu;

  if (strcmp (word, "default") == 0 || ring_flags_set (&ring->flags, word)) {
    return TRUE;
  }
  if (number_word (word, "cq-entries", 1, ENTRIES_MAX, &ring->cq_entries)) {
    ring->flags.cqsize = TRUE;
    return TRUE;
  }
  if (strcmp (word, "sq-wait") == 0) {
    ring->sq_wait = TRUE;
    return TRUE;
  }
  if (number_word (word, "sq-cpu", 0, 1023, &cpu)) {
    ring->flags.sq_aff = TRUE;
    choice->sq_cpu = (int) cpu;
    return TRUE;
  }
  return number_word (word, "sq-entries", 1, ENTRIES_MAX, &ring->sq_entries) ||
         time_word (word, "sq-idle", &ring->sq_idle);
}

static gboolean refuse (const char *word, char *expected, char **ret_word, char **ret_expected)
{
  *ret_word = g_strdup (word);
  *ret_expected = expected;
  return FALSE;
}

gboolean ring_options_parse (RingChoice *choice, const char *text, char **ret_word, char **ret_expected)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  if (strcmp (text, "fio") == 0) {
    return TRUE;
  }
  if (!*words) {
    return refuse (text, g_strdup ("fio, default, or flags of a ring"), ret_word, ret_expected);
  }
  for (char **word = words; *word; word++) {
    if (io_wq_word (choice, *word)) {
      continue;
    }
    choice->ring.given = TRUE;
    if (!ring_word (choice, *word)) {
      g_autofree char *flags = g_strjoinv (", ", (char **) ring_flag_names ());

      return refuse (*word,
                     g_strdup_printf ("fio alone, or some of default, %s, cq-entries=N, sq-entries=N, sq-cpu=N, "
                                      "sq-idle=TIME, sq-wait; max-workers=N[:M], iowq-cpus=LIST such as 0-3+8",
                                      flags),
                     ret_word, ret_expected);
    }
  }
  return TRUE;
}

#define SQE_EXPECTED \
  "some of link=N, hardlink=N (N from 2), cqe-skip, drain=N, async, fixed-files, fixed-buffers, nop, bad=N"

static gboolean sqe_word (RingChoice *choice, const char *word)
{
  SqeOptions *sqe = &choice->sqe;

  if (strcmp (word, "cqe-skip") == 0) {
    return sqe->cqe_skip = TRUE;
  }
  if (strcmp (word, "nop") == 0) {
    return sqe->nop = TRUE;
  }
  if (strcmp (word, "async") == 0) {
    return choice->async = TRUE;
  }
  if (strcmp (word, "fixed-files") == 0) {
    return choice->fixed_files = TRUE;
  }
  if (strcmp (word, "fixed-buffers") == 0) {
    return choice->fixed_buffers = TRUE;
  }
  if (!sqe->link && number_word (word, "link", 2, EVERY_MAX, &sqe->link)) {
    return TRUE;
  }
  if (!sqe->link && number_word (word, "hardlink", 2, EVERY_MAX, &sqe->link)) {
    return sqe->hard = TRUE;
  }
  return number_word (word, "drain", 1, EVERY_MAX, &sqe->drain_every) ||
         number_word (word, "bad", 1, EVERY_MAX, &sqe->bad_every);
}

gboolean sqe_options_parse (RingChoice *choice, const char *text, char **ret_word, char **ret_expected)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  choice->sqe_given = TRUE;
  for (char **word = words; *word; word++) {
    if (!sqe_word (choice, *word)) {
      return refuse (*word, g_strdup (SQE_EXPECTED), ret_word, ret_expected);
    }
  }
  return *words ? TRUE : refuse (text, g_strdup (SQE_EXPECTED), ret_word, ret_expected);
}

void ring_choice_apply (const RingChoice *choice, Workload *workload)
{
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    WorkloadJob *job = g_ptr_array_index (workload->jobs, i);

    if (choice->ring.given) {
      job->ring.given = TRUE;
      job->ring.flags = choice->ring.flags;
      job->ring.sq_entries = choice->ring.sq_entries;
      job->ring.cq_entries = choice->ring.cq_entries;
      job->ring.sq_idle = choice->ring.sq_idle;
      job->ring.sq_wait = choice->ring.sq_wait;
    }
    memcpy (job->ring.iowq_max_workers, choice->ring.iowq_max_workers, sizeof job->ring.iowq_max_workers);
    job->ring.iowq_cpus = choice->ring.iowq_cpus;
    if (choice->sq_cpu >= 0) {
      job->sqpoll_cpu = choice->sq_cpu;
    }
    if (choice->sqe_given) {
      job->sqe = choice->sqe;
      job->force_async = choice->async ? 1 : job->force_async;
      job->fixed_files |= choice->fixed_files;
      job->fixed_buffers |= choice->fixed_buffers;
    }
  }
}

/* Appends what was registered for the io-wq: "; io-wq: ...". */
static void append_io_wq (GString *text, const RingOptions *ring)
{
  const char *separator = text->len ? " " : "";
  unsigned n = 0;

  if (ring->iowq_max_workers[0]) {
    g_string_append_printf (text, "%sIo-wq: at most %u bounded workers.", separator, ring->iowq_max_workers[0]);
  }
  if (ring->iowq_max_workers[1]) {
    g_string_append_printf (text, "%sIo-wq: at most %u unbounded workers.", text->len ? " " : "",
                            ring->iowq_max_workers[1]);
  }
  for (unsigned cpu = cpu_mask_next (&ring->iowq_cpus, 0); cpu < CPU_MASK_CPUS;
       cpu = cpu_mask_next (&ring->iowq_cpus, cpu + 1)) {
    n++;
  }
  if (n) {
    g_string_append_printf (text, "%sIo-wq: workers on %u CPUs only, from CPU %u on.", text->len ? " " : "", n,
                            cpu_mask_next (&ring->iowq_cpus, 0));
  }
}

char *ring_choice_ring_text (const RingChoice *choice)
{
  const RingOptions *ring = &choice->ring;
  g_autofree char *flags = ring_flags_text (&ring->flags);
  GString *text;

  if (!ring->given) {
    text = g_string_new (NULL);
    append_io_wq (text, ring);
    return g_string_free (text, text->len == 0);
  }
  text = g_string_new ("Ring instead of fio's: ");
  g_string_append (text, flags);
  if (ring->sq_entries) {
    g_string_append_printf (text, ", %u SQ entries", ring->sq_entries);
  }
  if (ring->cq_entries) {
    g_string_append_printf (text, ", %u CQ entries", ring->cq_entries);
  }
  if (choice->sq_cpu >= 0) {
    g_string_append_printf (text, ", sq_thread on CPU %d", choice->sq_cpu);
  }
  if (ring->sq_idle && ring->flags.sqpoll) {
    g_string_append_printf (text, ", sq_thread idle after %" G_GUINT64_FORMAT " ns", ring->sq_idle);
  }
  if (ring->sq_wait) {
    g_string_append (text, ", sleeping while the SQ is full (5.10 and later; before it spins)");
  }
  g_string_append (text, ring->flags.sqpoll ? "." : "; io_uring_submit_and_wait(1) when every slot is filled.");
  append_io_wq (text, ring);
  return g_string_free (text, FALSE);
}

char *ring_choice_sqe_text (const RingChoice *choice)
{
  const SqeOptions *sqe = &choice->sqe;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *all = NULL;

  if (!choice->sqe_given) {
    return NULL;
  }
  if (sqe->link) {
    g_ptr_array_add (parts, g_strdup_printf ("%s of %u%s", sqe->hard ? "hard chains" : "chains", sqe->link,
                                             sqe->cqe_skip ? " with a CQE for the last only" : ""));
  }
  if (sqe->drain_every) {
    g_ptr_array_add (parts, g_strdup_printf ("one of %u drains", sqe->drain_every));
  }
  if (sqe->bad_every) {
    g_ptr_array_add (parts, g_strdup_printf ("one of %u malformed", sqe->bad_every));
  }
  if (sqe->nop) {
    g_ptr_array_add (parts, g_strdup ("IORING_OP_NOP instead of reads and writes (no bytes are moved)"));
  }
  if (choice->async) {
    g_ptr_array_add (parts, g_strdup ("IOSQE_ASYNC"));
  }
  if (choice->fixed_files) {
    g_ptr_array_add (parts, g_strdup ("registered files"));
  }
  if (choice->fixed_buffers) {
    g_ptr_array_add (parts, g_strdup ("registered buffers"));
  }
  g_ptr_array_add (parts, NULL);
  all = g_strjoinv (", ", (char **) parts->pdata);
  return g_strdup_printf ("Requests by --sqe: %s.", all);
}
