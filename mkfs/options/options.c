// SPDX-License-Identifier: GPL-2.0
/*
 * The command line.  All errors of options that need neither source nor image are found here.
 */
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "list.h"
#include "memory.h"
#include "msg.h"
#include "options.h"
#include "parse.h"

#define EXIT_USAGE	2
#define CHUNK_BITS	15
#define SMALL_BITS	18
#define SMALL_NOT_GIVEN	0xff
/* Archives and their members both have checksums, so chunks are larger: Documentation/shards.rst */
#define TAR_INDEX_CHUNK_BITS	18
/* Why --update refuses what decides the layout */
#define HAS_ITS_OWN	"update: the image has its own"

static int add_text(const char ***texts, unsigned int *n, const char *text)
{
	const char **more = realloc(*texts, (*n + 1) * sizeof(*more));

	if (!more) {
		no_memory();
		return 1;
	}
	*texts = more;
	more[(*n)++] = text;
	return 0;
}

static int take_tar(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	(void)a;
	return add_text(&o->tars, &o->ntars, arg);
}

static int take_list(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	(void)a;
	return add_text(&o->lists.p, &o->lists.n, arg);
}

static int take_pattern(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	return patterns_add(&o->exclude, arg, strlen(arg)) ?
	       arg_wrong(a, arg, "not a pattern") : 0;
}

static int take_names(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	return patterns_add(&o->no_names, arg, strlen(arg)) ?
	       arg_wrong(a, arg, "not a pattern") : 0;
}

static int take_time(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	return parse_time(arg, &o->build_time) ?
	       arg_wrong(a, arg, "not seconds from 1677 to 2262") : 0;
}

static int take_tar_bytes(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	if (parse_size(arg, &o->tar.bytes) || !o->tar.bytes || o->tar.bytes % 512 ||
	    o->tar.bytes >= DSFS_MAX_OFFSET)
		return arg_wrong(a, arg, "not a multiple of 512 from 512 to 2^48 - 512");
	return 0;
}

/* zstd, zstd:LEVEL, lz4, auto or none */
static int take_compress(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;
	u64 level = PACK_LEVEL;

	o->pack.codec = DSFS_CODEC_ZSTD;
	o->pack.quick = false;
	o->pack.given = true;
	if (!strcmp(arg, "lz4"))
		o->pack.codec = DSFS_CODEC_LZ4;
	else if (!strcmp(arg, "none"))
		o->pack.codec = 0;
	else if (!strcmp(arg, "auto"))
		o->pack.quick = true;
	else if (!strncmp(arg, "zstd:", 5) ?
		 parse_decimal(arg + 5, &level) || !level || level > PACK_LEVEL_MAX :
		 !!strcmp(arg, "zstd"))
		return arg_wrong(a, arg, "not zstd, zstd:LEVEL (1 to 19), lz4, auto or none");
	o->pack.level = level;
	return 0;
}

/* A pattern, or +SIZE */
static int take_unpacked(const struct arg *a, void *ctx, const char *arg)
{
	struct options *o = ctx;

	if (*arg == '+')
		return !parse_size(arg + 1, &o->pack.most) && o->pack.most ? 0 :
		       arg_wrong(a, arg, "not + and a size");
	return patterns_add(&o->pack.except, arg, strlen(arg)) ?
	       arg_wrong(a, arg, "not a pattern") : 0;
}

