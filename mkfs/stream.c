// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase.  Readers take jobs, in the order of data, from a ring of
 * them and work on them in any order; the main thread takes them out in order,
 * so that what is written, and where, depends on the contents alone and not
 * on the number of threads or on who was faster.
 *
 * Memory: the ring.  A large file passes through its job's buffer in pieces.
 */
#include <stdlib.h>

#include "msg.h"
#include "stream.h"

/* The next file in the order of data; lock held. */
static bool next_file(struct stream *s, struct dir **dir, struct node **node)
{
	const struct tree *t = &s->src->tree;

	if (s->listed_at < s->listed.n) {
		struct listed *l = (struct listed *)s->listed.p + s->listed_at++;

		*dir = l->dir;
		*node = l->node;
		return true;
	}
	for (; s->dir_at < t->ndirs; s->dir_at++, s->node_at = 0) {
		struct dir *d = t->dirs[s->dir_at];

		while (s->node_at < d->count) {
			struct node *n = &d->nodes[s->node_at++];

			if (!node_is_data(n) || n->flags & NODE_QUEUED)
				continue;
			*dir = d;
			*node = n;
			return true;
		}
	}
	return false;
}

/* The file that next_file() gave does not fit in this job any more. */
static void back_file(struct stream *s)
{
	if (s->listed_at && !s->dir_at && !s->node_at)
		s->listed_at--;
	else
		s->node_at--;
}

/* Fill a job with files; lock held. */
static void form_job(struct stream *s, struct job *job)
{
	size_t used = 0;

	job->nitems = 0;
	job->nsums = 0;
	job->made = 0;
	job->taken = 0;
	job->ready = false;
	job->large = false;
	while (job->nitems < JOB_FILES) {
		struct item *it = &job->items[job->nitems];
		struct node *n;
		struct dir *d;

		if (!next_file(s, &d, &n)) {
			s->exhausted = true;
			break;
		}
		if (used + n->size + 1 > s->buf_bytes && job->nitems) {
			back_file(s);
			break;
		}
		*it = (struct item){ .dir = d, .node = n, .off = used };
		job->nitems++;
		job->large = n->size + 1 > s->buf_bytes;
		if (job->large)
			break;
		used += n->size;
	}
	job->busy = job->nitems;
}

static struct job *job_take(struct stream *s)
{
	struct job *job;

	for (;;) {
		if (s->stop || s->exhausted)
			return NULL;
		job = &s->jobs[s->next_fill % s->njobs];
		if (!job->busy)
			break;
		pthread_cond_wait(&s->room, &s->lock);
	}
	form_job(s, job);
	if (!job->busy)
		return NULL;
	s->next_fill++;
	return job;
}

static void *read_files(void *arg)
{
	struct stream *s = arg;
	struct reader r = { .s = s, .staging = malloc(STAGING_BYTES) };
	struct job *job;

	pthread_mutex_lock(&s->lock);
	while (r.staging && (job = job_take(s))) {
		pthread_mutex_unlock(&s->lock);
		reader_run(&r, job);
		pthread_mutex_lock(&s->lock);
		job->ready = true;
		pthread_cond_broadcast(&job->change);
	}
	if (!r.staging)
		s->stop = true;
	/* others wait for room, the writer for a job that never comes */
	pthread_cond_broadcast(&s->room);
	for (unsigned int i = 0; i < s->njobs; i++)
		pthread_cond_broadcast(&s->jobs[i].change);
	pthread_mutex_unlock(&s->lock);
	free(r.staging);
	return NULL;
}

struct piece *stream_piece_get(struct stream *s, struct job *job, char **buf)
{
	unsigned int i;
	bool stop;

	pthread_mutex_lock(&s->lock);
	while (job->made - job->taken == PIECES && !s->stop)
		pthread_cond_wait(&job->change, &s->lock);
	stop = s->stop;
	i = job->made % PIECES;
	pthread_mutex_unlock(&s->lock);
	*buf = job->buf + (size_t)i * stream_piece_bytes(s);
	return stop ? NULL : &job->pieces[i];
}

void stream_piece_put(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	job->made++;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&s->lock);
}

/* The writer's side of a piece. */
static struct piece *piece_wait(struct stream *s, struct job *job)
{
	bool stop;

	pthread_mutex_lock(&s->lock);
	while (job->made == job->taken && !s->stop)
		pthread_cond_wait(&job->change, &s->lock);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return stop ? NULL : &job->pieces[job->taken % PIECES];
}

static void piece_done(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	job->taken++;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&s->lock);
}

