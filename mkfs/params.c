// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of the image.  Files that keep their content were laid out by the
 * parameters of the base image, so those replace the defaults.  options.c
 * refuses options that contradict them.
 */
#include "format.h"
#include "options.h"
#include "params.h"

static void take_base(struct params *p, const struct options *o,
		      const struct dsfs_geo *base)
{
	p->align_bits = base->align_bits;
	p->chunk_bits = base->chunk_bits;
	if (!o->object_set && base->object_bits)
		p->object_bits = base->object_bits;
	if (!o->label_set)
		memcpy(p->label, base->label, sizeof(p->label));
	memcpy(p->uuid, base->uuid, sizeof(p->uuid));
	p->uuid_set = true;
}

void params_decide(struct params *p, const struct options *o,
		   const struct dsfs_geo *base, unsigned int object_bits)
{
	p->align_bits = o->align_bits;
	p->chunk_bits = o->chunk_bits;
	p->object_bits = o->object_set ? o->object_bits : object_bits;
	p->uuid_set = o->uuid_set;
	memcpy(p->label, o->label, sizeof(p->label));
	memcpy(p->uuid, o->uuid, sizeof(p->uuid));
	if (base)
		take_base(p, o, base);
}
