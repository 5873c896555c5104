// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of the image.  Files that keep their content were laid out by the parameters of the
 * base image, so those replace the defaults.  options.c refuses options that contradict them.
 */
#include "format.h"
#include "options.h"

void params_label(struct params *p, const struct options *o)
{
	if (!o->label)
		return;
	memset(p->label, 0, sizeof(p->label));
	memcpy(p->label, o->label, strlen(o->label));
}

void params_new(struct params *p, const struct options *o, unsigned int object_bits)
{
	p->align_bits = o->align_bits;
	p->chunk_bits = o->chunk_bits;
	p->small_bits = o->small_bits > o->chunk_bits ? o->small_bits : o->chunk_bits;
	p->large_bits = o->large_bits ? o->large_bits : o->chunk_bits;
	p->pack = o->pack;
	p->object_bits = o->object_set ? o->object_bits : object_bits;
	p->compressed = false;
	p->uuid_set = o->uuid_set;
	params_label(p, o);
	memcpy(p->uuid, o->uuid, sizeof(p->uuid));
}

/* What is added is compressed as the image is, as far as it says that. */
static void pack_of_image(struct params *p, const struct options *o, const struct dsfs_note *note)
{
	p->pack = o->pack;
	if (o->pack.given || !note || note->codec > DSFS_CODEC_LZ4)
		return;
	p->pack.codec = note->codec;
	p->pack.quick = note->codec_auto;
	p->pack.level = note->codec_level && note->codec_level <= PACK_LEVEL_MAX ?
			note->codec_level : PACK_LEVEL;
}

void params_of_image(struct params *p, const struct options *o, const struct dsfs_geo *geo,
		     const struct dsfs_note *note, unsigned int object_bits)
{
	p->align_bits = geo->align_bits;
	p->chunk_bits = geo->chunk_bits;
	p->small_bits = geo->small_bits;
	p->large_bits = geo->large_bits;
	pack_of_image(p, o, note);
	p->compressed = geo->incompat & DSFS_INCOMPAT_COMPRESSED;
	if (o->object_set)
		p->object_bits = o->object_bits;
	else
		p->object_bits = geo->object_bits ? geo->object_bits : object_bits;
	memcpy(p->label, geo->label, sizeof(p->label));
	memcpy(p->uuid, geo->uuid, sizeof(p->uuid));
	p->uuid_set = true;
}
