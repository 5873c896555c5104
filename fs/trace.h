/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints, dsfs:*. Counters show how often something happens; these, to which file. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM dsfs

#if !defined(DSFS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define DSFS_TRACE_H

#include "stats.h"

#include <linux/tracepoint.h>

#define DSFS_REQUEST_NAMES				\
	{ DSFS_REQUEST_WHOLE,		"whole" },	\
	{ DSFS_REQUEST_AHEAD,		"ahead" },	\
	{ DSFS_REQUEST_PAGE,		"page" },	\
	{ DSFS_REQUEST_DIRECT,		"direct" },	\
	{ DSFS_REQUEST_META,		"metadata" }

#define DSFS_DECISION_NAMES				\
	{ DSFS_CACHE_ADMITTED,		"admitted" },	\
	{ DSFS_CACHE_TRANSIENT,		"transient" },	\
	{ DSFS_CACHE_DROPPED,		"dropped" },	\
	{ DSFS_PREFETCH_ISSUED,		"issued" },	\
	{ DSFS_PREFETCH_BUSY,		"busy" },	\
	{ DSFS_PREFETCH_CACHED,		"cached" },	\
	{ DSFS_PREFETCH_PRESSURE,	"pressure" }

/* Export the values for tools that decode binary traces. */
TRACE_DEFINE_ENUM(DSFS_REQUEST_WHOLE);
TRACE_DEFINE_ENUM(DSFS_REQUEST_AHEAD);
TRACE_DEFINE_ENUM(DSFS_REQUEST_PAGE);
TRACE_DEFINE_ENUM(DSFS_REQUEST_DIRECT);
TRACE_DEFINE_ENUM(DSFS_REQUEST_META);
TRACE_DEFINE_ENUM(DSFS_CACHE_ADMITTED);
TRACE_DEFINE_ENUM(DSFS_CACHE_TRANSIENT);
TRACE_DEFINE_ENUM(DSFS_CACHE_DROPPED);
TRACE_DEFINE_ENUM(DSFS_PREFETCH_ISSUED);
TRACE_DEFINE_ENUM(DSFS_PREFETCH_BUSY);
TRACE_DEFINE_ENUM(DSFS_PREFETCH_CACHED);
TRACE_DEFINE_ENUM(DSFS_PREFETCH_PRESSURE);

#define DSFS_FILE_OF_ENTRY	MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino

/* Open of a regular file */
TRACE_EVENT(dsfs_open,
	TP_PROTO(const struct inode *inode),
	TP_ARGS(inode),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(u64, size)
	),
	TP_fast_assign(
		__entry->dev = inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->size = i_size_read(inode);
	),
	TP_printk("dev %d:%d ino %llu size %llu", DSFS_FILE_OF_ENTRY, __entry->size)
);

/* A bio sent for a range of a file: @len bytes at @device, for offset @pos of the file */
TRACE_EVENT(dsfs_read_submit,
	TP_PROTO(const struct inode *inode, u64 pos, u64 len, u64 device,
		 enum dsfs_request kind),
	TP_ARGS(inode, pos, len, device, kind),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(u64, pos)
		__field(u64, len)
		__field(u64, device)
		__field(unsigned int, kind)
	),
	TP_fast_assign(
		__entry->dev = inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->pos = pos;
		__entry->len = len;
		__entry->device = device;
		__entry->kind = kind;
	),
	TP_printk("dev %d:%d ino %llu pos %llu len %llu device %llu kind %s",
		  DSFS_FILE_OF_ENTRY, __entry->pos, __entry->len, __entry->device,
		  __print_symbolic(__entry->kind, DSFS_REQUEST_NAMES))
);

/* Completion of a read */
TRACE_EVENT(dsfs_read_done,
	TP_PROTO(const struct inode *inode, u64 pos, int error),
	TP_ARGS(inode, pos, error),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(u64, pos)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->dev = inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->pos = pos;
		__entry->error = error;
	),
	TP_printk("dev %d:%d ino %llu pos %llu error %d",
		  DSFS_FILE_OF_ENTRY, __entry->pos, __entry->error)
);

/* Read of metadata that is not resident */
TRACE_EVENT(dsfs_meta_read,
	TP_PROTO(const struct super_block *sb, u64 device, u64 len, int error),
	TP_ARGS(sb, device, len, error),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, device)
		__field(u64, len)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->dev = sb->s_dev;
		__entry->device = device;
		__entry->len = len;
		__entry->error = error;
	),
	TP_printk("dev %d:%d device %llu len %llu error %d",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->device,
		  __entry->len, __entry->error)
);

/* Checksum error of data, or, with inode number 0, of metadata */
TRACE_EVENT(dsfs_checksum_failure,
	TP_PROTO(const struct super_block *sb, u64 ino, u64 device, u64 len),
	TP_ARGS(sb, ino, device, len),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(u64, device)
		__field(u64, len)
	),
	TP_fast_assign(
		__entry->dev = sb->s_dev;
		__entry->ino = ino;
		__entry->device = device;
		__entry->len = len;
	),
	TP_printk("dev %d:%d ino %llu device %llu len %llu",
		  DSFS_FILE_OF_ENTRY, __entry->device, __entry->len)
);

DECLARE_EVENT_CLASS(dsfs_decision,
	TP_PROTO(const struct inode *inode, unsigned long pages, unsigned int decision),
	TP_ARGS(inode, pages, decision),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(unsigned long, pages)
		__field(unsigned int, decision)
	),
	TP_fast_assign(
		__entry->dev = inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->pages = pages;
		__entry->decision = decision;
	),
	TP_printk("dev %d:%d ino %llu pages %lu %s", DSFS_FILE_OF_ENTRY, __entry->pages,
		  __print_symbolic(__entry->decision, DSFS_DECISION_NAMES))
);

/* Decision of the epoch cache on pages of a file */
DEFINE_EVENT(dsfs_decision, dsfs_cache,
	TP_PROTO(const struct inode *inode, unsigned long pages, unsigned int decision),
	TP_ARGS(inode, pages, decision)
);

/* Decision on a hint for pages of a file */
DEFINE_EVENT(dsfs_decision, dsfs_prefetch,
	TP_PROTO(const struct inode *inode, unsigned long pages, unsigned int decision),
	TP_ARGS(inode, pages, decision)
);

#endif /* DSFS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
