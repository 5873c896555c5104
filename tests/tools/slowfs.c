// SPDX-License-Identifier: GPL-2.0
/*
 * slowfs - a directory with the latency of a network file system.
 *
 * A FUSE file system that shows a directory of this machine, read-only, and
 * delays each operation, any number of them at a time, as an object store or a
 * network does.
 *
 * Attributes and names may be kept by the kernel for a second, as network
 * file systems let it; contents are read in pieces of up to 1 MiB.
 */
#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define THREADS	256

static const char *top;
static struct timespec delay;

static void wait_long(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
}

/* The path on this machine; longer ones are none. */
static int real_path(char *buf, const char *path)
{
	wait_long();
	return snprintf(buf, PATH_MAX, "%s%s", top, path) < PATH_MAX ? 0 :
								       -ENAMETOOLONG;
}

static void *slow_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	conn->max_background = THREADS;
	conn->congestion_threshold = THREADS;
	conn->max_readahead = 1 << 20;
	cfg->use_ino = 1;
	return NULL;
}

static int slow_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	char buf[PATH_MAX];
	int ret = 0;

	if (fi) {
		wait_long();
		return fstat(fi->fh, st) ? -errno : 0;
	}
	ret = real_path(buf, path);
	if (ret)
		return ret;
	return lstat(buf, st) ? -errno : 0;
}

static int slow_readlink(const char *path, char *to, size_t size)
{
	char buf[PATH_MAX];
	int ret = real_path(buf, path);
	ssize_t n;

	if (ret)
		return ret;
	n = readlink(buf, to, size - 1);
	if (n < 0)
		return -errno;
	to[n] = '\0';
	return 0;
}

static int slow_readdir(const char *path, void *out, fuse_fill_dir_t fill, off_t off,
			struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	struct stat st = { 0 };
	char buf[PATH_MAX];
	struct dirent *d;
	DIR *dir;
	int ret;

	(void)off;
	(void)fi;
	(void)flags;
	ret = real_path(buf, path);
	if (ret)
		return ret;
	dir = opendir(buf);
	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		st.st_ino = d->d_ino;
		st.st_mode = DTTOIF(d->d_type);
		if (fill(out, d->d_name, &st, 0, 0))
			break;
	}
	closedir(dir);
	return 0;
}

static int slow_open(const char *path, struct fuse_file_info *fi)
{
	char buf[PATH_MAX];
	int ret = real_path(buf, path);

	if (ret)
		return ret;
	ret = open(buf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (ret < 0)
		return -errno;
	fi->fh = ret;
	return 0;
}

static int slow_read(const char *path, char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	ssize_t n;

	(void)path;
	wait_long();
	n = pread(fi->fh, buf, size, off);
	return n < 0 ? -errno : n;
}

/* Nobody waits for it. */
static int slow_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	close(fi->fh);
	return 0;
}

static int slow_listxattr(const char *path, char *list, size_t size)
{
	char buf[PATH_MAX];
	int ret = real_path(buf, path);
	ssize_t n;

	if (ret)
		return ret;
	n = llistxattr(buf, list, size);
	return n < 0 ? -errno : n;
}

static int slow_getxattr(const char *path, const char *name, char *value, size_t size)
{
	char buf[PATH_MAX];
	int ret = real_path(buf, path);
	ssize_t n;

	if (ret)
		return ret;
	n = lgetxattr(buf, name, value, size);
	return n < 0 ? -errno : n;
}

static const struct fuse_operations ops = {
	.init = slow_init,
	.getattr = slow_getattr,
	.readlink = slow_readlink,
	.readdir = slow_readdir,
	.open = slow_open,
	.read = slow_read,
	.release = slow_release,
	.listxattr = slow_listxattr,
	.getxattr = slow_getxattr,
};

int main(int argc, char **argv)
{
	char options[] = "-oro,default_permissions,max_threads=256,max_idle_threads=256";
	char *args[] = { "slowfs", options, NULL, NULL, NULL };
	const bool foreground = argc > 1 && !strcmp(argv[1], "-f");
	char *end;
	long us;

	argv += foreground;
	us = argc - foreground == 4 ? strtol(argv[1], &end, 10) : -1;
	if (us < 0 || *end) {
		fputs("usage: slowfs [-f] MICROSECONDS DIR MOUNTPOINT\n"
		      "Shows DIR at MOUNTPOINT, each operation taking that long; -f: in the\n"
		      "foreground.\n"
		      "Ends when it is unmounted.\n", stderr);
		return 2;
	}
	delay.tv_sec = us / 1000000;
	delay.tv_nsec = us % 1000000 * 1000;
	top = realpath(argv[2], NULL);
	if (!top) {
		fprintf(stderr, "slowfs: %s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	args[2] = argv[3];
	args[3] = foreground ? "-f" : NULL;
	return fuse_main(3 + foreground, args, &ops, NULL);
}
