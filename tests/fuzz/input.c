// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of inputs to images and back.  An input has records of an image's
 * bytes: zeros are left out where there are GAP or more of them.
 */
#include "input.h"
#include "mutate.h"

#define GAP		16
#define RECORD_HEAD	6
#define RECORD_MAX	0xffff
#define STEP		256

u8 input_unpack(const u8 *data, size_t size, u8 *image, size_t *len)
{
	const u8 *end = data + size;
	size_t pos, n;
	u8 head;

	*len = 0;
	if (size < INPUT_HEAD)
		return 0;
	head = data[0];
	*len = (data[1] | data[2] << 8) * (size_t)INPUT_UNIT;
	if (*len > INPUT_IMAGE_MAX)
		*len = INPUT_IMAGE_MAX;
	memset(image, 0, *len);
	for (data += INPUT_HEAD; end - data >= RECORD_HEAD; data += n) {
		pos = data[0] | data[1] << 8 | data[2] << 16 | (size_t)data[3] << 24;
		n = data[4] | data[5] << 8;
		data += RECORD_HEAD;
		if (n > (size_t)(end - data))
			n = end - data;
		if (pos > *len || n > *len - pos)
			break;
		memcpy(image + pos, data, n);
	}
	return head;
}

void input_sums(u8 head, u8 *image, size_t len)
{
	if (head & INPUT_SUMS)
		dsfs_fix_checksums(image, len, head & INPUT_DATA_SUMS);
}

/* The first byte from @at on that is not zero; memcmp() is faster than a loop. */
static size_t next_used(const u8 *image, size_t len, size_t at)
{
	static const u8 zeros[STEP];

	while (at + STEP <= len && !memcmp(image + at, zeros, STEP))
		at += STEP;
	while (at < len && !image[at])
		at++;
	return at;
}

/* Where a record that begins at @at ends: at a gap, or as long as one can be. */
static size_t record_end(const u8 *image, size_t len, size_t at)
{
	size_t stop = len - at > RECORD_MAX ? at + RECORD_MAX : len, end = at;

	for (; at < stop && at - end < GAP; at++)
		if (image[at])
			end = at + 1;
	return end;
}

size_t input_pack(const u8 *image, size_t len, u8 head, u8 *data, size_t max)
{
	size_t at, end, n, out = INPUT_HEAD;

	if (max < INPUT_HEAD)
		return 0;
	data[0] = head;
	data[1] = len / INPUT_UNIT;
	data[2] = len / INPUT_UNIT >> 8;
	for (at = next_used(image, len, 0); at < len;
	     at = next_used(image, len, end)) {
		end = record_end(image, len, at);
		n = end - at;
		if (out + RECORD_HEAD + n > max)
			return 0;
		data[out++] = at;
		data[out++] = at >> 8;
		data[out++] = at >> 16;
		data[out++] = at >> 24;
		data[out++] = n;
		data[out++] = n >> 8;
		memcpy(data + out, image + at, n);
		out += n;
	}
	return out;
}
