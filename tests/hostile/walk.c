// SPDX-License-Identifier: GPL-2.0
/*
 * Makes all calls that read a mounted tree: lookups of names that exist and of others,
 * attributes, targets, xattrs, handles, and contents in every way of reading.  A broken
 * image may claim anything, so the walk is bounded: objects, depth, bytes of a file and
 * of all files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "walk.h"

#define OBJECTS_MAX	2000
#define DEPTH_MAX	40
#define FILE_MAX	(256 << 10)	/* and the last two pages */
#define ALL_MAX		(4 << 20)
#define PAGE		4096
#define PIECE		(4 * PAGE)
#define SEEKS_MAX	64

static char buf[65536] __attribute__((aligned(PAGE)));
static size_t bytes_read_so_far;
static int pipes[2];
static sigjmp_buf on_bus;

static void bus(int sig)
{
	(void)sig;
	siglongjmp(on_bus, 1);
}

static void failed(struct walk *w, const char *call, const char *path, int err)
{
	w->broken += err == EPROTO;
	if (!w->errors++)
		snprintf(w->first, sizeof(w->first), "%s %s %.150s",
			 strerrorname_np(err) ? strerrorname_np(err) : "?", call, path);
}

/* --- contents ----------------------------------------------------------------- */

static ssize_t spliced(int fd, off_t from, size_t len)
{
	ssize_t n = splice(fd, &from, pipes[1], NULL, len, 0), got = 0, more;

	for (; got < n; got += more) {
		more = read(pipes[0], buf + got, n - got);
		if (more <= 0)
			return -1;
	}
	return n;
}

/* Read on behind a page that cannot be read. */
static void ask_read(struct walk *w, const char *path, int fd, bool direct,
		     off_t from, off_t to)
{
	ssize_t n;
	size_t want;

	for (; from < to && bytes_read_so_far < ALL_MAX; from += n) {
		want = to - from < PIECE ? to - from : PIECE;
		/* Every other piece goes the other way. */
		n = !direct && from & PIECE ? spliced(fd, from, want) :
			pread(fd, buf, direct ? PIECE : want, from);
		if (n > 0) {
			bytes_read_so_far += n;
			n -= from + n < to ? n % PAGE : 0;
		}
		if (n < 0)
			failed(w, direct ? "O_DIRECT" : "read", path, errno);
		else if (!n)
			failed(w, "end of file before its end", path, ENODATA);
		if (n <= 0)
			n = PAGE;
	}
}

static void ask_mmap(struct walk *w, const char *path, int fd, off_t size)
{
	const size_t len = size < FILE_MAX ? size : FILE_MAX;
	volatile size_t at;
	size_t n;
	char *p;

	p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		failed(w, "mmap", path, errno);
		return;
	}
	for (at = 0; at < len; at += PAGE) {
		n = len - at < PAGE ? len - at : PAGE;
		/* The mask of signals stays as it is: SA_NODEFER spares a call a page. */
		if (sigsetjmp(on_bus, 0)) {
			failed(w, "mmap", path, EFAULT);
			continue;
		}
		memcpy(buf, p + at, PAGE);
		/* Nothing may follow the end of a file. */
		for (; n < PAGE; n++)
			if (buf[n]) {
				failed(w, "bytes behind the end", path, EPROTO);
				break;
			}
	}
	munmap(p, len);
}

static void ask_maps(struct walk *w, const char *path, int fd, off_t size)
{
	struct fiemap *map = (void *)buf;
	off_t at = 0;
	int i;

	memset(map, 0, sizeof(*map));
	map->fm_length = ~0ULL;
	map->fm_extent_count = 32;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		failed(w, "FIEMAP", path, errno);
	for (i = 0; i < SEEKS_MAX && at >= 0 && at < size; i++)
		at = lseek(fd, at, i & 1 ? SEEK_HOLE : SEEK_DATA);
	if (at < 0 && errno != ENXIO)
		failed(w, "lseek", path, errno);
}

static void ask_file(struct walk *w, const char *path, off_t size)
{
	const off_t most = size < FILE_MAX ? size : FILE_MAX;
	int fd = open(path, O_RDONLY | O_CLOEXEC), direct;

	if (fd < 0) {
		failed(w, "open", path, errno);
		return;
	}
	if (size <= 0) {
		if (read(fd, buf, PIECE))
			failed(w, "read of an empty file", path, EPROTO);
		close(fd);
		return;
	}
	ask_maps(w, path, fd, size);
	ask_read(w, path, fd, false, 0, most);
	if (size > most)
		ask_read(w, path, fd, false, (size - 2 * PAGE) & ~(off_t)(PAGE - 1), size);
	if (bytes_read_so_far < ALL_MAX)
		ask_mmap(w, path, fd, size);
	direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (direct < 0) {
		failed(w, "open O_DIRECT", path, errno);
	} else {
		posix_fadvise(direct, 0, 0, POSIX_FADV_DONTNEED);
		ask_read(w, path, direct, true, 0, most);
		close(direct);
	}
	close(fd);
}

