/*
 * What the files of input.h share.
 */
#ifndef INPUT_PRIVATE_H
#define INPUT_PRIVATE_H

#include "src/input/input.h"

IologOptions input_iolog_options (const InputOptions *options);
gboolean     input_check_options (const InputOptions *options, GError **error);
/* Sets the error for an input of a kind that is not `expected`. */
void         input_refuse (const ByteSource *source, InputKind kind, const char *expected, GError **error);
/* One that input_open_trace_of() opens. */
gboolean     input_kind_is_trace (InputKind kind, const InputOptions *options);
/* `source`: paths[0], opened; NULL with error set. (transfer full) */
Trace       *input_open_trace_of (ByteSource *source, InputKind kind, const char *const *paths,
                                  const InputOptions *options, GError **error);

#endif