/* The job that is to be written next; NULL at the end. */
static struct job *job_wait(struct stream *s)
{
	struct job *job = &s->jobs[s->next_drain % s->njobs];

	pthread_mutex_lock(&s->lock);
	while (!s->stop && !(job->busy && (job->ready || job->large)) &&
	       !(s->exhausted && s->next_drain == s->next_fill))
		pthread_cond_wait(&job->change, &s->lock);
	if (s->stop || !job->busy)
		job = NULL;
	pthread_mutex_unlock(&s->lock);
	return job;
}

static void job_done(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	/* the reader of a large file may still be closing it */
	while (!job->ready && !s->stop)
		pthread_cond_wait(&job->change, &s->lock);
	job->busy = false;
	s->next_drain++;
	pthread_cond_broadcast(&s->room);
	pthread_mutex_unlock(&s->lock);
}

/* A side record for a file with holes. */
static int add_sparse(struct stream *s, struct item *it)
{
	struct tree *t = &s->src->tree;
	struct sparse *sp;
	int ret;

	if (!it->sparse)
		return 0;
	sp = array_add(&t->sparse);
	if (!sp)
		return -ENOMEM;
	sp->stored = it->stored;
	sp->segments = it->nsegments;
	sp->first_segment = it->nsegments ? s->segments.len /
			    sizeof(struct dsfs_segment) : 0;
	it->node->sparse = t->sparse.n;
	ret = spool_add(&s->segments, it->segments,
			it->nsegments * sizeof(struct dsfs_segment));
	s->sparse_files++;
	if (!ret && s->segments.len / sizeof(struct dsfs_segment) > U32_MAX) {
		msg_error(NULL, "segments of files with holes: over the limit of 2^32");
		ret = -EFBIG;
	}
	return ret;
}

/* Checksums of a file's chunks: in the node, or in CHUNKSUMS. */
static int add_sums(struct stream *s, struct node *n, const u32 *sums,
		    u32 count, bool single)
{
	if (single) {
		n->sum = count ? sums[0] : 0;
		return 0;
	}
	for (u32 i = 0; i < count; i++) {
		__le32 sum = cpu_to_le32(sums[i]);
		int ret = spool_add(&s->chunks, &sum, sizeof(sum));

		if (ret)
			return ret;
	}
	if (s->chunks.len / sizeof(__le32) > 1ULL << 32) {
		msg_error(NULL, "chunk checksums: over the limit of 2^32: use a larger --chunk-size");
		return -EFBIG;
	}
	return 0;
}

static void count_file(struct stream *s, const struct item *it)
{
	u64 key[2] = { it->hash, it->node->size };

	XXH3_128bits_update(s->content, key, sizeof(key));
	s->files++;
}

static void make_dup(struct stream *s, struct node *n, struct node *of,
		     u64 stored)
{
	n->flags |= NODE_DUP;
	node_data(n)->dup = of;
	s->dup_files++;
	s->dup_bytes += stored;
}

/* A file all of whose stored bytes are in memory. */
static int store_small(struct stream *s, struct item *it, const char *buf,
		       const u32 *sums)
{
	const struct tree *t = &s->src->tree;
	struct node *n = it->node, *other;
	size_t cursor = 0;
	int ret = 0;
	u64 pos;

	if (!it->stored)
		return 0;
	while (s->dedup.slots &&
	       (other = dedup_next(&s->dedup, it->hash, &cursor))) {
		if (node_stored(t, other) != it->stored ||
		    (it->sums == 1 && other->sum != sums[0]))
			continue;
		ret = output_compare(s->out, node_data(other)->start, buf,
				     it->stored);
		if (ret < 0)
			return ret;
		if (ret) {
			make_dup(s, n, other, it->stored);
			return 0;
		}
	}
	pos = place_file(&s->place, n, it->stored);
	node_data(n)->start = pos;
	if (it->sums > 1)
		n->sum = s->chunks.len / sizeof(__le32);
	ret = output_write(s->out, pos, buf, it->stored);
	if (!ret)
		ret = add_sums(s, n, sums, it->sums, it->sums <= 1);
	if (s->dedup.slots)
		dedup_add(&s->dedup, it->hash, n);
	return ret;
}

/* What a large file that is not kept must leave as it was. */
struct undo {
	struct place place;
	u64 chunks;
	u16 last_flags;
	u16 flags;
};

static void undo_save(struct stream *s, struct undo *u, const struct node *n)
{
	u->place = s->place;
	u->chunks = s->chunks.len;
	u->last_flags = s->place.last ? s->place.last->flags : 0;
	u->flags = n->flags;
}

