/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of inputs to archives: when an input is run, checksums and lengths that a mutation
 * left wrong are made right, and records are made long, since an input has at most 16 KiB.
 */
#ifndef FUZZ_TAR_INPUT_H
#define FUZZ_TAR_INPUT_H

#include "dsfs_platform.h"

#define TAR_INPUT_BLOCK		512
#define TAR_INPUT_MAX		(8 << 20)

/* Bytes at the end of a header, which archives do not use; see tar_input_make(). */
#define TAR_INPUT_HOW		500
#define TAR_INPUT_AGAIN		501	/* two bytes */

#define TAR_INPUT_REPEAT	'R'
#define TAR_INPUT_MANY		'M'
#define TAR_INPUT_RAW		'!'

/**
 * tar_input_make - convert an input to an archive
 * @out: TAR_INPUT_MAX bytes
 *
 * Checksums of headers and lengths of records are made right, except with TAR_INPUT_RAW in a
 * header.  With TAR_INPUT_REPEAT the part of the last record's value after its last comma is
 * repeated 16 times as often as the two bytes behind say; with TAR_INPUT_MANY the record is
 * repeated, with a number in its key.
 *
 * Return: bytes of the archive.
 */
size_t tar_input_make(const u8 *in, size_t size, u8 *out);

/* Bytes behind a header that belong to it, as its field says; at most @left. */
size_t tar_input_data(const u8 *header, size_t left);

/* Whether a header is one of records. */
bool tar_input_has_records(const u8 *header);

#endif /* FUZZ_TAR_INPUT_H */
