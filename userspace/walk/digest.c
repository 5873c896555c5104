// SPDX-License-Identifier: GPL-2.0
/*
 * The digest of a data set, defined in Documentation/digest.rst: a number that
 * tells whether two trees are equal, wherever they are stored.  It is the
 * SHA-256 of a text that other tools can make easily.  Here it is that of an image.
 */
#include <unistd.h>

#include "digest_lines.h"
#include "msg.h"
#include "file_sums.h"

/* Number of errors of a kind that digest_image() prints */
#define PER_KIND	10

/**
 * struct digest - state of a run
 * @lines: the text that comes out
 */
struct digest {
	struct view *v;
	struct digest_lines lines;
};

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
	struct node_xattrs list = { 0 };
	int ret;

	if (S_ISREG(attr->mode) && o->ret)
		view_error(g->v, o->path, "content", o->ret, &o->err);
	else if (S_ISREG(attr->mode))
		line.sum = o->sum;
	else if (S_ISLNK(attr->mode) && !view_target(g->v, o->path, &o->node, target))
		line.target = target;
	if (g->lines.kind == DSFS_DIGEST_FULL)
		line.no_xattrs = view_xattrs(g->v, o->path, &o->node, &list);
	if (line.target)
		line.target_len = strlen(target);
	line.xattrs = list.v;
	line.nr_xattrs = list.count;
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

int digest_make(struct view *v, const struct digest_request *r, struct digest_result *result)
{
	struct digest g = { .v = v };
	int ret = sha256_library_init();

	if (ret)
		return ret;
	ret = digest_begin(&g.lines, r->kind, r->text);
	if (!ret) {
		ret = sums_walk(v, threads_for(r), put_object, &g);
		/* after an error there is no digest, because it would be that of a part */
		ret = digest_end(&g.lines) ?: ret;
	}
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		view_error(v, v->img.path, "digest", ret, NULL);
	if (v->errors->count && !r->text)
		msg_error(v->img.path, "no digest: not everything could be read");
	*result = g.lines.result;
	return ret ? ret : v->errors->count ? -EUCLEAN : 0;
}

int digest_image(const struct image *img, const struct digest_request *r,
		 struct digest_result *result)
{
	struct errors errors = { .per_kind = PER_KIND };
	struct view v = { .img = *img, .errors = &errors, .src = image_source(img, 0) };
	int ret = -ENOMEM;

	if (v.src)
		ret = digest_make(&v, r, result);
	else
		no_memory();
	image_source_free(v.src);
	return ret;
}
