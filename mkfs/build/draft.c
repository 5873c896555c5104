// SPDX-License-Identifier: GPL-2.0
/*
 * The draft of a generation.  Files that keep their content were laid out by the parameters of the
 * base image, so those replace the options.
 */
#include "behind.h"
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
		.has_note = o->message || o->digest || o->share.of,
	};
	memcpy(r->draft.uuid, o->uuid, sizeof(o->uuid));
	draft_label(r);
	r->pack = o->pack;
	r->out.boot_signature = true;
	if (r->source) {
		r->source->image_dev = r->out.dev;
		r->source->image_ino = r->out.ino;
	}
}

void draft_of_image(struct run *r)
{
	draft_of_geo(&r->draft, r->base->img.geo);
	if (r->o->object_set)
		r->draft.object_bits = r->o->object_bits;
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
	draft_follow(&r->draft, r->base, &r->out);
	pack_of_image(r, &r->base->note);
	draft_label(r);
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
	version = pack_version(pack->codec);
	note->codec = pack->codec;
	note->codec_level = pack->codec == DSFS_CODEC_ZSTD ? pack->level : 0;
	note->codec_auto = pack->quick;
	note->codec_version = cpu_to_le32(version);
	if (version)
		return 0;
	return msg_fail(-EOPNOTSUPP, NULL, "--compress: this build does not have %s%s",
			pack->codec == DSFS_CODEC_ZSTD ? "zstd" : "lz4",
			pack->given ? "" : ", which the image has: see --compress=none");
}

/* Which share it is, for who joins them */
static void note_share(struct dsfs_note *note, const struct packed_share *share)
{
	char text[32];
	const int bytes = snprintf(text, sizeof(text), "share %u/%u", share->n, share->of);

	memcpy(note->message, text, bytes);
	note->message_bytes = cpu_to_le16(bytes);
}

/* --message and --digest go into the note. */
void draft_note(struct run *r)
{
	const struct options *o = r->o;
	struct draft *d = &r->draft;

	if (o->message)
		note_message(&d->note, o->message);
	if (o->share.of)
		note_share(&d->note, &o->share);
	if (o->digest) {	/* filled in by meta_keep_digest() */
		d->note.digest_kind = DSFS_DIGEST_NONE;
		d->note.digest_bytes = 0;
		memset(d->note.digest, 0, sizeof(d->note.digest));
	}
	d->has_note = d->note.message_bytes || d->note.digest_kind || o->digest;
}
