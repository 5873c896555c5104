// SPDX-License-Identifier: GPL-2.0
/*
 * The command line.  All errors of options that need neither source nor image
 * are found here.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "args.h"
#include "list.h"
#include "msg.h"
#include "options.h"
#include "parse.h"

#define EXIT_USAGE	2
#define CHUNK_BITS	15
/* An archive and its members have checksums each, so fewer of them: Documentation/shards.rst */
#define TAR_INDEX_CHUNK_BITS	18

enum {
	OPT_ALIGN = 256,
	OPT_ALL_ROOT,
	OPT_BOOT_SIGNATURE,
	OPT_CHECKSUM,
	OPT_CHUNK_SIZE,
	OPT_COMPACT,
	OPT_DIGEST,
	OPT_EXCLUDE_FROM,
	OPT_JSON,
	OPT_KEEP,
	OPT_MANIFEST,
	OPT_NO_CHECKSUMS,
	OPT_NO_DEDUP,
	OPT_NO_RECHECK,
	OPT_NO_XATTRS,
	OPT_OBJECT_SIZE,
	OPT_ORDER,
	OPT_SKIP_UNREADABLE,
	OPT_TAR,
	OPT_TAR_BYTES,
	OPT_TAR_INDEX,
	OPT_THREADS,
	OPT_UPDATE,
	OPT_WDS,
};

static const struct option long_options[] = {
	{ "align", required_argument, NULL, OPT_ALIGN },
	{ "all-root", no_argument, NULL, OPT_ALL_ROOT },
	{ "boot-signature", required_argument, NULL, OPT_BOOT_SIGNATURE },
	{ "checksum", no_argument, NULL, OPT_CHECKSUM },
	{ "chunk-size", required_argument, NULL, OPT_CHUNK_SIZE },
	{ "compact", no_argument, NULL, OPT_COMPACT },
	{ "digest", optional_argument, NULL, OPT_DIGEST },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "exclude", required_argument, NULL, 'e' },
	{ "exclude-from", required_argument, NULL, OPT_EXCLUDE_FROM },
	{ "force", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "manifest", required_argument, NULL, OPT_MANIFEST },
	{ "label", required_argument, NULL, 'L' },
	{ "message", required_argument, NULL, 'm' },
	{ "no-checksums", no_argument, NULL, OPT_NO_CHECKSUMS },
	{ "no-dedup", no_argument, NULL, OPT_NO_DEDUP },
	{ "no-recheck", no_argument, NULL, OPT_NO_RECHECK },
	{ "no-xattrs", no_argument, NULL, OPT_NO_XATTRS },
	{ "null", no_argument, NULL, '0' },
	{ "object-size", required_argument, NULL, OPT_OBJECT_SIZE },
	{ "one-file-system", no_argument, NULL, 'x' },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "quiet", no_argument, NULL, 'q' },
	{ "skip-unreadable", no_argument, NULL, OPT_SKIP_UNREADABLE },
	{ "tar", required_argument, NULL, OPT_TAR },
	{ "tar-bytes", required_argument, NULL, OPT_TAR_BYTES },
	{ "tar-index", no_argument, NULL, OPT_TAR_INDEX },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "time", required_argument, NULL, 'T' },
	{ "update", no_argument, NULL, OPT_UPDATE },
	{ "uuid", required_argument, NULL, 'U' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "wds", optional_argument, NULL, OPT_WDS },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
