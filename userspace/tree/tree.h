/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree as it will be in the image.  No I/O here, so that planning can be tested without files.
 *
 * A data set has tens of millions of files: what is kept a file decides whether it can be packed at
 * all.  A node has 56 bytes, its name length + 2; both come from arenas.  The nodes of a directory
 * lie together in name order, so a node's inode number is its directory's first plus its position
 * and is stored nowhere.
 */
#ifndef DSFS_TREE_H
#define DSFS_TREE_H

#include "arena.h"
#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"
#include "spool.h"
#include "xsets.h"

struct dir;
struct hlink;
struct symlink;

/* node.flags */
#define NODE_LINK	0x0001	/* file with several names: u.link */
#define NODE_HARDLINK	0x0002	/* hard-link entry: not the first name in the order of inodes */
#define NODE_WANTED	0x0004	/* of a subset: it stays, and all below it */
#define NODE_SHARED	0x0008	/* a block of its data holds another file's */
#define NODE_ACL	0x0010
#define NODE_GONE	0x0020	/* left out: unreadable, or the image itself */
#define NODE_QUEUED	0x0040	/* already in the order of data */
#define NODE_ABOVE	0x0080	/* of a subset: a directory above what stays */
#define NODE_LEFT	0x0100	/* an edit: not in the tree, but its content is stored */
#define NODE_AWAY	(NODE_GONE | NODE_LEFT)
#define NODE_NO_TIME	0x0200	/* its mtime does not tell whether it has changed */
#define NODE_KEPT	0x0400	/* an update: its content is in the image already */
#define NODE_PACKED	0x1000	/* compressed */
#define NODE_FOUND	0x0800	/* an update: it is there under another name */
#define NODE_PLACED	0x2000	/* with NODE_KEPT: it has its position and its checksum, not @old */

/**
 * union node_data - what a node's type needs; the type alone says which it is
 * @start: regular file: byte offset of its stored bytes in the image; 0: none yet
 * @symlink: symlink
 * @dir: directory
 * @link: any type but a directory, with NODE_LINK: the rest is in there
 * @own: what a source has of the name, as long as it makes the tree
 */
union node_data {
	u64 start;
	struct symlink *symlink;
	struct dir *dir;
	struct hlink *link;
	void *own;
};

/**
 * struct node - a name in a directory
 * @name: length byte, name, NUL
 * @size: bytes (file, symlink); major << 20 | minor (device)
 * @source: a number by which the source knows the file again
 * @owner: number in the owner table
 * @xattrs: number of the xattr set; 0: none
 * @sparse: number of the record of a file with holes plus one, or with NODE_PACKED of a compressed
 *	one; 0: none
 * @sum: as struct dsfs_rows
 * @old: up to tree_extents() with a base image: of a file that has no @sum yet the inode there
 *	whose content it may have, or has; of a directory the one of the same path; 0: none
 */
struct node {
	char *name;
	u64 size;
	s64 mtime;
	union node_data u;
	u32 source;
	u32 owner;
	u32 xattrs;
	u32 sparse;
	union {
		u32 sum;
		u32 old;
	};
	u16 mode;
	u16 flags;
};

/**
 * struct hlink - a file with several names
 * @first, @dir: its first name in numbering order
 * @next: the records that its other names were scanned with, each with that
 *	name as @first, in no order; for reading, up to tree_prune()
 * @names: in the image
 * @number: inode number of @first, given by the layout
 */
struct hlink {
	u64 dev;
	u64 ino;
	union node_data data;
	struct node *first;
	struct dir *dir;
	struct hlink *next;
	u32 names;
	u32 number;
	bool gone;
};

/**
 * struct symlink - where a symlink leads
 * @start: of the target in SYMLINKS
 * @target: node.size bytes
 */
struct symlink {
	u64 start;
	char target[];
};

/**
 * struct dir - a directory
 * @self: its node; NULL for none yet
 * @nodes: @count of them, sorted
 * @subdirs: directories among them
 * @left_out: nodes that tree_prune() took out
 * @ino, @first: inode numbers, its own and its first node's, given by the layout
 * @names, @name_blocks: place in NAMES, given by the layout
 * @first_bucket, @buckets, @slot_bits, @block_bits: its index, once it is built
 * @slot: of the source's descriptor cache; -1: not open
 * @told: a message has said that it is not what was listed
 */
