/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Archives as inputs: what a mutation has made wrong by the way is made right again when an
 * input is run, and records are made long there, since inputs have 16 KiB.
 */
#ifndef FUZZ_TAR_INPUT_H
#define FUZZ_TAR_INPUT_H

#include "dsfs_platform.h"

#define TAR_INPUT_BLOCK		512
#define TAR_INPUT_MAX		(8 << 20)

/* The last bytes of a header, which are of no use in an archive; see tar_input_make(). */
#define TAR_INPUT_HOW		500
#define TAR_INPUT_AGAIN		501	/* two bytes */

#define TAR_INPUT_REPEAT	'R'
#define TAR_INPUT_MANY		'M'
#define TAR_INPUT_RAW		'!'

/**
 * tar_input_make - the archive of an input
 * @out: TAR_INPUT_MAX bytes
 *
 * Checksums of headers, and lengths of records, become right, but with TAR_INPUT_RAW in a
 * header.  With TAR_INPUT_REPEAT what follows the last comma of the value of the last record
 * comes again, so many times as the two bytes behind say, and 16 times that; with
 * TAR_INPUT_MANY the record, with a number in its key.
 *
 * Return: bytes of it.
 */
size_t tar_input_make(const u8 *in, size_t size, u8 *out);

/* Bytes behind a header that belong to it, as its field says; at most @left. */
size_t tar_input_data(const u8 *header, size_t left);

/* Whether a header is one of records. */
bool tar_input_has_records(const u8 *header);

#endif /* FUZZ_TAR_INPUT_H */
