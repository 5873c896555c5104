// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files, in as many threads as there are; what is computed over their bytes
 * (content.h) is computed here, too.
 *
 * The source provides the bytes: see struct source_ops.
 */
#include "keep.h"
#include "content.h"
#include "stream.h"

/* Take over the error of the source, if there is one. */
static void take_error(struct item *it, const struct input *in)
{
	if (in->why)
		content_bad(it, in->why, in->err);
}

/* The inode of the image that the item may be the same as; 0: none. */
static u32 old_inode(struct reader *r, const struct item *it)
{
	return r->s->store->base ? it->node->old : 0;
}

/* Update: compare a small file with the inode of its name. */
static bool compare_small(struct reader *r, struct item *it, const char *buf)
{
	u32 ino = old_inode(r, it);
	struct keep_compare compare;

	if (!ino)
		return false;
	keep_by_bytes_begin(&compare, r->s->store->base, ino);
	keep_by_bytes_data(&compare, buf, it->stored);
	return keep_by_bytes_end(&compare, it->sparse, it->extents, it->nextents);
}

/* Compares content with bytes in memory, or with the open file. */
struct content_compare {
	struct reader *r;
	const char *buf;
};

static int compare_piece(void *arg, u64 pos, const void *data, u64 len)
{
	static const char zeros[STAGING_BYTES];
	const struct content_compare *c = arg;
	const struct source_ops *ops = c->r->in->src->ops;
	const char *have;
	u64 at, n;

	for (at = 0; at < len; at += n) {
		n = len - at < STAGING_BYTES ? len - at : STAGING_BYTES;
		have = c->buf ? c->buf + pos + at : c->r->staging;
		if (!c->buf && !ops->read(c->r->in, c->r->staging, n, pos + at))
			return -EIO;
		if (memcmp(have, data ? (const char *)data + at : zeros, n))
			return -ECANCELED;
	}
	return 0;
}

/*
 * Update: compare a file with the inode of its name by content, where one of both may be
 * compressed: what is stored says nothing then.  @buf: NULL: the open file is read
 */
static bool compare_content(struct reader *r, const struct item *it, const char *buf)
{
	struct content_compare c = { .r = r, .buf = buf };
	const u32 ino = old_inode(r, it);

	return ino && keep_by_content(r->s->store->base, ino, it->node->size,
				      r->s->store->rules.pack.codec, compare_piece, &c);
}

/* What compresses a file; NULL: it stays as it is. */
static struct packer *packer_for(const struct reader *r, const struct item *it)
{
	const struct store *s = r->s->store;

	return pack_wanted(&s->rules.pack, s->tree, it->dir, it->node) ? r->packer : NULL;
}

static void run_small(struct reader *r, struct job *job, struct item *it)
{
	const struct source_ops *ops = r->in->src->ops;
	char *buf = job->buf + it->off;

	if (input_open(r->in, it->dir, it->node)) {
		if (ops->read(r->in, buf, it->node->size, 0) && input_unchanged(r->in)) {
			it->kept = compare_content(r, it, buf);
			if (!it->kept)
				content_small(&r->s->store->rules, packer_for(r, it), job, it);
			if (!it->kept && !it->packed && !it->why)
				it->kept = compare_small(r, it, buf);
		}
		input_close(r->in);
	}
	take_error(it, r->in);
}

static int pass_holes(void *holes, const char *p, u64 bytes)
{
	return p ? holes_data(holes, p, bytes) : holes_zeros(holes, bytes);
}

static int read_holes(struct reader *r, struct holes *h)
{
	return input_pass(r->in, r->staging, STAGING_BYTES, pass_holes, h) ?: holes_end(h);
}

/*
 * Update: compare a large file with the inode of its name.  A large file is
 * written while it is read, so the comparison reads it once before.
 */
