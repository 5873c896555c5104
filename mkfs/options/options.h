/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of the command lines, checked.  options_parse() fills them in, and they are constant
 * afterwards.  What the rooms below the recipes and the sources need of them is in struct draft and
 * in struct target.
 */
#ifndef MKFS_OPTIONS_H
#define MKFS_OPTIONS_H

#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"

struct args;

#define MKFS_THREADS_MAX	256
/* A generation has a block of metadata at least, and an image no more than these. */
#define MKFS_KEEP_MAX		(DSFS_MAX_OFFSET / DSFS_BLOCK_SIZE)

/**
 * struct pattern - one --exclude, or --compress=none:
 * @text: without leading and trailing slash
 * @given: as the user wrote it; points to the same memory
 * @used: whether something has matched; in the same memory
 * @path: match the path below the source, not the last component alone
 * @dirs: match directories only
 */
struct pattern {
	char *text;
	const char *given;
	bool *used;
	bool path;
	bool dirs;
};

/**
 * struct patterns - all of an option
 * @any_path: some pattern has @path set
 * @all: of names of attributes: all match
 */
struct patterns {
	struct pattern *p;
	unsigned int n;
	bool any_path;
	bool all;
};

#define PACK_LEVEL		3
#define PACK_LEVEL_MAX		19

/**
 * struct pack_rules - how contents are compressed
 * @codec: DSFS_CODEC_*; 0: they are not
 * @level: of zstd
 * @quick: contents that a quick test finds random are not tried
 * @except: --compress=none: files that are not, by name
 * @most: larger ones are not; 0: no limit
 * @given: --compress has a codec; otherwise an image that exists has
 */
struct pack_rules {
	u8 codec;
	bool quick;
	int level;
	struct patterns except;
	u64 most;
	bool given;
};

/**
 * enum wds - what archives are to a WebDataset
 * @WDS_NONE: nothing special: one tree, in which later members replace others
 * @WDS_SHARD: each is a directory
 * @WDS_PREFIX: one tree of them all, in which no file comes twice
 */
enum wds {
	WDS_NONE,
	WDS_SHARD,
	WDS_PREFIX,
};

/**
 * struct limits - what is used of the machine
 * @memory: bytes of the run that are not in a temporary file
 */
struct limits {
	u64 threads;
	u64 memory;
};

/**
 * struct packed_share - a share of a source, which others pack the rest of
 * @n: which one; the first is 1
 * @of: how many there are; 0: it is all
 */
struct packed_share {
	u32 n;
	u32 of;
};

/* Whether a share has what has this hash. */
static inline bool share_has(const struct packed_share *s, u64 hash)
{
	return !s->of || hash % s->of == s->n - 1;
}

/**
 * struct allowed - what --allow lets pass that is refused otherwise
 * @unreadable: what cannot be read is listed and left out
 * @changing: nobody looks at the end whether the source is still what it was
 * @joined: archives may stand one behind the other in a file
 * @absolute: names of members lose the slashes that they begin with
 */
struct allowed {
	bool unreadable;
	bool changing;
	bool joined;
	bool absolute;
};

/**
 * struct added - a file or a tree that is added
 * @to: where it is to be in the image; NULL: its line says that
 * @path: its own from / on, of which no part but the last one is a symlink
 * @dir: it is a tree
 */
struct added {
	char *to;
	char *path;
	bool dir;
};

/**
 * struct additions - what is added to an image that exists
 * @at: --at: directory that gets it; @replace: what is there gives way
 * @touch: directories whose names change get the time of now
 * @batch: --batch; @again: where its lines are read from once more
 * @list: struct added
 * @root: the directory above all of them, which is the source: @above bytes of their paths
 * @only: of that nothing is listed but these paths below it, @nonly of them, sorted; none of them
 *	is below another one; 0: all
 */
struct additions {
	const char *at;
	const char *batch;
	char *again;
	struct array list;
	char *root;
	size_t above;
	char **only;
	size_t nonly;
	bool replace;
	bool touch;
};

