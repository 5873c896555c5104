// SPDX-License-Identifier: GPL-2.0
/*
 * ACLs of text, as tar archives have them, in the form of the kernel.
 */
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdlib.h>

#include "acl.h"
#include "parse.h"
#include "tar.h"

/* What tar(1) does not help with: it writes names with --numeric-owner, too. */
#define NAMES	"names of users are not looked up: bsdtar and dump.dsfs --tar write " \
		"numbers, too, or use --no-xattrs"

struct tag {
	const char *name;
	const char *brief;
	u16 obj;
	u16 named;
};

static const struct tag tags[] = {
	{ "user", "u", ACL_USER_OBJ, ACL_USER },
	{ "group", "g", ACL_GROUP_OBJ, ACL_GROUP },
	{ "mask", "m", ACL_MASK, 0 },
	{ "other", "o", ACL_OTHER, 0 },
};

static bool parse_perm(const char *s, u16 *perm)
{
	static const char letters[] = "rwx";

	*perm = 0;
	for (unsigned int i = 0; i < 3; i++, s++) {
		if (*s == letters[i])
			*perm |= 4 >> i;
		else if (*s != '-')
			return false;
	}
	return !*s;
}

static const struct tag *find_tag(const char *name)
{
	for (unsigned int i = 0; i < 4; i++) {
		if (!strcmp(name, tags[i].name) || !strcmp(name, tags[i].brief))
			return &tags[i];
	}
	return NULL;
}

/* "user::rwx", "user:NUMBER:rwx", "user:NAME:rwx:NUMBER", "mask::rwx" */
static const char *parse_entry(char *text, struct posix_acl_xattr_entry *e)
{
	char *who, *perm = NULL, *number = NULL;
	const struct tag *tag;
	u16 bits = 0;
	u64 id = U32_MAX;

	text[strcspn(text, "# \t")] = '\0';
	who = strchr(text, ':');
	if (who)
		*who++ = '\0';
	tag = find_tag(text);
	if (!tag || !who)
		return "an entry is not of the form TAG:WHO:PERMISSIONS";
	perm = strchr(who, ':');
	if (perm)
		*perm++ = '\0';
	number = perm ? strchr(perm, ':') : NULL;
	if (number)
		*number++ = '\0';
	if (!perm || !parse_perm(perm, &bits))
		return "permissions are not of the form rwx";
	if (*who && !tag->named)
		return "a mask, or others, with a name";
	/* this machine's users need not be those of the archive */
	if (*who && (parse_decimal(number ? number : who, &id) || id >= U32_MAX))
		return NAMES;
	e->e_tag = cpu_to_le16(*who ? tag->named : tag->obj);
	e->e_perm = cpu_to_le16(bits);
	e->e_id = cpu_to_le32(id);
	return NULL;
}

/* The values of the tags have the order that the kernel wants. */
static int entry_cmp(const void *a, const void *b)
{
	const struct posix_acl_xattr_entry *x = a, *y = b;
	u32 p = le16_to_cpu(x->e_tag), q = le16_to_cpu(y->e_tag);

	if (p == q) {
		p = le32_to_cpu(x->e_id);
		q = le32_to_cpu(y->e_id);
	}
	return p < q ? -1 : p > q;
}

static const char *parse_entries(char *text, struct array *entries)
{
	struct posix_acl_xattr_entry *e;
	char *save, *entry;
	const char *why = NULL;

	for (entry = strtok_r(text, ",\n", &save); !why && entry;
	     entry = strtok_r(NULL, ",\n", &save)) {
		e = array_add(entries);
		if (!e)
			return "out of memory";
		why = parse_entry(entry, e);
	}
	if (!why && entries->n)
		qsort(entries->p, entries->n, entries->size, entry_cmp);
	return why;
}

/* The entries as getxattr(2) shows them. */
static const char *make_value(const struct array *entries, struct tar_text *out)
{
	struct posix_acl_xattr_header head = {
		.a_version = cpu_to_le32(POSIX_ACL_XATTR_VERSION),
	};
	size_t bytes = entries->n * entries->size;

	out->p = malloc(sizeof(head) + bytes);
	if (!out->p)
		return "out of memory";
	memcpy(out->p, &head, sizeof(head));
	memcpy(out->p + sizeof(head), entries->p, bytes);
	out->len = sizeof(head) + bytes;
	return acl_wrong(out->p, out->len);
}

/* The kernel gives a file the mode of its ACL; the mask, if there is one, is the group's. */
static void set_mode(const struct array *entries, u32 *mode)
{
	const struct posix_acl_xattr_entry *e = (const void *)entries->p;
	u32 user = 0, group = 0, mask = 0, other = 0;
	bool masked = false;

	for (size_t i = 0; i < entries->n; i++, e++) {
		switch (le16_to_cpu(e->e_tag)) {
		case ACL_USER_OBJ:
			user = le16_to_cpu(e->e_perm);
			break;
		case ACL_GROUP_OBJ:
			group = le16_to_cpu(e->e_perm);
			break;
		case ACL_MASK:
			mask = le16_to_cpu(e->e_perm);
			masked = true;
			break;
		case ACL_OTHER:
			other = le16_to_cpu(e->e_perm);
			break;
		}
	}
	*mode = (*mode & ~0777U) | user << 6 | (masked ? mask : group) << 3 | other;
}

const char *tar_acl(const char *text, u32 *mode, struct tar_text *out)
{
	struct array entries = { .size = sizeof(struct posix_acl_xattr_entry) };
	char *copy = strdup(text);
	const char *why = copy ? parse_entries(copy, &entries) : "out of memory";

	if (!why && entries.n)
		why = make_value(&entries, out);
	if (!why && entries.n && mode) {
		set_mode(&entries, mode);
		/* three entries are the mode */
		if (entries.n == 3)
			out->len = 0;
	}
	array_free(&entries);
	free(copy);
	return why;
}
