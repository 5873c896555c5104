// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest: each is a JSON object.  A generator that writes ten million lines
 * has a mistake in one of them, so all that can be wrong with a line by itself is found
 * here, and said with the value and the limit.
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
#define ATTRS		(BIT(ENTRY_PATH) | BIT(ENTRY_TYPE) | BIT(ENTRY_MODE) | BIT(ENTRY_UID) | \
			 BIT(ENTRY_GID) | BIT(ENTRY_MTIME) | BIT(ENTRY_XATTRS))
#define DEFAULTS	(BIT(ENTRY_DEFAULT) | BIT(ENTRY_MODE) | BIT(ENTRY_DIRMODE) | \
			 BIT(ENTRY_UID) | BIT(ENTRY_GID) | BIT(ENTRY_MTIME))
#define DEVICE		(BIT(ENTRY_MAJOR) | BIT(ENTRY_MINOR))
/* Their numbers are octal, or they are none. */
#define TEXTS		(BIT(ENTRY_PATH) | BIT(ENTRY_TYPE) | BIT(ENTRY_MODE) | BIT(ENTRY_DIRMODE) | \
			 BIT(ENTRY_SOURCE) | BIT(ENTRY_TARGET))

static const char *const field_names[ENTRY_FIELDS] = {
	"path", "type", "mode", "dirmode", "uid", "gid", "mtime", "source", "offset",
	"size", "target", "major", "minor", "xattrs", "default",
};

/* Fields that a type may have and must have */
static const struct type {
	const char *name;
	u16 type;
	u32 may;
	u32 must;
} types[] = {
	{ "file", S_IFREG, ATTRS | BIT(ENTRY_SOURCE) | BIT(ENTRY_OFFSET) | BIT(ENTRY_SIZE), 0 },
	{ "dir", S_IFDIR, ATTRS, 0 },
	{ "symlink", S_IFLNK, ATTRS | BIT(ENTRY_TARGET), BIT(ENTRY_TARGET) },
	{ "link", ENTRY_LINK, BIT(ENTRY_PATH) | BIT(ENTRY_TYPE) | BIT(ENTRY_TARGET),
	  BIT(ENTRY_TARGET) },
	{ "char", S_IFCHR, ATTRS | DEVICE, DEVICE },
	{ "block", S_IFBLK, ATTRS | DEVICE, DEVICE },
	{ "fifo", S_IFIFO, ATTRS, 0 },
	{ "socket", S_IFSOCK, ATTRS, 0 },
	{ NULL, 0, 0, 0 },
};

__printf(2, 3)
static int bad(struct entry *e, const char *fmt, ...)
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

	return bad(e, "%s: %s: not %s", field,
			 msg_escape(buf, sizeof(buf), value), want);
}

