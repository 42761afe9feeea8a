/*
 * The engine, its processes, its draws and its statistics together, against queues
 * with known answers: M/M/1, M/D/1, M/M/c, machine repairman.
 *
 * Each figure is the mean of independent replications.  The theoretical value must
 * lie inside the 99 % confidence interval, and the interval must be narrow (the
 * relative half width is bounded), so that an error of a few per cent fails.
 */
#include "src/engine/random.h"
#include "src/engine/tally.h"
#include "tests/engine/check.h"
#include "tests/engine/process.h"
#include "tests/unit.h"

#define LEVEL 0.99
#define SERVICE_NS 1e6 /* mean service time: rounding to whole ns does not matter */

static UrTime exponential_time (UrRandom *random, double mean)
{
  return (UrTime) (ur_random_exponential (random, mean) + 0.5);
}

static void check_interval (const char *what, const UrTally *tally, double theory, double bound)
{
  double half = ur_tally_half_width (tally, LEVEL);

  CHECK (fabs (tally->mean - theory) <= half, "%s: %.5g +- %.2g, theory %.5g", what, tally->mean, half, theory);
  CHECK (half <= bound * theory, "%s: half width %.2g is more than %g of %.5g", what, half, bound, theory);
}

/* ---- one server process and one source process, FIFO: M/M/1 and M/D/1 ---- */

#define RING 8192u /* a power of two, more than ever wait */

typedef struct {
  UrEngine *engine;
  Process source, server;
  UrRandom arrivals, services;
  double gap;        /* mean time between arrivals */
  gboolean constant; /* service times, else exponential */
  unsigned warm_up, customers, arrived, served;
  UrTime waiting[RING];
  uint32_t head, tail;
  UrTally stay;
  UrLevel present;
} Station;

static void station_source (void *data)
{
  Station *station = data;

  while (station->arrived < station->customers) {
    process_hold (&station->source, exponential_time (&station->arrivals, station->gap));
    if (station->arrived++ == station->warm_up)
      ur_level_init (&station->present, ur_engine_now (station->engine), station->present.level);
    station->waiting[station->tail++ % RING] = ur_engine_now (station->engine);
    g_assert (station->tail - station->head < RING);
    ur_level_set (&station->present, ur_engine_now (station->engine), station->tail - station->head);
    process_wake (&station->server);
  }
}

static void station_server (void *data)
{
  Station *station = data;

  while (station->served < station->customers) {
    if (station->head == station->tail) {
      process_sleep (&station->server);
      continue;
    }
    process_hold (&station->server,
                  station->constant ? (UrTime) SERVICE_NS : exponential_time (&station->services, SERVICE_NS));
    UrTime now = ur_engine_now (station->engine), since = station->waiting[station->head++ % RING];
    ur_level_set (&station->present, now, station->tail - station->head);
    if (station->served++ >= station->warm_up)
      ur_tally_add (&station->stay, (double) (now - since) / SERVICE_NS);
  }
}

/* One replication; adds its mean stay (in service times) and mean number present. */
static void run_station (double utilisation, gboolean constant, unsigned customers, unsigned replication, UrTally *stay,
                         UrTally *present)
{
  Station *station = g_new0 (Station, 1);
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  station->engine = ur_engine_new ();
  station->gap = SERVICE_NS / utilisation;
  station->constant = constant;
  station->warm_up = customers / 20;
  station->customers = customers;
  ur_random_init_indexed (&station->arrivals, 1, "arrivals", replication);
  ur_random_init_indexed (&station->services, 1, "services", replication);
  ur_tally_init (&station->stay);
  process_start (&station->source, station->engine, pool, station_source, station);
  process_start (&station->server, station->engine, pool, station_server, station);
  ur_engine_run (station->engine, UR_TIME_NEVER);
  ur_tally_add (stay, station->stay.mean);
  ur_tally_add (present, ur_level_mean (&station->present, ur_engine_now (station->engine)));
  CHECK (station->served == customers && ur_engine_pending (station->engine) == 0, "all served, nothing left");
  ur_coroutine_free (station->source.coroutine);
  ur_coroutine_free (station->server.coroutine);
  ur_coroutine_pool_free (pool);
  ur_engine_free (station->engine);
  g_free (station);
}

