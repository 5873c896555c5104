// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of reading a set of files.  No I/O, and no random numbers of libc: the
 * same files and seed give the same order on every machine.
 */
#include <stdlib.h>

#include "random.h"
#include "shuffle.h"

/*
 * Maximum distance of neighbours: gaps between files are smaller than the
 * alignment of most files
 */
#define GAP	4096

static void swap(u32 *a, u32 *b)
{
	const u32 t = *a;

	*a = *b;
	*b = t;
}

/* Fisher and Yates */
static void mix(struct random *r, u32 *v, size_t nr)
{
	for (size_t i = nr; i > 1; i--)
		swap(&v[i - 1], &v[random_below(r, i)]);
}

static int order_alloc(struct order *o, size_t nr)
{
	o->nr = nr;
	o->v = calloc(nr ? nr : 1, sizeof(*o->v));
	return o->v ? 0 : -ENOMEM;
}

int order_sorted(struct order *o, size_t nr)
{
	if (order_alloc(o, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		o->v[i] = i;
	return 0;
}

int order_true(struct order *o, size_t nr, u64 seed)
{
	struct random r;

	if (order_sorted(o, nr))
		return -ENOMEM;
	random_seed(&r, seed);
	mix(&r, o->v, nr);
	return 0;
}

/*
 * The items in front of which a piece begins, in @cuts, which has room for all.  A file
 * belongs to the piece that its first byte is in, counted in bytes of files.
 */
static size_t cut(const struct item *items, size_t nr, u64 piece, u64 first,
		  u32 *cuts)
{
	u64 left = first;
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!i || !left) {
			cuts[n++] = i;
			if (i)
				left = piece;
		}
		left -= items[i].size < left ? items[i].size : left;
	}
	return n;
}

/* Pieces of the device in random order, the items of each in the order of the device. */
static int order_pieces(struct order *o, struct random *r, const struct item *items,
			size_t nr, u64 piece, u64 first)
{
	u32 *cuts = calloc((nr + 1) * 2, sizeof(*cuts)), *turn;
	size_t n, at = 0;

	if (!cuts || order_alloc(o, nr)) {
		free(cuts);
		return -ENOMEM;
	}
	turn = cuts + nr + 1;
	n = cut(items, nr, piece, first, cuts);
	cuts[n] = nr;
	for (size_t i = 0; i < n; i++)
		turn[i] = i;
	mix(r, turn, n);
	for (size_t i = 0; i < n; i++) {
		for (u32 k = cuts[turn[i]]; k < cuts[turn[i] + 1]; k++)
			o->v[at++] = k;
	}
	free(cuts);
	return 0;
}

/*
 * How many of @left files are the next window, the last of @o: windows end at multiples
 * of their size, counted from the beginning, so that whoever counts what he reads finds the
 * same ones, but for a file.  @total counts the bytes.
 */
static size_t next_window(const u32 *v, size_t left, const struct item *items,
			  u64 window, u64 *total)
{
	const u64 end = (*total / window + 1) * window;
	size_t n = 0;

	while (n < left && *total < end)
		*total += items[v[n++]].size;
	return n;
}

static int by_number(const void *p, const void *q)
{
	const u32 a = *(const u32 *)p, b = *(const u32 *)q;

	return a < b ? -1 : a > b;
}

int order_windowed(struct order *o, const struct item *items, size_t nr,
		   u64 piece, u64 window, u64 seed, bool ahead)
{
	struct random r;
	u64 total = 0;
	size_t n;

	random_seed(&r, seed);
	if (order_pieces(o, &r, items, nr, piece, 1 + random_below(&r, piece)))
		return -ENOMEM;
	for (size_t at = 0; at < nr; at += n) {
		n = next_window(o->v + at, nr - at, items, window, &total);
		if (ahead)
			qsort(o->v + at, n, sizeof(*o->v), by_number);
		else
			mix(&r, o->v + at, n);
	}
	return 0;
}

/* a drawn item is replaced by the next one, at the end by the last one */
static void draw(struct random *r, struct order *o, u32 *stream, size_t room)
{
	size_t next = room < o->nr ? room : o->nr, held = next;

	for (size_t i = 0; i < o->nr; i++) {
		const size_t k = random_below(r, held);

		o->v[i] = stream[k];
		stream[k] = next < o->nr ? stream[next++] : stream[--held];
	}
}

