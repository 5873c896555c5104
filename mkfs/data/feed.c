// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of a source that is read once.  The thread that lists it fills the
 * jobs, one content behind the other as they come, and computes what readers
 * compute; the writer does not see the difference.  What is compressed is so by a pool: a full job
 * is a task of it, and so is each unit of a large file.
 *
 * Such a source may give a name again, when the first content has been written already.  The data
 * behind it is not moved: the content that no name is left of becomes zeros, like the gaps between
 * files.  The other files do not share blocks with it any more.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "extents.h"
#include "msg.h"
#include "stream.h"

/* Collect the contents of the nodes that were replaced, sorted by position. */
static int collect_dead(const struct store *s, struct array *dead)
{
	const struct array *replaced = &s->source->replaced;

	*dead = (struct array){ 0 };
	for (size_t i = 0; i < replaced->n; i++) {
		struct node *n = ((struct node **)replaced->p)[i];

		if (node_stored(s->tree, n) && extents_add(dead, s->tree, n))
			return no_memory();
	}
	extents_sort(dead, s->tree);
	return 0;
}

/* Make zeros of contents, unless a file has the same one, which is at the same place. */
static int bury(struct store *s, const struct array *dead, const struct array *list)
{
	size_t k = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < dead->n; i += extents_alike(dead, s->tree, i)) {
		const u64 start = extent_start(dead, i), stored = extent_stored(dead, s->tree, i);

		while (k < list->n && extent_start(list, k) < start)
			k++;
		if (k < list->n && extent_start(list, k) == start)
			continue;
		s->figures.dead += stored;
		ret = output_zero(s->out, start, stored);
	}
	return ret;
}

int dead_data(struct store *s)
{
	struct array alive, dead = { 0 };
	int ret;

	if (!s->source->replaced.n)
		return 0;
	ret = tree_extents(&alive, NULL, s->tree) ?: collect_dead(s, &dead);
	if (!ret) {
		extents_share(&alive, s->tree);
		ret = bury(s, &dead, &alive);
	}
	array_free(&alive);
	array_free(&dead);
	return ret;
}

/**
 * struct feed - the sink of a source
 * @job: being filled; NULL: none
 * @item: the content that is being given, @at bytes so far
 * @used: bytes of the job's buffer
 * @block: of a large file, bytes short of a block: @held of them
 * @packer: of this thread, which compresses while the others have enough to do; @pack: large files
 * @sample: of a large file that may be compressed, what it begins with: @sampled of @wanted bytes
 */
struct feed {
	struct source_sink sink;
	struct stream *s;
	struct job *job;
	struct item *item;
	struct large large;
	size_t used;
	u64 at;
	size_t held;
	char block[DSFS_BLOCK_SIZE];
	struct packer *packer;
	struct pack_large pack;
	char *sample;
	u32 sampled;
	u32 wanted;
};

static struct feed *feed_of(struct source_sink *sink)
{
	return (struct feed *)sink;
}

/* Whether a file may be compressed */
static bool may_pack(const struct feed *f, const struct node *n)
{
	return pack_fits(&f->s->store->rules.pack, n->size) &&
	       !((const struct stream_node *)n)->as_is;
}

/* All files of a job are in its buffer.  @packer: of any thread */
static void run_job(struct work_task *task, void *packer)
{
	struct job *job = (struct job *)task;
	const struct feed *f = job->owner;

	for (unsigned int i = 0; i < job->nitems; i++) {
		struct item *it = &job->items[i];

		content_small(&f->s->store->rules, may_pack(f, it->node) ? packer : NULL, job, it);
	}
}

static void end_job(struct feed *f)
{
	struct job *job = f->job;

	if (job && job->large) {
		work_done(&job->task);
	} else if (job) {
		job->owner = f;
		job->task.run = f->s->store->rules.pack.codec ? run_job : NULL;
		ring_put(&f->s->ring, job, f->packer);
	}
	f->job = NULL;
	f->used = 0;
}

/* The job that a file of this size goes into. */
static int get_job(struct feed *f, u64 size)
{
	if (f->job && (f->job->nitems == JOB_FILES ||
		       item_room(f->used, size) + size > f->s->ring.buf_bytes))
		end_job(f);
	if (!f->job)
		f->job = ring_next(&f->s->ring, true);
	return f->job ? 0 : -ECANCELED;
}

static int feed_begin(struct source_sink *sink, struct stream_node *file)
{
	struct feed *f = feed_of(sink);
	u64 size = file->node.size;
	int ret = get_job(f, size);

	if (ret)
		return ret;
	f->at = 0;
	f->held = 0;
	f->item = &f->job->items[f->job->nitems++];
	*f->item = (struct item){ .node = &file->node, .off = item_room(f->used, size) };
	if (size <= f->s->ring.buf_bytes) {
		f->used = item_room(f->item->off + size, size);
		return 0;
	}
	f->sampled = 0;
	f->wanted = may_pack(f, &file->node) ? pack_sampled(size) : 0;
	f->job->large = true;
	ring_put(&f->s->ring, f->job, NULL);
	return large_begin(&f->large, &f->s->store->rules, &f->s->ring, f->job) ? 0 : -ECANCELED;
}

