// SPDX-License-Identifier: GPL-2.0
/*
 * Archives that stay as they are: --tar-index.  Members of a tar are contiguous and
 * begin at a multiple of 512, so their inodes can refer to them where they are.
 * Archives are read where the image has them, so that names, places and checksums are
 * those of the bytes that readers get.
 */
#include <fcntl.h>
#include <unistd.h>

#include "nsec.h"
#include "../file.h"
#include "format.h"
#include "tar.h"

#define RECORD_BYTES	10240		/* an archive is padded to, by tar(1) and Python */
#define GAP_MAX		(16 << 20)	/* zeros between archives, without --tar-index=SIZE */

static int cannot_read(const struct tar *t, u64 pos, const char *why)
{
	return msg_fail(-EIO, t->src.o->image, "cannot read at byte %llu: %s", pos, why);
}

/* Move @pos to the block of the first byte that is not zero, or to @end. */
static int skip_zeros(const struct tar *t, u64 *pos, u64 end)
{
	struct tar_bytes b;
	u64 other = 0;
	int ret = tar_bytes_part(&b, t->src.o->image, t->src.index.fd, *pos, end);

	b.taken = TAR_BLOCK;	/* the first byte is not at 0, which says that there is none */
	if (!ret)
		ret = tar_bytes_drain(&b, &other);
	if (ret)
		ret = cannot_read(t, *pos, b.why);
	*pos = other ? *pos + other - other % TAR_BLOCK - TAR_BLOCK : end;
	tar_bytes_close(&b);
	return ret;
}

/* The zeros behind its end that belong to an archive: up to the end of a record. */
static int skip_rest(struct tar *t, const struct source_archive *a, u64 end)
{
	const u64 from = a->pos + t->bytes.taken;
	u64 records = (t->bytes.taken + TAR_BLOCK + RECORD_BYTES - 1) / RECORD_BYTES;
	u64 to = a->pos + records * RECORD_BYTES, pos = from, other = 0;
	int ret = 0;

	if (a->bytes)
		pos = a->pos + a->bytes;
	else if (pos < end)
		ret = skip_zeros(t, &pos, to < end ? to : end);
	if (!ret)
		ret = tar_bytes_fail(t, tar_bytes_skip(&t->bytes, pos - from, &other));
	tar_note_behind(t, other);
	return ret;
}

/* The archive as a file, of the bytes that were taken. */
static int put_archive(struct tar *t, const char *name, const struct source_archive *a)
{
	struct source_sink *sink = t->src.sink;
	struct tar_file *f = NULL;
	int ret = -EINVAL;

	t->m = (struct tar_member){ .path = name, .map = t->m.map, .attrs = t->m.attrs,
				    .mode = S_IFREG | 0644, .real_size = t->bytes.taken };
	t->m.attrs.n = 0;
	if (a->path) {
		t->m.own = a->path;
		t->m.mode = a->st.st_mode;
		t->m.uid = a->st.st_uid;
		t->m.gid = a->st.st_gid;
		t->m.mtime = nsec_of(&a->st.st_mtim);
	}
	t->base = tar_dir_make(t, TAR_SHARDS);
	if (t->base)
		f = tar_put_file(t);
	if (f) {
		f->file.node.u.start = a->pos;
		ret = sink->archive(sink, &f->file);
	}
	t->m.path = NULL;
	return ret == -ENOMEM ? no_memory() : ret;
}

static void pass_raw(void *sink, const char *p, size_t n)
{
	((struct source_sink *)sink)->raw(sink, p, n);
}

/*
 * Read an archive up to @end at most.  @label: for messages; @name: of its file; @base: the
 * directory of its members
 */
static int read_archive(struct tar *t, const char *label, const char *name,
			struct grow_dir *base, u64 end, const struct source_archive *a)
{
	int ret = tar_bytes_part(&t->bytes, label, t->src.index.fd, a->pos, end);

	if (ret)
		msg_error(label, "%s", t->bytes.why);
	t->bytes.watch = pass_raw;
	t->bytes.watcher = t->src.sink;
	t->place = a->pos;
	t->whole = a->bytes;
	t->global.len = 0;
	t->base = base;
	return ret ?: tar_members(t) ?: skip_rest(t, a, end) ?: put_archive(t, name, a);
}

/* The directory of the archives that the image has already; NULL: none. */
static const struct dir *shards_before(const struct tar *t)
{
	const struct dir *root = t->src.index.before;
	const struct node *n = root ? dir_find(root, TAR_SHARDS, strlen(TAR_SHARDS)) : NULL;

	return n && S_ISDIR(n->mode) ? n->u.dir : NULL;
}

/* A name that two archives have would be one file, and the other one lost. */
static int check_name(struct tar *t, const char *name)
{
	const struct dir *before = shards_before(t);

	t->shards = tar_dir_make(t, TAR_SHARDS);
	if (!t->shards)
		return -EINVAL;
	if (tar_find(t, t->shards, name) || (before && dir_find(before, name, strlen(name))))
		return tar_fail(t, "--tar-index: another archive is named %s, too",
				tar_shown(t, name));
	if (t->src.index.before && !before)
		return tar_fail(t, "--tar-index: the image has no directory %s", TAR_SHARDS);
	return 0;
}

/* So would be the members of two archives that have one directory. */
static int check_base(struct tar *t, const struct grow_dir *base)
{
	const char *name = node_name(grow_node(base));

	if (!strcmp(name, TAR_SHARDS))
		return tar_fail(t, "--tar-index: the directory %s is that of the archives",
				TAR_SHARDS);
	if (shards_before(t) && dir_find(t->src.index.before, name, strlen(name)))
		return tar_fail(t, "--tar-index: the image has a directory %s already",
				tar_shown(t, name));
	return 0;
}

