/*
 * The run over time, for --interval: a sample with the first completion after each interval has passed, so that taking
 * them changes nothing.  Stands for what an observer sees who reads /proc once in a while.  Memory is bounded: when
 * SAMPLES_MAX are there, every second one goes and the interval doubles.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "model/sim.h"

#define SAMPLES_MAX 4096u

void sample_init (Simulation *sim);
/* Call it when now >= sim->next_sample, and at the end of the run. */
void sample_take (Simulation *sim);

#endif
