// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of a tree that is listed: threads read the files into the jobs of a ring,
 * and this one stores them.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "msg.h"
#include "stream.h"

#define JOB_FILES_MIN	8
#define POOL_MIN	4

/* Let the output write until readers have half of the jobs. */
static int take_back(struct stream *s)
{
	int ret = 1;

	while (!ring_take_back(&s->ring) && ret > 0)
		ret = output_flush(s->store->out);
	return ret < 0 ? ret : 0;
}

static int write_files(struct stream *s)
{
	struct job *job;
	int ret = 0;

	while (!ret && (job = ring_wait(&s->ring))) {
		ret = store_job(s->store, &s->ring, job);
		if (!ret) {
			ring_done(&s->ring, job);
			ret = take_back(s);
		}
	}
	/* A piece that never comes is not why. */
	if ((!ret || ret == -ECANCELED) && s->ring.stop)
		ret = s->err ? s->err : -ENOMEM;
	if (ret == -ENOMEM && !s->err)
		no_memory();
	return ret;
}

static int start_readers(struct stream *s, unsigned int n, void *(*fill)(void *stream))
{
	int ret = 0;

	s->threads = calloc(n, sizeof(*s->threads));
	if (!s->threads || ring_init(&s->ring, s->store->source->threads,
				     s->store->o->limits.memory))
		return no_memory();
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
	ring_end(&s->ring, true);
	if (s->stop_fd >= 0)
		eventfd_write(s->stop_fd, 1);
	for (unsigned int i = 0; i < s->nthreads; i++)
		pthread_join(s->threads[i], NULL);
	free(s->threads);
	s->threads = NULL;
}

/* Readers may be many, as they wait; what compresses needs a processor. */
static unsigned int pool_threads(unsigned int threads)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN), most = cpus < POOL_MIN ? POOL_MIN : cpus;

	return threads < most ? threads : most;
}

int stream_run(struct stream *s, unsigned int n, void *(*fill)(void *stream))
{
	int ret;

	pool_init(&s->pool, &s->store->rules.pack, pool_threads(s->store->source->threads));
	ret = start_readers(s, n, fill) ?: write_files(s);
	stop_readers(s);
	pool_free(&s->pool);
	progress_end(&s->store->progress);
	if (!ret)
		store_end(s->store);
	return ret;
}

/*
 * Number of files in a job.  A few files are spread over all readers, as each may be slow to read.
 */
static unsigned int job_files(unsigned int jobs, u64 files)
{
	u64 n = files / (2 * jobs);

	return n < JOB_FILES_MIN ? JOB_FILES_MIN : n < JOB_FILES ? n : JOB_FILES;
}

int stream_data(struct stream *s, u64 files, u64 bytes)
{
	struct store *store = s->store;
	int ret = order_init(&s->order, store->tree, store->o);

	if (ret)
		return ret;
	if (!store->draft->no_dedup && hash_init(&store->dedup, files))
		return no_memory();
	s->stop_fd = -1;
	s->job_files = job_files(ring_jobs(store->source->threads), files);
	progress_start(&store->progress, "packing", bytes);
	return stream_run(s, store->source->threads, reader_run);
}

void stream_free(struct stream *s)
{
	order_free(&s->order);
	ring_free(&s->ring);
}
