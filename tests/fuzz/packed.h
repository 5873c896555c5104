/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mkfs.dsfs accepts, fsck.dsfs accepts.
 */
#ifndef FUZZ_PACKED_H
#define FUZZ_PACKED_H

#define PACKED_ARGS	16

int mkfs_main(int argc, char **argv);
int fsck_main(int argc, char **argv);

/**
 * packed_check - make an image, and check it
 * @args: the command line of mkfs.dsfs without the name of the image and what follows it,
 *	PACKED_ARGS at most; NULL ends it
 * @source: what follows the name of the image; NULL: nothing
 *
 * An image that fsck.dsfs does not call clean is a finding.
 */
void packed_check(const char *const *args, const char *source);

#endif /* FUZZ_PACKED_H */
