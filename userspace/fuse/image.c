// SPDX-License-Identifier: GPL-2.0
/* The image behind the mount. */
#include <fcntl.h>

#include "fuse.h"
#include "image.h"
#include "imagemsg.h"
#include "msg.h"
#include "origin.h"

/* Bytes of an address in a message */
#define NAME_SHOWN	256

/* What waits for a server, and when it is to end: the library's callback has no argument. */
static struct fuse_session *session;
static __thread fuse_req_t waiting;

struct fuse_fs *fs_of(fuse_req_t req)
{
	waiting = req;
	return fuse_req_userdata(req);
}

static int is_over(void)
{
	return fuse_session_exited(session) || fuse_req_interrupted(waiting);
}

void image_end_waits(struct fuse_fs *fs, struct fuse_session *se)
{
	session = se;
	image_of(fs->image)->reader->stop = is_over;
}

/* What messages and the list of mounts call the image */
const char *image_name(const struct fuse_fs *fs)
{
	const char *name = fs->image ? image_of(fs->image)->reader->name : NULL;

	return name ? name : fs->opt.image;
}

/* An image with damaged metadata is mounted, with a warning, as the module does. */
static void load_metadata(const struct fuse_fs *fs)
{
	struct dsfs_error error;

	if (!fs->opt.lazy && dsfs_verify(fs->image, 0, &error))
		msg_warn(image_name(fs), "%s: run fsck.dsfs", error.message);
}

static int open_image(struct fuse_fs *fs)
{
	const struct dsfs_open_options options = {
		.size = sizeof(options),
		.offset = fs->opt.offset,
		.length = fs->opt.sizelimit,
		.generation = fs->opt.generation,
		.source = fs->opt.source,
	};
	char name[NAME_SHOWN];
	struct dsfs_error error;

	if (dsfs_open(fs->opt.image, &options, &fs->image, &error))
		return msg_error(origin_name(fs->opt.image, name, sizeof(name)), "%s",
				 error.message);
	if (dsfs_source_note(fs->image))
		msg_warn(image_name(fs), "%s", dsfs_source_note(fs->image));
	dsfs_get_info(fs->image, &fs->info);
	/* dsfs.h tells the xattrs of an inode, and not whether any inode has some. */
	fs->has_xattrs = image_of(fs->image)->geo->regions[DSFS_REGION_XATTRS].bytes;
	return 0;
}

/* The descriptor is needed here, too: data that is not to be checked is spliced. */
static void attach_file(struct fuse_fs *fs)
{
	fs->fd = reader_descriptor(image_of(fs->image)->reader);
	if (fs->fd < 0)
		return;
	/* no readahead: the file that is read next lies elsewhere */
	posix_fadvise(fs->fd, 0, 0, POSIX_FADV_RANDOM);
	if (!fs->opt.keep_image)
		reader_file_once(image_of(fs->image)->reader);
}

int image_attach(struct fuse_fs *fs)
{
	image_tell_waits();
	if (open_image(fs))
		return -1;
	attach_file(fs);
	load_metadata(fs);
	return 0;
}

void image_detach(struct fuse_fs *fs)
{
	dsfs_close(fs->image);
}
