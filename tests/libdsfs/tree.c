// SPDX-License-Identifier: GPL-2.0
/*
 * Compares what libdsfs reads from an image with system calls on the tree that the image
 * was made of.
 */
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "test.h"

#define RANGES	40

/**
 * struct compare - a comparison
 * @raw: the bytes of the image
 */
struct compare {
	struct dsfs_image *image;
	struct bytes raw;
	u64 objects;
	u64 files;
	u64 holes;
	u64 links;
	u64 xattrs;
};

static bool differs(const char *path, const char *what)
{
	tap_note("%s: %s", path, what);
	return false;
}

static bool same_stat(const char *path, const struct stat *want, const struct dsfs_stat *st)
{
	const bool dir = S_ISDIR(want->st_mode);

	if (st->mode != want->st_mode)
		return differs(path, "mode");
	if (st->uid != want->st_uid || st->gid != want->st_gid)
		return differs(path, "owner");
	if (!dir && (st->nlink != want->st_nlink || st->size != (u64)want->st_size))
		return differs(path, "links or size");
	if (dir && st->size)
		return differs(path, "size of a directory");
	if (st->mtime_sec != want->st_mtim.tv_sec ||
	    st->mtime_nsec != (u32)want->st_mtim.tv_nsec)
		return differs(path, "mtime");
	if ((S_ISCHR(st->mode) || S_ISBLK(st->mode)) &&
	    makedev(st->rdev_major, st->rdev_minor) != want->st_rdev)
		return differs(path, "device");
	return true;
}

static bool same_link(struct compare *c, const char *path, uint64_t ino)
{
	char want[4097], have[DSFS_SYMLINK_MAX + 1];
	ssize_t len = readlink(path, want, sizeof(want) - 1);

	c->links++;
	if (len < 0 || dsfs_readlink(c->image, ino, have, sizeof(have), NULL) != len)
		return differs(path, "length of the target");
	want[len] = '\0';
	if (strcmp(want, have))
		return differs(path, "target");
	if (dsfs_readlink(c->image, ino, have, len, NULL) != -ERANGE)
		return differs(path, "room of one byte less");
	return true;
}

static bool same_xattrs(struct compare *c, const char *path, uint64_t ino)
{
	static char names[65536], want[65536], have[65536];
	ssize_t len = llistxattr(path, names, sizeof(names)), n;
	const char *name;

	if (len < 0)
		len = 0;
	if (dsfs_listxattr(c->image, ino, NULL, 0, NULL) != len)
		return differs(path, "length of the xattrs' names");
	for (name = names; name < names + len; name += strlen(name) + 1, c->xattrs++) {
		n = lgetxattr(path, name, want, sizeof(want));
		if (dsfs_getxattr(c->image, ino, name, NULL, 0, NULL) != n ||
		    dsfs_getxattr(c->image, ino, name, have, n, NULL) != n)
			return differs(path, name);
		if (memcmp(want, have, n))
			return differs(path, "value of an xattr");
		if (n > 1 && dsfs_getxattr(c->image, ino, name, have, n - 1, NULL) != -ERANGE)
			return differs(path, "room for an xattr of one byte less");
	}
	return true;
}

static bool same_range(const char *path, const struct dsfs_file *file,
		       const struct bytes *want, u64 pos, size_t len)
{
	const size_t in = pos < want->size ? want->size - pos < len ? want->size - pos : len : 0;
	u8 *buf = malloc(len + 1);
	bool same;

	buf[len] = 0x5a;
	same = dsfs_pread(file, buf, len, pos, NULL) == (ssize_t)in &&
	       !memcmp(buf, want->p + (in ? pos : 0), in) && buf[len] == 0x5a;
	free(buf);
	if (!same)
		tap_note("%zu bytes at %llu", len, pos);
	return same || differs(path, "contents");
}

/* Extents are in order, within the file, and lead to its bytes in the image. */
static bool same_extents(struct compare *c, const char *path, const struct dsfs_file *file,
			 const struct bytes *want, u64 stored)
{
	size_t count, i;
	const struct dsfs_extent *e = dsfs_file_extents(file, &count);
	u64 sum = 0, at = 0;

	for (i = 0; i < count; at = e[i].logical + e[i].length, sum += e[i].length, i++) {
		if (e[i].logical < at || e[i].logical + e[i].length > want->size)
			return differs(path, "place of an extent");
		if (memcmp(c->raw.p + e[i].physical, want->p + e[i].logical, e[i].length))
			return differs(path, "bytes of an extent");
	}
	c->holes += sum < want->size;
	return sum == stored || differs(path, "stored bytes");
}

