/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of mounts, which the kernel shows in /sys/fs/dsfs.
 */
#ifndef DSFS_FIGURES_H
#define DSFS_FIGURES_H

#include "dsfs_platform.h"

/* Kinds of requests: whole, ahead, page, direct, metadata */
#define FIG_KINDS	5

/* Figures, in the order in which they are shown */
enum figure_id {
	FIG_METADATA,
	FIG_RESIDENT,
	FIG_BAD_BLOCKS,
	FIG_CHECKSUM_ERRORS,
	FIG_IO_ERRORS,
	FIG_STRUCTURE_ERRORS,
	FIG_OPENS,
	FIG_WHOLE_READS,
	FIG_REQUESTS,		/* of the first kind, and so on */
	FIG_BYTES = FIG_REQUESTS + FIG_KINDS,
	FIG_CACHE_ADMITTED = FIG_BYTES + FIG_KINDS,
	FIG_CACHE_TRANSIENT,
	FIG_CACHE_LOST,
	FIG_CACHE_HELD,
	FIG_CACHE_TARGET,
	FIG_PREFETCH_ISSUED,
	FIG_PREFETCH_DROPPED,
	FIGURES
};

/**
 * struct figure - description of a figure
 * @file: below the mount's directory in sysfs
 * @metric: its name for Prometheus
 * @kind: the label kind there, or NULL; figures of one metric follow one another
 * @counter: it only grows
 * @help: what it is
 */
struct figure {
	const char *file;
	const char *metric;
	const char *kind;
	bool counter;
	const char *help;
};

extern const struct figure figures[FIGURES];

/**
 * struct mount_info - a mount: of one device, at any number of places
 * @device: as sysfs has it
 * @points: where it is mounted, as far as can be seen: an argz_add(3) vector of @points_len bytes
 * @there: figures that the module has, which may be older than this
 * @chosen: by name
 */
struct mount_info {
	char device[NAME_MAX + 1];
	char uuid[64];
	char label[512];
	u64 generation;
	char *points;
	size_t points_len;
	u64 value[FIGURES];
	bool there[FIGURES];
	bool chosen;
};

struct mount_set {
	struct mount_info *v;
	size_t nr;
};

/**
 * struct figures_source - where to look
 * @sysfs: directory of sysfs
 * @mountinfo: /proc/PID/mountinfo
 */
struct figures_source {
	const char *sysfs;
	const char *mountinfo;
};

#define FIGURES_SOURCE	{ "/sys", "/proc/self/mountinfo" }

/* Options that set the members of @src, a struct figures_source in a structure @s */
#define FIGURES_SYSFS(s, src) \
	.name = "sysfs", .value = "DIR", .help = "sysfs is there (default: /sys)", \
	ARG_TEXT(s, src.sysfs, 0)
#define FIGURES_MOUNTINFO(s, src) \
	.name = "mountinfo", .value = "FILE", \
	.help = "mount points (default: /proc/self/mountinfo)", \
	ARG_TEXT(s, src.mountinfo, 0)

/**
 * figures_read - read the figures of mounts
 * @src: where
 * @names: mount points, devices or names in sysfs, ending with NULL; none: all
 * @set: filled in, by device; to be freed by figures_free()
 *
 * A mount that goes meanwhile is left out, unless it was asked for.
 *
 * Return: 0, or a negative errno after a message.
 */
int figures_read(const struct figures_source *src, char *const *names, struct mount_set *set);
void figures_free(struct mount_set *set);

/** figures_sum - add up figures of all kinds, such as FIG_REQUESTS */
u64 figures_sum(const struct mount_info *m, enum figure_id first);

/** figures_errors - sum of all error counters */
u64 figures_errors(const struct mount_info *m);

#endif /* DSFS_FIGURES_H */
