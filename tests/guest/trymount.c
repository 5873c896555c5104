// SPDX-License-Identifier: GPL-2.0
/*
 * trymount - mount, and print the errno and the kernel's messages.
 *
 * mount(8) turns an errno into prose, and busybox drops the messages of the
 * kernel; tests need both.  Prints "OK" or the errno's name, a colon and the
 * messages of the fs context.
 *
 *   trymount [-t TYPE] [-o OPTIONS] SOURCE DIR	by fsopen, fsconfig, fsmount
 *   trymount -l ...				by mount(2)
 *   trymount -r [-o OPTIONS] DIR		remount, by mount(2)
 *   trymount -k -o OPTIONS SOURCE DIR	the same, whether options are refused or not
 *   trymount -s KIB [-o OPTIONS] SOURCE DIR	with half of KIB of free memory, while
 *						more counts as available
 *
 * Exit: 0 mounted, 1 not.
 */
#include <sys/mount.h>

#include "lib.h"
#include "trymount.h"

#ifndef FSCONFIG_SET_STRING
#define FSCONFIG_SET_FLAG	0
#define FSCONFIG_SET_STRING	1
#define FSCONFIG_CMD_CREATE	6
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH	4
#endif

static char messages[4096];

static void read_messages(int fs)
{
	char line[1024];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fs, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		line[strcspn(line, "\n")] = 0;
		len += snprintf(messages + len, sizeof(messages) - len, "%s%s", len ? "; " : "",
				line);
		if (len >= sizeof(messages))
			break;
	}
}

static int tell(int failed)
{
	printf("%s%s%s\n", failed ? strerrorname_np(errno) : "OK",
	       failed || *messages ? ": " : "", messages);
	return failed ? 1 : 0;
}

static int config(int fs, unsigned int cmd, const char *key, const char *value)
{
	return syscall(SYS_fsconfig, fs, cmd, key, value, 0);
}

/* Cuts OPTIONS at commas; ro and rw are flags, all else is the type's. */
static int set_options(int fs, char *options, int keep_on)
{
	char *o, *value;

	for (o = strtok(options, ","); o; o = strtok(NULL, ",")) {
		value = strchr(o, '=');
		if (value)
			*value++ = 0;
		if (config(fs, value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, o, value) &&
		    !keep_on)
			return -1;
	}
	return 0;
}

static int mount_context(int fs, const char *dir)
{
	int mnt = syscall(SYS_fsmount, fs, 0, 0);

	return mnt < 0 || syscall(SYS_move_mount, mnt, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH);
}

static int new_api(const char *type, char *options, int keep_on, const char *source,
		   const char *dir)
{
	int fs = syscall(SYS_fsopen, type, 0), failed, saved;

	if (fs < 0)
		return -1;
	failed = set_options(fs, options, keep_on) ||
		 config(fs, FSCONFIG_SET_STRING, "source", source) ||
		 config(fs, FSCONFIG_CMD_CREATE, NULL, NULL) || mount_context(fs, dir);
	saved = errno;
	read_messages(fs);
	errno = saved;
	return failed;
}

/* mount(2) wants ro as a flag of its own. */
static unsigned long take_flags(char *options)
{
	char copy[1024], *o;
	unsigned long flags = 0;
	size_t len = 0;

	snprintf(copy, sizeof(copy), "%s", options);
	*options = 0;
	for (o = strtok(copy, ","); o; o = strtok(NULL, ",")) {
		if (!strcmp(o, "ro"))
			flags |= MS_RDONLY;
		else if (!strcmp(o, "relatime") || !strcmp(o, "rw"))
			continue;
		else
			len += sprintf(options + len, "%s%s", len ? "," : "", o);
	}
	return flags;
}

int main(int argc, char **argv)
{
	const char *type = "dsfs";
	int legacy = 0, remount = 0, keep_on = 0, failed, c;
	unsigned long flags;
	uint64_t scarce = 0;
	char options[1024] = "";

	t_init("trymount");
	while ((c = getopt(argc, argv, "t:o:klrs:")) != -1) {
		switch (c) {
		case 't':
			type = optarg;
			break;
		case 'o':
			snprintf(options, sizeof(options), "%s", optarg);
			break;
		case 'k':
			keep_on = 1;
			break;
		case 'l':
			legacy = 1;
			break;
		case 'r':
			remount = 1;
			break;
		case 's':
			scarce = strtoull(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != (remount ? 1 : 2)) {
		fprintf(stderr,
			"usage: trymount [-k | -l] [-s KIB] [-t TYPE] [-o OPTIONS] SOURCE DIR\n"
			"       trymount -r [-o OPTIONS] DIR\n");
		return 2;
	}
	if (!remount && !legacy) {
		if (scarce)
			scarce_begin(scarce);
		failed = new_api(type, options, keep_on, argv[optind], argv[optind + 1]);
		if (scarce)
			scarce_end();
		return tell(failed);
	}
	flags = take_flags(options);
	if (remount)
		return tell(mount("none", argv[optind], NULL, flags | MS_REMOUNT, options));
	return tell(mount(argv[optind], argv[optind + 1], type, flags, options));
}
