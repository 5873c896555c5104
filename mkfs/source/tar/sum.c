// SPDX-License-Identifier: GPL-2.0
/* The checksum of a header, by which it is known. */
#include "tar.h"
#include "ustar.h"

bool tar_is_zero(const char *p)
{
	return !p[0] && !memcmp(p, p + 1, TAR_BLOCK - 1);
}

/* The same sum of signed bytes: each one above 127 counts 256 less. */
static int signed_sum(const struct ustar *h)
{
	const u8 *p = (const u8 *)h;
	int sum = ustar_sum(h);

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
