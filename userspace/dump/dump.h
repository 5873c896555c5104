/* SPDX-License-Identifier: GPL-2.0 */
/* dump.dsfs: what it shows of an image, for who debugs the format. */
#ifndef DUMP_H
#define DUMP_H

#include "walk.h"

/*
 * The functions of the options that show something.  They write text to standard output, or,
 * if @j is not NULL, members of its current object.  Each returns 0, or -1 after a message.
 */
int dump_supers(struct view *v, struct json *j);
int dump_generation(struct view *v, struct json *j);
int dump_regions(struct view *v, struct json *j);
int dump_generations(struct view *v, struct json *j);
int dump_inode(struct view *v, struct json *j, const char *path);
int dump_dir(struct view *v, struct json *j, const char *path);
int dump_extents(struct view *v, struct json *j, const char *path);

#endif /* DUMP_H */
