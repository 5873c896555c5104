// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of the cache: its permissions, other objects with names of its files, removal
 * while it is used, a full file system, and a read-only one.
 */
#include <sched.h>
#include <sys/mount.h>

#include "unit_cache.h"

#define IMAGE	(8 * MIB)
#define SAMPLES	70

static int try_cache(struct origin *o, const char *path)
{
	const struct cache_options opt = { path, 0, false };
	struct dsfs_reader *r;
	const char *what;
	int ret = reader_cache(&o->r, &opt, &r, &what);

	if (!ret)
		close_reader(r);
	return ret;
}

static void test_owner(void)
{
	struct origin o;
	struct stat st;

	work_begin();
	origin_init(&o, IMAGE, "owner");
	OK(!try_cache(&o, cache_path) && !stat(cache_path, &st) && (st.st_mode & 07777) == 0700,
	   "the directory is made for nobody else");
	chmod(cache_path, 0755);
	OK(!try_cache(&o, cache_path), "others may look");
	chmod(cache_path, 0770);
	OK(try_cache(&o, cache_path) == -EPERM, "a group may not write");
	chmod(cache_path, 01777);
	OK(try_cache(&o, cache_path) == -EPERM, "nor everybody, with the sticky bit");
	if (!geteuid()) {
		chmod(cache_path, 0755);
		OK(!chown(cache_path, 65534, 65534) && try_cache(&o, cache_path) == -EPERM,
		   "nor an owner who is neither root nor this user");
	}
	OK(try_cache(&o, "/nowhere/cache") == -ENOENT, "a directory in none is an error");
	OK(try_cache(&o, "/dev/null") == -ENOTDIR, "so is what is no directory");
	work_end();
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/* try_cache() as nobody of a user namespace, who is this user outside.  Return: its errno. */
static int try_as_nobody(struct origin *o)
{
	char map[32];
	int status = 0;
	pid_t pid;

	snprintf(map, sizeof(map), "65534 %u 1", geteuid());
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(unshare(CLONE_NEWUSER) || !write_file("/proc/self/uid_map", map) ||
		      geteuid() != 65534 ? 255 : -try_cache(o, cache_path));
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void test_unmapped_owner(void)
{
	char path[PATH_MAX];
	struct origin o;
	struct stat st;

	if (geteuid())
		return;
	work_begin();
	origin_init(&o, IMAGE, "unmapped");
	OK(!try_cache(&o, cache_path) && !try_as_nobody(&o),
	   "nobody of a user namespace has a cache");
	OK(!chown(cache_path, 12345, 0) && !chmod(cache_path, 0755) && try_as_nobody(&o) == EPERM,
	   "but not where somebody without an id there can write");
	OK(!chown(cache_path, 0, 0) && cache_names(path) == 1 && !chown(path, 12345, 0) &&
	   !chmod(path, 0644) && !try_as_nobody(&o) && !stat(path, &st) && !st.st_uid,
	   "nor is a file of such an owner taken for one's own");
	work_end();
}

/* Return: whether it was right, and kept. */
static bool works(struct origin *o)
{
	struct dsfs_reader *r = must_cache(o, LARGE, false);
	bool right = !get(r, o, 0, SAMPLE, 0);

	o->requests = 0;
	right &= !get(r, o, 0, SAMPLE, 0) && !o->requests;
	close_reader(r);
	return right;
}

static bool begins_with(const char *path, const char *text)
{
	char head[16] = { };
	int fd = open(path, O_RDONLY);
	bool is = fd >= 0 && pread(fd, head, strlen(text), 0) > 0 && !strcmp(head, text);

	close(fd);
	return is;
}

static bool write_head(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

static void test_planted(void)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct origin o;
	struct stat st;

	work_begin();
	origin_init(&o, IMAGE, "planted");
	OK(works(&o) && cache_names(path) == 1, "a file");
	snprintf(other, sizeof(other), "%.300s/other", work_dir);
	OK(!rename(path, other) && !symlink(other, path) && works(&o) && !lstat(path, &st) &&
	   S_ISREG(st.st_mode), "a symbolic link at its place is not followed");
	OK(!unlink(path) && !link(other, path) && works(&o) && !stat(other, &st) &&
	   st.st_nlink == 1, "nor is a file that has another name, too");
	OK(!unlink(path) && !mkfifo(path, 0600) && works(&o), "nor a pipe");
	OK(!chmod(path, 0666) && works(&o) && !stat(path, &st) && !(st.st_mode & 022),
	   "nor a file that others may write to");
	OK(!truncate(path, 100) && works(&o), "nor one with half a head");
	OK(begins_with(path, "dsfscach") && write_head(path, "dsfscachX") && works(&o) &&
	   !begins_with(path, "dsfscachX"), "nor one with another head");
	work_end();
}

static void test_removed(void)
{
	struct dsfs_reader *r;
	struct origin o;

	work_begin();
	origin_init(&o, IMAGE, "removed");
	r = must_cache(&o, 4 * MIB, false);
	OK(!get_samples(r, &o, 20), "in use");
	tap_remove(cache_path);
	OK(!get_samples(r, &o, SAMPLES), "what is removed while it is in use is right to its end");
	OK(cache_names(NULL) == 1, "and made anew");
	close_reader(r);
	r = must_cache(&o, 4 * MIB, false);
	o.requests = 0;
	OK(!get_samples(r, &o, SAMPLES) && o.requests < SAMPLES, "with hits");
	close_reader(r);
	work_end();
}

/* Return: hits of a second epoch, or -1 if something was wrong. */
static int epochs(struct origin *o, struct dsfs_reader *r)
{
	unsigned int wrong = get_samples(r, o, SAMPLES);

	o->requests = 0;
	wrong += get_samples(r, o, SAMPLES);
	return wrong ? -1 : SAMPLES - (int)o->requests;
}

/* In a child, as the mounts are of a name space of its own.  Return: a bit for each defect. */
static int use_small_disk(struct origin *o)
{
	struct dsfs_reader *r;
	int bad = 0, hits;

	if (mount("none", work_dir, "tmpfs", 0, "size=2m"))
		return 128;
	r = must_cache(o, LARGE, false);
	hits = epochs(o, r);
	bad |= hits < 10 || hits >= SAMPLES ? 1 : 0;
	close_reader(r);
	if (mount("none", work_dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=2m"))
		return 128;
	r = must_cache(o, LARGE, false);
	o->requests = 0;
	bad |= get_samples(r, o, SAMPLES) || SAMPLES - (int)o->requests != hits ? 2 : 0;
	bad |= r->warning ? 0 : 4;
	close_reader(r);
	if (mount("none", work_dir, "tmpfs", MS_REMOUNT, "size=2m"))
		return 128;
	r = must_cache(o, NO_LIMIT, false);
	bad |= cache_used() < 64 * KIB || epochs(o, r) != hits ? 8 : 0;
	close_reader(r);
	return bad;
}

static void test_small_disk(void)
{
	struct origin o;
	int status;
	pid_t pid;

	if (geteuid())
		return;
	work_begin();
	origin_init(&o, IMAGE, "disk");
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
			_exit(128);
		_exit(use_small_disk(&o));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(1);
	OK(WIFEXITED(status) && WEXITSTATUS(status) != 128, "a disk of 2 MiB for the cache");
	status = WEXITSTATUS(status);
	OK(!(status & 1), "full: all is right, and some are hits");
	OK(!(status & 2), "read-only: all is right, with the same hits");
	OK(!(status & 4), "which is said");
	OK(!(status & 8), "full by the rest that is to stay free: nothing more is kept");
	work_end();
}

TESTS(places)
{
	test_owner();
	test_unmapped_owner();
	test_planted();
	test_removed();
	test_small_disk();
}
