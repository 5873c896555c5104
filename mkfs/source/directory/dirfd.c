// SPDX-License-Identifier: GPL-2.0
/*
 * Cache of directory descriptors.  Files are opened relative to their directory: a path from the
 * source on may be longer than PATH_MAX, is resolved again for every open, and changes its
 * meaning if a symlink is put into it during the run.  A tree has more directories than a
 * process may have descriptors.  So descriptors that are not in use are closed, and opened again
 * step by step from the nearest open ancestor.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "directory.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/*
 * Descriptors that are not for the cache: those of the image, of temporary files, lists and
 * libraries; and for each thread a file, and a directory that has no slot yet.  A thread uses up
 * to three slots at once: the directory of its files, and two on the way to another one.
 */
#define FDS_PROCESS	16
#define FDS_THREAD	2
#define SLOTS_THREAD	3

/* Open descriptors are counted up to this number */
#define FDS_COUNTED	1024

/* Number of descriptors that this process may still open. */
static rlim_t fds_left(void)
{
	struct rlimit lim;
	rlim_t used = 0;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return FDS_COUNTED;
	if (lim.rlim_cur < lim.rlim_max) {
		rlim_t cur = lim.rlim_cur;

		lim.rlim_cur = lim.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &lim))
			lim.rlim_cur = cur;
	}
	for (int fd = 0; fd < FDS_COUNTED && fd < lim.rlim_cur; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	return lim.rlim_cur - used;
}

unsigned int source_threads(unsigned int threads)
{
	const rlim_t left = fds_left(), process = FDS_PROCESS + 1;
	const rlim_t room = left > process ? (left - process) / (FDS_THREAD + SLOTS_THREAD) : 0;

	return room < threads ? room ? room : 1 : threads;
}

/* Number of slots: the descriptors that are left, less those that are not for the cache. */
static unsigned int slots_allowed(unsigned int threads)
{
	const rlim_t left = fds_left(), others = FDS_PROCESS + FDS_THREAD * threads;
	const rlim_t least = SLOTS_THREAD * threads + 1;

	if (left < others + least)
		return least;
	return left - others < DIRFD_SLOTS ? left - others : DIRFD_SLOTS;
}

int dirfd_init(struct dirfd_cache *c, struct dir *root, const char *source, unsigned int threads)
{
	memset(c, 0, sizeof(*c));
	c->nslots = slots_allowed(threads);
	pthread_mutex_init(&c->lock, NULL);
	for (unsigned int i = 0; i < DIRFD_SLOTS; i++)
		c->slots[i].fd = -1;
	/* only the source itself may be a symlink */
	c->slots[0].fd = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->slots[0].fd < 0)
		return -errno;
	c->slots[0].dir = root;
	c->slots[0].users = 1;
	root->slot = 0;
	return 0;
}

void dirfd_free(struct dirfd_cache *c)
{
	if (!c->nslots)
		return;
	for (unsigned int i = 0; i < DIRFD_SLOTS; i++) {
		if (c->slots[i].fd >= 0)
			close(c->slots[i].fd);
	}
	pthread_mutex_destroy(&c->lock);
}

/*
 * Find a slot to reuse, by the second-chance algorithm: unused, and not used
 * since the last search.
 */
static struct dirfd_slot *evict(struct dirfd_cache *c)
{
	for (unsigned int i = 0; i < 2 * c->nslots; i++) {
		struct dirfd_slot *s = &c->slots[c->hand];

		c->hand = (c->hand + 1) % c->nslots;
		if (s->users)
			continue;
		if (s->recent) {
			s->recent = false;
			continue;
		}
		if (s->dir)
			s->dir->slot = -1;
		s->dir = NULL;
		if (s->fd >= 0)
			close(s->fd);
		s->fd = -1;
		return s;
	}
	return NULL;
}

static int use(struct dirfd_cache *c, struct dir *dir)
{
	struct dirfd_slot *s = &c->slots[dir->slot];

	s->users++;
	s->recent = true;
	return s->fd;
}

/* Open @dir, whose parent is open as @parent and in use; lock held. */
static int open_child(struct dirfd_cache *c, int parent, struct dir *dir)
{
	struct dirfd_slot *s;
	int fd;

	pthread_mutex_unlock(&c->lock);
	fd = file_open_read(parent, node_name(dir->self), DIR_FLAGS);
	pthread_mutex_lock(&c->lock);
	if (fd < 0)
		return fd;
	if (dir->slot >= 0) {		/* another thread has opened it meanwhile */
		close(fd);
		return use(c, dir);
	}
	s = evict(c);
	if (!s) {
		close(fd);
		return -EMFILE;
	}
	s->dir = dir;
	s->fd = fd;
	dir->slot = s - c->slots;
	return use(c, dir);
}

int dirfd_get(struct dirfd_cache *c, struct dir *dir)
{
	struct array chain = { .size = sizeof(struct dir *) };
	struct dir *at = dir;
	int fd = -ENOMEM;

	pthread_mutex_lock(&c->lock);
	for (; at->slot < 0; at = at->parent) {
		if (array_append(&chain, &at))
			goto out;
	}
	fd = use(c, at);
	while (chain.n) {
		struct dir *child = ((struct dir **)chain.p)[--chain.n];

		fd = open_child(c, fd, child);
		c->slots[at->slot].users--;
		if (fd < 0)
			break;
		at = child;
	}
out:
	pthread_mutex_unlock(&c->lock);
	array_free(&chain);
	return fd;
}

void dirfd_put(struct dirfd_cache *c, struct dir *dir)
{
	pthread_mutex_lock(&c->lock);
	c->slots[dir->slot].users--;
	pthread_mutex_unlock(&c->lock);
}
