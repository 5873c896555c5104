// SPDX-License-Identifier: GPL-2.0
/*
 * struct dsfs_read: allocation, folios and errors. Used by submit.c and
 * complete.c.
 */
#include "read.h"

#include <linux/pagemap.h>
#include <linux/slab.h>

/**
 * dsfs_read_alloc - allocate a read
 * @inode: the file
 * @folios: maximum number of folios
 * @gfp: allocation flags
 *
 * Return: the read, or NULL.
 */
struct dsfs_read *dsfs_read_alloc(struct inode *inode, unsigned int folios,
				  gfp_t gfp)
{
	struct dsfs_read *rd;

	rd = kvzalloc(struct_size(rd, folios, folios), gfp);
	if (!rd)
		return NULL;
	rd->inode = inode;
	return rd;
}

/**
 * dsfs_read_free - free a read
 * @rd: the read; none of its bios is in flight
 *
 * The folios are not released.
 */
void dsfs_read_free(struct dsfs_read *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_bounce; i++)
		__free_page(rd->bounce[i]);
	for (i = 0; i < rd->nr_bios; i++)
		bio_uninit(&rd->bios[i]);
	kvfree(rd->blocks);
	kvfree(rd->buffers);
	kvfree(rd);
}

/**
 * dsfs_read_add_folio - add a folio to a read
 * @rd: the read
 * @folio: locked; starts where the last one ends
 */
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio)
{
	if (!rd->nr_folios)
		rd->pos = folio_pos(folio);
	rd->folios[rd->nr_folios++] = folio;
	rd->len += folio_size(folio);
}

/**
 * dsfs_read_mark_bad - mark a range of a read bad
 * @rd: the read
 * @from: start of the range, in stored bytes
 * @to: end of the range
 * @error: errno
 *
 * Bad ranges are merged into one. The first error counts.
 */
void dsfs_read_mark_bad(struct dsfs_read *rd, u64 from, u64 to, int error)
{
	if (!rd->error) {
		rd->error = error;
		rd->bad_from = from;
	}
	rd->bad_from = min(rd->bad_from, from);
	rd->bad_to = max(rd->bad_to, to);
}

/**
 * dsfs_read_mark_all_bad - mark all of a read bad
 * @rd: the read
 * @error: errno
 */
void dsfs_read_mark_all_bad(struct dsfs_read *rd, int error)
{
	dsfs_read_mark_bad(rd, 0, U64_MAX, error);
}
