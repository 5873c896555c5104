// SPDX-License-Identifier: GPL-2.0
/*
 * Memory beyond a limit.  A tree of hundreds of millions of files is larger than the memory of
 * many machines, but it is used directory by directory, in one order.  So it may lie in a file,
 * of which a process has no more in memory than what it is about to use.
 *
 * Room in the file is allocated before it is mapped: on a full disk there would be a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "msg.h"
#include "overflow.h"
#include "tempfile.h"

#define UNIT	((size_t)64 << 10)	/* of mappings: pages of any machine */

struct overflow_segment {
	char *p;
	size_t bytes;
};

void overflow_init(struct overflow *o, u64 limit)
{
	*o = (struct overflow){ .limit = limit, .fd = -1 };
	o->segments.size = sizeof(struct overflow_segment);
	pthread_mutex_init(&o->lock, NULL);
}

static struct overflow_segment *segment_at(const struct overflow *o, size_t i)
{
	return (struct overflow_segment *)o->segments.p + i;
}

void overflow_free(struct overflow *o)
{
	for (size_t i = 0; i < o->segments.n; i++)
		munmap(segment_at(o, i)->p, segment_at(o, i)->bytes);
	array_free(&o->segments);
	if (o->fd >= 0)
		close(o->fd);
	pthread_mutex_destroy(&o->lock);
}

/* The pages leave this process.  The file has them, and as long as it can, the kernel. */
static void give_up(struct overflow *o)
{
	for (size_t i = 0; i < o->segments.n; i++)
		madvise(segment_at(o, i)->p, segment_at(o, i)->bytes, MADV_DONTNEED);
	o->passed = 0;
}

static int map_more(struct overflow *o, size_t bytes)
{
	struct overflow_segment s = { .bytes = bytes };
	int ret = 0;

	if (o->fd < 0)
		o->fd = tempfile_open();
	ret = o->fd < 0 ? -o->fd : posix_fallocate(o->fd, o->file_bytes, bytes);
	if (ret)
		return -ret;
	s.p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, o->file_bytes);
	if (s.p == MAP_FAILED)
		return -errno;
	if (!array_append(&o->segments, &s))
		return 0;
	munmap(s.p, bytes);
	return -ENOMEM;
}

static int add_segment(struct overflow *o, size_t bytes)
{
	const size_t size = bytes < OVERFLOW_SEGMENT ? OVERFLOW_SEGMENT :
						       (bytes + UNIT - 1) / UNIT * UNIT;
	int ret;

	give_up(o);
	ret = map_more(o, size);
	if (ret) {
		o->full = true;
		msg_warn(tempfile_dir(), "cannot make a temporary file longer: %s: more memory is used",
			 msg_why(-ret));
		return ret;
	}
	o->file_bytes += size;
	o->at = 0;
	return 0;
}

/* Memory of the file; NULL: there will be no more. */
static void *take(struct overflow *o, size_t bytes)
{
	const struct overflow_segment *last = o->segments.n ?
					      segment_at(o, o->segments.n - 1) : NULL;
	char *p;

	if (!last || o->at + bytes > last->bytes) {
		if (add_segment(o, bytes))
			return NULL;
		last = segment_at(o, o->segments.n - 1);
	}
	p = last->p + o->at;
	o->at += (bytes + 15) & ~15ULL;
	return p;
}

void *overflow_alloc(struct overflow *o, size_t bytes)
{
	void *p = NULL;

	pthread_mutex_lock(&o->lock);
	if (o->memory + bytes > o->limit && !o->full)
		p = take(o, bytes);
	else
		o->memory += bytes;
	pthread_mutex_unlock(&o->lock);
	return p;
}

void overflow_count(struct overflow *o, s64 bytes)
{
	pthread_mutex_lock(&o->lock);
	o->memory += bytes;
	pthread_mutex_unlock(&o->lock);
}

bool overflow_begun(struct overflow *o)
{
	bool begun;

	pthread_mutex_lock(&o->lock);
	begun = o->segments.n && !o->full;
	pthread_mutex_unlock(&o->lock);
	return begun;
}

void overflow_pass(struct overflow *o, u64 bytes)
{
	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	o->passed += o->segments.n ? bytes : 0;
	if (o->passed > OVERFLOW_SEGMENT)
		give_up(o);
	pthread_mutex_unlock(&o->lock);
}
