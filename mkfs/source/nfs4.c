// SPDX-License-Identifier: GPL-2.0
/*
 * ACLs of NFSv4, which NFS and ZFS have.  Nearly all of them have entries of OWNER@, GROUP@ and
 * EVERYONE@ alone and say no more than a mode.  Of all others a mode is made by which nobody
 * gets more: what an entry with a name grants is granted to no class, and what it denies is
 * denied to all.
 */
#include "xattr.h"

enum who { OWNER, GROUP, EVERYONE, NAMED, WHOS };

#define TYPE_DENY	1		/* 0: allow; others are of audits */
#define INHERIT_ONLY	0x8
#define READ_DATA	0x1
#define WRITE_DATA	0x2
#define EXECUTE		0x20
#define ACE_WORDS	4		/* type, flags, permissions, bytes of the name */

static const char *const names[NAMED] = { "OWNER@", "GROUP@", "EVERYONE@" };

static enum who who_of(const char *name, size_t len)
{
	enum who who = OWNER;

	while (who < NAMED && (strlen(names[who]) != len || strncasecmp(name, names[who], len)))
		who++;
	return who;
}

/* The first entry that says something of a permission counts.  @rwx: 0 to 7 */
static void add(struct nfs4_acl *acl, enum who who, bool deny, mode_t rwx)
{
	/* the classes that are granted it, and those some of whom are denied it */
	static const mode_t all[WHOS] = { 0700, 0070, 0777, 0 };
	static const mode_t some[WHOS] = { 0700, 0770, 0777, 0777 };

	acl->names |= who == NAMED;
	if (deny)
		acl->denied |= (rwx * 0111) & some[who] & ~acl->may;
	else
		acl->may |= (rwx * 0111) & all[who] & ~acl->denied;
}

static mode_t perms(u32 mask)
{
	return (mask & READ_DATA ? 4 : 0) | (mask & WRITE_DATA ? 2 : 0) | (mask & EXECUTE ? 1 : 0);
}

static u32 word(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

int nfs4_acl_of_value(struct nfs4_acl *acl, const void *value, size_t len)
{
	const u8 *p = value, *end = p + len;
	u32 n, bytes;

	*acl = (struct nfs4_acl){ 0 };
	if (len < sizeof(n))
		return -EINVAL;
	n = word(p);
	for (p += sizeof(n); n && end - p >= ACE_WORDS * sizeof(u32); n--) {
		const u32 type = word(p), flags = word(p + 4), mask = word(p + 8);

		bytes = word(p + 12);
		p += ACE_WORDS * sizeof(u32);
		if (bytes > end - p)
			return -EINVAL;
		if (type <= TYPE_DENY && !(flags & INHERIT_ONLY))
			add(acl, who_of((const char *)p, bytes), type == TYPE_DENY, perms(mask));
		bytes = (bytes + 3) & ~3U;
		p += bytes < end - p ? bytes : end - p;
	}
	return n || p != end ? -EINVAL : 0;
}

/* "owner@:PERMISSIONS:FLAGS:allow", or "user:NAME:PERMISSIONS:FLAGS:deny:NUMBER" */
static int add_entry(struct nfs4_acl *acl, char *text)
{
	const enum who who = who_of(text, strcspn(text, ":"));
	const char *part[6] = { "", "", "", "", "", "" }, **perm = part + 1 + (who == NAMED);
	mode_t rwx = 0;

	for (unsigned int i = 0; text && i < 6; i++)
		part[i] = strsep(&text, ":");
	if (who == NAMED && strcmp(part[0], "user") && strcmp(part[0], "group"))
		return -EINVAL;
	for (const char *p = perm[0]; *p; p++) {
		if (!strchr("rwxpdDaARWcCos-", *p))
			return -EINVAL;
		rwx |= *p == 'r' ? 4 : *p == 'w' ? 2 : *p == 'x';
	}
	if (!strcmp(perm[2], "audit") || !strcmp(perm[2], "alarm"))
		return 0;
	if (strcmp(perm[2], "allow") && strcmp(perm[2], "deny"))
		return -EINVAL;
	if (!strchr(perm[1], 'i'))
		add(acl, who, *perm[2] == 'd', rwx);
	return 0;
}

int nfs4_acl_of_text(struct nfs4_acl *acl, const char *text)
{
	char *copy = strdup(text), *save;
	int ret = copy ? 0 : -ENOMEM;

	*acl = (struct nfs4_acl){ 0 };
	for (char *entry = copy ? strtok_r(copy, ",\n", &save) : NULL; !ret && entry;
	     entry = strtok_r(NULL, ",\n", &save))
		ret = add_entry(acl, entry);
	free(copy);
	return ret;
}
