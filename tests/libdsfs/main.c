// SPDX-License-Identifier: GPL-2.0
/*
 * libdsfs-test IMAGE TREE - test the public interface of libdsfs with an image of a tree.
 */
#include "test.h"

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: libdsfs-test IMAGE TREE\n", stderr);
		return 2;
	}
	test_tree(argv[1], argv[2]);
	test_names(argv[1]);
	test_open(argv[1]);
	test_damage(argv[1]);
	test_many(argv[1]);
	test_inside(argv[1]);
	test_hostile(argv[1]);
	return tap_result();
}
