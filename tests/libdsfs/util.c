// SPDX-License-Identifier: GPL-2.0
/*
 * Images in memory, and a walk that makes all calls of an image.
 */
#include "test.h"

#define READ_BYTES	100000

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

struct bytes read_bytes(const char *path)
{
	struct bytes b;

	bytes_read(&b, path, 0);
	return b;
}

struct bytes copy_bytes(const struct bytes *b)
{
	struct bytes copy = { malloc(b->size), b->size };

	if (!copy.p)
		die("out of memory");
	memcpy(copy.p, b->p, b->size);
	return copy;
}

int bytes_file(const void *p, size_t len)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, p, len, 0) != (ssize_t)len)
		die("memfd");
	return fd;
}

int bytes_open(const void *p, size_t len, const struct dsfs_open_options *options,
	       struct dsfs_image **image, struct dsfs_error *error)
{
	int fd = bytes_file(p, len);
	int ret = dsfs_open_fd(fd, options, image, error);

	close(fd);
	return ret;
}

struct dsfs_image *must_open(const char *path)
{
	struct dsfs_image *image;
	struct dsfs_error error;

	if (dsfs_open(path, NULL, &image, &error))
		die(error.message);
	return image;
}

uint64_t must_find(struct dsfs_image *image, const char *path)
{
	struct dsfs_error error;
	struct dsfs_stat st;

	if (dsfs_lookup_path(image, path, 0, &st, &error))
		die(error.message);
	return st.ino;
}

bool answer(ssize_t got, int want, const struct dsfs_error *error, const char *text)
{
	if (got == want && error->code == -want && strstr(error->message, text))
		return true;
	tap_note("returned %zd, code %d, \"%s\"", got, error->code, error->message);
	return false;
}

/**
 * struct visit - a visit under way
 * @sum: of all that was read, in no order
 */
struct visit {
	struct dsfs_image *image;
	u64 sum;
	u64 errors;
	char buf[READ_BYTES];
};

static void take(struct visit *v, const void *p, ssize_t len)
{
	if (len < 0)
		v->errors++;
	else
		v->sum += dsfs_crc32c(0, p, len);
}

static void visit_file(struct visit *v, uint64_t ino)
{
	struct dsfs_error error;
	struct dsfs_file *file;
	uint64_t pos = 0;
	ssize_t n;

	if (dsfs_file_open(v->image, ino, 0, &file, &error)) {
		v->errors++;
		return;
	}
	/* A file may say that it is as long as its author likes. */
	while ((n = dsfs_pread(file, v->buf, sizeof(v->buf), pos, &error)) > 0 &&
	       pos < 100 * READ_BYTES) {
		take(v, v->buf, n);
		pos += n;
	}
	v->errors += n < 0;
	v->errors += dsfs_file_size(file) < 100 * READ_BYTES &&
		     dsfs_file_verify(file, &error);
	dsfs_file_close(file);
}

static void visit_dir(struct visit *v, uint64_t ino)
{
	struct dsfs_dirstream *stream;
	struct dsfs_error error;
	struct dsfs_dirent e;
	struct dsfs_stat st;

	if (dsfs_opendir(v->image, ino, &stream, &error)) {
		v->errors++;
		return;
	}
	/* What cannot be read stays the next name: so one error ends a walk. */
	while (dsfs_readdir(stream, &e, &error) > 0) {
		take(v, e.name, e.name_len);
		if (dsfs_lookup(v->image, ino, e.name, e.name_len, &st, &error))
			v->errors++;
		else
			take(v, &st, sizeof(st));
	}
	dsfs_closedir(stream);
}

u64 visit(struct dsfs_image *image, u64 *errors)
{
	struct visit *v = calloc(1, sizeof(*v));
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_error error;
	struct dsfs_info info;
	struct dsfs_stat st;
	ssize_t n;
	u64 ino, sum;

	if (!v)
		die("out of memory");
	v->image = image;
	dsfs_get_info(image, &info);
	for (ino = 0; ino <= info.inodes + 1; ino++) {
		if (dsfs_stat(image, ino, &st, &error)) {
			v->errors++;
			continue;
		}
		n = dsfs_listxattr(image, ino, v->buf, sizeof(v->buf), &error);
		take(v, v->buf, n);
		if (n > 0) {
			char first[DSFS_NAME_MAX + 1];

			snprintf(first, sizeof(first), "%.255s", v->buf);
			take(v, v->buf, dsfs_getxattr(image, ino, first, v->buf,
						      sizeof(v->buf), &error));
		}
		if (S_ISLNK(st.mode))
			take(v, target, dsfs_readlink(image, ino, target, sizeof(target),
						      &error));
		if (S_ISREG(st.mode))
			visit_file(v, ino);
		if (S_ISDIR(st.mode))
			visit_dir(v, ino);
	}
	sum = v->sum;
	*errors = v->errors;
	free(v);
	return sum;
}
