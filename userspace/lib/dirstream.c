// SPDX-License-Identifier: GPL-2.0
/*
 * Directories as streams.  A position is that of a name in its directory, so a stream can
 * be taken up anywhere, also by another one.
 */
#include "api.h"

/**
 * struct dsfs_dirstream - a walk over a directory
 * @name: the last one, terminated
 */
struct dsfs_dirstream {
	struct dsfs_image *image;
	struct dsfs_dir_info dir;
	struct dsfs_dir_iter it;
	char name[DSFS_NAME_MAX + 1];
};

int dsfs_opendir(struct dsfs_image *image, uint64_t ino,
		 struct dsfs_dirstream **out, struct dsfs_error *error)
{
	struct dsfs_dirstream *stream;
	struct dsfs_err err = { };
	struct image_node node;
	int ret = api_node(image, ino, &node, error);

	if (ret)
		return ret;
	if (!S_ISDIR(node.attr.mode))
		return api_fail(error, -ENOTDIR, NULL, "inode %llu", (u64)ino);
	stream = malloc(sizeof(*stream));
	if (!stream)
		return api_fail(error, -ENOMEM, NULL, "inode %llu", (u64)ino);
	stream->image = image;
	ret = dsfs_dir_get(image->src, &node.attr, &stream->dir, &err);
	if (ret) {
		free(stream);
		return api_fail(error, ret, &err, "inode %llu", (u64)ino);
	}
	dsfs_dir_iter_init(&stream->it, image->src, &stream->dir, 0);
	*out = stream;
	return 0;
}

int dsfs_readdir(struct dsfs_dirstream *stream, struct dsfs_dirent *entry, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct dsfs_name name;
	u32 ino;
	int ret = dsfs_dir_iter_next(&stream->it, &name, &err);

	if (!ret)
		return 0;
	if (ret > 0) {
		ino = stream->dir.first + name.pos;
		ret = dsfs_hardlink_follow(stream->image->src, dsfs_iter_place(&stream->it, &name),
					   &ino, &name.type, &err);
	}
	if (ret)
		return api_fail(error, ret, &err, "directory %u", stream->dir.self);
	memcpy(stream->name, name.name, name.len);
	stream->name[name.len] = '\0';
	*entry = (struct dsfs_dirent){
		.ino = ino,
		.next = (u64)name.pos + 1,
		.name = stream->name,
		.name_len = name.len,
		.type = name.type,
	};
	return 1;
}

void dsfs_seekdir(struct dsfs_dirstream *stream, uint64_t pos)
{
	dsfs_dir_iter_end(&stream->it);
	dsfs_dir_iter_init(&stream->it, stream->image->src, &stream->dir,
			   pos < stream->dir.count ? pos : stream->dir.count);
}

void dsfs_closedir(struct dsfs_dirstream *stream)
{
	if (!stream)
		return;
	dsfs_dir_iter_end(&stream->it);
	free(stream);
}
