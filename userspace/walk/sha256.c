// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 by libgcrypt.  It uses the SHA instructions of processors, several times as fast as
 * plain C, and its licence is compatible with that of the tools.
 */
#include <gcrypt.h>

#include "sha256.h"
#include "msg.h"

int sha256_library_init(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return 0;
	if (!gcry_check_version(NULL) || gcry_md_test_algo(GCRY_MD_SHA256))
		return msg_fail(-EOPNOTSUPP, NULL, "SHA-256: libgcrypt does not have it");
	/* no secret is hashed, so no memory is locked */
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return 0;
}

int sha256_init(struct sha256 *h)
{
	gcry_md_hd_t md;

	h->md = NULL;
	if (gcry_md_open(&md, GCRY_MD_SHA256, 0))
		return -ENOMEM;
	h->md = md;
	return 0;
}

void sha256_free(struct sha256 *h)
{
	gcry_md_close(h->md);
	h->md = NULL;
}

void sha256_put(struct sha256 *h, const void *data, size_t len)
{
	gcry_md_write(h->md, data, len);
}

void sha256_put_zeros(struct sha256 *h, u64 len)
{
	static const u8 zeros[65536];
	u64 n;

	for (; len; len -= n) {
		n = len < sizeof(zeros) ? len : sizeof(zeros);
		sha256_put(h, zeros, n);
	}
}

void sha256_end(struct sha256 *h, u8 sum[SHA256_BYTES])
{
	memcpy(sum, gcry_md_read(h->md, GCRY_MD_SHA256), SHA256_BYTES);
	gcry_md_reset(h->md);
}
