// SPDX-License-Identifier: GPL-2.0
/*
 * mkcorrupt - give a good image one defect.
 *
 *   mkcorrupt IMAGE CHANGES OUT
 *
 * All checksums are made right again after the change unless it is "raw", since
 * a defect that a checksum detects tests nothing but checksums.
 * CHANGES are separated by ";".  Each is
 *
 *   [raw] PLACE FIELD OP VALUE	as in: inode /file mode=0; names /dir 0 count+1
 *   [raw] PLACE zero		all bytes of it
 *   size+N, size-N, size=N	longer or shorter image
 *
 * PLACE: inode PATH | root 0|1|both | number BLOCK | owner PATH | extra PATH | dir PATH |
 *	extent PATH I | unit PATH I | names PATH BLOCK | rows PATH | slot PATH | name PATH |
 *	entry PATH | xset PATH | xattr PATH I | target PATH | chunksum PATH I |
 *	data PATH | pad REGION | at OFFSET | blocksum REGION BLOCK |
 *	super 0|1|both | region 0|1|both REGION
 * FIELD: as in dsfs_fs.h, or byte, value; with [I] the I-th
 * OP: = + - ^
 * VALUE: a number, or ino:PATH for an inode number
 *
 * raw: the change comes last, and no checksum knows of it.  A change of a
 * superblock's checksum field is always raw.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../hostile/files.h"
#include "corrupt.h"
#include "sums.h"

#define STATEMENTS_MAX	16
#define WORDS_MAX	8

static const char *current = "mkcorrupt";

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkcorrupt: %s: ", current);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* A statement, taken apart. */
struct change {
	const char *text;
	struct place place;
	const struct field *field;	/* NULL: zero all of the place */
	u32 index;
	char op;
	u64 value;
	enum phase phase;
};

static u64 parse_value(struct dsfs_source *src, char *s)
{
	char *end;
	u64 v;

	if (!strncmp(s, "ino:", 4))
		return find_ino(src, s + 4);
	v = strtoull(s, &end, 0);
	if (!*s || *end)
		die("%s: no number", s);
	return v;
}

/* FIELD, OP and VALUE: one word. */
static void parse_field(struct dsfs_source *src, struct change *c, char *s)
{
	size_t len = strcspn(s, "[=+-^");
	const struct field *f;
	char *op = s + strcspn(s, "=+-^");

	if (!strcmp(s, "zero"))
		return;
	for (f = c->place.fields; f->name; f++)
		if (strlen(f->name) == len && !strncmp(f->name, s, len))
			break;
	if (!f->name || !*op)
		die("%s: no field, or no operation", s);
	c->field = f;
	c->index = s[len] == '[' ? strtoul(s + len + 1, NULL, 0) : 0;
	if (c->index >= f->count ||
	    f->off + (c->index + 1ULL) * f->size > c->place.bytes)
		die("%s: outside of the place", s);
	c->op = *op;
	c->value = parse_value(src, op + 1);
	if (c->place.fields[0].name && !strcmp(c->place.fields[0].name, "magic") &&
	    !strcmp(f->name, "checksum"))
		c->phase = PHASE_RAW;
}

static void parse_change(struct dsfs_source *src, struct change *c, char **words,
			 int n)
{
	bool raw = !strcmp(words[0], "raw");
	int used;

	if (n == 1 && !strncmp(words[0], "size", 4)) {
		if (words[0][4] == '=')
			src->out = strtoull(words[0] + 5, NULL, 0);
		else
			src->out += strtoll(words[0] + 4, NULL, 0);
		c->place.bytes = 0;
		return;
	}
	words += raw;
	n -= raw;
	if (!n)
		die("nothing to do");
	used = place_find(src, words, n, &c->place, &c->phase);
	if (n != used + 1)
		die("a field, an operation and a value, in one word");
	parse_field(src, c, words[used]);
	if (raw || (!c->field && c->phase == PHASE_SUPER))
		c->phase = PHASE_RAW;
}

