// SPDX-License-Identifier: GPL-2.0
/*
 * Memory accounting of the epoch cache: pages of ours, and free memory.
 *
 * Room is free memory that reclaim does not want. No locks are taken: the
 * kernel's counters are read as they are, and are as exact as the decisions of
 * reclaim.
 */
#include "cache.h"

#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/vmstat.h>

/*
 * Pages of all mounts, because a folio that leaves the cache does not tell its
 * mount. Counted folios carry PG_checked.
 */
static struct percpu_counter dsfs_cache_pages;
static atomic_long_t dsfs_cache_lost;

/**
 * dsfs_cache_pages_cached - cached pages of all mounts
 *
 * Return: their approximate number.
 */
unsigned long dsfs_cache_pages_cached(void)
{
	return percpu_counter_read_positive(&dsfs_cache_pages);
}

/**
 * dsfs_cache_pages_lost - pages of all mounts that reclaim took
 *
 * Return: their number since the module was loaded.
 */
unsigned long dsfs_cache_pages_lost(void)
{
	return atomic_long_read(&dsfs_cache_lost);
}

/**
 * dsfs_cache_pages_add - count pages that enter the page cache
 * @pages: their number; PG_checked is set on their folios
 */
void dsfs_cache_pages_add(unsigned long pages)
{
	percpu_counter_add(&dsfs_cache_pages, pages);
}

/**
 * dsfs_cache_free_folio - note that a folio has left the page cache
 * @folio: the folio; its mapping is gone
 */
void dsfs_cache_free_folio(struct folio *folio)
{
	if (!folio_test_checked(folio))
		return;
	/* splice may move the page elsewhere. */
	folio_clear_checked(folio);
	percpu_counter_sub(&dsfs_cache_pages, folio_nr_pages(folio));
	/* Only reclaim frees pages with PF_MEMALLOC. */
	if (current->flags & PF_MEMALLOC)
		atomic_long_add(folio_nr_pages(folio), &dsfs_cache_lost);
}

/**
 * dsfs_cache_release_folio - note that a folio may be about to be split, or be
 * replaced by khugepaged
 * @folio: the folio
 * @gfp: unused
 *
 * Neither calls free_folio(), nor keeps PG_checked of the other pages. So the
 * folio is not counted any more, even if it stays. Migration keeps PG_checked.
 *
 * Return: true; there is nothing that keeps a folio.
 */
bool dsfs_cache_release_folio(struct folio *folio, gfp_t gfp)
{
	dsfs_cache_free_folio(folio);
	return true;
}

/**
 * dsfs_free_pages - free pages above the watermarks
 * @gfp: allocation flags, which select the zones
 *
 * Return: pages that can be allocated before reclaim starts.
 */
long dsfs_free_pages(gfp_t gfp)
{
	const int highest = gfp_zone(gfp);
	struct zone *zone;
	long pages = 0;
	int nid, i;

	for_each_online_node(nid) {
		for (i = 0; i <= highest; i++) {
			zone = &NODE_DATA(nid)->node_zones[i];
			if (!managed_zone(zone))
				continue;
			pages += max(0L, (long)(zone_page_state(zone, NR_FREE_PAGES) -
						high_wmark_pages(zone) -
						zone->lowmem_reserve[highest]));
		}
	}
	return pages;
}

static unsigned long dsfs_margin_of(unsigned long pages, unsigned int part)
{
	return (SZ_8M >> PAGE_SHIFT) + pages / part;
}

/**
 * dsfs_margin_min - smallest margin
 *
 * Return: pages, for transient files and for the free lists of each CPU.
 */
unsigned long dsfs_margin_min(void)
{
	return dsfs_margin_of(totalram_pages(), 512);
}

/**
 * dsfs_margin_max - largest margin
 *
 * Return: pages.
 */
unsigned long dsfs_margin_max(void)
{
	return dsfs_margin_of(totalram_pages(), 32);
}

#ifdef CONFIG_MEMCG
/**
 * dsfs_memcg_room - room in the reader's memory cgroups
 * @margin: margin for all memory; a cgroup with a small limit uses less
 *
 * Return: pages; LONG_MAX without a limit.
 */
long dsfs_memcg_room(unsigned long margin)
{
	struct mem_cgroup *memcg, *at;
	long pages = LONG_MAX;

	if (mem_cgroup_disabled() || !current->mm)
		return pages;
	memcg = get_mem_cgroup_from_mm(current->mm);
	for (at = memcg; at; at = parent_mem_cgroup(at)) {
		const unsigned long limit = min(READ_ONCE(at->memory.max),
						READ_ONCE(at->memory.high));

		if (limit >= PAGE_COUNTER_MAX)
			continue;
		pages = min(pages, (long)(limit - page_counter_read(&at->memory) -
					  min(margin, dsfs_margin_of(limit, 32))));
	}
	mem_cgroup_put(memcg);
	return pages;
}
#else
long dsfs_memcg_room(unsigned long margin)
{
	return LONG_MAX;
}
#endif

/**
 * dsfs_foreign_pages - page cache of other file systems
 *
 * Return: pages.
 */
unsigned long dsfs_foreign_pages(void)
{
	const unsigned long all = global_node_page_state(NR_ACTIVE_FILE) +
				  global_node_page_state(NR_INACTIVE_FILE);
	const unsigned long ours = dsfs_cache_pages_cached();

	return all > ours ? all - ours : 0;
}

/**
 * dsfs_other_pages - memory that reclaim can take instead of our pages
 *
 * Return: pages of other files, and of reclaimable slab.
 */
unsigned long dsfs_other_pages(void)
{
	return dsfs_foreign_pages() +
	       global_node_page_state_pages(NR_SLAB_RECLAIMABLE_B);
}

/**
 * dsfs_trial_pages - length of a trial
 *
 * Return: pages of ours that a trial costs at worst.
 */
unsigned long dsfs_trial_pages(void)
{
	return max_t(unsigned long, totalram_pages() / 64, SZ_4M >> PAGE_SHIFT);
}

/**
 * dsfs_cache_init - module init: create the counters
 *
 * Return: 0 or -ENOMEM.
 */
int dsfs_cache_init(void)
{
	return percpu_counter_init(&dsfs_cache_pages, 0, GFP_KERNEL);
}

/**
 * dsfs_cache_exit - module exit: destroy the counters
 */
void dsfs_cache_exit(void)
{
	percpu_counter_destroy(&dsfs_cache_pages);
}