/* --- attributes --------------------------------------------------------------- */

static void ask_xattrs(struct walk *w, const char *path)
{
	static char names[65536], value[65536];
	ssize_t n = llistxattr(path, names, sizeof(names));
	char *name;

	if (n < 0) {
		failed(w, "listxattr", path, errno);
		return;
	}
	for (name = names; name < names + n; name += strlen(name) + 1)
		if (lgetxattr(path, name, value, sizeof(value)) < 0)
			failed(w, "getxattr", path, errno);
	if (!w->dear && !n)
		return;
	if (lgetxattr(path, "user.not there", value, sizeof(value)) >= 0 ||
	    (errno != ENODATA && errno != EPERM))
		failed(w, "getxattr of nothing", path, errno);
}

static void ask_handle(struct walk *w, const char *path, int root)
{
	static char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	struct file_handle *h = (void *)room;
	int mount, fd;

	if (!w->dear)
		return;
	h->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, path, h, &mount, 0)) {
		failed(w, "name_to_handle", path, errno);
		return;
	}
	fd = open_by_handle_at(root, h, O_PATH | O_CLOEXEC);
	if (fd < 0)
		failed(w, "open_by_handle", path, errno);
	else
		close(fd);
	/* One that nobody gave out may fail as it likes. */
	h->f_handle[w->objects / 4 % 4] ^= 1 << w->objects / 4 % 8;
	fd = open_by_handle_at(root, h, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
}

static bool ask_object(struct walk *w, const char *path, int root, struct stat *st)
{
	w->objects++;
	w->dear = !((w->objects + w->turn) % 4);
	if (lstat(path, st)) {
		failed(w, "stat", path, errno);
		return false;
	}
	ask_xattrs(w, path);
	ask_handle(w, path, root);
	if (S_ISLNK(st->st_mode) && readlink(path, buf, sizeof(buf)) < 0)
		failed(w, "readlink", path, errno);
	if (S_ISREG(st->st_mode))
		ask_file(w, path, st->st_size);
	return true;
}

/* --- directories --------------------------------------------------------------- */

static void ask_absent(struct walk *w, const char *dir)
{
	static const char *const names[] = { "!", "file", "zzzz" };
	char path[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s.absent", dir, names[i]);
		if (!lstat(path, &st))
			failed(w, "stat of an absent name", path, EEXIST);
		else if (errno != ENOENT)
			failed(w, "stat of an absent name", path, errno);
	}
}

struct names {
	char **v;
	size_t n, room;
};

static void add_name(struct names *names, const char *name)
{
	if (names->n == names->room) {
		names->room = 2 * names->room + 16;
		names->v = realloc(names->v, names->room * sizeof(*names->v));
	}
	names->v[names->n] = names->v ? strdup(name) : NULL;
	if (!names->v || !names->v[names->n++])
		abort();
}

/* Names of a directory, as long as they come */
static struct names ask_names(struct walk *w, const char *path)
{
	struct names names = { NULL, 0, 0 };
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d) {
		failed(w, "opendir", path, errno);
		return names;
	}
	for (errno = 0; (e = readdir(d)) && names.n < OBJECTS_MAX; errno = 0) {
		if (!*e->d_name || strchr(e->d_name, '/'))
			failed(w, "name that no directory may hold", path, EPROTO);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			add_name(&names, e->d_name);
	}
	if (!e && errno)
		failed(w, "readdir", path, errno);
	closedir(d);
	return names;
}

static void walk_dir(struct walk *w, const char *path, int root, int depth)
{
	struct names names;
	char sub[PATH_MAX];
	struct stat st;
	size_t i;

	if (w->objects >= OBJECTS_MAX || depth > DEPTH_MAX ||
	    !ask_object(w, path, root, &st) || !S_ISDIR(st.st_mode))
		return;
	names = ask_names(w, path);
	ask_absent(w, path);
	for (i = 0; i < names.n; i++) {
		if (snprintf(sub, sizeof(sub), "%s/%s", path, names.v[i]) < (int)sizeof(sub))
			walk_dir(w, sub, root, depth + 1);
		free(names.v[i]);
	}
	free(names.v);
}

void walk_tree(struct walk *w, const char *root)
{
	const struct sigaction on_sigbus = { .sa_handler = bus, .sa_flags = SA_NODEFER };
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	sigaction(SIGBUS, &on_sigbus, NULL);
	if (!pipes[1] && pipe2(pipes, O_CLOEXEC))
		failed(w, "pipe", root, errno);
	bytes_read_so_far = 0;
	if (fd < 0) {
		failed(w, "open", root, errno);
		return;
	}
	walk_dir(w, root, fd, 0);
	close(fd);
}
