// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums of files, by several threads.  One thread walks the tree and passes results on in
 * its order.  A checksum takes longer than a step of the walk, so all threads compute them,
 * each for the next file without one.  The ring bounds how far the walk is ahead: far enough
 * that the other threads have work during a large file.  Its paths are bounded, too, because
 * those of a deep tree are long.
 *
 * A file with several names is read once.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "progress.h"
#include "file_sums.h"
#include "stop.h"

#define RING		32768
#define PATH_ROOM	1024		/* bytes of a path whose memory an entry keeps */
#define PATHS_BYTES	(16 << 20)	/* bytes that longer paths take in all */
#define ZEROS_BYTES	(16 << 20)	/* summed at once */

enum state { READY, TO_DO, BUSY };

/* The sum of a file with several names, which the first of them has got */
struct linked {
	u32 ino;
	int ret;
	struct dsfs_err err;
	u8 sum[SHA256_BYTES];
};

/**
 * struct sum_job - an entry of the ring
 * @o: the result; @o.path is @path
 * @again: a further name of a file: the sum is known
 */
struct sum_job {
	struct sums_object o;
	char *path;
	size_t room;
	enum state state;
	bool again;
};

struct sum_ring;

/* Data of a thread */
struct sum_worker {
	struct sum_ring *s;
	struct sha256 hash;
	pthread_t thread;
};

/**
 * struct sum_ring - a run
 * @room: entries of @ring
 * @long_paths: bytes of paths above PATH_ROOM
 * @lock: protects the members behind it
 * @more: signalled when there is a job to do, or when no more will come
 * @done: signalled when a job that somebody waits for is ready
 * @tail: the oldest job; the others up to @head are younger
 * @next: no job in front of it is TO_DO
 * @own: data of the thread that walks
 */
struct sum_ring {
	struct view *v;
	int (*fn)(void *arg, const struct sums_object *o);
	void *arg;
	void *linked;
	struct progress progress;
	struct sum_worker own;
	struct sum_job *ring;
	size_t room;
	u64 long_paths;
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_cond_t done;
	u64 tail;
	u64 head;
	u64 next;
	bool end;
};

static struct sum_job *job_at(struct sum_ring *s, u64 n)
{
	return &s->ring[n % s->room];
}

/* Holes have no bound, so their zeros are summed in parts. */
static int sum_zeros(struct sum_worker *w, u64 len)
{
	for (u64 n; len && !stop_asked(); len -= n) {
		n = len < ZEROS_BYTES ? len : ZEROS_BYTES;
		sha256_put_zeros(&w->hash, n);
		progress_add(&w->s->progress, n);
	}
	return len ? -ECANCELED : 0;
}

static int sum_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct sum_worker *w = arg;

	(void)pos;
	if (!data)
		return sum_zeros(w, len);
	if (stop_asked())
		return -ECANCELED;
	sha256_put(&w->hash, data, len);
	progress_add(&w->s->progress, len);
	return 0;
}

/* Compute one sum, if one is left; lock held, but not while computing. */
static bool do_next(struct sum_worker *w)
{
	struct sum_ring *s = w->s;
	struct sums_object *o;
	struct sum_job *j;

	while (s->next < s->head && job_at(s, s->next)->state != TO_DO)
		s->next++;
	if (s->next == s->head)
		return false;
	j = job_at(s, s->next++);
	j->state = BUSY;
	pthread_mutex_unlock(&s->lock);
	o = &j->o;
	o->ret = image_stream(w->s->v->src, &o->node.attr, &o->node.extra, true,
			      sum_piece, w, &o->err);
	sha256_end(&w->hash, o->sum);
	pthread_mutex_lock(&s->lock);
	j->state = READY;
	if (j == job_at(s, s->tail))
		pthread_cond_signal(&s->done);
	return true;
}

