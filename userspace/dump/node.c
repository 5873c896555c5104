// SPDX-License-Identifier: GPL-2.0
/*
 * --inode, --dir and --extents: one inode, directory or file, with the image
 * offsets of its records.
 */

#include "dump.h"
#include "msg.h"

static u64 record_pos(const struct view *v, int region, u64 index, size_t size)
{
	return v->img.geo->regions[region].pos + index * size;
}

/* Of the name block that has its row; the root is in the superblock */
static u64 inode_offset(struct view *v, u32 ino)
{
	u64 place = DSFS_NO_PLACE;
	struct dsfs_err err;

	if (dsfs_inode_place(v->src, ino, &place, &err) || place == DSFS_NO_PLACE)
		return DSFS_SB_POS(v->img.use) + offsetof(struct dsfs_super, root);
	return record_pos(v, DSFS_REGION_NAMES, dsfs_row_block(place), 1);
}

static void show_xattrs(struct view *v, struct json *j, const char *path,
			const struct image_node *node)
{
	struct node_xattrs list;

	view_xattrs(v, path, node, &list);
	if (j)
		xattr_list_json(&list, j);
	for (size_t i = 0; !j && i < list.count; i++) {
		fputs("xattr:     ", stdout);
		listing_escape(stdout, list.v[i].name, strlen(list.v[i].name));
		putchar('=');
		listing_hex(stdout, list.v[i].value, list.v[i].len);
		putchar('\n');
	}
	xattr_list_free(&list);
}

static void show_compressed(struct json *j, const struct dsfs_attr *a)
{
	json_show_str(j, "codec", "packed:    %s, ", a->flags & DSFS_INODE_ZSTD ? "zstd" : "lz4");
	json_show_u64(j, "compressed_bytes", "%llu stored\n", a->stored);
}

static void show_node(struct view *v, struct json *j, const struct image_node *n)
{
	const struct dsfs_attr *a = &n->attr;
	const bool device = S_ISCHR(a->mode) || S_ISBLK(a->mode);
	char type[2] = { listing_type(a->mode)->letter }, mode[16], rdev[32];

	snprintf(mode, sizeof(mode), "%04o", a->mode & 07777);
	snprintf(rdev, sizeof(rdev), "%u:%u", a->rdev >> 20, a->rdev & 0xfffff);
	json_show_u64(j, "inode", "inode:     %llu", a->ino);
	json_show_u64(j, "offset", " at %llu\n", inode_offset(v, a->ino));
	json_show_str(j, "type", "type:      %s\n", type);
	json_show_str(j, "mode", "mode:      %s\n", mode);
	json_show_u64(j, "uid", "owner:     %llu", n->uid);
	json_show_u64(j, "gid", ":%llu\n", n->gid);
	json_show_u64(j, "nlink", "links:     %llu\n", n->nlink);
	json_show_u64(j, "flags", "flags:     %#llx\n", a->flags);
	json_s64(j, "mtime_ns", a->mtime);
	json_say(j, "mtime:     %lld ns\n", a->mtime);
	json_show_u64(j, "size", "size:      %llu\n", a->size);
	if (j || !device)
		json_show_u64(j, "start", "start:     %llu\n", a->start);
	if (device)
		json_show_str(j, "rdev", "device:    %s\n", rdev);
	if (a->flags & DSFS_INODE_COMPRESSED)
		show_compressed(j, a);
	if (!a->extra)
		return;
	json_show_u64(j, "extra", "extra:     %llu: ", a->extra - 1);
	json_say(j, "xattrs %llu, ", n->extra.xattrs);
	json_show_u64(j, "stored", "stored %llu, ", n->extra.stored);
	json_show_u64(j, "first_extent", "extents %llu", n->extra.first_extent);
	json_show_u64(j, "extents", "+%llu\n", n->extra.extents);
}

int dump_inode(struct view *v, struct json *j, const char *path)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct image_node n;

	if (view_find(v, path, &n))
		return -1;
	show_node(v, j, &n);
	if (S_ISLNK(n.attr.mode) && !view_target(v, path, &n, target))
		show_text(j, "target", "target:    ", target);
	show_xattrs(v, j, path, &n);
	return 0;
}

