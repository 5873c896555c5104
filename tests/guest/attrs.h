/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests/guest/attrs checks beside file contents, each group in a file of
 * its own.  Groups that look at every object have a visit function, groups
 * that know the zoo's names get its root.
 */
#ifndef ATTRS_H
#define ATTRS_H

#include "lib.h"

void attrs_xattr_visit(const struct t_object *o);
void attrs_handle_visit(const struct t_object *o);
void attrs_handle_end(int root);
void attrs_connect_visit(const struct t_object *o);
void attrs_connect_end(int root);
void attrs_link_visit(const struct t_object *o);
void attrs_acl(const char *root);
void attrs_readonly(int root, bool dsfs);
void attrs_super(int root, const char *label);

#endif
