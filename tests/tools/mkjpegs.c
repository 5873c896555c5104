// SPDX-License-Identifier: GPL-2.0
/*
 * mkjpegs COUNT CLASSES DIR - make DIR with real JPEGs shaped like ImageNet.
 *
 * Why: a data set for demo and tests that any image loader reads, that needs
 * no download, and whose file sizes have the distribution that decides how
 * many requests a file takes.
 *
 * Sizes follow ImageNet's histogram by powers of two (see buckets[]), each
 * drawn uniformly between the bucket and its double.  A picture is gradients
 * and noise, encoded with libjpeg at a resolution estimated to come out just
 * below the drawn size; a comment segment of pseudo-random bytes makes up for
 * the rest, so sizes are exact.  No two files are equal, none holds long runs
 * of zeros, and the same arguments give the same files (with the same libjpeg).
 *
 * Names are ImageNet's: n01440764/n01440764_10026.JPEG.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jpeglib.h>

#define QUALITY		90
#define OVERHEAD	640	/* headers and tables of a file */
#define NOISE		24
#define SIDE_MAX	2048
#define FILE_MAX	(1 << 20)
#define COM_MAX		65533	/* payload of a comment segment */

static const struct {
	uint32_t from;
	int weight;
} buckets[] = {
	{ 2048, 1 }, { 4096, 2 }, { 8192, 4 }, { 16384, 8 },
	{ 32768, 13 }, { 65536, 38 }, { 131072, 33 }, { 262144, 1 },
};

#define NBUCKETS	((int)(sizeof(buckets) / sizeof(buckets[0])))

static unsigned char out[FILE_MAX];
static unsigned long out_len;
static unsigned char pixels[SIDE_MAX * SIDE_MAX * 3];
static unsigned char noise[65536 + SIDE_MAX * 3];
static double bytes_per_pixel;

static void die(const char *path, const char *what)
{
	fprintf(stderr, "mkjpegs: %s: %s: %s\n", path, what, strerror(errno));
	exit(1);
}

