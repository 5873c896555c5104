// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums of files, by several threads.  One thread walks the tree and passes results on in
 * its order.  A checksum takes longer than a step of the walk, so all threads compute them.
 * The line of tasks bounds how far the walk is ahead: far enough that the other threads have work
 * during a large file.  Its paths are bounded, too, because those of a deep tree are long.
 *
 * A file with several names is read once.
 */
#include <search.h>

#include "progress.h"
#include "file_sums.h"
#include "stop.h"
#include "work.h"

#define RING		32768
#define PATH_ROOM	1024		/* bytes of a path whose memory an entry keeps */
#define PATHS_BYTES	(16 << 20)	/* bytes that longer paths take in all */
#define ZEROS_BYTES	(16 << 20)	/* summed at once */

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
	struct work_task task;
	struct sums_object o;
	char *path;
	size_t room;
	bool again;
};

/* Data of a thread */
struct sum_worker {
	struct sum_ring *s;
	struct sha256 hash;
};

/**
 * struct sum_ring - a run
 * @line: of jobs, which are in @ring; @head were put so far
 * @long_paths: bytes of paths above PATH_ROOM
 * @own: data of the thread that walks
 */
struct sum_ring {
	struct view *v;
	int (*fn)(void *arg, const struct sums_object *o);
	void *arg;
	void *linked;
	struct progress progress;
	struct sum_worker *own;
	struct work work;
	struct work_line line;
	struct sum_job *ring;
	u64 head;
	u64 long_paths;
};

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

	if (!data)
		return sum_zeros(w, len);
	if (stop_asked())
		return -ECANCELED;
	sha256_put(&w->hash, data, len);
	progress_add(&w->s->progress, len);
	return 0;
}

static void sum_file(struct work_task *task, void *own)
{
	struct sums_object *o = &((struct sum_job *)task)->o;
	struct sum_worker *w = own;

	o->ret = image_stream(w->s->v->src, &o->node.attr, &o->node.extra, true,
			      sum_piece, w, &o->err);
	sha256_end(&w->hash, o->sum);
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

	return array_order(x->ino, y->ino);
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
	struct sum_job *j = (struct sum_job *)work_take(&s->line, s->own);
	int ret;

	if (stop_asked())
		return -ECANCELED;
	ret = share_sum(s, j) ?: s->fn(s->arg, &j->o);
	drop_path(s, j);
	work_free(&s->line);
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

	while (!ret && s->line.first &&
	       (!work_fits(&s->line, false) || s->long_paths > PATHS_BYTES))
		ret = hand_out(s);
	if (ret)
		return ret;
	j = &s->ring[s->head++ % s->line.room];
	ret = set_path(s, j, e->path);
	if (ret)
		return ret;
	j->o.node = e->node;
	j->o.ret = 0;
	j->again = e->first;
	j->task.run = S_ISREG(e->node.attr.mode) && !j->again ? sum_file : NULL;
	work_put(&s->line, &j->task, NULL);
	return 0;
}

/* The walk ends: hand out what is left, while it knows first names. */
static int leave(void *arg, const struct walk_entry *e)
{
	struct sum_ring *s = arg;
	int ret = 0;

	while (!*e->name && !ret && s->line.first)
		ret = hand_out(s);
	return ret;
}

static void worker_end(void *own)
{
	struct sum_worker *w = own;

	sha256_free(&w->hash);
	free(w);
}

static void *worker_begin(void *ctx)
{
	struct sum_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s = ctx;
	if (!sha256_init(&w->hash))
		return w;
	free(w);
	return NULL;
}

static int run(struct sum_ring *s)
{
	static const struct walk_ops ops = { .enter = enter, .leave = leave };
	int ret;

	work_init(&s->work);
	work_line_init(&s->line);
	progress_start(&s->progress, "digest", s->v->img.geo->content_bytes);
	ret = view_walk(s->v, NULL, &ops, s);
	work_end(&s->work);
	work_line_free(&s->line);
	progress_end(&s->progress);
	return ret;
}

int sums_walk(struct view *v, unsigned int threads,
	      int (*fn)(void *arg, const struct sums_object *o), void *arg)
{
	struct sum_ring s = { .v = v, .fn = fn, .arg = arg };
	/* no more than objects */
	const unsigned int room = v->img.geo->inodes < RING ? v->img.geo->inodes : RING;
	int ret = -ENOMEM;

	/* if a thread cannot be started, the others do its work */
	s.work = (struct work){ .begin = worker_begin, .end = worker_end, .ctx = &s,
				.most = threads - 1 };
	s.line = (struct work_line){ .work = &s.work, .room = room };
	s.own = worker_begin(&s);
	s.ring = calloc(room, sizeof(*s.ring));
	if (s.own && s.ring)
		ret = run(&s);
	for (size_t i = 0; s.ring && i < room; i++)
		free(s.ring[i].path);
	tdestroy(s.linked, free);
	free(s.ring);
	if (s.own)
		worker_end(s.own);
	return ret;
}
