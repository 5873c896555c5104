// SPDX-License-Identifier: GPL-2.0
/*
 * Mount options.  One list has options for the VFS, for mount(8) and fstab(5),
 * for the loop device, and for the file system.  Unknown options are passed on,
 * so that the kernel reports them.
 */
#include <argz.h>
#include <linux/mount.h>

#include "mount.h"
#include "msg.h"
#include "parse.h"

/* An option for the VFS: bits to clear, then bits to set */
static const struct {
	const char *name;
	u64 clear;
	u64 set;
} vfs[] = {
	{ "defaults", 0, 0 },
	{ "ro", 0, 0 },
	{ "rw", 0, 0 },		/* the mount is read-only anyway */
	{ "suid", MOUNT_ATTR_NOSUID, 0 },
	{ "nosuid", 0, MOUNT_ATTR_NOSUID },
	{ "dev", MOUNT_ATTR_NODEV, 0 },
	{ "nodev", 0, MOUNT_ATTR_NODEV },
	{ "exec", MOUNT_ATTR_NOEXEC, 0 },
	{ "noexec", 0, MOUNT_ATTR_NOEXEC },
	{ "atime", MOUNT_ATTR__ATIME, MOUNT_ATTR_RELATIME },
	{ "noatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_NOATIME },
	{ "relatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_RELATIME },
	{ "norelatime", 0, 0 },
	{ "strictatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_STRICTATIME },
	{ "nostrictatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_RELATIME },
	{ "diratime", MOUNT_ATTR_NODIRATIME, 0 },
	{ "nodiratime", 0, MOUNT_ATTR_NODIRATIME },
	{ "symfollow", MOUNT_ATTR_NOSYMFOLLOW, 0 },
	{ "nosymfollow", 0, MOUNT_ATTR_NOSYMFOLLOW },
	/* options that allow users to mount imply these */
	{ "user", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC },
	{ "users", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC },
	{ "owner", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV },
	{ "group", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV },
};

/*
 * Options for mount(8) and fstab(5), and options about writing; a value may follow.  A file gets a
 * loop device in any case.
 */
static const char * const ignored[] = {
	"auto", "noauto", "nouser", "nousers", "noowner", "nogroup", "_netdev",
	"nofail", "comment", "uhelper", "helper", "async", "sync", "dirsync",
	"lazytime", "nolazytime", "iversion", "noiversion", "mand", "nomand",
	"silent", "loud", "loop",
};

static bool is_ignored(const char *opt, size_t len)
{
	if (!strncmp(opt, "x-", 2) || !strncmp(opt, "X-", 2))
		return true;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (strlen(ignored[i]) == len && !memcmp(opt, ignored[i], len))
			return true;
	return false;
}

static bool for_vfs(const char *opt, struct mount_opts *o)
{
	for (size_t i = 0; i < sizeof(vfs) / sizeof(*vfs); i++) {
		if (strcmp(opt, vfs[i].name))
			continue;
		o->attrs = (o->attrs & ~vfs[i].clear) | vfs[i].set;
		return true;
	}
	return false;
}

static int size_option(const char *opt, const char *value, u64 *v)
{
	int ret = parse_size(value, v);

	if (!ret && *v & 511)
		ret = -EINVAL;
	if (ret)
		msg_error(NULL, "option %s: not a multiple of 512 bytes", opt);
	return ret ? -1 : 0;
}

static int driver_option(const char *value, enum driver *driver)
{
	static const char * const names[] = { "module", "erofs", "auto" };

	for (enum driver d = DRIVER_MODULE; d <= DRIVER_AUTO; d++) {
		if (strcmp(value, names[d]))
			continue;
		*driver = d;
		return 0;
	}
	return msg_error(NULL, "option driver=%s: not module, erofs or auto", value);
}

static int digest_option(const char *opt, const char *value, struct expected *digest)
{
	if (!expected_parse(value, digest))
		return 0;
	return msg_error(NULL, "option %s: not sha256: and 64 hexadecimal digits", opt);
}

/*
 * Refuse verity.*.  mount(8) removes these options after libmount has made the device of dm-verity,
 * which it passes as the image.  Any other caller has made no device, so nothing would be verified.
 */
static int verity_option(const char *opt)
{
	return msg_error(NULL, "option %s: nobody has made the device: mount.dsfs(8) says who does",
			 opt);
}

static int add_option(const char *opt, struct mount_opts *o)
{
	size_t len = strcspn(opt, "=");

	if (!*opt || for_vfs(opt, o) || is_ignored(opt, len))
		return 0;
	if (!strncmp(opt, "offset=", 7))
		return size_option(opt, opt + 7, &o->offset);
	if (!strncmp(opt, "sizelimit=", 10))
		return size_option(opt, opt + 10, &o->sizelimit);
	if (!strncmp(opt, "digest=", 7))
		return digest_option(opt, opt + 7, &o->digest);
	if (!strcmp(opt, "digest"))
		return digest_option(opt, "", &o->digest);
	if (!strncmp(opt, "driver=", 7))
		return driver_option(opt + 7, &o->driver);
	if (!strncmp(opt, "verity.", 7))
		return verity_option(opt);
	/* passed to the kernel, too, which reports errors */
	if (!strncmp(opt, "generation=", 11) && parse_u64(opt + 11, &o->generation))
		o->generation = 0;
	if (!strcmp(opt, "remount")) {
		o->remount = true;
		return 0;
	}
	return argz_add(&o->fs, &o->fs_len, opt) ? no_memory() : 0;
}

/* Get the first option of a list: quotes are removed, and hide commas. */
static char *next_option(char **list)
{
	char *from = *list, *to = *list, *begin = *list;
	bool quoted = false;

	if (!from)
		return NULL;
	for (; *from && (quoted || *from != ','); from++) {
		if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	*list = *from ? from + 1 : NULL;
	*to = '\0';
	return begin;
}

int options_parse(char *list, struct mount_opts *o)
{
	char *opt;

	memset(o, 0, sizeof(*o));
	o->attrs = MOUNT_ATTR_RDONLY;
	while ((opt = next_option(&list)))
		if (add_option(opt, o))
			return -1;
	return 0;
}
