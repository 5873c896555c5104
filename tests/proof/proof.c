// SPDX-License-Identifier: GPL-2.0
/*
 * Any image: its geometry, its metadata, its inodes.
 *
 * Two reads of the same place give different bytes here, which is more than an image can do.  So
 * what is proven holds for a device that changes, too.
 */
#include "proof.h"

/* All of the code, as harnesses call functions that are static, too. */
#include <compressed.c>
#include <dir.c>
#include <extent.c>
#include <extra.c>
#include <history.c>
#include <inode.c>
#include <meta.c>
#include <note.c>
#include <rows.c>
#include <super.c>
#include <xattr.c>

static int refs;

/*
 * memchr - a place that holds the byte, or none does
 *
 * Of the latter, what a proof asks for is said: that the byte at @witness is another one.  As that
 * may be any place, it says it of all.
 */
size_t witness;

void *memchr(const void *p, int c, size_t len)
{
	const unsigned char *s = p;
	const size_t at = any(size_t);

	assert(!len || __CPROVER_r_ok(p, len));
	if (at < len) {
		assume(s[at] == (unsigned char)c);
		return (void *)(s + at);
	}
	if (witness < len)
		assume(s[witness] != (unsigned char)c);
	return NULL;
}

/*
 * memcpy - of sizes that the code has by itself; of all others that both places are there
 *
 * What was copied is any then, with the rest of what it lies in.
 */
void *memcpy(void *to, const void *from, size_t len)
{
	struct copy16 { u8 bytes[16]; };
	struct copy64 { u8 bytes[64]; };

	assert(!len || (__CPROVER_r_ok(from, len) && __CPROVER_w_ok(to, len)));
	if (len == sizeof(__le32))
		*(__le32 *)to = *(const __le32 *)from;
	else if (len == sizeof(__le64))
		*(__le64 *)to = *(const __le64 *)from;
	else if (len == sizeof(struct copy16))
		*(struct copy16 *)to = *(const struct copy16 *)from;
	else if (len == sizeof(struct copy64))
		*(struct copy64 *)to = *(const struct copy64 *)from;
	else
		__CPROVER_havoc_object(to);
	return to;
}

/* memcmp - that both places can be read; no proof asks for more */
int memcmp(const void *a, const void *b, size_t len)
{
	assert(!len || (__CPROVER_r_ok(a, len) && __CPROVER_r_ok(b, len)));
	return any(int);
}

bool stub_all_zero(const u8 *p, size_t len)
{
	assert(!len || __CPROVER_r_ok(p, len));
	return any(bool);
}

/* dsfs_meta_get - as access.h has it; any read may fail */
int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off, size_t len,
		  struct dsfs_mref *ref)
{
	const u64 room = src->geo.regions[region].bytes;
	const int error = any(int);

	assert(region < DSFS_REGIONS_USED);
	assert(len >= 1 && len <= DSFS_BLOCK_SIZE);
	if (off >= room || len > room - off ||
	    (off & (DSFS_BLOCK_SIZE - 1)) + len > DSFS_BLOCK_SIZE)
		return -EUCLEAN;
	if (error < 0)
		return error;
	ref->p = bytes_any(len);
	ref->priv = (void *)ref->p;
	refs++;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	assert(refs > 0);
	refs--;
}

/* refs_none - no reference was lost */
void refs_none(void)
{
	assert(!refs);
}

/* said - an error says which rule is broken */
void said(int ret, const struct dsfs_err *err)
{
	assert(ret >= 0 || err->what);
}

static bool bits_good(const struct dsfs_geo *geo)
{
	const u8 chunk = geo->chunk_bits, small = geo->small_bits, large = geo->large_bits;

	if (geo->align_bits < DSFS_ALIGN_BITS_MIN || geo->align_bits > DSFS_ALIGN_BITS_MAX)
		return false;
	if (!chunk)
		return !small && !large && !geo->chunksums;
	return chunk >= DSFS_CHUNK_BITS_MIN && chunk <= DSFS_CHUNK_BITS_MAX &&
	       small >= chunk && small <= DSFS_CHUNK_BITS_MAX &&
	       large >= DSFS_CHUNK_BITS_MIN && large <= DSFS_CHUNK_BITS_MAX;
}

