// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs_id: prints the properties of a device with an image, named like those of
 * udev's blkid builtin.  It is needed while libblkid does not know DSFS:
 * without it, udev has no UUID and no label, so there is no mount by them.  This folder
 * holds it and its rule; it uses the library and libblkid.
 */
#include <blkid/blkid.h>
#include <uuid/uuid.h>

#include "args.h"
#include "imagemsg.h"
#include "msg.h"
#include "utf8.h"

enum { EXIT_OK, EXIT_NONE };

static const struct arg option_table[] = { { } };

static const struct args command_line = {
	.usage =
	"Usage: dsfs_id DEVICE\n"
	"Print properties for udev of a device, or a file, that holds a DSFS image.\n",
	.more = "Exit: 0 it does, 1 it does not, 2 wrong usage.\n",
	.words = "DEVICE", .low = 1, .high = 1,
	.table = option_table,
};

/*
 * Whether libblkid finds a signature other than DSFS.  Programs that make a
 * file system do not remove superblocks of types that they do not know.
 */
static bool is_something_else(const char *path)
{
	blkid_probe pr = blkid_new_probe_from_filename(path);
	const char *type;
	bool other;
	int ret;

	if (!pr)
		return false;
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE);
	ret = blkid_do_safeprobe(pr);
	/* -2: several signatures */
	other = ret == -2 ||
		(!ret && !blkid_probe_lookup_value(pr, "TYPE", &type, NULL) &&
		 strcmp(type, "dsfs"));
	blkid_free_probe(pr);
	return other;
}

/*
 * Whether bytes between the slots are not zero.  The second slot alone may be
 * left of an image whose start was overwritten.
 */
static bool is_overwritten(const struct image *img)
{
	static u8 gap[DSFS_SB_STRIDE - DSFS_SB_SIZE];

	if (image_pread(img, gap, sizeof(gap), DSFS_SB_POS(0) + DSFS_SB_SIZE))
		return true;
	return gap[0] || memcmp(gap, gap + 1, sizeof(gap) - 1);
}

static bool is_dsfs(const struct image *img)
{
	if (!img->geo || (img->slots[0].ret && is_overwritten(img)))
		return false;
	return !is_something_else(img->path);
}

/* Bytes of a text of which libblkid writes each byte as four; it wants some to spare. */
#define TEXT_MAX	(4 * DSFS_LABEL_MAX + 4)

/* Print a property.  udev takes a quote in front, and its counterpart, from a value. */
static void print_property(const char *name, const char *value)
{
	const char *quote = *value == '"' || *value == '\'' ? "\"" : "";

	printf("%s=%s%s%s\n", name, quote, value, quote);
}

/* Print @text twice: with unsafe bytes replaced, and with them encoded. */
static void print_text(const char *name, const char *text)
{
	char buf[TEXT_MAX], encoded[32];

	if (!*text)
		return;
	if (!blkid_safe_string(text, buf, sizeof(buf))) {
		/* it leaves controls unless they are blanks */
		utf8_no_controls(buf, '_');
		print_property(name, buf);
	}
	snprintf(encoded, sizeof(encoded), "%s_ENC", name);
	if (!blkid_encode_string(text, buf, sizeof(buf)))
		print_property(encoded, buf);
}

static void print_properties(const struct dsfs_geo *geo)
{
	char uuid[UUID_STR_LEN] = "";

	if (!uuid_is_null(geo->uuid))
		uuid_unparse_lower(geo->uuid, uuid);
	puts("ID_FS_TYPE=dsfs");
	puts("ID_FS_USAGE=filesystem");
	printf("ID_FS_VERSION=%u\n", DSFS_VERSION);
	print_text("ID_FS_LABEL", (const char *)geo->label);
	print_text("ID_FS_UUID", uuid);
}

int main(int argc, char **argv)
{
	struct image img;
	int ret;

	msg_init("dsfs_id", EXIT_NONE);
	ret = args_parse(&command_line, NULL, &argc, argv);
	if (ret >= 0)
		return ret;
	if (image_open(&img, argv[0]))
		return EXIT_NONE;
	ret = is_dsfs(&img) ? EXIT_OK : EXIT_NONE;
	if (ret == EXIT_OK)
		print_properties(img.geo);
	image_close(&img);
	return ret;
}
