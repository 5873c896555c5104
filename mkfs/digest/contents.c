// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 of the contents of a source.  Files are read by as many threads as an image
 * would be made with, one file by one thread, as the hash has an order.  The sums wait in
 * memory, 32 bytes a file, until the tree is walked: in the order of the digest, which is
 * not that of directories, files would be read all over the source.
 */
#include <stdlib.h>

#include "digest.h"
#include "msg.h"
#include "progress.h"
#include "sha256.h"

#define BUFFER_BYTES	(256 << 10)
#define ZEROS_BYTES	(16 << 20)	/* summed at once: a hole may be of any length */

/**
 * struct digest_read - the files of a listed tree, for many threads
 * @batches: has the lock of @c, too
 * @err: -errno of the thread that failed first
 */
struct digest_read {
	struct contents *c;
	struct batches batches;
	struct progress progress;
	int err;
};

/* What a thread has */
struct summer {
	struct digest_read *r;
	struct sha256 hash;
	struct input *in;
	char *buf;
};

/**
 * struct digest_feed - the sink of a source that is read once
 * @file: the content that is being given
 */
struct digest_feed {
	struct source_sink sink;
	struct contents *c;
	struct node *file;
	struct sha256 hash;
	struct progress progress;
};

int contents_init(struct contents *c, struct source *src)
{
	struct sha256 hash;
	u8 empty[SHA256_BYTES];
	int ret;

	*c = (struct contents){ .src = src, .sums.size = SHA256_BYTES };
	ret = sha256_library_init();
	if (ret)
		return ret;
	if (sha256_init(&hash))
		return no_memory();
	sha256_end(&hash, empty);
	sha256_free(&hash);
	return array_append(&c->sums, empty) ? no_memory() : 0;
}

void contents_free(struct contents *c)
{
	array_free(&c->sums);
}

static int keep_sum(struct contents *c, struct node *n, const u8 *sum)
{
	if (array_append(&c->sums, sum))
		return -ENOMEM;
	node_data(n)->start = c->sums.n - 1;
	return 0;
}

static void put_bytes(struct sha256 *hash, struct progress *progress, const char *p, u64 bytes)
{
	for (u64 n; bytes; bytes -= n) {
		n = p || bytes < ZEROS_BYTES ? bytes : ZEROS_BYTES;
		if (p)
			sha256_put(hash, p, n);
		else
			sha256_put_zeros(hash, n);
		progress_add(progress, n);
	}
}

static int sum_bytes(void *arg, const char *p, u64 bytes)
{
	struct summer *s = arg;

	put_bytes(&s->hash, &s->r->progress, p, bytes);
	return 0;
}

/* Return: whether the file is what was listed, up to its last byte. */
static bool read_file(struct summer *s, struct dir *dir, struct node *n)
{
	bool good;

	if (!input_open(s->in, dir, n))
		return false;
	good = !input_pass(s->in, s->buf, BUFFER_BYTES, sum_bytes, s) && input_unchanged(s->in);
	input_close(s->in);
	return good;
}

/* An error of one thread ends all of them; lock held.  Return: it; 0: there is none. */
static int failed(struct digest_read *r, int ret)
{
	if (!r->err)
		r->err = ret;
	return r->err;
}

static int sum_file(struct summer *s, struct dir *dir, struct node *n)
{
	struct digest_read *r = s->r;
	bool good = read_file(s, dir, n);
	u8 sum[SHA256_BYTES];
	int ret;

	sha256_end(&s->hash, sum);
	pthread_mutex_lock(&r->batches.lock);
	ret = failed(r, good ? keep_sum(r->c, n, sum) :
		     source_leave_out(r->c->src, dir, n, s->in->why, s->in->err));
	pthread_mutex_unlock(&r->batches.lock);
	return ret;
}

static int summer_init(struct summer *s, struct digest_read *r)
{
	int ret;

	*s = (struct summer){ .r = r, .in = input_new(r->c->src), .buf = malloc(BUFFER_BYTES) };
	ret = s->in && s->buf ? sha256_init(&s->hash) : -ENOMEM;
	pthread_mutex_lock(&r->batches.lock);
	ret = failed(r, ret);
	pthread_mutex_unlock(&r->batches.lock);
	return ret;
}

static void *sum_files(void *arg)
{
	struct digest_read *r = arg;
	struct summer s;
	int ret = summer_init(&s, r);
	u32 from, count;
	struct dir *dir;

	while (!ret && batches_next(&r->batches, &dir, &from, &count)) {
		if (node_is_data(&dir->nodes[from]))
			ret = sum_file(&s, dir, &dir->nodes[from]);
	}
	input_free(s.in);
	free(s.buf);
	sha256_free(&s.hash);
	return NULL;
}

static u64 total_bytes(const struct tree *t)
{
	struct tree_walk walk = { 0 };
	const struct node *n;
	u64 bytes = 0;

	while ((n = tree_next(t, &walk)))
		bytes += node_is_data(n) ? n->size : 0;
	return bytes;
}

int contents_read(struct contents *c)
{
	/* file by file: a directory may hold a few large ones */
	struct digest_read r = { .c = c, .batches = { .tree = c->src->tree, .most = 1 } };
	int ret;

	pthread_mutex_init(&r.batches.lock, NULL);
	progress_start(&r.progress, "digest", total_bytes(c->src->tree));
	ret = source_run(c->src->threads, sum_files, &r, 0) ?: r.err;
	progress_end(&r.progress);
	pthread_mutex_destroy(&r.batches.lock);
	return ret == -ENOMEM ? no_memory() : ret;
}

static int feed_begin(struct source_sink *sink, struct stream_node *file)
{
	((struct digest_feed *)sink)->file = &file->node;
	return 0;
}

static int feed_data(struct source_sink *sink, const char *p, u64 bytes)
{
	struct digest_feed *f = (struct digest_feed *)sink;

	put_bytes(&f->hash, &f->progress, p, bytes);
	return 0;
}

static int feed_zeros(struct source_sink *sink, u64 bytes)
{
	return feed_data(sink, NULL, bytes);
}

static int feed_end(struct source_sink *sink)
{
	struct digest_feed *f = (struct digest_feed *)sink;
	u8 sum[SHA256_BYTES];

	sha256_end(&f->hash, sum);
	return keep_sum(f->c, f->file, sum);
}

int contents_feed(struct contents *c)
{
	struct digest_feed f = {
		.sink = {
			.begin = feed_begin, .data = feed_data, .zeros = feed_zeros,
			.end = feed_end, .stop = -1,
		},
		.c = c,
	};
	int ret = sha256_init(&f.hash);

	if (ret)
		return no_memory();
	c->src->sink = &f.sink;
	progress_start(&f.progress, "digest", 0);
	ret = c->src->ops->list(c->src);
	progress_end(&f.progress);
	c->src->sink = NULL;
	sha256_free(&f.hash);
	return ret;
}
