// SPDX-License-Identifier: GPL-2.0
/*
 * An image that is looked at.  Nothing of it is trusted and nothing is repaired: what is readable
 * is shown, and the rest is reported.
 */
#include "msg.h"
#include "open.h"
#include "status.h"

/* Number of errors of a kind that are printed */
#define PER_KIND	10

/* Check BLOCKSUMS, which verifies all other metadata and is verified by the superblock. */
static void check_blocksums(struct view *v)
{
	const struct dsfs_region_info *r = &v->img.geo->regions[DSFS_REGION_BLOCKSUMS];
	u32 sum;
	int ret = image_sums(&v->img, &sum);

	if (!ret && sum == v->img.geo->sums_checksum)
		return;
	if (ret)
		msg_error(v->img.path, "block checksums at %llu: %s", r->pos, msg_why(-ret));
	else
		msg_error(v->img.path, "block checksums at %llu: checksum %#x, expected %#x",
			  r->pos, sum, v->img.geo->sums_checksum);
	v->errors->count++;
}

static int show(struct view *v, const struct view_options *o, view_fn *run, void *arg)
{
	struct json json, *j = o->json ? &json : NULL;
	int ret;

	if (v->img.geo)
		check_blocksums(v);
	json_init(&json, stdout);
	json_begin_object(j, NULL);
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
