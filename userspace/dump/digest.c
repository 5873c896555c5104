// SPDX-License-Identifier: GPL-2.0
/*
 * The digest of a data set, defined in Documentation/digest.rst: a number that
 * tells whether two trees are equal, wherever they are stored.  It is the
 * SHA-256 of a text that other tools can make easily.
 */
#include <stdlib.h>
#include <unistd.h>

#include "digest.h"
#include "msg.h"
#include "progress.h"
#include "sums.h"

/**
 * struct digest - state of the command
 * @out: stream of the text
 * @hash: hash of the text, unless the text itself is printed
 */
struct digest {
	struct dump *d;
	const struct digest_request *r;
	FILE *out;
	struct sha256 hash;
	u64 objects;
	u64 files;
	u64 bytes;
};

static const char *kind_name(const struct digest_request *r)
{
	return r->full ? "dsfs1-full" : "dsfs1-data";
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
	if (g->r->full)
		print_attrs(g, o);
	print_value(g, o);
	if (g->r->full)
		print_xattrs(g, o);
	putc('\n', g->out);
	g->objects++;
	if (S_ISREG(o->node.attr.mode) && !o->first) {
		g->files++;
		g->bytes += o->node.attr.size;
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

static void show(struct digest *g, const char *value)
{
	struct json *j = &g->d->j;

	if (!g->d->as_json) {
		printf("%s\n", value);
		return;
	}
	json_str(j, "digest", value);
	json_str(j, "covers", g->r->full ? "full" : "data");
	json_u64(j, "generation", g->d->img.geo->generation);
	json_u64(j, "objects", g->objects);
	json_u64(j, "files", g->files);
	json_u64(j, "bytes", g->bytes);
}

/* after an error there is no digest, because it would be that of a part */
static void close_out(struct digest *g, bool good)
{
	char value[16 + 2 * SHA256_BYTES] = "";
	u8 sum[SHA256_BYTES];
	size_t len;

	if (g->r->text)
		return;
	if (fclose(g->out))
		good = false;
	sha256_end(&g->hash, sum);
	sha256_free(&g->hash);
	if (!good)
		return;
	len = snprintf(value, sizeof(value), "%s:", kind_name(g->r));
	for (size_t i = 0; i < SHA256_BYTES; i++)
		len += snprintf(value + len, sizeof(value) - len, "%02x", sum[i]);
	show(g, value);
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

int dump_digest(struct dump *d, const struct digest_request *r)
{
	struct digest g = { .d = d, .r = r };
	int ret;

	if (sha256_library_init())
		return -1;
	progress_enable(!r->text && !d->as_json);
	ret = open_out(&g);
	if (!ret) {
		fprintf(g.out, "%s\n", kind_name(r));
		ret = sums_walk(d, threads_for(r), put_object, &g);
		close_out(&g, !ret && !d->errors);
	}
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		dump_error(d, d->img.path, "digest", ret, &(struct dsfs_err){ 0 });
	if (d->errors && !r->text)
		msg_error(d->img.path, "no digest: not everything could be read");
	return ret || d->errors ? -1 : 0;
}
