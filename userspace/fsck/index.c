// SPDX-License-Identifier: GPL-2.0
/*
 * The name index of a directory.  Each name must be found through it at its own
 * place, by the lookup code of the kernel.  So each name has an entry, and any
 * other entry shows in the number of entries.
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
	const u64 hash = dsfs_name_hash(name->name, name->len, dir->seed);
	const u64 at = bucket_pos(f, dir, dsfs_index_bucket(hash, dir->buckets, 0));
	const u32 ino = dir->first + name->pos;
	struct dsfs_err err = { 0 };
	u32 pos;
	u8 type;
	int ret;

	ret = dsfs_dir_lookup(f->src, dir, name->name, name->len, &pos, &type, &err);
	if (ret == -ENOENT)
		problem(f, "name that the index does not have", ino, at, "hash %#llx", hash);
	else if (ret)
		problem_err(f, ino, at, &err, ret);
	else if (pos != name->pos)
		problem(f, "name that the index has elsewhere", ino, at,
			"position %u, expected %u", pos, name->pos);
}

void check_index(struct fsck *f, const struct dsfs_dir_info *dir)
{
	struct dsfs_mref ref;
	u64 entries = 0, bucket;
	unsigned int i;
	int ret;

	for (bucket = 0; bucket < dir->buckets && !stop_asked(); bucket++) {
		const struct dsfs_bucket *raw;

		ret = dsfs_meta_get(f->src, DSFS_REGION_INDEX,
				    (dir->first_bucket + bucket) * sizeof(*raw),
				    sizeof(*raw), &ref);
		if (ret) {
			problem(f, "index bucket", dir->self,
				bucket_pos(f, dir, bucket), "%s", msg_why(-ret));
			return;
		}
		raw = ref.p;
		for (i = 0; i < DSFS_BUCKET_ENTRIES; i++)
			entries += !!raw->entries[i];
		dsfs_meta_put(&ref);
	}
	if (entries != dir->count && !stop_asked())
		problem(f, "entries of an index", dir->self, bucket_pos(f, dir, 0),
			"%llu, expected %u", entries, dir->count);
}
