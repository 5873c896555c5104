// SPDX-License-Identifier: GPL-2.0
/*
 * pack IMAGE INPUT - write an image as a fuzzer's input
 * pack --unpack - the reverse, checksums made right if the input says so, for each line
 *	"INPUT IMAGE" of standard input, separated by a tab; a line of output says that it is there
 */
#include <stdio.h>
#include <stdlib.h>

#include "input.h"

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
	if (argc != 3) {
		fputs("usage: pack --unpack, or pack IMAGE INPUT\n", stderr);
		return 2;
	}
	len = read_file(argv[1], image, sizeof(image));
	len = input_pack(image, len, INPUT_SUMS, data, sizeof(data));
	return write_file(argv[2], data, len);
}