static const struct arg option_table[] = {
	{ 'L', "label", "TEXT", "volume label, up to 64 bytes",
	  ARG_TEXT(struct options, label, DSFS_LABEL_MAX) },
	{ 'm', "message", "TEXT", "what this generation is, up to 1024 bytes",
	  ARG_TEXT(struct options, message, DSFS_MESSAGE_MAX) },
	{ 0, "digest", "[data|full]",
	  "keep the digest of the tree; with -n: print it, make no image",
	  ARG_CHOICE(struct options, digest) },
	{ 'U', "uuid", "UUID",
	  "volume UUID (default: random, or with -T from the content)",
	  .set = arg_uuid, .to = ARG_TO(u8, struct options, uuid[0]),
	  ARG_GIVEN(struct options, uuid_set),
	  .not = "compact; " HAS_ITS_OWN },
	{ 'T', "time", "SECONDS", "build time and every modification time",
	  .set = take_time, ARG_GIVEN(struct options, fixed_time), .not = "compact" },
	{ 0, "all-root", NULL, "everything belongs to user 0 and group 0",
	  ARG_FLAG(struct options, all_root), .not = "compact" },
	{ 0, "no-xattrs", NULL, "leave out extended attributes and ACLs",
	  ARG_FLAG(struct options, no_xattrs), .not = "compact" },
	{ 0, "xattrs-exclude", "PATTERN", "the same, of those whose names match",
	  .set = take_names, .not = "compact" },
	{ 'e', "exclude", "PATTERN", "leave out names (or paths, with a /) that match",
	  .set = take_pattern, .not = "compact; manifest; tar; tar-index" },
	{ 0, "exclude-from", "FILE", "the same, one pattern a line",
	  .set = take_list, .list = true, .not = "compact; manifest; tar; tar-index" },
	{ 'x', "one-file-system", NULL, "do not descend into other file systems",
	  ARG_FLAG(struct options, one_fs), .not = "compact; manifest; tar; tar-index" },
	{ 0, "skip-unreadable", NULL, "list and leave out what cannot be read",
	  ARG_FLAG(struct options, skip_unreadable), .not = "compact; tar; tar-index" },
	{ 0, "no-recheck", NULL, "do not look at the end whether SOURCE is still what it was",
	  ARG_FLAG(struct options, no_recheck), .not = "compact" },
	{ 0, "manifest", "FILE", "the tree, one object a line; - is standard input; see below",
	  ARG_LIST(struct options, manifest), .not = "compact; tar; tar-index" },
	{ 0, "tar", "FILE",
	  "members of a tar archive; may be given many times",
	  .set = take_tar, .list = true, .not = "compact" },
	{ 'i', "ignore-zeros", NULL,
	  "archives that are joined into one file are all read",
	  ARG_FLAG(struct options, tar.joined), .only = "tar" },
	{ 0, "strip-root", NULL, "members whose names begin with a slash lose it",
	  ARG_FLAG(struct options, tar.strip_root), .only = "tar" },
	{ 0, "wds", "[shard|prefix]",
	  "archives are shards: a directory each, or one tree",
	  ARG_CHOICE(struct options, wds), .only = "tar" },
	{ 0, "tar-index", NULL,
	  "archives stay as they are; without --tar they lie in IMAGE",
	  ARG_FLAG(struct options, tar_index), .not = "compact" },
	{ 0, "tar-bytes", "SIZE", "with --tar-index: bytes of IMAGE that are archives",
	  .set = take_tar_bytes, .only = "tar-index", .not = "tar" },
	{ 0, "order", "FILE", "paths, one a line, whose data comes first",
	  ARG_LIST(struct options, order),
	  .not = "compact; tar: data has its order; tar-index" },
	{ '0', "null", NULL, "entries of list files end with NUL, not newline",
	  ARG_FLAG(struct options, null_lists) },
	{ 0, "align", "SIZE", "alignment of file data, 512 to 2M (default: 4K)",
	  ARG_BITS(struct options, align_bits, DSFS_ALIGN_BITS_MIN, DSFS_ALIGN_BITS_MAX),
	  .not = "compact; tar-index; " HAS_ITS_OWN },
	{ 0, "chunk-size", "SIZE",
	  "bytes a data checksum covers, 4K to 1M (default: 32K)",
	  ARG_BITS(struct options, chunk_bits, DSFS_CHUNK_BITS_MIN, DSFS_CHUNK_BITS_MAX),
	  .not = "compact; no-checksums; " HAS_ITS_OWN },
	{ 0, "small-chunk", "SIZE",
	  "files up to this have one checksum, 8K to 1M, or none (default: 256K)",
	  ARG_BITS(struct options, small_bits, DSFS_CHUNK_BITS_MIN + 1, DSFS_CHUNK_BITS_MAX),
	  .word = "none", .not = "compact; no-checksums; " HAS_ITS_OWN },
	{ 0, "large-chunk", "SIZE",
	  "the same as --chunk-size of files above 1M, 4K to 1M, or none (default)",
	  ARG_BITS(struct options, large_bits, DSFS_CHUNK_BITS_MIN, DSFS_CHUNK_BITS_MAX),
	  .word = "none", .not = "compact; no-checksums; " HAS_ITS_OWN },
	{ 0, "object-size", "SIZE",
	  "files do not cross multiples of it, 64K to 1G, or none",
	  ARG_BITS(struct options, object_bits, DSFS_OBJECT_BITS_MIN, DSFS_OBJECT_BITS_MAX),
	  ARG_GIVEN(struct options, object_set), .word = "none" },
	{ 0, "no-checksums", NULL, "no checksums of data",
	  ARG_FLAG(struct options, no_checksums), .not = "compact; " HAS_ITS_OWN },
	{ 0, "boot-signature", "yes|no",
	  "begin as a disk without partitions (default: yes)",
	  ARG_CHOICE(struct options, boot), .not = HAS_ITS_OWN },
	{ 0, "no-dedup", NULL, "store identical contents as often as they occur",
	  ARG_FLAG(struct options, no_dedup), .not = "compact; tar-index" },
	{ 0, "compress", "CODEC",
	  "compress files that get smaller: zstd[:LEVEL], lz4, auto, none",
	  .set = take_compress, .not = "compact; tar-index: archives stay as they are" },
	{ 0, "compress-exclude", "PATTERN|+SIZE",
	  "not those that match, or that are larger",
	  .set = take_unpacked, .only = "compress; update" },
	{ 0, "update", NULL,
	  "add a generation to IMAGE, of what is new or changed",
	  ARG_SET(struct options, build, BUILD_UPDATE), .alone = true },
	{ 0, "checksum", NULL, "with --update: read all files, go by their contents",
	  ARG_FLAG(struct options, checksum), .only = "update", .not = "tar-index" },
	{ 0, "compact", NULL,
	  "pack IMAGE anew, without its older generations",
	  ARG_SET(struct options, build, BUILD_COMPACT), .alone = true },
	{ 0, "keep", "N", "with --compact: with the N newest generations (default: 1)",
	  ARG_NUMBER(struct options, keep, 1, MKFS_KEEP_MAX), .only = "compact" },
	{ 0, "threads", "N", "readers, 1 to 256 (default: CPUs, at least 4)",
	  ARG_NUMBER(struct options, limits.threads, 1, MKFS_THREADS_MAX) },
	{ 0, "memory", "SIZE", "of the run; what exceeds it is in TMPDIR (default: a half)",
	  ARG_SIZE(struct options, limits.memory) },
	{ 'f', "force", NULL, "overwrite an image, or a device in use; with --update: lose files",
	  ARG_FLAG(struct options, force) },
	{ 'n', "dry-run", NULL, "plan and report, write nothing",
	  ARG_FLAG(struct options, plan_only), .not = "tar-index" },
	{ 'q', "quiet", NULL, "no report and no progress bar", ARG_FLAG(struct options, quiet) },
	{ 'v', "verbose", NULL, "say more", ARG_FLAG(struct options, verbose) },
	{ 0, "json", NULL, "report in JSON on standard output", ARG_FLAG(struct options, json) },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: mkfs.dsfs [options] IMAGE SOURCE\n"
	"       mkfs.dsfs [options] --manifest=FILE IMAGE [SOURCE]\n"
	"       mkfs.dsfs [options] --tar=FILE... IMAGE\n"
	"       mkfs.dsfs [options] --tar-index [--tar=FILE...] IMAGE\n"
	"       mkfs.dsfs --update [options] IMAGE SOURCE\n"
	"       mkfs.dsfs --compact [options] IMAGE [TARGET]\n"
	"       mkfs.dsfs -n --digest [options] SOURCE\n"
	"Pack the directory SOURCE, or what the lines of a manifest say, or the members of\n"
	"tar archives, into a DSFS image, a file or a block device.\n",
	.more =
	"Lines of a manifest are JSON objects:\n"
	"  {\"path\":\"/train/a.jpg\",\"mode\":\"0644\",\"mtime\":\"1600000000.5\",\"source\":\"dir/a.jpg\"}\n"
	"  {\"path\":\"/train/b.jpg\",\"source\":\"archive.tar\",\"offset\":512,\"size\":12345}\n"
	"  {\"path\":\"/link\",\"type\":\"symlink\",\"target\":\"train\"}\n"
	"  {\"path\":\"/more\",\"type\":\"link\",\"target\":\"/train/b.jpg\"}\n"
	"  {\"path\":\"/dev/sda\",\"type\":\"block\",\"major\":8,\"minor\":0}\n"
	"  {\"path\":\"/c.jpg\",\"source\":\"c.jpg\",\"xattrs\":{\"user.a\":\"00ff\"}}\n"
	"  {\"default\":{\"uid\":1000,\"mode\":\"0640\",\"dirmode\":\"0750\"}}\n"
	"\n"
	"Exit: 0 done, 1 failed (and no image is left), 2 wrong usage.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static void defaults(struct options *o)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(o, 0, sizeof(*o));
	o->align_bits = DSFS_BLOCK_BITS;
	o->small_bits = SMALL_NOT_GIVEN;
	/* at least 4 threads: a source over a network waits more than it computes */
	o->limits.threads = cpus < 4 ? 4 : cpus;
	if (o->limits.threads > MKFS_THREADS_MAX)
		o->limits.threads = MKFS_THREADS_MAX;
	o->limits.memory = memory_for_us() / 2;
}

