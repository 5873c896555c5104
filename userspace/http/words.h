/* SPDX-License-Identifier: GPL-2.0 */
/* Texts: copies, variables of the environment, secrets, and a line of words. */
#ifndef HTTP_WORDS_H
#define HTTP_WORDS_H

/** text_copy - allocated; of NULL: NULL */
char *text_copy(const char *text);

/** text_env - value of a variable of the environment that is set and not empty, or NULL */
const char *text_env(const char *name);

/** secret_free - overwrite a text and free it; NULL: nothing */
void secret_free(char *text);

/**
 * words_split - split a line as shlex.split() of Python: at blanks, but not in quotes
 * @words: filled in, ends with NULL; one allocation, to be freed
 *
 * Return: number of words; -EINVAL: a quote without an end; -ENOMEM.
 */
int words_split(const char *line, char ***words);

#endif /* HTTP_WORDS_H */
