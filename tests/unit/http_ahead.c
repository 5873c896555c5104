// SPDX-License-Identifier: GPL-2.0
/*
 * How much is read ahead of an object (userspace/http/read.c). There is no server: a range is
 * answered when it is submitted.
 */
#include "../../userspace/http/registry.h"
#include "tap.h"

#define PIECE	65536

int client_submit(struct http_range *r)
{
	r->done = true;
	return 0;
}

int client_get(struct http_range *r, int (*stop)(void))
{
	(void)stop;
	r->done = true;
	return -EREMOTEIO;
}

void client_wake(struct http_object *obj)
{
	(void)obj;
}

bool secrets_can_renew(struct http_object *obj)
{
	(void)obj;
	return false;
}

int secrets_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		  char why[HTTP_WHY])
{
	(void)obj, (void)serial, (void)stop, (void)why;
	return -EACCES;
}

/* The number of ranges of @len bytes from @pos on that are read ahead, until one is refused */
static size_t fill(struct http_object *obj, uint64_t pos, size_t len)
{
	size_t n = 0;

	for (; http_ahead(obj, pos, len), http_has(obj, pos); pos += len)
		n++;
	return n;
}

/* Whether @n ranges from @pos on are read, all of what was read ahead */
static bool drain(struct http_object *obj, uint64_t pos, size_t n)
{
	char why[HTTP_WHY], *buf = malloc(PIECE);
	const struct iovec iov = { buf, PIECE };
	bool ok = buf;

	for (; ok && n--; pos += PIECE)
		ok = !http_read(obj, &iov, 1, PIECE, pos, 0, NULL, why);
	free(buf);
	return ok;
}

TESTS(ahead)
{
	/* What a range takes: its bytes, and what is known of it */
	const size_t cost = sizeof(struct ahead) + sizeof(struct http_range) + PIECE;
	const size_t room = 128 << 20;
	const uint64_t far = 1ULL << 30;
	struct http_object obj = { .name = "object", .bytes = 1ULL << 40,
				   .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t n;

	TAILQ_INIT(&obj.aheads);
	n = fill(&obj, 0, PIECE);
	OK(n * cost <= room && (n + 1) * cost > room, "128 MiB, with what is known of each range");
	OK(!fill(&obj, far, PIECE), "what is unread is not dropped for more");
	OK(drain(&obj, 0, 2) && fill(&obj, far, PIECE) == 2, "what was read leaves room");
	OK(!drain(&obj, 0, 1), "what was read is gone");
	OK(drain(&obj, 2 * PIECE, n - 2) && drain(&obj, far, 2), "all is read");
	OK(!obj.ahead_bytes && fill(&obj, 0, PIECE) == n, "then there is room for as much");
	OK(drain(&obj, 0, n) && !fill(&obj, 0, room + 1), "a range that is longer is refused");
}
