// SPDX-License-Identifier: GPL-2.0
/*
 * listing [--as-packed] DIR - the canonical listing of a live directory.
 *
 * Everything that stat, readlink, the xattr calls and read say of each object
 * below a directory, one line an object; so diff(1) proves that a mount, what was
 * extracted and the source of an image are the same.
 *
 * A file that can't be read gets its errno in place of a checksum and the walk
 * goes on, so that a damaged image can be listed too; exit status 1 says so.
 *
 * --as-packed: link counts of directories, and times out of range, as an image made of
 * DIR has them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "listing.h"

#define BUF_SIZE	(1 << 20)
#define NS_MAX_SEC	9223372036LL	/* what 64 bits of nanoseconds hold */

static struct listing_links links;
static char *path;
static size_t path_room;
static bool as_packed;
static bool failed;

static void die(const char *what)
{
	fprintf(stderr, "listing: ");
	listing_escape(stderr, path, strlen(path));
	fprintf(stderr, ": %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *must_alloc(void *p)
{
	if (!p)
		die("memory");
	return p;
}

/* Appends a name to path, and returns where to cut it off again. */
static size_t path_push(const char *name)
{
	size_t len = strlen(path), need = len + strlen(name) + 2;

	if (need > path_room) {
		path_room = need * 2;
		path = must_alloc(realloc(path, path_room));
	}
	snprintf(path + len, path_room - len, "%s%s", len > 1 ? "/" : "", name);
	return len;
}

/* Of polynomials whose first bit is x^0, modulo that of crc32c */
static u32 times(u32 a, u32 b)
{
	u32 product = 0;

	for (; a; a <<= 1) {
		if (a & 1u << 31)
			product ^= b;
		b = b >> 1 ^ (b & 1 ? 0x82f63b78 : 0);
	}
	return product;
}

/* Extend a crc32c by zeros: a hole of gigabytes costs no more than one of a block. */
static u32 sum_zeros(u32 sum, off_t len)
{
	u32 power = 1u << 23;	/* x^8 */

	for (sum = ~sum; len; len >>= 1) {
		if (len & 1)
			sum = times(sum, power);
		power = times(power, power);
	}
	return ~sum;
}

/* Where the next data lie; holes are not read. */
static off_t next_data(int fd, off_t pos, off_t size)
{
	off_t at = lseek(fd, pos, SEEK_DATA);

	if (at < 0)
		return errno == ENXIO ? size : pos;
	return at < size ? at : size;
}

static int sum_file(int fd, off_t size, u32 *sum)
{
	static unsigned char buf[BUF_SIZE];
	off_t pos = 0, data;
	ssize_t n;

	*sum = 0;
	while (pos < size) {
		data = next_data(fd, pos, size);
		*sum = sum_zeros(*sum, data - pos);
		pos = data;
		if (pos == size)
			break;
		n = pread(fd, buf, sizeof(buf), pos);
		if (n < 0)
			return errno;
		if (!n)
			return ENODATA;
		*sum = dsfs_crc32c(*sum, buf, n);
		pos += n;
	}
	return 0;
}

/* Prints the attributes of an object, sorted: name=hex, with commas between them, or - for none. */
static void print_xattrs(int dir, const char *name)
{
	static char proc[512], list[65536], value[65536];
	static struct node_xattr x[16384];
	ssize_t n, len, at, nr = 0;

	/* In 6.1 no xattr call takes a directory and the name of a symlink. */
	if (dir == AT_FDCWD)
		snprintf(proc, sizeof(proc), "%s", name);
	else
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d/%s", dir, name);
	n = llistxattr(proc, list, sizeof(list));
	if (n < 0 && errno != EOPNOTSUPP)
		die("llistxattr");
	for (at = 0; at < n; at += strlen(list + at) + 1)
		x[nr++].name = list + at;
	listing_sort(x, nr);
	putchar('\t');
	for (at = 0; at < nr; at++) {
		len = lgetxattr(proc, x[at].name, value, sizeof(value));
		if (len < 0)
			die(x[at].name);
		if (at)
			putchar(',');
		listing_escape(stdout, x[at].name, strlen(x[at].name));
		putchar('=');
		listing_hex(stdout, value, len);
	}
	puts(nr ? "" : "-");
}

static void print_time(const struct timespec *t)
{
	static const struct timespec max = { NS_MAX_SEC, 854775807 };
	static const struct timespec min = { -NS_MAX_SEC - 1, 145224192 };

	if (as_packed && (t->tv_sec > max.tv_sec ||
			  (t->tv_sec == max.tv_sec && t->tv_nsec > max.tv_nsec)))
		t = &max;
	if (as_packed && (t->tv_sec < min.tv_sec ||
			  (t->tv_sec == min.tv_sec && t->tv_nsec < min.tv_nsec)))
		t = &min;
	printf("\t%lld.%09lu", (long long)t->tv_sec, t->tv_nsec);
}

/* Prints the checksum of a file, or an errno; the target of a symlink; or -. */
static void print_content(int dir, const char *name, const struct stat *st)
{
	static char target[4096];
	int fd, error;
	ssize_t n;
	u32 sum = 0;

	putchar('\t');
	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target));
		if (n < 0)
			die("readlink");
		listing_escape(stdout, target, n);
	} else if (S_ISREG(st->st_mode)) {
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		error = fd < 0 ? errno : sum_file(fd, st->st_size, &sum);
		failed |= error != 0;
		printf(error ? "!%d" : "%08x", error ? error : sum);
		if (fd >= 0)
			close(fd);
	} else {
		putchar('-');
	}
}

