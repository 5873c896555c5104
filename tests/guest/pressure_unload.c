// SPDX-License-Identifier: GPL-2.0
/*
 * The module is unloaded and loaded while other processes mount, read and unmount.
 *
 * After an unmount nothing may need the module, however late its reads complete; a
 * mount during the load must work, or fail with ENODEV.  Unload is tried all the
 * time, so the module goes at the moment in which the last mount drops it.  For
 * such moments the mounting processes wait for the next unload now and then; and
 * they mount again while the module is being loaded.
 */
#include <linux/futex.h>
#include <sys/mount.h>

#include "pressure.h"

static uint32_t *gone;	/* how often the module went; of all processes, and a futex */

void pressure_unload_init(void)
{
	gone = mmap(NULL, sizeof(*gone), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	if (gone == MAP_FAILED)
		t_die("memory", "mmap");
}

static uint32_t times_gone(void)
{
	return __atomic_load_n(gone, __ATOMIC_ACQUIRE);
}

/* Now and then, until the module has gone since @seen; or for ever, at the end. */
static void let_go(uint32_t seen)
{
	const struct timespec second = { .tv_sec = 1 };

	if (pressure_random(2))
		return;
	while (times_gone() == seen && time(NULL) < pressure_opts.end)
		syscall(SYS_futex, gone, FUTEX_WAIT, seen, &second, NULL, 0);
}

static void module_gone(void)
{
	__atomic_fetch_add(gone, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, gone, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool try_mount(struct t_case *c, const char *dev, const char *dir, const char *options)
{
	int err = mount(dev, dir, "dsfs", MS_RDONLY, options) ? errno : 0;

	/* Whoever loads it needs the processor. */
	if (err == ENODEV)
		sched_yield();
	else
		t_check(c, !err, dir, "mount: %s", strerror(err));
	return !err;
}

/* Ends with a read in flight that nobody waits for. */
static void mount_and_read(struct t_case *c, const char *dev, uint64_t files,
			   const char *options)
{
	const char *dir = pressure_own_dir("unload");
	const uint32_t seen = times_gone();
	const bool detach = pressure_random(2);
	int fd;

	if (!try_mount(c, dev, dir, options))
		return;
	pressure_whole(c, dir, pressure_random(files));
	fd = pressure_open(c, dir, pressure_random(files), 0);
	if (detach)
		t_works(c, dir, umount2(dir, MNT_DETACH));
	if (fd >= 0) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
		close(fd);
	}
	if (!detach)
		t_works(c, dir, umount(dir));
	let_go(seen);
}

/* Workers verify what was read ... */
static void verified(struct t_case *c)
{
	mount_and_read(c, pressure_opts.side_dev, pressure_opts.side_files, NULL);
}

/* ... and what needs no verifying is done in the interrupt. */
static void not_verified(struct t_case *c)
{
	mount_and_read(c, pressure_opts.dev, pressure_opts.files, "verify=off");
}

static int delete_module(void)
{
	return syscall(SYS_delete_module, "dsfs", O_NONBLOCK) ? errno : 0;
}

/* Of a mount that may be beginning, or ending, or none. */
static void look(struct t_case *c)
{
	const char *name = strrchr(pressure_opts.side_dev, '/') + 1;
	char path[300], text[32] = "";
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/sys/fs/dsfs/%s/generation", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, text, sizeof(text) - 1);
	t_check(c, n > 0 ? !strcmp(text, "1\n") : errno == ENOENT || errno == ENODEV, path,
		"'%s': %s", text, n > 0 ? "" : strerror(errno));
	if (fd >= 0)
		close(fd);
	/* It never waits, and the others need the processor. */
	if (!pressure_random(20))
		let_go(times_gone());
}

static void unload(struct t_case *c)
{
	int err = delete_module(), fd;

	if (err) {
		if (err != EAGAIN)
			t_check(c, false, "/", "unload: %s", strerror(err));
		sched_yield();
		return;
	}
	module_gone();
	fd = open(pressure_opts.module, O_RDONLY | O_CLOEXEC);
	t_check(c, fd >= 0 && !syscall(SYS_finit_module, fd, "", 0), pressure_opts.module,
		"load: %s", strerror(errno));
	close(fd);
}

void pressure_reread(struct t_case *c)
{
	const char *dir = pressure_own_dir("again");
	uint64_t i;

	if (!t_check(c, !mount(pressure_opts.side_dev, dir, "dsfs", MS_RDONLY, NULL), dir,
		     "mount: %s", strerror(errno)))
		return;
	for (i = 0; i < pressure_opts.side_files; i++)
		pressure_whole(c, dir, i);
	t_works(c, dir, umount(dir));
}

struct pressure_job pressure_unloads[] = {
	{ { .name = "the module goes when nobody uses it, and comes back" }, 1, false,
	  .once = unload },
	{ { .name = "mounts that end with reads in flight" }, 2, false, .once = verified },
	{ { .name = "the same with verify=off" }, 1, false, .once = not_verified },
	{ { .name = "sysfs while mounts and module go" }, 1, false, .once = look },
	{ }
};