/* Check what the table cannot say of archives. */
static int check_tar(const struct options *o)
{
	const bool once = o->ntars && !o->tar_index;

	if (once && (o->build == BUILD_UPDATE || (o->plan_only && !o->digest)))
		return args_wrong(EXIT_USAGE, "%s and --tar do not go together: tar is read once",
				  o->build == BUILD_UPDATE ? "--update" : "--dry-run");
	if (o->tar_index && o->wds == WDS_PREFIX)
		return args_wrong(EXIT_USAGE, "--wds=prefix and --tar-index do not go together");
	for (unsigned int i = 0; i < o->ntars; i++) {
		if (strcmp(o->tars[i], "-"))
			continue;
		if (o->tar_index)
			return args_wrong(EXIT_USAGE, "--tar-index: standard input is not a file");
		if (o->wds == WDS_SHARD)
			return args_wrong(EXIT_USAGE,
					  "--wds: standard input has no name for a directory");
	}
	return 0;
}

/* -n --digest: of a source alone; where that is an option there is nothing else. */
static int digest_arguments(struct options *o, int n, char **args)
{
	if (o->build != BUILD_NEW)
		return args_wrong(EXIT_USAGE,
				  "--dry-run and --digest: not with --%s: of an image: dump.dsfs --digest",
				  o->build == BUILD_UPDATE ? "update" : "compact");
	if (!n && !o->manifest && !o->ntars)
		return args_wrong(EXIT_USAGE, "--dry-run and --digest: SOURCE is needed");
	if (n > !o->ntars)
		return args_wrong(EXIT_USAGE,
				  "--dry-run and --digest: too many arguments: there is no IMAGE");
	o->image = "";
	o->source = n ? args[0] : o->ntars ? "" : ".";
	return 0;
}

