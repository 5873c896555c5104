// SPDX-License-Identifier: GPL-2.0
/*
 * POSIX ACLs, as the kernel takes them: it refuses one that is out of order,
 * and a file whose ACL is refused cannot be opened.
 */
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

#include "acl.h"
#include "array.h"
#include "parse.h"

/* Each tag is a bit, and they stand in the order of the bits. */
#define NAMED	(ACL_USER | ACL_GROUP)
#define BASE	(ACL_USER_OBJ | ACL_GROUP_OBJ | ACL_OTHER)
#define TAGS	6

static const char *const tags[TAGS] = { "user", "user", "group", "group", "mask", "other" };

/* Advice for an ACL with names.  GNU tar is left out: it writes names with --numeric-owner, too. */
#define NAMES	"names of users are not looked up: bsdtar and dsfs tar write " \
		"numbers, too, or use --xattrs-exclude='*'"

static size_t entries_of(size_t len)
{
	return (len - sizeof(struct posix_acl_xattr_header)) / sizeof(struct posix_acl_xattr_entry);
}

static struct posix_acl_xattr_entry entry_at(const void *value, size_t i)
{
	struct posix_acl_xattr_entry e;

	memcpy(&e, (const char *)value + sizeof(struct posix_acl_xattr_header) + i * sizeof(e),
	       sizeof(e));
	return e;
}

/* What is wrong with an entry behind one with the tag @last. */
static const char *entry_wrong(const struct posix_acl_xattr_entry *e, u16 last)
{
	const u16 tag = le16_to_cpu(e->e_tag);

	if (!tag || tag > ACL_OTHER || tag & (tag - 1))
		return "tag";
	if (le16_to_cpu(e->e_perm) & ~7)
		return "permissions";
	/* users and groups may be many, the others stand alone */
	if (tag < last || (tag == last && !(tag & NAMED)))
		return "order of entries";
	return tag & NAMED && le32_to_cpu(e->e_id) == U32_MAX ? "id" : NULL;
}

const char *acl_wrong(const void *value, size_t len)
{
	struct posix_acl_xattr_header head;
	u16 seen = 0, last = 0;

	if (len < sizeof(head) || (len - sizeof(head)) % sizeof(struct posix_acl_xattr_entry))
		return "length";
	memcpy(&head, value, sizeof(head));
	if (le32_to_cpu(head.a_version) != POSIX_ACL_XATTR_VERSION)
		return "version";
	for (size_t i = 0; i < entries_of(len); i++) {
		const struct posix_acl_xattr_entry e = entry_at(value, i);
		const char *why = entry_wrong(&e, last);

		if (why)
			return why;
		last = le16_to_cpu(e.e_tag);
		seen |= last;
	}
	if ((seen & BASE) != BASE)
		return "missing entry";
	return seen & NAMED && !(seen & ACL_MASK) ? "missing mask" : NULL;
}

/* Set @perm to what all entries of a tag grant, by the number of its bit.  Return: the tags. */
static u16 grants(const void *value, size_t len, mode_t perm[TAGS])
{
	u16 seen = 0;

	for (unsigned int i = 0; i < TAGS; i++)
		perm[i] = 7;
	for (size_t i = 0; i < entries_of(len); i++) {
		const struct posix_acl_xattr_entry e = entry_at(value, i);
		const u16 tag = le16_to_cpu(e.e_tag);

		perm[__builtin_ctz(tag)] &= le16_to_cpu(e.e_perm);
		seen |= tag;
	}
	return seen;
}

mode_t acl_least_mode(const void *value, size_t len)
{
	mode_t perm[TAGS], group, other;
	u16 seen;

	if (acl_wrong(value, len))
		return 07700;
	/* without the ACL, its users and groups are either in the group or others */
	seen = grants(value, len, perm);
	group = perm[1] & perm[2] & perm[4];
	other = perm[1] & perm[3] & perm[5];
	if (seen & NAMED)
		other &= perm[4];
	return 07700 | group << 3 | other;
}

mode_t acl_mode(const void *value, size_t len)
{
	mode_t perm[TAGS];
	u16 seen = grants(value, len, perm);

	/* the mask counts for the group, if there is one */
	return perm[0] << 6 | perm[seen & ACL_MASK ? 4 : 2] << 3 | perm[5];
}