static void undo(struct stream *s, const struct undo *u, struct node *n, u64 pos)
{
	s->place = u->place;
	if (s->place.last)
		s->place.last->flags = u->last_flags;
	n->flags = u->flags;
	spool_cut(&s->chunks, u->chunks);
	output_cut(s->out, pos);
}

/* All bytes of a large file are in the image: were they there before? */
static int dedup_large(struct stream *s, struct item *it, const struct undo *u,
		       u64 pos)
{
	struct node *n = it->node, *other;
	size_t cursor = 0;

	while (s->dedup.slots &&
	       (other = dedup_next(&s->dedup, it->hash, &cursor))) {
		int ret;

		if (node_stored(&s->src->tree, other) != it->stored)
			continue;
		ret = output_compare_ranges(s->out, node_data(other)->start,
					    pos, it->stored);
		if (ret < 0)
			return ret;
		if (ret) {
			undo(s, u, n, pos);
			make_dup(s, n, other, it->stored);
			return 0;
		}
	}
	node_data(n)->start = pos;
	if (s->dedup.slots)
		dedup_add(&s->dedup, it->hash, n);
	return 0;
}

static int report_item(struct stream *s, struct item *it)
{
	int ret = source_unreadable(s->src, it->dir, it->node, it->why, it->err);

	if (ret)
		return ret;
	if (it->node->flags & NODE_LINK)
		it->node->u.link->gone = true;
	it->node->flags |= NODE_GONE;
	s->src->tree.gone++;
	s->src->skipped++;
	return 0;
}

/* Write the pieces as they come: 0 and @last for the last one. */
static int write_pieces(struct stream *s, struct job *job, struct piece *p,
			u64 pos, u64 *stored)
{
	u32 part = stream_piece_bytes(s);

	for (;;) {
		const char *buf = job->buf + (job->taken % PIECES) * (size_t)part;
		bool last = p->last;
		int ret;

		if (last && job->items[0].why)
			return 0;
		ret = output_write(s->out, pos + *stored, buf, p->bytes);
		if (!ret)
			ret = add_sums(s, job->items[0].node, p->sums, p->nsums,
				       false);
		if (ret)
			return ret;
		*stored += p->bytes;
		if (last)
			return 0;
		piece_done(s, job);
		progress_add(&s->progress, p->bytes);
		p = piece_wait(s, job);
		if (!p)
			return -ECANCELED;
	}
}

static int store_streamed(struct stream *s, struct job *job, struct piece *p)
{
	const u64 guess = DSFS_BLOCK_SIZE + 1;
	struct item *it = &job->items[0];
	u64 pos, stored = 0;
	struct undo u;
	int ret;

	undo_save(s, &u, it->node);
	it->node->sum = s->chunks.len / sizeof(__le32);
	pos = place_file(&s->place, it->node, guess);
	ret = write_pieces(s, job, p, pos, &stored);
	if (ret)
		return ret;
	if (it->why) {
		undo(s, &u, it->node, pos);
		return report_item(s, it);
	}
	place_resize(&s->place, pos, guess, stored);
	/* a chunk larger than a piece may still hold the whole file */
	if (s->chunks.len - u.chunks == sizeof(__le32)) {
		__le32 sum;

		ret = spool_read(&s->chunks, u.chunks, &sum, sizeof(sum));
		it->node->sum = le32_to_cpu(sum);
		spool_cut(&s->chunks, u.chunks);
	}
	if (!ret)
		ret = add_sparse(s, it);
	count_file(s, it);
	return ret ? ret : dedup_large(s, it, &u, pos);
}

static int store_large(struct stream *s, struct job *job)
{
	struct item *it = &job->items[0];
	struct piece *p = piece_wait(s, job);
	int ret;

	if (!p)
		return -ECANCELED;
	if (!p->last)
		return store_streamed(s, job, p);
	/* most of it is holes, and the rest is here */
	if (it->why)
		return report_item(s, it);
	it->sums = p->nsums;
	ret = add_sparse(s, it);
	count_file(s, it);
	return ret ? ret : store_small(s, it, job->buf, p->sums);
}

static int store_job(struct stream *s, struct job *job)
{
	int ret = 0;

	if (job->large)
		return store_large(s, job);
	for (unsigned int i = 0; !ret && i < job->nitems; i++) {
		struct item *it = &job->items[i];

		if (it->why) {
			ret = report_item(s, it);
			continue;
		}
		ret = add_sparse(s, it);
		count_file(s, it);
		if (!ret)
			ret = store_small(s, it, job->buf + it->off,
					  job->sums + it->first_sum);
		progress_add(&s->progress, it->node->size);
	}
	return ret;
}

