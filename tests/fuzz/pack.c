// SPDX-License-Identifier: GPL-2.0
/*
 * pack IMAGE INPUT - write an image as a fuzzer's input
 * pack --unpack - the reverse, checksums made right if the input says so, for each line
 *	"INPUT IMAGE" of standard input, separated by a tab; a line of output says that it is there
 * pack --units IMAGE INPUT - write the first compressed file as an input of the target units
 * pack --rows IMAGE INPUT - write directories and their rows as an input of the target rows
 */
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "rows.h"

static u8 image[INPUT_IMAGE_MAX], data[2 * INPUT_IMAGE_MAX];

static size_t read_file(const char *path, u8 *buf, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(buf, 1, max, f);
	if (getc(f) != EOF) {
		fprintf(stderr, "%s: too long\n", path);
		exit(1);
	}
	fclose(f);
	return n;
}

static int write_file(const char *path, const u8 *buf, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (f && fwrite(buf, 1, n, f) == n && !fclose(f))
		return 0;
	perror(path);
	return 1;
}

/* The row of the first compressed file */
static bool first_compressed(const struct layout *l, u64 row[DSFS_COLUMNS])
{
	struct rows rows;
	const u8 *dir;
	u64 i, block, slot;

	for (i = 0; (dir = layout_record(l, DSFS_REGION_DIRS, i, sizeof(struct dsfs_dir))); i++)
		for (block = 0; block < GET(dir, dsfs_dir, name_blocks); block++) {
			if (!layout_rows(l, layout_block(dir, block), &rows))
				break;
			for (slot = 0; slot < rows.count; slot++) {
				rows_get(&rows, slot, row);
				if (ROW_FLAGS(row) & DSFS_INODE_COMPRESSED)
					return true;
			}
		}
	return false;
}

/* Return: bytes of the input, as units.c says; 0: no such file, or one that is too long. */
static size_t pack_units(size_t len)
{
	struct layout l;
	const u8 *ends;
	u64 row[DSFS_COLUMNS], start, stored, count;
	size_t n = 10;

	layout_find(&l, image, len);
	if (!first_compressed(&l, row))
		return 0;
	start = row[DSFS_COLUMN_START];
	stored = row[DSFS_COLUMN_STORED];
	count = (row[DSFS_COLUMN_SIZE] - 1) >> DSFS_UNIT_BITS;
	ends = layout_record(&l, DSFS_REGION_UNITS, row[DSFS_COLUMN_UNITS], 4);
	count = count ? count + 1 : 0;
	if (count > 255 || (count && !ends) || start + stored > len)
		return 0;
	data[0] = (ROW_FLAGS(row) & DSFS_INODE_COMPRESSED) >> DSFS_CODEC_SHIFT;
	field_put(data + 1, 4, stored);
	field_put(data + 5, 4, row[DSFS_COLUMN_SIZE]);
	data[9] = count;
	if (count)
		memcpy(data + n, ends, 4 * count);
	n += 4 * count;
	memcpy(data + n, image + start, stored);
	return n + stored;
}

/* Return: bytes of the input, as rows.c says; 0: there are too many directories. */
static size_t pack_rows(size_t len)
{
	static const int ids[] = { DSFS_REGION_DIRS, DSFS_REGION_NUMBERS, DSFS_REGION_NAMES };
	struct layout l;
	size_t n = 1;
	u64 dirs;

	layout_find(&l, image, len);
	dirs = l.regions[DSFS_REGION_DIRS].bytes / sizeof(struct dsfs_dir);
	if (!dirs || dirs > 255)
		return 0;
	data[0] = dirs;
	for (int i = 0; i < 3; i++) {
		memcpy(data + n, image + l.regions[ids[i]].pos, l.regions[ids[i]].bytes);
		n += l.regions[ids[i]].bytes;
	}
	return n;
}

static int unpack_each(void)
{
	char from[1024], to[1024];
	size_t len;
	u8 head;

	while (scanf(" %1023[^\t]\t%1023[^\n]", from, to) == 2) {
		len = read_file(from, data, sizeof(data));
		head = input_unpack(data, len, image, &len);
		input_sums(head, image, len);
		if (write_file(to, image, len))
			return 1;
		puts("made");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t len;

	if (argc == 2 && !strcmp(argv[1], "--unpack"))
		return unpack_each();
	if (argc == 4 && (!strcmp(argv[1], "--units") || !strcmp(argv[1], "--rows"))) {
		len = read_file(argv[2], image, sizeof(image));
		len = argv[1][2] == 'u' ? pack_units(len) : pack_rows(len);
		if (len)
			return write_file(argv[3], data, len);
		fprintf(stderr, "%s: nothing that is short enough\n", argv[2]);
		return 1;
	}
	if (argc != 3) {
		fputs("usage: pack [--unpack|--units|--rows] FROM TO\n", stderr);
		return 2;
	}
	len = read_file(argv[1], image, sizeof(image));
	len = input_pack(image, len, INPUT_SUMS, data, sizeof(data));
	return write_file(argv[2], data, len);
}
