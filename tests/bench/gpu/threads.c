// SPDX-License-Identifier: GPL-2.0
/*
 * threads IMAGE|DIRECTORY LIST THREADS - read the files of LIST, one path a line, by so many
 * threads: of an image, a file or an address, by libdsfs in batches of 32; of a directory by
 * open(2) and read(2).  Prints files a second, MB a second, and seconds of processor time.
 *
 * Why in C: Python's lock would be the limit.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dsfs.h"

#define BATCH	32
#define ROOM	(1 << 20)	/* bytes for a file */

static struct dsfs_image *image;
static char **paths;
static size_t nr, next;
static unsigned long long bytes;
static const char *top;

static void fail(const char *path, const char *why)
{
	fprintf(stderr, "threads: %s: %s\n", path, why);
	exit(1);
}

static size_t batch_of_image(size_t first, size_t n, char *buf)
{
	struct dsfs_read reads[BATCH] = { };
	struct dsfs_file *files[BATCH];
	struct dsfs_error error = { };
	struct dsfs_stat st;
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (dsfs_lookup_path(image, paths[first + i], DSFS_FOLLOW, &st, &error) ||
		    dsfs_file_open(image, st.ino, 0, &files[i], &error))
			fail(paths[first + i], error.message);
		reads[i].file = files[i];
		reads[i].buf = buf + i * ROOM;
		reads[i].len = st.size < ROOM ? st.size : ROOM;
	}
	if (dsfs_pread_many(reads, n, &error))
		fail(top, error.message);
	for (size_t i = 0; i < n; i++) {
		sum += reads[i].result;
		dsfs_file_close(files[i]);
	}
	return sum;
}

static size_t batch_of_directory(size_t first, size_t n, char *buf)
{
	char path[4096];
	size_t sum = 0;
	ssize_t got;
	int fd;

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, paths[first + i]);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			fail(path, "cannot open");
		while ((got = read(fd, buf, ROOM)) > 0)
			sum += got;
		close(fd);
	}
	return sum;
}

static void *work(void *arg)
{
	char *buf = malloc((size_t)BATCH * ROOM);
	size_t first, n, sum;

	(void)arg;
	while (buf && (first = __atomic_fetch_add(&next, BATCH, __ATOMIC_RELAXED)) < nr) {
		n = nr - first < BATCH ? nr - first : BATCH;
		sum = image ? batch_of_image(first, n, buf) : batch_of_directory(first, n, buf);
		__atomic_fetch_add(&bytes, sum, __ATOMIC_RELAXED);
	}
	free(buf);
	return NULL;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void read_list(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[4096];

	if (!f)
		fail(name, "cannot open");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		paths = realloc(paths, (nr + 1) * sizeof(*paths));
		paths[nr++] = strdup(line);
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	struct dsfs_error error = { };
	pthread_t threads[256];
	int count = argc == 4 ? atoi(argv[3]) : 0;
	struct rusage used;
	struct stat st;
	double start;

	if (count < 1 || count > 256)
		fail("usage", "threads IMAGE|DIRECTORY LIST THREADS");
	top = argv[1];
	read_list(argv[2]);
	if ((stat(top, &st) || !S_ISDIR(st.st_mode)) && dsfs_open(top, NULL, &image, &error))
		fail(top, error.message);
	start = seconds();
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	start = seconds() - start;
	getrusage(RUSAGE_SELF, &used);
	printf("%.0f %.0f %.2f\n", nr / start, bytes / start / 1e6,
	       used.ru_utime.tv_sec + used.ru_stime.tv_sec +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	dsfs_close(image);
	return 0;
}
