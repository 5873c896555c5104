// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of what mkfs.dsfs decides without doing I/O.  Wherever it can be,
 * the judge is fs/format: what mkfs lays out, a reader must find.
 */
#include "tree/tree.h"
#include "mkfs.h"

#include <stdio.h>
#include <stdlib.h>

void *unit_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fputs("unit-mkfs: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void unit_name(struct arena *a, struct node *n, const char *name)
{
	size_t len = strlen(name);

	n->name = arena_alloc(a, len + 2, 1);
	if (!n->name)
		exit(1);
	n->name[0] = len;
	memcpy(n->name + 1, name, len + 1);
}

int main(void)
{
	test_place();
	test_index();
	test_tree();
	test_grow();
	test_layout();
	test_hash();
	test_holes();
	test_exclude();
	test_plan();
	test_entry();
	test_device();
	test_window();
	test_spool();
	test_overflow();
	return tap_result();
}
