/* Machines: shipped ones are complete and say where each cost comes from, bases are inherited, --set changes one value.
 */
#include "model/data_path.h"
#include "model/file_system.h"
#include "model/machine.h"
#include "tests/expected.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <math.h>
#include <unistd.h>

#define MACHINE_DATA TEST_DATA_DIR "/machines"

static gboolean has_evidence (const MachineValue *value)
{
  return value->source && value->origin &&
         (g_str_has_prefix (value->source, "measured: ") || g_str_has_prefix (value->source, "published: ") ||
          g_str_has_prefix (value->source, "assumed: ") || g_str_has_prefix (value->source, "fitted: "));
}

static void test_shipped (void)
{
  g_auto (GStrv) names = data_path_list ("machines", ".machine");

  ROW_CHECK (g_strv_length (names) >= 5, "%u shipped machines", g_strv_length (names));
  for (char **name = names; *name; name++) {
    g_autoptr (GError) error = NULL;
    Machine *machine = machine_load (*name, &error);

    if (!ROW_CHECK (machine, "%s: %s", *name, row_error (error))) {
      continue;
    }
    ROW_CHECK (strcmp (machine->name, *name) == 0, "%s calls itself %s", *name, machine->name);
    ROW_CHECK (machine->title && machine->evidence && machine->cpus, "%s", *name);
    for (unsigned i = 0; i < COSTS; i++) {
      ROW_CHECK (has_evidence (&machine->cost[i]), "%s %s", *name, machine_cost_key ((CostKey) i));
      /* One cost of 0 is a slip; the rule that a missing cost is an error would not see it. */
      ROW_CHECK (machine->cost[i].ns > 0 && machine->cost[i].ns < UR_MS, "%s %s=%" G_GUINT64_FORMAT, *name,
                 machine_cost_key ((CostKey) i), machine->cost[i].ns);
    }
    ROW_CHECK (g_hash_table_size (machine->scalar_source) >= 8, "%s: %u scalars", *name,
               g_hash_table_size (machine->scalar_source));
    for (unsigned n = 0; n < machine->file_systems->len; n++) {
      const MachineFileSystem *fs = machine->file_systems->pdata[n];

      for (unsigned i = 0; i < FS_COSTS; i++) {
        ROW_CHECK (has_evidence (&fs->cost[i]), "%s %s %s", *name, fs->name,
                   machine_file_system_cost_key ((FileSystemCostKey) i));
      }
    }
    machine_free (machine);
  }
}

