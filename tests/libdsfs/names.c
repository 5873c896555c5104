// SPDX-License-Identifier: GPL-2.0
/*
 * Names and paths, and errors of callers with a good image.
 */
#include "test.h"

/**
 * struct path_case - a path
 * @same: the path of the same object without detours; NULL: it fails
 * @ret: with that errno
 * @text: of which the message says this
 */
struct path_case {
	const char *path;
	unsigned int flags;
	const char *same;
	int ret;
	const char *text;
};

/* Of the tree that the script makes. */
static const struct path_case cases[] = {
	{ "", 0, "/" },
	{ "/", 0, "/" },
	{ "///", 0, "/" },
	{ ".", 0, "/" },
	{ "..", 0, "/" },
	{ "../../dir/..", 0, "/" },
	{ "dir/file", 0, "/dir/file" },
	{ "//dir///file", 0, "/dir/file" },
	{ "dir/./sub/../file", 0, "/dir/file" },
	{ "dir/sub/", 0, "/dir/sub" },
	{ "hard", 0, "/dir/file" },
	{ "file-link", 0, "/file-link" },
	{ "file-link", DSFS_FOLLOW, "/dir/file" },
	{ "dir-link", DSFS_FOLLOW, "/dir" },
	{ "dir-link/", 0, "/dir" },
	{ "dir-link/file", 0, "/dir/file" },
	{ "dir/sub/up-link/file", 0, "/dir/file" },
	{ "root-link/dir/file", 0, "/dir/file" },
	{ "above-link/dir/file", 0, "/dir/file" },
	{ "chain-link/file", 0, "/dir/file" },
	{ "dir/sub/abs-link/file", 0, "/dir/file" },
	{ "none", 0, NULL, -ENOENT, "none" },
	{ "dir/none/file", 0, NULL, -ENOENT, "none" },
	{ "broken-link", DSFS_FOLLOW, NULL, -ENOENT, "nowhere" },
	{ "dir/file/", 0, NULL, -ENOTDIR, "inode" },
	{ "dir/file/x", 0, NULL, -ENOTDIR, "inode" },
	{ "dir/file/..", 0, NULL, -ENOTDIR, "inode" },
	{ "file-link/", 0, NULL, -ENOTDIR, "inode" },
	{ "loop-link", DSFS_FOLLOW, NULL, -ELOOP, "40" },
	{ "loop-link/x", 0, NULL, -ELOOP, "40" },
	{ "dir", 4, NULL, -EINVAL, "flags 0x4" },
};

static void test_path(struct dsfs_image *image, const struct path_case *c)
{
	struct dsfs_error error = { 0 };
	struct dsfs_stat st;
	int ret = dsfs_lookup_path(image, c->path, c->flags, &st, &error);

	if (c->same)
		OK(!ret && st.ino == must_find(image, c->same) && !error.code,
		   "path: \"%s\" is %s, flags %u", c->path, c->same, c->flags);
	else
		OK(answer(ret, c->ret, &error, c->text), "path: \"%s\" fails, flags %u",
		   c->path, c->flags);
}