static void free_segments(struct job *job)
{
	for (unsigned int i = 0; i < job->nitems; i++) {
		free(job->items[i].segments);
		job->items[i].segments = NULL;
	}
}

static int write_files(struct stream *s)
{
	struct job *job;
	int ret = 0;

	while (!ret && (job = job_wait(s))) {
		ret = store_job(s, job);
		free_segments(job);
		if (!ret)
			job_done(s, job);
	}
	if (!ret && s->stop) {
		msg_error(NULL, "out of memory");
		ret = -ENOMEM;
	}
	return ret;
}

static int start_readers(struct stream *s)
{
	int ret = 0;

	while (s->nthreads < s->src->o->threads) {
		ret = pthread_create(&s->threads[s->nthreads], NULL, read_files,
				     s);
		if (ret)
			break;
		s->nthreads++;
	}
	if (s->nthreads)
		return 0;
	msg_error(NULL, "cannot start a thread: %s", strerror(ret));
	return -ret;
}

static void stop_readers(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->room);
	for (unsigned int i = 0; i < s->njobs; i++)
		pthread_cond_broadcast(&s->jobs[i].change);
	pthread_mutex_unlock(&s->lock);
	for (unsigned int i = 0; i < s->nthreads; i++)
		pthread_join(s->threads[i], NULL);
	for (unsigned int i = 0; i < s->njobs; i++)
		free_segments(&s->jobs[i]);
}

/* Duplicates take over what they need of the file they are alike with. */
static void resolve_dups(struct tree *t)
{
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; k < d->count; k++) {
			struct node *n = &d->nodes[k], *of;

			if (!(n->flags & NODE_DUP) || n->flags & NODE_STUB)
				continue;
			of = node_data(n)->dup;
			n->flags |= of->flags & NODE_SHARED;
			n->sum = of->sum;
			node_data(n)->start = node_data(of)->start;
		}
	}
}

int stream_data(struct stream *s, u64 files, u64 bytes)
{
	int ret = 0;

	if (!s->src->o->no_dedup)
		ret = dedup_init(&s->dedup, files);
	if (ret) {
		msg_error(NULL, "out of memory");
		return ret;
	}
	progress_start(&s->progress, "packing", bytes);
	ret = start_readers(s);
	if (!ret)
		ret = write_files(s);
	stop_readers(s);
	progress_end(&s->progress);
	dedup_free(&s->dedup);
	s->dedup.slots = NULL;
	if (!ret)
		resolve_dups(&s->src->tree);
	return ret;
}

static int jobs_init(struct stream *s)
{
	size_t sums = s->buf_bytes / DSFS_BLOCK_SIZE + JOB_FILES;

	for (unsigned int i = 0; i < s->njobs; i++) {
		struct job *job = &s->jobs[i];

		pthread_cond_init(&job->change, NULL);
		job->buf = malloc(s->buf_bytes);
		job->sums = malloc(sums * sizeof(*job->sums));
		if (!job->buf || !job->sums)
			return -ENOMEM;
	}
	return 0;
}

int stream_init(struct stream *s, struct source *src, struct output *out)
{
	unsigned int threads = src->o->threads;

	memset(s, 0, sizeof(*s));
	s->src = src;
	s->out = out;
	s->listed.size = sizeof(struct listed);
	spool_init(&s->chunks);
	spool_init(&s->segments);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->room, NULL);
	s->data_start = DSFS_DATA_START_MIN;
	place_init(&s->place, s->data_start, src->o->align_bits);
	s->njobs = threads < 4 ? 8 : 2 * threads;
	s->buf_bytes = RING_BYTES / s->njobs < JOB_BYTES ?
		       RING_BYTES / s->njobs : JOB_BYTES;
	s->threads = calloc(threads, sizeof(*s->threads));
	s->jobs = calloc(s->njobs, sizeof(*s->jobs));
	s->content = XXH3_createState();
	if (!s->threads || !s->jobs || !s->content)
		return -ENOMEM;
	XXH3_128bits_reset(s->content);
	return jobs_init(s);
}

void stream_free(struct stream *s)
{
	for (unsigned int i = 0; s->jobs && i < s->njobs; i++) {
		free(s->jobs[i].buf);
		free(s->jobs[i].sums);
		pthread_cond_destroy(&s->jobs[i].change);
	}
	free(s->jobs);
	free(s->threads);
	array_free(&s->listed);
	spool_free(&s->chunks);
	spool_free(&s->segments);
	XXH3_freeState(s->content);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->room);
}