static int check_file(struct tar *t, const struct source_archive *a)
{
	char block[TAR_BLOCK];
	enum tar_codec codec;
	const char *kind = NULL;
	ssize_t n;

	if (!S_ISREG(a->st.st_mode))
		return tar_fail(t, "--tar-index: is not a regular file");
	if (source_is_image(&t->src, &a->st))
		return tar_fail(t, "is the image itself");
	n = pread(a->fd, block, sizeof(block), 0);
	if (n > 0 && (n < TAR_BLOCK || !tar_is_header(block)))
		kind = tar_kind(block, n, &codec);
	if (kind && codec)
		return tar_fail(t, "is compressed by %s: --tar-index uses archives as they are",
				kind);
	return a->bytes ? 0 : tar_fail(t, "not a tar archive: has less than a block");
}

static int check_archive(struct tar *t, struct source_archive *a)
{
	int ret = file_stat(a->fd, "", AT_EMPTY_PATH, &a->st);

	if (ret)
		return tar_fail(t, "cannot read attributes: %s", msg_why(-ret));
	a->bytes = a->st.st_size;
	t->grow.now++;
	return check_file(t, a) ?: check_name(t, tar_last_name(a->path)) ?:
	       tar_shard_base(t, a->path) ?: check_base(t, t->base);
}

int source_archive_open(struct source *src, const char *path, struct source_archive *a)
{
	struct tar *t = (struct tar *)src;
	int ret;

	*a = (struct source_archive){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (a->fd < 0)
		return msg_fail(-EIO, path, "cannot open: %s", strerror(errno));
	t->bytes = (struct tar_bytes){ .path = path, .fd = -1 };
	ret = check_archive(t, a);
	if (ret)
		close(a->fd);
	return ret;
}

int source_archive_index(struct source *src, const struct source_archive *a)
{
	const struct tar_watch watch = {
		.path = a->path, .fd = a->fd, .check = file_check(&a->st), .regular = true,
	};
	struct tar *t = (struct tar *)src;
	int ret = tar_watch_end(t, &watch) ?:
		  read_archive(t, a->path, tar_last_name(a->path), t->base, a->pos + a->bytes, a);

	tar_bytes_close(&t->bytes);
	return ret;
}

/* What is neither zeros nor an archive: the end, or damage.  0 or -errno, said. */
static int check_other(const struct tar *t, u64 pos, bool first)
{
	const struct options *o = t->src.o;

	if (first || o->tar_bytes)
		return msg_fail(-EINVAL, o->image, "at byte %llu: no header of a tar archive", pos);
	if (o->force)
		return 0;
	return msg_fail(-EEXIST, o->image,
			"at byte %llu: neither zeros nor a tar archive: --tar-index=SIZE says where the archives end, or -f to overwrite it",
			pos);
}

/* The next archive from @pos on: 1; 0: there is none; -errno, said. */
static int find_archive(const struct tar *t, u64 *pos, u64 all, bool first)
{
	u64 end = all;
	char block[TAR_BLOCK] = "";
	size_t bytes;
	int ret = 0;

	if (!t->src.o->tar_bytes && end > *pos + GAP_MAX)
		end = *pos + GAP_MAX;
	if (*pos < end)
		ret = skip_zeros(t, pos, end);
	if (ret || *pos >= end)
		return ret;
	bytes = all - *pos < TAR_BLOCK ? all - *pos : TAR_BLOCK;
	if (pread(t->src.index.fd, block, bytes, *pos) < 0)
		return cannot_read(t, *pos, strerror(errno));
	return tar_is_header(block) ? 1 : check_other(t, *pos, first);
}

/* An archive that was found.  Its members are in a directory of its number. */
static int index_found(struct tar *t, unsigned int number, u64 *pos, u64 end)
{
	const struct source_archive a = { .pos = *pos };
	char label[PATH_MAX + 64], dir[16], name[24];
	struct grow_dir *base;
	int ret = -EINVAL;

	snprintf(label, sizeof(label), "%s: archive at byte %llu", t->src.o->image, *pos);
	snprintf(dir, sizeof(dir), "%06u", number);
	snprintf(name, sizeof(name), "%s.tar", dir);
	t->bytes = (struct tar_bytes){ .path = label, .fd = -1 };
	base = tar_dir_make(t, dir);
	if (base)
		ret = check_name(t, name) ?: check_base(t, base) ?:
		      read_archive(t, label, name, base, end, &a);
	*pos += t->bytes.taken;
	tar_bytes_close(&t->bytes);
	return ret;
}

int source_archives_find(struct source *src, u64 pos, u64 end)
{
	struct tar *t = (struct tar *)src;
	const struct dir *before = shards_before(t);
	const unsigned int first = before ? before->count : 0;
	const u64 from = pos;
	unsigned int n = first;
	struct tar_watch watch;
	int ret = tar_watch(&watch, src->index.fd);

	if (ret)
		return cannot_read(t, pos, strerror(-ret));
	do {
		ret = find_archive(t, &pos, end, n == first);
		if (ret == 1)
			ret = index_found(t, n++, &pos, end) ?: 1;
	} while (ret > 0);
	/* from here on the image is written */
	if (!ret)
		ret = tar_watched(&watch, src->o->image);
	if (ret || n > first)
		return ret;
	return msg_fail(-EINVAL, src->o->image, "no tar archive from byte %llu on", from);
}
