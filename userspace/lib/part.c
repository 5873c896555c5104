// SPDX-License-Identifier: GPL-2.0
/*
 * Names of parts.  Where a part lies is said in its name, as its generation or its digest are, so
 * all that takes the name of an image takes that of a part, and no tool needs an option for it.
 */
#include <unistd.h>

#include "part.h"

bool part_number(const char **at, u64 *n)
{
	static const char units[] = "KMGTP";
	const char *unit;
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*n = strtoull(*at, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	*at = end + !!unit;
	for (; unit && unit >= units; unit--)
		if (__builtin_mul_overflow(*n, 1024ULL, n))
			*n = UINT64_MAX;
	return true;
}

size_t part_parse(const char *name, u64 *start, u64 *room)
{
	const char *sign = strrchr(name, '@'), *at = sign ? sign + 1 : NULL;
	u64 from, bytes = 0;

	if (!sign || sign == name || !part_number(&at, &from) || !from)
		return 0;
	if (*at == '+' && (++at, !part_number(&at, &bytes) || !bytes))
		return 0;
	if (*at || from + bytes < from || from + bytes > DSFS_MAX_OFFSET || !access(name, F_OK))
		return 0;
	*start = from;
	*room = bytes;
	return sign - name;
}

int part_open(const char *path, struct image *img, const char **what)
{
	u64 start = 0, room = 0;
	const size_t len = part_parse(path, &start, &room);
	char *target = len ? strndup(path, len) : NULL;
	int ret = len && !target ? -ENOMEM : reader_file(target ?: path, &img->reader, what);

	free(target);
	if (ret)
		return ret;
	/* one that begins behind the end has nothing */
	img->start = start < img->reader->bytes ? start : img->reader->bytes;
	img->bytes = img->reader->bytes - img->start;
	if (room && room < img->bytes)
		img->bytes = room;
	return 0;
}
