// SPDX-License-Identifier: GPL-2.0
/*
 * Mounts and walks one image after the other on one loop device; the kernel must
 * neither complain nor lose memory.
 *
 * One process and one loop device serve all images, since in User Mode Linux
 * system calls are slow and processes slower.
 */
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "../harness/cases.h"
#include "files.h"
#include "format.h"
#include "trial.h"

#define WATCHDOG	60		/* seconds an image */
/* A bad page, an oops, a warning, a lockup */
#define TAINTS		(1 << 5 | 1 << 7 | 1 << 9 | 1 << 14)

static char dir[] = "/tmp/hostile.XXXXXX";
static char image[64], mnt[64], loop_name[32];
static int loop_fd, image_fd, log_fd;
static struct bytes on_disk;	/* what is in the image's file */
static const char *unit;
static u64 current, slowest, slowest_ms;

void __attribute__((__noreturn__)) trial_fail(const char *why)
{
	tc_comment("%s %llu: %s: %s", unit, current, why, strerror(errno));
	tc_result(false, "run to the end");
	umount2(mnt, MNT_DETACH);
	_exit(1);
}

/* A signal handler: the harness uses stdio, which must not be called here. */
static void on_alarm(int sig)
{
	static const char text[] = "not ok - hostile: an image took too long\n";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

/* --- the kernel's health -------------------------------------------------------- */

static u64 number_in(const char *path, const char *key)
{
	char line[256];
	u64 v = 0;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			v = strtoull(line + strlen(key), NULL, 0);
	if (f)
		fclose(f);
	return v;
}

u64 trial_memory(void)
{
	bytes_write("3", 1, "/proc/sys/vm/drop_caches");
	return number_in("/proc/meminfo", "Slab:") +
	       number_in("/proc/meminfo", "VmallocUsed:");
}

static void check_health(void)
{
	static u64 before;
	static bool had;
	u64 now = number_in("/proc/sys/kernel/tainted", "");

	if (!had)
		before = now;
	had = true;
	errno = 0;
	if ((now & TAINTS) != (before & TAINTS))
		trial_fail("the kernel complained");
}

/*
 * By write(2): stdio asks where it is in a file, and /dev/kmsg does not say.  As an
 * error, so that the console of a kernel that dies has it.
 */
void trial_number(u64 nr)
{
	char text[64];
	int n;

	current = nr;
	n = snprintf(text, sizeof(text), "<3>hostile: %s %llu\n", unit, nr);
	if (write(log_fd, text, n) != n)
		trial_fail("/dev/kmsg");
}

/* --- images ----------------------------------------------------------------------- */

void trial_begin(const char *of_what)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_READ_ONLY |
						       LO_FLAGS_AUTOCLEAR };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	unit = of_what;
	tc_prefix = "hostile";
	if (!mkdtemp(dir))
		trial_fail(dir);
	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	image_fd = open(image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (mkdir(mnt, 0755) || control < 0 || image_fd < 0)
		trial_fail(dir);
	snprintf(loop_name, sizeof(loop_name), "/dev/loop%d",
		 ioctl(control, LOOP_CTL_GET_FREE));
	loop_fd = open(loop_name, O_RDONLY | O_CLOEXEC);
	config.fd = image_fd;
	if (loop_fd < 0 || ioctl(loop_fd, LOOP_CONFIGURE, &config))
		trial_fail(loop_name);
	close(control);
	bytes_write("on\n", 3, "/proc/sys/kernel/printk_devkmsg");
	log_fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (log_fd < 0)
		trial_fail("/dev/kmsg");
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
}

void trial_end(void)
{
	close(loop_fd);
	close(image_fd);
	close(log_fd);
	unlink(image);
	rmdir(mnt);
	rmdir(dir);
	printf("# the slowest: %llu, %llu ms\n", slowest, slowest_ms);
}

/* Make the device hold @p: blocks that it has already are not written again. */
static void to_disk(const u8 *p, size_t size)
{
	size_t at, n;

	if (size != on_disk.size) {
		on_disk.p = realloc(on_disk.p, size + 1);	/* it may be empty */
		if (!on_disk.p || ftruncate(image_fd, size) ||
		    pread(image_fd, on_disk.p, size, 0) != (ssize_t)size ||
		    ioctl(loop_fd, LOOP_SET_CAPACITY))
			trial_fail("another size of image");
		on_disk.size = size;
	}
	for (at = 0; at < size; at += n) {
		n = size - at < DSFS_BLOCK_SIZE ? size - at : DSFS_BLOCK_SIZE;
		if (!memcmp(on_disk.p + at, p + at, n))
			continue;
		if (pwrite(image_fd, p + at, n, at) != (ssize_t)n)
			trial_fail(image);
		memcpy(on_disk.p + at, p + at, n);
	}
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

int trial_image(const u8 *p, size_t size, const char *options, struct walk *w)
{
	u64 start = now_ms(), ms;
	int err;

	to_disk(p, size);
	alarm(WATCHDOG);
	err = mount(loop_name, mnt, "dsfs", MS_RDONLY, options) ? errno : 0;
	if (!err) {
		/* Short paths: each of their parts is a lookup. */
		if (chdir(mnt))
			trial_fail("chdir");
		walk_tree(w, ".");
		if (chdir("/") || umount(mnt))
			trial_fail("umount");
	}
	alarm(0);
	check_health();
	ms = now_ms() - start;
	if (ms > slowest_ms) {
		slowest_ms = ms;
		slowest = current;
	}
	return err;
}
