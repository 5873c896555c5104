/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of trymount call of each other.
 */
#ifndef GUEST_TRYMOUNT_H
#define GUEST_TRYMOUNT_H

/* trymount_scarce.c */
void scarce_begin(uint64_t need);
void scarce_end(void);

#endif
