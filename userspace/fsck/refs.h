/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What inodes refer to by place, in the order of places, in a bounded amount of memory.
 *
 * A pass over the inodes counts the places of a kind and keeps a sample of them.  Later
 * passes read the inodes again and get the places in order, a share at a time.
 */
#ifndef FSCK_REFS_H
#define FSCK_REFS_H

#include "array.h"
#include "image.h"

/* A bit an inode: memory comes with the bits that are set. */
#define BITS_WORD	64

struct bits {
	u64 *word;
};

/** bits_init - @n bits, all clear; 0 or -ENOMEM */
static inline int bits_init(struct bits *b, u64 n)
{
	b->word = calloc(n / BITS_WORD + 1, sizeof(*b->word));
	return b->word ? 0 : -ENOMEM;
}

static inline void bits_set(struct bits *b, u32 i)
{
	b->word[i / BITS_WORD] |= 1ULL << i % BITS_WORD;
}

static inline bool bits_test(const struct bits *b, u32 i)
{
	return b->word[i / BITS_WORD] >> i % BITS_WORD & 1;
}

static inline void bits_free(struct bits *b)
{
	free(b->word);
	b->word = NULL;
}

/**
 * struct ref - what an inode refers to
 * @pos: the data of a file: in the image; an xattr set or a target: in its region; a
 *	hard-link entry: the number of its inode
 * @len: bytes; 0 of a set and a hard-link entry
 * @flag: the flag DSFS_INODE_SHARED of a file, DSFS_INODE_ACL of an inode with a set
 * @inside: the data lies in that of another file, an archive
 * @known: the data was checked with a later generation
 * @ino: number of the inode
 * @sum: of a file: as struct dsfs_rows, 0 if there is none
 */
struct ref {
	u64 pos;
	u64 len : 60;
	u64 flag : 1;
	u64 inside : 1;
	u64 known : 1;
	u32 ino;
	u32 sum;
};

/**
 * ref_get - the place of a kind that an inode refers to
 * @attr: the inode, or the hard-link entry
 * @p: zero, but for @ino
 *
 * Return: whether it has one.
 */
typedef bool ref_get(struct dsfs_source *src, const struct dsfs_attr *attr, struct ref *p);

/**
 * struct refs - the places of a kind
 * @get: the kind
 * @sums: their inodes have checksums
 * @n: how many there are
 * @groups: struct group: where those of so many inodes lie
 * @sample: struct ref: some of them
 * @left_out: u32: inodes that have one which was not added, as something is wrong with it
 */
struct refs {
	ref_get *get;
	bool sums;
	u64 n;
	struct array groups;
	struct array sample;
	struct array left_out;
};

void refs_init(struct refs *of, ref_get *get);
/** refs_add - add a place; of a higher inode than the last one; 0 or -ENOMEM */
int refs_add(struct refs *of, const struct ref *p);
/** refs_leave_out - an inode, higher than the last one, has a place that counts for nothing */
int refs_leave_out(struct refs *of, u32 ino);
void refs_free(struct refs *of);

/** ref_same - whether two inodes refer to the same place */
static inline bool ref_same(const struct ref *a, const struct ref *b)
{
	return a->pos == b->pos && a->len == b->len;
}

/**
 * struct share - a walk over the places of a kind in their order
 * @src: the generation
 * @skip: inodes that are left out, or NULL
 * @at: struct ref: the current share
 * @next: number of the next share, below @shares
 */
struct share {
	const struct refs *of;
	struct dsfs_source *src;
	const struct bits *skip;
	struct array at;
	u64 next;
	u64 shares;
};

void share_begin(struct share *s, struct refs *of, struct dsfs_source *src);
/** share_next - go on to the next share, which may be empty; 1, 0: there is none, or -ENOMEM */
int share_next(struct share *s);
void share_end(struct share *s);

static inline bool share_is_last(const struct share *s)
{
	return s->next == s->shares;
}

static inline struct ref *share_at(const struct share *s, size_t i)
{
	return (struct ref *)s->at.p + i;
}

typedef int ref_fn(void *arg, const struct ref *p);

/** refs_each - call a function for all places in their order, until asked to stop; 0 or -errno */
int refs_each(struct refs *of, struct dsfs_source *src, ref_fn *fn, void *arg);

/**
 * refs_same - all that refer to the same place, in the order of inodes
 * @s: gets them as its share
 *
 * Return: 0 or -ENOMEM.
 */
int refs_same(struct share *s, const struct ref *p);

#endif /* FSCK_REFS_H */
