// SPDX-License-Identifier: GPL-2.0
/*
 * The scan: several threads read directories and attributes.
 *
 * A unit of work is a directory to list or a batch of names to stat, so a single
 * directory of a million names keeps all threads busy, too.  The newest work is done
 * first, so the depth of the tree bounds the list of work and the number of directories
 * in use.  A listing makes all nodes of a directory at once, sorted, in one array;
 * threads then fill in different parts of it without a lock.
 */
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "../file.h"
#include "format.h"
#include "hash.h"
#include "msg.h"
#include "directory.h"

#define BATCH		256	/* names; fewer for more than 4 threads */
#define BATCH_MIN	16
#define DENTS_BYTES	(128 << 10)

/* More work.  Return: 0 or -ENOMEM. */
static int push(struct scan *s, struct dir *dir, u32 from, u32 count)
{
	struct task *t;

	pthread_mutex_lock(&s->lock);
	t = array_add(&s->tasks);
	if (t)
		*t = (struct task){ dir, from, count };
	pthread_cond_signal(&s->change);
	pthread_mutex_unlock(&s->lock);
	return t ? 0 : -ENOMEM;
}

/* Whether something of attributes was said already, which it is from now on. */
static bool told(struct source *src)
{
	return __atomic_exchange_n(&src->xattrs_told, true, __ATOMIC_RELAXED);
}

/* Report an error, with a text of its own where strerror() misleads. */
static int unreadable_node(struct worker *w, struct dir *dir, struct node *n, int err)
{
	struct source *src = w->s->src;

	/* it ends the run, and threads that meet others meanwhile have nothing to add */
	if (w->xattr.why[0] && !source_own_trouble(err))
		return src->o->allow.unreadable || !told(src) ?
		       source_unreadable(src, dir, n, w->xattr.why, 0) : -EIO;
	switch (err) {
	case -EFBIG:
		return source_unreadable(src, dir, n, "size: over the limit of 256 TiB", 0);
	case -EOVERFLOW:
		return source_unreadable(src, dir, n,
			"device number: over the limit of 4095:1048575", 0);
	}
	return source_unreadable(src, dir, n, "cannot read attributes", err);
}

/* @skipped: 1; 0: an object that is not meant to be in the image */
static void leave_out(struct worker *w, struct node *n, u32 skipped)
{
	struct source *src = w->s->src;

	n->flags |= NODE_GONE;
	__atomic_add_fetch(&src->tree->gone, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&src->skipped, skipped, __ATOMIC_RELAXED);
}

/* The image itself is left out, and is not unreadable. */
static void leave_out_image(struct worker *w, struct dir *dir, struct node *n)
{
	char *path = tree_path(w->s->src->tree, dir, n, false);

	msg_warn(path, "is the image itself: left out");
	free(path);
	leave_out(w, n, 0);
}

/* An attribute was left out because it cannot be read: it is said of the first one. */
static void say_xattrs(struct worker *w, struct dir *dir, struct node *n)
{
	struct source *src = w->s->src;
	char *path;

	if (!w->xattr.why[0] || src->o->no_names.all || told(src))
		return;
	path = tree_path(src->tree, dir, n, false);
	msg_warn(path, "%s: left out, and of others, too", w->xattr.why);
	free(path);
}

static int stat_node(struct worker *w, struct dir *dir, struct node *n, int fd)
{
	struct source *src = w->s->src;
	const char *name = node_name(n), *why = NULL;
	struct stat st;
	int ret = 0, err;

	w->xattr.why[0] = '\0';
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		ret = -errno;
	if (!ret && source_is_image(src, &st)) {
		leave_out_image(w, dir, n);
		return 0;
	}
	if (!ret)
		ret = stat_fill(w, dir, n, fd, name, &st);
	if (!ret)
		say_xattrs(w, dir, n);
	if (!ret)
		why = empty_check(src, fd, name, false, &st, &err);
	if (!ret && !why) {
		/* another thread may have the node from here on */
		return S_ISDIR(n->mode) && !(src->o->one_fs && st.st_dev != w->s->root_dev) ?
		       push(w->s, n->u.dir, 0, 0) : 0;
	}
	ret = why ? source_unreadable(src, dir, n, why, err) : unreadable_node(w, dir, n, ret);
	if (!ret)
		leave_out(w, n, 1);
	return ret;
}

/*
 * Handle an inaccessible directory: leave out each name of a batch, or the
 * directory of a listing.
 */
static int skip_task(struct worker *w, const struct task *t, const char *why, int err)
{
	int ret = source_unreadable(w->s->src, t->dir, NULL, why, err);

	for (u32 i = 0; !ret && i < t->count; i++)
		leave_out(w, &t->dir->nodes[t->from + i], 1);
	if (!ret && !t->count)
		leave_out(w, t->dir->self, 1);
	return ret;
}

