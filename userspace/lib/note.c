// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation, and the digest that somebody expects in it.  A name or an address says
 * where an image is, and not which one: a digest does, and what keeps another one is not what was
 * asked for.  Nothing is computed of the tree; what is compared is what the image says of itself.
 */
#include "image.h"

int image_note(struct dsfs_source *src, struct dsfs_note *note, struct dsfs_err *err)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_NOTE];
	struct dsfs_mref ref;
	int ret;

	memset(note, 0, sizeof(*note));
	if (!r->bytes)
		return 0;
	ret = dsfs_meta_get(src, DSFS_REGION_NOTE, 0, sizeof(*note), &ref);
	if (ret)
		return dsfs_bad(err, "note at", r->pos, src->geo.meta_start + src->geo.meta_bytes,
				ret);
	ret = dsfs_note_check(ref.p, err);
	if (!ret)
		memcpy(note, ref.p, sizeof(*note));
	dsfs_meta_put(&ref);
	return ret ? ret : 1;
}

/* What the digest is of is not said: it is SHA-256 of the text of either kind. */
#define ANY_KIND	"sha256"

static const char *kind_name(u8 kind)
{
	return kind == DSFS_DIGEST_NONE ? ANY_KIND : dsfs_digest_name(kind);
}

char *digest_text(u8 kind, const u8 *sum, char *buf)
{
	size_t len = snprintf(buf, DIGEST_TEXT, "%s:", kind_name(kind));

	for (size_t i = 0; i < DSFS_DIGEST_BYTES; i++)
		len += snprintf(buf + len, DIGEST_TEXT - len, "%02x", sum[i]);
	return buf;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* 64 digits and nothing behind them */
static bool take_sum(const char *hex, u8 *sum)
{
	for (size_t i = 0; i < DSFS_DIGEST_BYTES; i++, hex += 2) {
		const int high = hex_digit(hex[0]), low = high < 0 ? -1 : hex_digit(hex[1]);

		if (low < 0)
			return false;
		sum[i] = high << 4 | low;
	}
	return !*hex;
}

/* What stands behind the word in front of a colon, or NULL */
static const char *take_kind(const char *text, u8 *kind)
{
	const size_t len = strcspn(text, ":");

	if (!text[len])
		return NULL;
	for (*kind = DSFS_DIGEST_NONE; *kind <= DSFS_DIGEST_FULL; (*kind)++)
		if (strlen(kind_name(*kind)) == len && !memcmp(kind_name(*kind), text, len))
			return text + len + 1;
	return NULL;
}

bool expected_is_begun(const char *text)
{
	u8 kind;

	return take_kind(text, &kind);
}

int expected_parse(const char *text, struct expected *e)
{
	struct expected found = { .any = true };
	const char *sum = take_kind(text, &found.kind);

	if (!sum || !take_sum(sum, found.sum))
		return -EINVAL;
	*e = found;
	return 0;
}

static bool same(const struct dsfs_note *note, const struct expected *e)
{
	return note->digest_kind != DSFS_DIGEST_NONE &&
	       (e->kind == DSFS_DIGEST_NONE || e->kind == note->digest_kind) &&
	       !memcmp(e->sum, note->digest, sizeof(e->sum));
}

static int compare(const struct dsfs_note *note, const struct expected *e, char *text)
{
	char kept[DIGEST_TEXT] = "none", wanted[DIGEST_TEXT];

	if (same(note, e))
		return 0;
	if (note->digest_kind != DSFS_DIGEST_NONE)
		digest_text(note->digest_kind, note->digest, kept);
	snprintf(text, EXPECTED_TEXT, "digest kept: %s, expected: %s", kept,
		 digest_text(e->kind, e->sum, wanted));
	return -EMEDIUMTYPE;
}

int expected_check(const struct image *img, struct dsfs_source *src, const struct expected *e,
		   char *text)
{
	struct dsfs_source *own = NULL;
	struct dsfs_err err = { };
	struct dsfs_note note;
	int ret = -ENOMEM;

	if (!e->any)
		return 0;
	snprintf(text, EXPECTED_TEXT, "digest");
	if (!src) {
		own = image_source(img, 1);
		src = own;
	}
	if (src)
		ret = image_note(src, &note, &err);
	if (ret >= 0)
		ret = compare(&note, e, text);
	else if (err.what)
		snprintf(text, EXPECTED_TEXT, "digest: %s %llu", err.what, err.value);
	image_source_free(own);
	return ret;
}
