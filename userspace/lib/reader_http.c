// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of an object of a server: userspace/http, as the library sees it.
 *
 * What goes wrong is -EREMOTEIO, whatever it was; the words are kept for the thread that gets
 * it, until it asks for them (err_why()).  A server may have chosen them, so controls are
 * replaced.
 */
#include <stdlib.h>

#include "http.h"
#include "image.h"
#include "origin.h"
#include "utf8.h"

#ifdef DSFS_NO_CURL

void origin_tell(void (*fn)(const char *address, const char *why))
{
	(void)fn;
}

int reader_http(const char *address, const struct http_options *o, struct dsfs_reader **out)
{
	(void)address;
	(void)o;
	(void)out;
	snprintf(err_far(), ERR_FAR, "this build has no libcurl");
	return -EOPNOTSUPP;
}

#else

/* A range that is far larger holds up what comes behind it. */
#define AHEAD_MAX	(8 << 20)

#if ERR_FAR < HTTP_WHY
#error "an error of a server has no room in that of a thread"
#endif

struct http_reader {
	struct dsfs_reader r;
	struct http_object *obj;
};

static struct http_object *object_of(struct dsfs_reader *r)
{
	return container_of(r, struct http_reader, r)->obj;
}

static int far_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		    unsigned int flags)
{
	const int ret = http_read(object_of(r), iov, n, len, pos,
				  flags & READ_AGAIN ? HTTP_AGAIN : 0, r->stop, err_far());

	if (ret)
		utf8_no_controls(err_far(), '?');
	return ret;
}

static void far_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	u64 n;

	for (; len; pos += n, len -= n) {
		n = len < AHEAD_MAX ? len : AHEAD_MAX;
		http_ahead(object_of(r), pos, n);
	}
}

/* In memory, or on the way there */
static bool far_has(struct dsfs_reader *r, u64 pos)
{
	return http_has(object_of(r), pos);
}

static void far_close(struct dsfs_reader *r)
{
	struct http_reader *h = container_of(r, struct http_reader, r);

	http_close(h->obj);
	free(h);
}

void origin_tell(void (*fn)(const char *address, const char *why))
{
	http_tell(fn);
}

static const struct dsfs_reader_ops ops = {
	.read = far_read,
	.ahead = far_ahead,
	.has = far_has,
	.close = far_close,
};

int reader_http(const char *address, const struct http_options *o, struct dsfs_reader **out)
{
	struct http_reader *h = malloc(sizeof(*h));
	int ret;

	if (!h)
		return -ENOMEM;
	ret = http_open(address, o, &h->obj, err_far());
	if (ret) {
		utf8_no_controls(err_far(), '?');
		free(h);
		return ret;
	}
	h->r = (struct dsfs_reader){
		.ops = &ops, .bytes = http_bytes(h->obj), .name = http_shown(h->obj),
		.identity = http_identity(h->obj), .far = true,
	};
	*out = &h->r;
	return 0;
}

#endif /* DSFS_NO_CURL */