static bool areas_good(const struct dsfs_geo *geo)
{
	return geo->image_bytes < DSFS_MAX_OFFSET &&
	       geo->meta_bytes >= DSFS_BLOCK_SIZE && geo->meta_bytes <= DSFS_META_MAX &&
	       geo->meta_bytes <= geo->image_bytes &&
	       geo->meta_start <= geo->image_bytes - geo->meta_bytes &&
	       geo->data_end <= geo->meta_start && geo->data_start <= geo->data_end &&
	       geo->data_start >= DSFS_DATA_START_MIN;
}

/* A region has whole records, lies in the metadata, and can be counted. */
bool region_good(const struct dsfs_geo *geo, unsigned int i)
{
	const struct dsfs_region_info *r = &geo->regions[i];

	if (!r->bytes)
		return true;
	return i < DSFS_REGIONS_USED && !(r->bytes & (dsfs_record_bytes[i] - 1)) &&
	       r->bytes <= dsfs_region_max(i) && r->pos >= geo->meta_start &&
	       r->bytes <= geo->meta_bytes &&
	       r->pos - geo->meta_start <= geo->meta_bytes - r->bytes;
}

static bool regions_good(const struct dsfs_geo *geo)
{
	for (unsigned int i = 0; i < DSFS_REGIONS; i++)
		if (!region_good(geo, i))
			return false;
	return true;
}

/* Counts are of whole records, which lie in their regions. */
static bool counts_good(const struct dsfs_geo *geo)
{
	const struct dsfs_region_info *r = geo->regions;

	return geo->inodes > DSFS_ROOT_INO && geo->inodes <= DSFS_MAX_INODES + 1 &&
	       geo->dirs && geo->dirs < geo->inodes && geo->owners &&
	       (u64)geo->dirs * sizeof(struct dsfs_dir) == r[DSFS_REGION_DIRS].bytes &&
	       (u64)geo->owners * sizeof(struct dsfs_owner) == r[DSFS_REGION_OWNERS].bytes &&
	       (u64)geo->extras * sizeof(struct dsfs_extra) == r[DSFS_REGION_EXTRAS].bytes &&
	       (u64)geo->extents * sizeof(struct dsfs_extent_record) ==
	       r[DSFS_REGION_EXTENTS].bytes &&
	       geo->buckets * sizeof(struct dsfs_bucket) == r[DSFS_REGION_INDEX].bytes &&
	       geo->chunksums * sizeof(__le32) == r[DSFS_REGION_CHUNKSUMS].bytes &&
	       geo->units * sizeof(__le32) == r[DSFS_REGION_UNITS].bytes &&
	       geo->chunksums <= 1ULL << 32 && geo->units <= 1ULL << 32 &&
	       (r[DSFS_REGION_NAMES].bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS ==
	       r[DSFS_REGION_NUMBERS].bytes >> 2 &&
	       !(r[DSFS_REGION_NUMBERS].bytes & (sizeof(__le32) - 1));
}

/* geo_good - what dsfs_super_decode() says of a geometry that it accepts, and all others assume */
bool geo_good(const struct dsfs_geo *geo)
{
	return bits_good(geo) && areas_good(geo) && regions_good(geo) && counts_good(geo);
}

struct dsfs_geo geo_any(void)
{
	struct dsfs_geo geo;

	assume(geo_good(&geo));
	return geo;
}

/* source_any - any metadata at all: what needs no more of it is proven for more than images */
struct dsfs_source source_any(void)
{
	struct dsfs_source src;
	unsigned int i;

	for (i = 0; i < DSFS_REGIONS; i++)
		assume(src.geo.regions[i].bytes <= DSFS_META_MAX);
	assume(bits_good(&src.geo));
	return src;
}

/* reg_any - any regular file that dsfs_inode_check() has accepted */
struct dsfs_attr reg_any(const struct dsfs_geo *geo)
{
	struct dsfs_attr attr;
	struct dsfs_err err;

	assume(S_ISREG(attr.mode));
	assume(attr.size < DSFS_MAX_OFFSET && attr.start < DSFS_MAX_OFFSET);
	assume(!dsfs_inode_check(geo, &attr, &err));
	assume(!dsfs_attr_is_hardlink(&attr));
	return attr;
}
