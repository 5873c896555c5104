// SPDX-License-Identifier: GPL-2.0
/*
 * Target: the view of an image.  Whatever view_make() accepts must be an EROFS as kernels take it:
 * everything that is reached from the root lies in the view or in the image, names are sorted, and
 * a directory is met once.  fsck.erofs, where it is installed, is asked for one execution of 64.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "imagemsg.h"
#include "memory.h"
#include "erofs.h"
#include "view.h"

/* Bytes of a view for each of an image: no small image fills the memory of mount.dsfs. */
#define GROWTH		(128ULL << 20)
#define JUDGED		64

/**
 * struct judged - a view that is looked at
 * @end: the first block behind the image
 * @xattrs: where shared attributes begin
 * @seen: directories, by the number of their inode
 * @todo, @n: directories that were met, and not looked at; a queue, as an image may be deep
 */
struct judged {
	const u8 *p;
	u64 bytes;
	u64 end;
	u64 xattrs;
	u8 *seen;
	struct met {
		u32 nid;
		u32 parent;
	} *todo;
	u32 n;
};

static void must(bool is, const char *what)
{
	if (!is)
		finding(what);
}

static const void *at(const struct judged *j, u64 pos, u64 bytes)
{
	must(pos <= j->bytes && bytes <= j->bytes - pos, "something behind the end of the view");
	return j->p + pos;
}

/* An inode, whichever size it has */
struct seen_inode {
	u32 layout;
	u32 mode;
	u64 size;
	u32 place;
	u64 behind;
};

/* What is behind an inode: numbers of attributes, which are in the view whole. */
static u64 judge_attrs(const struct judged *j, u64 pos, u32 xattrs)
{
	const struct erofs_xattrs *head;
	const struct erofs_xattr *x;
	const __le32 *ids;

	if (!xattrs)
		return pos;
	head = at(j, pos, sizeof(*head) + (xattrs - 1) * 4);
	must(head->shared == xattrs - 1, "attributes that are not shared");
	ids = (const void *)(head + 1);
	for (u32 i = 0; i < head->shared; i++) {
		x = at(j, j->xattrs + le32_to_cpu(ids[i]) * 4ULL, sizeof(*x));
		at(j, j->xattrs + le32_to_cpu(ids[i]) * 4ULL,
		   sizeof(*x) + x->name_len + le16_to_cpu(x->value_len));
		must(x->prefix >= 1 && x->prefix <= 6 && x->prefix != 5, "a prefix of no kernel");
	}
	return pos + sizeof(*head) + 4 * head->shared;
}

static struct seen_inode inode_at(const struct judged *j, u64 nid)
{
	const u64 pos = nid << EROFS_NID_BITS;
	const struct erofs_small *s = at(j, pos, sizeof(*s));
	const struct erofs_large *l = (const void *)s;
	struct seen_inode i = {
		.layout = le16_to_cpu(s->format) >> EROFS_LAYOUT_SHIFT,
		.mode = le16_to_cpu(s->mode), .size = le32_to_cpu(s->size),
		.place = le32_to_cpu(s->place), .behind = pos + sizeof(*s),
	};

	if (le16_to_cpu(s->format) & EROFS_LARGE) {
		at(j, pos, sizeof(*l));
		i.size = le64_to_cpu(l->size);
		i.behind = pos + sizeof(*l);
	}
	i.behind = judge_attrs(j, i.behind, le16_to_cpu(s->xattrs));
	return i;
}

