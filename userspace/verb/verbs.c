// SPDX-License-Identifier: GPL-2.0
/* The table of verbs: help, completions and "did you mean" are made of it. */
#include "mounted.h"
#include "verb.h"

const struct verb verbs[] = {
	{ VERB_LOOK, "cat", "write a file's contents to standard output", .run = verb_cat },
	{ VERB_LOOK, "diff", "show what an update changed", .run = verb_diff },
	{ VERB_LOOK, "digest", "print a number that stands for the data set", .run = verb_digest },
	{ VERB_LOOK, "info", "show what an image is, at a glance", .run = verb_info },
	{ VERB_LOOK, "ls", "list the files", .run = verb_ls },
	{ VERB_TAKE, "extract", "restore the tree into a directory", .run = verb_extract },
	{ VERB_TAKE, "manifest", "print a manifest for mkfs.dsfs", .run = verb_manifest },
	{ VERB_TAKE, "oci", "make an artifact for registries of it", .run = verb_oci },
	{ VERB_TAKE, "shards", "write shards of a WebDataset", .run = verb_shards },
	{ VERB_TAKE, "tar", "write a tar archive to standard output", .run = verb_tar },
	{ VERB_CHANGE, "compact", "pack an image anew, without its older generations",
	  .program = "mkfs.dsfs" },
	{ VERB_CHANGE, "label", "print the label, or change label, message or UUID",
	  .run = verb_label },
	{ VERB_CHANGE, "revert", "make an older generation the newest again", .run = verb_revert },
	{ VERB_CHANGE, "update", "add a generation of what is new or changed",
	  .program = "mkfs.dsfs" },
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
