// SPDX-License-Identifier: GPL-2.0
/*
 * Opening: images and other files, options, generations.
 */
#include "test.h"

#define SIZE	.size = sizeof(struct dsfs_open_options)

static void test_foreign(const struct bytes *good)
{
	static const u8 zeros[1 << 20];
	struct dsfs_image *image;
	struct dsfs_error error;

	FAILS(dsfs_open("/nonexistent/image", NULL, &image, &error), -ENOENT, "open:",
	      "open: no file");
	FAILS(dsfs_open("/", NULL, &image, &error), -EISDIR, "expected an image",
	      "open: a directory");
	FAILS(dsfs_open("/dev/null", NULL, &image, &error), -ENOTBLK,
	      "neither a file nor a block device", "open: a character device");
	FAILS(dsfs_open_fd(-1, NULL, &image, &error), -EBADF, "descriptor", "open: no descriptor");
	FAILS(bytes_open(zeros, 0, NULL, &image, &error), -EINVAL, "not a DSFS image",
	      "open: an empty file");
	FAILS(bytes_open(zeros, sizeof(zeros), NULL, &image, &error), -EINVAL,
	      "not a DSFS image", "open: zeros");
	FAILS(bytes_open(good->p, 1500, NULL, &image, &error), -EINVAL, "not a DSFS image",
	      "open: cut within the first superblock");
	FAILS(bytes_open(good->p, 1536, NULL, &image, &error), -EFBIG,
	      "cut short: ", "open: cut behind the first superblock");
	FAILS(bytes_open(good->p, good->size - 1, NULL, &image, &error), -EFBIG,
	      "cut short: ", "open: one byte short");
	OK(dsfs_open("/nonexistent/image", NULL, &image, NULL) == -ENOENT,
	   "open: without an error object");
}

static void test_options(const struct bytes *good)
{
	struct dsfs_open_options o = { SIZE };
	struct dsfs_image *image;
	struct dsfs_error error = { 0 };
	struct bytes moved = { .size = good->size + 5000 };
	u64 errors;

	o.size--;
	FAILS(bytes_open(good->p, good->size, &o, &image, &error), -EINVAL, "size of the options",
	      "open: options of another size");
	o = (struct dsfs_open_options){ SIZE, .flags = 1 };
	FAILS(bytes_open(good->p, good->size, &o, &image, &error), -EINVAL, "flags",
	      "open: unknown flags");
	o = (struct dsfs_open_options){ SIZE, .offset = good->size + 1 };
	FAILS(bytes_open(good->p, good->size, &o, &image, &error), -EFBIG, "offset",
	      "open: offset behind the end");
	o = (struct dsfs_open_options){ SIZE, .offset = 1, .length = good->size };
	FAILS(bytes_open(good->p, good->size, &o, &image, &error), -EFBIG, "length",
	      "open: length behind the end");
	o = (struct dsfs_open_options){ SIZE, .length = good->size - 4096 };
	FAILS(bytes_open(good->p, good->size, &o, &image, &error), -EFBIG,
	      "cut short: ", "open: length that is too short");

	moved.p = calloc(1, moved.size);
	memcpy(moved.p + 4567, good->p, good->size);
	o = (struct dsfs_open_options){ SIZE, .offset = 4567, .length = good->size };
	error.code = 0;
	if (OK(!bytes_open(moved.p, moved.size, &o, &image, &error), "open: at an offset")) {
		OK(!dsfs_verify(image, DSFS_VERIFY_DATA, &error),
		   "open: at an offset, all is there");
		visit(image, &errors);
		/* numbers 0 and one too many, and those of hard-link entries */
		OK(errors == 2, "open: at an offset, every answer is right");
		dsfs_close(image);
	}
	OK(!error.code, "open: success leaves the error object alone");
	free(moved.p);
}

/* The image was updated twice; the script put a file in each time. */
static void test_generations(const char *path)
{
	struct dsfs_open_options o = { SIZE };
	struct dsfs_image *image = must_open(path);
	struct dsfs_error error;
	struct dsfs_info info, old;
	struct dsfs_stat st;
	uint64_t list[8];

	dsfs_get_info(image, &info);
	OK(info.generation == 3, "generations: the newest is shown");
	OK(dsfs_generations(image, list, 8, NULL) == 3 && list[0] == 3 && list[1] == 2 &&
	   list[2] == 1, "generations: all are listed");
	list[1] = 77;
	OK(dsfs_generations(image, list, 1, NULL) == 3 && list[0] == 3 && list[1] == 77,
	   "generations: no more than there is room for");
	OK(!dsfs_lookup_path(image, "new3", 0, &st, NULL), "generations: a file of the newest");
	dsfs_close(image);

	o.generation = 2;
	if (OK(!dsfs_open(path, &o, &image, NULL), "generations: an older one")) {
		dsfs_get_info(image, &old);
		OK(old.generation == 2 && old.inode_generation != info.inode_generation,
		   "generations: its number");
		OK(!dsfs_lookup_path(image, "new2", 0, &st, NULL) &&
		   dsfs_lookup_path(image, "new3", 0, &st, NULL) == -ENOENT,
		   "generations: its files");
		OK(dsfs_generations(image, list, 8, NULL) == 3,
		   "generations: all are listed, whichever is shown");
		OK(!dsfs_verify(image, DSFS_VERIFY_DATA, NULL), "generations: verified");
		dsfs_close(image);
	}
	o.generation = 4;
	FAILS(dsfs_open(path, &o, &image, &error), -ENOENT, "generation 4",
	      "generations: one that is not there");
}

void test_open(const char *path)
{
	struct bytes good = read_bytes(path);
	struct dsfs_image *image;
	int fd;

	test_foreign(&good);
	test_options(&good);
	test_generations(path);
	fd = open(path, O_RDONLY);
	OK(!dsfs_open_fd(fd, NULL, &image, NULL), "open: a descriptor");
	OK(!close(fd), "open: the descriptor stays the caller's");
	OK(!dsfs_verify(image, DSFS_VERIFY_DATA, NULL), "open: and may be closed");
	dsfs_close(image);
	dsfs_close(NULL);
	dsfs_closedir(NULL);
	dsfs_file_close(NULL);
	free(good.p);
}
