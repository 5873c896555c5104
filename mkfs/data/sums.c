// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 of the contents of a source of which no image is made.  Files are read by readers as for
 * an image, one file by one thread, as the hash has an order.  The sums wait in
 * memory, 32 bytes a file, until the tree is walked: in the order of the digest, which is
 * not that of directories, files would be read all over the source.
 */
#include "msg.h"
#include "sha256.h"
#include "stream.h"

#define ROOM		4096
#define ZEROS_BYTES	(16 << 20)	/* summed at once: a hole may be of any length */

/**
 * struct sum_task - a file that is read
 * @why: message, if it is not what was listed, up to its last byte; NULL: @sum is that of it
 */
struct sum_task {
	struct work_task task;
	struct dir *dir;
	struct node *node;
	const char *why;
	int err;
	u8 sum[SHA256_BYTES];
};

/* A content that is summed; the progress bar is that of @c */
struct summing {
	struct sha256 hash;
	struct contents *c;
};

/**
 * struct sum_sink - the sink of a source that is read once
 * @file: the content that is being given
 */
struct sum_sink {
	struct source_sink sink;
	struct summing summing;
	struct node *file;
};

int contents_init(struct contents *c, struct source *src)
{
	struct sha256 hash;
	u8 empty[SHA256_BYTES];
	int ret;

	*c = (struct contents){
		.store.source = src, .stream.order.tree = src->tree, .list.size = SHA256_BYTES,
	};
	c->stream.store = &c->store;
	ret = sha256_library_init();
	if (ret)
		return ret;
	if (sha256_init(&hash))
		return no_memory();
	sha256_end(&hash, empty);
	sha256_free(&hash);
	return array_append(&c->list, empty) ? no_memory() : 0;
}

void contents_free(struct contents *c)
{
	array_free(&c->list);
}

static int keep_sum(struct contents *c, struct node *n, const u8 *sum)
{
	if (array_append(&c->list, sum))
		return no_memory();
	node_data(n)->start = c->list.n - 1;
	return 0;
}

static int put_bytes(void *summing, const char *p, u64 bytes)
{
	struct summing *s = summing;

	for (u64 n; bytes; bytes -= n) {
		n = p || bytes < ZEROS_BYTES ? bytes : ZEROS_BYTES;
		if (p)
			sha256_put(&s->hash, p, n);
		else
			sha256_put_zeros(&s->hash, n);
		progress_add(&s->c->store.progress, n);
	}
	return 0;
}

static bool next_file(void *sums, struct work_task *task)
{
	struct sum_task *t = (struct sum_task *)task;
	struct contents *c = sums;

	return order_next(&c->stream.order, &t->dir, &t->node);
}

static void sum_file(struct work_task *task, void *reader)
{
	struct sum_task *t = (struct sum_task *)task;
	struct reader *r = reader;
	struct summing s = { .c = (struct contents *)r->s };

	t->err = sha256_init(&s.hash);
	t->why = t->err ? "cannot be summed" : NULL;
	if (t->err)
		return;
	if (input_open(r->in, t->dir, t->node)) {
		if (!input_pass(r->in, r->staging, STAGING_BYTES, put_bytes, &s))
			input_unchanged(r->in);
		input_close(r->in);
	}
	t->why = r->in->why;
	t->err = r->in->err;
	sha256_end(&s.hash, t->sum);
	sha256_free(&s.hash);
}

static int take_sum(void *sums, struct work_task *task)
{
	const struct sum_task *t = (const struct sum_task *)task;
	struct contents *c = sums;

	return t->why ? source_leave_out(c->store.source, t->dir, t->node, t->why, t->err) :
			keep_sum(c, t->node, t->sum);
}

int contents_read(struct contents *c)
{
	static const struct work_pass pass = { .bytes = sizeof(struct sum_task), .room = ROOM,
					       .run = sum_file, .next = next_file,
					       .take = take_sum };
	struct order all = c->stream.order;
	struct node *n;
	struct dir *d;
	u64 bytes = 0;
	int ret;

	while (order_next(&all, &d, &n))
		bytes += n->size;
	progress_start(&c->store.progress, "digest", bytes);
	ret = stream_look(&c->stream, &pass);
	progress_end(&c->store.progress);
	return ret;
}

static int sink_begin(struct source_sink *sink, struct stream_node *file)
{
	((struct sum_sink *)sink)->file = &file->node;
	return 0;
}

static int sink_data(struct source_sink *sink, const char *p, u64 bytes)
{
	return put_bytes(&((struct sum_sink *)sink)->summing, p, bytes);
}

static int sink_zeros(struct source_sink *sink, u64 bytes)
{
	return sink_data(sink, NULL, bytes);
}

static int sink_end(struct source_sink *sink)
{
	struct sum_sink *f = (struct sum_sink *)sink;
	u8 sum[SHA256_BYTES];

	sha256_end(&f->summing.hash, sum);
	return keep_sum(f->summing.c, f->file, sum);
}

int contents_feed(struct contents *c)
{
	struct source *src = c->store.source;
	struct sum_sink f = {
		.sink = {
			.begin = sink_begin, .data = sink_data, .zeros = sink_zeros,
			.end = sink_end, .stop = -1,
		},
		.summing.c = c,
	};
	int ret = sha256_init(&f.summing.hash) ? no_memory() : 0;

	if (ret)
		return ret;
	src->sink = &f.sink;
	progress_start(&c->store.progress, "digest", 0);
	ret = src->ops->list(src);
	progress_end(&c->store.progress);
	src->sink = NULL;
	sha256_free(&f.summing.hash);
	return ret;
}
