// SPDX-License-Identifier: GPL-2.0
/*
 * packed - what files would take if a codec packed each by itself, and to unpack them.
 *
 *	packed sizes CODEC LEVEL DIR
 *	packed store CODEC LEVEL CHUNK DIR TO
 *	packed unpack CODEC CHUNK ROUNDS DIR STORED LIST
 *
 * A file is cut into chunks (0: none), each of which is packed alone; it is stored as it is
 * unless a tenth is saved.  "sizes" prints the bytes of all files by chunk, "store" writes a
 * tree of what would be stored, and "unpack" prints for the files of a list, of which STORED has
 * what was stored, how many nanoseconds of CPU a file takes to unpack (instructions, where the
 * clock counts those), bytes a file, and files.  The best round of each file counts.  A file
 * that is stored as it is takes none.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#define CHUNKS	4

struct bytes {
	char *data;
	size_t len;
};

static const size_t chunks[CHUNKS] = { 32 << 10, 128 << 10, 256 << 10, 0 };
static ZSTD_CCtx *packer;
static ZSTD_DCtx *unpacker;
static bool lz4;
static int level;
static size_t root_len, chunk;
static const char *to;
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
	size_t n = lz4 ? (size_t)LZ4_compress_HC(in, out, len, max, level) :
		   ZSTD_compressCCtx(packer, out, max, in, len, level);

	if (lz4 ? !n : ZSTD_isError(n))
		die("a chunk", "not packed");
	return n;
}

static void unpack(char *out, size_t len, const char *in, size_t stored)
{
	size_t n = lz4 ? (size_t)LZ4_decompress_safe(in, out, stored, len) :
		   ZSTD_decompressDCtx(unpacker, out, len, in, stored);

	if (n != len)
		die("a chunk", "not unpacked");
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

static int store_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct bytes in, out, *kept;
	char name[4096];
	FILE *f;

	(void)st;
	(void)ftw;
	snprintf(name, sizeof(name), "%s%s", to, path + root_len);
	if (type == FTW_D && mkdir(name, 0777))
		die(name, strerror(errno));
	if (type != FTW_F)
		return 0;
	in = file_of(path);
	out = packed(in, chunk);
	kept = worth(in, out) ? &out : &in;
	f = fopen(name, "w");
	if (!f || fwrite(kept->data, 1, kept->len, f) != kept->len || fclose(f))
		die(name, strerror(errno));
	free(in.data);
	free(out.data);
	return 0;
}

static void store(const char *dir, const char *where)
{
	root_len = strlen(dir);
	to = where;
	if (nftw(dir, store_one, 64, FTW_PHYS))
		die(dir, strerror(errno));
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t unpack_time(struct bytes in, struct bytes out, char *room)
{
	size_t size = chunk && chunk < in.len ? chunk : in.len;
	uint64_t start = now();
	uint32_t n;

	for (size_t at = 0, from = 0; at < in.len; at += size, from += n) {
		memcpy(&n, out.data + from, sizeof(n));
		from += sizeof(n);
		unpack(room + at, in.len - at < size ? in.len - at : size, out.data + from, n);
	}
	start = now() - start;
	if (memcmp(room, in.data, in.len))
		die("a file", "another one when unpacked");
	return start;
}

static struct bytes named(const char *dir, const char *name)
{
	char path[8193];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return file_of(path);
}

static uint64_t unpack_file(struct bytes in, struct bytes out, int rounds)
{
	struct bytes room = room_for(in.len);
	uint64_t least = worth(in, out) ? UINT64_MAX : 0;

	for (int i = 0; least && i < rounds; i++) {
		uint64_t t = unpack_time(in, out, room.data);

		least = t < least ? t : least;
	}
	files++;
	content += in.len;
	free(room.data);
	return least;
}

static void unpack_list(const char *dir, const char *stored, const char *list, int rounds)
{
	FILE *f = fopen(list, "r");
	struct bytes in, out;
	uint64_t sum = 0;
	char name[4096];

	if (!f)
		die(list, strerror(errno));
	while (fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = 0;
		in = named(dir, name);
		out = named(stored, name);
		sum += unpack_file(in, out, rounds);
		free(in.data);
		free(out.data);
	}
	fclose(f);
	if (!files)
		die(list, "no files");
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sum / files, content / files, files);
}

static int usage(void)
{
	fprintf(stderr, "usage: packed sizes zstd|lz4hc LEVEL DIR\n"
		"       packed store zstd|lz4hc LEVEL CHUNK DIR TO\n"
		"       packed unpack zstd|lz4hc CHUNK ROUNDS DIR STORED LIST\n");
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 5 || (strcmp(argv[2], "zstd") && strcmp(argv[2], "lz4hc")))
		return usage();
	lz4 = !strcmp(argv[2], "lz4hc");
	level = atoi(argv[3]);
	packer = ZSTD_createCCtx();
	unpacker = ZSTD_createDCtx();
	if (!packer || !unpacker)
		die("memory", strerror(ENOMEM));
	if (!strcmp(argv[1], "sizes") && argc == 5) {
		sizes(argv[4]);
	} else if (!strcmp(argv[1], "store") && argc == 7) {
		chunk = strtoul(argv[4], NULL, 10);
		store(argv[5], argv[6]);
	} else if (!strcmp(argv[1], "unpack") && argc == 8) {
		chunk = strtoul(argv[3], NULL, 10);
		unpack_list(argv[5], argv[6], argv[7], atoi(argv[4]));
	} else {
		return usage();
	}
	return 0;
}