static void test_lookup(struct dsfs_image *image)
{
	const uint64_t dir = must_find(image, "dir"), file = must_find(image, "dir/file");
	char longest[DSFS_NAME_MAX + 2];
	struct dsfs_error error;
	struct dsfs_stat st;

	memset(longest, 'x', sizeof(longest));
	OK(!dsfs_lookup(image, dir, "fileX", 4, &st, NULL) && st.ino == file,
	   "lookup: a name ends where its length says");
	OK(!dsfs_lookup(image, dir, ".", 1, &st, NULL) && st.ino == dir, "lookup: .");
	OK(!dsfs_lookup(image, dir, "..", 2, &st, NULL) && st.ino == DSFS_ROOT_INO,
	   "lookup: ..");
	OK(!dsfs_lookup(image, DSFS_ROOT_INO, "..", 2, &st, NULL) &&
	   st.ino == DSFS_ROOT_INO, "lookup: .. of the root");
	FAILS(dsfs_lookup(image, dir, "...", 3, &st, &error), -ENOENT, "...",
	      "lookup: three dots are a name");
	FAILS(dsfs_lookup(image, dir, "file", 3, &st, &error), -ENOENT, "fil",
	      "lookup: no such name");
	FAILS(dsfs_lookup(image, dir, "fi\0e", 4, &st, &error), -EINVAL, "NUL",
	      "lookup: NUL in a name");
	FAILS(dsfs_lookup(image, dir, "file\0", 5, &st, &error), -EINVAL, "NUL",
	      "lookup: NUL behind a name");
	FAILS(dsfs_lookup(image, DSFS_ROOT_INO, "dir/file", 8, &st, &error), -EINVAL, "slash",
	      "lookup: slash in a name");
	FAILS(dsfs_lookup(image, dir, "", 0, &st, &error), -EINVAL, "empty",
	      "lookup: empty name");
	FAILS(dsfs_lookup(image, dir, longest, DSFS_NAME_MAX, &st, &error), -ENOENT, "xxx",
	      "lookup: name of 255 bytes");
	OK(strlen(error.message) < 200 && strstr(error.message, "No such file"),
	   "lookup: a long name leaves room for the reason");
	FAILS(dsfs_lookup(image, dir, "a\n\033[2J", 6, &st, &error), -ENOENT, "a??[2J:",
	      "lookup: a message steers no terminal");
	FAILS(dsfs_lookup(image, dir, longest, DSFS_NAME_MAX + 1, &st, &error),
	      -ENAMETOOLONG, "256 bytes, limit 255", "lookup: name of 256 bytes");
	FAILS(dsfs_lookup(image, file, "x", 1, &st, &error), -ENOTDIR, "inode",
	      "lookup: in a file");
	FAILS(dsfs_lookup(image, 0, "x", 1, &st, &error), -ESTALE, "inode 0",
	      "lookup: in no directory");
}

static void test_wrong_type(struct dsfs_image *image)
{
	const uint64_t dir = must_find(image, "dir"), file = must_find(image, "dir/file");
	const uint64_t link = must_find(image, "file-link"), pipe = must_find(image, "pipe");
	struct dsfs_dirstream *stream;
	struct dsfs_file *f;
	struct dsfs_error error;
	struct dsfs_info info;
	struct dsfs_stat st;
	char buf[8];

	dsfs_get_info(image, &info);
	FAILS(dsfs_stat(image, 0, &st, &error), -ESTALE, "inode 0", "number 0");
	FAILS(dsfs_stat(image, info.inodes + 1, &st, &error), -ESTALE, "inode number",
	      "number behind the last");
	FAILS(dsfs_stat(image, 1ULL << 32 | 1, &st, &error), -ESTALE, "4294967297",
	      "number above 32 bits");
	FAILS(dsfs_file_open(image, dir, 0, &f, &error), -EISDIR, "inode", "open a directory");
	FAILS(dsfs_file_open(image, link, 0, &f, &error), -EINVAL, "no regular file",
	      "open a link");
	FAILS(dsfs_file_open(image, pipe, 0, &f, &error), -EINVAL, "no regular file",
	      "open a pipe");
	FAILS(dsfs_file_open(image, file, 2, &f, &error), -EINVAL, "flags 0x2",
	      "open with an unknown flag");
	FAILS(dsfs_opendir(image, file, &stream, &error), -ENOTDIR, "inode",
	      "read a file as a directory");
	FAILS(dsfs_readlink(image, file, buf, sizeof(buf), &error), -EINVAL,
	      "no symbolic link", "read a file as a link");
	FAILS(dsfs_readlink(image, link, buf, 3, &error), -ERANGE, "room for 3",
	      "read a link into three bytes");
	FAILS(dsfs_getxattr(image, file, "user.none", buf, sizeof(buf), &error), -ENODATA,
	      "user.none", "xattr that is not there");
	FAILS(dsfs_getxattr(image, pipe, "user.none", buf, sizeof(buf), &error), -ENODATA,
	      "user.none", "xattr where there is none");
	FAILS(dsfs_getxattr(image, file, "user.colou", buf, sizeof(buf), &error), -ENODATA,
	      "user.colou", "beginning of an xattr's name");
	FAILS(dsfs_verify(image, 8, &error), -EINVAL, "flags 0x8",
	      "verify with an unknown flag");
}

void test_names(const char *path)
{
	struct dsfs_image *image = must_open(path);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_path(image, &cases[i]);
	test_lookup(image);
	test_wrong_type(image);
	dsfs_close(image);
}
