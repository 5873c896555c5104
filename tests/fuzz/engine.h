/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libFuzzer asks for, by its names: its headers are not packaged.
 */
#ifndef FUZZ_ENGINE_H
#define FUZZ_ENGINE_H

#include "dsfs_platform.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/** finding - say what must not be, and crash for the fuzzer */
void __attribute__((noreturn)) finding(const char *what);

/** tool_main - run a tool's main() as if from a command line; NULL ends it */
int tool_main(int (*tool)(int argc, char **argv), const char *const *args);

/* Provided by libFuzzer. */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t a_size,
				 const u8 *b, size_t b_size, u8 *out,
				 size_t max, unsigned int seed);

#endif /* FUZZ_ENGINE_H */
