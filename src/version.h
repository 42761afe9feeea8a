/*
 * Which program made a result.  Users compare results across versions: the model version grows with every change that
 * moves a number for the same input, and NEWS says why.
 */
#ifndef VERSION_H
#define VERSION_H

#define URINGSIM_MODEL_VERSION 2

const char *uringsim_version (void);         /* "0.1.0" */
unsigned    uringsim_model_version (void);
/* The commit it was built from, "release" for a tarball without one. */
const char *uringsim_git_id (void);

#endif
