// SPDX-License-Identifier: GPL-2.0
/*
 * Parts become one image.  A part is an image by itself, so it is loaded as the base of an update
 * is, and its files keep their data; positions in it grow by where it begins.  One part is open at
 * a time: when its files have their places and checksums, its metadata is not needed any more.
 *
 * A run that is cut off has written nothing that a part needs: the parts are as they were, and the
 * target has no superblock.
 */
#include "behind.h"
#include "extents.h"
#include "join.h"
#include "msg.h"
#include "part.h"

static struct join_part *part_at(const struct join_image *j, size_t i)
{
	return (struct join_part *)j->parts.p + i;
}

int joined_open(struct join_image *j, const char *path, u64 memory, bool force)
{
	const struct target target = {
		.path = path, .force = force, .align_bits = DSFS_BLOCK_BITS, .aligned_by = "parts",
	};
	int ret;

	*j = (struct join_image){
		.out.fd = -1, .parts.size = sizeof(struct join_part),
		.roots.size = sizeof(struct node),
	};
	ret = change_tree(&j->tree, path, memory);
	if (ret)
		return ret;
	overflow_init(&j->loaded, j->tree.overflow->limit);
	j->tree.loaded.overflow = &j->loaded;
	ret = signals_init() ?: output_check_archives(&j->out, &target);
	j->out.narrow = true;
	j->out.guard = "join it, too";
	return ret;
}

/* A part of another target would have its data there. */
static int check_inside(const struct join_image *j, const char *name)
{
	u64 start, room;
	const size_t len = part_parse(name, &start, &room);
	char *path = len ? strndup(name, len) : NULL;
	struct stat a, b;
	bool same = path && !stat(path, &a) && !fstat(j->out.fd, &b) &&
		    (S_ISBLK(a.st_mode) ? a.st_rdev == b.st_rdev :
		     a.st_dev == b.st_dev && a.st_ino == b.st_ino);

	free(path);
	if (same)
		return 0;
	return msg_fail(-EINVAL, name, "is no part of %s, as %s@OFFSET is", j->out.path,
			j->out.path);
}

/* What superblocks say for all files has to be the same. */
static int check_agreed(const struct join_image *j, const struct dsfs_geo *geo, const char *name)
{
	const struct dsfs_geo *first = &j->geo;
	const char *what =
		memcmp(first->uuid, geo->uuid, sizeof(geo->uuid)) ? "UUID" :
		memcmp(first->label, geo->label, sizeof(geo->label)) ? "label" :
		first->align_bits != geo->align_bits ? "alignment" :
		first->object_bits != geo->object_bits ? "size of objects" :
		first->chunk_bits != geo->chunk_bits ? "chunk size" :
		first->small_bits != geo->small_bits ? "chunk size of small files" :
		first->large_bits != geo->large_bits ? "chunk size of large files" : NULL;

	return what ? msg_fail(-EINVAL, name, "%s: is not that of %s", what, j->first) : 0;
}

/* Every file of a part has the codec of that, so the next update of the image has one, too. */
static int take_codec(struct join_image *j, const struct base *base, const char *name)
{
	struct dsfs_note *note = &j->draft.note;

	if (!base->note.codec)
		return 0;
	if (note->codec && (note->codec != base->note.codec ||
			    note->codec_level != base->note.codec_level ||
			    note->codec_auto != base->note.codec_auto))
		return msg_fail(-EINVAL, name, "codec: is not that of the parts before");
	note->codec = base->note.codec;
	note->codec_level = base->note.codec_level;
	note->codec_auto = base->note.codec_auto;
	if (le32_to_cpu(note->codec_version) < le32_to_cpu(base->note.codec_version))
		note->codec_version = base->note.codec_version;
	return 0;
}

static int load_tree(struct join_image *j, struct base *base)
{
	struct node *root = array_add(&j->roots);
	int ret;

	if (!root)
		return no_memory();
	base->shift = base->img.start;
	base->number = j->parts.n;
	j->stored += base->img.geo->stored_bytes;
	ret = tree_load(&j->tree, base, root);
	j->tree.root_dir = root->u.dir;
	return ret ?: tree_order(&j->tree) ?: tree_extents(NULL, base, &j->tree);
}

static int add_part(struct join_image *j, const char *name, struct base *base)
{
	const struct dsfs_geo *geo = base->img.geo;
	struct join_part *p = array_add(&j->parts);

	if (!p)
		return no_memory();
	*p = (struct join_part){
		.name = name, .start = base->img.start, .end = base->img.start + geo->image_bytes,
	};
	if (!j->first) {
		j->first = name;
		j->geo = *geo;
	}
	if (sscanf((const char *)base->note.message, "share %u/%u", &p->share, &p->shares) != 2)
		p->shares = 0;
	if (geo->generation >= j->draft.number)
		j->draft.number = geo->generation + 1;
	return check_agreed(j, geo, name) ?: take_codec(j, base, name) ?:
	       change_check_erasing(&base->img) ?: load_tree(j, base);
}

