// SPDX-License-Identifier: GPL-2.0
/*
 * A check, after all contents have been read, that a directory tree is still what was
 * listed.  A file's content is checked right after its last byte has been read.  Later
 * changes of it, and changes of what has no content, are found here: a name that was added
 * or removed, a symlink with another target, another mode.  With such a change the image
 * would be of a tree that never existed.
 *
 * One statx() a name is enough: the listing stored file_check() in each node, a hash of the
 * file's identity, type, mode, size and time of its last change of any kind.  A directory
 * that differs is listed again, to print the names that are new.
 */
#include <unistd.h>

#include "../file.h"
#include "directory.h"

#define BATCH		256	/* nodes */
#define ROOM		64	/* batches */

/**
 * struct recheck - the phase
 * @scan: of the scan's, what its workers need
 * @dir: number of the directory whose nodes from @from on come next
 */
struct recheck {
	struct scan scan;
	u64 dir;
	u32 from;
};

/* Nodes to look at */
struct names_batch {
	struct work_task work;
	struct task nodes;
};

/* Report a change.  A directory is reported once, though its parent's check finds it, too. */
static void changed(struct worker *w, struct dir *dir, const struct node *n,
		    const char *why, int err)
{
	struct dir *self = !n ? dir : S_ISDIR(n->mode) ? n->u.dir : NULL;
	char *path;

	if (self && __atomic_exchange_n(&self->told, true, __ATOMIC_RELAXED))
		return;
	path = tree_path(w->s->src->tree, dir, n, false);
	source_changed(w->s->src, path, why, err);
	free(path);
}

/* Report a name that was not listed. */
static void new_name(struct worker *w, const struct dir *dir, const char *name)
{
	char *path = tree_path(w->s->src->tree, dir, NULL, false), *whole;

	if (asprintf(&whole, "%s/%s", path ? path : "", name) < 0)
		whole = NULL;
	source_changed(w->s->src, whole, "appeared during the run", 0);
	free(whole);
	free(path);
}

static bool is_image(const struct worker *w, int fd, const char *name)
{
	struct stat st;

	return !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && source_is_image(w->s->src, &st);
}

/**
 * struct names - the result of a second listing
 * @more: names that the tree has not, the image itself not counted
 * @image: the image is one of them
 */
struct names {
	u32 more;
	bool image;
};

static int look_at_names(struct worker *w, struct dir *dir, struct names *names)
{
	int fd = dirfd_get(&w->s->d->dirs, dir), ret;
	struct found *f;

	*names = (struct names){ 0 };
	if (fd < 0)
		return fd;
	ret = scan_names(w, dir, fd);
	f = (struct found *)w->found.p;
	for (size_t i = 0; !ret && i < w->found.n; i++) {
		const char *name = f[i].name + 1;

		if (dir_find(dir, name, strlen(name)))
			continue;
		if (is_image(w, fd, name)) {
			names->image = true;
			continue;
		}
		names->more++;
		/* the names that were left out are not known any more */
		if (!dir->left_out)
			new_name(w, dir, name);
	}
	dirfd_put(&w->s->d->dirs, dir);
	return ret;
}

static bool same_attrs(const struct worker *w, const struct node *n, const struct stat *st)
{
	const struct source *src = w->s->src;
	const struct owner *o = owners_at(&src->tree->owners, n->owner);
	/* an ACL that was left out may have taken permissions */
	const u32 mode = src->xattrs_ignored ? st->st_mode & (n->mode | ~0777) : st->st_mode;

	return n->mode == mode &&
	       (src->o->all_root || (o->uid == st->st_uid && o->gid == st->st_gid));
}

/* Of a directory above what is packed nothing is in the image. */
static bool is_above(const struct worker *w, const struct dir *dir)
{
	const struct source *src = w->s->src;
	char *below = src->o->add.nonly ? tree_path(src->tree, dir, NULL, true) : NULL;
	const bool above = below && only_above(src->o, below);

	free(below);
	return above;
}

/*
 * Check a directory whose attributes differ.  The name that was added to it may be one that
 * the image does not have: one that --exclude leaves out, or the image's own.
 */
