// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of tar archives: those of POSIX (ustar and pax), of GNU tar, and of the time before.
 *
 * libarchive knows more kinds, but what it makes of names that are no UTF-8, of times
 * before 1970, of ids in ACLs and of names of attributes is not what was written, and
 * dsfs tar followed by mkfs.dsfs --tar must give the same tree.
 */
#include "nsec.h"
#include "tar.h"
#include "ustar.h"

#define NAME_MAX_BYTES	1048576
#define GLOBAL_MAX	(64 << 10)	/* read again for each member */
#define RECORDS_MAX	(16 << 20)

static int text_add(struct tar_text *text, const char *p, size_t len)
{
	size_t need = text->len + len + 1;

	if (need > text->room) {
		char *more = realloc(text->p, need * 2);

		if (!more)
			return no_memory();
		text->p = more;
		text->room = need * 2;
	}
	if (p)
		memcpy(text->p + text->len, p, len);
	text->len += len;
	text->p[text->len] = '\0';
	return 0;
}

/* What follows a header and belongs to the next one. */
static int read_text(struct tar *t, struct tar_text *text, const char *what, u64 size, u64 limit)
{
	size_t at = text->len;

	if (size > limit || at + size > limit)
		return tar_fail(t, "%s of %llu bytes: the limit is %llu", what, at + size, limit);
	return text_add(text, NULL, size) ?:
	       tar_bytes_fail(t, tar_bytes_get(&t->bytes, text->p + at, size) ?:
				 tar_bytes_skip(&t->bytes, -size % TAR_BLOCK, NULL));
}

/* The same of the next header alone: what an earlier one said does not count. */
static int read_pending(struct tar *t, struct tar_text *text, const char *what, u64 size, u64 limit)
{
	text->len = 0;
	t->pending = true;
	return read_text(t, text, what, size, limit);
}

/* What stood in front of a header belongs to it, and not to the next one. */
static void clear_pending(struct tar *t)
{
	t->local.len = 0;
	t->long_path.len = 0;
	t->long_link.len = 0;
	t->pending = false;
}

static bool is_extension(char type)
{
	return type && strchr("LKxXgV", type);
}

/* A header that says something of the next one.  What it holds is not the data of a member. */
static int read_extension(struct tar *t, const struct ustar *h)
{
	u64 size = 0;
	int ret = tar_number(t, "size", h->size, sizeof(h->size), INT64_MAX, &size);

	if (ret)
		return ret;
	switch (h->type) {
	case 'L':
		return read_pending(t, &t->long_path, "long name", size, NAME_MAX_BYTES);
	case 'K':
		return read_pending(t, &t->long_link, "long name", size, NAME_MAX_BYTES);
	case 'g':
		return read_text(t, &t->global, "global extended header", size, GLOBAL_MAX);
	case 'V':	/* a label of the archive */
		clear_pending(t);
		return tar_bytes_fail(t, tar_bytes_skip(&t->bytes, size + -size % TAR_BLOCK, NULL));
	default:
		return read_pending(t, &t->local, "extended header", size, RECORDS_MAX);
	}
}

/* A field that ends with NUL, or with its last byte.  Return: behind its bytes. */
static char *put_field(char *to, const char *field, size_t bytes)
{
	bytes = strnlen(field, bytes);
	memcpy(to, field, bytes);
	to[bytes] = '\0';
	return to + bytes;
}

static void set_names(struct tar *t, const struct ustar *h)
{
	char *to = t->path;

	if (!memcmp(h->magic, "ustar", sizeof(h->magic)) && h->prefix[0]) {
		to = put_field(to, h->prefix, sizeof(h->prefix));
		*to++ = '/';
	}
	put_field(to, h->name, sizeof(h->name));
	put_field(t->linkpath, h->link, sizeof(h->link));
	t->m.path = t->long_path.len ? t->long_path.p : t->path;
	t->m.link = t->long_link.len ? t->long_link.p : t->linkpath;
}

