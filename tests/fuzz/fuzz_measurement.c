/* Fuzz target: the readers of measured results; the jobs that come out are workloads or errors with a place. */
#include "src/input/fio_plain_result.h"
#include "src/input/fio_result.h"
#include "src/input/input_error.h"
#include "src/input/lock_share.h"
#include "src/input/measurement_workload.h"
#include "src/input/throughput_record.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

enum { RESULTS_MAX = 4 };

typedef GPtrArray *(*Reader) (ByteSource *source, GError **error);
static const Reader readers[] = { throughput_records_read, lock_shares_read, fio_results_read,
                                  fio_terse_read,          fio_text_read,    fio_hist_log_read };

static void check_error (const GError *error)
{
  g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
}

static void make_workload (const Measurement *result)
{
  g_autoptr (GError) error = NULL;

  for (unsigned i = 0; i < result->sections->len; i++) {
    const MeasuredSection *section = result->sections->pdata[i];
    for (unsigned k = 0; k < section->options->len; k++) {
      if (strstr (g_array_index (section->options, MeasuredOption, k).name, "read_iolog")) {
        return; /* a file of this machine */
      }
    }
  }
  Workload *workload = measurement_workload (result, -1, 4, &error);
  g_assert ((workload == NULL) == (error != NULL));
  check_error (error);
  workload_free (workload);
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  for (unsigned reader = 0; reader < G_N_ELEMENTS (readers); reader++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("input", bytes, length, &error);
    g_autoptr (GPtrArray) results = source ? readers[reader](source, &error) : NULL;

    g_assert ((results == NULL) == (error != NULL));
    check_error (error);
    for (unsigned i = 0; results && i < MIN (results->len, RESULTS_MAX); i++) {
      make_workload (results->pdata[i]);
    }
    byte_source_unref (source);
  }
  return 0;
}