static void check_dir(struct worker *w, struct dir *dir, const struct stat *st)
{
	const struct options *o = w->s->src->o;
	const struct node *n = dir->self;
	struct names names = { 0 };
	int ret = 0;

	if (is_above(w, dir))
		return;
	/* directories that -x does not enter were not listed */
	if (!o->one_fs || st->st_dev == w->s->root_dev)
		ret = look_at_names(w, dir, &names);
	if (ret) {
		changed(w, dir, NULL, "cannot list", ret);
		return;
	}
	if (names.more && !dir->left_out)
		return;			/* new_name() has reported them */
	if (names.more > dir->left_out || !same_attrs(w, n, st) || !(o->exclude.n || names.image))
		changed(w, dir, NULL, "changed during the run", 0);
}

static void check_node(struct worker *w, struct dir *dir, const struct node *n, int fd)
{
	struct stat st;
	int ret = file_stat(fd, node_name(n), AT_SYMLINK_NOFOLLOW, &st);

	if (ret == -ENOENT)
		changed(w, dir, n, "vanished during the run", 0);
	else if (ret)
		changed(w, dir, n, "cannot read attributes", ret);
	else if (file_same(n->source, &st, fd, node_name(n), AT_SYMLINK_NOFOLLOW))
		return;
	else if ((st.st_mode ^ n->mode) & S_IFMT)
		changed(w, dir, n, "was replaced during the run", 0);
	else if (S_ISDIR(n->mode))
		check_dir(w, n->u.dir, &st);
	else
		changed(w, dir, n, "changed during the run", 0);
}

static void check_batch(struct work_task *task, void *own)
{
	const struct task *t = &((struct names_batch *)task)->nodes;
	struct worker *w = own;
	int fd = dirfd_get(&w->s->d->dirs, t->dir);

	if (fd < 0) {
		changed(w, t->dir, NULL, "cannot open", fd);
		return;
	}
	for (u32 i = t->from; i < t->from + t->count; i++) {
		/* what is not packed any more may be anything */
		if (!(t->dir->nodes[i].flags & NODE_GONE))
			check_node(w, t->dir, &t->dir->nodes[i], fd);
	}
	dirfd_put(&w->s->d->dirs, t->dir);
	progress_add(&w->s->progress, t->count);
}

static bool next_batch(void *scan, struct work_task *task)
{
	struct recheck *rc = scan;
	const struct tree *tree = rc->scan.src->tree;
	struct task *t = &((struct names_batch *)task)->nodes;

	while (rc->dir < tree->ndirs && rc->from == tree->dirs[rc->dir]->count) {
		tree_pass(tree, tree->dirs[rc->dir++]);
		rc->from = 0;
	}
	if (rc->dir == tree->ndirs)
		return false;
	t->dir = tree->dirs[rc->dir];
	t->from = rc->from;
	t->count = t->dir->count - rc->from < BATCH ? t->dir->count - rc->from : BATCH;
	rc->from += t->count;
	return true;
}

static int check_root(struct worker *w)
{
	struct scan *s = w->s;
	struct dir *root = s->src->tree->root_dir;
	struct stat st;
	int ret = file_stat(s->d->dirs.slots[0].fd, "", AT_EMPTY_PATH, &st);

	if (ret) {
		changed(w, root, NULL, "cannot read attributes", ret);
		return 0;
	}
	s->root_dev = st.st_dev;
	if (!file_same(root->self->source, &st, s->d->dirs.slots[0].fd, "", AT_EMPTY_PATH))
		check_dir(w, root, &st);
	return 0;
}

int directory_recheck(struct source *src)
{
	static const struct work_pass pass = { .bytes = sizeof(struct names_batch), .room = ROOM,
					       .run = check_batch, .next = next_batch };
	struct recheck rc = { .scan = { .src = src, .d = (struct directory *)src } };

	progress_start_count(&rc.scan.progress, "checking the source", src->tree->inodes);
	return scan_run(&rc.scan, check_root, &pass);
}