struct dir {
	struct dir *parent;
	struct node *self;
	struct node *nodes;
	u64 names;
	u64 first_bucket;
	u32 count;
	u32 first;
	u32 ino;
	u32 subdirs;
	u32 left_out;
	u32 name_blocks;
	u32 buckets;
	int slot;
	u8 slot_bits;
	u8 block_bits;
	bool told;
};

/*
 * A range of zeros this long becomes a hole.  A hole costs an inode extra record
 * and an extent record (80 bytes), and a reader one request more around it; below
 * a typical request's worth of data nothing is gained.
 */
#define HOLE_MIN	(64 << 10)

/* Extents of a file with holes */
struct sparse {
	u64 stored;
	u64 first_extent;
	u32 extents;
};

/**
 * struct packed - a compressed file
 * @units: index in UNITS of the end of its first frame
 */
struct packed {
	u32 stored;
	u32 units;
	u8 codec;
};

/**
 * struct tree - all of it
 * @source: path of the source, for messages
 * @overflow: where arenas have what exceeds its limit
 * @dir_arena: directories of paths, and their names: all of them are looked at without their nodes,
 *	and one between nodes would bring these to memory, too
 * @loaded: nodes up to tree_join(), which copies them; without an overflow they are in @arena
 * @dirs: breadth first, after tree_order(): index = DIRS record
 * @sparse: struct sparse
 * @packed: struct packed
 * @extents, @chunks, @units: EXTENTS, CHUNKSUMS and UNITS
 * @inodes: records, record 0 counted
 */
struct tree {
	const char *source;
	struct overflow *overflow;
	struct arena arena;
	struct arena dir_arena;
	struct arena loaded;
	struct node root;
	struct dir *root_dir;
	struct dir **dirs;
	struct array sparse;
	struct array packed;
	struct spool extents;
	struct spool chunks;
	struct spool units;
	struct owners owners;
	struct xsets xsets;
	u64 ndirs;
	u64 inodes;
	u64 gone;
};

static inline const char *node_name(const struct node *n)
{
	return n->name + 1;
}

static inline unsigned int node_len(const struct node *n)
{
	return (u8)n->name[0];
}

static inline union node_data *node_data(struct node *n)
{
	return n->flags & NODE_LINK ? &n->u.link->data : &n->u;
}

/* Order of nodes by name, for qsort(), too. */
int node_cmp(const void *a, const void *b);

/* Set the name of a node.  Return: 0 or -ENOMEM. */
int node_set_name(struct arena *a, struct node *n, const char *name, size_t len);

/* Make a node the directory @d, of zeros, below @parent. */
void node_set_dir(struct node *n, struct dir *d, struct dir *parent);
/* Make a node a directory below @parent, or a file with several names. */
struct dir *node_new_dir(struct arena *a, struct node *n, struct dir *parent);
struct hlink *node_new_link(struct arena *a, struct node *n);
/* Give a node what another one has, but for its name and the source's number. */
void node_copy(struct node *n, const struct node *from);
/* Make a node one more name of a file.  Return: 0 or -ENOMEM. */
int node_join(struct tree *t, struct node *n, struct node *file);
/* Set the target of a symlink.  Return: 0 or -ENOMEM. */
int node_set_target(struct arena *a, struct node *n, const char *target, size_t len);

/* Whether the content of a file has to be read. */
static inline bool node_is_data(const struct node *n)
{
	return S_ISREG(n->mode) && !(n->flags & (NODE_HARDLINK | NODE_KEPT | NODE_GONE)) &&
	       n->size;
}

static inline const struct sparse *node_sparse(const struct tree *t, const struct node *n)
{
	if (!n->sparse || n->flags & NODE_PACKED)
		return NULL;
	return (const struct sparse *)t->sparse.p + n->sparse - 1;
}

