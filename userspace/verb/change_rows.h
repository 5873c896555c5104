/* SPDX-License-Identifier: GPL-2.0 */
/* Entries of the tables of options of all verbs that change the tree of an image. */
#ifndef VERB_CHANGE_ROWS_H
#define VERB_CHANGE_ROWS_H

#include "change.h"

#define CHANGE_RECURSIVE \
	.letter = 'r', .name = "recursive", \
	.help = "directories, too, with all that is below them", \
	ARG_FLAG(struct change, recursive)
#define CHANGE_FROM \
	.name = "from", .value = "FILE", \
	.help = "a list of paths, one a line; - is standard input", \
	ARG_LIST(struct change, from)
#define CHANGE_TOUCH \
	.name = "touch", .help = "set the mtime of directories that lose or get a name", \
	ARG_FLAG(struct change, touch)
/* The last ones of all of them */
#define CHANGE_COMMON \
	.letter = 'm', .name = "message", .value = "TEXT", \
	.help = "what the generation is, up to 1024 bytes", \
	ARG_TEXT(struct change, message, DSFS_MESSAGE_MAX) }, { \
	.name = "digest", .value = "[data|full]", .help = "keep the digest of the tree", \
	ARG_CHOICE(struct change, digest) }, { \
	.name = "memory", .value = "SIZE", \
	.help = "of the run; what exceeds it is in TMPDIR (default: a half)", \
	ARG_SIZE(struct change, memory) }, { \
	.letter = 'q', .name = "quiet", .help = "no report", ARG_FLAG(struct change, quiet) }, { \
	.name = "json", .help = "report as JSON", ARG_FLAG(struct change, json)

#endif /* VERB_CHANGE_ROWS_H */
