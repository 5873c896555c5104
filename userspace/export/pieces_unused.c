// SPDX-License-Identifier: GPL-2.0
/* Pieces in a folder that no list there names. */
#include <dirent.h>

#include "array.h"
#include "export.h"
#include "imagemsg.h"
#include "msg.h"
#include "pieces.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ends_with(const char *name, const char *end)
{
	const size_t n = strlen(name), len = strlen(end);

	return n > len && !strcmp(name + n - len, end);
}

/* Add copies of the names of the pieces of a list. */
static int add_names(int dir, const char *name, struct array *names)
{
	struct pieces list;
	int ret = list_read_pieces(dir, name, &list);
	char *copy;

	for (size_t i = 0; !ret && i < list.n; i++) {
		copy = strdup(list.v[i].name);
		ret = copy && !array_append(names, &copy) ? 0 : no_memory();
	}
	pieces_free(&list);
	return ret;
}

static bool is_piece(const char *name)
{
	return strlen(name) == PIECES_HEX - 1 &&
	       strspn(name, "0123456789abcdef") == PIECES_HEX - 1;
}

/* Names of the folder: those of lists, or of pieces, of which the unused ones are printed */
static int each_name(DIR *folder, struct array *names, bool lists, unsigned int *found)
{
	struct dirent *d;
	const char *name;
	int ret = 0;

	rewinddir(folder);
	while (!ret && (d = readdir(folder))) {
		name = d->d_name;
		if (lists && ends_with(name, PIECES_SUFFIX)) {
			ret = add_names(dirfd(folder), name, names);
			++*found;
		} else if (!lists && is_piece(name) &&
			   !bsearch(&name, names->p, names->n, sizeof(name), by_text)) {
			puts(name);
		}
	}
	return ret;
}

int export_unused(const char *path)
{
	struct array names = { .size = sizeof(char *) };
	DIR *folder = opendir(path);
	unsigned int lists = 0;
	int ret;

	if (!folder)
		return msg_error(path, "%s", msg_why(errno));
	ret = each_name(folder, &names, true, &lists);
	if (!ret && !lists)
		ret = msg_error(path, "no list (*%s) is there", PIECES_SUFFIX);
	array_sort(&names, by_text);
	if (!ret)
		each_name(folder, &names, false, &lists);
	closedir(folder);
	while (names.n)
		free(((char **)names.p)[--names.n]);
	array_free(&names);
	return ret;
}
