// SPDX-License-Identifier: GPL-2.0
/*
 * The name index of a directory.  Each name must be found through it at its own
 * place, by the lookup code of the kernel.  So each name has an entry, and any
 * other entry shows in the number of entries.
 *
 * A lookup compares other names with the same fingerprint, which lie anywhere.  So an index is
 * looked at as a whole first, without that: if all names are different, each has its own entry
 * in one of its two buckets, and there are no more entries than names, then every entry leads
 * to one name, every name is found by its own entry and by no other one.  Where that does not
 * hold, names are looked up one by one, to tell what is wrong.
 */
#include "fsck.h"
#include "msg.h"

static u64 bucket_pos(const struct fsck *f, const struct dsfs_dir_info *dir, u64 bucket)
{
	return meta_pos(f, DSFS_REGION_INDEX,
			(dir->first_bucket + bucket) * sizeof(struct dsfs_bucket));
}

void check_indexed(struct fsck *f, const struct dsfs_dir_info *dir, const struct dsfs_name *name)
{
	const u64 hash = dsfs_name_hash(name->name, name->len);
	const u64 at = bucket_pos(f, dir, dsfs_index_bucket(hash, dir->buckets, 0));
	const u32 ino = dir->first + name->pos;
	struct dsfs_err err = { 0 };
	u32 pos;
	u8 type;
	int ret = dsfs_dir_lookup(f->src, dir, name->name, name->len, &pos, &type, &err);

	if (ret == -ENOENT)
		problem(f, "name that the index does not have", ino, at, "hash %#llx", hash);
	else if (ret)
		problem_err(f, ino, at, &err, ret);
	else if (pos != name->pos)
		problem(f, "name that the index has elsewhere", ino, at,
			"position %u, expected %u", pos, name->pos);
}

/*
 * Count the entries of an index.  Return: 0, or the error of reading bucket @bucket.
 */
static int count_entries(struct fsck *f, const struct dsfs_dir_info *dir, u64 *entries,
			 u64 *bucket)
{
	const struct dsfs_bucket *raw;
	struct dsfs_mref ref;
	int ret;

	*entries = 0;
	for (*bucket = 0; *bucket < dir->buckets && !stop_asked(); ++*bucket) {
		ret = dsfs_meta_get(f->src, DSFS_REGION_INDEX,
				    (dir->first_bucket + *bucket) * sizeof(*raw),
				    sizeof(*raw), &ref);
		if (ret)
			return ret;
		raw = ref.p;
		for (unsigned int i = 0; i < DSFS_BUCKET_ENTRIES; i++)
			*entries += !!raw->entries[i];
		dsfs_meta_put(&ref);
	}
	return 0;
}

void check_index(struct fsck *f, const struct dsfs_dir_info *dir)
{
	u64 entries, bucket;
	int ret = count_entries(f, dir, &entries, &bucket);

	if (ret)
		problem(f, "index bucket", dir->self, bucket_pos(f, dir, bucket), "%s",
			msg_why(-ret));
	else if (entries != dir->count && !stop_asked())
		problem(f, "entries of an index", dir->self, bucket_pos(f, dir, 0),
			"%llu, expected %u", entries, dir->count);
}

/* Whether a bucket has an entry */
static bool has_entry(struct fsck *f, const struct dsfs_dir_info *dir, u32 bucket, u32 entry)
{
	const struct dsfs_bucket *raw;
	struct dsfs_mref ref;
	unsigned int i, found = 0;

	if (dsfs_meta_get(f->src, DSFS_REGION_INDEX, (dir->first_bucket + bucket) * sizeof(*raw),
			  sizeof(*raw), &ref))
		return false;
	raw = ref.p;
	for (i = 0; i < DSFS_BUCKET_ENTRIES; i++)
		found |= le32_to_cpu(raw->entries[i]) == entry;
	dsfs_meta_put(&ref);
	return found;
}

/* Whether a name, in slot @slot of name block @block, has its entry */
static bool is_indexed(struct fsck *f, const struct dsfs_dir_info *dir,
		       const struct dsfs_name *name, u32 block, u32 slot)
{
	const u64 hash = dsfs_name_hash(name->name, name->len);
	const u32 entry = dsfs_index_entry(hash, block, slot, dir->slot_bits, dir->block_bits);

	if ((slot + 1) >> dir->slot_bits || block >> dir->block_bits)
		return false;
	return has_entry(f, dir, dsfs_index_bucket(hash, dir->buckets, 0), entry) ||
	       has_entry(f, dir, dsfs_index_bucket(hash, dir->buckets, 1), entry);
}

/* Whether the names ascend and have their entries */
static bool names_indexed(struct fsck *f, const struct dsfs_dir_info *dir)
{
	char prev[DSFS_NAME_MAX];
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct dsfs_err err;
	u32 prev_len = 0;
	int ret;

	dsfs_dir_iter_init(&it, f->src, dir, 0);
	while ((ret = dsfs_dir_iter_next(&it, &name, &err)) > 0) {
		if (stop_asked() ||
		    dsfs_name_cmp(prev, prev_len, name.name, name.len) >= 0 ||
		    !is_indexed(f, dir, &name, it.block, name.pos - it.names.first))
			break;
		memcpy(prev, name.name, name.len);
		prev_len = name.len;
	}
	dsfs_dir_iter_end(&it);
	return !ret;
}

bool index_is_whole(struct fsck *f, const struct dsfs_dir_info *dir)
{
	u64 entries, bucket;

	return names_indexed(f, dir) && !count_entries(f, dir, &entries, &bucket) &&
	       entries == dir->count;
}
