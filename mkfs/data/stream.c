// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of a tree that is listed: threads read the files into the jobs of a ring,
 * and this one stores them.
 */
#include <unistd.h>

#include "msg.h"
#include "pack.h"
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

int stream_write(struct stream *s)
{
	struct job *job;
	int ret = 0;

	while (!ret) {
		reader_form(s);
		job = ring_take(&s->ring);
		if (!job)
			break;
		ret = store_job(s->store, job);
		if (!ret) {
			ring_done(&s->ring, job);
			ret = take_back(s);
		}
	}
	/* A piece that never comes is not why. */
	if (s->err && (!ret || ret == -ECANCELED))
		return s->err;
	return ret == -ENOMEM ? no_memory() : ret;
}

/* Readers may be many, as they wait; what compresses needs a processor. */
static unsigned int pool_threads(unsigned int threads)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN), most = cpus < POOL_MIN ? POOL_MIN : cpus;

	return threads < most ? threads : most;
}

static void *pool_begin(void *rules)
{
	return packer_new(rules);
}

static void pool_end(void *packer)
{
	packer_free(packer);
}

/* Nobody starts before there is something to do. */
static void init_threads(struct stream *s)
{
	const unsigned int threads = s->store->source->threads;

	s->readers = (struct work){
		.begin = reader_begin, .end = reader_end, .ctx = s, .most = threads,
	};
	s->pool = (struct work){
		.begin = pool_begin, .end = pool_end, .ctx = &s->store->rules.pack,
		/* whoever has something compressed compresses, too */
		.most = pool_threads(threads) - 1,
	};
	work_init(&s->pool);
}

int stream_begin(struct stream *s, struct work *jobs)
{
	struct store *store = s->store;

	init_threads(s);
	work_init(&s->readers);
	return ring_init(&s->ring, jobs, jobs == &s->pool, store->source->threads,
			 store->o->limits.memory) ? no_memory() : 0;
}

int stream_look(struct stream *s, const struct work_pass *pass)
{
	int ret;

	init_threads(s);
	ret = work_pass(&s->readers, pass);
	work_end(&s->pool);
	return ret;
}

int stream_end(struct stream *s, int ret)
{
	work_end(&s->readers);
	work_end(&s->pool);
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
	s->job_files = job_files(ring_jobs(store->source->threads), files);
	s->more = true;
	progress_start(&store->progress, "packing", bytes);
	ret = stream_begin(s, &s->readers) ?: work_need(&s->readers) ?: stream_write(s);
	ring_stop(&s->ring);
	return stream_end(s, ret);
}

void stream_free(struct stream *s)
{
	order_free(&s->order);
	ring_free(&s->ring);
}
