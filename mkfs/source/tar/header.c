// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of tar archives: those of POSIX (ustar and pax), of GNU tar, and of the
 * time before.
 *
 * libarchive knows more kinds, but what it makes of names that are no UTF-8, of times
 * before 1970, of ids in ACLs and of names of attributes is not what was written, and
 * dump.dsfs --tar followed by mkfs.dsfs --tar must give the same tree.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tar.h"

#define NAME_BYTES	100
#define ID_MAX		4294967294U	/* the last one means "no id" */
#define NAME_MAX_BYTES	1048576
#define GLOBAL_MAX	(64 << 10)	/* read again for each member */
#define RECORDS_MAX	(16 << 20)

/* Offsets and lengths are those of POSIX. */
struct header {
	char name[NAME_BYTES];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char sum[8];
	char type;
	char link[NAME_BYTES];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char pad[12];
};

static_assert(sizeof(struct header) == TAR_BLOCK, "a header is a block");

static bool is_zero(const char *p)
{
	return !p[0] && !memcmp(p, p + 1, TAR_BLOCK - 1);
}

/* A number of GNU tar that has no room in octal: the bits, most significant first. */
static bool parse_binary(const char *field, size_t len, s64 *v)
{
	const u8 *p = (const u8 *)field;
	u64 n = p[0] & 0x40 ? UINT64_MAX : 0, sign = n;

	for (size_t i = 0; i < len; i++) {
		u8 byte = i ? p[i] : (p[0] & 0x7f) | (sign & 0x80);

		if (n >> 55 != sign >> 55)
			return false;
		n = n << 8 | byte;
	}
	*v = n;
	return true;
}

static bool parse_number(const char *field, size_t len, s64 *v)
{
	size_t i = 0;
	u64 n = 0;

	if (*field & 0x80)
		return parse_binary(field, len, v);
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		n = n << 3 | (field[i] - '0');
	*v = n;
	return i == len || !field[i] || field[i] == ' ';
}

/* A field of the header, at most @max. */
static int get_number(struct tar *t, const char *what, const char *field, size_t len,
		      u64 max, u64 *n)
{
	s64 v;

	if (!parse_number(field, len, &v))
		return tar_fail(t, "%s: not a number", what);
	if (v < 0)
		return tar_fail(t, "%s: %lld: is negative", what, (long long)v);
	if (v > max)
		return tar_fail(t, "%s: %lld: the limit is %llu", what, (long long)v,
				(unsigned long long)max);
	*n = v;
	return 0;
}

/* The sum of all bytes, those of the sum itself being blanks. */
static int add_bytes(const struct header *h, bool is_signed)
{
	const u8 *p = (const u8 *)h;
	int sum = sizeof(h->sum) * ' ';

	for (size_t i = 0; i < sizeof(*h); i++)
		sum += p[i];
	for (size_t i = 0; i < sizeof(h->sum); i++)
		sum -= (u8)h->sum[i];
	for (size_t i = 0; is_signed && i < sizeof(*h); i++) {
		if (p[i] & 0x80 && (i < offsetof(struct header, sum) ||
				    i >= offsetof(struct header, type)))
			sum -= 256;
	}
	return sum;
}

/* Some programs have added signed bytes. */
static bool sum_matches(const struct header *h)
{
	s64 want;

	return parse_number(h->sum, sizeof(h->sum), &want) &&
	       (want == add_bytes(h, false) || want == add_bytes(h, true));
}

