// SPDX-License-Identifier: GPL-2.0
/*
 * Records of pax: what a header has no room for.  Those that say nothing of an image
 * (names of users, access times, comments) are passed over.
 */
#include "parse.h"
#include "tar.h"

#define ID_MAX		4294967294U

static int get_u64(struct tar *t, const char *key, const char *value, u64 max, u64 *v)
{
	if (parse_decimal(value, v))
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

#define DIGITS		"0123456789"

/**
 * struct decimal - a number as text
 * @whole, @fraction: its digits
 * @shift: places that the point is to be moved to the right
 */
struct decimal {
	const char *whole;
	const char *fraction;
	size_t nwhole;
	size_t nfraction;
	int shift;
};

/* Python writes times as it writes all its numbers: 1e-09, too. */
static bool split_decimal(const char *s, struct decimal *d)
{
	*d = (struct decimal){ .whole = s, .nwhole = strspn(s, DIGITS) };
	s += d->nwhole;
	if (*s == '.') {
		d->fraction = s + 1;
		d->nfraction = strspn(s + 1, DIGITS);
		s += 1 + d->nfraction;
	}
	if (d->nwhole && (*s == 'e' || *s == 'E')) {
		const bool minus = s[1] == '-';
		const char *digit = s + 1 + (minus || s[1] == '+');
		const size_t n = strspn(digit, DIGITS);

		if (!n)
			return false;
		for (s = digit; s < digit + n && d->shift < 10000; s++)
			d->shift = d->shift * 10 + (*s - '0');
		d->shift = minus ? -d->shift : d->shift;
		s = digit + n;
	}
	return d->nwhole && !*s;
}

/* In units of 1e-9; what is smaller is cut off.  Return: whether there is room for it. */
static bool join_decimal(const struct decimal *d, u64 *v)
{
	const s64 digits = (s64)d->nwhole + d->shift + 9;
	u64 n = 0;

	for (s64 i = 0; i < digits; i++) {
		const s64 at = i - (s64)d->nwhole;
		const char c = at < 0 ? d->whole[i] :
			       at < (s64)d->nfraction ? d->fraction[at] : '0';

		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c - '0', &n))
			return false;
	}
	*v = n;
	return true;
}

/* Seconds since 1970, with any number of decimals. */
static int get_time(struct tar *t, const char *key, const char *value)
{
	bool negative = *value == '-';
	struct tar_member *m = &t->m;
	u64 ns = 0, limit = (u64)INT64_MAX + negative;
	struct decimal d;

	if (!split_decimal(value + negative, &d))
		return tar_fail(t, "%s: not a time", key);
	m->clamped = !join_decimal(&d, &ns) || ns > limit;
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
		m->sparse_path = value;
		return 0;
	}
	m->sparse = true;
	if (!strcmp(key, "map"))
		return tar_sparse_map(t, value);
	ret = get_u64(t, "GNU.sparse", value, INT64_MAX, &v);
	if (ret)
		return ret;
	if (!strcmp(key, "numbytes"))
		return tar_sparse_add(t, m->offset, v);
	if (!strcmp(key, "major") && v > 1)
		return tar_fail(t, "GNU.sparse.major: %llu: is not known", (unsigned long long)v);
	if (!strcmp(key, "major"))
		m->map_first = v;
	else if (!strcmp(key, "offset"))
		m->offset = v;
	if (!strcmp(key, "size") || !strcmp(key, "realsize")) {
		m->sparse_size = v;
		m->has_sparse_size = true;
	}
	return 0;
}

static int set_value(struct tar *t, enum tar_given what, const char *key, char *value)
{
	struct tar_member *m = &t->m;

	switch (what) {
	case TAR_PATH:
		m->pax_path = value;
		return 0;
	case TAR_LINK:
		m->pax_link = value;
		return 0;
	case TAR_ACL:
	case TAR_ACL_DEFAULT:
		m->acl[what == TAR_ACL_DEFAULT] = value;
		return 0;
	case TAR_SIZE:
		return get_u64(t, key, value, INT64_MAX, &m->size);
	case TAR_UID:
		return get_u32(t, key, value, ID_MAX, &m->uid);
	case TAR_GID:
		return get_u32(t, key, value, ID_MAX, &m->gid);
	case TAR_MAJOR:
		return get_u32(t, key, value, 0xfff, &m->major);
	case TAR_MINOR:
		return get_u32(t, key, value, 0xfffff, &m->minor);
	case TAR_MTIME:
		return get_time(t, key, value);
	}
	return 0;
}

static enum tar_given find_key(const char *key)
{
	static const char *const keys[] = {
		"path", "linkpath", "size", "uid", "gid", "mtime", "SCHILY.devmajor",
		"SCHILY.devminor", "SCHILY.acl.access", "SCHILY.acl.default", NULL
	};

	for (unsigned int i = 0; keys[i]; i++) {
		if (!strcmp(key, keys[i]))
			return 1 << i;
	}
	return 0;
}

/*
 * Old GNU tar wrote the label of SELinux as RHT.security.selinux, and bsdtar writes each
 * attribute as LIBARCHIVE.xattr, too, beside the form that all read.
 */
static void count_xattr(struct tar_member *m, const char *key)
{
	m->records += !strncmp(key, "SCHILY.xattr.", 13);
	m->others += !strncmp(key, "LIBARCHIVE.xattr.", 17) || !strncmp(key, "RHT.security.", 13);
}

/* An empty value takes back what a record in front of it, of all members perhaps, has said. */
static int get_record(struct tar *t, char *key, char *value, size_t len)
{
	const bool sparse = !strncmp(key, "GNU.sparse.", 11);
	const enum tar_given what = find_key(key);
	struct tar_member *m = &t->m;

	count_xattr(&t->m, key);
	if (!strncmp(key, "SCHILY.xattr.", 13))
		return get_xattr(t, key + 13, value, len);
	if (!what && !sparse)
		return 0;
	if (strlen(value) != len)
		return tar_fail(t, "%s: has a NUL byte", key);
	if (sparse)
		return len ? get_sparse(t, key + 11, value) : 0;
	m->given &= ~what;
	if (!len) {
		if (what & (TAR_ACL | TAR_ACL_DEFAULT))
			m->acl[what == TAR_ACL_DEFAULT] = NULL;
		return 0;
	}
	m->given |= what;
	return set_value(t, what, key, value);
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
