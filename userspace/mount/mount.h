/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mount.dsfs: what its files share.
 *
 * It sorts options, finds or makes a loop device, and mounts.  It reads superblocks by the
 * library (userspace/lib/image.h), and is called by mount(8) and nobody else.
 */
#ifndef DSFS_MOUNT_H
#define DSFS_MOUNT_H

#include "image.h"

/**
 * enum driver - what of the kernel reads the image
 * @DRIVER_MODULE: the module dsfs
 * @DRIVER_EROFS: EROFS, by a view
 * @DRIVER_AUTO: the module if there is one
 */
enum driver { DRIVER_MODULE, DRIVER_EROFS, DRIVER_AUTO };

/**
 * struct mount_opts - the options of a mount, sorted by whom they are for
 * @attrs: MOUNT_ATTR_*
 * @fs: for the file system: "key" or "key=value", an argz_add(3) vector of @fs_len bytes
 * @offset: of the image in its file
 * @sizelimit: bytes of the file that are the image; 0: up to its end
 * @generation: number of the generation; 0: the newest
 * @digest: that the generation has to keep
 * @driver: with AUTO, after driver_settle(): EROFS, as there is no module
 * @remount: change a mount
 */
struct mount_opts {
	u64 attrs;
	char *fs;
	size_t fs_len;
	u64 offset;
	u64 sizelimit;
	u64 generation;
	struct expected digest;
	enum driver driver;
	bool remount;
};

/**
 * options_parse - parse a list of options
 * @list: separated by commas; quotes hide commas; changed
 * @o: filled in; @fs is to be freed in any case
 *
 * Return: 0, or -1 after a message.
 */
int options_parse(char *list, struct mount_opts *o);

/**
 * image_open_part - open an image where @offset of its file says, as it is on the device now
 * @img: filled in; to be closed after success
 *
 * Return: 0 or a negative errno, without a message.
 */
int image_open_part(const char *path, const struct mount_opts *o, struct image *img);

/**
 * loop_attach - attach a read-only loop device to an image file
 * @img: its superblocks were read
 * @o: offset and length
 * @name: gets the device's path
 *
 * Return: an open descriptor, which keeps the device alive, or -1 after a
 * message.
 */
int loop_attach(const struct image *img, const struct mount_opts *o, char name[64]);

/** loop_attach_fd - the same of all of a file that has no other user; @path: for messages */
int loop_attach_fd(int file, const char *path, char name[64]);

/** list_is - whether a file is a list of pieces */
bool list_is(const char *spec);

/**
 * list_attach - make a device of the pieces of a list
 * @path: gets its path
 *
 * Return: an open descriptor of it, which keeps it alive, or -1 after a message.
 */
int list_attach(const char *spec, char *path, size_t size);

/**
 * driver_settle - find out who reads the image
 * @o: option driver=; a driver that is not there makes an error here, the module at the mount
 *
 * Return: 0, or -1 after a message.
 */
int driver_settle(const char *spec, struct mount_opts *o);

/**
 * driver_view - make a view, and a loop device of it
 * @o: gets the options of EROFS
 * @device: that of the image
 * @name: gets the path of the view's
 *
 * Return: an open descriptor of the loop device, or -1 after a message.
 */
int driver_view(const char *spec, const char *dir, struct mount_opts *o, const char *device,
		char name[64]);

/** driver_say - print what a mount by EROFS lacks */
void driver_say(const char *spec);

/**
 * digest_check - whether an image keeps the digest that option digest= asks for
 * @path: of the image
 * @o: gets the number of the generation that keeps it, and passes it on
 *
 * Return: 0, or -1 after a message.
 */
int digest_check(const char *path, struct mount_opts *o);

/** digest_check_mounted - the same of the generation that is mounted on @dir */
int digest_check_mounted(const char *dir, const struct mount_opts *o);

/**
 * generation_mounted - number of the generation that is mounted from a block device
 * @dev: its number
 *
 * Return: 0 if none is.
 */
u64 generation_mounted(dev_t dev);

/** device_path - the path of a block device: the kernel's name of it, in /dev.  0 or -1 */
int device_path(dev_t dev, char *path, size_t size);

/** memory_say - print what a mount of an image will take of memory, if the image says */
void memory_say(const char *spec, const struct mount_opts *o);

/**
 * nodes_spread - spread the memory that is allocated from now on over the NUMA nodes
 *
 * Up to the end of the process, unless a policy is set already.
 */
void nodes_spread(void);

/**
 * do_mount - mount a device
 * @spec: as the user knows it, for messages
 * @dev: the device
 * @dir: where
 * @o: options
 *
 * What the kernel has to say is shown, warnings of a mount that works too.
 *
 * Return: 0, or a negative errno after a message.
 */
int do_mount(const char *spec, const char *dev, const char *dir, const struct mount_opts *o);
int do_remount(const char *dir, const struct mount_opts *o);

#endif /* DSFS_MOUNT_H */
