// SPDX-License-Identifier: GPL-2.0
/*
 * checksum - what a checksum of a file's data costs on this machine.
 *
 * For tests/bench/checksum.  Each way is called as the module calls it: for 4 KiB at once, but
 * XXH64 also for smaller pieces.  The data is in the processor's cache, or flushed from it first,
 * as data is that a device has just written, and the next 4 KiB are prefetched, or fewer.  What a
 * kernel pays beside that for vector registers (kernel_fpu_begin()) is not in it.
 *
 * Output: a line for each way: name, and microseconds in cache, and flushed from it.
 */
#include <emmintrin.h>
#include <stdio.h>
#include <time.h>

#include "dsfs_platform.h"

#define BYTES	(112 << 10)
#define CALL	4096
#define LINE	64

static int call = CALL, ahead = CALL;

static u8 data[BYTES] __attribute__((aligned(CALL)));

/* The library's is plain C, as the kernel's is */
static void by_xxh64(u8 *p)
{
	static struct xxh64_state state;

	if (p == data)
		xxh64_reset(&state, 0);
	xxh64_update(&state, p, call);
}

/* The limit: a sum has to look at all bytes */
static void by_memcpy(u8 *p)
{
	static u8 copy[CALL];

	memcpy(copy, p, CALL);
	__asm__ volatile("" : : "r"(copy) : "memory");
}

static double pass(void (*way)(u8 *p), bool flushed)
{
	struct timespec a, b;

	for (int at = 0; flushed && at < BYTES; at += LINE)
		_mm_clflush(data + at);
	_mm_mfence();
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (u8 *p = data; p != data + BYTES; p += call) {
		for (int i = 0; flushed && ahead && i < call; i += LINE)
			__builtin_prefetch(p + ahead + i);
		way(p);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3;
}

/* The best of many passes: a machine does something else meanwhile. */
static void show(const char *name, void (*way)(u8 *p))
{
	printf("%s", name);
	for (int flushed = 0; flushed < 2; flushed++) {
		double best = 1e9;

		for (int i = 0; i < 801; i++) {
			const double took = pass(way, flushed);

			best = took < best ? took : best;
		}
		printf("\t%.1f", best);
	}
	printf("\n");
}

int main(void)
{
	char name[40];

	memset(data, 0x5a, BYTES);
	show("memcpy", by_memcpy);
	show("XXH64", by_xxh64);
	for (call = CALL / 2; call >= CALL / 16; call /= 2) {
		snprintf(name, sizeof(name), "XXH64, %d bytes a call", call);
		show(name, by_xxh64);
	}
	call = CALL;
	for (ahead = CALL / 2; ahead >= 0; ahead -= CALL / 2) {
		snprintf(name, sizeof(name), "XXH64, %d bytes ahead", ahead);
		show(name, by_xxh64);
	}
	return 0;
}
