// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that disturb the readers of pressure, and check their own results:
 * they drop caches of all layers, mount, unmount and remount, and use handles.
 *
 * Mounts of the main image share its super block; those of the side image make
 * and destroy one, several processes at a time.
 */
#include <sys/mount.h>
#include <linux/fs.h>

#include "pressure.h"

static void drop_caches(struct t_case *c)
{
	static const char * const what[] = { "1", "2", "3" };
	uint64_t file = pressure_random(pressure_opts.files);

	t_write("/proc/sys/vm/drop_caches", what[pressure_random(3)]);
	pressure_whole(c, pressure_opts.dir, file);
}

static void flush_device(struct t_case *c)
{
	const char *dev = pressure_random(2) ? pressure_opts.dev : pressure_opts.side_dev;
	char buf[4096];
	int fd = open(dev, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		t_die(dev, "open");
	/* Something to flush */
	t_check(c, pread(fd, buf, sizeof(buf), 0) == sizeof(buf), dev, "read: %s",
		strerror(errno));
	t_works(c, dev, ioctl(fd, BLKFLSBUF, 0));
	close(fd);
}

static bool do_mount(struct t_case *c, const char *dev, const char *dir)
{
	return t_works(c, dir, mount(dev, dir, "dsfs", MS_RDONLY, NULL));
}

static void do_umount(struct t_case *c, const char *dir, int flags)
{
	t_works(c, dir, umount2(dir, flags));
}

/* Not while a file is open; after it was closed at once. */
static void busy(struct t_case *c, const char *dir, uint64_t files)
{
	uint64_t file = pressure_random(files);
	int fd = pressure_open(c, dir, file, 0);

	if (fd < 0)
		return;
	t_fails(c, EBUSY, dir, umount(dir));
	close(fd);
	pressure_whole(c, dir, file);
}

static void shared_mounts(struct t_case *c)
{
	const char *dir = pressure_own_dir("shared");
	int i;

	/*
	 * One over the other, too.  Mounts of one image agree about their
	 * options, and a remount may just have changed them.
	 */
	for (i = 0; i < 3; i++) {
		if (mount(pressure_opts.dev, dir, "dsfs", MS_RDONLY, "wholefile=1M")) {
			t_check(c, errno == EBUSY, dir, "mount: %s", strerror(errno));
			break;
		}
	}
	if (i)
		busy(c, dir, pressure_opts.files);
	while (i--)
		do_umount(c, dir, 0);
}

static void side_mounts(struct t_case *c)
{
	const char *dir = pressure_own_dir("side");

	if (!do_mount(c, pressure_opts.side_dev, dir))
		return;
	busy(c, dir, pressure_opts.side_files);
	do_umount(c, dir, 0);
}

/* The file outlives its mount, and the super block lives as long as it does. */
static void lazy_umount(struct t_case *c)
{
	const char *dir = pressure_own_dir("lazy");
	unsigned char buf[4096];
	uint64_t file = pressure_random(pressure_opts.side_files), pos, size;
	ssize_t n;
	int fd, i;

	if (!do_mount(c, pressure_opts.side_dev, dir))
		return;
	fd = pressure_open(c, dir, file, 0);
	do_umount(c, dir, MNT_DETACH);
	size = pressure_size(file);
	for (i = 0; fd >= 0 && i < 8; i++) {
		pos = pressure_random(size);
		n = pread(fd, buf, sizeof(buf), pos);
		if (t_check(c, n == (ssize_t)(size - pos < sizeof(buf) ? size - pos : sizeof(buf)),
			    dir, "read after a lazy unmount: %zd: %s", n, strerror(errno)))
			pressure_same(c, file, buf, pos, n);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	if (fd >= 0)
		close(fd);
}

static int remount(const char *opts)
{
	return mount(NULL, pressure_opts.dir, NULL, MS_REMOUNT | MS_RDONLY, opts);
}

static void remounts(struct t_case *c)
{
	static const char * const opts[] = { "wholefile=0", "wholefile=64K", "wholefile=4M" };

	t_works(c, "/", remount(opts[pressure_random(ARRAY_SIZE(opts))]));
	pressure_whole(c, pressure_opts.dir, pressure_random(pressure_opts.files));
	t_works(c, "/", remount("wholefile=1M"));
	t_fails(c, EINVAL, "/", remount("verify=off"));
	pressure_whole(c, pressure_opts.dir, pressure_random(pressure_opts.files));
}

#define HANDLES	32

/* Handles that were kept a while, opened among everything else. */
static void handles(struct t_case *c)
{
	static struct file_handle *kept[HANDLES];
	static uint64_t files[HANDLES];
	unsigned int i = pressure_random(HANDLES);
	struct t_object o = { .dir = AT_FDCWD };
	unsigned char buf[4096];
	uint64_t size;
	ssize_t n;
	int root, fd;

	if (!kept[i]) {
		files[i] = pressure_random(pressure_opts.files);
		o.name = pressure_name(pressure_opts.dir, files[i]);
		o.path = o.name;
		kept[i] = t_handle(c, &o, 0);
		return;
	}
	size = pressure_size(files[i]);
	root = open(pressure_opts.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = open_by_handle_at(root, kept[i], O_RDONLY | O_CLOEXEC);
	if (t_check(c, fd >= 0, pressure_name("", files[i]), "by handle: %s", strerror(errno))) {
		n = pread(fd, buf, sizeof(buf), 0);
		if (t_check(c, n == (ssize_t)(size < sizeof(buf) ? size : sizeof(buf)),
			    pressure_name("", files[i]), "by handle: %zd bytes", n))
			pressure_same(c, files[i], buf, 0, n);
		close(fd);
	}
	close(root);
	if (pressure_random(2)) {
		free(kept[i]);
		kept[i] = NULL;
	}
}

/* Reads @file from the device, over and over, and says each time that it begins. */
static void read_until_killed(uint64_t file, int to)
{
	int fd = open(pressure_name(pressure_opts.dir, file), O_RDONLY | O_CLOEXEC);
	static char buf[ROOM];

	while (fd >= 0 && write(to, "", 1) == 1) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		lseek(fd, 0, SEEK_SET);
		while (read(fd, buf, sizeof(buf)) > 0)
			;
	}
	_exit(1);
}

/* Readers are killed wherever they are, and who comes next reads what they left. */
static void kills(struct t_case *c)
{
	const uint64_t file = pressure_random(pressure_opts.files);
	const char *name = pressure_name("", file);
	size_t rounds = 1 + pressure_random(8);
	int pipes[2], status;
	char began;
	pid_t pid;

	if (pipe(pipes))
		t_die("pipe", strerror(errno));
	pid = fork();
	if (pid < 0)
		t_die(name, "fork");
	if (!pid)
		read_until_killed(file, pipes[1]);
	close(pipes[1]);
	while (rounds && read(pipes[0], &began, 1) == 1)
		rounds--;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(pipes[0]);
	t_check(c, !rounds && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, name,
		"a reader ended with status 0x%x", status);
	pressure_whole(c, pressure_opts.dir, file);
}

struct pressure_job pressure_troubles[] = {
	{ { .name = "drop_caches 1, 2, 3" }, 1, false, .once = drop_caches },
	{ { .name = "BLKFLSBUF" }, 1, false, .once = flush_device },
	{ { .name = "mounts that share a super block" }, 2, false, .once = shared_mounts },
	{ { .name = "mounts that make and end a super block" }, 3, false, .once = side_mounts },
	{ { .name = "lazy unmount with an open file" }, 2, false, .once = lazy_umount },
	{ { .name = "remount" }, 1, false, .once = remounts },
	{ { .name = "open_by_handle_at" }, 1, false, .once = handles },
	{ { .name = "readers that are killed" }, 2, false, .once = kills },
	{ { .name = "readers that are killed in a small cgroup" }, 1, true, .once = kills },
	{ }
};
