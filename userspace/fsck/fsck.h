/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fsck.dsfs: what its files share.
 *
 * Each file is a pass over the image, in the order in which main.c lists them, or what passes
 * share.  They read by the library (userspace/lib/image.h), take digests from
 * userspace/walk, and are called by nobody else.
 */
#ifndef FSCK_H
#define FSCK_H

#include <pthread.h>

#include "array.h"
#include "imagemsg.h"
#include "json.h"
#include "refs.h"
#include "progress.h"
#include "stop.h"

#define NO_INO		0U
#define NO_POS		UINT64_MAX
#define KINDS_MAX	128

/*
 * Metadata in memory, a CACHE_SHARE-th of that of the machine or the control group between these
 * limits: what it has no room for is read by each pass.  More while a directory is looked at whose
 * index is larger than a quarter of it, but no more than CACHE_INDEX.
 */
#define CACHE_SHARE	16
#define CACHE_LEAST	(4ULL << 20)
#define CACHE_MOST	(512ULL << 20)
#define CACHE_INDEX	(1024ULL << 20)

/* A directory, with what is needed to find the directory of an inode number */
struct fdir {
	u32 self;
	u32 first;
};

/* An inode with several names: how many there are besides its first. */
struct link_count {
	u32 ino;
	u32 more;
};

/* A name block: bytes of NAMES that a directory uses */
struct frange {
	u64 pos;
	u32 len;
	u32 ino;
};

/* Bytes of NAMES that no name block has */
struct names_gap {
	u64 from;
	u64 to;
};

/* Problems of one kind. */
struct problem_kind {
	const char *what;
	u64 count;
	bool warning;
};

/**
 * struct problems - problems that were found; @lock protects all fields
 * @per_kind: number of problems of a kind that are printed
 */
struct problems {
	pthread_mutex_t lock;
	struct problem_kind kinds[KINDS_MAX];
	size_t nr_kinds;
	u64 errors;
	u64 warnings;
	u64 per_kind;
};

/**
 * struct later - the later generation, which was checked before the current one
 * @data: data of its files
 * @share: a walk over @data, which is at its place @i
 */
struct later {
	struct dsfs_geo geo;
	struct dsfs_source *src;
	struct refs data;
	struct share share;
	size_t i;
};

/**
 * struct fsck - a run of the tool
 * @geo: geometry of the current generation
 * @newest: the newest generation, which the summary describes
 * @dirs: struct fdir, by number
 * @data: data of files
 * @sets: sets of xattrs, one an inode that has one
 * @targets: of symlinks
 * @hardlinks: hard-link entries
 * @links: struct link_count, by number, once the hard-link entries were checked
 * @again: files with data that is looked at with another file
 * @inside: files with data inside of that of another file
 * @known: files with data that was checked with a later generation
 * @unread: bytes of data that are to be checked
 * @entries_end: behind the entries of the last directory
 * @dirs_checked: how many directories had their names checked
 * @cache: bytes of metadata in memory
 * @names_end: end of the name blocks so far
 * @names_gaps: struct names_gap: those in front of them that are not zero
 * @unordered: a name block lies in front of one that was seen before it
 * @files: regular files seen, and the sum of their sizes in @content
 * @generations: number of generations that were checked
 * @fresh: start of the bytes that were written for the current generation
 * @only: --generation: the one to check, 0 for all
 * @incomplete: something could not be decoded, so the lists lack what it uses
 * @digest: --digest: compare kept digests with the trees
 * @source: options of the way to an image on a server, or NULL
 * @progress_fd: lines of progress go there, -1: nowhere
 */
struct fsck {
	struct image img;
	struct dsfs_source *src;
	const struct dsfs_geo *geo;
	struct dsfs_geo newest;
	struct later later;
	struct problems report;
	struct json j;
	struct array dirs;
	struct refs data;
	struct refs sets;
	struct refs targets;
	struct refs hardlinks;
	struct array links;
	struct bits again;
	struct bits inside;
	struct bits known;
	u64 unread;
	u32 entries_end;
	size_t dirs_checked;
	u64 cache;
	u64 names_end;
	struct array names_gaps;
	bool unordered;
	u64 files;
	u64 content;
	u64 all_files;
	u64 all_content;
	u64 generations;
	u64 only;
	u64 fresh;
	u64 dir_inodes;
	u64 threads;
	int progress_fd;
	struct progress bar;
	int pass;
	u64 pass_done;
	u64 pass_total;
	bool incomplete;
	bool json;
	const char *source;
	bool no_data;
	bool digest;
	bool quiet;
	bool verbose;
};

