// SPDX-License-Identifier: GPL-2.0
/*
 * Archives that stay as they are: --tar-index.  Members of a tar are contiguous and
 * begin at a multiple of 512, so their inodes can refer to them where they are.
 * Archives are copied to the target as a whole, or they lie there already, one after the
 * other; either way they are read where the image has them, so that names, places and
 * checksums are those of the bytes that readers get.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "msg.h"
#include "tar.h"

#define RECORD_BYTES	10240		/* an archive is padded to, by tar(1) and Python */
#define GAP_MAX		(16 << 20)	/* zeros between archives, without --tar-bytes */
#define SCAN_BYTES	65536

/**
 * struct placed_tar - an archive in the target
 * @name: of its file
 * @pos: where it begins
 * @bytes: of it; 0: it shows itself where it ends
 * @st: of the file that it was copied from; NULL: none
 */
struct placed_tar {
	const char *name;
	u64 pos;
	u64 bytes;
	const struct stat *st;
};

static struct source_placed *placed_of(const struct tar *t)
{
	return (struct source_placed *)t->src.sink;
}

static int cannot_read(const struct tar *t, u64 pos, int err)
{
	msg_error(t->src.o->image, "cannot read at byte %llu: %s", (unsigned long long)pos,
		  err ? strerror(err) : "end of file");
	return err ? -err : -EIO;
}

