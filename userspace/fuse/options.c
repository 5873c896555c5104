// SPDX-License-Identifier: GPL-2.0
/*
 * The options of -o.  Those of the file system have the names and values that they have with
 * the module.  Those for mount(8) and fstab(5) are ignored.  The rest is libfuse's, which
 * says what is wrong with them.
 */
#include "args.h"
#include "fuse.h"
#include "msg.h"
#include "origin.h"
#include "parse.h"

#define WHOLEFILE_DEFAULT	1048576
#define WHOLEFILE_MAX		1073741824
#define HOLD_DEFAULT		67108864

enum value_kind { NUMBER, SIZE, WORD, CACHE };

/**
 * struct option - an option with a value
 * @name: with the = behind it
 * @to: offset of its member in struct fuse_options
 * @min: of a number; @max: of a size, too
 * @words: false and true, of a bool
 * @both: libfuse's, too
 */
static const struct option {
	const char *name;
	enum value_kind kind;
	size_t to;
	u64 min;
	u64 max;
	const char *words[2];
	bool both;
} table[] = {
#define TO(member)	.to = offsetof(struct fuse_options, member)
	{ .name = "generation=", NUMBER, TO(generation), .min = 1, .max = UINT64_MAX },
	{ .name = "offset=", SIZE, TO(offset), .max = INT64_MAX },
	{ .name = "sizelimit=", SIZE, TO(sizelimit), .max = INT64_MAX },
	{ .name = "wholefile=", SIZE, TO(wholefile), .max = WHOLEFILE_MAX },
	{ .name = "hold=", SIZE, TO(hold), .max = SIZE_MAX / 2 },
	{ .name = "uid=", NUMBER, TO(uid), .max = U32_MAX - 1 },
	{ .name = "gid=", NUMBER, TO(gid), .max = U32_MAX - 1 },
	/* the kernel takes no less */
	{ .name = "max_read=", NUMBER, TO(max_read), .min = 4096, .max = U32_MAX, .both = true },
	{ .name = "meta=", WORD, TO(lazy), .words = { "resident", "lazy" } },
	{ .name = "verify=", WORD, TO(check), .words = { "off", "on" } },
	{ .name = "imagecache=", WORD, TO(keep_image), .words = { "drop", "keep" } },
	{ .name = "cache=", CACHE },
};

/*
 * For mount(8) and fstab(5), and what begins with x-.  suid and dev are what mount.fuse3(8) asks
 * for unless it is told otherwise: nobody means them, and the mount stays nosuid,nodev.
 */
static const char * const ignored[] = {
	"defaults", "auto", "noauto", "nofail", "_netdev", "user", "users", "loop", "relatime",
	"norelatime", "suid", "dev",
};

static bool is_ignored(const char *opt)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++) {
		if (!strcmp(opt, ignored[i]))
			return true;
	}
	return !strncmp(opt, "x-", 2);
}

static const struct option *find(const char *opt)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (!strncmp(opt, table[i].name, strlen(table[i].name)))
			return &table[i];
	}
	return NULL;
}

/* Parse the value of @opt into its member.  Return: 0, or -1 after a message. */
static int take(const struct option *o, const char *opt, void *member)
{
	const char *value = opt + strlen(o->name);
	u64 *n = member;

	switch (o->kind) {
	case NUMBER:
		if (!parse_u64(value, n) && *n >= o->min && *n <= o->max)
			return 0;
		return msg_error(NULL, "option %s: not a number from %llu to %llu", opt, o->min,
				 o->max);
	case SIZE:
		if (parse_size(value, n))
			msg_error(NULL, "option %s: not a size", opt);
		else if (*n > o->max)
			msg_error(NULL, "option %s: %llu is above the limit of %llu", opt, *n,
				  o->max);
		else
			return 0;
		return -1;
	case WORD:
		*(bool *)member = !strcmp(value, o->words[1]);
		if (*(bool *)member || !strcmp(value, o->words[0]))
			return 0;
		return msg_error(NULL, "option %s: neither %s nor %s", opt, o->words[0],
				 o->words[1]);
	default:
		/* the kernel's page cache does lru by itself; epoch needs the module */
		if (!strcmp(value, "lru"))
			return 0;
		return msg_error(NULL, "option %s: without the module there is lru alone", opt);
	}
}

/* Whether fuse_parse_cmdline() takes a word that begins with a dash.  A value of -o does not. */
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

/* An option of the way to a server: the library knows what may be in it. */
static int add_source(struct fuse_options *o, const char *arg)
{
	char *words;

	if (asprintf(&words, "%s,%s", o->source ? o->source : "", arg) < 0)
		return -1;
	free(o->source);
	o->source = words;
	return 0;
}

/* Return: 0: it is ours, 1: libfuse's, -1 after a message. */
static int on_option(void *data, const char *arg, int key, struct fuse_args *out)
{
	struct fuse_options *o = data;
	const struct option *found;

	if (key == FUSE_OPT_KEY_NONOPT && !o->image) {
		o->image = strdup(arg);
		return o->image ? 0 : -1;
	}
	if (key == FUSE_OPT_KEY_NONOPT)
		return 1;
	if (!is_known(arg))
		return args_refused(-1, arg, "unknown option");
	if (is_ignored(arg))
		return 0;
	found = find(arg);
	if (origin_has_option(arg) && (!found || !strcmp(arg, "verify=pieces")))
		return add_source(o, arg);
	if (!found)
		return 1;
	return take(found, arg, (char *)o + found->to) ? -1 : found->both;
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
	return fuse_opt_parse(args, opt, NULL, on_option);
}

void options_free(struct fuse_options *opt)
{
	free(opt->image);
	free(opt->source);
}
