// SPDX-License-Identifier: GPL-2.0
/* Values of options that are more than a word, a number or a size. */
#include "list.h"
#include "msg.h"
#include "parse.h"
#include "rows.h"

const struct arg allow_words[] = {
	{ .name = "unreadable", ARG_FLAG(struct options, allow.unreadable) },
	{ .name = "changing", ARG_FLAG(struct options, allow.changing) },
	{ .name = "joined", ARG_FLAG(struct options, allow.joined) },
	{ .name = "absolute", ARG_FLAG(struct options, allow.absolute) },
	{ }
};

static int add_pattern(const struct arg *a, struct patterns *set, const char *text)
{
	return patterns_add(set, text, strlen(text)) ? arg_wrong(a, text, "not a pattern") : 0;
}

static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	return memchr(line, 0, len) ? -EINVAL : patterns_add(ctx, line, len);
}

/* A pattern, or @ and a file that has one a line */
int take_pattern(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;
	int ret;

	if (*arg != '@')
		return add_pattern(a, &o->exclude, arg);
	ret = list_read(arg + 1, false, add_line, &o->exclude);
	if (ret == -EINVAL)
		msg_error(arg + 1, "not a list of patterns");
	return ret ? 1 : 0;
}

/* All of them need not even be listed. */
int take_names(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	if (strcmp(arg, "*"))
		return add_pattern(a, &o->no_names, arg);
	o->no_names.all = true;
	return 0;
}

int take_time(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	return parse_time(arg, &o->build_time) ?
	       arg_wrong(a, arg, "not seconds from 1677 to 2262") : 0;
}

int take_tar(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;
	const char **more = realloc(o->tars, (o->ntars + 1) * sizeof(*more));

	if (!more) {
		no_memory();
		return 1;
	}
	o->tars = more;
	more[o->ntars++] = arg;
	return 0;
}

int take_tar_index(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	o->tar_index = true;
	if (arg && (parse_size(arg, &o->tar_bytes) || !o->tar_bytes || o->tar_bytes % 512 ||
		    o->tar_bytes >= DSFS_MAX_OFFSET))
		return arg_wrong(a, arg, "not a multiple of 512 from 512 to 2^48 - 512");
	return 0;
}

/* Files that are not compressed: a pattern, or +SIZE */
static int take_unpacked(const struct arg *a, struct pack_rules *pack, const char *text)
{
	if (*text != '+')
		return add_pattern(a, &pack->except, text);
	return !parse_size(text + 1, &pack->most) && pack->most ? 0 :
	       arg_wrong(a, text, "not + and a size");
}

int take_compress(const struct arg *a, void *ctx, const char *arg)
{
	struct pack_rules *pack = &((struct options *)ctx)->pack;
	u64 level = PACK_LEVEL;

	if (!strncmp(arg, "none:", 5))
		return take_unpacked(a, pack, arg + 5);
	pack->codec = DSFS_CODEC_ZSTD;
	pack->quick = false;
	pack->given = true;
	if (!strcmp(arg, "lz4"))
		pack->codec = DSFS_CODEC_LZ4;
	else if (!strcmp(arg, "none"))
		pack->codec = 0;
	else if (!strcmp(arg, "auto"))
		pack->quick = true;
	else if (!strncmp(arg, "zstd:", 5) ?
		 parse_decimal(arg + 5, &level) || !level || level > PACK_LEVEL_MAX :
		 !!strcmp(arg, "zstd"))
		return arg_wrong(a, arg, "not zstd, zstd:LEVEL (1 to 19), lz4, auto or none");
	pack->level = level;
	return 0;
}
