// SPDX-License-Identifier: GPL-2.0
/*
 * Whole files in memory; an error ends the program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"

static void __attribute__((__noreturn__)) fail(const char *path)
{
	perror(path);
	exit(125);
}

void bytes_read(struct bytes *b, const char *path, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		fail(path);
	b->size = st.st_size;
	b->p = calloc(1, b->size + room);
	if (!b->p || pread(fd, b->p, b->size, 0) != (ssize_t)b->size)
		fail(path);
	close(fd);
}

void bytes_write(const void *p, size_t size, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || pwrite(fd, p, size, 0) != (ssize_t)size || close(fd))
		fail(path);
}