static void print_object(int dir, const char *name, const struct stat *st, u64 nlink)
{
	const char *first = NULL;

	if (!S_ISDIR(st->st_mode) &&
	    listing_link(&links, st->st_dev, st->st_ino, st->st_nlink, path, &first))
		die("memory");
	listing_escape(stdout, path, strlen(path));
	printf("\t%c\t%04o\t%u\t%u\t%llu\t%llu", listing_type(st->st_mode)->letter,
	       st->st_mode & 07777, st->st_uid, st->st_gid, (unsigned long long)nlink,
	       S_ISREG(st->st_mode) || S_ISLNK(st->st_mode) ? (unsigned long long)st->st_size : 0);
	print_time(&st->st_mtim);
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		printf("\t%u:%u\t", major(st->st_rdev), minor(st->st_rdev));
	else
		fputs("\t-\t", stdout);
	listing_escape(stdout, first ? first : "-", strlen(first ? first : "-"));
	print_content(dir, name, st);
	print_xattrs(dir, name);
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/* The names in @fd, sorted by their bytes. */
static size_t read_names(int fd, char ***names)
{
	DIR *d = must_alloc(fdopendir(dup(fd)));
	struct dirent *e;
	size_t count = 0, room = 0;

	*names = NULL;
	errno = 0;
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (count == room) {
			room = room * 2 + 16;
			*names = must_alloc(realloc(*names, room * sizeof(**names)));
		}
		(*names)[count++] = must_alloc(strdup(e->d_name));
	}
	if (errno)
		die("readdir");
	closedir(d);
	qsort(*names, count, sizeof(**names), name_cmp);
	return count;
}

static u64 count_subdirs(int fd, char **names, size_t count)
{
	struct stat st;
	u64 n = 0;

	while (count--) {
		if (fstatat(fd, *names++, &st, AT_SYMLINK_NOFOLLOW))
			die("lstat");
		n += S_ISDIR(st.st_mode);
	}
	return n + 2;
}

static void walk(int dir, const char *name)
{
	struct stat st;
	size_t i, count, cut;
	char **names;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		die("lstat");
	if (!S_ISDIR(st.st_mode)) {
		print_object(dir, name, &st, st.st_nlink);
		return;
	}
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		die("open");
	count = read_names(fd, &names);
	/* Not every file system counts subdirectories. */
	print_object(dir, name, &st,
		     as_packed ? count_subdirs(fd, names, count) : st.st_nlink);
	for (i = 0; i < count; i++) {
		cut = path_push(names[i]);
		walk(fd, names[i]);
		path[cut] = 0;
		free(names[i]);
	}
	free(names);
	close(fd);
}

int main(int argc, char **argv)
{
	struct rlimit fds = { 65536, 65536 };

	as_packed = argc == 3 && !strcmp(argv[1], "--as-packed");
	if (argc != 2 + as_packed) {
		fputs("usage: listing [--as-packed] DIR\n", stderr);
		return 2;
	}
	path_room = 4096;
	path = must_alloc(malloc(path_room));
	snprintf(path, path_room, "%s", argv[argc - 1]);
	/* A tree of a thousand levels keeps as many directories open. */
	if (setrlimit(RLIMIT_NOFILE, &fds)) {
		fds.rlim_cur = 4096;
		fds.rlim_max = 4096;
		setrlimit(RLIMIT_NOFILE, &fds);
	}
	if (chdir(path))
		die("chdir");
	strcpy(path, "/");
	walk(AT_FDCWD, ".");
	listing_links_free(&links);
	free(path);
	if (fflush(stdout) || ferror(stdout)) {
		perror("listing: stdout");
		return 1;
	}
	return failed;
}
