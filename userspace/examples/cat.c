// SPDX-License-Identifier: GPL-2.0
/*
 * Write a file of a DSFS image to standard output, without mounting the image:
 *
 *   cc cat.c $(pkg-config --cflags --libs libdsfs) -o cat
 *   ./cat train.dsfs photos/1.jpg >1.jpg
 */
#include <dsfs.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static char buf[1 << 20];
	struct dsfs_image *image = NULL;
	struct dsfs_file *file = NULL;
	struct dsfs_error error = { 0 };
	struct dsfs_stat st;
	uint64_t pos = 0;
	ssize_t n = -1;

	if (argc == 3 && !dsfs_open(argv[1], NULL, &image, &error) &&
	    !dsfs_lookup_path(image, argv[2], DSFS_FOLLOW, &st, &error) &&
	    !dsfs_file_open(image, st.ino, 0, &file, &error)) {
		while ((n = dsfs_pread(file, buf, sizeof(buf), pos, &error)) > 0)
			pos += fwrite(buf, 1, n, stdout);
	}
	if (n)
		fprintf(stderr, "%s\n", argc == 3 ? error.message : "usage: cat IMAGE PATH");
	dsfs_file_close(file);
	dsfs_close(image);
	return n || fflush(stdout) ? 1 : 0;
}
