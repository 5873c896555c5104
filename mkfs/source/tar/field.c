// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers in fields of headers, octal, or binary where there is no room for that; and the checksum
 * of a header, by which it is known.
 */
#include "tar.h"
#include "ustar.h"

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

bool tar_is_zero(const char *p)
{
	return !p[0] && !memcmp(p, p + 1, TAR_BLOCK - 1);
}

/* The same sum of signed bytes: each one above 127 counts 256 less. */
static int signed_sum(const struct ustar *h)
{
	const u8 *p = (const u8 *)h;
	unsigned int sum = ustar_sum(h);

	for (size_t i = 0; i < sizeof(*h); i++) {
		if (p[i] & 0x80 && (i < offsetof(struct ustar, sum) ||
				    i >= offsetof(struct ustar, type)))
			sum -= 256;
	}
	return sum;
}

/* Some programs have added signed bytes. */
static bool sum_matches(const struct ustar *h)
{
	s64 want;

	return tar_parse_number(h->sum, sizeof(h->sum), &want) &&
	       (want == ustar_sum(h) || want == signed_sum(h));
}

bool tar_is_header(const char *block)
{
	return !tar_is_zero(block) && sum_matches((const struct ustar *)block);
}