static int parse_mode(struct entry *e, const char *field, const char *v, u16 *mode)
{
	unsigned long n = 010000;
	char *end = NULL;

	if (*v >= '0' && *v <= '7')
		n = strtoul(v, &end, 8);
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
		return bad(e, "%s: %s: the limit is %llu", field,
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

static int parse_string(struct entry *e, const char *field, char *v, size_t max, char **s)
{
	const size_t len = strlen(v);

	if (!len)
		return bad(e, "%s: is empty", field);
	if (len > max)
		return bad(e, "%s: %zu bytes: the limit is %zu", field, len, max);
	*s = v;
	return 0;
}

static int parse_value(struct entry *e, enum entry_field f, char *v)
{
	const char *name = field_names[f];

	switch (f) {
	case ENTRY_PATH:
		e->path = v;
		return 0;
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

/*
 * A number with a fraction would be rounded to 53 bits, which are too few for the nanoseconds
 * of a time.
 */
static int take_number(struct entry *e, enum entry_field f, const json_t *value)
{
	const char *name = field_names[f];
	char text[32];

	if (BIT(f) & TEXTS)
		return bad(e, "%s: not a string%s", name,
			   strstr(name, "mode") ? ": it is octal" : "");
	if (!json_is_number(value))
		return bad(e, "%s: neither a string nor a number", name);
	if (json_is_real(value))
		return bad(e, "%s: %.17g: a number with a fraction or an exponent has to be a string",
			   name, json_real_value(value));
	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	return parse_value(e, f, text);
}

/* What an attribute may be is asked when the set is made: xattr_check(). */
static int take_xattr(struct entry *e, char *key, const json_t *value)
{
	struct xattr_item it = { 0 }, *slot;
	char *text, shown[256];
	int bytes;

	msg_escape(shown, sizeof(shown), key);
	it.prefix = xattr_split(key, &it.name);
	if (!it.prefix)
		return bad(e, "xattrs: %s: not a kind that the format has", shown);
	if (!json_is_string(value))
		return bad(e, "xattrs: %s: not a string", shown);
	text = json_line_string(&e->line, json_string_value(value));
	bytes = json_line_hex(text);
	if (bytes < 0)
		return bad(e, "xattrs: %s: not pairs of hexadecimal digits", shown);
	it.len = strlen(it.name);
	it.value = text;
	it.value_len = bytes;
	slot = array_add(&e->xattrs);
	if (!slot)
		return bad(e, "xattrs: out of memory");
	*slot = it;
	return 0;
}

static int take_xattrs(struct entry *e, json_t *object)
{
	const char *key;
	json_t *value;
	int ret = 0;

	if (!json_is_object(object))
		return bad(e, "xattrs: not an object");
	json_object_foreach(object, key, value) {
		ret = take_xattr(e, json_line_string(&e->line, key), value);
		if (ret)
			break;
	}
	return ret;
}

static int take_field(struct entry *e, const char *key, json_t *value)
{
	char buf[256];
	unsigned int f = 0;

	while (f < ENTRY_DEFAULT && strcmp(key, field_names[f]))
		f++;
	if (f == ENTRY_DEFAULT)
		return bad(e, "%s: unknown field", msg_escape(buf, sizeof(buf), key));
	e->given |= BIT(f);
	if (f == ENTRY_XATTRS)
		return take_xattrs(e, value);
	if (json_is_string(value))
		return parse_value(e, f, json_line_string(&e->line, json_string_value(value)));
	return take_number(e, f, value);
}

static int take_fields(struct entry *e, json_t *object)
{
	const char *key;
	json_t *value;
	int ret = 0;

	json_object_foreach(object, key, value) {
		ret = take_field(e, json_line_string(&e->line, key), value);
		if (ret)
			break;
	}
	return ret;
}

/* {"default": {...}}: the fields that lines have if they do not give their own */
static int take_line(struct entry *e, json_t *object)
{
	json_t *defaults = json_object_get(object, field_names[ENTRY_DEFAULT]);

	if (!defaults)
		return take_fields(e, object);
	e->given |= BIT(ENTRY_DEFAULT);
	if (!json_is_object(defaults) || json_object_size(object) > 1)
		return bad(e, "default: not an object of its own");
	return take_fields(e, defaults);
}

/* Check a path: names between slashes; a slash at the end marks a directory. */
static int check_path(struct entry *e)
{
	char *s = e->path + 1, buf[256];
	size_t len;

	if (*e->path != '/')
		return bad(e, "path: %s: not a path from / on",
			   msg_escape(buf, sizeof(buf), e->path));
	len = strlen(s);
	if (!len || (len > 1 && s[len - 1] == '/')) {
		s[len ? len - 1 : 0] = '\0';
		if (!entry_has(e, ENTRY_TYPE))
			e->type = S_IFDIR;
		else if (e->type != S_IFDIR)
			return bad(e, "path: ends with a slash and is not type=dir");
	}
	while (*s) {
		len = strchrnul(s, '/') - s;
		if (len > DSFS_NAME_MAX)
			return bad(e, "path: a name of %zu bytes: the limit is %d",
					 len, DSFS_NAME_MAX);
		if (!dsfs_name_valid(s, len) || (s[len] && !s[len + 1]))
			return bad(e, "path: %s: has an empty name, . or ..",
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

static int check_fields(struct entry *e)
{
	const struct type *t = types;

	while (t->type != e->type)
		t++;
	if (e->given & ~t->may)
		return bad(e, "%s: not for type=%s",
				 first_of(e->given & ~t->may), t->name);
	if (t->must & ~e->given)
		return bad(e, "%s: missing, type=%s needs it",
				 first_of(t->must & ~e->given), t->name);
	if (e->type == S_IFLNK && strlen(e->target) > DSFS_SYMLINK_MAX)
		return bad(e, "target: %zu bytes: the limit is %d",
				 strlen(e->target), DSFS_SYMLINK_MAX);
	if (!e->source && entry_has(e, ENTRY_OFFSET))
		return bad(e, "offset: needs source");
	if (!e->source && entry_has(e, ENTRY_SIZE))
		return bad(e, "size: needs source");
	return 0;
}

static int check_entry(struct entry *e)
{
	int ret;

	if (entry_has(e, ENTRY_DEFAULT))
		return e->given & ~DEFAULTS ?
		       bad(e, "%s: not for default", first_of(e->given & ~DEFAULTS)) : 0;
	if (!e->path)
		return bad(e, "path: missing");
	ret = check_path(e);
	return ret ? ret : check_fields(e);
}

int entry_parse(struct entry *e, char *line, size_t len)
{
	const char first = line[strspn(line, " \t\r")];
	json_t *object;
	int ret;

	memset(e, 0, offsetof(struct entry, xattrs));
	e->xattrs.size = sizeof(struct xattr_item);
	e->xattrs.n = 0;
	e->type = S_IFREG;
	if (memchr(line, 0, len))
		return bad(e, "has a NUL byte");
	if (!first || first == '#')
		return 0;
	if (first != '{')
		return bad(e, "not an object of JSON");
	object = json_line_load(&e->line, line, len, e->why, sizeof(e->why));
	if (!object)
		return -EINVAL;
	ret = take_line(e, object);
	json_decref(object);
	if (!ret)
		ret = check_entry(e);
	return ret ? ret : 1;
}

void entry_free(struct entry *e)
{
	array_free(&e->xattrs);
	free(e->line.text);
}
