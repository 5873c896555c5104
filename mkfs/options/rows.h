/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options that several command lines have: rows of their tables, but for what does not go
 * together there.
 */
#ifndef MKFS_ROWS_H
#define MKFS_ROWS_H

#include "args.h"
#include "options.h"
#include "status.h"

/* take.c: values that are more than a word, a number or a size */
int take_pattern(const struct arg *a, void *o, const char *arg);
int take_names(const struct arg *a, void *o, const char *arg);
int take_time(const struct arg *a, void *o, const char *arg);
int take_tar(const struct arg *a, void *o, const char *arg);
int take_tar_index(const struct arg *a, void *o, const char *arg);
int take_compress(const struct arg *a, void *o, const char *arg);

/* Of a source whose objects are listed, and of archives */
extern const struct arg allow_words[];
/* Of the object size, as the last one of a table */
#define WORD_OBJECT \
	{ .name = "object", .value = "SIZE", .word = "none", \
	  ARG_BITS(struct options, object_bits, DSFS_OBJECT_BITS_MIN, DSFS_OBJECT_BITS_MAX), \
	  ARG_GIVEN(struct options, object_set) }

/* Words of the generation that is made */
#define ROW_LABEL \
	.letter = 'L', .name = "label", .value = "TEXT", \
	.help = "volume label, up to 64 bytes", \
	ARG_TEXT(struct options, label, DSFS_LABEL_MAX)
#define ROW_MESSAGE \
	.letter = 'm', .name = "message", .value = "TEXT", \
	.help = "what this generation is, up to 1024 bytes", \
	ARG_TEXT(struct options, message, DSFS_MESSAGE_MAX)
#define ROW_DIGEST \
	.name = "digest", .value = "[data|full]", .help = "keep the digest of the tree", \
	ARG_CHOICE(struct options, digest)

/* What is taken of a source */
#define ROW_TIME \
	.letter = 'T', .name = "time", .value = "SECONDS", \
	.help = "build time and every modification time", \
	.set = take_time, ARG_GIVEN(struct options, fixed_time)
#define ROW_ALL_ROOT \
	.name = "all-root", .help = "everything belongs to user 0 and group 0", \
	ARG_FLAG(struct options, all_root)
#define ROW_XATTRS_EXCLUDE \
	.name = "xattrs-exclude", .value = "PATTERN", \
	.help = "leave out extended attributes and ACLs that match: '*' for all", .set = take_names
#define ROW_EXCLUDE \
	.letter = 'e', .name = "exclude", .value = "PATTERN|@FILE", \
	.help = "leave out names (or paths, with a /) that match", .set = take_pattern, .list = true
#define ROW_ONE_FS \
	.letter = 'x', .name = "one-file-system", \
	.help = "do not descend into other file systems", ARG_FLAG(struct options, one_fs)
#define ROW_ALLOW \
	.name = "allow", .value = "WHAT", \
	.help = "what is refused: unreadable, changing; of archives: joined, absolute", \
	ARG_PARTS(allow_words)
#define ROW_MANIFEST \
	.name = "manifest", .value = "FILE", \
	.help = "the tree, one object a line; - is standard input", \
	ARG_LIST(struct options, manifest)
#define ROW_TAR \
	.name = "tar", .value = "FILE", \
	.help = "members of a tar archive; may be given many times", \
	.set = take_tar, .list = true
#define ROW_WDS \
	.name = "wds", .value = "[shard|prefix]", \
	.help = "archives are shards: a directory each, or one tree", \
	ARG_CHOICE(struct options, wds), .only = "tar"
#define ROW_TAR_INDEX \
	.name = "tar-index", .value = "[SIZE]", \
	.help = "archives stay as they are; without --tar: SIZE bytes of IMAGE", \
	.set = take_tar_index

/* How its data is stored */
#define ROW_ORDER \
	.name = "order", .value = "FILE", \
	.help = "paths, one a line, whose data comes first", ARG_LIST(struct options, order)
#define ROW_NO_DEDUP \
	.name = "no-dedup", .help = "store identical contents as often as they occur", \
	ARG_FLAG(struct options, no_dedup)
#define ROW_COMPRESS \
	.name = "compress", .value = "CODEC", \
	.help = "zstd[:LEVEL], lz4, auto or none; none:PATTERN, none:+SIZE: not these", \
	.set = take_compress

/* The run */
#define ROW_THREADS \
	.name = "threads", .value = "N", .help = "readers, 1 to 256 (default: CPUs, at least 4)", \
	ARG_NUMBER(struct options, limits.threads, 1, MKFS_THREADS_MAX)
#define ROW_MEMORY \
	.name = "memory", .value = "SIZE", \
	.help = "of the run; what exceeds it is in TMPDIR (default: a half)", \
	ARG_SIZE(struct options, limits.memory)
#define ROW_DRY_RUN \
	.letter = 'n', .name = "dry-run", .help = "plan and report, write nothing", \
	ARG_FLAG(struct options, plan_only)
#define ROW_QUIET \
	.letter = 'q', .name = "quiet", .help = "no report and no progress bar", \
	ARG_FLAG(struct options, quiet)
#define ROW_JSON \
	.name = "json", .help = "report in JSON on standard output", ARG_FLAG(struct options, json)

/* options.c: checks that several command lines have.  Return: 0, or args_wrong() */

/* --allow, and archives that cannot be standard input */
int check_source(const struct options *o);
/*
 * added.c: note what is added from the file system, for the line of a batch or as an argument; then
 * say what is not there, and make the directory above all of it the source.  Return: 0 or the exit
 * status.
 */
int added_note(struct options *o, const char *source, const char *to, u32 line);
int added_settle(struct options *o);
/* IMAGE, and SOURCE unless something else is packed */
int take_image_source(struct options *o, int n, char **args);
/* A share behind the source, "DIR@3/64", unless that is there as it is */
int take_share(struct options *o, char **args);

#endif /* MKFS_ROWS_H */
