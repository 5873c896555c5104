// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest: a path and fields of the form key=value, blanks between
 * them, or a JSON object.  A generator that writes ten million lines has a mistake in one of
 * them, so all that can be wrong with a line by itself is found here, and said
 * with the value and the limit.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "format.h"
#include "msg.h"
#include "parse.h"
#include "../xattr.h"

#define ID_MAX		4294967294U	/* the last one means "no id" */
#define BIT(f)		(1U << (f))
#define ATTRS		(BIT(ENTRY_TYPE) | BIT(ENTRY_MODE) | BIT(ENTRY_UID) | \
			 BIT(ENTRY_GID) | BIT(ENTRY_MTIME))
#define DEFAULTS	(BIT(ENTRY_MODE) | BIT(ENTRY_DIRMODE) | \
			 BIT(ENTRY_UID) | BIT(ENTRY_GID) | BIT(ENTRY_MTIME))
#define DEVICE		(BIT(ENTRY_MAJOR) | BIT(ENTRY_MINOR))

static const char *const field_names[ENTRY_FIELDS] = {
	"type", "mode", "dirmode", "uid", "gid", "mtime", "source", "offset",
	"size", "fill", "target", "major", "minor",
};

/* Fields that a type may have and must have */
static const struct type {
	const char *name;
	u16 type;
	u32 may;
	u32 must;
} types[] = {
	{ "file", S_IFREG, ATTRS | BIT(ENTRY_SOURCE) | BIT(ENTRY_OFFSET) |
			   BIT(ENTRY_SIZE) | BIT(ENTRY_FILL), 0 },
	{ "dir", S_IFDIR, ATTRS, 0 },
	{ "symlink", S_IFLNK, ATTRS | BIT(ENTRY_TARGET), BIT(ENTRY_TARGET) },
	{ "link", ENTRY_LINK, BIT(ENTRY_TYPE) | BIT(ENTRY_TARGET),
	  BIT(ENTRY_TARGET) },
	{ "char", S_IFCHR, ATTRS | DEVICE, DEVICE },
	{ "block", S_IFBLK, ATTRS | DEVICE, DEVICE },
	{ "fifo", S_IFIFO, ATTRS, 0 },
	{ "socket", S_IFSOCK, ATTRS, 0 },
	{ NULL, 0, 0, 0 },
};

