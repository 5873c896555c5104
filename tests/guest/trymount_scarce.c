// SPDX-License-Identifier: GPL-2.0
/*
 * A mount while memory that counts as available cannot be allocated.
 *
 * Dentries of a tmpfs are in slab caches that count as reclaimable, and cannot be
 * reclaimed: MemAvailable includes them, but an allocation does not get them.  All other
 * memory is locked.  Nothing forks meanwhile, so that only the mount allocates.
 */
#include <sys/mount.h>

#include "lib.h"
#include "trymount.h"

#define PIECE		(1 << 20)
#define PIECES		8192

/* Few pages that are free and for nobody but interrupts, KiB */
#define RESERVE		2048
#define RESERVE_TEXT	"2048"
/* Some of what is free is in blocks that are kept for allocations of interrupts, KiB. */
#define SLACK		8192
#define RESERVED	"/proc/sys/vm/min_free_kbytes"

static char tmpfs[] = "/tmp/scarce.XXXXXX";
static void *pieces[PIECES];
static size_t taken;
static char reserved[32];

static uint64_t meminfo(const char *key)
{
	return t_kib("/proc/meminfo", key) >> 10;
}

/* Long names: each takes half a kilobyte, and one of a directory's entries. */
static void pin_names(uint64_t want)
{
	const uint64_t before = meminfo("SReclaimable");
	char name[251];
	int dir, fd;
	unsigned int i;

	if (!mkdtemp(tmpfs) || mount("none", tmpfs, "tmpfs", 0, "nr_inodes=0,size=100%"))
		t_die(tmpfs, "tmpfs");
	dir = open(tmpfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(dir, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (dir < 0 || fd < 0)
		t_die(tmpfs, "open");
	for (i = 0; i % 1024 || meminfo("SReclaimable") < before + want; i++) {
		snprintf(name, sizeof(name), "%0250u", i);
		if (linkat(dir, "file", dir, name, 0))
			t_die(tmpfs, "link");
	}
	close(fd);
	close(dir);
}

static void lock_all_but(uint64_t rest)
{
	while (taken < PIECES && meminfo("MemFree") > rest + PIECE / 1024) {
		void *p = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED | MAP_POPULATE, -1, 0);

		if (p == MAP_FAILED)
			t_die("memory", "mmap");
		pieces[taken++] = p;
	}
}

/* scarce_begin - have less than @need KiB, and what counts as more */
void scarce_begin(uint64_t need)
{
	FILE *f = fopen(RESERVED, "r");

	if (!f || !fgets(reserved, sizeof(reserved), f))
		t_die(RESERVED, "read");
	fclose(f);
	t_write(RESERVED, RESERVE_TEXT);
	/* What counts as available leaves several reserves out. */
	pin_names(need * 3 / 2 + 4 * RESERVE);
	t_drop_caches("3");
	lock_all_but(need / 2 + RESERVE + SLACK);
	printf("# trymount: %llu KiB are free, %llu available\n",
	       (unsigned long long)meminfo("MemFree"),
	       (unsigned long long)meminfo("MemAvailable"));
}

/* scarce_end - give it back */
void scarce_end(void)
{
	const int failed = errno;

	while (taken)
		munmap(pieces[--taken], PIECE);
	if (umount2(tmpfs, 0) || rmdir(tmpfs))
		t_die(tmpfs, "umount");
	t_write(RESERVED, reserved);
	errno = failed;
}
