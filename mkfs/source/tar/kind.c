// SPDX-License-Identifier: GPL-2.0
/*
 * What a file that is no tar archive begins with, for messages: who gives a wrong one is told
 * what it is.  Magic numbers that a name may begin with are long enough.
 */
#include "dsfs_platform.h"
#include "tar_bytes.h"

#define KIND(name, codec, at, magic)	{ name, TAR_ ## codec, at, sizeof(magic) - 1, magic }

static const struct {
	const char *name;
	enum tar_codec codec;
	u16 at;
	u8 len;
	const char *magic;
} kinds[] = {
	KIND("gzip", GZIP, 0, "\x1f\x8b"),
	KIND("bzip2", BZIP2, 4, "1AY&SY"),
	KIND("bzip2", BZIP2, 4, "\x17\x72\x45\x38\x50\x90"),
	KIND("xz", XZ, 0, "\xfd\x37zXZ\0"),
	KIND("zstd", ZSTD, 0, "\x28\xb5\x2f\xfd"),
	KIND("lz4", LZ4, 0, "\x04\x22\x4d\x18"),
	KIND("lz4", LZ4, 0, "\x02\x21\x4c\x18"),
	KIND("lzip", LZIP, 0, "LZIP\1"),
	KIND("lzma", PLAIN, 0, "\x5d\0\0"),
	KIND("lzop", PLAIN, 0, "\x89LZO\0\r\n"),
	KIND("lrzip", PLAIN, 0, "LRZI\0"),
	KIND("compress", PLAIN, 0, "\x1f\x9d"),
	KIND("pack", PLAIN, 0, "\x1f\x1e"),
	KIND("snappy", PLAIN, 0, "\xff\x06\0\0sNaPpY"),
	KIND("zip", PLAIN, 0, "PK\3\4"),
	KIND("zip", PLAIN, 0, "PK\5\6"),
	KIND("7-Zip", PLAIN, 0, "7z\xbc\xaf\x27\x1c"),
	KIND("RAR", PLAIN, 0, "Rar!\x1a\7"),
	KIND("cpio", PLAIN, 0, "07070"),
	KIND("cpio", PLAIN, 0, "\xc7\x71"),
	KIND("cpio", PLAIN, 0, "\x71\xc7"),
	KIND("ar, as Debian's packages", PLAIN, 0, "!<arch>\n"),
	KIND("RPM", PLAIN, 0, "\xed\xab\xee\xdb"),
	KIND("xar", PLAIN, 0, "xar!"),
	KIND("squashfs", PLAIN, 0, "hsqs"),
	KIND("DSFS", PLAIN, 0, "DSFS"),
	KIND("HDF5", PLAIN, 0, "\x89HDF\r\n\x1a\n"),
	KIND("Parquet", PLAIN, 0, "PAR1"),
	KIND("OpenPGP", PLAIN, 0, "-----BEGIN PGP"),
	KIND("age", PLAIN, 0, "age-encryption.org/"),
	KIND("openssl enc", PLAIN, 0, "Salted__"),
	KIND("Git LFS: a pointer to the file", PLAIN, 0, "version https://git-lfs"),
	KIND("HTML", PLAIN, 0, "<!DOCTYPE"),
	KIND("HTML", PLAIN, 0, "<!doctype"),
	KIND("HTML", PLAIN, 0, "<html"),
	KIND("XML", PLAIN, 0, "<?xml"),
};

const char *tar_kind(const void *p, size_t n, enum tar_codec *codec)
{
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (n < kinds[i].at + kinds[i].len ||
		    memcmp((const char *)p + kinds[i].at, kinds[i].magic, kinds[i].len))
			continue;
		*codec = kinds[i].codec;
		/* its magic is not all that bzip2 begins with */
		if (*codec != TAR_BZIP2 || !memcmp(p, "BZh", 3))
			return kinds[i].name;
	}
	*codec = TAR_PLAIN;
	return NULL;
}