"Usage: mkfs.dsfs [options] IMAGE SOURCE\n"
"       mkfs.dsfs [options] --manifest=FILE IMAGE [SOURCE]\n"
"       mkfs.dsfs [options] --tar=FILE... IMAGE\n"
"       mkfs.dsfs [options] --tar-index [--tar=FILE...] IMAGE\n"
"       mkfs.dsfs --update [options] IMAGE SOURCE\n"
"       mkfs.dsfs --compact [options] IMAGE [TARGET]\n"
"       mkfs.dsfs -n --digest [options] SOURCE\n"
"Pack the directory SOURCE, or what the lines of a manifest say, or the members of\n"
"tar archives, into a DSFS image, a file or a block device.\n"
"\n"
"  -L, --label=TEXT       volume label, up to 64 bytes\n"
"  -m, --message=TEXT     what this generation is, up to 1024 bytes\n"
"      --digest[=KIND]    keep the digest of the tree in the image; with -n: print\n"
"                         that of SOURCE, and make no image\n"
"                         KIND: data (default), or full: attributes, too\n"
"  -U, --uuid=UUID        volume UUID (default: random; from the content with -T\n"
"                         or SOURCE_DATE_EPOCH)\n"
"  -T, --time=SECONDS     build time and every modification time\n"
"      --all-root         everything belongs to user 0 and group 0\n"
"      --no-xattrs        leave out extended attributes and ACLs\n"
"  -e, --exclude=PATTERN  leave out names (or paths, with a /) that match\n"
"      --exclude-from=FILE  the same, one pattern a line\n"
"  -x, --one-file-system  do not descend into other file systems\n"
"      --skip-unreadable  list and leave out what cannot be read\n"
"      --no-recheck       do not look at the end whether SOURCE is still what it was\n"
"      --manifest=FILE    the tree, one object a line; - is standard input; see below\n"
"      --tar=FILE         the members of a tar archive (gzip, xz, zstd), read once; - is\n"
"                         standard input; may be given more than once\n"
"      --wds[=shard|prefix]  the archives are shards of a WebDataset: each is a directory,\n"
"                         named as its file (shard, the default), or they are one tree,\n"
"                         by the paths in their keys, and no file comes twice\n"
"      --tar-index        archives stay as they are, and their members are files, too;\n"
"                         without --tar they lie in IMAGE, from byte 69632 on\n"
"      --tar-bytes=SIZE   with --tar-index: bytes of IMAGE that are archives\n"
"      --order=FILE       paths, one a line, whose data comes first\n"
"  -0, --null             entries of list files end with NUL, not newline\n"
"      --align=SIZE       alignment of file data, 512 to 2M (default: 4K)\n"
"      --chunk-size=SIZE  bytes a data checksum covers, 4K to 1M (default: 32K; with\n"
"                         --tar-index 256K)\n"
"      --object-size=SIZE files do not cross multiples of it, 64K to 1G, or none\n"
"                         (default: what an RBD device has, else none)\n"
"      --no-checksums     no checksums of data\n"
"      --boot-signature=yes|no  begin as a disk without partitions, so that programs\n"
"                         which do not know DSFS leave the device alone (default: yes)\n"
"      --no-dedup         store identical contents as often as they occur\n"
"      --update           add a generation to IMAGE; write what is new or changed,\n"
"                         by size and modification time\n"
"      --checksum         with --update: read all files, go by their contents\n"
"      --compact          pack IMAGE anew, without its older generations, if a quarter\n"
"                         of it is theirs alone (with -f: anyway)\n"
"      --keep=N           with --compact: with the N newest generations (default: 1)\n"
"      --threads=N        readers, 1 to 256 (default: CPUs, at least 4)\n"
"  -f, --force            overwrite an image, or a device in use\n"
"  -n, --dry-run          plan and report, write nothing\n"
"  -q, --quiet            no report and no progress bar\n"
"  -v, --verbose          say more\n"
"      --json             report in JSON on standard output\n"
"  -h, --help             this text\n"
"  -V, --version          version\n"
"\n"
"Lines of a manifest: PATH [FIELD=VALUE]..., or: default [FIELD=VALUE]...\n"
"  /train/a.jpg mode=0644 uid=0 gid=0 mtime=1600000000.5 source=dir/a.jpg\n"
"  /train/b.jpg source=archive.tar offset=512 size=12345\n"
"  /zeros size=1M fill=zero        /pattern size=1M fill=42\n"
"  /train type=dir                 /link type=symlink target=train\n"
"  /dev/sda type=block major=8 minor=0    /more type=link target=/zeros\n"
"  {\"path\":\"/c.jpg\",\"source\":\"c.jpg\",\"xattrs\":{\"user.a\":\"00ff\"}}\n"
"\\ooo is a byte in octal: \\040 a blank. The manual page has the details.\n"
"\n"
"Exit: 0 done, 1 failed (and no image is left), 2 wrong usage.\n";

static int usage(const char *fmt, const char *what)
{
	msg_error(NULL, fmt, what);
	args_hint();
	return EXIT_USAGE;
}

