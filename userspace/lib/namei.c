// SPDX-License-Identifier: GPL-2.0
/*
 * From names to inodes.
 */
#include "api.h"

/* Symbolic links that a path may lead through, as in the kernel. */
#define LINKS_MAX	40

/* Whether @name is "." or "..": how many dots. */
static unsigned int dots(const char *name, size_t len)
{
	if (len > 2 || name[0] != '.' || name[len - 1] != '.')
		return 0;
	return len;
}

static int check_name(u64 dir, const char *name, size_t len, struct dsfs_error *error)
{
	const char *wrong = NULL;

	if (len > DSFS_NAME_MAX)
		return api_fail(error, -ENAMETOOLONG, NULL,
				"directory %llu: name of %zu bytes, limit %d", dir, len,
				DSFS_NAME_MAX);
	if (!len)
		wrong = "empty name";
	else if (memchr(name, 0, len))
		wrong = "NUL in a name";
	else if (memchr(name, '/', len))
		wrong = "slash in a name";
	return wrong ? api_fail(error, -EINVAL, NULL, "directory %llu: %s", dir, wrong) : 0;
}

/* Look up a name in the directory @at, which then becomes what has the name. */
static int step(struct dsfs_image *image, struct image_node *at, const char *name,
		size_t len, struct dsfs_error *error)
{
	const int shown = len < API_NAME_SHOWN ? len : API_NAME_SHOWN;
	const u32 ino = at->attr.ino;
	struct dsfs_dir_info dir;
	struct dsfs_err err = { };
	int ret;

	if (!S_ISDIR(at->attr.mode))
		return api_fail(error, -ENOTDIR, NULL, "inode %u", ino);
	ret = check_name(ino, name, len, error);
	if (ret || dots(name, len) == 1)
		return ret;
	if (dots(name, len) == 2) {
		ret = dsfs_dir_get(image->src, &at->attr, &dir, &err);
		return ret ? api_fail(error, ret, &err, "directory %u", ino) :
		       api_node(image, dir.parent, at, error);
	}
	ret = image_step(image->src, at, name, len, &err);
	return ret ? api_fail(error, ret, &err, "directory %u: %.*s", ino, shown, name) : 0;
}

int dsfs_lookup(struct dsfs_image *image, uint64_t dir, const char *name,
		size_t len, struct dsfs_stat *st, struct dsfs_error *error)
{
	struct image_node node;
	int ret = api_node(image, dir, &node, error) ?: step(image, &node, name, len, error);

	if (!ret)
		api_stat(&node, st);
	return ret;
}

/**
 * struct path - a path that is followed
 * @node: where it has come to
 * @path: what is left
 * @owned: memory that @path lies in, or NULL: it is the caller's
 * @links: symbolic links followed so far
 */
struct path {
	struct dsfs_image *image;
	struct image_node node;
	const char *path;
	char *owned;
	unsigned int links;
};

/* Follow the symbolic link @w->node of directory @dir: put its target in front of the rest. */
static int follow(struct path *w, u64 dir, struct dsfs_error *error)
{
	const u32 ino = w->node.attr.ino;
	const size_t len = w->node.attr.size, rest = strlen(w->path) + 1;
	struct dsfs_err err = { };
	char *p;
	int ret;

	if (++w->links > LINKS_MAX)
		return api_fail(error, -ELOOP, NULL, "inode %u: more than %d symbolic links",
				ino, LINKS_MAX);
	p = malloc(len + 1 + rest);
	if (!p)
		return api_fail(error, -ENOMEM, NULL, "inode %u", ino);
	ret = image_symlink(w->image->src, &w->node.attr, p, &err);
	if (ret) {
		free(p);
		return api_fail(error, ret, &err, "inode %u", ino);
	}
	memcpy(p + len, w->path, rest);
	free(w->owned);
	w->owned = p;
	w->path = p;
	return api_node(w->image, *p == '/' ? DSFS_ROOT_INO : dir, &w->node, error);
}

/* Go through the next name of the path. */
static int walk_part(struct path *w, bool follow_last, struct dsfs_error *error)
{
	const u64 dir = w->node.attr.ino;
	const size_t len = strcspn(w->path, "/");
	int ret = step(w->image, &w->node, w->path, len, error);

	if (ret)
		return ret;
	/* A slash behind a name asks for a directory. */
	w->path += len;
	if (S_ISLNK(w->node.attr.mode) && (*w->path || follow_last))
		return follow(w, dir, error);
	if (*w->path && !S_ISDIR(w->node.attr.mode))
		return api_fail(error, -ENOTDIR, NULL, "inode %u", w->node.attr.ino);
	return 0;
}

int dsfs_lookup_path(struct dsfs_image *image, const char *path, unsigned int flags,
		     struct dsfs_stat *st, struct dsfs_error *error)
{
	struct path w = { .image = image, .path = path };
	int ret;

	if (flags & ~DSFS_FOLLOW)
		return api_fail(error, -EINVAL, NULL, "flags %#x, known are %#x", flags,
				DSFS_FOLLOW);
	ret = api_node(image, DSFS_ROOT_INO, &w.node, error);
	while (!ret) {
		w.path += strspn(w.path, "/");
		if (!*w.path)
			break;
		ret = walk_part(&w, flags & DSFS_FOLLOW, error);
	}
	free(w.owned);
	if (!ret)
		api_stat(&w.node, st);
	return ret;
}
