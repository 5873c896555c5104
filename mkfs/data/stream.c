// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase.  Reader threads take jobs from a ring, in the order of data,
 * and finish them in any order.  The main thread stores the results in order,
 * so the image depends on the contents alone, not on the number or speed of
 * threads.
 *
 * The ring bounds the memory.  A large file passes through the buffer of its
 * job in pieces.  Other files are written from the buffer, so a job is free
 * when its last file is written.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/base.h"
#include "msg.h"
#include "stream.h"

#define HUGE_BYTES	(2 << 20)

/* Take the next file in the order of data; lock held. */
static bool next_file(struct stream *s, struct dir **dir, struct node **node)
{
	const struct tree *t = s->tree;

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

/* Give back the file of next_file(), which does not fit in this job any more. */
static void back_file(struct stream *s)
{
	if (s->listed_at && !s->dir_at && !s->node_at)
		s->listed_at--;
	else
		s->node_at--;
}

static void clear_job(struct job *job)
{
	job->nitems = 0;
	job->nsums = 0;
	job->made = 0;
	job->taken = 0;
	job->ready = false;
	job->large = false;
}

/* Fill a job with files; lock held. */
static void form_job(struct stream *s, struct job *job)
{
	size_t used = 0;

	clear_job(job);
	while (job->nitems < s->job_files) {
		struct item *it = &job->items[job->nitems];
		struct node *n;
		struct dir *d;

		if (!next_file(s, &d, &n)) {
			s->exhausted = true;
			break;
		}
		*it = (struct item){ .dir = d, .node = n,
				     .off = item_room(used, n->size) };
		if (it->off + n->size + 1 > s->buf_bytes && job->nitems) {
			back_file(s);
			break;
		}
		job->nitems++;
		job->large = n->size + 1 > s->buf_bytes;
		if (job->large)
			break;
		used = item_room(it->off + n->size, n->size);
	}
	job->busy = job->nitems;
}

/* The next job, once it is free; lock held. */
static struct job *job_free(struct stream *s)
{
	struct job *job;

	for (;;) {
		if (s->stop || s->exhausted)
			return NULL;
		job = &s->jobs[s->next_fill % s->njobs];
		if (!job->busy)
			return job;
		pthread_cond_wait(&s->room, &s->lock);
	}
}

static struct job *job_take(struct stream *s)
{
	struct job *job = job_free(s);

	if (!job)
		return NULL;
	form_job(s, job);
	if (!job->busy)
		return NULL;
	s->next_fill++;
	return job;
}

/* Others wait for room, the writer for a job that never comes; lock held. */
static void wake_all(struct stream *s)
{
	pthread_cond_broadcast(&s->room);
	for (unsigned int i = 0; i < s->njobs; i++)
		pthread_cond_broadcast(&s->jobs[i].change);
}

static void *read_files(void *arg)
{
	struct stream *s = arg;
	struct source *src = s->source;
	struct reader r = { .s = s, .ops = src->ops, .in = src->ops->input_new(src),
			    .staging = malloc(STAGING_BYTES) };
	bool ok = r.in && r.staging;
	struct job *job;

	pthread_mutex_lock(&s->lock);
	while (ok && (job = job_take(s))) {
		pthread_mutex_unlock(&s->lock);
		reader_run(&r, job);
		pthread_mutex_lock(&s->lock);
		job->ready = true;
		pthread_cond_broadcast(&job->change);
	}
	if (!ok)
		s->stop = true;
	wake_all(s);
	pthread_mutex_unlock(&s->lock);
	src->ops->input_free(r.in);
	image_source_free(r.prev);
	free(r.staging);
	return NULL;
}

struct job *stream_job_begin(struct stream *s)
{
	struct job *job;

	pthread_mutex_lock(&s->lock);
	job = job_free(s);
	if (job) {
		clear_job(job);
		job->busy = true;
		s->next_fill++;
	}
	pthread_mutex_unlock(&s->lock);
	return job;
}

void stream_job_large(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	job->large = true;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&s->lock);
}

void stream_job_end(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	job->ready = true;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&s->lock);
}

void stream_filled(struct stream *s, int err)
{
	pthread_mutex_lock(&s->lock);
	s->err = err;
	if (err)
		s->stop = true;
	else
		s->exhausted = true;
	wake_all(s);
	pthread_mutex_unlock(&s->lock);
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

/* Wait for a piece of a large file; called by the writer. */
struct piece *stream_piece_wait(struct stream *s, struct job *job)
{
	bool stop;

	pthread_mutex_lock(&s->lock);
	while (job->made == job->taken && !s->stop)
		pthread_cond_wait(&job->change, &s->lock);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return stop ? NULL : &job->pieces[job->taken % PIECES];
}

void stream_piece_done(struct stream *s, struct job *job)
{
	pthread_mutex_lock(&s->lock);
	job->taken++;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&s->lock);
}

/* Wait for the job that is stored next; NULL at the end. */
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
	/* the reader of a large file may still have to close it */
	while (!job->ready && !s->stop)
		pthread_cond_wait(&job->change, &s->lock);
	s->next_drain++;
	pthread_mutex_unlock(&s->lock);
}

