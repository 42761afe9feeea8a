/* .device files: what is shipped, what is refused, --set. */
#include "model/device.h"

#include "model/data_path.h"
#include "model/key_file.h"
#include "tests/expected.h"
#include "tests/unit.h"

#define DEVICE_DATA TEST_DATA_DIR "/devices"

static gboolean has_evidence (const char *source)
{
  return g_str_has_prefix (source, "measured: ") || g_str_has_prefix (source, "published: ") ||
         g_str_has_prefix (source, "assumed: ");
}

static void test_shipped (void)
{
  g_auto (GStrv) names = data_path_list ("devices", ".device");

  ROW_CHECK (g_strv_length (names) == 7, "%u shipped devices", g_strv_length (names));
  for (char **name = names; *name; name++) {
    g_autoptr (GError) error = NULL;
    Device *device = device_load (*name, &error);

    if (!ROW_CHECK (device, "%s: %s", *name, row_error (error))) {
      continue;
    }
    ROW_CHECK (strcmp (device->name, *name) == 0 && device->title && device->evidence, "%s calls itself %s", *name,
               device->name);
    for (unsigned i = 0; i < DEVICE_VALUES_N; i++) {
      ROW_CHECK (has_evidence (device->value[i].source), "%s %s.%s", *name, device_key_group (i), device_key_name (i));
      ROW_CHECK (strstr (device->value[i].origin, ".device:"), "%s %s: %s", *name, device_key_name (i),
                 device->value[i].origin);
    }
    ROW_CHECK (device_number (device, DEVICE_READ_TIME) > 0 && device_number (device, DEVICE_WRITE_TIME) > 0,
               "%s: reads and writes take time", *name);
    device_free (device);
  }
}

static gboolean load_and_free (const char *path, GError **error)
{
  Device *device = device_load (path, error);

  device_free (device);
  return device != NULL;
}

static void test_broken (void)
{
  static const char *const codes[] = { "not-found", "syntax", "unknown-key", "value" };

  expected_check (DEVICE_DATA, load_and_free, DEVICE_ERROR, codes);
}

/* --set changes one value and says so; what is refused changes nothing. */
static void test_set (void)
{
  static const struct {
    const char *assignment, *message; /* NULL: accepted */
    DeviceKey key;
    double number;
  } rows[] = {
    { "Read.Time=12345", NULL, DEVICE_READ_TIME, 12345 },
    { "Device.MaxTransfer=64KiB", NULL, DEVICE_MAX_TRANSFER, 65536 },
    { "Write.Spread=1.5", NULL, DEVICE_WRITE_SPREAD, 1.5 },
    { "Cache.Volatile=yes", NULL, DEVICE_CACHE_VOLATILE, 1 },
    { "Cache.Fua=no", NULL, DEVICE_CACHE_FUA, 0 },
    { "Device.StableWrites=yes", NULL, DEVICE_STABLE_WRITES, 1 },
    { "Device.StableWrites=maybe", "expected yes or no", DEVICE_STABLE_WRITES, 0 },
    { "Read.Time=-1", "--set Read.Time: Time=\"-1\": expected", DEVICE_READ_TIME, 77000 },
    { "Read.Tine=1", "no such key; did you mean \"Read.Time\"?", DEVICE_READ_TIME, 77000 },
    { "Read.Time", "expected Group.Key=VALUE", DEVICE_READ_TIME, 77000 },
    { "Read.Time=1\n[Flush]", "expected Group.Key=VALUE", DEVICE_READ_TIME, 77000 },
    { "Seek.Track=1", "expected at least Track=1", DEVICE_SEEK_TRACK, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    Device *device = device_load ("nvme", NULL);
    gboolean ok = device_set (device, rows[i].assignment, &error);

    ROW_CHECK (ok == !rows[i].message && ok == !error, "%s: %s", rows[i].assignment, row_error (error));
    ROW_CHECK (ok || strstr (error->message, rows[i].message), "%s: %s", rows[i].assignment, row_error (error));
    ROW_CHECK (device_number (device, rows[i].key) == rows[i].number, "%s: %g", rows[i].assignment,
               device_number (device, rows[i].key));
    ROW_CHECK (!ok || strcmp (device->value[rows[i].key].source, "assumed: --set") == 0, "%s: %s", rows[i].assignment,
               device->value[rows[i].key].source);
    device_free (device);
  }
}

/* Which of several --set are a device's. */
static void test_groups (void)
{
  static const struct {
    const char *assignment;
    gboolean device;
  } rows[] = { { "Read.Time=1", TRUE }, { "Cache.Size=0", TRUE },     { "CPU.Count=4", FALSE },
               { "noise=0", FALSE },    { "Block.Submit=1", FALSE },  { "Reader.Time=1", FALSE },
               { "", FALSE },           { "Device.Nonsense=1", TRUE } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    ROW_CHECK (device_has_group (rows[i].assignment) == rows[i].device, "%s", rows[i].assignment);
}

void register_device_tests (void)
{
  CU_pSuite suite = CU_add_suite ("device", NULL, NULL);

  CU_add_test (suite, "shipped devices", test_shipped);
  CU_add_test (suite, "broken files", test_broken);
  CU_add_test (suite, "set", test_set);
  CU_add_test (suite, "whose --set", test_groups);
}