/* What a record has said of the names counts, and of holes above all. */
static void set_pax_names(struct tar_member *m)
{
	if (m->pax_path || m->sparse_path)
		m->path = m->sparse_path ? m->sparse_path : m->pax_path;
	if (m->pax_link)
		m->link = m->pax_link;
}

/* A file whose name ends in a slash was a directory before there was a type of those. */
static int set_file(struct tar *t)
{
	struct tar_member *m = &t->m;
	size_t len = strlen(m->path);

	if (!len || m->path[len - 1] != '/') {
		m->mode |= S_IFREG;
		return 0;
	}
	m->mode |= S_IFDIR;
	return m->size || m->real_size ?
		tar_fail(t, "is a directory by the slash at its end, and has %llu bytes of data",
			 m->size) : 0;
}

/*
 * The type of a file; a hard link has none.  Of all but files the size says nothing: some
 * programs write that of the file, or that of a directory on their disk, and no data follows.
 */
static int set_type(struct tar *t)
{
	static const u32 types[] = { 0, S_IFLNK, S_IFCHR, S_IFBLK, S_IFDIR, S_IFIFO };
	struct tar_member *m = &t->m;

	switch (m->type) {
	case '\0':
	case '0':
	case '7':
	case 'S':
		return set_file(t);
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
		m->mode = m->type == '1' ? 0 : m->mode | types[m->type - '1'];
		if (m->type == '2')	/* other systems write others */
			m->mode = S_IFLNK | 0777;
		m->size = 0;
		m->real_size = 0;
		return 0;
	case 'D':	/* the names in it follow */
		m->mode |= S_IFDIR;
		m->real_size = 0;
		return 0;
	case 'M':
		return tar_fail(t, "is continued from another volume");
	}
	return tar_fail(t, "type %d: is not known", (u8)m->type);
}

static int set_time(struct tar *t, const struct ustar *h)
{
	s64 v;

	if (t->m.given & TAR_MTIME)
		return 0;
	if (!tar_parse_number(h->mtime, sizeof(h->mtime), &v))
		return tar_fail(t, "mtime: not a number");
	t->m.clamped = !nsec_join(v, 0, &t->m.mtime);
	return 0;
}

/* A field that no record has said; TAR_* @what: that of the record. */
static int set_number(struct tar *t, enum tar_given what, const char *name, const char *field,
		      size_t len, u64 max, u64 *to)
{
	return t->m.given & what ? 0 : tar_number(t, name, field, len, max, to);
}

static int set_device(struct tar *t, const struct ustar *h)
{
	struct tar_member *m = &t->m;

	if (h->type != '3' && h->type != '4')
		return 0;
	return set_number(t, TAR_MAJOR, "major", h->major, sizeof(h->major), 0xfff, &m->major) ?:
	       set_number(t, TAR_MINOR, "minor", h->minor, sizeof(h->minor), 0xfffff, &m->minor);
}

static int set_numbers(struct tar *t, const struct ustar *h)
{
	struct tar_member *m = &t->m;
	u64 mode = 0;
	int ret = tar_number(t, "mode", h->mode, sizeof(h->mode), INT64_MAX, &mode);

	m->mode = mode & 07777;
	ret = ret ?:
	      set_number(t, TAR_UID, "uid", h->uid, sizeof(h->uid), TAR_ID_MAX, &m->uid) ?:
	      set_number(t, TAR_GID, "gid", h->gid, sizeof(h->gid), TAR_ID_MAX, &m->gid) ?:
	      set_time(t, h) ?: set_device(t, h) ?:
	      set_number(t, TAR_SIZE, "size", h->size, sizeof(h->size), INT64_MAX, &m->size);
	/* what records have said of a size is that of the bytes that follow, but of holes */
	m->real_size = m->has_sparse_size ? m->sparse_size : m->size;
	return ret;
}

