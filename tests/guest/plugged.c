// SPDX-License-Identifier: GPL-2.0
/*
 * plugged - prefetch files so that the block layer can merge requests of neighbours.
 *
 * posix_fadvise(2) submits the requests of each file on their own.  The requests of one
 * io_submit(2) are submitted together: it reads a byte of each file without waiting, which
 * starts readahead and fails with EAGAIN.  Files are read BATCH at a time, in the order of the
 * list on standard input.  Prints files, and requests and KiB that the device counted until
 * all of them were read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib.h"

#define BATCH		32
#define NOWAIT		0x8	/* RWF_NOWAIT */

static aio_context_t context;
static int fds[BATCH];
static struct iocb cbs[BATCH];
static struct t_files files;

static void submit(size_t nr)
{
	struct iocb *ptrs[BATCH];
	struct io_event events[BATCH];
	static char byte;
	long done = 0, n;

	for (size_t i = 0; i < nr; i++) {
		cbs[i] = (struct iocb){
			.aio_fildes = fds[i],
			.aio_lio_opcode = IOCB_CMD_PREAD,
			.aio_buf = (uintptr_t)&byte,
			.aio_nbytes = 1,
			.aio_rw_flags = NOWAIT,
		};
		ptrs[i] = &cbs[i];
	}
	while (done < (long)nr) {
		n = syscall(SYS_io_submit, context, nr - done, ptrs + done);
		if (n <= 0)
			t_die("io_submit", "submit");
		done += n;
	}
	for (done = 0; done < (long)nr; done += n) {
		n = syscall(SYS_io_getevents, context, 1, nr - done, events, NULL);
		if (n <= 0)
			t_die("io_getevents", "wait");
	}
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
}

/* Whoever reads a file waits for it. */
static void read_again(void)
{
	static char buf[1 << 20];

	for (size_t i = 0; i < files.count; i++) {
		int fd = open(files.paths[i], O_RDONLY);

		while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
	}
}

int main(void)
{
	struct t_counts before = { }, after;
	char line[4096];
	size_t nr = 0;

	t_init("plugged");
	if (syscall(SYS_io_setup, BATCH, &context))
		t_die("io_setup", "set up");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		t_add_file(&files, line);
		fds[nr] = open(line, O_RDONLY);
		if (fds[nr] < 0)
			t_die(line, "open");
		if (files.count == 1)
			before = t_device_counts(line);
		if (++nr == BATCH) {
			submit(nr);
			nr = 0;
		}
	}
	submit(nr);
	read_again();
	after = t_device_counts(files.paths[0]);
	printf("files=%zu requests=%" PRIu64 " kib=%" PRIu64 "\n", files.count,
	       after.requests - before.requests, (after.sectors - before.sectors) / 2);
	return 0;
}
