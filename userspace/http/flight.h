/* SPDX-License-Identifier: GPL-2.0 */
/* How many requests of an object may be in flight: numbers only, without a clock or a lock. */
#ifndef HTTP_FLIGHT_H
#define HTTP_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct http_flight - the number
 * @limit: its maximum; @size: the number itself, at least 1
 * @slow: below it an answer makes room for one more request, from it on @size answers do
 * @answers: towards the next one
 * @full: all of it was in use when requests were sent last
 * @cuts: how often errors made it smaller
 * @round: answers that make a round: its size when that began
 * @seen: answers that came; @beside, @time: requests in flight and microseconds of each, summed up
 * @best: answers a second of the round @best_round, with @best_beside in flight; 0: none yet
 * @hold: rounds without growth that are left
 */
struct http_flight {
	unsigned int limit;
	unsigned int size;
	unsigned int slow;
	unsigned int answers;
	bool full;
	unsigned int cuts;
	unsigned int round;
	unsigned int seen;
	uint64_t beside;
	uint64_t time;
	uint64_t best;
	uint64_t best_beside;
	unsigned int best_round;
	unsigned int hold;
};

void flight_init(struct http_flight *w, unsigned int limit);

/** flight_answer - count an answer after @us microseconds; @in_flight: requests, with this one */
void flight_answer(struct http_flight *w, unsigned int in_flight, uint64_t us);

/**
 * flight_busy - count a request that the server was too busy for, or lost
 * @in_flight: requests, with this one
 * @cuts: of @w when it was sent: those that were under way at a cut do not make another one
 */
void flight_busy(struct http_flight *w, unsigned int in_flight, unsigned int cuts);

#endif /* HTTP_FLIGHT_H */
