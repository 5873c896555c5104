// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of inputs of the target tar to archives.  Checksums of headers are made right, as
 * a mutation leaves them wrong and a reader would stop there; and records are repeated, as ones
 * that reach the limits of the format do not fit into an input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tar_input.h"

#define BLOCK	TAR_INPUT_BLOCK
#define DEPTH	4096

/**
 * struct text - records that are made
 * @n: bytes of @p so far, of @room
 */
struct text {
	u8 *p;
	size_t n;
	size_t room;
};

static void put(struct text *t, const void *p, size_t n)
{
	if (n > t->room - t->n)
		n = t->room - t->n;
	memcpy(t->p + t->n, p, n);
	t->n += n;
}

static size_t digits(size_t n)
{
	size_t d = 1;

	while (n /= 10)
		d++;
	return d;
}

/* "LENGTH KEY=VALUE\n", @times times what is behind @tail bytes of it */
static void put_record(struct text *t, const u8 *p, size_t n, size_t tail, size_t times)
{
	const size_t rest = 1 + n + tail * times + 1;
	size_t length = rest + digits(rest);
	char head[24];

	if (rest + 24 > t->room - t->n)
		return;
	length = rest + digits(length);
	put(t, head, snprintf(head, sizeof(head), "%zu ", length));
	put(t, p, n);
	while (times--)
		put(t, p + n - tail, tail);
	put(t, "\n", 1);
}

static void put_many(struct text *t, const u8 *p, size_t n, size_t times)
{
	const u8 *equals = memchr(p, '=', n);
	u8 record[BLOCK + 16];

	for (size_t i = 0; equals && n < BLOCK && i < times; i++) {
		size_t key = equals - p;

		memcpy(record, p, key);
		key += snprintf((char *)record + key, 16, "%zu", i);
		memcpy(record + key, equals, n - (equals - p));
		put_record(t, record, key + n - (equals - p), 0, 0);
	}
}

/* Half a million directories are no finding, but take longer than an input may. */
static size_t repeats(const u8 *p, size_t n, size_t times)
{
	return times > DEPTH && memchr(p, '/', n) ? DEPTH : times;
}

/* Each line is a record, with or without its length. */
static void make_records(struct text *t, const u8 *p, size_t n, u8 how, size_t times)
{
	const u8 *end = p + n;

	while (p < end) {
		const u8 *line = memchr(p, '\n', end - p), *to = line ? line : end;
		const u8 *comma;
		size_t tail = 0;

		while (p < to && *p >= '0' && *p <= '9')
			p++;
		if (p < to && *p == ' ')
			p++;
		comma = to > p ? memrchr(p, ',', to - p) : NULL;
		if (!comma)
			comma = to > p ? memchr(p, '=', to - p) : NULL;
		if (comma)
			tail = to - comma - (*comma == '=');
		if (to + 1 < end || !how)
			put_record(t, p, to - p, 0, 0);
		else if (how == TAR_INPUT_REPEAT)
			put_record(t, p, to - p, tail, repeats(to - tail, tail, times));
		else
			put_many(t, p, to - p, times);
		p = to + 1;
	}
}

static void make_sum(u8 *h)
{
	unsigned int sum = 8 * ' ';
	char text[8];

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= 148 && i < 156 ? 0 : h[i];
	snprintf(text, sizeof(text), "%06o", sum);
	memcpy(h + 148, text, 7);
	h[155] = ' ';
}

size_t tar_input_data(const u8 *header, size_t left)
{
	u64 size = 0;

	for (unsigned int i = 124; i < 136 && header[i] >= '0' && header[i] <= '7'; i++)
		size = size << 3 | (header[i] - '0');
	size += -size % BLOCK;
	return size < left ? size : left;
}

bool tar_input_has_records(const u8 *header)
{
	return header[156] == 'x' || header[156] == 'g' || header[156] == 'X';
}

/* The header at @in with its records, at @t; @room: left for what follows */
static void make_header(struct text *t, const u8 *in, const u8 *data, size_t n)
{
	const u8 how = in[TAR_INPUT_HOW];
	const size_t times = (in[TAR_INPUT_AGAIN] | in[TAR_INPUT_AGAIN + 1] << 8) * 16;
	u8 *h = t->p + t->n;
	size_t from;
	char size[13];

	put(t, in, BLOCK);
	if (how == TAR_INPUT_RAW) {
		put(t, data, n);
		return;
	}
	from = t->n;
	if (tar_input_has_records(in)) {
		while (n && !data[n - 1])
			n--;
		make_records(t, data, n, how, times);
		snprintf(size, sizeof(size), "%011zo", t->n - from);
		memcpy(h + 124, size, 12);
		while ((t->n - from) % BLOCK)
			put(t, "", 1);
	} else {
		put(t, data, n);
	}
	make_sum(h);
}

size_t tar_input_make(const u8 *in, size_t size, u8 *out)
{
	static const u8 zero[BLOCK];
	struct text t = { .p = out, .room = TAR_INPUT_MAX - BLOCK };
	size_t n = 0;

	/* what is compressed has no headers to look at */
	if (size < BLOCK || in[0] == 0x1f || in[0] == 0xfd || in[0] == 0x28) {
		memcpy(out, in, size);
		return size;
	}
	for (size_t at = 0; at < size; at += n) {
		n = size - at < BLOCK ? size - at : BLOCK;
		if (n < BLOCK || !memcmp(in + at, zero, BLOCK) || t.room - t.n < 2 * BLOCK) {
			put(&t, in + at, n);
			continue;
		}
		n = tar_input_data(in + at, size - at - BLOCK);
		make_header(&t, in + at, in + at + BLOCK, n);
		n += BLOCK;
	}
	return t.n;
}