/* Cuts @text up; "super both" and "region both" become two changes. */
static int parse_changes(struct dsfs_source *src, char *text, struct change *list)
{
	char *save, *s, *words[WORDS_MAX], *word_save, *w;
	int n = 0, nw, i;

	for (s = strtok_r(text, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
		nw = 0;
		for (w = strtok_r(s, " \t", &word_save); w && nw < WORDS_MAX;
		     w = strtok_r(NULL, " \t", &word_save))
			words[nw++] = w;
		if (!nw)
			continue;
		if (n + 2 > STATEMENTS_MAX)
			die("more than %d changes", STATEMENTS_MAX);
		for (i = 0; i < nw && strcmp(words[i], "both"); i++)
			;
		if (i < nw) {
			words[i] = (char *)"1";
			parse_change(src, &list[n++], words, nw);
			words[i] = (char *)"0";
		}
		parse_change(src, &list[n++], words, nw);
	}
	return n;
}

/* Make room for what the changes give to inodes: where other things are depends on it. */
static void widen_rows(struct dsfs_source *src, const char *changes)
{
	char *text = strdup(changes), *save, *s, path[256], field[64];

	for (s = strtok_r(text, ";", &save); s; s = strtok_r(NULL, ";", &save))
		if (sscanf(s, " inode %255s %63s", path, field) == 2 ||
		    sscanf(s, " raw inode %255s %63s", path, field) == 2)
			row_widen(src, find_ino(src, path), field);
	free(text);
	memcpy(src->bad, src->good, src->len);
}

static void apply(struct dsfs_source *src, const struct change *c)
{
	u8 *p = src->bad + c->place.pos;
	u64 v;

	if (!c->field) {
		memset(p, 0, c->place.bytes);
		return;
	}
	p += c->field->off + (u64)c->index * c->field->size;
	v = field_get(p, c->field->size);
	switch (c->op) {
	case '=':
		v = c->value;
		break;
	case '+':
		v += c->value;
		break;
	case '-':
		v -= c->value;
		break;
	case '^':
		v ^= c->value;
		break;
	}
	field_put(p, c->field->size, v);
}

static void apply_phase(struct dsfs_source *src, const struct change *list, int n,
			enum phase phase)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i].place.bytes && list[i].phase == phase)
			apply(src, &list[i]);
}

/* --- the image -------------------------------------------------------------- */

static void read_image(struct dsfs_source *src, const char *path)
{
	struct dsfs_err err = { 0 };
	struct bytes good;

	bytes_read(&good, path, 0);
	src->good = good.p;
	src->len = good.size;
	src->out = good.size;
	src->bad = malloc(src->len + 1);
	if (!src->bad)
		die("%s: no memory", path);
	if (src->len < DSFS_DATA_START_MIN ||
	    dsfs_super_decode((void *)(src->good + DSFS_SB_POS(0)), src->len,
			      &src->geo, &err))
		die("%s: no good image: %s", path, err.what ? err.what : "too short");
}

/* The changes, phase by phase, and the checksums that the later ones do not know of. */
static void make_bad(struct dsfs_source *src, const struct change *list, int n)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_BLOCKSUMS];
	const struct sums_area area = { src->geo.meta_start, src->geo.meta_bytes,
					r->pos, r->bytes };

	apply_phase(src, list, n, PHASE_CONTENT);
	sums_blocks(src->bad, &area);
	apply_phase(src, list, n, PHASE_BLOCKSUMS);
	sums_sums(src->bad, &area);
	apply_phase(src, list, n, PHASE_SUPER);
	for (int slot = 0; slot < DSFS_SB_SLOTS; slot++)
		sums_super(src->bad, slot);
	apply_phase(src, list, n, PHASE_RAW);
}

int main(int argc, char **argv)
{
	struct change list[STATEMENTS_MAX] = { 0 };
	struct dsfs_source src = { 0 };
	int n;

	if (argc != 4) {
		fputs("usage: mkcorrupt IMAGE CHANGES OUT\n", stderr);
		return 2;
	}
	read_image(&src, argv[1]);
	current = strdup(argv[2]);
	widen_rows(&src, argv[2]);
	n = parse_changes(&src, argv[2], list);
	make_bad(&src, list, n);
	if (src.out == src.len && !memcmp(src.good, src.bad, src.len) && n)
		die("changes nothing");
	bytes_write(src.bad, src.out < src.len ? src.out : src.len, argv[3]);
	if (truncate(argv[3], src.out))
		die("%s: %s", argv[3], strerror(errno));
	free(src.good);
	free(src.bad);
	return 0;
}
