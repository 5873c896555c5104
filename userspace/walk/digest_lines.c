// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a digest and its SHA-256.  There is one formatter, because a byte of
 * difference makes another digest.
 */
#include "digest_lines.h"

static void print_text(FILE *out, const char *s)
{
	listing_escape(out, s, strlen(s));
}

/* Print the content column: a checksum, a target or a device; a mark of what is unreadable. */
static void print_value(FILE *out, const struct digest_line *line)
{
	putc('\t', out);
	if (S_ISREG(line->mode) && line->sum)
		listing_hex(out, line->sum, SHA256_BYTES);
	else if (S_ISLNK(line->mode) && line->target)
		listing_escape(out, line->target, line->target_len);
	else if (S_ISCHR(line->mode) || S_ISBLK(line->mode))
		fprintf(out, "%u:%u", line->rdev >> 20, line->rdev & 0xfffff);
	else
		putc(S_ISREG(line->mode) || S_ISLNK(line->mode) ? '!' : '-', out);
}

/* Print the columns of attributes: mode, owner, time, first name. */
static void print_attrs(FILE *out, const struct digest_line *line)
{
	fprintf(out, "\t%04o\t%u\t%u\t%lld\t", line->mode & 07777, line->uid, line->gid,
		line->mtime);
	print_text(out, line->first ? line->first : "-");
}

/* Print a column for each xattr, which needs no other escapes than a path. */
static void print_xattrs(FILE *out, const struct digest_line *line)
{
	if (line->no_xattrs)
		fputs("\t!", out);
	listing_sort(line->xattrs, line->nr_xattrs);
	for (size_t i = 0; i < line->nr_xattrs; i++) {
		putc('\t', out);
		print_text(out, line->xattrs[i].name);
		putc('\t', out);
		listing_hex(out, line->xattrs[i].value, line->xattrs[i].len);
	}
}

int digest_add(struct digest_lines *l, const struct digest_line *line)
{
	const bool full = l->kind == DSFS_DIGEST_FULL;

	print_text(l->out, line->path);
	fprintf(l->out, "\t%c", listing_type(line->mode)->letter);
	if (full)
		print_attrs(l->out, line);
	print_value(l->out, line);
	if (full)
		print_xattrs(l->out, line);
	putc('\n', l->out);
	l->result.objects++;
	if (S_ISREG(line->mode) && !line->first) {
		l->result.files++;
		l->result.bytes += line->size;
	}
	return ferror(l->out) ? -EIO : 0;
}

static ssize_t put_bytes(void *arg, const char *buf, size_t len)
{
	struct digest_lines *l = arg;

	sha256_put(&l->hash, buf, len);
	return len;
}

static int open_out(struct digest_lines *l)
{
	static const cookie_io_functions_t io = { .write = put_bytes };

	if (l->text) {
		l->out = stdout;
		return 0;
	}
	if (sha256_init(&l->hash))
		return -ENOMEM;
	l->out = fopencookie(l, "w", io);
	if (l->out)
		return 0;
	sha256_free(&l->hash);
	return -ENOMEM;
}

int digest_begin(struct digest_lines *l, u8 kind, bool text)
{
	int ret;

	*l = (struct digest_lines){ .kind = kind, .text = text };
	ret = open_out(l);
	if (!ret)
		fprintf(l->out, "%s\n", dsfs_digest_name(kind));
	return ret;
}

int digest_end(struct digest_lines *l)
{
	int ret = 0;

	if (l->text)
		return 0;
	if (fclose(l->out))
		ret = -EIO;
	sha256_end(&l->hash, l->result.sum);
	sha256_free(&l->hash);
	return ret;
}
