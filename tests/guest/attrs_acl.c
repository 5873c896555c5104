// SPDX-License-Identifier: GPL-2.0
/*
 * ACLs as the kernel enforces them, for the files in the zoo's "acls": a
 * process with another user's ids opens what it may and nothing else.
 */
#include "attrs.h"

T_CASE(acls, "ACLs grant and deny")
T_CASE(modes, "modes grant and deny")

static const struct {
	struct t_case *c;
	const char *file;
	uid_t uid;
	gid_t gid;
	bool may;
} t[] = {
	{ &acls, "acls/user-1001", 1001, 500, true },
	{ &acls, "acls/user-1001", 1002, 500, false },
	{ &acls, "acls/user-1001", 1003, 500, false },
	{ &acls, "acls/group-2001", 1003, 2001, true },
	{ &acls, "acls/group-2001", 1003, 2002, false },
	{ &acls, "acls/group-2001", 1003, 500, true },
	{ &acls, "acls/masked", 1001, 500, false },
	{ &acls, "acls/masked", 1003, 500, true },
	{ &acls, "acls/masked", 1003, 0, false },
	{ &acls, "acls/dir-wide/inside", 0x80000001, 500, true },
	{ &acls, "acls/dir-wide/inside", 1003, 0xfffffff0, true },
	{ &acls, "acls/dir-wide/inside", 1003, 500, false },
	{ &acls, "acls/and-xattr", 1001, 500, true },
	{ &acls, "acls/and-xattr", 1002, 500, false },
	{ &modes, "acls/none", 1001, 500, false },
	{ &modes, "acls/none", 1001, 0, true },
	{ &modes, "modes/file-0444", 1001, 500, true },
	{ &modes, "modes/file-0400", 1001, 500, false },
	{ &modes, "modes/file-0000", 1001, 500, false },
	{ &modes, "modes/dir-0777/inside", 1001, 500, true },
	{ &modes, "modes/dir-0444/inside", 1001, 500, false },
	{ &modes, "modes/dir-0111/inside", 1001, 500, true },
	{ &modes, "secrets/000-public", 1001, 500, true },
	{ &modes, "secrets/001-secret", 1001, 500, false },
};

void attrs_acl(const char *root)
{
	char path[4096];
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, t[i].file);
		if (access(path, F_OK))
			continue;
		err = t_open_as(path, t[i].uid, t[i].gid);
		t_check(t[i].c, err == (t[i].may ? 0 : EACCES), t[i].file, "as %u:%u: %s",
			t[i].uid, t[i].gid, strerror(err));
	}
}
