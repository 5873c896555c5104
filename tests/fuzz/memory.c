// SPDX-License-Identifier: GPL-2.0
/*
 * Memory in the place of userspace/lib/image_io.c: a fuzzer runs thousands of
 * images a second, and files would take most of that time.  And what a tool does
 * once in its life: here it has many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "internal.h"
#include "memory.h"

#define ARGS_MAX	8

/* The linker puts them in the place of those in msg.h. */
void __wrap_msg_init(const char *tool, int lost);
int __wrap_msg_flush_stdout(void);

static u8 image[INPUT_IMAGE_MAX];
static size_t image_len;

void finding(const char *what)
{
	fprintf(stderr, "FINDING: %s\n", what);
	abort();
}

u8 memory_image(const u8 *data, size_t size)
{
	u8 head = input_unpack(data, size, image, &image_len);

	input_sums(head, image, image_len);
	return head;
}

void memory_set(const u8 *bytes, size_t len)
{
	memcpy(image, bytes, len);
	image_len = len;
}

int memory_main(int (*tool)(int argc, char **argv), const char *const *args)
{
	char *argv[ARGS_MAX + 1];
	int argc;

	for (argc = 0; args[argc] && argc < ARGS_MAX; argc++)
		argv[argc] = (char *)args[argc];
	argv[argc] = NULL;
	return tool(argc, argv);
}

/* Standard output stays open. */
void __wrap_msg_init(const char *tool, int lost)
{
	(void)tool;
	(void)lost;
}

int __wrap_msg_flush_stdout(void)
{
	return 0;
}

int image_io_open(struct image *img, const char **what)
{
	*what = NULL;
	img->bytes = image_len;
	return 0;
}

int image_io_length(struct image *img, const char **what)
{
	return image_io_open(img, what);
}

void image_close(struct image *img)
{
	img->bytes = 0;
}

int image_pread(const struct image *img, void *buf, size_t len, u64 pos)
{
	(void)img;
	if (pos > image_len || len > image_len - pos)
		return -EIO;
	memcpy(buf, image + pos, len);
	return 0;
}

int image_preadv(const struct image *img, const struct iovec *iov, int n, size_t len,
		 u64 pos)
{
	int i;

	if (pos > image_len || len > image_len - pos)
		return -EIO;
	for (i = 0; i < n; pos += iov[i++].iov_len)
		if (image_pread(img, iov[i].iov_base, iov[i].iov_len, pos))
			return -EIO;
	return 0;
}

u64 image_next_data(const struct image *img, u64 pos)
{
	(void)img;
	return pos < image_len ? pos : UINT64_MAX;
}
