// SPDX-License-Identifier: GPL-2.0
/* The table of verbs: help, completions and "did you mean" are made of it. */
#include "mounted.h"
#include "verb.h"

const struct verb verbs[] = {
	{ VERB_CHANGE, "label", "print the label, or change label, message or UUID",
	  .run = verb_label },
	{ VERB_CHANGE, "revert", "make an older generation the newest again", .run = verb_revert },
	{ VERB_MOUNTED, "order", "print an order to read files in", .run = verb_order },
	{ VERB_MOUNTED, "readahead", "ask for files before somebody reads them",
	  .run = verb_readahead },
	{ VERB_MOUNTED, "stat", "show what mounts did", .run = verb_stat },
	{ VERB_MOUNTED, "switch", "make another image the mounted one", .program = "dsfs-switch" },
	{ VERB_MOUNTED, "top", "show what mounts do, again and again", .run = verb_top },
	{ VERB_MOUNTED, "trace", "record the order in which files are opened", .run = verb_trace },
	{ VERB_MOUNTED, "warmup", "read files into memory, in the order of the device",
	  .run = verb_warmup },
	{ }
};
