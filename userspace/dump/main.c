// SPDX-License-Identifier: GPL-2.0
/*
 * dump.dsfs: shows the content of an image, for people, for diff(1) and for
 * programs.  It trusts nothing and repairs nothing; it shows what is readable
 * and reports the rest.
 */
#include <unistd.h>

#include "dump.h"
#include "msg.h"
#include "export.h"
#include "request.h"

enum { EXIT_OK, EXIT_ERROR };

/* Number of errors of a kind that --extract prints */
#define PER_KIND	10

/*
 * Check BLOCKSUMS, which verifies all other metadata and is verified by its
 * region checksum only.
 */
static int check_blocksums(struct dump *d)
{
	const struct dsfs_region_info *r = &d->img.geo->regions[DSFS_REGION_BLOCKSUMS];
	u32 sum;
	int ret = image_region_sum(&d->img, DSFS_REGION_BLOCKSUMS, &sum);

	if (!ret && sum == r->checksum)
		return 0;
	if (ret)
		msg_error(d->img.path, "block checksums at %llu: %s",
			  r->pos, msg_why(-ret));
	else
		msg_error(d->img.path, "block checksums at %llu: checksum %#x, expected %#x",
			  r->pos, sum, r->checksum);
	d->errors++;
	return -1;
}

static int run(struct dump *d, struct request *r)
{
	if (r->cat)
		return dump_cat(d, r->cat);
	if (r->extract)
		return dump_extract(d, r->extract, &r->paths, r->resume);
	if (r->tar)
		return dump_tar(d, &r->paths);
	if (r->wds.prefix)
		return dump_wds(d, &r->wds, &r->paths);
	if (r->diff)
		return dump_diff(d, &r->diff_of);
	if (r->list)
		return dump_list(d);
	if (r->manifest)
		return dump_manifest(d);
	if (r->digest)
		return dump_digest(d, &r->digest_how);
	if (r->inode || r->path)
		return dump_path(d, r->inode ? r->inode : r->path);
	if (r->dir)
		return dump_dir(d, r->dir);
	if (r->extents)
		return dump_extents(d, r->extents);
	if (r->regions)
		return dump_regions(d);
	if (r->generations)
		return dump_generations(d);
	return r->one ? dump_generation(d) : dump_supers(d);
}

static int dump(const char *path, struct request *r)
{
	struct dump d = { .as_json = r->json, .no_data = r->no_data };
	int ret, bad;

	if (request_is_export(r) && !r->verbose)
		d.per_kind = PER_KIND;

	if (image_open(&d.img, path))
		return -1;
	bad = image_report_slots(&d.img);
	if (d.img.geo && r->one && image_generation(&d.img, r->generation)) {
		image_close(&d.img);
		return -1;
	}
	json_init(&d.j, stdout);
	if (d.img.geo) {
		d.src = image_source(&d.img, 0);
		if (!d.src)
			msg_error(path, "%s", strerror(ENOMEM));
	}
	ret = -1;
	if (d.src || !(r->what || r->one)) {
		if (d.img.geo)
			check_blocksums(&d);
		if (d.as_json)
			json_begin_object(&d.j, NULL);
		ret = run(&d, r);
		if (d.as_json)
			json_end(&d.j);
	}
	image_source_free(d.src);
	image_close(&d.img);
	return ret || bad || d.errors ? -1 : 0;
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
