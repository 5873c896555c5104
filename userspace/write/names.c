// SPDX-License-Identifier: GPL-2.0
/*
 * The names of a name block: prefix, middles and suffix in the form that takes the fewest bytes.
 */
#include "format.h"
#include "layout.h"

static unsigned int slot_type(const struct node *n)
{
	return n->flags & NODE_HARDLINK ? DSFS_DT_HARDLINK : dsfs_mode_to_dt(n->mode);
}

static u32 common_begin(const struct node *a, const struct node *b, u32 most)
{
	u32 n = 0;

	while (n < most && node_name(a)[n] == node_name(b)[n])
		n++;
	return n;
}

static u32 common_end(const struct node *a, const struct node *b, u32 most)
{
	const char *x = node_name(a) + node_len(a), *y = node_name(b) + node_len(b);
	u32 n = 0;

	while (n < most && *--x == *--y)
		n++;
	return n;
}

static const u8 *middle(const struct names_sum *s, u32 i, u32 *len)
{
	const struct node *n = &s->dir->nodes[s->from + i];

	*len = node_len(n) - s->prefix - s->suffix;
	return (const u8 *)node_name(n) + s->prefix;
}

static bool has_symbol(const struct names_sum *s, u8 c)
{
	return s->symbols[c >> 6] >> (c & 63) & 1;
}

static void add_symbols(struct names_sum *s, u32 i)
{
	u32 len;
	const u8 *at = middle(s, i, &len);

	for (; len; len--, at++) {
		s->nr_symbols += !has_symbol(s, *at);
		s->symbols[*at >> 6] |= 1ULL << (*at & 63);
	}
}

void names_begin(struct names_sum *s, const struct dir *dir, u32 from)
{
	*s = (struct names_sum){ .dir = dir, .from = from };
}

void names_add(struct names_sum *s)
{
	const struct node *first = &s->dir->nodes[s->from], *n = first + s->count;
	const u32 len = node_len(n), prefix = s->prefix, suffix = s->suffix;

	if (!s->count) {
		s->prefix = len;
		s->tail = len;
		s->least = len;
		s->most = len;
		s->type = slot_type(n);
	}
	s->prefix = common_begin(first, n, s->prefix < len ? s->prefix : len);
	s->tail = common_end(first, n, s->tail < len ? s->tail : len);
	if (len < s->least)
		s->least = len;
	if (len > s->most)
		s->most = len;
	s->suffix = s->least - s->prefix < s->tail ? s->least - s->prefix : s->tail;
	if (s->type != (int)slot_type(n))
		s->type = -1;
	s->total += len;
	s->count++;
	if (s->prefix == prefix && s->suffix == suffix) {
		add_symbols(s, s->count - 1);
		return;
	}
	memset(s->symbols, 0, sizeof(s->symbols));
	s->nr_symbols = 0;
	for (u32 i = 0; i < s->count; i++)
		add_symbols(s, i);
}

/*
 * As the names are if they are packed: where no symbol is left to end a middle, an odd one has a
 * byte of the prefix, if that is a symbol of others.
 */
static struct names_sum packed_sum(const struct names_sum *s)
{
	const char *name = node_name(&s->dir->nodes[s->from]);
	struct names_sum p = *s;

	if ((s->most - s->prefix - s->suffix) & 1 && s->nr_symbols == DSFS_SYMBOLS && s->prefix &&
	    has_symbol(s, name[s->prefix - 1]))
		p.prefix--;
	return p;
}

/* Bytes of a packed middle, of two symbols each; 0: too many symbols, or none is left to end one */
static u32 packed_width(const struct names_sum *s)
{
	const u32 most = s->most - s->prefix - s->suffix, width = (most + 1) / 2;
	const bool ends = 2 * width != s->least - s->prefix - s->suffix;

	return s->nr_symbols + ends > DSFS_SYMBOLS ||
	       s->prefix + s->suffix + 2 * width > DSFS_NAME_MAX ? 0 : width;
}

