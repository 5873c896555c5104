// SPDX-License-Identifier: GPL-2.0
/* Numbers in fields of headers: octal, or binary where there is no room for that. */
#include "tar.h"

/* A number of GNU tar that has no room in octal: the bits, most significant first. */
static bool parse_binary(const char *field, size_t len, s64 *v)
{
	const u8 *p = (const u8 *)field;
	u64 n = p[0] & 0x40 ? UINT64_MAX : 0, sign = n;

	for (size_t i = 0; i < len; i++) {
		u8 byte = i ? p[i] : (p[0] & 0x7f) | (sign & 0x80);

		if (n >> 55 != sign >> 55)
			return false;
		n = n << 8 | byte;
	}
	*v = n;
	return true;
}

bool tar_parse_number(const char *field, size_t len, s64 *v)
{
	size_t i = 0;
	u64 n = 0;

	if (*field & 0x80)
		return parse_binary(field, len, v);
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		n = n << 3 | (field[i] - '0');
	*v = n;
	return i == len || !field[i] || field[i] == ' ';
}

int tar_number(struct tar *t, const char *what, const char *field, size_t len, u64 max, u64 *n)
{
	s64 v;

	if (!tar_parse_number(field, len, &v))
		return tar_fail(t, "%s: not a number", what);
	if (v < 0)
		return tar_fail(t, "%s: %lld: is negative", what, v);
	*n = v;
	return *n > max ? tar_fail(t, "%s: %lld: the limit is %llu", what, v, max) : 0;
}
