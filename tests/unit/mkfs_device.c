// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of devices, read from directories that look like sysfs.
 */
#include "output.h"
#include "mkfs.h"

/* A device of that name with those limits; what is made of it. */
static unsigned int bits_of(const char *name, const char *max_hw_kb, const char *optimal)
{
	char top[] = "/tmp/unit-mkfs-XXXXXX", dir[128];
	unsigned int bits;

	if (!mkdtemp(top))
		exit(1);
	snprintf(dir, sizeof(dir), "%s/%s", top, name);
	mkdir(dir, 0700);
	unit_put(dir, "queue/max_hw_sectors_kb", max_hw_kb);
	unit_put(dir, "queue/optimal_io_size", optimal);
	bits = device_object_bits(dir);
	tap_remove(top);
	return bits;
}

TESTS(device)
{
	OK(bits_of("rbd0", "4096\n", "65536\n") == 22, "device: objects of RBD");
	OK(bits_of("rbd12", "8192\n", "65536\n") == 23, "device: larger objects of RBD");
	OK(!bits_of("rbd0", "3000\n", "65536\n"), "device: odd objects of RBD");
	OK(!bits_of("rbd0", "32\n", "0\n"), "device: objects below 64 KiB");
	OK(!bits_of("rbd0", "4194304\n", "0\n"), "device: objects above 1 GiB");
	OK(bits_of("md0", "512\n", "2097152\n") == 21, "device: a stripe");
	OK(!bits_of("md0", "512\n", "524288\n"), "device: a small stripe");
	OK(!bits_of("md0", "512\n", "3145728\n"), "device: an odd stripe");
	OK(!bits_of("vda", "4096\n", "0\n"), "device: nothing said");
	OK(!device_object_bits("/does/not/exist"), "device: no sysfs");
}
