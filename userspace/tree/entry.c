// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest: each is a JSON object.  A generator that writes ten million lines
 * has a mistake in one of them, so all that can be wrong with a line by itself is found
 * here, and said with the value and the limit.
 */
#include <stdarg.h>

#include "entry.h"
#include "format.h"
#include "msg.h"
#include "parse.h"
#include "xattr_set.h"

#define ID_MAX		4294967294U	/* the last one means "no id" */
#define BIT(f)		(1U << (f))
#define DEFAULTS	(BIT(ENTRY_MODE) | BIT(ENTRY_DIRMODE) | BIT(ENTRY_UID) | BIT(ENTRY_GID) | \
			 BIT(ENTRY_MTIME))
#define ATTRS		(BIT(ENTRY_PATH) | BIT(ENTRY_TYPE) | BIT(ENTRY_XATTRS) | \
			 (DEFAULTS & ~BIT(ENTRY_DIRMODE)))
#define DEVICE		(BIT(ENTRY_MAJOR) | BIT(ENTRY_MINOR))

/* How the value of a field is written, where it goes, and its limit */
static const struct field {
	const char *name;
	enum { TEXT, TYPE, OCTAL, NUMBER, TIME, OTHER } kind;
	size_t at;
	u64 max;
} fields[ENTRY_FIELDS] = {
#define AT(member) offsetof(struct entry, member)
	[ENTRY_PATH] = { "path", TEXT, AT(path), U32_MAX },
	[ENTRY_TYPE] = { "type", TYPE, 0, 0 },
	[ENTRY_MODE] = { "mode", OCTAL, AT(attrs.mode), 07777 },
	[ENTRY_DIRMODE] = { "dirmode", OCTAL, AT(attrs.dirmode), 07777 },
	[ENTRY_UID] = { "uid", NUMBER, AT(attrs.uid), ID_MAX },
	[ENTRY_GID] = { "gid", NUMBER, AT(attrs.gid), ID_MAX },
	[ENTRY_MTIME] = { "mtime", TIME, AT(attrs.mtime), 0 },
	[ENTRY_SOURCE] = { "source", TEXT, AT(source), 65535 },
	[ENTRY_OFFSET] = { "offset", NUMBER, AT(offset), INT64_MAX },
	[ENTRY_SIZE] = { "size", NUMBER, AT(size), DSFS_MAX_OFFSET - 1 },
	[ENTRY_TARGET] = { "target", TEXT, AT(target), 65535 },
	[ENTRY_MAJOR] = { "major", NUMBER, AT(major), 0xfff },
	[ENTRY_MINOR] = { "minor", NUMBER, AT(minor), 0xfffff },
	[ENTRY_XATTRS] = { "xattrs", OTHER, 0, 0 },
	[ENTRY_DEFAULT] = { "default", OTHER, 0, 0 },
	[ENTRY_OP] = { "op", TEXT, AT(op), U32_MAX },
	[ENTRY_FROM] = { "from", TEXT, AT(from), U32_MAX },
	[ENTRY_TO] = { "to", TEXT, AT(to), U32_MAX },
	[ENTRY_RECURSIVE] = { "recursive", OTHER, AT(recursive), 0 },
	[ENTRY_REPLACE] = { "replace", OTHER, AT(replace), 0 },
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

/* The same of operations; of set some attribute is needed */
static const struct op {
	const char *name;
	u32 may;
	u32 must;
} ops[] = {
	{ "rm", BIT(ENTRY_PATH) | BIT(ENTRY_RECURSIVE), BIT(ENTRY_PATH) },
	{ "mv", BIT(ENTRY_FROM) | BIT(ENTRY_TO), BIT(ENTRY_FROM) | BIT(ENTRY_TO) },
	{ "set", ATTRS & ~BIT(ENTRY_TYPE), BIT(ENTRY_PATH) },
	{ "add", BIT(ENTRY_SOURCE) | BIT(ENTRY_PATH) | BIT(ENTRY_REPLACE),
	  BIT(ENTRY_SOURCE) | BIT(ENTRY_PATH) },
	{ NULL, 0, 0 },
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

/* Say what a field's value is and has to be. */
static int bad_value(struct entry *e, const struct field *f, const char *value, const char *want)
{
	char buf[256];

	return bad(e, "%s: %s: not %s", f->name, msg_escape(buf, sizeof(buf), value), want);
}

static int parse_octal(struct entry *e, const struct field *f, const char *v, u64 *mode)
{
	char *end;

	*mode = strtoul(v, &end, 8);
	/* strtoul() takes blanks and signs, too */
	if (!(*v >= '0' && *v <= '7') || *mode > f->max || *end)
		return bad_value(e, f, v, "an octal number up to 7777");
	return 0;
}

static int parse_number(struct entry *e, const struct field *f, const char *v, u64 *n)
{
	char buf[256];
	int ret = parse_size(v, n);

	if (ret == -EINVAL)
		return bad_value(e, f, v, "a number");
	if (ret || *n > f->max)
		return bad(e, "%s: %s: the limit is %llu", f->name,
			   msg_escape(buf, sizeof(buf), v), f->max);
	return 0;
}

static int parse_type(struct entry *e, const struct field *f, const char *v)
{
	const struct type *t = types;

	while (t->name && strcmp(v, t->name))
		t++;
	e->type = t->type;
	return t->name ? 0 :
	       bad_value(e, f, v, "file, dir, symlink, link, char, block, fifo or socket");
}

static int parse_text(struct entry *e, const struct field *f, char *v, char **s)
{
	const size_t len = strlen(v);

	*s = v;
	if (!len)
		return bad(e, "%s: is empty", f->name);
	return len > f->max ? bad(e, "%s: %zu bytes: the limit is %llu", f->name, len, f->max) : 0;
}

static int parse_value(struct entry *e, const struct field *f, char *v)
{
	void *to = (char *)e + f->at;

	switch (f->kind) {
	case TEXT:
		return parse_text(e, f, v, to);
	case TYPE:
		return parse_type(e, f, v);
	case OCTAL:
		return parse_octal(e, f, v, to);
	case NUMBER:
		return parse_number(e, f, v, to);
	default:
		if (!parse_time(v, to))
			return 0;
		return bad_value(e, f, v, "seconds from 1677 to 2262, with up to nine decimals");
	}
}

/*
 * A number with a fraction would be rounded to 53 bits, which are too few for the nanoseconds
 * of a time.
 */
static int take_number(struct entry *e, const struct field *f, const json_t *value)
{
	char text[32];

	if (f->kind < NUMBER)
		return bad(e, "%s: not a string%s", f->name,
			   f->kind == OCTAL ? ": it is octal" : "");
	if (!json_is_number(value))
		return bad(e, "%s: neither a string nor a number", f->name);
	if (json_is_real(value))
		return bad(e,
			   "%s: %.17g: a number with a fraction or an exponent has to be a string",
			   f->name, json_real_value(value));
	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	return parse_value(e, f, text);
}

/* What an attribute may be is asked when the set is made. */
static int take_xattr(struct entry *e, char *key, json_t *value)
{
	struct xattr_item it = { .name = key };
	char *text, shown[256];
	int bytes;

	msg_escape(shown, sizeof(shown), key);
	if (e->op && json_is_null(value))
		return array_append(&e->xattrs, &it) ? bad(e, "xattrs: out of memory") : 0;
	if (!json_is_string(value))
		return bad(e, "xattrs: %s: not a string", shown);
	text = json_line_string(&e->line, json_string_value(value));
	bytes = json_line_hex(text);
	if (bytes < 0)
		return bad(e, "xattrs: %s: not pairs of hexadecimal digits", shown);
	it.value = text;
	it.value_len = bytes;
	return array_append(&e->xattrs, &it) ? bad(e, "xattrs: out of memory") : 0;
}

/* Take all members of an object, each by @take. */
static int take_object(struct entry *e, json_t *object,
		       int (*take)(struct entry *e, char *key, json_t *value))
{
	const char *key;
	json_t *value;
	int ret = 0;

	json_object_foreach(object, key, value) {
		ret = take(e, json_line_string(&e->line, key), value);
		if (ret)
			break;
	}
	return ret;
}

static int take_field(struct entry *e, char *key, json_t *value)
{
	const struct field *f = fields;
	char buf[256];

	while (f < fields + ENTRY_DEFAULT && strcmp(key, f->name))
		f++;
	if (f == fields + ENTRY_DEFAULT)
		return bad(e, "%s: unknown field", msg_escape(buf, sizeof(buf), key));
	e->given |= BIT(f - fields);
	if (f->kind == OTHER)
		return json_is_object(value) ? take_object(e, value, take_xattr) :
					       bad(e, "xattrs: not an object");
	if (json_is_string(value))
		return parse_value(e, f, json_line_string(&e->line, json_string_value(value)));
	return take_number(e, f, value);
}

/* Name of the first field of @mask. */
static const char *first_of(u32 mask)
{
	return fields[__builtin_ctz(mask)].name;
}

/* {"default": {...}}: the fields that lines have if they do not give their own */
static int take_defaults(struct entry *e, json_t *object, json_t *defaults)
{
	int ret;

	if (!json_is_object(defaults) || json_object_size(object) > 1)
		return bad(e, "default: not an object of its own");
	ret = take_object(e, defaults, take_field);
	if (ret)
		return ret;
	if (e->given & ~DEFAULTS)
		return bad(e, "%s: not for default", first_of(e->given & ~DEFAULTS));
	e->defaults = e->attrs;
	return 0;
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
			return bad(e, "path: a name of %zu bytes: the limit is %d", len,
				   DSFS_NAME_MAX);
		if (!dsfs_name_valid(s, len) || (s[len] && !s[len + 1]))
			return bad(e, "path: %s: has an empty name, . or ..",
				   msg_escape(buf, sizeof(buf), e->path));
		s += len + !!s[len];
	}
	return 0;
}

static int check_fields(struct entry *e)
{
	const struct type *t = types;

	while (t->type != e->type)
		t++;
	if (e->given & ~t->may)
		return bad(e, "%s: not for type=%s", first_of(e->given & ~t->may), t->name);
	if (t->must & ~e->given)
		return bad(e, "%s: missing, type=%s needs it", first_of(t->must & ~e->given),
			   t->name);
	if (e->type == S_IFLNK && strlen(e->target) > DSFS_SYMLINK_MAX)
		return bad(e, "target: %zu bytes: the limit is %d", strlen(e->target),
			   DSFS_SYMLINK_MAX);
	if (!e->source && e->given & (BIT(ENTRY_OFFSET) | BIT(ENTRY_SIZE)))
		return bad(e, "%s: needs source", entry_has(e, ENTRY_OFFSET) ? "offset" : "size");
	return 0;
}

/* Return: as entry_parse() does. */
static int take_line(struct entry *e, json_t *object)
{
	json_t *defaults = json_object_get(object, fields[ENTRY_DEFAULT].name);
	int ret;

	if (defaults)
		return take_defaults(e, object, defaults);
	ret = take_object(e, object, take_field);
	if (!ret && !e->path)
		ret = bad(e, "path: missing");
	return ret ?: check_path(e) ?: check_fields(e) ?: 1;
}

static int take_op_field(struct entry *e, char *key, json_t *value)
{
	const struct field *f = fields + ENTRY_OP;

	while (f < fields + ENTRY_FIELDS && strcmp(key, f->name))
		f++;
	if (f == fields + ENTRY_FIELDS)
		return take_field(e, key, value);
	e->given |= BIT(f - fields);
	if (f->kind == OTHER) {
		*(bool *)((char *)e + f->at) = json_is_true(value);
		return json_is_boolean(value) ? 0 : bad(e, "%s: not true or false", f->name);
	}
	if (!json_is_string(value))
		return take_number(e, f, value);
	return parse_value(e, f, json_line_string(&e->line, json_string_value(value)));
}

static int take_op(struct entry *e, json_t *object)
{
	const json_t *name = json_object_get(object, fields[ENTRY_OP].name);
	const struct op *o = ops;
	char shown[64];
	u32 given;
	int ret;

	/* a value of an attribute depends on its being there */
	e->op = (char *)json_string_value(name);
	if (!e->op)
		return bad(e, "op: missing, or not a string");
	while (o->name && strcmp(o->name, e->op))
		o++;
	if (!o->name)
		return bad(e, "op: %s: not rm, mv, set or add",
			   msg_escape(shown, sizeof(shown), e->op));
	ret = take_object(e, object, take_op_field);
	given = e->given & ~BIT(ENTRY_OP);
	if (ret)
		return ret;
	if (given & ~o->may)
		return bad(e, "%s: not for op=%s", first_of(given & ~o->may), o->name);
	if (o->must & ~given)
		return bad(e, "%s: missing, op=%s needs it", first_of(o->must & ~given), o->name);
	return o->may & BIT(ENTRY_MODE) && given == o->must ? bad(e, "set: nothing to be set") : 1;
}

/* Read a line; @take: what is in it.  Return: as entry_parse() does. */
static int parse_line(struct entry *e, char *line, size_t len,
		      int (*take)(struct entry *e, json_t *object))
{
	const char first = line[strspn(line, " \t\r")];
	json_t *object;
	int ret;

	memset(e, 0, offsetof(struct entry, attrs));
	e->attrs = e->defaults;
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
	ret = take(e, object);
	json_decref(object);
	return ret;
}

int entry_parse(struct entry *e, char *line, size_t len)
{
	return parse_line(e, line, len, take_line);
}

int entry_parse_op(struct entry *e, char *line, size_t len)
{
	return parse_line(e, line, len, take_op);
}

void entry_free(struct entry *e)
{
	array_free(&e->xattrs);
	free(e->line.text);
}
