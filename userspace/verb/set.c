// SPDX-License-Identifier: GPL-2.0
/* dsfs set: a generation with other attributes, as chmod, chown, touch and setfattr set them. */
#include "change_rows.h"
#include "msg.h"
#include "parse.h"
#include "verb.h"

#define ID_MAX	4294967294U	/* the last one means "no id" */

static struct edit_attrs *attrs_of(void *o)
{
	return &((struct change *)o)->attrs;
}

static int arg_mode(const struct arg *a, void *o, const char *value)
{
	char *end;

	attrs_of(o)->mode = strtoul(value, &end, 8);
	if (*value >= '0' && *value <= '7' && !*end && attrs_of(o)->mode <= 07777)
		return 0;
	return arg_wrong(a, value, "not an octal number up to 7777");
}

static bool parse_id(const char *text, size_t len, u32 *id, bool *set)
{
	char *end;
	u64 n;

	if (!len)
		return true;
	n = strtoull(text, &end, 10);
	*id = n;
	*set = true;
	return *text >= '0' && *text <= '9' && end == text + len && n <= ID_MAX;
}

/* Of users and groups an image has numbers alone. */
static int arg_owner(const struct arg *a, void *o, const char *value)
{
	struct edit_attrs *at = attrs_of(o);
	const size_t len = strcspn(value, ":");
	const char *group = value + len + !!value[len];

	if (*value && parse_id(value, len, &at->uid, &at->set_uid) &&
	    parse_id(group, strlen(group), &at->gid, &at->set_gid) &&
	    (at->set_uid || at->set_gid))
		return 0;
	return arg_wrong(a, value, "not numbers, as in 1000:1000, 1000 or :1000");
}

static int arg_mtime(const struct arg *a, void *o, const char *value)
{
	if (!parse_time(value, &attrs_of(o)->mtime))
		return 0;
	return arg_wrong(a, value, "not seconds from 1677 to 2262, with up to nine decimals");
}

static int arg_xattr(const struct arg *a, void *o, const char *value)
{
	struct array *xattrs = &attrs_of(o)->xattrs;
	char *name = strdup(value), *text = name ? strchr(name, '=') : NULL;
	struct xattr_item it = { .name = name };

	if (text) {
		*text++ = '\0';
		it.value = text;
		it.value_len = strlen(text);
	}
	xattrs->size = sizeof(it);
	if (!name || array_append(xattrs, &it))
		return no_memory();
	return *name ? 0 : arg_wrong(a, value, "has no name");
}

static const struct arg option_table[] = {
	{ 0, "mode", "MODE", "permissions, as an octal number", .set = arg_mode,
	  ARG_GIVEN(struct change, attrs.set_mode) },
	{ 0, "owner", "UID:GID", "owner, group, or both, as numbers", .set = arg_owner },
	{ 0, "mtime", "SECONDS", "time of the last change, in seconds since 1970",
	  .set = arg_mtime, ARG_GIVEN(struct change, attrs.set_mtime) },
	{ 0, "xattr", "NAME=VALUE", "an extended attribute; without = and VALUE it goes",
	  .set = arg_xattr },
	{ CHANGE_FROM },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs set [options] IMAGE PATTERN...\n"
	"       dsfs set [options] --from=FILE IMAGE [PATTERN...]\n"
	"Make a generation of the image with other attributes of what matches a pattern or is\n"
	"in a list; not of what is below it.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  dsfs set --mode=644 --owner=0:0 train.dsfs 'cats/*'\n"
	"  dsfs set --xattr=user.split=train train.dsfs cats/1.jpg\n",
	.words = "IMAGE", .low = 1,
	.table = option_table,
};

static int set_path(struct edit *e, struct change *c, const char *path)
{
	return edit_set(e, path, &c->attrs);
}

static const char *lacks(const struct change *c)
{
	const struct edit_attrs *a = &c->attrs;

	return a->set_mode || a->set_uid || a->set_gid || a->set_mtime || a->xattrs.n ? NULL :
	       "nothing to be set: --mode, --owner, --mtime or --xattr";
}

int verb_set(int argc, char **argv)
{
	static const struct change_verb verb = {
		&command_line, lacks, change_paths, .path = set_path,
	};

	return change_verb(&verb, argc, argv);
}
