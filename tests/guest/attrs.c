// SPDX-License-Identifier: GPL-2.0
/*
 * attrs - everything about objects but their contents and order: extended
 * attributes, ACLs as they are enforced, file handles, the refusal of every
 * change, statfs, label and UUID.
 *
 * The listing compares values; here it is about how the calls behave.
 */
#include "attrs.h"

static void visit(const struct t_object *o)
{
	attrs_xattr_visit(o);
	attrs_handle_visit(o);
	attrs_connect_visit(o);
	attrs_link_visit(o);
}

int main(int argc, char **argv)
{
	struct t_walk w = { .visit = visit, .sample = 300 };
	const char *label = NULL;
	bool dsfs = false;
	const struct t_option options[] = {
		{ "ref", .text = &w.ref }, { "label", .text = &label },
		{ "dsfs", .flag = &dsfs }, { "strict", .flag = &t_strict }, { }
	};
	int root;

	t_init("attrs");
	w.root = *t_options(argc, argv, options, 1,
			    "[--ref=DIR] [--label=TEXT] [--dsfs] [--strict] DIR\n"
			    "  DIR is the root of a mounted tree of mktree");
	root = open(w.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		t_die(w.root, "open");
	t_walk(&w);
	attrs_connect_end(root);
	attrs_handle_end(root);
	attrs_acl(w.root);
	attrs_readonly(root, dsfs);
	attrs_super(root, label);
	return t_report_all();
}
