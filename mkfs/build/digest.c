// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs digest: of a source, whose tree is listed and read as for an image.  Nothing is written.
 * That of an image is a verb of its own, which calls this one if it is given a directory.
 */
#include "../digest/digest.h"
#include "../options/rows.h"
#include "build.h"

/* Of a source that is read once the tree is known when all contents are summed. */
static int sum_once(struct run *r, struct contents *c)
{
	return contents_feed(c) ?: step_end_source(r) ?: step_order_tree(r);
}

static int sum_listed(struct run *r, struct contents *c)
{
	int ret = step_list(r);
	u64 gone = r->tree.gone;

	if (!ret)
		ret = contents_read(c);
	return ret || r->tree.gone == gone ? ret : step_prune_tree(r);
}

static int run(struct run *r)
{
	struct digest_result result;
	struct contents c = { 0 };
	int ret = step_open_source(r) ?: contents_init(&c, r->source);

	if (!ret)
		ret = source_once(r->source) ? sum_once(r, &c) : sum_listed(r, &c);
	if (!ret)
		ret = source_recheck(r->source) ?:
		      digest_tree(&c, &r->tree, r->o->digest, &result);
	if (!ret)
		report_digest(r, &result);
	contents_free(&c);
	return ret;
}

static const struct arg option_table[] = {
	{ 0, "full", NULL, "of owners, times and attributes, too",
	  ARG_SET(struct options, digest, DSFS_DIGEST_FULL) },
	{ ROW_TIME },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_EXCLUDE, .not = "manifest; tar" },
	{ ROW_ONE_FS, .not = "manifest; tar" },
	{ ROW_ALLOW },
	{ ROW_MANIFEST, .not = "tar" },
	{ ROW_TAR },
	{ ROW_WDS },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ ROW_QUIET },
	{ ROW_JSON },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs digest [options] DIR\n"
	"       dsfs digest [options] --manifest=FILE [DIR]\n"
	"       dsfs digest [options] --tar=FILE...\n"
	"Print the digest that an image of a tree would have.\n",
	.more = "Exit: 0 done, 1 failed, 2 wrong usage.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int settle(struct options *o, int n, char **args)
{
	if (!n && !o->manifest && !o->ntars)
		return args_wrong(EXIT_USAGE, "DIR is needed");
	if (n > !o->ntars)
		return args_wrong(EXIT_USAGE, "too many arguments");
	o->digest = o->digest ? o->digest : DSFS_DIGEST_DATA;
	o->image = "";
	o->source = n ? args[0] : o->ntars ? "" : ".";
	return check_source(o);
}

const struct recipe recipe_digest = { "dsfs digest", &command_line, settle, run };