static void compare_large(struct reader *r, struct item *it)
{
	u32 ino = old_inode(r, it);
	struct keep_compare compare;
	struct holes h;
	int ret;

	if (!ino)
		return;
	keep_by_bytes_begin(&compare, r->s->store->base, ino);
	holes_init(&h, keep_by_bytes_data, &compare);
	ret = compare.differs ? -ECANCELED : read_holes(r, &h);
	if (!ret && input_unchanged(r->in))
		it->kept = keep_by_bytes_end(&compare, h.sparse,
					     (struct dsfs_extent_record *)h.extents.p, h.extents.n);
	holes_free(&h);
}

/* Whether the open file is stored compressed, by what it begins with. */
static int choose_form(struct reader *r, const struct item *it, struct large *l)
{
	const u64 size = it->node->size;

	if (!packer_for(r, it))
		return 0;
	if (!r->in->src->ops->read(r->in, r->sample, pack_sampled(size), 0))
		return -EIO;
	return large_pack(l, &r->pack, size, r->sample);
}

/* Read the open file, unless the image has it. */
static void pass_large(struct reader *r, struct item *it, struct large *l)
{
	int ret;

	it->kept = compare_content(r, it, NULL);
	if (!it->kept && !r->in->why)
		compare_large(r, it);
	if (it->kept || r->in->why)
		return;
	ret = choose_form(r, it, l) ?:
	      input_pass(r->in, r->staging, STAGING_BYTES, large_data, l);
	if (!ret && input_unchanged(r->in))
		ret = large_finish(l, it);
	if (ret && !r->in->why)
		content_bad(it, "out of memory", ret);
}

static void run_large(struct reader *r, struct job *job)
{
	struct item *it = &job->items[0];
	struct large l;

	if (large_begin(&l, &r->s->store->rules, &r->s->ring, job)) {
		if (input_open(r->in, it->dir, it->node)) {
			pass_large(r, it, &l);
			input_close(r->in);
		}
		take_error(it, r->in);
	}
	large_end(&l);
}

static void run_job(struct work_task *task, void *reader)
{
	struct job *job = (struct job *)task;
	struct reader *r = reader;

	if (job->large)
		run_large(r, job);
	for (unsigned int i = 0; !job->large && i < job->nitems; i++)
		run_small(r, job, &job->items[i]);
}

/* Fill a job with files.  Return: whether there are more. */
static bool form_job(struct stream *s, struct job *job)
{
	const size_t room = s->ring.buf_bytes;
	size_t used = 0;

	while (job->nitems < s->job_files) {
		struct item *it = &job->items[job->nitems];
		struct node *n;
		struct dir *d;

		if (!order_next(&s->order, &d, &n))
			return false;
		*it = (struct item){ .dir = d, .node = n, .off = item_room(used, n->size) };
		if (it->off + n->size + 1 > room && job->nitems) {
			order_back(&s->order);
			break;
		}
		job->nitems++;
		job->large = n->size + 1 > room;
		if (job->large)
			break;
		used = item_room(it->off + n->size, n->size);
	}
	return true;
}

void reader_form(struct stream *s)
{
	struct job *job;

	while (s->more && (job = ring_next(&s->ring, false))) {
		s->more = form_job(s, job);
		job->task.run = run_job;
		if (job->nitems)
			ring_put(&s->ring, job, NULL);
	}
}

void reader_end(void *reader)
{
	struct reader *r = reader;

	input_free(r->in);
	pack_large_free(&r->pack);
	packer_free(r->packer);
	free(r->sample);
	free(r->staging);
	free(r);
}

void *reader_begin(void *stream)
{
	struct stream *s = stream;
	const struct pack_rules *rules = &s->store->rules.pack;
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->s = s;
	r->in = input_new(s->store->source);
	r->staging = malloc(STAGING_BYTES);
	r->packer = packer_new(rules);
	r->sample = rules->codec ? malloc(PACK_SAMPLE) : NULL;
	pack_large_init(&r->pack, &s->pool, r->packer);
	if (r->in && r->staging && r->packer && (r->sample || !rules->codec))
		return r;
	reader_end(r);
	return NULL;
}
