/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks of the epoch cache (cache=epoch): without it, nothing is called */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include "internal.h"

struct dsfs_read;

#ifdef CONFIG_DSFS_CACHE
int dsfs_cache_init(struct super_block *sb);
void dsfs_cache_exit(struct super_block *sb);
void dsfs_cache_opened(struct inode *inode);
int dsfs_cache_closed(struct inode *inode, struct file *file);
void dsfs_cache_read(struct dsfs_read *rd);
void dsfs_cache_attach(struct dsfs_read *rd);
bool dsfs_cache_release_folio(struct folio *folio, gfp_t gfp);
void dsfs_cache_invalidate_folio(struct folio *folio, size_t offset, size_t len);
u64 dsfs_cache_bytes(struct super_block *sb, bool target);
#else
static inline int dsfs_cache_init(struct super_block *sb) { return 0; }
static inline void dsfs_cache_exit(struct super_block *sb) { }
static inline void dsfs_cache_opened(struct inode *inode) { }
static inline void dsfs_cache_read(struct dsfs_read *rd) { }
static inline void dsfs_cache_attach(struct dsfs_read *rd) { }
static inline u64 dsfs_cache_bytes(struct super_block *sb, bool target) { return 0; }

#define dsfs_cache_closed		NULL
#define dsfs_cache_release_folio	NULL
#define dsfs_cache_invalidate_folio	NULL
#endif

#endif /* DSFS_CACHE_H */