int entry_bad(struct entry *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Set the message for a bad value of a field. */
static int bad_value(struct entry *e, const char *field, const char *value,
		     const char *want)
{
	char buf[256];

	return entry_bad(e, "%s: %s: not %s", field,
			 msg_escape(buf, sizeof(buf), value), want);
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Replace \ooo and \\ by the bytes they stand for, in place. */
static int unescape(struct entry *e, const char *field, char *s)
{
	char *to = s, *from = s;

	while (*from) {
		unsigned int v;

		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		if (from[1] == '\\') {
			*to++ = '\\';
			from += 2;
			continue;
		}
		if (!is_octal(from[1]) || !is_octal(from[2]) ||
		    !is_octal(from[3]))
			return bad_value(e, field, s,
					 "escaped by \\\\ or \\ and three octal digits");
		v = (from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0';
		if (!v || v > 255)
			return bad_value(e, field, s,
					 "escaped by numbers from \\001 to \\377");
		*to++ = v;
		from += 4;
	}
	*to = '\0';
	return 0;
}

static int parse_mode(struct entry *e, const char *field, const char *v,
		      u16 *mode)
{
	unsigned long n;
	char *end = NULL;

	n = is_octal(*v) ? strtoul(v, &end, 8) : 010000;
	if (n > 07777 || *end)
		return bad_value(e, field, v, "an octal number up to 7777");
	*mode = n;
	return 0;
}

static int parse_limit(struct entry *e, const char *field, const char *v,
		       u64 max, u64 *n)
{
	char buf[256];
	int ret = parse_size(v, n);

	if (ret == -EINVAL)
		return bad_value(e, field, v, "a number");
	if (ret || *n > max)
		return entry_bad(e, "%s: %s: the limit is %llu", field,
				 msg_escape(buf, sizeof(buf), v), max);
	return 0;
}

static int parse_u32(struct entry *e, const char *field, const char *v, u32 max,
		     u32 *n)
{
	u64 wide = 0;
	int ret = parse_limit(e, field, v, max, &wide);

	*n = wide;
	return ret;
}

static int parse_fill(struct entry *e, const char *v)
{
	e->zero = !strcmp(v, "zero");
	if (e->zero || !parse_u64(v, &e->seed))
		return 0;
	return bad_value(e, "fill", v, "zero or a number below 2^64");
}

static int parse_mtime(struct entry *e, const char *v)
{
	int ret = parse_time(v, &e->mtime);

	return ret ? bad_value(e, "mtime", v,
			       "seconds from 1677 to 2262, with up to nine decimals") :
		     0;
}

static int parse_type(struct entry *e, const char *v)
{
	for (const struct type *t = types; t->name; t++) {
		if (!strcmp(v, t->name)) {
			e->type = t->type;
			return 0;
		}
	}
	return bad_value(e, "type", v,
			 "file, dir, symlink, link, char, block, fifo or socket");
}

static int parse_string(struct entry *e, const char *field, char *v, size_t max,
			char **s)
{
	int ret = e->raw ? 0 : unescape(e, field, v);
	size_t len = strlen(v);

	if (ret)
		return ret;
	if (!len)
		return entry_bad(e, "%s: is empty", field);
	if (len > max)
		return entry_bad(e, "%s: %zu bytes: the limit is %zu", field, len,
				 max);
	*s = v;
	return 0;
}

static int parse_value(struct entry *e, enum entry_field f, char *v)
{
	const char *name = field_names[f];

	switch (f) {
	case ENTRY_TYPE:
		return parse_type(e, v);
	case ENTRY_MODE:
		return parse_mode(e, name, v, &e->mode);
	case ENTRY_DIRMODE:
		return parse_mode(e, name, v, &e->dirmode);
	case ENTRY_UID:
		return parse_u32(e, name, v, ID_MAX, &e->uid);
	case ENTRY_GID:
		return parse_u32(e, name, v, ID_MAX, &e->gid);
	case ENTRY_MTIME:
		return parse_mtime(e, v);
	case ENTRY_SOURCE:
		return parse_string(e, name, v, 65535, &e->source);
	case ENTRY_OFFSET:
		return parse_limit(e, name, v, INT64_MAX, &e->offset);
	case ENTRY_SIZE:
		return parse_limit(e, name, v, DSFS_MAX_OFFSET - 1, &e->size);
	case ENTRY_FILL:
		return parse_fill(e, v);
	case ENTRY_TARGET:
		return parse_string(e, name, v, 65535, &e->target);
	case ENTRY_MAJOR:
		return parse_u32(e, name, v, 0xfff, &e->major);
	case ENTRY_MINOR:
		return parse_u32(e, name, v, 0xfffff, &e->minor);
	default:
		return -EINVAL;
	}
}

int entry_field(struct entry *e, const char *name, char *value)
{
	char buf[256];

	for (unsigned int f = 0; f < ENTRY_FIELDS; f++) {
		if (strcmp(name, field_names[f]))
			continue;
		if (entry_has(e, f))
			return entry_bad(e, "%s: given twice", name);
		e->given |= BIT(f);
		return parse_value(e, f, value);
	}
	return entry_bad(e, "%s: unknown field", msg_escape(buf, sizeof(buf), name));
}

static int parse_field(struct entry *e, char *word)
{
	char *eq = strchr(word, '='), buf[256];

	if (!eq)
		return entry_bad(e, "%s: not of the form field=value",
				 msg_escape(buf, sizeof(buf), word));
	*eq = '\0';
	return entry_field(e, word, eq + 1);
}

/* Check a path: names between slashes; a slash at the end marks a directory. */
static int check_path(struct entry *e)
{
	char *s = e->path + 1, buf[256];
	size_t len = strlen(s);

	if (!len || (len > 1 && s[len - 1] == '/')) {
		s[len ? len - 1 : 0] = '\0';
		if (!entry_has(e, ENTRY_TYPE))
			e->type = S_IFDIR;
		else if (e->type != S_IFDIR)
			return entry_bad(e, "path: ends with a slash and is not type=dir");
	}
	while (*s) {
		len = strchrnul(s, '/') - s;
		if (len > DSFS_NAME_MAX)
			return entry_bad(e, "path: a name of %zu bytes: the limit is %d",
					 len, DSFS_NAME_MAX);
		if (!dsfs_name_valid(s, len) || (s[len] && !s[len + 1]))
			return entry_bad(e, "path: %s: has an empty name, . or ..",
					 msg_escape(buf, sizeof(buf), e->path));
		s += len + !!s[len];
	}
	return 0;
}

/* Name of the first field of @mask. */
static const char *first_of(u32 mask)
{
	return field_names[__builtin_ctz(mask)];
}

static int check_content(struct entry *e)
{
	bool source = e->source, fill = entry_has(e, ENTRY_FILL);

	if (source && fill)
		return entry_bad(e, "source and fill: one of them is enough");
	if (entry_has(e, ENTRY_OFFSET) && !source)
		return entry_bad(e, "offset: needs source");
	if (entry_has(e, ENTRY_SIZE) && !source && !fill)
		return entry_bad(e, "size: needs source or fill");
	if (fill && !entry_has(e, ENTRY_SIZE))
		return entry_bad(e, "fill: needs size");
	return 0;
}

static int check_fields(struct entry *e)
{
	const struct type *t = types;

	while (t->type != e->type)
		t++;
	if (e->given & ~t->may)
		return entry_bad(e, "%s: not for type=%s",
				 first_of(e->given & ~t->may), t->name);
	if (e->xattrs.n && e->type == ENTRY_LINK)
		return entry_bad(e, "xattrs: not for type=%s", t->name);
	if (t->must & ~e->given)
		return entry_bad(e, "%s: missing, type=%s needs it",
				 first_of(t->must & ~e->given), t->name);
	if (e->type == S_IFLNK && strlen(e->target) > DSFS_SYMLINK_MAX)
		return entry_bad(e, "target: %zu bytes: the limit is %d",
				 strlen(e->target), DSFS_SYMLINK_MAX);
	return check_content(e);
}

static int parse_words(struct entry *e, char *line)
{
	char *save, *word = strtok_r(line, " \t", &save), buf[256];
	bool defaults = !strcmp(word, "default");
	int ret = 0;

	if (*word != '/' && !defaults)
		return entry_bad(e, "%s: neither a path from / on nor 'default'",
				 msg_escape(buf, sizeof(buf), word));
	e->path = defaults ? NULL : word;
	while (!ret && (word = strtok_r(NULL, " \t", &save)))
		ret = parse_field(e, word);
	if (ret)
		return ret;
	if (defaults)
		return e->given & ~DEFAULTS ?
		       entry_bad(e, "%s: not for default",
				 first_of(e->given & ~DEFAULTS)) : 1;
	return unescape(e, "path", e->path);
}

int entry_parse(struct entry *e, char *line, size_t len)
{
	size_t blanks = strspn(line, " \t");
	int ret;

	memset(e, 0, offsetof(struct entry, xattrs));
	e->xattrs.size = sizeof(struct xattr_item);
	e->xattrs.n = 0;
	e->type = S_IFREG;
	e->raw = line[blanks] == '{';
	if (memchr(line, 0, len))
		return entry_bad(e, "has a NUL byte");
	if (!line[blanks] || line[blanks] == '#')
		return 0;
	ret = e->raw ? entry_parse_json(e, line, len) : parse_words(e, line);
	if (!ret)
		ret = check_path(e);
	if (!ret)
		ret = check_fields(e);
	return ret ? ret : 1;
}

void entry_free(struct entry *e)
{
	array_free(&e->xattrs);
	free(e->text);
}

/* SplitMix64 */
static u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Make the bytes of fill=NUMBER.  None is zero, so no run of zeros becomes a hole. */
void fill_pattern(char *p, size_t bytes, u64 seed, u64 pos)
{
	u64 base = mix(seed) + pos / 8;

	for (size_t at = 0; at < bytes; at += 8) {
		__le64 word = cpu_to_le64(mix(base + at / 8) |
					  0x0101010101010101ULL);

		memcpy(p + at, &word, bytes - at < 8 ? bytes - at : 8);
	}
}
