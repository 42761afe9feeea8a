/*
 * A block device: channels, latencies, bandwidths, write cache, flush cost.  Device time only: what the CPU pays
 * belongs to the machine.  Loaded from a .device file (GKeyFile); each value has a second key NAME.source that says
 * where it comes from, as in machine files; a missing value is an error.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "src/engine/engine.h"
#include <glib.h>

typedef enum { DEVICE_NS, DEVICE_COUNT, DEVICE_BYTES, DEVICE_NUMBER, DEVICE_YESNO } DeviceUnit;

/* X(enumerator, group, key, unit, least, most, what it is). */
#define DEVICE_VALUES(X) \
  X (DEVICE_CHANNELS,      "Device", "Channels",     DEVICE_COUNT,  1, 65536,  "requests served at the same time") \
  X (DEVICE_QUEUE_DEPTH,   "Device", "QueueDepth",   DEVICE_COUNT,  1, 65536, \
     "requests the hardware takes; those without a channel wait there") \
  X (DEVICE_REQUESTS,      "Device", "Requests",     DEVICE_COUNT,  0, 65536, \
     "nr_requests of its I/O scheduler; 0: no scheduler, QueueDepth is the number of tags") \
  X (DEVICE_MAX_TRANSFER,  "Device", "MaxTransfer",  DEVICE_BYTES,  4096, 1073741824, \
     "largest request of the hardware") \
  X (DEVICE_SYNCHRONOUS,   "Device", "Synchronous",  DEVICE_YESNO,  0, 1, \
     "requests are done by the submitting CPU in the submit call (brd): no queue, no interrupt") \
  X (DEVICE_POLL,          "Device", "Poll",         DEVICE_YESNO,  0, 1, \
     "has poll queues, so IOPOLL is possible") \
  X (DEVICE_NOWAIT,        "Device", "NoWait",       DEVICE_YESNO,  0, 1, \
     "takes bios that must not wait (QUEUE_FLAG_NOWAIT); without, io_uring punts what reaches it") \
  X (DEVICE_STABLE_WRITES, "Device", "StableWrites", DEVICE_YESNO,  0, 1, \
     "pages must not change while they are written (checksums, parity): writes of them wait") \
  X (DEVICE_READ_TIME,     "Read",   "Time",         DEVICE_NS,     0, 1e12,   "a 4 KiB read, without waiting") \
  X (DEVICE_READ_SPREAD,   "Read",   "Spread",       DEVICE_NUMBER, 0, 4,      "coefficient of variation of Time") \
  X (DEVICE_READ_TAIL,     "Read",   "TailPercent",  DEVICE_NUMBER, 0, 100,    "share of slow reads") \
  X (DEVICE_READ_FACTOR,   "Read",   "TailFactor",   DEVICE_NUMBER, 1, 10000,  "how many times longer those take") \
  X (DEVICE_READ_RATE,     "Read",   "Bandwidth",    DEVICE_BYTES,  0, 1e15, \
     "bytes a second over all channels; 0: no cap") \
  X (DEVICE_READ_BURST,    "Read",   "Burst",        DEVICE_BYTES,  0, 1e12,   "bytes that may go ahead of Bandwidth") \
  X (DEVICE_WRITE_TIME,    "Write",  "Time",         DEVICE_NS,     0, 1e12, \
     "a 4 KiB write, into the cache if there is room") \
  X (DEVICE_WRITE_SPREAD,  "Write",  "Spread",       DEVICE_NUMBER, 0, 4,      "coefficient of variation of Time") \
  X (DEVICE_WRITE_TAIL,    "Write",  "TailPercent",  DEVICE_NUMBER, 0, 100,    "share of slow writes") \
  X (DEVICE_WRITE_FACTOR,  "Write",  "TailFactor",   DEVICE_NUMBER, 1, 10000,  "how many times longer those take") \
  X (DEVICE_WRITE_RATE,    "Write",  "Bandwidth",    DEVICE_BYTES,  0, 1e15, \
     "bytes a second over all channels; 0: no cap") \
  X (DEVICE_WRITE_BURST,   "Write",  "Burst",        DEVICE_BYTES,  0, 1e12,   "bytes that may go ahead of Bandwidth") \
  X (DEVICE_FLUSH_TIME,    "Flush",  "Time",         DEVICE_NS,     0, 1e12,   "a FLUSH that finds the cache empty") \
  X (DEVICE_FLUSH_SPREAD,  "Flush",  "Spread",       DEVICE_NUMBER, 0, 4,      "coefficient of variation of Time") \
  X (DEVICE_SEEK_TRACK,    "Seek",   "Track",        DEVICE_NS,     0, 1e12, \
     "added to a request that does not follow the last one: the shortest seek") \
  X (DEVICE_SEEK_FULL,     "Seek",   "Full",         DEVICE_NS,     0, 1e12,   "the longest, over all of Capacity") \
  X (DEVICE_SEEK_ROTATION, "Seek",   "Rotation",     DEVICE_NS,     0, 1e12, \
     "one turn: uniformly up to this much is added after a seek") \
  X (DEVICE_SEEK_CAPACITY, "Seek",   "Capacity",     DEVICE_BYTES,  4096, 1e18, "bytes that Full goes over") \
  X (DEVICE_CACHE_SIZE,    "Cache",  "Size",         DEVICE_BYTES,  0, 1e15,   "bytes of the write cache; 0: none") \
  X (DEVICE_CACHE_DRAIN,   "Cache",  "Drain",        DEVICE_BYTES,  1, 1e15, \
     "bytes a second at which it empties: the sustained rate") \
  X (DEVICE_CACHE_REQUEST, "Cache",  "DrainRequest", DEVICE_NS,     0, 1e12, \
     "emptying takes this much more per write that does not follow the last one") \
  X (DEVICE_CACHE_VOLATILE, "Cache", "Volatile",     DEVICE_YESNO,  0, 1, \
     "lost without power, so that the kernel sends FLUSH, which empties it first") \
  X (DEVICE_CACHE_FUA,     "Cache",  "Fua",          DEVICE_YESNO,  0, 1, \
     "a write can go past the cache (FUA); else the kernel sends a FLUSH after it")

#define DEVICE_VALUE_ENUM(id, group, key, unit, least, most, text) id,
typedef enum { DEVICE_VALUES (DEVICE_VALUE_ENUM) DEVICE_VALUES_N } DeviceKey;

/* `number` is the value whatever its unit (integers up to 1e18 are exact to 2^53 only: none needs more). */
typedef struct { double number; char *source; char *origin; } DeviceValue;

typedef struct Device {
  char *name, *title, *path, *evidence;      /* evidence: one line for reports */
  char *display;                             /* as origins name it */
  DeviceValue value[DEVICE_VALUES_N];
} Device;

#define DEVICE_ERROR (device_error_quark ())
GQuark device_error_quark (void);

static inline double device_number (const Device *device, DeviceKey key) { return device->value[key].number; }

/* As machine_load(). (transfer full) */
Device *device_load (const char *name_or_path, GError **error);
void    device_free (Device *device);        /* accepts NULL */
/* --set GROUP.KEY=VALUE, e.g. "Read.Time=90000".  The value's source becomes "assumed: --set". */
gboolean device_set (Device *device, const char *assignment, GError **error);
/* Whether an assignment is meant for a device: its group is one of a device's. */
gboolean device_has_group (const char *assignment);

const char *device_key_group (DeviceKey key);
const char *device_key_name (DeviceKey key);
const char *device_key_text (DeviceKey key);
DeviceUnit  device_key_unit (DeviceKey key);

#endif
