// SPDX-License-Identifier: GPL-2.0
/*
 * images mutate|flip FROM TO OUT BASE... - hostile images, one a number from FROM
 * to TO, mounted and walked in a guest that has loop devices.
 *
 * mutate: seed N changes a base, each its turn, and makes checksums right.
 * A line of OUT a seed: "SEED BASE MOUNT ERRORS FIRST", which are the errno of
 * the mount, the number of calls that failed and the first of them.
 *
 * flip: one bit of the first base, anywhere but in an older generation that lies in
 * front, and no checksum made right.  Every answer that is no error must be one that
 * the base gave: "BIT MOUNT ERRORS WRONG FIRST".  The second base is that older
 * generation on its own, and has to be noticed.
 *
 * One process and one loop device for all of them, since in User Mode Linux
 * a system call is dear and a process dearer.  The number of each image is in the
 * kernel log, in front of what the kernel says of it.
 *
 * Prints "ok - case" and "not ok - case" lines.  An image that takes longer than a
 * minute, a kernel that complains, and memory that does not come back end the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "layout.h"
#include "mutate.h"
#include "walk.h"

#define WATCHDOG	60		/* seconds an image */
#define SLAB_GROWTH	(24 << 10)	/* KiB: KASAN keeps what is freed for a while */
#define WARM_UP		200		/* images until memory is compared */
#define TURN		50		/* seeds of a base until the next one's */
#define TAINTS		(1 << 5 | 1 << 7 | 1 << 9 | 1 << 14)	/* bad page, oops, warning, lockup */

static char dir[] = "/tmp/hostile.XXXXXX";
static char image[64], mnt[64], loop_name[32];
static int loop_fd, image_fd, log_fd;
static struct bytes on_disk;	/* what is in the image's file */
static u64 current;	/* seed or bit */
static u64 slowest, slowest_ms;
static bool flip;
static unsigned long wrong;	/* answers of this image */

static void __attribute__((__noreturn__)) end(const char *why)
{
	printf("# %s %llu: %s: %s\nnot ok - hostile: run to the end\n",
	       flip ? "bit" : "seed", current, why, strerror(errno));
	fflush(stdout);
	umount2(mnt, MNT_DETACH);
	_exit(1);
}

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

/* Slab and pages that are in use, in KiB. */
static u64 memory_used(void)
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
		end("the kernel complained");
}

/* --- images ----------------------------------------------------------------------- */

static void set_up(void)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_READ_ONLY |
						       LO_FLAGS_AUTOCLEAR };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (!mkdtemp(dir))
		end(dir);
	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	image_fd = open(image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (mkdir(mnt, 0755) || control < 0 || image_fd < 0)
		end(dir);
	snprintf(loop_name, sizeof(loop_name), "/dev/loop%d",
		 ioctl(control, LOOP_CTL_GET_FREE));
	loop_fd = open(loop_name, O_RDONLY | O_CLOEXEC);
	config.fd = image_fd;
	if (loop_fd < 0 || ioctl(loop_fd, LOOP_CONFIGURE, &config))
		end(loop_name);
	close(control);
	bytes_write("on\n", 3, "/proc/sys/kernel/printk_devkmsg");
	log_fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
}

static void tear_down(void)
{
	close(loop_fd);
	close(image_fd);
	unlink(image);
	rmdir(mnt);
	rmdir(dir);
}

