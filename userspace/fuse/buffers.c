// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers for contents.  A buffer is used again, the one that was used last first: its bytes
 * are still in the processor's cache, and its pages are mapped.  New pages for each file
 * would cost more than the copy.  Threads share the buffers, because the kernel wakes threads
 * in turn: the buffer of a thread would be out of the cache whenever its turn comes.
 */
#include <pthread.h>
#include <stdlib.h>

#include "buffers.h"
#include "reader.h"

#define STEP		131072UL	/* what the kernel asks for at a time, as a rule */
#define CLASSES		8		/* of 1 to 8 steps: 1 MiB, the default of wholefile= */
#define SPARE_MAX	(32UL << 20)	/* bytes that wait to be used again */

/* A buffer that is not used: its first bytes. */
struct spare {
	struct spare *next;
};

static pthread_mutex_t lock;
static struct spare *spares[CLASSES];
static size_t spare_bytes;

void buffers_init(void)
{
	pthread_mutex_init(&lock, NULL);
}

static size_t steps_of(size_t size)
{
	return size ? (size + STEP - 1) / STEP : 1;
}

/* Take the spare buffer of @steps steps that was used last; NULL: there is none. */
static void *take_spare(size_t steps)
{
	struct spare *s;

	if (steps > CLASSES)
		return NULL;
	pthread_mutex_lock(&lock);
	s = spares[steps - 1];
	if (s) {
		spares[steps - 1] = s->next;
		spare_bytes -= steps * STEP;
	}
	pthread_mutex_unlock(&lock);
	return s;
}

void *buffer_get(size_t size)
{
	const size_t steps = steps_of(size);
	void *buffer = take_spare(steps);

	if (!buffer && posix_memalign(&buffer, READ_ALIGN, steps * STEP))
		return NULL;
	return buffer;
}

void buffer_put(void *buffer, size_t size)
{
	const size_t steps = steps_of(size);
	struct spare *s = buffer;

	if (!s)
		return;
	pthread_mutex_lock(&lock);
	if (steps <= CLASSES && spare_bytes + steps * STEP <= SPARE_MAX) {
		s->next = spares[steps - 1];
		spares[steps - 1] = s;
		spare_bytes += steps * STEP;
		s = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(s);
}
