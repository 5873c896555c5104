// SPDX-License-Identifier: GPL-2.0
/*
 * The tree as a tar archive on standard output.  A header has the length
 * of the file and is written before the data is read and verified, so a bad file cannot be
 * withdrawn.  Files that fit into memory are verified first, and left out if they are bad; a
 * larger bad file ends the archive, which readers then refuse.
 */
#include <unistd.h>

#include "export.h"
#include "msg.h"
#include "pax.h"

#define BUFFER_BYTES	4194304
#define OUT_BYTES	1048576

/**
 * struct tar_out - a run
 * @path: of the member
 * @map: extents of the file, as text
 * @held: bytes of it in @buf
 * @written: bytes of it that are out
 * @sockets: left out, as tar has none
 */
struct tar_out {
	struct view *v;
	struct pax_records records;
	char *path;
	char *map;
	size_t map_len;
	u8 *buf;
	u64 held;
	u64 written;
	u64 sockets;
};

/*
 * Path of a member: "./a/b", so that no name begins with a dash and the root
 * has one.  Return: NULL if memory ran out.
 */
static char *member_name(const char *path, bool dir)
{
	char *name;

	return asprintf(&name, ".%s%s", path, dir && path[1] ? "/" : "") < 0 ? NULL : name;
}

static int failed_out(void)
{
	msg_lost_stdout();
	return -EIO;
}

static int put_header(struct tar_out *t, const struct pax_member *m)
{
	return pax_header(stdout, &t->records, m) ?: ferror(stdout) ? failed_out() : 0;
}

static void add_xattrs(struct tar_out *t, const struct walk_entry *e)
{
	struct node_xattrs list;
	int ret;

	view_xattrs(t->v, e->path, &e->node, &list);
	for (size_t i = 0; i < list.count; i++) {
		ret = pax_xattr(&t->records, &list.v[i]);
		if (ret)
			view_error(t->v, e->path, "ACL", ret, NULL);
	}
	xattr_list_free(&list);
}

/* Make the map of a file with holes: number and places of its extents. */
static int make_map(struct tar_out *t, const struct image_node *n, u64 *stored,
		    struct dsfs_err *err)
{
	FILE *out = open_memstream(&t->map, &t->map_len);
	struct dsfs_mapping mapping;
	u64 extents = 0, pos;
	char *body;
	int ret = 0;

	if (!out)
		return dsfs_bad(err, "memory", 0, 0, -ENOMEM);
	*stored = 0;
	for (pos = 0; !ret && pos < n->attr.size; pos += mapping.len) {
		ret = dsfs_map(t->v->src, &n->attr, &n->extra, pos, &mapping, err);
		if (ret)
			break;
		if (!mapping.hole)
			fprintf(out, "%llu\n%llu\n", pos, mapping.len);
		/* a hole at the end is shown as an empty extent */
		else if (pos + mapping.len == n->attr.size)
			fprintf(out, "%llu\n0\n", n->attr.size);
		else
			continue;
		extents++;
		*stored += mapping.hole ? 0 : mapping.len;
	}
	if (fclose(out) && !ret)
		ret = dsfs_bad(err, "memory", 0, 0, -ENOMEM);
	body = t->map;
	t->map = NULL;
	if (!ret && asprintf(&t->map, "%llu\n%s", extents, body) < 0)
		ret = dsfs_bad(err, "memory", 0, 0, -ENOMEM);
	free(body);
	if (ret) {
		t->map = NULL;
		return ret;
	}
	t->map_len = strlen(t->map);
	return 0;
}

static int hold_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct tar_out *t = arg;

	if (!data)
		return 0;
	if (len > BUFFER_BYTES - t->held)
		return -EUCLEAN;
	memcpy(t->buf + t->held, data, len);
	t->held += len;
	return 0;
}

static int put_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct tar_out *t = arg;

	if (!data)
		return 0;
	t->written += len;
	return fwrite(data, 1, len, stdout) == len ? 0 : failed_out();
}

/* Write the data of a file; after its header, an error can only end the archive. */
static int put_content(struct tar_out *t, const struct walk_entry *e, u64 stored)
{
	struct dsfs_err err = { 0 };
	int ret;

	t->written = 0;
	if (t->held) {
		ret = put_piece(t, 0, t->buf, t->held);
	} else {
		ret = image_stream(t->v->src, &e->node.attr, &e->node.extra, true,
				   put_piece, t, &err);
		if (ret && !ferror(stdout)) {
			view_error(t->v, e->path, "content", ret, &err);
			msg_error(e->path, "the archive ends in the middle of it");
		}
	}
	if (!ret && t->written != stored) {
		ret = dsfs_broken(&err, "bytes of a file", t->written, stored);
		view_error(t->v, e->path, "content", ret, &err);
	}
	return ret;
}