static int add_pattern(void *ctx, char *line, size_t len, u64 number)
{
	(void)number;
	if (memchr(line, 0, len))
		return -EINVAL;
	return exclude_add(ctx, line, len);
}

/* Parse a size that is a power of two; return its logarithm. */
static int parse_bits(const char *name, const char *arg, unsigned int min,
		      unsigned int max, u8 *bits)
{
	u64 v;

	if (parse_size(arg, &v) || v & (v - 1) || v < 1ULL << min ||
	    v > 1ULL << max) {
		msg_error(NULL, "--%s: %s: not a power of two from %llu to %llu bytes",
			  name, arg, 1ULL << min, 1ULL << max);
		return EXIT_USAGE;
	}
	*bits = __builtin_ctzll(v);
	return 0;
}

/* Parse the object size, which overrides that of the device. */
static int parse_object(struct options *o, const char *arg)
{
	o->object_set = true;
	o->object_bits = 0;
	if (!strcmp(arg, "none"))
		return 0;
	return parse_bits("object-size", arg, DSFS_OBJECT_BITS_MIN,
			  DSFS_OBJECT_BITS_MAX, &o->object_bits);
}

static int parse_boot_signature(struct options *o, const char *arg)
{
	o->boot_set = true;
	o->boot_signature = !strcmp(arg, "yes");
	if (o->boot_signature || !strcmp(arg, "no"))
		return 0;
	return usage("--boot-signature: %s: neither yes nor no", arg);
}

static int parse_label(struct options *o, const char *arg)
{
	size_t len = strlen(arg);

	if (len > sizeof(o->label)) {
		msg_error(NULL, "--label: %s: %zu bytes: the limit is %zu", arg,
			  len, sizeof(o->label));
		return EXIT_USAGE;
	}
	o->label_set = true;
	memset(o->label, 0, sizeof(o->label));
	memcpy(o->label, arg, len);
	return 0;
}

/* An empty one is none, and with --compact leaves out what the image has. */
static int parse_message(struct options *o, const char *arg)
{
	size_t len = strlen(arg);

	o->message = arg;
	if (len <= DSFS_MESSAGE_MAX)
		return 0;
	msg_error(NULL, "--message: %zu bytes: the limit is %d", len, DSFS_MESSAGE_MAX);
	return EXIT_USAGE;
}

static int parse_digest(struct options *o, const char *arg)
{
	if (!parse_digest_kind(arg, &o->digest))
		return 0;
	return usage("--digest: %s: neither data nor full", arg);
}

static int parse_uuid(struct options *o, const char *arg)
{
	if (!strcmp(arg, "random"))
		uuid_generate_random(o->uuid);
	else if (!strcmp(arg, "clear") || !strcmp(arg, "nil"))
		uuid_clear(o->uuid);
	else if (uuid_parse(arg, o->uuid))
		return usage("--uuid: %s: not a UUID", arg);
	o->uuid_set = true;
	return 0;
}

static int parse_option_time(struct options *o, const char *arg)
{
	if (parse_time(arg, &o->build_time))
		return usage("--time: %s: not seconds from 1677 to 2262", arg);
	o->fixed_time = true;
	o->epoch = true;
	return 0;
}

static int parse_threads(struct options *o, const char *arg)
{
	u64 v;

	if (args_number("threads", arg, 1, MKFS_THREADS_MAX, &v))
		return EXIT_USAGE;
	o->threads = v;
	return 0;
}

static int add_tar(struct options *o, const char *arg)
{
	const char **more = realloc(o->tars, (o->ntars + 1) * sizeof(*more));

	if (!more) {
		msg_error(NULL, "out of memory");
		return 1;
	}
	o->tars = more;
	o->tars[o->ntars++] = arg;
	return 0;
}

static int parse_tar_bytes(struct options *o, const char *arg)
{
	if (parse_size(arg, &o->tar_bytes) || !o->tar_bytes || o->tar_bytes % 512 ||
	    o->tar_bytes >= DSFS_MAX_OFFSET)
		return usage("--tar-bytes: %s: not a multiple of 512 from 512 to 2^48 - 512", arg);
	return 0;
}

static int parse_exclude_from(struct options *o, const char *arg)
{
	int ret = list_read(arg, o->null_lists, add_pattern, o);

	if (ret == -EINVAL)
		msg_error(arg, "not a list of patterns");
	return ret ? 1 : 0;
}

