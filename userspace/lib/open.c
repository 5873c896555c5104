// SPDX-License-Identifier: GPL-2.0
/*
 * An image as a whole, for dsfs.h.  What keeps a kernel from mounting it keeps the library from
 * opening it: the superblocks, the checksums of blocks and the root directory have to be right.
 */
#include "api.h"
#include "origin.h"

const char *dsfs_version(void)
{
	return DSFS_VERSION_STRING;
}

/* Programs that were built before @source was there give a smaller one. */
#define SIZE_FIRST	offsetof(struct dsfs_open_options, source)

/* Copy the options that a program gave into the structure as it is now. */
static int take_options(struct dsfs_open_options *o, const struct dsfs_open_options *given,
			struct dsfs_error *error)
{
	*o = (struct dsfs_open_options){ .size = sizeof(*o) };
	if (!given)
		return 0;
	if (given->size != sizeof(*o) && given->size != SIZE_FIRST)
		return api_fail(error, -EINVAL, NULL, "size of the options: %u, expected %zu",
				given->size, sizeof(*o));
	memcpy(o, given, given->size);
	if (o->flags)
		return api_fail(error, -EINVAL, NULL, "flags of the options: %#x, expected 0",
				o->flags);
	return 0;
}

/* The part of the file that is the image. */
static int set_range(struct image *img, const struct dsfs_open_options *o, struct dsfs_error *error)
{
	const u64 bytes = img->start ? img->bytes : img->reader->bytes;

	if (o->offset > bytes || o->length > bytes - o->offset)
		return api_fail(error, -EFBIG, NULL,
				"offset %llu and length %llu in a file of %llu bytes",
				(u64)o->offset, (u64)o->length, bytes);
	img->start += o->offset;
	img->bytes = o->length ? o->length : bytes - o->offset;
	return 0;
}

static int choose_generation(struct image *img, u64 generation, struct dsfs_error *error)
{
	int ret;

	image_load(img);
	if (image_is_foreign(img))
		return api_fail(error, -EINVAL, NULL, "not a DSFS image");
	if (img->ret)
		return api_fail(error, img->ret, &img->err, "superblock");
	if (!generation)
		return 0;
	ret = image_use_generation(img, generation);
	if (!ret)
		return 0;
	return api_fail(error, ret, &img->older.err, "generation %llu", generation);
}

static int check_root(struct dsfs_image *image, struct dsfs_error *error)
{
	struct dsfs_dir_info dir;
	struct dsfs_err err = { };
	struct image_node node;
	int ret = api_node(image, DSFS_ROOT_INO, &node, error);

	if (ret)
		return ret;
	if (!S_ISDIR(node.attr.mode))
		ret = dsfs_bad(&err, "mode of the root", node.attr.mode, S_IFDIR, -EUCLEAN);
	else
		ret = dsfs_dir_get(image->src, &node.attr, &dir, &err);
	return ret ? api_fail(error, ret, &err, "root directory") : 0;
}

static int check_expected(struct dsfs_image *image, struct dsfs_error *error)
{
	char text[EXPECTED_TEXT];
	int ret = expected_check(&image->img, image->src, &image->img.expected, text);

	return ret ? api_fail(error, ret, NULL, "%s", text) : 0;
}

/* Choose the range and the generation; @image->img is open. */
static int open_image(struct dsfs_image *image, const struct dsfs_open_options *o,
		      struct dsfs_error *error)
{
	struct dsfs_err err = { };
	int ret = set_range(&image->img, o, error) ?:
		  choose_generation(&image->img, o->generation, error);

	if (ret)
		return ret;
	image->src = image_source(&image->img, UINT64_MAX);
	if (!image->src)
		return api_fail(error, -ENOMEM, NULL, "metadata");
	ret = source_check_sums(image->src, &err);
	if (ret)
		return api_fail(error, ret, &err, "metadata");
	return check_expected(image, error) ?: check_root(image, error);
}

/* @path: with options of its own in @source; NULL: @fd is open */
static int open_reader(struct image *img, const char *path, int fd, const char *source,
		       struct dsfs_error *error)
{
	const char *what;
	int ret;

	if (path)
		ret = origin_open(path, source, img, &what);
	else
		ret = origin_expected(source, &img->expected, &what) ?:
		      reader_fd(fd, &img->reader, &what);
	return ret ? api_fail(error, ret, NULL, "%s", what) : 0;
}