static const struct {
  const char *name;
  double utilisation;
  gboolean constant;
  unsigned customers, replications;
  double bound; /* of the relative half width */
} stations[] = {
  { "M/M/1, utilisation 0.5", 0.5, FALSE, 50000, 20, 0.01 },
  { "M/M/1, utilisation 0.9", 0.9, FALSE, 300000, 20, 0.03 },
  { "M/D/1, utilisation 0.5", 0.5, TRUE, 50000, 20, 0.01 },
  { "M/D/1, utilisation 0.8", 0.8, TRUE, 100000, 20, 0.015 },
};

static void test_single_server (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (stations); i++) {
    double rho = stations[i].utilisation;
    /* Pollaczek and Khinchine: waiting = rho (1 + cv^2) / (2 (1 - rho)) service times. */
    double stay_theory = 1.0 + rho * (stations[i].constant ? 1.0 : 2.0) / (2.0 * (1.0 - rho));
    UrTally stay, present;
    ur_tally_init (&stay);
    ur_tally_init (&present);
    for (unsigned r = 0; r < stations[i].replications; r++)
      run_station (rho, stations[i].constant, stations[i].customers, r, &stay, &present);
    g_autofree char *stay_name = g_strconcat (stations[i].name, ": stay", NULL);
    g_autofree char *present_name = g_strconcat (stations[i].name, ": number present", NULL);
    check_interval (stay_name, &stay, stay_theory, stations[i].bound);
    /* Little: present = arrival rate * stay. */
    check_interval (present_name, &present, rho * stay_theory, 1.2 * stations[i].bound);
  }
}

/* ---- a resource of several units, first come first served ---- */

typedef struct Customer Customer;

typedef struct {
  unsigned units;
  Customer *first, *last; /* waiting */
} Resource;

struct Customer {
  Process process;
  Customer *next;
  void *owner;
};

static gboolean resource_acquire (Resource *resource, Customer *customer)
{
  if (resource->units > 0) {
    resource->units--;
    return TRUE;
  }
  customer->next = NULL;
  if (resource->first == NULL)
    resource->first = customer;
  else
    resource->last->next = customer;
  resource->last = customer;
  process_sleep (&customer->process); /* the unit is handed over, so nobody can take it in between */
  return FALSE;
}

static void resource_release (Resource *resource)
{
  Customer *next = resource->first;

  if (next == NULL) {
    resource->units++;
    return;
  }
  resource->first = next->next;
  process_wake (&next->process);
}

/* ---- M/M/c, every customer a process of its own that is created and freed ---- */

typedef struct {
  UrEngine *engine;
  UrCoroutinePool *pool;
  Process source;
  UrRandom arrivals, services;
  Resource servers;
  Customer *gone; /* ended, to be freed by the source */
  double gap;
  unsigned customers, arrived, warm_up, counted, waited;
  UrTally wait;
} Office;

static void office_customer (void *data)
{
  Customer *self = data;
  Office *office = self->owner;
  gboolean count = office->arrived > office->warm_up;
  UrTime arrival = ur_engine_now (office->engine);
  gboolean at_once = resource_acquire (&office->servers, self);

  if (count) {
    office->counted++;
    office->waited += !at_once;
    ur_tally_add (&office->wait, (double) (ur_engine_now (office->engine) - arrival) / SERVICE_NS);
  }
  process_hold (&self->process, exponential_time (&office->services, SERVICE_NS));
  resource_release (&office->servers);
  self->next = office->gone;
  office->gone = self;
}

static void office_free_gone (Office *office)
{
  while (office->gone != NULL) {
    Customer *customer = office->gone;
    office->gone = customer->next;
    ur_coroutine_free (customer->process.coroutine);
    g_free (customer);
  }
}

