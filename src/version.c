/* Versions; see version.h.  git-id.h is made by the build. */
#include "src/version.h"
#include "src/git-id.h"

const char *uringsim_version (void) { return PACKAGE_VERSION; }

unsigned uringsim_model_version (void) { return URINGSIM_MODEL_VERSION; }

const char *uringsim_git_id (void) { return URINGSIM_GIT_ID; }
