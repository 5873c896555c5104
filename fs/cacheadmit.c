// SPDX-License-Identifier: GPL-2.0
/*
 * Admission policy of the epoch cache.
 *
 * A file is admitted if there is room, or if stale files can be dropped for it.
 * Trials find out whose pages reclaim would take; see cache.c.
 */
#include "cache.h"
#include "stats.h"

#include <linux/math64.h>
#include <linux/pagemap.h>

/* Consecutive periods with many pages lost that are more than chance */
#define DSFS_PRESSED_MAX	4

/* Maximum number of inode numbers that one admission looks at */
#define DSFS_HAND_MAX		64

/*
 * Largest reuse distance of late, in opens. In shuffled epochs, two reads of a
 * file are up to two epochs apart.
 */
static unsigned long dsfs_reuse_distance(struct dsfs_cache *cache)
{
	return max(READ_ONCE(cache->reuse[0]), READ_ONCE(cache->reuse[1]));
}

/**
 * dsfs_reuse_seen - record a reuse distance
 * @cache: the epoch cache
 * @distance: opens since the last open of the same file
 */
void dsfs_reuse_seen(struct dsfs_cache *cache, unsigned long distance)
{
	if (distance > READ_ONCE(cache->reuse[1]))
		WRITE_ONCE(cache->reuse[1], distance);
}

/* Sliding maximum over one to two windows, each as long as the last maximum */
static void dsfs_reuse_turn(struct dsfs_cache *cache, unsigned long now)
{
	if (dsfs_time_since(cache->reuse_end, now) == 0)
		return;
	WRITE_ONCE(cache->reuse[0], cache->reuse[1]);
	WRITE_ONCE(cache->reuse[1], 0);
	cache->reuse_end = (now + max(cache->reuse[0], DSFS_REUSE_MIN)) & DSFS_TIME_MASK;
}

static void dsfs_cache_enter(struct dsfs_cache *cache, enum dsfs_cache_mode mode,
			     unsigned long until)
{
	cache->mode = mode;
	cache->until = until & DSFS_TIME_MASK;
	cache->in = 0;
	cache->out = 0;
}

/* Exponential backoff after failures: one epoch, then two, four, eight */
static unsigned long dsfs_cache_backoff(struct dsfs_cache *cache, unsigned long now)
{
	unsigned long distance = dsfs_reuse_distance(cache);

	/* During the first epoch: assume that it includes all files. */
	if (!distance)
		distance = min_t(u64, dsfs_geo(cache->sb)->inodes, DSFS_TIME_MASK >> 5);
	return now + (max(distance, DSFS_REUSE_MIN) << min(cache->fails, 3U));
}

/* End of a trial: did reclaim take pages of ours or of others? */
static void dsfs_cache_judge_trial(struct dsfs_cache *cache, unsigned long now)
{
	if (cache->in < dsfs_trial_pages())
		return;
	if (cache->out * 2 > cache->in) {
		dsfs_cache_enter(cache, DSFS_CACHE_HOLD, dsfs_cache_backoff(cache, now));
		cache->fails++;
	} else if (dsfs_other_pages() < dsfs_trial_pages()) {
		dsfs_cache_enter(cache, DSFS_CACHE_HOLD, now);
		cache->fails = 0;
	} else {
		dsfs_cache_enter(cache, DSFS_CACHE_TRIAL, now);
		cache->fails = 0;
	}
}

/* Mode DSFS_CACHE_HOLD: start a trial, or compete with a stream? */
static void dsfs_cache_judge_hold(struct dsfs_cache *cache, unsigned long now,
				  bool room)
{
	const unsigned long part = dsfs_trial_pages();
	const bool due = dsfs_time_since(cache->until, now) > 0;

	if (!room && due && dsfs_other_pages() > 2 * part) {
		dsfs_cache_enter(cache, DSFS_CACHE_TRIAL, now);
		return;
	}
	if (cache->in < 2 * part)
		return;
	cache->pressed = cache->out > cache->in / 32 ? cache->pressed + 1 : 0;
	cache->in = 0;
	cache->out = 0;
	/* Memory taken by processes is no stream: let them have it. */
	if (cache->pressed < DSFS_PRESSED_MAX || dsfs_foreign_pages() < part)
		return;
	dsfs_cache_enter(cache, DSFS_CACHE_COMPETE, dsfs_cache_backoff(cache, now));
	cache->fails++;
	cache->pressed = 0;
}

