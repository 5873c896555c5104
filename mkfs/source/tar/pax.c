// SPDX-License-Identifier: GPL-2.0
/*
 * Records of pax: what a header has no room for.  Those that say nothing of an image
 * (names of users, access times, comments) are passed over.
 */
#include "parse.h"
#include "tar.h"

#define DIGITS		"0123456789"

/* What a record sets: a text, or a number up to @max, and the bit of that number */
static const struct key {
	const char *name;
	size_t at;
	u64 max;
	enum tar_given given;
} keys[] = {
#define AT(member) offsetof(struct tar_member, member)
	{ "path", AT(pax_path), 0, 0 },
	{ "linkpath", AT(pax_link), 0, 0 },
	{ "SCHILY.acl.access", AT(acl[0]), 0, 0 },
	{ "SCHILY.acl.default", AT(acl[1]), 0, 0 },
	{ "SCHILY.acl.ace", AT(ace), 0, 0 },
	{ "size", AT(size), INT64_MAX, TAR_SIZE },
	{ "uid", AT(uid), TAR_ID_MAX, TAR_UID },
	{ "gid", AT(gid), TAR_ID_MAX, TAR_GID },
	{ "SCHILY.devmajor", AT(major), 0xfff, TAR_MAJOR },
	{ "SCHILY.devminor", AT(minor), 0xfffff, TAR_MINOR },
	{ "mtime", AT(mtime), 0, TAR_MTIME },
	{ NULL, 0, 0, 0 },
};

static int get_number(struct tar *t, const char *key, const char *value, u64 max, u64 *v)
{
	if (parse_decimal(value, v))
		return tar_fail(t, "%s: not a number", key);
	return *v > max ? tar_fail(t, "%s: %llu: the limit is %llu", key, *v, max) : 0;
}

/* The power of ten at the end of a number: Python writes 1e-09.  Return: where it ends. */
static const char *get_power(const char *s, s64 *power)
{
	const bool minus = s[1] == '-';
	const char *digits = s + 1 + (minus || s[1] == '+'), *p = digits;

	for (*power = 0; *p >= '0' && *p <= '9'; p++)
		*power = *power < 10000 ? *power * 10 + (*p - '0') : *power;
	*power = minus ? -*power : *power;
	return p > digits ? p : s;
}

/*
 * Digits as a number of units of 1e-9; what is smaller is cut off.  @point: digits in front
 * of the point, which may be none.  Return: whether there is room for it.
 */
static bool join_digits(const char *s, s64 point, u64 *v)
{
	for (*v = 0; point + 9 > 0; point--) {
		u64 digit = 0;

		s += *s == '.';
		if (*s >= '0' && *s <= '9')
			digit = *s++ - '0';
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
			return false;
	}
	return true;
}

/* Seconds since 1970, with any number of decimals. */
static int get_time(struct tar *t, const char *key, const char *value)
{
	const bool negative = *value == '-';
	const u64 limit = (u64)INT64_MAX + negative;
	const char *digits = value + negative, *end = digits + strspn(digits, DIGITS);
	s64 point = end - digits, power = 0;
	struct tar_member *m = &t->m;
	u64 ns;

	if (*end == '.')
		end += 1 + strspn(end + 1, DIGITS);
	if (*end == 'e' || *end == 'E')
		end = get_power(end, &power);
	if (!point || *end)
		return tar_fail(t, "%s: not a time", key);
	m->clamped = !join_digits(digits, point + power, &ns) || ns > limit;
	if (m->clamped)
		ns = limit;
	m->mtime = negative ? -ns : ns;
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
	ret = get_number(t, "GNU.sparse", value, INT64_MAX, &v);
	if (ret)
		return ret;
	if (!strcmp(key, "numbytes"))
		return tar_sparse_add(t, m->offset, v);
	if (!strcmp(key, "major") && v > 1)
		return tar_fail(t, "GNU.sparse.major: %llu: is not known", v);
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

/* An empty value takes back what a record in front of it, of all members perhaps, has said. */
static int set_value(struct tar *t, const struct key *key, const char *value)
{
	struct tar_member *m = &t->m;
	void *to = (char *)m + key->at;

	m->given &= ~key->given;
	if (!key->given)
		*(const char **)to = *value ? value : NULL;
	if (!key->given || !*value)
		return 0;
	m->given |= key->given;
	return key->max ? get_number(t, key->name, value, key->max, to) :
			  get_time(t, key->name, value);
}

static int get_record(struct tar *t, char *key, char *value, size_t len)
{
	const bool sparse = !strncmp(key, "GNU.sparse.", 11);
	const struct key *known = keys;
	int ret = tar_attr_record(t, key, value, len);

	if (ret)
		return ret < 0 ? ret : 0;
	while (known->name && strcmp(key, known->name))
		known++;
	if (!known->name && !sparse)
		return 0;
	if (strlen(value) != len)
		return tar_fail(t, "%s: has a NUL byte", key);
	if (sparse)
		return len ? get_sparse(t, key + 11, value) : 0;
	return set_value(t, known, value);
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
