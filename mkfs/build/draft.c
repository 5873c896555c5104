// SPDX-License-Identifier: GPL-2.0
/*
 * The draft of a generation.  Files that keep their content were laid out by the parameters of the
 * base image, so those replace the options.
 */
#include "build.h"
#include "format.h"
#include "msg.h"

void draft_label(struct run *r)
{
	const char *label = r->o->label;

	if (!label)
		return;
	memset(r->draft.label, 0, sizeof(r->draft.label));
	memcpy(r->draft.label, label, strlen(label));
}

void draft_new(struct run *r)
{
	const struct options *o = r->o;

	r->draft = (struct draft){
		.align_bits = o->align_bits,
		.chunk_bits = o->chunk_bits,
		.small_bits = o->small_bits > o->chunk_bits ? o->small_bits : o->chunk_bits,
		.large_bits = o->large_bits ? o->large_bits : o->chunk_bits,
		.object_bits = o->object_set ? o->object_bits : r->out.object_bits,
		.no_dedup = o->no_dedup,
		.uuid_set = o->uuid_set,
		.hash_uuid = o->epoch && !o->uuid_set,
		.start = DSFS_DATA_START_MIN,
		.data_start = DSFS_DATA_START_MIN,
		.number = 1,
		.has_note = o->message || o->digest,
	};
	memcpy(r->draft.uuid, o->uuid, sizeof(o->uuid));
	draft_label(r);
	r->pack = o->pack;
	r->out.boot_signature = true;
	r->source->image_dev = r->out.dev;
	r->source->image_ino = r->out.ino;
}

void draft_of_image(struct run *r)
{
	const struct dsfs_geo *geo = r->base->img.geo;
	struct draft *d = &r->draft;

	d->align_bits = geo->align_bits;
	d->chunk_bits = geo->chunk_bits;
	d->small_bits = geo->small_bits;
	d->large_bits = geo->large_bits;
	d->compressed = geo->incompat & DSFS_INCOMPAT_COMPRESSED;
	if (!r->o->object_set && geo->object_bits)
		d->object_bits = geo->object_bits;
	memcpy(d->label, geo->label, sizeof(d->label));
	memcpy(d->uuid, geo->uuid, sizeof(d->uuid));
	d->uuid_set = true;
	d->hash_uuid = false;
}

/* What is added is compressed as the image is, as far as it says that. */
static void pack_of_image(struct run *r, const struct dsfs_note *note)
{
	if (r->pack.given || note->codec > DSFS_CODEC_LZ4)
		return;
	r->pack.codec = note->codec;
	r->pack.quick = note->codec_auto;
	r->pack.level = note->codec_level && note->codec_level <= PACK_LEVEL_MAX ?
			note->codec_level : PACK_LEVEL;
}

void draft_behind(struct run *r)
{
	const struct dsfs_geo *geo = r->base->img.geo;
	const struct dsfs_note *note = &r->base->note;
	struct draft *d = &r->draft;

	base_tell_note(r->base);
	draft_of_image(r);
	pack_of_image(r, note);
	d->note.codec = note->codec;
	d->note.codec_level = note->codec_level;
	d->note.codec_auto = note->codec_auto;
	d->note.codec_version = note->codec_version;
	draft_label(r);
	d->data_start = geo->data_start;
	d->number = geo->generation + 1;
	d->previous = &base_super(r->base)->raw;
	r->out.first_slot = !r->base->img.use;
	r->out.boot_signature = false;
}

/* A codec whose library this build lacks could be neither written nor read. */
int draft_codec(struct run *r)
{
	const struct pack_rules *pack = &r->pack;
	struct dsfs_note *note = &r->draft.note;
	u32 version;

	if (!pack->codec)
		return 0;
	r->draft.packs = true;
	r->draft.compressed = true;
	version = pack_version(pack->codec);
	note->codec = pack->codec;
	note->codec_level = pack->codec == DSFS_CODEC_ZSTD ? pack->level : 0;
	note->codec_auto = pack->quick;
	note->codec_version = cpu_to_le32(version);
	if (version)
		return 0;
	msg_error(NULL, "--compress: this build does not have %s%s",
		  pack->codec == DSFS_CODEC_ZSTD ? "zstd" : "lz4",
		  pack->given ? "" : ", which the image has: see --compress=none");
	return -EOPNOTSUPP;
}

/* --message and --digest go into the note. */
void draft_note(struct run *r)
{
	const struct options *o = r->o;
	struct draft *d = &r->draft;

	if (o->message) {
		memset(d->note.message, 0, sizeof(d->note.message));
		memcpy(d->note.message, o->message, strlen(o->message));
		d->note.message_bytes = cpu_to_le16(strlen(o->message));
	}
	if (o->digest) {	/* filled in by meta_keep_digest() */
		d->note.digest_kind = DSFS_DIGEST_NONE;
		d->note.digest_bytes = 0;
		memset(d->note.digest, 0, sizeof(d->note.digest));
	}
	d->has_note = d->note.message_bytes || d->note.digest_kind || o->digest;
}
