// SPDX-License-Identifier: GPL-2.0
/*
 * What is added to an image from the file system.  There is one source, whatever it is: the
 * directory above all files and trees, of which nothing else is listed.
 */
#include "msg.h"
#include "rows.h"

static struct added *added_at(const struct additions *add, size_t i)
{
	return (struct added *)add->list.p + i;
}

/* The path of a name, which may be a symlink itself. */
static char *path_of(const char *source)
{
	const char *slash = strrchr(source, '/');
	char *above = slash ? strndup(source, slash - source + 1) : strdup(".");
	char *dir = above ? realpath(above, NULL) : NULL, *path = NULL;

	free(above);
	if (dir && asprintf(&path, "%s/%s", strcmp(dir, "/") ? dir : "",
			    slash ? slash + 1 : source) < 0)
		path = NULL;
	free(dir);
	return path;
}

int added_note(struct options *o, const char *source, const char *to, u32 line)
{
	char shown[256], *path;
	struct added *a;
	struct stat st;
	bool dir;

	dir = !stat(source, &st) && S_ISDIR(st.st_mode);
	path = dir ? realpath(source, NULL) : lstat(source, &st) ? NULL : path_of(source);
	if (!path && line)
		msg_error(o->add.batch, "line %u: source: %s: %s", line,
			  msg_escape(shown, sizeof(shown), source), msg_why(errno));
	else if (!path)
		msg_error(source, "%s", msg_why(errno));
	o->add.list.size = sizeof(*a);
	a = array_add(&o->add.list);
	if (!a) {
		free(path);
		return no_memory();
	}
	*a = (struct added){ .path = path, .to = to ? strdup(to) : NULL, .dir = dir };
	return 0;
}

/* Bytes of a path that are those of the directory that it is, or is in */
static size_t dir_bytes(const struct added *a)
{
	return a->dir ? strlen(a->path) : strrchr(a->path, '/') - a->path;
}

static bool ends_at(const char *path, size_t bytes)
{
	return !path[bytes] || path[bytes] == '/';
}

/* How many bytes of @above are the path of a directory that @a is in, too */
static size_t above_both(const struct added *a, const char *above, size_t bytes)
{
	if (bytes > dir_bytes(a))
		bytes = dir_bytes(a);
	while (bytes && (strncmp(above, a->path, bytes) || !ends_at(a->path, bytes) ||
			 !ends_at(above, bytes)))
		bytes--;
	return bytes;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List what is below the source, without what is in another one. */
static int list_only(struct additions *add)
{
	char **only = calloc(add->list.n, sizeof(*only));
	size_t n = add->list.n, last = 0, len;

	if (!only)
		return no_memory();
	for (size_t i = 0; i < n; i++) {
		char *path = added_at(add, i)->path + add->above;

		only[i] = path + (*path == '/');
	}
	qsort(only, n, sizeof(*only), by_path);
	for (size_t i = 1; i < n; i++) {
		len = strlen(only[last]);
		if (strncmp(only[i], only[last], len) || !ends_at(only[i], len))
			only[++last] = only[i];
	}
	add->only = only;
	add->nonly = *only[0] ? last + 1 : 0;
	return 0;
}

int added_settle(struct options *o)
{
	const struct added *first = (const struct added *)o->add.list.p;
	size_t above = first && first->path ? dir_bytes(first) : 0;

	for (size_t i = 0; i < o->add.list.n; i++) {
		const struct added *a = added_at(&o->add, i);

		if (!a->path)
			return EXIT_ERROR;
		above = above_both(a, first->path, above);
	}
	o->add.above = above;
	o->source = above ? strndup(first->path, above) : strdup("/");
	o->add.root = (char *)o->source;
	return o->source && !list_only(&o->add) ? 0 : EXIT_ERROR;
}

void added_free(struct additions *add)
{
	for (size_t i = 0; i < add->list.n; i++) {
		free(added_at(add, i)->to);
		free(added_at(add, i)->path);
	}
	array_free(&add->list);
	free(add->only);
	free(add->root);
	free(add->again);
}