/* Make the device hold @p: blocks that it has already are not written again. */
static void to_disk(const u8 *p, size_t size)
{
	size_t at, n;

	if (size != on_disk.size) {
		on_disk.p = realloc(on_disk.p, size);
		if (!on_disk.p || ftruncate(image_fd, size) ||
		    pread(image_fd, on_disk.p, size, 0) != (ssize_t)size ||
		    ioctl(loop_fd, LOOP_SET_CAPACITY))
			end("another size of image");
		on_disk.size = size;
	}
	for (at = 0; at < size; at += n) {
		n = size - at < DSFS_BLOCK_SIZE ? size - at : DSFS_BLOCK_SIZE;
		if (!memcmp(on_disk.p + at, p + at, n))
			continue;
		if (pwrite(image_fd, p + at, n, at) != (ssize_t)n)
			end(image);
		memcpy(on_disk.p + at, p + at, n);
	}
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/* Mount what @p holds and let @walk look at it: the errno of the mount. */
static int try_image(const u8 *p, size_t size, const char *options,
		     void (*walk)(struct walk *w), struct walk *w)
{
	u64 start = now_ms(), ms;
	int err;

	to_disk(p, size);
	dprintf(log_fd, "hostile: %s %llu\n", flip ? "bit" : "seed", current);
	alarm(WATCHDOG);
	err = mount(loop_name, mnt, "dsfs", MS_RDONLY, options) ? errno : 0;
	if (!err) {
		/* Short paths: each of their parts is a lookup. */
		if (chdir(mnt))
			end("chdir");
		walk(w);
		if (chdir("/") || umount(mnt))
			end("umount");
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

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "OK";
}

/* --- mutations ---------------------------------------------------------------------- */

static void walk_all(struct walk *w)
{
	walk_tree(w, ".");
}

static void try_seed(FILE *out, const struct bytes *bases, int n, u64 seed)
{
	static const char *const options[] = { "", "meta=lazy", "", "meta=lazy,verify=off" };
	const u64 nr = seed / TURN % n;
	const struct bytes *base = &bases[nr];
	u8 *p = calloc(1, base->size + MUTATE_ROOM);
	struct walk w = { .turn = seed };
	size_t size;
	int err;

	if (!p)
		end("memory");
	current = seed;
	memcpy(p, base->p, base->size);
	size = dsfs_mutate(p, base->size, base->size + MUTATE_ROOM, seed, NULL);
	err = try_image(p, size, options[seed % 4], walk_all, &w);
	wrong = w.broken;
	if (wrong)
		printf("# seed %llu: %s\n", seed, w.first);
	fprintf(out, "%llu %llu %s %lu %s\n", seed, nr, name_of(err), w.errors,
		w.first);
	free(p);
}

/* --- bits ---------------------------------------------------------------------------- */

/* Answers of the good image: hashes of question and answer, sorted. */
static struct { u64 *v; size_t n, room; } known;
static struct { char **v; size_t n; } paths;

static void known_add(u64 hash)
{
	if (known.n == known.room) {
		known.room = 2 * known.room + 1024;
		known.v = realloc(known.v, known.room * sizeof(*known.v));
		if (!known.v)
			end("memory");
	}
	known.v[known.n++] = hash;
}

static u64 hash_answer(const char *what, const void *p, size_t len)
{
	return xxh64(p, len, xxh64(what, strlen(what), 0));
}

static void learn(const char *what, const void *p, size_t len)
{
	known_add(hash_answer(what, p, len));
	if (strncmp(what, "stat 0 ", 7))
		return;
	paths.v = realloc(paths.v, (paths.n + 1) * sizeof(*paths.v));
	paths.v[paths.n] = strdup(what + 7);
	if (!paths.v[paths.n++])
		end("memory");
}

static int hash_cmp(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void compare(const char *what, const void *p, size_t len)
{
	u64 hash = hash_answer(what, p, len);

	if (bsearch(&hash, known.v, known.n, sizeof(hash), hash_cmp))
		return;
	if (!wrong++ && current)
		printf("# bit %llu: another answer: %.200s\n", current, what);
}

static void walk_known(struct walk *w)
{
	walk_paths(w, ".", paths.v, paths.n);
}

static void learn_base(const struct bytes *base)
{
	struct walk w = { .seen = learn };

	if (try_image(base->p, base->size, "", walk_all, &w) || w.errors)
		end(w.first);
	qsort(known.v, known.n, sizeof(*known.v), hash_cmp);
}

/* An older tree must not pass for the one that was learned. */
static bool notices(const struct bytes *older)
{
	struct walk w = { .seen = compare };

	wrong = 0;
	if (try_image(older->p, older->size, "", walk_known, &w))
		end("the older generation");
	return wrong && w.missing;
}

/* Where the newest generation begins: what is in front belongs to an older one. */
static u64 live_start(const struct bytes *base)
{
	struct layout l;
	const u8 *older;

	layout_find(&l, base->p, base->size);
	older = layout_record(&l, DSFS_REGION_HISTORY, 0, sizeof(struct dsfs_super));
	return older ? GET(older, dsfs_super, image_bytes) : DSFS_DATA_START_MIN;
}

/* Anywhere in slots, data and metadata; and a little of what nobody reads. */
static u64 bit_of(const struct bytes *base, u64 n)
{
	const u64 start = live_start(base), behind = base->size - start;
	u64 bit = XXH64(&n, sizeof(n), 1) % (8 * (behind + 3 * DSFS_SB_SIZE));

	if (bit < 8 * behind)
		return bit + 8 * start;
	bit -= 8 * behind;
	if (bit < 8 * DSFS_SB_SIZE)
		return bit + 8 * DSFS_SB_POS(0);
	bit -= 8 * DSFS_SB_SIZE;
	return bit < 8 * DSFS_SB_SIZE ? bit + 8 * DSFS_SB_POS(1) : bit - 8 * DSFS_SB_SIZE;
}

static void try_bit(FILE *out, const struct bytes *base, u64 n)
{
	struct walk w = { .seen = compare, .turn = n };
	u64 bit = bit_of(base, n);
	int err;

	current = bit;
	wrong = 0;
	base->p[bit / 8] ^= 1 << bit % 8;
	err = try_image(base->p, base->size, n & 1 ? "meta=lazy" : "", walk_known, &w);
	base->p[bit / 8] ^= 1 << bit % 8;
	/* What was there must not be missing. */
	wrong += w.missing + w.broken;
	fprintf(out, "%llu %s %lu %lu %s\n", bit, name_of(err), w.errors, wrong, w.first);
}

int main(int argc, char **argv)
{
	struct bytes bases[8];
	u64 from, to, used = 0, n;
	unsigned long bad = 0;
	FILE *out;
	int i;

	flip = argc > 1 && !strcmp(argv[1], "flip");
	if (argc < 6 + flip || argc > 5 + 8)
		return 2;
	from = strtoull(argv[2], NULL, 0);
	to = strtoull(argv[3], NULL, 0);
	for (i = 5; i < argc; i++)
		bytes_read(&bases[i - 5], argv[i], 0);
	out = fopen(argv[4], "w");
	set_up();
	if (!out)
		end(argv[4]);
	if (flip) {
		learn_base(&bases[0]);
		bad = !notices(&bases[1]);
		printf("%s - hostile: an older tree is noticed\n", bad ? "not ok" : "ok");
	}
	for (n = from; n < to; n++) {
		if (n == from + WARM_UP)
			used = memory_used();
		if (flip)
			try_bit(out, &bases[0], n);
		else
			try_seed(out, bases, argc - 5, n);
		bad += wrong;
	}
	fclose(out);
	tear_down();
	printf("# the slowest: %llu, %llu ms\n", slowest, slowest_ms);
	n = 0;
	if (used) {
		n = memory_used();
		printf("# memory in use: %llu KiB after %d images, %llu at the end\n", used,
		       WARM_UP, n);
		printf("%s - hostile: memory comes back\n",
		       n <= used + SLAB_GROWTH ? "ok" : "not ok");
	}
	printf("%s - hostile: %s\n", bad ? "not ok" : "ok", flip ?
	       "answers are those of the good image, or errors" :
	       "no bytes behind the end of a file, no impossible name");
	return bad || n > used + SLAB_GROWTH;
}