static int open_any(const char *path, int fd, const struct dsfs_open_options *options,
		    struct dsfs_image **out, struct dsfs_error *error)
{
	struct dsfs_open_options o;
	struct dsfs_image *image;
	int ret = take_options(&o, options, error);

	if (ret)
		return ret;
	image = calloc(1, sizeof(*image));
	if (!image)
		return api_fail(error, -ENOMEM, NULL, "image");
	ret = open_reader(&image->img, path, fd, o.source, error) ?: open_image(image, &o, error);
	if (ret)
		dsfs_close(image);
	else
		*out = image;
	return ret;
}

int dsfs_open(const char *path, const struct dsfs_open_options *options,
	      struct dsfs_image **image, struct dsfs_error *error)
{
	return open_any(path, -1, options, image, error);
}

int dsfs_open_fd(int fd, const struct dsfs_open_options *options,
		 struct dsfs_image **image, struct dsfs_error *error)
{
	return open_any(NULL, fd, options, image, error);
}

void dsfs_close(struct dsfs_image *image)
{
	if (!image)
		return;
	image_source_free(image->src);
	image_close(&image->img);
	free(image);
}

const struct image *image_of(const struct dsfs_image *image)
{
	return &image->img;
}

const char *dsfs_source_note(const struct dsfs_image *image)
{
	return image->img.reader->warning;
}

void dsfs_get_info(const struct dsfs_image *image, struct dsfs_info *info)
{
	const struct dsfs_geo *geo = image->img.geo;
	const u8 bits = geo->large_bits > geo->chunk_bits ? geo->large_bits : geo->chunk_bits;

	*info = (struct dsfs_info){
		.generation = geo->generation,
		.build_time = geo->build_time,
		.image_bytes = geo->image_bytes,
		.metadata_bytes = geo->meta_bytes,
		.files = geo->files,
		.content_bytes = geo->content_bytes,
		.stored_bytes = geo->stored_bytes,
		.inodes = geo->inodes - 1,
		.directories = geo->dirs,
		.inode_generation = geo->igeneration,
		.chunk_bytes = bits ? 1U << bits : 0,
		.align_bytes = 1U << geo->align_bits,
	};
	memcpy(info->uuid, geo->uuid, sizeof(info->uuid));
	memcpy(info->label, geo->label, sizeof(geo->label));
}

ssize_t dsfs_generations(struct dsfs_image *image, uint64_t *list, size_t room,
			 struct dsfs_error *error)
{
	struct dsfs_slot now = image->img.slots[image->img.use];
	size_t n = 0;
	u64 number;
	int ret;

	do {
		number = now.geo.generation;
		if (n < room)
			list[n] = number;
		n++;
		ret = image_older(&image->img, &now.geo, &now);
	} while (ret == 1);
	if (ret < 0)
		return api_fail(error, ret, &now.err, "generation before %llu", number);
	return n;
}

/* A directory, a special file and a hard-link entry have no data. */
static int verify_inode(struct dsfs_image *image, u32 ino, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct dsfs_attr attr;
	struct dsfs_file *file;
	int ret = dsfs_inode_get(image->src, ino, &attr, &err);

	if (ret)
		return api_fail(error, ret, &err, "inode %u", ino);
	if (dsfs_attr_is_hardlink(&attr) || !S_ISREG(attr.mode))
		return 0;
	ret = dsfs_file_open(image, ino, 0, &file, error);
	if (ret)
		return ret;
	ret = dsfs_file_verify(file, error);
	dsfs_file_close(file);
	return ret;
}

int dsfs_verify(struct dsfs_image *image, unsigned int flags, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	int ret;

	if (flags & ~DSFS_VERIFY_DATA)
		return api_fail(error, -EINVAL, NULL, "flags %#x, known are %#x", flags,
				DSFS_VERIFY_DATA);
	ret = source_load(image->src, &err);
	if (ret)
		return api_fail(error, ret, &err, "metadata");
	if (!(flags & DSFS_VERIFY_DATA))
		return 0;
	for (u64 ino = DSFS_ROOT_INO; !ret && ino < image->img.geo->inodes; ino++)
		ret = verify_inode(image, ino, error);
	return ret;
}
