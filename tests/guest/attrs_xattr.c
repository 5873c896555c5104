// SPDX-License-Identifier: GPL-2.0
/* How listxattr and getxattr answer: sizes, errors, who may see what. */
#include <sys/fsuid.h>
#include <sys/xattr.h>
#include <linux/capability.h>

#include "attrs.h"

#define ROOM	65536

T_CASE(list, "listxattr")
T_CASE(get, "getxattr")
T_CASE(missing, "attributes that are not there")
T_CASE(trusted, "trusted attributes are for the privileged")

T_CASE(names, "names of attributes, their limits")

/* xattr calls take no directory and name. */
static const char *proc_path(int dir, const char *name)
{
	static char buf[2][512];
	static int which;
	char *p = buf[which++ & 1];

	snprintf(p, sizeof(buf[0]), "/proc/self/fd/%d/%s", dir, name);
	return p;
}

static void check_get(const struct t_object *o, const char *file, const char *name)
{
	static char a[ROOM + 1], b[ROOM + 1];
	ssize_t n, m;

	n = lgetxattr(file, name, NULL, 0);
	if (!t_check(&get, n >= 0, o->path, "%s: %s", name, strerror(errno)))
		return;
	memset(a, 0x5a, sizeof(a));
	m = lgetxattr(file, name, a, ROOM);
	t_check(&get, m == n && a[n] == 0x5a, o->path, "%s: %zd bytes, announced as %zd", name, m,
		n);
	m = lgetxattr(file, name, b, n ? n : 1);
	t_check(&get, m == n && !memcmp(a, b, n), o->path, "%s: %zd bytes into a buffer of %zd",
		name, m, n);
	if (n > 1)
		t_check(&get, lgetxattr(file, name, b, n - 1) < 0 && errno == ERANGE, o->path,
			"%s: no ERANGE for %zd bytes", name, n - 1);
	if (o->ref_dir < 0)
		return;
	m = lgetxattr(proc_path(o->ref_dir, o->name), name, b, ROOM);
	t_check(&get, m == n && !memcmp(a, b, n), o->path, "%s: is not the reference's", name);
}

static void check_missing(const struct t_object *o, const char *file)
{
	static const char * const odd[] = { "nonsense.a", "usr.a", "system.nonsense", "x" };
	char value[16];
	size_t i;

	t_fails(&missing, ENODATA, o->path, lgetxattr(file, "trusted.not-there", value, 16));
	if (S_ISREG(o->st.st_mode) || S_ISDIR(o->st.st_mode))
		t_fails(&missing, ENODATA, o->path, lgetxattr(file, "user.not-there", value, 16));
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		t_check(&missing, lgetxattr(file, odd[i], value, 16) < 0 && errno == EOPNOTSUPP,
			o->path, "%s: %s", odd[i], strerror(errno));
	t_check(&missing, lgetxattr(file, "trusted.", value, 16) < 0 &&
		(errno == EINVAL || errno == ENODATA), o->path, "trusted.: %s", strerror(errno));
}

/* 255 bytes, prefix and all, are a name; one more is none, nor is nothing. */
static void check_names(const struct t_object *o, const char *file)
{
	static const char * const bare[] = { "user.", "security.", "trusted.", "system." };
	char name[300], value[16];
	size_t i;

	memset(name, 'n', sizeof(name));
	memcpy(name, "trusted.", 8);
	name[256] = 0;
	t_fails(&names, ERANGE, o->path, lgetxattr(file, name, value, 16));
	name[255] = 0;
	t_fails(&names, ENODATA, o->path, lgetxattr(file, name, value, 16));
	t_fails(&names, ERANGE, o->path, lgetxattr(file, "", value, 16));
	for (i = 0; i < ARRAY_SIZE(bare); i++)
		t_check(&names, lgetxattr(file, bare[i], value, 16) < 0 && errno != ERANGE,
			o->path, "%s alone: found", bare[i]);
	/* What is neither file nor directory has no user attributes. */
	if (!S_ISREG(o->st.st_mode) && !S_ISDIR(o->st.st_mode))
		t_fails(&names, ENODATA, o->path, lgetxattr(file, "user.a", value, 16));
}

/* In a child: capabilities do not come back. */
static int as_nobody(const char *file, size_t full)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { };
	static char own[ROOM];
	char value[16];
	ssize_t n, at;

	if (syscall(SYS_capset, &head, none))
		return 1;
	n = llistxattr(file, own, sizeof(own));
	if (n < 0 || (size_t)n >= full)
		return 2;
	for (at = 0; at < n; at += strlen(own + at) + 1) {
		if (!strncmp(own + at, "trusted.", 8))
			return 3;
	}
	return lgetxattr(file, "trusted.a", value, 16) < 0 && errno == ENODATA ? 0 : 4;
}

static void check_trusted(const struct t_object *o, const char *file, size_t full)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		t_die(o->path, "fork");
	if (!pid)
		_exit(as_nobody(file, full));
	waitpid(pid, &status, 0);
	t_check(&trusted, !status, o->path, "seen without CAP_SYS_ADMIN: check %d",
		WEXITSTATUS(status));
}

void attrs_xattr_visit(const struct t_object *o)
{
	const char *file = proc_path(o->dir, o->name);
	static char all[ROOM], copy[ROOM];
	ssize_t n, m, at;

	n = llistxattr(file, NULL, 0);
	if (!t_check(&list, n >= 0, o->path, "%s", strerror(errno)))
		return;
	m = llistxattr(file, all, sizeof(all));
	t_check(&list, m == n, o->path, "%zd bytes, announced as %zd", m, n);
	if (n) {
		m = llistxattr(file, copy, n);
		t_check(&list, m == n && !memcmp(all, copy, n), o->path,
			"%zd bytes into a buffer of %zd", m, n);
		t_check(&list, llistxattr(file, copy, n - 1) < 0 && errno == ERANGE, o->path,
			"no ERANGE for %zd bytes", n - 1);
	}
	for (at = 0; at < n; at += strlen(all + at) + 1) {
		check_get(o, file, all + at);
		if (!strcmp(all + at, "trusted.a"))
			check_trusted(o, file, n);
	}
	check_missing(o, file);
	check_names(o, file);
}
