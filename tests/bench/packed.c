// SPDX-License-Identifier: GPL-2.0
/*
 * packed - what files would take if a codec packed each by itself.
 *
 *	packed sizes CODEC LEVEL DIR
 *	packed time CODEC LEVEL DIR
 *
 * A file is cut into chunks (0: none), each of which is packed alone; it is stored as it is
 * unless a tenth is saved.  Prints the bytes of all files by chunk.
 *
 * time: the seconds of a processor that the codec takes for chunks of 128 KiB, and nothing else:
 * what no program that packs them so can save.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <lz4hc.h>
#include <zstd.h>

#define CHUNKS	4

struct bytes {
	char *data;
	size_t len;
};

static const size_t chunks[CHUNKS] = { 32 << 10, 128 << 10, 256 << 10, 0 };
static ZSTD_CCtx *packer;
static void *lz4_state;
static double spent;
static bool lz4;
static int level;
static uint64_t files, content, totals[CHUNKS], as_is[CHUNKS];

static void die(const char *what, const char *why)
{
	fprintf(stderr, "packed: %s: %s\n", what, why);
	exit(1);
}

static struct bytes room_for(size_t len)
{
	struct bytes b = { malloc(len + 1), len };

	if (!b.data)
		die("memory", strerror(errno));
	return b;
}

static struct bytes file_of(const char *path)
{
	FILE *f = fopen(path, "r");
	struct bytes b;
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		die(path, strerror(errno));
	b = room_for(st.st_size);
	if (fread(b.data, 1, b.len, f) != b.len)
		die(path, "not read whole");
	fclose(f);
	return b;
}

static size_t bound(size_t len)
{
	return lz4 ? (size_t)LZ4_compressBound(len) : ZSTD_compressBound(len);
}

static size_t pack(char *out, size_t max, const char *in, size_t len)
{
	size_t n = lz4 ? (size_t)LZ4_compress_HC_extStateHC(lz4_state, in, out, len, max, level) :
		   ZSTD_compressCCtx(packer, out, max, in, len, level);

	if (lz4 ? !n : ZSTD_isError(n))
		die("a chunk", "not packed");
	return n;
}

/* Chunks one by one, each behind its stored length of four bytes. */
static struct bytes packed(struct bytes in, size_t size)
{
	struct bytes out;
	uint32_t n;

	if (!size || size > in.len)
		size = in.len ? in.len : 1;
	out = room_for((in.len / size + 1) * (bound(size) + sizeof(n)));
	out.len = 0;
	for (size_t at = 0; at < in.len; at += size) {
		size_t len = in.len - at < size ? in.len - at : size;

		n = pack(out.data + out.len + sizeof(n), bound(size), in.data + at, len);
		memcpy(out.data + out.len, &n, sizeof(n));
		out.len += sizeof(n) + n;
	}
	return out;
}

static bool worth(struct bytes in, struct bytes out)
{
	return out.len <= in.len - in.len / 10 && in.len;
}

static int add_sizes(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct bytes in, out = { };

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	in = file_of(path);
	for (int i = 0; i < CHUNKS; i++) {
		/* The same for all chunks that hold the file */
		if (!i || in.len > chunks[i - 1]) {
			free(out.data);
			out = packed(in, chunks[i]);
		}
		totals[i] += worth(in, out) ? out.len : in.len;
		as_is[i] += !worth(in, out);
	}
	files++;
	content += in.len;
	free(out.data);
	free(in.data);
	return 0;
}

static void sizes(const char *dir)
{
	if (nftw(dir, add_sizes, 64, FTW_PHYS))
		die(dir, strerror(errno));
	for (int i = 0; i < CHUNKS; i++)
		printf("%zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", chunks[i],
		       totals[i], content, as_is[i], files);
}

static double processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static int add_time(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const size_t unit = 128 << 10;
	static char out[256 << 10];
	struct bytes in;
	double start;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	in = file_of(path);
	start = processor_time();
	for (size_t at = 0; at < in.len; at += unit)
		pack(out, sizeof(out), in.data + at, in.len - at < unit ? in.len - at : unit);
	spent += processor_time() - start;
	free(in.data);
	return 0;
}

static void take_time(const char *dir)
{
	if (nftw(dir, add_time, 64, FTW_PHYS))
		die(dir, strerror(errno));
	printf("%.3f\n", spent);
}

int main(int argc, char **argv)
{
	if (argc != 5 || (strcmp(argv[1], "sizes") && strcmp(argv[1], "time")) ||
	    (strcmp(argv[2], "zstd") && strcmp(argv[2], "lz4hc"))) {
		fprintf(stderr, "usage: packed sizes|time zstd|lz4hc LEVEL DIR\n");
		return 2;
	}
	lz4 = !strcmp(argv[2], "lz4hc");
	level = atoi(argv[3]);
	packer = ZSTD_createCCtx();
	lz4_state = malloc(LZ4_sizeofStateHC());
	if (!packer || !lz4_state)
		die("memory", strerror(ENOMEM));
	if (!strcmp(argv[1], "sizes"))
		sizes(argv[4]);
	else
		take_time(argv[4]);
	return 0;
}
