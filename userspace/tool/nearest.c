// SPDX-License-Identifier: GPL-2.0
/*
 * The name that a mistyped one was meant to be.  Names differ by letters that are missing, that
 * are too many or others, and by neighbours that changed places: the distance of Damerau and
 * Levenshtein, by its restricted form (optimal string alignment).
 */
#include "dsfs_platform.h"
#include "nearest.h"

/* Longer names are not compared. */
#define LENGTH_MAX	31

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, size_t alen, const char *b, size_t blen)
{
	unsigned int d[LENGTH_MAX + 1][LENGTH_MAX + 1], x, y;

	for (x = 0; x <= alen; x++) {
		for (y = 0; y <= blen; y++) {
			if (!x || !y) {
				d[x][y] = x + y;
				continue;
			}
			d[x][y] = least(d[x - 1][y - 1] + (a[x - 1] != b[y - 1]),
					least(d[x - 1][y], d[x][y - 1]) + 1);
			if (x > 1 && y > 1 && a[x - 1] == b[y - 2] && a[x - 2] == b[y - 1])
				d[x][y] = least(d[x][y], d[x - 2][y - 2] + 1);
		}
	}
	return d[alen][blen];
}

void nearest_try(struct nearest *n, const char *name)
{
	const size_t len = strlen(name);
	unsigned int far;

	if (n->len > LENGTH_MAX || len > LENGTH_MAX)
		return;
	far = distance(n->word, n->len, name, len);
	/* More than a third of the letters is another word. */
	if (3 * far > len + 1 || (n->name && far >= n->far))
		return;
	n->name = name;
	n->far = far;
}

const char *nearest_text(const struct nearest *n, const char *prefix)
{
	static char text[32 + LENGTH_MAX];

	if (!n->name)
		return "";
	snprintf(text, sizeof(text), ", did you mean %s%s?", prefix, n->name);
	return text;
}