static bool same_file(struct compare *c, const char *path, const struct dsfs_stat *st,
		      unsigned int flags)
{
	struct bytes want = read_bytes(path);
	struct dsfs_file *file;
	bool same;
	int i;

	c->files++;
	if (dsfs_file_open(c->image, st->ino, flags, &file, NULL))
		return differs(path, "cannot be opened");
	same = dsfs_file_size(file) == want.size && !dsfs_file_verify(file, NULL) &&
	       same_extents(c, path, file, &want, st->stored) &&
	       same_range(path, file, &want, 0, want.size) &&
	       same_range(path, file, &want, 0, want.size + 4096) &&
	       same_range(path, file, &want, want.size, 1) &&
	       same_range(path, file, &want, want.size + 1, 1) &&
	       same_range(path, file, &want, UINT64_MAX, 10);
	for (i = 0; same && i < RANGES; i++)
		same = same_range(path, file, &want, random() % (want.size + 1),
				  random() % (i % 4 ? 5000 : want.size + 2));
	dsfs_file_close(file);
	free(want.p);
	return same;
}

static bool same_object(struct compare *c, const char *path, uint64_t ino, uint8_t type);

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *e)
{
	return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

/* Each name by lookup, and by a stream that was put there. */
static bool same_entry(struct compare *c, const char *path, uint64_t dir,
		       struct dsfs_dirstream *other, const struct dsfs_dirent *e,
		       uint64_t from)
{
	struct dsfs_dirent again;
	struct dsfs_stat st;

	dsfs_seekdir(other, from);
	if (dsfs_readdir(other, &again, NULL) != 1 || again.ino != e->ino ||
	    again.next != e->next || again.type != e->type || strcmp(again.name, e->name))
		return differs(path, "position of a name");
	if (dsfs_lookup(c->image, dir, e->name, e->name_len, &st, NULL) || st.ino != e->ino)
		return differs(path, "lookup of a name");
	return true;
}

static bool same_dir(struct compare *c, const char *path, uint64_t ino)
{
	struct dsfs_dirstream *stream, *other;
	struct dirent **list;
	struct dsfs_dirent e;
	char below[8192];
	uint64_t from = 0;
	bool same = true;
	int n = scandir(path, &list, no_dots, by_bytes), i;

	if (dsfs_opendir(c->image, ino, &stream, NULL) ||
	    dsfs_opendir(c->image, ino, &other, NULL))
		return differs(path, "cannot be opened");
	for (i = 0; i < n; i++) {
		if (same && (dsfs_readdir(stream, &e, NULL) != 1 ||
			     strlen(e.name) != e.name_len || strcmp(e.name, list[i]->d_name)))
			same = differs(path, "names");
		snprintf(below, sizeof(below), "%s/%s", path, list[i]->d_name);
		same = same && same_entry(c, path, ino, other, &e, from) &&
		       same_object(c, below, e.ino, e.type);
		from = e.next;
		free(list[i]);
	}
	if (same && dsfs_readdir(stream, &e, NULL))
		same = differs(path, "one name too many");
	dsfs_closedir(stream);
	dsfs_closedir(other);
	free(list);
	return same;
}

static bool same_object(struct compare *c, const char *path, uint64_t ino, uint8_t type)
{
	struct dsfs_stat st;
	struct stat want;

	c->objects++;
	if (lstat(path, &want) || dsfs_stat(c->image, ino, &st, NULL))
		return differs(path, "stat");
	if (type != IFTODT(want.st_mode) || st.ino != ino)
		return differs(path, "type or number");
	if (!same_stat(path, &want, &st) || !same_xattrs(c, path, ino))
		return false;
	if (S_ISDIR(want.st_mode))
		return same_dir(c, path, ino);
	if (S_ISLNK(want.st_mode))
		return same_link(c, path, ino);
	if (S_ISREG(want.st_mode))
		return same_file(c, path, &st, 0) && same_file(c, path, &st, DSFS_UNCHECKED);
	return true;
}

void test_tree(const char *path, const char *tree)
{
	struct compare c = { .image = must_open(path), .raw = read_bytes(path) };

	OK(same_object(&c, tree, DSFS_ROOT_INO, DT_DIR), "tree: all is as in the source");
	OK(c.objects > 500 && c.holes && c.links && c.xattrs,
	   "tree: %llu objects, files with holes, links and xattrs among them", c.objects);
	OK(!dsfs_verify(c.image, DSFS_VERIFY_DATA, NULL), "tree: verified");
	dsfs_close(c.image);
	free(c.raw.p);
}