static void *work(void *arg)
{
	struct sum_worker *w = arg;
	struct sum_ring *s = w->s;

	pthread_mutex_lock(&s->lock);
	while (!s->end) {
		if (!do_next(w))
			pthread_cond_wait(&s->more, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Free a long path. */
static void drop_path(struct sum_ring *s, struct sum_job *j)
{
	if (j->room <= PATH_ROOM)
		return;
	s->long_paths -= j->room;
	free(j->path);
	j->path = NULL;
	j->room = 0;
}

static int link_cmp(const void *a, const void *b)
{
	const struct linked *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Keep the sum of a file with several names, or take it for a further one. */
static int share_sum(struct sum_ring *s, struct sum_job *j)
{
	struct sums_object *o = &j->o;
	struct linked key = { .ino = o->node.attr.ino, .ret = o->ret, .err = o->err }, *l;

	o->first = NULL;
	if (S_ISDIR(o->node.attr.mode) || o->node.nlink < 2)
		return 0;
	if (j->again) {
		l = *(struct linked **)tfind(&key, &s->linked, link_cmp);
		o->first = listing_first(&s->v->links, 0, key.ino);
		o->ret = l->ret;
		o->err = l->err;
		memcpy(o->sum, l->sum, SHA256_BYTES);
		return 0;
	}
	memcpy(key.sum, o->sum, SHA256_BYTES);
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = key;
	if (tsearch(l, &s->linked, link_cmp))
		return 0;
	free(l);
	return -ENOMEM;
}

/* Pass on the oldest job, once its sum is ready. */
static int hand_out(struct sum_ring *s)
{
	struct sum_job *j = job_at(s, s->tail);
	int ret;

	pthread_mutex_lock(&s->lock);
	while (j->state != READY) {
		if (!do_next(&s->own))
			pthread_cond_wait(&s->done, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	if (stop_asked())
		return -ECANCELED;
	ret = share_sum(s, j);
	if (!ret)
		ret = s->fn(s->arg, &j->o);
	drop_path(s, j);
	pthread_mutex_lock(&s->lock);
	s->tail++;
	if (s->next < s->tail)
		s->next = s->tail;
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static int set_path(struct sum_ring *s, struct sum_job *j, const char *path)
{
	size_t len = strlen(path) + 1, room = len < PATH_ROOM / 2 ? len * 2 : len;
	char *p;

	if (len > j->room) {
		p = realloc(j->path, room);
		if (!p)
			return -ENOMEM;
		j->path = p;
		j->room = room;
		s->long_paths += room > PATH_ROOM ? room : 0;
	}
	memcpy(j->path, path, len);
	j->o.path = j->path;
	return 0;
}

static int enter(void *arg, const struct walk_entry *e)
{
	struct sum_ring *s = arg;
	struct sum_job *j;
	int ret = 0;

	while (!ret && s->head != s->tail &&
	       (s->head - s->tail == s->room || s->long_paths > PATHS_BYTES))
		ret = hand_out(s);
	if (ret)
		return ret;
	j = job_at(s, s->head);
	ret = set_path(s, j, e->path);
	if (ret)
		return ret;
	j->o.node = e->node;
	j->o.ret = 0;
	j->again = e->first;
	pthread_mutex_lock(&s->lock);
	j->state = S_ISREG(e->node.attr.mode) && !j->again ? TO_DO : READY;
	s->head++;
	if (j->state == TO_DO)
		pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int worker_init(struct sum_worker *w, struct sum_ring *s)
{
	w->s = s;
	return sha256_init(&w->hash) ? -ENOMEM : 0;
}

/* The walk ends: hand out what is left, while it knows first names. */
static int leave(void *arg, const struct walk_entry *e)
{
	struct sum_ring *s = arg;
	int ret = 0;

	while (!*e->name && !ret && s->tail < s->head)
		ret = hand_out(s);
	return ret;
}

/* if a thread cannot be started, the others do its work */
static int run_threads(struct sum_ring *s, struct sum_worker *w, unsigned int extra)
{
	static const struct walk_ops ops = { .enter = enter, .leave = leave };
	unsigned int started;
	int ret;

	for (started = 0; started < extra; started++) {
		if (worker_init(&w[started], s))
			break;
		if (pthread_create(&w[started].thread, NULL, work, &w[started])) {
			sha256_free(&w[started].hash);
			break;
		}
	}
	ret = view_walk(s->v, NULL, &ops, s);
	pthread_mutex_lock(&s->lock);
	s->end = true;
	pthread_cond_broadcast(&s->more);
	pthread_mutex_unlock(&s->lock);
	while (started) {
		pthread_join(w[--started].thread, NULL);
		sha256_free(&w[started].hash);
	}
	return ret;
}

int sums_walk(struct view *v, unsigned int threads,
	      int (*fn)(void *arg, const struct sums_object *o), void *arg)
{
	struct sum_ring s = { .v = v, .fn = fn, .arg = arg };
	struct sum_worker *w = calloc(threads, sizeof(*w));
	int ret = -ENOMEM;

	/* no more threads than objects */
	s.room = v->img.geo->inodes < RING ? v->img.geo->inodes : RING;
	s.ring = calloc(s.room, sizeof(*s.ring));
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.more, NULL);
	pthread_cond_init(&s.done, NULL);
	if (w && s.ring && !worker_init(&s.own, &s)) {
		progress_start(&s.progress, "digest", v->img.geo->content_bytes);
		ret = run_threads(&s, w, threads - 1);
		progress_end(&s.progress);
		sha256_free(&s.own.hash);
	}
	for (size_t i = 0; s.ring && i < s.room; i++)
		free(s.ring[i].path);
	tdestroy(s.linked, free);
	free(s.ring);
	free(w);
	return ret;
}
