// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of devices, read from directories that look like sysfs.
 */
#include "output/output.h"
#include "mkfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(const char *dir, const char *name, const char *value)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%s\n", value) < 0 || fclose(f))
		exit(1);
}

/* A device of that name with those limits; what is made of it. */
static unsigned int bits_of(const char *name, const char *max_hw_kb,
			    const char *optimal)
{
	char top[] = "/tmp/unit-mkfs-XXXXXX", dir[128], queue[160], path[256];
	unsigned int bits;

	if (!mkdtemp(top))
		exit(1);
	snprintf(dir, sizeof(dir), "%s/%s", top, name);
	snprintf(queue, sizeof(queue), "%s/queue", dir);
	if (mkdir(dir, 0700) || mkdir(queue, 0700))
		exit(1);
	put_file(queue, "max_hw_sectors_kb", max_hw_kb);
	put_file(queue, "optimal_io_size", optimal);
	bits = device_object_bits(dir);
	snprintf(path, sizeof(path), "%s/max_hw_sectors_kb", queue);
	unlink(path);
	snprintf(path, sizeof(path), "%s/optimal_io_size", queue);
	unlink(path);
	rmdir(queue);
	rmdir(dir);
	rmdir(top);
	return bits;
}

TESTS(device)
{
	OK(bits_of("rbd0", "4096", "65536") == 22, "device: objects of RBD");
	OK(bits_of("rbd12", "8192", "65536") == 23, "device: larger objects of RBD");
	OK(!bits_of("rbd0", "3000", "65536"), "device: odd objects of RBD");
	OK(!bits_of("rbd0", "32", "0"), "device: objects below 64 KiB");
	OK(!bits_of("rbd0", "4194304", "0"), "device: objects above 1 GiB");
	OK(bits_of("md0", "512", "2097152") == 21, "device: a stripe");
	OK(!bits_of("md0", "512", "524288"), "device: a small stripe");
	OK(!bits_of("md0", "512", "3145728"), "device: an odd stripe");
	OK(!bits_of("vda", "4096", "0"), "device: nothing said");
	OK(!device_object_bits("/does/not/exist"), "device: no sysfs");
}
