// SPDX-License-Identifier: GPL-2.0
/*
 * File handles, as NFS servers use them: made of every object, kept while all
 * caches are dropped, opened again.  A forged handle, or one of an object that
 * does not exist, gives ESTALE and nothing else.
 */
#include "attrs.h"

#define KEEP	400

T_CASE(take, "name_to_handle_at")
T_CASE(open_again, "open_by_handle_at after drop_caches")
T_CASE(parents, "a directory by handle knows its way up")
T_CASE(bogus, "bogus handles")
T_CASE(stale, "handles of another generation")

static struct kept {
	char *path;
	struct stat st;
	struct file_handle *h;
} kept[KEEP];
static size_t count, seen;

/* Twice the same handle, and the same for every name of an object. */
void attrs_handle_visit(const struct t_object *o)
{
	struct file_handle *h = t_handle(&take, o, 0), *again = t_handle(&take, o, 0);

	if (h && again)
		t_check(&take, h->handle_bytes == again->handle_bytes &&
			h->handle_type == again->handle_type &&
			!memcmp(h->f_handle, again->f_handle, h->handle_bytes), o->path,
			"two handles of one object differ");
	free(again);
	if (!h)
		return;
	/* All of the first ones, then ever fewer. */
	if (count == KEEP || (count > KEEP / 2 && seen++ % 16)) {
		free(h);
		return;
	}
	kept[count].path = strdup(o->path);
	kept[count].st = o->st;
	kept[count++].h = h;
}

static bool same_object(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_mode == b->st_mode && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_uid == b->st_uid &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_nlink == b->st_nlink;
}

static void open_one(int root, const struct kept *k)
{
	int flags = S_ISREG(k->st.st_mode) || S_ISDIR(k->st.st_mode) ? O_RDONLY : O_PATH;
	struct stat st, up, self;
	int fd = open_by_handle_at(root, k->h, flags | O_CLOEXEC);

	if (!t_check(&open_again, fd >= 0 && !fstat(fd, &st), k->path, "%s", strerror(errno)))
		return;
	t_check(&open_again, same_object(&st, &k->st), k->path, "is another object");
	if (S_ISDIR(st.st_mode) && !fstatat(fd, "..", &up, 0) && !fstat(root, &self) &&
	    st.st_ino != self.st_ino) {
		char name[32];
		int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY);

		snprintf(name, sizeof(name), "%llu", (unsigned long long)up.st_ino);
		t_check(&parents, parent >= 0 && up.st_ino != st.st_ino && S_ISDIR(up.st_mode),
			k->path, "its parent is %s", name);
		close(parent);
	}
	close(fd);
}

/*
 * The handle types that the kernel's own encoder makes hold inode number and
 * generation, 32 bits each: another generation is another life of the number,
 * and of DSFS another image.  Each bit of it changed, and then 0, which other file
 * systems take for any.
 */
static void try_stale(int root, const struct kept *k)
{
	struct file_handle *h = t_alloc(sizeof(*h) + MAX_HANDLE_SZ);
	uint32_t generation;
	int bit;

	if (k->h->handle_type != 1 && k->h->handle_type != 2)
		goto out;
	for (bit = 0; bit <= 32; bit++) {
		memcpy(h, k->h, sizeof(*h) + k->h->handle_bytes);
		memcpy(&generation, h->f_handle + 4, sizeof(generation));
		generation = bit < 32 ? generation ^ 1U << bit : 0;
		memcpy(h->f_handle + 4, &generation, sizeof(generation));
		t_stale(&stale, root, h, k->path, "generation", generation);
	}
out:
	free(h);
}

/* Any byte of a handle changed: ESTALE, or (ids differ) another object, no crash. */
static void try_bogus(int root, const struct kept *k)
{
	struct file_handle *h = t_alloc(sizeof(*h) + MAX_HANDLE_SZ);
	static const unsigned char patterns[] = { 0x00, 0xff, 0x7f, 0x80 };
	unsigned int i, p;
	int fd;

	for (i = 0; i < k->h->handle_bytes * 4; i++) {
		memcpy(h, k->h, sizeof(*h) + k->h->handle_bytes);
		h->f_handle[i / 4] ^= 1 << (i % 4 * 2);
		fd = open_by_handle_at(root, h, O_PATH | O_CLOEXEC);
		t_check(&bogus, fd >= 0 || errno == ESTALE, k->path, "byte %u changed: %s", i / 4,
			strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	for (p = 0; p < sizeof(patterns); p++) {
		memset(h->f_handle, patterns[p], h->handle_bytes);
		t_stale(&bogus, root, h, k->path, "all bytes", patterns[p]);
	}
	h->handle_type = 99;
	t_stale(&bogus, root, h, k->path, "unknown type", h->handle_type);
	memcpy(h, k->h, sizeof(*h) + k->h->handle_bytes);
	h->handle_bytes = 4;
	t_stale(&bogus, root, h, k->path, "bytes alone", 4);
	free(h);
}

void attrs_handle_end(int root)
{
	size_t i;

	t_drop_caches("3");
	for (i = 0; i < count; i++)
		open_one(root, kept + i);
	/* And in the other order, with all of them cached. */
	for (i = count; i-- > 0;)
		open_one(root, kept + i);
	for (i = 0; i < count; i += count / 8 + 1) {
		try_bogus(root, kept + i);
		try_stale(root, kept + i);
	}
	while (count) {
		free(kept[--count].path);
		free(kept[count].h);
	}
}
