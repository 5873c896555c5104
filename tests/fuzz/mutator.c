// SPDX-License-Identifier: GPL-2.0
/*
 * The custom mutator.  A quarter of the inputs is mutated by the
 * engine as plain bytes; the others are unpacked, changed in their structures, or
 * in a window by the engine, and packed again.
 */
#include <stdlib.h>

#include "engine.h"
#include "input.h"
#include "mutate.h"

#define WINDOW	64

static u8 image[INPUT_IMAGE_MAX], other[INPUT_IMAGE_MAX];

static u32 next(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Let the engine change bytes where there are some. */
static void change_window(size_t len, u64 *state)
{
	size_t at, tries, n = 1 + next(state) % WINDOW;

	for (tries = 0; tries < 64 && len > DSFS_DATA_START_MIN + WINDOW; tries++) {
		at = DSFS_DATA_START_MIN +
		     next(state) % (len - DSFS_DATA_START_MIN - WINDOW);
		if (image[at]) {
			LLVMFuzzerMutate(image + at, n, n);
			return;
		}
	}
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed)
{
	u64 state = seed * 0x9e3779b97f4a7c15ULL + 1;
	struct dsfs_mutation what = { .raw = false };
	size_t len, packed;
	u8 head;

	if (!(next(&state) & 3))
		return LLVMFuzzerMutate(data, size, max);
	head = input_unpack(data, size, image, &len);
	if (next(&state) % 3)
		len = dsfs_mutate(image, len, sizeof(image), next(&state), &what);
	else
		change_window(len, &state);
	/* Checksums are made right when the input is run, but of a raw change. */
	head |= INPUT_SUMS;
	if (what.raw)
		head &= ~INPUT_SUMS;
	/* Seldom: which of its choices a target takes, checksums of data. */
	if (!(next(&state) % 8))
		head ^= next(&state) & ~INPUT_SUMS;
	packed = input_pack(image, len, head, data, max);
	return packed ? packed : LLVMFuzzerMutate(data, size, max);
}

/* A piece of the second image in the place where it lies there. */
size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t a_size, const u8 *b,
				 size_t b_size, u8 *out, size_t max,
				 unsigned int seed)
{
	u64 state = seed * 0x9e3779b97f4a7c15ULL + 1;
	size_t a_len, b_len, at, n = 32U << next(&state) % 8;
	u8 head = input_unpack(a, a_size, image, &a_len);

	input_unpack(b, b_size, other, &b_len);
	if (b_len < a_len)
		a_len = b_len;
	if (a_len < DSFS_DATA_START_MIN + n)
		return 0;
	at = DSFS_DATA_START_MIN +
	     next(&state) % ((a_len - DSFS_DATA_START_MIN) / n) * n;
	memcpy(image + at, other + at, n);
	return input_pack(image, a_len, head | INPUT_SUMS, out, max);
}
