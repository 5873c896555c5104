// SPDX-License-Identifier: GPL-2.0
/*
 * Directories: the order of their names, the inode of each name, and that each
 * inode number belongs to exactly one name.
 *
 * Numbers are breadth-first.  So the ranges of entries of all directories, in
 * the order of the numbers of the directories, follow each other without gaps.
 * As each range is above its directory, this also proves that everything is
 * reachable from the root and that there are no loops.
 */
#include "fsck.h"

/*
 * Hard-link entries: the inodes that they refer to, and how many each inode has.  Numbers are
 * kept of inodes that have one alone.
 */

static int link_cmp(const void *a, const void *b)
{
	const struct link_count *x = a, *y = b;

	return array_order(x->ino, y->ino);
}

static u32 hardlinks_of(const struct fsck *f, u32 ino)
{
	const struct link_count key = { .ino = ino }, *found = NULL;

	if (f->links.n)
		found = bsearch(&key, f->links.p, f->links.n, sizeof(key), link_cmp);
	return found ? found->more : 0;
}

static void check_hardlink(struct fsck *f, u32 ino, u32 target)
{
	const u64 pos = inode_pos(f, ino);
	struct dsfs_attr hardlink, attr;
	struct dsfs_err err;

	if (dsfs_inode_get(f->src, ino, &hardlink, &err) ||
	    dsfs_inode_get(f->src, target, &attr, &err))
		return;		/* reported with the inode */
	if (dsfs_attr_is_hardlink(&attr))
		problem(f, "hard-link entry that refers to another", ino, pos,
			"inode %u", target);
	else if ((attr.mode ^ hardlink.mode) & S_IFMT)
		problem(f, "type of a hard-link entry", ino, pos, "%#o, expected %#o",
			hardlink.mode & S_IFMT, attr.mode & S_IFMT);
	if (target >= ino)
		problem(f, "hard-link entry below its inode", ino, pos, "inode %u", target);
}

/* Count a hard-link entry for the inode that it refers to; they come in the order of these. */
static int count_hardlink(struct fsck *f, u32 target)
{
	const struct link_count links = { .ino = target, .more = 1 };
	struct link_count *at = f->links.p;
	const size_t n = f->links.n;

	if (!n || at[n - 1].ino != target)
		return array_append(&f->links, &links);
	at[n - 1].more++;
	return 0;
}

static int add_hardlink(void *arg, const struct ref *p)
{
	check_hardlink(arg, p->ino, p->pos);
	return count_hardlink(arg, p->pos);
}

int check_hardlinks(struct fsck *f)
{
	return refs_each(&f->hardlinks, f->src, add_hardlink, f);
}

/**
 * struct dirwalk - a directory that is checked
 * @pos: offset in the image of its record
 * @whole: it has an index, its names ascend, and all are found
 * @prev: the last name, for comparison
 * @block: name block that was looked at last
 */
struct dirwalk {
	struct dsfs_dir_info dir;
	struct dsfs_attr attr;
	u64 pos;
	u64 subdirs;
	bool whole;
	u32 block;
	u32 prev_len;
	char prev[DSFS_NAME_MAX];
};

static u64 block_pos(const struct fsck *f, const struct dsfs_dir_info *dir, u32 block)
{
	return meta_pos(f, DSFS_REGION_NAMES, dsfs_names_pos(dir, block));
}

static void check_nlink(struct fsck *f, const struct dsfs_attr *attr, u64 want)
{
	if (attr->nlink != want)
		problem(f, "number of links", attr->ino, inode_pos(f, attr->ino),
			"%u, found %llu", attr->nlink, want);
}

/* Check that the parent of a subdirectory is the directory that it is in. */
static void check_parent(struct fsck *f, const struct dsfs_attr *attr, u32 self)
{
	struct dsfs_dir_info dir;
	struct dsfs_err err;

	if (dsfs_dir_get(f->src, attr, &dir, &err))
		return;		/* reported with the inode */
	if (dir.parent != self)
		problem(f, "directory's parent", attr->ino, dir_pos(f, attr->start),
			"%u, expected %u", dir.parent, self);
}

/* Check the inode of a name. */
static void check_child(struct fsck *f, struct dirwalk *w, const struct dsfs_name *name,
			const struct dsfs_dir_iter *it)
{
	const u32 ino = w->dir.first + name->pos;
	const u64 pos = block_pos(f, &w->dir, it->block);
	const u64 place = dsfs_iter_place(it, name);
	struct dsfs_attr attr;
	struct dsfs_err err;
	u32 dt;

	if (name->type == DT_DIR)
		w->subdirs++;
	if (dsfs_inode_at(f->src, ino, place, &attr, &err))
		return;		/* reported with the inode */
	if (dsfs_attr_is_hardlink(&attr)) {
		if (name->type != DSFS_DT_HARDLINK)
			problem(f, "hard-link entry behind a name of another type", ino, pos,
				"type %u, expected %u", name->type, DSFS_DT_HARDLINK);
		return;
	}
	dt = dsfs_mode_to_dt(attr.mode);
	if (name->type != dt)
		problem(f, name->type == DSFS_DT_HARDLINK ?
			"name of a hard-link entry without one" :
			"type of a name against its inode", ino, pos,
			"type %u, expected %u", name->type, dt);
	if (S_ISDIR(attr.mode))
		check_parent(f, &attr, w->dir.self);
	else
		check_nlink(f, &attr, 1 + (u64)hardlinks_of(f, ino));
}