static int read_target(const struct tar *t, char *p, size_t bytes, u64 pos)
{
	while (bytes) {
		ssize_t n = pread(placed_of(t)->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return cannot_read(t, pos, n ? errno : 0);
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

/* Move @pos to the block of the first byte that is not zero, or to @end. */
static int skip_zeros(const struct tar *t, u64 *pos, u64 end)
{
	char buf[SCAN_BYTES];
	int ret = 0;
	size_t n, i;

	for (; !ret && *pos < end; *pos += n) {
		n = end - *pos < sizeof(buf) ? end - *pos : sizeof(buf);
		ret = read_target(t, buf, n, *pos);
		for (i = 0; !ret && i < n; i++) {
			if (buf[i]) {
				*pos += i - i % TAR_BLOCK;
				return 0;
			}
		}
	}
	return ret;
}

/* The zeros behind its end that belong to an archive: up to the end of a record. */
static int skip_rest(struct tar *t, const struct placed_tar *a)
{
	const u64 from = a->pos + t->bytes.taken, end = placed_of(t)->end;
	u64 records = (t->bytes.taken + TAR_BLOCK + RECORD_BYTES - 1) / RECORD_BYTES;
	u64 to = a->pos + records * RECORD_BYTES, pos = from, other = 0;
	int ret = 0;

	if (a->bytes)
		pos = a->pos + a->bytes;
	else
		ret = skip_zeros(t, &pos, to < end ? to : end);
	if (!ret)
		ret = tar_bytes_fail(t, tar_bytes_rest(&t->bytes, pos - from, &other));
	tar_note_behind(t, other);
	return ret;
}

/* The archive as a file, of the bytes that were taken. */
static int put_archive(struct tar *t, const struct placed_tar *a)
{
	struct source_placed *p = placed_of(t);
	char *name = strdup(a->name);
	struct tar_file *f;
	int ret = name ? 0 : tar_no_memory();

	t->m = (struct tar_member){ .path = name, .map = t->m.map, .xattrs = t->m.xattrs,
				    .mode = S_IFREG | 0644, .real_size = t->bytes.taken };
	t->m.xattrs.n = 0;
	if (a->st) {
		t->m.mode = a->st->st_mode;
		t->m.uid = a->st->st_uid;
		t->m.gid = a->st->st_gid;
		t->m.mtime = nsec_of(&a->st->st_mtim);
	}
	t->last_dir = NULL;
	t->base = ret ? NULL : tar_dir_make(t, TAR_SHARDS);
	f = t->base ? tar_put_file(t) : NULL;
	if (f) {
		f->file.node.u.start = a->pos;
		ret = p->archive(p, &f->file);
	} else if (!ret) {
		ret = -EINVAL;
	}
	if (ret == -ENOMEM && f)
		tar_no_memory();
	t->m.path = NULL;
	free(name);
	return ret;
}

/* Read an archive; @base: the directory of its samples */
static int read_placed(struct tar *t, const char *label, struct tar_name *base, u64 end,
		       const struct placed_tar *a)
{
	struct source_placed *p = placed_of(t);
	int ret = tar_bytes_part(&t->bytes, label, p->fd, a->pos, end);

	if (ret)
		msg_error(label, "%s", t->bytes.why);
	t->bytes.watch = p->watch;
	t->bytes.watcher = p;
	t->place = a->pos;
	t->last_dir = NULL;
	t->global.len = 0;
	t->base = base;
	if (!ret)
		ret = tar_members(t);
	if (!ret)
		ret = skip_rest(t, a);
	if (!ret)
		ret = put_archive(t, a);
	return ret;
}

/* The directory of the archives that the target has; NULL: none. */
static const struct dir *shards_before(const struct tar *t)
{
	const struct dir *root = placed_of(t)->before;
	const struct node *n = root ? dir_find(root, TAR_SHARDS, strlen(TAR_SHARDS)) : NULL;

	return n && S_ISDIR(n->mode) ? n->u.dir : NULL;
}

/* A name that two archives have would be one file, and the other one lost. */
static int check_name(struct tar *t, const char *name)
{
	struct tar_name *shards = tar_dir_make(t, TAR_SHARDS);
	const struct dir *before = shards_before(t);

	if (!shards)
		return -EINVAL;
	if (tar_dir_has(t, shards, name) || (before && dir_find(before, name, strlen(name))))
		return tar_fail(t, "--tar-index: another archive is named %s, too",
				tar_shown(t, name));
	if (placed_of(t)->before && !before)
		return tar_fail(t, "--tar-index: the image has no directory %s", TAR_SHARDS);
	return 0;
}

/* So would be the members of two archives that have one directory. */
static int check_base(struct tar *t, const struct tar_name *base)
{
	const char *name = base->name + 1;

	if (!strcmp(name, TAR_SHARDS))
		return tar_fail(t, "--tar-index: the directory %s is that of the archives",
				TAR_SHARDS);
	if (shards_before(t) && dir_find(placed_of(t)->before, name, strlen(name)))
		return tar_fail(t, "--tar-index: the image has a directory %s already",
				tar_shown(t, name));
	return 0;
}

static int copy_archive(struct tar *t, int fd, const struct tar_watch *watch, const char *path,
			struct placed_tar *a)
{
	struct source_placed *p = placed_of(t);
	int ret = p->copy(p, fd, path, a->bytes, &a->pos);

	if (!ret)
		ret = tar_watch_end(t, watch, path);
	if (ret)
		return ret;
	return read_placed(t, path, t->base, a->pos + a->bytes, a);
}

static int check_file(struct tar *t, const char *path, int fd, struct stat *st)
{
	char magic[TAR_MAGIC_BYTES];
	ssize_t n;

	if (fstat(fd, st)) {
		msg_error(path, "cannot open: %s", strerror(errno));
		return -EIO;
	}
	if (!S_ISREG(st->st_mode))
		return tar_fail(t, "--tar-index: is not a regular file");
	if (st->st_dev == t->src.image_dev && st->st_ino == t->src.image_ino)
		return tar_fail(t, "is the image itself");
	n = pread(fd, magic, sizeof(magic), 0);
	if (n > 0 && tar_is_compressed(magic, n))
		return tar_fail(t, "is compressed: --tar-index uses archives as they are");
	return st->st_size ? 0 : tar_fail(t, "not a tar archive: has less than a block");
}

/* An archive that is to be copied. */
static int put_copy(struct tar *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct placed_tar a = { .name = slash ? slash + 1 : path };
	struct tar_watch watch;
	struct stat st = { 0 };
	int ret, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		msg_error(path, "cannot open: %s", strerror(errno));
		return -EIO;
	}
	t->bytes = (struct tar_bytes){ .path = path, .fd = -1 };
	ret = tar_watch(&watch, fd);
	if (ret)
		tar_fail(t, "cannot read attributes: %s", msg_why(-ret));
	else
		ret = check_file(t, path, fd, &st);
	a.st = &st;
	a.bytes = st.st_size;
	if (!ret)
		ret = tar_note_begin(t);
	if (!ret)
		ret = check_name(t, a.name);
	if (!ret)
		ret = tar_shard_base(t, path);
	if (!ret)
		ret = check_base(t, t->base);
	if (!ret)
		ret = copy_archive(t, fd, &watch, path, &a);
	tar_bytes_close(&t->bytes);
	close(fd);
	return ret;
}

/* What is neither zeros nor an archive: the end, or damage.  0 or -errno, said. */
static int check_other(const struct tar *t, u64 pos, bool first)
{
	const struct options *o = t->src.o;

	if (first || o->tar_bytes) {
		msg_error(o->image, "at byte %llu: no header of a tar archive",
			  (unsigned long long)pos);
		return -EINVAL;
	}
	if (o->force)
		return 0;
	msg_error(o->image,
		  "at byte %llu: neither zeros nor a tar archive: use --tar-bytes to say where the archives end, or -f to overwrite it",
		  (unsigned long long)pos);
	return -EEXIST;
}

/* The next archive from @pos on: 1; 0: there is none; -errno, said. */
static int find_archive(const struct tar *t, u64 *pos, bool first)
{
	const u64 all = placed_of(t)->end;
	u64 end = all;
	char block[TAR_BLOCK] = "";
	int ret;

	if (!t->src.o->tar_bytes && end > *pos + GAP_MAX)
		end = *pos + GAP_MAX;
	ret = skip_zeros(t, pos, end);
	if (ret || *pos >= end)
		return ret;
	ret = read_target(t, block, all - *pos < TAR_BLOCK ? all - *pos : TAR_BLOCK, *pos);
	if (ret)
		return ret;
	return tar_is_header(block) ? 1 : check_other(t, *pos, first);
}

/* An archive that lies in the target. */
static int put_there(struct tar *t, unsigned int number, u64 *pos)
{
	struct placed_tar a = { .pos = *pos };
	char label[PATH_MAX + 64], dir[16], name[24];
	struct tar_name *base;
	int ret = -EINVAL;

	snprintf(label, sizeof(label), "%s: archive at byte %llu", t->src.o->image,
		 (unsigned long long)*pos);
	snprintf(dir, sizeof(dir), "%06u", number);
	snprintf(name, sizeof(name), "%s.tar", dir);
	a.name = name;
	t->bytes = (struct tar_bytes){ .path = label, .fd = -1 };
	base = tar_dir_make(t, dir);
	if (base)
		ret = check_name(t, name);
	if (!ret)
		ret = check_base(t, base);
	if (!ret)
		ret = read_placed(t, label, base, placed_of(t)->end, &a);
	*pos += t->bytes.taken;
	tar_bytes_close(&t->bytes);
	return ret;
}

static int list_there(struct tar *t)
{
	const struct source_placed *p = placed_of(t);
	const struct dir *before = shards_before(t);
	const unsigned int first = before ? before->count : 0;
	unsigned int n = first;
	struct tar_watch watch;
	u64 pos = p->from;
	int ret = tar_watch(&watch, p->fd);

	if (ret)
		return cannot_read(t, pos, -ret);
	do {
		ret = find_archive(t, &pos, n == first);
		if (ret == 1)
			ret = put_there(t, n++, &pos) ?: 1;
	} while (ret > 0);
	/* from here on the image is written */
	if (!ret)
		ret = tar_watched(&watch, t->src.o->image);
	if (ret || n > first)
		return ret;
	msg_error(t->src.o->image, "no tar archive from byte %llu on",
		  (unsigned long long)p->from);
	return -EINVAL;
}

int tar_place(struct tar *t)
{
	const struct options *o = t->src.o;
	int ret = 0;

	if (options_in_place(o))
		return list_there(t);
	for (unsigned int i = 0; !ret && i < o->ntars; i++)
		ret = put_copy(t, o->tars[i]);
	return ret;
}