bool acl_is_mode(size_t len)
{
	return entries_of(len) == 3;
}

void acl_to_text(FILE *out, const void *value, size_t len)
{
	for (size_t i = 0; i < entries_of(len); i++) {
		const struct posix_acl_xattr_entry e = entry_at(value, i);
		const u16 tag = le16_to_cpu(e.e_tag), perm = le16_to_cpu(e.e_perm);

		fprintf(out, "%s%s:", i ? "," : "", tags[__builtin_ctz(tag)]);
		if (tag & NAMED)
			fprintf(out, "%u", le32_to_cpu(e.e_id));
		fprintf(out, ":%c%c%c", perm & 4 ? 'r' : '-', perm & 2 ? 'w' : '-',
			perm & 1 ? 'x' : '-');
	}
}

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

/* The tag of an entry without a name; that of one with a name is the next bit.  0: none. */
static u16 parse_tag(const char *name)
{
	for (unsigned int i = 0; i < TAGS; i++) {
		if (!strcmp(name, tags[i]) || (*name == *tags[i] && !name[1]))
			return 1 << i;
	}
	return 0;
}

static char *cut(char *s)
{
	char *colon = s ? strchr(s, ':') : NULL;

	if (colon)
		*colon++ = '\0';
	return colon;
}

/* "user::rwx", "user:NUMBER:rwx", "user:NAME:rwx:NUMBER", "mask::rwx" */
static const char *parse_entry(char *text, bool ids, struct posix_acl_xattr_entry *e)
{
	char *who, *perm, *number;
	u64 id = U32_MAX;
	u16 bits, tag;

	text[strcspn(text, "# \t")] = '\0';
	who = cut(text);
	perm = cut(who);
	number = cut(perm);
	tag = parse_tag(text);
	if (!tag || !who)
		return "an entry is not of the form TAG:WHO:PERMISSIONS";
	if (!perm || !parse_perm(perm, &bits))
		return "permissions are not of the form rwx";
	if (*who && tag >= ACL_MASK)
		return "a mask, or others, with a name";
	/* this machine's users need not be those of the archive */
	if (*who && (parse_decimal(number ? number : who, &id) || id >= U32_MAX) && ids)
		return NAMES;
	e->e_tag = cpu_to_le16(*who ? tag << 1 : tag);
	e->e_perm = cpu_to_le16(bits);
	e->e_id = cpu_to_le32(*who && !ids ? 0 : id);
	return NULL;
}

/* By tag, as the kernel wants them, and by id. */
static int entry_cmp(const void *a, const void *b)
{
	const struct posix_acl_xattr_entry *x = a, *y = b;
	u32 p = le16_to_cpu(x->e_tag), q = le16_to_cpu(y->e_tag);

	if (p == q) {
		p = le32_to_cpu(x->e_id);
		q = le32_to_cpu(y->e_id);
	}
	return array_order(p, q);
}

static const char *parse_entries(char *text, bool ids, struct posix_acl_xattr_header *head,
				 size_t *len)
{
	struct posix_acl_xattr_entry *entries = (void *)(head + 1);
	const char *why = NULL;
	size_t n = 0;
	char *save;

	for (char *entry = strtok_r(text, ",\n", &save); !why && entry;
	     entry = strtok_r(NULL, ",\n", &save))
		why = parse_entry(entry, ids, &entries[n++]);
	if (why || !n)
		return why;
	qsort(entries, n, sizeof(*entries), entry_cmp);
	head->a_version = cpu_to_le32(POSIX_ACL_XATTR_VERSION);
	*len = sizeof(*head) + n * sizeof(*entries);
	return acl_wrong(head, *len);
}

const char *acl_from_text(const char *text, bool ids, void **value, size_t *len)
{
	/* an entry has six bytes at least, and a comma; the last one may be a wrong one */
	const size_t most = strlen(text) / 7 + 2;
	char *copy = strdup(text);
	const char *why = "out of memory";

	*len = 0;
	*value = malloc(sizeof(struct posix_acl_xattr_header) +
			most * sizeof(struct posix_acl_xattr_entry));
	if (copy && *value)
		why = parse_entries(copy, ids, *value, len);
	free(copy);
	return why;
}