/* Bytes of a name block, with its rows */
static u64 block_bytes(const struct dsfs_dir_iter *it)
{
	const u64 pos = dsfs_names_pos(it->dir, it->block);
	const u64 avail = dsfs_names_avail(dsfs_source_geo(it->src), pos);
	const u64 bytes = dsfs_rows_bytes(it->names.raw, avail);

	/* Rows that break a rule were reported with the inodes. */
	return bytes ? bytes : it->names.end;
}

static struct frange block_range(const struct dsfs_dir_iter *it)
{
	return (struct frange){
		.pos = dsfs_names_pos(it->dir, it->block),
		.len = block_bytes(it), .ino = it->dir->self,
	};
}

/* The block is in memory, so that it is not read again for this; it is said when all are known. */
static void keep_gap(struct fsck *f, u64 from, u64 to)
{
	const struct names_gap gap = { from, to };

	if (!meta_is_zero(f, DSFS_REGION_NAMES, from, to) && array_append(&f->names_gaps, &gap))
		f->unordered = true;	/* so all are read again */
}

/* The number of the first name of a block has to lead to its row. */
static void check_number(struct fsck *f, const struct dsfs_dir_info *dir,
			 const struct dsfs_dir_iter *it)
{
	const u64 pos = dsfs_names_pos(dir, it->block);
	const u32 ino = dir->first + it->names.first;
	struct dsfs_err err = { 0 };
	u64 place;
	int ret = dsfs_row_find(f->src, ino, &place, &err);

	if (ret)
		problem_err(f, ino, meta_pos(f, DSFS_REGION_NAMES, pos), &err, ret);
	else if (place != dsfs_row_place(pos, 0))
		problem(f, "number of an inode leads to another row", ino,
			meta_pos(f, DSFS_REGION_NAMES, pos), "row at %llu of the names",
			dsfs_row_block(place));
}

static void check_block_start(struct fsck *f, struct dirwalk *w, const struct dsfs_dir_iter *it)
{
	const struct dsfs_names_info *n = &it->names;
	const struct frange r = block_range(it);
	struct dsfs_middle first;

	dsfs_names_middle(n, 0, &first);
	if (first.at != n->middles)
		problem(f, "gap in a name block", w->dir.self, block_pos(f, &w->dir, it->block),
			"first name at %u, expected %u", first.at, n->middles);
	w->block = it->block;
	check_number(f, &w->dir, it);
	if (r.pos < f->names_end)
		f->unordered = true;
	else if (!f->unordered)
		keep_gap(f, f->names_end, r.pos);
	f->names_end = r.pos + r.len;
}

static void check_order(struct fsck *f, struct dirwalk *w, const struct dsfs_name *name, u32 block)
{
	if (name->pos && dsfs_name_cmp(w->prev, w->prev_len, name->name, name->len) >= 0)
		problem(f, "order of names", w->dir.first + name->pos, block_pos(f, &w->dir, block),
			"a name is not above the one before it");
	memcpy(w->prev, name->name, name->len);
	w->prev_len = name->len;
}

/* Check all names of a directory. */
static void check_names(struct fsck *f, struct dirwalk *w)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	int ret = 0;

	w->block = U32_MAX;
	dsfs_dir_iter_init(&it, f->src, &w->dir, 0);
	while (!stop_asked()) {
		ret = dsfs_dir_iter_next(&it, &name, &err);
		if (ret < 0)
			problem_err(f, w->dir.self, block_pos(f, &w->dir, it.block), &err, ret);
		if (ret <= 0)
			break;
		if (it.block != w->block)
			check_block_start(f, w, &it);
		if (!w->whole)
			check_order(f, w, &name, it.block);
		check_child(f, w, &name, &it);
		if (w->dir.buckets && !w->whole)
			check_indexed(f, &w->dir, &name);
	}
	if (!stop_asked() && !ret &&
	    (it.block + 1 != w->dir.name_blocks ||
	     it.names.first + it.names.count != w->dir.count))
		problem(f, "name blocks behind the last name", w->dir.self,
			block_pos(f, &w->dir, it.block), "block %u of %u",
			it.block + 1, w->dir.name_blocks);
	/* without all names, the number of subdirectories is unknown */
	if (ret)
		w->subdirs = UINT64_MAX;
	dsfs_dir_iter_end(&it);
}

static void check_root(struct fsck *f, const struct dirwalk *w)
{
	if (w->dir.self == DSFS_ROOT_INO && w->dir.parent != DSFS_ROOT_INO)
		problem(f, "directory's parent", DSFS_ROOT_INO, w->pos,
			"%u, expected %u", w->dir.parent, DSFS_ROOT_INO);
}