/* The width of middles in a form, if it has one. */
static u32 form_width(const struct names_sum *s, unsigned int form)
{
	if (form == DSFS_NAMES_PACKED)
		return packed_width(s);
	return form == DSFS_NAMES_EQUAL ? s->most - s->prefix - s->suffix : 0;
}

unsigned int names_form(const struct names_sum *s, u32 *bytes)
{
	const u32 fixed = s->prefix + s->suffix, head = sizeof(struct dsfs_names) + fixed;
	const struct names_sum p = packed_sum(s);
	const u32 width = packed_width(&p);
	const u32 packed = head - s->prefix + p.prefix + DSFS_SYMBOLS + s->count * width;
	unsigned int form = DSFS_NAMES_SLOTS;

	*bytes = head + s->total + s->count * (sizeof(__le16) - fixed);
	if (s->type < 0)
		return form;
	if (s->least == s->most) {
		form = DSFS_NAMES_EQUAL;
		*bytes = head + s->count * form_width(s, form);
	}
	if (width && packed < *bytes) {
		form = DSFS_NAMES_PACKED;
		*bytes = packed;
	}
	return form;
}

/* Write what is behind the header, up to the prefix. Return: where that begins. */
static u8 *put_slots(const struct names_sum *s, struct dsfs_names *raw)
{
	u32 at = sizeof(*raw) + s->count * sizeof(__le16) + s->prefix + s->suffix, len;

	for (u32 i = 0; i < s->count; i++) {
		const unsigned int type = slot_type(&s->dir->nodes[s->from + i]);

		middle(s, i, &len);
		raw->slots[i] = cpu_to_le16(at | type << DSFS_SLOT_TYPE_SHIFT);
		at += len;
	}
	return (u8 *)&raw->slots[s->count];
}

/* The symbols, in ascending order; @number: by byte, which of them it is */
static u8 *put_symbols(const struct names_sum *s, struct dsfs_names *raw, u8 *number)
{
	u8 *symbols = (u8 *)raw->slots;
	u32 n = 0;

	memset(symbols, 0, DSFS_SYMBOLS);
	number[0] = DSFS_SYMBOLS - 1;
	for (u32 c = 0; c < 256; c++) {
		if (!has_symbol(s, c))
			continue;
		symbols[n] = c;
		number[c] = n++;
	}
	return symbols + DSFS_SYMBOLS;
}

static u8 *put_packed(const u8 *from, u32 len, u32 width, const u8 *number, u8 *at)
{
	for (u32 i = 0; i < 2 * width; i += 2)
		*at++ = number[i < len ? from[i] : 0] | number[i + 1 < len ? from[i + 1] : 0] << 4;
	return at;
}

u32 names_write(const struct names_sum *s, void *block)
{
	const char *name = node_name(&s->dir->nodes[s->from]);
	const u32 len = node_len(&s->dir->nodes[s->from]);
	const struct names_sum p = packed_sum(s);
	struct dsfs_names *raw = block;
	u8 number[256], *at = (u8 *)raw->slots;
	u32 bytes;
	const unsigned int form = names_form(s, &bytes);

	if (form == DSFS_NAMES_PACKED)
		s = &p;
	*raw = (struct dsfs_names){
		.first = cpu_to_le32(s->from), .count = cpu_to_le16(s->count),
		.end = cpu_to_le16(bytes), .prefix = s->prefix, .suffix = s->suffix,
		.width = form_width(s, form),
	};
	if (form == DSFS_NAMES_SLOTS)
		at = put_slots(s, raw);
	else
		raw->form = form << DSFS_NAMES_FORM_SHIFT | s->type;
	if (form == DSFS_NAMES_PACKED)
		at = put_symbols(s, raw, number);
	at = mempcpy(at, name, s->prefix);
	at = mempcpy(at, name + len - s->suffix, s->suffix);
	for (u32 i = 0; i < s->count; i++) {
		u32 n;
		const u8 *from = middle(s, i, &n);

		at = form == DSFS_NAMES_PACKED ? put_packed(from, n, raw->width, number, at) :
		     mempcpy(at, from, n);
	}
	return bytes;
}
