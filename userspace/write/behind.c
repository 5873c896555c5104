// SPDX-License-Identifier: GPL-2.0
/*
 * A generation of a tree that was changed by itself.  All its data is in the image, so what is
 * written is metadata, behind the end of the image, and the superblocks; see commit.c for what a
 * run that is cut off leaves.
 */
#include "behind.h"
#include "change.h"
#include "extents.h"
#include "memory.h"
#include "msg.h"

/* Programs and libraries, and the window of the target */
#define OTHER_BYTES	((8ULL << 20) + WINDOW_BYTES / 2)

void draft_of_geo(struct draft *d, const struct dsfs_geo *geo)
{
	d->align_bits = geo->align_bits;
	d->chunk_bits = geo->chunk_bits;
	d->small_bits = geo->small_bits;
	d->large_bits = geo->large_bits;
	if (geo->object_bits)
		d->object_bits = geo->object_bits;
	memcpy(d->label, geo->label, sizeof(d->label));
	memcpy(d->uuid, geo->uuid, sizeof(d->uuid));
	d->uuid_set = true;
	d->hash_uuid = false;
}

void draft_follow(struct draft *d, const struct base *base, struct output *out)
{
	const struct dsfs_note *note = &base->note;

	base_tell_note(base);
	draft_of_geo(d, base->img.geo);
	d->note.codec = note->codec;
	d->note.codec_level = note->codec_level;
	d->note.codec_auto = note->codec_auto;
	d->note.codec_version = note->codec_version;
	d->start = base_end(base, d->object_bits);
	d->data_start = base->img.geo->data_start;
	d->number = base->img.geo->generation + 1;
	d->previous = &base_super(base)->raw;
	out->first_slot = !base->img.use;
	out->boot_signature = false;
}

void note_message(struct dsfs_note *note, const char *message)
{
	const size_t bytes = strnlen(message, sizeof(note->message));

	memset(note->message, 0, sizeof(note->message));
	memcpy(note->message, message, bytes);
	note->message_bytes = cpu_to_le16(bytes);
}

int draft_say(struct draft *d, const char *message, u8 digest)
{
	note_message(&d->note, message ?: "");
	d->has_note = d->note.message_bytes || digest;
	return change_time(&d->time);
}

/* Pieces are never changed: who has copies of them goes by their names. */
static int check_pieces(const struct behind *b)
{
	if (b->out.listed && b->asked->digest)
		return msg_fail(-EINVAL, b->out.path, LISTED_NOT, "--digest");
	if (!b->out.listed && b->asked->to)
		return msg_fail(-EINVAL, b->out.path, "no list of pieces: --to is for one");
	if (b->asked->to && strchr(b->asked->to, '/'))
		return msg_fail(-EINVAL, b->asked->to, "--to: a path, expected a name beside %s",
				b->out.path);
	if (!b->out.listed || !b->asked->verb->erase)
		return 0;
	return msg_fail(-EROFS, b->out.path,
			"a list: pieces keep their bytes: use dsfs rm, then dsfs compact to another file and dsfs pieces of that, and delete the old lists and pieces");
}

int change_tree(struct tree *t, const char *path, u64 asked)
{
	const u64 memory = asked ?: memory_for_us() / 2;
	const u64 other = OTHER_BYTES + base_cache(0);

	memory_limit(memory > other ? memory - other : 0);
	return tree_init(t, path, memory) ? no_memory() : 0;
}

int behind_open(struct behind *b, const char *path)
{
	int ret;

	b->out.fd = -1;
	ret = change_tree(&b->tree, path, b->asked->memory) ?: change_open(&b->out, path) ?:
	      base_open(&b->base, path, BASE_ANY, 0) ?: change_check_end(&b->base->img) ?:
	      check_pieces(b) ?: (b->asked->verb->erase ? 0 : change_check_erasing(&b->base->img));
	if (ret)
		return ret;
	b->out.list_name = b->asked->to;
	b->draft.object_bits = b->out.object_bits;
	b->draft.compat = b->base->img.geo->compat & DSFS_COMPAT_ARCHIVES;
	draft_follow(&b->draft, b->base, &b->out);
	return tree_load(&b->tree, b->base, &b->tree.root);
}

/* A small file that crosses a block lies in the data of an archive (G14 in format.rst). */
static int check_inside(const struct behind *b)
{
	u64 end = 0;

	for (size_t i = 0; i < b->extents.n; i++) {
		const u64 start = extent_start(&b->extents, i);
		const u64 last = extent_end(&b->extents, &b->tree, i) - 1;

		if (last < end)
			continue;
		end = last + 1;
		if (last - start >= DSFS_BLOCK_SIZE || !((start ^ last) >> DSFS_BLOCK_BITS))
			continue;
		msg_error(b->out.path, "%s: cannot stay without the archive that it lies in",
			  node_name(extent_node(&b->extents, i)));
		return -EINVAL;
	}
	return 0;
}

int behind_write(struct behind *b, bool removed)
{
	const struct change *c = b->asked;
	struct draft *d = &b->draft;
	int ret = draft_say(d, c->message, c->digest) ?:
		  tree_extents(removed ? &b->extents : NULL, b->base, &b->tree) ?:
		  check_inside(b);

	if (ret)
		return ret;
	b->meta = (struct meta){ .draft = d, .tree = &b->tree, .out = &b->out };
	b->meta.stored = !removed ? b->base->img.geo->stored_bytes :
			 d->compat & DSFS_COMPAT_ARCHIVES ?
			 extents_share_archives(&b->extents, &b->tree) :
			 extents_share(&b->extents, &b->tree);
	/* memory for what is written */
	base_close(b->base);
	if (!(d->compat & DSFS_COMPAT_ERASING))
		array_free(&b->extents);
	return meta_commit(&b->meta, c->digest);
}

void behind_end(struct behind *b, int ret)
{
	if (ret)
		output_abort(&b->out);
	signals_ignore();
	array_free(&b->extents);
	meta_free(&b->meta);
	tree_free(&b->tree);
	base_free(b->base);
	output_free(&b->out);
}