/* SplitMix64: the n-th number of the stream @seed. */
static uint64_t rnd(uint64_t seed, uint64_t n)
{
	uint64_t x = seed * 0xd1342543de82ef95ULL + n * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint32_t draw_size(uint64_t index)
{
	int total = 0, pick, i;

	for (i = 0; i < NBUCKETS; i++)
		total += buckets[i].weight;
	pick = rnd(index, 1) % total;
	for (i = 0; i < NBUCKETS - 1; i++) {
		pick -= buckets[i].weight;
		if (pick < 0)
			break;
	}
	return buckets[i].from + rnd(index, 2) % buckets[i].from;
}

static void paint(uint64_t index, int w, int h)
{
	uint64_t r = rnd(index, 3);
	unsigned char *p = pixels;
	int x, y, c;

	for (y = 0; y < h; y++) {
		const unsigned char *n = noise + (rnd(index, 100 + y) & 0xffff);

		for (x = 0; x < w; x++) {
			for (c = 0; c < 3; c++) {
				int slope = 1 + (r >> (c * 8) & 3);
				int v = (x * slope + y * (4 - slope + c)) * 128 / (w + h);

				*p++ = (v + (r >> (c * 8 + 24) & 63) + *n++ % NOISE) & 0xff;
			}
		}
	}
}

/* Random bytes ahead of the picture, as cameras put theirs there. */
static void add_comments(j_compress_ptr cinfo, uint64_t index, size_t bytes)
{
	static unsigned char text[COM_MAX];
	size_t n, i;

	while (bytes) {
		n = bytes < COM_MAX + 4 ? bytes : COM_MAX + 4;
		/* A segment takes four bytes at least: leave none smaller. */
		if (bytes - n && bytes - n < 4)
			n -= 4;
		bytes -= n;
		n -= 4;
		for (i = 0; i < n; i++)
			text[i] = ' ' + rnd(index, 100000 + bytes + i) % 95;
		jpeg_write_marker(cinfo, JPEG_COM, text, n);
	}
}

/* Leaves a picture in out.  Return: its length. */
static size_t encode(uint64_t index, int w, int h, size_t padding)
{
	struct jpeg_compress_struct cinfo;
	struct jpeg_error_mgr err;
	unsigned char *to = out;
	JSAMPROW row;

	cinfo.err = jpeg_std_error(&err);
	jpeg_create_compress(&cinfo);
	out_len = sizeof(out);
	jpeg_mem_dest(&cinfo, &to, &out_len);
	cinfo.image_width = w;
	cinfo.image_height = h;
	cinfo.input_components = 3;
	cinfo.in_color_space = JCS_RGB;
	jpeg_set_defaults(&cinfo);
	jpeg_set_quality(&cinfo, QUALITY, TRUE);
	jpeg_start_compress(&cinfo, TRUE);
	add_comments(&cinfo, index, padding);
	while (cinfo.next_scanline < cinfo.image_height) {
		row = pixels + (size_t)cinfo.next_scanline * w * 3;
		jpeg_write_scanlines(&cinfo, &row, 1);
	}
	jpeg_finish_compress(&cinfo);
	jpeg_destroy_compress(&cinfo);
	if (to != out) {
		fprintf(stderr, "mkjpegs: a picture of more than %d bytes\n", FILE_MAX);
		exit(1);
	}
	return out_len;
}

/* Sides of a picture of 4:3 or 3:4 with @area pixels. */
static void sides(double area, uint64_t index, int *w, int *h)
{
	int a = 16, b;

	while (a < SIDE_MAX && (double)(a + 1) * (a + 1) * 3 / 4 < area)
		a++;
	b = a * 3 / 4;
	*w = index % 4 ? a : b;
	*h = index % 4 ? b : a;
}

static void calibrate(void)
{
	size_t i;

	for (i = 0; i < sizeof(noise); i++)
		noise[i] = rnd(7, i);
	paint(1, 256, 256);
	bytes_per_pixel = (encode(1, 256, 256, 0) - OVERHEAD) / 65536.0;
}

/* Leaves a picture of exactly @size bytes in out. */
static void make_picture(uint64_t index, uint32_t size)
{
	double area = (size - OVERHEAD) / bytes_per_pixel * 0.97;
	size_t len;
	int w, h;

	for (;; area *= 0.93) {
		sides(area, index, &w, &h);
		paint(index, w, h);
		len = encode(index, w, h, 0);
		/* Or a comment of four bytes and more. */
		if (len == size || len + 4 <= size)
			break;
	}
	if (len < size && encode(index, w, h, size - len) != size) {
		fprintf(stderr, "mkjpegs: picture %llu: not of %u bytes\n",
			(unsigned long long)index, size);
		exit(1);
	}
}

static void write_picture(const char *dir, uint64_t index, int classes)
{
	int class = 1440764 + index % classes * 7919;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/n%08d", dir, class);
	if (mkdir(path, 0755) && errno != EEXIST)
		die(path, "mkdir");
	snprintf(path, sizeof(path), "%s/n%08d/n%08d_%llu.JPEG", dir, class, class,
		 (unsigned long long)(rnd(11, index) % 100000 * 100000 + index));
	make_picture(index, draw_size(index));
	f = fopen(path, "wx");
	if (!f || fwrite(out, 1, out_len, f) != out_len || fclose(f))
		die(path, "write");
}

int main(int argc, char **argv)
{
	long jobs = sysconf(_SC_NPROCESSORS_ONLN), count, classes, job, i;
	int status, failed = 0;

	count = argc == 4 ? atol(argv[1]) : 0;
	classes = argc == 4 ? atol(argv[2]) : 0;
	if (count < 1 || classes < 1) {
		fputs("usage: mkjpegs COUNT CLASSES DIR\n", stderr);
		return 2;
	}
	if (mkdir(argv[3], 0755))
		die(argv[3], "mkdir");
	calibrate();
	for (job = 0; job < jobs; job++) {
		pid_t pid = fork();

		if (pid < 0)
			die(argv[3], "fork");
		if (pid)
			continue;
		for (i = job; i < count; i += jobs)
			write_picture(argv[3], i, classes);
		_exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
