// SPDX-License-Identifier: GPL-2.0
/* Folios of data and of metadata. */
#include "internal.h"

#include <linux/pagemap.h>

/*
 * dsfs_add_folio - add a folio of at most @order to the page cache
 *
 * The order is less if @index is not aligned to it, and 0 if memory is short.
 * Return: the folio, locked; the page cache holds the reference. -ENOMEM, or
 * -EEXIST if there is a folio already.
 */
struct folio *dsfs_add_folio(struct address_space *mapping, pgoff_t index,
			     unsigned int order, gfp_t gfp)
{
	const gfp_t easy = gfp | __GFP_NORETRY | __GFP_NOWARN;
	struct folio *folio;
	int ret;

	order = min(order, mapping_max_folio_order(mapping));
	if (index)
		order = min_t(unsigned int, order, __ffs(index));
	for (;; order = 0) {
		ret = -ENOMEM;
		folio = folio_alloc(order ? easy : gfp, order);
		if (folio) {
			ret = filemap_add_folio(mapping, folio, index,
						order ? easy : gfp);
			folio_put(folio);
		}
		if (ret != -ENOMEM || !order)
			return ret ? ERR_PTR(ret) : folio;
	}
}
