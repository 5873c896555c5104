/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a fuzzer's input is: an image, written short.
 *
 * The least image is 130 KiB long and nearly all of it is zero, so as it stands
 * most mutations would hit nothing and most time would go into copies.  An
 * input names only what is not zero:
 *
 *   byte 0	INPUT_* and bits that a target takes its choices from
 *   1-2	length of the image in units of 512 bytes
 *   then	records: offset (4 bytes), length (2 bytes), bytes
 *
 * A record that does not fit in the image ends the input.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "format.h"

#define INPUT_SUMS	0x80	/* make checksums of metadata right before use */
#define INPUT_DATA_SUMS	0x40	/* those of data too */
#define INPUT_HEAD	3
#define INPUT_UNIT	512
#define INPUT_IMAGE_MAX	(1U << 20)

/**
 * input_unpack - make an image of an input
 * @image: INPUT_IMAGE_MAX bytes
 * @len: gets the length of the image
 *
 * Checksums are left as they are.  Return: byte 0 of the input, 0 without one.
 */
u8 input_unpack(const u8 *data, size_t size, u8 *image, size_t *len);

/** input_sums - make right what byte 0 of an input asks for */
void input_sums(u8 head, u8 *image, size_t len);

/**
 * input_pack - write an image as an input
 * @head: byte 0
 * @max: room in @data
 *
 * Return: bytes of the input; 0: more than @max.
 */
size_t input_pack(const u8 *image, size_t len, u8 head, u8 *data, size_t max);

#endif /* FUZZ_INPUT_H */