static int take_arguments(struct options *o, int n, char **args)
{
	const bool compact = o->build == BUILD_COMPACT, tar = o->ntars || o->tar_index;
	const bool alone = o->manifest || tar || compact;

	if (options_digest_alone(o))
		return digest_arguments(o, n, args);
	if (n < (alone ? 1 : 2))
		return args_wrong(EXIT_USAGE, alone ? "IMAGE is needed" :
				  "IMAGE and SOURCE are needed");
	if (n > (tar ? 1 : 2))
		return args_wrong(EXIT_USAGE, "too many arguments");
	o->image = args[compact && n > 1];
	o->source = compact ? args[0] : n > 1 ? args[1] : tar ? "" : ".";
	return 0;
}

/* The build time is that of -T, or of the environment. */
static int settle_time(struct options *o)
{
	int ret = o->fixed_time ? 1 : parse_source_date_epoch(&o->build_time);

	o->epoch = ret;
	if (ret >= 0)
		return 0;
	return args_wrong(EXIT_USAGE, "SOURCE_DATE_EPOCH: %s: not seconds since 1970",
			  getenv("SOURCE_DATE_EPOCH"));
}

static void settle_layout(struct options *o)
{
	if (o->tar_index)
		o->align_bits = DSFS_ALIGN_BITS_MIN;
	if (!o->chunk_bits)
		o->chunk_bits = o->tar_index ? TAR_INDEX_CHUNK_BITS : CHUNK_BITS;
	if (o->no_checksums)
		o->chunk_bits = 0;
	/* Larger chunks, or none, leave nothing for the default to say. */
	if (o->small_bits == SMALL_NOT_GIVEN)
		o->small_bits = o->chunk_bits && o->chunk_bits < SMALL_BITS ? SMALL_BITS : 0;
}

/* A small file is one chunk, so it says nothing if chunks are as large. */
static int check_chunks(const struct options *o)
{
	if (!o->small_bits || o->small_bits > o->chunk_bits)
		return 0;
	return args_wrong(EXIT_USAGE,
			  "--small-chunk: %llu: chunks have %llu bytes, it must be more",
			  1ULL << o->small_bits, 1ULL << o->chunk_bits);
}

static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	(void)number;
	if (memchr(line, 0, len))
		return -EINVAL;
	return patterns_add(ctx, line, len);
}

static int read_lists(struct options *o)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < o->lists.n; i++) {
		ret = list_read(o->lists.p[i], o->null_lists, add_line, &o->exclude);
		if (ret == -EINVAL)
			msg_error(o->lists.p[i], "not a list of patterns");
	}
	return ret ? 1 : 0;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int ret;

	defaults(o);
	ret = args_parse(&command_line, o, &argc, argv);
	if (ret >= 0)
		return ret;
	settle_layout(o);
	ret = check_chunks(o) ?: check_tar(o) ?: take_arguments(o, argc, argv) ?: settle_time(o) ?:
	      read_lists(o);
	return ret ? ret : -1;
}

void options_free(struct options *o)
{
	patterns_free(&o->exclude);
	patterns_free(&o->no_names);
	patterns_free(&o->pack.except);
	free(o->tars);
	free(o->lists.p);
}
