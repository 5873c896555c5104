// SPDX-License-Identifier: GPL-2.0
/*
 * The mutator by AFL++'s interface of custom mutators.  AFL++ applies its own
 * mutations as well.
 */
#include <stdlib.h>

#include "engine.h"
#include "input.h"

#define INPUT_MAX	65536

struct state {
	unsigned int seed;
	u8 out[INPUT_MAX];
};

/* What libFuzzer would do with any bytes: here it is a flip of a bit. */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max)
{
	static u64 state = 1;
	size_t bit;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	bit = size ? (state >> 16) % (size * 8) : 0;
	if (size)
		data[bit / 8] ^= 1 << bit % 8;
	return size;
}

void *afl_custom_init(void *afl, unsigned int seed)
{
	struct state *s = malloc(sizeof(*s));

	if (s)
		s->seed = seed;
	return s;
}

size_t afl_custom_fuzz(void *state, u8 *buf, size_t size, u8 **out, u8 *add,
		       size_t add_size, size_t max)
{
	struct state *s = state;

	if (max > sizeof(s->out))
		max = sizeof(s->out);
	if (size > max)
		size = max;
	memcpy(s->out, buf, size);
	*out = s->out;
	return LLVMFuzzerCustomMutator(s->out, size, max, s->seed++);
}

void afl_custom_deinit(void *state)
{
	free(state);
}