static void dsfs_cache_judge(struct dsfs_cache *cache, unsigned long now, bool room)
{
	switch (cache->mode) {
	case DSFS_CACHE_HOLD:
		dsfs_cache_judge_hold(cache, now, room);
		break;
	case DSFS_CACHE_TRIAL:
		dsfs_cache_judge_trial(cache, now);
		break;
	case DSFS_CACHE_COMPETE:
		if (dsfs_time_since(cache->until, now) > 0)
			dsfs_cache_enter(cache, DSFS_CACHE_HOLD, cache->until);
	}
}

/*
 * Narrow the margin: its excess decays to a third in a quarter of the reuse
 * distance.
 */
static void dsfs_margin_narrow(struct dsfs_cache *cache, unsigned long now)
{
	const unsigned long period = max(dsfs_reuse_distance(cache) / 4, DSFS_REUSE_MIN);
	const unsigned long passed = dsfs_time_since(cache->margin_time, now);
	const unsigned long least = dsfs_margin_min();
	const unsigned long over = cache->margin > least ? cache->margin - least : 0;
	const unsigned long pages = div64_u64((u64)over * min(passed, period), period);

	/* Accumulate fractions of a page. */
	if (!pages && passed < period)
		return;
	cache->margin -= pages;
	cache->margin_time = now;
}

/* Widen the margin by each page of ours that was reclaimed. */
static void dsfs_cache_adjust(struct dsfs_cache *cache, unsigned long pages,
			      unsigned long now)
{
	const unsigned long total = dsfs_cache_pages_lost();
	const unsigned long lost = total - cache->lost;

	cache->lost = total;
	if (lost)
		dsfs_count(cache->sb, DSFS_COUNT_CACHE_LOST, lost);
	cache->in += pages;
	cache->out += lost;
	dsfs_margin_narrow(cache, now);
	/* The decay starts at the last loss. */
	if (lost)
		cache->margin_time = now;
	/* Memory may have been hotplugged. */
	cache->margin = max(cache->margin + lost, dsfs_margin_min());
	cache->margin = min(cache->margin, dsfs_margin_max());
}

/**
 * dsfs_cache_admits - decide whether a file is admitted without dropping others
 * @cache: the epoch cache
 * @inode: the file
 * @pages: its pages
 *
 * Return: true if it is.
 */
bool dsfs_cache_admits(struct dsfs_cache *cache, struct inode *inode,
		       unsigned long pages)
{
	const unsigned long now = dsfs_cache_now(cache);
	const bool fits = dsfs_memcg_room(READ_ONCE(cache->margin)) >= (long)pages;
	long room = dsfs_free_pages(mapping_gfp_mask(inode->i_mapping));
	bool admits;

	spin_lock(&cache->lock);
	dsfs_reuse_turn(cache, now);
	dsfs_cache_adjust(cache, pages, now);
	room -= cache->margin;
	/*
	 * Memory outside the reader's cgroup gives it no room, so a trial is
	 * pointless.
	 */
	dsfs_cache_judge(cache, now, !fits || room >= (long)pages);
	admits = fits && (room >= (long)pages || cache->mode != DSFS_CACHE_HOLD);
	spin_unlock(&cache->lock);
	return admits;
}

/**
 * dsfs_cache_replaces - drop stale files in favour of a new one
 * @cache: the epoch cache
 * @pages: pages needed
 *
 * The clock hand goes round once in the time after which files are stale, and
 * faster while it finds stale files.
 *
 * Return: true if enough pages were dropped.
 */
bool dsfs_cache_replaces(struct dsfs_cache *cache, unsigned long pages)
{
	const u64 inodes = dsfs_geo(cache->sb)->inodes;
	const unsigned long now = dsfs_cache_now(cache);
	const unsigned long distance = dsfs_reuse_distance(cache);
	const unsigned long age = distance + distance / 4;
	unsigned long gone = 0, dropped;
	u64 steps;

	if (!distance || !mutex_trylock(&cache->hand_lock))
		return false;
	steps = div64_u64(dsfs_time_since(cache->hand_time, now) * inodes, age);
	if (steps)
		cache->hand_time = now;
	steps = cache->hand_found ? DSFS_HAND_MAX : min_t(u64, steps, DSFS_HAND_MAX);
	while (steps && gone < pages) {
		cache->hand = cache->hand + 1 < inodes ? cache->hand + 1 : 1;
		dropped = dsfs_file_drop_stale(cache->sb, cache->hand, now, age);
		gone += dropped;
		if (!dropped)
			steps--;
	}
	cache->hand_found = gone;
	mutex_unlock(&cache->hand_lock);
	return gone >= pages;
}