/**
 * struct options - the run as asked for
 * @manifest: --manifest: @source is where its relative paths begin
 * @tars: --tar, @ntars of them; there is no @source then
 * @wds: what they are
 * @tar_index: they stay as they are; without @tars they lie in @image already
 * @tar_bytes: of the image that are archives which stay; 0: up to what is no archive
 * @build_time: nanoseconds since 1970; valid with @fixed_time or @epoch
 * @fixed_time: -T: every mtime becomes @build_time
 * @epoch: SOURCE_DATE_EPOCH or -T was given: the image has no random parts
 * @small_set, @align_set, @object_set: an option says it
 * @object_bits: log2 of the size of objects, 0 for none; valid with @object_set
 * @label: --label; NULL: not given
 * @digest: --digest: DSFS_DIGEST_*
 * @message: --message; NULL: not given
 * @exclude: --exclude
 * @no_names: --xattrs-exclude
 * @small_bits: log2 of the bytes up to which a file is one chunk; 0: those of a chunk
 * @large_bits: log2 of the chunk size of large files; 0: that of others
 * @pack: --compress
 * @keep: --keep: how many generations of @source; 0: not given
 * @checksum: contents tell what has changed, not sizes and times
 * @add: what is added to an image that exists
 * @share: what is packed of @source
 */
struct options {
	const char *image;
	const char *source;
	const char *manifest;
	const char *order;
	const char **tars;
	unsigned int ntars;
	u64 tar_bytes;
	struct allowed allow;
	u64 keep;
	const char *label;
	const char *message;
	u8 uuid[16];
	enum wds wds;
	s64 build_time;
	struct patterns exclude;
	struct patterns no_names;
	struct limits limits;
	unsigned int digest;
	struct pack_rules pack;
	u8 align_bits;
	u8 chunk_bits;
	u8 small_bits;
	u8 large_bits;
	u8 object_bits;
	bool small_set;
	bool align_set;
	bool object_set;
	bool checksum;
	bool uuid_set;
	bool fixed_time;
	bool epoch;
	bool all_root;
	bool one_fs;
	bool no_dedup;
	bool tar_index;
	bool plan_only;
	bool no_checksums;
	bool quiet;
	bool verbose;
	bool json;
	bool force;
	struct additions add;
	struct packed_share share;
};

/* Whether archives are used that lie in the target. */
static inline bool options_in_place(const struct options *o)
{
	return o->tar_index && !o->ntars;
}

/**
 * options_parse - read command line and environment
 * @settle: checks what the table of @args cannot say, and takes the @n arguments that are no
 *	options.  Return: 0, or args_wrong()
 *
 * Return: -1 to go on, or the exit status.
 */
int options_parse(struct options *o, const struct args *args,
		  int (*settle)(struct options *o, int n, char **args), int argc, char **argv);
void options_free(struct options *o);
void added_free(struct additions *add);

/* patterns.c */

/* Add a pattern.  Return: 0; -EINVAL: it is none; -ENOMEM. */
int patterns_add(struct patterns *set, const char *text, size_t len);
void patterns_free(struct patterns *set);

/**
 * patterns_match - whether a name matches
 * @path: of it below the source; may be NULL unless set->any_path
 * @name: the last part of it
 */
bool patterns_match(const struct patterns *set, const char *path, const char *name, bool is_dir);
/* The same of a name in the directory @dirpath, "" for the source, which may be NULL, too. */
bool patterns_match_below(const struct patterns *set, const char *dirpath, const char *name,
			  bool is_dir);
/* Whether a file matches, or a directory that it lies in.  @path is cut and mended. */
bool patterns_match_any(const struct patterns *set, char *path);

/* Warn of patterns that matched nothing, which may be misspelt.  @option: its name */
void patterns_unused(const struct patterns *set, const char *option);

#endif /* MKFS_OPTIONS_H */
