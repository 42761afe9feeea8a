/* See osq.h.  Stands for osq_lock() and osq_unlock(). */
#include "model/osq.h"

#include "model/cpu.h"

void osq_init (Osq *osq)
{
  *osq = (Osq){ 0 };
  ur_level_init (&osq->spinning, 0, 0);
}

static void osq_push (Osq *osq, OsqNode *node)
{
  node->prev = osq->tail;
  if (osq->tail)
    osq->tail->next = node;
  else
    osq->head = node;
  osq->tail = node;
  osq->n++;
  ur_level_set (&osq->spinning, sim_now (node->task->sim), osq->n);
}

void osq_unlock (Osq *osq, OsqNode *node)
{
  Simulation *sim = node->task->sim;
  gboolean was_head = osq->head == node;

  if (node->prev)
    node->prev->next = node->next;
  else
    osq->head = node->next;
  if (node->next)
    node->next->prev = node->prev;
  else
    osq->tail = node->prev;
  osq->n--;
  ur_level_set (&osq->spinning, sim_now (sim), osq->n);
  if (was_head && osq->head)
    osq_look (osq, sim_cost (sim, COST_LOCK_TRANSFER));
}

gboolean osq_lock (Task *task, Osq *osq, OsqNode *node, uint64_t *account)
{
  *node = (OsqNode){ .task = task };
  osq_push (osq, node);
  while (osq->head != node)
    if (task_spin (task, account, UR_TIME_NEVER) == SPIN_RESCHED && osq->head != node) {
      osq_unlock (osq, node);
      return FALSE;
    }
  return TRUE;
}