static int parse_wds(struct options *o, const char *arg)
{
	o->wds = arg && !strcmp(arg, "prefix") ? WDS_PREFIX : WDS_SHARD;
	if (!arg || o->wds == WDS_PREFIX || !strcmp(arg, "shard"))
		return 0;
	return usage("--wds: %s: neither shard nor prefix", arg);
}

static int set_build(struct options *o, enum build build)
{
	if (o->build != BUILD_NEW && o->build != build)
		return usage("%s", "--update does not go with --compact");
	o->build = build;
	return 0;
}

static int parse_flag(struct options *o, int c)
{
	switch (c) {
	case OPT_ALL_ROOT:
		o->all_root = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_NO_CHECKSUMS:
		o->layout = "--no-checksums";
		o->chunk_bits = 0;
		break;
	case OPT_TAR_INDEX:
		o->tar_index = true;
		break;
	case OPT_CHECKSUM:
		o->checksum = true;
		break;
	case OPT_COMPACT:
		return set_build(o, BUILD_COMPACT);
	case OPT_UPDATE:
		return set_build(o, BUILD_UPDATE);
	case OPT_NO_DEDUP:
		o->no_dedup = true;
		break;
	case OPT_NO_RECHECK:
		o->no_recheck = true;
		break;
	case OPT_NO_XATTRS:
		o->no_xattrs = true;
		break;
	case OPT_SKIP_UNREADABLE:
		o->skip_unreadable = true;
		break;
	case '0':
		o->null_lists = true;
		break;
	case 'f':
		o->force = true;
		break;
	case 'n':
		o->plan_only = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'v':
		o->verbose++;
		break;
	case 'x':
		o->one_fs = true;
		break;
	case 'h':
		fputs(help_text, stdout);
		return -1;
	case 'V':
		puts("mkfs.dsfs " DSFS_VERSION_STRING);
		return -1;
	}
	return 0;
}

static int parse_one(struct options *o, int c, const char *arg,
		     const char **exclude_from)
{
	switch (c) {
	case OPT_ALIGN:
		o->layout = "--align";
		o->align_set = true;
		return parse_bits("align", arg, DSFS_ALIGN_BITS_MIN,
				  DSFS_ALIGN_BITS_MAX, &o->align_bits);
	case OPT_BOOT_SIGNATURE:
		return parse_boot_signature(o, arg);
	case OPT_CHUNK_SIZE:
		o->layout = "--chunk-size";
		return parse_bits("chunk-size", arg, DSFS_CHUNK_BITS_MIN,
				  DSFS_CHUNK_BITS_MAX, &o->chunk_bits);
	case OPT_DIGEST:
		return parse_digest(o, arg);
	case OPT_EXCLUDE_FROM:
		*exclude_from = arg;
		return 0;
	case OPT_KEEP:
		return args_number("keep", arg, 1, MKFS_KEEP_MAX, &o->keep) ? EXIT_USAGE : 0;
	case OPT_MANIFEST:
		o->manifest = arg;
		return 0;
	case OPT_OBJECT_SIZE:
		return parse_object(o, arg);
	case OPT_ORDER:
		o->order = arg;
		return 0;
	case OPT_TAR:
		return add_tar(o, arg);
	case OPT_TAR_BYTES:
		return parse_tar_bytes(o, arg);
	case OPT_THREADS:
		return parse_threads(o, arg);
	case OPT_WDS:
		return parse_wds(o, arg);
	case 'L':
		return parse_label(o, arg);
	case 'm':
		return parse_message(o, arg);
	case 'T':
		return parse_option_time(o, arg);
	case 'U':
		return parse_uuid(o, arg);
	case 'e':
		if (exclude_add(o, arg, strlen(arg)))
			return usage("--exclude: %s: not a pattern", arg);
		return 0;
	}
	return parse_flag(o, c);
}

static void defaults(struct options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(o, 0, sizeof(*o));
	o->align_bits = DSFS_BLOCK_BITS;
	o->chunk_bits = CHUNK_BITS;
	o->boot_signature = true;
	/* at least 4 threads: a source over a network waits more than it computes */
	o->threads = cpus < 4 ? 4 : cpus;
	if (o->threads > MKFS_THREADS_MAX)
		o->threads = MKFS_THREADS_MAX;
}