/* A large file's bytes pass in whole blocks, except for the last ones. */
static int hold_bytes(struct feed *f, const char *p, u64 bytes)
{
	if (p)
		memcpy(f->block + f->held, p, bytes);
	else
		memset(f->block + f->held, 0, bytes);
	f->held += bytes;
	if (f->held < sizeof(f->block))
		return 0;
	f->held = 0;
	return holes_data(&f->large.holes, f->block, sizeof(f->block));
}

static int pass_bytes(struct feed *f, const char *p, u64 bytes)
{
	const u64 room = sizeof(f->block);
	int ret = 0;
	u64 n;

	if (f->large.pack)
		return large_data(&f->large, p, bytes);
	for (; !ret && bytes; bytes -= n) {
		n = bytes - bytes % room;
		if (f->held || !n) {
			n = bytes < room - f->held ? bytes : room - f->held;
			ret = hold_bytes(f, p, n);
		} else {
			ret = p ? holes_data(&f->large.holes, p, n) :
				  holes_zeros(&f->large.holes, n);
		}
		p = p ? p + n : NULL;
	}
	return ret;
}

/* Hold what a large file begins with; once that is known, so is its form. */
static int sample_bytes(struct feed *f, const char *p, u64 bytes)
{
	char *to = f->sample + f->sampled;

	if (p)
		memcpy(to, p, bytes);
	else
		memset(to, 0, bytes);
	f->sampled += bytes;
	if (f->sampled < f->wanted)
		return 0;
	return large_pack(&f->large, &f->pack, f->item->node->size, f->sample) ?:
	       pass_bytes(f, f->sample, f->wanted);
}

static int take_large(struct feed *f, const char *p, u64 bytes)
{
	const u64 left = f->wanted - f->sampled, n = bytes < left ? bytes : left;
	int ret = n ? sample_bytes(f, p, n) : 0;

	return ret ? ret : pass_bytes(f, p ? p + n : NULL, bytes - n);
}

/* @p NULL: zeros */
static int take_bytes(struct feed *f, const char *p, u64 bytes)
{
	char *to = f->job->buf + f->item->off + f->at;

	f->at += bytes;
	progress_add(&f->s->store->progress, bytes);
	if (f->job->large)
		return take_large(f, p, bytes);
	if (p)
		memcpy(to, p, bytes);
	else
		memset(to, 0, bytes);
	return 0;
}

static int feed_bytes(struct source_sink *sink, const char *p, u64 bytes)
{
	return take_bytes(feed_of(sink), p, bytes);
}

static int feed_zeros(struct source_sink *sink, u64 bytes)
{
	return take_bytes(feed_of(sink), NULL, bytes);
}

static int end_large(struct feed *f)
{
	int ret = f->held ? holes_data(&f->large.holes, f->block, f->held) : 0;

	if (!ret)
		ret = large_finish(&f->large, f->item);
	if (ret)
		return ret;
	large_end(&f->large);
	end_job(f);
	return 0;
}

static int feed_end(struct source_sink *sink)
{
	struct feed *f = feed_of(sink);

	if (f->job->large)
		return end_large(f);
	/* while it is in this processor's cache, if there is nothing slower to do */
	if (!f->s->store->rules.pack.codec)
		content_small(&f->s->store->rules, NULL, f->job, f->item);
	return f->item->err;
}

static void *feed_files(void *arg)
{
	struct stream *s = arg;
	struct source *src = s->store->source;
	int ret = src->ops->list(src);
	struct feed *f = (struct feed *)src->sink;

	s->err = ret;
	if (ret)
		ring_stop(&s->ring);
	if (f->job && f->job->large)	/* cut off in the middle */
		large_end(&f->large);
	end_job(f);
	work_close(&s->ring.line, false);
	return NULL;
}

static void feed_free(struct feed *f)
{
	if (!f)
		return;
	packer_free(f->packer);
	free(f->sample);
	free(f);
}

static struct feed *feed_new(const struct pack_rules *rules)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->packer = packer_new(rules);
	f->sample = malloc(PACK_SAMPLE);
	if (f->packer && f->sample)
		return f;
	feed_free(f);
	return NULL;
}

static int store_fed(struct stream *s)
{
	const struct source_sink *sink = s->store->source->sink;
	pthread_t thread;
	int ret = stream_begin(s, &s->pool), err;

	if (ret)
		return ret;
	err = pthread_create(&thread, NULL, feed_files, s);
	if (err)
		return msg_fail(-err, NULL, "cannot start a thread: %s", strerror(err));
	ret = stream_write(s);
	ring_stop(&s->ring);
	eventfd_write(sink->stop, 1);
	pthread_join(thread, NULL);
	return ret;
}

int feed_data(struct stream *s)
{
	struct store *store = s->store;
	struct feed *f = feed_new(&store->rules.pack);
	const int stop = f ? eventfd(0, EFD_CLOEXEC) : -1;
	int ret = stop >= 0 ? 0 : f ? -errno : -ENOMEM;

	if (ret) {
		msg_error(NULL, "cannot start reading: %s", strerror(-ret));
		feed_free(f);
		return ret;
	}
	f->s = s;
	f->sink = (struct source_sink){
		.begin = feed_begin, .data = feed_bytes, .zeros = feed_zeros, .end = feed_end,
		.stop = stop,
	};
	pack_large_init(&f->pack, &s->pool, f->packer);
	store->source->sink = &f->sink;
	progress_start(&store->progress, "packing", 0);
	ret = store_fed(s);
	pack_large_free(&f->pack);
	ret = stream_end(s, ret);
	close(stop);
	feed_free(f);
	return ret;
}
