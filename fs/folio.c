// SPDX-License-Identifier: GPL-2.0
/* Folios of data and of metadata. */
#include "internal.h"

#include <linux/pagemap.h>

/* Largest order, up to @order, of a folio at @index */
static unsigned int dsfs_folio_order(const struct address_space *mapping, pgoff_t index,
				     unsigned int order)
{
	order = min(order, mapping_max_folio_order(mapping));
	return index ? min_t(unsigned int, order, __ffs(index)) : order;
}

static gfp_t dsfs_folio_gfp(gfp_t gfp, unsigned int order)
{
	return order ? gfp | __GFP_NORETRY | __GFP_NOWARN : gfp;
}

/* dsfs_alloc_folio - allocate what dsfs_add_folio() would add; NULL without memory */
struct folio *dsfs_alloc_folio(struct address_space *mapping, pgoff_t index,
			       unsigned int order, gfp_t gfp)
{
	struct folio *folio;

	order = dsfs_folio_order(mapping, index, order);
	folio = folio_alloc(dsfs_folio_gfp(gfp, order), order);
	return folio || !order ? folio : folio_alloc(gfp, 0);
}

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
	struct folio *folio;
	int ret;

	for (;; order = 0) {
		ret = -ENOMEM;
		folio = dsfs_alloc_folio(mapping, index, order, gfp);
		if (folio) {
			order = folio_order(folio);
			ret = filemap_add_folio(mapping, folio, index, dsfs_folio_gfp(gfp, order));
			folio_put(folio);
		}
		if (ret != -ENOMEM || !folio || !order)
			return ret ? ERR_PTR(ret) : folio;
	}
}
