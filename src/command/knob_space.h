/*
 * The settings that the knobs of a policy can have, as points of a unit cube: what an optimiser moves in is continuous,
 * what is tried are whole steps or numbers of four digits.
 *
 * A range whose HIGH is at least 100 times LOW is divided by factors, any other evenly.
 */
#ifndef KNOB_SPACE_H
#define KNOB_SPACE_H

#include "model/policy.h"

/* Settings of one knob; of one with decimals G_MAXUINT64. */
guint64 knob_settings (const PolicyKnobRange *range);
/* Settings of all knobs together, at most G_MAXUINT64. */
guint64 knob_space_settings (const Policy *policy);
/* The setting at u, 0 to 1. */
double  knob_at (const PolicyKnobRange *range, double u);
/* Setting number i of a knob that steps, from 0. */
double  knob_step (const PolicyKnobRange *range, guint64 i);
/* The next setting above (+1) or below (-1), or the same at the end; of a knob with decimals a hundredth of the range
 * on. */
double  knob_next (const PolicyKnobRange *range, double value, int direction);
/* As it is written in a policy file: "2", "16KiB", "0.25". (transfer full) */
char   *knob_text (const PolicyKnobRange *range, double value);

#endif