static int run_batch(struct worker *w, struct task *t, int fd)
{
	u32 end = t->from + t->count;
	int ret;

	if (w->cwd && fchdir(fd))
		return skip_task(w, t, "cannot enter", -errno);
	for (u32 i = t->from; i < end; i++) {
		ret = stat_node(w, t->dir, &t->dir->nodes[i], fd);
		if (ret)
			return ret;
		if (__atomic_load_n(&w->s->err, __ATOMIC_RELAXED))
			return 0;
	}
	progress_add(&w->s->progress, t->count);
	return 0;
}

static int found_cmp(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return array_order(x->key, y->key) ?:
	       dsfs_name_cmp(x->name + 1, (u8)x->name[0], y->name + 1, (u8)y->name[0]);
}

static bool is_dir_entry(int fd, const struct dirent64 *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return !fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

/*
 * All shares have all directories.  Of files the inode number says whose they are, so that all
 * names of one are in one share; where directories do not tell it, the name.
 */
static bool in_share(const struct options *o, int fd, const struct dirent64 *d)
{
	const u64 ino = d->d_ino;
	const bool known = ino && ino != U32_MAX;

	if (!o->share.of)
		return true;
	return share_has(&o->share, known ? xxh64(&ino, sizeof(ino), 0) :
			 xxh64(d->d_name, strlen(d->d_name), 0)) || is_dir_entry(fd, d);
}

static int add_found(struct worker *w, const char *name)
{
	size_t len = strlen(name);
	struct found *f;
	struct node n;
	u64 key = 0;

	if (!dsfs_name_valid(name, len < 256 ? len : 256))
		return -ENAMETOOLONG;
	f = array_add(&w->found);
	if (!f)
		return -ENOMEM;
	if (node_set_name(&w->arena, &n, name, len))
		return -ENOMEM;
	f->name = n.name;
	memcpy(&key, name, len < 8 ? len : 8);
	f->key = be64toh(key);
	return 0;
}

/* List all names of a directory in w->found. */
static int list_names(struct worker *w, int fd, const char *below)
{
	const struct options *o = w->s->src->o;
	ssize_t n, at;
	int ret;

	w->found.n = 0;
	/* the offset is that of the last listing, unless the descriptor was reopened */
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = getdents64(fd, w->dents, DENTS_BYTES)) > 0) {
		const struct dirent64 *d;

		for (at = 0; at < n; at += d->d_reclen) {
			d = (const void *)(w->dents + at);
			if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
				continue;
			if (o->exclude.n &&
			    patterns_match_below(&o->exclude, below, d->d_name,
						 is_dir_entry(fd, d)))
				continue;
			if (!in_share(o, fd, d))
				continue;
			ret = add_found(w, d->d_name);
			if (ret)
				return ret;
		}
	}
	return n < 0 ? -errno : 0;
}

/* Number of names in a batch.  Many threads mean a slow source, so batches are small then. */
static u32 batch_names(unsigned int threads)
{
	u32 n = threads > 4 ? 4 * BATCH / threads : BATCH;

	return n < BATCH_MIN ? BATCH_MIN : n;
}

/* Make the nodes of a directory, sorted, and batches that stat them. */
static int make_nodes(struct worker *w, struct dir *dir, int fd)
{
	struct found *f = (struct found *)w->found.p;
	u32 batch = batch_names(w->s->src->threads);
	struct task first;
	int ret;

	if (w->found.n > DSFS_MAX_INODES)
		return -EFBIG;
	if (!w->found.n)
		return 0;
	qsort(f, w->found.n, sizeof(*f), found_cmp);
	dir->nodes = arena_zalloc(&w->arena, w->found.n * sizeof(*dir->nodes));
	if (!dir->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < w->found.n; i++)
		dir->nodes[i].name = f[i].name;
	dir->count = w->found.n;
	for (u32 from = batch; from < dir->count; from += batch) {
		ret = push(w->s, dir, from, dir->count - from < batch ? dir->count - from : batch);
		if (ret)
			return ret;
	}
	first = (struct task){ dir, 0, dir->count < batch ? dir->count : batch };
	return run_batch(w, &first, fd);
}

/* The same of a directory of which some names alone are wanted */
static int list_only(struct worker *w, const char *below)
{
	char name[DSFS_NAME_MAX + 1];
	size_t at = 0;
	int ret = 0;

	w->found.n = 0;
	while (!ret && only_next(w->s->src->o, below, &at, name))
		ret = add_found(w, name);
	return ret;
}

int scan_names(struct worker *w, struct dir *dir, int fd)
{
	const struct source *src = w->s->src;
	char *below = NULL;
	int ret;

	if (src->o->exclude.any_path || src->o->add.nonly) {
		below = tree_path(src->tree, dir, NULL, true);
		if (!below)
			return -ENOMEM;
	}
	ret = only_above(src->o, below) ? list_only(w, below) : list_names(w, fd, below);
	free(below);
	return ret;
}

