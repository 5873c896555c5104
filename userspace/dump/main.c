// SPDX-License-Identifier: GPL-2.0
/*
 * dump.dsfs: shows the content of an image, for people, for diff(1) and for programs.  It
 * trusts nothing and repairs nothing; it shows what is readable and reports the rest.
 */
#include <unistd.h>

#include "dump.h"
#include "export.h"
#include "msg.h"
#include "request.h"

enum { EXIT_OK, EXIT_ERROR };

/* Number of errors of a kind that --extract prints */
#define PER_KIND	10

/* Check BLOCKSUMS, which verifies all other metadata and is verified by the superblock. */
static int check_blocksums(struct view *v)
{
	const struct dsfs_region_info *r = &v->img.geo->regions[DSFS_REGION_BLOCKSUMS];
	u32 sum;
	int ret = image_sums(&v->img, &sum);

	if (!ret && sum == v->img.geo->sums_checksum)
		return 0;
	if (ret)
		msg_error(v->img.path, "block checksums at %llu: %s", r->pos, msg_why(-ret));
	else
		msg_error(v->img.path, "block checksums at %llu: checksum %#x, expected %#x",
			  r->pos, sum, v->img.geo->sums_checksum);
	v->errors->count++;
	return -1;
}

static int run(struct view *v, struct json *j, struct request *r)
{
	if (r->cat)
		return dump_cat(v, r->cat);
	if (r->extract)
		return dump_extract(v, r->extract, &r->paths, r->resume);
	if (r->tar)
		return dump_tar(v, &r->paths);
	if (r->wds.prefix)
		return dump_wds(v, j, &r->wds, &r->paths);
	if (r->oci)
		return dump_oci(v, j, r->oci);
	if (r->diff)
		return dump_diff(v, j, &r->diff_of);
	if (r->list)
		return dump_list(v, j, r->no_data);
	if (r->manifest)
		return dump_manifest(v, j);
	if (r->digest)
		return dump_digest(v, j, &r->digest_how);
	if (r->inode || r->path)
		return dump_path(v, j, r->inode ? r->inode : r->path);
	if (r->dir)
		return dump_dir(v, j, r->dir);
	if (r->extents)
		return dump_extents(v, j, r->extents);
	if (r->regions)
		return dump_regions(v, j);
	if (r->generations)
		return dump_generations(v, j);
	return r->one ? dump_generation(v, j) : dump_supers(v, j);
}

static int dump(const char *path, struct request *r)
{
	struct errors errors = { .per_kind = request_is_export(r) && !r->verbose ? PER_KIND : 0 };
	struct view v = { .errors = &errors };
	struct json json, *j = r->json ? &json : NULL;
	int ret = -1, bad;

	if (image_open_at(&v.img, path, r->source))
		return -1;
	bad = image_report_slots(&v.img);
	if (v.img.geo && r->one && image_generation(&v.img, r->generation)) {
		image_close(&v.img);
		return -1;
	}
	json_init(&json, stdout);
	if (v.img.geo) {
		v.src = image_source(&v.img, 0);
		if (!v.src)
			no_memory();
	}
	if (image_as_expected(&v.img, v.src)) {
		bad = 1;
	} else if (v.src || !(r->what || r->one)) {
		if (v.img.geo)
			check_blocksums(&v);
		json_begin_object(j, NULL);
		ret = run(&v, r->manifest ? &json : j, r);
		json_end(j);
	}
	image_source_free(v.src);
	image_close(&v.img);
	return ret || bad || errors.count ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct request r = { 0 };
	const char *image;
	int ret;

	msg_init("dump.dsfs", EXIT_ERROR);
	ret = request_parse(&r, &image, argc, argv);
	if (ret < 0)
		ret = dump(image, &r) ? EXIT_ERROR : EXIT_OK;
	request_free(&r);
	return ret;
}
