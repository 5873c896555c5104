// SPDX-License-Identifier: GPL-2.0
/*
 * How many requests are in flight (userspace/http/flight.c), where time is what the test says: all
 * that may be sent is sent, and then all of it is answered.
 */
#include "tap.h"
#include "flight.h"

#define RTT	20000

/* A server that is far away, and nothing else */
static uint64_t far(unsigned int n)
{
	(void)n;
	return RTT;
}

/* A link that a few requests fill: each further one waits for the others */
static uint64_t narrow(unsigned int n)
{
	return RTT + n * 1000;
}

/* Send what may be sent of @left requests, and answer it.  Return: how many that were. */
static unsigned int wave(struct http_flight *w, unsigned int left, uint64_t (*time)(unsigned int))
{
	const unsigned int n = left < w->size ? left : w->size;

	w->full = n == w->size;
	for (unsigned int i = 1; i <= n; i++)
		flight_answer(w, i > n - i ? i : n - i + 1, time(n));
	return n;
}

/* Return: the waves of a batch */
static unsigned int batch(struct http_flight *w, unsigned int n, uint64_t (*time)(unsigned int))
{
	unsigned int waves = 0;

	for (; n; waves++)
		n -= wave(w, n, time);
	return waves;
}

static void refuse(struct http_flight *w, unsigned int n)
{
	const unsigned int cuts = w->cuts;

	for (unsigned int left = n; left; left--)
		flight_busy(w, left, cuts);
}

TESTS(flight_grows)
{
	struct http_flight w;

	flight_init(&w, 256);
	OK(w.size == 64, "it begins with 64");
	OK(batch(&w, 256, far) == 3 && w.size == 256, "a batch of 256: 64, 128, 64 requests: %u",
	   w.size);
	for (int i = 0; i < 1000; i++)
		if (batch(&w, 256, far) != 1)
			break;
	OK(w.size == 256, "and then it is one round trip, a thousand times: %u", w.size);
	flight_init(&w, 8);
	OK(batch(&w, 256, far) == 32 && w.size == 8, "the limit holds: %u", w.size);
	flight_init(&w, 256);
	for (int i = 0; i < 1000; i++)
		batch(&w, 16, far);
	OK(w.size == 64, "16 readers make no room for more: %u", w.size);
}

TESTS(flight_rate)
{
	unsigned int sum = 0, most = 0;
	struct http_flight w;

	flight_init(&w, 1024);
	for (int i = 0; i < 1000; i++) {
		wave(&w, -1, narrow);
		sum += w.size;
		most = w.size > most ? w.size : most;
	}
	OK(sum < 100 * 1000, "a link that is full: %u on average", sum / 1000);
	OK(most > 64 && most < 1024, "more is tried: %u", most);
	for (int i = 0; i < 30; i++)
		wave(&w, -1, far);
	OK(w.size == 1024, "and taken when the link is another: %u", w.size);
	flight_init(&w, 256);
	for (int i = sum = 0; i < 1000; sum += w.size, i++)
		batch(&w, 256, narrow);
	OK(sum < 150 * 1000, "by batches, too: %u", sum / 1000);
}

TESTS(flight_busy)
{
	struct http_flight w;

	flight_init(&w, 256);
	refuse(&w, 64);
	OK(w.size == 32, "64 that are refused halve it once: %u", w.size);
	wave(&w, 32, far);
	OK(w.size == 33, "then a round makes room for one more: %u", w.size);
	refuse(&w, 4);
	OK(w.size == 2, "half of what is in flight: %u", w.size);
	for (int i = 0; i < 4; i++)
		refuse(&w, w.size);
	OK(w.size == 1, "at least one: %u", w.size);
	for (int i = 0; i < 255; i++)
		wave(&w, -1, far);
	OK(w.size == 256, "a round trip for each, up to the limit: %u", w.size);
}
