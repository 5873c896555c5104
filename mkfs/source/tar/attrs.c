// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes and ACLs of members.  Programs write them as records of several forms,
 * and some write one attribute in two of them.  What has a name in the form that all read counts
 * in that one.
 */
#include "acl.h"
#include "tar.h"

/* GNU tar, star and others; GNU tar for a label of SELinux; bsdtar, beside the first one */
enum { SCHILY, LABEL, LIBARCHIVE, FORMS };

static const struct {
	const char *key;
	size_t skip;	/* of the key, in front of the attribute's name */
} forms[FORMS] = {
	[SCHILY] = { "SCHILY.xattr.", 13 },
	[LABEL] = { "RHT.security.", 4 },
	[LIBARCHIVE] = { "LIBARCHIVE.xattr.", 17 },
};

int tar_attr_record(struct tar *t, char *key, char *value, size_t len)
{
	struct tar_attr r = { .value = value, .len = len };

	while (r.form < FORMS && strncmp(key, forms[r.form].key, strlen(forms[r.form].key)))
		r.form++;
	if (r.form == FORMS)
		return 0;
	r.name = key + forms[r.form].skip;
	/* the kernel's value of a label has a NUL at its end, and a record has one behind it */
	r.len += r.form == LABEL && len && value[len - 1];
	return array_append(&t->m.attrs, &r) ? no_memory() : 1;
}

/* By name and form; of two of the same name and form the later one counts, and is the first. */
static int record_cmp(const void *a, const void *b)
{
	const struct tar_attr *x = a, *y = b;
	const int cmp = strcmp(x->name, y->name) ?: x->form - y->form;

	return cmp ? cmp : x->value < y->value ? 1 : -(x->value > y->value);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ?
	       (c | 32) - 'a' + 10 : -1;
}

/* Programs write "=" and "%" of a name as %3D and %25, and libarchive others, too: @all. */
static void unescape(char *name, bool all)
{
	char *to = name;

	for (; *name; name++) {
		const int high = *name == '%' ? hex_digit(name[1]) : -1;
		const int c = high < 0 || hex_digit(name[2]) < 0 ? 0 :
			      high << 4 | hex_digit(name[2]);

		*to++ = c && (all || c == '=' || c == '%') ? c : *name;
		name += c && (all || c == '=' || c == '%') ? 2 : 0;
	}
	*to = '\0';
}

/* Bytes in base64, in place.  Return: whether they are that. */
static bool from_base64(struct tar_attr *r)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = r->value;
	u32 bits = 0;
	size_t i;

	for (i = 0; i < r->len && r->value[i] != '='; i++) {
		const char *digit = memchr(digits, r->value[i], 64);

		if (!digit)
			return false;
		bits = bits << 6 | (digit - digits);
		if (i % 4)
			*to++ = bits >> (6 - i % 4 * 2);
	}
	r->len = to - r->value;
	return i % 4 != 1;
}

static int add(struct tar *t, const char *name, const char *value, size_t len)
{
	char why[XATTR_WHY];
	int ret = xattr_list_add(&t->list, t->src.o, name, value, len, why);

	return ret == -EINVAL ? tar_fail(t, "extended attribute %s", why) :
	       ret ? no_memory() : 0;
}

static int add_record(struct tar *t, struct tar_attr *r)
{
	char shown[512];

	if (r->form == LIBARCHIVE && !from_base64(r))
		return tar_fail(t, "LIBARCHIVE.xattr.%s: not in base64",
				msg_escape(shown, sizeof(shown), r->name));
	unescape(r->name, r->form == LIBARCHIVE);
	return add(t, r->name, r->value, r->len);
}

static int add_records(struct tar *t)
{
	struct tar_attr *r = t->m.attrs.p;
	int ret = 0;

	array_sort(&t->m.attrs, record_cmp);
	for (size_t i = t->m.attrs.n; i-- > 1;) {
		if (!strcmp(r[i].name, r[i - 1].name))
			r[i].form = FORMS;
	}
	for (size_t i = 0; !ret && i < t->m.attrs.n; i++)
		ret = r[i].form == FORMS ? 0 : add_record(t, &r[i]);
	return ret;
}

/* Whether an ACL stands in a record that has it as an attribute, with numbers, too. */
static bool has_record(const struct tar *t, const char *full)
{
	const struct tar_attr *r = t->m.attrs.p;
	size_t i = 0;

	while (i < t->m.attrs.n && strcmp(r[i].name, full))
		i++;
	return i < t->m.attrs.n;
}

/* An ACL of text; its value as an attribute is the caller's to free. */
static int add_acl(struct tar *t, unsigned int which, void **value)
{
	static const char *const names[] = { "system.posix_acl_access",
					     "system.posix_acl_default" };
	const char *text = t->m.acl[which], *full = names[which], *why;
	const bool excluded = xattr_excluded(t->src.o, full);
	size_t len = 0;

	if (!text || has_record(t, full))
		return 0;
	why = acl_from_text(text, !excluded, value, &len);
	if (why && !excluded)
		return tar_fail(t, "%s ACL: %s", which ? "default" : "access", why);
	return why || len ? add(t, full, *value, why ? 0 : len) : 0;
}

static int add_ace(struct tar *t)
{
	char why[XATTR_WHY];
	int ret = t->m.ace ? xattr_list_add_ace(&t->list, t->src.o, t->m.ace, why) : 0;

	return ret == -EINVAL ? tar_fail(t, "extended attribute %s", why) :
	       ret ? no_memory() : 0;
}

static int make_set(struct tar *t, struct node *n)
{
	char why[XATTR_WHY];
	int ret = xattr_set_make(&t->src.tree->xsets, &t->list, &t->set, n, why);

	if (ret == -EINVAL || ret == -E2BIG)
		return tar_fail(t, "extended attribute %s", why);
	return ret ? no_memory() : 0;
}

/* An archive that stays as it is has those of its file. */
static int set_own(struct tar *t, struct node *n)
{
	char *path = realpath(t->m.own, NULL);
	struct xattr_reader r;
	int ret = xattr_reader_init(&r);

	if (!ret)
		ret = path ? xattr_read(&t->src.tree->xsets, &r, t->src.o, path, n) : -errno;
	if (ret)
		tar_fail(t, "%s", r.why[0] ? r.why : msg_why(-ret));
	t->list.left_out += r.list.left_out;
	xattr_reader_free(&r);
	free(path);
	return ret;
}

int tar_set_attrs(struct tar *t, struct node *n)
{
	void *acl[2] = { NULL, NULL };
	int ret;

	xattr_list_clear(&t->list);
	n->mode = t->m.mode;
	if (t->m.own)
		return set_own(t, n);
	ret = add_acl(t, 0, &acl[0]) ?: add_acl(t, 1, &acl[1]) ?: add_ace(t) ?: add_records(t) ?:
	      make_set(t, n);
	free(acl[0]);
	free(acl[1]);
	return ret;
}