int order_buffer(struct order *o, const struct item *items, size_t nr,
		 u64 shard, u64 window, u64 seed)
{
	struct order stream;
	struct random r;
	u64 bytes = 0;
	size_t room;

	random_seed(&r, seed);
	if (order_pieces(&stream, &r, items, nr, shard, shard))
		return -ENOMEM;
	if (order_alloc(o, nr)) {
		free(stream.v);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		bytes += items[i].size;
	room = bytes >= nr && nr ? window / (bytes / nr) : nr;
	draw(&r, o, stream.v, room ? room : 1);
	free(stream.v);
	return 0;
}

/* Compute the mean number of classes in a batch; @seen has room for all classes. */
static double count_classes(const struct order *o, const struct item *items,
			    u32 *seen)
{
	const size_t batch = o->nr < BATCH ? o->nr : BATCH;
	const size_t batches = batch ? o->nr / batch : 0;
	u64 classes = 0;

	for (size_t i = 0; i < batches * batch; i++) {
		u32 *last = &seen[items[o->v[i]].class];

		classes += *last != i / batch + 1;
		*last = i / batch + 1;
	}
	return batches ? (double)classes / batches : 0;
}

static u64 end_of(const struct item *item)
{
	return (item->start + item->size + GAP - 1) / GAP * GAP;
}

/* Count runs of neighbours in each window of the order; sorts @v within windows. */
static u64 count_pieces(u32 *v, size_t nr, const struct item *items, u64 window)
{
	u64 pieces = 0, total = 0;
	size_t n;

	for (; nr; v += n, nr -= n) {
		n = next_window(v, nr, items, window, &total);
		qsort(v, n, sizeof(*v), by_number);
		for (size_t i = 0; i < n; i++) {
			pieces += !i || items[v[i]].start > end_of(&items[v[i - 1]]) ||
				  v[i] != v[i - 1] + 1;
		}
	}
	return pieces;
}

/* By what @place says of each item: at which place in the order it is. */
static void compare_places(struct order_stats *s, const u32 *place, size_t nr)
{
	double squares = 0, distance = 0, d;

	for (size_t i = 0; i < nr; i++) {
		d = (double)place[i] - (double)i;
		squares += d * d;
		if (i) {
			d = (double)place[i] - (double)place[i - 1];
			distance += d < 0 ? -d : d;
		}
	}
	if (nr < 2)
		return;
	s->rank = 1 - 6 * squares / nr / ((double)nr * nr - 1);
	s->distance = distance / (nr - 1) / nr;
}

int order_measure(struct order_stats *s, const struct order *o,
		  const struct item *items, u64 window)
{
	u32 *scratch = calloc(o->nr + 1, sizeof(*scratch));

	*s = (struct order_stats){ };
	if (!scratch)
		return -ENOMEM;
	/* Classes are numbered as they come, so there are no more than items. */
	s->classes = count_classes(o, items, scratch);
	for (size_t i = 0; i < o->nr; i++)
		scratch[o->v[i]] = i;
	compare_places(s, scratch, o->nr);
	memcpy(scratch, o->v, o->nr * sizeof(*scratch));
	if (o->nr)
		s->pieces = (double)count_pieces(scratch, o->nr, items, window) / o->nr;
	free(scratch);
	return 0;
}

int order_expected(struct order_stats *s, const struct item *items, size_t nr)
{
	const size_t batch = nr < BATCH ? nr : BATCH;
	u32 *count = calloc(nr + 1, sizeof(*count));
	double missing;

	*s = (struct order_stats){ };
	if (!count)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		count[items[i].class]++;
	for (size_t c = 0; c < nr; c++) {
		if (!count[c])
			continue;
		/* the probability that a batch has no file of this class */
		missing = 1;
		for (size_t k = 0; k < batch && missing > 0; k++)
			missing *= nr - k > count[c] ?
				   (double)(nr - k - count[c]) / (nr - k) : 0;
		s->classes += 1 - missing;
	}
	if (nr > 1)
		s->distance = (double)(nr + 1) / 3 / nr;
	free(count);
	return 0;
}