/* Whether a name is behind another one, as memcmp() has it */
static bool behind(const char *name, u32 len, const char *last, u32 last_len)
{
	const int ret = memcmp(last, name, len < last_len ? len : last_len);

	return ret < 0 || (!ret && last_len < len);
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Whole blocks: of the view, or, for files, of the image, which has the numbers behind */
static void judge_blocks(const struct judged *j, u64 block, u64 blocks, bool file)
{
	must(block && block + blocks <= (file ? j->end : j->bytes >> EROFS_BLOCK_BITS),
	     "blocks that nobody has");
}

static void judge_chunks(const struct judged *j, const struct seen_inode *i)
{
	const u32 bits = EROFS_BLOCK_BITS + i->place;
	const u64 chunks = (i->size + (1ULL << bits) - 1) >> bits;
	const __le32 *map = at(j, (i->behind + 3) / 4 * 4, chunks * 4);

	must(i->place <= 19, "chunks larger than kernels take");
	for (u64 n = 0; n < chunks; n++) {
		const u64 left = i->size - (n << bits), bytes = least(left, 1ULL << bits);

		if (le32_to_cpu(map[n]) != EROFS_NO_BLOCK)
			judge_blocks(j, le32_to_cpu(map[n]),
				     (bytes + EROFS_BLOCK - 1) >> EROFS_BLOCK_BITS, true);
	}
}

/* The data of an inode; byte by byte where it is in the view */
static void judge_data(const struct judged *j, const struct seen_inode *i)
{
	const u32 tail = i->layout == EROFS_INLINE ? i->size % EROFS_BLOCK : 0;

	must(i->size < 1ULL << 62, "a size that no kernel takes");
	if (i->layout == EROFS_CHUNKS) {
		must(S_ISREG(i->mode), "chunks of no file");
		judge_chunks(j, i);
		return;
	}
	must(i->layout == EROFS_PLAIN || i->layout == EROFS_INLINE, "a layout");
	if (tail) {
		at(j, i->behind, tail);
		must(i->behind % EROFS_BLOCK + tail <= EROFS_BLOCK, "a tail in two blocks");
	}
	if (i->size > tail)
		judge_blocks(j, i->place, (i->size - tail + EROFS_BLOCK - 1) >> EROFS_BLOCK_BITS,
			     S_ISREG(i->mode));
}

static void meet(struct judged *j, u32 nid, u32 parent)
{
	must(!j->seen[nid]++, "a directory that is met twice");
	j->todo[j->n++] = (struct met){ nid, parent };
}

static void judge_name(struct judged *j, u64 nid, u64 parent, const struct erofs_dirent *d,
		       const char *name, u32 len)
{
	static const u8 types[] = { 0, 010, 4, 2, 6, 1, 014, 012 };
	const u64 to = le32_to_cpu(d->nid);
	struct seen_inode i;

	must(!memchr(name, '/', len) && !memchr(name, 0, len), "a name that no kernel shows");
	if (len <= 2 && !memcmp(name, "..", len)) {
		must(to == (len == 1 ? nid : parent), "a dot that leads elsewhere");
		return;
	}
	i = inode_at(j, to);
	must(d->type && d->type < sizeof(types) && i.mode >> 12 == types[d->type],
	     "a type that is not that of the inode");
	if (S_ISDIR(i.mode))
		meet(j, to, nid);
	else if (S_ISREG(i.mode) || S_ISLNK(i.mode))
		judge_data(j, &i);
}

/* One block of a directory.  @last, @last_len: the name in front, which is a lesser one */
static u32 judge_block(struct judged *j, const u8 *block, u32 bytes, u64 nid, u64 parent,
		       const char **last, u32 *last_len)
{
	const struct erofs_dirent *d = (const void *)block;
	const u32 count = bytes < sizeof(*d) ? 0 : le16_to_cpu(d->name_at) / sizeof(*d);
	u32 dots = 0;

	must(count && count * sizeof(*d) == le16_to_cpu(d->name_at), "no entries in a block");
	for (u32 n = 0; n < count; n++) {
		const u32 from = le16_to_cpu(d[n].name_at);
		const char *name = (const char *)block + from;
		u32 to = n + 1 < count ? le16_to_cpu(d[n + 1].name_at) : bytes;

		must(count * sizeof(*d) <= from && from < to && to <= bytes, "a name of no bytes");
		to = n + 1 < count ? to : from + strnlen(name, bytes - from);
		must(to > from && to - from <= 255, "a name too long");
		must(behind(name, to - from, *last, *last_len), "names in no order");
		*last = name;
		*last_len = to - from;
		dots += *last_len <= 2 && !memcmp(name, "..", *last_len);
		judge_name(j, nid, parent, &d[n], name, to - from);
	}
	return dots;
}

static void judge_dir(struct judged *j, u64 nid, u64 parent)
{
	const struct seen_inode i = inode_at(j, nid);
	const u64 whole = i.layout == EROFS_INLINE ? i.size & ~(EROFS_BLOCK - 1ULL) : i.size;
	const char *last = "";
	u32 last_len = 0, dots = 0;

	must(S_ISDIR(i.mode), "a directory that is none");
	judge_data(j, &i);
	for (u64 pos = 0; pos < i.size; pos += EROFS_BLOCK) {
		const u32 bytes = least(i.size - pos, EROFS_BLOCK);
		const u8 *block = pos < whole ?
			at(j, ((u64)i.place << EROFS_BLOCK_BITS) + pos, bytes) :
			at(j, i.behind, bytes);

		dots += judge_block(j, block, bytes, nid, parent, &last, &last_len);
	}
	must(dots == 2, "a directory without itself or its parent");
}

static void judge(int fd, u64 bytes)
{
	struct judged j = { .bytes = bytes };
	const struct erofs_device *dev;
	struct erofs_super sb;
	u32 root, said;

	must(bytes >= EROFS_BLOCK && !(bytes % EROFS_BLOCK), "a view of no blocks");
	j.p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	j.seen = calloc(bytes >> EROFS_NID_BITS, 1);
	j.todo = malloc((bytes >> EROFS_NID_BITS) * sizeof(*j.todo));
	if (j.p == MAP_FAILED || !j.seen || !j.todo)
		abort();
	memcpy(&sb, at(&j, EROFS_SUPER_AT, sizeof(sb)), sizeof(sb));
	said = sb.checksum;
	dev = at(&j, EROFS_DEVICE_AT, sizeof(*dev));
	root = le16_to_cpu(sb.root);
	must(said && le32_to_cpu(sb.blocks) == bytes >> EROFS_BLOCK_BITS, "blocks of the view");
	must(le32_to_cpu(dev->base) == le32_to_cpu(sb.blocks), "the first block of the image");
	j.end = (u64)le32_to_cpu(dev->base) + le32_to_cpu(dev->blocks);
	j.xattrs = (u64)le32_to_cpu(sb.xattrs_block) << EROFS_BLOCK_BITS;
	meet(&j, root, root);
	for (u32 n = 0; n < j.n; n++)
		judge_dir(&j, j.todo[n].nid, j.todo[n].parent);
	free(j.seen);
	free(j.todo);
	munmap((void *)j.p, bytes);
}

/* fsck.erofs says the same. */
static void ask_other(int view)
{
	const int image = memfd_create("image", MFD_CLOEXEC);
	char command[200];

	if (image < 0 || access("/usr/bin/fsck.erofs", X_OK)) {
		close(image);
		return;
	}
	if (memory_write(image))
		abort();
	snprintf(command, sizeof(command),
		 "fsck.erofs --device=/proc/%d/fd/%d /proc/%d/fd/%d >/dev/null 2>&1",
		 (int)getpid(), image, (int)getpid(), view);
	must(!system(command), "fsck.erofs finds the view damaged");
	close(image);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static unsigned int accepted;
	static int fd = -1;
	u8 head = memory_image(data, size);
	struct dsfs_source *src = NULL;
	struct dsfs_err err = { 0 };
	struct view_made made;
	struct image img;

	if (fd < 0)
		fd = memfd_create("view", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0))
		abort();
	if (image_open(&img, "image"))
		return 0;
	if (img.geo && (!(head & 1) || !image_use_generation(&img, 1)))
		src = image_source(&img, 0);
	if (src && !source_check_sums(src, &err)) {
		const int ret = view_make(src, "image", fd, &made);
		struct stat st;

		must(!fstat(fd, &st) && st.st_size < GROWTH, "a view that fills the memory");
		if (!ret) {
			judge(fd, st.st_size);
			if (!(accepted++ % JUDGED))
				ask_other(fd);
		}
	}
	image_source_free(src);
	image_close(&img);
	return 0;
}