/* report.c: all functions are thread-safe */

/**
 * report_problem - report a broken rule
 * @warn: it does no harm
 * @what: the kind, a constant string
 * @ino: the inode concerned, or NO_INO
 * @pos: byte offset in the image, or NO_POS
 * @fmt: details, as printf(3)
 */
void report_problem(struct fsck *f, bool warn, const char *what, u32 ino, u64 pos,
		    const char *fmt, ...) __printf(6, 7);
#define problem(f, ...)	report_problem(f, false, __VA_ARGS__)
#define warning(f, ...)	report_problem(f, true, __VA_ARGS__)
/** problem_err - the same for an error of libdsfs; the object is not checked further */
void problem_err(struct fsck *f, u32 ino, u64 pos, const struct dsfs_err *err, int ret);
int report_init(struct fsck *f);
/** report_end - print the summary; @failed: the run is incomplete because of an error */
void report_end(struct fsck *f, bool failed);
void pass_begin(struct fsck *f, const char *label, u64 total, bool bytes);
void pass_add(struct fsck *f, u64 n);
void pass_end(struct fsck *f);

/** meta_pos - offset in the image of a byte of a region */
static inline u64 meta_pos(const struct fsck *f, int region, u64 off)
{
	return f->geo->regions[region].pos + off;
}

/** inode_pos - offset of the name block with its row; of the root, in the superblock; or NO_POS */
u64 inode_pos(struct fsck *f, u64 ino);

static inline u64 dir_pos(const struct fsck *f, u64 dir)
{
	return meta_pos(f, DSFS_REGION_DIRS, dir * sizeof(struct dsfs_dir));
}

/*
 * The passes, in their order.  Each returns 0, also after problems of the image, or a
 * negative errno if it is incomplete.
 */
int check_slots(struct fsck *f);
int check_blocks(struct fsck *f);
int check_note(struct fsck *f);
int check_inodes(struct fsck *f);
int check_dirs(struct fsck *f);
int check_hardlinks(struct fsck *f);
int check_xattrs(struct fsck *f);
int check_gaps(struct fsck *f);
int check_layout(struct fsck *f);
int check_data(struct fsck *f);
int check_digest(struct fsck *f);

/* inodes.c: the kinds of places */
ref_get get_data, get_set, get_target, get_hardlink;

/* layout.c: make the current generation the later one */
void keep_later(struct fsck *f);
void free_later(struct fsck *f);

/* super.c: whether bytes of a region are zero, as far as they can be read; the rest was said */
bool meta_is_zero(struct fsck *f, int region, u64 from, u64 to);

/* names.c: call a function for each name block that was checked, in that order; 0 or its error */
typedef int block_fn(void *arg, const struct frange *block);
int each_block(struct fsck *f, block_fn *fn, void *arg);

/* xattrs.c: length of a set of xattrs, 0 if it cannot be read */
u32 set_bytes(struct fsck *f, u64 pos);

/* index.c: of a directory with an index, whether its names ascend and are found; says nothing */
bool index_is_whole(struct fsck *f, const struct dsfs_dir_info *dir);
/* index.c: whether the index of a directory has as many entries as the directory has names */
void check_index(struct fsck *f, const struct dsfs_dir_info *dir);
/* index.c: whether the index finds a name of its directory by the hash */
void check_indexed(struct fsck *f, const struct dsfs_dir_info *dir, const struct dsfs_name *name);

/** all_zero - whether all bytes are zero */
static inline bool all_zero(const void *p, size_t len)
{
	const u8 *at = p;

	return !len || (!at[0] && !memcmp(at, at + 1, len - 1));
}

#endif /* FSCK_H */
