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
	p->compressed = o->pack.codec;
	p->object_bits = o->object_set ? o->object_bits : object_bits;
	p->uuid_set = o->uuid_set;
	params_label(p, o);
	memcpy(p->uuid, o->uuid, sizeof(p->uuid));
}

void params_of_image(struct params *p, const struct options *o, const struct dsfs_geo *geo,
		     unsigned int object_bits)
{
	p->align_bits = geo->align_bits;
	p->chunk_bits = geo->chunk_bits;
	p->small_bits = geo->small_bits;
	p->compressed = geo->incompat & DSFS_INCOMPAT_COMPRESSED;
	if (o->object_set)
		p->object_bits = o->object_bits;
	else
		p->object_bits = geo->object_bits ? geo->object_bits : object_bits;
	memcpy(p->label, geo->label, sizeof(p->label));
	memcpy(p->uuid, geo->uuid, sizeof(p->uuid));
	p->uuid_set = true;
}
