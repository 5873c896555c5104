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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib.h"

#define BATCH_MAX	1024
#define NOWAIT		0x8	/* RWF_NOWAIT */

static aio_context_t context;
static int fds[BATCH_MAX];
static struct iocb cbs[BATCH_MAX];
static uint64_t files;
static dev_t dev;

static void get_counts(uint64_t *requests, uint64_t *kib)
{
	uint64_t merged, sectors;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(dev), minor(dev));
	f = fopen(path, "r");
	if (!f || fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, requests, &merged,
			 &sectors) != 3)
		t_die(path, "read");
	fclose(f);
	*kib = sectors / 2;
}

static void submit(size_t nr)
{
	struct iocb *ptrs[BATCH_MAX];
	struct io_event events[BATCH_MAX];
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
static void read_again(char **names)
{
	static char buf[1 << 20];

	for (uint64_t i = 0; i < files; i++) {
		int fd = open(names[i], O_RDONLY);

		while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
		free(names[i]);
	}
}

int main(int argc, char **argv)
{
	size_t batch = argc > 1 ? strtoul(argv[1], NULL, 0) : 32, nr = 0;
	uint64_t requests, kib, requests_then, kib_then;
	char line[4096], **names = NULL;
	struct stat st;

	if (!batch || batch > BATCH_MAX)
		return 2;
	if (syscall(SYS_io_setup, BATCH_MAX, &context))
		t_die("io_setup", "set up");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		names = realloc(names, (files + 1) * sizeof(*names));
		names[files] = strdup(line);
		fds[nr] = open(line, O_RDONLY);
		if (fds[nr] < 0)
			t_die(line, "open");
		if (!files++ && !fstat(fds[nr], &st)) {
			dev = st.st_dev;
			get_counts(&requests, &kib);
		}
		if (++nr == batch) {
			submit(nr);
			nr = 0;
		}
	}
	submit(nr);
	read_again(names);
	free(names);
	get_counts(&requests_then, &kib_then);
	printf("files=%" PRIu64 " requests=%" PRIu64 " kib=%" PRIu64 "\n", files,
	       requests_then - requests, kib_then - kib);
	return 0;
}
