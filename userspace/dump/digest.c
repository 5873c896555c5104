// SPDX-License-Identifier: GPL-2.0
/*
 * The digest of a data set, defined in Documentation/digest.rst: a number that
 * tells whether two trees are equal, wherever they are stored.  It is the
 * SHA-256 of a text that other tools can make easily.
 */
#include <stdlib.h>
#include <unistd.h>

#include "digest.h"
#include "dump.h"
#include "msg.h"
#include "sums.h"

/* Number of errors of a kind that digest_image() prints */
#define PER_KIND	10

/**
 * struct digest - state of a run
 * @out: stream of the text
 * @hash: hash of the text, unless the text itself is printed
 */
struct digest {
	struct dump *d;
	const struct digest_request *r;
	FILE *out;
	struct sha256 hash;
	struct digest_result result;
};

static bool is_full(const struct digest *g)
{
	return g->r->kind == DSFS_DIGEST_FULL;
}

static void print_hex(FILE *out, const u8 *v, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (; len; v++, len--) {
		putc(digits[*v >> 4], out);
		putc(digits[*v & 15], out);
	}
}

static void print_text(FILE *out, const char *s)
{
	listing_escape(out, s, strlen(s));
}

static void print_target(struct digest *g, const struct sums_object *o)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_err err = { 0 };
	int ret = image_symlink(g->d->src, &o->node.attr, target, &err);

	if (ret)
		dump_error(g->d, o->path, "target", ret, &err);
	else
		print_text(g->out, target);
}

/* Print the content column: a checksum, a target or a device. */
static void print_value(struct digest *g, const struct sums_object *o)
{
	const struct dsfs_attr *attr = &o->node.attr;

	putc('\t', g->out);
	if (S_ISREG(attr->mode) && o->ret)
		dump_error(g->d, o->path, "content", o->ret, &o->err);
	else if (S_ISREG(attr->mode))
		print_hex(g->out, o->sum, SHA256_BYTES);
	else if (S_ISLNK(attr->mode))
		print_target(g, o);
	else if (S_ISCHR(attr->mode) || S_ISBLK(attr->mode))
		fprintf(g->out, "%u:%u", attr->rdev >> 20, attr->rdev & 0xfffff);
	else
		putc('-', g->out);
}

/* Print the columns of attributes: mode, owner, time, first name. */
static void print_attrs(struct digest *g, const struct sums_object *o)
{
	const struct image_node *n = &o->node;

	fprintf(g->out, "\t%04o\t%u\t%u\t%lld\t", n->attr.mode & 07777, n->uid,
		n->gid, n->attr.mtime);
	print_text(g->out, o->first ? o->first : "-");
}

static int xattr_cmp(const void *a, const void *b)
{
	const struct listing_xattr *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Print a column for each xattr, which needs no other escapes than a path. */
static void print_xattrs(struct digest *g, const struct sums_object *o)
{
	struct dsfs_err err = { 0 };
	struct xattr_list list;
	int ret = xattr_list_get(g->d, &o->node, &list, &err);

	if (ret)
		dump_error(g->d, o->path, "xattrs", ret, &err);
	if (list.count)
		qsort(list.v, list.count, sizeof(*list.v), xattr_cmp);
	for (size_t i = 0; i < list.count; i++) {
		putc('\t', g->out);
		print_text(g->out, list.v[i].name);
		putc('\t', g->out);
		print_hex(g->out, list.v[i].value, list.v[i].len);
	}
	xattr_list_free(&list);
}

static int put_object(void *arg, const struct sums_object *o)
{
	struct digest *g = arg;

	print_text(g->out, o->path);
	fprintf(g->out, "\t%c", listing_type(o->node.attr.mode));
	if (is_full(g))
		print_attrs(g, o);
	print_value(g, o);
	if (is_full(g))
		print_xattrs(g, o);
	putc('\n', g->out);
	g->result.objects++;
	if (S_ISREG(o->node.attr.mode) && !o->first) {
		g->result.files++;
		g->result.bytes += o->node.attr.size;
	}
	return ferror(g->out) ? -EIO : 0;
}

static ssize_t put_bytes(void *arg, const char *buf, size_t len)
{
	struct digest *g = arg;

	sha256_put(&g->hash, buf, len);
	return len;
}

static int open_out(struct digest *g)
{
	static const cookie_io_functions_t io = { .write = put_bytes };

	if (g->r->text) {
		g->out = stdout;
		return 0;
	}
	if (sha256_init(&g->hash))
		return -ENOMEM;
	g->out = fopencookie(g, "w", io);
	if (g->out)
		return 0;
	sha256_free(&g->hash);
	return -ENOMEM;
}

/* after an error there is no digest, because it would be that of a part */
static int close_out(struct digest *g)
{
	int ret = 0;

	if (g->r->text)
		return 0;
	if (fclose(g->out))
		ret = -EIO;
	sha256_end(&g->hash, g->result.sum);
	sha256_free(&g->hash);
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
	struct digest g = { .d = d, .r = r };
	int ret;

	ret = sha256_library_init();
	if (ret)
		return ret;
	ret = open_out(&g);
	if (!ret) {
		fprintf(g.out, "%s\n", dsfs_digest_name(r->kind));
		ret = sums_walk(d, threads_for(r), put_object, &g);
		ret = close_out(&g) ?: ret;
	}
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		dump_error(d, d->img.path, "digest", ret, &(struct dsfs_err){ 0 });
	if (d->errors && !r->text)
		msg_error(d->img.path, "no digest: not everything could be read");
	*result = g.result;
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

char *digest_text(u8 kind, const u8 *sum, char *buf)
{
	size_t len = snprintf(buf, DIGEST_TEXT, "%s:", dsfs_digest_name(kind));

	for (size_t i = 0; i < DSFS_DIGEST_BYTES; i++)
		len += snprintf(buf + len, DIGEST_TEXT - len, "%02x", sum[i]);
	return buf;
}
