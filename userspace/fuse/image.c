// SPDX-License-Identifier: GPL-2.0
/*
 * The image behind the mount.  The daemon opens the file and gives the descriptor to the
 * library, because it needs the descriptor itself: it splices data that is not to be checked,
 * and turns readahead off.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
	int ret;

	ret = fs->fd < 0 ? dsfs_open(fs->opt.image, &options, &fs->image, &error) :
	      dsfs_open_fd(fs->fd, &options, &fs->image, &error);
	if (ret) {
		msg_error(origin_name(fs->opt.image, name, sizeof(name)), "%s", error.message);
		return -1;
	}
	if (dsfs_source_note(fs->image))
		msg_warn(image_name(fs), "%s", dsfs_source_note(fs->image));
	dsfs_get_info(fs->image, &fs->info);
	/* dsfs.h tells the xattrs of an inode, and not whether any inode has some. */
	fs->has_xattrs = image_of(fs->image)->geo->regions[DSFS_REGION_XATTRS].bytes;
	return 0;
}

static int attach_file(struct fuse_fs *fs)
{
	fs->fd = open(fs->opt.image, O_RDONLY | O_CLOEXEC);
	if (fs->fd < 0) {
		msg_error(fs->opt.image, "%s", msg_why(errno));
		return -1;
	}
	if (open_image(fs)) {
		close(fs->fd);
		return -1;
	}
	/* no readahead: the file that is read next lies elsewhere */
	posix_fadvise(fs->fd, 0, 0, POSIX_FADV_RANDOM);
	if (!fs->opt.keep_image)
		reader_file_once(image_of(fs->image)->reader);
	return 0;
}

/* The file is opened here, so a digest behind its name is taken from it here. */
static int split_address(struct fuse_fs *fs)
{
	char name[NAME_SHOWN];
	struct origin o;
	const char *what;
	int ret = origin_split(&o, fs->opt.image, fs->opt.source, &what);

	if (ret) {
		msg_error(origin_name(fs->opt.image, name, sizeof(name)), "%s: %s", what,
			  msg_why(-ret));
		return -1;
	}
	free(fs->opt.image);
	free(fs->opt.source);
	fs->opt.image = o.address;
	fs->opt.source = o.source;
	return 0;
}

int image_attach(struct fuse_fs *fs)
{
	if (split_address(fs))
		return -1;
	image_tell_waits();
	if (origin_is_far(fs->opt.image) ? open_image(fs) : attach_file(fs))
		return -1;
	load_metadata(fs);
	return 0;
}

void image_detach(struct fuse_fs *fs)
{
	dsfs_close(fs->image);
	if (fs->fd >= 0)
		close(fs->fd);
}
