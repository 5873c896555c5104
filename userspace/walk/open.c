// SPDX-License-Identifier: GPL-2.0
/*
 * An image that is looked at.  Nothing of it is trusted and nothing is repaired: what is readable
 * is shown, and the rest is reported.
 */
#include "imagemsg.h"
#include "msg.h"
#include "open.h"
#include "status.h"

/* Number of errors of a kind that are printed */
#define PER_KIND	10

/* BLOCKSUMS vouches for all other metadata, and the superblock for it. */
static void check_blocksums(struct view *v)
{
	struct dsfs_err err = { 0 };
	const int ret = source_check_sums(v->src, &err);

	if (!ret)
		return;
	msg_error(v->img.path, "%s", image_why(&err, ret));
	v->errors->count++;
}

static int show(struct view *v, const struct view_options *o, view_fn *run, void *arg)
{
	struct json json, *j;
	int ret;

	if (v->src)
		check_blocksums(v);
	j = json_report(&json, o->json);
	ret = run(v, j, arg);
	json_end(j);
	return ret;
}

int view_image(const char *path, const struct view_options *o, view_fn *run, void *arg)
{
	struct errors errors = { .per_kind = o->bounded && !o->verbose ? PER_KIND : 0 };
	struct view v = { .errors = &errors };
	int ret = -1, bad;

	if (image_open_at(&v.img, path, o->source))
		return EXIT_ERROR;
	bad = image_report_slots(&v.img);
	if (v.img.geo && o->generation && image_generation(&v.img, o->generation)) {
		image_close(&v.img);
		return EXIT_ERROR;
	}
	if (v.img.geo) {
		v.src = image_source(&v.img, 0);
		if (!v.src)
			no_memory();
	}
	if (image_as_expected(&v.img, v.src))
		bad = 1;
	else if (v.src || o->broken)
		ret = show(&v, o, run, arg);
	image_source_free(v.src);
	image_close(&v.img);
	return ret || bad || errors.count ? EXIT_ERROR : EXIT_OK;
}

int view_verb(const struct args *args, struct view_options *o, int argc, char **argv,
	      view_fn *run)
{
	int ret = args_parse(args, o, &argc, argv);

	if (ret >= 0)
		return ret;
	o->words = argv + 1;
	if (!args->high && filter_take(&o->paths, argv + args->low))
		return EXIT_ERROR;
	ret = view_image(argv[0], o, run, o);
	filter_free(&o->paths);
	return ret;
}
