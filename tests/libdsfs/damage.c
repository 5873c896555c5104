// SPDX-License-Identifier: GPL-2.0
/*
 * Images with a byte changed, or cut short while they are open: reads of damaged parts
 * fail, and no others.
 */
#include "test.h"

#define BLOCK	4096

static void test_data(const struct bytes *good, const char *path)
{
	struct bytes bad = copy_bytes(good);
	struct dsfs_image *image = must_open(path);
	uint64_t big = must_find(image, "big"), other = must_find(image, "dir/file");
	const struct dsfs_extent *e;
	struct dsfs_error error;
	struct dsfs_info info;
	struct dsfs_file *file;
	static char buf[1 << 20];
	char name[32];
	size_t count;
	uint64_t at;

	dsfs_get_info(image, &info);
	dsfs_file_open(image, big, 0, &file, NULL);
	e = dsfs_file_extents(file, &count);
	at = 3 * info.chunk_bytes + 5;
	bad.p[e->physical + at] ^= 1;
	dsfs_file_close(file);
	dsfs_close(image);

	snprintf(name, sizeof(name), "inode %llu: data checksum", (u64)big);
	if (!OK(!bytes_open(bad.p, bad.size, NULL, &image, NULL), "damage: opens"))
		return;
	OK(!dsfs_verify(image, 0, NULL), "damage: data is no metadata");
	FAILS(dsfs_verify(image, DSFS_VERIFY_DATA, &error), -EBADMSG, name,
	      "damage: verify names the file");
	dsfs_file_open(image, big, 0, &file, NULL);
	FAILS(dsfs_pread(file, buf, sizeof(buf), 0, &error), -EBADMSG, name,
	      "damage: a read over it");
	FAILS(dsfs_pread(file, buf, 1, at + 1, &error), -EBADMSG, name,
	      "damage: a read of another byte of the chunk");
	FAILS(dsfs_pread(file, buf, 1, at - 1, &error), -EBADMSG, name,
	      "damage: a read in front of it");
	OK(dsfs_pread(file, buf, 3 * info.chunk_bytes, 0, NULL) == 3 * info.chunk_bytes,
	   "damage: chunks in front of it are read");
	OK(dsfs_pread(file, buf, 1000, 4 * info.chunk_bytes, NULL) == 1000,
	   "damage: chunks behind it are read");
	FAILS(dsfs_file_verify(file, &error), -EBADMSG, name, "damage: verify of the file");
	OK(dsfs_pread(file, buf, 1, at, NULL) == -EBADMSG, "damage: without an error object");
	dsfs_file_close(file);
	dsfs_file_open(image, big, DSFS_UNCHECKED, &file, NULL);
	OK(dsfs_pread(file, buf, 1, at, NULL) == 1, "damage: a read that is not checked");
	FAILS(dsfs_file_verify(file, &error), -EBADMSG, name,
	      "damage: verify of a file that is read without");
	dsfs_file_close(file);
	dsfs_file_open(image, other, 0, &file, NULL);
	OK(dsfs_pread(file, buf, sizeof(buf), 0, NULL) > 0, "damage: other files are read");
	dsfs_file_close(file);
	dsfs_close(image);
	free(bad.p);
}

/* Every block of the metadata in turn. */
static void test_metadata(const struct bytes *good, const char *path)
{
	struct bytes bad = copy_bytes(good);
	struct dsfs_image *image = must_open(path);
	u64 at, from, opened = 0, missed = 0, errors, blocks = 0, wrong = 0;
	struct dsfs_error error;
	struct dsfs_info info;
	int ret;

	dsfs_get_info(image, &info);
	dsfs_close(image);
	from = info.image_bytes - info.metadata_bytes;
	for (at = from; at < info.image_bytes; at += BLOCK, blocks++) {
		bad.p[at + 17] ^= 0x10;
		error = (struct dsfs_error){ 0 };
		ret = bytes_open(bad.p, bad.size, NULL, &image, &error);
		if (!ret) {
			opened++;
			visit(image, &errors);
			ret = dsfs_verify(image, 0, &error);
			dsfs_close(image);
		}
		missed += !ret;
		wrong += ret && (ret != -EBADMSG || !error.message[0]);
		bad.p[at + 17] ^= 0x10;
	}
	OK(!missed && !wrong && opened && opened < blocks,
	   "damage: any of %llu blocks of metadata, %llu images open nevertheless", blocks,
	   opened);
	free(bad.p);
}

/* Somebody truncates an image that is open: an error, no signal. */
static void test_cut(const struct bytes *good)
{
	int fd = bytes_file(good->p, good->size);
	struct dsfs_dirstream *stream;
	struct dsfs_error error;
	struct dsfs_image *image;
	struct dsfs_dirent e;
	struct dsfs_file *file;
	char buf[100];

	if (!OK(!dsfs_open_fd(fd, NULL, &image, NULL), "cut: opens"))
		return;
	dsfs_file_open(image, must_find(image, "big"), 0, &file, NULL);
	dsfs_opendir(image, DSFS_ROOT_INO, &stream, NULL);
	OK(dsfs_readdir(stream, &e, NULL) == 1, "cut: a name");
	OK(!ftruncate(fd, 70000), "cut: now");
	FAILS(dsfs_pread(file, buf, sizeof(buf), 0, &error), -EIO, "data at",
	      "cut: data");
	OK(dsfs_readdir(stream, &e, NULL) == 1, "cut: metadata that was read stays");
	FAILS(dsfs_verify(image, DSFS_VERIFY_DATA, &error), -EIO, "",
	      "cut: what was not read is an error");
	dsfs_closedir(stream);
	dsfs_file_close(file);
	dsfs_close(image);
	close(fd);
}

/* One slot is enough, as for a mount. */
static void test_slots(const struct bytes *good)
{
	struct bytes bad = copy_bytes(good);
	struct dsfs_image *image;
	struct dsfs_error error;

	bad.p[1024 + 40] ^= 1;
	if (OK(!bytes_open(bad.p, bad.size, NULL, &image, NULL), "slots: one is damaged"))
		dsfs_close(image);
	bad.p[66560 + 40] ^= 1;
	FAILS(bytes_open(bad.p, bad.size, NULL, &image, &error), -EBADMSG, "superblock checksum",
	      "slots: both are damaged");
	free(bad.p);
}

void test_damage(const char *path)
{
	struct bytes good = read_bytes(path);

	test_data(&good, path);
	test_metadata(&good, path);
	test_cut(&good);
	test_slots(&good);
	free(good.p);
}
