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
	p->pack = o->pack;
	p->packed = (struct codec){ .any = false };
	p->object_bits = o->object_set ? o->object_bits : object_bits;
	p->uuid_set = o->uuid_set;
	params_label(p, o);
	memcpy(p->uuid, o->uuid, sizeof(p->uuid));
}

/* What is added is compressed as the image is, as far as it says that. */
static void pack_of_image(struct params *p, const struct options *o, const struct dsfs_geo *geo)
{
	p->packed = (struct codec){
		.any = geo->incompat & DSFS_INCOMPAT_COMPRESSED,
		.codec = geo->codec, .level = geo->codec_level, .quick = geo->codec_auto,
		.version = geo->codec_version,
	};
	p->pack = o->pack;
	if (o->pack.given || geo->codec > DSFS_CODEC_LZ4)
		return;
	p->pack.codec = geo->codec;
	p->pack.quick = geo->codec_auto;
	p->pack.level = geo->codec_level && geo->codec_level <= PACK_LEVEL_MAX ?
			geo->codec_level : PACK_LEVEL;
}

void params_of_image(struct params *p, const struct options *o, const struct dsfs_geo *geo,
		     unsigned int object_bits)
{
	p->align_bits = geo->align_bits;
	p->chunk_bits = geo->chunk_bits;
	p->small_bits = geo->small_bits;
	pack_of_image(p, o, geo);
	if (o->object_set)
		p->object_bits = o->object_bits;
	else
		p->object_bits = geo->object_bits ? geo->object_bits : object_bits;
	memcpy(p->label, geo->label, sizeof(p->label));
	memcpy(p->uuid, geo->uuid, sizeof(p->uuid));
	p->uuid_set = true;
}
