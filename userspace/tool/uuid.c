// SPDX-License-Identifier: GPL-2.0
/* UUIDs on command lines: a file of its own, as not every command is linked with libuuid. */
#include <uuid/uuid.h>

#include "args.h"

int arg_uuid(const struct arg *a, void *o, const char *value)
{
	u8 *uuid = (u8 *)o + a->to;

	if (!strcmp(value, "random"))
		uuid_generate_random(uuid);
	else if (!strcmp(value, "clear"))
		uuid_clear(uuid);
	else if (uuid_parse(value, uuid))
		return arg_wrong(a, value, "not a UUID, random or clear");
	return 0;
}