/* Its attributes are to be those of the directory that is listed. */
static int look_again(struct worker *w, struct dir *dir, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!dir->parent || dir->self->source == file_check(&st))
		return 0;
	return stat_fill_again(w, dir, fd, &st);
}

static int run_list(struct worker *w, struct dir *dir, int fd)
{
	struct source *src = w->s->src;
	int ret = look_again(w, dir, fd) ?: scan_names(w, dir, fd);

	if (!ret)
		return make_nodes(w, dir, fd);
	ret = source_unreadable(src, dir, NULL, "cannot list", ret);
	if (!ret)
		leave_out(w, dir->self, 1);
	return ret;
}

static int run_task(struct worker *w, struct task *t)
{
	int fd = dirfd_get(&w->s->d->dirs, t->dir);
	int ret;

	if (fd < 0)
		return skip_task(w, t, "cannot open", fd);
	ret = t->count ? run_batch(w, t, fd) : run_list(w, t->dir, fd);
	dirfd_put(&w->s->d->dirs, t->dir);
	return ret;
}

/* Do what there is to do, until nobody has more; several do. */
static void work(struct work_task *task, void *own)
{
	struct worker *w = own;
	struct scan *s = w->s;
	struct task t;
	int ret;

	w->cwd = !unshare(CLONE_FS);
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->tasks.n && s->running && !s->err)
			pthread_cond_wait(&s->change, &s->lock);
		if (!s->tasks.n || s->err)
			break;
		t = ((struct task *)s->tasks.p)[--s->tasks.n];
		s->running++;
		pthread_mutex_unlock(&s->lock);
		ret = run_task(w, &t);
		pthread_mutex_lock(&s->lock);
		s->running--;
		if (ret && !s->err)
			s->err = ret;
	}
	pthread_cond_broadcast(&s->change);
	pthread_mutex_unlock(&s->lock);
}

/* What a worker made goes to the tree; the rest is freed. */
static void worker_end(void *own)
{
	struct worker *w = own;
	struct source *src = w->s->src;

	src->xattrs_ignored += w->xattr.list.left_out;
	arena_join(&src->tree->arena, &w->arena);
	xattr_reader_free(&w->xattr);
	array_free(&w->found);
	free(w->dents);
	free(w);
}

static void *worker_begin(void *scan)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s = scan;
	w->arena.overflow = w->s->src->tree->overflow;
	w->found.size = sizeof(struct found);
	w->dents = malloc(DENTS_BYTES);
	if (w->dents && !xattr_reader_init(&w->xattr))
		return w;
	worker_end(w);
	return NULL;
}

int scan_run(struct scan *s, int (*first)(struct worker *w), const struct work_pass *pass)
{
	struct work work = { .begin = worker_begin, .end = worker_end, .ctx = s,
			     .most = s->src->threads };
	struct worker *w = worker_begin(s);
	int ret = w ? first(w) : no_memory();

	if (w)
		worker_end(w);
	ret = ret ?: work_pass(&work, pass);
	progress_end(&s->progress);
	return ret;
}

/* Begin with the source itself. */
static int scan_root(struct worker *w)
{
	struct scan *s = w->s;
	struct tree *t = s->src->tree;
	const int fd = s->d->dirs.slots[0].fd;
	struct stat st;
	int ret = fstat(fd, &st) ? -errno : 0;

	if (!ret) {
		s->root_dev = st.st_dev;
		ret = stat_fill(w, t->root_dir, &t->root, fd, ".", &st);
	}
	t->root.size = 0;
	if (!ret)
		ret = push(s, t->root_dir, 0, 0);
	if (!ret)
		say_xattrs(w, t->root_dir, &t->root);
	else
		source_unreadable(s->src, t->root_dir, NULL,
				  w->xattr.why[0] ? w->xattr.why : "cannot read",
				  w->xattr.why[0] ? 0 : ret);
	return ret;
}

/* One a thread */
static bool next_worker(void *scan, struct work_task *task)
{
	struct scan *s = scan;

	return s->workers++ < s->src->threads;
}

int scan_tree(struct source *src)
{
	const struct work_pass pass = { .bytes = sizeof(struct work_task), .room = src->threads,
					.run = work, .next = next_worker };
	struct scan s = { .src = src, .d = (struct directory *)src,
			  .tasks.size = sizeof(struct task) };
	int ret;

	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.change, NULL);
	progress_start_count(&s.progress, "scanning", 0);
	ret = scan_run(&s, scan_root, &pass) ?: s.err;
	array_free(&s.tasks);
	pthread_cond_destroy(&s.change);
	pthread_mutex_destroy(&s.lock);
	if (!ret)
		patterns_unused(&src->o->exclude, "exclude");
	if (!ret && src->tree->gone && tree_prune(src->tree))
		ret = no_memory();
	return ret;
}
