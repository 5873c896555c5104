// SPDX-License-Identifier: GPL-2.0
/* Texts in memory, which all files of this folder share and which know nothing of these. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

char *text_copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

const char *text_env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

void secret_free(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

#define BLANK	" \t\r\n"

/* Copy a word to @to without its quotes, and move @from behind it.  Return: its end, or NULL. */
static char *take_word(const char **from, char *to)
{
	const char *p = *from;
	char quote = '\0';

	for (; *p && (quote || !strchr(BLANK, *p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'') {
			quote = quote ? '\0' : *p;
			continue;
		}
		if (*p == '\\' && (!quote || (quote == '"' && p[1] && strchr("\"\\", p[1]))))
			p++;
		if (!*p)
			return NULL;
		*to++ = *p;
	}
	*to++ = '\0';
	*from = p;
	return quote ? NULL : to;
}

int words_split(const char *line, char ***words)
{
	const size_t len = strlen(line);
	char *to;
	int n = 0;

	*words = malloc((len / 2 + 2) * sizeof(**words) + len + 1);
	if (!*words)
		return -ENOMEM;
	to = (char *)(*words + len / 2 + 2);
	for (line += strspn(line, BLANK); *line; line += strspn(line, BLANK)) {
		(*words)[n++] = to;
		to = take_word(&line, to);
		if (!to) {
			free(*words);
			return -EINVAL;
		}
	}
	(*words)[n] = NULL;
	return n;
}
