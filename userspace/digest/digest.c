// SPDX-License-Identifier: GPL-2.0
/*
 * The digest of a data set, defined in Documentation/digest.rst: a number that
 * tells whether two trees are equal, wherever they are stored.  It is the
 * SHA-256 of a text that other tools can make easily.  Here it is that of an image.
 */
#include <unistd.h>

#include "digest_lines.h"
#include "dump.h"
#include "msg.h"
#include "file_sums.h"

/* Number of errors of a kind that digest_image() prints */
#define PER_KIND	10

/**
 * struct digest - state of a run
 * @lines: the text that comes out
 */
struct digest {
	struct dump *d;
	struct digest_lines lines;
};

static void get_target(struct digest *g, const struct sums_object *o, char *target,
		       struct digest_line *line)
{
	struct dsfs_err err = { 0 };
	int ret = image_symlink(g->d->src, &o->node.attr, target, &err);

	if (ret) {
		dump_error(g->d, o->path, "target", ret, &err);
		return;
	}
	line->target = target;
	line->target_len = strlen(target);
}

static void get_xattrs(struct digest *g, const struct sums_object *o,
		       struct xattr_list *list, struct digest_line *line)
{
	struct dsfs_err err = { 0 };
	int ret = xattr_list_get(g->d, &o->node, list, &err);

	if (ret)
		dump_error(g->d, o->path, "xattrs", ret, &err);
	line->xattrs = list->v;
	line->nr_xattrs = list->count;
}

static int put_object(void *arg, const struct sums_object *o)
{
	const struct dsfs_attr *attr = &o->node.attr;
	struct digest *g = arg;
	struct digest_line line = {
		.path = o->path, .first = o->first, .mode = attr->mode, .uid = o->node.uid,
		.gid = o->node.gid, .rdev = attr->rdev, .mtime = attr->mtime,
		.size = attr->size,
	};
	char target[DSFS_SYMLINK_MAX + 1];
	struct xattr_list list = { 0 };
	int ret;

	if (S_ISREG(attr->mode) && o->ret)
		dump_error(g->d, o->path, "content", o->ret, &o->err);
	else if (S_ISREG(attr->mode))
		line.sum = o->sum;
	else if (S_ISLNK(attr->mode))
		get_target(g, o, target, &line);
	if (g->lines.kind == DSFS_DIGEST_FULL)
		get_xattrs(g, o, &list, &line);
	ret = digest_add(&g->lines, &line);
	xattr_list_free(&list);
	return ret;
}

static unsigned int threads_for(const struct digest_request *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (r->threads)
		return r->threads;
	if (cpus < 1)
		return 1;
	return cpus < SUMS_THREADS_MAX ? cpus : SUMS_THREADS_MAX;
}

int digest_make(struct dump *d, const struct digest_request *r,
		struct digest_result *result)
{
	struct digest g = { .d = d };
	int ret;

	ret = sha256_library_init();
	if (ret)
		return ret;
	ret = digest_begin(&g.lines, r->kind, r->text);
	if (!ret) {
		ret = sums_walk(d, threads_for(r), r->stop, put_object, &g);
		/* after an error there is no digest, because it would be that of a part */
		ret = digest_end(&g.lines) ?: ret;
	}
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		dump_error(d, d->img.path, "digest", ret, &(struct dsfs_err){ 0 });
	if (d->errors && !r->text)
		msg_error(d->img.path, "no digest: not everything could be read");
	*result = g.lines.result;
	return ret ? ret : d->errors ? -EUCLEAN : 0;
}

int digest_image(const struct image *img, const struct digest_request *r,
		 struct digest_result *result)
{
	struct dump d = { .img = *img, .per_kind = PER_KIND };
	int ret = -ENOMEM;

	d.src = image_source(&d.img, 0);
	if (d.src)
		ret = digest_make(&d, r, result);
	else
		msg_error(img->path, "%s", strerror(ENOMEM));
	image_source_free(d.src);
	return ret;
}
