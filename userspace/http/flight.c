// SPDX-License-Identifier: GPL-2.0
/*
 * How many requests of an object may be in flight.
 *
 * A batch takes as many round trips as it has windows, so a far server needs a large one.  On a
 * link, or at a server, that is busy already, a larger one only makes each request wait longer,
 * until the slowest is lost.  It is TCP's problem, and has its answers:
 *
 * - slow start and congestion avoidance (RFC 5681): an answer makes room for one more.  An error of
 *   a busy server, or a lost request, halves what is in flight, once for all that were under way;
 *   from there it grows by one a round.  Only what is used grows (RFC 7661).
 * - BBR's way to tell that the link is full (CACM 60:2, 2017): double the size has to bring a
 *   quarter more answers a second, or is taken back; later it is tried again, as links change.
 *
 * The rate is what is in flight over the time that an answer takes (Little's law).  So it does not
 * matter that readers pause between batches.
 */
#include "flight.h"

/* What any server is asked at once, as browsers and tools for downloads do */
#define FIRST	64
/* Rounds until a size that brought nothing is tried again */
#define HOLD	16

static void begin_round(struct http_flight *w)
{
	w->round = w->size;
	w->seen = 0;
	w->beside = 0;
	w->time = 0;
}

void flight_init(struct http_flight *w, unsigned int limit)
{
	*w = (struct http_flight){ .limit = limit, .size = limit < FIRST ? limit : FIRST,
			      .slow = limit };
	begin_round(w);
}

/* The means of what is in flight are compared: not all rounds use all of their size. */
static void end_round(struct http_flight *w)
{
	const uint64_t rate = w->beside * 1000000 / (w->time + 1) + 1;
	const uint64_t beside = w->beside / w->seen;
	const bool doubled = 4 * beside >= 7 * w->best_beside;

	if (!w->best || (doubled && rate >= w->best + w->best / 4)) {
		w->best = rate;
		w->best_beside = beside;
		w->best_round = w->round;
	} else if (doubled) {
		w->size = w->best_round;
		w->hold = HOLD;
	} else if (w->hold && !--w->hold) {
		w->best = 0;
	}
	begin_round(w);
}

static void grow(struct http_flight *w)
{
	if (w->size >= w->slow && ++w->answers < w->size)
		return;
	w->answers = 0;
	w->size++;
}

/* With less than half of the round's size in flight, the time tells nothing of that size. */
void flight_answer(struct http_flight *w, unsigned int in_flight, uint64_t us)
{
	if (w->full && !w->hold && w->size < w->limit)
		grow(w);
	if (2 * in_flight < w->round)
		return;
	w->beside += in_flight;
	w->time += us;
	if (++w->seen >= w->round)
		end_round(w);
}

void flight_busy(struct http_flight *w, unsigned int in_flight, unsigned int cuts)
{
	if (cuts != w->cuts)
		return;
	w->cuts++;
	w->size = ((in_flight < w->size ? in_flight : w->size) + 1) / 2;
	w->slow = w->size;
	w->answers = 0;
	w->best = 0;
	w->hold = 0;
	begin_round(w);
}
