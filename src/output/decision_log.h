/*
 * The decision log as CSV: a header, then a line for each decision, written while the run goes on.
 *
 *   time_ns,stream,request,op,file,offset,bytes,rule,policy,origin,attempt,on_again,outcome,saw
 *
 * `saw` lists what the rules looked at, "write=1 buffered=1 inode.locked=0"; averages are "average0" and so on.
 * The file appears under its name when it is finished; a log that was cut short says so in its last line.
 */
#ifndef DECISION_LOG_H
#define DECISION_LOG_H

#include "model/decision.h"
#include "model/workload.h"

typedef struct DecisionLog DecisionLog;

/* The policy and the workload are borrowed. (transfer full); NULL with a G_FILE_ERROR */
DecisionLog *decision_log_new (const char *path, const Policy *policy, const Workload *workload, GError **error);
/* A DecisionFn; `log` is the DecisionLog. */
void         decision_log_add (const Decision *decision, void *log);
/* Closes it and gives it its name. FALSE with error set, also if a line could not be written. */
gboolean     decision_log_finish (DecisionLog *log, gboolean interrupted, GError **error);
/* What is not finished is removed.  Accepts NULL. */
void         decision_log_free (DecisionLog *log);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DecisionLog, decision_log_free)

#endif
