/* Fuzz target: policies, machines, file systems, devices and experiments, read from a file of these bytes. */
#include "model/device.h"
#include "model/experiment.h"
#include "model/file_system.h"
#include "model/machine.h"
#include "model/policy.h"
#include "tests/fuzz/fuzz.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_error (const void *object, GError *error)
{
  g_assert ((object == NULL) == (error != NULL));
  g_assert (!error || !strchr (error->message, '\033'));
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  g_autoptr (GError) policy_error = NULL, machine_error = NULL, device_error = NULL, fs_error = NULL,
                     experiment_error = NULL;
  const int file = memfd_create ("fuzz", 0);

  g_assert (file >= 0 && write (file, bytes, length) == (ssize_t) length);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", file);
  Policy *policy = policy_load (path, &policy_error);
  check_error (policy, policy_error);
  Machine *machine = machine_load (path, &machine_error);
  check_error (machine, machine_error);
  FileSystem *fs = file_system_load (path, &fs_error);
  check_error (fs, fs_error);
  Device *device = device_load (path, &device_error);
  check_error (device, device_error);
  Experiment *experiment = experiment_load (path, &experiment_error);
  check_error (experiment, experiment_error);
  g_clear_pointer (&policy, policy_free);
  g_clear_pointer (&machine, machine_free);
  g_clear_pointer (&fs, file_system_free);
  g_clear_pointer (&device, device_free);
  g_clear_pointer (&experiment, experiment_free);
  close (file);
  return 0;
}