static void office_source (void *data)
{
  Office *office = data;

  while (office->arrived < office->customers) {
    process_hold (&office->source, exponential_time (&office->arrivals, office->gap));
    office_free_gone (office);
    office->arrived++;
    Customer *customer = g_new0 (Customer, 1);
    customer->owner = office;
    process_start (&customer->process, office->engine, office->pool, office_customer, customer);
  }
}

/* The probability of waiting with c servers and offered load a. */
static double erlang_c (unsigned c, double a)
{
  double blocking = 1.0; /* Erlang B by its recursion */

  for (unsigned i = 1; i <= c; i++)
    blocking = a * blocking / (i + a * blocking);
  return blocking / (1.0 - (a / c) * (1.0 - blocking));
}

static void run_office (unsigned servers, double load, unsigned customers, unsigned replication, UrTally *wait,
                        UrTally *waited)
{
  Office office = {
    .servers = { .units = servers }, .gap = SERVICE_NS / load, .customers = customers, .warm_up = customers / 20
  };

  office.engine = ur_engine_new ();
  office.pool = ur_coroutine_pool_new (0);
  ur_random_init_indexed (&office.arrivals, 2, "arrivals", replication);
  ur_random_init_indexed (&office.services, 2, "services", replication);
  ur_tally_init (&office.wait);
  process_start (&office.source, office.engine, office.pool, office_source, &office);
  ur_engine_run (office.engine, UR_TIME_NEVER);
  office_free_gone (&office);
  ur_tally_add (wait, office.wait.mean);
  ur_tally_add (waited, (double) office.waited / office.counted);
  CHECK (office.servers.units == servers && office.servers.first == NULL, "all servers are free again");
  ur_coroutine_free (office.source.coroutine);
  ur_coroutine_pool_free (office.pool);
  ur_engine_free (office.engine);
}

static const struct {
  const char *name;
  unsigned servers;
  double load;
  double bound;
} offices[] = {
  { "M/M/4, utilisation 0.8", 4, 3.2, 0.04 },
  { "M/M/2, utilisation 0.6", 2, 1.2, 0.02 },
};

static void test_several_servers (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (offices); i++) {
    double c = erlang_c (offices[i].servers, offices[i].load);
    UrTally wait, waited;
    ur_tally_init (&wait);
    ur_tally_init (&waited);
    for (unsigned r = 0; r < 20; r++)
      run_office (offices[i].servers, offices[i].load, 100000, r, &wait, &waited);
    g_autofree char *wait_name = g_strconcat (offices[i].name, ": waiting time", NULL);
    g_autofree char *waited_name = g_strconcat (offices[i].name, ": share that waits (Erlang C)", NULL);
    check_interval (wait_name, &wait, c / (offices[i].servers - offices[i].load), offices[i].bound);
    check_interval (waited_name, &waited, c, offices[i].bound / 2.0);
  }
}

/* Erlang C itself, against published values. */
static void test_erlang_c (void)
{
  CHECK_NEAR (erlang_c (1, 0.9), 0.9, 1e-12, "one server: the utilisation");
  CHECK_NEAR (erlang_c (2, 1.2), 0.45, 1e-12, "two servers: 2 rho^2 / (1 + rho)");
  CHECK_NEAR (erlang_c (4, 3.2), 0.5964, 5e-5, "four servers at 0.8");
}

/* ---- machine repairman: finite source ---- */

enum { MACHINES = 10, REPAIRMEN = 2 };

typedef struct {
  UrEngine *engine;
  UrRandom up, repair;
  Resource repairmen;
  Customer machine[MACHINES];
  double up_time; /* mean */
  UrLevel broken;
  unsigned repairs, n_broken;
} Shop;

