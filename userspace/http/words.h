/* SPDX-License-Identifier: GPL-2.0 */
/* Words of a line as a shell splits it, without its expansions. */
#ifndef HTTP_WORDS_H
#define HTTP_WORDS_H

#include <stddef.h>

/**
 * words_split - split a line at blanks, but not in quotes
 * @words: filled in, ends with NULL; one allocation, to be freed
 *
 * Return: number of words; -EINVAL: a quote without an end; -ENOMEM.
 */
int words_split(const char *line, char ***words);

#endif /* HTTP_WORDS_H */
