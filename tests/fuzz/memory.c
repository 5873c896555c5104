// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of memory in place of userspace/lib/reader_file.c: a fuzzer runs thousands
 * of images a second, and files would take most of that time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"
#include "reader.h"

static u8 image[INPUT_IMAGE_MAX];
static size_t image_len;

u8 memory_image(const u8 *data, size_t size)
{
	u8 head = input_unpack(data, size, image, &image_len);

	input_sums(head, image, image_len);
	return head;
}

int memory_write(int fd)
{
	return write(fd, image, image_len) == image_len ? 0 : -1;
}

static int memory_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		       unsigned int flags)
{
	int i;

	if (pos > r->bytes || len > r->bytes - pos)
		return -EIO;
	for (i = 0; i < n; pos += iov[i++].iov_len)
		memcpy(iov[i].iov_base, image + pos, iov[i].iov_len);
	return 0;
}

static u64 memory_next_data(struct dsfs_reader *r, u64 pos)
{
	return pos < r->bytes ? pos : UINT64_MAX;
}

static void memory_close(struct dsfs_reader *r)
{
	free(r);
}

int reader_file(const char *path, struct dsfs_reader **out, const char **what)
{
	static const struct dsfs_reader_ops ops = {
		.read = memory_read, .next_data = memory_next_data, .close = memory_close,
	};
	struct dsfs_reader *r = malloc(sizeof(*r));

	*what = "memory";
	if (!r)
		return -ENOMEM;
	*r = (struct dsfs_reader){ .ops = &ops, .bytes = image_len };
	*out = r;
	return 0;
}

int reader_file_at(int dir, const char *path, struct dsfs_reader **out, const char **what)
{
	return reader_file(path, out, what);
}

int reader_fd(int fd, struct dsfs_reader **out, const char **what)
{
	return reader_file(NULL, out, what);
}

int reader_descriptor(const struct dsfs_reader *r)
{
	return -1;
}

void reader_file_hold(struct dsfs_reader *r)
{
}

void reader_file_once(struct dsfs_reader *r)
{
}