/*
 * Check the names of a directory and its index, which is in memory for that, as names lie in it
 * in random order.
 */
static void check_entries(struct fsck *f, struct dirwalk *w)
{
	const u64 index = (u64)w->dir.buckets * sizeof(struct dsfs_bucket);

	const bool large = index > f->cache / 4;

	if (large)
		source_limit(f->src, index < CACHE_INDEX ? f->cache + index : CACHE_INDEX);
	w->whole = index && index_is_whole(f, &w->dir);
	check_names(f, w);
	if (index && !w->whole)
		check_index(f, &w->dir);
	if (large)
		source_limit(f->src, f->cache);
}

static void check_dir(struct fsck *f, struct dirwalk *w)
{
	w->subdirs = 0;
	w->pos = dir_pos(f, w->attr.start);
	check_root(f, w);
	if (w->dir.count)
		check_entries(f, w);
	if (!stop_asked() && w->subdirs != UINT64_MAX)
		check_nlink(f, &w->attr, 2 + w->subdirs);
}

/* Check that the entries of a directory begin at @next, where those of the last one ended. */
static void check_tiling(struct fsck *f, const struct dsfs_dir_info *dir, u64 *next)
{
	if (!dir->count)
		return;
	if (dir->first > *next)
		problem(f, "inodes in no directory", *next, inode_pos(f, *next),
			"numbers %llu to %u", *next, dir->first - 1);
	else if (dir->first < *next)
		problem(f, "inodes in two directories", dir->self, inode_pos(f, dir->first),
			"entries begin at number %u, expected %llu", dir->first, *next);
	*next = (u64)dir->first + dir->count;
}

/*
 * Check the entries of a directory.  Directories with common entries could make
 * a small image take days, so each entry is checked twice at most.
 */
static bool too_many(struct fsck *f, const struct dsfs_dir_info *dir, u64 entries)
{
	if (entries <= 2 * f->geo->inodes)
		return false;
	problem(f, "entries of all directories", dir->self, NO_POS,
		"%llu so far, and %llu inodes: the others are not checked",
		entries, f->geo->inodes - 1);
	f->incomplete = true;
	return true;
}

static bool get_dir(struct fsck *f, size_t i, struct dsfs_attr *attr, struct dsfs_dir_info *dir)
{
	const struct fdir *d = f->dirs.p;
	struct dsfs_err err;

	/* it was read before, so any error was reported */
	return !dsfs_inode_get(f->src, d[i].self, attr, &err) &&
	       !dsfs_dir_get(f->src, attr, dir, &err);
}

int check_dirs(struct fsck *f)
{
	const struct fdir *dirs = f->dirs.p;
	u64 entries = 0, next = DSFS_ROOT_INO + 1;
	struct dirwalk w;

	if (!f->dirs.n || dirs[0].self != DSFS_ROOT_INO)
		problem(f, "root", DSFS_ROOT_INO, inode_pos(f, DSFS_ROOT_INO),
			"it is no directory that can be read");
	pass_begin(f, "names", f->geo->inodes, false);
	for (; f->dirs_checked < f->dirs.n && !stop_asked(); f->dirs_checked++) {
		if (!get_dir(f, f->dirs_checked, &w.attr, &w.dir))
			continue;
		check_tiling(f, &w.dir, &next);
		entries += w.dir.count;
		if (too_many(f, &w.dir, entries))
			break;
		check_dir(f, &w);
		pass_add(f, 1 + w.dir.count);
	}
	pass_end(f);
	if (!stop_asked() && next < f->geo->inodes)
		problem(f, "inodes in no directory", next, inode_pos(f, next),
			"numbers %llu to %llu", next, f->geo->inodes - 1);
	return 0;
}

/* The name blocks of a directory; @all: something is wrong, so read each name to see how far */
static int dir_blocks(struct fsck *f, const struct dsfs_dir_info *dir, bool all, block_fn *fn,
		      void *arg)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct frange block;
	struct dsfs_err err;
	u32 last = U32_MAX;
	int ret = 0;

	dsfs_dir_iter_init(&it, f->src, dir, 0);
	while (!ret && !stop_asked() && dsfs_dir_iter_next(&it, &name, &err) > 0) {
		if (it.block != last) {
			block = block_range(&it);
			ret = fn(arg, &block);
		}
		last = it.block;
		if (!all)
			it.pos = it.names.first + it.names.count;
	}
	dsfs_dir_iter_end(&it);
	return ret;
}

int each_block(struct fsck *f, block_fn *fn, void *arg)
{
	struct dsfs_dir_info dir;
	struct dsfs_attr attr;
	int ret = 0;

	for (size_t i = 0; !ret && i < f->dirs_checked && !stop_asked(); i++)
		if (get_dir(f, i, &attr, &dir) && dir.count)
			ret = dir_blocks(f, &dir, f->incomplete, fn, arg);
	return ret;
}
