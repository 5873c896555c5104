// SPDX-License-Identifier: GPL-2.0
/*
 * Runs mkfs.dsfs on an input and fsck.dsfs on the image, if one is made, both by their main().
 * The image is in memory, where a sync costs nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/output.h"
#include "packed.h"

/* The linker puts them in the place of what a process calls once. */
void __wrap_msg_init(const char *tool, int lost);
int __wrap_msg_flush_stdout(void);
int __wrap_signals_init(void);

void __wrap_msg_init(const char *tool, int lost)
{
	(void)tool;
	(void)lost;
}

/* Standard output stays open. */
int __wrap_msg_flush_stdout(void)
{
	return 0;
}

int __wrap_signals_init(void)
{
	return 0;
}

static int run(int (*tool)(int argc, char **argv), const char *const *args, const char *image,
	       const char *source)
{
	const char *argv[PACKED_ARGS + 3];
	int argc = 0;

	while (args[argc] && argc < PACKED_ARGS) {
		argv[argc] = args[argc];
		argc++;
	}
	argv[argc++] = image;
	if (source)
		argv[argc++] = source;
	argv[argc] = NULL;
	return tool(argc, (char **)argv);
}

void packed_check(const char *const *args, const char *source)
{
	static const char *const fsck[] = { "fsck.dsfs", "--threads=1", NULL };
	char image[64];
	int ret;

	snprintf(image, sizeof(image), "/dev/shm/dsfs-fuzz-%d", getpid());
	unlink(image);
	if (run(mkfs_main, args, image, source))
		return;
	ret = run(fsck_main, fsck, image, NULL);
	unlink(image);
	if (ret) {
		fprintf(stderr, "FINDING: fsck.dsfs refuses what mkfs.dsfs made: exit %d\n", ret);
		abort();
	}
}
