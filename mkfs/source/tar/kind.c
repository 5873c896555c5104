// SPDX-License-Identifier: GPL-2.0
/*
 * What a file that is no tar archive begins with, for messages: who gives a wrong one is told
 * what it is.  Magic numbers that a name may begin with are long enough.
 */
#include "dsfs_platform.h"
#include "tar_kind.h"

#define MAGIC(text)	sizeof(text) - 1, text

static const struct {
	const char *name;
	enum tar_codec codec;
	u16 at;
	u8 len;
	const char *magic;
} kinds[] = {
	{ "gzip", TAR_GZIP, 0, MAGIC("\x1f\x8b") },
	{ "bzip2", TAR_BZIP2, 4, MAGIC("1AY&SY") },
	{ "bzip2", TAR_BZIP2, 4, MAGIC("\x17\x72\x45\x38\x50\x90") },
	{ "xz", TAR_XZ, 0, MAGIC("\xfd\x37zXZ\0") },
	{ "zstd", TAR_ZSTD, 0, MAGIC("\x28\xb5\x2f\xfd") },
	{ "lz4", TAR_LZ4, 0, MAGIC("\x04\x22\x4d\x18") },
	{ "lz4", TAR_LZ4, 0, MAGIC("\x02\x21\x4c\x18") },
	{ "lzip", TAR_LZIP, 0, MAGIC("LZIP\1") },
	{ "lzma", TAR_PLAIN, 0, MAGIC("\x5d\0\0") },
	{ "lzop", TAR_PLAIN, 0, MAGIC("\x89LZO\0\r\n") },
	{ "lrzip", TAR_PLAIN, 0, MAGIC("LRZI\0") },
	{ "compress", TAR_PLAIN, 0, MAGIC("\x1f\x9d") },
	{ "pack", TAR_PLAIN, 0, MAGIC("\x1f\x1e") },
	{ "snappy", TAR_PLAIN, 0, MAGIC("\xff\x06\0\0sNaPpY") },
	{ "zip", TAR_PLAIN, 0, MAGIC("PK\3\4") },
	{ "zip", TAR_PLAIN, 0, MAGIC("PK\5\6") },
	{ "7-Zip", TAR_PLAIN, 0, MAGIC("7z\xbc\xaf\x27\x1c") },
	{ "RAR", TAR_PLAIN, 0, MAGIC("Rar!\x1a\7") },
	{ "cpio", TAR_PLAIN, 0, MAGIC("07070") },
	{ "cpio", TAR_PLAIN, 0, MAGIC("\xc7\x71") },
	{ "cpio", TAR_PLAIN, 0, MAGIC("\x71\xc7") },
	{ "ar, as Debian's packages", TAR_PLAIN, 0, MAGIC("!<arch>\n") },
	{ "RPM", TAR_PLAIN, 0, MAGIC("\xed\xab\xee\xdb") },
	{ "xar", TAR_PLAIN, 0, MAGIC("xar!") },
	{ "squashfs", TAR_PLAIN, 0, MAGIC("hsqs") },
	{ "DSFS", TAR_PLAIN, 0, MAGIC("DSFS") },
	{ "HDF5", TAR_PLAIN, 0, MAGIC("\x89HDF\r\n\x1a\n") },
	{ "Parquet", TAR_PLAIN, 0, MAGIC("PAR1") },
	{ "OpenPGP", TAR_PLAIN, 0, MAGIC("-----BEGIN PGP") },
	{ "age", TAR_PLAIN, 0, MAGIC("age-encryption.org/") },
	{ "openssl enc", TAR_PLAIN, 0, MAGIC("Salted__") },
	{ "Git LFS: a pointer to the file", TAR_PLAIN, 0, MAGIC("version https://git-lfs") },
	{ "HTML", TAR_PLAIN, 0, MAGIC("<!DOCTYPE") },
	{ "HTML", TAR_PLAIN, 0, MAGIC("<!doctype") },
	{ "HTML", TAR_PLAIN, 0, MAGIC("<html") },
	{ "XML", TAR_PLAIN, 0, MAGIC("<?xml") },
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