/* Read and verify a small file.  Return: 0, or the error. */
static int hold_content(struct tar_out *t, const struct walk_entry *e, u64 stored,
			struct dsfs_err *err)
{
	t->held = 0;
	if (stored > BUFFER_BYTES)
		return 0;
	return image_stream(t->v->src, &e->node.attr, &e->node.extra, true, hold_piece, t, err);
}

/* Report a bad file and leave it out, with all its other names, which would be links to it. */
static void leave_out(struct tar_out *t, const struct walk_entry *e, int ret,
		      const struct dsfs_err *err)
{
	view_error(t->v, e->path, "content", ret, err);
	t->records.len = 0;
	listing_lose(&t->v->links, 0, e->node.attr.ino);
}

static int put_file(struct tar_out *t, const struct walk_entry *e, struct pax_member *m)
{
	struct dsfs_err err = { 0 };
	u64 stored = e->node.attr.size;
	int ret = 0;

	m->sparse = e->node.attr.flags & DSFS_INODE_HOLES;
	if (m->sparse)
		ret = make_map(t, &e->node, &stored, &err);
	if (!ret)
		ret = hold_content(t, e, stored, &err);
	if (ret) {
		leave_out(t, e, ret, &err);
		ret = 0;
		goto out;
	}
	m->real_size = e->node.attr.size;
	m->size = stored;
	if (m->sparse)
		m->size += (t->map_len + PAX_BLOCK - 1) / PAX_BLOCK * PAX_BLOCK;
	ret = put_header(t, m);
	if (!ret && m->sparse) {
		fwrite(t->map, 1, t->map_len, stdout);
		pax_pad(stdout, t->map_len);
	}
	if (!ret)
		ret = put_content(t, e, stored);
	if (!ret)
		pax_pad(stdout, stored);
out:
	free(t->map);
	t->map = NULL;
	return ret;
}

static int put_symlink(struct tar_out *t, const struct walk_entry *e, struct pax_member *m)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_err err = { 0 };
	int ret = image_symlink(t->v->src, &e->node.attr, target, &err);

	if (ret) {
		leave_out(t, e, ret, &err);
		return 0;
	}
	m->link = target;
	ret = put_header(t, m);
	m->link = NULL;
	return ret;
}

static int put_link(struct tar_out *t, const struct walk_entry *e, struct pax_member *m)
{
	char *link;
	int ret;

	if (view_is_lost(t->v, e))
		return 0;
	link = member_name(e->first, false);
	if (!link)
		return -ENOMEM;
	m->link = link;
	m->type = '1';
	/* other errors were reported with the first name */
	ret = put_header(t, m);
	free(link);
	return ret;
}

static int put_member(struct tar_out *t, const struct walk_entry *e)
{
	const struct image_node *n = &e->node;
	const struct dsfs_attr *attr = &n->attr;
	struct pax_member m = {
		.path = t->path, .type = listing_type(attr->mode)->tar,
		.mode = attr->mode, .uid = n->uid, .gid = n->gid, .mtime = attr->mtime,
	};

	if (e->first)
		return put_link(t, e, &m);
	add_xattrs(t, e);
	if (S_ISREG(attr->mode))
		return put_file(t, e, &m);
	if (S_ISLNK(attr->mode))
		return put_symlink(t, e, &m);
	if (S_ISCHR(attr->mode) || S_ISBLK(attr->mode)) {
		m.major = attr->rdev >> 20;
		m.minor = attr->rdev & 0xfffff;
	}
	return put_header(t, &m);
}

static int enter(void *arg, const struct walk_entry *e)
{
	struct tar_out *t = arg;
	int ret;

	if (S_ISSOCK(e->node.attr.mode)) {
		t->sockets++;
		return 0;
	}
	t->path = member_name(e->path, S_ISDIR(e->node.attr.mode));
	ret = t->path ? put_member(t, e) : -ENOMEM;
	free(t->path);
	return ret ? ret : ferror(stdout) ? failed_out() : 0;
}

static void tar_free(struct tar_out *t)
{
	pax_free(&t->records);
	free(t->buf);
}

int export_tar(struct view *v, struct json *j, void *arg)
{
	struct filter *f = &((struct view_options *)arg)->paths;
	static const struct walk_ops ops = { .enter = enter };
	static char out[OUT_BYTES];
	struct tar_out t = { .v = v, .buf = malloc(BUFFER_BYTES) };
	int ret = -ENOMEM;

	if (isatty(STDOUT_FILENO)) {
		free(t.buf);
		return msg_error(NULL, "standard output is a terminal");
	}
	/* not on the stack: exit() writes what is left in it */
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (t.buf)
		ret = view_walk(v, f, &ops, &t);
	if (!ret) {
		filter_check(v, f);
		pax_end(stdout);
	}
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		view_error(v, v->img.path, "tar", ret, NULL);
	view_hidden(v, v->img.path);
	if (t.sockets)
		msg_warn(v->img.path, "%llu socket%s left out: tar has none", t.sockets,
			 msg_s(t.sockets));
	tar_free(&t);
	return ret || v->errors->count ? -1 : 0;
}
