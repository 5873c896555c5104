// SPDX-License-Identifier: GPL-2.0
/* /sys/fs/dsfs/<device>/: generation, memory and errors of a mount, counters in stats/ */
#include "cache.h"
#include "stats.h"

#include <linux/sysfs.h>

static struct kset *dsfs_kset;

#define DSFS_SYSFS_RO(file, fmt, value)						\
static ssize_t file##_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf) \
{										\
	struct dsfs_sb_info *sbi = container_of(kobj, struct dsfs_sb_info, kobj);	\
										\
	return sysfs_emit(buf, fmt "\n", value);				\
}										\
static struct kobj_attribute dsfs_attr_##file = __ATTR_RO(file)

DSFS_SYSFS_RO(generation, "%llu", sbi->src.geo.generation);
DSFS_SYSFS_RO(uuid, "%pU", sbi->src.geo.uuid);
DSFS_SYSFS_RO(label, "%s", sbi->src.geo.label);
DSFS_SYSFS_RO(metadata_bytes, "%llu", sbi->src.geo.meta_bytes);
DSFS_SYSFS_RO(metadata_resident_bytes, "%llu", sbi->src.resident_bytes);
DSFS_SYSFS_RO(metadata_bad_blocks, "%llu", sbi->src.bad_blocks);
DSFS_SYSFS_RO(checksum_errors, "%lld", (s64)atomic64_read(&sbi->sum_errors));
DSFS_SYSFS_RO(io_errors, "%lld", (s64)atomic64_read(&sbi->io_errors));
DSFS_SYSFS_RO(structure_errors, "%lld", (s64)atomic64_read(&sbi->struct_errors));
DSFS_SYSFS_RO(cache_held, "%llu", dsfs_cache_bytes(sbi->src.sb, false));
DSFS_SYSFS_RO(cache_target, "%llu", dsfs_cache_bytes(sbi->src.sb, true));

static struct attribute *dsfs_attrs[] = {
	&dsfs_attr_generation.attr,
	&dsfs_attr_uuid.attr,
	&dsfs_attr_label.attr,
	&dsfs_attr_metadata_bytes.attr,
	&dsfs_attr_metadata_resident_bytes.attr,
	&dsfs_attr_metadata_bad_blocks.attr,
	&dsfs_attr_checksum_errors.attr,
	&dsfs_attr_io_errors.attr,
	&dsfs_attr_structure_errors.attr,
	&dsfs_attr_cache_held.attr,
	&dsfs_attr_cache_target.attr,
	NULL
};

static const struct attribute_group dsfs_group = {
	.attrs = dsfs_attrs,
};

static ssize_t dsfs_count_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf);

#define DSFS_SYSFS_COUNT(which, file) \
	[DSFS_COUNT_##which] = __ATTR(file, 0444, dsfs_count_show, NULL)

/* By enum dsfs_counter */
static struct kobj_attribute dsfs_counters[DSFS_COUNTERS] = {
	DSFS_SYSFS_COUNT(OPENS, opens),
	DSFS_SYSFS_COUNT(WHOLE, whole_reads),
	DSFS_SYSFS_COUNT(REQ + DSFS_REQUEST_WHOLE, requests_whole),
	DSFS_SYSFS_COUNT(BYTES + DSFS_REQUEST_WHOLE, bytes_whole),
	DSFS_SYSFS_COUNT(REQ + DSFS_REQUEST_AHEAD, requests_ahead),
	DSFS_SYSFS_COUNT(BYTES + DSFS_REQUEST_AHEAD, bytes_ahead),
	DSFS_SYSFS_COUNT(REQ + DSFS_REQUEST_PAGE, requests_page),
	DSFS_SYSFS_COUNT(BYTES + DSFS_REQUEST_PAGE, bytes_page),
	DSFS_SYSFS_COUNT(REQ + DSFS_REQUEST_DIRECT, requests_direct),
	DSFS_SYSFS_COUNT(BYTES + DSFS_REQUEST_DIRECT, bytes_direct),
	DSFS_SYSFS_COUNT(REQ + DSFS_REQUEST_META, requests_metadata),
	DSFS_SYSFS_COUNT(BYTES + DSFS_REQUEST_META, bytes_metadata),
	DSFS_SYSFS_COUNT(CACHE_ADMITTED, cache_admitted),
	DSFS_SYSFS_COUNT(CACHE_TRANSIENT, cache_transient),
	DSFS_SYSFS_COUNT(CACHE_LOST, cache_lost_pages),
	DSFS_SYSFS_COUNT(PREFETCH_ISSUED, prefetch_issued),
	DSFS_SYSFS_COUNT(PREFETCH_DROPPED, prefetch_dropped),
};

/* Concurrent increments may or may not be included. */
static ssize_t dsfs_count_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct dsfs_sb_info *sbi = container_of(kobj, struct dsfs_sb_info, kobj);
	u64 sum = 0;
	int cpu;

	/* CPUs that are offline have counts too. */
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(sbi->stats, cpu)[attr - dsfs_counters]);
	return sysfs_emit(buf, "%llu\n", sum);
}

/* Filled in by dsfs_sysfs_init() */
static struct attribute *dsfs_stats_attrs[DSFS_COUNTERS + 1];

static const struct attribute_group dsfs_stats_group = {
	.name = "stats",
	.attrs = dsfs_stats_attrs,
};

static const struct attribute_group *dsfs_groups[] = {
	&dsfs_group,
	&dsfs_stats_group,
	NULL
};

static void dsfs_sysfs_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct dsfs_sb_info, kobj)->kobj_gone);
}

static const struct kobj_type dsfs_ktype = {
	.default_groups	= dsfs_groups,
	.sysfs_ops	= &kobj_sysfs_ops,
	.release	= dsfs_sysfs_release,
};

/* dsfs_sysfs_add - create the directory of a mount; 0 or an errno */
int dsfs_sysfs_add(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	init_completion(&sbi->kobj_gone);
	sbi->kobj.kset = dsfs_kset;
	return kobject_init_and_add(&sbi->kobj, &dsfs_ktype, NULL, "%s", sb->s_id);
}

/* dsfs_sysfs_remove - remove the directory of a mount, if any, and wait for its readers */
void dsfs_sysfs_remove(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	/* After dsfs_sysfs_add() has failed it has left its kset already. */
	if (sbi->kobj.state_in_sysfs)
		kobject_del(&sbi->kobj);
	if (sbi->kobj.state_initialized) {
		kobject_put(&sbi->kobj);
		wait_for_completion(&sbi->kobj_gone);
	}
}

/* dsfs_sysfs_init - create /sys/fs/dsfs; 0 or -ENOMEM */
int __init dsfs_sysfs_init(void)
{
	int i;

	for (i = 0; i < DSFS_COUNTERS; i++)
		dsfs_stats_attrs[i] = &dsfs_counters[i].attr;
	dsfs_kset = kset_create_and_add("dsfs", NULL, fs_kobj);
	return dsfs_kset ? 0 : -ENOMEM;
}

/* dsfs_sysfs_exit - remove /sys/fs/dsfs */
void dsfs_sysfs_exit(void)
{
	kset_unregister(dsfs_kset);
}
