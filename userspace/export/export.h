/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree as a tar archive.
 */
#ifndef DUMP_TAR_H
#define DUMP_TAR_H

#include "filter.h"

/** dump_tar - write it to standard output; Return: 0, or -1 after a message */
int dump_tar(struct dump *d, struct filter *f);

#endif /* DUMP_TAR_H */