static void shop_machine (void *data)
{
  Customer *self = data;
  Shop *shop = self->owner;

  for (;;) {
    process_hold (&self->process, exponential_time (&shop->up, shop->up_time));
    ur_level_set (&shop->broken, ur_engine_now (shop->engine), ++shop->n_broken);
    resource_acquire (&shop->repairmen, self);
    process_hold (&self->process, exponential_time (&shop->repair, SERVICE_NS));
    resource_release (&shop->repairmen);
    ur_level_set (&shop->broken, ur_engine_now (shop->engine), --shop->n_broken);
    shop->repairs++;
  }
}

/* Mean number broken and repairs per mean repair time, from the birth and death process. */
static void repairman_theory (double up_time, double *ret_broken, double *ret_rate)
{
  double p[MACHINES + 1] = { 1.0 }, sum = 1.0;

  *ret_broken = *ret_rate = 0.0;
  for (int n = 1; n <= MACHINES; n++) {
    p[n] = p[n - 1] * (MACHINES - n + 1) * (SERVICE_NS / up_time) / MIN (n, REPAIRMEN);
    sum += p[n];
  }
  for (int n = 1; n <= MACHINES; n++) {
    *ret_broken += n * p[n] / sum;
    *ret_rate += MIN (n, REPAIRMEN) * p[n] / sum;
  }
}

static void run_shop (double up_time, unsigned replication, UrTally *broken, UrTally *rate)
{
  const UrTime warm_up = (UrTime) (200 * SERVICE_NS), end = (UrTime) (20000 * SERVICE_NS);
  Shop shop = { .repairmen = { .units = REPAIRMEN }, .up_time = up_time };
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  shop.engine = ur_engine_new ();
  ur_random_init_indexed (&shop.up, 3, "up", replication);
  ur_random_init_indexed (&shop.repair, 3, "repair", replication);
  ur_level_init (&shop.broken, 0, 0.0);
  for (int i = 0; i < MACHINES; i++) {
    shop.machine[i].owner = &shop;
    process_start (&shop.machine[i].process, shop.engine, pool, shop_machine, &shop.machine[i]);
  }
  ur_engine_run (shop.engine, warm_up);
  ur_level_init (&shop.broken, warm_up, shop.n_broken);
  shop.repairs = 0;
  ur_engine_run (shop.engine, end);
  CHECK (ur_engine_now (shop.engine) == end, "the clock stands at the end");
  ur_tally_add (broken, ur_level_mean (&shop.broken, end));
  ur_tally_add (rate, shop.repairs / ((double) (end - warm_up) / SERVICE_NS));
  for (int i = 0; i < MACHINES; i++)
    ur_coroutine_free (shop.machine[i].process.coroutine); /* abandoned in the middle of their loops */
  ur_coroutine_pool_free (pool);
  ur_engine_free (shop.engine);
}

static void test_machine_repairman (void)
{
  static const double up_times[] = { 3.0, 8.0 }; /* repairmen busy all the time, and half of it */

  for (size_t i = 0; i < G_N_ELEMENTS (up_times); i++) {
    double broken_theory, rate_theory;
    UrTally broken, rate;
    ur_tally_init (&broken);
    ur_tally_init (&rate);
    repairman_theory (up_times[i] * SERVICE_NS, &broken_theory, &rate_theory);
    for (unsigned r = 0; r < 20; r++)
      run_shop (up_times[i] * SERVICE_NS, r, &broken, &rate);
    g_autofree char *broken_name = g_strdup_printf ("machine repairman, up time %g: broken", up_times[i]);
    g_autofree char *rate_name = g_strdup_printf ("machine repairman, up time %g: repairs", up_times[i]);
    check_interval (broken_name, &broken, broken_theory, 0.01);
    check_interval (rate_name, &rate, rate_theory, 0.005);
  }
}

void register_queueing_tests (void)
{
  CU_pSuite suite = check_new_suite ("queueing");

  check_add_test (suite, "M/M/1 and M/D/1", test_single_server);
  check_add_test (suite, "Erlang C", test_erlang_c);
  check_add_test (suite, "M/M/c", test_several_servers);
  check_add_test (suite, "machine repairman", test_machine_repairman);
}
