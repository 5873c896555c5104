/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways to read a piece of a file, each as pread(2): for tests that do the same by all of
 * them.  A signal of a mapping is told as EIO, and anything but zeros behind the end of the
 * file as EILSEQ.
 */
#ifndef GUEST_WAYS_H
#define GUEST_WAYS_H

#include "lib.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT	0x00000008
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x00000080	/* since 6.14 */
#endif

typedef ssize_t (*way_fn)(int fd, void *to, size_t len, uint64_t pos);

ssize_t way_pread(int fd, void *to, size_t len, uint64_t pos);
/* As much as is cached, and the rest by a read that waits */
ssize_t way_nowait(int fd, void *to, size_t len, uint64_t pos);
/* EOPNOTSUPP on kernels that do not know it */
ssize_t way_dontcache(int fd, void *to, size_t len, uint64_t pos);
/* After an advice */
ssize_t way_willneed(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_readahead(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_random(int fd, void *to, size_t len, uint64_t pos);
/* By a mapping of that piece; dontneed, pageout: which goes and comes back */
ssize_t way_mmap(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_populate(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_mmap_random(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_mmap_dontneed(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_mmap_pageout(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_splice(int fd, void *to, size_t len, uint64_t pos);
ssize_t way_sendfile(int fd, void *to, size_t len, uint64_t pos);
/* ENOSYS where there is no io_uring */
ssize_t way_ring(int fd, void *to, size_t len, uint64_t pos);

#endif