static void show_dir(struct view *v, struct json *j, const struct dsfs_dir_info *dir, u64 index)
{
	json_show_u64(j, "inode", "directory: %llu", dir->self);
	json_show_u64(j, "parent", ", parent %llu", dir->parent);
	json_say(j, ", record at %llu\n",
		 record_pos(v, DSFS_REGION_DIRS, index, sizeof(struct dsfs_dir)));
	json_show_u64(j, "count", "entries:   %llu", dir->count);
	json_show_u64(j, "first", ", inodes from %llu\n", dir->first);
	json_show_u64(j, "name_blocks", "names:     %llu blocks", dir->name_blocks);
	json_u64(j, "names", dir->names);
	json_say(j, " at %llu\n", record_pos(v, DSFS_REGION_NAMES, dir->names, 1));
	json_show_u64(j, "buckets", "index:     %llu buckets", dir->buckets);
	json_u64(j, "first_bucket", dir->first_bucket);
	json_say(j, " at %llu",
		 record_pos(v, DSFS_REGION_INDEX, dir->first_bucket, sizeof(struct dsfs_bucket)));
	json_show_u64(j, "slot_bits", ", %llu slot bits", dir->slot_bits);
	json_show_u64(j, "block_bits", ", %llu block bits\n", dir->block_bits);
	json_begin_array(j, "entries");
	json_say(j, "%10s %4s %7s %4s %12s name\n", "inode", "type", "block", "slot",
		 "bucket.entry");
}

/* Find the index entry of a name: bucket and entry.  Return: false if there is none. */
static bool find_entry(struct view *v, const struct dsfs_dir_info *dir,
		       u64 hash, u32 entry, u32 *bucket, u32 *at)
{
	const struct dsfs_bucket *raw;
	struct dsfs_mref ref;

	for (unsigned int c = 0; c < 2; c++) {
		*bucket = dsfs_index_bucket(hash, dir->buckets, c);
		if (dsfs_meta_get(v->src, DSFS_REGION_INDEX,
				  (dir->first_bucket + *bucket) * sizeof(*raw),
				  sizeof(*raw), &ref))
			continue;
		raw = ref.p;
		for (*at = 0; *at < DSFS_BUCKET_ENTRIES; ++*at)
			if (le32_to_cpu(raw->entries[*at]) == entry)
				break;
		dsfs_meta_put(&ref);
		if (*at < DSFS_BUCKET_ENTRIES)
			return true;
	}
	return false;
}

static void show_entry(struct view *v, struct json *j, const struct dsfs_dir_info *dir,
		       const struct dsfs_dir_iter *it, const struct dsfs_name *name)
{
	static const char types[16] = "?pc?d?b?f?l?s??h";
	u32 slot = name->pos - it->names.first, bucket = 0, at = 0;
	char where[32] = "-", type[2] = { types[name->type] };
	bool found = false;

	if (dir->buckets) {
		u64 hash = dsfs_name_hash(name->name, name->len);

		found = find_entry(v, dir, hash,
				   dsfs_index_entry(hash, it->block, slot,
						    dir->slot_bits,
						    dir->block_bits),
				   &bucket, &at);
	}
	if (found)
		snprintf(where, sizeof(where), "%u.%u", bucket, at);
	else if (dir->buckets)
		snprintf(where, sizeof(where), "missing");
	json_begin_object(j, NULL);
	json_bytes(j, "name", name->name, name->len);
	json_show_u64(j, "inode", "%10llu ", dir->first + name->pos);
	json_show_str(j, "type", "%4s ", type);
	json_show_u64(j, "block", "%7llu ", it->block);
	json_show_u64(j, "slot", "%4llu ", slot);
	json_show_str(j, "index", "%12s ", where);
	json_end(j);
	if (j)
		return;
	listing_escape(stdout, name->name, name->len);
	putchar('\n');
}

int dump_dir(struct view *v, struct json *j, const char *path)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info dir;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct image_node n;
	int ret;

	if (view_find(v, path, &n))
		return -1;
	if (!S_ISDIR(n.attr.mode))
		return msg_error(path, "%s", strerror(ENOTDIR));
	ret = dsfs_dir_get(v->src, &n.attr, &dir, &err);
	if (ret) {
		view_error(v, path, "directory", ret, &err);
		return -1;
	}
	show_dir(v, j, &dir, n.attr.start);
	dsfs_dir_iter_init(&it, v->src, &dir, 0);
	while ((ret = dsfs_dir_iter_next(&it, &name, &err)) > 0)
		show_entry(v, j, &dir, &it, &name);
	dsfs_dir_iter_end(&it);
	json_end(j);
	if (ret)
		view_error(v, path, "names", ret, &err);
	return ret;
}