/* Check for options that contradict each other. */
static int check_update(const struct options *o)
{
	if (o->checksum && o->build != BUILD_UPDATE)
		return usage("%s", "--checksum: only with --update");
	if (o->keep)
		return usage("%s", "--keep: only with --compact");
	if (o->build != BUILD_UPDATE)
		return 0;
	if (o->layout)
		return usage("%s: not with --update: the image has its own", o->layout);
	if (o->uuid_set)
		return usage("%s: not with --update: the image has its own",
			     "--uuid");
	if (o->boot_set)
		return usage("%s: not with --update: the image has its own",
			     "--boot-signature");
	if (o->force)
		return usage("%s: not with --update", "--force");
	return 0;
}

/* Check for options that --compact does not allow. */
static int check_compact(const struct options *o)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ o->checksum, "--checksum" },
		{ o->manifest, "--manifest" },
		{ o->ntars, "--tar" },
		{ o->tar_index, "--tar-index" },
		{ o->order, "--order" },
		{ o->npatterns, "--exclude" },
		{ o->layout, o->layout },
		{ o->uuid_set, "--uuid" },
		{ o->fixed_time, "--time" },
		{ o->all_root, "--all-root" },
		{ o->one_fs, "--one-file-system" },
		{ o->no_dedup, "--no-dedup" },
		{ o->no_xattrs, "--no-xattrs" },
		{ o->skip_unreadable, "--skip-unreadable" },
		{ o->no_recheck, "--no-recheck" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (others[i].given)
			return usage("%s: not with --compact", others[i].name);
	}
	return 0;
}

/* An archive is read once, so nothing is known of it before. */
static int check_tar(const struct options *o)
{
	if (!o->ntars)
		return o->wds ? usage("%s", "--wds: only with --tar") : 0;
	if (o->manifest)
		return usage("%s", "--manifest and --tar do not go together");
	if (o->build == BUILD_UPDATE && !o->tar_index)
		return usage("%s", "--update and --tar do not go together: tar is read once");
	if (o->order)
		return usage("%s", "--order and --tar do not go together: data has its order");
	if (o->plan_only && !o->digest)
		return usage("%s", "--dry-run and --tar do not go together: tar is read once");
	if (o->one_fs)
		return usage("%s", "--one-file-system and --tar do not go together");
	if (o->skip_unreadable)
		return usage("%s", "--skip-unreadable and --tar do not go together");
	for (unsigned int i = 0; o->wds == WDS_SHARD && i < o->ntars; i++) {
		if (!strcmp(o->tars[i], "-"))
			return usage("%s", "--wds: standard input has no name for a directory");
	}
	return 0;
}

/* Members lie where they lie: nothing orders, aligns or leaves them out. */
static int check_tar_index(struct options *o)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ o->checksum, "--checksum" },
		{ o->manifest, "--manifest" },
		{ o->order, "--order" },
		{ o->plan_only, "--dry-run" },
		{ o->one_fs, "--one-file-system" },
		{ o->skip_unreadable, "--skip-unreadable" },
		{ o->align_set, "--align" },
		{ o->no_dedup, "--no-dedup" },
		{ o->wds == WDS_PREFIX, "--wds=prefix" },
	};

	if (o->tar_bytes && !options_in_place(o))
		return usage("%s", "--tar-bytes: only with --tar-index and without --tar");
	for (size_t i = 0; o->tar_index && i < sizeof(others) / sizeof(*others); i++) {
		if (others[i].given)
			return usage("%s: not with --tar-index", others[i].name);
	}
	for (unsigned int i = 0; o->tar_index && i < o->ntars; i++) {
		if (!strcmp(o->tars[i], "-"))
			return usage("%s", "--tar-index: standard input is not a file");
	}
	if (o->tar_index)
		o->align_bits = DSFS_ALIGN_BITS_MIN;
	if (o->tar_index && !o->layout)
		o->chunk_bits = TAR_INDEX_CHUNK_BITS;
	return 0;
}