/* Free the jobs whose buffers are written, in their order. */
static void jobs_back(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->next_back < s->next_drain) {
		struct job *job = &s->jobs[s->next_back % s->njobs];

		if (job->lent)
			break;
		job->busy = false;
		s->next_back++;
		pthread_cond_broadcast(&s->room);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Wait until at most half of the jobs are lent to the output, so that readers have the others. */
static int jobs_wait_back(struct stream *s)
{
	int ret = 1;

	jobs_back(s);
	while (ret > 0 && s->next_drain - s->next_back > s->njobs / 2) {
		ret = output_flush(s->out);
		jobs_back(s);
	}
	return ret < 0 ? ret : 0;
}

static void free_extents(struct job *job)
{
	for (unsigned int i = 0; i < job->nitems; i++) {
		free(job->items[i].extents);
		job->items[i].extents = NULL;
	}
}

static int write_files(struct stream *s)
{
	struct job *job;
	int ret = 0;

	while (!ret && (job = job_wait(s))) {
		ret = store_job(s, job);
		free_extents(job);
		if (!ret) {
			job_done(s, job);
			ret = jobs_wait_back(s);
		}
	}
	if (!ret && s->stop)
		ret = s->err ? s->err : -ENOMEM;
	if (ret == -ENOMEM && !s->err)
		msg_error(NULL, "out of memory");
	return ret;
}

static int start_readers(struct stream *s, unsigned int n, void *(*fill)(void *stream))
{
	int ret = 0;

	while (s->nthreads < n) {
		ret = pthread_create(&s->threads[s->nthreads], NULL, fill, s);
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
	wake_all(s);
	pthread_mutex_unlock(&s->lock);
	if (s->stop_fd >= 0)
		eventfd_write(s->stop_fd, 1);
	for (unsigned int i = 0; i < s->nthreads; i++)
		pthread_join(s->threads[i], NULL);
	for (unsigned int i = 0; i < s->njobs; i++)
		free_extents(&s->jobs[i]);
}

/*
 * Number of files in a job.  A few files are spread over all readers, as each
 * may be slow to read.
 */
static unsigned int job_files(const struct stream *s, u64 files)
{
	u64 n = files / (2 * s->njobs);

	return n < JOB_FILES_MIN ? JOB_FILES_MIN : n < JOB_FILES ? n : JOB_FILES;
}

int stream_run(struct stream *s, unsigned int n, void *(*fill)(void *stream))
{
	int ret = start_readers(s, n, fill);

	if (!ret)
		ret = write_files(s);
	stop_readers(s);
	progress_end(&s->progress);
	hash_free(&s->dedup);
	if (!ret)
		stream_dups(s);
	return ret;
}

int stream_data(struct stream *s, u64 files, u64 bytes)
{
	int ret = 0;

	s->job_files = job_files(s, files);

	if (!s->o->no_dedup)
		ret = hash_init(&s->dedup, files);
	if (ret) {
		msg_error(NULL, "out of memory");
		return ret;
	}
	progress_start(&s->progress, "packing", bytes);
	return stream_run(s, s->source->threads, read_files);
}

static int jobs_init(struct stream *s)
{
	size_t sums = s->buf_bytes / DSFS_BLOCK_SIZE + JOB_FILES;
	size_t bytes = s->buf_bytes * s->njobs;

	bytes += -bytes & (HUGE_BYTES - 1);
	s->bufs = aligned_alloc(HUGE_BYTES, bytes);
	if (!s->bufs)
		return -ENOMEM;
	/* huge pages save a page fault for each 4 KiB; a refusal does not matter */
	madvise(s->bufs, bytes, MADV_HUGEPAGE);
	for (unsigned int i = 0; i < s->njobs; i++) {
		struct job *job = &s->jobs[i];

		pthread_cond_init(&job->change, NULL);
		job->buf = s->bufs + i * s->buf_bytes;
		job->sums = malloc(sums * sizeof(*job->sums));
		if (!job->sums)
			return -ENOMEM;
	}
	return 0;
}

int stream_init(struct stream *s, unsigned int threads)
{
	s->hash_uuid = s->o->epoch && !s->params->uuid_set;
	s->hash_bytes = s->hash_uuid || (!s->o->no_dedup && !s->params->chunk_bits);
	s->listed.size = sizeof(struct listed);
	s->dups.size = sizeof(struct dup);
	s->stop_fd = -1;
	spool_init(&s->chunks);
	spool_init(&s->extents);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->room, NULL);
	place_init(&s->place, s->start, s->params->align_bits, s->params->object_bits);
	/* jobs that readers fill, and jobs that the window has borrowed from */
	s->njobs = 2 * threads + 16;
	if (s->njobs > 2 * MKFS_THREADS_MAX)
		s->njobs = 2 * MKFS_THREADS_MAX;
	s->buf_bytes = RING_BYTES / s->njobs;
	s->buf_bytes -= s->buf_bytes % (PIECES * HASH_UNIT);
	if (s->buf_bytes > JOB_BYTES)
		s->buf_bytes = JOB_BYTES;
	s->threads = calloc(threads, sizeof(*s->threads));
	s->jobs = calloc(s->njobs, sizeof(*s->jobs));
	if (!s->threads || !s->jobs)
		return -ENOMEM;
	return jobs_init(s);
}

void stream_free(struct stream *s)
{
	for (unsigned int i = 0; s->jobs && i < s->njobs; i++) {
		free(s->jobs[i].sums);
		pthread_cond_destroy(&s->jobs[i].change);
	}
	free(s->bufs);
	free(s->jobs);
	free(s->threads);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	array_free(&s->listed);
	array_free(&s->dups);
	spool_free(&s->chunks);
	spool_free(&s->extents);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->room);
}
