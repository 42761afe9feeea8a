/*
 * A named thing laid open: fields, then tables, printable as text or JSON from the same content.
 */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "model/device.h"
#include "model/experiment.h"
#include "model/file_system.h"
#include "model/machine.h"
#include "model/policy.h"

typedef struct Description Description;

/* `kind` is "policy", "machine", ...: the JSON's outer key. (transfer full) */
Description *description_new (const char *kind);
void         description_free (Description *description);        /* accepts NULL */
/* One "key  value" line, value escaped in text; NULL or "" leaves it out. */
void         description_field (Description *description, const char *key, const char *value);
/* Starts a table.  `keys`: the JSON names of its columns, space separated; they are the headings, too.  A trailing '#'
 * marks numbers, a trailing '+' long texts, which get lines of their own below their row. */
void         description_table (Description *description, const char *name, const char *keys);
/* The next cell of the table's current row; NULL: empty. */
void         description_cell (Description *description, const char *value);

/* (transfer full) */
char        *description_text (const Description *description);
char        *description_json (const Description *description);

/* What `show` shows. (transfer full) */
Description *describe_policy (const Policy *policy);
Description *describe_machine (const Machine *machine);
Description *describe_file_system (const FileSystem *file_system);
Description *describe_device (const Device *device);
Description *describe_experiment (const Experiment *experiment);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Description, description_free)

#endif