static int text_add(struct tar_text *text, const char *p, size_t len)
{
	size_t need = text->len + len + 1;

	if (need > text->room) {
		char *more = realloc(text->p, need * 2);

		if (!more)
			return tar_no_memory();
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
static int read_text(struct tar *t, struct tar_text *text, const char *what, u64 size,
		     u64 limit)
{
	size_t at = text->len;
	int ret;

	if (size > limit || at + size > limit)
		return tar_fail(t, "%s of %llu bytes: the limit is %llu", what,
				(unsigned long long)(at + size), (unsigned long long)limit);
	ret = text_add(text, NULL, size);
	if (ret)
		return ret;
	ret = tar_bytes_get(&t->bytes, text->p + at, size);
	if (!ret)
		ret = tar_bytes_skip(&t->bytes, -size % TAR_BLOCK);
	return tar_bytes_fail(t, ret);
}

static int read_local(struct tar *t, u64 size)
{
	t->local.len = 0;
	t->pending = true;
	return read_text(t, &t->local, "extended header", size, RECORDS_MAX);
}

static int read_long(struct tar *t, struct tar_text *text, u64 size)
{
	text->len = 0;
	t->pending = true;
	return read_text(t, text, "long name", size, NAME_MAX_BYTES);
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

/*
 * A header that says something of the next one.  What it holds is not the data of
 * a member.
 */
static int read_extension(struct tar *t, const struct header *h)
{
	u64 size = 0;
	int ret = get_number(t, "size", h->size, sizeof(h->size), INT64_MAX, &size);

	if (ret)
		return ret;
	switch (h->type) {
	case 'L':
		return read_long(t, &t->long_path, size);
	case 'K':
		return read_long(t, &t->long_link, size);
	case 'g':
		return read_text(t, &t->global, "global extended header", size, GLOBAL_MAX);
	case 'V':	/* a label of the archive */
		clear_pending(t);
		return tar_bytes_fail(t, tar_bytes_skip(&t->bytes, size + -size % TAR_BLOCK));
	default:
		return read_local(t, size);
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

static void set_names(struct tar *t, const struct header *h)
{
	bool posix = !memcmp(h->magic, "ustar", 6);
	char *to = t->path;

	if (posix && h->prefix[0]) {
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
	if (m->given & TAR_PATH)
		m->path = m->pax_path;
	if (m->sparse_path)
		m->path = m->sparse_path;
	if (m->given & TAR_LINK)
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
			 (unsigned long long)m->size) : 0;
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

static int set_time(struct tar *t, const struct header *h)
{
	s64 v;

	if (t->m.given & TAR_MTIME)
		return 0;
	if (!parse_number(h->mtime, sizeof(h->mtime), &v))
		return tar_fail(t, "mtime: not a number");
	t->m.clamped = !nsec_join(v, 0, &t->m.mtime);
	return 0;
}

/* A field that no record has said; TAR_* @what: that of the record. */
static int set_u32(struct tar *t, enum tar_given what, const char *name, const char *field,
		   u32 max, u32 *to)
{
	u64 n = 0;
	int ret;

	if (t->m.given & what)
		return 0;
	ret = get_number(t, name, field, 8, max, &n);
	*to = n;
	return ret;
}

static int set_device(struct tar *t, const struct header *h)
{
	int ret;

	if (h->type != '3' && h->type != '4')
		return 0;
	ret = set_u32(t, TAR_MAJOR, "major", h->major, 0xfff, &t->m.major);
	return ret ? ret : set_u32(t, TAR_MINOR, "minor", h->minor, 0xfffff, &t->m.minor);
}

/* What records have said of a size is that of the bytes that follow, but of holes. */
static int set_size(struct tar *t, const struct header *h)
{
	struct tar_member *m = &t->m;
	int ret = 0;

	if (!(m->given & TAR_SIZE))
		ret = get_number(t, "size", h->size, sizeof(h->size), INT64_MAX, &m->size);
	m->real_size = m->has_sparse_size ? m->sparse_size : m->size;
	return ret;
}

static int set_numbers(struct tar *t, const struct header *h)
{
	struct tar_member *m = &t->m;
	u64 mode = 0;
	int ret = get_number(t, "mode", h->mode, sizeof(h->mode), INT64_MAX, &mode);

	m->mode = mode & 07777;
	if (!ret)
		ret = set_u32(t, TAR_UID, "uid", h->uid, ID_MAX, &m->uid);
	if (!ret)
		ret = set_u32(t, TAR_GID, "gid", h->gid, ID_MAX, &m->gid);
	if (!ret)
		ret = set_time(t, h);
	if (!ret)
		ret = set_device(t, h);
	return ret ? ret : set_size(t, h);
}

/* Records count above the header, so nothing is made of the header before they are read. */
static int read_records(struct tar *t)
{
	int ret;

	t->records.len = 0;
	ret = text_add(&t->records, t->global.p, t->global.len);
	if (!ret)
		ret = text_add(&t->records, t->local.p, t->local.len);
	return ret ? ret : tar_pax(t);
}

static int read_member(struct tar *t, const struct header *h)
{
	struct tar_member *m = &t->m;
	int ret;

	m->type = h->type;
	set_names(t, h);
	ret = read_records(t);
	set_pax_names(m);
	if (!ret)
		ret = set_numbers(t, h);
	if (!ret && h->type == 'S')
		ret = tar_sparse_old(t, (const char *)h);
	if (!ret)
		ret = set_type(t);
	if (!ret && m->sparse && S_ISREG(m->mode))
		ret = tar_sparse_end(t);
	if (!ret && m->real_size >= DSFS_MAX_OFFSET)
		ret = tar_fail(t, "size: %llu bytes: the limit is %llu",
			       (unsigned long long)m->real_size, DSFS_MAX_OFFSET - 1);
	return ret ? ret : 1;
}

bool tar_is_header(const char *block)
{
	return !is_zero(block) && sum_matches((const struct header *)block);
}

/* A header; 0 at the end of the archive. */
static int read_header(struct tar *t, struct header *h)
{
	bool first = !t->bytes.taken;
	int ret = tar_bytes_get(&t->bytes, h, sizeof(*h));

	if (ret == -ENODATA && first)
		return tar_fail(t, "not a tar archive: has less than a block");
	if (ret == -ENODATA)
		return tar_fail(t, "cut off: the zeros at the end of an archive are missing");
	if (ret)
		return tar_bytes_fail(t, ret);
	if (is_zero((const char *)h))
		return 0;
	if (!sum_matches(h))
		return tar_fail(t, first ? "not a tar archive: checksum of the first header" :
				"checksum of the header is wrong");
	return 1;
}

static void clear_member(struct tar *t)
{
	struct tar_member *m = &t->m;
	struct array map = m->map, xattrs = m->xattrs;

	map.n = 0;
	xattrs.n = 0;
	*m = (struct tar_member){ .map = map, .xattrs = xattrs };
	clear_pending(t);
}

int tar_next(struct tar *t)
{
	struct header h;
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
