// SPDX-License-Identifier: GPL-2.0
/*
 * The options of -o.  Those of the file system have the names and values that they have with
 * the module.  Those for mount(8) and fstab(5) are ignored.  The rest is libfuse's, which
 * says what is wrong with them.
 */
#include <stdlib.h>

#include "args.h"
#include "fuse.h"
#include "msg.h"
#include "parse.h"

#define WHOLEFILE_DEFAULT	1048576
#define WHOLEFILE_MAX		1073741824
#define HOLD_DEFAULT		67108864

enum key {
	KEY_IGNORED, KEY_GENERATION, KEY_OFFSET, KEY_SIZELIMIT, KEY_WHOLEFILE, KEY_HOLD,
	KEY_UID, KEY_GID, KEY_META, KEY_VERIFY, KEY_IMAGECACHE, KEY_CACHE,
};

static const struct fuse_opt table[] = {
	FUSE_OPT_KEY("generation=", KEY_GENERATION),
	FUSE_OPT_KEY("offset=", KEY_OFFSET),
	FUSE_OPT_KEY("sizelimit=", KEY_SIZELIMIT),
	FUSE_OPT_KEY("wholefile=", KEY_WHOLEFILE),
	FUSE_OPT_KEY("hold=", KEY_HOLD),
	FUSE_OPT_KEY("uid=", KEY_UID),
	FUSE_OPT_KEY("gid=", KEY_GID),
	FUSE_OPT_KEY("meta=", KEY_META),
	FUSE_OPT_KEY("verify=", KEY_VERIFY),
	FUSE_OPT_KEY("imagecache=", KEY_IMAGECACHE),
	FUSE_OPT_KEY("cache=", KEY_CACHE),
	FUSE_OPT_KEY("defaults", KEY_IGNORED),
	FUSE_OPT_KEY("auto", KEY_IGNORED),
	FUSE_OPT_KEY("noauto", KEY_IGNORED),
	FUSE_OPT_KEY("nofail", KEY_IGNORED),
	FUSE_OPT_KEY("_netdev", KEY_IGNORED),
	FUSE_OPT_KEY("user", KEY_IGNORED),
	FUSE_OPT_KEY("users", KEY_IGNORED),
	FUSE_OPT_KEY("loop", KEY_IGNORED),
	FUSE_OPT_KEY("relatime", KEY_IGNORED),
	FUSE_OPT_KEY("norelatime", KEY_IGNORED),
	FUSE_OPT_KEY("x-", KEY_IGNORED),
	FUSE_OPT_END
};

static int take_number(const char *opt, const char *value, u64 min, u64 max, u64 *v)
{
	int ret = parse_u64(value, v);

	if (!ret && *v >= min && *v <= max)
		return 0;
	msg_error(NULL, "option %s: not a number from %llu to %llu", opt, min, max);
	return -1;
}

static int take_size(const char *opt, const char *value, u64 max, u64 *v)
{
	if (parse_size(value, v)) {
		msg_error(NULL, "option %s: not a size", opt);
		return -1;
	}
	if (*v > max) {
		msg_error(NULL, "option %s: %llu is above the limit of %llu", opt, *v, max);
		return -1;
	}
	return 0;
}

static int take_owner(const char *opt, const char *value, s64 *v)
{
	u64 id;

	if (take_number(opt, value, 0, U32_MAX - 1, &id))
		return -1;
	*v = id;
	return 0;
}

/* One of two words; @second says which. */
static int take_word(const char *opt, const char *value, const char *no, const char *yes,
		     bool *second)
{
	*second = !strcmp(value, yes);
	if (*second || !strcmp(value, no))
		return 0;
	msg_error(NULL, "option %s: neither %s nor %s", opt, no, yes);
	return -1;
}

/* That of the page cache is the kernel's own; the other needs the module. */
static int take_cache(const char *opt, const char *value)
{
	if (!strcmp(value, "lru"))
		return 0;
	msg_error(NULL, "option %s: without the module there is lru alone", opt);
	return -1;
}

static int take(struct fuse_options *o, enum key key, const char *opt)
{
	const char *value = strchr(opt, '=');

	value = value ? value + 1 : "";
	switch (key) {
	case KEY_GENERATION:	return take_number(opt, value, 1, UINT64_MAX, &o->generation);
	case KEY_OFFSET:	return take_size(opt, value, INT64_MAX, &o->offset);
	case KEY_SIZELIMIT:	return take_size(opt, value, INT64_MAX, &o->sizelimit);
	case KEY_WHOLEFILE:	return take_size(opt, value, WHOLEFILE_MAX, &o->wholefile);
	case KEY_HOLD:		return take_size(opt, value, SIZE_MAX / 2, &o->hold);
	case KEY_UID:		return take_owner(opt, value, &o->uid);
	case KEY_GID:		return take_owner(opt, value, &o->gid);
	case KEY_META:		return take_word(opt, value, "resident", "lazy", &o->lazy);
	case KEY_VERIFY:	return take_word(opt, value, "off", "on", &o->check);
	case KEY_IMAGECACHE:	return take_word(opt, value, "drop", "keep", &o->keep_image);
	case KEY_CACHE:		return take_cache(opt, value);
	default:		return 0;
	}
}

/* Of the words with a dash: what fuse_parse_cmdline() takes.  A value of -o has none. */
static bool is_known(const char *arg)
{
	static const char * const known[] = {
		"-h", "--help", "-V", "--version", "-d", "-f", "-s",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(arg, known[i]))
			return true;
	}
	return *arg != '-';
}

/* Return: 0: it is ours, 1: libfuse's, -1 after a message. */
static int on_option(void *data, const char *arg, int key, struct fuse_args *out)
{
	struct fuse_options *o = data;

	(void)out;
	if (key == FUSE_OPT_KEY_NONOPT && !o->image) {
		o->image = strdup(arg);
		return o->image ? 0 : -1;
	}
	if (key == FUSE_OPT_KEY_OPT && !is_known(arg))
		return args_refused(-1, arg, "unknown option");
	if (key == FUSE_OPT_KEY_NONOPT || key == FUSE_OPT_KEY_OPT)
		return 1;
	return take(o, key, arg);
}

int options_parse(struct fuse_args *args, struct fuse_options *opt)
{
	*opt = (struct fuse_options){
		.wholefile = WHOLEFILE_DEFAULT,
		.hold = HOLD_DEFAULT,
		.uid = -1,
		.gid = -1,
		.check = true,
	};
	return fuse_opt_parse(args, opt, table, on_option);
}

void options_free(struct fuse_options *opt)
{
	free(opt->image);
}