static void show_mapping(struct json *j, const struct dsfs_attr *attr,
			 const struct dsfs_mapping *map)
{
	json_begin_object(j, NULL);
	json_show_u64(j, "logical", "%15llu", map->logical);
	json_show_u64(j, "length", " %15llu ", map->len);
	if (map->hole) {
		json_put_null(j, "offset");
		json_say(j, "hole\n");
	} else {
		json_show_u64(j, "offset", "%llu\n", attr->start + map->stored);
	}
	json_end(j);
}

static int show_runs(struct view *v, struct json *j, const struct image_node *n,
		     struct dsfs_err *err)
{
	struct dsfs_mapping map;
	u64 pos;
	int ret;

	json_begin_array(j, "extents");
	json_say(j, "%15s %15s offset\n", "logical", "length");
	for (pos = 0, ret = 0; pos < n->attr.size; pos += map.len) {
		ret = dsfs_map(v->src, &n->attr, &n->extra, pos, &map, err);
		if (ret)
			break;
		show_mapping(j, &n->attr, &map);
	}
	json_end(j);
	return ret;
}

/* The frames of a compressed file */
static int show_frames(struct view *v, struct json *j, const struct image_node *n,
		       struct dsfs_err *err)
{
	const u64 count = dsfs_units(&n->attr);
	u32 from, to;
	int ret = 0;

	json_begin_array(j, "frames");
	json_say(j, "%15s %15s %15s stored\n", "logical", "length", "offset");
	for (u64 i = 0; !ret && i < count; i++) {
		ret = dsfs_units_get(v->src, &n->attr, i, &from, &to, err);
		if (ret)
			break;
		json_begin_object(j, NULL);
		json_show_u64(j, "logical", "%15llu ", i << DSFS_UNIT_BITS);
		json_show_u64(j, "length", "%15llu ", dsfs_unit_bytes(&n->attr, i));
		json_show_u64(j, "offset", "%15llu ", n->attr.start + from);
		json_show_u64(j, "stored", "%llu\n", to - from);
		json_end(j);
	}
	json_end(j);
	return ret;
}

static int show_chunks(struct view *v, struct json *j, const struct image_node *n,
		       struct dsfs_err *err)
{
	const u64 total = image_stored_bytes(&n->attr, &n->extra);
	const u64 chunk = 1ULL << dsfs_chunk_bits(v->img.geo, total);
	u64 at, i, len;
	char text[16];
	int ret = 0;
	u32 sum;

	json_begin_array(j, "chunks");
	json_say(j, "%15s %15s %15s checksum\n", "chunk", "offset", "length");
	for (at = 0, i = 0; at < total; at += chunk, i++) {
		ret = dsfs_chunk_sum(v->src, &n->attr, total, i, &sum, err);
		if (ret)
			break;
		len = total - at < chunk ? total - at : chunk;
		json_say(j, "%15llu ", i);
		snprintf(text, sizeof(text), "%08x", sum);
		json_begin_object(j, NULL);
		json_show_u64(j, "offset", "%15llu ", n->attr.start + at);
		json_show_u64(j, "length", "%15llu ", len);
		json_show_str(j, "checksum", "%s\n", text);
		json_end(j);
	}
	json_end(j);
	return ret;
}

int dump_extents(struct view *v, struct json *j, const char *path)
{
	struct dsfs_err err = { 0 };
	struct image_node n;
	int ret;

	if (view_find_regular(v, path, &n))
		return -1;
	json_show_u64(j, "inode", "inode %llu, ", n.attr.ino);
	json_show_u64(j, "size", "%llu bytes, ", n.attr.size);
	json_show_u64(j, "stored", "%llu stored", image_stored_bytes(&n.attr, &n.extra));
	json_bool(j, "shared", n.attr.flags & DSFS_INODE_SHARED);
	json_say(j, "%s\n", n.attr.flags & DSFS_INODE_SHARED ? ", shares a block" : "");
	if (n.attr.flags & DSFS_INODE_COMPRESSED)
		ret = show_frames(v, j, &n, &err);
	else
		ret = show_runs(v, j, &n, &err);
	if (!ret && v->img.geo->chunk_bits)
		ret = show_chunks(v, j, &n, &err);
	if (ret)
		view_error(v, path, "extents", ret, &err);
	return ret;
}