/* Records count above the header, so nothing is made of the header before they are read. */
static int read_records(struct tar *t)
{
	t->records.len = 0;
	return text_add(&t->records, t->global.p, t->global.len) ?:
	       text_add(&t->records, t->local.p, t->local.len) ?: tar_pax(t);
}

static int read_member(struct tar *t, const struct ustar *h)
{
	struct tar_member *m = &t->m;
	int ret;

	m->type = h->type;
	set_names(t, h);
	ret = read_records(t);
	set_pax_names(m);
	ret = ret ?: set_numbers(t, h) ?:
	      (h->type == 'S' ? tar_sparse_old(t, (const char *)h) : 0) ?: set_type(t);
	if (!ret && m->sparse && S_ISREG(m->mode))
		ret = tar_sparse_end(t);
	if (!ret && m->real_size >= DSFS_MAX_OFFSET)
		ret = tar_fail(t, "size: %llu bytes: the limit is %llu", m->real_size,
			       DSFS_MAX_OFFSET - 1);
	return ret ? ret : 1;
}

/* The first @n bytes are no header. */
static int no_archive(struct tar *t, const void *p, size_t n)
{
	enum tar_codec codec;
	const char *kind = tar_kind(p, n, &codec);

	if (kind)
		return tar_fail(t, "not a tar archive: begins as a file of %s", kind);
	return tar_fail(t, "not a tar archive: %s",
			n < TAR_BLOCK ? "has less than a block" : "checksum of the first header");
}

/*
 * Behind a block of zeros, @h: a header of another archive; 0 if there is none.  What else is there
 * was always passed over by those who read archives.
 */
static int next_archive(struct tar *t, struct ustar *h)
{
	u64 at = t->bytes.taken;
	int ret = 0;

	while (!ret && tar_is_zero((const char *)h)) {
		at = t->bytes.taken;
		ret = tar_bytes_get(&t->bytes, h, sizeof(*h));
	}
	if (ret && ret != -ENODATA)
		return tar_bytes_fail(t, ret);
	if (ret || !tar_is_header((const char *)h)) {
		const char *p = (const char *)h;

		while (at < t->bytes.taken && !*p++)
			at++;
		tar_note_behind(t, at < t->bytes.taken ? at : 0);
		return 0;
	}
	if (!t->src.o->allow.joined)
		return tar_fail(t, "another archive behind the end: --allow=joined reads it, too");
	t->global.len = 0;
	return 1;
}

/* A header; 0 at the end of the archive. */
static int read_header(struct tar *t, struct ustar *h)
{
	bool first = !t->bytes.taken;
	int ret = tar_bytes_get(&t->bytes, h, sizeof(*h));

	if (ret == -ENODATA && first)
		return no_archive(t, h, t->bytes.taken);
	if (ret == -ENODATA)
		return tar_fail(t, "cut off: the zeros at the end of an archive are missing");
	if (ret)
		return tar_bytes_fail(t, ret);
	if (tar_is_zero((const char *)h))
		return t->whole ? next_archive(t, h) : 0;
	if (tar_is_header((const char *)h))
		return 1;
	return first ? no_archive(t, h, sizeof(*h)) :
		       tar_fail(t, "checksum of the header is wrong");
}

static void clear_member(struct tar *t)
{
	struct tar_member *m = &t->m;

	*m = (struct tar_member){ .map = m->map, .attrs = m->attrs };
	m->map.n = 0;
	m->attrs.n = 0;
	clear_pending(t);
}

int tar_next(struct tar *t)
{
	struct ustar h;
	int ret;

	clear_member(t);
	do {
		ret = read_header(t, &h);
		if (!ret && t->pending)
			return tar_fail(t, "%s, and no member behind it",
					"an extended header or a long name");
		if (ret <= 0)
			return ret;
		if (!is_extension(h.type))
			return read_member(t, &h);
		ret = read_extension(t, &h);
	} while (!ret);
	return ret;
}
