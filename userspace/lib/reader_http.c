// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of an object of a server: userspace/http, as the library sees it.
 *
 * What goes wrong is -EREMOTEIO, whatever it was; the words are kept for the thread that gets
 * it, until it asks for them (err_why()).  A server may have chosen them, so controls are
 * replaced.
 */
#include "http.h"
#include "image.h"
#include "origin.h"
#include "pieces.h"
#include "utf8.h"

#ifdef DSFS_NO_CURL

void origin_tell(void (*fn)(const char *address, const char *why))
{
}

int reader_http(const char *address, const struct http_options *o, struct dsfs_reader **out)
{
	snprintf(err_far(), ERR_FAR, "this build has no libcurl");
	return -EOPNOTSUPP;
}

int reader_http_pieces(struct dsfs_reader *r, const struct pieces *list)
{
	return -EOPNOTSUPP;
}

int reader_http_piece(struct dsfs_reader *of, const struct piece *p, struct dsfs_reader **out)
{
	return -EOPNOTSUPP;
}

#else

#include "../http/hash.h"

/* A range that is far larger holds up what comes behind it. */
#define AHEAD_MAX	(8 << 20)
/* Read ahead at a time of small files in order: what comes in 40 ms at 100 MB a second */
#define RUN_MAX		(4 << 20)

#if ERR_FAR < HTTP_WHY
#error "an error of a server has no room in that of a thread"
#endif

/**
 * struct http_reader - a reader of an object, or of one of its pieces
 * @run: of its reads
 * @of: the reader whose object and whose run it has; NULL: both are its own
 * @start: where the piece begins in the object
 */
struct http_reader {
	struct dsfs_reader r;
	struct http_object *obj;
	struct reader_run run;
	u64 start;
	struct http_reader *of;
};

static struct http_reader *http_of(struct dsfs_reader *r)
{
	return container_of(r, struct http_reader, r);
}

static void far_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	struct http_reader *h = http_of(r);
	u64 n;

	for (; len; pos += n, len -= n) {
		n = len < AHEAD_MAX ? len : AHEAD_MAX;
		http_ahead(h->obj, h->start + pos, n);
	}
}

static int far_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		    unsigned int flags)
{
	struct http_reader *h = http_of(r);
	const u64 at = h->start + pos, end = h->start + r->bytes;
	struct reader_step step;
	int ret;

	run_read(h->of ? &h->of->run : &h->run, at, len, http_has(h->obj, at), &step);
	/* what goes on in another piece is read ahead there */
	if (step.ahead >= h->start && step.ahead < end)
		far_ahead(r, step.ahead - h->start,
			  step.ahead_len < end - step.ahead ? step.ahead_len : end - step.ahead);
	if (step.drop_len)
		http_drop(h->obj, step.drop, step.drop_len);
	ret = http_read(h->obj, iov, n, len, at, flags & READ_AGAIN ? HTTP_AGAIN : 0, r->stop,
			err_far());
	if (ret)
		utf8_no_controls(err_far(), '?');
	return ret;
}

/* In memory, or on the way there */
static bool far_has(struct dsfs_reader *r, u64 pos)
{
	return http_has(http_of(r)->obj, http_of(r)->start + pos);
}

static void far_close(struct dsfs_reader *r)
{
	struct http_reader *h = http_of(r);

	if (h->of)
		free((char *)r->identity);
	else
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
	struct http_reader *h = calloc(1, sizeof(*h));
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
	run_init(&h->run, RUN_MAX);
	*out = &h->r;
	return 0;
}

int reader_http_pieces(struct dsfs_reader *r, const struct pieces *list)
{
	const int ret = http_pieces(http_of(r)->obj, list->v, list->n);

	r->bytes = list->bytes;
	return ret;
}

/*
 * What is kept of a piece is that of one folder of one server: who has another list could say
 * that other bytes have its SHA-256, which nobody compares before they are read.
 */
static char *identity_of(const struct http_object *obj, const u8 *sum)
{
	const char *shown = http_shown(obj), *end = strrchr(shown, '/');
	char hex[HASH_HEX], name[HASH_HEX], *text;

	hash_hex(sum, hex);
	hash_text(shown, end ? end - shown : 0, name);
	return asprintf(&text, "%s sha256:%s", name, hex) < 0 ? NULL : text;
}

int reader_http_piece(struct dsfs_reader *of, const struct piece *p, struct dsfs_reader **out)
{
	struct http_reader *h = malloc(sizeof(*h));
	char *identity = identity_of(http_of(of)->obj, p->sum);

	if (!h || !identity) {
		free(h);
		free(identity);
		return -ENOMEM;
	}
	*h = (struct http_reader){
		.r = { .ops = &ops, .bytes = p->bytes, .name = of->name, .far = true,
		       .identity = identity, .sum = p->sum },
		.obj = http_of(of)->obj, .start = p->start, .of = http_of(of),
	};
	*out = &h->r;
	return 0;
}

#endif /* DSFS_NO_CURL */