/* Every machine knows every file system that is shipped. */
static void test_file_systems (void)
{
  g_auto (GStrv) machines = data_path_list ("machines", ".machine"), systems = data_path_list ("file_systems", ".fs");

  for (char **name = machines; *name; name++) {
    Machine *machine = machine_load (*name, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
    for (char **fs = systems; *fs; fs++) {
      FileSystem *system = file_system_load (*fs, NULL);

      ROW_CHECK (system && machine_file_system (machine, system->cost_name), "%s has no costs for %s", *name, *fs);
      file_system_free (system);
    }
    ROW_CHECK (!machine_file_system (machine, "fat"), "%s", *name);
    machine_free (machine);
  }
}

/* What one random write of a dirty page of 64 MiB costs in all, where it was measured alone. */
static void test_sums (void)
{
  static const struct {
    const char *machine, *fs;
    unsigned low, high;
  } rows[] = {
    { "vm-6.18", "ext4", 4100, 7600 }, /* measured 4.12 us, 3.1 to 4.7 by how the file was read in, 6 in captures */
    { "vm-6.18", "xfs", 950, 1150 },   /* measured 1.03 and 1.13 us */
    { "vm-6.18", "tmpfs", 850, 1170 }, /* measured 0.90 and 1.16 us */
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Machine *machine = machine_load (rows[i].machine, NULL);
    const MachineFileSystem *fs;
    UrTime sum;

    CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
    fs = machine_file_system (machine, rows[i].fs);
    sum = machine->cost[COST_SYSCALL].ns + machine->cost[COST_LOCK_FAST].ns + fs->cost[FS_COST_WRITE_BEFORE].ns +
          fs->cost[FS_COST_WRITE_LOCKED].ns + fs->cost[FS_COST_WRITE_PAGE].ns + fs->cost[FS_COST_COPY_PAGE].ns +
          fs->cost[FS_COST_WRITE_AFTER].ns + fs->cost[FS_COST_LARGE_FOLIO].ns + fs->cost[FS_COST_COLD_PAGE].ns;
    ROW_CHECK (sum >= rows[i].low && sum <= rows[i].high, "%s %s: %" G_GUINT64_FORMAT " ns", rows[i].machine,
               rows[i].fs, sum);
    machine_free (machine);
  }
}

static void test_inheritance (void)
{
  Machine *base = machine_load ("x86-server", NULL), *generic = machine_load ("generic-8cpu", NULL);
  Machine *vm = machine_load ("vm-6.18", NULL), *again;
  const MachineValue *cpus;

  CU_ASSERT_PTR_NOT_NULL_FATAL (base);
  CU_ASSERT_PTR_NOT_NULL_FATAL (generic);
  CU_ASSERT_PTR_NOT_NULL_FATAL (vm);
  CU_ASSERT (base->cpus == 16 && generic->cpus == 8 && vm->cpus == 2);
  CU_ASSERT (base->placement == PLACEMENT_SPREAD && vm->placement == PLACEMENT_PACK);
  CU_ASSERT (base->preemption == PREEMPT_VOLUNTARY && vm->preemption == PREEMPT_VOLUNTARY);
  CU_ASSERT (base->tick == 4 * UR_MS && base->slice == 750000);
  CU_ASSERT (fabs (generic->kappa - 0.033) < 1e-12 && fabs (generic->noise - 0.15) < 1e-12);
  CU_ASSERT_PTR_NULL (base->base_path);
  CU_ASSERT (generic->base_path && g_str_has_suffix (generic->base_path, "machines/x86-server.machine"));
  CU_ASSERT_STRING_EQUAL (generic->display, "machines/generic-8cpu.machine");
  cpus = g_hash_table_lookup (generic->scalar_source, "CPU.Count");
  CU_ASSERT_PTR_NOT_NULL_FATAL (cpus);
  CU_ASSERT (cpus->ns == 8 && g_str_has_prefix (cpus->origin, "machines/generic-8cpu.machine:"));
  CU_ASSERT (generic->cost[COST_SWITCH].ns == base->cost[COST_SWITCH].ns);
  CU_ASSERT (g_str_has_prefix (generic->cost[COST_SWITCH].origin, "machines/x86-server.machine:"));
  CU_ASSERT (g_str_has_prefix (vm->cost[COST_SWITCH].origin, "machines/vm-6.18.machine:"));
  /* One key of a file system may be changed; the others stay. */
  again = machine_load (MACHINE_DATA "/y_one_fs_key.machine", NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (again);
  CU_ASSERT (machine_file_system (again, "ext4")->cost[FS_COST_WRITE_PAGE].ns == 777);
  CU_ASSERT (machine_file_system (again, "ext4")->cost[FS_COST_COPY_PAGE].ns ==
             machine_file_system (base, "ext4")->cost[FS_COST_COPY_PAGE].ns);
  CU_ASSERT (again->file_systems->len == base->file_systems->len);
  CU_ASSERT_STRING_EQUAL (machine_file_system (again, "ext4")->cost[FS_COST_WRITE_PAGE].origin,
                          MACHINE_DATA "/y_one_fs_key.machine:8");
  machine_free (base);
  machine_free (generic);
  machine_free (vm);
  machine_free (again);
}

static void test_set (void)
{
  static const struct {
    const char *assignment, *message;
  } rows[] = {
    { "CPU.Count=4", NULL },
    { "noise=0", NULL },
    { "CPU.Noise=0.5", NULL },
    { "Scheduler.Placement=pack", NULL },
    { "Scheduler.Switch=900", NULL },
    { "Locks.HoldPerContender=0", NULL },
    { "FileSystem ext4.WritePage=901", NULL },
    { "Scheduler.Tick=1000000", NULL },
    { "", "--set \"\": expected Group.Key=VALUE" },
    { "foo", "--set \"foo\": expected Group.Key=VALUE" },
    { "foo=1", "machine x86-server has no such key; expected Group.Key=VALUE" },
    { "CPU.Cnt=1", "did you mean \"CPU.Count\"?" },
    { "FileSystem fat.WritePage=1", "machine x86-server has no such key" },
    { "Machine.Name=x", "machine x86-server has no such key" },
    { "CPU.Count.source=assumed: me", "machine x86-server has no such key" },
    { "CPU.Count=0", "--set CPU.Count: Count=\"0\": expected an integer from 1 to 1024" },
    { "CPU.Count=1000000000", "expected an integer from 1 to 1024" },
    { "CPU.Count=", "--set CPU.Count: Count= is empty" },
    { "CPU.Count=4\n[Machine]", "expected Group.Key=VALUE" },
    { "noise=3", "--set CPU.Noise: Noise=\"3\": expected a number from 0 to 2" },
    { "noise=nan", "expected a number" },
    { "Scheduler.Switch=-1", "expected an integer from 0 to 1000000000" },
    { "Scheduler.Switch=1us", "expected an integer" },
    { "Scheduler.Placement=spraed", "did you mean \"spread\"?" },
    { "Scheduler.Tick=0", "expected an integer from 100000" },
    { "FileSystem ext4.WritePage=x", "--set FileSystem ext4.WritePage: WritePage=\"x\": expected an integer" },
  };
  Machine *machine = machine_load ("x86-server", NULL);
  const MachineValue *cpus;

  CU_ASSERT_PTR_NOT_NULL_FATAL (machine);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;

    ROW_CHECK (machine_set (machine, rows[i].assignment, &error) == !rows[i].message, "%s: %s", rows[i].assignment,
               row_error (error));
    if (rows[i].message) {
      ROW_CHECK (strstr (row_error (error), rows[i].message) && error->domain == MACHINE_ERROR, "%s: %s",
                 rows[i].assignment, row_error (error));
      ROW_CHECK (!strchr (row_error (error), '\n'), "%s: one line", rows[i].assignment);
    }
  }
  CU_ASSERT (machine->cpus == 4 && machine->noise == 0.5 && machine->placement == PLACEMENT_PACK &&
             machine->kappa == 0);
  CU_ASSERT (machine->tick == 1000000 && machine->cost[COST_SWITCH].ns == 900);
  CU_ASSERT (machine_file_system (machine, "ext4")->cost[FS_COST_WRITE_PAGE].ns == 901);
  CU_ASSERT_STRING_EQUAL (machine->cost[COST_SWITCH].source, "assumed: --set");
  CU_ASSERT_STRING_EQUAL (machine->cost[COST_SWITCH].origin, "--set");
  cpus = g_hash_table_lookup (machine->scalar_source, "CPU.Count");
  CU_ASSERT (cpus && cpus->ns == 4 && strcmp (cpus->source, "assumed: --set") == 0);
  machine_free (machine);
}

static gboolean load_and_free (const char *path, GError **error)
{
  Machine *machine = machine_load (path, error);

  machine_free (machine);
  return machine != NULL;
}

static void test_broken (void)
{
  static const char *const codes[] = { "not-found", "syntax", "unknown-key", "value" };

  expected_check (MACHINE_DATA, load_and_free, MACHINE_ERROR, codes);
}

/* A machine without a base that lacks any single line of x86-server is refused, and the error names what is missing. */
static void test_every_key_is_needed (void)
{
  g_autofree char *path = data_path_find ("machines", "x86-server", ".machine", NULL), *text = NULL;
  g_autofree char *file = NULL;
  g_auto (GStrv) lines = NULL;
  unsigned keys = 0, expected;
  Machine *whole;
  int fd;

  CU_ASSERT_TRUE_FATAL (path && g_file_get_contents (path, &text, NULL, NULL));
  fd = g_file_open_tmp ("machine-XXXXXX.machine", &file, NULL);
  CU_ASSERT_FATAL (fd >= 0);
  close (fd);
  lines = g_strsplit (text, "\n", -1);
  for (unsigned i = 0; lines[i]; i++) {
    g_autofree char *kept = NULL, *without = NULL;
    g_autoptr (GError) error = NULL;

    if (!strchr (lines[i], '=') || lines[i][0] == '#') {
      continue;
    }
    keys++;
    kept = lines[i];
    lines[i] = g_strdup ("#");
    without = g_strjoinv ("\n", lines);
    CU_ASSERT_TRUE_FATAL (g_file_set_contents (file, without, -1, NULL));
    ROW_CHECK (!load_and_free (file, &error), "without %s", kept);
    *strchr (kept, '=') = '\0';
    ROW_CHECK (strstr (row_error (error), kept), "without %s: %s", kept, row_error (error));
    g_free (lines[i]);
    lines[i] = g_strdup_printf ("%s=%s", kept, kept + strlen (kept) + 1);
  }
  whole = machine_load ("x86-server", NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (whole);
  expected = 3 + 2 * (COSTS + g_hash_table_size (whole->scalar_source) + whole->file_systems->len * FS_COSTS);
  ROW_CHECK (keys == expected, "%u keys, expected %u", keys, expected);
  machine_free (whole);
  unlink (file);
}

static void test_numbers (void)
{
  static const struct {
    const char *rule, *name;
    double value;
    gboolean whole;
    const char *message; /* (nullable) */
  } rows[] = {
    { "a cost", "CPU.Syscall", 200, TRUE, NULL },
    { "a cost of a file system", "FileSystem xfs.LargeFolio", 0, TRUE, NULL },
    { "a time that is no cost", "Scheduler.Slice", 750000, TRUE, NULL },
    { "a factor", "Locks.HoldPerContender", 0.033, FALSE, NULL },
    { "not a count", "CPU.Count", 0, FALSE,
      "\"CPU.Count\": expected a cost, a time or a factor, not a count, a size or a choice" },
    { "not a count among costs", "FileSystem xfs.SleepEvery", 0, FALSE,
      "\"FileSystem xfs.SleepEvery\": expected a cost, a time or a factor, not a count, a size or a choice" },
    { "not a size", "Memory.Size", 0, FALSE,
      "\"Memory.Size\": expected a cost, a time or a factor, not a count, a size or a choice" },
    { "not a choice", "Scheduler.Placement", 0, FALSE,
      "\"Scheduler.Placement\": expected a cost, a time or a factor, not a count, a size or a choice" },
    { "a slip", "CPU.Sycall", 0, FALSE,
      "\"CPU.Sycall\": machine x86-server has no such key; did you mean \"CPU.Syscall\"?" },
    { "no group", "Syscall", 0, FALSE,
      "\"Syscall\": machine x86-server has no such key; expected Group.Key, such as Scheduler.Switch" },
  };
  Machine *machine = machine_load ("x86-server", NULL);

  CU_ASSERT_FATAL (machine != NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    double value = -1;
    gboolean whole = FALSE;
    const gboolean found = machine_get_number (machine, rows[i].name, &value, &whole, &error);
    ROW_CHECK (found == !rows[i].message, "%s: %s", rows[i].rule, row_error (error));
    ROW_CHECK (!found || (value == rows[i].value && whole == rows[i].whole), "%s: %g", rows[i].rule, value);
    ROW_CHECK (found || strcmp (error->message, rows[i].message) == 0, "%s: %s", rows[i].rule, row_error (error));
  }
  machine_free (machine);
}

void register_machine_tests (void)
{
  CU_pSuite suite = CU_add_suite ("machine", NULL, NULL);

  CU_add_test (suite, "shipped machines are complete", test_shipped);
  CU_add_test (suite, "costs for every file system", test_file_systems);
  CU_add_test (suite, "sums", test_sums);
  CU_add_test (suite, "inheritance", test_inheritance);
  CU_add_test (suite, "--set", test_set);
  CU_add_test (suite, "numbers by name", test_numbers);
  CU_add_test (suite, "broken files", test_broken);
  CU_add_test (suite, "every key is needed", test_every_key_is_needed);
}
