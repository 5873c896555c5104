// SPDX-License-Identifier: GPL-2.0
/*
 * struct dsfs_read: allocation, folios and errors.  submit.c and complete.c both use it.
 */
#include "read.h"

#include <linux/pagemap.h>
#include <linux/slab.h>

/**
 * dsfs_read_alloc - begin a read
 * @inode: the file
 * @folios: at most that many are added
 * @gfp: of this memory
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
 * dsfs_read_free - free a read and what it holds, but for its folios
 * @rd: the read; nothing of it is in flight
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
 * dsfs_read_add_folio - have a folio read
 * @rd: the read
 * @folio: locked; it begins where the last one ends
 */
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio)
{
	if (!rd->nr_folios)
		rd->pos = folio_pos(folio);
	rd->folios[rd->nr_folios++] = folio;
	rd->len += folio_size(folio);
}

/**
 * dsfs_read_spoil - give up a part of a read
 * @rd: the read
 * @from: stored bytes from here ...
 * @to: ... to here may not be used
 * @error: why
 */
void dsfs_read_spoil(struct dsfs_read *rd, u64 from, u64 to, int error)
{
	if (!rd->error) {
		rd->error = error;
		rd->bad_from = from;
	}
	rd->bad_from = min(rd->bad_from, from);
	rd->bad_to = max(rd->bad_to, to);
}

/**
 * dsfs_read_fail - give up a read
 * @rd: the read; nothing of it may be used
 * @error: why
 */
void dsfs_read_fail(struct dsfs_read *rd, int error)
{
	dsfs_read_spoil(rd, 0, U64_MAX, error);
}
