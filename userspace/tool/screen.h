/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text for a terminal of 80 columns: bars, names that are cut, items that go on in the next line.
 */
#ifndef DSFS_SCREEN_H
#define DSFS_SCREEN_H

#include "dsfs_platform.h"

#define SCREEN_COLUMNS	80

/**
 * screen_bar - draw a bar as long as the part that @n has of @most
 * @columns: of the longest bar, 40 at most; what is more than nothing has one at least
 *
 * The bar is green where @out is a terminal that wants colours.
 */
void screen_bar(FILE *out, double n, double most, unsigned int columns);

/**
 * screen_tail - the end of a name that is too long, after "..."
 * @buf: the name, which is cut in place to @columns bytes; a byte is a column or less
 *
 * Return: @buf.
 */
char *screen_tail(char *buf, unsigned int columns);

/**
 * struct screen_line - items of a line, with commas between them
 * @indent: where a line begins that takes what the one before has no room for
 * @column: where the next item begins
 * @items: how many there are
 */
struct screen_line {
	FILE *out;
	unsigned int indent;
	unsigned int column;
	unsigned int items;
};

/** screen_begin - begin a line with a title of @indent columns */
void screen_begin(struct screen_line *l, FILE *out, unsigned int indent, const char *title);

/** screen_item - add an item; one that is longer than a line is not cut, and has one for itself */
__printf(2, 3)
void screen_item(struct screen_line *l, const char *fmt, ...);

#endif /* DSFS_SCREEN_H */
