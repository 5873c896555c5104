// SPDX-License-Identifier: GPL-2.0
/*
 * Records of pax: what a header has no room for.  Those that say nothing of an image
 * (names of users, access times, comments) are passed over.
 */
#include "tar.h"

#define ID_MAX		4294967294U

bool tar_decimal(const char *s, u64 *v)
{
	u64 n = 0;

	if (!*s)
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *s - '0', &n))
			return false;
	}
	*v = n;
	return !*s;
}

static int get_u64(struct tar *t, const char *key, const char *value, u64 max, u64 *v)
{
	if (!tar_decimal(value, v))
		return tar_fail(t, "%s: not a number", key);
	if (*v > max)
		return tar_fail(t, "%s: %llu: the limit is %llu", key,
				(unsigned long long)*v, (unsigned long long)max);
	return 0;
}

static int get_u32(struct tar *t, const char *key, const char *value, u32 max, u32 *v)
{
	u64 wide = 0;
	int ret = get_u64(t, key, value, max, &wide);

	*v = wide;
	return ret;
}

/* Nanoseconds; what is smaller is cut off. */
static u64 parse_fraction(const char **s)
{
	u64 ns = 0, unit = NSEC_PER_SEC / 10;

	for (; **s >= '0' && **s <= '9'; ++*s, unit /= 10)
		ns += (**s - '0') * unit;
	return ns;
}

/* Seconds since 1970, with any number of decimals. */
static int get_time(struct tar *t, const char *key, const char *value)
{
	bool negative = *value == '-';
	const char *s = value + negative;
	struct tar_member *m = &t->m;
	u64 ns = 0, limit = (u64)INT64_MAX + negative;
	bool digits = *s >= '0' && *s <= '9';

	m->clamped = false;
	for (; *s >= '0' && *s <= '9'; s++)
		m->clamped |= __builtin_mul_overflow(ns, 10, &ns) ||
			      __builtin_add_overflow(ns, *s - '0', &ns);
	m->clamped |= __builtin_mul_overflow(ns, NSEC_PER_SEC, &ns);
	if (*s == '.') {
		s++;
		m->clamped |= __builtin_add_overflow(ns, parse_fraction(&s), &ns);
	}
	if (!digits || *s)
		return tar_fail(t, "%s: not a time", key);
	m->clamped |= ns > limit;
	if (m->clamped)
		ns = limit;
	m->mtime = negative ? -ns : ns;
	return 0;
}

/* Programs write "=" and "%" of an attribute's name as %3D and %25. */
static void unescape(char *name)
{
	char *to = name;

	for (; *name; name++) {
		if (!strncmp(name, "%3D", 3) || !strncmp(name, "%25", 3)) {
			*to++ = name[1] == '3' ? '=' : '%';
			name += 2;
		} else {
			*to++ = *name;
		}
	}
	*to = '\0';
}

static int get_xattr(struct tar *t, char *name, const char *value, size_t len)
{
	struct xattr_item *it;
	const char *rest;
	u8 prefix;

	if (t->src.o->no_xattrs)
		return 0;
	unescape(name);
	prefix = xattr_split(name, &rest);
	/* An ACL has a record of its own, which others than Linux understand. */
	if (!prefix || prefix >= DSFS_XATTR_ACL_ACCESS) {
		t->src.xattrs_ignored++;
		return 0;
	}
	it = array_add(&t->m.xattrs);
	if (!it)
		return tar_no_memory();
	it->prefix = prefix;
	it->name = rest;
	it->len = strlen(rest);
	it->value = value;
	it->value_len = len;
	return 0;
}

/* Holes, in the three forms that GNU tar has had. */
static int get_sparse(struct tar *t, const char *key, char *value)
{
	struct tar_member *m = &t->m;
	u64 v = 0;
	int ret;

	if (!strcmp(key, "name")) {
		m->path = value;
		return 0;
	}
	m->sparse = true;
	if (!strcmp(key, "map"))
		return tar_sparse_map(t, value);
	ret = get_u64(t, "GNU.sparse", value, INT64_MAX, &v);
	if (ret)
		return ret;
	if (!strcmp(key, "major"))
		m->map_first = v;
	else if (!strcmp(key, "size") || !strcmp(key, "realsize"))
		m->real_size = v;
	else if (!strcmp(key, "offset"))
		m->offset = v;
	else if (!strcmp(key, "numbytes"))
		return tar_sparse_add(t, m->offset, v);
	return 0;
}

/* Records of a text: what they are of is said by their key. */
static int get_text(struct tar *t, const char *key, char *value)
{
	struct tar_member *m = &t->m;

	if (!strcmp(key, "path"))
		m->path = value;
	else if (!strcmp(key, "linkpath"))
		m->link = value;
	else if (!strcmp(key, "SCHILY.acl.access"))
		m->acl[0] = value;
	else if (!strcmp(key, "SCHILY.acl.default"))
		m->acl[1] = value;
	return 0;
}

static int get_record(struct tar *t, char *key, char *value, size_t len)
{
	struct tar_member *m = &t->m;
	u64 size = 0;
	int ret;

	if (!strncmp(key, "SCHILY.xattr.", 13))
		return get_xattr(t, key + 13, value, len);
	if (!len)	/* as if the record was not there */
		return 0;
	if (strlen(value) != len)
		return tar_fail(t, "%s: has a NUL byte", key);
	if (!strncmp(key, "GNU.sparse.", 11))
		return get_sparse(t, key + 11, value);
	if (!strcmp(key, "uid"))
		return get_u32(t, key, value, ID_MAX, &m->uid);
	if (!strcmp(key, "gid"))
		return get_u32(t, key, value, ID_MAX, &m->gid);
	if (!strcmp(key, "SCHILY.devmajor"))
		return get_u32(t, key, value, 0xfff, &m->major);
	if (!strcmp(key, "SCHILY.devminor"))
		return get_u32(t, key, value, 0xfffff, &m->minor);
	if (!strcmp(key, "mtime"))
		return get_time(t, key, value);
	if (strcmp(key, "size") || !m->mode)	/* a hard link has no data */
		return get_text(t, key, value);
	ret = get_u64(t, key, value, INT64_MAX, &size);
	if (ret)
		return ret;
	m->size = size;
	if (!m->sparse)
		m->real_size = size;
	return 0;
}

/* "LENGTH KEY=VALUE\n", the length being that of all of it */
static int take_record(struct tar *t, char *p, size_t left, size_t *bytes)
{
	char *at = p, *equals;
	size_t n = 0;

	for (; at < p + left && *at >= '0' && *at <= '9' && n <= left; at++)
		n = n * 10 + (*at - '0');
	if (at == p || at == p + left || *at != ' ' || n > left || p + n <= at + 1 ||
	    p[n - 1] != '\n')
		return tar_fail(t, "extended header: a record is not of the form LENGTH KEY=VALUE");
	at++;
	equals = memchr(at, '=', p + n - at);
	if (!equals || memchr(at, 0, equals - at))
		return tar_fail(t, "extended header: a record without a key");
	*equals = '\0';
	p[n - 1] = '\0';
	*bytes = n;
	return get_record(t, at, equals + 1, p + n - 1 - (equals + 1));
}

int tar_pax(struct tar *t)
{
	size_t bytes = 0;
	int ret = 0;

	for (size_t at = 0; !ret && at < t->records.len; at += bytes)
		ret = take_record(t, t->records.p + at, t->records.len - at, &bytes);
	return ret;
}
