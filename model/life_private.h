/* Of the life of requests, for the model: counting stages, telling who listens (life.h). */
#ifndef LIFE_PRIVATE_H
#define LIFE_PRIVATE_H

#include "model/request.h"

typedef struct StageHistograms StageHistograms;

void   life_init (Simulation *sim);
void   life_free (Simulation *sim);
/* The application has it back: all its times are set. */
void   life_ended (Application *application, const Request *request);
/* ns; 0: not known. */
double life_stage_p99 (const Simulation *sim, Outcome outcome, Phase phase);

#endif