static inline const struct packed *node_packed(const struct tree *t, const struct node *n)
{
	if (!(n->flags & NODE_PACKED))
		return NULL;
	return (const struct packed *)t->packed.p + n->sparse - 1;
}

/* Number of units of a compressed file of @size bytes */
static inline u64 packed_units(u64 size)
{
	return (size + DSFS_UNIT_SIZE - 1) >> DSFS_UNIT_BITS;
}

/* Number of stored bytes of a regular file. */
static inline u64 node_stored(const struct tree *t, const struct node *n)
{
	const struct packed *p = node_packed(t, n);
	const struct sparse *s = node_sparse(t, n);

	if (p)
		return p->stored;
	return s ? s->stored : n->size;
}

/*
 * contents.c, for files that are stored.  Messages are written, but for -ENOMEM.  Return: 0 or
 * -errno.
 *
 * Say that a file has holes: the caller adds its @extents records to t->extents next.
 */
int tree_add_holes(struct tree *t, struct node *n, u64 stored, u32 extents);
/*
 * Say that a file is compressed, to @units units: the caller adds their ends to t->units next, if
 * there are several.
 */
int tree_add_packed(struct tree *t, struct node *n, const struct packed *packed, u64 units);
/*
 * Give a compressed file the ends of another one that stores the same bytes, if its own are the
 * last in t->units, and the same.
 */
int tree_share_units(struct tree *t, struct node *n, const struct node *of);
/* Add checksums of chunks to CHUNKSUMS. */
int tree_add_sums(struct tree *t, const u32 *sums, u32 count);
/* Give a file its checksums: a single one is in the node. */
int tree_set_sums(struct tree *t, struct node *n, const u32 *sums, u32 count);

u32 dir_nlink(const struct dir *dir);

/**
 * tree_path - make the path of a node for a message
 * @dir: the node's directory
 * @node: NULL for the directory itself
 * @below: leave out the path of the source; "" for the source itself
 *
 * Return: malloc'ed; NULL without memory.
 */
char *tree_path(const struct tree *t, const struct dir *dir, const struct node *node, bool below);

/* A node of a directory by its name; NULL: there is none. */
struct node *dir_find(const struct dir *dir, const char *name, size_t len);

/* Move @at to the next name of a path.  Return: its length; 0 at the end. */
size_t path_next(const char **at);

/**
 * tree_find - find a node by its path below the source
 * @dir: set to its directory
 *
 * Return: the node or NULL; the source itself is not found.
 */
struct node *tree_find(const struct tree *t, const char *path, struct dir **dir);

/* A directory and its nodes are used, in an order; those before it are not used soon. */
void tree_pass(const struct tree *t, const struct dir *d);

/*
 * Take out all nodes marked NODE_AWAY.  Pointers to nodes are void then, and the
 * order, up to the next tree_order().
 */
int tree_prune(struct tree *t);

/**
 * tree_order - put the directories into the order of the image, breadth first
 *
 * Inodes have the order of their names in these directories.  Resolves hard links: the first name
 * in this order is the inode.  Must be called again after tree_prune().
 *
 * Messages are written.  Return: 0, -ENOMEM, -EFBIG for more than DSFS_MAX_INODES.
 */
int tree_order(struct tree *t);

/*
 * Directory @i in the order of the image.  Who goes through all of them, and through the nodes of
 * each, uses this: those before it leave memory if they are in the overflow.
 */
struct dir *tree_dir(const struct tree *t, u64 i);

/**
 * struct tree_walk - a walk over the nodes of an ordered tree, in the order of inodes
 * @dir: of the node of the last tree_next()
 * @next_dir, @next: what comes next; 0 to begin
 */
struct tree_walk {
	struct dir *dir;
	u64 next_dir;
	u32 next;
};

/* The next node; NULL at the end.  The root is in no directory, so it is none of them. */
struct node *tree_next(const struct tree *t, struct tree_walk *walk);

/*
 * Make an empty tree with a root.
 * @memory: bytes that the arenas have in memory; others are in a temporary file
 *
 * Return: 0 or -ENOMEM.
 */
int tree_init(struct tree *t, const char *source, u64 memory);
void tree_free(struct tree *t);

#endif /* DSFS_TREE_H */
