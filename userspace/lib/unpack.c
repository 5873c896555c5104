// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacking of frames.  What a frame claims is compared with what the metadata says before
 * memory is written, so a hostile frame costs an error and the time of one unit.
 *
 * A context of zstd has 150 KiB: each thread keeps one, as a small file is unpacked in less time
 * than it takes to make one.
 */
#ifndef DSFS_NO_ZSTD
#include <pthread.h>
#include <zstd.h>
#endif
#ifndef DSFS_NO_LZ4
#include <lz4.h>
#endif

#include "unpack.h"

#ifdef DSFS_NO_ZSTD
static int unpack_zstd(const u8 *frame, u32 len, u8 *unit, u32 bytes)
{
	return -EOPNOTSUPP;
}
#else
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void free_context(void *context)
{
	ZSTD_freeDCtx(context);
}

static void make_key(void)
{
	has_key = !pthread_key_create(&key, free_context);
}

/* The context of this thread.  NULL: no memory, or no key. */
static ZSTD_DCtx *context_get(void)
{
	ZSTD_DCtx *context;

	pthread_once(&once, make_key);
	if (!has_key)
		return NULL;
	context = pthread_getspecific(key);
	if (context)
		return context;
	context = ZSTD_createDCtx();
	if (context && pthread_setspecific(key, context)) {
		ZSTD_freeDCtx(context);
		context = NULL;
	}
	return context;
}

static int unpack_zstd(const u8 *frame, u32 len, u8 *unit, u32 bytes)
{
	ZSTD_DCtx *context;

	if (ZSTD_getFrameContentSize(frame, len) != bytes ||
	    ZSTD_findFrameCompressedSize(frame, len) != len)
		return -EUCLEAN;
	context = context_get();
	if (!context)
		return -ENOMEM;
	return ZSTD_decompressDCtx(context, unit, bytes, frame, len) == bytes ? 0 : -EUCLEAN;
}
#endif

#ifdef DSFS_NO_LZ4
static int unpack_lz4(const u8 *frame, u32 len, u8 *unit, u32 bytes)
{
	return -EOPNOTSUPP;
}
#else
static int unpack_lz4(const u8 *frame, u32 len, u8 *unit, u32 bytes)
{
	const int n = LZ4_decompress_safe((const char *)frame, (char *)unit, len, bytes);

	return n >= 0 && n == bytes ? 0 : -EUCLEAN;
}
#endif

int unpack_unit(u8 codec, const u8 *frame, u32 len, u8 *unit, u32 bytes, struct dsfs_err *err)
{
	int ret;

	if (len == bytes) {
		memcpy(unit, frame, len);
		return 0;
	}
	if (codec == DSFS_CODEC_ZSTD)
		ret = unpack_zstd(frame, len, unit, bytes);
	else
		ret = unpack_lz4(frame, len, unit, bytes);
	if (ret == -EOPNOTSUPP)
		return dsfs_bad(err, "codec that this build does not have", codec, 0, ret);
	if (ret == -ENOMEM)
		return dsfs_bad(err, "memory to unpack a frame", len, bytes, ret);
	return ret ? dsfs_bad(err, "frame that does not unpack to its unit", len, bytes, ret) : 0;
}
