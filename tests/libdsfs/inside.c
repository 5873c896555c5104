// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that need offsets in the image from the library's internal interface: a block of
 * metadata that is forged together with its checksum, and metadata that spans blocks.
 */
#include "image.h"
#include "test.h"

static void load(struct image *img, const struct bytes *b)
{
	int fd = bytes_file(b->p, b->size);
	const char *what;

	*img = (struct image){ .bytes = b->size };
	if (OK(!reader_fd(fd, &img->reader, &what), "inside: a reader"))
		image_load(img);
	close(fd);
}

/* The checksums of blocks have one of their own, in the superblock. */
static void test_forged(const struct bytes *good, u64 block_at, const struct dsfs_geo *geo)
{
	const u64 sum_at = geo->regions[DSFS_REGION_BLOCKSUMS].pos +
			   (block_at - geo->meta_start) / DSFS_BLOCK_SIZE * sizeof(__le32);
	struct bytes bad = copy_bytes(good);
	struct dsfs_image *image;
	struct dsfs_error error;
	__le32 sum;

	bad.p[block_at + 100] ^= 1;
	sum = cpu_to_le32(dsfs_crc32c(0, bad.p + block_at, DSFS_BLOCK_SIZE));
	memcpy(bad.p + sum_at, &sum, sizeof(sum));
	FAILS(bytes_open(bad.p, bad.size, NULL, &image, &error), -EBADMSG,
	      "checksum of the block checksums", "inside: a block and its checksum forged");
	free(bad.p);
}

/* A limit is told where a number was compared with one. */
static void test_words(void)
{
	static const struct {
		struct dsfs_err err;
		int ret;
		const char *text;
	} rows[] = {
		{ { "directory record", 3, 0 }, -EBADMSG, "directory record: 3: wrong checksum" },
		{ { "directory record", 3, 0 }, -EIO, "directory record: 3: Input/output error" },
		{ { "checksum", 3, 0 }, -EBADMSG, "checksum: 0x3, expected 0: wrong checksum" },
		{ { "flags", 3, 0 }, -EINVAL,
		  "flags: 3 (0x3), limit 0 (0): Invalid argument" },
	};
	char text[100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		err_text(&rows[i].err, rows[i].ret, text, sizeof(text));
		OK(!strcmp(text, rows[i].text), rows[i].text);
	}
}

void test_inside(const char *path)
{
	struct bytes good = read_bytes(path);
	const struct dsfs_region_info *names;
	struct image img;

	test_words();
	load(&img, &good);
	names = &img.geo->regions[DSFS_REGION_NAMES];
	if (OK(names->bytes > 3 * DSFS_BLOCK_SIZE, "inside: the image has names enough"))
		test_forged(&good, names->pos, img.geo);
	image_close(&img);
	free(good.p);
}
