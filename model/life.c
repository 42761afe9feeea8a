/* See life.h. */
#include "model/life_private.h"

#include "model/application.h"

static const char *const again_words[] = {
#define AGAIN_WORD(id, word, text) word,
  AGAIN_REASONS (AGAIN_WORD)
};
static const char *const again_texts[] = {
#define AGAIN_TEXT(id, word, text) text,
  AGAIN_REASONS (AGAIN_TEXT)
};

const char *again_reason_word (AgainReason reason)
{
  g_return_val_if_fail (reason < AGAIN_REASON_COUNT, NULL);
  return again_words[reason];
}

const char *again_reason_text (AgainReason reason)
{
  g_return_val_if_fail (reason < AGAIN_REASON_COUNT, NULL);
  return again_texts[reason];
}

/* Stages of one request, by outcome. */
struct StageHistograms {
  UrHistogram stage[OUTCOMES][PHASES];
};

void life_init (Simulation *sim)
{
  if (!sim->setup->stage_percentiles)
    return;
  sim->stages = g_new (StageHistograms, 1);
  for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
    for (unsigned phase = 0; phase < PHASES; phase++)
      ur_histogram_init (&sim->stages->stage[outcome][phase]);
}

void life_free (Simulation *sim) { g_clear_pointer (&sim->stages, g_free); }

double life_stage_p99 (const Simulation *sim, Outcome outcome, Phase phase)
{
  const UrHistogram *histogram = sim->stages ? &sim->stages->stage[outcome][phase] : NULL;

  return histogram && histogram->n ? (double) ur_histogram_percentile (histogram, 99) : 0;
}

static inline UrTime between (UrTime from, UrTime to, gboolean *ret_ok)
{
  *ret_ok &= to >= from;
  return to - from;
}

gboolean life_stages (const RequestTimes *time, UrTime ret_stage[PHASES])
{
  UrTime start = time->started ? time->started : time->attempt;
  UrTime waited = time->lock_got - time->lock_wanted;
  gboolean ok = TRUE;

  ret_stage[PHASE_SUBMIT] = between (time->prepared, time->attempt, &ok);
  ret_stage[PHASE_ATTEMPT] = ret_stage[PHASE_PUNT] = ret_stage[PHASE_QUEUE] = 0;
  if (time->queued) {
    ret_stage[PHASE_ATTEMPT] = between (time->attempt, time->verdict, &ok);
    ret_stage[PHASE_PUNT] = between (time->verdict, time->queued, &ok);
    ret_stage[PHASE_QUEUE] = between (time->queued + time->queue_wakeup, time->started, &ok);
  }
  ret_stage[PHASE_WAKEUP] = time->queue_wakeup + time->reap_wakeup;
  ret_stage[PHASE_LOCK] = between (time->lock_wanted, time->lock_got, &ok);
  ret_stage[PHASE_SERVICE] = between (start + waited, time->done, &ok);
  ret_stage[PHASE_COMPLETE] = between (time->done, time->posted, &ok);
  ret_stage[PHASE_REAP] = between (time->posted + time->reap_wakeup, time->reaped, &ok);
  return ok;
}

/* Whether the request passed the stage: those that were skipped are no part of it. */
static gboolean has_stage (const RequestTimes *time, Phase phase, UrTime ns)
{
  switch (phase) {
  case PHASE_ATTEMPT:
  case PHASE_PUNT:
  case PHASE_QUEUE:
    return time->queued != 0;
  case PHASE_WAKEUP:
    return ns != 0;
  default:
    return TRUE;
  }
}

static void tell (const Application *application, const Request *request, const UrTime stage[PHASES])
{
  const SimulationSetup *setup = application->sim->setup;
  RequestLife life = { .stream = application->number,
                       .number = request->number,
                       .io = request->io,
                       .direct = request->direct,
                       .opcode = request->opcode,
                       .malformed = request->prep_error != 0,
                       .outcome = request->outcome,
                       .result = request->result,
                       .engine = application->engine,
                       .synchronous = application->engine == APPLICATION_PSYNC,
                       .hashed = request->hashed,
                       .bucket = request->bucket,
                       .queue = request->queue,
                       .by_sq_thread = request->ring && request->ring->sq_thread,
                       .chained = request->chained,
                       .blocking = request->may_wait,
                       .again = request->again,
                       .executor_kind = RESULT_NOBODY,
                       .lock_holder = request->lock_holder,
                       .time = request->time,
                       .measured_from = application_measured_from (application) };

  if (request->executor) {
    life.executor = request->executor->id;
    life.executor_name = request->executor->name;
    life.executor_kind = (ResultTask) request->executor->class;
  }
  memcpy (life.stage, stage, sizeof life.stage);
  setup->life (&life, setup->life_data);
}

void life_ended (Application *application, const Request *request)
{
  Simulation *sim = application->sim;
  SimulationCounters *count = &sim->count;
  UrTime stage[PHASES];

  if (G_UNLIKELY (!life_stages (&request->time, stage)))
    count->backwards++;
  count->ended[request->outcome]++;
  for (unsigned phase = 0; phase < PHASES; phase++)
    if (has_stage (&request->time, phase, stage[phase])) {
      count->phase[request->outcome][phase].sum += stage[phase];
      count->phase[request->outcome][phase].n++;
    }
  if (G_UNLIKELY (sim->stages != NULL))
    for (unsigned phase = 0; phase < PHASES; phase++)
      if (has_stage (&request->time, phase, stage[phase]))
        ur_histogram_record (&sim->stages->stage[request->outcome][phase], stage[phase]);
  if (G_UNLIKELY (sim->setup->life != NULL))
    tell (application, request, stage);
}
