/*
 * A fuzz target is one function over some bytes; it returns 0 and must neither crash, hang nor leak whatever they are.
 * The name is libFuzzer's, so that a target links with it (--enable-fuzz) or with standalone.c.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length);

#endif