/* What one list has taken of standard input, another one would miss. */
static int check_stdin(const struct options *o, unsigned int excludes)
{
	const char *names[2];
	unsigned int n = 0;

	if (o->manifest && !strcmp(o->manifest, "-"))
		names[n++] = "--manifest=-";
	for (unsigned int i = 0; i < o->ntars && n < 2; i++) {
		if (!strcmp(o->tars[i], "-"))
			names[n++] = "--tar=-";
	}
	if (n < 2 && o->order && !strcmp(o->order, "-"))
		names[n++] = "--order=-";
	for (; excludes && n < 2; excludes--)
		names[n++] = "--exclude-from=-";
	if (n < 2)
		return 0;
	msg_error(NULL, "%s and %s: standard input is but one list", names[0], names[1]);
	args_hint();
	return EXIT_USAGE;
}

/* -n --digest: of a source alone; where that is an option there is nothing else. */
static int parse_digest_arguments(struct options *o, int n, char **args)
{
	int ret = check_tar_index(o);

	if (ret)
		return ret;
	if (o->build != BUILD_NEW)
		return usage("--dry-run and --digest: not with %s: of an image: dump.dsfs --digest",
			     o->build == BUILD_UPDATE ? "--update" : "--compact");
	if (!n && !o->manifest && !o->ntars)
		return usage("%s", "--dry-run and --digest: SOURCE is needed");
	if (n > !o->ntars)
		return usage("%s", "--dry-run and --digest: too many arguments: there is no IMAGE");
	o->image = "";
	o->source = n ? args[0] : o->ntars ? "" : ".";
	return check_tar(o) ?: check_update(o);
}

static int parse_arguments(struct options *o, int n, char **args)
{
	const bool compact = o->build == BUILD_COMPACT;
	int ret;

	const bool tar = o->ntars || o->tar_index;
	const bool alone = o->manifest || tar || compact;

	if (o->manifest && o->one_fs)
		return usage("%s", "--one-file-system: not with --manifest");
	if (options_digest_alone(o))
		return parse_digest_arguments(o, n, args);
	if (n < (alone ? 1 : 2))
		return usage("%s", alone ? "IMAGE is needed" : "IMAGE and SOURCE are needed");
	if (n > (tar ? 1 : 2))
		return usage("%s", "too many arguments");
	o->image = args[compact && n > 1];
	o->source = compact ? args[0] : n > 1 ? args[1] : tar ? "" : ".";
	if (compact)
		return check_compact(o);
	ret = check_tar_index(o);
	if (!ret)
		ret = check_tar(o);
	return ret ? ret : check_update(o);
}

int options_parse(struct options *o, int argc, char **argv)
{
	const char *exclude_from = NULL;
	unsigned int stdin_patterns = 0;
	int c, ret;

	defaults(o);
	/* lists are read after all options, because -0 may follow them */
	opterr = 0;	/* getopt's messages are not in our form */
	while ((c = getopt_long(argc, argv, ":0L:T:U:e:fhm:nqvVx", long_options,
				NULL)) != -1) {
		if (c == '?' || c == ':')
			return args_refused(EXIT_USAGE, long_options, c, argv);
		stdin_patterns += c == OPT_EXCLUDE_FROM && !strcmp(optarg, "-");
		if (c == OPT_EXCLUDE_FROM && exclude_from && stdin_patterns < 2) {
			ret = parse_exclude_from(o, exclude_from);
			if (ret)
				return ret;
		}
		ret = parse_one(o, c, optarg, &exclude_from);
		if (ret)
			return ret;
	}
	ret = parse_arguments(o, argc - optind, argv + optind);
	if (!ret)
		ret = check_stdin(o, stdin_patterns);
	if (ret)
		return ret;
	if (!o->fixed_time) {
		ret = parse_source_date_epoch(&o->build_time);
		if (ret < 0)
			return usage("SOURCE_DATE_EPOCH: %s: not seconds since 1970",
				     getenv("SOURCE_DATE_EPOCH"));
		o->epoch = ret;
	}
	ret = exclude_from ? parse_exclude_from(o, exclude_from) : 0;
	if (!ret && o->manifest && o->npatterns)
		return usage("%s", "--exclude: not with --manifest");
	if (!ret && (o->ntars || o->tar_index) && o->npatterns)
		return usage("%s", "--exclude and --tar do not go together");
	return ret;
}

void options_free(struct options *o)
{
	for (unsigned int i = 0; i < o->npatterns; i++)
		free(o->patterns[i].text);
	free(o->patterns);
	free(o->tars);
}