/* Put the tree of the last part below a folder, which is as its root is. */
static int put_below(struct join_image *j, const char *part, const char *name)
{
	struct arena *a = &j->tree.arena;
	struct node *root = (struct node *)j->roots.p + j->roots.n - 1;
	struct node *n = arena_zalloc(a, sizeof(*n));

	if (!dsfs_name_valid(name, strlen(name)))
		return msg_fail(-EINVAL, part, "=%s: is no name of a folder", name);
	if (n)
		*n = *root;
	if (!n || node_set_name(a, n, name, strlen(name)) || !node_new_dir(a, root, NULL))
		return no_memory();
	node_set_dir(n, n->u.dir, root->u.dir);
	root->u.dir->nodes = n;
	root->u.dir->count = 1;
	return 0;
}

/* @name: maybe with =FOLDER behind it, which goes */
static int open_part(struct join_image *j, char *name)
{
	u64 start, room;
	char *folder = part_parse(name, &start, &room) ? NULL : strrchr(name, '=');
	struct base *base = NULL;
	int ret;

	if (folder)
		*folder++ = '\0';
	ret = check_inside(j, name) ?: base_open(&base, name, BASE_PLAIN, 0) ?:
	      add_part(j, name, base) ?: (folder ? put_below(j, name, folder) : 0);
	base_free(base);
	return ret;
}

static int part_cmp(const void *a, const void *b)
{
	const struct join_part *x = a, *y = b;

	return array_order(x->start, y->start);
}

static int share_cmp(const void *a, const void *b)
{
	const struct join_part *x = a, *y = b;

	return array_order(x->shares, y->shares) ?: array_order(x->share, y->share);
}

/* Shares of a source are all of them: who forgets one would not notice what lacks. */
static int check_shares(const struct join_image *j)
{
	const u32 shares = part_at(j, j->parts.n - 1)->shares;

	for (u32 i = 0; shares && i < shares; i++) {
		const struct join_part *p = i < j->parts.n ? part_at(j, i) : NULL;

		if (p && p->shares != shares)
			return msg_fail(-EINVAL, p->name, "is no share of %u, as %s is", shares,
					part_at(j, j->parts.n - 1)->name);
		if (!p || p->share > i + 1)
			return msg_fail(-EINVAL, j->out.path, "share %u of %u is missing", i + 1,
					shares);
		if (p->share <= i)
			return msg_fail(-EINVAL, p->name, "share %u of %u: %s has it, too",
					p->share, shares, part_at(j, i - 1)->name);
	}
	if (!shares || j->parts.n == shares)
		return 0;
	return msg_fail(-EINVAL, part_at(j, shares)->name, "share %u of %u: it is there twice",
			part_at(j, shares)->share, shares);
}

static int check_ranges(struct join_image *j)
{
	for (size_t i = 1; i < j->parts.n; i++) {
		const struct join_part *p = part_at(j, i);

		if (p->start < p[-1].end)
			return msg_fail(-EINVAL, p->name, "begins before the end of %s: byte %llu",
					p[-1].name, p[-1].end);
	}
	return 0;
}

static int load_parts(struct join_image *j, char *const *parts)
{
	const char **names;
	int ret = 0;

	j->draft.number = 2;
	for (size_t i = 0; !ret && parts[i]; i++)
		ret = open_part(j, parts[i]);
	names = ret ? NULL : calloc(j->parts.n, sizeof(*names));
	if (!names)
		return ret ? ret : no_memory();
	for (size_t i = 0; i < j->parts.n; i++)
		names[i] = part_at(j, i)->name;
	array_sort(&j->parts, share_cmp);
	ret = check_shares(j);
	array_sort(&j->parts, part_cmp);
	ret = ret ?: check_ranges(j) ?:
	      tree_join(&j->tree, (const struct node *)j->roots.p, names, j->parts.n);
	free(names);
	return ret;
}

static int decide(struct join_image *j, const struct change *c)
{
	const u64 end = part_at(j, j->parts.n - 1)->end, mask = DSFS_BLOCK_SIZE - 1;
	struct draft *d = &j->draft;

	draft_of_geo(d, &j->geo);
	d->start = (end + mask) & ~mask;
	d->data_start = DSFS_DATA_START_MIN;
	j->out.boot_signature = true;
	j->meta = (struct meta){
		.draft = d, .tree = &j->tree, .out = &j->out, .stored = j->stored,
	};
	return draft_say(d, c->message, c->digest);
}

int joined_make(struct join_image *j, char *const *parts, const struct change *c)
{
	const int ret = load_parts(j, parts);

	/* the tree has copies of these nodes */
	arena_free(&j->tree.loaded);
	overflow_free(&j->loaded);
	return ret ?: decide(j, c) ?: meta_commit(&j->meta, c->digest);
}

void joined_end(struct join_image *j, int ret)
{
	if (ret)
		output_abort(&j->out);
	signals_ignore();
	meta_free(&j->meta);
	tree_free(&j->tree);
	array_free(&j->parts);
	array_free(&j->roots);
	output_free(&j->out);
}
