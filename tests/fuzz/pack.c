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
#include "layout.h"

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

/* The inode of the first compressed file, and its record */
static const u8 *first_compressed(const struct layout *l, const u8 **record)
{
	const u8 *inode;
	u64 ino;

	for (ino = DSFS_ROOT_INO; ; ino++) {
		inode = layout_record(l, DSFS_REGION_INODES, ino, sizeof(struct dsfs_inode));
		if (!inode || GET(inode, dsfs_inode, flags) & DSFS_INODE_COMPRESSED)
			break;
	}
	*record = inode ? layout_record(l, DSFS_REGION_COMPRESSED,
					GET(inode, dsfs_inode, extra) - 1,
					sizeof(struct dsfs_compressed)) : NULL;
	return inode;
}

/* Return: bytes of the input, as units.c says; 0: no such file, or one that is too long. */
static size_t pack_units(size_t len)
{
	struct layout l;
	const u8 *record, *inode, *ends;
	u64 size, start, stored, count;
	size_t n = sizeof(struct dsfs_compressed);

	layout_find(&l, image, len);
	inode = first_compressed(&l, &record);
	if (!inode || !record)
		return 0;
	size = GET48(inode, size);
	start = GET48(inode, start);
	stored = GET(record, dsfs_compressed, stored);
	count = (size - 1) >> GET(record, dsfs_compressed, unit_bits);
	ends = layout_record(&l, DSFS_REGION_UNITS, GET(record, dsfs_compressed, units), 4);
	count = count ? count + 1 : 0;
	if (count > 255 || (count && !ends) || start + stored > len)
		return 0;
	memcpy(data, record, n);
	PUT(data, dsfs_compressed, units, 0);
	field_put(data + n, 4, size);
	data[n + 4] = count;
	n += 5;
	if (count)
		memcpy(data + n, ends, 4 * count);
	n += 4 * count;
	memcpy(data + n, image + start, stored);
	return n + stored;
}

/* Return: bytes of the input, as rows.c says; 0: there are too many directories. */
static size_t pack_rows(size_t len)
{
	struct layout l;
	u64 dirs, names;

	layout_find(&l, image, len);
	dirs = l.regions[DSFS_REGION_DIRS].bytes;
	names = l.regions[DSFS_REGION_NAMES].bytes;
	if (!dirs || dirs / sizeof(struct dsfs_dir) > 255)
		return 0;
	data[0] = dirs / sizeof(struct dsfs_dir);
	memcpy(data + 1, image + l.regions[DSFS_REGION_DIRS].pos, dirs);
	memcpy(data + 1 + dirs, image + l.regions[DSFS_REGION_NAMES].pos, names);
	return 1 + dirs + names;
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
