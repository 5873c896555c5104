// SPDX-License-Identifier: GPL-2.0
/*
 * Validation of UTF-8: no overlong forms, no surrogates, nothing above
 * U+10FFFF, so that each character has one form.
 */
#include "utf8.h"

size_t utf8_len(const u8 *p, size_t left)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;
	u32 c;

	if (*p < 0x80)
		return 1;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	n = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (n > left)
		return 0;
	c = *p & (0xff >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

size_t utf8_char(const u8 *p, size_t left, bool *plain)
{
	size_t len = utf8_len(p, left);

	*plain = len && !utf8_control(p);
	return len ? len : 1;
}

void utf8_no_controls(char *s, char with)
{
	size_t left = strlen(s), len;
	bool plain;

	for (; left; left -= len, s += len) {
		len = utf8_char((const u8 *)s, left, &plain);
		if (!plain)
			memset(s, with, len);
	}
}
